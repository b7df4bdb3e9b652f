//! Several outcomes together, counted and sampled: the joint rows.

use crate::complaint::Error;
use crate::odds::distribution::{NOTHING, together, too_many};
use crate::odds::find::Found;
use crate::odds::fold::Picked;
use crate::odds::fraction::Fraction;
use std::collections::BTreeMap;

/// One way in which outcomes come up together.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The value of each; a dash where it is not named.
    pub values: Vec<String>,
    /// What was counted of its chance.
    pub counted: Fraction,
    /// All of its chance, as a share of 1.
    pub share: f64,
    /// Half the width of its 95 per cent interval, where a part was sampled.
    pub error: Option<f64>,
}

/// So many rows are read by nobody.
const ROWS: usize = 100_000;

/// The rows of some outcomes, likeliest first.
pub fn rows(found: &Found, names: &[String], picked: &Picked) -> Result<Vec<Row>, Error> {
    let mut counted: BTreeMap<Vec<String>, Fraction> = BTreeMap::new();
    for (row, chance) in together(&found.counted, names, picked, ROWS).ok_or_else(too_many)? {
        let values = names.iter().map(|name| row.get(name).cloned().unwrap_or_else(|| NOTHING.into())).collect();
        *counted.entry(values).or_insert(Fraction::ZERO) += &chance;
    }
    let sampled = found.sample.iter().flat_map(|sample| sample.rows.keys().cloned());
    for values in sampled {
        counted.entry(values).or_insert(Fraction::ZERO);
    }
    let row = |(values, counted): (Vec<String>, Fraction)| match &found.sample {
        None => Row { share: counted.share(), error: None, values, counted },
        Some(sample) => {
            let (share, error) = sample.of(sample.rows.get(&values).copied().unwrap_or(0), counted.share());
            Row { share, error: Some(error), values, counted }
        }
    };
    let mut list: Vec<Row> = counted.into_iter().map(row).collect();
    list.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.values.cmp(&b.values)));
    Ok(list)
}
