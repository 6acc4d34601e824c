//! How the graph is looked at: folds, focus, search, marks.

use crate::app::keys::spec::Enabled;
use crate::app::shell::keeping;
use crate::app::work::Opening;
use crate::{
    app::{
        keys::ActionId,
        parts::{list::ListId, memo::Same},
        screens::news::Way,
        shell::model::Model,
        work::{Effect, opening::PromptPurpose},
    },
    edit::Edit,
};

pub(in crate::app) fn has_layout(model: &Model) -> Enabled {
    if model.is_side_by_side() {
        return Err(format!("the graph of one channel does that: {} goes there", model.key(ActionId::In)));
    }
    let rows = model.derived.layout().map_or(0, |layout| layout.rows.len());
    if rows > 0 { Ok(()) } else { Err("no channel with entries is selected".to_owned()) }
}

pub(in crate::app) fn has_search(model: &Model) -> Enabled {
    has_layout(model)?;
    if model.session.lists.filter(ListId::Graph).is_empty() {
        return Err(format!("nothing is searched: {} searches", model.key(ActionId::Filter)));
    }
    if model.derived.graph_lines().found.is_empty() { Err("nothing was found".to_owned()) } else { Ok(()) }
}

pub(in crate::app) fn focus(model: &mut Model) -> Vec<Effect> {
    model.graph.focus = !model.graph.focus;
    Vec::new()
}

pub(in crate::app) fn fold(model: &mut Model) -> Vec<Effect> {
    model.graph.fold = !model.graph.fold;
    Vec::new()
}

/// Marks the selected bundle; where it is the marked one already, takes the mark away.
pub(in crate::app) fn mark(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection();
    let here = selection.package.clone().zip(selection.bundle.clone());
    model.session.mark = if model.session.mark == here { None } else { here };
    Vec::new()
}

/// The edit that opens the way from the mark to the selected bundle: Classic's where both have one.
fn opening(model: &Model) -> Option<&Edit> {
    model.derived.routes().iter().find_map(|route| route.opening.as_ref()).map(|opening| &opening.edit)
}

pub(in crate::app) fn has_opening(model: &Model) -> Enabled {
    if model.session.mark.is_none() {
        return Err("m marks where the way begins".to_owned());
    }
    opening(model).map(|_| ()).ok_or_else(|| "there is no way to open here".to_owned())
}

pub(in crate::app) fn open_way(model: &mut Model) -> Vec<Effect> {
    let Some(edit) = opening(model).cloned() else { return Vec::new() };
    match model.session.preview(edit) {
        Ok(outcome) => keeping::accept(model, &outcome),
        Err(reason) => model.notices.refused(reason),
    }
    Vec::new()
}

pub(in crate::app) fn legend(model: &mut Model) -> Vec<Effect> {
    model.open(Opening::Legend);
    Vec::new()
}

pub(in crate::app) fn floor(model: &mut Model) -> Vec<Effect> {
    let selected = model.derived.layout().and_then(|l| l.rows.iter().find(|row| row.reach.selected));
    let proposed = match model.graph.floor {
        Some(floor) => floor.to_string(),
        None => selected.map(|row| minor(&row.version)).unwrap_or_default(),
    };
    let purpose = PromptPurpose::Floor(Same::of(model.derived.layout()));
    model.open(Opening::Prompt { title: "Show versions from; empty shows all", purpose, text: proposed });
    Vec::new()
}

/// `4.16` of `4.16.2-rc.1`.
fn minor(version: &str) -> String {
    version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

pub(in crate::app) fn next_found(model: &mut Model) -> Vec<Effect> {
    go_to_found(model, Way::Down)
}

pub(in crate::app) fn previous_found(model: &mut Model) -> Vec<Effect> {
    go_to_found(model, Way::Up)
}

/// Selects the first row that a search found, from the selected one on.
pub(in crate::app) fn search_from_here(model: &mut Model) {
    let Some(layout) = model.derived.layout().cloned() else { return };
    let here = layout.rows.iter().position(|row| row.reach.selected).unwrap_or_default();
    let found = &model.derived.graph_lines().found;
    let next = found.iter().find(|&&row| row >= here).or_else(|| found.first());
    if let Some(row) = next.and_then(|&row| layout.rows.get(row)) {
        model.session.select_bundle(row.name.clone());
    }
}

/// Goes to the next row of the channel of which something is to be said.
pub(in crate::app) fn go_to_news(model: &mut Model, way: Way) {
    let rows = model.derived.layout().map(|layout| layout.rows.iter().enumerate()).into_iter().flatten();
    // The head says so in words, but that is no news.
    let news: Vec<usize> = rows.filter(|(_, row)| row.marks.has_news()).map(|(index, _)| index).collect();
    if !go(model, &news, way) {
        model.notices.refused("no other row of this channel has news");
    }
}

fn go_to_found(model: &mut Model, way: Way) -> Vec<Effect> {
    let found = model.derived.graph_lines().found.clone();
    if !go(model, &found, way) {
        model.notices.refused("nothing else was found");
    }
    Vec::new()
}

/// Selects the next of some rows, from the end on from the beginning; whether that is another row.
fn go(model: &mut Model, rows: &[usize], way: Way) -> bool {
    let Some(layout) = model.derived.layout().cloned() else { return false };
    let here = layout.rows.iter().position(|row| row.reach.selected).unwrap_or_default();
    let next = match way {
        Way::Down => rows.iter().find(|&&row| row > here).or_else(|| rows.first()),
        Way::Up => rows.iter().rev().find(|&&row| row < here).or_else(|| rows.last()),
    };
    let Some(row) = next.filter(|&&row| row != here).and_then(|&row| layout.rows.get(row)) else {
        return false;
    };
    model.session.select_bundle(row.name.clone());
    true
}
