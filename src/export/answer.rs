//! Answers of the resolvers, as rows for programs and as text for people.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    plain::{self, wrap},
    safety,
    style::{Ink, Style},
    table::{Cell, Table},
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName, package::Package},
    upgrade::{
        Answer, Candidate, Engine, ResolveError, Solved, UpgradeRow, UpgradeTable, Verdict,
        blocked::Blocked,
        explain::{self, Outcome},
        openshift::{Blocker, ClusterUpdate, Limit, WayOut},
        path::Traveller,
        remark::{Remark, RemarkKind},
        safety::Safety,
        table::{Next, Summary},
        v1::{Policy, Query},
    },
};

/// Query to a resolver.
#[derive(Clone, Debug)]
pub enum Asked {
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

impl Asked {
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

#[derive(Debug, Serialize)]
struct UntilRow {
    bundle: String,
    hops: usize,
}

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
    pub fn of(asked: &Asked, answer: &Answer, explain: bool) -> Self {
        let (channel, channels) = match asked {
            Asked::Classic { channel, .. } => {
                (Some(channel.to_string()).filter(|channel| !channel.is_empty()), None)
            }
            Asked::V1 { query, .. } => (None, (!query.channels.is_empty()).then(|| strings(&query.channels))),
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
            error: answer.error.as_ref().map(ResolveError::to_string),
            order: has_order.then(|| strings(&answer.order)),
            blocked: (!answer.blocked.is_empty()).then(|| {
                let row = |b: &Blocked| BlockedRow { kind: b.kind.as_str(), text: b.text.clone() };
                answer.blocked.iter().map(row).collect()
            }),
            solved: answer.solved.as_ref().map(|solved| match solved {
                Solved::Bundle(name) => name.as_str().into(),
                Solved::Stays | Solved::Nothing => serde_json::Value::Null,
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
    pub fn of_object(mut self, object: &str) -> Self {
        self.object = Some(object.to_owned());
        self
    }

    /// Adds the effect on a cluster update if a bundle is installed.
    #[must_use]
    pub fn with_update(mut self, answer: &Answer, update: &ClusterUpdate) -> Self {
        self.openshift = answer.installed.as_ref().map(|installed| {
            let blocker = update.blocker(&installed.name);
            let until = blocker.and_then(|blocker| blocker.way_of(answer.engine));
            let max = match blocker.map(|blocker| &blocker.limit) {
                Some(Limit::UpTo(max)) => Some(max.to_string()),
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
        self.safety = safety.map(safety::json_of);
        self
    }
}

/// Describes the effect of the installed bundle on a cluster update. Returns an empty string if no
/// bundle is installed.
pub fn update_text(answer: &Answer, update: &ClusterUpdate, style: &Style) -> String {
    let Some(installed) = &answer.installed else { return String::new() };
    let words = match update.blocker(&installed.name) {
        None => format!("does not block OpenShift {} -> {}", update.from, update.to),
        Some(blocker) => {
            let way = match blocker.way_of(answer.engine) {
                None => "no upgrade path".to_owned(),
                Some(WayOut { name, hops: 1 }) => format!("{name} does not, 1 hop away"),
                Some(WayOut { name, hops }) => format!("{name} does not, {hops} hops away"),
            };
            format!("BLOCKS OpenShift {} -> {}: {}; {way}", update.from, update.to, blocker.reason())
        }
    };
    wrap::wrapped(&words, "    ", style.width)
}

fn strings<T: ToString>(names: &[T]) -> Vec<String> {
    names.iter().map(T::to_string).collect()
}

fn candidate_row(answer: &Answer, candidate: &Candidate) -> CandidateRow {
    CandidateRow {
        name: candidate.name.to_string(),
        version: candidate.version.as_ref().map(ToString::to_string),
        admitted: matches!(candidate.verdict, Verdict::Admitted(_)),
        why: explain::why(answer, candidate),
    }
}

/// Renders an answer for people: outcome, reason, obstacles and `more` (see [`update_text`]). With
/// `explain`, adds every candidate.
pub fn text(asked: &Asked, answer: &Answer, more: Option<&str>, explain: bool, style: &Style) -> String {
    let mut out = format!("{}: {}\n", style.paint(Ink::Bold, &who(asked)), outcome(answer, style));
    if answer.error.is_none() {
        out.push_str(&wrap::wrapped(&answer.reason(), "    ", style.width));
    }
    if let Some(solved) = answer.solved.as_ref().filter(|_| !answer.blocked.is_empty()) {
        let words = format!("with dependencies: {}", solved_words(answer, solved));
        out.push_str(&wrap::wrapped(&words, "    ", style.width));
    }
    for blocked in &answer.blocked {
        let first = format!("    {}: ", style.paint(Ink::Warning, "blocked"));
        let text = wrap::hanging(&blocked.text, "", "    ", style.width.saturating_sub(13));
        let _ = write!(out, "{first}{text}");
    }
    out.push_str(more.unwrap_or_default());
    if explain && !answer.candidates.is_empty() {
        out.push('\n');
        out.push_str(&candidates(answer, style));
    }
    out
}

fn solved_words(answer: &Answer, solved: &Solved) -> String {
    match (solved, &answer.installed) {
        (Solved::Bundle(name), Some(_)) if answer.moves_down() && answer.moves_to() == Some(name) => {
            format!("{} {name}", step_down(answer))
        }
        (Solved::Bundle(name), Some(_)) => format!("upgrades to {name}"),
        (Solved::Bundle(name), None) => format!("installs {name}"),
        (Solved::Stays, Some(installed)) => format!("stays on {}", installed.name),
        (Solved::Stays, None) => "installs nothing".to_owned(),
        (Solved::Nothing, _) => {
            "the resolution fails, and with it that of everything in the namespace".to_owned()
        }
    }
}

/// Lists the bundles whose outcome changes with dependencies, with the reasons. Printed below
/// [`table`]; empty if there are none.
pub fn differing(answers: &[Answer], style: &Style) -> String {
    let mut out = String::new();
    for answer in answers {
        let Some(solved) = answer.solved.as_ref().filter(|_| !answer.blocked.is_empty()) else { continue };
        let who = answer.installed.as_ref().map_or("new", |installed| installed.name.as_str());
        let words = format!("{who}: with dependencies {}", solved_words(answer, solved));
        out.push_str(&wrap::hanging(&words, "", "    ", style.width));
        for blocked in &answer.blocked {
            out.push_str(&wrap::hanging(&blocked.text, "    ", "        ", style.width));
        }
    }
    out
}

/// Describes the query: `Classic, channel stable` or `v1, all channels, version >=1.2,
/// SelfCertified`.
fn who(asked: &Asked) -> String {
    match asked {
        Asked::Classic { channel, .. } => classic(channel),
        Asked::V1 { query, .. } => format!("v1, {}", extension(query)),
    }
}

fn classic(channel: &ChannelName) -> String {
    format!("Classic, channel {channel}")
}

/// Describes the OLM of an installation, like `who`.
pub(super) fn traveller(traveller: &Traveller) -> String {
    match traveller {
        Traveller::Classic(channel) => classic(channel),
        Traveller::V1(query) => format!("v1, {}", extension(query)),
    }
}

/// Describes the parameters of a v1 query.
fn extension(query: &Query) -> String {
    let mut text = match query.channels.as_slice() {
        [] => "all channels".to_owned(),
        [one] => format!("channel {one}"),
        several => format!("channels {}", strings(several).join(", ")),
    };
    if !query.version.is_empty() {
        let _ = write!(text, ", version {}", query.version);
    }
    if query.policy != Policy::CatalogProvided {
        let _ = write!(text, ", {}", query.policy.as_str());
    }
    text
}

fn outcome(answer: &Answer, style: &Style) -> String {
    if let Some(error) = &answer.error {
        return format!("{}: {}", style.paint(Ink::Error, "error"), plain::line(&error.to_string()));
    }
    match (&answer.installed, answer.moves_to()) {
        (Some(_), Some(pick)) if answer.moves_down() => {
            format!("{} {}", step_down(answer), style.paint(Ink::Error, pick.as_str()))
        }
        (Some(_), Some(pick)) => format!("upgrades to {}", style.paint(Ink::Good, pick.as_str())),
        (Some(installed), None) => format!("stays on {}", style.paint(Ink::Bold, installed.name.as_str())),
        (None, Some(pick)) => format!("installs {}", style.paint(Ink::Good, pick.as_str())),
        (None, None) => "installs nothing".to_owned(),
    }
}

/// Returns the verb for a step to a lower version. OLM v1 takes such a step only if it is forced
/// to.
fn step_down(answer: &Answer) -> &'static str {
    match answer.engine {
        Engine::Classic => "is downgraded to",
        Engine::V1 => "is forced back (ROLLBACK) to",
    }
}

fn candidates(answer: &Answer, style: &Style) -> String {
    let mut table = Table::new(&["", "CANDIDATE", "VERSION", "WHY"]).folding();
    for line in explain::explain(answer) {
        let ink = match line.outcome {
            Outcome::Picked => Ink::Good,
            Outcome::Possible => Ink::Bold,
            Outcome::Refused => Ink::Dim,
        };
        let version = line.first.version.as_ref().map(ToString::to_string).unwrap_or_default();
        // Most bundle names contain the version.
        let says_it = line.last.is_some() || line.first.name.as_str().ends_with(&format!("v{version}"));
        table.row([
            Cell::painted(ink, &format!("    {}", line.outcome.as_str())),
            Cell::new(&subject(answer, &line)),
            Cell::new(if says_it { "" } else { version.as_str() }),
            Cell::painted(ink, &line.why),
        ]);
    }
    format!("{}{}", wrap::wrapped(explain::rule(answer), "    ", style.width), table.render(style))
}

/// Returns the subject of a line. A line about several bundles lists versions, if they are known,
/// to stay short.
fn subject(answer: &Answer, line: &explain::Line<'_>) -> String {
    let version = |name: &BundleName| {
        let known = answer.candidates.iter().find(|c| &c.name == name).and_then(|c| c.version.as_ref());
        known.map_or_else(|| name.to_string(), ToString::to_string)
    };
    match line.last {
        None => line.first.name.to_string(),
        Some(_) => explain::subject(line, version),
    }
}

/// Renders a table with one row per bundle of the subscribed channel.
pub fn table(
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
    for row in shown(upgrades, engines) {
        let mut cells = vec![Cell::new(&short(&package.name, &row.installed.name))];
        cells.extend(engines.iter().map(|engine| match engine {
            Engine::Classic => next(&package.name, &row.classic),
            Engine::V1 => next(&package.name, &row.v1),
        }));
        cells.extend(update.map(|update| match update.blocker(&row.installed.name) {
            None => Cell::painted(Ink::Dim, "ok"),
            Some(blocker) => {
                let way = blocker.brief(|name| short(&package.name, name));
                Cell::painted(Ink::Warning, &format!("NO: {way}"))
            }
        }));
        cells.push(notes(package, upgrades, row, engines));
        table.row(cells);
    }
    table.render(style)
}

/// Returns a heading for [`table`]: package, OLM and query.
pub fn heading(package: &PackageName, upgrades: &UpgradeTable, engines: &[Engine], style: &Style) -> String {
    let who = engines.iter().map(|engine| match engine {
        Engine::Classic => format!("Classic: channel {}", upgrades.channel),
        Engine::V1 => format!("v1: {}", extension(&upgrades.query)),
    });
    let who = who.collect::<Vec<_>>().join("; ");
    format!("{}  {}\n", style.paint(Ink::Bold, package.as_str()), plain::line(&who))
}

/// Returns true if an engine fails for one of the rows of [`table`].
pub fn has_errors(upgrades: &UpgradeTable, engines: &[Engine]) -> bool {
    let of = |row: &UpgradeRow, engine: &Engine| match engine {
        Engine::Classic => matches!(row.classic, Next::Error(_)),
        Engine::V1 => matches!(row.v1, Next::Error(_)),
    };
    shown(upgrades, engines).any(|row| engines.iter().any(|e| of(row, e)))
}

/// Returns the entries of the subscribed channel; all bundles if only v1 is queried, without
/// channels.
fn shown<'a>(
    upgrades: &'a UpgradeTable,
    engines: &'a [Engine],
) -> impl Iterator<Item = &'a UpgradeRow> + Clone {
    let all = !engines.contains(&Engine::Classic) && upgrades.query.channels.is_empty();
    upgrades.rows.iter().filter(move |row| all || row.in_channel)
}

/// Returns the number of rows that need attention, for the line below [`table`].
pub fn summary(upgrades: &UpgradeTable, engines: &[Engine]) -> String {
    let words = Summary::of(shown(upgrades, engines)).words(engines);
    format!("{}\n", words.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(", "))
}

fn next(package: &PackageName, next: &Next) -> Cell {
    match next {
        Next::Stays => Cell::painted(Ink::Dim, "stays"),
        Next::To(name) => Cell::painted(Ink::Good, &short(package, name)),
        Next::Error(_) => Cell::painted(Ink::Error, "error"),
    }
}

fn notes(package: &Package, upgrades: &UpgradeTable, row: &UpgradeRow, engines: &[Engine]) -> Cell {
    let remarks: Vec<Remark> =
        upgrades.remarks(package, row).into_iter().filter(|remark| remark.concerns(engines)).collect();
    let worst = remarks.first().map(|remark| remark.kind);
    let ink = if worst == Some(RemarkKind::DeadEnd) { Ink::Warning } else { Ink::Dim };
    let texts: Vec<String> = remarks.into_iter().map(|remark| remark.text).collect();
    Cell::painted(ink, &texts.join("; "))
}

/// Strips the package from a bundle name if it is a prefix: `v1.2.3` from `anvil.v1.2.3`.
fn short(package: &PackageName, bundle: &BundleName) -> String {
    let rest = bundle.as_str().strip_prefix(package.as_str()).and_then(|rest| rest.strip_prefix('.'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(bundle.as_str()).to_owned()
}
