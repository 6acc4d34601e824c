//! The script of the GitLab job, run in a shell as by its runner.

use std::{fs, path::Path};

use serde_yaml::Value;

use super::{
    action::Variables,
    git,
    sample::{
        self, ANVIL, add_good_version, add_second_head, clean_command, code_and_output, merge_request, root,
    },
};
use crate::gitlab_server::{GitlabServer, TOKEN};

fn load_job(file: &str) -> Value {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let file: Value = serde_yaml::from_str(&text).unwrap();
    file["olmap"].clone()
}

fn job_variables(of: &Value) -> Variables {
    let word = |value: &Value| {
        let number = || value.as_u64().map(|number| number.to_string());
        value.as_str().map(str::to_owned).or_else(number).unwrap_or_else(|| format!("{value:?}"))
    };
    of.as_mapping()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.as_str().unwrap().to_owned(), word(value)))
        .collect()
}

/// Runs the job in a checkout. Values of the sample repository override the template, as in GitLab.
fn run_job(checkout: &Path, more: &[(&str, &str)]) -> (i32, String) {
    let (template, own) = (load_job("ci/gitlab.yml"), load_job("demo/ci/repository/.gitlab-ci.yml"));
    let mut env = job_variables(&template["variables"]);
    env.extend(job_variables(&own["variables"]));
    env.insert("CI_PROJECT_DIR".into(), checkout.to_str().unwrap().into());
    let log = tempfile::tempdir().unwrap();
    env.insert("REPORT_LOG".into(), log.path().join("report").to_str().unwrap().into());
    env.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let bin = sample::install_programs();
    let lines = |name: &str| -> Vec<String> {
        template[name].as_sequence().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    };
    let script = [lines("before_script"), lines("script")].concat().join("\n");
    code_and_output(
        &clean_command("sh", checkout, Some(bin.path()), &env).args(["-e", "-c", &script]).output().unwrap(),
    )
}

/// Returns a merge request: a branch, a clone with the depth of the template, and the base commit
/// in
/// GitLab.
fn gitlab_merge_request(change: impl Fn(&Path)) -> (tempfile::TempDir, tempfile::TempDir, String) {
    let (origin, _) = merge_request(change, "2");
    let clone = tempfile::tempdir().unwrap();
    git::clone(origin.path(), clone.path(), &["--depth", "1", "--branch", "change"]);
    let (code, base) = code_and_output(
        &clean_command("git", origin.path(), None, &Variables::new())
            .args(["merge-base", "main", "change"])
            .output()
            .unwrap(),
    );
    assert_eq!(code, 0);
    (origin, clone, base.trim().to_owned())
}

#[test]
fn good_merge_request_passes_with_an_empty_report() {
    let (_origin, clone, base) = gitlab_merge_request(add_good_version);
    let (code, log) = run_job(
        clone.path(),
        &[
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base),
            ("OLMAP_REPORT", "true"),
            ("OLMAP_EXPECTATIONS", "expectations/v4.20.yaml"),
        ],
    );
    assert_eq!(code, 0, "{log}");
    let issues = fs::read_to_string(clone.path().join("olmap-code-quality.json")).unwrap();
    assert_eq!(issues.trim(), "[]");
    let changes = fs::read_to_string(clone.path().join("olmap-changes.md")).unwrap();
    assert!(changes.contains("1.2.0"), "{changes}");
    assert!(clone.path().join("olmap-report.html").is_file(), "{log}");
    assert!(log.contains("not checked: catalogs/v4.22 is what it is in"), "{log}");
}

#[test]
fn bad_merge_request_fails_with_issues_for_gitlab() {
    let (_origin, clone, base) = gitlab_merge_request(add_second_head);
    let (code, log) = run_job(clone.path(), &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base)]);
    assert_eq!(code, 1, "{log}");
    let issues = || -> Vec<serde_json::Value> {
        serde_json::from_str(&fs::read_to_string(clone.path().join("olmap-code-quality.json")).unwrap())
            .unwrap()
    };
    let first = issues();
    let heads: Vec<_> = first.iter().filter(|issue| issue["check_name"] == "multiple-heads").collect();
    assert_eq!(heads.len(), 1, "{log}");
    assert_eq!(heads[0]["severity"], "critical");
    assert_eq!(heads[0]["location"]["path"], ANVIL);
    assert!(heads[0]["location"]["lines"]["begin"].as_u64().unwrap() > 1);
    let prints: std::collections::BTreeSet<&str> =
        first.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(prints.len(), first.len(), "each is known by its own");
    // With one more line above, the issue keeps its fingerprint.
    let text = fs::read_to_string(clone.path().join(ANVIL)).unwrap();
    fs::write(clone.path().join(ANVIL), text.replacen("---\n", "---\n# a line more\n", 1)).unwrap();
    run_job(clone.path(), &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base)]);
    let second = issues();
    let print = |issues: &[serde_json::Value]| {
        issues.iter().find(|issue| issue["check_name"] == "multiple-heads").unwrap()["fingerprint"].clone()
    };
    assert_eq!(print(&first), print(&second));
    // Allowed findings do not fail the job.
    let allowed = [
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.as_str()),
        ("OLMAP_FAIL_ON", ""),
        ("OLMAP_ALLOW", "multiple-heads,stranded-entry"),
    ];
    let (code, log) = run_job(clone.path(), &allowed);
    assert_eq!(code, 0, "{log}");
}

#[test]
fn default_branch_is_checked_completely() {
    let repository = sample::new_repository();
    let (code, log) = run_job(repository.path(), &[("OLMAP_BASELINE", ""), ("OLMAP_DENY", "warnings")]);
    assert_eq!(code, 1, "{log}");
    assert!(log.contains("stuck"), "{log}");
    let (code, log) = run_job(repository.path(), &[("OLMAP_DENY", "warnings")]);
    assert_eq!(code, 0, "{log}");
}

#[test]
fn paths_with_blanks_are_paths() {
    let repository = sample::new_repository();
    fs::rename(
        repository.path().join("catalogs/v4.22"),
        repository.path().join("catalogs/next one $(touch pwned)"),
    )
    .unwrap();
    let (code, log) =
        run_job(repository.path(), &[("OLMAP_CATALOGS", "catalogs/v4.20\ncatalogs/next one $(touch pwned)")]);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("catalogs/next one $(touch pwned): 2 packages"), "{log}");
    assert!(!repository.path().join("pwned").exists());
}

/// Returns the variables of a merge request whose notes are on a server.
fn note_variables<'a>(server: &'a GitlabServer, base: &'a str) -> Vec<(&'static str, &'a str)> {
    vec![
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base),
        ("CI_API_V4_URL", server.address.as_str()),
        ("CI_PROJECT_ID", "42"),
        ("CI_MERGE_REQUEST_IID", "5"),
        ("CI_JOB_NAME", "olmap: [$(touch pwned)]"),
        ("CI_JOB_URL", "https://gitlab.example.com/org/catalogs/-/jobs/1"),
        ("OLMAP_NOTE_TOKEN", TOKEN),
    ]
}

#[test]
fn merge_request_has_one_note_that_each_run_edits() {
    let (_origin, clone, base) = gitlab_merge_request(add_good_version);
    // Notes of others are not edited, even if they begin as the note does.
    let mark = "<!-- olmap olmap-touch-pwned- -->";
    let others =
        [(3, "A \"quoted\" review\\"), (8, mark), (7, "mine, of another job"), (7, "<!-- olmap other -->\n")];
    let server = GitlabServer::start(&others);
    let variables = note_variables(&server, &base);
    let (code, log) = run_job(clone.path(), &variables);
    assert_eq!(code, 0, "{log}");
    let is_kept = |notes: &[(u64, String)]| {
        others.iter().zip(notes).all(|(other, note)| (other.0, other.1) == (note.0, note.1.as_str()))
    };
    let notes = server.notes();
    assert_eq!((notes.len(), is_kept(&notes)), (5, true), "{notes:?}");
    let (author, body) = &notes[4];
    assert_eq!(*author, 7);
    let first: Vec<&str> = body.lines().take(2).collect();
    assert_eq!(first[0], mark);
    assert!(first[1].contains("Installed versions: 0 more stuck, "), "{body}");
    for part in [
        "| findings | passed |\n| changes for users | passed |\n",
        "1.2.0",
        "```diff\n@@ before: head ",
        "\n[Findings and log](https://gitlab.example.com/org/catalogs/-/jobs/1)\n",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert_eq!(server.take_requests().last().unwrap(), "POST /api/v4/projects/42/merge_requests/5/notes");
    assert!(!log.contains(TOKEN) && !clone.path().join("pwned").exists(), "{log}");
    // The next run finds its note on the third page.
    add_second_head(clone.path());
    let (code, log) = run_job(clone.path(), &variables);
    assert_eq!(code, 1, "{log}");
    let notes = server.notes();
    assert_eq!((notes.len(), is_kept(&notes)), (5, true), "{notes:?}");
    let body = &notes[4].1;
    assert!(body.contains("**Check before you release:**"), "{body}");
    assert!(body.contains("| findings | **failed** |\n| changes for users | **failed** |\n"), "{body}");
    assert_eq!(server.take_requests().last().unwrap(), "PUT /api/v4/projects/42/merge_requests/5/notes/305");
}

#[test]
fn job_without_a_token_writes_no_note_and_passes() {
    let (_origin, clone, base) = gitlab_merge_request(add_good_version);
    let server = GitlabServer::start(&[]);
    let mut variables = note_variables(&server, &base);
    variables.retain(|(name, _)| *name != "OLMAP_NOTE_TOKEN");
    let (code, log) = run_job(clone.path(), &variables);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("no note on the merge request: OLMAP_NOTE_TOKEN is not set"), "{log}");
    assert_eq!(server.take_requests(), Vec::<String>::new());
}

#[test]
fn refused_token_fails_the_job() {
    let (_origin, clone, base) = gitlab_merge_request(add_good_version);
    let server = GitlabServer::start(&[]);
    for token in ["glpat-old", "a\"b", "a\nurl=file:///etc/passwd"] {
        let mut variables = note_variables(&server, &base);
        variables.retain(|(name, _)| *name != "OLMAP_NOTE_TOKEN");
        variables.push(("OLMAP_NOTE_TOKEN", token));
        let (code, log) = run_job(clone.path(), &variables);
        assert_eq!(code, 2, "{log}");
        assert!(log.contains("does OLMAP_NOTE_TOKEN have the scope api?"), "{log}");
    }
    assert_eq!(server.take_requests(), ["GET /api/v4/user"], "only a token is sent");
    assert_eq!(server.notes(), []);
}

#[test]
fn merge_request_that_touches_no_catalog_gets_no_note() {
    let (_origin, clone, base) = gitlab_merge_request(|at| fs::write(at.join("README.md"), "words").unwrap());
    let server = GitlabServer::start(&[]);
    let (code, log) = run_job(clone.path(), &note_variables(&server, &base));
    assert_eq!((code, server.notes().len()), (0, 0), "{log}");
}
