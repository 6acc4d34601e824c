//! Custom resources that install the selected bundle.

use super::{is_in_catalog, selected_bundle, selected_package};
use crate::tui::{
    keys::spec::Reason,
    session::{action::Target, context::ViewContext},
    work::effect::ClipboardText,
};
use olm_catalog::{details::BundleDetails, escape};
use olm_plan::resources::{BundleInformation, InstallTarget, ResourceOptions, create_resources};
use olm_upgrade::{Engine, install_blockers};

/// Returns the resources for one OLM, with notes as comments. Name, namespace and catalog come from
/// the cluster if it has a resource for the package.
pub(super) fn copy_install_resources(
    target: &Target,
    view_cx: &ViewContext<'_>,
    engine: Engine,
) -> Result<ClipboardText, Reason> {
    let name = selected_bundle(target)?;
    is_in_catalog(target, view_cx)?;
    let package_state = selected_package(target, view_cx)?;
    let blob = package_state.package().bundle(name.as_str());
    let blob = blob.ok_or("the selected entry has no bundle in this catalog")?;
    let snapshot = view_cx.session.snapshot().ok_or("no catalog is open")?;
    let tree = snapshot.catalog.parse_document(blob.doc).and_then(Result::ok);
    let install_modes = tree.map(|tree| BundleDetails::from_bundle(&tree).install_modes).unwrap_or_default();
    let has_it = |channel: &&olm_catalog::ChannelName| {
        let is_entry = package_state.graph.channels_with(name).any(|known| known.graph.name() == *channel);
        // v1 does not need a channel and does not accept every channel name.
        is_entry && (engine == Engine::Classic || install_blockers::is_dns_label(channel.as_str()))
    };
    let stop = InstallTarget {
        engine,
        package: package_state.package().name.clone(),
        channel: target.channel.as_ref().filter(has_it).cloned(),
        bundle: name.clone(),
        version: blob.version.clone(),
    };
    let cluster = view_cx.session.installed_operators.cluster.as_ref();
    let own =
        cluster.and_then(|cluster| cluster.operators_of(&stop.package).find(|one| one.engine() == engine));
    let choices = ResourceOptions {
        name: own.map(|own| own.name.clone()),
        namespace: own.map(|own| own.namespace.clone()),
        has_group: own
            .zip(cluster)
            .is_some_and(|(own, cluster)| cluster.operator_group(&own.namespace).is_some()),
        source: own.and_then(|own| own.subscription()).map(|asks| asks.source.clone()),
        ..ResourceOptions::default()
    };
    let known = BundleInformation { graph: &package_state.graph, install_modes: &install_modes };
    let made = create_resources(&stop, Some(known), &choices).map_err(|refused| refused.to_string())?;
    let what = match engine {
        Engine::Classic => "the Subscription",
        Engine::V1 => "the ClusterExtension",
    };
    let what = format!("{what} for {}", escape::escape_line(name.as_str()));
    Ok(ClipboardText { description: what, text: olmap_report::resources::render_commented_resources(&made) })
}
