//! Odds by trying, where a tree is too large to be seen whole: never without saying so, and with the error that goes with it.

use crate::code::script::Script;
use crate::complaint::Error;
use crate::data::scenario::Scenario;
use crate::odds::count::Bounds;
use crate::odds::questions::results_of;
use crate::ruleset::compose::Ruleset;
use crate::ruling::resolve::{Call, cite};
use crate::situation::board::Board;
use crate::situation::dice::Seeded;
use crate::situation::policy::Policies;
use crate::situation::session::{Ended, Session, shown};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What came of so many runs.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// How many runs.
    pub runs: u64,
    /// How often each value of each outcome came up, in the order the rules name outcomes.
    pub counts: Vec<(String, BTreeMap<String, u64>)>,
    /// The dice thrown, with how often: what makes the tree large.
    pub dice: BTreeMap<String, u64>,
}

impl Sample {
    /// Half the width of the 95 per cent interval round a share, as a share of 1.
    pub fn error(&self, count: u64) -> f64 {
        let (n, share) = (self.runs.max(1) as f64, count as f64 / self.runs.max(1) as f64);
        1.96 * (share * (1.0 - share) / n).sqrt()
    }

    fn count(&mut self, name: &str, value: String) {
        let index = self.counts.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.counts.push((name.into(), BTreeMap::new()));
            self.counts.len() - 1
        });
        *self.counts[index].1.entry(value).or_insert(0) += 1;
    }
}

/// Runs the procedure with one seed after another until time is up or `most` runs are done.
pub fn sample(
    ruleset: &Arc<Ruleset>,
    scenario: &Scenario,
    (choices, policies): (&[(String, String)], &Arc<Policies>),
    most: u64,
    bounds: &Bounds,
) -> Result<Sample, Error> {
    let script = Script::new(ruleset.clone());
    let call = Call::new(scenario, ruleset)?;
    let board = Board::new(scenario, ruleset).map_err(Error::Data)?;
    let end = Instant::now() + bounds.time;
    let mut sample = Sample::default();
    script.start(Session::default());
    while sample.runs < most && Instant::now() < end && !bounds.stop.load(Ordering::Relaxed) {
        let stream = Box::new(Seeded::new(sample.runs + 1));
        script.again(Session {
            board: board.clone(),
            stream,
            answers: call.answers(choices),
            policies: policies.clone(),
            ..Session::default()
        });
        let ended = script.ask(&call.function, vec![call.given.clone()]);
        let session = script.host.session.borrow();
        match ended {
            Ok(_) => results_of(&session.events).into_iter().for_each(|(name, value)| sample.count(&name, shown(&value, &session.board))),
            Err(Ended::Refused(refusal)) => {
                let by = refusal.cases.first().map(|case| cite(ruleset, *case)).unwrap_or_default();
                sample.count("refused", by);
            }
            Err(Ended::Broken(complaints)) => return Err(Error::Data(complaints)),
        }
        for event in &session.events {
            if let crate::situation::trace::Event::Die { dice, purpose, .. } = event {
                *sample.dice.entry(format!("{dice} for {purpose}")).or_insert(0) += 1;
            }
        }
        sample.runs += 1;
        (bounds.progress)(0.0, sample.runs);
    }
    Ok(sample)
}
