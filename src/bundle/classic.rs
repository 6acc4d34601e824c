//! What OLM Classic refuses of a bundle when it is installed.
//!
//! Source: operator-lifecycle-manager, `pkg/controller/operators/olm`, `pkg/api/.../installmode`.

use std::collections::BTreeSet;

use super::{
    read::{items, text, texts, truth},
    registry::{Contents, Csv},
    suites::{Cause, Verdict},
};
use crate::catalog::Node;

/// How an operator may be installed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InstallMode {
    /// It watches its own namespace.
    OwnNamespace,
    /// It watches one other namespace.
    SingleNamespace,
    /// It watches several namespaces.
    MultiNamespace,
    /// It watches all namespaces.
    AllNamespaces,
}

impl InstallMode {
    /// All modes.
    pub const ALL: [Self; 4] =
        [Self::OwnNamespace, Self::SingleNamespace, Self::MultiNamespace, Self::AllNamespaces];

    /// Its name in a ClusterServiceVersion.
    pub fn name(self) -> &'static str {
        match self {
            Self::OwnNamespace => "OwnNamespace",
            Self::SingleNamespace => "SingleNamespace",
            Self::MultiNamespace => "MultiNamespace",
            Self::AllNamespaces => "AllNamespaces",
        }
    }
}

/// Which namespaces an `OperatorGroup` selects, seen from the operator's own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TargetNamespaces {
    /// The operator's own namespace.
    Own,
    /// All namespaces.
    All,
    /// One other namespace.
    Single,
    /// Several others.
    Multi,
    /// Several, the own one among them.
    MultiWithOwn,
}

impl TargetNamespaces {
    /// All that there are.
    pub const ALL: [Self; 5] = [Self::Own, Self::All, Self::Single, Self::Multi, Self::MultiWithOwn];

    /// The install modes that an operator needs to support for it.
    fn needs(self) -> &'static [InstallMode] {
        match self {
            Self::Own => &[InstallMode::OwnNamespace],
            Self::All => &[InstallMode::AllNamespaces],
            Self::Single => &[InstallMode::SingleNamespace],
            Self::Multi => &[InstallMode::MultiNamespace],
            Self::MultiWithOwn => &[InstallMode::MultiNamespace, InstallMode::OwnNamespace],
        }
    }
}

/// The install modes that a CSV says it supports; nothing where it lists one twice, which Classic refuses.
pub fn install_modes(csv: Csv) -> Option<BTreeSet<InstallMode>> {
    install_modes_of(items(csv.node(), &["spec", "installModes"]))
}

fn install_modes_of(listed: &[Node]) -> Option<BTreeSet<InstallMode>> {
    let names: Vec<_> = listed.iter().map(|mode| text(mode, &["type"])).collect();
    let distinct: BTreeSet<_> = names.iter().collect();
    if distinct.len() != names.len() {
        return None;
    }
    let is_supported = |mode: &InstallMode| {
        listed.iter().any(|node| text(node, &["type"]) == mode.name() && truth(node, &["supported"]))
    };
    Some(InstallMode::ALL.into_iter().filter(is_supported).collect())
}

/// Under which `OperatorGroup`s a CSV can be installed; under none where a mode is listed twice.
pub fn supports(csv: Csv) -> BTreeSet<TargetNamespaces> {
    supports_of(items(csv.node(), &["spec", "installModes"]))
}

/// The same of a list of install modes.
pub fn supports_of(listed: &[Node]) -> BTreeSet<TargetNamespaces> {
    let modes = install_modes_of(listed).unwrap_or_default();
    let is_supported = |target: &TargetNamespaces| target.needs().iter().all(|mode| modes.contains(mode));
    TargetNamespaces::ALL.into_iter().filter(is_supported).collect()
}

/// What makes an install of a bundle fail, whatever cluster it is. Without a CSV there is nothing to install.
pub fn check_all(contents: &Contents) -> Vec<Verdict> {
    contents.csv().map_or_else(
        || {
            let message = "no file in manifests/ holds a ClusterServiceVersion";
            vec![Verdict::error("load", message, None).because(Cause::NoCsv)]
        },
        check,
    )
}

/// What makes an install of a CSV fail, whatever cluster it is.
pub fn check(csv: Csv) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut error = |validator, message: String, node: &Node| {
        let place = Some(csv.object.place(node.span));
        verdicts.push(Verdict::error(validator, message, place));
    };
    if install_modes(csv).is_none() {
        error("install-modes", "an install mode is listed twice".to_owned(), csv.node());
    }
    for webhook in items(csv.node(), &["spec", "webhookdefinitions"]) {
        if let Some(reason) = items(webhook, &["rules"]).iter().find_map(rule_fault) {
            let name = text(webhook, &["generateName"]);
            error("webhook-rules", format!("webhook `{name}`: {reason}"), webhook);
        }
    }
    verdicts
}

/// What a rule of a webhook may not be about. The names of resources are compared as they are: plurals slip through.
fn rule_fault(rule: &Node) -> Option<&'static str> {
    let has = |key: &str, wanted: &[&str]| texts(rule, &[key]).any(|text| wanted.contains(&text.as_ref()));
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
