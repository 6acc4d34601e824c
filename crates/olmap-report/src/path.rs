//! Text and JSON of an upgrade path: its hops, the reason why it stops early, and a fix.

use serde::Serialize;

use super::{
    document::{Line, piece, text_piece, wrap_lines},
    escape::{display_width, wrap},
    safety,
    style::{Ink, Style},
};
use olm_catalog::PackageName;
use olm_upgrade::{
    path::{PathFixKind, PathOutcome, PathReport, PickedPath, UpgradeContext},
    safety::{PackageSafety, Verdict},
    v1::Policy,
};

/// Renders an upgrade path as lines: the installation and the outcome, the hops, the reason why
/// the path stops early, and a fix. A line is wider than `columns` only if a word is too long.
pub fn render_route_lines(route: &PathReport, safety: Option<&PackageSafety>, columns: usize) -> Vec<Line> {
    let path = &route.path;
    let mut lines = render_route_heading(path, columns);
    push_hop_lines(&mut lines, path, safety, columns);
    let told = [(Ink::Warning, path.reason()), (Ink::Good, Some(route.advice()).filter(|_| !path.arrives()))];
    for (ink, sentence) in told {
        let Some(sentence) = sentence else { continue };
        let wrapped = wrap_lines(&sentence, ink, [""; 2], columns.saturating_sub(2));
        lines.extend(wrapped.into_iter().map(|line| [vec![text_piece("  ")], line].concat()));
    }
    lines
}

/// Renders an upgrade path as text: see [`render_route_lines`].
pub fn render_route(route: &PathReport, safety: Option<&PackageSafety>, style: &Style) -> String {
    let mut out = String::new();
    for line in render_route_lines(route, safety, style.width) {
        out.push_str(&style.paint_line(&line));
        out.push('\n');
    }
    out
}

fn render_route_heading(path: &PickedPath, columns: usize) -> Vec<Line> {
    let who = path.context.to_string();
    let to = path.to.as_ref().unwrap_or(path.last_bundle());
    let (ink, outcome) = match (path.arrives(), path.hops.len()) {
        (true, 0) => (Ink::Good, "already there".to_owned()),
        (true, 1) => (Ink::Good, "arrives in 1 upgrade".to_owned()),
        (true, n) => (Ink::Good, format!("arrives in {n} upgrades")),
        (false, _) => (Ink::Warning, format!("no upgrade path to {to}")),
    };
    if display_width(&who) + 2 + display_width(&outcome) <= columns {
        return vec![vec![piece(format!("{who}: "), Ink::Title), piece(outcome, ink)]];
    }
    let lines = |text: &str, ink| wrap_lines(text, ink, ["", "  "], columns);
    [lines(&format!("{who}:"), Ink::Title), lines(&outcome, ink)].concat()
}

/// Adds a line with the installed bundle, then one for each hop with its rule.
fn push_hop_lines(lines: &mut Vec<Line>, path: &PickedPath, safety: Option<&PackageSafety>, columns: usize) {
    let digits = path.hops.len().to_string().len();
    let indent = digits + 4;
    let names = path.hops.iter().map(|hop| display_width(hop.to.as_str())).max().unwrap_or(0);
    lines.push(vec![text_piece(format!("{:indent$}{}", "", path.from.name))]);
    for (number, hop) in (1..).zip(&path.hops) {
        let passes = matches!(&path.outcome, PathOutcome::PassesBy { .. }) && number == path.hops.len();
        let ink = if passes { Ink::Warning } else { Ink::Good };
        let mut line = vec![piece(format!("  {number:>digits$}  "), Ink::Dim), piece(hop.to.as_str(), ink)];
        let rule = hop.describe_rule();
        // Rules are aligned in a column. A rule that is too long goes below its bundle.
        if indent + names + 2 + display_width(&rule) <= columns {
            let gap = names - display_width(hop.to.as_str()) + 2;
            line.push(piece(format!("{:gap$}{rule}", ""), Ink::Dim));
            lines.push(line);
        } else {
            lines.push(line);
            let rule = wrap_words(&rule, columns.saturating_sub(indent + 2));
            lines.extend(
                rule.into_iter().map(|more| vec![piece(format!("{:indent$}  {more}", ""), Ink::Dim)]),
            );
        }
        let known = safety.and_then(|safety| safety.find_step(&hop.from, &hop.to));
        if let Some(known) = known.filter(|known| known.overall_verdict() != Verdict::Safe) {
            let ink = safety::verdict_ink(known.verdict_for(hop.engine));
            let told = wrap_words(&known.brief(&[hop.engine]), columns.saturating_sub(indent + 2));
            lines.extend(told.into_iter().map(|more| vec![piece(format!("{:indent$}  {more}", ""), ink)]));
        }
    }
}

fn wrap_words(text: &str, columns: usize) -> Vec<String> {
    wrap::wrap_sentence(text, "", columns).lines().map(str::to_owned).collect()
}

/// Upgrade path as `olmap path -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    package: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'static str>,
    from: String,
    to: String,
    arrives: bool,
    hops: Vec<HopRow>,
    #[serde(rename = "channelChange", skip_serializing_if = "Vec::is_empty")]
    channel_change: Vec<HopRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<OpeningRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<String>,
}

#[derive(Debug, Serialize)]
struct HopRow {
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    reason: String,
}

/// Edge that would let the path reach its target.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OpeningRow {
    channel: String,
    entry: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    skips: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_range: Option<String>,
}

impl Row {
    /// Returns the row of an upgrade path, with the safety of its steps if it was checked.
    pub fn from_route(package: &PackageName, route: &PathReport, safety: Option<&PackageSafety>) -> Self {
        let path = &route.path;
        let (channel, query) = match &path.context {
            UpgradeContext::Classic(channel) => (Some(channel.to_string()), None),
            UpgradeContext::V1(query) => (None, Some(query)),
        };
        let hop = |hop: &olm_upgrade::path::Hop| HopRow {
            from: hop.from.to_string(),
            to: hop.to.to_string(),
            safety: safety.and_then(|safety| safety.find_step(&hop.from, &hop.to)).map(safety::safety_json),
            kind: hop.edge().map(olm_upgrade::EdgeKind::as_str),
            channel: hop.channel().map(ToString::to_string),
            reason: hop.rule.to_string(),
        };
        Self {
            package: package.to_string(),
            engine: path.context.engine().as_str(),
            channel,
            channels: query
                .filter(|query| !query.channels.is_empty())
                .map(|query| query.channels.iter().map(ToString::to_string).collect()),
            version: query.map(|query| query.version.clone()).filter(|version| !version.is_empty()),
            policy: query.map(|query| query.policy).filter(|p| *p != Policy::default()).map(Policy::as_str),
            from: path.from.name.to_string(),
            to: path.to.as_ref().unwrap_or(path.last_bundle()).to_string(),
            arrives: path.arrives(),
            hops: path.hops.iter().map(hop).collect(),
            channel_change: route.channel_change.iter().map(hop).collect(),
            ends: match &path.outcome {
                PathOutcome::Arrives => None,
                PathOutcome::Stays { .. } => Some("stays"),
                PathOutcome::PassesBy { .. } => Some("passesBy"),
                PathOutcome::Never(_) => Some("never"),
                PathOutcome::Cycle { .. } => Some("circle"),
                PathOutcome::Error { .. } => Some("error"),
            },
            reason: path.reason(),
            opening: route.fix.as_ref().map(|opening| OpeningRow {
                channel: opening.channel.to_string(),
                entry: opening.entry.to_string(),
                skips: (opening.kind == PathFixKind::Skips).then(|| opening.from.to_string()),
                skip_range: match &opening.kind {
                    PathFixKind::SkipRange { range } => Some(range.clone()),
                    PathFixKind::Skips => None,
                },
            }),
            constraint: route.constraint.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::Catalog;
    use olm_upgrade::{Installed, fixture, v1::Query};

    const LINES: &str = "3.0.0 replaces=2.0.0 skips=2.5.0 range=>=2.0.0_<3.0.0\n2.5.0 skips=1.9.0\n\
        2.0.0 replaces=1.0.0\n1.9.0\n1.0.0";

    fn render_test_route(
        catalog: &Catalog,
        traveller: &UpgradeContext,
        from: &str,
        to: &str,
        columns: usize,
    ) -> String {
        let graph = fixture::graph_from_catalog(catalog);
        let from = Installed::from_package(&graph.package, &format!("p.v{from}").into());
        let route = PathReport::new(&graph, traveller, &from, &format!("p.v{to}").into());
        render_route(&route, None, &Style { width: columns, ..Style::PLAIN })
    }

    #[test]
    fn path_lists_each_hop_with_its_rule() {
        let catalog = fixture::catalog_from_channels(&[("c", LINES)]);
        let expected = "\
Classic, channel c: arrives in 2 upgrades
     p.v1.0.0
  1  p.v2.0.0  replaces it in c
  2  p.v3.0.0  replaces it in c
";
        assert_eq!(
            render_test_route(&catalog, &UpgradeContext::Classic("c".into()), "1.0.0", "3.0.0", 80),
            expected
        );
        let narrow = "\
v1, all channels:
arrives in 2 upgrades
     p.v1.9.0
  1  p.v2.5.0
       skips it in c
  2  p.v3.0.0
       skips it in c
";
        let v1 = UpgradeContext::V1(Query::default());
        assert_eq!(render_test_route(&catalog, &v1, "1.9.0", "3.0.0", 24), narrow);
    }

    #[test]
    fn channel_change_is_suggested_instead_of_an_unneeded_edit() {
        let catalog = fixture::catalog_from_channels(&[
            ("new", "2.0.0 replaces=1.1.0\n1.1.0"),
            ("old", "1.1.0 replaces=1.0.0\n1.0.0"),
            ("far", "3.0.0"),
        ]);
        let old = UpgradeContext::Classic("old".into());
        let words = render_test_route(&catalog, &old, "1.0.0", "2.0.0", 200);
        let expected =
            "It arrives with a channel change, without an edit: p.v1.0.0, p.v1.1.0, change to new, p.v2.0.0.";
        assert!(words.contains(expected) && !words.contains("One edit"), "{words}");
        let words = render_test_route(&catalog, &old, "1.0.0", "3.0.0", 200);
        let expected =
            "One edit adds an upgrade path, with a change to channel far: p.v3.0.0 in far skips p.v1.1.0.";
        assert!(words.contains(expected), "{words}");
    }

    #[test]
    fn path_that_does_not_arrive_states_reason_and_fix() {
        let catalog = fixture::catalog_from_channels(&[("c", LINES), ("d", "4.0.0 replaces=3.0.0\n3.0.0")]);
        let classic = UpgradeContext::Classic("c".into());
        let expected = "\
Classic, channel c: no upgrade path to p.v3.0.0
     p.v1.9.0
  It stays on p.v1.9.0: p.v2.5.0 would upgrade it, but p.v3.0.0 skips p.v2.5.0,
  so Classic ignores its edges.
  One edit adds an upgrade path: p.v3.0.0 in c skips p.v1.9.0.
";
        assert_eq!(render_test_route(&catalog, &classic, "1.9.0", "3.0.0", 80), expected);
        let skipped = render_test_route(&catalog, &classic, "2.0.0", "2.5.0", 200);
        assert!(
            skipped.contains(
                "The upgrade from p.v2.0.0 goes to p.v3.0.0, past p.v2.5.0: p.v3.0.0 skips p.v2.5.0"
            )
        );
        let elsewhere = render_test_route(&catalog, &classic, "1.0.0", "4.0.0", 80);
        assert!(elsewhere.contains("p.v4.0.0 is not in c; it is in d.\n"), "{elsewhere}");
        let v1 = render_test_route(&catalog, &UpgradeContext::V1(Query::default()), "2.0.0", "3.0.0", 80);
        assert!(v1.contains("arrives in 1 upgrade\n"), "{v1}");
        let v1 = render_test_route(&catalog, &UpgradeContext::V1(Query::default()), "1.9.0", "2.0.0", 80);
        assert!(v1.contains("goes to p.v2.5.0, past p.v2.0.0.\n"), "{v1}");
    }

    #[test]
    fn json_row_has_hops_and_opening() {
        let catalog = fixture::catalog_from_channels(&[("c", LINES)]);
        let graph = fixture::graph_from_catalog(&catalog);
        let row = |from: &str| {
            let from = Installed::from_package(&graph.package, &from.into());
            let route =
                PathReport::new(&graph, &UpgradeContext::Classic("c".into()), &from, &"p.v3.0.0".into());
            serde_json::to_value(Row::from_route(&graph.package.name, &route, None)).unwrap()
        };
        assert_eq!(
            row("p.v2.0.0"),
            serde_json::json!({"package": "p", "engine": "classic", "channel": "c", "from": "p.v2.0.0", "to": "p.v3.0.0", "arrives": true,
                "hops": [{"from": "p.v2.0.0", "to": "p.v3.0.0", "kind": "replaces", "channel": "c",
                    "reason": "replaces p.v2.0.0 in c"}]})
        );
        let stuck = row("p.v1.9.0");
        assert_eq!((&stuck["ends"], &stuck["hops"]), (&"stays".into(), &serde_json::json!([])));
        assert_eq!(
            stuck["opening"],
            serde_json::json!({"channel": "c", "entry": "p.v3.0.0", "skips": "p.v1.9.0"})
        );
    }
}
