//! Situations, rosters and deployments with the changes of later layers made in them.

use crate::complaint::{Complaints, DiagnosticCode, Place, Span, did_you_mean};
use crate::data::format::scenario::PIECE;
use crate::data::list_change::{ListChange, RosterFigures, has_span, inline_text, turned};
use crate::data::manifest::Game;
use crate::data::piece::{
    PieceEntry, check_piece_value, datum_text, read_named_piece, read_piece_datum,
};
use crate::data::scenario::Scenario;
use crate::data::yaml::{YamlReader, YamlValue};
use std::sync::Arc;

impl Scenario {
    /// Applies the changes of a later layer to this list. `below` is the list as that layer knows it.
    pub fn amend(
        &self,
        below: &Scenario,
        newer: &Scenario,
        (game, rated): (&Game, RosterFigures),
        complaints: &mut Complaints,
    ) -> Scenario {
        let mut reader = YamlReader::for_file(&newer.file);
        reader.context = format!("{} of {}", newer.name, newer.layer);
        let mut merged = self.clone();
        for change in &newer.changes {
            match change.path.get(1) {
                Some(name) if change.is_of_piece() => {
                    if change.path.len() == 2 && change.new_value().is_some() {
                        merged.add_piece(below, name, change, game, &mut reader);
                    } else {
                        merged.change_piece(below, name, change, (game, rated), &mut reader);
                    }
                }
                _ => merged.change_value(below, change.clone(), &mut reader),
            }
        }
        if merged.changed.len() > self.changed.len() {
            let mut again = YamlReader::for_file(&newer.file);
            merged.reread(game, &mut again);
            // Each value was checked where its file was read; together they may be too many cards.
            again
                .complaints
                .0
                .retain(|complaint| complaint.code == DiagnosticCode::Deck);
            complaints.0.append(&mut again.complaints.0);
        }
        complaints.0.append(&mut reader.complaints.0);
        merged
    }

    /// Returns the text of a value outside the pieces.
    pub fn value_at(&self, path: &[String]) -> Option<String> {
        self.root.at(path).map(inline_text)
    }

    /// Reads the values outside the pieces again.
    fn reread(&mut self, game: &Game, reader: &mut YamlReader) {
        let root = self.root.clone();
        self.read_values(&root, game, reader);
    }

    /// Takes a value outside the pieces from another form of the list.
    pub fn take_value(&mut self, path: &[String], other: &Scenario, game: &Game) {
        self.root.set_at(path, other.root.at(path));
        let changes = other.changed.iter().filter(|change| change.path == path);
        self.changed.extend(changes.cloned());
        self.reread(game, &mut YamlReader::new("", ""));
    }

    /// Returns the place of a span within a value outside the pieces: in the file that wrote it last.
    pub fn place_of(&self, path: &[&str], span: Span) -> Place {
        let wrote = |change: &&ListChange| {
            change.path.iter().zip(path).all(|(a, b)| a == b) && has_span(&change.now, span)
        };
        let written = self.changed.iter().rev().find(wrote);
        let file = written.map_or(&self.file, |change| &change.file);
        file.place(span)
    }

    /// Changes a value outside the pieces.
    fn change_value(&mut self, below: &Scenario, mut change: ListChange, reader: &mut YamlReader) {
        // The layer below may name a side the other way round.
        if let Some(turned) = change.path.get(2).and_then(|name| turned(name))
            && let Some(list) = below.root.at(&change.path[..2])
            && list.get(&turned).is_some()
        {
            change.path[2] = turned;
        }
        if change.applies_to(below.value_at(&change.path).as_deref(), reader) {
            change.apply(&mut self.root);
            self.changed.push(change);
        }
    }

    /// Changes a figure of a piece, or takes the piece away.
    fn change_piece(
        &mut self,
        below: &Scenario,
        name: &str,
        change: &ListChange,
        (game, rated): (&Game, RosterFigures),
        reader: &mut YamlReader,
    ) {
        let Some(existing) = below.pieces.iter().find(|piece| piece.name == name) else {
            let names = below.pieces.iter().map(|piece| piece.name.as_str());
            let message = format!("the layer below has no piece `{name}`");
            let help = "write `was: absent` and `now: { ... }` to add one";
            let message = did_you_mean(message, name, names);
            return reader.complain(DiagnosticCode::WasNow, change.entry_span, message, help);
        };
        let Some(key) = change.path.get(2) else {
            if change.applies_to(Some("present"), reader) {
                self.pieces.retain(|piece| piece.name != *name);
            }
            return;
        };
        let own = existing.attributes.get(key).map(datum_text);
        let old = own.clone().or_else(|| rated(name, key));
        // Unreadable values are reported where they stand.
        if !existing.is_unreadable(key) && !change.applies_to(old.as_deref(), reader) {
            return;
        }
        // Another layer may have removed the piece.
        let Some(entry) = self.pieces.iter_mut().find(|piece| piece.name == name) else {
            return;
        };
        entry.path = Arc::from(reader.path());
        let Some(now) = change.new_value() else {
            if own.is_none() {
                let message = format!("the {key} of `{name}` comes from a roster");
                let help = "change it in a file for the roster";
                reader.complain(DiagnosticCode::WasNow, change.now.span, message, help);
            }
            entry.attributes.remove(key);
            return;
        };
        check_piece_value(key, now, game, reader);
        if let Some(datum) = read_piece_datum(key, change.key_span, now, game, reader) {
            entry.attributes.insert(key.clone(), datum);
            entry.status_by_figure.insert(key.clone(), change.status);
            entry.set_location(key, entry.path.clone(), now.span);
        }
    }

    /// Adds a piece. Notes one that is there already, and complains of one that is there with other figures.
    fn add_piece(
        &mut self,
        below: &Scenario,
        name: &str,
        change: &ListChange,
        game: &Game,
        reader: &mut YamlReader,
    ) {
        let node = &change.now;
        if !matches!(node.value, YamlValue::Map(_)) {
            return reader.check_keys(node, &PIECE.key_names());
        }
        for (key, value) in node.entries() {
            check_piece_value(key.text_or_empty(), value, game, reader);
        }
        let Some(entry) = read_named_piece(name, node, change.status, game, reader) else {
            return;
        };
        let Some(existing) = below.pieces.iter().find(|piece| piece.name == name) else {
            self.pieces.retain(|piece| piece.name != name);
            return self.pieces.push(entry);
        };
        let is_other = |key: &&String| existing.attributes.get(*key) != entry.attributes.get(*key);
        let mut keys = existing.attributes.keys().chain(entry.attributes.keys());
        let Some(key) = keys.find(is_other) else {
            let message = format!("`{name}` is in the layer below already: incorporated");
            let note = reader.complaint(DiagnosticCode::Already, entry.span, message);
            return reader.complaints.push(note.into_note());
        };
        let text = |piece: &PieceEntry| {
            let datum = piece.attributes.get(key);
            datum.map_or("missing".into(), datum_text)
        };
        let (was, now) = (text(existing), text(&entry));
        reader.complain(
            DiagnosticCode::WasNow,
            entry.span,
            format!("the layer below has `{name}` already, with the {key} {was}, and not {now}"),
            format!("write `{key}: {{ was: {was}, now: {now} }}` if the piece is to change"),
        );
    }
}
