//! The page "What if …?": rules changed at the ruling of a battle, what that does to situations, and the changes that are kept. Its address
//! holds all of it, so a link shows others the same.
//!
//! | file | what it is |
//! |---|---|
//! | [`request`] | what the address asks for, and how changes are kept |
//! | [`grid`] | a table changed in place |
//! | [`block`] | what can be done at a place: the block that opens below a line |
//! | [`ruling`] | the ruling of the battle as the form |
//! | [`rules`] | the list of one's own rules, and the switches of variants and options |
//! | [`bench`](mod@bench) | situations before and after: the test bench, and one of them in full |
//! | [`game`] | a whole game before and after |
//! | [`page`] | the whole page |

pub mod bench;
pub mod block;
pub mod game;
pub mod grid;
pub mod page;
pub mod request;
pub mod rules;
pub mod ruling;
