//! Installed operators of a cluster and deviations from the catalog, for people, programs and pull
//! requests.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    escape::wrap,
    markdown::{Comment, escape_markdown, truncate_characters},
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::package::version_in_name;
use olm_check::review::deprecations::Status;
use olm_plan::cluster::{
    Cluster, ComparedStatements, Condition, Kind, Operator, OperatorReport, OperatorRequest, Report,
    Statement,
};
use olm_upgrade::v1::Policy;

/// Maximum length of a cell in characters, before quoting.
const MAX_CELL: usize = 400;

/// Cluster as `olmap cluster -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    openshift: Option<String>,
    version: Option<&'a str>,
    updating_to: Option<&'a str>,
    channel: Option<&'a str>,
    upgradeable: Option<ConditionRow<'a>>,
    operators: Vec<OperatorRow<'a>>,
    catalogs: Vec<CatalogRow<'a>>,
    notes: Vec<String>,
    missing: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct ConditionRow<'a> {
    r#type: &'static str,
    status: &'static str,
    reason: &'a str,
    message: &'a str,
}

#[derive(Debug, Serialize)]
struct OperatorRow<'a> {
    package: Option<&'a str>,
    engine: &'static str,
    object: String,
    namespace: &'a str,
    name: &'a str,
    channels: Vec<&'a str>,
    installed: Option<InstalledRow<'a>>,
    #[serde(flatten)]
    asks: RequestRow<'a>,
    conditions: Vec<ConditionRow<'a>>,
    place: String,
    troubles: &'a [String],
    compared_with: Option<&'a str>,
    compared: Vec<PointRow<'a>>,
}

#[derive(Debug, Serialize)]
struct InstalledRow<'a> {
    name: &'a str,
    version: Option<String>,
    phase: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum RequestRow<'a> {
    Subscription {
        source: &'a str,
        source_namespace: &'a str,
        approval: &'static str,
        starting_csv: Option<&'a str>,
        current_csv: Option<&'a str>,
        state: &'a str,
        waits_for: Option<&'a str>,
    },
    Extension {
        version: &'a str,
        policy: &'static str,
    },
    Nothing {},
}

#[derive(Debug, Serialize)]
struct CatalogRow<'a> {
    kind: &'static str,
    namespace: Option<&'a str>,
    name: &'a str,
    image: Option<&'a str>,
    priority: i64,
}

#[derive(Debug, Serialize)]
struct PointRow<'a> {
    topic: &'static str,
    cluster: StatementRow<'a>,
    expected: StatementRow<'a>,
    differs: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum StatementRow<'a> {
    Nothing,
    To(&'a str),
    Stays,
    Error(&'a str),
    Yes(&'a str),
    No,
}

impl<'a> StatementRow<'a> {
    fn from_statement(said: &'a Statement) -> Self {
        match said {
            Statement::Nothing => Self::Nothing,
            Statement::To(name) => Self::To(name.as_str()),
            Statement::Stays => Self::Stays,
            Statement::Error(words) => Self::Error(words),
            Statement::Yes(words) => Self::Yes(words),
            Statement::No => Self::No,
        }
    }
}

impl<'a> ConditionRow<'a> {
    fn from_condition(condition: &'a Condition) -> Self {
        Self {
            r#type: condition.kind.as_str(),
            status: condition.status.as_str(),
            reason: &condition.reason,
            message: &condition.message,
        }
    }
}

impl<'a> OperatorRow<'a> {
    fn from_checked_operator(looked: &'a OperatorReport<'_>) -> Self {
        let operator = looked.operator;
        let asks = match &operator.request {
            OperatorRequest::Subscription(asks) => RequestRow::Subscription {
                source: &asks.source.name,
                source_namespace: &asks.source.namespace,
                approval: asks.approval.as_str(),
                starting_csv: asks.starting_csv.as_ref().map(AsRef::as_ref),
                current_csv: asks.current.as_ref().map(AsRef::as_ref),
                state: &asks.state,
                waits_for: asks.waits_for.as_deref(),
            },
            OperatorRequest::Extension { query, .. } => {
                RequestRow::Extension { version: &query.version, policy: query.policy.as_str() }
            }
            OperatorRequest::Nothing => RequestRow::Nothing {},
        };
        let point = |point: &'a ComparedStatements| PointRow {
            topic: point.topic.as_str(),
            cluster: StatementRow::from_statement(&point.cluster),
            expected: StatementRow::from_statement(&point.expected),
            differs: point.differs(),
            why: point.reason,
        };
        Self {
            package: operator.package.as_ref().map(AsRef::as_ref),
            engine: operator.engine().as_str(),
            object: operator.request_label(),
            namespace: &operator.namespace,
            name: &operator.name,
            channels: operator.requested_channels().iter().map(AsRef::as_ref).collect(),
            installed: operator.installed.as_ref().map(|installed| InstalledRow {
                name: installed.name.as_str(),
                version: installed.version.as_ref().map(ToString::to_string),
                phase: &installed.phase,
            }),
            asks,
            conditions: operator.conditions.iter().map(ConditionRow::from_condition).collect(),
            place: operator.place.to_string(),
            troubles: &looked.problems,
            compared_with: looked.catalog.as_deref(),
            compared: looked.points.iter().map(point).collect(),
        }
    }
}

impl<'a> Row<'a> {
    /// Returns the row of a cluster.
    pub fn from_cluster_report(report: &'a Report<'_>) -> Self {
        let cluster = report.cluster;
        let version = cluster.version.as_ref();
        let classic = cluster.catalogs.iter().map(|catalog| CatalogRow {
            kind: Kind::CatalogSource.as_str(),
            namespace: Some(&catalog.key.namespace),
            name: &catalog.key.name,
            image: catalog.image.as_deref(),
            priority: catalog.priority,
        });
        let v1 = cluster.extension_catalogs.iter().map(|catalog| CatalogRow {
            kind: Kind::ClusterCatalog.as_str(),
            namespace: None,
            name: &catalog.name,
            image: catalog.image.as_deref(),
            priority: catalog.priority,
        });
        Self {
            openshift: cluster.openshift().map(|version| version.to_string()),
            version: version.map(|version| version.version.as_str()),
            updating_to: version.and_then(|version| version.updating_to.as_deref()),
            channel: version.and_then(|version| version.channel.as_deref()),
            upgradeable: version.and_then(|v| v.upgradeable.as_ref()).map(ConditionRow::from_condition),
            operators: report.operators.iter().map(OperatorRow::from_checked_operator).collect(),
            catalogs: classic.chain(v1).collect(),
            notes: cluster.notes.iter().map(ToString::to_string).collect(),
            missing: missing_kinds(cluster).map(Kind::as_str).collect(),
        }
    }
}

/// Returns the kinds of objects that are missing from the files.
fn missing_kinds(cluster: &Cluster) -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| !cluster.kinds.contains(kind))
}

/// Describes the version of the cluster in a sentence.
fn describe_cluster_version(cluster: &Cluster) -> String {
    let Some(version) = &cluster.version else {
        return "The files do not say the OpenShift version.".to_owned();
    };
    let channel = version.channel.as_ref().map(|channel| format!(", channel {channel}")).unwrap_or_default();
    let update =
        version.updating_to.as_ref().map(|to| format!(", being updated to {to}")).unwrap_or_default();
    format!("OpenShift {}{channel}{update}", version.version)
}

/// Returns the reason the cluster gives for blocking its next minor version.
fn describe_upgrade_block(cluster: &Cluster) -> Option<String> {
    let condition = cluster.version.as_ref()?.upgradeable.as_ref()?;
    (condition.status == Status::False)
        .then(|| format!("not upgradeable: {}", condition.describe_condition()))
}

/// Returns the version in the name of a bundle, or the name if it has none.
fn bundle_version_or_name(bundle: &str) -> &str {
    version_in_name(bundle).unwrap_or(bundle)
}

/// Returns the installed version.
fn describe_installed_version(operator: &Operator) -> String {
    match &operator.installed {
        Some(installed) => match &installed.version {
            Some(version) => version.to_string(),
            None => bundle_version_or_name(installed.name.as_str()).to_owned(),
        },
        None => "-".to_owned(),
    }
}

/// Describes the request: a channel, or the fields of a `ClusterExtension`.
fn describe_request(operator: &Operator) -> String {
    let mut words =
        operator.requested_channels().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if let Some(query) = operator.query() {
        if !query.version.is_empty() {
            let _ = write!(words, "{}{}", if words.is_empty() { "" } else { " " }, query.version);
        }
        if query.policy == Policy::SelfCertified {
            let _ = write!(words, "{}SelfCertified", if words.is_empty() { "" } else { " " });
        }
    }
    if words.is_empty() { "-".to_owned() } else { words }
}

/// Describes the next action of the cluster, or the reason for none.
fn describe_operator_state(operator: &Operator) -> String {
    let installed = operator.installed.as_ref();
    let phase = installed.map_or("", |installed| installed.phase.as_str());
    let mut words = Vec::new();
    if let OperatorRequest::Nothing = operator.request {
        words.push("no Subscription".to_owned());
    }
    if let Some(asks) = operator.subscription()
        && let Some(next) =
            asks.current.as_ref().filter(|next| installed.is_none_or(|own| own.name != **next))
    {
        words.push(format!("to {}", bundle_version_or_name(next.as_str())));
        words.extend(asks.waits_for.is_some().then(|| "waits for approval".to_owned()));
    }
    if !matches!(phase, "" | "Succeeded") {
        words.push(phase.to_owned());
    }
    words.join(", ")
}

fn engine_name(operator: &Operator) -> &'static str {
    match operator.engine() {
        olm_upgrade::Engine::Classic => "Classic",
        olm_upgrade::Engine::V1 => "v1",
    }
}

fn package_or_object_name(operator: &Operator) -> &str {
    operator.package.as_ref().map_or(operator.name.as_str(), AsRef::as_ref)
}

/// Renders a table, followed by the problems and the differences between cluster and catalog.
pub fn render_cluster_report(report: &Report<'_>, style: &Style) -> String {
    let cluster = report.cluster;
    let mut out = format!("{}\n", style.paint(Ink::Bold, &describe_cluster_version(cluster)));
    if let Some(words) = describe_upgrade_block(cluster) {
        out.push_str(&wrap::wrap_hanging(&words, "  ", "    ", style.width));
    }
    out.push('\n');
    let mut table =
        Table::new(&["PACKAGE", "NAMESPACE", "OLM", "ASKS FOR", "INSTALLED", "STATE"]).wrap_last_column();
    for looked in &report.operators {
        let operator = looked.operator;
        let ink = if looked.has_findings() { Ink::Warning } else { Ink::Bold };
        table.push_row([
            Cell::with_ink(ink, package_or_object_name(operator)),
            Cell::new(if operator.namespace.is_empty() { "-" } else { &operator.namespace }),
            Cell::new(engine_name(operator)),
            Cell::new(&describe_request(operator)),
            Cell::new(&describe_installed_version(operator)),
            Cell::new(&describe_operator_state(operator)),
        ]);
    }
    out.push_str(&if table.is_empty() { "No operators.\n".to_owned() } else { table.render(style) });
    for looked in report.operators.iter().filter(|looked| looked.has_findings()) {
        let title =
            format!("{} ({})", package_or_object_name(looked.operator), looked.operator.request_label());
        let _ = writeln!(out, "\n{}", style.paint(Ink::Bold, &title));
        for trouble in &looked.problems {
            let _ = write!(out, "  {} ", style.paint(Ink::Error, "-"));
            out.push_str(&wrap::wrap_hanging(trouble, "", "    ", style.width.saturating_sub(4)));
        }
        for point in looked.differences() {
            let _ = writeln!(out, "  {} {}", style.paint(Ink::Warning, "differs:"), point.topic.title());
            let line = |who: &str, said: &Statement| {
                wrap::wrap_hanging(
                    &format!("{who} {}", said.format_statement()),
                    "    ",
                    "              ",
                    style.width,
                )
            };
            out.push_str(&line("cluster: ", &point.cluster));
            out.push_str(&line("expected:", &point.expected));
            if let Some(why) = point.reason {
                out.push_str(&wrap::wrap_sentence(&format!("({why})"), "    ", style.width));
            }
        }
    }
    if !cluster.notes.is_empty() {
        let _ = writeln!(out, "\n{}", style.paint(Ink::Warning, "not read"));
        for note in &cluster.notes {
            out.push_str(&wrap::wrap_hanging(&note.to_string(), "  ", "    ", style.width));
        }
    }
    out.push('\n');
    out.push_str(&wrap::wrap_sentence(&summarize_cluster_report(report), "", style.width));
    out
}

/// Returns the totals and the parts that were not checked.
fn summarize_cluster_report(report: &Report<'_>) -> String {
    let all = report.operators.len();
    let troubled = report.operators.iter().filter(|looked| !looked.problems.is_empty()).count();
    let differing = report.operators.iter().filter(|looked| looked.differences().next().is_some()).count();
    let mut out = format!("{all} operator{}, {troubled} in trouble", if all == 1 { "" } else { "s" });
    if report.operators.iter().any(|looked| looked.catalog.is_some()) {
        let _ = write!(out, ", {differing} not as expected");
    } else {
        out.push_str("; with --catalog: what olmap expects of each");
    }
    out.push('.');
    if report.is_other_version
        && let Some(version) = report.cluster.openshift()
    {
        let _ = write!(out, " No catalog given is for OpenShift {version}.");
    }
    let missing: Vec<&str> = missing_kinds(report.cluster).map(Kind::as_str).collect();
    if !missing.is_empty() {
        let _ = write!(out, " The files have no {}.", missing.join(", "));
    }
    out
}

/// Renders a comment on a pull request.
pub fn render_cluster_comment(report: &Report<'_>) -> String {
    let mut comment = Comment::from(format!(
        "{}. {}\n",
        escape_markdown(&describe_cluster_version(report.cluster)),
        escape_markdown(&summarize_cluster_report(report))
    ));
    if let Some(words) = describe_upgrade_block(report.cluster) {
        let _ = writeln!(comment.text, "\n{}", escape_markdown(&truncate_characters(&words, MAX_CELL)));
    }
    if !report.operators.is_empty() {
        comment.push_table_head(["package", "object", "channel", "installed", "what to look at"]);
    }
    for looked in &report.operators {
        let operator = looked.operator;
        let differing = looked.differences().map(|point| {
            let (cluster, expected) = (point.cluster.format_statement(), point.expected.format_statement());
            format!("{}: cluster: {cluster}; expected: {expected}", point.topic.title())
        });
        let look: Vec<String> = looked.problems.iter().cloned().chain(differing).collect();
        let look: Vec<String> =
            look.iter().map(|words| escape_markdown(&truncate_characters(words, MAX_CELL))).collect();
        comment.push_row(&[
            escape_markdown(package_or_object_name(operator)),
            escape_markdown(&operator.request_label()),
            escape_markdown(&describe_request(operator)),
            escape_markdown(&describe_installed_version(operator)),
            look.join("<br>"),
        ]);
    }
    comment.finish("olmap cluster")
}
