//! Edits of the catalog at a path, from reading to saving, under one lock.

use std::path::Path;

use super::{
    ChannelPlacement, Edit, EditError, apply_edit,
    diff::{self, FileDiff},
    save::{self, DirectoryLock, Loss, SaveError, Saved},
};
use olm_bundle::NewBundle;
use olm_catalog::{
    BundleName, Catalog, PackageName,
    load::{self, LoadError},
};

/// A catalog on disk with pending edits. No other session can write to its directory until this one is dropped.
///
/// The session takes the lock before it reads the catalog, so the edited state is the current one. For a catalog
/// that is one file, it locks the directory of the file, as a save does.
#[derive(Debug)]
pub struct EditSession {
    lock: DirectoryLock,
    original: Catalog,
    catalog: Catalog,
}

/// Reason why a session cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenSessionError {
    /// Another process keeps the directory locked.
    #[error(transparent)]
    Locked(#[from] SaveError),
    /// The catalog cannot be read.
    #[error(transparent)]
    Unreadable(#[from] LoadError),
}

impl OpenSessionError {
    /// Returns a suggestion, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Locked(error) => Some(error.hint().to_owned()),
            Self::Unreadable(error) => error.hint(),
        }
    }
}

impl EditSession {
    /// Locks and reads the catalog at a path: a directory or a file.
    ///
    /// # Errors
    ///
    /// If another process keeps the directory locked, or if the path does not exist. Unreadable files and invalid
    /// documents are problems of the catalog.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenSessionError> {
        Self::open_with_lock(path, DirectoryLock::with_default_state())
    }

    /// Opens a session like [`Self::open`] that adds its directory to a lock, for example a lock with another
    /// state directory.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_with_lock(path: impl AsRef<Path>, mut lock: DirectoryLock) -> Result<Self, OpenSessionError> {
        let path = path.as_ref();
        let roots = save::catalog_roots(&[path.to_owned()]);
        lock.lock_directories(roots.iter().map(AsRef::as_ref))?;
        let original = load::open_catalog(path)?;
        Ok(Self { lock, catalog: original.clone(), original })
    }

    /// Returns the catalog with the edits.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the catalog as it was read, or as it was saved last.
    pub fn original(&self) -> &Catalog {
        &self.original
    }

    /// Applies an edit in memory.
    ///
    /// # Errors
    ///
    /// If the edit is impossible. The catalog is unchanged then.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), EditError> {
        self.catalog = apply_edit(&self.catalog, edit)?;
        Ok(())
    }

    /// Adds a bundle of the package to channels, and changes other entries together. Creates missing channels.
    ///
    /// # Errors
    ///
    /// If the package does not have the bundle, or if the edit is impossible.
    pub fn promote(
        &mut self,
        package: &PackageName,
        bundle: &BundleName,
        channels: &[ChannelPlacement],
    ) -> Result<(), EditError> {
        let known =
            self.catalog.package(package.as_str()).ok_or_else(|| EditError::NoPackage(package.clone()))?;
        if known.bundle(bundle.as_str()).is_none() {
            return Err(EditError::NoBundle(bundle.clone()));
        }
        let edit = Edit::promote(known, bundle, channels);
        self.apply(&edit)
    }

    /// Adds a new bundle, and its entries in channels. Creates missing packages and channels.
    ///
    /// # Errors
    ///
    /// If the catalog already has the bundle, or if the edit is impossible.
    pub fn add_bundle(&mut self, new: &NewBundle, channels: &[ChannelPlacement]) -> Result<(), EditError> {
        self.apply(&Edit::add_bundle(new, &self.catalog, channels))
    }

    /// Returns the changes of each file since the original. The text of a [`FileDiff`] is a diff for `git apply`.
    pub fn diff(&self) -> Vec<FileDiff> {
        diff::compare_files(&self.original, &self.catalog)
    }

    /// Returns what a save would lose besides the old content, such as hard links.
    pub fn losses(&self) -> Vec<Loss> {
        save::catalog_losses(&[(&self.original, &self.catalog)], self.lock.state())
    }

    /// Writes the changed files, all or none. The saved catalog is then the original of further edits.
    ///
    /// # Errors
    ///
    /// If a file is not on disk, was changed by another program, or cannot be written. The edits stay pending.
    pub fn save(&mut self) -> Result<Saved, SaveError> {
        let saved = save::save_catalogs(&[(&self.original, &self.catalog)], &mut self.lock)?;
        self.original = self.catalog.clone();
        Ok(saved)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use olm_catalog::blob::EntrySpec;

    use super::*;
    use crate::save::StateDirectory;

    const CATALOG: &str = "\
schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries:
- name: p.v1
---
schema: olm.bundle
package: p
name: p.v2
";

    fn stateless_lock() -> DirectoryLock {
        DirectoryLock::new(StateDirectory::none())
    }

    fn deprecate(bundle: &str) -> Edit {
        let target = olm_catalog::blob::DeprecationTarget::Bundle(bundle.into());
        Edit::Deprecate { package: "p".into(), target, message: "Old.".to_owned() }
    }

    #[test]
    fn holds_lock_of_directory_for_file_and_for_directory() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("catalog.yaml");
        fs::write(&file, CATALOG).unwrap();
        let is_free = || File::open(folder.path()).unwrap().try_lock().is_ok();
        for path in [file.as_path(), folder.path()] {
            let session = EditSession::open_with_lock(path, stateless_lock()).unwrap();
            assert!(!is_free(), "{}", path.display());
            drop(session);
            assert!(is_free(), "{}", path.display());
        }
    }

    #[test]
    fn saves_pending_edits_and_starts_again_from_the_saved_state() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("catalog.yaml");
        fs::write(&file, CATALOG).unwrap();
        let mut session = EditSession::open_with_lock(&file, stateless_lock()).unwrap();
        assert!(session.diff().is_empty());
        session.apply(&deprecate("p.v2")).unwrap();
        assert!(session.apply(&deprecate("p.v9")).is_err());
        let [diff] = &session.diff()[..] else { panic!("{:?}", session.diff()) };
        let path = file.display().to_string();
        let path = path.trim_start_matches('/');
        assert_eq!(
            diff.to_string(),
            format!(
                "--- a/{path}\n+++ b/{path}\n@@ -12,2 +12,10 @@\n package: p\n name: p.v2\n\
                 +---\n+schema: olm.deprecations\n+package: p\n+entries:\n+- reference:\n\
                 +    schema: olm.bundle\n+    name: p.v2\n+  message: Old.\n"
            )
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), CATALOG);
        assert!(session.losses().is_empty());
        assert!(session.save().unwrap().warning().is_none());
        assert!(fs::read_to_string(&file).unwrap().contains("message: Old."));
        assert!(session.diff().is_empty());
        // Another edit is compared with the saved file.
        session
            .apply(&Edit::Undeprecate {
                package: "p".into(),
                target: olm_catalog::blob::DeprecationTarget::Bundle("p.v2".into()),
            })
            .unwrap();
        assert!(session.save().unwrap().warning().is_none());
        assert_eq!(fs::read_to_string(&file).unwrap(), CATALOG);
    }

    #[test]
    fn promotes_only_bundles_of_the_package() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("catalog.yaml"), CATALOG).unwrap();
        let mut session = EditSession::open_with_lock(folder.path(), stateless_lock()).unwrap();
        let mut promote = |bundle: &str| {
            let spec = EntrySpec { replaces: Some("p.v1".into()), ..EntrySpec::default() };
            session.promote(&"p".into(), &bundle.into(), &[ChannelPlacement::with_spec("c".into(), spec)])
        };
        assert!(matches!(promote("nosuch"), Err(EditError::NoBundle(name)) if name == "nosuch"));
        promote("p.v2").unwrap();
        let package = session.catalog().package("p").unwrap();
        assert_eq!(package.channel("c").unwrap().entries.len(), 2);
        assert_eq!(session.original().package("p").unwrap().channel("c").unwrap().entries.len(), 1);
    }

    #[test]
    fn error_of_missing_path_has_a_message() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("nowhere");
        let error = EditSession::open_with_lock(missing, stateless_lock()).unwrap_err();
        assert!(error.to_string().ends_with("nowhere: no such file or directory"), "{error}");
        assert_eq!(error.hint(), None);
    }
}
