//! The differences of two rulesets in groups that can be switched: by variant, by option, by amendment, and by cell or figure.

use crate::compare::causes::{Cause, describe_cause};
use crate::compare::switches::RulesetPair;
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of groups that one is split into.
const MAX_GROUPS: usize = 8;

/// Some of the differences of two rulesets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchGroup {
    /// The indices of the switches.
    pub switches: BTreeSet<usize>,
    /// What they are, for the user.
    pub title: String,
    /// The kind: `variant`, `option`, `amendment`, `amendments` for several, else the kind of the only cause.
    pub kind: &'static str,
}

/// All differences of two rulesets, described.
pub struct DescribedSwitches {
    causes: Vec<Cause>,
}

impl DescribedSwitches {
    pub fn new(pair: &RulesetPair) -> DescribedSwitches {
        DescribedSwitches {
            causes: pair
                .switches
                .iter()
                .map(|switch| describe_cause(pair, switch))
                .collect(),
        }
    }

    pub fn causes(&self, group: &SwitchGroup) -> impl Iterator<Item = &Cause> {
        group
            .switches
            .iter()
            .filter_map(|place| self.causes.get(*place))
    }

    /// Returns the groups that some switches fall into, by the first property in which they differ.
    pub fn split(&self, switches: &BTreeSet<usize>) -> Vec<SwitchGroup> {
        self.split_by(switches, 0)
    }

    /// Splits by the first property from a level on in which the switches differ.
    fn split_by(&self, switches: &BTreeSet<usize>, level: usize) -> Vec<SwitchGroup> {
        let mut groups: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for index in switches {
            groups
                .entry(self.key(*index, level))
                .or_default()
                .insert(*index);
        }
        if groups.len() == 1 && switches.len() > 1 && level < 3 {
            return self.split_by(switches, level + 1);
        }
        let mut groups: Vec<BTreeSet<usize>> = groups.into_values().collect();
        if groups.len() > MAX_GROUPS {
            let size = groups.len().div_ceil(MAX_GROUPS);
            groups = groups
                .chunks(size)
                .map(|some| some.iter().flatten().copied().collect())
                .collect();
        }
        groups
            .into_iter()
            .map(|own| self.describe(own, level))
            .collect()
    }

    /// Returns what switches of one group share at a level.
    fn key(&self, index: usize, level: usize) -> String {
        let cause = &self.causes[index];
        let reading = if cause.kind == "reading" {
            cause.identity.as_str()
        } else {
            ""
        };
        match level {
            0 => format!("{}{reading}", cause.layer),
            1 => cause.option.clone(),
            2 => self.amendment(cause),
            _ => format!("{index:09}"),
        }
    }

    /// Returns the amendment that a cause belongs to: its file without the line.
    fn amendment(&self, cause: &Cause) -> String {
        let path = cause
            .path
            .rsplit_once(':')
            .map_or(cause.path.as_str(), |(path, _)| path);
        let name = match cause.kind {
            "cell" => &cause.cite,
            "case" => &cause.identity,
            _ => "",
        };
        format!("{path} {name}")
    }

    /// Describes a group by what its switches share.
    fn describe(&self, switches: BTreeSet<usize>, level: usize) -> SwitchGroup {
        let causes: Vec<&Cause> = switches.iter().map(|place| &self.causes[*place]).collect();
        let named = |cause: &Cause| match cause.title.is_empty() {
            true => cause.identity.clone(),
            false => format!("{}: {}", cause.identity, cause.title),
        };
        let amendments: BTreeSet<String> =
            causes.iter().map(|cause| self.amendment(cause)).collect();
        let layers: BTreeSet<&str> = causes.iter().map(|cause| cause.layer.as_str()).collect();
        let options: BTreeSet<&str> = causes.iter().map(|cause| cause.option.as_str()).collect();
        let layer = layers.iter().copied().collect::<Vec<_>>().join(", ");
        let prefix = if layer.is_empty() {
            String::new()
        } else {
            format!("{layer}, ")
        };
        let (kind, title) = match (&causes[..], level) {
            ([cause], _) => (cause.kind, format!("{prefix}{}", named(cause))),
            (_, 0) if layers.len() == 1 => ("variant", layer),
            (_, 1) if options.len() == 1 && !options.contains("") => {
                ("option", options.into_iter().collect())
            }
            (_, 1) if options.len() == 1 => {
                ("amendments", format!("{prefix}all that no option switches"))
            }
            ([cause, ..], _) if amendments.len() == 1 => {
                let source = if cause.cite.is_empty() {
                    cause.path.split(':').next().unwrap_or_default()
                } else {
                    &cause.cite
                };
                (
                    "amendment",
                    format!("{prefix}{source}, {} entries", causes.len()),
                )
            }
            ([first, .., last], _) => (
                "amendments",
                format!(
                    "{prefix}{} amendments, from {} to {}",
                    amendments.len(),
                    first.identity,
                    last.identity
                ),
            ),
            ([], _) => ("amendments", prefix),
        };
        SwitchGroup {
            switches,
            title,
            kind,
        }
    }
}
