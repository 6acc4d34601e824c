//! Assembly of operators: a `Subscription` with its installed `ClusterServiceVersion`.

use std::collections::{HashMap, HashSet};

use super::{
    Approval, Cluster, Condition, InstalledBundle, Location, Operator, OperatorRequest, Reader,
    SubscriptionRequest,
    csv::{Csv, PendingCsv},
    fields::Fields,
};
use olm_catalog::{BundleName, PackageName};
use olm_upgrade::{
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
    pub selector: Vec<(String, String)>,
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
        let version = bundle("version").map(|text| Version::parse_tolerant(&text));
        if let Some(Err(_)) = version {
            note("status.install.bundle.version");
        }
        let installed = bundle("name").map(|name| InstalledBundle {
            version: version.and_then(Result::ok).map(Into::into),
            ..InstalledBundle::from_name(name.into())
        });
        Ok(Self {
            name,
            namespace: fields.text_at(&["spec", "namespace"]).unwrap_or_default(),
            package: fields.text_at(&at("packageName")).ok_or("spec.source.catalog.packageName")?.into(),
            query,
            selector: fields.pairs_at(&[&at("selector")[..], &["matchLabels"]].concat()),
            installed,
            conditions: Condition::from_status(fields),
            place,
        })
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
