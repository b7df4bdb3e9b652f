//! Who plays whom.

use casebook_engine::complaint::{Error, Remedy, nearest_names};
use casebook_engine::data::manifest::Game;
use casebook_engine::situation::policy::{ALL_SIDES, Policies, PolicyKind};
use std::sync::Arc;

/// The maximum number of pairings.
const MAX_PAIRINGS: usize = 36;

/// The style of each side, in the order of the sides.
#[derive(Clone, Debug)]
pub struct StylePairing {
    /// Side and style.
    pub styles: Vec<(String, String)>,
    /// The same as policies.
    pub policies: Arc<Policies>,
}

/// Returns all pairings of the styles named for each side; a side that none is named for takes every declared style that does not look ahead.
/// The second list holds the styles that are left out because they do.
pub fn pairings(
    game: &Game,
    named: &[(String, String)],
) -> Result<(Vec<StylePairing>, Vec<String>), Error> {
    let sides = &game.sides;
    if let Some((side, _)) = named
        .iter()
        .find(|(side, _)| side != ALL_SIDES && !sides.contains(side))
    {
        let similar_names = nearest_names(side, sides.iter().map(String::as_str));
        return Err(Error::Unknown {
            kind: "side",
            name: side.clone(),
            suggestions: if similar_names.is_empty() {
                sides.clone()
            } else {
                similar_names
            },
        });
    }
    let declared: Vec<&str> = game
        .styles
        .iter()
        .filter(|style| style.plays_on.is_none())
        .map(|style| style.name.as_str())
        .collect();
    let (mut pairings, mut by_default) = (vec![Vec::new()], false);
    for side in sides {
        let of_side = named
            .iter()
            .filter(|(who, _)| who == side || who == ALL_SIDES)
            .map(|(_, style)| style.as_str());
        let mut styles: Vec<&str> = Vec::new();
        for style in of_side {
            if !styles.contains(&style) {
                styles.push(style);
            }
        }
        if styles.is_empty() {
            (styles, by_default) = (declared.clone(), true);
        }
        if styles.is_empty() {
            let message = format!(
                "{} declares no styles of play under `styles:`; each side needs a policy: first, last, highest, lowest or random",
                game.title
            );
            return Err(Error::unanswered(message, Remedy::NameStyle(side.clone())));
        }
        let with_style = |style: &str| {
            pairings
                .iter()
                .map(move |before: &Vec<(String, String)>| {
                    [&before[..], &[(side.clone(), style.to_string())]].concat()
                })
                .collect::<Vec<_>>()
        };
        pairings = styles.into_iter().flat_map(with_style).collect();
        if pairings.len() > MAX_PAIRINGS {
            let message =
                format!("that makes more than {MAX_PAIRINGS} pairings: name fewer styles");
            return Err(Error::unanswered(message, Remedy::NameStyle(side.clone())));
        }
    }
    pairings.sort_by_key(|styles| {
        styles
            .iter()
            .map(|(side, style)| place_of(game, named, side, style))
            .collect::<Vec<_>>()
    });
    let pair = |styles: Vec<(String, String)>| -> Result<StylePairing, Error> {
        let policies = Policies::parse(&styles, game)?;
        if policies.any(PolicyKind::is_explored) {
            let message = "best, worst and all are found by going through every chance: whole games are played by styles, first, last, highest, lowest, random or a closure";
            return Err(Error::Usage(message.into()));
        }
        Ok(StylePairing {
            styles,
            policies: Arc::new(policies),
        })
    };
    let is_named = |style: &str| named.iter().any(|(_, name)| name == style);
    let left_out = game
        .styles
        .iter()
        .filter(|style| by_default && style.plays_on.is_some() && !is_named(&style.name));
    let slow = left_out.map(|style| style.name.clone()).collect();
    Ok((
        pairings.into_iter().map(pair).collect::<Result<_, _>>()?,
        slow,
    ))
}

/// Returns the place of a style in the order in which it was named or declared.
fn place_of(game: &Game, named: &[(String, String)], side: &str, style: &str) -> usize {
    let typed = named
        .iter()
        .position(|(who, name)| (who == side || who == ALL_SIDES) && name == style);
    typed
        .or_else(|| {
            game.styles
                .iter()
                .position(|declared| declared.name == style)
        })
        .unwrap_or(usize::MAX)
}
