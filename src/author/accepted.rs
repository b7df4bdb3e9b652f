//! Complaints that are accepted, each with a reason: `accepted.yaml` in the data folder.

use crate::complaint::{Complaint, Complaints, DiagnosticCode};
use crate::data::text_file;
use crate::data::yaml::YamlReader;
use std::path::Path;

/// The name of the file, which is next to `rules` and `variants`.
pub const ACCEPTED_FILE: &str = "accepted.yaml";

/// An entry: it accepts the complaints of one law in one file whose text contains the given words.
struct AcceptedEntry {
    code: String,
    path: String,
    what: String,
}

impl AcceptedEntry {
    fn matches(&self, complaint: &Complaint) -> bool {
        complaint.code.as_str() == self.code && complaint.place.path.ends_with(&self.path) && complaint.what.contains(&self.what)
    }
}

/// Removes the accepted complaints and returns their number too. An entry that matches none is noted; one without a reason accepts nothing.
pub fn filter_accepted(root: Option<&Path>, complaints: Complaints) -> (Complaints, usize) {
    let Some(path) = root.map(|root| root.join(ACCEPTED_FILE)).filter(|path| path.exists()) else { return (complaints, 0) };
    let name = path.to_string_lossy().into_owned();
    let text = match text_file::read_text(&path) {
        Ok(text) => text,
        Err((what, help)) => {
            let mut all = complaints;
            all.push(Complaint::new(DiagnosticCode::File, crate::complaint::Place::whole_file(&name), what).with_help(help));
            return (all, 0);
        }
    };
    let mut reader = YamlReader::new(&name, &text);
    let mut left = complaints.0;
    let (mut stale, mut count) = (Vec::new(), 0);
    let root = reader.parse(&text);
    for item in root.iter().flat_map(|root| root.items()) {
        reader.check_keys(item, &["law", "path", "what", "why"]);
        let mut need = |key: &str| reader.required_text(item, key).map(String::from);
        let (Some(law), Some(path), Some(_)) = (need("law"), need("path"), need("why")) else { continue };
        let entry = AcceptedEntry { code: law, path, what: reader.optional_text(item, "what").unwrap_or_default() };
        let all = left.len();
        left.retain(|complaint| !entry.matches(complaint));
        count += all - left.len();
        if left.len() == all {
            let what = format!("this entry accepts a complaint that nobody makes: `{}` in {}", entry.code, entry.path);
            stale.push(reader.complaint(DiagnosticCode::Accepted, item.span, what).with_help("remove the entry").into_note());
        }
    }
    left.extend(stale);
    left.extend(reader.complaints.0);
    (Complaints(left).into_sorted(), count)
}
