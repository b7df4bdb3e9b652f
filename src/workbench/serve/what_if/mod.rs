//! The page "What if …?": rules changed, what that does to situations, and the changes that are kept. Its address holds all of it, so a link
//! shows others the same.
//!
//! | file | what it is |
//! |---|---|
//! | [`request`] | what the address asks for, and how changes are kept |
//! | [`grid`] | a table changed in place |
//! | [`places`] | a case changed at its places |
//! | [`rules`] | the list of one's own rules, and the switches of variants and options |
//! | [`bench`](mod@bench) | situations before and after: the test bench, and one of them in full |
//! | [`game`] | a whole game before and after |
//! | [`page`] | the whole page |

pub mod bench;
pub mod game;
pub mod grid;
pub mod page;
pub mod places;
pub mod request;
pub mod rules;
