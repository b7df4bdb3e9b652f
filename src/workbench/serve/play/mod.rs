//! Interactive play of a situation: throws, choices, undo, and the odds from the current state. The address holds every answer, so the
//! browser's back button undoes one, and the address can be shared.
//!
//! | file | what it is |
//! |---|---|
//! | [`status`] | turn, rules in force, and who plays |
//! | [`question`] | the pending throw or choice |
//! | [`log`] | the answers and what followed them, newest first; journal files |
//! | [`luck_view`] | what dice and choices did so far |
//! | [`turn_report`] | what a style did since the last click of a person |
//! | [`answer_view`] | the odds of what an answer begins |
//! | [`turning_view`] | the turning points of a game that is over |
//! | [`new_game`] | before a game: aims, sides, opponent, dice |

pub mod answer_view;
pub mod log;
pub mod luck_view;
pub mod new_game;
pub mod question;
pub mod status;
pub mod turn_report;
pub mod turning_view;

use crate::serve::api_answers::{AwaitedAnswer, AwaitedChoice, AwaitedThrow, PlayedEnd};
use crate::serve::caches::PlayedGame;
use crate::serve::chart;
use crate::serve::layout::{LinkTarget, render_error, situation_address, with_query};
use crate::serve::map::clicks::render_why_not as why_not_sentence;
use crate::serve::map::drawing::{BoardDrawing, MapChoice, MapOption, render_map};
use crate::serve::map::map_look::MapLook;
use crate::serve::odds_view::OddsView;
use crate::serve::page_request::{AddressMove, PageRequest};
use crate::serve::prose::Prose;
use crate::serve::queries;
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::odds::sample::SampleQuery;
use casebook_analysis::usecase::odds::odds;
use casebook_analysis::usecase::play_on::weigher;
use casebook_analysis::usecase::settings::SituationSettings;
use casebook_engine::code::state::ChoiceRequest;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::deck_view::holds_secret_cards;
use casebook_engine::ruling::menu::place_words;
use casebook_engine::ruling::resolve::Ruling;
use casebook_engine::ruling::session::hidden::PossiblePosition;
use casebook_engine::ruling::session::series::SeriesQuestion;
use casebook_engine::ruling::session::walks::Walk;
use casebook_engine::ruling::session::{Session, SuspendedSession, WaitingFor, question_text};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::trace::{Event, MadeChoice};
use casebook_engine::situation::value::HashedText;
use casebook_engine::situation::value_text::value_text;
use form_urlencoded::parse;
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Maximum number of moves in an address, because opening it replays all of them.
const MAX_MOVES: usize = 2_000;
/// Time limit of the odds from the current state.
const ODDS_TIME: Duration = Duration::from_secs(10);
/// Time limit of the search for places that a question reaches over several answers.
const WALK_TIME: Duration = Duration::from_millis(250);
/// Maximum number of answers that one request gives without a person, and their time limit.
const MAX_UNATTENDED: usize = 400;
const UNATTENDED_TIME: Duration = Duration::from_secs(5);

/// A game as an address tells it: where it begins, and the moves so far.
#[derive(Clone, Copy)]
pub struct TableRequest<'a> {
    pub snapshot: &'a DataSnapshot,
    pub situation: &'a Situation,
    pub request: &'a PageRequest,
}

impl<'a> TableRequest<'a> {
    pub fn new(
        snapshot: &'a DataSnapshot,
        situation: &'a Situation,
        request: &'a PageRequest,
    ) -> TableRequest<'a> {
        TableRequest {
            snapshot,
            situation,
            request,
        }
    }

    /// Returns the same game after other moves.
    fn with(self, request: &'a PageRequest) -> TableRequest<'a> {
        TableRequest { request, ..self }
    }

    /// Calls a function with the session after the moves of the address.
    pub fn with_session<T>(self, use_session: impl FnOnce(&mut Session) -> T) -> Result<T, Error> {
        let (snapshot, situation, request) = (self.snapshot, self.situation, self.request);
        if request.moves.len() > MAX_MOVES {
            return Err(Error::Usage(format!(
                "{} moves; an address holds at most {MAX_MOVES}",
                request.moves.len()
            )));
        }
        // A move of the address may ask a policy.
        let address = situation_address(&request.table_only(), "play");
        let key = format!("{address} {:?}", request.policy);
        let (mut session, mut moves) =
            match snapshot
                .play_tables
                .take(&key, &request.moves, SuspendedSession::at_answer)
            {
                Some(played) => (played.session.resume()?, played.moves),
                None => (
                    Session::begin(
                        situation.deep_clone(),
                        request.seed.unwrap_or(1),
                        request.strict,
                    )?,
                    Vec::new(),
                ),
            };
        let mut answer = |address_move: &AddressMove| match (address_move, address_move.option()) {
            (_, Some(option)) => session.choose(option),
            (AddressMove::Throw(faces), _) => session.enter_faces(faces),
            (AddressMove::Policy(_), _) => {
                let option = session.policy_answer(&style_source(situation, request)?)?;
                let nobody = || Error::Usage("no style plays the side that is asked".into());
                session.choose(option.ok_or_else(nobody)?)
            }
            (_, None) => session.roll(),
        };
        let mut wrong = Ok(());
        for address_move in &request.moves[moves.len()..] {
            wrong = answer(address_move);
            if wrong.is_err() {
                break;
            }
            moves.push(address_move.clone());
        }
        let answer = wrong.map(|()| use_session(&mut session));
        // An invalid answer does not end the game.
        snapshot.play_tables.put_back(PlayedGame {
            key,
            moves,
            session: session.suspend(),
        });
        answer
    }
}

/// Returns what answers for the sides that styles play.
fn style_source(situation: &Situation, request: &PageRequest) -> Result<ChoiceSource, Error> {
    let policies = request.settings().policies(&situation.ruleset().game)?;
    Ok(ChoiceSource {
        weigher: weigher(situation, &policies),
        policies,
        ..ChoiceSource::default()
    })
}

/// Returns the request with the answers of its policies, but for those that are secret still.
fn with_open_answers(session: &Session, request: &PageRequest) -> PageRequest {
    let mut open = request.clone();
    let secret = request.moves.len() - hidden_choices(session, request).len();
    for (index, (asked, made)) in open.moves.iter_mut().zip(session.answers()).enumerate() {
        if let (AddressMove::Policy(option), Event::Choice(made)) = (asked, made) {
            *option = match *option {
                _ if index >= secret && request.policy.contains_key(made.side.as_str()) => None,
                given => given.or(Some(made.chosen_index)),
            };
        }
    }
    open
}

/// Returns what the session waits for.
pub fn awaited_answer(session: &Session) -> AwaitedAnswer {
    match session.waiting_for() {
        WaitingFor::Throw(throw) => AwaitedAnswer::Throw(AwaitedThrow {
            dice: throw.notation.to_string(),
            purpose: throw.purpose.to_string(),
            count: throw.dice.dice_count(),
            sides: throw.dice.sides,
            faces: throw.dice.own_faces(),
        }),
        WaitingFor::Choice(choice) => {
            let options = choice.options.iter();
            AwaitedAnswer::Choice(AwaitedChoice {
                side: choice.side.to_string(),
                question: choice.question.to_string(),
                options: options
                    .map(|option| value_text(option, session.board()))
                    .collect(),
            })
        }
        WaitingFor::Finished(refusal) => AwaitedAnswer::Over(PlayedEnd {
            refused: refusal.is_some(),
        }),
    }
}

/// Returns the side that the pending question is for, or that alone may see what it draws.
pub fn asked_side(session: &Session) -> Option<&str> {
    match session.waiting_for() {
        WaitingFor::Choice(choice) => Some(choice.side.as_str()).filter(|side| !side.is_empty()),
        WaitingFor::Throw(throw) => throw.seen_by().map(HashedText::as_str),
        WaitingFor::Finished(_) => None,
    }
}

/// Returns whether the side that is asked must not see the screen yet: another one sits before it.
fn is_curtained(session: &Session, request: &PageRequest) -> bool {
    let is_another =
        |side| request.seat.as_deref() != Some(side) && !request.policy.contains_key(side);
    request.seat.is_some() && asked_side(session).is_some_and(is_another)
}

/// Returns whether it is for the reader to go on: no other side must come to the screen, and no style is asked.
fn asks_reader(session: &Session, request: &PageRequest) -> bool {
    let is_of_style = asked_side(session).is_some_and(|side| request.policy.contains_key(side));
    !is_curtained(session, request) && !is_of_style
}

/// Returns the sides whose secrets the reader must not see: those that a style plays, unless he only watches, and where sides take turns at the
/// screen all but the one before it; while it is handed over, all. At the end everything is open.
pub fn hidden_sides(session: &Session, request: &PageRequest) -> Vec<String> {
    let (situation, curtained) = (&session.situation, is_curtained(session, request));
    let game = &situation.ruleset().game;
    if session.is_over() && (situation.scenario.is_game || game.end_conditions.is_empty()) {
        return Vec::new();
    }
    let is_played = |side: &&String| request.policy.contains_key(*side);
    let only_watches = game.sides.iter().all(|side| is_played(&side));
    let is_hidden = |side: &&String| {
        let is_seated = request.seat.as_ref() == Some(side) && !curtained;
        is_played(side) && !only_watches || request.keeps_secrets() && !is_seated
    };
    game.sides.iter().filter(is_hidden).cloned().collect()
}

/// Returns whether hidden sides hold cards.
pub fn hides_cards(session: &Session, request: &PageRequest) -> bool {
    let game = &session.situation.ruleset().game;
    let hidden = hidden_sides(session, request);
    holds_secret_cards(session.board(), game, |side| hidden.contains(side))
}

/// Returns the last choices as far as they are secret, with the indices of their events, the newest first; none if the reader may see them all.
pub fn hidden_choices<'s>(
    session: &'s Session,
    request: &PageRequest,
) -> Vec<(usize, &'s MadeChoice)> {
    let hidden = hidden_sides(session, request);
    let mut choices = session.secret_choices();
    while choices
        .pop_if(|(_, chosen)| !hidden.iter().any(|side| *side == *chosen.side))
        .is_some()
    {}
    choices
}

/// Returns whether luck and files of the game would show the reader what is secret.
pub fn hides(session: &Session, request: &PageRequest) -> bool {
    hides_cards(session, request) || !hidden_choices(session, request).is_empty()
}

/// Returns the move of a person who takes an option: masked where the other side before the same screen must not see it.
fn move_of_person(session: &Session, request: &PageRequest, option: usize) -> AddressMove {
    if request.keeps_secrets() && session.asks_in_secret() {
        AddressMove::secret(option)
    } else {
        AddressMove::Take(option)
    }
}

/// Returns the address with more moves. Where answers are given without a person, the page then goes on to the next that needs one.
pub fn address_with(request: &PageRequest, moves: &[AddressMove]) -> String {
    let mut next_request = request.clone();
    moves
        .iter()
        .enumerate()
        .for_each(|(nth, address_move)| next_request.add_move(address_move.clone(), nth > 0));
    let address = situation_address(&next_request, "play");
    if request.has_unasked() {
        with_query(address, "do=on")
    } else {
        address
    }
}

/// Returns the option that the request takes whenever a question comes; `None` if it says none, or that is not open now.
fn always_answer(
    session: &Session,
    request: &PageRequest,
    choice: &ChoiceRequest,
) -> Option<usize> {
    let answer = request.always.get(&question_text(choice))?;
    choice
        .options
        .iter()
        .position(|option| value_text(option, session.board()) == *answer)
}

/// Which answers are given without a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unattended {
    /// Those that the address says.
    AsSet,
    /// Usual answers.
    Usual,
    Throws,
    /// The answers of a table: questions, each with the index of its option.
    Table(Vec<(String, usize)>),
    /// Several options of the pending choice.
    Several(Vec<String>),
}

impl Unattended {
    /// Reads the parameter `do`, and the answers that go with it.
    pub fn from_query(query: &str) -> Option<Unattended> {
        let pairs: Vec<(String, String)> = parse(query.as_bytes()).into_owned().collect();
        let values_of = |key: &'static str| {
            pairs
                .iter()
                .filter(move |(name, _)| name == key)
                .map(|(_, text)| text.clone())
        };
        let answers = pairs.iter().filter_map(|(name, text)| {
            Some((
                name.strip_prefix("answer:")?.to_string(),
                text.parse().ok()?,
            ))
        });
        match values_of("do").next()?.as_str() {
            "on" => Some(Unattended::AsSet),
            "usual" => Some(Unattended::Usual),
            "throws" => Some(Unattended::Throws),
            "table" => Some(Unattended::Table(answers.collect())),
            "several" => Some(Unattended::Several(values_of("pick").collect())),
            _ => None,
        }
    }
}

/// Gives answers without a person until one is needed; returns the request with these answers.
fn answer_unattended(table: TableRequest, unattended: &Unattended) -> Result<PageRequest, Error> {
    let (situation, request) = (table.situation, table.request);
    let source = style_source(situation, request)?;
    // What the address says holds beside what a button asks for.
    let usual = request.usual_unasked || *unattended == Unattended::Usual;
    let throws = request.throw_unasked || *unattended == Unattended::Throws;
    let until = Instant::now() + UNATTENDED_TIME;
    let mut next_request = request.clone();
    // Answers that follow a click belong to it; a button is a click of its own.
    let is_of_click = |answered: &PageRequest| {
        *unattended == Unattended::AsSet || answered.moves.len() > request.moves.len()
    };
    if let Unattended::Several(picks) = unattended
        && !picks.is_empty()
    {
        let names: Vec<&str> = picks.iter().map(String::as_str).collect();
        let options_taken = table.with_session(|session| {
            let options_taken = session.choose_several(&names);
            // The cached session keeps to the moves of its key.
            for _ in options_taken.iter().flatten() {
                session.undo();
            }
            options_taken
        })??;
        for option in options_taken {
            let continued = is_of_click(&next_request);
            next_request.add_move(AddressMove::Take(option), continued);
        }
    }
    for _ in 0..MAX_UNATTENDED {
        if next_request.moves.len() >= MAX_MOVES || Instant::now() > until {
            break;
        }
        let address_move = table.with(&next_request).with_session(|session| {
            if let (Unattended::Table(answers), WaitingFor::Choice(choice)) =
                (unattended, session.waiting_for())
                && let Some((_, option)) = answers
                    .iter()
                    .find(|(question, _)| *question == *choice.question)
            {
                return Ok(Some(move_of_person(session, request, *option)));
            }
            if let Some(option) = session.policy_answer(&source)? {
                let taken = (!session.asks_in_secret()).then_some(option);
                return Ok::<_, Error>(Some(AddressMove::Policy(taken)));
            }
            if let WaitingFor::Choice(choice) = session.waiting_for()
                && let Some(option) = always_answer(session, request, choice)
            {
                return Ok(Some(AddressMove::Usual(option)));
            }
            Ok(match session.waiting_for() {
                WaitingFor::Throw(_) if throws => Some(AddressMove::Roll),
                WaitingFor::Choice(_) if usual => session.usual_answer().map(AddressMove::Usual),
                _ => None,
            })
        })??;
        match address_move {
            Some(address_move) => {
                let continued = is_of_click(&next_request);
                next_request.add_move(address_move, continued);
            }
            None => break,
        }
    }
    // Rendering the page replays the last answer.
    Ok(next_request)
}

/// Returns whether the pending question is for a side that a style plays.
fn asks_a_style(table: TableRequest) -> Result<bool, Error> {
    let request = table.request;
    table.with_session(|session| matches!(session.waiting_for(), WaitingFor::Choice(choice) if request.policy.contains_key(choice.side.as_str())))
}

/// Renders the map, and beside it the state of the game, the question, and the log.
pub fn render_table(
    table: TableRequest,
    unattended: Option<&Unattended>,
    look: &MapLook,
) -> Markup {
    let (situation, request) = (table.situation, table.request);
    let policies = request.settings().policies(&situation.ruleset().game);
    let answered = policies.and_then(|_| match unattended {
        Some(how) => answer_unattended(table, how),
        None => Ok(request.clone()),
    });
    let page = answered.and_then(|request| {
        let request = table.with(&request).with_session(|session| with_open_answers(session, &request))?;
        // A style whose turn was too long for one request goes on in the next.
        let is_unfinished = unattended.is_some() && asks_a_style(table.with(&request))?;
        let (walks, series, takes_several) = table.with(&request).with_session(|session| {
            (session.walks(WALK_TIME), session.series(WALK_TIME), session.takes_several(WALK_TIME))
        })?;
        let continued = next_procedure(table.with(&request));
        table.with(&request).with_session(|session| {
            let report = turn_report::TurnReport::new(session, &request);
            let table = TableView { situation, session, request: &request, look, walks: &walks, series: &series, takes_several, is_unfinished, report: report.as_ref() };
            html! {
                section.table-map { div data-board { (table.render_board()) } }
                aside.beside-map aria-label="The game" data-address=(situation_address(&request, "play")) {
                    (status::render_status(&table))
                    @if let Some(report) = &report { (report.render(situation)) }
                    (question::render_question(&table, continued.as_ref()))
                    (log::render_log(&table))
                    (status::render_table_settings(&table))
                }
            }
        })
    });
    page.unwrap_or_else(
        |error| html! { aside.beside-map { (render_error(&error)) (question::render_undo(request)) } },
    )
}

/// Inputs of the parts of the page.
pub struct TableView<'a> {
    pub situation: &'a Situation,
    /// The session after the moves of the address.
    pub session: &'a Session,
    pub request: &'a PageRequest,
    /// The selection on the map.
    pub look: &'a MapLook,
    /// The places that the pending question reaches over several answers.
    pub walks: &'a [Walk],
    /// The pending question and those like it that follow.
    pub series: &'a [SeriesQuestion],
    /// Whether the pending question takes several options.
    pub takes_several: bool,
    /// Whether a style has not finished its turn.
    pub is_unfinished: bool,
    /// What came of the last click.
    pub report: Option<&'a turn_report::TurnReport>,
}

impl TableView<'_> {
    /// Returns how texts of the game are rendered.
    pub fn prose<'s>(&'s self, links: &'s LinkTarget) -> Prose<'s> {
        Prose {
            ruleset: self.situation.ruleset(),
            links,
        }
    }

    pub fn game(&self) -> &Game {
        &self.situation.ruleset().game
    }

    /// Returns the address after an option of the pending choice.
    pub fn address_of_option(&self, option: usize) -> String {
        address_with(
            self.request,
            &[move_of_person(self.session, self.request, option)],
        )
    }

    /// Renders the map; a click answers a pending choice of places or pieces, or walks to a place over several answers.
    pub fn render_board(&self) -> Markup {
        let session = self.session;
        let (asks_why, place) = (asks_reader(session, self.request), &self.look.place);
        // A question of the map has an answer of its own.
        let is_asked = asks_why && self.look.question.is_empty() && !place.is_empty();
        let why_not = is_asked.then(|| session.why_not(place));
        let mut choice = MapChoice {
            asks_why,
            why_not,
            ..MapChoice::default()
        };
        let open = &mut choice.options;
        if let WaitingFor::Choice(asked) = session.waiting_for()
            && asks_why
        {
            let notes = session.notes(asked);
            for ((index, option), note) in asked.options.iter().enumerate().zip(notes.options) {
                let address = self.address_of_option(index);
                open.push(MapOption {
                    text: value_text(option, session.board()),
                    address,
                    note,
                    steps: 1,
                    path: Vec::new(),
                });
            }
            for walk in self.walks.iter().filter(|walk| walk.answers.len() > 1) {
                let moves: Vec<AddressMove> = walk
                    .answers
                    .iter()
                    .map(|option| AddressMove::Take(*option))
                    .collect();
                let passed = walk.path[..walk.path.len() - 1].iter();
                let passed = passed
                    .map(|place| place_words(place, session.board(), self.game()))
                    .collect::<Vec<_>>();
                let route = format!("by way of {}", passed.join(", "));
                let note = if walk.note.is_empty() {
                    route
                } else {
                    format!("{route}; {}", walk.note)
                };
                open.push(MapOption {
                    text: walk.to.clone(),
                    address: address_with(self.request, &moves),
                    note,
                    steps: moves.len(),
                    path: walk.path.clone(),
                });
            }
            choice.side = asked.side.to_string();
            choice.subject = notes
                .subject
                .map(|piece| session.board().name(piece).to_string())
                .unwrap_or_default();
            choice.place = notes.place;
        }
        let board_before = Board::new(self.situation.initial_board.clone());
        render_map(&BoardDrawing {
            situation: self.situation,
            request: self.request,
            page: "play",
            look: self.look,
            // What has moved since the last click is drawn.
            before: match self.report.and_then(|report| report.start_board.as_ref()) {
                Some(start_board) => start_board,
                None if self.situation.scenario.is_game => session.board(),
                None => &board_before,
            },
            after: session.board(),
            drawings: &current_ruling(session, self.request).drawn,
            choice: &choice,
        })
    }
}

/// Returns the ruling of the current procedure, or of the last one, up to the first answer that is secret still.
fn current_ruling(session: &Session, request: &PageRequest) -> Ruling {
    let hidden = hidden_choices(session, request);
    match (session.procedure_starts(), hidden.last()) {
        ([.., last], Some((end, _))) => session.ruling_between(*last, *end),
        ([_, .., last], None) => session.ruling_between(*last, session.events().len()),
        _ => session.ruling(),
    }
}

/// Renders the rulings of the earlier procedures.
pub fn render_earlier(table: TableRequest) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    table.with_session(|session| {
        let rulings = session
            .procedure_starts()
            .windows(2)
            .map(|part| session.ruling_between(part[0], part[1]));
        let prose = Prose {
            ruleset: situation.ruleset(),
            links: &LinkTarget::for_request(request),
        };
        html! { @for ruling in rulings { (chart::render_ruling(&ruling, &prose)) } }
    })
}

/// Returns the address that continues the sequence of play after the situation's procedure. It starts the next procedure to find out
/// whether it can run, because the situation may lack data for it; the session stays cached.
fn next_procedure(table: TableRequest) -> Option<PageRequest> {
    let (situation, request) = (table.situation, table.request);
    let game = &situation.ruleset().game;
    let listed = game
        .sequence
        .iter()
        .any(|phase| phase.procedures.contains(&situation.procedure));
    if !listed || game.end_conditions.is_empty() || situation.scenario.is_game {
        return None;
    }
    let continued = PageRequest {
        goes_on: true,
        ..request.clone()
    };
    let scenario = Scenario {
        is_game: true,
        ..Scenario::clone(&situation.scenario)
    };
    let game = Situation::new(&situation.program, scenario).ok()?;
    TableRequest::new(table.snapshot, &game, &continued)
        .with_session(|session| !session.is_over() || session.procedure_starts().len() > 1)
        .ok()?
        .then_some(continued)
}

/// Renders the map alone after a change of selection.
pub fn render_updated_map(table: TableRequest, look: &MapLook) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    let walks = table.with_session(|session| session.walks(WALK_TIME))?;
    table.with_session(|session| {
        TableView {
            situation,
            session,
            request,
            look,
            walks: &walks,
            series: &[],
            takes_several: false,
            is_unfinished: false,
            report: turn_report::TurnReport::new(session, request).as_ref(),
        }
        .render_board()
    })
}

/// Renders why the selected place is no option of the pending choice.
pub fn render_why_not(table: TableRequest, look: &MapLook) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    let prose = Prose {
        ruleset: situation.ruleset(),
        links: &LinkTarget::for_request(request),
    };
    table.with_session(|session| {
        html! { @if asks_reader(session, request) { (why_not_sentence(&session.why_not(&look.place), &prose)) } }
    })
}

/// Renders the odds from the current state of a session.
pub fn render_odds(table: TableRequest, stop: &AtomicBool) -> Result<Markup, Error> {
    let request = table.request;
    let (hidden, positions) = table.with_session(|session| {
        let hidden = hidden_sides(session, request);
        let positions = match hides_cards(session, request) {
            true => Vec::new(),
            false => session.possible_positions(None, &hidden)?,
        };
        let phase = session.current_phase();
        let remaining = |(assumed, state): PossiblePosition| {
            let mut remaining = session.situation.with_state(state);
            if let Some((_, procedure)) = phase {
                remaining.procedure = procedure.to_string();
            }
            (assumed, remaining)
        };
        let positions: Vec<_> = positions.into_iter().map(remaining).collect();
        Ok::<_, Error>((hidden, positions))
    })??;
    if positions.is_empty() {
        return Ok(
            html! { p.quiet { "The odds would show what the other side keeps secret; they come when nothing is hidden." } },
        );
    }
    let settings = SituationSettings {
        hidden,
        ..request.settings()
    };
    let limits = queries::count_limits(ODDS_TIME / positions.len() as u32, stop);
    let links = LinkTarget::for_request(request);
    let render = |remaining: &Situation| {
        let found = odds(remaining, &settings, SampleQuery::default(), limits);
        found.map_or_else(
            |error| render_error(&error),
            |found| OddsView::plain(&found, remaining, &links).render(),
        )
    };
    Ok(html! {
        @for (assumed, remaining) in &positions {
            @if !assumed.is_empty() { h3 { "If " (assumed) } }
            (render(remaining))
        }
    })
}
