//! VASSAL's own classes as an oracle: texts, encodings, zones and grids come out as there, and it opens our module, set-up and log. Where its
//! classes or Java are not installed (`.ci/vassal` installs them), the tests say so and are skipped.
#![cfg(feature = "vassal")]

mod common;

use casebook::vassal::element::Element;
use casebook::vassal::grid::PlaceGrid;
use casebook::vassal::obfuscation::{decode, encode};
use casebook::vassal::polygon::Polygon;
use casebook::vassal::sequence::{SequenceReader, join};
use common::{Folder, repository};
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The compiled harness of `tests/vassal`.
struct Oracle {
    folder: Folder,
    classes: String,
}

fn oracle() -> Option<&'static Oracle> {
    static ORACLE: OnceLock<Option<Oracle>> = OnceLock::new();
    ORACLE.get_or_init(compile).as_ref()
}

fn compile() -> Option<Oracle> {
    let engine = repository().join("target/vassal/Vengine.jar");
    if !engine.is_file() || Command::new("javac").arg("-version").output().is_err() {
        eprintln!("skipped: VASSAL's classes are not at target/vassal/Vengine.jar, or there is no Java (.ci/vassal installs both)");
        return None;
    }
    let jars = std::fs::read_dir("/usr/share/java").into_iter().flatten().flatten().map(|entry| entry.path().display().to_string());
    // One binding of the logging library is enough.
    let other_binding = |path: &str| path.contains("slf4j-") && !path.contains("slf4j-api") && !path.contains("slf4j-nop");
    let jars: Vec<String> = jars.filter(|path| path.ends_with(".jar") && !other_binding(path)).collect();
    let folder = Folder::empty();
    let classes = format!("{}:{}:{}", engine.display(), folder.0.display(), jars.join(":"));
    let sources =
        ["Oracle", "Opener", "wizard/WizardPanelProvider", "wizard/WizardBranchController", "wizard/WizardPage", "wizard/WizardException"];
    let sources = sources.map(|name| repository().join(format!("tests/vassal/{name}.java")));
    let built = Command::new("javac").args(["-nowarn", "-cp", &classes, "-d"]).arg(&folder.0).args(sources).output().expect("Java runs");
    if !built.status.success() {
        eprintln!("skipped: the libraries that VASSAL leans on are not installed: {}", String::from_utf8_lossy(&built.stderr));
        return None;
    }
    Some(Oracle { folder, classes })
}

impl Oracle {
    fn ask(&self, args: &[&str], input: String) -> Vec<u8> {
        let mut command = Command::new("java");
        command.args(["-cp", &self.classes, "Oracle"]).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Java runs");
        let mut to = child.stdin.take().expect("it reads");
        let writer = std::thread::spawn(move || to.write_all(input.as_bytes()).expect("it reads all"));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("it was written");
        assert!(output.status.success());
        output.stdout
    }

    #[track_caller]
    fn expect_same(&self, what: &str, input: String, ours: &str) {
        let theirs = String::from_utf8(self.ask(&[what], input)).expect("it is text");
        let different = ours.lines().zip(theirs.lines()).position(|(ours, theirs)| ours != theirs);
        let line = different.map(|at| (at, ours.lines().nth(at), theirs.lines().nth(at)));
        assert_eq!((line, ours.lines().count()), (None, theirs.lines().count()), "{what}");
    }
}

/// A stream of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least) as u64) as i64
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

fn hex(text: &str) -> String {
    std::iter::once("x".to_string()).chain(text.bytes().map(|byte| format!("{byte:02x}"))).collect()
}

#[test]
fn saved_games_are_decoded_byte_for_byte() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(7);
    let text: String = (0..200_000).filter_map(|_| char::from_u32(numbers.below(0x3000) as u32 + 1)).collect();
    let path = oracle.folder.0.join("game").display().to_string();
    oracle.folder.write("game", encode(&text, 0xa7));
    assert!(oracle.ask(&["decode", &path], String::new()) == text.as_bytes(), "they read what we write");
    oracle.folder.write("game", &text);
    let theirs = oracle.ask(&["encode", &path], String::new());
    assert!(decode(&theirs, "x").expect("it is whole") == text.as_bytes(), "we read what they write");
}

#[test]
fn texts_are_split_and_joined_alike() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(99);
    let pieces = ["\\", "'", ",", ";", "\t", "a", "b", "\u{1b}", "ü", "/", "''", "\\\\"];
    let (mut split, mut joined, mut our_split, mut our_joined) = (String::new(), String::new(), String::new(), String::new());
    for _ in 0..20_000 {
        let delimiter = numbers.pick(&[",", ";", "\t", "\u{1b}", "/"]);
        let mark = delimiter.chars().next().expect("one character");
        let mut text = || {
            let length = numbers.below(9);
            (0..length).map(|_| numbers.pick(&pieces)).collect::<String>()
        };
        let parts = [text(), text(), text()];
        let _ = writeln!(split, "{} {}", hex(delimiter), hex(&parts[0]));
        let _ = writeln!(our_split, "{}", SequenceReader::new(&parts[0], mark).map(|part| hex(&part)).collect::<Vec<_>>().join(" "));
        let _ = writeln!(joined, "{} {}", hex(delimiter), parts.iter().map(|part| hex(part)).collect::<Vec<_>>().join(" "));
        let _ = writeln!(our_joined, "{}", hex(&join(&parts, mark)));
    }
    oracle.expect_same("split", split, &our_split);
    oracle.expect_same("join", joined, &our_joined);
}

#[test]
fn zones_hold_the_same_dots() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(5);
    let (mut asked, mut ours) = (String::new(), String::new());
    for _ in 0..200 {
        let corners: Vec<String> =
            (0..3 + numbers.below(9)).map(|_| format!("{},{}", numbers.between(-20, 60), numbers.between(-20, 60))).collect();
        let _ = writeln!(asked, "{}", corners.join(";"));
        let zone = Polygon::parse(&corners.join(";"));
        for _ in 0..500 {
            let dot = (numbers.between(-25, 65) as i32, numbers.between(-25, 65) as i32);
            let _ = writeln!(asked, "{} {}", dot.0, dot.1);
            let _ = writeln!(ours, "{}", zone.contains(dot));
        }
    }
    oracle.expect_same("polygon", asked, &ours);
}

/// 10,000 dots on each of twelve grids: hexes and squares, sideways, staggered, descending, with offsets, digits and letters.
#[test]
fn places_have_the_names_of_vassal() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(88_172_645_463_325_252);
    let (mut asked, mut ours) = (String::new(), String::new());
    for number in 0..12 {
        let kind = if number % 4 == 3 { "square" } else { "hex" };
        let (wide, high) = (numbers.between(300, 4000), numbers.between(300, 4000));
        let mut side = || (numbers.between(200, 1200) as f64 / 10.0).to_string();
        let mut grid = vec![("dy", side())];
        if number % 5 != 0 {
            grid.push(("dx", side()));
        }
        if number % 2 == 0 {
            grid.extend([("x0", numbers.between(-80, 80).to_string()), ("y0", numbers.between(-80, 80).to_string())]);
        }
        let flags = ["true", "false"];
        let mut names = vec![("first", numbers.pick(&["H", "V"]).to_string()), ("sep", "-".into())];
        for key in ["hType", "vType"] {
            names.push((key, numbers.pick(&["A", "N", "N"]).into()));
        }
        for key in ["hLeading", "vLeading"] {
            names.push((key, numbers.between(0, 4).to_string()));
        }
        for key in ["hOff", "vOff"] {
            names.push((key, numbers.between(-20, 40).to_string()));
        }
        for key in ["hDescend", "vDescend"] {
            names.push((key, numbers.pick(&flags).into()));
        }
        if kind == "hex" {
            grid.push(("sideways", numbers.pick(&flags).into()));
            names.push(("stagger", numbers.pick(&flags).into()));
        }
        let list = |pairs: &[(&str, String)]| pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
        let xml = |pairs: &[(&str, String)]| pairs.iter().map(|(key, value)| format!(" {key}=\"{value}\"")).collect::<String>();
        let _ = writeln!(asked, "{kind} {wide} {high} {} | {}", list(&grid), list(&names));
        let class = if kind == "hex" { "Hex" } else { "Square" };
        let text = format!("<x.Board><a.{class}Grid{}><b.{class}GridNumbering{}/></a.{class}Grid></x.Board>", xml(&grid), xml(&names));
        let grid = PlaceGrid::read(&Element::parse(&text, "x").expect("it is XML")).expect("it has a grid");
        for _ in 0..10_000 {
            let dot = (numbers.between(-200, wide + 200) as i32, numbers.between(-200, high + 200) as i32);
            let _ = writeln!(asked, "{} {}", dot.0, dot.1);
            let _ = writeln!(ours, "{}", grid.place_name(dot, (wide as i32, high as i32)).expect("each dot has a name"));
        }
    }
    oracle.expect_same("grid", asked, &ours);
}

#[test]
fn vassal_opens_our_module_and_log() {
    let Some(oracle) = oracle() else { return };
    let folder = Folder::empty();
    folder.run(&["export", "vmod", "first-manassas"]).expect_success();
    folder.run(&["resolve", "first-manassas.vsav", "--seed", "3", "--vlog", "out.vlog"]).expect_success();
    let home = format!("-Duser.home={}", folder.0.display());
    let args =
        ["-a", "timeout", "120", "java", &home, "-cp", &oracle.classes, "Opener", "first-manassas.vmod", "first-manassas.vsav", "out.vlog"];
    let Ok(output) = Command::new("xvfb-run").args(args).current_dir(&folder.0).output() else {
        eprintln!("skipped: there is no xvfb-run, and VASSAL opens modules only where there is a screen (.ci/vassal installs it)");
        return;
    };
    let seen = String::from_utf8_lossy(&output.stdout);
    assert!(seen.ends_with("done\n") && !seen.contains("Exception"), "{seen}\n{}", String::from_utf8_lossy(&output.stderr));
    // Every piece stands where the situation has it, with a picture of the size of our counters.
    let imported = folder.run(&["import", "first-manassas.vsav"]).expect_success().out;
    let pieces: Vec<&str> = seen.lines().filter(|line| line.starts_with("piece ")).collect();
    assert_eq!(pieces.len(), 2 * imported.matches("- { name:").count());
    for piece in ["Beauregard\tC2409\t54", "bay steamers\tC2608/C2609\t54", "Tyler's division\tC2608\t54"] {
        assert_eq!(pieces.iter().filter(|line| line.ends_with(piece)).count(), 2, "{piece} in {seen}");
    }
    assert!(seen.contains("steps 4\n") && seen.contains("chat *** chit: Union = 11 ***\n"), "{seen}");
    assert!(seen.contains("chat * The Union side moves first. [5.1, 5.13]\n"), "{seen}");
}
