//! Settings of a user for a situation: answers, policies, dice, and the limits of a count.

use crate::odds::bounds::DEFAULT_MEMORY;
use crate::odds::measure::Measure;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::Game;
use casebook_engine::notation::Face;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::{parallel, task};
use casebook_engine::ruling::resolve::ResolveRequest;
use casebook_engine::situation::dice::{DiceStream, SeededDice, TypedDice};
use casebook_engine::situation::policy::Policies;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Answers to what a situation leaves open.
#[derive(Clone, Debug, Default)]
pub struct SituationSettings {
    /// Answers to choices, by `SIDE: QUESTION`; they override those of the situation.
    pub choices: Vec<(String, String)>,
    /// The policy of each side.
    pub policies: Vec<(String, String)>,
    /// The measure that best and worst play optimise.
    pub measure: Option<String>,
    /// The question whose answers form a matrix game.
    pub matrix: Option<String>,
    /// Whether a reconstructed figure is an error.
    pub strict: bool,
    /// The sides whose secret answers are not known to who asks.
    pub hidden: Vec<String>,
}

impl SituationSettings {
    /// Parses the policies.
    pub fn policies(&self, game: &Game) -> Result<Arc<Policies>, Error> {
        let mut policies = Policies::parse(&self.policies, game)?;
        policies.hidden = self.hidden.clone();
        Ok(Arc::new(match &self.matrix {
            Some(question) => policies.with_open_question(question),
            None => policies,
        }))
    }

    /// Builds the request for the resolver.
    pub fn request(&self, dice: &DiceSource, policies: Arc<Policies>) -> ResolveRequest {
        let stream: Box<dyn DiceStream> = match dice {
            DiceSource::Seed(seed) => Box::new(SeededDice::new(*seed)),
            DiceSource::Faces(faces) => Box::new(TypedDice::new(faces.clone())),
        };
        let choices = self.choices.clone();
        ResolveRequest {
            stream,
            dice_from: dice.to_string(),
            choices,
            policies,
            weigher: None,
            strict: self.strict,
            trace: false,
        }
    }

    /// Parses the measure.
    pub fn measure(&self) -> Result<Option<Measure>, Error> {
        self.measure.as_deref().map(Measure::parse).transpose()
    }
}

/// The source of the dice of a ruling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiceSource {
    /// A generator with this seed.
    Seed(u64),
    /// These faces, one by one.
    Faces(Vec<Face>),
}

impl DiceSource {
    /// Returns the typed faces, otherwise the dice of the seed.
    pub fn new(seed: u64, faces: Option<&[Face]>) -> DiceSource {
        faces.map_or(DiceSource::Seed(seed), |faces| {
            DiceSource::Faces(faces.to_vec())
        })
    }

    /// Returns the seed, unless the dice were typed.
    pub fn seed(&self) -> Option<u64> {
        if let DiceSource::Seed(seed) = self {
            Some(*seed)
        } else {
            None
        }
    }
}

impl std::fmt::Display for DiceSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DiceSource::Seed(seed) => write!(f, "seed {seed}"),
            DiceSource::Faces(faces) => write!(f, "dice {}", Face::join(faces, ", ")),
        }
    }
}

#[derive(Clone, Copy)]
pub struct CountLimits<'a> {
    /// The total time.
    pub time: Duration,
    /// The memory of each count, in bytes.
    pub memory: u64,
    /// The number of threads.
    pub threads: usize,
    /// A flag that ends the count when it is set.
    pub stop: &'a AtomicBool,
    /// The time for sampling what was not counted when the flag ends the count.
    pub time_after_stop: Duration,
    /// A callback for progress: the current activity, the share done, and the number of states or runs.
    pub progress: &'a (dyn Fn(&str, f64, u64) + Sync),
}

impl<'a> CountLimits<'a> {
    /// Limits the time. The memory limit and the progress report are those of the task; all cores are used.
    pub fn new(time: Duration, stop: &'a AtomicBool) -> CountLimits<'a> {
        let memory = task::memory().unwrap_or(DEFAULT_MEMORY);
        CountLimits {
            time,
            memory,
            threads: parallel::thread_count(),
            stop,
            time_after_stop: Duration::ZERO,
            progress: &task::report_progress,
        }
    }

    /// Returns the deadline of a count that begins now; if it overflows, a distant one.
    pub fn deadline(&self) -> Instant {
        let now = Instant::now();
        task::end_within(
            now.checked_add(self.time)
                .unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3600)),
        )
    }
}
