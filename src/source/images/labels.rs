//! The labels of an image, and what they say that it is.
//!
//! Sources: operator-registry `alpha/action/render.go` (`renderReference`, `imageToDeclcfg`) for the order, OLM's
//! documentation of bundle images for the names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::ImageError;

/// The folder of a file-based catalog.
pub const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";
/// The file of a SQLite index.
pub const DATABASE: &str = "operators.operatorframework.io.index.database.v1";
/// The package of a bundle.
pub const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// The kinds of configs that have labels. An image of helm or of other artifacts has none.
const CONFIG_TYPES: [&str; 3] =
    ["", "application/vnd.oci.image.config.v1+json", "application/vnd.docker.container.image.v1+json"];

/// What an image is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A SQLite index, by its path in the image.
    Database(String),
    /// A file-based catalog, by its folder in the image.
    Catalog(String),
    /// A bundle.
    Bundle,
}

/// What the config of an image says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The digests of its layers, unpacked; as they are written.
    pub diff_ids: Vec<String>,
}

impl Config {
    /// Reads the config of an image; `media_type` is what the manifest says of it.
    ///
    /// # Errors
    ///
    /// When it is not the config of an image.
    pub fn read(bytes: &[u8], media_type: &str) -> Result<Self, ImageError> {
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

    /// What the image is.
    ///
    /// # Errors
    ///
    /// When no label says so.
    pub fn meaning(&self) -> Result<Meaning, ImageError> {
        let label = |name: &str| self.labels.get(name).cloned();
        if let Some(path) = label(DATABASE) {
            return Ok(Meaning::Database(path));
        }
        if let Some(folder) = label(CONFIGS) {
            return Ok(Meaning::Catalog(folder));
        }
        if self.labels.contains_key(PACKAGE) {
            return Ok(Meaning::Bundle);
        }
        Err(ImageError::NotOurs { labels: self.labels.keys().cloned().collect() })
    }
}
