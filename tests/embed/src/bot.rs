//! The bot: text in, ruling out. Each channel may have a game in progress.

use casebook::{
    Answers, Asked, DifferenceVerdict, Error, Library, Play, RulesetDifference, RulesetSpec,
    Ruling, Situation, compare,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The time that a count may take: nobody waits longer for a chat.
const PATIENCE: Duration = Duration::from_secs(5);

const HELP: &str = "!list GAME, !rule SITUATION [with VARIANT,...] [dice 3,5], !odds SITUATION [with ...], \
                    !compare SITUATION VARIANT,... VARIANT,... ..., !play SITUATION; in a game: faces such as 3 5, roll, an option, undo, odds, save";

/// The bot with the games of its channels.
pub struct Bot {
    library: Arc<Library>,
    games: HashMap<String, Play>,
    /// Journals of games that were put away.
    saved: HashMap<String, String>,
}

impl Bot {
    /// Creates a bot for the games of a library.
    pub fn new(library: Arc<Library>) -> Bot {
        Bot {
            library,
            games: HashMap::new(),
            saved: HashMap::new(),
        }
    }

    /// Answers a message; `None` if it is not for the bot.
    pub fn reply(&mut self, channel: &str, text: &str) -> Option<String> {
        let text = text.trim();
        let answer = match text.strip_prefix('!') {
            Some(command) => self.command(channel, command),
            None if self.games.contains_key(channel) => self.game_turn(channel, text),
            None => return None,
        };
        // Nothing that is typed into a chat ends the bot.
        Some(answer.unwrap_or_else(|error| format!("That does not work: {}", short(&error))))
    }

    fn command(&mut self, channel: &str, command: &str) -> Result<String, Error> {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["list"] => Ok(self.library.game_names().collect::<Vec<_>>().join(", ")),
            ["list", game] => {
                let named = self
                    .library
                    .scenarios(game)
                    .into_iter()
                    .map(|(name, _)| name);
                Ok(named.take(20).collect::<Vec<_>>().join(", "))
            }
            ["rule", situation, ref rest @ ..] => {
                let answers = match option(rest, "dice") {
                    Some(dice) => Answers::new().dice(&faces(dice)?),
                    None => Answers::new(),
                };
                answers
                    .resolve(&self.situation(situation, rest)?)
                    .map(|ruling| ruling_text(&ruling))
            }
            ["odds", situation, ref rest @ ..] => odds_text(&self.situation(situation, rest)?),
            ["compare", situation, ref rulesets @ ..] if rulesets.len() > 1 => {
                self.compare(situation, rulesets)
            }
            ["play", situation, ref rest @ ..] => {
                let play = Play::begin(self.situation(situation, rest)?, 1)?;
                let question = question_text(&play.asked());
                self.games.insert(channel.into(), play);
                Ok(question)
            }
            ["resume"] => {
                let journal = self
                    .saved
                    .get(channel)
                    .ok_or_else(|| Error::Usage("no game was saved here".into()))?;
                let play = Play::from_journal(&self.library, journal)?;
                let question = question_text(&play.asked());
                self.games.insert(channel.into(), play);
                Ok(question)
            }
            _ => Ok(HELP.into()),
        }
    }

    /// Takes an answer to what the channel's game waits for.
    fn game_turn(&mut self, channel: &str, text: &str) -> Result<String, Error> {
        let Some(play) = self.games.get_mut(channel) else {
            return Ok(HELP.into());
        };
        match (text, play.asked()) {
            ("undo", _) if play.undo() => {}
            ("undo", _) => return Ok("Nothing is to be undone.".into()),
            ("odds", _) => return odds_text(&play.remaining()),
            ("save", _) => {
                self.saved.insert(channel.into(), play.journal());
                self.games.remove(channel);
                return Ok("Saved; !resume goes on.".into());
            }
            ("roll", Asked::Throw { .. }) => play.roll()?,
            (text, Asked::Throw { .. }) => play.throw(&faces(text)?)?,
            (text, _) => play.choose(text)?,
        }
        match play.asked() {
            Asked::Nothing => {
                let text = ruling_text(&play.ruling());
                self.games.remove(channel);
                Ok(text)
            }
            asked => Ok(question_text(&asked)),
        }
    }

    /// Finds a situation by its name in any game.
    fn situation(&self, name: &str, rest: &[&str]) -> Result<Situation, Error> {
        let game = self.library.game_names().find_map(|game| {
            let (_, variant) = self
                .library
                .scenarios(game)
                .into_iter()
                .find(|(known, _)| known == name)?;
            Some((game.to_string(), variant))
        });
        let Some((game, variant)) = game else {
            return Err(Error::Unknown {
                kind: "situation",
                name: name.into(),
                suggestions: Vec::new(),
            });
        };
        let with = option(rest, "with").unwrap_or_default();
        let with: Vec<&str> = with
            .split(',')
            .filter(|name| !name.is_empty())
            .chain(variant.as_deref())
            .collect();
        Situation::load(&self.library, &RulesetSpec::new(&game, &with), name)
    }

    fn compare(&self, situation: &str, rulesets: &[&str]) -> Result<String, Error> {
        let game = self.library.game_names().find(|game| {
            self.library
                .scenarios(game)
                .iter()
                .any(|(name, _)| name == situation)
        });
        let spec = |with: &&str| {
            let with: Vec<&str> = with
                .split(',')
                .filter(|name| !matches!(*name, "" | "none"))
                .collect();
            RulesetSpec::new(game.unwrap_or_default(), &with)
        };
        let specs: Vec<RulesetSpec> = rulesets.iter().map(spec).collect();
        let comparison = compare(&self.library, situation, &specs, PATIENCE)?;
        let line = |difference: &RulesetDifference| {
            let differing: Vec<&str> = difference
                .with_verdict(DifferenceVerdict::Differs)
                .map(|one| one.outcome.as_str())
                .collect();
            let causes = difference
                .causes
                .iter()
                .flat_map(|(_, causes)| causes.iter().flatten())
                .map(|cause| cause.identity.as_str());
            let mut causes: Vec<&str> = causes.collect();
            causes.sort();
            causes.dedup();
            match differing.is_empty() {
                true => "No difference was found.".into(),
                false => format!(
                    "These differ: {}. Because of {}.",
                    differing.join(", "),
                    causes.join(", ")
                ),
            }
        };
        Ok(comparison
            .differences
            .iter()
            .map(line)
            .collect::<Vec<String>>()
            .join("\n"))
    }
}

/// The word after another one.
fn option<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words
        .iter()
        .position(|word| *word == name)
        .and_then(|at| words.get(at + 1))
        .copied()
}

fn faces(text: &str) -> Result<Vec<u32>, Error> {
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            part.parse()
                .map_err(|_| Error::Usage(format!("`{part}` is not a face of a die")))
        })
        .collect()
}

fn short(error: &Error) -> String {
    match error {
        Error::Data(complaints) => complaints
            .0
            .first()
            .map(|first| format!("{} {}", first.message, first.help))
            .unwrap_or_default(),
        other => other.to_string(),
    }
}

fn ruling_text(ruling: &Ruling) -> String {
    let lines = ruling
        .steps
        .iter()
        .flat_map(|step| &step.lines)
        .chain(&ruling.refused);
    let mut out: String = lines
        .map(|line| format!("{} [{}]\n", line.text, line.cites.join("; ")))
        .collect();
    for (name, value) in &ruling.results {
        out += &format!("{name}: {value}\n");
    }
    if !ruling.reconstructed.is_empty() {
        out += &format!(
            "Rests on figures that are not known from print: {}\n",
            ruling.reconstructed.join(", ")
        );
    }
    out
}

fn odds_text(situation: &Situation) -> Result<String, Error> {
    let odds = Answers::new().odds(situation, PATIENCE)?;
    let mut out = String::new();
    for name in &odds.order {
        let values = odds.outcomes[name]
            .iter()
            .map(|(value, chance)| format!("{value} {chance} ({:.1} %)", chance.to_f64() * 100.0));
        out += &format!("{name}: {}\n", values.collect::<Vec<_>>().join(", "));
    }
    if !odds.is_complete() {
        out += "There was no time to count everything.\n";
    }
    Ok(out)
}

fn question_text(asked: &Asked) -> String {
    match asked {
        Asked::Throw { dice, purpose, .. } => {
            format!("Throw {dice} for {purpose}: type the faces, or roll.")
        }
        Asked::Choice {
            side,
            question,
            options,
            ..
        } => format!("{side}: {question}? {}", options.join(" / ")),
        _ => "Nothing is left to decide.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game in memory: two sides throw, and Red may hold back.
    const GAME: [(&str, &str); 3] = [
        (
            "rules/race/game.yaml",
            "game: race\ntitle: A race\nsides: [Red, Blue]\nprocedures: { race: Two sides race. }\n",
        ),
        (
            "rules/race/1-race/1-race.rhai",
            r#"//! case: "1"
//! title: The race
//! kind: rule
//! procedure: race
//! text: Each side throws a die, and Red may hold back a point; more wins.

/// What Red loses by holding back.
fn held_back(how) { if how == "hold back" { 1 } else { 0 } }

fn race(given) {
    let how = choose("Red", "pace", ["run", "hold back"]);
    let red = roll("1d6", "Red") - held_back(how);
    let blue = roll("1d6", "Blue");
    say("Red comes to {}, Blue to {}.", [red, blue]);
    result("winner", if red > blue { "Red" } else if blue > red { "Blue" } else { "none" });
}
"#,
        ),
        (
            "scenarios/race/start.yaml",
            "situation: start\ntitle: The start\nstatus: printed\nprocedure: race\n",
        ),
    ];

    fn bot() -> Bot {
        let library = casebook::from_files(GAME).expect("these are paths of data files");
        assert!(
            !library.complaints().has_errors(),
            "{}",
            library.complaints()
        );
        Bot::new(library)
    }

    fn ask(bot: &mut Bot, text: &str) -> String {
        bot.reply("general", text)
            .unwrap_or_else(|| panic!("`{text}` is for the bot"))
    }

    #[test]
    fn text_goes_in_and_a_ruling_comes_out() {
        let ruling = ask(&mut bot(), "!rule start dice 5,2");
        assert_eq!(ruling, "Red comes to 5, Blue to 2. [1]\nwinner: \"Red\"\n");
        assert_eq!(ask(&mut bot(), "!list race"), "start");
        assert!(bot().reply("general", "good morning").is_none());
    }

    #[test]
    fn odds_are_exact_fractions() {
        assert_eq!(
            ask(&mut bot(), "!odds start"),
            "winner: Blue 5/12 (41.7 %), Red 5/12 (41.7 %), none 1/6 (16.7 %)\n"
        );
    }

    #[test]
    fn a_game_is_played_in_a_channel_and_goes_on_later() {
        let mut bot = bot();
        assert_eq!(ask(&mut bot, "!play start"), "Red: pace? run / hold back");
        assert!(ask(&mut bot, "crawl").contains("`crawl` is not open"));
        assert_eq!(
            ask(&mut bot, "hold back"),
            "Throw 1d6 for Red: type the faces, or roll."
        );
        assert!(ask(&mut bot, "7").contains("a d6 shows 1 to 6"));
        assert_eq!(
            ask(&mut bot, "3"),
            "Throw 1d6 for Blue: type the faces, or roll."
        );
        assert_eq!(
            ask(&mut bot, "odds"),
            "winner: Blue 2/3 (66.7 %), Red 1/6 (16.7 %), none 1/6 (16.7 %)\n"
        );
        assert_eq!(
            ask(&mut bot, "undo"),
            "Throw 1d6 for Red: type the faces, or roll."
        );
        assert_eq!(
            ask(&mut bot, "6"),
            "Throw 1d6 for Blue: type the faces, or roll."
        );
        assert!(
            bot.reply("elsewhere", "6").is_none(),
            "another channel has no game"
        );
        assert_eq!(ask(&mut bot, "save"), "Saved; !resume goes on.");
        assert_eq!(
            ask(&mut bot, "!resume"),
            "Throw 1d6 for Blue: type the faces, or roll."
        );
        assert_eq!(
            ask(&mut bot, "6"),
            "Red comes to 5, Blue to 6. [1]\nwinner: \"Blue\"\n"
        );
    }

    #[test]
    fn own_dice_and_own_policies_are_functions() {
        let library = casebook::from_files(GAME).expect("these are paths of data files");
        let situation = Situation::load(&library, &RulesetSpec::new("race", &[]), "start")
            .expect("it is there");
        let back = || {
            Answers::new()
                .decide_with(|_, question, options| (question == "pace").then(|| options.len() - 1))
        };
        let ruling = back()
            .throw_with(|dice, purpose| vec![if purpose == "Red" { dice.sides } else { 1 }])
            .resolve(&situation)
            .expect("it runs");
        assert_eq!(ruling.steps[0].lines[0].text, "Red comes to 5, Blue to 1.");
        let odds = back().odds(&situation, PATIENCE).expect("it is counted");
        assert_eq!(odds.outcomes["winner"].chance("Red").to_string(), "5/18");
        let best = Answers::new()
            .policy("Red", "|what, options| options[0]")
            .odds(&situation, PATIENCE)
            .expect("it is counted");
        assert_eq!(best.outcomes["winner"].chance("Red").to_string(), "5/12");
        let wrong = Answers::new()
            .throw_with(|_, _| vec![1, 2])
            .resolve(&situation)
            .expect_err("one die has one face");
        assert!(wrong.to_string().contains("the program gave 2"), "{wrong}");
        let wrong = Answers::new()
            .decide_with(|_, _, options| Some(options.len()))
            .resolve(&situation)
            .expect_err("no such option");
        assert!(wrong.to_string().contains("counted from 0"), "{wrong}");
    }

    #[test]
    fn wrong_messages_are_answered_in_words() {
        let mut bot = bot();
        for (text, why) in [
            ("!rule nowhere", "no situation is called `nowhere`"),
            ("!rule start with fast", "no variant is called `fast`"),
            ("!rule start dice 1", "takes one die; none is left"),
            ("!rule start dice many", "`many` is not a face"),
            ("!resume", "no game was saved"),
            ("!what", "!list GAME"),
        ] {
            let answer = ask(&mut bot, text);
            assert!(answer.contains(why), "{text}: {answer}");
        }
        assert!(
            casebook::from_files([("../rules/a.yaml", "")]).is_err(),
            "no path leaves the data"
        );
    }

    #[test]
    fn rulesets_of_a_shipped_game_are_compared() {
        let mut bot = Bot::new(casebook::built_in());
        let answer = ask(&mut bot, "!compare leader-wounded none dye");
        assert!(answer.starts_with("These differ: "), "{answer}");
        // Each with the one before, as many as there are.
        let answer = ask(&mut bot, "!compare leader-wounded none dye dye none");
        let starts: Vec<&str> = answer
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(starts, ["These", "No", "These"], "{answer}");
    }
}
