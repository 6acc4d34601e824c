//! What can be done on the Problems screen only.

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

/// Rules about versions that are stuck, or may be: a search finds the edit.
const STUCK_RULES: [&str; 2] = ["stuck", "dead-end"];

/// Shared actions that are done in another way here.
pub(super) static INSTEAD: &[How<Problems>] = &[How { id: ActionId::ApplyFix, can: has_fix, run: apply_fix }];

/// Its own actions.
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

/// The fix of the selected finding.
fn fix(problems: &Problems) -> Option<&Edit> {
    problems.selected()?.finding.fix.as_ref()
}

/// What the selected finding says is stuck, if its rule is about that.
fn stuck_target(problems: &Problems, see: &See<'_>) -> Option<Target> {
    let finding = &problems.selected()?.finding;
    if !STUCK_RULES.contains(&finding.rule.id) {
        return None;
    }
    let target = problems.target(see);
    // A finding about several channels is about the package.
    if stuck::can_free(&target, see).is_ok() {
        return Some(target);
    }
    Some(Target { level: Level::Package, ..target })
}

/// Reports whether the selected finding can be fixed; used by the detail pane, too.
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

/// Shows what the fix leads to, unless it would bring another finding.
fn apply_fix(problems: &mut Problems, cx: &mut Cx<'_>) {
    let Some(row) = problems.selected() else { return };
    let Some(edit) = row.finding.fix.clone() else {
        let target = stuck_target(problems, &cx.see());
        return target.into_iter().for_each(|target| stuck::free(&target, cx));
    };
    cx.offer(&format!("Fix {}", row.finding.rule.id), edit);
}
