//! Actions that hand over to other programs: clipboard, editor and shell.

use std::sync::Arc;

use crate::{
    config::Clipboard,
    tui::{
        actions::{clipboard, resources},
        dialogs::{
            menu::{Menu, MenuChoice, MenuItem, MenuRow},
            prompt::{Prompt, PromptPurpose},
        },
        keys::{
            ActionId, Screen,
            spec::{
                ActionContext::{Everywhere, On},
                Enabled, Reason, WriteScope,
            },
        },
        session::{
            action::{Action, Target, action},
            context::{Context, ViewContext},
            jobs::base_comparison::{self, CopyComparisonRequest},
        },
        work::{Effect, effect::ClipboardText},
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
    view_cx.session.catalogs.locate_target(target).map(|_| ())
}

pub(super) fn open_editor(target: &mut Target, cx: &mut Context<'_>) {
    if let Ok(spot) = cx.session.catalogs.locate_target(target) {
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
    let compared = match base_comparison::labeled_comparison(cx.session) {
        Ok(compared) => compared,
        Err(reason) => return cx.notices.report_refusal(reason),
    };
    let description = format!("the changes from {} to {} as Markdown", compared.old, compared.new);
    if compared.is_compared() {
        let text = compared.render_markdown();
        cx.request(Effect::Copy(ClipboardText { description, text }));
    } else {
        cx.run_job(Arc::new(CopyComparisonRequest { description, compared }));
    }
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
    cx.open_dialog(Prompt::new(title, PromptPurpose::Comparison, text, &cx.view()));
}

/// Choices of what to copy.
static COPY_ITEMS: &[MenuItem] = &[
    MenuItem {
        letter: 'n',
        doc: "the bundle's name",
        is_enabled: can_copy_name,
        choice: MenuChoice::Run(copy_name),
    },
    MenuItem {
        letter: 'e',
        doc: "the entry as YAML",
        is_enabled: can_copy_entry,
        choice: MenuChoice::Run(copy_entry),
    },
    MenuItem {
        letter: 'p',
        doc: "the upgrade path to the head, or from the mark to here",
        is_enabled: can_copy_path,
        choice: MenuChoice::Run(copy_path),
    },
    MenuItem {
        letter: 's',
        doc: "the olmap successors command for this view",
        is_enabled: can_copy_command,
        choice: MenuChoice::Run(copy_command),
    },
    MenuItem {
        letter: 'i',
        doc: "the bundle's image",
        is_enabled: can_copy_image,
        choice: MenuChoice::Run(copy_image),
    },
    MenuItem {
        letter: 'x',
        doc: "the ClusterExtension with which OLM v1 installs this version",
        is_enabled: can_copy_extension,
        choice: MenuChoice::Run(copy_extension),
    },
    MenuItem {
        letter: 'b',
        doc: "the Subscription with which OLM Classic installs this version",
        is_enabled: can_copy_subscription,
        choice: MenuChoice::Run(copy_subscription),
    },
    MenuItem {
        letter: 'f',
        doc: "the file and line of the selection",
        is_enabled: can_copy_location,
        choice: MenuChoice::Run(copy_location),
    },
];

/// Choice on the Changes screen.
static COPY_COMPARISON_ITEM: MenuItem = MenuItem {
    letter: 'c',
    doc: "the comparison, or all unsaved edits, as Markdown for a pull request",
    is_enabled: can_copy_comparison,
    choice: MenuChoice::Run(copy_comparison),
};

/// Opens the menu of what can be copied on the visible screen, with the text of the highlighted row
/// first.
fn open_copy_menu(target: &mut Target, cx: &mut Context<'_>) {
    let is_comparing = cx.session.navigation.screen == Screen::Changes;
    let items = is_comparing.then_some(&COPY_COMPARISON_ITEM).into_iter().chain(COPY_ITEMS);
    let mut menu = Menu::from_items("Copy", target.clone(), items, &cx.view());
    if let Some(row) = &target.row_text {
        menu = menu.with_first_row(MenuRow {
            letter: 'y',
            doc: format!("this row: {}", row.description),
            enabled: Ok(()),
            choice: MenuChoice::Copy(row.clone()),
        });
    }
    cx.open_dialog(menu);
}

fn can_open_copy_menu(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    check_copying_enabled(view_cx)
}

pub(in crate::tui) static EXTERNAL_PROGRAM_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::Copy,
        Everywhere,
        &["y"],
        "copy",
        "Copy a name, an entry, an upgrade path, a command, an image, install resources, a place or a comment",
        open_copy_menu,
    )
    .with_search_terms(&["yank", "clipboard", "comment", "clusterextension", "subscription", "release"])
    .with_hint_rank(9)
    .with_hint_rank_on(Screen::Changes, 2)
    .enabled_when(can_open_copy_menu),
    action(
        ActionId::Export,
        On(&[Screen::Graph, Screen::Changes]),
        &["o"],
        "write",
        "Write the graph to a file: SVG, Mermaid, DOT, text, JSON or JSONL; on Changes, a comment as Markdown",
        export_comparison,
    )
    .with_search_terms(&[
        "export", "svg", "mermaid", "dot", "json", "markdown", "comment", "pull request", "report", "picture", "screenshot", "diff",
    ])
    .with_hint()
    .enabled_when(can_export_comparison),
    action(
        ActionId::OpenEditor,
        Everywhere,
        &["E"],
        "open in editor",
        "Open the file in your editor at the selection; saved changes are reloaded",
        open_editor,
    )
    .with_search_terms(&["edit file", "yaml"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(has_location),
    action(
        ActionId::Suspend,
        Everywhere,
        &["ctrl-z"],
        "suspend",
        "Suspend olmap; fg resumes it",
        suspend_to_shell,
    )
    .with_search_terms(&["shell", "background"])
    .enabled_when(can_suspend),
];
