//! Finds the amendments that make a difference between two rulesets. Each group of amendments is switched on alone under the first
//! ruleset, and switched off under the second; both are played on the same seeds and tested. A group makes the difference if both
//! differ, and in the direction of the whole; what does not is never named as a cause. Groups that do are split, down to single cells.
//!
//! The error of all tests together is at most [`ERROR`]: level `n` of the splitting has a share of 1 in 2^(n + 1), and the test of what is
//! left has a quarter. Within a level the parts of a group share what the group would have, whether or not other groups are split, so
//! what is found at one level does not raise the error of the next.

use crate::balance::betting_test::{BalanceVerdict, MeanDifference, PairedDifferences};
use crate::balance::candidates::{DescribedSwitches, SwitchGroup};
use crate::balance::paired_games::{GamesPlan, SeedGames};
use crate::balance::totals::RulesetDifferences;
use crate::compare::causes::Cause;
use crate::compare::switches::{RulesetPair, RulesetSwitch};
use crate::compare::view::Comparison;
use casebook_engine::ruling::situation::Situation;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The greatest probability that any group is wrongly named as a cause of one difference.
pub const ERROR: f64 = 0.05;

/// The greatest number of levels of splitting.
const MAX_LEVELS: i32 = 8;

/// The number of seeds between two looks at the tests.
const BATCH: usize = 64;

/// The search for causes uses at most this many times the seeds that decided the whole difference.
const MORE_SEEDS: usize = 4;

/// The verdict on a group of amendments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TestedGroup {
    /// The title.
    pub title: String,
    /// The kind of group: `variant`, `option`, `amendment`, `amendments`, or the kind of a single cause.
    pub kind: &'static str,
    /// The verdict.
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
    /// Its share of the error of its level.
    #[serde(skip)]
    share: f64,
}

/// The causes of a difference.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
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

/// A situation of a group, and how games in it differ from those of a whole ruleset; none if it can't be built.
type TrialSide = Option<(Situation, RulesetDifferences)>;

/// A group under test: on alone under the first ruleset, and off under the second.
struct GroupTrial {
    group: SwitchGroup,
    /// Its share of the error of its level.
    share: f64,
    /// The error of each of its two tests.
    error: f64,
    alone: TrialSide,
    without: TrialSide,
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
    /// The games under the first ruleset so far, in the order of the seeds.
    pub first_games: Vec<SeedGames>,
    /// Those under the second.
    pub second_games: Vec<SeedGames>,
    /// Whether the share of the first side is explained, else the score.
    pub by_share: bool,
    /// The mean of the whole difference.
    pub mean: f64,
}

impl CauseTrials<'_> {
    /// Tests the groups of amendments, level by level.
    pub fn run(mut self) -> Attribution {
        let described = DescribedSwitches::new(self.pair);
        let measure = if self.by_share { "share" } else { "score" };
        let mut attribution = Attribution {
            measure,
            ..Attribution::default()
        };
        let mut groups = self.involved_groups(described.split(&self.all_switches()), 1.0);
        let mut makers: Vec<SwitchGroup> = Vec::new();
        for level in 1..=MAX_LEVELS {
            if groups.is_empty() {
                break;
            }
            let tested = self.test_level(std::mem::take(&mut groups), level, &described);
            for group in &tested {
                let makes = group.claim == CauseClaim::MakesIt;
                // A group that is split again replaces its parts until one of them is found to make the difference.
                if makes {
                    makers.retain(|coarse| !group.group.switches.is_subset(&coarse.switches));
                    makers.push(group.group.clone());
                }
                if (makes || group.claim == CauseClaim::Contributes)
                    && group.group.switches.len() > 1
                {
                    groups.extend(
                        self.involved_groups(described.split(&group.group.switches), group.share),
                    );
                }
            }
            attribution.tested.extend(tested);
            if self.comparison.should_stop() {
                attribution.cut_short = true;
                break;
            }
        }
        attribution.makers = makers.iter().map(|group| group.title.clone()).collect();
        if !makers.is_empty() && !self.comparison.should_stop() {
            attribution.rest = self.test_rest(
                &makers
                    .iter()
                    .flat_map(|group| group.switches.iter().copied())
                    .collect(),
            );
        }
        attribution
    }

    fn all_switches(&self) -> BTreeSet<usize> {
        (0..self.pair.switches.len()).collect()
    }

    /// Returns the groups that games can depend on, each with an equal part of `share`.
    fn involved_groups(&self, groups: Vec<SwitchGroup>, share: f64) -> Vec<(SwitchGroup, f64)> {
        let share_of_each = share / groups.len().max(1) as f64;
        // A case that no game consulted changes nothing.
        let is_involved = |place: &usize| match &self.pair.switches[*place] {
            RulesetSwitch::Case(key) => self.consulted.contains(key),
            _ => true,
        };
        groups
            .into_iter()
            .filter(|group| group.switches.iter().any(is_involved))
            .map(|group| (group, share_of_each))
            .collect()
    }

    /// Tests the groups of one level, each with its share, until each is decided or time is up.
    fn test_level(
        &mut self,
        groups: Vec<(SwitchGroup, f64)>,
        level: i32,
        described: &DescribedSwitches,
    ) -> Vec<TestedGroup> {
        let pairings = self.plan.pairings.len();
        let all_switches = self.all_switches();
        let build = |on: &BTreeSet<usize>| -> TrialSide {
            let situation = self.pair.with_switches(self.comparison, on).ok()?;
            Some((situation, RulesetDifferences::new(pairings)))
        };
        let trial = |(group, share): (SwitchGroup, f64)| {
            let others = all_switches.difference(&group.switches).copied().collect();
            // A group has two tests.
            let error = ERROR / 2f64.powi(level + 1) / 2.0 * share;
            GroupTrial {
                alone: build(&group.switches),
                without: build(&others),
                group,
                share,
                error,
            }
        };
        let mut trials: Vec<GroupTrial> = groups.into_iter().map(trial).collect();
        let max_seeds = self.first_games.len().max(BATCH) * MORE_SEEDS;
        let mut seeds_done = 0;
        while seeds_done < max_seeds && !self.comparison.should_stop() {
            let seeds_wanted = (seeds_done + BATCH).min(max_seeds);
            let seeds_played = self
                .games_up_to(seeds_wanted)
                .clamp(seeds_done, seeds_wanted);
            let seeds = self.plan.seeds(seeds_done..seeds_played);
            for trial in &mut trials {
                for (side, reference) in [
                    (&mut trial.alone, &self.first_games),
                    (&mut trial.without, &self.second_games),
                ] {
                    if !self.is_open(side, trial.error) {
                        continue;
                    }
                    let Some((situation, differences)) = side else {
                        continue;
                    };
                    let (games, _) =
                        self.plan
                            .play(situation, &seeds, self.plan.until(self.plan.deadline));
                    games
                        .iter()
                        .zip(&reference[seeds_done..])
                        .for_each(|(own, reference)| differences.add(reference, own));
                }
            }
            seeds_done += BATCH;
            (self.comparison.progress)(
                "looking for causes, in games",
                0.0,
                (seeds_done * pairings) as u64,
            );
            if !trials.iter().any(|trial| {
                self.is_open(&trial.alone, trial.error) || self.is_open(&trial.without, trial.error)
            }) {
                break;
            }
        }
        trials
            .into_iter()
            .map(|trial| self.judge(trial, level, described))
            .collect()
    }

    /// Plays both rulesets on further seeds, if needed; returns the number of seeds that both have.
    fn games_up_to(&mut self, seeds_wanted: usize) -> usize {
        for (situation, games) in [
            (self.pair.from, &mut self.first_games),
            (self.pair.to, &mut self.second_games),
        ] {
            games.extend(
                self.plan
                    .play(
                        situation,
                        &self.plan.seeds(games.len()..seeds_wanted),
                        self.plan.until(self.plan.deadline),
                    )
                    .0,
            );
        }
        self.first_games.len().min(self.second_games.len())
    }

    fn measured<'d>(&self, differences: &'d RulesetDifferences) -> &'d PairedDifferences {
        if self.by_share {
            &differences.share
        } else {
            &differences.score
        }
    }

    /// Whether more games can decide the test of a side.
    fn is_open(&self, side: &TrialSide, error: f64) -> bool {
        let verdict = |differences: &RulesetDifferences| {
            self.measured(differences).verdict(error, self.plan.margin)
        };
        side.as_ref()
            .is_some_and(|(_, differences)| verdict(differences) == BalanceVerdict::Undecided)
    }

    fn judge(&self, trial: GroupTrial, level: i32, described: &DescribedSwitches) -> TestedGroup {
        let GroupTrial {
            group,
            share,
            error,
            alone,
            without,
        } = trial;
        let mean = |side: TrialSide, sign: f64| {
            side.map(|(_, differences)| {
                MeanDifference::new(self.measured(&differences), error, self.plan.margin, sign)
            })
        };
        let (alone, among_others) = (mean(alone, 1.0), mean(without, -1.0));
        // Greater in the direction of the whole difference, less against it, equal if no difference is decided.
        let direction = |side: &Option<MeanDifference>| {
            let decided = side
                .as_ref()
                .filter(|one| one.verdict == BalanceVerdict::Differs);
            decided
                .and_then(|one| (one.mean * self.mean).partial_cmp(&0.0))
                .unwrap_or(Ordering::Equal)
        };
        let is_within = |side: &Option<MeanDifference>| {
            side.as_ref()
                .is_some_and(|one| one.verdict == BalanceVerdict::Within)
        };
        let claim = match (direction(&alone), direction(&among_others)) {
            (Ordering::Greater, Ordering::Greater) => CauseClaim::MakesIt,
            (Ordering::Less, _) | (_, Ordering::Less) => CauseClaim::WorksAgainst,
            (Ordering::Greater, _) | (_, Ordering::Greater) => CauseClaim::Contributes,
            _ if is_within(&alone) && is_within(&among_others) => CauseClaim::Nothing,
            _ => CauseClaim::Undecided,
        };
        let causes = described.causes(&group).take(12).cloned().collect();
        TestedGroup {
            title: group.title.clone(),
            kind: group.kind,
            claim,
            alone,
            among_others,
            level,
            causes,
            group,
            share,
        }
    }

    /// Compares the first ruleset with all makers switched on with the second ruleset; `None` if it can't be built or no pair was played.
    fn test_rest(&self, makers: &BTreeSet<usize>) -> Option<MeanDifference> {
        let situation = self.pair.with_switches(self.comparison, makers).ok()?;
        let mut differences = RulesetDifferences::new(self.plan.pairings.len());
        let (games, _) = self.plan.play(
            &situation,
            &self.plan.seeds(0..self.second_games.len()),
            self.plan.until(self.plan.deadline),
        );
        games
            .iter()
            .zip(&self.second_games)
            .for_each(|(own, to)| differences.add(own, to));
        let counted = self.measured(&differences);
        (counted.pairs() > 0)
            .then(|| MeanDifference::new(counted, ERROR / 4.0, self.plan.margin, 1.0))
    }
}
