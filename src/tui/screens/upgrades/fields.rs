//! Query fields, order and filter of the Upgrades screen.

use super::{
    Upgrades,
    rows::{SortOrder, UpgradesFocus},
};
use crate::tui::{
    dialogs::{
        list_picker::{ListPicker, PickPurpose},
        prompt::{Prompt, PromptPurpose},
    },
    keys::spec::Enabled,
    parts::list::ListId,
    screens::screen::ScreenState,
    session::{
        Session,
        context::{Context, ViewContext},
        upgrade_expectations,
    },
};
use olm_upgrade::v1::Policy;

pub(super) fn check_table(_: &Upgrades, view_cx: &ViewContext<'_>) -> Enabled {
    view_cx
        .session
        .derived
        .upgrade_table()
        .map(|_| ())
        .ok_or_else(|| "select a channel to see upgrades".to_owned())
}

pub(super) fn check_row(upgrades: &Upgrades, view_cx: &ViewContext<'_>) -> Enabled {
    check_table(upgrades, view_cx)?;
    let rows = upgrade_expectations::expectation_rows(view_cx.session);
    let is_hidden = upgrades.hides_all_rows(ListId::Upgrades, view_cx);
    if is_hidden || rows.is_empty() { Err("no installed version is selected".to_owned()) } else { Ok(()) }
}

/// Asks for the file that gets the upgrades of the selected row as expectations.
pub(super) fn ask_expectations_file(_: &mut Upgrades, cx: &mut Context<'_>) {
    let view_cx = cx.view();
    let path = view_cx
        .session
        .current_catalog()
        .and_then(|open| upgrade_expectations::expectations_path(&view_cx, open));
    let text = path.unwrap_or_else(|| "expectations.yaml".into()).display().to_string();
    let title = "Add upgrade expectations to";
    cx.open_dialog(Prompt::new(title, PromptPurpose::Expectations, text, &cx.view()));
}

/// Sorts by the next order.
pub(super) fn cycle_sort(upgrades: &mut Upgrades, cx: &mut Context<'_>) {
    upgrades.view.cycle_sort();
    select_first_row(upgrades, cx);
}

/// Sorts by the column whose title was clicked.
pub(super) fn sort_by(upgrades: &mut Upgrades, cx: &mut Context<'_>, sort: SortOrder) {
    upgrades.view.sort_by(sort);
    select_first_row(upgrades, cx);
}

/// Selects the first row after the order changed.
fn select_first_row(upgrades: &mut Upgrades, cx: &mut Context<'_>) {
    cx.session.derive();
    upgrades.update_derived(&cx.view());
    if !upgrades.visible_rows().is_empty() {
        upgrades.select_row(ListId::Upgrades, 0, cx);
    }
}

pub(super) fn toggle_differences(upgrades: &mut Upgrades, cx: &mut Context<'_>) {
    upgrades.view.only_differences = !upgrades.view.only_differences;
    // Select the first row if the selection is hidden now.
    upgrades.select_first_if_hidden(cx);
}

/// Minimum number of channels for which typing filters the list.
const MIN_SEARCHABLE_CHANNELS: usize = 6;

/// Opens the choice of the focused field, or the reasons of a row.
pub(super) fn open_focused(upgrades: &mut Upgrades, cx: &mut Context<'_>) {
    match upgrades.focus {
        UpgradesFocus::Channel => {
            let now = cx.session.subscribed_channel();
            let items = channel_items(cx.session, |name| now.is_some_and(|now| now == name));
            let typed = items.len() > MIN_SEARCHABLE_CHANNELS;
            let title = if typed {
                "Subscribed channel (Classic); type to search"
            } else {
                "Subscribed channel (Classic)"
            };
            let picker = ListPicker::new(title, PickPurpose::Subscribed, false, items);
            cx.open_dialog(if typed { picker.with_filter() } else { picker });
        }
        UpgradesFocus::Starting => {
            let now = cx.session.upgrade_query.starting.as_ref();
            let mut items = vec![("none: the head".to_owned(), now.is_none())];
            let names = cx.session.starting_csvs();
            items.extend(names.into_iter().map(|name| (name.to_string(), now == Some(&name))));
            let title = "startingCSV of a fresh install (Classic); type to search";
            cx.open_dialog(ListPicker::new(title, PickPurpose::Starting, false, items).with_filter());
        }
        UpgradesFocus::V1Channels => {
            let now = &cx.session.upgrade_query.query.channels;
            let items = channel_items(cx.session, |name| now.iter().any(|c| c == name));
            let title = "Channels for v1; none for all";
            cx.open_dialog(ListPicker::new(title, PickPurpose::V1Channels, true, items));
        }
        UpgradesFocus::Version => {
            let text = cx.session.upgrade_query.query.version.clone();
            let title = "Version constraint for v1 (Masterminds); empty for any";
            cx.open_dialog(Prompt::new(title, PromptPurpose::Version, text, &cx.view()));
        }
        UpgradesFocus::OpenShift => {
            let text =
                cx.session.upgrade_query.openshift.map(|version| version.to_string()).unwrap_or_default();
            let title = "OpenShift version of the cluster, such as 4.18; empty for none";
            cx.open_dialog(Prompt::new(title, PromptPurpose::OpenShift, text, &cx.view()));
        }
        UpgradesFocus::Policy => {
            let policy = &mut cx.session.upgrade_query.query.policy;
            *policy = match *policy {
                Policy::CatalogProvided => Policy::SelfCertified,
                Policy::SelfCertified => Policy::CatalogProvided,
            };
        }
        UpgradesFocus::Table => {
            upgrades.focus = UpgradesFocus::Reasons;
            cx.session.lists.set_first_row(ListId::Reasons, 0);
        }
        UpgradesFocus::Reasons => {}
    }
}

/// Returns the channels of the package, each with whether it is chosen.
fn channel_items(session: &Session, chosen: impl Fn(&str) -> bool) -> Vec<(String, bool)> {
    let channels = session.selected_package().map(|p| p.package().channels.as_slice()).unwrap_or_default();
    channels.iter().map(|c| (c.name.value.to_string(), chosen(c.name.value.as_str()))).collect()
}
