//! Minimal runner for composite actions: steps in order, inputs, files that steps write, and
//! conditions of comparisons joined by `&&`. Other actions are recorded but not run.

use std::{collections::BTreeMap, fs, path::Path};

use serde_yaml::Value;
use tempfile::TempDir;

use super::sample::{self, clean_command, code_and_output, root};

pub type Variables = BTreeMap<String, String>;

/// Result of a run.
pub struct Run {
    pub code: i32,
    pub log: String,
    pub summary: String,
    pub outputs: Variables,
    /// Used actions by name, with their inputs.
    pub used: BTreeMap<String, Variables>,
    /// Arguments of olmap for reports.
    pub reports: String,
    pub path: String,
}

/// Pull request on a simulated server.
pub struct Server {
    folder: TempDir,
    bin: TempDir,
    pub github: Variables,
    pub env: Variables,
    pub has_olmap: bool,
}

impl Server {
    pub fn new() -> Self {
        let words = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let server = Self {
            folder: tempfile::tempdir().unwrap(),
            bin: sample::install_programs(),
            github: words(&[
                ("token", "secret"),
                ("action_repository", "org/olmap"),
                ("action_ref", "v1"),
                ("event.pull_request.number", "7"),
                ("event.pull_request.head.repo.full_name", "org/catalogs"),
            ]),
            env: words(&[
                ("GITHUB_ACTIONS", "true"),
                ("GITHUB_EVENT_NAME", "pull_request"),
                ("GITHUB_BASE_REF", "main"),
                ("GITHUB_SERVER_URL", "https://github.example.com"),
                ("GITHUB_REPOSITORY", "org/catalogs"),
                ("GITHUB_RUN_ID", "1"),
                ("GITHUB_WORKFLOW", "catalogs"),
                ("GITHUB_JOB", "review"),
            ]),
            has_olmap: true,
        };
        fs::write(server.file_path("comments.json"), "[]").unwrap();
        server
    }

    fn file_path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Returns the content of a file kept for the pull request; empty if there is none.
    pub fn kept_file(&self, name: &str) -> String {
        fs::read_to_string(self.file_path(name)).unwrap_or_default()
    }

    /// Returns the comments of the pull request.
    pub fn comments(&self) -> Vec<serde_json::Value> {
        serde_json::from_str(&self.kept_file("comments.json")).unwrap()
    }

    pub fn set_comments(&self, comments: &serde_json::Value) {
        fs::write(self.file_path("comments.json"), comments.to_string()).unwrap();
    }

    /// Runs the action in a checkout.
    pub fn run_action(&self, checkout: &Path, inputs: &[(&str, &str)]) -> Run {
        let text = fs::read_to_string(root().join("action.yml")).unwrap();
        let action: Value = serde_yaml::from_str(&text).unwrap();
        let mut known =
            self.github.clone().into_iter().map(|(k, v)| (format!("github.{k}"), v)).collect::<Variables>();
        for (name, input) in action["inputs"].as_mapping().unwrap() {
            let name = name.as_str().unwrap();
            let given = inputs.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
            let default = || expand_expressions(input["default"].as_str().unwrap(), &known);
            let value = given.unwrap_or_else(default);
            known.insert(format!("inputs.{name}"), value);
        }
        for name in inputs.iter().map(|(name, _)| name) {
            assert!(known.contains_key(&format!("inputs.{name}")), "no input {name}");
        }
        let mut run = Run {
            code: 0,
            log: String::new(),
            summary: String::new(),
            outputs: Variables::new(),
            used: BTreeMap::new(),
            reports: String::new(),
            path: String::new(),
        };
        for name in ["summary", "output", "path", "report.log"] {
            _ = fs::remove_file(self.file_path(name));
        }
        let steps = action["runs"]["steps"].as_sequence().unwrap();
        for (at, step) in steps.iter().enumerate() {
            let condition = step.get("if").map(|condition| condition.as_str().unwrap());
            // A step after a failed one is skipped.
            if run.code != 0 || !condition.is_none_or(|condition| is_condition_true(condition, &known)) {
                continue;
            }
            let pairs = |name: &str| -> Variables {
                let pairs = step.get(name).and_then(Value::as_mapping).into_iter().flatten();
                pairs
                    .map(|(k, v)| {
                        (k.as_str().unwrap().to_owned(), expand_expressions(v.as_str().unwrap(), &known))
                    })
                    .collect()
            };
            if let Some(action) = step.get("uses") {
                let (name, _) = action.as_str().unwrap().split_once('@').unwrap();
                run.used.insert(name.to_owned(), pairs("with"));
                if let Some(id) = step.get("id").and_then(Value::as_str)
                    && name == "actions/upload-artifact"
                {
                    let name = format!("steps.{id}.outputs.artifact-url");
                    known.insert(name, "https://github.example.com/artifacts/9".to_owned());
                }
                continue;
            }
            let script = step["run"].as_str().unwrap();
            assert!(!script.contains("${{"), "an expression in a script is a hole: {script}");
            assert_eq!(step["shell"].as_str(), Some("bash"));
            let mut env = self.env.clone();
            env.extend(pairs("env"));
            for (name, file) in [
                ("GITHUB_OUTPUT", "output"),
                ("GITHUB_STEP_SUMMARY", "summary"),
                ("GITHUB_PATH", "path"),
                ("GH_LOG", "gh.log"),
                ("GH_STATE", "comments.json"),
                ("REPORT_LOG", "report.log"),
            ] {
                env.insert(name.to_owned(), self.file_path(file));
            }
            // The checkout is the commit of the event, unless a test sets another one.
            env.entry("GITHUB_SHA".to_owned())
                .or_insert_with(|| sample::git_output(checkout, &["rev-parse", "HEAD"]));
            env.insert("RUNNER_TEMP".to_owned(), self.file_path(""));
            env.insert("GITHUB_ACTION_PATH".to_owned(), root().to_str().unwrap().to_owned());
            fs::write(self.file_path("output"), "").unwrap();
            let bin = self.has_olmap.then(|| self.bin.path());
            let mut shell = clean_command("bash", checkout, bin, &env);
            // Directories that earlier steps added to `PATH`.
            let before =
                shell.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_str().unwrap();
            let path: Vec<String> =
                self.kept_file("path").lines().rev().map(str::to_owned).chain([before.to_owned()]).collect();
            shell.env("PATH", path.join(":"));
            shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
            let (code, log) = code_and_output(&shell.output().unwrap());
            run.log += &log;
            run.code = code;
            for (name, value) in parse_outputs(&self.kept_file("output")) {
                let id = step.get("id").and_then(Value::as_str).map_or_else(|| at.to_string(), str::to_owned);
                known.insert(format!("steps.{id}.outputs.{name}"), value);
            }
        }
        for (name, output) in action["outputs"].as_mapping().unwrap() {
            let value = expand_expressions(output["value"].as_str().unwrap(), &known);
            run.outputs.insert(name.as_str().unwrap().to_owned(), value);
        }
        (run.summary, run.reports, run.path) =
            (self.kept_file("summary"), self.kept_file("report.log"), self.kept_file("path"));
        run
    }
}

/// Parses the content of `GITHUB_OUTPUT`: `name<<end`, lines, `end`.
fn parse_outputs(text: &str) -> Variables {
    let mut outputs = Variables::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (name, end) = line.split_once("<<").unwrap();
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
        outputs.insert(name.to_owned(), value.join("\n"));
    }
    outputs
}

/// Replaces the expressions in a text by their values.
fn expand_expressions(text: &str, known: &Variables) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (expression, behind) = after.split_once("}}").unwrap();
        out += before;
        out += &evaluate(expression, known);
        rest = behind;
    }
    out + rest
}

fn is_condition_true(condition: &str, known: &Variables) -> bool {
    condition.split("&&").all(|part| {
        let equal = |(a, b): (&str, &str)| evaluate(a, known) == evaluate(b, known);
        let unequal = part.split_once("!=").map(|pair| !equal(pair));
        unequal
            .or_else(|| part.split_once("==").map(equal))
            .unwrap_or_else(|| panic!("not a comparison: {part}"))
    })
}

fn evaluate(expression: &str, known: &Variables) -> String {
    let expression = expression.trim();
    if let Some(text) = expression.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return text.to_owned();
    }
    let is_path = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    assert!(expression.chars().all(is_path), "not an expression of this runner: {expression}");
    known.get(expression).cloned().unwrap_or_default()
}
