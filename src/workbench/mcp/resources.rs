//! Cases, tables and rulebooks as resources: `casebook://GAME/case/8.16`, `casebook://GAME/table/NAME`, `casebook://GAME/rulebook`.

use crate::mcp::tools::rulebook;
use crate::serve::workbench::DataSnapshot;
use casebook_engine::complaint::Error;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_view::text::page_text;
use casebook_view::{show, things};
use std::sync::Arc;

const SCHEME: &str = "casebook://";

/// The forms of addresses, each with a name and a description.
pub const TEMPLATES: &[(&str, &str, &str)] = &[
    (
        "casebook://{game}/case/{number}",
        "case",
        "A case with everything that amends it",
    ),
    (
        "casebook://{game}/table/{name}",
        "table",
        "A table with how each of its figures is known",
    ),
    (
        "casebook://{game}/rulebook",
        "rulebook",
        "All cases of a game, with all variants that go together",
    ),
];

/// A resource: its address, its name, and its title.
pub struct AgentResource {
    /// The address.
    pub uri: String,
    pub name: String,
    pub title: String,
}

/// Lists the resources of all games.
pub fn list(snapshot: &DataSnapshot) -> Result<Vec<AgentResource>, Error> {
    let mut resources = Vec::new();
    for (name, game) in &snapshot.library.games {
        let uri = format!("{SCHEME}{name}/rulebook");
        resources.push(AgentResource {
            uri,
            name: format!("{name} rulebook"),
            title: format!("The rulebook of {}", game.title),
        });
        let ruleset = rulebook(snapshot, name)?;
        for (kind, list) in [("case", "cases"), ("table", "tables")] {
            resources.extend(entries(&ruleset, list).into_iter().map(|(entry, title)| {
                AgentResource {
                    uri: format!("{SCHEME}{name}/{kind}/{entry}"),
                    name: format!("{name} {kind} {entry}"),
                    title,
                }
            }));
        }
    }
    Ok(resources)
}

/// Returns the text of a resource.
pub fn read(snapshot: &DataSnapshot, uri: &str) -> Result<String, Error> {
    let unknown = || Error::Unknown {
        kind: "resource",
        name: uri.into(),
        suggestions: Vec::new(),
    };
    let path = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
    match path.splitn(3, '/').collect::<Vec<_>>()[..] {
        [game, "rulebook"] => {
            let ruleset = rulebook(snapshot, game)?;
            let cases = entries(&ruleset, "cases")
                .into_iter()
                .map(|(number, _)| page(&ruleset, "case", &number));
            Ok(cases.collect::<Result<Vec<_>, _>>()?.join("\n\n"))
        }
        [game, kind @ ("case" | "table"), name] => page(&rulebook(snapshot, game)?, kind, name),
        _ => Err(unknown()),
    }
}

fn entries(ruleset: &Ruleset, list: &str) -> Vec<(String, String)> {
    things::entries(ruleset, list).unwrap_or_default()
}

/// Returns the text of a case or table.
fn page(ruleset: &Arc<Ruleset>, kind: &str, name: &str) -> Result<String, Error> {
    let pages = show::find_known(ruleset, name)?;
    let texts: Vec<String> = pages
        .into_iter()
        .filter(|page| page.kind == kind)
        .map(|page| page_text(&page, TerminalPage::kept()))
        .collect();
    match texts.is_empty() {
        true => Err(Error::Unknown {
            kind: if kind == "case" { "case" } else { "table" },
            name: name.into(),
            suggestions: Vec::new(),
        }),
        false => Ok(texts.join("\n")),
    }
}
