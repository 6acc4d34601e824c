//! What is to be said of a plan besides its stops: what does not stop it, and what somebody should know.

use super::{By, Legs, Plan};
use crate::{
    catalog::{BundleName, Catalog, ChannelName},
    upgrade::{
        Engine, Installed, blocked,
        openshift::OpenShift,
        safety::{PackageSafety, Verdict},
        stuck::{StuckEnd, StuckEnds},
    },
};

/// See the module. Each is told once, where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// A catalog on the way has no such package. Classic: no Subscription of the namespace is resolved meanwhile.
    PackageGone {
        /// Whose catalog.
        openshift: OpenShift,
    },
    /// A catalog on the way has no such channel. Classic: no Subscription of the namespace is resolved meanwhile.
    ChannelGone {
        /// Whose catalog.
        openshift: OpenShift,
        /// The channel.
        channel: ChannelName,
    },
    /// What is installed is not in a catalog on the way: it runs on, and may be out of support.
    EntryGone {
        /// Whose catalog.
        openshift: OpenShift,
        /// The bundle.
        bundle: BundleName,
    },
    /// The plan ends below the head of its channel: the default channel's where none is followed.
    BelowHead {
        /// The channel.
        channel: ChannelName,
        /// Its head.
        head: BundleName,
    },
    /// The plan ends on a version that is stuck in the last catalog.
    Stuck {
        /// Whose catalog.
        openshift: OpenShift,
        /// Where its upgrades end, and why.
        end: StuckEnd,
    },
    /// A stop is deprecated.
    Deprecated {
        /// Whose catalog says so.
        openshift: OpenShift,
        /// The bundle.
        bundle: BundleName,
    },
    /// An upgrade that OLM refuses because of CRDs, or that somebody should look at.
    Unsafe {
        /// Where.
        openshift: OpenShift,
        /// What is upgraded to.
        bundle: BundleName,
        /// What it does.
        text: String,
    },
    /// A stop that OLM would not install, though it picks it.
    NotInstalled {
        /// Whose catalog.
        openshift: OpenShift,
        /// The bundle.
        bundle: BundleName,
        /// Why.
        text: String,
    },
}

/// What is known of a version besides the package.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// What its upgrades do to a cluster, where that was judged.
    pub safety: Option<&'a PackageSafety>,
}

/// What is to be said of a plan. `known` tells what is known of a version; without it nothing is said of other packages, and
/// of what an upgrade does.
pub fn remarks<'a>(legs: &Legs, plan: &Plan, known: impl Fn(OpenShift) -> Option<Known<'a>>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let last = legs.legs.last().map(|leg| leg.openshift);
    for (stop, before) in plan.stops.iter().zip(std::iter::once(None).chain(plan.stops.iter().map(Some))) {
        let Some(leg) = legs.legs.iter().find(|leg| leg.openshift == stop.openshift) else { continue };
        let openshift = leg.openshift;
        let Some(graph) = &leg.graph else {
            // Of the last one the plan itself says so.
            if stop.by == By::Cluster && Some(openshift) != last {
                remarks.push(Remark::PackageGone { openshift });
            }
            continue;
        };
        let is_news = matches!(stop.by, By::Pick(_) | By::Installed);
        let is_arrival = matches!(stop.by, By::Cluster | By::Installed);
        if is_arrival && Some(openshift) != last && !leg.has(&stop.bundle) {
            remarks.push(Remark::EntryGone { openshift, bundle: stop.bundle.clone() });
        }
        if stop.by == By::Cluster
            && let Some(channel) = stop.channel.as_ref().filter(|channel| !leg.has_channel(Some(channel)))
        {
            remarks.push(Remark::ChannelGone { openshift, channel: channel.clone() });
        }
        if is_news && graph.package.bundle_deprecation(&stop.bundle).is_some() {
            remarks.push(Remark::Deprecated { openshift, bundle: stop.bundle.clone() });
        }
        let Some((known, before)) = known(openshift).zip(before).filter(|_| matches!(stop.by, By::Pick(_)))
        else {
            continue;
        };
        if let Some(bundle) = graph.package.bundle(stop.bundle.as_str()) {
            let channels: Vec<ChannelName> = stop.channel.iter().cloned().collect();
            let reasons = blocked::reasons(known.catalog, bundle, plan.engine, &channels).into_iter();
            remarks.extend(reasons.map(|reason| Remark::NotInstalled {
                openshift,
                bundle: stop.bundle.clone(),
                text: reason.text,
            }));
        }
        let safety = known.safety.and_then(|safety| safety.of(&before.bundle, &stop.bundle));
        let unsafe_one = safety
            .filter(|safety| !matches!(safety.verdict_for(plan.engine), Verdict::Safe | Verdict::Unknown));
        remarks.extend(unsafe_one.map(|safety| Remark::Unsafe {
            openshift,
            bundle: stop.bundle.clone(),
            text: safety.brief(&[plan.engine]),
        }));
    }
    remarks.extend(below_head(legs, plan));
    remarks.extend(stuck(legs, plan));
    remarks
}

fn stuck(legs: &Legs, plan: &Plan) -> Option<Remark> {
    let stop = plan.stops.last().filter(|_| plan.arrives())?;
    let leg = legs.legs.last()?;
    let installed = Installed { name: stop.bundle.clone(), version: stop.version.clone() };
    let end = StuckEnds::new(leg.graph.as_ref()?)?.of_installed(plan.engine, &installed)?;
    Some(Remark::Stuck { openshift: leg.openshift, end })
}

fn below_head(legs: &Legs, plan: &Plan) -> Option<Remark> {
    let end = plan.stops.last().filter(|_| plan.arrives())?;
    let graph = legs.legs.last()?.graph.as_ref()?;
    let channel = end.channel.as_ref().or_else(|| graph.package.default_channel())?;
    let upgrades = graph.channel(channel.as_str())?;
    let head = &upgrades.graph.node(upgrades.graph.head()?)?.name;
    // v1 without a channel may well be above it.
    let is_above = || {
        let version = |name: &BundleName| graph.package.version_of(name.as_str());
        let both = version(&end.bundle).zip(version(head));
        both.is_some_and(|(end, head)| end.cmp_precedence(head).is_gt())
    };
    (*head != end.bundle && !(plan.engine == Engine::V1 && is_above()))
        .then(|| Remark::BelowHead { channel: channel.clone(), head: head.clone() })
}

impl Remark {
    /// In a sentence without a period.
    pub fn words(&self, engine: Engine) -> String {
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
                format!("it is stuck in {openshift}: upgrades end at {end}, {reason}")
            }
            Self::Deprecated { openshift, bundle } => format!("{bundle} is deprecated in {openshift}"),
            Self::Unsafe { openshift, bundle, text } => format!("upgrade to {bundle} on {openshift}: {text}"),
            Self::NotInstalled { openshift, bundle, text } => format!("{bundle} on {openshift}: {text}"),
        }
    }
}
