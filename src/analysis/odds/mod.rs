//! Computes everything a procedure can lead to, and the probability of each outcome.
//!
//! | file | what it is |
//! |---|---|
//! | [`fraction`] | exact probabilities |
//! | [`mass`] | accumulators of probabilities |
//! | [`answer`] | the answers to a stop and their weights |
//! | [`outcome_key`] | the keys by which values of outcomes are counted |
//! | [`graph`] | the outcome graph of a state |
//! | [`modular`] | solves systems of linear equations modulo a prime |
//! | [`linear`] | solves systems of linear equations exactly |
//! | [`counters`] | numbers that no rule reads, which are added to and reported |
//! | [`component`] | states that can reach each other |
//! | [`loop_exits`] | replaces such states by how they are left at last |
//! | [`bounds`] | the limits of a count, and the limit that ended it |
//! | [`state_table`] | the table of explored states, keyed by what their future reads |
//! | [`answer_table`] | the answers to throws that were requested before |
//! | [`open_states`] | the states of a search that are not finished yet |
//! | [`profile`] | where the states of a count arise, and what keeps them apart |
//! | [`block_table`] | the blocks that were counted, and when counting one is worthwhile |
//! | [`search_frame`] | a state whose branches are being explored |
//! | [`explore`] | explores everything a state can lead to, each merged state once |
//! | [`named_outcomes`] | the outcomes that a run names between two stops, and what becomes of counters |
//! | [`finish`] | finishes explored states, and closes their loops |
//! | [`counter_means`] | what outcomes that report counters are expected to add up to |
//! | [`unroll`] | gives the counters of a graph their numbers again, and gathers those that go on without end |
//! | [`return_chances`] | what a function that throws may return, counted once for equal arguments |
//! | [`block_chances`] | how a block of a function that throws may end, counted once for all entries that agree in what it reads |
//! | [`forward`] | explores the likeliest states first when a depth-first count was cut |
//! | [`fixed_point`] | sums of probabilities with long denominators |
//! | [`fold`] | folds a graph to the distribution of each outcome |
//! | [`joint`] | folds a graph to a joint distribution |
//! | [`count`] | counts a situation on several threads |
//! | [`distribution`] | outcomes with the probabilities of their values |
//! | [`seeded_run`] | runs with the dice of a seed |
//! | [`sample`] | odds by sampling, with their error |
//! | [`measure`] | signed sums of outcomes |
//! | [`induction`] | the expected worth of outcomes from each state on, with choices taken by it |
//! | [`best_play`] | odds under optimal play |
//! | [`matrix`] | payoff matrices of secret choices, and their equilibrium |
//! | [`query`] | the odds of a situation: counted, else sampled |
//! | [`joint_table`] | joint rows, counted and sampled |
//! | [`bar_chart`] | odds drawn as bars |
//! | [`headline`] | the chances and means that are read first |
//! | [`assumptions`] | the assumptions of odds in addition to the printed rules |
//! | [`report`] | odds as they are answered |
//! | [`shards`] | work split into parts that can be merged |
//! | [`game_run`] | one game, from procedure to procedure |
//! | [`game_score`] | how a game is read: who has won it, and with what score |
//! | [`games`] | whole games played by policies |
//! | [`rounds`] | the odds of a game after some rounds |
//! | [`sweep`] | odds over the values of one figure |

pub mod answer;
pub mod answer_table;
pub mod assumptions;
pub mod bar_chart;
pub mod best_play;
pub mod block_chances;
pub mod block_table;
pub mod bounds;
pub mod component;
pub mod count;
pub mod counter_means;
pub mod counters;
pub mod distribution;
pub mod explore;
pub mod finish;
pub mod fixed_point;
pub mod fold;
pub mod forward;
pub mod fraction;
pub mod game_run;
pub mod game_score;
pub mod games;
pub mod graph;
pub mod headline;
pub mod induction;
pub mod joint;
pub mod joint_table;
pub mod linear;
pub mod loop_exits;
pub mod mass;
pub mod matrix;
pub mod measure;
pub mod modular;
pub mod named_outcomes;
pub mod open_states;
pub mod outcome_key;
pub mod profile;
pub mod query;
pub mod report;
pub mod return_chances;
pub mod rounds;
pub mod sample;
pub mod search_frame;
pub mod seeded_run;
pub mod shards;
pub mod state_table;
pub mod sweep;
pub mod unroll;
