//! Status conditions of objects.

use super::{fields::Fields, redaction::redact_secrets};
use olm_check::review::deprecations::Status;

/// Types of conditions that are relevant for upgrades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConditionKind {
    /// `ClusterVersion`: whether an update to the next minor version is allowed.
    Upgradeable,
    /// `Subscription`: the constraints of the namespace contradict each other.
    ResolutionFailed,
    /// `Subscription`: a catalog is not served.
    CatalogSourcesUnhealthy,
    /// `Subscription`: the bundle image could not be unpacked.
    BundleUnpackFailed,
    /// `Subscription`: the install plan waits, possibly for approval.
    InstallPlanPending,
    /// `Subscription`: the install plan failed.
    InstallPlanFailed,
    /// `Subscription`: the install plan is missing.
    InstallPlanMissing,
    /// `ClusterExtension`: progress of OLM.
    Progressing,
    /// `ClusterExtension`: whether a bundle is installed.
    Installed,
    /// Both: any of the next three.
    Deprecated,
    /// Both: the package.
    PackageDeprecated,
    /// Both: the channel.
    ChannelDeprecated,
    /// Both: the bundle.
    BundleDeprecated,
}

impl ConditionKind {
    /// All types.
    pub const ALL: [Self; 13] = [
        Self::Upgradeable,
        Self::ResolutionFailed,
        Self::CatalogSourcesUnhealthy,
        Self::BundleUnpackFailed,
        Self::InstallPlanPending,
        Self::InstallPlanFailed,
        Self::InstallPlanMissing,
        Self::Progressing,
        Self::Installed,
        Self::Deprecated,
        Self::PackageDeprecated,
        Self::ChannelDeprecated,
        Self::BundleDeprecated,
    ];

    /// Returns the value of `type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Upgradeable => "Upgradeable",
            Self::ResolutionFailed => "ResolutionFailed",
            Self::CatalogSourcesUnhealthy => "CatalogSourcesUnhealthy",
            Self::BundleUnpackFailed => "BundleUnpackFailed",
            Self::InstallPlanPending => "InstallPlanPending",
            Self::InstallPlanFailed => "InstallPlanFailed",
            Self::InstallPlanMissing => "InstallPlanMissing",
            Self::Progressing => "Progressing",
            Self::Installed => "Installed",
            Self::Deprecated => "Deprecated",
            Self::PackageDeprecated => "PackageDeprecated",
            Self::ChannelDeprecated => "ChannelDeprecated",
            Self::BundleDeprecated => "BundleDeprecated",
        }
    }
}

/// Status condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Type of the condition.
    pub kind: ConditionKind,
    /// Status of the condition.
    pub status: Status,
    /// Reason; may be empty.
    pub reason: String,
    /// Message; may be empty.
    pub message: String,
}

impl Condition {
    /// Returns the relevant conditions in an object's status.
    pub(super) fn from_status(fields: &Fields<'_>) -> Vec<Self> {
        let read = |one: &Fields<'_>| {
            let text = one.text_at(&["type"])?;
            let kind = ConditionKind::ALL.into_iter().find(|kind| kind.as_str() == text)?;
            let status = match one.text_at(&["status"]).as_deref() {
                Some("True") => Status::True,
                Some("False") => Status::False,
                _ => Status::Unknown,
            };
            let reason = one.text_at(&["reason"]).unwrap_or_default();
            let message = redact_secrets(&one.text_at(&["message"]).unwrap_or_default());
            Some(Self { kind, status, reason, message })
        };
        fields.objects_at(&["status", "conditions"]).iter().filter_map(read).collect()
    }

    /// Returns true if the status is `True`.
    pub fn holds(&self) -> bool {
        self.status == Status::True
    }

    /// Returns the reason and the message.
    pub fn describe_condition(&self) -> String {
        match (self.reason.as_str(), self.message.as_str()) {
            ("", message) => message.to_owned(),
            (reason, "") => reason.to_owned(),
            (reason, message) => format!("{reason}: {message}"),
        }
    }
}
