//! Mapping of keys and key sequences to actions, for each screen and dialog.

use std::collections::HashMap;

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{
    ActionId, Key, Scope, Screen, key as keys,
    spec::{ActionContext, ActionSpec, ActionTable},
    validation,
};
use crate::config::{KeySetting, Problem};

/// Key that always quits the program.
pub const INTERRUPT: Key = Key { code: KeyCode::Char('c'), modifiers: KeyModifiers::CONTROL };

/// Meaning of the keys pressed so far.
#[derive(Clone, Copy, Debug)]
pub enum KeyMatch {
    /// Keys of an action.
    Action(&'static ActionSpec),
    /// Beginning of a longer sequence.
    Prefix,
    /// Keys without a meaning.
    Unbound,
}

/// Keys that trigger an action in a scope.
#[derive(Debug)]
struct KeyBinding {
    keys: Vec<Key>,
    /// Keys in their textual form.
    label: String,
    spec: &'static ActionSpec,
}

/// Keys of actions that replace the defaults of the table.
pub(super) type KeyOverrides = HashMap<ActionId, Vec<Vec<Key>>>;

/// Mapping of keys to actions for each screen and each kind of dialog.
#[derive(Debug)]
pub struct Keymap {
    table: &'static ActionTable,
    scopes: HashMap<Scope, Vec<KeyBinding>>,
    overrides: KeyOverrides,
}

impl Keymap {
    /// Creates a keymap with the default keys of the table.
    pub fn from_table(table: &'static ActionTable) -> Self {
        Self::build(table, KeyOverrides::new())
    }

    /// Creates a keymap with the keys from the configuration. Actions with invalid settings keep
    /// their default keys; the problems are returned.
    pub fn from_settings(table: &'static ActionTable, settings: &[KeySetting]) -> (Self, Vec<Problem>) {
        let (overrides, problems) = validation::validate_key_settings(table, settings);
        (Self::build(table, overrides), problems)
    }

    /// Builds the bindings. If the keys of two actions are equal or overlap at the start,
    /// the first action wins.
    fn build(table: &'static ActionTable, overrides: KeyOverrides) -> Self {
        let mut scopes = HashMap::new();
        for scope in table.scopes() {
            let mut bindings: Vec<KeyBinding> = Vec::new();
            for spec in table.actions().filter(|spec| spec.applies_to(scope)) {
                for keys in
                    effective_keys(spec, &overrides).into_iter().filter(|keys| is_bindable(scope, keys))
                {
                    if !bindings.iter().any(|bound| keys_overlap(&bound.keys, &keys)) {
                        let label = keys::format_key_sequence(&keys);
                        bindings.push(KeyBinding { keys, label, spec });
                    }
                }
            }
            scopes.insert(scope, bindings);
        }
        Self { table, scopes, overrides }
    }

    /// Returns the table of actions.
    pub fn table(&self) -> &'static ActionTable {
        self.table
    }

    /// Returns the meaning of the keys in the scope.
    pub fn match_keys(&self, scope: impl Into<Scope>, pressed: &[Key]) -> KeyMatch {
        let Some(bindings) = self.scopes.get(&scope.into()) else { return KeyMatch::Unbound };
        match bindings.iter().find(|bound| bound.keys.starts_with(pressed)) {
            Some(bound) if bound.keys.len() == pressed.len() => KeyMatch::Action(bound.spec),
            Some(_) => KeyMatch::Prefix,
            None => KeyMatch::Unbound,
        }
    }

    /// Returns the keys that can follow, each with an action it leads to.
    pub fn continuations(&self, scope: impl Into<Scope>, pressed: &[Key]) -> Vec<(Key, &'static ActionSpec)> {
        let bindings = self.scopes.get(&scope.into()).into_iter().flatten();
        let going_on = bindings.filter(|bound| bound.keys.starts_with(pressed));
        going_on.filter_map(|bound| Some((*bound.keys.get(pressed.len())?, bound.spec))).collect()
    }

    /// Returns the keys of an action in a scope, in their textual form. The first is the preferred
    /// one.
    pub fn display_keys(&self, scope: impl Into<Scope>, id: ActionId) -> impl Iterator<Item = &str> {
        let bindings = self.scopes.get(&scope.into()).into_iter().flatten();
        bindings.filter(move |bound| bound.spec.id == id).map(|bound| bound.label.as_str())
    }

    /// Returns the preferred key of an action in a scope; the action's name if it has no key.
    pub fn display_key(&self, scope: impl Into<Scope>, id: ActionId) -> &str {
        self.display_keys(scope, id).next().unwrap_or(id.name())
    }

    /// Returns all keys of an action, independent of the scope.
    pub fn action_keys(&self, id: ActionId) -> Vec<String> {
        let keys =
            self.table.find_action(id).map(|spec| effective_keys(spec, &self.overrides)).unwrap_or_default();
        keys.iter().map(|keys| keys::format_key_sequence(keys)).collect()
    }

    /// Returns true if the configuration replaces the keys of the action.
    pub fn is_overridden(&self, id: ActionId) -> bool {
        self.overrides.contains_key(&id)
    }
}

/// Returns the keys of an action, with overrides applied.
pub(super) fn effective_keys(spec: &ActionSpec, overrides: &KeyOverrides) -> Vec<Vec<Key>> {
    let given = overrides.get(&spec.id).cloned();
    given.unwrap_or_else(|| {
        spec.default_keys.iter().filter_map(|keys| keys::parse_key_sequence(keys)).collect()
    })
}

/// Returns true if the sequences are equal or one hides the other.
pub(super) fn keys_overlap(a: &[Key], b: &[Key]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Returns true if the keys can trigger an action in the scope. In dialogs with a text field,
/// characters are typed.
pub(super) fn is_bindable(scope: Scope, keys: &[Key]) -> bool {
    let is_typed = matches!(scope, Scope::Dialog(dialog) if dialog.has_field);
    !(is_typed && keys.first().is_some_and(|key| key.is_text_input()))
}

/// Returns the screens or dialogs that offer the action.
pub(super) fn action_scopes(spec: &ActionSpec) -> Vec<Scope> {
    match spec.context {
        ActionContext::Everywhere => Screen::ALL.iter().copied().map(Scope::Screen).collect(),
        ActionContext::On(screens) => screens.iter().copied().map(Scope::Screen).collect(),
        ActionContext::In(dialogs) => dialogs.iter().copied().map(Scope::Dialog).collect(),
    }
}

/// Incomplete key sequence.
#[derive(Debug)]
pub struct PendingKeys {
    /// Keys pressed so far.
    pub pressed: Vec<Key>,
    /// Keys that can follow, with the actions they lead to.
    pub continuations: Vec<(Key, ActionId)>,
}
