//! Shared actions with a special implementation on the Deprecations screen: they apply to its
//! selected row.

use super::{
    Deprecations,
    rows::{DeprecationRow, RowContent},
};
use crate::tui::{
    keys::{
        ActionId,
        spec::{Enabled, Reason},
    },
    parts::text::escape_single_line,
    session::{
        action::ActionHandler,
        context::{Context, ViewContext},
    },
    work::{
        DialogRequest,
        dialog_request::{ChoiceAction, EditOption, EditPurpose, QuestionKind, describe_deprecation_target},
    },
};
use olm_catalog::blob::DeprecationTarget;
use olm_edit::Edit;

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Deprecations>] = &[
    ActionHandler { id: ActionId::Deprecate, is_enabled: can_deprecate, run: ask_message },
    ActionHandler { id: ActionId::Remove, is_enabled: can_remove, run: ask_undeprecate },
];

/// Returns the selected row.
fn selected_row(screen: &Deprecations) -> Result<&DeprecationRow, Reason> {
    let nothing = || "nothing is selected here: select something on Catalog".to_owned();
    screen.selected_row().ok_or_else(nothing)
}

/// Returns the target of a row.
fn row_target(row: &DeprecationRow) -> Result<DeprecationTarget, Reason> {
    row.target().cloned().ok_or_else(|| "olmap does not know the schema of this deprecation".to_owned())
}

fn can_deprecate(screen: &Deprecations, _see: &ViewContext<'_>) -> Enabled {
    row_target(selected_row(screen)?).map(drop)
}

/// Asks for the message of a suggestion or of an existing deprecation.
fn ask_message(screen: &mut Deprecations, cx: &mut Context<'_>) {
    let Ok(row) = selected_row(screen) else { return };
    let package = row.package.clone();
    let (asked, proposed) = match &row.content {
        RowContent::Suggested(suggestion) => {
            (QuestionKind::DeprecationMessageForAll(suggestion.targets.clone()), suggestion.message.clone())
        }
        RowContent::Deprecated(_) => {
            let Ok(target) = row_target(row) else { return };
            let package_state = cx.session.snapshot().and_then(|snapshot| snapshot.package(package.as_str()));
            let Some(package_state) = package_state else { return };
            let said = package_state.package().deprecation(&target);
            let said = said.map(|deprecation| escape_single_line(deprecation.message.value.as_str()));
            (QuestionKind::DeprecationMessage(target), said.unwrap_or_default())
        }
    };
    cx.open_dialog(DialogRequest::Ask {
        purpose: EditPurpose::Edit,
        package,
        question: asked,
        initial_answer: proposed,
    });
}

/// Returns the selected row and its target, if it can be undeprecated.
fn removable(screen: &Deprecations) -> Result<(&DeprecationRow, DeprecationTarget), Reason> {
    let row = selected_row(screen)?;
    if row.report().is_none() {
        return Err("it is not deprecated, only suggested".to_owned());
    }
    Ok((row, row_target(row)?))
}

fn can_remove(screen: &Deprecations, _see: &ViewContext<'_>) -> Enabled {
    removable(screen).map(drop)
}

/// Asks for confirmation to undeprecate the selected row.
fn ask_undeprecate(screen: &mut Deprecations, cx: &mut Context<'_>) {
    let Ok((row, target)) = removable(screen) else { return };
    let package = row.package.clone();
    let title = format!("{} is no longer deprecated", describe_deprecation_target(&package, &target));
    let way = EditOption {
        label: "undeprecate".to_owned(),
        note: String::new(),
        action: ChoiceAction::Edit(Edit::Undeprecate { package, target }),
    };
    cx.open_dialog(DialogRequest::Choose { purpose: EditPurpose::Edit, title, choices: vec![way] });
}
