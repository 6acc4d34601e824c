//! Table of actions that hand over to other programs: clipboard, editor and shell.

use crate::tui::{
    actions::external_programs as run,
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{Everywhere, On},
            WriteScope,
        },
    },
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::tui) static EXTERNAL_PROGRAM_ACTIONS: &[Action<Target>] = &[
    action(ActionId::CopyName, Everywhere, &["y n"], "copy name", "Copy the bundle's name", run::copy_name)
        .with_search_terms(&["yank", "clipboard"])
        .enabled_when(run::can_copy_name),
    action(
        ActionId::CopyEntry,
        Everywhere,
        &["y e"],
        "copy entry",
        "Copy the entry as YAML",
        run::copy_entry,
    )
    .with_search_terms(&["yank", "clipboard"])
    .enabled_when(run::can_copy_entry),
    action(
        ActionId::CopyPath,
        Everywhere,
        &["y p"],
        "copy path",
        "Copy the upgrade path to the head, or from the mark to here",
        run::copy_path,
    )
    .with_search_terms(&["yank", "clipboard", "upgrade path"])
    .enabled_when(run::can_copy_path),
    action(
        ActionId::CopyCommand,
        Everywhere,
        &["y s"],
        "copy command",
        "Copy the olmap successors command for this view",
        run::copy_command,
    )
    .with_search_terms(&["yank", "clipboard"])
    .enabled_when(run::can_copy_command),
    action(
        ActionId::CopyExtension,
        Everywhere,
        &["y x"],
        "copy ClusterExtension",
        "Copy the custom resources that have OLM v1 install this version",
        run::copy_extension,
    )
    .with_search_terms(&["yank", "clipboard", "install", "resources"])
    .enabled_when(run::can_copy_extension),
    action(
        ActionId::CopySubscription,
        Everywhere,
        &["y b"],
        "copy Subscription",
        "Copy the custom resources that have OLM Classic install this version",
        run::copy_subscription,
    )
    .with_search_terms(&["yank", "clipboard", "install", "resources"])
    .enabled_when(run::can_copy_subscription),
    action(
        ActionId::CopyImage,
        Everywhere,
        &["y i"],
        "copy image",
        "Copy the bundle's image",
        run::copy_image,
    )
    .with_search_terms(&["yank", "clipboard"])
    .enabled_when(run::can_copy_image),
    action(
        ActionId::CopyPlace,
        Everywhere,
        &["y f"],
        "copy file:line",
        "Copy the file and line of the selection",
        run::copy_location,
    )
    .with_search_terms(&["yank", "clipboard"])
    .enabled_when(run::can_copy_location),
    action(
        ActionId::CopyComparison,
        On(&[Screen::Changes]),
        &["y c"],
        "copy comparison",
        "Copy the comparison as Markdown, for a pull request",
        run::copy_comparison,
    )
    .with_search_terms(&["yank", "clipboard", "diff"])
    .enabled_when(run::can_copy_comparison),
    action(
        ActionId::ExportComparison,
        On(&[Screen::Changes]),
        &["o c"],
        "comparison as Markdown",
        "Write the comparison as Markdown, for a pull request",
        run::export_comparison,
    )
    .with_search_terms(&["diff", "export"])
    .enabled_when(run::can_export_comparison),
    action(
        ActionId::OpenEditor,
        Everywhere,
        &["E"],
        "open in editor",
        "Open the file in your editor at the selection; saved changes are reloaded",
        run::open_editor,
    )
    .with_search_terms(&["edit file", "yaml"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(run::has_location),
    action(
        ActionId::Suspend,
        Everywhere,
        &["ctrl-z"],
        "suspend",
        "Suspend olmap; fg resumes it",
        run::suspend_to_shell,
    )
    .with_search_terms(&["shell", "background"])
    .enabled_when(run::can_suspend),
];
