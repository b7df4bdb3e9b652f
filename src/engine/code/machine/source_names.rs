//! The places and variables of functions, as their source names them.

use super::Machine;
use crate::code::bytecode::Register;

impl Machine {
    /// Returns the case and line of an operation, such as "8.16-losses:24".
    pub fn place_name(&mut self, function: u32, op: u32) -> String {
        let Ok(code) = self.load(function) else { return "(unknown)".into() };
        let Some(case) = code.case.map(|case| &self.program.ruleset.cases[case]) else { return "(expression)".into() };
        let line = code.positions.get(op as usize).map_or(code.span.line, |(line, _)| *line as usize);
        let (file, before) = case.file_of(line);
        let name = file.key.rsplit('/').next().unwrap_or(&file.key);
        format!("{}:{}", name.strip_suffix(".rhai").unwrap_or(name), line - before)
    }

    /// Returns the name of the variable that stands in a register after an operation, if one does.
    pub fn variable_name(&mut self, function: u32, op: u32, register: Register) -> Option<String> {
        let code = self.load(function).ok()?;
        let scope = code.variables.iter().rev().find(|scope| scope.register == register && scope.ops.contains(&op));
        scope.map(|scope| scope.name.clone())
    }
}
