//! Table of actions that compare bundles and show the history.

use crate::tui::{
    actions::{bundle_comparison as run, history},
    keys::{ActionId, spec::ActionContext::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::tui) static COMPARISON_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::ShowHistory,
        Everywhere,
        &["ctrl-l"],
        "history",
        "The commits that changed the package, what each did, and the catalog as of then",
        history::show_history,
    )
    .with_search_terms(&["git", "past", "log", "blame", "revisions", "years", "who"])
    .enabled_when(history::can_show_history),
    action(
        ActionId::CompareBundles,
        Everywhere,
        &["V"],
        "compare bundles",
        "What differs between the bundle and the one it replaces, or the marked one",
        run::compare_bundles,
    )
    .with_search_terms(&["versions", "permissions"])
    .enabled_when(run::can_compare_bundles),
];
