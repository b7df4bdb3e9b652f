//! Chances folded back from the ends of a graph for several outcomes together. A row of values is written in as few bits as it needs: there
//! are many rows, and each is written anew wherever an outcome is named.

use crate::odds::fold::{Part, Picked, Shares};
use crate::odds::graph::{Branch, NameId, Node, ValueId, from_the_ends};
use dashu_int::UBig;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What each of several outcomes is, none where it is not named; and behind it who refused, where a rule did: nothing counts then that was
/// named before.
pub type Row = (Vec<Option<ValueId>>, Option<ValueId>);

/// A row in bits: each outcome has a field of its own, and who refused the last. Zero stands for none.
trait Packed: Clone + Ord + AsRef<[u64]> + AsMut<[u64]> {
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

    /// What comes of chances behind a branch: the last word on an outcome counts.
    fn behind<P: Packed>(&self, branch: &Branch, shares: &Arc<Shares<P>>) -> Arc<Shares<P>> {
        let fields = branch.named.iter().rev().filter_map(|(name, value)| Some((&self.list[*self.of.get(name)?], *value)));
        let own: Vec<(usize, u64, u64)> = fields.map(|(field, value)| (field.word, field.mask(), field.put(value))).collect();
        // Most ways name nothing.
        if own.is_empty() {
            return shares.clone();
        }
        let lay = |(row, ways): &(P, UBig)| {
            let mut row = row.clone();
            if !self.is_refused(&row) {
                let words = row.as_mut();
                own.iter().for_each(|(word, mask, value)| words[*word] |= if words[*word] & mask == 0 { *value } else { 0 });
            }
            (row, ways.clone())
        };
        let mut ways: Vec<(P, UBig)> = shares.ways.iter().map(lay).collect();
        ways.sort_by(|(a, _), (b, _)| a.cmp(b));
        ways.dedup_by(|(later, more), (row, ways)| {
            let same = later == row;
            if same {
                *ways += &*more;
            }
            same
        });
        Arc::new(Shares { all: shares.all.clone(), ways })
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
    let mut known: FxHashMap<*const Node, Arc<Shares<P>>> = FxHashMap::default();
    for node in from_the_ends(&root.to) {
        let behind = |branch: &Branch| fields.behind(branch, &known[&Arc::as_ptr(&branch.to)]);
        let found = match &**node {
            Node::Done | Node::Came(_) => Arc::new(Shares::sure(fields.blank::<P>())),
            Node::Refused(by) => Arc::new(Shares::sure(fields.refused::<P>(*by))),
            Node::Unseen(_) => Arc::new(Shares { all: UBig::ONE, ways: Vec::new() }),
            Node::Throw(ways) => {
                let laid: Vec<_> = ways.iter().map(|(weight, branch)| (*weight, behind(branch))).collect();
                let parts: Vec<_> = laid.iter().map(|(weight, shares)| (*weight, Part::Of(&**shares))).collect();
                Arc::new(Shares::mixed(&parts, ways.iter().map(|(weight, _)| weight).sum()))
            }
            Node::Choice(_, _, options) => behind(&options[picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0)]),
        };
        if found.ways.len() > most {
            return None;
        }
        known.insert(Arc::as_ptr(node), found);
    }
    let found = fields.behind(root, &known[&Arc::as_ptr(&root.to)]);
    let mut ways: Vec<(Row, UBig)> = found.ways.iter().map(|(row, ways)| (fields.row(row), ways.clone())).collect();
    ways.sort();
    Some(Shares { all: found.all.clone(), ways })
}
