//! From the text of files to objects.

use std::{
    cell::RefCell,
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use super::{
    Cluster, Kind, Note, NoteKind, OperatorGroup, Place,
    csv::{Csv, Waiting},
    fields::{Fields, Wrong},
    note::without_values,
    objects::{CatalogOnCluster, ClusterVersion, ExtensionCatalog},
    operators::{self, Extension, Subscription},
};
use crate::{
    catalog::{
        Node,
        file::Lines,
        text::split::{self, ChunkKind},
    },
    resolve::SourceKey,
};

/// How many of the same thing are noted of one file.
const MOST_NOTES: usize = 100;

/// Nothing in the files is an object that olmap looks at.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.words())]
pub struct NothingFound {
    /// What the files are called.
    pub files: Vec<Arc<str>>,
    /// How many objects of other kinds they hold.
    pub others: usize,
    /// What could not be read.
    pub notes: Vec<Note>,
}

impl NothingFound {
    fn words(&self) -> String {
        let files = match self.files.as_slice() {
            [] => "there are no files of a cluster".to_owned(),
            [one] => format!("{one} says nothing about operators"),
            several => format!("{} files say nothing about operators", several.len()),
        };
        match (self.notes.first(), self.others) {
            (Some(note), _) => format!("{files}: {note}"),
            (None, 0) => files,
            (None, 1) => format!("{files}; it has 1 object of other kinds"),
            (None, others) => format!("{files}; there are {others} objects of other kinds"),
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        format!("it is what this writes: {}", super::KUBECTL)
    }
}

/// The objects of some kind by namespace and name.
pub(super) type Named<T> = BTreeMap<(String, String), T>;

/// Reads files one after the other. Their order matters nothing, but where two say different things of one object.
#[derive(Debug, Default)]
pub struct Reader {
    files: Vec<Arc<str>>,
    kinds: Vec<Kind>,
    others: usize,
    notes: Vec<Note>,
    versions: Named<ClusterVersion>,
    pub(super) subscriptions: Named<Subscription>,
    pub(super) csvs: Named<Csv>,
    pub(super) plans: Named<Waiting>,
    pub(super) extensions: Named<Extension>,
    groups: Named<OperatorGroup>,
    catalogs: Named<CatalogOnCluster>,
    extension_catalogs: Named<ExtensionCatalog>,
}

/// An object as it stands in a file.
struct Object<'n> {
    kind: Kind,
    fields: Fields<'n>,
    namespace: String,
    name: String,
    place: Place,
}

impl Object<'_> {
    /// What people call it.
    fn label(&self) -> String {
        match self.namespace.as_str() {
            "" => format!("{} {}", self.kind, self.name),
            namespace => format!("{} {namespace}/{}", self.kind, self.name),
        }
    }

    fn key(&self) -> SourceKey {
        SourceKey { name: self.name.clone(), namespace: self.namespace.clone() }
    }
}

impl Reader {
    /// Reads a file: objects or lists of them, in YAML or JSON, one or several documents. `label` is what people call it.
    pub fn add(&mut self, label: &str, bytes: &[u8]) {
        let file: Arc<str> = label.into();
        self.files.push(Arc::clone(&file));
        let lines = Lines::new(std::iter::once(bytes));
        let place = |offset: usize| {
            let position = lines.position(0, offset, |_| bytes);
            Place { file: Arc::clone(&file), line: 1 + position.lines }
        };
        let before = self.notes.len();
        for chunk in split::split(bytes) {
            let text = bytes.get(chunk.range.clone()).unwrap_or_default();
            let at = |start: u32| place(chunk.range.start.saturating_add(start as usize));
            let read = match chunk.kind {
                ChunkKind::Document(format) => split::parse(format, text),
                ChunkKind::Unreadable(start) => Err(start.error(text)),
                ChunkKind::NoObject => continue,
            };
            match read {
                Ok(node) => self.document(&node, &at),
                Err(error) => {
                    let kind = NoteKind::Document(without_values(&error));
                    self.notes.push(Note { place: at(error.span.start), kind });
                }
            }
        }
        self.notes.truncate(before + MOST_NOTES);
    }

    /// What all files together say.
    ///
    /// # Errors
    ///
    /// When no object is of a kind that olmap looks at.
    pub fn finish(self) -> Result<Cluster, NothingFound> {
        if self.kinds.is_empty() {
            return Err(NothingFound { files: self.files, others: self.others, notes: self.notes });
        }
        Ok(operators::cluster(self))
    }

    /// A document: an object, or a list of objects, which may hold lists.
    fn document(&mut self, node: &Node<'_>, place: &dyn Fn(u32) -> Place) {
        // With the kind and the version of its API that the list gives an object that does not say its own.
        let mut open: Vec<(&Node<'_>, Option<(String, String)>)> = vec![(node, None)];
        while let Some((node, given)) = open.pop() {
            let text = |key: &str| node.get(key).and_then(Node::as_str);
            let own =
                text("apiVersion").zip(text("kind")).map(|(api, kind)| (api.to_owned(), kind.to_owned()));
            let Some((api, kind)) = own.or(given) else {
                self.others += usize::from(!node.is_null());
                continue;
            };
            let items = node.get("items").filter(|_| kind.ends_with("List"));
            if let Some(items) = items {
                let inner = kind.strip_suffix("List").filter(|inner| !inner.is_empty());
                let inner = inner.map(|inner| (api, inner.to_owned()));
                open.extend(items.items().iter().rev().map(|item| (item, inner.clone())));
            } else if let Some(kind) = Kind::of(&api, &kind) {
                self.object(kind, node, place);
            } else {
                self.others += 1;
            }
        }
    }

    fn object(&mut self, kind: Kind, node: &Node<'_>, place: &dyn Fn(u32) -> Place) {
        let wrong = RefCell::new(Vec::new());
        let fields = Fields::new(node, &wrong);
        let at = place(fields.span().start);
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        let namespace = fields.text(&["metadata", "namespace"]).unwrap_or_default();
        let Some(name) = fields.text(&["metadata", "name"]) else {
            self.notes.push(Note { place: at, kind: NoteKind::NoName(kind) });
            return;
        };
        let object = Object { kind, fields, namespace, name, place: at };
        self.known(&object);
        let label = object.label();
        for Wrong { span, field, expected } in wrong.into_inner() {
            let kind = NoteKind::Field { object: label.clone(), field, expected };
            self.notes.push(Note { place: place(span.start), kind });
        }
    }

    /// Keeps what counts of an object.
    fn known(&mut self, object: &Object<'_>) {
        let Object { kind, fields, namespace, name, place } = object;
        let (namespace, name, at) = (namespace.clone(), name.clone(), place.clone());
        let key = (namespace.clone(), name.clone());
        let mut notes = Vec::new();
        let mut note = |kind: NoteKind| notes.push(Note { place: place.clone(), kind });
        let (mut lacks, mut bad) = (None, None);
        let other = match kind {
            Kind::ClusterVersion => {
                let version = ClusterVersion::of(fields, at);
                lacks = version.is_none().then_some("status.history");
                version.and_then(|version| keep(&mut self.versions, key, version))
            }
            Kind::Subscription => Subscription::of(fields, namespace, name, at)
                .map_err(|field| lacks = Some(field))
                .ok()
                .and_then(|one| keep(&mut self.subscriptions, key, one)),
            Kind::ClusterServiceVersion => {
                Csv::of(fields, namespace, &name, place, |field| bad = Some(field))
                    .and_then(|one| keep(&mut self.csvs, key, one))
            }
            Kind::OperatorGroup => {
                keep(&mut self.groups, key, OperatorGroup::of(fields, namespace, name, at))
            }
            Kind::CatalogSource => {
                keep(&mut self.catalogs, key, CatalogOnCluster::of(fields, object.key(), at))
            }
            Kind::InstallPlan => {
                Waiting::of(fields, namespace, name, at).and_then(|one| keep(&mut self.plans, key, one))
            }
            Kind::ClusterExtension => Extension::of(fields, name, at, |field| bad = Some(field))
                .map_err(|field| lacks = Some(field))
                .ok()
                .and_then(|one| keep(&mut self.extensions, key, one)),
            Kind::ClusterCatalog => {
                keep(&mut self.extension_catalogs, key, ExtensionCatalog::of(fields, name, at))
            }
        };
        if let Some(field) = bad {
            note(NoteKind::Version { object: object.label(), field });
        }
        if let Some(field) = lacks {
            note(NoteKind::NoField { object: object.label(), field });
        }
        if let Some(other) = other {
            note(NoteKind::Twice { object: object.label(), other });
        }
        self.notes.append(&mut notes);
    }
}

/// Keeps an object, in place of one that was known under its name; where that was, if it says something else.
fn keep<T: Placed>(known: &mut Named<T>, key: (String, String), one: T) -> Option<Place> {
    match known.entry(key) {
        Entry::Vacant(free) => {
            free.insert(one);
            None
        }
        Entry::Occupied(mut there) => {
            let differs = !there.get().says_the_same(&one);
            let other = there.insert(one);
            differs.then(|| other.place().clone())
        }
    }
}

/// Something that stands somewhere.
pub(super) trait Placed {
    fn place(&self) -> &Place;
    /// Whether another says the same, wherever it stands.
    fn says_the_same(&self, other: &Self) -> bool;
}

macro_rules! placed {
    ($($name:ty),*) => {
        $(impl Placed for $name {
            fn place(&self) -> &Place {
                &self.place
            }

            fn says_the_same(&self, other: &Self) -> bool {
                Self { place: other.place.clone(), ..self.clone() } == *other
            }
        })*
    };
}

placed!(
    ClusterVersion,
    Subscription,
    Csv,
    Waiting,
    Extension,
    OperatorGroup,
    CatalogOnCluster,
    ExtensionCatalog
);

impl Reader {
    /// What is no operator of the cluster, and the kinds, notes and files.
    pub(super) fn rest(self) -> Cluster {
        let of = |kind: &Kind| Kind::ALL.iter().position(|known| known == kind);
        let mut kinds = self.kinds;
        kinds.sort_by_key(of);
        Cluster {
            version: self.versions.into_values().next(),
            operators: Vec::new(),
            catalogs: self.catalogs.into_values().collect(),
            extension_catalogs: self.extension_catalogs.into_values().collect(),
            groups: self.groups.into_values().collect(),
            kinds,
            notes: self.notes,
            files: self.files,
        }
    }
}
