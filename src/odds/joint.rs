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
type Packed = Box<[u64]>;

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

    fn read(&self, row: &Packed) -> Option<ValueId> {
        let place = (row[self.word] & self.mask()) >> self.shift;
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

    fn blank(&self) -> Packed {
        vec![0; self.words].into()
    }

    fn refused(&self, by: ValueId) -> Packed {
        let mut row = self.blank();
        self.list.last().into_iter().for_each(|field| row[field.word] |= field.put(by));
        row
    }

    fn is_refused(&self, row: &Packed) -> bool {
        self.list.last().is_some_and(|field| row[field.word] & field.mask() != 0)
    }

    /// What comes of chances behind a branch: the last word on an outcome counts.
    fn behind(&self, branch: &Branch, shares: &Arc<Shares<Packed>>) -> Arc<Shares<Packed>> {
        let fields = branch.named.iter().rev().filter_map(|(name, value)| Some((&self.list[*self.of.get(name)?], *value)));
        let own: Vec<(usize, u64, u64)> = fields.map(|(field, value)| (field.word, field.mask(), field.put(value))).collect();
        // Most ways name nothing.
        if own.is_empty() {
            return shares.clone();
        }
        let lay = |(row, ways): &(Packed, UBig)| {
            let mut row = row.clone();
            if !self.is_refused(&row) {
                own.iter().for_each(|(word, mask, value)| row[*word] |= if row[*word] & mask == 0 { *value } else { 0 });
            }
            (row, ways.clone())
        };
        let mut ways: Vec<(Packed, UBig)> = shares.ways.iter().map(lay).collect();
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

    fn row(&self, row: &Packed) -> Row {
        let mut values: Vec<Option<ValueId>> = self.list.iter().map(|field| field.read(row)).collect();
        let refused = values.pop().flatten();
        (values, refused)
    }
}

/// The chances of several outcomes together; none where there are more rows than `most` at some place.
pub fn joint(root: &Branch, names: &[NameId], picked: &Picked, most: usize) -> Option<Shares<Row>> {
    let fields = Fields::new(root, names);
    let mut known: FxHashMap<*const Node, Arc<Shares<Packed>>> = FxHashMap::default();
    for node in from_the_ends(&root.to) {
        let behind = |branch: &Branch| fields.behind(branch, &known[&Arc::as_ptr(&branch.to)]);
        let found = match &**node {
            Node::Done | Node::Came(_) => Arc::new(Shares::sure(fields.blank())),
            Node::Refused(by) => Arc::new(Shares::sure(fields.refused(*by))),
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
