//! Which key, or which keys one after the other, do what on which screen.

use std::collections::HashMap;

use super::{
    action::{self, ActionId, ActionSpec},
    keys::{self, Key},
    model::Model,
    place::Screen,
};

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

/// Keys that do something on a screen.
#[derive(Debug)]
struct Binding {
    keys: Vec<Key>,
    /// The keys as people write them.
    label: String,
    spec: &'static ActionSpec,
}

/// Keys to actions, for every screen.
#[derive(Debug)]
pub struct Keymap {
    screens: HashMap<Screen, Vec<Binding>>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::standard()
    }
}

impl Keymap {
    /// The keys of the action table. Of two actions with the same keys the first has them; so it does where the keys of
    /// one are the beginning of the other's.
    pub fn standard() -> Self {
        let mut screens = HashMap::new();
        for screen in Screen::ALL {
            let mut bindings: Vec<Binding> = Vec::new();
            for spec in action::all().filter(|spec| spec.applies_to(screen)) {
                for keys in spec.default_keys.iter().filter_map(|keys| keys::sequence(keys)) {
                    let clashes =
                        |bound: &Binding| bound.keys.starts_with(&keys) || keys.starts_with(&bound.keys);
                    if !bindings.iter().any(clashes) {
                        let label = keys::label(&keys);
                        bindings.push(Binding { keys, label, spec });
                    }
                }
            }
            screens.insert(screen, bindings);
        }
        Self { screens }
    }

    /// What keys mean.
    pub fn find(&self, screen: Screen, pressed: &[Key]) -> Match {
        let Some(bindings) = self.screens.get(&screen) else { return Match::Nothing };
        match bindings.iter().find(|bound| bound.keys.starts_with(pressed)) {
            Some(bound) if bound.keys.len() == pressed.len() => Match::Action(bound.spec),
            Some(_) => Match::Prefix,
            None => Match::Nothing,
        }
    }

    /// The keys that can follow, each with an action it leads to.
    pub fn following(&self, screen: Screen, pressed: &[Key]) -> Vec<(Key, &'static ActionSpec)> {
        let bindings = self.screens.get(&screen).into_iter().flatten();
        let going_on = bindings.filter(|bound| bound.keys.starts_with(pressed));
        going_on.filter_map(|bound| Some((*bound.keys.get(pressed.len())?, bound.spec))).collect()
    }

    /// The keys that do something on a screen, as people write them; the first is the one to show.
    pub fn labels(&self, screen: Screen, id: ActionId) -> impl Iterator<Item = &str> {
        let bindings = self.screens.get(&screen).into_iter().flatten();
        bindings.filter(move |bound| bound.spec.id == id).map(|bound| bound.label.as_str())
    }
}

impl Model {
    /// The key that does something, as people write it, on the present screen or else where it does. An action without a
    /// key is called by its name, as the palette finds it.
    pub fn key(&self, id: ActionId) -> &str {
        self.keys(id).first().copied().unwrap_or(id.name())
    }

    /// All keys that do something on the present screen or else where it does.
    pub fn keys(&self, id: ActionId) -> Vec<&str> {
        let screens = [self.screen].into_iter().chain(Screen::ALL);
        let labels = screens.map(|screen| self.keymap.labels(screen, id).collect::<Vec<_>>());
        labels.into_iter().find(|labels| !labels.is_empty()).unwrap_or_default()
    }
}
