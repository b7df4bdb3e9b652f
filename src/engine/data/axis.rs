//! Axes of a chart: the meaning of their labels and the lookup of a key.

use crate::complaint::{DiagnosticCode, Span};
use crate::data::format::table::{BELOW, ROUNDINGS};
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::{Band, Dice, OddsRatio};

/// Parsed labels of an axis.
#[derive(Clone, Debug)]
pub enum AxisLabels {
    /// Bands of whole numbers.
    Bands(Vec<Band>),
    /// Odds, ascending.
    Odds(Vec<OddsRatio>),
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
    /// Into how many parts of a whole odds are rounded.
    pub odds_parts: i64,
    /// Whether odds below the lowest are refused; `None` if the chart does not say.
    pub refuses_below: Option<bool>,
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
    /// The numbers of attacker and defender, of which an axis of odds makes odds.
    Odds(i64, i64),
}

impl Axis {
    /// Returns an axis with a single, unnamed label.
    pub fn unlabelled() -> Axis {
        Axis {
            name: String::new(),
            label_texts: vec![String::new()],
            labels: AxisLabels::Words(vec![String::new()]),
            odds_parts: 1,
            refuses_below: None,
            dice: None,
            span: Span::default(),
            is_valid: true,
        }
    }

    /// Returns the index of the label for a key: the band that contains it, the nearest odds not better for the attacker, or the equal
    /// word.
    pub fn find(&self, key: AxisKey<'_>) -> Option<usize> {
        match (&self.labels, key) {
            (AxisLabels::Bands(bands), AxisKey::Number(n)) => {
                bands.iter().position(|band| band.contains(n))
            }
            (AxisLabels::Bands(bands), AxisKey::Text(text)) => match text.parse() {
                Ok(n) => bands.iter().position(|band| band.contains(n)),
                Err(_) => self.label_texts.iter().position(|label| label == text),
            },
            (AxisLabels::Odds(ladder), AxisKey::Text(text)) => {
                self.step_of(ladder, OddsRatio::parse(text).ok()?)
            }
            (AxisLabels::Odds(ladder), AxisKey::Odds(attacker, defender)) => self.step_of(
                ladder,
                OddsRatio::in_parts(attacker, defender, self.odds_parts),
            ),
            (AxisLabels::Words(words), AxisKey::Text(text)) => {
                words.iter().position(|word| word == text)
            }
            (AxisLabels::Words(words), AxisKey::Number(n)) => {
                words.iter().position(|word| word.parse() == Ok(n))
            }
            (AxisLabels::Odds(_), AxisKey::Number(_)) | (_, AxisKey::Odds(..)) => None,
        }
    }

    /// Returns where an axis of dice ends, if a number lies beyond that.
    pub fn last_beyond(&self, number: i64) -> Option<i64> {
        let AxisLabels::Bands(bands) = &self.labels else {
            return None;
        };
        let bands = bands.iter().filter(|_| self.dice.is_some());
        let first = bands.clone().map(|band| band.low).min()?;
        let last = bands.map(|band| band.high).max()?;
        (number < first || number > last).then(|| number.clamp(first, last))
    }

    /// Returns the index of the greatest odds not better for the attacker; of odds below all, the first, unless they are refused.
    fn step_of(&self, ladder: &[OddsRatio], odds: OddsRatio) -> Option<usize> {
        let step = ladder.iter().rposition(|step| step.compare(&odds).is_le());
        step.or((self.refuses_below != Some(true)).then_some(0))
    }

    pub fn read(node: &YamlNode, reader: &mut YamlReader) -> Option<Axis> {
        let labels = node.get("labels")?;
        let written = labels.texts();
        reader.note_flag_words(labels);
        let bands: Result<Vec<_>, _> = written.iter().map(|text| Band::parse(text)).collect();
        let ladder: Result<Vec<_>, _> = written.iter().map(|text| OddsRatio::parse(text)).collect();
        let kind = match (bands, ladder) {
            (Ok(bands), _) => AxisLabels::Bands(bands),
            (_, Ok(ladder)) => AxisLabels::Odds(ladder),
            _ => AxisLabels::Words(written.clone()),
        };
        for (key, predicate) in [("rounds", "are rounded"), ("below", "have a lowest")] {
            if let Some(value) = node.get(key)
                && !matches!(kind, AxisLabels::Odds(_))
            {
                let message = format!("only odds {predicate}, and these labels are not odds");
                let help = format!("write the labels as odds, \"3:2\", or take `{key}:` away");
                reader.complain(DiagnosticCode::RowsCover, value.span, message, help);
            }
        }
        let dice = node.get("dice").and_then(|n| {
            let text = n.as_text()?;
            // Whether a game declares these dice, and whether the labels cover them, is checked where the game is known.
            if Dice::die_name(text).is_some() {
                return None;
            }
            Dice::parse(text)
                .map_err(|e| {
                    reader.complain(
                        DiagnosticCode::Notation,
                        n.span,
                        e.to_string(),
                        "write dice as 1d6 or 2d6",
                    )
                })
                .ok()
        });
        let mut axis = Axis {
            name: node.text_of("of").into(),
            label_texts: written,
            labels: kind,
            odds_parts: node.word_of("rounds", &ROUNDINGS).unwrap_or(1),
            refuses_below: node.word_of("below", &BELOW),
            dice,
            span: labels.span,
            is_valid: true,
        };
        let before = reader.complaints.0.len();
        axis.check(labels, reader);
        if reader.complaints.0.len() == before {
            axis.check_reachable(labels, reader);
        }
        axis.is_valid = reader.complaints.0.len() == before;
        Some(axis)
    }

    /// Checks `rows-cover`: bands neither overlap nor leave a gap, and each total of the dice has exactly one label.
    fn check(&self, node: &YamlNode, reader: &mut YamlReader) {
        match &self.labels {
            AxisLabels::Bands(bands) => {
                // Gaps are allowed between single numbers: such an axis is looked up by exactly these.
                let single = self.dice.is_none() && bands.iter().all(|b| b.low == b.high);
                let totals = self.dice.as_ref().and_then(Dice::total_distribution);
                // What dice can't show has no label.
                let is_shown = |gap: Band| {
                    let falls_in = |(total, _): &(i64, _)| gap.contains(*total);
                    totals
                        .as_ref()
                        .is_none_or(|totals| totals.iter().any(falls_in))
                };
                // Missing labels cannot be determined while the labels are unsorted.
                if let Some(i) = (1..bands.len()).find(|i| bands[*i].low < bands[i - 1].low) {
                    let at = node.items().get(i).map_or(node.span, |n| n.span);
                    let message = format!(
                        "`{}` comes after `{}`",
                        self.label_texts[i],
                        self.label_texts[i - 1]
                    );
                    reader.complain(
                        DiagnosticCode::RowsCover,
                        at,
                        message,
                        "put the labels in rising order, each number under exactly one",
                    );
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
                        continue;
                    }
                    let gap = Band {
                        low: pair[0].high + 1,
                        high: pair[1].low - 1,
                    };
                    if !single && gap.low <= gap.high && is_shown(gap) {
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            at,
                            format!("{gap} is missing between `{a}` and `{b}`"),
                            "put every number under exactly one label",
                        );
                    }
                }
                if let (Some(dice), Some(first), Some(last)) =
                    (&self.dice, bands.first(), bands.last())
                {
                    let (low, high) = (dice.min_total(), dice.max_total());
                    if first.low > low || last.high < high {
                        let message = format!(
                            "{dice} can throw {low} to {high}; the labels cover {} to {}",
                            first.low, last.high
                        );
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            node.span,
                            message,
                            "add the missing labels",
                        );
                    } else if (first.low < low && first.low != i64::MIN)
                        || (last.high > high && last.high != i64::MAX)
                    {
                        let message = format!(
                            "{dice} throws {low} to {high}; the labels go from {} to {}",
                            first.low, last.high
                        );
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            node.span,
                            message,
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
                        reader.complain(
                            DiagnosticCode::RowsCover,
                            at,
                            format!("the label `{word}` is there twice"),
                            "keep one of the two",
                        );
                    }
                }
            }
        }
    }

    /// Checks `rows-cover`: there is a key for each label. What depends on the dice of the game is checked where the game is known, and
    /// what depends on scripts, with them.
    fn check_reachable(&self, node: &YamlNode, reader: &mut YamlReader) {
        let spans = |index: usize| node.items().get(index).map_or(node.span, |item| item.span);
        let band = |text: &String| Band::parse(text).ok().or_else(|| Band::from_words(text));
        let all_bands = matches!(self.labels, AxisLabels::Words(_))
            && self.label_texts.iter().all(|text| band(text).is_some());
        let word = self.label_texts.iter().find(|text| band(text).is_none());
        for (index, text) in self.label_texts.iter().enumerate() {
            let (message, help) = match (&self.labels, &self.dice) {
                (AxisLabels::Bands(bands), Some(dice)) => {
                    let Some(totals) = dice.total_distribution() else {
                        return;
                    };
                    // What is added to a throw may lead into an open end; `coverage` lists one that nothing reaches.
                    let is_open = bands[index].low == i64::MIN || bands[index].high == i64::MAX;
                    if is_open
                        || totals
                            .iter()
                            .any(|(total, _)| bands[index].contains(*total))
                    {
                        continue;
                    }
                    (
                        format!("{dice} never throws {text}"),
                        "take the label away, or name other dice".into(),
                    )
                }
                (AxisLabels::Bands(_), None) => return,
                (AxisLabels::Odds(ladder), None) => {
                    let OddsRatio { attacker, defender } = ladder[index];
                    // Equal odds round to themselves.
                    if OddsRatio::in_parts(attacker, defender, self.odds_parts)
                        .compare(&ladder[index])
                        .is_eq()
                    {
                        continue;
                    }
                    let fine = ROUNDINGS.iter().find(|(_, parts)| {
                        OddsRatio::in_parts(attacker, defender, *parts)
                            .compare(&ladder[index])
                            .is_eq()
                    });
                    let rounding = ROUNDINGS
                        .iter()
                        .find(|(_, parts)| *parts == self.odds_parts)
                        .map_or("", |(name, _)| name);
                    let message = format!(
                        "no numbers reach the odds {text}: this chart counts odds by `{rounding}`"
                    );
                    let help = match fine {
                        Some((name, _)) => format!(
                            "say how it rounds: `rounds: {name}`; scripts ask it with both numbers, `table(\"...\", [attacker, defender], ...)`"
                        ),
                        None => "take the label away, or write odds of smaller numbers".into(),
                    };
                    (message, help)
                }
                (AxisLabels::Odds(_), Some(dice)) => (
                    format!("{dice} never throws {text}"),
                    "label the axis with numbers, or take `dice:` away".into(),
                ),
                (AxisLabels::Words(_), dice) => {
                    // Words are looked up as they stand, so no number falls under a band among them.
                    match (band(text), dice) {
                        (Some(band), _) if all_bands => {
                            if Band::parse(text).is_ok() {
                                continue;
                            }
                            let message = format!(
                                "no number falls under `{text}`: this chart takes it for a word"
                            );
                            reader.complain_with_fix(
                                DiagnosticCode::RowsCover,
                                spans(index),
                                message,
                                format!("write \"{band}\""),
                                &format!("\"{band}\""),
                            );
                            continue;
                        }
                        (None, Some(dice)) => (
                            format!("{dice} never throws `{text}`"),
                            "label the axis with what is thrown: 7, \"1-10\", \"11+\"".into(),
                        ),
                        (Some(band), None) if band.low != band.high => {
                            let message = format!(
                                "no number falls under `{text}`: beside `{}` it is a word",
                                word.map_or("", String::as_str)
                            );
                            let help = "write numbers alone, or a label for each number; a script asks for a word before it asks the chart";
                            reader.complaints.push(
                                reader
                                    .complaint(DiagnosticCode::RowsCover, spans(index), message)
                                    .with_help(help)
                                    .into_note(),
                            );
                            continue;
                        }
                        _ => continue,
                    }
                }
            };
            reader.complain(DiagnosticCode::RowsCover, spans(index), message, help);
        }
    }
}
