//! Candidates of each kind of value.

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use clap_complete::engine::CompletionCandidate;

use super::line::{self, CommandLine};
use super::values::ValueKind;
use super::{paths, revisions};
use crate::cli::{repository, revision, source};
use olm_catalog::{
    Catalog, ChannelName,
    blob::{BundleBlob, ChannelBlob},
    load::{Progress, git},
    package::Package,
};
use olm_check::rules;
use olm_source::{Access, OpenOptions, discovery::OpenKind, hosts_to_contact, is_image_reference, open_path};
use olm_upgrade::{ChannelGraph, apis::DependencyIndex};

/// Maximum number of catalogs that are read for candidates.
const MAX_CATALOGS: usize = 16;

/// Names of all rules of a severity.
const SEVERITIES: [(&str, &str); 3] =
    [("errors", "all errors"), ("warnings", "all warnings"), ("notes", "all notes")];

/// Types of templates, which may precede the file.
const TEMPLATE_TYPES: [&str; 3] = ["basic", "semver", "substitutes"];

/// Candidate: a value and its description.
pub type Candidate = (String, String);

/// Returns the candidates for a value that begins with a text.
pub fn complete_value(kind: ValueKind, line: &CommandLine, text: &OsStr) -> Vec<CompletionCandidate> {
    let Some(text) = text.to_str() else { return Vec::new() };
    let mut seen = HashSet::new();
    let candidates = find_candidates(kind, line, text).into_iter();
    let candidates = candidates.filter(|(value, _)| value.starts_with(text) && seen.insert(value.clone()));
    candidates
        .map(|(value, description)| {
            let help = (!description.is_empty()).then(|| description.into());
            CompletionCandidate::new(value).help(help)
        })
        .collect()
}

fn find_candidates(kind: ValueKind, line: &CommandLine, text: &str) -> Vec<Candidate> {
    match kind {
        ValueKind::Choice | ValueKind::Text => Vec::new(),
        ValueKind::Words(words) => words.iter().map(|word| ((*word).to_owned(), String::new())).collect(),
        ValueKind::Package => package_candidates(&open_catalogs(line, None)),
        ValueKind::PackageAndChannel => match text.split_once(':') {
            Some((package, _)) => {
                let line = CommandLine { packages: vec![package.to_owned()], ..line.clone() };
                let channels = channel_candidates(&open_catalogs(&line, Some(package)), &line);
                channels.into_iter().map(|(name, words)| (format!("{package}:{name}"), words)).collect()
            }
            None => package_candidates(&open_catalogs(line, None)),
        },
        ValueKind::Channel => channel_candidates(&open_named_catalogs(line), line),
        ValueKind::Bundle => bundle_candidates(&open_named_catalogs(line), line, text),
        ValueKind::BundleOrHead => {
            let head = ("head".to_owned(), "head of the channel".to_owned());
            let bundles = bundle_candidates(&open_named_catalogs(line), line, text);
            std::iter::once(head).chain(bundles).collect()
        }
        ValueKind::BundleOrPath if line.catalogs.is_empty() => complete_bundle_directory(text),
        ValueKind::BundleOrPath => bundle_candidates(&open_named_catalogs(line), line, text),
        ValueKind::Api => {
            let catalogs = open_catalogs(line, None);
            let index = DependencyIndex::from_catalogs(&catalogs);
            let names = index.usages().iter().map(|usage| (usage.thing.to_string(), String::new()));
            names.chain(complete_catalog(text)).collect()
        }
        ValueKind::AnyName => {
            let catalogs = open_named_catalogs(line);
            let mut all = package_candidates(&catalogs);
            all.extend(channel_candidates(&catalogs, line));
            all.extend(bundle_candidates(&catalogs, line, text));
            all
        }
        ValueKind::Rule => rule_candidates(),
        ValueKind::RuleOrSeverity => {
            let severities = SEVERITIES.map(|(name, words)| (name.to_owned(), words.to_owned()));
            severities.into_iter().chain(rule_candidates()).collect()
        }
        ValueKind::Catalog => complete_catalog(text),
        ValueKind::NamedCatalog => {
            let (name, path) = line::split_catalog_name(text);
            let catalogs = complete_catalog(path);
            catalogs.into_iter().map(|(path, words)| (format!("{name}{path}"), words)).collect()
        }
        ValueKind::BundleDirectory => complete_bundle_directory(text),
        ValueKind::Revision => revisions::revision_candidates(),
        ValueKind::TemplateOrType => {
            let types = TEMPLATE_TYPES.map(|name| (name.to_owned(), "type of the template".to_owned()));
            types.into_iter().chain(paths::path_candidates(text, false)).collect()
        }
        ValueKind::Path => paths::path_candidates(text, false),
        ValueKind::Directory => paths::path_candidates(text, true),
    }
}

/// Returns discovered catalogs, paths and revisions.
fn complete_catalog(text: &str) -> Vec<Candidate> {
    if text.starts_with(git::REVISION_PREFIX) {
        return revisions::complete_revision_path(text);
    }
    let is_outside = text.starts_with(['/', '~', '.']);
    let mut all = if is_outside { Vec::new() } else { discovered_catalogs() };
    let mut paths = paths::path_candidates(text, false);
    paths.retain(|(path, _)| !all.iter().any(|(known, _)| known == path.trim_end_matches('/')));
    all.extend(paths);
    if !text.is_empty() && git::REVISION_PREFIX.starts_with(text) {
        all.push((git::REVISION_PREFIX.to_owned(), "git revision".to_owned()));
    }
    all
}

fn complete_bundle_directory(text: &str) -> Vec<Candidate> {
    if text.starts_with(git::REVISION_PREFIX) {
        return revisions::complete_revision_path(text);
    }
    paths::path_candidates(text, false)
}

fn discovered_catalogs() -> Vec<Candidate> {
    let Ok(repository) = repository::DiscoveredRepository::from_current_dir() else { return Vec::new() };
    let candidate = |catalog: &olm_source::discovery::FoundCatalog| {
        let versions: Vec<String> = catalog.openshift.iter().map(ToString::to_string).collect();
        let words = if versions.is_empty() {
            "catalog".to_owned()
        } else {
            format!("catalog of OpenShift {}", versions.join(", "))
        };
        Some((repository.relative_path(&catalog.path).to_str()?.to_owned(), words))
    };
    repository.contents.catalogs.iter().filter_map(candidate).collect()
}

/// Opens the catalogs of a command line, or only the package that it names.
fn open_named_catalogs(line: &CommandLine) -> Vec<Catalog> {
    let package = match line.packages.as_slice() {
        [only] => Some(only.as_str()),
        _ => None,
    };
    open_catalogs(line, package)
}

/// Opens the catalogs of a command line, or the discovered ones. Ignores those that cannot be opened, and those
/// that need a connection. With a package, reads only its directory if there is one with its name.
fn open_catalogs(line: &CommandLine, package: Option<&str>) -> Vec<Catalog> {
    let paths = if line.catalogs.is_empty() { selected_catalogs() } else { line.catalogs.clone() };
    let paths = paths.into_iter().map(|path| paths::expand_home(&path));
    let paths = paths.flat_map(|path| repository::find_catalogs(&path).unwrap_or_else(|| vec![path]));
    paths.take(MAX_CATALOGS).filter_map(|path| open_for_candidates(&path, package)).collect()
}

/// Returns the catalogs that a command without PATH uses.
fn selected_catalogs() -> Vec<PathBuf> {
    let selection = repository::selection().ok().flatten();
    let catalogs = selection.filter(|selection| selection.kind == OpenKind::Catalogs);
    catalogs.map(|selection| selection.paths).unwrap_or_default()
}

fn open_for_candidates(path: &Path, package: Option<&str>) -> Option<Catalog> {
    if source::is_stdin(path) {
        return None;
    }
    let progress = Progress::default();
    if let Some(revision) = revision::parse_revision(path) {
        let selected = revision.path.is_none().then(selected_catalogs).unwrap_or_default();
        let like = selected.first().map_or(Path::new("."), PathBuf::as_path);
        return git::open_revision(&revision, like, &progress).ok();
    }
    // Nothing is fetched, and nothing is written to the cache.
    let access = Access { offline: true, ..Access::default() };
    if is_image_reference(path) && !hosts_to_contact(path, &Access::default()).is_empty() {
        return None;
    }
    let only_package = package.filter(|package| !package.is_empty()).map(Into::into);
    open_path(path, &OpenOptions { access, only_package, ..OpenOptions::default() }, &progress).ok()
}

/// Returns the packages of catalogs, each once.
fn packages<'a>(catalogs: &'a [Catalog], line: &CommandLine) -> Vec<&'a Package> {
    let all = catalogs.iter().flat_map(source::named_packages).map(AsRef::as_ref);
    all.filter(|package: &&Package| {
        line.packages.is_empty() || line.packages.iter().any(|name| package.name == name.as_str())
    })
    .collect()
}

fn package_candidates(catalogs: &[Catalog]) -> Vec<Candidate> {
    let candidate = |package: &Package| {
        let channel = package.default_channel().and_then(|name| package.channel(name.as_str()));
        let words = channel.map(|channel| match head_version(package, channel) {
            Some(version) => format!("{version} in {}", channel.name.value),
            None => channel.name.value.to_string(),
        });
        (package.name.to_string(), words.unwrap_or_default())
    };
    packages(catalogs, &CommandLine::default()).into_iter().map(candidate).collect()
}

/// Returns the version of the only head of a channel.
fn head_version(package: &Package, channel: &std::sync::Arc<ChannelBlob>) -> Option<String> {
    ChannelGraph::new(package, channel).head()?.version.as_ref().map(ToString::to_string)
}

fn channel_candidates(catalogs: &[Catalog], line: &CommandLine) -> Vec<Candidate> {
    let mut all = Vec::new();
    let packages = packages(catalogs, line);
    let is_one = packages.len() == 1;
    for package in packages {
        for channel in &package.channels {
            let name = &channel.name.value;
            let mut words = head_version(package, channel).into_iter().collect::<Vec<_>>();
            if !is_one {
                words.push(package.name.to_string());
            }
            if package.default_channel() == Some(name) {
                words.push("default".to_owned());
            }
            if package.channel_deprecation(name).is_some() {
                words.push("deprecated".to_owned());
            }
            all.push((name.to_string(), words.join(", ")));
        }
    }
    all
}

/// Returns bundles by name, or by version if the text begins with a digit. The highest version is first.
fn bundle_candidates(catalogs: &[Catalog], line: &CommandLine, text: &str) -> Vec<Candidate> {
    let is_version = text.starts_with(|first: char| first.is_ascii_digit());
    let mut all = Vec::new();
    for package in packages(catalogs, line) {
        let mut bundles: Vec<&BundleBlob> = package.bundles.iter().map(AsRef::as_ref).collect();
        bundles.sort_by(|a, b| match (&a.version, &b.version) {
            (Some(x), Some(y)) => y.cmp_precedence(x),
            (x, y) => y.is_some().cmp(&x.is_some()),
        });
        for bundle in bundles {
            let channels = channels_with(package, bundle);
            let is_asked = line.channels.is_empty()
                || channels.iter().any(|channel| line.channels.iter().any(|name| name == channel.as_str()));
            if !is_asked {
                continue;
            }
            let version = bundle.version.as_ref().map(|version| version.version.to_string());
            let name = bundle.name.value.to_string();
            let channels = channels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            match (version, is_version) {
                (Some(version), true) => all.push((version, name)),
                (None, true) => {}
                (version, false) => {
                    let words: Vec<String> =
                        version.into_iter().chain((!channels.is_empty()).then_some(channels)).collect();
                    all.push((name, words.join(" in ")));
                }
            }
        }
    }
    all
}

/// Returns the channels with an entry for a bundle.
fn channels_with<'a>(package: &'a Package, bundle: &BundleBlob) -> Vec<&'a ChannelName> {
    let has = |channel: &&std::sync::Arc<ChannelBlob>| {
        channel.entries.iter().any(|entry| entry.name.value == bundle.name.value)
    };
    package.channels.iter().filter(has).map(|channel| &channel.name.value).collect()
}

fn rule_candidates() -> Vec<Candidate> {
    let rule =
        |rule: &&olm_check::Rule| (rule.id.to_owned(), format!("{}: {}", rule.severity.as_str(), rule.title));
    rules::ALL.iter().map(rule).collect()
}
