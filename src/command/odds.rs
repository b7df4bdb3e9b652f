//! `casebook odds`: counts exactly, or reports that it can't and samples.

use crate::command::choices;
use crate::command::counting::{OddsAnswer, OddsArgs, partly_text};
use crate::command::out::Printer;
use crate::command::profile;
use crate::command::targets::{is_journal, read_journal, resolve_target};
use casebook_analysis::odds::assumptions::CountedOdds;
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::best_play::{BestPlayOdds, best_play};
use casebook_analysis::odds::count::CountResult;
use casebook_analysis::odds::distribution::{
    self, Condition, LikeliestJoint, Odds, conditional_odds,
};
use casebook_analysis::odds::fold::Strategy;
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::odds::headline::{headline_values, sentence};
use casebook_analysis::odds::joint_table::{JointOutcome, rows};
use casebook_analysis::odds::measure::Measure;
use casebook_analysis::odds::query::OddsResult;
use casebook_analysis::odds::report::{CountedReport, GivenConditions, JointReport, OddsReport};
use casebook_analysis::odds::rounds::RoundsOdds;
use casebook_analysis::odds::sample::{Estimate, Sample};
use casebook_analysis::usecase;
use casebook_checks::author::headline_checks::check_headline_of;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::policy::PolicyKind;
use casebook_view::block::AnswerBlock;
use casebook_view::odds::{chance_text, charts, summary};
use std::sync::Arc;

/// Runs `odds`.
pub fn odds(library: &Arc<Library>, args: &OddsArgs, out: Printer) -> Result<(), Error> {
    let (target, overrides) = (&*args.situation, args.set.overrides()?);
    if args.after.is_some() && !is_journal(target) {
        return Err(Error::Usage(format!(
            "--after goes back to a move of a journal, and {target} is a situation: it begins at its beginning"
        )));
    }
    let (name, spec, situation) = match is_journal(target) {
        true => {
            let (journal, situation) = from_journal(library, args, &overrides)?;
            (journal.situation.clone(), journal.spec(), situation)
        }
        false => {
            let (name, spec) = resolve_target(library, target, &args.ruleset)?;
            let situation = Situation::with_overrides(library, &spec, &name, &overrides)?;
            (name, spec, situation)
        }
    };
    let ruleset = situation.ruleset().clone();
    let settings = args.settings();
    let (policies, measure) = (settings.policies(&ruleset.game)?, settings.measure()?);
    if let Some(rule) = &args.by {
        return choices::print_effect(
            library,
            (&name, &overrides),
            (&spec, &ruleset),
            rule,
            args,
            out,
        );
    }
    if policies.any(|kind| *kind == PolicyKind::All)
        && settings.matrix.is_none()
        && (measure.is_some() || !args.joint.is_empty() || !args.given.is_empty())
    {
        let message = "a policy `all` gives the range of every outcome, whatever is chosen; --given, --joint and --measure have no effect with it";
        return Err(Error::Usage(format!(
            "{message}: leave them out, or settle the choices otherwise"
        )));
    }
    if !args.shown.only.is_empty() && (settings.matrix.is_some() || !args.joint.is_empty()) {
        let flag = if settings.matrix.is_some() {
            "--matrix shows what its question is worth"
        } else {
            "--joint names its outcomes itself"
        };
        return Err(Error::Usage(format!(
            "{flag}: --only has no effect with it: leave it out"
        )));
    }
    let CountedOdds {
        result: found,
        assumptions,
        policies,
    } = args.with_progress(|limits| {
        usecase::odds::odds(&situation, &settings, args.sample_query(), limits)
    })?;
    check_headline_of(&situation, |name| found.odds.distribution(name).is_some())?;
    let scope = match situation.scenario.is_game {
        true => format!(
            "of {}, with which this begins; --rounds 1 counts a whole round, --runs 100 plays it to its end",
            situation.procedure
        ),
        false => String::new(),
    };
    let answer = OddsAnswer {
        args,
        situation: &situation,
        scope,
        assumptions: &assumptions,
        out,
    };
    if let (Some(question), Some(measure)) = (&settings.matrix, &measure) {
        return choices::print_matrix(&answer, &found.counted, &policies, question, measure);
    }
    if policies.any(|kind| *kind == PolicyKind::All) {
        return choices::print_ranges(&answer, &found.counted);
    }
    if !args.joint.is_empty() {
        return answer.print_joint(&found, measure.as_ref());
    }
    let conditions = args.sample_query().conditions;
    if let Some(sample) = &found.sample {
        return answer.print_sampled(&found, sample, &conditions);
    }
    let played = best_play(&found.counted, &found.odds, measure.as_ref())?;
    let (mut odds, share) = odds_under_conditions(&found.counted, &played, &conditions)?;
    retain_requested(&mut odds, None, args)?;
    let is_whole = conditions.is_empty() && args.shown.only.is_empty() && !args.shown.brief;
    let likeliest = match is_whole && !out.is_json() {
        true => likeliest(&found.counted, &played, args.exact)?,
        false => None,
    };
    let report = || {
        let report = usecase::odds::report(&situation, &odds, None, args.exact);
        OddsReport {
            given: share
                .as_ref()
                .map(|share| GivenConditions::counted(&conditions, share)),
            profile: profile::asked(&found.counted, &situation, args),
            ..report.with_play(&played, measure.as_ref())
        }
    };
    answer.print(report, || {
        let given = share.as_ref().map(|share| {
            let chance = format!("{} ({share})", percent(share.to_f64()));
            given_text(&conditions, &chance)
        });
        let mut blocks = vec![answer.head(given)];
        let strategy = choices::strategy(&played, measure.as_ref(), &policies, args.exact);
        let is_of_all = !strategy.is_empty() && !conditions.is_empty();
        blocks.extend(strategy);
        if is_of_all {
            let of_all = "(this is of all chances, not only of those given)";
            blocks.push(AnswerBlock::text(of_all));
        }
        blocks.extend(requested(&odds, None, args, &situation));
        blocks.extend(likeliest);
        blocks
    });
    answer.print_profile(&found.counted);
    Ok(())
}

impl OddsAnswer<'_> {
    /// Prints where the states of a count arise, if it is asked for or worth a note.
    fn print_profile(&self, counted: &CountResult) {
        if !self.out.is_json() {
            let page = self.out.page;
            print!(
                "{}",
                profile::render(counted, self.situation, self.args, page)
            );
        }
    }
}

fn given_text(conditions: &[Condition], chance: &str) -> String {
    let conditions = conditions_text(conditions);
    format!("given {conditions}, which has a chance of {chance}")
}

/// Builds the situation that remains after the moves of a journal, or after the given number of them.
fn from_journal(
    library: &Arc<Library>,
    args: &OddsArgs,
    overrides: &Overrides,
) -> Result<(Journal, Situation), Error> {
    let (mut journal, mut places) = read_journal(&args.situation, &args.ruleset, overrides)?;
    if args.by.is_some() {
        return Err(Error::Usage(
            "--by compares rulesets from the beginning: give the situation, not a journal".into(),
        ));
    }
    if let Some(after) = args.after {
        if after > journal.moves.len() {
            return Err(Error::Usage(format!(
                "--after {after}: the journal has {} throws and choices",
                journal.moves.len()
            )));
        }
        journal.moves.truncate(after);
        places.truncate(after);
    }
    let session = journal.play_back(library, &places, args.strict)?;
    if session.is_over() {
        return Err(Error::Usage(
            "this journal goes to its end, and nothing is left to come: --after N goes back to where N answers were given".into(),
        ));
    }
    Ok((journal, session.remaining()))
}

/// Returns the headline, and the requested outcomes.
fn requested(
    odds: &Odds,
    sample: Option<&Sample>,
    args: &OddsArgs,
    situation: &Situation,
) -> Vec<AnswerBlock> {
    let headline = match args.shown.only.is_empty() {
        true => sentence(&headline_values(situation, odds, sample)),
        false => String::new(),
    };
    let mut blocks = vec![AnswerBlock::text(headline)];
    match args.shown.brief {
        true => blocks.push(summary(odds, sample, &situation.ruleset().game)),
        false => {
            let is_exact = args.exact && sample.is_none();
            blocks.extend(charts(odds, sample, is_exact, situation));
        }
    }
    blocks
}

/// Keeps only the requested outcomes.
fn retain_requested(
    odds: &mut Odds,
    sample: Option<&mut Sample>,
    args: &OddsArgs,
) -> Result<(), Error> {
    let counts = sample
        .iter()
        .flat_map(|sample| &sample.counts)
        .map(|(name, _)| name.clone());
    args.shown
        .check_names(&odds.order.iter().cloned().chain(counts).collect::<Vec<_>>())?;
    odds.order.retain(|name| args.shown.includes(name));
    odds.outcomes.retain(|name, _| args.shown.includes(name));
    if let Some(sample) = sample {
        sample.counts.retain(|(name, _)| args.shown.includes(name));
    }
    Ok(())
}

/// Fails on an outcome that neither the count nor the sample produced.
fn check_outcome(result: &OddsResult, name: &str) -> Result<(), Error> {
    let sampled = |name: &str| {
        result
            .sample
            .as_ref()
            .is_some_and(|sample| sample.counts.iter().any(|(outcome, _)| outcome == name))
    };
    if sampled(name) {
        Ok(())
    } else {
        result.odds.check_outcome(name)
    }
}

/// Fails on a condition that compares by size with what is no number: it never holds, whatever happens.
fn check_comparison(condition: &Condition) -> Result<(), Error> {
    let Condition { name, sign, value } = condition;
    if !sign.contains(['<', '>']) || value.parse::<i64>().is_ok() {
        return Ok(());
    }
    let help =
        "write a number, as in `losses >= 2`; --joint 'one, other' shows two outcomes together";
    Err(Error::Usage(format!(
        "`{name} {sign} {value}` does not compare with a number: {help}"
    )))
}

fn conditions_text(conditions: &[Condition]) -> String {
    conditions
        .iter()
        .map(|c| format!("{} {} {}", c.name, c.sign, c.value))
        .collect::<Vec<_>>()
        .join(" and ")
}

/// Conditions the odds and returns them with the probability of the conditions. Fails on an unknown outcome.
fn odds_under_conditions(
    counted: &CountResult,
    played: &BestPlayOdds,
    conditions: &[Condition],
) -> Result<(Odds, Option<Fraction>), Error> {
    if conditions.is_empty() {
        return Ok((played.odds.clone(), None));
    }
    conditions
        .iter()
        .try_for_each(|condition| played.odds.check_outcome(&condition.name))?;
    conditions.iter().try_for_each(check_comparison)?;
    let (conditioned, share) =
        conditional_odds(counted, &played.odds, conditions, &played.strategy)?;
    let text = conditions_text(conditions);
    if share.is_zero() {
        let values = |condition: &Condition| {
            let list = played.odds.distribution(&condition.name).map(|list| {
                list.iter()
                    .map(|(value, _)| value)
                    .collect::<Vec<_>>()
                    .join(", ")
            });
            format!("{} can be {}", condition.name, list.unwrap_or_default())
        };
        let possible_values = conditions.iter().map(values).collect::<Vec<_>>().join("; ");
        return Err(Error::Usage(format!(
            "`{text}` never happens here: {possible_values}"
        )));
    }
    Ok((conditioned.conditioned_on(&share)?, Some(share)))
}

/// Maximum number of rows of a joint distribution; more are unreadable.
const MAX_ROWS: usize = 2_000;

/// Returns the values of all outcomes that come up together most often; `None` if there are no outcomes, or too many.
fn likeliest(
    counted: &CountResult,
    played: &BestPlayOdds,
    exact: bool,
) -> Result<Option<AnswerBlock>, Error> {
    let order = &played.odds.order;
    if order.is_empty() {
        return Ok(None);
    }
    let found = distribution::likeliest_joint(counted, order, &played.strategy, MAX_ROWS)?;
    let block = |found: LikeliestJoint| {
        let fraction = match exact {
            true => format!(" = {}", found.chance),
            false => String::new(),
        };
        let ties = match found.ties.saturating_sub(1) {
            0 => String::new(),
            1 => ", as likely as 1 other".into(),
            count => format!(", as likely as {count} others"),
        };
        let value = |name: &String| Some(format!("{name} {}", found.values.get(name)?));
        let values: Vec<String> = order.iter().filter_map(value).collect();
        let values = match values.is_empty() {
            true => "nothing comes up".into(),
            false => values.join(", "),
        };
        let chance = percent(found.chance.to_f64());
        let title = format!("Most likely of all, {chance}{fraction}{ties}");
        AnswerBlock::section(title, vec![AnswerBlock::text(values)])
    };
    Ok(found.map(block))
}

impl OddsAnswer<'_> {
    /// Prints the counted and the sampled part of the odds.
    fn print_sampled(
        &self,
        result: &OddsResult,
        sample: &Sample,
        conditions: &[Condition],
    ) -> Result<(), Error> {
        let (args, situation) = (self.args, self.situation);
        let (mut odds, mut sample) = (result.odds.clone(), sample.clone());
        if !conditions.is_empty() {
            conditions
                .iter()
                .try_for_each(|condition| check_outcome(result, &condition.name))?;
            conditions.iter().try_for_each(check_comparison)?;
            let (conditioned, share) = conditional_odds(
                &result.counted,
                &result.odds,
                conditions,
                &Strategy::default(),
            )?;
            (odds, sample.condition_chance) = (conditioned, Some(share.to_f64()));
            if share.is_zero() && sample.matching_runs == 0 {
                return Err(Error::Usage(format!(
                    "`{}` did not happen in what was counted and sampled",
                    conditions_text(conditions)
                )));
            }
        }
        retain_requested(&mut odds, Some(&mut sample), args)?;
        let condition = || sample.estimate_condition();
        let report = || OddsReport {
            given: condition().map(|Estimate { share, error }| {
                GivenConditions::sampled(conditions, (share, Some(error)))
            }),
            profile: profile::asked(&result.counted, situation, args),
            ..usecase::odds::report(situation, &odds, Some(&sample), args.exact)
        };
        self.print(report, || {
            let partly = partly_text(&result.odds, &sample, "", self.out.page);
            let given = condition().map(|Estimate { share, error }| {
                given_text(conditions, &chance_text(share, Some(error)))
            });
            let mut blocks = vec![self.head([partly].into_iter().chain(given))];
            blocks.extend(requested(&odds, Some(&sample), args, situation));
            blocks
        });
        self.print_profile(&result.counted);
        Ok(())
    }

    /// Prints the joint distribution of several outcomes under the conditions, likeliest first.
    fn print_joint(&self, result: &OddsResult, measure: Option<&Measure>) -> Result<(), Error> {
        let args = self.args;
        let conditions = args.sample_query().conditions;
        args.joint
            .iter()
            .chain(conditions.iter().map(|condition| &condition.name))
            .try_for_each(|name| check_outcome(result, name))?;
        conditions.iter().try_for_each(check_comparison)?;
        let strategy = if result.sample.is_some() {
            Strategy::default()
        } else {
            best_play(&result.counted, &result.odds, measure)?.strategy
        };
        let (rows, condition_chance) = rows(result, &args.joint, &conditions, &strategy)?;
        if rows.is_empty() {
            let text = conditions_text(&conditions);
            return Err(Error::Usage(format!("`{text}` never happens here")));
        }
        let report = || {
            let given = (!conditions.is_empty())
                .then(|| GivenConditions::sampled(&conditions, condition_chance));
            JointReport::new(result, &args.joint, &rows, given)
        };
        self.print(report, || {
            let sampled = result.sample.as_ref();
            let partly = sampled.map(|sample| partly_text(&result.odds, sample, "", self.out.page));
            let given = (!conditions.is_empty()).then(|| {
                let (share, error) = condition_chance;
                given_text(&conditions, &chance_text(share, error))
            });
            let head = args
                .joint
                .iter()
                .cloned()
                .chain(["chance".into()])
                .collect();
            let row = |row: &JointOutcome| {
                let fraction = match args.exact && row.error.is_none() {
                    true => format!(" = {}", row.counted),
                    false => String::new(),
                };
                let named = row.values.iter().zip(&args.joint);
                let values = named.map(|(value, name)| result.odds.shown(name, value).to_string());
                let chance = chance_text(row.chance, row.error) + &*fraction;
                values.chain([chance]).collect()
            };
            let rows = rows.iter().map(row).collect();
            let notes = partly.into_iter().chain(given);
            vec![self.head(notes), AnswerBlock::Table { head, rows }]
        });
        Ok(())
    }
}

/// Runs `odds --rounds`: odds after a number of rounds of a game's sequence of play.
pub fn rounds(
    library: &Arc<Library>,
    args: &OddsArgs,
    rounds: u64,
    out: Printer,
) -> Result<(), Error> {
    let overrides = args.set.overrides()?;
    if is_journal(&args.situation) {
        return Err(Error::Usage(
            "--rounds counts a game from its beginning: give the situation, not a journal".into(),
        ));
    }
    let (name, spec) = resolve_target(library, &args.situation, &args.ruleset)?;
    let situation = Situation::with_overrides(library, &spec, &name, &overrides)?;
    let (result, assumptions) = args.with_progress(|limits| {
        usecase::odds::rounds(&situation, &args.settings(), rounds, limits)
    })?;
    let RoundsOdds {
        mut odds,
        mut sample,
        ..
    } = result;
    retain_requested(&mut odds, sample.as_mut(), args)?;
    let text = match rounds {
        1 => "the round under way".into(),
        rounds => format!("{rounds} rounds"),
    };
    let answer = OddsAnswer {
        args,
        situation: &situation,
        scope: format!("of {text} of the sequence of play, the final value of each outcome"),
        assumptions: &assumptions,
        out,
    };
    let report = || OddsReport {
        rounds: Some(rounds),
        ..OddsReport::new(CountedReport::new(&odds, sample.as_ref(), args.exact))
    };
    answer.print(report, || {
        let partly = sample.as_ref().map(|sample| {
            let partly = partly_text(&odds, sample, " to the end of these rounds", out.page);
            format!("{partly} Fewer --rounds take less time.")
        });
        let mut blocks = vec![answer.head(partly)];
        blocks.extend(requested(&odds, sample.as_ref(), args, &situation));
        blocks
    });
    Ok(())
}
