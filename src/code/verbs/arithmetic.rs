//! The arithmetic of wargames: halves, percentages, odds, points dealt out evenly.

use super::{Kind::*, Verb};
use crate::code::context::{Answer, Context, fault};
use crate::notation::Odds;
use crate::situation::value::Value;

/// The verbs.
pub const VERBS: &[Verb] = &[
    Verb::answers("half_up", &[("n", Number)], half_up, "Half of a number; of an odd one, the larger half.", "half_up(7) == 4").gives(Number),
    Verb::answers("half_down", &[("n", Number)], half_down, "Half of a number; of an odd one, the smaller half.", "half_down(7) == 3").gives(Number),
    Verb::answers(
        "percent",
        &[("part", Number), ("whole", Number)],
        percent,
        "How many hundredths of a whole a part is, fractions dropped.",
        "percent(1, 3) == 33",
    ).gives(Number),
    Verb::answers(
        "odds",
        &[("attacker", Number), ("defender", Number)],
        odds,
        "The odds of two numbers, as a chart names its columns.",
        "odds(7, 2) == \"3:1\"",
    ).gives(Text),
    Verb::answers(
        "clamp",
        &[("n", Number), ("lowest", Number), ("highest", Number)],
        clamp,
        "A number kept within bounds.",
        "clamp(9, 1, 6) == 6",
    ).gives(Number),
    Verb::answers(
        "spread",
        &[("points", Number), ("sizes", List), ("first", List)],
        spread_points,
        "Points dealt out as evenly as possible, none above its size; odd points go to those with the highest figure in `first`, else to the earlier ones.",
        "spread(5, [3, 3, 1]) == [2, 2, 1]",
    ).gives(List)
    .optional(1),
    Verb::answers("min", &[("a", Any), ("b", Any)], min, "The smaller of two numbers.", "min(2, 5) == 2"),
    Verb::answers("max", &[("a", Any), ("b", Any)], max, "The greater of two numbers.", "max(2, 5) == 5"),
];

fn number(value: &Value) -> i64 {
    value.number().unwrap_or(0)
}

fn half_up(_: &mut Context, args: &[&Value]) -> Answer {
    let n = number(args[0]);
    Ok((n.div_euclid(2) + n.rem_euclid(2)).into())
}

fn half_down(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(number(args[0]).div_euclid(2).into())
}

fn percent(_: &mut Context, args: &[&Value]) -> Answer {
    match number(args[1]) {
        0 => fault("running", "a percentage of nothing", "look why the second number is 0"),
        whole => Ok(((i128::from(number(args[0])) * 100 / i128::from(whole)) as i64).into()),
    }
}

fn odds(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(Odds::of(number(args[0]), number(args[1])).to_string().into())
}

fn clamp(_: &mut Context, args: &[&Value]) -> Answer {
    let (n, low, high) = (number(args[0]), number(args[1]), number(args[2]));
    Ok(n.max(low).min(high.max(low)).into())
}

fn either(args: &[&Value], name: &str, pick: fn(i64, i64) -> i64) -> Answer {
    match (args[0].number(), args[1].number()) {
        (Some(a), Some(b)) => Ok(pick(a, b).into()),
        _ => {
            let what = format!("`{name}` takes two numbers; it was given {} and {}", args[0].kind(), args[1].kind());
            fault("running", what, "look where these figures come from")
        }
    }
}

fn min(_: &mut Context, args: &[&Value]) -> Answer {
    either(args, "min", i64::min)
}

fn max(_: &mut Context, args: &[&Value]) -> Answer {
    either(args, "max", i64::max)
}

fn spread_points(_: &mut Context, args: &[&Value]) -> Answer {
    let sizes = numbers(args[1])?;
    let first = args.get(2).map_or_else(|| Ok(vec![0; sizes.len()]), |first| numbers(first))?;
    Ok(spread(number(args[0]), &sizes, &first).into_iter().map(Value::Number).collect())
}

/// The numbers of a list; nothing counts as 0.
fn numbers(list: &Value) -> Answer<Vec<i64>> {
    let number = |item: &Value| if item.is_nothing() { Some(0) } else { item.number() };
    let all: Option<Vec<i64>> = list.list().and_then(|list| list.iter().map(number).collect());
    all.map_or_else(|| fault("running", "`spread` takes whole numbers", "give the sizes as an array of numbers"), Ok)
}

/// Points dealt out as evenly as possible, none above its size. The odd points go to those with the highest figure in `first`, among
/// equals to the earlier ones.
pub fn spread(points: i64, sizes: &[i64], first: &[i64]) -> Vec<i64> {
    let mut shares = vec![0i64; sizes.len()];
    let room: i128 = sizes.iter().map(|s| i128::from((*s).max(0))).sum();
    let mut left = i128::from(points.max(0)).min(room);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(first.get(*i).copied().unwrap_or(0)));
    while left > 0 {
        let open: Vec<usize> = order.iter().copied().filter(|i| shares[*i] < sizes[*i]).collect();
        // Whole rounds at once where every open one can take them, else one point each.
        let least = open.iter().map(|i| sizes[*i] - shares[*i]).min().unwrap_or(0);
        let rounds = i64::try_from(left / open.len().max(1) as i128).unwrap_or(i64::MAX).min(least).max(1);
        for i in open {
            let take = i128::from(rounds).min(left);
            shares[i] += take as i64;
            left -= take;
        }
    }
    shares
}
