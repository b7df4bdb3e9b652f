//! Reports every conflict between variants.

use crate::conflicts::effects::EffectTarget;
use crate::conflicts::interactions::RulesetFiles;
use crate::conflicts::meeting::{MeetingRow, MeetingSubject, MeetingVerdict, meetings};
use crate::conflicts::situations::{self, ConsultedRun, ListedPiece};
use crate::testing::coverage::FunctionKey;
use crate::testing::trials::ProgramCache;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Conflicts between the variants of a game.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "check_conflicts")]
pub struct ConflictReport {
    /// Name of the game.
    pub game: String,
    /// Names of the variants: in layer order, or the one that others are compared with first.
    pub variants: Vec<String>,
    /// Conflicts, worst first.
    pub rows: Vec<MeetingRow>,
    /// Number of situations that were run.
    pub situations: usize,
    /// Situations that stopped at an error in the data, with its message; what they consulted before the error counts.
    pub unfinished: BTreeMap<String, String>,
    /// The files of the variant that was written to settle them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Vec<String>>,
}

/// Compares every pair of the variants, compatible or not, and runs the situations to find which of them consult a row.
/// Fails if a variant is unknown, if fewer than two are named, or if they belong to different games.
pub fn find_conflicts(
    library: &Arc<Library>,
    variants: &[String],
) -> Result<ConflictReport, Error> {
    let variant_names = || library.variants.keys().map(String::as_str);
    let mut games = BTreeSet::new();
    for name in variants {
        games.insert(
            library
                .variants
                .get(name)
                .ok_or_else(|| Error::unknown("variant", name, variant_names()))?
                .game
                .clone(),
        );
    }
    let [game] = &games.into_iter().collect::<Vec<_>>()[..] else {
        return Err(Error::Usage(
            "conflicts are between variants of one game; these belong to several, or to none"
                .into(),
        ));
    };
    if variants.iter().collect::<BTreeSet<_>>().len() < 2 {
        return Err(Error::Usage("name at least two variants".into()));
    }
    let spec = RulesetSpec::with_variants(game, variants.to_vec());
    let programs = ProgramCache::unchecked(library);
    let program = programs.get(&spec)?;
    let ruleset = &program.ruleset;
    let names: Vec<String> = ruleset
        .variants()
        .map(|l| l.name.to_string())
        .filter(|name| variants.contains(name))
        .collect();
    let mut rows = Vec::new();
    let parts = RulesetFiles::parse(ruleset);
    for (i, newer) in names.iter().enumerate() {
        for older in &names[..i] {
            rows.extend(meetings(ruleset, older, newer));
            rows.extend(parts.find_interactions(older, newer));
        }
    }
    let mut runs = situations::run_situations(&programs, std::slice::from_ref(&spec));
    // If the combined ruleset has errors, each variant is also run alone, so that the situations still show what they consult.
    if diagnostics::build_ruleset(library, &spec).is_err()
        || runs.iter().any(|run| run.error.is_some())
    {
        let alone = |name: &String| RulesetSpec::new(game, &[name]);
        let alone: Vec<RulesetSpec> = names.iter().map(alone).collect();
        runs.extend(situations::run_situations(&programs, &alone));
    }
    for row in &mut rows {
        let matters = runs
            .iter()
            .filter(|run| consults(run, &row.subject, ruleset))
            .map(|run| run.situation.clone());
        row.situations = matters.collect::<BTreeSet<_>>().into_iter().collect();
    }
    rows.sort_by_cached_key(|row| {
        let tie_break = (
            row.level,
            row.verdict,
            row.name.clone(),
            row.pair[1].path.clone(),
            row.pair[1].line,
        );
        (
            row.verdict != MeetingVerdict::Contradictory,
            row.verdict != MeetingVerdict::Undecided,
            Reverse(row.situations.len()),
            tie_break,
        )
    });
    let situations = runs
        .iter()
        .map(|run| &run.situation)
        .collect::<BTreeSet<_>>()
        .len();
    let unfinished = runs
        .into_iter()
        .filter_map(|run| Some((run.situation, run.error?)))
        .rev()
        .collect();
    Ok(ConflictReport {
        game: game.clone(),
        variants: names,
        rows,
        situations,
        unfinished,
        written: None,
    })
}

/// Reports the contradictions between a variant and each other variant of its game, without running situations.
pub fn find_contradictions(library: &Arc<Library>, variant: &str) -> Result<ConflictReport, Error> {
    let Some(subject) = library.variants.get(variant) else {
        return Ok(ConflictReport::default());
    };
    let others: Vec<&str> = library
        .variants_of(&subject.game)
        .into_iter()
        .filter(|other_variant| *other_variant != variant)
        .collect();
    let mut rows = Vec::new();
    for other_variant in &others {
        let variants = vec![(*other_variant).to_string(), variant.to_string()];
        let Ok((ruleset, _)) = Ruleset::compose(
            library,
            &RulesetSpec::with_variants(&subject.game, variants),
        ) else {
            continue;
        };
        let names: Vec<&str> = ruleset
            .variants()
            .map(|layer| &*layer.name)
            .filter(|name| [*other_variant, variant].contains(name))
            .collect();
        if let [older, newer] = names[..] {
            rows.extend(meetings(&ruleset, older, newer));
        }
    }
    rows.retain(|row| row.verdict == MeetingVerdict::Contradictory);
    let variants = [variant]
        .into_iter()
        .chain(others)
        .map(String::from)
        .collect();
    Ok(ConflictReport {
        game: subject.game.clone(),
        variants,
        rows,
        ..ConflictReport::default()
    })
}

/// Returns whether a run consulted both sides of a row.
fn consults(run: &ConsultedRun, subject: &MeetingSubject, ruleset: &Ruleset) -> bool {
    match subject {
        MeetingSubject::Cells(table, cells) => run
            .cells
            .iter()
            .any(|cell| cell.table == *table && cells.contains(&cell.index)),
        MeetingSubject::Figure(list, path) => match &path[..] {
            [key, piece, ..] if key == "pieces" => run.pieces.contains(&ListedPiece {
                list: list.clone(),
                piece: piece.clone(),
            }),
            _ => run.situation == *list,
        },
        MeetingSubject::Function(slot, _) => {
            let slot = &ruleset.slots[*slot];
            run.called.contains(&(slot.name.clone(), slot.arity))
        }
        MeetingSubject::Files([ours, theirs], targets) => {
            let any = |list: &[FunctionKey]| list.iter().any(|key| run.answered_by.contains(key));
            // An amended table has no function; a run consults it by reading one of its cells.
            let read = |target: &EffectTarget| matches!(target, EffectTarget::Table(id) if run.cells.iter().any(|cell| cell.table == *id));
            (any(ours) || ours.is_empty() && targets.iter().any(read))
                && (any(theirs) || theirs.is_empty() && targets.iter().any(read))
        }
    }
}

impl ConflictReport {
    /// Returns whether any row is contradictory.
    pub fn has_contradiction(&self) -> bool {
        self.rows
            .iter()
            .any(|row| row.verdict == MeetingVerdict::Contradictory)
    }
}
