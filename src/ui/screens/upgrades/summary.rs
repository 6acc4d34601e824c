//! Summary above the table: counts, the cluster update and a fresh install.

use ratatui::layout::Rect;

use crate::{
    app::{Model, parts::list::ListId},
    catalog::package::Package,
    review::Judged,
    ui::{
        canvas::{Canvas, Piece, Pieces, piece, text},
        parts::{expected, lists::short, what_if},
        theme::Role,
    },
    upgrade::{
        Engine, ResolveError, UpgradeTable,
        fresh::{Fresh, Start},
        stuck::brief_numbers,
        table::Count,
    },
};

/// Minimum height for showing the line about a fresh install.
const ROOMY: u16 = 9;

/// Draws the lines; returns the number of rows used.
pub(in crate::ui) fn draw(
    model: &Model,
    judged: &Judged,
    table: &UpgradeTable,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> u16 {
    let mut used = 0;
    let mut line = |canvas: &mut Canvas<'_>, pieces: &[Piece], right: &[Piece]| {
        canvas.heading(Rect { y: area.y + used, height: 1, ..area }, pieces, right);
        used += 1;
    };
    let (left, right) = counts(model, judged, table);
    line(canvas, &left, &right);
    if let Some(update) = model.screens.upgrades.cluster_update() {
        let words = update.words(table);
        let role = if update.summary(table).block > 0 { Role::Warning } else { Role::Good };
        line(canvas, &[text(" "), piece(words, role)], &[]);
    }
    let roomy = area.height >= ROOMY || model.session.question.starting.is_some();
    if let Some(fresh) = model.screens.upgrades.fresh().filter(|_| roomy) {
        let package = judged.package();
        let long = fresh_install(model, package, fresh, canvas.ascii);
        line(canvas, &long, &[]);
    }
    used
}

/// Returns the most important counts, and notes about omitted rows.
fn counts(model: &Model, judged: &Judged, table: &UpgradeTable) -> (Pieces, Pieces) {
    let mut left = vec![text(" ")];
    let summary = table.summary();
    let channel = judged.graph.channel(table.channel.as_str());
    let stuck = model.session.stuck_of(judged).zip(channel);
    let (classic, v1) = stuck.and_then(|(stuck, channel)| stuck.count_in(&channel.graph)).unwrap_or_default();
    if classic + v1 > 0 {
        let words = format!("{} of {} stuck", brief_numbers(classic, v1), summary.total);
        left.push(piece(words, Role::Warning));
        left.extend(expected::counts(model));
    }
    for (what, words) in summary.words(&[Engine::Classic, Engine::V1]) {
        // Agreement is not good news if no upgrade exists, and a dead end is a reason for being
        // stuck.
        let is_said = match what {
            Count::Agree => classic.max(v1) > 0 && summary.agree == summary.total,
            Count::DeadEnds => classic > 0,
            _ => false,
        };
        if is_said {
            continue;
        }
        let role = match what {
            Count::Agree => Role::Title,
            Count::Errors | Count::DeadEnds => Role::Error,
            Count::Escapes | Count::Refused => Role::Warning,
            Count::Later => Role::Note,
            Count::Deprecated => Role::Deprecated,
        };
        if left.len() > 1 {
            left.push(piece(", ", Role::Dim));
        }
        left.push(piece(words, role));
        // The expectations come before text that is cut in narrow terminals.
        if what == Count::Agree && classic + v1 == 0 {
            left.extend(expected::counts(model));
        }
    }
    let outside = table.rows.iter().filter(|row| !row.in_channel).count();
    if outside > 0 && !model.screens.upgrades.view.differences {
        left.push(piece(format!(", {outside} not in {}", table.channel), Role::Dim));
    }
    let filter = model.session.lists.filter(ListId::Upgrades);
    if model.screens.upgrades.view.differences {
        let total = table.rows.iter().filter(|row| row.in_channel).count();
        let shown = model.screens.upgrades.rows().len();
        left.push(piece(format!("  differences only: {shown} of {total}"), Role::Match));
    }
    if !filter.is_empty() {
        left.push(piece(format!("  /{filter}"), Role::Match));
    }
    let mut right = what_if::counts(model);
    if let Some(error) = &table.query_error {
        right.push(piece(format!("{error} "), Role::Error));
    }
    (left, right)
}

fn fresh_install(model: &Model, package: &Package, fresh: &Fresh, ascii: bool) -> Pieces {
    let mut pieces = vec![text(" "), piece("fresh install  ", Role::Title)];
    pieces.push(piece("Classic ", Role::Classic));
    let place = if model.session.question.starting.is_some() { "startingCSV" } else { "the head" };
    start(&mut pieces, package, &fresh.classic, place, ascii);
    if fresh.dead_end {
        pieces.push(piece(" (never upgraded in this channel)", Role::Error));
    }
    pieces.push(piece("   v1 ", Role::V1));
    start(&mut pieces, package, &fresh.v1, "", ascii);
    if let Some(why) = fresh.refused {
        pieces.push(piece(format!(" REFUSED ({})", why.brief()), Role::Warning));
    }
    pieces.extend(expected::fresh(model));
    // Errors can be long, so they follow both answers.
    for error in [&fresh.classic, &fresh.v1].into_iter().filter_map(|start| start.as_ref().err()) {
        pieces.push(piece(format!("   {error}"), Role::Error));
    }
    pieces
}

fn start(
    pieces: &mut Pieces,
    package: &Package,
    start: &Result<Start, ResolveError>,
    place: &str,
    ascii: bool,
) {
    match start {
        Err(_) => pieces.push(piece("error", Role::Error)),
        Ok(start) => {
            pieces.push(text(short(package, &start.bundle)));
            if !place.is_empty() {
                pieces.push(piece(format!(" ({place})"), Role::Dim));
            }
            match start.end.hops {
                0 => {}
                _ if start.end.circular => pieces.push(piece(", has a cycle", Role::Warning)),
                hops => {
                    let arrow = if ascii { " -> " } else { " → " };
                    let s = if hops == 1 { "" } else { "s" };
                    pieces.push(piece(arrow, Role::Dim));
                    pieces.push(text(format!("{} in {hops} hop{s}", short(package, &start.end.name))));
                }
            }
        }
    }
}
