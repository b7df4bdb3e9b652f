//! Where ways that part meet again: what stands between depends on what was decided where they parted, and nothing after.

use super::liveness::{defines, next};
use crate::code::unit::{Effects, Join, Joins, Op, Register, Unit};

/// What operations of a unit may do beyond registers: those that may do anything, in their order.
pub type Done = Vec<(usize, Effects)>;

/// Finds the joins of a unit, whose operations may do so much.
pub fn find(unit: &Unit, done: &Done) -> Joins {
    let end = unit.ops.len();
    let ways: Vec<Vec<usize>> = (0..end).map(|place| next(unit, place)).collect();
    let mut joins = Joins { list: Vec::new(), parts: vec![None; end], meets: vec![false; end + 1] };
    if ways.iter().all(|ways| ways.len() < 2) {
        return joins;
    }
    let always = always(&ways);
    let sizes: Vec<u32> = always.iter().map(size).collect();
    for place in (0..end).filter(|place| ways[*place].len() > 1) {
        // Of the operations that every way comes to, the nearest is the one from which all the others are still to come.
        let common = |other: &usize| *other != place && has(&always[place], *other);
        let at = (0..=end).filter(common).max_by_key(|other| sizes[*other]).unwrap_or(end);
        let mut join = Join { at: at as u32, ..Join::default() };
        for way in &ways[place] {
            if !join.ways.iter().any(|(known, ..)| *known as usize == *way) {
                let done = along(unit, done, &ways, (*way, at), &mut join.sets);
                join.ways.push((*way as u32, done.writes.iter().collect(), done.refuses));
            }
        }
        join.sets.sort_unstable();
        join.sets.dedup();
        joins.parts[place] = Some(joins.list.len() as u32);
        joins.meets[at] = true;
        joins.list.push(join);
    }
    joins
}

/// What may be done from one operation until another, and the registers that are set.
fn along(unit: &Unit, done: &Done, ways: &[Vec<usize>], (from, to): (usize, usize), sets: &mut Vec<Register>) -> Effects {
    let mut seen = vec![false; ways.len()];
    let mut todo = vec![from];
    while let Some(place) = todo.pop() {
        if place == to || place >= ways.len() || std::mem::replace(&mut seen[place], true) {
            continue;
        }
        let op = unit.ops[place];
        let mut set = |register| sets.push(register);
        defines(op, &mut set);
        match op {
            Op::AddTo { dst, .. } | Op::Push { list: dst, .. } | Op::Put { root: dst, .. } | Op::Change { target: dst, .. } => set(dst),
            Op::Next { dst, count, .. } => {
                set(dst);
                set(count);
            }
            _ => {}
        }
        todo.extend(&ways[place]);
    }
    let mut all = Effects::default();
    done.iter().filter(|(place, _)| seen[*place]).for_each(|(_, effects)| all.join(effects));
    all
}

type Places = Vec<u64>;

fn has(places: &Places, place: usize) -> bool {
    places[place / 64] & (1 << (place % 64)) != 0
}

fn size(places: &Places) -> u32 {
    places.iter().map(|word| word.count_ones()).sum()
}

/// For each operation, those that every way from it comes to; a rule that refuses ends all ways, and is not waited for.
fn always(ways: &[Vec<usize>]) -> Vec<Places> {
    let words = ways.len() / 64 + 1;
    let mut always = vec![vec![u64::MAX; words]; ways.len() + 1];
    always[ways.len()] = vec![0; words];
    let own = |places: &mut Places, place: usize| places[place / 64] |= 1 << (place % 64);
    own(&mut always[ways.len()], ways.len());
    let mut changed = true;
    let mut common = vec![0; words];
    while changed {
        changed = false;
        for (place, ways) in ways.iter().enumerate().rev() {
            common.fill(u64::MAX);
            for way in ways {
                common.iter_mut().zip(&always[*way]).for_each(|(word, other)| *word &= other);
            }
            own(&mut common, place);
            if common != always[place] {
                always[place].copy_from_slice(&common);
                changed = true;
            }
        }
    }
    always
}
