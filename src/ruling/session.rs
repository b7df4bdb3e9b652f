//! A ruling step by step: it waits at each throw and each choice until it is answered, and every answer can be taken back.

use crate::code::machine::Machine;
use crate::code::state::{Choosing, Refusal, State, Stop, Throwing};
use crate::complaint::{Complaint, Complaints, Error, Place, did_you_mean};
use crate::ruling::course::{Course, Unasked};
use crate::ruling::decide::{Decided, Decider};
use crate::ruling::drive::{any_option, throw};
use crate::ruling::moves::{Move, moves};
use crate::ruling::resolve::{Ran, Ruling, ran};
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::dice::{Seeded, Stream, Typed};
use crate::situation::policy::Kind;
use crate::situation::trace::{Answered, Event, Source, Spoken};
use crate::situation::words::text_of;

/// What a ruling waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Waits {
    /// Dice.
    Throw(Throwing),
    /// A choice.
    Choice(Choosing),
    /// Nothing more: it has come to its end, or a rule has refused.
    Over(Option<Refusal>),
}

/// A ruling under way.
pub struct Session {
    /// The situation.
    pub situation: Situation,
    machine: Machine,
    now: Position,
    past: Vec<Position>,
}

/// A ruling under way that is laid aside; another thread may go on with it.
pub struct Aside {
    situation: Situation,
    events: Vec<Event>,
    strict: bool,
    now: Position,
    past: Vec<Position>,
}

impl Aside {
    /// The same as it stood after so many answers.
    pub fn after(&self, answers: usize) -> Aside {
        let now = self.past.get(answers).unwrap_or(&self.now).clone();
        Aside {
            situation: self.situation.apart(),
            events: self.events[..now.events.min(self.events.len())].to_vec(),
            strict: self.strict,
            now,
            past: self.past[..answers.min(self.past.len())].to_vec(),
        }
    }

    /// Goes on.
    pub fn taken_up(self) -> Result<Session, Error> {
        let mut machine = self.situation.machine();
        machine.manner.strict = self.strict;
        machine.trace = Some(self.events);
        for position in self.past.iter().chain([&self.now]) {
            machine.take_up(&position.state).map_err(Error::Data)?;
        }
        Ok(Session { situation: self.situation, machine, now: self.now, past: self.past })
    }
}

/// Where a session stands.
#[derive(Clone)]
struct Position {
    state: State,
    waits: Waits,
    dice: Seeded,
    events: usize,
    /// Where a game stands in its sequence of play.
    course: Option<Course>,
    /// Where each procedure begins in what has happened.
    parts: Vec<usize>,
}

impl Session {
    /// Begins. Dice that are thrown and not typed come from the seed.
    pub fn begin(situation: Situation, seed: u64, strict: bool) -> Result<Session, Error> {
        let mut machine = situation.machine();
        machine.manner.strict = strict;
        machine.trace = Some(Vec::new());
        let state = situation.begin(&mut machine)?;
        let course = Course::of(&situation, &state.board).map_err(Error::Data)?;
        let now = Position { state, waits: Waits::Over(None), dice: Seeded::new(seed), events: 0, course, parts: vec![0] };
        let mut session = Session { situation, machine, now, past: Vec::new() };
        session.go_on().map_err(Error::Data)?;
        Ok(session)
    }

    /// Lays it aside.
    pub fn aside(self) -> Aside {
        let events = self.machine.trace.unwrap_or_default();
        Aside { situation: self.situation, events, strict: self.machine.manner.strict, now: self.now, past: self.past }
    }

    /// Runs to the next stop; in a game from procedure to procedure.
    fn go_on(&mut self) -> Result<(), Complaints> {
        let mut unasked = Unasked::new();
        self.now.waits = loop {
            let refusal = match self.machine.run(&mut self.now.state) {
                Stop::Throw(throwing) => break Waits::Throw(throwing),
                // Where one thing alone is open nobody is asked.
                Stop::Choice(choosing) if choosing.options.len() == 1 => {
                    self.machine.chosen(&mut self.now.state, &choosing, 0, Answered::First);
                    continue;
                }
                Stop::Choice(choosing) => break Waits::Choice(choosing),
                Stop::Passed => continue,
                Stop::Done(_) => None,
                Stop::Refused(refusal) => Some(refusal),
                Stop::Broken(complaints) => return Err(complaints),
                Stop::Count(_) => {
                    return Err(self.machine.complain(&self.now.state, "procedure", "`chance` and `mean` are for examples", ""));
                }
            };
            let next = match &mut self.now.course {
                Some(course) => course.next(&self.situation, &mut self.machine, &self.now.state, refusal.is_some())?,
                None => None,
            };
            let Some(state) = next else { break Waits::Over(refusal) };
            unasked.one_more().map_err(|(what, help)| self.machine.complain(&self.now.state, "limit", what, help))?;
            let (begun, refused, before) = (self.now.parts.last().copied().unwrap_or(0), refusal.is_some(), state.board.count());
            self.close(refusal);
            if refused {
                let part = self.machine.trace.iter_mut().flat_map(|trace| trace.iter_mut().skip(begun));
                part.for_each(|event| event.taken_back(before, &self.now.state.board));
            }
            let before = std::mem::replace(&mut self.now.state, state);
            self.now.state.board.meter.follows(&before.board.meter);
        };
        self.now.events = self.events().len();
        Ok(())
    }

    /// Ends the part of a procedure in what is told of a game, and begins that of the next.
    fn close(&mut self, refusal: Option<Refusal>) {
        // A refusal leaves questions open behind it.
        let open = self.asking().len();
        let game = &self.situation.ruleset().game;
        let title = self.now.course.as_ref().map(|course| course.now(game)).map(|(phase, procedure)| format!("{phase}: {procedure}"));
        let begun = self.now.parts.last().copied().unwrap_or(0);
        let Some(trace) = &mut self.machine.trace else { return };
        let done = trace[begun.min(trace.len())..].iter().any(Event::does_something);
        trace.extend(refusal.map(|refusal| {
            let from = refusal.cases.iter().map(|case| Source::Case(*case)).collect();
            let back = if done { " What is told of it above is taken back." } else { "" };
            let line = format!("Nothing is done: {}.{back}", refusal.template).into();
            Event::Say(Box::new(Spoken { line, values: refusal.args, from }))
        }));
        trace.extend((0..open).map(|_| Event::Done));
        self.now.parts.push(trace.len());
        trace.extend(title.map(|title| Event::Step(title.into())));
    }

    /// What it waits for.
    pub fn waits(&self) -> &Waits {
        &self.now.waits
    }

    /// Whether it has come to its end.
    pub fn over(&self) -> bool {
        matches!(self.now.waits, Waits::Over(_))
    }

    /// The board as it stands.
    pub fn board(&self) -> &Board {
        &self.now.state.board
    }

    /// What has happened so far.
    pub fn events(&self) -> &[Event] {
        self.machine.trace.as_deref().unwrap_or_default()
    }

    /// What has happened since the last answer.
    pub fn lately(&self) -> &[Event] {
        &self.events()[self.past.last().map_or(0, |position| position.events).min(self.events().len())..]
    }

    /// Every throw and choice so far.
    pub fn moves(&self) -> Vec<Move> {
        moves(self.events(), self.board())
    }

    /// The cases that are being asked, the innermost last, as indices among those in force.
    pub fn asking(&self) -> Vec<usize> {
        let mut open = Vec::new();
        for event in self.events() {
            match event {
                Event::Ask(asked) => open.push(asked.answer(self.situation.ruleset()).case),
                Event::Done => drop(open.pop()),
                _ => {}
            }
        }
        open
    }

    /// The procedure of a game that is under way: its phase, its name, and the board on which it began.
    pub fn step(&self) -> Option<(&str, &str, &Board)> {
        let course = self.now.course.as_ref()?;
        let (phase, procedure) = course.now(&self.situation.ruleset().game);
        Some((phase, procedure, &course.before))
    }

    /// The rest of it as a situation of its own: for its odds.
    pub fn rest(&self) -> Situation {
        self.situation.from(self.now.state.clone())
    }

    /// The ruling so far.
    pub fn ruling(&self) -> Ruling {
        self.ran().ruling
    }

    /// The phase of a game and the procedure under way; none where it is no game.
    pub fn phase(&self) -> Option<(&str, &str)> {
        self.now.course.as_ref().map(|course| course.now(&self.situation.ruleset().game))
    }

    /// Where each procedure of a game begins in what has happened; other rulings have one part.
    pub fn parts(&self) -> &[usize] {
        &self.now.parts
    }

    /// What was told between two places in what has happened, the second left out.
    pub fn told(&self, from: usize, to: usize) -> Ruling {
        let some = self.events().get(from..to).unwrap_or_default().to_vec();
        ran(&self.situation, some, 0, State::new(self.board().clone()), None).ruling
    }

    /// The ruling so far, with what it was made from.
    pub fn ran(&self) -> Ran {
        self.since(0)
    }

    /// The same from what followed an answer on, answers counted from 1; from 0 on all of it.
    pub fn since(&self, answer: usize) -> Ran {
        let refusal = match &self.now.waits {
            Waits::Over(refusal) => refusal.as_ref(),
            _ => None,
        };
        let before = answer.checked_sub(1).map(|place| self.past.get(place).unwrap_or(&self.now));
        let from = before.map_or(0, |position| position.events);
        // What a line cites hangs on what its own procedure has told before it, and on nothing earlier.
        let part = before.and_then(|position| position.parts.last()).copied().unwrap_or_default();
        ran(&self.situation, self.events()[part..].to_vec(), from - part, self.now.state.clone(), refusal)
    }

    /// Answers, and goes on to the next stop; where that fails all is as before.
    fn answered(&mut self, before: Position) -> Result<(), Error> {
        self.machine.renew();
        match self.go_on() {
            Ok(()) => {
                self.past.push(before);
                Ok(())
            }
            Err(complaints) => {
                self.back_to(before);
                Err(Error::Data(complaints))
            }
        }
    }

    fn back_to(&mut self, position: Position) {
        if let Some(trace) = &mut self.machine.trace {
            trace.truncate(position.events);
        }
        self.now = position;
    }

    /// Answers a throw with the faces that the dice show, each singly.
    pub fn throw(&mut self, faces: &[u32]) -> Result<(), Error> {
        let mut typed = Typed::new(faces.to_vec());
        self.throw_from(&mut typed)
    }

    /// Throws the dice it waits for. What is thrown for the same purpose at the same place is the same after it was taken back.
    pub fn roll(&mut self) -> Result<(), Error> {
        let mut dice = self.now.dice.clone();
        self.throw_from(&mut dice)?;
        self.now.dice = dice;
        Ok(())
    }

    /// Answers a throw from a stream.
    pub fn throw_from(&mut self, stream: &mut dyn Stream) -> Result<(), Error> {
        let Waits::Throw(throwing) = self.now.waits.clone() else { return Err(self.other("no dice are thrown now")) };
        let before = self.now.clone();
        let throw = throw(&self.machine, &self.now.state, stream, &throwing).map_err(Error::Data)?;
        if let (None, left @ 1..) = (throwing.at_least, stream.left_over()) {
            let took = throw.faces.len();
            return Err(Error::Usage(format!("{} for {} takes {took} dice; {} are given", throwing.text, throwing.purpose, took + left)));
        }
        self.machine.thrown(&mut self.now.state, &throwing, throw);
        self.answered(before)
    }

    /// Answers a choice with one of its options, counted from 0.
    pub fn choose(&mut self, option: usize) -> Result<(), Error> {
        self.take(option, Answered::Said)
    }

    fn take(&mut self, option: usize, by: Answered) -> Result<(), Error> {
        let Waits::Choice(choosing) = self.now.waits.clone() else { return Err(self.other("nothing is to be chosen now")) };
        if option >= choosing.options.len() {
            return Err(Error::Usage(format!("there are {} options, not {}", choosing.options.len(), option + 1)));
        }
        let before = self.now.clone();
        self.machine.chosen(&mut self.now.state, &choosing, option, by);
        self.answered(before)
    }

    /// The option of a choice that a text names.
    pub fn option(&self, text: &str) -> Result<usize, Error> {
        let Waits::Choice(choosing) = &self.now.waits else { return Err(self.other("nothing is to be chosen now")) };
        let texts: Vec<String> = choosing.options.iter().map(|option| text_of(option, self.board())).collect();
        texts.iter().position(|option| option == text).ok_or_else(|| {
            let near = did_you_mean(text, texts.iter().map(String::as_str));
            Error::Usage(format!("`{text}` is not open{near}; open are {}", texts.join(", ")))
        })
    }

    /// What a decider says to the choice it waits for; none where it leaves it to whoever plays.
    pub fn decided(&mut self, decider: &Decider) -> Result<Option<usize>, Error> {
        let Waits::Choice(choosing) = self.now.waits.clone() else { return Ok(None) };
        match decider.decide(&mut self.machine, &mut self.now.state, &choosing).map_err(Error::Data)? {
            Decided::Taken(option, Answered::Said) => Ok(Some(option)),
            Decided::Open(Kind::Random) => {
                any_option(&self.machine, &self.now.state, &mut self.now.dice, &choosing).map(Some).map_err(Error::Data)
            }
            _ => Ok(None),
        }
    }

    /// Makes a move again; complains where it is not what is asked for.
    pub fn again(&mut self, made: &Move) -> Result<(), Error> {
        let off = |asked: String| Error::Usage(format!("the journal has {made}; the rules ask for {asked}"));
        match (self.now.waits.clone(), made) {
            (Waits::Throw(asked), Move::Throw { dice, purpose, faces }) if *asked.text == **dice && *asked.purpose == **purpose => {
                self.throw(faces)
            }
            (Waits::Choice(asked), Move::Choice { side, what, options, taken }) if *asked.side == **side && *asked.what == **what => {
                let open: Vec<String> = asked.options.iter().map(|option| text_of(option, self.board())).collect();
                match open.iter().position(|option| option == taken) {
                    Some(option) if open == *options => self.choose(option),
                    _ => Err(off(format!("{}, open being {}", question(&asked), open.join(", ")))),
                }
            }
            (Waits::Throw(asked), _) => Err(off(format!("{} for {}", asked.text, asked.purpose))),
            (Waits::Choice(asked), _) => Err(off(question(&asked))),
            (Waits::Over(_), _) => Err(off("nothing more".into())),
        }
    }

    /// Takes back the last answer; false where there was none.
    pub fn undo(&mut self) -> bool {
        let Some(position) = self.past.pop() else { return false };
        self.back_to(position);
        true
    }

    fn other(&self, what: &str) -> Error {
        let waits = match &self.now.waits {
            Waits::Throw(asked) => format!("{} for {} is waited for", asked.text, asked.purpose),
            Waits::Choice(asked) => format!("{} is waited for", question(asked)),
            Waits::Over(_) => "it has come to its end".into(),
        };
        Complaint::new("choice", Place::file("(play)"), format!("{what}: {waits}")).into()
    }
}

/// A choice as it is asked: "Red: bid".
pub fn question(asked: &Choosing) -> String {
    if asked.side.is_empty() { asked.what.to_string() } else { format!("{}: {}", asked.side, asked.what) }
}

#[cfg(test)]
mod tests;
