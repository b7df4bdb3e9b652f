//! What helps where something can't be answered, or where an answer says less than it could.
//!
//! A remedy is data: each surface words it in its own terms, and programs read its code.

use serde::Serialize;

/// What a user can do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "remedy")
)]
pub enum Remedy {
    /// Give it more time.
    MoreTime,
    /// Give it more memory.
    MoreMemory {
        /// The bytes that would do next.
        bytes: u64,
    },
    /// Answer a choice beforehand.
    AnswerChoice,
    /// Choose another policy.
    ChoosePolicy {
        /// The side and its policy, as `SIDE=POLICY`.
        example: String,
    },
    /// Name what is measured.
    NameMeasure {
        /// A measure.
        example: String,
    },
    /// Name how a side plays.
    NameStyle {
        /// The side.
        side: String,
    },
    /// Name the outcome that says who won.
    NameWinner,
    /// Put a variant in force.
    AddVariant {
        /// Its name.
        variant: String,
    },
    /// Choose another reading of a doubtful text.
    ChooseReading,
    /// Let nothing rest on reconstructed figures.
    RefuseReconstructed,
    /// List everything that the answer rests on.
    ListSources,
    /// List each value by itself.
    ListValues,
    /// Look at everything that was asked, read and thrown.
    ShowTrace,
    /// Replay a journal by the names of its dice and choices.
    ReplayByName,
    /// Commit the dice before the first throw.
    CommitDice,
    /// Type one's own charts into a variant.
    NewTables,
    /// Open a file again that was changed elsewhere.
    ReopenFile,
    /// Say that a name like another one is meant to be new.
    ConfirmName,
    /// Take the ruling as it is now for the right one.
    AcceptRuling,
}
