//! `casebook compare`: compares rulesets and finds the causes of their differences.

use crate::code::program::Program;
use crate::command::args::{OutputArgs, OutputFormat, RulesetArgs};
use crate::command::comparison_tables::{render_side_by_side, render_verdicts};
use crate::command::counting::{Progress, stop_flag};
use crate::command::print_json;
use crate::command::targets::resolve_situation;
use crate::compare::alternatives::{ReadingComparison, ReadingResult, compare_readings};
use crate::compare::causes::Cause;
use crate::compare::divergence::Divergence;
use crate::compare::search::{SearchShards, SearchSpec, search};
use crate::compare::verdicts::DifferenceVerdict;
use crate::compare::view::{Comparison, RulesetView};
use crate::complaint::Error;
use crate::data::library::InForce;
use crate::data::library::Library;
use crate::notation::Face;
use crate::odds::assumptions::{assumptions, subject_json, unused_answers};
use crate::odds::bar_chart::to_json;
use crate::odds::headline::{EntryValues, add_headline, headline_values, sentence};
use crate::ruleset::compose::RulesetSpec;
use crate::ruleset::diagnostics;
use crate::ruleset::spec::RulesetChoices;
use crate::ruling::json::ruleset_json;
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::TerminalPage;
use crate::situation::overrides::{self, Overrides};
use crate::situation::trace::UnusedAnswer;
use crate::usecase;
use crate::usecase::compare::{UncountedRuleset, ViewPairs, compare as compare_rulesets, comparison, missing_figures};
use crate::usecase::rulesets::spec_of_situation;
use crate::usecase::settings::{CountLimits, DiceSource, SituationSettings};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// The arguments of `compare`.
pub struct CompareArgs {
    /// Overrides of the situation.
    pub overrides: Overrides,
    /// The rulesets, each a list of variants, options and readings.
    pub rulesets: Vec<String>,
    /// The case whose readings are compared.
    pub readings: Option<String>,
    /// Answers to choices.
    pub settings: SituationSettings,
    /// The dice played under all rulesets.
    pub dice: DiceSource,
    /// The number of situations to search, if any.
    pub search: Option<u64>,
    /// The shard to run: its number, from 1, and the number of shards.
    pub shard: Option<(u64, u64)>,
    /// The parts of the answer to print.
    pub output: OutputArgs,
    /// Time limit for everything in seconds, and memory limit of each count in bytes.
    pub limits: (u64, u64),
}

/// Runs `compare`.
pub fn compare(
    library: &Arc<Library>,
    wanted: &str,
    args: &RulesetArgs,
    ask: &CompareArgs,
    format: OutputFormat,
    page: TerminalPage,
) -> Result<ExitCode, Error> {
    let (game, name, variant) = resolve_situation(library, wanted, &args.game)?;
    let shown = Progress::new();
    let progress = |doing: &str, _: f64, count: u64| shown.show(|| format!("{doing}: {count}"));
    let limits =
        CountLimits { memory: ask.limits.1, progress: &progress, ..CountLimits::new(Duration::from_secs(ask.limits.0), stop_flag()) };
    let question = comparison(library, (&name, &ask.overrides), &ask.settings, (Arc::default(), None), limits);
    if ask.search.is_some() && (!ask.output.only.is_empty() || ask.output.brief) {
        let what =
            "--search shows whole situations in which rulesets differ, and --only and --brief have no effect with it: leave them out";
        return Err(Error::Usage(what.into()));
    }
    if ask.readings.is_none() && ask.rulesets.len() < 2 {
        return Err(Error::Usage("compare takes two rulesets or more: --with '' --with hardy; or --readings CASE".into()));
    }
    let specs = ask.rulesets.iter().map(|text| parse_spec(library, &game, text, args)).collect::<Vec<RulesetSpec>>();
    if let Some(case) = &ask.readings {
        let default = || spec_of_situation(library, &args.choices(), &game, &name, variant.as_deref());
        let spec = specs.into_iter().next().unwrap_or_else(default);
        let mut found = compare_readings(&question, &spec, if case == "all" { "" } else { case })?;
        shown.finish();
        only(&mut found, &ask.output)?;
        print_readings(&found, ask.output.brief, format, page);
        if ask.output.sources {
            let assumed = assumptions(&found.default.situation, &found.default.consulted, &question.policies, &ask.settings.choices);
            if format == OutputFormat::Text {
                print!("{}", assumed.render(page));
            }
        } else if !ask.output.brief {
            print_assumptions(&question, &found.default, format, page);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(count) = ask.search {
        let (a, b) = (diagnostics::build_ruleset(library, &specs[0])?.0, diagnostics::build_ruleset(library, &specs[1])?.0);
        let (part, parts) = ask.shard.unwrap_or((1, 1));
        // Overrides make a different situation, so shards of such searches can't be merged with others.
        let set: Vec<(String, String)> = ask.overrides.set.iter().map(|one| (one.name(), one.value.clone())).collect();
        let like = if set.is_empty() { name.clone() } else { format!("{name} ({})", overrides::describe(&set)) };
        let of = SearchSpec {
            like,
            rulesets: [a.short_title(), b.short_title()],
            choices: ask.settings.choices.clone(),
            situations: count,
            parts,
        };
        let found = search(&question, a, b, count, (part, parts))?;
        shown.finish();
        if ask.shard.is_none() && format == OutputFormat::Json {
            let mut search_json = json!(found);
            search_json["of"] = json!(of);
            print_json(&search_json);
            return Ok(ExitCode::SUCCESS);
        }
        let of_part = count / parts + u64::from(count % parts >= part);
        if ask.shard.is_some() && found.tried < of_part {
            return Err(Error::Usage("the time ran out, and an unfinished part can't be merged; --limit SECONDS allows more".into()));
        }
        let all = SearchShards { of, parts: BTreeMap::from([(part, found)]) };
        match format {
            OutputFormat::Json => print_json(&json!(all)),
            OutputFormat::Text => {
                let mut out = all.render(page);
                page.list(
                    &mut out,
                    "Answers to questions that nobody asked",
                    &UnusedAnswer::describe_all(&unused_answers(&question.policies.asked_questions(), &ask.settings.choices)),
                );
                print!("{out}");
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (mut situations, mut rulings, mut left_out) = (Vec::new(), Vec::<(Arc<Program>, Value)>::new(), Vec::new());
    for spec in &specs {
        let situation = question.situation(spec)?;
        match ruling_json_of(&situation, ask) {
            Ok(ruling) => {
                rulings.push((situation.program.clone(), ruling));
                situations.push((None, situation));
            }
            Err(error) => left_out.push((situation.ruleset().short_title(), missing_figures(error)?)),
        }
    }
    let found = compare_rulesets(&question, situations, ViewPairs::Neighbours, true)?;
    let (mut views, mut divergences) = (found.views, found.divergences);
    // Each view has its ruling; what could not be counted has a ruling without a view.
    let ruling_of = |view: &RulesetView| rulings.iter().find(|(program, _)| Arc::ptr_eq(program, &view.situation.program));
    let mut played: Vec<Value> = views.iter().filter_map(ruling_of).map(|(_, ruling)| ruling.clone()).collect();
    left_out.extend(found.left_out);
    if views.is_empty() {
        let why = uncounted_lines(&left_out).join("; ");
        return Err(Error::Usage(format!("nothing is left to compare: {why}")));
    }
    shown.finish();
    let named = |view: &RulesetView| view.odds.order.clone();
    let played_names = played.iter().filter_map(Value::as_object).flat_map(|one| one.keys().cloned());
    let differing = divergences.iter().flat_map(|divergence| &divergence.differences).map(|difference| difference.outcome.clone());
    let mut names: Vec<String> = views.iter().flat_map(named).chain(played_names).chain(differing).collect();
    names.sort();
    names.dedup();
    ask.output.check_names(&names)?;
    // Results about the rulesets are restricted to the requested outcomes.
    views.iter_mut().for_each(|view| view.odds.order.retain(|name| ask.output.includes(name)));
    for divergence in &mut divergences {
        divergence.differences.retain(|difference| ask.output.includes(&difference.outcome));
        divergence.causes.retain(|(name, _)| !ask.output.brief && ask.output.includes(name));
    }
    for one in played.iter_mut().filter_map(Value::as_object_mut) {
        one.retain(|name, _| ask.output.includes(name) || name == "refused");
    }
    match format {
        OutputFormat::Json => {
            let ruleset = |(v, p): (&RulesetView, &Value)| json!({ "ruleset": v.title, "in_force": ruleset_json(v.situation.ruleset()), "ruling": p, "odds": add_headline(to_json(&v.odds, None), &headline_of_view(v)) });
            let rulesets: Vec<Value> = views.iter().zip(&played).map(ruleset).collect();
            let divergences: Vec<Value> =
                divergences.iter().zip(views.windows(2)).map(|(divergence, pair)| divergence_json(divergence, pair)).collect();
            let set: serde_json::Map<String, Value> =
                views[0].situation.scenario.set.iter().map(|(name, now)| (name.clone(), json!(now))).collect();
            print_json(&json!({
                "situation": name, "set": set, "rulesets": rulesets, "partings": divergences, "left_out": uncounted_json(&left_out),
                "assumed": assumptions(&views[0].situation, &views[0].consulted, &question.policies, &ask.settings.choices),
            }));
        }
        OutputFormat::Text => {
            println!("{}", page.paint("1", &views[0].situation.scenario.title));
            let set = overrides::describe(&views[0].situation.scenario.set);
            if !set.is_empty() {
                println!("{}", page.paint("2", &set));
            }
            let dice = match &ask.dice {
                DiceSource::Faces(faces) => format!("dice [{}]", Face::join(faces, ", ")),
                seed => seed.to_string(),
            };
            print!("{}", render_headlines(&views, page));
            print!("{}", render_side_by_side(&views, &divergences, &played, &dice, page));
            for (divergence, pair) in divergences.iter().zip(views.windows(2)) {
                let text = render_verdicts(divergence, [&pair[0].title, &pair[1].title], page);
                match ask.output.brief {
                    true => println!("\n{}", text.trim_start().lines().next().unwrap_or_default()),
                    false => print!("{text}"),
                }
            }
            let ended = |view: &RulesetView| view.odds.ended.map(|cap| format!("{}: {}", view.title, cap.describe()));
            let mut ends = String::new();
            page.list(&mut ends, "not counted whole", &views.iter().filter_map(ended).collect::<Vec<_>>());
            print!("{ends}{}", render_uncounted(&left_out, page));
            if ask.output.sources {
                print!("{}", assumptions(&views[0].situation, &views[0].consulted, &question.policies, &ask.settings.choices).render(page));
            } else if !ask.output.brief {
                print_assumptions(&question, &views[0], format, page);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the headline of a counted view.
fn headline_of_view(view: &RulesetView) -> Vec<EntryValues> {
    if view.is_complete() { headline_values(&view.situation, &view.odds, None) } else { Vec::new() }
}

/// Renders the headline under each ruleset that was counted completely.
fn render_headlines(views: &[RulesetView], page: TerminalPage) -> String {
    let mut out = String::new();
    for (view, headline) in views.iter().map(|view| (view, sentence(&headline_of_view(view)))).filter(|(_, headline)| !headline.is_empty())
    {
        out.push_str(&format!("\n{}\n{}", page.paint("1", &view.title), page.line(&headline, &[])));
    }
    out
}

/// Formats the rulesets that were left out as JSON.
pub fn uncounted_json(left_out: &[UncountedRuleset]) -> Value {
    left_out.iter().map(|(title, why)| json!({ "ruleset": title, "why": why.0[0].what })).collect()
}

fn uncounted_lines(left_out: &[UncountedRuleset]) -> Vec<String> {
    left_out.iter().map(|(title, why)| format!("{title}: {}", why.0[0].what)).collect()
}

/// Formats the rulesets that were left out as text.
pub fn render_uncounted(left_out: &[UncountedRuleset], page: TerminalPage) -> String {
    let mut out = String::new();
    page.list(&mut out, "left out", &uncounted_lines(left_out));
    out
}

/// Parses a ruleset of `--with`. Options given as separate arguments are added if its variants have them.
pub fn parse_spec(library: &Library, game: &str, text: &str, args: &RulesetArgs) -> RulesetSpec {
    let mut choices = RulesetChoices::parse(text);
    choices.add_options(library, &args.option);
    choices.spec(library, game, InForce::default())
}

/// Formats the divergence of two rulesets as JSON.
fn divergence_json(divergence: &Divergence, pair: &[RulesetView]) -> Value {
    let causes = |outcome: &str| -> Option<&Option<Vec<Cause>>> {
        divergence.causes.iter().find(|(known, _)| known == outcome).map(|(_, causes)| causes)
    };
    let outcome = |difference: &crate::compare::verdicts::OutcomeDifference| {
        let mut difference_json = json!(difference);
        if let Some(causes) = causes(&difference.outcome) {
            difference_json["causes"] = json!(causes);
        }
        difference_json
    };
    json!({
        "from": pair[0].title, "to": pair[1].title, "verdict": divergence.verdict(), "pairs": divergence.runs,
        "causes_on_seeds": (divergence.seeds > 0).then_some(divergence.seeds),
        "outcomes": divergence.differences.iter().map(outcome).collect::<Vec<_>>(),
    })
}

/// Prints assumptions that the user may not have intended.
fn print_assumptions(question: &Comparison, view: &RulesetView, format: OutputFormat, page: TerminalPage) {
    if format == OutputFormat::Json {
        return;
    }
    let assumed = assumptions(&view.situation, &view.consulted, &question.policies, question.choices);
    let mut out = String::new();
    page.list(&mut out, "Answers to questions that nobody asked", &UnusedAnswer::describe_all(&assumed.unheard));
    if !assumed.choices.is_empty() {
        let count = assumed.choices.len();
        let were = if count == 1 { "question was" } else { "questions were" };
        let text = format!("{count} {were} left to the option offered first; `odds` lists them.");
        out.push_str(&format!("\n{}\n", page.paint("2", &text)));
    }
    print!("{out}");
}

/// Plays the situation with the same dice under a ruleset; returns its outcomes or the refusal.
fn ruling_json_of(situation: &Situation, ask: &CompareArgs) -> Result<Value, Error> {
    let ruling = usecase::resolve::resolve(situation, &ask.settings, &ask.dice)?.ruling;
    let refused = ruling.refused.map(|line| format!("{} [{}]", line.text, line.cites.join(", ")));
    Ok(refused.map_or(Value::Object(ruling.results), |why| json!({ "refused": why })))
}

/// Keeps only the requested outcomes; a reading that changes none of them counts as no change.
fn only(found: &mut ReadingComparison, shown: &OutputArgs) -> Result<(), Error> {
    let compared = found
        .alternatives
        .iter()
        .filter_map(|(_, _, read, _)| if let ReadingResult::Compared(divergence) = read { Some(divergence) } else { None });
    let differing = compared.flat_map(|divergence| &divergence.differences).map(|difference| difference.outcome.clone());
    let mut names: Vec<String> = found.default.odds.order.iter().cloned().chain(differing).collect();
    names.sort();
    names.dedup();
    shown.check_names(&names)?;
    found.default.odds.order.retain(|name| shown.includes(name));
    for (_, _, read, view) in &mut found.alternatives {
        if let ReadingResult::Compared(divergence) = read {
            divergence.differences.retain(|difference| shown.includes(&difference.outcome));
            divergence.causes.retain(|(name, _)| shown.includes(name));
        }
        view.iter_mut().for_each(|view| view.odds.order.retain(|name| shown.includes(name)));
    }
    Ok(())
}

/// Prints the effect of each reading; with `brief` one line each.
fn print_readings(found: &ReadingComparison, brief: bool, format: OutputFormat, page: TerminalPage) {
    let named = |name: &str, way: &str| format!("{name}={way}");
    let of = |wanted: DifferenceVerdict| {
        let matching = found
            .alternatives
            .iter()
            .filter(move |(_, _, read, _)| matches!(read, ReadingResult::Compared(divergence) if divergence.verdict() == wanted));
        matching.map(|(name, way, ..)| named(name, way)).collect::<Vec<_>>()
    };
    let (idle, mut open) = (of(DifferenceVerdict::Same), of(DifferenceVerdict::Undecided));
    open.extend(
        found.alternatives.iter().filter(|(_, _, read, _)| matches!(read, ReadingResult::TimedOut)).map(|(name, way, ..)| named(name, way)),
    );
    let broken: Vec<(String, &String)> = found
        .alternatives
        .iter()
        .filter_map(|(name, way, read, _)| if let ReadingResult::Failed(why) = read { Some((named(name, way), why)) } else { None })
        .collect();
    if format == OutputFormat::Json {
        let changed = found.alternatives.iter().filter_map(|(name, way, read, view)| match read {
            ReadingResult::Compared(divergence) if divergence.verdict() == DifferenceVerdict::Differs => Some(json!({
                "reading": name, "way": way, "verdict": divergence.verdict(), "pairs": divergence.runs,
                "outcomes": divergence.differences, "odds": view.as_ref().map(|view| to_json(&view.odds, None)),
            })),
            _ => None,
        });
        let read = |name: &str| {
            let (reading, way) = name.split_once('=').unwrap_or((name, ""));
            json!({ "reading": reading, "way": way })
        };
        let all = |list: &[String]| list.iter().map(|name| read(name)).collect::<Vec<_>>();
        let broken = broken.iter().map(|(name, why)| {
            let mut read = read(name);
            read["why"] = json!(why);
            read
        });
        let mut readings_json = subject_json(&found.default.situation);
        let more = [
            ("default", to_json(&found.default.odds, None)),
            ("changed", changed.collect()),
            ("idle", json!(all(&idle))),
            ("not_decided", json!(all(&open))),
            ("left_out", broken.collect()),
        ];
        more.into_iter().for_each(|(key, value)| readings_json[key] = value);
        print_json(&readings_json);
        return;
    }
    println!("{}", page.paint("1", &found.default.title));
    let set = overrides::describe(&found.default.situation.scenario.set);
    if !set.is_empty() {
        println!("{}", page.paint("2", &set));
    }
    for (name, way, read, _) in &found.alternatives {
        if let ReadingResult::Compared(divergence) = read
            && divergence.verdict() == DifferenceVerdict::Differs
        {
            let text = render_verdicts(divergence, ["as it is read", &named(name, way)], page);
            match brief {
                true => println!("\n{}", text.trim_start().lines().next().unwrap_or_default()),
                false => print!("{text}"),
            }
        }
    }
    let mut out = String::new();
    let runs = found
        .alternatives
        .iter()
        .filter_map(|(_, _, read, _)| if let ReadingResult::Compared(p) = read { (p.runs > 0).then_some(p.runs) } else { None })
        .min();
    let seen = runs.map_or(String::new(), |runs| format!(" in {runs} pairs of runs each, where there was time"));
    let list = |list: Vec<String>| if list.is_empty() { list } else { vec![list.join("; ")] };
    page.list(&mut out, "change nothing here (proved)", &list(idle));
    page.list(&mut out, &format!("not decided: no difference was found{seen}; --limit SECONDS allows more time"), &list(open));
    page.list(&mut out, "left out", &broken.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>());
    print!("{out}");
}
