//! What keys do in dialogs. Where a dialog has a field, letters are typed and only other keys count.

use crate::app::keys::Dialog;
use crate::app::keys::{
    ActionId,
    spec::{ActionSpec, in_dialogs},
};

/// Dialogs with rows to go through.
const LISTS: &[Dialog] = &[
    Dialog::Filter,
    Dialog::Finder,
    Dialog::Commands,
    Dialog::Range,
    Dialog::TypedPick,
    Dialog::Pick,
    Dialog::Choose,
    Dialog::Against,
    Dialog::Promote,
    Dialog::Elsewhere,
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
    Dialog::Elsewhere,
    Dialog::Conflicts,
    Dialog::Log,
    Dialog::Configuration,
];

/// Dialogs with a field.
const FIELDS: &[Dialog] = &[
    Dialog::Filter,
    Dialog::Finder,
    Dialog::Commands,
    Dialog::Entry,
    Dialog::Ask,
    Dialog::Prompt,
    Dialog::Range,
    Dialog::TypedPick,
];

pub(in crate::app) static DIALOGS: &[ActionSpec] = &[
    in_dialogs(
        ActionId::Accept,
        Dialog::ALL,
        &["enter"],
        "accept",
        "Do what the dialog is for: take, run, keep, write, go there",
    ),
    in_dialogs(
        ActionId::Cancel,
        Dialog::ALL,
        &["esc", "q"],
        "cancel",
        "Close the dialog; nothing comes of it",
    ),
    in_dialogs(ActionId::RowUp, LISTS, &["up", "ctrl-p", "ctrl-k", "k"], "row up", "Go to the row above"),
    in_dialogs(
        ActionId::RowDown,
        LISTS,
        &["down", "ctrl-n", "ctrl-j", "j"],
        "row down",
        "Go to the row below",
    ),
    in_dialogs(ActionId::RowPageUp, LISTS, &["pgup"], "rows up", "Go a page of rows up"),
    in_dialogs(ActionId::RowPageDown, LISTS, &["pgdn"], "rows down", "Go a page of rows down"),
    in_dialogs(ActionId::RowFirst, BARE_LISTS, &["g", "home"], "first row", "Go to the first row"),
    in_dialogs(ActionId::RowLast, BARE_LISTS, &["G", "end"], "last row", "Go to the last row"),
    in_dialogs(ActionId::NextField, &[Dialog::Entry], &["tab", "down"], "next field", "Go to the next field"),
    in_dialogs(
        ActionId::PreviousField,
        &[Dialog::Entry],
        &["shift-tab", "up"],
        "previous field",
        "Go to the previous field",
    ),
    in_dialogs(
        ActionId::Complete,
        &[Dialog::Entry, Dialog::Ask],
        &["tab", "ctrl-n", "ctrl-space"],
        "complete",
        "Take the first name that is proposed",
    ),
    in_dialogs(ActionId::ClearField, FIELDS, &["ctrl-u"], "clear", "Empty the field"),
    in_dialogs(
        ActionId::Choose,
        &[Dialog::Pick, Dialog::Promote, Dialog::Elsewhere],
        &["space"],
        "choose",
        "Choose the row, or no longer",
    ),
    in_dialogs(
        ActionId::PromoteSkips,
        &[Dialog::Promote],
        &["s"],
        "skip the head",
        "Let the bundle take the head's place and skip it",
    ),
    in_dialogs(
        ActionId::PromoteRange,
        &[Dialog::Promote],
        &["r"],
        "range",
        "Give the bundle a skipRange like the head's",
    ),
    in_dialogs(
        ActionId::WriteAnyway,
        &[Dialog::Refused],
        &["w"],
        "write anyway",
        "Write a catalog that opm refuses",
    ),
    in_dialogs(
        ActionId::ForgetEdits,
        &[Dialog::Restore],
        &["d"],
        "forget",
        "Forget the edits from before for good",
    ),
    in_dialogs(
        ActionId::ReviewFirst,
        &[Dialog::Leave],
        &["s"],
        "review and save",
        "Show what is unsaved instead of leaving",
    ),
    in_dialogs(
        ActionId::DiscardEdits,
        &[Dialog::Leave],
        &["d"],
        "discard",
        "Leave and lose the unsaved edits",
    ),
    in_dialogs(
        ActionId::DialogHelp,
        Dialog::ALL,
        &["f1", "?"],
        "keys here",
        "What the keys do in this dialog; Enter runs one",
    ),
];
