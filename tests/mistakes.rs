//! The mistakes of beginners in a house rule: each message says where it is, what is wrong, and what the line should be.

use crate::common::Folder;
use crate::common::beginners::{MANIFEST, manifest, mistakes};
use crate::common::server::Served;
use serde_json::{Value, json};

#[test]
fn thirty_mistakes_of_beginners_are_said_in_plain_words() {
    let mistakes = mistakes();
    let mut faults = Vec::new();
    for mistake in &mistakes {
        let (name, path) = (mistake.name, mistake.path);
        let folder = Folder::skirmish();
        folder
            .write(MANIFEST, manifest())
            .write(path, &mistake.text);
        let run = folder.run("check");
        let said = run.out + run.err.as_str();
        let place = if mistake.line == 0 {
            format!("{path}:")
        } else {
            format!("{path}:{}:", mistake.line)
        };
        for part in [place.as_str(), mistake.what, mistake.help, "1 complaint"] {
            if !said.replace('\n', " ").contains(part) {
                faults.push(format!("{name}: no `{part}` in\n{said}"));
            }
        }
    }
    assert!(
        mistakes.len() >= 30 && faults.is_empty(),
        "{} of {}:\n{}",
        faults.len(),
        mistakes.len(),
        faults.join("\n")
    );
}

/// Mistakes that no single line mends without a decision of the author: what the figure is to be, what kind of case it is, what stood there.
const WITHOUT_LINE: [&str; 13] = [
    "a number in quotes",
    "a question mark",
    "a counting loop",
    "includes",
    "forEach",
    "a fraction",
    "another number of values",
    "an addition that replaces",
    "a figure set in a case",
    "no was",
    "a value that can't be",
    "one part of two",
    "a row too short",
];

/// Typed in the editor of the workbench each is said in the same words at the same line, and the line that is offered mends it.
#[test]
fn the_workbench_offers_the_line_that_mends_a_mistake() {
    let folder = Folder::skirmish();
    folder.write(MANIFEST, manifest());
    let served = Served::start(&folder.0);
    let check = |path: &str, text: &str| {
        let (status, answer) = served.request(
            "POST",
            "/check",
            Some(&json!({ "path": path, "text": text })),
        );
        assert_eq!(status, 200, "{answer}");
        answer["complaints"].as_array().cloned().unwrap_or_default()
    };
    let (mut faults, mut without) = (Vec::new(), Vec::new());
    for mistake in mistakes() {
        let name = mistake.name;
        let complaints = check(mistake.path, &mistake.text);
        let [complaint] = &complaints[..] else {
            faults.push(format!("{name}: {complaints:#?}"));
            continue;
        };
        let said = format!("{} {}", complaint["what"], complaint["help"]).replace("\\\"", "\"");
        let line = &complaint["place"]["span"]["line"];
        if !said.contains(mistake.what)
            || !said.contains(mistake.help)
            || mistake.line > 0 && *line != json!(mistake.line)
        {
            faults.push(format!("{name}: line {line}: {said}"));
        }
        let Value::Object(mend) = &complaint["mend"] else {
            without.push(name);
            continue;
        };
        let number = mend["line"].as_u64().unwrap_or_default() as usize;
        let mut lines: Vec<&str> = mistake.text.lines().collect();
        if Some(lines[number - 1]) != mend["was"].as_str() {
            faults.push(format!("{name}: another line than {mend:?}"));
            continue;
        }
        lines[number - 1] = mend["now"].as_str().unwrap_or_default();
        let left = check(mistake.path, &(lines.join("\n") + "\n"));
        if left.contains(complaint) {
            faults.push(format!("{name}: {mend:?} does not mend it"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(without, WITHOUT_LINE, "no line is offered for these");
}
