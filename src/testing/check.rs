//! Something that must hold, ready to be tried: an example, a question of a file of data, a test of a ruling.

use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, Error, Place, Span};
use crate::data::case::Case;
use crate::data::files::File;
use crate::data::library::Library;
use crate::data::once::held;
use crate::data::yaml::Node;
use crate::ruleset::compose::Wish;
use crate::ruleset::laws;
use crate::testing::difference::Difference;
use crate::testing::setting::{EXAMPLE, SETTING};
use crate::testing::test::Claims;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

/// What became of one example, or of one test of a ruling.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Proof {
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
    pub difference: Option<Difference>,
    /// Whether its snapshot was written anew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}

/// One question of a YAML file: an expression, and its value.
#[derive(Clone, Debug)]
pub struct Question {
    /// The file it stands in.
    pub file: File,
    /// The expression.
    pub ask: String,
    /// What it must come to.
    pub then: Node,
    /// Where the question stands.
    pub at: Span,
    /// The whole entry.
    pub item: Node,
}

/// What is tried.
#[derive(Clone, Debug)]
pub enum Work {
    /// A function beside a case, by its number there.
    Example(Arc<Case>, usize),
    /// A question of a table or scenario.
    Question(Box<Question>),
    /// A test of a ruling, by its number in the file.
    Claim(Arc<Claims>, usize),
    /// Nothing: what should be tried can't be read.
    Nothing,
}

/// Something that must hold.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name and file; a complaint stands here already where it can't be tried at all.
    pub blank: Proof,
    /// What it asks to be in force.
    pub wish: Wish,
    /// What is tried.
    pub work: Work,
}

impl Check {
    /// Something to be tried, by its name.
    pub fn named(id: &str, name: &str, path: &str, work: Work) -> Check {
        let blank = Proof { id: id.into(), name: name.into(), path: path.into(), ..Proof::default() };
        Check { blank, wish: Wish::default(), work }
    }

    /// The path of the case that an example belongs to; of any other, that of its own file.
    pub fn case_path(&self) -> &str {
        match &self.work {
            Work::Example(case, _) => &case.file.path,
            _ => &self.blank.path,
        }
    }

    /// A file that can't be read as it should.
    pub fn faulty(what: &str, file: &File, complaint: Complaint) -> Check {
        let mut check = Check::named(what, file.stem(), &file.path, Work::Nothing);
        check.blank.complaint = Some(complaint);
        check
    }
}

/// The code of rulesets that examples run under, each made once for all threads that use it at a time.
pub struct Programs {
    library: Arc<Library>,
    made: Mutex<BTreeMap<String, Result<Weak<Program>, Complaints>>>,
}

impl Programs {
    /// None made yet.
    pub fn new(library: &Arc<Library>) -> Programs {
        Programs { library: library.clone(), made: Mutex::default() }
    }

    fn get(&self, key: &str, wish: &Wish) -> Result<Arc<Program>, Complaints> {
        let known = || match held(&self.made).get(key)? {
            Ok(program) => program.upgrade().map(Ok),
            Err(complaints) => Some(Err(complaints.clone())),
        };
        if let Some(known) = known() {
            return known;
        }
        // Two threads may make the same; both make it alike, and go on with one.
        let made = program(&self.library, wish);
        known().unwrap_or_else(|| {
            held(&self.made).insert(key.into(), made.as_ref().map(Arc::downgrade).map_err(Complaints::clone));
            made
        })
    }
}

/// Rulesets that examples run under, ready to be asked by one thread.
pub struct Rulesets<'a> {
    programs: &'a Programs,
    machines: BTreeMap<String, Result<Machine, Complaints>>,
}

impl Rulesets<'_> {
    /// None asked for yet.
    pub fn new(programs: &Programs) -> Rulesets<'_> {
        Rulesets { programs, machines: BTreeMap::new() }
    }

    /// The ruleset of a wish, ready to be asked.
    pub fn get(&mut self, wish: &Wish) -> &mut Result<Machine, Complaints> {
        let key = format!("{wish:?}");
        let programs = self.programs;
        self.machines.entry(key).or_insert_with_key(|key| programs.get(key, wish).map(Machine::new))
    }
}

/// The code of what a wish asks for.
pub fn program(library: &Arc<Library>, wish: &Wish) -> Result<Arc<Program>, Complaints> {
    match laws::enact(library, wish) {
        Ok((ruleset, _)) => Ok(Arc::new(Program::new(Arc::new(ruleset)))),
        Err(Error::Data(complaints)) => Err(complaints),
        Err(other) => Err(Complaint::new("example", Place::file(EXAMPLE), other.to_string()).help(SETTING).into()),
    }
}
