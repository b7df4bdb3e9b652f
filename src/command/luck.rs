//! `luck`: what dice and choices did to the outcome of a journal, and whether the dice of many are fair.

use crate::command::arg_parsers::{pair, seconds};
use crate::command::counting::with_progress;
use crate::command::out::{Printer, print_json};
use crate::command::remedy::words;
use casebook_analysis::luck::fairness::DiceRecord;
use casebook_analysis::luck::json::{DiceTests, JournalLuck};
use casebook_analysis::odds::bounds::Cap;
use casebook_analysis::usecase::luck::{LuckSettings, add_faces, luck as account};
use casebook_engine::complaint::{Error, Remedy, counted};
use casebook_engine::data::library::Library;
use casebook_engine::ruling::journal::Journal;
use casebook_view::luck;
use casebook_view::text::blocks_text;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Journals, and how their luck is measured.
#[derive(Args)]
pub struct LuckArgs {
    /// The journal; or several, to test their dice
    #[arg(required = true)]
    pub journals: Vec<PathBuf>,
    /// What luck is measured by: a sum of outcomes such as 'defender losses - attacker losses', or a chance such as 'retreat = yes' [default: what the procedure's headline names]
    #[arg(long, value_name = "OUTCOMES", allow_hyphen_values = true)]
    pub measure: Option<String>,
    /// The side for which more of it is good [default: what the card says]
    #[arg(long = "for", value_name = "SIDE")]
    pub good_for: Option<String>,
    /// How a side is taken to choose: 'SIDE=first', or all=...; first, last, highest, lowest, random, best, worst, a style of the game or '|what, options| options[0]' [default: as in the journal]
    #[arg(long, alias = "style", value_parser = pair, value_name = "SIDE=POLICY")]
    pub policy: Vec<(String, String)>,
    /// Test whether the dice are fair, also of a single journal
    #[arg(long)]
    pub dice: bool,
    /// Print fractions beside the decimals
    #[arg(long)]
    pub exact: bool,
    /// Refuse reconstructed figures
    #[arg(long)]
    pub strict: bool,
    /// The time limit in seconds; what can't be counted in it is sampled
    #[arg(long, default_value_t = 20, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
    pub limit: u64,
}

/// Runs `luck`: of one journal the account, of several the test of their dice.
pub fn luck(library: &Arc<Library>, args: LuckArgs, out: Printer) -> Result<ExitCode, Error> {
    let LuckArgs {
        journals,
        measure,
        good_for,
        policy,
        dice,
        exact,
        strict,
        limit,
    } = args;
    let settings = LuckSettings {
        measure,
        good_for,
        policies: policy,
        strict,
    };
    match &journals[..] {
        [path] if !dice => account_of(library, path, &settings, limit, exact, out),
        paths => fairness(library, paths, &settings, out),
    }
}

fn account_of(
    library: &Arc<Library>,
    path: &Path,
    settings: &LuckSettings,
    limit: u64,
    exact: bool,
    out: Printer,
) -> Result<ExitCode, Error> {
    let (journal, places) = Journal::read(path)?;
    let report = with_progress(limit, |limits| {
        account(library, &journal, &places, settings, limits)
    })?;
    if out.is_json() {
        print_json(&JournalLuck::new(&report));
        return Ok(ExitCode::SUCCESS);
    }
    let (page, situation) = (out.page, journal.begin(library, false)?.situation);
    println!("{}", page.paint("1", &situation.scenario.title));
    println!("{}", page.paint("2", &format!("luck · {}", report.ruleset)));
    println!("{}", page.paint("2", &report.baseline));
    print!("\n{}", blocks_text(&luck::account(&report, exact), page));
    let ended = report.procedures.iter().find_map(|luck| luck.ended);
    let remedy = match report.left_out {
        0 => ended.and_then(Cap::remedy),
        _ => Some(Remedy::MoreTime),
    };
    if let Some(remedy) = remedy {
        println!("{}.", words(&remedy));
    }
    if report.procedures.is_empty() && report.unmeasured.is_empty() {
        println!("\n  no dice were thrown");
    }
    Ok(ExitCode::SUCCESS)
}

/// Tests the dice of several journals.
fn fairness(
    library: &Arc<Library>,
    paths: &[PathBuf],
    settings: &LuckSettings,
    out: Printer,
) -> Result<ExitCode, Error> {
    if settings.measure.is_some() || settings.good_for.is_some() || !settings.policies.is_empty() {
        let message = "--measure, --for and --policy are for the luck of one journal; the dice of several are tested by their faces";
        return Err(Error::Usage(message.into()));
    }
    let mut record = DiceRecord::default();
    let mut journals: Vec<(&PathBuf, Journal)> = Vec::new();
    for path in paths {
        let (journal, places) = Journal::read(path)?;
        // Typed dice may fall the same twice, but those of a seed are the same dice.
        if let Some((first, _)) = journals.iter().find(|(first, earlier)| {
            *first == path || earlier.seed.is_some() && *earlier == journal
        }) {
            let message = format!(
                "{} holds the same dice as {}: leave one of them out",
                path.display(),
                first.display()
            );
            return Err(Error::Usage(message));
        }
        add_faces(library, &journal, &places, &mut record)?;
        journals.push((path, journal));
    }
    let tests = record.tests();
    let answer = || DiceTests::new(&tests, record.draws, paths.len());
    let text = || {
        let head = out.page.paint("2", &counted(paths.len(), "journal"));
        format!(
            "{head}\n\n{}",
            blocks_text(&[luck::fairness(&tests, record.draws)], out.page)
        )
    };
    out.print(answer, text);
    Ok(ExitCode::SUCCESS)
}
