//! Actions of what-if changes, and the range tester.

use std::sync::Arc;

use crate::tui::{
    actions::{has_bundle, has_catalog, has_entry, removal, selected_entry, selected_package},
    dialogs::{
        edit_choice::EditChoice,
        edit_question::{EditQuestion, QuestionKind},
        menu::{Menu, MenuChoice, MenuItem},
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
use olm_catalog::blob::Entry;
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
const WHAT_IF_SCREENS: ActionContext = On(&[Screen::Packages, Screen::Graph, Screen::Upgrades]);

/// Choices of what to suppose, and of what to do with an active what-if.
static WHAT_IF_ITEMS: &[MenuItem] = &[
    MenuItem {
        letter: 'b',
        doc: "bundles older than a version were removed",
        is_enabled: has_bundle,
        choice: MenuChoice::Run(suppose_minimum_version),
    },
    MenuItem {
        letter: 'l',
        doc: "the selected bundle were removed",
        is_enabled: has_bundle,
        choice: MenuChoice::Run(suppose_bundle_removed),
    },
    MenuItem {
        letter: 'r',
        doc: "the selected entry had another skipRange",
        is_enabled: has_entry,
        choice: MenuChoice::Run(suppose_skip_range),
    },
    MenuItem {
        letter: 's',
        doc: "the selected entry also skipped another",
        is_enabled: has_entry,
        choice: MenuChoice::Run(suppose_skip),
    },
    MenuItem {
        letter: 'x',
        doc: "the channel were removed",
        is_enabled: can_suppose_channel_removed,
        choice: MenuChoice::Run(suppose_channel_removed),
    },
    MenuItem {
        letter: 'e',
        doc: "only a part of the catalog were left",
        is_enabled: can_extract,
        choice: MenuChoice::Run(suppose_extract),
    },
    MenuItem {
        letter: 'm',
        doc: "only what oc-mirror mirrors were left",
        is_enabled: can_mirror,
        choice: MenuChoice::Run(suppose_mirror),
    },
];

/// Choices of what to do with an active what-if.
static ACTIVE_WHAT_IF_ITEMS: &[MenuItem] = &[
    MenuItem {
        letter: 'a',
        doc: "apply the what-if as one edit",
        is_enabled: has_active_what_if,
        choice: MenuChoice::Action(ActionId::WhatIfApply),
    },
    MenuItem {
        letter: 'u',
        doc: "undo the last change",
        is_enabled: has_active_what_if,
        choice: MenuChoice::Run(undo_what_if),
    },
    MenuItem {
        letter: 'd',
        doc: "drop the what-if",
        is_enabled: has_active_what_if,
        choice: MenuChoice::Run(discard_what_if),
    },
];

/// Opens the menu of what to suppose; during a what-if, what to do with it comes first.
fn open_what_if_menu(target: &mut Target, cx: &mut Context<'_>) {
    let active = if cx.session.catalogs.what_if().is_some() { ACTIVE_WHAT_IF_ITEMS } else { &[] };
    let items = active.iter().chain(WHAT_IF_ITEMS);
    let menu = Menu::from_items("What if ...", target.clone(), items, &cx.view());
    cx.open_dialog(menu);
}

/// Refuses on a screen that does not show what-ifs, unless there is an active what-if.
fn can_open_what_if_menu(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    has_catalog(target, view_cx)?;
    let screen = view_cx.session.navigation.screen;
    let screens = [Screen::Packages, Screen::Graph, Screen::Upgrades];
    if screens.contains(&screen) || view_cx.session.catalogs.what_if().is_some() {
        return Ok(());
    }
    Err(Screen::explain_restriction(&screens))
}

pub(in crate::tui) static WHAT_IF_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::WhatIf,
        Everywhere,
        &["W"],
        "what if",
        "What if bundles or a channel were removed, or only a part were left; then apply or drop it",
        open_what_if_menu,
    )
    .with_search_terms(&["simulate", "subset", "extract", "mirror", "oc-mirror", "disconnected"])
    .with_hint_rank(9)
    .enabled_when(can_open_what_if_menu),
    action(
        ActionId::WhatIfApply,
        WHAT_IF_SCREENS,
        &[],
        "apply the what-if",
        "Apply the what-if as one edit",
        apply_what_if,
    )
    .with_what_if_end()
    .with_write_scope(WriteScope::Package)
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
