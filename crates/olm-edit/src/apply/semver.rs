//! Edits of semver templates: images in lists, and the kinds of generated channels.

use super::{
    EditError,
    document::{effective_key, rewrite_document},
};
use crate::{
    operation::{Edit, TemplateChange},
    rewrite::ValueTree,
};
use olm_catalog::{
    Catalog, Semver, Template, image_ref,
    template::semver::{ChannelKind, List},
};

/// Applies an edit to the lists of a template.
pub(super) fn apply_to_lists(
    catalog: &Catalog,
    template: &Template,
    semver: &Semver,
    edit: &Edit,
) -> Result<Catalog, EditError> {
    match edit {
        Edit::Template { change } => apply_change(catalog, template, semver, change),
        Edit::RemoveBundle { bundle, .. } => {
            let changes: Vec<TemplateChange> = List::ALL
                .into_iter()
                .filter_map(|list| {
                    let image = semver.find_image(list, bundle.as_str())?.to_owned();
                    Some(TemplateChange::RemoveImage { list, image })
                })
                .collect();
            if changes.is_empty() {
                return Err(EditError::NoBundle(bundle.clone()));
            }
            apply_in_order(catalog, &changes, apply_change)
        }
        Edit::Several { edits, .. } => apply_in_order(catalog, edits, apply_to_lists),
        _ => Err(EditError::GeneratedChannels),
    }
}

/// Applies changes one after another.
fn apply_in_order<T>(
    catalog: &Catalog,
    changes: &[T],
    make: impl Fn(&Catalog, &Template, &Semver, &T) -> Result<Catalog, EditError>,
) -> Result<Catalog, EditError> {
    let mut state = catalog.clone();
    for change in changes {
        let template = state.template().ok_or(EditError::Unreadable)?;
        state = make(&state, template, template.semver().ok_or(EditError::Unreadable)?, change)?;
    }
    Ok(state)
}

fn apply_change(
    catalog: &Catalog,
    template: &Template,
    semver: &Semver,
    change: &TemplateChange,
) -> Result<Catalog, EditError> {
    let doc = template.doc;
    match change {
        TemplateChange::AddImage { list, image } => {
            let at = insert_position(catalog, semver, *list, image)?;
            rewrite_document(catalog, doc, |tree| insert_image(tree, *list, at, image))
        }
        TemplateChange::RemoveImage { list, image } => {
            let at = position_in_list(semver, *list, image)?;
            rewrite_document(catalog, doc, |tree| remove_image(tree, *list, at))
        }
        TemplateChange::MoveImage { from, to, image } => {
            let (old, new) =
                (position_in_list(semver, *from, image)?, insert_position(catalog, semver, *to, image)?);
            rewrite_document(catalog, doc, |tree| {
                insert_image(tree, *to, new, image);
                remove_image(tree, *from, old);
            })
        }
        TemplateChange::Generate { kind, generate } => {
            let key = match kind {
                ChannelKind::Major => "generateMajorChannels",
                ChannelKind::Minor => "generateMinorChannels",
            };
            rewrite_document(catalog, doc, |tree| set_or_remove(tree, key, Some(ValueTree::from(*generate))))
        }
        TemplateChange::Prefer { kind } => {
            let word = kind.map(|kind| ValueTree::from(kind.name()));
            rewrite_document(catalog, doc, |tree| set_or_remove(tree, "defaultChannelTypePreference", word))
        }
    }
}

/// Returns the position of an image in a list.
fn position_in_list(semver: &Semver, list: List, image: &str) -> Result<usize, EditError> {
    let not_there = || EditError::NoImageInList { image: image.to_owned(), list };
    semver.position(list, image).ok_or_else(not_there)
}

/// Returns the position for a new image: by version if the list is sorted by version, else at its end.
fn insert_position(catalog: &Catalog, semver: &Semver, list: List, image: &str) -> Result<usize, EditError> {
    check_image(catalog, image)?;
    if semver.position(list, image).is_some() {
        return Err(EditError::ImageExists { image: image.to_owned(), list });
    }
    let images = semver.document.images(list);
    let own = catalog.known_version(image);
    let versions: Option<Vec<_>> = (0..images.len())
        .map(|index| Some(&semver.known_bundle(list, index)?.version.as_ref()?.version))
        .collect();
    let (Some(own), Some(versions)) = (own, versions) else { return Ok(images.len()) };
    if !versions.is_sorted_by(|a, b| a.cmp_precedence(b).is_le()) {
        return Ok(images.len());
    }
    Ok(versions.iter().take_while(|version| version.cmp_precedence(own).is_le()).count())
}

/// Checks whether opm can pull an image, judged by its text. opm has no default registry or tag.
fn check_image(catalog: &Catalog, image: &str) -> Result<(), EditError> {
    if image.trim().is_empty() {
        return Err(EditError::NoImage);
    }
    if catalog.is_known_image(image) {
        return Ok(());
    }
    let bad = |reason: String| Err(EditError::BadImage { image: image.to_owned(), reason });
    match image_ref::parse_image_ref(image) {
        Err(error) => bad(error.to_string()),
        Ok(parsed) if !image.starts_with(&format!("{}/", parsed.host())) => {
            bad("it names no registry, such as quay.io/".to_owned())
        }
        Ok(parsed) if parsed.tag().is_none() && !parsed.is_pinned() => {
            bad("it has neither digest nor tag".to_owned())
        }
        Ok(parsed) if parsed.tag().is_some() && parsed.is_pinned() => {
            bad("it has both tag and digest".to_owned())
        }
        Ok(_) => Ok(()),
    }
}

/// Adds an image to a list, with keys in the case of the template.
fn insert_image(tree: &mut ValueTree, list: List, at: usize, image: &str) {
    let is_capitalised = tree.members().iter().any(|(key, _)| key.starts_with(char::is_uppercase));
    let spelled = |tree: &ValueTree, key: &str| {
        let there = effective_key(tree, key);
        let is_there = tree.get(&there).is_some();
        if is_there || !is_capitalised { there } else { capitalize(key) }
    };
    let list_key = spelled(tree, list.name());
    if tree.get(&list_key).is_none_or(|list| list.members().is_empty()) {
        let bundles = if is_capitalised { "Bundles" } else { "bundles" };
        tree.set(&list_key, ValueTree::from_members([(bundles, ValueTree::from_items::<ValueTree>([]))]));
    }
    let Some(own) = tree.get_mut(&list_key) else { return };
    let bundles_key = effective_key(own, "bundles");
    let item_key = own
        .get(&bundles_key)
        .and_then(|bundles| bundles.items().first().map(|item| effective_key(item, "image")))
        .unwrap_or_else(|| if is_capitalised { "Image".to_owned() } else { "image".to_owned() });
    if own.get(&bundles_key).is_none_or(|bundles| bundles.items().is_empty()) {
        own.set(&bundles_key, ValueTree::from_items::<ValueTree>([]));
    }
    if let Some(items) = own.get_mut(&bundles_key).and_then(ValueTree::items_mut) {
        items.insert(at.min(items.len()), ValueTree::from_members([(item_key, image)]));
    }
}

fn capitalize(key: &str) -> String {
    let mut letters = key.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Removes an item of a list, and the list if it becomes empty.
fn remove_image(tree: &mut ValueTree, list: List, at: usize) {
    let key = effective_key(tree, list.name());
    let Some(own) = tree.get_mut(&key) else { return };
    let bundles = effective_key(own, "bundles");
    let Some(items) = own.get_mut(&bundles).and_then(ValueTree::items_mut) else { return };
    if at < items.len() {
        items.remove(at);
    }
    if items.is_empty() {
        tree.remove(&key);
    }
}

fn set_or_remove(tree: &mut ValueTree, key: &str, value: Option<ValueTree>) {
    let is_capitalised = tree.members().iter().any(|(key, _)| key.starts_with(char::is_uppercase));
    let there = effective_key(tree, key);
    match value {
        None => {
            tree.remove(&there);
        }
        Some(value) if tree.get(&there).is_some() || !is_capitalised => tree.set(&there, value),
        Some(value) => tree.set(&capitalize(key), value),
    }
}
