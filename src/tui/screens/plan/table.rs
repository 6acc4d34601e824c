//! Actions of the Plan screen.

use super::Plan;
use crate::tui::screens::screen::ScreenState as _;
use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, On},
            Enabled,
        },
    },
    session::{
        action::{Action, ActionHandler, action},
        context::{Context, ViewContext},
        stuck_versions,
    },
};
use olm_plan::planner::{Approval, UpdateTiming};
use olm_upgrade::Engine;

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Plan>] =
    &[ActionHandler { id: ActionId::ApplyFix, is_enabled: check_fix, run: show_fix }];

const HERE: ActionContext = On(&[Screen::Plan]);

/// The actions.
pub static TABLE: &[Action<Plan>] = &[
    action(ActionId::PlanEngine, HERE, &["v"], "Classic or v1", "Plan for the other OLM", |_, cx| {
        let question = &mut cx.session.upgrade_plans.question;
        question.engine = if question.engine == Engine::Classic { Engine::V1 } else { Engine::Classic };
    })
    .with_hint(),
    action(
        ActionId::PlanApproval,
        HERE,
        &["n"],
        "approval",
        "Plan for upgrades that a person approves or pins one by one, or for those that OLM makes at once",
        |_, cx| {
            let approval = &mut cx.session.upgrade_plans.question.approval;
            *approval = match *approval {
                Approval::Manual => Approval::Automatic,
                Approval::Automatic => Approval::Manual,
            };
        },
    )
    .with_hint(),
    action(
        ActionId::PlanUpdates,
        HERE,
        &["w"],
        "late or early",
        "Plan upgrades as late as possible, or as early as possible",
        |_, cx| {
            let updates = &mut cx.session.upgrade_plans.question.updates;
            *updates = match *updates {
                UpdateTiming::Latest => UpdateTiming::Earliest,
                UpdateTiming::Earliest => UpdateTiming::Latest,
            };
        },
    )
    .with_hint(),
];

/// Returns an error if no edit adds the upgrade path of the plan or may free the stuck versions of
/// the row.
fn check_fix(screen: &Plan, view_cx: &ViewContext<'_>) -> Enabled {
    let opens = screen.highlighted_plan().and_then(|planned| planned.fix.as_ref());
    let Some(opens) = opens else {
        return stuck_versions::can_free_versions(&screen.target(view_cx), view_cx);
    };
    let place = super::catalog_of(view_cx.session, opens.openshift);
    if place == Some(view_cx.session.current) {
        Ok(())
    } else {
        let key = view_cx.key_label(ActionId::In);
        Err(format!("the edit is one of the catalog of {}: {key} goes there", opens.openshift))
    }
}

fn show_fix(screen: &mut Plan, cx: &mut Context<'_>) {
    let opens = screen.highlighted_plan().and_then(|planned| planned.fix.clone());
    match opens {
        Some(opens) => cx.offer_edit("Add upgrade path", opens.fix.edit),
        None => stuck_versions::free_versions(&screen.target(&cx.view()), cx),
    }
}
