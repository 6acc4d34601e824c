//! Table of actions that show and fetch bundle contents.

use crate::tui::{
    actions::{bundle_view as run, image_fetch},
    keys::{ActionId, spec::ActionContext::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::tui) static BUNDLE_ACTIONS: &[Action<Target>] = &[
action(
    ActionId::ShowBundle,
    Everywhere,
    &["7"],
    "Bundle",
    "What is inside the bundle: APIs, permissions, deployments, images, examples",
    run::show_bundle,
)
.with_search_terms(&["csv", "inside", "manifests", "permissions", "rbac", "crd", "deployments", "examples"])
.enabled_when(run::can_show_bundle),
action(
    ActionId::FetchBundles,
    Everywhere,
    &["ctrl-g"],
    "fetch bundle images",
    "Fetch the images of the bundle, the channel or the package: what is inside, and whether upgrades are safe",
    image_fetch::open_fetch_dialog,
)
.with_search_terms(&["pull", "registry", "download", "manifests", "safety"])
.enabled_when(image_fetch::can_fetch),
];
