//! Action that shows the Git history of the selected package.

use super::selected_package;
use crate::tui::{
    keys::spec::Enabled,
    session::{
        context::{Context, ViewContext},
        git_history,
        target::Target,
    },
    work::{DialogRequest, Source},
};

pub(super) fn can_show_history(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_package(target, view_cx)?;
    let open = view_cx.session.current_catalog().ok_or("no catalog is open")?;
    match &open.source {
        Source::Path(path) if !olm_source::is_image_reference(path) => Ok(()),
        _ => Err("only a catalog on disk has a history".to_owned()),
    }
}

/// Opens the history dialog and requests its commits.
pub(super) fn show_history(target: &mut Target, cx: &mut Context<'_>) {
    if let Some(package) = target.package.clone() {
        git_history::request_history(cx, &package);
        cx.open_dialog(DialogRequest::History { package });
    }
}
