//! Installed operators of a cluster and deviations from the catalog, for people, programs and pull
//! requests.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    markdown::{MAX_BYTES, cut, quote},
    plain::wrap,
    style::{Ink, Style},
    table::{Cell, Table},
};
use crate::{
    catalog::package::version_in_name,
    plan::cluster::{Asks, Cluster, Condition, Kind, Looked, Operator, Point, Report, Said},
    review::deprecations::Status,
    upgrade::v1::Policy,
};

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
    asks: AsksRow<'a>,
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
enum AsksRow<'a> {
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
    cluster: SaidRow<'a>,
    expected: SaidRow<'a>,
    differs: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum SaidRow<'a> {
    Nothing,
    To(&'a str),
    Stays,
    Error(&'a str),
    Yes(&'a str),
    No,
}

impl<'a> SaidRow<'a> {
    fn of(said: &'a Said) -> Self {
        match said {
            Said::Nothing => Self::Nothing,
            Said::To(name) => Self::To(name.as_str()),
            Said::Stays => Self::Stays,
            Said::Error(words) => Self::Error(words),
            Said::Yes(words) => Self::Yes(words),
            Said::No => Self::No,
        }
    }
}

impl<'a> ConditionRow<'a> {
    fn of(condition: &'a Condition) -> Self {
        Self {
            r#type: condition.kind.as_str(),
            status: condition.status.as_str(),
            reason: &condition.reason,
            message: &condition.message,
        }
    }
}

impl<'a> OperatorRow<'a> {
    fn of(looked: &'a Looked<'_>) -> Self {
        let operator = looked.operator;
        let asks = match &operator.asks {
            Asks::Subscription(asks) => AsksRow::Subscription {
                source: &asks.source.name,
                source_namespace: &asks.source.namespace,
                approval: asks.approval.as_str(),
                starting_csv: asks.starting_csv.as_ref().map(AsRef::as_ref),
                current_csv: asks.current.as_ref().map(AsRef::as_ref),
                state: &asks.state,
                waits_for: asks.waits_for.as_deref(),
            },
            Asks::Extension { query, .. } => {
                AsksRow::Extension { version: &query.version, policy: query.policy.as_str() }
            }
            Asks::Nothing => AsksRow::Nothing {},
        };
        let point = |point: &'a Point| PointRow {
            topic: point.topic.as_str(),
            cluster: SaidRow::of(&point.cluster),
            expected: SaidRow::of(&point.expected),
            differs: point.differs(),
            why: point.why,
        };
        Self {
            package: operator.package.as_ref().map(AsRef::as_ref),
            engine: operator.engine().as_str(),
            object: operator.object(),
            namespace: &operator.namespace,
            name: &operator.name,
            channels: operator.channels().iter().map(AsRef::as_ref).collect(),
            installed: operator.installed.as_ref().map(|installed| InstalledRow {
                name: installed.name.as_str(),
                version: installed.version.as_ref().map(ToString::to_string),
                phase: &installed.phase,
            }),
            asks,
            conditions: operator.conditions.iter().map(ConditionRow::of).collect(),
            place: operator.place.to_string(),
            troubles: &looked.troubles,
            compared_with: looked.catalog.as_deref(),
            compared: looked.points.iter().map(point).collect(),
        }
    }
}

impl<'a> Row<'a> {
    /// Returns the row of a cluster.
    pub fn of(report: &'a Report<'_>) -> Self {
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
            upgradeable: version.and_then(|v| v.upgradeable.as_ref()).map(ConditionRow::of),
            operators: report.operators.iter().map(OperatorRow::of).collect(),
            catalogs: classic.chain(v1).collect(),
            notes: cluster.notes.iter().map(ToString::to_string).collect(),
            missing: missing(cluster).map(Kind::as_str).collect(),
        }
    }
}

/// Returns the kinds of objects that are missing from the files.
fn missing(cluster: &Cluster) -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| !cluster.kinds.contains(kind))
}

/// Describes the version of the cluster in a sentence.
fn heading(cluster: &Cluster) -> String {
    let Some(version) = &cluster.version else {
        return "The files do not say the OpenShift version.".to_owned();
    };
    let channel = version.channel.as_ref().map(|channel| format!(", channel {channel}")).unwrap_or_default();
    let update =
        version.updating_to.as_ref().map(|to| format!(", being updated to {to}")).unwrap_or_default();
    format!("OpenShift {}{channel}{update}", version.version)
}

/// Returns the reason the cluster gives for blocking its next minor version.
fn not_upgradeable(cluster: &Cluster) -> Option<String> {
    let condition = cluster.version.as_ref()?.upgradeable.as_ref()?;
    (condition.status == Status::False).then(|| format!("not upgradeable: {}", condition.words()))
}

/// Returns the version in the name of a bundle, or the name if it has none.
fn short(bundle: &str) -> &str {
    version_in_name(bundle).unwrap_or(bundle)
}

/// Returns the installed version.
fn installed(operator: &Operator) -> String {
    match &operator.installed {
        Some(installed) => match &installed.version {
            Some(version) => version.to_string(),
            None => short(installed.name.as_str()).to_owned(),
        },
        None => "-".to_owned(),
    }
}

/// Describes the request: a channel, or the fields of a `ClusterExtension`.
fn asked(operator: &Operator) -> String {
    let mut words = operator.channels().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
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
fn state(operator: &Operator) -> String {
    let installed = operator.installed.as_ref();
    let phase = installed.map_or("", |installed| installed.phase.as_str());
    let mut words = Vec::new();
    if let Asks::Nothing = operator.asks {
        words.push("no Subscription".to_owned());
    }
    if let Some(asks) = operator.subscription()
        && let Some(next) =
            asks.current.as_ref().filter(|next| installed.is_none_or(|own| own.name != **next))
    {
        words.push(format!("to {}", short(next.as_str())));
        words.extend(asks.waits_for.is_some().then(|| "waits for approval".to_owned()));
    }
    if !matches!(phase, "" | "Succeeded") {
        words.push(phase.to_owned());
    }
    words.join(", ")
}

fn engine(operator: &Operator) -> &'static str {
    match operator.engine() {
        crate::upgrade::Engine::Classic => "Classic",
        crate::upgrade::Engine::V1 => "v1",
    }
}

fn package(operator: &Operator) -> &str {
    operator.package.as_ref().map_or(operator.name.as_str(), AsRef::as_ref)
}

/// Renders a table, followed by the problems and the differences between cluster and catalog.
pub fn text(report: &Report<'_>, style: &Style) -> String {
    let cluster = report.cluster;
    let mut out = format!("{}\n", style.paint(Ink::Bold, &heading(cluster)));
    if let Some(words) = not_upgradeable(cluster) {
        out.push_str(&wrap::hanging(&words, "  ", "    ", style.width));
    }
    out.push('\n');
    let mut table = Table::new(&["PACKAGE", "NAMESPACE", "OLM", "ASKS FOR", "INSTALLED", "STATE"]).folding();
    for looked in &report.operators {
        let operator = looked.operator;
        let ink = if looked.is_finding() { Ink::Warning } else { Ink::Bold };
        table.row([
            Cell::painted(ink, package(operator)),
            Cell::new(if operator.namespace.is_empty() { "-" } else { &operator.namespace }),
            Cell::new(engine(operator)),
            Cell::new(&asked(operator)),
            Cell::new(&installed(operator)),
            Cell::new(&state(operator)),
        ]);
    }
    out.push_str(&if table.is_empty() { "No operators.\n".to_owned() } else { table.render(style) });
    for looked in report.operators.iter().filter(|looked| looked.is_finding()) {
        let title = format!("{} ({})", package(looked.operator), looked.operator.object());
        let _ = writeln!(out, "\n{}", style.paint(Ink::Bold, &title));
        for trouble in &looked.troubles {
            let _ = write!(out, "  {} ", style.paint(Ink::Error, "-"));
            out.push_str(&wrap::hanging(trouble, "", "    ", style.width.saturating_sub(4)));
        }
        for point in looked.differing() {
            let _ = writeln!(out, "  {} {}", style.paint(Ink::Warning, "differs:"), point.topic.title());
            let line = |who: &str, said: &Said| {
                wrap::hanging(&format!("{who} {}", said.words()), "    ", "              ", style.width)
            };
            out.push_str(&line("cluster: ", &point.cluster));
            out.push_str(&line("expected:", &point.expected));
            if let Some(why) = point.why {
                out.push_str(&wrap::wrapped(&format!("({why})"), "    ", style.width));
            }
        }
    }
    if !cluster.notes.is_empty() {
        let _ = writeln!(out, "\n{}", style.paint(Ink::Warning, "not read"));
        for note in &cluster.notes {
            out.push_str(&wrap::hanging(&note.to_string(), "  ", "    ", style.width));
        }
    }
    out.push('\n');
    out.push_str(&wrap::wrapped(&summary(report), "", style.width));
    out
}

/// Returns the totals and the parts that were not checked.
fn summary(report: &Report<'_>) -> String {
    let all = report.operators.len();
    let troubled = report.operators.iter().filter(|looked| !looked.troubles.is_empty()).count();
    let differing = report.operators.iter().filter(|looked| looked.differing().next().is_some()).count();
    let mut out = format!("{all} operator{}, {troubled} in trouble", if all == 1 { "" } else { "s" });
    if report.operators.iter().any(|looked| looked.catalog.is_some()) {
        let _ = write!(out, ", {differing} not as expected");
    } else {
        out.push_str("; with --catalog: what olmap expects of each");
    }
    out.push('.');
    if report.of_another_version
        && let Some(version) = report.cluster.openshift()
    {
        let _ = write!(out, " No catalog given is for OpenShift {version}.");
    }
    let missing: Vec<&str> = missing(report.cluster).map(Kind::as_str).collect();
    if !missing.is_empty() {
        let _ = write!(out, " The files have no {}.", missing.join(", "));
    }
    out
}

/// Renders a comment on a pull request.
pub fn comment(report: &Report<'_>) -> String {
    let mut out = format!("{}. {}\n", quote(&heading(report.cluster)), quote(&summary(report)));
    if let Some(words) = not_upgradeable(report.cluster) {
        let _ = writeln!(out, "\n{}", quote(&cut(&words, MAX_CELL)));
    }
    if !report.operators.is_empty() {
        out.push_str(
            "\n| package | object | channel | installed | what to look at |\n|---|---|---|---|---|\n",
        );
    }
    let mut left = 0;
    for looked in &report.operators {
        let operator = looked.operator;
        let differing = looked.differing().map(|point| {
            let (cluster, expected) = (point.cluster.words(), point.expected.words());
            format!("{}: cluster: {cluster}; expected: {expected}", point.topic.title())
        });
        let look: Vec<String> = looked.troubles.iter().cloned().chain(differing).collect();
        let look: Vec<String> = look.iter().map(|words| quote(&cut(words, MAX_CELL))).collect();
        let row = format!(
            "| {} | {} | {} | {} | {} |\n",
            quote(package(operator)),
            quote(&operator.object()),
            quote(&asked(operator)),
            quote(&installed(operator)),
            look.join("<br>"),
        );
        if out.len() + row.len() > MAX_BYTES {
            left += 1;
        } else {
            out.push_str(&row);
        }
    }
    if left > 0 {
        let _ = writeln!(out, "\nAnd {left} more: `olmap cluster` shows them all.");
    }
    out
}
