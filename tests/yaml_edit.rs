//! Changes of YAML text at a path: every other byte stays, and what was added can be removed to the byte.

use casebook::data::files::Files;
use casebook::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook::data::yaml_edit::YamlStep::{Index, Key};
use casebook::data::yaml_edit::{YamlStep, push, remove, set};
use proptest::prelude::*;

/// Forms of a list of `names`, as the value of a key with this indentation.
const LISTS: &[(usize, &str)] = &[
    (0, ""),
    (0, " # none yet"),
    (0, " []"),
    (0, " [ ]  # none"),
    (0, " [\n~    # none\n~  ]"),
    (1, " [one]"),
    (2, " [ one, \"t, wo\" ] # two"),
    (
        2,
        " [\n~    one, # the first\n~    # about two\n~    'two', # the second\n~  ]",
    ),
    (2, "\n~  - one\n~  - \"two\""),
    (
        2,
        " # both\n~  # above\n~  - one # here\n\n~  # between\n~  -   two   # behind",
    ),
    (2, "\n~- one\n~- { k: v,\n~    l: [1, 2] }"),
    (
        2,
        "\n~  - a: 1 # of a\n~    b: 2\n~  - - x\n~    - y # nested",
    ),
    (
        2,
        "\n~  - |\n~    # no comment\n~    text\n~\n~  - >-\n~    folded\n~    text",
    ),
];

/// Entries that stand before or behind the list.
const OTHERS: &[&str] = &[
    "",
    "# - a comment: [\n",
    "\n",
    "~first: \"öne: #1\" # after: [x]\n",
    "~'quoted key': { one: 1, two: [a, b] }\n",
    "~map:\n~  inner: 1\n~  after: [none]\n",
    "~text: >\n~  Words: and\n~  - more # words\n\n",
    "~empty:\n",
    "~list:\n~- one\n~- two\n~  # behind\n",
];

/// A document, the path to its list, and the number of items in it.
fn documents() -> impl Strategy<Value = (String, Vec<YamlStep<'static>>, usize)> {
    let other = || prop::sample::select(OTHERS);
    let forms = (
        prop::option::of(prop::sample::select(LISTS)),
        any::<bool>(),
        0..3usize,
    );
    let ends = (any::<bool>(), any::<bool>(), any::<bool>());
    (other(), forms, other(), ends).prop_map(
        |(above, (list, quoted, place), below, (crlf, end, start))| {
            let key = if quoted { "\"after\"" } else { "after" };
            let mut count = 0;
            let list = list.map_or(String::new(), |(items, form)| {
                count = items;
                format!("~{key}:{form}\n")
            });
            let below = if above == below { "" } else { below };
            let entries = format!("~variant: mine\n{above}{list}{below}");
            let (indent, path) = match place {
                0 => ("", vec![Key("after")]),
                1 => ("    ", vec![Key("deep"), Key("er"), Key("after")]),
                _ => ("  ", vec![Key("items"), Index(1), Key("after")]),
            };
            let inside = entries.replace('~', indent);
            let mut text = match place {
                0 => inside,
                1 => format!("deep:\n  er: # of both\n{inside}  last: 1\n"),
                _ => format!("items:\n- 1\n- {}# end\n", inside.trim_start_matches(' ')),
            };
            if start {
                text = format!("# Start: of the file\n---\n{text}");
            }
            if !end {
                text.truncate(text.trim_end().len());
            }
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            (text, path, count)
        },
    )
}

fn read(text: &str) -> YamlNode {
    let mut reader = YamlReader::new("", text);
    let node = reader.parse(text);
    assert!(
        reader.complaints.0.is_empty(),
        "{:?}\n{text}",
        reader.complaints
    );
    node.expect("it is read")
}

/// The value at a path, and the words of all scalars.
fn at<'n>(root: &'n YamlNode, path: &[YamlStep]) -> Option<&'n YamlNode> {
    path.iter().try_fold(root, |node, step| match step {
        Key(key) => node.get(key),
        Index(index) => node.items().get(*index),
    })
}

/// Whether a text is another with something put in at one place.
fn is_inserted(new: &str, old: &str) -> bool {
    let common = |(a, b): &(u8, u8)| a == b;
    let start = new.bytes().zip(old.bytes()).take_while(common).count();
    let end = new
        .bytes()
        .rev()
        .zip(old.bytes().rev())
        .take_while(common)
        .count();
    start + end >= old.len()
}

const ITEMS: &[&str] = &[
    "plain",
    "\"quo: ted\"",
    "{ case: \"8.3\", throw: run, add: -1 }",
    "[a, [b]]",
    "case: \"8.3\" # this one\ntext: |2\n   a: #1,\n\n  b\n\nwith:\n  - a b\n  - [c, d]\nadd: -1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_pushed_is_there_and_is_removed_to_the_byte((text, path, count) in documents(), item in prop::sample::select(ITEMS)) {
        read(&text);
        let new = push(&text, &path, item).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let place = [&path[..], &[Index(count)]].concat();
        let root = read(&new);
        let found = at(&root, &place).unwrap_or_else(|| panic!("{new}"));
        prop_assert_eq!(format!("{:?}", strip(found)), format!("{:?}", strip(&read(item))));
        prop_assert_eq!(at(&root, &path).map(|list| list.items().len()), Some(count + 1));
        prop_assert!(is_inserted(&new, &text), "{}\n{}", text, new);
        prop_assert_eq!(remove(&new, &place), Ok(text.clone()), "{}", new);
        let twice = push(&new, &path, "another").expect("a second");
        prop_assert_eq!(remove(&twice, &[&path[..], &[Index(count + 1)]].concat()), Ok(new.clone()));
        prop_assert_eq!(set(&new, &place, "other").and_then(|set_new| set(&set_new, &place, item)), Ok(new));
    }

    #[test]
    fn any_item_and_any_key_can_go((text, path, count) in documents()) {
        for index in 0..count {
            let place = [&path[..], &[Index(index)]].concat();
            match remove(&text, &place) {
                Ok(new) => {
                    let left = at(&read(&new), &path).map_or(0, |list| list.items().len());
                    prop_assert_eq!(left, count - 1, "{}", new);
                    prop_assert!(count == 1 || text.contains("[\n") || is_inserted(&text, &new), "{}\n{}", text, new);
                }
                Err(error) => prop_assert!(false, "{}\n{}", error, text),
            }
        }
        if at(&read(&text), &path).is_some() {
            let new = remove(&text, &path).unwrap_or_else(|error| panic!("{error}\n{text}"));
            prop_assert!(at(&read(&new), &path).is_none());
        }
        let mut key = path.clone();
        key.pop();
        key.push(Key("new one"));
        let new = set(&text, &key, "[1, 2]").unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(at(&read(&new), &key).map(|list| list.items().len()), Some(2));
        prop_assert_eq!(remove(&new, &key), Ok(text.clone()));
        if at(&read(&text), &path).is_some() {
            let new = set(&text, &path, "\"one\"").unwrap_or_else(|error| panic!("{error}\n{text}"));
            prop_assert_eq!(at(&read(&new), &path).and_then(YamlNode::as_text).map(String::from), Some("one".into()));
        }
    }
}

/// A value without its place.
fn strip(node: &YamlNode) -> Vec<String> {
    match node.as_text() {
        Some(text) => vec![text.into()],
        None => node
            .entries()
            .iter()
            .flat_map(|(key, value)| [strip(key), strip(value)].concat())
            .chain(
                node.items()
                    .iter()
                    .filter(|_| node.entries().is_empty())
                    .flat_map(strip),
            )
            .collect(),
    }
}

#[test]
fn the_forms_are_those_of_a_hand() {
    let pushed = |text: &str| push(text, &[Key("after")], "x").expect(text);
    for (old, new) in [
        ("a: 1", "a: 1\nafter:\n  - x"),
        ("a: 1\r\n# end\r\n", "a: 1\r\nafter:\r\n  - x\r\n# end\r\n"),
        ("{ a: 1 }\n", "{ a: 1, after: [x] }\n"),
        ("{}", "{ after: [x] }"),
        ("after: # c\nb: 1\n", "after: # c\n- x\nb: 1\n"),
        ("after: [a,] # c\n", "after: [a, x,] # c\n"),
        (
            "after:\n  - a # b\n  # c\n",
            "after:\n  - a # b\n  - x\n  # c\n",
        ),
        ("after: errata # c\n", "after: [errata, x] # c\n"),
    ] {
        assert_eq!(pushed(old), new);
    }
    let removed = |text: &str| remove(text, &[Key("after"), Index(0)]).expect(text);
    for (old, new) in [
        ("a: 1\nafter:\n  - x\n", "a: 1\n"),
        ("after:\n  - x # c\na: 1\n", "after: [] # c\na: 1\n"),
        ("after: # b\n  # c\n  - x\n", "after: [] # b\n  # c\n"),
        ("after: [\n  a, # c\n  b ]\n", "after: [\n  b ]\n"),
        ("after:\n  - x\n  # c\n  - y\n", "after:\n  # c\n  - y\n"),
    ] {
        assert_eq!(removed(old), new);
    }
    assert_eq!(
        set(
            "a:\n  # c\n  - x\nb: |\n  text\n\n# end\n",
            &[Key("b")],
            "1"
        ),
        Ok("a:\n  # c\n  - x\nb: 1\n\n# end\n".into())
    );
}

/// A text of several lines stands as a block, in brackets in quotes; what stands behind the old value stays there.
#[test]
fn a_text_of_several_lines_is_written_in_any_form() {
    for (old, new) in [
        ("{}", "{ k: \"a #\\n\\nb\\n\" }"),
        ("{ k: 1 }", "{ k: \"a #\\n\\nb\\n\" }"),
        ("i: 1", "i: 1\nk: |\n  a #\n\n  b"),
        ("k:\ni: 1\n", "k: |\n  a #\n\n  b\ni: 1\n"),
        (
            "k: old # c\r\n\r\ni: 1\r\n",
            "k: | # c\r\n  a #\r\n\r\n  b\r\n\r\ni: 1\r\n",
        ),
        (
            "\"k\": >-2 # c\n   old\n# d\n",
            "\"k\": | # c\n  a #\n\n  b\n# d\n",
        ),
        ("k: 'o\n  ld' # c\n", "k: | # c\n  a #\n\n  b\n"),
    ] {
        let set_text = set(old, &[Key("k")], "|\n  a #\n\n  b");
        assert_eq!(set_text.as_deref(), Ok(new), "{old}");
    }
}

#[test]
fn what_can_t_be_changed_is_refused() {
    for text in [
        "a: &a [1]\nafter: *a\n",
        "a: 1\n---\nb: 2\n",
        "a:\n\t- b\n",
        "a: [1\n",
        "a: 1\na: 2\n",
        "",
        "# nothing\n",
        "after: { a: 1 }\n",
        "after: !!seq [a]\n",
        "after: |\n  text\n",
    ] {
        assert!(push(text, &[Key("after")], "x").is_err(), "{text}");
    }
    for item in [
        "", "a\nb: 1", "[", "x: [", "a, b", "# c", "a ]", "&a x", "8.3",
    ] {
        assert!(
            push("after: [a]\n", &[Key("after")], item).is_err(),
            "{item}"
        );
    }
    assert!(remove("a: 1\n", &[]).is_err());
    assert!(remove("a: [1]\n", &[Key("a"), Index(1)]).is_err());
    assert!(set("a: 1\n", &[Key("b"), Key("c")], "1").is_err());
}

/// The first list of every file of a few pages that comes with the program, and a new one, takes an item and gives it back.
#[test]
fn lists_of_the_files_that_come_with_the_program_are_changed_and_changed_back() {
    let mut changed = 0;
    for (path, file) in Files::built_in(casebook::EMBEDDED).by_key.iter() {
        if !path.ends_with(".yaml") || file.text.len() > 20_000 {
            continue;
        }
        let text: &str = &file.text;
        let root = read(text);
        let lists = root
            .entries()
            .iter()
            .filter(|(_, value)| matches!(value.value, YamlValue::List(_)));
        let keys = lists.map(|(key, value)| (key.text_or_empty(), value.items().len()));
        for (key, count) in keys.take(1).chain([("a new key", 0)]) {
            let new = push(text, &[Key(key)], "[x, y]")
                .unwrap_or_else(|error| panic!("{path}: {key}: {error}"));
            assert_eq!(
                remove(&new, &[Key(key), Index(count)]).as_deref(),
                Ok(text),
                "{path}: {key}"
            );
            changed += 1;
        }
    }
    assert!(changed > 100, "{changed}");
}

/// A copy of a situation is the original but for its name and its examples, in whatever order its keys stand.
#[test]
fn a_situation_is_copied_whole() {
    use casebook::author::situations::copied_text;
    let library = crate::common::stacks::built_in();
    let mut count = 0;
    for (key, file) in &library.files.by_key {
        if !key.contains("scenarios/") || !file.text.contains("\nprocedure:") {
            continue;
        }
        let mut entries: Vec<String> = Vec::new();
        for line in file.text.split_inclusive('\n') {
            let is_inside = line.starts_with([' ', '#', '-', ']', '}', '\n']);
            match entries.last_mut() {
                Some(entry) if is_inside => entry.push_str(line),
                _ => entries.push(line.into()),
            }
        }
        for turn in [0, entries.len() / 2, entries.len() - 1] {
            let mut turned = entries.clone();
            turned.rotate_left(turn);
            let text = turned.concat();
            let copy =
                copied_text(&text, "a-copy", None).unwrap_or_else(|why| panic!("{key}: {why}"));
            let tree = |text: &str| {
                let mut reader = YamlReader::new("", text);
                let root = reader.parse(text).expect("it is a file");
                let entries = root
                    .entries()
                    .iter()
                    .map(|(key, value)| (key.text_or_empty().to_string(), without_places(value)));
                entries.collect::<std::collections::BTreeMap<_, _>>()
            };
            let (mut original, mut copied) = (tree(&text), tree(&copy));
            assert_eq!(
                copied.remove("situation").as_deref(),
                Some("a-copy"),
                "{key}"
            );
            original.remove("situation");
            original.remove("examples");
            assert_eq!(original, copied, "{key}");
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

/// A value as a text, without where it stands.
fn without_places(node: &YamlNode) -> String {
    match &node.value {
        YamlValue::Scalar(text, _) => text.clone(),
        YamlValue::List(items) => {
            format!("{:?}", items.iter().map(without_places).collect::<Vec<_>>())
        }
        YamlValue::Map(entries) => {
            let pair =
                |(key, value): &(YamlNode, YamlNode)| (without_places(key), without_places(value));
            format!("{:?}", entries.iter().map(pair).collect::<Vec<_>>())
        }
    }
}
