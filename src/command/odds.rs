//! `casebook odds`: counts exactly, or reports that it can't and samples.

use crate::command::choices::{self, render_assumptions};
use crate::command::counting::{OddsArgs, partly_text};
use crate::command::out::{Printer, print_json};
use crate::command::profile;
use crate::command::targets::{is_journal, read_journal, resolve_target};
use casebook_analysis::odds::assumptions::{Assumptions, CountedOdds};
use casebook_analysis::odds::bar_chart::{draw, percent, summarize};
use casebook_analysis::odds::best_play::{BestPlayOdds, best_play};
use casebook_analysis::odds::count::CountResult;
use casebook_analysis::odds::distribution::{
    self, Condition, LikeliestJoint, Odds, conditional_odds,
};
use casebook_analysis::odds::fold::Strategy;
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::odds::headline::{headline_values, sentence};
use casebook_analysis::odds::joint_table::rows;
use casebook_analysis::odds::measure::Measure;
use casebook_analysis::odds::query::OddsResult;
use casebook_analysis::odds::report::{
    CountedReport, GivenConditions, JointReport, OddsReport, Qualified,
};
use casebook_analysis::odds::rounds::RoundsOdds;
use casebook_analysis::odds::sample::{Estimate, Sample};
use casebook_analysis::usecase;
use casebook_checks::author::headline_checks::check_headline_of;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::overrides::{self, Overrides};
use casebook_engine::situation::policy::PolicyKind;
use casebook_view::text::push_table;
use std::sync::Arc;

/// Runs `odds`.
pub fn odds(library: &Arc<Library>, ask: &OddsArgs, out: Printer) -> Result<(), Error> {
    let (target, overrides, page) = (&*ask.situation, ask.set.overrides()?, out.page);
    if ask.after.is_some() && !is_journal(target) {
        return Err(Error::Usage(format!(
            "--after goes back to a move of a journal, and {target} is a situation: it begins at its beginning"
        )));
    }
    let (name, spec, situation) = match is_journal(target) {
        true => from_journal(library, ask, &overrides)?,
        false => {
            let (name, spec) = resolve_target(library, target, &ask.ruleset)?;
            let situation = Situation::with_overrides(library, &spec, &name, &overrides)?;
            (name, spec, situation)
        }
    };
    let ruleset = situation.ruleset().clone();
    let settings = ask.settings();
    let (policies, measure) = (settings.policies(&ruleset.game)?, settings.measure()?);
    if let Some(what) = &ask.by {
        return choices::print_effect(
            library,
            (&name, &overrides),
            (&spec, &ruleset),
            what,
            ask,
            out,
        );
    }
    if policies.any(|kind| *kind == PolicyKind::All)
        && settings.matrix.is_none()
        && (measure.is_some() || !ask.joint.is_empty() || !ask.given.is_empty())
    {
        let what = "a policy `all` gives the range of every outcome, whatever is chosen; --given, --joint and --measure have no effect with it";
        return Err(Error::Usage(format!(
            "{what}: leave them out, or settle the choices otherwise"
        )));
    }
    if !ask.shown.only.is_empty() && (settings.matrix.is_some() || !ask.joint.is_empty()) {
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
        mut assumptions,
        policies,
    } = ask.with_progress(|limits| {
        usecase::odds::odds(&situation, &settings, ask.sample_query(), limits)
    })?;
    check_headline_of(&situation, |name| found.odds.distribution(name).is_some())?;
    // The branches below print the head once they have something to print.
    let title = page.paint("2", &format!("odds · {}", ruleset.title()));
    let mut head = format!("{}\n{title}", page.paint("1", &situation.scenario.title));
    if situation.scenario.is_game {
        let procedure_text = format!(
            "of {}, with which this begins; --rounds 1 counts a whole round, --runs 100 plays it to its end",
            situation.procedure
        );
        head += &format!("\n{}", page.paint("2", &procedure_text));
    }
    assumptions.list_all = ask.shown.sources;
    if !situation.scenario.set.is_empty() {
        head += &format!(
            "\n{}",
            page.paint("2", &overrides::describe(&situation.scenario.set))
        );
    }
    if let (Some(what), Some(measure)) = (&settings.matrix, &measure) {
        return choices::print_matrix(
            &found.counted,
            &policies,
            (what, measure),
            (&head, &assumptions),
            ask,
            out,
        );
    }
    if policies.any(|kind| *kind == PolicyKind::All) {
        return choices::print_ranges(&found.counted, &head, &assumptions, ask, out);
    }
    if !ask.joint.is_empty() {
        return print_joint(&found, ask, measure.as_ref(), (&head, &assumptions), out);
    }
    let conditions = ask.sample_query().conditions;
    if let Some(sample) = &found.sample {
        return print_sampled(
            &found,
            sample,
            (&conditions, ask, &situation),
            (&head, &assumptions),
            out,
        );
    }
    let played = best_play(&found.counted, &found.odds, measure.as_ref())?;
    let (mut odds, share) = odds_under_conditions(&found.counted, &played, &conditions)?;
    retain_requested(&mut odds, None, ask)?;
    if out.is_json() {
        let report = usecase::odds::report(&situation, &odds, None, ask.exact);
        let report = OddsReport {
            given: share.map(|share| GivenConditions::counted(&conditions, &share)),
            profile: profile::asked(&found.counted, &situation, ask),
            ..report.with_play(&played, measure.as_ref())
        };
        print_json(&Qualified::new(report, &assumptions));
        return Ok(());
    }
    println!("{head}");
    if let Some(share) = share {
        let condition_text = format!(
            "given {}, which has a chance of {} ({share})",
            conditions_text(&conditions),
            percent(share.to_f64())
        );
        println!("{}", page.paint("2", &condition_text));
    }
    let head = choices::measure_text(&played, measure.as_ref(), &policies, ask.exact, page);
    print!("{head}");
    if !head.is_empty() && !conditions.is_empty() {
        println!("  (this is of all chances, not only of those given)");
    }
    print!("{}", render_odds(&odds, None, ask, &situation, page));
    if conditions.is_empty() && ask.shown.only.is_empty() && !ask.shown.brief {
        print_likeliest(&found.counted, &played, ask.exact, page)?;
    }
    print!(
        "{}{}",
        render_assumptions(&assumptions, ask, page),
        profile::render(&found.counted, &situation, ask, page)
    );
    Ok(())
}

/// Builds the situation that remains after the moves of a journal, or after the given number of them.
fn from_journal(
    library: &Arc<Library>,
    ask: &OddsArgs,
    overrides: &Overrides,
) -> Result<(String, RulesetSpec, Situation), Error> {
    let (mut journal, mut places) = read_journal(&ask.situation, &ask.ruleset, overrides)?;
    if ask.by.is_some() {
        return Err(Error::Usage(
            "--by compares rulesets from the beginning: give the situation, not a journal".into(),
        ));
    }
    if let Some(after) = ask.after {
        if after > journal.moves.len() {
            return Err(Error::Usage(format!(
                "--after {after}: the journal has {} throws and choices",
                journal.moves.len()
            )));
        }
        journal.moves.truncate(after);
        places.truncate(after);
    }
    let session = journal.play_back(library, &places, ask.strict)?;
    if session.is_over() {
        return Err(Error::Usage(
            "this journal goes to its end, and nothing is left to come: --after N goes back to where N answers were given".into(),
        ));
    }
    Ok((
        journal.situation.clone(),
        journal.spec(),
        session.remaining(),
    ))
}

/// Renders the requested part of the odds.
fn render_odds(
    odds: &Odds,
    sample: Option<&Sample>,
    ask: &OddsArgs,
    situation: &Situation,
    page: TerminalPage,
) -> String {
    let headline = match ask.shown.only.is_empty() {
        true => sentence(&headline_values(situation, odds, sample)),
        false => String::new(),
    };
    let head: String = if headline.is_empty() {
        headline
    } else {
        format!("\n{}", page.line(&headline, &[]))
    };
    let body = match ask.shown.brief {
        true => summarize(odds, sample, &situation.ruleset().game),
        false => draw(odds, sample, ask.exact && sample.is_none(), situation, page),
    };
    [head, body].concat()
}

/// Keeps only the requested outcomes.
fn retain_requested(
    odds: &mut Odds,
    sample: Option<&mut Sample>,
    ask: &OddsArgs,
) -> Result<(), Error> {
    let counts = sample
        .iter()
        .flat_map(|sample| &sample.counts)
        .map(|(name, _)| name.clone());
    ask.shown
        .check_names(&odds.order.iter().cloned().chain(counts).collect::<Vec<_>>())?;
    odds.order.retain(|name| ask.shown.includes(name));
    odds.outcomes.retain(|name, _| ask.shown.includes(name));
    if let Some(sample) = sample {
        sample.counts.retain(|(name, _)| ask.shown.includes(name));
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

fn print_likeliest(
    counted: &CountResult,
    played: &BestPlayOdds,
    exact: bool,
    page: TerminalPage,
) -> Result<(), Error> {
    let order = &played.odds.order;
    let likeliest = if order.is_empty() {
        None
    } else {
        distribution::likeliest_joint(counted, order, &played.strategy, MAX_ROWS)?
    };
    let Some(LikeliestJoint {
        values: row,
        chance,
        ties: equal_count,
    }) = likeliest
    else {
        return Ok(());
    };
    let outcome_texts: Vec<String> = order
        .iter()
        .filter_map(|name| row.get(name).map(|value| format!("{name} {value}")))
        .collect();
    let fraction = if exact {
        format!(" = {chance}")
    } else {
        String::new()
    };
    let ties_text = if equal_count > 1 {
        format!(
            ", as likely as {} other{}",
            equal_count - 1,
            if equal_count == 2 { "" } else { "s" }
        )
    } else {
        String::new()
    };
    let outcome_texts = if outcome_texts.is_empty() {
        vec!["nothing comes up".into()]
    } else {
        outcome_texts
    };
    println!(
        "\n{}",
        page.paint(
            "1",
            &format!(
                "Most likely of all, {}{fraction}{ties_text}",
                percent(chance.to_f64())
            )
        )
    );
    print!("{}", page.line(&outcome_texts.join(", "), &[]));
    Ok(())
}

/// Prints the counted and the sampled part of the odds.
fn print_sampled(
    result: &OddsResult,
    sample: &Sample,
    (conditions, ask, situation): (&[Condition], &OddsArgs, &Situation),
    (head, assumptions): (&str, &Assumptions),
    out: Printer,
) -> Result<(), Error> {
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
    retain_requested(&mut odds, Some(&mut sample), ask)?;
    let (condition, page) = (sample.estimate_condition(), out.page);
    if out.is_json() {
        let given = condition.map(|Estimate { share, error }| {
            GivenConditions::sampled(conditions, (share, Some(error)))
        });
        let report = OddsReport {
            given,
            profile: profile::asked(&result.counted, situation, ask),
            ..usecase::odds::report(situation, &odds, Some(&sample), ask.exact)
        };
        print_json(&Qualified::new(report, assumptions));
        return Ok(());
    }
    println!("{head}");
    print!(
        "{}",
        page.line(&partly_text(&result.odds, &sample, "", page), &[])
    );
    if let Some(Estimate { share, error }) = condition {
        let head = format!(
            "given {}, which has a chance of {} ± {:.1}",
            conditions_text(conditions),
            percent(share),
            error * 100.0
        );
        println!("{}", page.paint("2", &head));
    }
    print!(
        "{}{}",
        render_odds(&odds, Some(&sample), ask, situation, page),
        render_assumptions(assumptions, ask, page)
    );
    print!("{}", profile::render(&result.counted, situation, ask, page));
    Ok(())
}

/// Prints the joint distribution of several outcomes under the conditions, likeliest first.
fn print_joint(
    result: &OddsResult,
    ask: &OddsArgs,
    measure: Option<&Measure>,
    (head, assumptions): (&str, &Assumptions),
    out: Printer,
) -> Result<(), Error> {
    let conditions = ask.sample_query().conditions;
    ask.joint
        .iter()
        .chain(conditions.iter().map(|condition| &condition.name))
        .try_for_each(|name| check_outcome(result, name))?;
    conditions.iter().try_for_each(check_comparison)?;
    let strategy = if result.sample.is_some() {
        Strategy::default()
    } else {
        best_play(&result.counted, &result.odds, measure)?.strategy
    };
    let (rows, condition_chance) = rows(result, &ask.joint, &conditions, &strategy)?;
    let text = conditions_text(&conditions);
    if rows.is_empty() {
        return Err(Error::Usage(format!("`{text}` never happens here")));
    }
    if out.is_json() {
        let given = (!conditions.is_empty())
            .then(|| GivenConditions::sampled(&conditions, condition_chance));
        let report = JointReport::new(result, &ask.joint, &rows, given);
        print_json(&Qualified::new(report, assumptions));
        return Ok(());
    }
    let page = out.page;
    println!("{head}");
    if let Some(sample) = &result.sample {
        print!(
            "{}",
            page.line(&partly_text(&result.odds, sample, "", page), &[])
        );
    }
    if !conditions.is_empty() {
        let error = condition_chance
            .1
            .map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0));
        println!(
            "{}",
            page.paint(
                "2",
                &format!(
                    "given {text}, which has a chance of {}{error}",
                    percent(condition_chance.0)
                )
            )
        );
    }
    let mut lines = vec![
        ask.joint
            .iter()
            .cloned()
            .chain(["chance".to_string()])
            .collect::<Vec<_>>(),
    ];
    for row in &rows {
        let error = row
            .error
            .map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0));
        let fraction = if ask.exact && row.error.is_none() {
            format!(" = {}", row.counted)
        } else {
            String::new()
        };
        let chance = format!("{}{error}{fraction}", percent(row.chance));
        lines.push(
            row.values
                .iter()
                .zip(&ask.joint)
                .map(|(value, name)| result.odds.shown(name, value).to_string())
                .chain([chance])
                .collect(),
        );
    }
    let mut table = String::from("\n");
    push_table(&mut table, &lines[0], &lines[1..]);
    print!("{table}{}", render_assumptions(assumptions, ask, page));
    Ok(())
}

/// Runs `odds --rounds`: odds after a number of rounds of a game's sequence of play.
pub fn rounds(
    library: &Arc<Library>,
    ask: &OddsArgs,
    rounds: u64,
    out: Printer,
) -> Result<(), Error> {
    let overrides = ask.set.overrides()?;
    if is_journal(&ask.situation) {
        return Err(Error::Usage(
            "--rounds counts a game from its beginning: give the situation, not a journal".into(),
        ));
    }
    let (name, spec) = resolve_target(library, &ask.situation, &ask.ruleset)?;
    let situation = Situation::with_overrides(library, &spec, &name, &overrides)?;
    let (result, mut assumptions) = ask.with_progress(|limits| {
        usecase::odds::rounds(&situation, &ask.settings(), rounds, limits)
    })?;
    let RoundsOdds {
        mut odds,
        mut sample,
        ..
    } = result;
    assumptions.list_all = ask.shown.sources;
    retain_requested(&mut odds, sample.as_mut(), ask)?;
    if out.is_json() {
        let report = OddsReport {
            rounds: Some(rounds),
            ..OddsReport::new(CountedReport::new(&odds, sample.as_ref(), ask.exact))
        };
        print_json(&Qualified::new(report, &assumptions));
        return Ok(());
    }
    let page = out.page;
    println!("{}", page.paint("1", &situation.scenario.title));
    println!(
        "{}",
        page.paint("2", &format!("odds · {}", situation.ruleset().title()))
    );
    let rounds_text = if rounds == 1 {
        "the round under way".into()
    } else {
        format!("{rounds} rounds")
    };
    println!(
        "{}",
        page.paint(
            "2",
            &format!("of {rounds_text} of the sequence of play, the final value of each outcome")
        )
    );
    let set = overrides::describe(&situation.scenario.set);
    if !set.is_empty() {
        println!("{}", page.paint("2", &set));
    }
    if let Some(sample) = &sample {
        println!(
            "{}",
            partly_text(&odds, sample, " to the end of these rounds", page)
        );
        println!("Fewer --rounds take less time.");
    }
    print!(
        "{}{}",
        render_odds(&odds, sample.as_ref(), ask, &situation, page),
        render_assumptions(&assumptions, ask, page)
    );
    Ok(())
}
