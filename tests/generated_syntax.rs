//! The functions that the differential test generates hold every construct of the syntax tree, and each shape of its parts.
//!
//! What to expect is read from the declarations of the tree: a new variant, flag, option or list is missed here until `common::made`
//! generates it.

use crate::common::made::Made;
use crate::common::runner::with_deep_stack;
use casebook::syntax::grammar;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

const TREE: &str = include_str!("../src/engine/syntax/tree.rs");

/// What no function can hold.
const IMPOSSIBLE: &[&str] = &[
    // Syntax that the compiler refuses.
    "Expression::Foreign",
    "Statement::Foreign",
    // Lists of changes put these into a parsed function; `changes` has tests of them.
    "Expression::Changed",
    "ChangedExpression.args: empty",
    "ChangedExpression.args: filled",
    "ChangedExpression.asks_faces: true",
    "ChangedExpression.asks_faces: false",
    // The parser drops empty statements.
    "Statement::Nothing",
    // The parser makes these only of several parts, or of one at least.
    "Expression::And.0: empty",
    "Expression::Or.0: empty",
    "Expression::Coalesce.0: empty",
    "Expression::Interpolation.0: empty",
    "Expression::Block.0: empty",
    "Chain.links: empty",
];

/// Names and types of fields.
type Fields = Vec<(String, String)>;

enum Declaration {
    Struct(Fields),
    Enum(BTreeMap<String, Fields>),
}

/// The parts of a list at its outermost commas.
fn split(list: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in list.chars() {
        depth += i32::from("(<".contains(letter)) - i32::from(")>".contains(letter));
        match letter {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("a part").push(letter),
        }
    }
    parts
        .iter()
        .map(|part| part.trim().to_string())
        .filter(|part| !part.is_empty())
        .collect()
}

fn field(line: &str) -> Option<(String, String)> {
    let (name, holds) = line.trim_start_matches("pub ").split_once(": ")?;
    Some((name.into(), holds.trim_end_matches(',').into()))
}

/// The declarations of the tree by name.
fn declarations() -> BTreeMap<String, Declaration> {
    let mut all = BTreeMap::new();
    for text in TREE.split("\npub ").skip(1) {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let lines: Vec<&str> = body
            .split("\n}")
            .next()
            .unwrap_or_default()
            .lines()
            .map(str::trim)
            .collect();
        let lines = lines
            .into_iter()
            .filter(|line| !line.starts_with("//") && !line.starts_with('#'));
        if let Some(name) = head
            .strip_prefix("struct ")
            .and_then(|head| head.strip_suffix(" {"))
        {
            all.insert(
                name.to_string(),
                Declaration::Struct(lines.filter_map(field).collect()),
            );
        } else if let Some(name) = head
            .strip_prefix("enum ")
            .and_then(|head| head.strip_suffix(" {"))
            .filter(|name| !name.contains('<'))
        {
            let (mut variants, mut open) = (BTreeMap::<String, Fields>::new(), String::new());
            for line in lines {
                if let Some((variant, holds)) = line
                    .split_once('(')
                    .filter(|(variant, _)| !variant.contains(' '))
                {
                    let holds = split(
                        holds
                            .trim_end_matches(',')
                            .strip_suffix(')')
                            .expect("a tuple on one line"),
                    );
                    variants.insert(
                        variant.into(),
                        holds
                            .into_iter()
                            .enumerate()
                            .map(|(index, part)| (index.to_string(), part))
                            .collect(),
                    );
                } else if let Some(variant) = line.strip_suffix(" {") {
                    open = variant.into();
                    variants.insert(open.clone(), Vec::new());
                } else if let Some(field) = field(line) {
                    variants.get_mut(&open).expect("a variant").push(field);
                } else if line != "}," {
                    variants.insert(line.trim_end_matches(',').into(), Vec::new());
                }
            }
            all.insert(name.to_string(), Declaration::Enum(variants));
        }
    }
    all
}

fn within<'t>(holds: &'t str, container: &str) -> Option<&'t str> {
    holds
        .strip_prefix(container)?
        .strip_prefix('<')?
        .strip_suffix('>')
}

/// The shapes that a field can have.
fn shapes(holds: &str) -> &'static [&'static str] {
    match within(holds, "Box").unwrap_or(holds) {
        "bool" => &["true", "false"],
        holds if holds.starts_with("Vec<") => &["empty", "filled"],
        holds if holds.starts_with("Option<") => &["none", "some"],
        _ => &[],
    }
}

/// Everything that functions can hold.
fn possible(all: &BTreeMap<String, Declaration>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |owner: &str, fields: &Fields| {
        for (name, holds) in fields {
            names.extend(
                shapes(holds)
                    .iter()
                    .map(|shape| format!("{owner}.{name}: {shape}")),
            );
        }
    };
    for (name, declaration) in all.iter().filter(|(name, _)| *name != "UnsupportedSyntax") {
        match declaration {
            Declaration::Struct(fields) => add(name, fields),
            Declaration::Enum(variants) => variants
                .iter()
                .for_each(|(variant, fields)| add(&format!("{name}::{variant}"), fields)),
        }
    }
    let variants = all
        .iter()
        .filter(|(name, _)| *name != "UnsupportedSyntax")
        .filter_map(|(name, declaration)| match declaration {
            Declaration::Enum(variants) => Some(
                variants
                    .keys()
                    .map(move |variant| format!("{name}::{variant}")),
            ),
            Declaration::Struct(_) => None,
        });
    names.extend(variants.flatten());
    names.retain(|name| !IMPOSSIBLE.contains(&name.as_str()));
    names
}

/// Notes what a part of a tree holds, as its type declares it.
fn note(
    all: &BTreeMap<String, Declaration>,
    holds: &str,
    part: &Json,
    owner: &str,
    seen: &mut BTreeSet<String>,
) {
    let fields = |owner: &str, fields: &Fields, part: &Json, seen: &mut BTreeSet<String>| {
        for (index, (name, holds)) in fields.iter().enumerate() {
            // A variant with a single part is serialized as this part.
            let value = match part {
                Json::Object(entries) if name.parse::<usize>().is_err() => &entries[name],
                Json::Array(parts) if fields.len() > 1 => &parts[index],
                part => part,
            };
            note(all, holds, value, &format!("{owner}.{name}"), seen);
        }
    };
    let mut shape = |shape: &str| seen.extend([format!("{owner}: {shape}")]);
    if let Some(inner) = within(holds, "Box") {
        note(all, inner, part, owner, seen);
    } else if let Some(inner) = within(holds, "Vec") {
        let parts = part.as_array().expect("a list");
        shape(if parts.is_empty() { "empty" } else { "filled" });
        parts
            .iter()
            .for_each(|part| note(all, inner, part, "", seen));
    } else if let Some(inner) = within(holds, "Option") {
        shape(if part.is_null() { "none" } else { "some" });
        if !part.is_null() {
            note(all, inner, part, "", seen);
        }
    } else if holds == "bool" {
        shape(&part.to_string());
    } else if let Some(parts) = holds.strip_prefix('(') {
        let parts = split(parts.trim_end_matches(')'));
        parts
            .iter()
            .zip(part.as_array().expect("a tuple"))
            .for_each(|(holds, part)| note(all, holds, part, "", seen));
    } else {
        match all.get(holds) {
            Some(Declaration::Struct(list)) => fields(holds, list, part, seen),
            Some(Declaration::Enum(variants)) => {
                let variant = part
                    .as_str()
                    .or_else(|| Some(part.as_object()?.keys().next()?.as_str()))
                    .expect("a variant");
                seen.insert(format!("{holds}::{variant}"));
                fields(
                    &format!("{holds}::{variant}"),
                    &variants[variant],
                    &part[variant],
                    seen,
                );
            }
            None => assert!(
                ["Name", "SourcePosition", "i64", "usize", "str"].contains(&holds),
                "what is `{holds}`?"
            ),
        }
    }
}

#[test]
fn the_generator_makes_every_construct_of_the_tree() {
    with_deep_stack(|| {
        let all = declarations();
        let mut missing = possible(&all);
        assert!(
            missing.len() > 70 && missing.contains("Arm.guard: some"),
            "the declarations were read: {missing:?}"
        );
        let mut state = 1u64;
        let mut byte = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        for _ in 0..4_000 {
            let bytes: Vec<u8> = (0..160).map(|_| byte()).collect();
            let text = format!("fn made() {{\n{}}}\n", Made::new(&bytes).function());
            let Ok(parsed) = grammar::parse_function(&text, 1, std::iter::empty()) else {
                continue;
            };
            let mut seen = BTreeSet::new();
            note(
                &all,
                "Vec<Statement>",
                &serde_json::to_value(parsed.to_tree()).expect("JSON"),
                "",
                &mut seen,
            );
            missing.retain(|name| !seen.contains(name));
            if missing.is_empty() {
                return;
            }
        }
        panic!("`tests/common/made.rs` never generates: {missing:#?}");
    });
}
