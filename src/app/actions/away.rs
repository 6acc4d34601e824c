//! Actions that hand over to other programs: clipboard, editor and shell.

use super::{copy, resources};
use crate::{
    app::{
        keys::spec::{Enabled, Reason},
        session::{
            against,
            cx::{Cx, See},
            target::Target,
        },
        work::{Effect, Opening, effect::Copied, opening::PromptPurpose},
    },
    config::Clipboard,
    upgrade::Engine,
};

/// Refuses if copying is disabled in the configuration.
fn copies(see: &See<'_>) -> Enabled {
    match see.settings.clipboard {
        Some(Clipboard::Off) => Err("copying is disabled in the configuration".to_owned()),
        _ => Ok(()),
    }
}

fn put(cx: &mut Cx<'_>, copied: Result<Copied, Reason>) {
    match copied {
        Ok(copied) => cx.ask(Effect::Copy(copied)),
        Err(reason) => cx.notices.refused(reason),
    }
}

pub(super) fn can_suspend(_: &Target, see: &See<'_>) -> Enabled {
    see.settings.no_shell.map_or(Ok(()), |reason| Err(reason.to_owned()))
}

pub(super) fn suspend(_: &mut Target, cx: &mut Cx<'_>) {
    cx.ask(Effect::Suspend);
}

pub(super) fn has_spot(target: &Target, see: &See<'_>) -> Enabled {
    see.session.spot(target).map(|_| ())
}

pub(super) fn open_editor(target: &mut Target, cx: &mut Cx<'_>) {
    if let Ok(spot) = cx.session.spot(target) {
        cx.ask(Effect::OpenEditor { spot });
    }
}

pub(super) fn can_copy_name(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    copy::name(target, see).map(|_| ())
}

pub(super) fn copy_name(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = copy::name(target, &cx.see());
    put(cx, copied);
}

pub(super) fn can_copy_entry(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    copy::entry(target, see).map(|_| ())
}

pub(super) fn copy_entry(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = copy::entry(target, &cx.see());
    put(cx, copied);
}

pub(super) fn can_copy_path(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    copy::ends(target, see).map(|_| ())
}

pub(super) fn copy_path(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = copy::listing(target, &cx.see());
    put(cx, copied);
}

pub(super) fn can_copy_command(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    copy::can_be_asked(target, see)
}

pub(super) fn copy_command(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = copy::successors(target, &cx.see());
    put(cx, copied);
}

pub(super) fn can_copy_extension(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    resources::copy(target, see, Engine::V1).map(|_| ())
}

pub(super) fn copy_extension(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = resources::copy(target, &cx.see(), Engine::V1);
    put(cx, copied);
}

pub(super) fn can_copy_subscription(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    resources::copy(target, see, Engine::Classic).map(|_| ())
}

pub(super) fn copy_subscription(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = resources::copy(target, &cx.see(), Engine::Classic);
    put(cx, copied);
}

pub(super) fn can_copy_image(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    copy::image(target, see).map(|_| ())
}

pub(super) fn copy_image(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = copy::image(target, &cx.see());
    put(cx, copied);
}

pub(super) fn can_copy_place(target: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    copy::place(target, see).map(|_| ())
}

pub(super) fn copy_place(target: &mut Target, cx: &mut Cx<'_>) {
    let copied = copy::place(target, &cx.see());
    put(cx, copied);
}

pub(super) fn can_copy_comparison(_: &Target, see: &See<'_>) -> Enabled {
    copies(see)?;
    against::told(see.session).map(|_| ())
}

pub(super) fn copy_comparison(_: &mut Target, cx: &mut Cx<'_>) {
    let copied = copy::comparison(&cx.see());
    put(cx, copied);
}

pub(super) fn can_export_comparison(_: &Target, see: &See<'_>) -> Enabled {
    against::told(see.session).map(|_| ())
}

pub(super) fn export_comparison(_: &mut Target, cx: &mut Cx<'_>) {
    let name = "comparison.md";
    let text = cx.session.catalog().map_or_else(|| name.to_owned(), |open| open.beside(name));
    let title = "Write the comparison as Markdown to";
    cx.open(Opening::Prompt { title, purpose: PromptPurpose::Comparison, text });
}
