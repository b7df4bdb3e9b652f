//! How a choice is answered where nobody is asked: by hand, by the situation, by policy, else the first.

use crate::code::machine::Machine;
use crate::code::program::Source;
use crate::code::state::{Choosing, State, Stop};
use crate::complaint::{Complaint, Complaints, Place, did_you_mean};
use crate::data::scenario::Scenario;
use crate::situation::policy::{Formula, Kind, Policies, puts, question};
use crate::situation::trace::Answered;
use crate::situation::value::Value;
use crate::situation::words::text_of;
use std::collections::HashMap;
use std::sync::Arc;

/// Who answers choices.
#[derive(Clone, Debug, Default)]
pub struct Decider {
    /// Answers by "side: what" or "what".
    pub answers: HashMap<String, Value>,
    /// The policies of the sides.
    pub policies: Arc<Policies>,
    /// The situation that gives answers, where one does: its file is shown where an answer is not open.
    pub scenario: Option<Arc<Scenario>>,
}

/// What became of a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// An option was taken.
    Taken(usize, Answered),
    /// It is for whoever has dice, where any option will do, or who sees all that can come of it.
    Open(Kind),
}

impl Decider {
    /// Answers a choice. What a policy looks at counts as looked at by the state that asks.
    pub fn decide(&self, machine: &mut Machine, state: &mut State, asked: &Choosing) -> Result<Decided, Complaints> {
        let Choosing { side, what, options } = asked;
        self.policies.note(side, what);
        if self.policies.opens(what) {
            return Ok(Decided::Open(Kind::Open));
        }
        let texts = || options.iter().map(|option| text_of(option, &state.board)).collect::<Vec<String>>();
        let wish = self.wish(side, what);
        if let Some(wish) = wish {
            let wanted = text_of(wish, &state.board);
            let meant = |option: &Value| option.text().map_or_else(|| text_of(option, &state.board) == wanted, |text| **text == *wanted);
            if let Some(place) = options.iter().position(meant) {
                return Ok(Decided::Taken(place, Answered::Said));
            }
            return match Kind::word(&wanted) {
                Some(kind) => Ok(by_kind(asked, &kind)),
                None => {
                    let texts = texts();
                    let near = did_you_mean(&wanted, texts.iter().map(String::as_str));
                    let help = format!("open are {}; or first, last, highest, lowest", texts.join(", "));
                    let message = format!("{side}: {what}: `{wanted}` is not open{near}");
                    match self.place(side, what, &wanted) {
                        Some(place) => Err(Complaint::new("choice", place, message).help(help).into()),
                        None => Err(machine.complain(state, "choice", message, &help)),
                    }
                }
            };
        }
        match self.policies.of(side) {
            Some((_, Kind::Script(formula))) => {
                by_script(machine, state, asked, formula, &texts()).map(|place| Decided::Taken(place, Answered::Said))
            }
            Some((_, kind)) => Ok(by_kind(asked, kind)),
            None => {
                if options.len() > 1 {
                    self.policies.leave(side, what, text_of(&options[0], &state.board));
                }
                Ok(Decided::Taken(0, Answered::First))
            }
        }
    }

    /// Where the situation gives this answer, if it is the one who does.
    fn place(&self, side: &str, what: &str, wanted: &str) -> Option<Place> {
        let scenario = self.scenario.as_ref()?;
        let choices = scenario.root.get("choices")?;
        let given = choices.get(&question(side, what)).or_else(|| choices.get(what))?;
        let said = given.text() == Some(wanted);
        said.then(|| Place::at(&scenario.file.path, &scenario.file.text, given.span))
    }

    /// The answer given to a question.
    fn wish(&self, side: &str, what: &str) -> Option<&Value> {
        let put = |(text, _): &(&String, &Value)| puts(text, side, what);
        self.answers.iter().find(put).map(|(_, answer)| answer).or_else(|| self.answers.get(what))
    }
}

fn by_kind(asked: &Choosing, kind: &Kind) -> Decided {
    let options = &asked.options;
    let mut numbers = options.iter().enumerate().filter_map(|(i, o)| Some((o.number()?, i)));
    let picked = match kind {
        Kind::Last => options.len() - 1,
        // Of words none is the greater: the first stands.
        Kind::Highest => numbers.max_by_key(|(n, i)| (*n, std::cmp::Reverse(*i))).map_or(0, |(_, i)| i),
        Kind::Lowest => numbers.by_ref().min().map_or(0, |(_, i)| i),
        kind if (kind.explored() || *kind == Kind::Random) && options.len() > 1 => return Decided::Open(kind.clone()),
        _ => 0,
    };
    Decided::Taken(picked, Answered::Said)
}

/// What a policy typed in as a closure says.
fn by_script(machine: &mut Machine, state: &mut State, asked: &Choosing, formula: &Formula, texts: &[String]) -> Result<usize, Complaints> {
    let Choosing { side, what, options } = asked;
    let at = || Place::file(&format!("--policy '{side}=|{}| {}'", formula.params.join(", "), formula.body));
    // Where lines are cited, no rule has looked.
    let watch = state.board.watch.take_if(|watch| watch.noted.is_none());
    let mut own = State::new(state.board.clone());
    own.board.watch = watch;
    let deadline = machine.deadline;
    let trace = machine.trace.take();
    let source = Source::Expression(formula.body.clone(), formula.params.to_vec());
    let begun = machine.begin(&mut own, source, vec![what.clone().into(), Value::List(options.clone())]);
    let stop = begun.map(|()| machine.run(&mut own));
    if let Some(watch) = own.board.watch.take() {
        state.board.watch = Some(watch);
    }
    machine.deadline = deadline;
    machine.trace = trace;
    let complaint = match stop {
        Ok(Stop::Done(_)) if own.board.differs(&state.board) => {
            Complaint::new("procedure", at(), "a policy changes the situation").help("a policy only says which option it takes")
        }
        Ok(Stop::Done(value)) => {
            let wanted = text_of(&value, &state.board);
            if let Some(picked) = texts.iter().position(|t| *t == wanted) {
                return Ok(picked);
            }
            let near = did_you_mean(&wanted, texts.iter().map(String::as_str));
            Complaint::new("choice", at(), format!("{side}: {what}: the policy says `{wanted}`, which is not open{near}"))
                .help(format!("open are {}; end with one of them, such as options[0]", texts.join(", ")))
        }
        Ok(Stop::Broken(found)) | Err(found) => {
            let found = found.0.into_iter().next();
            let (law, why, help) = found.map_or(("running", String::new(), String::new()), |c| (c.law, c.what, c.help));
            let help = if help.is_empty() { "the names are those before the body: `|what, options| options[0]`".into() } else { help };
            Complaint::new(law, at(), format!("{side}: {what}: the policy fails: {why}")).help(help)
        }
        Ok(_) => Complaint::new("choice", at(), format!("{side}: {what}: the policy throws dice, asks or refuses"))
            .help("a policy only says which option it takes"),
    };
    Err(complaint.into())
}
