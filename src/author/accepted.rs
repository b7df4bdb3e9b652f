//! Complaints that are known and accepted, each with its reason: `accepted.yaml` in the folder of data.

use crate::complaint::{Complaint, Complaints};
use crate::data::plain;
use crate::data::yaml::Reader;
use std::path::Path;

/// The file, beside `rules` and `variants`.
pub const ACCEPTED: &str = "accepted.yaml";

/// An entry: complaints of a law in a file, whose text holds these words.
struct Entry {
    law: String,
    path: String,
    what: String,
}

impl Entry {
    fn covers(&self, complaint: &Complaint) -> bool {
        complaint.law == self.law && complaint.place.path.ends_with(&self.path) && complaint.what.contains(&self.what)
    }
}

/// Complaints without those that are accepted, and how many these were. An entry that meets none is noted, one without a reason accepts
/// nothing.
pub fn left(root: Option<&Path>, complaints: Complaints) -> (Complaints, usize) {
    let Some(path) = root.map(|root| root.join(ACCEPTED)).filter(|path| path.exists()) else { return (complaints, 0) };
    let name = path.to_string_lossy().into_owned();
    let text = match plain::text_of(&path) {
        Ok(text) => text,
        Err((what, help)) => {
            let mut all = complaints;
            all.push(Complaint::new("file", crate::complaint::Place::file(&name), what).help(help));
            return (all, 0);
        }
    };
    let mut reader = Reader::new(&name, &text);
    let mut left = complaints.0;
    let (mut stale, mut count) = (Vec::new(), 0);
    let root = reader.parse(&text);
    for item in root.iter().flat_map(|root| root.items()) {
        reader.keys(item, &["law", "path", "what", "why"]);
        let mut need = |key: &str| reader.need(item, key).map(String::from);
        let (Some(law), Some(path), Some(_)) = (need("law"), need("path"), need("why")) else { continue };
        let entry = Entry { law, path, what: reader.maybe(item, "what").unwrap_or_default() };
        let all = left.len();
        left.retain(|complaint| !entry.covers(complaint));
        count += all - left.len();
        if left.len() == all {
            let what = format!("nothing is complained of that this accepts: `{}` in {}", entry.law, entry.path);
            stale.push(reader.complaint("accepted", item.span, what).help("it was mended: take the entry out").note());
        }
    }
    left.extend(stale);
    left.extend(reader.complaints.0);
    (Complaints(left).sorted(), count)
}
