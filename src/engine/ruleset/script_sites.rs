//! The places of a function that a change can point at, with the names by which it does.

use crate::data::case::{Case, PlacedChange, PlacedNode};
use crate::data::change::{ScriptPlace, ScriptText};
use crate::syntax::calls::{CHOICES, LOOK_UPS, ROLL, THROWS};
use crate::syntax::change::{TreeSite, positions_of_number, positions_of_shape, visit_sites};
use crate::syntax::grammar;
use crate::syntax::parse;
use crate::syntax::tree::{Call, Expression, Name, SourcePosition, Statement};

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SiteKind {
    Throw,
    LookUp,
    Choice,
    Let,
    Number,
}

/// A place in a function.
#[derive(Clone, Debug)]
pub struct ScriptSite {
    /// Indices of the case in the ruleset, and of the function in it.
    pub function: (usize, usize),
    kind: SiteKind,
    /// The purpose, table, question, variable or number.
    pub name: String,
    pub at: SourcePosition,
    /// The variables in scope.
    pub scope: Vec<String>,
    /// The number of arguments of a call.
    pub argument_count: usize,
    /// The dice of a throw, where they are a text.
    pub dice: Option<String>,
    /// Of a throw for its total, and of a variable that holds one: the position of the throw, and the number of its dice, which count all.
    pub total_of: Option<(SourcePosition, usize)>,
    /// The value of a `let`, without positions.
    pub plain: Option<Expression>,
}

impl ScriptSite {
    /// Returns the key of a change that points at it.
    pub fn key(&self) -> &'static str {
        match self.kind {
            SiteKind::Throw => "throw",
            SiteKind::LookUp => "look_up",
            SiteKind::Choice => "choice",
            SiteKind::Let => "let",
            SiteKind::Number => "number",
        }
    }

    /// Whether a change of this kind of place can point at it.
    pub fn is_kind_of(&self, place: &ScriptPlace) -> bool {
        let kind = match place {
            ScriptPlace::Throw(_) => SiteKind::Throw,
            ScriptPlace::LookUp(_) => SiteKind::LookUp,
            ScriptPlace::Choice(_) => SiteKind::Choice,
            ScriptPlace::Let(_) => SiteKind::Let,
            ScriptPlace::Number(..) => SiteKind::Number,
            ScriptPlace::Answer(..) => return false,
        };
        self.kind == kind
    }

    /// Returns the change of the whole place by a function of the ruleset.
    pub fn placed(&self, by: (usize, usize)) -> PlacedChange {
        let node = match self.kind {
            SiteKind::Throw | SiteKind::LookUp | SiteKind::Choice => PlacedNode::Call,
            SiteKind::Let => PlacedNode::Let,
            SiteKind::Number => PlacedNode::Number,
        };
        PlacedChange {
            at: self.at,
            node,
            by,
            args: Vec::new(),
            asks_faces: false,
        }
    }
}

/// Returns the places of a function of a case; none if it can't be parsed.
pub fn sites_of(case: &Case, function: (usize, usize)) -> Vec<ScriptSite> {
    let (Ok(body), Some(mut plain)) = (
        parse::function_body(case, function.1),
        parse::body_without_positions(case, function.1),
    ) else {
        return Vec::new();
    };
    let params = || case.functions[function.1].params.iter().map(String::as_str);
    // The values of variables in order, to be compared with those of a change.
    let mut values = Vec::new();
    visit_sites(&mut plain, params(), &mut |site, _| {
        if let TreeSite::Let(_, value, _) = site {
            values.push(value.clone());
        }
    });
    let mut values = values.into_iter();
    let mut sites = Vec::new();
    let mut body: Vec<Statement> = body.to_vec();
    visit_sites(&mut body, params(), &mut |site, scope| {
        let found = match &site {
            TreeSite::Let(name, _, at) => Some((SiteKind::Let, name.to_string(), *at)),
            TreeSite::Expression(Expression::Number(number, at)) => {
                Some((SiteKind::Number, number.to_string(), *at))
            }
            TreeSite::Expression(Expression::Call(call)) => {
                named_call(call).map(|(kind, name)| (kind, name, call.at))
            }
            TreeSite::Expression(_) => None,
        };
        let plain = match &site {
            TreeSite::Let(..) => values.next(),
            _ => None,
        };
        let Some((kind, name, at)) = found else {
            return;
        };
        let call = match &site {
            TreeSite::Expression(Expression::Call(call)) => Some(call),
            _ => None,
        };
        sites.push(ScriptSite {
            function,
            kind,
            name,
            at,
            scope: scope_names(scope),
            argument_count: call.map_or(0, |call| call.args.len()),
            dice: call.and_then(|call| text_of(call.args.first()?)),
            total_of: match &site {
                TreeSite::Let(_, value, _) => total_of(value.unchanged()),
                TreeSite::Expression(value) => total_of(value),
            },
            plain,
        });
    });
    sites
}

/// Returns the position of a throw of plain dice for their total, `roll("2d6", ...)`, and their number.
fn total_of(thrown: &Expression) -> Option<(SourcePosition, usize)> {
    let Expression::Call(call) = thrown else {
        return None;
    };
    let dice = text_of(call.args.first()?).filter(|_| &*call.name == ROLL)?;
    let (count, sides) = dice.split_once('d')?;
    let is_plain = sides.bytes().all(|letter| letter.is_ascii_digit());
    let count = if count.is_empty() { "1" } else { count };
    Some((call.at, count.parse().ok().filter(|_| is_plain)?))
}

fn scope_names(scope: &[Name]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in scope {
        if !names.iter().any(|earlier| **earlier == **name) {
            names.push(name.to_string());
        }
    }
    names
}

/// Returns the name of a throw, look-up or question.
fn named_call(call: &Call) -> Option<(SiteKind, String)> {
    let name_at = |verbs: &[(&str, usize)]| {
        let (_, index) = verbs.iter().find(|(verb, _)| *verb == &*call.name)?;
        text_of(call.args.get(*index)?)
    };
    let kinds = [
        (SiteKind::Throw, THROWS),
        (SiteKind::LookUp, LOOK_UPS),
        (SiteKind::Choice, CHOICES),
    ];
    kinds
        .into_iter()
        .find_map(|(kind, verbs)| Some((kind, name_at(verbs)?)))
}

/// Returns a text; of one with values in it the words before the first.
fn text_of(expression: &Expression) -> Option<String> {
    match expression.unchanged() {
        Expression::Text(text, _) => Some(text.to_string()),
        Expression::Interpolation(parts, _) => match parts.first()? {
            Expression::Text(text, _) => Some(text.trim_end().to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the places of a function that a change points at.
pub fn sites_that_fit(case: &Case, sites: &[ScriptSite], place: &ScriptPlace) -> Vec<ScriptSite> {
    let named = |name: &str| {
        let fits = |site: &&ScriptSite| site.is_kind_of(place) && site.name == name;
        sites.iter().filter(fits).cloned().collect()
    };
    match place {
        ScriptPlace::Throw(name)
        | ScriptPlace::LookUp(name)
        | ScriptPlace::Choice(name)
        | ScriptPlace::Let(name) => named(name),
        ScriptPlace::Number(number, within) => {
            let Some(function) = sites.first().map(|site| site.function.1) else {
                return Vec::new();
            };
            let at = number_positions(case, function, *number, within.as_ref());
            let mut fitting = named(&number.to_string());
            fitting.retain(|site| at.contains(&site.at));
            fitting
        }
        ScriptPlace::Answer(..) => Vec::new(),
    }
}

/// Returns the positions of a number in a function, within an expression if one is given.
fn number_positions(
    case: &Case,
    function: usize,
    number: i64,
    within: Option<&ScriptText>,
) -> Vec<SourcePosition> {
    let (Ok(body), Some(plain)) = (
        parse::function_body(case, function),
        parse::body_without_positions(case, function),
    ) else {
        return Vec::new();
    };
    let starts = match within.map(|within| plain_expression(&within.text)) {
        Some(Some(wanted)) => Some(positions_of_shape(&body, &plain, &wanted)),
        Some(None) => return Vec::new(),
        None => None,
    };
    positions_of_number(&body, number, starts.as_deref())
}

/// Parses an expression, whatever variables it uses, without positions; `None` if it is none.
pub fn plain_expression(text: &str) -> Option<Expression> {
    let parsed = grammar::parse_loosely(text)?;
    match &mut parsed.at((0, 0)).to_tree()[..] {
        [Statement::Expression(expression)] => {
            Some(std::mem::replace(expression, Expression::Nothing((0, 0))))
        }
        _ => None,
    }
}
