//! What somebody gets who installs the package today.

use super::{
    answer::ResolveError,
    blocked::{self, BlockedKind},
    installed::Installed,
    package::PackageGraph,
    path::{self, End, Traveller},
    table::PathEnd,
    v1::Query,
};
use crate::catalog::{BundleName, ChannelName};

/// A first installation and what comes after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// What is installed.
    pub bundle: BundleName,
    /// Where the upgrades after it end.
    pub end: PathEnd,
}

/// What a new `Subscription` and a new `ClusterExtension` get.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fresh {
    /// OLM Classic: the head of the channel, or what `startingCSV` names.
    pub classic: Result<Start, ResolveError>,
    /// OLM v1.
    pub v1: Result<Start, ResolveError>,
    /// Why v1 would refuse to install what it picks.
    pub refused: Option<BlockedKind>,
    /// Whether Classic then stays below the head of the channel: `startingCSV` begins at a dead end.
    pub dead_end: bool,
}

impl Fresh {
    /// Asks both resolvers.
    pub fn new(
        graph: &PackageGraph,
        channel: &ChannelName,
        starting_csv: Option<&BundleName>,
        query: &Query,
    ) -> Self {
        let classic = match starting_csv {
            Some(name) => graph.classic_from(channel.as_str(), name),
            None => graph.classic(channel.as_str(), None),
        };
        let follow = |answer: super::Answer, traveller: Traveller| match (answer.error, answer.pick) {
            (Some(error), _) => Err(error),
            (None, None) => Err(ResolveError::NoMatch(String::new())),
            (None, Some(bundle)) => {
                let path = path::path(graph, &traveller, &Installed::of(&graph.package, &bundle), None);
                let end = PathEnd {
                    name: path.last().clone(),
                    hops: path.hops.len(),
                    circular: matches!(path.end, End::Circle { .. }),
                };
                Ok(Start { bundle, end })
            }
        };
        let classic = follow(classic, Traveller::Classic(channel.clone()));
        let v1 = follow(graph.v1(query, None), Traveller::V1(query.clone()));
        let head =
            graph.channel(channel.as_str()).and_then(|c| c.graph.head().and_then(|at| c.graph.node(at)));
        let version = |name: &BundleName| graph.package.version_of(name.as_str());
        let dead_end = classic.as_ref().is_ok_and(|start| {
            let head = head.and_then(|head| head.version.as_ref());
            head.zip(version(&start.end.name)).is_some_and(|(head, end)| head.cmp_precedence(end).is_gt())
        });
        let picked = v1.as_ref().ok().and_then(|start| graph.package.bundle(start.bundle.as_str()));
        let refused = picked.and_then(|bundle| blocked::refusal(bundle, &query.channels));
        Self { classic, v1, refused, dead_end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::fixture::channel;

    fn start(bundle: &str, end: &str, hops: usize) -> Start {
        Start { bundle: bundle.into(), end: PathEnd { name: end.into(), hops, circular: false } }
    }

    #[test]
    fn a_new_installation_begins_at_the_head_or_where_it_is_told_to() {
        let graph = channel(
            "3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.5.0\n2.0.0 replaces=1.0.0\n1.5.0\n1.0.0",
        );
        let at = |csv: Option<&str>| {
            Fresh::new(&graph, &"c".into(), csv.map(Into::into).as_ref(), &Query::default())
        };
        assert_eq!(at(None).classic.unwrap(), start("p.v3.0.0", "p.v3.0.0", 0));
        assert_eq!(at(None).v1.unwrap(), start("p.v3.0.0", "p.v3.0.0", 0));
        let early = at(Some("p.v1.0.0"));
        assert_eq!((early.classic.unwrap(), early.dead_end), (start("p.v1.0.0", "p.v3.0.0", 2), false));
        let stuck = at(Some("p.v1.5.0"));
        assert_eq!((stuck.classic.unwrap(), stuck.dead_end), (start("p.v1.5.0", "p.v1.5.0", 0), true));
        assert!(at(Some("p.v9")).classic.is_err());
        assert_eq!(at(None).refused, None);
    }

    #[test]
    fn what_v1_would_not_install_is_known_at_once() {
        let graph = channel("2.0.0 replaces=1.0.0 requires=other\n1.0.0");
        let fresh = |version: &str| {
            let query = Query { version: version.into(), ..Query::default() };
            Fresh::new(&graph, &"c".into(), None, &query).refused
        };
        assert_eq!((fresh(""), fresh("<2.0.0")), (Some(BlockedKind::Dependency), None));
    }
}
