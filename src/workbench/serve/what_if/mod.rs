//! The page "What if …?": rules changed, what that does to situations, and the changes that are kept. Its address holds all of it, so a link
//! shows others the same.
//!
//! | file | what it is |
//! |---|---|
//! | [`request`] | what the address asks for, and how changes are kept |
//! | [`grid`] | a table changed in place |
//! | [`questions`] | a case changed by what it answers |
//! | [`recipes`] | a new rule made by a recipe |
//! | [`rules`] | the list of one's own rules, and the switches of variants and options |
//! | [`bench`](mod@bench) | situations before and after: the test bench, and one of them in full |
//! | [`game`] | a whole game before and after |
//! | [`page`] | the whole page |

pub mod bench;
pub mod game;
pub mod grid;
pub mod page;
pub mod questions;
pub mod recipes;
pub mod request;
pub mod rules;
