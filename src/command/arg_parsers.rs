//! Parsers of arguments: `NAME=VALUE`, and numbers, each with a range, so that no argument can exhaust memory.

use casebook_analysis::odds::rounds::MAX_ROUNDS;
use casebook_analysis::odds::shards::Shard;
use casebook_engine::notation::Face;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Splits an argument at `=`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(k, v)| (k.trim().into(), v.trim().into()))
        .ok_or_else(|| format!("write it as NAME=VALUE, not `{text}`"))
}

/// Parses an option and its value, `on` or `off`.
pub fn option(text: &str) -> Result<(String, bool), String> {
    match pair(text)? {
        (name, on) if on == "on" => Ok((name, true)),
        (name, off) if off == "off" => Ok((name, false)),
        _ => Err(format!("an option is on or off, not `{text}`")),
    }
}

/// Parses what a die shows.
pub fn face(text: &str) -> Result<Face, String> {
    let is_sign = |c: char| c.is_whitespace() || ";/|-–".contains(c);
    let numbers: Vec<&str> = text
        .split(is_sign)
        .filter(|number| !number.is_empty())
        .collect();
    if numbers.len() > 1
        && !text.starts_with('-')
        && numbers.iter().all(|number| number.parse::<i64>().is_ok())
    {
        return Err(format!(
            "write commas between dice: --dice {}",
            numbers.join(",")
        ));
    }
    text.parse()
}

/// Parses a time in seconds; more than a year is clamped to a year, which every clock can represent.
pub fn seconds(text: &str) -> Result<u64, String> {
    let seconds: u64 = text
        .parse()
        .map_err(|_| format!("write whole seconds, not `{text}`"))?;
    Ok(seconds.min(365 * 24 * 3600))
}

/// Valid memory sizes in bytes: from the minimum for a count to more than any machine has.
const MEMORY_RANGE: RangeInclusive<u64> = 1 << 20..=1 << 50;

/// Parses a memory size such as "512M" or "2G".
pub fn memory(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..]
        .to_ascii_lowercase()
        .trim_end_matches("ib")
        .trim_end_matches('b')
    {
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        "" if text.len() == digits.len() => 0,
        _ => 64,
    };
    let size = digits
        .trim()
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1u64.checked_shl(unit)?));
    size.filter(|size| MEMORY_RANGE.contains(size))
        .ok_or_else(|| format!("write a size from 1M to 1024T, such as 512M or 2G, not `{text}`"))
}

/// Maximum number of repetitions, more than any machine completes.
const MAX_RUNS: u64 = 1_000_000_000_000;

/// Parses a number of repetitions, at least 1.
pub fn run_count(text: &str) -> Result<u64, String> {
    parse_within(text, 1..=MAX_RUNS)
}

/// Parses a number of rounds.
pub fn rounds(text: &str) -> Result<u64, String> {
    parse_within(text, 1..=MAX_ROUNDS)
}

/// Parses a non-negative integer.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("write a whole number from 0 up that is not too large, not `{text}`"))
}

/// Parses a name of a list, without the spaces around it.
pub fn trimmed(text: &str) -> Result<String, String> {
    Ok(text.trim().into())
}

/// Parses the seconds that something may take, at least 1 and at most a week.
pub fn budget_seconds(text: &str) -> Result<u64, String> {
    parse_within(text, 1..=7 * 24 * 3600)
}

/// Parses a margin in points of a hundred.
pub fn margin(text: &str) -> Result<f64, String> {
    let points = text
        .trim()
        .parse()
        .ok()
        .filter(|points: &f64| (0.0..100.0).contains(points));
    points.ok_or_else(|| format!("write points of a hundred games, from 0 to less than 100, such as 3 or 0.5; not `{text}`"))
}

/// Parses an integer in a range.
fn parse_within(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let number = text
        .trim()
        .parse()
        .ok()
        .filter(|number| range.contains(number));
    number.ok_or_else(|| {
        format!(
            "write a whole number from {} to {}, not `{text}`",
            range.start(),
            range.end()
        )
    })
}

/// Maximum number of shards.
const MAX_SHARDS: u64 = 1_000_000;

/// Parses a shard "K/N" with 1 <= K <= N.
pub fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(part, parts)| {
        let (part, parts) = (part.trim().parse().ok()?, parts.trim().parse().ok()?);
        Some(Shard { part, parts })
    });
    let valid = numbers
        .filter(|shard| (1..=shard.parts).contains(&shard.part) && shard.parts <= MAX_SHARDS);
    valid.ok_or_else(|| format!("write which part of how many, such as 2/8, and {MAX_SHARDS} parts at most; not `{text}`"))
}
