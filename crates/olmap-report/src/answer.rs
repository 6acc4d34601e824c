//! Answers of the resolvers, as rows for programs and as text for people.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    escape::{self, wrap},
    safety,
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::{BundleName, ChannelName, PackageName, package::Package};
use olm_upgrade::{
    Answer, Candidate, DependencyResult, Engine, ResolveError, UpgradeRow, UpgradeTable, Verdict,
    explanation::{self, Outcome},
    install_blockers::InstallBlocker,
    openshift::{Blocker, ClusterUpdate, OpenShiftLimit, WayOut},
    row_notes::{RowNote, RowNoteKind},
    safety::Safety,
    table::{NextUpgrade, TableSummary},
    v1::Query,
};

/// Query to a resolver.
#[derive(Clone, Debug)]
pub enum ResolverQuery {
    /// Query to Classic: a subscription to a channel.
    Classic {
        /// Package of the subscription.
        package: PackageName,
        /// Subscribed channel.
        channel: ChannelName,
    },
    /// Query to OLM v1, as in a `ClusterExtension`.
    V1 {
        /// Package of the extension.
        package: PackageName,
        /// Channels, version and upgrade policy.
        query: Query,
    },
}

impl ResolverQuery {
    /// Returns the package.
    pub fn package(&self) -> &PackageName {
        match self {
            Self::Classic { package, .. } | Self::V1 { package, .. } => package,
        }
    }

    /// Returns the resolver.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Classic { .. } => Engine::Classic,
            Self::V1 { .. } => Engine::V1,
        }
    }
}

/// Answer as `olmap successors -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    package: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installed: Option<String>,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pick: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    downgrade: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<Vec<BlockedRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solved: Option<serde_json::Value>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    openshift: Option<OpenShiftRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<CandidateRow>>,
}

/// Effect of an installed bundle on the next update of the cluster.
#[derive(Debug, Serialize)]
struct OpenShiftRow {
    from: String,
    to: String,
    blocks: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<UntilRow>,
}

/// Nearest bundle on the upgrade path that does not block the cluster update.
#[derive(Debug, Serialize)]
struct UntilRow {
    bundle: String,
    hops: usize,
}

/// Obstacle that keeps OLM from installing its pick.
#[derive(Debug, Serialize)]
struct BlockedRow {
    kind: &'static str,
    text: String,
}

#[derive(Debug, Serialize)]
struct CandidateRow {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    admitted: bool,
    why: String,
}

impl Row {
    /// Returns the row of an answer, with every candidate if `explain` is set.
    pub fn from_answer(asked: &ResolverQuery, answer: &Answer, explain: bool) -> Self {
        let (channel, channels) = match asked {
            ResolverQuery::Classic { channel, .. } => {
                (Some(channel.to_string()).filter(|channel| !channel.is_empty()), None)
            }
            ResolverQuery::V1 { query, .. } => {
                (None, (!query.channels.is_empty()).then(|| to_strings(&query.channels)))
            }
        };
        let has_order =
            answer.engine == Engine::Classic && answer.installed.is_none() && answer.error.is_none();
        Self {
            object: None,
            package: asked.package().to_string(),
            channel,
            channels,
            installed: answer.installed.as_ref().map(|i| i.name.to_string()),
            engine: answer.engine.as_str(),
            pick: answer.pick.as_ref().map(BundleName::to_string),
            downgrade: answer.is_downgrade(),
            error: answer.error.as_ref().map(ResolveError::to_string),
            order: has_order.then(|| to_strings(&answer.chain)),
            blocked: (!answer.blocked.is_empty()).then(|| {
                let row = |b: &InstallBlocker| BlockedRow { kind: b.kind.as_str(), text: b.text.clone() };
                answer.blocked.iter().map(row).collect()
            }),
            solved: answer.solved.as_ref().map(|solved| match solved {
                DependencyResult::Bundle(name) => name.as_str().into(),
                DependencyResult::Stays | DependencyResult::Nothing => serde_json::Value::Null,
            }),
            reason: answer.reason(),
            openshift: None,
            safety: None,
            candidates: explain.then(|| {
                answer.candidates.iter().map(|candidate| candidate_row(answer, candidate)).collect()
            }),
        }
    }
}

impl Row {
    /// Adds the name of the custom resource that the query comes from.
    #[must_use]
    pub fn with_object(mut self, object: &str) -> Self {
        self.object = Some(object.to_owned());
        self
    }

    /// Adds the effect on a cluster update if a bundle is installed.
    #[must_use]
    pub fn with_update(mut self, answer: &Answer, update: &ClusterUpdate) -> Self {
        self.openshift = answer.installed.as_ref().map(|installed| {
            let blocker = update.blocker(&installed.name);
            let until = blocker.and_then(|blocker| blocker.way_out_for(answer.engine));
            let max = match blocker.map(|blocker| &blocker.limit) {
                Some(OpenShiftLimit::UpTo(max)) => Some(max.to_string()),
                _ => None,
            };
            OpenShiftRow {
                from: update.from.to_string(),
                to: update.to.to_string(),
                blocks: blocker.is_some(),
                max,
                reason: blocker.map(Blocker::reason),
                until: until.map(|way| UntilRow { bundle: way.name.to_string(), hops: way.hops }),
            }
        });
        self
    }

    /// Adds the safety of the step, if it is known.
    #[must_use]
    pub fn with_safety(mut self, safety: Option<&Safety>) -> Self {
        self.safety = safety.map(safety::safety_json);
        self
    }
}

/// Describes the effect of the installed bundle on a cluster update. Returns an empty string if no
/// bundle is installed.
pub fn render_update_effect(answer: &Answer, update: &ClusterUpdate, style: &Style) -> String {
    let Some(installed) = &answer.installed else { return String::new() };
    let words = match update.blocker(&installed.name) {
        None => format!("does not block OpenShift {} -> {}", update.from, update.to),
        Some(blocker) => {
            let way = match blocker.way_out_for(answer.engine) {
                None => "no upgrade path".to_owned(),
                Some(WayOut { name, hops: 1 }) => format!("{name} does not, 1 hop away"),
                Some(WayOut { name, hops }) => format!("{name} does not, {hops} hops away"),
            };
            format!("BLOCKS OpenShift {} -> {}: {}; {way}", update.from, update.to, blocker.reason())
        }
    };
    wrap::wrap_sentence(&words, "    ", style.width)
}

fn to_strings<T: ToString>(names: &[T]) -> Vec<String> {
    names.iter().map(T::to_string).collect()
}

fn candidate_row(answer: &Answer, candidate: &Candidate) -> CandidateRow {
    CandidateRow {
        name: candidate.name.to_string(),
        version: candidate.version.as_ref().map(ToString::to_string),
        admitted: matches!(candidate.verdict, Verdict::Admitted(_)),
        why: answer.explain_candidate(candidate),
    }
}

/// Renders an answer as text: outcome, reason and obstacles, then `more`, which is the output of
/// [`render_update_effect`]. With `explain`, adds every candidate.
pub fn render_answer(
    asked: &ResolverQuery,
    answer: &Answer,
    more: Option<&str>,
    explain: bool,
    style: &Style,
) -> String {
    let mut out =
        format!("{}: {}\n", style.paint(Ink::Bold, &describe_query(asked)), describe_outcome(answer, style));
    if answer.error.is_none() {
        out.push_str(&wrap::wrap_sentence(&answer.reason(), "    ", style.width));
    }
    if answer.is_downgrade() {
        let first = format!("    {}: ", style.paint(Ink::Warning, "warning"));
        let text = wrap::wrap_hanging(Engine::DOWNGRADE_RISK, "", "    ", style.width.saturating_sub(13));
        let _ = write!(out, "{first}{text}");
    }
    if let Some(solved) = answer.solved.as_ref().filter(|_| !answer.blocked.is_empty()) {
        let words = format!("with dependencies: {}", describe_solution(answer, solved));
        out.push_str(&wrap::wrap_sentence(&words, "    ", style.width));
    }
    for blocked in &answer.blocked {
        let first = format!("    {}: ", style.paint(Ink::Warning, "blocked"));
        let text = wrap::wrap_hanging(&blocked.text, "", "    ", style.width.saturating_sub(13));
        let _ = write!(out, "{first}{text}");
    }
    out.push_str(more.unwrap_or_default());
    if explain && !answer.candidates.is_empty() {
        out.push('\n');
        out.push_str(&render_candidates(answer, style));
    }
    out
}

/// Describes the result of a resolution with dependencies.
fn describe_solution(answer: &Answer, solved: &DependencyResult) -> String {
    match (solved, &answer.installed) {
        (DependencyResult::Bundle(name), Some(_))
            if answer.is_downgrade() && answer.upgrade_target() == Some(name) =>
        {
            format!("{} {name}", answer.engine.downgrade_verb())
        }
        (DependencyResult::Bundle(name), Some(_)) => format!("upgrades to {name}"),
        (DependencyResult::Bundle(name), None) => format!("installs {name}"),
        (DependencyResult::Stays, Some(installed)) => format!("stays on {}", installed.name),
        (DependencyResult::Stays, None) => "installs nothing".to_owned(),
        (DependencyResult::Nothing, _) => {
            "the resolution fails, and with it that of everything in the namespace".to_owned()
        }
    }
}

/// Lists the installed bundles whose outcome changes if dependencies are resolved, with the
/// reasons. Printed below [`render_upgrade_table`]; empty if there are none.
pub fn render_dependency_differences(answers: &[Answer], style: &Style) -> String {
    let mut out = String::new();
    for answer in answers {
        let Some(solved) = answer.solved.as_ref().filter(|_| !answer.blocked.is_empty()) else { continue };
        let who = answer.installed.as_ref().map_or("new", |installed| installed.name.as_str());
        let words = format!("{who}: with dependencies {}", describe_solution(answer, solved));
        out.push_str(&wrap::wrap_hanging(&words, "", "    ", style.width));
        for blocked in &answer.blocked {
            out.push_str(&wrap::wrap_hanging(&blocked.text, "    ", "        ", style.width));
        }
    }
    out
}

/// Describes the query: `Classic, channel stable` or `v1, all channels, version >=1.2,
/// SelfCertified`.
fn describe_query(asked: &ResolverQuery) -> String {
    match asked {
        ResolverQuery::Classic { channel, .. } => format!("Classic, channel {channel}"),
        ResolverQuery::V1 { query, .. } => format!("v1, {query}"),
    }
}

fn describe_outcome(answer: &Answer, style: &Style) -> String {
    if let Some(error) = &answer.error {
        return format!("{}: {}", style.paint(Ink::Error, "error"), escape::escape_line(&error.to_string()));
    }
    let (verb, bundle) = answer.outcome();
    let ink = match answer.upgrade_target() {
        Some(_) if answer.is_downgrade() => Ink::Error,
        Some(_) => Ink::Good,
        None => Ink::Bold,
    };
    bundle.map_or_else(|| verb.to_owned(), |bundle| format!("{verb} {}", style.paint(ink, bundle.as_str())))
}

pub(crate) fn render_candidates(answer: &Answer, style: &Style) -> String {
    let mut table = Table::new(&["", "CANDIDATE", "VERSION", "WHY"]).wrap_last_column();
    for line in explanation::explain_answer(answer) {
        let ink = match line.outcome {
            Outcome::Picked => Ink::Good,
            Outcome::Possible => Ink::Bold,
            Outcome::Excluded => Ink::Dim,
        };
        let version = line.first.version.as_ref().map(ToString::to_string).unwrap_or_default();
        // Most bundle names contain the version.
        let says_it = line.last.is_some() || line.first.name.as_str().ends_with(&format!("v{version}"));
        table.push_row([
            Cell::with_ink(ink, &format!("    {}", line.outcome.as_str())),
            Cell::new(&candidate_subject(answer, &line)),
            Cell::new(if says_it { "" } else { version.as_str() }),
            Cell::with_ink(ink, &line.reason),
        ]);
    }
    format!(
        "{}{}",
        wrap::wrap_sentence(explanation::describe_rule(answer), "    ", style.width),
        table.render(style)
    )
}

/// Returns the subject of an explanation line: a bundle name. A line about several bundles has
/// their versions instead, if they are known, because they are shorter.
fn candidate_subject(answer: &Answer, line: &explanation::ExplanationLine<'_>) -> String {
    let version = |name: &BundleName| {
        let known = answer.candidates.iter().find(|c| &c.name == name).and_then(|c| c.version.as_ref());
        known.map_or_else(|| name.to_string(), ToString::to_string)
    };
    match line.last {
        None => line.first.name.to_string(),
        Some(_) => explanation::line_subject(line, version),
    }
}

/// Renders a table with one row per bundle of the subscribed channel.
pub fn render_upgrade_table(
    package: &Package,
    upgrades: &UpgradeTable,
    engines: &[Engine],
    update: Option<&ClusterUpdate>,
    style: &Style,
) -> String {
    let mut titles = vec!["INSTALLED"];
    titles.extend(engines.iter().map(|engine| match engine {
        Engine::Classic => "CLASSIC",
        Engine::V1 => "V1",
    }));
    titles.extend(update.map(|_| "NEXT OPENSHIFT"));
    titles.push("NOTE");
    let mut table = Table::new(&titles);
    for row in reported_upgrade_rows(upgrades, engines) {
        let mut cells = vec![Cell::new(&strip_package_prefix(&package.name, &row.installed.name))];
        cells.extend(engines.iter().map(|engine| match engine {
            Engine::Classic => next_bundle_cell(&package.name, &row.classic),
            Engine::V1 => next_bundle_cell(&package.name, &row.v1),
        }));
        cells.extend(update.map(|update| match update.blocker(&row.installed.name) {
            None => Cell::with_ink(Ink::Dim, "ok"),
            Some(blocker) => {
                let way = blocker.brief(|name| strip_package_prefix(&package.name, name));
                Cell::with_ink(Ink::Warning, &format!("NO: {way}"))
            }
        }));
        cells.push(notes_cell(package, upgrades, row, engines));
        table.push_row(cells);
    }
    table.render(style)
}

/// Returns a heading for [`render_upgrade_table`]: package, OLM and query.
pub fn render_upgrade_heading(
    package: &PackageName,
    upgrades: &UpgradeTable,
    engines: &[Engine],
    style: &Style,
) -> String {
    let who = engines.iter().map(|engine| match engine {
        Engine::Classic => format!("Classic: channel {}", upgrades.channel),
        Engine::V1 => format!("v1: {}", upgrades.query),
    });
    let who = who.collect::<Vec<_>>().join("; ");
    format!("{}  {}\n", style.paint(Ink::Bold, package.as_str()), escape::escape_line(&who))
}

/// Returns true if an engine fails for one of the rows of [`render_upgrade_table`].
pub fn has_errors(upgrades: &UpgradeTable, engines: &[Engine]) -> bool {
    let of = |row: &UpgradeRow, engine: &Engine| match engine {
        Engine::Classic => matches!(row.classic, NextUpgrade::Error(_)),
        Engine::V1 => matches!(row.v1, NextUpgrade::Error(_)),
    };
    reported_upgrade_rows(upgrades, engines).any(|row| engines.iter().any(|e| of(row, e)))
}

/// Returns the rows to report: the entries of the subscribed channel. Returns the rows of all
/// bundles if only v1 is queried and the query does not name a channel.
fn reported_upgrade_rows<'a>(
    upgrades: &'a UpgradeTable,
    engines: &'a [Engine],
) -> impl Iterator<Item = &'a UpgradeRow> + Clone {
    let all = !engines.contains(&Engine::Classic) && upgrades.query.channels.is_empty();
    upgrades.rows.iter().filter(move |row| all || row.in_channel)
}

/// Returns the line below [`render_upgrade_table`]: the number of rows of each kind, such as dead
/// ends.
pub fn summarize_upgrade_table(upgrades: &UpgradeTable, engines: &[Engine]) -> String {
    let words = TableSummary::from_rows(reported_upgrade_rows(upgrades, engines)).format_parts(engines);
    format!("{}\n", words.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(", "))
}

fn next_bundle_cell(package: &PackageName, next: &NextUpgrade) -> Cell {
    match next {
        NextUpgrade::Stays => Cell::with_ink(Ink::Dim, "stays"),
        NextUpgrade::To(name) => Cell::with_ink(Ink::Good, &strip_package_prefix(package, name)),
        NextUpgrade::Error(_) => Cell::with_ink(Ink::Error, "error"),
    }
}

fn notes_cell(package: &Package, upgrades: &UpgradeTable, row: &UpgradeRow, engines: &[Engine]) -> Cell {
    let remarks: Vec<RowNote> =
        upgrades.row_notes(package, row).into_iter().filter(|remark| remark.applies_to(engines)).collect();
    let worst = remarks.first().map(|remark| remark.kind);
    let ink = if worst == Some(RowNoteKind::DeadEnd) { Ink::Warning } else { Ink::Dim };
    let texts: Vec<String> = remarks.into_iter().map(|remark| remark.text).collect();
    Cell::with_ink(ink, &texts.join("; "))
}

/// Strips the package from a bundle name if it is a prefix: `v1.2.3` from `anvil.v1.2.3`.
fn strip_package_prefix(package: &PackageName, bundle: &BundleName) -> String {
    let rest = bundle.as_str().strip_prefix(package.as_str()).and_then(|rest| rest.strip_prefix('.'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(bundle.as_str()).to_owned()
}
