//! The one table of actions: keymap, hint bar, help, palette and documents all come from it.

use std::sync::LazyLock;

use super::tables;
use crate::{
    app::{
        dialogs::table as dialogs,
        keys::{
            ActionId, Keymap, Screen,
            spec::{ActionSpec, Context, Reason, Table, Writes},
        },
        parts::list::ListId,
        session::{action::Action, what_if},
        shell::model::Model,
    },
    catalog::PackageName,
    export::plain,
};

/// Every action there is. Within a screen the first that has a key gets it; its own actions come before common ones.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let actions = tables::TABLES.iter().flat_map(|table| table.iter()).map(|action| &action.spec);
    Table::new(actions.chain(dialogs::DIALOGS).collect(), tables::PREFIXES)
});

/// The one table of actions.
pub fn table() -> &'static Table {
    &TABLE
}

/// The keys of the table of actions.
pub fn keymap() -> Keymap {
    Keymap::standard(table())
}

/// The action of a name that is no dialog's.
pub(in crate::app) fn action(id: ActionId) -> Option<&'static Action<Model>> {
    tables::TABLES.iter().flat_map(|table| table.iter()).find(|action| action.spec.id == id)
}

/// The package that an action changes: that of the row, where the screen lists such of several.
fn meant(model: &Model, id: ActionId) -> Option<&PackageName> {
    match (model.session.screen, id) {
        (Screen::Deprecations, ActionId::Deprecate | ActionId::Remove) => {
            let row = model.cursor(ListId::Deprecations)?;
            Some(&model.derived.deprecations().get(row)?.package)
        }
        (Screen::Problems, ActionId::ApplyFix) => {
            let row = model.cursor(ListId::Problems)?;
            model.derived.problems().get(row)?.finding.package.as_ref()
        }
        _ => model.session.selection().package.as_ref(),
    }
}

/// Whether an action can be done now; the one place where read-only mode is looked at.
pub fn permitted(model: &Model, spec: &ActionSpec) -> Result<(), Reason> {
    if let Context::In(dialogs) = spec.context {
        return match model.dialog() {
            Some(dialog) if dialogs.contains(&dialog) => Ok(()),
            Some(_) => Err("this dialog has nothing of the kind".to_owned()),
            None => Err("no dialog is open".to_owned()),
        };
    }
    if spec.mutates()
        && let Some(reason) = model.read_only()
    {
        return Err(format!("read-only: {reason}"));
    }
    if spec.writes == Writes::Package
        && let Some(file) = meant(model, spec.id).and_then(|package| model.session.protected_file(package))
    {
        let file = plain::line(&file.display().to_string()).into_owned();
        return Err(format!("{file} is write-protected; save as makes a copy that can be edited"));
    }
    // Keeping is how suppositions become edits; any other edit would be one of a catalog nobody has.
    if spec.mutates() && !spec.ends_what_if && model.session.what_if().is_some() {
        return Err(what_if::in_the_way(&model.see()));
    }
    if let Some(busy) = model.session.busy.filter(|_| spec.mutates()) {
        return Err(busy.reason().to_owned());
    }
    if spec.mutates() && model.session.unread().is_some() {
        return Err(format!(
            "only a part of this catalog was read: {} reads all of it",
            model.key(ActionId::Reload)
        ));
    }
    action(spec.id).map_or(Ok(()), |action| (action.can)(model))
}
