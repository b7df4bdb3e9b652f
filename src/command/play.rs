//! `casebook play`: asks for every throw and choice, on a terminal or through a pipe.

use crate::command::committed_dice::CommittedDice;
use crate::command::counting::{partly_text, with_progress};
use crate::command::luck_in_play::LuckSoFar;
use crate::command::opened_game::{OpenedGame, PlayArgs, open_game};
use crate::command::option_odds::{option_odds, render_option_odds};
use crate::command::out::{
    Printer, confirm_overwrite, exit_code, line_writer, print_json, stderr, stdout,
};
use crate::command::prompts::{
    asking_case, has_number, menu_lines, throw_hint, typed_faces, why_asked, why_not,
};
use crate::command::resolve::{not_saved, save_situation};
use casebook_analysis::odds::sample::SampleQuery;
use casebook_analysis::usecase::odds::odds;
use casebook_analysis::usecase::play_on::weigher;
use casebook_analysis::usecase::settings::SituationSettings;
use casebook_engine::code::state::ChoiceRequest;
use casebook_engine::complaint::{DiagnosticCode, Error};
use casebook_engine::data::library::Library;
use casebook_engine::ruling::board_view::BoardView;
use casebook_engine::ruling::choice_source::{ChoiceSource, Weigher};
use casebook_engine::ruling::deck_view::{deck_texts, holds_secret_cards};
use casebook_engine::ruling::journal::{Journal, results_text};
use casebook_engine::ruling::json::RulingReport;
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::render::{render_ending, render_steps};
use casebook_engine::ruling::resolve::{consulted_sources, trace_lines};
use casebook_engine::ruling::session::{Session, WaitingFor, question_text};
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::overrides;
use casebook_engine::situation::policy::{Policies, PolicyKind};
use casebook_engine::situation::value_text::value_text;
use casebook_view::odds::charts;
use casebook_view::text::blocks_text;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Input accepted instead of an answer.
const HELP: &str = "\
  Enter    rolls the dice, or takes the first option
  3 5      the faces that fell on your table, each die singly
  A, B     several options by name, where several can be picked
  2        the second option; its name will do too; of a place that is not open it says why not
  why not PLACE
           why a place is not open; its name alone will do
  ?        why: the cases that ask, and those looked up since the last answer; ?? step by step
  b        the board
  o        the odds from here, for each option of a choice
  .        the usual answers, as long as questions of routine come
  t        throws on to the next choice
  u        undo
  s FILE   save the journal
  p FILE   save the position: the board on which the procedure under way began, as a situation
  q        quit";

/// Interactive play on a terminal or through a pipe.
struct TerminalTable<'a> {
    session: Session,
    journal: Journal,
    dice: Option<CommittedDice>,
    luck: LuckSoFar,
    choice_source: ChoiceSource,
    args: &'a PlayArgs,
    page: TerminalPage,
    out: Box<dyn Write>,
    /// Index of the procedure that is printed, and the number of its lines printed so far.
    procedure_index: usize,
    printed_count: usize,
    /// The moves in the file that was saved last.
    saved_moves: Option<Vec<JournalMove>>,
}

/// Runs `play`.
pub fn play(library: &Arc<Library>, args: &PlayArgs, printer: Printer) -> Result<ExitCode, Error> {
    // With JSON output, standard output holds only the ruling.
    let mut out: Box<dyn Write> =
        Box::new(line_writer(if printer.is_json() { stderr } else { stdout }));
    let OpenedGame {
        session,
        journal,
        dice,
    } = open_game(library, args, &mut *out)?;
    let policies = Policies::parse(&journal.policy, &session.situation.ruleset().game)?;
    if policies.any(PolicyKind::is_explored) {
        let message = "best, worst and all are found by going through every chance: play with first, last, highest, lowest or a closure";
        return Err(Error::Usage(message.into()));
    }
    // Choices that the situation's file answers are asked nevertheless.
    let policies = Arc::new(policies);
    let choice_source = ChoiceSource {
        weigher: weigher(&session.situation, &policies),
        policies,
        ..ChoiceSource::default()
    };
    let mut table = TerminalTable {
        session,
        journal,
        dice,
        luck: LuckSoFar::default(),
        choice_source,
        args,
        page: printer.page,
        out,
        procedure_index: 0,
        printed_count: 0,
        saved_moves: None,
    };
    let ended = table.run()?;
    let mut resolved = table.session.resolved();
    resolved.ruling.dice_from = if table.dice.is_some() {
        table.dice_text()
    } else {
        format!("the table, or seed {}", table.seed())
    };
    if printer.is_json() {
        let seed = Some(table.seed()).filter(|_| table.dice.is_none() || ended);
        print_json(&RulingReport::new(
            &resolved,
            &table.session.situation,
            seed,
        ));
    }
    let ruling = resolved.ruling;
    if !ended {
        if let Some(path) = &args.save_situation {
            eprintln!(
                "note: {} was not written: this did not come to its end; `p FILE` saves the position under way",
                path.display()
            );
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(path), true) = (&args.save_situation, ruling.refused.is_some()) {
        eprintln!("{}", not_saved(path));
    } else if let Some(path) = &args.save_situation {
        save_situation(
            &table.session.situation,
            None,
            (table.session.board(), table.session.events()),
            path,
        )?;
    }
    Ok(exit_code(ruling.refused.is_some()))
}

impl TerminalTable<'_> {
    /// Plays to the end or until the user quits; returns whether the end was reached.
    fn run(&mut self) -> Result<bool, Error> {
        let ruling = self.session.ruling();
        self.print(&self.page.paint("1", &ruling.title));
        self.print(&self.page.paint(
            "2",
            &format!(
                "{} · {} · {}",
                ruling.procedure,
                ruling.ruleset,
                self.dice_text()
            ),
        ));
        let set = overrides::describe(&self.session.situation.scenario.set);
        if !set.is_empty() {
            self.print(&self.page.paint("2", &set));
        }
        for (side, policy) in self.journal.policy.clone() {
            let by = format!("{side} is played by {policy}");
            self.print(&self.page.paint("2", &by));
        }
        self.print(&self.page.paint("2", "Enter goes on, h helps."));
        let stdin = std::io::stdin();
        let mut input = stdin.lock();
        loop {
            self.print_new();
            if self.session.is_over() {
                self.save(None)?;
                self.print_ending();
                return Ok(true);
            }
            if let Some(option) = self.session.decide(&self.choice_source)? {
                if let Some(explanation) = self
                    .choice_source
                    .weigher
                    .as_ref()
                    .and_then(Weigher::take_explanation)
                    .filter(|_| !self.session.asks_in_secret())
                {
                    let question = if let WaitingFor::Choice(question) = self.session.waiting_for()
                    {
                        question_text(question)
                    } else {
                        String::new()
                    };
                    self.print(
                        &self
                            .page
                            .paint("2", &format!("  {question}, {explanation}")),
                    );
                }
                self.session.choose(option)?;
                self.save(None)?;
                continue;
            }
            self.prompt();
            let mut line = String::new();
            let read = input.read_line(&mut line);
            if !stdin.is_terminal() {
                // Piped input has no echo, so the line is printed.
                self.print(line.trim_end());
            }
            match read {
                Ok(0) => {
                    self.handle_end_of_input()?;
                    return Ok(false);
                }
                Ok(_) => {}
                Err(_) => {
                    self.print("this is not text");
                    continue;
                }
            }
            match self.handle_line(line.trim()) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // An invalid answer is asked again; an error in the rules ends the game.
                Err(Error::Data(complaints))
                    if complaints.0.iter().any(|c| {
                        !matches!(
                            c.code,
                            DiagnosticCode::Dice
                                | DiagnosticCode::Choice
                                | DiagnosticCode::Procedure
                        )
                    }) =>
                {
                    self.save(None)?;
                    return Err(Error::Data(complaints));
                }
                Err(error) => self.print(&error_text(&error)),
            }
        }
    }

    fn seed(&self) -> u64 {
        self.journal.seed.unwrap_or(1)
    }

    /// Returns where the dice come from that are not typed. A committed seed stays secret.
    fn dice_text(&self) -> String {
        self.dice
            .as_ref()
            .map_or_else(|| format!("seed {}", self.seed()), CommittedDice::to_string)
    }

    fn print(&mut self, text: &str) {
        // A closed output must not prevent saving the journal.
        let _ = writeln!(self.out, "{text}");
    }

    /// Prints the new lines of the ruling. A game prints procedure by procedure and does not render earlier ones again.
    fn print_new(&mut self) {
        let starts = self.session.procedure_starts().to_vec();
        let ends = starts
            .iter()
            .skip(1)
            .copied()
            .chain([self.session.events().len()]);
        for (procedure, (from, to)) in starts
            .iter()
            .copied()
            .zip(ends)
            .enumerate()
            .skip(self.procedure_index)
        {
            if procedure > self.procedure_index {
                self.print_luck(procedure);
            }
            let lines = render_steps(&self.session.ruling_between(from, to), self.page);
            let printed = if procedure == self.procedure_index {
                self.printed_count
            } else {
                0
            };
            for line in lines.iter().skip(printed) {
                let _ = write!(self.out, "{line}");
            }
            (self.procedure_index, self.printed_count) = (procedure, lines.len());
        }
    }

    /// Prints what the dice of a procedure did, by its number from 1.
    fn print_luck(&mut self, procedure: usize) {
        let lines = self.luck.add(&self.session, procedure);
        lines
            .iter()
            .for_each(|line| self.print(self.page.paint("2", line).as_str()));
    }

    /// Resets the counters after an undo, so that replaced lines are printed again.
    fn truncate_printed(&mut self) {
        let (last, from) = self
            .session
            .procedure_starts()
            .iter()
            .copied()
            .enumerate()
            .next_back()
            .unwrap_or_default();
        let line_count = render_steps(
            &self
                .session
                .ruling_between(from, self.session.events().len()),
            self.page,
        )
        .len();
        self.printed_count = if last < self.procedure_index {
            line_count
        } else {
            self.printed_count.min(line_count)
        };
        self.procedure_index = last;
    }

    fn prompt(&mut self) {
        let prompt = match self.session.waiting_for().clone() {
            WaitingFor::Throw(asked) => {
                let dice = self
                    .page
                    .paint("1", &format!("{} for {}", asked.notation, asked.purpose));
                format!("\n{dice}{}\n> ", throw_hint(&asked))
            }
            WaitingFor::Choice(asked) => {
                let texts = self.options(&asked);
                let mut text = format!("\n{}", self.page.paint("1", &question_text(&asked)));
                let notes = self.session.notes(&asked);
                if !notes.question.is_empty() {
                    text.push_str(&self.page.paint("2", &format!("  ({})", notes.question)));
                }
                let option_notes = notes.options;
                if has_number(&texts) && option_notes.iter().all(String::is_empty) {
                    text.push_str(&format!(
                        "   [Enter takes {}; open are {}]\n",
                        texts[0],
                        texts.join(", ")
                    ));
                } else {
                    text.push('\n');
                    menu_lines(&texts, option_notes, self.page)
                        .iter()
                        .for_each(|line| text.push_str(line));
                }
                text + "> "
            }
            WaitingFor::Finished(_) => String::new(),
        };
        let _ = write!(self.out, "{prompt}");
        let _ = self.out.flush();
    }

    /// Carries out an input line; returns whether play goes on.
    fn handle_line(&mut self, line: &str) -> Result<bool, Error> {
        let (word, argument) = line.split_once(' ').unwrap_or((line, ""));
        match (word, argument.trim()) {
            ("h" | "help", "") => self.print(HELP),
            ("?", "") => self.print_why(),
            ("??", "") => {
                let ruleset = self.session.situation.ruleset().clone();
                let lines = trace_lines(
                    self.session.events_since_answer(),
                    self.session.board(),
                    &ruleset,
                );
                lines
                    .iter()
                    .for_each(|line| self.print(&format!("  {line}")));
            }
            ("b", "") => {
                let mut position = BoardView::new(
                    &self.session.situation,
                    self.session.board(),
                    self.session.events(),
                );
                let game = self.session.situation.ruleset().game.clone();
                position.deck_texts = deck_texts(self.session.board(), &game, &self.hidden_sides());
                self.print(position.render(&game).trim_end());
            }
            ("why", argument) if argument.starts_with("not ") => {
                let text = why_not(&self.session, argument["not ".len()..].trim(), self.page);
                self.print(&text.unwrap_or_else(|error| error.to_string()));
            }
            (".", "") => self.answer_the_usual()?,
            ("t", "") => {
                while matches!(self.session.waiting_for(), WaitingFor::Throw(_)) {
                    self.roll()?;
                }
                self.save(None)?;
            }
            ("o", "") => self.print_odds()?,
            ("u", "")
                if self.dice.is_some()
                    && matches!(self.session.moves().last(), Some(JournalMove::Throw { .. })) =>
            {
                self.print("committed dice that have fallen can't be taken back");
            }
            ("u", "") => {
                if self.session.undo() {
                    self.truncate_printed();
                    self.print("taken back");
                    self.save(None)?;
                } else if self.session.has_forgotten() {
                    self.print("no more can be taken back: the positions before took too much memory; --memory SIZE keeps more of them");
                } else {
                    self.print("this is the beginning; there is nothing to take back");
                }
            }
            ("s", "") => self.print("say where: s FILE"),
            ("s", file) => {
                self.save(Some(Path::new(file)))?;
                self.saved_moves = Some(self.session.moves());
                self.print(&format!("saved; `casebook play {file}` goes on from here"));
            }
            ("p", "") => self.print("say where: p FILE"),
            ("p", file) => self.save_position(Path::new(file))?,
            ("q" | "quit", "") => {
                let moves = self.session.moves();
                match &self.saved_moves {
                    _ if self.args.save.is_some() || moves.is_empty() => {}
                    None => self.print("left; nothing was saved (s FILE saves)"),
                    Some(saved) if *saved != moves => {
                        self.print("left; what was answered since it was saved is not in the file")
                    }
                    Some(_) => {}
                }
                return Ok(false);
            }
            _ => {
                self.answer(line)?;
                self.save(None)?;
            }
        }
        Ok(true)
    }

    /// Returns the sides whose secrets are not shown: those that policies play, unless they play all.
    fn hidden_sides(&self) -> Vec<String> {
        let sides = &self.session.situation.ruleset().game.sides;
        let policies = &self.choice_source.policies;
        let is_played = |side: &&String| policies.policy_of(side).is_some();
        let hidden: Vec<String> = sides.iter().filter(is_played).cloned().collect();
        if hidden.len() == sides.len() || self.session.is_over() {
            return Vec::new();
        }
        hidden
    }

    /// Throws the dice, and prints what they show to who may see it.
    fn roll(&mut self) -> Result<(), Error> {
        let hidden = self.hidden_sides();
        let is_hidden = matches!(self.session.waiting_for(), WaitingFor::Throw(asked) if asked.seen_by().is_some_and(|side| hidden.iter().any(|name| *name == **side)));
        self.session.roll()?;
        let thrown = match self.session.moves().last() {
            Some(JournalMove::Throw { dice, purpose, .. }) if is_hidden => {
                format!("{dice} for {purpose}: hidden")
            }
            last => last.map(ToString::to_string).unwrap_or_default(),
        };
        self.print(&thrown);
        Ok(())
    }

    /// Applies an answer: faces or nothing for dice, a number or a name for a choice.
    fn answer(&mut self, line: &str) -> Result<(), Error> {
        match self.session.waiting_for().clone() {
            WaitingFor::Throw(_) if line.is_empty() => self.roll(),
            WaitingFor::Throw(_) if self.dice.is_some() => Err(Error::Usage(
                "the dice are committed, and none can be typed: Enter throws them".into(),
            )),
            WaitingFor::Throw(asked) => self.session.enter_faces(&typed_faces(&asked, line)?),
            WaitingFor::Choice(_) if line.is_empty() => self.session.choose(0),
            WaitingFor::Choice(asked) => {
                let texts = self.options(&asked);
                match line.parse::<usize>() {
                    // If the options are numbers, a number means its value and not its index.
                    Ok(number @ 1..) if number <= texts.len() && !has_number(&texts) => {
                        self.session.choose(number - 1)
                    }
                    _ if line.contains(", ") && !texts.iter().any(|text| text == line) => self
                        .session
                        .choose_several(&line.split(',').map(str::trim).collect::<Vec<_>>())
                        .map(drop),
                    _ => {
                        let option =
                            self.session.find_option(line).map_err(|error| {
                                match why_not(&self.session, line, self.page) {
                                    Ok(reason) => Error::Usage(reason),
                                    Err(_) => Error::Usage(format!(
                                        "{error}{}",
                                        asking_case(&self.session)
                                    )),
                                }
                            })?;
                        self.session.choose(option)
                    }
                }
            }
            WaitingFor::Finished(_) => Ok(()),
        }
    }

    /// Gives the usual answers until a question comes that is no routine.
    fn answer_the_usual(&mut self) -> Result<(), Error> {
        let mut answers = Vec::new();
        while let Some(option) = self.session.usual_answer() {
            self.session.choose(option)?;
            answers.extend(self.session.moves().last().map(ToString::to_string));
        }
        match answers.len() {
            0 => self.print("this is not a question of routine"),
            _ => self.print(
                &self
                    .page
                    .paint("2", &format!("the usual: {}", answers.join("; "))),
            ),
        }
        self.save(None)
    }

    fn options(&self, request: &ChoiceRequest) -> Vec<String> {
        request
            .options
            .iter()
            .map(|option| value_text(option, self.session.board()))
            .collect()
    }

    /// Prints the calling cases and the lookups since the last answer.
    fn print_why(&mut self) {
        let lately = consulted_sources(
            self.session.events_since_answer(),
            self.session.situation.ruleset(),
        );
        why_asked(&self.session, &lately)
            .iter()
            .for_each(|line| self.print(line));
    }

    fn print_odds(&mut self) -> Result<(), Error> {
        let hidden = self.hidden_sides();
        let game = &self.session.situation.ruleset().game;
        if holds_secret_cards(self.session.board(), game, |side| hidden.contains(side)) {
            self.print("the odds would show what the other side holds in its hand");
            return Ok(());
        }
        if let WaitingFor::Choice(choice) = self.session.waiting_for() {
            let all = choice.options.len();
            let options = with_progress(10, |limits| {
                option_odds(&mut self.session, self.args.strict, &hidden, limits)
            })?;
            self.print("  by what is taken now; every later choice at its first option:");
            let situation = &self.session.situation;
            self.print(render_option_odds(options, situation, all, self.page).trim_end());
            return Ok(());
        }
        let remaining = self.session.remaining();
        let settings = SituationSettings {
            strict: self.args.strict,
            hidden,
            ..SituationSettings::default()
        };
        let result = with_progress(10, |limits| {
            odds(&remaining, &settings, SampleQuery::default(), limits)
        })?
        .result;
        self.print("  every choice still to come at its first option:");
        if let Some(sample) = &result.sample {
            self.print(&format!(
                "  {}",
                partly_text(&result.odds, sample, "", self.page)
            ));
        }
        let sample = result.sample.as_ref();
        let blocks = charts(&result.odds, sample, false, &self.session.situation);
        self.print(&format!("\n{}", blocks_text(&blocks, self.page).trim_end()));
        Ok(())
    }

    fn journal(&self) -> Journal {
        let is_over = self.session.is_over();
        let results = is_over.then(|| results_text(&self.session.ruling().results));
        // A policy answers in secret again where the game is opened.
        let (hidden, mut moves) = (self.hidden_sides(), self.session.moves());
        let secret = self.session.secret_choices().into_iter();
        let secret = secret.take_while(|(_, chosen)| hidden.contains(&chosen.side.to_string()));
        moves.truncate(moves.len() - secret.count());
        let journal = Journal {
            moves,
            results,
            ..self.journal.clone()
        };
        match &self.dice {
            Some(dice) => dice.sign(journal, is_over),
            None => journal,
        }
    }

    /// Saves the journal to the given file or to that of `--save`.
    fn save(&self, path: Option<&Path>) -> Result<(), Error> {
        path.or(self.args.save.as_deref()).map_or(Ok(()), |path| {
            self.journal().write(path, || confirm_overwrite(path))
        })
    }

    /// Saves the board at the start of the current procedure.
    fn save_position(&mut self, path: &Path) -> Result<(), Error> {
        let message = "only a game has positions between its procedures; --save-situation saves the board at the end";
        let board = self
            .session
            .board_before_procedure()
            .ok_or_else(|| Error::Usage(message.into()))?;
        save_situation(
            &self.session.situation,
            self.session.current_phase(),
            (board, self.session.events()),
            path,
        )?;
        self.print(&format!(
            "saved; {} is a situation, from which the game goes on",
            path.display()
        ));
        Ok(())
    }

    /// Handles input that ended early; the journal is saved if a file was given.
    fn handle_end_of_input(&mut self) -> Result<(), Error> {
        if self.session.moves().is_empty() {
            self.print("\nthe input ended before anything was answered");
            return Ok(());
        }
        match &self.args.save {
            Some(path) => self.print(&format!("\nthe input ended too early; `casebook play {}` goes on from here", path.display())),
            None => self.print(&format!(
                "\nthe input ended too early, and nothing was saved: `--save FILE` does; the dice were those of --seed {}",
                self.seed()
            )),
        }
        Ok(())
    }

    fn print_ending(&mut self) {
        let ending = render_ending(&self.session.ruling(), self.page);
        self.print(ending.trim_end());
        self.print_luck(self.session.procedure_starts().len());
        let balance = self.luck.balance();
        balance
            .iter()
            .for_each(|line| self.print(self.page.paint("2", line).as_str()));
    }
}

/// Formats an input error without its location.
fn error_text(error: &Error) -> String {
    match error {
        Error::Data(complaints) => complaints
            .0
            .iter()
            .map(|c| c.message.clone())
            .collect::<Vec<_>>()
            .join("\n"),
        other => other.to_string(),
    }
}
