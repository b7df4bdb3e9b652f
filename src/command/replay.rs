//! `casebook replay`: replays a journal, unchanged or with changes, and shows where the two diverge.

use crate::command::arg_parsers::{pair, seconds};
use crate::command::counting::with_progress;
use crate::command::out::{Printer, confirm_overwrite, exit_code, print_json};
use crate::command::remedy::error_text;
use crate::command::ruleset_args::{RulesetArgs, note_unasked_readings};
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::distribution::{NO_OUTCOME, Odds, shown_value};
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::odds::report::CountedReport;
use casebook_analysis::usecase;
use casebook_analysis::usecase::replay::{
    ChangedOutcome, OddsOfBoth, PartingLines, ReplayComparison, ReplayReport, ReplaySettings,
    VerifiedDice, changed_outcomes, odds_of_both,
};
use casebook_engine::complaint::{Error, Place};
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::headline::UnnamedOutcomes;
use casebook_engine::ruling::journal::{Journal, results_text};
use casebook_engine::ruling::json::RulingReport;
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::replay::{JournalChange, Replayed, ReplayedLine};
use casebook_engine::ruling::resolve::{ResolvedRuling, trace_lines};
use casebook_engine::ruling::session::Session;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::ruling::verification::verify;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The arguments of `replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// The journal
    pub journal: PathBuf,
    #[command(flatten)]
    pub ruleset: RulesetArgs,
    /// Another choice or throw: 'Red: bid=2', 'attack=6'; 'attack#2=3,4' for the second one; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHAT=ANSWER")]
    pub change: Vec<(String, String)>,
    /// Print every call, every figure read and every throw
    #[arg(long)]
    pub trace: bool,
    /// Refuse reconstructed figures
    #[arg(long)]
    pub strict: bool,
    /// Verify that each throw is that of the seed committed to; with the HASH that you were given before the first one
    #[arg(long, value_name = "HASH", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["change", "with", "option", "reading"])]
    pub verify: Option<String>,
    /// Save the journal of the replay
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// The time limit of the odds, in seconds
    #[arg(long, default_value_t = 10, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
    pub limit: u64,
}

/// Runs `replay`.
pub fn replay(library: &Arc<Library>, args: &ReplayArgs, out: Printer) -> Result<ExitCode, Error> {
    let (ruleset, path, page) = (&args.ruleset, &args.journal, out.page);
    let (journal, places) = Journal::read(path)?;
    if !ruleset.game.is_empty() && ruleset.game != journal.game {
        return Err(Error::Usage(format!(
            "this is a journal of {}, not of {}",
            journal.game, ruleset.game
        )));
    }
    if let Some(hash) = &args.verify {
        let hash = Some(hash.as_str()).filter(|hash| !hash.is_empty());
        return print_verified(library, path, &journal, &places, hash, out);
    }
    let settings = ReplaySettings {
        rules: ruleset.choices(),
        changes: args.change.iter().map(JournalChange::parse).collect(),
        strict: args.strict,
    };
    if settings.is_unchanged(&journal) {
        return print_replay(library, &journal, &places, &settings, args, out);
    }
    let comparison = usecase::replay::replay(library, &journal, &places, &settings)?;
    note_unasked_readings(library, &comparison.spec);
    save(
        args,
        &journal,
        &comparison.spec,
        &comparison.ruling,
        &comparison.replayed.session,
    )?;
    let (odds_pair, no_odds) = if comparison.changed_outcomes.is_empty() {
        (None, None)
    } else {
        match with_progress(args.limit, |limits| {
            odds_of_both(library, &journal, &comparison, args.strict, limits)
        }) {
            Ok(odds_pair) => (Some(odds_pair), None),
            Err(reason) => (None, Some(reason)),
        }
    };
    let ReplayComparison {
        replayed,
        ruling: mut new_ruling,
        is_original_known,
        first_difference,
        original_results,
        changed_outcomes,
        ..
    } = comparison;
    if out.is_json() {
        let ruling = RulingReport::new(&new_ruling, &replayed.session.situation, journal.seed);
        let counted = |odds: &Odds| CountedReport::new(odds, None, false);
        print_json(&ReplayReport {
            ruling,
            then: original_results,
            differ: changed_outcomes
                .into_iter()
                .map(|outcome| outcome.name)
                .collect(),
            parts: first_difference.map(|(then, now)| PartingLines { then, now }),
            fresh: replayed.missing,
            idle: replayed.unused,
            stopped: replayed.stopped_at,
            odds: odds_pair.map(|(then, now)| OddsOfBoth {
                then: counted(&then),
                now: counted(&now),
            }),
            no_odds: no_odds.map(|reason| reason.to_string()),
        });
        return Ok(exit_code(new_ruling.ruling.refused.is_some()));
    }
    if args.trace {
        new_ruling.ruling.trace = trace_lines(
            &new_ruling.events,
            &new_ruling.board,
            replayed.session.situation.ruleset(),
        );
    }
    let mut text = new_ruling.ruling.render_with(page, false);
    page.list(
        &mut text,
        "New throws and choices, which the journal does not answer",
        &replayed.missing,
    );
    page.list(
        &mut text,
        "In the journal, but not asked for",
        &replayed.unused,
    );
    if !is_original_known {
        text.push_str("\nThe journal can't be played as it was: its rules have changed since it was written.\n");
    }
    text += &render_comparison(
        first_difference,
        &changed_outcomes,
        odds_pair.as_ref(),
        &replayed,
        page,
    );
    if let Some(reason) = &no_odds {
        text.push_str(&format!("\nNo odds: {}\n", error_text(reason)));
    }
    print!("{text}");
    if let Some(next) = &replayed.stopped_at {
        let hint = if args.save.is_some() {
            ""
        } else {
            "; `--save FILE` keeps it"
        };
        println!(
            "\nThe journal stops here, before its end. Asked next: {next}. `casebook play FILE` goes on from a journal{hint}."
        );
    }
    Ok(exit_code(new_ruling.ruling.refused.is_some()))
}

/// Verifies the dice of a journal, and says what that shows.
fn print_verified(
    library: &Arc<Library>,
    path: &Path,
    journal: &Journal,
    places: &[Place],
    hash: Option<&str>,
    out: Printer,
) -> Result<ExitCode, Error> {
    verify(library, &path.display().to_string(), journal, places, hash)?;
    let commitment = journal.commitment.clone().unwrap_or_default();
    let throws = journal
        .moves
        .iter()
        .filter(|journal_move| matches!(journal_move, JournalMove::Throw { .. }))
        .count();
    if out.is_json() {
        print_json(&VerifiedDice {
            verified: true,
            throws,
            hash: commitment.hash,
            half: commitment.half.unwrap_or_default(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let throws_text = if throws == 1 {
        "The throw is that".into()
    } else {
        format!("All {throws} throws are those")
    };
    println!("{throws_text} of the committed seed; none was made up, changed or left out.");
    match commitment.half.filter(|half| !half.is_empty()) {
        Some(half) => println!("The other side's half is `{half}`: see that it is yours."),
        None => println!("The other side gave no half: the seed is that of the secret alone."),
    }
    if hash.is_none() {
        println!(
            "The hash is {}: see that it is the one you were given before the first throw.",
            commitment.hash
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn print_replay(
    library: &Arc<Library>,
    journal: &Journal,
    places: &[Place],
    settings: &ReplaySettings,
    args: &ReplayArgs,
    out: Printer,
) -> Result<ExitCode, Error> {
    let (session, mut resolved) = usecase::replay::play_back(library, journal, places, settings)?;
    save(args, journal, &journal.spec(), &resolved, &session)?;
    if args.trace {
        resolved.ruling.trace = trace_lines(
            &resolved.events,
            &resolved.board,
            session.situation.ruleset(),
        );
    }
    out.print(
        || RulingReport::new(&resolved, &session.situation, journal.seed),
        || resolved.ruling.render_with(out.page, false),
    );
    let Some(results) = &journal.results else {
        eprintln!("\nnote: this journal stops before its end; `casebook play` goes on from there");
        return Ok(ExitCode::SUCCESS);
    };
    let differ = changed_outcomes(results, &results_text(&resolved.ruling.results));
    if differ.is_empty() && session.is_over() {
        return Ok(exit_code(resolved.ruling.refused.is_some()));
    }
    eprintln!(
        "\nnote: this is not what the journal says; the rules have changed since it was written, or it was changed by hand:"
    );
    let unnamed = UnnamedOutcomes::new(&session.situation);
    for ChangedOutcome { name, then, now } in &differ {
        let [then, now] = [then, now].map(|value| shown_value(&unnamed, name, value));
        eprintln!("  {name}: {then} then, {now} now");
    }
    Ok(ExitCode::from(1))
}

fn save(
    args: &ReplayArgs,
    journal: &Journal,
    spec: &RulesetSpec,
    resolved: &ResolvedRuling,
    session: &Session,
) -> Result<(), Error> {
    let Some(path) = &args.save else {
        return Ok(());
    };
    let results = session.is_over().then_some(&resolved.ruling.results);
    Journal::new(
        &journal.situation,
        spec,
        journal.seed,
        session.moves(),
        results,
    )
    .with_overrides(&journal.overrides)
    .with_policy(journal.policy.clone())
    .write(path, || confirm_overwrite(path))
}

/// Renders where the runs diverge and which outcomes differ at the end.
fn render_comparison(
    parts: Option<(Option<ReplayedLine>, Option<ReplayedLine>)>,
    differ: &[ChangedOutcome],
    odds_pair: Option<&(Odds, Odds)>,
    replayed: &Replayed,
    page: TerminalPage,
) -> String {
    let stopped = replayed.stopped_at.is_some();
    let mut out = String::new();
    let Some((then, now)) = parts else {
        if differ.is_empty() {
            out.push_str("\nThe ruling reads as in the journal.\n");
        }
        return out;
    };
    let end = if stopped {
        "(the journal stops here)"
    } else {
        "(it had come to its end)"
    };
    let line_or_end =
        |line_or_end: Option<ReplayedLine>| line_or_end.unwrap_or_else(|| (end.into(), Vec::new()));
    out.push_str(&format!(
        "\n{}\n",
        page.paint("1", "Where it differs from the journal")
    ));
    for (word, (text, cites)) in [("then:", line_or_end(then)), ("now:", line_or_end(now))] {
        out.push_str(&page.line(&format!("{word} {text}"), &cites));
    }
    if differ.is_empty() {
        out.push_str(if stopped {
            "\nSo far the outcomes are the same.\n"
        } else {
            "\nThe outcomes are the same.\n"
        });
        return out;
    }
    let head = match (odds_pair, stopped) {
        (Some(_), _) => "What differs at the end, with the odds of both",
        (_, true) => "What differs where the journal stops",
        _ => "What differs at the end",
    };
    out.push_str(&format!("\n{}\n", page.paint("1", head)));
    let unnamed = UnnamedOutcomes::new(&replayed.session.situation);
    for ChangedOutcome { name, then, now } in differ {
        let odds = odds_pair.map_or(String::new(), |(a, b)| {
            let (then, now) = (chance_text(a, name, then), chance_text(b, name, now));
            format!(" ({then} then, {now} now)")
        });
        let [then, now] = [then, now].map(|value| shown_value(&unnamed, name, value));
        out.push_str(&page.line(&format!("{name}: {then} → {now}{odds}"), &[]));
    }
    out
}

/// Returns the chance of a value; that of an outcome that a ruling doesn't name is the chance that it doesn't come up.
fn chance_text(odds: &Odds, name: &str, value: &str) -> String {
    let chance = match odds.distribution(name) {
        Some(distribution) => distribution.chance(value),
        None if value == NO_OUTCOME => Fraction::ONE,
        None => Fraction::ZERO,
    };
    if chance.is_zero() {
        "never".into()
    } else {
        percent(chance.to_f64())
    }
}
