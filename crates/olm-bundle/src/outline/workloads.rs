//! Deployments: containers with image, arguments, environment and resources.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{
    Row, RowKeys,
    apis::shorten_word,
    contents::{OutlineInput, Piece},
};
use crate::field_access;

const DEPLOYMENTS: [&str; 4] = ["spec", "install", "spec", "deployments"];
const LISTS: [(&str, &str); 2] = [("containers", ""), ("initContainers", "init container")];

/// Returns every container with its deployment, in order.
pub(super) fn all_containers<'m, 't>(bundle: &OutlineInput<'m, 't>) -> Vec<(Piece<'m, 't>, Piece<'m, 't>)> {
    let deployments = bundle.csv_items(&DEPLOYMENTS).into_iter();
    deployments
        .flat_map(|deployment| {
            let lists = LISTS
                .into_iter()
                .flat_map(move |(list, _)| deployment.child_items(&["spec", "template", "spec", list]));
            lists.map(move |container| (deployment, container))
        })
        .collect()
}

pub(super) fn workload_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut keys = RowKeys::default();
    let mut rows = Vec::new();
    for deployment in bundle.csv_items(&DEPLOYMENTS) {
        let name = deployment.child_text(&["name"]);
        let pod = |path: &[&str]| deployment.child(&[&["spec", "template", "spec"], path].concat());
        let replicas = field_access::integer_at(deployment.node, &["spec", "replicas"]).unwrap_or(1);
        let account = pod(&["serviceAccountName"]).map(|piece| piece.child_text(&[])).unwrap_or_default();
        let account = if account.is_empty() { "default".into() } else { account };
        let replicas = if replicas == 1 { "1 replica".to_owned() } else { format!("{replicas} replicas") };
        let value = format!("{replicas}, service account {account}");
        let row = Row::new(name.as_ref(), name.as_ref(), value).with_note(node_features(deployment));
        rows.push(row.with_hidden_hash(hash_hidden_fields(deployment)).with_location(deployment.location()));
        for (list, what) in LISTS {
            for container in pod(&[list]).into_iter().flat_map(Piece::list_items) {
                let key =
                    format!("{}/{}", shorten_word(&name), shorten_word(&container.child_text(&["name"])));
                let head = keys.make_unique(container_row(container, key, what));
                let details = container_detail_rows(container, &head.key);
                rows.push(head);
                rows.extend(details);
            }
        }
    }
    rows
}

/// Returns the node features that a pod uses.
fn node_features(deployment: Piece) -> String {
    let taken = [
        ("hostNetwork", "the node's network"),
        ("hostPID", "the node's processes"),
        ("hostIPC", "the node's IPC"),
    ];
    let is = |key: &str| field_access::is_true_at(deployment.node, &["spec", "template", "spec", key]);
    let mut words: Vec<&str> = taken.into_iter().filter(|(key, _)| is(key)).map(|(_, words)| words).collect();
    let volumes = field_access::items_at(deployment.node, &["spec", "template", "spec", "volumes"]);
    if volumes.iter().any(|volume| field_access::node_at(volume, &["hostPath"]).is_some()) {
        words.push("directories of the node");
    }
    if words.is_empty() { String::new() } else { format!("uses {}", words.join(", ")) }
}

/// Returns a hash of the fields of a deployment that no row shows.
fn hash_hidden_fields(deployment: Piece) -> u64 {
    let rest = |path: &[&str], told: &[&str]| {
        deployment.child(path).map(|piece| super::hash_without(piece.node, told)).unwrap_or_default()
    };
    let mut hasher = DefaultHasher::new();
    super::hash_without(deployment.node, &["name", "spec"]).hash(&mut hasher);
    rest(&["spec"], &["replicas", "template"]).hash(&mut hasher);
    rest(&["spec", "template"], &["spec"]).hash(&mut hasher);
    let told = ["containers", "initContainers", "serviceAccountName", "hostNetwork", "hostPID", "hostIPC"];
    rest(&["spec", "template", "spec"], &told).hash(&mut hasher);
    hasher.finish()
}

/// Fields of a container that its rows show.
const SHOWN_FIELDS: [&str; 8] = ["name", "image", "command", "args", "ports", "env", "envFrom", "resources"];

fn container_row(container: Piece, key: String, what: &str) -> Row {
    let privileged = field_access::is_true_at(container.node, &["securityContext", "privileged"]);
    let note = [what, if privileged { "privileged" } else { "" }];
    let note: Vec<&str> = note.into_iter().filter(|word| !word.is_empty()).collect();
    let name = container.child_text(&["name"]);
    Row::new(key, name.as_ref(), container.child_text(&["image"]))
        .with_note(note.join(", "))
        .with_hidden_hash(super::hash_without(container.node, &SHOWN_FIELDS))
        .with_level(1)
        .with_location(container.location())
}

fn container_detail_rows(container: Piece, key: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name: String, label: &str, value: String, piece: Option<Piece>| {
        rows.push(
            Row::new(format!("{key} {name}"), label, value)
                .with_level(2)
                .with_location(piece.and_then(Piece::location)),
        );
    };
    for list in ["command", "args"] {
        let texts = container.child_texts(&[list]);
        if !texts.is_empty() {
            add(list.to_owned(), list, texts.join(" "), container.child(&[list]));
        }
    }
    for port in container.child_items(&["ports"]) {
        let [number, name, protocol] =
            ["containerPort", "name", "protocol"].map(|key| port.child_text(&[key]));
        let value = [number.as_ref(), name.as_ref(), protocol.as_ref()].join(" ");
        add(format!("port {number}"), "port", value.trim().to_owned(), Some(port));
    }
    for variable in container.child_items(&["env"]) {
        let name = variable.child_text(&["name"]);
        let value = match variable.child(&["valueFrom"]) {
            Some(source) => format_value_source(source),
            None => variable.child_text(&["value"]).into_owned(),
        };
        add(format!("env {name}"), "env", format!("{name}={value}"), Some(variable));
    }
    for source in container.child_items(&["envFrom"]) {
        let value = format_value_source(source);
        add(format!("env from {value}"), "env", value, Some(source));
    }
    for list in ["requests", "limits"] {
        let Some(map) = container.child(&["resources", list]) else { continue };
        let amounts = map.node.members().iter();
        let amounts =
            amounts.map(|member| format!("{} {}", member.key, field_access::text_at(&member.value, &[])));
        let amounts: Vec<String> = amounts.collect();
        if !amounts.is_empty() {
            add(list.to_owned(), list, amounts.join(", "), Some(map));
        }
    }
    rows
}

/// Returns the source of a variable's value in short form.
fn format_value_source(source: Piece) -> String {
    let text = |path: &[&str]| source.child_text(path).into_owned();
    let pairs = [
        ("fieldRef", "field", "fieldPath"),
        ("resourceFieldRef", "resource", "resource"),
        ("configMapKeyRef", "ConfigMap", "key"),
        ("secretKeyRef", "Secret", "key"),
        ("configMapRef", "ConfigMap", ""),
        ("secretRef", "Secret", ""),
    ];
    let found = pairs.into_iter().find(|(key, _, _)| source.child(&[key]).is_some());
    let Some((key, what, field)) = found else { return "(a source that is not known)".to_owned() };
    let words = [what.to_owned(), text(&[key, "name"]), text(&[key, field])];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    format!("({})", words.join(" "))
}
