//! What a test expects and its ruling has otherwise: shown side by side, and written into the test if its author takes it.

use crate::testing::snapshot::{self, block};
use crate::testing::test::{RulingTest, RulingTestFile};
use casebook_engine::complaint::{Complaint, DiagnosticCode, Place};
use casebook_engine::data::yaml_edit;
use casebook_engine::data::yaml_edit::YamlStep::{Index, Key};
use casebook_engine::data::yaml_writer::{write_list, write_quoted};
use schemars::JsonSchema;
use serde::Serialize;

/// A part of a test that its ruling has otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedExpectation {
    /// The key of the test: `then`, `board`, `lines` or `snapshot`.
    pub key: String,
    /// The outcome, or the figure of the board; of a line its number in the list, from 0.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What the test expects.
    pub was: String,
    /// What the ruling has.
    pub now: String,
    /// The line of the ruling that says it; empty if none does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// What that line cites.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
}

/// A complaint about a test and, if the ruling merely has a value otherwise, what would be written for it.
pub struct FailedAssertion {
    pub complaint: Complaint,
    pub changed: Option<ChangedExpectation>,
}

impl From<Complaint> for FailedAssertion {
    fn from(complaint: Complaint) -> FailedAssertion {
        FailedAssertion {
            complaint,
            changed: None,
        }
    }
}

/// What is written into a test.
pub struct AcceptedRuling {
    /// The index of the test in its file.
    pub index: usize,
    pub changed: Vec<ChangedExpectation>,
    /// The variants in force, if the test is from now on about others than it names.
    pub variants: Option<Vec<String>>,
}

/// Returns the text of a test file with what is accepted. Fails if the file can't be changed safely.
pub fn with_accepted(
    test_file: &RulingTestFile,
    accepted: &[AcceptedRuling],
) -> Result<String, Box<Complaint>> {
    let file = &test_file.file;
    let refuse = |ruling_test: Option<&RulingTest>, message: String, help: &str| {
        let place = ruling_test.map_or(Place::whole_file(&file.path), |c| file.place(c.span));
        Box::new(
            Complaint::new(DiagnosticCode::Snapshot, place, message)
                .with_help(format!("{help}; nothing was written")),
        )
    };
    let test_at = |index: usize| test_file.tests.get(index);
    let first_test = accepted.first().and_then(|one| test_at(one.index));
    if test_file.complaints.has_errors() {
        return Err(refuse(
            first_test,
            "a file with faults is not changed".into(),
            "correct them first",
        ));
    }
    let mut written = file.text.to_string();
    for AcceptedRuling {
        index,
        changed,
        variants,
    } in accepted
    {
        let mut set = |path: &[yaml_edit::YamlStep], value: &str| {
            let at = [&[Key("tests"), Index(*index)], path].concat();
            written = yaml_edit::set(&written, &at, value)
                .map_err(|message| refuse(test_at(*index), message, "set the test out plainly"))?;
            Ok::<_, Box<Complaint>>(())
        };
        for one in changed {
            let is_number = one
                .now
                .parse::<i64>()
                .is_ok_and(|n| n.to_string() == one.now);
            let value = match is_number {
                true => one.now.clone(),
                false => write_quoted(&one.now),
            };
            match &*one.key {
                "snapshot" => set(&[Key("snapshot")], &block(&one.now))?,
                "lines" => {
                    let number = one.name.parse().unwrap_or_default();
                    set(&[Key("lines"), Index(number)], &value)?;
                }
                key => set(&[Key(key), Key(&one.name)], &value)?,
            }
        }
        if let Some(variants) = variants {
            set(&[Key("with")], &write_list(variants))?;
        }
    }
    if file.text.is_embedded() {
        let help = "a test that is built into the program is kept in a data folder of your own: copy it there";
        let message = "the file with this test is not on the disk as it was read";
        return Err(refuse(first_test, message.into(), help));
    }
    Ok(written)
}

impl ChangedExpectation {
    /// Returns what the test expects and what the ruling has, each line with `-` or `+`.
    pub fn lines(&self) -> Vec<String> {
        if self.key == "snapshot" {
            return snapshot::diff_lines(&self.was, &self.now);
        }
        let name = match &*self.key {
            "lines" => String::new(),
            _ => format!("{}: ", self.name),
        };
        vec![
            format!("-{name}{}", self.was),
            format!("+{name}{}", self.now),
        ]
    }
}
