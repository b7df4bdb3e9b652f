//! Files of VASSAL: written files are read back, hidden pieces stay hidden, hostile files are reported. No file of others is
//! needed: modules and games are made from our own situations, or word by word.
#![cfg(feature = "vassal")]

use crate::common::{self, Folder, Says};
use casebook::vassal::archive::{Archive, pack};
use casebook::vassal::element::Element;
use casebook::vassal::fault::VassalFault;
use casebook::vassal::fault::VassalFaultKind::{self, *};
use casebook::vassal::grid::PlaceGrid;
use casebook::vassal::import::{GameImport, ImportedGame};
use casebook::vassal::import_note::ImportNote;
use casebook::vassal::layout::lay_out;
use casebook::vassal::mapping::ModuleMapping;
use casebook::vassal::module::VassalModule;
use casebook::vassal::obfuscation::{decode, encode};
use casebook::vassal::saved_game::SavedGame;
use casebook::vassal::sequence::{COMMAND, SequenceReader, join};
use casebook::{Complaint, Complaints, DiagnosticCode, Error};
use proptest::prelude::*;
use std::io::Cursor;

fn archive(bytes: Vec<u8>) -> Result<Archive, VassalFault> {
    Archive::new("game.vsav", Box::new(Cursor::new(bytes)))
}

fn packed(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    pack(&[(name.into(), bytes)]).expect("it can be packed")
}

/// A saved game with these commands.
fn saved(commands: &[&str]) -> Vec<u8> {
    packed("savedGame", encode(&join(commands, COMMAND), 7))
}

fn read(bytes: Vec<u8>) -> Result<SavedGame, VassalFault> {
    archive(bytes).and_then(|archive| SavedGame::read(archive, None))
}

fn module(build_file: &str) -> Result<VassalModule, VassalFault> {
    archive(packed("buildFile.xml", build_file.as_bytes().to_vec())).and_then(VassalModule::read)
}

proptest! {
    #[test]
    // A part that ends with a backslash escapes what follows, and one in quotes with a quote inside loses them, in VASSAL too.
    fn joined_texts_are_split_again(
        parts in prop::collection::vec("([a;\\\\\t\u{1b}/ü]{0,7}[a;\t\u{1b}/ü])?", 1..6),
        delimiter in "[;/\t\u{1b}]",
    ) {
        let delimiter = delimiter.chars().next().expect("one character");
        let back: Vec<String> = SequenceReader::new(&join(&parts, delimiter), delimiter).map(|part| part.into_owned()).collect();
        prop_assert_eq!(back, parts);
    }

    #[test]
    fn what_is_encoded_is_decoded(text in ".{0,200}", key in any::<u8>()) {
        prop_assert_eq!(decode(&encode(&text, key), "x").expect("it is whole"), text.as_bytes());
        for header in [&b"VOBS"[..], b"!VOBS"] {
            let raw: Vec<u8> = header.iter().copied().chain([key]).chain(text.bytes().map(|byte| byte ^ key)).collect();
            prop_assert_eq!(decode(&raw, "x").expect("it is whole"), text.as_bytes());
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "(\\+/|-/|M/|D/|LOG\t|[0-9;/\t\\\\'\u{1b}]|stack|deck;|piece;|emb2;|MapBoardPicker){0,60}") {
        let _ = read(saved(&[&text]));
        let _ = read(packed("savedGame", text.clone().into_bytes()));
        let _ = module(&format!("<a><b.BoardPicker>{text}</b.BoardPicker></a>"));
        let _ = Element::parse(&text, "x");
    }
}

/// `begin_save`, a piece and `end_save`, packed by XZ Utils with the preset of VASSAL 3.8.
const PACKED: &str = "fd377a585a000004e6d6b4460200210114000000ffe7ec09010038626567696e5f736176651b2b2f312f70696563653b3b3b612e7376673b54796c\
                      65722f4d61703b36303b36303b313b301b656e645f73617665000000005d98f08fe045339500015139365123dc1fb6f37d010000000004595a";

/// One byte, packed so that unpacking it would take a gigabyte.
const GREEDY: &str = "fd377a585a000004e6d6b44602002101240000005e1fc7f9010000780000000045aeef83f8ee160a00011901a52c81cc1fb6f37d010000000004595a";

fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("hex digits"))
        .collect()
}

/// Formats of newer versions: compressed, and obfuscated with a key.
#[test]
fn packed_games_are_read() {
    let bytes = unhex(PACKED);
    let text = "begin_save\u{1b}+/1/piece;;;a.svg;Tyler/Map;60;60;1;0\u{1b}end_save";
    assert_eq!(decode(&bytes, "x").expect("it is whole"), text.as_bytes());
    let obfuscated: Vec<u8> = b"!VOXZ\x5b"
        .iter()
        .copied()
        .chain(bytes.iter().map(|byte| byte ^ 0x5b))
        .collect();
    assert_eq!(
        decode(&obfuscated, "x").expect("it is whole"),
        text.as_bytes()
    );
    assert_eq!(
        read(packed("savedGame", bytes.clone()))
            .expect("it is whole")
            .pieces()
            .len(),
        1
    );
    // Truncated, corrupted, and too large when unpacked.
    expect_fault(decode(&bytes[..60], "x"), |kind| {
        matches!(kind, Unpacking { .. })
    });
    let corrupted: Vec<u8> = bytes
        .iter()
        .enumerate()
        .map(|(at, byte)| if at == 40 { byte ^ 1 } else { *byte })
        .collect();
    expect_fault(decode(&corrupted, "x"), |kind| {
        matches!(kind, Unpacking { .. })
    });
    expect_fault(decode(&unhex(GREEDY), "x"), |kind| {
        matches!(kind, Unpacking { .. })
    });
    expect_fault(decode(b"!VOXZ", "x"), |kind| {
        matches!(kind, Truncated { .. })
    });
}

/// Randomly corrupted saved games; `FUZZED=100000` runs 10^5 of them.
#[test]
fn corrupted_games_are_complained_of() {
    let folder = Folder::skirmish();
    folder.ok("export vmod bridge");
    let saved_bytes = std::fs::read(folder.0.join("bridge.vsav")).expect("it was written");
    let text = String::from_utf8(
        decode(
            &archive(saved_bytes.clone())
                .unwrap()
                .read("savedGame")
                .unwrap()
                .unwrap(),
            "x",
        )
        .unwrap(),
    )
    .unwrap();
    let build = archive(std::fs::read(folder.0.join("bridge.vmod")).unwrap())
        .unwrap()
        .text("buildFile.xml")
        .unwrap()
        .unwrap();
    let runs: u64 = std::env::var("FUZZED")
        .ok()
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(600);
    let mut seed: u64 = 0x2545_f491_4f6c_dd1d;
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let corrupt = |bytes: &[u8], next: &mut dyn FnMut(usize) -> usize| {
        let mut bytes = bytes.to_vec();
        for _ in 0..1 + next(4) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(at..at, *b"\x1b\t\\")),
                2 => bytes[at] = next(256) as u8,
                _ => bytes[at] = b";/\t\x1b\\'<>&0"[next(10)],
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    };
    let mut refused = 0;
    for run in 0..runs {
        let result = match run % 3 {
            0 => read(corrupt(&saved_bytes, &mut next)).map(drop),
            1 => read(packed("savedGame", corrupt(text.as_bytes(), &mut next))).map(drop),
            _ => module(&String::from_utf8_lossy(&corrupt(
                build.as_bytes(),
                &mut next,
            )))
            .map(drop),
        };
        refused += u64::from(result.is_err());
    }
    assert!(
        refused * 3 > runs,
        "most corruptions are noticed: {refused} of {runs}"
    );
}

/// Expects a fault of `game.vsav`, and a complaint with a remedy about it.
#[track_caller]
fn expect_fault<T>(result: Result<T, VassalFault>, expected: impl Fn(&VassalFaultKind) -> bool) {
    let Err(fault) = result else {
        panic!("nothing was found")
    };
    assert!(
        expected(&fault.kind) && !fault.place.is_empty(),
        "{fault:?}"
    );
    let complaint = &Complaints::from(fault).0[0];
    assert!(
        complaint.code == DiagnosticCode::Vassal
            && !complaint.message.is_empty()
            && !complaint.help.is_empty(),
        "{complaint:?}"
    );
}

#[test]
fn hostile_files_are_refused() {
    expect_fault(archive(b"no archive".to_vec()), |kind| {
        matches!(kind, NoArchive { .. })
    });
    expect_fault(read(packed("other", Vec::new())), |kind| {
        matches!(kind, NoSavedGame)
    });
    // A bomb: zeros that grow a thousandfold.
    expect_fault(read(packed("savedGame", vec![0; 8 << 20])), |kind| {
        matches!(kind, TooCompressed { .. })
    });
    let read_ten = |mut archive: Archive| archive.read_start("savedGame", 10, true);
    expect_fault(
        archive(packed("savedGame", vec![7; 11])).and_then(read_ten),
        |kind| matches!(kind, TooLarge { .. }),
    );
    for name in ["../savedGame", "/etc/passwd", "a/../../b", "c:\\x", "..\\x"] {
        expect_fault(archive(packed(name, b"x".to_vec())), |kind| {
            matches!(kind, LeadsOut { .. })
        });
    }
    // Truncated, or another format than its name says.
    let saved_text = saved(&["begin_save", "end_save"]);
    expect_fault(
        archive(saved_text[..saved_text.len() / 2].to_vec()),
        |kind| matches!(kind, NoArchive { .. }),
    );
    expect_fault(read(packed("savedGame", b"!VCSK0".to_vec())), |kind| {
        matches!(kind, Truncated { .. })
    });
    expect_fault(read(packed("savedGame", b"!VCSK00abc".to_vec())), |kind| {
        matches!(kind, Truncated { .. })
    });
    expect_fault(read(packed("savedGame", b"!VCSK00zz".to_vec())), |kind| {
        matches!(kind, NoHexDigit { byte: 8 })
    });
    expect_fault(read(packed("savedGame", b"VOBS".to_vec())), |kind| {
        matches!(kind, Truncated { .. })
    });
    // Stacks that lie in each other.
    let circle = [
        "+/1/stack/Map;1;1;2;@@-1",
        "+/2/stack/Map;1;1;1;@@-1",
        "D/1/Map;1;1;2;@@-1",
    ];
    expect_fault(read(saved(&circle)), |kind| {
        matches!(kind, StackInItself { .. })
    });
    expect_fault(
        read(saved(&["+/1/stack/Map;1;1;@@-1", "D/1/Map;1;1;1;@@-1"])),
        |kind| matches!(kind, StackInItself { .. }),
    );
    let many_ids: String = (1..3000).map(|id| format!("{id};")).collect();
    let pieces: Vec<String> = (1..3000)
        .map(|id| format!("+/{id}/piece;;;a;b/Map;1;1;{id};0"))
        .chain([format!("+/x/stack/Map;1;1;{many_ids}@@-1")])
        .collect();
    expect_fault(
        read(saved(
            &pieces.iter().map(String::as_str).collect::<Vec<_>>(),
        )),
        |kind| matches!(kind, TooManyInStack { .. }),
    );
    // Many moves, each of which names thousands of pieces.
    let alone = (1..4000).map(|id| format!("+/{id}/immob;;;R\tpiece;;;a;b/\tMap;1;1;{id};0"));
    let crowded: Vec<String> = alone
        .chain((0..2000).map(|_| "M/1/Map/1/1/null/Map/1/1/null/x".into()))
        .collect();
    expect_fault(
        read(saved(
            &crowded.iter().map(String::as_str).collect::<Vec<_>>(),
        )),
        |kind| matches!(kind, TooManyMoves),
    );
    // Escapes that never end, and traits without a state.
    let nested = (0..60).fold("LOG\tx".to_string(), |inner, _| format!("LOG\t{inner}"));
    expect_fault(read(saved(&[&nested])), |kind| {
        matches!(kind, TooDeep { .. })
    });
    let traits = (0..500).fold("piece;;;a;b".to_string(), |inner, _| {
        join(&["mark;x".to_string(), inner], '\t')
    });
    expect_fault(read(saved(&[&format!("+/1/{traits}/x")])), |kind| {
        matches!(kind, TooManyTraits { most: 400 })
    });
    expect_fault(read(saved(&["+/1/mark;x\tpiece;;;a;b/x"])), |kind| {
        matches!(
            kind,
            MissingStates {
                traits: 2,
                states: 1
            }
        )
    });
    expect_fault(read(saved(&["+/1/piece;;;a;b"])), |kind| {
        matches!(kind, TruncatedPiece { .. })
    });
    expect_fault(read(saved(&["+/1/piece;;;a;b/Map;here;1;7;0"])), |kind| {
        matches!(kind, NoPosition { .. })
    });
    expect_fault(read(saved(&["MapBoardPicker\tBoard\t99999\t0"])), |kind| {
        matches!(
            kind,
            BoardFarOff {
                column: 99_999,
                row: 0,
                ..
            }
        )
    });
    // XML that grows, nests, or ends too early.
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
    expect_fault(module(bomb), |kind| {
        matches!(kind, DocumentType { line: 1 })
    });
    expect_fault(module("<a>&c;</a>"), |kind| {
        matches!(kind, UnknownEntity { .. })
    });
    expect_fault(module(&"<a>".repeat(5000)), |kind| {
        matches!(kind, TooManyElements { .. })
    });
    expect_fault(module("<a><b></a>"), |kind| {
        matches!(kind, Xml { line: 1, .. })
    });
    expect_fault(module("<a>"), |kind| {
        matches!(kind, TruncatedXml { line: 1 })
    });
    let circle = "<a><x.PieceSlot>+/null/prototype;p\tpiece;;;a;b/\tnull;0;0;1;0</x.PieceSlot>\
                  <x.PrototypeDefinition name=\"p\">+/null/prototype;p\tpiece;;;;/\tnull;0;0;;0</x.PrototypeDefinition></a>";
    expect_fault(module(circle), |kind| {
        matches!(kind, PrototypeInItself { .. })
    });
}

/// Commands on a large stack take time in proportion to the file, or are refused.
#[test]
fn large_stacks_take_no_time() {
    let count = 1_900;
    let ids: Vec<String> = (1..=count).map(|id| id.to_string()).collect();
    let reversed: Vec<String> = ids.iter().rev().cloned().collect();
    let state = |ids: &[String]| format!("Map;1;1;{};@@-1", ids.join(";"));
    let laid = ids
        .iter()
        .map(|id| format!("+/{id}/piece;;;a;b/Map;1;1;{id};0"))
        .chain([format!("+/x/stack/{}", state(&ids))]);
    let laid: Vec<String> = laid.collect();
    let commands = |changes: Vec<String>| [laid.clone(), changes].concat();
    let run = |commands: Vec<String>| {
        read(saved(
            &commands.iter().map(String::as_str).collect::<Vec<_>>(),
        ))
    };
    let start = std::time::Instant::now();
    // Whole states, of which each puts the stack in another order.
    let turned = run(commands(
        (0..60)
            .map(|n| format!("D/x/{}", state(if n % 2 == 0 { &reversed } else { &ids })))
            .collect(),
    ));
    assert!(turned.is_ok_and(|game| game.pieces().len() == count));
    // Short ones that say nothing of what lies in it.
    let kept = run(commands(
        (0..100)
            .map(|n| format!("D/x/Map;1;1;@@-1/Map;1;{n};@@-1"))
            .collect(),
    ));
    assert!(kept.is_ok_and(|game| game.pieces().len() == count));
    expect_fault(
        run(commands(
            (0..30_000)
                .map(|n| format!("D/x/Map;1;1;@@-1/Map;1;{n};@@-1"))
                .collect(),
        )),
        |kind| matches!(kind, VassalFaultKind::TooManyMoves),
    );
    assert!(
        start.elapsed() < std::time::Duration::from_secs(100),
        "{:?}",
        start.elapsed()
    );
}

/// The names that VASSAL's own classes give some dots of two grids; tests/vassal_oracle.rs asks about many more.
#[test]
fn grids_name_places() {
    let grid = |text: &str| {
        PlaceGrid::read(&Element::parse(text, "x").expect("it is XML")).expect("it has a grid")
    };
    let hexes = grid(
        "<x.Board><a.HexGrid dy=\"70.0\" dx=\"60.0\" x0=\"0\" y0=\"0\"><b.HexGridNumbering first=\"H\" sep=\".\" hType=\"N\"/></a.HexGrid></x.Board>",
    );
    assert_eq!(
        hexes.place_name((100, 200), (1000, 800)).as_deref(),
        Some("03.04")
    );
    assert_eq!(
        hexes.place_name((1, 1), (1000, 800)).as_deref(),
        Some("01.01")
    );
    let zones = grid(
        "<x.Board><a.ZonedGrid><b.Zone name=\"North\" path=\"0,0;100,0;100,50;0,50\" locationFormat=\"$name$ $gridLocation$\">\
         <a.SquareGrid dx=\"50\" dy=\"50\" x0=\"25\" y0=\"25\"><b.SquareGridNumbering hType=\"A\" hOff=\"0\" hLeading=\"0\" vLeading=\"0\"/></a.SquareGrid></b.Zone>\
         <b.Zone name=\"Pool\" path=\"0,50;100,50;100,100;0,100\"/>\
         <a.RegionGrid><b.Region name=\"Elsewhere\" originx=\"500\" originy=\"500\"/></a.RegionGrid></a.ZonedGrid></x.Board>",
    );
    assert_eq!(
        zones.place_name((10, 10), (600, 600)).as_deref(),
        Some("North A1")
    );
    assert_eq!(
        zones.place_name((60, 10), (600, 600)).as_deref(),
        Some("North B1")
    );
    assert_eq!(
        zones.place_name((60, 60), (600, 600)).as_deref(),
        Some("Pool")
    );
    assert_eq!(
        zones.place_name((300, 60), (600, 600)).as_deref(),
        Some("Elsewhere")
    );
}

/// The module, the set-up and the module map of a situation are read back to the same board, and so to the same ruling.
#[test]
fn situations_survive_a_round_trip_through_vassal() {
    for situation in [
        "first-manassas",
        "lee-attacks-porter",
        "regiment-assault",
        "assault-in-a-zone",
        "one-marker",
        "first-day",
    ] {
        let folder = Folder::empty();
        folder.ok(&["export", "vmod", situation]);
        let ruling = |name: &str| {
            let run = folder.run(&["resolve", name, "--seed", "3"]);
            // Where the pieces stand is known from the saved game, whatever the situation rested on.
            let out = run
                .out
                .lines()
                .skip(1)
                .filter(|line| !line.starts_with("Rests on"))
                .collect::<Vec<_>>()
                .join("\n");
            (run.status, out)
        };
        assert_eq!(
            ruling(situation),
            ruling(&format!("{situation}.vsav")),
            "{situation}"
        );
    }
}

/// A saved game holds no decks of the game: they lie as the situation has them.
#[test]
fn decks_come_from_the_situation() {
    let folder = Folder::copy_of(
        &common::repository().join("tests/decks"),
        &["rules", "scenarios"],
    );
    folder.ok("export vmod late-trick");
    let imported = folder.out("import late-trick.vsav");
    imported.holds("top: [queen]");
    imported.holds("discards: [ace, ace, king]");
    let results = |name: &str| {
        folder
            .out(&["resolve", name, "--brief", "--seed", "4"])
            .lines()
            .skip(1)
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(results("late-trick.vsav"), results("late-trick"));
}

/// What the saved game says of a piece is no figure of the source that its situation has.
#[test]
fn what_a_saved_game_sets_is_not_printed() {
    let folder = Folder::empty();
    folder.ok("export vmod lee-attacks-porter");
    let yaml = folder.out("import lee-attacks-porter.vsav");
    let piece = |name: &str| {
        yaml.lines()
            .find(|line| line.contains(&format!("name: {name},")))
            .expect("it is there")
            .to_string()
    };
    piece("the loose 6-3").holds("status: printed, house: [at, under]");
    piece("Magruder's division").holds("house: [\"on\"]");
    folder.ok("import lee-attacks-porter.vsav --out scenarios/wbts/evening.yaml");
    let shown = folder.out("resolve evening --sources --seed 3");
    shown.holds("The attack is made");
    assert_eq!(
        folder.run("check").status,
        Some(0),
        "{}",
        folder.run("check").terminal_output()
    );
}

/// The module of the small game with some commands in place of its set-up.
fn game_with(commands: impl Fn(&str) -> String) -> Folder {
    let folder = Folder::skirmish();
    folder.ok("export vmod bridge");
    let bytes = std::fs::read(folder.0.join("bridge.vsav")).expect("it was written");
    let text = decode(
        &archive(bytes).unwrap().read("savedGame").unwrap().unwrap(),
        "x",
    )
    .unwrap();
    let text = commands(&String::from_utf8(text).unwrap());
    folder.write("game.vsav", packed("savedGame", encode(&text, 3)));
    folder
}

const ARGS: [&str; 4] = ["--module", "bridge.vmod", "--map", "bridge.yaml"];

/// Adds commands before the end of a saved game. The dot 60, 60 is that of its first stack.
fn with(text: &str, commands: &[&str]) -> String {
    let first = text
        .split("/stack/")
        .nth(1)
        .expect("pieces stand in stacks");
    let dot = first.split(';').take(3).collect::<Vec<_>>().join(";");
    let more = join(
        &commands
            .iter()
            .copied()
            .chain(["end_save"])
            .collect::<Vec<_>>(),
        COMMAND,
    );
    text.replace("end_save", &more.replace("Map;60;60", &dot))
}

/// Imports `game.vsav` of a folder for a viewer, up to a step, by a module map.
fn import(
    folder: &Folder,
    map: &str,
    viewer: &str,
    step: Option<usize>,
) -> Result<ImportedGame, Error> {
    let (saved, module) = (
        SavedGame::open(&folder.0.join("game.vsav"), step)?,
        VassalModule::open(&folder.0.join("bridge.vmod"))?,
    );
    let mapping = ModuleMapping::open(&folder.0.join(map))?;
    GameImport {
        saved: &saved,
        module: &module,
        mapping: &mapping,
        viewer,
    }
    .run(&casebook::open(&folder.0)?, "game")
}

/// The complaints of an import: the name that each is about.
#[track_caller]
fn rejected_names(result: Result<ImportedGame, Error>) -> Vec<String> {
    let Err(Error::Data(Complaints(complaints))) = result else {
        panic!("nothing was complained of")
    };
    let subject = |complaint: Complaint| {
        assert!(
            complaint.code == DiagnosticCode::Vassal && complaint.place.path.ends_with(".yaml"),
            "{complaint:?}"
        );
        complaint.subject.expect("a complaint names its subject")
    };
    complaints.into_iter().map(subject).collect()
}

/// Names with how often each comes up.
fn counts(names: &[(&str, usize)]) -> std::collections::BTreeMap<String, usize> {
    names
        .iter()
        .map(|(name, count)| (name.to_string(), *count))
        .collect()
}

#[test]
fn hidden_pieces_stay_hidden() {
    let pieces = [
        "+/901/hide;73,130\tpiece;;;a.svg;Secret Guard/Red\tMap;60;60;1;0",
        "+/902/obs;80,130;b.svg\tpiece;;;a.svg;Masked Guard/Red;\tMap;60;60;1;0",
        "+/903/piece;;;a.svg;Card One/Map;60;60;1;0",
        "+/904/deck;x/Map;60;60;true;903",
    ];
    let folder = game_with(|text| with(text, &pieces));
    let run = folder.ok(&[&["import", "game.vsav"][..], &ARGS].concat());
    for secret in ["Secret", "Masked", "Card One"] {
        assert!(
            !run.terminal_output().contains(secret),
            "{secret} is told:\n{}",
            run.terminal_output()
        );
    }
    let notes = import(&folder, "bridge.yaml", "", None)
        .expect("it is imported")
        .notes;
    assert!(
        notes.contains(&ImportNote::Hidden(1))
            && notes
                .iter()
                .any(|note| matches!(note, ImportNote::Masked(_))),
        "{notes:?}"
    );
    // Their owner sees them, and the missing entries of the module map are reported.
    assert_eq!(
        rejected_names(import(&folder, "bridge.yaml", "Red", None)),
        ["Masked Guard", "Secret Guard"]
    );
}

#[test]
fn unknown_pieces_and_places_are_listed() {
    let folder = game_with(|text| {
        with(
            text,
            &[
                "+/901/piece;;;a.svg;Turn Marker/Map;60;60;1;0",
                "+/902/piece;;;a.svg;Turn Marker/Map;60;60;1;0",
            ],
        )
    });
    for command in [
        &["import", "game.vsav"][..],
        &["resolve", "game.vsav"],
        &["odds", "game.vsav"],
        &["play", "game.vsav"],
    ] {
        let run = folder.run(&[command, &ARGS].concat());
        run.ends(1);
        run.err.holds("[vassal]");
    }
    assert_eq!(
        rejected_names(import(&folder, "bridge.yaml", "", None)),
        ["Turn Marker"]
    );
    // A piece that the map names but the game does not have is not one that the map leaves out.
    folder.write(
        "other.yaml",
        folder.read("bridge.yaml").replace(
            "\npieces:\n",
            "\npieces:\n  Turn Marker: { piece: Nobody }\n",
        ),
    );
    let Err(Error::Data(Complaints(complaints))) = import(&folder, "other.yaml", "", None) else {
        panic!("nobody is called so")
    };
    let [complaint] = &complaints[..] else {
        panic!("{complaints:?}")
    };
    assert!(
        complaint.message.contains("`Nobody` (2)") && complaint.place.span.is_some(),
        "it shows the line of the map: {complaint:?}"
    );
    folder.append("bridge.yaml", "others: ignored\n");
    let notes = import(&folder, "bridge.yaml", "", None)
        .expect("it is imported")
        .notes;
    assert!(notes.contains(&ImportNote::LeftOut(counts(&[("Turn Marker", 2)]))));
    let map = folder
        .read("bridge.yaml")
        .replace("others: ignored\n", "others: ignored\nmaps: [Other]\n");
    folder.write("other.yaml", map);
    let notes = import(&folder, "other.yaml", "", None)
        .expect("it is imported")
        .notes;
    let is_map =
        |note: &ImportNote| matches!(note, ImportNote::OffBoard(maps) if maps.keys().eq(["Map"]));
    assert!(notes.iter().any(is_map), "{notes:?}");
    assert!(notes.contains(&ImportNote::EmptyBoard));
    // A map of another module, and none.
    folder.write(
        "other.yaml",
        folder
            .read("bridge.yaml")
            .replace("module:", "module: Another # "),
    );
    assert_eq!(
        rejected_names(import(&folder, "other.yaml", "", None)).len(),
        1
    );
    folder.write("other.yaml", folder.read("bridge.yaml"));
    let run = folder.run("import game.vsav --module bridge.vmod");
    run.err
        .holds("`casebook new map --module game.vmod` writes one");
    let run = folder.run("resolve game.vsav --save journal.yaml");
    run.ends(2);
    run.err.holds("casebook import");
}

/// An empty board is said to be one, and an endless name is shortened.
#[test]
fn empty_games_and_endless_names_are_reported() {
    let folder = game_with(|_| join(&["begin_save", "end_save"], COMMAND));
    assert_eq!(
        import(&folder, "bridge.yaml", "", None)
            .expect("it is imported")
            .notes,
        [ImportNote::EmptyBoard]
    );
    let name = "x".repeat(50_000);
    let folder = game_with(|text| {
        with(
            text,
            &[&format!("+/901/piece;;;a.svg;{name}/Map;60;60;1;0")],
        )
    });
    let run = folder.run(&[&["import", "game.vsav"][..], &ARGS].concat());
    assert!(
        run.status == Some(1) && run.err.len() < 1000,
        "{} bytes",
        run.err.len()
    );
}

/// Among several games, the situation says which one is meant.
#[test]
fn a_map_is_laid_out_for_the_game_of_its_situation() {
    let folder = Folder::empty();
    folder.ok("export vmod assault-in-a-zone");
    folder.ok("new map ours --module assault-in-a-zone.vmod --like assault-in-a-zone");
    folder.read("ours.yaml").holds("game: tmag");
}

#[test]
fn layers_and_properties_change_pieces() {
    let folder = game_with(|text| {
        let layer = format!("emb2;{}a.svg,b.svg;one,two;true;Flipped", ";".repeat(15));
        let tired = join(&[layer, "piece;;;a.svg;Tired Guard".into()], '\t');
        with(
            text,
            &[
                &format!("+/901/{tired}/2\tMap;60;60;1;0"),
                &format!("+/902/{tired}/-1\tMap;60;60;1;0"),
            ],
        )
    });
    let map = folder.read("bridge.yaml");
    folder.write(
        "bridge.yaml",
        map + "  Tired Guard: { piece: Guard, kind: footman, layers: { Flipped: { 2: { ignored: true }, off: { note: rested } } } }\n",
    );
    let run = folder.ok(&[&["import", "game.vsav"][..], &ARGS].concat());
    assert!(run.out.matches("name: Guard").count() == 1, "{}", run.out);
    run.out.holds("note: rested");
}

#[test]
fn moves_of_a_log_are_carried_out() {
    let move_it = |text: &str| {
        // The first piece of the set-up goes to a stack of its own at the dot of another piece.
        let dots: Vec<&str> = text
            .split(COMMAND)
            .filter(|part| part.contains("/stack/"))
            .collect();
        let dot = |part: &str| {
            part.split("/stack/")
                .nth(1)
                .unwrap()
                .split(';')
                .skip(1)
                .take(2)
                .collect::<Vec<_>>()
                .join("/")
        };
        let member = dots[0].split(';').nth(3).unwrap();
        let (from, to) = (dot(dots[0]), dot(dots[dots.len() - 1]));
        format!("{text}{COMMAND}LOG\tM/{member}/Map/{to}/null/Map/{from}/null/me")
    };
    let folder = game_with(move_it);
    let run = folder.ok(&[&["import", "game.vsav"][..], &ARGS].concat());
    assert_eq!(
        import(&folder, "bridge.yaml", "", None)
            .expect("it is imported")
            .notes,
        [ImportNote::AfterStep(1, 1)]
    );
    let pieces = |out: &str| out.lines().skip(2).map(String::from).collect::<Vec<_>>();
    let before = pieces(&folder.out("import bridge.vsav"));
    assert_ne!(pieces(&run.out), before);
    // Step by step: before the move all stand as in the set-up, and there is no second step.
    let run = folder.ok(&[&["import", "game.vsav", "--step", "0"][..], &ARGS].concat());
    assert_eq!(
        import(&folder, "bridge.yaml", "", Some(0))
            .expect("it is imported")
            .notes,
        [ImportNote::AfterStep(0, 1)]
    );
    assert_eq!(pieces(&run.out), before);
    let bytes = std::fs::read(folder.0.join("game.vsav")).expect("it was written");
    let second = archive(bytes).and_then(|archive| SavedGame::read(archive, Some(2)));
    expect_fault(second, |kind| {
        matches!(kind, NoSuchStep { step: 2, count: 1 })
    });
    // A ruling on a step is logged behind that step.
    folder.ok(&[
        &["resolve", "game.vsav", "--step", "0", "--vlog", "out.vlog"][..],
        &ARGS,
    ]
    .concat());
    let log = SavedGame::open(&folder.0.join("out.vlog"), None).expect("it was written");
    log.text.lacks("LOG\tM/");
    log.text.holds("LOG\tCHAT");
}

/// Property sheets, labels, calculated properties, dependent layers and decks are read; unknown traits are named.
#[test]
fn unknown_traits_of_counters_are_named() {
    let layer = |tail: &str| {
        format!(
            "emb2;{}a.svg,b.svg,c.svg;,+ (tired),+ (broken);true;Step;;;{tail}",
            ";".repeat(15)
        )
    };
    let traits = |list: &[&str]| {
        list.iter()
            .rev()
            .skip(1)
            .fold(list[list.len() - 1].to_string(), |inner, outer| {
                join(&[*outer, &inner], '\t')
            })
    };
    let kinds = traits(&[
        "rotate;6;37,39;Turn",
        &layer("true;Fatigue;0"),
        "label;76,130;Change label;10;0,0,0;255,255,255;t;0;c;0;b;c;$pieceName$ / $label$;Dialog;0;0;Corps",
        "calcProp;Doubled;{Strength + Strength}",
        "calcProp;Odd;{Math.floor(Strength)}",
        "propertysheet;0Strength~3Ammunition;Figures;P;2;;;;80,130;",
        "PROP;Fatigue;true,0,3,true;:D,68;;",
        "piece;;;a.svg;Guard",
    ]);
    let piece = |id: &str, fatigue: &str, corps: &str| {
        let states = traits(&["0", "1", corps, "", "", "7~2/5", fatigue, "Map;60;60;1;0"]);
        format!("+/{}", join(&[id, &kinds, &states], '/'))
    };
    let folder = game_with(|text| {
        let deck = format!(
            "+/950/deck;{};Reinforcements;;/Map;9999;9999;false;951",
            ["x"; 12].join(";")
        );
        let commands = ["MutableProperty\tTurn\t3", "TURN0\t1;2;3", "CHAT hello"];
        with(
            text,
            &[
                &[
                    &*piece("901", "1", "I"),
                    &piece("902", "2", "II"),
                    &piece("951", "0", "III"),
                    &deck,
                ],
                &commands[..],
            ]
            .concat(),
        )
    });
    let map = folder.read("bridge.yaml").replace(
        "pieces:\n",
        "places: { names: { Reinforcements: \"0202\" } }\npieces:\n",
    );
    let figures = "figures: { note: Corps, strength: Doubled, speed: Odd }, layers: { Step: { 2: { side: Red }, 3: { side: Blue } } }";
    let own_counter = format!(
        "  Guard / I (tired): {{ piece: First, kind: footman, {figures} }}\n  Guard: {{ piece: Others, kind: footman, {figures} }}\n"
    );
    folder.write("bridge.yaml", format!("{map}{own_counter}"));
    let run = folder.run(&[&["import", "game.vsav"][..], &ARGS].concat());
    for piece in [
        // Its name as VASSAL shows it; the layer follows its fatigue, the strength is calculated from a property sheet.
        "{ name: First, kind: footman, side: Red, at: \"0201\", house: [at, strength], note: I, strength: 14 }",
        "{ name: Others, kind: footman, side: Blue, at: \"0201\", house: [at, strength], note: II, strength: 14 }",
        // In the deck, which the map calls 0202.
        "{ name: Others 2, kind: footman, at: \"0202\", house: [at, strength], note: III, strength: 14 }",
    ] {
        run.out.holds(piece);
    }
    let notes = import(&folder, "bridge.yaml", "", None)
        .expect("it is imported")
        .notes;
    for note in [
        ImportNote::MissingProperties(counts(&[
            ("`Odd` of Guard", 2),
            ("`Odd` of Guard / I (tired)", 1),
        ])),
        ImportNote::UnreadTraits(counts(&[
            ("Calculated Property `Odd`", 3),
            ("Can Rotate", 3),
        ])),
        ImportNote::UnreadParts(counts(&[("global properties", 1), ("turn counters", 1)])),
    ] {
        assert!(notes.contains(&note));
    }
}

#[test]
fn pieces_are_placed_without_the_image_of_the_board() {
    let folder = Folder::empty();
    folder.ok("export vmod first-manassas");
    let mut module =
        archive(std::fs::read(folder.0.join("first-manassas.vmod")).expect("it was written"))
            .unwrap();
    let build_file = module.read("buildFile.xml").unwrap().expect("a module");
    folder.write("named.vmod", packed("buildFile.xml", build_file.clone()));
    // Nothing gives the size of the board.
    let build_file = String::from_utf8(build_file)
        .unwrap()
        .replace(" width=", " wide=")
        .replace(" height=", " high=");
    folder.write(
        "bare.vmod",
        packed("buildFile.xml", build_file.into_bytes()),
    );
    let import = |module: &str| {
        folder.run(format!(
            "import first-manassas.vsav --module '{module}' --map first-manassas.yaml"
        ))
    };
    let whole = import("first-manassas.vmod").expect_success();
    for module in ["named.vmod", "bare.vmod"] {
        let run = import(module).expect_success();
        assert_eq!(run.out, whole.out);
        run.err
            .holds("the module lacks images of its boards: `images/map.svg`");
    }
    whole.err.lacks("lacks images");
}

#[test]
fn many_pieces_that_are_not_mapped_are_one_complaint() {
    let folder = Folder::empty();
    folder.ok("export vmod first-manassas");
    let map = folder.read("first-manassas.yaml");
    let pieces = map.find("pieces:").expect("the pieces");
    folder.write(
        "first-manassas.yaml",
        format!("{}pieces: {{}}\n", &map[..pieces]),
    );
    let run = folder.run("import first-manassas.vsav --map first-manassas.yaml");
    run.ends(1);
    run.err.holds("names are not mapped: ");
    assert_eq!(
        run.err.matches("error[").count(),
        1,
        "{}",
        run.terminal_output()
    );
}

#[test]
fn module_maps_are_laid_out() {
    let folder = Folder::skirmish();
    folder.ok("export vmod bridge --out made/bridge.vmod");
    let run = folder.ok("new map mine --module made/bridge.vmod --like bridge");
    run.out.holds("mine.yaml");
    run.err.lacks("not mapped");
    let map = folder.read("mine.yaml");
    assert!(map.starts_with("module_map: mine\n"), "{map}");
    let read = |map: &str| {
        folder.out(format!(
            "import made/bridge.vsav --module made/bridge.vmod --map '{map}'"
        ))
    };
    assert_eq!(
        read("mine.yaml").matches("name:").count(),
        read("made/bridge.yaml").matches("name:").count()
    );
    // A piece that no situation knows is to be mapped.
    let module = VassalModule::open(&folder.0.join("made/bridge.vmod")).expect("it was written");
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "name: Blue foot,",
        "name: Blue guard,",
    );
    let library = casebook::open(&folder.0).expect("the data");
    let map = lay_out(&library, &module, "mine", "skirmish", "bridge").expect("it can be laid out");
    assert_eq!(map.missing, ["Blue foot"]);
    map.yaml.holds("Blue foot: {}      # not mapped yet");
}

/// The final board of a log equals that of the ruling: each counter has moved or gone with its piece.
#[test]
fn logs_move_the_counters_as_the_ruling_says() {
    let word = |line: &str, key: &str| {
        let rest = line
            .split(&format!(" {key}: "))
            .nth(1)?
            .split([',', '}'])
            .next()?;
        Some(rest.trim().trim_matches(['"', '\'']).to_string())
    };
    // Each piece with its strength and place, or the place of its carrier.
    let places = |yaml: &str| {
        let lines: Vec<&str> = yaml
            .lines()
            .filter(|line| line.trim_start().starts_with("- { name:"))
            .collect();
        let place = |line: &&str| {
            let mut at = *line;
            while let Some(carrier) = word(at, "\"on\"")
                .or(word(at, "on"))
                .filter(|on| !on.is_empty())
            {
                at = lines
                    .iter()
                    .find(|line| word(line, "name").as_ref() == Some(&carrier))
                    .expect("the carrier is there");
            }
            let value = word(line, "value").map(|value| {
                value
                    .trim_start_matches('(')
                    .split(['-', ')'])
                    .next()
                    .unwrap_or_default()
                    .to_string()
            });
            Some(format!(
                "{} {:?}: {}",
                word(line, "name")?,
                word(line, "strength").or(value),
                word(at, "at").filter(|at| !at.is_empty())?
            ))
        };
        let mut placed: Vec<String> = lines.iter().filter_map(place).collect();
        placed.sort();
        placed
    };
    let mut moved = 0;
    for (game, situation) in [
        ("wbts", "lee-attacks-porter"),
        ("tmag", "regiment-assault"),
        ("wbts", "leader-wounded"),
    ] {
        for seed in ["1", "3"] {
            let folder = Folder::empty();
            folder.ok(&["export", "vmod", situation]);
            let after = format!("scenarios/{game}/after.yaml");
            std::fs::create_dir_all(folder.0.join(&after).parent().expect("a folder"))
                .expect("it can be made");
            folder.ok(format!(
                "resolve '{situation}' --seed '{seed}' --vlog own.vlog --save-situation '{after}'"
            ));
            folder.ok(&[
                "resolve",
                &format!("{situation}.vsav"),
                "--seed",
                seed,
                "--vlog",
                "out.vlog",
            ]);
            let before = folder.out(&["import", &format!("{situation}.vsav")]);
            for log in ["own.vlog", "out.vlog"] {
                let imported = folder.out(&["import", log]);
                assert_eq!(
                    places(&imported),
                    places(&folder.read(&after)),
                    "{situation} {seed} {log}"
                );
                moved += usize::from(places(&imported) != places(&before));
                // Before its steps the log is the saved game.
                let start = folder.out(&["import", log, "--step", "0"]);
                assert_eq!(places(&start), places(&before));
            }
        }
    }
    assert!(moved > 3, "{moved} logs move something");
}

#[test]
fn rulings_become_logs() {
    let folder = Folder::skirmish();
    folder.ok("export vmod bridge");
    folder.ok("resolve bridge.vsav --vlog out.vlog");
    folder.ok("resolve bridge --vlog own.vlog");
    for name in ["out.vlog", "own.vlog"] {
        let log = SavedGame::open(&folder.0.join(name), None).expect("it was written");
        assert!(
            log.steps > 2 && log.text.contains("LOG\tCHAT*** ") && log.text.contains('['),
            "{name}: {}",
            log.text
        );
        let pieces = SavedGame::open(&folder.0.join("bridge.vsav"), None)
            .expect("it was written")
            .pieces()
            .len();
        assert_eq!(log.pieces().len(), pieces, "the log begins with the board");
    }
    // A log is replaced, another file is not.
    folder.ok("resolve bridge --vlog own.vlog");
    folder.write("text.vlog", "mine");
    folder.write(
        "saved.vlog",
        std::fs::read(folder.0.join("bridge.vsav")).expect("it was written"),
    );
    folder.write(
        "theirs.vlog",
        saved(&["begin_save", "end_save", "LOG\tCHAT* my move"]),
    );
    for name in [
        "text.vlog",
        "saved.vlog",
        "theirs.vlog",
        "bridge.vsav",
        "bridge.vmod",
        "bridge.txt",
    ] {
        let before = std::fs::read(folder.0.join(name)).ok();
        let run = folder.run(&["resolve", "bridge", "--vlog", name]);
        assert!(
            run.status != Some(0) && std::fs::read(folder.0.join(name)).ok() == before,
            "{name}: {}",
            run.terminal_output()
        );
    }
}
