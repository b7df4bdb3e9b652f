//! What can be wrong with a file of VASSAL. Complaints are rendered from it.

use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place};

/// A fault of a file, or of a part of it: `game.vsav: savedGame`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VassalFault {
    /// The file, with its part.
    pub place: String,
    /// What is wrong.
    pub kind: VassalFaultKind,
}

/// What is wrong with a file of VASSAL, with the facts of its message.
#[allow(missing_docs, reason = "each message shows what its fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VassalFaultKind {
    #[error("this is not a file of VASSAL, or not the whole of one ({error})")]
    NoArchive { error: String },
    #[error("{count} files in one archive; at most {most} are read")]
    TooManyFiles { count: usize, most: usize },
    #[error("the name `{name}` in the archive leads out of it")]
    LeadsOut { name: String },
    #[error("this part of the archive can't be read: {error}")]
    UnreadablePart { error: String },
    #[error("more than {megabytes} MB come out of it")]
    TooLarge { megabytes: u64 },
    #[error("more than {most} times its size comes out of it")]
    TooCompressed { most: u64 },
    #[error("there is no saved game in this file")]
    NoSavedGame,
    #[error("there is no step {step}: it has {count}")]
    NoSuchStep { step: usize, count: usize },
    #[error("the saved game ends too early, after {bytes} bytes")]
    Truncated { bytes: usize },
    #[error("byte {byte} of the saved game is not a hex digit")]
    NoHexDigit { byte: usize },
    #[error("the saved game can't be unpacked: {error}")]
    Unpacking { error: String },
    #[error("it is nested more than {most} deep")]
    TooDeep { most: usize },
    #[error("the piece {id} ends too early")]
    TruncatedPiece { id: String },
    #[error("where piece {id} moves to can't be read")]
    NoDestination { id: String },
    #[error("the place of piece {id} can't be read")]
    NoPosition { id: String },
    #[error("the board {name} is at {column}, {row}")]
    BoardFarOff { name: String, column: i32, row: i32 },
    #[error("a piece has more than {most} traits")]
    TooManyTraits { most: usize },
    #[error("a piece has more than {most} traits with its prototypes")]
    TooManyPrototypeTraits { most: usize },
    #[error("a piece has {traits} traits and the states of {states}")]
    MissingStates { traits: usize, states: usize },
    #[error("the prototype `{name}` leads back to itself")]
    PrototypeInItself { name: String },
    #[error("more than {most} pieces")]
    TooManyPieces { most: usize },
    #[error("more than {most} pieces in one stack")]
    TooManyInStack { most: usize },
    #[error("the stack {id} contains itself")]
    StackInItself { id: String },
    #[error("more moves in crowded places than any game has")]
    TooManyMoves,
    #[error("this module does not say what is in it")]
    NoBuildFile,
    #[error("line {line}: {error}")]
    Xml { line: usize, error: String },
    #[error("line {line}: it declares a document type; those of VASSAL have none")]
    DocumentType { line: usize },
    #[error("line {line}: `&{name};` means nothing")]
    UnknownEntity { line: usize, name: String },
    #[error("line {line}: it ends too early")]
    TruncatedXml { line: usize },
    #[error("more than {elements} elements, or {depth} of them in each other")]
    TooManyElements { elements: usize, depth: usize },
    #[error("there is no {kind} beside this saved game, or there are several")]
    NotBeside {
        kind: &'static str,
        flag: &'static str,
    },
}

impl VassalFaultKind {
    /// Makes it a fault of a file, or of a part of it.
    pub fn at(self, place: &str) -> VassalFault {
        VassalFault {
            place: place.into(),
            kind: self,
        }
    }

    /// Returns the remedy.
    pub fn help(&self) -> String {
        use VassalFaultKind::*;
        match self {
            TooManyFiles { .. }
            | TooLarge { .. }
            | TooCompressed { .. }
            | TooDeep { .. }
            | TooManyTraits { .. }
            | TooManyPieces { .. }
            | TooManyInStack { .. }
            | TooManyMoves
            | TooManyElements { .. } => {
                "no game needs that much: get the file from a source you trust".into()
            }
            LeadsOut { .. } => {
                "whoever packed it wants to write outside of its folder: don't open it elsewhere"
                    .into()
            }
            NoSavedGame => "give a `.vsav` or `.vlog` file".into(),
            NoSuchStep { .. } => {
                "a log has a step for each thing that was done in it; a saved game has none".into()
            }
            PrototypeInItself { .. } => "the module is faulty: its author can mend it".into(),
            NoBuildFile => "give the `.vmod` file of the game".into(),
            NotBeside { flag, .. } => format!("name it with {flag}"),
            _ => "save the game again in VASSAL, or ask for the file once more".into(),
        }
    }
}

impl From<VassalFault> for Complaints {
    fn from(fault: VassalFault) -> Complaints {
        let place = Place::whole_file(&fault.place);
        Complaint::new(DiagnosticCode::Vassal, place, fault.kind.to_string())
            .with_help(fault.kind.help())
            .into()
    }
}

impl From<VassalFault> for Error {
    fn from(fault: VassalFault) -> Error {
        Error::Data(fault.into())
    }
}
