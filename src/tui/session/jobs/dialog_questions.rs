//! Questions of dialogs. The dialog that asked receives the answer, and drops answers to earlier
//! questions.

use std::{path::PathBuf, sync::Arc};

use crate::tui::work::{
    JobEnvironment, Question, UserError,
    effect::BundleLocator,
    outcome::{BundleComparison, MirrorPreview, PathCompletions},
    remedy::{Remedies, RemedySearch},
};
use olm_bundle::NewBundle;
use olm_check::review::Snapshot;

/// Request for the names that complete a path.
#[derive(PartialEq, Debug)]
pub struct CompletionRequest {
    /// The typed part of the path.
    pub typed: String,
}

impl Question for CompletionRequest {
    type Answer = Result<PathCompletions, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.complete_path(&self.typed));
    }
}

/// Request for a bundle to add: a directory, or the output of opm render.
#[derive(PartialEq, Debug)]
pub struct NewBundleRequest {
    /// Path of the bundle.
    pub path: PathBuf,
    /// The image of the bundle. Empty if the bundle already names one.
    pub image: String,
}

impl Question for NewBundleRequest {
    type Answer = Result<Arc<NewBundle>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.load_new_bundle(&self.path, &self.image));
    }
}

/// Request to compare two bundles by their manifests, the older one first.
#[derive(PartialEq, Debug)]
pub struct BundleComparisonRequest {
    /// The bundles.
    pub bundles: Box<[BundleLocator; 2]>,
}

impl Question for BundleComparisonRequest {
    type Answer = Result<Arc<BundleComparison>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.compare_bundles(&self.bundles));
    }
}

/// Request for the part of a catalog that oc-mirror would publish.
#[derive(PartialEq, Debug)]
pub struct MirrorRequest {
    /// The catalog.
    pub snapshot: Arc<Snapshot>,
    /// The image set configuration, followed by `#N` if it mirrors several catalogs.
    pub path: PathBuf,
}

impl Question for MirrorRequest {
    type Answer = Result<Box<MirrorPreview>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.apply_mirror_configuration(&self.snapshot, &self.path));
    }
}

impl Question for RemedySearch {
    type Answer = Remedies;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(self.search_remedies(&|after, package| {
            let checked = environment.services.run_deferred_checks(Some(package), after);
            checked.into_iter().find_map(|(_, checks)| checks.safety)
        }));
    }
}
