//! Arguments of rules, dice, changed figures and output, which more than one subcommand has.

use crate::command::arg_parsers::{face, option, pair, whole};
use casebook_analysis::odds::assumptions::Assumptions;
use casebook_analysis::usecase::settings::{DiceSource, SituationSettings};
use casebook_engine::complaint::{Error, nearest_names};
use casebook_engine::data::library::{InForce, Library};
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::diagnostics::build_ruleset;
use casebook_engine::ruleset::spec::RulesetChoices;
use casebook_engine::ruling::resolve::ResolveRequest;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::overrides::Overrides;
use clap::Args;
#[cfg(feature = "vassal")]
use std::path::PathBuf;
use std::sync::Arc;

/// How one ruling is played.
#[derive(Args, Default)]
pub struct DiceArgs {
    /// The seed of the dice
    #[arg(long, value_parser = whole::<u64>, default_value_t = 1, conflicts_with = "dice")]
    pub seed: u64,
    /// Your own dice, one by one, in order: 3,5,2
    #[arg(long, value_delimiter = ',', value_parser = face, allow_negative_numbers = true, value_name = "FACES")]
    pub dice: Option<Vec<Face>>,
    /// An answer to a choice: 'Red: bid=2'; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
    pub choose: Vec<(String, String)>,
    /// Refuse reconstructed figures
    #[arg(long)]
    pub strict: bool,
}

impl DiceArgs {
    /// Returns the dice.
    pub fn source(&self) -> DiceSource {
        DiceSource::new(self.seed, self.dice.as_deref())
    }

    /// Builds the request for the resolver.
    pub fn request(&self) -> ResolveRequest {
        let settings = SituationSettings {
            choices: self.choose.clone(),
            strict: self.strict,
            ..SituationSettings::default()
        };
        settings.request(&self.source(), Arc::default())
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

/// How a saved game of VASSAL is read.
#[cfg(feature = "vassal")]
#[derive(Args, Clone, Default)]
pub struct VassalArgs {
    /// Of a saved game of VASSAL: its module, a .vmod file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    pub module: Option<PathBuf>,
    /// Of a saved game of VASSAL: the map of its module, as `new map` writes it [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Of a saved game of VASSAL: whose hidden pieces are read, as VASSAL knows the owner; others stay hidden
    #[arg(
        long,
        value_name = "OWNER",
        default_value = "",
        hide_default_value = true
    )]
    pub seen_by: String,
    /// Of a log of VASSAL: the position after so many of its steps [default: after all of them]
    #[arg(long, value_name = "NUMBER")]
    pub step: Option<usize>,
    /// The saved game that was read in place of a situation.
    #[arg(skip)]
    pub file: Option<PathBuf>,
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
    /// Renders what odds rest on: all with `--sources`, nothing with `--brief`, else one line.
    pub fn render_footer(&self, assumed: &Assumptions, page: TerminalPage) -> String {
        match (self.sources, self.brief) {
            (true, _) => assumed.render(page),
            (false, true) => String::new(),
            (false, false) => assumed.render_line(page),
        }
    }

    /// Returns whether a name is requested.
    pub fn includes(&self, name: &str) -> bool {
        let is_requested =
            |only: &String| name.to_lowercase().contains(&only.trim().to_lowercase());
        self.only.is_empty() || self.only.iter().any(is_requested)
    }

    /// Fails on a requested name that does not occur in `names`.
    pub fn check_names(&self, names: &[String]) -> Result<(), Error> {
        let only_args = |only: &String| OutputArgs {
            only: vec![only.clone()],
            ..OutputArgs::default()
        };
        let is_unknown = |only: &&String| !names.iter().any(|name| only_args(only).includes(name));
        let Some(only) = self.only.iter().find(is_unknown) else {
            return Ok(());
        };
        let near = nearest_names(only, names.iter().map(String::as_str));
        let suggestions = if near.is_empty() {
            names.to_vec()
        } else {
            near
        };
        Err(Error::Unknown {
            kind: "outcome or part of it",
            name: only.clone(),
            suggestions,
        })
    }
}

#[derive(Args, Clone, Default)]
pub struct RulesetArgs {
    /// Variants in force, with options and readings if need be: hardy,dye,dye.navy=off; '' for none [default: what the situation names]
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
        let RulesetArgs {
            with,
            option,
            reading,
            ..
        } = self.sorted();
        RulesetChoices {
            variants: with,
            options: option,
            readings: reading,
        }
    }

    /// Returns the arguments with the options and readings that stand in `--with` among the others.
    pub fn sorted(&self) -> RulesetArgs {
        let Some(words) = &self.with else {
            return self.clone();
        };
        let parsed = RulesetChoices::parse(&words.join(","));
        RulesetArgs {
            with: parsed.variants,
            option: parsed
                .options
                .into_iter()
                .chain(self.option.clone())
                .collect(),
            reading: parsed
                .readings
                .into_iter()
                .chain(self.reading.clone())
                .collect(),
            game: self.game.clone(),
        }
    }

    /// Returns the ruleset spec: the arguments, otherwise what the situation names.
    pub fn spec(&self, library: &Library, game: &str, in_force: InForce) -> RulesetSpec {
        let spec = self.choices().spec(library, game, in_force);
        note_unasked_readings(library, &spec);
        spec
    }
}

/// Notes the readings that a spec chooses and no case in force asks for.
pub fn note_unasked_readings(library: &Library, spec: &RulesetSpec) {
    if spec.readings.is_empty() {
        return;
    }
    // What can't be built is reported by the command.
    let Ok((ruleset, _)) = build_ruleset(&Arc::new(library.clone()), spec) else {
        return;
    };
    if let Some(note) = ruleset.unasked_note() {
        eprintln!("note: {note} under {}", ruleset.title());
    }
}
