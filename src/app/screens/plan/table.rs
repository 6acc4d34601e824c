//! Actions of the Plan screen.

use super::Plan;
use crate::app::screens::screen::ScreenState as _;
use crate::{
    app::{
        keys::{
            ActionId, Screen,
            spec::{Context, Context::On, Enabled},
        },
        session::{
            action::{Action, How, action},
            cx::{Cx, See},
            stuck,
        },
    },
    plan::planner::{Approval, Updates},
    upgrade::Engine,
};

/// Replacements of shared actions.
pub(super) static INSTEAD: &[How<Plan>] = &[How { id: ActionId::ApplyFix, can: has_fix, run: fix }];

const HERE: Context = On(&[Screen::Plan]);

/// The actions.
pub static TABLE: &[Action<Plan>] = &[
    action(ActionId::PlanEngine, HERE, &["v"], "Classic or v1", "Plan for the other OLM", |_, cx| {
        let question = &mut cx.session.planning.question;
        question.engine = if question.engine == Engine::Classic { Engine::V1 } else { Engine::Classic };
    })
    .hinted(),
    action(
        ActionId::PlanApproval,
        HERE,
        &["n"],
        "approval",
        "Plan for upgrades that a person approves or pins one by one, or for those that OLM makes at once",
        |_, cx| {
            let approval = &mut cx.session.planning.question.approval;
            *approval = match *approval {
                Approval::Manual => Approval::Automatic,
                Approval::Automatic => Approval::Manual,
            };
        },
    )
    .hinted(),
    action(
        ActionId::PlanUpdates,
        HERE,
        &["w"],
        "late or early",
        "Plan upgrades as late as possible, or as early as possible",
        |_, cx| {
            let updates = &mut cx.session.planning.question.updates;
            *updates = match *updates {
                Updates::Latest => Updates::Earliest,
                Updates::Earliest => Updates::Latest,
            };
        },
    )
    .hinted(),
];

/// Returns an error if no edit adds the upgrade path of the plan or may free the stuck versions of
/// the row.
fn has_fix(screen: &Plan, see: &See<'_>) -> Enabled {
    let opens = screen.planned().and_then(|planned| planned.opens.as_ref());
    let Some(opens) = opens else { return stuck::can_free(&screen.target(see), see) };
    let place = super::catalog_of(see.session, opens.openshift);
    if place == Some(see.session.current) {
        Ok(())
    } else {
        let key = see.key(ActionId::In);
        Err(format!("the edit is one of the catalog of {}: {key} goes there", opens.openshift))
    }
}

fn fix(screen: &mut Plan, cx: &mut Cx<'_>) {
    let opens = screen.planned().and_then(|planned| planned.opens.clone());
    match opens {
        Some(opens) => cx.offer("Add upgrade path", opens.opening.edit),
        None => stuck::free(&screen.target(&cx.see()), cx),
    }
}
