//! Lists of units: who is of a kind, who has a figure, what they come to together. Maps stand for pieces in examples.

use crate::code::host::Host;
use crate::code::memo::WHOSE;
use crate::situation::board::{Board, PieceId};
use crate::situation::session::{Answer, fault, joined, map_of, same, text_of};
use rhai::{Array, Dynamic, Engine, ImmutableString, Map};
use std::rc::Rc;

/// Gives an engine the verbs of lists of units.
pub fn register(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("total", move |units: Array, figure: ImmutableString| h.total(&units, &figure));
    let h = host.clone();
    engine.register_fn("names", move |units: Array| joined(units.iter().map(|u| text_of(u, &h.session.borrow().board)).collect()));
    let h = host.clone();
    engine.register_fn("only", move |units: Array, group: ImmutableString| h.sorted_out(units, &[group.into()], true));
    let h = host.clone();
    engine.register_fn("only", move |units: Array, groups: Array| h.sorted_out(units, &groups, true));
    let h = host.clone();
    engine.register_fn("without", move |units: Array, group: ImmutableString| h.sorted_out(units, &[group.into()], false));
    let h = host.clone();
    engine.register_fn("without", move |units: Array, others: Array| h.sorted_out(units, &others, false));
    let h = host.clone();
    engine.register_fn("distinct", move |list: Array| h.distinct(list));
    let h = host.clone();
    engine.register_fn("sort_by", move |units: Array, figure: ImmutableString| h.sort_by(units, &figure));
    let h = host.clone();
    engine.register_fn("having", move |units: Array, figure: ImmutableString, value: Dynamic| h.having(units, &figure, &value, true));
    let h = host.clone();
    engine.register_fn("not_having", move |units: Array, figure: ImmutableString, value: Dynamic| h.having(units, &figure, &value, false));
    let h = host.clone();
    engine.register_fn("figures", move |units: Array, figure: ImmutableString| -> Answer<Array> {
        units.iter().map(|unit| h.figure_of(unit, &figure)).collect()
    });
    // Rhai takes a text here for the name of a function to test with; in a rule it is a thing to look for.
    engine.register_fn("index_of", |list: Array, text: ImmutableString| -> i64 {
        list.iter().position(|item| item.read_lock::<ImmutableString>().is_some_and(|t| *t == text)).map_or(-1, |i| i as i64)
    });
    let h = host.clone();
    engine.register_fn("where", move |units: Array, wanted: Map| h.sift(units, &wanted, true));
    let h = host.clone();
    engine.register_fn("without", move |units: Array, unwanted: Map| h.sift(units, &unwanted, false));
    engine.register_fn("first", |list: Array| list.into_iter().next().unwrap_or(Dynamic::UNIT));
    engine.register_fn("asked", |given: Map, key: ImmutableString, default: Dynamic| given.get(key.as_str()).cloned().unwrap_or(default));
    let h = host.clone();
    engine.register_fn("is_a", move |unit: Dynamic, group: ImmutableString| -> Answer<bool> {
        h.known_group(&group)?;
        Ok(h.is_a(&unit, &group))
    });
}

impl Host {
    /// The sum of a figure over pieces or maps.
    fn total(&self, units: &Array, figure: &str) -> Answer<i64> {
        let mut sum = 0i64;
        for unit in units {
            let value = self.figure_of(unit, figure)?;
            sum = sum.saturating_add(value.as_int().unwrap_or(0));
        }
        Ok(sum)
    }

    /// Whether a piece, or the map that stands for one, is of a kind or group.
    fn is_a(&self, unit: &Dynamic, group: &str) -> bool {
        self.is_a_on(unit, group, &self.session.borrow().board)
    }

    fn is_a_on(&self, unit: &Dynamic, group: &str, board: &Board) -> bool {
        if let Some(id) = unit.read_lock::<PieceId>() {
            self.memo.look(WHOSE);
            return self.game().kind_is(&board.piece(*id).kind, group);
        }
        let kind = map_of(unit).and_then(|map| map.get("kind").and_then(|k| k.clone().into_immutable_string().ok()));
        kind.is_some_and(|kind| self.game().kind_is(&kind, group))
    }

    fn known_group(&self, group: &str) -> Answer<()> {
        if self.game().knows_group(group) {
            return Ok(());
        }
        let near = crate::complaint::did_you_mean(group, self.game().groups());
        fault(
            "unknown-name",
            format!("no kind or group of pieces is called `{group}`{near}"),
            "kinds and groups stand in the game's manifest",
        )
    }

    /// The units that belong to one of some groups, or that are one of some units; or all others.
    fn sorted_out(&self, units: Array, among: &[Dynamic], wanted: bool) -> Answer<Array> {
        let mut groups = Vec::new();
        let mut others = Vec::new();
        for one in among {
            match one.read_lock::<ImmutableString>() {
                Some(group) => {
                    self.known_group(&group)?;
                    groups.push(group.clone());
                }
                None => others.push(one),
            }
        }
        let board = &self.session.borrow().board;
        let named = |unit: &Dynamic| others.iter().any(|other| text_of(other, board) == text_of(unit, board));
        let belongs = |unit: &Dynamic| groups.iter().any(|group| self.is_a_on(unit, group, board)) || named(unit);
        Ok(units.into_iter().filter(|unit| belongs(unit) == wanted).collect())
    }

    /// The units that meet every condition, or all others: a kind or group, or a figure, with one value or one of a list.
    pub fn sift(&self, units: Array, conditions: &Map, wanted: bool) -> Answer<Array> {
        let mut kept = Array::new();
        for unit in units {
            let mut meets = true;
            for (figure, value) in conditions {
                let list = value.read_lock::<Array>();
                let values: &[Dynamic] = list.as_ref().map_or(std::slice::from_ref(value), |list| list.as_slice());
                let fits = if figure == "kind" {
                    let groups: Vec<ImmutableString> = values.iter().filter_map(|v| v.clone().into_immutable_string().ok()).collect();
                    groups.iter().try_for_each(|group| self.known_group(group))?;
                    groups.iter().any(|group| self.is_a(&unit, group))
                } else {
                    let own = self.figure_of(&unit, figure)?;
                    let board = &self.session.borrow().board;
                    values
                        .iter()
                        .any(|value| same(&own, value, board) || (value.is::<PieceId>() && text_of(value, board) == text_of(&own, board)))
                };
                meets &= fits;
            }
            if meets == wanted {
                kept.push(unit);
            }
        }
        Ok(kept)
    }

    /// The units with a certain figure, or with one of a list; or all others.
    fn having(&self, units: Array, figure: &str, value: &Dynamic, wanted: bool) -> Answer<Array> {
        let list = value.read_lock::<Array>();
        let values: &[Dynamic] = list.as_ref().map_or(std::slice::from_ref(value), |list| list.as_slice());
        let mut kept = Array::new();
        for unit in units {
            let own = self.figure_of(&unit, figure)?;
            if values.iter().any(|value| same(&own, value, &self.session.borrow().board)) == wanted {
                kept.push(unit);
            }
        }
        Ok(kept)
    }

    /// The values of a list, each once, in the order they first come.
    fn distinct(&self, list: Array) -> Array {
        let board = &self.session.borrow().board;
        let mut kept = Array::new();
        for item in list {
            if !kept.iter().any(|known| same(known, &item, board)) {
                kept.push(item);
            }
        }
        kept
    }

    /// The units, the largest figure first; equal ones keep their order, and no figure counts as 0.
    fn sort_by(&self, units: Array, figure: &str) -> Answer<Array> {
        let mut keyed = Vec::with_capacity(units.len());
        for unit in units {
            keyed.push((self.figure_of(&unit, figure)?.as_int().unwrap_or(0), unit));
        }
        keyed.sort_by_key(|(figure, _)| std::cmp::Reverse(*figure));
        Ok(keyed.into_iter().map(|(_, unit)| unit).collect())
    }

    /// A figure of a piece, or of the map that stands for one.
    fn figure_of(&self, unit: &Dynamic, figure: &str) -> Answer {
        match unit.read_lock::<PieceId>() {
            Some(id) => self.figure(*id, figure),
            None => Ok(unit.read_lock::<Map>().and_then(|map| map.get(figure).cloned()).unwrap_or(Dynamic::UNIT)),
        }
    }
}
