//! Comparing what is highlighted.

use crate::app::{
    actions::bundles as run,
    keys::{ActionId, spec::Context::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::app) static COMPARING: &[Action<Target>] = &[action(
    ActionId::CompareBundles,
    Everywhere,
    &["V"],
    "compare bundles",
    "What differs between the bundle and the one it replaces, or the marked one",
    run::compare,
)
.also(&["versions", "permissions"])
.when(run::can_compare)];
