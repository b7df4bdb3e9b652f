//! Something that must hold, ready to be tried: an example, a question of a file of data, a test of a ruling.

use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, Error, Place, Span};
use crate::data::cache::lock_unpoisoned;
use crate::data::case::Case;
use crate::data::files::DataFile;
use crate::data::library::Library;
use crate::data::yaml::YamlNode;
use crate::ruleset::compose::RulesetSpec;
use crate::ruleset::diagnostics;
use crate::testing::setting::{EXAMPLE_PLACE, SETTING_REMEDY};
use crate::testing::snapshot_diff::SnapshotDiff;
use crate::testing::test::RulingTestFile;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

/// What became of one example, or of one test of a ruling.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CheckOutcome {
    /// Its id and how the statement is known: "HAR-093 stated"; or the function's name.
    pub id: String,
    /// The function, or the question.
    pub name: String,
    /// The file.
    pub path: String,
    /// What was in force.
    pub ruleset: String,
    /// Why it fails; none if it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<Complaint>,
    /// How a ruling differs from its snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<SnapshotDiff>,
    /// Whether its snapshot was written anew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}

/// One question of a YAML file: an expression, and its value.
#[derive(Clone, Debug)]
pub struct YamlQuestion {
    /// The file it stands in.
    pub file: DataFile,
    /// The expression.
    pub expression: String,
    /// What it must come to.
    pub expected: YamlNode,
    /// Where the question stands.
    pub span: Span,
    /// The whole entry.
    pub entry: YamlNode,
}

/// What is tried.
#[derive(Clone, Debug)]
pub enum CheckKind {
    /// A function beside a case, by its number there.
    Example(Arc<Case>, usize),
    /// A question of a table or scenario.
    Question(Box<YamlQuestion>),
    /// A test of a ruling, by its number in the file.
    RulingTest(Arc<RulingTestFile>, usize),
    /// Nothing: what should be tried can't be read.
    Unreadable,
}

/// Something that must hold.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name and file; a complaint stands here already where it can't be tried at all.
    pub initial_outcome: CheckOutcome,
    /// What it asks to be in force.
    pub spec: RulesetSpec,
    /// What is tried.
    pub kind: CheckKind,
}

impl Check {
    /// Something to be tried, by its name.
    pub fn new(id: &str, name: &str, path: &str, work: CheckKind) -> Check {
        let blank = CheckOutcome { id: id.into(), name: name.into(), path: path.into(), ..CheckOutcome::default() };
        Check { initial_outcome: blank, spec: RulesetSpec::default(), kind: work }
    }

    /// The path of the case that an example belongs to; of any other, that of its own file.
    pub fn case_path(&self) -> &str {
        match &self.kind {
            CheckKind::Example(case, _) => &case.file.path,
            _ => &self.initial_outcome.path,
        }
    }

    /// A file that can't be read as it should.
    pub fn unreadable(what: &str, file: &DataFile, complaint: Complaint) -> Check {
        let mut check = Check::new(what, file.stem(), &file.path, CheckKind::Unreadable);
        check.initial_outcome.complaint = Some(complaint);
        check
    }
}

/// The code of rulesets that examples run under, each made once for all threads that use it at a time.
pub struct ProgramPool {
    library: Arc<Library>,
    programs: Mutex<BTreeMap<String, Result<Weak<Program>, Complaints>>>,
}

impl ProgramPool {
    /// None made yet.
    pub fn new(library: &Arc<Library>) -> ProgramPool {
        ProgramPool { library: library.clone(), programs: Mutex::default() }
    }

    fn get(&self, key: &str, wish: &RulesetSpec) -> Result<Arc<Program>, Complaints> {
        let known = || match lock_unpoisoned(&self.programs).get(key)? {
            Ok(program) => program.upgrade().map(Ok),
            Err(complaints) => Some(Err(complaints.clone())),
        };
        if let Some(known) = known() {
            return known;
        }
        // Two threads may make the same; both make it alike, and go on with one.
        let made = compile_program(&self.library, wish);
        known().unwrap_or_else(|| {
            lock_unpoisoned(&self.programs).insert(key.into(), made.as_ref().map(Arc::downgrade).map_err(Complaints::clone));
            made
        })
    }
}

/// Rulesets that examples run under, ready to be asked by one thread.
pub struct ExampleRulesets<'a> {
    programs: &'a ProgramPool,
    machines: BTreeMap<String, Result<Machine, Complaints>>,
}

impl ExampleRulesets<'_> {
    /// None asked for yet.
    pub fn new(programs: &ProgramPool) -> ExampleRulesets<'_> {
        ExampleRulesets { programs, machines: BTreeMap::new() }
    }

    /// The ruleset of a wish, ready to be asked.
    pub fn get(&mut self, wish: &RulesetSpec) -> &mut Result<Machine, Complaints> {
        let key = format!("{wish:?}");
        let programs = self.programs;
        self.machines.entry(key).or_insert_with_key(|key| programs.get(key, wish).map(Machine::new))
    }
}

/// The code of what a wish asks for.
pub fn compile_program(library: &Arc<Library>, wish: &RulesetSpec) -> Result<Arc<Program>, Complaints> {
    match diagnostics::build_ruleset(library, wish) {
        Ok((ruleset, _)) => Ok(Arc::new(Program::new(Arc::new(ruleset)))),
        Err(Error::Data(complaints)) => Err(complaints),
        Err(other) => Err(Complaint::new("example", Place::whole_file(EXAMPLE_PLACE), other.to_string()).with_help(SETTING_REMEDY).into()),
    }
}
