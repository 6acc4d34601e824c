//! What keeps an OpenShift cluster from its next minor version: `olm.maxOpenShiftVersion` of what is installed.
//!
//! The rule is that of OLM Classic (`operator-lifecycle-manager`, `pkg/controller/operators/openshift/helpers.go`:
//! `maxOpenShiftVersion`, `nextY`): an installed bundle blocks the update to the next minor version where its limit is
//! below that version, cannot be read, or is there twice. OLM v1's (`cluster-olm-operator`,
//! `internal/versionutils`) comes to the same for limits of the form major.minor; it adds that 4.23 and 5.0 are equal
//! and both go on to 5.1.

use std::{collections::HashMap, fmt};

use super::{
    answer::Engine,
    table::{Next, UpgradeRow, UpgradeTable, follow},
};
use crate::{
    catalog::{BundleName, blob::BundleBlob, package::Package},
    source::discovery::MinorVersion,
};

/// A minor version of OpenShift.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OpenShift {
    /// 4 as a rule.
    pub major: u64,
    /// The 18 of 4.18.
    pub minor: u64,
}

/// Why a text is no version of OpenShift.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not an OpenShift version; write for example 4.18")]
pub struct OpenShiftError(String);

impl OpenShift {
    /// Reads what a person types: `4.18`; a leading `v` and what follows the minor version count for nothing.
    ///
    /// # Errors
    ///
    /// When there are no two numbers.
    pub fn parse(text: &str) -> Result<Self, OpenShiftError> {
        let error = || OpenShiftError(text.to_owned());
        let rest = text.trim();
        let mut parts = rest.strip_prefix('v').unwrap_or(rest).splitn(3, '.');
        let mut number = || parts.next().and_then(digits).ok_or_else(error);
        Ok(Self { major: number()?, minor: number()? })
    }

    /// The version that a path or an image reference names: the last `v4.18` or `4.18` in it that stands by itself.
    pub fn in_text(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
        let words = text.split(|c| !is_part(c));
        let read = |word: &str| {
            let word = word.strip_prefix('v').unwrap_or(word);
            let mut parts = word.split('.');
            let found = Self { major: digits(parts.next()?)?, minor: digits(parts.next()?)? };
            // What follows may be the name of a kind of file, and is no patch version.
            let is_minor =
                parts.next().is_none_or(|next| next.starts_with(|c: char| c.is_ascii_alphabetic()));
            (is_minor && matches!(found.major, 4 | 5)).then_some(found)
        };
        words.filter_map(read).next_back().or_else(|| Self::of_folder(text))
    }

    /// Returns the version in the last part of a path that is named after one: `v4.18`, `catalog-4.18`, `catalog-v4-18`.
    fn of_folder(path: &str) -> Option<Self> {
        MinorVersion::of_path(path).map(|version| Self { major: 4, minor: version.minor })
    }

    /// The version of Kubernetes in it, as the release notes of OpenShift say: 4.18 has 1.31; `None` for versions of which that
    /// is not known.
    pub fn kubernetes(self) -> Option<(u64, u64)> {
        match self {
            Self { major: 4, minor } => Some((1, minor.checked_add(13)?)),
            // 5.0 is 4.23 by another name.
            Self { major: 5, minor } => Some((1, minor.checked_add(36)?)),
            _ => None,
        }
    }

    /// Whether two are one: 5.0 is 4.23 by another name.
    pub fn is_same(self, other: Self) -> bool {
        let own = |version: Self| {
            if (version.major, version.minor) == (5, 0) { (4, 23) } else { (version.major, version.minor) }
        };
        own(self) == own(other)
    }

    /// The version a cluster is updated to next.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            // 5.0 is 4.23 by another name.
            Self { major: 4, minor: 23 } => Self { major: 5, minor: 1 },
            Self { major, minor } => Self { major, minor: minor.saturating_add(1) },
        }
    }
}

impl fmt::Display for OpenShift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl std::str::FromStr for OpenShift {
    type Err = OpenShiftError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

fn digits(text: &str) -> Option<u64> {
    let only = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if only { text.parse().ok() } else { None }
}

/// What a bundle says about the newest OpenShift it runs on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Nothing: it never blocks.
    None,
    /// It runs up to this version.
    UpTo(OpenShift),
    /// OLM cannot read it, and blocks every minor update; with what is wrong.
    Unreadable(String),
}

impl Limit {
    /// The property's type.
    pub const PROPERTY: &str = "olm.maxOpenShiftVersion";

    /// What the values of all such properties of a bundle come to.
    pub fn of_texts(values: &[String]) -> Self {
        match values {
            [] => Self::None,
            [one] => Self::read(one),
            several => Self::several(several.len()),
        }
    }

    fn several(count: usize) -> Self {
        Self::Unreadable(format!("{count} {} properties", Self::PROPERTY))
    }

    /// The limit of a bundle.
    pub fn of(bundle: &BundleBlob) -> Self {
        match bundle.properties.iter().filter(|p| p.kind.value == Self::PROPERTY).count() {
            0 => Self::None,
            1 => bundle
                .max_openshift
                .as_ref()
                .map_or_else(|| Self::Unreadable("no version".to_owned()), |max| Self::read(&max.value)),
            several => Self::several(several),
        }
    }

    /// Reads as OLM Classic does: quotes, blanks, one `v` and leading zeros are forgiven, a patch version other than 0
    /// is not.
    fn read(text: &str) -> Self {
        let bad = || Self::Unreadable(format!("`{text}`"));
        let trimmed = text.trim_matches('"').trim();
        let mut parts = trimmed.strip_prefix('v').unwrap_or(trimmed).splitn(3, '.');
        let Some(major) = parts.next().and_then(digits) else { return bad() };
        let minor = match parts.next().map(digits) {
            None => Some(0),
            Some(minor) => minor,
        };
        let patch =
            parts.next().is_none_or(|patch| digits(patch.split('+').next().unwrap_or_default()) == Some(0));
        match minor {
            Some(minor) if patch => Self::UpTo(OpenShift { major, minor }),
            _ => bad(),
        }
    }

    /// Whether it keeps a cluster from being updated to a version.
    pub fn blocks(&self, to: OpenShift) -> bool {
        match self {
            Self::None => false,
            Self::UpTo(max) => *max < to,
            Self::Unreadable(_) => true,
        }
    }
}

/// The nearest bundle on an upgrade path that does not block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WayOut {
    /// The bundle.
    pub name: BundleName,
    /// Upgrades until there.
    pub hops: usize,
}

/// An installed bundle that blocks the update.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocker {
    /// Its limit.
    pub limit: Limit,
    /// Where Classic's path leaves it behind, if anywhere.
    pub classic: Option<WayOut>,
    /// Where v1's does.
    pub v1: Option<WayOut>,
}

/// Which installed bundles of a package keep a cluster from its next minor version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterUpdate {
    /// The cluster's version.
    pub from: OpenShift,
    /// The next one.
    pub to: OpenShift,
    blockers: HashMap<BundleName, Blocker>,
}

/// The update in one line, of the entries of the subscribed channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpdateSummary {
    /// Installed bundles that were looked at.
    pub total: usize,
    /// Those that block.
    pub block: usize,
    /// Of these, those that Classic leads to one that does not.
    pub classic: usize,
    /// Of these, those that v1 leads to one that does not.
    pub v1: usize,
}

impl ClusterUpdate {
    /// Looks at every row of a table.
    pub fn new(package: &Package, table: &UpgradeTable, from: OpenShift) -> Self {
        let to = from.next();
        let limit = |row: &UpgradeRow| {
            package.bundle(row.installed.name.as_str()).map_or(Limit::None, |bundle| Limit::of(bundle))
        };
        let limits: Vec<Limit> = table.rows.iter().map(limit).collect();
        // A path ends where one would no longer want to leave it.
        let arrived = Next::Stays;
        let ways = |next: fn(&UpgradeRow) -> &Next| {
            let steps: Vec<(&BundleName, &Next)> = table
                .rows
                .iter()
                .zip(&limits)
                .map(|(row, limit)| {
                    (&row.installed.name, if limit.blocks(to) { next(row) } else { &arrived })
                })
                .collect();
            follow(&steps)
        };
        let free = |name: &BundleName| {
            package.bundle(name.as_str()).is_some_and(|bundle| !Limit::of(bundle).blocks(to))
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

    /// What is to be said of an installed bundle that blocks; `None` where it does not.
    pub fn blocker(&self, name: &BundleName) -> Option<&Blocker> {
        self.blockers.get(name)
    }

    /// Counts the entries of the subscribed channel.
    pub fn summary(&self, table: &UpgradeTable) -> UpdateSummary {
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

    /// The summary in words: `7 of 30 block 4.18 -> 4.19; all can upgrade first`.
    pub fn words(&self, table: &UpgradeTable) -> String {
        let UpdateSummary { total, block, classic, v1 } = self.summary(table);
        let update = format!("{} -> {}", self.from, self.to);
        let ways = match block {
            0 => return format!("none of {total} blocks {update}"),
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
    /// Why it blocks, in words.
    pub fn reason(&self) -> String {
        match &self.limit {
            Limit::None => "no limit".to_owned(),
            Limit::UpTo(max) => format!("supports OpenShift up to {max}"),
            Limit::Unreadable(what) => format!("its {} is invalid: {what}", Limit::PROPERTY),
        }
    }

    /// Where the path of an engine leaves it behind.
    pub fn way_of(&self, engine: Engine) -> Option<&WayOut> {
        match engine {
            Engine::Classic => self.classic.as_ref(),
            Engine::V1 => self.v1.as_ref(),
        }
    }

    /// The way out in a few letters: `1.3.1 +2`, or `1.3.1 +2, v1 -` where the two differ.
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

    /// The way out in words, given how bundles are called.
    pub fn way(&self, label: impl Fn(&BundleName) -> String) -> String {
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
    use crate::upgrade::{PackageGraph, fixture::channel, v1::Query};

    fn at(text: &str) -> OpenShift {
        OpenShift::parse(text).unwrap()
    }

    #[test]
    fn what_people_type_is_a_minor_version() {
        assert_eq!(at("4.18"), OpenShift { major: 4, minor: 18 });
        assert_eq!((at(" v4.18.12 "), at("4.20.0-rc.1")), (at("4.18"), at("4.20")));
        for bad in ["", "4", "4.", "four.1", "4.-1", "4 18", "4.99999999999999999999"] {
            assert!(OpenShift::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(
            (at("4.9").next(), at("4.23").next(), at("5.0").next()),
            (at("4.10"), at("5.1"), at("5.1"))
        );
    }

    #[test]
    fn paths_and_images_name_a_version() {
        for (text, version) in [
            ("catalogs/v4.18", Some("4.18")),
            ("catalogs/v4.18/ship-operator/catalog.yaml", Some("4.18")),
            ("catalog-4.20.yaml", Some("4.20")),
            ("quay.io/example/index:v4.22", Some("4.22")),
            ("git:main:catalogs/v5.1", Some("5.1")),
            ("v4.18/v4.20", Some("4.20")),
            ("catalog-4-14", Some("4.14")),
            ("catalogs/catalog-v4-14/ship", Some("4.14")),
            ("ship.v4.18.3", None),
            ("releases/1.2", None),
            ("catalog.yaml", None),
            ("", None),
        ] {
            assert_eq!(OpenShift::in_text(text), version.map(at), "{text}");
        }
    }

    #[test]
    fn kubernetes_is_known_of_4_and_5() {
        let known = ["4.12", "4.18", "4.22", "5.0", "3.11"].map(|text| at(text).kubernetes());
        assert_eq!(known, [Some((1, 25)), Some((1, 31)), Some((1, 35)), Some((1, 36)), None]);
    }

    #[test]
    fn limits_are_read_as_olm_reads_them() {
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
            let read = match Limit::read(text) {
                Limit::UpTo(max) => Some(max),
                _ => None,
            };
            assert_eq!(read, limit.map(at), "{text}");
        }
        assert!(Limit::UpTo(at("4.18")).blocks(at("4.19")));
        assert!(!Limit::UpTo(at("4.19")).blocks(at("4.19")));
        assert!(Limit::UpTo(at("4.9")).blocks(at("4.10")), "numbers, not letters");
        assert!(Limit::Unreadable(String::new()).blocks(at("4.1")) && !Limit::None.blocks(at("4.99")));
    }

    fn check(graph: &PackageGraph, from: &str) -> (UpgradeTable, ClusterUpdate) {
        let table = UpgradeTable::new(graph, &"c".into(), &Query::default());
        let update = ClusterUpdate::new(&graph.package, &table, at(from));
        (table, update)
    }

    #[test]
    fn the_way_out_is_the_nearest_bundle_on_the_path_that_does_not_block() {
        let graph = channel(
            "1.3.0 replaces=1.2.0\n1.2.0 replaces=1.1.0 max='4.19'\n1.1.0 replaces=1.0.0 max='4.18'\n1.0.0 max='4.18'",
        );
        let (table, update) = check(&graph, "4.18");
        let way = |hops| Some(WayOut { name: "p.v1.2.0".into(), hops });
        assert_eq!(update.blocker(&"p.v1.0.0".into()).unwrap().classic, way(2));
        assert_eq!(update.blocker(&"p.v1.1.0".into()).unwrap().v1, way(1));
        assert!(update.blocker(&"p.v1.2.0".into()).is_none() && update.blocker(&"p.v1.3.0".into()).is_none());
        assert_eq!(update.words(&table), "2 of 4 block 4.18 -> 4.19; all can upgrade first");
        assert_eq!(check(&graph, "4.17").1.words(&table), "none of 4 blocks 4.17 -> 4.18");
        let (table, update) = check(&graph, "4.20");
        assert_eq!(
            update.blocker(&"p.v1.0.0".into()).unwrap().way(ToString::to_string),
            "p.v1.3.0 in 3 hops"
        );
        assert_eq!(update.words(&table), "3 of 4 block 4.20 -> 4.21; all can upgrade first");
    }

    #[test]
    fn a_head_that_blocks_has_no_way_out_and_neither_has_what_leads_to_it() {
        let (table, update) = check(&channel("1.1.0 replaces=1.0.0 max=4.18\n1.0.0 max=oops"), "4.18");
        let stuck = update.blocker(&"p.v1.0.0".into()).unwrap();
        assert_eq!((&stuck.classic, &stuck.v1), (&None, &None));
        assert_eq!(stuck.reason(), "its olm.maxOpenShiftVersion is invalid: `oops`");
        assert_eq!(update.words(&table), "2 of 2 block 4.18 -> 4.19; no upgrade path");
    }

    #[test]
    fn two_limits_are_unreadable_and_a_circle_is_no_way() {
        let (_, update) = check(&channel("1.0.0 max='4.20' max='4.20'"), "4.18");
        assert!(matches!(update.blocker(&"p.v1.0.0".into()).unwrap().limit, Limit::Unreadable(_)));
        let (_, update) =
            check(&channel("2.0.0 replaces=1.0.0 max=4.18\n1.0.0 replaces=2.0.0 max=4.18"), "4.18");
        assert_eq!(update.blocker(&"p.v1.0.0".into()).unwrap().v1, None);
    }

    #[test]
    fn each_engine_has_its_own_way_out() {
        // Classic stays on 1.0.0: only a skipped entry leads away from it.
        let graph = channel("3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.0.0\n2.0.0\n1.0.0 max=4.18");
        let (table, update) = check(&graph, "4.18");
        let blocker = update.blocker(&"p.v1.0.0".into()).unwrap();
        assert_eq!((blocker.way_of(Engine::Classic), blocker.v1.as_ref().unwrap().hops), (None, 1));
        assert_eq!(blocker.brief(ToString::to_string), "-, v1 p.v2.5.0 +1");
        assert_eq!(blocker.way(ToString::to_string), "Classic none, v1 p.v2.5.0 in 1 hop");
        assert_eq!(
            update.words(&table),
            "1 of 4 blocks 4.18 -> 4.19; 0 can upgrade first on Classic, 1 on v1"
        );
    }
}
