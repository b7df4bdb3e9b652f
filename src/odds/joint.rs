//! Chances folded back from the ends of a graph for several outcomes together. A row of values is written in as few bits as it needs: there
//! are many rows, and each is written anew wherever an outcome is named.

use crate::odds::fold::{Picked, Shares, common, uses};
use crate::odds::graph::{Branch, NameId, Node, ValueId, from_the_ends};
use dashu_int::UBig;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::Arc;

/// What each of several outcomes is, none where it is not named; and behind it who refused, where a rule did: nothing counts then that was
/// named before.
pub type Row = (Vec<Option<ValueId>>, Option<ValueId>);

/// A row in bits: each outcome has a field of its own, and who refused the last. Zero stands for none.
trait Packed: Clone + Eq + Hash + AsRef<[u64]> + AsMut<[u64]> {
    /// So many words, in which nothing stands.
    fn blank(words: usize) -> Self;
}

/// Most rows are short: these are copied without asking for memory.
impl<const N: usize> Packed for [u64; N] {
    fn blank(_: usize) -> [u64; N] {
        [0; N]
    }
}

impl Packed for Box<[u64]> {
    fn blank(words: usize) -> Box<[u64]> {
        vec![0; words].into()
    }
}

/// The field of an outcome: the word, where in it, and the values that may stand there.
struct Field {
    word: usize,
    shift: u32,
    values: Vec<ValueId>,
}

impl Field {
    fn mask(&self) -> u64 {
        bits(self.values.len()) << self.shift
    }

    fn put(&self, value: ValueId) -> u64 {
        self.values.binary_search(&value).map_or(0, |place| place as u64 + 1) << self.shift
    }

    fn read(&self, row: &impl Packed) -> Option<ValueId> {
        let place = (row.as_ref()[self.word] & self.mask()) >> self.shift;
        self.values.get((place as usize).checked_sub(1)?).copied()
    }
}

/// Ones, as many as it takes to count so far.
fn bits(most: usize) -> u64 {
    u64::MAX.checked_shr((most as u64).leading_zeros()).unwrap_or(0)
}

/// What a branch names: words, and in each which bits are to be what.
type Own = Vec<(usize, u64, u64)>;

/// What is known of nodes.
type Known<P> = FxHashMap<*const Node, Arc<Shares<P>>>;

/// The fields of a row.
struct Fields {
    of: FxHashMap<NameId, usize>,
    list: Vec<Field>,
    words: usize,
}

impl Fields {
    fn new(root: &Branch, names: &[NameId]) -> Fields {
        let of: FxHashMap<NameId, usize> = names.iter().zip(0..).map(|(name, place)| (*name, place)).collect();
        let mut values: Vec<Vec<ValueId>> = vec![Vec::new(); names.len() + 1];
        let mut named = |branch: &Branch| {
            branch
                .named
                .iter()
                .filter_map(|(name, value)| Some((of.get(name)?, value)))
                .for_each(|(place, value)| values[*place].push(*value))
        };
        named(root);
        let mut refusals = Vec::new();
        for node in from_the_ends(&root.to) {
            match &**node {
                Node::Throw(ways) => ways.iter().for_each(|(_, branch)| named(branch)),
                Node::Choice(_, _, options) => options.iter().for_each(&mut named),
                Node::Refused(by) => refusals.push(*by),
                _ => {}
            }
        }
        values[names.len()] = refusals;
        let (mut word, mut shift, mut list) = (0, 0, Vec::new());
        for mut values in values {
            values.sort_unstable();
            values.dedup();
            let long = bits(values.len()).count_ones();
            if shift + long > 63 {
                (word, shift) = (word + 1, 0);
            }
            list.push(Field { word, shift, values });
            shift += long;
        }
        Fields { of, list, words: word + 1 }
    }

    fn blank<P: Packed>(&self) -> P {
        P::blank(self.words)
    }

    fn refused<P: Packed>(&self, by: ValueId) -> P {
        let mut row: P = self.blank();
        self.list.last().into_iter().for_each(|field| row.as_mut()[field.word] |= field.put(by));
        row
    }

    fn is_refused(&self, row: &impl Packed) -> bool {
        self.list.last().is_some_and(|field| row.as_ref()[field.word] & field.mask() != 0)
    }

    /// What a branch names of the outcomes, in bits: the last word on each counts.
    fn named(&self, branch: &Branch) -> Own {
        let fields = branch.named.iter().rev().filter_map(|(name, value)| Some((&self.list[*self.of.get(name)?], *value)));
        fields.map(|(field, value)| (field.word, field.mask(), field.put(value))).collect()
    }

    /// A row with what was named before it.
    fn laid<P: Packed>(&self, row: &P, own: &Own) -> P {
        let mut row = row.clone();
        // Most ways name nothing.
        if !own.is_empty() && !self.is_refused(&row) {
            let words = row.as_mut();
            own.iter().for_each(|(word, mask, value)| words[*word] |= if words[*word] & mask == 0 { *value } else { 0 });
        }
        row
    }

    /// The chances where one of several ways is taken, in no order.
    fn behind<P: Packed>(&self, ways: &[(u128, &Branch)], known: &Known<P>) -> Arc<Shares<P>> {
        // Most ways meet again at once.
        let mut apart: Vec<(u128, Own, &Arc<Shares<P>>)> = Vec::new();
        for (weight, branch) in ways {
            let (own, shares) = (self.named(branch), &known[&Arc::as_ptr(&branch.to)]);
            match apart.iter_mut().find(|(_, known, other)| Arc::ptr_eq(shares, other) && *known == own) {
                Some((sum, ..)) => *sum += weight,
                None => apart.push((*weight, own, shares)),
            }
        }
        if let [(_, own, shares)] = &apart[..]
            && own.is_empty()
        {
            return Arc::clone(shares);
        }
        let common = common(apart.iter().map(|(.., shares)| &shares.all));
        // Few rows of one part are those of another.
        let count = apart.iter().map(|(.., shares)| shares.ways.len()).sum();
        let mut rows: FxHashMap<P, UBig> = FxHashMap::with_capacity_and_hasher(count, FxBuildHasher);
        for (weight, own, shares) in &apart {
            let factor = (&common / &shares.all) * *weight;
            for (row, ways) in &shares.ways {
                let more = ways * &factor;
                match rows.entry(self.laid(row, own)) {
                    Entry::Vacant(entry) => _ = entry.insert(more),
                    Entry::Occupied(mut known) => *known.get_mut() += more,
                }
            }
        }
        let all = common * apart.iter().map(|(weight, ..)| weight).sum::<u128>();
        Arc::new(Shares { all, ways: rows.into_iter().collect() }.reduced())
    }

    fn row(&self, row: &impl Packed) -> Row {
        let mut values: Vec<Option<ValueId>> = self.list.iter().map(|field| field.read(row)).collect();
        let refused = values.pop().flatten();
        (values, refused)
    }
}

/// The chances of several outcomes together; none where there are more rows than `most` at some place.
pub fn joint(root: &Branch, names: &[NameId], picked: &Picked, most: usize) -> Option<Shares<Row>> {
    let fields = Fields::new(root, names);
    match fields.words {
        1 => folded::<[u64; 1]>(root, &fields, picked, most),
        2 => folded::<[u64; 2]>(root, &fields, picked, most),
        3 | 4 => folded::<[u64; 4]>(root, &fields, picked, most),
        _ => folded::<Box<[u64]>>(root, &fields, picked, most),
    }
}

fn folded<P: Packed>(root: &Branch, fields: &Fields, picked: &Picked, most: usize) -> Option<Shares<Row>> {
    let mut known: Known<P> = FxHashMap::default();
    let order = from_the_ends(&root.to);
    let mut uses = uses(&order);
    for node in order {
        let found = match &**node {
            Node::Done | Node::Came(_) => Arc::new(Shares::sure(fields.blank::<P>())),
            Node::Refused(by) => Arc::new(Shares::sure(fields.refused::<P>(*by))),
            Node::Unseen(..) => Arc::new(Shares { all: UBig::ONE, ways: Vec::new() }),
            Node::Throw(ways) => {
                let ways: Vec<(u128, &Branch)> = ways.iter().map(|(weight, branch)| (*weight, branch)).collect();
                fields.behind(&ways, &known)
            }
            Node::Choice(_, _, options) => {
                let option = picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0);
                fields.behind(&[(1, &options[option])], &known)
            }
        };
        if found.ways.len() > most {
            return None;
        }
        uses.done(node, |node| drop(known.remove(&node)));
        known.insert(Arc::as_ptr(node), found);
    }
    let found = fields.behind(&[(1, root)], &known);
    let mut ways: Vec<(Row, UBig)> = found.ways.iter().map(|(row, ways)| (fields.row(row), ways.clone())).collect();
    ways.sort();
    Some(Shares { all: found.all.clone(), ways })
}
