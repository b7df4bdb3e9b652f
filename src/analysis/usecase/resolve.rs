//! A ruling of a situation.

use crate::usecase::play_on::weigher;
use crate::usecase::settings::{DiceSource, SituationSettings};
use casebook_engine::code::machine::Machine;
use casebook_engine::complaint::Error;
use casebook_engine::ruling::resolve::{self, ResolveRequest, ResolvedRuling};
use casebook_engine::ruling::situation::Situation;

/// Resolves a situation with these dice.
pub fn resolve(
    situation: &Situation,
    settings: &SituationSettings,
    dice: &DiceSource,
) -> Result<ResolvedRuling, Error> {
    resolve_on(&mut situation.machine(), situation, settings, dice)
}

/// Resolves a situation on a machine of the caller, which may set its limits.
pub fn resolve_on(
    machine: &mut Machine,
    situation: &Situation,
    settings: &SituationSettings,
    dice: &DiceSource,
) -> Result<ResolvedRuling, Error> {
    let policies = settings.policies(&situation.ruleset().game)?;
    let weigher = weigher(situation, &policies);
    resolve::resolve(
        machine,
        situation,
        ResolveRequest {
            weigher,
            ..settings.request(dice, policies)
        },
    )
}
