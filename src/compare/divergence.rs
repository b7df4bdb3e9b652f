//! Compares two views: a verdict on each outcome, and the causes of the differences.

use crate::compare::causes::{Cause, CauseSearch};
use crate::compare::paired_runs::{self, PairCounts};
use crate::compare::switches::{RulesetPair, RulesetSwitch};
use crate::compare::verdicts::{self, DifferenceVerdict, OutcomeDifference};
use crate::compare::view::{Comparison, RulesetView};
use crate::complaint::Error;
use crate::platform::clock::Instant;

/// The differences between two rulesets.
pub struct Divergence {
    /// The verdict on each outcome, in the order the rules name them.
    pub differences: Vec<OutcomeDifference>,
    /// The causes of each difference, as far as they were searched for; `None` if time was up first.
    pub causes: Vec<(String, Option<Vec<Cause>>)>,
    /// The number of seeds that verified the causes, if the count is incomplete.
    pub seeds: usize,
    /// The number of paired runs on the same dice, if the count is incomplete.
    pub runs: u64,
    /// The counts of the paired runs.
    #[doc(hidden)]
    pub pairs: Option<PairCounts>,
}

impl Divergence {
    /// Returns the verdict on all outcomes together.
    pub fn verdict(&self) -> DifferenceVerdict {
        let any = |wanted: DifferenceVerdict| self.differences.iter().any(|difference| difference.verdict == wanted);
        if any(DifferenceVerdict::Differs) {
            DifferenceVerdict::Differs
        } else if any(DifferenceVerdict::Undecided) {
            DifferenceVerdict::Undecided
        } else {
            DifferenceVerdict::Same
        }
    }

    /// Returns the outcomes with this verdict.
    pub fn with_verdict(&self, verdict: DifferenceVerdict) -> impl Iterator<Item = &OutcomeDifference> {
        self.differences.iter().filter(move |difference| difference.verdict == verdict)
    }
}

/// Compares two views; what was not counted is sampled in paired runs until the given time.
pub fn compare_views(
    question: &Comparison,
    from: &RulesetView,
    to: &RulesetView,
    until: Instant,
    causes: bool,
) -> Result<Divergence, Error> {
    let between = RulesetPair::new(&from.situation, &to.situation, [from.reachable(), to.reachable()]);
    let alike = proved_equal(&between, from, to);
    let counted = from.is_complete() && to.is_complete();
    let pairs = match alike || counted {
        true => None,
        false => Some(paired_runs::run_pairs(question, &from.situation, &to.situation, paired_runs::MAX_PAIRS, until)?),
    };
    let mut differences = verdicts::differences(from, to, alike, pairs.as_ref());
    if alike && differences.is_empty() {
        differences.push(OutcomeDifference {
            outcome: "everything".into(),
            verdict: DifferenceVerdict::Same,
            proved: true,
            values: Vec::new(),
        });
    }
    let mut parting =
        Divergence { differences, causes: Vec::new(), seeds: 0, runs: pairs.as_ref().map_or(0, |pairs: &PairCounts| pairs.runs), pairs };
    let names: Vec<String> = parting.with_verdict(DifferenceVerdict::Differs).map(|difference| difference.outcome.clone()).collect();
    if causes && !names.is_empty() {
        let mut search = CauseSearch::new(question, &between, [from, to], parting.pairs.as_ref())?;
        parting.seeds = search.seeds.len();
        parting.causes = names.into_iter().map(|name| (name.clone(), search.causes_of(&name))).collect();
    }
    Ok(parting)
}

/// Whether two rulesets are provably equal: the code that the procedure can reach is equal, and so is everything it reads.
fn proved_equal(between: &RulesetPair, from: &RulesetView, to: &RulesetView) -> bool {
    let data = between.switches.iter().any(|switch| !matches!(switch, RulesetSwitch::Case(_) | RulesetSwitch::Reading(_)));
    let procedure = |view: &RulesetView| view.situation.procedure.clone();
    !data && procedure(from) == procedure(to) && from.reachable() == to.reachable()
}
