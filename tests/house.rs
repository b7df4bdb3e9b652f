//! What keeps this repository in order: the engine knows no game, its modules lean one way, and files stay small.

use casebook::library::Library;
use casebook::shelf::Shelf;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Words of the games that the engine needs too, by what it means by them.
const ALLOWED: &[(&str, &[&str])] = &[
    ("places in a text", &["span", "line", "column", "depth"]),
    ("words of Rust, and of functions it calls", &["none", "list", "first", "start", "clear", "checked", "advance", "marker"]),
    (
        "how any game is made: charts and counters have figures in units, turns follow each other, dice come in streams, layers lie on a base",
        &["figures", "unit", "bracketed", "turn", "stream", "state", "base"],
    ),
    (
        "what laws and rulings say: they hold, labels cover dice, options are open, something stands under a heading",
        &["hold", "cover", "open", "under", "back"],
    ),
    (
        "points that are dealt out, the command line, things a name stands inside of",
        &["point", "inside", "rank", "hits", "waiting", "target"],
    ),
    (
        "plain English that a game happens to use: no and moved, tests that passed, the front of a queue",
        &["no", "moved", "passed", "front"],
    ),
];

/// Longest source file, and longest case.
const LINES: (usize, usize) = (400, 150);

fn allowed() -> impl Iterator<Item = &'static str> {
    ALLOWED.iter().flat_map(|(_, words)| words.iter().copied())
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder with an ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|end| end == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The sources of the crate: name of the module and text.
fn sources() -> BTreeMap<String, String> {
    let name = |path: &Path| path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    files(&repository().join("src"), "rs")
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).expect("a source can be read")))
        .collect()
}

/// A text in words of small letters: identifiers fall apart at underscores and at capitals.
fn words(text: &str) -> Vec<String> {
    let mut list = vec![String::new()];
    let mut small = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            list.push(String::new());
        }
        if c.is_alphanumeric() {
            list.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    list.retain(|word| !word.is_empty());
    list
}

/// Whether a word of a game, or its plural, stands in a line.
fn stands(wanted: &str, parts: &[String], raw: &str, line: &[String]) -> bool {
    if wanted.contains('_') {
        return raw.to_lowercase().contains(&wanted.to_lowercase());
    }
    let Some((last, init)) = parts.split_last() else { return false };
    line.windows(parts.len())
        .any(|window| window[..init.len()] == *init && (window[init.len()] == *last || window[init.len()] == format!("{last}s")))
}

/// Knowledge of a game stands in its data. The forbidden words are those of the games' own manifests.
#[test]
fn no_word_of_any_game_stands_in_the_engine() {
    let library = Library::new(Shelf::built_in());
    let forbidden: BTreeMap<String, Vec<String>> = library
        .games
        .values()
        .flat_map(|game| game.words().into_iter().chain([game.name.clone()]))
        .map(|word| (word.clone(), words(&word)))
        .collect();
    assert!(forbidden.len() > 40, "the manifests were read");
    let mut hits = Vec::new();
    let mut needed = BTreeSet::new();
    for (module, text) in sources() {
        for (number, raw) in text.lines().enumerate() {
            let line = words(raw);
            for word in forbidden.iter().filter(|(word, parts)| stands(word, parts, raw, &line)).map(|(word, _)| word) {
                if allowed().any(|a| a == word) {
                    needed.insert(word.as_str());
                } else {
                    hits.push(format!("src/{module}.rs:{}: `{word}` in {}", number + 1, raw.trim()));
                }
            }
        }
    }
    let idle: Vec<&str> = allowed().filter(|word| !needed.contains(word)).collect();
    assert!(hits.is_empty(), "words of a game stand in the engine:\n{}", hits.join("\n"));
    assert!(idle.is_empty(), "these words need no leave any more: {}", idle.join(", "));
}

/// The modules in the order of the table in lib.rs.
fn table_of_modules(lib: &str) -> Vec<String> {
    lib.lines().filter_map(|line| line.strip_prefix("//! | [`")?.split('`').next().map(String::from)).collect()
}

/// The modules of this crate that a text uses.
fn uses(text: &str, modules: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // A link in a comment points somewhere; it leans on nothing.
    let code: String = text.lines().filter_map(|line| line.split("//").next()).collect::<Vec<_>>().join("\n");
    for rest in code.split("crate::").skip(1) {
        // `crate::{a, b::C}` names several, anything else one.
        let named: Vec<&str> = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![rest],
        };
        let first = |part: &str| part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        found.extend(named.into_iter().map(first).filter(|name| modules.contains(name)));
    }
    found
}

/// The table in lib.rs is the order of the engine: a module uses only what stands above it.
#[test]
fn modules_lean_on_those_above_them() {
    let sources = sources();
    let order = table_of_modules(&sources["lib"]);
    let mut wrong = Vec::new();
    for (rank, module) in order.iter().enumerate() {
        let Some(text) = sources.get(module) else { continue };
        for used in uses(text, &order) {
            if order.iter().position(|m| *m == used).is_some_and(|r| r > rank) {
                wrong.push(format!("{module} uses {used}, which stands below it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_in_lib_lists_every_module() {
    let sources = sources();
    let table: BTreeSet<String> = table_of_modules(&sources["lib"]).into_iter().collect();
    let declared: BTreeSet<String> = sources["lib"]
        .lines()
        .filter_map(|l| l.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';').map(String::from))
        .collect();
    // The library itself, the command line with its own parts, and what cargo runs before the crate is compiled.
    let apart =
        ["lib", "main", "embed"].into_iter().chain(sources["main"].lines().filter_map(|l| l.strip_prefix("mod ")?.strip_suffix(';')));
    let apart: BTreeSet<&str> = apart.collect();
    let there: BTreeSet<String> = sources.keys().filter(|m| !apart.contains(m.as_str())).cloned().collect();
    assert_eq!(table, declared);
    assert_eq!(table, there);
}

#[test]
fn files_stay_small() {
    let root = repository();
    let mut long = Vec::new();
    let mut look = |path: &Path, most: usize| {
        let lines = fs::read_to_string(path).map_or(0, |text| text.lines().count());
        if lines > most {
            long.push(format!("{} has {lines} lines; at most {most}", path.strip_prefix(&root).unwrap_or(path).display()));
        }
    };
    files(&root.join("src"), "rs").iter().for_each(|path| look(path, LINES.0));
    for tree in ["rules", "variants"] {
        files(&root.join(tree), "rhai").iter().for_each(|path| look(path, LINES.1));
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// A complaint names a law that `casebook explain` knows, and every law is enforced somewhere.
#[test]
fn complaints_and_laws_agree() {
    let mut named = BTreeSet::new();
    for (module, text) in sources() {
        let body = text.split("laws! {").next().unwrap_or_default().to_string()
            + text.split("\n}\n").skip(1).collect::<Vec<_>>().join("\n").as_str();
        let body = if module == "laws" { body } else { text };
        let flat = body.split_whitespace().collect::<Vec<_>>().join(" ");
        named.extend(flat.split('"').skip(1).step_by(2).map(String::from));
        for before in ["complain(", "complaint(", "Complaint::new(", "fault("] {
            for rest in flat.split(before).skip(1) {
                if let Some(law) = rest.strip_prefix('"').and_then(|r| r.split('"').next())
                    && !law.is_empty()
                    && !law.contains(' ')
                {
                    assert!(
                        casebook::laws::explain(law).is_some(),
                        "src/{module}.rs complains by the law `{law}`, which nobody can look up"
                    );
                }
            }
        }
    }
    let idle: Vec<&str> = casebook::laws::names().filter(|law| !named.contains(*law)).collect();
    assert!(idle.is_empty(), "no complaint names these laws: {}", idle.join(", "));
}
