//! Dialogs, which lie above a screen and receive the keys: the table of all dialogs, and the table of
//! their actions.
//!
//! Each dialog is one module with its kind, its state, its keys and its view. A dialog may open another
//! one; otherwise dialogs do not depend on each other.

mod action_family;
pub mod api_list;
pub mod bundle_choice;
pub mod bundle_difference;
pub mod catalog_list;
pub mod changed_on_disk;
pub mod comparison_choice;
pub mod configuration;
pub mod dialog;
pub mod edit_choice;
pub mod edit_conflicts;
pub mod edit_question;
pub mod edit_recovery;
pub mod entry_form;
pub mod filter;
pub mod finder;
pub mod history;
pub mod image_fetch;
pub mod legend;
pub mod list_picker;
pub mod menu;
pub mod notice_log;
pub mod other_catalogs;
pub mod palette;
pub mod prompt;
pub mod quit_confirmation;
pub mod range_tester;
pub mod release;
pub mod save_refusal;

use crate::tui::keys::{
    ActionId, Dialog,
    spec::{ActionContext, ActionSpec},
};

/// All kinds of dialogs. A dialog that is missing here does not get any keys.
pub const DIALOGS: &[Dialog] = &[
    filter::DIALOG,
    catalog_list::DIALOG,
    finder::DIALOG,
    api_list::DIALOG,
    palette::DIALOG,
    entry_form::DIALOG,
    edit_question::DIALOG,
    prompt::DIALOG,
    range_tester::DIALOG,
    list_picker::FILTERED,
    list_picker::DIALOG,
    menu::DIALOG,
    edit_choice::DIALOG,
    comparison_choice::DIALOG,
    release::FIELDS,
    release::DIALOG,
    image_fetch::DIALOG,
    history::DIALOG,
    other_catalogs::DIALOG,
    edit_conflicts::DIALOG,
    notice_log::DIALOG,
    bundle_difference::DIALOG,
    bundle_choice::DIALOG,
    save_refusal::DIALOG,
    changed_on_disk::DIALOG,
    edit_recovery::DIALOG,
    quit_confirmation::DIALOG,
    configuration::DIALOG,
    legend::DIALOG,
];

// In dialogs with a text field, characters are typed and only other keys trigger actions.
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
    /// Rows or a scrollable text.
    Pages,
    /// Rows, and no text field that needs Home and End.
    RowsWithoutField,
    Field,
}

impl Having {
    const fn matches(self, dialog: Dialog) -> bool {
        match self {
            Self::Rows => dialog.has_rows,
            Self::Pages => dialog.has_rows || dialog.has_text,
            Self::RowsWithoutField => dialog.has_rows && !dialog.has_field,
            Self::Field => dialog.has_field,
        }
    }

    const fn count(self) -> usize {
        let (mut count, mut at) = (0, 0);
        while at < DIALOGS.len() {
            count += self.matches(DIALOGS[at]) as usize;
            at += 1;
        }
        count
    }

    /// Returns the dialogs that match the condition.
    const fn dialogs<const COUNT: usize>(self) -> [Dialog; COUNT] {
        let (mut found, mut count, mut at) = ([DIALOGS[0]; COUNT], 0, 0);
        while at < DIALOGS.len() {
            if self.matches(DIALOGS[at]) {
                found[count] = DIALOGS[at];
                count += 1;
            }
            at += 1;
        }
        found
    }
}

const LIST_DIALOGS: &[Dialog] = &Having::Rows.dialogs::<{ Having::Rows.count() }>();
const PAGED_DIALOGS: &[Dialog] = &Having::Pages.dialogs::<{ Having::Pages.count() }>();
const FIELDLESS_LIST_DIALOGS: &[Dialog] =
    &Having::RowsWithoutField.dialogs::<{ Having::RowsWithoutField.count() }>();
const FIELD_DIALOGS: &[Dialog] = &Having::Field.dialogs::<{ Having::Field.count() }>();

/// All actions of dialogs.
pub(in crate::tui) static DIALOG_ACTIONS: &[ActionSpec] = &[
    dialog_action(ActionId::Accept, DIALOGS, &["enter"], "accept", "Confirm: apply, run, save or go there"),
    dialog_action(ActionId::Cancel, DIALOGS, &["esc", "q"], "cancel", "Close the dialog without changes"),
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
    dialog_action(
        ActionId::DialogPageUp,
        PAGED_DIALOGS,
        &["pgup"],
        "page up",
        "Scroll the text up, or go a page of rows up",
    ),
    dialog_action(
        ActionId::DialogPageDown,
        PAGED_DIALOGS,
        &["pgdn"],
        "page down",
        "Scroll the text down, or go a page of rows down",
    ),
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
        &[entry_form::DIALOG],
        &["tab", "down"],
        "next field",
        "Go to the next field",
    ),
    dialog_action(
        ActionId::PreviousField,
        &[entry_form::DIALOG, release::FIELDS, release::DIALOG],
        &["shift-tab", "up"],
        "previous field",
        "Go to the previous field; in a release, to the fields of the bundle and its image",
    ),
    dialog_action(
        ActionId::Complete,
        &[entry_form::DIALOG, release::FIELDS, edit_question::DIALOG, prompt::DIALOG],
        &["tab", "ctrl-n", "ctrl-space"],
        "complete",
        "Complete with the first proposed name; a path as far as all names agree",
    ),
    dialog_action(ActionId::ClearField, FIELD_DIALOGS, &["ctrl-u"], "clear", "Empty the field"),
    dialog_action(
        ActionId::Choose,
        &[list_picker::DIALOG, release::DIALOG, other_catalogs::DIALOG],
        &["space"],
        "choose",
        "Select the row, or deselect it",
    ),
    dialog_action(
        ActionId::ToggleClusterMember,
        &[catalog_list::DIALOG],
        &["tab"],
        "on one cluster",
        "Put the catalog on a cluster with the other chosen ones, or take it off; v1 chooses between them",
    )
    .with_search_terms(&["clustercatalog", "ambiguous", "several catalogs"]),
    dialog_action(
        ActionId::SetCatalogPriority,
        &[catalog_list::DIALOG],
        &["alt-p"],
        "priority",
        "Set the priority of the catalog on the cluster; the highest one wins in v1",
    ),
    dialog_action(
        ActionId::ReleasePlace,
        &[release::DIALOG],
        &["s"],
        "other place",
        "Next place in the channel: skipped, a step in the chain, or head with a downgrade",
    ),
    dialog_action(
        ActionId::ReleaseEdges,
        &[release::DIALOG],
        &["r"],
        "other edges",
        "Next form of the edges in all rows: as the channel has them, only replaces, or as the CSV asks",
    ),
    dialog_action(ActionId::OwnRange, &[release::DIALOG], &["e"], "own range", "Type a skipRange"),
    dialog_action(
        ActionId::NewChannel,
        &[release::DIALOG],
        &["n"],
        "new channel",
        "Make a channel, in every catalog that lacks it",
    ),
    dialog_action(
        ActionId::Withdraw,
        &[release::DIALOG],
        &["x"],
        "withdraw",
        "Withdraw the bundle instead of releasing it, or the other way around",
    ),
    dialog_action(
        ActionId::WriteAnyway,
        &[save_refusal::DIALOG],
        &["w"],
        "save anyway",
        "Save a catalog that opm rejects",
    ),
    dialog_action(
        ActionId::ReviewFirst,
        &[quit_confirmation::DIALOG],
        &["s"],
        "review and save",
        "Review the unsaved edits instead of quitting",
    ),
    dialog_action(
        ActionId::DiscardEdits,
        &[edit_recovery::DIALOG, quit_confirmation::DIALOG],
        &["d"],
        "discard",
        "Discard the recovered edits, or the unsaved ones and quit",
    ),
    dialog_action(
        ActionId::DialogHelp,
        DIALOGS,
        &["f1", "?"],
        "keys here",
        "Keys in this dialog; Enter runs one",
    ),
];
