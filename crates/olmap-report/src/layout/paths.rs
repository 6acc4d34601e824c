//! Upgrade paths of the selected bundle in each OLM, drawn beside the rows.

use std::collections::HashSet;

use petgraph::graph::NodeIndex;

use super::facts::Facts;
use olm_catalog::BundleName;
use olm_upgrade::{
    Installed, ResolveError,
    table::{self, NextUpgrade},
    v1::Query,
};

/// Role of a row on a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathStop {
    /// The path passes the row.
    Passes,
    /// The path stops here, and another upgrade follows.
    Lands,
    /// The path ends here.
    Ends,
    /// The path leaves the picture: the next bundle does not have a row.
    Leaves,
}

impl PathStop {
    /// Returns the mark, one column wide: the letter of the path, in upper case at its end.
    pub fn path_mark(self, letter: char, ascii: bool) -> char {
        match self {
            Self::Passes if ascii => '|',
            Self::Passes => '│',
            Self::Lands => letter,
            Self::Ends => letter.to_ascii_uppercase(),
            Self::Leaves => '^',
        }
    }
}

/// Upgrades of the selected bundle in one OLM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpgradePath {
    /// Installed bundles in order, without the selected one.
    pub hops: Vec<BundleName>,
    /// True if the last upgrade returns to an earlier bundle.
    pub circular: bool,
    /// Error that ends the path; `None` if there is none.
    pub error: Option<ResolveError>,
}

impl UpgradePath {
    /// Returns the end of the path; `None` if there is no upgrade.
    pub fn last_bundle(&self) -> Option<&BundleName> {
        self.hops.last()
    }
}

/// Paths of the selected bundle in both OLMs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedPaths {
    /// Path in Classic, with a Subscription to this channel.
    pub classic: UpgradePath,
    /// Path in v1.
    pub v1: UpgradePath,
}

impl SelectedPaths {
    /// Returns the last common bundle of both paths and the next bundle of each. `None` if the paths are equal or one
    /// continues the other.
    pub fn divergence(&self) -> Option<(Option<&BundleName>, &BundleName, &BundleName)> {
        let (classic, v1) = (&self.classic.hops, &self.v1.hops);
        let at = classic.iter().zip(v1).position(|(a, b)| a != b)?;
        Some((at.checked_sub(1).and_then(|before| classic.get(before)), classic.get(at)?, v1.get(at)?))
    }
}

/// Roles of a row on both paths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct RowStops {
    /// Role on Classic's path.
    pub classic: Option<PathStop>,
    /// Role on v1's path.
    pub v1: Option<PathStop>,
}

/// Computes both paths from a bundle.
pub(super) fn compute_paths(facts: &Facts<'_>, query: &Query, from: NodeIndex) -> SelectedPaths {
    let graph = facts.graph();
    let Some(start) = graph.node(from).map(|node| node.name.clone()) else { return SelectedPaths::default() };
    let classic =
        follow_upgrades(start.clone(), |at| match (&facts.channel.chain, graph.find_node(at.as_str())) {
            (Err(error), _) => NextUpgrade::Error(error.clone()),
            (Ok(_), Some(at)) => facts.classic_pick[at.index()]
                .and_then(|to| graph.node(to))
                .map_or(NextUpgrade::Stays, |node| NextUpgrade::To(node.name.clone())),
            (Ok(_), None) => NextUpgrade::Stays,
        });
    let resolver = facts.package.v1_resolver(query);
    let v1 = follow_upgrades(start, |at| {
        table::v1_next(&resolver, &Installed::from_package(&facts.package.package, at))
    });
    SelectedPaths { classic, v1 }
}

fn follow_upgrades(start: BundleName, next: impl Fn(&BundleName) -> NextUpgrade) -> UpgradePath {
    let mut way = UpgradePath::default();
    let mut seen = HashSet::from([start.clone()]);
    let mut at = start;
    loop {
        match next(&at) {
            NextUpgrade::Stays => return way,
            NextUpgrade::Error(error) => {
                way.error = Some(error);
                return way;
            }
            NextUpgrade::To(to) => {
                way.hops.push(to.clone());
                if !seen.insert(to.clone()) {
                    way.circular = true;
                    return way;
                }
                at = to;
            }
        }
    }
}

/// Returns the roles on both paths, per row.
pub(super) fn row_stops(facts: &Facts<'_>, from: NodeIndex, ways: &SelectedPaths) -> Vec<RowStops> {
    let classic = path_stops(facts, from, &ways.classic);
    let v1 = path_stops(facts, from, &ways.v1);
    classic.into_iter().zip(v1).map(|(classic, v1)| RowStops { classic, v1 }).collect()
}

/// Returns the roles on a path, per row.
fn path_stops(facts: &Facts<'_>, from: NodeIndex, way: &UpgradePath) -> Vec<Option<PathStop>> {
    let mut stops = vec![None; facts.order.len()];
    let row = |at: NodeIndex| facts.node_rows.get(at.index()).copied();
    let Some(mut here) = row(from) else { return stops };
    let pass = |stops: &mut Vec<Option<PathStop>>, from: usize, to: usize| {
        let (upper, lower) = (from.min(to), from.max(to));
        for stop in stops.iter_mut().take(lower).skip(upper + 1) {
            stop.get_or_insert(PathStop::Passes);
        }
    };
    for (index, hop) in way.hops.iter().enumerate() {
        let at = facts.graph().find_node(hop.as_str()).and_then(row);
        pass(&mut stops, here, at.unwrap_or(0));
        let is_last = index + 1 == way.hops.len();
        let (at, stop) = match at {
            Some(at) if is_last => (at, PathStop::Ends),
            Some(at) => (at, PathStop::Lands),
            None => (0, PathStop::Leaves),
        };
        // A stop takes precedence over a pass in the same row.
        if let Some(slot) = stops.get_mut(at) {
            *slot = Some(stop);
        }
        if stop == PathStop::Leaves {
            break;
        }
        here = at;
    }
    stops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Options, draw_layout, fixture};
    use olm_upgrade::PackageGraph;

    /// Returns the two columns of marks, one line per row, and both paths.
    fn draw_paths_from(package: &PackageGraph, name: &str) -> (Vec<String>, SelectedPaths) {
        let channel = &package.channels()[0];
        let options = Options::default().with_selected(channel.graph.find_node(name));
        let picture = draw_layout(package, channel, &options);
        let mark = |stop: Option<PathStop>, letter| stop.map_or(' ', |stop| stop.path_mark(letter, true));
        let row = |stops: RowStops| format!("{}{}", mark(stops.classic, 'c'), mark(stops.v1, 'v'));
        (picture.rows.iter().map(|r| row(r.stops)).collect(), picture.paths.unwrap())
    }

    #[test]
    fn paths_land_pass_end_and_diverge() {
        let package = fixture::graph_from_lines(
            "5.0.0 replaces=4.0.0 range=>=3.0.0_<5.0.0\n4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n\
             2.5.0 range=<2.5.0\n2.0.0 replaces=1.0.0\n1.0.0",
        );
        let (marks, ways) = draw_paths_from(&package, "p.v1.0.0");
        // With two heads Classic reports an error, so only v1 has upgrades.
        assert_eq!(marks, ["  ", "  ", "  ", " V", " |", "  "]);
        assert!(ways.classic.error.is_some() && ways.classic.hops.is_empty());
        assert_eq!(ways.divergence(), None, "one that does not move at all does not part");

        let package = fixture::graph_from_lines(
            "5.0.0 replaces=4.0.0 skips=2.5.0 range=>=3.0.0_<5.0.0\n4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n\
             2.5.0 range=<2.5.0\n2.0.0 replaces=1.0.0\n1.0.0",
        );
        let (marks, ways) = draw_paths_from(&package, "p.v1.0.0");
        assert_eq!(marks, ["CV", "||", "c|", "|v", "c|", "  "]);
        let (at, classic, v1) = ways.divergence().unwrap();
        assert_eq!((at, classic.as_str(), v1.as_str()), (None, "p.v2.0.0", "p.v2.5.0"));
    }

    #[test]
    fn path_that_leaves_the_channel_leaves_at_the_top() {
        let package = fixture::graph_from_channels(&[
            ("c", "2.0.0 replaces=1.0.0\n1.0.0"),
            ("fast", "3.0.0 range=<3.0.0\n2.0.0 replaces=1.0.0\n1.0.0"),
        ]);
        assert_eq!(draw_paths_from(&package, "p.v1.0.0").0, ["C^", "  "]);
        let (marks, ways) = draw_paths_from(&package, "p.v2.0.0");
        assert_eq!(marks, [" ^", "  "]);
        assert_eq!(ways.v1.last_bundle().unwrap(), "p.v3.0.0");
    }

    #[test]
    fn circular_path_ends_at_the_first_repeated_bundle() {
        let package = fixture::graph_from_lines(
            "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0 range==1.5.0\n1.5.0 skips=2.0.0\n1.0.0 skips=1.5.0",
        );
        for name in ["p.v3.0.0", "p.v2.0.0", "p.v1.5.0", "p.v1.0.0"] {
            let (_, ways) = draw_paths_from(&package, name);
            for way in [&ways.classic, &ways.v1] {
                let mut seen: Vec<&str> = vec![name];
                let hops: Vec<&str> = way.hops.iter().map(BundleName::as_str).collect();
                seen.extend(&hops);
                let again = seen.last().is_some_and(|last| seen[..seen.len() - 1].contains(last));
                assert_eq!(way.circular, again, "{name}: {hops:?}");
            }
        }
    }
}
