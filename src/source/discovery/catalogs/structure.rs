//! Catalogs that nothing names: folders that opm can read.

use std::collections::{BTreeMap, BTreeSet};

use super::is_whole;
use crate::{
    catalog::{
        openshift::OpenShift,
        paths::indexignore::{FILE_NAME, IgnoreSet},
    },
    source::discovery::{
        evidence::CatalogEvidence,
        index::{FileIndex, folders_above, is_aside, is_data, is_within, join, name_of},
    },
};

/// Names of folders above which no catalog is looked for.
const CATALOG_NAMES: [&str; 3] = ["catalog", "configs", "index"];

/// Finds the folders that opm can read, outside of catalogs that are known.
pub fn find(
    index: &FileIndex,
    known: &BTreeMap<String, CatalogEvidence>,
    inputs: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let mut readable: BTreeMap<String, bool> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for file in index.files().filter(|file| is_data(file) && !is_aside(file)) {
        let is_known = known.keys().chain(inputs.keys()).any(|path| is_within(file, path));
        if is_known
            || found.iter().any(|folder: &String| is_within(file, folder))
            || !index.head(file).has_catalog
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
            if CATALOG_NAMES.contains(&name_of(folder)) || is_version_folder(name_of(folder)) {
                break;
            }
        }
        found.extend(highest.map(str::to_owned));
    }
    found
}

/// Reports whether a name is `v4.18`.
fn is_version_folder(name: &str) -> bool {
    name.strip_prefix('v').and_then(OpenShift::parse_name).is_some()
}

/// Reports whether opm could read a folder as a catalog: whole, nothing else in it, no package twice.
fn is_readable(index: &FileIndex, folder: &str) -> bool {
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let files: Vec<(&str, Vec<&str>)> = index
        .below(folder)
        .filter_map(|file| Some((file, file.get(start..)?.split('/').collect())))
        .collect();
    let mut ignored = IgnoreSet::new();
    for (file, parts) in &files {
        if let Some((&FILE_NAME, above)) = parts.split_last()
            && let Some(text) = index.text(file)
        {
            // A line that opm cannot read stops it.
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
        let facts = index.head(file);
        let is_catalog = facts.template.is_none() && facts.has_schemas && facts.destinations.is_empty();
        if !is_catalog || !facts.packages.iter().all(|package| packages.insert(package.clone())) {
            return false;
        }
    }
    is_whole(index, folder) && !is_aside(&join(folder, "x"))
}
