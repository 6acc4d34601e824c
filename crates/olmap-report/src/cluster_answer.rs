//! Answers of OLM v1 over the catalogs of a cluster, as rows for programs and as text for people.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    answer,
    escape::{self, wrap},
    omissions,
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::{ChannelName, PackageName};
use olm_check::review::deprecations::{ConditionKind, Status, extension_conditions};
use olm_upgrade::Engine;
use olm_upgrade::cluster::{
    CatalogOutcome, ClusterAnswer, ClusterCatalogs, ClusterError, ClusterNote, ClusterPackage, ClusterQuery,
    ConsideredCatalog, InstalledMetadata,
};
use olm_upgrade::install_blockers::InstallBlocker;

/// Query about one package, with the data for its answer.
#[derive(Clone, Copy, Debug)]
pub struct AskedCluster<'a> {
    /// Catalogs of the cluster.
    pub catalogs: &'a ClusterCatalogs,
    /// The package in each of them.
    pub package: &'a ClusterPackage,
    /// The query.
    pub query: &'a ClusterQuery,
}

/// Answer as `olmap successors --catalog ... -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct ClusterRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    package: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installed: Option<InstalledRow>,
    engine: &'static str,
    pick: Option<String>,
    version: Option<String>,
    catalog: Option<String>,
    error: Option<ErrorRow>,
    stays: bool,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<DeprecationRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked: Vec<RemarkRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<RemarkRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalogs: Option<Vec<CatalogRow>>,
}

#[derive(Debug, Serialize)]
struct InstalledRow {
    name: String,
    version: String,
}

/// Error of OLM v1.
#[derive(Debug, Serialize)]
pub(super) struct ErrorRow {
    kind: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalogs: Option<Vec<String>>,
}

/// Messages of the conditions of a `ClusterExtension` about deprecations.
#[derive(Debug, Default, PartialEq, Serialize)]
struct DeprecationRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
}

impl ErrorRow {
    pub(super) fn from_error(error: &ClusterError) -> Self {
        let catalogs = error.catalogs().map(<[String]>::to_vec);
        Self { kind: error.kind(), text: error.to_string(), catalogs }
    }
}

/// Obstacle or note.
#[derive(Debug, Serialize)]
pub(super) struct RemarkRow {
    kind: &'static str,
    text: String,
}

impl RemarkRow {
    pub(super) fn from_blocker(blocker: &InstallBlocker) -> Self {
        Self { kind: blocker.kind.as_str(), text: blocker.text.clone() }
    }

    pub(super) fn from_note(note: &ClusterNote) -> Self {
        Self { kind: note.kind(), text: note.to_string() }
    }
}

#[derive(Debug, Serialize)]
struct CatalogRow {
    name: String,
    priority: i32,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pick: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    why: String,
}

impl ClusterRow {
    /// Returns the row of an answer, with every catalog if `explain` is set.
    pub fn from_answer(asked: AskedCluster<'_>, answer: &ClusterAnswer, explain: bool) -> Self {
        let ClusterQuery { query, selector } = asked.query;
        let pick = answer.pick.as_ref();
        let notes = answer.find_notes();
        Self {
            object: None,
            package: asked.package.package.to_string(),
            channels: query.channels.iter().map(ToString::to_string).collect(),
            range: Some(query.version.clone()).filter(|range| !range.is_empty()),
            selector: (!selector.selects_all()).then(|| selector.to_string()),
            installed: answer.installed.as_ref().map(|installed| InstalledRow {
                name: installed.name.to_string(),
                version: installed.version.clone(),
            }),
            engine: "v1",
            pick: pick.map(|pick| pick.bundle_name().to_string()),
            version: pick.and_then(|pick| pick.version_text().map(str::to_owned)),
            catalog: pick.map(|pick| pick.catalog.name.clone()),
            error: answer.error.as_ref().map(ErrorRow::from_error),
            stays: answer.stays,
            reason: answer.reason(),
            deprecation: deprecation_row(asked, answer, &query.channels),
            blocked: answer.blocked.iter().map(RemarkRow::from_blocker).collect(),
            notes: notes.iter().map(RemarkRow::from_note).collect(),
            catalogs: explain.then(|| {
                answer.considered.iter().map(|considered| catalog_row(asked.catalogs, considered)).collect()
            }),
        }
    }

    /// Adds the name of the custom resource that the query comes from.
    #[must_use]
    pub fn with_object(mut self, object: &str) -> Self {
        self.object = Some(object.to_owned());
        self
    }
}

/// Returns the deprecations that the `ClusterExtension` reports once the pick is installed; `None` if there are
/// none.
fn deprecation_row(
    asked: AskedCluster<'_>,
    answer: &ClusterAnswer,
    channels: &[ChannelName],
) -> Option<DeprecationRow> {
    let pick = answer.pick.as_ref()?;
    let graph = asked.package.graph(&pick.catalog.name)?;
    let mut row = DeprecationRow::default();
    for condition in extension_conditions(&graph.package, channels, Some(pick.bundle_name())) {
        let message = (condition.status == Status::True).then_some(condition.message);
        match condition.kind {
            ConditionKind::Deprecated => {}
            ConditionKind::Package => row.package = message,
            ConditionKind::Channel => row.channel = message,
            ConditionKind::Bundle => row.bundle = message,
        }
    }
    (row != DeprecationRow::default()).then_some(row)
}

fn catalog_row(catalogs: &ClusterCatalogs, considered: &ConsideredCatalog) -> CatalogRow {
    let candidate = considered.outcome.candidate();
    CatalogRow {
        name: considered.catalog.name.clone(),
        priority: considered.catalog.priority,
        outcome: considered.outcome.json_word(),
        pick: candidate.map(|candidate| candidate.bundle_name().to_string()),
        version: candidate.and_then(|candidate| candidate.version_text().map(str::to_owned)),
        why: explain_outcome(catalogs, considered),
    }
}

/// Returns the reason for the outcome of a catalog, with the location of a problem.
pub(super) fn explain_outcome(catalogs: &ClusterCatalogs, considered: &ConsideredCatalog) -> String {
    let CatalogOutcome::NotServed(failure) = &considered.outcome else {
        return considered.outcome.to_string();
    };
    let member = catalogs.find_member(&considered.catalog.name);
    let content = member.and_then(|member| member.content.as_ref());
    let Some(content) = content else { return considered.outcome.to_string() };
    let line = omissions::format_problem_line(&content.catalog, &failure.problem);
    let part = if failure.is_whole_catalog { "nothing of it" } else { "not the package" };
    format!("the cluster serves {part}: {line}")
}

/// Renders an answer as text: outcome, reason, obstacles and notes. With `explain`, adds every catalog, and every
/// candidate of the catalog with the pick.
pub fn render_cluster_answer(
    asked: AskedCluster<'_>,
    answer: &ClusterAnswer,
    explain: bool,
    style: &Style,
) -> String {
    let mut out = format!(
        "{}: {}\n",
        style.paint(Ink::Bold, &describe_query(asked.query)),
        describe_outcome(answer, style)
    );
    if answer.error.is_none() {
        out.push_str(&wrap::wrap_sentence(&answer.reason(), "    ", style.width));
    }
    let mut push_remark = |label: &str, ink, text: &str| {
        let first = format!("    {}: ", style.paint(ink, label));
        let text = wrap::wrap_hanging(text, "", "    ", style.width.saturating_sub(label.len() + 6));
        let _ = write!(out, "{first}{text}");
    };
    if answer.stays {
        push_remark(
            "note",
            Ink::Bold,
            "no catalog matches the selector, so the installed bundle stays without an error",
        );
    }
    for considered in &answer.considered {
        if matches!(considered.outcome, CatalogOutcome::NotServed(_)) && !explain {
            push_remark(&considered.catalog.name, Ink::Warning, &explain_outcome(asked.catalogs, considered));
        }
    }
    for blocked in &answer.blocked {
        push_remark("blocked", Ink::Warning, &blocked.text);
    }
    if answer.is_downgrade() {
        push_remark("warning", Ink::Warning, Engine::DOWNGRADE_RISK);
    }
    for note in answer.find_notes() {
        push_remark("note", Ink::Warning, &note.to_string());
    }
    if explain && !answer.considered.is_empty() {
        out.push('\n');
        out.push_str(&render_catalogs(asked.catalogs, answer, style));
        if let Some(graph) = answer.pick.as_ref().and_then(|pick| asked.package.graph(&pick.catalog.name)) {
            let installed = answer.installed.as_ref().map(InstalledMetadata::to_installed);
            let own = graph.resolve_v1(&asked.query.query, installed.as_ref());
            out.push('\n');
            out.push_str(&answer::render_candidates(&own, style));
        }
    }
    out
}

/// Renders the upgrades of every installed bundle as a table.
pub fn render_cluster_table(
    package: &PackageName,
    query: &ClusterQuery,
    answers: &[ClusterAnswer],
    style: &Style,
) -> String {
    let mut table = Table::new(&["INSTALLED", "V1", "CATALOG", "NOTE"]).wrap_last_column();
    for answer in answers {
        let installed = answer.installed.as_ref().map_or("(nothing)", |installed| installed.name.as_str());
        let pick = answer.pick.as_ref();
        let next = match (&answer.error, pick) {
            (Some(_), _) => Cell::with_ink(Ink::Error, "error"),
            (None, Some(pick)) if pick.bundle_name().as_str() == installed => {
                Cell::with_ink(Ink::Dim, "stays")
            }
            (None, Some(pick)) => Cell::with_ink(Ink::Good, pick.bundle_name().as_str()),
            (None, None) => Cell::new(""),
        };
        let mut notes: Vec<String> = answer.error.iter().map(ToString::to_string).collect();
        notes.extend(answer.blocked.iter().map(|blocked| format!("blocked: {blocked}")));
        notes.extend(answer.find_notes().iter().map(ToString::to_string));
        table.push_row([
            Cell::new(installed),
            next,
            Cell::new(pick.map_or("", |pick| pick.catalog.name.as_str())),
            Cell::with_ink(Ink::Dim, &notes.join("; ")),
        ]);
    }
    let heading = escape::escape_line(&describe_query(query)).into_owned();
    format!("{}  {heading}\n\n{}", style.paint(Ink::Bold, package.as_str()), table.render(style))
}

/// Describes the query: `v1, all channels, version >=1.2, catalogs with tier=gold`.
pub(super) fn describe_query(query: &ClusterQuery) -> String {
    let selector = &query.selector;
    let catalogs = if selector.selects_all() { String::new() } else { format!(", catalogs with {selector}") };
    format!("v1, {}{catalogs}", query.query)
}

fn describe_outcome(answer: &ClusterAnswer, style: &Style) -> String {
    if let Some(error) = &answer.error {
        let text = escape::escape_line(&error.to_string()).into_owned();
        return match &answer.pick {
            Some(pick) => format!(
                "{}: picks {} from {}: {text}",
                style.paint(Ink::Error, "error"),
                style.paint(Ink::Bold, pick.bundle_name().as_str()),
                pick.catalog.name
            ),
            None => format!("{}: {text}", style.paint(Ink::Error, "error")),
        };
    }
    let Some(pick) = &answer.pick else { return String::new() };
    let is_installed = answer.installed.as_ref().is_some_and(|own| own.name == *pick.bundle_name());
    let (verb, ink) = match &answer.installed {
        None => ("installs", Ink::Good),
        Some(_) if is_installed => ("stays on", Ink::Bold),
        Some(_) if answer.is_downgrade() => (Engine::V1.downgrade_verb(), Ink::Error),
        Some(_) => ("upgrades to", Ink::Good),
    };
    format!("{verb} {} from {}", style.paint(ink, pick.bundle_name().as_str()), pick.catalog.name)
}

fn render_catalogs(catalogs: &ClusterCatalogs, answer: &ClusterAnswer, style: &Style) -> String {
    let mut table = Table::new(&["", "CATALOG", "PRIORITY", "BUNDLE", "WHY"]).wrap_last_column();
    for considered in &answer.considered {
        let ink = match &considered.outcome {
            CatalogOutcome::Picked(_) => Ink::Good,
            CatalogOutcome::NotServed(_) | CatalogOutcome::Ambiguous(_) => Ink::Error,
            _ => Ink::Dim,
        };
        let bundle = considered.outcome.candidate().map_or("", |candidate| candidate.bundle_name().as_str());
        table.push_row([
            Cell::with_ink(ink, &format!("    {}", considered.outcome.json_word())),
            Cell::new(&considered.catalog.name),
            Cell::new(&considered.catalog.priority.to_string()),
            Cell::new(bundle),
            Cell::with_ink(ink, &explain_outcome(catalogs, considered)),
        ]);
    }
    table.render(style)
}
