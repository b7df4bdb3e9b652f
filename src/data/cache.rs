//! What is read once and then known, with what was wrong with it.

use crate::complaint::Complaints;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Things by their keys, each made when it is first asked for. Threads share it.
#[derive(Debug)]
pub struct LazyCache<T>(Mutex<HashMap<String, Arc<(T, Complaints)>>>);

impl<T> Default for LazyCache<T> {
    fn default() -> LazyCache<T> {
        LazyCache(Mutex::default())
    }
}

impl<T> LazyCache<T> {
    /// Whether the thing of a key was made.
    pub fn contains(&self, key: &str) -> bool {
        lock_unpoisoned(&self.0).contains_key(key)
    }

    /// The thing of a key; what was wrong with it is added to the complaints each time.
    pub fn get(&self, key: &str, complaints: &mut Complaints, make: impl FnOnce(&mut Complaints) -> T) -> Arc<(T, Complaints)> {
        let known = lock_unpoisoned(&self.0).get(key).cloned();
        // Two threads may make the same; both make it alike.
        let found = known.unwrap_or_else(|| {
            let mut own = Complaints::default();
            let made = make(&mut own);
            let made = Arc::new((made, own));
            lock_unpoisoned(&self.0).insert(key.into(), made.clone());
            made
        });
        complaints.0.extend(found.1.0.iter().cloned());
        found
    }
}

/// Things by their names that others hold too, kept from when they were first made. Threads share it; a copy goes its own way.
#[derive(Debug)]
pub struct SharedCache<T>(Mutex<HashMap<String, Arc<T>>>);

impl<T> Default for SharedCache<T> {
    fn default() -> SharedCache<T> {
        SharedCache(Mutex::default())
    }
}

impl<T> Clone for SharedCache<T> {
    fn clone(&self) -> SharedCache<T> {
        SharedCache(Mutex::new(lock_unpoisoned(&self.0).clone()))
    }
}

impl<T> SharedCache<T> {
    /// The thing of a name.
    pub fn get(&self, name: &str) -> Option<Arc<T>> {
        lock_unpoisoned(&self.0).get(name).cloned()
    }

    /// Keeps a thing, in the place of what was kept under its name.
    pub fn insert(&self, name: &str, thing: Arc<T>) {
        lock_unpoisoned(&self.0).insert(name.into(), thing);
    }
}

/// A lock that a panic elsewhere does not take from us.
pub fn lock_unpoisoned<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
