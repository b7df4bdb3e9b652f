//! Games under way: whoever goes on or takes back need not play everything again.

use crate::ruling::session::Aside;
use crate::serve::ask::Move;
use std::sync::{Mutex, PoisonError};

/// Games that are kept; each is some megabytes.
const KEPT: usize = 12;

/// A situation as it was played last.
pub struct Played {
    /// The address without its moves.
    pub key: String,
    /// The moves.
    pub moves: Vec<Move>,
    /// Where it stands.
    pub session: Aside,
}

/// The tables at which somebody plays, the latest at the end.
#[derive(Default)]
pub struct Tables(Mutex<Vec<Played>>);

impl Tables {
    /// What was played last of an address; nobody else has it until it is left.
    pub fn take(&self, key: &str) -> Option<Played> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = tables.iter().position(|played| played.key == key)?;
        Some(tables.remove(place))
    }

    /// Keeps what was played for the next answer.
    pub fn leave(&self, played: Played) {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tables.push(played);
        if tables.len() > KEPT {
            tables.remove(0);
        }
    }
}
