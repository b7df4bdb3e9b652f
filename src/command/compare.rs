//! `casebook compare`: compares rulesets and finds the causes of their differences.

use crate::command::arg_parsers::{option, pair, seconds, whole};
use crate::command::counting::with_progress;
use crate::command::out::Printer;
use crate::command::ruleset_args::{OutputArgs, RulesetArgs, SetArgs, note_unasked_readings};
use crate::command::targets::{NamedSituation, resolve_situation};
use casebook_analysis::compare::alternatives::{
    AlternativeReading, ReadingComparison, ReadingResult, compare_readings,
};
use casebook_analysis::compare::ruleset_difference::RulesetDifference;
use casebook_analysis::compare::verdicts::DifferenceVerdict;
use casebook_analysis::compare::view::{Comparison, RulesetView};
use casebook_analysis::odds::assumptions::{Assumptions, OddsSubject, assumptions};
use casebook_analysis::odds::distribution::{NO_OUTCOME, shown_value};
use casebook_analysis::odds::headline::{EntryValues, sentence};
use casebook_analysis::odds::report::CountedReport;
use casebook_analysis::usecase::compare::{
    RulesetComparison, ViewPairs, compare_on_dice, comparison, uncounted_lines,
};
use casebook_analysis::usecase::comparison_report::{
    ChangedReading, ComparisonReport, LeftOutReading, ReadAs, ReadingsReport, outcome_reports,
};
use casebook_analysis::usecase::rulesets::spec_of_situation;
use casebook_analysis::usecase::settings::{CountLimits, DiceSource, SituationSettings};
use casebook_checks::author::headline_checks::headlines_of;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::{InForce, Library};
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::spec::RulesetChoices;
use casebook_engine::ruling::terminal_page::json_text;
use casebook_engine::situation::overrides::{self, Overrides};
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::value_text::distinct;
use casebook_view::block::AnswerBlock;
use casebook_view::comparison::{verdict, verdict_sentence};
use casebook_view::grid::OddsGrid;
use casebook_view::text::blocks_text;
use clap::Args;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The arguments of `compare`.
#[derive(Args)]
pub struct CompareArgs {
    /// A situation; a part of its name or title will do
    pub situation: String,
    /// A ruleset: variants, options and readings, or '' for the base game: 'errata,errata.frost=off'; give at least two
    #[arg(long, value_name = "VARIANTS")]
    pub with: Vec<String>,
    #[command(flatten)]
    pub set: SetArgs,
    /// Print each ruleset's odds for several values of one figure: 'Red guard: size=1..20', or a list: 2,4,8
    #[arg(long, value_parser = pair, value_name = "WHAT: FIGURE=VALUES", conflicts_with_all = ["readings", "dice"])]
    pub sweep: Option<(String, String)>,
    /// Compare the readings of this case instead; `all` for every case
    #[arg(long, value_name = "CASE")]
    pub readings: Option<String>,
    /// An option of a variant: errata.frost=off; may be repeated
    #[arg(long, value_parser = option, value_name = "NAME=on|off")]
    pub option: Vec<(String, bool)>,
    /// An answer to a choice: 'Red: bid=2'; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
    pub choose: Vec<(String, String)>,
    /// The seed of the dice, the same for all rulesets
    #[arg(long, value_parser = whole::<u64>, default_value_t = 1, conflicts_with = "dice")]
    pub seed: u64,
    /// Your own dice, one by one, in order: 3,5,2
    #[arg(
        long,
        value_delimiter = ',',
        allow_negative_numbers = true,
        value_name = "FACES"
    )]
    pub dice: Option<Vec<Face>>,
    #[command(flatten)]
    pub shown: OutputArgs,
    /// The game, if there are several
    #[arg(long, default_value = "", hide_default_value = true)]
    pub game: String,
    /// The time limit in seconds
    #[arg(long, default_value_t = 20, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
    pub limit: u64,
}

/// The number of values of an outcome that a table of the terminal has.
pub const MAX_VALUES: usize = 40;

/// The subject of a comparison: a situation under rulesets.
struct ComparedSituation<'a> {
    library: &'a Arc<Library>,
    name: String,
    overrides: Overrides,
    settings: SituationSettings,
    /// They record the questions that are asked.
    policies: Arc<Policies>,
    specs: Vec<RulesetSpec>,
    args: &'a CompareArgs,
    out: Printer,
}

/// Runs `compare`.
pub fn compare(library: &Arc<Library>, args: &CompareArgs, out: Printer) -> Result<(), Error> {
    let overrides = args.set.overrides()?;
    let NamedSituation {
        game,
        name,
        variant,
    } = resolve_situation(library, &args.situation, &args.game)?;
    if args.readings.is_none() && args.with.len() < 2 {
        return Err(Error::Usage(
            "compare takes two rulesets or more: --with '' --with hardy; or --readings CASE".into(),
        ));
    }
    let mut specs: Vec<RulesetSpec> = args
        .with
        .iter()
        .map(|text| parse_spec(library, &game, text, &args.option))
        .collect();
    if specs.is_empty() {
        let args = RulesetArgs {
            option: args.option.clone(),
            ..RulesetArgs::default()
        };
        specs.push(spec_of_situation(
            library,
            &args.choices(),
            &game,
            &name,
            variant.as_deref(),
        ));
    }
    let settings = SituationSettings {
        choices: args.choose.clone(),
        ..SituationSettings::default()
    };
    let subject = ComparedSituation {
        library,
        name,
        overrides,
        settings,
        policies: Arc::default(),
        specs,
        args,
        out,
    };
    match &args.readings {
        Some(case) => subject.compare_readings(case),
        None => subject.compare_rulesets(),
    }
}

impl ComparedSituation<'_> {
    /// Answers a question about the situation within the time limit.
    fn within_limit<T>(
        &self,
        work: impl FnOnce(&Comparison) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let answer = |limits: CountLimits| {
            let subject = (self.name.as_str(), &self.overrides);
            work(&comparison(
                self.library,
                subject,
                &self.settings,
                (self.policies.clone(), None),
                limits,
            ))
        };
        with_progress(self.args.limit, answer)
    }

    fn assumptions(&self, view: &RulesetView) -> Assumptions {
        assumptions(
            &view.situation,
            &view.consulted,
            &self.policies,
            &self.settings.choices,
        )
    }

    /// Compares the readings of a case under the first ruleset.
    fn compare_readings(&self, case: &str) -> Result<(), Error> {
        let (shown, page) = (&self.args.shown, self.out.page);
        let mut comparison = self.within_limit(|question| {
            compare_readings(
                question,
                &self.specs[0],
                if case == "all" { "" } else { case },
            )
        })?;
        only(&mut comparison, shown)?;
        self.out.print(
            || readings_report(&comparison),
            || {
                blocks_text(&readings(&comparison, shown.brief), page)
                    + &*shown.render_footer(&self.assumptions(&comparison.default), page)
            },
        );
        Ok(())
    }

    /// Compares the rulesets: the same dice, the odds, and the causes of differences.
    fn compare_rulesets(&self) -> Result<(), Error> {
        let shown = &self.args.shown;
        let dice = DiceSource::new(self.args.seed, self.args.dice.as_deref());
        let (
            RulesetComparison {
                mut views,
                mut differences,
                left_out,
            },
            mut played,
        ) = self.within_limit(|question| {
            let situations = self
                .specs
                .iter()
                .map(|spec| question.situation(spec))
                .collect::<Result<_, Error>>()?;
            compare_on_dice(question, situations, &self.settings, &dice)
        })?;
        let played_names = played
            .iter()
            .filter_map(Value::as_object)
            .flat_map(|outcomes| outcomes.keys().cloned());
        let names = views
            .iter()
            .flat_map(|view| view.odds.order.clone())
            .chain(played_names);
        shown.check_names(&sorted_names(names, &differences))?;
        // Results about the rulesets are restricted to the requested outcomes, but a headline speaks of the whole.
        let headlines = headlines_of(&views)?;
        views
            .iter_mut()
            .for_each(|view| view.odds.order.retain(|name| shown.includes(name)));
        for difference in &mut differences {
            difference
                .outcomes
                .retain(|outcome| shown.includes(&outcome.outcome));
            difference
                .causes
                .retain(|(name, _)| !shown.brief && shown.includes(name));
        }
        for outcomes in played.iter_mut().filter_map(Value::as_object_mut) {
            outcomes.retain(|name, _| shown.includes(name) || name == "refused");
        }
        let comparison = RulesetComparison {
            views,
            differences,
            left_out,
        };
        let assumed = |view: &RulesetView| self.assumptions(view);
        let pairs = ViewPairs::Neighbours;
        self.out.print(
            || ComparisonReport::new(&comparison, pairs, &headlines, &played, &assumed),
            || self.render(&comparison, &headlines, &played, &dice),
        );
        Ok(())
    }

    fn render(
        &self,
        comparison: &RulesetComparison,
        headlines: &[Vec<EntryValues>],
        played: &[Value],
        dice: &DiceSource,
    ) -> String {
        let (
            RulesetComparison {
                views,
                differences,
                left_out,
            },
            page,
        ) = (comparison, self.out.page);
        let brief = self.args.shown.brief;
        let mut blocks = vec![subject(&views[0], &views[0].situation.scenario.title)];
        let dice = match dice {
            DiceSource::Faces(faces) => format!("dice [{}]", Face::join(faces, ", ")),
            seed => seed.to_string(),
        };
        // The answer first: what differs and why, then the headlines, and what differs side by side.
        for (difference, pair) in differences.iter().zip(views.windows(2)) {
            let titles = [&*pair[0].title, &*pair[1].title];
            blocks.push(verdict_block(difference, titles, brief));
        }
        blocks.extend(headline_blocks(views, headlines));
        let grid = OddsGrid {
            brief,
            ..OddsGrid::of_comparison(comparison, ViewPairs::Neighbours)
        };
        let is_proved = |name: &String| {
            let outcomes = differences
                .iter()
                .flat_map(|difference| &difference.outcomes);
            let mut of_name = outcomes.filter(|one| one.outcome == *name);
            of_name.all(|one| one.verdict == DifferenceVerdict::Same)
        };
        let mut names = grid.outcomes();
        names.retain(|name| self.args.shown.includes(name) && !is_proved(name));
        blocks.extend(grid.changes(&names, MAX_VALUES));
        blocks.push(played_table(played, &grid, &dice, is_proved));
        let ended = |view: &RulesetView| {
            let cap = view.odds.ended?;
            let ended = page.advise(&cap.describe(), cap.remedy());
            Some(format!("{}: {ended}", view.title))
        };
        blocks.push(AnswerBlock::list(
            "not counted whole",
            views.iter().filter_map(ended),
        ));
        blocks.push(AnswerBlock::list("left out", uncounted_lines(left_out)));
        let assumed = self.assumptions(&views[0]);
        blocks_text(&blocks, page) + &*self.args.shown.render_footer(&assumed, page)
    }
}

/// Returns the names of outcomes, with those that differ, sorted.
pub fn sorted_names<'a>(
    names: impl Iterator<Item = String>,
    differences: impl IntoIterator<Item = &'a RulesetDifference>,
) -> Vec<String> {
    let differing = differences
        .into_iter()
        .flat_map(|difference| &difference.outcomes)
        .map(|outcome| outcome.outcome.clone());
    names
        .chain(differing)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// Formats overrides as text; empty if there are none.
pub fn describe_overrides(overrides: &Overrides) -> String {
    overrides::describe(
        &overrides
            .set
            .iter()
            .map(|figure| (figure.name(), figure.value.clone()))
            .collect::<Vec<_>>(),
    )
}

/// Returns a title, and below it what was set.
fn subject(view: &RulesetView, title: &str) -> AnswerBlock {
    let set = overrides::describe(&view.situation.scenario.set);
    AnswerBlock::section(title, vec![AnswerBlock::text(set)])
}

/// Returns a verdict, with `brief` its sentence alone.
fn verdict_block(difference: &RulesetDifference, titles: [&str; 2], brief: bool) -> AnswerBlock {
    match brief {
        true => AnswerBlock::section(verdict_sentence(difference, titles), Vec::new()),
        false => verdict(difference, titles),
    }
}

/// Returns the outcomes of the same dice under each ruleset, but for those that are proved to be the same.
fn played_table(
    played: &[Value],
    grid: &OddsGrid,
    dice: &str,
    is_proved: impl Fn(&String) -> bool,
) -> AnswerBlock {
    let results: Vec<_> = played.iter().filter_map(Value::as_object).collect();
    let names = distinct(results.iter().flat_map(|outcomes| outcomes.keys()));
    let row = |name: &String| {
        let unnamed = || shown_value(grid.unnamed, name, NO_OUTCOME).to_string();
        let values = played
            .iter()
            .map(|one| one.get(name).map_or_else(unnamed, json_text));
        let cells: Vec<String> = std::iter::once(name.clone()).chain(values).collect();
        let differs = cells[1..].windows(2).any(|pair| pair[0] != pair[1]);
        (differs || !is_proved(name)).then_some(cells)
    };
    let rows: Vec<Vec<String>> = names.into_iter().filter_map(row).collect();
    let title = match rows.is_empty() {
        true => String::new(),
        false => format!("the same dice ({dice})"),
    };
    let head = std::iter::once(String::new()).chain(grid.column_titles());
    let head = head.collect();
    AnswerBlock::section(title, vec![AnswerBlock::Table { head, rows }])
}

/// Returns the headline under each ruleset that was counted completely.
fn headline_blocks(views: &[RulesetView], headlines: &[Vec<EntryValues>]) -> Vec<AnswerBlock> {
    let mut titles_by_sentence: Vec<(String, Vec<&str>)> = Vec::new();
    for (view, headline) in views.iter().zip(headlines) {
        let headline = sentence(headline);
        let mut rows = titles_by_sentence.iter_mut();
        match rows.find(|(other, _)| *other == headline) {
            Some((_, titles)) => titles.push(&view.title),
            None => titles_by_sentence.push((headline, vec![&view.title])),
        }
    }
    titles_by_sentence.retain(|(headline, _)| !headline.is_empty());
    let block = |(headline, titles): (String, Vec<&str>)| {
        AnswerBlock::section(titles.join("; "), vec![AnswerBlock::text(headline)])
    };
    titles_by_sentence.into_iter().map(block).collect()
}

/// Parses a ruleset of `--with`. Options given as separate arguments are added if its variants have them.
pub fn parse_spec(
    library: &Library,
    game: &str,
    text: &str,
    options: &[(String, bool)],
) -> RulesetSpec {
    let mut choices = RulesetChoices::parse(text);
    choices.add_options(library, options);
    let spec = choices.spec(library, game, InForce::default());
    note_unasked_readings(library, &spec);
    spec
}

/// Keeps only the requested outcomes; a reading that changes none of them counts as no change.
fn only(comparison: &mut ReadingComparison, shown: &OutputArgs) -> Result<(), Error> {
    let compared = comparison
        .alternatives
        .iter()
        .filter_map(|read| difference_of(&read.result));
    shown.check_names(&sorted_names(
        comparison.default.odds.order.iter().cloned(),
        compared,
    ))?;
    comparison
        .default
        .odds
        .order
        .retain(|name| shown.includes(name));
    for read in &mut comparison.alternatives {
        if let ReadingResult::Compared(difference) = &mut read.result {
            difference
                .outcomes
                .retain(|outcome| shown.includes(&outcome.outcome));
            difference.causes.retain(|(name, _)| shown.includes(name));
        }
        if let Some(view) = &mut read.view {
            view.odds.order.retain(|name| shown.includes(name));
        }
    }
    Ok(())
}

fn difference_of(read: &ReadingResult) -> Option<&RulesetDifference> {
    if let ReadingResult::Compared(difference) = read {
        Some(difference)
    } else {
        None
    }
}

/// The readings that change something, those that change nothing, those that are not decided, and those that could not be counted.
#[derive(Default)]
struct SortedReadings<'a> {
    changed: Vec<(&'a AlternativeReading, &'a RulesetDifference)>,
    idle: Vec<ReadAs<'a>>,
    open: Vec<ReadAs<'a>>,
    broken: Vec<LeftOutReading<'a>>,
}

impl SortedReadings<'_> {
    fn new(comparison: &ReadingComparison) -> SortedReadings<'_> {
        let (mut sorted, mut timed_out) = (SortedReadings::default(), Vec::new());
        for read in &comparison.alternatives {
            let (reading, way) = (&*read.reading, &*read.way);
            let read_as = ReadAs { reading, way };
            match &read.result {
                ReadingResult::TimedOut => timed_out.push(read_as),
                ReadingResult::Failed(why) => {
                    sorted.broken.push(LeftOutReading { reading, way, why });
                }
                ReadingResult::Compared(difference) => match difference.verdict() {
                    DifferenceVerdict::Differs => sorted.changed.push((read, difference)),
                    DifferenceVerdict::Same => sorted.idle.push(read_as),
                    DifferenceVerdict::Undecided => sorted.open.push(read_as),
                },
            }
        }
        sorted.open.extend(timed_out);
        sorted
    }
}

/// Reports the effect of each reading.
fn readings_report(comparison: &ReadingComparison) -> ReadingsReport<'_> {
    let SortedReadings {
        changed,
        idle,
        open,
        broken,
    } = SortedReadings::new(comparison);
    let counted = |view: &RulesetView| CountedReport::new(&view.odds, None, false);
    let changed = changed
        .into_iter()
        .map(|(read, difference)| ChangedReading {
            reading: &read.reading,
            way: &read.way,
            verdict: difference.verdict(),
            pairs: difference.runs,
            outcomes: outcome_reports(difference),
            odds: read.view.as_ref().map(counted),
        });
    ReadingsReport {
        subject: OddsSubject::new(&comparison.default.situation),
        default: counted(&comparison.default),
        changed: changed.collect(),
        idle,
        not_decided: open,
        left_out: broken,
    }
}

/// Returns the effect of each reading; with `brief` one line each.
fn readings(comparison: &ReadingComparison, brief: bool) -> Vec<AnswerBlock> {
    let SortedReadings {
        changed,
        idle,
        open,
        broken,
    } = SortedReadings::new(comparison);
    let mut blocks = vec![subject(&comparison.default, &comparison.default.title)];
    for (read, difference) in changed {
        let titles = ["as it is read", &*format!("{}={}", read.reading, read.way)];
        blocks.push(verdict_block(difference, titles, brief));
        if let Some(view) = read.view.as_ref().filter(|_| !brief) {
            let grid = OddsGrid::of_pair([&comparison.default, view], titles, difference);
            let differing = difference.with_verdict(DifferenceVerdict::Differs);
            let names: Vec<String> = differing.map(|one| one.outcome.clone()).collect();
            blocks.extend(grid.changes(&names, MAX_VALUES));
        }
    }
    let runs = comparison
        .alternatives
        .iter()
        .filter_map(|read| difference_of(&read.result))
        .map(|difference| difference.runs);
    let runs_text = runs.filter(|runs| *runs > 0).min();
    let runs_text = runs_text.map_or(String::new(), |runs| {
        format!(" in {runs} pairs of runs each, where there was time")
    });
    let list = |title: &str, list: Vec<ReadAs>| {
        let readings = list.iter();
        let readings = readings.map(|read| format!("{}={}", read.reading, read.way));
        let line = readings.collect::<Vec<_>>().join("; ");
        AnswerBlock::list(title, Some(line).filter(|line| !line.is_empty()))
    };
    let broken = broken.iter();
    let broken = broken.map(|read| format!("{}={}: {}", read.reading, read.way, read.why));
    let not_decided = format!(
        "not decided: no difference was found{runs_text}; --limit SECONDS allows more time"
    );
    blocks.extend([
        list("change nothing here (proved)", idle),
        list(&not_decided, open),
        AnswerBlock::list("left out", broken),
    ]);
    blocks
}
