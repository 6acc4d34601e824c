//! Reasons for a verdict on a step, and verdicts.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::crd::CrdLocation;

/// Verdict of one OLM on a step, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepVerdict {
    /// Every object was compared, and there is no reason against the step.
    Safe,
    /// The step succeeds, or may succeed, but has a consequence that the user should know.
    NeedsLook,
    /// Part of the step could not be compared.
    NotChecked,
    /// The step fails.
    Refused,
}

impl StepVerdict {
    /// Returns the name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::NeedsLook => "look",
            Self::NotChecked => "not-checked",
            Self::Refused => "refused",
        }
    }

    /// Returns the verdict for the user interface.
    pub fn label(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::NeedsLook => "needs a look",
            Self::NotChecked => "not checked",
            Self::Refused => "refused",
        }
    }
}

/// Kind of a reason. The names are part of the JSON output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ReasonKind {
    /// Change of a field that the API server does not allow to change.
    ImmutableField,
    /// Object that the API server refuses even in a new installation.
    InvalidObject,
    /// Two objects of the same kind and name.
    DuplicateObject,
    /// Kind that OLM does not install from bundles.
    UnsupportedObject,
    /// Object that opm does not read.
    LostObject,
    /// `apiVersion` that Kubernetes no longer serves.
    RemovedApi,
    /// API that is not part of Kubernetes.
    NeedsApi,
    /// Changed service account name of a deployment.
    ServiceAccountRenamed,
    /// Additional permissions of the operator.
    PermissionsAdded,
    /// Install mode that is no longer supported.
    InstallModeRemoved,
    /// Neither bundle supports the install mode `AllNamespaces`, which OLM v1 needs.
    InstallModeMissing,
    /// Raised `minKubeVersion`.
    KubeVersion,
    /// Webhook that names a deployment that the CSV does not have.
    WebhookDeploymentMissing,
    /// Webhook with rules that OLM forbids.
    WebhookRules,
    /// Other faults of a webhook.
    InvalidWebhook,
    /// API service, which OLM v1 does not install.
    UnsupportedApiService,
    /// API service that names a deployment that the CSV does not have.
    ApiServiceDeploymentMissing,
    /// Old field that remains when the boxcutter applier of OLM v1 tries the new object.
    LeftoverField,
    /// CRD that the upgrade safety check refuses, or that may break existing resources.
    CrdUnsafe,
    /// CRD that is not in the new bundle.
    CrdRemoved,
    /// Removed version in which objects may be stored.
    StoredVersionRemoved,
    /// CRD that requests a conversion webhook that the CSV does not define.
    ConversionWithoutWebhook,
    /// CRD whose manifest has a conversion that OLM Classic writes before it corrects it.
    ConversionBeforeWebhook,
    /// CRD that loses its conversion webhook.
    ConversionDropped,
    /// Conversion webhook without `AllNamespaces` as the only install mode.
    ConversionInstallModes,
    /// Bundle that cannot be loaded.
    InvalidBundle,
}

impl ReasonKind {
    /// All kinds.
    pub const ALL: [Self; 26] = [
        Self::ImmutableField,
        Self::InvalidObject,
        Self::DuplicateObject,
        Self::UnsupportedObject,
        Self::LostObject,
        Self::RemovedApi,
        Self::NeedsApi,
        Self::ServiceAccountRenamed,
        Self::PermissionsAdded,
        Self::InstallModeRemoved,
        Self::InstallModeMissing,
        Self::KubeVersion,
        Self::WebhookDeploymentMissing,
        Self::WebhookRules,
        Self::InvalidWebhook,
        Self::UnsupportedApiService,
        Self::ApiServiceDeploymentMissing,
        Self::LeftoverField,
        Self::CrdUnsafe,
        Self::CrdRemoved,
        Self::StoredVersionRemoved,
        Self::ConversionWithoutWebhook,
        Self::ConversionBeforeWebhook,
        Self::ConversionDropped,
        Self::ConversionInstallModes,
        Self::InvalidBundle,
    ];

    /// Returns the name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::ImmutableField => "immutable-field",
            Self::InvalidObject => "invalid-object",
            Self::DuplicateObject => "duplicate-object",
            Self::UnsupportedObject => "unsupported-object",
            Self::LostObject => "lost-object",
            Self::RemovedApi => "removed-api",
            Self::NeedsApi => "needs-api",
            Self::ServiceAccountRenamed => "service-account-renamed",
            Self::PermissionsAdded => "permissions-added",
            Self::InstallModeRemoved => "install-mode-removed",
            Self::InstallModeMissing => "install-mode-missing",
            Self::KubeVersion => "kube-version",
            Self::WebhookDeploymentMissing => "webhook-deployment-missing",
            Self::WebhookRules => "webhook-rules",
            Self::InvalidWebhook => "invalid-webhook",
            Self::UnsupportedApiService => "unsupported-api-service",
            Self::ApiServiceDeploymentMissing => "api-service-deployment-missing",
            Self::LeftoverField => "leftover-field",
            Self::CrdUnsafe => "crd-unsafe",
            Self::CrdRemoved => "crd-removed",
            Self::StoredVersionRemoved => "stored-version-removed",
            Self::ConversionWithoutWebhook => "conversion-without-webhook",
            Self::ConversionBeforeWebhook => "conversion-before-webhook",
            Self::ConversionDropped => "conversion-dropped",
            Self::ConversionInstallModes => "conversion-install-modes",
            Self::InvalidBundle => "invalid-bundle",
        }
    }

    /// Returns advice for a reason of this kind; empty if it depends on the case.
    pub fn advice(self) -> &'static str {
        match self {
            Self::ImmutableField => "keep the field, or give the object another name",
            Self::InvalidObject => "correct the object: the API server refuses it",
            Self::DuplicateObject => "keep one of the objects",
            Self::UnsupportedObject => "let the operator create the object",
            Self::LostObject => "put each object into a file of its own",
            Self::RemovedApi => "use an apiVersion that Kubernetes serves",
            Self::NeedsApi => "check that every cluster has the API",
            Self::ServiceAccountRenamed => {
                "tokens, pull secrets and bindings that name the old service account stop working"
            }
            Self::PermissionsAdded => {
                "grant them to the service account of the ClusterExtension too, if your operator-controller still uses it"
            }
            Self::InstallModeRemoved => "an OperatorGroup that uses the mode fails",
            Self::InstallModeMissing => "support AllNamespaces",
            Self::KubeVersion => "older clusters do not get the new version to run",
            Self::WebhookDeploymentMissing => "name a deployment of the CSV in deploymentName",
            Self::WebhookRules => "name the groups that the webhook needs",
            Self::InvalidWebhook => "correct the webhook definition",
            Self::UnsupportedApiService => "OLM v1 cannot install this operator",
            Self::ApiServiceDeploymentMissing => "name a deployment of the CSV in deploymentName",
            Self::LeftoverField => {
                "the boxcutter applier of OLM v1 stays on the old version; OLM Classic and the Helm applier do not"
            }
            Self::CrdUnsafe => "accept in the new schema what the old one accepted",
            Self::CrdRemoved => {
                "OLM v1 deletes the CRD with all its resources; with OLM Classic it stays, unserved"
            }
            Self::StoredVersionRemoved => {
                "keep the version with served: false until all objects are rewritten and status.storedVersions is pruned"
            }
            Self::ConversionWithoutWebhook => {
                "remove spec.conversion from the CRD, or add a ConversionWebhook for it to the CSV"
            }
            Self::ConversionBeforeWebhook => "remove spec.conversion from the CRD: OLM sets it",
            Self::ConversionDropped => "keep the ConversionWebhook as long as the CRD has several versions",
            Self::ConversionInstallModes => "support AllNamespaces only",
            Self::InvalidBundle => "olmap bundle validate says more",
        }
    }
}

/// Reason why a step is not safe with an OLM.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// Kind of the reason.
    pub kind: ReasonKind,
    /// True if the step fails; false if it needs a look.
    pub is_refusal: bool,
    /// Object, as `Kind/name`.
    pub object: String,
    /// Field path; empty if the reason is about the whole object.
    pub field: String,
    /// Problem, without the object.
    pub words: String,
    /// Number of further problems of this kind in this object.
    pub more: usize,
    /// The first [`MAX_OTHERS`](Self::MAX_OTHERS) of these further problems, without the object.
    #[serde(default)]
    pub others: Vec<String>,
    /// Location in the new bundle, or in the old one if there is none.
    pub place: Option<CrdLocation>,
    /// Consequence for existing resources; empty if there is none.
    pub breaks: Cow<'static, str>,
    /// Advice.
    pub advice: Cow<'static, str>,
}

impl Reason {
    /// Maximum number of further problems that are described.
    pub const MAX_OTHERS: usize = 20;

    /// Adds further problems of the same kind in the same object.
    #[must_use]
    pub fn with_others(mut self, others: impl IntoIterator<Item = String>) -> Self {
        let mut others = others.into_iter();
        self.others = others.by_ref().take(Self::MAX_OTHERS).collect();
        self.more = self.others.len() + others.count();
        self
    }

    /// Creates a reason that makes the step fail.
    pub fn refusal(kind: ReasonKind, object: impl Into<String>, words: impl Into<String>) -> Self {
        Self {
            kind,
            is_refusal: true,
            object: object.into(),
            field: String::new(),
            words: words.into(),
            more: 0,
            others: Vec::new(),
            place: None,
            breaks: "".into(),
            advice: kind.advice().into(),
        }
    }

    /// Creates a reason that needs a look.
    pub fn look_reason(kind: ReasonKind, object: impl Into<String>, words: impl Into<String>) -> Self {
        Self { is_refusal: false, ..Self::refusal(kind, object, words) }
    }

    /// Sets the field.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.field = field.into();
        self
    }

    /// Sets the location.
    #[must_use]
    pub fn with_location(mut self, place: Option<CrdLocation>) -> Self {
        self.place = place;
        self
    }

    /// Returns the name of the object without its kind.
    pub fn object_name(&self) -> &str {
        self.object.split_once('/').map_or(self.object.as_str(), |(_, name)| name)
    }

    /// Describes the object and its problem. CRDs are shown by name, other objects by kind and name.
    pub fn describe_problem(&self) -> String {
        match self.object.split_once('/') {
            Some(("CustomResourceDefinition", name)) => format!("{name}: {}", self.words),
            Some((kind, name)) => format!("{kind} {name}: {}", self.words),
            None => format!("{}: {}", self.object, self.words),
        }
    }

    /// Returns true if both reasons describe the same problem, so that one sentence is enough for
    /// both OLMs.
    pub fn is_same_problem(&self, other: &Self) -> bool {
        (self.kind, &self.object, &self.field, &self.words, self.is_refusal)
            == (other.kind, &other.object, &other.field, &other.words, other.is_refusal)
    }
}

/// Formats the object, its problem and the number of further problems.
impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.describe_problem())?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Judgement of one OLM.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OlmJudgement {
    /// Reasons; those that make the step fail come first.
    pub reasons: Vec<Reason>,
    /// Reasons why part of the step was not compared.
    pub not_checked: Vec<String>,
}

impl OlmJudgement {
    /// Returns the verdict: the worst that the reasons and unchecked parts allow.
    pub fn verdict(&self) -> StepVerdict {
        if self.reasons.iter().any(|reason| reason.is_refusal) {
            StepVerdict::Refused
        } else if !self.not_checked.is_empty() {
            StepVerdict::NotChecked
        } else if self.reasons.is_empty() {
            StepVerdict::Safe
        } else {
            StepVerdict::NeedsLook
        }
    }

    /// Iterates over the reasons that make the step fail.
    pub fn refusals(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| reason.is_refusal)
    }

    /// Iterates over the reasons that need a look.
    pub fn look_reasons(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| !reason.is_refusal)
    }
}

/// OLMs that a reason applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AffectedOlms {
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
    /// Both OLMs.
    Both,
}

impl AffectedOlms {
    /// Returns the OLMs in both sets.
    pub fn intersection(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Both, one) | (one, Self::Both) => Some(one),
            (one, other) if one == other => Some(one),
            _ => None,
        }
    }
}

/// Judgement of both OLMs on a step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Judgement {
    /// Judgement of OLM Classic.
    pub classic: OlmJudgement,
    /// Judgement of OLM v1: refused if the Helm applier refuses, a look if only boxcutter does.
    pub v1: OlmJudgement,
    /// True if OLM v1 does not install the old bundle, so that no cluster with OLM v1 takes the
    /// step.
    #[serde(default)]
    pub is_v1_moot: bool,
}

impl Judgement {
    /// Creates the judgement of a step whose bundles cannot be compared.
    pub fn not_checked(reason: impl Into<String>) -> Self {
        let olm = OlmJudgement { reasons: Vec::new(), not_checked: vec![reason.into()] };
        Self { classic: olm.clone(), v1: olm, is_v1_moot: false }
    }

    /// Returns the judgements with the name of each OLM.
    pub fn by_olm(&self) -> [(&'static str, &OlmJudgement); 2] {
        [("OLM Classic", &self.classic), ("OLM v1", &self.v1)]
    }

    /// Returns the worse of the two verdicts.
    pub fn worst_verdict(&self) -> StepVerdict {
        self.classic.verdict().max(self.v1.verdict())
    }

    /// Returns true if an OLM that can install the old bundle refuses the step.
    pub fn is_refused(&self) -> bool {
        let is_refused = |olm: &OlmJudgement| olm.verdict() == StepVerdict::Refused;
        is_refused(&self.classic) || is_refused(&self.v1) && !self.is_v1_moot
    }

    /// Returns true if the step is safe with both OLMs.
    pub fn is_safe(&self) -> bool {
        self.worst_verdict() == StepVerdict::Safe
    }

    pub(super) fn add_reason(&mut self, by: AffectedOlms, reason: Reason) {
        if by != AffectedOlms::V1 {
            self.classic.reasons.push(reason.clone());
        }
        if by != AffectedOlms::Classic {
            self.v1.reasons.push(reason);
        }
    }

    pub(super) fn add_not_checked(&mut self, by: AffectedOlms, reason: impl Into<String>) {
        let reason = reason.into();
        if by != AffectedOlms::V1 {
            self.classic.not_checked.push(reason.clone());
        }
        if by != AffectedOlms::Classic {
            self.v1.not_checked.push(reason);
        }
    }

    /// Sorts refusals first.
    pub(super) fn sort_reasons(&mut self) {
        for olm in [&mut self.classic, &mut self.v1] {
            olm.reasons.sort_by_key(|reason| !reason.is_refusal);
            olm.not_checked.sort();
            olm.not_checked.dedup();
        }
    }
}
