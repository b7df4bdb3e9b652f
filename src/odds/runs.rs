//! Runs with the dice of a seed, one after the other.
//!
//! Many runs come to the same states. So what a state asks is kept, and for each answer that was given where that led: a run goes along what
//! others before it have gone, and the machine runs only where nobody has been. Each run comes to what it would have come to by itself.

use crate::code::machine::{Machine, STOPS};
use crate::code::state::{Choosing, State, Stop, Throwing};
use crate::complaint::{Complaints, Error};
use crate::ruling::decide::{Decided, Decider};
use crate::ruling::drive::{Ended, any_option, drive, throw, unseen};
use crate::ruling::resolve::cite;
use crate::ruling::situation::Situation;
use crate::situation::bytes::mixed;
use crate::situation::dice::Seeded;
use crate::situation::policy::Kind;
use crate::situation::value::Value;
use crate::situation::words::shown;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The outcomes of one run, the last word on each, in the order they were first named.
pub type Outcomes = Vec<(String, String)>;

/// Sets an outcome: the last word on it stands.
pub fn set(outcomes: &mut Outcomes, name: &str, value: &str) {
    match outcomes.iter_mut().find(|(known, _)| known == name) {
        Some((_, last)) => *last = value.into(),
        None => outcomes.push((name.into(), value.into())),
    }
}

/// What a rule's refusal is told as: nothing counts that was named before.
pub fn refused(by: &str) -> Outcomes {
    vec![("refused".into(), by.into())]
}

/// The outcomes of a situation with the dice of a seed, on a machine that remembers no runs.
pub fn of_seed(machine: &mut Machine, situation: &Situation, decider: &Decider, seed: u64) -> Result<Outcomes, Error> {
    let mut state = situation.begin(machine)?;
    match drive(machine, &mut state, &mut Seeded::new(seed), decider).map_err(Error::Data)? {
        Ended::Done(_) => {
            let mut outcomes = Outcomes::new();
            state.outcomes.iter().for_each(|(name, value)| set(&mut outcomes, name, &shown(value, &state.board)));
            Ok(outcomes)
        }
        Ended::Refused(refusal) => {
            Ok(refused(&refusal.cases.first().map(|case| cite(&machine.program.ruleset, *case)).unwrap_or_default()))
        }
    }
}

/// So many states are kept at most: some dozen megabytes.
const KEPT: usize = 2_048;
/// Bytes that they may take.
const BYTES: u64 = 128 << 20;

/// After so many states that were looked for in vain nearly each time, only those are looked for that known ones lead to.
const LOOKED: u64 = 4_096;

/// What the dice answer.
enum Ask {
    Throw(Throwing),
    /// Any option of a choice.
    Any(Choosing),
}

/// A state that waits for an answer, and where those led that were given.
struct Place {
    ask: Ask,
    state: State,
    ways: FxHashMap<i64, Way>,
}

/// The outcomes named on a way.
type Named = Rc<[(String, String)]>;

/// A way to the next state that asks: the outcomes named on it, and where it leads.
#[derive(Clone)]
struct Way {
    named: Named,
    to: To,
}

#[derive(Clone)]
enum To {
    /// A state that is kept.
    Place(usize),
    /// The end.
    Done,
    /// A rule that refuses.
    Refused(Rc<str>),
}

/// Where the machine came to.
enum Came {
    To(To),
    /// A state that is not known.
    New(Box<State>, Ask),
}

/// Runs of a situation, or on from states of it. For one thread.
pub struct Runs<'a> {
    /// The machine they run on.
    pub machine: Machine,
    decider: &'a Decider,
    places: Vec<Place>,
    /// By the fingerprint of all of each.
    known: FxHashMap<u128, usize>,
    /// The first way of a run, by what it begins with.
    first: FxHashMap<usize, Way>,
    /// How many states off the known ways were looked for, and how many of them were known.
    looked: (u64, u64),
    /// Bytes of the states that are kept.
    bytes: u64,
}

impl<'a> Runs<'a> {
    /// None yet.
    pub fn new(machine: Machine, decider: &'a Decider) -> Runs<'a> {
        Runs { machine, decider, places: Vec::new(), known: FxHashMap::default(), first: FxHashMap::default(), looked: (0, 0), bytes: 0 }
    }

    /// How many states are kept.
    #[cfg(feature = "unstable-internals")]
    pub fn kept(&self) -> usize {
        self.places.len()
    }

    /// The outcomes of a situation with the dice of a seed. All runs of these are of the one situation.
    pub fn of_seed(&mut self, situation: &Situation, seed: u64) -> Result<Outcomes, Error> {
        self.on(0, |machine| situation.begin(machine), seed, Outcomes::new())
    }

    /// Goes on from a state with the dice of a seed; the outcomes named are added to those named before. States to begin with are told apart
    /// by a number.
    pub fn on(
        &mut self,
        start: usize,
        begin: impl FnOnce(&mut Machine) -> Result<State, Error>,
        seed: u64,
        mut outcomes: Outcomes,
    ) -> Result<Outcomes, Error> {
        self.machine.renew();
        let mut stream = Seeded::new(seed);
        let (mut stops, mut grown) = (0, false);
        let (mut named, mut came) = match self.first.get(&start) {
            Some(way) => (way.named.clone(), Came::To(way.to.clone())),
            None => {
                let state = begin(&mut self.machine)?;
                let (named, came) = self.next(state).map_err(Error::Data)?;
                let to = self.known_or_kept(came, &mut grown);
                if let Came::To(to) = &to {
                    self.first.insert(start, Way { named: named.clone(), to: to.clone() });
                }
                (named, to)
            }
        };
        loop {
            named.iter().for_each(|(name, value)| set(&mut outcomes, name, value));
            stops += 1;
            (named, came) = match came {
                Came::To(To::Done) => return Ok(outcomes),
                Came::To(To::Refused(by)) => return Ok(refused(&by)),
                Came::To(To::Place(place)) => {
                    let Place { ask, state, ways } = &self.places[place];
                    let answer = answer(&self.machine, ask, state, &mut stream).map_err(Error::Data)?;
                    match ways.get(&answer).filter(|_| stops <= STOPS) {
                        Some(way) => (way.named.clone(), Came::To(way.to.clone())),
                        None => {
                            let mut state = state.clone();
                            // Round and round on known ways: the machine says what is wrong with that.
                            state.stopped.1 = state.stopped.1.max(stops);
                            self.machine.answer(&mut state, value(ask, answer));
                            let (named, came) = self.next(state).map_err(Error::Data)?;
                            let came = self.known_or_kept(came, &mut grown);
                            if let Came::To(to) = &came {
                                self.places[place].ways.insert(answer, Way { named: named.clone(), to: to.clone() });
                            }
                            (named, came)
                        }
                    }
                }
                Came::New(mut state, ask) => {
                    let answer = answer(&self.machine, &ask, &state, &mut stream).map_err(Error::Data)?;
                    self.machine.answer(&mut state, value(&ask, answer));
                    let (named, came) = self.next(*state).map_err(Error::Data)?;
                    (named, self.known_again(came))
                }
            };
        }
    }

    /// Runs a state until the dice are asked or it comes to its end, and takes the outcomes that it names.
    fn next(&mut self, mut state: State) -> Result<(Named, Came), Complaints> {
        let machine = &mut self.machine;
        let came = loop {
            match machine.run(&mut state) {
                Stop::Throw(throwing) => break Err(Ask::Throw(throwing)),
                Stop::Choice(choosing) => match self.decider.decide(machine, &mut state, &choosing)? {
                    Decided::Taken(picked, by) => machine.chosen(&mut state, &choosing, picked, by),
                    Decided::Open(Kind::Random) => break Err(Ask::Any(choosing)),
                    Decided::Open(_) => return Err(unseen(machine, &state, &choosing)),
                },
                Stop::Count(_) => return Err(machine.complain(&state, "procedure", "`chance` and `mean` are for examples", "")),
                Stop::Passed => {}
                Stop::Done(_) => break Ok(To::Done),
                Stop::Refused(refusal) => {
                    let by = refusal.cases.first().map(|case| cite(&machine.program.ruleset, *case)).unwrap_or_default();
                    break Ok(To::Refused(by.into()));
                }
                Stop::Broken(complaints) => return Err(complaints),
            }
        };
        // Those that somebody waits for belong to the state until then.
        let named = if state.marks == 0 || came.is_ok() { std::mem::take(&mut state.outcomes) } else { Vec::new() };
        let named = named.iter().map(|(name, value)| (name.to_string(), shown(value, &state.board))).collect();
        Ok((named, came.map_or_else(|ask| Came::New(Box::new(state), ask), Came::To)))
    }

    /// A state that a known one leads to: known itself, or kept now. A run adds one at most, so that those are kept which many runs come to.
    fn known_or_kept(&mut self, came: Came, grown: &mut bool) -> Came {
        let Came::New(mut state, ask) = came else { return came };
        let print = self.print(&mut state, &ask);
        if let Some(place) = self.known.get(&print) {
            return Came::To(To::Place(*place));
        }
        let bytes = state.bytes();
        if *grown || self.places.len() >= KEPT || self.bytes + bytes > BYTES {
            return Came::New(state, ask);
        }
        *grown = true;
        self.bytes += bytes;
        self.known.insert(print, self.places.len());
        self.places.push(Place { ask, state: *state, ways: FxHashMap::default() });
        Came::To(To::Place(self.places.len() - 1))
    }

    /// A state off the known ways may be known again.
    fn known_again(&mut self, came: Came) -> Came {
        let Came::New(mut state, ask) = came else { return came };
        if self.looked.0 > LOOKED && self.looked.1 * 64 < self.looked.0 {
            return Came::New(state, ask);
        }
        let print = self.print(&mut state, &ask);
        let known = self.known.get(&print).copied();
        self.looked = (self.looked.0 + 1, self.looked.1 + u64::from(known.is_some()));
        known.map_or_else(|| Came::New(state, ask), |place| Came::To(To::Place(place)))
    }

    /// A fingerprint of all of a state that something can still hang on. Each purpose has dice of its own.
    fn print(&self, state: &mut State, ask: &Ask) -> u128 {
        let asked = match ask {
            Ask::Throw(throwing) => mixed(throwing.print(), throwing.purpose.fingerprint()),
            Ask::Any(choosing) => choosing.print(),
        };
        self.machine.let_go(state, false);
        state.print(Some(asked)).wrapping_add(state.board.print_of_all())
    }
}

/// What the dice say: a total, or the number of an option.
fn answer(machine: &Machine, ask: &Ask, state: &State, stream: &mut Seeded) -> Result<i64, Complaints> {
    match ask {
        Ask::Throw(throwing) => Ok(throw(machine, state, stream, throwing)?.total),
        Ask::Any(choosing) => Ok(any_option(machine, state, stream, choosing)? as i64),
    }
}

/// The value that the state goes on with.
fn value(ask: &Ask, answer: i64) -> Value {
    match ask {
        Ask::Throw(_) => Value::Number(answer),
        Ask::Any(choosing) => choosing.options[answer as usize].clone(),
    }
}
