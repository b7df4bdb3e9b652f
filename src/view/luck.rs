//! Luck in sentences and tables.

use crate::block::AnswerBlock;
use casebook_analysis::luck::account::{DECISIVE, LuckReport, LuckStep, ProcedureLuck};
use casebook_analysis::luck::expectation::{SAMPLE_SEED, TailChance};
use casebook_analysis::luck::fairness::{FairnessTest, LEAST_EXPECTED, corrected_least};
use casebook_analysis::luck::stake::Stake;
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::fraction::Fraction;
use casebook_engine::complaint::counted;

/// Formats a value of a stake: a number, or per cent of a chance.
pub fn value_text(stake: &Stake, value: &Fraction) -> String {
    if stake.is_chance() {
        percent(value.to_f64())
    } else {
        format!("{:.2}", value.to_f64())
    }
}

/// Formats an effect with its sign.
pub fn effect_text(stake: &Stake, effect: &Fraction) -> String {
    let effect = effect.to_f64();
    let (number, unit) = if stake.is_chance() {
        (format!("{:+.1}", effect * 100.0), " %")
    } else {
        (format!("{effect:+.2}"), "")
    };
    // A rounded zero has no sign.
    let number = if number
        .trim_start_matches(['+', '-'])
        .chars()
        .all(|c| c == '0' || c == '.')
    {
        number.replace('-', "+")
    } else {
        number
    };
    format!("{number}{unit}")
}

fn error_text(stake: &Stake, error: Option<f64>) -> String {
    match error {
        None => String::new(),
        Some(error) if stake.is_chance() => format!(" ± {:.1}", error * 100.0),
        Some(error) => format!(" ± {error:.2}"),
    }
}

/// Returns for whom more of a stake is good, in words.
pub fn side_text(stake: &Stake) -> String {
    match &stake.good_for {
        Some(side) => format!("{stake}: more is good for {side}"),
        None => format!(
            "{stake}: nothing says for which side more is good, + raises it and - lowers it"
        ),
    }
}

/// Returns the balance of a procedure as one line: "the dice brought +1.17 to Red: 3.00 came where 1.83 was to be expected".
pub fn balance_line(luck: &ProcedureLuck) -> String {
    let stake = &luck.stake;
    let for_side = stake
        .good_for
        .as_ref()
        .map_or(String::new(), |side| format!(" for {side}"));
    let verb = if luck.is_over && !luck.is_cut {
        "came"
    } else {
        "is to be expected now"
    };
    let text = |value: &Fraction| value_text(stake, value);
    format!(
        "{stake}: {}{} {verb} where {}{} was to be expected; the dice brought {}{for_side}, choices {}",
        text(&luck.last().value),
        error_text(stake, luck.last().error),
        text(&luck.expectation.value),
        error_text(stake, luck.expectation.error),
        effect_text(stake, &luck.dice()),
        effect_text(stake, &luck.choices()),
    )
}

/// Returns whom the dice favoured, by how much, and how rare that is, in words.
pub fn in_words(luck: &ProcedureLuck) -> String {
    let (stake, dice) = (&luck.stake, luck.dice().to_f64());
    let amount = if stake.is_chance() {
        format!("{:.1} %", dice.abs() * 100.0)
    } else {
        format!("{:.1}", dice.abs())
    };
    if amount.starts_with("0.0") {
        return format!("The dice favoured nobody ({stake}).");
    }
    let whom = match &stake.good_for {
        Some(side) if dice > 0.0 => format!("favoured {side} by {amount} ({stake})"),
        Some(side) => format!("went against {side} by {amount} ({stake})"),
        None if dice > 0.0 => format!("brought {amount} more than was to be expected ({stake})"),
        None => format!("brought {amount} less than was to be expected ({stake})"),
    };
    let share = luck.chance.as_ref().map(|chance| {
        if dice > 0.0 {
            chance.at_least.share
        } else {
            chance.at_most.share
        }
    });
    match share.filter(|share| *share > 0.0) {
        Some(share) if share < 0.5 => {
            format!("The dice {whom}: so much comes in 1 of {:.0}.", 1.0 / share)
        }
        Some(_) => format!("The dice {whom}, which is nothing unusual."),
        None => format!("The dice {whom}."),
    }
}

/// Returns how unlikely the luck was, as one line; empty if it is not known.
pub fn chance_line(luck: &ProcedureLuck, exact: bool) -> String {
    let Some(chance) = &luck.chance else {
        return String::new();
    };
    let tail_text = |tail: &TailChance| {
        let fraction = tail
            .exact
            .as_ref()
            .filter(|_| exact)
            .map_or(String::new(), |fraction| format!(" = {fraction}"));
        let error = tail
            .error
            .map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0));
        format!("{}{error}{fraction}", percent(tail.share))
    };
    let sampled = if chance.at_least.exact.is_some() {
        String::new()
    } else {
        format!(
            " (sampled in {} runs from seed {SAMPLE_SEED}, ± one standard error)",
            chance.at_least.runs
        )
    };
    let (at_least, at_most) = (tail_text(&chance.at_least), tail_text(&chance.at_most));
    match &luck.stake.good_for {
        Some(side) => format!(
            "dice at least as good for {side} have a chance of {at_least}, at least as bad {at_most}{sampled}"
        ),
        None => format!(
            "dice that bring at least as much have a chance of {at_least}, at most as much {at_most}{sampled}"
        ),
    }
}

/// Returns an account; `exact` adds fractions.
pub fn account(report: &LuckReport, exact: bool) -> Vec<AnswerBlock> {
    let procedures = report.procedures.iter();
    let unmeasured = report.unmeasured.iter();
    let unmeasured =
        unmeasured.map(|one| format!("{}: {}", one.procedure, counted(one.throws, "throw")));
    let left_out = match report.left_out {
        0 => String::new(),
        count => format!(
            "The time was up before {} could be valued.",
            counted(count, "throw")
        ),
    };
    let further = [
        AnswerBlock::fact(
            "Not measured, as no headline names a number there",
            unmeasured,
        ),
        AnswerBlock::text(left_out),
    ];
    procedures
        .map(|luck| procedure_account(luck, exact))
        .chain(further.into_iter().filter(|block| !block.is_empty()))
        .collect()
}

/// Returns every throw and choice of a procedure with its effect, and what they come to.
pub fn procedure_account(luck: &ProcedureLuck, exact: bool) -> AnswerBlock {
    let stake = &luck.stake;
    let title = match &*luck.phase {
        "" => luck.procedure.clone(),
        phase => format!("{phase}: {}", luck.procedure),
    };
    let mut blocks = vec![AnswerBlock::text(side_text(stake))];
    blocks.extend(luck.ended.map(|cap| {
        AnswerBlock::text(format!("Sampled, ± one standard error. {}", cap.describe()))
    }));
    blocks.extend(luck.truncations.iter().map(AnswerBlock::text));
    let mut balance = Fraction::ZERO;
    let throws = luck.steps.iter().filter(|step| step.is_throw());
    let mut decisive = luck.decisive(DECISIVE);
    if throws.clone().count() <= DECISIVE || decisive.len() < 2 {
        decisive.clear();
    }
    let decided = |step: &LuckStep| decisive.iter().any(|one| one.number == step.number);
    let throw = |step: &LuckStep| {
        balance += &step.effect;
        let fraction = if exact && luck.is_exact() {
            format!(" = {}", step.effect)
        } else {
            String::new()
        };
        let mark = if decided(step) { "*" } else { "" };
        vec![
            format!("{mark}{}", step.number),
            step.made.to_string(),
            step.side.clone().unwrap_or_default(),
            format!(
                "{}{}{fraction}",
                effect_text(stake, &step.effect),
                error_text(stake, step.error)
            ),
            step.gained.clone().unwrap_or_default(),
            effect_text(stake, &balance),
        ]
    };
    let head = |titles: &[&str]| titles.iter().map(ToString::to_string).collect();
    let throws = AnswerBlock::Table {
        head: head(&["", "throw", "by", "effect", "good for", "balance"]),
        rows: throws.map(throw).collect(),
    };
    let choices = luck.steps.iter().filter(|step| !step.is_throw());
    let choices = AnswerBlock::Table {
        head: head(&["", "choice", "effect", "good for", "gave away"]),
        rows: choices.filter_map(|step| choice_row(step, stake)).collect(),
    };
    let decisive = decisive.iter();
    let decisive = decisive.map(|step| vec![decisive_line(step, stake)]);
    let decisive = AnswerBlock::rows(decisive.collect());
    blocks.extend([throws, choices]);
    blocks.extend(
        [balance_line(luck), chance_line(luck, exact)]
            .map(|line| AnswerBlock::text(sentence(&line))),
    );
    if !decisive.is_empty() {
        blocks.push(AnswerBlock::section(
            "The throws that decided it, marked above by *",
            vec![decisive],
        ));
    }
    AnswerBlock::section(title, blocks)
}

fn decisive_line(step: &LuckStep, stake: &Stake) -> String {
    let gained = step
        .gained
        .as_ref()
        .map_or(String::new(), |side| format!(", good for {side}"));
    format!("{} {}{gained}", effect_text(stake, &step.effect), step.made)
}

/// Returns the row of a choice: nothing if it neither differs from the baseline nor is known to have given anything away.
fn choice_row(step: &LuckStep, stake: &Stake) -> Option<Vec<String>> {
    let choice = step.choice.as_ref()?;
    let given_away = choice.gave_away.as_ref();
    let counted = !choice.options.is_empty();
    if step.effect.is_zero() && given_away.is_none() && !counted {
        return None;
    }
    let against = match &choice.baseline {
        Some(option) if !step.effect.is_zero() => format!(" against {option}"),
        None if !step.effect.is_zero() => " against any option".into(),
        _ => String::new(),
    };
    let given_away = match given_away {
        Some((_, lost)) if lost.is_zero() => "nothing".into(),
        Some((best, lost)) => format!(
            "{} ({best} was best)",
            effect_text(stake, lost).trim_start_matches('+')
        ),
        None if counted
            && choice
                .options
                .iter()
                .all(|(_, value)| *value == choice.options[0].1) =>
        {
            "nothing".into()
        }
        None if counted => {
            let values: Vec<String> = choice
                .options
                .iter()
                .map(|(option, value)| format!("{option} {}", value_text(stake, value)))
                .collect();
            values.join(", ")
        }
        None => "not counted".into(),
    };
    let effect = format!(
        "{}{}{against}",
        effect_text(stake, &step.effect),
        error_text(stake, step.error)
    );
    Some(vec![
        step.number.to_string(),
        step.made.to_string(),
        effect,
        step.gained.clone().unwrap_or_default(),
        given_away,
    ])
}

/// Begins a text with a capital letter unless it begins with a name, and ends it with a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}

/// Returns the tests of dice, and how many draws are not tested.
pub fn fairness(tests: &[FairnessTest], draws: u64) -> AnswerBlock {
    let mut blocks = Vec::new();
    if tests.is_empty() {
        blocks.push(AnswerBlock::text("no dice were thrown"));
    }
    if draws > 0 {
        let are = if draws == 1 { "is" } else { "are" };
        blocks.push(AnswerBlock::text(format!(
            "{} of cards or lots {are} not tested: what can be drawn changes from one to the next.",
            counted(draws as usize, "draw")
        )));
    }
    let (mut all, mut by_purpose) = (Vec::new(), Vec::new());
    for test in tests {
        let for_purpose = test
            .die_use
            .purpose
            .as_ref()
            .map_or(String::new(), |purpose| format!(" for {purpose}"));
        let faces: Vec<String> = test
            .faces
            .iter()
            .map(|face| format!("{}: {}", face.face, face.count))
            .collect();
        let chance = test.chance.map_or("–".into(), percent);
        let warning = if test.least_expected < LEAST_EXPECTED {
            format!(
                "; too few for a verdict, {:.1} of a face are to be expected",
                test.least_expected
            )
        } else {
            String::new()
        };
        let dice = if test.dice == 1 {
            "1 die".into()
        } else {
            format!("{} dice", test.dice)
        };
        let text = format!(
            "{}{for_purpose}, {dice}: {} (chi-square {:.2}, {} degrees of freedom: a chance of {chance} if they are fair{warning})",
            test.die_use.die,
            faces.join(", "),
            test.chi_square,
            test.freedom
        );
        let of_use = match test.die_use.purpose {
            Some(_) => &mut by_purpose,
            None => &mut all,
        };
        of_use.push(AnswerBlock::text(text));
    }
    blocks.extend(all);
    if !by_purpose.is_empty() {
        blocks.push(AnswerBlock::section(
            "By what they were thrown for",
            by_purpose,
        ));
    }
    let count = tests.iter().filter(|test| test.chance.is_some()).count();
    if let Some(corrected) = corrected_least(tests).filter(|_| count > 1) {
        blocks.push(AnswerBlock::text(format!(
            "Of {count} tests one in twenty falls below 5 % with fair dice, too. The smallest chance here, times {count} (Bonferroni): {}.",
            percent(corrected)
        )));
    }
    AnswerBlock::section("Are the dice fair?", blocks)
}
