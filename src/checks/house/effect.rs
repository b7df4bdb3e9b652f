//! What changed rules do to situations, and which situations they move most.

use crate::house::script_faults::{as_typed, check_list, check_names, is_script_fault};
use crate::house::trial::{CellSet, ChangedParts, ProgramSource, RulesTrial, TriedRules};
use crate::testing::trials::compile_program;
use casebook_analysis::compare::ruleset_difference::{
    RulesetDifference, compare_views, search_causes,
};
use casebook_analysis::compare::verdicts::{DifferenceVerdict, OutcomeDifference};
use casebook_analysis::compare::view::{Comparison, RulesetView};
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::headline::{EntryValues, FigureValue};
use casebook_analysis::usecase::compare::{comparison, headline_of_view};
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::headline::join_entries;
use casebook_engine::ruling::resolve::{ResolveRequest, ResolvedRuling, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::fill_sentence;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A situation before and after a change.
pub struct SituationEffect {
    /// The name of the situation.
    pub name: String,
    /// Whether what is kept already is in force before, too.
    pub is_over_kept: bool,
    /// Its odds before.
    pub before: Arc<RulesetView>,
    /// Its odds after.
    pub after: RulesetView,
    /// The differences of its outcomes, those of pieces last, the greatest first, and their causes if they were asked for.
    pub difference: RulesetDifference,
}

/// The odds of situations before a change, and what situations read; they hold as long as the data do.
#[derive(Default)]
pub struct KnownSituations {
    views: Mutex<Vec<(SituationUnderRules, Arc<RulesetView>)>>,
    reads: Mutex<BTreeMap<(String, String), Arc<SituationReads>>>,
    /// The cells that situations come to under some rules, of those that were counted whole.
    cells: Mutex<BTreeMap<String, Arc<CellSet>>>,
}

/// The name of a situation, and the rules that it is looked at under.
type SituationUnderRules = (String, RulesetSpec);

/// What some rulings of a situation read.
#[derive(Default)]
struct SituationReads {
    cells: CellSet,
    /// Their numbers, as they are first asked.
    cases: Vec<String>,
}

/// The number of views that are kept.
const MAX_VIEWS: usize = 64;
/// The dice of the rulings that show what a situation comes to, and the time for one.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
const RULING_TIME: Duration = Duration::from_millis(40);
/// What is said of a line in which changes bring a number below zero.
pub const BELOW_ZERO: &str = "below zero with the change alone; “at least 0” behind it stops there";
/// The times in which a situation has to be counted to be proposed: one of the first round, and one of the second.
const PROPOSAL_TIMES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(2)];
/// How many situations of each kind are counted to find those that a change moves most.
const MAX_TRIED: usize = 16;

/// A question what changes do.
pub struct EffectQuery<'a> {
    /// The data without the changes.
    pub library: &'a Arc<Library>,
    /// What is tried.
    pub trial: &'a RulesTrial,
    /// Compiled rules of the data without the changes.
    pub program: ProgramSource<'a>,
    /// What is known of situations.
    pub situations: &'a KnownSituations,
    /// Answers to what situations leave open.
    pub settings: &'a SituationSettings,
    /// The rules that the changed ones are compared with; `None` for the same ones without the changes.
    pub versus: Option<&'a RulesetSpec>,
    /// Whether the causes are searched for.
    pub causes: bool,
    /// The changed rules over each ruleset so far.
    pub tried: TriedPrograms,
}

/// Changed rules that are compiled, by the ruleset that they are laid over: many situations have the same.
#[derive(Default)]
pub struct TriedPrograms(Mutex<Vec<(RulesetSpec, TriedResult)>>);

/// Changed rules that are compiled, or why they can't be.
type TriedResult = Result<Arc<TriedProgram>, Complaints>;

struct TriedProgram {
    rules: TriedRules,
    program: Arc<Program>,
}

impl<'a> EffectQuery<'a> {
    /// Asks what a trial does, and why, beside the same rules without it.
    pub fn new(
        library: &'a Arc<Library>,
        trial: &'a RulesTrial,
        program: ProgramSource<'a>,
        situations: &'a KnownSituations,
        settings: &'a SituationSettings,
    ) -> EffectQuery<'a> {
        EffectQuery {
            library,
            trial,
            program,
            situations,
            settings,
            versus: None,
            causes: true,
            tried: TriedPrograms::default(),
        }
    }

    /// Returns what the changes do to a situation under some rules, with figures of its own.
    pub fn effect_on(
        &self,
        name: &str,
        spec: &RulesetSpec,
        overrides: &Overrides,
        limits: CountLimits,
    ) -> Result<SituationEffect, Error> {
        self.effect_shown((name, spec), overrides, limits, &|_| {})
    }

    /// Returns what the changes do, and hands it to `show` as soon as it is known, without the causes, which take longer.
    pub fn effect_shown(
        &self,
        (name, spec): (&str, &RulesetSpec),
        overrides: &Overrides,
        limits: CountLimits,
        show: &dyn Fn(&SituationEffect),
    ) -> Result<SituationEffect, Error> {
        let tried = self.tried_over(spec)?;
        let settings = self.settings;
        let game = self.library.game(&self.trial.game)?;
        let (policies, measure) = (settings.policies(game)?, settings.measure()?);
        let question = |library| {
            comparison(
                library,
                (name, overrides),
                settings,
                (policies.clone(), measure.as_ref()),
                limits,
            )
        };
        let question_before = question(self.library);
        let until = question_before.deadline;
        let before =
            self.view_before(&question_before, self.versus.unwrap_or(&tried.rules.from))?;
        let question_after = question(&tried.rules.library);
        let scenario = question_after.scenario(&tried.program.ruleset)?;
        let after = Situation::new(&tried.program, scenario)
            .and_then(|situation| {
                question_after.evaluate(situation, question_after.end_of_share(2))
            })
            .map_err(|error| as_typed(error, &tried.rules.library, &self.trial.variant))?;
        let mut difference = compare_views(&question_after, &before, &after, until, false)?;
        // What becomes of single pieces says less than what the procedure comes to.
        let pieces = &before.situation.initial_board.names;
        let is_piece = |outcome: &OutcomeDifference| {
            pieces.iter().any(|name| name.as_str() == outcome.outcome)
        };
        difference.outcomes.sort_by(|a, b| {
            is_piece(a)
                .cmp(&is_piece(b))
                .then(size_of(b).total_cmp(&size_of(a)))
        });
        let is_over_kept = is_over_kept(&tried.rules.from, &self.trial.variant);
        let mut effect = SituationEffect {
            name: name.into(),
            is_over_kept,
            before,
            after,
            difference,
        };
        show(&effect);
        if self.causes {
            let views = [&*effect.before, &effect.after];
            search_causes(&question_after, views, &mut effect.difference)?;
        }
        if is_over_kept || !self.library.variants.contains_key(&self.trial.variant) {
            name_unkept(&mut effect.difference, &self.trial.variant);
        }
        Ok(effect)
    }

    fn tried_over(&self, spec: &RulesetSpec) -> Result<Arc<TriedProgram>, Error> {
        let tried_programs = lock_unpoisoned(&self.tried.0);
        if let Some((_, tried)) = tried_programs.iter().find(|(other, _)| other == spec) {
            return tried.clone().map_err(Error::Data);
        }
        drop(tried_programs);
        let tried = match self.try_over(spec) {
            Ok(tried) => Ok(Arc::new(tried)),
            Err(Error::Data(faults)) => Err(faults),
            Err(error) => return Err(error),
        };
        lock_unpoisoned(&self.tried.0).push((spec.clone(), tried.clone()));
        tried.map_err(Error::Data)
    }

    fn try_over(&self, spec: &RulesetSpec) -> Result<TriedProgram, Error> {
        let rules = self.trial.over(self.library, spec, self.program)?;
        let variant = &self.trial.variant;
        check_list(&rules.library, variant)?;
        let program = compile_program(&rules.library, &rules.to)
            .map_err(|error| as_typed(error, &rules.library, variant))?;
        check_names(&program, &rules.library, variant)?;
        Ok(TriedProgram { rules, program })
    }

    /// Returns the fault in a script that the changes write over some rules, if there is one.
    pub fn script_fault(&self, spec: &RulesetSpec) -> Option<Error> {
        self.tried_over(spec).err().filter(is_script_fault)
    }

    fn view_before(
        &self,
        question: &Comparison,
        spec: &RulesetSpec,
    ) -> Result<Arc<RulesetView>, Error> {
        let key = self.view_key(question.situation_name, question.overrides, spec);
        if let Some((_, view)) = lock_unpoisoned(&self.situations.views)
            .iter()
            .find(|(view_key, _)| *view_key == key)
        {
            return Ok(view.clone());
        }
        let program = (self.program)(spec)?;
        let situation = Situation::new(&program, question.scenario(&program.ruleset)?)?;
        let view = Arc::new(question.evaluate(situation, question.end_of_share(2))?);
        if view.is_complete() {
            let cells = Arc::new(view.consulted.cells.clone());
            lock_unpoisoned(&self.situations.cells).insert(format!("{key:?}"), cells);
            let mut views = lock_unpoisoned(&self.situations.views);
            if views.len() >= MAX_VIEWS {
                views.remove(0);
            }
            views.push((key, view.clone()));
        }
        Ok(view)
    }

    fn view_key(
        &self,
        name: &str,
        overrides: &Overrides,
        spec: &RulesetSpec,
    ) -> SituationUnderRules {
        let answers = (overrides, &self.settings.choices, &self.settings.policies);
        (format!("{name} {answers:?}"), spec.clone())
    }

    /// Returns the cells that a situation comes to under its own rules, if it was counted whole.
    fn known_cells(&self, name: &str) -> Option<Arc<CellSet>> {
        let spec = self.trial.without_own(self.library, &self.spec_of(name));
        let key = self.view_key(name, &Overrides::default(), &spec);
        lock_unpoisoned(&self.situations.cells)
            .get(&format!("{key:?}"))
            .cloned()
    }

    /// Returns the cells that a situation comes to under its own rules; `None` if it can't be counted whole within the limits.
    pub fn cells_of(&self, name: &str, limits: CountLimits) -> Result<Option<Arc<CellSet>>, Error> {
        if let Some(cells) = self.known_cells(name) {
            return Ok(Some(cells));
        }
        let overrides = Overrides::default();
        let policies = self
            .settings
            .policies(self.library.game(&self.trial.game)?)?;
        let measure = self.settings.measure()?;
        let question = comparison(
            self.library,
            (name, &overrides),
            self.settings,
            (policies, measure.as_ref()),
            limits,
        );
        let spec = self.trial.without_own(self.library, &self.spec_of(name));
        self.view_before(&question, &spec)?;
        Ok(self.known_cells(name))
    }

    /// Returns whether it is certain that no situation comes to what is changed: all were counted whole, and only cells are changed.
    pub fn is_unreached(&self, names: &[String]) -> bool {
        names.iter().all(|name| {
            let spec = self.spec_of(name);
            let below = self.trial.below(self.library, &spec, self.program);
            below.is_ok_and(|below| {
                let parts = self.trial.parts(self.library, &below);
                parts.cases.is_empty()
                    && parts.lists.is_empty()
                    && self.concern(&parts, name, &spec) == Concern::None
            })
        })
    }

    /// Returns the situations that the changes move most, at most `count`, by trying until the time is up: first those that are known to come
    /// to what is changed, then those that come near it, then those of which it is not known. Of equals the first offered are tried first.
    pub fn most_moved(&self, names: &[String], count: usize, limits: CountLimits) -> Vec<String> {
        let until = limits.deadline();
        let mut by_concern: [Vec<&String>; 3] = Default::default();
        for name in names {
            if Instant::now() > until {
                break;
            }
            let spec = self.spec_of(name);
            let Ok(below) = self.trial.below(self.library, &spec, self.program) else {
                continue;
            };
            match self.concern(&self.trial.parts(self.library, &below), name, &spec) {
                Concern::Exact => by_concern[0].push(name),
                Concern::Near => by_concern[1].push(name),
                Concern::Unknown => by_concern[2].push(name),
                Concern::None => {}
            }
        }
        let mut found: Vec<(f64, String)> = Vec::new();
        for names in by_concern {
            // What could not be counted in the first round has more time in the second, if nothing was found.
            let mut open: Vec<&String> = names.into_iter().take(MAX_TRIED).collect();
            for time in PROPOSAL_TIMES {
                for name in std::mem::take(&mut open) {
                    if Instant::now() > until {
                        break;
                    }
                    let limits = CountLimits { time, ..limits };
                    let spec = self.spec_of(name);
                    let effect = self.effect_on(name, &spec, &Overrides::default(), limits);
                    match effect.as_ref().map(SituationEffect::size) {
                        Ok(size) if size > 0.0 => found.push((size, name.clone())),
                        _ if !effect.as_ref().is_ok_and(SituationEffect::is_counted) => {
                            open.push(name)
                        }
                        _ => {}
                    }
                }
                if !found.is_empty() {
                    break;
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        found
            .into_iter()
            .take(count)
            .map(|(_, name)| name)
            .collect()
    }

    /// Returns a situation under its rules before the changes.
    pub fn situation_before(&self, name: &str) -> Result<Situation, Error> {
        let tried = self.tried_over(&self.spec_of(name));
        let from = match tried {
            Ok(tried) => tried.rules.from.clone(),
            Err(_) => self.trial.without_own(self.library, &self.spec_of(name)),
        };
        let program = (self.program)(&from)?;
        Situation::new(&program, program.ruleset.scenario(name)?)
    }

    /// Returns a situation with the changes.
    pub fn situation_after(&self, name: &str) -> Result<Situation, Error> {
        let tried = self.tried_over(&self.spec_of(name))?;
        Situation::new(&tried.program, tried.program.ruleset.scenario(name)?)
    }

    /// Whether something is kept in the variant of the trial, which counts as changed as long as nothing is new.
    pub fn changes_kept(&self) -> bool {
        self.library.variants.contains_key(&self.trial.variant)
    }

    /// Returns the rules that a situation names.
    pub fn spec_of(&self, name: &str) -> RulesetSpec {
        let variant = self
            .library
            .scenarios(&self.trial.game)
            .into_iter()
            .find(|(situation, _)| situation == name)
            .and_then(|(_, variant)| variant);
        let in_force = self
            .library
            .in_force_for(&self.trial.game, name, variant.as_deref());
        RulesetSpec {
            game: self.trial.game.clone(),
            variants: in_force.variants,
            options: in_force.options,
            readings: in_force.readings,
            ..RulesetSpec::default()
        }
    }

    /// Returns how closely a situation concerns what is changed.
    fn concern(&self, parts: &ChangedParts, name: &str, spec: &RulesetSpec) -> Concern {
        let reads = self.known_reads(name, spec);
        let reads_table = |(table, _): &(String, usize)| {
            reads
                .cells
                .range((table.clone(), 0)..)
                .next()
                .is_some_and(|(changed, _)| changed == table)
        };
        if parts.cases.iter().any(|case| reads.cases.contains(case)) {
            return Concern::Exact;
        }
        if !parts.lists.is_empty() {
            let program = (self.program)(spec).ok();
            let scenario = program.and_then(|program| program.ruleset.scenario(name).ok());
            let used = scenario.iter().flat_map(|scenario| &scenario.used_lists);
            if used
                .chain([&name.to_string()])
                .any(|list| parts.lists.contains(list))
            {
                return Concern::Exact;
            }
        }
        if let Some(cells) = self.known_cells(name).filter(|_| parts.cases.is_empty()) {
            return match parts.cells.iter().any(|cell| cells.contains(cell)) {
                true => Concern::Exact,
                false => Concern::None,
            };
        }
        if parts.cells.iter().any(|cell| reads.cells.contains(cell)) {
            Concern::Exact
        } else if parts.cells.iter().any(reads_table) {
            Concern::Near
        } else {
            Concern::Unknown
        }
    }

    /// Returns the numbers of the cases that some rulings of a situation ask, in the order of these.
    pub fn cases_of(&self, name: &str) -> Vec<String> {
        self.known_reads(name, &self.spec_of(name)).cases.clone()
    }

    fn known_reads(&self, name: &str, spec: &RulesetSpec) -> Arc<SituationReads> {
        let key = (self.trial.game.clone(), name.to_string());
        let cached = lock_unpoisoned(&self.situations.reads).get(&key).cloned();
        cached.unwrap_or_else(|| {
            let reads = Arc::new(self.reads_of(name, spec).unwrap_or_default());
            lock_unpoisoned(&self.situations.reads).insert(key, reads.clone());
            reads
        })
    }

    fn reads_of(&self, name: &str, spec: &RulesetSpec) -> Result<SituationReads, Error> {
        let program = (self.program)(spec)?;
        let situation = Situation::new(&program, program.ruleset.scenario(name)?)?;
        let mut reads = SituationReads::default();
        for ruling in some_rulings(&situation, RULING_TIME) {
            for event in &ruling.events {
                match event {
                    Event::Cell(table, index) => {
                        reads.cells.insert((table.id.clone(), *index as usize));
                    }
                    Event::Call(call) => {
                        let case = &program.ruleset.cases[call.answer(&program.ruleset).case];
                        if !reads.cases.contains(&case.number) {
                            reads.cases.push(case.number.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(reads)
    }
}

/// Returns some rulings of a situation, up to one that can't be carried out.
pub fn some_rulings(situation: &Situation, time: Duration) -> impl Iterator<Item = ResolvedRuling> {
    SEEDS.map_while(move |seed| {
        let mut machine = situation.machine();
        machine.time_limit = time;
        let request = ResolveRequest {
            stream: Box::new(SeededDice::new(seed)),
            ..ResolveRequest::default()
        };
        resolve(&mut machine, situation, request).ok()
    })
}

/// Whether what a variant keeps is in force before the changes, too.
pub fn is_over_kept(from: &RulesetSpec, variant: &str) -> bool {
    from.variants.iter().any(|name| name == variant)
}

/// Calls causes in a variant that is only tried by what it is: it has no file yet.
fn name_unkept(difference: &mut RulesetDifference, variant: &str) {
    let causes = difference.causes.iter_mut();
    let own = causes
        .flat_map(|(_, causes)| causes.iter_mut().flatten())
        .filter(|cause| cause.layer == variant);
    for cause in own {
        cause.layer = "the change".into();
        cause.path.clear();
    }
}

/// How closely a situation concerns a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Concern {
    /// It does not come to it.
    None,
    /// Some rulings of it do not come to it.
    Unknown,
    /// It reads another cell of the table.
    Near,
    /// It reads the changed cell or case.
    Exact,
}

/// Formats a figure of a headline as all chances and means beside it.
pub fn figure_text(figure: &FigureValue) -> String {
    match figure.value {
        None => "–".into(),
        Some(share) if figure.figure.condition.is_some() => percent(share),
        Some(mean) => format!("{mean:.2}"),
    }
}

/// Says of which cases the figures of an entry are, before and after: chances are of all cases, and a mean is of those that have one.
pub fn basis_text(entries: [&EntryValues; 2]) -> String {
    if entries.iter().any(|entry| entry.is_chance()) {
        return "in all cases".into();
    }
    let shares = entries.map(|entry| {
        let shares = entry.figures.iter().filter(|figure| figure.value.is_some());
        shares.map(|figure| figure.share).fold(1.0, f64::min)
    });
    if shares.iter().all(|share| *share > 1.0 - 1e-9) {
        return "mean".into();
    }
    let [before, after] = shares.map(percent);
    let share = if before == after {
        before
    } else {
        format!("{before}, then {after}")
    };
    format!("mean, given that it happens: {share}")
}

/// Returns how far an outcome moved: the greatest change of a chance.
fn size_of(difference: &OutcomeDifference) -> f64 {
    let moved = difference.verdict == DifferenceVerdict::Differs;
    let changes = difference
        .values
        .iter()
        .filter(|change| moved && change.value != "mean");
    changes
        .map(|change| (change.to - change.from).abs())
        .fold(0.0, f64::max)
}

impl SituationEffect {
    /// Returns how far the situation moved: the greatest change of a chance.
    pub fn size(&self) -> f64 {
        self.difference
            .outcomes
            .iter()
            .map(size_of)
            .fold(0.0, f64::max)
    }

    /// Returns its headline before and after; empty if its procedure has none, or it was not counted whole.
    pub fn headlines(&self) -> [Vec<EntryValues>; 2] {
        [
            headline_of_view(&self.before),
            headline_of_view(&self.after),
        ]
    }

    /// Returns the headlines as sentences, with every chance as a percentage, and with the cases that a mean is of; empty where there is none.
    pub fn headline_sentences(&self) -> [String; 2] {
        let entry = |entry: &EntryValues| {
            let figures: Vec<String> = entry.figures.iter().map(figure_text).collect();
            let figures = figures.join(" against ");
            if entry.is_chance() {
                return format!("{} in {figures}", entry.caption);
            }
            let basis = basis_text([entry, entry]);
            format!("{} {figures} {} ({basis})", entry.caption, entry.unit()).replace("  ", " ")
        };
        self.headlines()
            .map(|values| join_entries(&values.iter().map(entry).collect::<Vec<_>>()))
    }

    /// Returns the outcomes that differ, those of pieces last, the greatest difference first.
    pub fn moved(&self) -> impl Iterator<Item = &OutcomeDifference> {
        self.difference.with_verdict(DifferenceVerdict::Differs)
    }

    /// Returns a line of some rulings that has a number below zero with the changes alone: nothing declares the bounds of what scripts answer.
    pub fn below_zero(&self) -> Option<String> {
        let is_below = |value: &Value| value.as_number().is_some_and(|number| number < 0);
        let lines = |view: &RulesetView| -> BTreeMap<String, String> {
            let said = some_rulings(&view.situation, RULING_TIME).flat_map(|ruling| {
                let board = ruling.board;
                let line = move |event| match event {
                    Event::Line(line) if line.values.iter().any(is_below) => {
                        let text = fill_sentence(&line.template, &line.values, &board);
                        Some((line.template.to_string(), text))
                    }
                    _ => None,
                };
                ruling.events.into_iter().filter_map(line)
            });
            said.collect()
        };
        let before = lines(&self.before);
        let mut after = lines(&self.after).into_iter();
        let (_, text) = after.find(|(template, _)| !before.contains_key(template))?;
        Some(text)
    }

    /// Returns whether everything was counted, before and after.
    pub fn is_counted(&self) -> bool {
        self.before.is_complete() && self.after.is_complete()
    }
}
