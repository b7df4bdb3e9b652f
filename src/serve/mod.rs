//! The workbench: a web application to read, edit and compare rules, and a JSON API with the same functions.
//!
//! The server renders complete pages. Forms and links work without JavaScript, which only avoids page loads.
//!
//! | file | what it is |
//! |---|---|
//! | [`page_request`] | page requests and their addresses |
//! | [`play_tables`] | cache of games in progress |
//! | [`folder_watch`] | notices changes of the user's folder |
//! | [`workbench`] | data, cached rulesets, and the user's folder |
//! | [`queries`] | rulings, odds and comparisons |
//! | [`assets`] | embedded styles and scripts |
//! | [`layout`] | page frame and links |
//! | [`switches`] | variants, options and readings as form controls |
//! | [`book`] | the rulebook |
//! | [`chart`] | odds and rulings as HTML |
//! | [`map`] | the map with its pieces |
//! | [`fields`] | form fields |
//! | [`situations`] | situations as forms |
//! | [`comparison_page`] | comparison of rulesets |
//! | [`play`] | interactive play |
//! | [`editor`] | editor for the user's variants |
//! | [`error_pages`] | error pages with links to continue |
//! | [`pages`] | routes of the pages |
//! | [`api`] | the JSON API under `/api` |
//! | [`handler`] | answers a request to the server or the static site |
//! | [`browser`] | the workbench inside a browser |
//! | [`site`] | writes the workbench as static files |
//! | [`server`] | HTTP server, authorisation and limits |

pub mod api;
pub mod assets;
pub mod book;
#[cfg(target_family = "wasm")]
pub mod browser;
pub mod chart;
pub mod comparison_page;
pub mod editor;
pub mod error_pages;
pub mod fields;
pub mod folder_watch;
pub mod handler;
pub mod layout;
pub mod map;
pub mod page_request;
pub mod pages;
pub mod play;
pub mod play_tables;
pub mod queries;
#[cfg(feature = "serve")]
pub mod server;
#[cfg(feature = "serve")]
pub mod site;
pub mod situations;
pub mod switches;
pub mod workbench;
