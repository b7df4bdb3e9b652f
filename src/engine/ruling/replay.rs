//! Replays a journal with other rules, answers or dice, and otherwise the same luck.
//!
//! Dice and choices are matched by purpose, not by position: the journal's throw for a purpose is reused for that purpose.

use crate::complaint::{Error, nearest_names};
use crate::notation::Face;
use crate::ruling::moves::JournalMove;
use crate::ruling::resolve::ResolvedRuling;
use crate::ruling::session::{Session, WaitingFor, question_text};
use crate::ruling::situation::Situation;
use crate::situation::dice::{DiceStream, SeededDice};
use crate::situation::trace::Event;
use crate::situation::value_text::value_text;
use rustc_hash::FxHashMap;

/// A change to an answer or a throw of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalChange {
    /// The request to change: a purpose, a question, or "side: question".
    pub request: String,
    /// The occurrence of the request, from 1; `None` for all.
    pub occurrence: Option<usize>,
    /// The new answer: an option, or faces.
    pub answer: String,
}

impl JournalChange {
    /// Parses a request such as 'Red: bid' or 'attack#2', with its answer.
    pub fn parse((request, answer): &(String, String)) -> JournalChange {
        let (request, time) = match request
            .rsplit_once('#')
            .map(|(request, time)| (request, time.parse()))
        {
            Some((request, Ok(time))) => (request.to_string(), Some(time)),
            _ => (request.clone(), None),
        };
        JournalChange {
            request,
            occurrence: time,
            answer: answer.clone(),
        }
    }
}

/// A replayed journal.
pub struct Replayed {
    /// The session after the replay.
    pub session: Session,
    /// Throws and choices that the journal lacks.
    pub missing: Vec<String>,
    /// Moves of the journal that were not used.
    pub unused: Vec<String>,
    /// The request where an unfinished journal stops; `None` if the replay ran to its end.
    pub stopped_at: Option<String>,
}

/// The parts of a journal to replay.
pub struct ReplaySpec<'a> {
    /// The throws and choices.
    pub moves: &'a [JournalMove],
    /// The seed of further dice.
    pub seed: u64,
    /// Whether the journal was saved before the ruling ended.
    pub unfinished: bool,
}

/// Replays moves by the purposes of dice and the questions of choices. Missing throws are drawn from the seed and missing choices take
/// their first option, but the replay stops where an unfinished journal stops.
pub fn replay(
    situation: Situation,
    journal: &ReplaySpec,
    changes: &[JournalChange],
    strict: bool,
) -> Result<Replayed, Error> {
    let ReplaySpec {
        moves,
        seed,
        unfinished,
    } = *journal;
    let mut session = Session::begin(situation, seed, strict)?;
    let mut remaining: Vec<Option<&JournalMove>> = moves.iter().map(Some).collect();
    let (mut answers, mut stopped) = (0, None);
    let mut dice = SeededDice::new(seed);
    let mut times: FxHashMap<String, usize> = FxHashMap::default();
    let mut used = vec![false; changes.len()];
    let mut fresh = Vec::new();
    loop {
        let (names, recorded) = match session.waiting_for() {
            WaitingFor::Finished(_) => break,
            WaitingFor::Throw(request) => {
                let matches = |journal_move: &JournalMove| matches!(journal_move, JournalMove::Throw { dice, purpose, .. } if **dice == *request.notation && **purpose == *request.purpose);
                (
                    vec![request.purpose.to_string()],
                    take_first(&mut remaining, matches),
                )
            }
            WaitingFor::Choice(request) => {
                let matches = |journal_move: &JournalMove| matches!(journal_move, JournalMove::Choice { side, question: request_name, .. } if **side == *request.side && **request_name == *request.question);
                (
                    vec![question_text(request), request.question.to_string()],
                    take_first(&mut remaining, matches),
                )
            }
        };
        let time = times.get(&names[0]).copied().unwrap_or_default() + 1;
        let applies = |change: &JournalChange| {
            names.contains(&change.request) && change.occurrence.is_none_or(|wanted| wanted == time)
        };
        let change = changes.iter().position(applies);
        // An unfinished journal stops once its last answer or their total number is used; skipped answers are never asked for.
        let at_end = unfinished
            && recorded.is_none()
            && (answers >= moves.len() || remaining.last().is_none_or(Option::is_none));
        if at_end && change.is_none_or(|index| used[index]) {
            stopped = Some(match session.waiting_for() {
                WaitingFor::Throw(request) => {
                    format!("{} for {}", request.notation, request.purpose)
                }
                _ => names[0].clone(),
            });
            break;
        }
        times.insert(names[0].clone(), time);
        answers += 1;
        let answer = change.map(|index| {
            used[index] = true;
            changes[index].answer.as_str()
        });
        match session.waiting_for().clone() {
            WaitingFor::Throw(request) => {
                // The journal's throws are drawn from the stream as well, so new throws continue where the journal's dice end.
                let drawn = dice
                    .throw(&request.dice, &request.purpose)
                    .unwrap_or_default();
                let faces = match (answer, recorded) {
                    (Some(text), _) => parse_faces(text)?,
                    (None, Some(JournalMove::Throw { faces, .. })) => faces.clone(),
                    _ => {
                        fresh.push(format!("{} for {}", request.notation, request.purpose));
                        drawn.iter().map(|side| request.dice.face(*side)).collect()
                    }
                };
                session.enter_faces(&faces)?;
            }
            WaitingFor::Choice(request) => {
                let open = |wanted: &str| {
                    request
                        .options
                        .iter()
                        .position(|option| value_text(option, session.board()) == wanted)
                };
                let option = match (answer, recorded) {
                    (Some(text), _) => session.find_option(text)?,
                    (None, Some(JournalMove::Choice { taken, .. })) if open(taken).is_some() => {
                        open(taken).unwrap_or(0)
                    }
                    _ => {
                        fresh.push(format!(
                            "{} = {}",
                            question_text(&request),
                            value_text(&request.options[0], session.board())
                        ));
                        0
                    }
                };
                session.choose(option)?;
            }
            WaitingFor::Finished(_) => {}
        }
    }
    if let Some(index) = used.iter().position(|used| !used) {
        let JournalChange {
            request: request_name,
            occurrence: time,
            ..
        } = changes[index].clone();
        // Throws are counted by purpose, choices by side and question.
        let times_of = |name: &String| {
            *name == request_name
                || name
                    .rsplit_once(": ")
                    .is_some_and(|(_, short)| short == request_name)
        };
        if let (Some(time), Some((name, count))) =
            (time, times.iter().find(|(name, _)| times_of(name)))
        {
            let often = if *count == 1 {
                "once".to_string()
            } else {
                format!("{count} times")
            };
            return Err(Error::Usage(format!(
                "`{name}` comes up {often} in this ruling; there is no `#{time}` of it"
            )));
        }
        let mut suggestions = nearest_names(&request_name, times.keys().map(String::as_str));
        if suggestions.is_empty() {
            suggestions = times.into_keys().collect();
            suggestions.sort();
        }
        return Err(Error::Unknown {
            kind: "throw or choice of this ruling",
            name: request_name,
            suggestions,
        });
    }
    let unused = remaining
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    Ok(Replayed {
        session,
        missing: fresh,
        unused,
        stopped_at: stopped,
    })
}

/// Takes the first remaining move that matches.
fn take_first<'a>(
    remaining: &mut [Option<&'a JournalMove>],
    matches: impl Fn(&JournalMove) -> bool,
) -> Option<&'a JournalMove> {
    remaining
        .iter_mut()
        .find(|journal_move| journal_move.is_some_and(&matches))?
        .take()
}

fn parse_faces(text: &str) -> Result<Vec<Face>, Error> {
    let parts = text
        .split([',', ' '])
        .filter(|part| !part.is_empty())
        .map(str::parse);
    parts.collect::<Result<_, _>>().map_err(|_| {
        Error::Usage(format!(
            "`{text}` is not a row of faces; write each die singly: 3,5"
        ))
    })
}

/// A replayed line with its sources.
pub type ReplayedLine = (String, Vec<String>);

/// Returns the first difference between two rulings; `None` on the side that had already ended.
pub fn first_difference(
    a: &ResolvedRuling,
    b: &ResolvedRuling,
) -> Option<(Option<ReplayedLine>, Option<ReplayedLine>)> {
    let (a, b) = (replayed_lines(a), replayed_lines(b));
    let index = (0..a.len().max(b.len()))
        .find(|index| a.get(*index).map(|(text, _)| text) != b.get(*index).map(|(text, _)| text))?;
    Some((a.get(index).cloned(), b.get(index).cloned()))
}

/// Returns dice, choices and lines in order.
fn replayed_lines(resolved: &ResolvedRuling) -> Vec<ReplayedLine> {
    let mut lines = resolved.ruling.steps.iter().flat_map(|step| &step.lines);
    let mut replayed = Vec::new();
    for event in &resolved.events {
        match event {
            Event::Line(..) => replayed.extend(
                lines
                    .next()
                    .map(|line| (line.text.clone(), line.cites.clone())),
            ),
            Event::Throw(..) | Event::Choice(..) => {
                let event_moves =
                    crate::ruling::moves::moves(std::slice::from_ref(event), &resolved.board);
                replayed.extend(
                    event_moves
                        .iter()
                        .map(|event_move| (event_move.to_string(), Vec::new())),
                );
            }
            _ => {}
        }
    }
    replayed.extend(
        resolved
            .ruling
            .refused
            .iter()
            .map(|line| (format!("refused: {}", line.text), line.cites.clone())),
    );
    replayed
}
