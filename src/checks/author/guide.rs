//! `casebook guide`: the guide, from a first changed cell to a new game. The tests run every command of every chapter.

use casebook_engine::complaint::{Error, nearest_names};

/// The chapters: name and text. The first line of a text is its title.
pub const CHAPTERS: &[(&str, &str)] = &[
    ("cell", include_str!("guide/1-cell.md")),
    ("case", include_str!("guide/2-case.md")),
    ("variant", include_str!("guide/3-variant.md")),
    ("test", include_str!("guide/4-test.md")),
    ("odds", include_str!("guide/5-odds.md")),
    ("situation", include_str!("guide/6-situation.md")),
    ("editor", include_str!("guide/7-editor.md")),
    ("game", include_str!("guide/8-game.md")),
    ("agent", include_str!("guide/9-agent.md")),
    ("vassal", include_str!("guide/10-vassal.md")),
    ("site", include_str!("guide/11-site.md")),
    ("cards", include_str!("guide/12-cards.md")),
    ("balance", include_str!("guide/13-balance.md")),
    ("luck", include_str!("guide/14-luck.md")),
    ("loops", include_str!("guide/15-loops.md")),
    ("commands", include_str!("guide/16-commands.md")),
    ("scenario", include_str!("guide/17-scenario.md")),
];

/// Returns the title of a chapter.
pub fn title(text: &str) -> &str {
    text.lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches('#')
        .trim()
}

/// Returns the files that a chapter writes: path and text.
pub fn files_of(text: &str) -> impl Iterator<Item = (&str, String)> {
    let blocks = text.split("\n```").skip(1).step_by(2);
    blocks.filter_map(|block| {
        let (head, body) = block.split_once('\n')?;
        Some((head.split_once(' ')?.1, format!("{body}\n")))
    })
}

/// Returns a chapter by name or number; fails if there is none.
pub fn chapter(topic: &str) -> Result<&'static str, Error> {
    let by_number = topic
        .parse::<usize>()
        .ok()
        .and_then(|number| CHAPTERS.get(number.checked_sub(1)?));
    let entry = by_number.or_else(|| CHAPTERS.iter().find(|(name, _)| *name == topic));
    entry.map(|(_, text)| *text).ok_or_else(|| match nearest_names(topic, CHAPTERS.iter().map(|(name, _)| *name)) {
        near if near.is_empty() => {
            Error::Usage(format!("no chapter of the guide is called `{topic}`; there are {}, which `casebook guide` lists", CHAPTERS.len()))
        }
        near => Error::Unknown { kind: "chapter of the guide", name: topic.into(), suggestions: near },
    })
}
