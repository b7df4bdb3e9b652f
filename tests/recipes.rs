//! The guide's recipes for many games are run if their program is installed, and otherwise checked against its published format.

use crate::common::{Folder, Items, Says, repository};
use casebook::author::guide::chapter;
use serde_json::{Value, json};
use std::process::Command;

/// The file of a name in the chapter.
fn recipe(name: &str) -> String {
    let text = chapter("balance").expect("there is such a chapter");
    let block = text.split("```").find(|block| {
        block
            .lines()
            .next()
            .is_some_and(|head| head.ends_with(&format!(" {name}")))
    });
    block
        .and_then(|block| block.split_once('\n'))
        .map(|(_, text)| text.to_string())
        .expect("the chapter has the file")
}

fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// The small game of two sides with the recipes beside it.
fn folder() -> Folder {
    let folder = Folder::copy_of(
        &repository().join("tests/duel"),
        &["rules", "tables", "scenarios", "variants"],
    );
    for name in ["balance.sh", "parallel.sh", "balance.slurm"] {
        folder.write(name, recipe(name));
    }
    folder
}

/// Runs a script of the folder on the small game.
fn run(folder: &Folder, script: &str, args: &[&str], variables: &[(&str, &str)]) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_casebook"));
    let path = format!(
        "{}:{}",
        program.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let game = [
        ("SITUATION", "meadow"),
        ("FIRST", ""),
        ("OTHER", "muster"),
        ("GAMES", "12"),
        ("PARTS", "3"),
        ("PATH", &path),
    ];
    let output = Command::new("sh")
        .arg(script)
        .args(args)
        .current_dir(&folder.0)
        .envs(game)
        .envs(variables.iter().copied())
        .output();
    let output = output.expect("a shell runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{script} {args:?}\n{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

#[test]
fn a_part_is_written_whole_and_parts_are_joined() {
    let folder = folder();
    for part in ["1", "2", "3"] {
        run(&folder, "balance.sh", &[part, "3"], &[]);
    }
    let merged = folder.out("merge part-1.json part-2.json part-3.json");
    merged.holds("24 games on 12 seeds");
    merged.holds("muster, against duel");
    assert!(!folder.0.join("part-1.json.new").exists());
}

#[test]
fn gnu_parallel_plays_all_parts() {
    if !has("parallel") {
        eprintln!("skipped: GNU parallel is not installed");
        return;
    }
    let folder = folder();
    let merged = run(&folder, "parallel.sh", &[], &[("JOBS", "2")]);
    merged.holds("24 games on 12 seeds");
}

/// The options of `sbatch` that the recipe may use, and what their values look like: from Slurm's manual of sbatch.
#[test]
fn the_slurm_array_is_one() {
    let text = recipe("balance.slurm");
    let directives = [
        "job-name",
        "array",
        "ntasks",
        "cpus-per-task",
        "mem",
        "time",
        "output",
        "requeue",
    ];
    let mut seen = Vec::new();
    for line in text
        .lines()
        .filter_map(|line| line.strip_prefix("#SBATCH --"))
    {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        assert!(directives.contains(&name), "sbatch --{name}");
        assert_eq!(value.is_empty(), name == "requeue", "{line}");
        seen.push(name);
    }
    assert!(text.starts_with("#!/"), "{text}");
    assert!(seen.contains(&"array"));
    let array = text
        .lines()
        .find_map(|line| line.strip_prefix("#SBATCH --array="))
        .expect("an array");
    let (range, at_once) = array.split_once('%').expect("a limit of tasks at a time");
    assert!(
        range.starts_with("1-") && at_once.parse::<u32>().is_ok(),
        "parts count from 1: {array}"
    );
    // Slurm reads options only before the first command.
    let first_command = text
        .lines()
        .position(|line| !line.starts_with('#'))
        .expect("commands");
    assert!(
        text.lines()
            .skip(first_command)
            .all(|line| !line.starts_with("#SBATCH"))
    );
    let folder = folder();
    let checked = Command::new("bash")
        .args(["-n", "balance.slurm"])
        .current_dir(&folder.0)
        .status()
        .expect("bash runs");
    assert!(checked.success());
    run(
        &folder,
        "balance.slurm",
        &[],
        &[
            ("SLURM_ARRAY_TASK_ID", "2"),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
        ],
    );
    folder.read("part-2.json").holds("\"parts\"");
}

/// The places of all fields within a value, as JSON Pointers.
fn paths(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(place, value)| (place.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    let within = |(name, child): (String, &Value)| {
        let below: Vec<String> = paths(child)
            .into_iter()
            .map(|path| format!("/{name}{path}"))
            .collect();
        std::iter::once(format!("/{name}"))
            .chain(below)
            .collect::<Vec<_>>()
    };
    children.into_iter().flat_map(within).collect()
}

/// Fields, types and formats of a Job as Kubernetes publishes them.
const JOB_SCHEMA: &str = include_str!("recipes/kubernetes-job.schema.json");

#[test]
fn the_kubernetes_job_is_one() {
    let root: Value = serde_yaml::from_str(&recipe("job.yaml")).expect("it is YAML");
    let schema = serde_json::from_str(JOB_SCHEMA).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let wrong: Vec<String> = validator
        .iter_errors(&root)
        .map(|error| format!("{}: {error}", error.instance_path))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    // Each field is known by its name and its type: a wrong one is found wherever it stands.
    let mut tried = 0;
    for path in paths(&root) {
        let mut changed = root.clone();
        *changed.pointer_mut(&path).expect("a field") = json!([[]]);
        assert!(!validator.is_valid(&changed), "a list of lists as {path}");
        let (above, name) = path.rsplit_once('/').expect("a field of something");
        if let Some(Value::Object(fields)) =
            root.clone().pointer_mut(above).map(|value| value.take())
        {
            // What a map holds may have any name.
            if !above.ends_with("/limits") && !above.ends_with("/requests") {
                let renamed = fields
                    .into_iter()
                    .map(|(key, value)| {
                        if key == name {
                            (key + "x", value)
                        } else {
                            (key, value)
                        }
                    })
                    .collect();
                let mut changed = root.clone();
                *changed.pointer_mut(above).expect("an object") = Value::Object(renamed);
                assert!(!validator.is_valid(&changed), "{path}x");
            }
        }
        tried += 1;
    }
    assert!(tried > 30, "{tried} fields");
    // What the schema leaves to the server's own checks, for an indexed Job whose pods are never restarted in place.
    let (spec, pod) = (&root["spec"], &root["spec"]["template"]["spec"]);
    assert_eq!(
        (root["apiVersion"].as_str(), root["kind"].as_str()),
        (Some("batch/v1"), Some("Job"))
    );
    assert_eq!(
        (
            spec["completionMode"].as_str(),
            pod["restartPolicy"].as_str()
        ),
        (Some("Indexed"), Some("Never"))
    );
    for name in [
        "completions",
        "parallelism",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        assert!(
            spec[name]
                .as_i64()
                .is_some_and(|number| (0..=i64::from(i32::MAX)).contains(&number)),
            "{name} is an int32"
        );
    }
    assert!(
        spec["parallelism"].as_u64() <= Some(100_000)
            && spec["maxFailedIndexes"].as_u64() <= Some(10_000)
    );
    assert!(spec["maxFailedIndexes"].as_u64() <= spec["completions"].as_u64());
    assert!(
        root["metadata"]["name"]
            .as_str()
            .is_some_and(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    );
    let container = &pod["containers"][0];
    let is_quantity = |text: &str| {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        number.parse::<f64>().is_ok()
            && ["", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"]
                .contains(&&text[number.len()..])
    };
    for amounts in
        ["requests", "limits"].map(|name| container["resources"][name].as_object().expect("a map"))
    {
        assert!(
            amounts
                .keys()
                .all(|name| ["cpu", "memory"].contains(&name.as_str())),
            "{amounts:?}"
        );
        assert!(
            amounts
                .values()
                .all(|amount| amount.as_str().is_some_and(is_quantity)),
            "{amounts:?}"
        );
    }
    let list = |of: &Value, name: &str, field: &str| -> Vec<String> {
        of[name]
            .items()
            .map(|one| one[field].as_str().expect("a text").to_string())
            .collect()
    };
    assert!(
        list(container, "volumeMounts", "mountPath")
            .iter()
            .all(|path| path.starts_with('/') && !path.contains(':'))
    );
    assert_eq!(
        list(container, "volumeMounts", "name"),
        list(pod, "volumes", "name")
    );
    assert!(
        pod["volumes"]
            .items()
            .all(|one| one.as_object().is_some_and(|one| one.len() == 2)),
        "a source each"
    );
    // The shell makes part numbers from 1 of indices from 0, up to the number of completions.
    let command = container["command"][2].as_str().expect("a command");
    let completions = spec["completions"].as_u64().expect("a number");
    assert!(command.ends_with(&completions.to_string()), "{command}");
    command.holds("$((JOB_COMPLETION_INDEX + 1))");
    let folder = folder();
    folder.write(
        "pod.sh",
        command
            .replace("/recipe/", "")
            .replace(&completions.to_string(), "3"),
    );
    run(&folder, "pod.sh", &[], &[("JOB_COMPLETION_INDEX", "0")]);
    folder.read("part-1.json").holds("\"parts\"");
}
