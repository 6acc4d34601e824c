//! Which key, or which keys one after the other, do what on which screen and in which dialog.

use std::collections::HashMap;

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{
    ActionId, Key, Scope, Screen, judge, key as keys,
    spec::{ActionSpec, Context, Table},
};
use crate::config::{KeySetting, Problem};

/// The key that always leaves the program.
pub const INTERRUPT: Key = Key { code: KeyCode::Char('c'), modifiers: KeyModifiers::CONTROL };

/// What keys that were pressed so far mean.
#[derive(Clone, Copy, Debug)]
pub enum Match {
    /// They are an action's.
    Action(&'static ActionSpec),
    /// They are the beginning of a longer sequence.
    Prefix,
    /// They mean nothing.
    Nothing,
}

/// Keys that do something somewhere.
#[derive(Debug)]
struct Binding {
    keys: Vec<Key>,
    /// The keys as people write them.
    label: String,
    spec: &'static ActionSpec,
}

/// The keys of some actions, in place of those of the table.
pub(super) type Overrides = HashMap<ActionId, Vec<Vec<Key>>>;

/// Keys to actions, for every screen and every sort of dialog.
#[derive(Debug)]
pub struct Keymap {
    table: &'static Table,
    scopes: HashMap<Scope, Vec<Binding>>,
    overrides: Overrides,
}

impl Keymap {
    /// The keys of a table of actions.
    pub fn standard(table: &'static Table) -> Self {
        Self::build(table, Overrides::new())
    }

    /// The keys of a table of actions with those that the configuration gives. What is wrong with some is told; their
    /// actions keep the keys they have.
    pub fn configured(table: &'static Table, settings: &[KeySetting]) -> (Self, Vec<Problem>) {
        let (overrides, problems) = judge::judge(table, settings);
        (Self::build(table, overrides), problems)
    }

    /// Of two actions with the same keys the first has them; so it does where the keys of one are the beginning of the
    /// other's.
    fn build(table: &'static Table, overrides: Overrides) -> Self {
        let mut scopes = HashMap::new();
        for scope in Scope::all() {
            let mut bindings: Vec<Binding> = Vec::new();
            for spec in table.all().filter(|spec| spec.applies_to(scope)) {
                for keys in keys_of(spec, &overrides).into_iter().filter(|keys| counts(scope, keys)) {
                    if !bindings.iter().any(|bound| clash(&bound.keys, &keys)) {
                        let label = keys::label(&keys);
                        bindings.push(Binding { keys, label, spec });
                    }
                }
            }
            scopes.insert(scope, bindings);
        }
        Self { table, scopes, overrides }
    }

    /// The actions it is made for.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// What keys mean.
    pub fn find(&self, scope: impl Into<Scope>, pressed: &[Key]) -> Match {
        let Some(bindings) = self.scopes.get(&scope.into()) else { return Match::Nothing };
        match bindings.iter().find(|bound| bound.keys.starts_with(pressed)) {
            Some(bound) if bound.keys.len() == pressed.len() => Match::Action(bound.spec),
            Some(_) => Match::Prefix,
            None => Match::Nothing,
        }
    }

    /// The keys that can follow, each with an action it leads to.
    pub fn following(&self, scope: impl Into<Scope>, pressed: &[Key]) -> Vec<(Key, &'static ActionSpec)> {
        let bindings = self.scopes.get(&scope.into()).into_iter().flatten();
        let going_on = bindings.filter(|bound| bound.keys.starts_with(pressed));
        going_on.filter_map(|bound| Some((*bound.keys.get(pressed.len())?, bound.spec))).collect()
    }

    /// The keys that do something on a screen or in a dialog, as people write them; the first is the one to show.
    pub fn labels(&self, scope: impl Into<Scope>, id: ActionId) -> impl Iterator<Item = &str> {
        let bindings = self.scopes.get(&scope.into()).into_iter().flatten();
        bindings.filter(move |bound| bound.spec.id == id).map(|bound| bound.label.as_str())
    }

    /// The key to show for something, as people write it. What has no key is called by its name.
    pub fn label(&self, scope: impl Into<Scope>, id: ActionId) -> &str {
        self.labels(scope, id).next().unwrap_or(id.name())
    }

    /// The keys of an action, wherever it makes sense.
    pub fn keys(&self, id: ActionId) -> Vec<String> {
        let keys = self.table.find(id).map(|spec| keys_of(spec, &self.overrides)).unwrap_or_default();
        keys.iter().map(|keys| keys::label(keys)).collect()
    }

    /// Whether the configuration gave an action other keys than it had.
    pub fn is_changed(&self, id: ActionId) -> bool {
        self.overrides.contains_key(&id)
    }
}

/// The keys of an action.
pub(super) fn keys_of(spec: &ActionSpec, overrides: &Overrides) -> Vec<Vec<Key>> {
    let given = overrides.get(&spec.id).cloned();
    given.unwrap_or_else(|| spec.default_keys.iter().filter_map(|keys| keys::sequence(keys)).collect())
}

/// Whether of two sequences one hides the other.
pub(super) fn clash(a: &[Key], b: &[Key]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Whether keys can do something there: where there is a field, letters are typed.
pub(super) fn counts(scope: Scope, keys: &[Key]) -> bool {
    let is_typed = matches!(scope, Scope::Dialog(dialog) if dialog.has_field());
    !(is_typed && keys.first().is_some_and(|key| key.is_typed()))
}

/// Screens an action makes sense on, and dialogs.
pub(super) fn scopes(spec: &ActionSpec) -> Vec<Scope> {
    match spec.context {
        Context::Everywhere => Screen::ALL.iter().copied().map(Scope::Screen).collect(),
        Context::On(screens) => screens.iter().copied().map(Scope::Screen).collect(),
        Context::In(dialogs) => dialogs.iter().copied().map(Scope::Dialog).collect(),
    }
}

/// Keys that wait for another one.
#[derive(Debug)]
pub struct Pending {
    /// What was pressed so far.
    pub pressed: Vec<Key>,
    /// What can follow.
    pub following: Vec<(Key, ActionId)>,
}
