//! Actions that compare the catalog with another state.

use crate::tui::{
    keys::spec::Enabled,
    session::{
        base_comparison,
        context::{Context, ViewContext},
    },
    work::{DialogRequest, Effect, Source},
};

pub(in crate::tui) fn can_compare(view_cx: &ViewContext<'_>) -> Enabled {
    if view_cx.session.current_catalog().is_none() {
        return Err("no catalog is open".to_owned());
    }
    if view_cx.session.is_loading_visibly() {
        return Err("the files are being read".to_owned());
    }
    if view_cx.session.unread().is_some() {
        return Err("only a part of this catalog was read".to_owned());
    }
    Ok(())
}

/// Opens the comparison dialog and requests the repository of the catalog. The lookup runs each
/// time because the repository may have been created in the meantime.
pub(in crate::tui) fn open_comparison_choice(cx: &mut Context<'_>) {
    cx.open_dialog(DialogRequest::ComparisonBase);
    if let Some(Source::Path(path)) = cx.session.current_catalog().map(|open| &open.source) {
        let path = path.clone();
        cx.request(Effect::CheckRepository { catalog: cx.session.current, path });
    }
}

pub(in crate::tui) fn is_comparing(view_cx: &ViewContext<'_>) -> Enabled {
    let is_asked =
        view_cx.session.current_catalog().is_some_and(|open| open.base_comparison.pending_base().is_some());
    if view_cx.session.base().is_some() || is_asked {
        Ok(())
    } else {
        Err("no comparison is active".to_owned())
    }
}

pub(in crate::tui) fn stop_comparing(cx: &mut Context<'_>) {
    base_comparison::set_base(cx, None);
}
