//! Deployments: containers with image, arguments, environment and resources.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{
    Row,
    contents::{BundleContents, Piece},
    format::short,
    keys::Keys,
    unseen,
};
use crate::bundle::read;

const DEPLOYMENTS: [&str; 4] = ["spec", "install", "spec", "deployments"];
const LISTS: [(&str, &str); 2] = [("containers", ""), ("initContainers", "init container")];

/// Returns every container with its deployment, in order.
pub(super) fn containers<'m, 't>(bundle: &BundleContents<'m, 't>) -> Vec<(Piece<'m, 't>, Piece<'m, 't>)> {
    let deployments = bundle.items(&DEPLOYMENTS).into_iter();
    deployments
        .flat_map(|deployment| {
            let lists = LISTS
                .into_iter()
                .flat_map(move |(list, _)| deployment.list(&["spec", "template", "spec", list]));
            lists.map(move |container| (deployment, container))
        })
        .collect()
}

pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let mut keys = Keys::default();
    let mut rows = Vec::new();
    for deployment in bundle.items(&DEPLOYMENTS) {
        let name = deployment.text(&["name"]);
        let pod = |path: &[&str]| deployment.at(&[&["spec", "template", "spec"], path].concat());
        let replicas = read::whole(deployment.node, &["spec", "replicas"]).unwrap_or(1);
        let account = pod(&["serviceAccountName"]).map(|piece| piece.text(&[])).unwrap_or_default();
        let account = if account.is_empty() { "default".into() } else { account };
        let replicas = if replicas == 1 { "1 replica".to_owned() } else { format!("{replicas} replicas") };
        let value = format!("{replicas}, service account {account}");
        let row = Row::new(name.as_ref(), name.as_ref(), value).note(host(deployment));
        rows.push(row.unseen(rest_of_deployment(deployment)).at(deployment.spot()));
        for (list, what) in LISTS {
            for container in pod(&[list]).into_iter().flat_map(Piece::items) {
                let key = format!("{}/{}", short(&name), short(&container.text(&["name"])));
                let head = keys.make_unique(container_head(container, key, what));
                let details = container_rows(container, &head.key);
                rows.push(head);
                rows.extend(details);
            }
        }
    }
    rows
}

/// Returns the node features that a pod uses.
fn host(deployment: Piece) -> String {
    let taken = [
        ("hostNetwork", "the node's network"),
        ("hostPID", "the node's processes"),
        ("hostIPC", "the node's IPC"),
    ];
    let is = |key: &str| read::truth(deployment.node, &["spec", "template", "spec", key]);
    let mut words: Vec<&str> = taken.into_iter().filter(|(key, _)| is(key)).map(|(_, words)| words).collect();
    let volumes = read::items(deployment.node, &["spec", "template", "spec", "volumes"]);
    if volumes.iter().any(|volume| read::at(volume, &["hostPath"]).is_some()) {
        words.push("directories of the node");
    }
    if words.is_empty() { String::new() } else { format!("uses {}", words.join(", ")) }
}

/// Returns a hash of the fields of a deployment that no row shows.
fn rest_of_deployment(deployment: Piece) -> u64 {
    let rest = |path: &[&str], told: &[&str]| {
        deployment.at(path).map(|piece| unseen::hash_without(piece.node, told)).unwrap_or_default()
    };
    let mut hasher = DefaultHasher::new();
    unseen::hash_without(deployment.node, &["name", "spec"]).hash(&mut hasher);
    rest(&["spec"], &["replicas", "template"]).hash(&mut hasher);
    rest(&["spec", "template"], &["spec"]).hash(&mut hasher);
    let told = ["containers", "initContainers", "serviceAccountName", "hostNetwork", "hostPID", "hostIPC"];
    rest(&["spec", "template", "spec"], &told).hash(&mut hasher);
    hasher.finish()
}

/// Fields of a container that its rows show.
const SHOWN: [&str; 8] = ["name", "image", "command", "args", "ports", "env", "envFrom", "resources"];

fn container_head(container: Piece, key: String, what: &str) -> Row {
    let privileged = read::truth(container.node, &["securityContext", "privileged"]);
    let note = [what, if privileged { "privileged" } else { "" }];
    let note: Vec<&str> = note.into_iter().filter(|word| !word.is_empty()).collect();
    let name = container.text(&["name"]);
    Row::new(key, name.as_ref(), container.text(&["image"]))
        .note(note.join(", "))
        .unseen(unseen::hash_without(container.node, &SHOWN))
        .level(1)
        .at(container.spot())
}

fn container_rows(container: Piece, key: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name: String, label: &str, value: String, piece: Option<Piece>| {
        rows.push(Row::new(format!("{key} {name}"), label, value).level(2).at(piece.and_then(Piece::spot)));
    };
    for list in ["command", "args"] {
        let texts = container.texts(&[list]);
        if !texts.is_empty() {
            add(list.to_owned(), list, texts.join(" "), container.at(&[list]));
        }
    }
    for port in container.list(&["ports"]) {
        let [number, name, protocol] = ["containerPort", "name", "protocol"].map(|key| port.text(&[key]));
        let value = [number.as_ref(), name.as_ref(), protocol.as_ref()].join(" ");
        add(format!("port {number}"), "port", value.trim().to_owned(), Some(port));
    }
    for variable in container.list(&["env"]) {
        let name = variable.text(&["name"]);
        let value = match variable.at(&["valueFrom"]) {
            Some(source) => value_source(source),
            None => variable.text(&["value"]).into_owned(),
        };
        add(format!("env {name}"), "env", format!("{name}={value}"), Some(variable));
    }
    for source in container.list(&["envFrom"]) {
        let value = value_source(source);
        add(format!("env from {value}"), "env", value, Some(source));
    }
    for list in ["requests", "limits"] {
        let Some(map) = container.at(&["resources", list]) else { continue };
        let amounts = map.node.members().iter();
        let amounts = amounts.map(|member| format!("{} {}", member.key, read::text(&member.value, &[])));
        let amounts: Vec<String> = amounts.collect();
        if !amounts.is_empty() {
            add(list.to_owned(), list, amounts.join(", "), Some(map));
        }
    }
    rows
}

/// Returns the source of a variable's value in short form.
fn value_source(source: Piece) -> String {
    let text = |path: &[&str]| source.text(path).into_owned();
    let pairs = [
        ("fieldRef", "field", "fieldPath"),
        ("resourceFieldRef", "resource", "resource"),
        ("configMapKeyRef", "ConfigMap", "key"),
        ("secretKeyRef", "Secret", "key"),
        ("configMapRef", "ConfigMap", ""),
        ("secretRef", "Secret", ""),
    ];
    let found = pairs.into_iter().find(|(key, _, _)| source.at(&[key]).is_some());
    let Some((key, what, field)) = found else { return "(a source that is not known)".to_owned() };
    let words = [what.to_owned(), text(&[key, "name"]), text(&[key, field])];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    format!("({})", words.join(" "))
}
