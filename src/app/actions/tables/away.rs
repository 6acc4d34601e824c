//! Table of actions that hand over to other programs: clipboard, editor and shell.

use crate::app::{
    actions::away as run,
    keys::{
        ActionId, Screen,
        spec::{
            Context::{Everywhere, On},
            Writes,
        },
    },
    session::{
        action::{Action, action},
        target::Target,
    },
};

pub(in crate::app) static AWAY: &[Action<Target>] = &[
    action(ActionId::CopyName, Everywhere, &["y n"], "copy name", "Copy the bundle's name", run::copy_name)
        .also(&["yank", "clipboard"])
        .when(run::can_copy_name),
    action(
        ActionId::CopyEntry,
        Everywhere,
        &["y e"],
        "copy entry",
        "Copy the entry as YAML",
        run::copy_entry,
    )
    .also(&["yank", "clipboard"])
    .when(run::can_copy_entry),
    action(
        ActionId::CopyPath,
        Everywhere,
        &["y p"],
        "copy path",
        "Copy the upgrade path to the head, or from the mark to here",
        run::copy_path,
    )
    .also(&["yank", "clipboard", "upgrade path"])
    .when(run::can_copy_path),
    action(
        ActionId::CopyCommand,
        Everywhere,
        &["y s"],
        "copy command",
        "Copy the olmap successors command for this view",
        run::copy_command,
    )
    .also(&["yank", "clipboard"])
    .when(run::can_copy_command),
    action(
        ActionId::CopyExtension,
        Everywhere,
        &["y x"],
        "copy ClusterExtension",
        "Copy the custom resources that have OLM v1 install this version",
        run::copy_extension,
    )
    .also(&["yank", "clipboard", "install", "resources"])
    .when(run::can_copy_extension),
    action(
        ActionId::CopySubscription,
        Everywhere,
        &["y b"],
        "copy Subscription",
        "Copy the custom resources that have OLM Classic install this version",
        run::copy_subscription,
    )
    .also(&["yank", "clipboard", "install", "resources"])
    .when(run::can_copy_subscription),
    action(
        ActionId::CopyImage,
        Everywhere,
        &["y i"],
        "copy image",
        "Copy the bundle's image",
        run::copy_image,
    )
    .also(&["yank", "clipboard"])
    .when(run::can_copy_image),
    action(
        ActionId::CopyPlace,
        Everywhere,
        &["y f"],
        "copy file:line",
        "Copy the file and line of the selection",
        run::copy_place,
    )
    .also(&["yank", "clipboard"])
    .when(run::can_copy_place),
    action(
        ActionId::CopyComparison,
        On(&[Screen::Changes]),
        &["y c"],
        "copy comparison",
        "Copy the comparison as Markdown, for a pull request",
        run::copy_comparison,
    )
    .also(&["yank", "clipboard", "diff"])
    .when(run::can_copy_comparison),
    action(
        ActionId::ExportComparison,
        On(&[Screen::Changes]),
        &["o c"],
        "comparison as Markdown",
        "Write the comparison as Markdown, for a pull request",
        run::export_comparison,
    )
    .also(&["diff", "export"])
    .when(run::can_export_comparison),
    action(
        ActionId::OpenEditor,
        Everywhere,
        &["E"],
        "open in editor",
        "Open the file in your editor at the selection; saved changes are reloaded",
        run::open_editor,
    )
    .also(&["edit file", "yaml"])
    .writing(Writes::Elsewhere)
    .when(run::has_spot),
    action(
        ActionId::Suspend,
        Everywhere,
        &["ctrl-z"],
        "suspend",
        "Suspend olmap; fg resumes it",
        run::suspend,
    )
    .also(&["shell", "background"])
    .when(run::can_suspend),
];
