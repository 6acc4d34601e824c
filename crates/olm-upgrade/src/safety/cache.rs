//! Cache of verdicts, with their inputs as key.

use sha2::{Digest as _, Sha256};

use super::{NotChecked, PathHistory, Safety, Step, step_check::Advisory};
use olm_bundle::manifests::BundleManifests;
use olm_catalog::{BundleName, blob::BundleBlob, package::Package};

/// Hash of all inputs of a package's verdicts: its steps, manifests and neighbors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fingerprint([u8; 32]);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Cache of verdicts that may outlive the process.
pub trait VerdictCache: Sync {
    /// Returns the stored verdicts in the order of the steps; `None` if there are none.
    fn load_verdicts(&self, of: &Fingerprint) -> Option<Vec<Safety>>;

    /// Stores verdicts. A failure only costs time later.
    fn store_verdicts(&self, of: &Fingerprint, verdicts: &[Safety]);
}

/// Hash over a list of texts; a length before each text prevents ambiguity.
struct InputHash(Sha256);

impl InputHash {
    fn add_bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

/// Hashes the manifests of a bundle.
pub(super) fn hash_bundle(found: &Result<BundleManifests, NotChecked>, bundle: &BundleBlob) -> Fingerprint {
    let mut hash = InputHash(Sha256::new());
    let image = bundle.image.iter().chain(bundle.related_images.iter().map(|related| &related.image));
    for image in image {
        hash.add_bytes(image.value.as_bytes());
    }
    match found {
        Err(not_checked) => hash.add_bytes(format!("{not_checked:?}").as_bytes()),
        Ok(found) => {
            hash.add_bytes(found.shown.as_deref().unwrap_or_default().as_bytes());
            for folder in &found.tree.folders {
                hash.add_bytes(folder.as_bytes());
            }
            for file in &found.tree.files {
                hash.add_bytes(file.path.as_bytes());
                match &file.content {
                    Ok(bytes) => hash.add_bytes(bytes),
                    Err(why) => hash.add_bytes(format!("unread: {why}").as_bytes()),
                }
            }
        }
    }
    Fingerprint(hash.0.finalize().into())
}

/// Hashes the steps of a package, each with its effects on other packages.
pub(super) fn hash_steps<'a>(
    package: &Package,
    steps: &[Step],
    history: &PathHistory,
    others: &[Vec<Advisory>],
    bundles: impl Iterator<Item = (&'a BundleName, &'a Fingerprint)>,
) -> Fingerprint {
    let mut hash = InputHash(Sha256::new());
    hash.add_bytes(package.name.as_str().as_bytes());
    for (name, own) in bundles {
        hash.add_bytes(name.as_str().as_bytes());
        hash.add_bytes(&own.0);
    }
    for (step, looks) in steps.iter().zip(others) {
        hash.add_bytes(step.from.as_str().as_bytes());
        hash.add_bytes(step.to.as_str().as_bytes());
        for name in history.get(&(step.from.clone(), step.to.clone())).into_iter().flatten() {
            hash.add_bytes(name.as_str().as_bytes());
        }
        hash.add_bytes(b"looks");
        for look in looks {
            hash.add_bytes(look.words.as_bytes());
        }
    }
    Fingerprint(hash.0.finalize().into())
}
