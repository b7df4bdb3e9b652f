//! `luck`: what dice and choices did to the outcome of a journal, and whether the dice of many are fair.

use crate::command::args::OutputFormat;
use crate::command::counting::with_progress;
use crate::command::luck_args::LuckArgs;
use crate::command::print_json;
use crate::complaint::{Error, counted};
use crate::data::library::Library;
use crate::luck::fairness::DiceRecord;
use crate::luck::json::{fairness_json, report_json};
use crate::luck::render::{LuckStyle, render, render_fairness};
use crate::ruling::journal::Journal;
use crate::ruling::terminal_page::TerminalPage;
use crate::usecase::luck::{LuckSettings, add_faces, luck as account};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Runs `luck`: of one journal the account, of several the test of their dice.
pub fn luck(library: &Arc<Library>, ask: LuckArgs, memory: u64, format: OutputFormat, page: TerminalPage) -> Result<ExitCode, Error> {
    let LuckArgs { journals, measure, good_for, policy, dice, exact, strict, limit } = ask;
    let settings = LuckSettings { measure, good_for, policies: policy, strict };
    match &journals[..] {
        [path] if !dice => account_of(library, path, &settings, (limit, memory), format, LuckStyle { exact, page }),
        paths => fairness(library, paths, &settings, format, page),
    }
}

fn account_of(
    library: &Arc<Library>,
    path: &Path,
    settings: &LuckSettings,
    limits: (u64, u64),
    format: OutputFormat,
    style: LuckStyle,
) -> Result<ExitCode, Error> {
    let (journal, places) = Journal::read(path)?;
    let report = with_progress(limits, |limits| account(library, (&journal, &places), settings, limits))?;
    let session = journal.begin(library, false)?;
    if format == OutputFormat::Json {
        let mut list = report_json(&report);
        list["situation"] = json!(journal.situation);
        list["ruleset"] = json!(session.situation.ruleset().title());
        print_json(&list);
        return Ok(ExitCode::SUCCESS);
    }
    let page = style.page;
    println!("{}", page.paint("1", &session.situation.scenario.title));
    println!("{}", page.paint("2", &format!("luck · {}", session.situation.ruleset().title())));
    println!("{}", page.paint("2", &report.baseline));
    print!("{}", render(&report, style));
    if report.procedures.is_empty() && report.unmeasured.is_empty() {
        println!("\n  no dice were thrown");
    }
    Ok(ExitCode::SUCCESS)
}

fn fairness(
    library: &Arc<Library>,
    paths: &[PathBuf],
    settings: &LuckSettings,
    format: OutputFormat,
    page: TerminalPage,
) -> Result<ExitCode, Error> {
    if settings.measure.is_some() || settings.good_for.is_some() || !settings.policies.is_empty() {
        let what = "--measure, --for and --policy are for the luck of one journal; the dice of several are tested by their faces";
        return Err(Error::Usage(what.into()));
    }
    let mut record = DiceRecord::default();
    let mut seen: Vec<(&PathBuf, Journal)> = Vec::new();
    for path in paths {
        let (journal, places) = Journal::read(path)?;
        // Typed dice may fall the same twice, but those of a seed are the same dice.
        if let Some((first, _)) = seen.iter().find(|(first, known)| *first == path || known.seed.is_some() && *known == journal) {
            let what = format!("{} holds the same dice as {}: leave one of them out", path.display(), first.display());
            return Err(Error::Usage(what));
        }
        add_faces(library, (&journal, &places), &mut record)?;
        seen.push((path, journal));
    }
    let tests = record.tests();
    match format {
        OutputFormat::Json => {
            let mut list = fairness_json(&tests, record.draws);
            list["journals"] = json!(paths.len());
            print_json(&list);
        }
        OutputFormat::Text => {
            println!("{}", page.paint("2", &counted(paths.len(), "journal")));
            print!("{}", render_fairness(&tests, record.draws, page));
        }
    }
    Ok(ExitCode::SUCCESS)
}
