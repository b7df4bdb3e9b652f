//! Snapshots of rulings in test files, and how a ruling differs from one.

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

/// Writes a text of several lines as a block.
pub fn block(text: &str) -> String {
    let sign = if text.starts_with(' ') { "|2" } else { "|" };
    let line = |line: &str| match line {
        "" => "\n".into(),
        line => format!("\n  {line}"),
    };
    let lines: String = text.lines().map(line).collect();
    format!("{sign}{lines}")
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
