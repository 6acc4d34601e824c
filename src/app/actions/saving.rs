//! The way to disk.

use crate::app::keys::spec::Enabled;
use crate::app::work::Opening;
use crate::{
    app::{
        keys::{ActionId, Screen},
        session::open::{Busy, Open},
        shell::model::Model,
        work::{
            Effect, Source,
            effect::ToSave,
            opening::{Because, PromptPurpose, Writing},
        },
    },
    review::Consequences,
    validate::Severity,
};

pub fn has_changes(model: &Model) -> Enabled {
    if model.session.screen == Screen::Changes && model.session.shows_comparison() {
        return Err(format!("a comparison is shown: {} shows unsaved edits", model.key(ActionId::NextPane)));
    }
    if model.session.unsaved() > 0 { Ok(()) } else { Err("there is nothing unsaved".to_owned()) }
}

pub fn review(model: &mut Model) -> Vec<Effect> {
    // What is written is seen before it is, not how that compares with something else.
    model.session.shows_bytes = true;
    super::show_changes(model)
}

pub fn write(model: &mut Model) -> Vec<Effect> {
    let Some(open) = model.session.catalog() else { return Vec::new() };
    if !matches!(open.source, Source::Path(_)) {
        return save_as(model);
    }
    if to_save(model).is_empty() {
        model.notices.refused("the bytes are those on disk: there is nothing to write");
        return Vec::new();
    }
    if asks_first(model, Writing::InPlace) { Vec::new() } else { write_in_place(model, false) }
}

/// Asks before a catalog is written that its edits make opm refuse.
fn asks_first(model: &mut Model, writing: Writing) -> bool {
    let written: Vec<&Open> = match writing {
        Writing::InPlace => to_save(model).into_iter().map(|(_, open)| open).collect(),
        Writing::Elsewhere => model.session.catalog().into_iter().collect(),
    };
    let consequences = written.iter().map(|open| Consequences::between(&open.baseline, open.history.now()));
    let findings = consequences.flat_map(|consequences| consequences.new_findings);
    let errors = findings.filter(|finding| finding.severity() == Severity::Error).count();
    if errors > 0 {
        model.open(Opening::Refused { because: Because::Errors(errors), writing });
    }
    errors > 0
}

/// The catalogs of which files differ from what is on disk, by their numbers.
fn to_save(model: &Model) -> Vec<(usize, &Open)> {
    let differs = |open: &Open| {
        let (before, after) = (&open.baseline.catalog, &open.history.now().catalog);
        matches!(open.source, Source::Path(_)) && !after.files_changed_since(before).is_empty()
    };
    model.session.open.iter().enumerate().filter(|(_, open)| differs(open)).collect()
}

/// Writes to the catalogs' own files. `knowing` says that one was told what they lose.
pub fn write_in_place(model: &mut Model, knowing: bool) -> Vec<Effect> {
    let saves = to_save(model).into_iter().map(|(catalog, open)| ToSave {
        catalog,
        baseline: open.baseline.clone(),
        state: open.history.now().clone(),
    });
    let saves = saves.collect();
    model.session.busy = Some(Busy::Saving);
    vec![Effect::Save { saves, knowing }]
}

pub fn save_as(model: &mut Model) -> Vec<Effect> {
    if model.session.catalog().is_none() {
        return Vec::new();
    }
    // Saving is done on the Changes screen, so that what is written was seen.
    if model.session.screen != Screen::Changes && model.session.unsaved() > 0 {
        model.session.shows_bytes = true;
        model.jump(|model| model.session.screen = Screen::Changes);
    }
    if asks_first(model, Writing::Elsewhere) { Vec::new() } else { ask_where(model) }
}

/// Asks for the path of a copy.
pub fn ask_where(model: &mut Model) -> Vec<Effect> {
    let Some(open) = model.session.catalog() else { return Vec::new() };
    let name = match &open.source {
        Source::Demo => "demo-catalog".to_owned(),
        Source::Stdin(_) => "catalog.yaml".to_owned(),
        Source::Path(path) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            format!("{}-copy", name.unwrap_or_else(|| "catalog".to_owned()))
        }
    };
    let proposed = open.beside(&name);
    model.open(Opening::Prompt { title: "Save as", purpose: PromptPurpose::SaveAs, text: proposed });
    Vec::new()
}
