//! Finds the amendments that make a difference between two rulesets. Each group of amendments is switched on alone under the first
//! ruleset, and switched off under the second; both are played on the same seeds and tested. A group makes the difference if both
//! differ, and in the direction of the whole; what does not is never named as a cause. Groups that do are split, down to single cells.
//!
//! The error of all tests together is at most [`ERROR`]: level `n` of the splitting has a share of 1 in 2^(n + 1), and the test of what is
//! left has a quarter. Within a level the parts of a group share what the group would have, whether or not other groups are split, so
//! what is found at one level does not raise the error of the next.

use crate::balance::betting_test::{BalanceVerdict, PairedDifferences};
use crate::balance::candidates::{DescribedSwitches, SwitchGroup};
use crate::balance::paired_games::{PairedGames, SeedGames};
use crate::balance::plan::{GamesPlan, MeanDifference};
use crate::balance::totals::RulesetDifferences;
use crate::compare::causes::Cause;
use crate::compare::switches::{RulesetPair, RulesetSwitch};
use crate::compare::view::Comparison;
use crate::complaint::Error;
use crate::ruling::situation::Situation;
use serde::Serialize;
use std::collections::BTreeSet;

/// The greatest probability that any group is wrongly named as a cause of one difference.
pub const ERROR: f64 = 0.05;

/// The greatest number of levels of splitting.
const MAX_LEVELS: i32 = 8;

/// The number of seeds between two looks at the tests.
const BATCH: usize = 64;

/// The search for causes uses at most this many times the seeds that decided the whole difference.
const MORE_SEEDS: usize = 4;

/// What is known of a group of amendments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseClaim {
    /// It makes the difference, alone and among the others.
    MakesIt,
    /// One of its two effects (alone, among the others) has the direction of the whole difference; the other is undecided.
    Contributes,
    /// It works against the whole.
    WorksAgainst,
    /// It moves nothing beyond the margin, neither alone nor among the others.
    Nothing,
    /// None of this is decided.
    Undecided,
}

/// A group of amendments with what was found of it.
#[derive(Clone, Debug, Serialize)]
pub struct TestedGroup {
    /// What it is.
    pub title: String,
    /// The kind of group: `variant`, `option`, `amendment`, `amendments`, or the kind of a single cause.
    pub kind: &'static str,
    /// What is known of it.
    pub claim: CauseClaim,
    /// The effect of switching it on alone under the first ruleset; none if it can't stand alone.
    pub alone: Option<MeanDifference>,
    /// The effect of having it on under the second ruleset, against the same without it; none if the others can't stand without it.
    pub among_others: Option<MeanDifference>,
    /// The level of splitting, from 1.
    pub level: i32,
    /// The causes that it consists of; the first dozen.
    pub causes: Vec<Cause>,
    #[serde(skip)]
    group: SwitchGroup,
}

/// The causes of a difference.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Attribution {
    /// The measure that the causes were sought for: `share` or `score`.
    pub measure: &'static str,
    /// The groups that were tested, level by level, whatever was found.
    pub tested: Vec<TestedGroup>,
    /// The finest groups that make the difference.
    pub makers: Vec<String>,
    /// The difference that remains between the second ruleset and the first one with all these causes; none if there are none or time ran out.
    pub rest: Option<MeanDifference>,
    /// Whether time was up before everything was decided.
    pub cut_short: bool,
}

/// A group to test, with its share of the error of its level.
struct OpenGroup {
    group: SwitchGroup,
    share: f64,
}

/// The situations of a group: on alone, and off among the others.
struct GroupTrial {
    group: SwitchGroup,
    /// The error of each of its two tests.
    error: f64,
    alone: Option<(Situation, RulesetDifferences)>,
    without: Option<(Situation, RulesetDifferences)>,
}

/// A search for causes.
pub struct CauseTrials<'a> {
    /// The settings: library, situation and limits.
    pub comparison: &'a Comparison<'a>,
    /// The two rulesets.
    pub pair: &'a RulesetPair<'a>,
    /// How games are played.
    pub plan: &'a GamesPlan<'a>,
    /// The keys of the files that games under either ruleset consulted.
    pub consulted: &'a BTreeSet<String>,
    /// The games under both rulesets so far, by place among the seeds.
    pub from: Vec<SeedGames>,
    /// Those of the second.
    pub to: Vec<SeedGames>,
    /// Whether the share of the first side is explained, else the score.
    pub by_share: bool,
    /// The mean of the whole difference.
    pub whole: f64,
}

impl CauseTrials<'_> {
    /// Tests the groups of amendments, level by level.
    pub fn run(mut self) -> Result<Attribution, Error> {
        let described = DescribedSwitches::new(self.pair);
        let measure = if self.by_share { "share" } else { "score" };
        let mut found = Attribution { measure, ..Attribution::default() };
        let mut groups = self.open_groups(described.top(&(0..self.pair.switches.len()).collect()), 1.0);
        let mut makers: Vec<SwitchGroup> = Vec::new();
        for level in 1..=MAX_LEVELS {
            if groups.is_empty() {
                break;
            }
            let (tested, shares): (Vec<TestedGroup>, Vec<f64>) =
                self.test_level(std::mem::take(&mut groups), level, &described)?.into_iter().unzip();
            for (one, share) in tested.iter().zip(shares) {
                let makes = one.claim == CauseClaim::MakesIt;
                // A group that is split again stands for its parts until one of them is found to make the difference.
                if makes {
                    makers.retain(|coarse| !one.group.switches.is_subset(&coarse.switches));
                    makers.push(one.group.clone());
                }
                if makes || one.claim == CauseClaim::Contributes {
                    groups.extend(self.open_groups(described.parts(&one.group), share));
                }
            }
            found.tested.extend(tested);
            if self.comparison.should_stop() {
                found.cut_short = true;
                break;
            }
        }
        found.makers = makers.iter().map(|group| group.title.clone()).collect();
        if !makers.is_empty() && !self.comparison.should_stop() {
            let all = makers.iter().flat_map(|group| group.switches.iter().copied()).collect();
            found.rest = self.test_rest(&all)?;
        }
        Ok(found)
    }

    /// Returns the groups that games can depend on; all of them share `share` alike.
    fn open_groups(&self, groups: Vec<SwitchGroup>, share: f64) -> Vec<OpenGroup> {
        let own = share / groups.len().max(1) as f64;
        let involved = groups.into_iter().filter(|group| group.switches.iter().any(|place| self.is_involved(*place)));
        involved.map(|group| OpenGroup { group, share: own }).collect()
    }

    /// Whether games can depend on a switch: a case that none consulted changes nothing.
    fn is_involved(&self, place: usize) -> bool {
        match &self.pair.switches[place] {
            RulesetSwitch::Case(key) => self.consulted.contains(key),
            _ => true,
        }
    }

    /// Tests the groups of one level until each is decided or time is up; returns each with its share.
    fn test_level(&mut self, groups: Vec<OpenGroup>, level: i32, described: &DescribedSwitches) -> Result<Vec<(TestedGroup, f64)>, Error> {
        let shares: Vec<f64> = groups.iter().map(|open| open.share).collect();
        let pairings = self.plan.pairings.len();
        let all: BTreeSet<usize> = (0..self.pair.switches.len()).collect();
        let build = |on: &BTreeSet<usize>| {
            let situation = self.pair.with_switches(self.comparison, on).ok()?;
            Some((situation, RulesetDifferences::new(pairings)))
        };
        let mut trials: Vec<GroupTrial> = groups
            .into_iter()
            .map(|OpenGroup { group, share }| {
                let rest = all.difference(&group.switches).copied().collect();
                // A group has two tests.
                let error = ERROR / 2f64.powi(level + 1) / 2.0 * share;
                GroupTrial { alone: build(&group.switches), without: build(&rest), group, error }
            })
            .collect();
        let most = self.from.len().max(BATCH) * MORE_SEEDS;
        let mut done = 0;
        while done < most && !self.comparison.should_stop() {
            let size = BATCH.min(most - done);
            let seeds: Vec<u64> = (done..done + size).map(|place| self.plan.seed_at(place)).collect();
            let until = self.plan.until_end();
            let size = size.min(self.games_up_to(done + size, until).saturating_sub(done));
            for trial in &mut trials {
                for (side, reference) in [(&mut trial.alone, &self.from), (&mut trial.without, &self.to)] {
                    let Some((situation, differences)) = side else { continue };
                    if verdict(self.by_share, differences, trial.error, self.plan.margin) != BalanceVerdict::Undecided {
                        continue;
                    }
                    let (games, _) = self.plan.games(situation).play(&seeds[..size], self.comparison.threads, until);
                    let known = &reference[done..done + size];
                    games.iter().zip(known).for_each(|(own, known)| differences.add(known, own));
                }
            }
            done += BATCH;
            (self.comparison.progress)("looking for causes, in games", 0.0, (done * pairings) as u64);
            let open = |side: &Option<(Situation, RulesetDifferences)>, error: f64| {
                side.as_ref().is_some_and(|(_, differences)| {
                    verdict(self.by_share, differences, error, self.plan.margin) == BalanceVerdict::Undecided
                })
            };
            if !trials.iter().any(|trial| open(&trial.alone, trial.error) || open(&trial.without, trial.error)) {
                break;
            }
        }
        Ok(trials.into_iter().map(|trial| self.judge(trial, level, described)).zip(shares).collect())
    }

    /// Plays both rulesets on further seeds, if needed; returns the number of seeds that both have.
    fn games_up_to(&mut self, wanted: usize, until: crate::odds::game_run::Until) -> usize {
        for (situation, games) in [(self.pair.from, &mut self.from), (self.pair.to, &mut self.to)] {
            let seeds: Vec<u64> = (games.len()..wanted).map(|place| self.plan.seed_at(place)).collect();
            games.extend(PairedGames::play(&self.plan.games(situation), &seeds, self.comparison.threads, until).0);
        }
        self.from.len().min(self.to.len())
    }

    fn judge(&self, trial: GroupTrial, level: i32, described: &DescribedSwitches) -> TestedGroup {
        let error = trial.error;
        let mean = |side: Option<(Situation, RulesetDifferences)>, sign: f64| {
            side.map(|(_, differences)| MeanDifference::new(measured(self.by_share, &differences), error, self.plan.margin, sign))
        };
        let (alone, among_others) = (mean(trial.alone, 1.0), mean(trial.without, -1.0));
        let same_direction = |one: &Option<MeanDifference>| {
            one.as_ref().is_some_and(|one| one.verdict == BalanceVerdict::Differs && one.mean * self.whole > 0.0)
        };
        let opposite_direction = |one: &Option<MeanDifference>| {
            one.as_ref().is_some_and(|one| one.verdict == BalanceVerdict::Differs && one.mean * self.whole < 0.0)
        };
        let idle = |one: &Option<MeanDifference>| one.as_ref().is_some_and(|one| one.verdict == BalanceVerdict::Within);
        let claim = match (same_direction(&alone), same_direction(&among_others)) {
            (true, true) => CauseClaim::MakesIt,
            (true, false) if !opposite_direction(&among_others) => CauseClaim::Contributes,
            (false, true) if !opposite_direction(&alone) => CauseClaim::Contributes,
            _ if opposite_direction(&alone) || opposite_direction(&among_others) => CauseClaim::WorksAgainst,
            _ if idle(&alone) && idle(&among_others) => CauseClaim::Nothing,
            _ => CauseClaim::Undecided,
        };
        let causes = described.causes(&trial.group).into_iter().take(12).collect();
        let SwitchGroup { title, kind, .. } = trial.group.clone();
        TestedGroup { title, kind, claim, alone, among_others, level, causes, group: trial.group }
    }

    /// Compares the first ruleset with all makers switched on with the second ruleset.
    fn test_rest(&mut self, makers: &BTreeSet<usize>) -> Result<Option<MeanDifference>, Error> {
        let Ok(situation) = self.pair.with_switches(self.comparison, makers) else { return Ok(None) };
        let error = ERROR / 4.0;
        let seeds: Vec<u64> = (0..self.to.len()).map(|place| self.plan.seed_at(place)).collect();
        let mut differences = RulesetDifferences::new(self.plan.pairings.len());
        let (games, _) = self.plan.games(&situation).play(&seeds, self.comparison.threads, self.plan.until_end());
        games.iter().zip(&self.to).for_each(|(own, to)| differences.add(own, to));
        let counted = measured(self.by_share, &differences);
        Ok((counted.pairs() > 0).then(|| MeanDifference::new(counted, error, self.plan.margin, 1.0)))
    }
}

fn measured(by_share: bool, differences: &RulesetDifferences) -> &PairedDifferences {
    if by_share { &differences.share } else { &differences.score }
}

fn verdict(by_share: bool, differences: &RulesetDifferences, error: f64, margin: f64) -> BalanceVerdict {
    measured(by_share, differences).verdict(error, margin)
}
