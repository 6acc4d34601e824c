//! The one table of actions: keymap, hint bar, help, palette and documents all come from it.

mod ids;
mod tables;

pub use ids::ActionId;

use super::{
    actions as run,
    dialog::{Dialog, Scope},
    list::ListId,
    model::Model,
    msg::Effect,
    place::Screen,
    what_if,
};
use crate::{catalog::PackageName, export::plain};

/// Where an action makes sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// Everywhere.
    Everywhere,
    /// On some screens.
    On(&'static [Screen]),
    /// In some dialogs, and nowhere else.
    In(&'static [Dialog]),
}

/// How an action is done.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// By this.
    By(fn(&mut Model) -> Vec<Effect>),
    /// By the dialog that is open.
    Dialog,
}

/// Why an action cannot be done now.
pub type Reason = String;

/// An action with everything that is to be said of it.
#[derive(Debug)]
pub struct ActionSpec {
    /// Its name.
    pub id: ActionId,
    /// What hint bar and palette call it.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop.
    pub doc: &'static str,
    /// Where it makes sense.
    pub context: Context,
    /// Its keys unless the configuration gives it others. A sequence is written with blanks: `o s`. What is shown is asked
    /// of the [`Keymap`](super::Keymap).
    pub default_keys: &'static [&'static str],
    /// Whether the hint bar of its context shows it.
    pub hint: bool,
    /// Whether it changes a catalog or a file; then read-only mode refuses it.
    pub mutates: bool,
    /// Whether it can be done now, and if not, why.
    pub enabled: fn(&Model) -> Result<(), Reason>,
    /// Does it.
    pub run: Run,
}

const fn spec(
    id: ActionId,
    context: Context,
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
    run: fn(&mut Model) -> Vec<Effect>,
) -> ActionSpec {
    ActionSpec {
        id,
        title,
        doc,
        context,
        default_keys: keys,
        hint: false,
        mutates: false,
        enabled: run::always,
        run: Run::By(run),
    }
}

const fn in_dialogs(
    id: ActionId,
    dialogs: &'static [Dialog],
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
) -> ActionSpec {
    ActionSpec {
        id,
        title,
        doc,
        context: Context::In(dialogs),
        default_keys: keys,
        hint: false,
        mutates: false,
        enabled: run::always,
        run: Run::Dialog,
    }
}

impl ActionSpec {
    const fn hinted(mut self) -> Self {
        self.hint = true;
        self
    }

    const fn mutating(mut self) -> Self {
        self.mutates = true;
        self
    }

    const fn when(mut self, enabled: fn(&Model) -> Result<(), Reason>) -> Self {
        self.enabled = enabled;
        self
    }

    /// Whether it makes sense on a screen or in a dialog.
    pub fn applies_to(&self, scope: impl Into<Scope>) -> bool {
        match (self.context, scope.into()) {
            (Context::Everywhere, Scope::Screen(_)) => true,
            (Context::On(screens), Scope::Screen(screen)) => screens.contains(&screen),
            (Context::In(dialogs), Scope::Dialog(dialog)) => dialogs.contains(&dialog),
            (Context::Everywhere | Context::On(_), Scope::Dialog(_)) | (Context::In(_), Scope::Screen(_)) => {
                false
            }
        }
    }
}

/// A key that waits for another one: the first of a sequence.
#[derive(Debug)]
pub struct Prefix {
    /// The key.
    pub key: &'static str,
    /// What its sequences have in common.
    pub title: &'static str,
}

/// Every action there is. Within a screen the first that has a key gets it; its own actions come before common ones.
pub fn all() -> impl Iterator<Item = &'static ActionSpec> {
    tables::TABLES.iter().flat_map(|table| table.iter())
}

/// The action of a name.
pub fn find(id: ActionId) -> Option<&'static ActionSpec> {
    all().find(|spec| spec.id == id)
}

/// What the sequences that begin with a key have in common.
pub fn prefix(key: &str) -> Option<&'static Prefix> {
    tables::PREFIXES.iter().find(|prefix| prefix.key == key)
}

/// The package that an action changes: that of the row, where the screen lists such of several.
fn meant(model: &Model, id: ActionId) -> Option<&PackageName> {
    match (model.screen, id) {
        (Screen::Deprecations, ActionId::Deprecate | ActionId::Remove) => {
            let row = model.cursor(ListId::Deprecations)?;
            Some(&model.derived.deprecations().get(row)?.package)
        }
        (Screen::Problems, ActionId::ApplyFix) => {
            let row = model.cursor(ListId::Problems)?;
            model.derived.problems().get(row)?.finding.package.as_ref()
        }
        _ => model.selection().package.as_ref(),
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
    if spec.mutates
        && let Some(reason) = model.read_only()
    {
        return Err(format!("read-only: {reason}"));
    }
    let writes_elsewhere = matches!(
        spec.id,
        ActionId::SaveAs
            | ActionId::Undo
            | ActionId::Redo
            | ActionId::Review
            | ActionId::EditElsewhere
            | ActionId::OpenEditor
            | ActionId::AddExpectation
    );
    if spec.mutates
        && !writes_elsewhere
        && let Some(file) = meant(model, spec.id).and_then(|package| model.protected_file(package))
    {
        let file = plain::line(&file.display().to_string()).into_owned();
        return Err(format!("{file} is write-protected; save as makes a copy that can be edited"));
    }
    // Keeping is how suppositions become edits; any other edit would be one of a catalog nobody has.
    if spec.mutates && spec.id != ActionId::WhatIfKeep && model.what_if().is_some() {
        return Err(what_if::in_the_way(model));
    }
    if let Some(busy) = model.busy.filter(|_| spec.mutates) {
        return Err(busy.reason().to_owned());
    }
    if spec.mutates && model.unread().is_some() {
        return Err(format!(
            "only a part of this catalog was read: {} reads all of it",
            model.key(ActionId::Reload)
        ));
    }
    (spec.enabled)(model)
}
