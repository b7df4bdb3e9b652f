//! The workbench under hostile requests: slow, large, excessive or abandoned ones end, and others are answered.
#![cfg(feature = "serve")]

use crate::common::server::Served;
use crate::common::{Folder, Says};
use casebook::serve::server::ServerLimits;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The small game with a variant of the user's.
fn folder() -> Folder {
    let folder = Folder::skirmish();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    folder
}

fn skirmish() -> (Folder, Served) {
    let folder = folder();
    let served = Served::start(&folder.0);
    (folder, served)
}

/// A workbench with short timeouts.
fn impatient() -> (Folder, Served) {
    let [head, body, queue, work] = [3, 3, 7, 10].map(Duration::from_secs);
    let (folder, limits, real) = (
        folder(),
        ServerLimits {
            head,
            body,
            queue,
            work,
        },
        ServerLimits::default(),
    );
    let pairs = [
        (head, real.head),
        (body, real.body),
        (queue, real.queue),
        (work, real.work),
    ];
    assert!(
        pairs
            .iter()
            .all(|(own, real)| own < real && *real <= Duration::from_secs(60)),
        "{real:?}"
    );
    let served = Served::with_limits(&folder.0, limits);
    (folder, served)
}

fn connect(served: &Served) -> TcpStream {
    let stream = TcpStream::connect(served.base.trim_start_matches("http://")).expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(100)))
        .expect("a time can be set");
    stream
}

/// Reads until the server closes the connection.
fn answer(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn head(served: &Served, path: &str, length: usize) -> String {
    let host = served.base.trim_start_matches("http://");
    format!(
        "POST /api/v2{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    )
}

fn post(served: &Served, path: &str, body: &str) -> TcpStream {
    let mut stream = connect(served);
    stream
        .write_all(format!("{}{body}", head(served, path, body.len())).as_bytes())
        .expect("it reads");
    stream
}

/// A request that comes letter by letter is not waited for.
#[test]
fn slow_requests_are_given_up() {
    let (_folder, served) = impatient();
    let start = Instant::now();
    let (mut slow_head, mut slow_body) = (connect(&served), connect(&served));
    slow_head
        .write_all(b"GET / HTTP/1.1\r\nhost: ")
        .expect("it reads");
    slow_body
        .write_all(head(&served, "/ruling", 1_000).as_bytes())
        .expect("it reads");
    for _ in 0..5 {
        std::thread::sleep(Duration::from_secs(1));
        let _ = slow_head.write_all(b"x");
        let _ = slow_body.write_all(b" ");
    }
    let answer_text = answer(&mut slow_body);
    assert!(answer_text.starts_with("HTTP/1.1 408"), "{answer_text}");
    answer_text.holds("did not come within 3 seconds");
    let cut = answer(&mut slow_head);
    cut.lacks("200 OK");
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn large_bodies_are_refused_unread() {
    let (_folder, served) = skirmish();
    for length in [(4 << 20) + 1, 1 << 40] {
        let mut stream = connect(&served);
        stream
            .write_all(head(&served, "/ruling", length).as_bytes())
            .expect("it reads");
        let answer_text = answer(&mut stream);
        assert!(answer_text.starts_with("HTTP/1.1 413"), "{answer_text}");
        answer_text.holds("4 MB at most");
    }
}

#[test]
fn figures_of_a_request_are_bounded() {
    let (_folder, served) = skirmish();
    let set: serde_json::Map<String, serde_json::Value> = (0..2_001)
        .map(|n| (format!("Red foot: f{n}"), json!("1")))
        .collect();
    for path in ["/ruling", "/odds"] {
        let (status, answer_text) = served.request(
            "POST",
            path,
            Some(&json!({ "situation": "bridge", "set": set })),
        );
        assert!(status == 400, "{status} {answer_text}");
        answer_text["error"].holds("2000 can be");
    }
}

/// Idle connections are closed in favour of those with a request.
#[test]
fn idle_connections_make_room() {
    let (_folder, served) = impatient();
    let start = Instant::now();
    let idle_streams: Vec<TcpStream> = (0..300).map(|_| connect(&served)).collect();
    let mut connection = post(&served, "/ruling", "{\"situation\":\"bridge\"}");
    let answer_text = answer(&mut connection);
    assert!(answer_text.starts_with("HTTP/1.1 200"), "{answer_text}");
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    drop(idle_streams);
}

const RUNAWAY: &str = "//! case: \"2.1\"\n//! title: Round and round\n//! kind: revision\n//! text: for ever\n\nfn loss_order(side, units) {\n    let list = []; for i in 0..4000 { list.push([i, `${i}`]); }\n    while true { distinct(list); }\n    units\n}\n";

/// Abandoned work is cancelled, and waiting requests get their turn.
#[test]
fn work_that_nobody_waits_for_ends() {
    let (folder, served) = skirmish();
    folder.write("variants/mine/rules/02-losses/2.1-losses.rhai", RUNAWAY);
    let lanes = std::thread::available_parallelism().map_or(1, |n| n.get()) * 8;
    for _ in 0..lanes + 4 {
        drop(post(
            &served,
            "/ruling",
            "{\"situation\":\"bridge\",\"with\":[\"mine\"],\"dice\":[3]}",
        ));
    }
    let start = Instant::now();
    assert_eq!(
        served
            .request("POST", "/ruling", Some(&json!({ "situation": "bridge" })))
            .0,
        200
    );
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

const ENDLESS: &str = "//! case: \"1.1\"\n//! title: A long day\n//! kind: revision\n//! procedure: attack\n//! text: long\n\nfn attack(given) {\n    let sum = 0;\n    for n in 0..60 { sum = (sum * 7 + roll(\"1d6\", `hour ${n}`) * (n + 13)) % 1000003; }\n    result(\"sum\", sum);\n}\n";

/// A request that gets no slot in time is refused with a time to retry; none waits longer than the two timeouts.
#[test]
fn who_finds_no_room_is_told_when_to_come_back() {
    let (folder, served) = impatient();
    folder.write("variants/mine/rules/01-battle/1.1-attack.rhai", ENDLESS);
    let start = Instant::now();
    let lanes = std::thread::available_parallelism().map_or(1, |n| n.get()) * 2;
    let mut connections: Vec<TcpStream> = (0..lanes * 3)
        .map(|_| {
            post(
                &served,
                "/odds",
                "{\"situation\":\"bridge\",\"with\":[\"mine\"]}",
            )
        })
        .collect();
    let answer_text: Vec<String> = connections.iter_mut().map(answer).collect();
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    let refusals: Vec<&String> = answer_text
        .iter()
        .filter(|answer_text| answer_text.starts_with("HTTP/1.1 503"))
        .collect();
    let counted = answer_text
        .iter()
        .filter(|answer_text| answer_text.starts_with("HTTP/1.1 200"))
        .count();
    assert!(
        !refusals.is_empty() && refusals.len() + counted == answer_text.len(),
        "{answer_text:?}"
    );
    for answer_text in refusals {
        answer_text.to_lowercase().holds("retry-after: 7");
        answer_text.holds("try again in 7 seconds");
    }
}
