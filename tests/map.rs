//! The maps of the shipped games in a real Chromium, at three widths: no name lies on a counter or on another name, and what stands on counters
//! can be read.

use crate::common::browser::Browser;
use crate::common::server::Served;
use crate::common::{Folder, Says};
use serde_json::json;

/// The tests, by name.
pub const TESTS: &[(&str, fn())] = &[
    (
        "names_cover_no_counter_and_no_other_name",
        names_cover_no_counter_and_no_other_name,
    ),
    ("a_stack_is_fanned_out", a_stack_is_fanned_out),
    (
        "the_whole_map_is_shown_small_where_a_part_is_seen",
        the_whole_map_is_shown_small_where_a_part_is_seen,
    ),
];

/// Lists names that lie on a counter or on another name. The names of places lie under the counters, which may come to stand on any place.
const OVERLAPS: &str = "const boxes = (selector, by) => [...document.querySelectorAll(selector)].filter((one) => getComputedStyle(one).visibility !== 'hidden').map((one) => { const box = one.getBoundingClientRect(); return [one.textContent, box.left + by, box.top + by, box.right - by, box.bottom - by, Boolean(one.closest('.of-places, #land'))]; }); \
    const names = boxes('.map .names text:not(.asked), .map .area-name, .map .drawn text, .map .scale text, .map .compass text', 1.5), counters = boxes('.map .stack > rect:not(.under)', 0.5); \
    const meet = (a, b) => a[1] < b[3] && b[1] < a[3] && a[2] < b[4] && b[2] < a[4]; \
    return [names.length, names.flatMap((name, n) => [...counters.filter((counter) => !name[5] && meet(name, counter)).map(() => `${name[0]} on a counter`), ...names.slice(0, n).filter((other) => meet(name, other)).map((other) => `${name[0]} on ${other[0]}`)])]";

/// Lists figures on counters that are smaller than eleven pixels.
const SMALL: &str = "return [...document.querySelectorAll('.map .stack text')].filter((text) => text.checkVisibility()).map((text) => [parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a, text.textContent]).filter(([size]) => size < 11)";

/// Whole games, of which every name and counter is looked at.
const GAMES: [&str; 6] = [
    "wbts/first-manassas",
    "wbts/set-up-of-the-campaign",
    "tmag/first-day",
    "tmag/three-days",
    "banasik/peach-orchard",
    "banasik/fleetwood-hill",
];

/// Returns the addresses of the situations that are looked at: games, and of the others some; `CASEBOOK_WHOLE_GAMES` looks at all.
fn pages() -> Vec<String> {
    let library = casebook::built_in();
    let nth = if std::env::var("CASEBOOK_WHOLE_GAMES").is_ok() {
        1
    } else {
        25
    };
    let situations = library.games.keys().flat_map(|game| {
        let names = library.scenarios(game).into_iter();
        names.map(move |(name, _)| format!("{game}/{name}"))
    });
    let some = situations.step_by(nth);
    some.chain(GAMES.map(String::from))
        .map(|name| format!("/at/{name}/play"))
        .collect()
}

fn wait_for_map(browser: &Browser) {
    browser
        .wait_until("document.readyState === 'complete' && !document.querySelector('[aria-busy]')");
}

fn names_cover_no_counter_and_no_other_name() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    let (mut maps, mut names) = (0, 0);
    for page in pages() {
        browser.resize_window(1280, false);
        browser.open(&format!("{}{page}", served.base));
        wait_for_map(&browser);
        for width in [1280, 900, 390] {
            browser.resize_window(width, false);
            browser.run("dispatchEvent(new Event('resize'))");
            let found = browser.run(OVERLAPS);
            assert_eq!(found[1], json!([]), "{page}, {width} wide");
            assert_eq!(browser.run(SMALL), json!([]), "{page}, {width} wide");
            names += found[0].as_u64().unwrap_or_default();
            maps += 1;
        }
    }
    eprintln!("{maps} maps with {names} names");
    assert!(maps > 40 && names > maps, "{maps} maps, {names} names");
}

fn a_stack_is_fanned_out() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/wbts/first-manassas/play", served.base));
    wait_for_map(&browser);
    let stack = "const stack = [...document.querySelectorAll('.map .stack[data-fan]')].find((stack) => stack.querySelector('title').textContent.includes('Tyler'));";
    let told = browser.run(&format!(
        "{stack} stack.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }})); return [stack.querySelector('.count').textContent, stack.querySelector('.pill text').textContent]"
    ));
    browser.wait_until("document.querySelectorAll('.fan a').length > 4");
    let rows = browser.run("return document.querySelectorAll('.fan a').length");
    assert_eq!(
        told[0],
        json!(rows.to_string()),
        "the number of pieces: {told}"
    );
    let sum = browser.run("return [...document.querySelectorAll('.fan text')].map((text) => text.textContent).filter((text) => /^\\(?\\d+\\)?-\\d+$/.test(text)).reduce((sum, text) => sum + parseInt(text.replace('(', '')), 0)");
    assert!(
        sum.as_i64() >= told[1].as_str().and_then(|total| total.parse().ok()),
        "what they add up to, and a leader's ratings: {sum} {told}"
    );
    // A piece of it is selected by a click, and the fan is folded up.
    browser.run("[...document.querySelectorAll('.fan a')].find((row) => row.innerText.includes('McDowell')).click()");
    browser.wait_until("location.search.includes('of=McDowell') && !document.querySelector('[aria-busy]') && !document.querySelector('.fan')");
    browser.text(".company").holds("McDowell");
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

fn the_whole_map_is_shown_small_where_a_part_is_seen() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let served = Served::start(&Folder::empty().0);
    browser.resize_window(1280, false);
    browser.open(&format!("{}/at/tmag/first-day/play", served.base));
    wait_for_map(&browser);
    browser.click("[data-zoom='1.4']");
    browser.click("[data-zoom='1.4']");
    let at = "const map = document.querySelector('.map'); return map.scrollLeft + map.scrollTop";
    let before = browser.run(at).as_f64();
    browser.run("const mini = document.querySelector('.mini'), box = mini.getBoundingClientRect(); mini.setPointerCapture = () => {}; mini.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true, buttons: 1, clientX: box.right - 8, clientY: box.bottom - 8 }))");
    assert!(
        browser.run(at).as_f64() > before.map(|at| at + 200.0),
        "the map is moved by the small one"
    );
    browser.click("[data-zoom='0']");
    // What acts is seen, whatever lies over the map.
    for width in [1280, 900, 390] {
        browser.resize_window(width, false);
        browser.open(&format!(
            "{}/at/tmag/first-day/play?usual=on&throws=on&do=on",
            served.base
        ));
        wait_for_map(&browser);
        for _ in 0..4 {
            browser.click(".waits .answers a[data-move]");
            wait_for_map(&browser);
            // The piece that acts, or one of those that may.
            let hidden = browser.run("const find = (what) => [...document.querySelectorAll('.map .stack.' + what)], looked = find('looked'), all = looked.length ? looked : find('open > rect'); \
                const seen = (stack) => { const box = stack.getBoundingClientRect(); return document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)?.closest('.map .stack'); }; \
                return all.length && !all.some(seen) ? all.map((stack) => stack.closest('.stack').dataset.place) : null");
            assert_eq!(hidden, json!(null), "{width} wide");
        }
    }
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}
