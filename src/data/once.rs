//! What is read once and then known, with what was wrong with it.

use crate::complaint::Complaints;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Things by their keys, each made when it is first asked for. Threads share it.
#[derive(Debug)]
pub struct Once<T>(Mutex<HashMap<String, Arc<(T, Complaints)>>>);

impl<T> Default for Once<T> {
    fn default() -> Once<T> {
        Once(Mutex::default())
    }
}

impl<T> Once<T> {
    /// The thing of a key; what was wrong with it is added to the complaints each time.
    pub fn get(&self, key: &str, complaints: &mut Complaints, make: impl FnOnce(&mut Complaints) -> T) -> Arc<(T, Complaints)> {
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held().get(key).cloned();
        // Two threads may make the same; both make it alike.
        let found = known.unwrap_or_else(|| {
            let mut own = Complaints::default();
            let made = make(&mut own);
            let made = Arc::new((made, own));
            held().insert(key.into(), made.clone());
            made
        });
        complaints.0.extend(found.1.0.iter().cloned());
        found
    }
}
