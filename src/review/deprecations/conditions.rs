//! What a `ClusterExtension` of OLM v1 says of deprecations.
//!
//! The words are those of operator-controller (`SetDeprecationStatus` in `internal/operator-controller/controllers/
//! clusterextension_controller.go`), where the catalog can be read, which it can here. Messages of one kind stand in the
//! order of the catalog, one a line; those that are empty count as none. `BundleDeprecated` speaks of what is installed,
//! not of what it is upgraded to. `ChannelDeprecated` speaks of the channels that are asked for, and of every channel
//! where none is.

use crate::catalog::{BundleName, ChannelName, blob::DeprecationTarget, package::Package};

/// The type of a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConditionKind {
    /// Any of the other three.
    Deprecated,
    /// The package.
    Package,
    /// A channel that is asked for.
    Channel,
    /// The installed bundle.
    Bundle,
}

impl ConditionKind {
    /// As it is written in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deprecated => "Deprecated",
            Self::Package => "PackageDeprecated",
            Self::Channel => "ChannelDeprecated",
            Self::Bundle => "BundleDeprecated",
        }
    }
}

/// The status of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// It is so.
    True,
    /// It is not.
    False,
    /// Nobody knows.
    Unknown,
}

impl Status {
    /// As it is written in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// A condition of a `ClusterExtension`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Its type.
    pub kind: ConditionKind,
    /// Its status.
    pub status: Status,
    /// Its reason.
    pub reason: &'static str,
    /// Its message.
    pub message: String,
}

/// The four conditions of a `ClusterExtension` that asks for these channels, all where there are none.
pub fn conditions(
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
        Some(_) => condition(ConditionKind::Bundle, &of_bundle, "bundle not deprecated"),
        None => Condition {
            kind: ConditionKind::Bundle,
            status: Status::Unknown,
            reason: "Absent",
            message: "no bundle installed yet".to_owned(),
        },
    };
    [
        condition(ConditionKind::Deprecated, &all, "not deprecated"),
        condition(ConditionKind::Package, &of_package, "package not deprecated"),
        condition(ConditionKind::Channel, &of_channels, "channel not deprecated"),
        bundle,
    ]
}

fn condition(kind: ConditionKind, messages: &[&str], none: &str) -> Condition {
    if messages.is_empty() {
        return Condition { kind, status: Status::False, reason: "NotDeprecated", message: none.to_owned() };
    }
    Condition { kind, status: Status::True, reason: "Deprecated", message: messages.join("\n") }
}
