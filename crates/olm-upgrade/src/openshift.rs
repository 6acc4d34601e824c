//! Blockers of OpenShift minor updates: the `olm.maxOpenShiftVersion` of installed bundles.
//!
//! The rule is that of OLM Classic (`operator-lifecycle-manager`, `pkg/controller/operators/openshift/helpers.go`:
//! `maxOpenShiftVersion`, `nextY`). An installed bundle blocks the update to the next minor version if its limit is lower,
//! unreadable or given twice. OLM v1 (`cluster-olm-operator`, `internal/versionutils`) has the same result for limits of the
//! form major.minor. It adds that 4.23 and 5.0 are equal and that both update to 5.1.

use std::collections::HashMap;

use super::{
    answer::Engine,
    table::{NextUpgrade, UpgradeRow, UpgradeTable, find_path_ends},
};
use olm_catalog::{BundleName, blob::BundleBlob, openshift::parse_digits, package::Package};

pub use olm_catalog::openshift::{OpenShift, OpenShiftError};

/// Highest OpenShift version that a bundle declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenShiftLimit {
    /// Not declared; the bundle never blocks.
    None,
    /// Declared version.
    UpTo(OpenShift),
    /// Not readable, with the fault; OLM blocks every minor update.
    Unreadable(String),
}

impl OpenShiftLimit {
    /// Type of the property.
    pub const PROPERTY: &str = "olm.maxOpenShiftVersion";

    /// Returns the limit for all values of this property in a bundle.
    pub fn from_values(values: &[String]) -> Self {
        match values {
            [] => Self::None,
            [one] => Self::parse_value(one),
            several => Self::from_repeated(several.len()),
        }
    }

    fn from_repeated(count: usize) -> Self {
        Self::Unreadable(format!("{count} {} properties", Self::PROPERTY))
    }

    /// Returns the limit of a bundle.
    pub fn from_bundle(bundle: &BundleBlob) -> Self {
        match bundle.properties.iter().filter(|p| p.kind.value == Self::PROPERTY).count() {
            0 => Self::None,
            1 => bundle.max_openshift.as_ref().map_or_else(
                || Self::Unreadable("no version".to_owned()),
                |max| Self::parse_value(&max.value),
            ),
            several => Self::from_repeated(several),
        }
    }

    /// Parses a value as OLM Classic does. Accepts quotes, blanks, one `v` and leading zeros, but no patch version other
    /// than 0.
    fn parse_value(text: &str) -> Self {
        let bad = || Self::Unreadable(format!("`{text}`"));
        let trimmed = text.trim_matches('"').trim();
        let mut parts = trimmed.strip_prefix('v').unwrap_or(trimmed).splitn(3, '.');
        let Some(major) = parts.next().and_then(parse_digits) else { return bad() };
        let minor = match parts.next().map(parse_digits) {
            None => Some(0),
            Some(minor) => minor,
        };
        let patch = parts
            .next()
            .is_none_or(|patch| parse_digits(patch.split('+').next().unwrap_or_default()) == Some(0));
        match minor {
            Some(minor) if patch => Self::UpTo(OpenShift { major, minor }),
            _ => bad(),
        }
    }

    /// Returns true if the limit blocks the update of a cluster to a version.
    pub fn blocks(&self, to: OpenShift) -> bool {
        match self {
            Self::None => false,
            Self::UpTo(max) => *max < to,
            Self::Unreadable(_) => true,
        }
    }
}

/// Closest bundle on an upgrade path that does not block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WayOut {
    /// Name of the bundle.
    pub name: BundleName,
    /// Number of upgrades to this bundle.
    pub hops: usize,
}

/// Installed bundle that blocks the update.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocker {
    /// Limit of the bundle.
    pub limit: OpenShiftLimit,
    /// Way out on Classic's path; `None` if there is none.
    pub classic: Option<WayOut>,
    /// Way out on v1's path; `None` if there is none.
    pub v1: Option<WayOut>,
}

/// Installed bundles of a package that block the next minor version of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterUpdate {
    /// Current version of the cluster.
    pub from: OpenShift,
    /// Next minor version.
    pub to: OpenShift,
    blockers: HashMap<BundleName, Blocker>,
}

/// Counts for the entries of the subscribed channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpdateSummary {
    /// Number of bundles.
    pub total: usize,
    /// Number of bundles that block.
    pub block: usize,
    /// Number of blockers with a way out on Classic.
    pub classic: usize,
    /// Number of blockers with a way out on v1.
    pub v1: usize,
}

impl ClusterUpdate {
    /// Checks every row of a table.
    pub fn new(package: &Package, table: &UpgradeTable, from: OpenShift) -> Self {
        let to = from.next_minor();
        let limit = |row: &UpgradeRow| {
            package
                .bundle(row.installed.name.as_str())
                .map_or(OpenShiftLimit::None, |bundle| OpenShiftLimit::from_bundle(bundle))
        };
        let limits: Vec<OpenShiftLimit> = table.rows.iter().map(limit).collect();
        // A path ends at the first bundle that does not block.
        let arrived = NextUpgrade::Stays;
        let ways = |next: fn(&UpgradeRow) -> &NextUpgrade| {
            let steps: Vec<(&BundleName, &NextUpgrade)> = table
                .rows
                .iter()
                .zip(&limits)
                .map(|(row, limit)| {
                    (&row.installed.name, if limit.blocks(to) { next(row) } else { &arrived })
                })
                .collect();
            find_path_ends(&steps)
        };
        let free = |name: &BundleName| {
            package
                .bundle(name.as_str())
                .is_some_and(|bundle| !OpenShiftLimit::from_bundle(bundle).blocks(to))
        };
        let way = |end: super::table::PathEnd| {
            (!end.circular && free(&end.name)).then_some(WayOut { name: end.name, hops: end.hops })
        };
        let ends = ways(|row| &row.classic).into_iter().zip(ways(|row| &row.v1));
        let rows = table.rows.iter().zip(limits).zip(ends);
        let blockers =
            rows.filter(|((_, limit), _)| limit.blocks(to)).map(|((row, limit), (classic, v1))| {
                (row.installed.name.clone(), Blocker { limit, classic: way(classic), v1: way(v1) })
            });
        Self { from, to, blockers: blockers.collect() }
    }

    /// Returns the blocker of an installed bundle; `None` if it does not block.
    pub fn blocker(&self, name: &BundleName) -> Option<&Blocker> {
        self.blockers.get(name)
    }

    /// Counts the entries of the subscribed channel.
    pub fn count_blockers(&self, table: &UpgradeTable) -> UpdateSummary {
        let mut summary = UpdateSummary::default();
        for row in table.rows.iter().filter(|row| row.in_channel) {
            summary.total += 1;
            if let Some(blocker) = self.blocker(&row.installed.name) {
                summary.block += 1;
                summary.classic += usize::from(blocker.classic.is_some());
                summary.v1 += usize::from(blocker.v1.is_some());
            }
        }
        summary
    }

    /// Formats the summary: `7 of 30 block 4.18 -> 4.19; all can upgrade first`.
    pub fn format_summary(&self, table: &UpgradeTable) -> String {
        let UpdateSummary { total, block, classic, v1 } = self.count_blockers(table);
        let update = format!("{} -> {}", self.from, self.to);
        let ways = match block {
            0 => return format!("no version blocks {update}"),
            _ if classic == block && v1 == block => {
                if block == 1 { "it can upgrade first" } else { "all can upgrade first" }.to_owned()
            }
            _ if classic == 0 && v1 == 0 => "no upgrade path".to_owned(),
            _ => format!("{classic} can upgrade first on Classic, {v1} on v1"),
        };
        format!("{block} of {total} {} {update}; {ways}", if block == 1 { "blocks" } else { "block" })
    }
}

impl Blocker {
    /// Describes why the bundle blocks.
    pub fn reason(&self) -> String {
        match &self.limit {
            OpenShiftLimit::None => "no limit".to_owned(),
            OpenShiftLimit::UpTo(max) => format!("supports OpenShift up to {max}"),
            OpenShiftLimit::Unreadable(what) => {
                format!("its {} is invalid: {what}", OpenShiftLimit::PROPERTY)
            }
        }
    }

    /// Returns the way out on the path of a resolver.
    pub fn way_out_for(&self, engine: Engine) -> Option<&WayOut> {
        match engine {
            Engine::Classic => self.classic.as_ref(),
            Engine::V1 => self.v1.as_ref(),
        }
    }

    /// Formats the way out for a table cell: `1.3.1 +2`, or `1.3.1 +2, v1 -` if the resolvers differ.
    pub fn brief(&self, label: impl Fn(&BundleName) -> String) -> String {
        let way = |way: &Option<WayOut>| {
            way.as_ref().map_or_else(|| "-".to_owned(), |way| format!("{} +{}", label(&way.name), way.hops))
        };
        match (&self.classic, &self.v1) {
            (None, None) => "no upgrade".to_owned(),
            (classic, v1) if classic == v1 => way(classic),
            (classic, v1) => format!("{}, v1 {}", way(classic), way(v1)),
        }
    }

    /// Describes the way out; `label` formats bundle names.
    pub fn describe_way_out(&self, label: impl Fn(&BundleName) -> String) -> String {
        let hops = |way: &WayOut| match way.hops {
            1 => format!("{} in 1 hop", label(&way.name)),
            hops => format!("{} in {hops} hops", label(&way.name)),
        };
        match (&self.classic, &self.v1) {
            (None, None) => "no upgrade path".to_owned(),
            (Some(classic), Some(v1)) if classic == v1 => hops(classic),
            (Some(classic), Some(v1)) => format!("Classic {}, v1 {}", hops(classic), hops(v1)),
            (Some(classic), None) => format!("Classic {}, v1 none", hops(classic)),
            (None, Some(v1)) => format!("Classic none, v1 {}", hops(v1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PackageGraph, fixture::graph_from_lines, v1::Query};

    fn openshift_version(text: &str) -> OpenShift {
        OpenShift::parse(text).unwrap()
    }

    #[test]
    fn parses_limits_as_olm_does() {
        for (text, limit) in [
            ("4.20", Some("4.20")),
            ("\"4.20\"", Some("4.20")),
            ("v4.20", Some("4.20")),
            (" 4.20.0", Some("4.20")),
            ("4.20.0+a", Some("4.20")),
            ("04.09", Some("4.9")),
            ("4", Some("4.0")),
            ("", None),
            ("4.20.1", None),
            ("4.20-rc", None),
            ("next", None),
            ("4.x", None),
        ] {
            let read = match OpenShiftLimit::parse_value(text) {
                OpenShiftLimit::UpTo(max) => Some(max),
                _ => None,
            };
            assert_eq!(read, limit.map(openshift_version), "{text}");
        }
        assert!(OpenShiftLimit::UpTo(openshift_version("4.18")).blocks(openshift_version("4.19")));
        assert!(!OpenShiftLimit::UpTo(openshift_version("4.19")).blocks(openshift_version("4.19")));
        assert!(
            OpenShiftLimit::UpTo(openshift_version("4.9")).blocks(openshift_version("4.10")),
            "numbers, not letters"
        );
        assert!(
            OpenShiftLimit::Unreadable(String::new()).blocks(openshift_version("4.1"))
                && !OpenShiftLimit::None.blocks(openshift_version("4.99"))
        );
    }

    fn check_update(graph: &PackageGraph, from: &str) -> (UpgradeTable, ClusterUpdate) {
        let table = UpgradeTable::new(graph, &"c".into(), &Query::default());
        let update = ClusterUpdate::new(&graph.package, &table, openshift_version(from));
        (table, update)
    }

    #[test]
    fn way_out_is_closest_bundle_on_path_that_does_not_block() {
        let graph = graph_from_lines(
            "1.3.0 replaces=1.2.0\n1.2.0 replaces=1.1.0 max='4.19'\n1.1.0 replaces=1.0.0 max='4.18'\n1.0.0 max='4.18'",
        );
        let (table, update) = check_update(&graph, "4.18");
        let way = |hops| Some(WayOut { name: "p.v1.2.0".into(), hops });
        assert_eq!(update.blocker(&"p.v1.0.0".into()).unwrap().classic, way(2));
        assert_eq!(update.blocker(&"p.v1.1.0".into()).unwrap().v1, way(1));
        assert!(update.blocker(&"p.v1.2.0".into()).is_none() && update.blocker(&"p.v1.3.0".into()).is_none());
        assert_eq!(update.format_summary(&table), "2 of 4 block 4.18 -> 4.19; all can upgrade first");
        assert_eq!(check_update(&graph, "4.17").1.format_summary(&table), "no version blocks 4.17 -> 4.18");
        let (table, update) = check_update(&graph, "4.20");
        assert_eq!(
            update.blocker(&"p.v1.0.0".into()).unwrap().describe_way_out(ToString::to_string),
            "p.v1.3.0 in 3 hops"
        );
        assert_eq!(update.format_summary(&table), "3 of 4 block 4.20 -> 4.21; all can upgrade first");
    }

    #[test]
    fn blocking_head_leaves_no_way_out() {
        let (table, update) =
            check_update(&graph_from_lines("1.1.0 replaces=1.0.0 max=4.18\n1.0.0 max=oops"), "4.18");
        let stuck = update.blocker(&"p.v1.0.0".into()).unwrap();
        assert_eq!((&stuck.classic, &stuck.v1), (&None, &None));
        assert_eq!(stuck.reason(), "its olm.maxOpenShiftVersion is invalid: `oops`");
        assert_eq!(update.format_summary(&table), "2 of 2 block 4.18 -> 4.19; no upgrade path");
    }

    #[test]
    fn two_limits_are_unreadable_and_cycle_is_not_a_way_out() {
        let (_, update) = check_update(&graph_from_lines("1.0.0 max='4.20' max='4.20'"), "4.18");
        assert!(matches!(update.blocker(&"p.v1.0.0".into()).unwrap().limit, OpenShiftLimit::Unreadable(_)));
        let (_, update) = check_update(
            &graph_from_lines("2.0.0 replaces=1.0.0 max=4.18\n1.0.0 replaces=2.0.0 max=4.18"),
            "4.18",
        );
        assert_eq!(update.blocker(&"p.v1.0.0".into()).unwrap().v1, None);
    }

    #[test]
    fn each_engine_has_its_own_way_out() {
        // Classic stays on 1.0.0, since only a skipped entry upgrades it.
        let graph =
            graph_from_lines("3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.0.0\n2.0.0\n1.0.0 max=4.18");
        let (table, update) = check_update(&graph, "4.18");
        let blocker = update.blocker(&"p.v1.0.0".into()).unwrap();
        assert_eq!((blocker.way_out_for(Engine::Classic), blocker.v1.as_ref().unwrap().hops), (None, 1));
        assert_eq!(blocker.brief(ToString::to_string), "-, v1 p.v2.5.0 +1");
        assert_eq!(blocker.describe_way_out(ToString::to_string), "Classic none, v1 p.v2.5.0 in 1 hop");
        assert_eq!(
            update.format_summary(&table),
            "1 of 4 blocks 4.18 -> 4.19; 0 can upgrade first on Classic, 1 on v1"
        );
    }
}
