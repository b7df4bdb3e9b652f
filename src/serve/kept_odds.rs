//! Cache of odds, so that a page can set the odds before a change beside those after it.

use crate::data::cache::lock_unpoisoned;
use crate::odds::assumptions::CountedOdds;
use std::sync::{Arc, Mutex};

/// Maximum number of odds kept.
const MAX_KEPT_ODDS: usize = 32;

/// The odds counted last, by the address of their situation.
#[derive(Default)]
pub struct KeptOdds {
    list: Mutex<Vec<(String, Arc<CountedOdds>)>>,
}

impl KeptOdds {
    /// Returns the odds kept under a key.
    pub fn get(&self, key: &str) -> Option<Arc<CountedOdds>> {
        lock_unpoisoned(&self.list).iter().find(|(known, _)| known == key).map(|(_, found)| found.clone())
    }

    /// Keeps odds; the oldest go.
    pub fn put(&self, key: String, found: Arc<CountedOdds>) {
        let mut list = lock_unpoisoned(&self.list);
        list.push((key, found));
        if list.len() > MAX_KEPT_ODDS {
            list.remove(0);
        }
    }
}
