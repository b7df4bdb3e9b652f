//! Dice that a game was committed to before its first throw. The secret is in a file beside the journal until the end.

use crate::command::out::confirm_overwrite;
use casebook_engine::complaint::{Complaint, DiagnosticCode, Error, Place};
use casebook_engine::data::text_file::read_text;
use casebook_engine::data::transaction::{never_replace, write_atomic};
use casebook_engine::ruling::commitment::{Commitment, hash_of, secret_of, seed_of};
use casebook_engine::ruling::journal::Journal;
use std::fmt;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// A commitment whose secret is known here.
pub struct CommittedDice {
    secret: String,
    half: Option<String>,
}

/// Returns the file of the secret that belongs to a journal.
fn secret_path(journal: &Path) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(".secret");
    PathBuf::from(name)
}

impl CommittedDice {
    /// Draws a secret from the system's generator and writes it beside the journal; fails if there is a secret already.
    pub fn draw(journal: &Path) -> Result<CommittedDice, Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Error::Usage(format!(
                "the system gives no random numbers for a secret: {error}"
            ))
        })?;
        let secret = secret_of(&bytes);
        write_atomic(&secret_path(journal), format!("{secret}\n"), never_replace)?;
        Ok(CommittedDice { secret, half: None })
    }

    /// Reads the secret that belongs to a journal under way; fails if the hash of the commitment is another.
    pub fn resume(commitment: &Commitment, journal: &Path) -> Result<CommittedDice, Error> {
        let path = secret_path(journal);
        let place = || Place::whole_file(&path.display().to_string());
        let refused = |message: String| {
            let help = "go on where the game was begun: only there is the secret of its dice";
            Error::from(Complaint::new(DiagnosticCode::Journal, place(), message).with_help(help))
        };
        let secret = read_text(&path).map_err(|defect| {
            let message = defect.message;
            refused(format!("the secret of the dice can't be read: {message}"))
        })?;
        let secret = secret.trim().to_string();
        if hash_of(&secret) != commitment.hash {
            return Err(refused(
                "this is not the secret of the journal's hash".into(),
            ));
        }
        Ok(CommittedDice {
            secret,
            half: commitment.half.clone(),
        })
    }

    /// Prints the hash, and asks for the half of the other side unless it is known. The journal is saved before and after, so that the game
    /// can be left meanwhile.
    pub fn ask_half(
        mut self,
        journal: &Journal,
        path: &Path,
        out: &mut dyn Write,
    ) -> Result<CommittedDice, Error> {
        if self.half.is_some() {
            return Ok(self);
        }
        self.sign(journal.clone(), false)
            .write(path, || confirm_overwrite(path))?;
        let _ = writeln!(out, "The dice are committed: {}", hash_of(&self.secret));
        let _ = writeln!(
            out,
            "Send this to the other side. It answers with any text as its half of the seed."
        );
        let _ = write!(
            out,
            "The other side's half, or Enter for none; Ctrl-D waits for it, and `casebook play {}` goes on\n> ",
            path.display()
        );
        let _ = out.flush();
        let mut line = String::new();
        let stdin = std::io::stdin();
        let read = stdin.lock().read_line(&mut line).unwrap_or(0);
        if read == 0 {
            return Err(Error::Usage(format!(
                "still waiting for the other side's seed; `casebook play {}` goes on",
                path.display()
            )));
        }
        if !stdin.is_terminal() {
            let _ = writeln!(out, "{}", line.trim_end());
        }
        self.half = Some(line.trim().to_string());
        self.sign(journal.clone(), false).write(path, || true)?;
        Ok(self)
    }

    /// Returns the seed of the dice.
    pub fn seed(&self) -> u64 {
        seed_of(&self.secret, self.half.as_deref().unwrap_or_default())
    }

    /// Returns a journal with the commitment. The secret and the seed are in it at the end only.
    pub fn sign(&self, journal: Journal, is_over: bool) -> Journal {
        let secret = is_over.then(|| self.secret.clone());
        let commitment = Commitment {
            hash: hash_of(&self.secret),
            half: self.half.clone(),
            secret,
        };
        Journal {
            seed: is_over.then(|| self.seed()),
            commitment: Some(commitment),
            ..journal
        }
    }
}

impl fmt::Display for CommittedDice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dice committed to {}", hash_of(&self.secret))
    }
}
