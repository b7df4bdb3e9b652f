//! A variant of the user's as a whole: copied, renamed, deleted.

use crate::serve::api_answers::VariantComplaints;
use crate::serve::workbench::Workbench;
use casebook_checks::author::check;
use casebook_checks::author::pack::Pack;
use casebook_engine::complaint::Error;
use casebook_engine::data::atomic_write::has_file;
use casebook_engine::data::file::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::transaction::Transaction;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

/// A change to a whole variant.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariantChange {
    action: VariantAction,
    variant: String,
    /// The new name; not needed to delete.
    #[serde(default)]
    name: String,
}

/// What is done with a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum VariantAction {
    Copy,
    Rename,
    Delete,
}

impl VariantChange {
    /// Carries out the change, and reports what is wrong with the variant afterwards.
    pub fn apply(&self, bench: &Workbench) -> Result<VariantComplaints, Error> {
        let snapshot = bench.snapshot()?;
        let library = &snapshot.library;
        let old = user_files(bench, library, &self.variant);
        if old.is_empty() {
            return Err(Error::Unknown {
                kind: "variant in this folder",
                name: self.variant.clone(),
                suggestions: Vec::new(),
            });
        }
        let root = bench.root();
        let mut files = Transaction::new(&root);
        if self.action != VariantAction::Delete {
            let mut pack = Pack::from_library(library, &self.variant)?.renamed(&self.name)?;
            match self.action {
                VariantAction::Copy => pack.exclude(&self.variant)?,
                _ => pack.files.iter_mut().for_each(|(key, text)| {
                    let file = DataFile {
                        key: key.clone(),
                        path: key.clone(),
                        text: text.as_str().into(),
                    };
                    *text = with_new_name(&file, &self.variant, &self.name)
                        .unwrap_or_else(|| text.clone());
                }),
            }
            pack.lay_out(library, &root, &mut files)?;
        }
        if self.action == VariantAction::Rename {
            let by_key = library.files.by_key.values();
            let others =
                by_key.filter(|file| !old.contains(&&*file.key) && has_file(&root.join(&file.key)));
            for file in others {
                if let Some(text) = with_new_name(file, &self.variant, &self.name) {
                    files.change(root.join(&file.key), &file.text, Some(text));
                }
            }
        }
        if self.action != VariantAction::Copy {
            for key in old {
                files.change(root.join(key), &library.files.by_key[key].text, None);
            }
        }
        files.commit()?;
        bench.mark_stale();
        let complaints = match self.action {
            VariantAction::Delete => Vec::new(),
            _ => check::check_variant(&bench.snapshot()?.library, &self.name).0,
        };
        Ok(VariantComplaints { complaints })
    }
}

/// Keys whose values name variants; tests cite layers as `8.16 errata`.
const NAMING_KEYS: [&str; 6] = ["after", "needs", "excludes", "with", "reinstates", "cites"];

/// Returns the text of a file with a variant's new name where it names the variant: in manifests, situations, tests, cards and the settings
/// of examples. `None` if it does not.
fn with_new_name(file: &DataFile, old: &str, new: &str) -> Option<String> {
    if !file.text.contains(old) {
        return None;
    }
    let root = YamlReader::for_file(file).parse_file();
    let (mut places, mut queue) = (Vec::new(), root.iter().collect::<Vec<_>>());
    let option = format!("{old}.");
    while let Some(node) = queue.pop() {
        if let YamlValue::List(items) = &node.value {
            queue.extend(items);
        }
        for (key, value) in node.entries() {
            let named = |item: &&YamlNode| {
                item.as_text()
                    .is_some_and(|text| text == old || text.ends_with(&format!(" {old}")))
            };
            if key.as_text().is_some_and(|key| NAMING_KEYS.contains(&key)) {
                places.extend(value.items().iter().filter(named).map(|item| item.span));
            }
            let is_option =
                |node: &&YamlNode| node.as_text().is_some_and(|text| text.starts_with(&option));
            let named_option = Some(value).filter(|_| key.as_text() == Some("option"));
            let options = [Some(key), named_option].into_iter().flatten();
            places.extend(options.filter(is_option).map(|node| node.span));
            queue.push(value);
        }
    }
    places.sort_by_key(|span| std::cmp::Reverse((span.line, span.column)));
    let mut lines: Vec<String> = file.text.split_inclusive('\n').map(String::from).collect();
    for span in &places {
        if let Some(line) = lines.get_mut(span.line.saturating_sub(1)) {
            let index = line
                .char_indices()
                .nth(span.column.saturating_sub(1))
                .map_or(line.len(), |(index, _)| index);
            *line = format!("{}{}", &line[..index], line[index..].replacen(old, new, 1));
        }
    }
    // An example says above it what it runs under: `/// with: errata`, `/// option: errata.frost=off`.
    let setting = |line: &&mut String| {
        line.strip_prefix("/// ")
            .is_some_and(|rest| rest.starts_with("with:") || rest.starts_with("option:"))
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    for line in lines.iter_mut().filter(setting) {
        *line = line
            .split_inclusive(|c| !is_word(c))
            .map(|word| match word.strip_prefix(old) {
                Some(rest) if rest.chars().count() <= 1 && !rest.contains(is_word) => {
                    format!("{new}{rest}")
                }
                _ => word.into(),
            })
            .collect();
    }
    let text = lines.concat();
    (text != *file.text).then_some(text)
}

/// Yields the files of a variant that are in the user's folder.
pub fn user_files<'a>(bench: &'a Workbench, library: &'a Library, variant: &str) -> Vec<&'a str> {
    let start = format!("variants/{variant}/");
    library
        .files
        .by_key
        .keys()
        .filter(|key| key.starts_with(&start) && bench.is_user_file(key))
        .map(String::as_str)
        .collect()
}

/// Renders the forms that copy, rename and delete a variant.
pub fn render_variant_forms(variant: &str, may_write: bool) -> Markup {
    let form = |action: &str, name: bool, button: &str, sure: Option<String>| {
        html! {
            form.new data-variant-change=(action) data-sure=[sure] {
                input type="hidden" name="variant" value=(variant);
                fieldset disabled[!may_write] {
                    @if name { label { span { "Name" } input name="name" required pattern="[a-z0-9\\-]+" value={ (variant) "-2" }; } }
                    button { (button) }
                    output role="alert" {}
                }
            }
        }
    };
    let sure = format!("Delete {variant} with all its files? “As one file to send” keeps a copy.");
    html! {
        details.whole-variant {
            summary { "Copy, rename, delete" }
            div.columns { (form("copy", true, "Copy it", None)) (form("rename", true, "Rename it", None)) (form("delete", false, "Delete it", Some(sure))) }
        }
    }
}
