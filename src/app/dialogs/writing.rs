//! Asking where to write something. The question stays until it is written, so that a refusal costs no typing.

use crate::app::work::Refusal;
use crate::app::work::Source;
use crate::app::work::outcome::Grown;
use std::path::{Component, Path, PathBuf};

use crate::app::dialogs::Then;
use crate::{
    app::{
        dialogs::state::{Overlay, Prompt, Wrong},
        keys::{ActionId, Dialog},
        parts::notice::About,
        session::{expecting, open::Busy},
        shell::model::Model,
        work::{Effect, opening::PromptPurpose, outcome::Exported},
    },
    catalog::{ChannelName, Origin, PackageName},
    export::graph::{Format, file_name},
};

/// What to propose for a file or folder beside the catalog: opm reads whatever is in a catalog's own folder.
pub(in crate::app) fn proposed(model: &Model, name: &str) -> String {
    let in_catalog = match model.session.snapshot().map(|snapshot| &snapshot.catalog.origin) {
        // As far as that can be known without looking at the disk; whoever writes looks there.
        Some(Origin::Directory(root)) => root.components().all(|part| part == Component::CurDir),
        _ => false,
    };
    if in_catalog { format!("../{name}") } else { name.to_owned() }
}

/// The key that writes.
fn enter(model: &Model) -> &str {
    model.keymap.label(Dialog::Prompt, ActionId::Accept)
}

pub(in crate::app) fn remark_on_copy(model: &Model) -> String {
    let enter = enter(model);
    let catalog = model.session.snapshot().map(|snapshot| &snapshot.catalog);
    match catalog {
        Some(catalog) if catalog.files().len() == 1 && catalog.origin != Origin::Demo => {
            format!("{enter} writes a new file")
        }
        _ => format!("{enter} makes a new directory with all files of the catalog"),
    }
}

/// The channel whose picture is on the screen; `None` where it is that of all of them.
fn shown_channel(model: &Model) -> Option<&ChannelName> {
    model.session.selection().channel.as_ref().filter(|_| !model.is_side_by_side())
}

pub(in crate::app) fn remark_on_export(model: &Model) -> String {
    let unsaved = match model.session.catalog() {
        Some(open) if open.what_if.is_some() => ", with what is supposed",
        Some(open) if open.history.unsaved(&open.baseline) > 0 => ", with the edits that are not on disk",
        _ => "",
    };
    let enter = enter(model);
    match shown_channel(model) {
        Some(channel) => format!("{enter} writes the channel {channel}{unsaved}"),
        None => format!("{enter} writes all channels of the package{unsaved}"),
    }
}

pub(in crate::app) fn remark_on_expectations(model: &Model) -> String {
    let rows = expecting::rows(&model.session).len();
    let s = if rows == 1 { "" } else { "s" };
    format!("{} adds {rows} row{s}, what happens now, and makes the file if need be", enter(model))
}

/// What to call the file that is asked for.
pub(in crate::app) fn export_name(model: &Model, format: Format) -> String {
    let package = model.session.selection().package.as_ref().map(PackageName::as_str);
    let channel = shown_channel(model).map(ChannelName::as_str);
    let name = file_name(package.unwrap_or_default(), channel, format);
    proposed(model, &name)
}

/// Has it written, where there is a path to write to.
pub(in crate::app) fn answered(model: &mut Model, mut prompt: Prompt) -> Then {
    if prompt.writing.is_some() {
        return Then::Stay(Overlay::Prompt(prompt));
    }
    let text = prompt.input.value().trim();
    if text.is_empty() {
        prompt.remark = Err("a path is needed".to_owned().into());
        return Then::Stay(Overlay::Prompt(prompt));
    }
    let path = PathBuf::from(text);
    let effect = match prompt.purpose {
        PromptPurpose::Export(format) => export(model, format, path.clone()),
        PromptPurpose::Expectations => expecting::add(&model.session, path.clone()),
        _ => copy(model, path.clone()),
    };
    let Some(effect) = effect else { return Then::Close };
    prompt.writing = Some(path);
    prompt.remark = Ok("is being written".to_owned());
    Then::Wait(Overlay::Prompt(prompt), vec![effect])
}

fn copy(model: &mut Model, path: PathBuf) -> Option<Effect> {
    let state = model.session.catalog()?.history.now().clone();
    model.session.busy = Some(Busy::Saving);
    Some(Effect::SaveAs { catalog: model.session.current, state, path })
}

fn export(model: &Model, format: Format, path: PathBuf) -> Option<Effect> {
    let package = model.session.package()?.clone();
    let channel = shown_channel(model).cloned();
    // Files that were read again meanwhile may have no such channel any more.
    if channel.is_none() && !model.is_side_by_side() {
        return None;
    }
    let origin = model.session.snapshot()?.catalog.origin.clone();
    Some(Effect::Export { package, channel, format, ascii: model.settings.ascii, origin, path })
}

/// Tells the question that waits for it how writing ended: it goes, or says why nothing was written. Whether one waits.
fn settle(model: &mut Model, is_it: impl Fn(&Prompt) -> bool, refused: Option<&str>) -> bool {
    let waits = |overlay: &Overlay| matches!(overlay, Overlay::Prompt(prompt) if is_it(prompt));
    let Some(index) = model.overlays.iter().position(waits) else { return false };
    match (refused, model.overlays.get_mut(index)) {
        (Some(reason), Some(Overlay::Prompt(prompt))) => {
            prompt.writing = None;
            prompt.remark = Err(Wrong::from(reason.to_owned()));
        }
        _ => drop(model.overlays.remove(index)),
    }
    true
}

/// A copy of the catalog was written, or was not and here is why. Whether a question waits for it.
pub(in crate::app) fn copied(model: &mut Model, refused: Option<&str>) -> bool {
    let is_it = |prompt: &Prompt| prompt.purpose == PromptPurpose::SaveAs && prompt.writing.is_some();
    settle(model, is_it, refused)
}

/// Something was written to a path that was asked for, or was not and here is why. Whether a question waits for it.
pub(in crate::app) fn settled(model: &mut Model, asked: &Path, refused: Option<&str>) -> bool {
    settle(model, |prompt| prompt.writing.as_deref() == Some(asked), refused)
}

/// A graph was written, or was not.
pub(in crate::app) fn exported(model: &mut Model, asked: &Path, outcome: Result<Exported, Refusal>) {
    match outcome {
        Ok(Exported { path, flowcharts, is_split }) => {
            settled(model, asked, None);
            let parts = match (flowcharts, is_split) {
                (0 | 1, _) => String::new(),
                (n, false) => format!(", {n} flowcharts"),
                (n, true) => format!(", {n} flowcharts: GitHub draws none larger"),
            };
            model.notices.done(format!("written: {}{parts}", path.display()));
        }
        Err(refusal) => {
            let reason = refusal.to_string();
            if !settled(model, asked, Some(&reason)) {
                model.notices.failed(About::Writing, format!("not written: {reason}"));
            }
        }
    }
}

/// Expectations were added, or were not.
pub(in crate::app) fn expected(
    model: &mut Model,
    source: &Source,
    asked: &Path,
    outcome: Result<Grown, Refusal>,
) {
    match outcome {
        Ok(grown) => {
            settled(model, asked, None);
            let words = expecting::added(&mut model.session, source, grown);
            model.notices.done(words);
        }
        Err(refusal) => {
            let reason = refusal.to_string();
            if !settled(model, asked, Some(&reason)) {
                model.notices.failed(About::Writing, format!("nothing added: {reason}"));
            }
        }
    }
}
