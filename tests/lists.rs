//! Lists of names that another list could give: what is documented exists, and what exists is documented. Others stand beside what they
//! compare: diagnostic codes in `complaints` and `author`, keys of files in `formats` and `author`, routes in `serve`, features in
//! `command/left_out.rs`, modules and files of tests in `architecture`.

use crate::architecture::sources;
use crate::common::{Folder, Says, page_text, repository};
use casebook::author::guide;
use casebook::code::verbs::SUBJECTS;
use casebook::data::case::CaseKind;
use casebook::data::status::Status;
use casebook::situation::policy;
use casebook::view::explain;
use std::collections::BTreeSet;

/// The names of the files of a folder with one of these endings.
fn files_in(folder: &str, endings: &[&str]) -> BTreeSet<String> {
    std::fs::read_dir(repository().join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name())
        .filter_map(|name| name.into_string().ok())
        .filter(|name| endings.iter().any(|ending| name.ends_with(ending)))
        .collect()
}

/// The commands that a help lists.
fn commands_of(help: &str) -> Vec<String> {
    let rows = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    rows.take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .map(String::from)
        .collect()
}

/// The words in backticks of some lines, each up to its first space.
fn code_words<'t>(lines: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter_map(|code| code.split(' ').next())
        .map(String::from)
        .collect()
}

#[test]
fn each_command_has_help_and_stands_in_the_guide() {
    let folder = Folder::empty();
    let help = |args: &[&str]| folder.out(&[args, &["--help"]].concat());
    let commands = commands_of(&help(&[]));
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        let own = help(&[command]);
        own.holds("Usage: casebook");
        for nested in commands_of(&own) {
            let nested_help = help(&[command, &nested]);
            nested_help.holds("Usage: casebook");
        }
    }
    let chapter = folder.out("guide commands");
    let rows = chapter
        .lines()
        .filter_map(|line| line.strip_prefix("- ")?.split(": ").next());
    let named = code_words(rows);
    let named: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    let commands: BTreeSet<&str> = commands.iter().map(String::as_str).collect();
    assert_eq!(
        named, commands,
        "the chapter `commands` (left) and the help"
    );
}

#[test]
fn each_chapter_of_the_guide_is_a_file_and_is_followed() {
    let files = files_in("src/checks/author/guide", &[".md"]);
    let chapters = guide::CHAPTERS.iter().zip(1..);
    let named = chapters.map(|((name, _), number)| match *name {
        // The chapter of the commands is compared with the help.
        "commands" => format!("{number}-commands.md"),
        name => format!("{number}-{name}.md"),
    });
    assert_eq!(named.collect::<BTreeSet<_>>(), files);
    let tests = include_str!("guide.rs");
    for (name, _) in guide::CHAPTERS
        .iter()
        .filter(|(name, _)| *name != "commands")
    {
        // No test follows the chapter.
        tests.holds(format!("follow_chapter(\"{name}\")"));
    }
}

/// The tools of the guide's table are those that agents get.
#[test]
fn each_tool_for_agents_stands_in_the_guide() {
    let (_, chapter) = guide::CHAPTERS
        .iter()
        .find(|(name, _)| *name == "agent")
        .expect("there is such a chapter");
    let rows = chapter.lines().filter(|line| line.starts_with("| `"));
    let named = code_words(rows.filter_map(|row| row.split(" | ").next()));
    let tools = sources()["workbench/mcp/tools"]
        .lines()
        .filter_map(|line| {
            let (_, row) = line.trim_start().strip_prefix("tool::<")?.split_once('"')?;
            row.split('"').next()
        })
        .map(String::from)
        .collect();
    assert_eq!(named, tools);
}

#[test]
fn each_policy_status_and_kind_is_explained() {
    let text = |name: &str| -> String {
        let pages = explain::explain(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        pages.iter().map(page_text).collect()
    };
    for word in policy::NAMES {
        for page in ["policy", "style"] {
            assert!(text(page).contains(word), "`{page}` does not name {word}");
        }
    }
    let statuses = Status::NAMES.iter().map(|(name, _)| *name);
    let kinds = CaseKind::NAMES.iter().map(|(name, _)| *name);
    for word in statuses.chain(kinds) {
        assert!(text(word).len() > 40, "{word}");
    }
}

/// A verb of a table that no subject has could be neither called nor explained.
#[test]
fn each_table_of_verbs_has_a_subject() {
    let sources = sources();
    let tables = sources.iter().filter(|(path, text)| {
        path.starts_with("engine/code/verbs/") && text.contains("\nverbs! {")
    });
    assert_eq!(tables.count(), SUBJECTS.len());
}

/// Each asset is embedded, and the service worker keeps the files that the site consists of.
#[test]
fn each_asset_is_embedded() {
    let sources = sources();
    let embedded = |path: &str| {
        let quoted = format!("\"{path}\"");
        sources.values().any(|text| text.contains(&quoted))
    };
    for (folder, prefix) in [("assets", "assets/"), ("assets/site", "assets/site/")] {
        let folder = format!("src/workbench/serve/{folder}");
        for file in files_in(&folder, &[".css", ".js", ".svg", ".html", ".json"]) {
            assert!(
                embedded(&format!("{prefix}{file}")),
                "{folder}/{file} is not embedded"
            );
        }
    }
    let worker = include_str!("../src/workbench/serve/assets/site/sw.js");
    let list = worker
        .lines()
        .find_map(|line| line.strip_prefix("const FILES = ["));
    let kept: BTreeSet<String> = list
        .expect("it lists its files")
        .split('"')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect();
    let mut files = files_in("src/workbench/serve/assets/site", &[".js", ".html"]);
    // The worker is not kept by itself; the engine and the data are made for each site.
    files.remove("sw.js");
    files.extend(["engine.bin", "files.json"].map(String::from));
    assert_eq!(kept, files);
}

/// Each form of an answer belongs to another, or to a command whose answer is compared with it.
#[test]
fn each_form_of_an_answer_is_used() {
    let schema = Folder::empty().ok("schema");
    let tests = include_str!("schema.rs");
    let (json, answers) = (schema.json(), &schema.out);
    let forms = json["$defs"].as_object().expect("an object").keys();
    let unused: Vec<&String> = forms
        .filter(|name| {
            let reference = format!("/{name}\"");
            !answers.contains(&reference) && !tests.contains(&format!("\"{name}\""))
        })
        .collect();
    assert!(unused.is_empty(), "nothing answers in the form {unused:?}");
}
