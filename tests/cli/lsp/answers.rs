//! Answers that other commands give too, and requests of the server to the client.

use std::fs;

use serde_json::{Value, json};

use super::{Client, Demo, client::uri, position_of};
use crate::run::olmap;

/// Returns the hints of a whole document: `line:column label`, and the tooltips.
fn hints_of(client: &mut Client, path: &std::path::Path) -> Vec<(String, String)> {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri(path) }, "range": range });
    let hints = client.request("textDocument/inlayHint", &params)["result"].clone();
    let text = |hint: &Value, key: &str| hint[key].as_str().unwrap().to_owned();
    hints.as_array().unwrap().iter().map(|hint| (text(hint, "label"), text(hint, "tooltip"))).collect()
}

#[test]
fn inlay_hints_match_successors() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let mut client = Client::new(&demo.root(), &json!({}));
    client.open_document(&path, &text);
    let hints = hints_of(&mut client, &path);
    let mut compared = 0;
    for channel in ["stable", "stable-1.9"] {
        let root = demo.root();
        let args =
            ["--package", "granary-operator", "--channel", channel, "--engine", "classic", "-o", "json"];
        let run = olmap(&[&["successors", root.to_str().unwrap()], &args[..]].concat());
        for row in run.json().as_array().unwrap().iter().filter(|row| row["channel"] == channel) {
            let Some(installed) = row["installed"].as_str() else { continue };
            let expected = match row["pick"].as_str() {
                Some(pick) => format!("Classic, channel {channel}: upgrades to {pick}\n"),
                None => format!("Classic, channel {channel}: stays on {installed}\n"),
            };
            let is_entry = text.contains(&format!("- name: {installed}\n"));
            compared +=
                usize::from(is_entry && hints.iter().any(|(_, tooltip)| tooltip.starts_with(&expected)));
        }
    }
    let of_channels = |(_, tooltip): &&(String, String)| {
        tooltip.starts_with("Classic, channel stable:") || tooltip.starts_with("Classic, channel stable-1.9:")
    };
    assert_eq!(compared, hints.iter().filter(of_channels).count(), "{hints:#?}");
    assert!(compared > 5 && hints.iter().any(|(label, _)| label.contains("stuck")), "{hints:#?}");
}

#[test]
fn inlay_hints_are_refreshed_after_changes_elsewhere() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let can = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let mut client = Client::new(&demo.root(), &can);
    client.open_document(&path, &text);
    let before = hints_of(&mut client, &path);
    let is_refresh = |request: &Value| request["method"] == "workspace/inlayHint/refresh";
    assert!(!client.server_requests.iter().any(is_refresh));
    // Another program changes the file of another document.
    let other = demo.root().join("granary-operator/more.yaml");
    let more = "schema: olm.channel\npackage: granary-operator\nname: lost\nentries:\n- name: granary-operator.v2.6.4\n- name: granary-operator.v9.0.0\n  replaces: granary-operator.v2.6.4\n---\nschema: olm.bundle\npackage: granary-operator\nname: granary-operator.v9.0.0\nimage: example.com/granary:9\nproperties:\n- type: olm.package\n  value: {packageName: granary-operator, version: 9.0.0}\n";
    fs::write(&other, more).unwrap();
    client.notify(
        "workspace/didChangeWatchedFiles",
        &json!({ "changes": [{ "uri": uri(&other), "type": 1 }] }),
    );
    client.receive_until(|client| client.server_requests.iter().any(is_refresh));
    assert_ne!(hints_of(&mut client, &path), before);
    // With two open documents, an edit changes the hints of the other document.
    client.open_document(&other, more);
    client.server_requests.clear();
    let (line, column) = position_of(more, "  replaces: granary", 2);
    client.change_document(&other, 2, ((line, column), (line, column + 1)), "x");
    client.receive_until(|client| client.server_requests.iter().any(is_refresh));
}

#[test]
fn actions_accept_a_finding_and_fix_spelling() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let operations = json!({ "documentChanges": true, "resourceOperations": ["create"] });
    let can = json!({
        "workspace": { "workspaceEdit": operations },
        "textDocument": { "publishDiagnostics": { "tagSupport": { "valueSet": [1, 2] } } },
    });
    let mut client = Client::new(&demo.root(), &can);
    let typo =
        text.replacen("  replaces: granary-operator.v2.6.1\n", "  replace: granary-operator.v2.6.1\n", 1);
    client.open_document(&path, &typo);
    let (line, column) = position_of(&typo, "  replace: granary", 4);
    let at = json!({ "line": line, "character": column });
    let mut actions = |only: &Value| -> Vec<Value> {
        let params = json!({
            "textDocument": { "uri": uri(&path) },
            "range": { "start": at, "end": at },
            "context": { "diagnostics": [], "only": only },
        });
        client.request("textDocument/codeAction", &params)["result"].as_array().unwrap().clone()
    };
    let quick = actions(&json!(["quickfix"]));
    let accept =
        quick.iter().find(|action| action["title"].as_str().unwrap().starts_with("Accept unknown-key"));
    let changes = &accept.unwrap()["edit"]["documentChanges"];
    let baseline = demo.root().with_file_name("baseline.yaml");
    assert_eq!((&changes[0]["kind"], &changes[0]["uri"]), (&json!("create"), &json!(uri(&baseline))));
    let written = changes[1]["edits"][0]["newText"].as_str().unwrap().to_owned();
    for kind in ["source", "source.fixAll", "source.fixAll.olmap"] {
        let all = actions(&json!([kind]));
        assert_eq!(all[0]["title"], "Fix all spelling mistakes", "{kind}");
        assert_eq!(all[0]["edit"]["documentChanges"][0]["edits"][0]["newText"], "s");
    }
    assert_eq!(actions(&json!(["source.organizeImports"])), [Value::Null; 0]);
    // The server no longer reports the accepted finding.
    fs::write(&baseline, written).unwrap();
    let event = json!({ "changes": [{ "uri": uri(&baseline), "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", &event);
    let of_file =
        |client: &Client| client.diagnostics[&uri(&path)]["diagnostics"].as_array().unwrap().clone();
    let is_unknown_key = |finding: &Value| finding["code"] == "unknown-key";
    client.receive_until(|client| !of_file(client).iter().any(is_unknown_key));
}

#[test]
fn deprecated_names_are_tagged_for_clients_that_show_it() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let deprecations = "---\nschema: olm.deprecations\npackage: granary-operator\nentries:\n- reference: {schema: olm.channel, name: stable-1.9}\n  message: Use stable.\n";
    let text = text + deprecations;
    for (can, expected) in [(json!({ "valueSet": [1, 2] }), 1), (Value::Null, 0)] {
        let can = json!({ "textDocument": { "publishDiagnostics": { "tagSupport": can } } });
        let mut client = Client::new(&demo.root(), &can);
        client.open_document(&path, &text);
        client.receive_until(|client| client.diagnostics.contains_key(&uri(&path)));
        let findings = client.diagnostics[&uri(&path)]["diagnostics"].clone();
        let tagged = findings.as_array().unwrap().iter().filter(|finding| finding["tags"] == json!([2]));
        let lines: Vec<_> =
            tagged.map(|finding| finding["range"]["start"]["line"].as_u64().unwrap()).collect();
        assert_eq!(lines.len(), expected, "{findings}");
        let (line, _) = position_of(&text, "name: stable-1.9", 0);
        assert!(lines.iter().all(|tagged| *tagged == line as u64));
    }
}

#[test]
fn progress_of_loading_begins_and_ends() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let mut client = Client::new(&demo.root(), &json!({ "window": { "workDoneProgress": true } }));
    client.open_document(&path, &text);
    let is_end = |message: &Value| message["params"]["value"]["kind"] == "end";
    client.receive_until(|client| client.server_requests.iter().any(is_end));
    let told: Vec<_> = client
        .server_requests
        .iter()
        .map(|message| {
            (
                message["method"].as_str().unwrap(),
                message["params"]["value"]["kind"].clone(),
                message["params"]["token"].clone(),
            )
        })
        .collect();
    let token = told[0].2.clone();
    assert_eq!(
        told,
        [
            ("window/workDoneProgress/create", Value::Null, token.clone()),
            ("$/progress", "begin".into(), token.clone()),
            ("$/progress", "report".into(), token.clone()),
            ("$/progress", "end".into(), token),
        ]
    );
    assert!(client.diagnostics.contains_key(&uri(&path)), "the findings are there at the end");
    let mut silent = Client::new(&demo.root(), &json!({}));
    silent.open_document(&path, &text);
    silent.wait_for_findings(&path, 1);
    assert_eq!(silent.server_requests, [Value::Null; 0]);
}

#[test]
fn unsaved_text_that_differs_from_its_template_is_called_unsaved() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let channel = "schema: olm.channel\npackage: ship\nname: stable\nentries:\n- name: ship.v1.0.0\n";
    let package = "schema: olm.package\nname: ship\ndefaultChannel: stable\n";
    write(
        "operators/ship/ci.yaml",
        "fbc:\n  enabled: true\n  catalog_mapping:\n  - {template_name: basic.yaml, type: olm.template.basic, catalog_names: [v4.20]}\n",
    );
    let indent = |text: &str| format!("- {}", text.trim_end().replace('\n', "\n  "));
    let template =
        format!("schema: olm.template.basic\nentries:\n{}\n{}\n", indent(package), indent(channel));
    write("operators/ship/catalog-templates/basic.yaml", &template);
    let text = format!("{package}---\n{channel}");
    write("catalogs/v4.20/ship/catalog.yaml", &text);
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let path = root.join("catalogs/v4.20/ship/catalog.yaml");
    let mut client = Client::new(&root, &json!({}));
    client.open_document(&path, &text);
    let is_different = |finding: &String| finding.ends_with("template-differs");
    assert!(!client.wait_for_findings(&path, 1).iter().any(is_different));
    let (line, column) = position_of(&text, "name: stable", 6);
    client.change_document(&path, 2, ((line, column), (line, column + 6)), "fast");
    let found = client.wait_for_findings(&path, 2);
    assert!(found.iter().any(is_different), "{found:?}");
    let all = client.diagnostics[&uri(&path)]["diagnostics"].clone();
    let differs =
        all.as_array().unwrap().iter().find(|finding| finding["code"] == "template-differs").unwrap();
    let message = differs["message"].as_str().unwrap();
    assert!(message.contains("the catalog is newer: it has unsaved changes"), "{message}");
}
