//! The one table of actions: keymap, hint bar, help, palette and documents all come from it.

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

/// Keys that wait for another one.
static PREFIXES: &[Prefix] = &[
    Prefix { key: "o", title: "write to a file" },
    Prefix { key: "W", title: "what if ..." },
    Prefix { key: "y", title: "copy" },
];

/// Every action there is. Within a screen the first that has a key gets it; its own actions come before common ones.
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

/// The one table of actions.
pub fn table() -> &'static Table {
    &TABLE
}

/// The keys of the table of actions.
pub fn keymap() -> Keymap {
    Keymap::standard(table())
}

/// A shared action.
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

/// What shared actions are about now.
fn target(model: &Model) -> Target {
    model.shown().target(&model.see())
}

/// Whether an action can be done now; the one place where read-only mode is looked at.
///
/// # Errors
///
/// Where it cannot: why.
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
    // Keeping is how suppositions become edits; any other edit would be one of a catalog nobody has.
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

/// Whether who does it can do it now.
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
    // It is that of another screen, which shows nothing now.
    let there = match spec.context {
        Context::On([screen, ..]) => screen.title(),
        _ => Screen::default().title(),
    };
    Err(format!("only on the {there} screen"))
}

/// Does an action that can be done now and is no dialog's.
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
