//! Queries as JSON lines.

use serde_json::json;

use super::run::{fixture, olmap_with};

#[test]
fn range_queries_are_answered_in_order() {
    let questions = r#"{"range": ">=1.0.0", "version": "1.2.3", "dialect": "blang"}
{"range": ">=1.0.0", "version": "0.2.3", "dialect": "masterminds"}

{"range": "~1", "version": "1.2.3", "dialect": "blang"}
{"range": ">=1.0.0", "version": "1.2", "dialect": "blang"}
"#;
    let rows = olmap_with(questions, &["range", "--batch", "-"]).exits(0).json_lines();
    assert_eq!(
        rows[0],
        json!({"range": ">=1.0.0", "version": "1.2.3", "dialect": "blang", "valid": true, "match": true})
    );
    let brief =
        |row: &serde_json::Value| (row["valid"] == true, row["match"] == true, row["error"].is_string());
    let brief: Vec<_> = rows.iter().map(brief).collect();
    assert_eq!(brief, [(true, true, false), (true, false, false), (false, false, true), (true, false, true)]);
}

#[test]
fn successor_queries_are_answered_in_order() {
    let questions = r#"{"package": "anvil", "channel": "stable", "engine": "classic"}
{"package": "anvil", "channel": "stable", "installed": "anvil.v1.0.1", "engine": "classic"}
{"installed": "anvil.v1.2.0", "engine": "v1"}
{"channels": ["stable"], "version": "<1.2", "installed": "1.0.0", "engine": "v1"}
{"package": "gone", "engine": "v1"}
{"package": "anvil", "channel": "gone", "engine": "classic"}
{"installed": "anvil.v9", "engine": "v1"}
"#;
    let rows =
        olmap_with(questions, &["successors", &fixture("anvil"), "--queries", "-"]).exits(0).json_lines();
    assert_eq!(
        rows[0],
        json!({
            "package": "anvil", "channel": "stable", "engine": "classic", "pick": "anvil.v1.2.0",
            "order": ["anvil.v1.2.0", "anvil.v1.1.0", "anvil.v1.0.0"],
            "blocked": [{"kind": "dependency", "text": "this catalog has no provider of \
             forge.example.com/v1 Bellows"}],
            "reason": "it is the head of the channel",
        })
    );
    let picks: Vec<_> = rows.iter().map(|row| row["pick"].as_str().unwrap_or("-")).collect();
    assert_eq!(picks, ["anvil.v1.2.0", "anvil.v1.1.0", "anvil.v2.0.0-rc.1", "anvil.v1.1.0", "-", "-", "-"]);
    let errors: Vec<_> = rows.iter().map(|row| row["error"].is_string()).collect();
    assert_eq!(errors, [false, false, false, false, true, true, true]);
    assert_eq!(rows[3]["channels"], json!(["stable"]));
    assert_eq!(rows[4]["package"], "gone");
}

#[test]
fn query_about_unknown_package_or_channel_is_answered() {
    let questions = "{\"package\": \"gone\", \"engine\": \"classic\"}\n{\"package\": \"lost\", \"engine\": \"classic\"}\n";
    let catalog = "schema: olm.package\nname: lost\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, catalog).unwrap();
    let rows = olmap_with(questions, &["successors", path.to_str().unwrap(), "--queries", "-"])
        .exits(0)
        .json_lines();
    assert_eq!(rows[0]["error"], "no package gone in the catalog");
    assert_eq!(rows[1]["error"], "no channel (default) in the package");
    assert!(rows.iter().all(|row| row.get("channel").is_none()), "{rows:?}");
}

#[test]
fn query_without_an_engine_gets_both_answers() {
    let run = olmap_with("{\"channel\": \"stable\"}\n", &["successors", &fixture("anvil"), "--queries", "-"]);
    let rows = run.exits(0).json_lines();
    let engines: Vec<_> = rows.iter().map(|row| row["engine"].as_str().unwrap()).collect();
    assert_eq!(engines, ["classic", "v1"]);
}

#[test]
fn invalid_line_gets_an_error_and_later_lines_are_answered() {
    let questions = "{\"range\": \"1.0.0\", \"version\": \"1.0.0\", \"dialect\": \"blang\"}\nnonsense\n\
                     {\"range\": \"1.0.0\", \"version\": \"1.0.0\", \"dialect\": \"blang\"}\n";
    let run = olmap_with(questions, &["range", "--batch", "-"]).exits(2);
    let rows = run.json_lines();
    assert_eq!((rows[0]["match"] == true, rows[2]["match"] == true), (true, true));
    assert_eq!(rows[1]["line"], 2);
    assert!(run.err.starts_with("olmap: -:2: not a valid query: "), "{}", run.err);
}

#[test]
fn standard_input_is_read_only_once() {
    let run = olmap_with("", &["successors", "-", "--queries", "-"]).exits(2);
    assert_eq!(run.err, "olmap: standard input can be read only once\n");
    let run = olmap_with("", &["render", "-", "-"]).exits(2);
    assert_eq!(run.err, "olmap: standard input can be read only once\n");
}

#[test]
fn endless_line_is_refused() {
    let catalog = fixture("anvil");
    for args in [
        &["cel", "--batch", "/dev/zero"][..],
        &["range", "--batch", "/dev/zero"],
        &["successors", &catalog, "--queries", "/dev/zero"],
        &["resolve", &catalog, "--queries", "/dev/zero"],
    ] {
        let run = olmap_with("", args).exits(2);
        assert!(
            run.err.starts_with("olmap: /dev/zero:1: the line is longer than 16 MB\n"),
            "{args:?}: {}",
            run.err
        );
    }
    let question = "{\"range\": \"1.0.0\", \"version\": \"1.0.0\", \"dialect\": \"blang\"}\n";
    let long = format!("{question}{}", " ".repeat(17 << 20));
    let run = olmap_with(&long, &["range", "--batch", "-"]).exits(2);
    assert_eq!(run.json_lines().len(), 1, "the lines before it are answered");
    assert!(run.err.contains("-:2: the line is longer"), "{}", run.err);
}
