//! Loading of the state that an open catalog is compared with.

use std::{io::ErrorKind, path::Path, sync::Arc};

use super::{
    judge::{judged, with_learned_in_sight},
    place::at_home,
};
use crate::{
    app::{Refusal, Source, work::Base},
    catalog::{
        demo::demo,
        load::{
            self, LoadError, Progress,
            git::{self, Repository},
        },
    },
    review::Snapshot,
    source::{How, Sight},
    upgrade::openshift::OpenShift,
};

/// Loads and checks the base, with its upgrade steps. `like` is the path of the open catalog, `sight` the
/// search path of manifests.
pub fn read(
    base: Base,
    like: Option<&Path>,
    how: &How,
    openshift: &[OpenShift],
    sight: &Sight,
    progress: &Progress,
) -> Result<Arc<Snapshot>, Refusal> {
    let catalog = match base {
        Base::Revision(revision) => {
            let here = Path::new(".");
            git::open_revision(&revision, like.unwrap_or(here), progress)
        }
        Base::Path(path) | Base::Open(Source::Path(path)) => {
            crate::source::open(&at_home(path), how, progress)
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
        Refusal { message, hint: error.hint() }
    })?;
    Ok(Arc::new(with_learned_in_sight(judged(catalog, openshift), sight)))
}

/// Checks that a catalog is in a git repository with a commit.
pub fn find_repository(path: &Path) -> Result<(), Refusal> {
    let repository = Repository::around(path).map_err(|error| Refusal::new(error.to_string()))?;
    repository.commit("HEAD").map_err(|_| Refusal::new("its git repository has no commit yet"))?;
    repository.inside(path).map_err(|error| Refusal::new(error.to_string()))?;
    Ok(())
}
