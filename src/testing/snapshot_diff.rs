//! Line diff of two texts, with the amendments involved.

use crate::ruling::terminal_page::TerminalPage;
use serde::Serialize;

/// The number of context lines around a change.
const CONTEXT_LINES: usize = 2;

/// Maximum number of line pairs to compare; a larger text is shown as replaced completely.
const MAX_LINE_PAIRS: usize = 4_000_000;

/// The difference between a ruling and its snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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
        let near = |i: usize| {
            let around = &self.lines[i.saturating_sub(CONTEXT_LINES)..(i + CONTEXT_LINES + 1).min(self.lines.len())];
            around.iter().any(|line| !line.starts_with(' '))
        };
        let mut left_out = false;
        for (i, line) in self.lines.iter().enumerate() {
            if near(i) {
                let code = if line.starts_with('-') { "31" } else { "32" };
                out += &if line.starts_with(' ') { line.trim_end().to_string() } else { page.paint(code, line) };
                out.push('\n');
            } else if !left_out {
                out += &page.paint("2", "  …\n");
            }
            left_out = !near(i);
        }
        let list = |title: &str, names: &[String]| {
            if names.is_empty() { String::new() } else { format!("{title}: {}\n", names.join(", ")) }
        };
        out += &list("amendments that answered, and are not in the snapshot", &self.new);
        let known: Vec<String> = self.amendments.iter().filter(|name| !self.new.contains(name)).cloned().collect();
        out += &list("amendments that answered", &known);
        out
    }
}

/// Computes the line diff of two texts; each line gets the prefix `-`, `+` or a space.
pub fn diff_lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<String> = old[..head].iter().map(|line| format!(" {line}")).collect();
    let (mut i, mut j) = (0, 0);
    if a.len().saturating_mul(b.len()) <= MAX_LINE_PAIRS {
        // `common[i][j]` is the length of the longest common subsequence of `a[i..]` and `b[j..]`.
        let mut common = vec![vec![0usize; b.len() + 1]; a.len() + 1];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                common[i][j] = if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
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
    lines.extend(old[old.len() - tail..].iter().map(|line| format!(" {line}")));
    lines
}
