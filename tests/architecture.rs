//! Rules of this repository: the engine knows no game, crates and modules are used one way, and files stay small.

use casebook::DiagnosticCode;
use casebook::data::files::Files;
use casebook::data::library::Library;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Words of the games that the engine may use, with the meaning that they have in it.
const ALLOWED_WORDS: &[(&str, &[&str])] = &[
    ("places in a text", &["span", "line", "column", "depth"]),
    (
        "words of Rust, and of functions it calls",
        &[
            "none", "list", "first", "start", "clear", "checked", "marker",
        ],
    ),
    (
        "how any game is made: charts and counters have figures in units, turns follow each other, dice come in streams, layers lie on a base",
        &[
            "figures",
            "unit",
            "bracketed",
            "turn",
            "stream",
            "state",
            "base",
        ],
    ),
    (
        "what checks and rulings say: they hold, labels cover dice, options are open, something stands under a heading",
        &["hold", "cover", "open", "under", "back"],
    ),
    (
        "points that are dealt out, the command line, things a name stands inside of",
        &["point", "inside", "rank", "hits", "waiting", "target"],
    ),
    ("a chapter of the guide", &["commands"]),
    ("words of HTML", &["hidden"]),
    ("sets have a union, graphs have edges", &["Union", "edge"]),
    (
        "plain English that a game happens to use: no and moved, tests that passed",
        &["no", "moved", "passed", "set-up"],
    ),
];

/// Longest source file, and longest case.
const MAX_LINES: (usize, usize) = (800, 120);

fn allowed_words() -> impl Iterator<Item = &'static str> {
    ALLOWED_WORDS
        .iter()
        .flat_map(|(_, words)| words.iter().copied())
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder with an ending.
fn files_with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut violations = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            violations.extend(files_with_ending(&path, ending));
        } else if path.extension().is_some_and(|end| end == ending) {
            violations.push(path);
        }
    }
    violations.sort();
    violations
}

/// The sources of the crate: path below `src` without its ending, and text.
pub fn sources() -> BTreeMap<String, String> {
    let src = repository().join("src");
    let name = |path: &Path| {
        path.strip_prefix(&src)
            .expect("below src")
            .with_extension("")
            .to_string_lossy()
            .replace('\\', "/")
    };
    files_with_ending(&src, "rs")
        .iter()
        .map(|path| {
            (
                name(path),
                fs::read_to_string(path).expect("a source can be read"),
            )
        })
        .collect()
}

/// Splits a text into lower-case words; identifiers are split at underscores and capitals.
fn split_words(text: &str) -> Vec<String> {
    let mut list = vec![String::new()];
    let mut small = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            list.push(String::new());
        }
        if c.is_alphanumeric() {
            list.last_mut()
                .expect("never empty")
                .extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    list.retain(|word| !word.is_empty());
    list
}

/// Words of the games, indexed by the last part of each.
struct GameWords<'w> {
    by_last_part: BTreeMap<&'w str, Vec<(&'w str, &'w [String])>>,
    with_underscore: Vec<(&'w str, String)>,
}

impl<'w> GameWords<'w> {
    fn new(words: &'w BTreeMap<String, Vec<String>>) -> GameWords<'w> {
        let mut words_by_part = GameWords {
            by_last_part: BTreeMap::new(),
            with_underscore: Vec::new(),
        };
        for (word, parts) in words {
            match parts.split_last() {
                _ if word.contains('_') => words_by_part
                    .with_underscore
                    .push((word, word.to_lowercase())),
                Some((last, init)) => words_by_part
                    .by_last_part
                    .entry(last)
                    .or_default()
                    .push((word, init)),
                None => {}
            }
        }
        words_by_part
    }

    /// Finds the words, or their plurals, in a line.
    fn find(&self, raw: &str) -> BTreeSet<&'w str> {
        let (line, lower_case) = (split_words(raw), raw.to_lowercase());
        let with_underscores = self
            .with_underscore
            .iter()
            .filter(|(_, small)| lower_case.contains(small))
            .map(|(word, _)| *word);
        let ends = line.iter().enumerate().flat_map(|(at, part)| {
            [Some(part.as_str()), part.strip_suffix('s')].map(|part| (at, part))
        });
        let ending = ends.flat_map(|(at, last)| {
            last.and_then(|last| self.by_last_part.get(last))
                .into_iter()
                .flatten()
                .map(move |listed| (at, listed))
        });
        with_underscores
            .chain(
                ending
                    .filter(|(at, (_, init))| line[..*at].ends_with(init))
                    .map(|(_, (word, _))| *word),
            )
            .collect()
    }
}

/// Knowledge of a game stands in its data. The forbidden words are those of the games' own manifests.
#[test]
fn no_word_of_any_game_stands_in_the_engine() {
    let library = Library::new(Files::built_in(casebook::EMBEDDED));
    let forbidden: BTreeMap<String, Vec<String>> = library
        .games
        .values()
        .flat_map(|game| game.vocabulary().into_iter().chain([game.name.clone()]))
        .map(|word| (word.clone(), split_words(&word)))
        .collect();
    assert!(forbidden.len() > 40, "the manifests were read");
    let mut hits = Vec::new();
    let mut needed = BTreeSet::new();
    let words = GameWords::new(&forbidden);
    for (module, text) in sources() {
        for (number, raw) in text.lines().enumerate() {
            for word in words.find(raw) {
                if allowed_words().any(|a| a == word) {
                    needed.insert(word);
                } else {
                    hits.push(format!(
                        "src/{module}.rs:{}: `{word}` in {}",
                        number + 1,
                        raw.trim()
                    ));
                }
            }
        }
    }
    let unused: Vec<&str> = allowed_words()
        .filter(|word| !needed.contains(word))
        .collect();
    assert!(
        hits.is_empty(),
        "words of a game stand in the engine:\n{}",
        hits.join("\n")
    );
    assert!(
        unused.is_empty(),
        "these words need no leave any more: {}",
        unused.join(", ")
    );
}

/// The names in the table at the head of a file, in their order.
fn table_names(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| {
            line.strip_prefix("//! | ")?
                .trim_start_matches('[')
                .strip_prefix('`')?
                .split('`')
                .next()
                .map(String::from)
        })
        .collect()
}

/// The modules a file declares.
fn declared_modules(text: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        line.trim_start()
            .trim_start_matches("pub ")
            .strip_prefix("mod ")?
            .strip_suffix(';')
            .map(String::from)
    };
    text.lines().filter_map(name).collect()
}

/// What a text uses of a place in the crate: the names that follow `crate::` or `crate::module::`.
fn used_names(text: &str, path_prefix: &str) -> BTreeSet<String> {
    // A link in a comment is no dependency.
    let code: String = text
        .lines()
        .filter_map(|line| line.split("//").next())
        .collect::<Vec<_>>()
        .join("\n");
    let mut names = BTreeSet::new();
    for behind in code.split(path_prefix).skip(1) {
        // `{a, b::C}` names several, anything else one.
        let named: Vec<&str> = match behind.strip_prefix('{') {
            Some(list) => list
                .split('}')
                .next()
                .unwrap_or_default()
                .split(',')
                .collect(),
            None => vec![behind],
        };
        let first = |part: &str| {
            part.trim()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect::<String>()
        };
        names.extend(named.into_iter().map(first));
    }
    names
}

/// The folder of each crate below `src`, with the crates of this repository that it uses, as its manifest says. The root's folder is empty.
fn crates() -> BTreeMap<String, BTreeSet<String>> {
    let root = repository();
    let folders = fs::read_dir(root.join("src"))
        .expect("it can be read")
        .flatten()
        .map(|entry| entry.path());
    let members = folders.filter(|path| path.join("Cargo.toml").is_file());
    let name = |path: &Path| {
        path.file_name()
            .expect("a folder has a name")
            .to_string_lossy()
            .to_string()
    };
    let manifests = members
        .map(|path| (name(&path), path.join("Cargo.toml")))
        .chain([(String::new(), root.join("Cargo.toml"))]);
    let uses = |manifest: &Path| -> BTreeSet<String> {
        let text = fs::read_to_string(manifest).expect("it can be read");
        let dependencies = text
            .split("\n[dependencies]\n")
            .nth(1)
            .and_then(|rest| rest.split("\n[").next())
            .unwrap_or_default();
        let name = |line: &str| {
            Some(
                line.strip_prefix("casebook-")?
                    .split(['.', ' '])
                    .next()?
                    .to_string(),
            )
        };
        dependencies.lines().filter_map(name).collect()
    };
    manifests
        .map(|(name, manifest)| (name, uses(&manifest)))
        .collect()
}

/// The sources of a crate: path below its folder, and text.
fn crate_sources<'s>(
    sources: &'s BTreeMap<String, String>,
    folder: &str,
) -> BTreeMap<&'s str, &'s str> {
    let others: Vec<String> = crates()
        .into_keys()
        .filter(|name| !name.is_empty())
        .map(|name| format!("{name}/"))
        .collect();
    let below = |name: &'s str| match folder {
        "" => {
            Some(name).filter(|name| !others.iter().any(|other| name.starts_with(other.as_str())))
        }
        folder => name.strip_prefix(folder)?.strip_prefix('/'),
    };
    sources
        .iter()
        .filter_map(|(name, text)| Some((below(name)?, text.as_str())))
        .collect()
}

/// What DESIGN allows: the engine knows no other crate, and the doors don't know each other.
#[test]
fn crates_use_only_what_they_may() {
    let set = |names: &[&str]| {
        names
            .iter()
            .map(ToString::to_string)
            .collect::<BTreeSet<String>>()
    };
    let allowed = BTreeMap::from([
        ("engine", set(&[])),
        ("analysis", set(&["engine"])),
        ("checks", set(&["engine", "analysis"])),
        ("view", set(&["engine", "analysis", "checks"])),
        (
            "workbench",
            set(&["engine", "analysis", "checks", "view", "vassal"]),
        ),
        ("editor", set(&["engine", "analysis", "checks", "view"])),
        ("vassal", set(&["engine", "analysis"])),
        (
            "",
            set(&[
                "engine",
                "analysis",
                "checks",
                "view",
                "workbench",
                "editor",
                "vassal",
            ]),
        ),
    ]);
    let found = crates();
    assert_eq!(
        found.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        allowed.keys().copied().collect(),
        "the crates"
    );
    for (name, uses) in &found {
        assert!(
            uses.is_subset(&allowed[name.as_str()]),
            "src/{name} uses {uses:?}, and may use {:?}",
            allowed[name.as_str()]
        );
    }
}

/// The picture in CONTRIBUTING shows Cargo's own graph.
#[test]
fn the_picture_of_the_crates_is_true() {
    let text =
        fs::read_to_string(repository().join(".github/CONTRIBUTING.md")).expect("it can be read");
    let arrow = |line: &str| {
        let (from, to) = line.split_once("─►")?;
        let to = to
            .trim_start()
            .split("  ")
            .next()
            .unwrap_or_default()
            .split(", ")
            .map(String::from);
        let folder = if from.trim() == "casebook" {
            ""
        } else {
            from.trim()
        };
        Some((
            folder.to_string(),
            to.filter(|name| name != "nothing").collect(),
        ))
    };
    assert_eq!(
        text.lines()
            .filter_map(arrow)
            .collect::<BTreeMap<_, BTreeSet<_>>>(),
        crates()
    );
}

/// The tables in each lib.rs and in each `mod.rs` give an order: each module uses only those above it.
#[test]
fn modules_use_those_above_them() {
    let sources = sources();
    let mut wrong = Vec::new();
    for folder in crates().into_keys() {
        let sources = crate_sources(&sources, &folder);
        let modules = table_names(sources["lib"]);
        let mut hold =
            |user: &str, path_prefix: &str, text: &str, order: &[String], rank: usize| {
                for used in used_names(text, path_prefix) {
                    if order
                        .iter()
                        .position(|name| *name == used)
                        .is_some_and(|other| other > rank)
                    {
                        wrong.push(format!(
                            "{folder}/{user} uses {path_prefix}{used}, which stands below it"
                        ));
                    }
                }
            };
        for (rank, module) in modules.iter().enumerate() {
            let files = sources
                .get(&*format!("{module}/mod"))
                .map(|text| table_names(text))
                .unwrap_or_default();
            for (name, text) in sources
                .iter()
                .filter(|(name, _)| *name == module || name.starts_with(&format!("{module}/")))
            {
                hold(name, "crate::", text, &modules, rank);
                let within = name
                    .split('/')
                    .nth(1)
                    .and_then(|file| files.iter().position(|f| f == file));
                if let Some(index) = within {
                    hold(name, &format!("crate::{module}::"), text, &files, index);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tables are complete: every module in lib.rs, every file at the head of its `mod.rs`.
#[test]
fn tables_of_contents_are_complete() {
    let sources = sources();
    for folder in crates().into_keys() {
        let sources = crate_sources(&sources, &folder);
        let modules: BTreeSet<String> = table_names(sources["lib"])
            .into_iter()
            .filter(|name| !name.contains('-'))
            .collect();
        let internal = ["modules", "crates"].map(String::from);
        assert_eq!(
            modules,
            declared_modules(sources["lib"])
                .into_iter()
                .filter(|name| !internal.contains(name))
                .collect(),
            "{folder}/lib.rs"
        );
        for module in modules {
            let Some(head) = sources.get(&*format!("{module}/mod")) else {
                continue;
            };
            let listed: BTreeSet<String> = table_names(head).into_iter().collect();
            assert_eq!(
                listed,
                declared_modules(head),
                "the files of {folder}/{module}"
            );
        }
    }
}

/// The tour of CONTRIBUTING names files that exist.
#[test]
fn tours_name_files_that_exist() {
    let root = repository();
    let text = fs::read_to_string(root.join(".github/CONTRIBUTING.md")).expect("it can be read");
    for named in text
        .split('`')
        .filter(|named| named.contains('/') && (named.ends_with(".rs") || named.ends_with(".js")))
    {
        assert!(
            root.join("src").join(named).exists() || root.join(named).exists(),
            "CONTRIBUTING.md names {named}, which does not exist"
        );
    }
    // It stands once: what the crate's page says to its users names no file of its sources.
    let page = fs::read_to_string(root.join("src/lib.rs")).expect("it can be read");
    let named = page
        .lines()
        .find(|line| line.starts_with("//!") && line.contains(".rs`"));
    assert_eq!(named, None, "src/lib.rs has a tour of its own");
}

/// Every file of tests is run: as a module of `tests/suite.rs`, or as a program of its own that Cargo.toml names.
#[test]
fn every_file_of_tests_is_run() {
    let root = repository();
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("it can be read");
    let (mut suite, manifest) = (
        declared_modules(&read("tests/suite.rs")),
        read("Cargo.toml"),
    );
    suite.extend(declared_modules(&read("tests/tools.rs")));
    let standalone = manifest
        .split("[[test]]\nname = \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let run: BTreeSet<String> = suite
        .into_iter()
        .filter(|name| !["common", "oracle"].contains(&name.as_str()))
        .chain(standalone.map(String::from))
        .collect();
    let files = fs::read_dir(root.join("tests"))
        .expect("it can be read")
        .flatten()
        .map(|entry| entry.path());
    let files: BTreeSet<String> = files
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into())
        .collect();
    assert_eq!(files, run);
}

/// Literals that are spelled like verbs, in files that look at scripts, and what they are there.
const SPELLED_LIKE_VERBS: &[(&str, &[&str], &str)] = &[
    ("checks/author/chart_reach", &["row"], "axes of a table"),
    ("checks/author/script_checks", &["row"], "axes of a table"),
    (
        "engine/code/fields",
        &["len", "place"],
        "a field of lists; what lacks a feature, in words",
    ),
    (
        "checks/conflicts/interactions",
        &["sets"],
        "a word of the report",
    ),
    (
        "checks/conflicts/meeting",
        &["table"],
        "what two variants change, in words",
    ),
    ("editor/completion", &["piece"], "formats and keys of files"),
    ("workbench/serve/book/case", &["get"], "HTML"),
    ("checks/testing/example", &["reading"], "keys of a test"),
    ("checks/house/places", &["all"], "a key of a change"),
    (
        "checks/house/touched_readings",
        &["reading"],
        "a key of a change",
    ),
];

/// What is known of a verb stands in its row of the table: whoever looks at scripts asks the table, and knows no verb by its name.
#[test]
fn only_the_table_knows_verbs_by_name() {
    let allowed: BTreeSet<(&str, &str)> = SPELLED_LIKE_VERBS
        .iter()
        .flat_map(|(module, words, _)| words.iter().map(|word| (*module, *word)))
        .collect();
    let names: BTreeSet<&str> = casebook::code::verbs::all()
        .iter()
        .map(|verb| verb.name)
        .collect();
    let (mut found, mut needed, sources) = (Vec::new(), BTreeSet::new(), sources());
    for (module, text) in sources.iter().filter(|(module, _)| {
        !module.starts_with("engine/code/verbs/") && *module != "engine/syntax/calls"
    }) {
        if !["syntax::tree", "syntax::calls", "code::verbs"]
            .iter()
            .any(|place| text.contains(place))
        {
            continue;
        }
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for word in line
                .split('"')
                .skip(1)
                .step_by(2)
                .filter(|word| names.contains(word))
            {
                match allowed.get(&(module, word)) {
                    Some(pair) => drop(needed.insert(*pair)),
                    None => found.push(format!(
                        "src/{module}.rs:{}: `{word}` in {}",
                        number + 1,
                        line.trim()
                    )),
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "verbs known by name outside the table:\n{}",
        found.join("\n")
    );
    assert_eq!(needed, allowed, "these words need no leave any more");
}

/// The oracle is a part of the tests: Rhai evaluates nothing in the program, and what the tests' evaluator takes of the machine stands in
/// one file.
#[test]
fn rhai_is_an_evaluator_in_tests_only() {
    for (name, text) in sources() {
        let evaluates = [
            "eval_",
            "call_fn",
            "NativeCallContext",
            "register_",
            "StandardPackage",
        ]
        .iter()
        .find(|word| text.contains(*word));
        let names_rhai = text
            .lines()
            .any(|line| line.contains("rhai::") && !line.trim_start().starts_with("//"));
        assert!(
            !names_rhai || evaluates.is_none(),
            "src/{name}.rs evaluates by Rhai: `{}`",
            evaluates.unwrap_or(&"")
        );
    }
    for path in files_with_ending(&repository().join("tests/oracle"), "rs") {
        let text = fs::read_to_string(&path).expect("it can be read");
        let others: Vec<String> = used_names(&text, "casebook::code::")
            .into_iter()
            .filter(|name| name != "oracle")
            .collect();
        assert!(
            others.is_empty(),
            "{} takes {others:?} past `code::oracle`",
            path.display()
        );
    }
}

/// A browser has neither the time nor the threads of the standard library: only `platform` may use them.
#[test]
fn time_and_threads_have_one_module() {
    for (name, text) in sources()
        .iter()
        .filter(|(name, _)| !name.starts_with("engine/platform/") && !name.ends_with("/tests"))
    {
        for word in [
            "std::time::Instant",
            "time::{Duration, Instant",
            "SystemTime",
            "std::thread",
            "thread::",
        ] {
            assert!(
                !text.contains(word),
                "src/{name}.rs names `{word}`; use `platform`"
            );
        }
    }
}

/// Files are opened to be read in one place, which knows what is a file and how large it may be, and written in one.
#[test]
fn files_are_opened_in_one_place() {
    // What the system tells of this program is no file.
    let readers = [
        "engine/data/regular_file",
        "engine/data/folder_lock",
        "engine/platform/memory",
    ];
    let writers = ["engine/data/atomic_write", "engine/data/folder_lock"];
    let reading = [
        "fs::read(",
        "fs::read_to_string",
        "File::open",
        "File::options",
        "OpenOptions",
    ];
    let writing = [
        "fs::write",
        "File::create",
        "fs::remove_",
        "fs::rename",
        "fs::copy",
        "fs::create_dir",
        "fs::hard_link",
        "tempfile::",
    ];
    // The build script reads the sources of the crate, before there is a program.
    for (name, text) in sources().iter().filter(|(name, _)| *name != "embed") {
        let found = |words: &[&'static str], at: &[&str]| {
            words
                .iter()
                .copied()
                .find(|word| !at.contains(&name.as_str()) && text.contains(word))
        };
        for (word, to) in [
            (found(&reading, &readers), "data::regular_file"),
            (found(&writing, &writers), "data::atomic_write"),
        ] {
            assert!(
                word.is_none(),
                "src/{name}.rs has `{}`; use `{to}`",
                word.unwrap_or_default()
            );
        }
    }
}

#[test]
fn files_stay_small() {
    let root = repository();
    let mut long = Vec::new();
    let mut check_length = |path: &Path, max: usize| {
        let lines = fs::read_to_string(path).map_or(0, |text| text.lines().count());
        if lines > max {
            long.push(format!(
                "{} has {lines} lines; at most {max}",
                path.strip_prefix(&root).unwrap_or(path).display()
            ));
        }
    };
    files_with_ending(&root.join("src"), "rs")
        .iter()
        .for_each(|path| check_length(path, MAX_LINES.0));
    for tree in ["rules", "variants"] {
        files_with_ending(&root.join(tree), "rhai")
            .iter()
            .for_each(|path| check_length(path, MAX_LINES.1));
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Words of comments that give no reason and no contract by themselves.
const FILLERS: &str = "the a an of is are to in its it this that for by with and or whether returns return as on at be one all each \
    their his from if";

/// Returns what two forms of a word have in common: `prices` and `priced` are `pric`.
fn stem(word: &str) -> &str {
    ["ing", "ies", "es", "ed", "s", "e"]
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|stem| stem.len() >= 3)
        .unwrap_or(word)
}

/// A comment gives a reason or a contract: one whose every word is in the line that it stands over goes. What a user reads stays: the help
/// of commands, descriptions of answers, and the page of the crate.
#[test]
fn comments_say_more_than_names() {
    let mut idle = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| {
        !["command/", "embedding/"]
            .iter()
            .any(|start| name.starts_with(start))
    }) {
        let mut is_described = false;
        let lines: Vec<&str> = text.lines().collect();
        let comment_at = |index: usize| lines.get(index)?.trim_start().strip_prefix("///");
        for (index, line) in lines.iter().enumerate() {
            is_described |= line.contains("JsonSchema");
            is_described &= *line != "}";
            let is_short = index.checked_sub(1).and_then(comment_at).is_none()
                && comment_at(index + 1).is_none();
            let Some(comment) = comment_at(index).filter(|_| is_short && !is_described) else {
                continue;
            };
            let mut is_attribute = false;
            let attributes: Vec<&&str> = lines[index + 1..]
                .iter()
                .take_while(|line| {
                    is_attribute |= line.trim_start().starts_with("#[");
                    let is_part = is_attribute;
                    is_attribute &= !line.ends_with(']');
                    is_part
                })
                .collect();
            if attributes.iter().any(|line| line.contains("JsonSchema")) {
                continue;
            }
            let declared = lines.get(index + 1 + attributes.len());
            let declared = split_words(declared.unwrap_or(&""));
            let stems: BTreeSet<&str> = declared.iter().map(|word| stem(word)).collect();
            let says_more = comment.contains(|c: char| c.is_ascii_digit() || c == '`')
                || split_words(comment).iter().any(|word| {
                    !FILLERS.split_whitespace().any(|filler| filler == word)
                        && !stems.contains(stem(word))
                });
            if !says_more {
                idle.push(format!("{name}.rs:{}:{comment}", index + 1));
            }
        }
    }
    assert!(idle.is_empty(), "{}", idle.join("\n"));
}

/// One name, one meaning: no two types share a name.
#[test]
fn no_two_types_share_a_name() {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in sources() {
        for line in text.lines().map(|line| {
            line.trim_start_matches("pub(crate) ")
                .trim_start_matches("pub(super) ")
                .trim_start_matches("pub ")
        }) {
            let name = ["struct ", "enum ", "trait ", "type ", "union "]
                .iter()
                .find_map(|word| line.strip_prefix(word));
            if let Some(name) = name {
                let name = name
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default();
                types
                    .entry(name.to_string())
                    .or_default()
                    .insert(module.clone());
            }
        }
    }
    assert!(types.len() > 300, "types were found: {}", types.len());
    let shared: Vec<String> = types
        .iter()
        .filter(|(_, modules)| modules.len() > 1)
        .map(|(name, modules)| format!("{name}: {modules:?}"))
        .collect();
    assert!(
        shared.is_empty(),
        "types of one name:\n{}",
        shared.join("\n")
    );
}

/// Every diagnostic code is reported somewhere.
#[test]
fn every_diagnostic_code_is_reported() {
    let used: String = sources()
        .into_iter()
        .filter(|(module, _)| module != "checks/author/code_examples")
        .map(|(_, text)| text)
        .collect();
    let unused: Vec<&str> = DiagnosticCode::ALL
        .iter()
        .filter(|code| !used.contains(&format!("DiagnosticCode::{code:?}")))
        .map(|code| code.as_str())
        .collect();
    assert!(
        unused.is_empty(),
        "no complaint has these codes: {}",
        unused.join(", ")
    );
}

/// No code reads facts from the text of a complaint: what code needs is a field.
#[test]
fn no_code_parses_complaints() {
    let read = [
        "contains",
        "starts_with",
        "ends_with",
        "strip_prefix",
        "strip_suffix",
        "split",
        "split_once",
        "find",
        "lines",
        "chars",
    ];
    let mut problems = Vec::new();
    for (module, text) in sources() {
        let flat: String = text.split_whitespace().collect();
        for field in ["what", "help", "context", "message"] {
            let calls = read
                .iter()
                .map(|method| format!(".{field}.{method}("))
                .filter(|call| flat.contains(call));
            // An exception: entries of `accepted.yaml` quote words of the complaint that they accept.
            problems.extend(
                calls
                    .filter(|_| module != "checks/author/accepted")
                    .map(|call| format!("src/{module}.rs: {call}")),
            );
        }
    }
    assert!(
        problems.is_empty(),
        "these read prose:\n{}",
        problems.join("\n")
    );
}

/// What the crates below the surfaces may say of one, with the reason.
const SURFACE_WORDS: &[(&str, &str, &str)] = &[
    (
        "engine/ruling/terminal_page",
        "x1b",
        "one function colours text, and only if the surface asks for it; snapshots of rulings are laid out by the same page",
    ),
    (
        "engine/situation/map_symbols",
        "svg",
        "outlines need some notation, and pages and the counters of VASSAL draw the same ones",
    ),
    (
        "view/html",
        "--share:",
        "a share that the style sheet draws as a bar",
    ),
    (
        "engine/lib",
        "html",
        "the head says what the crate must not know",
    ),
    (
        "analysis/lib",
        "html",
        "the head says what the crate must not know",
    ),
];

/// Returns the flags of a command line in a line of text: two dashes and a letter, at the beginning of a word.
fn flags(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("--").filter_map(|(at, _)| {
        let flag = line[at..]
            .split([' ', '`', '\'', '"', ',', ';', '.'])
            .next()?;
        let starts_word = !line[..at].ends_with(|c: char| c == '-' || c.is_alphanumeric());
        (starts_word && flag[2..].starts_with(|c: char| c.is_ascii_lowercase())).then_some(flag)
    })
}

/// Engine and analysis name nothing of a surface, and blocks no flag: what helps is a `Remedy`, which each surface words.
#[test]
fn no_surface_stands_below_the_surfaces() {
    let mut problems = Vec::new();
    let mut needed = BTreeSet::new();
    for (module, text) in sources() {
        // What writes blocks knows HTML, but no more than they do how a user asks for more.
        let writes = module.starts_with("view/");
        if !writes && !module.starts_with("engine/") && !module.starts_with("analysis/") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let lower_case = line.to_lowercase();
            let words = ["css", "svg", "html", "x1b", "u{1b}"]
                .into_iter()
                .filter(|word| !writes && lower_case.contains(word));
            for found in flags(line).chain(words) {
                match SURFACE_WORDS
                    .iter()
                    .find(|(of, word, _)| *of == module && *word == found)
                {
                    Some(exception) => {
                        needed.insert(exception);
                    }
                    None => problems.push(format!(
                        "src/{module}.rs:{}: `{found}` in {}",
                        number + 1,
                        line.trim()
                    )),
                }
            }
        }
    }
    problems.extend(
        SURFACE_WORDS
            .iter()
            .filter(|exception| !needed.contains(exception))
            .map(|(module, word, _)| {
                format!("src/{module}.rs has no `{word}`; drop the exception")
            }),
    );
    assert!(
        problems.is_empty(),
        "these belong to a surface:\n{}",
        problems.join("\n")
    );
    assert_eq!(
        flags("`--limit 3`, -- but a-- or 1--2").collect::<Vec<_>>(),
        ["--limit"]
    );
}
