//! The workbench in a real Chromium: clicked through as a player and an author would, without an error in the console, and held against
//! axe-core's rules for those who read it by keyboard or by ear. The steps of one list are taken before the server, and before the static
//! site where its engine was built. Where no Chromium is installed, they say so and are skipped.
#![cfg(feature = "serve")]

mod common;

#[cfg(feature = "vassal")]
use casebook::vassal::{export::SavedModule, saved_game::SavedGame, sequence::COMMAND};
use common::beginners::{MANIFEST, manifest, mistakes};
use common::browser::Browser;
use common::campaign;
use common::front::{Desk, Steps, TestData, run_all};
use common::server::Served;
use serde_json::{Value, json};

/// Rules of accessibility, by Deque Systems (MPL-2.0).
const AXE: &str = include_str!("browser/axe.min.js");

/// All steps: the longest first, so that none of them is left over at the end.
const STEPS: &[Steps] = &[
    (
        "pages_fit_a_telephone_a_tablet_and_the_dark",
        TestData::Skirmish,
        true,
        pages_fit_a_telephone_a_tablet_and_the_dark,
    ),
    (
        "every_destination_is_drawn_and_can_be_clicked",
        TestData::Shipped,
        true,
        every_destination_is_drawn_and_can_be_clicked,
    ),
    #[cfg(feature = "vassal")]
    (
        "a_saved_game_is_shown_and_played",
        TestData::Skirmish,
        false,
        a_saved_game_is_shown_and_played,
    ),
    (
        "a_player_and_an_author_find_their_way",
        TestData::Skirmish,
        true,
        a_player_and_an_author_find_their_way,
    ),
    (
        "the_board_is_clicked_and_dragged_on",
        TestData::Questions,
        true,
        the_board_is_clicked_and_dragged_on,
    ),
    (
        "a_whole_game_is_clicked_to_its_end",
        TestData::Campaign,
        true,
        a_whole_game_is_clicked_to_its_end,
    ),
    (
        "the_start_page_plays",
        TestData::Shipped,
        true,
        the_start_page_plays,
    ),
    (
        "a_game_is_begun_in_three_clicks",
        TestData::Shipped,
        true,
        a_game_is_begun_in_three_clicks,
    ),
    (
        "a_change_is_seen_against_what_was",
        TestData::Shipped,
        true,
        a_change_is_seen_against_what_was,
    ),
    (
        "attackers_are_picked",
        TestData::Shipped,
        true,
        attackers_are_picked,
    ),
    (
        "a_counter_opens_its_pieces",
        TestData::Shipped,
        true,
        a_counter_opens_its_pieces,
    ),
    (
        "words_are_explained",
        TestData::Shipped,
        true,
        words_are_explained,
    ),
    (
        "a_turn_is_played_by_keyboard",
        TestData::Campaign,
        true,
        a_turn_is_played_by_keyboard,
    ),
    (
        "a_piece_is_moved_on_the_map_by_keyboard",
        TestData::Shipped,
        true,
        a_piece_is_moved_on_the_map_by_keyboard,
    ),
    ("pages_are_light", TestData::Shipped, false, pages_are_light),
    (
        "a_journal_is_loaded",
        TestData::Skirmish,
        true,
        a_journal_is_loaded,
    ),
    (
        "a_cell_is_changed_in_place",
        TestData::Skirmish,
        true,
        a_cell_is_changed_in_place,
    ),
    (
        "a_rule_takes_few_clicks",
        TestData::Skirmish,
        true,
        a_rule_takes_few_clicks,
    ),
    (
        "a_house_rule_is_clicked_at_the_ruling",
        TestData::Shipped,
        false,
        a_house_rule_is_clicked_at_the_ruling,
    ),
    (
        "a_map_stays_as_it_is",
        TestData::Shipped,
        true,
        a_map_stays_as_it_is,
    ),
    (
        "a_ruling_is_pinned",
        TestData::Skirmish,
        true,
        a_ruling_is_pinned,
    ),
    (
        "a_link_keeps_what_was_typed",
        TestData::Shipped,
        false,
        a_link_keeps_what_was_typed,
    ),
    (
        "a_rule_is_changed_by_keyboard",
        TestData::Skirmish,
        true,
        a_rule_is_changed_by_keyboard,
    ),
    (
        "a_mistake_is_mended_by_a_key",
        TestData::Skirmish,
        false,
        a_mistake_is_mended_by_a_key,
    ),
    (
        "the_keyboard_is_enough",
        TestData::Skirmish,
        true,
        the_keyboard_is_enough,
    ),
    (
        "what_stands_on_a_map_can_be_read",
        TestData::Shipped,
        true,
        what_stands_on_a_map_can_be_read,
    ),
    (
        "pages_are_laid_out_for_every_width",
        TestData::Skirmish,
        true,
        pages_are_laid_out_for_every_width,
    ),
    (
        "whoever_changes_something_stays_where_he_is",
        TestData::Skirmish,
        true,
        whoever_changes_something_stays_where_he_is,
    ),
    (
        "the_map_fills_the_window_and_can_be_read",
        TestData::Shipped,
        true,
        the_map_fills_the_window_and_can_be_read,
    ),
    (
        "a_game_turn_takes_few_clicks",
        TestData::Shipped,
        true,
        a_game_turn_takes_few_clicks,
    ),
    (
        "an_answer_is_pointed_at_and_a_turn_walked_through",
        TestData::Skirmish,
        false,
        an_answer_is_pointed_at_and_a_turn_walked_through,
    ),
    (
        "panels_over_the_map_are_read_and_clicked_alone",
        TestData::Shipped,
        false,
        panels_over_the_map_are_read_and_clicked_alone,
    ),
    (
        "one_click_is_taken_back",
        TestData::Shipped,
        true,
        one_click_is_taken_back,
    ),
    (
        "a_long_count_is_watched_and_stopped",
        TestData::Shipped,
        true,
        a_long_count_is_watched_and_stopped,
    ),
];

fn main() {
    run_all(STEPS)
}

/// Checks the page with axe-core, and that the console has no errors.
fn assert_accessible(browser: &Browser, page_name: &str) {
    browser.run(&format!("if (!window.axe) {{ {AXE} }}"));
    let wrong = browser.run_async(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations.map((v) => v.id + ': ' + v.help + '\\n  ' + v.nodes.slice(0, 3).map((n) => n.html + ' ' + n.failureSummary).join('\\n  '))), (error) => done([String(error)]))",
    );
    let wrong: Vec<&str> = wrong
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    assert!(wrong.is_empty(), "{page_name}\n{}", wrong.join("\n"));
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "{page_name}: the console"
    );
}

/// A saved game of VASSAL on the pages: a counter that was moved there stands where it was moved to, and what is hidden is on no page.
#[cfg(feature = "vassal")]
fn a_saved_game_is_shown_and_played(desk: &Desk) {
    let browser = &desk.browser;
    desk.folder
        .run(&["export", "vmod", "bridge"])
        .expect_success();
    let saved = SavedGame::open(&desk.folder.0.join("bridge.vsav"), None).expect("it was written");
    // The first counter goes to the dot of the last stack; a hidden one stands beside it.
    let stacks: Vec<&str> = saved
        .text
        .split(COMMAND)
        .filter(|part| part.contains("/stack/"))
        .collect();
    let dot = |part: &str| {
        part.split("/stack/")
            .nth(1)
            .unwrap_or_default()
            .split(';')
            .skip(1)
            .take(2)
            .collect::<Vec<_>>()
            .join("/")
    };
    let (from, to) = (dot(stacks[0]), dot(stacks[stacks.len() - 1]));
    let hidden = format!(
        "+/900/hide;73,130\tpiece;;;a.svg;Secret Guard/Blue\tMap;{};1;0",
        to.replace('/', ";")
    );
    let moved = format!(
        "{}{COMMAND}{hidden}{COMMAND}LOG\tM/1/Map/{to}/null/Map/{from}/null/me",
        saved.text
    );
    let module = SavedModule {
        name: saved.module,
        version: saved.version,
    };
    desk.folder
        .write("game.vlog", module.file(&moved).expect("it can be packed"));
    let served = Served::start_with(&desk.folder.0, &["game.vlog"]);
    browser.resize_window(1280, false);
    for page in ["", "/play"] {
        browser.open(&format!("{}/at/skirmish/game{page}", served.base));
        browser.wait_until("document.body.innerText.includes('At the bridge, from VASSAL')");
        browser.wait_until("document.querySelector('svg [data-place]')");
        assert!(
            !browser
                .run("return document.documentElement.outerHTML")
                .as_str()
                .unwrap_or_default()
                .contains("Secret")
        );
        assert_accessible(browser, "a saved game");
    }
    assert_eq!(
        browser.run("return document.querySelector(\"[data-pieces='Red foot']\").dataset.place"),
        "0202",
        "where it was moved to"
    );
    browser.write(".own-dice input", "3\u{e007}");
    browser.wait_until("location.search.includes('moves=3')");

    // It is chosen on the page of another game, and becomes a situation; what is left out is said before it is played.
    desk.log_in();
    browser.open(&format!("{}/at/skirmish/bridge/play", desk.base));
    browser.click(".games-here summary");
    browser.choose(
        "[data-open-saved] input",
        &desk.folder.0.join("bridge.vsav"),
    );
    browser.click("[data-open-saved] button");
    browser.wait_until("document.querySelector('[data-open-saved] output a')");
    assert!(
        browser
            .text("[data-open-saved] output")
            .contains("turn, phase and rules are those of bridge"),
        "{}",
        browser.text("[data-open-saved] output")
    );
    assert_accessible(browser, "an opened game");
    // A file of the game at the table is dropped on the page, as is one that is no saved game.
    browser.click(".for-vassal summary");
    browser.wait_until("document.querySelector('a[download=\"bridge.vsav\"]')");
    let drop = |name: &str, data: &str| {
        format!(
            "const data = new DataTransfer(); data.items.add(new File([Uint8Array.from(atob({data}), (c) => c.charCodeAt(0))], '{name}')); document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}))"
        )
    };
    browser.run(&drop("notes.txt", "'Zm9v'"));
    browser.wait_until(
        "document.querySelector('[data-open-saved] output').innerText.includes('no saved game')",
    );
    browser.run(&drop(
        "dropped.vsav",
        "document.querySelector('a[download=\"bridge.vsav\"]').href.split('base64,')[1]",
    ));
    browser.wait_until(
        "document.querySelector('[data-open-saved] output a')?.href.includes('/dropped/play')",
    );
    browser.click("[data-open-saved] output a");
    browser.wait_until("document.body.innerText.includes('At the bridge, from VASSAL')");
}

fn a_player_and_an_author_find_their_way(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);

    // The rulebook: a variant is switched off, and the page changes where it had a say.
    desk.log_in();
    browser.click("a[href='/book/skirmish']");
    browser.click(".chapters a[href*='02-losses']");
    browser.wait_until("document.body.innerText.includes('Riders never lose')");
    assert_accessible(browser, "a chapter");
    browser.click("input[name=with][value=errata]");
    browser.wait_until("!document.body.innerText.includes('Riders never lose') && location.search.includes('with=winter')");
    browser.write("input[name=q]", "strength\u{e007}");
    browser.wait_until("document.querySelectorAll('.hits li').length > 0 && location.search.includes('with=winter')");
    browser.click(".hits a");
    browser.click(".for-authors > summary");
    browser.click("button[data-examples]");
    browser.wait_until("document.querySelector('.proofs .holds')");
    assert_accessible(browser, "a case");

    // The calculator: each key moves the odds, and the address holds it all.
    browser.open(&format!("{}/at/skirmish/bridge", desk.base));
    browser.wait_until("document.querySelector('.charts figure')");
    assert_accessible(browser, "the calculator");
    let before = browser.text("[data-part=odds]");
    browser.run("document.addEventListener('input', () => window.began = performance.now(), true); document.addEventListener('there', (e) => { if (e.target.dataset.part === 'odds') window.took = performance.now() - window.began; })");
    browser.write("input[name='set:Red foot: strength']", "9");
    browser.wait_until("window.took && location.search.includes('strength=9') && !document.querySelector('[aria-busy]')");
    eprintln!(
        "from key to odds: {:.0} ms",
        browser
            .run("return window.took")
            .as_f64()
            .unwrap_or_default()
    );
    assert_ne!(browser.text("[data-part=odds]"), before, "other odds");
    let ruling = browser.text("[data-part=ruling]");
    browser.click("a[data-again]");
    browser
        .wait_until("location.search.includes('seed=2') && !document.querySelector('[aria-busy]')");
    assert_ne!(browser.text("[data-part=ruling]"), ruling, "another throw");
    let shared = browser
        .run("return location.href")
        .as_str()
        .unwrap_or_default()
        .to_string();
    browser.open(&shared);
    assert_eq!(
        browser
            .run("return document.querySelector(\"input[name='set:Red foot: strength']\").value"),
        "9",
        "the address holds it"
    );

    // Rulesets side by side, with what makes the difference.
    browser.open(&format!(
        "{}/at/skirmish/bridge/compare?ruleset=&ruleset=errata",
        desk.base
    ));
    browser.wait_until("document.querySelector('[data-part=causes] .named')");
    assert_accessible(browser, "rulesets side by side");

    // Play: thrown, chosen, taken back, and back again by the browser.
    browser.open(&format!("{}/at/skirmish/bridge/play", desk.base));
    browser.write(".own-dice input", "3\u{e007}");
    browser.wait_until("document.querySelector('.waits h2').innerText.includes('first to lose')");
    assert_accessible(browser, "a choice at the table");
    browser.click(".answers li:first-child a");
    browser.wait_until(
        "location.search.includes('moves=3-c0') && !document.querySelector('[aria-busy]')",
    );
    browser.click(".back a");
    browser.wait_until("!location.search.includes('c0') && document.querySelector('.waits h2').innerText.includes('first to lose')");
    browser.back();
    browser.wait_until(
        "location.search.includes('moves=3-c0') && !document.querySelector('[aria-busy]')",
    );
    browser.click("summary[data-fetch=ahead]");
    browser.wait_until("document.querySelector('.ahead figure, .ahead .certain')");
    assert_accessible(browser, "the odds from here");
    browser.click(".why summary");
    browser.wait_until("document.querySelector('.why li').innerText.length > 3");
    // What is open follows the next answer.
    browser.click(".back a");
    browser.wait_until("!location.search.includes('c0') && document.querySelector('.ahead[open] :is(figure, .certain)')");
    // The throw stands in the box.
    browser.wait_until("document.querySelector('.lately').innerText.includes('for attack')");

    // The editor: a variant of one's own, a complaint under the line, its remedy, saved as a file.
    browser.open(&format!("{}/what-if/skirmish", desk.base));
    assert_accessible(browser, "what if");
    browser.click(".authors > summary");
    browser.write("form[data-new=variant] input[name=name]", "mine\u{e007}");
    browser.wait_until("location.pathname === '/edit/file'");
    browser.open(&format!("{}/what-if/skirmish", desk.base));
    browser.run("[...document.querySelectorAll('form[data-new=table]')].find((form) => form.querySelector('[value=mine]')).querySelector('button').click()");
    browser
        .wait_until("location.pathname === '/edit/file' && document.querySelector('.cm-content')");
    // It still equals the layer below, and the editor says so.
    browser.wait_until("document.querySelector('[data-complaints] .note')");
    assert_accessible(browser, "the editor");
    let change = |old: &str, new: &str| {
        let script = "const view = document.querySelector('.cm-content').cmTile?.view ?? document.querySelector('.cm-content').cmView.view; const text = view.state.doc.toString(); view.dispatch({ changes: { from: 0, to: text.length, insert: text.replace(OLD, NEW) } });";
        browser.run(
            &script
                .replace("OLD", &serde_json::json!(old).to_string())
                .replace("NEW", &serde_json::json!(new).to_string()),
        );
    };
    change("kind: revision", "kind: revison");
    browser.wait_until("document.querySelector('.cm-lintRange-error') && document.querySelector('[data-complaints] .error')");
    change("kind: revison", "kind: revision");
    browser.wait_until("!document.querySelector('.cm-lintRange-error') && !document.querySelector('[data-complaints] .error')");
    change("now: \"3/0\"", "now: \"3/3\"");
    browser.click("button[data-save]");
    browser.wait_until("document.querySelector('[data-saved]').innerText === 'saved'");
    assert!(
        desk.read("variants/mine/tables/combat.yaml")
            .contains("now: \"3/3\"")
    );
    browser.wait_until(
        "document.querySelector('[data-conflicts]').innerText.includes('contradicts none')",
    );
    browser.run("const list = document.querySelector('[data-situation]'); list.value = 'bridge'; list.dispatchEvent(new Event('change'))");
    browser.wait_until(
        "document.querySelector('[data-odds]').innerText.includes('The odds are the same')",
    );
    change(
        "column: \"1:2\", row: \"1\", was: \"3/0\", now: \"3/3\"",
        "column: \"1:1\", row: \"2\", was: \"1/0\", now: \"1/3\"",
    );
    browser.wait_until("document.querySelector('[data-odds] figure')");
    browser.click("button[data-save]");
    browser.wait_until(
        "document.querySelector('[data-odds]').innerText.includes('The odds are the same')",
    );
    // A variant is switched: the page is looked at where it was, with the same things open.
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/skirmish/bridge?with=mine", desk.base));
    browser.click(".more-pieces summary");
    browser.run("scrollTo(0, 300)");
    let scroll_position = browser.run("return scrollY");
    browser.run("document.querySelector('input[name=with][value=errata]').click()");
    browser.wait_until(
        "location.search.includes('errata') && document.readyState === 'complete' && document.querySelector('.more-pieces details').open",
    );
    assert_eq!(
        browser.run("return scrollY"),
        scroll_position,
        "it is looked at where it was"
    );
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the editor: the console"
    );
}

fn the_board_is_clicked_and_dragged_on(desk: &Desk) {
    let browser = &desk.browser;
    let is_idle = "!document.querySelector('[aria-busy]')";
    browser.resize_window(1280, false);

    // A piece is clicked: where it can go, and why not there.
    browser.open(&format!("{}/at/skirmish/bridge", desk.base));
    browser.click(".stack.s5");
    browser.click(".company a[data-look]");
    browser.wait_until(
        "document.querySelectorAll('.drawn polygon').length > 3 && document.querySelector('.seen').innerText.includes('reaches')",
    );
    assert_accessible(browser, "where a piece can go");
    assert!(
        browser.text(".verdict").contains("reaches"),
        "the answer stands over the map"
    );
    let wide = "parseFloat(document.querySelector('.map svg').style.width)";
    let before = browser.run(&format!("return {wide}")).as_f64();
    browser.click("[data-zoom='1.4']");
    assert!(
        browser.run(&format!("return {wide}")).as_f64() > before,
        "the map is drawn larger"
    );
    browser.click(".stack.s1");
    browser.wait_until("document.querySelector('.seen .refused')?.innerText.includes(\"can't go to 0202\") && document.querySelector('.seen .refused .cites a')");
    assert_accessible(browser, "why it can't go there");
    assert!(
        browser.text(".verdict").contains("can't go to 0202"),
        "why not stands over the map"
    );
    assert!(
        browser.run(&format!("return {wide}")).as_f64() > before,
        "and the map stays as large"
    );
    browser.click("[data-zoom='0']");
    browser.write(".seen input[name=to]", "0302\u{e007}");
    browser.wait_until(
        "location.search.includes('to=0302') && !document.querySelector('.seen .refused')",
    );
    browser.wait_until("document.querySelectorAll('.drawn .path').length > 0");

    // A piece is dragged: it begins elsewhere; the field of its place says the same.
    browser.open(&format!("{}/at/skirmish/bridge", desk.base));
    browser.wait_until(is_idle);
    browser.drag(".stack.s1", ".place[data-place='0302']");
    browser.wait_until(&format!(
        "{is_idle} && location.search.includes('Blue+foot:+at=0302') && location.search.includes('Blue+riders:+at=0302')"
    ));
    assert_eq!(
        browser.run("return document.querySelector(\"input[name='set:Blue foot: at']\").value"),
        "0302"
    );
    browser.write("input[name='set:Blue foot: at']", "0202");
    browser.wait_until(&format!(
        "{is_idle} && !location.search.includes('Blue+foot')"
    ));

    // A figure is dragged by its name.
    browser.drag(
        "label:has(> [name='set:Red foot: strength']) > span",
        "[name='set:Red foot: speed']",
    );
    browser.wait_until(&format!(
        "{is_idle} && location.search.includes('Red+foot:+strength=')"
    ));
    assert!(
        browser
            .run("return Number(document.querySelector(\"[name='set:Red foot: strength']\").value)")
            .as_i64()
            > Some(6),
        "to the right for more"
    );

    // A piece is put in, and taken out again.
    browser.click(".more-pieces summary");
    browser.write(".more-pieces input[name='new:name']", "Blue guard");
    browser.run(
        "document.querySelector(\"[name='new:kind']\").value = 'footman'; document.querySelector(\"[name='new:side']\").value = 'Blue'",
    );
    browser.write(".more-pieces input[name='new:at']", "0202\u{e007}");
    browser.wait_until(
        "location.search.includes('piece:Blue+guard=footman') && !location.search.includes('new:')",
    );
    assert_accessible(browser, "a piece put in");
    let before = browser.text("[data-part=odds]");
    browser.write("input[name='set:Blue guard: strength']", "7");
    browser.wait_until(&format!(
        "{is_idle} && location.search.includes('Blue+guard:+strength=7')"
    ));
    assert_ne!(browser.text("[data-part=odds]"), before, "it counts");
    browser.click("a.out[aria-label='Take Blue guard out']");
    browser.wait_until("!document.querySelector(\"input[name='set:Blue guard: strength']\")");
    browser.click("a.out[aria-label='Take Blue riders out']");
    browser.wait_until(
        "document.querySelector('.more-pieces').innerText.includes('Taken out: Blue riders')",
    );

    // A choice of pieces is answered on the map.
    browser.open(&format!("{}/at/skirmish/bridge/play?moves=3", desk.base));
    browser.click(".stack.open");
    browser.click(".company .button[data-move]");
    browser.wait_until(&format!(
        "{is_idle} && location.search.includes('moves=3-c')"
    ));
    assert_accessible(browser, "a choice answered on the map");

    // A variant that was sent is unpacked.
    desk.folder.run(&["pack", "winter"]).expect_success();
    let sent = desk
        .folder
        .read("winter.pack.yaml")
        .replace("variants/winter", "variants/frosty")
        .replace("variant: winter", "variant: frosty");
    let sent = sent.split("checksum:").next().expect("a part");
    desk.folder.write("frosty.pack.yaml", sent);
    desk.log_in();
    browser.open(&format!("{}/what-if/skirmish", desk.base));
    browser.click(".authors > summary");
    browser.choose(
        "form[data-unpack] input",
        &desk.folder.0.join("frosty.pack.yaml"),
    );
    browser.click("form[data-unpack] button");
    browser.wait_until("[...document.querySelectorAll('.variant')].some((one) => one.textContent.includes('frosty'))");
    assert!(
        desk.read("variants/frosty/variant.yaml")
            .contains("variant: frosty")
    );
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

fn a_whole_game_is_clicked_to_its_end(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/skirmish/bridge/play", desk.base));
    let mut clicks = 0;
    loop {
        browser.wait_until(
            "document.querySelector('.waits') && !document.querySelector('[aria-busy]')",
        );
        let open = browser
            .run("return document.querySelectorAll('.answers a[data-move]').length")
            .as_u64()
            .unwrap_or_default();
        if open == 0 {
            break;
        }
        // Sometimes the last answer instead of the first.
        let which = if clicks % 3 == 2 { "last" } else { "first" };
        let before = browser.run("return location.href");
        let options = browser
            .run("return document.querySelectorAll('.answers li').length")
            .as_u64()
            .unwrap_or_default();
        browser.click(&match options {
            0 => ".answers a[data-move]".to_string(),
            _ => format!(".answers li:{which}-child a[data-move]"),
        });
        browser.wait_until(&format!("location.href !== {before}"));
        clicks += 1;
        assert!(clicks < 120, "the game ends");
    }
    assert!(clicks > 8, "a game of several turns: {clicks} clicks");
    let end = browser.text("main");
    assert!(end.contains("winner") && end.contains("over"), "{end}");
    assert_accessible(browser, "a game at its end");
}

fn pages_fit_a_telephone_a_tablet_and_the_dark(desk: &Desk) {
    let browser = &desk.browser;
    let pages = [
        "/",
        "/book/skirmish",
        "/book/skirmish/chapter/01-battle",
        "/book/skirmish/case/2.1",
        "/book/skirmish/table/combat",
        "/book/skirmish/search/?q=losses",
        "/help",
        "/?tour=1",
        "/glossary/skirmish",
        "/what-if/skirmish?table=combat&cell=combat+1:1+6+%3D+0/9",
        "/what-if/skirmish?case=1.1&rule=1.1.wagons+%3D+help",
        "/what-if/skirmish/effect?cell=combat+1:1+6+%3D+0/9",
        "/at/skirmish",
        "/at/skirmish?q=nothing+of+the+kind",
        "/at/skirmish/bridge",
        "/at/skirmish/bridge?set:Red+foot:+strength=9&show=least",
        "/at/skirmish/bridge/compare",
        "/at/skirmish/bridge/play?moves=3",
        "/what-if/skirmish",
        "/edit/meet?with=errata,winter",
        "/edit/file?path=variants/errata/variant.yaml",
        "/at/skirmish/bridge?set:Red+foot:+strength=many",
        "/at/skirmish/bridge/play?moves=c9",
        "/nowhere",
        "/at/skirmish/nobody",
        "/book/skirmish/case/9.9",
    ];
    for (width, dark) in [(390, false), (390, true), (768, false), (1280, true)] {
        browser.resize_window(width, dark);
        for page in pages {
            let page_name = format!("{page}, {width} wide{}", if dark { ", dark" } else { "" });
            browser.open(&format!("{}{page}", desk.base));
            browser.wait_until(
                "document.readyState === 'complete' && !document.querySelector('[aria-busy]')",
            );
            if ["nowhere", "nobody", "9.9"]
                .iter()
                .any(|lost| page.ends_with(lost))
            {
                // The console tells of a page that is not there; that is what it is for.
                assert_eq!(browser.console_errors().len(), 1, "{page_name}");
            }
            assert_accessible(browser, &page_name);
            let wide = browser
                .run("return document.documentElement.scrollWidth")
                .as_u64()
                .unwrap_or_default();
            assert!(wide <= u64::from(width), "{page_name}: {wide} wide");
            let small = browser.run(
                "return Math.min(99, ...[...document.querySelectorAll('.map text')].map((text) => text.getBoundingClientRect().height).filter(Boolean))",
            );
            assert!(
                small.as_f64() > Some(7.0),
                "{page_name}: words on the map are {small} pixels high"
            );
        }
    }
}

/// A visitor changes odds with one click, and finds a game by a search.
fn the_start_page_plays(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(390, false);
    browser.open(&desk.base);
    browser.wait_until("document.querySelector('.large dd') && document.readyState === 'complete'");
    assert_accessible(browser, "the start page with something to try");
    let before = browser.text(".large");
    let start = std::time::Instant::now();
    browser.run("const slider = document.querySelector('.trial input[type=range]'); slider.value = slider.max; slider.dispatchEvent(new Event('input', { bubbles: true }))");
    browser.wait_until("!document.querySelector('[aria-busy]') && document.querySelector('.set b').innerText === document.querySelector('.trial input').max");
    eprintln!(
        "from the slider to other odds: {} ms",
        start.elapsed().as_millis()
    );
    assert_ne!(
        browser.text(".large"),
        before,
        "one movement moves the odds"
    );
    let wide = browser
        .run("return document.documentElement.scrollWidth")
        .as_u64()
        .unwrap_or_default();
    assert!(wide <= 390, "{wide} wide");
    // The list is sorted as one types.
    browser.open(&format!("{}/at/wbts?q=play", desk.base));
    browser.wait_until("document.querySelector('li.card .odd, li.card .badge')");
    let shown = "return [...document.querySelectorAll('li.card')].filter((card) => card.checkVisibility()).map((card) => card.querySelector('.name').innerText)";
    for words in ["play", "bull run", "battle"] {
        browser.run(&format!("const field = document.querySelector('input[name=q]'); field.value = '{words}'; field.dispatchEvent(new Event('input', {{ bubbles: true }}))"));
        let titles = browser.run(shown);
        let card_count = titles.as_array().map_or(0, Vec::len);
        assert!(
            titles.as_array().into_iter().flatten().any(|title| title
                .as_str()
                .is_some_and(|title| title.contains("First Manassas"))),
            "{words}: {titles:#}"
        );
        assert!(card_count < 100, "{words}: {card_count} situations");
    }
    browser.run("document.querySelector('.chips input[value=siege]').click()");
    browser.wait_until("location.search.includes('topic=siege')");
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

/// From the start page to the first move: the door, "Begin", the answer. The page before the game says what each side has to do; the game is among
/// those to go on with.
fn a_game_is_begun_in_three_clicks(desk: &Desk) {
    let browser = &desk.browser;
    for (width, dark) in [(1280, false), (390, true)] {
        browser.resize_window(width, dark);
        browser.open(&desk.base);
        browser
            .wait_until("document.querySelector('.doors a') && document.readyState === 'complete'");
        browser.click(".doors a");
        browser.wait_until("document.querySelector('[data-begin]')");
        let form = browser.text(".new-game form");
        for part in [
            "Take Manassas Junction",
            "The computer by its best style",
            "A person",
            "Your own",
        ] {
            assert!(form.contains(part), "{part} in {form}");
        }
        assert_accessible(browser, "the page before a game");
        let wide = browser
            .run("return document.documentElement.scrollWidth")
            .as_u64();
        assert!(
            wide.is_some_and(|wide| wide <= u64::from(width)),
            "{wide:?} wide"
        );
        browser.click("[data-begin]");
        let asked = "document.querySelector('.waits .answers a[data-move]') && !document.querySelector('[aria-busy], [data-auto]')";
        browser.wait_until(asked);
        assert_accessible(browser, "the first question");
        let address = browser.run("return location.search");
        let address = address.as_str().unwrap_or_default();
        assert!(
            address.contains("policy:Confederate=first") && !address.contains("against="),
            "{address}"
        );
        // What ends a phase stands last.
        browser.run("const find = (which) => document.querySelector(`.waits .answers a[${which}]`); (find('data-end') ?? find('data-move')).click()");
        browser.wait_until(&format!(
            "location.search !== {} && {asked}",
            serde_json::json!(address)
        ));
        // The style's turn is told in words.
        assert!(!browser.text(".report").is_empty());
        // It stands among the games of this browser.
        browser.open(&desk.base);
        browser.wait_until("document.querySelector('.running:not([hidden]) li a img')");
        let running = browser.text(".running");
        assert!(
            running.contains("First Manassas") && running.contains("Union to move"),
            "{running}"
        );
    }
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// A change marks the previous bar, states the difference, and can be undone alone.
fn a_change_is_seen_against_what_was(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/wbts/lee-attacks-porter", desk.base));
    browser.wait_until("document.querySelector('#verdict .headline')");
    assert_eq!(
        browser.run("return document.querySelectorAll('.was').length"),
        0
    );
    browser.write("input[name='set:Lee: initiative']", "3");
    browser.wait_until("document.querySelector('.was') && !document.querySelector('[aria-busy]')");
    assert!(
        browser.text(".headline").contains("75.0 % (−8.3)"),
        "{}",
        browser.text(".headline")
    );
    assert!(
        browser
            .text("[data-part=odds]")
            .contains("if the attack is made (75.0 %)"),
        "each chart says when it comes to that"
    );
    browser.run("document.querySelector('input[name=show][value=least]').click()");
    browser.wait_until(
        "location.search.includes('show=least') && !document.querySelector('[aria-busy]')",
    );
    assert!(
        browser.text("[data-part=odds]").contains("≥ 3"),
        "at least so many"
    );
    browser.click(".changes .undo");
    browser.wait_until(
        "!location.search.includes('initiative') && document.querySelector('.headline')",
    );
}

/// The attackers are picked from the pieces of their side, and the map says whether it shows the position before the throw.
fn attackers_are_picked(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/wbts/lee-attacks-porter", desk.base));
    browser.wait_until(
        "document.querySelector('.picks') && document.querySelector('#verdict .headline')",
    );
    browser.wait_until("!document.querySelector('.calculator [data-more]') && !document.querySelector('[aria-busy]')");
    let picked = "return [...document.querySelectorAll('.picks input')].map((box) => [box.value, box.checked]).slice(0, 3)";
    assert_eq!(
        browser.run(picked),
        serde_json::json!([
            ["Lee", true],
            ["J. Johnston", true],
            ["\"Magruder's division\"", false]
        ])
    );
    assert_eq!(
        browser.run("return document.querySelectorAll('.picks input[value=Porter]').length"),
        0,
        "nobody of the other side"
    );
    let before = browser.text(".headline");
    browser.click(".picks input[value='J. Johnston']");
    browser.wait_until(
        "location.search.includes('attackers=%5BLee%5D') && !document.querySelector('[aria-busy]') && document.querySelector('.was')",
    );
    assert_ne!(browser.text(".headline"), before, "other odds");
    browser.click(".picks input[value='J. Johnston']");
    browser.wait_until(
        "!location.search.includes('attackers') && !document.querySelector('[aria-busy]')",
    );
    assert_eq!(browser.text(".headline"), before, "as it was");
    // Doubtful places that this ruling comes to stand before the others.
    let places = browser.run("return [...document.querySelectorAll('.readings summary')].map((summary) => summary.innerText)");
    assert!(
        places[0]
            .as_str()
            .is_some_and(|text| text.contains("this ruling comes to")),
        "{places}"
    );
    // Who can't attack is not offered, and the rules say why.
    browser.wait_until(
        "document.querySelector('.closed-pieces li')?.textContent.includes('A. N. Va.')",
    );
    assert!(browser.text(".moment").starts_with("As it begins"));
    browser.click(".moment a");
    browser.wait_until(
        "location.search.includes('when=after') && document.querySelector('.moment').innerText.startsWith('After this ruling')",
    );
    assert_accessible(browser, "the map after the ruling");
}

/// The map comes first: a counter that is clicked has its pieces below it, one row each. A click on the map, the keyboard and the rows change them,
/// and the odds beside the map follow.
fn a_counter_opens_its_pieces(desk: &Desk) {
    let browser = &desk.browser;
    let is_idle = "!document.querySelector('[aria-busy]') && !document.querySelector('[data-part=ruling] [data-more]')";
    let seen = |name: &str| {
        let row = format!(".piece[data-piece={}]", serde_json::json!(name));
        format!(
            "document.querySelector({}).checkVisibility()",
            serde_json::json!(row)
        )
    };
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/wbts/lee-attacks-porter", desk.base));
    browser.wait_until(&format!(
        "{is_idle} && document.querySelector('#verdict .headline')"
    ));
    let before = browser.text("#verdict .headline");
    browser.click(".stack[data-pieces*=Porter]");
    browser.wait_until(&format!("{} && !{}", seen("Sykes's division"), seen("Lee")));
    assert!(
        browser
            .text(".map ~ .under, .verdict")
            .contains("stands in C2515")
    );
    assert_accessible(browser, "a counter that is open");
    // Its figures in words; what is typed moves the odds, and the counter stays open.
    assert!(
        browser
            .text(".piece[data-piece=Porter]")
            .contains("combat rating")
    );
    browser.write("input[name=\"set:Sykes's division: strength\"]", "1");
    browser.wait_until(&format!(
        "{is_idle} && location.search.includes('strength=1') && document.querySelector('#verdict .change')"
    ));
    assert_ne!(browser.text("#verdict .headline"), before, "other odds");
    assert_eq!(browser.run(&format!("return {}", seen("Lee"))), false);
    // A figure out of its bounds is refused in words.
    browser.write("input[name='set:Porter: initiative']", "-1");
    browser
        .wait_until("document.querySelector('#verdict').textContent.includes('initiative is 0')");
    browser.write("input[name='set:Porter: initiative']", "3");
    browser.wait_until(&format!(
        "{is_idle} && document.querySelector('#verdict .headline')"
    ));
    // The piece is put where the map is clicked.
    browser.run("document.querySelector('.map .place[data-place=C2615]').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
    browser.wait_until(&format!(
        "{is_idle} && location.search.includes('at=C2615')"
    ));
    browser.click(".all-pieces a");
    browser.wait_until(&format!("{is_idle} && {}", seen("Lee")));
    // The arrow keys lead from counter to counter, and Enter opens one: its first field has the focus.
    browser.run("document.querySelector('.map').focus()");
    browser.press("\u{e014}");
    browser.press("\u{e007}");
    browser.wait_until("document.activeElement.closest('.piece.picked')");
    // On a telephone the odds stay in sight while the map is looked at.
    browser.resize_window(390, false);
    browser.open(&format!("{}/at/wbts/lee-attacks-porter?of=Lee", desk.base));
    browser.wait_until(&format!(
        "{is_idle} && document.querySelector('#verdict .headline')"
    ));
    browser.run("document.querySelector('.map').scrollIntoView({ block: 'center' })");
    assert_eq!(
        browser.run("const box = document.querySelector('#verdict').getBoundingClientRect(), map = document.querySelector('.map').getBoundingClientRect(); return box.bottom <= innerHeight && box.top > map.top"),
        true,
        "the odds are in sight"
    );
    assert_accessible(browser, "a counter that is open, on a telephone");
}

/// Words of the game's glossary are links that say what they mean; the keyboard reaches them.
fn words_are_explained(desk: &Desk) {
    let browser = &desk.browser;
    for (width, page) in [
        (1280, "/at/wbts/lee-attacks-porter"),
        (390, "/at/tmag/first-day/play?usual=on&throws=on&do=on"),
    ] {
        browser.resize_window(width, false);
        browser.open(&format!("{}{page}", desk.base));
        browser.wait_until("document.querySelector('.term')");
        // Where words stand in what is folded, they are reached once it is open.
        browser.run("document.querySelector('.term').closest('details')?.setAttribute('open', '')");
        browser.run("document.querySelector('.term').focus()");
        browser.wait_until("document.activeElement.matches('a.term[href^=\"/glossary/\"]')");
        let shown =
            browser.run("return getComputedStyle(document.activeElement, '::after').content");
        assert!(
            shown.as_str().is_some_and(|text| text.len() > 20),
            "{page}: {shown}"
        );
        assert_accessible(browser, page);
        let wide = browser
            .run("return document.documentElement.scrollWidth")
            .as_u64()
            .unwrap_or_default();
        assert!(wide <= u64::from(width), "{page}: {wide} wide");
    }
}

/// A whole turn by the keyboard alone: from link to link with the tabulator, answered with Enter.
fn a_turn_is_played_by_keyboard(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/skirmish/bridge/play", desk.base));
    let turn = "document.querySelector('.tracks summary')?.innerText ?? ''";
    browser.wait_until("document.querySelector('.waits')");
    let first = browser.run(&format!("return {turn}"));
    let mut answers = 0;
    while browser.run(&format!("return {turn}")) == first
        && browser.run("return document.querySelectorAll('.waits .answers a').length") != 0
    {
        let before = browser.run("return location.href");
        // After an answer the question has the focus; at first the tabulator leads there from the top of the page.
        let mut presses = 0;
        while browser.run("return document.activeElement.matches('.waits .answers a[data-move]')")
            != true
        {
            browser.press("\u{e004}");
            presses += 1;
            assert!(
                presses < if answers == 0 { 200 } else { 12 },
                "the answers are reached after a few presses of the tabulator"
            );
        }
        browser.press("\u{e007}");
        browser.wait_until(&format!(
            "location.href !== {before} && !document.querySelector('[aria-busy]')"
        ));
        browser.wait_until("document.activeElement.matches('.waits h2')");
        answers += 1;
        assert!(answers < 60, "the turn ends");
    }
    assert!(answers > 1, "a turn has more than one answer");
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// The arrow keys lead from place to place on the map, the line above it says what each costs, and Enter goes there.
fn a_piece_is_moved_on_the_map_by_keyboard(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    browser.open(&format!(
        "{}/at/tmag/first-day/play?usual=on&throws=on&do=on",
        desk.base
    ));
    press_until(
        browser,
        "(document.querySelector('.waits h2').dataset.question ?? document.querySelector('.waits h2').innerText).includes('move of')",
        40,
    );
    browser.run("document.querySelector('.map').focus()");
    let at = "document.querySelector('.map a.at .place')?.dataset.place";
    let mut visited = Vec::new();
    for key in ["\u{e014}", "\u{e014}", "\u{e015}", "\u{e012}", "\u{e013}"] {
        browser.press(key);
        let place = browser.run(&format!("return {at} ?? null"));
        let line = browser.text(".verdict");
        assert!(
            place.as_str().is_some_and(|place| line.starts_with(place))
                && line.contains("movement points"),
            "{place}: {line}"
        );
        assert_ne!(visited.last(), Some(&place), "each key leads on");
        visited.push(place);
    }
    // The keys skip places that are not open, and leaving the map clears the position.
    assert!(visited.iter().all(|place| browser.run(&format!(
        "return [...document.querySelectorAll('.map a[data-move] .place.open')].some((one) => one.dataset.place === {place})"
    )) == true));
    let before = browser.run("return location.search");
    browser.press("\u{e007}");
    browser.wait_until(&format!(
        "location.search !== {before} && !document.querySelector('[aria-busy]')"
    ));
    let place = visited.last().and_then(Value::as_str).unwrap_or_default();
    browser.wait_until(&format!(
        "document.querySelector('.log, .entries').innerText.includes({})",
        serde_json::json!(place)
    ));
    browser.wait_until("document.activeElement.matches('.map, .waits h2')");
    browser.run("document.querySelector('.map').focus()");
    browser.press("\u{e014}");
    browser.press("\u{e004}");
    assert_eq!(
        browser.run("return document.querySelectorAll('.map a.at').length"),
        0
    );
    // Enter alone clicks nothing.
    let before = browser.run("return location.search");
    browser.run("document.querySelector('.map').focus()");
    browser.press("\u{e007}");
    assert_eq!(browser.run("return location.search"), before);
    assert_accessible(browser, "a map that is walked over");
}

/// Pages and the files they load stay below a size limit.
fn pages_are_light(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    // Games that others began here are listed with their maps, which is their weight.
    browser.open(&format!("{}/help", desk.base));
    browser.run("localStorage.clear()");
    for (page, max) in [
        // With a small map of each whole game.
        ("/", 150),
        ("/help", 150),
        ("/glossary/wbts", 200),
        // With the thumbnails loaded by then, 1 to 3 KB each.
        ("/at/wbts", 350),
        ("/at/wbts/lee-attacks-porter", 350),
        ("/at/wbts/lee-attacks-porter/over", 150),
        ("/at/wbts/lee-attacks-porter/compare", 200),
        ("/at/wbts/first-manassas/new", 270),
        ("/at/wbts/first-manassas/play", 250),
        ("/at/tmag/first-day/play", 250),
        ("/at/banasik/peach-orchard/play", 250),
        ("/book/wbts", 250),
        ("/book/wbts/case/26.2", 200),
        ("/book/wbts/table/combat-results", 250),
        ("/what-if/wbts", 150),
        ("/what-if/wbts?table=combat-results&sheet=5", 180),
        ("/what-if/wbts?case=8.16", 180),
        (
            "/what-if/wbts/effect?cell=combat-results+5+132-156+2+%3D+0/40*&at=lee-attacks-porter",
            150,
        ),
    ] {
        browser.open(&format!("{}{page}", desk.base));
        browser.wait_until(
            "document.readyState === 'complete' && !document.querySelector('[aria-busy]')",
        );
        assert_eq!(
            browser.console_errors(),
            Vec::<String>::new(),
            "{page} is there"
        );
        let weight = browser.run(
            "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, one) => sum + one.decodedBodySize, 0)",
        );
        let weight = weight.as_u64().unwrap_or(u64::MAX) / 1000;
        eprintln!("{page}: {weight} KB");
        assert!(weight <= max, "{page} weighs {weight} KB, more than {max}");
    }
}

/// A game is saved as a file and loaded again; a damaged file is complained of, and the game stays.
fn a_journal_is_loaded(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    desk.folder
        .run(&["resolve", "bridge", "--seed", "4", "--save", "evening.yaml"])
        .expect_success();
    desk.folder.write(
        "damaged.yaml",
        desk.folder
            .read("evening.yaml")
            .replace("faces: [", "faces: [9, "),
    );
    browser.open(&format!("{}/at/skirmish/bridge/play", desk.base));
    browser.click(".games-here summary");
    browser.choose(
        "[data-load-journal] input",
        &desk.folder.0.join("damaged.yaml"),
    );
    browser.click("[data-load-journal] button");
    browser
        .wait_until("document.querySelector('[data-load-journal] output').innerText.length > 20");
    browser.choose(
        "[data-load-journal] input",
        &desk.folder.0.join("evening.yaml"),
    );
    browser.click("[data-load-journal] button");
    browser.wait_until("location.search.includes('moves=') && document.querySelector('.waits h2')?.innerText === 'Done'");
}

/// From the start to a changed cell with its odds in three clicks, to a kept rule and a link in five; taken back by one.
fn a_cell_is_changed_in_place(desk: &Desk) {
    let browser = &desk.browser;
    let is_idle = "!document.querySelector('[aria-busy]')";
    browser.resize_window(1280, false);
    desk.log_in();
    browser.click("a[href='/what-if/skirmish']");
    browser.wait_until("document.querySelector('[data-what-if] .ruling .ruled')");
    browser.write("[data-choose] input", "combat\u{e007}");
    browser.press("\u{e004}");
    browser.wait_until("document.querySelector('[data-grid] input')");
    let cell = "[data-grid] input[name='now combat 1:1 6']";
    browser.run(&format!("window.took = 0; document.addEventListener('input', () => window.began = performance.now(), true); document.addEventListener('there', (e) => {{ if (e.target.dataset.part === 'bench') window.took = performance.now() - window.began; }}); document.querySelector(\"{cell}\").focus()"));
    browser.write(cell, "0/9");
    browser.wait_until(&format!(
        "document.querySelector('.bench .moved') && {is_idle}"
    ));
    eprintln!(
        "from key to bench: {:.0} ms",
        browser
            .run("return window.took")
            .as_f64()
            .unwrap_or_default()
    );
    assert!(
        browser
            .text("[data-part=mine]")
            .contains("Combat, odds 1:1, die 6: 0/9 instead of 0/3"),
        "{}",
        browser.text("[data-part=mine]")
    );
    assert_eq!(
        browser.text("td.changed .was"),
        "0/3",
        "the old value stands there"
    );
    assert!(
        !desk.folder.0.join("variants/my-house").exists(),
        "nothing is saved yet"
    );
    for (width, dark) in [(1280, false), (390, true)] {
        browser.resize_window(width, dark);
        browser.wait_until(&format!("innerWidth === {width}"));
        assert_accessible(browser, "a cell changed in place");
        assert!(
            browser
                .run("return document.documentElement.scrollWidth")
                .as_u64()
                <= Some(u64::from(width)),
            "{width} wide"
        );
    }
    browser.resize_window(1280, false);
    // What can't stand is refused where it stands, and the arrows go on from cell to cell.
    browser.write(cell, "0/99");
    browser.wait_until(
        "document.querySelector('[aria-invalid]') && document.querySelector('[data-refusal]').innerText.includes('is not allowed')",
    );
    browser.write(cell, "0/9");
    browser.wait_until(&format!("!document.querySelector('[aria-invalid]') && document.querySelector('.bench .moved') && {is_idle}"));
    browser.run(&format!("document.querySelector(\"{cell}\").focus()"));
    browser.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true, cancelable: true }))");
    assert_eq!(
        browser.run("return document.activeElement.name"),
        "now combat 1:1 5"
    );
    // Pasted from a spreadsheet: two cells at once.
    browser.run("const data = new DataTransfer(); data.setData('text', '0/1\\t0/2\\n'); document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))");
    browser.wait_until(&format!("new URLSearchParams(location.search).getAll('cell').length === 3 && document.querySelectorAll('.own-rules .new').length === 3 && {is_idle}"));
    // The cells that the battle comes to are marked, what is typed in stays where it is, and an emptied cell shows its value.
    assert_eq!(
        browser.run("return document.querySelectorAll('td.read input').length"),
        6,
        "one column of six dice"
    );
    browser.run(&format!("document.querySelector(\"{cell}\").focus(); window.top0 = document.activeElement.getBoundingClientRect().top; document.querySelector('.own-rules').style.minHeight = '0'"));
    browser.write("[data-grid] input[name='now combat 1:1 4']", "0/1");
    browser.wait_until(&format!(
        "document.querySelectorAll('.own-rules .new').length === 4 && {is_idle}"
    ));
    browser.run("const field = document.querySelector(\"[data-grid] input[name='now combat 1:1 4']\"); field.focus(); field.value = ''; field.dispatchEvent(new Event('input', { bubbles: true })); field.blur()");
    browser.wait_until(&format!(
        "document.querySelectorAll('.own-rules .new').length === 3 && {is_idle}"
    ));
    assert_eq!(
        browser.run("return [document.querySelector(\"[data-grid] input[name='now combat 1:1 4']\").placeholder !== '', Math.round(document.querySelector(\"[data-grid] input[name='now combat 1:1 6']\").getBoundingClientRect().top - window.top0)]"),
        serde_json::json!([true, 0])
    );
    // Kept, which is said, shown to a friend by the address, and taken back, and put back.
    browser.write("form[data-keep-changes] [name=variant]", "My House");
    browser.click("form[data-keep-changes] button");
    browser.wait_until("document.querySelectorAll('[data-take-back]').length === 3 && document.querySelector('[data-done]').innerText.includes('Kept in my-house')");
    let text = desk.read("variants/my-house/variant.yaml");
    assert!(text.contains("was: \"0/3\", now: \"0/9\" }"), "{text}");
    let shared = browser
        .run("return document.querySelector('[data-shared]').dataset.shared")
        .as_str()
        .unwrap_or_default()
        .to_string();
    assert!(
        shared.matches("cell=").count() == 3 && shared.contains("0/9"),
        "{shared}"
    );
    browser.click("[data-take-back]");
    browser.wait_until("document.querySelectorAll('[data-take-back]').length === 2 && document.querySelector('[data-done] button')");
    browser.click("[data-done] button");
    browser.wait_until("document.querySelectorAll('[data-take-back]').length === 3 && !document.querySelector('[data-done] button')");
    browser.click("[data-take-back]");
    browser.wait_until("document.querySelectorAll('[data-take-back]').length === 2");
    // To its owner the link shows nothing new but what he has taken back.
    browser.open(&format!("{}{shared}", desk.base));
    browser.wait_until(&format!(
        "document.querySelectorAll('.own-rules .new').length === 1 && {is_idle}"
    ));
    browser.click(".own-rules .new a[data-go]");
    browser.wait_until(&format!(
        "!document.querySelector('.own-rules .new') && {is_idle}"
    ));
    // A kept rule is switched off for a look.
    browser.click(".own-rules a.switch");
    browser.wait_until(&format!("document.querySelector('.own-rules .off') && location.search.includes('without=') && {is_idle}"));
    let checked = desk.folder.run(&["check"]);
    assert!(
        !checked.out.contains("error["),
        "the file that was written is right: {}",
        checked.out
    );

    // A case: from the rulebook to its questions, a figure typed, the bench moved.
    browser.open(&format!("{}/book/skirmish/case/1.1", desk.base));
    browser.click(".change-it a");
    browser.run("document.querySelectorAll('.place').forEach((place) => { place.open = true; })");
    browser.write(
        "input[name='rule 1.1 answer: may_attack']",
        "yes when unit.strength > 1",
    );
    browser.wait_until(&format!("location.search.includes('may_attack') && document.querySelector('.own-rules .new') && {is_idle}"));
    assert_accessible(browser, "a case changed at its places");
    browser.click("form[data-keep-changes] button");
    browser.wait_until("[...document.querySelectorAll('[data-take-back]')].some((one) => one.dataset.takeBack.includes('may_attack'))");
    // From a cell of the rulebook to the same cell in the grid.
    browser.open(&format!("{}/book/skirmish/table/combat", desk.base));
    browser.run("document.querySelectorAll('[data-table] .cells td')[4].click()");
    browser.wait_until("document.activeElement.matches('[data-grid] input')");
    assert_eq!(
        browser.run("return document.activeElement.name"),
        "now combat 1:1 2"
    );
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// A ruling is pinned where it stands, and the test bench says when a change breaks it; words in the field of a rule find rules and charts.
fn a_ruling_is_pinned(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    desk.log_in();
    browser.open(&format!("{}/at/skirmish/bridge?dice=6", desk.base));
    browser.click("details:has([data-pin]) > summary");
    browser.write("form[data-pin] [name=because]", "a six is a draw");
    browser.click("form[data-pin] button");
    browser.wait_until("document.querySelector('form[data-pin] output').innerText.startsWith('Pinned in tests/skirmish/pins.yaml: it holds ')");
    assert!(
        desk.read("tests/skirmish/pins.yaml")
            .contains("a six is a draw")
    );
    browser.open(&format!(
        "{}/what-if/skirmish?cell=combat+1:1+6+%3D+0/9",
        desk.base
    ));
    browser.wait_until("document.querySelector('.bench').innerText.includes('a six is a draw')");
    assert_accessible(browser, "a pinned ruling that a change breaks");
    browser.run("const field = document.querySelector('[data-choose] [name=case]'); field.value = 'who loses what in a battle'; field.dispatchEvent(new Event('change', { bubbles: true }))");
    browser.wait_until("document.querySelector('[data-part=change] .hits a')");
    browser.click("[data-part=change] .hits a");
    browser.wait_until(
        "document.querySelector('[data-part=change] [data-case], [data-part=change] [data-grid]')",
    );
    desk.remove("tests/skirmish/pins.yaml");
}

/// A browser whose clicks are counted.
struct CountedClicks<'b> {
    browser: &'b Browser,
    count: std::cell::Cell<u32>,
}

impl CountedClicks<'_> {
    fn add(&self, clicks: u32) {
        self.count.set(self.count.get() + clicks);
    }

    fn click(&self, selector: &str) {
        self.add(1);
        self.browser.click(selector);
    }
}

/// From the start to a changed cell with its odds: four clicks; to a kept rule and its link seven; taken back by one. A die modifier
/// takes no more.
fn a_rule_takes_few_clicks(desk: &Desk) {
    let browser = &desk.browser;
    let is_idle = "!document.querySelector('[aria-busy]')";
    let is_moved = format!("document.querySelector('.bench .moved') && {is_idle}");
    browser.resize_window(1280, false);
    let start = || {
        desk.log_in();
        browser.open(&format!("{}/", desk.base));
        let clicks = CountedClicks {
            browser,
            count: std::cell::Cell::new(0),
        };
        clicks.click("a[href='/what-if/skirmish']");
        browser.wait_until("document.querySelector('[data-what-if] .ruling .ruled')");
        clicks
    };
    let clicks = start();
    clicks.click("[data-choose] input");
    browser.write("[data-choose] input", "combat\u{e007}");
    browser.press("\u{e004}");
    browser.wait_until("document.querySelector('[data-grid] input')");
    let cell = "[data-grid] input[name='now combat 1:1 6']";
    clicks.click(cell);
    browser.write(cell, "0/9");
    browser.wait_until(&is_moved);
    assert!(clicks.count.get() <= 4, "{} clicks", clicks.count.get());
    clicks.click("form[data-keep-changes] button");
    browser.wait_until("document.querySelectorAll('[data-take-back]').length === 1");
    clicks.click("[data-part=mine] [data-copy-link]");
    assert!(clicks.count.get() <= 7, "{} clicks", clicks.count.get());
    let before = clicks.count.get();
    clicks.click("[data-take-back]");
    browser.wait_until(&format!(
        "document.querySelectorAll('[data-take-back]').length === 0 && {is_idle}"
    ));
    assert_eq!(clicks.count.get() - before, 1, "taken back");

    // A die modifier under a condition: the rule, the throw, and how much.
    let clicks = start();
    clicks.click("[data-choose] input[name=case]");
    browser.write("[data-choose] input[name=case]", "1.1\u{e007}");
    browser.press("\u{e004}");
    let throw = "input[name='rule 1.1 throw: attack']";
    browser.wait_until(&format!("document.querySelector(\"{throw}\")"));
    clicks.click(throw);
    browser.write(throw, "+1");
    browser.wait_until(&is_moved);
    assert!(
        browser
            .text("[data-part=mine]")
            .contains("the throw for attack counts 1 more"),
        "{}",
        browser.text("[data-part=mine]")
    );
    browser.write(throw, "+1 when given.side == \"Blue\"");
    browser.wait_until(&format!(
        "document.querySelector('[data-part=mine]').innerText.includes('when side is Blue') && document.querySelector('.bench .still') && {is_idle}"
    ));
    // A ladder: the same throw once more.
    clicks.click(&format!(".place:has({throw}) [data-another]"));
    browser.run("const field = document.activeElement; field.value = '+2 when given.side == \"Red\"'; field.dispatchEvent(new Event('input', { bubbles: true }))");
    browser.wait_until(&format!(
        "document.querySelectorAll('.own-rules .new').length === 2 && {is_moved}"
    ));
    for (width, dark) in [(390, true), (768, false), (1280, false)] {
        browser.resize_window(width, dark);
        browser.wait_until(&format!("innerWidth === {width}"));
        assert_accessible(browser, "a rule changed at its places");
        let wide = browser.run("return document.documentElement.scrollWidth");
        assert!(wide.as_u64() <= Some(u64::from(width)), "{width} wide");
    }
    clicks.click("form[data-keep-changes] button");
    browser.wait_until("document.querySelectorAll('[data-take-back]').length === 2");
    let list = desk.read("variants/my-house/variant.yaml");
    assert!(list.matches("throw: attack, add:").count() == 2, "{list}");
    desk.folder.run(&["check"]).expect_success();
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// A house rule as it is clicked at a ruling.
struct ClickedRule {
    /// The page with the battle, and the options of the command line that name the same.
    page: &'static str,
    command: &'static [&'static str],
    /// What the line says, or the number of a rule that no line comes from; the value in it that is clicked, the beginning of the place, and the button; of one with a number that number.
    line: &'static str,
    value: &'static str,
    place: &'static str,
    button: &'static str,
    amount: &'static str,
    /// A part of the word of the condition, and its value; empty for always.
    word: [&'static str; 2],
    /// How the word is compared, if not as it is proposed.
    sign: &'static str,
    /// The rule as the command line has it.
    typed: [&'static str; 2],
    /// What the list of one's own rules says.
    sentence: &'static str,
}

const PORTER: &str = "wbts?at=lee-attacks-porter&on=second-edition&on=dye";
const PORTER_ARGS: &[&str] = &["lee-attacks-porter", "--with", "second-edition,dye"];
const PAMUNKEY: &[&str] = &["lee-crosses-the-pamunkey"];
const MACDOUGALL: &[&str] = &["macdougall-assaults"];

/// A rule without an amount, that always holds.
const ALWAYS: ClickedRule = ClickedRule {
    page: "",
    command: &[],
    line: "",
    value: "",
    place: "",
    button: "",
    amount: "",
    word: ["", ""],
    sign: "",
    typed: ["", ""],
    sentence: "",
};

const CLICKED_RULES: [ClickedRule; 12] = [
    ClickedRule {
        page: PORTER,
        command: PORTER_ARGS,
        line: "Lee rolls",
        value: "3",
        place: "the throw for combat initiative",
        button: "−1",
        word: ["leader.initiative", "3"],
        typed: [
            "--rule",
            "8.3 throw: combat initiative = add -1 when leader.initiative >= 3",
        ],
        sentence: "counts 1 less, when the leader's initiative is at least 3",
        ..ALWAYS
    },
    ClickedRule {
        page: PORTER,
        command: PORTER_ARGS,
        line: "may move it by",
        value: "2",
        place: "rows, of",
        button: "at most",
        amount: "1",
        typed: ["--rule", "26.2 answer: shift, part: rows = at_most 1"],
        sentence: "is at most 1",
        ..ALWAYS
    },
    ClickedRule {
        page: PORTER,
        command: PORTER_ARGS,
        line: "may move it by",
        value: "2",
        place: "rows, of",
        button: "half",
        typed: ["--rule", "26.2 answer: shift, part: rows = half"],
        sentence: "counts 1/2 of it, rounded down",
        ..ALWAYS
    },
    ClickedRule {
        page: PORTER,
        command: PORTER_ARGS,
        line: "the attacker loses",
        value: "10",
        place: "row 4 of the whole chart",
        button: "attacker 0",
        typed: ["--cell", "combat-results * * 4 = 0/="],
        sentence: "attacker 0",
        ..ALWAYS
    },
    ClickedRule {
        page: PORTER,
        command: PORTER_ARGS,
        line: "the attacker loses",
        value: "10",
        place: "the whole chart",
        button: "two columns left",
        typed: ["--cell", "combat-results * * * = 2 left"],
        sentence: "2 columns to the left",
        ..ALWAYS
    },
    ClickedRule {
        page: "wbts?at=lee-crosses-the-pamunkey",
        command: PAMUNKEY,
        line: "points attack 14",
        value: "14",
        place: "the defence:",
        button: "double",
        word: ["between", "river"],
        typed: [
            "--rule",
            "combat-result let: defence = double when between(battle.from[0], battle.target).water == \"river\"",
        ],
        sentence: "when the water between the hex the attack comes from and the hex attacked is river",
        ..ALWAYS
    },
    ClickedRule {
        page: "tmag?at=macdougall-assaults",
        command: MACDOUGALL,
        line: "for support",
        value: "2",
        place: "the support:",
        button: "at most",
        amount: "1",
        typed: ["--rule", "attack-sum let: support = at_most 1"],
        sentence: "the support is at most 1",
        ..ALWAYS
    },
    ClickedRule {
        page: "tmag?at=macdougall-assaults",
        command: MACDOUGALL,
        line: "for support",
        value: "5",
        place: "the leading unit's points:",
        button: "half",
        word: ["lead.spent", ""],
        typed: ["--rule", "attack-sum let: own = half when lead.spent"],
        sentence: "when the leading unit is spent",
        ..ALWAYS
    },
    ClickedRule {
        page: "wbts?at=lee-attacks-porter&off=second-edition&on=hardy&on=dye&seed=2",
        command: &["lee-attacks-porter", "--with", "hardy,dye"],
        line: "Porter rolls",
        value: "6",
        place: "the first:",
        button: "exactly",
        amount: "12",
        word: ["faces[0] == faces[1]", ""],
        sign: "no",
        typed: [
            "--rule",
            "leader-losses let: first = 12 when faces[0] != faces[1]",
        ],
        sentence: "when the dice are no double",
    },
    ClickedRule {
        page: "wbts?at=cavalry-before-infantry",
        command: &["cavalry-before-infantry"],
        line: "15.2",
        place: "Whether a unit may fall back",
        button: "always",
        typed: ["--rule", "15.2 answer: cavalry_may_retreat = yes"],
        sentence: "cavalry may retreat is yes",
        ..ALWAYS
    },
    ClickedRule {
        page: PORTER,
        command: PORTER_ARGS,
        line: "division loses",
        value: "6",
        place: "what is left:",
        button: "exactly",
        amount: "0",
        word: ["unit.kind", "infantry"],
        typed: [
            "--rule",
            "losses let: left = 0 when unit.kind == \"infantry\"",
        ],
        sentence: "what is left is 0, when the unit's kind is infantry",
        ..ALWAYS
    },
    ClickedRule {
        page: "wbts?at=supply-consumption",
        command: &["supply-consumption"],
        line: "must be eaten",
        value: "1",
        place: "Supply points eaten",
        button: "exactly",
        amount: "0",
        word: ["position(\"cycle\"", "3"],
        sign: "is not each … th",
        typed: [
            "--rule",
            "12.12 answer: points_eaten = 0 when position(\"cycle\", track(\"cycle\")) % 3 != 0",
        ],
        sentence: "when the number of the cycle is not each third",
    },
];

/// House rules of the kind that are argued about are made by clicks at the ruling of a battle, and the page says of each what the command
/// line says.
fn a_house_rule_is_clicked_at_the_ruling(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    for rule in CLICKED_RULES {
        let name = rule.typed[1];
        let [line, value, place, button, amount] =
            [rule.line, rule.value, rule.place, rule.button, rule.amount]
                .map(|text| serde_json::json!(text));
        browser.open(&format!("{}/what-if/{}", desk.base, rule.page));
        browser
            .wait_until("document.querySelector('[data-part=now] table, [data-part=now] p.quiet')");
        if rule.value.is_empty() {
            browser.click("[data-choose] input");
            browser.write("[data-choose] input", &format!("{}\u{e007}", rule.line));
        } else {
            browser.run(&format!(
            "const line = [...document.querySelectorAll('.ruled')].find((line) => line.innerText.includes({line}));
            [...line.querySelectorAll('.said:not(.new) a.v')].filter((one) => one.textContent.trim() === {value}).at(-1).click()"
            ));
        }
        browser.wait_until(
            "document.querySelector('[data-part=block] .place, [data-part=change] .place')",
        );
        browser.run(&format!(
            "window.place = [...document.querySelectorAll('.place')].find((one) => one.querySelector('summary').textContent.trim().startsWith({place}) || one.querySelector('summary').textContent.trim() === {place});
            for (let outer = place; outer; outer = outer.parentElement.closest('details')) outer.open = true;
            if ({amount}) place.querySelector('[data-amount]').value = {amount};
            [...place.querySelectorAll('button')].find((one) => one.textContent === {button}).click()"
        ));
        if let [word, here] = rule.word
            && !word.is_empty()
        {
            let [word, sign] = [word, rule.sign].map(|text| serde_json::json!(text));
            browser.run(&format!(
                "const list = place.querySelector('[data-word]'), sign = place.querySelector('[data-sign]'), type = (field, text) => {{ field.value = text; field.dispatchEvent(new Event('input', {{ bubbles: true }})); }};
                type(list, [...list.options].find((one) => one.value.includes({word})).value);
                if ({sign}) type(sign, [...sign.options].find((one) => one.textContent === {sign} && !one.disabled).value);
                if ('{here}') type(place.querySelector('[data-value]'), '{here}')"
            ));
        }
        let sentence = serde_json::json!(rule.sentence);
        browser.wait_until(&format!(
            "document.querySelector('[data-part=mine]').innerText.includes({sentence}) && !document.querySelector('[data-part=now][aria-busy]') && document.querySelector('[data-part=now] :is(.moved, .still)')"
        ));
        browser.wait_until("!document.querySelector('[data-part=now] .more')");
        let said = desk.folder.run(
            &[
                &["what-if"],
                rule.command,
                &rule.typed,
                &["--format", "json"],
            ]
            .concat(),
        );
        let report: serde_json::Value = serde_json::from_str(&said.out).expect("a report");
        // Some procedures have no headline: what moves most is said all the same.
        let entries = report["after"]["entries"].as_array().into_iter().flatten();
        for figure in entries.flat_map(|entry| entry["figures"].as_array().expect("figures")) {
            // Of what never happens there is no mean.
            let Some(value) = figure["value"].as_f64() else {
                continue;
            };
            let text = match &figure["is"] {
                is if is == "chance" => format!("{:.1} %", value * 100.0),
                _ => format!("{value:.2}"),
            };
            let now = browser.text("[data-part=now]");
            assert!(now.contains(&text), "{name}: no {text} in {now}");
        }
        let verdict = report["verdict"] == "differs";
        let has_new = browser.run("return document.querySelectorAll('.ruling .new').length > 0");
        if !name.contains("spent") {
            assert!(verdict && has_new == true, "{name} changes lines");
        }
        assert_accessible(browser, name);
    }
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// Whatever is typed is still there after another sheet is opened, a variant switched or a chart shifted: a link makes one change to what is
/// tried now, not to what was tried when it was drawn.
fn a_link_keeps_what_was_typed(desk: &Desk) {
    let browser = &desk.browser;
    let is_idle = "!document.querySelector('[aria-busy]')";
    browser.resize_window(1280, false);
    browser.open(&format!(
        "{}/what-if/wbts?table=combat-results&sheet=5",
        desk.base
    ));
    browser.wait_until("document.querySelector('[data-grid] input')");
    browser.run("const cell = document.querySelector('input[name=\"now combat-results 5 132-156 3\"]'); cell.value = '10/20*'; cell.dispatchEvent(new Event('input', { bubbles: true }))");
    let is_tried = "[...document.querySelectorAll('[data-part=mine] li')].some((line) => line.innerText.includes('10/20* instead of'))";
    browser.wait_until(&format!("{is_tried} && {is_idle}"));
    for link in [
        "[...document.querySelectorAll('[data-part=change] .sheets a')].find((one) => one.innerText === '6')",
        "document.querySelector('[data-part=official] a.switch')",
        "[...document.querySelectorAll('[data-part=change] a.button')].find((one) => one.innerText.includes('to the right'))",
    ] {
        browser.run(&format!("{link}.click()"));
        browser.wait_until(&format!(
            "document.querySelector('[data-grid] input') && {is_idle}"
        ));
        browser.wait_until(is_tried);
    }
    let changes = browser.run("return document.querySelectorAll('[data-part=mine] li').length");
    assert_eq!(
        changes, 2,
        "the cell and the shift; the switch is below them"
    );
    let switched = browser.run("return /[?&](on|off)=/.test(location.search)");
    assert_eq!(switched, true, "the switch is in the address");
}

/// A rule is changed and kept without a mouse.
fn a_rule_is_changed_by_keyboard(desk: &Desk) {
    let browser = &desk.browser;
    let is_idle = "!document.querySelector('[aria-busy]')";
    let (tab, enter) = ("\u{e004}", "\u{e007}");
    browser.resize_window(1280, false);
    desk.log_in();
    browser.open(&format!("{}/what-if/skirmish", desk.base));
    browser.wait_until("document.querySelector('[data-what-if] .ruling .ruled')");
    let tab_to = |selector: &str| {
        for _ in 0..40 {
            let is_there = browser.run(&format!(
                "return document.activeElement.matches({})",
                serde_json::json!(selector)
            ));
            if is_there == true {
                return;
            }
            browser.press(tab);
        }
        panic!("{selector} is not reached by Tab");
    };
    tab_to("[data-choose] input[name=case]");
    for letter in ["1", ".", "1", enter] {
        browser.press(letter);
    }
    browser.wait_until(&format!(
        "document.querySelector(\"input[name='rule 1.1 throw: attack']\") && {is_idle}"
    ));
    tab_to("input[name='rule 1.1 throw: attack']");
    browser.press("-");
    browser.press("1");
    browser.wait_until(&format!(
        "document.querySelector('[data-part=mine]').innerText.includes('counts 1 less') && {is_idle}"
    ));
    browser.run("document.querySelector('form[data-keep-changes] button').focus()");
    browser.press(enter);
    browser.wait_until("document.querySelector('[data-take-back]')");
}

/// What beginners mistype is said at its line, and one key writes the line as it should be.
fn a_mistake_is_mended_by_a_key(desk: &Desk) {
    let browser = &desk.browser;
    let names = [
        "a comma is missing",
        "= for ==",
        "a semicolon is missing",
        "typographic quotes",
        "was that does not match",
        "a tab in a table",
        "a colon is missing",
    ];
    browser.resize_window(1280, false);
    desk.log_in();
    desk.folder.write(MANIFEST, manifest());
    let picked = mistakes()
        .into_iter()
        .filter(|one| names.contains(&one.name));
    let mut count = 0;
    for mistake in picked {
        count += 1;
        desk.folder.write(mistake.path, &mistake.text);
        browser.open(&format!("{}/edit/file?path={}", desk.base, mistake.path));
        browser.wait_until(
            "document.querySelector('.cm-content') && document.querySelector('[data-complaints] .error [data-mend]')",
        );
        let said = browser.text("[data-complaints]");
        let is_said = said.to_lowercase().contains(&mistake.what.to_lowercase());
        assert!(is_said, "{}: {said}", mistake.name);
        browser.run("document.querySelector('.cm-content').focus(); document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '.', ctrlKey: true, bubbles: true, cancelable: true }))");
        browser.wait_until("!document.querySelector('[data-complaints] .error')");
        browser.click("button[data-save]");
        browser.wait_until("document.querySelector('[data-saved]').innerText === 'saved'");
        std::fs::remove_file(desk.folder.0.join(mistake.path)).expect("it was written");
    }
    assert_eq!(count, names.len());
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

fn the_keyboard_is_enough(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/skirmish/bridge/play", desk.base));
    // From the top: every control is reached, shows the focus, and has a name.
    let reached = browser.run(
        "const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')].filter((e) => e.checkVisibility()); \
         return all.map((e) => { e.focus(); const style = getComputedStyle(e); return [document.activeElement === e, (e.innerText || e.ariaLabel || e.labels?.[0]?.innerText || e.value || '').trim()]; })",
    );
    for fault in reached.as_array().into_iter().flatten() {
        assert!(
            fault[0] == true && fault[1].as_str().is_some_and(|name| !name.is_empty()),
            "{reached:#}"
        );
    }
    // After an answer the next question has the focus.
    browser.write(".own-dice input", "3\u{e007}");
    browser.wait_until("document.activeElement.matches('.waits h2') && document.activeElement.innerText.includes('first to lose')");
}

/// The boxes of what a selector finds: left, top, right, bottom.
fn bounding_boxes(browser: &Browser, selector: &str) -> Vec<[f64; 4]> {
    let hits = browser.run(&format!(
        "return [...document.querySelectorAll({})].map((e) => {{ const box = e.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; }})",
        serde_json::json!(selector)
    ));
    serde_json::from_value(hits).expect("boxes")
}

/// The first two boxes that overlap by more than a pixel.
fn overlapping(boxes: &[[f64; 4]]) -> Option<(usize, usize)> {
    let overlaps = |a: &[f64; 4], b: &[f64; 4]| {
        a[0] + 1.0 < b[2] && b[0] + 1.0 < a[2] && a[1] + 1.0 < b[3] && b[1] + 1.0 < a[3]
    };
    let pairs = (0..boxes.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs
        .into_iter()
        .find(|(a, b)| overlaps(&boxes[*a], &boxes[*b]))
}

fn what_stands_on_a_map_can_be_read(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    for page in [
        "/at/banasik/the-last-turn/play",
        "/at/banasik/where-the-5th-maine-can-go",
        "/at/wbts/lee-attacks-porter/play",
    ] {
        browser.open(&format!("{}{page}", desk.base));
        browser.wait_until("document.querySelector('.map .stack')");
        let strips = bounding_boxes(browser, ".map rect.place");
        assert_eq!(
            overlapping(&strips),
            None,
            "{page}: strips lie on each other: {strips:?}"
        );
        let counters = bounding_boxes(browser, ".map .stack > rect:not(.under)");
        assert_eq!(
            overlapping(&counters),
            None,
            "{page}: counters lie on each other: {counters:?}"
        );
        let labels = bounding_boxes(browser, ".map .names text:not(.lost)");
        assert_eq!(
            overlapping(&labels),
            None,
            "{page}: names lie on each other: {labels:?}"
        );
        let cut = browser.run(
            "return [...document.querySelectorAll('.map .stack > text')].filter((face) => { const inner = face.getBoundingClientRect(), \
             outer = face.parentElement.querySelector('rect:not(.under)').getBoundingClientRect(); return inner.width && (inner.left < outer.left || inner.right > outer.right); }).map((face) => face.textContent)",
        );
        assert_eq!(cut, serde_json::json!([]), "{page}: a face is cut off");
    }
}

/// The map stays as it is while questions are answered: its scale, the names of places, and what has not moved. Taken back, it is drawn as before;
/// what is opened over it, and a window that changes, leave its scale alone.
fn a_map_stays_as_it_is(desk: &Desk) {
    let browser = &desk.browser;
    let drawn = "const svg = document.querySelector('.map svg'), of = (list, at) => Object.fromEntries([...svg.querySelectorAll(list)].map((one) => [(one.dataset.place ?? one.dataset.of) + one.textContent, at(one)])); \
         return [svg.style.getPropertyValue('--s'), of('.of-places [data-of]', (name) => [name.getAttribute('x'), name.getAttribute('y'), name.matches('.lost')]), of('.stack', (stack) => stack.getAttribute('style'))]";
    let settled =
        "!document.querySelector('[aria-busy]') && document.querySelector('.map svg')?.style.width";
    for (width, page) in [
        (1280, "/at/wbts/first-manassas/play"),
        (900, "/at/tmag/first-day/play"),
        (390, "/at/banasik/peach-orchard/play"),
    ] {
        browser.resize_window(width, false);
        browser.open(&format!("{}{page}", desk.base));
        browser.wait_until(settled);
        let first = browser.run(drawn);
        let mut before = first.clone();
        let click = |selector: &str| {
            let address = browser.run("return location.search");
            browser.run(&format!("document.querySelector('{selector}').click()"));
            browser.wait_until(&format!("location.search !== {address} && {settled}"));
        };
        for _ in 0..4 {
            click(".waits .answers a[data-move]");
            let now = browser.run(drawn);
            assert_eq!(before[0], now[0], "{page}: the scale");
            assert_eq!(before[1], now[1], "{page}: the names of places");
            let counters = before[2].as_object().into_iter().flatten();
            let hopped: Vec<_> = counters
                .filter(|(stack, at)| now[2].get(stack.as_str()).is_some_and(|now| now != *at))
                .collect();
            assert!(hopped.is_empty(), "{page}: {hopped:?} are elsewhere");
            before = now;
        }
        for _ in 0..4 {
            click(".back a[data-move]");
        }
        assert_eq!(browser.run(drawn), first, "{page}: taken back");
        let toggle = "const where = document.querySelector('details.where'); where.open = !where.open; dispatchEvent(new Event('resize'))";
        browser.run(toggle);
        browser.run(toggle);
        assert_eq!(browser.run(drawn)[0], first[0], "{page}: the scale, later");
        let seen = browser.run("const frame = document.querySelector('.map').getBoundingClientRect(); return [...document.querySelectorAll('.map .stack')].filter((stack) => { const box = stack.getBoundingClientRect(); return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom; }).length");
        assert!(seen.as_u64() > Some(0), "{page}: no counter is seen");
    }
}

fn pages_are_laid_out_for_every_width(desk: &Desk) {
    let browser = &desk.browser;
    let level = |selector: &str| {
        let boxes = bounding_boxes(browser, selector);
        assert!(!boxes.is_empty(), "{selector}");
        (
            boxes.iter().map(|one| one[1]).fold(f64::MAX, f64::min),
            boxes.iter().map(|one| one[1]).fold(f64::MIN, f64::max),
        )
    };
    for width in [390, 820, 1300] {
        browser.resize_window(width, false);
        let open = |page: &str, expected: &str| {
            browser.open(&format!("{}{page}", desk.base));
            browser.wait_until(&format!(
                "document.querySelector({})",
                serde_json::json!(expected)
            ));
        };
        open("/", ".games");
        let (top, low) = level(".games section:first-child .button");
        assert_eq!(top, low, "{width}: the parts of a game stand in a row");
        // Whoever goes by the keyboard comes to the search before the text, and sees it there.
        open("/book/skirmish/chapter/02-losses", ".case");
        let order = "const all = [...document.querySelectorAll('main a[href], main input, main summary')].filter((e) => e.checkVisibility()); return [all[0].name, all.findIndex((e) => e.name === 'q') < all.findIndex((e) => e.closest('.text'))]";
        assert_eq!(
            browser.run(order),
            serde_json::json!(["q", true]),
            "{width}"
        );
        if width < 960 {
            assert!(
                level("main input[name=q]").0 <= level("main h1").0,
                "{width}: the search stands over the text"
            );
            assert!(
                level(".chapters").0 > level("main h1").0,
                "{width}: the other chapters come after it"
            );
        }
        // Each ruleset that can be ticked stands beside its box, and within the page.
        open("/at/skirmish/bridge/compare", "form.stacks label");
        for (checkbox, label) in bounding_boxes(browser, "form.stacks label input")
            .iter()
            .zip(bounding_boxes(browser, "form.stacks label"))
        {
            assert!(
                checkbox[1] >= label[1]
                    && checkbox[3] <= label[1] + 40.0
                    && label[2] <= f64::from(width),
                "{width}: {checkbox:?} {label:?}"
            );
        }
        browser.wait_until("document.querySelector('.beside.odds')");
        let named = "return [...document.querySelectorAll('.beside.odds tr:has(.bar)')].every((row) => row.querySelector('th').innerText.trim())";
        assert_eq!(
            browser.run(named),
            true,
            "{width}: each bar says whose it is"
        );
        // The parts of a situation stand on one line, and a name of 300 letters stretches no page.
        let (top, low) = level(".tabs a");
        assert_eq!(top, low, "{width}: the tabs");
        for page in ["", "/play"] {
            let long = "x".repeat(300);
            open(
                &format!("/at/skirmish/bridge{page}?piece:{long}=footman&set:{long}:+at=0202"),
                "main",
            );
            browser.run(
                "if (!location.pathname.endsWith('play')) document.querySelectorAll('details').forEach((one) => { one.open = true; })",
            );
            let wide = browser
                .run("return document.documentElement.scrollWidth")
                .as_u64()
                .unwrap_or_default();
            assert!(wide <= u64::from(width), "{width}{page}: {wide} wide");
        }
        open("/what-if/skirmish", "form[data-unpack]");
        browser.click(".authors > summary");
        let (field, frame) = (
            bounding_boxes(browser, "form[data-unpack] input")[0],
            bounding_boxes(browser, "form[data-unpack] fieldset")[0],
        );
        assert!(
            field[2] <= frame[2] && field[3] - field[1] < 60.0,
            "{width}: the field for a file: {field:?} in {frame:?}"
        );
    }
}

fn whoever_changes_something_stays_where_he_is(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/skirmish/bridge?dice=6", desk.base));
    let select = "select[name='choose:Blue: first to lose']";
    browser.wait_until(&format!("document.querySelector(\"{select}\")"));
    browser.run(&format!(
        "const list = document.querySelector(\"{select}\"); list.focus(); list.value = [...list.options].find((o) => !o.selected).value; list.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    ));
    browser
        .wait_until("location.search.includes('choose') && !document.querySelector('[aria-busy]')");
    assert_eq!(
        browser.run(&format!(
            "return document.activeElement.matches(\"{select}\")"
        )),
        true,
        "the list that was changed"
    );
    browser.write("input[name='set:Red foot: strength']", "9");
    browser.wait_until(
        "location.search.includes('strength=9') && !document.querySelector('[aria-busy]')",
    );
    assert_eq!(
        browser.run("return document.activeElement.name"),
        "set:Red foot: strength",
        "the field that was typed in"
    );
}

/// Answers the first option, or what is usual, until something holds; how often it was pressed.
fn press_until(browser: &Browser, holds: &str, max: usize) -> usize {
    let mut clicks = 0;
    loop {
        browser.wait_until(
            "document.querySelector('.waits') && !document.querySelector('[aria-busy]')",
        );
        if browser.run(&format!("return Boolean({holds})")) == true {
            return clicks;
        }
        let before = browser.run("return location.href");
        browser.click(".waits .answers a[data-move]:not([data-end])");
        browser.wait_until(&format!(
            "location.href !== {before} && !document.querySelector('[aria-busy]')"
        ));
        clicks += 1;
        assert!(clicks <= max, "{holds}: not after {clicks} clicks");
    }
}

fn every_destination_is_drawn_and_can_be_clicked(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    for (page, question, least) in [
        (
            "/at/tmag/first-day/play?usual=on&throws=on&do=on",
            "move of",
            40,
        ),
        (
            "/at/wbts/first-manassas/play?usual=on&throws=on&do=on",
            "next move",
            5,
        ),
        (
            "/at/banasik/peach-orchard/play?usual=on&throws=on&do=on",
            "strip for",
            2,
        ),
    ] {
        browser.open(&format!("{}{page}", desk.base));
        press_until(
            browser,
            &format!(
                "(document.querySelector('.waits h2').dataset.question ?? document.querySelector('.waits h2').innerText).includes('{question}')"
            ),
            40,
        );
        let offered = "[...document.querySelectorAll('.answers a')].map((a) => a.innerText.trim())";
        let places =
            "[...document.querySelectorAll('.map [data-place]')].map((one) => one.dataset.place)";
        let missing = browser.run(&format!(
            "const known = new Set({places}); return {offered}.filter((text) => /^[A-Z]\\d{{4}}$/.test(text) && !known.has(text))"
        ));
        assert_eq!(missing, serde_json::json!([]), "{page}: not drawn");
        let open = browser
            .run("return document.querySelectorAll('.map a[data-move] .place.open').length")
            .as_u64()
            .unwrap_or_default();
        let named = browser
            .run(&format!("const known = new Set({places}); return {offered}.filter((text) => known.has(text)).length"))
            .as_u64()
            .unwrap_or_default();
        assert!(
            named >= least && open >= named,
            "{page}: of {named} places {open} are open on the map"
        );
        // Some point of every place can be clicked.
        let covered = browser.run(
            "return [...document.querySelectorAll('.map .place.open')].filter((place) => { place.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }); const box = place.getBoundingClientRect(); \
             return ![0.5, 0.15, 0.85, 0.3, 0.7].some((x) => [0.5, 0.15, 0.85, 0.3, 0.7].some((y) => { \
             const hit = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y); return hit?.closest('a[data-move]')?.contains(place) || hit?.closest('.stack.open'); })); }).map((place) => place.dataset.place)",
        );
        assert_eq!(covered, serde_json::json!([]), "{page}: covered");
        let before = browser.run("return location.search");
        browser.run("document.querySelector('.map a[data-move] .place.open').parentElement.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
        browser.wait_until(&format!(
            "location.search !== {before} && !document.querySelector('[aria-busy]')"
        ));
        assert_eq!(
            browser.console_errors(),
            Vec::<String>::new(),
            "{page}: the console"
        );
    }
}

fn the_map_fills_the_window_and_can_be_read(desk: &Desk) {
    let browser = &desk.browser;
    for (width, dark) in [(1280, false), (1280, true), (390, false)] {
        browser.resize_window(width, dark);
        for page in [
            "/at/wbts/first-manassas/play",
            "/at/tmag/first-day/play",
            "/at/banasik/peach-orchard/play",
        ] {
            browser.open(&format!("{}{page}", desk.base));
            browser.wait_until("document.querySelector('.map svg')?.style.width");
            assert_accessible(browser, &format!("{page}, {width} wide"));
            let small = browser.run(
                "return [...document.querySelectorAll('.map text')].filter((text) => getComputedStyle(text).visibility !== 'hidden') \
                 .map((text) => [parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a, text.className.baseVal, text.textContent]).filter(([size]) => size < 11).slice(0, 5)",
            );
            assert_eq!(
                small,
                serde_json::json!([]),
                "{page}, {width} wide: words too small to be read"
            );
            let wide = browser
                .run("return document.documentElement.scrollWidth")
                .as_u64()
                .unwrap_or_default();
            assert!(wide <= u64::from(width), "{page}: {wide} wide");
            if width == 1280 {
                let part = browser.run("const box = document.querySelector('.map').getBoundingClientRect(); return box.width * Math.min(box.height, innerHeight - box.top) / innerWidth / innerHeight");
                assert!(
                    part.as_f64() > Some(0.6),
                    "{page}: the map takes {part} of the window"
                );
            }
        }
    }
}

fn a_game_turn_takes_few_clicks(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    // The turns of the first day, both sides together: from the first to the third.
    browser.open(&format!(
        "{}/at/tmag/first-day/play?usual=on&throws=on&do=on",
        desk.base
    ));
    for next in ["1000 1 July", "1400 1 July"] {
        let clicks = press_until(
            browser,
            &format!("document.querySelector('.tracks')?.innerText.includes('{next}')"),
            40,
        );
        eprintln!("the first day, until {next}: {clicks} clicks");
    }
    browser.open(&format!(
        "{}/at/wbts/first-manassas/play?usual=on&throws=on&do=on",
        desk.base
    ));
    let clicks = press_until(
        browser,
        "document.querySelector('.tracks')?.innerText.includes('Game-Turn 2')",
        20,
    );
    eprintln!("a game turn of First Manassas: {clicks} clicks");
    // What was answered by itself can be reopened.
    browser.click(".entries .usual summary");
    browser.click(".entries .usual li a");
    browser
        .wait_until("document.querySelector('.routine') && !document.querySelector('[aria-busy]')");
    assert_accessible(browser, "a question of routine");
    // A style of the game plays the other side.
    browser.open(&format!(
        "{}/at/wbts/first-manassas/play?usual=on&throws=on&policy:Confederate=bold&do=on",
        desk.base
    ));
    browser.wait_until("document.querySelector('.turn-of')?.innerText === 'Union' && location.search.includes('p')");
    assert!(
        browser.text(".log").contains("(bold)"),
        "the log says who answered"
    );
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// The odds of a battle stand where somebody points at the answer that begins it; the other side's turn is walked through by keys.
fn an_answer_is_pointed_at_and_a_turn_walked_through(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    let folder = campaign();
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "//! readings:\n",
        "//! headline: { losses: [mean attacker losses, mean defender losses] }\n//! good_for: { defender losses: side }\n//! readings:\n",
    );
    let served = Served::start(&folder.0);
    browser.open(&format!(
        "{}/at/skirmish/bridge/play?policy:Blue=first&throws=on&do=on",
        served.base
    ));
    browser.wait_until("document.querySelector('.waits .answers a[data-move]')");
    // By the pointer, and by the keyboard.
    let answer =
        "[...document.querySelectorAll('.waits .answers a')].find((a) => a.innerText === 'attack')";
    for point in [
        format!("{answer}.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }}))"),
        format!(
            "document.body.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }})); {answer}.focus()"
        ),
    ] {
        browser.run(&point);
        browser
            .wait_until("document.querySelector('[data-prospects]').innerText.includes('osses')");
    }
    assert_accessible(browser, "the odds of an answer");
    browser.run("[...document.querySelectorAll('.waits .answers a')].find((a) => a.innerText === 'wait').dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))");
    browser.wait_until("!document.querySelector('[data-prospects]').innerText");
    // The turn of the other side.
    let before = browser.run("return location.href");
    browser.run(&format!("{answer}.click()"));
    browser.wait_until(&format!(
        "location.href !== {before} && !document.querySelector('[aria-busy]')"
    ));
    press_until(
        browser,
        "document.querySelector('[data-walk]') && [...document.querySelectorAll('.report > ol > li')].filter((li) => !li.innerText.includes(' lost in ')).length > 1",
        30,
    );
    browser.click("[data-walk]");
    browser.wait_until("document.querySelector('.walking .step b')?.innerText.startsWith('1 of ')");
    assert_accessible(browser, "a step of a turn");
    let steps = browser.text(".step b");
    let steps: usize = steps
        .rsplit(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a number");
    assert!(steps > 1, "{steps}");
    for step in 2..=steps {
        browser.press("\u{e014}");
        browser.wait_until(&format!(
            "document.querySelector('.step b').innerText.startsWith('{step} of ')"
        ));
    }
    browser.press("\u{e012}");
    browser.wait_until(&format!(
        "document.querySelector('.step b').innerText.startsWith('{} of ')",
        steps - 1
    ));
    browser.press("\u{e00c}");
    browser.wait_until("!document.querySelector('.walking') && !document.querySelector('.step')");
    // It is walked through after each turn where that is ticked.
    browser.click("[data-pace]");
    browser.run("document.querySelector('.report').remove()");
    press_until(browser, "document.querySelector('[data-walk]')", 30);
    browser.wait_until("document.querySelector('.walking .step')");
    browser.press("\u{e00c}");
    browser.wait_until("!document.querySelector('.walking')");
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// What lies over the map can be read and takes its clicks alone; on a telephone the newest event stands above the options; while odds are
/// counted, that is said; and no note beside an option is cut off.
fn panels_over_the_map_are_read_and_clicked_alone(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    let settled = "document.querySelector('.waits') && !document.querySelector('[aria-busy]')";
    let asks = "/at/wbts/first-manassas/play?usual=on&throws=on&moves=_u0_r_r_u0_u0_u0_u0";
    browser.open(&format!(
        "{}{asks}&asks=where+it+can+go&of=J.+Johnston",
        desk.base
    ));
    browser.wait_until(settled);
    let see_through = browser.run(
        "return [...document.querySelectorAll('div.under > .company, div.under > .seen, .verdict')].filter((panel) => /rgba|\\//.test(getComputedStyle(panel).backgroundColor)).map((panel) => panel.className)",
    );
    assert_eq!(see_through, json!([]), "panels that show the map");
    let through = browser.run(
        "const panel = document.querySelector('div.under').getBoundingClientRect(), hits = []; \
        for (let x = panel.left + 4; x < panel.right - 4; x += 12) for (let y = panel.top + 4; y < panel.bottom - 4; y += 12) if (document.elementFromPoint(x, y).closest('.map')) hits.push([x, y]); return hits.slice(0, 3)",
    );
    assert_eq!(
        through,
        json!([]),
        "points of the panel where the map is clicked"
    );
    // The second of two quick clicks does not reach the map.
    let before = browser.run("return location.href");
    browser.run("document.querySelector('.map a[data-move], .map a[data-look]').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }))");
    assert_eq!(browser.run("return location.href"), before);
    assert_eq!(
        browser.run("return document.querySelectorAll('[aria-busy]').length"),
        0
    );
    // Notes that tell options apart are shown whole.
    browser.open(&format!(
        "{}/at/tmag/first-day/play?usual=on&throws=on&do=on",
        desk.base
    ));
    browser.wait_until(settled);
    let cut = browser.run("const notes = [...document.querySelectorAll('.answers .quiet')]; return [notes.length > 0, notes.filter((note) => note.scrollHeight > note.clientHeight + 1).map((note) => note.innerText)]");
    assert_eq!(cut, json!([true, []]), "notes that are cut off");
    // A count that takes a moment says so, and what it says at last stands there alone.
    browser.run("stakes.clear(); window.waiting = []; const real = fetch; window.fetch = (address, ...rest) => String(address).includes('part=stake') ? new Promise((done) => waiting.push(() => done(new Response('<span class=\"stake\">assault: as good as won</span>')))) : real(address, ...rest); \
        document.querySelector('.waits .answers a').dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))");
    let prospects = "document.querySelector('[data-prospects]').innerText";
    browser.wait_until(&format!("{prospects}.includes('Counting')"));
    browser.run("for (const answer of waiting) answer()");
    browser.wait_until(&format!("{prospects}.trim() === 'assault: as good as won'"));
    // On a telephone.
    browser.resize_window(390, false);
    browser.open(&format!(
        "{}/at/tmag/first-day/play?policy:USA=careful&usual=on&throws=on&do=on",
        desk.base
    ));
    press_until(browser, "document.querySelector('.newest')", 12);
    let stands = browser.run(
        "const box = (selector) => document.querySelector(selector).getBoundingClientRect(), newest = box('.newest'); \
        return newest.height > 0 && newest.bottom <= innerHeight && newest.top >= box('.beside-map').top && newest.bottom <= box('.waits .answers').top",
    );
    assert_eq!(stands, true, "the newest event is seen above the options");
}

/// Taking back undoes one click, whatever it was, with all that came of it. A style goes on playing its side after each of them, and the chit
/// that it has laid face down is on no page before the other side has laid its own.
fn one_click_is_taken_back(desk: &Desk) {
    let browser = &desk.browser;
    browser.resize_window(1280, false);
    let wait_for = |question: &str| {
        browser.wait_until(&format!(
            "(document.querySelector('.waits h2')?.dataset.question ?? document.querySelector('.waits h2')?.innerText)?.includes('{question}') && !document.querySelector('[aria-busy]')"
        ));
    };
    let moves = || {
        browser
            .run("return new URL(location.href).searchParams.get('moves') ?? ''")
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    let take_back = || browser.click(".back a");
    let table = format!(
        "{}/at/wbts/lee-attacks-porter/play?seed=3&policy:Confederate=bold",
        desk.base
    );
    browser.open(&format!("{table}&do=on"));
    wait_for("combat initiative");

    // After an own throw.
    browser.write(".own-dice input", "1\u{e007}");
    wait_for("defence leader");
    assert_eq!(moves(), "1");
    take_back();
    wait_for("combat initiative");
    assert_eq!(moves(), "");
    browser.write(".own-dice input", "1\u{e007}");
    wait_for("defence leader");

    // After “Do the usual”: the style has laid its chit, which is not shown.
    browser.click(".routine a");
    wait_for("intensity");
    let usual = moves();
    assert!(
        usual.starts_with("1-u0_p"),
        "the style went on by itself: {usual}"
    );
    let page = browser.text("body");
    assert!(
        page.contains("intensity: hidden") && !page.contains("Which chit do you lay? 4"),
        "{page}"
    );
    take_back();
    wait_for("defence leader");
    assert_eq!(moves(), "1");
    browser.click(".routine a");
    wait_for("intensity");
    browser.click(".answers li:first-child a");
    wait_for("combat supply");
    let laid = moves();
    assert_eq!(
        laid,
        format!("{usual}0-c0"),
        "what the style answered stands in the address when both have"
    );
    assert!(
        browser.text("body").contains("Which chit do you lay? 4"),
        "both lie open now"
    );

    // After “Throw on”: the style chooses between the throws, and is not asked of the other side.
    browser.click(".answers a[href*='do=throws']");
    browser.wait_until("/^Union/.test(document.querySelector('.waits h2')?.innerText) && !document.querySelector('[aria-busy]')");
    let thrown = moves();
    let last_click = thrown.strip_prefix(&format!("{laid}-")).unwrap_or_default();
    assert!(
        last_click.starts_with("r_p") && !last_click.contains('-'),
        "{thrown}"
    );
    for (question, before) in [
        ("combat supply", &*laid),
        ("intensity", &*usual),
        ("defence leader", "1"),
        ("combat initiative", ""),
    ] {
        take_back();
        wait_for(question);
        assert_eq!(moves(), before);
    }

    // With dice thrown by themselves, the button doesn't stop at the style's throws.
    browser.open(&format!("{table}&throws=on&do=on"));
    wait_for("defence leader");
    browser.click(".routine a");
    wait_for("intensity");
    browser.click(".answers li:first-child a");
    browser.wait_until("/^Union/.test(document.querySelector('.waits h2')?.innerText) && !document.querySelector('.own-dice') && !document.querySelector('[aria-busy]')");
    take_back();
    wait_for("intensity");
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// A long count shows its progress; stopped, it keeps the counted part and samples the rest.
fn a_long_count_is_watched_and_stopped(desk: &Desk) {
    let browser = &desk.browser;
    let stop = "const button = document.querySelector('.counting button'); button?.click(); return Boolean(button)";
    // It takes minutes, so that it can't end before it is stopped.
    browser.open(&format!("{}/at/banasik/brigade-assault", desk.base));
    browser.wait_until("document.querySelector('[data-part=odds] [data-more]')");
    // The last and longest of the page's counts.
    browser.run("ask(document.querySelector('[data-part=odds]'), partOf(location.pathname, 'odds') + '&look=2', true)");
    browser.wait_until(
        "/: [1-9]/.test(document.querySelector('[data-part=odds] .counting span')?.innerText)",
    );
    assert_eq!(browser.run(stop), true);
    let start = std::time::Instant::now();
    browser.wait_until("!document.querySelector('.counting') && !document.querySelector('[data-part=odds] [data-more]')");
    assert!(start.elapsed().as_secs() < 10, "it ends soon after");
    let odds = browser.text("[data-part=odds]");
    assert!(
        odds.contains("because it was stopped") && odds.contains("a sample of"),
        "what was counted, and a sample of the rest: {odds}"
    );
    assert_accessible(browser, "a stopped count");

    // The page of a sweep goes on counting in the same way.
    let figure = "document.querySelector('#figures option').value";
    browser.open(&format!("{}/at/banasik/regiment-assault/over", desk.base));
    let figure = browser.run(&format!("return encodeURIComponent({figure})"));
    browser.open(&format!(
        "{}/at/banasik/regiment-assault/over?figure={}",
        desk.base,
        figure.as_str().unwrap_or_default()
    ));
    browser.wait_until(&format!("(() => {{ {stop} }})()"));
    browser.wait_until("!document.querySelector('.counting') && !document.querySelector('[data-part=swept] [data-more]')");
    assert!(
        browser
            .run("return document.querySelectorAll('[data-part=swept] > *').length")
            .as_u64()
            > Some(0)
    );
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}
