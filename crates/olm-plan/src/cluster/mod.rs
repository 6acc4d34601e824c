//! Installed operators of a cluster, from the output of `kubectl get ... -o yaml` or a must-gather. Nothing is
//! changed, and no cluster is contacted.
//!
//! Only relevant fields of an object are stored, so that no secret or token gets into a [`Cluster`]. Data that
//! cannot be parsed is a [`Note`] with its location, and the rest still counts.

mod compare;
mod operators;
mod reader;
mod types;

#[cfg(test)]
mod left_over_tests;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use crate::series::Release;
use olm_catalog::{Catalog, PackageName};
use olm_check::review::deprecations::Status;
use olm_upgrade::{
    Engine, PackageGraph,
    cluster::{ClusterAnswer, ClusterCatalogs, ClusterPackage, ClusterQuery, ClusterResolver},
    resolve::{InstalledCsv, Question, Source, SourceKey, Subscription, question::GLOBAL_NAMESPACE},
};
use operators::Fields;
use types::redact_secrets;

pub use compare::{ComparedStatements, Kind, Statement, Topic, compare_operator, operator_problems};
pub use reader::{NothingFound, Reader};
pub use types::{
    Approval, CatalogOnCluster, Cluster, ClusterVersion, ExtensionCatalog, InstalledBundle, Operator,
    OperatorGroup, OperatorRequest, SubscriptionRequest,
};

/// Command that writes a file with all relevant objects.
pub const KUBECTL: &str = "kubectl get clusterversions,subscriptions.operators.coreos.com,clusterserviceversions,\
operatorgroups,catalogsources,installplans,clusterextensions,clustercatalogs -A -l '!olm.copiedFrom' -o yaml";

/// Reason why a file does not contain requests.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperatorListError {
    /// The file does not contain a known object.
    #[error("{0}")]
    Nothing(NothingFound),
    /// The relevant object cannot be parsed.
    #[error("{0}")]
    Note(Note),
    /// The file contains only other objects.
    #[error("{0} has neither a Subscription nor a ClusterExtension")]
    NoRequests(String),
}

impl OperatorListError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing(_) | Self::NoRequests(_) => {
                Some("olmap resources prints them for a bundle; kubectl get -o yaml those of a cluster")
            }
            Self::Note(_) => None,
        }
    }
}

/// Requests of a file.
#[derive(Debug)]
pub struct OperatorList {
    /// `Subscription`s and `ClusterExtension`s with their installed bundles.
    pub operators: Vec<Operator>,
    /// `ClusterCatalog`s.
    pub catalogs: Vec<ExtensionCatalog>,
    /// Mistakes in the file.
    pub notes: Vec<Note>,
}

/// Returns the requests of a file.
///
/// # Errors
///
/// Fails if there are none.
pub fn parse_operator_list(label: &str, bytes: &[u8]) -> Result<OperatorList, OperatorListError> {
    let mut reader = Reader::default();
    reader.add_file(label, bytes);
    let cluster = reader.finish_cluster().map_err(|nothing| match nothing.notes.first() {
        Some(note) => OperatorListError::Note(note.clone()),
        None => OperatorListError::Nothing(nothing),
    })?;
    let asks = |operator: &Operator| operator.request != OperatorRequest::Nothing;
    let wanted: Vec<Operator> = cluster.operators.into_iter().filter(asks).collect();
    let (catalogs, notes) = (cluster.extension_catalogs, cluster.notes);
    match (wanted.is_empty(), notes.first()) {
        (false, _) => Ok(OperatorList { operators: wanted, catalogs, notes }),
        (true, Some(note)) => Err(OperatorListError::Note(note.clone())),
        (true, None) => Err(OperatorListError::NoRequests(label.to_owned())),
    }
}

/// Report on a cluster.
#[derive(Debug)]
pub struct Report<'c> {
    /// The cluster.
    pub cluster: &'c Cluster,
    /// Reports on its operators, in its order.
    pub operators: Vec<OperatorReport<'c>>,
    /// True if no given catalog is for the cluster's OpenShift version.
    pub is_other_version: bool,
}

/// Report on an operator.
#[derive(Debug)]
pub struct OperatorReport<'c> {
    /// The operator.
    pub operator: &'c Operator,
    /// Problems that the cluster itself reports.
    pub problems: Vec<String>,
    /// Catalog that the operator was compared with.
    pub catalog: Option<String>,
    /// Compared statements.
    pub points: Vec<ComparedStatements>,
}

impl OperatorReport<'_> {
    /// Iterates over the statements that differ.
    pub fn differences(&self) -> impl Iterator<Item = &ComparedStatements> {
        self.points.iter().filter(|point| point.differs())
    }

    /// Returns true if the operator has a problem or a difference.
    pub fn has_findings(&self) -> bool {
        !self.problems.is_empty() || self.differences().next().is_some()
    }
}

impl Report<'_> {
    /// Returns true if there is any problem, difference or note.
    pub fn has_findings(&self) -> bool {
        !self.cluster.notes.is_empty() || self.operators.iter().any(OperatorReport::has_findings)
    }
}

/// Reports on all operators. An operator is compared with the first catalog that has its package, among those
/// for the cluster's version. If there is none for that version, all catalogs count. `members` are the
/// `ClusterCatalog`s of the cluster, if olmap knows any content: a `ClusterExtension` is compared with the
/// answer over all of them.
pub fn report_cluster<'c>(
    cluster: &'c Cluster,
    catalogs: &[Release<Catalog>],
    members: Option<&ClusterCatalogs>,
) -> Report<'c> {
    let own = |release: &&Release<Catalog>| {
        cluster.openshift().zip(release.openshift).is_none_or(|(cluster, catalog)| cluster == catalog)
    };
    let mut meant: Vec<&Release<Catalog>> = catalogs.iter().filter(own).collect();
    let of_another_version = meant.is_empty() && !catalogs.is_empty();
    if of_another_version {
        meant = catalogs.iter().collect();
    }
    let look = |operator: &'c Operator| {
        let name = operator.package.as_ref();
        let home = name.and_then(|name| find_catalog(&meant, name)).or_else(|| meant.first().copied());
        let graph = home.zip(name).and_then(|(home, name)| home.catalog.package(name.as_str()));
        let graph = graph.map(PackageGraph::new).zip(home);
        let graph = graph.map(|(graph, home)| graph.with_served_parts(&home.catalog));
        let over_catalogs = members.and_then(|members| resolve_extension(members, operator));
        let (package, answer) = over_catalogs.unzip();
        let picked = answer.as_ref().and_then(|answer| Some(answer.pick.as_ref()?.catalog.name.clone()));
        let own = package.as_ref().zip(picked.as_ref()).and_then(|(package, name)| package.graph(name));
        let points = match (home, name) {
            (Some(_), Some(_)) => {
                compare_operator(cluster, operator, own.or(graph.as_ref()), answer.as_ref())
            }
            _ => Vec::new(),
        };
        let compared_with = match &answer {
            None => home.map(|home| home.label.clone()),
            Some(answer) => picked.or_else(|| Some(considered_catalogs(answer))),
        };
        OperatorReport {
            operator,
            problems: operator_problems(cluster, operator),
            catalog: compared_with,
            points,
        }
    };
    Report {
        cluster,
        operators: cluster.operators.iter().map(look).collect(),
        is_other_version: of_another_version,
    }
}

/// Returns the answer for a `ClusterExtension` over the catalogs of the cluster, with its package in them.
fn resolve_extension(
    members: &ClusterCatalogs,
    operator: &Operator,
) -> Option<(ClusterPackage, ClusterAnswer)> {
    let OperatorRequest::Extension { query, selector } = &operator.request else { return None };
    let package = members.find_package(operator.package.as_ref()?);
    let query = ClusterQuery { query: query.clone(), selector: selector.clone() };
    let installed = operator.installed.as_ref().map(InstalledBundle::to_metadata);
    let answer = ClusterResolver::from_query(&package, &query).resolve(installed.as_ref());
    Some((package, answer))
}

/// Returns the names of the catalogs that take part in an answer.
fn considered_catalogs(answer: &ClusterAnswer) -> String {
    let names = answer.considered.iter().map(|considered| considered.catalog.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the first catalog that has a package.
fn find_catalog<'r>(
    catalogs: &[&'r Release<Catalog>],
    package: &PackageName,
) -> Option<&'r Release<Catalog>> {
    catalogs.iter().copied().find(|release| release.catalog.package(package.as_str()).is_some())
}

/// Line of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// Name of the file for messages.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Data that was ignored or cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Location of the data.
    pub place: Location,
    /// Reason.
    pub kind: NoteKind,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

/// Reason why data was ignored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoteKind {
    /// The document is neither YAML nor JSON.
    #[error("this document is ignored: {0}")]
    Document(String),
    /// The object does not have a name.
    #[error("this {0} has no metadata.name and is ignored")]
    NoName(Kind),
    /// The field has a wrong type.
    #[error("{object}: {field} must be {expected}; it is ignored")]
    Field {
        /// Kind and name of the object.
        object: String,
        /// Path of the field.
        field: String,
        /// Expected type.
        expected: &'static str,
    },
    /// A required field is missing.
    #[error("{object} has no {field} and is ignored")]
    NoField {
        /// Kind and name of the object.
        object: String,
        /// Path of the field.
        field: &'static str,
    },
    /// Two objects with the same name differ.
    #[error("{object} is here and at {other}, and they differ; {other} is ignored")]
    Twice {
        /// Kind and name of the object.
        object: String,
        /// Location of the other object.
        other: Location,
    },
    /// The version cannot be parsed.
    #[error("{object}: {field} is not a version")]
    Version {
        /// Kind and name of the object.
        object: String,
        /// Path of the field.
        field: &'static str,
    },
}

/// Types of conditions that are relevant for upgrades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConditionKind {
    /// `ClusterVersion`: whether an update to the next minor version is allowed.
    Upgradeable,
    /// `Subscription`: the constraints of the namespace contradict each other.
    ResolutionFailed,
    /// `Subscription`: a catalog is not served.
    CatalogSourcesUnhealthy,
    /// `Subscription`: the bundle image could not be unpacked.
    BundleUnpackFailed,
    /// `Subscription`: the install plan waits, possibly for approval.
    InstallPlanPending,
    /// `Subscription`: the install plan failed.
    InstallPlanFailed,
    /// `Subscription`: the install plan is missing.
    InstallPlanMissing,
    /// `ClusterExtension`: progress of OLM.
    Progressing,
    /// `ClusterExtension`: whether a bundle is installed.
    Installed,
    /// Both: any of the next three.
    Deprecated,
    /// Both: the package.
    PackageDeprecated,
    /// Both: the channel.
    ChannelDeprecated,
    /// Both: the bundle.
    BundleDeprecated,
}

impl ConditionKind {
    /// All types.
    pub const ALL: [Self; 13] = [
        Self::Upgradeable,
        Self::ResolutionFailed,
        Self::CatalogSourcesUnhealthy,
        Self::BundleUnpackFailed,
        Self::InstallPlanPending,
        Self::InstallPlanFailed,
        Self::InstallPlanMissing,
        Self::Progressing,
        Self::Installed,
        Self::Deprecated,
        Self::PackageDeprecated,
        Self::ChannelDeprecated,
        Self::BundleDeprecated,
    ];

    /// Returns the value of `type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Upgradeable => "Upgradeable",
            Self::ResolutionFailed => "ResolutionFailed",
            Self::CatalogSourcesUnhealthy => "CatalogSourcesUnhealthy",
            Self::BundleUnpackFailed => "BundleUnpackFailed",
            Self::InstallPlanPending => "InstallPlanPending",
            Self::InstallPlanFailed => "InstallPlanFailed",
            Self::InstallPlanMissing => "InstallPlanMissing",
            Self::Progressing => "Progressing",
            Self::Installed => "Installed",
            Self::Deprecated => "Deprecated",
            Self::PackageDeprecated => "PackageDeprecated",
            Self::ChannelDeprecated => "ChannelDeprecated",
            Self::BundleDeprecated => "BundleDeprecated",
        }
    }
}

/// Status condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Type of the condition.
    pub kind: ConditionKind,
    /// Status of the condition.
    pub status: Status,
    /// Reason; may be empty.
    pub reason: String,
    /// Message; may be empty.
    pub message: String,
}

impl Condition {
    /// Returns the relevant conditions in an object's status.
    fn from_status(fields: &Fields<'_>) -> Vec<Self> {
        let read = |one: &Fields<'_>| {
            let text = one.text_at(&["type"])?;
            let kind = ConditionKind::ALL.into_iter().find(|kind| kind.as_str() == text)?;
            let status = match one.text_at(&["status"]).as_deref() {
                Some("True") => Status::True,
                Some("False") => Status::False,
                _ => Status::Unknown,
            };
            let reason = one.text_at(&["reason"]).unwrap_or_default();
            let message = redact_secrets(&one.text_at(&["message"]).unwrap_or_default());
            Some(Self { kind, status, reason, message })
        };
        fields.objects_at(&["status", "conditions"]).iter().filter_map(read).collect()
    }

    /// Returns true if the status is `True`.
    pub fn holds(&self) -> bool {
        self.status == Status::True
    }

    /// Returns the reason and the message.
    pub fn describe_condition(&self) -> String {
        match (self.reason.as_str(), self.message.as_str()) {
            ("", message) => message.to_owned(),
            (reason, "") => reason.to_owned(),
            (reason, message) => format!("{reason}: {message}"),
        }
    }
}

/// Reason why a namespace cannot be resolved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The namespace does not have Subscriptions.
    #[error("no Subscription is in the namespace {0}")]
    Empty(String),
    /// Several namespaces have Subscriptions, and none is selected.
    #[error("there are Subscriptions in several namespaces")]
    Several(Vec<String>),
    /// No namespace has Subscriptions.
    #[error("the cluster has no Subscription")]
    None,
    /// A catalog is missing.
    #[error("no catalog is called {source_name}, which {object} asks for")]
    NoCatalog {
        /// Name of the catalog on the cluster.
        source_name: String,
        /// Object that refers to it.
        object: String,
    },
}

impl QuestionError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Several(names) => Some(format!("choose one with --namespace: {}", names.join(", "))),
            Self::NoCatalog { source_name, .. } => {
                Some(format!("say which one it is: {source_name}=CATALOG"))
            }
            Self::Empty(_) | Self::None => None,
        }
    }
}

/// Returns the question of a namespace, or of the only one with Subscriptions. Catalogs are matched
/// by name; a single catalog matches any name.
///
/// # Errors
///
/// Fails if the namespace is ambiguous, or if a catalog is missing.
pub fn build_question(
    cluster: &Cluster,
    namespace: Option<&str>,
    sources: &[Source],
) -> Result<Question, QuestionError> {
    let classic = || cluster.operators.iter().filter(|operator| operator.engine() == Engine::Classic);
    let mut subscribed: Vec<String> =
        classic().filter(|one| one.subscription().is_some()).map(|one| one.namespace.clone()).collect();
    subscribed.sort();
    subscribed.dedup();
    let namespace = match (namespace, subscribed.as_slice()) {
        (Some(namespace), all) if all.iter().any(|known| known == namespace) => namespace.to_owned(),
        (Some(namespace), _) => return Err(QuestionError::Empty(namespace.to_owned())),
        (None, []) => return Err(QuestionError::None),
        (None, [only]) => only.clone(),
        (None, _) => return Err(QuestionError::Several(subscribed)),
    };
    let mut question = Question::new(Vec::new());
    question.namespace.clone_from(&namespace);
    let here = || classic().filter(|operator| operator.namespace == namespace);
    // The administrator chooses the name of the global namespace on the cluster; here it has a fixed name.
    let place = |key: &SourceKey| {
        let namespace = if key.namespace == namespace { &key.namespace } else { GLOBAL_NAMESPACE };
        SourceKey { name: key.name.clone(), namespace: namespace.to_owned() }
    };
    for source in sources {
        let known = |name: &str| cluster.catalogs.iter().find(|catalog| catalog.key.name == name);
        // A single catalog with an unknown name gets the only name that is requested.
        let mut names = here().filter_map(Operator::subscription).map(|asks| &asks.source);
        let only = names.next().filter(|first| sources.len() == 1 && names.all(|name| name == *first));
        let key = match (known(&source.key.name), only) {
            (Some(catalog), _) => place(&catalog.key),
            (None, Some(key)) => place(key),
            (None, None) => source.key.clone(),
        };
        let priority = known(&key.name).map_or(source.priority, |catalog| catalog.priority);
        question.sources.push(Source { key, priority, ..source.clone() });
    }
    for operator in here() {
        if let Some(installed) = &operator.installed {
            question.installed.push(installed_csv(installed, operator.package.as_ref(), sources));
        }
        let (Some(asks), Some(package)) = (operator.subscription(), &operator.package) else { continue };
        let catalog = place(&asks.source);
        if !question.sources.iter().any(|source| source.key == catalog) {
            let (source_name, object) = (catalog.name, operator.request_label());
            return Err(QuestionError::NoCatalog { source_name, object });
        }
        question.subscriptions.push(Subscription {
            name: operator.name.clone(),
            package: package.clone(),
            channel: asks.channel.clone(),
            catalog,
            starting_csv: asks.starting_csv.clone(),
            installed: operator.installed.as_ref().map(|installed| installed.name.clone()),
        });
    }
    let group = cluster.operator_group(&namespace);
    question.excludes_global = group.is_some_and(|group| group.excludes_global);
    question.fails_forward = group.is_some_and(|group| group.fails_forward);
    Ok(question)
}

/// Returns the installed bundle with its own properties, or with those in a catalog if it has none.
fn installed_csv(
    installed: &InstalledBundle,
    package: Option<&PackageName>,
    sources: &[Source],
) -> InstalledCsv {
    let version = installed.version.as_ref().map(|version| version.version.clone());
    let name = || installed.name.clone();
    let known = || {
        let of = |source: &Source| {
            InstalledCsv::from_bundle(&source.index, source.index.find_bundle(installed.name.as_str())?)
        };
        sources.iter().find_map(of)
    };
    let made = match package {
        _ if !installed.properties.is_empty() => {
            InstalledCsv::with_properties(name(), version, &installed.properties)
        }
        Some(package) => known().unwrap_or_else(|| InstalledCsv::from_package(name(), version, package)),
        None => InstalledCsv::with_properties(name(), version, &[]),
    };
    InstalledCsv { phase: installed.phase.clone(), replaces: installed.replaces.clone(), ..made }
}
