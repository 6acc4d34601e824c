//! `olmap lsp`: the protocol, tested with a simple client and with Neovim.

mod answers;
mod client;
mod neovim;

use std::{
    fs,
    path::{Path, PathBuf},
};

use client::{Client, uri};
use serde_json::{Value, json};

use crate::run::olmap;

/// Writable copy of the demo.
struct Demo {
    folder: tempfile::TempDir,
}

impl Demo {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/catalog");
        for package in ["granary-operator", "folio-operator"] {
            let to = folder.path().join("catalog").join(package);
            fs::create_dir_all(&to).unwrap();
            for file in fs::read_dir(from.join(package)).unwrap().flatten() {
                fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        }
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("catalog")
    }

    fn granary_file(&self) -> (PathBuf, String) {
        let path = self.root().join("granary-operator/catalog.yaml");
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    }
}

/// Returns the line and column `into` characters after the start of a text.
fn position_of(text: &str, what: &str, into: usize) -> (usize, usize) {
    let at = text.find(what).unwrap() + into;
    let line = text[..at].matches('\n').count();
    (line, at - text[..at].rfind('\n').map_or(0, |at| at + 1))
}

/// Returns the findings of `olmap validate` about a file, as `line:column rule`.
fn validate_file(root: &Path, file: &str) -> Vec<String> {
    let run = olmap(&["validate", "--format", "json", root.to_str().unwrap()]);
    let rows = run.json();
    let here = rows.as_array().unwrap().iter().filter(|row| row["path"].as_str().unwrap().ends_with(file));
    let line = |row: &Value| {
        let number = |key: &str| row[key].as_u64().unwrap_or(1) - 1;
        format!("{}:{} {}", number("line"), number("column"), row["rule"].as_str().unwrap())
    };
    here.map(line).collect()
}

#[test]
fn findings_match_validate_and_follow_edits() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let mut client = Client::new(&demo.root(), &json!({}));
    assert_eq!(client.capabilities["positionEncoding"], "utf-16");
    client.open_document(&path, &text);
    assert_eq!(
        client.wait_for_findings(&path, 1),
        validate_file(&demo.root(), "granary-operator/catalog.yaml")
    );
    let finding = client.diagnostics[&uri(&path)]["diagnostics"][0].clone();
    assert!(finding["message"].as_str().unwrap().contains("\nhelp: "), "{finding}");
    assert_eq!((&finding["source"], finding["code"].is_string()), (&json!("olmap"), true));

    let before = client.latest_findings(&path);
    let (line, column) = position_of(&text, "replaces: granary-operator.v3.1.0", 10);
    client.change_document(&path, 2, ((line, column), (line, column + 3)), "GRA");
    let typed = client.wait_for_findings(&path, 2);
    assert!(typed.iter().any(|finding| finding.starts_with(&format!("{line}:{column} "))), "{typed:?}");
    assert_ne!(typed, before);
    client.change_document(&path, 3, ((line, column), (line, column + 3)), "gra");
    assert_eq!(client.wait_for_findings(&path, 3), before);
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "nothing is written");
    assert_eq!(client.shut_down(true), Some(0));
}

#[test]
fn requests_are_answered_while_the_document_is_broken() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let mut client = Client::new(&demo.root(), &json!({}));
    client.open_document(&path, &text);
    let entry = position_of(&text, "- name: granary-operator.v2.6.4", 12);
    let hover = client.request_at("hover", &path, entry, &Value::Null);
    let told = hover["result"]["contents"]["value"].as_str().unwrap().to_owned();
    assert!(told.contains("Classic, channel stable: stays on granary-operator.v2.6.4"), "{told}");
    let edge = position_of(&text, "replaces: granary-operator.v3.1.0", 12);
    let at = (edge.0 + 1, 0);
    client.change_document(&path, 2, (at, at), "  skips:\n  - granary{\n\t[\n");
    let hover = client.request_at("hover", &path, entry, &Value::Null);
    assert_eq!(hover["result"]["contents"]["value"], told);
    let found = client.request_at("definition", &path, edge, &Value::Null)["result"].clone();
    let definition = position_of(&text, "name: granary-operator.v3.1.0\npackage", 6).0 + 3;
    assert_eq!(found[0]["range"]["start"]["line"], definition, "three lines further down");
    assert!(client.wait_for_findings(&path, 2).iter().any(|finding| finding.ends_with("yaml-syntax")));
    let refused = client.request_at("rename", &path, edge, &json!({ "newName": "x" }));
    assert!(refused["error"]["message"].as_str().unwrap().contains("cannot be read"), "{refused}");
}

#[test]
fn code_action_fixes_the_finding() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let can = json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } });
    let mut client = Client::new(&demo.root(), &can);
    client.open_document(&path, &text);
    let (line, column) = position_of(&text, "- name: granary-operator.v2.6.4", 10);
    let at = json!({ "line": line, "character": column });
    let params = json!({
        "textDocument": { "uri": uri(&path) },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [] },
    });
    // A request before the first check waits for its result.
    let actions = client.request("textDocument/codeAction", &params)["result"].clone();
    let action =
        actions.as_array().unwrap().iter().find(|a| a["title"].as_str().unwrap().starts_with("Fix stuck:"));
    let change = &action.unwrap()["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 1);
    assert!(client.latest_findings(&path).iter().any(|finding| finding.ends_with("stuck")));
    let edits = change["edits"].as_array().unwrap().clone();
    for edit in edits.iter().rev() {
        let params = json!({
            "textDocument": { "uri": uri(&path), "version": 2 },
            "contentChanges": [{ "range": edit["range"], "text": edit["newText"] }],
        });
        client.notify("textDocument/didChange", &params);
    }
    assert!(!client.wait_for_findings(&path, 2).iter().any(|finding| finding.ends_with("stuck")));
}

#[test]
fn releases_are_offered_as_refactorings() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let mut client = Client::new(&demo.root(), &json!({}));
    client.open_document(&path, &text);
    let (line, column) = position_of(&text, "- name: granary-operator.v2.6.4", 10);
    let at = json!({ "line": line, "character": column });
    let mut titles = |only: &Value| -> Vec<String> {
        let params = json!({
            "textDocument": { "uri": uri(&path) },
            "range": { "start": at, "end": at },
            "context": { "diagnostics": [], "only": only },
        });
        let actions = client.request("textDocument/codeAction", &params)["result"].clone();
        let title = |action: &Value| action["title"].as_str().unwrap().to_owned();
        actions.as_array().unwrap().iter().map(title).collect()
    };
    let release = "Release granary-operator.v2.6.4 to stable-1.9 (head)";
    let remove = "Remove granary-operator.v2.6.4 from stable";
    let deprecate = "Deprecate granary-operator.v2.6.4";
    assert_eq!(titles(&json!(["refactor"])), [release, remove, deprecate]);
    assert_eq!(titles(&json!(["refactor.rewrite"])), [""; 0]);
    assert!(!titles(&json!(["quickfix"])).iter().any(|title| title == release));
    assert_eq!(titles(&json!(["source"])), [""; 0]);
}

#[test]
fn files_changed_by_other_programs_are_reloaded() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let can = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut client = Client::new(&demo.root(), &can);
    client.open_document(&path, &text);
    let before = client.wait_for_findings(&path, 1);
    client.receive_until(|client| !client.server_requests.is_empty());
    assert_eq!(client.server_requests[0]["method"], "client/registerCapability");
    let other = demo.root().join("granary-operator/more.yaml");
    fs::write(&other, "schema: olm.channel\npackage: granary-operator\nname: lost\nentries: [{name: granary-operator.v0.0.1}]\n").unwrap();
    client.diagnostics.clear();
    client.notify(
        "workspace/didChangeWatchedFiles",
        &json!({ "changes": [{ "uri": uri(&other), "type": 1 }] }),
    );
    client.receive_until(|client| client.diagnostics.contains_key(&uri(&other)));
    assert!(
        client.latest_findings(&other).iter().any(|finding| finding.ends_with("entry-without-bundle")),
        "{:?}",
        client.latest_findings(&other)
    );
    fs::remove_file(&other).unwrap();
    client.notify(
        "workspace/didChangeWatchedFiles",
        &json!({ "changes": [{ "uri": uri(&other), "type": 3 }] }),
    );
    client.receive_until(|client| client.latest_findings(&other).is_empty());
    assert_eq!(client.latest_findings(&path), before);
    // If the last document is closed, all findings are withdrawn.
    client.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri(&path) } }));
    client.receive_until(|client| client.latest_findings(&path).is_empty());
}

#[test]
fn accepted_findings_are_not_reported() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let baseline = demo.root().join("granary-operator/../../baseline.yaml");
    let root = demo.root();
    olmap(&["validate", root.to_str().unwrap(), "--write-baseline", baseline.to_str().unwrap()]).exits(0);
    let mut client = Client::new(&demo.root(), &json!({}));
    client.open_document(&path, &text);
    assert_eq!(client.wait_for_findings(&path, 1), Vec::<String>::new());
    fs::remove_file(&baseline).unwrap();
    client.notify(
        "workspace/didChangeWatchedFiles",
        &json!({ "changes": [{ "uri": uri(&baseline), "type": 3 }] }),
    );
    client.receive_until(|client| !client.latest_findings(&path).is_empty());
}

#[test]
fn malformed_messages_do_not_end_the_server() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let mut client = Client::start_server();
    let early = client.request("textDocument/hover", &json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    let params = json!({ "capabilities": { "general": { "positionEncodings": ["utf-8", "utf-16"] } }, "workspaceFolders": 7 });
    let answer = client.request("initialize", &params);
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-8");
    for body in ["{", "[]", "null", "\"x\"", "{\"id\": {}}", "{\"method\": 1}", "\u{0}"] {
        client.send(body.as_bytes());
    }
    client.send(&[0xff, 0xfe]);
    client.notify("textDocument/didOpen", &json!({ "textDocument": 1 }));
    client.notify("textDocument/didChange", &json!({ "textDocument": { "uri": "file:///nowhere" } }));
    client.notify("textDocument/didClose", &json!({}));
    client.notify("no/such", &Value::Null);
    client.open_document(Path::new("/nowhere/at/all.yaml"), "schema: olm.package\nname: a\n");
    client.notify("textDocument/didOpen", &json!({ "textDocument": { "uri": "untitled:1", "languageId": "yaml", "version": 1, "text": "schema: olm.package\n" } }));
    client.open_document(&path, &text);
    let far = client.request_at("hover", &path, (4_000_000_000, 4_000_000_000), &Value::Null);
    assert_eq!(far["result"], Value::Null, "{far}");
    for method in [
        "hover",
        "completion",
        "definition",
        "references",
        "rename",
        "documentSymbol",
        "codeAction",
        "foldingRange",
    ] {
        let unknown = client.request_at(method, Path::new("/not/open.yaml"), (0, 0), &Value::Null);
        assert_eq!(unknown["result"], Value::Null, "{method}: {unknown}");
        let wrong = client.request(&format!("textDocument/{method}"), &json!([]));
        assert_eq!(wrong["error"]["code"], -32602, "{method}: {wrong}");
    }
    assert_eq!(client.request("textDocument/nope", &json!({}))["error"]["code"], -32601);
    assert!(client.wait_for_findings(&path, 1).iter().any(|finding| finding.ends_with("stuck")));
    assert!(client.log.len() >= 8, "{:?}", client.log);
    assert_eq!(client.request("shutdown", &Value::Null)["result"], Value::Null);
    assert_eq!(client.request("shutdown", &Value::Null)["error"]["code"], -32600);
    assert_eq!(client.shut_down(false), Some(0), "shut down, and then the input ended");
    assert_eq!(Client::start_server().shut_down(false), Some(1), "ended without a word");
}

#[test]
fn messages_after_a_wrong_content_length_are_answered() {
    let body = "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}";
    let lengths = ["abc", "-5", "", "5", "34", "40", "1000000", "99999999999999999999"];
    let wrong = lengths.map(|length| format!("Content-Length: {length}\r\n\r\n{body}"));
    let more = [
        format!("Content-Length: 3\r\nContent-Length: 2\r\n\r\n{body}"),
        format!("X: y\r\n\r\n{body}"),
        format!("Content-Length: abc\r\n\r\n{}", "x".repeat(1 << 20)),
        "Content-Length: abc\r\n".to_owned(),
    ];
    let mut client = Client::start_server();
    client.request("initialize", &json!({ "capabilities": {} }));
    for wrong in wrong.iter().chain(&more) {
        let reports = client.log.len();
        client.send_raw(wrong.as_bytes());
        for _ in 0..3 {
            let answer = client.request("textDocument/nope", &json!({}));
            assert_eq!(answer["error"]["code"], -32601, "{wrong:.50}: {answer}");
        }
        let reports = client.log.len() - reports;
        assert!((1..=2).contains(&reports), "{wrong:.50}: {reports} reports");
    }
    assert_eq!(client.shut_down(true), Some(0));
}

#[test]
fn cancelled_request_is_answered_at_once() {
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let mut client = Client::new(&demo.root(), &json!({}));
    client.open_document(&path, &text);
    let params = json!({ "textDocument": { "uri": uri(&path) }, "position": { "line": 1, "character": 17 } });
    let id = client.send_request("textDocument/hover", &params);
    client.notify("$/cancelRequest", &json!({ "id": id }));
    let answer = client.wait_for_answer(id);
    // The request may be answered before it is canceled.
    assert!(answer["error"]["code"] == -32800 || answer["result"].is_object(), "{answer}");
    assert!(client.request_at("hover", &path, (1, 17), &Value::Null)["result"].is_object());
}

#[test]
fn bundle_directories_and_templates_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let bundle = root.join("ship/1.0.0");
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: ship.v1.0.0\nspec:\n  version: 1.0.1\n";
    for (file, text) in [("manifests/csv.yaml", csv), ("metadata/annotations.yaml", "annotations: {}\n")] {
        fs::create_dir_all(bundle.join(file).parent().unwrap()).unwrap();
        fs::write(bundle.join(file), text).unwrap();
    }
    let mut client = Client::new(&root, &json!({}));
    let path = bundle.join("manifests/csv.yaml");
    client.open_document(&path, csv);
    let before = client.wait_for_findings(&path, 1);
    assert!(!before.is_empty());
    client.change_document(&path, 2, ((3, 2), (3, 6)), "nome");
    assert_ne!(client.wait_for_findings(&path, 2), before, "what is typed counts");
    let symbols = client.request_at("documentSymbol", &path, (0, 0), &Value::Null);
    assert_eq!(symbols["result"][3]["name"], "spec");

    let template = root.join("template.yaml");
    let text = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: ship\n  defaultChannel: gone\n- schema: olm.channel\n  package: ship\n  name: stable\n  entries:\n  - name: ship.v1.0.0\n";
    client.open_document(&template, text);
    let found = client.wait_for_findings(&template, 1);
    assert!(found.iter().any(|finding| finding.contains("4:18 ")), "{found:?}");
    let offered = client.request_at("completion", &template, (4, 22), &Value::Null);
    assert_eq!(offered["result"][0]["label"], "stable");
}

#[test]
fn catalogs_in_one_folder_are_checked_separately() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let text = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\nname: stable\nentries:\n- name: ship.v1.0.0\n";
    for name in ["v4.18.yaml", "v4.20.yaml"] {
        fs::write(root.join(name), text).unwrap();
    }
    let mut client = Client::new(&root, &json!({}));
    let path = root.join("v4.18.yaml");
    client.open_document(&path, text);
    assert_eq!(client.wait_for_findings(&path, 1), ["8:8 entry-without-bundle"]);
    let found = client.request_at("references", &path, (8, 12), &Value::Null);
    assert_eq!(found["result"].as_array().unwrap().len(), 1, "{found}");
}
