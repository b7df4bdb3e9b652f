//! Outcomes of very many values are grouped and shown in time that grows with their number, not with its square, and within their limits.

#[cfg(feature = "serve")]
use crate::common::server::Served;
use crate::common::{Folder, Items, Says};
use serde_json::Value;
use std::time::{Duration, Instant};

const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";

/// The game with an attack of these lines.
fn attack_of(lines: &str) -> Folder {
    let folder = Folder::skirmish();
    let text = folder.read(ATTACK);
    let (head, _) = text
        .split_once("    step(\"Attack\");")
        .expect("the attack begins so");
    folder.write(
        ATTACK,
        format!("{head}    step(\"Attack\");\n{lines}\n}}\n"),
    );
    folder
}

/// Two throws whose faces make 19,600 results in 19,600 values.
const FACES: &str = "    let three = faces(\"3d6\", \"a\");\n    result(\"x\", `${three} ${faces(\"4d4\", \"b\")} ${faces(\"2d4\", \"c\")}`);";

/// The limit of a count with what surrounds it, in an unoptimised program on a busy machine.
const ENDS_WITHIN: Duration = Duration::from_secs(30);

#[test]
fn rare_values_are_added_up() {
    let folder = attack_of(FACES);
    let start = Instant::now();
    let run = folder.ok("odds bridge --limit 20");
    assert!(start.elapsed() < ENDS_WITHIN, "{:?}", start.elapsed());
    // 56 faces of 3d6, 35 of 4d4, 10 of 2d4.
    run.out.holds("and 19,400 others, together");
    run.out
        .holds("The 200 likeliest values are listed. --exact lists each.");
    assert_eq!(
        run.out.lines().filter(|line| line.contains('%')).count(),
        201
    );
    let json = folder.json("odds bridge --limit 20");
    let outcome = &json["outcomes"][0];
    assert_eq!(
        (
            outcome["values"].as_array().map(Vec::len),
            &outcome["others"]["values"]
        ),
        (Some(5_000), &Value::from(14_600))
    );
    let percent = |one: &Value| one["percent"].as_f64().expect("a number");
    let sum = outcome["values"]
        .as_array()
        .into_iter()
        .flatten()
        .map(percent)
        .sum::<f64>()
        + percent(&outcome["others"]);
    assert!((sum - 100.0).abs() < 1e-6, "{sum}");
    let json = folder.json("odds bridge --limit 20 --exact");
    assert_eq!(
        (
            json["outcomes"][0]["values"].as_array().map(Vec::len),
            json["outcomes"][0].get("others")
        ),
        (Some(19_600), None)
    );
}

/// What can't be counted is sampled and shown, whatever its outcomes are.
#[test]
fn many_sampled_values_are_shown_in_time() {
    for lines in [
        "    result(\"x\", faces(\"8d20\", \"a\"));",
        "    let sum = 0;\n    let power = 1;\n    for n in 0..40 { sum += (roll(\"1d2\", `coin ${n}`) - 1) * power; power *= 2; }\n    result(\"x\", sum);",
    ] {
        let folder = attack_of(lines);
        for format in ["text", "json"] {
            let start = Instant::now();
            let run = folder.ok(&["odds", "bridge", "--limit", "3", "--format", format]);
            assert!(
                start.elapsed() < ENDS_WITHIN,
                "{lines}, {format}: {:?}",
                start.elapsed()
            );
            let shown = if format == "json" {
                run.json()["runs"].as_u64() > Some(0)
            } else {
                run.out.contains("is a sample of")
            };
            assert!(shown, "{lines}, {format}: {}", run.terminal_output());
        }
    }
}

/// The seconds of processor time that a process has taken, if the system says it.
#[cfg(feature = "serve")]
fn processor_seconds(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let times: Vec<f64> = text
        .rsplit(')')
        .next()?
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse().ok())
        .collect();
    Some(times.iter().sum::<f64>() / 100.0)
}

/// The page and the count of many values are answered, and a count whose client has left ends.
#[cfg(feature = "serve")]
#[test]
fn a_count_of_many_values_is_served_and_ends_with_its_client() {
    let folder = attack_of(
        "    result(\"x\", faces(\"8d20\", \"a\"));\n    result(\"y\", faces(\"12d12\", \"b\"));",
    );
    let served = Served::start(&folder.0);
    for _ in 0..3 {
        served.post_and_leave("/odds", "{\"situation\":\"bridge\"}");
    }
    // Processor time of half a second.
    let taken = || {
        let now = || processor_seconds(served.process().expect("it is a process"));
        let before = now()?;
        std::thread::sleep(Duration::from_millis(500));
        Some(now()? - before)
    };
    let left = Instant::now();
    while taken().is_some_and(|taken| taken > 0.1) {
        assert!(left.elapsed() < Duration::from_secs(12), "it still counts");
    }
    let (status, page) = served.page("/at/skirmish/bridge?part=odds");
    assert!(
        status == 200 && page.contains("more</summary>") && page.len() < 2_000_000,
        "{status}, {} bytes",
        page.len()
    );
}

/// Ranges over all choices take a fold for each value, and end with the time of the count.
#[test]
fn ranges_of_many_values_end_in_time() {
    let choice = "    let way = choose(\"Red\", \"which way\", [\"left\", \"right\"]);\n    result(\"way\", way);\n";
    let folder = attack_of(&format!("{choice}{FACES}"));
    let start = Instant::now();
    let json = folder.json("odds bridge --policy Red=all --limit 8");
    assert!(start.elapsed() < ENDS_WITHIN * 2, "{:?}", start.elapsed());
    let ranges = json["ranges"].as_array().expect("a list");
    let many = ranges
        .iter()
        .find(|range| range["outcome"] == "x")
        .expect("it is named");
    let found = many["values"].as_array().map_or(0, Vec::len) as u64;
    assert!(
        json["complete"] == false && found + many["left_out"].as_u64().unwrap_or(0) == 19_600,
        "{found} of {}",
        many["left_out"]
    );
    // Without a choice the chances are the ranges.
    let folder = attack_of(FACES);
    let json = folder.json("odds bridge --policy Red=all --limit 20");
    assert_eq!(
        (
            &json["complete"],
            json["ranges"][0]["values"].as_array().map(Vec::len)
        ),
        (&Value::Bool(true), Some(19_600))
    );
}

/// A flag and a text that looks like it are two values.
#[test]
fn values_of_two_kinds_are_not_added_up() {
    let chances = |lines: &str, name: &str| -> Vec<(String, String)> {
        let throw = format!("    let die = roll(\"1d6\", \"a\");\n    {lines}");
        let json = attack_of(&throw).json("odds bridge");
        let outcome = json["outcomes"]
            .items()
            .find(|one| one["outcome"] == name)
            .expect("it is named");
        let text = |value: &Value| value.as_str().expect("a text").to_string();
        let mut values: Vec<_> = outcome["values"]
            .items()
            .map(|one| (text(&one["value"]), text(&one["chance"])))
            .collect();
        values.sort();
        values
    };
    let expected = |values: &[(&str, &str)]| {
        values
            .iter()
            .map(|(value, chance)| (value.to_string(), chance.to_string()))
            .collect::<Vec<_>>()
    };
    let both = "result(\"x\", if die == 1 { true } else if die < 4 { \"yes\" } else { false });";
    assert_eq!(
        chances(both, "x"),
        expected(&[("\"yes\"", "1/3"), ("no", "1/2"), ("yes", "1/6")])
    );
    // Where nothing looks the same a text is shown as it is.
    assert_eq!(
        chances(
            "result(\"y\", if die == 1 { \"yes\" } else { \"5\" });",
            "y"
        ),
        expected(&[("5", "5/6"), ("yes", "1/6")])
    );
}

/// What is sampled is kept apart from what was counted, whichever of the two is the text.
#[test]
fn sampled_values_of_two_kinds_are_not_added_up() {
    for (counted, sampled) in [("true", "\"yes\""), ("\"yes\"", "true")] {
        let lines = format!(
            "    let die = roll(\"1d6\", \"a\");\n    if die == 1 {{ result(\"x\", {counted}); return; }}\n    let sum = 0;\n    \
             for face in faces(\"30d20\", \"b\") {{ sum = (sum * 7 + face) % 11; }}\n    \
             if die < 4 && sum >= 0 {{ result(\"x\", {sampled}); }} else {{ result(\"x\", false); }}"
        );
        let json = attack_of(&lines).json("odds bridge --limit 3");
        let values = json["outcomes"][0]["values"].as_array().expect("a list");
        let mut texts: Vec<&str> = values
            .iter()
            .filter_map(|one| one["value"].as_str())
            .collect();
        texts.sort_unstable();
        assert_eq!(texts, ["\"yes\"", "no", "yes"], "{json}");
        let percent = |text: &str| {
            values
                .iter()
                .find(|one| one["value"] == text)
                .and_then(|one| one["percent"].as_f64())
                .expect("a number")
        };
        // What was counted is 1/6, and what was sampled about 1/3.
        let (flag, text) = (percent("yes"), percent("\"yes\""));
        let (counted, sampled) = if counted == "true" {
            (flag, text)
        } else {
            (text, flag)
        };
        assert!(
            (counted - 100.0 / 6.0).abs() < 0.1 && (sampled - 100.0 / 3.0).abs() < 15.0,
            "{json}"
        );
    }
}
