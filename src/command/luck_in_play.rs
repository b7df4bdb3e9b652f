//! Lines on luck in `play`: after each procedure, and the balance at the end.

use casebook_analysis::luck::account::{LuckReport, ProcedureLuck};
use casebook_analysis::luck::stake::Stake;
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::usecase::luck::{LuckSettings, of_procedure};
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::ruling::session::Session;
use casebook_view::luck::{balance_line, chance_line, effect_text};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The time for the luck of one procedure: play goes on.
const TIME: Duration = Duration::from_millis(100);

/// The account of each procedure that was measured, by its number.
#[derive(Default)]
pub struct LuckSoFar(Vec<(usize, ProcedureLuck)>);

impl LuckSoFar {
    /// Accounts for a procedure that ended; returns the lines to print, none if nothing is measured.
    pub fn add(&mut self, session: &Session, procedure: usize) -> Vec<String> {
        self.0.retain(|(number, _)| *number < procedure);
        let stop = AtomicBool::new(false);
        let limits = CountLimits {
            progress: &|_, _, _| {},
            ..CountLimits::new(TIME, &stop)
        };
        // The luck is only a remark, so a measure that fails does not stop the play.
        let report = of_procedure(session, procedure, &LuckSettings::default(), limits);
        let Ok(LuckReport { procedures, .. }) = report else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for luck in procedures
            .into_iter()
            .filter(|luck| luck.is_over && !luck.is_cut)
        {
            lines.push(format!("luck · {}", balance_line(&luck)));
            lines.extend(Some(chance_line(&luck, false)).filter(|line| !line.is_empty()));
            self.0.push((procedure, luck));
        }
        lines
    }

    /// Returns the balance over all procedures measured in the same way; nothing unless there are several.
    pub fn balance(&self) -> Vec<String> {
        let mut sums: Vec<(&Stake, Fraction, usize)> = Vec::new();
        for (_, luck) in &self.0 {
            match sums.iter_mut().find(|(stake, ..)| **stake == luck.stake) {
                Some((_, sum, count)) => {
                    *sum += &luck.dice();
                    *count += 1;
                }
                None => sums.push((&luck.stake, luck.dice(), 1)),
            }
        }
        let several = sums.into_iter().filter(|(_, _, count)| *count > 1);
        let line = |(stake, sum, count): (&Stake, Fraction, usize)| {
            let for_side = stake
                .good_for
                .as_ref()
                .map_or(String::new(), |side| format!(" for {side}"));
            format!(
                "luck in all · {stake}: the dice of {count} procedures brought {}{for_side}",
                effect_text(stake, &sum)
            )
        };
        several.map(line).collect()
    }
}
