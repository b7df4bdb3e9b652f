//! Remedies in the words of the command line: the flag that helps.

use casebook_analysis::odds::bounds::bytes_text;
use casebook_engine::complaint::{Error, Remedy};

/// Says what to type.
pub fn words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::MoreTime => "--limit SECONDS gives it more".into(),
        Remedy::MoreMemory(bytes) => format!("--memory {} gives it more", bytes_text(*bytes)),
        Remedy::AnswerChoice => "--choose 'WHO: WHAT=OPTION' settles a choice".into(),
        Remedy::ChoosePolicy(example) => format!("--policy '{example}' settles it"),
        Remedy::NameMeasure(example) => format!("name one: --measure '{example}'"),
        Remedy::NameStyle(side) => format!("such as --style {side}=first"),
        Remedy::NameWinner => "or give --winner NAME".into(),
        Remedy::NameVariant(variant) => format!("--variant {variant}"),
        Remedy::AddVariant(variant) => format!("put it there with --with {variant}"),
        Remedy::ChooseReading => "--reading reads them otherwise".into(),
        Remedy::RefuseReconstructed => "--strict refuses them".into(),
        Remedy::ListValues => "--exact lists each".into(),
        Remedy::ListContents(game) => format!("`casebook list --game {game}` shows it"),
        Remedy::ListSources => "--sources lists them".into(),
        Remedy::ShowTrace => "`--trace` shows which dice fall".into(),
        Remedy::ReplayByName => "give `casebook replay` also `--with` or `--change`, to go on by the names of dice and choices".into(),
        Remedy::CommitDice => "begin with `casebook play --commit --save FILE`".into(),
        Remedy::NewTables => "`casebook new variant my-charts --tables` writes the empty charts".into(),
        Remedy::ReopenFile => "open it again".into(),
        Remedy::ConfirmName => "`--new` makes a new one".into(),
        Remedy::AcceptRuling => "`casebook test --accept` writes the new one".into(),
    }
}

/// Returns an error that is no complaint in one text, with what helps.
pub fn error_text(error: &Error) -> String {
    let text = error.to_string();
    match error.remedy() {
        Some(remedy) if text.ends_with('?') => format!("{text} {}", words(remedy)),
        Some(remedy) => format!("{text}; {}", words(remedy)),
        None => text,
    }
}
