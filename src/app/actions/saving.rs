//! The way to disk.

use super::Enabled;
use crate::{
    app::{
        model::{Busy, Model, Source},
        msg::Effect,
        overlay::{Overlay, PromptPurpose, Refused, Writing},
        overlays::{prompt, writing},
        place::Screen,
    },
    review::Consequences,
    validate::Severity,
};

pub fn has_changes(model: &Model) -> Enabled {
    match model.catalog() {
        Some(open) if open.history.unsaved(&open.baseline) > 0 => Ok(()),
        _ => Err("there is nothing unsaved".to_owned()),
    }
}

pub fn review(model: &mut Model) -> Vec<Effect> {
    super::show_changes(model)
}

pub fn write(model: &mut Model) -> Vec<Effect> {
    let Some(open) = model.catalog() else { return Vec::new() };
    if !matches!(open.source, Source::Path(_)) {
        return save_as(model);
    }
    if model.derived.changes().files.is_empty() {
        model.notices.failed("the bytes are those on disk: there is nothing to write");
        return Vec::new();
    }
    if asks_first(model, Writing::InPlace) { Vec::new() } else { write_in_place(model) }
}

/// Asks before a catalog is written that its edits make opm refuse.
fn asks_first(model: &mut Model, writing: Writing) -> bool {
    let Some(open) = model.catalog() else { return false };
    let consequences = Consequences::between(&open.baseline, open.history.now());
    let errors = consequences.new_findings.iter().filter(|f| f.severity() == Severity::Error).count();
    if errors > 0 {
        model.overlays.push(Overlay::Refused(Refused { errors, writing }));
    }
    errors > 0
}

/// Writes to the catalog's own files.
pub fn write_in_place(model: &mut Model) -> Vec<Effect> {
    let Some(open) = model.catalog() else { return Vec::new() };
    let (baseline, state) = (open.baseline.clone(), open.history.now().clone());
    model.busy = Some(Busy::Saving);
    vec![Effect::Save { catalog: model.current, baseline, state }]
}

pub fn save_as(model: &mut Model) -> Vec<Effect> {
    if model.catalog().is_none() {
        return Vec::new();
    }
    // Saving is done on the Changes screen, so that what is written was seen.
    if model.screen != Screen::Changes && model.unsaved() > 0 {
        model.jump(|model| model.screen = Screen::Changes);
    }
    if asks_first(model, Writing::Elsewhere) { Vec::new() } else { ask_where(model) }
}

/// Asks for the path of a copy.
pub fn ask_where(model: &mut Model) -> Vec<Effect> {
    let Some(open) = model.catalog() else { return Vec::new() };
    let name = match &open.source {
        Source::Demo => "demo-catalog".to_owned(),
        Source::Stdin(_) => "catalog.yaml".to_owned(),
        Source::Path(path) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            format!("{}-copy", name.unwrap_or_else(|| "catalog".to_owned()))
        }
    };
    let proposed = writing::proposed(model, &name);
    let question = prompt::open(model, "Save as", PromptPurpose::SaveAs, proposed);
    model.overlays.push(question);
    Vec::new()
}
