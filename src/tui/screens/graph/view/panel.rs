//! Panel below the graph: upgrades of the selected bundle and their edges.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::list::ListId,
    screens::graph::view::View,
    widgets::{
        answers,
        boxes::draw_scrolled_text,
        canvas::{Canvas, Line, hanging_lines, piece, text_piece, wrap_text},
        details,
        lists::bundle_short_name,
        theme::Ink,
    },
};
use olm_catalog::{BundleName, package::Package};
use olm_check::review::PackageState;
use olm_upgrade::EdgeKind;
use olmap_report::{
    layout::{Layout, Row, SelectedPaths},
    path,
};

/// Returns the lines of the panel, most important first.
pub(in crate::tui) fn panel_lines(
    view: &View<'_>,
    layout: &Layout,
    package_state: &PackageState,
    columns: usize,
    ascii: bool,
    low: bool,
) -> Vec<Line> {
    let mut lines = details::removed_bundle_lines(view, columns);
    lines.extend(path_or_answers(view, package_state, columns, ascii, low));
    if marked_bundle(view).is_some() {
        return lines;
    }
    if let Some(ways) = &layout.paths {
        lines.extend(upgrade_path_lines(package_state.package(), ways, columns, ascii));
    }
    lines.extend(edge_lines(layout, columns));
    lines
}

/// Returns the path from the mark, or without a mark the answers of both OLMs for the selected
/// bundle.
pub(in crate::tui) fn path_or_answers(
    view: &View<'_>,
    package_state: &PackageState,
    columns: usize,
    ascii: bool,
    low: bool,
) -> Vec<Line> {
    if marked_bundle(view).is_some() {
        return marked_path_lines(view, columns);
    }
    let answers = if low { answers::both_answers_first } else { answers::both_answer_lines };
    answers(view, package_state, columns, ascii)
}

/// Returns the marked bundle if it belongs to the selected package.
pub(in crate::tui) fn marked_bundle<'a>(view: &View<'a>) -> Option<&'a BundleName> {
    let (package, bundle) = view.session.navigation.marked_bundle.as_ref()?;
    (Some(package) == view.session.selection().package.as_ref()).then_some(bundle)
}

/// Returns the paths from the marked bundle to the selected one.
fn marked_path_lines(view: &View<'_>, columns: usize) -> Vec<Line> {
    let here = view.session.selection().bundle.as_ref();
    let Some(from) = marked_bundle(view).filter(|from| Some(*from) != here) else {
        let mark = view.key_label(ActionId::Mark);
        let words = format!(
            "The mark m is set here. Select another bundle to see the path to it; {mark} here removes the \
             mark."
        );
        return wrap_text(&words, columns).into_iter().map(|line| vec![text_piece(line)]).collect();
    };
    let to = here.map(BundleName::as_str).unwrap_or_default();
    let mut lines = vec![vec![piece(format!("From {from} (m) to {to}"), Ink::Title)]];
    for route in view.state.routes() {
        let safety = view.session.catalogs.safety().map(AsRef::as_ref);
        lines.extend(path::render_route_lines(route, safety, columns));
    }
    let opens = view.state.routes().iter().any(|route| route.fix.is_some());
    if opens {
        lines.push(vec![piece(
            format!("{} makes the edit that adds the path", view.key_label(ActionId::ApplyFix)),
            Ink::Key,
        )]);
    }
    lines
}

/// Draws the lines, with a hint if some are hidden.
pub(in crate::tui) fn draw_panel(view: &View<'_>, lines: &[Line], canvas: &mut Canvas<'_>, area: Rect) {
    let has_keys = view.state.view.is_reading;
    draw_scrolled_text(
        view,
        canvas,
        area,
        ListId::Details,
        has_keys,
        view.key_label(ActionId::NextPane),
        lines,
    );
}

/// Returns the upgrade paths of both OLMs if they are longer than one step.
fn upgrade_path_lines(package: &Package, ways: &SelectedPaths, columns: usize, ascii: bool) -> Vec<Line> {
    let arrow = if ascii { " -> " } else { " → " };
    let hops = |hops: &[BundleName]| -> String {
        let names: Vec<String> = hops.iter().map(|hop| bundle_short_name(package, hop)).collect();
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
        said.push(("Both go ", hops(&classic.hops), Ink::Title));
    } else {
        for (label, way, ink) in [("Classic goes ", classic, Ink::Classic), ("v1 goes ", v1, Ink::V1)] {
            if way.hops.len() > 1 {
                said.push((label, hops(&way.hops), ink));
            }
        }
    }
    for (way, name) in [(classic, "Classic"), (v1, "v1")] {
        if way.circular {
            said.push((name, " then has a cycle".to_owned(), Ink::Warning));
        }
    }
    if let Some((at, to, other)) = ways.divergence() {
        let at = at.map_or_else(|| "here".to_owned(), |at| format!("at {}", bundle_short_name(package, at)));
        let words = format!(
            "{at}: Classic to {}, v1 to {}",
            bundle_short_name(package, to),
            bundle_short_name(package, other)
        );
        said.push(("They differ ", words, Ink::Note));
    }
    let mut lines = Vec::new();
    for (label, words, ink) in said {
        let words = if ascii { words.replace('…', "...") } else { words };
        for (index, line) in wrap_text(&format!("{label}{words}"), columns).into_iter().enumerate() {
            lines.push(match line.strip_prefix(label) {
                Some(rest) if index == 0 => vec![piece(label, ink), text_piece(rest)],
                _ => vec![text_piece(line)],
            });
        }
    }
    lines
}

/// Lists the direct predecessors and successors of the selected bundle, for both OLMs.
fn edge_lines(layout: &Layout, columns: usize) -> Vec<Line> {
    let said = |kind: fn(&Row) -> Option<EdgeKind>| {
        let parts = [EdgeKind::Replaces, EdgeKind::Skips, EdgeKind::SkipRange].map(|of| {
            let rows = layout.rows.iter().filter(|row| kind(row) == Some(of) && !row.relation.selected);
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
    for (label, words) in [
        ("Upgrades from  ", said(|row| row.relation.edge_to_selected)),
        ("Upgrades to    ", said(|row| row.relation.edge_from_selected)),
    ] {
        if !words.is_empty() {
            lines.extend(hanging_lines(&[piece(label, Ink::Dim)], &words, columns, Ink::Text));
        }
    }
    lines
}
