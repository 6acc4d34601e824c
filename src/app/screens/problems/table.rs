//! What can be done on the Problems screen only.

use super::Problems;
use crate::{
    app::{
        keys::{
            ActionId, Screen,
            spec::{Context::On, Enabled, Writes},
        },
        session::{
            action::{Action, action},
            cx::{Cx, See},
        },
        work::Opening,
    },
    edit::Edit,
};

/// Its own actions.
pub static TABLE: &[Action<Problems>] = &[action(
    ActionId::ApplyFix,
    On(&[Screen::Problems]),
    &["."],
    "fix",
    "Make the edit that mends the finding",
    apply_fix,
)
.hinted()
.writing(Writes::Package)
.when(has_fix)];

/// The fix of the selected finding.
fn fix(problems: &Problems) -> Option<&Edit> {
    problems.selected()?.finding.fix.as_ref()
}

fn has_fix(problems: &Problems, see: &See<'_>) -> Enabled {
    fix(problems).map(|_| ()).ok_or_else(|| {
        format!("this finding has no single right answer: {} goes there", see.key(ActionId::In))
    })
}

/// Shows what the fix leads to.
fn apply_fix(problems: &mut Problems, cx: &mut Cx<'_>) {
    let Some(row) = problems.selected() else { return };
    let Some(edit) = row.finding.fix.clone() else { return };
    cx.open(Opening::preview(format!("Fix {}", row.finding.rule.id), edit));
}
