//! Comparison of an operator's state on the cluster with olmap's answer for a catalog.

use std::fmt;

use super::{
    Cluster, Condition, ConditionKind, InstalledBundle, Operator, OperatorRequest, SubscriptionRequest,
};
use olm_catalog::{BundleName, ChannelName, Format, blob::DeprecationTarget, text::split};
use olm_check::review::deprecations::{self, Status, extension_conditions};
use olm_upgrade::{
    Answer, Engine, Installed, PackageGraph, ResolveError,
    cluster::{ClusterAnswer, ClusterError},
    install_blockers,
    openshift::OpenShiftLimit,
    v1::Query,
};

/// Subject of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Topic {
    /// Next upgrade.
    Upgrade,
    /// Deprecation of the package.
    PackageDeprecated,
    /// Deprecation of the channel.
    ChannelDeprecated,
    /// Deprecation of the installed bundle.
    BundleDeprecated,
    /// Whether the operator blocks the update to the next OpenShift minor version.
    MinorUpdate,
}

impl Topic {
    /// Returns the name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Upgrade => "upgrade",
            Self::PackageDeprecated => "package-deprecated",
            Self::ChannelDeprecated => "channel-deprecated",
            Self::BundleDeprecated => "bundle-deprecated",
            Self::MinorUpdate => "minor-update",
        }
    }

    /// Returns the title for messages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Upgrade => "upgrade",
            Self::PackageDeprecated => "package deprecated",
            Self::ChannelDeprecated => "channel deprecated",
            Self::BundleDeprecated => "bundle deprecated",
            Self::MinorUpdate => "blocks the next OpenShift",
        }
    }
}

/// Statement of the cluster or of olmap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// No statement.
    Nothing,
    /// This bundle is installed next.
    To(BundleName),
    /// The installed bundle stays.
    Stays,
    /// The resolver reports an error.
    Error(String),
    /// True, with optional details.
    Yes(String),
    /// False.
    No,
}

impl Statement {
    /// Returns the statement in words.
    pub fn format_statement(&self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::To(name) => name.to_string(),
            Self::Stays => "no upgrade".to_owned(),
            Self::Error(error) => format!("error: {error}"),
            Self::Yes(words) if words.is_empty() => "yes".to_owned(),
            Self::Yes(words) => format!("yes: {words}"),
            Self::No => "no".to_owned(),
        }
    }

    /// Returns true if two statements contradict each other.
    fn differs(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => false,
            // Messages of the two sides differ even for the same error.
            (Self::Error(_), Self::Error(_)) | (Self::Yes(_), Self::Yes(_)) => false,
            (a, b) => a != b,
        }
    }
}

/// Statements of the cluster and of olmap on a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedStatements {
    /// Subject of the statements.
    pub topic: Topic,
    /// Statement of the cluster.
    pub cluster: Statement,
    /// Statement of olmap.
    pub expected: Statement,
    /// Possible reason for a difference, if there is one.
    pub reason: Option<&'static str>,
}

impl ComparedStatements {
    fn new(topic: Topic, cluster: Statement, expected: Statement) -> Self {
        let why = cluster.differs(&expected).then(|| difference_reason(topic, &cluster, &expected));
        Self { topic, cluster, expected, reason: why }
    }

    /// Compares statements on the upgrade of a `ClusterExtension`.
    fn from_extension(cluster: Statement, expected: Statement) -> Self {
        let topic = Topic::Upgrade;
        match &cluster {
            Statement::Error(_) => {
                let reason = cluster.differs(&expected).then_some(
                    "the cluster may have other catalogs than those given here, or other content in them",
                );
                Self { topic, cluster, expected, reason }
            }
            _ => Self::new(topic, cluster, expected),
        }
    }

    /// Returns true if the statements differ.
    pub fn differs(&self) -> bool {
        self.reason.is_some()
    }
}

/// Returns a possible reason for a difference.
fn difference_reason(topic: Topic, cluster: &Statement, expected: &Statement) -> &'static str {
    match (topic, cluster, expected) {
        (Topic::Upgrade, Statement::Error(_), _) => {
            "on the cluster all Subscriptions of a namespace fail together, and dependencies count; olmap resolve \
             --cluster looks at all of it"
        }
        (Topic::Upgrade, _, Statement::Error(_)) => "the catalog here is not the one that the cluster has",
        (Topic::Upgrade, Statement::Stays, Statement::To(_)) => {
            "the cluster may have an older catalog than this one, or not have looked at it yet"
        }
        (Topic::Upgrade, Statement::To(_), Statement::Stays) => {
            "the cluster may have a newer catalog than this one"
        }
        (Topic::Upgrade, ..) => {
            "the cluster has another catalog than this one, or something else depends on it"
        }
        (Topic::MinorUpdate, Statement::Yes(_), _) => {
            "the installed bundle may say so where its catalog does not"
        }
        (Topic::MinorUpdate, ..) => "the cluster may not have looked at it yet",
        (_, Statement::No, Statement::Yes(_)) => {
            "the cluster may have an older catalog, or a version of OLM that does not tell deprecations"
        }
        _ => "the cluster has another catalog than this one",
    }
}

/// Compares an operator with its package in a catalog; `graph` is `None` if the catalog does not have it. With the
/// answer over all catalogs of the cluster, a `ClusterExtension` is compared with that.
pub fn compare_operator(
    cluster: &Cluster,
    operator: &Operator,
    graph: Option<&PackageGraph>,
    over_catalogs: Option<&ClusterAnswer>,
) -> Vec<ComparedStatements> {
    let mut points = Vec::new();
    let installed = operator.installed.as_ref().map(|installed| resolve_installed(installed, graph));
    let channel = followed_channel(operator, graph);
    match &operator.request {
        OperatorRequest::Subscription(asks) => {
            let answer = classic_statement(operator, asks, graph, channel, installed.as_ref());
            points.push(ComparedStatements::new(
                Topic::Upgrade,
                subscription_statement(operator, asks),
                answer,
            ));
            points.extend(subscription_deprecations(operator, asks, graph, channel));
        }
        OperatorRequest::Extension { query, .. } => {
            let answer = match over_catalogs {
                Some(answer) => catalogs_statement(answer),
                None => extension_statement(operator, graph, query, installed.as_ref()),
            };
            let status = extension_status_statement(operator);
            points.push(ComparedStatements::from_extension(status, answer));
            points.extend(extension_deprecations(operator, query, graph));
        }
        OperatorRequest::Nothing => {}
    }
    points.extend(compare_minor_update(cluster, operator, graph));
    points
}

/// Returns the problems of an operator that the cluster itself reports, and a
/// `ClusterServiceVersion` that no `Subscription` upgrades.
pub fn operator_problems(cluster: &Cluster, operator: &Operator) -> Vec<String> {
    const PROBLEM_KINDS: [ConditionKind; 5] = [
        ConditionKind::ResolutionFailed,
        ConditionKind::CatalogSourcesUnhealthy,
        ConditionKind::BundleUnpackFailed,
        ConditionKind::InstallPlanFailed,
        ConditionKind::InstallPlanMissing,
    ];
    let is_bad = |condition: &&Condition| match condition.kind {
        ConditionKind::Installed => condition.status == Status::False,
        ConditionKind::Progressing => condition.status == Status::False || is_retrying(condition),
        kind => PROBLEM_KINDS.contains(&kind) && condition.holds(),
    };
    let words =
        |condition: &Condition| format!("{}: {}", condition.kind.as_str(), condition.describe_condition());
    let mut all: Vec<String> = operator.conditions.iter().filter(is_bad).map(words).collect();
    if let Some(installed) = operator.installed.as_ref().filter(|installed| installed.phase == "Failed") {
        all.push(format!("{} is in phase Failed: {}", installed.name, installed.reason));
    }
    all.extend(left_over_csv(cluster, operator));
    all
}

/// CSV of OpenShift itself, which never has a `Subscription`.
const PACKAGE_SERVER: &str = "packageserver";

/// Returns the problem of a `ClusterServiceVersion` that no `Subscription` has. `None` if the files do
/// not show it: they have no `Subscription`, or one of the package may have it.
fn left_over_csv(cluster: &Cluster, operator: &Operator) -> Option<String> {
    let (installed, package) = (operator.installed.as_ref()?, operator.package.as_ref()?);
    let has_subscriptions = cluster.kinds.contains(&Kind::Subscription);
    if operator.request != OperatorRequest::Nothing
        || !has_subscriptions
        || installed.name.as_str() == PACKAGE_SERVER
    {
        return None;
    }
    let in_namespace = cluster.operators_of(package).filter(|other| other.namespace == operator.namespace);
    let subscriptions: Vec<_> =
        in_namespace.filter_map(|other| Some((other, other.subscription()?))).collect();
    let Some((other, request)) = subscriptions.first() else {
        return Some(format!(
            "no Subscription of namespace {} asks for {package}, so OLM does not upgrade {}: delete the CSV if it \
             is left over",
            operator.namespace, installed.name
        ));
    };
    // A Subscription with a bundle may be in the middle of an upgrade.
    let has_nothing = other.installed.is_none() && request.current.is_none();
    let was_seen = !other.conditions.is_empty() || !request.state.is_empty();
    (has_nothing && was_seen).then(|| {
        format!(
            "Subscription {} asks for {package} but does not have {}, which keeps its APIs: delete the CSV if it is \
             left over",
            other.name, installed.name
        )
    })
}

fn is_retrying(condition: &Condition) -> bool {
    matches!(condition.reason.as_str(), "Retrying" | "Blocked")
}

/// Returns the installed bundle, with the version from the catalog if the cluster does not have it.
fn resolve_installed(installed: &InstalledBundle, graph: Option<&PackageGraph>) -> Installed {
    let mut asked = installed.to_installed();
    if asked.version.is_none() {
        asked.version =
            graph.and_then(|graph| graph.package.bundle_version(installed.name.as_str()).cloned());
    }
    asked
}

/// Returns the subscribed channel, else the default channel.
fn followed_channel<'a>(operator: &'a Operator, graph: Option<&'a PackageGraph>) -> Option<&'a ChannelName> {
    operator.requested_channels().first().or_else(|| graph?.package.default_channel())
}

fn no_package_statement(operator: &Operator) -> Statement {
    let name = operator.package.as_ref().map(ToString::to_string).unwrap_or_default();
    Statement::Error(ResolveError::NoPackage(name).to_string())
}

/// Converts the answer of a resolver.
fn answer_statement(answer: &Answer) -> Statement {
    match (&answer.error, answer.upgrade_target()) {
        (Some(error), _) => Statement::Error(error.to_string()),
        (None, Some(to)) => Statement::To(to.clone()),
        (None, None) => Statement::Stays,
    }
}

/// Returns olmap's statement on the next upgrade of a Subscription.
fn classic_statement(
    operator: &Operator,
    asks: &SubscriptionRequest,
    graph: Option<&PackageGraph>,
    channel: Option<&ChannelName>,
    installed: Option<&Installed>,
) -> Statement {
    let Some(graph) = graph else { return no_package_statement(operator) };
    let channel = channel.map_or("", |channel| channel.as_str());
    answer_statement(&match (installed, &asks.starting_csv) {
        (None, Some(starting)) => graph.resolve_classic_start(channel, starting),
        (installed, _) => graph.resolve_classic(channel, installed),
    })
}

/// Returns the cluster's statement on the next upgrade of a Subscription: `currentCSV`, which is
/// installed or comes next, or the error of the resolution.
fn subscription_statement(operator: &Operator, asks: &SubscriptionRequest) -> Statement {
    let failed = operator.condition(ConditionKind::ResolutionFailed).filter(|condition| condition.holds());
    let installed = operator.installed.as_ref().map(|installed| &installed.name);
    match (failed, &asks.current) {
        (Some(failed), _) => Statement::Error(failed.describe_condition()),
        (None, Some(current)) if Some(current) == installed => Statement::Stays,
        (None, Some(current)) => Statement::To(current.clone()),
        (None, None) => Statement::Nothing,
    }
}

/// Returns olmap's statement on the next upgrade of a `ClusterExtension`.
fn extension_statement(
    operator: &Operator,
    graph: Option<&PackageGraph>,
    query: &Query,
    installed: Option<&Installed>,
) -> Statement {
    let Some(graph) = graph else { return no_package_statement(operator) };
    let answer = graph.resolve_v1(query, installed);
    let blockers = answer
        .pick
        .as_ref()
        .map(|pick| install_blockers::v1_pick_blockers(&graph.package, pick, installed, &query.channels));
    match blockers.as_deref().and_then(|blockers| blockers.first()) {
        Some(blocker) => Statement::Error(format!("OLM v1 refuses it: {}", blocker.kind.brief())),
        None => answer_statement(&answer),
    }
}

/// Returns olmap's statement on the next upgrade of a `ClusterExtension` over all catalogs of the cluster.
fn catalogs_statement(answer: &ClusterAnswer) -> Statement {
    match (&answer.error, &answer.pick) {
        // The content of a selected catalog is not known.
        (Some(ClusterError::CatalogNotGiven(_)), _) => Statement::Nothing,
        (Some(_), _) if answer.stays => Statement::Stays,
        (Some(error), _) => Statement::Error(error.to_string()),
        (None, Some(pick)) => match answer.blocked.first() {
            Some(blocker) => Statement::Error(format!("OLM v1 refuses it: {}", blocker.kind.brief())),
            None if answer.installed.as_ref().is_some_and(|own| own.name == *pick.bundle_name()) => {
                Statement::Stays
            }
            None => Statement::To(pick.bundle_name().clone()),
        },
        (None, None) => Statement::Nothing,
    }
}

/// Returns the cluster's statement on the next upgrade of a `ClusterExtension`.
fn extension_status_statement(operator: &Operator) -> Statement {
    match operator.condition(ConditionKind::Progressing) {
        Some(condition) if is_retrying(condition) || condition.status == Status::False => {
            Statement::Error(condition.describe_condition())
        }
        Some(condition) if condition.reason == "Succeeded" => Statement::Stays,
        _ => Statement::Nothing,
    }
}

/// Compares the deprecations of a Subscription. A Subscription has conditions only for active
/// deprecations, so a missing condition means false.
fn subscription_deprecations(
    operator: &Operator,
    asks: &SubscriptionRequest,
    graph: Option<&PackageGraph>,
    channel: Option<&ChannelName>,
) -> Vec<ComparedStatements> {
    let Some(graph) = graph else { return Vec::new() };
    let package = &graph.package;
    let target = |target: DeprecationTarget| package.deprecation(&target);
    let installed = operator.installed.as_ref().map(|installed| &installed.name);
    let mut bundles = installed.into_iter().chain(&asks.current);
    let all = [
        (Topic::PackageDeprecated, ConditionKind::PackageDeprecated, target(DeprecationTarget::Package)),
        (
            Topic::ChannelDeprecated,
            ConditionKind::ChannelDeprecated,
            channel.and_then(|channel| package.channel_deprecation(channel)),
        ),
        (
            Topic::BundleDeprecated,
            ConditionKind::BundleDeprecated,
            bundles.find_map(|name| package.bundle_deprecation(name)),
        ),
    ];
    let point =
        |(topic, kind, deprecation): (Topic, ConditionKind, Option<&olm_catalog::blob::Deprecation>)| {
            let cluster = match operator.condition(kind).filter(|condition| condition.holds()) {
                Some(condition) => Statement::Yes(condition.message.clone()),
                None => Statement::No,
            };
            let expected = match deprecation {
                Some(deprecation) => Statement::Yes(deprecation.message.value.clone()),
                None => Statement::No,
            };
            (cluster != Statement::No || expected != Statement::No)
                .then(|| ComparedStatements::new(topic, cluster, expected))
        };
    all.into_iter().filter_map(point).collect()
}

/// Compares the deprecations of a `ClusterExtension` with the conditions that OLM v1 would set.
fn extension_deprecations(
    operator: &Operator,
    query: &Query,
    graph: Option<&PackageGraph>,
) -> Vec<ComparedStatements> {
    let Some(graph) = graph else { return Vec::new() };
    let installed = operator.installed.as_ref().map(|installed| &installed.name);
    let mut points = Vec::new();
    for expected in extension_conditions(&graph.package, &query.channels, installed) {
        let (topic, kind) = match expected.kind {
            deprecations::ConditionKind::Deprecated => continue,
            deprecations::ConditionKind::Package => {
                (Topic::PackageDeprecated, ConditionKind::PackageDeprecated)
            }
            deprecations::ConditionKind::Channel => {
                (Topic::ChannelDeprecated, ConditionKind::ChannelDeprecated)
            }
            deprecations::ConditionKind::Bundle => (Topic::BundleDeprecated, ConditionKind::BundleDeprecated),
        };
        let cluster = operator
            .condition(kind)
            .map_or(Statement::Nothing, |known| condition_statement(known.status, &known.message));
        let expected = condition_statement(expected.status, &expected.message);
        if matches!(cluster, Statement::Yes(_)) || matches!(expected, Statement::Yes(_)) {
            points.push(ComparedStatements::new(topic, cluster, expected));
        }
    }
    points
}

fn condition_statement(status: Status, message: &str) -> Statement {
    match status {
        Status::True => Statement::Yes(message.to_owned()),
        Status::False => Statement::No,
        Status::Unknown => Statement::Nothing,
    }
}

/// Compares whether the installed bundle blocks the next OpenShift minor version.
fn compare_minor_update(
    cluster: &Cluster,
    operator: &Operator,
    graph: Option<&PackageGraph>,
) -> Option<ComparedStatements> {
    let installed = operator.installed.as_ref()?;
    let next = cluster.openshift()?.next_minor();
    let limit = openshift_limit_of(installed, operator.engine(), graph)?;
    let expected = match &limit {
        limit if !limit.blocks(next) => Statement::No,
        OpenShiftLimit::UpTo(max) => Statement::Yes(format!("it runs up to OpenShift {max}")),
        OpenShiftLimit::Unreadable(why) => {
            Statement::Yes(format!("olm.maxOpenShiftVersion cannot be read: {why}"))
        }
        OpenShiftLimit::None => Statement::No,
    };
    let upgradeable = cluster.version.as_ref()?.upgradeable.as_ref();
    let cluster_statement = match upgradeable {
        Some(condition) if condition.status == Status::True => Statement::No,
        // The condition names everything that blocks the update.
        Some(condition) if condition.status == Status::False => {
            let names_it = mentions_name(&condition.message, installed.name.as_str());
            if names_it { Statement::Yes(condition.reason.clone()) } else { Statement::No }
        }
        _ => Statement::Nothing,
    };
    let matters = matches!(cluster_statement, Statement::Yes(_)) || matches!(expected, Statement::Yes(_));
    matters.then(|| ComparedStatements::new(Topic::MinorUpdate, cluster_statement, expected))
}

/// Returns true if a message contains a name as a word: `tide.v1.0.10` does not contain
/// `tide.v1.0.1`.
pub(super) fn mentions_name(message: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    message.split(|c| !is_part(c)).any(|word| word.trim_end_matches('.') == name)
}

/// Returns the newest supported OpenShift version from the bundle's own properties, else from its
/// catalog. `None` if unknown.
fn openshift_limit_of(
    installed: &InstalledBundle,
    engine: Engine,
    graph: Option<&PackageGraph>,
) -> Option<OpenShiftLimit> {
    if engine == Engine::Classic && !installed.properties.is_empty() {
        return Some(installed.openshift_limit());
    }
    Some(OpenShiftLimit::from_bundle(graph?.package.bundle(installed.name.as_str())?))
}

impl InstalledBundle {
    /// Returns the newest supported OpenShift version from the bundle's own properties.
    pub fn openshift_limit(&self) -> OpenShiftLimit {
        let text = |(_, json): &(String, String)| {
            let node = split::parse_chunk(Format::Json, json.as_bytes()).ok()?;
            Some(node.as_str().map_or_else(|| json.trim().to_owned(), str::to_owned))
        };
        let of_limits = |(kind, _): &&(String, String)| kind == OpenShiftLimit::PROPERTY;
        OpenShiftLimit::from_values(
            &self.properties.iter().filter(of_limits).filter_map(text).collect::<Vec<_>>(),
        )
    }
}

/// Kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Version of OpenShift.
    ClusterVersion,
    /// Classic: request for an operator.
    Subscription,
    /// Classic: an installed bundle.
    ClusterServiceVersion,
    /// Classic: watched namespaces of operators, and their upgrade strategy.
    OperatorGroup,
    /// Classic: a catalog.
    CatalogSource,
    /// Classic: a pending installation.
    InstallPlan,
    /// v1: request for an operator, with its installed bundle.
    ClusterExtension,
    /// v1: a catalog.
    ClusterCatalog,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::ClusterVersion,
        Self::Subscription,
        Self::ClusterServiceVersion,
        Self::OperatorGroup,
        Self::CatalogSource,
        Self::InstallPlan,
        Self::ClusterExtension,
        Self::ClusterCatalog,
    ];

    /// Returns the value of `kind`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClusterVersion => "ClusterVersion",
            Self::Subscription => "Subscription",
            Self::ClusterServiceVersion => "ClusterServiceVersion",
            Self::OperatorGroup => "OperatorGroup",
            Self::CatalogSource => "CatalogSource",
            Self::InstallPlan => "InstallPlan",
            Self::ClusterExtension => "ClusterExtension",
            Self::ClusterCatalog => "ClusterCatalog",
        }
    }

    /// Returns the API group. Other groups have kinds with the same names, such as Knative's `Subscription`.
    pub const fn group(self) -> &'static str {
        match self {
            Self::ClusterVersion => "config.openshift.io",
            Self::ClusterExtension | Self::ClusterCatalog => "olm.operatorframework.io",
            _ => "operators.coreos.com",
        }
    }

    /// Returns the kind of an object.
    pub(super) fn from_type_meta(api_version: &str, kind: &str) -> Option<Self> {
        let (group, _) = api_version.split_once('/')?;
        Self::ALL.into_iter().find(|known| known.as_str() == kind && known.group() == group)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
