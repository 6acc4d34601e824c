//! Actions that add entries, channels and bundles, rename channels and edit descriptions.

use super::{is_in_catalog, selected_channel, selected_package};
use crate::tui::{
    dialogs::{
        edit_question::{EditQuestion, QuestionKind},
        release::Release,
    },
    keys::{ActionId, spec::Enabled},
    parts::text::escape_single_line,
    session::{
        action::{Target, TargetKind},
        context::{Context, ViewContext},
    },
    work::EditPurpose,
};
use olm_catalog::{BundleName, BundleSource, PackageName};

/// Opens an edit dialog with a question about the selected package.
fn open_edit_question(target: &Target, cx: &mut Context<'_>, question: QuestionKind, initial_answer: String) {
    if let Some(package) = target.package.clone() {
        cx.open_dialog(EditQuestion::new(EditPurpose::Edit, package, question, initial_answer, cx.session));
    }
}

/// Returns the selected bundle, unless the package or channel is highlighted.
fn highlighted_bundle(target: &Target) -> Option<(&PackageName, &BundleName)> {
    let is_bundle = !matches!(target.kind, TargetKind::Package | TargetKind::Channel);
    target.package.as_ref().zip(target.bundle.as_ref()).filter(|_| is_bundle)
}

/// Opens the dialog that releases the highlighted bundle, or else a new one. If a bundle directory outside of any
/// catalog is highlighted, the dialog starts with its path.
pub(super) fn release_bundle(target: &mut Target, cx: &mut Context<'_>) {
    let Some((package, bundle)) = highlighted_bundle(target) else {
        cx.open_dialog(Release::from_path(None));
        return;
    };
    let open = cx.session.current_catalog();
    let directory = open.and_then(|open| {
        let catalog = &open.visible_state().catalog;
        match catalog.bundle_source(package, bundle)? {
            BundleSource::Directory { path, .. } if catalog.is_rendered_from_bundles() => Some(path),
            _ => None,
        }
    });
    let release = match directory {
        Some(path) => Release::from_path(Some(path)),
        None => open
            .and_then(|open| Release::from_catalog(open, package, bundle, &cx.view()))
            .unwrap_or_else(|| Release::from_path(None)),
    };
    cx.open_dialog(release);
}

/// Refuses unless a writable catalog is open that could take the highlighted bundle.
pub(super) fn can_release(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    Release::check_open_catalogs(view_cx.session)?;
    match highlighted_bundle(target) {
        // A row about another object is not a request for a new bundle.
        None if target.row.is_some() => Err(target.missing_reason("bundle")),
        None => Ok(()),
        Some((package, bundle)) => {
            is_in_catalog(target, view_cx)?;
            let package = view_cx.session.snapshot().and_then(|now| now.package(package.as_str()));
            let known = package.and_then(|package| package.package().bundle(bundle.as_str()));
            known.map(drop).ok_or_else(|| format!("the catalog has no olm.bundle {bundle}"))
        }
    }
}

pub(super) fn can_add_entry(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    let (package_state, channel) = (selected_package(target, view_cx)?, selected_channel(target)?);
    if !view_cx.session.has_other_bundles(package_state, channel) {
        let key = view_cx.key_label(ActionId::Release);
        return Err(format!("every bundle is already in {channel}; {key} adds a new one"));
    }
    Ok(())
}

pub(super) fn add_entry(target: &mut Target, cx: &mut Context<'_>) {
    if let Some(channel) = target.channel.clone() {
        open_edit_question(target, cx, QuestionKind::NewEntry(channel), String::new());
    }
}

/// Refuses if the package does not have an `olm.package` object that could hold the change.
pub(super) fn has_definition(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    let package = selected_package(target, view_cx)?.package();
    match package.definition() {
        Some(_) => Ok(()),
        None => Err(format!("{} has no olm.package object", package.name)),
    }
}

pub(super) fn add_channel(target: &mut Target, cx: &mut Context<'_>) {
    open_edit_question(target, cx, QuestionKind::NewChannel, String::new());
}

pub(super) fn has_channel(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_package(target, view_cx)?;
    selected_channel(target).map(drop)
}

pub(super) fn rename_channel(target: &mut Target, cx: &mut Context<'_>) {
    if let Some(channel) = target.channel.clone() {
        let name = channel.to_string();
        open_edit_question(target, cx, QuestionKind::Rename(channel), name);
    }
}

pub(super) fn edit_description(target: &mut Target, cx: &mut Context<'_>) {
    let view_cx = cx.view();
    let Ok(package_state) = selected_package(target, &view_cx) else { return };
    let text = package_state.package().definition().and_then(|definition| definition.description.as_ref());
    let text = text.map(|text| escape_single_line(&text.value)).unwrap_or_default();
    open_edit_question(target, cx, QuestionKind::Description, text);
}
