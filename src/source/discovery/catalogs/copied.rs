//! Catalogs that Dockerfiles copy into images.

use std::collections::{BTreeMap, BTreeSet};

use super::{is_whole, packages};
use crate::{
    catalog::{
        openshift::{OpenShift, file_stem},
        paths::glob::Glob,
    },
    source::discovery::{
        dockerfile::{CopyInstruction, Dockerfile, Part, build_arguments, is_dockerfile, parts},
        index::{
            FileIndex, folders_above, is_aside, is_data, is_foreign, is_within, join, name_of, normalize,
            parent,
        },
    },
};

/// The folder of pipelines.
const PIPELINES: &str = ".tekton";
/// Maximum number of values that the variables of one source stand for.
const MAX_VALUES: usize = 256;

/// A copy of a catalog into an image.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Copy {
    /// The Dockerfile.
    pub dockerfile: String,
    /// The line in it, from 1.
    pub line: usize,
    /// Pipelines that set the build argument which names the catalog.
    pub pipelines: Vec<String>,
}

/// Build arguments: the values of each, and the pipelines that set them.
type Arguments = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Possible paths of a source once its variables have values.
#[derive(Clone, Default)]
struct Candidate {
    pattern: String,
    /// Whether the path has to name an OpenShift version.
    needs_version: bool,
    /// Whether it has a variable.
    is_variable: bool,
    pipelines: BTreeSet<String>,
}

/// A source that is there.
struct Source {
    path: String,
    is_variable: bool,
    pipelines: BTreeSet<String>,
}

/// Finds the catalogs that Dockerfiles copy. A catalog that contains another catalog is left out.
pub fn find(index: &FileIndex) -> BTreeMap<String, Vec<Copy>> {
    let pipelines = pipelines(index);
    let mut found: BTreeMap<String, Vec<Copy>> = BTreeMap::new();
    for path in index.files().filter(|path| is_dockerfile(name_of(path)) && !is_aside(path)) {
        let Some(text) = index.text(path) else { continue };
        let dockerfile = Dockerfile::parse(&text);
        for (source, line) in sources(index, path, &dockerfile, &pipelines) {
            let copy =
                Copy { dockerfile: path.to_owned(), line, pipelines: source.pipelines.into_iter().collect() };
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

/// The values that pipelines give build arguments.
fn pipelines(index: &FileIndex) -> Arguments {
    let mut all = Arguments::new();
    for path in index.files().filter(|path| path.split('/').any(|part| part == PIPELINES)) {
        if !is_data(path) || is_aside(path) {
            continue;
        }
        for (name, value) in build_arguments(&index.text(path).unwrap_or_default()) {
            all.entry(name).or_default().entry(value).or_default().insert(path.to_owned());
        }
    }
    all
}

/// The catalogs that one Dockerfile copies, each with the line.
fn sources(
    index: &FileIndex,
    path: &str,
    dockerfile: &Dockerfile,
    pipelines: &Arguments,
) -> Vec<(Source, usize)> {
    let mut whole: Vec<(Source, usize)> = Vec::new();
    let mut parts: Vec<(String, usize)> = Vec::new();
    for copy in &dockerfile.copies {
        for source in &copy.sources {
            let candidates = candidates(source, dockerfile, pipelines);
            let found = existing(index, path, &candidates);
            if found.is_empty() {
                parts.extend(part(index, path, copy, &candidates));
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
        whole.push((Source { path: common, is_variable: false, pipelines: BTreeSet::new() }, line));
    } else if whole.is_empty() {
        // The files of one catalog, copied one by one.
        let paths: Vec<&str> = parts.iter().map(|(path, _)| path.as_str()).collect();
        let common = common_folder(index, &paths).filter(|common| is_whole(index, common));
        let line = parts.first().map_or(1, |(_, line)| *line);
        whole.extend(
            common.map(|path| (Source { path, is_variable: false, pipelines: BTreeSet::new() }, line)),
        );
    }
    whole
}

/// A source that is there and not a catalog by itself.
fn part(
    index: &FileIndex,
    dockerfile: &str,
    copy: &CopyInstruction,
    candidates: &[Candidate],
) -> Option<(String, usize)> {
    let fixed = candidates.iter().find(|candidate| !candidate.is_variable)?;
    let mut paths = folders_above(dockerfile).filter_map(|folder| normalize(&join(folder, &fixed.pattern)));
    let has_catalog = |path: &String| index.at(path).iter().any(|file| index.head(file).has_catalog);
    Some((paths.find(has_catalog)?, copy.line))
}

/// The folder of several sources that holds nothing else.
fn common_folder(index: &FileIndex, paths: &[&str]) -> Option<String> {
    let (first, others) = paths.split_first().filter(|(_, others)| !others.is_empty())?;
    let common = folders_above(first).find(|folder| others.iter().all(|path| is_within(path, folder)))?;
    let is_covered = |file: &str| paths.iter().any(|path| is_within(file, path));
    let has_others = others.iter().any(|path| path != first);
    (has_others && index.below(common).all(is_covered)).then(|| common.to_owned())
}

/// Reports whether no package is defined by two sources.
fn are_disjoint(index: &FileIndex, paths: &[&str]) -> bool {
    let mut seen = BTreeSet::new();
    paths.iter().all(|path| packages(index, path).into_iter().all(|package| seen.insert(package)))
}

/// The paths that a source may mean: its variables replaced by what pipelines and defaults say. A variable for a version, or
/// without a value, stands for everything that fits: pipelines drop old versions, their catalogs stay.
fn candidates(source: &str, dockerfile: &Dockerfile, pipelines: &Arguments) -> Vec<Candidate> {
    let mut all = vec![Candidate::default()];
    for part in parts(source) {
        let values = match &part {
            Part::Text(text) => vec![Candidate { pattern: text.clone(), ..Candidate::default() }],
            Part::Variable { name, default } => values(name, default.as_deref(), dockerfile, pipelines),
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

fn values(
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

/// The pattern of values that differ from this one in their OpenShift version only.
fn version_pattern(value: &str) -> Option<String> {
    let name = file_stem(name_of(value));
    let version = OpenShift::of_name(name)?;
    let at = value
        .rfind(&format!("4.{}", version.minor))
        .or_else(|| value.rfind(&format!("4-{}", version.minor)))?;
    let end = at + 2 + version.minor.to_string().len();
    Some(format!("{}4?*{}", value.get(..at)?, value.get(end..)?))
}

/// The sources that are there, from the folder of the Dockerfile, or the nearest above it that has one.
fn existing(index: &FileIndex, dockerfile: &str, candidates: &[Candidate]) -> Vec<Source> {
    for folder in folders_above(dockerfile) {
        let mut found: BTreeMap<String, Source> = BTreeMap::new();
        for candidate in candidates {
            let Some(pattern) = normalize(&join(folder, candidate.pattern.trim_start_matches('/'))) else {
                continue;
            };
            for path in matching(index, &pattern) {
                let is_version = !candidate.needs_version || OpenShift::of_path(&path).is_some();
                if !is_version || !is_catalog(index, &path) {
                    continue;
                }
                let source = found.entry(path.clone()).or_insert_with(|| Source {
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

/// Reports whether something that a Dockerfile copies is a catalog: whole, or with packages and no channel yet.
fn is_catalog(index: &FileIndex, path: &str) -> bool {
    if is_foreign(&join(path, "x")) {
        return false;
    }
    let is_begun = || {
        let files = || index.at(path).into_iter().filter(|file| is_data(file));
        let facts = || files().map(|file| index.head(file)).filter(|facts| facts.template.is_none());
        facts().any(|facts| !facts.packages.is_empty())
            && !facts().any(|facts| facts.has_channels || !facts.bundles.is_empty())
    };
    is_whole(index, path) || is_begun()
}

/// Files and folders that match a pattern, links followed.
fn matching(index: &FileIndex, pattern: &str) -> BTreeSet<String> {
    if !pattern.contains(['*', '?', '[']) {
        let path = index.resolve_links(pattern);
        return BTreeSet::from([path]);
    }
    let globs: Vec<Option<Glob>> = pattern.split('/').map(Glob::parse).collect();
    let is_match = |path: &str| {
        path.split('/').zip(&globs).all(|(name, glob)| glob.as_ref().is_some_and(|glob| glob.matches(name)))
    };
    let mut found = BTreeSet::new();
    for file in index.files() {
        let mut path = file;
        let depth = path.split('/').count();
        for _ in globs.len()..depth {
            path = parent(path);
        }
        if depth >= globs.len() && is_match(path) {
            found.insert(path.to_owned());
        }
    }
    found
}
