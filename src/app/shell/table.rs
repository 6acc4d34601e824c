//! The action table. Keymap, hint bar, help, palette and documents are generated from it.

use std::sync::LazyLock;

use super::{
    model::Model,
    tables::{self, ShellAction},
};
use crate::{
    app::{
        actions,
        dialogs::table as dialogs,
        keys::{
            ActionId, Keymap, Screen,
            spec::{ActionSpec, Context, Enabled, Prefix, Reason, Table, Writes},
        },
        screens,
        session::{action::Action, past, target::Target, what_if},
        work::Effect,
    },
    export::plain,
};

/// First keys of sequences.
static PREFIXES: &[Prefix] = &[
    Prefix { key: "o", title: "write to a file" },
    Prefix { key: "W", title: "what if ..." },
    Prefix { key: "y", title: "copy" },
];

/// All actions in order of precedence. Within a screen the first action with a key gets it; screen
/// actions come before common ones.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let shared = |table: &'static [Action<Target>]| table.iter().map(|action| &action.spec);
    let shell = |table: &'static [ShellAction]| table.iter().map(|action| &action.spec);
    let actions = screens::specs()
        .chain(shell(tables::NEWS))
        .chain(shared(actions::tables::WHAT_IF))
        .chain(shared(actions::tables::EDITING))
        .chain(shell(tables::FINDING))
        .chain(shell(tables::MOVING))
        .chain(shell(tables::PLACES))
        .chain(shared(actions::tables::LOOKING))
        .chain(shared(actions::tables::ASSUMING))
        .chain(shared(actions::tables::COMPARING))
        .chain(shared(actions::tables::AWAY))
        .chain(shell(tables::MOUSE))
        .chain(dialogs::DIALOGS);
    Table::new(actions.collect(), PREFIXES)
});

/// Returns the action table.
pub fn table() -> &'static Table {
    &TABLE
}

/// Returns the default keymap.
pub fn keymap() -> Keymap {
    Keymap::standard(table())
}

/// Returns a shared action.
pub(super) fn shared(id: ActionId) -> Option<&'static Action<Target>> {
    let tables = [
        actions::tables::WHAT_IF,
        actions::tables::EDITING,
        actions::tables::LOOKING,
        actions::tables::ASSUMING,
        actions::tables::COMPARING,
        actions::tables::AWAY,
    ];
    tables.into_iter().flatten().find(|action| action.spec.id == id)
}

/// Returns the current target of shared actions.
fn target(model: &Model) -> Target {
    model.shown().target(&model.see())
}

/// Checks if an action is possible now. Only this function checks read-only mode.
///
/// # Errors
///
/// The reason, if the action is not possible.
pub fn permitted(model: &Model, spec: &ActionSpec) -> Result<(), Reason> {
    if let Context::In(dialogs) = spec.context {
        return match model.dialog() {
            Some(dialog) if dialogs.contains(&dialog) => Ok(()),
            Some(_) => Err("not in this dialog".to_owned()),
            None => Err("no dialog is open".to_owned()),
        };
    }
    if spec.mutates()
        && let Some(reason) = model.read_only()
    {
        return Err(format!("read-only: {reason}"));
    }
    let supposes = || actions::tables::WHAT_IF.iter().any(|action| action.spec.id == spec.id);
    if model.session.past().is_some() && (spec.mutates() || supposes()) {
        return Err(past::in_the_way(&model.see()));
    }
    if spec.writes == Writes::Package
        && let Some(file) = target(model)
            .package
            .and_then(|package| model.session.protected_file(&package).map(ToOwned::to_owned))
    {
        let file = plain::line(&file.display().to_string()).into_owned();
        return Err(format!("{file} is write-protected; use save as for an editable copy"));
    }
    // Applying the what-if turns it into an edit. Other edits would change a catalog that does not
    // exist.
    if spec.mutates() && !spec.ends_what_if && model.session.what_if().is_some() {
        return Err(what_if::in_the_way(&model.see()));
    }
    if let Some(busy) = model.session.busy.filter(|_| spec.mutates()) {
        return Err(busy.reason().to_owned());
    }
    if spec.mutates() && model.session.unread().is_some() {
        return Err(format!("only part of this catalog was read: {} reads all", model.key(ActionId::Reload)));
    }
    can(model, spec)
}

/// Checks the condition of the action's implementation.
fn can(model: &Model, spec: &ActionSpec) -> Enabled {
    let see = model.see();
    if let Some(own) = model.shown().can(spec.id, &see) {
        return own;
    }
    if let Some(action) = shared(spec.id) {
        return (action.how.can)(&target(model), &see);
    }
    if let Some(action) = tables::find(spec.id) {
        return (action.can)(model);
    }
    // The action belongs to another screen.
    let there = match spec.context {
        Context::On([screen, ..]) => screen.title(),
        _ => Screen::default().title(),
    };
    Err(format!("only on the {there} screen"))
}

/// Runs a permitted action that does not belong to a dialog.
pub(super) fn run(model: &mut Model, id: ActionId) -> Vec<Effect> {
    if model.shown().can(id, &model.see()).is_some() {
        return model.with_screen(|screen, cx| screen.act(id, cx)).1;
    }
    if let Some(action) = shared(id) {
        let mut target = target(model);
        return model.with(|cx| (action.how.run)(&mut target, cx));
    }
    tables::find(id).map(|action| (action.run)(model)).unwrap_or_default()
}
