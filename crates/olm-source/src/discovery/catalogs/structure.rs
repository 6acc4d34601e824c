//! Catalogs without a reference in other files: folders that opm can read.

use std::collections::{BTreeMap, BTreeSet};

use super::is_complete;
use crate::discovery::{
    evidence::CatalogEvidence,
    index::{FileIndex, file_name, folders_above, is_data, is_test_or_foreign, is_within, join_path},
};
use olm_catalog::{
    openshift::OpenShift,
    paths::indexignore::{FILE_NAME, IgnoreSet},
};

/// Folder names at which the search for a higher catalog folder stops.
const CATALOG_NAMES: [&str; 3] = ["catalog", "configs", "index"];

/// Finds the folders that opm can read, outside of known catalogs.
pub fn find_readable_folders(
    index: &FileIndex,
    known: &BTreeMap<String, CatalogEvidence>,
    inputs: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let mut readable: BTreeMap<String, bool> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for file in index.file_paths().filter(|file| is_data(file) && !is_test_or_foreign(file)) {
        let is_known = known.keys().chain(inputs.keys()).any(|path| is_within(file, path));
        if is_known
            || found.iter().any(|folder: &String| is_within(file, folder))
            || !index.head_facts(file).has_catalog
        {
            continue;
        }
        let mut highest = None;
        for folder in folders_above(file) {
            let is_other = known.keys().chain(inputs.keys()).any(|path| is_within(path, folder));
            if is_other || folder.is_empty() && index.has_git {
                break;
            }
            let is_readable =
                *readable.entry(folder.to_owned()).or_insert_with(|| is_readable(index, folder));
            if is_readable {
                highest = Some(folder);
            }
            if CATALOG_NAMES.contains(&file_name(folder)) || is_version_folder(file_name(folder)) {
                break;
            }
        }
        found.extend(highest.map(str::to_owned));
    }
    found
}

/// Reports whether a name is a version such as `v4.18`.
fn is_version_folder(name: &str) -> bool {
    name.strip_prefix('v').and_then(OpenShift::parse_name).is_some()
}

/// Reports whether opm could read a folder as a catalog: complete, without other files, and each package
/// defined once.
fn is_readable(index: &FileIndex, folder: &str) -> bool {
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let files: Vec<(&str, Vec<&str>)> = index
        .files_below(folder)
        .filter_map(|file| Some((file, file.get(start..)?.split('/').collect())))
        .collect();
    let mut ignored = IgnoreSet::new();
    for (file, parts) in &files {
        if let Some((&FILE_NAME, above)) = parts.split_last()
            && let Some(text) = index.read_text(file)
        {
            // opm stops at a line that it cannot parse.
            if ignored.add(above, &text).is_err() {
                return false;
            }
        }
    }
    let mut packages = BTreeSet::new();
    for (file, parts) in &files {
        if parts.last() == Some(&FILE_NAME) || ignored.ignores(parts) {
            continue;
        }
        if !is_data(file) {
            return false;
        }
        let facts = index.head_facts(file);
        let is_catalog = facts.template.is_none() && facts.has_schemas && facts.destinations.is_empty();
        if !is_catalog || !facts.packages.iter().all(|package| packages.insert(package.clone())) {
            return false;
        }
    }
    is_complete(index, folder) && !is_test_or_foreign(&join_path(folder, "x"))
}
