//! What the resolvers answer, as rows for programs and as text for people.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    plain,
    style::{Ink, Style},
    table::{Cell, Table},
    wrap,
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    upgrade::{
        Answer, Candidate, Engine, ResolveError, UpgradeRow, UpgradeTable, Verdict,
        blocked::Blocked,
        path::Traveller,
        table::Next,
        v1::{Policy, Query},
    },
};

/// What was asked: who is asked, and about what.
#[derive(Clone, Debug)]
pub enum Asked {
    /// Classic, subscribed to a channel.
    Classic {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
    },
    /// v1, with what a `ClusterExtension` says.
    V1 {
        /// The package.
        package: PackageName,
        /// Channels, version and policy.
        query: Query,
    },
}

impl Asked {
    /// The package.
    pub fn package(&self) -> &PackageName {
        match self {
            Self::Classic { package, .. } | Self::V1 { package, .. } => package,
        }
    }

    /// Who is asked.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Classic { .. } => Engine::Classic,
            Self::V1 { .. } => Engine::V1,
        }
    }
}

/// One answer as `olmap successors --format json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
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
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<CandidateRow>>,
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
    /// The row of an answer, with every candidate where `explain` is set.
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
            reason: answer.reason(),
            candidates: explain.then(|| answer.candidates.iter().map(candidate_row).collect()),
        }
    }
}

fn strings<T: ToString>(names: &[T]) -> Vec<String> {
    names.iter().map(T::to_string).collect()
}

fn candidate_row(candidate: &Candidate) -> CandidateRow {
    let (admitted, why) = verdict(candidate);
    CandidateRow {
        name: candidate.name.to_string(),
        version: candidate.version.as_ref().map(ToString::to_string),
        admitted,
        why,
    }
}

fn verdict(candidate: &Candidate) -> (bool, String) {
    match &candidate.verdict {
        Verdict::Admitted(admission) => (true, admission.to_string()),
        Verdict::Refused(refusal) => (false, refusal.to_string()),
    }
}

/// An answer for people: what happens, why, what would block it; with `explain` every candidate too.
pub fn text(asked: &Asked, answer: &Answer, explain: bool, style: &Style) -> String {
    let mut out = format!("{}: {}\n", style.paint(Ink::Bold, &who(asked)), outcome(answer, style));
    if answer.error.is_none() {
        out.push_str(&wrap::wrapped(&answer.reason(), "    ", style.width));
    }
    for blocked in &answer.blocked {
        let first = format!("    {}: ", style.paint(Ink::Warning, "blocked"));
        let text = wrap::hanging(&blocked.text, "", "    ", style.width.saturating_sub(13));
        let _ = write!(out, "{first}{text}");
    }
    if explain && !answer.candidates.is_empty() {
        out.push('\n');
        out.push_str(&candidates(answer, style));
    }
    out
}

/// `Classic, channel stable`; `v1, all channels, version >=1.2, SelfCertified`.
fn who(asked: &Asked) -> String {
    match asked {
        Asked::Classic { channel, .. } => classic(channel),
        Asked::V1 { query, .. } => format!("v1, {}", extension(query)),
    }
}

fn classic(channel: &ChannelName) -> String {
    format!("Classic, channel {channel}")
}

/// The same of one who travels.
pub(super) fn traveller(traveller: &Traveller) -> String {
    match traveller {
        Traveller::Classic(channel) => classic(channel),
        Traveller::V1(query) => format!("v1, {}", extension(query)),
    }
}

/// What a query asks v1 for.
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
        (Some(_), Some(pick)) => format!("upgrades to {}", style.paint(Ink::Good, pick.as_str())),
        (Some(installed), None) => format!("stays on {}", style.paint(Ink::Bold, installed.name.as_str())),
        (None, Some(pick)) => format!("installs {}", style.paint(Ink::Good, pick.as_str())),
        (None, None) => "installs nothing".to_owned(),
    }
}

fn candidates(answer: &Answer, style: &Style) -> String {
    let mut table = Table::new(&["", "CANDIDATE", "VERSION", "WHY"]).folding();
    let winner = answer.winner().map(|w| &w.name);
    for candidate in &answer.candidates {
        let (admitted, why) = verdict(candidate);
        let (word, ink) = match (admitted, winner == Some(&candidate.name)) {
            (true, true) => ("    picked", Ink::Good),
            (true, false) => ("    possible", Ink::Bold),
            (false, _) => ("    refused", Ink::Dim),
        };
        let version = candidate.version.as_ref().map(ToString::to_string).unwrap_or_default();
        // Most names say their version.
        let says_it = candidate.name.as_str().ends_with(&format!("v{version}"));
        let version = if says_it { "" } else { version.as_str() };
        table.row([
            Cell::painted(ink, word),
            Cell::new(candidate.name.as_str()),
            Cell::new(version),
            Cell::painted(ink, &why),
        ]);
    }
    table.render(style)
}

/// What happens to everyone, for people: a row for each bundle of the subscribed channel.
pub fn table(package: &PackageName, upgrades: &UpgradeTable, engines: &[Engine], style: &Style) -> String {
    let mut titles = vec!["INSTALLED"];
    titles.extend(engines.iter().map(|engine| match engine {
        Engine::Classic => "CLASSIC",
        Engine::V1 => "V1",
    }));
    titles.push("NOTE");
    let mut table = Table::new(&titles);
    for row in shown(upgrades, engines) {
        let mut cells = vec![Cell::new(&short(package, &row.installed.name))];
        cells.extend(engines.iter().map(|engine| match engine {
            Engine::Classic => next(package, &row.classic),
            Engine::V1 => next(package, &row.v1),
        }));
        cells.push(notes(row, engines));
        table.row(cells);
    }
    table.render(style)
}

/// A heading for [`table`]: who is asked about what.
pub fn heading(package: &PackageName, upgrades: &UpgradeTable, engines: &[Engine], style: &Style) -> String {
    let who = engines.iter().map(|engine| match engine {
        Engine::Classic => format!("Classic: channel {}", upgrades.channel),
        Engine::V1 => format!("v1: {}", extension(&upgrades.query)),
    });
    let who = who.collect::<Vec<_>>().join("; ");
    format!("{}  {}\n", style.paint(Ink::Bold, package.as_str()), plain::line(&who))
}

/// Whether an engine has no answer for one of the rows of [`table`].
pub fn has_errors(upgrades: &UpgradeTable, engines: &[Engine]) -> bool {
    let of = |row: &UpgradeRow, engine: &Engine| match engine {
        Engine::Classic => matches!(row.classic, Next::Error(_)),
        Engine::V1 => matches!(row.v1, Next::Error(_)),
    };
    shown(upgrades, engines).any(|row| engines.iter().any(|e| of(row, e)))
}

/// The rows that matter: the entries of the subscribed channel; where v1 alone is asked about all channels, every bundle.
fn shown<'a>(
    upgrades: &'a UpgradeTable,
    engines: &'a [Engine],
) -> impl Iterator<Item = &'a UpgradeRow> + Clone {
    let all = !engines.contains(&Engine::Classic) && upgrades.query.channels.is_empty();
    upgrades.rows.iter().filter(move |row| all || row.in_channel)
}

/// The count of what needs attention, below [`table`].
pub fn summary(upgrades: &UpgradeTable, engines: &[Engine]) -> String {
    let rows = shown(upgrades, engines);
    let count = |wanted: fn(&UpgradeRow) -> bool| rows.clone().filter(|row| wanted(row)).count();
    let (classic, v1) = (engines.contains(&Engine::Classic), engines.contains(&Engine::V1));
    let total = count(|_| true);
    let counts = [
        (classic, count(|row| row.dead_end), "dead end", "dead ends"),
        (v1, count(|row| row.escapes), "leaves the channel on v1", "leave the channel on v1"),
        (classic && v1, count(|row| !row.agrees()), "where the two differ", "where the two differ"),
    ];
    let counts = counts.iter().filter(|(asked, n, ..)| *asked && *n > 0);
    let words = counts.map(|(_, n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }));
    let mut parts = vec![format!("{total} version{}", if total == 1 { "" } else { "s" })];
    parts.extend(words);
    format!("{}\n", parts.join(", "))
}

fn next(package: &PackageName, next: &Next) -> Cell {
    match next {
        Next::Stays => Cell::painted(Ink::Dim, "stays"),
        Next::To(name) => Cell::painted(Ink::Good, &short(package, name)),
        Next::Error(_) => Cell::painted(Ink::Error, "error"),
    }
}

fn notes(row: &UpgradeRow, engines: &[Engine]) -> Cell {
    let (classic, v1) = (engines.contains(&Engine::Classic), engines.contains(&Engine::V1));
    let mut notes: Vec<String> = Vec::new();
    if classic && row.dead_end {
        notes.push("DEAD END".to_owned());
    }
    if v1 && row.escapes {
        notes.push("v1 leaves the channel".to_owned());
    }
    if row.deprecated {
        notes.push("deprecated".to_owned());
    }
    if row.lands_on_deprecated {
        notes.push("to a deprecated one".to_owned());
    }
    for (wanted, name, next) in [(classic, "Classic", &row.classic), (v1, "v1", &row.v1)] {
        if let (true, Next::Error(error)) = (wanted, next) {
            notes.push(format!("{name}: {error}"));
        }
    }
    let ink = if classic && row.dead_end { Ink::Warning } else { Ink::Dim };
    Cell::painted(ink, &notes.join(", "))
}

/// A bundle's name without its package where the rest says it all: `v1.2.3` of `anvil.v1.2.3`.
fn short(package: &PackageName, bundle: &BundleName) -> String {
    let rest = bundle.as_str().strip_prefix(package.as_str()).and_then(|rest| rest.strip_prefix('.'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(bundle.as_str()).to_owned()
}
