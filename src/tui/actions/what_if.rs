//! Actions of what-if changes, and the range tester.

use std::sync::Arc;

use crate::tui::{
    actions::{has_bundle, has_catalog, has_entry, removal, selected_entry, selected_package},
    dialogs::{
        edit_choice::EditChoice,
        edit_question::{EditQuestion, QuestionKind, describe_deprecation_target},
        prompt::{Prompt, PromptPurpose},
        range_tester::RangeTester,
    },
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, Everywhere, On},
            Enabled, WriteScope,
        },
    },
    session::{
        action::{Action, Target, TargetKind, action},
        context::{Context, ViewContext},
        what_if,
    },
    work::EditPurpose,
};
use olm_catalog::blob::{DeprecationTarget, Entry};
use olm_edit::Edit;
use olm_plan::extract::ExtractRequest;

/// Opens a question for a what-if change of the selected package.
fn open_what_if_question(
    target: &Target,
    cx: &mut Context<'_>,
    question: QuestionKind,
    initial_answer: String,
) {
    if let Some(package) = target.package.clone() {
        let purpose = EditPurpose::WhatIf;
        cx.open_dialog(EditQuestion::new(purpose, package, question, initial_answer, cx.session));
    }
}

pub(super) fn suppose_minimum_version(target: &mut Target, cx: &mut Context<'_>) {
    let package_state = selected_package(target, &cx.view()).ok().zip(target.bundle.as_ref());
    let version = package_state
        .and_then(|(package_state, bundle)| package_state.package().bundle_version(bundle.as_str()));
    let version = version.map(|version| version.version.to_string()).unwrap_or_default();
    open_what_if_question(target, cx, QuestionKind::LowestVersion, version);
}

pub(super) fn suppose_bundle_removed(target: &mut Target, cx: &mut Context<'_>) {
    if let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) {
        what_if::add_edit_or_report(cx, Edit::RemoveBundle { package, bundle });
    }
}

pub(super) fn suppose_skip_range(target: &mut Target, cx: &mut Context<'_>) {
    let spec = selected_entry(target, &cx.view()).map(Entry::to_spec);
    if let (Ok(spec), Some(channel), Some(entry)) = (spec, target.channel.clone(), target.bundle.clone()) {
        let range = spec.skip_range.clone().unwrap_or_default();
        open_what_if_question(target, cx, QuestionKind::SkipRange { channel, entry, spec }, range);
    }
}

pub(super) fn suppose_skip(target: &mut Target, cx: &mut Context<'_>) {
    let spec = selected_entry(target, &cx.view()).map(Entry::to_spec);
    if let (Ok(spec), Some(channel), Some(entry)) = (spec, target.channel.clone(), target.bundle.clone()) {
        open_what_if_question(
            target,
            cx,
            QuestionKind::AdditionalSkip { channel, entry, spec },
            String::new(),
        );
    }
}

/// Supposes that the target is deprecated, or not deprecated if it already is.
fn suppose_deprecation(target: &Target, cx: &mut Context<'_>, what: Option<DeprecationTarget>) {
    let Some((what, package)) = what.zip(target.package.clone()) else { return };
    let name = describe_deprecation_target(&package, &what);
    let package_state = super::selected_package(target, &cx.view());
    if package_state.is_ok_and(|package_state| package_state.package().deprecation(&what).is_some()) {
        return what_if::add_edit_or_report(cx, Edit::Undeprecate { package, target: what });
    }
    open_what_if_question(
        target,
        cx,
        QuestionKind::DeprecationMessage(what),
        format!("{name} is deprecated"),
    );
}

pub(super) fn suppose_bundle_deprecated(target: &mut Target, cx: &mut Context<'_>) {
    suppose_deprecation(target, cx, target.bundle.clone().map(DeprecationTarget::Bundle));
}

pub(super) fn suppose_channel_deprecated(target: &mut Target, cx: &mut Context<'_>) {
    suppose_deprecation(target, cx, target.channel.clone().map(DeprecationTarget::Channel));
}

pub(super) fn suppose_package_deprecated(target: &mut Target, cx: &mut Context<'_>) {
    suppose_deprecation(target, cx, Some(DeprecationTarget::Package));
}

pub(super) fn has_selected_channel(target: &Target, _: &ViewContext<'_>) -> Enabled {
    super::selected_channel(target).map(drop)
}

pub(super) fn can_suppose_channel_removed(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    has_selected_channel(target, view_cx)?;
    match selected_package(target, view_cx)?.package().channels.len() {
        0 | 1 => Err("it is the only channel of the package".to_owned()),
        _ => Ok(()),
    }
}

/// Supposes that the selected channel is removed. Asks for a new default channel if necessary.
pub(super) fn suppose_channel_removed(target: &mut Target, cx: &mut Context<'_>) {
    let Some((package_state, channel)) =
        selected_package(target, &cx.view()).ok().cloned().zip(target.channel.clone())
    else {
        return;
    };
    let package = package_state.package();
    if package.default_channel() == Some(&channel) {
        if let Ok((title, options)) = removal::channel_removal_choices(package, &channel) {
            cx.open_dialog(EditChoice::new(EditPurpose::WhatIf, title, options, cx.session));
        }
        return;
    }
    let edit = Edit::RemoveChannel { package: package.name.clone(), channel, default: None };
    what_if::add_edit_or_report(cx, edit);
}

pub(super) fn can_extract(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    has_catalog(target, view_cx)?;
    if view_cx.session.catalogs.unread().is_some() {
        let reload = view_cx.key_label(ActionId::Reload);
        return Err(format!("only part of this catalog was read: {reload} reads all"));
    }
    match view_cx.session.snapshot().and_then(|now| now.catalog.template()) {
        Some(_) => Err("this is a template: open the catalog that it makes".to_owned()),
        None => Ok(()),
    }
}

/// Asks which part of the catalog to extract, with the selection as proposal.
pub(super) fn suppose_extract(target: &mut Target, cx: &mut Context<'_>) {
    let name = target.package.as_ref().filter(|name| !name.as_str().is_empty());
    let wish = name.map(|name| ExtractRequest {
        package: name.clone(),
        channel: target.channel.clone().filter(|_| target.kind != TargetKind::Package),
        range: None,
    });
    let proposed = wish.map(|wish| wish.to_string()).unwrap_or_default();
    let package = target.package.clone().unwrap_or_default();
    let (purpose, question) = (EditPurpose::WhatIf, QuestionKind::Extract);
    cx.open_dialog(EditQuestion::new(purpose, package, question, proposed, cx.session));
}

pub(super) fn can_mirror(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    can_extract(target, view_cx)?;
    view_cx.session.catalogs.what_if().map_or(Ok(()), |_| Err(what_if::block_reason(view_cx)))
}

/// Asks for the image set configuration of oc-mirror. The mirrored catalog becomes the what-if.
pub(super) fn suppose_mirror(_: &mut Target, cx: &mut Context<'_>) {
    let title = "What if it were mirrored by this image set configuration";
    cx.open_dialog(Prompt::new(title, PromptPurpose::Mirror, String::new(), &cx.view()));
}

pub(super) fn has_active_what_if(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    view_cx.session.catalogs.what_if().map(|_| ()).ok_or_else(|| "no what-if is active".to_owned())?;
    // A copy of the what-if state may be written to disk at this moment.
    view_cx.session.waiting.busy.map_or(Ok(()), |busy| Err(busy.block_reason().to_owned()))
}

pub(super) fn undo_what_if(_: &mut Target, cx: &mut Context<'_>) {
    what_if::remove_last_edit(cx);
}

pub(super) fn apply_what_if(_: &mut Target, cx: &mut Context<'_>) {
    if let Some(outcome) = cx.session.catalogs.end_what_if() {
        cx.apply_outcome(EditPurpose::Edit, Arc::new(outcome));
    }
}

pub(super) fn discard_what_if(_: &mut Target, cx: &mut Context<'_>) {
    what_if::drop_what_if(cx);
}

pub(super) fn test_range(target: &mut Target, cx: &mut Context<'_>) {
    let range = selected_entry(target, &cx.view()).ok().and_then(|entry| entry.to_spec().skip_range);
    cx.open_dialog(RangeTester::new(range.unwrap_or_default(), cx.session));
}

/// Screens whose answers depend on what-if changes.
const WHAT_IF_SCREENS: ActionContext = On(&[Screen::Graph, Screen::Upgrades]);

pub(in crate::tui) static WHAT_IF_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::WhatIfBelow,
        WHAT_IF_SCREENS,
        &["W b"],
        "what if: no older",
        "What if bundles older than a version were removed",
        suppose_minimum_version,
    )
    .with_search_terms(&["simulate", "prune"])
    .enabled_when(has_bundle),
    action(
        ActionId::WhatIfWithout,
        WHAT_IF_SCREENS,
        &["W l"],
        "what if: no bundle",
        "What if the selected bundle were removed",
        suppose_bundle_removed,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_bundle),
    action(
        ActionId::WhatIfRange,
        WHAT_IF_SCREENS,
        &["W r"],
        "what if: range",
        "What if the entry had another skipRange",
        suppose_skip_range,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_entry),
    action(
        ActionId::WhatIfSkip,
        WHAT_IF_SCREENS,
        &["W s"],
        "what if: skip",
        "What if the entry also skipped another",
        suppose_skip,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_entry),
    action(
        ActionId::WhatIfDeprecateBundle,
        WHAT_IF_SCREENS,
        &["W d"],
        "what if: deprecate",
        "What if the bundle were deprecated, or no longer",
        suppose_bundle_deprecated,
    )
    .with_search_terms(&["undeprecate", "retire", "simulate"])
    .enabled_when(has_bundle),
    action(
        ActionId::WhatIfDeprecateChannel,
        WHAT_IF_SCREENS,
        &["W c"],
        "what if: channel",
        "What if the channel were deprecated, or no longer",
        suppose_channel_deprecated,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_selected_channel),
    action(
        ActionId::WhatIfDeprecatePackage,
        WHAT_IF_SCREENS,
        &["W p"],
        "what if: package",
        "What if the package were deprecated, or no longer",
        suppose_package_deprecated,
    )
    .with_search_terms(&["simulate"])
    .enabled_when(has_catalog),
    action(
        ActionId::WhatIfRemoveChannel,
        WHAT_IF_SCREENS,
        &["W x"],
        "what if: remove",
        "What if the channel were removed",
        suppose_channel_removed,
    )
    .with_search_terms(&["delete", "prune", "simulate"])
    .enabled_when(can_suppose_channel_removed),
    action(
        ActionId::WhatIfExtract,
        On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades]),
        &["W e"],
        "what if: extract",
        "What if only a part of the catalog were left",
        suppose_extract,
    )
    .with_search_terms(&["subset", "only some packages, channels, versions", "simulate", "filter catalog"])
    .enabled_when(can_extract),
    action(
        ActionId::WhatIfMirror,
        On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades]),
        &["W m"],
        "what if: mirror",
        "What if only what oc-mirror mirrors were left",
        suppose_mirror,
    )
    .with_search_terms(&["oc-mirror", "disconnected", "air gap", "imageset", "simulate"])
    .enabled_when(can_mirror),
    action(
        ActionId::WhatIfUndo,
        Everywhere,
        &["W u"],
        "what if: undo",
        "Undo the last what-if",
        undo_what_if,
    )
    .with_search_terms(&["revert", "take back"])
    .enabled_when(has_active_what_if),
    action(
        ActionId::WhatIfKeep,
        Everywhere,
        &["W k"],
        "what if: keep",
        "Apply the what-if as one edit",
        apply_what_if,
    )
    .with_hint_rank(0)
    .with_what_if_end()
    .with_write_scope(WriteScope::Package)
    .enabled_when(has_active_what_if),
    action(ActionId::WhatIfDrop, Everywhere, &["W q"], "what if: drop", "Drop the what-if", discard_what_if)
        .with_search_terms(&["discard"])
        .with_hint_rank(0)
        .enabled_when(has_active_what_if),
    action(
        ActionId::TestRange,
        WHAT_IF_SCREENS,
        &["R"],
        "range tester",
        "Test what a range matches, in both range syntaxes",
        test_range,
    )
    .with_search_terms(&["semver", "constraint"])
    .enabled_when(has_catalog),
];
