//! Actions that hand over to other programs: clipboard, editor and shell.

use super::{clipboard, resources};
use crate::{
    config::Clipboard,
    tui::{
        keys::spec::{Enabled, Reason},
        session::{
            base_comparison,
            context::{Context, ViewContext},
            target::Target,
        },
        work::{DialogRequest, Effect, dialog_request::PromptPurpose, effect::ClipboardText},
    },
};
use olm_upgrade::Engine;

/// Refuses if copying is disabled in the configuration.
fn check_copying_enabled(view_cx: &ViewContext<'_>) -> Enabled {
    match view_cx.settings.clipboard {
        Some(Clipboard::Off) => Err("copying is disabled in the configuration".to_owned()),
        _ => Ok(()),
    }
}

fn copy_or_refuse(cx: &mut Context<'_>, copied: Result<ClipboardText, Reason>) {
    match copied {
        Ok(copied) => cx.request(Effect::Copy(copied)),
        Err(reason) => cx.notices.report_refusal(reason),
    }
}

pub(super) fn can_suspend(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    view_cx.settings.no_shell.map_or(Ok(()), |reason| Err(reason.to_owned()))
}

pub(super) fn suspend_to_shell(_: &mut Target, cx: &mut Context<'_>) {
    cx.request(Effect::Suspend);
}

pub(super) fn has_location(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    view_cx.session.locate_target(target).map(|_| ())
}

pub(super) fn open_editor(target: &mut Target, cx: &mut Context<'_>) {
    if let Ok(spot) = cx.session.locate_target(target) {
        cx.request(Effect::OpenEditor { location: spot });
    }
}

pub(super) fn can_copy_name(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    clipboard::bundle_name_text(target, view_cx).map(|_| ())
}

pub(super) fn copy_name(target: &mut Target, cx: &mut Context<'_>) {
    let copied = clipboard::bundle_name_text(target, &cx.view());
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_entry(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    clipboard::entry_yaml(target, view_cx).map(|_| ())
}

pub(super) fn copy_entry(target: &mut Target, cx: &mut Context<'_>) {
    let copied = clipboard::entry_yaml(target, &cx.view());
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_path(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    clipboard::path_ends(target, view_cx).map(|_| ())
}

pub(super) fn copy_path(target: &mut Target, cx: &mut Context<'_>) {
    let copied = clipboard::upgrade_path_text(target, &cx.view());
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_command(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    clipboard::can_build_command(target, view_cx)
}

pub(super) fn copy_command(target: &mut Target, cx: &mut Context<'_>) {
    let copied = clipboard::successors_commands(target, &cx.view());
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_extension(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    resources::copy_install_resources(target, view_cx, Engine::V1).map(|_| ())
}

pub(super) fn copy_extension(target: &mut Target, cx: &mut Context<'_>) {
    let copied = resources::copy_install_resources(target, &cx.view(), Engine::V1);
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_subscription(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    resources::copy_install_resources(target, view_cx, Engine::Classic).map(|_| ())
}

pub(super) fn copy_subscription(target: &mut Target, cx: &mut Context<'_>) {
    let copied = resources::copy_install_resources(target, &cx.view(), Engine::Classic);
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_image(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    clipboard::bundle_image_text(target, view_cx).map(|_| ())
}

pub(super) fn copy_image(target: &mut Target, cx: &mut Context<'_>) {
    let copied = clipboard::bundle_image_text(target, &cx.view());
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_location(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    clipboard::location_text(target, view_cx).map(|_| ())
}

pub(super) fn copy_location(target: &mut Target, cx: &mut Context<'_>) {
    let copied = clipboard::location_text(target, &cx.view());
    copy_or_refuse(cx, copied);
}

pub(super) fn can_copy_comparison(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)?;
    base_comparison::labeled_comparison(view_cx.session).map(|_| ())
}

pub(super) fn copy_comparison(_: &mut Target, cx: &mut Context<'_>) {
    let copied = clipboard::comparison_markdown(&cx.view());
    copy_or_refuse(cx, copied);
}

pub(super) fn can_export_comparison(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    base_comparison::labeled_comparison(view_cx.session).map(|_| ())
}

pub(super) fn export_comparison(_: &mut Target, cx: &mut Context<'_>) {
    let name = "comparison.md";
    let text = cx
        .session
        .current_catalog()
        .map_or_else(|| name.to_owned(), |open| open.propose_companion_path(name));
    let title = "Write the comparison as Markdown to";
    cx.open_dialog(DialogRequest::Prompt { title, purpose: PromptPurpose::Comparison, text });
}
