//! History of a package: commits are read in batches, and compared while they are read.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crate::tui::UserError;
use olm_catalog::{
    Catalog, PackageName,
    load::{LoadError, Progress, git::history::PackageHistory},
    problem::ProblemKind,
};
use olm_check::review::{
    diff::ChangeKind,
    history::{CommitEffect, History, HistoryStep, StateSequence},
};
use olmap_report::omissions::OmittedPart;

/// Maximum number of states in memory.
const MAX_LOADED: usize = 32;

/// Reads the history of a package in a catalog on disk. The result contains commits after the revision
/// `since`, and at most `most` commits with changes.
///
/// # Errors
///
/// Fails like [`PackageHistory::load`]. Commits that cannot be read are part of the result.
pub fn load_history(
    path: &Path,
    package: &PackageName,
    since: Option<&str>,
    most: Option<usize>,
    progress: &Progress,
) -> Result<History, LoadError> {
    let read = PackageHistory::load(path, package, since, progress)?;
    let most = most.unwrap_or(usize::MAX);
    let mut chain = StateSequence::new(package.clone());
    let mut did: BTreeMap<usize, CommitEffect> = BTreeMap::new();
    let last = read.len() + 1;
    let mut next = 0;
    // The oldest known commit may still need a commit before it.
    while next < last && did.len() <= most {
        let until = next.saturating_add(MAX_LOADED).min(last);
        let states = read.load_states(next..until, progress)?.into_iter();
        did.extend(chain.add_states(
            states.map(|state| require_readable(state.map_err(|why| why.0)?, package)).collect(),
        ));
        progress.check_stopped()?;
        next = until;
    }
    if next == last {
        did.extend(chain.finish_sequence());
        // Content that existed before the oldest commit is not a change.
        did.remove(&read.len());
    }
    let is_cut = next < last || did.len() > most;
    let mut steps = Vec::new();
    for (number, committed) in read.commits().enumerate() {
        let Some(did) = did.remove(&number).filter(|_| steps.len() < most) else { continue };
        let came = matches!(&did, CommitEffect::Changed(changed) if changed.package.change_kind != ChangeKind::Changed);
        let moved = if came { read.moved_path(number)? } else { None };
        steps.push(HistoryStep { committed: committed.clone(), effect: did, moved });
    }
    Ok(History { package: package.clone(), steps, is_cut, is_shallow: read.is_shallow() })
}

/// Returns a state that is completely readable. A partly readable state would look like a removal.
fn require_readable(catalog: Catalog, package: &PackageName) -> Result<Catalog, String> {
    let outside = catalog.problems().count_kinds(ProblemKind::is_error);
    let inside =
        catalog.package(package.as_str()).map_or(0, |own| own.problems.count_kinds(ProblemKind::stops_opm));
    if outside + inside == 0 {
        return Ok(catalog);
    }
    let left_out = OmittedPart::unread_in_packages(&catalog, |name| name == package);
    Err(left_out.map_or_else(|| "opm cannot read it".to_owned(), |left_out| left_out.first))
}

/// Returns the history for the explorer, with a maximum number of commits.
pub(super) fn load_explorer_history(
    path: &Path,
    package: &PackageName,
    progress: &Progress,
) -> Result<Arc<History>, UserError> {
    const MOST: usize = 500;
    let read = load_history(path, package, None, Some(MOST), progress);
    read.map(Arc::new).map_err(|error| UserError { message: error.to_string(), hint: error.hint() })
}
