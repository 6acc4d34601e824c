//! Deprecating, and taking that back.

use super::ask;
use crate::app::keys::spec::Enabled;
use crate::app::work::Opening;
use crate::{
    app::{
        keys::Screen,
        parts::{list::ListId, text::one_line},
        screens::deprecations::rows::{DeprecationRow, Listed},
        session::place::Pane,
        shell::model::Model,
        work::{
            Effect,
            opening::{Asked, Leads, Purpose, Way, called},
        },
    },
    catalog::{PackageName, blob::DeprecationTarget},
    review::deprecations::Suggestion,
};

/// The selected row of the Deprecations screen.
pub(in crate::app) fn row(model: &Model) -> Result<&DeprecationRow, String> {
    let row = model.cursor(ListId::Deprecations).and_then(|row| model.derived.deprecations().get(row));
    row.ok_or_else(|| "nothing is selected here: on the Catalog screen something can be".to_owned())
}

/// What the selected row of the Deprecations screen is about.
pub(in crate::app) fn target(row: &DeprecationRow) -> Result<DeprecationTarget, String> {
    row.target().cloned().ok_or_else(|| "this deprecation speaks of nothing olmap knows".to_owned())
}

/// What is suggested where one stands.
fn suggested(model: &Model) -> Option<&Suggestion> {
    if model.session.screen != Screen::Deprecations {
        return None;
    }
    match &row(model).ok()?.listed {
        Listed::Suggested(suggestion) => Some(suggestion),
        Listed::Deprecated(_) => None,
    }
}

/// What can be deprecated here, the likeliest first.
fn targets(model: &Model) -> Result<(PackageName, Vec<DeprecationTarget>), String> {
    if model.session.screen == Screen::Deprecations {
        let row = row(model)?;
        return Ok((row.package.clone(), vec![target(row)?]));
    }
    let judged = model.session.package().ok_or_else(|| "no package is selected".to_owned())?;
    let selection = model.session.selection();
    let named = selection.bundle.as_ref();
    let bundle = named.filter(|name| judged.package().bundle(name.as_str()).is_some());
    let bundle = bundle.map(|name| DeprecationTarget::Bundle(name.clone()));
    let channel = selection.channel.clone().map(DeprecationTarget::Channel);
    let targets: Vec<DeprecationTarget> = match (model.session.screen, model.session.pane) {
        (Screen::Catalog, Pane::Packages) => vec![DeprecationTarget::Package],
        (Screen::Catalog, Pane::Channels) => channel.into_iter().collect(),
        (Screen::Catalog, Pane::Entries | Pane::Details) => bundle.into_iter().collect(),
        _ => bundle.into_iter().chain(channel).chain([DeprecationTarget::Package]).collect(),
    };
    if targets.is_empty() {
        return Err(match (named, model.session.pane) {
            (Some(name), Pane::Entries | Pane::Details) => format!("{name} is no bundle of the package"),
            _ => "nothing is selected that can be deprecated".to_owned(),
        });
    }
    Ok((judged.package().name.clone(), targets))
}

pub fn can_deprecate(model: &Model) -> Enabled {
    targets(model).map(drop)
}

/// Asks for the message; where several things may be meant, of which one.
pub fn deprecate(model: &mut Model) -> Vec<Effect> {
    if let Some(suggestion) = suggested(model) {
        let (package, targets) = (suggestion.package.clone(), suggestion.targets.clone());
        let message = suggestion.message.clone();
        return ask(model, Purpose::Edit, package, Asked::DeprecatedToo(targets), message);
    }
    let Ok((package, targets)) = targets(model) else { return Vec::new() };
    let Some(judged) = model.session.snapshot().and_then(|s| s.package(package.as_str())) else {
        return Vec::new();
    };
    let message =
        |target: &DeprecationTarget| judged.package().deprecation(target).map(|d| d.message.value.as_str());
    if let [only] = targets.as_slice() {
        let proposed = message(only).map(one_line).unwrap_or_default();
        return ask(model, Purpose::Edit, package, Asked::Deprecated(only.clone()), proposed);
    }
    let way = |target: DeprecationTarget| {
        let said = message(&target);
        Way {
            label: match &target {
                DeprecationTarget::Bundle(bundle) => format!("bundle {bundle}"),
                other => called(&package, other),
            },
            note: said.map(|said| format!("is deprecated: {}", one_line(said))).unwrap_or_default(),
            then: Leads::Ask(Asked::Deprecated(target), said.map(one_line).unwrap_or_default()),
        }
    };
    let ways = targets.into_iter().map(way).collect();
    let title = "Deprecate which?".to_owned();
    model.open(Opening::Choose { purpose: Purpose::Edit, package, title, ways });
    Vec::new()
}
