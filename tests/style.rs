//! The looks of the pages, held against what they promise: five sizes of type, two weights, and words that can be read on every ground.

use std::collections::{BTreeMap, BTreeSet};

const SHEETS: [(&str, &str); 5] = [
    (
        "casebook.css",
        include_str!("../src/workbench/serve/assets/casebook.css"),
    ),
    (
        "pages.css",
        include_str!("../src/workbench/serve/assets/pages.css"),
    ),
    (
        "map.css",
        include_str!("../src/workbench/serve/assets/map.css"),
    ),
    (
        "situation.css",
        include_str!("../src/workbench/serve/assets/situation.css"),
    ),
    (
        "table.css",
        include_str!("../src/workbench/serve/assets/table.css"),
    ),
];
/// The contrast that WCAG asks of text.
const LEAST_CONTRAST: f64 = 4.5;
/// Colours of words, and the grounds that they stand on.
const WORDS: [&str; 5] = ["ink", "quiet", "link", "strike", "good"];
const GROUNDS: [&str; 3] = ["paper", "sheet", "sunk"];

/// Returns the values of a property in a style sheet.
fn values<'t>(sheet: &'t str, property: &str) -> Vec<&'t str> {
    let starts = [" ", "{", ";"].map(|before| format!("{before}{property}:"));
    starts
        .iter()
        .flat_map(|start| sheet.split(start.as_str()).skip(1))
        .filter_map(|rest| rest.split([';', '}']).next())
        .map(str::trim)
        .collect()
}

/// Returns the custom properties of a part of the style sheet that are colours.
fn colours(part: &str) -> BTreeMap<String, String> {
    let named = part.split("--").skip(1).filter_map(|rest| {
        let (name, value) = rest.split_once(':')?;
        let value = value.trim().split([';', ' ', '}']).next()?;
        (value.len() == 7 && value.starts_with('#')).then(|| (name.into(), value.into()))
    });
    named.collect()
}

/// Returns the relative luminance of a colour, as WCAG defines it.
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour");
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn pages_have_five_sizes_of_type() {
    let root = SHEETS[0].1.split("/* paper is never dark */").next();
    let sizes: BTreeSet<&str> = root
        .unwrap_or_default()
        .split("--")
        .filter_map(|rest| rest.split_once(':'))
        .filter(|(_, value)| value.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        .filter(|(_, value)| {
            value
                .split(';')
                .next()
                .is_some_and(|value| value.ends_with("rem"))
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        sizes,
        ["small", "big", "bigger", "biggest"].into(),
        "beside 1rem, the size of the text"
    );
    let is_size = |value: &str| {
        ["1rem", "1em", "inherit", "100%"].contains(&value)
            || value
                .strip_prefix("var(--")
                .and_then(|rest| rest.strip_suffix(')'))
                .is_some_and(|name| sizes.contains(name))
    };
    for (name, sheet) in SHEETS {
        for value in values(sheet, "font-size") {
            // Words on a map grow with it, and paper has its own size.
            let is_drawn = value.contains("px") || value.ends_with("pt");
            assert!(is_drawn || is_size(value), "{name}: font-size: {value}");
        }
        for value in values(sheet, "font") {
            let size = value
                .split(' ')
                .find(|part| part.contains('/') || part.starts_with("var("))
                .and_then(|part| part.split('/').next());
            assert!(
                value == "inherit" || value.contains("px") || size.is_some_and(is_size),
                "{name}: font: {value}"
            );
        }
    }
}

/// Words on a map are bolder: they stand on a drawing.
#[test]
fn pages_have_two_weights() {
    for (name, sheet) in &SHEETS[..2] {
        let weights: BTreeSet<&str> = values(sheet, "font-weight").into_iter().collect();
        assert!(
            weights.is_subset(&["400", "600"].into()),
            "{name}: {weights:?}"
        );
    }
}

#[test]
fn words_can_be_read_in_both_schemes() {
    let (light, rest) = SHEETS[0]
        .1
        .split_once("/* paper is never dark */")
        .expect("both schemes");
    let dark = rest.split("*, *::before").next().unwrap_or_default();
    let light = colours(light);
    let mut schemes = BTreeMap::from([("light", light.clone())]);
    let mut darkened = light;
    darkened.extend(colours(dark));
    schemes.insert("dark", darkened);
    for (scheme, colours) in schemes {
        let numbered = |letter: char, count: usize| {
            (0..=count)
                .map(move |number| format!("{letter}{number}"))
                .collect::<Vec<_>>()
        };
        let words = WORDS
            .map(String::from)
            .into_iter()
            .chain(numbered('s', 6))
            .chain(numbered('l', 6))
            .filter(|word| colours.contains_key(word));
        let mut checked = 0;
        for word in words {
            for ground in GROUNDS {
                let ratio = contrast(&colours[&word], &colours[ground]);
                assert!(
                    ratio >= LEAST_CONTRAST,
                    "{scheme}: {word} on {ground} has {ratio:.2} to 1"
                );
                checked += 1;
            }
        }
        assert!(checked > 40, "{scheme}: {checked} pairs");
        let pressed = contrast(&colours["paper"], &colours["link"]);
        assert!(pressed >= LEAST_CONTRAST, "{scheme}: words on a button");
    }
}
