//! Result of a new installation of a package.

use super::{
    answer::ResolveError,
    install_blockers::{self, InstallBlockerKind},
    installed::Installed,
    package::PackageGraph,
    path::{self, PathOutcome, UpgradeContext},
    table::PathEnd,
    v1::Query,
};
use olm_catalog::{BundleName, ChannelName};

/// First installation and its upgrade path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstInstall {
    /// Installed bundle.
    pub bundle: BundleName,
    /// End of the upgrade path.
    pub end: PathEnd,
}

/// Results of a new `Subscription` and of a new `ClusterExtension`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreshInstalls {
    /// OLM Classic: the head of the channel, or the bundle in `startingCSV`.
    pub classic: Result<FirstInstall, ResolveError>,
    /// OLM v1.
    pub v1: Result<FirstInstall, ResolveError>,
    /// Reason why v1 would refuse to install its pick; `None` if it would not.
    pub v1_blocker: Option<InstallBlockerKind>,
    /// True if `startingCSV` names a dead end, so that Classic never reaches the head of the channel.
    pub dead_end: bool,
}

impl FreshInstalls {
    /// Computes the results of both resolvers.
    pub fn new(
        graph: &PackageGraph,
        channel: &ChannelName,
        starting_csv: Option<&BundleName>,
        query: &Query,
    ) -> Self {
        let classic = match starting_csv {
            Some(name) => graph.resolve_classic_start(channel.as_str(), name),
            None => graph.resolve_classic(channel.as_str(), None),
        };
        let follow = |answer: super::Answer, traveller: UpgradeContext| match (answer.error, answer.pick) {
            (Some(error), _) => Err(error),
            (None, None) => Err(ResolveError::NoMatch(String::new())),
            (None, Some(bundle)) => {
                let path = path::follow_path(
                    graph,
                    &traveller,
                    &Installed::from_package(&graph.package, &bundle),
                    None,
                );
                let end = PathEnd {
                    name: path.last_bundle().clone(),
                    hops: path.hops.len(),
                    circular: matches!(path.outcome, PathOutcome::Cycle { .. }),
                };
                Ok(FirstInstall { bundle, end })
            }
        };
        let classic = follow(classic, UpgradeContext::Classic(channel.clone()));
        let v1 = follow(graph.resolve_v1(query, None), UpgradeContext::V1(query.clone()));
        let head = graph.channel(channel.as_str()).and_then(|c| c.graph.head());
        let version = |name: &BundleName| graph.package.bundle_version(name.as_str());
        let dead_end = classic.as_ref().is_ok_and(|start| {
            let head = head.and_then(|head| head.version.as_ref());
            head.zip(version(&start.end.name)).is_some_and(|(head, end)| head.cmp_precedence(end).is_gt())
        });
        let picked = v1.as_ref().ok().and_then(|start| graph.package.bundle(start.bundle.as_str()));
        let refused = picked.and_then(|bundle| install_blockers::first_v1_blocker(bundle, &query.channels));
        Self { classic, v1, v1_blocker: refused, dead_end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::graph_from_lines;

    fn first_install(bundle: &str, end: &str, hops: usize) -> FirstInstall {
        FirstInstall { bundle: bundle.into(), end: PathEnd { name: end.into(), hops, circular: false } }
    }

    #[test]
    fn new_installation_begins_at_head_or_starting_csv() {
        let graph = graph_from_lines(
            "3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.5.0\n2.0.0 replaces=1.0.0\n1.5.0\n1.0.0",
        );
        let at = |csv: Option<&str>| {
            FreshInstalls::new(&graph, &"c".into(), csv.map(Into::into).as_ref(), &Query::default())
        };
        assert_eq!(at(None).classic.unwrap(), first_install("p.v3.0.0", "p.v3.0.0", 0));
        assert_eq!(at(None).v1.unwrap(), first_install("p.v3.0.0", "p.v3.0.0", 0));
        let early = at(Some("p.v1.0.0"));
        assert_eq!(
            (early.classic.unwrap(), early.dead_end),
            (first_install("p.v1.0.0", "p.v3.0.0", 2), false)
        );
        let stuck = at(Some("p.v1.5.0"));
        assert_eq!(
            (stuck.classic.unwrap(), stuck.dead_end),
            (first_install("p.v1.5.0", "p.v1.5.0", 0), true)
        );
        assert!(at(Some("p.v9")).classic.is_err());
        assert_eq!(at(None).v1_blocker, None);
    }

    #[test]
    fn reports_refusal_of_v1_to_install_its_pick() {
        let graph = graph_from_lines("2.0.0 replaces=1.0.0 requires=other\n1.0.0");
        let fresh = |version: &str| {
            let query = Query { version: version.into(), ..Query::default() };
            FreshInstalls::new(&graph, &"c".into(), None, &query).v1_blocker
        };
        assert_eq!((fresh(""), fresh("<2.0.0")), (Some(InstallBlockerKind::Dependency), None));
    }
}
