//! Going from one change to the next.

use crate::{
    app::{keys::Screen, parts::list::ListId, session::place::Pane, shell::model::Model},
    catalog::BundleName,
};

/// Which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Up the list.
    Up,
    /// Down the list.
    Down,
}

impl Model {
    /// Whether something is to be seen of an entry: it differs, or another one comes next.
    fn entry_differs(&self, name: &BundleName) -> bool {
        self.session.entry_fate(name).is_some() || self.session.answers.was(name).is_some()
    }
}

/// The next of some rows that differs, seen from one of them.
fn next(rows: usize, from: Option<usize>, way: Way, differs: impl Fn(usize) -> bool) -> Option<usize> {
    match way {
        Way::Down => (from.map_or(0, |from| from + 1)..rows).find(|row| differs(*row)),
        Way::Up => (0..from.unwrap_or(rows).min(rows)).rev().find(|row| differs(*row)),
    }
}

/// Selects the next change; whether there is one.
pub(in crate::app) fn go(model: &mut Model, way: Way) -> bool {
    match (model.session.screen, model.session.pane) {
        (Screen::Changes, _) => in_list(model, ListId::Differences, way, |model, row| {
            model.difference(row).is_some_and(|row| row.level == 0)
        }),
        (Screen::Catalog, Pane::Packages) => packages(model, way),
        (Screen::Catalog, Pane::Channels) => channels(model, way) || first_channel(model, way),
        (Screen::Catalog, Pane::Entries | Pane::Details) => entries(model, way) || first_entry(model, way),
        (Screen::Graph, _) => {
            let list = if model.is_side_by_side() { ListId::SideBySide } else { ListId::Graph };
            in_list(model, list, way, graph_row)
        }
        (Screen::Upgrades, _) => in_list(model, ListId::Upgrades, way, |model, row| {
            upgrade_row(model, row).is_some_and(|name| {
                model.session.answers.was(&name).is_some() || model.session.is_new_bundle(&name)
            })
        }),
        _ => false,
    }
}

fn in_list(model: &mut Model, list: ListId, way: Way, differs: fn(&Model, usize) -> bool) -> bool {
    let found = next(model.rows(list), model.cursor(list), way, |row| differs(model, row));
    if let Some(row) = found {
        model.select(list, row);
    }
    found.is_some()
}

fn graph_row(model: &Model, line: usize) -> bool {
    if model.is_side_by_side() {
        let row = model.derived.side_by_side().and_then(|side| side.rows.get(line));
        return row.is_some_and(|row| model.entry_differs(&row.name));
    }
    let rows = model.derived.graph_lines().lines.get(line).map(crate::layout::Line::rows);
    let layout = model.derived.layout();
    let rows = rows.and_then(|rows| layout?.rows.get(rows)).unwrap_or_default();
    rows.iter().any(|row| model.entry_differs(&row.name))
}

fn upgrade_row(model: &Model, row: usize) -> Option<BundleName> {
    let index = model.derived.rows().get(row)?;
    Some(model.session.answers.table()?.rows.get(*index)?.installed.name.clone())
}

fn packages(model: &mut Model, way: Way) -> bool {
    in_list(model, ListId::Packages, way, |model, row| {
        model.derived.packages().get(row).is_some_and(|name| model.session.package_fate(name).is_some())
    })
}

fn channels(model: &mut Model, way: Way) -> bool {
    in_list(model, ListId::Channels, way, |model, row| {
        model.derived.channels().get(row).is_some_and(|name| model.session.channel_fate(name).is_some())
    })
}

fn entries(model: &mut Model, way: Way) -> bool {
    in_list(model, ListId::Entries, way, |model, row| {
        model.derived.entries().get(row).is_some_and(|name| model.entry_differs(name))
    })
}

/// The first channel that differs, or the last, of the next package that differs.
fn first_channel(model: &mut Model, way: Way) -> bool {
    if !packages(model, way) {
        return false;
    }
    model.derive();
    let rows = model.rows(ListId::Channels);
    let differs = |row: usize| {
        model.derived.channels().get(row).is_some_and(|name| model.session.channel_fate(name).is_some())
    };
    // A package may differ in something else.
    if let Some(row) = next(rows, None, way, differs) {
        model.select(ListId::Channels, row);
    }
    true
}

/// The first entry that differs, or the last, of the next channel that differs.
fn first_entry(model: &mut Model, way: Way) -> bool {
    if !channels(model, way) && !first_channel(model, way) {
        return false;
    }
    model.derive();
    let rows = model.rows(ListId::Entries);
    let differs = |row: usize| model.derived.entries().get(row).is_some_and(|name| model.entry_differs(name));
    if let Some(row) = next(rows, None, way, differs) {
        model.select(ListId::Entries, row);
    }
    true
}
