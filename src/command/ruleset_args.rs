//! Arguments that select the ruleset, the dice and the parts of the output.

use crate::command::arg_parsers::{option, pair};
#[cfg(feature = "vassal")]
use crate::command::vassal_args::VassalArgs;
use crate::complaint::{Error, nearest_names};
use crate::data::library::{InForce, Library};
use crate::notation::Face;
use crate::odds::rounds::MAX_ROUNDS;
use crate::ruleset::compose::RulesetSpec;
use crate::ruleset::spec::RulesetChoices;
use crate::situation::overrides::Overrides;
use crate::usecase::settings::{DiceSource, SituationSettings};
use clap::Args;

/// How one ruling is played.
#[derive(Args)]
pub struct DiceArgs {
    /// The seed of the dice
    #[arg(long, value_parser = whole::<u64>, default_value_t = 1, conflicts_with = "dice")]
    pub seed: u64,
    /// Your own dice, one by one, in order: 3,5,2
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true, value_name = "FACES")]
    pub dice: Option<Vec<Face>>,
    /// An answer to a choice: 'Red: bid=2'; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
    pub choose: Vec<(String, String)>,
    /// Refuse reconstructed figures
    #[arg(long)]
    pub strict: bool,
}

impl DiceArgs {
    /// Returns the answers to choices, and whether reconstructed figures are refused.
    pub fn settings(&self) -> SituationSettings {
        SituationSettings { choices: self.choose.clone(), strict: self.strict, ..SituationSettings::default() }
    }

    /// Returns the dice.
    pub fn source(&self) -> DiceSource {
        DiceSource::new(self.seed, self.dice.as_deref())
    }
}

/// What is set by hand in a situation.
#[derive(Args, Clone, Default)]
pub struct SetArgs {
    /// Set a figure of the situation: 'Red guard: size=5', 'track: turn=4', 'given: side=Red'; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHAT: FIGURE=VALUE")]
    pub set: Vec<(String, String)>,
    #[cfg(feature = "vassal")]
    #[command(flatten)]
    pub vassal: VassalArgs,
}

impl SetArgs {
    /// Parses the overrides.
    pub fn overrides(&self) -> Result<Overrides, Error> {
        Overrides::parse_all(&self.set)
    }
}

/// Over what odds are counted.
#[derive(Args, Clone, Default)]
pub struct OverArgs {
    /// Print the odds for several values of one figure: 'Red guard: size=1..20', or a list: 2,4,8
    #[arg(long, value_parser = pair, value_name = "WHAT: FIGURE=VALUES", conflicts_with_all = ["given", "joint", "matrix", "by", "after", "runs"])]
    pub sweep: Option<(String, String)>,
    /// In a game with a sequence of play, count this many rounds, including the current one
    #[arg(long, value_name = "N", value_parser = rounds, conflicts_with_all = ["given", "joint", "matrix", "measure", "by", "after", "runs", "sweep"])]
    pub rounds: Option<u64>,
}

/// Parses a number of rounds.
fn rounds(text: &str) -> Result<u64, String> {
    let in_range = |rounds: &u64| (1..=MAX_ROUNDS).contains(rounds);
    whole(text).ok().filter(in_range).ok_or_else(|| format!("write a whole number from 1 to {MAX_ROUNDS}, not `{text}`"))
}

/// How much of an answer is printed.
#[derive(Args, Clone, Default)]
pub struct OutputArgs {
    /// Print only this outcome, or this part of a ruling; a part of its name will do; may be repeated
    #[arg(long, value_name = "OUTCOME")]
    pub only: Vec<String>,
    /// Print only the outcomes, one line each
    #[arg(long)]
    pub brief: bool,
    /// List every default choice, reading, reconstructed figure and case behind the result
    #[arg(long)]
    pub sources: bool,
}

impl OutputArgs {
    /// Returns whether a name is requested.
    pub fn includes(&self, name: &str) -> bool {
        let asked = |only: &String| name.to_lowercase().contains(&only.trim().to_lowercase());
        self.only.is_empty() || self.only.iter().any(asked)
    }

    /// Fails on a requested name that does not occur in `names`.
    pub fn check_names(&self, names: &[String]) -> Result<(), Error> {
        let alone = |only: &String| OutputArgs { only: vec![only.clone()], ..OutputArgs::default() };
        match self.only.iter().find(|only| !names.iter().any(|name| alone(only).includes(name))) {
            None => Ok(()),
            Some(only) => {
                let mut all = nearest_names(only, names.iter().map(String::as_str));
                if all.is_empty() {
                    all = names.to_vec();
                }
                Err(Error::Unknown { what: "outcome or part of it", name: only.clone(), suggestions: all })
            }
        }
    }
}

#[derive(Args, Clone, Default)]
pub struct RulesetArgs {
    /// Variants in force: hardy,dye; '' for none [default: what the situation names]
    #[arg(long, value_delimiter = ',', value_name = "VARIANTS")]
    pub with: Option<Vec<String>>,
    /// An option of a variant: errata.frost=off; may be repeated
    #[arg(long, value_parser = option, value_name = "NAME=on|off")]
    pub option: Vec<(String, bool)>,
    /// A reading of a doubtful case: 8.16.remainder=even; may be repeated
    #[arg(long, value_parser = pair, value_name = "CASE.NAME=WAY")]
    pub reading: Vec<(String, String)>,
    /// The game, if there are several
    #[arg(long, default_value = "", hide_default_value = true)]
    pub game: String,
}

impl RulesetArgs {
    /// Returns what the arguments settle of the rules in force.
    pub fn choices(&self) -> RulesetChoices {
        RulesetChoices { variants: self.with.clone(), options: self.option.clone(), readings: self.reading.clone() }
    }

    /// Returns the ruleset spec: the arguments, otherwise what the situation names.
    pub fn spec(&self, library: &Library, game: &str, asked: InForce) -> RulesetSpec {
        self.choices().spec(library, game, asked)
    }
}

/// Parses a non-negative integer.
pub fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("write a whole number from 0 up that is not too large, not `{text}`"))
}
