//! Text and JSON of an upgrade path over the catalogs of a cluster.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    cluster_answer::{ErrorRow, RemarkRow, describe_query, explain_outcome},
    escape::{display_width, wrap},
    style::{Ink, Style},
};
use olm_catalog::PackageName;
use olm_upgrade::{
    EdgeKind,
    answer::Admission,
    cluster::{
        CatalogOutcome, ClusterAnswer, ClusterCandidate, ClusterCatalogs, ClusterHop, ClusterPath,
        ClusterPathOutcome, ClusterQuery,
    },
    v1::Policy,
};

/// Path as `olmap path --catalog ... -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterPathRow {
    package: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
    from: String,
    to: String,
    arrives: bool,
    hops: Vec<HopRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<RemarkRow>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HopRow {
    from: String,
    to: String,
    version: String,
    catalog: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    earlier_catalog: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked: Vec<RemarkRow>,
}

impl ClusterPathRow {
    /// Returns the row of a path.
    pub fn from_path(
        catalogs: &ClusterCatalogs,
        package: &PackageName,
        query: &ClusterQuery,
        path: &ClusterPath,
    ) -> Self {
        let ClusterQuery { query, selector } = query;
        let hop = |hop: &ClusterHop| HopRow {
            from: hop.from.name.to_string(),
            to: hop.pick.bundle_name().to_string(),
            version: hop.pick.to_metadata().version,
            catalog: hop.pick.catalog.name.clone(),
            earlier_catalog: hop.earlier_catalog.clone(),
            kind: hop.pick.admission.as_ref().and_then(Admission::edge).map(EdgeKind::as_str),
            channel: hop.pick.admission.as_ref().and_then(Admission::channel).map(ToString::to_string),
            reason: describe_admission(&hop.pick),
            blocked: hop.blocked.iter().map(RemarkRow::from_blocker).collect(),
        };
        let answer = path.last_answer();
        let notes = answer.map(ClusterAnswer::find_notes).unwrap_or_default();
        Self {
            package: package.to_string(),
            engine: "v1",
            channels: query.channels.iter().map(ToString::to_string).collect(),
            version: Some(query.version.clone()).filter(|version| !version.is_empty()),
            policy: Some(query.policy).filter(|policy| *policy != Policy::default()).map(Policy::as_str),
            selector: (!selector.selects_all()).then(|| selector.to_string()),
            from: path.from.name.to_string(),
            to: path.to.name.to_string(),
            arrives: path.arrives(),
            hops: path.hops.iter().map(hop).collect(),
            ends: match &path.outcome {
                ClusterPathOutcome::Arrives => None,
                ClusterPathOutcome::Stays(_) => Some("stays"),
                ClusterPathOutcome::PassesBy => Some("passesBy"),
                ClusterPathOutcome::Cycle(_) => Some("circle"),
                ClusterPathOutcome::Error(_) => Some("error"),
            },
            reason: describe_end(catalogs, path),
            error: answer.and_then(|answer| answer.error.as_ref()).map(ErrorRow::from_error),
            notes: notes.iter().map(RemarkRow::from_note).collect(),
        }
    }
}

/// Returns a sentence with the reason why a path does not arrive; `None` if it does.
fn describe_end(catalogs: &ClusterCatalogs, path: &ClusterPath) -> Option<String> {
    let last = path.last_bundle().name;
    Some(match &path.outcome {
        ClusterPathOutcome::Arrives => return None,
        ClusterPathOutcome::PassesBy => {
            let hop = path.hops.last()?;
            format!(
                "The upgrade from {} goes to {last} of {}, past {}.",
                hop.from.name, hop.pick.catalog.name, path.to.name
            )
        }
        ClusterPathOutcome::Cycle(at) => format!("The upgrades lead back to {}.", at.name),
        ClusterPathOutcome::Stays(answer) => {
            let catalog = answer.pick.as_ref().map(|pick| pick.catalog.name.as_str());
            let others: Vec<&str> = names_of_others(answer);
            match (catalog, others.as_slice()) {
                (None, _) => format!("It stays on {last}: no catalog matches the selector."),
                (Some(catalog), []) => format!("It stays on {last} of {catalog}: no upgrade is available."),
                (Some(catalog), others) => format!(
                    "It stays on {last} of {catalog}: no upgrade is available there, and {} {} not win.",
                    others.join(", "),
                    if others.len() == 1 { "does" } else { "do" }
                ),
            }
        }
        ClusterPathOutcome::Error(answer) => {
            let error = answer.error.as_ref().map(ToString::to_string).unwrap_or_default();
            let failed = answer
                .considered
                .iter()
                .filter(|considered| matches!(considered.outcome, CatalogOutcome::NotServed(_)));
            let failed: Vec<String> = failed
                .map(|considered| {
                    format!("{}: {}", considered.catalog.name, explain_outcome(catalogs, considered))
                })
                .collect();
            let failed = if failed.is_empty() { String::new() } else { format!(" ({})", failed.join("; ")) };
            format!("OLM v1 reports an error at {last}: {error}{failed}.")
        }
    })
}

/// Returns the catalogs whose candidates lose.
fn names_of_others(answer: &ClusterAnswer) -> Vec<&str> {
    let others = answer.considered.iter().filter(|considered| {
        matches!(considered.outcome, CatalogOutcome::LowerPriority(_) | CatalogOutcome::Deprecated(_))
    });
    others.map(|considered| considered.catalog.name.as_str()).collect()
}

/// Describes the rule that admits a target, for readers who know the installed bundle.
fn describe_admission(pick: &ClusterCandidate) -> String {
    match &pick.admission {
        None => "its version cannot be read".to_owned(),
        Some(Admission::Replaces { channel, .. }) => format!("replaces it in {channel}"),
        Some(Admission::Skips { channel, .. }) => format!("skips it in {channel}"),
        Some(Admission::Installed) => "has the same version".to_owned(),
        Some(other) => other.to_string(),
    }
}

/// Renders a path as text: the query and the outcome, each upgrade with its catalog, and the reason why the path ends.
pub fn render_cluster_path(
    catalogs: &ClusterCatalogs,
    query: &ClusterQuery,
    path: &ClusterPath,
    style: &Style,
) -> String {
    let (ink, outcome) = match (path.arrives(), path.hops.len()) {
        (true, 0) => (Ink::Good, "already there".to_owned()),
        (true, 1) => (Ink::Good, "arrives in 1 upgrade".to_owned()),
        (true, n) => (Ink::Good, format!("arrives in {n} upgrades")),
        (false, _) => (Ink::Warning, format!("no upgrade path to {}", path.to.name)),
    };
    let asked = format!("{}:", describe_query(query));
    let mut out = if display_width(&asked) + 1 + display_width(&outcome) <= style.width {
        format!("{} {}\n", style.paint(Ink::Title, &asked), style.paint(ink, &outcome))
    } else {
        style.paint_wrapped(Ink::Title, &asked, "", "  ") + &style.paint_wrapped(ink, &outcome, "", "  ")
    };
    let digits = path.hops.len().to_string().len();
    let bundle = |hop: &ClusterHop| display_width(hop.pick.bundle_name().as_str());
    let bundles = path.hops.iter().map(bundle).max().unwrap_or(0);
    let catalog_width = path.hops.iter().map(|hop| hop.pick.catalog.name.len()).max().unwrap_or(0);
    let indent = " ".repeat(digits + 4);
    let _ = writeln!(out, "{indent}{}", path.from.name);
    for (number, hop) in (1..).zip(&path.hops) {
        let passes = matches!(path.outcome, ClusterPathOutcome::PassesBy) && number == path.hops.len();
        let ink = if passes { Ink::Warning } else { Ink::Good };
        let rule = describe_admission(&hop.pick);
        let name = style.paint(ink, hop.pick.bundle_name().as_str());
        let gap = " ".repeat(bundles - bundle(hop) + 2);
        let catalog = &hop.pick.catalog.name;
        let line = format!("  {number:>digits$}  {name}{gap}{catalog:catalog_width$}");
        if digits + 4 + bundles + 2 + catalog_width + 2 + display_width(&rule) <= style.width {
            let _ = writeln!(out, "{line}  {}", style.paint(Ink::Dim, &rule));
        } else {
            let _ = writeln!(out, "{}", line.trim_end());
            out.push_str(&style.paint_wrapped(
                Ink::Dim,
                &rule,
                &format!("{indent}  "),
                &format!("{indent}  "),
            ));
        }
        let mut more: Vec<(Ink, String)> = Vec::new();
        if let Some(earlier) = &hop.earlier_catalog {
            more.push((Ink::Note, format!("the catalog changes from {earlier} to {catalog}")));
        }
        more.extend(hop.blocked.iter().map(|blocked| (Ink::Warning, format!("blocked: {blocked}"))));
        for (ink, text) in more {
            out.push_str(&style.paint_wrapped(ink, &text, &format!("{indent}  "), &format!("{indent}    ")));
        }
    }
    if let Some(sentence) = describe_end(catalogs, path) {
        out.push_str(&style.paint_wrapped(Ink::Warning, &sentence, "  ", "  "));
    }
    for note in path.last_answer().map(ClusterAnswer::find_notes).unwrap_or_default() {
        out.push_str(&wrap::wrap_hanging(&format!("note: {note}"), "  ", "    ", style.width));
    }
    out
}
