//! Deployments with their containers, and images: which ones are used, by what, and whether a disconnected
//! cluster can mirror them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use super::{
    OutlineLocation, Part, Row, RowKeys,
    apis::shorten_word,
    contents::{OutlineInput, Piece},
};
use crate::field_access;
use olm_catalog::image_ref;

/// An image reference in a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageReference {
    /// Image reference.
    pub image: String,
    /// User of the image, such as `manager` or `manager env RELATED_IMAGE_DB`.
    pub user: String,
    /// True for the image of a container, which opm adds to the related images.
    pub is_container: bool,
    /// Position of the reference.
    pub location: Option<OutlineLocation>,
}

/// Returns the images in the value of a variable: the whole value if its name indicates an image, otherwise
/// text that looks like an image.
pub fn images_in_variable<'v>(name: &str, value: &'v str) -> Vec<&'v str> {
    let whole = value.trim();
    let is_named = name.to_ascii_uppercase().contains("IMAGE") && whole.contains(['/', ':', '@']);
    if is_named && !whole.contains("://") && image_ref::parse_image_ref(whole).is_ok() {
        return vec![whole];
    }
    images_in_argument(value)
}

/// Returns the images in an argument: `--image=quay.io/harbour/lamp:v1`,
/// `a=quay.io/harbour/lamp@sha256:...,b=...`, or JSON.
pub fn images_in_argument(argument: &str) -> Vec<&str> {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '=' | '(' | ')' | '[' | ']' | '{' | '}')
    };
    argument.split(ends).filter(|text| looks_like_image(text)).collect()
}

/// Returns true if a text is almost certainly an image: a registry host, a path, a tag or a digest.
fn looks_like_image(text: &str) -> bool {
    if text.contains("://") {
        return false;
    }
    let Some((host, path)) = text.split_once('/') else { return false };
    let has_host = host.contains('.') || host.contains(':');
    let is_marked = path.contains('@') || path.rsplit('/').next().is_some_and(|last| last.contains(':'));
    has_host && is_marked && image_ref::parse_image_ref(text).is_ok()
}

pub(super) fn image_rows(bundle: &OutlineInput) -> Vec<Row> {
    let used = used_images(bundle);
    let mut known: HashSet<String> = HashSet::new();
    let mut rows = Vec::new();
    let listed: Vec<(String, String, Option<OutlineLocation>)> = match &bundle.listed_images {
        Some(listed) => listed.iter().map(|(name, image)| (name.clone(), image.clone(), None)).collect(),
        None => bundle
            .csv_items(&["spec", "relatedImages"])
            .into_iter()
            .map(|item| {
                (
                    item.child_text(&["name"]).into_owned(),
                    item.child_text(&["image"]).into_owned(),
                    item.location(),
                )
            })
            .collect(),
    };
    let listed_names: HashSet<&str> = listed.iter().map(|(_, image, _)| image.as_str()).collect();
    // opm adds the images of containers when it renders a catalog; other tools may omit them.
    let is_added = |reference: &&ImageReference| reference.is_container && bundle.listed_images.is_none();
    let ran: HashSet<&str> = used.iter().filter(is_added).map(|reference| reference.image.as_str()).collect();
    let by_image = users_by_image(&used);
    for (name, image, spot) in &listed {
        if !known.insert(image.clone()) || image.is_empty() {
            continue;
        }
        let mut users: Vec<Cow<str>> = by_image.get(image.as_str()).cloned().unwrap_or_default();
        if *image == bundle.image {
            users.insert(0, "the bundle itself".into());
        }
        rows.push(image_row(image, name, spot.clone(), &users, pinning_note(image)));
    }
    for reference in &used {
        if known.insert(reference.image.clone()) {
            let users = by_image.get(reference.image.as_str()).cloned().unwrap_or_default();
            let missing = if ran.contains(reference.image.as_str()) { "" } else { "not in relatedImages" };
            let words = [pinning_note(&reference.image), missing];
            let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
            rows.push(image_row(&reference.image, "", reference.location.clone(), &users, &words.join(", ")));
        }
    }
    if let Some(first) = mirroring_row(bundle, &listed_names, &ran, &used) {
        rows.insert(0, first);
    }
    rows
}

fn pinning_note(image: &str) -> &'static str {
    match image_ref::parse_image_ref(image) {
        Ok(reference) if reference.is_pinned() => "",
        Ok(_) => "not by digest",
        Err(_) => "not an image reference",
    }
}

/// Prefix of the key of an image.
const IMAGE_KEY_PREFIX: &str = "image ";

/// Returns true if a row is an image and not a summary.
pub(super) fn is_image_row(row: &Row) -> bool {
    row.key.starts_with(IMAGE_KEY_PREFIX)
}

/// Returns the row of an image. Its key does not contain tag and digest, if possible.
fn image_row(image: &str, name: &str, spot: Option<OutlineLocation>, users: &[Cow<str>], fault: &str) -> Row {
    let repository = image_ref::parse_image_ref(image).map(|reference| reference.repository().to_owned());
    let key = if name.is_empty() { repository.unwrap_or_else(|_| image.to_owned()) } else { name.to_owned() };
    let mut note = vec![fault.to_owned(), users.join(", ")];
    note.retain(|words| !words.is_empty());
    let label = if name.is_empty() { "image" } else { name };
    Row::new(format!("{IMAGE_KEY_PREFIX}{key}"), label, image).with_note(note.join("; ")).with_location(spot)
}

fn users_by_image(used: &[ImageReference]) -> BTreeMap<&str, Vec<Cow<'_, str>>> {
    let mut users: BTreeMap<&str, Vec<Cow<str>>> = BTreeMap::new();
    for reference in used {
        users.entry(reference.image.as_str()).or_default().push(reference.user.as_str().into());
    }
    users
}

/// Returns a summary of whether every image can be mirrored: by digest, and listed.
fn mirroring_row(
    bundle: &OutlineInput,
    listed: &HashSet<&str>,
    ran: &HashSet<&str>,
    used: &[ImageReference],
) -> Option<Row> {
    const LABEL: &str = "disconnected";
    let images: HashSet<&str> = listed
        .iter()
        .copied()
        .chain(used.iter().map(|reference| reference.image.as_str()))
        .filter(|i| !i.is_empty())
        .collect();
    if images.is_empty() {
        return None;
    }
    let by_tag = images.iter().filter(|image| !pinning_note(image).is_empty()).count();
    let unlisted: HashSet<&str> = used
        .iter()
        .map(|reference| reference.image.as_str())
        .filter(|image| !listed.contains(image) && !ran.contains(image))
        .collect();
    let mut faults = Vec::new();
    if by_tag > 0 {
        faults.push(format!("{by_tag} of {} images not by digest", images.len()));
    }
    if !unlisted.is_empty() {
        faults.push(format!("{} not in relatedImages", unlisted.len()));
    }
    let claims = super::platform::claims_disconnected(bundle);
    let claim = if claims { "says it supports disconnected clusters" } else { "" };
    let row = if !faults.is_empty() {
        Row::new_fact(LABEL, format!("not ready: {}", faults.join(", ")))
    } else if super::gap_for(Part::Deployments, bundle.source).is_some() {
        let row = Row::new_fact(LABEL, format!("{} listed, all by digest", format_image_count(images.len())));
        return Some(row.with_note("arguments and environment are not known"));
    } else {
        Row::new_fact(LABEL, format!("ready: {} by digest and listed", format_image_count(images.len())))
    };
    Some(row.with_note(claim))
}

fn format_image_count(images: usize) -> String {
    if images == 1 { "1 image".to_owned() } else { format!("{images} images") }
}

/// Returns every image that the deployments run or name.
fn used_images(bundle: &OutlineInput) -> Vec<ImageReference> {
    let mut used = Vec::new();
    let mut push = |image: &str, by: String, is_container, piece: Piece| {
        if !image.is_empty() {
            used.push(ImageReference {
                image: image.to_owned(),
                user: by,
                is_container,
                location: piece.location(),
            });
        }
    };
    for (deployment, container) in all_containers(bundle) {
        let name = format!(
            "{}/{}",
            shorten_word(&deployment.child_text(&["name"])),
            shorten_word(&container.child_text(&["name"]))
        );
        if let Some(image) = container.child(&["image"]) {
            push(&image.child_text(&[]), name.clone(), true, image);
        }
        for key in ["command", "args"] {
            for argument in container.child_items(&[key]) {
                for image in images_in_argument(&argument.child_text(&[])) {
                    push(image, format!("{name} {key}"), false, argument);
                }
            }
        }
        for variable in container.child_items(&["env"]) {
            let variable_name = variable.child_text(&["name"]);
            let Some(value) = variable.child(&["value"]) else { continue };
            for image in images_in_variable(&variable_name, &value.child_text(&[])) {
                push(image, format!("{name} env {}", shorten_word(&variable_name)), false, value);
            }
        }
    }
    used
}

const DEPLOYMENTS: [&str; 4] = ["spec", "install", "spec", "deployments"];

const CONTAINER_LISTS: [(&str, &str); 2] = [("containers", ""), ("initContainers", "init container")];

/// Returns every container with its deployment, in order.
fn all_containers<'m, 't>(bundle: &OutlineInput<'m, 't>) -> Vec<(Piece<'m, 't>, Piece<'m, 't>)> {
    let deployments = bundle.csv_items(&DEPLOYMENTS).into_iter();
    deployments
        .flat_map(|deployment| {
            let lists = CONTAINER_LISTS
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
        for (list, what) in CONTAINER_LISTS {
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
const SHOWN_CONTAINER_FIELDS: [&str; 8] =
    ["name", "image", "command", "args", "ports", "env", "envFrom", "resources"];

fn container_row(container: Piece, key: String, what: &str) -> Row {
    let privileged = field_access::is_true_at(container.node, &["securityContext", "privileged"]);
    let note = [what, if privileged { "privileged" } else { "" }];
    let note: Vec<&str> = note.into_iter().filter(|word| !word.is_empty()).collect();
    let name = container.child_text(&["name"]);
    Row::new(key, name.as_ref(), container.child_text(&["image"]))
        .with_note(note.join(", "))
        .with_hidden_hash(super::hash_without(container.node, &SHOWN_CONTAINER_FIELDS))
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
