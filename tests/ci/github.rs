//! The GitHub Action, with its steps in order.

use std::{fs, path::Path, process::Command};

use serde_json::json;

use super::{
    action::Server,
    git,
    sample::{self, ANVIL, LATHE, add_good_version, add_second_head, merge_request, replace_in_file},
};

/// Inputs of the action in the sample workflow.
const INPUTS: [(&str, &str); 5] = [
    ("catalogs", "catalogs/v4.*"),
    ("baseline", "baseline.yaml"),
    ("expectations", "expectations"),
    ("sarif", "true"),
    ("report", "true"),
];

/// Comments are recorded by a script that replaces gh and needs jq.
fn has_jq() -> bool {
    let there = Command::new("jq").arg("--version").output().is_ok();
    if !there {
        println!("skipped: no jq");
    }
    there
}

#[test]
fn sample_workflow_has_the_inputs_of_the_tests() {
    let text = fs::read_to_string(sample::root().join("demo/ci/repository/.github/workflows/catalogs.yaml"))
        .unwrap();
    let workflow: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let steps = workflow["jobs"]["review"]["steps"].as_sequence().unwrap();
    let given = steps[1]["with"].as_mapping().unwrap();
    let given: Vec<(String, String)> = given
        .iter()
        .map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.as_bool().unwrap().to_string(), str::to_owned);
            (name.as_str().unwrap().to_owned(), value)
        })
        .collect();
    let wanted: Vec<(String, String)> =
        INPUTS.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(given, wanted);
    assert_eq!(steps[0]["with"]["fetch-depth"].as_u64(), Some(2));
}

#[test]
fn good_change_passes_with_one_comment() {
    if !has_jq() {
        return;
    }
    let (_origin, checkout) = merge_request(add_good_version, "2");
    let server = Server::new();
    let run = server.run_action(checkout.path(), &INPUTS);
    assert_eq!(run.code, 0, "{}", run.log);
    assert_eq!(run.outputs["result"], "0");
    // Meanwhile main has changed the other catalog, which does not affect this pull request.
    assert_eq!(run.outputs["touched"], "catalogs/v4.20");
    assert!(!run.log.contains("::error") && !run.log.contains("::warning"), "{}", run.log);
    assert!(run.summary.contains("| findings | passed |"), "{}", run.summary);
    assert!(run.summary.contains("| upgrade expectations | passed |"), "{}", run.summary);
    assert!(run.summary.contains("| changes for users | passed |"), "{}", run.summary);
    assert!(!run.summary.contains("lathe"), "{}", run.summary);
    let sarif = &run.used["github/codeql-action/upload-sarif"]["sarif_file"];
    let sarif: serde_json::Value = serde_json::from_str(&fs::read_to_string(sarif).unwrap()).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(run.used["actions/upload-artifact"]["name"], "olmap-report");
    assert_eq!(
        run.reports.lines().filter(|word| word.starts_with("catalogs/")).collect::<Vec<_>>(),
        ["catalogs/v4.20"]
    );
    assert!(run.reports.contains("--against\ngit:HEAD^1\n"), "{}", run.reports);
    let comments = server.comments();
    assert_eq!(comments.len(), 1);
    let body = comments[0]["body"].as_str().unwrap();
    assert!(body.starts_with("<!-- olmap catalogs/review/ -->\n"), "{body}");
    assert!(
        body.contains("1.2.0") && body.contains("https://github.example.com/org/catalogs/actions/runs/1"),
        "{body}"
    );
    // The first line has the numbers. Lines, commits and the report have links.
    let first = body.lines().nth(1).unwrap();
    assert!(first.contains("Installed versions: 0 more stuck, "), "{body}");
    let commit = super::sample::git_output(checkout.path(), &["rev-parse", "HEAD"]);
    let commit = commit.trim();
    let links = [
        format!("](https://github.example.com/org/catalogs/commit/{commit})"),
        format!("](https://github.example.com/org/catalogs/blob/{commit}/{ANVIL}#L"),
        "\n[Full report](https://github.example.com/artifacts/9)\n".to_owned(),
    ];
    for link in links {
        assert!(body.contains(&link), "{link}: {body}");
    }
    assert!(body.contains("```diff\n@@ before: head "), "{body}");
    // After another push, the comment is edited.
    add_second_head(checkout.path());
    let run = server.run_action(checkout.path(), &INPUTS);
    assert_eq!((run.code, run.outputs["result"].as_str()), (1, "1"), "{}", run.log);
    let comments = server.comments();
    assert_eq!(comments.len(), 1);
    let body = comments[0]["body"].as_str().unwrap();
    assert!(body.contains("**Check before you release:**"), "{body}");
    let rule = "[multiple-heads](https://github.example.com/org/olmap/blob/v1/docs/rules.md#multiple-heads)";
    assert!(body.contains(rule), "{body}");
}

#[test]
fn bad_change_fails_with_annotations_on_its_lines() {
    let (_origin, checkout) = merge_request(add_second_head, "2");
    let server = Server::new();
    let run = server.run_action(checkout.path(), &[&INPUTS[..], &[("comment", "false")]].concat());
    assert_eq!(run.code, 1, "{}", run.log);
    let errors: Vec<&str> = run.log.lines().filter(|line| line.starts_with("::error file=")).collect();
    let of_findings: Vec<&&str> =
        errors.iter().filter(|line| line.contains("title=multiple-heads")).collect();
    assert_eq!(of_findings.len(), 1, "{}", run.log);
    assert!(of_findings[0].starts_with(&format!("::error file={ANVIL},line=")), "{}", run.log);
    assert!(errors.iter().any(|line| line.contains("file=expectations/v4.20.yaml")), "{}", run.log);
    assert!(run.summary.contains("| findings | **failed** |"), "{}", run.summary);
    assert!(run.summary.contains("fails `new-stuck`"), "{}", run.summary);
    assert_eq!(server.kept_file("gh.log"), "", "nobody asked for a comment");
    // Each gate and each rule can be disabled.
    let quiet = [
        ("catalogs", "catalogs/v4.*"),
        ("fail-on", "none"),
        ("allow", "multiple-heads, stranded-entry"),
        ("comment", "false"),
    ];
    let run = server.run_action(checkout.path(), &quiet);
    assert_eq!(run.code, 0, "{}", run.log);
}

#[test]
fn pull_request_from_a_fork_gets_a_summary_and_no_comment() {
    let (_origin, checkout) = merge_request(add_good_version, "2");
    let mut server = Server::new();
    server.github.insert("event.pull_request.head.repo.full_name".into(), "somebody/catalogs".into());
    let run = server.run_action(checkout.path(), &INPUTS);
    assert_eq!(run.code, 0, "{}", run.log);
    assert!(run.log.contains("::notice title=olmap::no comment"), "{}", run.log);
    assert!(run.summary.contains("1.2.0"), "{}", run.summary);
    assert_eq!(server.kept_file("gh.log"), "");
}

#[test]
fn change_without_catalogs_passes_with_a_message() {
    if !has_jq() {
        return;
    }
    let (_origin, checkout) = merge_request(|at| fs::write(at.join("README.md"), "read me").unwrap(), "2");
    let server = Server::new();
    let run = server.run_action(checkout.path(), &INPUTS);
    assert_eq!(run.code, 0, "{}", run.log);
    assert_eq!(run.outputs["touched"], "");
    assert!(
        run.log
            .contains("nothing was checked: catalogs/v4.20, catalogs/v4.22 are what they are in git:HEAD^1"),
        "{}",
        run.log
    );
    assert!(server.comments().is_empty(), "there is nothing to comment on");
    assert_eq!(run.reports, "");
}

#[test]
fn unrelated_comments_are_not_edited() {
    if !has_jq() {
        return;
    }
    let (_origin, checkout) = merge_request(add_good_version, "2");
    let server = Server::new();
    let mark = "<!-- olmap catalogs/review/ -->\nall is well";
    let others = json!([{"id": 1, "user": {"login": "mallory"}, "body": mark},
        {"id": 2, "user": {"login": "github-actions[bot]"}, "body": "coverage: 80 %"}]);
    server.set_comments(&others);
    server.run_action(checkout.path(), &INPUTS);
    let comments = server.comments();
    assert_eq!(
        (comments.len(), &comments[0]["body"], &comments[1]["body"]),
        (3, &json!(mark), &json!("coverage: 80 %"))
    );
}

#[test]
fn clone_without_the_base_fails_with_advice() {
    let (_origin, checkout) = merge_request(add_good_version, "1");
    let run = Server::new().run_action(checkout.path(), &INPUTS);
    assert_eq!(run.code, 2, "{}", run.log);
    assert!(run.log.contains("set fetch-depth: 2 for actions/checkout"), "{}", run.log);
    // If the base is named, olmap reports the error.
    let run = Server::new().run_action(checkout.path(), &[("base", "origin/main")]);
    assert_eq!(run.code, 2, "{}", run.log);
    assert!(
        run.log.contains("git has no revision origin/main") && run.log.contains("shallow clone"),
        "{}",
        run.log
    );
}

#[test]
fn push_checks_whole_catalogs() {
    let repository = sample::new_repository();
    let mut server = Server::new();
    server.env.insert("GITHUB_EVENT_NAME".into(), "push".into());
    server.github.retain(|name, _| !name.starts_with("event."));
    let run = server.run_action(
        repository.path(),
        &[("catalogs", "catalogs/v4.*"), ("sarif", "true"), ("deny", "warnings")],
    );
    assert_eq!(run.code, 1, "{}", run.log);
    assert!(run.log.contains(&format!("::warning file={LATHE}")), "{}", run.log);
    assert_eq!(run.outputs["touched"], "catalogs/v4.20\ncatalogs/v4.22");
    assert!(run.used.contains_key("github/codeql-action/upload-sarif"), "a failed check is uploaded, too");
    let run = server.run_action(repository.path(), &[("baseline", "baseline.yaml"), ("deny", "warnings")]);
    assert_eq!(run.code, 0, "{}", run.log);
}

#[test]
fn checked_out_branch_is_compared_with_its_merge_base() {
    let (origin, _) = merge_request(add_good_version, "2");
    let at = origin.path();
    // The commit is itself a merge, whose first parent is a commit of the branch.
    git::git(at, &["checkout", "-q", "change"]);
    git::git(at, &["merge", "-q", "--no-ff", "-m", "main again", "main"]);
    let clone = tempfile::tempdir().unwrap();
    git::clone(at, clone.path(), &["--branch", "change"]);
    let mut server = Server::new();
    server.env.insert("GITHUB_SHA".into(), sample::git_output(at, &["rev-parse", "merge"]));
    let run = server.run_action(clone.path(), &[("comment", "false")]);
    assert_eq!((run.code, run.outputs["touched"].as_str()), (0, "catalogs/v4.20"), "{}", run.log);
    assert!(run.log.contains("git:origin/main..."), "{}", run.log);
}

#[test]
fn checkout_of_the_base_is_an_error() {
    let repository = sample::new_repository();
    let mut server = Server::new();
    server.env.insert("GITHUB_EVENT_NAME".into(), "pull_request_target".into());
    let run = server.run_action(repository.path(), &INPUTS);
    assert_eq!(run.code, 2, "{}", run.log);
    assert!(
        run.log.contains("::error title=olmap::this is what the pull request is merged into"),
        "{}",
        run.log
    );
}

#[test]
fn hostile_catalog_names_are_passed_only_as_arguments() {
    let name = "it's \"4.20\" $(touch pwned) `touch pwned` ; touch pwned & [x] %0A::error::";
    let moved = |at: &Path| {
        add_good_version(at);
        fs::rename(at.join("catalogs/v4.20"), at.join("catalogs").join(name)).unwrap();
        fs::rename(at.join("expectations/v4.20.yaml"), at.join("expectations").join(format!("{name}.yaml")))
            .unwrap();
    };
    let (_origin, checkout) = merge_request(moved, "2");
    let server = Server::new();
    let path = format!("catalogs/{name}");
    let inputs = [
        ("catalogs", path.as_str()),
        ("expectations", "expectations"),
        ("report", "true"),
        ("name", "--> $(touch pwned)"),
        ("comment", "false"),
        ("base", "HEAD^1"),
    ];
    let run = server.run_action(checkout.path(), &inputs);
    assert_eq!((run.code, run.outputs["touched"].as_str()), (0, path.as_str()), "{}", run.log);
    assert!(run.summary.contains("| upgrade expectations | passed |"), "{}", run.summary);
    assert!(!checkout.path().join("pwned").exists());
    assert!(run.log.lines().all(|line| !line.starts_with("::error")), "{}", run.log);
}

#[test]
fn removed_and_new_catalogs_are_reported() {
    let gone = |at: &Path| fs::remove_dir_all(at.join("catalogs/v4.20")).unwrap();
    let (_origin, checkout) = merge_request(gone, "2");
    let run = Server::new().run_action(
        checkout.path(),
        &[("catalogs", "catalogs/v4.*"), ("comment", "false"), ("report", "true")],
    );
    assert_eq!(run.code, 1, "{}", run.log);
    assert!(run.summary.contains("catalogs/v4.20 is removed since git:HEAD^1"), "{}", run.summary);
    let new = |at: &Path| {
        fs::create_dir_all(at.join("catalogs/v4.23")).unwrap();
        fs::copy(at.join(ANVIL), at.join("catalogs/v4.23/catalog.yaml")).unwrap();
    };
    let (_origin, checkout) = merge_request(new, "2");
    let run = Server::new().run_action(checkout.path(), &[("comment", "false"), ("report", "true")]);
    assert_eq!((run.code, run.outputs["touched"].as_str()), (0, "catalogs/v4.23"), "{}", run.log);
    assert!(run.summary.contains("catalogs/v4.23 is new since git:HEAD^1"), "{}", run.summary);
    assert_eq!(run.reports, "", "there is nothing to compare it with");
}

#[test]
fn olmap_comes_from_a_release_whose_sums_are_right() {
    let target = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", arch) => format!("{arch}-unknown-linux-musl"),
        (_, arch) => format!("{arch}-apple-darwin"),
    };
    let release = tempfile::tempdir().unwrap();
    let name = format!("olmap-9.9.9-{target}");
    let at = release.path();
    fs::create_dir(at.join(&name)).unwrap();
    // The downloaded program runs once; then the next step finds it on PATH.
    let program = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo olmap 9.9.9 || exec '{}' \"$@\"\n",
        env!("CARGO_BIN_EXE_olmap")
    );
    fs::write(at.join(&name).join("olmap"), program).unwrap();
    run_shell(
        at,
        &format!(
            "chmod +x {name}/olmap && tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz >olmap-9.9.9-SHA256SUMS"
        ),
    );
    let from = format!("file://{}", at.display());
    let inputs = [("version", "9.9.9"), ("from", from.as_str()), ("catalogs", "catalogs/v4.22")];
    let repository = sample::new_repository();
    let mut server = Server::new();
    server.has_olmap = false;
    server.env.insert("GITHUB_EVENT_NAME".into(), "push".into());
    let run = server.run_action(repository.path(), &inputs);
    assert!(run.log.contains("olmap 9.9.9"), "{}", run.log);
    let folder = Path::new(run.path.trim());
    assert!(folder.ends_with(&name) && folder.join("olmap").is_file(), "{}", run.path);
    let refused = |why: &str| {
        let run = server.run_action(repository.path(), &inputs);
        assert_eq!((run.code, run.path.as_str()), (2, ""), "{}", run.log);
        assert!(run.log.contains(why), "{}", run.log);
    };
    run_shell(at, &format!("printf x >>{name}.tar.gz"));
    refused("is not what olmap-9.9.9-SHA256SUMS says");
    fs::write(at.join("olmap-9.9.9-SHA256SUMS"), "").unwrap();
    refused("does not name");
    fs::remove_file(at.join("olmap-9.9.9-SHA256SUMS")).unwrap();
    refused("cannot fetch olmap-9.9.9-SHA256SUMS");
    let run = server.run_action(repository.path(), &[("version", "../9"), ("from", from.as_str())]);
    assert_eq!(run.code, 2);
    assert!(run.log.contains("not a version of olmap"), "{}", run.log);
}

fn run_shell(at: &Path, script: &str) {
    let done = Command::new("sh").current_dir(at).args(["-ec", script]).status().unwrap();
    assert!(done.success(), "{script}");
}

#[test]
fn old_error_elsewhere_does_not_fail_a_pull_request() {
    let (origin, _) = merge_request(add_good_version, "2");
    // A merge request whose main was already broken.
    git::git(origin.path(), &["checkout", "-q", "main"]);
    replace_in_file(origin.path(), LATHE, "  replaces: lathe-operator.v0.3.0\n", "");
    git::commit_on("2025-01-04", origin.path());
    git::git(origin.path(), &["checkout", "-q", "-b", "again"]);
    git::git(origin.path(), &["merge", "-q", "--no-ff", "-m", "again", "change"]);
    let run = Server::new().run_action(origin.path(), &[("comment", "false")]);
    assert_eq!(run.code, 0, "{}", run.log);
    assert!(run.log.contains("1 error among them"), "{}", run.log);
}

#[test]
fn catalogs_that_are_not_checked_are_named() {
    let add = |at: &Path| {
        add_good_version(at);
        let stage = at.join("catalogs/stage/anvil-operator");
        fs::create_dir_all(&stage).unwrap();
        fs::write(stage.join("catalog.yaml"), "schema: olm.package\nname: anvil-operator\n").unwrap();
    };
    let (_origin, checkout) = merge_request(add, "2");
    let server = Server::new();
    let run = server.run_action(checkout.path(), &[("comment", "false")]);
    assert_eq!(run.code, 0, "{}", run.log);
    let warning = "1 catalog not looked at, since no PATH is given: catalogs/stage";
    assert!(run.log.contains(&format!("::warning title=olmap::warning: {warning}")), "{}", run.log);
    assert!(run.summary.contains(warning), "{}", run.summary);
    let run = server.run_action(checkout.path(), &[("catalogs", "catalogs/*"), ("comment", "false")]);
    assert!(run.outputs["touched"].contains("catalogs/stage"), "{}", run.outputs["touched"]);
    assert!(!run.log.contains("not looked at"), "{}", run.log);
}
