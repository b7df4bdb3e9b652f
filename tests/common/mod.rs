//! Shared by the tests: temporary folders, the small made-up game, and the binary.
#![allow(dead_code)] // every test file uses a part of this

pub mod beginners;
#[cfg(feature = "serve")]
pub mod browser;
pub mod card_deeds;
#[cfg(feature = "serve")]
pub mod front;
pub mod limited;
pub mod made;
pub mod procedures;
pub mod runner;
#[cfg(feature = "serve")]
pub mod server;
pub mod stacks;
#[cfg(feature = "serve")]
pub mod static_files;

use casebook::author::schema;
use casebook::data::files::Files;
use casebook::data::format;
use casebook::data::yaml::{YamlNode, YamlReader, YamlValue};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// A page as text that is kept.
pub fn page_text(page: &casebook::view::block::AnswerPage) -> String {
    casebook::view::text::page_text(page, casebook::ruling::terminal_page::TerminalPage::kept())
}

/// The files of the small game of `tests/skirmish`, which are read lazily.
pub fn skirmish() -> Files {
    Files::with_folder(&repository().join("tests/skirmish"), casebook::EMBEDDED)
        .expect("the folder is there")
}

/// A line of a command: one text, where single quotes keep a word together, or its words.
pub trait Words {
    fn words(&self) -> Vec<String>;
}

impl Words for &str {
    fn words(&self) -> Vec<String> {
        let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
        for letter in self.chars() {
            match letter {
                '\'' => {
                    is_quoted = !is_quoted;
                    word.get_or_insert_default();
                }
                ' ' if !is_quoted => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        words.extend(word);
        words
    }
}

impl Words for String {
    fn words(&self) -> Vec<String> {
        self.as_str().words()
    }
}

impl<S: AsRef<str>> Words for &[S] {
    fn words(&self) -> Vec<String> {
        self.iter().map(|word| word.as_ref().into()).collect()
    }
}

impl<S: AsRef<str>> Words for &&[S] {
    fn words(&self) -> Vec<String> {
        (**self).words()
    }
}

impl<S: AsRef<str>, const N: usize> Words for &[S; N] {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

impl<S: AsRef<str>> Words for &Vec<S> {
    fn words(&self) -> Vec<String> {
        self.as_slice().words()
    }
}

/// A temporary folder, removed when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty folder.
    pub fn empty() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "casebook-test-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Folder(path)
    }

    /// The small game of `tests/skirmish`, whole and without a fault.
    pub fn skirmish() -> Folder {
        Folder::copy_of(
            &repository().join("tests/skirmish"),
            &["rules", "tables", "scenarios", "variants"],
        )
    }

    /// A copy of some folders of another.
    pub fn copy_of(from: &Path, trees: &[&str]) -> Folder {
        let folder = Folder::empty();
        folder.add(from, trees);
        folder
    }

    /// Adds a copy of some folders of another.
    pub fn add(&self, from: &Path, trees: &[&str]) {
        for tree in trees {
            copy_tree(&from.join(tree), &self.0.join(tree));
        }
    }

    /// Writes a file, with the folders it needs.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Folder {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a file stands in a folder"))
            .expect("the test's own folder can be written");
        fs::write(path, text).expect("the test's own folder can be written");
        self
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Replaces a text that occurs once in a file.
    pub fn replace(&self, path: &str, old: &str, new: &str) -> &Folder {
        let text = self.read(path);
        assert_eq!(
            text.matches(old).count(),
            1,
            "`{old}` stands once in {path}"
        );
        self.write(path, text.replace(old, new))
    }

    /// Adds lines at the end of a file.
    pub fn append(&self, path: &str, text: &str) -> &Folder {
        self.write(path, self.read(path) + text)
    }

    /// Runs the binary in this folder.
    pub fn run(&self, args: impl Words) -> Run {
        self.run_configured_with(&args.words(), "", |command| command)
    }

    /// Runs the binary in this folder; panics unless it succeeds.
    pub fn ok(&self, args: impl Words) -> Run {
        self.run(args).expect_success()
    }

    /// What the binary prints in this folder; panics unless it succeeds.
    pub fn out(&self, args: impl Words) -> String {
        self.ok(args).out
    }

    /// What the binary prints in this folder with `--format json`; panics unless it succeeds.
    pub fn json(&self, args: impl Words) -> Value {
        let mut args = args.words();
        if !args.iter().any(|word| word == "--format") {
            args.extend("--format json".words());
        }
        self.ok(&args).json()
    }

    /// Runs the binary in this folder with input.
    pub fn run_with(&self, args: impl Words, typed: &str) -> Run {
        self.run_configured_with(&args.words(), typed, |command| command)
    }

    /// Runs the binary in this folder with more settings of the process.
    pub fn run_configured(
        &self,
        args: impl Words,
        with: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Run {
        self.run_configured_with(&args.words(), "", with)
    }

    fn run_configured_with(
        &self,
        args: &[String],
        typed: &str,
        with: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
        command
            .args(args)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in ["RUST_BACKTRACE", "COLUMNS", "NO_COLOR"] {
            command.env_remove(name);
        }
        let mut child = with(&mut command).spawn().expect("the binary runs");
        if let Some(mut stdin) = child.stdin.take() {
            // The program may end before it has read everything.
            let _ = stdin.write_all(typed.as_bytes());
        }
        let output = child.wait_with_output().expect("the binary runs");
        let text =
            |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("what is printed is UTF-8");
        let run = Run {
            command: args.join(" "),
            status: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        };
        assert!(
            !run.err.contains("panicked at"),
            "nothing makes it panic:\n{}",
            run.err
        );
        run
    }

    /// The length and modification time of every file, to check that none was written.
    pub fn file_times(&self) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
        let mut times = BTreeMap::new();
        let mut todo = vec![self.0.clone()];
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(folder)
                .expect("the test's own folder can be read")
                .flatten()
            {
                let meta = entry.metadata().expect("the test's own folder can be read");
                if meta.is_dir() {
                    todo.push(entry.path());
                } else {
                    times.insert(
                        entry.path(),
                        (meta.len(), meta.modified().expect("files have a time")),
                    );
                }
            }
        }
        times
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Gives the small game two questions that its map answers.
pub fn add_map_questions(folder: &Folder) {
    let manifest = "rules/skirmish/game.yaml";
    folder.replace(
        manifest,
        "procedures:\n",
        "board:\n  where it can go: { procedure: reach of a piece, piece: unit, place: to }\n  what is held: { procedure: ground held }\nprocedures:\n  reach of a piece: Where a piece can go.\n  ground held: Who holds what.\n",
    );
    let given_keys = "//! given:\n//!   unit: { names: piece, what: Who goes. }\n//!   to: { names: place, optional: true, what: Where to. }\n";
    let card = |number: &str, procedure: &str, given: &str| {
        format!(
            "//! case: \"{number}\"\n//! title: The map\n//! kind: rule\n//! procedure: {procedure}\n{given}//! text: What is seen on the map.\n\n"
        )
    };
    let reach = "fn reach_of_a_piece(given) {\n    let unit = piece(given.unit);\n    let found = reach(unit.at, |hex, so_far| {\n        if so_far >= unit.speed { return []; }\n        neighbours(hex).where(|to| pieces_at(to, enemy(unit.side)) == []).map(|to| [to, so_far + 1])\n    });\n    say(\"{} reaches {} hexes.\", [unit, found.keys().len() - 1]);\n    draw(\"in reach\", found);\n    if \"to\" in given { require(given.to in found, \"{} can't go to {}\", [unit, given.to]); }\n}\n";
    let held = "fn ground_held(given) {\n    for side in [\"Red\", \"Blue\"] { draw(side, distinct(figures(pieces(#{ side: side }), \"at\"))); }\n}\n";
    folder.write(
        "rules/skirmish/03-map/3.1-reach.rhai",
        card("3.1", "reach of a piece", given_keys) + reach,
    );
    folder.write(
        "rules/skirmish/03-map/3.2-ground.rhai",
        card("3.2", "ground held", "") + held,
    );
}

/// What a text says, and what it doesn't.
pub trait Says {
    /// Panics with the text unless a part stands in it.
    fn holds(&self, part: impl AsRef<str>);
    /// Panics with the text if a part stands in it.
    fn lacks(&self, part: impl AsRef<str>);
}

impl Says for str {
    #[track_caller]
    fn holds(&self, part: impl AsRef<str>) {
        let part = part.as_ref();
        assert!(self.contains(part), "no `{part}` in\n{self}");
    }

    #[track_caller]
    fn lacks(&self, part: impl AsRef<str>) {
        let part = part.as_ref();
        assert!(!self.contains(part), "`{part}` in\n{self}");
    }
}

impl Says for Value {
    #[track_caller]
    fn holds(&self, part: impl AsRef<str>) {
        match self.as_str() {
            Some(text) => text.holds(part),
            None => self.to_string().holds(part),
        }
    }

    #[track_caller]
    fn lacks(&self, part: impl AsRef<str>) {
        match self.as_str() {
            Some(text) => text.lacks(part),
            None => self.to_string().lacks(part),
        }
    }
}

/// A list in an answer.
pub trait Items {
    /// Its items; panics if it is no list.
    fn items(&self) -> std::slice::Iter<'_, Value>;
}

impl Items for Value {
    #[track_caller]
    fn items(&self) -> std::slice::Iter<'_, Value> {
        let list = self.as_array();
        list.unwrap_or_else(|| panic!("a list: {self}")).iter()
    }
}

/// The result of a run of the binary.
pub struct Run {
    pub command: String,
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Panics unless the exit status is 0.
    pub fn expect_success(self) -> Run {
        assert_eq!(
            self.status,
            Some(0),
            "casebook {}\n{}{}",
            self.command,
            self.out,
            self.err
        );
        self
    }

    /// Panics unless it ended with this exit status.
    #[track_caller]
    pub fn ends(&self, status: i32) {
        assert_eq!(self.status, Some(status), "{}", self.terminal_output());
    }

    /// Its output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| {
            panic!(
                "casebook {}: {error}\n{}{}",
                self.command, self.out, self.err
            )
        })
    }

    /// Standard output and standard error together.
    pub fn terminal_output(&self) -> String {
        let status = self.status.map_or("killed".into(), |s| s.to_string());
        format!(
            "$ casebook {}\n{}{}[exit status {status}]\n",
            self.command, self.out, self.err
        )
    }
}

/// The skirmish as a game of eight turns: one side attacks or waits, the other answers, the turn goes on; weather comes every fourth turn.
pub fn campaign() -> Folder {
    let folder = Folder::skirmish();
    folder.append(
        "rules/skirmish/game.yaml",
        "  - { phase: Answer, procedures: [answer] }\n  - { phase: Evening, procedures: [evening] }\n\
         ends_when: { game: over }\nfollow: [Blue points]\n",
    );
    folder.replace(
        "rules/skirmish/game.yaml",
        "  - { phase: Battle, procedures: [attack] }",
        "  - { phase: Morning, once_a: week, procedures: [morning] }\n  - { phase: Battle, procedures: [day] }",
    );
    folder.replace(
        "rules/skirmish/game.yaml",
        "  turn: { from: 1, to: 8 }",
        "  turn: { from: 1, to: 8 }\n  week: { from: 1, to: 2 }",
    );
    folder.replace(
        "rules/skirmish/game.yaml",
        "procedures:\n  attack: The pieces of one hex attack the next.",
        "procedures:\n  attack: The pieces of one hex attack the next.\n  morning: A week begins.\n  day: Red attacks or waits.\n  answer: Blue does.\n  evening: The turn goes on..",
    );
    folder.write(
        "rules/skirmish/03-game/4.1-a-day.rhai",
        r#"//! case: "4.1"
//! title: A day
//! kind: rule
//! source: { doc: sheet, at: "4.1" }
//! procedure: day
//! text: >
//!   Red attacks or waits, then Blue; the turn goes on. Whoever has nobody left has lost.

fn morning(given) { say("Week {} begins.", [track("week")]); result("mornings", track("week")); }

fn day(given) { turn_of("Red", "0201", "0202"); }

fn answer(given) { turn_of("Blue", "0202", "0201"); }

fn turn_of(side, from, into) {
    if choose(side, "order", ["attack", "wait"]) == "wait" {
        set_track("turn", 1);
        refuse("{} waits", [side]);
    }
    attack(#{ side: side, from: from, into: into });
}

fn evening(given) {
    result("Blue points", total(pieces(#{ side: "Blue" }), "strength"));
    let left = ["Red", "Blue"].where(|side| pieces(#{ side: side, kind: "soldier" }) != []);
    if track("turn") == 8 || left.len() < 2 {
        result("game", "over");
        result("winner", if left.len() == 1 { left[0] } else { "nobody" });
        return;
    }
    set_track("turn", track("turn") + 1);
    if track("turn") == 5 { set_track("week", 2); }
}
"#,
    );
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "procedure: attack\ntracks: { turn: 3 }",
        "with: [errata]\nprocedure: day\ngoes_on: true\ntracks: { turn: 3, week: 1 }",
    );
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "given: { side: Red, from: \"0201\", into: \"0202\" }\nchoices: { \"Blue: first to lose\": Blue riders }\n",
        "",
    );
    folder.run("check").expect_success();
    folder
}

/// The folder of this repository.
pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn copy_tree(from: &Path, to: &Path) {
    let Ok(entries) = fs::read_dir(from) else {
        return;
    };
    fs::create_dir_all(to).expect("the test's own folder can be written");
    for entry in entries.flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_tree(&from, &to);
        } else {
            fs::copy(&from, &to).expect("the test's own folder can be written");
        }
    }
}

/// What a YAML file has otherwise than the schema that editors hold it against.
pub fn schema_faults(key: &str, text: &str) -> Vec<String> {
    static VALIDATORS: Mutex<BTreeMap<&str, Arc<jsonschema::Validator>>> =
        Mutex::new(BTreeMap::new());
    let format = format::for_file(key).unwrap_or_else(|| panic!("{key} has no format"));
    let validator = {
        let mut made = VALIDATORS.lock().expect("nobody panics here");
        let make = || jsonschema::validator_for(&schema::schema(format)).expect("it is a schema");
        let validator = made.entry(format.name).or_insert_with(|| Arc::new(make()));
        validator.clone()
    };
    let tree = YamlReader::new(key, text).parse(text);
    let tree = yaml_to_json(&tree.expect("a tree"));
    let fault =
        |error: jsonschema::ValidationError| format!("{key}: {}: {error}", error.instance_path);
    validator.iter_errors(&tree).map(fault).collect()
}

/// A tree as JSON: plain scalars as YAML has them.
pub fn yaml_to_json(node: &YamlNode) -> Value {
    match &node.value {
        YamlValue::List(items) => items.iter().map(yaml_to_json).collect(),
        YamlValue::Map(entries) => entries
            .iter()
            .map(|(k, v)| (k.as_text().unwrap_or_default().to_string(), yaml_to_json(v)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        YamlValue::Scalar(text, true) => match &**text {
            "true" => true.into(),
            "false" => false.into(),
            other => other
                .parse::<i64>()
                .map_or_else(|_| other.into(), Value::from),
        },
        YamlValue::Scalar(text, false) => (**text).into(),
    }
}
