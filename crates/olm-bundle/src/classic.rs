//! Requirements of OLM Classic for installing a bundle.
//!
//! Source: operator-lifecycle-manager, `pkg/controller/operators/olm`, `pkg/api/.../installmode`.

use std::collections::BTreeSet;

use super::{
    field_access::{is_true_at, items_at, text_at, texts_at},
    registry::{Csv, DirectoryContents},
    suites::{Cause, Verdict},
};
use olm_catalog::Node;

/// Install mode of an operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InstallMode {
    /// The operator watches its own namespace.
    OwnNamespace,
    /// The operator watches one other namespace.
    SingleNamespace,
    /// The operator watches several namespaces.
    MultiNamespace,
    /// The operator watches all namespaces.
    AllNamespaces,
}

impl InstallMode {
    /// All modes.
    pub const ALL: [Self; 4] =
        [Self::OwnNamespace, Self::SingleNamespace, Self::MultiNamespace, Self::AllNamespaces];

    /// Returns its name in a ClusterServiceVersion.
    pub fn name(self) -> &'static str {
        match self {
            Self::OwnNamespace => "OwnNamespace",
            Self::SingleNamespace => "SingleNamespace",
            Self::MultiNamespace => "MultiNamespace",
            Self::AllNamespaces => "AllNamespaces",
        }
    }
}

/// Namespaces selected by an `OperatorGroup`, relative to the operator's namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TargetNamespaces {
    /// The operator's own namespace.
    Own,
    /// All namespaces.
    All,
    /// A single other namespace.
    Single,
    /// Several other namespaces.
    Multi,
    /// Several namespaces including the operator's own.
    MultiWithOwn,
}

impl TargetNamespaces {
    /// All variants.
    pub const ALL: [Self; 5] = [Self::Own, Self::All, Self::Single, Self::Multi, Self::MultiWithOwn];

    /// Returns the install modes that an operator must support for it.
    fn required_modes(self) -> &'static [InstallMode] {
        match self {
            Self::Own => &[InstallMode::OwnNamespace],
            Self::All => &[InstallMode::AllNamespaces],
            Self::Single => &[InstallMode::SingleNamespace],
            Self::Multi => &[InstallMode::MultiNamespace],
            Self::MultiWithOwn => &[InstallMode::MultiNamespace, InstallMode::OwnNamespace],
        }
    }
}

/// Returns the install modes that a CSV supports; `None` if it lists one twice, which Classic rejects.
pub fn install_modes(csv: Csv) -> Option<BTreeSet<InstallMode>> {
    parse_install_modes(items_at(csv.node(), &["spec", "installModes"]))
}

fn parse_install_modes(listed: &[Node]) -> Option<BTreeSet<InstallMode>> {
    let names: Vec<_> = listed.iter().map(|mode| text_at(mode, &["type"])).collect();
    let distinct: BTreeSet<_> = names.iter().collect();
    if distinct.len() != names.len() {
        return None;
    }
    let is_supported = |mode: &InstallMode| {
        listed.iter().any(|node| text_at(node, &["type"]) == mode.name() && is_true_at(node, &["supported"]))
    };
    Some(InstallMode::ALL.into_iter().filter(is_supported).collect())
}

/// Returns the kinds of `OperatorGroup`s for a list of install modes.
pub fn supported_targets_for(listed: &[Node]) -> BTreeSet<TargetNamespaces> {
    let modes = parse_install_modes(listed).unwrap_or_default();
    let is_supported =
        |target: &TargetNamespaces| target.required_modes().iter().all(|mode| modes.contains(mode));
    TargetNamespaces::ALL.into_iter().filter(is_supported).collect()
}

/// Finds the errors that prevent the installation of a bundle on any cluster. A bundle without a CSV cannot be
/// installed.
pub fn check_contents(contents: &DirectoryContents) -> Vec<Verdict> {
    contents.csv().map_or_else(
        || {
            let message = "no file in manifests/ holds a ClusterServiceVersion";
            vec![Verdict::error("load", message, None).with_cause(Cause::NoCsv)]
        },
        check_csv,
    )
}

/// Finds the errors that prevent the installation of a CSV on any cluster.
pub fn check_csv(csv: Csv) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut error = |validator, message: String, node: &Node| {
        let place = Some(csv.object.location(node.span));
        verdicts.push(Verdict::error(validator, message, place));
    };
    if install_modes(csv).is_none() {
        error("install-modes", "an install mode is listed twice".to_owned(), csv.node());
    }
    for webhook in items_at(csv.node(), &["spec", "webhookdefinitions"]) {
        if let Some(reason) = items_at(webhook, &["rules"]).iter().find_map(find_rule_fault) {
            let name = text_at(webhook, &["generateName"]);
            error("webhook-rules", format!("webhook `{name}`: {reason}"), webhook);
        }
    }
    verdicts
}

/// Returns the error of a webhook rule. Resource names are compared literally, so plurals are not detected.
fn find_rule_fault(rule: &Node) -> Option<&'static str> {
    let has = |key: &str, wanted: &[&str]| texts_at(rule, &[key]).any(|text| wanted.contains(&text.as_ref()));
    if has("apiGroups", &["*"]) {
        Some("its rules must not be about all groups")
    } else if has("apiGroups", &["operators.coreos.com"]) {
        Some("its rules must not be about OLM's group")
    } else if has("apiGroups", &["admissionregistration.k8s.io"])
        && has("resources", &["*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
    {
        Some("its rules must not be about the configurations of webhooks")
    } else {
        None
    }
}
