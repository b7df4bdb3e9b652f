//! Every cell that a situation of the games comes to is changed: the test bench of "What if …?" finds a situation whose odds move.

use crate::common::server::Served;
use crate::common::{Folder, Says, repository};
use casebook::Library;
use casebook::RulesetSpec;
use casebook::code::program::Program;
use casebook::house::change::{CellsChange, RuleChange};
use casebook::house::effect::{EffectQuery, KnownSituations, TriedPrograms};
use casebook::house::trial::RulesTrial;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::situation::overrides::Overrides;
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

/// What came of the cells that were changed.
#[derive(Default)]
struct CellsTried {
    /// How many cells of the charts no situation comes to.
    unreached: usize,
    /// How many there were.
    tried: usize,
    /// How many of them moved a situation that was proposed. The others are read, but weigh on nothing: a list of costs, a row not taken.
    moved: usize,
    /// Those for which nothing was proposed, although a situation moves.
    missed: Vec<String>,
}

/// Changes each `step`-th of the cells that situations of a game come to: the named ones, or all that can be counted in two seconds.
fn try_cells(game: &str, situations: &[&str], step: usize) -> CellsTried {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    let programs = Programs {
        library: &library,
        made: Mutex::default(),
    };
    let program = |spec: &RulesetSpec| programs.get(spec);
    let (known, stop) = (KnownSituations::default(), AtomicBool::default());
    let settings = SituationSettings::default();
    let limits = |time| CountLimits::new(time, &stop);
    let trial_of = |changes: Vec<RuleChange>| RulesTrial {
        game: game.into(),
        variant: "mine".into(),
        changes,
        ..RulesTrial::default()
    };
    let all = library.scenarios(game).into_iter().map(|(name, _)| name);
    let is_asked = |name: &String| situations.is_empty() || situations.contains(&name.as_str());
    let names: Vec<String> = all.filter(is_asked).collect();
    let time = Duration::from_secs(if situations.is_empty() { 2 } else { 60 });
    let nothing = trial_of(Vec::new());
    let query = EffectQuery {
        library: &library,
        trial: &nothing,
        program: &program,
        situations: &known,
        settings: &settings,
        versus: None,
        causes: false,
        tried: TriedPrograms::default(),
    };
    let mut reached: BTreeMap<(String, usize), Vec<String>> = BTreeMap::new();
    for name in &names {
        // What can't be put in force, or is no situation, comes to nothing.
        let counted = query.cells_of(name, limits(time));
        assert!(
            situations.is_empty() || matches!(counted, Ok(Some(_))),
            "{name} is counted"
        );
        for cell in counted.ok().flatten().iter().flat_map(|cells| cells.iter()) {
            reached.entry(cell.clone()).or_default().push(name.clone());
        }
    }
    let mut found = CellsTried::default();
    // With `CASEBOOK_CHARTS=8.16,losses` only those charts.
    let charts = std::env::var("CASEBOOK_CHARTS").unwrap_or_default();
    let is_chart = |id: &str| charts.is_empty() || charts.split(',').any(|chart| chart == id);
    reached.retain(|(id, _), _| is_chart(id));
    let whole = nothing.below(
        &library,
        &RulesetSpec::with_variants(game, library.compatible_variants(game)),
        &program,
    );
    let whole = whole.expect("the rules of the game");
    for id in whole.table_names().filter(|id| is_chart(id)) {
        let table = whole.table(id).ok().flatten().expect("a table");
        let is_reached = |index: &usize| reached.contains_key(&(id.to_string(), *index));
        found.unreached += (0..table.cells.len())
            .filter(|index| !is_reached(index))
            .count();
    }
    for ((id, index), at) in reached.iter().step_by(step) {
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
        let steps = greater_parts(now);
        let others: BTreeSet<&String> = table.cells.iter().map(|cell| &cell.text).collect();
        let values = steps.into_iter().chain(others.into_iter().rev().cloned());
        let (mut is_found, mut is_there) = (false, false);
        for value in values.filter(|value| value != now).take(MAX_VALUES) {
            let cell = CellsChange::of_cell(&table, *index, &value);
            let trial = trial_of(vec![RuleChange::Cells(cell)]);
            let query = EffectQuery {
                library: &library,
                trial: &trial,
                program: &program,
                situations: &known,
                settings: &settings,
                versus: None,
                causes: false,
                tried: TriedPrograms::default(),
            };
            is_found |= !query
                .most_moved(&names, 3, limits(Duration::from_secs(60)))
                .is_empty();
            // Nothing is proposed: is there truly nothing, asked one by one?
            let moves = |name: &String| {
                let time = limits(Duration::from_secs(2));
                let effect =
                    query.effect_on(name, &query.spec_of(name), &Overrides::default(), time);
                effect.is_ok_and(|effect| effect.size() > 0.0)
            };
            is_there = is_found || at.iter().take(MAX_ASKED).any(moves);
            if is_there {
                break;
            }
        }
        found.moved += usize::from(is_found);
        if is_there && !is_found {
            found.missed.push(format!("{id}, {}", table.label(*index)));
        }
    }
    found
}

/// The number of other values that are tried in a cell, and of situations that are asked one by one where none is proposed.
const MAX_VALUES: usize = 3;
const MAX_ASKED: usize = 3;

fn assert_found(game: &str, found: &CellsTried) {
    let CellsTried {
        tried,
        moved,
        missed,
        unreached,
    } = found;
    println!(
        "{game}: {tried} cells, of which {moved} move a situation; no situation comes to {unreached} others"
    );
    assert!(missed.is_empty(), "{game}: not proposed: {missed:#?}");
    assert!(*moved > 0 && *tried > 3, "{game}: {moved} of {tried}");
}

/// Situations that are counted in a moment, and which of the cells that they come to are changed.
const SAMPLE: [(&str, &[&str], usize); 3] = [
    (
        "wbts",
        &[
            "lee-attacks-porter",
            "leader-wounded",
            "fleet-against-fort",
            "ironclads-on-the-stocks",
            "a-forced-march-home",
            "blockade",
            "militia-demobilisation",
        ],
        6,
    ),
    (
        "banasik",
        &[
            "cavalry-charge",
            "rally",
            "sniper-shot",
            "volley",
            "woods-crossing",
        ],
        5,
    ),
    (
        "tmag",
        &[
            "volley-into-64",
            "candy-digs-in",
            "bombardment-of-20",
            "macdougall-assaults",
        ],
        1,
    ),
];

#[test]
fn a_changed_cell_shows_a_situation_whose_odds_move() {
    for (game, situations, step) in SAMPLE {
        assert_found(game, &try_cells(game, situations, step));
    }
}

#[test]
#[ignore = "takes minutes: every cell of every chart, each changed by itself"]
fn every_cell_shows_a_situation_whose_odds_move() {
    let games = std::env::var("CASEBOOK_GAMES").unwrap_or("banasik,tmag,wbts".into());
    for game in games.split(',') {
        assert_found(game, &try_cells(game, &[], 1));
    }
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
    let unreached = "No built-in situation uses this rule";
    served.wait_until(|_| bench("2:1+6").contains(unreached));
    let page = bench("1:1+6");
    page.holds("data-at=\"bridge\"");
    page.lacks(unreached);
}

/// The figure with each of its numbers one greater in turn.
fn greater_parts(figure: &str) -> Vec<String> {
    let parts: Vec<&str> = figure.split('/').collect();
    let greater = |at: usize| {
        let digits = parts[at].trim_end_matches(|c: char| !c.is_ascii_digit());
        let number: i64 = digits.parse().ok()?;
        let part = format!("{}{}", number + 1, &parts[at][digits.len()..]);
        let with = [&parts[..at], &[&*part], &parts[at + 1..]].concat();
        Some(with.join("/"))
    };
    (0..parts.len()).filter_map(greater).collect()
}
