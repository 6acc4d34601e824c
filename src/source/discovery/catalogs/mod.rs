//! Catalogs of a repository: copied by a Dockerfile, listed in a composite template, next to operators, or readable by opm.

mod copied;
mod structure;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    content::FileFacts,
    evidence::{CatalogEvidence, FoundCatalog, VersionEvidence},
    index::{
        FileIndex, folders_above, is_aside, is_data, is_foreign, is_within, join, name_of, normalize, parent,
    },
};
use crate::catalog::openshift::OpenShift;
use copied::Copy;

/// Finds catalogs.
pub fn find(index: &FileIndex) -> Vec<FoundCatalog> {
    let copies = copied::find(index);
    let mut found: BTreeMap<String, CatalogEvidence> = BTreeMap::new();
    for (path, copies) in &copies {
        let first = copies
            .first()
            .map(|copy| CatalogEvidence::Copied { dockerfile: copy.dockerfile.clone(), line: copy.line });
        found.extend(first.map(|evidence| (path.clone(), evidence)));
    }
    let composite = composite(index);
    for (path, file) in &composite.folders {
        if is_whole(index, path) {
            found.entry(path.clone()).or_insert_with(|| CatalogEvidence::Composite(file.clone()));
        }
    }
    // What is a source of an image or of a composite template is not a catalog once more.
    let known: BTreeSet<String> = found.keys().flat_map(|path| packages(index, path)).collect();
    for path in next_to_operators(index) {
        let is_new = !found.keys().any(|other| is_within(other, &path) || is_within(&path, other));
        if is_new && is_whole(index, &path) {
            found.insert(path, CatalogEvidence::NextToOperators);
        }
    }
    for path in structure::find(index, &found, &composite.inputs) {
        let packages = packages(index, &path);
        // A catalog that cannot be parsed has none.
        if packages.is_empty() || packages.iter().any(|package| !known.contains(package)) {
            found.insert(path, CatalogEvidence::Readable);
        }
    }
    found.into_iter().map(|(path, evidence)| with_version(path, evidence, &copies)).collect()
}

/// Files that are catalogs by themselves, for a repository in which nothing else is found.
pub fn single_files(index: &FileIndex) -> Vec<FoundCatalog> {
    let is_candidate = |path: &&str| is_data(path) && !is_aside(path);
    let whole = index.files().filter(is_candidate).filter(|path| is_whole(index, path));
    whole.map(|path| with_version(path.to_owned(), CatalogEvidence::File, &BTreeMap::new())).collect()
}

/// A catalog that the repository states.
pub fn stated(path: String, versions: Vec<OpenShift>) -> FoundCatalog {
    if versions.is_empty() {
        return with_version(path, CatalogEvidence::Stated, &BTreeMap::new());
    }
    let version_evidence = Some(VersionEvidence::Stated);
    FoundCatalog { path, openshift: versions, version_evidence, evidence: CatalogEvidence::Stated }
}

/// Returns the OpenShift versions of the catalog that a path is, or is in, by its path or by what copies it.
pub fn versions_of(index: &FileIndex, path: &str) -> Vec<OpenShift> {
    if let Some(version) = OpenShift::of_path(path) {
        return vec![version];
    }
    let copies = copied::find(index);
    let copied = copies.keys().find(|catalog| is_within(path, catalog)).cloned();
    let found = copied.map(|catalog| with_version(catalog, CatalogEvidence::Readable, &copies));
    found.map(|found| found.openshift).unwrap_or_default()
}

/// Adds the OpenShift versions of a catalog.
fn with_version(
    path: String,
    evidence: CatalogEvidence,
    copies: &BTreeMap<String, Vec<Copy>>,
) -> FoundCatalog {
    let by_path = OpenShift::of_path(&path);
    if let Some(version) = by_path {
        return FoundCatalog {
            path,
            openshift: vec![version],
            version_evidence: Some(VersionEvidence::Path),
            evidence,
        };
    }
    let copies = copies.get(&path).map(Vec::as_slice).unwrap_or_default();
    let named =
        |file: &str| OpenShift::in_file_name(name_of(file)).or_else(|| OpenShift::of_path(parent(file)));
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
    /// The folder of each catalog, and the file that lists it.
    pub folders: BTreeMap<String, String>,
    /// The folder of each catalog by its name.
    pub names: BTreeMap<String, String>,
    /// Files and folders that components are made from, with the name of the catalog.
    pub inputs: BTreeMap<String, String>,
}

/// Reads composite templates and the lists of catalogs that belong to them.
pub fn composite(index: &FileIndex) -> CompositeLists {
    let mut lists = CompositeLists::default();
    for path in index.files().filter(|path| is_data(path) && !is_aside(path)) {
        let facts = index.head(path);
        for (name, folder) in &facts.destinations {
            if let Some(folder) = from_above(path, folder, |folder| index.is_folder(folder)) {
                lists.names.insert(name.clone(), folder.clone());
                lists.folders.insert(folder, path.to_owned());
            }
        }
        for component in &facts.components {
            let input = component.input.as_deref();
            let input = input.and_then(|input| from_above(path, input, |input| !index.at(input).is_empty()));
            lists.inputs.extend(input.map(|input| (input, component.name.clone())));
        }
    }
    lists
}

/// Resolves a path that is relative to the folder of a file, or to a folder above it.
fn from_above(file: &str, path: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let mut paths = folders_above(file).filter_map(|folder| normalize(&join(folder, path)));
    paths.find(|path| is_there(path))
}

/// The folders in `catalogs/` where `operators/` is next to it.
fn next_to_operators(index: &FileIndex) -> Vec<String> {
    let mut roots = BTreeSet::new();
    for path in index.files().filter(|path| !is_aside(path)) {
        for folder in folders_above(path).filter(|folder| name_of(folder) == "catalogs") {
            roots.insert(parent(folder));
        }
    }
    let roots = roots.into_iter().filter(|root| index.is_folder(&join(root, "operators")));
    roots.flat_map(|root| index.folders_in(&join(root, "catalogs"))).map(str::to_owned).collect()
}

/// Reports whether a path has a package and a bundle that is an entry of a channel, or catalog data that cannot be parsed.
pub fn is_whole(index: &FileIndex, path: &str) -> bool {
    let files = || index.at(path).into_iter().filter(|file| is_data(file) && !is_foreign(file));
    let mut seen = Seen::default();
    // Heads first: as a rule they say it, and catalogs may be large.
    files().any(|file| seen.add(&index.head(file))) || files().any(|file| seen.add(&index.whole(file)))
}

/// State of the search for a catalog.
#[derive(Default)]
struct Seen {
    has_package: bool,
    /// Whether a file cannot be parsed, so that nobody knows what it has.
    is_broken: bool,
    entries: BTreeSet<(String, String)>,
    bundles: BTreeSet<(String, String)>,
}

impl Seen {
    /// Adds a file; reports whether the catalog is whole.
    fn add(&mut self, facts: &FileFacts) -> bool {
        if facts.template.is_none() {
            self.has_package |= !facts.packages.is_empty();
            self.is_broken |= facts.is_broken;
            self.entries.extend(facts.entries.iter().cloned());
            self.bundles.extend(facts.bundles.iter().cloned());
        }
        self.is_broken || self.has_package && self.bundles.iter().any(|bundle| self.entries.contains(bundle))
    }
}

/// The packages that are defined at a path.
pub fn packages(index: &FileIndex, path: &str) -> BTreeSet<String> {
    let files = index.at(path).into_iter().filter(|file| is_data(file) && !is_foreign(file));
    let facts = files.map(|file| index.head(file)).filter(|facts| facts.template.is_none());
    facts.flat_map(|facts| facts.packages.clone()).collect()
}
