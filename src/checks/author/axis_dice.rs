//! Checks the dice of a chart's axes that the game declares: they exist, and the labels cover what they show.

use casebook_engine::code::context::{DICE_HELP, describe_wrong_dice};
use casebook_engine::complaint::{Complaint, DiagnosticCode, Message, Span, did_you_mean};
use casebook_engine::data::manifest::Game;
use casebook_engine::data::table_file::TableFile;
use casebook_engine::notation::{Band, Dice};

/// Returns the complaints about the dice of a table file.
pub fn check_axis_dice(table: &TableFile, game: &Game) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for axis in ["sheets", "columns", "rows"]
        .into_iter()
        .filter_map(|key| table.root.get(key))
    {
        let Some((text, span)) = axis
            .get("dice")
            .and_then(|node| Some((node.as_text()?, node.span)))
        else {
            continue;
        };
        // Other dice are checked where the axis is read.
        if Dice::die_name(text).is_none() {
            continue;
        }
        let labels: Vec<(&str, Span)> = axis
            .items_of("labels")
            .iter()
            .filter_map(|node| Some((node.as_text()?, node.span)))
            .collect();
        let mut complain = |code, span, message: Message, help: &str| {
            let place = table.file.place(span);
            complaints.push(
                Complaint::new(code, place, message)
                    .with_context(format!("table {}", table.id))
                    .with_help(help),
            );
        };
        match Dice::parse_with(text, &game.dice) {
            Err(error) => complain(
                DiagnosticCode::Notation,
                span,
                describe_wrong_dice(text, &error, &game.dice),
                DICE_HELP,
            ),
            Ok(dice) if dice.shows_words() && dice.count != 1 => {
                let message = format!("{text} show several words, and a chart is read for one");
                complain(
                    DiagnosticCode::RowsCover,
                    span,
                    message.into(),
                    "name one die, and read the chart for each face",
                );
            }
            Ok(dice) if dice.shows_words() => {
                let faces: Vec<String> = dice.own_faces().iter().map(ToString::to_string).collect();
                for (label, span) in labels
                    .iter()
                    .filter(|(label, _)| !faces.iter().any(|face| face == label))
                {
                    let message = did_you_mean(
                        format!("{text} never shows `{label}`"),
                        label,
                        faces.iter().map(String::as_str),
                    );
                    complain(
                        DiagnosticCode::RowsCover,
                        *span,
                        message,
                        "label the axis with the words of the die",
                    );
                }
                let missing: Vec<&str> = faces
                    .iter()
                    .map(String::as_str)
                    .filter(|face| !labels.iter().any(|(label, _)| label == face))
                    .collect();
                if !missing.is_empty() {
                    let message =
                        format!("{text} shows {} too; no label has it", missing.join(", "));
                    complain(
                        DiagnosticCode::RowsCover,
                        axis.span_of("labels", ""),
                        message.into(),
                        "add the missing labels",
                    );
                }
            }
            Ok(dice) => {
                let bands: Vec<Band> = labels
                    .iter()
                    .filter_map(|(label, _)| Band::parse(label).ok())
                    .collect();
                let totals = dice.total_distribution().unwrap_or_default();
                for (label, span) in &labels {
                    // What is added to a throw may lead into an open end, so only `coverage` lists one that nothing reaches.
                    let may_reach = |band: Band| {
                        band.low == i64::MIN
                            || band.high == i64::MAX
                            || totals.iter().any(|(total, _)| band.contains(*total))
                    };
                    if !Band::parse(label).is_ok_and(may_reach) {
                        let message = format!("{text} never throws {label}");
                        complain(
                            DiagnosticCode::RowsCover,
                            *span,
                            message.into(),
                            "take the label away, or name other dice",
                        );
                    }
                }
                if let Some((total, _)) = totals
                    .iter()
                    .find(|(total, _)| !bands.iter().any(|band| band.contains(*total)))
                {
                    let message = format!("{text} can throw {total}; no label has it");
                    complain(
                        DiagnosticCode::RowsCover,
                        axis.span_of("labels", ""),
                        message.into(),
                        "add the missing labels",
                    );
                }
            }
        }
    }
    complaints
}
