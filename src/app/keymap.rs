//! Which key, or which keys one after the other, do what on which screen.

use std::collections::HashMap;

use super::{
    action::{self, ActionSpec},
    keys::{self, Key},
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

/// Keys to actions, for every screen.
#[derive(Debug)]
pub struct Keymap {
    screens: HashMap<Screen, Vec<(Vec<Key>, &'static ActionSpec)>>,
}

impl Keymap {
    /// The keys of the action table. Of two actions with the same keys the first has them; so it does where the keys of
    /// one are the beginning of the other's.
    pub fn standard() -> Self {
        let mut screens = HashMap::new();
        for screen in Screen::ALL {
            let mut bindings: Vec<(Vec<Key>, &'static ActionSpec)> = Vec::new();
            for spec in action::all().filter(|spec| spec.applies_to(screen)) {
                for sequence in spec.keys.iter().filter_map(|keys| keys::sequence(keys)) {
                    let clashes = |(bound, _): &(Vec<Key>, _)| {
                        bound.starts_with(&sequence) || sequence.starts_with(bound)
                    };
                    if !bindings.iter().any(clashes) {
                        bindings.push((sequence, spec));
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
        match bindings.iter().find(|(keys, _)| keys.starts_with(pressed)) {
            Some((keys, spec)) if keys.len() == pressed.len() => Match::Action(spec),
            Some(_) => Match::Prefix,
            None => Match::Nothing,
        }
    }

    /// The keys that can follow, each with an action it leads to.
    pub fn following(&self, screen: Screen, pressed: &[Key]) -> Vec<(Key, &'static ActionSpec)> {
        let bindings = self.screens.get(&screen).into_iter().flatten();
        let going_on = bindings.filter(|(keys, _)| keys.starts_with(pressed));
        going_on.filter_map(|(keys, spec)| Some((*keys.get(pressed.len())?, *spec))).collect()
    }
}
