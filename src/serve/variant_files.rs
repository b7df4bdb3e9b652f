//! A variant of the user's as a whole: copied, renamed, deleted.

use crate::author::check;
use crate::author::pack::Pack;
use crate::complaint::Error;
use crate::data::atomic_write::remove_file;
use crate::data::library::Library;
use crate::serve::workbench::Workbench;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

/// Request body of a change to a whole variant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantChange {
    action: VariantAction,
    variant: String,
    #[serde(default)]
    name: String,
}

/// What is done with a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum VariantAction {
    Copy,
    Rename,
    Delete,
}

impl VariantChange {
    /// Carries out the change, and reports what is wrong with the variant afterwards.
    pub fn apply(&self, bench: &Workbench) -> Result<Value, Error> {
        let snapshot = bench.snapshot()?;
        let library = &snapshot.library;
        let old: Vec<String> = user_files(bench, library, &self.variant).into_iter().map(String::from).collect();
        if old.is_empty() {
            return Err(Error::Unknown { what: "variant in this folder", name: self.variant.clone(), suggestions: Vec::new() });
        }
        if self.action != VariantAction::Delete {
            let mut pack = Pack::from_library(library, &self.variant)?.renamed(&self.name)?;
            if self.action == VariantAction::Copy {
                pack.exclude(&self.variant);
            }
            pack.unpack(library, &bench.root())?;
        }
        if self.action != VariantAction::Copy {
            let root = bench.root();
            old.iter().try_for_each(|key| remove_file(&root.join(key), &root.join("variants")))?;
        }
        bench.mark_stale();
        let complaints = match self.action {
            VariantAction::Delete => Vec::new(),
            _ => check::check_variant(&bench.snapshot()?.library, &self.name).0,
        };
        Ok(json!({ "complaints": complaints }))
    }
}

/// Yields the files of a variant that are in the user's folder.
pub fn user_files<'a>(bench: &'a Workbench, library: &'a Library, variant: &str) -> Vec<&'a str> {
    let start = format!("variants/{variant}/");
    library.files.by_key.keys().filter(|key| key.starts_with(&start) && bench.is_user_file(key)).map(String::as_str).collect()
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
