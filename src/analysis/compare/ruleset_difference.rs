//! Compares two views: a verdict on each outcome, and the causes of the differences.

use crate::compare::causes::{Cause, CauseSearch};
use crate::compare::paired_runs::{self, PairCounts};
use crate::compare::switches::RulesetPair;
use crate::compare::verdicts::{self, DifferenceVerdict, OutcomeDifference};
use crate::compare::view::{Comparison, RulesetView};
use casebook_engine::complaint::Error;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::headline::UnnamedOutcomes;

/// The differences between two rulesets.
pub struct RulesetDifference {
    /// The verdict on each outcome, in the order the rules name them.
    pub outcomes: Vec<OutcomeDifference>,
    /// The causes of each difference, as far as they were searched for; `None` if time was up first.
    pub causes: Vec<(String, Option<Vec<Cause>>)>,
    /// The number of seeds that verified the causes, if the count is incomplete.
    pub seeds: usize,
    /// The number of paired runs on the same dice, if the count is incomplete.
    pub runs: u64,
    /// The counts of the paired runs.
    #[doc(hidden)]
    pub pairs: Option<PairCounts>,
    /// What it means that an outcome is not named.
    #[doc(hidden)]
    pub unnamed: UnnamedOutcomes,
}

impl RulesetDifference {
    /// Returns the verdict on all outcomes together.
    pub fn verdict(&self) -> DifferenceVerdict {
        let any = |verdict: DifferenceVerdict| {
            self.outcomes
                .iter()
                .any(|outcome| outcome.verdict == verdict)
        };
        if any(DifferenceVerdict::Differs) {
            DifferenceVerdict::Differs
        } else if any(DifferenceVerdict::Undecided) {
            DifferenceVerdict::Undecided
        } else {
            DifferenceVerdict::Same
        }
    }

    /// Returns the outcomes with this verdict.
    pub fn with_verdict(
        &self,
        verdict: DifferenceVerdict,
    ) -> impl Iterator<Item = &OutcomeDifference> {
        self.outcomes
            .iter()
            .filter(move |outcome| outcome.verdict == verdict)
    }
}

/// The name of all outcomes together.
const EVERYTHING: &str = "everything";

/// Compares two views; what was not counted is sampled in paired runs until the given time.
pub fn compare_views(
    comparison: &Comparison,
    from: &RulesetView,
    to: &RulesetView,
    until: Instant,
    causes: bool,
) -> Result<RulesetDifference, Error> {
    let pair = RulesetPair::new(
        &from.situation,
        &to.situation,
        [from.reachable(), to.reachable()],
    );
    let is_equal = proved_equal(&pair, from, to);
    let counted = from.is_complete() && to.is_complete();
    let pairs = match is_equal || counted {
        true => None,
        false => Some(paired_runs::run_pairs(
            comparison,
            &from.situation,
            &to.situation,
            paired_runs::MAX_PAIRS,
            until,
        )?),
    };
    let mut differences = verdicts::differences(from, to, is_equal, pairs.as_ref());
    if differences.is_empty() && is_equal {
        differences.push(OutcomeDifference::same(EVERYTHING.into()));
    }
    // Before anything is counted or run, no outcome is known by name.
    if differences.is_empty() && !counted {
        let verdict = DifferenceVerdict::Undecided;
        differences.push(OutcomeDifference {
            outcome: EVERYTHING.into(),
            verdict,
            proved: false,
            values: Vec::new(),
        });
    }
    let runs = pairs.as_ref().map_or(0, |pairs| pairs.runs);
    let mut difference = RulesetDifference {
        outcomes: differences,
        causes: Vec::new(),
        seeds: 0,
        runs,
        pairs,
        unnamed: UnnamedOutcomes::new(&to.situation),
    };
    if causes {
        search_causes(comparison, [from, to], &mut difference)?;
    }
    Ok(difference)
}

/// Searches for the causes of the differences between two views.
pub fn search_causes(
    comparison: &Comparison,
    [from, to]: [&RulesetView; 2],
    difference: &mut RulesetDifference,
) -> Result<(), Error> {
    let differing = difference.with_verdict(DifferenceVerdict::Differs);
    let names: Vec<String> = differing.map(|one| one.outcome.clone()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let reachable = [from.reachable(), to.reachable()];
    let pair = RulesetPair::new(&from.situation, &to.situation, reachable);
    let mut search = CauseSearch::new(comparison, &pair, [from, to], difference.pairs.as_ref())?;
    difference.seeds = search.seeds.len();
    difference.causes = names
        .into_iter()
        .map(|name| (name.clone(), search.causes_of(&name)))
        .collect();
    Ok(())
}

/// Whether two rulesets are provably equal: the code that the procedure can reach is equal, and so is everything it reads.
fn proved_equal(pair: &RulesetPair, from: &RulesetView, to: &RulesetView) -> bool {
    let procedure = |view: &RulesetView| view.situation.procedure.clone();
    !pair.differs_in_figures()
        && procedure(from) == procedure(to)
        && from.reachable() == to.reachable()
}
