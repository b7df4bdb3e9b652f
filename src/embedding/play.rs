//! A procedure played step by step by a program.

use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::notation::Face;
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::resolve::Ruling;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::value_text::value_text;
use std::sync::Arc;

/// What a procedure waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asked {
    /// A throw of dice.
    Throw {
        /// The dice, such as `2d6`.
        dice: String,
        /// The number of dice.
        count: u32,
        /// The number of sides of each.
        sides: u32,
        /// What they show, if not the numbers from 1 on.
        faces: Vec<Face>,
        /// The purpose of the throw.
        purpose: String,
    },
    /// A choice.
    Choice {
        /// The side that chooses; empty if no side is named.
        side: String,
        /// The question.
        question: String,
        /// The options.
        options: Vec<String>,
        /// What the rules say about each option; empty if they say nothing.
        notes: Vec<String>,
    },
    /// Nothing: the procedure has ended, or a rule has refused it.
    Nothing,
}

/// A procedure played step by step: it stops at each throw and choice until it is answered, and each answer can be taken back.
///
/// ```
/// use casebook::{Asked, Library, Play, RulesetSpec, Situation};
///
/// let library = casebook::open("tests/skirmish".as_ref())?;
/// let (first, _) = &library.scenarios("skirmish")[0];
/// let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), first)?;
/// let mut play = Play::begin(situation, 7)?;
/// loop {
///     match play.asked() {
///         Asked::Throw { .. } => play.roll()?,
///         Asked::Choice { options, .. } => play.choose(options.last().expect("a choice has options"))?,
///         _ => break,
///     }
/// }
/// assert!(!play.ruling().results.is_empty());
///
/// // Another throw of the last dice, and the odds of what is still to come.
/// while !matches!(play.asked(), Asked::Throw { .. }) && play.undo() {}
/// assert!(casebook::odds(&play.remaining(), std::time::Duration::from_secs(10))?.is_complete());
/// play.throw(&[6])?;
///
/// // A journal is a text from which the game goes on, here or in `casebook play`.
/// let again = Play::from_journal(&library, &play.journal())?;
/// assert_eq!(again.asked(), play.asked());
/// # Ok::<(), casebook::Error>(())
/// ```
pub struct Play {
    session: Session,
    seed: Option<u64>,
    overrides: Overrides,
}

impl Play {
    /// Begins the procedure of a situation. [`Play::roll`] draws from the seed.
    pub fn begin(situation: Situation, seed: u64) -> Result<Play, Error> {
        let overrides = Overrides::parse_all(&situation.scenario.set)?;
        Ok(Play {
            session: Session::begin(situation, seed, false)?,
            seed: Some(seed),
            overrides,
        })
    }

    /// Returns the game where the text of a journal left it. A journal that doesn't fit the rules says at which move;
    /// one that is committed to dice goes on only where their secret is.
    pub fn from_journal(library: &Arc<Library>, journal: &str) -> Result<Play, Error> {
        let (journal, places) = Journal::parse("(journal)", journal)?;
        journal.require_dice("(journal)")?;
        Ok(Play {
            session: journal.play_back(library, &places, false)?,
            seed: journal.seed,
            overrides: journal.overrides,
        })
    }

    /// Returns what the procedure waits for.
    pub fn asked(&self) -> Asked {
        match self.session.waiting_for() {
            WaitingFor::Throw(throw) => Asked::Throw {
                dice: throw.notation.to_string(),
                count: throw.dice.dice_count(),
                sides: throw.dice.sides,
                faces: throw.dice.own_faces(),
                purpose: throw.purpose.to_string(),
            },
            WaitingFor::Choice(choice) => Asked::Choice {
                side: choice.side.to_string(),
                question: choice.question.to_string(),
                options: choice
                    .options
                    .iter()
                    .map(|option| value_text(option, self.session.board()))
                    .collect(),
                notes: self.session.notes(choice).options,
            },
            WaitingFor::Finished(_) => Asked::Nothing,
        }
    }

    /// Throws the dice from the seed.
    pub fn roll(&mut self) -> Result<(), Error> {
        self.session.roll()
    }

    /// Answers a throw with the face of each die.
    pub fn throw<F: Into<Face> + Clone>(&mut self, faces: &[F]) -> Result<(), Error> {
        self.session
            .enter_faces(&faces.iter().cloned().map(F::into).collect::<Vec<_>>())
    }

    /// Answers a choice with the name of an option.
    pub fn choose(&mut self, option: &str) -> Result<(), Error> {
        self.session.choose(self.session.find_option(option)?)
    }

    /// Takes the last answer back; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.session.undo()
    }

    /// Returns the ruling so far.
    pub fn ruling(&self) -> Ruling {
        self.session.ruling()
    }

    /// Returns what is still to come as a situation, for its odds.
    pub fn remaining(&self) -> Situation {
        self.session.remaining()
    }

    /// Returns the journal: the rules in force, and every throw and choice so far.
    pub fn journal(&self) -> String {
        let situation = &self.session.situation;
        let results = self.session.is_over().then(|| self.ruling().results);
        let journal = Journal::new(
            &situation.scenario.name,
            &situation.ruleset().spec,
            self.seed,
            self.session.moves(),
            results.as_ref(),
        );
        journal.with_overrides(&self.overrides).to_yaml()
    }
}
