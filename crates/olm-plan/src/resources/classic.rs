//! Resources for OLM Classic: a `Subscription` with the version as `startingCSV`, and a matching
//! `OperatorGroup`.

use super::{
    BundleInformation, InstallTarget, ResourceError, ResourceNote, ResourceOptions, Resources, name,
    tree::{mapping_node, namespace_object, object_node, string_list, string_node},
};
use crate::cluster::Approval;
use olm_catalog::{ChannelName, Node};
use olm_upgrade::resolve::{SourceKey, question::GLOBAL_NAMESPACE};

pub(super) fn classic_resources(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    let channel = choose_channel(stop, known)?;
    let place = operator_namespace(stop, choices)?;
    let modes = known.map_or(&[][..], |known| known.install_modes);
    let targets = target_namespaces(stop, modes, choices, &place)?;
    let mut remarks = Vec::new();
    if modes.is_empty() {
        let text =
            "the namespaces that it can watch are unknown; the OperatorGroup has all of them".to_owned();
        let counts = choices.watch.is_empty() && !choices.has_group;
        remarks.extend(counts.then_some(ResourceNote { refuses: false, text }));
    }
    if let Some(known) = known {
        let answer = known.graph.resolve_classic_start(channel.as_str(), &stop.bundle);
        if let Some(why) = answer.error {
            return Err(ResourceError::NotInstalled { bundle: stop.bundle.clone(), channel, why });
        }
        let bundle = known.graph.package.bundle(stop.bundle.as_str());
        if bundle.is_some_and(|bundle| !bundle.requires.is_empty()) {
            let text = "it requires others, which are installed along: olmap resolve shows them".to_owned();
            remarks.push(ResourceNote { refuses: false, text });
        }
    }
    if choices.source.is_none() {
        let text = "spec.source is a guess: it is the name of a CatalogSource on the cluster".to_owned();
        remarks.push(ResourceNote { refuses: false, text });
    }
    let group = object_node(
        "operators.coreos.com/v1",
        "OperatorGroup",
        &place,
        Some(&place),
        Some(mapping_node((!targets.is_empty()).then(|| ("targetNamespaces", string_list(&targets))))),
    );
    let subscription = subscription_object(stop, &channel, choices)?;
    if choices.has_group {
        return Ok(Resources { objects: vec![subscription], remarks });
    }
    if choices.namespace.is_some() {
        let text = format!(
            "a second OperatorGroup stops all operators of a namespace: drop this one if {place} has one already"
        );
        remarks.push(ResourceNote { refuses: false, text });
    }
    Ok(Resources { objects: vec![namespace_object(&place), group, subscription], remarks })
}

fn operator_namespace(stop: &InstallTarget, choices: &ResourceOptions) -> Result<String, ResourceError> {
    let place = choices.namespace.clone().unwrap_or_else(|| name::name_from_package(stop.package.as_str()));
    name::check_label("the namespace", &place)?;
    Ok(place)
}

/// Returns the channel of the stop. If the stop does not have one, returns the default channel or
/// the first channel that has the bundle.
pub(super) fn choose_channel(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
) -> Result<ChannelName, ResourceError> {
    let of_package = || {
        let graph = known?.graph;
        let having: Vec<_> = graph.channels_with(&stop.bundle).map(|channel| channel.graph.name()).collect();
        let default = graph.package.default_channel();
        having.iter().find(|name| Some(**name) == default).or(having.first()).map(|name| (*name).clone())
    };
    stop.channel.clone().or_else(of_package).ok_or_else(|| ResourceError::NoChannel(stop.bundle.clone()))
}

/// Returns only the `Subscription`.
pub(super) fn subscription_object(
    stop: &InstallTarget,
    channel: &ChannelName,
    choices: &ResourceOptions,
) -> Result<Node<'static>, ResourceError> {
    let own = choices.name.clone().unwrap_or_else(|| name::name_from_package(stop.package.as_str()));
    name::check_subdomain("the name", &own)?;
    let guess = || SourceKey { name: "catalog".to_owned(), namespace: GLOBAL_NAMESPACE.to_owned() };
    let source = choices.source.clone().unwrap_or_else(guess);
    name::check_subdomain("the source", &source.name)?;
    name::check_label("the source's namespace", &source.namespace)?;
    let spec = mapping_node([
        ("channel", string_node(channel.as_str())),
        ("installPlanApproval", string_node(choices.approval.unwrap_or(Approval::Manual).as_str())),
        ("name", string_node(stop.package.as_str())),
        ("source", string_node(&source.name)),
        ("sourceNamespace", string_node(&source.namespace)),
        ("startingCSV", string_node(stop.bundle.as_str())),
    ]);
    let place = operator_namespace(stop, choices)?;
    Ok(object_node("operators.coreos.com/v1alpha1", "Subscription", &own, Some(&place), Some(spec)))
}

/// Returns the target namespaces of the `OperatorGroup`. Empty for all namespaces.
fn target_namespaces(
    stop: &InstallTarget,
    modes: &[String],
    choices: &ResourceOptions,
    place: &str,
) -> Result<Vec<String>, ResourceError> {
    for namespace in &choices.watch {
        name::check_label("the namespace", namespace)?;
    }
    let supports = |mode: &str| modes.is_empty() || modes.iter().any(|known| known == mode);
    let own = choices.watch.iter().any(|namespace| namespace == place);
    let needed: &[&'static str] = match choices.watch.as_slice() {
        [] if supports("AllNamespaces") => return Ok(Vec::new()),
        [] if supports("OwnNamespace") => return Ok(vec![place.to_owned()]),
        [] => return Err(ResourceError::NoTargets(stop.bundle.clone())),
        [_] if own => &["OwnNamespace"],
        [_] => &["SingleNamespace"],
        _ if own => &["MultiNamespace", "OwnNamespace"],
        _ => &["MultiNamespace"],
    };
    match needed.iter().find(|mode| !supports(mode)) {
        Some(mode) => {
            let (bundle, supported) = (stop.bundle.clone(), modes.join(", "));
            Err(ResourceError::InstallMode { bundle, mode, supported })
        }
        None => Ok(choices.watch.clone()),
    }
}
