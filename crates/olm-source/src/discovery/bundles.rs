//! Bundle directories and package manifests of a repository.

use std::collections::BTreeMap;

use super::{
    evidence::{BundleEvidence, FoundBundle},
    index::{FileIndex, file_name, is_data, is_test_or_foreign, is_within, join_path, parent_folder},
};

/// Folder of CSVs that are only parts of a bundle.
const BASES: &str = "bases";

/// Finds bundles.
pub fn find_bundles(index: &FileIndex) -> Vec<FoundBundle> {
    let mut found: BTreeMap<&str, BundleEvidence> = BTreeMap::new();
    for path in index.file_paths().filter(|path| !is_test_or_foreign(path)) {
        let folder = parent_folder(path);
        if file_name(path) == "annotations.yaml" && file_name(folder) == "metadata" {
            let bundle = parent_folder(folder);
            let is_bundle = !is_test_or_foreign(&join_path(bundle, "x"))
                && has_csv(index, &join_path(bundle, "manifests"), false);
            if !is_bundle {
                continue;
            }
            if !bundle.is_empty() && is_version(file_name(bundle)) {
                let versions = found.entry(parent_folder(bundle)).or_insert(BundleEvidence::Versions(0));
                if let BundleEvidence::Versions(count) = versions {
                    *count += 1;
                }
            } else {
                found.insert(bundle, BundleEvidence::Bundle);
            }
        } else if is_data(path) && is_named_package(path) && index.head_facts(path).is_package_manifest {
            let is_of_bundle = file_name(folder) == "manifests"
                && index.is_file(&join_path(parent_folder(folder), "metadata/annotations.yaml"))
                && has_csv(index, folder, false);
            if has_csv(index, folder, true) && !is_of_bundle {
                found.insert(folder, BundleEvidence::PackageManifests);
            }
        }
    }
    found.into_iter().map(|(path, evidence)| FoundBundle { path: path.to_owned(), evidence }).collect()
}

/// Reports whether a file name is usual for package manifests: `package.yaml`, `ship.package.yaml`.
fn is_named_package(path: &str) -> bool {
    file_name(path).contains("package")
}

/// Reports whether a folder, or with `below` one of its subfolders, contains a readable
/// `ClusterServiceVersion`.
fn has_csv(index: &FileIndex, folder: &str, below: bool) -> bool {
    let is_candidate =
        |path: &&str| is_data(path) && (below || parent_folder(path) == folder) && !is_in_bases(path, folder);
    // Files with a typical name come first, since they usually decide.
    let candidates = || index.files_below(folder).filter(is_candidate);
    let named = candidates().filter(|path| path.contains("clusterserviceversion"));
    let others = candidates().filter(|path| !path.contains("clusterserviceversion"));
    named.chain(others).any(|path| index.head_facts(path).is_csv)
}

fn is_in_bases(path: &str, folder: &str) -> bool {
    is_within(path, folder) && parent_folder(path).split('/').any(|part| part == BASES)
}

/// Reports whether a folder is named after a version: `1.0.0`, `v1.2.3-rc1`.
fn is_version(name: &str) -> bool {
    let rest = name.strip_prefix('v').unwrap_or(name);
    let mut parts = rest.split('.');
    let number = |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    number(parts.next()) && number(parts.next())
}
