//! Catalogs that Dockerfiles copy into images.

use std::collections::{BTreeMap, BTreeSet};

use super::{defined_packages, is_complete};
use crate::discovery::{
    dockerfile::{CopyInstruction, Dockerfile, SourcePart, build_arguments, is_dockerfile, split_variables},
    index::{
        FileIndex, file_name, folders_above, is_data, is_hidden_or_third_party, is_test_or_foreign,
        is_within, join_path, normalize_path, parent_folder,
    },
};
use olm_catalog::{
    openshift::{OpenShift, file_stem},
    paths::glob::Glob,
};

/// Folder of pipelines.
const PIPELINES: &str = ".tekton";
/// Maximum number of values for the variables of one source.
const MAX_VALUES: usize = 256;

/// A copy of a catalog into an image.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CatalogCopy {
    /// Path of the Dockerfile.
    pub dockerfile: String,
    /// Line number of the instruction, from 1.
    pub line: usize,
    /// Pipelines that set the build argument for the catalog.
    pub pipelines: Vec<String>,
}

/// Values of build arguments, and the pipelines that set each value.
type Arguments = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Path pattern of a source with its variables replaced.
#[derive(Clone, Default)]
struct Candidate {
    pattern: String,
    /// True if the path must contain an OpenShift version.
    needs_version: bool,
    /// True if the source has a variable.
    is_variable: bool,
    pipelines: BTreeSet<String>,
}

/// An existing source.
struct ExistingSource {
    path: String,
    is_variable: bool,
    pipelines: BTreeSet<String>,
}

/// Finds the catalogs that Dockerfiles copy. Drops a catalog that contains another catalog.
pub fn find_copies(index: &FileIndex) -> BTreeMap<String, Vec<CatalogCopy>> {
    let pipelines = pipeline_arguments(index);
    let mut found: BTreeMap<String, Vec<CatalogCopy>> = BTreeMap::new();
    for path in index.file_paths().filter(|path| is_dockerfile(file_name(path)) && !is_test_or_foreign(path))
    {
        let Some(text) = index.read_text(path) else { continue };
        let dockerfile = Dockerfile::parse(&text);
        for (source, line) in copied_sources(index, path, &dockerfile, &pipelines) {
            let copy = CatalogCopy {
                dockerfile: path.to_owned(),
                line,
                pipelines: source.pipelines.into_iter().collect(),
            };
            found.entry(source.path).or_default().push(copy);
        }
    }
    let paths: Vec<String> = found.keys().cloned().collect();
    found.retain(|path, _| !paths.iter().any(|other| other != path && is_within(other, path)));
    for copies in found.values_mut() {
        copies.sort();
    }
    found
}

/// Returns the values of build arguments in pipelines.
fn pipeline_arguments(index: &FileIndex) -> Arguments {
    let mut all = Arguments::new();
    for path in index.file_paths().filter(|path| path.split('/').any(|part| part == PIPELINES)) {
        if !is_data(path) || is_test_or_foreign(path) {
            continue;
        }
        for (name, value) in build_arguments(&index.read_text(path).unwrap_or_default()) {
            all.entry(name).or_default().entry(value).or_default().insert(path.to_owned());
        }
    }
    all
}

/// Returns the catalogs that one Dockerfile copies, with the line of each instruction.
fn copied_sources(
    index: &FileIndex,
    path: &str,
    dockerfile: &Dockerfile,
    pipelines: &Arguments,
) -> Vec<(ExistingSource, usize)> {
    let mut whole: Vec<(ExistingSource, usize)> = Vec::new();
    let mut parts: Vec<(String, usize)> = Vec::new();
    for copy in &dockerfile.copies {
        for source in &copy.sources {
            let candidates = source_candidates(source, dockerfile, pipelines);
            let found = existing_sources(index, path, &candidates);
            if found.is_empty() {
                parts.extend(incomplete_source(index, path, copy, &candidates));
            }
            whole.extend(found.into_iter().map(|source| (source, copy.line)));
        }
    }
    let fixed: Vec<&str> = whole
        .iter()
        .filter(|(source, _)| !source.is_variable)
        .map(|(source, _)| source.path.as_str())
        .collect();
    if let Some(common) = common_folder(index, &fixed).filter(|_| are_disjoint(index, &fixed)) {
        let line = whole.first().map_or(1, |(_, line)| *line);
        whole.retain(|(source, _)| source.is_variable);
        whole.push((ExistingSource { path: common, is_variable: false, pipelines: BTreeSet::new() }, line));
    } else if whole.is_empty() {
        // A Dockerfile may copy the files of one catalog one by one.
        let paths: Vec<&str> = parts.iter().map(|(path, _)| path.as_str()).collect();
        let common = common_folder(index, &paths).filter(|common| is_complete(index, common));
        let line = parts.first().map_or(1, |(_, line)| *line);
        whole.extend(
            common
                .map(|path| (ExistingSource { path, is_variable: false, pipelines: BTreeSet::new() }, line)),
        );
    }
    whole
}

/// Returns a source that exists but is not a complete catalog.
fn incomplete_source(
    index: &FileIndex,
    dockerfile: &str,
    copy: &CopyInstruction,
    candidates: &[Candidate],
) -> Option<(String, usize)> {
    let fixed = candidates.iter().find(|candidate| !candidate.is_variable)?;
    let mut paths =
        folders_above(dockerfile).filter_map(|folder| normalize_path(&join_path(folder, &fixed.pattern)));
    let has_catalog =
        |path: &String| index.files_at(path).iter().any(|file| index.head_facts(file).has_catalog);
    Some((paths.find(has_catalog)?, copy.line))
}

/// Returns the common folder of several sources if it contains nothing else.
fn common_folder(index: &FileIndex, paths: &[&str]) -> Option<String> {
    let (first, others) = paths.split_first().filter(|(_, others)| !others.is_empty())?;
    let common = folders_above(first).find(|folder| others.iter().all(|path| is_within(path, folder)))?;
    let is_covered = |file: &str| paths.iter().any(|path| is_within(file, path));
    let has_others = others.iter().any(|path| path != first);
    (has_others && index.files_below(common).all(is_covered)).then(|| common.to_owned())
}

/// Reports whether no two sources define the same package.
fn are_disjoint(index: &FileIndex, paths: &[&str]) -> bool {
    let mut seen = BTreeSet::new();
    paths.iter().all(|path| defined_packages(index, path).into_iter().all(|package| seen.insert(package)))
}

/// Returns the possible paths of a source, with variables replaced by values of pipelines and
/// defaults. A variable with a version, or without a value, matches everything that fits.
/// Pipelines drop old versions while their catalogs stay.
fn source_candidates(source: &str, dockerfile: &Dockerfile, pipelines: &Arguments) -> Vec<Candidate> {
    let mut all = vec![Candidate::default()];
    for part in split_variables(source) {
        let values = match &part {
            SourcePart::Text(text) => vec![Candidate { pattern: text.clone(), ..Candidate::default() }],
            SourcePart::Variable { name, default } => {
                variable_values(name, default.as_deref(), dockerfile, pipelines)
            }
        };
        let combined = all.iter().flat_map(|before| {
            values.iter().map(|value| Candidate {
                pattern: format!("{}{}", before.pattern, value.pattern),
                needs_version: before.needs_version || value.needs_version,
                is_variable: before.is_variable || value.is_variable,
                pipelines: before.pipelines.union(&value.pipelines).cloned().collect(),
            })
        });
        all = combined.take(MAX_VALUES).collect();
    }
    all
}

fn variable_values(
    name: &str,
    default: Option<&str>,
    dockerfile: &Dockerfile,
    pipelines: &Arguments,
) -> Vec<Candidate> {
    let variable = |pattern: String| Candidate { pattern, is_variable: true, ..Candidate::default() };
    let mut all: Vec<Candidate> = Vec::new();
    for (value, files) in pipelines.get(name).into_iter().flatten() {
        all.push(Candidate { pipelines: files.clone(), ..variable(value.clone()) });
    }
    let default = dockerfile.arguments.get(name).cloned().flatten().or_else(|| default.map(str::to_owned));
    all.extend(default.map(variable));
    if all.is_empty() {
        return vec![variable("*".to_owned())];
    }
    let mut open: BTreeSet<String> = all.iter().filter_map(|value| version_pattern(&value.pattern)).collect();
    if open.is_empty() && name.contains("OCP_VERSION") {
        open.insert("*".to_owned());
    }
    all.extend(open.into_iter().map(|pattern| Candidate { needs_version: true, ..variable(pattern) }));
    all
}

/// Returns a pattern for values that differ from this one only in their OpenShift version.
fn version_pattern(value: &str) -> Option<String> {
    let name = file_stem(file_name(value));
    let version = OpenShift::from_name(name)?;
    let at = value
        .rfind(&format!("4.{}", version.minor))
        .or_else(|| value.rfind(&format!("4-{}", version.minor)))?;
    let end = at + 2 + version.minor.to_string().len();
    Some(format!("{}4?*{}", value.get(..at)?, value.get(end..)?))
}

/// Returns the existing sources, relative to the folder of the Dockerfile or to the nearest parent with any.
fn existing_sources(index: &FileIndex, dockerfile: &str, candidates: &[Candidate]) -> Vec<ExistingSource> {
    for folder in folders_above(dockerfile) {
        let mut found: BTreeMap<String, ExistingSource> = BTreeMap::new();
        for candidate in candidates {
            let Some(pattern) = normalize_path(&join_path(folder, candidate.pattern.trim_start_matches('/')))
            else {
                continue;
            };
            for path in matching_paths(index, &pattern) {
                let is_version = !candidate.needs_version || OpenShift::from_path(&path).is_some();
                if !is_version || !is_catalog(index, &path) {
                    continue;
                }
                let source = found.entry(path.clone()).or_insert_with(|| ExistingSource {
                    path,
                    is_variable: candidate.is_variable,
                    pipelines: BTreeSet::new(),
                });
                source.pipelines.extend(candidate.pipelines.iter().cloned());
            }
        }
        if !found.is_empty() {
            return found.into_values().collect();
        }
    }
    Vec::new()
}

/// Reports whether a copied path is a catalog: complete, or with packages but without channels and bundles.
fn is_catalog(index: &FileIndex, path: &str) -> bool {
    if is_hidden_or_third_party(&join_path(path, "x")) {
        return false;
    }
    let is_begun = || {
        let files = || index.files_at(path).into_iter().filter(|file| is_data(file));
        let facts = || files().map(|file| index.head_facts(file)).filter(|facts| facts.template.is_none());
        facts().any(|facts| !facts.packages.is_empty())
            && !facts().any(|facts| facts.has_channels || !facts.bundles.is_empty())
    };
    is_complete(index, path) || is_begun()
}

/// Returns the files and folders that match a pattern, with links resolved.
fn matching_paths(index: &FileIndex, pattern: &str) -> BTreeSet<String> {
    if !pattern.contains(['*', '?', '[']) {
        let path = index.resolve_links(pattern);
        return BTreeSet::from([path]);
    }
    let globs: Vec<Option<Glob>> = pattern.split('/').map(Glob::parse).collect();
    let is_match = |path: &str| {
        path.split('/').zip(&globs).all(|(name, glob)| glob.as_ref().is_some_and(|glob| glob.matches(name)))
    };
    let mut found = BTreeSet::new();
    for file in index.file_paths() {
        let mut path = file;
        let depth = path.split('/').count();
        for _ in globs.len()..depth {
            path = parent_folder(path);
        }
        if depth >= globs.len() && is_match(path) {
            found.insert(path.to_owned());
        }
    }
    found
}
