//! Questions of dialogs. The dialog that asked receives the answer, and drops answers to earlier
//! questions. Only previews of edits are stored: quick ones are computed at once, others in the
//! background, so that typing never waits.

use std::{path::PathBuf, sync::Arc};

use crate::tui::{
    session::{Session, catalogs::Catalogs, context::Context, jobs::StoredQuestion},
    work::{
        Job, JobEnvironment, Question, UserError,
        effect::BundleLocator,
        outcome::{BundleComparison, MirrorPreview, PathCompletions},
        preview::{self, CheckPackage, EditOutcome, PendingEdit, Preview, PreviewState},
        remedy::{Remedies, RemedySearch},
    },
};
use olm_bundle::NewBundle;
use olm_catalog::package::Package;
use olm_check::review::Snapshot;
use olm_edit::Edit;
use olm_upgrade::resolve::{ChangedPackages, PackageResolution};

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

/// Maximum number of entries of a package for which a frame waits for the preview; sixteen skips
/// count as one entry. Measured with `benches/report/templates.rs`: 7 µs each, and a frame has 8
/// ms.
const MAX_QUICK_ENTRIES: usize = 800;
/// Cost, in entries, of a package with unmet dependencies that is resolved again. Measured over a
/// vendor index: six packages took 25 ms.
const UNMET_PACKAGE_COST: usize = 430;
/// Cost, in entries, of a channel without unmet dependencies that is resolved again: about 0.5 ms,
/// estimated from 2 ms in a debug build.
const RESOLVED_CHANNEL_COST: usize = 70;
/// Number of bundles of the catalog that cost as much as one entry, because an edit checks all
/// bundles. `benches/report/scale.rs` measures 284 ms for 100,000 bundles, that is 3 µs each;
/// smaller catalogs take less, so a third of a microsecond is assumed.
const BUNDLES_PER_ENTRY: usize = 20;

/// Edit to preview.
#[derive(PartialEq, Debug)]
pub struct PreviewRequest {
    /// The state before the edit.
    pub snapshot: Arc<Snapshot>,
    /// The other open catalogs, each with its display name.
    pub other_catalogs: Vec<(String, Arc<Snapshot>)>,
    /// The edit.
    pub edit: Edit,
}

impl PreviewRequest {
    /// Computes the preview. This may take seconds.
    pub fn compute_preview(&self) -> Preview {
        preview::preview_edit(&self.snapshot, self.edit.clone(), &self.other_catalogs)
    }
}

impl Question for PreviewRequest {
    type Answer = Preview;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(self.compute_preview());
    }
}

impl StoredQuestion for PreviewRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.previews.store(question, answer);
    }
}

/// State of preview requests; there is at most one at a time.
pub(in crate::tui) type PreviewRequests = Job<PreviewRequest>;

/// Request to check the CRD safety of the upgrades that an edit adds.
#[derive(PartialEq, Debug)]
pub struct PreviewCheckRequest {
    /// The preview without the checks.
    outcome: Arc<EditOutcome>,
}

impl Question for PreviewCheckRequest {
    /// The preview with the checks.
    type Answer = Arc<EditOutcome>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(self.run_checks(&|package, snapshot| {
            environment.services.run_deferred_checks(Some(package), snapshot)
        }));
    }
}

impl PreviewCheckRequest {
    /// Returns the preview with the results of a function that checks a package.
    pub fn run_checks(&self, check: CheckPackage<'_>) -> Arc<EditOutcome> {
        Arc::new(self.outcome.with_checks(check))
    }
}

impl StoredQuestion for PreviewCheckRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.preview_checks.store(question, answer);
    }
}

impl Session {
    /// Returns the preview of an edit of the current catalog, or a pending state.
    pub(in crate::tui) fn preview_state(&self, edit: Edit) -> PreviewState {
        self.preview_state_in(self.catalogs.current_index(), edit)
    }

    /// Returns the preview of an edit of an open catalog, or a pending state.
    pub(in crate::tui) fn preview_state_in(&self, catalog: usize, edit: Edit) -> PreviewState {
        let Some(question) = self.catalogs.preview_request(catalog, edit) else {
            return PreviewState::NoEdit;
        };
        if is_quick(&question.snapshot, &question.edit) {
            return PreviewState::Ready(question.compute_preview());
        }
        let stored = self.stored_preview(&question);
        stored.unwrap_or_else(|| PreviewState::Pending(PendingEdit { catalog, edit: question.edit }))
    }

    /// Returns the stored preview, if it belongs to this edit of this state.
    fn stored_preview(&self, asked: &PreviewRequest) -> Option<PreviewState> {
        let (question, preview) = self.jobs.previews.last_answer()?;
        let is_it = Arc::ptr_eq(&question.snapshot, &asked.snapshot) && question.edit == asked.edit;
        is_it.then(|| PreviewState::Ready(preview.clone()))
    }

    /// Returns the stored result of the checks of a preview.
    fn checked_outcome(&self, unchecked: &EditOutcome) -> Option<Arc<EditOutcome>> {
        let (question, checked) = self.jobs.preview_checks.last_answer()?;
        (*question.outcome == *unchecked).then(|| Arc::clone(checked))
    }
}

impl Catalogs {
    /// Returns the request for the preview of an edit of an open catalog. The other catalogs of the cluster are those
    /// of the current catalog, so edits of other catalogs are judged alone.
    fn preview_request(&self, catalog: usize, edit: Edit) -> Option<PreviewRequest> {
        if catalog == self.current_index() {
            let snapshot = self.snapshot()?.clone();
            return Some(PreviewRequest { snapshot, other_catalogs: self.other_cluster_catalogs(), edit });
        }
        let snapshot = self.all().get(catalog)?.history.now().clone();
        Some(PreviewRequest { snapshot, other_catalogs: Vec::new(), edit })
    }

    /// Returns the preview of a dialog. Computes a pending preview at once.
    pub(in crate::tui) fn preview_now<'p>(&self, prospect: &'p mut PreviewState) -> Option<&'p Preview> {
        if let Some(PendingEdit { catalog, edit }) = prospect.pending_edit() {
            let computed = self.preview_request(*catalog, edit.clone()).map(|asked| asked.compute_preview());
            *prospect = computed.map_or(PreviewState::NoEdit, PreviewState::Ready);
        }
        prospect.ready_preview()
    }
}

/// Fills in a preview of the top dialog or the results of its checks, or requests them. Returns true if something is
/// filled in.
pub(in crate::tui) fn request_preview(cx: &mut Context<'_>, prospect: &mut PreviewState) -> bool {
    if let Some(unchecked) = prospect.unchecked_outcome().cloned() {
        return request_preview_checks(cx, prospect, &unchecked);
    }
    let Some(PendingEdit { catalog, edit }) = prospect.pending_edit().cloned() else { return false };
    let Some(asked) = cx.session.catalogs.preview_request(catalog, edit) else { return false };
    if let Some(known) = cx.session.stored_preview(&asked) {
        *prospect = known;
        return true;
    }
    if !cx.session.jobs.previews.is_waiting() {
        let asked = cx.session.jobs.previews.replace(asked);
        cx.run_job(asked);
    }
    false
}

/// Fills in the results of the checks of a preview, or requests them. Returns true if they are filled in.
fn request_preview_checks(
    cx: &mut Context<'_>,
    prospect: &mut PreviewState,
    unchecked: &Arc<EditOutcome>,
) -> bool {
    if let Some(checked) = cx.session.checked_outcome(unchecked) {
        *prospect = PreviewState::Ready(Ok(checked));
        return true;
    }
    if !cx.session.jobs.preview_checks.is_waiting() {
        let request = PreviewCheckRequest { outcome: Arc::clone(unchecked) };
        let request = cx.session.jobs.preview_checks.replace(request);
        cx.run_job(request);
    }
    false
}

/// Returns true if the preview of an edit takes less than a frame.
fn is_quick(snapshot: &Snapshot, edit: &Edit) -> bool {
    let is_touched = |package: &&Arc<Package>| edit.package().is_none_or(|named| *named == package.name);
    let packages: Vec<&Arc<Package>> = snapshot.catalog.packages().filter(is_touched).collect();
    let touched = ChangedPackages::from_packages(packages.iter().map(AsRef::as_ref));
    let standings = snapshot.packages().map(|(_, package_state)| package_state.resolution());
    let resolved = standings.filter(|standings| standings.may_change(&touched));
    let weight = |standings: &PackageResolution| {
        if standings.is_resolved() {
            standings.channels.len() * RESOLVED_CHANNEL_COST
        } else {
            UNMET_PACKAGE_COST
        }
    };
    let bundles: usize = snapshot.catalog.packages().map(|package| package.bundles.len()).sum();
    let around = resolved.map(weight).sum::<usize>() + bundles / BUNDLES_PER_ENTRY;
    let Some(mut left) = MAX_QUICK_ENTRIES.checked_sub(around) else { return false };
    for entry in packages.iter().flat_map(|package| &package.channels).flat_map(|channel| &channel.entries) {
        let Some(rest) = left.checked_sub(1 + entry.skips.len() / 16) else { return false };
        left = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;

    /// Creates packages with one bundle each, with additional properties.
    fn sample_packages(count: usize, more: &str) -> Snapshot {
        let package = |number: usize| {
            format!(
                "---\nschema: olm.package\nname: p{number}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p{number}\n\
                 name: a\nentries:\n- name: p{number}.v1.0.0\n---\nschema: olm.bundle\npackage: p{number}\nname: p{number}.v1.0.0\n\
                 image: example.com/p{number}\nproperties:\n- type: olm.package\n  value: {{packageName: p{number}, version: 1.0.0}}\n\
                 {more}"
            )
        };
        Snapshot::new(load::from_bytes((0..count).map(package).collect::<String>().into_bytes()))
    }

    fn default_channel_edit(package: &str) -> Edit {
        Edit::SetDefaultChannel { package: package.into(), channel: "a".into() }
    }

    #[test]
    fn several_resolved_packages_are_not_quick() {
        let needs = "- type: olm.package.required\n  value: {packageName: p0, versionRange: '>=2.0.0'}\n";
        for (count, quick) in [(0, true), (1, true), (2, false), (3, false)] {
            let snapshot = sample_packages(count, needs);
            let not_met = snapshot
                .packages()
                .filter(|(_, package_state)| !package_state.resolution().is_resolved())
                .count();
            assert_eq!((not_met, is_quick(&snapshot, &default_channel_edit("p0"))), (count, quick));
            assert!(is_quick(&snapshot, &default_channel_edit("p1")), "nobody needs it but itself");
        }
    }

    #[test]
    fn edit_in_catalog_of_thousands_of_packages_is_not_quick() {
        for (count, quick) in [(300, true), (BUNDLES_PER_ENTRY * MAX_QUICK_ENTRIES, false)] {
            assert_eq!(is_quick(&sample_packages(count, ""), &default_channel_edit("p0")), quick, "{count}");
        }
    }
}
