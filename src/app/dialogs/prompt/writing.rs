//! Answers that are paths to write to.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    app::{
        keys::{ActionId, Dialog},
        parts::mistake::Mistake,
        session::{
            Session, against,
            cx::{Cx, See},
            expecting,
            open::Busy,
        },
        work::{Effect, opening::PromptPurpose},
    },
    catalog::{ChannelName, Origin},
    export::graph::Format,
};

/// Returns true if the answer is a path that is written to, or read while the dialog stays open.
pub(super) fn is_path(purpose: &PromptPurpose) -> bool {
    matches!(
        purpose,
        PromptPurpose::SaveAs
            | PromptPurpose::Export { .. }
            | PromptPurpose::Comparison
            | PromptPurpose::Expectations
            | PromptPurpose::Mirror
    )
}

/// Returns the key that accepts the answer.
fn enter<'a>(see: &See<'a>) -> &'a str {
    see.keys.label(Dialog::Prompt, ActionId::Accept)
}

pub(super) fn remark_on_copy(see: &See<'_>) -> String {
    let enter = enter(see);
    let catalog = see.session.snapshot().map(|snapshot| &snapshot.catalog);
    match catalog {
        Some(catalog) if catalog.files().len() == 1 && catalog.origin != Origin::Demo => {
            format!("{enter} writes a new file")
        }
        _ => format!("{enter} creates a new directory with all files of the catalog"),
    }
}

/// Returns the drawn channel; `None` if all channels are drawn.
fn shown_channel(session: &Session, side_by_side: bool) -> Option<&ChannelName> {
    session.selection().channel.as_ref().filter(|_| !side_by_side)
}

pub(super) fn remark_on_export(see: &See<'_>, side_by_side: bool) -> String {
    let unsaved = match see.session.catalog() {
        Some(open) if open.what_if.is_some() => ", with the what-if",
        Some(open) if open.history.unsaved(&open.baseline) > 0 => ", with the unsaved edits",
        _ => "",
    };
    let enter = enter(see);
    match shown_channel(see.session, side_by_side) {
        Some(channel) => format!("{enter} writes the channel {channel}{unsaved}"),
        None => format!("{enter} writes all channels of the package{unsaved}"),
    }
}

pub(super) fn remark_on_comparison(see: &See<'_>) -> Result<String, Mistake> {
    let told = against::told(see.session)?;
    Ok(format!("{} writes what changed from {} to {}", enter(see), told.old, told.new))
}

/// Returns the note about adding expectations to a file, and the lines to add.
pub(super) fn expectations(see: &See<'_>, typed: &str) -> (Result<String, Mistake>, String) {
    match expecting::preview(see.session, Path::new(typed)) {
        Ok((0, _)) => (Ok("the file already has them".to_owned()), String::new()),
        Ok((rows, text)) => {
            let s = if rows == 1 { "" } else { "s" };
            let made = if see.session.expectations().is_some_and(|file| *file.path == *typed) {
                ""
            } else {
                ", in a new file if needed"
            };
            (Ok(format!("{} adds {rows} row{s} at the end{made}:", enter(see))), text)
        }
        Err(wrong) => (Err(Mistake::from(wrong.to_string())), String::new()),
    }
}

/// Returns the effect that writes the file; `None` if there is nothing to write any more.
pub(super) fn effect(purpose: &PromptPurpose, path: PathBuf, cx: &mut Cx<'_>) -> Option<Effect> {
    match *purpose {
        PromptPurpose::Export { format, side_by_side } => export(&cx.see(), format, side_by_side, path),
        PromptPurpose::Comparison => comparison(&cx.see(), path),
        PromptPurpose::Expectations => expecting::add(cx.session, path),
        PromptPurpose::Mirror => {
            let snapshot = Arc::clone(cx.session.snapshot()?);
            Some(Effect::Mirror { snapshot, path })
        }
        _ => copy(cx.session, path),
    }
}

fn copy(session: &mut Session, path: PathBuf) -> Option<Effect> {
    let state = session.snapshot()?.clone();
    session.busy = Some(Busy::Saving);
    Some(Effect::SaveAs { catalog: session.current, state, path })
}

fn export(see: &See<'_>, format: Format, side_by_side: bool, path: PathBuf) -> Option<Effect> {
    let package = see.session.package()?.clone();
    let channel = shown_channel(see.session, side_by_side).cloned();
    // The channel may have disappeared in a reload.
    if channel.is_none() && !side_by_side {
        return None;
    }
    let origin = see.session.snapshot()?.catalog.origin.clone();
    Some(Effect::Export { package, channel, format, ascii: see.settings.ascii, origin, path })
}

fn comparison(see: &See<'_>, path: PathBuf) -> Option<Effect> {
    let told = against::told(see.session).ok()?;
    let origin = see.session.snapshot()?.catalog.origin.clone();
    Some(Effect::ExportComparison { told, origin, path })
}
