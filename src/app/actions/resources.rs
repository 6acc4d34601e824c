//! Custom resources that install the selected bundle.

use super::{bundle, is_here, package};
use crate::{
    app::{
        keys::spec::Reason,
        session::{cx::See, target::Target},
        work::effect::Copied,
    },
    catalog::{details::BundleDetails, plain},
    export,
    plan::resources::{Choices, Known, Stop, resources},
    upgrade::{Engine, blocked},
};

/// Returns the resources for one OLM, with notes as comments. Name, namespace and catalog come from
/// the cluster if it has a resource for the package.
pub(super) fn copy(target: &Target, see: &See<'_>, engine: Engine) -> Result<Copied, Reason> {
    let name = bundle(target)?;
    is_here(target, see)?;
    let judged = package(target, see)?;
    let blob = judged.package().bundle(name.as_str());
    let blob = blob.ok_or("the selected entry has no bundle in this catalog")?;
    let snapshot = see.session.snapshot().ok_or("no catalog is open")?;
    let tree = snapshot.catalog.tree(blob.doc).and_then(Result::ok);
    let install_modes = tree.map(|tree| BundleDetails::of(&tree).install_modes).unwrap_or_default();
    let has_it = |channel: &&crate::catalog::ChannelName| {
        let is_entry = judged.graph.channels_with(name).any(|known| known.graph.name() == *channel);
        // v1 does not need a channel and does not accept every channel name.
        is_entry && (engine == Engine::Classic || blocked::is_dns_label(channel.as_str()))
    };
    let stop = Stop {
        engine,
        package: judged.package().name.clone(),
        channel: target.channel.as_ref().filter(has_it).cloned(),
        bundle: name.clone(),
        version: blob.version.clone(),
    };
    let cluster = see.session.on_cluster.as_ref();
    let own =
        cluster.and_then(|cluster| cluster.of_package(&stop.package).find(|one| one.engine() == engine));
    let choices = Choices {
        name: own.map(|own| own.name.clone()),
        namespace: own.map(|own| own.namespace.clone()),
        has_group: own.zip(cluster).is_some_and(|(own, cluster)| cluster.group(&own.namespace).is_some()),
        source: own.and_then(|own| own.subscription()).map(|asks| asks.source.clone()),
        ..Choices::default()
    };
    let known = Known { graph: &judged.graph, install_modes: &install_modes };
    let made = resources(&stop, Some(known), &choices).map_err(|refused| refused.to_string())?;
    let what = match engine {
        Engine::Classic => "the Subscription",
        Engine::V1 => "the ClusterExtension",
    };
    let what = format!("{what} for {}", plain::line(name.as_str()));
    Ok(Copied { what, text: export::resources::commented(&made) })
}
