//! Remarks about a plan that do not block it.

use super::{Legs, OperatorState, Plan, StopCause};
use olm_catalog::{BundleName, Catalog, ChannelName};
use olm_upgrade::{
    Engine, Installed, install_blockers,
    openshift::OpenShift,
    safety::{PackageSafety, Verdict},
    stuck::{StuckEnd, StuckEnds},
};

/// Remark about a plan. Each remark appears once, where its situation begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanNote {
    /// A catalog on the way does not have the package. In OLM Classic, this stops the resolution of all
    /// Subscriptions in the namespace.
    PackageGone {
        /// The OpenShift version of the catalog.
        openshift: OpenShift,
    },
    /// A catalog on the way does not have the channel. In OLM Classic, this stops the resolution of all
    /// Subscriptions in the namespace.
    ChannelGone {
        /// The OpenShift version of the catalog.
        openshift: OpenShift,
        /// The missing channel.
        channel: ChannelName,
    },
    /// A catalog on the way does not have the installed bundle. The operator continues to run, possibly without
    /// support.
    EntryGone {
        /// The OpenShift version of the catalog.
        openshift: OpenShift,
        /// The missing bundle.
        bundle: BundleName,
    },
    /// The plan ends below the head of the followed or default channel.
    BelowHead {
        /// The followed or default channel.
        channel: ChannelName,
        /// The head of the channel.
        head: BundleName,
    },
    /// The plan ends on a version that is stuck in the last catalog.
    Stuck {
        /// OpenShift version of the catalog.
        openshift: OpenShift,
        /// End of its upgrades, with the reason.
        end: StuckEnd,
    },
    /// The plan ends on a version that is stuck in the last catalog, but another channel of that catalog leads from
    /// the first version to the head.
    StuckInChannel {
        /// OpenShift version of the catalog.
        openshift: OpenShift,
        /// Last version of the plan.
        last: BundleName,
        /// First version of the plan.
        first: BundleName,
    },
    /// A stop is deprecated.
    Deprecated {
        /// The OpenShift version of the catalog.
        openshift: OpenShift,
        /// The deprecated bundle.
        bundle: BundleName,
    },
    /// OLM refuses an upgrade because of its CRDs, or the upgrade needs review.
    Unsafe {
        /// The OpenShift version of the catalog.
        openshift: OpenShift,
        /// The bundle after the upgrade.
        bundle: BundleName,
        /// The explanation.
        text: String,
    },
    /// The resolver picks a stop that OLM does not install.
    NotInstalled {
        /// The OpenShift version of the catalog.
        openshift: OpenShift,
        /// The bundle of the stop.
        bundle: BundleName,
        /// The reason.
        text: String,
    },
}

/// Additional information about an OpenShift version.
#[derive(Clone, Copy, Debug)]
pub struct VersionInformation<'a> {
    /// The catalog of the version.
    pub catalog: &'a Catalog,
    /// The upgrade safety of the package, if known.
    pub safety: Option<&'a PackageSafety>,
}

/// Returns the remarks about a plan.
///
/// `known` returns additional information about an OpenShift version. Without it, there are no remarks about
/// blocked installations and upgrade safety.
pub fn plan_notes<'a>(
    legs: &Legs,
    plan: &Plan,
    known: impl Fn(OpenShift) -> Option<VersionInformation<'a>>,
) -> Vec<PlanNote> {
    let mut remarks = Vec::new();
    let last = legs.legs.last().map(|leg| leg.openshift);
    for (stop, before) in plan.stops.iter().zip(std::iter::once(None).chain(plan.stops.iter().map(Some))) {
        let Some(leg) = legs.legs.iter().find(|leg| leg.openshift == stop.openshift) else { continue };
        let openshift = leg.openshift;
        let Some(graph) = &leg.graph else {
            // For the last version, the plan itself reports this.
            if stop.cause == StopCause::Cluster && Some(openshift) != last {
                remarks.push(PlanNote::PackageGone { openshift });
            }
            continue;
        };
        let is_news = matches!(stop.cause, StopCause::Pick(_) | StopCause::Installed);
        let is_arrival = matches!(stop.cause, StopCause::Cluster | StopCause::Installed);
        if is_arrival && Some(openshift) != last && !leg.has_bundle(&stop.bundle) {
            remarks.push(PlanNote::EntryGone { openshift, bundle: stop.bundle.clone() });
        }
        if stop.cause == StopCause::Cluster
            && let Some(channel) = stop.channel.as_ref().filter(|channel| !leg.has_channel(Some(channel)))
        {
            remarks.push(PlanNote::ChannelGone { openshift, channel: channel.clone() });
        }
        if is_news && graph.package.bundle_deprecation(&stop.bundle).is_some() {
            remarks.push(PlanNote::Deprecated { openshift, bundle: stop.bundle.clone() });
        }
        let Some((known, before)) =
            known(openshift).zip(before).filter(|_| matches!(stop.cause, StopCause::Pick(_)))
        else {
            continue;
        };
        if let Some(bundle) = graph.package.bundle(stop.bundle.as_str()) {
            let channels: Vec<ChannelName> = stop.channel.iter().cloned().collect();
            let reasons =
                install_blockers::find_blockers(known.catalog, bundle, plan.engine, &channels).into_iter();
            remarks.extend(reasons.map(|reason| PlanNote::NotInstalled {
                openshift,
                bundle: stop.bundle.clone(),
                text: reason.text,
            }));
        }
        let safety = known.safety.and_then(|safety| safety.find_step(&before.bundle, &stop.bundle));
        let unsafe_one = safety
            .filter(|safety| !matches!(safety.verdict_for(plan.engine), Verdict::Safe | Verdict::Unknown));
        remarks.extend(unsafe_one.map(|safety| PlanNote::Unsafe {
            openshift,
            bundle: stop.bundle.clone(),
            text: safety.brief(&[plan.engine]),
        }));
    }
    remarks.extend(find_below_head_note(legs, plan));
    remarks.extend(find_stuck_note(legs, plan));
    remarks
}

fn find_stuck_note(legs: &Legs, plan: &Plan) -> Option<PlanNote> {
    let first = plan.stops.first()?.operator_state();
    let last = plan.stops.last().filter(|_| plan.arrives())?.operator_state();
    let openshift = legs.legs.last()?.openshift;
    Some(match find_dead_end(legs, plan.engine, first, last)? {
        DeadEnd::Stuck(end) => PlanNote::Stuck { openshift, end },
        DeadEnd::InChannel => {
            PlanNote::StuckInChannel { openshift, last: last.bundle.clone(), first: first.bundle.clone() }
        }
    })
}

/// End of a plan on a version that is stuck in the last catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeadEnd {
    /// The first version of the plan is stuck in the last catalog, too.
    Stuck(StuckEnd),
    /// Another channel leads from the first version to the head.
    InChannel,
}

/// Returns the end of a plan on a version that is stuck in the last catalog. `None` if the version is not stuck.
///
/// * `first`, `last` - the first and the last state of the plan.
pub fn find_dead_end(
    legs: &Legs,
    engine: Engine,
    first: OperatorState<'_>,
    last: OperatorState<'_>,
) -> Option<DeadEnd> {
    let graph = legs.legs.last()?.graph.as_ref()?;
    let installed = Installed { name: last.bundle.clone(), version: last.version.cloned() };
    let ends = StuckEnds::new(graph)?;
    let end = ends.of_installed(engine, &installed)?;
    // Another channel leads on from the first version.
    let is_published = graph.package.bundle(first.bundle.as_str()).is_some();
    let leads_on = is_published && ends.of_published(engine, first.bundle).is_none();
    Some(if leads_on { DeadEnd::InChannel } else { DeadEnd::Stuck(end) })
}

fn find_below_head_note(legs: &Legs, plan: &Plan) -> Option<PlanNote> {
    let end = plan.stops.last().filter(|_| plan.arrives())?;
    let graph = legs.legs.last()?.graph.as_ref()?;
    let channel = end.channel.as_ref().or_else(|| graph.package.default_channel())?;
    let upgrades = graph.channel(channel.as_str())?;
    let head = &upgrades.graph.head()?.name;
    // In OLM v1 without channel, the end of the plan can be above the head.
    let is_above = || {
        let version = |name: &BundleName| graph.package.bundle_version(name.as_str());
        let both = version(&end.bundle).zip(version(head));
        both.is_some_and(|(end, head)| end.cmp_precedence(head).is_gt())
    };
    (*head != end.bundle && !(plan.engine == Engine::V1 && is_above()))
        .then(|| PlanNote::BelowHead { channel: channel.clone(), head: head.clone() })
}

impl PlanNote {
    /// Returns the remark as a sentence without a period.
    pub fn format_note(&self, engine: Engine) -> String {
        let meanwhile = match engine {
            Engine::Classic => "OLM resolves no Subscription of its namespace there",
            Engine::V1 => "it is not upgraded there",
        };
        match self {
            Self::PackageGone { openshift } => format!("{openshift} has no such package: {meanwhile}"),
            Self::ChannelGone { openshift, channel } => {
                format!("{openshift} has no channel {channel}: {meanwhile}")
            }
            Self::EntryGone { openshift, bundle } => {
                format!("{bundle} is not in the catalog of {openshift}: it keeps running, check its support")
            }
            Self::BelowHead { channel, head } => format!("it ends below {head}, the head of {channel}"),
            Self::Stuck { openshift, end: StuckEnd { end, reason } } => {
                format!("it is stuck in {openshift}: upgrades end at {end}: {reason}")
            }
            Self::StuckInChannel { openshift, last, first } => {
                format!(
                    "{last} is stuck in {openshift}; another channel leads from {first} to the head: change it before \
                     the upgrade"
                )
            }
            Self::Deprecated { openshift, bundle } => format!("{bundle} is deprecated in {openshift}"),
            Self::Unsafe { openshift, bundle, text } => format!("upgrade to {bundle} on {openshift}: {text}"),
            Self::NotInstalled { openshift, bundle, text } => format!("{bundle} on {openshift}: {text}"),
        }
    }
}
