//! Looking into what is highlighted.

use crate::app::{
    actions::looking as run,
    keys::{ActionId, spec::Context::Everywhere},
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::app) static LOOKING: &[Action<Target>] = &[action(
    ActionId::ShowBundle,
    Everywhere,
    &["7"],
    "Bundle",
    "What is inside the bundle: APIs, permissions, deployments, images, examples",
    run::show_bundle,
)
.also(&["csv", "inside", "manifests", "permissions", "rbac", "crd", "deployments", "examples"])
.when(run::can_show_bundle)];
