//! A case of the skirmish with lines that a limit ends.

use crate::common::repository;
use casebook::code::machine::MAX_SECONDS;
use casebook::complaint::{Complaint, Error};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::resolve::{ResolveRequest, resolve};
use casebook::ruling::situation::Situation;
use casebook::situation::policy::Policies;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// The case that is changed.
pub const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";

/// The game without a change.
pub static SKIRMISH: LazyLock<Files> = LazyLock::new(|| {
    Files::with_folder(&repository().join("tests/skirmish"), casebook::EMBEDDED)
        .expect("the folder is there")
});

/// The first complaint when the attack begins with `lines` and the file ends with `functions`.
pub fn fault(lines: &str, functions: &str, policies: Policies) -> Complaint {
    fault_within(Duration::from_secs(MAX_SECONDS), lines, functions, policies)
}

/// The same with another time limit.
fn fault_within(time: Duration, lines: &str, functions: &str, policies: Policies) -> Complaint {
    let mut files = SKIRMISH.clone();
    let file = files
        .by_key
        .get_mut(ATTACK)
        .expect("the case of the attack");
    file.text = (file.text.replace(
        "    step(\"Attack\");\n",
        &format!("    step(\"Attack\");\n{lines}\n"),
    ) + functions)
        .into();
    let run = move || {
        let library = Arc::new(Library::new(files));
        let spec = RulesetSpec {
            game: "skirmish".into(),
            ..RulesetSpec::default()
        };
        let order = ResolveRequest {
            policies: Arc::new(policies),
            ..ResolveRequest::default()
        };
        let result = Situation::load(&library, &spec, "bridge").and_then(|situation| {
            let mut machine = situation.machine();
            machine.time_limit = time;
            resolve(&mut machine, &situation, order)
        });
        match result {
            Err(Error::Data(complaints)) => complaints.0.into_iter().next().expect("a complaint"),
            other => panic!("this is to be complained of, and came to {other:?}"),
        }
    };
    let start = Instant::now();
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(run)
        .expect("a thread can be started");
    let complaint = thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "it took {:?}",
        start.elapsed()
    );
    assert!(
        !complaint.message.is_empty() && !complaint.help.is_empty(),
        "{complaint:?}"
    );
    complaint
}

/// The lines are stopped by a limit, at a line of the file.
pub fn limited(lines: &str, functions: &str) -> Complaint {
    let complaint = fault(lines, functions, Policies::default());
    assert_eq!(
        (complaint.code, complaint.place.path.ends_with(ATTACK)),
        (casebook::DiagnosticCode::Limit, true),
        "{complaint:?}"
    );
    assert!(
        complaint.place.span.is_some_and(|span| span.line > 1),
        "{complaint:?}"
    );
    complaint
}

/// The lines are stopped by the clock, long before they have taken all their steps.
pub fn limited_in_time(lines: &str) {
    let complaint = fault_within(Duration::from_secs(1), lines, "", Policies::default());
    assert_eq!(
        (complaint.code, &*complaint.message),
        (
            casebook::DiagnosticCode::Limit,
            "this run did not end in time"
        ),
        "{complaint:?}"
    );
}
