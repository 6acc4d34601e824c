//! Contents of an image: a catalog, a bundle or an old index, identified by its labels. The memory for their
//! text is limited before it is parsed.
//!
//! Sources: operator-registry `alpha/action/render.go` (`renderReference`, `imageToDeclcfg`) for the order of
//! labels, OLM's documentation of bundle images for their names.

use std::{collections::BTreeMap, io::Read, path::PathBuf, sync::Arc};

use serde_json::Value;

use super::{
    digest::Digest,
    error::ImageError,
    image::{Image, ImageLayers, ImageSource},
    tree::{Content, EntryId, Listed, Tree, TreeLocation, Unresolved},
    unpack::{self, ExpectedDigest, FolderFilter, Layers, Limits},
};
use olm_bundle::TreeFile;
use olm_catalog::{
    load::{Listing, Progress},
    problem::ProblemKind,
    text::split::count_chunks,
};

/// Folders of a bundle. opm knows no others, whatever the annotations say.
const BUNDLE_FOLDERS: [&str; 3] = ["manifests", "metadata", "tests"];

/// Contents of an image.
#[derive(Debug)]
pub enum Contents {
    /// A file-based catalog: its files, as in a directory on disk.
    Catalog(Listing),
    /// A stream of JSON or YAML.
    Stream {
        /// File name for the stream.
        name: String,
        /// Content of the stream.
        bytes: Vec<u8>,
    },
    /// A bundle, as in a bundle directory.
    Bundle(olm_bundle::Tree),
    /// SQLite index of an old catalog.
    Database {
        /// Path in the image.
        path: String,
        /// Content of the database.
        bytes: Arc<[u8]>,
    },
}

/// Unpacks the relevant files of an image.
///
/// # Errors
///
/// If no label identifies a catalog or a bundle, if a layer is unreadable or too large, or if the path in a
/// label does not exist.
pub fn read_contents(
    place: &dyn ImageSource,
    image: &Image,
    progress: &Progress,
) -> Result<Contents, ImageError> {
    let meaning = image.config.content_kind()?;
    let wanted = match &meaning {
        ContentKind::Database(path) | ContentKind::Catalog(path) => FolderFilter::for_folders(&[path]),
        ContentKind::Bundle => FolderFilter::for_folders(&BUNDLE_FOLDERS),
    };
    let layers = ImageLayers { place, image };
    let tree = unpack::build_tree(&layers, &wanted, Limits::default(), progress)?;
    let fetch = |entries: &[EntryId]| unpack::fetch_skipped(&layers, entries, Limits::default(), progress);
    match meaning {
        ContentKind::Catalog(folder) => {
            let find_root = resolve_label_folder(&tree, CONFIGS, &folder)?;
            let listed = fill_links(tree.list_below(find_root, progress)?, &fetch)?;
            Ok(Contents::Catalog(listed.into_iter().filter_map(catalog_file).collect()))
        }
        ContentKind::Bundle => {
            let mut listed = Vec::new();
            for folder in BUNDLE_FOLDERS {
                let Ok(found) = tree.resolve(folder) else { continue };
                if tree.folder_entries(found.node).is_none() {
                    continue;
                }
                listed.push((folder.to_owned(), Listed::Folder));
                let inside = tree.list_below(found, progress)?;
                listed.extend(inside.into_iter().map(|(path, one)| (format!("{folder}/{path}"), one)));
            }
            let listed = fill_links(listed, &fetch)?;
            Ok(Contents::Bundle(bundle_tree(listed)))
        }
        ContentKind::Database(path) => {
            let wrong = |why| ImageError::Root { label: DATABASE, folder: path.clone(), why };
            let cleaned = super::tree::clean_path(&path).join("/");
            let found = tree.resolve(&cleaned).map_err(|why| wrong(unresolved_reason(why)))?;
            let super::tree::NodeKind::File(content) = tree.node_kind(found.node) else {
                return Err(wrong("it is not a file"));
            };
            let bytes = match content {
                Content::Loaded(bytes) => Arc::clone(bytes),
                Content::Skipped(at) => fetch(&[*at])?.remove(at).ok_or_else(|| wrong("it is not there"))?,
            };
            Ok(Contents::Database { path, bytes })
        }
    }
}

/// Returns the files below a folder of an image that consists only of unverified layers. For fuzzing.
///
/// # Errors
///
/// See `read_contents`.
pub fn from_layers(layers: &[Vec<u8>], folder: &str) -> Result<Listing, ImageError> {
    struct PackedLayers<'l>(&'l [Vec<u8>]);
    impl Layers for PackedLayers<'_> {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, ExpectedDigest), ImageError> {
            let bytes = self.0.get(number).map(Vec::as_slice).unwrap_or_default();
            Ok((Box::new(bytes), ExpectedDigest::Stored(Digest::sha256(bytes))))
        }
    }
    let (layers, progress) = (PackedLayers(layers), Progress::default());
    let tree =
        unpack::build_tree(&layers, &FolderFilter::for_folders(&[folder]), Limits::default(), &progress)?;
    let fetch = |entries: &[EntryId]| unpack::fetch_skipped(&layers, entries, Limits::default(), &progress);
    let listed =
        fill_links(tree.list_below(resolve_label_folder(&tree, CONFIGS, folder)?, &progress)?, &fetch)?;
    Ok(listed.into_iter().filter_map(catalog_file).collect())
}

fn unresolved_reason(why: Unresolved) -> &'static str {
    match why {
        Unresolved::Missing => "it is not there",
        Unresolved::NotAFolder => "a part of its path is not a folder",
        Unresolved::TooManyLinks => "its links lead round in a circle",
    }
}

/// Returns the folder that a label names. `..` and links cannot leave the image.
fn resolve_label_folder(tree: &Tree, label: &'static str, folder: &str) -> Result<TreeLocation, ImageError> {
    let wrong = |why| ImageError::Root { label, folder: folder.to_owned(), why };
    let cleaned = super::tree::clean_path(folder).join("/");
    let found = tree.resolve(&cleaned).map_err(|why| wrong(unresolved_reason(why)))?;
    if tree.folder_entries(found.node).is_none() { Err(wrong("it is not a folder")) } else { Ok(found) }
}

type FetchSkipped<'f> = dyn Fn(&[EntryId]) -> Result<BTreeMap<EntryId, Arc<[u8]>>, ImageError> + 'f;

/// Loads the content of files outside of the folder that links in it refer to.
fn fill_links(
    mut listed: Vec<(String, Listed)>,
    fetch: &FetchSkipped<'_>,
) -> Result<Vec<(String, Listed)>, ImageError> {
    let passed_over = |one: &(String, Listed)| match &one.1 {
        Listed::File(Content::Skipped(at)) => Some(*at),
        _ => None,
    };
    let mut entries: Vec<EntryId> = listed.iter().filter_map(passed_over).collect();
    entries.sort_unstable();
    entries.dedup();
    let found = if entries.is_empty() { BTreeMap::new() } else { fetch(&entries)? };
    for (_, one) in &mut listed {
        if let Listed::File(Content::Skipped(at)) = one
            && let Some(bytes) = found.get(at)
        {
            *one = Listed::File(Content::Loaded(Arc::clone(bytes)));
        }
    }
    // Links can give one file many names, and each name gets its own bytes.
    let size = |(_, one): &(String, Listed)| match one {
        Listed::File(Content::Loaded(bytes)) => bytes.len() as u64,
        _ => 0,
    };
    if listed.iter().map(size).sum::<u64>() > Limits::default().kept {
        return Err(ImageError::TooMuch("with its links it has more than 512 MiB of files".to_owned()));
    }
    Ok(listed)
}

fn catalog_file((path, listed): (String, Listed)) -> Option<(PathBuf, Result<Vec<u8>, ProblemKind>)> {
    let content = match listed {
        Listed::Folder => return None,
        Listed::File(Content::Loaded(bytes)) => Ok(bytes.to_vec()),
        Listed::File(Content::Skipped(_)) => Err(ProblemKind::Unreadable("it is not there".to_owned())),
        Listed::LinkToFolder => Err(ProblemKind::BadLink("a link to a folder, which opm does not read")),
        Listed::BrokenLink => Err(ProblemKind::BadLink("a broken link")),
        Listed::Special(what) => Err(ProblemKind::Special(what)),
    };
    Some((PathBuf::from(path), content))
}

fn bundle_tree(listed: Vec<(String, Listed)>) -> olm_bundle::Tree {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for (path, one) in listed {
        let content = match one {
            Listed::Folder => {
                folders.push(path);
                continue;
            }
            Listed::File(Content::Loaded(bytes)) => Ok(bytes.to_vec().into()),
            Listed::File(Content::Skipped(_)) | Listed::BrokenLink => Err("a broken link".to_owned()),
            Listed::LinkToFolder => Err("a link to a folder".to_owned()),
            Listed::Special(what) => Err(format!("it is {what}")),
        };
        files.push(olm_bundle::TreeFile { path, content });
    }
    olm_bundle::Tree::new(files, folders)
}

/// Label with the folder of a file-based catalog.
pub const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";

/// Label with the file of an SQLite index.
pub const DATABASE: &str = "operators.operatorframework.io.index.database.v1";

/// Label with the package of a bundle.
pub const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// Media types of configs with labels. Configs of helm charts and other artifacts do not have labels.
const CONFIG_TYPES: [&str; 3] =
    ["", "application/vnd.oci.image.config.v1+json", "application/vnd.docker.container.image.v1+json"];

/// Kind of contents of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ContentKind {
    /// An SQLite index, with its path in the image.
    Database(String),
    /// A file-based catalog, with its folder in the image.
    Catalog(String),
    /// A bundle.
    Bundle,
}

/// Relevant parts of an image config.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
    /// Digests of the unpacked layers, as written.
    pub diff_ids: Vec<String>,
}

impl Config {
    /// Parses the config of an image; `media_type` comes from the manifest.
    ///
    /// # Errors
    ///
    /// If it is not the config of an image.
    pub fn parse(bytes: &[u8], media_type: &str) -> Result<Self, ImageError> {
        let wrong = |why: String| ImageError::Malformed { what: "config", why };
        if !CONFIG_TYPES.contains(&media_type) {
            return Err(wrong(format!("it is a {media_type}, and that of an image is expected")));
        }
        let value: Value = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        if !value.is_object() {
            return Err(wrong("it is not a JSON object".to_owned()));
        }
        let labels = value.get("config").and_then(|config| config.get("Labels")).and_then(Value::as_object);
        let label = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let ids = value.get("rootfs").and_then(|rootfs| rootfs.get("diff_ids")).and_then(Value::as_array);
        let id = |id: &Value| id.as_str().unwrap_or_default().to_owned();
        Ok(Self {
            labels: labels.into_iter().flatten().filter_map(label).collect(),
            diff_ids: ids.into_iter().flatten().map(id).collect(),
        })
    }

    /// Returns the kind of contents.
    ///
    /// # Errors
    ///
    /// If no label identifies it.
    pub fn content_kind(&self) -> Result<ContentKind, ImageError> {
        let label = |name: &str| self.labels.get(name).cloned();
        if let Some(path) = label(DATABASE) {
            return Ok(ContentKind::Database(path));
        }
        if let Some(folder) = label(CONFIGS) {
            return Ok(ContentKind::Catalog(folder));
        }
        if self.labels.contains_key(PACKAGE) {
            return Ok(ContentKind::Bundle);
        }
        Err(ImageError::NotOurs { labels: self.labels.keys().cloned().collect() })
    }
}

/// Maximum number of documents: twelve times that of the largest published catalog.
const MAX_DOCUMENTS: usize = 100_000;

/// Maximum number of values in all documents: almost three times that of the largest published catalog.
const MAX_VALUES: usize = 8_000_000;

/// Refuses text with so many small parts that parsing takes many times its size in memory.
///
/// # Errors
///
/// If it has too many documents or values.
pub fn check_cost(contents: &Contents) -> Result<(), ImageError> {
    match contents {
        Contents::Stream { bytes, .. } => check_texts([bytes.as_slice()]),
        Contents::Catalog(listing) => {
            check_texts(listing.iter().filter_map(|(_, text)| text.as_deref().ok()))
        }
        Contents::Bundle(tree) => check_texts(tree.files.iter().map(TreeFile::content_or_empty)),
        // The documents made from the database are checked later.
        Contents::Database { .. } => Ok(()),
    }
}

/// Refuses texts with too many documents or values.
///
/// # Errors
///
/// If there are too many.
pub fn check_texts<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Result<(), ImageError> {
    let (mut documents, mut values) = (0, 0);
    for text in texts {
        documents += count_chunks(text, MAX_DOCUMENTS + 1 - documents);
        if documents > MAX_DOCUMENTS {
            return Err(ImageError::TooMuch(format!("it has more than {MAX_DOCUMENTS} documents")));
        }
        values += count_values(text);
        if values > MAX_VALUES {
            return Err(ImageError::TooMuch(format!("it has more than {MAX_VALUES} values")));
        }
    }
    Ok(())
}

/// Estimates the number of values: one per brace, bracket or comma in JSON, one per line in YAML.
fn count_values(text: &[u8]) -> usize {
    let marks = memchr::memchr3_iter(b'{', b'[', b',', text).count();
    let lines = memchr::memchr_iter(b'\n', text).count();
    marks.max(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(texts: &[&[u8]]) -> String {
        check_texts(texts.iter().copied()).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn text_with_too_many_documents_is_refused() {
        for document in ["schema: a\n---\n", "{\"schema\":\"a\"}\n"] {
            let [most, half, more] =
                [99_999, 50_000, 50_001].map(|count| document.repeat(count).into_bytes());
            assert_eq!(outcome(&[&most]), "");
            assert!(outcome(&[&half, &more]).contains("more than 100000 documents"), "not per file");
        }
    }

    #[test]
    fn text_with_too_many_values_is_refused() {
        for (value, begin) in [("1,", "["), ("{},", "["), ("- a\n", "")] {
            let text = format!("{begin}{}", value.repeat(8_000_001));
            assert!(outcome(&[text.as_bytes()]).contains("more than 8000000 values"), "{value}");
        }
        let string = format!("{{\"a\":\"{}\"}}", "x".repeat(9_000_000));
        assert_eq!(outcome(&[string.as_bytes()]), "");
    }
}
