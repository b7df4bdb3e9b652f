//! `casebook test` and `coverage`: runs examples and tests of rulings, and lists the parts of the rules that none reaches.

use crate::command::out::{Printer, exit_code};
use crate::command::show::print_games;
use crate::command::targets::resolve_games;
use casebook_checks::house::kept::list_of;
use casebook_checks::house::sentence::sentence_of;
use casebook_checks::testing::check::{BreakingChange, CheckOutcome, TestReport};
use casebook_checks::testing::{coverage, suite};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_view::coverage::page as coverage_page;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Which of the tests that expect otherwise are taken as they come out.
pub enum Accepting {
    None,
    All,
    Named(String),
    Asked,
}

impl Accepting {
    /// Reads the flags `--accept [NAME]` and `--review`.
    pub fn of(accept: Option<String>, review: bool) -> Accepting {
        match accept {
            _ if review => Accepting::Asked,
            None => Accepting::None,
            Some(name) if name.is_empty() => Accepting::All,
            Some(name) => Accepting::Named(name),
        }
    }
}

/// Asks the user of each test what becomes of it.
#[derive(Default)]
struct Review {
    accepted: usize,
    rejected: usize,
    skipped: usize,
    has_ended: bool,
}

impl Review {
    fn asks(&mut self, outcome: &CheckOutcome, library: &Arc<Library>, page: TerminalPage) -> bool {
        if self.has_ended {
            self.skipped += 1;
            return false;
        }
        println!("{}\n{}", outcome.id, difference(outcome, library, page));
        loop {
            print!("[a]ccept, [r]eject, [s]kip, [q]uit: ");
            let _ = std::io::stdout().flush();
            let mut line = String::new();
            let is_end = !matches!(std::io::stdin().read_line(&mut line), Ok(count) if count > 0);
            match line.trim() {
                "a" => self.accepted += 1,
                "r" => self.rejected += 1,
                "s" => self.skipped += 1,
                "q" => (self.has_ended, self.skipped) = (true, self.skipped + 1),
                _ if is_end => (self.has_ended, self.skipped) = (true, self.skipped + 1),
                _ => continue,
            }
            println!("");
            return line.trim() == "a";
        }
    }
}

/// Shows what a test expects and what comes out, with what decided it.
fn difference(outcome: &CheckOutcome, library: &Arc<Library>, page: TerminalPage) -> String {
    let mut lines = Vec::new();
    if let Some(broken_by) = &outcome.broken_by {
        lines.push(format!(
            "  {broken_by}{}",
            change_in_words(broken_by, library)
        ));
    }
    for changed in &outcome.changed {
        let all = changed.lines();
        let lines_of = all.iter().filter(|line| !line.starts_with(' '));
        lines.extend(lines_of.map(|line| {
            let colour = if line.starts_with('-') { "31" } else { "32" };
            page.paint(colour, &format!("  {line}"))
        }));
        if !changed.line.is_empty() && changed.key != "lines" {
            lines.push(format!("    {}", changed.line));
        }
        if !changed.cites.is_empty() {
            lines.push(page.paint("2", &format!("    [{}]", changed.cites.join(", "))));
        }
    }
    lines.join("\n")
}

/// Says what the change does that breaks a pinned ruling.
fn change_in_words(broken_by: &BreakingChange, library: &Arc<Library>) -> String {
    let list = list_of(library, &broken_by.variant);
    let change = broken_by.change.checked_sub(1).and_then(|at| list.get(at));
    let variant = library.variants.get(&broken_by.variant);
    let printed = variant.map(|variant| RulesetSpec::new(&variant.game, &[]));
    let ruleset = printed.and_then(|spec| Ruleset::compose(library, &spec).ok());
    let sentence = change.zip(ruleset);
    let sentence = sentence.map(|(change, (ruleset, _))| sentence_of(change, library, &ruleset));
    sentence.map_or(String::new(), |sentence| format!(" ({sentence})"))
}

/// Runs `test`.
pub fn test(
    library: &Arc<Library>,
    path: &str,
    verbose: bool,
    accepting: Accepting,
    out: Printer,
) -> Result<ExitCode, Error> {
    let (mut review, mut found) = (Review::default(), false);
    let mut accept = |outcome: &CheckOutcome| match &accepting {
        Accepting::None => false,
        Accepting::All => true,
        Accepting::Named(name) => {
            let is_it = [&outcome.id, &outcome.name].contains(&name);
            found |= is_it;
            is_it
        }
        Accepting::Asked => review.asks(outcome, library, out.page),
    };
    let mut outcomes = Vec::new();
    // A file that can't be read fails every example that needs it; the reason is printed once.
    let mut printed = BTreeSet::new();
    let mut print_outcome = |outcome: &CheckOutcome| match outcome.render_failure(out.page) {
        _ if out.is_json() || outcome.untried => {}
        // What was looked at is not shown again.
        Some(_) if matches!(accepting, Accepting::Asked) && !outcome.changed.is_empty() => {}
        Some(failure) => match &outcome.complaint {
            Some(complaint)
                if !printed.insert(format!(
                    "{:?} {:?} {:?}",
                    complaint.code, complaint.place, complaint.message
                )) =>
            {
                let line = complaint
                    .place
                    .span
                    .map(|span| format!(":{}", span.line))
                    .unwrap_or_default();
                let (code, path) = (complaint.code.as_str(), &complaint.place.path);
                println!(
                    "FAILED  {}  {}\n        as above: error[{code}] in {path}{line}\n",
                    outcome.id, outcome.name
                )
            }
            _ => println!("FAILED  {}  {}\n{failure}\n", outcome.id, outcome.name),
        },
        None if outcome.accepted => println!(
            "accepted  {}  {}\n{}\n",
            outcome.id,
            outcome.path,
            difference(outcome, library, out.page)
        ),
        None if verbose => println!(
            "ok  {:<24}  {:<64}  {}",
            outcome.id, outcome.name, outcome.path
        ),
        None => {}
    };
    outcomes.extend(suite::unreadable_files(library, path));
    outcomes.iter().for_each(&mut print_outcome);
    for game in library.games.keys() {
        outcomes.extend(suite::run(
            library,
            game,
            path,
            &mut accept,
            &mut print_outcome,
            None,
        )?);
    }
    if let (Accepting::Named(name), false) = (&accepting, found) {
        let has_it = |outcome: &&CheckOutcome| [&outcome.id, &outcome.name].contains(&name);
        let why = match outcomes.iter().find(has_it) {
            Some(outcome) if outcome.complaint.is_none() => "holds already",
            Some(_) => "does not fail by a value alone; a refusal or a fault is not accepted",
            None => "is no test here",
        };
        return Err(Error::Usage(format!("`{name}` {why}; nothing was written")));
    }
    let count = outcomes.len();
    let report = TestReport::new(outcomes);
    let TestReport {
        passed,
        failed,
        untried,
        ..
    } = report;
    let text = || match (count, untried) {
        (0, _) if path.is_empty() => "this folder has no examples and no tests\n".into(),
        (0, _) => format!("no file whose path contains `{path}` has an example\n"),
        (_, 0) if matches!(accepting, Accepting::Asked) => {
            let Review {
                accepted,
                rejected,
                skipped,
                ..
            } = review;
            format!(
                "{accepted} accepted, {rejected} rejected, {skipped} skipped; {passed} examples hold, {failed} fail\n"
            )
        }
        (_, 0) => format!("{passed} examples hold, {failed} fail\n"),
        _ => format!(
            "{passed} examples hold, {failed} fail, {untried} did not run before the time was up: --limit SECONDS gives more\n"
        ),
    };
    out.print(|| &report, text);
    Ok(exit_code(failed + untried > 0 || count == 0))
}

/// Runs `coverage`.
pub fn coverage(library: &Arc<Library>, game: &str, out: Printer) -> Result<ExitCode, Error> {
    let pages = resolve_games(library, game)?
        .into_iter()
        .map(|name| Ok(coverage_page(&coverage::measure(library, name)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(print_games(library, pages, out))
}
