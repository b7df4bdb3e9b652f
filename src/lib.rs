//! Casebook runs the printed rules of wargames as data.
//!
//! A ruling is a pure function of three things: the ruleset in force, the situation, and the stream of dice and choices.
//! Everything else follows from that: replay, explanation, exact odds, comparison, snapshots.
//!
//! | module | what it is |
//! |---|---|
//! | [`complaint`] | what a data author is shown: law, path, line, column, excerpt, remedy |
//! | [`notation`] | dice, bands, odds, unit values, hexes, turns, case numbers |
//! | [`shelf`] | where the files stand: bound into the binary, and a folder laid over them |
//! | [`yaml`] | YAML as a tree in which every scalar keeps its text and place |
//! | [`game`] | the manifest: sides, kinds, attributes, places, tracks, procedures |
//! | [`case`] | a case file: its card, its functions, its examples |
//! | [`axis`] | the axes of a chart, and which label a key falls under |
//! | [`table`] | a chart: cells with the status of every figure |
//! | [`amendment`] | what one layer says of a chart: the whole, or changes |
//! | [`entry`] | a piece as a file describes it |
//! | [`scenario`] | situations, rosters, deployments, and what an amendment does to them |
//! | [`settle`] | layers of a chart or list laid over each other, and what a later one settles |
//! | [`variant`] | a layer over a game, with its options |
//! | [`library`] | all data, read as far as it is asked for |
//! | [`ruleset`] | what is in force, and who answers what |
//! | [`laws`] | what the data must hold to, and why |
//! | [`policy`] | who answers choices that nobody has answered |
//! | [`dice`] | streams of dice: seeded, typed in, exhaustive |
//! | [`odds`] | exact distributions |
//! | [`tree`] | what was chosen on the way, folded back from the ends |
//! | [`measure`] | outcomes added up to one figure |
//! | [`play`] | odds where sides choose with the end in view |
//! | [`matrix`] | a question both sides answer in secret, and the mix of answers |
//! | [`board`] | pieces, places, sides between them, tracks |
//! | [`trace`] | what happened on the way |
//! | [`session`] | one run: board, dice, answers, trace |
//! | [`blame`] | what went wrong in a script, as its author reads it |
//! | [`memo`] | answers already given |
//! | [`host`] | what scripts reach: the ruleset, the run, who answers a question |
//! | [`choice`] | the verb `choose` |
//! | [`verbs`] | what scripts may call: dice, choices, tables, lines of a ruling |
//! | [`sums`] | arithmetic: halves, percentages, odds, points dealt out evenly |
//! | [`units`] | lists of units: who is of a kind, who has a figure, what they come to |
//! | [`moves`] | what scripts may ask of the board |
//! | [`changes`] | how a procedure changes the situation |
//! | [`trial`] | what only examples may call |
//! | [`script`] | the Rhai engine of a ruleset: late binding, `prior()`, limits |
//! | [`page`] | text laid out for a person |
//! | [`ruling`] | the outcome of a procedure, as a person reads it and as a program does |
//! | [`lead`] | a question led through its own chances once |
//! | [`explore`] | leads a procedure through all its chances |
//! | [`sample`] | odds by trying, with their error |
//! | [`bars`] | odds drawn as bars |
//! | [`compare`] | two rulesets on one situation, and the amendments that make the difference |
//! | [`search`] | situations in which two rulesets part |
//! | [`difference`] | which lines of a text changed |
//! | [`example`] | statements of the sources, run |
//! | [`names`] | names that files mention, looked up |
//! | [`claim`] | a test of a ruling, as its author writes it |
//! | [`check`] | all complaints about all data |
//! | [`effects`] | what the functions of a case read and write |
//! | [`consult`] | what the situations of a game ask and read |
//! | [`clash`] | where two variants meet in the same cell, figure or function |
//! | [`interplay`] | where one variant writes what another reads |
//! | [`conflicts`] | how variants get on, in every place where they meet |
//! | [`journal`] | dice and choices of a ruling, to play it again |
//! | [`verdict`] | a test held against the ruling |
//! | [`snapshot`] | a ruling kept as text in its test, and written back there |
//! | [`suite`] | examples and tests of rulings, run |
//! | [`coverage`] | what examples and tests reach, and what they do not |
//! | [`show`] | a case, table or piece with its chain of amendments |
//! | [`watch`] | a situation carried out anew whenever a file is saved |
//! | [`scaffold`] | blank files to fill in |
//! | [`patch`] | a variant laid out that settles what others contradict in |

pub mod amendment;
pub mod axis;
pub mod bars;
pub mod blame;
pub mod board;
pub mod case;
pub mod changes;
pub mod check;
pub mod choice;
pub mod claim;
pub mod clash;
pub mod compare;
pub mod complaint;
pub mod conflicts;
pub mod consult;
pub mod coverage;
pub mod dice;
pub mod difference;
pub mod effects;
pub mod entry;
pub mod example;
pub mod explore;
pub mod game;
pub mod host;
pub mod interplay;
pub mod journal;
pub mod laws;
pub mod lead;
pub mod library;
pub mod matrix;
pub mod measure;
pub mod memo;
pub mod moves;
pub mod names;
pub mod notation;
pub mod odds;
pub mod page;
pub mod patch;
pub mod play;
pub mod policy;
pub mod ruleset;
pub mod ruling;
pub mod sample;
pub mod scaffold;
pub mod scenario;
pub mod script;
pub mod search;
pub mod session;
pub mod settle;
pub mod shelf;
pub mod show;
pub mod snapshot;
pub mod suite;
pub mod sums;
pub mod table;
pub mod trace;
pub mod tree;
pub mod trial;
pub mod units;
pub mod variant;
pub mod verbs;
pub mod verdict;
pub mod watch;
pub mod yaml;
