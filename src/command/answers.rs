//! The schema of all answers, with those that the command line alone gives.

use crate::command::out::{ComplaintsAnswer, ErrorAnswer};
#[cfg(feature = "vassal")]
use crate::command::vassal::ImportReport;
use casebook_view::answers::AnswerSchema;
use casebook_view::block::{FoundPages, WrittenFiles};
use serde_json::Value;

/// Returns the schema.
pub fn schema() -> Value {
    let mut schema = AnswerSchema::new();
    schema.add::<ErrorAnswer>("error");
    schema.add::<ComplaintsAnswer>("complaints");
    schema.add::<FoundPages>("dice");
    schema.add::<FoundPages>("guide");
    for name in ["new", "schema", "pack", "unpack", "site", "book", "export"] {
        schema.add::<WrittenFiles>(name);
    }
    #[cfg(feature = "vassal")]
    schema.add::<ImportReport>("import");
    schema.finish()
}
