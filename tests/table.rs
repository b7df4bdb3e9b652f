//! The three games at the table, in a real Chromium: places and attacks are clicked on the map, a place that is not open says why, and games
//! are clicked on.

use crate::common::browser::Browser;
use crate::common::server::Served;
use crate::common::{Folder, Says};
use serde_json::{Value, json};

/// The tests, by name.
pub const TESTS: &[(&str, fn())] = &[
    (
        "whole_games_are_clicked_with_every_destination_open_on_the_map",
        whole_games_are_clicked_with_every_destination_open_on_the_map,
    ),
    (
        "a_place_that_is_not_open_says_why",
        a_place_that_is_not_open_says_why,
    ),
    (
        "attacks_are_clicked_on_the_map",
        attacks_are_clicked_on_the_map,
    ),
    (
        "a_turn_of_each_game_is_played_by_keyboard",
        a_turn_of_each_game_is_played_by_keyboard,
    ),
    (
        "the_map_is_zoomed_by_wheel_and_fingers_and_moved_by_one",
        the_map_is_zoomed_by_wheel_and_fingers_and_moved_by_one,
    ),
];

/// The games that are played, with routine and throws answered unasked.
const GAMES: [&str; 4] = [
    "/at/wbts/first-manassas/play?usual=on&throws=on&do=on",
    "/at/tmag/first-day/play?usual=on&throws=on&do=on",
    "/at/banasik/peach-orchard/play?usual=on&throws=on&do=on",
    "/at/wbts/set-up-of-the-campaign/play?usual=on&throws=on&do=on",
];
/// Clicks in each game of the suite; `CASEBOOK_WHOLE_GAMES` plays them to their end.
const CLICKS: usize = 12;

/// Lists places that the pending question offers and that are not drawn, not marked, or covered at every point.
const LOST_PLACES: &str = "const drawn = new Map([...document.querySelectorAll('.map [data-place]')].filter((one) => one.matches('.place, .place-side')).map((one) => [one.dataset.place, one])); \
    const offered = [...document.querySelectorAll('.answers a')].map((a) => a.innerText.trim()); \
    const isPlace = (text) => drawn.has(text) || /^[A-Z]\\d{4}(\\/[A-Z]\\d{4})?$/.test(text); \
    const takes = (place) => { const box = place.getBoundingClientRect(); const part = [0.5, 0.15, 0.85, 0.3, 0.7, 0.05, 0.95]; \
        return part.some((x) => part.some((y) => { const hit = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y); \
        const link = hit?.closest('a[data-move]'); return link?.contains(place) || (hit?.closest('.stack') && link); })); }; \
    return offered.filter(isPlace).filter((text) => { const place = drawn.get(text); return !place || !place.classList.contains('open') || !takes(place); })";

fn settle(browser: &Browser) {
    browser.wait_until(
        "document.querySelector('.waits') && !document.querySelector('[aria-busy]') && document.querySelector('.map svg')?.style.width",
    );
}

/// Opens a game and answers the first option until something holds.
fn press_until(browser: &Browser, holds: &str, max: usize) {
    for _ in 0..max {
        settle(browser);
        if browser.run(&format!("return Boolean({holds})")) == true {
            return;
        }
        let before = browser.run("return location.href");
        browser.click(".waits .answers a[data-move]:not([data-end])");
        browser.wait_until(&format!(
            "location.href !== {before} && !document.querySelector('[aria-busy]')"
        ));
    }
    panic!("{holds}: not after {max} clicks");
}

fn whole_games_are_clicked_with_every_destination_open_on_the_map() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    browser.resize_window(1280, false);
    let whole_game = std::env::var("CASEBOOK_WHOLE_GAMES").is_ok();
    for game in GAMES {
        browser.open(&format!("{}{game}", served.base));
        let (mut clicks, mut on_map, mut words) = (0, 0, 0);
        loop {
            settle(&browser);
            let open = browser
                .run("return document.querySelectorAll('.waits .answers a[data-move]').length")
                .as_u64()
                .unwrap_or_default();
            if open == 0 || (!whole_game && clicks >= CLICKS) {
                break;
            }
            assert_eq!(
                browser.run(LOST_PLACES),
                json!([]),
                "{game}: {}",
                browser.run("return location.href")
            );
            words += browser.run("return [...document.querySelectorAll('.map text')].filter((text) => getComputedStyle(text).visibility !== 'hidden' && parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a < 11).length").as_u64().unwrap_or(1);
            let before = browser.run("return location.href");
            // Now and then a place on the map, then the second answer, otherwise the first.
            let place = clicks % 3 == 1 && browser.run("const open = document.querySelector('.map a[data-move]:has(> .place.open)'); open?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })); return Boolean(open)") == true;
            if !place {
                let second = clicks % 4 == 3 && open > 1;
                browser.click(if second {
                    ".waits .answers li:nth-child(2) a[data-move]"
                } else {
                    ".waits .answers a[data-move]:not([data-end])"
                });
            }
            on_map += usize::from(place);
            browser.wait_until(&format!(
                "location.href !== {before} && !document.querySelector('[aria-busy]')"
            ));
            clicks += 1;
            assert!(clicks < 900, "{game} ends");
        }
        eprintln!(
            "{game}: {clicks} clicks, {on_map} of them on the map; {}",
            browser.text(".waits h2")
        );
        assert_eq!(words, 0, "{game}: words too small to be read");
        assert!(
            !whole_game || game.contains("campaign") || browser.text(".waits h2").contains("won"),
            "{game}: {}",
            browser.text(".waits")
        );
        assert_eq!(
            browser.console_errors(),
            Vec::<String>::new(),
            "{game}: the console"
        );
    }
}

fn a_place_that_is_not_open_says_why() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    browser.resize_window(1280, false);
    for (page, question) in [
        (GAMES[0], "next move of"),
        (GAMES[1], "move of"),
        (GAMES[2], "strip for"),
    ] {
        browser.open(&format!("{}{page}", served.base));
        press_until(
            &browser,
            &format!(
                "(document.querySelector('.waits h2').dataset.question ?? document.querySelector('.waits h2').innerText).includes('{question}')"
            ),
            40,
        );
        let closed = "[...document.querySelectorAll('.map .place:not(.open)')].filter((place) => !place.closest('a') && place.getBoundingClientRect().width)";
        // The pointer rests on it.
        let place = browser.run(&format!("const place = {closed}.at(-1); place.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }})); return place.dataset.place"));
        let place = place.as_str().expect("a place is not open").to_string();
        let label_of = |place: &str| {
            format!(
                "document.querySelector('.verdict').innerText.includes({} + ' is not open.') && document.querySelector('.verdict .cite')",
                json!(place)
            )
        };
        browser.wait_until(&label_of(&place));
        // It is clicked.
        let before = browser.run("return location.search");
        let other_place = browser.run(&format!("const place = {closed}[0]; place.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true }})); return place.dataset.place"));
        let other_place = other_place.as_str().unwrap_or_default().to_string();
        browser.wait_until(&format!(
            "location.search !== {before} && {}",
            label_of(&other_place)
        ));
        // It is asked for by the keyboard, and the address alone says it.
        browser.write(".why-not input[name=to]", &format!("{place}\u{e007}"));
        browser.wait_until(&label_of(&place));
        let shared = browser.run("return location.href");
        browser.open(shared.as_str().unwrap_or_default());
        browser.wait_until(&label_of(&place));
        eprintln!("{page}: {}", browser.text(".verdict"));
        assert_eq!(
            browser.console_errors(),
            Vec::<String>::new(),
            "{page}: the console"
        );
    }
}

/// Clicks what lies at the middle of a part of the map, whatever lies over it.
fn click_part(browser: &Browser, find: &str) -> Value {
    let before = browser.run("return location.href");
    let hits = browser.run(&format!(
        "const part = {find}; part?.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true }})); return Boolean(part)"
    ));
    assert_eq!(hits, true, "{find}");
    browser.wait_until(&format!(
        "location.href !== {before} && !document.querySelector('[aria-busy]')"
    ));
    before
}

fn attacks_are_clicked_on_the_map() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    browser.resize_window(1280, false);
    // The attacker's piece, then the defender's hex.
    browser.open(&format!("{}{}", served.base, GAMES[0]));
    press_until(
        &browser,
        "(document.querySelector('.waits h2').dataset.question ?? document.querySelector('.waits h2').innerText).includes('next attack')",
        40,
    );
    let option = browser.run(
        "return [...document.querySelectorAll('.answers a')].map((a) => a.innerText.trim()).find((text) => text.includes(' against '))",
    );
    let option = option.as_str().expect("an attack is offered").to_string();
    let (attacker, hex) = option.split_once(" against ").expect("it names both");
    let (attacker, hex) = (json!(attacker), json!(hex));
    click_part(
        &browser,
        &format!(
            "[...document.querySelectorAll('.map a[data-look] .stack.open')].find((stack) => stack.querySelector('title').textContent.includes({attacker}))"
        ),
    );
    browser.wait_until(&format!(
        "document.querySelector('.verdict').innerText.includes({attacker})"
    ));
    click_part(
        &browser,
        &format!(
            "[...document.querySelectorAll('.map a[data-move] [data-place]')].find((place) => place.dataset.place === {hex})"
        ),
    );
    browser.text(".entries").holds(&option);
    // Areas that are fired at and assaulted.
    browser.open(&format!(
        "{}/at/tmag/second-day/play?usual=on&throws=on&do=on",
        served.base
    ));
    press_until(
        &browser,
        "/(bombardment|volley) at|assault in/.test((document.querySelector('.waits h2').dataset.question ?? document.querySelector('.waits h2').innerText))",
        80,
    );
    let question = browser.text(".waits h2");
    let area = browser.run("return document.querySelector('.map a[data-move] .place.open, .map a[data-move] .stack')?.dataset.place");
    click_part(
        &browser,
        "document.querySelector('.map a[data-move] .place.open, .map a[data-move] .stack')",
    );
    assert!(
        browser
            .text(".entries")
            .contains(area.as_str().unwrap_or("nowhere")),
        "{question}: {area}"
    );
    // An enemy unit is the target.
    browser.open(&format!(
        "{}/at/banasik/peach-orchard/play?usual=on&throws=on&do=on",
        served.base
    ));
    press_until(
        &browser,
        "(document.querySelector('.waits h2').dataset.question ?? document.querySelector('.waits h2').innerText).includes('target of')",
        160,
    );
    let target = browser.run("return document.querySelector('.answers a').innerText.trim()");
    click_part(
        &browser,
        &format!(
            "[...document.querySelectorAll('.map a[data-move] .stack.open')].find((stack) => stack.querySelector('title').textContent.includes({target}))"
        ),
    );
    assert!(
        browser
            .text(".entries")
            .contains(target.as_str().unwrap_or("nobody")),
        "{target}"
    );
    assert_eq!(
        browser.console_errors(),
        Vec::<String>::new(),
        "the console"
    );
}

/// From link to link with the tabulator, answered with Enter, until the turn is over.
fn a_turn_of_each_game_is_played_by_keyboard() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    browser.resize_window(1280, false);
    let turns = [
        (GAMES[0], "Game-Turn 2"),
        (GAMES[1], "impulse 1"),
        (GAMES[2], "battle turn 2"),
    ];
    for (page, next_turn) in turns {
        browser.open(&format!("{}{page}", served.base));
        settle(&browser);
        let mut answers = 0;
        while browser.run(&format!(
            "return document.querySelector('.tracks').textContent.includes('{next_turn}')"
        )) != true
        {
            let before = browser.run("return location.href");
            // The first answers do something, where that can be done: the turn is not just ended.
            let (any, does) = (
                ".waits .answers a[data-move]",
                ".waits .answers a[data-move]:not([data-end])",
            );
            let can_do = browser.run(&format!("return !!document.querySelector('{does}')")) == true;
            let answer = if answers < 3 && can_do { does } else { any };
            let mut presses = 0;
            while browser.run(&format!(
                "return document.activeElement.matches('{answer}')"
            )) != true
            {
                browser.press("\u{e004}");
                presses += 1;
                assert!(
                    presses < 300 && (answers == 0 || presses < 80),
                    "{page}: the answers are not reached by the tabulator"
                );
            }
            browser.press("\u{e007}");
            browser.wait_until(&format!(
                "location.href !== {before} && !document.querySelector('[aria-busy]')"
            ));
            answers += 1;
            assert!(answers < 80, "{page}: the turn ends");
        }
        eprintln!("{page}: a turn of {answers} answers by keyboard");
        assert!(answers > 3, "{page}: {answers} answers");
        assert_eq!(
            browser.console_errors(),
            Vec::<String>::new(),
            "{page}: the console"
        );
    }
}

fn the_map_is_zoomed_by_wheel_and_fingers_and_moved_by_one() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    for (width, page) in [(1280, GAMES[0]), (390, GAMES[1]), (390, GAMES[2])] {
        browser.resize_window(width, false);
        browser.open(&format!("{}{page}", served.base));
        settle(&browser);
        let map_width = || {
            browser
                .run("return parseFloat(document.querySelector('.map svg').style.width)")
                .as_f64()
                .unwrap_or_default()
        };
        let fit = map_width();
        browser.run("const map = document.querySelector('.map'), box = map.getBoundingClientRect(); map.dispatchEvent(new WheelEvent('wheel', { deltaY: -500, clientX: box.left + 100, clientY: box.top + 100, bubbles: true, cancelable: true }))");
        let wheeled = map_width();
        assert!(wheeled > fit * 1.5, "{page}: {fit} {wheeled} by the wheel");
        let finger = |kind: &str, id: u32, x: u32, y: u32| {
            format!(
                "map.dispatchEvent(new PointerEvent('{kind}', {{ pointerId: {id}, isPrimary: {}, pointerType: 'touch', button: 0, clientX: box.left + {x}, clientY: box.top + {y}, bubbles: true }}));",
                id == 1
            )
        };
        let moves = [
            finger("pointerdown", 1, 150, 150),
            finger("pointerdown", 2, 180, 150),
            finger("pointermove", 2, 240, 150),
            finger("pointerup", 2, 240, 150),
            finger("pointerup", 1, 150, 150),
        ];
        browser.run(&format!(
            "const map = document.querySelector('.map'), box = map.getBoundingClientRect(); {}",
            moves.concat()
        ));
        assert!(
            map_width() > wheeled * 1.5,
            "{page}: {wheeled} {} by two fingers",
            map_width()
        );
        let at = || {
            browser.run("const map = document.querySelector('.map'); return map.scrollLeft + map.scrollTop").as_f64().unwrap_or_default()
        };
        let before = at();
        let moves = [
            finger("pointerdown", 1, 150, 150),
            finger("pointermove", 1, 110, 120),
            finger("pointermove", 1, 90, 90),
            finger("pointerup", 1, 90, 90),
        ];
        browser.run(&format!(
            "const map = document.querySelector('.map'), box = map.getBoundingClientRect(); {}",
            moves.concat()
        ));
        assert!(
            at() > before + 20.0,
            "{page}: from {before} to {} by one finger",
            at()
        );
        browser.click("[data-zoom='0']");
        assert!((map_width() - fit).abs() < 2.0, "{page}: fitted again");
    }
}
