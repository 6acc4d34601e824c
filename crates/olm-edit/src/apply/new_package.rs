//! Addition of a package to a catalog, in a file that matches its layout.

use std::{
    collections::HashMap,
    path::{Component, Path, PathBuf},
};

use serde::Serialize;

use super::{
    EditError,
    document::{apply_changes, render_canonical},
    new_document,
};
use crate::operation::NewIcon;
use olm_catalog::{
    Catalog, ChannelName, Origin, PackageName,
    file::DocId,
    model::DocChange,
    text::{json, split::Format},
};

/// Content of the new package.
pub(super) struct NewPackage<'a> {
    pub default_channel: &'a ChannelName,
    pub description: Option<&'a str>,
    pub icon: Option<&'a NewIcon>,
    pub folder: Option<&'a str>,
}

/// Adds an `olm.package`.
pub(super) fn add_package(
    catalog: &Catalog,
    package: &PackageName,
    new: &NewPackage<'_>,
) -> Result<Catalog, EditError> {
    if package.as_str().trim().is_empty() {
        return Err(EditError::NoName);
    }
    if catalog.package(package.as_str()).is_some_and(|known| known.definition().is_some()) {
        return Err(EditError::PackageExists(package.clone()));
    }
    let changes = match find_position(catalog, package, new.folder)? {
        PackagePosition::After(above) => {
            let (Some(format), Some(text)) = (catalog.format(above), catalog.document_text(above)) else {
                return Err(EditError::Unreadable);
            };
            new_document::insert_text_after(catalog, above, text, render_package(package, new, format)?)
        }
        PackagePosition::Before(place, file, format) => {
            vec![place.insert(file, render_package(package, new, format)?)]
        }
        PackagePosition::File { shown, disk } => {
            let is_json = shown.extension().is_some_and(|ending| ending == "json");
            let format = if is_json { Format::Json } else { Format::Yaml };
            vec![DocChange::Make { display_path: shown, disk, text: render_package(package, new, format)? }]
        }
    };
    apply_changes(catalog, changes)
}

/// Position of the new package.
enum PackagePosition {
    /// After a document.
    After(DocId),
    /// Before all documents of a file.
    Before(new_document::InsertPosition, olm_catalog::FileId, Format),
    /// In its own file.
    File { shown: PathBuf, disk: Option<PathBuf> },
}

fn find_position(
    catalog: &Catalog,
    package: &PackageName,
    folder: Option<&str>,
) -> Result<PackagePosition, EditError> {
    let no_place = || EditError::NoFileName(package.clone());
    if let Some(shown) = separate_package_file(catalog, package, folder) {
        let is_there = catalog.files().iter().any(|file| file.exists() && file.display_path() == shown);
        if !is_there && !catalog.ignores(&shown) {
            let disk = match &catalog.origin {
                Origin::Directory(root) => Some(root.join(&shown)),
                _ => None,
            };
            return Ok(PackagePosition::File { shown, disk });
        }
    }
    position_among_packages(catalog, package).ok_or_else(no_place)
}

/// Returns the separate file for a package, if the other packages have separate files.
fn separate_package_file(catalog: &Catalog, package: &PackageName, folder: Option<&str>) -> Option<PathBuf> {
    let name = Some(package.as_str()).filter(|name| is_file_name(name))?;
    let is_free =
        |folder: &&str| !catalog.files().iter().any(|file| is_in_folder(file.display_path(), folder));
    let folder = folder.filter(|folder| is_file_name(folder)).filter(is_free).unwrap_or(name);
    if !matches!(catalog.origin, Origin::Directory(_) | Origin::Demo) {
        return None;
    }
    let mut found = defining_files(catalog);
    if found.is_empty() {
        return Some(Path::new(folder).join("catalog.yaml"));
    }
    found.sort_unstable();
    if found.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a == b)) {
        // Several packages share a file, so the new package does too.
        return None;
    }
    let mut ways: HashMap<PathBuf, usize> = HashMap::new();
    for (shown, other) in &found {
        if let Some(path) = path_like(shown, other, name, folder) {
            *ways.entry(path).or_default() += 1;
        }
    }
    // The most frequent form wins, then the first by name.
    ways.into_iter().max_by(|(a, m), (b, n)| m.cmp(n).then_with(|| b.cmp(a))).map(|(path, _)| path)
}

/// Returns true if one of the folders of a path has a name.
fn is_in_folder(path: &Path, folder: &str) -> bool {
    path.parent().is_some_and(|parent| parent.iter().any(|part| part == folder))
}

/// Returns true if a name is that of a file in the current folder, and no other path.
fn is_file_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

/// Returns the name of the folder that only a package is defined in. `None` if that is the name of the package, if
/// there is no such folder, or unless the catalog is a directory.
pub fn find_own_folder(catalog: &Catalog, package: &PackageName) -> Option<String> {
    // Paths of other origins may begin outside the catalog.
    if !matches!(catalog.origin, Origin::Directory(_) | Origin::Demo) {
        return None;
    }
    let files = defining_files(catalog);
    let (path, _) = files.iter().find(|(_, name)| *name == package.as_str())?;
    let folder = path.parent()?;
    let is_shared = files.iter().any(|(other, name)| *name != package.as_str() && other.starts_with(folder));
    let name = folder.file_name()?.to_str().filter(|name| *name != package.as_str())?;
    (!is_shared).then(|| name.to_owned())
}

/// Returns the files that define packages, each with its package.
fn defining_files(catalog: &Catalog) -> Vec<(&Path, &str)> {
    let home = |package: &'_ olm_catalog::package::Package| package.definition().map(|blob| blob.doc.file);
    let homes = catalog
        .packages()
        .filter_map(|package| Some((catalog.file(home(package)?)?.display_path(), package.name.as_str())));
    homes.collect()
}

/// Derives the path of a package's file from that of another package, which has its own folder or is named
/// after the package.
fn path_like(shown: &Path, other: &str, name: &str, own_folder: &str) -> Option<PathBuf> {
    let ending = shown.extension().map(|ending| ending.to_string_lossy().into_owned());
    let is_named = shown.file_stem().is_some_and(|stem| stem == other);
    let file = match (is_named, ending) {
        (true, Some(ending)) => format!("{name}.{ending}"),
        (true, None) => name.to_owned(),
        (false, _) => shown.file_name()?.to_str()?.to_owned(),
    };
    let folder = shown.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        // The last folder belongs to the package, its parents to the catalog.
        Some(folder) if !is_named || folder.file_name().is_some_and(|last| last == other) => {
            Some(folder.with_file_name(own_folder).join(file))
        }
        Some(folder) => Some(folder.join(file)),
        None => is_named.then(|| file.into()),
    }
}

/// Returns a position in a file with packages: sorted by name if they are sorted, else after all.
fn position_among_packages(catalog: &Catalog, package: &PackageName) -> Option<PackagePosition> {
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
        // There are only files that are empty or cannot be parsed.
        let documents: Vec<DocId> = catalog.documents().collect();
        return documents.last().map(|doc| PackagePosition::After(*doc));
    };
    let behind_all = last.last().copied()?;
    if !packages.is_sorted_by_key(|(name, _)| *name) {
        return Some(PackagePosition::After(behind_all));
    }
    let before = packages.iter().rev().find(|(name, _)| *name < package.as_str());
    if let Some((_, documents)) = before {
        return documents.last().map(|doc| PackagePosition::After(*doc));
    }
    let first = *packages.first()?.1.first()?;
    match new_document::position_before(catalog, first) {
        Some(place) => Some(PackagePosition::Before(place, first.file, catalog.format(first)?)),
        None => Some(PackagePosition::After(behind_all)),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PackageDocument<'a> {
    schema: &'static str,
    name: &'a str,
    default_channel: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a NewIcon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

/// Returns the object as opm renders it.
fn render_package(package: &PackageName, new: &NewPackage<'_>, format: Format) -> Result<Vec<u8>, EditError> {
    let document = PackageDocument {
        schema: "olm.package",
        name: package.as_str(),
        default_channel: new.default_channel.as_str(),
        icon: new.icon,
        description: new.description.filter(|text| !text.is_empty()),
    };
    let text = serde_json::to_vec(&document).map_err(|_| EditError::Unreadable)?;
    let tree = json::parse_json(&text).map_err(|_| EditError::Unreadable)?;
    Ok(render_canonical(format, &tree))
}
