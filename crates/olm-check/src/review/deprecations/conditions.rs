//! Deprecation conditions in the status of a `ClusterExtension` of OLM v1.
//!
//! The texts are those of operator-controller for a readable catalog (`SetDeprecationStatus` in
//! `internal/operator-controller/controllers/clusterextension_controller.go`). Messages of one kind are in catalog order,
//! one per line; empty messages are ignored. `BundleDeprecated` is about the installed bundle, not about its upgrade.
//! `ChannelDeprecated` is about the selected channels, or about every channel if none is selected.

use olm_catalog::{BundleName, ChannelName, blob::DeprecationTarget, package::Package};

/// Type of a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConditionKind {
    /// Any of the other three conditions.
    Deprecated,
    /// Deprecation of the package.
    Package,
    /// Deprecation of a selected channel.
    Channel,
    /// Deprecation of the installed bundle.
    Bundle,
}

impl ConditionKind {
    /// Returns the name in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deprecated => "Deprecated",
            Self::Package => "PackageDeprecated",
            Self::Channel => "ChannelDeprecated",
            Self::Bundle => "BundleDeprecated",
        }
    }
}

/// Status of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// The condition applies.
    True,
    /// The condition does not apply.
    False,
    /// The condition is unknown.
    Unknown,
}

impl Status {
    /// Returns the name in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// Condition of a `ClusterExtension`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Type of the condition.
    pub kind: ConditionKind,
    /// Status of the condition.
    pub status: Status,
    /// Reason of the condition.
    pub reason: &'static str,
    /// Message of the condition.
    pub message: String,
}

/// Returns the four conditions of a `ClusterExtension` with these channels, or all channels if there are none.
pub fn extension_conditions(
    package: &Package,
    channels: &[ChannelName],
    installed: Option<&BundleName>,
) -> [Condition; 4] {
    let mut messages: [Vec<&str>; 3] = Default::default();
    let [of_package, of_channels, of_bundle] = &mut messages;
    for deprecation in package.deprecations.iter().flat_map(|blob| &blob.entries) {
        let list = match &deprecation.target {
            Some(DeprecationTarget::Package) => &mut *of_package,
            Some(DeprecationTarget::Channel(name)) if channels.is_empty() || channels.contains(name) => {
                &mut *of_channels
            }
            Some(DeprecationTarget::Bundle(name)) if Some(name) == installed => &mut *of_bundle,
            _ => continue,
        };
        let message = deprecation.message.value.as_str();
        if !message.is_empty() {
            list.push(message);
        }
    }
    let all = messages.concat();
    let [of_package, of_channels, of_bundle] = messages;
    let bundle = match installed {
        Some(_) => new_condition(ConditionKind::Bundle, &of_bundle, "bundle not deprecated"),
        None => Condition {
            kind: ConditionKind::Bundle,
            status: Status::Unknown,
            reason: "Absent",
            message: "no bundle installed yet".to_owned(),
        },
    };
    [
        new_condition(ConditionKind::Deprecated, &all, "not deprecated"),
        new_condition(ConditionKind::Package, &of_package, "package not deprecated"),
        new_condition(ConditionKind::Channel, &of_channels, "channel not deprecated"),
        bundle,
    ]
}

fn new_condition(kind: ConditionKind, messages: &[&str], none: &str) -> Condition {
    if messages.is_empty() {
        return Condition { kind, status: Status::False, reason: "NotDeprecated", message: none.to_owned() };
    }
    Condition { kind, status: Status::True, reason: "Deprecated", message: messages.join("\n") }
}
