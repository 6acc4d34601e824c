//! A package that comes to a catalog: in a file where the layout of the catalog would have it.

use std::{
    collections::HashMap,
    path::{Component, Path, PathBuf},
};

use serde::Serialize;

use super::{
    EditError,
    document::{change, rendered},
    fresh,
};
use crate::{
    catalog::{
        Catalog, ChannelName, Origin, PackageName,
        file::DocId,
        model::DocChange,
        text::{json, split::Format},
    },
    edit::operation::NewIcon,
};

/// What the new package says.
pub(super) struct New<'a> {
    pub default_channel: &'a ChannelName,
    pub description: Option<&'a str>,
    pub icon: Option<&'a NewIcon>,
}

/// Adds an `olm.package`.
pub(super) fn add(catalog: &Catalog, package: &PackageName, new: &New<'_>) -> Result<Catalog, EditError> {
    if package.as_str().trim().is_empty() {
        return Err(EditError::NoName);
    }
    if catalog.package(package.as_str()).is_some_and(|known| known.definition().is_some()) {
        return Err(EditError::PackageThere(package.clone()));
    }
    let changes = match place(catalog, package)? {
        Place::Behind(above) => {
            let (Some(format), Some(text)) = (catalog.format(above), catalog.text(above)) else {
                return Err(EditError::Unreadable);
            };
            fresh::inserted(catalog, above, text, document(package, new, format)?)
        }
        Place::Ahead(place, file, format) => vec![place.insert(file, document(package, new, format)?)],
        Place::File { shown, disk } => {
            let is_json = shown.extension().is_some_and(|ending| ending == "json");
            let format = if is_json { Format::Json } else { Format::Yaml };
            vec![DocChange::Make { shown, disk, text: document(package, new, format)? }]
        }
    };
    change(catalog, changes)
}

/// Where the package comes to.
enum Place {
    /// Behind a document.
    Behind(DocId),
    /// Before all others of a file.
    Ahead(fresh::Place, crate::catalog::FileId, Format),
    /// In a file of its own.
    File { shown: PathBuf, disk: Option<PathBuf> },
}

fn place(catalog: &Catalog, package: &PackageName) -> Result<Place, EditError> {
    let no_place = || EditError::NoPlace(package.clone());
    if let Some(shown) = own_file(catalog, package) {
        let is_there = catalog.files().iter().any(|file| file.is_there() && file.shown() == shown);
        if !is_there && !catalog.ignores(&shown) {
            let disk = match &catalog.origin {
                Origin::Directory(root) => Some(root.join(&shown)),
                _ => None,
            };
            return Ok(Place::File { shown, disk });
        }
    }
    among(catalog, package).ok_or_else(no_place)
}

/// The file of its own that a package gets: as the others of the catalog have theirs.
fn own_file(catalog: &Catalog, package: &PackageName) -> Option<PathBuf> {
    let name = package.as_str();
    let mut parts = Path::new(name).components();
    let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else { return None };
    if !matches!(catalog.origin, Origin::Directory(_) | Origin::Demo) {
        return None;
    }
    let mut found = homes(catalog);
    if found.is_empty() {
        return Some(Path::new(name).join("catalog.yaml"));
    }
    found.sort_unstable();
    if found.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a == b)) {
        // Several packages share a file: so does this one.
        return None;
    }
    let mut ways: HashMap<PathBuf, usize> = HashMap::new();
    for (shown, other) in &found {
        if let Some(path) = like(shown, other, name) {
            *ways.entry(path).or_default() += 1;
        }
    }
    // The way that most packages have it; of equals the first by name.
    ways.into_iter().max_by(|(a, m), (b, n)| m.cmp(n).then_with(|| b.cmp(a))).map(|(path, _)| path)
}

/// The files that define packages, each with the package.
fn homes(catalog: &Catalog) -> Vec<(&Path, &str)> {
    let home = |package: &'_ crate::catalog::package::Package| package.definition().map(|blob| blob.doc.file);
    let homes = catalog
        .packages()
        .filter_map(|package| Some((catalog.file(home(package)?)?.shown(), package.name.as_str())));
    homes.collect()
}

/// The path of a package's file, given that of another one: in a folder of its own, or called like it.
fn like(shown: &Path, other: &str, name: &str) -> Option<PathBuf> {
    let ending = shown.extension().map(|ending| ending.to_string_lossy().into_owned());
    let is_named = shown.file_stem().is_some_and(|stem| stem == other);
    let file = match (is_named, ending) {
        (true, Some(ending)) => format!("{name}.{ending}"),
        (true, None) => name.to_owned(),
        (false, _) => shown.file_name()?.to_str()?.to_owned(),
    };
    let folder = shown.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        // Its folder is its own; what lies above is the catalog's.
        Some(folder) if !is_named || folder.file_name().is_some_and(|last| last == other) => {
            Some(folder.with_file_name(name).join(file))
        }
        Some(folder) => Some(folder.join(file)),
        None => is_named.then(|| file.into()),
    }
}

/// A place in a file that has packages already: by name where they are in order, else behind all.
fn among(catalog: &Catalog, package: &PackageName) -> Option<Place> {
    let mut packages: Vec<(&str, Vec<DocId>)> = catalog
        .packages()
        .filter(|other| !other.name.as_str().is_empty() && other.name != *package)
        .map(|other| (other.name.as_str(), other.documents().collect()))
        .collect();
    let position =
        |doc: &DocId| (doc.file, catalog.file(doc.file).and_then(|file| file.position(doc.serial)));
    for (_, documents) in &mut packages {
        documents.sort_by_key(position);
    }
    packages.retain(|(_, documents)| !documents.is_empty());
    packages.sort_by_key(|(_, documents)| documents.first().map(position));
    let Some((_, last)) = packages.last() else {
        // Nothing but an empty file, or one that cannot be read.
        let documents: Vec<DocId> = catalog.documents().collect();
        return documents.last().map(|doc| Place::Behind(*doc));
    };
    let behind_all = last.last().copied()?;
    if !packages.is_sorted_by_key(|(name, _)| *name) {
        return Some(Place::Behind(behind_all));
    }
    let before = packages.iter().rev().find(|(name, _)| *name < package.as_str());
    if let Some((_, documents)) = before {
        return documents.last().map(|doc| Place::Behind(*doc));
    }
    let first = *packages.first()?.1.first()?;
    match fresh::ahead(catalog, first) {
        Some(place) => Some(Place::Ahead(place, first.file, catalog.format(first)?)),
        None => Some(Place::Behind(behind_all)),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema: &'static str,
    name: &'a str,
    default_channel: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a NewIcon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

/// The object as opm renders it.
fn document(package: &PackageName, new: &New<'_>, format: Format) -> Result<Vec<u8>, EditError> {
    let document = Document {
        schema: "olm.package",
        name: package.as_str(),
        default_channel: new.default_channel.as_str(),
        icon: new.icon,
        description: new.description.filter(|text| !text.is_empty()),
    };
    let text = serde_json::to_vec(&document).map_err(|_| EditError::Unreadable)?;
    let tree = json::parse(&text).map_err(|_| EditError::Unreadable)?;
    Ok(rendered(format, &tree))
}
