//! Lays out a module map for a module: every name of a piece in it, and what is still to be said.

use crate::counter::{layers, piece_name};
use crate::import::{like_situation, roster_names};
use crate::module::VassalModule;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::data::yaml_writer::write_scalar;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// A module map that is laid out.
#[derive(Debug)]
pub struct MapLayout {
    /// The file.
    pub yaml: String,
    /// Number of names of pieces.
    pub names: usize,
    /// The names that are not mapped yet.
    pub missing: Vec<String>,
}

/// Lays out a module map. A piece whose name is that of a piece of the situation `like` or of its rosters is mapped to it.
pub fn lay_out(
    library: &Arc<Library>,
    module: &VassalModule,
    name: &str,
    game: &str,
    like: &str,
) -> Result<MapLayout, Error> {
    let (ruleset, situation) = like_situation(library, game, like)?;
    let mut known_names = roster_names(&ruleset, &situation);
    known_names.extend(situation.pieces.iter().map(|piece| piece.name.clone()));
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for traits in &module.pieces {
        let layer_texts = layers(traits)
            .into_iter()
            .map(|layer| format!("{} 1-{}", layer.name, layer.levels))
            .collect();
        names.entry(piece_name(traits)).or_insert(layer_texts);
    }
    let mut yaml = String::new();
    for (key, value) in [
        ("module_map", name),
        ("module", &module.name),
        ("game", game),
        ("like", like),
    ] {
        let _ = writeln!(yaml, "{key}: {}", write_scalar(value));
    }
    if module.maps.len() > 1 {
        let maps: Vec<String> = module
            .maps
            .iter()
            .map(|map| write_scalar(&map.name))
            .collect();
        let _ = writeln!(
            yaml,
            "maps: [{}]      # leave out those whose pieces don't count",
            maps.join(", ")
        );
    }
    let _ = writeln!(
        yaml,
        "places: {{}}      # before: C makes C2409 of 2409; names: {{ \"Dead Pile\": \"\" }} leaves out the pieces there"
    );
    let _ = writeln!(yaml, "pieces:");
    let mut missing = Vec::new();
    for (name, layers) in &names {
        let mut comments = Vec::new();
        if !known_names.contains(name) {
            missing.push(name.clone());
            comments.push("not mapped yet: piece, or kind and side, or ignored: true".to_string());
        }
        if !layers.is_empty() {
            comments.push(format!("layers: {}", layers.join(", ")));
        }
        let comment = if comments.is_empty() {
            String::new()
        } else {
            format!(
                "      # {}",
                comments.join("; ").replace(char::is_control, " ")
            )
        };
        let _ = writeln!(yaml, "  {}: {{}}{comment}", write_scalar(name));
    }
    if names.is_empty() {
        yaml = yaml.replace("pieces:\n", "pieces: {}\n");
    }
    Ok(MapLayout {
        yaml,
        names: names.len(),
        missing,
    })
}
