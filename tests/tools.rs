//! Tests that need what may not be installed: a Chromium, the static site's engine (`.ci/site` builds it), VASSAL's own classes (`.ci/vassal`
//! installs them). What is missing is said, and the tests that need it are counted as ignored. Some of them: `cargo test --test tools site::`.
//! So are those that walk through whole games, which take minutes: `cargo test --test tools -- --include-ignored table::`, as `.ci/release` does.

mod common;

mod map;
mod site;
mod table;
mod vassal_oracle;

use common::browser::Browser;
use common::front::engine;
use libtest_mimic::{Arguments, Trial};

/// Tests by name, and whether what they need is there.
struct Group {
    name: &'static str,
    tests: &'static [(&'static str, fn())],
    is_there: fn() -> bool,
}

const GROUPS: [Group; 4] = [
    Group {
        name: "map",
        tests: map::TESTS,
        is_there: || Browser::start().is_some(),
    },
    Group {
        name: "site",
        tests: site::TESTS,
        is_there: || engine().is_some() && Browser::start().is_some(),
    },
    Group {
        name: "table",
        tests: table::TESTS,
        is_there: || Browser::start().is_some(),
    },
    Group {
        name: "vassal_oracle",
        tests: vassal_oracle::TESTS,
        is_there: vassal_oracle::is_there,
    },
];

/// Tests that walk through whole games, and take minutes.
const LONG: [&str; 3] = [
    "map::names_cover_no_counter_and_no_other_name",
    "table::a_turn_of_each_game_is_played_by_keyboard",
    "table::whole_games_are_clicked_with_every_destination_open_on_the_map",
];

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    for Group {
        name: group,
        tests,
        is_there,
    } in GROUPS
    {
        let named: Vec<_> = tests
            .iter()
            .map(|(name, test)| (format!("{group}::{name}"), *test))
            .collect();
        let is_asked = |name: &str| {
            args.filter
                .as_ref()
                .is_none_or(|filter| name.contains(filter))
        };
        // Nothing is started for what isn't run.
        let is_missing = !args.list && named.iter().any(|(name, _)| is_asked(name)) && !is_there();
        for (name, test) in named {
            let run = move || {
                test();
                Ok(())
            };
            let is_ignored = is_missing || LONG.contains(&name.as_str());
            trials.push(Trial::test(name, run).with_ignored_flag(is_ignored));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}
