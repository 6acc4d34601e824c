//! Catalogs in older formats: SQLite indexes and folders of package manifests. They are read-only and open as
//! the catalog that opm makes from them.

mod convert;
#[cfg(feature = "sqlite")]
mod rows;
#[cfg(not(feature = "sqlite"))]
#[path = "without.rs"]
mod rows;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write as _,
    fs,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::json;
use thiserror::Error;

use crate::read_bundle_directory;
use olm_bundle::{
    Tree, TreeFile,
    registry::Bundle,
    render::{Options, render_olm_bundle},
};
use olm_catalog::{
    Catalog, Node, Origin, SourceFile,
    load::{LoadError, Progress, regular_file},
};

/// First bytes of an SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Size limit of an index, in bytes; about five times the largest one ever published.
pub const MAX_INDEX_BYTES: u64 = 1 << 30;
/// Size of the header of an SQLite database, in bytes.
const HEADER_BYTES: usize = 100;
/// Maximum number of bytes of the documents made from an index.
const MAX_DOCUMENT_BYTES: usize = 1 << 30;

/// Returns true if bytes are an SQLite database.
pub fn is_index(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Returns the objects of the file-based catalog that `opm render` makes from an SQLite index, as a JSON
/// stream.
///
/// # Errors
///
/// If the bytes are not an index, or if opm would not convert them.
pub fn documents_of_index(bytes: Vec<u8>) -> Result<Vec<u8>, IndexFault> {
    let length = bytes.len();
    documents_of_reader(Cursor::new(bytes), length)
}

/// Like [`documents_of_index`], with a reader, so that the index is in memory only once.
///
/// # Errors
///
/// See [`documents_of_index`].
pub fn documents_of_reader(mut index: impl Read, length: usize) -> Result<Vec<u8>, IndexFault> {
    let mut header = [0; HEADER_BYTES];
    if length < HEADER_BYTES || index.read_exact(&mut header).is_err() || !is_index(&header) {
        return Err(IndexFault::NotAnIndex);
    }
    // Base64 and repeated names of a large index make the documents several times larger. Anything far beyond
    // that is an attack.
    let most = length.saturating_mul(8).saturating_add(32 << 20).min(MAX_DOCUMENT_BYTES);
    convert::convert_tables(&rows::read_tables(header, index, length)?, most)
}

/// File name extensions of SQLite indexes.
const EXTENSIONS: &[&str] = &["db", "sqlite", "sqlite3"];

/// Returns true if a file name has an extension of an SQLite index.
fn is_named_index(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| EXTENSIONS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Returns true if a path is in one of the older formats.
pub fn is_older(path: &Path) -> bool {
    if path.is_dir() {
        return find_package_manifest(path).is_some();
    }
    let mut beginning = [0; MAGIC.len()];
    regular_file::open_regular(path).and_then(|mut file| file.read_exact(&mut beginning)).is_ok()
        && is_index(&beginning)
}

/// Opens a path in one of the older formats; `None` if it is in none.
pub(super) fn open_older(path: &Path, progress: &Progress) -> Option<Result<Catalog, LoadError>> {
    if path.is_dir() {
        let manifests = find_package_manifest(path)?;
        return Some(
            convert_manifests(path, &manifests, progress).map(|documents| converted_catalog(path, documents)),
        );
    }
    let mut beginning = [0; MAGIC.len()];
    // A pipe is not opened, because the bytes read would be lost.
    let mut file = regular_file::open_regular(path).ok()?;
    let is_index = file.read_exact(&mut beginning).is_ok() && is_index(&beginning);
    if !is_index && is_named_index(path) {
        // An empty file would otherwise be an empty catalog.
        let why = IndexFault::NotAnIndex.to_string();
        return Some(Err(LoadError::Older { path: path.to_owned(), why }));
    }
    is_index.then(|| {
        let failed = |source| LoadError::Open { path: path.to_owned(), source };
        let file = regular_file::open_regular(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length > MAX_INDEX_BYTES {
            return Err(failed(io::Error::from(io::ErrorKind::FileTooLarge)));
        }
        progress.check_stopped()?;
        let documents = documents_of_reader(file, usize::try_from(length).unwrap_or(usize::MAX))
            .map_err(|fault| LoadError::Older { path: path.to_owned(), why: fault.to_string() })?;
        Ok(converted_catalog(path, documents))
    })
}

/// Returns the converted catalog, which does not exist on disk in this form.
fn converted_catalog(path: &Path, documents: Vec<u8>) -> Catalog {
    let mut file = SourceFile::new(path.to_owned(), None, documents);
    file.writable = false;
    Catalog::new(Origin::Converted(path.to_owned()), vec![file], Vec::new())
}

/// Reason why an index cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IndexFault {
    /// The file is not an SQLite database.
    #[error("it is not an SQLite database")]
    NotAnIndex,
    /// Error from SQLite.
    #[error("{0}")]
    Database(String),
    /// A table that every index has is missing.
    #[error("it has no table {0}, so it is not an index of operators")]
    NoTable(&'static str),
    /// The index exceeds all plausible limits of size or query time, which suggests an attack.
    #[error("it is not an index that can be read in bounded time and memory")]
    Unbounded,
    /// The program was built without SQLite.
    #[error("this olmap was built without SQLite; try: opm render")]
    NotBuilt,
    /// A package does not have an existing default channel. opm crashes.
    #[error("package {0} has no default channel")]
    NoDefault(String),
    /// The head of a default channel is missing.
    #[error("package {package}: the head of its default channel {channel} is not in the index")]
    NoHead {
        /// Name of the package.
        package: String,
        /// Name of the channel.
        channel: String,
    },
    /// A ClusterServiceVersion is not JSON.
    #[error("bundle {0}: its ClusterServiceVersion cannot be read")]
    BadCsv(String),
    /// A bundle whose version is not a strict semantic version.
    #[error("bundle {bundle} has the version {version}, which is not a semantic version")]
    BadVersion {
        /// Name of the bundle.
        bundle: String,
        /// Version as written.
        version: String,
    },
    /// Two bundles of a package with the same version.
    #[error("package {package}: {first} and {second} have the same version {version}")]
    SameVersion {
        /// Name of the package.
        package: String,
        /// Version of both bundles.
        version: String,
        /// Name of a bundle.
        first: String,
        /// Name of another bundle.
        second: String,
    },
    /// A property or dependency is not JSON, or does not match its type.
    #[error("bundle {bundle}: its property {kind} cannot be read")]
    BadProperty {
        /// Name of the bundle.
        bundle: String,
        /// Type of the property.
        kind: String,
    },
    /// Objects are not JSON.
    #[error("bundle {0}: its objects cannot be read")]
    BadObjects(String),
}

/// Suffix of a package file.
const PACKAGE_SUFFIX: &str = ".package.yaml";

/// Size limit of a package file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Number of bytes at the beginning of another file that decide its format.
const HEAD_BYTES: u64 = 4096;

/// Maximum number of versions.
const MAX_VERSIONS: usize = 5_000;

/// Content of `NAME.package.yaml`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PackageManifest {
    package_name: String,
    #[serde(default)]
    channels: Vec<ChannelManifest>,
    #[serde(default)]
    default_channel: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ChannelManifest {
    name: String,
    #[serde(rename = "currentCSV")]
    current: String,
}

/// Returns true if a file next to the package manifest belongs to a file-based catalog. The
/// folder is then not converted.
fn is_catalog_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == ".indexignore" {
        return true;
    }
    if name.ends_with(PACKAGE_SUFFIX)
        || !path.extension().is_some_and(|of| of == "yaml" || of == "yml" || of == "json")
    {
        return false;
    }
    let mut beginning = Vec::new();
    let read =
        regular_file::open_regular(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut beginning));
    let text = String::from_utf8_lossy(&beginning);
    read.is_ok() && text.contains("schema") && text.contains("olm.")
}

/// Returns the package of a folder of package manifests. `None` if the folder also contains files of another
/// format.
fn find_package_manifest(path: &Path) -> Option<PackageManifest> {
    let mut files: Vec<PathBuf> = fs::read_dir(path)
        .ok()?
        .take(MAX_VERSIONS)
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(PACKAGE_SUFFIX)))
        .collect();
    let (file, true) = (files.pop()?, files.is_empty()) else { return None };
    if fs::read_dir(path).ok()?.take(MAX_VERSIONS).flatten().any(|entry| is_catalog_file(&entry.path())) {
        return None;
    }
    let bytes = regular_file::read_regular(&file, MAX_FILE_BYTES).ok()?;
    let manifest: PackageManifest = serde_yaml::from_slice(&bytes).ok()?;
    (!manifest.package_name.is_empty() && !manifest.channels.is_empty()).then_some(manifest)
}

/// Edges and blob of a version.
struct Version {
    replaces: Option<String>,
    skips: Vec<String>,
    skip_range: Option<String>,
    blob: String,
}

/// Returns the objects of the catalog as JSON, one per line.
fn convert_manifests(
    path: &Path,
    manifest: &PackageManifest,
    progress: &Progress,
) -> Result<Vec<u8>, LoadError> {
    let refused = |why: String| LoadError::Older { path: path.to_owned(), why };
    let package = &manifest.package_name;
    let default = match (&manifest.default_channel, manifest.channels.as_slice()) {
        (Some(name), _) if !name.is_empty() => name,
        (_, [only]) => &only.name,
        _ => return Err(refused(format!("package {package} has several channels and no defaultChannel"))),
    };
    let failed = |source| LoadError::Open { path: path.to_owned(), source };
    let mut folders: Vec<PathBuf> = fs::read_dir(path)
        .map_err(failed)?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    if folders.len() > MAX_VERSIONS {
        return Err(refused(format!("it has more than {MAX_VERSIONS} folders")));
    }
    let mut versions: HashMap<String, Version> = HashMap::new();
    for folder in &folders {
        progress.check_stopped()?;
        let (name, version) = match read_version(folder, package)? {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            Err(why) => return Err(refused(format!("{}: {why}", folder.display()))),
        };
        if versions.contains_key(&name) {
            return Err(refused(format!("two folders have the CSV {name}: {}", folder.display())));
        }
        versions.insert(name, version);
    }
    let mut out = String::new();
    let _ = writeln!(out, "{}", json!({"schema": "olm.package", "name": package, "defaultChannel": default}));
    let mut members: BTreeSet<&str> = BTreeSet::new();
    for channel in &manifest.channels {
        let mut entries: BTreeMap<&str, serde_json::Value> = BTreeMap::new();
        let mut here = Some(channel.current.as_str());
        while let Some((name, version)) = here.and_then(|name| versions.get_key_value(name)) {
            if entries.contains_key(name.as_str()) {
                break;
            }
            let mut entry = json!({"name": name});
            let edges = [
                ("replaces", version.replaces.as_ref().map(|name| json!(name))),
                ("skips", (!version.skips.is_empty()).then(|| json!(version.skips))),
                ("skipRange", version.skip_range.as_ref().map(|range| json!(range))),
            ];
            for (key, value) in edges {
                if let Some(value) = value {
                    entry[key] = value;
                }
            }
            entries.insert(name, entry);
            members.insert(name);
            here = version.replaces.as_deref();
        }
        if entries.is_empty() {
            let words = format!("channel {}: no folder has the CSV {}", channel.name, channel.current);
            return Err(refused(words));
        }
        let entries: Vec<_> = entries.into_values().collect();
        let blob =
            json!({"schema": "olm.channel", "package": package, "name": channel.name, "entries": entries});
        let _ = writeln!(out, "{blob}");
    }
    for version in members.iter().filter_map(|name| versions.get(*name)) {
        out.push_str(&version.blob);
        out.push('\n');
    }
    Ok(out.into_bytes())
}

type VersionResult = Result<Option<(String, Version)>, String>;

/// Reads the version in a folder; `None` if the folder does not contain a CSV.
fn read_version(folder: &Path, package: &str) -> Result<VersionResult, LoadError> {
    let tree = to_bundle_layout(read_bundle_directory(folder)?, package);
    let bundle = match Bundle::from_tree(&tree) {
        Ok(bundle) => bundle,
        Err(_) if olm_bundle::registry::DirectoryContents::from_tree(&tree).csv().is_none() => {
            return Ok(Ok(None));
        }
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    let rendered = match render_olm_bundle(&bundle, &Options::default()) {
        Ok(rendered) => rendered,
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    let csv = bundle.csv();
    let text =
        |key| csv.spec_field(key).and_then(Node::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let skips = csv.spec_field("skips").map(Node::items).unwrap_or_default();
    Ok(Ok(Some((
        csv.name().to_owned(),
        Version {
            replaces: text("replaces"),
            skips: skips.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
            skip_range: csv.annotation("olm.skipRange").filter(|range| !range.is_empty()).map(str::to_owned),
            blob: rendered.to_compact_json(),
        },
    ))))
}

/// Returns the files of a version in the layout of a bundle, with the missing metadata.
fn to_bundle_layout(tree: Tree, package: &str) -> Tree {
    let mut files: Vec<TreeFile> = tree
        .files
        .into_iter()
        .filter(|file| !file.path.contains('/'))
        .map(|file| TreeFile { path: format!("manifests/{}", file.path), ..file })
        .collect();
    let annotations = json!({"annotations": {
        "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
        "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
        "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
        "operators.operatorframework.io.bundle.package.v1": package,
    }});
    let content = Ok(annotations.to_string().into());
    files.push(TreeFile { path: "metadata/annotations.yaml".to_owned(), content });
    Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()])
}
