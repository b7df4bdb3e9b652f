//! What only examples may call: boards and dice set up by hand, expectations, exact chances.

use crate::code::host::Host;
use crate::situation::board::Board;
use crate::situation::dice::{Shared, Typed};
use crate::situation::fraction::Distribution;
use crate::situation::session::{Answer, Refusal, fault, map_of, same, text_of};
use crate::situation::trace::Event;
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, Map, NativeCallContext};
use std::rc::Rc;

/// The verbs that only examples may call.
pub const ONLY_EXAMPLES: &[&str] = &["expect", "expect_refused", "dice", "answers", "setup", "chance", "mean", "outcome"];

/// Gives an engine the verbs of examples.
pub fn register(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("expect", move |got: Dynamic, wanted: Dynamic| -> Answer<()> {
        h.only_example("expect")?;
        let session = h.session.borrow();
        if same(&got, &wanted, &session.board) {
            return Ok(());
        }
        fault(
            "example",
            format!("expected {}, got {}", text_of(&wanted, &session.board), text_of(&got, &session.board)),
            "the source decides: mend the case, or the example if it misreads the source",
        )
    });
    let h = host.clone();
    engine.register_fn("expect_refused", move |context: NativeCallContext, call: FnPtr, case: ImmutableString| {
        h.expect_refused(&context, &call, &case)
    });
    let h = host.clone();
    engine.register_fn("dice", move |faces: Array| -> Answer<()> {
        h.only_example("dice")?;
        let faces = faces.iter().map(|f| f.as_int().unwrap_or(0).clamp(0, 100_000) as u32).collect();
        h.session.borrow_mut().stream = Box::new(Typed::new(faces));
        Ok(())
    });
    let h = host.clone();
    engine.register_fn("answers", move |map: Map| -> Answer<()> {
        h.only_example("answers")?;
        h.session.borrow_mut().answers = map.into_iter().map(|(k, v)| (k.to_string(), v)).collect();
        Ok(())
    });
    let h = host.clone();
    engine.register_fn("setup", move |pieces: Array| -> Answer<()> {
        let tracks = h.session.borrow().board.tracks.clone();
        h.set_up(Board::default(), &pieces)?;
        h.session.borrow_mut().board.tracks = tracks;
        Ok(())
    });
    let h = host.clone();
    engine.register_fn("setup", move |situation: ImmutableString| h.situation(&situation).and_then(|board| h.set_up(board, &Array::new())));
    let h = host.clone();
    engine.register_fn("setup", move |map: ImmutableString, pieces: Array| h.situation(&map).and_then(|board| h.set_up(board, &pieces)));
    let h = host.clone();
    engine.register_fn("chance", move |context: NativeCallContext, call: FnPtr, value: Dynamic| -> Answer<ImmutableString> {
        let wanted = text_of(&value, &h.session.borrow().board);
        Ok(h.distribution(&context, &call)?.chance(&wanted).to_string().into())
    });
    let h = host.clone();
    engine.register_fn("mean", move |context: NativeCallContext, call: FnPtr| -> Answer<ImmutableString> {
        match h.distribution(&context, &call)?.mean() {
            Some(mean) => Ok(mean.to_string().into()),
            None => fault("running", "a mean is of whole numbers", "let the closure return a number"),
        }
    });
    let h = host.clone();
    engine.register_fn("outcome", move |context: NativeCallContext, call: FnPtr| -> Answer<Map> {
        h.only_example("outcome")?;
        let from = h.session.borrow().events.len();
        let _: Dynamic = call.call_within_context(&context, ())?;
        let session = h.session.borrow();
        let named = session.events[from..]
            .iter()
            .filter_map(|e| if let Event::Result(name, value) = e { Some((name.as_str().into(), value.clone())) } else { None });
        Ok(named.collect())
    });
}

impl Host {
    fn only_example(&self, verb: &str) -> Answer<()> {
        if self.session.borrow().example {
            return Ok(());
        }
        fault("procedure", format!("`{verb}` is for examples"), "rules take boards, dice and answers as they come")
    }

    /// The board of a situation, or the map of a list.
    fn situation(&self, name: &str) -> Answer<Board> {
        let read = self.ruleset.scenario(name).map_err(|e| e.to_string());
        let board = read.and_then(|s| Board::new(&s, &self.ruleset).map(|b| (s, b)).map_err(|e| e.to_string()));
        match board {
            Ok((scenario, board)) => {
                self.session.borrow_mut().answers = crate::situation::session::answers(&scenario);
                Ok(board)
            }
            Err(error) => fault("unknown-name", error, "situations stand in scenarios/<game> and in variants"),
        }
    }

    /// Sets up a board with more pieces on it.
    fn set_up(&self, mut board: Board, pieces: &Array) -> Answer<()> {
        self.only_example("setup")?;
        for piece in pieces {
            let entry = self.described(&map_of(piece).unwrap_or_default())?;
            board.add(&entry, self.game());
        }
        self.memo.clear();
        self.session.borrow_mut().board = board;
        Ok(())
    }

    fn expect_refused(&self, context: &NativeCallContext, call: &FnPtr, case: &str) -> Answer<()> {
        self.only_example("expect_refused")?;
        let error = match call.call_within_context::<Dynamic>(context, ()) {
            Ok(_) => {
                return fault(
                    "example",
                    format!("expected a refusal by {case}, and nothing refused"),
                    "the source decides: mend the case, or the example if it misreads the source",
                );
            }
            Err(error) => error,
        };
        let mut inner: &EvalAltResult = &error;
        while let EvalAltResult::ErrorInFunctionCall(_, _, deeper, _) = inner {
            inner = deeper;
        }
        let refusal = match inner {
            EvalAltResult::ErrorRuntime(value, _) => value.clone().try_cast::<Refusal>(),
            _ => None,
        };
        let Some(refusal) = refusal else { return Err(error) };
        self.broken_at.set(None);
        let by: Vec<&str> = refusal.cases.iter().map(|i| self.ruleset.cases[*i].number.as_str()).collect();
        if by.contains(&case) {
            return Ok(());
        }
        fault(
            "example",
            format!("expected a refusal by {case}; it was refused by {}", by.join(", ")),
            "the source decides: mend the case, or the example if it misreads the source",
        )
    }

    /// Every outcome of a closure with its chance: run again and again under the exhaustive stream, each time from the same board.
    fn distribution(&self, context: &NativeCallContext, call: &FnPtr) -> Answer<Distribution> {
        self.only_example("chance")?;
        let Shared(paths) = Shared::default();
        let (board, events) = (self.session.borrow().board.clone(), self.session.borrow().events.len());
        let state = self.memo.state();
        let old = std::mem::replace(&mut self.session.borrow_mut().stream, Box::new(Shared(paths.clone())));
        let mut distribution = Distribution::default();
        let result = loop {
            let outcome = match call.call_within_context::<Dynamic>(context, ()) {
                Ok(outcome) => outcome,
                Err(error) => break Err(error),
            };
            let Some(weight) = paths.borrow().weight() else {
                break fault("dice", "too many outcomes to count exactly", "ask a smaller question");
            };
            let text = text_of(&outcome, &self.session.borrow().board);
            if distribution.add(text, weight).is_none() {
                break fault("dice", "too many outcomes to count exactly", "ask a smaller question");
            }
            let mut session = self.session.borrow_mut();
            session.board = board.clone();
            session.events.truncate(events);
            self.memo.back_to(state.clone());
            if !paths.borrow_mut().advance() {
                break Ok(());
            }
        };
        self.session.borrow_mut().stream = old;
        result.map(|()| distribution)
    }
}
