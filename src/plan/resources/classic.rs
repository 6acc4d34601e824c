//! Resources for OLM Classic: a `Subscription` with the version as `startingCSV`, and a matching
//! `OperatorGroup`.

use super::{
    Choices, Known, Refused, Remark, Resources, Stop, name,
    tree::{map, namespace, object, text, texts},
};
use crate::{
    catalog::{ChannelName, Node},
    plan::cluster::Approval,
    resolve::{SourceKey, question::GLOBAL},
};

pub(super) fn resources(
    stop: &Stop,
    known: Option<Known<'_>>,
    choices: &Choices,
) -> Result<Resources, Refused> {
    let channel = channel(stop, known)?;
    let place = operator_namespace(stop, choices)?;
    let modes = known.map_or(&[][..], |known| known.install_modes);
    let targets = target_namespaces(stop, modes, choices, &place)?;
    let mut remarks = Vec::new();
    if modes.is_empty() {
        let text = "nobody knows which namespaces it can watch; the OperatorGroup has all of them".to_owned();
        let counts = choices.watch.is_empty() && !choices.has_group;
        remarks.extend(counts.then_some(Remark { refuses: false, text }));
    }
    if let Some(known) = known {
        let answer = known.graph.classic_from(channel.as_str(), &stop.bundle);
        if let Some(why) = answer.error {
            return Err(Refused::NotInstalled { bundle: stop.bundle.clone(), channel, why });
        }
        let bundle = known.graph.package.bundle(stop.bundle.as_str());
        if bundle.is_some_and(|bundle| !bundle.requires.is_empty()) {
            let text = "it requires others, which are installed along: olmap resolve shows them".to_owned();
            remarks.push(Remark { refuses: false, text });
        }
    }
    if choices.source.is_none() {
        let text = "spec.source is a guess: it is the name of a CatalogSource on the cluster".to_owned();
        remarks.push(Remark { refuses: false, text });
    }
    let group = object(
        "operators.coreos.com/v1",
        "OperatorGroup",
        &place,
        Some(&place),
        Some(map((!targets.is_empty()).then(|| ("targetNamespaces", texts(&targets))))),
    );
    let subscription = subscription(stop, &channel, choices)?;
    if choices.has_group {
        return Ok(Resources { objects: vec![subscription], remarks });
    }
    if choices.namespace.is_some() {
        let text = format!(
            "a second OperatorGroup stops all operators of a namespace: drop this one if {place} has one already"
        );
        remarks.push(Remark { refuses: false, text });
    }
    Ok(Resources { objects: vec![namespace(&place), group, subscription], remarks })
}

fn operator_namespace(stop: &Stop, choices: &Choices) -> Result<String, Refused> {
    let place = choices.namespace.clone().unwrap_or_else(|| name::from_package(stop.package.as_str()));
    name::check_label("the namespace", &place)?;
    Ok(place)
}

/// Returns the channel of the stop. If the stop does not have one, returns the default channel or
/// the first channel that has the bundle.
pub(super) fn channel(stop: &Stop, known: Option<Known<'_>>) -> Result<ChannelName, Refused> {
    let of_package = || {
        let graph = known?.graph;
        let having: Vec<_> = graph.channels_with(&stop.bundle).map(|channel| channel.graph.name()).collect();
        let default = graph.package.default_channel();
        having.iter().find(|name| Some(**name) == default).or(having.first()).map(|name| (*name).clone())
    };
    stop.channel.clone().or_else(of_package).ok_or_else(|| Refused::NoChannel(stop.bundle.clone()))
}

/// Returns only the `Subscription`.
pub(super) fn subscription(
    stop: &Stop,
    channel: &ChannelName,
    choices: &Choices,
) -> Result<Node<'static>, Refused> {
    let own = choices.name.clone().unwrap_or_else(|| name::from_package(stop.package.as_str()));
    name::check_subdomain("the name", &own)?;
    let guess = || SourceKey { name: "catalog".to_owned(), namespace: GLOBAL.to_owned() };
    let source = choices.source.clone().unwrap_or_else(guess);
    name::check_subdomain("the source", &source.name)?;
    name::check_label("the source's namespace", &source.namespace)?;
    let spec = map([
        ("channel", text(channel.as_str())),
        ("installPlanApproval", text(choices.approval.unwrap_or(Approval::Manual).as_str())),
        ("name", text(stop.package.as_str())),
        ("source", text(&source.name)),
        ("sourceNamespace", text(&source.namespace)),
        ("startingCSV", text(stop.bundle.as_str())),
    ]);
    let place = operator_namespace(stop, choices)?;
    Ok(object("operators.coreos.com/v1alpha1", "Subscription", &own, Some(&place), Some(spec)))
}

/// Returns the target namespaces of the `OperatorGroup`. Empty for all namespaces.
fn target_namespaces(
    stop: &Stop,
    modes: &[String],
    choices: &Choices,
    place: &str,
) -> Result<Vec<String>, Refused> {
    for namespace in &choices.watch {
        name::check_label("the namespace", namespace)?;
    }
    let supports = |mode: &str| modes.is_empty() || modes.iter().any(|known| known == mode);
    let own = choices.watch.iter().any(|namespace| namespace == place);
    let needed: &[&'static str] = match choices.watch.as_slice() {
        [] if supports("AllNamespaces") => return Ok(Vec::new()),
        [] if supports("OwnNamespace") => return Ok(vec![place.to_owned()]),
        [] => return Err(Refused::NoTargets(stop.bundle.clone())),
        [_] if own => &["OwnNamespace"],
        [_] => &["SingleNamespace"],
        _ if own => &["MultiNamespace", "OwnNamespace"],
        _ => &["MultiNamespace"],
    };
    match needed.iter().find(|mode| !supports(mode)) {
        Some(mode) => {
            let (bundle, supported) = (stop.bundle.clone(), modes.join(", "));
            Err(Refused::InstallMode { bundle, mode, supported })
        }
        None => Ok(choices.watch.clone()),
    }
}
