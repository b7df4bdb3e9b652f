//! Which game, situation and ruleset a command line means.

use crate::command::args::RulesetArgs;
use crate::complaint::{Complaints, Error, near};
use crate::data::library::Library;
use crate::ruleset::compose::Wish;
use crate::situation::words::joined;

/// The game named, or the only one there is.
pub fn game(library: &Library, name: &str) -> Result<String, Error> {
    let names: Vec<&String> = library.games.keys().collect();
    match (name, &names[..]) {
        ("", [only]) => Ok(only.to_string()),
        ("", []) => Err(whole(&library.complaints)),
        ("", _) => match library.games.values().find(|game| game.main) {
            Some(game) => Ok(game.name.clone()),
            None => Err(Error::Usage(format!(
                "there are several games; name one with --game: {}",
                joined(names.iter().map(|n| n.to_string()).collect())
            ))),
        },
        (name, _) => library.game(name).map(|game| game.name.clone()),
    }
}

/// The game named, or all there are.
pub fn games<'a>(library: &'a Library, named: &str) -> Result<Vec<&'a String>, Error> {
    if !named.is_empty() {
        library.game(named)?;
    }
    Ok(library.games.keys().filter(|game| named.is_empty() || *game == named).collect())
}

/// Why there is no game at all: its manifest could not be read.
pub fn whole(complaints: &Complaints) -> Error {
    if complaints.any_error() {
        Error::Data(complaints.clone())
    } else {
        Error::Usage("there is no game in this folder: rules/<game>/game.yaml".into())
    }
}

/// The one situation meant by a name or a part of it: its game, its name, and the variant that brings it.
pub fn situation(library: &Library, wanted: &str, in_game: &str) -> Result<(String, String, Option<String>), Error> {
    let all: Vec<_> = games(library, in_game)?
        .into_iter()
        .flat_map(|g| library.scenarios(g).into_iter().map(|(name, variant)| (g.clone(), name, variant)))
        .collect();
    if let Some(exact) = all.iter().find(|(_, name, _)| name == wanted) {
        return Ok(exact.clone());
    }
    let part: Vec<_> = all.iter().filter(|(_, name, _)| !wanted.is_empty() && name.contains(wanted)).collect();
    match part[..] {
        [one] => Ok(one.clone()),
        [] if library.games.is_empty() => Err(whole(&library.complaints)),
        [] => {
            Err(Error::Unknown { what: "situation", name: wanted.into(), near: near(wanted, all.iter().map(|(_, name, _)| name.as_str())) })
        }
        _ => Err(Error::Usage(format!(
            "`{wanted}` is a part of several names: {}",
            part.iter().map(|(_, name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// The situation meant by a name or a part of it, and what is to be in force.
pub fn meant(library: &Library, wanted: &str, args: &RulesetArgs) -> Result<(String, Wish), Error> {
    let (game, name, variant) = situation(library, wanted, &args.game)?;
    let asked = library.asked_by(&game, &name, variant.as_deref());
    let wish = args.wish(&game, asked);
    Ok((name, wish))
}
