//! Result of a new installation of a package.

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

/// First installation and its upgrade path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// Installed bundle.
    pub bundle: BundleName,
    /// End of the upgrade path.
    pub end: PathEnd,
}

/// Results of a new `Subscription` and of a new `ClusterExtension`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fresh {
    /// OLM Classic: the head of the channel, or the bundle in `startingCSV`.
    pub classic: Result<Start, ResolveError>,
    /// OLM v1.
    pub v1: Result<Start, ResolveError>,
    /// Reason why v1 would refuse to install its pick; `None` if it would not.
    pub refused: Option<BlockedKind>,
    /// True if `startingCSV` names a dead end, so that Classic never reaches the head of the channel.
    pub dead_end: bool,
}

impl Fresh {
    /// Computes the results of both resolvers.
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
    fn new_installation_begins_at_head_or_starting_csv() {
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
    fn reports_refusal_of_v1_to_install_its_pick() {
        let graph = channel("2.0.0 replaces=1.0.0 requires=other\n1.0.0");
        let fresh = |version: &str| {
            let query = Query { version: version.into(), ..Query::default() };
            Fresh::new(&graph, &"c".into(), None, &query).refused
        };
        assert_eq!((fresh(""), fresh("<2.0.0")), (Some(BlockedKind::Dependency), None));
    }
}
