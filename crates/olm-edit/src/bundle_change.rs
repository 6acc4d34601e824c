//! Changes of properties and related images of bundles.

use serde::{Deserialize, Serialize};

/// A change of a part of bundles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum BundleChange {
    /// Sets the value of the property with a type; adds the property if the bundle does not have one.
    SetProperty {
        /// Type of the property.
        #[serde(rename = "type")]
        kind: String,
        /// Value of the property.
        value: serde_json::Value,
    },
    /// Adds a property beside those of the same type, unless the bundle has the same one.
    AddProperty {
        /// Type of the property.
        #[serde(rename = "type")]
        kind: String,
        /// Value of the property.
        value: serde_json::Value,
    },
    /// Removes properties.
    RemoveProperty {
        /// Type of the properties.
        #[serde(rename = "type")]
        kind: String,
        /// Value of the properties; `None` for any value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<serde_json::Value>,
    },
    /// Sets the image of the related image with a name; adds it if the bundle does not have one.
    SetRelatedImage {
        /// Name of the related image.
        name: String,
        /// Image reference.
        image: String,
    },
    /// Removes related images with a name.
    RemoveRelatedImage {
        /// Name of the related images.
        name: String,
    },
}

impl BundleChange {
    /// Returns a short description of the change. `bundles` describes the changed bundles.
    pub fn title(&self, bundles: &str) -> String {
        match self {
            Self::SetProperty { kind, .. } => format!("set property {kind} of {bundles}"),
            Self::AddProperty { kind, .. } => format!("add property {kind} to {bundles}"),
            Self::RemoveProperty { kind, .. } => format!("remove property {kind} from {bundles}"),
            Self::SetRelatedImage { name, .. } => format!("set related image {name} of {bundles}"),
            Self::RemoveRelatedImage { name } => format!("remove related image {name} from {bundles}"),
        }
    }
}
