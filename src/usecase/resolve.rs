//! A ruling of a situation.

use crate::code::machine::Machine;
use crate::complaint::Error;
use crate::ruling::resolve::{self, ResolveRequest, ResolvedRuling};
use crate::ruling::situation::Situation;
use crate::usecase::settings::{DiceSource, SituationSettings};
use crate::usecase::weigh::weigher;

/// Resolves a situation with these dice.
pub fn resolve(situation: &Situation, settings: &SituationSettings, dice: &DiceSource) -> Result<ResolvedRuling, Error> {
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
    resolve::resolve(machine, situation, ResolveRequest { weigher, ..settings.request(dice, policies) })
}
