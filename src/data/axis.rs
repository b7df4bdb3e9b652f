//! Axes of a chart: the meaning of their labels and the lookup of a key.

use crate::complaint::{DiagnosticCode, Span};
use crate::data::format::table;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::{Band, Dice, OddsRatio};

/// Parsed labels of an axis.
#[derive(Clone, Debug)]
pub enum AxisLabels {
    /// Bands of whole numbers.
    Bands(Vec<Band>),
    /// Odds, ascending.
    Odds(Vec<OddsRatio>),
    /// Words.
    Words(Vec<String>),
}

/// One axis of a chart.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Name of the axis.
    pub name: String,
    /// The labels as written.
    pub label_texts: Vec<String>,
    /// Parsed labels.
    pub labels: AxisLabels,
    /// Dice thrown on this axis, if any.
    pub dice: Option<Dice>,
    /// Source position of the labels.
    pub span: Span,
    /// False if the labels are invalid; errors that would follow from them are then suppressed.
    pub is_valid: bool,
}

/// A lookup key on one axis of a chart.
#[derive(Clone, Copy, Debug)]
pub enum AxisKey<'a> {
    /// A whole number.
    Number(i64),
    /// A word, or odds as text.
    Text(&'a str),
}

impl Axis {
    /// Returns an axis with a single, unnamed label.
    pub fn unlabelled() -> Axis {
        Axis {
            name: String::new(),
            label_texts: vec![String::new()],
            labels: AxisLabels::Words(vec![String::new()]),
            dice: None,
            span: Span::default(),
            is_valid: true,
        }
    }

    /// Returns the index of the label for a key: the band that contains it, the nearest odds not better for the attacker, or the equal
    /// word.
    pub fn find(&self, key: AxisKey<'_>) -> Option<usize> {
        match (&self.labels, key) {
            (AxisLabels::Bands(bands), AxisKey::Number(n)) => bands.iter().position(|band| band.contains(n)),
            (AxisLabels::Bands(bands), AxisKey::Text(text)) => match text.parse() {
                Ok(n) => bands.iter().position(|band| band.contains(n)),
                Err(_) => self.label_texts.iter().position(|label| label == text),
            },
            (AxisLabels::Odds(ladder), AxisKey::Text(text)) => {
                let odds = OddsRatio::parse(text).ok()?;
                // Odds below the lowest column use that column.
                Some(ladder.iter().rposition(|step| step.compare(&odds).is_le()).unwrap_or(0))
            }
            (AxisLabels::Words(words), AxisKey::Text(text)) => words.iter().position(|word| word == text),
            (AxisLabels::Words(words), AxisKey::Number(n)) => words.iter().position(|word| word.parse() == Ok(n)),
            (AxisLabels::Odds(_), AxisKey::Number(_)) => None,
        }
    }

    /// Reads an axis from its node.
    pub fn read(node: &YamlNode, reader: &mut YamlReader) -> Option<Axis> {
        reader.check_format(node, &table::AXIS);
        let labels = node.get("labels").or_else(|| {
            reader.complain(DiagnosticCode::MissingKey, node.span, "this axis has no labels", "add `labels: [...]`");
            None
        })?;
        let written = reader.texts(labels);
        let bands: Result<Vec<_>, _> = written.iter().map(|text| Band::parse(text)).collect();
        let ladder: Result<Vec<_>, _> = written.iter().map(|text| OddsRatio::parse(text)).collect();
        let kind = match (bands, ladder) {
            (Ok(bands), _) => AxisLabels::Bands(bands),
            (_, Ok(ladder)) => AxisLabels::Odds(ladder),
            _ => AxisLabels::Words(written.clone()),
        };
        let dice = node.get("dice").and_then(|n| {
            let text = reader.text(n)?;
            // Whether a game declares these dice, and whether the labels cover them, is checked where the game is known.
            if Dice::die_name(text).is_some() {
                return None;
            }
            Dice::parse(text).map_err(|e| reader.complain(DiagnosticCode::Notation, n.span, e.to_string(), "write dice as 1d6 or 2d6")).ok()
        });
        let name = reader.optional_text(node, "of").unwrap_or_default();
        let mut axis = Axis { name, label_texts: written, labels: kind, dice, span: labels.span, is_valid: true };
        let before = reader.complaints.0.len();
        axis.check(labels, reader);
        axis.is_valid = reader.complaints.0.len() == before;
        Some(axis)
    }

    /// Checks `rows-cover`: bands neither overlap nor leave a gap, and each total of the dice has exactly one label.
    fn check(&self, node: &YamlNode, reader: &mut YamlReader) {
        match &self.labels {
            AxisLabels::Bands(bands) => {
                // Gaps are allowed between single numbers: such an axis is looked up by exactly these.
                let single = self.dice.is_none() && bands.iter().all(|b| b.low == b.high);
                // Missing labels cannot be determined while the labels are unsorted.
                if let Some(i) = (1..bands.len()).find(|i| bands[*i].low < bands[i - 1].low) {
                    let at = node.items().get(i).map_or(node.span, |n| n.span);
                    let what = format!("`{}` stands after `{}`", self.label_texts[i], self.label_texts[i - 1]);
                    reader.complain(DiagnosticCode::RowsCover, at, what, "put the labels in rising order, each number under exactly one");
                    return;
                }
                for (i, pair) in bands.windows(2).enumerate() {
                    let at = node.items().get(i + 1).map_or(node.span, |n| n.span);
                    let (a, b) = (&self.label_texts[i], &self.label_texts[i + 1]);
                    if pair[0].high >= pair[1].low {
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            at,
                            format!("`{a}` and `{b}` overlap"),
                            "put every number under exactly one label, in rising order",
                        );
                    } else if !single && pair[0].high + 1 != pair[1].low {
                        let gap = Band { low: pair[0].high + 1, high: pair[1].low - 1 };
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            at,
                            format!("{gap} is missing between `{a}` and `{b}`"),
                            "put every number under exactly one label",
                        );
                    }
                }
                if let (Some(dice), Some(first), Some(last)) = (&self.dice, bands.first(), bands.last()) {
                    let (low, high) = (dice.min_total(), dice.max_total());
                    if first.low > low || last.high < high {
                        let what = format!("{dice} can throw {low} to {high}; the labels cover {} to {}", first.low, last.high);
                        reader.complain(DiagnosticCode::RowsCover, node.span, what, "add the missing labels");
                    } else if (first.low < low && first.low != i64::MIN) || (last.high > high && last.high != i64::MAX) {
                        let what = format!("{dice} throws {low} to {high}; the labels go from {} to {}", first.low, last.high);
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            node.span,
                            what,
                            "take away the labels that can't be thrown, or name other dice",
                        );
                    }
                }
            }
            AxisLabels::Odds(ladder) => {
                for (i, pair) in ladder.windows(2).enumerate() {
                    if pair[0].compare(&pair[1]).is_ge() {
                        let at = node.items().get(i + 1).map_or(node.span, |n| n.span);
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            at,
                            format!("`{}` does not come after `{}`", pair[1], pair[0]),
                            "put the odds in order, worst for the attacker first",
                        );
                    }
                }
            }
            AxisLabels::Words(words) => {
                for (i, word) in words.iter().enumerate() {
                    if words[..i].contains(word) {
                        let at = node.items().get(i).map_or(node.span, |n| n.span);
                        reader.complain(DiagnosticCode::RowsCover, at, format!("the label `{word}` stands twice"), "keep one of the two");
                    }
                }
            }
        }
    }
}
