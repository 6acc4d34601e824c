//! Action that shows the contents of the selected bundle.

use super::{is_in_catalog, selected_bundle, selected_package};
use crate::tui::{
    keys::spec::Enabled,
    session::{
        context::{Context, ViewContext},
        target::Target,
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
