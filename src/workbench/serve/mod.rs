//! The workbench: a web application to read, edit and compare rules, and a JSON API with the same functions.
//!
//! The server renders complete pages. Forms and links work without JavaScript, which only adds convenience.
//!
//! | file | what it is |
//! |---|---|
//! | [`page_request`] | page requests and their addresses |
//! | [`api_answers`] | what the API alone answers |
//! | [`caches`] | caches between requests: values used last, and games in progress |
//! | [`folder_watch`] | notices changes of the user's folder |
//! | [`running_counts`] | how far counts have come, and a way to end them |
//! | [`workbench`] | data, cached rulesets, and the user's folder |
//! | [`assets`] | embedded styles and scripts |
//! | [`layout`] | page frame and links |
//! | [`queries`] | rulings, odds and comparisons |
//! | [`switches`] | variants, options and readings as form controls |
//! | [`prose`] | texts with links to the cases and tables that they name |
//! | [`book`] | the rulebook |
//! | [`chart`] | comparisons and rulings as HTML |
//! | [`odds_view`] | odds as HTML: headline and charts |
//! | [`map`] | the map with its pieces |
//! | [`fields`] | form fields |
//! | [`decisions`] | what a situation decides: pieces that are picked, answers to questions |
//! | [`situations`] | situations as forms |
//! | [`situation_list`] | the list of situations, with small maps |
//! | [`comparison_page`] | comparison of rulesets |
//! | [`sweep_page`] | odds over the values of one figure |
//! | [`balance_page`] | who wins a whole game between styles, under several rulesets |
//! | [`play`] | interactive play |
//! | `vassal_files` | saved games of VASSAL opened, and games written for it |
//! | [`help`] | help, tour and glossary |
//! | [`start_page`] | the start page |
//! | [`variant_files`] | a variant of the user's copied, renamed, deleted |
//! | [`editor`] | editor for the user's variants |
//! | [`what_if`] | the page "What if …?": rules changed, tried and kept |
//! | [`error_pages`] | error pages with links to continue |
//! | [`calculator`] | the calculator of a situation: the map, the odds, the decisions, a ruling |
//! | [`pins_page`] | the page of pinned rulings |
//! | [`pages`] | routes of the pages |
//! | [`api`] | what the routes of the JSON API answer |
//! | [`routes`] | the routes of the JSON API under `/api`, and their OpenAPI document |
//! | [`handler`] | answers a request to the server or the static site |
//! | `browser` | the workbench inside a browser |
//! | [`site`] | writes the workbench as static files |
//! | [`server`] | HTTP server, authorisation, limits of connections and requests |

pub mod api;
pub mod api_answers;
pub mod assets;
pub mod balance_page;
pub mod book;
#[cfg(target_family = "wasm")]
pub mod browser;
pub mod caches;
pub mod calculator;
pub mod chart;
pub mod comparison_page;
pub mod decisions;
pub mod editor;
pub mod error_pages;
pub mod fields;
#[cfg(feature = "server")]
pub mod folder_watch;
pub mod handler;
pub mod help;
pub mod layout;
pub mod map;
pub mod odds_view;
pub mod page_request;
pub mod pages;
pub mod pins_page;
pub mod play;
pub mod prose;
pub mod queries;
pub mod routes;
pub mod running_counts;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod site;
pub mod situation_list;
pub mod situations;
pub mod start_page;
pub mod sweep_page;
pub mod switches;
pub mod variant_files;
#[cfg(feature = "vassal")]
pub mod vassal_files;
pub mod what_if;
pub mod workbench;
