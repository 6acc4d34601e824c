//! The action table. Keymap, hint bar, help, palette and documents are generated from it.

use std::sync::LazyLock;

use crate::tui::{
    actions, dialogs,
    keys::{
        ActionId, Keymap, Screen,
        spec::{ActionContext, ActionSpec, ActionTable, Enabled, Reason, WriteScope},
    },
    screens,
    session::{
        action::{Action, Target},
        jobs::git_history,
        what_if,
    },
    shell::{
        model::Model,
        shell_actions::{self, ShellAction},
    },
    work::Effect,
};

/// All actions in order of precedence. Within a screen the first action with a key gets it; screen
/// actions come before common ones.
static TABLE: LazyLock<ActionTable> = LazyLock::new(|| {
    let shared = |table: &'static [Action<Target>]| table.iter().map(|action| &action.spec);
    let shell = |table: &'static [ShellAction]| table.iter().map(|action| &action.spec);
    let actions = screens::screen_action_specs()
        .chain(shell(shell_actions::CHANGE_ACTIONS))
        .chain(shared(actions::what_if::WHAT_IF_ACTIONS))
        .chain(shared(actions::edits::EDIT_ACTIONS))
        .chain(shell(shell_actions::FINDING))
        .chain(shell(shell_actions::MOVING))
        .chain(shell(shell_actions::PLACES))
        .chain(shared(actions::bundle_view::BUNDLE_ACTIONS))
        .chain(shared(actions::assumptions::ASSUMPTION_ACTIONS))
        .chain(shared(actions::comparison::COMPARISON_ACTIONS))
        .chain(shared(actions::external_programs::EXTERNAL_PROGRAM_ACTIONS))
        .chain(dialogs::DIALOG_ACTIONS);
    ActionTable::new(actions.collect(), dialogs::DIALOGS)
});

/// Returns the action table.
pub fn action_table() -> &'static ActionTable {
    &TABLE
}

/// Returns the default keymap.
pub fn default_keymap() -> Keymap {
    Keymap::from_table(action_table())
}

/// Returns a shared action.
pub(super) fn shared_action(id: ActionId) -> Option<&'static Action<Target>> {
    let tables = [
        actions::what_if::WHAT_IF_ACTIONS,
        actions::edits::EDIT_ACTIONS,
        actions::bundle_view::BUNDLE_ACTIONS,
        actions::assumptions::ASSUMPTION_ACTIONS,
        actions::comparison::COMPARISON_ACTIONS,
        actions::external_programs::EXTERNAL_PROGRAM_ACTIONS,
    ];
    tables.into_iter().flatten().find(|action| action.spec.id == id)
}

/// Returns the current target of shared actions.
fn current_target(model: &Model) -> Target {
    model.visible_screen().target(&model.view())
}

/// Checks if an action is possible now. Only this function checks read-only mode.
///
/// # Errors
///
/// The reason, if the action is not possible.
pub fn check_permitted(model: &Model, spec: &ActionSpec) -> Result<(), Reason> {
    if let ActionContext::In(dialogs) = spec.context {
        return match model.top_dialog() {
            Some(dialog) if dialogs.contains(&dialog) => Ok(()),
            Some(_) => Err("not in this dialog".to_owned()),
            None => Err("no dialog is open".to_owned()),
        };
    }
    if spec.mutates()
        && spec.writes != WriteScope::AfterPreview
        && let Some(reason) = model.read_only()
    {
        return Err(format!("read-only: {reason}"));
    }
    let supposes = || actions::what_if::WHAT_IF_ACTIONS.iter().any(|action| action.spec.id == spec.id);
    if model.session.catalogs.past_commit().is_some() && (spec.mutates() || supposes()) {
        return Err(git_history::block_reason(&model.view()));
    }
    if spec.writes == WriteScope::Package
        && let Some(package) = current_target(model).package
        && let Some(reason) = model.session.catalogs.protection_reason(&package)
    {
        return Err(format!("{reason}; on Changes, save as writes an editable copy"));
    }
    // Applying the what-if turns it into an edit. Other edits would change a catalog that does not
    // exist.
    if spec.mutates() && !spec.ends_what_if && model.session.catalogs.what_if().is_some() {
        return Err(what_if::block_reason(&model.view()));
    }
    if let Some(busy) = model.session.waiting.busy.filter(|_| spec.mutates()) {
        return Err(busy.block_reason().to_owned());
    }
    if spec.mutates() && model.session.catalogs.unread().is_some() {
        return Err(format!(
            "only part of this catalog was read: {} reads all",
            model.key_label(ActionId::Reload)
        ));
    }
    check_condition(model, spec)
}

/// Checks the condition of the action's implementation.
fn check_condition(model: &Model, spec: &ActionSpec) -> Enabled {
    let view_cx = model.view();
    if let Some(own) = model.visible_screen().check_action(spec.id, &view_cx) {
        return own;
    }
    if let Some(action) = shared_action(spec.id) {
        return (action.handler.is_enabled)(&current_target(model), &view_cx);
    }
    if let Some(action) = shell_actions::find_shell_action(spec.id) {
        return (action.is_enabled)(model);
    }
    // The action belongs to another screen.
    let screens = match spec.context {
        ActionContext::On(screens) => screens,
        _ => &[Screen::default()],
    };
    Err(Screen::explain_restriction(screens))
}

/// Runs a permitted action that does not belong to a dialog.
pub(super) fn run_action(model: &mut Model, id: ActionId) -> Vec<Effect> {
    if model.visible_screen().check_action(id, &model.view()).is_some() {
        return model.with_screen(|screen, cx| screen.run_action(id, cx)).1;
    }
    if let Some(action) = shared_action(id) {
        let mut target = current_target(model);
        return model.with_context(|cx| (action.handler.run)(&mut target, cx));
    }
    shell_actions::find_shell_action(id).map(|action| (action.run)(model)).unwrap_or_default()
}
