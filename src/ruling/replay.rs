//! A journal carried out again otherwise: with other rules, other answers, other dice, and apart from that the same luck.
//!
//! Dice and choices go by what they are for, not by their place in the row: what the journal has for a purpose falls for that purpose again.

use crate::complaint::{Error, nearest_names};
use crate::ruling::moves::JournalMove;
use crate::ruling::resolve::ResolvedRuling;
use crate::ruling::session::{Session, WaitingFor, question_text};
use crate::ruling::situation::Situation;
use crate::situation::dice::{DiceStream, SeededDice};
use crate::situation::trace::Event;
use crate::situation::value_text::value_text;
use rustc_hash::FxHashMap;

/// Another answer or die than the journal's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalChange {
    /// What is answered: a purpose, a question, "side: question".
    pub what: String,
    /// The how-manieth time it comes up, from 1; none for every time.
    pub occurrence: Option<usize>,
    /// The answer: an option, or faces.
    pub answer: String,
}

impl JournalChange {
    /// Reads 'Red: bid' or 'attack#2', and an answer.
    pub fn parse((what, answer): &(String, String)) -> JournalChange {
        let (what, time) = match what.rsplit_once('#').map(|(what, time)| (what, time.parse())) {
            Some((what, Ok(time))) => (what.to_string(), Some(time)),
            _ => (what.clone(), None),
        };
        JournalChange { what, occurrence: time, answer: answer.clone() }
    }
}

/// A journal carried out again.
pub struct Replayed {
    /// What came of it.
    pub session: Session,
    /// Throws and choices for which the journal had nothing.
    pub missing: Vec<String>,
    /// What the journal has and nobody asked for.
    pub unused: Vec<String>,
    /// What is asked where the journal stops before its end; none where it went to its end.
    pub stopped_at: Option<String>,
}

/// A journal that is carried out again: its answers, the seed of further dice, and whether it stops before its end.
pub struct ReplaySpec<'a> {
    /// Throws and choices.
    pub moves: &'a [JournalMove],
    /// The seed.
    pub seed: u64,
    /// Whether it was under way when it was saved.
    pub unfinished: bool,
}

/// Carries out moves again by the names of dice and choices. What they lack is thrown from the seed, or is the first option; but nothing
/// goes on where an unfinished journal stops.
pub fn replay(situation: Situation, journal: &ReplaySpec, changes: &[JournalChange], strict: bool) -> Result<Replayed, Error> {
    let ReplaySpec { moves, seed, unfinished } = *journal;
    let mut session = Session::begin(situation, seed, strict)?;
    let mut left: Vec<Option<&JournalMove>> = moves.iter().map(Some).collect();
    let (mut answers, mut stopped) = (0, None);
    let mut dice = SeededDice::new(seed);
    let mut times: FxHashMap<String, usize> = FxHashMap::default();
    let mut used = vec![false; changes.len()];
    let mut fresh = Vec::new();
    loop {
        let (names, kept) = match session.waiting_for() {
            WaitingFor::Finished(_) => break,
            WaitingFor::Throw(asked) => {
                let same = |made: &JournalMove| matches!(made, JournalMove::Throw { dice, purpose, .. } if **dice == *asked.notation && **purpose == *asked.purpose);
                (vec![asked.purpose.to_string()], take_first(&mut left, same))
            }
            WaitingFor::Choice(asked) => {
                let same = |made: &JournalMove| matches!(made, JournalMove::Choice { side, what, .. } if **side == *asked.side && **what == *asked.question);
                (vec![question_text(asked), asked.question.to_string()], take_first(&mut left, same))
            }
        };
        let time = times.get(&names[0]).copied().unwrap_or_default() + 1;
        let fits = |change: &JournalChange| names.contains(&change.what) && change.occurrence.is_none_or(|wanted| wanted == time);
        let change = changes.iter().position(fits);
        // Its last answer is given, or as many as it has; what was not asked on the way is asked by nobody any more.
        let at_end = unfinished && kept.is_none() && (answers >= moves.len() || left.last().is_none_or(Option::is_none));
        if at_end && change.is_none_or(|place| used[place]) {
            stopped = Some(match session.waiting_for() {
                WaitingFor::Throw(asked) => format!("{} for {}", asked.notation, asked.purpose),
                _ => names[0].clone(),
            });
            break;
        }
        times.insert(names[0].clone(), time);
        answers += 1;
        let answer = change.map(|place| {
            used[place] = true;
            changes[place].answer.as_str()
        });
        match session.waiting_for().clone() {
            WaitingFor::Throw(asked) => {
                // The stream goes on by what the journal has too: what is thrown anew is what would have come next.
                let drawn = dice.throw(&asked.dice, &asked.purpose).map(|throw| throw.faces).unwrap_or_default();
                let faces = match (answer, kept) {
                    (Some(text), _) => parse_faces(text)?,
                    (None, Some(JournalMove::Throw { faces, .. })) => faces.clone(),
                    _ => {
                        fresh.push(format!("{} for {}", asked.notation, asked.purpose));
                        drawn
                    }
                };
                session.enter_faces(&faces)?;
            }
            WaitingFor::Choice(asked) => {
                let open = |wanted: &str| asked.options.iter().position(|option| value_text(option, session.board()) == wanted);
                let option = match (answer, kept) {
                    (Some(text), _) => session.find_option(text)?,
                    (None, Some(JournalMove::Choice { taken, .. })) if open(taken).is_some() => open(taken).unwrap_or(0),
                    _ => {
                        fresh.push(format!("{} = {}", question_text(&asked), value_text(&asked.options[0], session.board())));
                        0
                    }
                };
                session.choose(option)?;
            }
            WaitingFor::Finished(_) => {}
        }
    }
    if let Some(place) = used.iter().position(|used| !used) {
        let JournalChange { what, occurrence: time, .. } = changes[place].clone();
        // Of a throw the purpose was counted, of a choice the question with its side.
        let times_of = |name: &String| *name == what || name.rsplit_once(": ").is_some_and(|(_, short)| short == what);
        if let (Some(time), Some((name, came))) = (time, times.iter().find(|(name, _)| times_of(name))) {
            let often = if *came == 1 { "once".to_string() } else { format!("{came} times") };
            return Err(Error::Usage(format!("`{name}` comes up {often} in this ruling; there is no `#{time}` of it")));
        }
        let mut near = nearest_names(&what, times.keys().map(String::as_str));
        if near.is_empty() {
            near = times.into_keys().collect();
            near.sort();
        }
        return Err(Error::Unknown { what: "throw or choice of this ruling", name: what, suggestions: near });
    }
    let idle = left.into_iter().flatten().map(ToString::to_string).collect();
    Ok(Replayed { session, missing: fresh, unused: idle, stopped_at: stopped })
}

/// The first move left that is the same, taken out.
fn take_first<'a>(left: &mut [Option<&'a JournalMove>], same: impl Fn(&JournalMove) -> bool) -> Option<&'a JournalMove> {
    left.iter_mut().find(|made| made.is_some_and(&same))?.take()
}

fn parse_faces(text: &str) -> Result<Vec<u32>, Error> {
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty()).map(str::parse);
    parts.collect::<Result<_, _>>().map_err(|_| Error::Usage(format!("`{text}` is no row of faces; write each die singly: 3,5")))
}

/// Something told on the way, with what decided it.
pub type ReplayedLine = (String, Vec<String>);

/// The first thing that is told otherwise by two rulings, and how each tells it; none on the side that had come to its end.
pub fn first_difference(a: &ResolvedRuling, b: &ResolvedRuling) -> Option<(Option<ReplayedLine>, Option<ReplayedLine>)> {
    let (a, b) = (replayed_lines(a), replayed_lines(b));
    let place = (0..a.len().max(b.len())).find(|place| a.get(*place).map(|(text, _)| text) != b.get(*place).map(|(text, _)| text))?;
    Some((a.get(place).cloned(), b.get(place).cloned()))
}

/// Dice, choices and lines in the order they came.
fn replayed_lines(ran: &ResolvedRuling) -> Vec<ReplayedLine> {
    let mut lines = ran.ruling.steps.iter().flat_map(|step| &step.lines);
    let mut tale = Vec::new();
    for event in &ran.events {
        match event {
            Event::Line(..) => tale.extend(lines.next().map(|line| (line.text.clone(), line.cites.clone()))),
            Event::Throw(..) | Event::Choice(..) => {
                let made = crate::ruling::moves::moves(std::slice::from_ref(event), &ran.board);
                tale.extend(made.iter().map(|made| (made.to_string(), Vec::new())));
            }
            _ => {}
        }
    }
    tale.extend(ran.ruling.refused.iter().map(|line| (format!("refused: {}", line.text), line.cites.clone())));
    tale
}
