//! Edits in more catalogs than one, and the templates they are made from.

use super::has_several;
use crate::app::keys::spec::Enabled;
use crate::app::work::Opening;
use crate::{
    app::{
        keys::Screen,
        session::open::Busy,
        shell::model::Model,
        work::{Effect, Source},
    },
    catalog::MadeFrom,
};

pub fn can_edit_elsewhere(model: &Model) -> Enabled {
    has_several(model)?;
    let edit = model.session.catalog().and_then(|open| open.history.last_edit());
    edit.map(|_| ()).ok_or_else(|| "no edit was made in this catalog".to_owned())
}

pub fn edit_elsewhere(model: &mut Model) -> Vec<Effect> {
    model.open(Opening::Elsewhere);
    Vec::new()
}

/// The template of the selected package; on the Changes screen of one that was edited, first one that is not open yet.
fn template(model: &Model) -> Option<&MadeFrom> {
    let open = model.session.catalog()?;
    let edited: Vec<&MadeFrom> = open.made_from().into_iter().map(|(_, template)| template).collect();
    let is_shut =
        |template: &&&MadeFrom| !model.session.open.iter().any(|open| open.source == source(template));
    let edited = edited.iter().find(is_shut).or(edited.first()).copied();
    let selected = open.selection.package.as_ref().and_then(|name| open.now().catalog.made_from(name));
    if model.session.screen == Screen::Changes { edited.or(selected) } else { selected.or(edited) }
}

fn source(template: &MadeFrom) -> Source {
    Source::Path(template.path.clone())
}

pub fn has_template(model: &Model) -> Enabled {
    if let Some(busy) = model.session.busy {
        return Err(busy.reason().to_owned());
    }
    template(model).map(|_| ()).ok_or_else(|| "no ci.yaml says that the package is made from one".to_owned())
}

/// Opens it beside the catalog, or turns to it where it is open already.
pub fn open_template(model: &mut Model) -> Vec<Effect> {
    let Some(source) = template(model).map(source) else {
        return Vec::new();
    };
    if let Some(open) = model.session.open.iter().position(|open| open.source == source) {
        model.jump(|model| model.session.current = open);
        return Vec::new();
    }
    model.session.generation += 1;
    model.session.busy = Some(Busy::Opening);
    if !model.session.sources.contains(&source) {
        model.session.sources.push(source.clone());
    }
    vec![Effect::Load { generation: model.session.generation, sources: vec![source], show: false }]
}
