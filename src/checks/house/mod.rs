//! House rules: changes that are tried in memory, what they do, and the files of a variant that keep them.
//!
//! | file | what it is |
//! |---|---|
//! | [`change`] | a change as it is typed and as an address has it |
//! | [`table_changes`] | the changes in a variant's file for a table: read, written, taken out |
//! | [`case_parts`] | what a variant's file changes in a case: read part by part, taken out |
//! | [`case_switch`] | a case that is switched off |
//! | [`kept`] | the changes that a variant keeps, as sentences, and a variant without one of them |
//! | [`recipe_edits`] | recipes that are edited, and what they said before |
//! | [`rivals`] | sets of house rules that change the same, and can't be in force together |
//! | [`script_faults`] | faults in the scripts that changes write |
//! | [`trial`] | the rules with changes, and their files |
//! | [`change_sentences`] | new changes said as sentences |
//! | [`broken_checks`] | pinned interpretations and printed examples that disagree with changed rules |
//! | [`touched_readings`] | readings of doubtful places that a change decides or contradicts |
//! | [`other_variants`] | other variants that have otherwise what a change changes |
//! | [`effect`] | what changed rules do to situations, and which situations they move |
//! | [`report`] | what changed rules do to a situation, as it is answered |
//! | [`game_effect`] | what changed rules do to whole games |

pub mod broken_checks;
pub mod case_parts;
pub mod case_switch;
pub mod change;
pub mod change_sentences;
pub mod effect;
pub mod game_effect;
pub mod kept;
pub mod other_variants;
pub mod recipe_edits;
pub mod report;
pub mod rivals;
pub mod script_faults;
pub mod table_changes;
pub mod touched_readings;
pub mod trial;
