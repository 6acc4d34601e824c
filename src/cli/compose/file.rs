//! File format of a composition.

use std::path::Path;

use serde::Deserialize;

use crate::cli::{failure::Failure, revision};
use olm_catalog::load::regular_file;

/// Maximum size of the file in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// Catalogs that are merged into one.
#[derive(Debug, Deserialize)]
pub struct Composition {
    /// Name of the composition and of its directory.
    pub name: String,
    /// Catalogs to merge.
    pub references: Vec<Reference>,
}

/// Catalog of a composition.
#[derive(Debug, Deserialize)]
pub struct Reference {
    /// Folder for the catalog.
    pub name: String,
    /// Location of the catalog: an image, layout, directory or file.
    pub image: String,
}

impl Composition {
    /// Reads a composition.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let label = path.display().to_string();
        let failed = |why: String| Failure::new(format!("cannot read {label}: {why}"));
        let bytes = match revision::parse_revision(path) {
            Some(revision) => revision::read_file(&revision)?,
            None => regular_file::read_regular(path, MAX_SIZE).map_err(|error| failed(error.to_string()))?,
        };
        Self::parse(&bytes, &label).map_err(|(place, failure)| {
            Failure::in_file(path, place.map(|(line, column)| (line, Some(column))), failure)
        })
    }

    /// Parses a composition. `label` names it in messages. An error includes its line and column if they are
    /// known.
    pub fn parse(bytes: &[u8], label: &str) -> Result<Self, (Option<(usize, usize)>, Failure)> {
        let read: Self = serde_yaml::from_slice(bytes).map_err(|error| {
            let failure = Failure::new(format!("cannot read {label}: {error}"))
                .with_hint("a composition has name and references: [{name: ..., image: ...}]");
            (error.location().map(|at| (at.line(), at.column())), failure)
        })?;
        let wrong = |what: &str| (None, Failure::new(format!("{label}: {what}")));
        if read.references.is_empty() {
            return Err(wrong("it has no references"));
        }
        let names = read.references.iter().map(|reference| reference.name.as_str());
        if let Some(name) = names.clone().chain([read.name.as_str()]).find(|name| !is_folder_name(name)) {
            return Err(wrong(&format!("{name:?} cannot be the name of a folder")));
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(name) = names.into_iter().find(|name| !seen.insert(name.to_lowercase())) {
            return Err(wrong(&format!("two references are called {name}")));
        }
        Ok(read)
    }
}

/// Returns true if a name is valid for a folder on all systems.
fn is_folder_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.chars().all(is_plain)
}

impl Reference {
    /// Returns true if the image is referenced by a tag, which may move.
    pub fn has_tag(&self) -> bool {
        let image = self.image.strip_prefix("docker://").unwrap_or(&self.image);
        let is_local = ["oci:", "oci-archive:", "docker-archive:", "dir:", "git:"]
            .iter()
            .any(|kind| image.starts_with(kind));
        let last = image.rsplit('/').next().unwrap_or_default();
        !is_local
            && !image.contains("://")
            && image.contains('/')
            && !image.contains('@')
            && last.contains(':')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_cannot_leave_the_folder() {
        for name in ["etcd-operator", "a.b_c", "4.20"] {
            assert!(is_folder_name(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "a\\b", "/etc", ".hidden", "a b", "a\n"] {
            assert!(!is_folder_name(name), "{name:?}");
        }
    }

    #[test]
    fn tag_may_move_and_digest_may_not() {
        let has_tag = |image: &str| Reference { name: String::new(), image: image.to_owned() }.has_tag();
        for image in ["quay.io/a/b:v1", "docker://127.0.0.1:5000/a:v1"] {
            assert!(has_tag(image), "{image}");
        }
        for image in [
            "quay.io/a/b@sha256:0",
            "../catalog",
            "git:release/4.18:catalog",
            "oci:dir:v1",
            "oci-archive:a/b.tar:v1",
            "https://a/b",
        ] {
            assert!(!has_tag(image), "{image}");
        }
    }
}
