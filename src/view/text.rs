//! Blocks as text: for a terminal, a file or mail.

use crate::block::{AnswerBlock, AnswerPage};
use casebook_analysis::odds::bar_chart::bar;
use casebook_engine::ruling::terminal_page::{TerminalPage, push_indented};
use std::fmt::Write;

/// The number of values of a fact that a text lists; JSON has all of them.
const MAX_VALUES: usize = 40;
/// The greatest width to which the cells of a column are filled; longer ones stand out.
const MAX_FILLED: usize = 34;

/// Writes a page below its title.
pub fn page_text(page: &AnswerPage, style: TerminalPage) -> String {
    let title = style.paint("1", &page.title);
    format!("{title}\n\n{}", blocks_text(&page.blocks, style))
}

/// Writes pages one below the other.
pub fn pages_text(pages: &[AnswerPage], style: TerminalPage) -> String {
    let texts = pages.iter().map(|page| page_text(page, style));
    texts.collect::<Vec<_>>().join("\n")
}

/// Writes blocks one below the other.
pub fn blocks_text(blocks: &[AnswerBlock], style: TerminalPage) -> String {
    let mut out = String::new();
    let blocks: Vec<&AnswerBlock> = blocks.iter().filter(|block| !block.is_empty()).collect();
    for (index, block) in blocks.iter().enumerate() {
        let stands_apart = |block: &AnswerBlock| match block {
            AnswerBlock::Section { .. } => true,
            AnswerBlock::Table { head, .. } | AnswerBlock::Chart { head, .. } => !head.is_empty(),
            _ => false,
        };
        if index > 0 && (stands_apart(block) || stands_apart(blocks[index - 1])) {
            out.push('\n');
        }
        match *block {
            AnswerBlock::Section { title, blocks } => {
                let _ = writeln!(out, "{}", style.paint("1", title));
                out += &blocks_text(blocks, style);
            }
            AnswerBlock::Text { text, remedy } => {
                push_indented(&mut out, &style.advise(text, remedy.clone()));
            }
            AnswerBlock::Fact { label, values } => {
                let more = match values.len().saturating_sub(MAX_VALUES) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let shown = values[..values.len().min(MAX_VALUES)].join(", ");
                push_indented(&mut out, &format!("{label}: {shown}{more}"));
            }
            AnswerBlock::Table { head, rows } => push_table(&mut out, head, rows, &[]),
            AnswerBlock::Chart {
                head,
                rows,
                shares,
                fractions,
            } => {
                let bar = |(place, share): (usize, &f64)| {
                    let fraction = fractions.get(place).map_or("", String::as_str);
                    format!("{}  {fraction}", style.paint("36", &bar(*share)))
                };
                let bars: Vec<String> = shares.iter().enumerate().map(bar).collect();
                push_table(&mut out, head, rows, &bars);
            }
            AnswerBlock::Source { text } => {
                for line in text.lines() {
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
    }
    out
}

/// Appends rows in columns, below their titles if there are any, each with its bar. Columns of numbers stand to the right, and all before a
/// bar; those without any text are left out.
fn push_table(out: &mut String, head: &[String], rows: &[Vec<String>], bars: &[String]) {
    let has_head = head.iter().any(|title| !title.is_empty());
    let all = || {
        std::iter::once(head)
            .filter(|_| has_head)
            .chain(rows.iter().map(Vec::as_slice))
    };
    let count = all().map(<[String]>::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let is_number = |cell: &String| !cell.contains(char::is_alphabetic);
    let columns: Vec<(usize, usize, bool)> = (0..count)
        .filter(|column| cells(*column).any(|cell| !cell.is_empty()))
        .map(|column| {
            let to_right =
                !bars.is_empty() || has_head && column > 0 && cells(column).all(is_number);
            let widths = all()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count());
            let width = widths
                .filter(|width| to_right || has_head || *width <= MAX_FILLED)
                .max()
                .unwrap_or(0);
            (column, width, to_right)
        })
        .collect();
    let beside =
        std::iter::repeat_n("", usize::from(has_head)).chain(bars.iter().map(String::as_str));
    for (row, bar) in all().zip(beside.chain(std::iter::repeat(""))) {
        let mut line = String::new();
        for (column, width, to_right) in &columns {
            let cell = row.get(*column).map_or("", String::as_str);
            let _ = if *to_right {
                write!(line, "  {cell:>width$}")
            } else {
                write!(line, "  {cell:<width$}")
            };
        }
        let _ = writeln!(out, "{}", format!("{line}  {bar}").trim_end());
    }
}
