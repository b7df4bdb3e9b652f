//! Arithmetic of wargames: rounding, percentages, odds, even distribution of points.

use super::ResultRule;
use super::language::number_or_zero;
use super::types::*;
use crate::code::context::{VerbContext, VerbResult, fault, within_numbers};
use crate::complaint::DiagnosticCode;
use crate::notation::OddsRatio;
use crate::situation::value::Value;

verbs! {
    allowed_in: Anywhere, from_language: false;

    half_up(n: NUMBER) -> NUMBER, "Half of a number; of an odd one, the larger half.", "half_up(7) == 4";
    half_down(n: NUMBER) -> NUMBER = Function(|_, args| Ok(number_or_zero(args[0]).div_euclid(2).into())),
        "Half of a number; of an odd one, the smaller half.", "half_down(7) == 3";
    share_up(n: NUMBER, times: NUMBER, by: NUMBER) -> NUMBER
        = Function(|_, args| divided([args[0], args[2]].map(number_or_zero), number_or_zero(args[1]), true)),
        "A share of a number, such as two thirds; a fraction goes up to the next whole number.", "share_up(7, 2, 3) == 5";
    share_down(n: NUMBER, times: NUMBER, by: NUMBER) -> NUMBER
        = Function(|_, args| divided([args[0], args[2]].map(number_or_zero), number_or_zero(args[1]), false)),
        "A share of a number, such as two thirds; a fraction is dropped.", "share_down(7, 2, 3) == 4";
    divide_up(n: NUMBER, by: NUMBER) -> NUMBER = Function(|_, args| divided([args[0], args[1]].map(number_or_zero), 1, true)),
        "A number divided by another; a fraction goes up to the next whole number. `/` drops it.", "divide_up(7, 3) == 3 && 7 / 3 == 2";
    root_up(n: NUMBER) -> NUMBER, "The whole square root of a number; a fraction goes up to the next whole number.",
        "root_up(3 * 3 + 4 * 4) == 5 && root_up(26) == 6";
    root_down(n: NUMBER) -> NUMBER = Function(|_, args| whole_root(number_or_zero(args[0])).map(Value::Number)),
        "The whole square root of a number; a fraction is dropped.", "root_down(26) == 5";
    percent(part: NUMBER, whole: NUMBER) -> NUMBER, "How many hundredths of a whole a part is, fractions dropped.", "percent(1, 3) == 33";
    odds(attacker: NUMBER, defender: NUMBER) -> TEXT
        = Function(|_, args| Ok(OddsRatio::from_numbers(number_or_zero(args[0]), number_or_zero(args[1])).to_string().into())).giving(ResultRule::WholeOdds),
        "The odds of two numbers, as a chart names its columns.", "odds(7, 2) == \"3:1\"";
    clamp(n: NUMBER, lowest: NUMBER, highest: NUMBER) -> NUMBER, "A number kept within bounds.", "clamp(9, 1, 6) == 6";
    spread(points: NUMBER, sizes: LIST)[first: LIST] -> LIST = spread_points,
        "Points dealt out as evenly as possible, none above its size; odd points go to those with the highest figure in `first`, else to \
            the earlier ones.",
        "spread(5, [3, 3, 1]) == [2, 2, 1]";
    min(a: NUMBER, b: NUMBER) -> NUMBER
        = Function(|_, args| Ok(number_or_zero(args[0]).min(number_or_zero(args[1])).into())).giving(ResultRule::Lesser),
        "The smaller of two numbers.", "min(2, 5) == 2";
    max(a: NUMBER, b: NUMBER) -> NUMBER
        = Function(|_, args| Ok(number_or_zero(args[0]).max(number_or_zero(args[1])).into())).giving(ResultRule::Greater),
        "The greater of two numbers.", "max(2, 5) == 5";
}

fn half_up(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let n = number_or_zero(args[0]);
    Ok((n.div_euclid(2) + n.rem_euclid(2)).into())
}

/// Returns `n * times / by`, rounded up or down.
fn divided([n, by]: [i64; 2], times: i64, is_up: bool) -> VerbResult {
    let (n, by) = (i128::from(n) * i128::from(times), i128::from(by));
    if by == 0 {
        return fault(
            DiagnosticCode::Running,
            "dividing by nothing",
            "look why what it is divided by is 0",
        );
    }
    let is_positive = (n < 0) == (by < 0);
    let rounded = match n % by != 0 && is_positive == is_up {
        true => n / by + if is_up { 1 } else { -1 },
        false => n / by,
    };
    i64::try_from(rounded).map_or_else(
        |_| {
            fault(
                DiagnosticCode::Running,
                "the quotient is too large",
                "divide smaller numbers",
            )
        },
        |rounded| Ok(rounded.into()),
    )
}

fn root_up(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let n = number_or_zero(args[0]);
    let root = whole_root(n)?;
    // In 64 bits no root is large enough for its square to overflow.
    Ok((root + i64::from(root * root < n)).into())
}

/// Returns the largest whole number whose square is at most `n`.
fn whole_root(n: i64) -> VerbResult<i64> {
    match n.checked_isqrt() {
        Some(root) => Ok(root),
        None => fault(
            DiagnosticCode::Running,
            "the square root of a number below 0",
            "look why the number is below 0",
        ),
    }
}

fn percent(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (part, whole) = (number_or_zero(args[0]), number_or_zero(args[1]));
    if whole == 0 {
        return fault(
            DiagnosticCode::Running,
            "a percentage of nothing",
            "look why what it is divided by is 0",
        );
    }
    let hundredths = i64::try_from(i128::from(part) * 100 / i128::from(whole)).ok();
    within_numbers(hundredths, || format!("percent({part}, {whole})")).map(Value::Number)
}

fn clamp(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (n, low, high) = (
        number_or_zero(args[0]),
        number_or_zero(args[1]),
        number_or_zero(args[2]),
    );
    if low > high {
        let message = format!(
            "clamp({n}, {low}, {high}): the lowest number, {low}, is above the highest, {high}"
        );
        return fault(
            DiagnosticCode::Running,
            message,
            "give the lower bound first",
        );
    }
    Ok(n.clamp(low, high).into())
}

fn spread_points(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let sizes = numbers(args[1])?;
    let first = args
        .get(2)
        .map_or_else(|| Ok(vec![0; sizes.len()]), |first| numbers(first))?;
    Ok(spread(number_or_zero(args[0]), &sizes, &first)
        .into_iter()
        .map(Value::Number)
        .collect())
}

/// Converts a list of numbers; `()` counts as 0.
fn numbers(list: &Value) -> VerbResult<Vec<i64>> {
    let number = |item: &Value| {
        if item.is_nothing() {
            Some(0)
        } else {
            item.as_number()
        }
    };
    let numbers: Option<Vec<i64>> = list
        .as_list()
        .and_then(|list| list.iter().map(number).collect());
    numbers.map_or_else(
        || {
            fault(
                DiagnosticCode::Running,
                "`spread` takes whole numbers",
                "give the sizes as an array of numbers",
            )
        },
        Ok,
    )
}

/// Distributes points as evenly as possible, with at most `sizes[i]` for each recipient. Remaining single points go to the recipients with
/// the highest value in `first`; ties go to the earlier one.
pub fn spread(points: i64, sizes: &[i64], first: &[i64]) -> Vec<i64> {
    let mut shares = vec![0i64; sizes.len()];
    let room: i128 = sizes.iter().map(|s| i128::from((*s).max(0))).sum();
    let mut undistributed = i128::from(points.max(0)).min(room);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(first.get(*i).copied().unwrap_or(0)));
    while undistributed > 0 {
        let unfilled: Vec<usize> = order
            .iter()
            .copied()
            .filter(|i| shares[*i] < sizes[*i])
            .collect();
        // Distributes several full rounds at once, else one point each.
        let smallest_room = unfilled
            .iter()
            .map(|i| sizes[*i] - shares[*i])
            .min()
            .unwrap_or(0);
        let rounds = i64::try_from(undistributed / unfilled.len().max(1) as i128)
            .unwrap_or(i64::MAX)
            .min(smallest_room)
            .max(1);
        for i in unfilled {
            let take = i128::from(rounds).min(undistributed);
            shares[i] += take as i64;
            undistributed -= take;
        }
    }
    shares
}
