//! Background jobs, one file per job: its question, its computation, and what happens with its answer.
//!
//! A request is an `Effect::Run`, an answer is a `Msg::JobDone`. `JOBS` lists the jobs whose answers
//! change the session. Dialogs and `shell::job_answers` receive the answers of all others.

pub mod base_comparison;
pub mod bundle_manifests;
pub mod console_fields;
pub mod deferred_checks;
pub mod dialog_questions;
pub mod git_history;
pub mod load;
pub mod overview;
pub mod upgrade_plans;

use std::sync::Arc;

use crate::tui::{
    session::{accepted_findings, cluster, context::Context, recovery, upgrade_expectations},
    work::{
        Job, JobResult, Question,
        cluster::{DependencyQuery, ResolverQuery},
    },
};

/// States of the background jobs.
#[derive(Debug, Default)]
pub struct Jobs {
    /// The assumed cluster.
    pub assumed_cluster: cluster::AssumedCluster,
    /// Fields by which consoles show operators.
    pub console_fields: console_fields::ConsoleFieldsState,
    pub(super) deferred_checks: deferred_checks::CheckQueue,
    pub(super) dependency_resolution: cluster::DependencyResolution,
    /// History of a package and commits that are being read.
    pub git_history: git_history::HistoryState,
    /// Progress of fetching bundle images.
    pub image_fetch: bundle_manifests::FetchProgress,
    /// Loading of catalogs.
    pub(super) load: load::LoadState,
    /// Manifests of the visible bundle.
    pub(super) manifests: bundle_manifests::ManifestLookupState,
    /// The overview of the open catalogs.
    pub overview: overview::OverviewState,
    pub(super) preview_checks: Job<dialog_questions::PreviewCheckRequest>,
    pub(super) previews: dialog_questions::PreviewRequests,
    /// The upgrade plans over the open catalogs.
    pub upgrade_plans: upgrade_plans::PlanState,
}

/// Question whose answer changes the session.
pub(in crate::tui) trait StoredQuestion: Question {
    /// Stores an answer, unless it is outdated.
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>);
}

/// Entry of the table of jobs.
struct JobEntry {
    /// Requests an answer if the last answer is stale. `None` if only an action requests it.
    request: Option<fn(&mut Context<'_>)>,
    /// Stores a result. Returns results of other jobs, and those that `shell::job_answers` stores.
    store: fn(JobResult, &mut Context<'_>) -> Result<(), JobResult>,
}

/// All jobs, in the order of their requests.
const JOBS: &[JobEntry] = &[
    JobEntry { request: Some(recovery::request_disk_checks), store: |result, _| Err(result) },
    job::<base_comparison::ComparisonRequest>(Some(base_comparison::request_comparison)),
    job::<base_comparison::CopyComparisonRequest>(None),
    job::<bundle_manifests::ManifestRequest>(Some(bundle_manifests::request_manifests)),
    job::<console_fields::ConsoleFieldsRequest>(Some(console_fields::request_console_fields)),
    job::<deferred_checks::DeferredCheckRequest>(Some(deferred_checks::request_deferred_checks)),
    job::<ResolverQuery>(Some(cluster::request_resolution)),
    job::<DependencyQuery>(Some(cluster::request_resolved_upgrades)),
    job::<overview::OverviewRequest>(Some(overview::request_overview)),
    job::<upgrade_plans::PlanRequest>(Some(upgrade_plans::request_plans)),
    job::<dialog_questions::PreviewCheckRequest>(None),
    job::<dialog_questions::PreviewRequest>(None),
    job::<git_history::HistoryRequest>(None),
    job::<git_history::CommitRequest>(None),
    job::<base_comparison::RepositoryRequest>(None),
    job::<upgrade_expectations::ExpectationsRequest>(None),
    job::<accepted_findings::AcceptedRequest>(None),
];

const fn job<Q: StoredQuestion>(request: Option<fn(&mut Context<'_>)>) -> JobEntry {
    JobEntry { request, store: store_answer::<Q> }
}

fn store_answer<Q: StoredQuestion>(result: JobResult, cx: &mut Context<'_>) -> Result<(), JobResult> {
    let (question, answer) = result.into_parts::<Q>()?;
    Q::store(question, answer, cx);
    Ok(())
}

/// Requests the answers that the visible screen needs and that are stale.
pub(in crate::tui) fn request_stale_answers(cx: &mut Context<'_>) {
    for request in JOBS.iter().filter_map(|job| job.request) {
        request(cx);
    }
}

/// Stores a result. Returns it if it does not belong to a job of the session.
pub(in crate::tui) fn store_result(cx: &mut Context<'_>, result: JobResult) -> Result<(), JobResult> {
    let mut result = result;
    for job in JOBS {
        match (job.store)(result, cx) {
            Ok(()) => return Ok(()),
            Err(other) => result = other,
        }
    }
    Err(result)
}
