//! `--sweep` of `odds` and `compare`: odds over the values of one attribute, as a table, CSV or JSON.

use crate::command::compare::{CompareArgs, describe_overrides, parse_spec};
use crate::command::counting::{COUNT_SECONDS, OddsArgs, with_progress};
use crate::command::out::{OutputFormat, Printer, print_json};
use crate::command::ruleset_args::OutputArgs;
use crate::command::targets::{NamedSituation, is_journal, resolve_situation, resolve_target};
use casebook_analysis::odds::assumptions::Assumptions;
use casebook_analysis::odds::bar_chart::rows;
use casebook_analysis::odds::distribution::NO_OUTCOME;
use casebook_analysis::odds::sweep::SweepResult;
use casebook_analysis::usecase;
use casebook_analysis::usecase::settings::SituationSettings;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::library::Library;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::diagnostics;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::overrides::{Overrides, Sweep};
use casebook_view::block::AnswerBlock;
use casebook_view::grid::{OddsGrid, OutcomeGrid};
use casebook_view::text::blocks_text;
use std::sync::Arc;

/// The number of values of an outcome that a table has a column for.
const MAX_VALUES: usize = 6;

/// The attribute to sweep and the output options.
struct SweepArgs<'a> {
    name: String,
    overrides: Overrides,
    sweep: Sweep,
    settings: SituationSettings,
    exact: bool,
    output: &'a OutputArgs,
    limit: u64,
}

/// Runs `odds --sweep`.
pub fn odds(
    library: &Arc<Library>,
    args: &OddsArgs,
    (figure, values): &(String, String),
    out: Printer,
) -> Result<(), Error> {
    let (overrides, sweep) = (args.set.overrides()?, Sweep::read(figure, values)?);
    if is_journal(&args.situation) {
        return Err(Error::Usage(
            "--sweep sets a figure of a situation before anything has happened: give the situation, not a journal".into(),
        ));
    }
    let (name, spec) = resolve_target(library, &args.situation, &args.ruleset)?;
    let (settings, limit) = (args.settings(), args.limit.unwrap_or(COUNT_SECONDS));
    SweepArgs {
        name,
        overrides,
        sweep,
        settings,
        exact: args.exact,
        output: &args.shown,
        limit,
    }
    .run(library, &[spec], out)
}

/// Runs `compare --sweep`.
pub fn compare(
    library: &Arc<Library>,
    args: &CompareArgs,
    (figure, values): &(String, String),
    out: Printer,
) -> Result<(), Error> {
    let (overrides, sweep) = (args.set.overrides()?, Sweep::read(figure, values)?);
    let NamedSituation { game, name, .. } =
        resolve_situation(library, &args.situation, &args.game)?;
    if args.with.len() < 2 {
        return Err(Error::Usage(
            "compare takes two rulesets or more: --with '' --with hardy; of one, `odds --sweep` makes the table".into(),
        ));
    }
    let specs = args
        .with
        .iter()
        .map(|text| parse_spec(library, &game, text, &args.option))
        .collect::<Vec<RulesetSpec>>();
    let settings = SituationSettings {
        choices: args.choose.clone(),
        ..SituationSettings::default()
    };
    SweepArgs {
        name,
        overrides,
        sweep,
        settings,
        exact: false,
        output: &args.shown,
        limit: args.limit,
    }
    .run(library, &specs, out)
}

impl SweepArgs<'_> {
    fn run(self, library: &Arc<Library>, specs: &[RulesetSpec], out: Printer) -> Result<(), Error> {
        if let Some(assignment) = self
            .overrides
            .set
            .iter()
            .find(|assignment| assignment.name() == self.sweep.name)
        {
            return Err(Error::Usage(format!(
                "--sweep gives `{}` each of its values, and --set one more: leave one out",
                assignment.name()
            )));
        }
        let subject = |spec: &RulesetSpec| -> Result<(Arc<Program>, Arc<Scenario>), Error> {
            let program = Arc::new(Program::new(Arc::new(
                diagnostics::build_ruleset(library, spec)?.0,
            )));
            let scenario = program.ruleset.scenario(&self.name)?;
            Ok((program, scenario))
        };
        let rulesets = specs.iter().map(subject).collect::<Result<Vec<_>, _>>()?;
        let (sweep_result, assumptions) = with_progress(self.limit, |limits| {
            let (overrides, sweep) = (&self.overrides, &self.sweep);
            usecase::odds::sweep(&rulesets, overrides, sweep, &self.settings, limits)
        })?;
        let outcomes = sweep_result.outcomes();
        self.output.check_names(&outcomes)?;
        let outcomes: Vec<String> = outcomes
            .into_iter()
            .filter(|name| self.output.includes(name))
            .collect();
        match out.format {
            OutputFormat::Json => print_json(&sweep_result.report(
                &self.name,
                &self.overrides,
                &outcomes,
                &assumptions,
            )),
            OutputFormat::Csv => {
                print!("{}", csv(&sweep_result, &outcomes));
                sweep_result
                    .left_out()
                    .iter()
                    .for_each(|line| eprintln!("note: left out: {line}"));
            }
            OutputFormat::Text => print!(
                "{}",
                self.text(&sweep_result, &outcomes, &assumptions, out.page)
            ),
        }
        Ok(())
    }

    fn text(
        &self,
        sweep_result: &SweepResult,
        outcomes: &[String],
        assumptions: &Assumptions,
        page: TerminalPage,
    ) -> String {
        let first = &sweep_result.lines[0];
        let titles: Vec<&str> = sweep_result
            .lines
            .iter()
            .map(|line| line.title.as_str())
            .collect();
        let (command, ruleset) = if titles.len() > 1 {
            ("compare", titles.join(" | "))
        } else {
            ("odds", first.situation.ruleset().title())
        };
        let partly = sweep_result.counted_note();
        let partly = partly.map(|note| format!("{note} --limit SECONDS gives it more time."));
        let numbered = (1..).zip(&titles).filter(|_| titles.len() > 1);
        let numbered = numbered.map(|(number, title)| format!("({number}) {title}"));
        let head = [
            format!("{command} · {ruleset} · over {}", self.sweep.name),
            describe_overrides(&self.overrides),
            partly.unwrap_or_default(),
        ];
        let head = head.into_iter().chain(numbered).map(AnswerBlock::text);
        let title = &first.situation.scenario.title;
        let mut blocks = vec![AnswerBlock::section(title, head.collect())];
        let grid = OddsGrid::of_sweep(sweep_result).map(|grid| OddsGrid {
            exact: self.exact,
            ..grid
        });
        let swept = |name: &String| Some(grid.as_ref()?.outcome(name, MAX_VALUES));
        let (mut changed, mut still): (Vec<_>, Vec<_>) = outcomes
            .iter()
            .filter_map(swept)
            .partition(|outcome| outcome.differs() || !self.output.only.is_empty());
        let measure = self.settings.measure.as_deref();
        let measure = measure.and_then(|text| OutcomeGrid::of_measure(text, sweep_result));
        changed.splice(0..0, measure);
        let still: Vec<String> = still.drain(..).map(|outcome| outcome.name).collect();
        if let Some(grid) = &grid {
            let label = FigureName::parse(&self.sweep.name).map_or("", |name| name.key);
            let tables = grid.tables_over(label, &self.sweep.values, &changed);
            blocks.extend(tables);
        }
        if changed.iter().any(|outcome| !outcome.folded.is_empty()) {
            blocks.push(AnswerBlock::text("--exact lists each value."));
        }
        let still = still.join(", ");
        let still = Some(still).filter(|still| !still.is_empty() && !self.output.brief);
        blocks.extend([
            AnswerBlock::list("the same at each value", still),
            AnswerBlock::list("left out", sweep_result.left_out()),
        ]);
        blocks_text(&blocks, page) + &*self.output.render_footer(assumptions, page)
    }
}

/// Formats CSV with a row per swept value, outcome and outcome value; completely counted chances also have a fraction.
fn csv(sweep_result: &SweepResult, outcomes: &[String]) -> String {
    let has_rulesets = sweep_result.lines.len() > 1;
    let mut head = vec![
        sweep_result.sweep.name.as_str(),
        "outcome",
        "value",
        "percent",
        "error",
        "chance",
    ];
    if has_rulesets {
        head.insert(0, "ruleset");
    }
    let mut out = record(&head);
    for line in &sweep_result.lines {
        for (value, point) in sweep_result.sweep.values.iter().zip(&line.points) {
            let Ok(point) = point else { continue };
            for (outcome, list) in rows(&point.odds, point.sample.as_ref()) {
                if !outcomes.contains(&outcome) {
                    continue;
                }
                for row in list {
                    let (share, error) = (
                        (row.chance * 100.0).to_string(),
                        row.error
                            .map_or(String::new(), |error| (error * 100.0).to_string()),
                    );
                    let chance = if row.error.is_none() {
                        row.counted.to_string()
                    } else {
                        String::new()
                    };
                    // A missing outcome has an empty value.
                    let outcome_value = if row.value == NO_OUTCOME {
                        ""
                    } else {
                        row.value.as_str()
                    };
                    let mut record_of = vec![
                        value.as_str(),
                        &outcome,
                        outcome_value,
                        &share,
                        &error,
                        &chance,
                    ];
                    if has_rulesets {
                        record_of.insert(0, &line.title);
                    }
                    out += &record(&record_of);
                }
            }
        }
    }
    out
}

/// Formats a CSV record. A text that a spreadsheet would run as a formula stands behind an apostrophe, which makes it a text there.
fn record(fields: &[&str]) -> String {
    let field = |text: &&str| {
        let is_formula =
            text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
        match is_formula || text.contains([',', '"', '\n', '\r']) {
            true => format!(
                "\"{}{}\"",
                if is_formula { "'" } else { "" },
                text.replace('"', "\"\"")
            ),
            false => text.to_string(),
        }
    };
    fields.iter().map(field).collect::<Vec<_>>().join(",") + "\n"
}
