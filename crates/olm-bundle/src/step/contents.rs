//! Bundle prepared for the comparison of steps, with the objects that each OLM reads.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use crate::{
    classic,
    crd::{Crd, CrdApi, CrdLocation, CrdSet, SourceText},
    describe_unread_part,
    field_access::{items_at, node_at, text_at, texts_at},
    manifests::BundleManifests,
    outline::Outline,
    registry::{self, BundleError, CRD_KIND, CSV_KIND, DirectoryContents},
    render::{JsonStyle, compact_json},
    suites::Verdict,
    v1,
};
use olm_catalog::{Member, Node, Span, Value};

/// Descriptive fields of the CSV `spec`. No rule reads them, and they may be large.
const PROSE: [&str; 6] = ["description", "icon", "keywords", "links", "maintainers", "displayName"];

/// A bundle prepared for comparisons.
#[derive(Debug)]
pub struct StepBundle {
    /// Manifests of the bundle.
    pub manifests: BundleManifests,
    /// Outline of the bundle.
    pub outline: Outline,
    /// CRDs by name. If two CRDs have the same name, the first one.
    pub crds: BTreeMap<String, CrdFacts>,
    /// Name of the CSV.
    pub(super) name: String,
    pub(super) csv: StepObject,
    /// All objects. The `node` of the CSV and of CRDs is null here, because `csv` and `crds` have
    /// their data.
    pub(super) objects: Vec<StepObject>,
    /// Reason why opm refuses the bundle.
    pub(super) opm_fault: Option<BundleError>,
    /// Reason why OLM v1 does not load the bundle.
    pub(super) v1_fault: Option<String>,
    /// Faults of the bundle that each OLM finds when it installs the bundle.
    pub(super) v1_verdicts: Vec<Verdict>,
    pub(super) classic_verdicts: Vec<Verdict>,
    /// Reason why the bundle is ambiguous: it has several CSVs.
    pub(super) ambiguous: Option<String>,
}

/// Object of a bundle.
#[derive(Debug)]
pub(super) struct StepObject {
    pub kind: String,
    pub api_version: String,
    pub name: String,
    /// File in the bundle.
    pub file: String,
    /// First byte of its document.
    pub start: usize,
    /// True if opm reads the object, and therefore OLM Classic.
    pub in_classic: bool,
    /// True if OLM v1 reads the object.
    pub in_v1: bool,
    /// Contents; null for a CRD, and for the CSV in `StepBundle::objects`.
    pub node: Node<'static>,
}

impl StepObject {
    /// Returns the object as `Kind/name`, the form used in reasons.
    pub fn kind_and_name(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }

    /// Returns the identity of the object on a cluster. OLM installs all namespaced objects in one
    /// namespace.
    pub fn cluster_key(&self) -> (&str, &str) {
        (&self.kind, &self.name)
    }
}

/// Properties of a CRD that the rules need, without its schema.
#[derive(Debug)]
pub struct CrdFacts {
    /// Hash of the content.
    pub content: u64,
    /// Versions in which objects may be stored.
    pub stored: Vec<String>,
    /// Names of all versions.
    pub versions: Vec<String>,
    pub(super) kind: String,
    pub(super) api: CrdApi,
    pub(super) conversion: Conversion,
    pub(super) in_classic: bool,
    pub(super) in_v1: bool,
    pub(super) location: Option<CrdLocation>,
    pub(super) conversion_location: Option<CrdLocation>,
}

/// Conversion that the manifest of a CRD requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conversion {
    /// The manifest does not state a conversion.
    Unset,
    /// The strategy `None`.
    None,
    /// A webhook behind a service of the cluster.
    Service,
    /// A webhook behind a URL.
    Url,
}

impl StepBundle {
    /// Prepares a bundle for comparison.
    ///
    /// # Errors
    ///
    /// Names the first part of the bundle that cannot be read.
    pub fn from_manifests(found: BundleManifests) -> Result<Self, String> {
        let set = crd_set(&found);
        let contents = DirectoryContents::from_tree(&found.tree);
        if let Some(part) = describe_unread_part(&found.tree, &set, &contents, found.shown.as_deref()) {
            return Err(part);
        }
        let inside = Outline::from_directory(&contents, &found.tree);
        let csv = contents.csv().ok_or_else(|| missing_csv_message(&found))?;
        let loaded = match &found.shown {
            Some(_) => v1::LoadedBundle::load_tree(&found.tree),
            // A catalog carries the objects of a bundle without its metadata.
            None => v1::LoadedBundle::load_objects(&found.tree),
        };
        let opm_fault =
            found.shown.as_ref().and_then(|_| registry::check_bundle(&found.tree, &contents).err());
        let (v1_fault, v1_verdicts) = match &loaded {
            Ok(loaded) => (None, v1::check_loaded_bundle(loaded)),
            Err((message, _)) => (Some(message.clone()), Vec::new()),
        };
        let objects = collect_objects(&contents, loaded.as_ref().ok());
        let csvs = objects.iter().filter(|object| object.kind == CSV_KIND).count();
        let ambiguous = (csvs > 1).then(|| format!("{} has {csvs} ClusterServiceVersions", csv.name()));
        let crds = collect_crds(&found, &set, &objects);
        let csv_item = StepObject { node: prune_csv(csv.node()), ..to_item(csv.object, true, true) };
        let (name, classic_verdicts) = (csv.name().to_owned(), classic::check_csv(csv));
        drop((loaded, contents, set));
        Ok(Self {
            outline: inside,
            crds,
            name,
            csv: csv_item,
            objects,
            opm_fault,
            v1_fault,
            v1_verdicts,
            classic_verdicts,
            ambiguous,
            manifests: found,
        })
    }

    /// Returns the CRDs with their schemas.
    pub fn crd_set(&self) -> CrdSet<'_> {
        crd_set(&self.manifests)
    }

    /// Returns the CSV as `Kind/name`, the form used in reasons.
    pub(super) fn csv_object(&self) -> String {
        format!("{CSV_KIND}/{}", self.name)
    }

    /// Returns a list in the CSV.
    pub(super) fn csv_list(&self, path: &[&str]) -> &[Node<'static>] {
        items_at(&self.csv.node, path)
    }

    /// Returns the deployments of the CSV.
    pub(super) fn deployments(&self) -> &[Node<'static>] {
        self.csv_list(&["spec", "install", "spec", "deployments"])
    }

    /// Returns the location of a node in an object; `None` if the bundle is not in files.
    pub(super) fn location_in(&self, item: &StepObject, span: Span) -> Option<CrdLocation> {
        let shown = self.manifests.shown.as_deref()?;
        let file = self.manifests.tree.files.get(self.manifests.tree.file_index(&item.file)?)?;
        let path = if shown.is_empty() { item.file.clone() } else { format!("{shown}/{}", item.file) };
        SourceText::from_file(&path, file.content_or_empty()).location(item.start + span.start as usize)
    }

    /// Returns the location of an object.
    pub(super) fn object_location(&self, item: &StepObject) -> Option<CrdLocation> {
        self.location_in(item, item.node.span)
    }

    /// Returns the location of a field of the CSV, or of the CSV if the field is missing.
    pub(super) fn csv_location(&self, path: &[&str]) -> Option<CrdLocation> {
        let node = node_at(&self.csv.node, path).unwrap_or(&self.csv.node);
        self.location_in(&self.csv, node.span)
    }

    /// Returns the names of the CRDs that the conversion webhooks of the CSV list.
    pub(super) fn converted_crds(&self) -> HashSet<String> {
        let webhooks = self.csv_list(&["spec", "webhookdefinitions"]).iter();
        let conversions = webhooks.filter(|webhook| text_at(webhook, &["type"]) == "ConversionWebhook");
        conversions.flat_map(|webhook| texts_at(webhook, &["conversionCRDs"])).map(Into::into).collect()
    }
}

fn crd_set(found: &BundleManifests) -> CrdSet<'_> {
    CrdSet::from_tree(found.shown.as_deref().unwrap_or_default(), &found.tree)
}

fn missing_csv_message(found: &BundleManifests) -> String {
    let place = found.shown.as_deref().unwrap_or("the catalog");
    format!("no file of manifests/ in {place} begins with a ClusterServiceVersion")
}

/// Returns all objects that at least one OLM reads, each with its readers.
fn collect_objects(
    contents: &DirectoryContents<'_>,
    loaded: Option<&v1::LoadedBundle<'_>>,
) -> Vec<StepObject> {
    let mut unmatched: HashMap<(&str, usize), &registry::Object<'_>> = HashMap::new();
    for object in &contents.objects {
        unmatched.insert((&object.file.path, object.document.start), object);
    }
    let mut items = Vec::new();
    for object in loaded.map(|loaded| loaded.objects.as_slice()).unwrap_or_default() {
        let key = (object.file.path.as_str(), object.document.start);
        // OLM v1 expands a `List` object; OLM Classic treats it as one object.
        let in_classic = unmatched.get(&key).is_some_and(|own| own.kind() == object.kind());
        if in_classic {
            unmatched.remove(&key);
        }
        items.push(to_item(object, in_classic, true));
    }
    let left = contents.objects.iter();
    let is_left =
        |object: &&registry::Object<'_>| unmatched.contains_key(&(&object.file.path, object.document.start));
    items.extend(left.filter(is_left).map(|object| to_item(object, true, false)));
    items.extend(contents.nested.iter().map(|object| to_item(object, false, false)));
    items
}

fn to_item(object: &registry::Object<'_>, in_classic: bool, in_v1: bool) -> StepObject {
    let node = match object.kind() {
        CRD_KIND | CSV_KIND => Node::new(Value::Null, object.document.node.span),
        _ => object.document.node.detached(),
    };
    StepObject {
        kind: object.kind().to_owned(),
        api_version: object.string_field("apiVersion").to_owned(),
        name: object.name().to_owned(),
        file: object.file.path.clone(),
        start: object.document.start,
        in_classic,
        in_v1,
        node,
    }
}

/// Copies a CSV without its descriptive fields.
fn prune_csv(csv: &Node<'_>) -> Node<'static> {
    let copy = |node: &Node<'_>, is_kept: &dyn Fn(&str) -> bool| {
        let members = node.members().iter().filter(|member| is_kept(&member.key));
        let members = members.map(|member| Member {
            key: member.key.clone().into_owned().into(),
            key_span: member.key_span,
            value: member.value.detached(),
        });
        Node::new(Value::Map(members.collect()), node.span)
    };
    let mut pruned = copy(csv, &|key| !key.eq_ignore_ascii_case("spec"));
    let specs = csv.members().iter().filter(|member| member.key.eq_ignore_ascii_case("spec"));
    let specs: Vec<Member<'static>> = specs
        .map(|member| Member {
            key: member.key.clone().into_owned().into(),
            key_span: member.key_span,
            value: match member.value.value {
                Value::Map(_) => copy(&member.value, &|key| !PROSE.contains(&key)),
                _ => member.value.detached(),
            },
        })
        .collect();
    if let Value::Map(members) = &mut pruned.value {
        members.extend(specs);
    }
    pruned
}

fn collect_crds(
    found: &BundleManifests,
    set: &CrdSet<'_>,
    objects: &[StepObject],
) -> BTreeMap<String, CrdFacts> {
    let mut crds = BTreeMap::new();
    for crd in &set.crds {
        let name = crd.name().into_owned();
        let own = || objects.iter().filter(|item| item.kind == CRD_KIND && item.name == name);
        let facts = CrdFacts {
            content: crd.document().derive(("hash of a CRD", ""), |node| {
                let mut hasher = DefaultHasher::new();
                compact_json(node, JsonStyle::Kept).hash(&mut hasher);
                hasher.finish()
            }),
            stored: crd.stored_versions(),
            versions: crd.versions().into_iter().map(|version| version.name.into_owned()).collect(),
            kind: crd.kind().into_owned(),
            api: crd.api(),
            conversion: detect_conversion(crd),
            in_classic: own().any(|item| item.in_classic),
            in_v1: own().any(|item| item.in_v1),
            location: crd.location().filter(|_| found.shown.is_some()),
            conversion_location: crd.location_at(&["spec", "conversion"]).filter(|_| found.shown.is_some()),
        };
        crds.entry(name).or_insert(facts);
    }
    crds
}

fn detect_conversion(crd: &Crd<'_>) -> Conversion {
    let node = crd.node();
    let Some(conversion) = node_at(node, &["spec", "conversion"]) else { return Conversion::Unset };
    let clients = [&["webhook", "clientConfig"][..], &["webhookClientConfig"][..]];
    let has_url = clients.iter().any(|path| {
        let url = [*path, &["url"]].concat();
        !text_at(conversion, &url).is_empty()
    });
    match text_at(conversion, &["strategy"]).as_ref() {
        "Webhook" if has_url => Conversion::Url,
        "Webhook" => Conversion::Service,
        "" => Conversion::Unset,
        _ => Conversion::None,
    }
}
