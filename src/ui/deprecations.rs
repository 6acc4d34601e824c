//! Screen 5: what is deprecated, and whom it concerns.

use ratatui::layout::Rect;

use super::{
    canvas::{Canvas, Pieces, lit, pad, piece, text, width, wrap},
    catalog::{list_heading, list_view, nothing, order_of, short},
    frame::plural,
    theme::Role,
};
use crate::{
    app::{Model, action::ActionId, derived::DeprecationRow, list::ListId, splits::Splitter},
    catalog::blob::DeprecationTarget,
    upgrade::table::Next,
};

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = model.derived.deprecations();
    let below = if area.height < 9 || rows.is_empty() { 0 } else { (area.height / 2).clamp(5, 12) };
    let (upper, lower) = if below == 0 {
        (area, None)
    } else {
        let above = model.splits.before(Splitter::Deprecations, area.height - below - 1, area.height);
        let (upper, lower) = canvas.split(area, Splitter::Deprecations, above);
        (upper, Some(lower))
    };
    let title = format!("Deprecations {}", rows.len());
    let inner = list_heading(
        model,
        canvas,
        upper,
        ListId::Deprecations,
        &title,
        &order_of(model, ListId::Deprecations, ""),
    );
    if rows.is_empty() {
        let deprecate = model.key(ActionId::Deprecate);
        let words = &format!(
            "Nothing is deprecated here. On the Catalog or Graph screen, {deprecate} deprecates something."
        );
        return nothing(model, canvas, inner, ListId::Deprecations, words);
    }
    let ascii = canvas.ascii;
    let quarter = (usize::from(area.width) / 4).max(12);
    let packages = rows.iter().map(|r| width(r.package.as_str())).max().unwrap_or(0).min(quarter);
    let names = rows.iter().map(|r| width(&label(model, r))).max().unwrap_or(0).min(quarter);
    let filter = model.lists.filter(ListId::Deprecations);
    canvas.list(inner, &list_view(model, ListId::Deprecations), |row| {
        let Some(row) = rows.get(row) else { return Vec::new() };
        let (level, role) = level(row);
        let mut pieces = vec![piece(format!("{level:<8}"), role)];
        pieces.extend(lit(&format!("{}  ", pad(row.package.as_str(), packages, ascii)), Role::Title, filter));
        pieces.extend(lit(&format!("{}  ", pad(&label(model, row), names, ascii)), Role::Text, filter));
        pieces.extend(lit(&first_line(&row.message), Role::Dim, filter));
        pieces
    });
    if let Some(lower) = lower {
        let row = model.cursor(ListId::Deprecations).and_then(|row| rows.get(row));
        if let Some(row) = row {
            detail(model, canvas, lower, row);
        }
    }
}

/// The first line of a text, with a mark where more follows.
fn first_line(words: &str) -> String {
    match words.trim().split_once('\n') {
        Some((first, _)) => format!("{} ...", first.trim_end()),
        None => words.trim().to_owned(),
    }
}

fn level(row: &DeprecationRow) -> (&'static str, Role) {
    match &row.target {
        Some(DeprecationTarget::Package) => ("package", Role::Error),
        Some(DeprecationTarget::Channel(_)) => ("channel", Role::Warning),
        Some(DeprecationTarget::Bundle(_)) => ("bundle", Role::Deprecated),
        None => ("unclear", Role::Error),
    }
}

fn label(model: &Model, row: &DeprecationRow) -> String {
    match &row.target {
        Some(DeprecationTarget::Package) => "all of it".to_owned(),
        Some(DeprecationTarget::Channel(name)) => name.to_string(),
        Some(DeprecationTarget::Bundle(name)) => model
            .snapshot()
            .and_then(|s| s.package(row.package.as_str()))
            .map_or_else(|| name.to_string(), |judged| short(judged.package(), name)),
        None => row.reference.clone(),
    }
}

fn detail(model: &Model, canvas: &mut Canvas<'_>, area: Rect, row: &DeprecationRow) {
    let columns = usize::from(area.width).saturating_sub(2);
    let mut lines = vec![vec![piece("Users are told: ", Role::Dim)]];
    lines.extend(wrap(&row.message, columns).into_iter().map(|line| vec![text(line)]));
    if let Some(place) = &row.place {
        lines.push(vec![
            piece("at ", Role::Dim),
            piece(format!("{}:{}", place.path.display(), place.line), Role::Key),
        ]);
    }
    lines.push(vec![
        piece(format!("{} can still be installed", plural(row.concerned.len(), "bundle")), Role::Title),
        if row.stuck > 0 {
            piece(format!("; {} of them no OLM ever moves", row.stuck), Role::Warning)
        } else {
            piece("; each of them is moved on by one OLM or the other", Role::Good)
        },
    ]);
    lines.extend(who(model, row, columns, usize::from(area.height)));
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.line(Rect { x: area.x + 1, y, width: area.width - 1, height: 1 }, line);
    }
}

/// The first of the bundles concerned, each with where both OLMs move it.
fn who(model: &Model, row: &DeprecationRow, columns: usize, most: usize) -> Vec<Pieces> {
    let Some(judged) = model.snapshot().and_then(|s| s.package(row.package.as_str())) else {
        return Vec::new();
    };
    let package = judged.package();
    let describe = |next: &Next| match next {
        Next::Stays => "stays".to_owned(),
        Next::To(to) => {
            let deprecated = if package.bundle_deprecation(to).is_some() { " (deprecated)" } else { "" };
            format!("{}{deprecated}", short(package, to))
        }
        Next::Error(error) => error.to_string(),
    };
    let mut lines = Vec::new();
    for moves in model.derived.moves().iter().take(most) {
        let classic: Vec<String> =
            moves.classic.iter().map(|(channel, next)| format!("{channel}: {}", describe(next))).collect();
        let (name, v1) = (short(package, &moves.installed), describe(&moves.v1));
        let words = format!("{name}   v1: {v1}   Classic in {}", classic.join(", "));
        lines.extend(wrap(&words, columns).into_iter().take(2).map(|line| vec![piece(line, Role::Dim)]));
    }
    lines
}
