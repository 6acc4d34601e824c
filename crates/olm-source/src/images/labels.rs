//! Labels of an image, which identify its contents.
//!
//! Sources: operator-registry `alpha/action/render.go` (`renderReference`, `imageToDeclcfg`) for the order,
//! OLM's documentation of bundle images for the names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::ImageError;

/// Label with the folder of a file-based catalog.
pub const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";
/// Label with the file of an SQLite index.
pub const DATABASE: &str = "operators.operatorframework.io.index.database.v1";
/// Label with the package of a bundle.
pub const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// Media types of configs with labels. Configs of helm charts and other artifacts do not have labels.
const CONFIG_TYPES: [&str; 3] =
    ["", "application/vnd.oci.image.config.v1+json", "application/vnd.docker.container.image.v1+json"];

/// Kind of contents of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ContentKind {
    /// An SQLite index, with its path in the image.
    Database(String),
    /// A file-based catalog, with its folder in the image.
    Catalog(String),
    /// A bundle.
    Bundle,
}

/// Relevant parts of an image config.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
    /// Digests of the unpacked layers, as written.
    pub diff_ids: Vec<String>,
}

impl Config {
    /// Parses the config of an image; `media_type` comes from the manifest.
    ///
    /// # Errors
    ///
    /// If it is not the config of an image.
    pub fn parse(bytes: &[u8], media_type: &str) -> Result<Self, ImageError> {
        let wrong = |why: String| ImageError::Malformed { what: "config", why };
        if !CONFIG_TYPES.contains(&media_type) {
            return Err(wrong(format!("it is a {media_type}, and that of an image is expected")));
        }
        let value: Value = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        if !value.is_object() {
            return Err(wrong("it is not a JSON object".to_owned()));
        }
        let labels = value.get("config").and_then(|config| config.get("Labels")).and_then(Value::as_object);
        let label = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let ids = value.get("rootfs").and_then(|rootfs| rootfs.get("diff_ids")).and_then(Value::as_array);
        let id = |id: &Value| id.as_str().unwrap_or_default().to_owned();
        Ok(Self {
            labels: labels.into_iter().flatten().filter_map(label).collect(),
            diff_ids: ids.into_iter().flatten().map(id).collect(),
        })
    }

    /// Returns the kind of contents.
    ///
    /// # Errors
    ///
    /// If no label identifies it.
    pub fn content_kind(&self) -> Result<ContentKind, ImageError> {
        let label = |name: &str| self.labels.get(name).cloned();
        if let Some(path) = label(DATABASE) {
            return Ok(ContentKind::Database(path));
        }
        if let Some(folder) = label(CONFIGS) {
            return Ok(ContentKind::Catalog(folder));
        }
        if self.labels.contains_key(PACKAGE) {
            return Ok(ContentKind::Bundle);
        }
        Err(ImageError::NotOurs { labels: self.labels.keys().cloned().collect() })
    }
}
