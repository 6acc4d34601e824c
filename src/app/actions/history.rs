//! Action that shows the Git history of the selected package.

use super::package;
use crate::app::{
    keys::spec::Enabled,
    session::{
        cx::{Cx, See},
        past,
        target::Target,
    },
    work::{Opening, Source},
};

pub(super) fn can_show(target: &Target, see: &See<'_>) -> Enabled {
    package(target, see)?;
    let open = see.session.catalog().ok_or("no catalog is open")?;
    match &open.source {
        Source::Path(path) if !crate::source::is_image(path) => Ok(()),
        _ => Err("only a catalog on disk has a history".to_owned()),
    }
}

/// Opens the history dialog and requests its commits.
pub(super) fn show(target: &mut Target, cx: &mut Cx<'_>) {
    if let Some(package) = target.package.clone() {
        past::ask(cx, &package);
        cx.open(Opening::History { package });
    }
}
