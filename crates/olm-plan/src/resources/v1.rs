//! Resources for OLM v1: a `ClusterExtension` with a pinned version.

use super::{
    BundleInformation, InstallTarget, ResourceError, ResourceNote, ResourceOptions, Resources, name,
    tree::{mapping_node, namespace_object, object_node, string_list, string_node},
};
use olm_catalog::Node;
use olm_upgrade::{install_blockers, v1::Query};

/// The maximum length of `spec.source.catalog.version` (`clusterextension_types.go`).
const MAX_VERSION_LENGTH: usize = 64;

pub(super) fn extension_resources(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    let ObjectNames { name, namespace: place, account } = object_names(stop, choices)?;
    let (extension, mut remarks) = extension_object(stop, choices)?;
    remarks.extend(refusal_notes(stop, known));
    remarks.push(ResourceNote {
        refuses: false,
        text: format!(
            "the ServiceAccount {place}/{account} needs a ClusterRole with what the bundle installs; {name} waits for it"
        ),
    });
    let account = object_node("v1", "ServiceAccount", &account, Some(&place), None);
    Ok(Resources { objects: vec![namespace_object(&place), account, extension], remarks })
}

struct ObjectNames {
    name: String,
    namespace: String,
    account: String,
}

fn object_names(stop: &InstallTarget, choices: &ResourceOptions) -> Result<ObjectNames, ResourceError> {
    let chosen = choices.name.clone().unwrap_or_else(|| name::name_from_package(stop.package.as_str()));
    name::check_subdomain("the name", &chosen)?;
    let namespace =
        choices.namespace.clone().unwrap_or_else(|| name::name_from_package(stop.package.as_str()));
    name::check_label("the namespace", &namespace)?;
    let account = choices.service_account.clone().unwrap_or_else(|| format!("{chosen}-installer"));
    name::check_subdomain("the service account", &account)?;
    Ok(ObjectNames { name: chosen, namespace, account })
}

/// Returns only the extension: the part that changes between versions.
pub(super) fn extension_object(
    stop: &InstallTarget,
    choices: &ResourceOptions,
) -> Result<(Node<'static>, Vec<ResourceNote>), ResourceError> {
    let ObjectNames { name: own, namespace, account } = object_names(stop, choices)?;
    name::check_subdomain("the package", stop.package.as_str())?;
    if let Some(channel) = &stop.channel {
        name::check_subdomain("channel", channel.as_str())?;
    }
    let version = stop.version.as_ref().ok_or_else(|| ResourceError::NoVersion(stop.bundle.clone()))?;
    let mut remarks = Vec::new();
    if !version.version.build().is_empty() || version.release.is_some() {
        let text = format!(
            "a pinned version does not tell {} from others of version {}",
            stop.bundle,
            version.version.without_build()
        );
        remarks.push(ResourceNote { refuses: false, text });
    }
    let pinned = version.version.without_build().to_string();
    if pinned.len() > MAX_VERSION_LENGTH {
        return Err(ResourceError::LongVersion(stop.bundle.clone()));
    }
    let channels = stop.channel.as_ref().map(|channel| ("channels", string_list(&[channel])));
    let catalog = [("packageName", string_node(stop.package.as_str())), ("version", string_node(&pinned))];
    let spec = mapping_node([
        ("namespace", string_node(&namespace)),
        ("serviceAccount", mapping_node([("name", string_node(&account))])),
        (
            "source",
            mapping_node([
                ("catalog", mapping_node(catalog.into_iter().chain(channels))),
                ("sourceType", string_node("Catalog")),
            ]),
        ),
    ]);
    Ok((object_node("olm.operatorframework.io/v1", "ClusterExtension", &own, None, Some(spec)), remarks))
}

/// Returns the reasons why OLM v1 installs another bundle or none.
fn refusal_notes(stop: &InstallTarget, known: Option<BundleInformation<'_>>) -> Vec<ResourceNote> {
    let Some(known) = known else { return Vec::new() };
    let channels: Vec<_> = stop.channel.iter().cloned().collect();
    let mut remarks = Vec::new();
    let mut refuse = |text: String| remarks.push(ResourceNote { refuses: true, text });
    let version = stop.version.as_ref().map(|version| version.version.without_build().to_string());
    let query = Query { channels, version: version.unwrap_or_default(), ..Query::default() };
    let answer = known.graph.resolve_v1(&query, None);
    match (&answer.error, &answer.pick) {
        (Some(error), _) => refuse(format!("OLM v1 installs nothing: {error}")),
        (None, Some(pick)) if *pick != stop.bundle => {
            refuse(format!("OLM v1 installs {pick}, not {}", stop.bundle));
        }
        _ => {}
    }
    if let Some(bundle) = known.graph.package.bundle(stop.bundle.as_str()) {
        for blocked in install_blockers::v1_blockers(bundle, &query.channels) {
            refuse(blocked.text);
        }
    }
    remarks
}
