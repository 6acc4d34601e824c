//! Parsing of cluster files.

use std::{
    cell::RefCell,
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use super::{
    Cluster, Kind, Location, Note, NoteKind, OperatorGroup,
    operators::{self, Csv, Extension, Fields, InvalidField, PendingCsv, Subscription},
    types::{CatalogOnCluster, ClusterVersion, ExtensionCatalog},
};
use olm_catalog::{
    Node,
    file::LineIndex,
    text::split::{self, ChunkKind},
};
use olm_upgrade::resolve::SourceKey;

/// Maximum number of notes per file.
const MAX_NOTES: usize = 100;

/// Error for files without any relevant object.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.description())]
pub struct NothingFound {
    /// Names of the files.
    pub files: Vec<Arc<str>>,
    /// Number of objects of other kinds.
    pub others: usize,
    /// Mistakes in the files.
    pub notes: Vec<Note>,
}

impl NothingFound {
    fn description(&self) -> String {
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

    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> String {
        format!("it is what this writes: {}", super::KUBECTL)
    }
}

/// Objects of a kind by namespace and name.
pub(super) type ByNamespaceAndName<T> = BTreeMap<(String, String), T>;

/// Parser for several files. Their order matters only for contradicting objects.
#[derive(Debug, Default)]
pub struct Reader {
    files: Vec<Arc<str>>,
    kinds: Vec<Kind>,
    others: usize,
    notes: Vec<Note>,
    versions: ByNamespaceAndName<ClusterVersion>,
    pub(super) subscriptions: ByNamespaceAndName<Subscription>,
    pub(super) csvs: ByNamespaceAndName<Csv>,
    pub(super) plans: ByNamespaceAndName<PendingCsv>,
    pub(super) extensions: ByNamespaceAndName<Extension>,
    groups: ByNamespaceAndName<OperatorGroup>,
    catalogs: ByNamespaceAndName<CatalogOnCluster>,
    extension_catalogs: ByNamespaceAndName<ExtensionCatalog>,
}

/// Object in a file.
struct Object<'n> {
    kind: Kind,
    fields: Fields<'n>,
    namespace: String,
    name: String,
    place: Location,
}

impl Object<'_> {
    /// Returns the name of the object for messages.
    fn object_label(&self) -> String {
        match self.namespace.as_str() {
            "" => format!("{} {}", self.kind, self.name),
            namespace => format!("{} {namespace}/{}", self.kind, self.name),
        }
    }

    fn source_key(&self) -> SourceKey {
        SourceKey { name: self.name.clone(), namespace: self.namespace.clone() }
    }
}

impl Reader {
    /// Parses a file: objects or lists of objects in one or several YAML or JSON documents. `label` is the name
    /// of the file.
    pub fn add_file(&mut self, label: &str, bytes: &[u8]) {
        let file: Arc<str> = label.into();
        self.files.push(Arc::clone(&file));
        let lines = LineIndex::new(std::iter::once(bytes));
        let place = |offset: usize| {
            let position = lines.position(0, offset, |_| bytes);
            Location { file: Arc::clone(&file), line: 1 + position.lines }
        };
        let before = self.notes.len();
        for chunk in split::split_chunks(bytes) {
            let text = bytes.get(chunk.range.clone()).unwrap_or_default();
            let at = |start: u32| place(chunk.range.start.saturating_add(start as usize));
            let read = match chunk.kind {
                ChunkKind::Document(format) => split::parse_chunk(format, text),
                ChunkKind::Unreadable(start) => Err(start.to_error(text)),
                ChunkKind::NoObject => continue,
            };
            match read {
                Ok(node) => self.read_document(&node, &at),
                Err(error) => {
                    let kind = NoteKind::Document(error.message_without_values());
                    self.notes.push(Note { place: at(error.span.start), kind });
                }
            }
        }
        self.notes.truncate(before + MAX_NOTES);
    }

    /// Returns the combined content of all files.
    ///
    /// # Errors
    ///
    /// Fails if there is no relevant object.
    pub fn finish_cluster(self) -> Result<Cluster, NothingFound> {
        if self.kinds.is_empty() {
            return Err(NothingFound { files: self.files, others: self.others, notes: self.notes });
        }
        Ok(operators::assemble_cluster(self))
    }

    /// Parses a document: an object, or a list of objects, which may contain lists.
    fn read_document(&mut self, node: &Node<'_>, place: &dyn Fn(u32) -> Location) {
        // Each node has the kind and API version that its list gives to objects without their own.
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
            } else if let Some(kind) = Kind::from_type_meta(&api, &kind) {
                self.read_object(kind, node, place);
            } else {
                self.others += 1;
            }
        }
    }

    fn read_object(&mut self, kind: Kind, node: &Node<'_>, place: &dyn Fn(u32) -> Location) {
        let wrong = RefCell::new(Vec::new());
        let fields = Fields::new(node, &wrong);
        let at = place(fields.span().start);
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        let namespace = fields.text_at(&["metadata", "namespace"]).unwrap_or_default();
        let Some(name) = fields.text_at(&["metadata", "name"]) else {
            self.notes.push(Note { place: at, kind: NoteKind::NoName(kind) });
            return;
        };
        let object = Object { kind, fields, namespace, name, place: at };
        self.store_object(&object);
        let label = object.object_label();
        for InvalidField { span, field, expected } in wrong.into_inner() {
            let kind = NoteKind::Field { object: label.clone(), field, expected };
            self.notes.push(Note { place: place(span.start), kind });
        }
    }

    /// Stores the relevant data of an object.
    fn store_object(&mut self, object: &Object<'_>) {
        let Object { kind, fields, namespace, name, place } = object;
        let (namespace, name, at) = (namespace.clone(), name.clone(), place.clone());
        let key = (namespace.clone(), name.clone());
        let mut notes = Vec::new();
        let mut note = |kind: NoteKind| notes.push(Note { place: place.clone(), kind });
        let (mut lacks, mut bad) = (None, None);
        let other = match kind {
            Kind::ClusterVersion => {
                let version = ClusterVersion::from_fields(fields, at);
                lacks = version.is_none().then_some("status.history");
                version.and_then(|version| insert_or_report(&mut self.versions, key, version))
            }
            Kind::Subscription => Subscription::from_fields(fields, namespace, name, at)
                .map_err(|field| lacks = Some(field))
                .ok()
                .and_then(|one| insert_or_report(&mut self.subscriptions, key, one)),
            Kind::ClusterServiceVersion => {
                Csv::from_fields(fields, namespace, &name, place, |field| bad = Some(field))
                    .and_then(|one| insert_or_report(&mut self.csvs, key, one))
            }
            Kind::OperatorGroup => insert_or_report(
                &mut self.groups,
                key,
                OperatorGroup::from_fields(fields, namespace, name, at),
            ),
            Kind::CatalogSource => insert_or_report(
                &mut self.catalogs,
                key,
                CatalogOnCluster::from_fields(fields, object.source_key(), at),
            ),
            Kind::InstallPlan => PendingCsv::from_fields(fields, namespace, name, at)
                .and_then(|one| insert_or_report(&mut self.plans, key, one)),
            Kind::ClusterExtension => Extension::from_fields(fields, name, at, |field| bad = Some(field))
                .map_err(|field| lacks = Some(field))
                .ok()
                .and_then(|one| insert_or_report(&mut self.extensions, key, one)),
            Kind::ClusterCatalog => insert_or_report(
                &mut self.extension_catalogs,
                key,
                ExtensionCatalog::from_fields(fields, name, at),
            ),
        };
        if let Some(field) = bad {
            note(NoteKind::Version { object: object.object_label(), field });
        }
        if let Some(field) = lacks {
            note(NoteKind::NoField { object: object.object_label(), field });
        }
        if let Some(other) = other {
            note(NoteKind::Twice { object: object.object_label(), other });
        }
        self.notes.append(&mut notes);
    }
}

/// Stores an object, replacing one with the same name. Returns the location of the old one if they differ.
fn insert_or_report<T: HasLocation>(
    known: &mut ByNamespaceAndName<T>,
    key: (String, String),
    one: T,
) -> Option<Location> {
    match known.entry(key) {
        Entry::Vacant(free) => {
            free.insert(one);
            None
        }
        Entry::Occupied(mut there) => {
            let differs = !there.get().has_same_content(&one);
            let other = there.insert(one);
            differs.then(|| other.location().clone())
        }
    }
}

/// Value with a location.
pub(super) trait HasLocation {
    fn location(&self) -> &Location;
    /// Returns true if another value is equal except for the location.
    fn has_same_content(&self, other: &Self) -> bool;
}

macro_rules! has_location {
    ($($name:ty),*) => {
        $(impl HasLocation for $name {
            fn location(&self) -> &Location {
                &self.place
            }

            fn has_same_content(&self, other: &Self) -> bool {
                Self { place: other.place.clone(), ..self.clone() } == *other
            }
        })*
    };
}

has_location!(
    ClusterVersion,
    Subscription,
    Csv,
    PendingCsv,
    Extension,
    OperatorGroup,
    CatalogOnCluster,
    ExtensionCatalog
);

impl Reader {
    /// Returns the cluster without operators.
    pub(super) fn into_cluster(self) -> Cluster {
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
