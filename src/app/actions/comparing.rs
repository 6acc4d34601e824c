//! Actions that compare the catalog with another state.

use crate::app::{
    keys::spec::Enabled,
    session::{
        against,
        cx::{Cx, See},
    },
    work::{Effect, Opening, Source},
};

pub(in crate::app) fn can_compare(see: &See<'_>) -> Enabled {
    if see.session.catalog().is_none() {
        return Err("no catalog is open".to_owned());
    }
    if see.session.is_growing() {
        return Err("the files are being read".to_owned());
    }
    if see.session.unread().is_some() {
        return Err("only a part of this catalog was read".to_owned());
    }
    Ok(())
}

/// Opens the comparison dialog and requests the repository of the catalog. The lookup runs each
/// time because the repository may have been created in the meantime.
pub(in crate::app) fn compare_with(cx: &mut Cx<'_>) {
    cx.open(Opening::Against);
    if let Some(Source::Path(path)) = cx.session.catalog().map(|open| &open.source) {
        let path = path.clone();
        cx.ask(Effect::FindRepository { catalog: cx.session.current, path });
    }
}

pub(in crate::app) fn compares(see: &See<'_>) -> Enabled {
    let is_asked = see.session.catalog().is_some_and(|open| open.comparing.asked().is_some());
    if see.session.base().is_some() || is_asked { Ok(()) } else { Err("no comparison is active".to_owned()) }
}

pub(in crate::app) fn stop_comparing(cx: &mut Cx<'_>) {
    against::choose(cx, None);
}
