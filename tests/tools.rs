//! Tests that need what may not be installed: a Chromium, the static site's engine (`.ci/site` builds it), VASSAL's own classes (`.ci/vassal`
//! installs them). What is missing is said, and the tests that need it are counted as ignored. Some of them: `cargo test --test tools site::`.

mod common;

mod site;
mod table;
mod vassal_oracle;

use common::browser::Browser;
use common::front::engine;
use libtest_mimic::{Arguments, Trial};

/// Tests by name.
type Tests = &'static [(&'static str, fn())];

fn main() {
    let args = Arguments::from_args();
    let groups: [(&str, Tests, fn() -> bool); 3] = [
        ("site", site::TESTS, || engine().is_some() && Browser::start().is_some()),
        ("table", table::TESTS, || Browser::start().is_some()),
        ("vassal_oracle", vassal_oracle::TESTS, vassal_oracle::is_there),
    ];
    let mut trials = Vec::new();
    for (group, tests, is_there) in groups {
        let named: Vec<_> = tests.iter().map(|(name, test)| (format!("{group}::{name}"), *test)).collect();
        let is_asked = |name: &str| args.filter.as_ref().is_none_or(|filter| name.contains(filter));
        // Nothing is started for what isn't run.
        let is_missing = !args.list && named.iter().any(|(name, _)| is_asked(name)) && !is_there();
        let trial = |(name, test): (String, fn())| Trial::test(name, move || Ok(test())).with_ignored_flag(is_missing);
        trials.extend(named.into_iter().map(trial));
    }
    libtest_mimic::run(&args, trials).exit();
}
