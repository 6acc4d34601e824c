//! Findings of OLM v1 about a changed CRD, with their consequences.

use std::collections::BTreeSet;

use super::{CrdLocation, validation::Validation};

/// Check of the preflight that rejects the change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Check {
    /// The CRD as a whole: its scope, stored versions, removed fields.
    Crd,
    /// A version in the old CRD and in the new one.
    Same,
    /// Two served versions of the new CRD; the lower one counts as the old.
    Served,
}

impl Check {
    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crd => "crd",
            Self::Same => "same",
            Self::Served => "served",
        }
    }
}

/// A rejected change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrdFinding {
    /// Check that rejects the change.
    pub check: Check,
    /// Version `v1`, or two versions `v1beta1 -> v1`; `None` for the CRD as a whole.
    pub version: Option<String>,
    /// Path of the field, such as `^.spec.size`; `^` is the root of the schema.
    pub path: Option<String>,
    /// Rule that was violated.
    pub validation: Validation,
    /// Message in the words of the preflight.
    pub message: String,
    /// Newly required names.
    pub names: BTreeSet<String>,
    /// Location in the old CRD, or of the other version.
    pub old: Option<CrdLocation>,
    /// Location in the new CRD.
    pub new: Option<CrdLocation>,
    /// True if it is rejected because OLM cannot check it, although the change is harmless.
    pub is_harmless: bool,
}

impl CrdFinding {
    /// Returns the version as in the preflight's output. `None` for the check of the whole CRD, whose message
    /// names it.
    pub fn reported_version(&self) -> Option<&str> {
        self.version.as_deref().filter(|_| self.check != Check::Crd)
    }

    /// Returns the property as in the preflight's output.
    pub fn reported_property(&self) -> Option<&str> {
        self.path.as_deref().filter(|_| self.check != Check::Crd)
    }

    /// Returns the consequence for existing resources.
    pub fn consequence(&self) -> &'static str {
        consequence_of(self.validation, self.check, self.is_harmless)
    }

    /// Returns a suggested action.
    pub fn suggestion(&self) -> &'static str {
        suggestion_for(self.validation, self.check)
    }
}

pub(super) fn consequence_of(validation: Validation, check: Check, is_harmless: bool) -> &'static str {
    if check == Check::Served && !matches!(validation, Validation::Unhandled | Validation::Default) {
        return "a resource that is valid in the lower version may be refused in the higher one, though nothing converts it";
    }
    match validation {
        Validation::StoredVersionRemoval => {
            "objects may still be stored in this version, and without it the API server cannot read them"
        }
        Validation::Scope => {
            "the API server does not change the scope of a CRD: the upgrade fails, and existing resources would be lost"
        }
        Validation::ExistingFieldRemoval => {
            "existing resources that set the field lose its value when they are written next"
        }
        Validation::Type => "existing resources with a value of the old type are invalid",
        Validation::Required => "existing resources without the field are invalid and cannot be updated",
        Validation::Enum => "existing resources with another value are invalid",
        Validation::Pattern => "existing resources whose value does not match the pattern are invalid",
        Validation::Minimum
        | Validation::Maximum
        | Validation::MinLength
        | Validation::MaxLength
        | Validation::MinItems
        | Validation::MaxItems
        | Validation::MinProperties
        | Validation::MaxProperties => "existing resources outside of the new limit are invalid",
        Validation::OneOf => "existing resources may fit none, or more than one, of the schemas",
        Validation::Nullable => "existing resources with null here, or clients that expect none, may fail",
        Validation::Default => {
            "existing resources that leave the field out get another value when they are read"
        }
        Validation::Description => "nothing",
        Validation::Unhandled if is_harmless => {
            "nothing, as far as olmap can tell: OLM v1 refuses it because it cannot judge it"
        }
        Validation::Unhandled => "perhaps nothing: OLM v1 refuses it because it cannot judge it",
    }
}

pub(super) fn suggestion_for(validation: Validation, check: Check) -> &'static str {
    if check == Check::Served {
        return "make both versions accept the same values, or convert between them by a webhook";
    }
    match validation {
        Validation::StoredVersionRemoval => {
            "keep the version with served: false until all objects are rewritten and status.storedVersions is pruned"
        }
        Validation::Scope => "keep the scope; for another one, add a CRD with another name",
        Validation::ExistingFieldRemoval => {
            "keep the field and call it deprecated in its description; leave it out in a new version of the API"
        }
        Validation::Type => "keep the type; add a field with another name for the new one",
        Validation::Required => "leave it optional, and let the operator fill in what is missing",
        Validation::Enum => {
            "keep the values that were allowed, and let the operator report those it no longer supports"
        }
        Validation::Pattern => {
            "keep the pattern; check the value in the operator or in a webhook for new resources"
        }
        Validation::Minimum
        | Validation::Maximum
        | Validation::MinLength
        | Validation::MaxLength
        | Validation::MinItems
        | Validation::MaxItems
        | Validation::MinProperties
        | Validation::MaxProperties => {
            "keep the limit; check the value in the operator or in a webhook for new resources"
        }
        Validation::OneOf => "keep the schemas of oneOf as they are",
        Validation::Nullable => "keep nullable as it is",
        Validation::Default => {
            "keep the default in the schema, and let the operator use another one for new resources"
        }
        Validation::Description => "nothing",
        Validation::Unhandled => {
            "undo it, put it into a new version of the API, or tell users to set crdUpgradeSafety.enforcement: None"
        }
    }
}
