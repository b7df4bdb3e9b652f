//! A comparison of two rulesets in words: the verdict, its causes, and the outcomes that are the same or not decided.

use crate::block::AnswerBlock;
use casebook_analysis::compare::causes::Cause;
use casebook_analysis::compare::ruleset_difference::RulesetDifference;
use casebook_analysis::compare::verdicts::{DifferenceVerdict, OutcomeDifference};

/// The outcomes with the same causes, where these were searched for and found.
type CauseGroup<'a> = (Vec<&'a str>, Option<&'a [Cause]>);

pub fn verdict_sentence(difference: &RulesetDifference, titles: [&str; 2]) -> String {
    let word = match difference.verdict() {
        DifferenceVerdict::Differs => "differ",
        DifferenceVerdict::Same => "give the same outcomes (proved; boards are not compared)",
        DifferenceVerdict::Undecided => "may differ or be the same: not decided",
    };
    let runs = match difference.runs {
        0 => String::new(),
        runs => format!("; not all chances were counted: {runs} pairs of runs on the same dice"),
    };
    format!("{} and {} {word}{runs}", titles[0], titles[1])
}

/// Returns the verdict, and below it the causes of what differs, what is the same, and what is not decided.
pub fn verdict(difference: &RulesetDifference, titles: [&str; 2]) -> AnswerBlock {
    let names = |list: &mut dyn Iterator<Item = &OutcomeDifference>| -> Vec<String> {
        list.map(|one| one.outcome.clone()).collect()
    };
    let of = |verdict| difference.with_verdict(verdict);
    let open = of(DifferenceVerdict::Undecided).map(undecided_text);
    let mut blocks = Vec::new();
    if difference.verdict() != DifferenceVerdict::Same {
        blocks = causes(difference);
        let sampled = &mut of(DifferenceVerdict::Differs).filter(|one| !one.proved);
        blocks.extend([
            AnswerBlock::fact("by the pairs played, not proved", names(sampled)),
            AnswerBlock::fact("the same (proved)", names(&mut of(DifferenceVerdict::Same))),
            AnswerBlock::fact(
                "not decided; in brackets the possible difference of a chance, in percentage points",
                open,
            ),
        ]);
    }
    AnswerBlock::section(verdict_sentence(difference, titles), blocks)
}

/// Names an undecided outcome with the widest interval of the difference of a value, if there is any.
fn undecided_text(difference: &OutcomeDifference) -> String {
    let values = &difference.values;
    if values.is_empty() {
        return difference.outcome.clone();
    }
    let low = values.iter().map(|change| change.low).fold(0.0, f64::min) * 100.0;
    let high = values.iter().map(|change| change.high).fold(0.0, f64::max) * 100.0;
    format!("{} ({low:+.1} to {high:+.1})", difference.outcome)
}

/// Groups the outcomes whose causes were searched for by these causes.
fn cause_groups(difference: &RulesetDifference) -> Vec<CauseGroup<'_>> {
    let mut groups: Vec<CauseGroup> = Vec::new();
    for (outcome, causes) in &difference.causes {
        match groups
            .iter_mut()
            .find(|(_, group_causes)| *group_causes == causes.as_deref())
        {
            Some((outcomes, _)) => outcomes.push(outcome),
            None => groups.push((vec![outcome], causes.as_deref())),
        }
    }
    groups
}

/// Returns the causes of what differs, each behind the outcomes that it changes if these have several.
pub fn causes(difference: &RulesetDifference) -> Vec<AnswerBlock> {
    let groups = cause_groups(difference);
    let mut blocks = Vec::new();
    for (outcomes, causes) in &groups {
        if groups.len() > 1 {
            blocks.push(AnswerBlock::text(format!("{}:", outcomes.join(", "))));
        }
        match causes {
            Some(causes) => blocks.extend(
                causes
                    .iter()
                    .map(|one| AnswerBlock::text(cause_sentence(one))),
            ),
            None => blocks.push(AnswerBlock::text(
                "the cause of the difference was not found in time; more time may find it",
            )),
        }
    }
    if difference.seeds > 0 && groups.iter().any(|(_, causes)| causes.is_some()) {
        blocks.push(AnswerBlock::text(format!(
            "on {} seeds: so it differs with them alone, and is the same without them; on others: not decided",
            difference.seeds
        )));
    }
    blocks
}

/// Formats a cause as a sentence, with its option, source and place: `errata sets table fights, odds 1:1, die 1: 2/1 instead of 2/0 (...)`.
fn cause_sentence(cause: &Cause) -> String {
    let Cause {
        layer,
        identity,
        title,
        ..
    } = cause;
    let subject = match (cause.kind, cause.added) {
        ("reading", _) => format!("{identity} is {title}"),
        ("case", true) => format!("case {identity} of {layer}"),
        ("case", false) => format!("without case {identity} of {layer}"),
        _ if layer.is_empty() => identity.clone(),
        (_, true) => format!("{layer} sets {identity}"),
        (_, false) => format!("without {layer}, {identity}"),
    };
    let title = if title.is_empty() || cause.kind == "reading" {
        String::new()
    } else {
        format!(": {title}")
    };
    let option = if cause.option.is_empty() {
        String::new()
    } else {
        format!("option {}", cause.option)
    };
    let parts = [option.as_str(), &cause.source, &cause.path]
        .into_iter()
        .filter(|part| !part.is_empty());
    let parts = parts.collect::<Vec<_>>().join("; ");
    let parts = if parts.is_empty() {
        parts
    } else {
        format!(" ({parts})")
    };
    format!("cause: {subject}{title}{parts}")
}
