//! Images: which ones are used, by what, and whether a disconnected cluster can mirror them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use super::{
    Part, Row, Spot,
    contents::{BundleContents, Piece},
    format::short,
    workloads::containers,
};
use crate::catalog::image_ref;

/// An image reference in a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Image reference.
    pub image: String,
    /// User of the image, such as `manager` or `manager env RELATED_IMAGE_DB`.
    pub by: String,
    /// True for the image of a container, which opm adds to the related images.
    pub is_container: bool,
    /// Position of the reference.
    pub spot: Option<Spot>,
}

/// Returns the images in the value of a variable: the whole value if its name indicates an image, otherwise
/// text that looks like an image.
pub fn in_environment<'v>(name: &str, value: &'v str) -> Vec<&'v str> {
    let whole = value.trim();
    let is_named = name.to_ascii_uppercase().contains("IMAGE") && whole.contains(['/', ':', '@']);
    if is_named && !whole.contains("://") && image_ref::check(whole).is_ok() {
        return vec![whole];
    }
    in_argument(value)
}

/// Returns the images in an argument: `--image=quay.io/harbour/lamp:v1`,
/// `a=quay.io/harbour/lamp@sha256:...,b=...`, or JSON.
pub fn in_argument(argument: &str) -> Vec<&str> {
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
    has_host && is_marked && image_ref::check(text).is_ok()
}

pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let used = used_images(bundle);
    let mut known: HashSet<String> = HashSet::new();
    let mut rows = Vec::new();
    let listed: Vec<(String, String, Option<Spot>)> = match &bundle.listed {
        Some(listed) => listed.iter().map(|(name, image)| (name.clone(), image.clone(), None)).collect(),
        None => bundle
            .items(&["spec", "relatedImages"])
            .into_iter()
            .map(|item| (item.text(&["name"]).into_owned(), item.text(&["image"]).into_owned(), item.spot()))
            .collect(),
    };
    let listed_names: HashSet<&str> = listed.iter().map(|(_, image, _)| image.as_str()).collect();
    // opm adds the images of containers when it renders a catalog; other tools may omit them.
    let is_added = |reference: &&Reference| reference.is_container && bundle.listed.is_none();
    let ran: HashSet<&str> = used.iter().filter(is_added).map(|reference| reference.image.as_str()).collect();
    let by_image = by_image(&used);
    for (name, image, spot) in &listed {
        if !known.insert(image.clone()) || image.is_empty() {
            continue;
        }
        let mut users: Vec<Cow<str>> = by_image.get(image.as_str()).cloned().unwrap_or_default();
        if *image == bundle.image {
            users.insert(0, "the bundle itself".into());
        }
        rows.push(row(image, name, spot.clone(), &users, pinned(image)));
    }
    for reference in &used {
        if known.insert(reference.image.clone()) {
            let users = by_image.get(reference.image.as_str()).cloned().unwrap_or_default();
            let missing = if ran.contains(reference.image.as_str()) { "" } else { "not in relatedImages" };
            let words = [pinned(&reference.image), missing];
            let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
            rows.push(row(&reference.image, "", reference.spot.clone(), &users, &words.join(", ")));
        }
    }
    if let Some(first) = readiness(bundle, &listed_names, &ran, &used) {
        rows.insert(0, first);
    }
    rows
}

fn pinned(image: &str) -> &'static str {
    match image_ref::check(image) {
        Ok(reference) if reference.is_digest() => "",
        Ok(_) => "not by digest",
        Err(_) => "not an image reference",
    }
}

/// Prefix of the key of an image.
const KEY: &str = "image ";

/// Returns true if a row is an image and not a summary.
pub(super) fn is_image(row: &Row) -> bool {
    row.key.starts_with(KEY)
}

/// Returns the row of an image. Its key does not contain tag and digest, if possible.
fn row(image: &str, name: &str, spot: Option<Spot>, users: &[Cow<str>], fault: &str) -> Row {
    let repository = image_ref::check(image).map(|reference| reference.repository().to_owned());
    let key = if name.is_empty() { repository.unwrap_or_else(|_| image.to_owned()) } else { name.to_owned() };
    let mut note = vec![fault.to_owned(), users.join(", ")];
    note.retain(|words| !words.is_empty());
    let label = if name.is_empty() { "image" } else { name };
    Row::new(format!("{KEY}{key}"), label, image).note(note.join("; ")).at(spot)
}

fn by_image(used: &[Reference]) -> BTreeMap<&str, Vec<Cow<'_, str>>> {
    let mut users: BTreeMap<&str, Vec<Cow<str>>> = BTreeMap::new();
    for reference in used {
        users.entry(reference.image.as_str()).or_default().push(reference.by.as_str().into());
    }
    users
}

/// Returns a summary of whether every image can be mirrored: by digest, and listed.
fn readiness(
    bundle: &BundleContents,
    listed: &HashSet<&str>,
    ran: &HashSet<&str>,
    used: &[Reference],
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
    let by_tag = images.iter().filter(|image| !pinned(image).is_empty()).count();
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
        Row::fact(LABEL, format!("not ready: {}", faults.join(", ")))
    } else if super::gap(Part::Deployments, bundle.source).is_some() {
        let row = Row::fact(LABEL, format!("{} listed, all by digest", count(images.len())));
        return Some(row.note("arguments and environment are not known"));
    } else {
        Row::fact(LABEL, format!("ready: {} by digest and listed", count(images.len())))
    };
    Some(row.note(claim))
}

fn count(images: usize) -> String {
    if images == 1 { "1 image".to_owned() } else { format!("{images} images") }
}

/// Returns every image that the deployments run or name.
fn used_images(bundle: &BundleContents) -> Vec<Reference> {
    let mut used = Vec::new();
    let mut push = |image: &str, by: String, is_container, piece: Piece| {
        if !image.is_empty() {
            used.push(Reference { image: image.to_owned(), by, is_container, spot: piece.spot() });
        }
    };
    for (deployment, container) in containers(bundle) {
        let name = format!("{}/{}", short(&deployment.text(&["name"])), short(&container.text(&["name"])));
        if let Some(image) = container.at(&["image"]) {
            push(&image.text(&[]), name.clone(), true, image);
        }
        for key in ["command", "args"] {
            for argument in container.list(&[key]) {
                for image in in_argument(&argument.text(&[])) {
                    push(image, format!("{name} {key}"), false, argument);
                }
            }
        }
        for variable in container.list(&["env"]) {
            let variable_name = variable.text(&["name"]);
            let Some(value) = variable.at(&["value"]) else { continue };
            for image in in_environment(&variable_name, &value.text(&[])) {
                push(image, format!("{name} env {}", short(&variable_name)), false, value);
            }
        }
    }
    used
}
