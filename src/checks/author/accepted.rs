//! Complaints that are accepted, each with a reason: `accepted.yaml` in the data folder.

use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Place};
use casebook_engine::data::regular_file::is_behind_link;
use casebook_engine::data::text_file::read_text;
use casebook_engine::data::yaml::YamlReader;
use std::path::Path;

/// The name of the file, which is next to `rules` and `variants`.
pub const ACCEPTED_FILE: &str = "accepted.yaml";

/// Removes the accepted complaints and returns their number too. An entry accepts the complaints of one law in one file whose text contains
/// its words; one that accepts none is noted, and one without a reason accepts nothing.
pub fn filter_accepted(root: Option<&Path>, complaints: Complaints) -> (Complaints, usize) {
    let Some(path) = root.map(|root| root.join(ACCEPTED_FILE)).filter(|path| path.exists()) else { return (complaints, 0) };
    let name = path.to_string_lossy().into_owned();
    let leads_out =
        root.filter(|root| is_behind_link(root, &path)).map(|_| ("this is a link; it was not followed".into(), "put a file in its place"));
    let text = match leads_out.map_or_else(|| read_text(&path), Err) {
        Ok(text) => text,
        Err((what, help)) => {
            let mut complaints = complaints;
            complaints.push(Complaint::new(DiagnosticCode::File, Place::whole_file(&name), what).with_help(help));
            return (complaints, 0);
        }
    };
    let mut reader = YamlReader::new(&name, &text);
    let mut remaining = complaints.0;
    let (mut stale, mut count) = (Vec::new(), 0);
    let root = reader.parse(&text);
    for item in root.iter().flat_map(|root| root.items()) {
        reader.check_keys(item, &["law", "path", "what", "why"]);
        let mut need = |key: &str| reader.required_text(item, key).map(String::from);
        let (Some(law), Some(path), Some(_)) = (need("law"), need("path"), need("why")) else { continue };
        let what = reader.optional_text(item, "what").unwrap_or_default();
        let count_before = remaining.len();
        remaining.retain(|complaint| {
            !(complaint.code.as_str() == law && complaint.place.path.ends_with(&path) && complaint.what.contains(&what))
        });
        count += count_before - remaining.len();
        if remaining.len() == count_before {
            let what = format!("this entry accepts a complaint that nobody makes: `{law}` in {path}");
            stale.push(reader.complaint(DiagnosticCode::Accepted, item.span, what).with_help("remove the entry").into_note());
        }
    }
    remaining.extend(stale);
    remaining.extend(reader.complaints.0);
    (Complaints(remaining).into_sorted(), count)
}
