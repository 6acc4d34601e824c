//! Checked catalogs: all given ones, or those that a change affects.

use std::path::PathBuf;

use super::Args;
use crate::{
    catalog::Catalog,
    cli::{
        changed::{self, Change, Changed},
        progress,
        safety::no_bundles,
        source,
    },
    export::{
        finding::Judged,
        scope::{Looked, Scope},
    },
    resolve::Source,
    review::{Snapshot, Touched, touched},
    runtime,
    upgrade::openshift::OpenShift,
    validate::{Diagnostic, Severity},
};

/// Catalogs of a check.
pub struct Looking {
    /// Reported catalogs.
    pub snapshots: Vec<Snapshot>,
    /// Change of each catalog; empty if no change is given.
    changes: Vec<Touch>,
    /// Unchanged catalogs that may provide unmet requirements of changed ones. Not reported.
    beside: Vec<Snapshot>,
    scope: Option<Scope>,
}

struct Touch {
    path: PathBuf,
    touched: Touched,
    old: Option<Catalog>,
    is_new: bool,
}

pub fn look(args: &Args) -> anyhow::Result<Looking> {
    let Some(change) = change(args)? else {
        let openshift = runtime::openshift_of(&args.paths);
        let catalogs = source::all(&args.paths, &args.images)?;
        let snapshots = catalogs.into_iter().map(|catalog| snapshot(args, catalog, &openshift));
        let snapshots = beside_each_other(snapshots.collect::<anyhow::Result<_>>()?);
        return Ok(Looking { snapshots, changes: Vec::new(), beside: Vec::new(), scope: None });
    };
    let scope = Some(change.scope());
    let paths: Vec<PathBuf> = change.catalogs.iter().map(|changed| changed.path.clone()).collect();
    let openshift = runtime::openshift_of(&paths);
    let has_base = change.base.is_some();
    let (touched, same): (Vec<Changed>, Vec<Changed>) =
        change.catalogs.into_iter().partition(Changed::is_touched);
    let (mut snapshots, mut changes) = (Vec::new(), Vec::new());
    for Changed { path, old, new, touched } in touched {
        let Some(new) = new else { continue };
        snapshots.push(snapshot(args, new, &openshift)?);
        changes.push(Touch { path, touched, is_new: has_base && old.is_none(), old });
    }
    let count = snapshots.len();
    // An unchanged catalog is only checked if it may provide what others require.
    if !snapshots.iter().all(Snapshot::is_met) {
        for new in same.into_iter().filter_map(|changed| changed.new) {
            snapshots.push(snapshot(args, new, &openshift)?);
        }
    }
    let mut snapshots = beside_each_other(snapshots);
    let beside = snapshots.split_off(count);
    Ok(Looking { snapshots, changes, beside, scope })
}

fn change(args: &Args) -> anyhow::Result<Option<Change>> {
    let since = args.changed_since.as_deref();
    match (&args.files, since) {
        (Some(files), _) => {
            let files = changed::named(files)?;
            changed::in_files(&files, since, &args.paths, &args.images).map(Some)
        }
        (None, Some(since)) => changed::since(since, &args.paths, &args.images).map(Some),
        (None, None) => Ok(None),
    }
}

fn snapshot(args: &Args, catalog: Catalog, openshift: &[OpenShift]) -> anyhow::Result<Snapshot> {
    if args.parity {
        return Ok(Snapshot::new(catalog));
    }
    let uses_cache = catalog.is_proposed() || args.bundles.says_where();
    let snapshot = runtime::judged(catalog, openshift);
    if !uses_cache {
        return Ok(runtime::with_own_manifests(snapshot));
    }
    let sight = args.bundles.sight(&args.images.access());
    Ok(progress::watched(|progress| runtime::with_learned(snapshot, &sight, progress))
        .map_err(|path| no_bundles(&path))?)
}

/// Resolves unmet requirements of each catalog with the other catalogs.
fn beside_each_other(snapshots: Vec<Snapshot>) -> Vec<Snapshot> {
    if snapshots.len() < 2 || snapshots.iter().all(Snapshot::is_met) {
        return snapshots;
    }
    let told = |(at, snapshot): (usize, &Snapshot)| {
        if snapshot.is_met() { snapshot.clone() } else { snapshot.beside(others(&snapshots, &[], at)) }
    };
    snapshots.iter().enumerate().map(told).collect()
}

/// Returns the catalogs that may provide requirements of the one at position `at`. Omits templates
/// and rejected catalogs.
fn others(snapshots: &[Snapshot], more: &[Snapshot], at: usize) -> Vec<Source> {
    let others = snapshots.iter().chain(more).enumerate().filter(|(other, snapshot)| {
        *other != at && snapshot.catalog.template().is_none() && snapshot.rejected().is_none()
    });
    others.map(|(_, snapshot)| Source::new(&snapshot.catalog.origin.label(), snapshot.index())).collect()
}

impl Looking {
    /// Returns the changed parts of a catalog, if a change is given.
    pub fn touched(&self, at: usize) -> Option<&Touched> {
        self.changes.get(at).map(|change| &change.touched)
    }

    /// Keeps only the findings that the change is responsible for, and returns the scope of the check.
    pub fn share(&self, all: &mut [Judged<'_>]) -> Option<Scope> {
        let mut scope = self.scope.clone()?;
        for (at, (judged, change)) in all.iter_mut().zip(&self.changes).enumerate() {
            let others = || others(&self.snapshots, &self.beside, at);
            let findings = std::mem::take(&mut judged.findings);
            let shared =
                touched::share(&change.touched, findings, judged.catalog, change.old.as_ref(), others);
            judged.findings = shared.answered;
            let errors = shared.aside.iter().filter(|finding| finding.severity() == Severity::Error);
            scope.looked.push(Looked {
                catalog: change.path.display().to_string(),
                is_new: change.is_new,
                packages: change.touched.packages().map(ToString::to_string).collect(),
                aside: shared.aside.iter().map(|finding| finding.count()).sum(),
                aside_errors: errors.map(|finding: &&Diagnostic| finding.count()).sum(),
            });
        }
        Some(scope)
    }
}
