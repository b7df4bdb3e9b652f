//! `casebook new game`: creates a small complete game to start from.

use crate::author::scaffold::{check_plain_name, write_files};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::yaml_writer::write_scalar;
use std::path::{Path, PathBuf};

/// The files of the game: path and content; `NAME` in a path stands for the name of the game.
const FILES: [(&str, &str); 7] = [
    ("rules/NAME/game.yaml", include_str!("starter/game.yaml")),
    ("rules/NAME/contents.yaml", include_str!("starter/contents.yaml")),
    ("rules/NAME/01-fighting/1.1-fights.rhai", include_str!("starter/1.1-fights.rhai")),
    ("rules/NAME/01-fighting/1.2-losses.rhai", include_str!("starter/1.2-losses.rhai")),
    ("tables/NAME/fight.yaml", include_str!("starter/fight.yaml")),
    ("scenarios/NAME/first-fight.yaml", include_str!("starter/first-fight.yaml")),
    ("tests/NAME/first-fight.yaml", include_str!("starter/tests.yaml")),
];

/// Creates a game; fails if its name is taken or a file exists. Games in the data folder replace the embedded ones.
pub fn new_game(library: &Library, root: &Path, name: &str, title: Option<&str>) -> Result<Vec<PathBuf>, Error> {
    check_plain_name(name)?;
    if library.variants.contains_key(name) || library.games.contains_key(name) {
        return Err(Error::Usage(format!("there is a variant or game called `{name}` already; nothing was written")));
    }
    let title = title.map(write_scalar).unwrap_or_else(|| {
        let mut letters = name.replace('-', " ").chars().collect::<Vec<_>>();
        letters[0].make_ascii_uppercase();
        letters.into_iter().collect()
    });
    let file = |(path, text): &(&str, &str)| {
        let text = text.replace("game: NAME", &format!("game: {name}")).replace("title: TITLE", &format!("title: {title}"));
        (root.join(path.replace("NAME", name)), text)
    };
    write_files(root, FILES.iter().map(file).collect())
}
