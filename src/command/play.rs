//! `casebook play`: asks for every throw and every choice, at the keyboard or from a pipe.

use crate::code::state::Choosing;
use crate::command::args::{Format, RulesetArgs};
use crate::command::counting::odds_of;
use crate::command::meant::{is_journal, journal_of, meant};
use crate::command::out::{lines, stderr, stdout, sure};
use crate::command::print_json;
use crate::command::resolve::{not_saved, save_situation};
use crate::command::why::{menu, numbers, who_asks, why, why_not};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::bars::{draw, partly};
use crate::ruleset::compose::Wish;
use crate::ruling::data::data;
use crate::ruling::decide::Decider;
use crate::ruling::journal::Journal;
use crate::ruling::menu::beside;
use crate::ruling::moves::Move;
use crate::ruling::page::Page;
use crate::ruling::position::Position;
use crate::ruling::render::{ending, pieces};
use crate::ruling::resolve::{consulted, trace_lines};
use crate::ruling::session::{Session, Waits, question};
use crate::ruling::situation::Situation;
use crate::situation::overrides::{self, Overrides};
use crate::situation::policy::{Kind, Policies};
use crate::situation::words::text_of;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// How a situation is played.
pub struct Ask {
    /// Figures set by hand.
    pub overrides: Overrides,
    /// Policies by side.
    pub policy: Vec<(String, String)>,
    /// The seed of dice that are not typed.
    pub seed: Option<u64>,
    /// Bytes for the odds from here.
    pub memory: u64,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Where the journal goes.
    pub save: Option<PathBuf>,
    /// Where the board goes at the end.
    pub save_situation: Option<PathBuf>,
}

/// What can be typed instead of an answer.
const HELP: &str = "\
  Enter    rolls the dice, or takes the first option
  3 5      the faces that fell on your table, each die singly
  2        the second option; its name will do too; of a place that is not open it says why not
  ?        why: the cases that ask, and those looked up since the last answer; ?? step by step
  b        the board
  o        the odds from here
  u        undo
  s FILE   save the journal
  p FILE   save the position: the board on which the procedure under way began, as a situation
  q        quit";

/// A person at the keyboard, or at the other end of a pipe.
struct Table<'a> {
    session: Session,
    name: String,
    overrides: Overrides,
    wish: Wish,
    seed: u64,
    decider: Decider,
    ask: &'a Ask,
    page: Page,
    out: Box<dyn Write>,
    /// The procedure of a game that is told, and how many titles and lines of it were printed.
    part: usize,
    printed: usize,
    /// The answers in the file that was saved last.
    saved: Option<Vec<Move>>,
}

/// Carries out `play`.
pub fn play(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: Ask, format: Format, page: Page) -> Result<ExitCode, Error> {
    let (session, name, wish, seed, overrides) = opened(library, wanted, args, &ask)?;
    let policies = Policies::read(&ask.policy, &session.situation.ruleset().game.sides)?;
    if policies.any(Kind::explored) {
        let what = "best, worst and all are found by going through every chance: play with first, last, highest, lowest or a closure";
        return Err(Error::Usage(what.into()));
    }
    // Choices that the situation's file answers are for whoever plays to answer.
    let decider = Decider { policies: Arc::new(policies), ..Decider::default() };
    // A program reads the ruling alone.
    let out: Box<dyn Write> = if format == Format::Json { Box::new(lines(stderr)) } else { Box::new(lines(stdout)) };
    let mut table = Table { session, name, overrides, wish, seed, decider, ask: &ask, page, out, part: 0, printed: 0, saved: None };
    let ended = table.sit_down()?;
    let mut ran = table.session.ran();
    ran.ruling.dice_from = format!("the table, or seed {seed}");
    if format == Format::Json {
        print_json(&data(&ran, &table.session.situation, Some(seed)));
    }
    let ruling = ran.ruling;
    if !ended {
        if let Some(path) = &ask.save_situation {
            eprintln!("note: {} was not written: this did not come to its end; `p FILE` saves the position under way", path.display());
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(path), true) = (&ask.save_situation, ruling.refused.is_some()) {
        eprintln!("{}", not_saved(path));
    } else if let Some(path) = &ask.save_situation {
        save_situation(&table.session.situation, None, (table.session.board(), table.session.events()), path)?;
    }
    Ok(ExitCode::from(u8::from(ruling.refused.is_some())))
}

/// The session that is meant: a situation from its start, or a journal to go on from.
fn opened(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask) -> Result<(Session, String, Wish, u64, Overrides), Error> {
    let seed = ask.seed.unwrap_or_else(|| RandomState::new().hash_one(wanted) % 1_000_000);
    if !is_journal(wanted) {
        let (name, wish) = meant(library, wanted, args)?;
        let session = Session::begin(Situation::with_overrides(library, &wish, &name, &ask.overrides)?, seed, ask.strict)?;
        return Ok((session, name, wish, seed, ask.overrides.clone()));
    }
    let (mut journal, places) = journal_of(wanted, args, &ask.overrides)?;
    let seed = *journal.seed.get_or_insert(seed);
    let session = journal.played(library, &places, ask.strict)?;
    Ok((session, journal.situation.clone(), journal.wish(), seed, journal.overrides.clone()))
}

/// What comes of a line that was typed.
enum Heard {
    /// It was answered, or looked at.
    On,
    /// Whoever plays has had enough.
    Quit,
}

impl Table<'_> {
    /// Plays until it is over or broken off; whether it came to its end.
    fn sit_down(&mut self) -> Result<bool, Error> {
        let ruling = self.session.ruling();
        self.say(&self.page.paint("1", &ruling.title));
        self.say(&self.page.paint("2", &format!("{} · {} · seed {}", ruling.procedure, ruling.ruleset, self.seed)));
        let set = overrides::told(&self.session.situation.scenario.set);
        if !set.is_empty() {
            self.say(&self.page.paint("2", &set));
        }
        self.say(&self.page.paint("2", "Enter goes on, h helps."));
        let stdin = std::io::stdin();
        let mut input = stdin.lock();
        loop {
            self.show();
            if self.session.over() {
                self.save(None)?;
                self.last_words();
                return Ok(true);
            }
            if let Some(option) = self.session.decided(&self.decider)? {
                self.session.choose(option)?;
                self.save(None)?;
                continue;
            }
            self.ask_for();
            let mut line = String::new();
            let read = input.read_line(&mut line);
            if !stdin.is_terminal() {
                // What comes through a pipe is not seen on the page.
                self.say(line.trim_end());
            }
            match read {
                Ok(0) => {
                    self.broken_off()?;
                    return Ok(false);
                }
                Ok(_) => {}
                Err(_) => {
                    self.say("this is no text");
                    continue;
                }
            }
            match self.heard(line.trim()) {
                Ok(Heard::On) => {}
                Ok(Heard::Quit) => return Ok(false),
                // What was typed amiss is asked again; what is wrong with the rules ends it.
                Err(Error::Data(complaints)) if complaints.0.iter().any(|c| !matches!(c.law, "dice" | "choice" | "procedure")) => {
                    self.save(None)?;
                    return Err(Error::Data(complaints));
                }
                Err(error) => self.say(&error_text(&error)),
            }
        }
    }

    fn say(&mut self, text: &str) {
        // Nobody listens any more: the journal is kept all the same.
        let _ = writeln!(self.out, "{text}");
    }

    /// Prints what is new of the ruling. A game is told procedure by procedure: what was told of earlier ones is not read again.
    fn show(&mut self) {
        let parts = self.session.parts().to_vec();
        let ends = parts.iter().skip(1).copied().chain([self.session.events().len()]);
        for (part, (from, to)) in parts.iter().copied().zip(ends).enumerate().skip(self.part) {
            let lines = pieces(&self.session.told(from, to), self.page);
            let printed = if part == self.part { self.printed } else { 0 };
            for line in lines.iter().skip(printed) {
                let _ = write!(self.out, "{line}");
            }
            (self.part, self.printed) = (part, lines.len());
        }
    }

    /// What was taken back has not been printed.
    fn forget(&mut self) {
        let (last, from) = self.session.parts().iter().copied().enumerate().next_back().unwrap_or_default();
        let told = pieces(&self.session.told(from, self.session.events().len()), self.page).len();
        self.printed = if last < self.part { told } else { self.printed.min(told) };
        self.part = last;
    }

    fn ask_for(&mut self) {
        let prompt = match self.session.waits().clone() {
            Waits::Throw(asked) => {
                let what = if asked.dice.count == 1 { "the face".to_string() } else { format!("{} faces", asked.dice.count) };
                let dice = self.page.paint("1", &format!("{} for {}", asked.text, asked.purpose));
                let counted = asked.at_least.map_or(String::new(), |face| format!(", each {face} or more counts"));
                format!("\n{dice}{counted}   [Enter rolls, or type {what}]\n> ")
            }
            Waits::Choice(asked) => {
                let texts = self.options(&asked);
                let mut text = format!("\n{}", self.page.paint("1", &question(&asked)));
                let words = beside(&self.session, &asked);
                if numbers(&texts) && words.iter().all(String::is_empty) {
                    text.push_str(&format!("   [Enter takes {}; open are {}]\n", texts[0], texts.join(", ")));
                } else {
                    text.push('\n');
                    menu(&texts, words, self.page).iter().for_each(|line| text.push_str(line));
                }
                text + "> "
            }
            Waits::Over(_) => String::new(),
        };
        let _ = write!(self.out, "{prompt}");
        let _ = self.out.flush();
    }

    fn heard(&mut self, line: &str) -> Result<Heard, Error> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("h" | "help", "") => self.say(HELP),
            ("?", "") => self.why(),
            ("??", "") => {
                let ruleset = self.session.situation.ruleset().clone();
                let lines = trace_lines(self.session.lately(), self.session.board(), &ruleset);
                lines.iter().for_each(|line| self.say(&format!("  {line}")));
            }
            ("b", "") => {
                let position = Position::new(&self.session.situation, self.session.board(), self.session.events());
                self.say(position.render(&self.session.situation.ruleset().game).trim_end());
            }
            ("o", "") => self.odds()?,
            ("u", "") => {
                if self.session.undo() {
                    self.forget();
                    self.say("taken back");
                    self.save(None)?;
                } else {
                    self.say("this is the beginning; there is nothing to take back");
                }
            }
            ("s", "") => self.say("say where: s FILE"),
            ("s", file) => {
                self.save(Some(Path::new(file)))?;
                self.saved = Some(self.session.moves());
                self.say(&format!("saved; `casebook play {file}` goes on from here"));
            }
            ("p", "") => self.say("say where: p FILE"),
            ("p", file) => self.save_position(Path::new(file))?,
            ("q" | "quit", "") => {
                let moves = self.session.moves();
                match &self.saved {
                    _ if self.ask.save.is_some() || moves.is_empty() => {}
                    None => self.say("left; nothing was saved (s FILE saves)"),
                    Some(saved) if *saved != moves => self.say("left; what was answered since it was saved is not in the file"),
                    Some(_) => {}
                }
                return Ok(Heard::Quit);
            }
            _ => {
                self.answer(line)?;
                self.save(None)?;
            }
        }
        Ok(Heard::On)
    }

    /// An answer: faces or nothing for dice, a number or a name for a choice.
    fn answer(&mut self, line: &str) -> Result<(), Error> {
        match self.session.waits().clone() {
            Waits::Throw(_) if line.is_empty() => {
                self.session.roll()?;
                let thrown = self.session.moves().last().map(ToString::to_string).unwrap_or_default();
                self.say(&thrown);
                Ok(())
            }
            Waits::Throw(_) => {
                let faces: Result<Vec<u32>, _> = line.split([' ', ',']).filter(|part| !part.is_empty()).map(str::parse).collect();
                match faces {
                    Ok(faces) => self.session.throw(&faces),
                    Err(_) => Err(Error::Usage(format!("`{line}` is no row of faces; type each die singly, such as 3 5; h helps"))),
                }
            }
            Waits::Choice(_) if line.is_empty() => self.session.choose(0),
            Waits::Choice(asked) => {
                let texts = self.options(&asked);
                match line.parse::<usize>() {
                    // Where options are numbers, a number is what it says, and not a place in the row.
                    Ok(place @ 1..) if place <= texts.len() && !numbers(&texts) => self.session.choose(place - 1),
                    _ => {
                        let option = self.session.option(line).map_err(|error| match why_not(&self.session, line, self.page) {
                            Some(why) => Error::Usage(why),
                            None => Error::Usage(format!("{error}{}", who_asks(&self.session))),
                        })?;
                        self.session.choose(option)
                    }
                }
            }
            Waits::Over(_) => Ok(()),
        }
    }

    fn options(&self, asked: &Choosing) -> Vec<String> {
        asked.options.iter().map(|option| text_of(option, self.session.board())).collect()
    }

    /// The cases that ask, and what was looked up since the last answer.
    fn why(&mut self) {
        let lately = consulted(self.session.lately(), self.session.situation.ruleset());
        why(&self.session, &lately).iter().for_each(|line| self.say(line));
    }

    fn odds(&mut self) -> Result<(), Error> {
        let rest = self.session.rest();
        let found = odds_of(&rest, &[], self.ask.strict, (10, self.ask.memory))?;
        self.say("  every choice still to come at its first option:");
        if let Some(sample) = &found.sample {
            self.say(&format!("  {}", partly(&found.odds, sample)));
        }
        let drawn = draw(&found.odds, found.sample.as_ref(), false, &self.session.situation.ruleset().game, self.page);
        self.say(drawn.trim_end());
        Ok(())
    }

    fn journal(&self) -> Journal {
        let ruling = self.session.over().then(|| self.session.ruling());
        Journal::new(&self.name, &self.wish, Some(self.seed), self.session.moves(), ruling.as_ref().map(|r| &r.results))
            .with_overrides(&self.overrides)
    }

    /// Saves the journal where it was asked to go, or where it is asked for now.
    fn save(&self, path: Option<&Path>) -> Result<(), Error> {
        path.or(self.ask.save.as_deref()).map_or(Ok(()), |path| self.journal().write(path, || sure(path)))
    }

    /// Saves the position in which the procedure under way began.
    fn save_position(&mut self, path: &Path) -> Result<(), Error> {
        let what = "only a game has positions between its procedures; --save-situation saves the board at the end";
        let (phase, procedure, board) = self.session.step().ok_or_else(|| Error::Usage(what.into()))?;
        save_situation(&self.session.situation, Some((phase, procedure)), (board, self.session.events()), path)?;
        self.say(&format!("saved; {} is a situation, from which the game goes on", path.display()));
        Ok(())
    }

    /// The input was closed before the end. A file is written where one was asked for.
    fn broken_off(&mut self) -> Result<(), Error> {
        if self.session.moves().is_empty() {
            self.say("\nthe input ended before anything was answered");
            return Ok(());
        }
        match &self.ask.save {
            Some(path) => self.say(&format!("\nthe input ended too early; `casebook play {}` goes on from here", path.display())),
            None => self.say(&format!(
                "\nthe input ended too early, and nothing was saved: `--save FILE` does; the dice were those of --seed {}",
                self.seed
            )),
        }
        Ok(())
    }

    fn last_words(&mut self) {
        let rest = ending(&self.session.ruling(), self.page);
        self.say(rest.trim_end());
    }
}

/// What was typed amiss, in a line.
fn error_text(error: &Error) -> String {
    match error {
        Error::Data(complaints) => complaints.0.iter().map(|c| c.what.clone()).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}
