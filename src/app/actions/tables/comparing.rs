//! Table of actions that compare bundles and show the history.

use crate::app::{
    actions::{bundles as run, history},
    keys::{ActionId, spec::Context::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::app) static COMPARING: &[Action<Target>] = &[
    action(
        ActionId::ShowHistory,
        Everywhere,
        &["ctrl-l"],
        "history",
        "The commits that changed the package, what each did, and the catalog as of then",
        history::show,
    )
    .also(&["git", "past", "log", "blame", "revisions", "years", "who"])
    .when(history::can_show),
    action(
        ActionId::CompareBundles,
        Everywhere,
        &["V"],
        "compare bundles",
        "What differs between the bundle and the one it replaces, or the marked one",
        run::compare,
    )
    .also(&["versions", "permissions"])
    .when(run::can_compare),
];
