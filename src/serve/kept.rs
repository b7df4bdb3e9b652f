//! Games under way: whoever goes on or takes back need not play everything again.

use crate::data::once::held;
use crate::serve::ask::Move;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Games that are kept; each is some megabytes.
const KEPT: usize = 12;
/// For how long a game is kept at which nobody plays.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// A situation as it was played so far.
pub struct Played<T> {
    /// The address without its moves.
    pub key: String,
    /// The moves.
    pub moves: Vec<Move>,
    /// Where it stands.
    pub session: T,
}

/// The tables at which somebody plays, the latest at the end.
pub struct Tables<T>(Mutex<Vec<(Instant, Played<T>)>>);

impl<T> Default for Tables<T> {
    fn default() -> Tables<T> {
        Tables(Mutex::default())
    }
}

impl<T> Tables<T> {
    /// The game that has gone farthest along these moves. One that stands there or has come there is taken: nobody else has it until it is
    /// left. Of one that has gone on otherwise only the beginning is had, as it was `after` so many answers, and whoever plays it keeps it.
    pub fn take(&self, key: &str, moves: &[Move], after: impl Fn(&T, usize) -> T) -> Option<Played<T>> {
        let mut tables = held(&self.0);
        tables.retain(|(since, _)| since.elapsed() < PATIENCE);
        let along = |played: &Played<T>| played.moves.iter().zip(moves).take_while(|(a, b)| a == b).count();
        let of_it = tables.iter().enumerate().filter(|(_, (_, played))| played.key == key);
        // Of several that lead equally far the one with the least to take back.
        let (place, far) = of_it
            .map(|(place, (_, played))| (place, along(played), played.moves.len()))
            .max_by_key(|(_, far, all)| (*far, usize::MAX - all))
            .map(|(place, far, _)| (place, far))?;
        let played = &tables[place].1;
        if played.moves.len() == far {
            return Some(tables.remove(place).1);
        }
        (far > 0).then(|| Played { key: key.into(), moves: moves[..far].to_vec(), session: after(&played.session, far) })
    }

    /// Keeps what was played for the next answer, in the place of what stood there as well.
    pub fn leave(&self, played: Played<T>) {
        let mut tables = held(&self.0);
        tables.retain(|(_, known)| known.key != played.key || known.moves != played.moves);
        tables.push((Instant::now(), played));
        if tables.len() > KEPT {
            tables.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game that only knows how far it has come.
    struct Come(usize);

    fn moves(text: &str) -> Vec<Move> {
        text.bytes().map(|letter| Move::Take(letter.into())).collect()
    }

    fn left(tables: &Tables<Come>, text: &str) {
        tables.leave(Played { key: "g".into(), moves: moves(text), session: Come(text.len()) });
    }

    fn taken(tables: &Tables<Come>, text: &str) -> Option<usize> {
        tables.take("g", &moves(text), |_, far| Come(far)).map(|played| played.session.0)
    }

    #[test]
    fn a_game_goes_on_from_where_it_was() {
        let tables = Tables::default();
        assert_eq!(taken(&tables, "a"), None);
        left(&tables, "abc");
        assert_eq!(taken(&tables, "abcd"), Some(3), "it goes on");
        assert_eq!(taken(&tables, "abcd"), None, "and whoever goes on has it");
        left(&tables, "abcd");
        assert_eq!(taken(&tables, "ab"), Some(2), "taken back");
        assert_eq!(taken(&tables, "abx"), Some(2), "gone on otherwise");
        assert_eq!(taken(&tables, "x"), None, "another game from its first answer");
        assert_eq!(taken(&tables, "abcd"), Some(4), "what went on is there still");
        assert!(tables.take("h", &moves("abcd"), |_, far| Come(far)).is_none(), "another address, another game");
    }

    #[test]
    fn so_many_games_are_kept_and_no_more() {
        let tables = Tables::default();
        (0..KEPT + 3).for_each(|n| left(&tables, &"a".repeat(n)));
        (0..5).for_each(|_| left(&tables, "a"));
        assert_eq!(tables.0.lock().expect("nobody panics").len(), KEPT);
    }
}
