//! Complaints that are accepted, each with a reason: `accepted.yaml` in the data folder.

use casebook_engine::complaint::{Complaints, Defect, DiagnosticCode, Place};
use casebook_engine::data::format::{FieldType::Text, FileFormat, optional, required};
use casebook_engine::data::regular_file::is_behind_link;
use casebook_engine::data::text_file::read_text;
use casebook_engine::data::yaml::YamlReader;
use std::path::Path;

/// The name of the file, which is next to `rules` and `variants`.
pub const ACCEPTED_FILE: &str = "accepted.yaml";

/// An entry of the file.
static ACCEPTED: FileFormat = FileFormat {
    name: "accepted",
    location: ACCEPTED_FILE,
    description: "Complaints that are accepted.",
    keys: &[
        required("code", Text, "The code of the complaints."),
        required("path", Text, "The end of the path of their file."),
        optional("what", Text, "Words of the complaints."),
        required("why", Text, "Why they are accepted."),
    ],
    extra_keys: "",
};

/// Removes the accepted complaints and returns their number too. An entry accepts the complaints of one code in one file whose text contains
/// its words; one that accepts none is noted, and one without a reason accepts nothing.
pub fn filter_accepted(root: Option<&Path>, complaints: Complaints) -> (Complaints, usize) {
    let Some(path) = root
        .map(|root| root.join(ACCEPTED_FILE))
        .filter(|path| path.exists())
    else {
        return (complaints, 0);
    };
    let name = path.to_string_lossy().into_owned();
    let leads_out = root.filter(|root| is_behind_link(root, &path)).map(|_| {
        Defect::new(
            DiagnosticCode::File,
            "this is a link; it was not followed",
            "put a file in its place",
        )
    });
    let text = match leads_out.map_or_else(|| read_text(&path), Err) {
        Ok(text) => text,
        Err(defect) => {
            let mut complaints = complaints;
            complaints.push(defect.at(Place::whole_file(&name)));
            return (complaints, 0);
        }
    };
    let mut reader = YamlReader::new(&name, &text);
    let mut remaining = complaints.0;
    let (mut stale, mut count) = (Vec::new(), 0);
    let root = reader.parse(&text);
    for item in root.iter().flat_map(|root| root.items()) {
        reader.check(item, &ACCEPTED);
        let text = |key: &str| item.optional_text_of(key);
        let (Some(code), Some(path), Some(_)) = (text("code"), text("path"), text("why")) else {
            continue;
        };
        let words = item.text_of("what");
        let count_before = remaining.len();
        remaining.retain(|complaint| {
            !(complaint.code.as_str() == code
                && complaint.place.path.ends_with(&path)
                && complaint.message.contains(words))
        });
        count += count_before - remaining.len();
        if remaining.len() == count_before {
            let message =
                format!("this entry accepts a complaint that does not occur: `{code}` in {path}");
            stale.push(
                reader
                    .complaint(DiagnosticCode::Accepted, item.span, message)
                    .with_help("remove the entry")
                    .into_note(),
            );
        }
    }
    remaining.extend(stale);
    remaining.extend(reader.complaints.0);
    (Complaints(remaining).into_sorted(), count)
}
