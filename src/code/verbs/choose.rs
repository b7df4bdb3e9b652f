//! The verb `choose`: by hand, by the situation, by policy, else the first.

use crate::code::fault::complain;
use crate::code::host::Host;
use crate::complaint::{Complaint, Place, did_you_mean};
use crate::situation::policy::{Decision, Formula, Kind};
use crate::situation::session::{Answer, fault, text_of};
use crate::situation::trace::{Answered, Event};
use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Position, Scope};
use std::rc::Rc;
use std::sync::Arc;

impl Host {
    /// Answers a choice of a side.
    pub fn choose(&self, engine: &Engine, side: Dynamic, what: ImmutableString, options: Array) -> Answer {
        self.memo.act();
        let (side, wish, texts) = {
            let session = self.session.borrow();
            let side = ImmutableString::from(if side.is_unit() { String::new() } else { text_of(&side, &session.board) });
            let given = session.answers.get(&format!("{side}: {what}")).or_else(|| session.answers.get(what.as_str()));
            let texts: Vec<String> = options.iter().map(|o| text_of(o, &session.board)).collect();
            (side, given.map(|wish| text_of(wish, &session.board)), texts)
        };
        if options.is_empty() {
            return fault("choice", format!("{side}: {what}: there is nothing to choose from"), "offer at least one option");
        }
        let policies = self.session.borrow().policies.clone();
        policies.note(&side, &what);
        let number = |wanted: &str| texts.iter().position(|t| *t == wanted);
        let open = || format!("open are {}; or first, last, highest, lowest", texts.join(", "));
        let (picked, by) = match (wish, policies.of(&side)) {
            _ if policies.opens(&what) => (self.explored(&side, &what, &texts, Kind::Open)?, Answered::Policy),
            (Some(wanted), _) => {
                let word = || Some(self.by_kind(&side, &what, &options, &texts, &Kind::word(&wanted)?));
                match number(&wanted).map(Ok).or_else(word) {
                    Some(picked) => (picked?, Answered::Policy),
                    None => {
                        let near = did_you_mean(&wanted, texts.iter().map(String::as_str));
                        return fault("choice", format!("{side}: {what}: `{wanted}` is not open{near}"), open());
                    }
                }
            }
            (None, Some((number, Kind::Script(formula)))) => {
                (self.by_script(engine, number, formula, (&side, &what), &options, &texts)?, Answered::Policy)
            }
            (None, Some((_, kind))) => (self.by_kind(&side, &what, &options, &texts, kind)?, Answered::Policy),
            (None, None) => (0, Answered::First),
        };
        let value = options[picked].clone();
        self.session.borrow_mut().events.push(Event::Choice { side, what, options, picked, by });
        Ok(value)
    }

    fn by_kind(&self, side: &str, what: &str, options: &Array, texts: &[String], kind: &Kind) -> Answer<usize> {
        let mut numbers = options.iter().enumerate().filter_map(|(i, o)| Some((o.as_int().ok()?, i)));
        Ok(match kind {
            Kind::Last => options.len() - 1,
            // Of words none is the greater: the first stands.
            Kind::Highest => numbers.max_by_key(|(n, i)| (*n, std::cmp::Reverse(*i))).map_or(0, |(_, i)| i),
            Kind::Lowest => numbers.by_ref().min().map_or(0, |(_, i)| i),
            kind if kind.explored() => return self.explored(side, what, texts, kind.clone()),
            _ => 0,
        })
    }

    /// The option this run takes, where all are led through in turn.
    fn explored(&self, side: &str, what: &str, texts: &[String], kind: Kind) -> Answer<usize> {
        if texts.len() == 1 && kind != Kind::Open {
            return Ok(0);
        }
        let decision = || Arc::new(Decision { side: side.into(), what: what.into(), options: texts.to_vec(), kind: kind.clone() });
        match self.session.borrow_mut().stream.decide(&decision) {
            Some(picked) => Ok(picked),
            None => fault(
                "choice",
                format!("{side}: {what}: best, worst and all are found by going through every chance"),
                "they are for `casebook odds` where all can be counted; choose first, last, highest, lowest or an option by name",
            ),
        }
    }

    /// What a policy typed in as a closure says.
    fn by_script(
        &self,
        engine: &Engine,
        number: usize,
        formula: &Formula,
        (side, what): (&str, &ImmutableString),
        options: &Array,
        texts: &[String],
    ) -> Answer<usize> {
        let at = || Place::file(&format!("--policy '{side}=|{}| {}'", formula.params.join(", "), formula.body));
        let state = self.memo.state();
        let mut scope = Scope::new();
        scope
            .push_dynamic(formula.params[0].as_str(), what.clone().into())
            .push_dynamic(formula.params[1].as_str(), options.clone().into());
        let key = (usize::MAX, number);
        let known = self.compiled.borrow().get(&key).cloned();
        let result = match known {
            Some(ast) => Ok(ast),
            None => engine.compile_with_scope(&scope, &formula.body).map_err(|e| Box::new(EvalAltResult::from(e))).map(Rc::new),
        }
        .and_then(|ast| {
            self.compiled.borrow_mut().insert(key, ast.clone());
            engine.eval_ast_with_scope::<Dynamic>(&mut scope, &ast)
        });
        let complaint = match result {
            Ok(_) if self.memo.state() != state => {
                Complaint::new("procedure", at(), "a policy changes the situation").help("a policy only says which option it takes")
            }
            Ok(value) => {
                let wanted = text_of(&value, &self.session.borrow().board);
                if let Some(picked) = texts.iter().position(|t| *t == wanted) {
                    return Ok(picked);
                }
                let near = did_you_mean(&wanted, texts.iter().map(String::as_str));
                Complaint::new("choice", at(), format!("{side}: {what}: the policy says `{wanted}`, which is not open{near}"))
                    .help(format!("open are {}; end with one of them, such as options[0]", texts.join(", ")))
            }
            Err(error) => {
                let (inner, position) = crate::code::fault::innermost(&error);
                let found = complain(inner, None, position).0.into_iter().next();
                let (law, why, help) = found.map_or(("running", error.to_string(), String::new()), |c| (c.law, c.what, c.help));
                let help = if help.is_empty() { "the names are those before the body: `|what, options| options[0]`".into() } else { help };
                Complaint::new(law, at(), format!("{side}: {what}: the policy fails: {why}")).help(help)
            }
        };
        Err(Box::new(EvalAltResult::ErrorRuntime(Dynamic::from(crate::complaint::Complaints::from(complaint)), Position::NONE)))
    }
}
