//! The arithmetic of wargames: halves, percentages, odds, points dealt out evenly.

use crate::notation::Odds;
use crate::session::{Answer, fault};
use rhai::{Array, Dynamic, Engine};

/// Gives an engine the verbs of arithmetic.
pub fn register(engine: &mut Engine) {
    engine.register_fn("half_up", |n: i64| n.div_euclid(2) + n.rem_euclid(2));
    engine.register_fn("half_down", |n: i64| n.div_euclid(2));
    engine.register_fn("percent", |a: i64, b: i64| -> Answer<i64> {
        match b {
            0 => fault("running", "a percentage of nothing", "look why the second strength is 0"),
            _ => Ok((i128::from(a) * 100 / i128::from(b)).clamp(i64::MIN.into(), i64::MAX.into()) as i64),
        }
    });
    engine.register_fn("odds", |attacker: i64, defender: i64| Odds::of(attacker, defender).to_string());
    engine.register_fn("clamp", |n: i64, low: i64, high: i64| n.max(low).min(high.max(low)));
    engine.register_fn("spread", |n: i64, sizes: Array| -> Answer<Array> {
        let sizes: Option<Vec<i64>> = sizes.iter().map(|s| s.as_int().ok()).collect();
        match sizes {
            Some(sizes) => Ok(spread(n, &sizes).into_iter().map(Dynamic::from_int).collect()),
            None => fault("running", "`spread` takes whole numbers", "give the sizes as an array of numbers"),
        }
    });
}

/// Points dealt out as evenly as possible, none above its size, the earlier ones first.
pub fn spread(points: i64, sizes: &[i64]) -> Vec<i64> {
    let mut shares = vec![0; sizes.len()];
    let most = sizes.iter().fold(0, |sum: i64, size| sum.saturating_add((*size).max(0)));
    let mut left = points.clamp(0, most);
    while left > 0 {
        let open: Vec<usize> = (0..sizes.len()).filter(|i| shares[*i] < sizes[*i]).collect();
        // Whole rounds at once where every open one can take them, else one point each.
        let room = open.iter().map(|i| sizes[*i] - shares[*i]).min().unwrap_or(0);
        let rounds = (left / open.len().max(1) as i64).min(room).max(1);
        for i in open {
            let take = rounds.min(left);
            shares[i] += take;
            left -= take;
        }
    }
    shares
}
