//! Two views held against each other: the verdict on each outcome, and what makes the difference.

use crate::compare::causes::{Cause, Causes};
use crate::compare::pairs::{self, Pairs};
use crate::compare::switches::{Between, Switch};
use crate::compare::verdicts::{self, Difference, Verdict};
use crate::compare::view::{Question, View};
use crate::complaint::Error;
use std::time::Instant;

/// Where two rulesets part.
pub struct Parting {
    /// What is known of each outcome, in the order the rules name them.
    pub differences: Vec<Difference>,
    /// What makes each difference, as far as it was looked for; none where time was up before it was found.
    pub causes: Vec<(String, Option<Vec<Cause>>)>,
    /// On how many seeds the causes were shown, where not all was counted.
    pub seeds: usize,
    /// Pairs of runs on the same dice, where not all was counted.
    pub runs: u64,
    /// What came of them.
    pub pairs: Option<Pairs>,
}

impl Parting {
    /// What is known of all outcomes together.
    pub fn verdict(&self) -> Verdict {
        let any = |wanted: Verdict| self.differences.iter().any(|difference| difference.verdict == wanted);
        if any(Verdict::Differs) {
            Verdict::Differs
        } else if any(Verdict::Undecided) {
            Verdict::Undecided
        } else {
            Verdict::Same
        }
    }

    /// The outcomes of which this is known.
    pub fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(move |difference| difference.verdict == verdict)
    }
}

/// Holds two views against each other; what was not counted is played in pairs until then.
pub fn parting(question: &Question, from: &View, to: &View, until: Instant, causes: bool) -> Result<Parting, Error> {
    let between = Between::new(&from.situation, &to.situation, [from.reachable(), to.reachable()]);
    let alike = alike(&between, from, to);
    let counted = from.complete() && to.complete();
    let pairs = match alike || counted {
        true => None,
        false => Some(pairs::pairs(question, &from.situation, &to.situation, pairs::MOST, until)?),
    };
    let mut differences = verdicts::between(from, to, alike, pairs.as_ref());
    if alike && differences.is_empty() {
        differences.push(Difference { outcome: "everything".into(), verdict: Verdict::Same, proved: true, values: Vec::new() });
    }
    let mut parting =
        Parting { differences, causes: Vec::new(), seeds: 0, runs: pairs.as_ref().map_or(0, |pairs: &Pairs| pairs.runs), pairs };
    let names: Vec<String> = parting.of(Verdict::Differs).map(|difference| difference.outcome.clone()).collect();
    if causes && !names.is_empty() {
        let mut search = Causes::new(question, &between, [from, to], parting.pairs.as_ref())?;
        parting.seeds = search.seeds.len();
        parting.causes = names.into_iter().map(|name| (name.clone(), search.of(&name))).collect();
    }
    Ok(parting)
}

/// Whether two rulesets are known to do the same: the code that the procedure can come to is equal, and so is all that it reads.
fn alike(between: &Between, from: &View, to: &View) -> bool {
    let data = between.switches.iter().any(|switch| !matches!(switch, Switch::Case(_) | Switch::Reading(_)));
    let procedure = |view: &View| view.situation.procedure.clone();
    !data && procedure(from) == procedure(to) && from.reachable() == to.reachable()
}
