//! Assembly of operators: a `Subscription` with its installed `ClusterServiceVersion`.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

use super::{
    Approval, Cluster, Condition, InstalledBundle, Location, Operator, OperatorRequest, Reader,
    SubscriptionRequest,
};
use olm_catalog::{
    BundleName, Format, Node, PackageName, Span, Value,
    text::{emit, split},
};
use olm_upgrade::{
    cluster::{LabelSelector, SelectorExpression},
    resolve::SourceKey,
    v1::{Policy, Query},
};
use olm_version::Version;

/// Phases of a `ClusterServiceVersion` that is being removed.
const LEAVING_PHASES: [&str; 2] = ["Replacing", "Deleting"];

/// `Subscription` object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Subscription {
    pub namespace: String,
    pub name: String,
    pub package: PackageName,
    pub request: SubscriptionRequest,
    pub installed: Option<BundleName>,
    pub conditions: Vec<Condition>,
    pub place: Location,
}

impl Subscription {
    /// Parses a `Subscription`.
    ///
    /// # Errors
    ///
    /// Returns the missing field.
    pub fn from_fields(
        fields: &Fields<'_>,
        namespace: String,
        name: String,
        place: Location,
    ) -> Result<Self, &'static str> {
        let text = |path: &[&str]| fields.text_at(path);
        let bundle = |path: &[&str]| fields.text_at(path).map(BundleName::from);
        let approval = match text(&["spec", "installPlanApproval"]).as_deref() {
            Some("Manual") => Approval::Manual,
            _ => Approval::Automatic,
        };
        let source = SourceKey {
            name: text(&["spec", "source"]).unwrap_or_default(),
            namespace: text(&["spec", "sourceNamespace"]).unwrap_or_default(),
        };
        let asks = SubscriptionRequest {
            channel: text(&["spec", "channel"]).map(Into::into),
            source,
            starting_csv: bundle(&["spec", "startingCSV"]),
            approval,
            current: bundle(&["status", "currentCSV"]),
            state: text(&["status", "state"]).unwrap_or_default(),
            waits_for: None,
        };
        Ok(Self {
            namespace,
            name,
            package: text(&["spec", "name"]).ok_or("spec.name")?.into(),
            request: asks,
            installed: bundle(&["status", "installedCSV"]),
            conditions: Condition::from_status(fields),
            place,
        })
    }
}

/// `ClusterExtension` object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Extension {
    pub name: String,
    pub namespace: String,
    pub package: PackageName,
    pub query: Query,
    pub selector: LabelSelector,
    pub installed: Option<InstalledBundle>,
    pub conditions: Vec<Condition>,
    pub place: Location,
}

impl Extension {
    /// Parses a `ClusterExtension`.
    ///
    /// # Errors
    ///
    /// Returns the missing field.
    pub fn from_fields(
        fields: &Fields<'_>,
        name: String,
        place: Location,
        note: impl FnOnce(&'static str),
    ) -> Result<Self, &'static str> {
        const CATALOG_PATH: [&str; 3] = ["spec", "source", "catalog"];
        let at = |key: &'static str| -> Vec<&str> { CATALOG_PATH.iter().copied().chain([key]).collect() };
        let policy = match fields.text_at(&at("upgradeConstraintPolicy")).as_deref() {
            Some("SelfCertified") => Policy::SelfCertified,
            _ => Policy::CatalogProvided,
        };
        let query = Query {
            channels: fields.texts_at(&at("channels")).into_iter().map(Into::into).collect(),
            version: fields.text_at(&at("version")).unwrap_or_default(),
            policy,
        };
        let bundle = |key: &str| fields.text_at(&["status", "install", "bundle", key]);
        let version_text = bundle("version").unwrap_or_default();
        let version = bundle("version").map(|text| Version::parse_tolerant(&text));
        if let Some(Err(_)) = version {
            note("status.install.bundle.version");
        }
        let installed = bundle("name").map(|name| InstalledBundle {
            version: version.and_then(Result::ok).map(Into::into),
            version_text,
            ..InstalledBundle::from_name(name.into())
        });
        Ok(Self {
            name,
            namespace: fields.text_at(&["spec", "namespace"]).unwrap_or_default(),
            package: fields.text_at(&at("packageName")).ok_or("spec.source.catalog.packageName")?.into(),
            query,
            selector: parse_selector(fields, &at("selector")),
            installed,
            conditions: Condition::from_status(fields),
            place,
        })
    }
}

/// Parses the selector of catalogs.
fn parse_selector(fields: &Fields<'_>, path: &[&str]) -> LabelSelector {
    let at = |key: &'static str| [path, &[key]].concat();
    let expression = |one: &Fields<'_>| SelectorExpression {
        key: one.text_at(&["key"]).unwrap_or_default(),
        operator: one.text_at(&["operator"]).unwrap_or_default(),
        values: one.texts_at(&["values"]),
    };
    LabelSelector {
        match_labels: fields.pairs_at(&at("matchLabels")).into_iter().collect(),
        match_expressions: fields.objects_at(&at("matchExpressions")).iter().map(expression).collect(),
    }
}

/// Builds the cluster from all parsed objects.
pub(super) fn assemble_cluster(mut reader: Reader) -> Cluster {
    let subscriptions = std::mem::take(&mut reader.subscriptions);
    let csvs = std::mem::take(&mut reader.csvs);
    let plans = std::mem::take(&mut reader.plans);
    let extensions = std::mem::take(&mut reader.extensions);
    let waiting: HashMap<(&str, &BundleName), &str> = plans
        .values()
        .flat_map(|plan| {
            let PendingCsv { namespace, name, bundles, .. } = plan;
            bundles.iter().map(|bundle| ((namespace.as_str(), bundle), name.as_str()))
        })
        .collect();
    let mut taken: HashSet<(String, String)> = HashSet::new();
    let mut operators = Vec::new();
    for one in subscriptions.into_values() {
        let place = |name: &BundleName| (one.namespace.clone(), name.to_string());
        for name in one.installed.iter().chain(&one.request.current) {
            // The bundle being installed, and the bundle that it replaces.
            taken.insert(place(name));
            let replaced = csvs.get(&place(name)).and_then(|csv| csv.bundle.replaces.as_ref());
            taken.extend(replaced.map(place));
        }
        let waits_for = one.request.current.as_ref().and_then(|next| waiting.get(&(&*one.namespace, next)));
        let installed = one.installed.as_ref().map(|name| match csvs.get(&place(name)) {
            Some(csv) => csv.bundle.clone(),
            None => InstalledBundle::from_name(name.clone()),
        });
        operators.push(Operator {
            request: OperatorRequest::Subscription(SubscriptionRequest {
                waits_for: waits_for.map(|plan| (*plan).to_owned()),
                ..one.request
            }),
            package: Some(one.package),
            namespace: one.namespace,
            name: one.name,
            installed,
            conditions: one.conditions,
            place: one.place,
        });
    }
    let is_leaving = |csv: &Csv| LEAVING_PHASES.contains(&csv.bundle.phase.as_str());
    let alone = csvs.iter().filter(|(key, csv)| !taken.contains(*key) && !is_leaving(csv));
    operators.extend(alone.map(|(_, csv)| Operator {
        package: csv.package.clone(),
        namespace: csv.namespace.clone(),
        name: csv.bundle.name.to_string(),
        request: OperatorRequest::Nothing,
        installed: Some(csv.bundle.clone()),
        conditions: Vec::new(),
        place: csv.place.clone(),
    }));
    operators.extend(extensions.into_values().map(|one| Operator {
        package: Some(one.package),
        namespace: one.namespace,
        name: one.name,
        request: OperatorRequest::Extension { query: one.query, selector: one.selector },
        installed: one.installed,
        conditions: one.conditions,
        place: one.place,
    }));
    let key = |operator: &Operator| {
        let is_unknown = operator.package.is_none();
        (is_unknown, operator.package.clone(), operator.namespace.clone(), operator.name.clone())
    };
    operators.sort_by_cached_key(key);
    Cluster { operators, ..reader.into_cluster() }
}

/// Mark of a copy in another namespace (`operator-lifecycle-manager`, `pkg/lib/...` and
/// `api/pkg/operators/v1alpha1`: `CopiedLabelKey`).
const COPIED_FROM: &str = "olm.copiedFrom";

/// Annotations in which OLM stores the properties of the bundle: the newer key and the older key.
const PROPERTIES: [&str; 2] = ["operatorframework.io/properties", "olm.properties"];

/// Relevant properties. Others are ignored, because any tool can add properties.
const RELEVANT_PROPERTIES: [&str; 7] = [
    "olm.constraint",
    "olm.gvk",
    "olm.gvk.required",
    "olm.label",
    "olm.maxOpenShiftVersion",
    "olm.package",
    "olm.package.required",
];

/// `ClusterServiceVersion` that is not a copy.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Csv {
    pub namespace: String,
    pub bundle: InstalledBundle,
    /// Package in its properties.
    pub package: Option<PackageName>,
    pub place: Location,
}

impl Csv {
    /// Parses a `ClusterServiceVersion`; `None` for a copy.
    pub fn from_fields(
        fields: &Fields<'_>,
        namespace: String,
        name: &str,
        place: &Location,
        note: impl FnOnce(&'static str),
    ) -> Option<Self> {
        let is_marked = |place: &str| fields.value_at(&["metadata", place, COPIED_FROM]).is_some();
        let phase = fields.text_at(&["status", "phase"]).unwrap_or_default();
        let reason = fields.text_at(&["status", "reason"]).unwrap_or_default();
        if is_marked("labels") || is_marked("annotations") || reason == "Copied" {
            return None;
        }
        let properties = parse_properties(fields);
        let own = properties.iter().find(|(kind, _)| kind == "olm.package");
        let own = own.and_then(|(_, json)| split::parse_chunk(Format::Json, json.as_bytes()).ok());
        let own_text = |key: &str| -> Option<String> {
            let text = own.as_ref()?.get(key)?.as_str()?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        let version = fields.text_at(&["spec", "version"]).or_else(|| own_text("version"));
        let package = own_text("packageName").map(Into::into);
        drop(own);
        let read = version.map(|text| Version::parse_tolerant(&text));
        if let Some(Err(_)) = read {
            note("spec.version");
        }
        let bundle = InstalledBundle {
            name: name.into(),
            version: read.and_then(Result::ok).map(Into::into),
            version_text: String::new(),
            phase,
            reason,
            replaces: fields.text_at(&["spec", "replaces"]).map(Into::into),
            properties,
        };
        Some(Self { namespace, bundle, package, place: place.clone() })
    }
}

/// Parses the properties in the annotations like OLM: `{"properties": [{"type": .., "value": ..}]}`, or only
/// the list.
fn parse_properties(fields: &Fields<'_>) -> Vec<(String, String)> {
    let text = PROPERTIES.iter().find_map(|key| fields.text_at(&["metadata", "annotations", key]));
    let Some(text) = text else { return Vec::new() };
    let Ok(tree) = split::parse_chunk(Format::Json, text.as_bytes()) else { return Vec::new() };
    let list = tree.get("properties").unwrap_or(&tree);
    let property = |node: &Node<'_>| {
        let kind = node.get("type")?.as_str()?;
        RELEVANT_PROPERTIES
            .contains(&kind)
            .then(|| Some((kind.to_owned(), emit::write_json(node.get("value")?))))?
    };
    list.items().iter().filter_map(property).collect()
}

/// `InstallPlan` that waits for approval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PendingCsv {
    pub namespace: String,
    pub name: String,
    pub bundles: Vec<BundleName>,
    pub place: Location,
}

impl PendingCsv {
    /// Parses an `InstallPlan`; `None` if it does not wait for approval.
    pub fn from_fields(
        fields: &Fields<'_>,
        namespace: String,
        name: String,
        place: Location,
    ) -> Option<Self> {
        let waits = fields.text_at(&["status", "phase"]).as_deref() == Some("RequiresApproval")
            && fields.bool_at(&["spec", "approved"]) != Some(true);
        let names = fields.texts_at(&["spec", "clusterServiceVersionNames"]);
        let bundles = names.iter().map(|name| name.as_str().into()).collect();
        waits.then_some(Self { namespace, name, bundles, place })
    }
}

/// Field with a wrong type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct InvalidField {
    /// Location of the value.
    pub span: Span,
    /// Path of the field.
    pub field: String,
    /// Expected type.
    pub expected: &'static str,
}

/// Object, or object inside another one.
#[derive(Clone, Debug)]
pub(super) struct Fields<'n> {
    node: &'n Node<'n>,
    /// Path in the whole object, such as `status.conditions[0].`.
    path: String,
    invalid: &'n RefCell<Vec<InvalidField>>,
}

impl<'n> Fields<'n> {
    /// Creates access to a whole object; invalid fields are added to `wrong`.
    pub fn new(node: &'n Node<'n>, wrong: &'n RefCell<Vec<InvalidField>>) -> Self {
        Self { node, path: String::new(), invalid: wrong }
    }

    /// Returns the location of the object.
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// Returns the value at a path; `None` if it is null.
    pub fn value_at(&self, path: &[&str]) -> Option<&'n Node<'n>> {
        let mut node = self.node;
        for key in path {
            node = node.get(key).filter(|value| !value.is_null())?;
        }
        Some(node)
    }

    /// Returns the text at a path; `None` if it is empty.
    pub fn text_at(&self, path: &[&str]) -> Option<String> {
        let node = self.value_at(path)?;
        match node.as_str() {
            Some(text) => (!text.is_empty()).then(|| text.to_owned()),
            None => self.report_invalid(node, path, "text"),
        }
    }

    /// Returns the integer at a path.
    pub fn integer_at(&self, path: &[&str]) -> Option<i64> {
        let node = self.value_at(path)?;
        let read = match &node.value {
            Value::Number(number) => number.0.parse().ok(),
            _ => None,
        };
        if read.is_none() { self.report_invalid(node, path, "a whole number") } else { read }
    }

    /// Returns the boolean at a path.
    pub fn bool_at(&self, path: &[&str]) -> Option<bool> {
        let node = self.value_at(path)?;
        match node.value {
            Value::Bool(truth) => Some(truth),
            _ => self.report_invalid(node, path, "true or false"),
        }
    }

    /// Returns the texts of a list.
    pub fn texts_at(&self, path: &[&str]) -> Vec<String> {
        self.list_items(path)
            .filter_map(|(node, at)| {
                let text = node.as_str().map(str::to_owned);
                text.or_else(|| self.report_invalid(node, &[path, &[&at]].concat(), "text"))
            })
            .collect()
    }

    /// Returns the objects of a list.
    pub fn objects_at(&self, path: &[&str]) -> Vec<Self> {
        let inside = |(node, at): (&'n Node<'n>, String)| {
            let inner = [path, &[&at]].concat();
            match node.value {
                Value::Map(_) => {
                    Some(Self { node, path: format!("{}.", self.path_text(&inner)), invalid: self.invalid })
                }
                _ => self.report_invalid(node, &inner, "an object"),
            }
        };
        self.list_items(path).filter_map(inside).collect()
    }

    /// Returns the texts of a map, such as labels.
    pub fn pairs_at(&self, path: &[&str]) -> Vec<(String, String)> {
        let members = self.value_at(path).map(Node::members).unwrap_or_default();
        let pair = |member: &olm_catalog::Member<'_>| {
            Some((member.key.to_string(), member.value.as_str()?.to_owned()))
        };
        members.iter().filter_map(pair).collect()
    }

    /// Iterates over the items of a list with their index paths.
    fn list_items(&self, path: &[&str]) -> impl Iterator<Item = (&'n Node<'n>, String)> {
        let node = self.value_at(path);
        if let Some(node) = node.filter(|node| !matches!(node.value, Value::List(_))) {
            self.report_invalid::<()>(node, path, "a list");
        }
        let items = node.map(Node::items).unwrap_or_default();
        items.iter().enumerate().map(|(at, item)| (item, format!("[{at}]")))
    }

    fn report_invalid<T>(&self, node: &Node<'_>, path: &[&str], expected: &'static str) -> Option<T> {
        self.invalid.borrow_mut().push(InvalidField {
            span: node.span,
            field: self.path_text(path),
            expected,
        });
        None
    }

    fn path_text(&self, path: &[&str]) -> String {
        format!("{}{}", self.path, path.join(".")).replace(".[", "[")
    }
}
