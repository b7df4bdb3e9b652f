//! Comparison with VASSAL's own classes: texts, encodings, zones and grids give the same, and VASSAL opens our module, set-up and log.
//! `.ci/vassal` installs its classes and their dependencies.

use crate::common::{Folder, Says, repository};
use casebook::vassal::archive::Archive;
use casebook::vassal::counter::{property, shown_name};
use casebook::vassal::element::Element;
use casebook::vassal::export::SavedModule;
use casebook::vassal::grid::PlaceGrid;
use casebook::vassal::module::VassalModule;
use casebook::vassal::obfuscation::{decode, encode};
use casebook::vassal::polygon::Polygon;
use casebook::vassal::saved_game::SavedGame;
use casebook::vassal::sequence::{COMMAND, SequenceReader, join};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The tests, by name.
pub const TESTS: &[(&str, fn())] = &[
    (
        "saved_games_are_decoded_byte_for_byte",
        saved_games_are_decoded_byte_for_byte,
    ),
    (
        "texts_are_split_and_joined_alike",
        texts_are_split_and_joined_alike,
    ),
    ("zones_hold_the_same_dots", zones_hold_the_same_dots),
    (
        "places_have_the_names_of_vassal",
        places_have_the_names_of_vassal,
    ),
    (
        "hexes_are_numbered_as_they_are_drawn",
        hexes_are_numbered_as_they_are_drawn,
    ),
    (
        "places_on_several_sheets_have_the_names_of_vassal",
        places_on_several_sheets_have_the_names_of_vassal,
    ),
    (
        "counters_and_logs_are_read_as_vassal_reads_them",
        counters_and_logs_are_read_as_vassal_reads_them,
    ),
    (
        "pieces_of_random_logs_stand_where_vassal_puts_them",
        pieces_of_random_logs_stand_where_vassal_puts_them,
    ),
    (
        "vassal_opens_our_module_and_log",
        vassal_opens_our_module_and_log,
    ),
    (
        "vassal_moves_the_counters_of_our_logs",
        vassal_moves_the_counters_of_our_logs,
    ),
];

/// The compiled harness of `tests/vassal`.
struct Oracle {
    folder: Folder,
    classes: String,
}

/// Returns whether VASSAL can be asked; if not, what is missing is printed.
pub fn is_there() -> bool {
    oracle().is_some()
}

fn oracle() -> Option<&'static Oracle> {
    static ORACLE: OnceLock<Option<Oracle>> = OnceLock::new();
    ORACLE.get_or_init(compile).as_ref()
}

fn compile() -> Option<Oracle> {
    let engine = repository().join("target/vassal/Vengine.jar");
    if !engine.is_file() || Command::new("javac").arg("-version").output().is_err() {
        eprintln!(
            "skipped: VASSAL's classes are not at target/vassal/Vengine.jar, or there is no Java (.ci/vassal installs both)"
        );
        return None;
    }
    if Command::new("xvfb-run").arg("--help").output().is_err() {
        eprintln!(
            "skipped: there is no xvfb-run, and VASSAL opens modules only where there is a screen (.ci/vassal installs it)"
        );
        return None;
    }
    let jars = std::fs::read_dir("/usr/share/java")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().display().to_string());
    // One binding of the logging library is enough.
    let other_binding = |path: &str| {
        path.contains("slf4j-") && !path.contains("slf4j-api") && !path.contains("slf4j-nop")
    };
    let jars: Vec<String> = jars
        .filter(|path| path.ends_with(".jar") && !other_binding(path))
        .collect();
    let folder = Folder::empty();
    let classes = format!(
        "{}:{}:{}",
        engine.display(),
        folder.0.display(),
        jars.join(":")
    );
    let sources = [
        "Oracle",
        "Opener",
        "wizard/WizardPanelProvider",
        "wizard/WizardBranchController",
        "wizard/WizardPage",
        "wizard/WizardException",
    ];
    let sources = sources.map(|name| repository().join(format!("tests/vassal/{name}.java")));
    let built = Command::new("javac")
        .args(["-nowarn", "-cp", &classes, "-d"])
        .arg(&folder.0)
        .args(sources)
        .output()
        .expect("Java runs");
    if !built.status.success() {
        eprintln!(
            "skipped: the libraries that VASSAL leans on are not installed: {}",
            String::from_utf8_lossy(&built.stderr)
        );
        return None;
    }
    Some(Oracle { folder, classes })
}

impl Oracle {
    fn ask(&self, args: &[&str], input: String) -> Vec<u8> {
        let mut command = Command::new("java");
        command
            .args(["-cp", &self.classes, "Oracle"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("Java runs");
        let mut to = child.stdin.take().expect("it reads");
        let writer =
            std::thread::spawn(move || to.write_all(input.as_bytes()).expect("it reads all"));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("it was written");
        assert!(output.status.success());
        output.stdout
    }

    #[track_caller]
    fn expect_same(&self, kind: &str, input: String, our_result: &str) {
        let vassal_result = String::from_utf8(self.ask(&[kind], input)).expect("it is text");
        let different = our_result
            .lines()
            .zip(vassal_result.lines())
            .position(|(our_result, vassal_result)| our_result != vassal_result);
        let line = different.map(|at| {
            (
                at,
                our_result.lines().nth(at),
                vassal_result.lines().nth(at),
            )
        });
        assert_eq!(
            (line, our_result.lines().count()),
            (None, vassal_result.lines().count()),
            "{kind}"
        );
    }
}

/// A stream of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, max: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % max
    }

    fn between(&mut self, least: i64, max: i64) -> i64 {
        least + self.below((max - least) as u64) as i64
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

fn hex(text: &str) -> String {
    std::iter::once("x".to_string())
        .chain(text.bytes().map(|byte| format!("{byte:02x}")))
        .collect()
}

fn saved_games_are_decoded_byte_for_byte() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(7);
    let text: String = (0..200_000)
        .filter_map(|_| char::from_u32(numbers.below(0x3000) as u32 + 1))
        .collect();
    let path = oracle.folder.0.join("game").display().to_string();
    oracle.folder.write("game", encode(&text, 0xa7));
    assert!(
        oracle.ask(&["decode", &path], String::new()) == text.as_bytes(),
        "they read what we write"
    );
    oracle.folder.write("game", &text);
    let vassal_result = oracle.ask(&["encode", &path], String::new());
    assert!(
        decode(&vassal_result, "x").expect("it is whole") == text.as_bytes(),
        "we read what they write"
    );
}

fn texts_are_split_and_joined_alike() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(99);
    let pieces = [
        "\\", "'", ",", ";", "\t", "a", "b", "\u{1b}", "ü", "/", "''", "\\\\",
    ];
    let (mut split, mut joined, mut our_split, mut our_joined) =
        (String::new(), String::new(), String::new(), String::new());
    for _ in 0..20_000 {
        let delimiter = numbers.pick(&[",", ";", "\t", "\u{1b}", "/"]);
        let mark = delimiter.chars().next().expect("one character");
        let mut text = || {
            let length = numbers.below(9);
            (0..length)
                .map(|_| numbers.pick(&pieces))
                .collect::<String>()
        };
        let parts = [text(), text(), text()];
        let _ = writeln!(split, "{} {}", hex(delimiter), hex(&parts[0]));
        let _ = writeln!(
            our_split,
            "{}",
            SequenceReader::new(&parts[0], mark)
                .map(|part| hex(&part))
                .collect::<Vec<_>>()
                .join(" ")
        );
        let _ = writeln!(
            joined,
            "{} {}",
            hex(delimiter),
            parts
                .iter()
                .map(|part| hex(part))
                .collect::<Vec<_>>()
                .join(" ")
        );
        let _ = writeln!(our_joined, "{}", hex(&join(&parts, mark)));
    }
    oracle.expect_same("split", split, &our_split);
    oracle.expect_same("join", joined, &our_joined);
}

fn zones_hold_the_same_dots() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(5);
    let (mut requests, mut our_result) = (String::new(), String::new());
    for _ in 0..200 {
        let corners: Vec<String> = (0..3 + numbers.below(9))
            .map(|_| format!("{},{}", numbers.between(-20, 60), numbers.between(-20, 60)))
            .collect();
        let _ = writeln!(requests, "{}", corners.join(";"));
        let zone = Polygon::parse(&corners.join(";"));
        for _ in 0..500 {
            let dot = (
                numbers.between(-25, 65) as i32,
                numbers.between(-25, 65) as i32,
            );
            let _ = writeln!(requests, "{} {}", dot.0, dot.1);
            let _ = writeln!(our_result, "{}", zone.contains(dot));
        }
    }
    oracle.expect_same("polygon", requests, &our_result);
}

/// 10,000 dots on each of twelve grids: hexes and squares, sideways, staggered, descending, with offsets, digits and letters.
fn places_have_the_names_of_vassal() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(88_172_645_463_325_252);
    let (mut requests, mut our_result) = (String::new(), String::new());
    for number in 0..12 {
        let kind = if number % 4 == 3 { "square" } else { "hex" };
        let (width, height) = (numbers.between(300, 4000), numbers.between(300, 4000));
        let mut side = || (numbers.between(200, 1200) as f64 / 10.0).to_string();
        let mut grid = vec![("dy", side())];
        if number % 5 != 0 {
            grid.push(("dx", side()));
        }
        if number % 2 == 0 {
            grid.extend([
                ("x0", numbers.between(-80, 80).to_string()),
                ("y0", numbers.between(-80, 80).to_string()),
            ]);
        }
        let flags = ["true", "false"];
        let mut names = vec![
            ("first", numbers.pick(&["H", "V"]).to_string()),
            ("sep", "-".into()),
        ];
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
        let list = |pairs: &[(&str, String)]| {
            pairs
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let xml = |pairs: &[(&str, String)]| {
            pairs
                .iter()
                .map(|(key, value)| format!(" {key}=\"{value}\""))
                .collect::<String>()
        };
        let _ = writeln!(
            requests,
            "{kind} {width} {height} {} | {}",
            list(&grid),
            list(&names)
        );
        let class = if kind == "hex" { "Hex" } else { "Square" };
        let text = format!(
            "<x.Board><a.{class}Grid{}><b.{class}GridNumbering{}/></a.{class}Grid></x.Board>",
            xml(&grid),
            xml(&names)
        );
        let grid = PlaceGrid::read(&Element::parse(&text, "x").expect("it is XML"))
            .expect("it has a grid");
        for _ in 0..10_000 {
            let dot = (
                numbers.between(-200, width + 200) as i32,
                numbers.between(-200, height + 200) as i32,
            );
            let _ = writeln!(requests, "{} {}", dot.0, dot.1);
            let _ = writeln!(
                our_result,
                "{}",
                grid.place_name(dot, (width as i32, height as i32))
                    .expect("each dot has a name")
            );
        }
    }
    oracle.expect_same("grid", requests, &our_result);
}

/// Opens a module, and files of it, in VASSAL; returns what is seen.
fn open_in_vassal(oracle: &Oracle, folder: &Folder, asked: &str, files: &[&str]) -> String {
    let (home, asked) = (
        format!("-Duser.home={}", folder.0.display()),
        format!("-D{asked}"),
    );
    let args = [
        "-a",
        "timeout",
        "300",
        "java",
        &home,
        &asked,
        "-cp",
        &oracle.classes,
        "Opener",
    ];
    let output = Command::new("xvfb-run")
        .args(args)
        .args(files)
        .current_dir(&folder.0)
        .output()
        .expect("there is a screen");
    let vassal_output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        vassal_output.ends_with("done\n") && !vassal_output.contains("Exception"),
        "{vassal_output}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    vassal_output
}

/// The number drawn in a hex is VASSAL's name of it, and place names agree at random dots.
fn hexes_are_numbered_as_they_are_drawn() {
    let Some(oracle) = oracle() else { return };
    let mut numbers = Numbers(3);
    for situation in ["first-manassas", "lee-attacks-porter"] {
        let folder = Folder::empty();
        folder.ok(&["export", "vmod", situation]);
        let path = folder.0.join(format!("{situation}.vmod"));
        let svg = Archive::open(&path)
            .expect("it was written")
            .text("images/map.svg")
            .expect("it is whole")
            .expect("a map");
        let attribute = |line: &str, name: &str| {
            line.split(&format!(" {name}=\""))
                .nth(1)
                .and_then(|rest| rest.split('"').next()?.parse::<f64>().ok())
        };
        let drawn: Vec<(i32, i32, String)> = svg
            .lines()
            .filter(|line| line.starts_with("<text"))
            .filter_map(|line| {
                let name = line
                    .split('>')
                    .nth(1)?
                    .trim_end_matches("</text")
                    .to_string();
                let hex = casebook::notation::Hex::parse(&name).is_ok();
                hex.then_some((
                    attribute(line, "x")?.round() as i32,
                    attribute(line, "y")?.round() as i32 - 20,
                    name,
                ))
            })
            .collect();
        assert!(
            drawn.len() > 2,
            "{situation}: {} hexes are drawn",
            drawn.len()
        );
        let size = (
            attribute(&svg, "width").expect("a size") as i64,
            attribute(&svg, "height").expect("a size") as i64,
        );
        let random: Vec<(i32, i32)> = (0..5000)
            .map(|_| {
                (
                    numbers.between(0, size.0) as i32,
                    numbers.between(0, size.1) as i32,
                )
            })
            .collect();
        let dots: Vec<(i32, i32)> = drawn
            .iter()
            .map(|(x, y, _)| (*x, *y))
            .chain(random)
            .collect();
        folder.write(
            "map.dots",
            dots.iter()
                .map(|(x, y)| format!("{x} {y}\n"))
                .collect::<String>(),
        );
        let (vmod, vsav) = (format!("{situation}.vmod"), format!("{situation}.vsav"));
        let vassal_output =
            open_in_vassal(oracle, &folder, "properties=", &[&vmod, &vsav, "map.dots"]);
        let vassal_result: Vec<&str> = vassal_output
            .lines()
            .filter_map(|line| line.strip_prefix("dot "))
            .collect();
        assert_eq!(vassal_result.len(), dots.len());
        for ((_, _, name), vassal_result) in drawn.iter().zip(&vassal_result) {
            assert_eq!(name, vassal_result, "{situation}");
        }
        let module = VassalModule::open(&path).expect("it was written");
        for (dot, vassal_result) in dots.iter().zip(&vassal_result) {
            let our_result = module.maps[0].place_name(*dot, None).unwrap_or_default();
            assert_eq!(
                our_result,
                if *vassal_result == "offboard" {
                    ""
                } else {
                    *vassal_result
                },
                "{situation}: {dot:?}"
            );
        }
    }
}

/// On a map of several sheets of different sizes, one of them turned, with a margin, place names agree at random dots.
fn places_on_several_sheets_have_the_names_of_vassal() {
    let Some(oracle) = oracle() else { return };
    let folder = Folder::empty();
    folder.ok("export vmod first-manassas");
    let mut module = Archive::open(&folder.0.join("first-manassas.vmod")).expect("it was written");
    let class = "VASSAL.build.module.map.boardPicker.board";
    let sheet = |name: &str, (wide, high): (i32, i32), grid: &str| {
        let board = class.replace("Picker.board", "Picker.Board");
        format!(
            "<{board} height=\"{high}\" image=\"\" name=\"{name}\" reversible=\"true\" width=\"{wide}\">{grid}</{board}>"
        )
    };
    let hexes = format!(
        "<{class}.HexGrid dx=\"52.5\" dy=\"60.25\" x0=\"11\" y0=\"-7\" sideways=\"false\"><{class}.mapgrid.HexGridNumbering first=\"V\" sep=\".\" \
         hOff=\"3\" vOff=\"-2\" hDescend=\"true\" stagger=\"false\" locationFormat=\"S $gridLocation$\"/></{class}.HexGrid>"
    );
    let squares = format!(
        "<{class}.SquareGrid dx=\"40\" dy=\"33\" x0=\"5\" y0=\"9\"><{class}.mapgrid.SquareGridNumbering hType=\"A\" sep=\"-\" vDescend=\"true\"/>\
         </{class}.SquareGrid>"
    );
    let points = format!(
        "<{class}.RegionGrid><{class}.Region name=\"Docks\" originx=\"30\" originy=\"80\"/><{class}.Region name=\"Yard\" originx=\"300\" originy=\"200\"/></{class}.RegionGrid>"
    );
    let sheets = [
        sheet("South", (500, 700), &hexes),
        sheet("Small", (333, 222), &squares),
        sheet("Harbour", (410, 290), &points),
    ]
    .concat();
    let build = module
        .text("buildFile.xml")
        .expect("it is whole")
        .expect("a build file");
    let end = "</VASSAL.build.module.map.BoardPicker>";
    let build = build
        .replace(
            "edgeHeight=\"0\" edgeWidth=\"0\"",
            "edgeHeight=\"30\" edgeWidth=\"20\"",
        )
        .replace(end, &format!("{sheets}{end}"));
    // The module has the sheets.
    build.holds("edgeWidth=\"20\"");
    build.holds("Harbour");
    let mut files = vec![("buildFile.xml".to_string(), build.into_bytes())];
    let images = (1..).map(|number| format!("images/counter-{number}.svg"));
    for name in ["moduledata", "images/map.svg", "set-up.vsav"]
        .map(String::from)
        .into_iter()
        .chain(images)
    {
        let Some(bytes) = module.read(&name).expect("it is whole") else {
            break;
        };
        files.push((name, bytes));
    }
    folder.write(
        "sheets.vmod",
        casebook::vassal::archive::pack(&files).expect("it can be packed"),
    );
    let set_up =
        SavedGame::open(&folder.0.join("first-manassas.vsav"), None).expect("it was written");
    let layout =
        "MapBoardPicker\tSouth/rev\t0\t0\tBoard\t1\t0\tSmall\t0\t1\tHarbour\t1\t1\tSouth\t2\t1";
    let text = set_up.text.replace("MapBoardPicker\tBoard\t0\t0", layout);
    let saved = SavedModule {
        name: set_up.module.clone(),
        version: set_up.version.clone(),
    };
    folder.write("sheets.vsav", saved.file(&text).expect("it can be packed"));
    let mut numbers = Numbers(41);
    let dots: Vec<(i32, i32)> = (0..10_000)
        .map(|_| {
            (
                numbers.below(3000) as i32 - 20,
                numbers.below(2400) as i32 - 20,
            )
        })
        .collect();
    folder.write(
        "map.dots",
        dots.iter()
            .map(|(x, y)| format!("{x} {y}\n"))
            .collect::<String>(),
    );
    let vassal_output = open_in_vassal(
        oracle,
        &folder,
        "dots=all",
        &["sheets.vmod", "sheets.vsav", "map.dots"],
    );
    let our_result = VassalModule::open(&folder.0.join("sheets.vmod")).expect("it was written");
    let board_layout = SavedGame::open(&folder.0.join("sheets.vsav"), None)
        .expect("it was written")
        .boards["Map"]
        .clone();
    let vassal_result: Vec<&str> = vassal_output
        .lines()
        .filter_map(|line| line.strip_prefix("dot "))
        .collect();
    assert_eq!(vassal_result.len(), dots.len());
    for (dot, vassal_result) in dots.iter().zip(&vassal_result) {
        let our_result = our_result.maps[0]
            .place_name(*dot, Some(&board_layout))
            .unwrap_or_default();
        assert_eq!(
            our_result,
            if *vassal_result == "offboard" {
                ""
            } else {
                *vassal_result
            },
            "{dot:?}"
        );
    }
    for sheet in ["S ", "Docks", "C2409"] {
        assert!(
            vassal_result.iter().any(|name| name.starts_with(sheet)),
            "{sheet} is seen"
        );
    }
    assert!(
        vassal_result.iter().any(|name| name.contains('-')),
        "squares are seen"
    );
}

/// Names, properties and layers of counters as VASSAL has them, and where all stand after the steps of a log.
fn counters_and_logs_are_read_as_vassal_reads_them() {
    let Some(oracle) = oracle() else { return };
    let folder = Folder::empty();
    folder.ok("export vmod first-manassas");
    let saved =
        SavedGame::open(&folder.0.join("first-manassas.vsav"), None).expect("it was written");
    let layer = |tail: &str| {
        format!(
            "emb2;{}a.svg,b.svg,c.svg;,+ (tired),Broken +;true;Step;;;{tail}",
            ";".repeat(15)
        )
    };
    let nested = |list: &[&str]| {
        list.iter()
            .rev()
            .skip(1)
            .fold(list[list.len() - 1].to_string(), |inner, outer| {
                join(&[*outer, &inner], '\t')
            })
    };
    let label = |format: &str| {
        format!(
            "label;76,130;Change;10;0,0,0;255,255,255;t;0;c;0;b;c;{format};Dialog;0;0;Corps;;false"
        )
    };
    let follows = layer("true;Fatigue;0;1;true");
    let calculated = layer("true;{Doubled - Fatigue};10;1;true");
    let kinds = [
        vec![
            &*follows,
            "PROP;Fatigue;true,0,3,true;",
            "piece;;;a.svg;Guard One",
        ],
        vec![
            "calcProp;Said;{Fatigue >= 2 ? \"bad\" : \"good\"}",
            "mark;Army,Arm",
            "PROP;Fatigue;true,0,3,true;",
            "piece;;;a.svg;Guard Two",
        ],
        vec![
            &*calculated,
            "calcProp;Doubled;{Strength + Strength}",
            "propertysheet;0Strength~3Ammunition~1Notes;Figures;P;2;;;;80,130;",
            "PROP;Fatigue;true,0,3,true;",
            "piece;;;a.svg;Guard Three",
        ],
    ];
    let mut pieces = Vec::new();
    for (number, kinds) in kinds.iter().enumerate() {
        for fatigue in 0..4 {
            let id = format!("{}", 9000 + number * 10 + fatigue);
            let label = label(
                [
                    "$pieceName$ ($label$)",
                    "$label$ of $pieceName$, $Fatigue$",
                    "($BasicName$)",
                    "plain",
                ][fatigue],
            );
            let own_labels: Vec<&str> = std::iter::once(&*label)
                .chain(kinds.iter().copied())
                .collect();
            let tired = fatigue.to_string();
            let corps = format!("corps {id}");
            let states: Vec<&str> = own_labels
                .iter()
                .map(|kind| match kind.split(';').next().expect("a name") {
                    "label" => &*corps,
                    "emb2" => "1",
                    "PROP" => &tired,
                    "mark" => "Potomac,foot",
                    "propertysheet" => "7~2/5~a",
                    "piece" => "Map;200;200;1;0",
                    _ => "",
                })
                .collect();
            pieces.push(format!(
                "+/{}",
                join(&[&id, &nested(&own_labels), &nested(&states)], '/')
            ));
        }
    }
    let ids: Vec<String> = pieces
        .iter()
        .filter_map(|piece| Some(piece.split('/').nth(1)?.to_string()))
        .collect();
    pieces.push(format!("+/9900/stack/Map;200;200;{};@@-1", ids.join(";")));
    let with_pieces = saved.text.replace(
        "end_save",
        &join(
            &pieces
                .iter()
                .map(String::as_str)
                .chain(["end_save"])
                .collect::<Vec<_>>(),
            COMMAND,
        ),
    );
    // Pieces that move alone and in stacks, change, come and go; each line is a step. What lies in a stack does not move by a change.
    let dot = |id: &str| {
        let stack = saved
            .text
            .split(COMMAND)
            .find(|part| part.contains("/stack/") && part.split(';').any(|member| member == id))
            .expect("a stack");
        let mut parts = stack
            .split("/stack/")
            .nth(1)
            .expect("its state")
            .split(';')
            .skip(1);
        format!("{}/{}", parts.next().expect("x"), parts.next().expect("y"))
    };
    let stack_of = |id: &str| {
        let stack = saved
            .text
            .split(COMMAND)
            .find(|part| part.contains("/stack/") && part.split(';').any(|member| member == id))
            .expect("a stack");
        stack.split('/').nth(1).expect("its number").to_string()
    };
    let steps = [
        format!("M/1/Map/{}/null/Map/{}/null/me", dot("30"), dot("1")),
        format!(
            "M/{}/Map/{}/null/Map/{}/null/me",
            stack_of("20"),
            dot("40"),
            dot("20")
        ),
        format!("M/2/Map/{}/{}/Map/{}/null/me", dot("50"), "50", dot("2")),
        "-/9001".into(),
        format!(
            "D/9000/{}/{}",
            join(
                &[nested(&[
                    "late",
                    "2",
                    "3",
                    &format!("Map;{};1;0", dot("45").replace('/', ";"))
                ])],
                '/'
            ),
            join(&[nested(&["x", "1", "0", "Map;200;200;1;0"])], '/')
        ),
        format!(
            "+/{}",
            join(
                &[
                    "9100",
                    "piece;;;a.svg;Newcomer",
                    &format!("Map;{};1;0", dot("33").replace('/', ";"))
                ],
                '/'
            )
        ),
    ];
    let logged: Vec<String> = steps.iter().map(|step| format!("LOG\t{step}")).collect();
    let log = format!("{with_pieces}{COMMAND}{}", join(&logged, COMMAND));
    for (name, text) in [("traits.vsav", &with_pieces), ("moves.vlog", &log)] {
        let module = SavedModule {
            name: saved.module.clone(),
            version: saved.version.clone(),
        };
        folder.write(name, module.file(text).expect("it can be packed"));
    }
    let properties = "Step_Level,Step_Active,Fatigue,Said,Army,Arm,Doubled,Strength,Ammunition,Notes,Corps,BasicName";
    let vassal_output = open_in_vassal(
        oracle,
        &folder,
        &format!("properties={properties}"),
        &["first-manassas.vmod", "traits.vsav", "moves.vlog"],
    );
    let traits = SavedGame::open(&folder.0.join("traits.vsav"), None).expect("it was written");
    let our_result: BTreeSet<String> = traits
        .pieces()
        .into_iter()
        .flat_map(|piece| properties.split(',').map(move |key| (piece, key)))
        .filter_map(|(piece, key)| {
            Some(format!(
                "property {}\t{key}\t{}",
                shown_name(&piece.traits),
                property(&piece.traits, key)?
            ))
        })
        .collect();
    let first = vassal_output
        .split("file moves")
        .next()
        .expect("the first file");
    let vassal_result: BTreeSet<String> = first
        .lines()
        .filter(|line| line.starts_with("property "))
        .map(String::from)
        .collect();
    assert!(our_result.len() > 60, "{our_result:?}");
    assert_eq!(our_result, vassal_result);
    let module = VassalModule::open(&folder.0.join("first-manassas.vmod")).expect("it was written");
    let positions = |saved: &SavedGame| {
        let mut list: Vec<String> = saved
            .pieces()
            .into_iter()
            .map(|piece| {
                format!(
                    "{}\t{}",
                    shown_name(&piece.traits),
                    module.maps[0]
                        .place_name(piece.at.1, None)
                        .unwrap_or_default()
                )
            })
            .collect();
        // VASSAL's list has each name once.
        list.sort();
        list.dedup();
        list
    };
    let vassal_result = |section: &str| {
        let moved = vassal_output
            .split("file moves.vlog")
            .nth(1)
            .expect("the log was opened");
        let mut list: Vec<String> = moved
            .lines()
            .filter_map(|line| Some(line.strip_prefix(section)?.rsplit_once('\t')?.0.to_string()))
            .collect();
        list.sort();
        list
    };
    let at = |step| SavedGame::open(&folder.0.join("moves.vlog"), step).expect("it was written");
    assert_eq!(positions(&at(Some(0))), vassal_result("piece "));
    assert_eq!(positions(&at(None)), vassal_result("after "));
    assert_ne!(vassal_result("piece "), vassal_result("after "));
}

/// Sixty logs of random moves, changes of pieces and stacks, removals and additions: each piece ends at the same dot as in VASSAL, also
/// where a command is of a position that has changed meanwhile.
fn pieces_of_random_logs_stand_where_vassal_puts_them() {
    let Some(oracle) = oracle() else { return };
    let folder = Folder::empty();
    folder.ok("export vmod first-manassas");
    let set_up =
        SavedGame::open(&folder.0.join("first-manassas.vsav"), None).expect("it was written");
    let module = || SavedModule {
        name: set_up.module.clone(),
        version: set_up.version.clone(),
    };
    let mut numbers = Numbers(77);
    let dots = ["60;60", "90;60", "60;90", "90;90"];
    let ids: Vec<String> = (1..=9).map(|id| id.to_string()).collect();
    let mut names = Vec::new();
    let flipped = format!(
        "emb2;{}a.svg,b.svg,c.svg;,+ (tired),Broken +;true;Step;;;false;;1;1;true\tpiece;;;a.svg;",
        ";".repeat(15)
    );
    for number in 0..60 {
        let piece = |numbers: &mut Numbers, id: &str| {
            let (kind, extra) = match id {
                "7" => (&*flipped, "1\t"),
                "8" => ("immob;;;R\tpiece;;;a.svg;", "\t"),
                "9" => ("PROP;Steps;true,0,9,true;\tpiece;;;a.svg;", "4\t"),
                _ => ("piece;;;a.svg;", ""),
            };
            format!(
                "+/{id}/{kind}P{id}/{extra}Map;{};{id};0",
                numbers.pick(&dots)
            )
        };
        let stack = |numbers: &mut Numbers| {
            let mut members: Vec<&str> = (0..numbers.below(4))
                .map(|_| &*ids[numbers.below(9) as usize])
                .collect();
            members.sort();
            members.dedup();
            let members: String = members.iter().map(|member| format!("{member};")).collect();
            format!("Map;{};{members}@@-1", numbers.pick(&dots))
        };
        let mut parts = vec!["begin_save".to_string()];
        parts.extend(
            ids[..8 - numbers.below(3) as usize]
                .iter()
                .map(|id| piece(&mut numbers, id)),
        );
        parts.push(piece(&mut numbers, "9"));
        parts.extend(
            (0..numbers.below(4))
                .map(|nth| format!("+/{}/stack/{}", 50 + nth, stack(&mut numbers))),
        );
        parts.extend(["MapBoardPicker\tBoard\t0\t0".into(), "end_save".into()]);
        for _ in 0..numbers.between(1, 12) {
            // The counter with a layer is taken more often, so that many logs flip it.
            let id = if numbers.below(5) == 0 {
                "7".to_string()
            } else {
                ids[numbers.below(9) as usize].clone()
            };
            let holder = (50 + numbers.below(5)).to_string();
            let to = numbers.pick(&dots).replace(';', "/");
            let under = match numbers.below(4) {
                0 => holder.clone(),
                1 => ids[numbers.below(9) as usize].clone(),
                _ => "null".into(),
            };
            let state = |numbers: &mut Numbers| match &*id {
                "7" => format!("{}\tMap;{};7;0", numbers.between(1, 4), numbers.pick(&dots)),
                "8" => format!("\tMap;{};8;0", numbers.pick(&dots)),
                "9" => format!("{}\tMap;{};9;0", numbers.below(3), numbers.pick(&dots)),
                _ => format!("Map;{};{id};0", numbers.pick(&dots)),
            };
            let step = match numbers.below(10) {
                0..4 => format!("M/{id}/Map/{to}/{under}/Map/60/60/null/me"),
                4 => format!("M/{holder}/Map/{to}/null/Map/60/60/null/me"),
                5 | 6 => format!("D/{id}/{}/{}", state(&mut numbers), state(&mut numbers)),
                7 => match numbers.below(2) {
                    0 => format!("D/{id}/{}", state(&mut numbers)),
                    _ => format!("D/{holder}/{}", stack(&mut numbers)),
                },
                8 => match numbers.below(3) {
                    0 => format!("-/{id}"),
                    1 => format!("-/{holder}"),
                    _ => format!("+/{holder}/stack/{}", stack(&mut numbers)),
                },
                _ => format!("D/{holder}/{}/{}", stack(&mut numbers), stack(&mut numbers)),
            };
            parts.push(format!("LOG\t{step}"));
        }
        let name = format!("random-{number}.vlog");
        folder.write(
            &name,
            module()
                .file(&join(&parts, COMMAND))
                .expect("it can be packed"),
        );
        names.push(name);
    }
    let files: Vec<&str> = std::iter::once("first-manassas.vmod")
        .chain(names.iter().map(String::as_str))
        .collect();
    let vassal_output = open_in_vassal(oracle, &folder, "dots=all", &files);
    let (mut moved, mut flips) = (0, 0);
    for (name, vassal_output) in names.iter().zip(vassal_output.split("\nfile ").skip(1)) {
        let log = |step| SavedGame::open(&folder.0.join(name), step).expect("it was written");
        let positions = |saved: &SavedGame| {
            let at = |map: &str, (x, y): (i32, i32)| {
                if map.is_empty() {
                    String::new()
                } else {
                    format!("{map}\t{x}\t{y}")
                }
            };
            saved
                .pieces()
                .into_iter()
                .map(|piece| {
                    format!(
                        "{}\t{}",
                        shown_name(&piece.traits),
                        at(&piece.at.0, piece.at.1)
                    )
                })
                .collect()
        };
        let (before, after) = vassal_output
            .split_once("\nsteps ")
            .expect("the log has steps");
        let vassal_result = |text: &str| -> BTreeSet<String> {
            text.lines()
                .filter_map(|line| Some(line.strip_prefix("at ")?.to_string()))
                .collect()
        };
        assert_eq!(
            positions(&log(Some(0))),
            vassal_result(before),
            "{name} before its steps: {}",
            log(None).text
        );
        let our_result: BTreeSet<String> = positions(&log(None));
        assert_eq!(
            our_result,
            vassal_result(after),
            "{name}: {}",
            log(None).text
        );
        moved += usize::from(vassal_result(before) != vassal_result(after));
        flips += usize::from(
            our_result
                .iter()
                .any(|at| at.starts_with("P7 (tired)\t") || at.starts_with("Broken P7\t")),
        );
    }
    assert!(moved > 45, "{moved} logs move something");
    assert!(flips > 3, "{flips} logs flip a layer");
}

fn vassal_opens_our_module_and_log() {
    let Some(oracle) = oracle() else { return };
    let folder = Folder::empty();
    folder.ok("export vmod first-manassas");
    folder.ok("resolve first-manassas.vsav --seed 3 --vlog out.vlog");
    let files = ["first-manassas.vmod", "first-manassas.vsav", "out.vlog"];
    let vassal_output = open_in_vassal(oracle, &folder, "properties=", &files);
    // Every piece stands where the situation has it, with a picture of the size of our counters.
    let imported = folder.out("import first-manassas.vsav");
    let pieces: Vec<&str> = vassal_output
        .lines()
        .filter(|line| line.starts_with("piece "))
        .collect();
    assert_eq!(pieces.len(), 2 * imported.matches("- { name:").count());
    for piece in [
        "Beauregard\tC2409\t54",
        "bay steamers\tC2608/C2609\t54",
        "Tyler's division\tC2608\t54",
    ] {
        assert_eq!(
            pieces.iter().filter(|line| line.ends_with(piece)).count(),
            2,
            "{piece} in {vassal_output}"
        );
    }
    vassal_output.holds("steps 4\n");
    vassal_output.holds("chat *** chit: Union = 3 ***\n");
    vassal_output.holds("chat * The Union side moves first. [5.1, 5.13]\n");
}

/// The counters that a ruling moves, changes and brings into play stand in VASSAL where the situation has them.
fn vassal_moves_the_counters_of_our_logs() {
    let Some(oracle) = oracle() else { return };
    let mut moved = 0;
    for (situation, seed) in [
        ("lee-attacks-porter", "3"),
        ("lee-attacks-porter", "5"),
        ("regiment-assault", "3"),
    ] {
        let folder = Folder::empty();
        folder.ok(&["export", "vmod", situation]);
        let (vmod, vsav) = (format!("{situation}.vmod"), format!("{situation}.vsav"));
        folder.ok(&["resolve", &vsav, "--seed", seed, "--vlog", "out.vlog"]);
        let vassal_output = open_in_vassal(oracle, &folder, "dots=all", &[&vmod, "out.vlog"]);
        let (before, after) = vassal_output
            .split_once("\nsteps ")
            .expect("the log has steps");
        let lines = |text: &str, what: &str| -> BTreeSet<String> {
            text.lines()
                .filter_map(|line| Some(line.strip_prefix(what)?.to_string()))
                .collect()
        };
        let log = SavedGame::open(&folder.0.join("out.vlog"), None).expect("it was written");
        let our_result: BTreeSet<String> = log
            .pieces()
            .into_iter()
            .map(|piece| {
                format!(
                    "{}\t{}\t{}\t{}",
                    shown_name(&piece.traits),
                    piece.at.0,
                    piece.at.1.0,
                    piece.at.1.1
                )
            })
            .collect();
        assert_eq!(lines(after, "at "), our_result, "{situation}");
        moved += usize::from(lines(after, "at ") != lines(before, "at "));
        vassal_output.lacks("on no map of the module");
    }
    assert!(moved > 0, "something moves");
}
