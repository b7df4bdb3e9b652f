//! Thread-safe caches for parsed data and its diagnostics.

use crate::complaint::Complaints;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A thread-safe cache that builds each value on first access and keeps it with its complaints.
#[derive(Debug)]
pub struct LazyCache<T>(Mutex<HashMap<String, Arc<(T, Complaints)>>>);

impl<T> Default for LazyCache<T> {
    fn default() -> LazyCache<T> {
        LazyCache(Mutex::default())
    }
}

impl<T> LazyCache<T> {
    /// Returns a cache with the values of all keys but some.
    pub fn without(&self, is_dropped: impl Fn(&str) -> bool) -> LazyCache<T> {
        let kept = lock_unpoisoned(&self.0)
            .iter()
            .filter(|(key, _)| !is_dropped(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        LazyCache(Mutex::new(kept))
    }

    /// Returns whether the value of a key is cached.
    pub fn contains(&self, key: &str) -> bool {
        lock_unpoisoned(&self.0).contains_key(key)
    }

    /// Returns the value of a key, building it if needed; appends its complaints on every call.
    pub fn get(
        &self,
        key: &str,
        complaints: &mut Complaints,
        make: impl FnOnce(&mut Complaints) -> T,
    ) -> Arc<(T, Complaints)> {
        let cached = lock_unpoisoned(&self.0).get(key).cloned();
        // Two threads may build the same value concurrently; the results are equal.
        let entry = cached.unwrap_or_else(|| {
            let mut value_complaints = Complaints::default();
            let built = make(&mut value_complaints);
            let built = Arc::new((built, value_complaints));
            lock_unpoisoned(&self.0).insert(key.into(), built.clone());
            built
        });
        complaints.0.extend(entry.1.0.iter().cloned());
        entry
    }
}

/// A thread-safe cache of shared values by name. A clone evolves independently.
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
    /// Returns the value cached under a name.
    pub fn get(&self, name: &str) -> Option<Arc<T>> {
        lock_unpoisoned(&self.0).get(name).cloned()
    }

    /// Caches a value under a name and replaces the previous one.
    pub fn insert(&self, name: &str, value: Arc<T>) {
        lock_unpoisoned(&self.0).insert(name.into(), value);
    }
}

/// Locks a mutex, ignoring poisoning.
pub fn lock_unpoisoned<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
