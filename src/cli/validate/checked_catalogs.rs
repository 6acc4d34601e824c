//! Checked catalogs: all given ones, or those that a change affects.

use std::path::PathBuf;

use super::Args;
use crate::{
    cli::{
        changed_catalogs::{self, Change, ChangedCatalog},
        progress,
        safety::no_bundles_failure,
        source,
    },
    runtime,
};
use olm_catalog::Catalog;
use olm_check::{
    Finding, Severity,
    review::{Snapshot, Touched, touched},
};
use olm_upgrade::{openshift::OpenShift, resolve::Source};
use olmap_report::{
    finding::CatalogFindings,
    scope::{CheckedCatalogPart, Scope},
};

/// Catalogs of a check.
pub struct CheckedCatalogs {
    /// Reported catalogs.
    pub snapshots: Vec<Snapshot>,
    /// Change of each catalog; empty if no change is given.
    changes: Vec<CatalogChange>,
    /// Unchanged catalogs that may provide unmet requirements of changed ones. Not reported.
    providers: Vec<Snapshot>,
    scope: Option<Scope>,
}

struct CatalogChange {
    path: PathBuf,
    touched: Touched,
    old: Option<Catalog>,
    is_new: bool,
}

pub fn load_checked_catalogs(args: &Args) -> anyhow::Result<CheckedCatalogs> {
    let Some(change) = load_change(args)? else {
        let openshift = runtime::openshift_versions(&args.paths);
        let catalogs = source::open_catalogs(&args.paths, &args.images)?;
        let snapshots = catalogs.into_iter().map(|catalog| load_snapshot(args, catalog, &openshift));
        let snapshots = resolve_between_catalogs(snapshots.collect::<anyhow::Result<_>>()?);
        return Ok(CheckedCatalogs { snapshots, changes: Vec::new(), providers: Vec::new(), scope: None });
    };
    let scope = Some(change.scope());
    let paths: Vec<PathBuf> = change.catalogs.iter().map(|changed| changed.path.clone()).collect();
    let openshift = runtime::openshift_versions(&paths);
    let has_base = change.base.is_some();
    let (touched, same): (Vec<ChangedCatalog>, Vec<ChangedCatalog>) =
        change.catalogs.into_iter().partition(ChangedCatalog::is_touched);
    let (mut snapshots, mut changes) = (Vec::new(), Vec::new());
    for ChangedCatalog { path, old, new, touched } in touched {
        let Some(new) = new else { continue };
        snapshots.push(load_snapshot(args, new, &openshift)?);
        changes.push(CatalogChange { path, touched, is_new: has_base && old.is_none(), old });
    }
    let count = snapshots.len();
    // An unchanged catalog is only checked if it may provide what others require.
    if !snapshots.iter().all(Snapshot::is_independent) {
        for new in same.into_iter().filter_map(|changed| changed.new) {
            snapshots.push(load_snapshot(args, new, &openshift)?);
        }
    }
    let mut snapshots = resolve_between_catalogs(snapshots);
    let beside = snapshots.split_off(count);
    Ok(CheckedCatalogs { snapshots, changes, providers: beside, scope })
}

fn load_change(args: &Args) -> anyhow::Result<Option<Change>> {
    let since = args.changed_since.as_deref();
    match (&args.files, since) {
        (Some(files), _) => {
            let files = changed_catalogs::expand_file_names(files)?;
            changed_catalogs::find_catalogs_of_files(&files, since, &args.paths, &args.images).map(Some)
        }
        (None, Some(since)) => {
            changed_catalogs::compare_with_revision(since, &args.paths, &args.images).map(Some)
        }
        (None, None) => Ok(None),
    }
}

fn load_snapshot(args: &Args, catalog: Catalog, openshift: &[OpenShift]) -> anyhow::Result<Snapshot> {
    if args.parity {
        return Ok(Snapshot::new(catalog));
    }
    let uses_cache = catalog.is_rendered_from_bundles() || args.bundles.has_source();
    let snapshot = runtime::check_catalog(catalog, openshift);
    if !uses_cache {
        return Ok(runtime::with_local_checks(snapshot));
    }
    let sight = args.bundles.search_path(&args.images.access());
    Ok(progress::with_progress(|progress| runtime::with_deferred_checks(snapshot, &sight, progress))
        .map_err(|path| no_bundles_failure(&path))?)
}

/// Resolves unmet requirements of each catalog with the other catalogs.
fn resolve_between_catalogs(snapshots: Vec<Snapshot>) -> Vec<Snapshot> {
    if snapshots.len() < 2 || snapshots.iter().all(Snapshot::is_independent) {
        return snapshots;
    }
    let told = |(at, snapshot): (usize, &Snapshot)| {
        if snapshot.is_independent() {
            snapshot.clone()
        } else {
            snapshot.with_other_catalogs(provider_sources(&snapshots, &[], at))
        }
    };
    snapshots.iter().enumerate().map(told).collect()
}

/// Returns the catalogs that may provide requirements of the one at position `at`. Omits templates
/// and rejected catalogs.
fn provider_sources(snapshots: &[Snapshot], more: &[Snapshot], at: usize) -> Vec<Source> {
    let others = snapshots.iter().chain(more).enumerate().filter(|(other, snapshot)| {
        *other != at && snapshot.catalog.template().is_none() && snapshot.first_rejection().is_none()
    });
    others.map(|(_, snapshot)| Source::new(&snapshot.catalog.origin.label(), snapshot.index())).collect()
}

impl CheckedCatalogs {
    /// Returns the changed parts of a catalog, if a change is given.
    pub fn touched(&self, at: usize) -> Option<&Touched> {
        self.changes.get(at).map(|change| &change.touched)
    }

    /// Keeps only the findings that the change is responsible for, and returns the scope of the check.
    pub fn keep_caused_findings(&self, all: &mut [CatalogFindings<'_>]) -> Option<Scope> {
        let mut scope = self.scope.clone()?;
        for (at, (judged, change)) in all.iter_mut().zip(&self.changes).enumerate() {
            let others = || provider_sources(&self.snapshots, &self.providers, at);
            let findings = std::mem::take(&mut judged.findings);
            let shared = touched::split_findings(
                &change.touched,
                findings,
                judged.catalog,
                change.old.as_ref(),
                others,
            );
            judged.findings = shared.responsible;
            let errors = shared.unrelated.iter().filter(|finding| finding.severity() == Severity::Error);
            scope.checked.push(CheckedCatalogPart {
                catalog: change.path.display().to_string(),
                is_new: change.is_new,
                packages: change.touched.packages().map(ToString::to_string).collect(),
                other_findings: shared.unrelated.iter().map(|finding| finding.finding_count()).sum(),
                other_errors: errors.map(|finding: &&Finding| finding.finding_count()).sum(),
            });
        }
        Some(scope)
    }
}
