//! What helps where something can't be answered, or where an answer says less than it could.
//!
//! A remedy is data: each surface words it in its own terms, and programs read its code.

use serde::Serialize;

/// What a user can do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "code", content = "of", rename_all = "kebab-case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "remedy")
)]
pub enum Remedy {
    /// Give it more time.
    MoreTime,
    /// Give it so much memory, in bytes.
    MoreMemory(u64),
    /// Answer a choice beforehand.
    AnswerChoice,
    /// Choose another policy, such as this `SIDE=POLICY`.
    ChoosePolicy(String),
    /// Name what is measured, such as this.
    NameMeasure(String),
    /// Name how this side plays.
    NameStyle(String),
    /// Name the outcome that says who won.
    NameWinner,
    /// Name a variant of one's own, such as this.
    NameVariant(String),
    /// Put this variant in force.
    AddVariant(String),
    /// Choose another reading of a doubtful text.
    ChooseReading,
    /// Let nothing rest on reconstructed figures.
    RefuseReconstructed,
    /// List each value by itself.
    ListValues,
    /// List what this game has.
    ListContents(String),
    /// List everything that the answer rests on.
    ListSources,
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
