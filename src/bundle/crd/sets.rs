//! The CRDs of two bundles compared.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{
    classic::{self, Classic},
    compare::{Comparison, Incomparable, compare_storing},
    model::{Crd, CrdApi},
    place::{Ground, Place},
};
use crate::{
    bundle::{
        Tree,
        document::{NoDocument, all},
        read,
        registry::CSV_KIND,
    },
    catalog::{Catalog, Node, blob::BundleBlob, details::bundle_object},
};

/// A file that may hold CRDs, and cannot be read to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreadFile {
    /// The file as people see it.
    pub file: String,
    /// Where reading stopped.
    pub place: Option<Place>,
    /// Why.
    pub reason: String,
    /// What to try.
    pub hint: Option<&'static str>,
}

/// The CRDs of a bundle, or of a file, with the examples of its resources.
#[derive(Debug, Default)]
pub struct CrdSet<'a> {
    /// In the order of their files; of one name there may be several, of which the first counts.
    pub crds: Vec<Crd<'a>>,
    /// What could not be read: a set with such may have more CRDs than are known.
    pub unread: Vec<UnreadFile>,
    /// `alm-examples` of the `ClusterServiceVersion`: resources as users may have them.
    pub examples: Option<Examples>,
}

/// The examples of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Examples {
    /// A JSON list, as it stands in the annotation.
    pub text: String,
    /// Where the annotation stands.
    pub place: Option<Place>,
}

/// Reason why the manifests of a bundle cannot be compared. It says nothing about what is in them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotInSight {
    /// The catalog has only `olm.csv.metadata`, or nothing.
    #[error("CRDs not in sight: {0} has no olm.bundle.object in the catalog")]
    NoObjects(String),
    /// The document of the bundle cannot be read.
    #[error("CRDs not in sight: {0} cannot be read in the catalog")]
    Unread(String),
    /// The manifests are in the image of the bundle, which was not fetched.
    #[error("CRDs not in sight: the image of {0} was not fetched")]
    NotFetched(String),
    /// The image of the bundle cannot be fetched or read.
    #[error("CRDs not in sight: the image of {bundle} cannot be read: {why}")]
    Image {
        /// Name of the bundle.
        bundle: String,
        /// Reason.
        why: String,
    },
    /// Images were to be fetched, and the bundle names none.
    #[error("CRDs not in sight: {0} has no image to fetch")]
    NoImage(String),
    /// A directory that may hold the bundle cannot be read.
    #[error("CRDs not in sight: {bundle} may be in {path}, which cannot be read: {why}")]
    Directory {
        /// Name of the bundle.
        bundle: String,
        /// Path of the directory.
        path: String,
        /// Reason.
        why: String,
    },
}

impl NotInSight {
    /// Returns true if something is there that cannot be read. False if no one gave the manifests to olmap.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::NoObjects(_) | Self::NotFetched(_) => false,
            Self::Unread(_) | Self::Image { .. } | Self::NoImage(_) | Self::Directory { .. } => true,
        }
    }
}

impl<'a> CrdSet<'a> {
    /// The CRDs in a file, which may hold several documents. `shown`: its path as people see it.
    pub fn of_file(shown: &str, bytes: &'a [u8]) -> Self {
        let mut set = Self::default();
        set.add_file(shown, bytes);
        set
    }

    /// The CRDs of a bundle directory: every document of every file in `manifests/`, as v1 reads them. `shown`: what stands
    /// before the paths of its files.
    pub fn of_tree(shown: &str, tree: &'a Tree) -> Self {
        let mut set = Self::default();
        for file in tree.files_in("manifests").filter(|file| !file.is_hidden()) {
            let path = if shown.is_empty() { file.path.clone() } else { format!("{shown}/{}", file.path) };
            match &file.content {
                Ok(bytes) => set.add_file(&path, bytes),
                Err(reason) => {
                    let reason = reason.clone();
                    set.unread.push(UnreadFile { file: path, place: None, reason, hint: None });
                }
            }
        }
        set
    }

    fn add_file(&mut self, shown: &str, bytes: &'a [u8]) {
        let ground = Arc::new(Ground::file(shown, bytes));
        for document in all(bytes) {
            match document {
                Ok(document) => self.add(document.node, &ground, document.start),
                Err(NoDocument::Empty) => {}
                Err(NoDocument::Unreadable(error)) => self.unread.push(UnreadFile {
                    file: shown.to_owned(),
                    place: ground.place(error.span.start as usize),
                    reason: error.to_string(),
                    hint: error.hint(),
                }),
            }
        }
    }

    fn add(&mut self, node: Node<'a>, ground: &Arc<Ground<'a>>, start: usize) {
        if read::text(&node, &["kind"]) == CSV_KIND {
            let annotations = read::at(&node, &["metadata", "annotations"]);
            if let Some(examples) = annotations.and_then(|all| all.get("alm-examples")) {
                let text = examples.as_str().unwrap_or_default().to_owned();
                self.examples = Some(Examples { text, place: ground.of(start, examples.span) });
            }
            return;
        }
        self.crds.extend(Crd::read(node, Arc::clone(ground), start));
    }

    /// The CRDs by name, of each name the first.
    fn by_name(&self) -> HashMap<Cow<'_, str>, &Crd<'a>> {
        let mut by_name = HashMap::new();
        for crd in &self.crds {
            by_name.entry(crd.name()).or_insert(crd);
        }
        by_name
    }
}

impl CrdSet<'static> {
    /// The CRDs that a catalog carries of one of its bundles.
    ///
    /// # Errors
    ///
    /// A catalog that has none of the bundle's objects.
    pub fn of_catalog(catalog: &Catalog, blob: &BundleBlob) -> Result<Self, NotInSight> {
        let name = || blob.name.value.to_string();
        let document =
            catalog.tree(blob.doc).and_then(Result::ok).ok_or_else(|| NotInSight::Unread(name()))?;
        let mut set = Self::default();
        let mut objects = 0;
        for property in read::items(&document, &["properties"]) {
            if read::text(property, &["type"]) != "olm.bundle.object" {
                continue;
            }
            objects += 1;
            let place = catalog.place(blob.doc, property.span).map(|place| Place {
                file: place.path.to_string_lossy().into(),
                line: place.line,
                column: place.column,
            });
            match read::at(property, &["value"]).and_then(bundle_object) {
                Some(node) => {
                    let ground = place.map_or(Ground::Nowhere, Ground::Encoded);
                    set.add(node, &Arc::new(ground), 0);
                }
                None => set.unread.push(UnreadFile {
                    file: place.as_ref().map(|place| place.file.to_string()).unwrap_or_default(),
                    place,
                    reason: "an olm.bundle.object is no object in base64".to_owned(),
                    hint: None,
                }),
            }
        }
        if objects == 0 { Err(NotInSight::NoObjects(name())) } else { Ok(set) }
    }
}

/// One CRD that both sides have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    /// `widgets.example.com`.
    pub name: String,
    /// What OLM v1 refuses.
    pub v1: Result<Comparison, Incomparable>,
    /// What OLM Classic refuses.
    pub classic: Classic,
}

impl Compared {
    /// Whether v1 refuses nothing. What cannot be compared is not safe.
    pub fn is_safe(&self) -> bool {
        self.v1.as_ref().is_ok_and(Comparison::is_safe)
    }
}

/// The CRDs of two bundles compared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SetComparison {
    /// The CRDs that both have, by name.
    pub crds: Vec<Compared>,
    /// Names that only the new one has.
    pub added: Vec<String>,
    /// Names that only the old one has; the preflight does not look at them, and they stay on the cluster or go with the bundle.
    pub removed: Vec<String>,
    /// Names that the new bundle has in `v1beta1`, which the preflight passes over.
    pub passed_over: Vec<String>,
}

impl SetComparison {
    /// Whether v1 lets the upgrade pass.
    pub fn is_safe(&self) -> bool {
        self.crds.iter().all(Compared::is_safe)
    }
}

/// Compares the CRDs of two bundles by name.
pub fn compare_sets(old: &CrdSet, new: &CrdSet) -> SetComparison {
    compare_sets_storing(old, new, &BTreeMap::new())
}

/// The same where objects may be stored in versions besides those that the old bundle tells: by name of the CRD.
pub fn compare_sets_storing(
    old: &CrdSet,
    new: &CrdSet,
    stored: &BTreeMap<String, Vec<String>>,
) -> SetComparison {
    let (before, after) = (old.by_name(), new.by_name());
    let mut result = SetComparison::default();
    let mut names: Vec<&Cow<str>> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        match (before.get(name), after.get(name)) {
            (Some(_), Some(new)) if new.api() == CrdApi::V1beta1 => {
                result.passed_over.push(name.clone().into_owned());
            }
            (Some(before), Some(after)) => {
                let stored = stored.get(name.as_ref()).cloned().unwrap_or_else(|| before.stored_versions());
                result.crds.push(compared(before, after, &stored, old.examples.as_ref()));
            }
            (None, Some(_)) => result.added.push(name.clone().into_owned()),
            (_, None) => result.removed.push(name.clone().into_owned()),
        }
    }
    result
}

/// Compares two CRDs, whatever they are called.
pub fn compare_two(old: &Crd, new: &Crd) -> Compared {
    compared(old, new, &old.stored_versions(), None)
}

fn compared(old: &Crd, new: &Crd, stored: &[String], examples: Option<&Examples>) -> Compared {
    let v1 = compare_storing(old, new, stored);
    let classic = classic::judge(old, new, stored, examples, v1.as_ref().ok());
    Compared { name: new.name().into_owned(), v1, classic }
}
