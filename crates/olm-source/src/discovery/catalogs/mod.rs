//! Catalogs of a repository, found in Dockerfiles, in composite templates, next to operators, or
//! by their content.

mod image_copies;
mod structure;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    content::FileFacts,
    evidence::{CatalogEvidence, FoundCatalog, VersionEvidence},
    index::{
        FileIndex, file_name, folders_above, is_data, is_hidden_or_third_party, is_test_or_foreign,
        is_within, join_path, normalize_path, parent_folder,
    },
};
use image_copies::CatalogCopy;
use olm_catalog::openshift::OpenShift;

/// Finds catalogs.
pub fn find_catalogs(index: &FileIndex) -> Vec<FoundCatalog> {
    let copies = image_copies::find_copies(index);
    let mut found: BTreeMap<String, CatalogEvidence> = BTreeMap::new();
    for (path, copies) in &copies {
        let first = copies
            .first()
            .map(|copy| CatalogEvidence::Copied { dockerfile: copy.dockerfile.clone(), line: copy.line });
        found.extend(first.map(|evidence| (path.clone(), evidence)));
    }
    let composite = read_composites(index);
    for (path, file) in &composite.folders {
        if is_complete(index, path) {
            found.entry(path.clone()).or_insert_with(|| CatalogEvidence::Composite(file.clone()));
        }
    }
    // The source of an image or of a composite template is not a second catalog.
    let known: BTreeSet<String> = found.keys().flat_map(|path| defined_packages(index, path)).collect();
    for path in catalogs_next_to_operators(index) {
        let is_new = !found.keys().any(|other| is_within(other, &path) || is_within(&path, other));
        if is_new && is_complete(index, &path) {
            found.insert(path, CatalogEvidence::NextToOperators);
        }
    }
    for path in structure::find_readable_folders(index, &found, &composite.inputs) {
        let packages = defined_packages(index, &path);
        // A catalog that cannot be parsed has no packages.
        if packages.is_empty() || packages.iter().any(|package| !known.contains(package)) {
            found.insert(path, CatalogEvidence::Readable);
        }
    }
    found.into_iter().map(|(path, evidence)| with_version(path, evidence, &copies)).collect()
}

/// Finds single files that are catalogs, for a repository without other contents.
pub fn single_files(index: &FileIndex) -> Vec<FoundCatalog> {
    let is_candidate = |path: &&str| is_data(path) && !is_test_or_foreign(path);
    let whole = index.file_paths().filter(is_candidate).filter(|path| is_complete(index, path));
    whole.map(|path| with_version(path.to_owned(), CatalogEvidence::File, &BTreeMap::new())).collect()
}

/// Returns a stated catalog.
pub fn stated_catalog(path: String, versions: Vec<OpenShift>) -> FoundCatalog {
    if versions.is_empty() {
        return with_version(path, CatalogEvidence::Stated, &BTreeMap::new());
    }
    let version_evidence = Some(VersionEvidence::Stated);
    FoundCatalog { path, openshift: versions, version_evidence, evidence: CatalogEvidence::Stated }
}

/// Returns the OpenShift versions of the catalog at or around a path, from the path or from the
/// files that copy it.
pub fn versions_of(index: &FileIndex, path: &str) -> Vec<OpenShift> {
    if let Some(version) = OpenShift::from_path(path) {
        return vec![version];
    }
    let copies = image_copies::find_copies(index);
    let copied = copies.keys().find(|catalog| is_within(path, catalog)).cloned();
    let found = copied.map(|catalog| with_version(catalog, CatalogEvidence::Readable, &copies));
    found.map(|found| found.openshift).unwrap_or_default()
}

/// Adds the OpenShift versions of a catalog.
fn with_version(
    path: String,
    evidence: CatalogEvidence,
    copies: &BTreeMap<String, Vec<CatalogCopy>>,
) -> FoundCatalog {
    let by_path = OpenShift::from_path(&path);
    if let Some(version) = by_path {
        return FoundCatalog {
            path,
            openshift: vec![version],
            version_evidence: Some(VersionEvidence::Path),
            evidence,
        };
    }
    let copies = copies.get(&path).map(Vec::as_slice).unwrap_or_default();
    let named = |file: &str| {
        OpenShift::find_in_file_name(file_name(file)).or_else(|| OpenShift::from_path(parent_folder(file)))
    };
    let collect = |files: &mut dyn Iterator<Item = &String>| {
        let mut all: Vec<(OpenShift, String)> =
            files.filter_map(|file| Some((named(file)?, file.clone()))).collect();
        all.sort();
        all.dedup_by_key(|(version, _)| *version);
        all
    };
    let mut all = collect(&mut copies.iter().map(|copy| &copy.dockerfile));
    let is_by_dockerfile = !all.is_empty();
    if !is_by_dockerfile {
        all = collect(&mut copies.iter().flat_map(|copy| &copy.pipelines));
    }
    let first = all.first().map(|(_, file)| file.clone());
    let version_evidence =
        first.map(if is_by_dockerfile { VersionEvidence::Dockerfile } else { VersionEvidence::Pipeline });
    FoundCatalog {
        path,
        openshift: all.into_iter().map(|(version, _)| version).collect(),
        version_evidence,
        evidence,
    }
}

/// Statements of composite templates about catalogs.
#[derive(Default)]
pub struct CompositeLists {
    /// Folder of each catalog, with the file that lists it.
    pub folders: BTreeMap<String, String>,
    /// Folder of each catalog, by the catalog's name.
    pub names: BTreeMap<String, String>,
    /// Input files and folders of components, with the name of the catalog.
    pub inputs: BTreeMap<String, String>,
}

/// Reads composite templates and the lists of catalogs that belong to them.
pub fn read_composites(index: &FileIndex) -> CompositeLists {
    let mut lists = CompositeLists::default();
    for path in index.file_paths().filter(|path| is_data(path) && !is_test_or_foreign(path)) {
        let facts = index.head_facts(path);
        for (name, folder) in &facts.destinations {
            if let Some(folder) = resolve_from_above(path, folder, |folder| index.is_folder(folder)) {
                lists.names.insert(name.clone(), folder.clone());
                lists.folders.insert(folder, path.to_owned());
            }
        }
        for component in &facts.components {
            let input = component.input.as_deref();
            let input = input
                .and_then(|input| resolve_from_above(path, input, |input| !index.files_at(input).is_empty()));
            lists.inputs.extend(input.map(|input| (input, component.name.clone())));
        }
    }
    lists
}

/// Resolves a path that is relative to the folder of a file, or to a folder above it.
fn resolve_from_above(file: &str, path: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let mut paths = folders_above(file).filter_map(|folder| normalize_path(&join_path(folder, path)));
    paths.find(|path| is_there(path))
}

/// Returns the folders in `catalogs/` if `operators/` is next to it.
fn catalogs_next_to_operators(index: &FileIndex) -> Vec<String> {
    let mut roots = BTreeSet::new();
    for path in index.file_paths().filter(|path| !is_test_or_foreign(path)) {
        for folder in folders_above(path).filter(|folder| file_name(folder) == "catalogs") {
            roots.insert(parent_folder(folder));
        }
    }
    let roots = roots.into_iter().filter(|root| index.is_folder(&join_path(root, "operators")));
    roots.flat_map(|root| index.folders_in(&join_path(root, "catalogs"))).map(str::to_owned).collect()
}

/// Reports whether a path has a package and a bundle that is a channel entry, or catalog data that cannot be
/// parsed.
pub fn is_complete(index: &FileIndex, path: &str) -> bool {
    let files =
        || index.files_at(path).into_iter().filter(|file| is_data(file) && !is_hidden_or_third_party(file));
    let mut seen = CatalogParts::default();
    // The first documents usually decide, and catalogs may be large.
    files().any(|file| seen.add_file(&index.head_facts(file)))
        || files().any(|file| seen.add_file(&index.whole_facts(file)))
}

/// Parts of a catalog found so far.
#[derive(Default)]
struct CatalogParts {
    has_package: bool,
    /// True if a file cannot be parsed, so its content is unknown.
    is_broken: bool,
    entries: BTreeSet<(String, String)>,
    bundles: BTreeSet<(String, String)>,
}

impl CatalogParts {
    /// Adds a file; reports whether the catalog is complete.
    fn add_file(&mut self, facts: &FileFacts) -> bool {
        if facts.template.is_none() {
            self.has_package |= !facts.packages.is_empty();
            self.is_broken |= facts.is_broken;
            self.entries.extend(facts.entries.iter().cloned());
            self.bundles.extend(facts.bundles.iter().cloned());
        }
        self.is_broken || self.has_package && self.bundles.iter().any(|bundle| self.entries.contains(bundle))
    }
}

/// Returns the packages defined at a path.
pub fn defined_packages(index: &FileIndex, path: &str) -> BTreeSet<String> {
    let files =
        index.files_at(path).into_iter().filter(|file| is_data(file) && !is_hidden_or_third_party(file));
    let facts = files.map(|file| index.head_facts(file)).filter(|facts| facts.template.is_none());
    facts.flat_map(|facts| facts.packages.clone()).collect()
}
