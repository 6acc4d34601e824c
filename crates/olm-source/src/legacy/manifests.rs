//! Folders of package manifests, the format before bundles: `NAME.package.yaml` next to a folder for each
//! version. Each version is read as the bundle that operator-sdk's `pkgman-to-bundle` would make from it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write as _,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::json;

use crate::read_bundle_directory;
use olm_bundle::{
    Tree, TreeFile,
    registry::Bundle,
    render::{Options, render_olm_bundle},
};
use olm_catalog::{
    Node,
    load::{LoadError, Progress, regular_file},
};

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
pub(super) struct PackageManifest {
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
pub(super) fn find_package_manifest(path: &Path) -> Option<PackageManifest> {
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
pub(super) fn convert_manifests(
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
    let content = Ok(annotations.to_string().into_bytes());
    files.push(TreeFile { path: "metadata/annotations.yaml".to_owned(), content });
    Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()])
}
