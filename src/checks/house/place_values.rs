//! What is at the places of a case in rulings of a situation: a list of changes that change nothing has the rules say it there.

use crate::house::change::RuleChange;
use crate::house::effect::some_rulings;
use crate::house::entry::ListEntry;
use crate::house::places::RulePlace;
use crate::house::trial::{ProgramSource, RulesTrial, free_variant_name};
use crate::testing::trials::compile_program;
use casebook_engine::complaint::Error;
use casebook_engine::data::change::ANSWER;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::text_within;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What stands before the number of a place in the lines by which the rules say values.
const MARK: &str = "values at place ";
/// The time for one of the rulings, which say more than others.
const RULING_TIME: Duration = Duration::from_secs(1);
/// The length in bytes after which the text of a value is cut.
const LONGEST: usize = 60;

/// Notes with each place what is there where a ruling first comes to it, and returns the values of what conditions can use there: names, the
/// attributes of a piece, the parts of a map, and tracks.
pub fn place_values(
    (library, program): (&Arc<Library>, ProgramSource),
    (name, spec): (&str, &RulesetSpec),
    places: &mut [RulePlace],
) -> Result<BTreeMap<String, String>, Error> {
    let saying = |(number, place): (usize, &RulePlace)| {
        let is_answer = place.line.contains(" answer: ");
        let does = if is_answer { ANSWER } else { place.example };
        let (line, names) = (&place.line, place.known.join(", "));
        let when = format!("say(\"{MARK}{number}\", [{names}]) != ()");
        let entry = ListEntry::parse(&format!("{line} = {does} when {when}"))?;
        Ok(RuleChange::Entry(entry))
    };
    let changes = places.iter().enumerate().map(saying);
    let trial = RulesTrial {
        game: spec.game.clone(),
        variant: free_variant_name(library),
        changes: changes.collect::<Result<_, Error>>()?,
        ..RulesTrial::default()
    };
    let rules = trial.over(library, spec, program)?;
    let program = compile_program(&rules.library, &rules.to)?;
    let situation = Situation::new(&program, program.ruleset.scenario(name)?)?;
    let (game, start) = (&program.ruleset.game, &situation.initial_board);
    let mut board = Board::new(start.clone());
    let mut found = BTreeMap::new();
    for ((name, _), value) in game.tracks.iter().zip(&start.tracks) {
        if let Some(value) = value {
            found.insert(
                format!("track({name:?})"),
                text_within(value, &board, LONGEST),
            );
        }
    }
    for event in some_rulings(&situation, RULING_TIME).flat_map(|ruling| ruling.events) {
        let Event::Line(said) = event else { continue };
        let number = said.template.strip_prefix(MARK);
        let Some(number) = number.and_then(|number| number.parse::<usize>().ok()) else {
            continue;
        };
        let RulePlace {
            line, known, here, ..
        } = &mut places[number];
        for (name, value) in known.iter().zip(&*said.values) {
            if name == ANSWER && !line.contains(" number: ") {
                here.get_or_insert_with(|| text_within(value, &board, LONGEST));
            }
            let parts: Vec<(String, Value)> = match value {
                _ if name == ANSWER => continue,
                Value::Piece(piece) => {
                    let attribute = |name: &String| {
                        let column = Board::column_of_attribute(game, name)?;
                        Some((format!(".{name}"), board.piece_value(*piece, column)))
                    };
                    let names = game.attributes.iter().map(|(name, _)| name);
                    names.filter_map(attribute).collect()
                }
                Value::Map(map) => {
                    let entries = map.entries().iter();
                    entries
                        .map(|(key, value)| (format!(".{key}"), value.clone()))
                        .collect()
                }
                _ => Vec::new(),
            };
            for (part, value) in parts.into_iter().chain([(String::new(), value.clone())]) {
                // The parts of a map stand by themselves.
                let is_said = !matches!(value, Value::Nothing | Value::False | Value::Map(_));
                if is_said && !matches!(value, Value::Closure(_)) {
                    let text = text_within(&value, &board, LONGEST);
                    found.entry(format!("{name}{part}")).or_insert(text);
                }
            }
        }
    }
    Ok(found)
}
