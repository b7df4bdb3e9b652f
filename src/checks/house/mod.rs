//! House rules: changes that are tried in memory, what they do, and the list that keeps them.
//!
//! Each uses only those above it.
//!
//! | file | what it is |
//! |---|---|
//! | [`entry`] | an entry of a list of changes, in a file and as it is typed |
//! | [`value_change`] | a change of a value of a situation or list, as it is typed |
//! | [`change`] | a change as it is typed and as an address has it |
//! | [`sentence`] | a change said as a sentence |
//! | [`places`] | what can be changed in a case, each with the line to type |
//! | [`kept`] | the changes that a variant keeps |
//! | [`script_faults`] | faults in changes |
//! | [`rivals`] | sets of house rules that change the same, and can't be in force together |
//! | [`trial`] | the rules with changes, and the list that keeps them |
//! | [`effect`] | what changed rules do to situations, and which situations they move |
//! | [`ruling_forks`] | what the other faces of each throw of a ruling would give |
//! | [`ruling_form`] | a ruling whose values say what they are made of and can be changed at |
//! | [`broken_checks`] | pinned interpretations and printed examples that disagree with changed rules |
//! | [`touched_readings`] | readings of doubtful places that a change decides or contradicts |
//! | [`other_variants`] | other variants that have otherwise what a change changes |
//! | [`report`] | what changed rules do to a situation and who disagrees, as it is answered |
//! | [`game_effect`] | what changed rules do to whole games |

pub mod broken_checks;
pub mod change;
pub mod effect;
pub mod entry;
pub mod game_effect;
pub mod kept;
pub mod other_variants;
pub mod places;
pub mod report;
pub mod rivals;
pub mod ruling_forks;
pub mod ruling_form;
pub mod script_faults;
pub mod sentence;
pub mod touched_readings;
pub mod trial;
pub mod value_change;
