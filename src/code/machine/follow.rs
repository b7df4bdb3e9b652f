//! Where what operations give comes from: worked out before each is carried out, where somebody reads the ruling.
//!
//! A value comes from whatever its operation was given and reads of the board, from the case that works it out, and from what decided at
//! each parting of ways on the way there. Where ways meet again, what could have been set on any of them comes from that, too.

use super::Machine;
use super::memo::Known;
use crate::code::followed::{Archive, Followed, NOWHERE, Pending, Way};
use crate::code::lower::{effects, joins};
use crate::code::sources::{NOBODY, Set};
use crate::code::state::{Frame, State};
use crate::code::unit::{Args, Effects, Join, Joins, Op, Operand, Unit};
use crate::code::verbs::{self, Place};
use crate::situation::figures::Noted;
use crate::situation::trace::Event;
use crate::situation::value::Value;

impl Machine {
    /// A state that goes on where nobody reads what happens, such as a count from the midst of a ruling, is no longer followed.
    pub(super) fn still_followed(&self, state: &mut State) {
        if self.trace.is_none() && state.followed.take().is_some() {
            state.board.watch = state.board.watch.take().filter(|watch| watch.noted.is_none());
        }
    }

    /// Follows where an operation's values come from. Frames above `floor` belong to whoever calls closures.
    pub(super) fn follow(&mut self, state: &mut State, code: &Unit, (pc, base): (usize, usize), floor: usize) {
        let joins = match code.joins.get() {
            Some(joins) => joins,
            None => self.joins(code),
        };
        let State { followed: Some(followed), frames, registers, board, .. } = state else { return };
        let events = self.trace.as_deref_mut().unwrap_or_default();
        let noted = board.watch.as_mut().and_then(|watch| watch.noted.as_mut());
        let read = noted.as_ref().is_some_and(|noted| !noted.is_empty());
        if read || followed.seen != events.len() || followed.ways.len() != frames.len() {
            let begun = self.memo.begun(frames.len());
            settle(followed, code, (frames.len(), base, begun), events, noted);
        } else if followed.waits {
            followed.give(NOBODY);
        }
        if followed.is_asked() && does_more(followed, joins, code, pc) {
            followed.dissolve();
        }
        if let Some((join, set)) = followed.parts.take() {
            taken(followed, &joins.list[join], pc, set);
        }
        if joins.meets[pc] {
            meet(followed, joins, (pc, base));
        }
        step((registers, frames), followed, (code, joins), (pc, base), floor);
    }

    #[cold]
    fn joins<'a>(&mut self, code: &'a Unit) -> &'a Joins {
        let done = self.done(code);
        code.joins.get_or_init(|| joins::find(code, &done))
    }

    /// What the operations of a unit may do.
    fn done(&mut self, code: &Unit) -> joins::Done {
        let program = self.program.clone();
        let game = (&*program.ruleset.game, &*program.words);
        let each = (0..code.ops.len()).map(|place| (place, effects::of(code, place, game, |number| self.all_effects(number, 0).0)));
        each.filter(|(_, effects)| *effects != Effects::default()).collect()
    }

    /// What a unit may do, and all that it calls. Those that call each other in a circle may all do the same: it is known when the first of
    /// them that was come to, whose place among those under way is returned too, is done.
    fn all_effects(&mut self, number: u32, from: usize) -> (Effects, usize) {
        let Ok(code) = self.load(number) else { return (Effects::default(), from) };
        if let Some(effects) = code.effects.get() {
            return (*effects, from);
        }
        if let Some(place) = self.looking.iter().position(|known| *known == number) {
            return (Effects::default(), place.min(from));
        }
        let place = self.looking.len();
        self.looking.push(number);
        let program = self.program.clone();
        let game = (&*program.ruleset.game, &*program.words);
        let (mut all, mut first) = (Effects::default(), place);
        for place in 0..code.ops.len() {
            let of = |called: u32| {
                let (effects, head) = self.all_effects(called, first);
                first = head;
                effects
            };
            all.join(&effects::of(&code, place, game, of));
        }
        if first == place {
            for known in self.looking.split_off(place) {
                if let Ok(code) = self.load(known) {
                    code.effects.get_or_init(|| all);
                }
            }
        }
        (all, first.min(from))
    }
}

/// A remembered answer is given: it goes to a register, and its arguments stand in others from one on.
pub fn heard(state: &mut State, known: &Known, archive: &Archive, (from, to): (usize, usize), noted: Option<usize>) {
    if let (Some(followed), Some(origin)) = (&mut state.followed, &known.origin) {
        let set = followed.heard(origin, archive, from);
        followed.put(to, set);
        followed.seen = noted.unwrap_or(0);
    }
}

/// Whether a function does more than to answer with an operation, or might have on a way that was not taken.
fn does_more(followed: &Followed, joins: &Joins, code: &Unit, pc: usize) -> bool {
    let writes = |(way, writes, _): &(u32, Vec<usize>, bool)| *way as usize != pc && !writes.is_empty();
    followed.parts.is_some_and(|(join, _)| joins.list[join].ways.iter().any(writes))
        || matches!(code.ops[pc], Op::Refuse { .. } | Op::Since { .. })
}

/// What came of the operation before: what it read, which cells, whom it called. What has `begun` is a function whose answer will be
/// remembered, with so many arguments.
fn settle(
    followed: &mut Followed,
    code: &Unit,
    (frames, base, begun): (usize, usize, Option<usize>),
    events: &mut [Event],
    noted: Option<&mut Vec<Noted>>,
) {
    followed.leave(frames);
    if followed.is_asked() {
        let wrote = noted.as_ref().is_some_and(|noted| noted.iter().any(|note| matches!(note, Noted::Wrote(_))));
        let told = |event: &Event| matches!(event, Event::Say(_) | Event::Result(_));
        if wrote || events.get(followed.seen..).unwrap_or_default().iter().any(told) {
            followed.dissolve();
        }
    }
    let mut set = followed.ways.last().map_or(NOBODY, |way| way.pending.set);
    if let Some(noted) = noted {
        followed.noted(noted, &mut set);
        noted.clear();
    }
    for event in events.get_mut(followed.seen..).unwrap_or_default() {
        match event {
            Event::Cell(table, index) => {
                let cell = followed.cell(table, *index as usize);
                followed.add(&mut set, cell);
            }
            Event::Say(said) => {
                let all = followed.sources.join(set, followed.required);
                said.from = followed.sources.list(all);
            }
            Event::Result(..) => followed.outcomes = followed.sources.join(followed.outcomes, set),
            _ => {}
        }
    }
    followed.seen = events.len();
    if followed.ways.len() == frames {
        followed.give(set);
    } else {
        // Whoever has called decided that this function is asked.
        let mut into = followed.sources.join(followed.here(), set);
        if let Some(args) = begun {
            followed.ask((base, args), into);
            into = NOBODY;
        }
        if let Some(case) = code.cited.or(code.case) {
            let own = followed.case(case);
            followed.add(&mut into, own);
        }
        followed.enter(base, into);
    }
}

/// A way was taken: what might have been done on the others comes from what decided.
fn taken(followed: &mut Followed, join: &Join, pc: usize, set: Set) {
    for (_, writes, refuses) in join.ways.iter().filter(|(way, ..)| *way as usize != pc) {
        followed.spared(writes, set);
        if *refuses {
            followed.required = followed.sources.join(followed.required, set);
        }
    }
}

/// Where ways meet again: what was set on some of them comes from what decided, and nothing after does.
fn meet(followed: &mut Followed, joins: &Joins, (pc, base): (usize, usize)) {
    let Some(Way { into: mut here, parted: from, .. }) = followed.ways.last().copied() else { return };
    let mut open = from;
    for place in from..followed.parted.len() {
        let parted = followed.parted[place];
        if parted.at as usize == pc {
            for register in &joins.list[parted.join].sets {
                let register = base + *register as usize;
                let all = followed.sources.join(followed.get(register), parted.set);
                followed.put(register, all);
            }
        } else {
            followed.add(&mut here, parted.set);
            followed.parted[open] = parted;
            open += 1;
        }
    }
    if open < followed.parted.len() {
        followed.parted.truncate(open);
        followed.ways.iter_mut().last().into_iter().for_each(|way| way.here = here);
    }
}

/// What an operation gives comes from what it is given.
fn step(
    (registers, frames): (&[Value], &[Frame]),
    followed: &mut Followed,
    (code, joins): (&Unit, &Joins),
    (pc, base): (usize, usize),
    floor: usize,
) {
    let here = followed.here();
    let register = |register: u16| base + register as usize;
    let more = |followed: &mut Followed, set: Set, operand: Operand| followed.with(set, base, operand);
    let given = |followed: &mut Followed, operand: Operand| more(followed, here, operand);
    let all = |followed: &mut Followed, mut set: Set, args: Args| {
        for operand in code.args(args) {
            set = more(followed, set, *operand);
        }
        set
    };
    // What reads the board or a chart is known when it has been carried out.
    let waits = |followed: &mut Followed, set: Set, to: [usize; 2]| {
        if let Some(way) = followed.ways.last_mut() {
            way.pending = Pending { set, to };
        }
        followed.waits = true;
    };
    let parts = |followed: &mut Followed, set: Set| {
        // Where both ways are one, they have met already.
        if let Some(join) = joins.parts[pc] {
            followed.part(join as usize, joins.list[join as usize].at, set);
        }
    };
    match code.ops[pc] {
        Op::Copy { dst, src } | Op::Not { dst, src } | Op::Neg { dst, src } => {
            let set = given(followed, src);
            followed.put(register(dst), set);
        }
        Op::Move { dst, src } => {
            let set = given(followed, Operand(src));
            followed.put(register(dst), set);
        }
        Op::Binary { dst, a, b, .. } => {
            let set = given(followed, a);
            let set = more(followed, set, b);
            followed.put(register(dst), set);
        }
        Op::AddTo { dst, src } | Op::Push { list: dst, src } => {
            let set = given(followed, Operand(dst));
            let set = more(followed, set, src);
            followed.put(register(dst), set);
        }
        Op::List { dst, args }
        | Op::Map { dst, args, .. }
        | Op::Words { dst, args }
        | Op::Closure { dst, args, .. }
        | Op::Roll { dst, args, .. }
        | Op::Choose { dst, args }
        | Op::Count { dst, args } => {
            let set = all(followed, here, args);
            followed.put(register(dst), set);
        }
        Op::JumpIf { flag, .. } => {
            let set = given(followed, flag);
            parts(followed, set);
        }
        Op::Compare { a, b, .. } => {
            let set = given(followed, a);
            let set = more(followed, set, b);
            parts(followed, set);
        }
        Op::JumpIfSome { src, .. } | Op::Switch { src, .. } => {
            let set = given(followed, src);
            parts(followed, set);
        }
        Op::Next { dst, of, count, .. } => {
            let set = given(followed, of);
            let set = more(followed, set, Operand(count));
            followed.put(register(dst), set);
            followed.put(register(count), set);
            parts(followed, set);
        }
        Op::Get { dst, of, .. } => {
            let set = given(followed, of);
            waits(followed, set, [register(dst), NOWHERE]);
        }
        Op::Index { dst, of, key } => {
            let set = given(followed, of);
            let set = more(followed, set, key);
            waits(followed, set, [register(dst), NOWHERE]);
        }
        Op::Load { dst, shared } => {
            let set = given(followed, Operand(shared));
            waits(followed, set, [register(dst), NOWHERE]);
        }
        Op::Verb { dst, args, .. } | Op::Table { dst, args } => {
            let set = all(followed, here, args);
            waits(followed, set, [register(dst), NOWHERE]);
        }
        Op::Share { dst, src } => {
            let set = given(followed, src);
            followed.put(register(dst), here);
            waits(followed, set, [NOWHERE; 2]);
        }
        Op::Store { src, .. } => {
            let set = given(followed, src);
            waits(followed, set, [NOWHERE; 2]);
        }
        Op::Put { root, args, .. } => {
            let set = given(followed, Operand(root));
            let set = all(followed, set, args);
            let sheet = matches!(registers[register(root)], Value::Record(_));
            waits(followed, set, [if sheet { NOWHERE } else { register(root) }, NOWHERE]);
        }
        Op::Change { verb, dst, target, args } => {
            let set = given(followed, Operand(target));
            let set = all(followed, set, args);
            let key = code.args(args).first().map(|key| super::reach::pick(registers, &code.constants, base, *key));
            let own = match (&registers[register(target)], key) {
                (Value::List(_), Some(Value::Text(_))) => verbs::all()[verb as usize].place != Place::Procedures,
                (Value::List(_) | Value::Map(_), _) => true,
                _ => false,
            };
            waits(followed, set, [register(dst), if own { register(target) } else { NOWHERE }]);
        }
        Op::CallClosure { closure, base: window, count, .. } => {
            let set = given(followed, closure);
            waits(followed, set, [NOWHERE; 2]);
            // The variables it shares come to stand before its arguments.
            let from = register(window);
            let shared = match super::reach::pick(registers, &code.constants, base, closure) {
                Value::Closure(closure) => closure.shared.len(),
                _ => 0,
            };
            let args: Vec<Set> = (from..from + count as usize).map(|place| followed.get(place)).collect();
            (from..from + shared).for_each(|place| followed.put(place, set));
            args.into_iter().zip(from + shared..).for_each(|(set, place)| followed.put(place, set));
            followed.registers.truncate(from + shared + count as usize);
        }
        // What else was worked out there is not what the function finds in its registers.
        Op::Call { base: window, count, .. } => followed.registers.truncate(register(window) + count as usize),
        Op::Return { src } => {
            let set = given(followed, src);
            followed.leave(frames.len() - 1);
            let set = followed.answers(frames.len() - 1, set);
            followed.waits = true;
            let caller = frames.len().checked_sub(2).filter(|above| *above + 1 > floor);
            match caller.map(|caller| frames[caller].base as usize + frames[caller + 1].dst as usize) {
                Some(place) => followed.put(place, set),
                None => {
                    if let Some(way) = followed.ways.last_mut() {
                        way.pending.set = followed.sources.join(way.pending.set, set);
                    }
                }
            }
        }
        Op::Refuse { args, .. } => {
            let set = all(followed, here, args);
            followed.required = followed.sources.join(followed.required, set);
        }
        Op::Mark { dst } | Op::Try { dst, .. } => followed.put(register(dst), here),
        Op::Since { dst, .. } => {
            let set = followed.sources.join(here, followed.outcomes);
            followed.put(register(dst), set);
        }
        Op::Jump { .. } | Op::Quiet { .. } | Op::EndTry | Op::Fault { .. } => {}
    }
}
