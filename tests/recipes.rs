//! The guide's recipes for many games are run if their program is installed, and otherwise checked against its published format.

use crate::common::{Folder, repository};
use casebook::author::guide::chapter;
use std::process::Command;

/// The file of a name in the chapter.
fn recipe(name: &str) -> String {
    let text = chapter("balance").expect("there is such a chapter");
    let block = text.split("```").find(|block| block.lines().next().is_some_and(|head| head.ends_with(&format!(" {name}"))));
    block.and_then(|block| block.split_once('\n')).map(|(_, text)| text.to_string()).expect("the chapter has the file")
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The small game of two sides with the recipes beside it.
fn folder() -> Folder {
    let folder = Folder::copy_of(&repository().join("tests/duel"), &["rules", "tables", "scenarios", "variants"]);
    for name in ["balance.sh", "parallel.sh", "balance.slurm"] {
        folder.write(name, recipe(name));
    }
    folder
}

/// Runs a script of the folder on the small game.
fn run(folder: &Folder, script: &str, args: &[&str], more: &[(&str, &str)]) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_casebook"));
    let path = format!("{}:{}", program.parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
    let game = [("SITUATION", "meadow"), ("FIRST", ""), ("OTHER", "muster"), ("GAMES", "12"), ("PARTS", "3"), ("PATH", &path)];
    let output = Command::new("sh").arg(script).args(args).current_dir(&folder.0).envs(game).envs(more.iter().copied()).output();
    let output = output.expect("a shell runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{script} {args:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_part_is_written_whole_and_parts_are_joined() {
    let folder = folder();
    for part in ["1", "2", "3"] {
        run(&folder, "balance.sh", &[part, "3"], &[]);
    }
    let merged = folder.run(&["merge", "part-1.json", "part-2.json", "part-3.json"]).expect_success().out;
    assert!(merged.contains("24 games on 12 seeds") && merged.contains("muster, against duel"), "{merged}");
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
    assert!(merged.contains("24 games on 12 seeds"), "{merged}");
}

/// The options of `sbatch` that the recipe may use, and what their values look like: from Slurm's manual of sbatch.
#[test]
fn the_slurm_array_is_one() {
    let text = recipe("balance.slurm");
    let known = ["job-name", "array", "ntasks", "cpus-per-task", "mem", "time", "output", "requeue"];
    let mut seen = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("#SBATCH --")) {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        assert!(known.contains(&name), "sbatch --{name}");
        assert_eq!(value.is_empty(), name == "requeue", "{line}");
        seen.push(name);
    }
    assert!(seen.contains(&"array") && text.starts_with("#!/"), "{text}");
    let array = text.lines().find_map(|line| line.strip_prefix("#SBATCH --array=")).expect("an array");
    let (range, at_once) = array.split_once('%').expect("a limit of tasks at a time");
    assert!(range.starts_with("1-") && at_once.parse::<u32>().is_ok(), "parts count from 1: {array}");
    // Slurm reads options only before the first command.
    let first_command = text.lines().position(|line| !line.starts_with('#')).expect("commands");
    assert!(text.lines().skip(first_command).all(|line| !line.starts_with("#SBATCH")));
    let folder = folder();
    let checked = Command::new("bash").args(["-n", "balance.slurm"]).current_dir(&folder.0).status().expect("bash runs");
    assert!(checked.success());
    run(&folder, "balance.slurm", &[], &[("SLURM_ARRAY_TASK_ID", "2"), ("SLURM_ARRAY_TASK_COUNT", "3")]);
    assert!(folder.read("part-2.json").contains("\"parts\""));
}

/// The fields of an indexed Job of the API `batch/v1` with their types, by the object that they belong to, and what is required: from the
/// published schema, `api/openapi-spec/v3/apis__batch__v1_openapi.json` of Kubernetes.
#[test]
fn the_kubernetes_job_is_one() {
    let text = recipe("job.yaml");
    let root: serde_json::Value = serde_yaml::from_str(&text).expect("it is YAML");
    let keys = |value: &serde_json::Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let within = |value: &serde_json::Value, known: &[&str]| {
        let odd: Vec<String> = keys(value).into_iter().filter(|key| !known.contains(&key.as_str())).collect();
        assert!(odd.is_empty() && value.is_object(), "{odd:?} in {value}");
    };
    assert_eq!((root["apiVersion"].as_str(), root["kind"].as_str()), (Some("batch/v1"), Some("Job")));
    within(&root, &["apiVersion", "kind", "metadata", "spec"]);
    let spec = &root["spec"];
    within(spec, &["completionMode", "completions", "parallelism", "backoffLimitPerIndex", "maxFailedIndexes", "template"]);
    assert_eq!(spec["completionMode"], "Indexed");
    for name in ["completions", "parallelism", "backoffLimitPerIndex", "maxFailedIndexes"] {
        assert!(spec[name].as_i64().is_some_and(|number| (0..=i64::from(i32::MAX)).contains(&number)), "{name} is an int32");
    }
    assert!(spec["parallelism"].as_u64() <= Some(100_000) && spec["maxFailedIndexes"].as_u64() <= Some(10_000));
    assert!(root["metadata"]["name"].as_str().is_some_and(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    // backoffLimitPerIndex needs an indexed Job whose pods are never restarted in place.
    let pod = &spec["template"]["spec"];
    within(pod, &["restartPolicy", "containers", "volumes"]);
    assert_eq!(pod["restartPolicy"], "Never");
    assert!(spec["maxFailedIndexes"].as_u64() <= spec["completions"].as_u64());
    let container = &pod["containers"][0];
    within(container, &["name", "image", "workingDir", "command", "resources", "volumeMounts"]);
    for name in ["name", "image", "workingDir"] {
        assert!(container[name].is_string(), "{name} is a text");
    }
    assert!(container["command"].as_array().is_some_and(|words| words.iter().all(serde_json::Value::is_string)), "a list of texts");
    within(&container["resources"], &["requests", "limits"]);
    for amounts in ["requests", "limits"].map(|name| &container["resources"][name]) {
        within(amounts, &["cpu", "memory"]);
        let is_quantity = |text: &str| {
            let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            number.parse::<f64>().is_ok() && ["", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"].contains(&&text[number.len()..])
        };
        assert!(amounts.as_object().expect("a map").values().all(|amount| amount.as_str().is_some_and(is_quantity)), "{amounts}");
    }
    for one in container["volumeMounts"].as_array().expect("mounts") {
        within(one, &["name", "mountPath"]);
        assert!(one["name"].is_string() && one["mountPath"].as_str().is_some_and(|path| !path.contains(':')), "{one}");
    }
    for one in pod["volumes"].as_array().expect("volumes") {
        within(one, &["name", "persistentVolumeClaim", "configMap"]);
        assert_eq!(keys(one).len(), 2, "a name and one source: {one}");
        let (claim, map) = (&one["persistentVolumeClaim"]["claimName"], &one["configMap"]["name"]);
        assert!(one["name"].is_string() && (claim.is_string() || map.is_string()), "{one}");
    }
    let mounted: Vec<&str> = container["volumeMounts"].as_array().expect("mounts").iter().filter_map(|one| one["name"].as_str()).collect();
    let volumes: Vec<&str> = pod["volumes"].as_array().expect("volumes").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(mounted, volumes);
    // The shell makes part numbers from 1 of indices from 0, up to the number of completions.
    let command = container["command"][2].as_str().expect("a command");
    let completions = spec["completions"].as_u64().expect("a number");
    assert!(command.contains("$((JOB_COMPLETION_INDEX + 1))") && command.ends_with(&completions.to_string()), "{command}");
    let folder = folder();
    folder.write("pod.sh", command.replace("/recipe/", "").replace(&completions.to_string(), "3"));
    run(&folder, "pod.sh", &[], &[("JOB_COMPLETION_INDEX", "0")]);
    assert!(folder.read("part-1.json").contains("\"parts\""));
}
