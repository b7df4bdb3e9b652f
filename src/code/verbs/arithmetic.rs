//! The arithmetic of wargames: halves, percentages, odds, points dealt out evenly.

use crate::notation::Odds;
use crate::situation::session::{Answer, fault};
use rhai::{Array, Dynamic, Engine};

/// Gives an engine the verbs of arithmetic.
pub fn register(engine: &mut Engine) {
    engine.register_fn("half_up", |n: i64| n.div_euclid(2) + n.rem_euclid(2));
    engine.register_fn("half_down", |n: i64| n.div_euclid(2));
    engine.register_fn("percent", |a: i64, b: i64| -> Answer<i64> {
        match b {
            0 => fault("running", "a percentage of nothing", "look why the second number is 0"),
            _ => Ok((i128::from(a) * 100 / i128::from(b)) as i64),
        }
    });
    engine.register_fn("odds", |attacker: i64, defender: i64| Odds::of(attacker, defender).to_string());
    engine.register_fn("clamp", |n: i64, low: i64, high: i64| n.max(low).min(high.max(low)));
    engine.register_fn("spread", |points: i64, sizes: Array| -> Answer<Array> {
        let sizes = numbers(&sizes)?;
        Ok(spread(points, &sizes, &vec![0; sizes.len()]).into_iter().map(Dynamic::from_int).collect())
    });
    engine.register_fn("spread", |points: i64, sizes: Array, first: Array| -> Answer<Array> {
        Ok(spread(points, &numbers(&sizes)?, &numbers(&first)?).into_iter().map(Dynamic::from_int).collect())
    });
}

/// The numbers of a list; nothing counts as 0.
fn numbers(list: &Array) -> Answer<Vec<i64>> {
    let number = |item: &Dynamic| if item.is_unit() { Some(0) } else { item.as_int().ok() };
    let all: Option<Vec<i64>> = list.iter().map(number).collect();
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
