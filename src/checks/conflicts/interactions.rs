//! Interactions between files of two variants: one file writes what the other reads.

use crate::author::script_vocabulary::CaseScript;
use crate::conflicts::effects::{self, EffectTarget, FunctionEffects};
use crate::conflicts::meeting::{
    MeetingRow, MeetingSide, MeetingSubject, MeetingVerdict, case_side,
};
use crate::testing::coverage::FunctionKey;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::case::Case;
use casebook_engine::ruleset::compose::{Ruleset, Slot};
use casebook_engine::situation::value_text::join_words;
use casebook_engine::syntax::calls::reaches_prior;
use std::collections::BTreeMap;
use std::sync::Arc;

/// File of a layer with its effects: a case with its consulted functions, or a table that the layer amends.
struct TouchedFile {
    layer: String,
    case: Option<Arc<Case>>,
    side: MeetingSide,
    functions: Vec<(FunctionKey, FunctionEffects)>,
}

/// All files of a ruleset with their effects.
pub struct RulesetFiles<'a> {
    ruleset: &'a Ruleset,
    files: Vec<TouchedFile>,
}

impl<'a> RulesetFiles<'a> {
    /// Parses and analyses every case. A case that does not parse has no effects;
    /// `check` reports the syntax error.
    pub fn parse(ruleset: &'a Arc<Ruleset>) -> RulesetFiles<'a> {
        let mut parts: Vec<TouchedFile> = Vec::new();
        for case in &ruleset.cases {
            let Ok(script) = CaseScript::parse(case) else {
                continue;
            };
            let by_function = effects::function_effects(ruleset, &script)
                .into_iter()
                .enumerate();
            let answering = by_function
                .filter(|(i, _)| !case.functions[*i].private && !case.functions[*i].is_example());
            let mut functions: Vec<(FunctionKey, FunctionEffects)> = answering
                .map(|(function, effects)| {
                    let file = case.file.key.clone();
                    (FunctionKey { file, function }, effects)
                })
                .collect();
            functions.retain_mut(|(key, effects)| {
                let function = &case.functions[key.function];
                effects.writes.insert(
                    EffectTarget::Answer(function.name.clone(), function.arity()),
                    function.name_span.line,
                );
                for reading in &case.readings {
                    effects.writes.insert(
                        EffectTarget::Reading(format!("{}.{}", case.number, reading.name)),
                        case.kind_span.line,
                    );
                }
                let slot = ruleset
                    .slot(&function.name, function.arity())
                    .map(|slot| &ruleset.slots[slot]);
                slot.is_some_and(|slot| is_consulted(ruleset, slot, case, key.function))
            });
            parts.push(TouchedFile {
                layer: case.layer.to_string(),
                case: Some(case.clone()),
                side: case_side(case, case.kind_span.line),
                functions,
            });
        }
        for id in ruleset.table_names() {
            for file in ruleset
                .table_files(id, &mut Complaints::default())
                .into_iter()
                .skip(1)
            {
                let writes = [(EffectTarget::Table(id.into()), file.kind_span.line)].into();
                let place = format!("table {id}, {}", file.kind.as_str());
                parts.push(TouchedFile {
                    layer: file.layer.to_string(),
                    case: None,
                    side: MeetingSide::new(
                        &file.layer,
                        place,
                        (&file.file.path, file.kind_span.line),
                        "",
                    ),
                    functions: vec![(
                        FunctionKey {
                            file: file.file.key.clone(),
                            function: 0,
                        },
                        FunctionEffects {
                            writes,
                            ..FunctionEffects::default()
                        },
                    )],
                });
            }
        }
        RulesetFiles {
            ruleset,
            files: parts,
        }
    }

    /// Level 3: returns the pairs of files of two layers where one writes what the other reads.
    pub fn find_interactions(&self, older: &str, newer: &str) -> Vec<MeetingRow> {
        let ours = self.files.iter().filter(|file| file.layer == older);
        let theirs = || self.files.iter().filter(|file| file.layer == newer);
        ours.flat_map(|a| theirs().filter_map(move |b| self.interaction(a, b)))
            .collect()
    }

    fn interaction(&self, a: &TouchedFile, b: &TouchedFile) -> Option<MeetingRow> {
        let mut shared = SharedTarget::default();
        for (f, older_function) in &a.functions {
            for (g, newer_function) in &b.functions {
                let before = shared.len();
                shared.add_write_read(older_function, newer_function, 0);
                shared.add_write_read(newer_function, older_function, 1);
                shared.add_both_writes(older_function, newer_function);
                if shared.len() > before {
                    shared.add_functions(f, g);
                }
            }
        }
        if shared.len() == 0 {
            return None;
        }
        let verdict = self.verdict(a, b, &shared);
        let things: Vec<EffectTarget> = shared.targets().cloned().collect();
        let targets = list_names(things.iter());
        let pair = [
            shared.describe_side(&a.side, 0),
            shared.describe_side(&b.side, 1),
        ];
        let functions = shared.functions.map(|list| {
            list.into_iter()
                .filter(|key| key.file.ends_with(".rhai"))
                .collect()
        });
        Some(MeetingRow::new(
            (3, targets),
            verdict,
            pair,
            MeetingSubject::Files(functions, things),
        ))
    }

    fn verdict(
        &self,
        a: &TouchedFile,
        b: &TouchedFile,
        shared: &SharedTarget,
    ) -> (MeetingVerdict, String) {
        if !shared.both_change {
            let (writer, reader) = if shared.write_read[0].is_empty() {
                (b, a)
            } else {
                (a, b)
            };
            let mutual = shared.write_read.iter().all(|list| !list.is_empty());
            let [reader_name, writer_name] = if mutual {
                ["each", "the other"]
            } else {
                [reader.layer.as_str(), writer.layer.as_str()]
            };
            let is_answer = shared.targets().all(|target| {
                matches!(
                    target,
                    EffectTarget::Answer(..) | EffectTarget::Table(_) | EffectTarget::Reading(_)
                )
            });
            let verb = if is_answer {
                "says"
            } else {
                "has left on the board"
            };
            return (
                MeetingVerdict::Compatible,
                format!("When it asks, {reader_name} takes what {writer_name} {verb}: both hold."),
            );
        }
        let phase = |file: &TouchedFile| {
            let procedures = &file.case.as_ref()?.procedures;
            let sequence = &self.ruleset.game.sequence;
            let mut phases = (0..sequence.len()).filter(|index| {
                sequence[*index]
                    .procedures
                    .iter()
                    .any(|name| procedures.contains(name))
            });
            // A case with procedures in several phases has no defined order relative to others.
            phases.next().filter(|_| phases.next().is_none())
        };
        if let (Some(x), Some(y)) = (phase(a), phase(b))
            && x != y
        {
            let (first, second) = if x < y { (a, b) } else { (b, a) };
            return (
                MeetingVerdict::Ordered,
                format!(
                    "Both act; the sequence of play has {} before {}.",
                    first.layer, second.layer
                ),
            );
        }
        if self.ruleset.declared_before(&a.layer, &b.layer) {
            return (
                MeetingVerdict::Ordered,
                format!(
                    "Both act; {} comes after {} and reckons with it.",
                    b.layer, a.layer
                ),
            );
        }
        let reason = "Both change the situation, and nothing says which comes first: what the second finds is what the first left.";
        (MeetingVerdict::Undecided, reason.into())
    }
}

/// Returns whether a function can be consulted, i.e. no newer answer overrides it.
fn is_consulted(ruleset: &Ruleset, slot: &Slot, case: &Case, function: usize) -> bool {
    for (depth, answer) in slot.answers.iter().enumerate() {
        let answering_case = &ruleset.cases[answer.case];
        if answering_case.file.key == case.file.key
            && answer.function == function
            && answer.removed_by.is_none()
        {
            return true;
        }
        let asks_prior =
            answer.deciding_case() == answer.case && reaches_prior(answering_case, answer.function);
        let next = slot
            .answers
            .get(depth + 1)
            .map(|next| &ruleset.cases[next.deciding_case()].layer);
        let holds = next.is_some_and(|next| {
            ruleset.declared_before(next, &ruleset.cases[answer.deciding_case()].layer)
        });
        if !asks_prior && holds {
            return false;
        }
    }
    false
}

/// Targets that two files share.
#[derive(Default)]
struct SharedTarget {
    /// Targets that file 0 writes and file 1 reads, and vice versa, each with the lines of the write and of the read.
    write_read: [BTreeMap<EffectTarget, (usize, usize)>; 2],
    /// Targets that both files write, with the line in each file.
    written_by_both: BTreeMap<EffectTarget, (usize, usize)>,
    /// Whether both files change the situation because of a shared target.
    both_change: bool,
    /// Functions of each file that access a shared target.
    functions: [Vec<FunctionKey>; 2],
}

impl SharedTarget {
    fn len(&self) -> usize {
        self.write_read[0].len() + self.write_read[1].len() + self.written_by_both.len()
    }

    fn targets(&self) -> impl Iterator<Item = &EffectTarget> {
        let mut targets: Vec<&EffectTarget> = self
            .write_read
            .iter()
            .flat_map(BTreeMap::keys)
            .chain(self.written_by_both.keys())
            .collect();
        targets.sort();
        targets.dedup();
        targets.into_iter()
    }

    fn add_write_read(
        &mut self,
        writer: &FunctionEffects,
        reader: &FunctionEffects,
        direction: usize,
    ) {
        for (target, written) in &writer.writes {
            if let Some(read) = reader.reads.get(target) {
                self.write_read[direction]
                    .entry(target.clone())
                    .or_insert((*written, *read));
                self.both_change |= reader.changes_situation() && target.is_in_situation();
            }
        }
    }

    fn add_both_writes(&mut self, ours: &FunctionEffects, theirs: &FunctionEffects) {
        for (target, line) in &ours.writes {
            let is_one_value = target.is_in_situation() && *target != EffectTarget::Pieces
                || matches!(target, EffectTarget::Outcome(_));
            if let (true, Some(their_line)) = (is_one_value, theirs.writes.get(target)) {
                self.written_by_both
                    .entry(target.clone())
                    .or_insert((*line, *their_line));
                self.both_change = true;
            }
        }
    }

    fn add_functions(&mut self, f: &FunctionKey, g: &FunctionKey) {
        for (list, function) in self.functions.iter_mut().zip([f, g]) {
            if !list.contains(function) {
                list.push(function.clone());
            }
        }
    }

    /// Describes how one file accesses the shared targets, with the line of its first access.
    fn describe_side(&self, meeting_side: &MeetingSide, side: usize) -> MeetingSide {
        let pick = |(ours, theirs): &(usize, usize)| if side == 0 { *ours } else { *theirs };
        let writes = self.write_read[side]
            .iter()
            .map(|(target, (written, _))| (target, *written));
        let writes: BTreeMap<&EffectTarget, usize> = writes
            .chain(
                self.written_by_both
                    .iter()
                    .map(|(target, lines)| (target, pick(lines))),
            )
            .collect();
        let reads: BTreeMap<&EffectTarget, usize> = self.write_read[1 - side]
            .iter()
            .map(|(target, (_, read))| (target, *read))
            .collect();
        let line = writes
            .values()
            .chain(reads.values())
            .next()
            .copied()
            .unwrap_or(meeting_side.line);
        let clause = |word: &str, targets: &BTreeMap<&EffectTarget, usize>| {
            (!targets.is_empty()).then(|| format!("{word} {}", list_names(targets.keys().copied())))
        };
        let clauses: Vec<String> = [clause("sets", &writes), clause("asks for", &reads)]
            .into_iter()
            .flatten()
            .collect();
        MeetingSide {
            line,
            says: clauses.join("; "),
            ..meeting_side.clone()
        }
    }
}

/// Joins the names of targets; a long list is cut off and its length given.
fn list_names<'a>(targets: impl Iterator<Item = &'a EffectTarget>) -> String {
    let mut names: Vec<String> = targets.map(EffectTarget::to_string).collect();
    if names.len() > 5 {
        let left_out = names.split_off(4).len();
        names.push(format!("{left_out} more"));
    }
    join_words(names)
}
