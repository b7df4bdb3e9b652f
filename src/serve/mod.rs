//! The workbench in the browser: where rules are read, changed and argued about; and the same for other programs.
//!
//! Pages are made here, whole: forms and links work without a script, which only makes them quicker.
//!
//! | file | what it is |
//! |---|---|
//! | [`ask`] | what is asked, and the address that holds it |
//! | [`kept`] | games under way |
//! | [`bench`] | the data, the rulesets in use, the user's folder |
//! | [`answers`] | rulings, odds, rulesets side by side |
//! | [`assets`] | styles and scripts, bound into the binary |
//! | [`layout`] | the frame of every page |
//! | [`switches`] | the ruleset as switches |
//! | [`book`] | the rulebook |
//! | [`chart`] | odds and rulings as a page shows them |
//! | [`map`] | the map with its pieces |
//! | [`fields`] | fields of a form |
//! | [`situations`] | situations as forms |
//! | [`compared`] | rulesets side by side |
//! | [`play`] | a situation played by clicking |
//! | [`editor`] | variants of one's own |
//! | [`faults`] | what can't be shown, and the way on |
//! | [`pages`] | every page by its address |
//! | [`api`] | `/api`, for other programs |
//! | [`server`] | who may ask what, and for how long |

pub mod answers;
pub mod api;
pub mod ask;
pub mod assets;
pub mod bench;
pub mod book;
pub mod chart;
pub mod compared;
pub mod editor;
pub mod faults;
pub mod fields;
pub mod kept;
pub mod layout;
pub mod map;
pub mod pages;
pub mod play;
pub mod server;
pub mod situations;
pub mod switches;
