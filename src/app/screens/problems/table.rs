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
    },
    edit::Edit,
};

/// Its own actions.
pub static TABLE: &[Action<Problems>] = &[
    action(
        ActionId::ApplyFix,
        On(&[Screen::Problems]),
        &["."],
        "fix",
        "Show the edit that fixes the finding; Enter applies it",
        apply_fix,
    )
    .also(&["repair", "autofix"])
    .hinted()
    .writing(Writes::Package)
    .when(has_fix),
    action(
        ActionId::FoldAccepted,
        On(&[Screen::Problems]),
        &["F"],
        "accepted",
        "Show or fold the accepted findings",
        Problems::fold,
    )
    .also(&["baseline"])
    .when(has_accepted),
];

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

fn has_fix(problems: &Problems, see: &See<'_>) -> Enabled {
    fix(problems).map(|_| ()).ok_or_else(|| {
        format!("this finding cannot be fixed automatically: {} goes there", see.key(ActionId::In))
    })
}

/// Shows what the fix leads to, unless it would bring another finding.
fn apply_fix(problems: &mut Problems, cx: &mut Cx<'_>) {
    let Some(row) = problems.selected() else { return };
    let Some(edit) = row.finding.fix.clone() else { return };
    cx.offer(&format!("Fix {}", row.finding.rule.id), edit);
}
