//! Snapshots of rulings in test files, and how a ruling differs from one. An update replaces only the snapshot's own block and keeps all
//! other bytes.

use crate::testing::test::{RulingTest, RulingTestFile};
use casebook_engine::complaint::{Complaint, DiagnosticCode, Place};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook_engine::ruling::resolve::Ruling;
use casebook_engine::ruling::terminal_page::TerminalPage;
use schemars::JsonSchema;
use serde::Serialize;

/// Formats a ruling for a snapshot. The status of values and cases is omitted, so that a status change alone does not invalidate it; so are
/// headline and groups, which repeat and sort the outcomes.
pub fn snapshot_text(ruling: &Ruling) -> String {
    let mut ruling = ruling.clone();
    ruling.reconstructed.clear();
    ruling.cases_reconstructed.clear();
    ruling.headline.clear();
    ruling.groups.clear();
    let clean = ruling
        .render_kept()
        .replace(|c: char| c.is_control() && c != '\n', " ");
    trim_lines(&clean)
}

/// Removes trailing spaces of lines, and empty lines at the start and end.
pub fn trim_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let start = lines
        .iter()
        .position(|line| !line.is_empty())
        .unwrap_or(lines.len());
    let end = lines
        .iter()
        .rposition(|line| !line.is_empty())
        .map_or(start, |last| last + 1);
    lines[start..end]
        .iter()
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Returns the text of a test file with new snapshots. Fails if the file can't be changed safely.
pub fn with_snapshots(
    test_file: &RulingTestFile,
    texts: &[(usize, String)],
) -> Result<String, Box<Complaint>> {
    let file = &test_file.file;
    let refuse = |ruling_test: Option<&RulingTest>, what: String, help: &str| {
        let place = ruling_test.map_or(Place::whole_file(&file.path), |c| file.place(c.span));
        Box::new(
            Complaint::new(DiagnosticCode::Snapshot, place, what)
                .with_help(format!("{help}; nothing was written")),
        )
    };
    let first_test = texts
        .first()
        .and_then(|(index, _)| test_file.tests.get(*index));
    if test_file.complaints.has_errors() {
        return Err(refuse(
            first_test,
            "the snapshot is not written into a file with faults".into(),
            "correct them first",
        ));
    }
    let mut lines: Vec<String> = file.text.split_inclusive('\n').map(String::from).collect();
    let mut todo: Vec<&(usize, String)> = texts.iter().collect();
    todo.sort_by_key(|(index, _)| std::cmp::Reverse(test_file.tests[*index].entry.line));
    for (index, text) in todo {
        let ruling_test = &test_file.tests[*index];
        insert_snapshot(&mut lines, ruling_test, text).map_err(|what| {
            refuse(
                Some(ruling_test),
                what,
                "write `snapshot: |` in a line of its own",
            )
        })?;
    }
    let written: String = lines.concat();
    if !only_snapshots_changed(test_file, &written, texts) {
        return Err(refuse(
            first_test,
            "the snapshot can't be written here without touching something else".into(),
            "set the test out plainly",
        ));
    }
    if file.text.is_embedded() {
        let help = "a test that is built into the program is kept in a folder of your own: copy it there and name the folder with --data";
        let what = "the file with this test is not on the disk as it was read";
        return Err(refuse(first_test, what.into(), help));
    }
    Ok(written)
}

/// Inserts a snapshot into the lines of a file.
fn insert_snapshot(
    lines: &mut Vec<String>,
    ruling_test: &RulingTest,
    text: &str,
) -> Result<(), String> {
    let key = ruling_test
        .snapshot
        .as_ref()
        .map_or(ruling_test.entry, |(_, span)| *span);
    let (line, indent) = (key.line - 1, key.column - 1);
    let plain = |line: &str| line.chars().take(indent).all(|c| c == ' ' || c == '-');
    if !lines.get(line).is_some_and(|l| plain(l)) {
        return Err("this test is in braces, and a snapshot needs lines".into());
    }
    let end_of_line = if lines[line].ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let depth = |l: &str| l.chars().take_while(|c| *c == ' ').count();
    let blank = |l: &str| l.trim().is_empty();
    // A YAML block extends over the lines indented deeper than its key, without trailing empty lines.
    let reaches = |min_depth: usize| {
        let inside = lines[line + 1..]
            .iter()
            .take_while(|l| blank(l) || depth(l) >= min_depth)
            .count();
        let used = lines[line + 1..line + 1 + inside]
            .iter()
            .rposition(|l| !blank(l))
            .map_or(0, |last| last + 1);
        line + 1 + used
    };
    let step = if text.starts_with(' ') { "|2" } else { "|" };
    let (range, head) = match &ruling_test.snapshot {
        Some(_) => {
            let (name, remainder) = lines[line]
                .trim_end()
                .split_once(':')
                .unwrap_or((lines[line].trim_end(), ""));
            let (name, remainder) = (name.to_string(), remainder.trim_start());
            let empty = remainder.is_empty()
                || remainder.starts_with('#')
                || remainder == "\"\""
                || remainder == "''";
            if !empty && !remainder.starts_with('|') {
                return Err("this snapshot is not a block of text".into());
            }
            let note = remainder
                .find('#')
                .map_or(String::new(), |at| format!("  {}", &remainder[at..]));
            (line..reaches(indent + 1), format!("{name}: {step}{note}"))
        }
        None => {
            let end = reaches(indent);
            let used = lines[line..end]
                .iter()
                .rposition(|l| !blank(l) && !l.trim_start().starts_with('#'))
                .unwrap_or(0);
            (
                line + used + 1..line + used + 1,
                format!("{}snapshot: {step}", " ".repeat(indent)),
            )
        }
    };
    let body = text.lines().map(|l| {
        if l.is_empty() {
            String::new()
        } else {
            format!("{}{l}", " ".repeat(indent + 2))
        }
    });
    let block: Vec<String> = [head]
        .into_iter()
        .chain(body)
        .map(|l| l + end_of_line)
        .collect();
    if let Some(preceding) = range
        .start
        .checked_sub(1)
        .and_then(|i| lines.get_mut(i))
        .filter(|l| !l.ends_with('\n'))
    {
        preceding.push_str(end_of_line);
    }
    lines.splice(range, block);
    Ok(())
}

/// Returns whether the new file text differs from the old one only in the given snapshots.
fn only_snapshots_changed(old: &RulingTestFile, text: &str, texts: &[(usize, String)]) -> bool {
    let new = RulingTestFile::parse(&DataFile {
        text: text.into(),
        ..DataFile::clone(&old.file)
    });
    let is_as_expected =
        |index: usize, ruling_test: &RulingTest| match texts.iter().find(|(i, _)| *i == index) {
            Some((_, text)) => ruling_test
                .snapshot
                .as_ref()
                .is_some_and(|(s, _)| trim_lines(s) == *text),
            None => {
                ruling_test.snapshot.as_ref().map(|(s, _)| s)
                    == old.tests[index].snapshot.as_ref().map(|(s, _)| s)
            }
        };
    let same_tree = |a: &str, b: &str| {
        let tree = |text: &str| {
            YamlReader::new(&old.file.path, text)
                .parse(text)
                .map(|root| tree_text(&root))
        };
        tree(a) == tree(b)
    };
    !new.complaints.has_errors()
        && new.tests.len() == old.tests.len()
        && new
            .tests
            .iter()
            .enumerate()
            .all(|(index, ruling_test)| is_as_expected(index, ruling_test))
        && same_tree(&old.file.text, text)
}

/// Formats a YAML tree without positions and snapshots.
fn tree_text(node: &YamlNode) -> String {
    match &node.value {
        YamlValue::Scalar(text, plain) => format!("{text:?}{plain}"),
        YamlValue::List(items) => format!(
            "[{}]",
            items.iter().map(tree_text).collect::<Vec<_>>().join(",")
        ),
        YamlValue::Map(entries) => {
            let entries_kept = entries
                .iter()
                .filter(|(key, _)| key.as_text() != Some("snapshot"));
            format!(
                "{{{}}}",
                entries_kept
                    .map(|(k, v)| format!("{}:{}", tree_text(k), tree_text(v)))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        }
    }
}

/// The number of context lines around a change.
const CONTEXT_LINES: usize = 2;

/// Maximum number of line pairs to compare; a larger text is shown as replaced completely.
const MAX_LINE_PAIRS: usize = 4_000_000;

/// The difference between a ruling and its snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotDiff {
    /// The lines, each with a prefix: `-` only in the snapshot, `+` only in the ruling, a space in both.
    pub lines: Vec<String>,
    /// Cases of variants that answered in the new ruling and do not occur in the snapshot.
    pub new: Vec<String>,
    /// Cases of variants that answered in the new ruling.
    pub amendments: Vec<String>,
}

impl SnapshotDiff {
    /// Formats the changed lines with some context.
    pub fn render(&self, page: TerminalPage) -> String {
        let mut out = page.paint("2", "the snapshot (-) and the ruling (+)") + "\n";
        let is_near_change = |i: usize| {
            let around = &self.lines
                [i.saturating_sub(CONTEXT_LINES)..(i + CONTEXT_LINES + 1).min(self.lines.len())];
            around.iter().any(|line| !line.starts_with(' '))
        };
        let mut left_out = false;
        for (i, line) in self.lines.iter().enumerate() {
            if is_near_change(i) {
                let code = if line.starts_with('-') { "31" } else { "32" };
                out += &if line.starts_with(' ') {
                    line.trim_end().to_string()
                } else {
                    page.paint(code, line)
                };
                out.push('\n');
            } else if !left_out {
                out += &page.paint("2", "  …\n");
            }
            left_out = !is_near_change(i);
        }
        let name_list = |title: &str, names: &[String]| {
            if names.is_empty() {
                String::new()
            } else {
                format!("{title}: {}\n", names.join(", "))
            }
        };
        out += &name_list(
            "amendments that answered, and are not in the snapshot",
            &self.new,
        );
        let in_snapshot: Vec<String> = self
            .amendments
            .iter()
            .filter(|name| !self.new.contains(name))
            .cloned()
            .collect();
        out += &name_list("amendments that answered", &in_snapshot);
        out
    }
}

/// Computes the line diff of two texts; each line gets the prefix `-`, `+` or a space.
pub fn diff_lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<String> = old[..head].iter().map(|line| format!(" {line}")).collect();
    let (mut i, mut j) = (0, 0);
    if a.len().saturating_mul(b.len()) <= MAX_LINE_PAIRS {
        // `common[i][j]` is the length of the longest common subsequence of `a[i..]` and `b[j..]`.
        let mut common = vec![vec![0usize; b.len() + 1]; a.len() + 1];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                common[i][j] = if a[i] == b[j] {
                    common[i + 1][j + 1] + 1
                } else {
                    common[i + 1][j].max(common[i][j + 1])
                };
            }
        }
        while i < a.len() && j < b.len() {
            if a[i] == b[j] {
                lines.push(format!(" {}", a[i]));
                (i, j) = (i + 1, j + 1);
            } else if common[i + 1][j] >= common[i][j + 1] {
                lines.push(format!("-{}", a[i]));
                i += 1;
            } else {
                lines.push(format!("+{}", b[j]));
                j += 1;
            }
        }
    }
    lines.extend(a[i..].iter().map(|line| format!("-{line}")));
    lines.extend(b[j..].iter().map(|line| format!("+{line}")));
    lines.extend(
        old[old.len() - tail..]
            .iter()
            .map(|line| format!(" {line}")),
    );
    lines
}
