//! Table of the actions in dialogs. In dialogs with a text field, characters are typed and only
//! other keys trigger actions.

use crate::tui::keys::{
    ActionId, Dialog,
    spec::{ActionContext, ActionSpec},
};

const fn dialog_action(
    id: ActionId,
    dialogs: &'static [Dialog],
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
) -> ActionSpec {
    ActionSpec::new(id, ActionContext::In(dialogs), keys, title, doc)
}

/// Condition on the parts of a dialog.
#[derive(Clone, Copy)]
enum Having {
    Rows,
    /// Rows, and no scrollable text that gets the page keys.
    RowsWithoutText,
    /// Rows, and no text field that needs Home and End.
    RowsWithoutField,
    Field,
    Text,
}

impl Having {
    const fn matches(self, dialog: Dialog) -> bool {
        let parts = dialog.parts();
        match self {
            Self::Rows => parts.rows,
            Self::RowsWithoutText => parts.rows && !parts.text,
            Self::RowsWithoutField => parts.rows && !parts.field,
            Self::Field => parts.field,
            Self::Text => parts.text,
        }
    }

    const fn count(self) -> usize {
        let (mut count, mut at) = (0, 0);
        while at < Dialog::ALL.len() {
            count += self.matches(Dialog::ALL[at]) as usize;
            at += 1;
        }
        count
    }

    /// Returns the dialogs that match the condition.
    const fn dialogs<const COUNT: usize>(self) -> [Dialog; COUNT] {
        let (mut found, mut count, mut at) = ([Dialog::Filter; COUNT], 0, 0);
        while at < Dialog::ALL.len() {
            if self.matches(Dialog::ALL[at]) {
                found[count] = Dialog::ALL[at];
                count += 1;
            }
            at += 1;
        }
        found
    }
}

const LIST_DIALOGS: &[Dialog] = &Having::Rows.dialogs::<{ Having::Rows.count() }>();
const PREVIEW_DIALOGS: &[Dialog] = &Having::Text.dialogs::<{ Having::Text.count() }>();
const PAGED_LIST_DIALOGS: &[Dialog] =
    &Having::RowsWithoutText.dialogs::<{ Having::RowsWithoutText.count() }>();
const FIELDLESS_LIST_DIALOGS: &[Dialog] =
    &Having::RowsWithoutField.dialogs::<{ Having::RowsWithoutField.count() }>();
const FIELD_DIALOGS: &[Dialog] = &Having::Field.dialogs::<{ Having::Field.count() }>();

pub(in crate::tui) static DIALOG_ACTIONS: &[ActionSpec] = &[
    dialog_action(
        ActionId::Accept,
        Dialog::ALL,
        &["enter"],
        "accept",
        "Confirm: apply, run, save or go there",
    ),
    dialog_action(ActionId::Cancel, Dialog::ALL, &["esc", "q"], "cancel", "Close the dialog without changes"),
    dialog_action(
        ActionId::RowUp,
        LIST_DIALOGS,
        &["up", "ctrl-p", "ctrl-k", "k"],
        "row up",
        "Go to the row above",
    ),
    dialog_action(
        ActionId::RowDown,
        LIST_DIALOGS,
        &["down", "ctrl-n", "ctrl-j", "j"],
        "row down",
        "Go to the row below",
    ),
    dialog_action(ActionId::RowPageUp, PAGED_LIST_DIALOGS, &["pgup"], "rows up", "Go a page of rows up"),
    dialog_action(
        ActionId::RowPageDown,
        PAGED_LIST_DIALOGS,
        &["pgdn"],
        "rows down",
        "Go a page of rows down",
    ),
    dialog_action(ActionId::PreviewDown, PREVIEW_DIALOGS, &["pgdn"], "read on", "Scroll the text down"),
    dialog_action(ActionId::PreviewUp, PREVIEW_DIALOGS, &["pgup"], "read back", "Scroll the text up"),
    dialog_action(
        ActionId::RowFirst,
        FIELDLESS_LIST_DIALOGS,
        &["g", "home"],
        "first row",
        "Go to the first row",
    ),
    dialog_action(ActionId::RowLast, FIELDLESS_LIST_DIALOGS, &["G", "end"], "last row", "Go to the last row"),
    dialog_action(
        ActionId::NextField,
        &[Dialog::Entry],
        &["tab", "down"],
        "next field",
        "Go to the next field",
    ),
    dialog_action(
        ActionId::PreviousField,
        &[Dialog::Entry, Dialog::AddBundle],
        &["shift-tab", "up"],
        "previous field",
        "Go to the previous field",
    ),
    dialog_action(
        ActionId::Complete,
        &[Dialog::Entry, Dialog::AddBundle, Dialog::EditQuestion, Dialog::Prompt],
        &["tab", "ctrl-n", "ctrl-space"],
        "complete",
        "Complete with the first proposed name; a path as far as all names agree",
    ),
    dialog_action(ActionId::ClearField, FIELD_DIALOGS, &["ctrl-u"], "clear", "Empty the field"),
    dialog_action(
        ActionId::Choose,
        &[Dialog::Pick, Dialog::Promotion, Dialog::AddBundleChannels, Dialog::OtherCatalogs],
        &["space"],
        "choose",
        "Select the row, or deselect it",
    ),
    dialog_action(
        ActionId::PromoteSkips,
        &[Dialog::Promotion, Dialog::AddBundleChannels],
        &["s"],
        "skip the head",
        "Replace what the head replaces, and skip the head",
    ),
    dialog_action(
        ActionId::PromoteRange,
        &[Dialog::Promotion, Dialog::AddBundleChannels],
        &["r"],
        "range",
        "Copy the skipRange of the head",
    ),
    dialog_action(
        ActionId::EntryFromCsv,
        &[Dialog::AddBundleChannels],
        &["c"],
        "as the CSV",
        "Take replaces, skips and olm.skipRange from the ClusterServiceVersion",
    ),
    dialog_action(ActionId::OwnRange, &[Dialog::AddBundleChannels], &["e"], "own range", "Type a skipRange"),
    dialog_action(
        ActionId::NewChannel,
        &[Dialog::AddBundleChannels],
        &["n"],
        "new channel",
        "Make a channel, in every catalog that lacks it",
    ),
    dialog_action(
        ActionId::BackToFields,
        &[Dialog::AddBundleChannels],
        &["shift-tab"],
        "bundle and image",
        "Go back to the bundle and its image",
    ),
    dialog_action(
        ActionId::WriteAnyway,
        &[Dialog::SaveRefusal],
        &["w"],
        "save anyway",
        "Save a catalog that opm rejects",
    ),
    dialog_action(
        ActionId::ForgetEdits,
        &[Dialog::EditRecovery],
        &["d"],
        "discard",
        "Discard the recovered edits",
    ),
    dialog_action(
        ActionId::ReviewFirst,
        &[Dialog::QuitConfirmation],
        &["s"],
        "review and save",
        "Review the unsaved edits instead of quitting",
    ),
    dialog_action(
        ActionId::DiscardEdits,
        &[Dialog::QuitConfirmation],
        &["d"],
        "discard",
        "Quit and lose the unsaved edits",
    ),
    dialog_action(
        ActionId::DialogHelp,
        Dialog::ALL,
        &["f1", "?"],
        "keys here",
        "Keys in this dialog; Enter runs one",
    ),
];
