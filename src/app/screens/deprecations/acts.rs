//! Shared actions with a special implementation on the Deprecations screen: they apply to its
//! selected row.

use super::{
    Deprecations,
    rows::{DeprecationRow, Listed},
};
use crate::{
    app::{
        keys::{
            ActionId,
            spec::{Enabled, Reason},
        },
        parts::text::one_line,
        session::{
            action::How,
            cx::{Cx, See},
        },
        work::{
            Opening,
            opening::{Asked, Leads, Purpose, Way, called},
        },
    },
    catalog::blob::DeprecationTarget,
    edit::Edit,
};

/// Replacements of shared actions.
pub(super) static INSTEAD: &[How<Deprecations>] = &[
    How { id: ActionId::Deprecate, can: can_deprecate, run: deprecate },
    How { id: ActionId::Remove, can: can_remove, run: remove },
];

/// Returns the selected row.
fn row(screen: &Deprecations) -> Result<&DeprecationRow, Reason> {
    let nothing = || "nothing is selected here: select something on Catalog".to_owned();
    screen.selected().ok_or_else(nothing)
}

/// Returns the target of a row.
fn target(row: &DeprecationRow) -> Result<DeprecationTarget, Reason> {
    row.target().cloned().ok_or_else(|| "olmap does not know the schema of this deprecation".to_owned())
}

fn can_deprecate(screen: &Deprecations, _see: &See<'_>) -> Enabled {
    target(row(screen)?).map(drop)
}

/// Asks for the message of a suggestion or of an existing deprecation.
fn deprecate(screen: &mut Deprecations, cx: &mut Cx<'_>) {
    let Ok(row) = row(screen) else { return };
    let package = row.package.clone();
    let (asked, proposed) = match &row.listed {
        Listed::Suggested(suggestion) => {
            (Asked::DeprecatedToo(suggestion.targets.clone()), suggestion.message.clone())
        }
        Listed::Deprecated(_) => {
            let Ok(target) = target(row) else { return };
            let judged = cx.session.snapshot().and_then(|snapshot| snapshot.package(package.as_str()));
            let Some(judged) = judged else { return };
            let said = judged.package().deprecation(&target);
            let said = said.map(|deprecation| one_line(deprecation.message.value.as_str()));
            (Asked::Deprecated(target), said.unwrap_or_default())
        }
    };
    cx.open(Opening::Ask { purpose: Purpose::Edit, package, asked, proposed });
}

/// Returns the selected row and its target, if it can be undeprecated.
fn removable(screen: &Deprecations) -> Result<(&DeprecationRow, DeprecationTarget), Reason> {
    let row = row(screen)?;
    if row.deprecated().is_none() {
        return Err("it is not deprecated, only suggested".to_owned());
    }
    Ok((row, target(row)?))
}

fn can_remove(screen: &Deprecations, _see: &See<'_>) -> Enabled {
    removable(screen).map(drop)
}

/// Asks for confirmation to undeprecate the selected row.
fn remove(screen: &mut Deprecations, cx: &mut Cx<'_>) {
    let Ok((row, target)) = removable(screen) else { return };
    let package = row.package.clone();
    let title = format!("{} is no longer deprecated", called(&package, &target));
    let way = Way {
        label: "undeprecate".to_owned(),
        note: String::new(),
        then: Leads::Edit(Edit::Undeprecate { package, target }),
    };
    cx.open(Opening::Choose { purpose: Purpose::Edit, title, ways: vec![way] });
}
