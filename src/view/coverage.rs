//! What examples and tests reach, as blocks.

use crate::block::{AnswerBlock, AnswerPage};
use casebook_checks::testing::coverage::{Coverage, CoverageShare, LayerCoverage};
use casebook_checks::testing::unused::UnusedPart;
use casebook_engine::complaint::Remedy;
use std::collections::BTreeMap;

/// The number of names without words that are shown.
const MAX_NAMES: usize = 12;

/// Returns the shares of each layer that are reached, and what is not.
pub fn page(coverage: &Coverage) -> AnswerPage {
    let failed = match coverage.failed {
        0 => String::new(),
        count => format!(", {count} of them fail"),
    };
    let untried = match coverage.untried {
        0 => String::new(),
        count => format!("; {count} more did not run before the time was up."),
    };
    let runs = format!("{} examples and tests{failed}{untried}", coverage.runs);
    let remedy = (coverage.untried > 0).then_some(Remedy::MoreTime);
    let share = |share: CoverageShare| match share.total {
        0 => "–".into(),
        total => format!("{} of {total} {:>3}%", share.reached, share.percent()),
    };
    let row = |layer: &LayerCoverage| {
        let shares = [layer.cases, layer.functions, layer.cells].map(share);
        let amendments = layer.amendments.map(share).unwrap_or_default();
        let missing = match layer.cells_missing {
            0 => String::new(),
            count => count.to_string(),
        };
        let cells = [layer.layer.clone()].into_iter().chain(shares);
        cells.chain([amendments, missing]).collect()
    };
    let head = [
        "layer",
        "cases",
        "functions",
        "cells",
        "amendments",
        "cells missing",
    ];
    let head = head.map(String::from);
    let shares = AnswerBlock::Table {
        head: head.into(),
        rows: coverage.layers.iter().map(row).collect(),
    };
    let lists = [
        ("Asked by nobody", &coverage.asked_by_nobody),
        ("Moves nothing", &coverage.moves_nothing),
    ];
    let lists = lists.map(|(finding, parts)| unused_section(coverage, finding, parts));
    let missed = coverage.layers.iter().filter_map(missed_section);
    AnswerPage::new("coverage", &coverage.game, &coverage.game, &coverage.title)
        .with([AnswerBlock::advised(runs, remedy), shares])
        .with(missed)
        .with(lists)
        .with([words_line(coverage)])
}

/// Says how many names of parameters have words, and the most used of those that have none.
fn words_line(coverage: &Coverage) -> AnswerBlock {
    let without = &coverage.without_words;
    let named = without.iter().take(MAX_NAMES).map(String::as_str);
    let named = match without.len() {
        0 => String::new(),
        _ => format!(
            "; without words, the most used first: {}",
            named.collect::<Vec<_>>().join(", ")
        ),
    };
    let CoverageShare { reached, total } = coverage.words;
    AnswerBlock::text(format!(
        "words for parameters (`words:` of the manifest): {reached} of {total}{named}"
    ))
}

/// Lists what is not reached of a layer; `None` if all is.
fn missed_section(layer: &LayerCoverage) -> Option<AnswerBlock> {
    let by_name = |kind: &str, parts: &BTreeMap<String, Vec<String>>| {
        let line = |(name, parts): (&String, &Vec<String>)| {
            AnswerBlock::text(format!("{kind} {name}: {}", parts.join("; ")))
        };
        parts.iter().map(line).collect::<Vec<_>>()
    };
    let cases = match &layer.cases_not_reached[..] {
        [] => String::new(),
        cases => format!("cases: {}", cases.join(", ")),
    };
    let mut blocks = vec![AnswerBlock::text(cases)];
    blocks.extend(by_name("functions of", &layer.functions_not_reached));
    blocks.extend(by_name("cells of", &layer.cells_not_reached));
    let out_of_reach = &layer.cells_out_of_reach;
    blocks.extend(by_name("cells no throw falls on, of", out_of_reach));
    let is_filled = blocks.iter().any(|block| !block.is_empty());
    is_filled.then(|| AnswerBlock::section(format!("Not reached of {}", layer.layer), blocks))
}

/// Lists what has no effect, layer by layer.
fn unused_section(coverage: &Coverage, finding: &str, parts: &[UnusedPart]) -> AnswerBlock {
    let unexplained = parts.iter().filter(|part| part.reason.is_none()).count();
    let explained = parts.len() - unexplained;
    let of_layer = |layer: &LayerCoverage| {
        let parts = parts.iter().filter(|part| part.layer == layer.layer);
        let line =
            |part: &UnusedPart| AnswerBlock::text(format!("{} {}", part.layer, part.label()));
        parts.map(line).collect::<Vec<_>>()
    };
    AnswerBlock::section(
        format!("{finding}: {unexplained}, and {explained} with a reason"),
        coverage.layers.iter().flat_map(of_layer).collect(),
    )
}
