//! Answers of background jobs: the session stores them, or dialogs receive them.

use std::sync::Arc;

use crate::tui::{
    dialogs::edit_conflicts::ConflictList,
    session::{
        accepted_findings,
        jobs::{
            self,
            base_comparison::{self, BaseRequest},
            bundle_manifests::{FetchAnswer, FetchRequest},
            dialog_questions::MirrorRequest,
            load::{self, LoadAnswer, LoadRequest},
        },
        recovery::{self, DiskCheckRequest},
        upgrade_expectations,
    },
    shell::{catalog_results, dialog_stack, model::Model},
    work::{Effect, JobResult, Question},
};

/// Handler of the results of one job. Returns results of other jobs.
type Handler = fn(&mut Model, JobResult) -> Result<Vec<Effect>, JobResult>;

/// Jobs whose answers need more than the session. Dialogs receive the answers of all other jobs.
const HANDLERS: &[Handler] = &[
    |model, result| with_answer::<LoadRequest>(result, |asked, answer| store_load(model, &asked, answer)),
    |model, result| with_answer::<BaseRequest>(result, |asked, answer| store_base(model, &asked, answer)),
    |model, result| {
        with_answer::<DiskCheckRequest>(result, |asked, answer| store_disk_check(model, &asked, answer))
    },
    |model, result| with_answer::<FetchRequest>(result, |asked, answer| store_fetch(model, &asked, answer)),
    |model, result| {
        with_answer::<MirrorRequest>(result, |asked, answer| {
            dialog_stack::report_mirror_preview(model, &asked, answer);
            Vec::new()
        })
    },
];

/// Handles the result of a job.
pub(super) fn handle_result(model: &mut Model, result: JobResult) -> Vec<Effect> {
    let mut unhandled = Some(result);
    let mut effects = model.with_context(|cx| {
        unhandled = unhandled.take().and_then(|result| jobs::store_result(cx, result).err());
    });
    for handler in HANDLERS {
        let Some(result) = unhandled.take() else { break };
        match handler(model, result) {
            Ok(effects) => return effects,
            Err(other) => unhandled = Some(other),
        }
    }
    if let Some(result) = unhandled {
        effects.extend(dialog_stack::deliver_answer(model, &result));
    }
    effects
}

/// Calls a function with the question and answer of a result. Returns results of other jobs.
fn with_answer<Q: Question>(
    result: JobResult,
    handle: impl FnOnce(Arc<Q>, Q::Answer) -> Vec<Effect>,
) -> Result<Vec<Effect>, JobResult> {
    result.into_parts::<Q>().map(|(question, answer)| handle(question, answer))
}

fn store_load(model: &mut Model, question: &Arc<LoadRequest>, answer: LoadAnswer) -> Vec<Effect> {
    if !model.session.jobs.is_current_load(question) {
        return Vec::new();
    }
    match answer {
        LoadAnswer::Partial { source, snapshot } => {
            load::show_partial_catalog(&mut model.session, source, snapshot);
            Vec::new()
        }
        LoadAnswer::Done(outcomes) => {
            catalog_results::store_loaded_catalogs(model, outcomes);
            model.with_context(|cx| {
                upgrade_expectations::request_expectations(cx);
                accepted_findings::request_accepted_findings(cx);
            })
        }
    }
}

fn store_base(
    model: &mut Model,
    question: &Arc<BaseRequest>,
    answer: <BaseRequest as Question>::Answer,
) -> Vec<Effect> {
    let mut outcome = None;
    let effects = model.with_context(|cx| outcome = base_comparison::store_base(cx, question, answer));
    if let Some((base, outcome)) = outcome {
        dialog_stack::report_base_read(model, question.catalog, &base, outcome);
    }
    effects
}

fn store_disk_check(
    model: &mut Model,
    question: &DiskCheckRequest,
    answer: <DiskCheckRequest as Question>::Answer,
) -> Vec<Effect> {
    model.with_context(|cx| {
        if let Some(conflicts) = recovery::store_disk_check(cx, question, answer) {
            cx.open_dialog(ConflictList::from_conflicts(conflicts));
        }
    })
}

fn store_fetch(model: &mut Model, question: &Arc<FetchRequest>, answer: FetchAnswer) -> Vec<Effect> {
    match answer {
        FetchAnswer::Image { bundle, outcome } => {
            model.session.jobs.image_fetch.store_image_result(question, bundle, outcome);
        }
        FetchAnswer::Ended => dialog_stack::report_fetch_end(model, question),
    }
    Vec::new()
}
