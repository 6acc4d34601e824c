//! Resolve screen: the assumed cluster, one item per row, and below it the resolution by OLM
//! Classic.

mod dependency_tree;

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Splitter, list::ListId},
    screens::{
        resolve::{AssumptionRow, Resolve},
        screen::ScreenView,
    },
    widgets::{
        boxes::draw_scrolled_text,
        canvas::{Canvas, Line, Piece, display_width, highlight_filter, pad, piece, text_piece, wrap_text},
        lists::{draw_list_heading, draw_no_rows},
        text::format_count,
        theme::Ink,
    },
    work::cluster::ResolverResult,
};
use olm_upgrade::resolve::{Answer, Pick};

/// Below this width the catalog of a row is omitted if there is a single catalog.
const NARROW_COLUMNS: u16 = 72;
/// Maximum columns of a column with names.
const MAX_NAME_COLUMNS: usize = 34;

/// The screen and its context.
pub(super) type View<'a> = ScreenView<'a, Resolve>;

/// Draws the screen.
pub fn draw_resolve_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = view.state.assumption_rows();
    let has_any = !view.session.jobs.assumed_cluster.assumed.is_empty();
    let below = if area.height < 8 || !has_any {
        0
    } else {
        let wanted = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(2);
        area.height - 1 - wanted.clamp(3, area.height / 2)
    };
    let (upper, lower) = if below == 0 {
        (area, None)
    } else {
        let above = view.frame.splits.size_before(Splitter::Resolve, area.height - below - 1, area.height);
        let (upper, lower) = canvas.draw_splitter(area, Splitter::Resolve, above);
        (upper, Some(lower))
    };
    let title = format!("Test cluster: {}", count_assumptions(view));
    let inner = draw_list_heading(view, canvas, upper, ListId::Assumed, &title, &[]);
    if rows.is_empty() {
        return draw_no_rows(view, canvas, inner, ListId::Assumed, &empty_message(view));
    }
    draw_assumption_table(view, canvas, inner, rows);
    if let Some(lower) = lower {
        draw_resolution(view, canvas, lower);
    }
}

fn count_assumptions(view: &View<'_>) -> String {
    let assumed = &view.session.jobs.assumed_cluster.assumed;
    let installed = assumed.installed.iter().filter(|one| one.is_included).count();
    let subscribed = assumed.subscriptions.iter().filter(|one| one.is_included).count();
    format!("{}, {} installed", format_count(subscribed, "subscription"), installed)
}

fn empty_message(view: &View<'_>) -> String {
    let cluster =
        if view.session.installed_operators.cluster.is_some() { ", or what your cluster has" } else { "" };
    format!(
        "The test cluster is empty. {} adds a subscription to the selected channel, or the selected bundle as \
         an installed one{cluster}. Then this screen shows what OLM Classic installs, with dependencies from all \
         open catalogs.",
        view.key_label(ActionId::Assume)
    )
}

/// Cells of a row.
struct RowCells {
    what: &'static str,
    name: String,
    place: String,
    catalog: String,
    outcome: Piece,
}

fn row_cells(view: &View<'_>, row: AssumptionRow, narrow: bool) -> RowCells {
    let session = &view.session;
    let (package, channel, bundle) = row.named_items(session);
    let catalog = row
        .catalog_source(session)
        .map(|source| session.catalogs.short_source_name(&source))
        .unwrap_or_default();
    let name = |name: Option<String>| name.unwrap_or_default();
    let words = |long: &'static str, short: &'static str| if narrow { short } else { long };
    let (what, name, place) = match row {
        AssumptionRow::Subscribed(_) => (
            words("subscription", "sub"),
            name(package.map(|package| package.to_string())),
            channel.map_or_else(|| "(any)".to_owned(), |channel| channel.to_string()),
        ),
        AssumptionRow::Installed(_) => {
            (words("installed", "csv"), name(bundle.map(|bundle| bundle.to_string())), String::new())
        }
        AssumptionRow::Catalog(_) => (words("catalog", "cat"), catalog.clone(), String::new()),
    };
    let catalog = if matches!(row, AssumptionRow::Catalog(_)) { String::new() } else { catalog };
    RowCells { what, name, place, catalog, outcome: outcome_piece(view, row) }
}

/// Describes the outcome of a row in a few words.
fn outcome_piece(view: &View<'_>, row: AssumptionRow) -> Piece {
    let session = &view.session;
    if !row.is_included(session) {
        return piece("excluded", Ink::Dim);
    }
    if let AssumptionRow::Catalog(_) = row {
        return piece("included", Ink::Dim);
    }
    let Some(resolved) =
        session.jobs.assumed_cluster.resolved().filter(|_| !session.jobs.assumed_cluster.is_waiting())
    else {
        return piece("resolving", Ink::Dim);
    };
    // The row already shows the package.
    let short =
        |pick: &Pick| pick.version.as_ref().map_or_else(|| pick.bundle.to_string(), ToString::to_string);
    match (row, row.resolver_pick(session)) {
        _ if !resolved.answer.is_known() => piece("not known", Ink::Warning),
        _ if resolved.answer.outcome.is_err() => piece("blocked", Ink::Error),
        (AssumptionRow::Subscribed(_), Some(pick)) if pick.is_upgrade => {
            piece(format!("upgrades to {}", short(pick)), Ink::Good)
        }
        (AssumptionRow::Subscribed(_), Some(pick)) => piece(format!("installs {}", short(pick)), Ink::Good),
        (AssumptionRow::Installed(_), Some(pick)) if pick.is_upgrade => {
            piece(format!("becomes {}", short(pick)), Ink::Good)
        }
        _ => piece("stays", Ink::Dim),
    }
}

fn draw_assumption_table(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect, rows: &[AssumptionRow]) {
    let narrow = area.width < NARROW_COLUMNS;
    let all: Vec<RowCells> = rows.iter().map(|row| row_cells(view, *row, narrow)).collect();
    let ascii = canvas.ascii;
    let room = usize::from(area.width);
    let most = if narrow { room / 3 } else { MAX_NAME_COLUMNS };
    let widest = |of: fn(&RowCells) -> &str| {
        all.iter().map(|cells| display_width(of(cells))).max().unwrap_or(0).min(most)
    };
    let (names, places) = (widest(|cells| &cells.name), widest(|cells| &cells.place));
    let has_catalogs = view.session.catalogs.all().len() > 1 || area.width >= NARROW_COLUMNS;
    let catalogs = if has_catalogs { widest(|cells| &cells.catalog) } else { 0 };
    let filter = view.session.lists.filter(ListId::Assumed);
    canvas.draw_list(area, &view.list_view(canvas, ListId::Assumed), |at| {
        let (Some(cells), Some(row)) = (all.get(at), rows.get(at)) else { return Vec::new() };
        let counts = row.is_included(view.session);
        let ink = if counts { Ink::Text } else { Ink::Dim };
        let what = pad(cells.what, if narrow { 3 } else { 12 }, ascii);
        let mut pieces: Line =
            vec![piece(format!("{} {what} ", if counts { "[x]" } else { "[ ]" }), Ink::Dim)];
        pieces.extend(highlight_filter(&pad(&cells.name, names, ascii), ink, filter));
        if places > 0 {
            pieces.push(text_piece("  "));
            pieces.extend(highlight_filter(&pad(&cells.place, places, ascii), ink, filter));
        }
        if catalogs > 0 {
            pieces.push(piece(format!("  {}", pad(&cells.catalog, catalogs, ascii)), Ink::Dim));
        }
        pieces.push(text_piece("  "));
        pieces.push(cells.outcome.clone());
        pieces
    });
}

fn draw_resolution(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(2).max(10);
    let cluster = &view.session.jobs.assumed_cluster;
    let mut lines: Vec<Line> = Vec::new();
    match cluster.resolved() {
        Some(resolved) => push_resolution(resolved, columns, canvas.ascii, &mut lines),
        None => lines.push(vec![piece("resolving", Ink::Dim)]),
    }
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let is_reading = view.state.is_reading();
    draw_scrolled_text(
        view,
        canvas,
        inner,
        ListId::Resolved,
        is_reading,
        view.key_label(ActionId::NextPane),
        &lines,
    );
    if cluster.is_waiting() && cluster.resolved().is_some() {
        canvas.tint(area, Ink::Stale);
    }
}

fn push_indented(lines: &mut Vec<Line>, words: &str, indent: usize, ink: Ink, columns: usize) {
    let room = columns.saturating_sub(indent).max(10);
    for (at, line) in wrap_text(words, room).into_iter().enumerate() {
        let hang = if at == 0 { indent } else { indent + 2 };
        lines.push(vec![text_piece(" ".repeat(hang)), piece(line, ink)]);
    }
}

fn push_resolution(resolved: &ResolverResult, columns: usize, ascii: bool, lines: &mut Vec<Line>) {
    let ResolverResult { answer, needs: all } = resolved;
    push_outcome(answer, columns, lines);
    if answer.is_unstable {
        let words = "unstable: OLM may answer otherwise another time; its search does not take the same way each time";
        push_indented(lines, words, 0, Ink::Warning, columns);
    }
    if !answer.why.is_empty() {
        lines.push(vec![piece("why", Ink::Title)]);
        for line in &answer.why {
            let inner = line.trim_start();
            push_indented(lines, inner, 1 + line.len() - inner.len(), Ink::Text, columns);
        }
    }
    if all.iter().any(|needing| !needing.needs.is_empty()) {
        let title = match answer.outcome {
            Ok(_) => "who needs whom",
            Err(_) => "what the newest version needs, and which open catalog has it",
        };
        lines.push(vec![piece(title, Ink::Title)]);
    }
    dependency_tree::draw_dependency_trees(all, columns, ascii, lines);
}

/// Lists the installed bundles, or states that there are none.
fn push_outcome(answer: &Answer, columns: usize, lines: &mut Vec<Line>) {
    if let Some(error) = answer.error_message() {
        let (words, ink) = if answer.is_known() {
            ("OLM Classic installs nothing", Ink::Error)
        } else {
            ("What OLM Classic does is not known", Ink::Warning)
        };
        return push_indented(lines, &format!("{words}: {error}"), 0, ink, columns);
    }
    if answer.picks().is_empty() {
        return lines.push(vec![piece("OLM Classic changes nothing", Ink::Good)]);
    }
    for pick in answer.picks() {
        let added = answer.new_subscription(pick);
        let (verb, ink) = match (pick.is_upgrade, added) {
            (true, _) => ("upgrades", Ink::Good),
            (false, None) => ("installs", Ink::Good),
            (false, Some(_)) => ("adds", Ink::Note),
        };
        lines.push(vec![
            piece(format!("{verb:<9}"), ink),
            piece(describe_pick(pick), Ink::Text),
            piece(format!("  channel {} of {}", pick.channel, pick.catalog), Ink::Dim),
        ]);
        if let Some(new) = added {
            let words = format!("new subscription {}: from now on it upgrades by itself", new.name);
            push_indented(lines, &words, 9, Ink::Dim, columns);
        }
    }
}

fn describe_pick(pick: &Pick) -> String {
    match &pick.replaces {
        Some(from) if pick.is_upgrade => format!("{from} to {}", pick.bundle),
        _ => pick.bundle.to_string(),
    }
}
