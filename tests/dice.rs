//! Dice against a computation of their own: each throw as recursion over what falls, and large throws face by face. What the notation
//! says, and every chance that follows from it, has to be equal.

use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::notation::chances::Room;
use casebook::notation::dice::{Explosion, Keep, Reroll};
use casebook::notation::face::{DieFaces, NamedDice, SideSet};
use casebook::notation::{Band, Dice, Face, Weight};
use casebook::odds::distribution::Odds;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use casebook::situation::dice::{DiceStream, SeededDice, TypedDice};
use dashu_int::UBig;
use dashu_ratio::RBig;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Chances by what they are of.
type Chances<K> = BTreeMap<K, RBig>;

fn sum_of(terms: impl Iterator<Item = RBig>) -> RBig {
    terms.fold(RBig::ZERO, |sum, term| sum + term)
}

fn share(one: u32, of: u32) -> RBig {
    RBig::from_parts(one.into(), of.into())
}

fn add<K: Ord>(chances: &mut Chances<K>, key: K, chance: RBig) {
    let sum = chances.entry(key).or_insert(RBig::ZERO);
    *sum = &*sum + chance;
}

/// A distribution as chances, of which none may be missing.
fn chances<K: Ord>(ways: impl IntoIterator<Item = (K, Weight)>) -> Chances<K> {
    let ways: Vec<(K, Weight)> = ways.into_iter().collect();
    let total: UBig = ways.iter().map(|(_, ways)| ways.as_integer()).sum();
    let mut chances = Chances::new();
    for (key, ways) in ways {
        assert!(!ways.is_zero(), "no branch is impossible");
        let chance = RBig::from_parts(ways.as_integer().clone().into(), total.clone());
        assert!(chances.insert(key, chance).is_none(), "each comes once");
    }
    assert_eq!(
        sum_of(chances.values().cloned()),
        RBig::ONE,
        "they add up to 1"
    );
    chances
}

/// What one die may show: the sides that count, in order, each with its chance. It follows the words of the notation.
fn die_rows(dice: &Dice) -> Chances<Vec<u32>> {
    fn go_on(dice: &Dice, row: &mut Vec<u32>, chance: &RBig, rows: &mut Chances<Vec<u32>>) {
        let last = row[row.len() - 1];
        let goes_on = dice.explode.as_ref().is_some_and(|explode| {
            // Without bound a die is followed while the chance to come so far is above 2^-50.
            let come_so_far = share(explode.sides.count(), dice.sides).pow(row.len() as isize - 1);
            let bound = explode.limit.map_or(
                come_so_far > RBig::from_parts(1.into(), UBig::ONE << 50),
                |limit| row.len() <= limit as usize,
            );
            bound && explode.sides.contains(last)
        });
        if !goes_on {
            return add(rows, row.clone(), chance.clone());
        }
        for side in 1..=dice.sides {
            row.push(side);
            go_on(dice, row, &(chance * share(1, dice.sides)), rows);
            row.pop();
        }
    }
    let again = |side: u32| {
        dice.reroll
            .as_ref()
            .is_some_and(|reroll| reroll.sides.contains(side))
    };
    let mut first: Chances<u32> = Chances::new();
    for side in 1..=dice.sides {
        let chance = share(1, dice.sides);
        match &dice.reroll {
            Some(reroll) if again(side) => {
                let others: Vec<u32> = (1..=dice.sides)
                    .filter(|side| !reroll.until_other || !again(*side))
                    .collect();
                others.iter().for_each(|other| {
                    add(&mut first, *other, &chance * share(1, others.len() as u32))
                });
            }
            _ => add(&mut first, side, chance),
        }
    }
    let mut rows = Chances::new();
    for (side, chance) in first {
        go_on(dice, &mut vec![side], &chance, &mut rows);
    }
    rows
}

/// What a side is worth.
fn worth(dice: &Dice, side: u32) -> i64 {
    match dice.face(side) {
        Face::Number(number) => number,
        word => {
            -((1..=dice.sides)
                .position(|side| dice.face(side) == word)
                .expect("a face of the die") as i64)
        }
    }
}

/// What one die is worth: several dice where those thrown on are dice by themselves.
fn die_worths(dice: &Dice) -> Chances<Vec<i64>> {
    let mut worths = Chances::new();
    for (row, chance) in die_rows(dice) {
        let row: Vec<i64> = row.into_iter().map(|side| worth(dice, side)).collect();
        let is_one = dice
            .explode
            .as_ref()
            .is_some_and(|explode| !explode.by_itself);
        add(
            &mut worths,
            if is_one { vec![row.iter().sum()] } else { row },
            chance,
        );
    }
    worths
}

/// The hands of few dice, each throw in full.
fn hands(dice: &Dice) -> Chances<Vec<i64>> {
    let mut hands: Chances<Vec<i64>> = Chances::from([(Vec::new(), RBig::ONE)]);
    for kind in [dice].into_iter().chain(&dice.others) {
        let die = die_worths(kind);
        for _ in 0..kind.count {
            let mut next = Chances::new();
            for (hand, known) in &hands {
                for (row, chance) in &die {
                    let mut longer = [&hand[..], &row[..]].concat();
                    longer.sort_unstable_by(|a, b| b.cmp(a));
                    add(&mut next, longer, known * chance);
                }
            }
            hands = next;
        }
    }
    let mut kept = Chances::new();
    for (hand, chance) in hands {
        let counted = match dice.keep {
            None => hand,
            Some(Keep {
                count,
                lowest: false,
            }) => hand[..count as usize].to_vec(),
            Some(Keep {
                count,
                lowest: true,
            }) => hand[hand.len() - count as usize..].to_vec(),
        };
        add(&mut kept, counted, chance);
    }
    kept
}

fn summed<K: Ord>(hands: &Chances<Vec<i64>>, value: impl Fn(&[i64]) -> K) -> Chances<K> {
    let mut sums = Chances::new();
    hands
        .iter()
        .for_each(|(hand, chance)| add(&mut sums, value(hand), chance.clone()));
    sums
}

/// Sums of the scores of many dice, face by face from the best: how many dice are left, and the sum so far. `die` has worths and chances.
fn sums_by_face(dice: &Dice, die: &Chances<i64>, score: impl Fn(i64) -> i64) -> Chances<i64> {
    let kept = dice.keep.map_or(dice.count, |keep| keep.count);
    let denominator = die.values().fold(UBig::ONE, |common, chance| {
        let own = chance.denominator();
        &common * own / dashu_int::ops::Gcd::gcd(&common, own)
    });
    let ways = |chance: &RBig| {
        UBig::try_from(
            (chance * RBig::from(denominator.clone()))
                .numerator()
                .clone(),
        )
        .expect("chances are positive")
    };
    let mut faces: Vec<(i64, UBig)> = die
        .iter()
        .map(|(worth, chance)| (score(*worth), ways(chance)))
        .collect();
    if dice.keep.is_none_or(|keep| !keep.lowest) {
        faces.reverse();
    }
    let mut states: BTreeMap<(u32, i64), UBig> = BTreeMap::from([((dice.count, 0), UBig::ONE)]);
    for (score, ways) in faces {
        let mut next: BTreeMap<(u32, i64), UBig> = BTreeMap::new();
        for ((left, sum), known) in states {
            let counted = kept.saturating_sub(dice.count - left);
            // The number of ways to choose which dice show it, times those of their sides.
            let mut chosen = known;
            for shown in 0..=left {
                let state = (left - shown, sum + score * i64::from(shown.min(counted)));
                *next.entry(state).or_default() += &chosen;
                chosen = chosen * &ways * (left - shown) / (shown + 1);
            }
        }
        states = next;
    }
    let all = denominator.pow(dice.count as usize);
    let mut sums = Chances::new();
    for ((left, sum), ways) in states {
        if left == 0 && ways != UBig::ZERO {
            add(&mut sums, sum, RBig::from_parts(ways.into(), all.clone()));
        }
    }
    sums
}

fn side_set(sides: u32) -> impl Strategy<Value = SideSet> {
    prop::collection::vec((1..=sides, 0..2u32), 1..3).prop_map(move |ranges| {
        SideSet::new(
            ranges
                .into_iter()
                .map(|(low, more)| (low, (low + more).min(sides))),
        )
    })
}

/// One kind of dice with few sides, with anything that the notation knows.
fn kind(
    count: std::ops::RangeInclusive<u32>,
    sides: std::ops::RangeInclusive<u32>,
    own: bool,
) -> impl Strategy<Value = Dice> {
    let faces = prop::option::of((prop::collection::vec(-2i64..=3, 2..4), any::<bool>())).prop_map(
        move |faces| {
            faces.filter(|_| own).map(|(faces, words)| {
                let word = |n: i64| {
                    ["miss", "hit", "flag", "hit+flag", "hit+hit", "star"][(n + 2) as usize].into()
                };
                let faces = faces.into_iter().map(|n| {
                    if words {
                        Face::Word(word(n))
                    } else {
                        Face::Number(n)
                    }
                });
                Arc::new(DieFaces::new("battle", faces.collect()).expect("these are faces"))
            })
        },
    );
    (count, sides, faces)
        .prop_flat_map(|(count, sides, faces)| {
            let sides = faces.as_ref().map_or(sides, |own| own.faces.len() as u32);
            let again = prop::option::of((side_set(sides), any::<bool>()));
            let on = prop::option::of((side_set(sides), 1..=2u32, any::<bool>()));
            (Just((count, sides, faces)), again, on)
        })
        .prop_map(|((count, sides, faces), again, on)| {
            let mut dice = Dice {
                faces,
                ..Dice::new(count, sides, 0)
            };
            // Equal faces can't be told from each other.
            let whole = |dice: &Dice, set: SideSet| {
                let alike = |side: &u32| {
                    (1..=sides)
                        .any(|other| set.contains(other) && dice.face(other) == dice.face(*side))
                };
                SideSet::new((1..=sides).filter(alike).map(|side| (side, side)))
            };
            let again = again.map(|(sides, until_other)| Reroll {
                sides: whole(&dice, sides),
                until_other,
            });
            dice.reroll = again.filter(|reroll| reroll.sides.count() < sides);
            dice.explode = on.map(|(sides, limit, by_itself)| Explosion {
                sides: whole(&dice, sides),
                limit: Some(limit),
                by_itself: by_itself || dice.shows_words(),
            });
            dice
        })
}

fn with_keep(dice: Dice, keep: Option<(u32, bool)>) -> Dice {
    let (all, further) = (
        dice.dice_count(),
        [&dice]
            .into_iter()
            .chain(&dice.others)
            .any(|kind| kind.explode.as_ref().is_some_and(|e| e.by_itself)),
    );
    let keep = keep
        .filter(|_| all > 1 && !further)
        .map(|(some, lowest)| Keep {
            count: 1 + some % (all - 1).max(1),
            lowest,
        });
    Dice { keep, ..dice }
}

fn keep() -> impl Strategy<Value = Option<(u32, bool)>> {
    prop::option::of((0u32..200, any::<bool>()))
}

/// A few dice of anything that the notation knows, in any combination.
fn few_dice() -> impl Strategy<Value = Dice> {
    let one_kind = (kind(0..=3, 1..=4, true), keep(), -3i64..=3);
    let kinds = (
        kind(0..=2, 1..=3, false),
        prop::option::of(kind(1..=1, 2..=4, false)),
        keep(),
        -3i64..=3,
    );
    prop_oneof![
        one_kind.prop_map(|(dice, keep, modifier)| with_keep(Dice { modifier, ..dice }, keep)),
        kinds.prop_map(|(dice, other, keep, modifier)| with_keep(
            Dice {
                others: other.into_iter().collect(),
                modifier,
                ..dice
            },
            keep
        )),
    ]
}

/// Up to 200 dice with few sides, or fewer with more, so that the other computation ends in time.
fn many_dice() -> impl Strategy<Value = Dice> {
    let sizes = prop_oneof![
        (0..=200u32, 1..=4u32),
        (30..=70u32, 5..=8u32),
        (0..=12u32, 9..=20u32),
        (1..=3u32, 21..=100u32)
    ];
    let extra = (
        prop::option::of(1..=2u32),
        any::<bool>(),
        prop::option::of(1..=2u32),
    );
    (sizes, extra, keep()).prop_map(|((count, sides), (again, until_other, on), keep)| {
        let mut dice = Dice::new(count, sides, 0);
        dice.reroll = again.filter(|last| *last < sides).map(|last| Reroll {
            sides: SideSet::new([(1, last)]),
            until_other,
        });
        dice.explode = on.filter(|_| count * sides < 200).map(|limit| Explosion {
            sides: SideSet::new([(sides, sides)]),
            limit: Some(limit),
            by_itself: false,
        });
        with_keep(dice, keep)
    })
}

fn band() -> impl Strategy<Value = Band> {
    prop_oneof![
        (-2i64..9).prop_map(|low| Band {
            low,
            high: i64::MAX
        }),
        (-2i64..9).prop_map(|high| Band {
            low: i64::MIN,
            high
        }),
        (-2i64..9, 0i64..4).prop_map(|(low, more)| Band {
            low,
            high: low + more
        }),
    ]
}

/// A share of the usual number of cases, which PROPTEST_CASES sets.
fn config(share: u32, of: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        failure_persistence: None,
        cases: (usual.cases * share / of).max(1),
        ..usual
    }
}

fn named(dice: &Dice) -> NamedDice {
    dice.faces
        .iter()
        .map(|own| (own.name.clone(), own.clone()))
        .collect()
}

proptest! {
    // A fault that is found becomes a test, so there is no file of regressions.
    #![proptest_config(config(3, 4))]

    /// Whatever is written together: every hand, total, number of hits and of symbols has its chance.
    #[test]
    fn few_dice_are_counted_in_full(dice in few_dice(), band in band()) {
        let hands = hands(&dice);
        prop_assert_eq!(chances(dice.hands(&Room::UNBOUNDED, |hand, ways| (hand.to_vec(), ways)).expect("few")), hands.clone(), "{}", dice);
        prop_assert_eq!(chances(dice.total_distribution().expect("few")), summed(&hands, |hand| hand.iter().sum::<i64>() + dice.modifier), "{}", dice);
        let hits = summed(&hands, |hand| hand.iter().filter(|worth| band.contains(**worth)).count() as i64);
        prop_assert_eq!(chances(dice.hit_distribution(band).expect("few")), hits, "{} {}", dice, band);
        let symbols = dice.symbols();
        let count = |hand: &[i64], symbol: &str| {
            hand.iter().map(|worth| dice.face_worth(*worth).to_string().split('+').filter(|shown| *shown == symbol).count() as i64).sum::<i64>()
        };
        for symbol in &symbols {
            prop_assert_eq!(chances(dice.symbol_distribution(symbol).expect("few")), summed(&hands, |hand| count(hand, symbol)), "{} {}", dice, symbol);
        }
        if !symbols.is_empty() {
            let counts = summed(&hands, |hand| symbols.iter().map(|symbol| count(hand, symbol)).collect::<Vec<_>>());
            prop_assert_eq!(chances(dice.symbol_counts(&Room::UNBOUNDED).expect("few")), counts, "{}", dice);
        }
    }

    /// What is written is read back.
    #[test]
    fn dice_are_read_as_written(dice in few_dice()) {
        prop_assert_eq!(Dice::parse_with(&dice.to_string(), &named(&dice)), Ok(dice.clone()), "{}", dice);
    }

    /// A throw of the seed is one of those that are counted, it can be typed, and nothing of it is left over.
    #[test]
    fn throws_are_among_those_counted(dice in few_dice(), seed: u64, band in band()) {
        let thrown = SeededDice::new(seed).throw(&dice, "attack").expect("a seed always throws");
        let hands = hands(&dice);
        let kept = dice.kept(&thrown);
        prop_assert!(hands.contains_key(&kept), "{} throws {:?}", dice, thrown);
        prop_assert_eq!(dice.total(&thrown), kept.iter().sum::<i64>() + dice.modifier);
        prop_assert!((dice.min_total()..=dice.max_total()).contains(&dice.total(&thrown)), "{}", dice);
        prop_assert_eq!(dice.hits(&thrown, band), kept.iter().filter(|worth| band.contains(**worth)).count() as i64);
        prop_assert_eq!(dice.missing(&thrown), 0);
        prop_assert!(thrown.is_empty() || dice.missing(&thrown[..thrown.len() - 1]) > 0);
        prop_assert_eq!(dice.sides_thrown(&thrown).len(), thrown.len());
        let faces: Vec<Face> = thrown.iter().map(|side| dice.face(*side)).collect();
        let mut typed = TypedDice::new(faces.clone());
        let sides = typed.throw(&dice, "attack").expect("they are typed");
        prop_assert_eq!(sides.iter().map(|side| dice.face(*side)).collect::<Vec<_>>(), faces);
        prop_assert_eq!(typed.unused_dice(), 0);
    }

    /// The lowest and the highest total are those of the distribution.
    #[test]
    fn ends_of_totals_can_be_thrown(dice in few_dice()) {
        let totals = dice.total_distribution().expect("few");
        prop_assert_eq!((totals[0].0, totals[totals.len() - 1].0), (dice.min_total(), dice.max_total()), "{}", dice);
    }
}

proptest! {
    #![proptest_config(config(3, 16))]

    /// Many dice: totals and hits, of all or of the best or worst, equal a count face by face.
    #[test]
    fn many_dice_are_counted_exactly(dice in many_dice(), band in band()) {
        let die: Chances<i64> = die_worths(&dice).into_iter().map(|(row, chance)| (row[0], chance)).collect();
        prop_assert_eq!(chances(dice.total_distribution().expect("they are listed")), sums_by_face(&dice, &die, |worth| worth), "{}", dice);
        let hits = sums_by_face(&dice, &die, |worth| i64::from(band.contains(worth)));
        prop_assert_eq!(chances(dice.hit_distribution(band).expect("they are listed")), hits, "{} {}", dice, band);
    }
}

/// A game of one procedure, whose outcomes are what dice are asked for.
fn odds_of(dice: &Dice, band: Band) -> Odds {
    let rule = format!(
        "//! case: \"1.1\"\n//! title: Answer\n//! kind: rule\n//! procedure: answer\n//! text: Dice are thrown.\n\n\
         fn answer(given) {{\n    result(\"total\", roll(\"{dice}\", \"total\"));\n    result(\"hits\", hits(\"{dice}\", \"{band}\", \"hits\"));\n}}\n"
    );
    let files = Files::default()
        .with_text("rules/pools/game.yaml", "game: pools\ntitle: Pools\nsides: [Red, Blue]\nprocedures: { answer: Dice are thrown. }\n")
        .with_text("rules/pools/01-pools/1.1-answer.rhai", &rule)
        .with_text("scenarios/pools/one.yaml", "situation: one\ntitle: One\nprocedure: answer\n");
    let library = Arc::new(Library::new(files));
    let situation = Situation::load(&library, &RulesetSpec::new("pools", &[]), "one")
        .expect("the situation is sound");
    casebook::odds(&situation, std::time::Duration::from_secs(60)).expect("it is counted")
}

proptest! {
    #![proptest_config(config(1, 16))]

    /// What odds say of dice is what they are: fractions whose sum is 1.
    #[test]
    fn odds_of_a_procedure_are_those_of_its_dice(dice in many_dice(), band in (1i64..9, 0i64..4).prop_map(|(low, more)| Band { low, high: low + more })) {
        let odds = odds_of(&dice, band);
        prop_assert!(odds.is_complete(), "{}", dice);
        let expected = [("total", dice.total_distribution()), ("hits", dice.hit_distribution(band))];
        for (name, ways) in expected {
            let expected: BTreeMap<String, String> = chances(ways.expect("listed")).into_iter().map(|(n, chance)| (n.to_string(), chance.to_string())).collect();
            let found: BTreeMap<String, String> = odds.outcomes[name].iter().map(|(n, chance)| (n.to_string(), chance.to_string())).collect();
            prop_assert_eq!(found, expected, "{} {}", dice, name);
        }
    }
}

/// Sizes at which numbers of a computer end: combinations just below, at and above 2^53, 2^64, 2^127 and 2^128.
#[test]
fn totals_hold_where_numbers_of_a_computer_end() {
    for text in [
        "52d2",
        "53d2",
        "54d2",
        "63d2",
        "64d2",
        "65d2",
        "126d2",
        "127d2",
        "128d2",
        "129d2",
        "32d4",
        "64d4",
        "32d16",
        "50d6",
        "51d6",
        "49d6",
        "46d7",
        "30d20",
        "36d12",
        "20d100",
        "16d256",
        "4d65536",
        "2d1000000",
        "10d6!4",
        "4d8!10",
        "50d6r1",
        "64d4kh32",
        "51d6kl50",
        "50d6rr1",
    ] {
        let dice = Dice::parse(text).expect("these are dice");
        let totals = chances(dice.total_distribution().expect("they are listed"));
        let mean = |chances: &Chances<i64>| {
            sum_of(chances.iter().map(|(n, chance)| RBig::from(*n) * chance))
        };
        let count = i64::from(dice.count);
        let hits = chances(
            dice.hit_distribution(Band { low: 2, high: 2 })
                .expect("they are listed"),
        );
        if dice.keep.is_none() {
            // The mean of a sum is that of its parts.
            let one = Dice {
                count: 1,
                ..dice.clone()
            };
            let of_one = |ways: Option<Vec<(i64, Weight)>>| {
                RBig::from(count) * mean(&chances(ways.expect("one die")))
            };
            assert_eq!(mean(&totals), of_one(one.total_distribution()), "{text}");
            assert_eq!(
                mean(&hits),
                of_one(one.hit_distribution(Band { low: 2, high: 2 })),
                "{text}"
            );
        }
    }
    let half = RBig::from_parts(1.into(), 2u32.into());
    for text in ["1d2", "51d2", "127d2", "199d2"] {
        let dice = Dice::parse(text).expect("these are dice");
        let totals = chances(dice.total_distribution().expect("they are listed"));
        let below = totals
            .iter()
            .filter(|(total, _)| 2 * **total < 3 * i64::from(dice.count));
        let low = sum_of(below.map(|(_, chance)| chance.clone()));
        assert_eq!(low, half, "{text} is even");
    }
}

/// Large throws of which some dice count are listed, with every chance.
#[test]
fn the_best_of_many_dice_are_listed() {
    for text in [
        "200d20kh100",
        "200d6kl100",
        "100d10!3kh20",
        "{10d8!, 6d6!}kh4",
        "{100d6, 100d8}kh10",
        "{100d6, 100d8}kh50",
        "{8d6, 8d8, 8d10}kl3",
    ] {
        let dice = Dice::parse(text).expect("these are dice");
        let totals = chances(dice.total_distribution().expect("they are listed"));
        let ends = (dice.min_total(), dice.max_total());
        assert_eq!(
            (
                *totals.keys().next().expect("one"),
                *totals.keys().next_back().expect("one")
            ),
            ends,
            "{text}"
        );
    }
}

/// A die of any number of sides shows each of them equally often, however the number came into the text.
#[test]
fn dice_of_every_number_of_sides_are_fair() {
    let larger = (2_001..1_000_000)
        .step_by(77_777)
        .chain([65_535, 65_536, 999_999, 1_000_000]);
    for sides in (1..=2_000).chain(larger) {
        let dice = Dice::parse(&format!("1d{sides}")).expect("a die of any number of sides");
        let totals = dice.total_distribution().expect("they are listed");
        assert!(
            totals.len() == sides as usize
                && totals
                    .iter()
                    .zip(1..)
                    .all(|((total, ways), n)| *total == n && *ways == Weight::ONE),
            "1d{sides}"
        );
        assert_eq!(Dice::parse(&dice.to_string()), Ok(dice));
    }
    let faces = |text: &str| {
        chances(
            Dice::parse(text)
                .expect("these are dice")
                .total_distribution()
                .expect("they are listed"),
        )
    };
    assert_eq!(
        (faces("d66").len(), faces("1d66").len(), faces("2d66").len()),
        (36, 66, 131),
        "only the bare d66 has tens and ones"
    );
    assert_eq!(faces("d65"), faces("1d65"));
}

/// Sizes at the edge are no faults, and what is beyond is refused.
#[test]
fn edges_of_the_notation() {
    let totals = |text: &str| {
        Dice::parse(text).map(|dice| {
            dice.total_distribution()
                .expect("they are listed")
                .into_iter()
                .map(|(n, _)| n)
                .collect::<Vec<_>>()
        })
    };
    for (text, expected) in [
        ("0d6", vec![0]),
        ("0d6+3", vec![3]),
        ("0d6kh2", vec![0]),
        ("1d1", vec![1]),
        ("3d1-1", vec![2]),
        ("2d1!3", vec![8]),
        ("1d1kh1", vec![1]),
        ("2d1dl2", vec![]),
        ("1d2 + 1d3 - 1", vec![1, 2, 3, 4]),
        ("2d1+1d1!2+2", vec![7]),
        ("1d6+", vec![]),
    ] {
        match totals(text) {
            Ok(found) => assert_eq!(found, expected, "{text}"),
            Err(error) => assert!(expected.is_empty(), "{error}"),
        }
    }
    for text in [
        "200d1000000",
        "1d8 + 2d6r1 + 1",
        "{100d6, 100d1000000!20}kh3",
        "d6!",
        "3d6r(1,3..4)!5..6x2",
        "4dF r(-1)",
        "3d6rr1..2e",
        "d66r(11)",
        "1d6!(1)",
    ] {
        let dice = Dice::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Dice::parse(&dice.to_string()), Ok(dice), "{text}");
    }
    for text in [
        "201d6",
        "1d1000001",
        "1d0",
        "{150d6, 51d8}",
        "3d6r",
        "3d6rr1..6",
        "1d1000000rr1..999999",
        "3d6!21",
        "3d6!0",
        "3d6!7..8",
        "1d6!1..6",
        "3d6e2kh2",
        "{d66, 1d6}",
        "{1d6}",
        "3d6r(7)",
        "3d6x2",
        "1d6+2000000",
        "3d6!x0",
    ] {
        assert!(Dice::parse(text).is_err(), "{text} is refused");
    }
    // What is too much to list says so, and does not take for ever.
    for text in [
        "200d1000000",
        "200d1000000kh100",
        "{100d1000, 100d999}kh50",
        "1d1000000!500001..1000000x20",
        "100d6!kh50",
    ] {
        assert!(
            Dice::parse(text)
                .expect("these are dice")
                .total_distribution()
                .is_none(),
            "{text}"
        );
    }
}
