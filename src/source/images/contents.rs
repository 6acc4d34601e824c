//! What is in an image: the files of a catalog, a bundle, an old index.

use std::{collections::BTreeMap, io::Read, path::PathBuf, sync::Arc};

use super::{
    digest::Digest,
    error::ImageError,
    image::{Image, LayersOf, Place},
    labels::{CONFIGS, DATABASE, Meaning},
    tree::{Content, EntryId, Found, Listed, Tree, Unresolved},
    unpack::{self, Layers, Limits, Proof, Wanted},
};
use crate::{
    bundle,
    catalog::{
        load::{Listing, Progress},
        problem::ProblemKind,
    },
};

/// The folders of a bundle. opm knows no others, whatever annotations say.
const OF_BUNDLES: [&str; 3] = ["manifests", "metadata", "tests"];

/// What is in an image.
#[derive(Debug)]
pub enum Contents {
    /// A file-based catalog: its files, as a directory on disk would have them.
    Catalog(Listing),
    /// A stream of JSON or YAML, and what its file is called.
    Stream {
        /// The file.
        name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A bundle, as a bundle directory would have it.
    Bundle(bundle::Tree),
    /// The SQLite index of old catalogs.
    Database {
        /// Where it is in the image.
        path: String,
        /// Its bytes.
        bytes: Arc<[u8]>,
    },
}

/// Unpacks an image as far as it matters.
///
/// # Errors
///
/// When its labels say nothing of catalogs or bundles, when a layer cannot be read or is too large, or when what a label
/// names is not there.
pub fn of(place: &dyn Place, image: &Image, progress: &Progress) -> Result<Contents, ImageError> {
    let meaning = image.config.meaning()?;
    let wanted = match &meaning {
        Meaning::Database(path) | Meaning::Catalog(path) => Wanted::below(&[path]),
        Meaning::Bundle => Wanted::below(&OF_BUNDLES),
    };
    let layers = LayersOf { place, image };
    let tree = unpack::tree(&layers, &wanted, Limits::default(), progress)?;
    let fetch = |entries: &[EntryId]| unpack::fetch(&layers, entries, Limits::default(), progress);
    match meaning {
        Meaning::Catalog(folder) => {
            let root = root(&tree, CONFIGS, &folder)?;
            let listed = filled(tree.list(root, progress)?, &fetch)?;
            Ok(Contents::Catalog(listed.into_iter().filter_map(of_catalog).collect()))
        }
        Meaning::Bundle => {
            let mut listed = Vec::new();
            for folder in OF_BUNDLES {
                let Ok(found) = tree.follow(folder) else { continue };
                if tree.entries(found.node).is_none() {
                    continue;
                }
                listed.push((folder.to_owned(), Listed::Folder));
                let inside = tree.list(found, progress)?;
                listed.extend(inside.into_iter().map(|(path, one)| (format!("{folder}/{path}"), one)));
            }
            let listed = filled(listed, &fetch)?;
            Ok(Contents::Bundle(of_bundle(listed)))
        }
        Meaning::Database(path) => {
            let wrong = |why| ImageError::Root { label: DATABASE, folder: path.clone(), why };
            let cleaned = super::tree::cleaned(&path).join("/");
            let found = tree.follow(&cleaned).map_err(|why| wrong(words(why)))?;
            let super::tree::Kind::File(content) = tree.kind(found.node) else {
                return Err(wrong("it is not a file"));
            };
            let bytes = match content {
                Content::Kept(bytes) => Arc::clone(bytes),
                Content::PassedOver(at) => {
                    fetch(&[*at])?.remove(at).ok_or_else(|| wrong("it is not there"))?
                }
            };
            Ok(Contents::Database { path, bytes })
        }
    }
}

/// The files below a folder of an image that is nothing but its layers, each believed. For fuzzing.
///
/// # Errors
///
/// As `of`.
pub fn of_layers(layers: &[Vec<u8>], folder: &str) -> Result<Listing, ImageError> {
    struct Given<'l>(&'l [Vec<u8>]);
    impl Layers for Given<'_> {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, Proof), ImageError> {
            let bytes = self.0.get(number).map(Vec::as_slice).unwrap_or_default();
            Ok((Box::new(bytes), Proof::Packed(Digest::of(bytes))))
        }
    }
    let (layers, progress) = (Given(layers), Progress::default());
    let tree = unpack::tree(&layers, &Wanted::below(&[folder]), Limits::default(), &progress)?;
    let fetch = |entries: &[EntryId]| unpack::fetch(&layers, entries, Limits::default(), &progress);
    let listed = filled(tree.list(root(&tree, CONFIGS, folder)?, &progress)?, &fetch)?;
    Ok(listed.into_iter().filter_map(of_catalog).collect())
}

fn words(why: Unresolved) -> &'static str {
    match why {
        Unresolved::Missing => "it is not there",
        Unresolved::NotAFolder => "a part of its path is not a folder",
        Unresolved::TooManyLinks => "its links lead round in a circle",
    }
}

/// The folder that a label names. `..` and links end at the root of the image.
fn root(tree: &Tree, label: &'static str, folder: &str) -> Result<Found, ImageError> {
    let wrong = |why| ImageError::Root { label, folder: folder.to_owned(), why };
    let cleaned = super::tree::cleaned(folder).join("/");
    let found = tree.follow(&cleaned).map_err(|why| wrong(words(why)))?;
    if tree.entries(found.node).is_none() { Err(wrong("it is not a folder")) } else { Ok(found) }
}

type Fetch<'f> = dyn Fn(&[EntryId]) -> Result<BTreeMap<EntryId, Arc<[u8]>>, ImageError> + 'f;

/// The same with the content of files outside of the folder to which links in it lead.
fn filled(mut listed: Vec<(String, Listed)>, fetch: &Fetch<'_>) -> Result<Vec<(String, Listed)>, ImageError> {
    let passed_over = |one: &(String, Listed)| match &one.1 {
        Listed::File(Content::PassedOver(at)) => Some(*at),
        _ => None,
    };
    let mut entries: Vec<EntryId> = listed.iter().filter_map(passed_over).collect();
    entries.sort_unstable();
    entries.dedup();
    let found = if entries.is_empty() { BTreeMap::new() } else { fetch(&entries)? };
    for (_, one) in &mut listed {
        if let Listed::File(Content::PassedOver(at)) = one
            && let Some(bytes) = found.get(at)
        {
            *one = Listed::File(Content::Kept(Arc::clone(bytes)));
        }
    }
    // Links give one file many names, and each will have bytes of its own.
    let size = |(_, one): &(String, Listed)| match one {
        Listed::File(Content::Kept(bytes)) => bytes.len() as u64,
        _ => 0,
    };
    if listed.iter().map(size).sum::<u64>() > Limits::default().kept {
        return Err(ImageError::TooMuch("with its links it has more than 512 MiB of files".to_owned()));
    }
    Ok(listed)
}

fn of_catalog((path, listed): (String, Listed)) -> Option<(PathBuf, Result<Vec<u8>, ProblemKind>)> {
    let content = match listed {
        Listed::Folder => return None,
        Listed::File(Content::Kept(bytes)) => Ok(bytes.to_vec()),
        Listed::File(Content::PassedOver(_)) => Err(ProblemKind::Unreadable("it is not there".to_owned())),
        Listed::LinkToFolder => Err(ProblemKind::BadLink("a link to a folder, which opm does not read")),
        Listed::BrokenLink => Err(ProblemKind::BadLink("a broken link")),
        Listed::Special(what) => Err(ProblemKind::Special(what)),
    };
    Some((PathBuf::from(path), content))
}

fn of_bundle(listed: Vec<(String, Listed)>) -> bundle::Tree {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for (path, one) in listed {
        let content = match one {
            Listed::Folder => {
                folders.push(path);
                continue;
            }
            Listed::File(Content::Kept(bytes)) => Ok(bytes.to_vec()),
            Listed::File(Content::PassedOver(_)) | Listed::BrokenLink => Err("a broken link".to_owned()),
            Listed::LinkToFolder => Err("a link to a folder".to_owned()),
            Listed::Special(what) => Err(format!("it is {what}")),
        };
        files.push(bundle::TreeFile { path, content });
    }
    bundle::Tree::new(files, folders)
}
