//! The step of the Tekton task, with parameters inserted as by the controller.

use std::{fs, path::Path};

use serde_yaml::Value;

use super::{
    action::Variables,
    git,
    sample::{self, add_good_version, add_second_head, clean_command, code_and_output, merge_request, root},
};

struct TaskRun {
    code: i32,
    log: String,
    result: serde_json::Value,
}

/// Runs the task on a clone.
fn run_task(clone: &Path, catalogs: &[&str], given: &[(&str, &str)]) -> TaskRun {
    run_with_programs(&sample::install_programs(), clone, catalogs, given)
}

/// Runs the task with the programs of a folder.
fn run_with_programs(
    bin: &tempfile::TempDir,
    clone: &Path,
    catalogs: &[&str],
    given: &[(&str, &str)],
) -> TaskRun {
    let text = fs::read_to_string(root().join("ci/tekton.yaml")).unwrap();
    let task: Value = serde_yaml::from_str(&text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("TEST_OUTPUT");
    let mut known = Variables::new();
    for param in task["spec"]["params"].as_sequence().unwrap() {
        let name = param["name"].as_str().unwrap();
        if let Some(default) = param["default"].as_str() {
            known.insert(format!("params.{name}"), default.to_owned());
        }
    }
    known.insert("params.image".to_owned(), "registry.example.com/tools@sha256:0".to_owned());
    for (name, value) in given {
        assert!(known.insert(format!("params.{name}"), (*value).to_owned()).is_some(), "no parameter {name}");
    }
    known.insert("workspaces.source.path".into(), clone.to_str().unwrap().into());
    known.insert("results.TEST_OUTPUT.path".into(), result.to_str().unwrap().into());
    let filled = |text: &str| {
        known.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("$({name})"), value))
    };
    let step = &task["spec"]["steps"][0];
    let env: Variables = step["env"]
        .as_sequence()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap().to_owned(), filled(one["value"].as_str().unwrap())))
        .collect();
    assert!(env.values().all(|value| !value.contains("$(params")), "{env:?}");
    let script = step["script"].as_str().unwrap();
    assert!(
        !script.contains("$(params") && !script.contains("$(workspaces"),
        "a parameter in a script is a hole"
    );
    assert_eq!(step["args"][0].as_str(), Some("$(params.catalogs[*])"));
    let file = folder.path().join("script");
    fs::write(&file, script).unwrap();
    let place = filled(step["workingDir"].as_str().unwrap());
    let mut shell = clean_command("sh", Path::new(&place), Some(bin.path()), &env);
    let (code, log) = code_and_output(&shell.arg(&file).args(catalogs).output().unwrap());
    let result = fs::read(&result).unwrap_or_else(|_| panic!("no result: {log}"));
    TaskRun { code, log, result: serde_json::from_slice(&result).unwrap() }
}

#[test]
fn konflux_gets_the_test_result() {
    let (origin, _) = merge_request(add_good_version, "2");
    git::git(origin.path(), &["checkout", "-q", "change"]);
    let given = [("base", "main..."), ("expectations", "expectations/v4.20.yaml"), ("fail", "false")];
    let ran = run_task(origin.path(), &["catalogs/v4.*"], &given);
    assert_eq!((ran.code, &ran.result["result"]), (0, &"SUCCESS".into()), "{}", ran.log);
    assert_eq!(counts(&ran), [3, 0, 0]);
    assert_eq!(ran.result["note"], "All checks passed.");
    let stamp = ran.result["timestamp"].as_str().unwrap();
    assert!(stamp.len() == 25 && stamp.ends_with("+00:00"), "{stamp}");
    assert!(ran.log.contains("not checked: catalogs/v4.22"), "{}", ran.log);

    add_second_head(origin.path());
    let ran = run_task(origin.path(), &["catalogs/v4.*"], &given);
    assert_eq!((ran.code, &ran.result["result"]), (0, &"FAILURE".into()), "{}", ran.log);
    assert!(ran.log.contains("error[multiple-heads]"), "{}", ran.log);
    // One error; the expectations and the comparison fail, too.
    assert_eq!(counts(&ran), [0, 3, 0], "{}", ran.log);
    let note = ran.result["note"].as_str().unwrap();
    assert!(note.starts_with("channel stable has 2 heads: "), "{note}");
    let ran = run_task(origin.path(), &["catalogs/v4.*"], &[("base", "main...")]);
    assert_eq!((ran.code, &ran.result["result"]), (1, &"FAILURE".into()), "{}", ran.log);
}

/// Returns the numbers of successes, failures and warnings.
fn counts(ran: &TaskRun) -> [u64; 3] {
    ["successes", "failures", "warnings"].map(|name| ran.result[name].as_u64().unwrap())
}

#[test]
fn result_is_skipped_if_no_catalog_differs() {
    let (origin, _) = merge_request(add_good_version, "2");
    let ran = run_task(
        origin.path(),
        &["catalogs/v4.*"],
        &[("base", "HEAD"), ("expectations", "expectations/v4.20.yaml")],
    );
    assert_eq!((ran.code, &ran.result["result"]), (0, &"SKIPPED".into()), "{}", ran.log);
    assert_eq!(counts(&ran), [0, 0, 0]);
    assert!(ran.log.contains("nothing was checked"), "{}", ran.log);
}

#[test]
fn warnings_are_counted_and_named() {
    let repository = sample::new_repository();
    let ran = run_task(repository.path(), &[], &[]);
    let [successes, failures, warnings] = counts(&ran);
    assert_eq!(
        (ran.code, &ran.result["result"], successes, failures),
        (0, &"WARNING".into(), 1, 0),
        "{}",
        ran.log
    );
    assert_eq!(warnings as usize, ran.log.matches("warning[").count(), "{}", ran.log);
    let note = ran.result["note"].as_str().unwrap();
    assert!(note.len() > 20 && ran.log.contains(&note[..20]), "{note}");
}

#[test]
fn image_is_checked_by_its_digest() {
    let digest = format!("sha256:{}", "a".repeat(64));
    let programs = sample::install_programs();
    let bin = tempfile::tempdir().unwrap();
    // Stands for a registry: the reference of the image becomes a folder.
    let program = programs.path().join("olmap");
    let wrapper = format!(
        "#!/bin/sh\nfor word do shift; [ \"$word\" != 'docker://registry.example.com:5000/team/fbc@{digest}' ] || \
         word='{}'; set -- \"$@\" \"$word\"; done\nexec '{}' \"$@\"\n",
        root().join("demo/broken").display(),
        program.display()
    );
    let file = bin.path().join("olmap");
    fs::write(&file, wrapper).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&file, executable).unwrap();
    let empty = tempfile::tempdir().unwrap();
    let url = ("IMAGE_URL", "registry.example.com:5000/team/fbc:v1");
    let given = [url, ("IMAGE_DIGEST", digest.as_str()), ("base", "ignored"), ("fail", "false")];
    let ran = run_with_programs(&bin, empty.path(), &[], &given);
    assert_eq!((ran.code, &ran.result["result"]), (0, &"FAILURE".into()), "{}", ran.log);
    let errors = ran.log.matches("error[").count() as u64;
    let [successes, failures, warnings] = counts(&ran);
    assert!(errors > 3 && failures >= errors && successes == 0 && warnings > 0, "{}", ran.log);
    // Without a digest nothing says what was checked.
    let ran = run_with_programs(&bin, empty.path(), &[], &[url]);
    assert_eq!((ran.code, &ran.result["result"]), (2, &"ERROR".into()), "{}", ran.log);
    assert!(ran.log.contains("IMAGE_DIGEST is empty"), "{}", ran.log);
}

#[test]
fn failure_to_check_is_an_error() {
    let repository = sample::new_repository();
    for (catalogs, given) in [
        (&["catalogs/v4.*"][..], ("base", "nowhere...")),
        (&["catalogs/v4.*"][..], ("base", "nowhere")),
        (&["catalogs/nowhere"][..], ("base", "")),
        (&["catalogs/v4.20"][..], ("deny", "no-such-rule")),
    ] {
        let ran = run_task(repository.path(), catalogs, &[given]);
        assert_eq!((ran.code, &ran.result["result"]), (2, &"ERROR".into()), "{}", ran.log);
    }
}

#[test]
fn catalogs_are_checked_completely_without_a_base() {
    let repository = sample::new_repository();
    let given = [("deny", "warnings"), ("allow", "look-alike-names,dead-end")];
    let ran = run_task(repository.path(), &[], &given);
    assert_eq!((ran.code, &ran.result["failures"]), (1, &1.into()), "{}", ran.log);
    let ran = run_task(repository.path(), &[], &[given[0], ("baseline", "baseline.yaml")]);
    assert_eq!(ran.code, 0, "{}", ran.log);
}

#[test]
fn missing_base_commit_is_fetched() {
    let (origin, _) = merge_request(add_good_version, "2");
    let clone = tempfile::tempdir().unwrap();
    git::clone(origin.path(), clone.path(), &["--depth", "1", "--branch", "merge"]);
    let (_, main) = code_and_output(
        &clean_command("git", origin.path(), None, &Variables::new())
            .args(["rev-parse", "main"])
            .output()
            .unwrap(),
    );
    let ran = run_task(clone.path(), &["catalogs/v4.20", "catalogs/v4.22"], &[("base", main.trim())]);
    assert_eq!(ran.code, 0, "{}", ran.log);
    assert!(ran.log.contains("1.2.0"), "{}", ran.log);
}
