use std::{collections::BTreeMap, path::PathBuf};

use super::*;
use crate::catalog::{
    meta,
    node::{Number, Value},
};

/// The conformance data of the reference programs, where it is at hand.
fn conformance(file: &str) -> Option<String> {
    let root = env!("CARGO_MANIFEST_DIR");
    let places = [
        std::env::var("OLMAP_CONFORMANCE").unwrap_or_default(),
        format!("{root}/../shared/conformance"),
        format!("{root}/../../shared/conformance"),
    ];
    let text = places.iter().find_map(|place| std::fs::read_to_string(PathBuf::from(place).join(file)).ok());
    if text.is_none() {
        println!("skipped: no conformance data");
    }
    text
}

/// All documents of a file, or the first reason why opm would refuse it.
fn read(bytes: &[u8]) -> Result<Vec<Node>, String> {
    let mut documents = Vec::new();
    for chunk in split(bytes) {
        let node = match chunk.kind {
            ChunkKind::NoObject => continue,
            ChunkKind::Unreadable(error) => return Err(error.to_string()),
            ChunkKind::Document(format) => {
                parse(format, &bytes[chunk.range]).map_err(|error| error.to_string())?
            }
        };
        meta::head(&node).map_err(|error| error.to_string())?;
        documents.push(node);
    }
    Ok(documents)
}

/// A tree as text: keys sorted, the last of a name; numbers to 15 digits and zero without a sign, for `serde_json`
/// reads floats to an ulp only, and the data has lost the sign.
fn canonical(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(Number(text)) => number(text.parse().unwrap()),
        Value::String(text) => format!("{text:?}"),
        Value::List(items) => list(items.iter().map(canonical)),
        Value::Map(members) => map(members.iter().map(|m| (m.key.as_str(), canonical(&m.value)))),
    }
}

fn expected(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Number(n) => number(n.as_f64().unwrap()),
        serde_json::Value::String(text) => format!("{text:?}"),
        serde_json::Value::Array(items) => list(items.iter().map(expected)),
        serde_json::Value::Object(members) => map(members.iter().map(|(k, v)| (k.as_str(), expected(v)))),
        other => other.to_string(),
    }
}

fn number(n: f64) -> String {
    format!("{:.14e}", n + 0.0)
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn map<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let members: BTreeMap<_, _> = members.collect();
    format!("{members:?}")
}

#[test]
fn edge_cases_read_as_opm_reads_them() {
    use base64::Engine;
    let Some(text) = conformance("yaml-edge.json") else { return };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let input = match case["input"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64::prelude::BASE64_STANDARD.decode(case["input_base64"].as_str().unwrap()).unwrap(),
        };
        let ours = read(&input);
        let same = match (&ours, case.get("docs")) {
            (Ok(documents), Some(docs)) => {
                let mut ours: Vec<String> = documents.iter().map(canonical).collect();
                let mut theirs: Vec<String> = docs.as_array().unwrap().iter().map(expected).collect();
                ours.sort();
                theirs.sort();
                ours == theirs
            }
            (Err(_), None) => true,
            _ => false,
        };
        if !same {
            wrong.push(format!(
                "{case}\n  ours: {:?}",
                ours.map(|d| d.iter().map(canonical).collect::<Vec<_>>())
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
