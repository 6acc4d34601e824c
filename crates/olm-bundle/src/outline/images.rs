//! Images: which ones are used, by what, and whether a disconnected cluster can mirror them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use super::{
    OutlineLocation, Part, Row,
    apis::shorten_word,
    contents::{OutlineInput, Piece},
    workloads::all_containers,
};
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
const KEY_PREFIX: &str = "image ";

/// Returns true if a row is an image and not a summary.
pub(super) fn is_image_row(row: &Row) -> bool {
    row.key.starts_with(KEY_PREFIX)
}

/// Returns the row of an image. Its key does not contain tag and digest, if possible.
fn image_row(image: &str, name: &str, spot: Option<OutlineLocation>, users: &[Cow<str>], fault: &str) -> Row {
    let repository = image_ref::parse_image_ref(image).map(|reference| reference.repository().to_owned());
    let key = if name.is_empty() { repository.unwrap_or_else(|_| image.to_owned()) } else { name.to_owned() };
    let mut note = vec![fault.to_owned(), users.join(", ")];
    note.retain(|words| !words.is_empty());
    let label = if name.is_empty() { "image" } else { name };
    Row::new(format!("{KEY_PREFIX}{key}"), label, image).with_note(note.join("; ")).with_location(spot)
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
