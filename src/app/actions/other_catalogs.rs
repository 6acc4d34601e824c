//! Actions that repeat edits in other catalogs and open templates.

use crate::{
    app::{
        keys::{Screen, spec::Enabled},
        session::{
            Session,
            cx::{Cx, See},
            loading::opening,
            target::Target,
        },
        work::{Opening, Source},
    },
    catalog::MadeFrom,
};

pub(super) fn can_edit_elsewhere(_: &Target, see: &See<'_>) -> Enabled {
    if see.session.open.len() < 2 {
        return Err("only one catalog is open".to_owned());
    }
    let edit = see.session.catalog().and_then(|open| open.history.last_edit());
    edit.map(|_| ()).ok_or_else(|| "no edit was made in this catalog".to_owned())
}

pub(super) fn edit_elsewhere(_: &mut Target, cx: &mut Cx<'_>) {
    cx.open(Opening::OtherCatalogs);
}

/// Returns the template of the selected package. On the Changes screen, templates of edited
/// packages come first, those that are not open before others.
fn template<'a>(target: &Target, session: &'a Session) -> Option<&'a MadeFrom> {
    let open = session.catalog()?;
    let edited: Vec<&MadeFrom> = open.made_from().into_iter().map(|(_, template)| template).collect();
    let is_shut = |template: &&&MadeFrom| !session.open.iter().any(|open| open.source == source(template));
    let edited = edited.iter().find(is_shut).or(edited.first()).copied();
    let selected = target.package.as_ref().and_then(|name| open.now().catalog.made_from(name));
    if session.screen == Screen::Changes { edited.or(selected) } else { selected.or(edited) }
}

fn source(template: &MadeFrom) -> Source {
    Source::Path(template.path.clone())
}

pub(super) fn has_template(target: &Target, see: &See<'_>) -> Enabled {
    if let Some(busy) = see.session.busy {
        return Err(busy.reason().to_owned());
    }
    let found = template(target, see.session).map(|_| ());
    found.ok_or_else(|| "no ci.yaml names a template for the package".to_owned())
}

/// Opens the template next to the catalog, or switches to it if it is already open.
pub(super) fn open_template(target: &mut Target, cx: &mut Cx<'_>) {
    let Some(source) = template(target, cx.session).map(source) else { return };
    opening::open(cx, source);
}
