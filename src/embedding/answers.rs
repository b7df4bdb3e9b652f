//! Answers to the throws and choices of a procedure, as a program gives them.

use casebook_analysis::compare::view::Comparison;
use casebook_analysis::odds::best_play::OutcomeRange;
use casebook_analysis::odds::distribution::Odds;
use casebook_analysis::usecase::compare::{RulesetComparison, ViewPairs, compare, comparison};
use casebook_analysis::usecase::odds::chance_ranges;
use casebook_analysis::usecase::play_on::weigher;
use casebook_analysis::usecase::settings::{CountLimits, DiceSource, SituationSettings};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::notation::{Dice, Face};
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::resolve::{ResolveRequest, Ruling, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::{DiceStream, NoThrow};
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::policy::{Policies, PolicyKind, ProgramPolicy};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Who answers the throws and choices of a procedure: dice, answers to single choices, and policies for all others.
///
/// ```
/// use casebook::{Answers, Library, RulesetSpec, Situation};
/// use std::time::Duration;
///
/// let library = casebook::open("tests/skirmish".as_ref())?;
/// let (first, _) = &library.scenarios("skirmish")[0];
/// let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), first)?;
///
/// // The dice that fell on your table, a decision of one side, and a policy for the others.
/// let answers = Answers::new().dice(&[4]).choose("Blue: first to lose", "highest").policy("all", "last");
/// let ruling = answers.resolve(&situation)?;
/// assert_eq!(ruling.dice, [("attack".to_string(), vec![4.into()])]);
/// assert!(ruling.unasked.is_empty(), "nothing was left to the option offered first");
///
/// // The odds are of all dice that can fall.
/// assert!(answers.odds(&situation, Duration::from_secs(10))?.is_complete());
/// # Ok::<(), casebook::Error>(())
/// ```
pub struct Answers {
    settings: SituationSettings,
    dice: AnswerDice,
    own_policy: Option<ProgramPolicy>,
}

/// A program's own dice: the faces of a throw for a purpose.
type ThrowFunction = dyn Fn(&Dice, &str) -> Vec<u32>;

/// The source of dice.
enum AnswerDice {
    Given(DiceSource),
    Own(Arc<ThrowFunction>),
}

impl Default for Answers {
    fn default() -> Answers {
        Answers {
            settings: SituationSettings::default(),
            dice: AnswerDice::Given(DiceSource::Seed(1)),
            own_policy: None,
        }
    }
}

impl Answers {
    /// Creates answers that throw the dice of seed 1, and leave each choice to the situation, else to its first option.
    pub fn new() -> Answers {
        Answers::default()
    }

    /// Throws the dice of a seed: the same on every machine and in every version.
    pub fn seed(self, seed: u64) -> Answers {
        Answers {
            dice: AnswerDice::Given(DiceSource::Seed(seed)),
            ..self
        }
    }

    /// Throws dice that fell on a table: one face for each die, in the order they are thrown.
    pub fn dice<F: Into<Face> + Clone>(self, faces: &[F]) -> Answers {
        Answers {
            dice: AnswerDice::Given(DiceSource::Faces(
                faces.iter().cloned().map(F::into).collect(),
            )),
            ..self
        }
    }

    /// Throws a program's own dice. The function gets the dice and their purpose, and returns the side that each shows, from 1. For dice that
    /// are thrown again it is called again, with their number.
    ///
    /// ```
    /// use casebook::{Answers, Library, RulesetSpec, Situation};
    ///
    /// let library = casebook::open("tests/skirmish".as_ref())?;
    /// let (first, _) = &library.scenarios("skirmish")[0];
    /// let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), first)?;
    /// let loaded = Answers::new().throw_with(|dice, _purpose| vec![dice.sides; dice.count as usize]);
    /// assert_eq!(loaded.resolve(&situation)?.dice, [("attack".to_string(), vec![6.into()])]);
    /// # Ok::<(), casebook::Error>(())
    /// ```
    pub fn throw_with(self, throw: impl Fn(&Dice, &str) -> Vec<u32> + 'static) -> Answers {
        Answers {
            dice: AnswerDice::Own(Arc::new(throw)),
            ..self
        }
    }

    /// Answers a choice by the name of an option. The question is `SIDE: QUESTION`, or the question alone for every side.
    pub fn choose(mut self, question: &str, option: &str) -> Answers {
        self.settings.choices.push((question.into(), option.into()));
        self
    }

    /// Answers all other choices of a side, or of `all` sides: `first`, `last`, `highest`, `lowest`, `random`, a style of the game, a closure
    /// such as `|what, options| options[0]`; for odds also `best` and `worst` of a [measure](Answers::measure); for [ranges](Answers::ranges)
    /// also `all`. A style that plays on does so in rulings, which then take seconds; in odds it takes its answers.
    pub fn policy(mut self, side: &str, policy: &str) -> Answers {
        self.settings.policies.push((side.into(), policy.into()));
        self
    }

    /// Answers all other choices by a program's own policy. The function gets the side, the question and the options, and returns the index
    /// of one, or `None` to leave the choice to [`Answers::policy`]. Equal questions must get equal answers, for the odds count each once.
    ///
    /// ```
    /// use casebook::{Answers, Library, RulesetSpec, Situation};
    /// use std::time::Duration;
    ///
    /// let library = casebook::open("tests/skirmish".as_ref())?;
    /// let (first, _) = &library.scenarios("skirmish")[0];
    /// let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), first)?;
    /// let careful = Answers::new().decide_with(|_side, _question, options| options.iter().position(|option| option.contains("wagon")));
    /// assert!(careful.resolve(&situation)?.unused_answers.is_empty());
    /// assert!(careful.odds(&situation, Duration::from_secs(10))?.is_complete());
    /// # Ok::<(), casebook::Error>(())
    /// ```
    pub fn decide_with(
        self,
        decide: impl Fn(&str, &str, &[String]) -> Option<usize> + Send + Sync + 'static,
    ) -> Answers {
        Answers {
            own_policy: Some(ProgramPolicy(Arc::new(decide))),
            ..self
        }
    }

    /// Sets what the policies `best` and `worst` look at: an outcome, or a sum such as `attacker losses - defender losses`.
    pub fn measure(mut self, measure: &str) -> Answers {
        self.settings.measure = Some(measure.into());
        self
    }

    /// Refuses what rests on reconstructed figures.
    pub fn strict(mut self) -> Answers {
        self.settings.strict = true;
        self
    }

    /// Resolves the procedure of a situation, as [`resolve`](fn@crate::resolve) does.
    pub fn resolve(&self, situation: &Situation) -> Result<Ruling, Error> {
        let policies = self.policies_for(situation)?;
        let weigher = weigher(situation, &policies);
        let request = match &self.dice {
            AnswerDice::Given(dice) => self.settings.request(dice, policies),
            AnswerDice::Own(throw) => ResolveRequest {
                stream: Box::new(ProgramDice(throw.clone())),
                dice_from: "dice of the program".into(),
                ..self.settings.request(&DiceSource::Seed(1), policies)
            },
        };
        let request = ResolveRequest { weigher, ..request };
        resolve(&mut situation.machine(), situation, request).map(|resolved| resolved.ruling)
    }

    /// Counts the exact odds of a situation's procedure, as [`odds`](fn@crate::odds) does. The dice don't matter. Under the policy `all` a
    /// chance is no number but a range, so it fails: see [`Answers::ranges`].
    pub fn odds(&self, situation: &Situation, time: Duration) -> Result<Odds, Error> {
        let name = &situation.scenario.name;
        self.with_comparison(
            &situation.ruleset().library,
            name,
            self.policies_for(situation)?,
            time,
            |question| Ok(question.count_odds(situation, question.deadline)?.0),
        )
    }

    /// Counts, for a policy `all`, between what the chances of every outcome lie, however those sides choose. The other policies hold as
    /// they do for odds. Needs a complete count.
    ///
    /// ```
    /// use casebook::{Answers, Library, RulesetSpec, Situation};
    /// use std::time::Duration;
    ///
    /// let library = casebook::open("tests/skirmish".as_ref())?;
    /// let (first, _) = &library.scenarios("skirmish")[0];
    /// let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), first)?;
    /// let ranges = Answers::new().policy("all", "all").ranges(&situation, Duration::from_secs(10))?;
    /// for range in ranges.iter().flat_map(|range| &range.values) {
    ///     assert!(range.low.to_f64() <= range.high.to_f64(), "{}", range.value);
    /// }
    /// # Ok::<(), casebook::Error>(())
    /// ```
    pub fn ranges(
        &self,
        situation: &Situation,
        time: Duration,
    ) -> Result<Vec<OutcomeRange>, Error> {
        let (policies, stop) = (self.policies_for(situation)?, AtomicBool::new(false));
        chance_ranges(
            situation,
            &self.settings,
            policies,
            CountLimits::new(time, &stop),
        )
    }

    /// Compares a situation under rulesets, as [`compare`](fn@crate::compare) does. Under the policy `all` it fails: compare the
    /// [ranges](Answers::ranges) of each ruleset.
    pub fn compare<'a>(
        &self,
        library: &Arc<Library>,
        situation: &str,
        rulesets: impl IntoIterator<Item = &'a RulesetSpec>,
        time: Duration,
    ) -> Result<RulesetComparison, Error> {
        let load = |spec| Ok((None, Situation::load(library, spec, situation)?));
        let loaded = rulesets
            .into_iter()
            .map(load)
            .collect::<Result<Vec<_>, Error>>()?;
        let [(_, first_situation), _, ..] = &loaded[..] else {
            return Err(Error::Usage(
                "a comparison is of two rulesets or more".into(),
            ));
        };
        let policies = self.policies_for(first_situation)?;
        self.with_comparison(library, situation, policies, time, |question| {
            compare(question, loaded, ViewPairs::Neighbours, true)
        })
    }

    fn policies_for(&self, situation: &Situation) -> Result<Arc<Policies>, Error> {
        let mut policies = Policies::parse(&self.settings.policies, &situation.ruleset().game)?;
        policies.program = self.own_policy.clone();
        Ok(Arc::new(policies))
    }

    /// Asks about a situation by name.
    fn with_comparison<T>(
        &self,
        library: &Arc<Library>,
        name: &str,
        policies: Arc<Policies>,
        time: Duration,
        run: impl FnOnce(&Comparison) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if policies.any(|kind| *kind == PolicyKind::All) {
            return Err(Error::Usage(
                "under `all` a chance is a range, not a number: call `Answers::ranges`, for each ruleset that you compare".into(),
            ));
        }
        let (measure, overrides, stop) = (
            self.settings.measure()?,
            Overrides::default(),
            AtomicBool::new(false),
        );
        let limits = CountLimits::new(time, &stop);
        run(&comparison(
            library,
            (name, &overrides),
            &self.settings,
            (policies, measure.as_ref()),
            limits,
        ))
    }
}

/// Dice that a program throws.
struct ProgramDice(Arc<ThrowFunction>);

impl DiceStream for ProgramDice {
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Vec<u32>, NoThrow> {
        let mut thrown: Vec<u32> = Vec::new();
        while let next @ [first, ..] = &dice.next_dice(&thrown)[..] {
            // Dice of several kinds are asked for kind by kind.
            let count = next.iter().take_while(|sides| *sides == first).count();
            let kind = Dice {
                count: count as u32,
                sides: *first,
                others: Vec::new(),
                ..dice.clone()
            };
            let shown = (self.0)(&kind, purpose);
            if shown.len() != count {
                return Err(NoThrow::Miscounted {
                    given: shown.len(),
                    wanted: count,
                });
            }
            for (side, position) in shown.into_iter().zip(thrown.len() + 1..) {
                if !(1..=*first).contains(&side) || dice.is_draw() && thrown.contains(&side) {
                    return Err(NoThrow::InvalidFace {
                        face: side.into(),
                        position,
                        sides: *first,
                    });
                }
                thrown.push(side);
            }
        }
        Ok(thrown)
    }
}
