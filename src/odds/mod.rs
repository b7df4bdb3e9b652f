//! What a procedure can come to, and how likely each outcome is.
//!
//! | file | what it is |
//! |---|---|
//! | [`fraction`] | exact chances |
//! | [`graph`] | what can come of a state, as a graph |
//! | [`bounds`] | how far a count goes, and what ended it |
//! | [`state_table`] | futures that are known, found again by what they look at |
//! | [`explore`] | goes through all that can come of a state, and looks at what meets only once |
//! | [`fold`] | chances folded back from the ends of a graph |
//! | [`joint`] | the same for several outcomes together |
//! | [`count`] | counts a situation, on as many threads as there are |
//! | [`distribution`] | outcomes with the chances of their values |
//! | [`run_sampler`] | runs with the dice of a seed, along what others have gone |
//! | [`sample`] | odds by trying, with their error |
//! | [`measure`] | outcomes added up to one figure |
//! | [`best_play`] | odds where sides choose with the end in view |
//! | [`matrix`] | a question both sides answer in secret, and the mix of answers |
//! | [`query`] | the odds of a situation: counted, else sampled |
//! | [`joint_table`] | several outcomes together |
//! | [`bar_chart`] | odds drawn as bars |
//! | [`assumptions`] | what odds rest on beside the printed rules |
//! | [`shards`] | work done in parts that can be joined |
//! | [`games`] | whole games by policies |
//! | [`rounds`] | so many rounds of a game, counted |
//! | [`sweep`] | the odds over the values of one figure |

pub mod assumptions;
pub mod bar_chart;
pub mod best_play;
pub mod bounds;
pub mod count;
pub mod distribution;
pub mod explore;
pub mod fold;
pub mod fraction;
pub mod games;
pub mod graph;
pub mod joint;
pub mod joint_table;
pub mod matrix;
pub mod measure;
pub mod query;
pub mod rounds;
pub mod run_sampler;
pub mod sample;
pub mod shards;
pub mod state_table;
pub mod sweep;
