//! Arguments that say how a saved game of VASSAL is read.

use clap::Args;
use std::path::{Path, PathBuf};

/// How a saved game of VASSAL is read.
#[derive(Args, Clone, Default)]
pub struct VassalArgs {
    /// Of a saved game of VASSAL: its module, a .vmod file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    pub module: Option<PathBuf>,
    /// Of a saved game of VASSAL: the map of its module, as `new map` lays it out [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Of a saved game of VASSAL: whose hidden pieces are read, as VASSAL knows the owner; others stay hidden
    #[arg(long, value_name = "OWNER", default_value = "", hide_default_value = true)]
    pub seen_by: String,
    /// Of a log of VASSAL: the position after so many of its steps [default: after all of them]
    #[arg(long, value_name = "NUMBER")]
    pub step: Option<usize>,
    /// The saved game that was read in place of a situation.
    #[arg(skip)]
    pub file: Option<PathBuf>,
}

/// Returns whether an argument is the path of a saved game or log.
pub fn is_saved_game(wanted: &str) -> bool {
    Path::new(wanted).extension().is_some_and(|end| end == "vsav" || end == "vlog")
}
