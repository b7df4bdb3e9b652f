//! Static files of the pages, embedded in the binary. No page loads anything from another host.

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("assets/casebook.css");
/// The face of titles, on the start page and in the rulebook.
const DISPLAY: &str = include_str!("assets/display.css");
/// The style sheet of those pages that only a running workbench has.
const PAGES: &str = include_str!("assets/pages.css");
/// The script of the same pages: cards that are sorted out as one types, cells that are changed in place.
const PAGES_SCRIPT: &str = include_str!("assets/pages.js");
/// The script for live odds and switches.
const SCRIPT: &str = include_str!("assets/casebook.js");
/// The editor component: CodeMirror (MIT), built from `assets/editor/source.js` as described at the top of that file.
const EDITOR: &str = include_str!("assets/editor/built.js");
/// The script of what authors do elsewhere: examples run, files created and unpacked.
const AUTHORING: &str = include_str!("assets/authoring.js");
/// The script of the page with the editor.
const EDITING: &str = include_str!("assets/editing.js");
/// Styles and script of the map.
const MAP_STYLE: &str = include_str!("assets/map.css");
const MAP_SCRIPT: &str = include_str!("assets/map.js");
const SITUATION_STYLE: &str = include_str!("assets/situation.css");
const SITUATION_SCRIPT: &str = include_str!("assets/situation.js");
/// Styles and script of play.
const TABLE_STYLE: &str = include_str!("assets/table.css");
const TABLE_SCRIPT: &str = include_str!("assets/table.js");
/// The script of the page "What if …?".
const WHAT_IF: &str = include_str!("assets/what-if.js");
const ICON: &str = include_str!("assets/icon.svg");

/// Files served under `/assets/`: name, content type, text.
pub const ASSETS: [(&str, &str, &str); 16] = [
    ("casebook.css", "text/css; charset=utf-8", STYLE),
    ("display.css", "text/css; charset=utf-8", DISPLAY),
    ("pages.css", "text/css; charset=utf-8", PAGES),
    ("pages.js", "text/javascript; charset=utf-8", PAGES_SCRIPT),
    ("casebook.js", "text/javascript; charset=utf-8", SCRIPT),
    ("editor.js", "text/javascript; charset=utf-8", EDITOR),
    ("authoring.js", "text/javascript; charset=utf-8", AUTHORING),
    ("editing.js", "text/javascript; charset=utf-8", EDITING),
    ("map.css", "text/css; charset=utf-8", MAP_STYLE),
    ("map.js", "text/javascript; charset=utf-8", MAP_SCRIPT),
    ("situation.css", "text/css; charset=utf-8", SITUATION_STYLE),
    (
        "situation.js",
        "text/javascript; charset=utf-8",
        SITUATION_SCRIPT,
    ),
    ("table.css", "text/css; charset=utf-8", TABLE_STYLE),
    ("table.js", "text/javascript; charset=utf-8", TABLE_SCRIPT),
    ("what-if.js", "text/javascript; charset=utf-8", WHAT_IF),
    ("icon.svg", "image/svg+xml", ICON),
];
