//! Installed bundles from the command line or a cluster.

use super::{Approval, Args};
use crate::{
    catalog::{Catalog, near},
    cli::{
        failure::{self, Failure},
        out::Out,
        source,
    },
    plan::{
        cluster::{self, Asks, Cluster},
        planner::{self, Question, Start},
        series::Release,
    },
    upgrade::{Engine, Installed, v1::Policy},
    version::Version,
};

/// Returns the installed operators of a cluster that a catalog knows, each with its OLM, channel and
/// approval. Prints the others on standard error.
pub fn of_cluster(
    args: &Args,
    releases: &[Release<Catalog>],
    cluster: &Cluster,
    out: &Out,
) -> Vec<(Start, Question)> {
    let mut asked = Vec::new();
    for operator in &cluster.operators {
        let engine = operator.engine();
        let Some(question) = args.questions().into_iter().find(|question| question.engine == engine) else {
            continue;
        };
        let known = operator.package.as_ref().zip(operator.installed.as_ref());
        let Some((package, installed)) = known else {
            source::note(&format!("{}: no plan, for nothing is known to be installed", operator.name), out);
            continue;
        };
        let mut packages = releases.iter().filter_map(|release| release.catalog.package(package.as_str()));
        let Some(first) = packages.next() else {
            source::note(&format!("{package}: no plan, for no catalog has it"), out);
            continue;
        };
        let (channel, approval) = match &operator.asks {
            Asks::Subscription(asks) => (asks.channel.clone(), approval(asks.approval)),
            // Without a Subscription, an administrator upgrades the operator.
            Asks::Nothing => (None, planner::Approval::Manual),
            Asks::Extension { query, .. } => {
                let channel = match query.channels.as_slice() {
                    [] => None,
                    [only] => Some(only.clone()),
                    _ => {
                        let words = format!(
                            "{package}: no plan, for it may be upgraded in several channels, not in one or any"
                        );
                        source::warn(&words, Some("--installed NAME@CHANNEL plans for one of them"), out);
                        continue;
                    }
                };
                if query.policy == Policy::SelfCertified {
                    let words = format!(
                        "{package}: the plan keeps to the catalog's edges, though its policy is SelfCertified"
                    );
                    source::warn(&words, None, out);
                }
                let is_pinned = Version::parse(&query.version).is_ok();
                if !query.version.is_empty() && !is_pinned {
                    let words = format!(
                        "{package}: the plan does not look at its version constraint {}",
                        query.version
                    );
                    source::warn(&words, None, out);
                }
                (channel, if is_pinned { planner::Approval::Manual } else { planner::Approval::Automatic })
            }
        };
        let channel = channel.or_else(|| match engine {
            Engine::Classic => first.default_channel().cloned(),
            Engine::V1 => None,
        });
        let approval = args.approval.map_or(approval, Approval::of_plan);
        // A ClusterExtension does not contain the properties of its bundle, but the catalog does.
        let limit = (!installed.properties.is_empty()).then(|| installed.limit());
        let start = Start { package: package.clone(), installed: installed.asked(), channel, limit };
        asked.push((start, Question { approval, ..question }));
    }
    asked
}

fn approval(of: cluster::Approval) -> planner::Approval {
    match of {
        cluster::Approval::Automatic => planner::Approval::Automatic,
        cluster::Approval::Manual => planner::Approval::Manual,
    }
}

/// Parses an installed bundle, and finds it in the first catalog that has it.
pub fn read(releases: &[Release<Catalog>], text: &str, question: Question) -> Result<Start, Failure> {
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
        let installed = Installed::of(package, &name.into());
        return Start::following(&package.name, installed, channel.map(Into::into), question.engine, package)
            .ok_or_else(|| {
                let channels = package.channels.iter().map(|channel| channel.name.value.as_str());
                Failure::new(format!("which channel does {name} follow?"))
                    .hint(format!("say it: {name}@CHANNEL; channels: {}", failure::some_of(channels)))
            });
    }
    let names = releases.iter().flat_map(|release| release.catalog.packages());
    let names = names.flat_map(|package| package.bundles.iter().map(|bundle| bundle.name.value.as_str()));
    let hint = near::meant(name, names).map_or_else(
        || "--installed takes the name of a bundle: tide.v1.2.0".to_owned(),
        |meant| format!("did you mean {meant}?"),
    );
    Err(Failure::new(format!("no catalog has a bundle {name}")).hint(hint))
}
