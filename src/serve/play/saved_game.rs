//! A saved game: a journal file as an address.

use crate::complaint::Error;
use crate::ruling::journal::Journal;
use crate::ruling::moves::JournalMove;
use crate::serve::layout::situation_address;
use crate::serve::page_request::{AddressMove, PageRequest};
use crate::serve::workbench::DataSnapshot;

/// Returns the address of the game that a journal holds. Fails where the file is damaged, the rules ask for something else, or
/// its dice are committed to and the game is not over.
pub fn journal_address(snapshot: &DataSnapshot, text: &str) -> Result<String, Error> {
    let (journal, places) = Journal::parse("(the journal)", text)?;
    journal.require_dice("(the journal)")?;
    let session = journal.play_back(&snapshot.library, &places, false)?;
    let answer = |journal_move: &JournalMove| match journal_move {
        JournalMove::Throw { faces, .. } => Some(AddressMove::Throw(faces.clone())),
        // The session has played it: what was taken is an option.
        JournalMove::Choice { options, taken, .. } => options.iter().position(|option| option == taken).map(AddressMove::Take),
    };
    let unknown = || Error::Usage("the journal takes an option that is not offered".into());
    let ask = PageRequest {
        moves: session.moves().iter().map(answer).collect::<Option<_>>().ok_or_else(unknown)?,
        game: journal.game,
        situation: journal.situation,
        with: Some(journal.variants),
        options: journal.options,
        readings: journal.readings,
        pieces: journal.overrides.pieces,
        set: journal.overrides.set.iter().map(|one| (one.name(), one.value.clone())).collect(),
        goes_on: journal.overrides.goes_on,
        seed: journal.seed,
        ..PageRequest::default()
    };
    Ok(situation_address(&ask, "play"))
}
