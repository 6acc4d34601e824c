//! Actions that repeat edits in other catalogs and open templates.

use crate::tui::{
    keys::{Screen, spec::Enabled},
    session::{
        Session,
        context::{Context, ViewContext},
        loading::additional_catalog,
        target::Target,
    },
    work::{DialogRequest, Source},
};
use olm_catalog::TemplateSource;

pub(super) fn can_edit_elsewhere(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    if view_cx.session.open_catalogs.len() < 2 {
        return Err("only one catalog is open".to_owned());
    }
    let edit = view_cx.session.current_catalog().and_then(|open| open.history.last_edit());
    edit.map(|_| ()).ok_or_else(|| "no edit was made in this catalog".to_owned())
}

pub(super) fn edit_elsewhere(_: &mut Target, cx: &mut Context<'_>) {
    cx.open_dialog(DialogRequest::OtherCatalogs);
}

/// Returns the template of the selected package. On the Changes screen, templates of edited
/// packages come first, those that are not open before others.
fn find_template<'a>(target: &Target, session: &'a Session) -> Option<&'a TemplateSource> {
    let open = session.current_catalog()?;
    let edited: Vec<&TemplateSource> =
        open.edited_generated_packages().into_iter().map(|(_, template)| template).collect();
    let is_shut = |template: &&&TemplateSource| {
        !session.open_catalogs.iter().any(|open| open.source == template_source(template))
    };
    let edited = edited.iter().find(is_shut).or(edited.first()).copied();
    let selected =
        target.package.as_ref().and_then(|name| open.visible_state().catalog.template_source(name));
    if session.screen == Screen::Changes { edited.or(selected) } else { selected.or(edited) }
}

fn template_source(template: &TemplateSource) -> Source {
    Source::Path(template.path.clone())
}

pub(super) fn has_template(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    if let Some(busy) = view_cx.session.busy {
        return Err(busy.block_reason().to_owned());
    }
    let found = find_template(target, view_cx.session).map(|_| ());
    found.ok_or_else(|| "no ci.yaml names a template for the package".to_owned())
}

/// Opens the template next to the catalog, or switches to it if it is already open.
pub(super) fn open_template(target: &mut Target, cx: &mut Context<'_>) {
    let Some(source) = find_template(target, cx.session).map(template_source) else { return };
    additional_catalog::open_catalog(cx, source);
}
