//! Conflicts between variants, as blocks.

use crate::block::AnswerBlock;
use casebook_checks::conflicts::meeting::{MeetingRow, MeetingSide, MeetingVerdict};
use casebook_checks::conflicts::report::ConflictReport;
use casebook_engine::situation::value_text::join_words;

/// Returns each place where two variants meet: what both say, and who holds.
pub fn blocks(report: &ConflictReport) -> AnswerBlock {
    let count = |verdict: MeetingVerdict| {
        let of_verdict = report.rows.iter().filter(|row| row.verdict == verdict);
        match of_verdict.count() {
            0 => None,
            count => Some(format!("{count} {}", verdict.label())),
        }
    };
    let counts: Vec<String> = MeetingVerdict::ALL.into_iter().filter_map(count).collect();
    let counts = match counts.is_empty() {
        true => "no conflicts found".into(),
        false => counts.join(", "),
    };
    let variants = join_words(report.variants.clone());
    let rows = report
        .rows
        .iter()
        .map(|row| meeting(row, report.situations));
    let unfinished = report.unfinished.iter();
    let unfinished = AnswerBlock::list(
        "Situations that did not end; they count as far as they went",
        unfinished.map(|(name, why)| format!("{name}: {why}")),
    );
    AnswerBlock::section(
        format!("{variants} over {}: {counts}", report.game),
        rows.chain([unfinished]).collect(),
    )
}

fn meeting(row: &MeetingRow, situations: usize) -> AnswerBlock {
    let level = match row.level {
        1 => "same figure",
        2 => "same function",
        _ => "one writes what the other reads",
    };
    let matters = match row.situations.len() {
        0 => "in no situation".to_string(),
        count => format!("in {count} of {situations} situations"),
    };
    let side = |side: &MeetingSide| {
        let says = match &*side.says {
            "" => String::new(),
            says => format!(": {says}"),
        };
        let said = format!("{}{says}", side.place);
        vec![
            side.variant.clone(),
            said,
            format!("{}:{}", side.path, side.line),
        ]
    };
    AnswerBlock::section(
        format!("{} · {level} · {matters}", row.verdict.label()),
        vec![
            AnswerBlock::text(&row.name),
            AnswerBlock::rows(row.pair.iter().map(side).collect()),
            AnswerBlock::text(&row.reason),
        ],
    )
}
