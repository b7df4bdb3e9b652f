//! The workbench in the browser: where rules are read, changed and argued about; and the same for other programs.
//!
//! Pages are made here, whole: forms and links work without a script, which only makes them quicker.
//!
//! | file | what it is |
//! |---|---|
//! | [`page_request`] | what is asked, and the address that holds it |
//! | [`play_tables`] | games under way |
//! | [`workbench`] | the data, the rulesets in use, the user's folder |
//! | [`queries`] | rulings, odds, rulesets side by side |
//! | [`assets`] | styles and scripts, bound into the binary |
//! | [`layout`] | the frame of every page |
//! | [`switches`] | the ruleset as switches |
//! | [`book`] | the rulebook |
//! | [`chart`] | odds and rulings as a page shows them |
//! | [`map`] | the map with its pieces |
//! | [`fields`] | fields of a form |
//! | [`situations`] | situations as forms |
//! | [`comparison_page`] | rulesets side by side |
//! | [`play`] | a situation played by clicking |
//! | [`editor`] | variants of one's own |
//! | [`error_pages`] | what can't be shown, and the way on |
//! | [`pages`] | every page by its address |
//! | [`api`] | `/api`, for other programs |
//! | [`server`] | who may ask what, and for how long |

pub mod api;
pub mod assets;
pub mod book;
pub mod chart;
pub mod comparison_page;
pub mod editor;
pub mod error_pages;
pub mod fields;
pub mod layout;
pub mod map;
pub mod page_request;
pub mod pages;
pub mod play;
pub mod play_tables;
pub mod queries;
pub mod server;
pub mod situations;
pub mod switches;
pub mod workbench;
