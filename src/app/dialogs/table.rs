//! What keys do in dialogs. Where a dialog has a field, letters are typed and only other keys count.

use crate::app::keys::{
    ActionId, Dialog,
    spec::{ActionSpec, Context},
};

const fn action(
    id: ActionId,
    dialogs: &'static [Dialog],
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
) -> ActionSpec {
    ActionSpec::new(id, Context::In(dialogs), keys, title, doc)
}

/// Dialogs with rows to go through.
const LISTS: &[Dialog] = &[
    Dialog::Filter,
    Dialog::Catalogs,
    Dialog::Finder,
    Dialog::Commands,
    Dialog::Range,
    Dialog::TypedPick,
    Dialog::Pick,
    Dialog::Choose,
    Dialog::Against,
    Dialog::Promote,
    Dialog::OtherCatalogs,
    Dialog::Conflicts,
    Dialog::Log,
    Dialog::Configuration,
];

/// Dialogs with a text to read, which has the keys for pages.
const PREVIEWS: &[Dialog] = &[
    Dialog::Entry,
    Dialog::Ask,
    Dialog::Prompt,
    Dialog::Choose,
    Dialog::Promote,
    Dialog::OtherCatalogs,
    Dialog::Legend,
];

/// Lists without one.
const PAGED: &[Dialog] = &[
    Dialog::Filter,
    Dialog::Catalogs,
    Dialog::Finder,
    Dialog::Commands,
    Dialog::Range,
    Dialog::TypedPick,
    Dialog::Pick,
    Dialog::Against,
    Dialog::Conflicts,
    Dialog::Log,
    Dialog::Configuration,
];

/// Those of them that have no field, whose own Home and End are.
const BARE_LISTS: &[Dialog] = &[
    Dialog::Pick,
    Dialog::Choose,
    Dialog::Against,
    Dialog::Promote,
    Dialog::OtherCatalogs,
    Dialog::Conflicts,
    Dialog::Log,
    Dialog::Configuration,
];

/// Dialogs with a field.
const FIELDS: &[Dialog] = &[
    Dialog::Filter,
    Dialog::Catalogs,
    Dialog::Finder,
    Dialog::Commands,
    Dialog::Entry,
    Dialog::Ask,
    Dialog::Prompt,
    Dialog::Range,
    Dialog::TypedPick,
];

pub(in crate::app) static DIALOGS: &[ActionSpec] = &[
    action(
        ActionId::Accept,
        Dialog::ALL,
        &["enter"],
        "accept",
        "Do what the dialog is for: take, run, keep, write, go there",
    ),
    action(ActionId::Cancel, Dialog::ALL, &["esc", "q"], "cancel", "Close the dialog; nothing comes of it"),
    action(ActionId::RowUp, LISTS, &["up", "ctrl-p", "ctrl-k", "k"], "row up", "Go to the row above"),
    action(ActionId::RowDown, LISTS, &["down", "ctrl-n", "ctrl-j", "j"], "row down", "Go to the row below"),
    action(ActionId::RowPageUp, PAGED, &["pgup"], "rows up", "Go a page of rows up"),
    action(ActionId::RowPageDown, PAGED, &["pgdn"], "rows down", "Go a page of rows down"),
    action(ActionId::PreviewDown, PREVIEWS, &["pgdn"], "read on", "Show what is below in the text"),
    action(ActionId::PreviewUp, PREVIEWS, &["pgup"], "read back", "Show what is above in the text"),
    action(ActionId::RowFirst, BARE_LISTS, &["g", "home"], "first row", "Go to the first row"),
    action(ActionId::RowLast, BARE_LISTS, &["G", "end"], "last row", "Go to the last row"),
    action(ActionId::NextField, &[Dialog::Entry], &["tab", "down"], "next field", "Go to the next field"),
    action(
        ActionId::PreviousField,
        &[Dialog::Entry],
        &["shift-tab", "up"],
        "previous field",
        "Go to the previous field",
    ),
    action(
        ActionId::Complete,
        &[Dialog::Entry, Dialog::Ask, Dialog::Prompt],
        &["tab", "ctrl-n", "ctrl-space"],
        "complete",
        "Take the first name that is proposed; of a path, what all names on disk have in common",
    ),
    action(ActionId::ClearField, FIELDS, &["ctrl-u"], "clear", "Empty the field"),
    action(
        ActionId::Choose,
        &[Dialog::Pick, Dialog::Promote, Dialog::OtherCatalogs],
        &["space"],
        "choose",
        "Choose the row, or no longer",
    ),
    action(
        ActionId::PromoteSkips,
        &[Dialog::Promote],
        &["s"],
        "skip the head",
        "Let the bundle take the head's place and skip it",
    ),
    action(
        ActionId::PromoteRange,
        &[Dialog::Promote],
        &["r"],
        "range",
        "Give the bundle a skipRange like the head's",
    ),
    action(
        ActionId::WriteAnyway,
        &[Dialog::Refused],
        &["w"],
        "write anyway",
        "Write a catalog that opm refuses",
    ),
    action(
        ActionId::ForgetEdits,
        &[Dialog::Restore],
        &["d"],
        "forget",
        "Forget the edits from before for good",
    ),
    action(
        ActionId::ReviewFirst,
        &[Dialog::Leave],
        &["s"],
        "review and save",
        "Show what is unsaved instead of leaving",
    ),
    action(ActionId::DiscardEdits, &[Dialog::Leave], &["d"], "discard", "Leave and lose the unsaved edits"),
    action(
        ActionId::DialogHelp,
        Dialog::ALL,
        &["f1", "?"],
        "keys here",
        "What the keys do in this dialog; Enter runs one",
    ),
];
