//! Caches between requests: values used last, and games in progress.

use crate::serve::page_request::AddressMove;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::platform::clock::Instant;
use std::sync::Mutex;
use std::time::Duration;

/// Keeps a number of values by key; those used longest ago are dropped.
pub struct RecentCache<K, V> {
    capacity: usize,
    /// The value used last stands last.
    entries: Mutex<Vec<(K, V)>>,
}

impl<K: PartialEq, V: Clone> RecentCache<K, V> {
    /// Creates a cache of at most `capacity` values.
    pub fn new(capacity: usize) -> RecentCache<K, V> {
        RecentCache {
            capacity,
            entries: Mutex::default(),
        }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> Option<V> {
        let mut entries = lock_unpoisoned(&self.entries);
        let index = entries.iter().position(|(cached, _)| cached == key)?;
        let entry = entries.remove(index);
        let value = entry.1.clone();
        entries.push(entry);
        Some(value)
    }

    /// Keeps a value, and returns it; if another thread was faster, its value.
    pub fn put(&self, key: K, value: V) -> V {
        if let Some(cached) = self.get(&key) {
            return cached;
        }
        let mut entries = lock_unpoisoned(&self.entries);
        entries.push((key, value.clone()));
        if entries.len() > self.capacity {
            entries.remove(0);
        }
        value
    }

    /// Returns the value of a key, made if it is not kept.
    pub fn get_or_make(&self, key: K, make: impl FnOnce() -> V) -> V {
        self.get(&key).unwrap_or_else(|| self.put(key, make()))
    }
}

/// Maximum number of cached games; each takes some megabytes.
const MAX_GAMES: usize = 12;
/// Time after which an idle game is dropped.
const IDLE_LIMIT: Duration = Duration::from_secs(60 * 60);

/// A session and the moves that led to it.
pub struct PlayedGame<T> {
    /// The address without its moves.
    pub key: String,
    /// The moves so far.
    pub moves: Vec<AddressMove>,
    /// The session after these moves.
    pub session: T,
}

/// The cached games, most recent last.
pub struct PlayTables<T>(Mutex<Vec<(Instant, PlayedGame<T>)>>);

impl<T> Default for PlayTables<T> {
    fn default() -> PlayTables<T> {
        PlayTables(Mutex::default())
    }
}

impl<T> PlayTables<T> {
    /// Finds the game with the longest common prefix with `moves`. A game whose moves are all a prefix of `moves` is removed from the cache
    /// and returned, so that only one request has it. Otherwise the game stays, and the result is a copy rewound to the common prefix by
    /// `rewind`.
    pub fn take(
        &self,
        key: &str,
        moves: &[AddressMove],
        rewind: impl Fn(&T, usize) -> Option<T>,
    ) -> Option<PlayedGame<T>> {
        let mut tables = lock_unpoisoned(&self.0);
        tables.retain(|(since, _)| since.elapsed() < IDLE_LIMIT);
        let common_prefix = |played: &PlayedGame<T>| {
            played
                .moves
                .iter()
                .zip(moves)
                .take_while(|(a, b)| a == b)
                .count()
        };
        let of_it = tables
            .iter()
            .enumerate()
            .filter(|(_, (_, played))| played.key == key);
        // Among equally long prefixes, it prefers the game with the fewest moves to undo.
        let (index, prefix) = of_it
            .map(|(index, (_, played))| (index, common_prefix(played), played.moves.len()))
            .max_by_key(|(_, far, all)| (*far, usize::MAX - all))
            .map(|(index, far, _)| (index, far))?;
        let played = &tables[index].1;
        if played.moves.len() == prefix {
            return Some(tables.remove(index).1);
        }
        let session = rewind(&played.session, prefix).filter(|_| prefix > 0)?;
        Some(PlayedGame {
            key: key.into(),
            moves: moves[..prefix].to_vec(),
            session,
        })
    }

    /// Caches a game for the next request; it replaces a game with the same moves.
    pub fn put_back(&self, played: PlayedGame<T>) {
        let mut tables = lock_unpoisoned(&self.0);
        tables.retain(|(_, other)| other.key != played.key || other.moves != played.moves);
        tables.push((Instant::now(), played));
        if tables.len() > MAX_GAMES {
            tables.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test session that knows only the number of its moves.
    struct GameProgress(usize);

    fn moves(text: &str) -> Vec<AddressMove> {
        text.bytes()
            .map(|letter| AddressMove::Take(letter.into()))
            .collect()
    }

    fn put_back(tables: &PlayTables<GameProgress>, text: &str) {
        tables.put_back(PlayedGame {
            key: "g".into(),
            moves: moves(text),
            session: GameProgress(text.len()),
        });
    }

    fn take(tables: &PlayTables<GameProgress>, text: &str) -> Option<usize> {
        tables
            .take("g", &moves(text), |_, far| Some(GameProgress(far)))
            .map(|played| played.session.0)
    }

    #[test]
    fn a_game_resumes_where_it_stopped() {
        let tables = PlayTables::default();
        assert_eq!(take(&tables, "a"), None);
        put_back(&tables, "abc");
        assert_eq!(take(&tables, "abcd"), Some(3), "it goes on");
        assert_eq!(take(&tables, "abcd"), None, "and whoever goes on has it");
        put_back(&tables, "abcd");
        assert_eq!(take(&tables, "ab"), Some(2), "taken back");
        assert_eq!(take(&tables, "abx"), Some(2), "gone on otherwise");
        assert_eq!(
            take(&tables, "x"),
            None,
            "another game from its first answer"
        );
        assert_eq!(
            take(&tables, "abcd"),
            Some(4),
            "what went on is there still"
        );
        assert!(
            tables
                .take("h", &moves("abcd"), |_, far| Some(GameProgress(far)))
                .is_none(),
            "another address, another game"
        );
    }

    #[test]
    fn the_number_of_kept_games_is_bounded() {
        let tables = PlayTables::default();
        (0..MAX_GAMES + 3).for_each(|n| put_back(&tables, &"a".repeat(n)));
        (0..5).for_each(|_| put_back(&tables, "a"));
        assert_eq!(tables.0.lock().expect("nobody panics").len(), MAX_GAMES);
    }
}
