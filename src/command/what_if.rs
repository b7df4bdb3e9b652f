//! `casebook what-if`: what changes of the rules do to a situation, and the variant that keeps them; `casebook undo`.

use crate::command::arg_parsers::{pair, seconds};
use crate::command::compare::{MAX_VALUES, parse_spec};
use crate::command::counting::{stop_flag, with_progress, with_shown_progress};
use crate::command::out::Printer;
use crate::command::ruleset_args::{RulesetArgs, SetArgs, note_unasked_readings};
use crate::command::targets::{NamedSituation, resolve_situation};
use casebook_analysis::balance::question::BalanceAnswer;
use casebook_analysis::compare::verdicts::DifferenceVerdict;
use casebook_analysis::usecase::rulesets::spec_of_situation;
use casebook_analysis::usecase::settings::SituationSettings;
use casebook_checks::author::scaffold::variant_name;
use casebook_checks::house::change::RuleChange;
use casebook_checks::house::effect::{BELOW_ZERO, EffectQuery, KnownSituations, SituationEffect};
use casebook_checks::house::game_effect::{
    counts_in_words, game_differs, game_effect, game_sentence, is_decided, with_plain_names,
};
use casebook_checks::house::kept::kept_changes;
use casebook_checks::house::places::{example_of_change, places_of};
use casebook_checks::house::report::{
    Disagreements, PlacesReport, ReportedCase, TrialAnswer, UndoneChange,
};
use casebook_checks::house::ruling_form::note_values;
use casebook_checks::house::trial::{RulesTrial, free_variant_name, keeping_spec};
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::diagnostics::build_ruleset;
use casebook_engine::ruling::situation::Situation;
use casebook_view::balance;
use casebook_view::comparison::{causes, verdict};
use casebook_view::grid::OddsGrid;
use casebook_view::text::blocks_text;
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The arguments of `what-if`.
#[derive(Args)]
pub struct WhatIfArgs {
    /// A situation; a part of its name or title will do
    pub situation: String,
    /// Another value in cells of a table, 'TABLE SHEET COLUMN ROW = VALUE', without the labels that it does not have; * for all labels of one kind, and '1 left' (right, up, down) as the value to read all of them there; = for a part that stays, '0/='; 'AE -> EX' for each of them that reads AE; may be repeated
    #[arg(long, value_name = "CELL = VALUE")]
    pub cell: Vec<String>,
    /// A case, option or variant switched, '8.21 off'; a reading, '8.4.rounding = down'; or a place in a case, '1.1 throw: attack = add -1 when track("turn") > 3'; a value of the situation or of a roster, 'Red guard: size = 5'; a case alone lists its places; may be repeated
    #[arg(long, value_name = "CHANGE")]
    pub rule: Vec<String>,
    /// Compare with these rules [default: the same without the changes]
    #[arg(long, value_name = "VARIANTS")]
    pub vs: Option<String>,
    /// Also play this whole game under the old and the new rules, and say who wins more often
    #[arg(long, value_name = "SITUATION")]
    pub balance: Option<String>,
    /// Keep the changes in this variant, which is created if there is none
    #[arg(long, value_name = "NAME")]
    pub keep: Option<String>,
    #[command(flatten)]
    pub set: SetArgs,
    /// An answer to a choice: 'Red: bid=2'; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
    pub choose: Vec<(String, String)>,
    #[command(flatten)]
    pub ruleset: RulesetArgs,
    /// The time limit in seconds
    #[arg(long, default_value_t = 20, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
    pub limit: u64,
}

/// The exit code if it is not known whether anything moves.
const UNDECIDED: u8 = 3;

/// Runs `what-if`: 0 if something moves, 1 if nothing does, else 3.
pub fn what_if(
    library: &Arc<Library>,
    root: &Path,
    args: &WhatIfArgs,
    out: Printer,
) -> Result<ExitCode, Error> {
    let NamedSituation {
        game,
        name,
        variant,
    } = resolve_situation(library, &args.situation, &args.ruleset.game)?;
    let program = program_source(library);
    let spec = spec_of_situation(
        library,
        &args.ruleset.choices(),
        &game,
        &name,
        variant.as_deref(),
    );
    note_unasked_readings(library, &spec);
    let is_switch = |text: &str| text.ends_with(" on") || text.ends_with(" off");
    let is_case = |text: &&String| !text.contains(['=', '{']) && !is_switch(text);
    let cases: Vec<&String> = args.rule.iter().filter(is_case).collect();
    let is_tried = args.vs.is_some() || args.balance.is_some() || args.keep.is_some();
    let has_changes = !args.cell.is_empty() || cases.len() < args.rule.len();
    if !has_changes && is_tried {
        let message = "what changes? --rule 'CASE PLACE = WHAT' or --cell 'TABLE COLUMN ROW = VALUE'; without both, and with a case alone, what can be changed is listed";
        return Err(Error::Usage(message.into()));
    }
    if !has_changes {
        return list_places(library, (&game, &name), &spec, &cases, out);
    }
    let example = || {
        let rules = program(&RulesetSpec::new(&game, &[])).ok()?;
        example_of_change(&rules.ruleset)
    };
    let with_example = |error: Error| match (error, example()) {
        (Error::Usage(message), Some(example)) => {
            Error::Usage(format!("{message}; for example '{example}'"))
        }
        (error, _) => error,
    };
    let cells = args.cell.iter().map(|text| RuleChange::parse_cells(text));
    let rules = args.rule.iter().map(|text| RuleChange::parse_rule(text));
    let below = program(&spec)?.ruleset.clone();
    let changes = cells
        .chain(rules.map(|change| change.map_err(with_example)))
        .map(|change| change?.placed_in(&name, &below))
        .collect::<Result<Vec<_>, _>>()?;
    let keep = args.keep.as_deref().map(variant_name).transpose()?;
    let trial = RulesTrial {
        game: game.clone(),
        variant: keep.clone().unwrap_or_else(|| free_variant_name(library)),
        changes,
        ..RulesTrial::default()
    };
    let versus = args
        .vs
        .as_ref()
        .map(|text| parse_spec(library, &game, text, &[]));
    let settings = SituationSettings {
        choices: args.choose.clone(),
        ..SituationSettings::default()
    };
    let situations = KnownSituations::default();
    let query = EffectQuery {
        versus: versus.as_ref(),
        ..EffectQuery::new(library, &trial, &program, &situations, &settings)
    };
    let overrides = args.set.overrides()?;
    // The causes may take long, and what differs is known before.
    let render_shown = |sentences: &[String], effect: &SituationEffect| {
        let before = match (&versus, effect.is_over_kept) {
            (Some(_), _) => effect.before.title.clone(),
            (None, true) => format!("before, with {}", trial.variant),
            (None, false) => "before".into(),
        };
        render(effect, [&before, "after"], sentences, out)
    };
    let answer = with_shown_progress(args.limit, |limits, shown| {
        let show = |sentences: &[String], effect: &SituationEffect| {
            if !out.is_json() {
                shown.print_apart(|| print!("{}", render_shown(sentences, effect)));
            }
        };
        query.answer((&name, &spec), &overrides, limits, &show)
    })?;
    let effect = &answer.effect;
    let is_over_kept = effect.is_over_kept;
    let balance = match &args.balance {
        Some(text) => {
            let NamedSituation {
                name: whole,
                variant: layer,
                ..
            } = resolve_situation(library, text, &game)?;
            let choices = args.ruleset.choices();
            let spec = spec_of_situation(library, &choices, &game, &whole, layer.as_deref());
            Some(with_progress(args.limit, |limits| {
                game_effect(library, &trial, (&whole, &spec), &program, limits)
            })?)
        }
        None => None,
    };
    let kept = match &keep {
        Some(_) if stop_flag().load(Ordering::SeqCst) => {
            let message = "this was stopped before anything was kept; nothing was written";
            return Err(Error::Usage(message.into()));
        }
        Some(variant) => {
            trial
                .over(library, &keeping_spec(library, &game, variant), &program)?
                .keep(library, root, variant)?
                .written
        }
        None => Vec::new(),
    };
    let text = || {
        blocks_text(&causes(&effect.difference), out.page)
            + render_balance(balance.as_ref(), is_over_kept, out).as_str()
            + render_findings(&answer, &kept, out).as_str()
            + match &keep {
                Some(variant) if kept.is_empty() => out.page.line(
                    &format!("{variant} keeps this already: nothing was written."),
                    &[],
                ),
                _ => String::new(),
            }
            .as_str()
    };
    let balance_report = || balance.as_ref().map(BalanceAnswer::report);
    out.print(
        || answer.report(&trial.changes, &kept, balance_report()),
        text,
    );
    let verdict = effect.difference.verdict();
    if verdict == DifferenceVerdict::Differs || balance.as_ref().is_some_and(game_differs) {
        return Ok(ExitCode::SUCCESS);
    }
    let decided = verdict == DifferenceVerdict::Same && balance.as_ref().is_none_or(is_decided);
    Ok(ExitCode::from(if decided { 1 } else { UNDECIDED }))
}

/// Lists what can be changed, each with the line to type: of these cases everything, without any of those that the situation asks what is
/// thrown, looked up and chosen.
fn list_places(
    library: &Arc<Library>,
    (game, name): (&str, &str),
    spec: &RulesetSpec,
    cases: &[&String],
    out: Printer,
) -> Result<ExitCode, Error> {
    let program = program_source(library);
    let compiled = program(spec)?;
    let ruleset = compiled.ruleset.clone();
    let situation = Situation::new(&compiled, ruleset.scenario(name)?)?;
    let trial = RulesTrial {
        game: game.into(),
        ..RulesTrial::default()
    };
    let (situations, settings) = (KnownSituations::default(), SituationSettings::default());
    let query = EffectQuery::new(library, &trial, &program, &situations, &settings);
    let numbers: Vec<String> = match cases {
        [] => query.cases_of(name),
        cases => cases.iter().map(|number| number.to_string()).collect(),
    };
    let is_first = |line: &str| {
        ["throw:", "look_up:", "choice:"]
            .iter()
            .any(|key| line.contains(key))
    };
    let mut listed = Vec::new();
    for number in &numbers {
        let mut of_number = ruleset.cases.iter().filter(|case| case.number == *number);
        let case_numbers = || ruleset.cases.iter().map(|case| case.number.as_str());
        let case = of_number
            .next()
            .ok_or_else(|| Error::unknown("case", number, case_numbers()))?;
        let mut places = places_of(&ruleset, number);
        places.retain(|place| !cases.is_empty() || is_first(&place.line));
        if !places.is_empty() || !cases.is_empty() {
            listed.push(ReportedCase {
                number: number.clone(),
                title: case.title.clone(),
                values: match cases {
                    [] => BTreeMap::new(),
                    _ => note_values(&situation, &mut places).unwrap_or_default(),
                },
                places,
            });
        }
    }
    let text = || {
        let mut text = String::new();
        for case in &listed {
            let head = format!("{} {}", case.number, case.title);
            text.push_str(&out.page.line(&out.page.paint("1", &head), &[]));
            for place in &case.places {
                let here = place.here.iter().map(|at| format!("  (here {at})"));
                let here: String = here.collect();
                let line = format!("  {} = {}{here}", place.line, place.example);
                text.push_str(&out.page.line(&line, &[]));
            }
            let names = case.places.iter().flat_map(|place| &place.names);
            let mut values: BTreeMap<&str, &str> = names.map(|name| (&**name, "")).collect();
            values.extend(case.values.iter().map(|(name, value)| (&**name, &**value)));
            if !cases.is_empty() && !values.is_empty() {
                let with_value = |(name, value): (&str, &str)| match value {
                    "" => name.to_string(),
                    value => format!("{name} ({value})"),
                };
                let values: Vec<String> = values.into_iter().map(with_value).collect();
                let line = format!(
                    "  behind it may stand `when` and a condition over {}",
                    values.join(", ")
                );
                text.push_str(&out.page.paint("2", &out.page.line(&line, &[])));
            }
        }
        let more = match cases {
            [] => {
                "Type one behind --rule; --rule with a case alone lists all of it. A cell of a chart is --cell 'TABLE COLUMN ROW = VALUE'."
            }
            _ => "Type one behind --rule, with what it is to be.",
        };
        text + out.page.paint("2", &out.page.line(more, &[])).as_str()
    };
    out.print(|| PlacesReport { cases: &listed }, text);
    Ok(ExitCode::SUCCESS)
}

/// Compiles rules for a command, which asks for each once or twice.
fn program_source(
    library: &Arc<Library>,
) -> impl Fn(&RulesetSpec) -> Result<Arc<Program>, Error> + Sync + '_ {
    |spec| {
        Ok(Arc::new(Program::new(Arc::new(
            build_ruleset(library, spec)?.0,
        ))))
    }
}

/// Renders who wins a whole game more often.
fn render_balance(answer: Option<&BalanceAnswer>, is_over_kept: bool, out: Printer) -> String {
    answer.map_or(String::new(), |answer| {
        let answer = with_plain_names(answer, is_over_kept);
        let sentence = out.page.paint("1", &format!("{}.", game_sentence(&answer)));
        let counts = out.page.line(&counts_in_words(&answer), &[]);
        format!(
            "\n{sentence}\n{counts}{}",
            blocks_text(&[balance::answer(&answer)], out.page)
        )
    })
}

/// Renders who disagrees with the changes, and the files that were written.
fn render_findings(answer: &TrialAnswer, kept: &[String], out: Printer) -> String {
    let mut text = String::new();
    let line: Vec<String> = answer.effect.below_zero().into_iter().collect();
    out.page.list(&mut text, BELOW_ZERO, &line);
    let Disagreements {
        broken_pins,
        contradicted,
        readings,
        others,
    } = &answer.against;
    let disagrees = [
        ("pinned interpretations that this breaks", broken_pins),
        ("examples that this contradicts", contradicted),
    ];
    for (head, checks) in disagrees {
        let lines: Vec<String> = checks
            .iter()
            .map(|one| {
                let about = match &*one.about {
                    "" => String::new(),
                    about => format!("{about}, "),
                };
                format!("{about}{}: {} ({})", one.in_words(), one.why, one.path)
            })
            .collect();
        out.page.list(&mut text, head, &lines);
    }
    let lines: Vec<String> = readings
        .iter()
        .map(|one| format!("{}: {}", one.name, one.description))
        .collect();
    out.page.list(
        &mut text,
        "readings that this decides or contradicts",
        &lines,
    );
    let answers = others
        .answers
        .iter()
        .map(|one| format!("{}: {}", one.variant, one.description));
    let unknown = others.unknown.iter();
    let unknown = unknown.map(|name| format!("{name}: what it says of this is not known"));
    let lines: Vec<String> = answers.chain(unknown).collect();
    out.page
        .list(&mut text, "other variants that have it otherwise", &lines);
    out.page.list(&mut text, "written", kept);
    text
}

fn render(
    effect: &SituationEffect,
    titles: [&str; 2],
    sentences: &[String],
    out: Printer,
) -> String {
    let page = out.page;
    let mut text = page.paint("1", &effect.after.situation.scenario.title) + "\n";
    for line in sentences {
        text.push_str(&page.line(line, &[]));
    }
    let [before, after] = effect.headline_sentences();
    if !before.is_empty() && !after.is_empty() {
        for (title, headline) in titles.into_iter().zip([before, after]) {
            let _ = write!(
                text,
                "\n{}",
                page.line(&format!("{title}: {headline}"), &[])
            );
        }
    }
    let verdict = verdict(&effect.difference, titles);
    text += &format!("\n{}", blocks_text(&[verdict], page));
    let grid = OddsGrid::of_pair([&effect.before, &effect.after], titles, &effect.difference);
    let differing = effect.difference.with_verdict(DifferenceVerdict::Differs);
    let names: Vec<String> = differing.map(|one| one.outcome.clone()).collect();
    let changes = blocks_text(&grid.changes(&names, MAX_VALUES), page);
    if !changes.is_empty() {
        text += &format!("\n{changes}");
    }
    if effect.moved().next().is_some() {
        let scale = "Chances are of all cases; differences of chances are percentage points.";
        text.push_str(&page.paint("2", &page.line(scale, &[])));
    }
    for truncation in &effect.after.consulted.truncations {
        text.push_str(&page.line(truncation, &[]));
    }
    text
}

/// Runs `undo`: takes the last change of a variant out of its files.
pub fn undo(library: &Arc<Library>, root: &Path, variant: &str, out: Printer) -> Result<(), Error> {
    let names = || library.variants.keys().map(String::as_str);
    let game = library
        .variants
        .get(variant)
        .ok_or_else(|| Error::unknown("variant", variant, names()))?
        .game
        .clone();
    let mut trial = RulesTrial {
        game: game.clone(),
        variant: variant.into(),
        ..RulesTrial::default()
    };
    let spec = keeping_spec(library, &game, variant);
    let program = program_source(library);
    let kept = kept_changes(library, &*trial.below(library, &spec, &program)?, variant);
    let Some(last) = kept.iter().rfind(|one| one.change.is_some()) else {
        let message = match kept.first() {
            None => format!("`{variant}` changes nothing, so there is nothing to take back"),
            Some(one) => format!(
                "`{variant}` has no list of changes, so there is nothing to take back: what it has was written in files of its own, as variants/{variant}/{}",
                one.id
            ),
        };
        return Err(Error::Usage(message));
    };
    trial.without.push(last.id.clone());
    let kept = trial
        .over(library, &spec, &program)?
        .keep(library, root, variant)?;
    out.print(
        || UndoneChange {
            taken_back: &last.sentence,
            written: &kept.written,
            before: &kept.before,
        },
        || {
            format!(
                "{} {}",
                out.page.paint("1", "Taken back:"),
                out.page.line(&last.sentence, &[]).trim_start()
            )
        },
    );
    Ok(())
}
