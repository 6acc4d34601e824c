//! Loading of the state that an open catalog is compared with.

use std::{io::ErrorKind, path::Path, sync::Arc};

use super::{
    checks::{check_catalog, with_available_checks},
    target_path::expand_home,
};
use crate::{
    demo::demo,
    tui::{Source, UserError, work::Base},
};
use olm_catalog::load::{
    self, LoadError, Progress,
    git::{self, Repository},
};
use olm_check::review::Snapshot;
use olm_source::{ManifestSearchPath, OpenOptions};
use olm_upgrade::openshift::OpenShift;

/// Loads and checks the base, with its upgrade steps. `like` is the path of the open catalog, `sight` the
/// search path of manifests.
pub fn load_base(
    base: Base,
    like: Option<&Path>,
    how: &OpenOptions,
    openshift: &[OpenShift],
    sight: &ManifestSearchPath,
    progress: &Progress,
) -> Result<Arc<Snapshot>, UserError> {
    let catalog = match base {
        Base::Revision(revision) => {
            let here = Path::new(".");
            git::open_revision(&revision, like.unwrap_or(here), progress)
        }
        Base::Path(path) | Base::Open(Source::Path(path)) => {
            olm_source::open_path(&expand_home(path), how, progress)
        }
        Base::Open(Source::Revision(revision)) => git::open_revision(&revision, Path::new("."), progress),
        Base::Open(Source::Stdin(bytes)) => Ok(load::from_bytes(bytes.to_vec())),
        Base::Loaded | Base::Open(Source::Demo) => Ok(demo()),
    };
    let catalog = catalog.map_err(|error: LoadError| {
        let message = match &error {
            LoadError::Open { path, source } if source.kind() == ErrorKind::NotFound => {
                format!("no file or directory {}", path.display())
            }
            _ => error.to_string(),
        };
        UserError { message, hint: error.hint() }
    })?;
    Ok(Arc::new(with_available_checks(check_catalog(catalog, openshift), sight)))
}

/// Checks that a catalog is in a git repository with a commit.
pub fn check_repository(path: &Path) -> Result<(), UserError> {
    let repository = Repository::discover(path).map_err(|error| UserError::new(error.to_string()))?;
    repository
        .resolve_revision("HEAD")
        .map_err(|_| UserError::new("its git repository has no commit yet"))?;
    repository.relative_path(path).map_err(|error| UserError::new(error.to_string()))?;
    Ok(())
}
