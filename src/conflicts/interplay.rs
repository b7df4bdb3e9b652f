//! Different cases of two variants of which one writes what the other reads.

use crate::author::words::Script;
use crate::complaint::Complaints;
use crate::conflicts::effects::{self, Effects, Thing};
use crate::conflicts::meeting::{Row, Subject, Verdict, Voice, voice_of_case};
use crate::conflicts::situations::Told;
use crate::data::case::Case;
use crate::ruleset::compose::{Ruleset, Slot};
use crate::situation::words::joined;
use crate::syntax::calls::reaches_prior;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file of a layer with what it touches: a case with those of its functions that are asked, or a table it amends.
struct Part {
    layer: String,
    case: Option<Arc<Case>>,
    voice: Voice,
    functions: Vec<(Told, Effects)>,
}

/// Every file of a ruleset with what it touches.
pub struct Parts<'a> {
    ruleset: &'a Ruleset,
    parts: Vec<Part>,
}

impl<'a> Parts<'a> {
    /// Parses every case and looks through it. What can't be parsed touches nothing; `check` complains of it.
    pub fn read(ruleset: &'a Arc<Ruleset>) -> Parts<'a> {
        let mut parts: Vec<Part> = Vec::new();
        for case in &ruleset.cases {
            let Ok(script) = Script::read(case) else { continue };
            let all = effects::of(ruleset, &script).into_iter().enumerate();
            let asked = all.filter(|(i, _)| !case.functions[*i].private && !case.functions[*i].is_example());
            let mut functions: Vec<(Told, Effects)> = asked.map(|(i, effects)| ((case.file.key.clone(), i), effects)).collect();
            functions.retain_mut(|((_, index), effects)| {
                let function = &case.functions[*index];
                effects.writes.insert(Thing::Answer(function.name.clone(), function.arity()), function.span.line);
                for reading in &case.readings {
                    effects.writes.insert(Thing::Reading(format!("{}.{}", case.number, reading.name)), case.kind_span.line);
                }
                let slot = ruleset.slot(&function.name, function.arity()).map(|slot| &ruleset.slots[slot]);
                slot.is_some_and(|slot| heard(ruleset, slot, case, *index))
            });
            parts.push(Part {
                layer: case.layer.to_string(),
                case: Some(case.clone()),
                voice: voice_of_case(case, case.kind_span.line),
                functions,
            });
        }
        for id in ruleset.table_names() {
            for file in ruleset.table_files(id, &mut Complaints::default()).into_iter().skip(1) {
                let writes = [(Thing::Table(id.into()), file.kind_span.line)].into();
                parts.push(Part {
                    layer: file.layer.to_string(),
                    case: None,
                    voice: Voice {
                        variant: file.layer.to_string(),
                        place: format!("table {id}, {}", file.kind.word()),
                        path: file.file.path.clone(),
                        line: file.kind_span.line,
                        says: String::new(),
                    },
                    functions: vec![((file.file.key.clone(), 0), Effects { writes, ..Effects::default() })],
                });
            }
        }
        Parts { ruleset, parts }
    }

    /// Level 3: the files of two layers of which one writes what the other reads.
    pub fn meet(&self, older: &str, newer: &str) -> Vec<Row> {
        let ours = self.parts.iter().filter(|part| part.layer == older);
        let theirs = || self.parts.iter().filter(|part| part.layer == newer);
        ours.flat_map(|a| theirs().filter_map(move |b| self.crossed(a, b))).collect()
    }

    fn crossed(&self, a: &Part, b: &Part) -> Option<Row> {
        let mut shared = Shared::default();
        for (f, ours) in &a.functions {
            for (g, theirs) in &b.functions {
                let before = shared.len();
                shared.one_way(ours, theirs, 0);
                shared.one_way(theirs, ours, 1);
                shared.both(ours, theirs);
                if shared.len() > before {
                    shared.note(f, g);
                }
            }
        }
        if shared.len() == 0 {
            return None;
        }
        let (verdict, reason) = self.verdict(a, b, &shared);
        let things: Vec<Thing> = shared.things().cloned().collect();
        Some(Row {
            level: 3,
            verdict,
            what: listed(things.iter()),
            pair: [shared.voice(&a.voice, 0), shared.voice(&b.voice, 1)],
            reason,
            situations: Vec::new(),
            subject: Subject::Files(shared.told.map(|list| list.into_iter().filter(|(key, _)| key.ends_with(".rhai")).collect()), things),
        })
    }

    fn verdict(&self, a: &Part, b: &Part, shared: &Shared) -> (Verdict, String) {
        if !shared.both_act {
            let (writer, reader) = if shared.ways[0].is_empty() { (b, a) } else { (a, b) };
            let mutual = shared.ways.iter().all(|list| !list.is_empty());
            let [whose, others] = if mutual { ["each", "the other"] } else { [reader.layer.as_str(), writer.layer.as_str()] };
            let asked = shared.things().all(|thing| matches!(thing, Thing::Answer(..) | Thing::Table(_) | Thing::Reading(_)));
            let what = if asked { "says" } else { "has left on the board" };
            return (Verdict::Compatible, format!("When it asks, {whose} takes what {others} {what}: both hold."));
        }
        let phase = |part: &Part| {
            let own = &part.case.as_ref()?.procedures;
            let (phase, mut others) = {
                let sequence = &self.ruleset.game.sequence;
                let mut found = (0..sequence.len()).filter(|at| sequence[*at].procedures.iter().any(|name| own.contains(name)));
                (found.next()?, found)
            };
            // A case with a part in several phases stands in no order to others.
            others.next().is_none().then_some(phase)
        };
        if let (Some(x), Some(y)) = (phase(a), phase(b))
            && x != y
        {
            let (first, then) = if x < y { (a, b) } else { (b, a) };
            return (Verdict::Ordered, format!("Both act; the sequence of play has {} before {}.", first.layer, then.layer));
        }
        if self.ruleset.declared_before(&a.layer, &b.layer) {
            return (Verdict::Ordered, format!("Both act; {} comes after {} and reckons with it.", b.layer, a.layer));
        }
        let why = "Both change the situation, and nothing says which comes first: what the second finds is what the first left.";
        (Verdict::Undecided, why.into())
    }
}

/// Whether an answer is ever asked for: no newer one holds in its place.
fn heard(ruleset: &Ruleset, slot: &Slot, case: &Case, function: usize) -> bool {
    for (depth, answer) in slot.chain.iter().enumerate() {
        let own = &ruleset.cases[answer.case];
        if own.file.key == case.file.key && answer.function == function && answer.struck_by.is_none() {
            return true;
        }
        let asks = answer.by() == answer.case && reaches_prior(own, answer.function);
        let next = slot.chain.get(depth + 1).map(|next| &ruleset.cases[next.by()].layer);
        let holds = next.is_some_and(|next| ruleset.declared_before(next, &ruleset.cases[answer.by()].layer));
        if !asks && holds {
            return false;
        }
    }
    false
}

/// What two files share.
#[derive(Default)]
struct Shared {
    /// What the first writes and the second reads, and the other way round: where it is written, and where read.
    ways: [BTreeMap<Thing, (usize, usize)>; 2],
    /// What both write.
    both: BTreeMap<Thing, (usize, usize)>,
    /// Whether both change the situation over it.
    both_act: bool,
    /// The functions concerned.
    told: [Vec<Told>; 2],
}

impl Shared {
    fn len(&self) -> usize {
        self.ways[0].len() + self.ways[1].len() + self.both.len()
    }

    fn things(&self) -> impl Iterator<Item = &Thing> {
        let mut all: Vec<&Thing> = self.ways.iter().flat_map(BTreeMap::keys).chain(self.both.keys()).collect();
        all.sort();
        all.dedup();
        all.into_iter()
    }

    fn one_way(&mut self, writer: &Effects, reader: &Effects, way: usize) {
        for (thing, written) in &writer.writes {
            if let Some(read) = reader.reads.get(thing) {
                self.ways[way].entry(thing.clone()).or_insert((*written, *read));
                self.both_act |= reader.acts() && matches!(thing, Thing::Figure(_) | Thing::Pieces | Thing::Track(_));
            }
        }
    }

    fn both(&mut self, ours: &Effects, theirs: &Effects) {
        for (thing, line) in &ours.writes {
            if let (Thing::Figure(_) | Thing::Track(_) | Thing::Outcome(_), Some(other)) = (thing, theirs.writes.get(thing)) {
                self.both.entry(thing.clone()).or_insert((*line, *other));
                self.both_act = true;
            }
        }
    }

    fn note(&mut self, f: &Told, g: &Told) {
        for (list, told) in self.told.iter_mut().zip([f, g]) {
            if !list.contains(told) {
                list.push(told.clone());
            }
        }
    }

    /// What one of the two files does to what they share, and where it does so first.
    fn voice(&self, voice: &Voice, side: usize) -> Voice {
        let pick = |(ours, theirs): &(usize, usize)| if side == 0 { *ours } else { *theirs };
        let writes = self.ways[side].iter().map(|(thing, (written, _))| (thing, *written));
        let writes: BTreeMap<&Thing, usize> = writes.chain(self.both.iter().map(|(thing, lines)| (thing, pick(lines)))).collect();
        let reads: BTreeMap<&Thing, usize> = self.ways[1 - side].iter().map(|(thing, (_, read))| (thing, *read)).collect();
        let line = writes.values().chain(reads.values()).next().copied().unwrap_or(voice.line);
        let part = |word: &str, things: &BTreeMap<&Thing, usize>| {
            (!things.is_empty()).then(|| format!("{word} {}", listed(things.keys().copied())))
        };
        let says: Vec<String> = [part("sets", &writes), part("asks for", &reads)].into_iter().flatten().collect();
        Voice { line, says: says.join("; "), ..voice.clone() }
    }
}

/// The names of things; of many, some and their number.
fn listed<'a>(things: impl Iterator<Item = &'a Thing>) -> String {
    let mut names: Vec<String> = things.map(Thing::to_string).collect();
    if names.len() > 5 {
        let more = names.split_off(4).len();
        names.push(format!("{more} more"));
    }
    joined(names)
}
