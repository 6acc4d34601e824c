//! Notes on a row of the upgrade table, most severe first.

use super::{
    answer::Engine,
    table::{NextUpgrade, UpgradeRow, UpgradeTable},
    v1::Query,
};
use olm_catalog::{BundleName, ChannelName, package::Package};
use olm_version::{VersionRelease, masterminds::Constraint};

/// Suffix of a note that v1 stays because of a deprecation.
const DEPRECATED: &str = " is deprecated";

/// Kind of a note.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RowNoteKind {
    /// The resolver reports an error.
    Error,
    /// Classic stays although there are newer bundles.
    DeadEnd,
    /// v1 refuses its pick, which may be the installed bundle.
    Refused,
    /// v1 upgrades to a bundle that is not in the subscribed channel.
    LeavesChannel,
    /// The answers of Classic and v1 differ.
    Differs,
    /// An upgrade lands on a deprecated bundle.
    ToDeprecated,
    /// The upgrades are a cycle.
    Circle,
    /// The installed bundle is skipped.
    Skipped,
    /// The installed bundle is deprecated.
    Deprecated,
    /// The installed bundle is not an entry of the subscribed channel.
    Outside,
}

/// Note on a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowNote {
    /// Kind of the note.
    pub kind: RowNoteKind,
    /// Engine that the note is about. `None` if it is about both, or about the installed bundle.
    /// Notes about the subscribed channel are about Classic.
    pub engine: Option<Engine>,
    /// Text of the note.
    pub text: String,
}

impl RowNote {
    /// Returns true if the note is relevant for a user of only these engines.
    pub fn applies_to(&self, engines: &[Engine]) -> bool {
        match self.engine {
            Some(engine) => engines.contains(&engine),
            None if self.kind == RowNoteKind::Differs => engines.len() > 1,
            None => true,
        }
    }
}

impl UpgradeTable {
    /// Returns the notes on a row, most severe first.
    pub fn row_notes(&self, package: &Package, row: &UpgradeRow) -> Vec<RowNote> {
        let mut notes = Vec::new();
        let mut add_note = |kind, engine, text: String| notes.push(RowNote { kind, engine, text });
        let short = |name: &BundleName| package.short_name(name);
        for (engine, label, next) in [(Engine::Classic, "Classic", &row.classic), (Engine::V1, "v1", &row.v1)]
        {
            if let NextUpgrade::Error(error) = next {
                add_note(RowNoteKind::Error, Some(engine), format!("{label}: {}", error.brief()));
            }
        }
        if row.dead_end {
            add_note(RowNoteKind::DeadEnd, Some(Engine::Classic), "Classic never upgrades it".to_owned());
        }
        if let Some(why) = row.refused {
            let pick = row.v1.target().map_or_else(|| "the installed bundle".to_owned(), short);
            let text = format!("v1 REFUSES {pick} ({})", why.brief());
            add_note(RowNoteKind::Refused, Some(Engine::V1), text);
        }
        if let Some(target) = row.v1.target().filter(|_| row.leaves_channel) {
            let to = match &row.v1_catalog {
                Some(catalog) if package.bundle(target.as_str()).is_none() => catalog.name.clone(),
                _ => format_v1_channels(package, &self.query, target),
            };
            let text = format!("v1 leaves the channel for {to}");
            add_note(RowNoteKind::LeavesChannel, Some(Engine::V1), text);
        }
        let difference = self.describe_difference(package, row);
        // Report a deprecation that causes the difference only once.
        let said = difference.as_ref().is_some_and(|text| text.ends_with(DEPRECATED));
        if let Some(text) = difference {
            add_note(RowNoteKind::Differs, None, text);
        }
        let lands = |next: &NextUpgrade| {
            next.target().filter(|name| package.bundle_deprecation(name).is_some()).cloned()
        };
        match (lands(&row.classic).filter(|_| !said), lands(&row.v1)) {
            (Some(a), Some(b)) if a == b => {
                add_note(RowNoteKind::ToDeprecated, None, format!("lands on {}, deprecated", short(&a)));
            }
            (classic, v1) => {
                for (engine, label, name) in [(Engine::Classic, "Classic", classic), (Engine::V1, "v1", v1)] {
                    if let Some(name) = name {
                        let text = format!("{label} lands on {}, deprecated", short(&name));
                        add_note(RowNoteKind::ToDeprecated, Some(engine), text);
                    }
                }
            }
        }
        for (engine, label, end) in
            [(Engine::Classic, "Classic", &row.classic_end), (Engine::V1, "v1", &row.v1_end)]
        {
            if end.circular {
                add_note(RowNoteKind::Circle, Some(engine), format!("{label} has a cycle"));
            }
        }
        if row.skipped {
            add_note(RowNoteKind::Skipped, Some(Engine::Classic), "skipped".to_owned());
        }
        if row.deprecated {
            add_note(RowNoteKind::Deprecated, None, "deprecated".to_owned());
        }
        if !row.in_channel {
            add_note(RowNoteKind::Outside, Some(Engine::Classic), format!("not in {}", self.channel));
        }
        notes
    }

    /// Describes how Classic and v1 differ; `None` if another note covers it.
    fn describe_difference(&self, package: &Package, row: &UpgradeRow) -> Option<String> {
        let short = |name: &BundleName| package.short_name(name);
        if !row.in_channel || row.leaves_channel {
            return None;
        }
        let (classic_end, v1_end) = (&row.classic_end, &row.v1_end);
        match (&row.classic, &row.v1) {
            (NextUpgrade::Error(_), _)
            | (_, NextUpgrade::Error(_))
            | (NextUpgrade::Stays, NextUpgrade::Stays) => None,
            (NextUpgrade::Stays, NextUpgrade::To(_)) if row.dead_end => {
                row.refused.is_none().then(|| "v1 upgrades it".to_owned())
            }
            (NextUpgrade::Stays, NextUpgrade::To(name)) => {
                let way = if is_below(package.bundle_version(name.as_str()), row.installed.version.as_ref()) {
                    "downgrades"
                } else {
                    "upgrades"
                };
                Some(format!("Classic stays, v1 {way} to {}", short(name)))
            }
            (NextUpgrade::To(name), NextUpgrade::Stays) => {
                Some(format!("v1 stays: {}", self.explain_v1_stay(package, row, name)))
            }
            _ if classic_end.circular || v1_end.circular => None,
            (NextUpgrade::To(classic), NextUpgrade::To(v1)) if classic_end.name == v1_end.name => {
                if classic == v1 && classic_end.hops == v1_end.hops {
                    return None;
                }
                Some(match (classic_end.hops, v1_end.hops) {
                    (hops, 1) if hops > 1 => {
                        format!("v1 goes to {} at once, Classic in {hops} hops", short(&v1_end.name))
                    }
                    (1, hops) if hops > 1 => {
                        format!("Classic goes to {} at once, v1 in {hops} hops", short(&v1_end.name))
                    }
                    (a, b) if a == b => format!("both end at {}, by different paths", short(&v1_end.name)),
                    (classic, v1) => {
                        format!("both end at {}, Classic in {classic} hops, v1 in {v1}", short(&v1_end.name))
                    }
                })
            }
            (NextUpgrade::To(_), NextUpgrade::To(_)) => {
                let (v1, classic) = (short(&v1_end.name), short(&classic_end.name));
                Some(if self.leaves_channel(package, &v1_end.name) {
                    format!("v1 leaves {} later, for {v1}", self.channel)
                } else if row.agrees() {
                    format!("later v1 stops at {v1}, Classic at {classic}")
                } else {
                    format!("v1 ends at {v1}, Classic at {classic}")
                })
            }
        }
    }

    /// Returns true if a bundle is not an entry of the subscribed channel.
    fn leaves_channel(&self, package: &Package, name: &BundleName) -> bool {
        let channel = package.channel_position(self.channel.as_str());
        channel.is_some_and(|channel| !package.channel_positions_with(name).contains(&channel))
    }

    /// Explains why v1 stays although Classic upgrades.
    fn explain_v1_stay(&self, package: &Package, row: &UpgradeRow, name: &BundleName) -> String {
        // The catalog of the pick decides alone, and its candidate is the installed version.
        if let Some(catalog) = &row.v1_catalog {
            return format!("{} has no upgrade", catalog.name);
        }
        let what = package.short_name(name);
        let query = &self.query;
        let version = package.bundle_version(name.as_str());
        let listed = |channel: &ChannelName| query.channels.is_empty() || query.channels.contains(channel);
        let excluded = || {
            let constraint = Constraint::parse(&query.version).ok()?;
            Some(!constraint.matches(&version?.version))
        };
        if package.bundle(name.as_str()).is_none() {
            format!("{what} has no bundle")
        } else if version.is_none() {
            format!("the version of {what} is invalid")
        } else if !package.channels_with(name).any(|channel| listed(&channel.name.value)) {
            format!("{what} is in none of its channels")
        } else if !query.version.is_empty() && excluded() == Some(true) {
            format!("{what} is excluded by {}", query.version)
        } else if is_below(version, row.installed.version.as_ref()) {
            format!("{what} is lower")
        } else if package.bundle_deprecation(name).is_some() {
            format!("{what}{DEPRECATED}")
        } else if !is_below(row.installed.version.as_ref(), version) {
            format!("{what} is the same version")
        } else {
            "no edge in its channels leads to another version".to_owned()
        }
    }
}

/// Formats the channels of the query that contain a bundle, such as `fast +1`.
fn format_v1_channels(package: &Package, query: &Query, name: &BundleName) -> String {
    let mut homes: Vec<&ChannelName> = package
        .channels_with(name)
        .map(|channel| &channel.name.value)
        .filter(|channel| query.channels.is_empty() || query.channels.contains(channel))
        .collect();
    homes.sort();
    match homes.as_slice() {
        [] => "a bundle in no channel".to_owned(),
        [one] => one.to_string(),
        [one, rest @ ..] => format!("{one} +{}", rest.len()),
    }
}

fn is_below(a: Option<&VersionRelease>, b: Option<&VersionRelease>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a.cmp_precedence(b).is_lt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        PackageGraph,
        fixture::{graph_from_channels, graph_from_lines},
    };

    fn render_notes(graph: &PackageGraph, query: &Query, version: &str) -> String {
        let name = &graph.channels()[0].graph.name().clone();
        let table = UpgradeTable::new(graph, name, query);
        let row = table.find_row(&format!("p.v{version}").into()).unwrap();
        let remarks = table.row_notes(&graph.package, row);
        remarks.into_iter().map(|remark| remark.text).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn equal_answers_have_no_notes() {
        let graph = graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0");
        assert_eq!(render_notes(&graph, &Query::default(), "1.0.0"), "");
    }

    #[test]
    fn note_describes_difference_with_numbers_and_names() {
        // Classic picks the candidate closest to the head, v1 the highest.
        let lower = graph_from_lines("1.5.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0");
        for (graph, query, version, expected) in [
            (&lower, "", "2.0.0", "v1 stays: 1.5.0 is lower"),
            (&lower, "", "1.0.0", "later v1 stops at 2.0.0, Classic at 1.5.0"),
            (&lower, "<2.0.0", "1.0.0", "v1 stays: 2.0.0 is excluded by <2.0.0"),
            (
                &graph_from_lines("2.0.0 replaces=1.0.0 deprecated\n1.0.0"),
                "",
                "1.0.0",
                "v1 stays: 2.0.0 is deprecated",
            ),
            (
                &graph_from_lines("3.0.0 replaces=2.0.0 deprecated\n2.0.0 replaces=1.0.0\n1.0.0 deprecated"),
                "",
                "1.0.0",
                "later v1 stops at 2.0.0, Classic at 3.0.0; deprecated",
            ),
            // The highest is a skipped entry, which v1 can still pick.
            (
                &graph_from_lines(
                    "3.0.0 replaces=2.0.0 skips=2.5.0 range=>=2.5.0_<3.0.0\n2.5.0 skips=1.0.0\n2.0.0 replaces=1.0.0\n1.0.0",
                ),
                "",
                "1.0.0",
                "both end at 3.0.0, by different paths; skipped",
            ),
            (
                &graph_from_lines("3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.0.0\n2.0.0\n1.0.0"),
                "",
                "1.0.0",
                "Classic never upgrades it; v1 upgrades it; skipped",
            ),
            (
                &graph_from_lines("3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0 deprecated"),
                "",
                "1.0.0",
                "deprecated",
            ),
        ] {
            let query = Query { version: query.into(), ..Query::default() };
            assert_eq!(render_notes(graph, &query, version), expected);
        }
    }

    #[test]
    fn note_counts_hops_if_only_they_differ() {
        // Classic's chain has 2.0.0 between both versions, so Classic needs two hops where v1 needs
        // one.
        let graph = graph_from_channels(&[
            ("c", "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0"),
            ("fast", "3.0.0 range=>=1.0.0_<3.0.0"),
        ]);
        assert_eq!(
            render_notes(&graph, &Query::default(), "1.0.0"),
            "v1 goes to 3.0.0 at once, Classic in 2 hops"
        );
        let only = Query { channels: vec!["fast".into()], ..Query::default() };
        assert_eq!(render_notes(&graph, &only, "2.0.0"), "");
        assert_eq!(render_notes(&graph, &Query { channels: vec!["c".into()], ..only }, "1.0.0"), "");
    }

    #[test]
    fn note_names_channel_that_v1_enters() {
        let graph =
            graph_from_channels(&[("c", "1.0.0"), ("fast", "2.0.0 replaces=1.0.0"), ("next", "2.0.0")]);
        assert_eq!(render_notes(&graph, &Query::default(), "1.0.0"), "v1 leaves the channel for fast +1");
        assert_eq!(render_notes(&graph, &Query::default(), "2.0.0"), "not in c");
        let later =
            graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0"), ("fast", "3.0.0 replaces=2.0.0")]);
        assert_eq!(render_notes(&later, &Query::default(), "1.0.0"), "v1 leaves c later, for 3.0.0");
    }

    #[test]
    fn note_reports_pick_that_v1_refuses_to_install() {
        let graph = graph_from_lines("2.0.0 replaces=1.0.0 requires=other\n1.0.0");
        assert_eq!(render_notes(&graph, &Query::default(), "1.0.0"), "v1 REFUSES 2.0.0 (dependencies)");
        assert_eq!(
            render_notes(&graph, &Query::default(), "2.0.0"),
            "v1 REFUSES the installed bundle (dependencies)"
        );
        let query = Query { channels: vec!["C".into()], ..Query::default() };
        let other = graph_from_channels(&[("C", "2.0.0 replaces=1.0.0\n1.0.0")]);
        assert_eq!(render_notes(&other, &query, "1.0.0"), "v1 REFUSES 2.0.0 (channel name)");
        assert_eq!(render_notes(&other, &query, "2.0.0"), "", "only dependencies of what is installed count");
        let stuck = graph_from_lines("3.0.0 skips=2.5.0\n2.5.0 skips=1.0.0 requires=other\n1.0.0");
        assert_eq!(
            render_notes(&stuck, &Query::default(), "1.0.0"),
            "Classic never upgrades it; v1 REFUSES 2.5.0 (dependencies); skipped"
        );
        let table = UpgradeTable::new(&stuck, &"c".into(), &Query::default());
        let counts = table.summarize_channel().format_parts(&[Engine::Classic, Engine::V1]);
        let counts: Vec<String> = counts.into_iter().map(|(_, words)| words).collect();
        assert_eq!(counts, ["same pick for 2 of 3", "Classic never upgrades 1", "v1 refuses 1"]);
    }

    #[test]
    fn note_has_short_form_of_error() {
        let heads = graph_from_lines("3.0.0\n2.0.0\n1.0.0");
        assert_eq!(render_notes(&heads, &Query::default(), "1.0.0"), "Classic: c has 3 heads");
        let none = graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0 replaces=2.0.0");
        assert_eq!(render_notes(&none, &Query::default(), "2.0.0"), "Classic: c has no head");
        let circle = graph_from_lines("3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=2.0.0");
        assert_eq!(render_notes(&circle, &Query::default(), "3.0.0"), "Classic: c has a cycle");
        let query = Query { version: ">9".into(), ..Query::default() };
        assert_eq!(
            render_notes(&graph_from_lines("2.0.0 replaces=1.0.0\n1.0.0"), &query, "2.0.0"),
            "v1: nothing matches version >9"
        );
    }

    #[test]
    fn note_applies_only_to_its_engine() {
        let remark = |kind, engine| RowNote { kind, engine, text: String::new() };
        assert!(!remark(RowNoteKind::DeadEnd, Some(Engine::Classic)).applies_to(&[Engine::V1]));
        assert!(!remark(RowNoteKind::Differs, None).applies_to(&[Engine::Classic]));
        assert!(remark(RowNoteKind::Deprecated, None).applies_to(&[Engine::V1]));
    }
}
