//! Test: some reader reads every key of tables and tests of rulings, except those for human readers.

use crate::complaint::Complaints;
use crate::data::files::DataFile;
use crate::data::format::ruling_test::{EQUIVALENTS, TESTS};
use crate::data::format::table::TABLE;
use crate::data::keys::assert_every_key_is_read;
use crate::data::library::Library;
use crate::data::table_file::TableFile;
use crate::testing::effectless;
use crate::testing::equivalent::Equivalents;
use crate::testing::example;
use crate::testing::test::RulingTestFile;

#[test]
fn every_key_of_a_table_or_a_test_is_read() {
    let formats = [(&TABLE, "tables/a/1.1-a.yaml"), (&TESTS, "tests/a/a.yaml"), (&EQUIVALENTS, "tests/a/equivalent-mutants.yaml")];
    let library = Library::built_in();
    let table = library.files.by_key.values().find(|file| file.key.starts_with("tables/")).expect("there are tables");
    let table = TableFile::read(table, &"a".into(), &mut Complaints::default()).expect("it is whole");
    let more = [
        (
            "table",
            "{kind: rule, title: a, sheets: {labels: [x]}, rows: {labels: [a]}, cells: {a: [1]}, known: [{sheet: x, status: printed}]}",
        ),
        ("tests", "{tests: [{test: a, given: a, odds: {a: 1/2}}]}"),
    ];
    assert_every_key_is_read(&formats, &more, &|file: &DataFile, format| {
        let (mut complaints, layer) = (Complaints::default(), "a".into());
        match format.name {
            "table" => {
                example::read_questions(file, "a", None);
                let Some(read) = TableFile::read(file, &layer, &mut complaints) else { return };
                effectless::idle_reason(&read.root);
                if let Some(below) = read.to_table(&mut complaints).or_else(|| table.to_table(&mut complaints)) {
                    read.amend(&below, &mut complaints);
                }
            }
            "tests" => drop(RulingTestFile::parse(file)),
            _ => drop(Equivalents::read(file, &library)),
        }
    });
}
