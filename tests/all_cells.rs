//! Every cell that a situation of the games comes to is changed: the test bench of "What if …?" finds a situation whose odds move.

use crate::common::server::Served;
use crate::common::{Folder, repository};
use casebook::Library;
use casebook::RulesetSpec;
use casebook::code::program::Program;
use casebook::house::change::{CellsChange, RuleChange};
use casebook::house::effect::{EffectQuery, KnownSituations, TriedPrograms};
use casebook::house::trial::RulesTrial;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::testing::mutation_steps::cell_steps;
use casebook::usecase::settings::{CountLimits, SituationSettings};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The compiled rules of a game, each made once.
struct Programs<'a> {
    library: &'a Arc<Library>,
    made: Mutex<BTreeMap<String, Arc<Program>>>,
}

impl Programs<'_> {
    fn get(&self, spec: &RulesetSpec) -> Result<Arc<Program>, casebook::Error> {
        let key = format!("{spec:?}");
        if let Some(program) = self.made.lock().expect("nobody panicked").get(&key) {
            return Ok(program.clone());
        }
        let (ruleset, _) = build_ruleset(self.library, spec)?;
        let program = Arc::new(Program::new(Arc::new(ruleset)));
        self.made
            .lock()
            .expect("nobody panicked")
            .insert(key, program.clone());
        Ok(program)
    }
}

/// The cells that situations of a game come to and that move nothing, whatever else stands there, and how many were tried.
struct CellsTried {
    still: Vec<String>,
    tried: usize,
}

/// Changes each `step`-th of the cells that situations of a game come to. Situations that can't be counted within `time` are left out.
fn try_cells(game: &str, step: usize, time: Duration) -> CellsTried {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    let programs = Programs {
        library: &library,
        made: Mutex::default(),
    };
    let program = |spec: &RulesetSpec| programs.get(spec);
    let (known, stop) = (KnownSituations::default(), AtomicBool::default());
    let settings = SituationSettings::default();
    let trial_of = |changes: Vec<RuleChange>| RulesTrial {
        game: game.into(),
        variant: "mine".into(),
        without: Vec::new(),
        changes,
    };
    let names: Vec<String> = library
        .scenarios(game)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let nothing = trial_of(Vec::new());
    let query = EffectQuery {
        library: &library,
        trial: &nothing,
        program: &program,
        known: &known,
        settings: &settings,
        versus: None,
        causes: false,
        tried: TriedPrograms::default(),
    };
    let mut reached: BTreeMap<(String, usize), Vec<String>> = BTreeMap::new();
    for name in &names {
        // What can't be put in force, or is no situation, comes to nothing.
        let counted = query.cells_of(name, CountLimits::new(time, &stop));
        for cell in counted.ok().flatten().iter().flat_map(|cells| cells.iter()) {
            reached.entry(cell.clone()).or_default().push(name.clone());
        }
    }
    let mut found = CellsTried {
        still: Vec::new(),
        tried: 0,
    };
    let is_weighed = |id: &str| READ_FOR_MORE.iter().all(|(table, _)| *table != id);
    for ((id, index), at) in reached
        .iter()
        .step_by(step)
        .filter(|((id, _), _)| is_weighed(id))
    {
        found.tried += 1;
        let below = nothing
            .below(&library, &query.spec_of(&at[0]), &program)
            .expect("the rules of a situation that was counted");
        let table = below
            .table(id)
            .ok()
            .flatten()
            .expect("a table of these rules");
        let now = &table.cells[*index].text;
        let steps = cell_steps(&table, *index).into_iter().map(|step| step.now);
        let others: BTreeSet<&String> = table.cells.iter().map(|cell| &cell.text).collect();
        let values = steps.chain(others.into_iter().rev().cloned());
        let is_moved = |value: String| {
            let trial = trial_of(vec![RuleChange::Cells(CellsChange::of_cell(
                &table, *index, &value,
            ))]);
            let limits = CountLimits::new(Duration::from_secs(5), &stop);
            let query = EffectQuery {
                library: &library,
                trial: &trial,
                program: &program,
                known: &known,
                settings: &settings,
                versus: None,
                causes: false,
                tried: TriedPrograms::default(),
            };
            !query.most_moved(&names, 3, limits).is_empty()
        };
        if !values
            .filter(|value| value != now)
            .take(MAX_VALUES)
            .any(is_moved)
        {
            let place = format!("{id}, {}", table.label(*index));
            found.still.push(format!("{place}, in {}", at.join(", ")));
        }
    }
    found
}

/// Charts that are read for more than weighs in the situations that come with the games.
const READ_FOR_MORE: [(&str, &str); 3] = [
    (
        "21.92",
        "costs are read for every order that could be given, and one is",
    ),
    (
        "initiative-chits",
        "all chits of a pool are listed before one is drawn",
    ),
    (
        "political-awards",
        "the points of every place are read, and those of places that changed hands count",
    ),
];

/// The number of other values that are tried in a cell.
const MAX_VALUES: usize = 4;

/// Some cells of each game; which, is the same each time.
#[test]
fn a_changed_cell_shows_a_situation_whose_odds_move() {
    for (game, step) in [("wbts", 40), ("banasik", 12), ("tmag", 6)] {
        let CellsTried { still, tried } = try_cells(game, step, Duration::from_millis(200));
        assert!(tried > 3, "{game}: {tried} cells");
        assert!(still.is_empty(), "{game}: {still:#?}");
    }
}

#[test]
#[ignore = "takes minutes: every cell of every chart, each changed by itself"]
fn every_cell_shows_a_situation_whose_odds_move() {
    let mut all_still = Vec::new();
    for game in ["banasik", "tmag", "wbts"] {
        let CellsTried { still, tried } = try_cells(game, 1, Duration::from_secs(2));
        println!("{game}: {tried} cells, of which {still:#?} move nothing");
        all_still.extend(still);
    }
    assert!(all_still.is_empty(), "{all_still:#?}");
}

/// Where no situation comes to a changed cell, the page says so, and offers no search that would find nothing.
#[test]
fn a_cell_that_no_situation_comes_to_says_so() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let bench = |cell: &str| {
        served.page_text(&format!(
            "/what-if/skirmish?cell=combat+{cell}+%3D+0/9&part=bench"
        ))
    };
    let unreached = "No situation that comes with the game comes to what is changed";
    served.wait_until(|_| bench("2:1+6").contains(unreached));
    let page = bench("1:1+6");
    assert!(
        page.contains("At the bridge") && !page.contains(unreached),
        "{page}"
    );
}
