//! The luck of a journal, and whether the dice of many are fair.

use crate::luck::account::{LuckQuery, LuckReport, account, account_of_procedure};
use crate::luck::baseline::ChoiceBaseline;
use crate::luck::fairness::DiceRecord;
use crate::luck::stake::Stake;
use crate::odds::bounds::SearchLimits;
use crate::usecase::settings::CountLimits;
use casebook_engine::complaint::{Error, Place, Remedy};
use casebook_engine::data::library::Library;
use casebook_engine::ruling::journal::{Journal, replay_at};
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::situation::Situation;
use std::sync::Arc;

/// What a user settles of an account of luck.
#[derive(Clone, Debug, Default)]
pub struct LuckSettings {
    /// What is measured: a sum of outcomes, or a condition; without it what the procedure's headline names.
    pub measure: Option<String>,
    /// The side for which more of it is good; without it what the card says.
    pub good_for: Option<String>,
    /// The policy of each side that is not taken to choose as in the journal.
    pub policies: Vec<(String, String)>,
    /// Whether a reconstructed figure is an error.
    pub strict: bool,
}

/// Accounts for the throws and choices of a journal.
pub fn luck(
    library: &Arc<Library>,
    journal: &Journal,
    places: &[Place],
    settings: &LuckSettings,
    limits: CountLimits,
) -> Result<LuckReport, Error> {
    of_session(
        journal.begin(library, settings.strict)?,
        &journal.moves,
        places,
        settings,
        limits,
    )
}

/// Accounts for moves from the beginning of a session.
pub fn of_session(
    session: Session,
    moves: &[JournalMove],
    places: &[Place],
    settings: &LuckSettings,
    limits: CountLimits,
) -> Result<LuckReport, Error> {
    let situation = session.situation.deep_clone();
    with_query(&situation, moves, settings, true, limits, |query| {
        account(session, moves, places, query)
    })
}

/// Accounts for the throws of one procedure of a session, by its number from 1: choices are not compared with other options.
pub fn of_procedure(
    session: &Session,
    procedure: usize,
    settings: &LuckSettings,
    limits: CountLimits,
) -> Result<LuckReport, Error> {
    let moves = session.moves();
    with_query(
        &session.situation,
        &moves,
        settings,
        false,
        limits,
        |query| account_of_procedure(session, &moves, procedure, query),
    )
}

fn with_query(
    situation: &Situation,
    moves: &[JournalMove],
    settings: &LuckSettings,
    weighs_choices: bool,
    limits: CountLimits,
    work: impl FnOnce(&LuckQuery) -> Result<LuckReport, Error>,
) -> Result<LuckReport, Error> {
    let baseline = ChoiceBaseline::new(situation, moves, &settings.policies)?;
    let mut stake = settings.measure.as_deref().map(Stake::parse).transpose()?;
    if let Some(side) = &settings.good_for {
        let good_stake = stake
            .take()
            .or_else(|| Stake::of_headline(situation).into_iter().next());
        let good_stake = good_stake.ok_or_else(|| {
            Error::unanswered(
                format!("no outcome says what is good for {side}"),
                Remedy::NameMeasure("X - Y".into()),
            )
        })?;
        stake = Some(good_stake.with_side(side, situation)?);
    }
    let progress =
        |share: f64, states: u64| (limits.progress)("counting states and runs", share, states);
    let search = SearchLimits {
        deadline: limits.deadline(),
        memory: limits.memory,
        stop: limits.stop,
        progress: &progress,
    };
    let report = work(&LuckQuery {
        stake,
        baseline: &baseline,
        weighs_choices,
        limits: search,
        threads: limits.threads,
    })?;
    Ok(LuckReport {
        situation: situation.scenario.name.clone(),
        ruleset: situation.ruleset().title(),
        ..report
    })
}

/// Adds the faces of all throws of a journal to a record. The journal is played back, so dice that can't fall so are reported.
pub fn add_faces(
    library: &Arc<Library>,
    journal: &Journal,
    places: &[Place],
    record: &mut DiceRecord,
) -> Result<(), Error> {
    let mut session = journal.begin(library, false)?;
    for (index, journal_move) in journal.moves.iter().enumerate() {
        let request = session.waiting_for().clone();
        replay_at(&mut session, journal_move, places.get(index))?;
        if let (WaitingFor::Throw(throw), JournalMove::Throw { faces, .. }) =
            (&request, journal_move)
        {
            record.add(throw, faces);
        }
    }
    Ok(())
}
