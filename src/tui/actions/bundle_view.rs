//! Action that shows the contents of the selected bundle.

use crate::tui::{
    actions::{edits::CATALOG_SCREENS, image_fetch, is_in_catalog, selected_bundle, selected_package},
    keys::{
        ActionId,
        spec::{ActionContext::Everywhere, Enabled},
    },
    session::{
        action::{Action, Target, action},
        context::{Context, ViewContext},
    },
    work::Jump,
};

pub(super) fn can_show_bundle(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_bundle(target)?;
    selected_package(target, view_cx)?;
    is_in_catalog(target, view_cx)
}

pub(super) fn show_bundle(target: &mut Target, cx: &mut Context<'_>) {
    if let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) {
        cx.go_to(Jump::Bundle { catalog: None, package, channel: target.channel.clone(), bundle });
    }
}

pub(in crate::tui) static BUNDLE_ACTIONS: &[Action<Target>] = &[
action(
    ActionId::ShowBundle,
    Everywhere,
    &["7"],
    "Bundle",
    "What is inside the bundle: APIs, permissions, deployments, images, examples",
    show_bundle,
)
.with_search_terms(&["csv", "inside", "manifests", "related images", "permissions", "rbac", "crd", "deployments", "examples"])
.enabled_when(can_show_bundle),
action(
    ActionId::FetchBundles,
    CATALOG_SCREENS,
    &["ctrl-g"],
    "fetch bundle images",
    "Fetch the images of the bundle, the channel or the package: what is inside, and whether upgrades are safe",
    image_fetch::open_fetch_dialog,
)
.with_search_terms(&["pull", "registry", "download", "manifests", "safety"])
.enabled_when(image_fetch::can_fetch),
];
