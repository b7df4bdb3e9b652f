//! All tests in one program: it is linked once, and the long tests of one file run beside those of the next.
//! What stands apart: `examples`, `browser` and `tools`, which list their tests themselves; `fuzz` and `limits_memory`, which measure the
//! memory of their process. One file: `cargo test --test suite play::`; one test: `cargo test --test suite play::its_name`.

mod common;

mod architecture;
mod author;
mod balance;
mod blocks;
mod charts;
mod check_soundness;
mod citations;
mod cli;
mod committed_dice;
mod compare;
mod complaints;
mod conflicts;
mod cycles;
mod deadlines;
mod decks;
mod dice;
mod exact_odds;
mod file_safety;
mod games;
mod generated_syntax;
mod guide;
mod limits;
mod limits_data;
mod lsp;
mod luck;
mod manifest_additions;
mod many_values;
mod map_status;
mod mcp;
mod memoization;
mod origins;
mod overrides;
mod phases;
mod play;
mod policies;
mod pools;
mod properties;
mod readme;
mod recipes;
mod reference;
mod risk;
mod rounds;
mod ruling_tests;
mod rulings;
mod schema;
mod serve;
mod serve_limits;
mod show;
mod test_quality;
mod trial;
mod vassal_files;
mod verb_arguments;
