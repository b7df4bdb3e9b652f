#!/usr/bin/env node
// Starts the program that the package of this system holds. `require("casebook-rules")` returns its path.
"use strict";

const { spawnSync } = require("node:child_process");
const own = require("./package.json");

const name = `${own.name}-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "casebook.exe" : "casebook";

function programPath() {
  try {
    return require.resolve(`${name}/${file}`);
  } catch {
    const known = Object.keys(own.optionalDependencies).map((one) => one.slice(own.name.length + 1)).join(", ");
    throw new Error(
      `${own.name}: the package ${name} is not installed. Packages exist for ${known}. ` +
        "If yours is among them, install without --omit=optional; else build it with cargo: cargo install casebook",
    );
  }
}

if (require.main === module) {
  try {
    const { status, signal, error } = spawnSync(programPath(), process.argv.slice(2), { stdio: "inherit" });
    if (error) throw error;
    if (signal) process.kill(process.pid, signal);
    process.exitCode = status ?? 1;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
} else {
  module.exports = programPath();
}
