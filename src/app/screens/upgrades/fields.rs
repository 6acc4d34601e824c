//! Query fields, order and filter of the Upgrades screen.

use super::{
    Upgrades,
    rows::{Sort, UpgradesFocus},
};
use crate::{
    app::{
        keys::spec::Enabled,
        parts::list::ListId,
        screens::screen::ScreenState,
        session::{
            Session,
            cx::{Cx, See},
            expecting,
        },
        work::{
            Opening,
            opening::{PickPurpose, PromptPurpose},
        },
    },
    upgrade::v1::Policy,
};

pub(super) fn has_table(_: &Upgrades, see: &See<'_>) -> Enabled {
    see.session.answers.table().map(|_| ()).ok_or_else(|| "select a channel to see upgrades".to_owned())
}

pub(super) fn has_row(upgrades: &Upgrades, see: &See<'_>) -> Enabled {
    has_table(upgrades, see)?;
    let rows = expecting::rows(see.session);
    if rows.is_empty() { Err("no installed version is selected".to_owned()) } else { Ok(()) }
}

/// Asks for the file that gets the upgrades of the selected row as expectations.
pub(super) fn add_expectation(_: &mut Upgrades, cx: &mut Cx<'_>) {
    let see = cx.see();
    let path = see.session.catalog().and_then(|open| expecting::path(&see, open));
    let text = path.unwrap_or_else(|| "expectations.yaml".into()).display().to_string();
    let title = "Add upgrade expectations to";
    cx.open(Opening::Prompt { title, purpose: PromptPurpose::Expectations, text });
}

/// Sorts by the next order.
pub(super) fn cycle_sort(upgrades: &mut Upgrades, cx: &mut Cx<'_>) {
    upgrades.view.cycle_sort();
    from_the_top(upgrades, cx);
}

/// Sorts by the column whose title was clicked.
pub(super) fn sort_by(upgrades: &mut Upgrades, cx: &mut Cx<'_>, sort: Sort) {
    upgrades.view.sort_by(sort);
    from_the_top(upgrades, cx);
}

/// Selects the first row after the order changed.
fn from_the_top(upgrades: &mut Upgrades, cx: &mut Cx<'_>) {
    cx.session.derive();
    upgrades.settle(&cx.see());
    if !upgrades.rows().is_empty() {
        upgrades.select(ListId::Upgrades, 0, cx);
    }
}

pub(super) fn toggle_differences(upgrades: &mut Upgrades, cx: &mut Cx<'_>) {
    upgrades.view.differences = !upgrades.view.differences;
    // Select the first row if the selection is hidden now.
    upgrades.select_what_is_left(cx);
}

/// Minimum number of channels for which typing filters the list.
const SEARCHED: usize = 6;

/// Opens the choice of the focused field, or the reasons of a row.
pub(super) fn enter(upgrades: &mut Upgrades, cx: &mut Cx<'_>) {
    let opening = match upgrades.focus {
        UpgradesFocus::Channel => {
            let now = cx.session.subscribed_channel();
            let items = channels(cx.session, |name| now.is_some_and(|now| now == name));
            let typed = items.len() > SEARCHED;
            let title = if typed {
                "Subscribed channel (Classic); type to search"
            } else {
                "Subscribed channel (Classic)"
            };
            Opening::Pick { title, purpose: PickPurpose::Subscribed, several: false, typed, items }
        }
        UpgradesFocus::Starting => {
            let now = cx.session.question.starting.as_ref();
            let mut items = vec![("none: the head".to_owned(), now.is_none())];
            let names = cx.session.starting_csvs();
            items.extend(names.into_iter().map(|name| (name.to_string(), now == Some(&name))));
            let title = "startingCSV of a fresh install (Classic); type to search";
            Opening::Pick { title, purpose: PickPurpose::Starting, several: false, typed: true, items }
        }
        UpgradesFocus::V1Channels => {
            let now = &cx.session.question.query.channels;
            let items = channels(cx.session, |name| now.iter().any(|c| c == name));
            let title = "Channels for v1; none for all";
            Opening::Pick { title, purpose: PickPurpose::V1Channels, several: true, typed: false, items }
        }
        UpgradesFocus::Version => {
            let text = cx.session.question.query.version.clone();
            let title = "Version constraint for v1 (Masterminds); empty for any";
            Opening::Prompt { title, purpose: PromptPurpose::Version, text }
        }
        UpgradesFocus::OpenShift => {
            let text = cx.session.question.openshift.map(|version| version.to_string()).unwrap_or_default();
            let title = "OpenShift version of the cluster, such as 4.18; empty for none";
            Opening::Prompt { title, purpose: PromptPurpose::OpenShift, text }
        }
        UpgradesFocus::Policy => {
            let policy = &mut cx.session.question.query.policy;
            *policy = match *policy {
                Policy::CatalogProvided => Policy::SelfCertified,
                Policy::SelfCertified => Policy::CatalogProvided,
            };
            return;
        }
        UpgradesFocus::Table => {
            upgrades.focus = UpgradesFocus::Reasons;
            cx.session.lists.set_first(ListId::Reasons, 0);
            return;
        }
        UpgradesFocus::Reasons => return,
    };
    cx.open(opening);
}

/// Returns the channels of the package, each with whether it is chosen.
fn channels(session: &Session, chosen: impl Fn(&str) -> bool) -> Vec<(String, bool)> {
    let channels = session.package().map(|p| p.package().channels.as_slice()).unwrap_or_default();
    channels.iter().map(|c| (c.name.value.to_string(), chosen(c.name.value.as_str()))).collect()
}
