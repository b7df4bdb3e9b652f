//! A library with other files of one variant, without reading the rest again.

use crate::data::library::{Library, LoadedFiles};
use crate::data::variant::Variant;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Library {
    /// Returns a library in which files of one variant have other texts, or `None` where they are gone. What was read of other layers stays
    /// read, so that a change can be tried at each key.
    pub fn with_variant_files(
        &self,
        variant: &str,
        texts: &BTreeMap<String, Option<String>>,
    ) -> Library {
        let mut library = self.clone();
        for (key, text) in texts {
            match text {
                Some(text) => library.files.set_text(key, text),
                None => drop(library.files.by_key.remove(key)),
            }
        }
        let mut complaints = std::mem::take(&mut library.complaints);
        let manifest = format!("variants/{variant}/variant.yaml");
        complaints.0.retain(|complaint| {
            self.files
                .by_key
                .get(&manifest)
                .is_none_or(|file| file.path != complaint.place.path)
        });
        library.variants.remove(variant);
        let read = library
            .files
            .by_key
            .get(&manifest)
            .and_then(|file| Variant::read(file, &mut complaints));
        library
            .variants
            .extend(read.map(|read| (variant.to_string(), read)));
        let (folder, layer) = (format!("variants/{variant}/"), format!("/{variant}"));
        let is_own = |key: &str| key.starts_with(&folder);
        library.cache = Arc::new(LoadedFiles {
            layers: self.cache.layers.without(|key| key.ends_with(&layer)),
            tables: self.cache.tables.without(is_own),
            scenarios: self.cache.scenarios.without(is_own),
            contents: self.cache.contents.without(|_| false),
            in_force: self.cache.in_force.without(is_own),
        });
        library.complaints = complaints;
        library
    }
}
