//! Fields by which consoles show operators, for the finder. They are in the documents of the bundles, which take longer
//! than a frame to parse, so a background job reads them.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::tui::{
    session::{catalogs::Catalogs, context::Context, jobs::StoredQuestion, open_catalog::OpenCatalog},
    work::{Job, JobEnvironment, Question},
};
use olm_catalog::{BundleName, Catalog, console_fields::ConsoleFields, package::Package};
use olm_check::review::{PackageState, Snapshot};

/// Value of a field, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldValue {
    /// The field and its value: `provider: Red Hat`.
    pub text: String,
    /// The text in lower case.
    pub lowercase: String,
    /// Bundle that has the value: the one that consoles show, otherwise the newest.
    pub bundle: BundleName,
    /// True if consoles show the value for the package.
    pub is_shown: bool,
}

/// Fields of one state of a package.
#[derive(Clone, Debug)]
struct PackageFields {
    package: Arc<Package>,
    values: Arc<[FieldValue]>,
}

/// Fields of the packages of the open catalogs.
#[derive(Clone, Debug, Default)]
pub struct ConsoleFieldIndex {
    /// Fields by the name of the package; several catalogs may have different states of it.
    packages: HashMap<String, Vec<PackageFields>>,
}

impl ConsoleFieldIndex {
    /// Returns the fields of a package. `None` if they are not read yet.
    pub fn find_values(&self, package: &Arc<Package>) -> Option<&Arc<[FieldValue]>> {
        let states = self.packages.get(package.name.as_str())?;
        states.iter().find(|known| Arc::ptr_eq(&known.package, package)).map(|known| &known.values)
    }

    /// Reads the fields of all packages of catalogs. Unchanged packages keep those that are known.
    ///
    /// This does not use all cores: the finder needs them to search meanwhile.
    fn read_catalogs(catalogs: &[Arc<Snapshot>], known: &Self) -> Self {
        let mut index = Self::default();
        for snapshot in catalogs {
            for (name, state) in snapshot.packages() {
                let package = state.package();
                if index.find_values(package).is_some() {
                    continue;
                }
                let values = known.find_values(package).cloned();
                let values = values.unwrap_or_else(|| read_package(&snapshot.catalog, state));
                let states = index.packages.entry(name.to_string()).or_default();
                states.push(PackageFields { package: Arc::clone(package), values });
            }
        }
        index
    }
}

/// Reads the fields of a package. Values that consoles show come first.
fn read_package(catalog: &Catalog, state: &PackageState) -> Arc<[FieldValue]> {
    let package = state.package();
    let default = package.default_channel().and_then(|name| state.graph.channel(name.as_str()));
    let head = default.and_then(|channel| channel.graph.head()).map(|head| &head.name);
    let mut bundles: Vec<_> = package.bundles.iter().collect();
    bundles.sort_by(|a, b| {
        let is_head = |name| head == Some(name);
        let versions = match (&a.version, &b.version) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        is_head(&b.name.value).cmp(&is_head(&a.name.value)).then(versions)
    });
    let mut values: Vec<FieldValue> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for bundle in bundles {
        let tree = catalog.parse_document(bundle.doc).and_then(Result::ok);
        let Some(fields) = tree.and_then(|tree| ConsoleFields::from_bundle(&tree)) else { continue };
        for text in field_texts(fields) {
            if seen.insert(text.clone()) {
                let is_shown = head == Some(&bundle.name.value);
                let lowercase = text.to_lowercase();
                values.push(FieldValue { text, lowercase, bundle: bundle.name.value.clone(), is_shown });
            }
        }
    }
    values.into()
}

/// Returns the fields with a value.
fn field_texts(fields: ConsoleFields) -> Vec<String> {
    let ConsoleFields {
        display_name,
        provider,
        keywords,
        categories,
        capability,
        architectures,
        features,
        ..
    } = fields;
    let single = [("name", display_name), ("provider", provider), ("capability", capability)];
    let lists = [("category", categories), ("keyword", keywords), ("arch", architectures)];
    let features = features.into_iter().map(|feature| ("feature", feature.to_owned()));
    let lists =
        lists.into_iter().flat_map(|(field, values)| values.into_iter().map(move |value| (field, value)));
    let all = single.into_iter().chain(lists).chain(features);
    let filled = all.filter(|(_, value)| !value.trim().is_empty());
    filled.map(|(field, value)| format!("{field}: {}", value.trim())).collect()
}

/// Catalogs whose fields are needed, with those that are known.
#[derive(Debug)]
pub struct ConsoleFieldsRequest {
    catalogs: Vec<Arc<Snapshot>>,
    known: Arc<ConsoleFieldIndex>,
}

/// The known fields do not change the answer.
impl PartialEq for ConsoleFieldsRequest {
    fn eq(&self, other: &Self) -> bool {
        self.catalogs == other.catalogs
    }
}

impl Question for ConsoleFieldsRequest {
    type Answer = Arc<ConsoleFieldIndex>;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(Arc::new(self.read_fields()));
    }
}

impl ConsoleFieldsRequest {
    /// Creates the request for the open catalogs.
    pub fn from_catalogs(catalogs: &Catalogs, known: Arc<ConsoleFieldIndex>) -> Self {
        let states = catalogs.all().iter().map(OpenCatalog::visible_state).map(Arc::clone);
        Self { catalogs: states.collect(), known }
    }

    /// Reads the fields. This may take seconds.
    pub fn read_fields(&self) -> ConsoleFieldIndex {
        ConsoleFieldIndex::read_catalogs(&self.catalogs, &self.known)
    }
}

/// State of the job.
#[derive(Debug, Default)]
pub struct ConsoleFieldsState {
    job: Job<ConsoleFieldsRequest>,
    /// True after the finder was opened.
    is_needed: bool,
}

impl ConsoleFieldsState {
    /// Returns the fields that are known. `None` before the first answer.
    pub fn index(&self) -> Option<&Arc<ConsoleFieldIndex>> {
        self.job.last_answer().map(|(_, index)| index)
    }

    /// Returns true while fields are being read.
    pub fn is_reading(&self) -> bool {
        self.job.is_waiting()
    }

    /// Keeps the fields up to date from now on.
    pub(in crate::tui) fn start(&mut self) {
        self.is_needed = true;
    }
}

impl StoredQuestion for ConsoleFieldsRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.console_fields.job.store(question, answer);
    }
}

/// Requests the fields of the open catalogs if the finder was opened and they are stale.
pub(in crate::tui) fn request_console_fields(cx: &mut Context<'_>) {
    if !cx.session.jobs.console_fields.is_needed || cx.session.waiting.busy.is_some() {
        return;
    }
    let known = cx.session.jobs.console_fields.index().cloned().unwrap_or_default();
    let request = ConsoleFieldsRequest::from_catalogs(&cx.session.catalogs, known);
    if let Some(request) = cx.session.jobs.console_fields.job.request_if_changed(request) {
        cx.run_job(request);
    }
}
