//! Suite `good-practices`.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/good_practices.go`.

use super::{Report, loaded::LoadedBundle};
use crate::field_access::{items_at, node_at, text_at, texts_at};
use olm_version::Version;

/// Prefixes of the recommended channels.
const CHANNELS: [&str; 3] = ["candidate", "fast", "stable"];

pub(super) fn check_good_practices(bundle: &LoadedBundle, out: &mut Report) {
    check_resource_requests(bundle, out);
    check_permissions(bundle, out);
    check_channel_names(bundle, out);
    check_csv_name(bundle, out);
    check_crd_descriptions(bundle, out);
}

fn check_resource_requests(bundle: &LoadedBundle, out: &mut Report) {
    // An empty list passes: the reference program checks only whether it exists.
    if node_at(bundle.csv_node(), &["spec", "install", "spec", "deployments"]).is_none() {
        out.add_error("the CSV installs no deployment", bundle.csv_location(&["spec", "install"]));
        return;
    }
    for deployment in bundle.deployments() {
        for container in items_at(deployment, &["spec", "template", "spec", "containers"]) {
            if node_at(container, &["resources", "requests"]).is_none() {
                let message =
                    format!("the container `{}` requests no CPU and memory", text_at(container, &["name"]));
                out.add_warning(message, Some(bundle.csv().location(container.span)));
            }
        }
    }
}

fn check_permissions(bundle: &LoadedBundle, out: &mut Report) {
    let rules = ["permissions", "clusterPermissions"].into_iter().flat_map(|list| {
        let permissions = items_at(bundle.csv_node(), &["spec", "install", "spec", list]).iter();
        permissions.flat_map(|permission| items_at(permission, &["rules"]))
    });
    let creates = |rule: &&olm_catalog::Node| {
        let has =
            |key: &str, wanted: &[&str]| texts_at(rule, &[key]).any(|text| wanted.contains(&text.as_ref()));
        has("apiGroups", &["apiextensions.k8s.io"])
            && has("resources", &["*", "[*]", "customresourcedefinitions"])
            && has("verbs", &["*", "[*]", "create", "patch"])
    };
    if let Some(rule) = rules.into_iter().find(creates) {
        let message = "permissions to create CRDs: OLM manages operators and their CRDs";
        out.add_warning(message, Some(bundle.csv().location(rule.span)));
    }
}

fn check_channel_names(bundle: &LoadedBundle, out: &mut Report) {
    let named = bundle.channels.iter();
    let others: Vec<&str> = named
        .map(String::as_str)
        .filter(|channel| !CHANNELS.iter().any(|name| channel.starts_with(name)))
        .collect();
    if !others.is_empty() {
        let message = format!("channels are best named candidate, fast or stable: {}", others.join(", "));
        out.add_warning(message, None);
    }
}

/// Checks that the name consists of a package, one `.v` and a semantic version: `memo.v1.0.0`.
fn check_csv_name(bundle: &LoadedBundle, out: &mut Report) {
    let name = bundle.csv_name();
    let place = || bundle.csv_location(&["metadata", "name"]);
    let parts: Vec<&str> = name.split(".v").collect();
    if parts.len() != 2 {
        out.add_warning(format!("the CSV's name `{name}` should be NAME.vVERSION"), place());
    }
    let is_versioned = match parts.as_slice() {
        [_, .., version] => Version::parse(version).is_ok(),
        _ => ends_in_version(&name),
    };
    if !is_versioned {
        out.add_warning(format!("the CSV's name `{name}` should end in a semantic version"), place());
    }
}

/// Returns true if a name ends in a semantic version without build metadata, and without a digit before it.
fn ends_in_version(name: &str) -> bool {
    let begins = name.char_indices().filter(|(at, c)| {
        let before = name.get(..*at).and_then(|before| before.chars().next_back());
        c.is_ascii_digit() && !before.is_some_and(|c| c.is_ascii_digit())
    });
    let mut tails = begins.filter_map(|(at, _)| name.get(at..));
    tails.any(|tail| !tail.contains('+') && Version::parse(tail).is_ok())
}

fn check_crd_descriptions(bundle: &LoadedBundle, out: &mut Report) {
    for list in ["owned", "required"] {
        for crd in items_at(bundle.csv_node(), &["spec", "customresourcedefinitions", list]) {
            if text_at(crd, &["description"]).is_empty() {
                let message = format!("the {list} CRD `{}` has no description", text_at(crd, &["name"]));
                out.add_warning(message, Some(bundle.csv().location(crd.span)));
            }
        }
    }
}
