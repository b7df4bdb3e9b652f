//! The engine of Casebook: from the files of a wargame to a ruling that cites what decided it.
//!
//! It uses no other crate of Casebook, and must not know a terminal, HTML, or any game. It promises nothing to strangers: what the crate
//! `casebook` shows is promised.
//!
//! A ruling is a pure function of three inputs: the rules in force, the situation, and the stream of dice and choices.
//!
//! ```
//! use casebook_engine::data::{embedded::Embedded, library::Library};
//! use casebook_engine::notation::Face;
//! use casebook_engine::ruleset::compose::RulesetSpec;
//! use casebook_engine::ruling::{resolve::{ResolveRequest, resolve}, situation::Situation};
//! use casebook_engine::situation::{dice::TypedDice, trace::Event};
//!
//! // 1. Load. A game is a folder of manifest, charts, cases and situations; here it lies in memory. A variant is a layer over it.
//! let library = Library::from_files([
//!     ("rules/race/game.yaml", "game: race\ntitle: A race\nsides: [Red, Blue]\nprocedures: { race: Two dice race. }\n"),
//!     ("rules/race/1-race/1-race.rhai", r#"//! case: "1"
//! //! title: The race
//! //! kind: rule
//! //! text: Each side throws a die; more is faster.
//!
//! fn race(given) {
//!     let red = roll("1d6", "Red") + start();
//!     let blue = roll("1d6", "Blue");
//!     say("Red reaches {}, Blue {}.", [red, blue]);
//!     result("winner", if red > blue { "Red" } else { "Blue" });
//! }
//!
//! /// The lead that Red starts with.
//! fn start() { 0 }
//! "#),
//!     ("scenarios/race/start.yaml", "situation: start\ntitle: The start\nstatus: printed\nprocedure: race\n"),
//!     ("variants/lead/variant.yaml", "variant: lead\ntitle: Red leads\ngame: race\n"),
//!     ("variants/lead/rules/1-race/1-race.rhai", r#"//! case: "1"
//! //! title: Red leads
//! //! kind: correction
//! //! text: Red starts two ahead.
//!
//! fn start() { 2 }
//! "#),
//! ], Embedded::default())?;
//! assert!(library.complaints().0.is_empty(), "{}", library.complaints());
//!
//! // 2. Choose the rules, and put the situation under them: its functions are compiled when they are first called.
//! let situation = Situation::load(&library, &RulesetSpec::new("race", &["lead"]), "start")?;
//!
//! // 3. Resolve. The machine stops at each throw; here typed dice answer: 3 for Red, 4 for Blue.
//! let stream = Box::new(TypedDice::new(vec![Face::from(3u32), Face::from(4u32)]));
//! let request = ResolveRequest { stream, dice_from: "typed".into(), ..ResolveRequest::default() };
//! let resolved = resolve(&mut situation.machine(), &situation, request)?;
//!
//! // 4. Read the ruling: outcomes by name, and lines, each with the cases that decided it, in every layer.
//! assert_eq!(resolved.ruling.results["winner"], "Red");
//! assert_eq!(resolved.ruling.steps[0].lines[0].cites, ["1", "1 lead"]);
//!
//! // 5. Read the trace: every throw, line and outcome in order, with the values they had.
//! let throws = resolved.events.iter().filter(|event| matches!(event, Event::Throw(_))).count();
//! assert_eq!(throws, 2);
//! # Ok::<(), casebook_engine::complaint::Error>(())
//! ```
//!
//! Each module uses only those above it.
//!
//! | module | contents |
//! |---|---|
//! | [`platform`] | time, threads and deadlines, or their absence |
//! | [`complaint`] | diagnostics: code, path, line, column, excerpt, remedy |
//! | [`notation`] | parsers for dice, bands, odds, unit values, hexes, turns, case numbers |
//! | [`data`] | readers of the data files: tables, cases, situations, variants |
//! | [`syntax`] | parser of the functions of cases |
//! | [`ruleset`] | composes layers into a ruleset and checks them |
//! | [`situation`] | the board, dice, choices, and the event trace |
//! | [`code`] | compiler to bytecode, virtual machine, provenance tracking |
//! | [`ruling`] | resolves a procedure to a ruling, as text and as data |

#![forbid(unsafe_code)]

pub mod code;
pub mod complaint;
pub mod data;
pub mod notation;
pub mod platform;
pub mod ruleset;
pub mod ruling;
pub mod situation;
pub mod syntax;
