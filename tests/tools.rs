//! Tests that need what may not be installed: a Chromium, the static site's engine (`.ci/site` builds it), VASSAL's own classes (`.ci/vassal`
//! installs them). What is missing is said, and the tests that need it are counted as ignored. Some of them: `cargo test --test tools site::`.

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
            trials.push(Trial::test(name, run).with_ignored_flag(is_missing));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}
