//! Installed bundles from the command line or a cluster.

use super::{Approval, Args};
use crate::cli::{
    failure::{self, Failure},
    out::Out,
    source,
};
use olm_catalog::{Catalog, similar_names};
use olm_plan::{
    cluster::{self, Cluster, OperatorRequest},
    planner::{self, PlanSettings, PlanStart},
    series::Release,
};
use olm_upgrade::{Engine, Installed, v1::Policy};
use olm_version::Version;

/// Returns the installed operators of a cluster that a catalog knows, each with its OLM, channel and
/// approval. Prints the others on standard error.
pub fn from_cluster(
    args: &Args,
    releases: &[Release<Catalog>],
    cluster: &Cluster,
    out: &Out,
) -> Vec<(PlanStart, PlanSettings)> {
    let mut asked = Vec::new();
    for operator in &cluster.operators {
        let engine = operator.engine();
        let Some(question) = args.build_questions().into_iter().find(|question| question.engine == engine)
        else {
            continue;
        };
        let known = operator.package.as_ref().zip(operator.installed.as_ref());
        let Some((package, installed)) = known else {
            source::print_note(
                &format!("{}: no plan, for nothing is known to be installed", operator.name),
                out,
            );
            continue;
        };
        let mut packages = releases.iter().filter_map(|release| release.catalog.package(package.as_str()));
        let Some(first) = packages.next() else {
            source::print_note(&format!("{package}: no plan, for no catalog has it"), out);
            continue;
        };
        let (channel, approval) = match &operator.request {
            OperatorRequest::Subscription(asks) => (asks.channel.clone(), planner_approval(asks.approval)),
            // Without a Subscription, an administrator upgrades the operator.
            OperatorRequest::Nothing => (None, planner::Approval::Manual),
            OperatorRequest::Extension { query, .. } => {
                let channel = match query.channels.as_slice() {
                    [] => None,
                    [only] => Some(only.clone()),
                    _ => {
                        let words = format!(
                            "{package}: no plan, for it may be upgraded in several channels, not in one or any"
                        );
                        source::print_warning(
                            &words,
                            Some("--installed NAME@CHANNEL plans for one of them"),
                            out,
                        );
                        continue;
                    }
                };
                if query.policy == Policy::SelfCertified {
                    let words = format!(
                        "{package}: the plan keeps to the catalog's edges, though its policy is SelfCertified"
                    );
                    source::print_warning(&words, None, out);
                }
                let is_pinned = Version::parse(&query.version).is_ok();
                if !query.version.is_empty() && !is_pinned {
                    let words = format!(
                        "{package}: the plan does not look at its version constraint {}",
                        query.version
                    );
                    source::print_warning(&words, None, out);
                }
                (channel, if is_pinned { planner::Approval::Manual } else { planner::Approval::Automatic })
            }
        };
        let channel = channel.or_else(|| match engine {
            Engine::Classic => first.default_channel().cloned(),
            Engine::V1 => None,
        });
        let approval = args.approval.map_or(approval, Approval::to_planner);
        // A ClusterExtension does not contain the properties of its bundle, but the catalog does.
        let limit = (!installed.properties.is_empty()).then(|| installed.openshift_limit());
        let start =
            PlanStart { package: package.clone(), installed: installed.to_installed(), channel, limit };
        asked.push((start, PlanSettings { approval, ..question }));
    }
    asked
}

fn planner_approval(of: cluster::Approval) -> planner::Approval {
    match of {
        cluster::Approval::Automatic => planner::Approval::Automatic,
        cluster::Approval::Manual => planner::Approval::Manual,
    }
}

/// Parses an installed bundle, and finds it in the first catalog that has it.
pub fn parse_installed(
    releases: &[Release<Catalog>],
    text: &str,
    question: PlanSettings,
) -> Result<PlanStart, Failure> {
    let (name, channel) = match text.split_once('@') {
        Some((name, channel)) => (name, Some(channel)),
        None => (text, None),
    };
    for release in releases {
        let mut packages = release.catalog.packages().filter(|package| package.bundle(name).is_some());
        let Some(package) = packages.next() else { continue };
        if let Some(other) = packages.next() {
            let reason = format!("{} has {name} in {} and in {}", release.label, package.name, other.name);
            return Err(Failure::new(reason));
        }
        let installed = Installed::from_package(package, &name.into());
        return PlanStart::for_installed(
            &package.name,
            installed,
            channel.map(Into::into),
            question.engine,
            package,
        )
        .ok_or_else(|| {
            let channels = package.channels.iter().map(|channel| channel.name.value.as_str());
            Failure::new(format!("which channel does {name} follow?"))
                .with_hint(format!("say it: {name}@CHANNEL; channels: {}", failure::join_names(channels)))
        });
    }
    let names = releases.iter().flat_map(|release| release.catalog.packages());
    let names = names.flat_map(|package| package.bundles.iter().map(|bundle| bundle.name.value.as_str()));
    let hint = similar_names::suggest_closest(name, names).map_or_else(
        || "--installed takes the name of a bundle: tide.v1.2.0".to_owned(),
        |meant| format!("did you mean {meant}?"),
    );
    Err(Failure::new(format!("no catalog has a bundle {name}")).with_hint(hint))
}
