//! Actions of the Problems screen.

use super::Problems;
use crate::app::screens::screen::ScreenState as _;
use crate::{
    app::{
        keys::{
            ActionId, Screen,
            spec::{Context::On, Enabled},
        },
        session::{
            action::{Action, How, action},
            cx::{Cx, See},
            stuck,
            target::{Level, Target},
        },
    },
    edit::Edit,
};

/// Rules about stuck versions. Their edits are found by a search.
const STUCK_RULES: [&str; 2] = ["stuck", "dead-end"];

/// Replacements of shared actions.
pub(super) static INSTEAD: &[How<Problems>] = &[How { id: ActionId::ApplyFix, can: has_fix, run: apply_fix }];

/// The actions.
pub static TABLE: &[Action<Problems>] = &[action(
    ActionId::FoldAccepted,
    On(&[Screen::Problems]),
    &["F"],
    "accepted",
    "Show or fold the accepted findings",
    Problems::fold,
)
.also(&["baseline"])
.when(has_accepted)];

fn has_accepted(problems: &Problems, see: &See<'_>) -> Enabled {
    match (problems.accepted(), see.session.accepted()) {
        (1.., _) => Ok(()),
        (_, Some(file)) => Err(format!("{} accepts none of these findings", file.path.display())),
        (_, None) => {
            Err("no accepted findings: accept them with olmap validate --write-baseline FILE".to_owned())
        }
    }
}

/// Returns the fix of the selected finding.
fn fix(problems: &Problems) -> Option<&Edit> {
    problems.selected()?.finding.fix.as_ref()
}

/// Returns the target with the stuck versions of the selected finding, if its rule is about them.
fn stuck_target(problems: &Problems, see: &See<'_>) -> Option<Target> {
    let finding = &problems.selected()?.finding;
    if !STUCK_RULES.contains(&finding.rule.id) {
        return None;
    }
    let target = problems.target(see);
    // A finding about several channels applies to the package.
    if stuck::can_free(&target, see).is_ok() {
        return Some(target);
    }
    Some(Target { level: Level::Package, ..target })
}

/// Returns an error if the selected finding cannot be fixed. Also used by the detail pane.
fn has_fix(problems: &Problems, see: &See<'_>) -> Enabled {
    if fix(problems).is_none()
        && let Some(target) = stuck_target(problems, see)
    {
        return stuck::can_free(&target, see);
    }
    fix(problems).map(|_| ()).ok_or_else(|| {
        format!("this finding cannot be fixed automatically: {} goes there", see.key(ActionId::In))
    })
}

/// Shows the preview of the fix, unless it would add another finding.
fn apply_fix(problems: &mut Problems, cx: &mut Cx<'_>) {
    let Some(row) = problems.selected() else { return };
    let Some(edit) = row.finding.fix.clone() else {
        let target = stuck_target(problems, &cx.see());
        return target.into_iter().for_each(|target| stuck::free(&target, cx));
    };
    cx.offer(&format!("Fix {}", row.finding.rule.id), edit);
}
