//! The diagnostic codes with their explanations, and the checks across layers.
//!
//! `casebook explain LAW` prints these texts. Checks of a single file are made where the file is read.

use crate::complaint::{Complaint, Complaints, Error, Place, did_you_mean};
use crate::data::case::{Case, CaseFunction, CaseKind};
use crate::data::library::{Layer, Library};
use crate::ruleset::compose::{Ruleset, RulesetSpec, Slot};
use crate::syntax::calls::{reachable_functions, reaches_prior};
use crate::syntax::normalize::normalize;
use std::sync::Arc;

macro_rules! laws {
    ($($(#[doc = $text:expr])+ $name:literal;)+) => {
        /// All diagnostic codes with their explanations.
        pub const LAWS: &[(&str, &[&str])] = &[$(($name, &[$($text),+])),+];
    };
}

laws! {
    /// Every file is YAML 1.2, without anchors and aliases: a chart is read by people before it is read by a program.
    "yaml";
    /// What begins with a digit and is no plain whole number stands in quotes: "0130", "9.10", "3:1", "1-10", "7/61".
    /// YAML readers take 0130 for 130, 9.10 for 9.1 and 3:1 for 181, and say nothing.
    "quotes";
    /// A key stands once in its map. A row entered twice would lose one of the two.
    "key-twice";
    /// Only keys that mean something may stand in a file: a misspelt key would go unseen in silence.
    "unknown-key";
    /// A key that the file can't do without is there.
    "missing-key";
    /// A list, a map or a single value stands where one is expected.
    "shape";
    /// A figure is a whole number. Percentages stand without their sign, fractions do not occur on charts.
    "number";
    /// A flag is true or false (on/off and yes/no are read too).
    "flag";
    /// A file says something.
    "empty-file";
    /// A data file is text in UTF-8 of at most 4 MB that ends in .yaml or .rhai.
    "file";
    /// A file in the right place is loaded; nothing is registered. The places are
    /// rules/<game>/game.yaml, contents.yaml and <section>/<case>.rhai, tables/<game>/<table>.yaml, scenarios/<game>/<name>.yaml,
    /// tests/<game>/<name>.yaml,
    /// and variants/<variant>/variant.yaml with rules, tables and scenarios below it, without <game>.
    "place";
    /// A file and its card call the thing by one name: 8.16-allocation-of-losses.rhai is case "8.16".
    /// So `find . -name '8.16-*'` shows a case and everybody who touched it.
    "name";
    /// An entry of accepted.yaml accepts a complaint that is made: the law, the file (or the end of its path), some words of it if they tell
    /// it from others, and why it may stand. What is accepted for good would hide the next fault.
    "accepted";
    /// A case begins with its card in `//!` lines: case, title, kind, source, text.
    "card";
    /// The kind of a file is a promise about the layers below it.
    /// rule: a case of the printed game itself, once.
    /// new case: no layer below has a case of this number.
    /// addition: the case is below; an answer it gives anew asks `prior()`, the older answer.
    /// correction, revision: the case is below, and what it has functions for is answered anew: one at least is a function of an older layer.
    /// A revision may name functions that no longer stand (`replaces:`).
    /// explanation: the case is below, and no answer changes.
    "kind";
    /// An addition adds. If it answers a function that a layer below answers, it asks `prior()` for that answer and builds on it;
    /// to put another answer in its place is a correction or a revision.
    "prior";
    /// A layer answers a function in one place.
    "answered-twice";
    /// Two variants answer the same function, or set the same cell, and neither comes `after:` the other.
    /// Nobody has said which of them holds, so nothing is chosen in silence. Two that say the same agree, and are no conflict.
    /// Two new cases that bring one name with different meanings contradict each other in any order.
    /// A third that comes after both settles it by an answer or figure of its own; `casebook check --conflicts ONE,OTHER --patch NAME` lays it out.
    "conflict";
    /// `after:` in variant.yaml says over which other variants this one is laid; the order has no circles.
    /// `needs:` names variants that come into force with it, `excludes:` those that can't be in force beside it.
    "order";
    /// A change to a table or scenario says what was there (`was:`, or `missing`) and what is there now (`now:`).
    /// A `was` that does not match the layer below is an error: the erratum was written for another printing.
    "was-now";
    /// An amendment that says what the layer below says already is kept, and noted.
    "already";
    /// A figure's status is printed (seen in its source), derived (follows from printed ones), reconstructed (authored here) or missing.
    /// It is said, never implied: at the head of a file, or of each piece.
    "status";
    /// Reconstructed figures state the method by which they were made.
    "method";
    /// Hexes, dice, bands, odds, unit values and turns are written in the notation of the field.
    "notation";
    /// A track stands at a place it has: a number from its first to its last, a turn of its calendar, one of its named boxes.
    "track";
    /// A name that a file mentions exists: side, kind, piece, track, procedure, table.
    "unknown-name";
    /// A situation hands its procedure what that can't do without: the fields that the game's manifest names under `procedures: NAME: given:`.
    /// What is not named there may be left out.
    "given";
    /// `enemy(side)` is the other of two sides. In a game of one side, or of three and more, a rule says whom it means.
    "sides";
    /// The labels of an axis cover every number once, in rising order; where dice are thrown for it, exactly what they can throw.
    "rows-cover";
    /// Rows and columns are named by the labels of their axis.
    "label";
    /// A cell has as many parts as its table has fields.
    "cell";
    /// A script is Rhai: functions only, no top-level statements, every `switch` with a `_` arm.
    "script";
    /// A script calls functions that exist, with the number of arguments they take: verbs, cases in force, or its own helpers.
    "unknown-function";
    /// Values are held against their like and handed to what works with them: a number is never equal to a text, a choice comes to one of its
    /// options, a function that reckons with its argument is given a number. What would never hold is a slip of the pen, and runs in silence.
    "sorts";
    /// A line is given as many values as it has `{}` to stand in: fewer would leave braces in the ruling, more would go unsaid.
    "line";
    /// Cases answer, procedures act. Only a case with `procedure:` on its card may change the situation.
    "procedure";
    /// Scripts are bounded in operations, depth, sizes and time. What runs away is stopped and shown.
    "limit";
    /// Something went wrong while a script ran.
    "running";
    /// Typed dice show faces the die has, and are as many as the procedure throws.
    "dice";
    /// An answer to a choice is one of its options.
    "choice";
    /// A journal is what `--save` writes: what was in force, the dice, the choices, and what came of them. It is read whole or not at all.
    "journal";
    /// A pack is what `casebook pack` writes: a variant with its files and tests, and nothing else. It is laid out whole or not at all.
    "pack";
    /// With --strict, a ruling does not rest on reconstructed figures; a missing figure refuses always.
    /// Type your own chart into a variant: `casebook new variant my-charts --tables` lays out the blanks.
    "figure";
    /// A rule earns its place: each public function is asked by a procedure, and each amendment moves a situation or a test of a ruling
    /// where it is switched off. An explanation moves nothing by its kind; any other file says why under `idle:`.
    /// `casebook coverage` lists what is idle, with its reasons.
    "idle";
    /// An example states what the source says and holds. It expects something, the dice it sets up fall, and the answers it sets up are asked for;
    /// the lines above it say with:, reading: and option: of what is in force.
    /// Those that show the rule stand in the case's file, and those of its corners in its test file, `tests/<game>/<section>/<case>.rhai` or
    /// `variants/<variant>/tests/<section>/<case>.rhai`. That holds examples and `private` helpers of theirs, and sees those of the case.
    "example";
    /// A test of a ruling holds: the outcomes it names under `then:`, the cases it names under `cites:`, the case that `refused:`.
    /// Tests stand in tests/<game>/<name>.yaml and under `tests:` in a situation's own file.
    "test";
    /// A ruling says what its snapshot says, word for word. Where it changed for a good reason, `casebook test --accept` writes it anew.
    "snapshot";
}

/// Returns the explanation of a diagnostic code.
pub fn explain(name: &str) -> Option<String> {
    let (_, text) = LAWS.iter().find(|(law, _)| *law == name)?;
    Some(text.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n"))
}

/// Returns all diagnostic codes.
pub fn names() -> impl Iterator<Item = &'static str> {
    LAWS.iter().map(|(name, _)| *name)
}

/// Builds a ruleset: composes it and checks its layers. Returns notes with the ruleset, and fails on errors.
pub fn build_ruleset(library: &Arc<Library>, wish: &RulesetSpec) -> Result<(Ruleset, Complaints), Error> {
    let (ruleset, mut complaints) = Ruleset::compose(library, wish)?;
    let names: Vec<String> = ruleset.variants().map(|layer| layer.name.to_string()).collect();
    if let Some(complaint) =
        ruleset.variants().filter_map(|layer| layer.variant.as_ref()).find_map(|variant| variant.check_exclusions(&names))
    {
        return Err(complaint.into());
    }
    check_layers(&ruleset, &mut complaints);
    if complaints.has_errors() { Err(Error::Data(complaints.into_sorted())) } else { Ok((ruleset, complaints)) }
}

/// Checks the layers of a ruleset against each other.
fn check_layers(ruleset: &Ruleset, complaints: &mut Complaints) {
    for (index, case) in ruleset.cases.iter().enumerate() {
        check_kind(ruleset, index, case, complaints);
    }
    for slot in &ruleset.slots {
        check_additions(ruleset, slot, complaints);
        check_conflicts(ruleset, slot, complaints);
    }
}

/// Checks the law `kind`: whether the case exists in a lower layer as its kind requires.
fn check_kind(ruleset: &Ruleset, index: usize, case: &Case, complaints: &mut Complaints) {
    let base = case.layer == ruleset.layers[0].name;
    let rank = |name: &str| ruleset.layers.iter().position(|l| &*l.name == name);
    let below = ruleset.cases[..index].iter().find(|c| c.number == case.number && rank(&c.layer) < rank(&case.layer));
    let listed = ruleset.contents.contains_key(&case.number);
    let mut complain = |what: String, help: &str| {
        let mut complaint = case.complaint("kind", case.kind_span, what).with_help(help);
        if let Some(old) = below {
            complaint = complaint.with_related(
                Place::from_text(&old.file.path, &old.file.text, old.kind_span),
                format!("case {} of {}", old.number, old.layer),
            );
        }
        complaints.push(complaint);
    };
    match case.kind {
        CaseKind::Rule if !base => {
            complain("a `rule` belongs to the printed game".into(), "in a variant, write `kind: new case` or another kind of amendment")
        }
        CaseKind::Rule => {}
        _ if base => complain(format!("the printed game amends nothing: `{}`", case.kind.as_str()), "write `kind: rule`"),
        CaseKind::NewCase if below.is_some() => {
            complain(
                format!("there is a case {} below", case.number),
                "a new case has a number of its own; write `kind: addition` or `revision` to amend the old one",
            );
        }
        CaseKind::NewCase => {}
        _ if below.is_none() && !listed => {
            let known = ruleset.contents.keys().map(String::as_str).chain(ruleset.cases[..index].iter().map(|c| c.number.as_str()));
            let near = did_you_mean(&case.number, known.filter(|number| *number != case.number));
            match find_other_variant(ruleset, |layer| layer.cases.iter().any(|c| c.kind == CaseKind::NewCase && c.number == case.number)) {
                Some(other) => {
                    let what =
                        format!("there is no case {} below to be amended: it belongs to {other}, which is not in force", case.number);
                    complain(what, &format!("write `needs: [{other}]` in the variant.yaml of {}", case.layer));
                }
                None => {
                    let what = format!("there is no case {} below to be amended{near}", case.number);
                    complain(what, "look at the number, or write `kind: new case`");
                }
            }
        }
        _ => check_correction(ruleset, case, complaints),
    }
}

/// Checks the law `kind`: a correction or revision must answer a function of an older layer, since it would otherwise change nothing.
fn check_correction(ruleset: &Ruleset, case: &Case, complaints: &mut Complaints) {
    if !matches!(case.kind, CaseKind::Correction | CaseKind::Revision) || !case.replaces.is_empty() || case.reinstates.is_some() {
        return;
    }
    let own: Vec<&CaseFunction> = case.functions.iter().filter(|f| !f.private && !f.is_example()).collect();
    let older = |f: &&&CaseFunction| ruleset.slot(&f.name, f.arity()).is_some_and(|slot| ruleset.slots[slot].answers.len() > 1);
    let (Some(first), None) = (own.first(), own.iter().find(older)) else { return };
    let others = |slot: &&Slot| slot.answers.iter().any(|answer| ruleset.cases[answer.case].layer != case.layer);
    let arities: Vec<String> = ruleset.slots.iter().filter(others).filter(|s| s.name == first.name).map(|s| s.arity.to_string()).collect();
    let meant = match arities.is_empty() {
        true => did_you_mean(&first.name, ruleset.slots.iter().filter(others).map(|slot| slot.name.as_str())),
        false => format!("; the older one takes {}, and this takes {}", arities.join(" or "), first.arity()),
    };
    let what = format!("this {} answers nothing that an older layer answers: `{}` is new{meant}", case.kind.as_str(), first.name);
    let help = "write the function as the older layer has it; or `kind: addition`, where something new stands beside it";
    complaints.push(case.complaint("kind", first.name_span, what).with_help(help));
}

/// Returns the first variant of the game that is not in force and passes `has`.
pub fn find_other_variant(ruleset: &Ruleset, has: impl Fn(&Layer) -> bool) -> Option<String> {
    let library = &ruleset.library;
    let idle = library.variants_of(&ruleset.game.name).into_iter().filter(|name| !ruleset.layers.iter().any(|layer| *layer.name == **name));
    let mut found = idle.map(|name| library.layer(&ruleset.game, Some(name), &mut Complaints::default())).filter(|layer| has(layer));
    found.next().map(|layer| layer.name.to_string())
}

/// Checks the laws `prior` and `kind`: an addition calls the older answer, and an explanation gives no answer.
fn check_additions(ruleset: &Ruleset, slot: &Slot, complaints: &mut Complaints) {
    for (depth, answer) in slot.answers.iter().enumerate() {
        let (case, older) = (&ruleset.cases[answer.case], slot.answers.get(depth + 1));
        let function = &case.functions[answer.function];
        let (Some(older), None, None) = (older, answer.reinstated_by, answer.removed_by) else { continue };
        let old = &ruleset.cases[older.case];
        let also = |complaint: Complaint| {
            let place = Place::from_text(&old.file.path, &old.file.text, old.functions[older.function].name_span);
            complaint.with_related(place, format!("the answer of {}", old.layer))
        };
        if case.kind == CaseKind::Explanation {
            let what = format!("an explanation answers `{}` anew", function.name);
            let complaint =
                case.complaint("kind", function.name_span, what).with_help("an explanation changes no answer; write another kind");
            complaints.push(also(complaint));
        } else if case.kind == CaseKind::Addition && !reaches_prior(case, answer.function) {
            let what = format!("this {} answers `{}` anew without asking `prior()`", case.kind.as_str(), function.name);
            let help = "ask `prior()` for the older answer and build on it, or write `kind: correction` or `revision`";
            complaints.push(also(case.complaint("prior", function.name_span, what).with_help(help)));
        }
    }
}

/// Checks the law `conflict` for functions.
fn check_conflicts(ruleset: &Ruleset, slot: &Slot, complaints: &mut Complaints) {
    // A reinstated answer counts as old as the case that reinstated it, which takes account of what it amends.
    for (depth, pair) in slot.answers.windows(2).enumerate().filter(|(_, pair)| pair.iter().all(|a| a.reinstated_by.is_none())) {
        let (newer, older) = (&ruleset.cases[pair[0].case], &ruleset.cases[pair[1].case]);
        // Two new cases that define the same name mean different things by it, in any order.
        let clash = [newer, older].iter().all(|case| case.kind == CaseKind::NewCase) && newer.number != older.number;
        let printed = slot.answers.iter().any(|answer| ruleset.cases[answer.case].layer == ruleset.layers[0].name);
        let clash = clash && !printed && !reaches_prior(newer, pair[0].function);
        if newer.layer == older.layer || !clash && ruleset.declared_before(&older.layer, &newer.layer) {
            continue;
        }
        let (f, g) = (&newer.functions[pair[0].function], &older.functions[pair[1].function]);
        if normalized_code(newer, pair[0].function) == normalized_code(older, pair[1].function)
            || settling_layer(ruleset, slot, depth, &older.layer).is_some()
        {
            continue;
        }
        let place = Place::from_text(&older.file.path, &older.file.text, g.name_span);
        if clash {
            let what = format!("{} and {} both bring `{}`, each in a new case of its own", older.layer, newer.layer, slot.name);
            let help = "give one of the two another name; or ask `prior()` where the newer builds on the older, or amend its case";
            complaints.push(newer.complaint("conflict", f.name_span, what).with_help(help).with_related(place, older.breadcrumbs()));
            continue;
        }
        let what = format!("{} and {} both answer `{}`, and neither comes after the other", older.layer, newer.layer, slot.name);
        let help = format!("write `after: [{}]` in the variant.yaml of {}, or the other way round", older.layer, newer.layer);
        complaints.push(newer.complaint("conflict", f.name_span, what).with_help(help).with_related(place, older.breadcrumbs()));
    }
}

/// Returns the layer that settles a conflict of two answers: it comes after both, and gives an answer or reinstates one.
pub fn settling_layer<'a>(ruleset: &'a Ruleset, slot: &Slot, depth: usize, older: &str) -> Option<&'a str> {
    let newer = &ruleset.cases[slot.answers[depth].case].layer;
    slot.answers[..depth].iter().find_map(|answer| {
        let layer = &ruleset.cases[answer.deciding_case()].layer;
        let own = answer.deciding_case() != answer.case || !reaches_prior(&ruleset.cases[answer.case], answer.function);
        (own && ruleset.declared_before(older, layer) && ruleset.declared_before(newer, layer)).then_some(&**layer)
    })
}

/// Returns the code of a function without comments and spacing, with the helpers that it depends on.
pub fn normalized_code(case: &Case, function: usize) -> Vec<String> {
    let mut said: Vec<String> =
        reachable_functions(case, function).into_iter().map(|index| normalize(&case.functions[index].body)).collect();
    said[1..].sort();
    said
}
