//! The faults that trial games found, as text and as data, and the files that show them.

use crate::trial::trial_games::{FaultyGame, TrialFaultKind, TrialLimits, TrialResult};
use crate::trial::witness::{FaultWitness, find_witness};
use casebook_engine::complaint::{Complaint, Error, counted};
use casebook_engine::data::library::Library;
use casebook_engine::data::transaction::{never_replace, write_atomic};
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::terminal_page::TerminalPage;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// The maximum number of faults for which the smallest situation is searched.
const MAX_WITNESSES: usize = 20;

/// A fault with what shows it.
pub struct FoundFault {
    /// The first game with the fault.
    pub game: FaultyGame,
    /// The file that shows it, if there was time to make one.
    pub witness: Option<FaultWitness>,
}

/// Finds a file that shows each fault, as far as there is time.
pub fn find_witnesses(
    library: &Arc<Library>,
    result: &TrialResult,
    limits: TrialLimits,
) -> Vec<FoundFault> {
    let mut faults = Vec::new();
    for (number, game) in result.faults.values().enumerate() {
        let time_share = limits.end.saturating_duration_since(Instant::now())
            / (result.faults.len() - number) as u32;
        let own_limits = TrialLimits {
            end: Instant::now() + time_share,
            ..limits
        };
        let name = format!(
            "fault-{}-{}",
            number + 1,
            game.kind().as_str().replace(' ', "-")
        );
        let sought = number < MAX_WITNESSES && !game.situation.is_empty();
        let witness = if sought {
            find_witness(library, game, &name, own_limits)
        } else {
            None
        };
        faults.push(FoundFault {
            game: game.clone(),
            witness,
        });
    }
    faults
}

/// Writes the files that show faults into a data folder: situations into `scenarios/GAME`, journals next to it.
pub fn save_witnesses(faults: &mut [FoundFault], folder: &Path) -> Result<(), Error> {
    for fault in faults {
        let Some(witness) = &mut fault.witness else {
            continue;
        };
        let file = format!("{}.yaml", witness.name);
        let path = if witness.is_situation {
            folder
                .join("scenarios")
                .join(&fault.game.spec.game)
                .join(file)
        } else {
            folder.join(file)
        };
        write_atomic(&path, witness.yaml.clone(), never_replace)?;
        witness.path = Some(path.display().to_string());
    }
    Ok(())
}

/// Describes the ruleset of a faulty game.
fn ruleset_words(game: &FaultyGame) -> String {
    let spec = &game.spec;
    let settings = [&spec.variants[..], &spec.switches()].concat();
    if settings.is_empty() {
        spec.game.clone()
    } else {
        format!("{}, {}", spec.game, settings.join(","))
    }
}

/// Renders what was tried and found.
pub fn render_faults(result: &TrialResult, found: &[FoundFault], colour: bool) -> String {
    let page = TerminalPage::new(colour);
    let mut out = String::new();
    for fault in found {
        let game = &fault.game;
        let heading = format!(
            "{} [{}]: {}",
            game.kind().as_str(),
            game.complaint.code,
            game.complaint.message
        );
        let _ = writeln!(out, "{}", page.paint("1", &heading));
        let line = game
            .complaint
            .place
            .span
            .map_or(String::new(), |span| format!(":{}", span.line));
        let times = if game.times == 1 {
            "once".to_string()
        } else {
            format!("in {} games", game.times)
        };
        let occurrence = match game.situation.is_empty() {
            true => format!("{times}, under {}", ruleset_words(game)),
            false => format!(
                "{times}, first in {} (seed {}) under {}",
                game.situation,
                game.seed,
                ruleset_words(game)
            ),
        };
        out.push_str(&page.line(
            &format!("{}{line}, {occurrence}", game.complaint.place.path),
            &[],
        ));
        if !game.during.is_empty() {
            out.push_str(&page.line(game.during.trim_end_matches([':', ' ']), &[]));
        }
        if let Some(help) = Some(page.worded(&game.complaint).help).filter(|help| !help.is_empty())
        {
            out.push_str(&page.line(&format!("help: {help}"), &[]));
        }
        if let Some(witness) = &fault.witness {
            let size = if witness.is_situation {
                format!(
                    "{} of {} pieces are left",
                    witness.pieces, witness.pieces_before
                )
            } else {
                "the whole journal, as the procedure alone does not show it".into()
            };
            let path_text = witness.path.as_deref().unwrap_or("--save DIR writes it");
            let smallest = if witness.is_smallest || !witness.is_situation {
                ""
            } else {
                ", more might be dropped with more time"
            };
            out.push_str(&page.line(
                &format!(
                    "casebook {}: {size}{smallest} ({path_text})",
                    witness.command
                ),
                &[],
            ));
        }
        out.push('\n');
    }
    let late = if result.late > 0 {
        format!("; {} took too long to be judged", result.late)
    } else {
        String::new()
    };
    let faults = match found.iter().filter(|fault| fault.game.is_error()).count() {
        0 => "no fault was found".to_string(),
        1 => "1 fault was found".to_string(),
        count => format!("{count} faults were found"),
    };
    let missing = match found.iter().filter(|fault| !fault.game.is_error()).count() {
        0 => String::new(),
        1 => ", and 1 place that needs a missing figure,".into(),
        count => format!(", and {count} places that need a missing figure,"),
    };
    let _ = writeln!(
        out,
        "{faults}{missing} in {} under {}{late}",
        counted(result.games, "game"),
        counted(result.rulesets, "ruleset")
    );
    out
}

/// What was tried and found.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "check_play")]
pub struct TrialReport<'a> {
    /// How many games were played.
    pub games: u64,
    /// Under how many rulesets.
    pub rulesets: u64,
    /// How many games took too long to be judged.
    pub late: u64,
    /// The faults, each once.
    pub faults: Vec<FaultReport<'a>>,
}

/// A fault, with the first game that has it.
#[derive(Serialize, JsonSchema)]
pub struct FaultReport<'a> {
    /// Its kind.
    pub kind: TrialFaultKind,
    /// What went wrong.
    pub complaint: &'a Complaint,
    /// The number of games with the same fault.
    pub times: u64,
    /// The game.
    pub game: &'a str,
    /// The variants in force.
    pub variants: &'a [String],
    /// The options set otherwise than their variants say.
    pub options: BTreeMap<&'a str, bool>,
    /// The readings chosen otherwise than by default.
    pub readings: BTreeMap<&'a str, &'a str>,
    /// The situation that it began with.
    pub situation: &'a str,
    /// The seed.
    pub seed: u64,
    /// Round, phase and procedure.
    pub during: &'a str,
    /// The file that shows it; null where there was no time to make one.
    pub witness: Option<&'a FaultWitness>,
}

impl TrialReport<'_> {
    /// Reports what was tried and found.
    pub fn new<'a>(result: &TrialResult, faults: &'a [FoundFault]) -> TrialReport<'a> {
        TrialReport {
            games: result.games,
            rulesets: result.rulesets,
            late: result.late,
            faults: faults.iter().map(FaultReport::new).collect(),
        }
    }
}

impl FaultReport<'_> {
    fn new(fault: &FoundFault) -> FaultReport<'_> {
        let (game, spec) = (&fault.game, &fault.game.spec);
        let readings = spec.readings.iter();
        FaultReport {
            kind: game.kind(),
            complaint: &game.complaint,
            times: game.times,
            game: &spec.game,
            variants: &spec.variants,
            options: spec
                .options
                .iter()
                .map(|(name, on)| (&**name, *on))
                .collect(),
            readings: readings.map(|(name, way)| (&**name, &**way)).collect(),
            situation: &game.situation,
            seed: game.seed,
            during: &game.during,
            witness: fault.witness.as_ref(),
        }
    }
}
