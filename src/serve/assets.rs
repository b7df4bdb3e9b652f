//! The files that pages bring with them, bound into the binary: no page asks anybody else for anything.

/// The looks of every page.
pub const STYLE: &str = include_str!("assets/casebook.css");
/// What moves: live odds, switches, the editor.
const SCRIPT: &str = include_str!("assets/casebook.js");
/// The editor: CodeMirror (MIT), built from `assets/editor/source.js` as the head of that file says.
const EDITOR: &str = include_str!("assets/editor/built.js");
const ICON: &str = include_str!("assets/icon.svg");

/// What is served under `/assets/`: name, sort, text.
pub const ASSETS: [(&str, &str, &str); 4] = [
    ("casebook.css", "text/css; charset=utf-8", STYLE),
    ("casebook.js", "text/javascript; charset=utf-8", SCRIPT),
    ("editor.js", "text/javascript; charset=utf-8", EDITOR),
    ("icon.svg", "image/svg+xml", ICON),
];
