//! Which key does what on which screen.

use std::collections::HashMap;

use super::{
    action::{ACTIONS, ActionSpec},
    keys::Key,
    place::Screen,
};

/// Keys to actions, for every screen.
#[derive(Debug)]
pub struct Keymap {
    bindings: HashMap<(Screen, Key), usize>,
}

impl Keymap {
    /// The keys of the action table.
    pub fn standard() -> Self {
        let mut bindings = HashMap::new();
        for screen in Screen::ALL {
            for (index, spec) in ACTIONS.iter().enumerate().filter(|(_, spec)| spec.applies_to(screen)) {
                for key in spec.keys.iter().filter_map(|key| Key::parse(key)) {
                    bindings.entry((screen, key)).or_insert(index);
                }
            }
        }
        Self { bindings }
    }

    /// The action of a key.
    pub fn action(&self, screen: Screen, key: Key) -> Option<&'static ActionSpec> {
        self.bindings.get(&(screen, key)).and_then(|&index| ACTIONS.get(index))
    }
}
