//! Verifies that the dice of a journal are those that it was committed to.

use crate::complaint::{Complaint, DiagnosticCode, Error, Place, Remedy};
use crate::data::library::Library;
use crate::notation::Face;
use crate::ruling::commitment::{Commitment, hash_of, seed_of};
use crate::ruling::journal::{Journal, replay_at, results_text};
use crate::ruling::moves::JournalMove;
use crate::ruling::session::{Session, WaitingFor, question_text};
use crate::situation::dice::{DiceStream, SeededDice};
use std::sync::Arc;

/// Builds the error for the dice of a journal.
fn refused(place: Place, message: String, help: &str) -> Error {
    Complaint::new(DiagnosticCode::Journal, place, message)
        .with_help(help)
        .into()
}

/// Verifies that every throw of a journal is that of its commitment, that none is left out, and that its results are those of the rules.
/// `announced` is the hash that was given away before the first throw, if the caller has it.
pub fn verify(
    library: &Arc<Library>,
    path: &str,
    journal: &Journal,
    places: &[Place],
    announced: Option<&str>,
) -> Result<Session, Error> {
    let file = || Place::whole_file(path);
    let Some(commitment) = &journal.commitment else {
        let message = "this journal commits itself to no dice";
        return Err(Complaint::new(DiagnosticCode::Journal, file(), message)
            .with_remedy(Remedy::CommitDice)
            .into());
    };
    let Commitment { hash, half, secret } = commitment;
    if let Some(announced) =
        announced.filter(|announced| !announced.trim().eq_ignore_ascii_case(hash))
    {
        let message = format!(
            "the journal commits itself to {hash}, and {announced} was announced before the first throw"
        );
        return Err(refused(
            file(),
            message,
            "ask for the journal that belongs to the hash you were given",
        ));
    }
    let Some(secret) = secret else {
        return Err(refused(
            file(),
            "the secret of these dice is not revealed yet".into(),
            "play to the end: then the journal has it",
        ));
    };
    if hash_of(secret) != *hash {
        let message = "the secret is not that of the hash: one of them was changed".into();
        return Err(refused(
            file(),
            message,
            "ask for the journal as it was written",
        ));
    }
    let seed = seed_of(secret, half.as_deref().unwrap_or_default());
    if journal.seed != Some(seed) {
        let message =
            "the seed is not that of the secret and the other side's half: one of them was changed"
                .into();
        return Err(refused(
            file(),
            message,
            "ask for the journal as it was written",
        ));
    }
    let session = verify_throws(library, seed, path, journal, places)?;
    if !session.is_over() {
        let message = format!(
            "the rules ask for more than the journal has: {}",
            asked_text(&session)
        );
        return Err(refused(
            file(),
            message,
            "ask for the journal as it was written: something was left out at its end",
        ));
    }
    let results = results_text(&session.ruling().results);
    match &journal.results {
        Some(stated) if *stated == results => Ok(session),
        _ => {
            let message =
                "the results are not what the rules make of these throws and choices".into();
            Err(refused(
                file(),
                message,
                "ask for the journal as it was written",
            ))
        }
    }
}

/// Plays a journal back and compares each throw with that of the seed.
fn verify_throws(
    library: &Arc<Library>,
    seed: u64,
    path: &str,
    journal: &Journal,
    places: &[Place],
) -> Result<Session, Error> {
    let mut session = journal.begin(library, false)?;
    let mut dice = SeededDice::new(seed);
    for (number, journal_move) in journal.moves.iter().enumerate() {
        if let (WaitingFor::Throw(request), JournalMove::Throw { faces, .. }) =
            (session.waiting_for(), journal_move)
        {
            let thrown = dice
                .throw(&request.dice, &request.purpose)
                .unwrap_or_default();
            let seeded_faces: Vec<Face> =
                thrown.iter().map(|side| request.dice.face(*side)).collect();
            if seeded_faces != *faces {
                let place = places
                    .get(number)
                    .cloned()
                    .unwrap_or_else(|| Place::whole_file(path));
                let message = format!(
                    "the journal has {journal_move}; the dice of the seed show {}",
                    Face::join(&seeded_faces, " ")
                );
                return Err(refused(
                    place,
                    message,
                    "ask for the journal as it was written: a throw was made up, changed or left out",
                ));
            }
        }
        replay_at(&mut session, journal_move, places.get(number))?;
    }
    Ok(session)
}

fn asked_text(session: &Session) -> String {
    match session.waiting_for() {
        WaitingFor::Throw(request) => format!("{} for {}", request.notation, request.purpose),
        WaitingFor::Choice(request) => question_text(request),
        WaitingFor::Finished(_) => String::new(),
    }
}
