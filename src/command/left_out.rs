//! What a build may leave out, and the line that installs it.

use clap::error::ContextKind;

/// A feature that a build may leave out, whether this one has it, and its commands, options and endings of files.
struct Feature {
    name: &'static str,
    is_present: bool,
    words: &'static [&'static str],
}

static FEATURES: [Feature; 4] = [
    Feature {
        name: "serve",
        is_present: cfg!(feature = "serve"),
        words: &["serve", "site", "book"],
    },
    Feature {
        name: "lsp",
        is_present: cfg!(feature = "lsp"),
        words: &["lsp"],
    },
    Feature {
        name: "mcp",
        is_present: cfg!(feature = "mcp"),
        words: &["mcp"],
    },
    Feature {
        name: "vassal",
        is_present: cfg!(feature = "vassal"),
        words: &[
            "import",
            "export",
            "map",
            "--vlog",
            "--module",
            "--map",
            "--seen-by",
            "--step",
            ".vsav",
            ".vlog",
        ],
    },
];

/// Returns the complaint about a command, an option or a file that only a feature reads, if this build leaves that feature out.
pub fn describe_left_out(typed: &str) -> Option<String> {
    FEATURES.iter().find_map(|feature| {
        (!feature.is_present)
            .then(|| feature.describe(typed))
            .flatten()
    })
}

/// Returns the complaint about a command line that can't be parsed because this build leaves a feature out.
pub fn describe_parse_error(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    kinds
        .into_iter()
        .filter_map(|kind| error.get(kind))
        .find_map(|word| describe_left_out(&word.to_string()))
}

impl Feature {
    fn describe(&self, typed: &str) -> Option<String> {
        // An option is named with its value: `--vlog <FILE>`.
        let name = typed
            .split([' ', '='])
            .next()
            .filter(|name| name.starts_with('-'))
            .unwrap_or(typed);
        let reads = |word: &&str| {
            if word.starts_with('.') {
                name.ends_with(*word)
            } else {
                name == *word
            }
        };
        let word = self.words.iter().find(|word| reads(word))?;
        Some(format!(
            "this build has no `{word}` (feature `{}`): cargo install --path . --features full",
            self.name
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::args::Cli;
    use clap::CommandFactory;

    /// Returns the names of all commands and options.
    fn words_of(command: &clap::Command) -> Vec<String> {
        let options = command
            .get_arguments()
            .filter_map(|option| option.get_long())
            .map(|long| format!("--{long}"));
        let nested = command
            .get_subcommands()
            .flat_map(|nested| [vec![nested.get_name().to_string()], words_of(nested)].concat());
        options.chain(nested).collect()
    }

    #[test]
    fn each_word_of_a_feature_is_there_exactly_if_the_feature_is() {
        let words = words_of(&Cli::command());
        for feature in &FEATURES {
            for word in feature.words.iter().filter(|word| !word.starts_with('.')) {
                assert_eq!(
                    words.iter().any(|left_out| left_out == word),
                    feature.is_present,
                    "{}: {word}",
                    feature.name
                );
            }
        }
    }

    #[test]
    fn one_line_to_paste_names_the_feature() {
        let [_, lsp, _, vassal] = &FEATURES;
        let line = |word: &str, feature: &str| {
            Some(format!(
                "this build has no `{word}` (feature `{feature}`): cargo install --path . --features full"
            ))
        };
        assert_eq!(lsp.describe("lsp"), line("lsp", "lsp"));
        assert_eq!(
            vassal.describe("games/evening.vsav"),
            line(".vsav", "vassal")
        );
        assert_eq!(vassal.describe("--vlog <FILE>"), line("--vlog", "vassal"));
        assert_eq!(vassal.describe("vlog"), None);
    }
}
