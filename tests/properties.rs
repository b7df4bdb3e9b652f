//! Properties of notation, dice, charts, shares, journals and arbitrary text.

use crate::common::{Folder, skirmish};
use casebook::author::check::check;
use casebook::code::verbs::arithmetic::spread;
use casebook::complaint::Complaints;
use casebook::complaint::terminal::is_invisible;
use casebook::data::axis::{Axis, AxisKey, AxisLabels};
use casebook::data::library::Library;
use casebook::data::piece::{Datum, PieceEntry};
use casebook::data::yaml::YamlReader;
use casebook::notation::dice::Keep;
use casebook::notation::{Band, Dice, Face, Hex, OddsRatio, Turn, UnitValue, is_case_number};
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::commitment::Commitment;
use casebook::ruling::journal::Journal;
use casebook::ruling::moves::JournalMove;
use casebook::ruling::resolve::{self, ResolveRequest};
use casebook::ruling::situation::Situation;
use casebook::situation::board::Board;
use casebook::situation::cell_key::{CellKey, EntityKind};
use casebook::situation::dice::{DiceStream, SeededDice, TypedDice};
use casebook::situation::initial_board::{CARRIER_COLUMN, GONE_COLUMN, PLACE_COLUMN};
use casebook::situation::overrides::{Override, Overrides};
use casebook::situation::value::{HashedText, PieceId, Value};
use proptest::prelude::*;
use std::sync::Arc;

/// Dice of any number of sides.
fn dice() -> impl Strategy<Value = Dice> {
    (
        1u32..=200,
        prop_oneof![1u32..=1000, 1u32..=1_000_000],
        -1000i64..=1000,
        keep(),
    )
        .prop_map(dice_with_keep)
}

/// Whether only some highest or lowest dice count.
fn keep() -> impl Strategy<Value = Option<(u32, bool)>> {
    prop::option::of((1u32..100, any::<bool>()))
}

fn dice_with_keep((count, sides, shift, keep): (u32, u32, i64, Option<(u32, bool)>)) -> Dice {
    let keep = keep.filter(|_| count > 1).map(|(some, lowest)| Keep {
        count: 1 + some % (count - 1).max(1),
        lowest,
    });
    Dice {
        keep: keep.filter(|keep| keep.count < count),
        ..Dice::new(count, sides, shift)
    }
}

/// A few dice with few sides.
fn few_dice() -> impl Strategy<Value = Dice> {
    (1u32..=4, 2u32..=6, -3i64..=3, keep()).prop_map(dice_with_keep)
}

fn band() -> impl Strategy<Value = Band> {
    prop_oneof![
        (-300i64..300, 0i64..300).prop_map(|(low, more)| Band {
            low,
            high: low + more
        }),
        any::<i64>().prop_map(|high| Band {
            low: i64::MIN,
            high
        }),
        any::<i64>().prop_map(|low| Band {
            low,
            high: i64::MAX
        }),
        any::<(i64, i64)>().prop_map(|(a, b)| Band {
            low: a.min(b),
            high: a.max(b)
        }),
    ]
}

proptest! {
    // A fault that is found becomes a test, so there is no file of regressions.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // Notation: what is written is read back

    #[test]
    fn dice_are_read_as_written(dice in dice()) {
        prop_assert_eq!(Dice::parse(&dice.to_string()), Ok(dice));
    }

    #[test]
    fn bands_are_read_as_written(band in band()) {
        prop_assert_eq!(Band::parse(&band.to_string()), Ok(band));
    }

    #[test]
    fn odds_are_read_as_written(attacker in 1..=i64::MAX, defender in 1..=i64::MAX) {
        let odds = OddsRatio { attacker, defender };
        prop_assert_eq!(OddsRatio::parse(&odds.to_string()), Ok(odds));
    }

    #[test]
    fn unit_values_are_read_as_written(first in 0..=i64::MAX, second in 0..=i64::MAX, bracketed: bool) {
        let value = UnitValue { first, second, bracketed };
        prop_assert_eq!(UnitValue::parse(&value.to_string()), Ok(value));
    }

    #[test]
    fn hexes_are_read_as_written(sheet in "[A-Za-z]{0,3}", column in 0i64..100, row in 0i64..100) {
        let hex = Hex { sheet, column, row };
        prop_assert_eq!(Hex::parse(&hex.to_string()), Ok(hex));
    }

    #[test]
    fn turns_are_read_as_written(number in 0..=i64::MAX, year in 0..=i64::MAX) {
        let turn = Turn { year, number };
        prop_assert_eq!(Turn::parse(&turn.to_string()), Ok(turn));
    }

    /// A text that can be parsed survives writing and parsing.
    #[test]
    fn text_of_any_kind_is_read_or_refused(text in "[0-9dD+:/().A-C -]{0,12}|\\PC{0,40}") {
        if let Ok(dice) = Dice::parse(&text) { prop_assert_eq!(Dice::parse(&dice.to_string()), Ok(dice)); }
        if let Ok(band) = Band::parse(&text) { prop_assert_eq!(Band::parse(&band.to_string()), Ok(band)); }
        if let Ok(odds) = OddsRatio::parse(&text) { prop_assert_eq!(OddsRatio::parse(&odds.to_string()), Ok(odds)); }
        if let Ok(value) = UnitValue::parse(&text) { prop_assert_eq!(UnitValue::parse(&value.to_string()), Ok(value)); }
        if let Ok(hex) = Hex::parse(&text) { prop_assert_eq!(Hex::parse(&hex.to_string()), Ok(hex)); }
        if let Ok(turn) = Turn::parse(&text) { prop_assert_eq!(Turn::parse(&turn.to_string()), Ok(turn)); }
        is_case_number(&text);
    }

    // Turns and odds

    #[test]
    fn turns_later_and_back(year in 0i64..2000, number in 1i64..14, n in -500i64..500) {
        let turn = Turn { year, number: number.min(13) };
        let later = turn.add_turns(n, 13).expect("numbers hold it");
        prop_assert_eq!(later.turns_since(turn, 13), Some(n));
        prop_assert_eq!(later.add_turns(-n, 13), Some(turn));
    }

    /// The ratio is always rounded in the defender's favour.
    #[test]
    fn odds_never_flatter_the_attacker(attacker in 1i64..10_000, defender in 1i64..10_000) {
        let odds = OddsRatio::from_numbers(attacker, defender);
        prop_assert!(odds.attacker == 1 || odds.defender == 1);
        prop_assert!(odds.attacker * defender <= attacker * odds.defender);
        let more_favourable = if odds.defender > 1 { OddsRatio { attacker: 1, defender: odds.defender - 1 } } else { OddsRatio { attacker: odds.attacker + 1, defender: 1 } };
        prop_assert!(more_favourable.attacker * defender > attacker * more_favourable.defender, "the next step would be too much");
    }

    // Dice; how likely they are is in tests/dice.rs

    #[test]
    fn the_same_seed_throws_the_same_dice(seed: u64, throws in prop::collection::vec((dice(), "[a-z ]{0,8}"), 1..20)) {
        let run = || {
            let mut stream = SeededDice::new(seed);
            throws.iter().map(|(dice, purpose)| stream.throw(dice, purpose)).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn faces_are_those_of_the_die(seed: u64, dice in dice()) {
        let faces = SeededDice::new(seed).throw(&dice, "attack").expect("a seed always throws");
        prop_assert_eq!(faces.len(), dice.count as usize);
        prop_assert!(faces.iter().all(|face| (1..=dice.sides).contains(face)));
        prop_assert!((dice.min_total()..=dice.max_total()).contains(&dice.total(&faces)));
    }

    /// Throws for one purpose don't change those for another.
    #[test]
    fn purposes_do_not_shift_each_other(seed: u64, a in few_dice(), b in few_dice(), more in 1usize..5) {
        let second = |throws: usize| {
            let mut stream = SeededDice::new(seed);
            for _ in 0..throws { let _ = stream.throw(&a, "attack"); }
            stream.throw(&b, "losses")
        };
        prop_assert_eq!(second(0), second(more));
    }

    /// Dice of a seed can be typed.
    #[test]
    fn thrown_dice_can_be_typed(seed: u64, throws in prop::collection::vec(few_dice(), 1..10)) {
        let mut seeded = SeededDice::new(seed);
        let thrown: Vec<_> = throws.iter().map(|dice| seeded.throw(dice, "attack").expect("a seed always throws")).collect();
        let shown = throws.iter().zip(&thrown).flat_map(|(dice, sides)| sides.iter().map(|side| dice.face(*side)));
        let mut typed = TypedDice::new(shown.collect());
        for (dice, throw) in throws.iter().zip(&thrown) {
            let face = |side: &u32| dice.face(*side);
            let retyped = typed.throw(dice, "whatever").expect("typed");
            prop_assert_eq!(retyped.iter().map(face).collect::<Vec<_>>(), throw.iter().map(face).collect::<Vec<_>>());
        }
        prop_assert_eq!(typed.unused_dice(), 0);
    }

    // Charts

    /// On an axis without a gap every number falls on exactly one label.
    #[test]
    fn every_number_falls_on_one_label(limits in prop::collection::btree_set(-99i64..999, 1..12), numbers in prop::collection::vec(any::<i64>(), 20), near in prop::collection::vec(-120i64..1020, 60)) {
        let limits: Vec<i64> = limits.into_iter().collect();
        let mut bands = vec![Band { low: i64::MIN, high: limits[0] }];
        bands.extend(limits.windows(2).map(|w| Band { low: w[0] + 1, high: w[1] }));
        bands.push(Band { low: limits[limits.len() - 1] + 1, high: i64::MAX });
        let labels: Vec<String> = bands.iter().map(Band::to_string).collect();
        let (axis, complaints) = read_axis(&labels);
        prop_assert_eq!(complaints.0.len(), 0, "{}", complaints);
        for n in numbers.into_iter().chain(near).chain([i64::MIN, i64::MAX, 0]) {
            let labels_hit: Vec<usize> = (0..bands.len()).filter(|i| bands[*i].contains(n)).collect();
            prop_assert_eq!(labels_hit.len(), 1);
            prop_assert_eq!(axis.find(AxisKey::Number(n)), Some(labels_hit[0]));
        }
    }

    /// An axis without complaints has every number between its ends exactly once, in order.
    #[test]
    fn axes_with_gaps_or_overlaps_are_found(bands in prop::collection::vec((0i64..12, 1i64..5), 1..5)) {
        let bands: Vec<Band> = bands.into_iter().map(|(low, more)| Band { low, high: low + more }).collect();
        let labels: Vec<String> = bands.iter().map(Band::to_string).collect();
        let (low, high) = (bands[0].low, bands[bands.len() - 1].high);
        let once = (low..=high).all(|n| bands.iter().filter(|b| b.contains(n)).count() == 1) && bands.iter().all(|b| b.low >= low && b.high <= high) && bands.is_sorted_by_key(|b| b.low);
        let (_, complaints) = read_axis(&labels);
        prop_assert_eq!(!complaints.0.iter().any(|c| c.code == casebook::DiagnosticCode::RowsCover), once, "{:?}", labels);
    }

    // Shares

    #[test]
    fn losses_are_spread_evenly(points in -5i64..400, sizes in prop::collection::vec(-2i64..40, 0..12)) {
        let shares = spread(points, &sizes, &[]);
        let room: i64 = sizes.iter().map(|s| (*s).max(0)).sum();
        prop_assert_eq!(shares.len(), sizes.len());
        prop_assert_eq!(shares.iter().sum::<i64>(), points.clamp(0, room), "all points, as far as there is room");
        prop_assert!(shares.iter().zip(&sizes).all(|(share, size)| *share >= 0 && *share <= (*size).max(0)), "none above its size");
        let open: Vec<i64> = shares.iter().zip(&sizes).filter(|(share, size)| share < size).map(|(share, _)| *share).collect();
        let most = shares.iter().max().copied().unwrap_or(0);
        prop_assert!(open.iter().all(|share| most - share <= 1), "those with room left differ by one: {:?} of {:?}", shares, sizes);
        prop_assert!(open.windows(2).all(|w| w[0] >= w[1]), "the earlier ones get the odd points: {:?} of {:?}", shares, sizes);
    }

    /// The largest sizes neither overflow nor take long.
    #[test]
    fn huge_losses_are_spread_too(points: i64, sizes in prop::collection::vec(any::<i64>(), 0..6)) {
        prop_assert_eq!(spread(points, &sizes, &[]).len(), sizes.len());
    }

    // The board

    /// The index of pieces by place, which is updated with each move, equals a full scan.
    #[test]
    fn the_index_of_places_follows_every_move(moves in prop::collection::vec((0usize..8, 0usize..4, 0usize..4, any::<bool>()), 1..240)) {
        let (places, carriers) = (["0201", "0202", "0303", ""], ["Red wagon", "Blue riders", "new 2", ""]);
        let situation = bridge_with_a_loaded_wagon();
        let mut board = Board::new(situation.initial_board.clone());
        for (piece, what, value, look) in moves {
            let piece = piece % board.piece_count();
            let mut set = |column: usize, value: Value| board.set(CellKey::new(EntityKind::Piece, column, piece), value);
            match what {
                0 => set(PLACE_COLUMN, places[value].into()),
                1 => set(CARRIER_COLUMN, carriers[value].into()),
                2 => set(GONE_COLUMN, (value % 2 == 0).into()),
                _ => {
                    let mut entry = PieceEntry { name: format!("new {value}"), ..PieceEntry::default() };
                    entry.attributes.insert("at".into(), Datum::Word(places[piece % 4].into()));
                    board.create_piece(&entry, &situation.ruleset().game);
                }
            }
            let pieces_there = |board: &Board, place: &HashedText| {
                let is_gone = |piece: PieceId| board.peek(CellKey::new(EntityKind::Piece, GONE_COLUMN, piece.0)) == Some(&Value::True);
                (0..board.piece_count()).map(PieceId).filter(|piece| !is_gone(*piece) && board.place_of(*piece) == place).collect::<Vec<_>>()
            };
            for place in places.iter().filter(|_| look).map(|place| HashedText::from(*place)) {
                prop_assert_eq!(board.pieces_at(&place), pieces_there(&board, &place));
            }
        }
    }

    // Journals

    #[test]
    fn journals_are_read_as_written(journal in journal()) {
        let folder = Folder::empty();
        let path = folder.0.join("journal.yaml");
        journal.write(&path, || true).expect("the test's own folder can be written");
        prop_assert_eq!(Journal::read(&path).expect("what was written can be read").0, journal);
    }
}

/// A situation in which a piece carries others from the start.
fn bridge_with_a_loaded_wagon() -> Situation {
    let (files, key) = (skirmish(), "scenarios/skirmish/bridge.yaml");
    let text = files.by_key[key]
        .text
        .replace("\"2-4\", at: \"0201\"", "\"2-4\", on: Red wagon");
    let library = Arc::new(Library::new(files.with_text(key, &text)));
    Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
        .expect("the situation is sound")
}

/// An axis with these labels, and its complaints.
fn read_axis(labels: &[String]) -> (Axis, Complaints) {
    let list = labels
        .iter()
        .map(|l| format!("\"{l}\""))
        .collect::<Vec<_>>()
        .join(", ");
    let text = format!("of: number\nlabels: [{list}]\n");
    let mut reader = YamlReader::new("any.yaml", &text);
    let node = reader.parse(&text).expect("this is YAML");
    let axis = Axis::read(&node, &mut reader).expect("this is an axis");
    assert!(
        matches!(axis.labels, AxisLabels::Bands(_)),
        "bands are read as bands"
    );
    (axis, reader.complaints)
}

/// Text of a pattern, without characters that can't be seen: no file may hold them.
fn visible(pattern: &'static str) -> impl Strategy<Value = String> {
    pattern.prop_map(|text: String| {
        text.chars()
            .filter(|letter| !is_invisible(*letter))
            .collect()
    })
}

/// Words, some of which YAML could read as another type.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        visible("\\PC{0,12}"),
        Just("0130".into()),
        Just("3:1".into()),
        Just("yes".into()),
        Just("~".into()),
        Just("null".into()),
        Just("1e3".into()),
        Just("- a: b # c".into()),
        Just("two\nlines\n".into()),
        Just(" \t".into()),
        Just("8.10".into()),
    ]
}

prop_compose! {
    fn journal()(
        (game, situation) in (word(), word()),
        with in prop::collection::vec(word(), 0..3),
        options in prop::collection::btree_map(word(), any::<bool>(), 0..3),
        readings in prop::collection::btree_map(word(), word(), 0..3),
        pieces in prop::collection::btree_map(word(), word(), 0..3),
        set in prop::collection::btree_map("[A-Za-z/ ]{0,6}[a-z][.:]?[a-z]: [a-z_]{1,6}", visible("\\PC{0,8}"), 0..3),
        goes_on in any::<bool>(),
        seed in prop::option::of(any::<u64>()),
        commitment in prop::option::of((word(), prop::option::of(word()), prop::option::of(word()))),
        moves in prop::collection::vec(any_move(), 0..6),
        policy in prop::collection::btree_map(word(), word(), 0..3),
        results in prop::option::of(prop::collection::btree_map(word(), word(), 0..4)),
    ) -> Journal {
        let set = set.iter().map(|(name, now)| Override::read(name, now).expect("this names a figure")).collect();
        let commitment = commitment.map(|(hash, half, secret)| Commitment { hash, half, secret });
        let overrides = Overrides { pieces, set, goes_on };
        Journal { game, situation, variants: with, options, readings, overrides, seed, commitment, policy: policy.into_iter().collect(), moves, results }
    }
}

fn any_move() -> impl Strategy<Value = JournalMove> {
    let throw = (
        word(),
        word(),
        prop::collection::vec(
            prop_oneof![
                (-99i64..999).prop_map(Face::Number),
                "[a-z][a-z ]{0,6}[a-z]".prop_map(|word| Face::Word(word.into()))
            ],
            0..5,
        ),
    );
    let choice = (word(), word(), prop::collection::vec(word(), 0..4), word());
    prop_oneof![
        throw.prop_map(|(dice, purpose, faces)| JournalMove::Throw {
            dice,
            purpose,
            faces
        }),
        // A choice with one option is not asked, and does not stand in a journal.
        choice
            .prop_filter("a choice", |(_, _, options, _)| options.len() != 1)
            .prop_map(|(question, side, options, taken)| JournalMove::Choice {
                question,
                side,
                options,
                taken
            }),
    ]
}

/// The dice of a seed are the same on every machine and in every version, as journals rely on it.
#[test]
fn seed_1_throws_these_dice_for_ever() {
    let mut stream = SeededDice::new(1);
    let die = Dice::new(1, 6, 0);
    let mut throw =
        |purpose: &str| die.total(&stream.throw(&die, purpose).expect("a seed always throws"));
    let attack: Vec<i64> = (0..20).map(|_| throw("attack")).collect();
    let losses: Vec<i64> = (0..20).map(|_| throw("losses")).collect();
    assert_eq!(attack, GOLDEN_ATTACK);
    assert_eq!(losses, GOLDEN_LOSSES);
    let twenty = Dice::new(5, 20, 2);
    assert_eq!(
        SeededDice::new(u64::MAX)
            .throw(&twenty, "")
            .expect("a seed always throws"),
        GOLDEN_TWENTY
    );
}

// Computed outside the engine, from the published descriptions of FNV-1a, SplitMix64 and PCG-XSH-RR 64/32.
const GOLDEN_ATTACK: [i64; 20] = [1, 1, 1, 3, 6, 3, 6, 1, 5, 5, 1, 3, 3, 1, 5, 1, 3, 3, 5, 6];
const GOLDEN_LOSSES: [i64; 20] = [6, 1, 3, 4, 1, 1, 4, 3, 6, 4, 2, 4, 5, 1, 2, 3, 6, 4, 4, 5];
const GOLDEN_TWENTY: [u32; 5] = [8, 20, 12, 6, 5];

#[derive(Clone, Debug)]
struct Corruption {
    file: prop::sample::Index,
    position: prop::sample::Index,
    deleted: usize,
    insertion: String,
}

fn any_corruption() -> impl Strategy<Value = Corruption> {
    let insertion = prop_oneof![
        Just(String::new()),
        "[ \\n\"'{}\\[\\](),:;#&*|>?!%@`~=<+/.-]{1,3}",
        "-?[0-9]{1,20}",
        "\\PC{1,5}",
        prop::sample::select(vec![
            "prior()",
            "pieces()",
            "piece(\"Red foot\")",
            "while true {}",
            "fn x() {}",
            "private ",
            "//! ",
            "/// with: winter\n",
            "return;",
            "()",
            "#{}",
            "[]",
            "[0][9]",
            "roll(\"100d1000\", \"x\")",
            "chance(|| roll(\"6d6\", \"x\"), 9)",
            "setup(\"bridge\")",
            "kind: revision",
            "replaces: [attack]",
            "reinstates: skirmish",
            "?",
            "missing",
            "\"1-\"",
            "\"..\"",
            "\t",
            "\r\n",
            "\u{0}",
            "\u{feff}",
            "&a ",
            "*a",
            "<<: ",
            "!!int ",
            "---\n",
            "...\n",
        ])
        .prop_map(String::from),
    ];
    (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0usize..30,
        insertion,
    )
        .prop_map(|(file, at, cut, insertion)| Corruption {
            file,
            position: at,
            deleted: cut,
            insertion,
        })
}

/// Cuts a piece out of a text, and puts another there.
fn corrupt(text: &str, corruption: &Corruption) -> String {
    let letters: Vec<char> = text.chars().collect();
    let at = corruption.position.index(letters.len() + 1);
    let end = (at + corruption.deleted).min(letters.len());
    [
        &letters[..at].iter().collect::<String>(),
        &corruption.insertion,
        &letters[end..].iter().collect::<String>(),
    ]
    .map(String::as_str)
    .concat()
}

/// A game with corrupted files is reported or played, and never panics.
#[test]
fn corrupted_files_never_panic() {
    let all_files = skirmish();
    let test = move || {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 400,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        runner
            .run(
                &prop::collection::vec(any_corruption(), 1..4),
                |corruptions| {
                    let mut files = all_files.clone();
                    for corruption in &corruptions {
                        let file = files
                            .by_key
                            .values_mut()
                            .nth(corruption.file.index(all_files.by_key.len()))
                            .expect("an index among the files");
                        file.text = corrupt(&file.text, corruption).into();
                    }
                    let library = Arc::new(Library::new(files));
                    let complaints = check(&library, &|_| true);
                    let _ = complaints.render(false);
                    for with in [vec![], vec!["errata".to_string(), "winter".to_string()]] {
                        let spec = RulesetSpec::with_variants("skirmish", with);
                        let Ok(situation) = Situation::load(&library, &spec, "bridge") else {
                            continue;
                        };
                        match resolve::resolve(
                            &mut situation.machine(),
                            &situation,
                            ResolveRequest {
                                trace: true,
                                ..ResolveRequest::default()
                            },
                        ) {
                            Ok(ran) => drop(ran.ruling.render(false)),
                            Err(error) => drop(error.to_string()),
                        }
                    }
                    let _ = casebook::testing::suite::run(
                        &library,
                        "skirmish",
                        "",
                        &mut |_| false,
                        |_| (),
                        None,
                    );
                    Ok(())
                },
            )
            .unwrap_or_else(|error| panic!("{error}"));
    };
    // The binary gives the engine a thread with room for deep calls, and so does this.
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(test)
        .expect("a thread can be started");
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}
