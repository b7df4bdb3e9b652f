//! What a variant adds to the manifest of its game: kinds, attributes, sheets, tracks, procedures, outcomes.

use crate::complaint::did_you_mean;
use crate::data::format::game;
use crate::data::manifest::{Game, OR, PieceKind, Track, attributes};
use crate::data::sheet;
use crate::data::yaml::{Node, Reader, Value};

impl Game {
    /// What a manifest declares that a variant may add to: kinds, attributes, sheets, tracks, procedures, outcomes.
    pub fn parts(&mut self, root: &Node, reader: &mut Reader) {
        self.together = root.get("together").map(|n| reader.texts(n)).unwrap_or_default();
        self.follow = root.get("follow").map(|n| reader.texts(n)).unwrap_or_default();
        for (key, value) in root.get("kinds").map(Node::entries).unwrap_or_default() {
            reader.fits(value, &game::KIND);
            let name = key.text().unwrap_or_default().to_string();
            let title = reader.maybe(value, "title").unwrap_or_else(|| name.clone());
            self.kinds.insert(name, PieceKind { title, groups: value.get("is").map(|n| reader.texts(n)).unwrap_or_default() });
        }
        self.attributes = root.get("attributes").map(|n| attributes(n, &mut self.names, reader)).unwrap_or_default();
        self.sheets = root.get("sheets").map(|n| sheet::read(n, reader)).unwrap_or_default();
        for (key, value) in root.get("tracks").map(Node::entries).unwrap_or_default() {
            if let Some(track) = Track::read(value, reader) {
                self.tracks.insert(key.text().unwrap_or_default().into(), track);
            }
        }
        for (key, value) in root.get("procedures").map(Node::entries).unwrap_or_default() {
            let name = key.text().unwrap_or_default().to_string();
            if let Value::Map(_) = value.value {
                reader.fits(value, &game::PROCEDURE);
                self.procedures.push((name.clone(), reader.need(value, "what").unwrap_or_default().into()));
                let handed = value.get("given").map(|n| reader.texts(n)).unwrap_or_default();
                self.handed.insert(name, handed);
            } else {
                self.procedures.push((name, reader.text(value).unwrap_or_default().into()));
            }
        }
        for (key, value) in root.get("ends_when").map(Node::entries).unwrap_or_default() {
            self.ends_when.push((key.text().unwrap_or_default().into(), reader.text(value).unwrap_or_default().into()));
        }
    }

    /// What procedures are handed is declared among the sheets.
    pub fn handed_declared(&self, root: &Node, reader: &mut Reader) {
        let Some(given) = self.sheets.get(sheet::GIVEN) else { return };
        let procedures = root.get("procedures").map(Node::entries).unwrap_or_default();
        for (key, value) in procedures {
            let handed = key.text().and_then(|name| self.handed.get(name)).into_iter().flatten();
            for field in handed.flat_map(|field| field.split(OR)).filter(|field| !given.contains_key(*field)) {
                let what = format!("no procedure is given `{field}`{}", did_you_mean(field, given.keys().map(String::as_str)));
                reader.complain("unknown-name", value.span_of("given", field), what, "name it under `sheets: given:`");
            }
        }
    }

    /// Adds what a variant declares: names of its own, and fields to sheets that are there.
    pub fn declare(&mut self, by: &str, more: &Game) {
        for (name, sheet) in &more.sheets {
            self.sheets.entry(name.clone()).or_default().extend(sheet.clone());
        }
        self.kinds.extend(more.kinds.clone());
        self.attributes.extend(more.attributes.iter().filter(|(name, _)| self.attribute(name).is_none()).cloned().collect::<Vec<_>>());
        self.names.extend(more.names.clone());
        self.tracks.extend(more.tracks.clone());
        let new = |(name, _): &&(String, String)| !self.procedures.iter().any(|(known, _)| known == name);
        self.procedures.extend(more.procedures.iter().filter(new).cloned().collect::<Vec<_>>());
        self.handed.extend(more.handed.clone());
        self.together.extend(more.together.clone());
        self.follow.extend(more.follow.clone());
        self.ends_when.extend(more.ends_when.clone());
        if more.declares() {
            self.declared_by.push_str(by);
            self.declared_by.push(' ');
        }
        self.reindex();
    }

    /// Whether it declares anything beside sheets.
    fn declares(&self) -> bool {
        !(self.kinds.is_empty() && self.attributes.is_empty() && self.tracks.is_empty() && self.procedures.is_empty())
    }

    /// The names that both declare, with what they are.
    pub fn twice(&self, more: &Game) -> Vec<(&'static str, String)> {
        let kinds = more.kinds.keys().filter(|name| self.kinds.contains_key(*name)).map(|name| ("kinds", name.clone()));
        let attributes =
            more.attributes.iter().filter(|(name, _)| self.attribute(name).is_some()).map(|(name, _)| ("attributes", name.clone()));
        let tracks = more.tracks.keys().filter(|name| self.tracks.contains_key(*name)).map(|name| ("tracks", name.clone()));
        let known = |name: &String| self.procedures.iter().any(|(other, _)| other == name);
        let procedures = more.procedures.iter().filter(|(name, _)| known(name)).map(|(name, _)| ("procedures", name.clone()));
        kinds.chain(attributes).chain(tracks).chain(procedures).collect()
    }
}
