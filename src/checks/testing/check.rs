//! A check that is ready to run: an example, a question of a data file, or a test of a ruling.

use crate::testing::expectation::ChangedExpectation;
use crate::testing::snapshot::SnapshotDiff;
use crate::testing::test::RulingTestFile;
use casebook_engine::complaint::Complaint;
use casebook_engine::data::case::Case;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::yaml::YamlNode;
use casebook_engine::ruleset::compose::RulesetSpec;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// The result of a check.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CheckOutcome {
    /// The id of the statement and how it is known, such as "HAR-093 stated"; without an id, the name of the function.
    pub id: String,
    /// The name of the function, or the question.
    pub name: String,
    /// The path of the file.
    pub path: String,
    /// The title of the ruleset.
    pub ruleset: String,
    /// Why the check fails; `None` if it passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<Complaint>,
    /// The difference between the ruling and its snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<SnapshotDiff>,
    /// What the test expects and the ruling has otherwise; empty unless that alone is why it fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedExpectation>,
    /// The change of kept house rules that breaks a pinned ruling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_by: Option<BreakingChange>,
    /// Whether the ruling was taken into the test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Whether the time was up before it had run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub untried: bool,
}

/// A change in the list of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BreakingChange {
    pub variant: String,
    /// Its number in the list, from 1; 0 if it is in another file of the variant.
    pub change: usize,
}

impl std::fmt::Display for BreakingChange {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.change {
            0 => write!(f, "broken by `{}`", self.variant),
            change => write!(f, "broken by `{}`: change {change}", self.variant),
        }
    }
}

/// The results of a run of checks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "test")]
pub struct TestReport {
    /// How many pass.
    pub passed: usize,
    /// How many fail.
    pub failed: usize,
    /// How many had not run when the time was up.
    pub untried: usize,
    /// All of them.
    pub examples: Vec<CheckOutcome>,
}

impl TestReport {
    /// Counts the results.
    pub fn new(examples: Vec<CheckOutcome>) -> TestReport {
        let failed = examples
            .iter()
            .filter(|outcome| outcome.complaint.is_some())
            .count();
        let untried = examples.iter().filter(|outcome| outcome.untried).count();
        TestReport {
            passed: examples.len() - failed - untried,
            failed,
            untried,
            examples,
        }
    }
}

/// A question of a YAML file: an expression and its expected value.
#[derive(Clone, Debug)]
pub struct YamlQuestion {
    /// The file of the question.
    pub file: DataFile,
    pub expression: String,
    /// The whole entry: the question under `ask:`, the expected value under `then:`.
    pub entry: YamlNode,
}

#[derive(Clone, Debug)]
pub enum CheckKind {
    /// An example function beside a case, by its index among the case's functions.
    Example(Arc<Case>, usize),
    /// A question of a table or scenario.
    Question(Box<YamlQuestion>),
    /// A test of a ruling, by its index in the file.
    RulingTest(Arc<RulingTestFile>, usize),
    /// A file that can't be read; its check always fails.
    Unreadable,
}

/// A check that is ready to run.
#[derive(Clone, Debug)]
pub struct Check {
    /// The name and file; a check that can't run already has its complaint here.
    pub initial_outcome: CheckOutcome,
    /// The ruleset that the check runs under.
    pub spec: RulesetSpec,
    pub kind: CheckKind,
    /// The house rules that are in force besides, of a pinned ruling that is held against them.
    pub added_variant: Option<String>,
}

impl Check {
    /// Creates a check under the default ruleset.
    pub fn new(id: &str, name: &str, path: &str, work: CheckKind) -> Check {
        let blank = CheckOutcome {
            id: id.into(),
            name: name.into(),
            path: path.into(),
            ..CheckOutcome::default()
        };
        Check {
            initial_outcome: blank,
            spec: RulesetSpec::default(),
            kind: work,
            added_variant: None,
        }
    }

    /// Returns the check with house rules in force besides.
    pub fn under(&self, variant: &str) -> Check {
        let mut check = self.clone();
        check.spec.variants.push(variant.into());
        check.added_variant = Some(variant.into());
        check
    }

    /// Creates a failed check for a file that can't be read.
    pub fn unreadable(id: &str, file: &DataFile, complaint: Complaint) -> Check {
        let mut check = Check::new(id, file.stem(), &file.path, CheckKind::Unreadable);
        check.initial_outcome.complaint = Some(complaint);
        check
    }
}
