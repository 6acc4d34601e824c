//! Actions of the Problems screen.

use super::Problems;
use crate::tui::screens::screen::ScreenState as _;
use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{ActionContext::On, Enabled},
    },
    session::{
        action::{Action, ActionHandler, action},
        context::{Context, ViewContext},
        stuck_versions,
        target::{Target, TargetKind},
    },
};
use olm_edit::Edit;

/// Rules about stuck versions. Their edits are found by a search.
const STUCK_RULES: [&str; 2] = ["stuck", "dead-end"];

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Problems>] =
    &[ActionHandler { id: ActionId::ApplyFix, is_enabled: check_fix, run: show_fix }];

/// The actions.
pub static TABLE: &[Action<Problems>] = &[action(
    ActionId::FoldAccepted,
    On(&[Screen::Problems]),
    &["F"],
    "accepted",
    "Show or fold the accepted findings",
    Problems::toggle_accepted,
)
.with_search_terms(&["baseline"])
.enabled_when(check_accepted)];

fn check_accepted(problems: &Problems, view_cx: &ViewContext<'_>) -> Enabled {
    match (problems.accepted_count(), view_cx.session.accepted()) {
        (1.., _) => Ok(()),
        (_, Some(file)) => Err(format!("{} accepts none of these findings", file.path.display())),
        (_, None) => {
            Err("no accepted findings: accept them with olmap validate --write-baseline FILE".to_owned())
        }
    }
}

/// Returns the fix of the selected finding.
fn selected_fix(problems: &Problems) -> Option<&Edit> {
    problems.selected_finding()?.finding.fix.as_ref()
}

/// Returns the target with the stuck versions of the selected finding, if its rule is about them.
fn stuck_target(problems: &Problems, view_cx: &ViewContext<'_>) -> Option<Target> {
    let finding = &problems.selected_finding()?.finding;
    if !STUCK_RULES.contains(&finding.rule.id) {
        return None;
    }
    let target = problems.target(view_cx);
    // A finding about several channels applies to the package.
    if stuck_versions::can_free_versions(&target, view_cx).is_ok() {
        return Some(target);
    }
    Some(Target { kind: TargetKind::Package, ..target })
}

/// Returns an error if the selected finding cannot be fixed. Also used by the detail pane.
fn check_fix(problems: &Problems, view_cx: &ViewContext<'_>) -> Enabled {
    if selected_fix(problems).is_none()
        && let Some(target) = stuck_target(problems, view_cx)
    {
        return stuck_versions::can_free_versions(&target, view_cx);
    }
    selected_fix(problems).map(|_| ()).ok_or_else(|| {
        format!("this finding cannot be fixed automatically: {} goes there", view_cx.key_label(ActionId::In))
    })
}

/// Shows the preview of the fix, unless it would add another finding.
fn show_fix(problems: &mut Problems, cx: &mut Context<'_>) {
    let Some(row) = problems.selected_finding() else { return };
    let Some(edit) = row.finding.fix.clone() else {
        let target = stuck_target(problems, &cx.view());
        return target.into_iter().for_each(|target| stuck_versions::free_versions(&target, cx));
    };
    cx.offer_edit(&format!("Fix {}", row.finding.rule.id), edit);
}
