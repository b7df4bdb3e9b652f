//! Which lines of a text changed, and which amendments have to do with it.

use crate::ruling::terminal_page::TerminalPage;
use serde::Serialize;

/// Lines kept on either side of a change.
const CONTEXT_LINES: usize = 2;

/// Pairs of lines compared at most; beyond that a text is shown as replaced.
const MAX_LINE_PAIRS: usize = 4_000_000;

/// A ruling that no longer says what its snapshot says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SnapshotDiff {
    /// The lines: `-` of the snapshot, `+` of the ruling, a space where both agree.
    pub lines: Vec<String>,
    /// Cases of variants that answered in the new ruling and that the snapshot does not name.
    pub new: Vec<String>,
    /// Cases of variants that answered in the new ruling.
    pub amendments: Vec<String>,
}

impl SnapshotDiff {
    /// The change as a person reads it: changed lines with a little around them.
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

/// The lines of two texts, marked: `-` only in the old, `+` only in the new, a space in both.
pub fn diff_lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<String> = old[..head].iter().map(|line| format!(" {line}")).collect();
    let (mut i, mut j) = (0, 0);
    if a.len().saturating_mul(b.len()) <= MAX_LINE_PAIRS {
        // How many lines the rest of both have in common, from every pair of places.
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
