//! The Upgrades screen: its fields, its order, what it leaves out.

use crate::app::keys::spec::Enabled;
use crate::app::work::Opening;
use crate::{
    app::{
        parts::list::ListId,
        screens::upgrades::rows::{Sort, UpgradesFocus},
        session::expecting,
        shell::model::Model,
        work::{
            Effect,
            opening::{PickPurpose, PromptPurpose},
        },
    },
    upgrade::v1::Policy,
};

pub(in crate::app) fn has_table(model: &Model) -> Enabled {
    model.session.answers.table().map(|_| ()).ok_or_else(|| "there is no table without a channel".to_owned())
}

pub(in crate::app) fn has_row(model: &Model) -> Enabled {
    has_table(model)?;
    let rows = expecting::rows(&model.session);
    if rows.is_empty() { Err("no installed version is selected".to_owned()) } else { Ok(()) }
}

/// Adds the selected row to the expectations, or asks for the file where there is none yet.
pub(in crate::app) fn add_expectation(model: &mut Model) -> Vec<Effect> {
    if let Some(file) = model.session.expectations() {
        return expecting::add(&model.session, file.path.clone()).into_iter().collect();
    }
    let path = model.session.catalog().and_then(|open| expecting::path(&model.see(), open));
    let path = path.unwrap_or_else(|| "expectations.yaml".into()).display().to_string();
    let title = "File of upgrade expectations";
    model.open(Opening::Prompt { title, purpose: PromptPurpose::Expectations, text: path });
    Vec::new()
}

/// Goes on to the next order.
pub(in crate::app) fn cycle_sort(model: &mut Model) {
    model.upgrades.cycle_sort();
    from_the_top(model);
}

/// Sorts by the column whose title was clicked.
pub(in crate::app) fn sort_by(model: &mut Model, sort: Sort) {
    model.upgrades.sort_by(sort);
    from_the_top(model);
}

/// Who asks for another order wants to see what comes first in it.
fn from_the_top(model: &mut Model) {
    model.derive();
    if model.rows(ListId::Upgrades) > 0 {
        model.select(ListId::Upgrades, 0);
    }
}

pub(in crate::app) fn toggle_differences(model: &mut Model) -> Vec<Effect> {
    model.upgrades.differences = !model.upgrades.differences;
    model.derive();
    // The selection follows what is left to select.
    if model.cursor(ListId::Upgrades).is_none() && model.rows(ListId::Upgrades) > 0 {
        model.select(ListId::Upgrades, 0);
    }
    Vec::new()
}

/// Opens what the keys are on: a field's choice, or the reasons for a row.
pub(in crate::app) fn go_in(model: &mut Model) {
    let opening = match model.upgrades_focus {
        UpgradesFocus::Channel => {
            let now = model.session.subscribed_channel().cloned();
            let items = channels(model, |name| now.as_ref().is_some_and(|now| now == name));
            Opening::Pick {
                title: "Subscribed channel (Classic)",
                purpose: PickPurpose::Subscribed,
                several: false,
                typed: false,
                items,
            }
        }
        UpgradesFocus::Starting => {
            let now = model.session.question.starting.clone();
            let mut items = vec![("none: begin at the head".to_owned(), now.is_none())];
            let names = model.session.starting_csvs();
            items.extend(names.into_iter().map(|name| (name.to_string(), now.as_ref() == Some(&name))));
            let title = "startingCSV of a fresh install (Classic); type to find one";
            Opening::Pick { title, purpose: PickPurpose::Starting, several: false, typed: true, items }
        }
        UpgradesFocus::V1Channels => {
            let now = model.session.question.query.channels.clone();
            let items = channels(model, |name| now.iter().any(|c| c == name));
            let title = "Channels v1 may choose from; none means any";
            Opening::Pick { title, purpose: PickPurpose::V1Channels, several: true, typed: false, items }
        }
        UpgradesFocus::Version => {
            let typed = model.session.question.query.version.clone();
            let title = "Version constraint of v1 (Masterminds dialect); empty means any";
            Opening::Prompt { title, purpose: PromptPurpose::Version, text: typed }
        }
        UpgradesFocus::OpenShift => {
            let typed =
                model.session.question.openshift.map(|version| version.to_string()).unwrap_or_default();
            let title = "OpenShift version of the cluster, such as 4.18; empty means none";
            Opening::Prompt { title, purpose: PromptPurpose::OpenShift, text: typed }
        }
        UpgradesFocus::Policy => {
            model.session.question.query.policy = match model.session.question.query.policy {
                Policy::CatalogProvided => Policy::SelfCertified,
                Policy::SelfCertified => Policy::CatalogProvided,
            };
            return;
        }
        UpgradesFocus::Table => {
            model.upgrades_focus = UpgradesFocus::Reasons;
            model.session.lists.set_first(ListId::Reasons, 0);
            return;
        }
        UpgradesFocus::Reasons => return,
    };
    model.open(opening);
}

/// The channels of the package, each with whether it is chosen.
fn channels(model: &Model, chosen: impl Fn(&str) -> bool) -> Vec<(String, bool)> {
    let channels = model.session.package().map(|p| p.package().channels.as_slice()).unwrap_or_default();
    channels.iter().map(|c| (c.name.value.to_string(), chosen(c.name.value.as_str()))).collect()
}
