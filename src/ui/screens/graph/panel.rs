//! Panel below the graph: upgrades of the selected bundle and their edges.

use ratatui::layout::Rect;

use crate::ui::{
    canvas::{Canvas, Pieces, piece, text, wrap},
    parts::{answers, details, lists::short, reading::reading},
    theme::Role,
};
use crate::{
    app::{Model, keys::ActionId, parts::list::ListId},
    catalog::{BundleName, package::Package},
    export::path,
    layout::{Layout, Row, Ways},
    review::Judged,
    upgrade::EdgeKind,
};

/// Returns the lines of the panel, most important first.
pub(in crate::ui) fn lines(
    model: &Model,
    layout: &Layout,
    judged: &Judged,
    columns: usize,
    ascii: bool,
    low: bool,
) -> Vec<Pieces> {
    let mut lines = details::gone(model, columns);
    lines.extend(answers(model, judged, columns, ascii, low));
    if marked(model).is_some() {
        return lines;
    }
    if let Some(ways) = &layout.ways {
        lines.extend(way_lines(judged.package(), ways, columns, ascii));
    }
    lines.extend(edge_lines(layout, columns));
    lines
}

/// Returns the path from the mark, or without a mark the answers of both OLMs for the selected
/// bundle.
pub(in crate::ui) fn answers(
    model: &Model,
    judged: &Judged,
    columns: usize,
    ascii: bool,
    low: bool,
) -> Vec<Pieces> {
    if marked(model).is_some() {
        return path_lines(model, columns);
    }
    let answers = if low { answers::answers_first } else { answers::answers };
    answers(model, judged, columns, ascii)
}

/// Returns the marked bundle if it belongs to the selected package.
pub(in crate::ui) fn marked(model: &Model) -> Option<&BundleName> {
    let (package, bundle) = model.session.mark.as_ref()?;
    (Some(package) == model.session.selection().package.as_ref()).then_some(bundle)
}

/// Returns the paths from the marked bundle to the selected one.
fn path_lines(model: &Model, columns: usize) -> Vec<Pieces> {
    let here = model.session.selection().bundle.as_ref();
    let Some(from) = marked(model).filter(|from| Some(*from) != here) else {
        let mark = model.key(ActionId::Mark);
        let words = format!(
            "The mark m is set here. Select another bundle to see the path to it; {mark} here removes the \
             mark."
        );
        return wrap(&words, columns).into_iter().map(|line| vec![text(line)]).collect();
    };
    let to = here.map(BundleName::as_str).unwrap_or_default();
    let mut lines = vec![vec![piece(format!("From {from} (m) to {to}"), Role::Title)]];
    for route in model.screens.graph.routes() {
        for line in path::lines(route, model.session.safety().map(AsRef::as_ref), columns) {
            lines.push(line.into_iter().map(|(ink, words)| piece(words, Role::from(ink))).collect());
        }
    }
    let opens = model.screens.graph.routes().iter().any(|route| route.opening.is_some());
    if opens {
        lines.push(vec![piece(
            format!("{} makes the edit that adds the path", model.key(ActionId::ApplyFix)),
            Role::Key,
        )]);
    }
    lines
}

/// Draws the lines, with a hint if some are hidden.
pub(in crate::ui) fn draw(model: &Model, lines: &[Pieces], canvas: &mut Canvas<'_>, area: Rect) {
    let has_keys = model.screens.graph.view.reading;
    reading(model, canvas, area, ListId::Details, has_keys, model.key(ActionId::NextPane), lines);
}

/// Returns the upgrade paths of both OLMs if they are longer than one step.
fn way_lines(package: &Package, ways: &Ways, columns: usize, ascii: bool) -> Vec<Pieces> {
    let arrow = if ascii { " -> " } else { " → " };
    let hops = |hops: &[BundleName]| -> String {
        let names: Vec<String> = hops.iter().map(|hop| short(package, hop)).collect();
        match names.as_slice() {
            [first, second, .., before, last] if names.len() > 6 => {
                format!(
                    "{first}{arrow}{second}{arrow}… {} more …{arrow}{before}{arrow}{last}",
                    names.len() - 4
                )
            }
            all => all.join(arrow),
        }
    };
    let mut said = Vec::new();
    let (classic, v1) = (&ways.classic, &ways.v1);
    if classic.hops == v1.hops && classic.hops.len() > 1 {
        said.push(("Both go ", hops(&classic.hops), Role::Title));
    } else {
        for (label, way, role) in [("Classic goes ", classic, Role::Classic), ("v1 goes ", v1, Role::V1)] {
            if way.hops.len() > 1 {
                said.push((label, hops(&way.hops), role));
            }
        }
    }
    for (way, name) in [(classic, "Classic"), (v1, "v1")] {
        if way.circular {
            said.push((name, " then has a cycle".to_owned(), Role::Warning));
        }
    }
    if let Some((at, to, other)) = ways.parting() {
        let at = at.map_or_else(|| "here".to_owned(), |at| format!("at {}", short(package, at)));
        let words = format!("{at}: Classic to {}, v1 to {}", short(package, to), short(package, other));
        said.push(("They differ ", words, Role::Note));
    }
    let mut lines = Vec::new();
    for (label, words, role) in said {
        let words = if ascii { words.replace('…', "...") } else { words };
        for (index, line) in wrap(&format!("{label}{words}"), columns).into_iter().enumerate() {
            lines.push(match line.strip_prefix(label) {
                Some(rest) if index == 0 => vec![piece(label, role), text(rest)],
                _ => vec![text(line)],
            });
        }
    }
    lines
}

/// Lists the direct predecessors and successors of the selected bundle, for both OLMs.
fn edge_lines(layout: &Layout, columns: usize) -> Vec<Pieces> {
    let said = |kind: fn(&Row) -> Option<EdgeKind>| {
        let parts = [EdgeKind::Replaces, EdgeKind::Skips, EdgeKind::SkipRange].map(|of| {
            let rows = layout.rows.iter().filter(|row| kind(row) == Some(of) && !row.reach.selected);
            let versions: Vec<&str> = rows.map(|row| row.version.as_str()).collect();
            let which = match versions.as_slice() {
                [] => return String::new(),
                [first, _, .., _, last] => format!("{} versions, {first} to {last},", versions.len()),
                few => few.join(", "),
            };
            format!("{which} by {}", of.as_str())
        });
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    };
    let mut lines = Vec::new();
    for (label, words) in
        [("Upgrades from  ", said(|row| row.reach.by)), ("Upgrades to    ", said(|row| row.reach.to))]
    {
        if words.is_empty() {
            continue;
        }
        for (index, line) in wrap(&words, columns.saturating_sub(label.len())).into_iter().enumerate() {
            let label = if index == 0 { label.to_owned() } else { " ".repeat(label.len()) };
            lines.push(vec![piece(label, Role::Dim), text(line)]);
        }
    }
    lines
}
