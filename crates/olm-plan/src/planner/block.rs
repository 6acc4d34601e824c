//! The reasons why a plan does not arrive.

use super::{
    leg::Leg,
    search::DeadEndContext,
    state_graph::{Node, StateGraph},
};
use olm_catalog::BundleName;
use olm_upgrade::{
    ResolveError,
    openshift::{OpenShift, OpenShiftLimit},
};

/// The kind of problem that blocks a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockKind {
    /// The installed bundle does not support the next OpenShift version and has no upgrade to a bundle that
    /// does.
    MaxOpenShift,
    /// The last catalog does not have the package.
    PackageGone,
    /// The last catalog does not have the installed bundle, and there is no upgrade to a bundle that it has.
    EntryGone,
    /// OLM Classic cannot install the next bundle, because the Kubernetes version of the cluster is too low.
    MinKube,
    /// The automatic upgrades form a cycle.
    Stuck,
    /// The resolver returns an error.
    Error,
}

impl BlockKind {
    /// Returns the name for machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaxOpenShift => "max-openshift",
            Self::PackageGone => "package-gone",
            Self::EntryGone => "entry-gone",
            Self::MinKube => "min-kube",
            Self::Stuck => "stuck",
            Self::Error => "error",
        }
    }

    /// Returns true if an additional edge in a catalog can unblock the plan.
    pub fn is_about_edges(self) -> bool {
        matches!(self, Self::MaxOpenShift | Self::EntryGone | Self::MinKube)
    }

    /// Returns a short text for a table cell.
    pub fn brief(self) -> &'static str {
        match self {
            Self::MaxOpenShift => "maxOpenShiftVersion",
            Self::PackageGone => "package gone",
            Self::EntryGone => "entry gone",
            Self::MinKube => "minKubeVersion",
            Self::Stuck => "upgrade cycle",
            Self::Error => "resolver error",
        }
    }
}

/// The problem that blocks a plan, with the OpenShift version where it occurs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The OpenShift version of the cluster.
    pub openshift: OpenShift,
    /// The kind of problem.
    pub kind: BlockKind,
    /// The explanation as a sentence.
    pub text: String,
}

impl Block {
    /// Explains why no move leads on from a node. `around` is about all reachable nodes on the same leg.
    pub(super) fn explain_end(graph: &StateGraph<'_>, end: usize, around: DeadEndContext) -> Option<Self> {
        let node = graph.nodes.get(end)?;
        let leg = graph.leg_of(node.state)?;
        let bundle = &graph.bundle_of(node.state)?.installed.name;
        let next = graph.legs.legs.get(node.state.leg + 1).map(|leg| leg.openshift);
        let why = BlockedNode { graph, node, around, bundle };
        let (kind, text) =
            why.explain_cycle().or_else(|| why.explain_min_kube()).unwrap_or_else(|| match next {
                Some(next) => why.explain_openshift_limit(next),
                None => why.explain_absence(),
            });
        Some(Self { openshift: leg.openshift, kind, text })
    }
}

struct BlockedNode<'a> {
    graph: &'a StateGraph<'a>,
    node: &'a Node,
    around: DeadEndContext,
    bundle: &'a BundleName,
}

impl BlockedNode<'_> {
    fn openshift(&self) -> String {
        self.graph.leg_of(self.node.state).map_or_else(String::new, |leg| leg.openshift.to_string())
    }

    fn channel_text(&self) -> String {
        match self.graph.channel_of(self.node.state) {
            Some(channel) => format!("channel {channel}"),
            None => "the package".to_owned(),
        }
    }

    /// Explains automatic upgrades that form a cycle.
    fn explain_cycle(&self) -> Option<(BlockKind, String)> {
        let goes_on = self.node.has_upgrade();
        let is_automatic = self.graph.settings.approval == super::Approval::Automatic;
        (goes_on && is_automatic).then(|| {
            let text = format!(
                "in the catalog of {} the upgrades from {} come back to it: a cycle",
                self.openshift(),
                self.bundle
            );
            (BlockKind::Stuck, text)
        })
    }

    /// Explains a move that fails because the Kubernetes version is too low.
    fn explain_min_kube(&self) -> Option<(BlockKind, String)> {
        let node = self.graph.nodes.get(self.around.pending?)?;
        let leg = self.graph.leg_of(node.state)?;
        let bundle = &self.graph.bundle_by_number(node.pending?)?.installed.name;
        let wanted = super::required_kubernetes(leg, bundle)?;
        let (major, minor) = leg.openshift.kubernetes_version()?;
        let text = format!(
            "{bundle} comes next and needs Kubernetes {wanted}: OpenShift {} has {major}.{minor}, so its CSV stays \
             Pending",
            leg.openshift
        );
        Some((BlockKind::MinKube, text))
    }

    /// Explains an installed bundle that blocks the cluster update.
    fn explain_openshift_limit(&self, next: OpenShift) -> (BlockKind, String) {
        let held = self.graph.bundle_of(self.node.state);
        let limit = match held.map(|held| &held.limit) {
            Some(OpenShiftLimit::UpTo(max)) => format!("supports OpenShift up to {max}"),
            Some(OpenShiftLimit::Unreadable(what)) => {
                format!("has an invalid olm.maxOpenShiftVersion ({what})")
            }
            Some(OpenShiftLimit::None) | None => format!("blocks the update to {next}"),
        };
        let (kind, rest) = match &self.node.error {
            Some(error) if is_catalog_problem(error) => {
                (BlockKind::Error, format!("and in the catalog of {} OLM reports: {error}", self.openshift()))
            }
            Some(ResolveError::NoPackage(package)) => {
                (BlockKind::MaxOpenShift, format!("and {} has no package {package}", self.openshift()))
            }
            Some(ResolveError::NoChannel(channel)) => {
                (BlockKind::MaxOpenShift, format!("and {} has no channel {channel}", self.openshift()))
            }
            _ if self.around.has_others => {
                (BlockKind::MaxOpenShift, "and nothing it can be upgraded to supports more".to_owned())
            }
            _ => {
                let text =
                    format!("and nothing in {} of {} upgrades it", self.channel_text(), self.openshift());
                (BlockKind::MaxOpenShift, text)
            }
        };
        (kind, format!("{} {limit}, {rest}", self.bundle))
    }

    /// Explains an installed bundle that the last catalog does not have.
    fn explain_absence(&self) -> (BlockKind, String) {
        let (openshift, bundle) = (self.openshift(), self.bundle);
        let Some(leg) = self.graph.leg_of(self.node.state).filter(|leg| leg.graph.is_some()) else {
            let text =
                format!("{} no package {}", self.last_versions_without_package(), self.graph.legs.package);
            return (BlockKind::PackageGone, text);
        };
        if let Some(error) = self.node.error.as_ref().filter(|error| is_catalog_problem(error)) {
            return (BlockKind::Error, format!("in the catalog of {openshift} OLM reports: {error}"));
        }
        let channel = self.graph.channel_of(self.node.state);
        if let Some(channel) = channel.filter(|_| !leg.has_channel(channel)) {
            return if self.graph.is_in_catalog(self.node.state) {
                (BlockKind::Error, format!("{openshift} has no channel {channel}"))
            } else {
                let text = format!(
                    "{openshift} has no channel {channel}, and no other one has or upgrades {bundle}"
                );
                (BlockKind::EntryGone, text)
            };
        }
        let text = match self.find_lower_head(leg) {
            Some(head) => {
                format!(
                    "{bundle} is not in the catalog of {openshift}: the head of {} is {head}, which is lower",
                    self.channel_text()
                )
            }
            None => {
                format!(
                    "{bundle} is not in the catalog of {openshift}, and nothing in {} upgrades it",
                    self.channel_text()
                )
            }
        };
        (BlockKind::EntryGone, text)
    }

    /// Returns the last versions without the package with verb, for example `4.20 and 4.22 have`.
    fn last_versions_without_package(&self) -> String {
        let without = self.graph.legs.legs.iter().rev().take_while(|leg| leg.graph.is_none());
        let mut without: Vec<String> = without.map(|leg| leg.openshift.to_string()).collect();
        without.reverse();
        match without.as_slice() {
            [front @ .., last] if !front.is_empty() => format!("{} and {last} have", front.join(", ")),
            _ => format!("{} has", without.concat()),
        }
    }

    /// Returns the head of the followed or default channel if its version is lower than the installed version.
    fn find_lower_head(&self, leg: &Leg) -> Option<BundleName> {
        let graph = leg.graph.as_ref()?;
        let channel = self.graph.channel_of(self.node.state).or_else(|| graph.package.default_channel())?;
        let upgrades = graph.channel(channel.as_str())?;
        let head = upgrades.graph.head()?;
        let own = self.graph.bundle_of(self.node.state)?.installed.version.as_ref()?;
        head.version.as_ref()?.cmp_precedence(own).is_lt().then(|| head.name.clone())
    }
}

/// Returns true if the error is a problem in the catalog, as opposed to something missing from it.
fn is_catalog_problem(error: &ResolveError) -> bool {
    match error {
        ResolveError::NoPackage(_)
        | ResolveError::NoChannel(_)
        | ResolveError::NoMatch(_)
        | ResolveError::NoEdge { .. } => false,
        ResolveError::NoHead(_)
        | ResolveError::SeveralHeads { .. }
        | ResolveError::Cycle { .. }
        | ResolveError::NoStartingCsv(_)
        | ResolveError::Constraint(_)
        | ResolveError::NoInstalledVersion(_)
        | ResolveError::NoBundleVersion(_)
        | ResolveError::NotServed(_)
        | ResolveError::OnCluster { .. }
        | ResolveError::RangeCrashes { .. } => true,
    }
}
