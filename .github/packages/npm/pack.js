// Writes the npm packages: `node pack.js SYSTEM PROGRAM OUT` packs a program for a system such as linux-x64, with the engine of the static site
// that lies beside it; `node pack.js OUT` the package that people install, which takes the one of its system along.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const NAME = "casebook-rules";
const SYSTEMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const root = path.join(__dirname, "..", "..", "..");
const version = fs.readFileSync(path.join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"/m)[1];
const common = {
  version,
  description: "Runs the printed rules of wargames as data: rulings with citations, exact odds, comparisons of variants.",
  license: "MIT OR Apache-2.0",
  keywords: ["wargame", "rules", "dice", "odds", "tabletop"],
};

function pack(manifest, files, out) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "casebook-npm-"));
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ ...manifest, ...common }, null, 2) + "\n");
  for (const [name, from, mode] of files) {
    fs.copyFileSync(from, path.join(folder, name));
    fs.chmodSync(path.join(folder, name), mode);
  }
  fs.mkdirSync(out, { recursive: true });
  // On Windows npm is a script, which only a shell starts.
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["pack", "--silent", "--pack-destination", path.resolve(out)], { cwd: folder, stdio: "inherit", shell: npm !== "npm" });
  fs.rmSync(folder, { recursive: true });
}

const licences = ["LICENSE-MIT", "LICENSE-APACHE"].map((name) => [name, path.join(root, name), 0o644]);
const args = process.argv.slice(2);
if (args.length === 3 && SYSTEMS.includes(args[0])) {
  const [system, program, out] = args;
  const [platform, cpu] = system.split("-");
  const file = platform === "win32" ? "casebook.exe" : "casebook";
  const engine = "casebook-web.wasm.gz", beside = path.join(path.dirname(program), engine);
  // The file is found through `require.resolve`, so no `exports` may hide it.
  pack({ name: `${NAME}-${system}`, os: [platform], cpu: [cpu], preferUnplugged: true }, [[file, program, 0o755], [engine, beside, 0o644], ...licences], out);
} else if (args.length === 1) {
  const optionalDependencies = Object.fromEntries(SYSTEMS.map((system) => [`${NAME}-${system}`, version]));
  const own = ["casebook.js", "README.md"].map((name) => [name, path.join(__dirname, name), name.endsWith(".js") ? 0o755 : 0o644]);
  // `npx casebook-rules` starts a program of the package's own name.
  const bin = { casebook: "casebook.js", [NAME]: "casebook.js" };
  pack({ name: NAME, main: "casebook.js", bin, engines: { node: ">=16" }, optionalDependencies }, [...own, ...licences], args[0]);
} else {
  console.error(`usage: node pack.js SYSTEM PROGRAM OUT, with a SYSTEM of ${SYSTEMS.join(", ")}; or node pack.js OUT`);
  process.exitCode = 2;
}
