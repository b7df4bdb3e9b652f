//! The places and variables of functions, as their source names them.

use super::Machine;
use crate::code::bytecode::{CompiledFunction, Register, StaticFault};
use crate::complaint::{Complaint, Place};
use crate::syntax::parse::word_span;

impl Machine {
    /// Returns the case and line of an operation, such as "8.16-losses:24".
    pub fn place_name(&mut self, function: u32, op: u32) -> String {
        let Ok(code) = self.load(function) else {
            return "(unknown)".into();
        };
        let Some(case) = code.case.map(|case| &self.program.ruleset.cases[case]) else {
            return "(expression)".into();
        };
        let line = code
            .positions
            .get(op as usize)
            .map_or(code.span.line, |(line, _)| *line as usize);
        let (file, before) = case.file_of(line);
        let name = file.key.rsplit('/').next().unwrap_or(&file.key);
        format!(
            "{}:{}",
            name.strip_suffix(".rhai").unwrap_or(name),
            line - before
        )
    }

    /// Returns the name of the variable that stands in a register after an operation, if one does.
    pub fn variable_name(&mut self, function: u32, op: u32, register: Register) -> Option<String> {
        let code = self.load(function).ok()?;
        code.variable_at(op, register).map(String::from)
    }

    /// Returns a complaint at the position of an operation.
    pub(super) fn complaint_at(
        &self,
        code: &CompiledFunction,
        pc: usize,
        fault: StaticFault,
    ) -> Complaint {
        let position = code.positions.get(pc).copied().unwrap_or_default();
        // An operation without a position is reported at its function.
        let complaint = match code.case {
            Some(case) => {
                let case = &self.program.ruleset.cases[case];
                let span = if position.0 == 0 {
                    code.span
                } else {
                    word_span(position, case)
                };
                case.complaint(fault.diagnostic_code, span, fault.message)
            }
            None => Complaint::new(
                fault.diagnostic_code,
                Place::whole_file("(expression)"),
                fault.message,
            ),
        };
        Complaint {
            help: fault.help,
            remedy: fault.remedy,
            ..complaint
        }
    }
}
