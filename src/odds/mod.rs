//! What a procedure can come to, and how likely each outcome is.
//!
//! | file | what it is |
//! |---|---|
//! | [`distribution`] | fractions, and named outcomes with their chances |
//! | [`tree`] | what was chosen on the way, folded back from the ends |
//! | [`measure`] | outcomes added up to one figure |
//! | [`best`] | odds where sides choose with the end in view |
//! | [`questions`] | a question led through its own chances once |
//! | [`count`] | leads a procedure through all its chances |
//! | [`matrix`] | a question both sides answer in secret, and the mix of answers |
//! | [`sample`] | odds by trying, with their error |
//! | [`bars`] | odds drawn as bars |

pub mod bars;
pub mod best;
pub mod count;
pub mod distribution;
pub mod matrix;
pub mod measure;
pub mod questions;
pub mod sample;
pub mod tree;
