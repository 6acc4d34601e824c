//! Table of actions that show and fetch bundle contents.

use crate::app::{
    actions::{fetching, looking as run},
    keys::{ActionId, spec::Context::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::app) static LOOKING: &[Action<Target>] = &[
action(
    ActionId::ShowBundle,
    Everywhere,
    &["7"],
    "Bundle",
    "What is inside the bundle: APIs, permissions, deployments, images, examples",
    run::show_bundle,
)
.also(&["csv", "inside", "manifests", "permissions", "rbac", "crd", "deployments", "examples"])
.when(run::can_show_bundle),
action(
    ActionId::FetchBundles,
    Everywhere,
    &["ctrl-g"],
    "fetch bundle images",
    "Fetch the images of the bundle, the channel or the package: what is inside, and whether upgrades are safe",
    fetching::fetch,
)
.also(&["pull", "registry", "download", "manifests", "safety"])
.when(fetching::can_fetch),
];
