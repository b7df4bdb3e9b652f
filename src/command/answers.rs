//! The schema of all answers, with those that the command line alone gives.

use crate::command::explain::WrittenSchemas;
use crate::command::new::CreatedFiles;
use crate::command::out::{ComplaintsAnswer, ErrorAnswer};
use crate::command::pack::{PackedFiles, UnpackedFiles};
#[cfg(feature = "serve")]
use crate::command::serve::{WrittenBook, WrittenSite};
#[cfg(feature = "vassal")]
use crate::command::vassal::{ExportReport, ImportReport};
use casebook_view::answers::AnswerSchema;
use casebook_view::block::FoundPages;
use serde_json::Value;

/// Returns the schema.
pub fn schema() -> Value {
    let mut schema = AnswerSchema::new();
    schema.add::<ErrorAnswer>("error");
    schema.add::<ComplaintsAnswer>("complaints");
    schema.add::<FoundPages>("dice");
    schema.add::<FoundPages>("guide");
    schema.add::<CreatedFiles>("new");
    schema.add::<WrittenSchemas>("schema");
    schema.add::<PackedFiles>("pack");
    schema.add::<UnpackedFiles>("unpack");
    #[cfg(feature = "serve")]
    schema.add::<WrittenSite>("site");
    #[cfg(feature = "serve")]
    schema.add::<WrittenBook>("book");
    #[cfg(feature = "vassal")]
    schema.add::<ImportReport>("import");
    #[cfg(feature = "vassal")]
    schema.add::<ExportReport>("export");
    schema.finish()
}
