//! Archives of `docker save`: a tar with `manifest.json`, which lists images with their configs and layers by
//! path.

use std::io::Read;

use serde::Deserialize;

use super::{Files, TarFiles, read_small};
use crate::images::{
    error::ImageError,
    image::{Image, ImageSource, Layer},
    labels::Config,
    manifest,
    platform::Platform,
    unpack::ExpectedDigest,
};

/// An image in an archive.
pub struct DockerArchive {
    /// Files of the archive.
    pub files: TarFiles,
    /// Name of the image; `None` for the only one.
    pub name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SavedImage {
    config: String,
    #[serde(default)]
    repo_tags: Option<Vec<String>>,
    #[serde(default)]
    layers: Option<Vec<String>>,
}

impl DockerArchive {
    fn saved_image(&self) -> Result<SavedImage, ImageError> {
        let bytes = read_small(&self.files, "manifest.json", manifest::MAX_BYTES, "manifest")?;
        let wrong =
            |error: serde_json::Error| ImageError::Malformed { what: "manifest", why: error.to_string() };
        let mut saved: Vec<SavedImage> = serde_json::from_slice(&bytes).map_err(wrong)?;
        let is_meant = |one: &SavedImage| match &self.name {
            Some(name) => one.repo_tags.iter().flatten().any(|tag| is_same_name(tag, name)),
            None => true,
        };
        let count = saved.len();
        let names = saved.iter().flat_map(|one| one.repo_tags.iter().flatten().cloned()).collect();
        let position = saved.iter().position(is_meant).filter(|_| self.name.is_some() || saved.len() == 1);
        match position {
            Some(position) => Ok(saved.swap_remove(position)),
            None => Err(ImageError::WhichImage { place: self.files.label(), count, names }),
        }
    }
}

/// Compares names without the registry of docker, which docker omits.
fn is_same_name(tag: &str, asked: &str) -> bool {
    let plain = |name: &str| {
        let name = name.strip_prefix("docker.io/").unwrap_or(name);
        name.strip_prefix("library/").unwrap_or(name).to_owned()
    };
    plain(tag) == plain(asked)
}

impl ImageSource for DockerArchive {
    fn image(&self, _: &Platform) -> Result<Image, ImageError> {
        let saved = self.saved_image()?;
        let bytes = read_small(&self.files, &saved.config, manifest::MAX_BYTES, "config")?;
        let config = Config::parse(&bytes, "")?;
        let layers = saved.layers.unwrap_or_default();
        if layers.len() != config.diff_ids.len() {
            let why =
                format!("it has {} layers, and the config says {}", layers.len(), config.diff_ids.len());
            return Err(ImageError::Malformed { what: "manifest", why });
        }
        if layers.len() > manifest::MAX_LAYERS {
            return Err(ImageError::TooMuch(format!("it has {} layers", layers.len())));
        }
        let layer = |(name, id): (String, &String)| {
            let wrong = |error| ImageError::Malformed { what: "config", why: format!("{error}") };
            let digest = id.parse().map_err(wrong)?;
            Ok(Layer { name, proof: ExpectedDigest::Unpacked(digest), at: None })
        };
        let layers =
            layers.into_iter().zip(&config.diff_ids).map(layer).collect::<Result<_, ImageError>>()?;
        Ok(Image { digest: None, config, layers })
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        self.files.open(&layer.name)
    }
}
