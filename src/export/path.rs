//! Upgrade paths hop by hop, with the reason why one ends and the edit that opens it.

use serde::Serialize;

use super::{
    answer,
    plain::{width, wrap},
    safety,
    style::{Ink, Style},
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    upgrade::{
        Engine, Refusal,
        path::{End, Ignored, Never, Opening, OpeningKind, Path, Route, Stop, Traveller},
        safety::{PackageSafety, Verdict},
        v1::Policy,
    },
};

/// Colored piece of a line.
pub type Piece = (Ink, String);

/// Renders a route: who upgrades and the outcome, the hops, the reason why it ends, and a fix.
/// Lines have at most `columns` columns if the words allow it.
pub fn lines(route: &Route, safety: Option<&PackageSafety>, columns: usize) -> Vec<Vec<Piece>> {
    let path = &route.path;
    let mut lines = heading(path, columns);
    hops(&mut lines, path, safety, columns);
    let told = [(Ink::Warning, why(path)), (Ink::Good, Some(way_out(route)).filter(|_| !path.arrives()))];
    for (ink, sentence) in told {
        let Some(sentence) = sentence else { continue };
        let folded = wrap::wrapped(&sentence, "", columns.saturating_sub(2));
        lines.extend(folded.lines().map(|line| vec![(Ink::Text, "  ".to_owned()), (ink, line.to_owned())]));
    }
    lines
}

/// Renders a route as text.
pub fn text(route: &Route, safety: Option<&PackageSafety>, style: &Style) -> String {
    let mut out = String::new();
    for line in lines(route, safety, style.width) {
        out.extend(line.iter().map(|(ink, text)| style.paint(*ink, text)));
        out.push('\n');
    }
    out
}

fn heading(path: &Path, columns: usize) -> Vec<Vec<Piece>> {
    let who = answer::traveller(&path.traveller);
    let to = path.to.as_ref().unwrap_or(path.last());
    let (ink, outcome) = match (path.arrives(), path.hops.len()) {
        (true, 0) => (Ink::Good, "already there".to_owned()),
        (true, 1) => (Ink::Good, "arrives in 1 upgrade".to_owned()),
        (true, n) => (Ink::Good, format!("arrives in {n} upgrades")),
        (false, _) => (Ink::Warning, format!("no upgrade path to {to}")),
    };
    if width(&who) + 2 + width(&outcome) <= columns {
        return vec![vec![(Ink::Bold, format!("{who}: ")), (ink, outcome)]];
    }
    let line = |ink: Ink, text: &str| {
        let folded = wrap::hanging(text, "", "  ", columns);
        folded.lines().map(|line| vec![(ink, line.to_owned())]).collect::<Vec<_>>()
    };
    [line(Ink::Bold, &format!("{who}:")), line(ink, &outcome)].concat()
}

/// Adds a line with the installed bundle, then one for each hop with its rule.
fn hops(lines: &mut Vec<Vec<Piece>>, path: &Path, safety: Option<&PackageSafety>, columns: usize) {
    let digits = path.hops.len().to_string().len();
    let indent = digits + 4;
    let names = path.hops.iter().map(|hop| width(hop.to.as_str())).max().unwrap_or(0);
    lines.push(vec![(Ink::Text, format!("{:indent$}{}", "", path.from.name))]);
    for (number, hop) in (1..).zip(&path.hops) {
        let passes = matches!(&path.end, End::PassesBy { .. }) && number == path.hops.len();
        let ink = if passes { Ink::Warning } else { Ink::Good };
        let mut line = vec![(Ink::Dim, format!("  {number:>digits$}  ")), (ink, hop.to.to_string())];
        let rule = hop.why();
        // Rules are aligned in a column. A rule that is too long goes below its bundle.
        if indent + names + 2 + width(&rule) <= columns {
            let gap = names - width(hop.to.as_str()) + 2;
            line.push((Ink::Dim, format!("{:gap$}{rule}", "")));
            lines.push(line);
        } else {
            lines.push(line);
            let rule = folded(&rule, columns.saturating_sub(indent + 2));
            lines.extend(rule.into_iter().map(|more| vec![(Ink::Dim, format!("{:indent$}  {more}", ""))]));
        }
        let known = safety.and_then(|safety| safety.of(&hop.from, &hop.to));
        if let Some(known) = known.filter(|known| known.verdict() != Verdict::Safe) {
            let ink = safety::ink(known.verdict_for(hop.engine));
            let told = folded(&known.brief(&[hop.engine]), columns.saturating_sub(indent + 2));
            lines.extend(told.into_iter().map(|more| vec![(ink, format!("{:indent$}  {more}", ""))]));
        }
    }
}

fn folded(text: &str, columns: usize) -> Vec<String> {
    wrap::wrapped(text, "", columns).lines().map(str::to_owned).collect()
}

/// Returns a sentence with the reason why a path does not arrive. `None` if it arrives.
pub fn why(path: &Path) -> Option<String> {
    let to = path.to.as_ref()?;
    let engine = match path.traveller.engine() {
        Engine::Classic => "Classic",
        Engine::V1 => "v1",
    };
    Some(match &path.end {
        End::Arrives => return None,
        End::Stays { at, why } => format!("It stays on {at}: {}.", stop(path, at, why)),
        End::PassesBy { from, to: lands, skipped_by: None } => {
            format!("The upgrade from {from} goes to {lands}, past {to}.")
        }
        End::PassesBy { from, to: lands, skipped_by: Some(by) } => {
            format!(
                "The upgrade from {from} goes to {lands}, past {to}: {by} skips {to}, so Classic never \
                 installs it."
            )
        }
        End::Never(never) => format!("{}.", unreachable(path, to, never)),
        End::Circle { at } => format!("It returns to {at}: the upgrades form a cycle."),
        End::Error { at, error } => format!("On {at} {engine} reports an error: {error}."),
    })
}

fn stop(path: &Path, at: &BundleName, why: &Stop) -> String {
    let place = || match &path.traveller {
        Traveller::Classic(channel) => channel.to_string(),
        Traveller::V1(query) => listed(&query.channels, "or"),
    };
    match why {
        Stop::Head => format!("it is the head of {}", place()),
        Stop::DeadEnd(ignored) => dead_end(ignored),
        Stop::NoEdge { is_entry: true } => {
            "no entry replaces it, skips it, or has a skipRange that includes its version".to_owned()
        }
        Stop::NoEdge { is_entry: false } if path.from.name == *at && path.from.version.is_none() => format!(
            "it is not in {}, no entry there replaces or skips it, and no skipRange can match, because \
             its version is unknown",
            place()
        ),
        Stop::NoEdge { is_entry: false } => format!(
            "it is not in {}, and no entry there replaces it, skips it, or has a skipRange that includes \
             its version",
            place()
        ),
        Stop::OwnRange { range } => {
            format!("its own skipRange {range} includes it, so it is its own successor")
        }
        Stop::OnlyDeprecated(names) => {
            let are = if names.len() == 1 { "is" } else { "are" };
            format!("v1 prefers it to {}, which {are} deprecated", first_of(names))
        }
        Stop::Constraint { constraint, to } => {
            format!("the version constraint {constraint} excludes the upgrade to {to}")
        }
        Stop::OtherChannels { channel, to } => {
            format!("no edge in {}, but {channel} would upgrade it to {to}", place())
        }
        Stop::Highest => "it is the highest version that is not deprecated".to_owned(),
    }
}

fn dead_end(ignored: &[Ignored]) -> String {
    let Some(first) = ignored.first() else { return "DEAD END".to_owned() };
    let to = &first.to;
    let why = match &first.why {
        Refusal::Skipped { by, .. } => format!("{by} skips {to}, so Classic ignores its edges"),
        _ => format!("{to} is not on the replaces chain from the head"),
    };
    match ignored.len() {
        1 => format!("DEAD END: {to} would upgrade it, but {why}"),
        n => format!("DEAD END: {to} and {} more would upgrade it, but {why}, and so on", n - 1),
    }
}

fn unreachable(path: &Path, to: &BundleName, never: &Never) -> String {
    let from = &path.from.name;
    match never {
        Never::NoBundle => format!("{to} is only referenced: the package has no such bundle"),
        Never::NotInChannel { channels, has } => {
            let has = match has.as_slice() {
                [] if channels.is_empty() => String::new(),
                [] => "; it is in no channel".to_owned(),
                has => format!("; it is in {}", listed(has, "and")),
            };
            format!("{to} is not in {}{has}", listed(channels, "or"))
        }
        Never::Constraint { constraint } => format!("the version constraint {constraint} excludes {to}"),
        Never::NoVersion => format!("the version of {to} is invalid, so v1 ignores it"),
        Never::Lower => format!("{to} is lower than {from}, and OLM does not downgrade"),
        Never::Earlier => {
            format!("{to} is before {from} on the path to the head, and OLM does not go back")
        }
        Never::Skipped { by } => format!("{by} skips {to}, so Classic never installs it"),
        Never::OffChain => {
            format!("{to} is not on the replaces chain from the head, so Classic never installs it")
        }
    }
}

/// Formats a list of channels: `stable`, `stable or fast`, `any channel`.
fn listed(channels: &[ChannelName], and: &str) -> String {
    match channels {
        [] => "any channel".to_owned(),
        [rest @ .., last] if !rest.is_empty() => {
            let rest: Vec<&str> = rest.iter().map(ChannelName::as_str).collect();
            format!("{} {and} {last}", rest.join(", "))
        }
        _ => channels.iter().map(ChannelName::as_str).collect(),
    }
}

fn first_of(names: &[BundleName]) -> String {
    match names {
        [first, _, ..] => format!("{first} and {} more", names.len() - 1),
        _ => names.iter().map(BundleName::as_str).collect(),
    }
}

/// Returns a sentence with the fix, or that no edit of a single edge helps.
pub fn way_out(route: &Route) -> String {
    if let Some(words) = channel_change(route) {
        return words;
    }
    if let Some(opening) = &route.opening {
        let is_own = route.path.traveller == Traveller::Classic(opening.channel.clone())
            || route.path.traveller.engine() == Engine::V1;
        let after =
            if is_own { String::new() } else { format!(", with a change to channel {}", opening.channel) };
        return format!("One edit adds an upgrade path{after}: {}.", edge(opening));
    }
    let mut text = match &route.path.end {
        End::PassesBy { skipped_by: None, .. } => match route.path.traveller {
            Traveller::Classic(_) => "No skip helps: Classic prefers bundles closer to the head.".to_owned(),
            Traveller::V1(_) => "No skip helps: v1 prefers the highest version.".to_owned(),
        },
        End::Error { .. } => "No skip helps until that is fixed.".to_owned(),
        _ => "No skip helps.".to_owned(),
    };
    if let Some(constraint) = &route.constraint {
        text.push_str(&format!(" The version constraint {constraint} does."));
    }
    text
}

/// Returns a sentence with an upgrade path that changes the channel. `None` if there is none.
fn channel_change(route: &Route) -> Option<String> {
    let Traveller::Classic(own) = &route.path.traveller else { return None };
    let mut channel = own;
    let mut parts = Vec::new();
    for hop in &route.channel_change {
        let of_hop = hop.channel()?;
        if of_hop != channel {
            channel = of_hop;
            parts.push(format!("change to {channel}"));
        }
        parts.push(hop.to.to_string());
    }
    (!parts.is_empty()).then(|| {
        let from = &route.path.from.name;
        format!("It arrives with a channel change, without an edit: {from}, {}.", parts.join(", "))
    })
}

/// Describes the edge that an edit adds: `tide.v1.2.0 in stable skips tide.v1.0.0`.
pub(super) fn edge(opening: &Opening) -> String {
    let (entry, channel) = (&opening.entry, &opening.channel);
    match &opening.kind {
        OpeningKind::Skips => format!("{entry} in {channel} skips {}", opening.from),
        OpeningKind::SkipRange { range } => format!("{entry} in {channel} has skipRange {range}"),
    }
}

/// Route as `olmap path -o json` prints it (`docs/cli.md`).
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
    /// Returns the row of a route, with the safety of its steps if it was checked.
    pub fn of(package: &PackageName, route: &Route, safety: Option<&PackageSafety>) -> Self {
        let path = &route.path;
        let (channel, query) = match &path.traveller {
            Traveller::Classic(channel) => (Some(channel.to_string()), None),
            Traveller::V1(query) => (None, Some(query)),
        };
        let hop = |hop: &crate::upgrade::path::Hop| HopRow {
            from: hop.from.to_string(),
            to: hop.to.to_string(),
            safety: safety.and_then(|safety| safety.of(&hop.from, &hop.to)).map(safety::json_of),
            kind: hop.edge().map(crate::upgrade::EdgeKind::as_str),
            channel: hop.channel().map(ToString::to_string),
            reason: hop.rule.to_string(),
        };
        Self {
            package: package.to_string(),
            engine: path.traveller.engine().as_str(),
            channel,
            channels: query
                .filter(|query| !query.channels.is_empty())
                .map(|query| query.channels.iter().map(ToString::to_string).collect()),
            version: query.map(|query| query.version.clone()).filter(|version| !version.is_empty()),
            policy: query.map(|query| query.policy).filter(|p| *p != Policy::default()).map(Policy::as_str),
            from: path.from.name.to_string(),
            to: path.to.as_ref().unwrap_or(path.last()).to_string(),
            arrives: path.arrives(),
            hops: path.hops.iter().map(hop).collect(),
            channel_change: route.channel_change.iter().map(hop).collect(),
            ends: match &path.end {
                End::Arrives => None,
                End::Stays { .. } => Some("stays"),
                End::PassesBy { .. } => Some("passesBy"),
                End::Never(_) => Some("never"),
                End::Circle { .. } => Some("circle"),
                End::Error { .. } => Some("error"),
            },
            reason: why(path),
            opening: route.opening.as_ref().map(|opening| OpeningRow {
                channel: opening.channel.to_string(),
                entry: opening.entry.to_string(),
                skips: (opening.kind == OpeningKind::Skips).then(|| opening.from.to_string()),
                skip_range: match &opening.kind {
                    OpeningKind::SkipRange { range } => Some(range.clone()),
                    OpeningKind::Skips => None,
                },
            }),
            constraint: route.constraint.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::Catalog,
        upgrade::{Installed, fixture, v1::Query},
    };

    const LINES: &str = "3.0.0 replaces=2.0.0 skips=2.5.0 range=>=2.0.0_<3.0.0\n2.5.0 skips=1.9.0\n\
        2.0.0 replaces=1.0.0\n1.9.0\n1.0.0";

    fn told(catalog: &Catalog, traveller: &Traveller, from: &str, to: &str, columns: usize) -> String {
        let graph = fixture::graph(catalog);
        let from = Installed::of(&graph.package, &format!("p.v{from}").into());
        let route = Route::new(&graph, traveller, &from, &format!("p.v{to}").into());
        text(&route, None, &Style { width: columns, ..Style::PLAIN })
    }

    #[test]
    fn path_lists_each_hop_with_its_rule() {
        let catalog = fixture::catalog(&[("c", LINES)]);
        let expected = "\
Classic, channel c: arrives in 2 upgrades
     p.v1.0.0
  1  p.v2.0.0  replaces it in c
  2  p.v3.0.0  replaces it in c
";
        assert_eq!(told(&catalog, &Traveller::Classic("c".into()), "1.0.0", "3.0.0", 80), expected);
        let narrow = "\
v1, all channels:
arrives in 2 upgrades
     p.v1.9.0
  1  p.v2.5.0
       skips it in c
  2  p.v3.0.0
       skips it in c
";
        let v1 = Traveller::V1(Query::default());
        assert_eq!(told(&catalog, &v1, "1.9.0", "3.0.0", 24), narrow);
    }

    #[test]
    fn channel_change_is_suggested_instead_of_an_unneeded_edit() {
        let catalog = fixture::catalog(&[
            ("new", "2.0.0 replaces=1.1.0\n1.1.0"),
            ("old", "1.1.0 replaces=1.0.0\n1.0.0"),
            ("far", "3.0.0"),
        ]);
        let old = Traveller::Classic("old".into());
        let words = told(&catalog, &old, "1.0.0", "2.0.0", 200);
        let expected =
            "It arrives with a channel change, without an edit: p.v1.0.0, p.v1.1.0, change to new, p.v2.0.0.";
        assert!(words.contains(expected) && !words.contains("One edit"), "{words}");
        let words = told(&catalog, &old, "1.0.0", "3.0.0", 200);
        let expected =
            "One edit adds an upgrade path, with a change to channel far: p.v3.0.0 in far skips p.v1.1.0.";
        assert!(words.contains(expected), "{words}");
    }

    #[test]
    fn path_that_does_not_arrive_states_reason_and_fix() {
        let catalog = fixture::catalog(&[("c", LINES), ("d", "4.0.0 replaces=3.0.0\n3.0.0")]);
        let classic = Traveller::Classic("c".into());
        let expected = "\
Classic, channel c: no upgrade path to p.v3.0.0
     p.v1.9.0
  It stays on p.v1.9.0: DEAD END: p.v2.5.0 would upgrade it, but p.v3.0.0 skips
  p.v2.5.0, so Classic ignores its edges.
  One edit adds an upgrade path: p.v3.0.0 in c skips p.v1.9.0.
";
        assert_eq!(told(&catalog, &classic, "1.9.0", "3.0.0", 80), expected);
        let skipped = told(&catalog, &classic, "2.0.0", "2.5.0", 200);
        assert!(
            skipped.contains(
                "The upgrade from p.v2.0.0 goes to p.v3.0.0, past p.v2.5.0: p.v3.0.0 skips p.v2.5.0"
            )
        );
        let elsewhere = told(&catalog, &classic, "1.0.0", "4.0.0", 80);
        assert!(elsewhere.contains("p.v4.0.0 is not in c; it is in d.\n"), "{elsewhere}");
        let v1 = told(&catalog, &Traveller::V1(Query::default()), "2.0.0", "3.0.0", 80);
        assert!(v1.contains("arrives in 1 upgrade\n"), "{v1}");
        let v1 = told(&catalog, &Traveller::V1(Query::default()), "1.9.0", "2.0.0", 80);
        assert!(v1.contains("goes to p.v2.5.0, past p.v2.0.0.\n"), "{v1}");
    }

    #[test]
    fn json_row_has_hops_and_opening() {
        let catalog = fixture::catalog(&[("c", LINES)]);
        let graph = fixture::graph(&catalog);
        let row = |from: &str| {
            let from = Installed::of(&graph.package, &from.into());
            let route = Route::new(&graph, &Traveller::Classic("c".into()), &from, &"p.v3.0.0".into());
            serde_json::to_value(Row::of(&graph.package.name, &route, None)).unwrap()
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
