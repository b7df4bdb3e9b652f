//! Where ways that part meet again: what stands between depends on what was decided where they parted, and nothing after.

use super::liveness::{defines, next};
use crate::code::unit::{Effects, Join, Joins, Op, Register, Unit};

/// What operations of a unit may do beyond registers: those that may do anything, in their order.
pub type Done = Vec<(usize, Effects)>;

/// Finds the joins of a unit, whose operations may do so much.
pub fn find(unit: &Unit, done: &Done) -> Joins {
    let end = unit.ops.len();
    let ways = Ways::of(unit);
    let mut joins = Joins { list: Vec::new(), parts: vec![None; end], meets: vec![false; end + 1] };
    if (0..end).all(|place| ways.from(place).len() < 2) {
        return joins;
    }
    let always = Always::of(&ways);
    for place in (0..end).filter(|place| ways.from(*place).len() > 1) {
        // Of the operations that every way comes to, the nearest is the one from which all the others are still to come.
        let common = |other: &usize| *other != place && always.has(place, *other);
        let at = (0..=end).filter(common).max_by_key(|other| always.size(*other)).unwrap_or(end);
        let mut join = Join { at: at as u32, ..Join::default() };
        for way in ways.from(place) {
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
fn along(unit: &Unit, done: &Done, ways: &Ways, (from, to): (usize, usize), sets: &mut Vec<Register>) -> Effects {
    let mut seen = vec![false; unit.ops.len()];
    let mut todo = vec![from];
    while let Some(place) = todo.pop() {
        if place == to || place >= seen.len() || std::mem::replace(&mut seen[place], true) {
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
        todo.extend(ways.from(place));
    }
    let mut all = Effects::default();
    done.iter().filter(|(place, _)| seen[*place]).for_each(|(_, effects)| all.join(effects));
    all
}

/// The operations that may come after each.
struct Ways {
    /// Where those of an operation begin.
    starts: Vec<usize>,
    all: Vec<usize>,
}

impl Ways {
    fn of(unit: &Unit) -> Ways {
        let mut ways = Ways { starts: vec![0], all: Vec::with_capacity(unit.ops.len()) };
        for place in 0..unit.ops.len() {
            next(unit, place, &mut |after| ways.all.push(after));
            ways.starts.push(ways.all.len());
        }
        ways
    }

    fn from(&self, place: usize) -> &[usize] {
        &self.all[self.starts[place]..self.starts[place + 1]]
    }
}

/// For each operation, those that every way from it comes to, as bits; a rule that refuses ends all ways, and is not waited for.
struct Always {
    words: usize,
    bits: Vec<u64>,
}

impl Always {
    fn of(ways: &Ways) -> Always {
        let end = ways.starts.len() - 1;
        let words = end / 64 + 1;
        let mut always = Always { words, bits: vec![u64::MAX; words * (end + 1)] };
        always.bits[words * end..].fill(0);
        always.bits[words * end + end / 64] |= 1 << (end % 64);
        let mut common = vec![0; words];
        let mut changed = true;
        while changed {
            changed = false;
            for place in (0..end).rev() {
                common.fill(u64::MAX);
                for way in ways.from(place) {
                    common.iter_mut().zip(always.row(*way)).for_each(|(word, other)| *word &= other);
                }
                common[place / 64] |= 1 << (place % 64);
                if common != always.row(place) {
                    always.bits[words * place..][..words].copy_from_slice(&common);
                    changed = true;
                }
            }
        }
        always
    }

    fn row(&self, place: usize) -> &[u64] {
        &self.bits[self.words * place..][..self.words]
    }

    fn has(&self, place: usize, other: usize) -> bool {
        self.row(place)[other / 64] & (1 << (other % 64)) != 0
    }

    fn size(&self, place: usize) -> u32 {
        self.row(place).iter().map(|word| word.count_ones()).sum()
    }
}
