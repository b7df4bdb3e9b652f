//! A variant's manifest, `variants/<name>/variant.yaml`: a layer over a game with individually switchable options.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Place, unknown_name};
use crate::data::case::{CaseKind, SourceRef, read_sources};
use crate::data::change::{Change, ChangeAddress, VALUES_OF};
use crate::data::files::DataFile;
use crate::data::format::FieldType;
use crate::data::format::card::VARIANT;
use crate::data::manifest::Game;
use crate::data::reference_kind::ReferenceKind;
use crate::data::scenario::{ListKind, Scenario};
use crate::data::status::Status;
use crate::data::table_file::TableFile;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use std::sync::Arc;

/// An individually switchable part of a variant.
#[derive(Clone, Debug)]
pub struct VariantOption {
    pub name: String,
    pub title: String,
    pub default: bool,
}

/// A variant's manifest.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Short name, equal to the folder name.
    pub name: String,
    pub title: String,
    /// Game that the variant amends.
    pub game: String,
    /// Citations.
    pub sources: Vec<SourceRef>,
    /// Variants that this one is layered over if both are in force.
    pub after: Vec<String>,
    /// Required variants; they come into force with this one.
    pub needs: Vec<String>,
    /// Incompatible variants.
    pub excludes: Vec<String>,
    /// Version given by the author; empty if none.
    pub version: String,
    pub options: Vec<VariantOption>,
    /// Its list of changes, in order.
    pub changes: Vec<Arc<Change>>,
    /// Additions to the game's manifest: kinds, attributes, places, tracks, procedures, phases, sheets, outcomes.
    pub additions: Game,
    pub file: DataFile,
    /// Tree of the file.
    pub root: YamlNode,
}

impl Variant {
    /// Returns the place of a word under a key.
    pub fn place_of(&self, key: &str, word: &str) -> Place {
        self.file.place(self.root.span_of(key, word))
    }

    /// Complains of the first required variant that does not exist.
    pub fn check_dependencies(&self, variants: &[&str]) -> Option<Complaint> {
        let missing = self
            .needs
            .iter()
            .find(|name| !variants.contains(&name.as_str()))?;
        let message = unknown_name(
            &format!("variant of {}", self.game),
            missing,
            variants.iter().copied(),
        );
        let complaint = Complaint::new(
            DiagnosticCode::UnknownName,
            self.place_of("needs", missing),
            message,
        );
        Some(complaint.with_help(ReferenceKind::Variant.remedy()))
    }

    /// Complains of the first of `variants` that this variant excludes.
    pub fn check_exclusions(&self, variants: &[String]) -> Option<Complaint> {
        let excluded = self.excludes.iter().find(|name| variants.contains(name))?;
        let message = format!("{} and {excluded} can't be in force together", self.name);
        Some(
            Complaint::new(
                DiagnosticCode::Order,
                self.place_of("excludes", excluded),
                message,
            )
            .with_help(format!("leave out {} or {excluded}", self.name)),
        )
    }

    /// Returns the entries of its list that change cells of a table as a file for it, of those that `is_on` holds in force; `None` if there
    /// are none.
    pub fn cells_file(
        &self,
        table: &str,
        layer: &Arc<str>,
        is_on: impl Fn(&Change) -> bool,
    ) -> Option<TableFile> {
        let root = self.list_as_file(&ChangeAddress::Cells(table.into()), is_on)?;
        Some(TableFile {
            id: table.into(),
            kind: CaseKind::Revision,
            option: None,
            kind_span: root.span,
            root,
            file: self.file.clone(),
            layer: layer.clone(),
            similar_tables: Vec::new(),
        })
    }

    /// Returns the entries of its list that change values of a situation, roster or deployment as a file for it, of those that `is_on` holds
    /// in force; `None` if there are none.
    pub fn values_file(
        &self,
        list: &str,
        kind: ListKind,
        layer: &Arc<str>,
        game: &Game,
        is_on: impl Fn(&Change) -> bool,
        complaints: &mut Complaints,
    ) -> Option<Scenario> {
        let mut root = self.list_as_file(&ChangeAddress::Values(list.into()), is_on)?;
        let text = |text: &str| root.with(YamlValue::Scalar(text.into(), true));
        let head = [(kind.as_str(), list), ("kind", CaseKind::Revision.as_str())];
        let head = head.map(|(key, value)| (text(key), text(value)));
        if let YamlValue::Map(entries) = &mut root.value {
            entries.extend(head);
        }
        let mut reader = YamlReader::for_file(&self.file);
        reader.context = format!("changes of {layer}");
        let read = Scenario::read_named(list, root, &self.file, layer, game, &mut reader);
        complaints.0.append(&mut reader.complaints.0);
        read
    }

    /// Returns the entries of its list at an address as a file of the layer has them, of those that `is_on` holds in force; `None` if there
    /// are none.
    fn list_as_file(
        &self,
        address: &ChangeAddress,
        is_on: impl Fn(&Change) -> bool,
    ) -> Option<YamlNode> {
        let entries = self.root.items_of("changes");
        let own = self.changes.iter();
        let own = own.filter(|change| change.address == *address && is_on(change));
        let mut own: Vec<YamlNode> = own
            .filter_map(|change| entries.get(change.number - 1).cloned())
            .collect();
        let first = own.first()?.clone();
        let text = |text: &str| first.with(YamlValue::Scalar(text.into(), true));
        for entry in &mut own {
            let YamlValue::Map(keys) = &mut entry.value else {
                continue;
            };
            // An entry that says nothing of it is of the house.
            if matches!(address, ChangeAddress::Values(_)) {
                keys.retain(|(key, _)| ![VALUES_OF, "why"].contains(&key.text_or_empty()));
                if !keys.iter().any(|(key, _)| key.as_text() == Some("status")) {
                    keys.push((text("status"), text(Status::House.as_str())));
                }
            }
        }
        let root = [
            ("title", text(&self.title)),
            ("status", text(Status::House.as_str())),
            ("changes", first.with(YamlValue::List(own))),
        ];
        let root = root.map(|(key, value)| (text(key), value));
        Some(first.with(YamlValue::Map(root.into())))
    }

    /// Parses a variant's manifest.
    pub fn read(file: &DataFile, complaints: &mut Complaints) -> Option<Variant> {
        let mut reader = YamlReader::for_file(file);
        let name = file
            .folder()
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_string();
        reader.context = format!("variant {name}");
        let variant = reader.parse_file().map(|root| {
            reader.check(&without_values(&root), &VARIANT);
            reader.check_stated_name(&root, "variant", ("folder", &name, &name));
            let mut additions = Game::default();
            additions.read_declarations(&root, &mut reader);
            if let Some(places) = root.get("places") {
                additions
                    .places
                    .read_boxes_and_attributes(places, &mut reader);
            }
            // Other names may be those of the game, or of variants below.
            let own = |kind, text: &str| {
                additions
                    .unknown_name(kind, text)
                    .filter(|_| kind == ReferenceKind::Box)
            };
            reader.check_names(&root, FieldType::Object(&VARIANT), &own);
            let option = |(name, value): (String, &YamlNode)| VariantOption {
                name,
                title: value.text_of("title").into(),
                default: value.flag_of("default").unwrap_or(true),
            };
            let changes = Change::read_all(root.get("changes"), &mut reader);
            Variant {
                changes: changes.into_iter().map(Arc::new).collect(),
                title: root.text_of("title").into(),
                game: root.text_of("game").into(),
                sources: read_sources(&root),
                after: root.texts_of("after"),
                needs: root.texts_of("needs"),
                excludes: root.texts_of("excludes"),
                version: root.text_of("version").into(),
                options: root.named_entries_of("options").map(option).collect(),
                additions,
                file: file.clone(),
                root,
                name,
            }
        });
        complaints.0.append(&mut reader.complaints.0);
        variant
    }
}

/// Returns the tree of a manifest without the entries of its list that are as in a file for a situation: they are checked where it is read.
fn without_values(root: &YamlNode) -> YamlNode {
    let mut root = root.clone();
    if let Some(list) = root.at(&["changes"]).cloned()
        && let YamlValue::List(mut items) = list.value.clone()
    {
        items.retain(|item| item.get(VALUES_OF).is_none());
        root.set_at(&["changes"], Some(&list.with(YamlValue::List(items))));
    }
    root
}
