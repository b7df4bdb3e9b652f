//! Lists of units: who is of a kind, who has a figure, what they come to together. Maps stand for pieces in examples.

use crate::board::PieceId;
use crate::host::Host;
use crate::session::{Answer, fault, joined, map_of, same, text_of};
use rhai::{Array, Dynamic, Engine, ImmutableString, Map};
use std::rc::Rc;

/// Gives an engine the verbs of lists of units.
pub fn register(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("total", move |units: Array, figure: ImmutableString| h.total(&units, &figure));
    let h = host.clone();
    engine.register_fn("names", move |units: Array| joined(units.iter().map(|u| text_of(u, &h.session.borrow().board)).collect()));
    let h = host.clone();
    engine.register_fn("only", move |units: Array, group: ImmutableString| h.sorted_out(units, &group, true));
    let h = host.clone();
    engine.register_fn("without", move |units: Array, group: ImmutableString| h.sorted_out(units, &group, false));
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
        if let Some(id) = unit.read_lock::<PieceId>() {
            return self.game().kind_is(&self.session.borrow().board.piece(*id).kind, group);
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

    /// The units of a group, or all others.
    fn sorted_out(&self, units: Array, group: &str, wanted: bool) -> Answer<Array> {
        self.known_group(group)?;
        Ok(units.into_iter().filter(|unit| self.is_a(unit, group) == wanted).collect())
    }

    /// The units with a certain figure, or all others.
    fn having(&self, units: Array, figure: &str, value: &Dynamic, wanted: bool) -> Answer<Array> {
        let mut kept = Array::new();
        for unit in units {
            let has = same(&self.figure_of(&unit, figure)?, value, &self.session.borrow().board);
            if has == wanted {
                kept.push(unit);
            }
        }
        Ok(kept)
    }

    /// A figure of a piece, or of the map that stands for one.
    fn figure_of(&self, unit: &Dynamic, figure: &str) -> Answer {
        match unit.read_lock::<PieceId>() {
            Some(id) => self.figure(*id, figure),
            None => Ok(unit.read_lock::<Map>().and_then(|map| map.get(figure).cloned()).unwrap_or(Dynamic::UNIT)),
        }
    }
}
