//! Table of the actions in dialogs. In dialogs with a text field, characters are typed and only
//! other keys trigger actions.

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

/// Dialogs with rows.
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
    Dialog::AddBundleTo,
    Dialog::Fetch,
    Dialog::History,
    Dialog::OtherCatalogs,
    Dialog::Conflicts,
    Dialog::Log,
    Dialog::BundleDifference,
    Dialog::Configuration,
];

/// Dialogs with a scrollable text, which gets the page keys.
const PREVIEWS: &[Dialog] = &[
    Dialog::Entry,
    Dialog::Ask,
    Dialog::Prompt,
    Dialog::Choose,
    Dialog::Promote,
    Dialog::AddBundleTo,
    Dialog::OtherCatalogs,
    Dialog::Legend,
];

/// Lists without a scrollable text.
const PAGED: &[Dialog] = &[
    Dialog::Filter,
    Dialog::Catalogs,
    Dialog::Finder,
    Dialog::Commands,
    Dialog::Range,
    Dialog::TypedPick,
    Dialog::Pick,
    Dialog::Against,
    Dialog::Fetch,
    Dialog::History,
    Dialog::Conflicts,
    Dialog::Log,
    Dialog::BundleDifference,
    Dialog::Configuration,
];

/// Lists without a text field, which would need Home and End itself.
const BARE_LISTS: &[Dialog] = &[
    Dialog::Pick,
    Dialog::Choose,
    Dialog::Against,
    Dialog::Promote,
    Dialog::AddBundleTo,
    Dialog::Fetch,
    Dialog::History,
    Dialog::OtherCatalogs,
    Dialog::Conflicts,
    Dialog::Log,
    Dialog::BundleDifference,
    Dialog::Configuration,
];

/// Dialogs with a text field.
const FIELDS: &[Dialog] = &[
    Dialog::Filter,
    Dialog::Catalogs,
    Dialog::Finder,
    Dialog::Commands,
    Dialog::Entry,
    Dialog::AddBundle,
    Dialog::Ask,
    Dialog::Prompt,
    Dialog::Range,
    Dialog::TypedPick,
];

pub(in crate::app) static DIALOGS: &[ActionSpec] = &[
    action(ActionId::Accept, Dialog::ALL, &["enter"], "accept", "Confirm: apply, run, save or go there"),
    action(ActionId::Cancel, Dialog::ALL, &["esc", "q"], "cancel", "Close the dialog without changes"),
    action(ActionId::RowUp, LISTS, &["up", "ctrl-p", "ctrl-k", "k"], "row up", "Go to the row above"),
    action(ActionId::RowDown, LISTS, &["down", "ctrl-n", "ctrl-j", "j"], "row down", "Go to the row below"),
    action(ActionId::RowPageUp, PAGED, &["pgup"], "rows up", "Go a page of rows up"),
    action(ActionId::RowPageDown, PAGED, &["pgdn"], "rows down", "Go a page of rows down"),
    action(ActionId::PreviewDown, PREVIEWS, &["pgdn"], "read on", "Scroll the text down"),
    action(ActionId::PreviewUp, PREVIEWS, &["pgup"], "read back", "Scroll the text up"),
    action(ActionId::RowFirst, BARE_LISTS, &["g", "home"], "first row", "Go to the first row"),
    action(ActionId::RowLast, BARE_LISTS, &["G", "end"], "last row", "Go to the last row"),
    action(ActionId::NextField, &[Dialog::Entry], &["tab", "down"], "next field", "Go to the next field"),
    action(
        ActionId::PreviousField,
        &[Dialog::Entry, Dialog::AddBundle],
        &["shift-tab", "up"],
        "previous field",
        "Go to the previous field",
    ),
    action(
        ActionId::Complete,
        &[Dialog::Entry, Dialog::AddBundle, Dialog::Ask, Dialog::Prompt],
        &["tab", "ctrl-n", "ctrl-space"],
        "complete",
        "Complete with the first proposed name; a path as far as all names agree",
    ),
    action(ActionId::ClearField, FIELDS, &["ctrl-u"], "clear", "Empty the field"),
    action(
        ActionId::Choose,
        &[Dialog::Pick, Dialog::Promote, Dialog::AddBundleTo, Dialog::OtherCatalogs],
        &["space"],
        "choose",
        "Select the row, or deselect it",
    ),
    action(
        ActionId::PromoteSkips,
        &[Dialog::Promote, Dialog::AddBundleTo],
        &["s"],
        "skip the head",
        "Replace what the head replaces, and skip the head",
    ),
    action(
        ActionId::PromoteRange,
        &[Dialog::Promote, Dialog::AddBundleTo],
        &["r"],
        "range",
        "Copy the skipRange of the head",
    ),
    action(
        ActionId::EntryFromCsv,
        &[Dialog::AddBundleTo],
        &["c"],
        "as the CSV",
        "Take replaces, skips and olm.skipRange from the ClusterServiceVersion",
    ),
    action(ActionId::OwnRange, &[Dialog::AddBundleTo], &["e"], "own range", "Type a skipRange"),
    action(
        ActionId::NewChannel,
        &[Dialog::AddBundleTo],
        &["n"],
        "new channel",
        "Make a channel, in every catalog that lacks it",
    ),
    action(
        ActionId::BackToFields,
        &[Dialog::AddBundleTo],
        &["shift-tab"],
        "bundle and image",
        "Go back to the bundle and its image",
    ),
    action(
        ActionId::WriteAnyway,
        &[Dialog::Refused],
        &["w"],
        "save anyway",
        "Save a catalog that opm rejects",
    ),
    action(ActionId::ForgetEdits, &[Dialog::Restore], &["d"], "discard", "Discard the recovered edits"),
    action(
        ActionId::ReviewFirst,
        &[Dialog::Leave],
        &["s"],
        "review and save",
        "Review the unsaved edits instead of quitting",
    ),
    action(ActionId::DiscardEdits, &[Dialog::Leave], &["d"], "discard", "Quit and lose the unsaved edits"),
    action(
        ActionId::DialogHelp,
        Dialog::ALL,
        &["f1", "?"],
        "keys here",
        "Keys in this dialog; Enter runs one",
    ),
];
