//! Answers that are paths to write to.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    dialogs::prompt::{DIALOG, PromptPurpose},
    keys::ActionId,
    parts::field::InputError,
    session::{
        Session,
        context::{Context, ViewContext},
        jobs::{base_comparison, dialog_questions::MirrorRequest},
        upgrade_expectations,
        wait_state::BlockingWork,
    },
    work::Effect,
};
use olm_catalog::{ChannelName, Origin};
use olmap_report::graph::Format;

/// Returns true if the answer is a path that is written to, or read while the dialog stays open.
pub(super) fn takes_output_path(purpose: &PromptPurpose) -> bool {
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
fn accept_key<'a>(view_cx: &ViewContext<'a>) -> &'a str {
    view_cx.keys.display_key(DIALOG, ActionId::Accept)
}

pub(super) fn describe_copy(view_cx: &ViewContext<'_>) -> String {
    let enter = accept_key(view_cx);
    let catalog = view_cx.session.snapshot().map(|snapshot| &snapshot.catalog);
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

/// Returns the format that the ending of a path asks for.
fn format_from_path(path: &Path, side_by_side: bool) -> Result<Format, InputError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    Ok(match ending.to_ascii_lowercase().as_str() {
        "svg" if side_by_side => Format::SideBySideSvg,
        "svg" => Format::Svg,
        "md" => Format::Markdown,
        "mmd" => Format::Mermaid,
        "dot" => Format::Dot,
        "txt" if side_by_side => Format::SideBySide,
        "txt" => Format::Text,
        "json" => Format::Json,
        "jsonl" => Format::Jsonl,
        _ => {
            let endings = "the ending is the format: .svg, .md, .mmd, .dot, .txt, .json or .jsonl";
            return Err(InputError::from(endings.to_owned()));
        }
    })
}

/// Returns an error if the path cannot be written to whatever is there: the ending of a graph has to
/// name its format.
pub(super) fn check_output_path(purpose: &PromptPurpose, path: &Path) -> Result<(), InputError> {
    match purpose {
        PromptPurpose::Export { side_by_side } => format_from_path(path, *side_by_side).map(drop),
        _ => Ok(()),
    }
}

pub(super) fn describe_export(
    view_cx: &ViewContext<'_>,
    side_by_side: bool,
    path: &Path,
) -> Result<String, InputError> {
    format_from_path(path, side_by_side)?;
    let unsaved = match view_cx.session.current_catalog() {
        Some(open) if open.what_if.is_some() => ", with the what-if",
        Some(open) if open.unsaved_count() > 0 => ", with the unsaved edits",
        _ => "",
    };
    let enter = accept_key(view_cx);
    Ok(match shown_channel(view_cx.session, side_by_side) {
        Some(channel) => format!("{enter} writes the channel {channel}{unsaved}"),
        None => format!("{enter} writes all channels of the package{unsaved}"),
    })
}

pub(super) fn describe_comparison_export(view_cx: &ViewContext<'_>) -> Result<String, InputError> {
    let told = base_comparison::labeled_comparison(view_cx.session)?;
    Ok(format!("{} writes what changed from {} to {}", accept_key(view_cx), told.old, told.new))
}

/// Returns the note about adding expectations to a file, and the lines to add.
pub(super) fn preview_expectations(
    view_cx: &ViewContext<'_>,
    typed: &str,
) -> (Result<String, InputError>, String) {
    match upgrade_expectations::preview_added_rows(view_cx.session, Path::new(typed)) {
        Ok((0, _)) => (Ok("the file already has them".to_owned()), String::new()),
        Ok((rows, text)) => {
            let s = if rows == 1 { "" } else { "s" };
            let made = if view_cx.session.catalogs.expectations().is_some_and(|file| *file.path == *typed) {
                ""
            } else {
                ", in a new file if needed"
            };
            (Ok(format!("{} adds {rows} row{s} at the end{made}:", accept_key(view_cx))), text)
        }
        Err(wrong) => (Err(InputError::from(wrong.to_string())), String::new()),
    }
}

/// Returns the effect that writes the file; `None` if there is nothing to write any more.
pub(super) fn build_output_effect(
    purpose: &PromptPurpose,
    path: PathBuf,
    cx: &mut Context<'_>,
) -> Option<Effect> {
    match *purpose {
        PromptPurpose::Export { side_by_side } => export_graph(&cx.view(), side_by_side, path),
        PromptPurpose::Comparison => export_comparison(&cx.view(), path),
        PromptPurpose::Expectations => upgrade_expectations::add_selected_row(cx.session, path),
        PromptPurpose::Mirror => {
            let snapshot = Arc::clone(cx.session.snapshot()?);
            Some(Effect::run(Arc::new(MirrorRequest { snapshot, path })))
        }
        _ => save_copy(cx.session, path),
    }
}

fn save_copy(session: &mut Session, path: PathBuf) -> Option<Effect> {
    let state = session.snapshot()?.clone();
    session.waiting.busy = Some(BlockingWork::Saving);
    Some(Effect::SaveAs { catalog: session.catalogs.current_index(), state, path })
}

fn export_graph(view_cx: &ViewContext<'_>, side_by_side: bool, path: PathBuf) -> Option<Effect> {
    let format = format_from_path(&path, side_by_side).ok()?;
    let package = view_cx.session.selected_package()?.clone();
    let channel = shown_channel(view_cx.session, side_by_side).cloned();
    // The channel may have disappeared in a reload.
    if channel.is_none() && !side_by_side {
        return None;
    }
    let origin = view_cx.session.snapshot()?.catalog.origin.clone();
    Some(Effect::Export { package, channel, format, ascii: view_cx.settings.ascii, origin, path })
}

fn export_comparison(view_cx: &ViewContext<'_>, path: PathBuf) -> Option<Effect> {
    let told = base_comparison::labeled_comparison(view_cx.session).ok()?;
    let origin = view_cx.session.snapshot()?.catalog.origin.clone();
    Some(Effect::ExportComparison { comparison: told, origin, path })
}
