//! Summary above the table: counts, the cluster update and a fresh install.

use ratatui::layout::Rect;

use crate::tui::{
    parts::list::ListId,
    screens::upgrades::view::{View, refusals::RefusedSteps},
    widgets::{
        canvas::{Canvas, Line, Piece, piece, text_piece},
        expectations,
        lists::bundle_short_name,
        text::format_count,
        theme::Ink,
        what_if,
    },
};
use olm_catalog::package::Package;
use olm_check::review::PackageState;
use olm_upgrade::{
    Engine, ResolveError, UpgradeTable,
    fresh_install::{FirstInstall, FreshInstalls},
    stuck::format_counts,
    table::SummaryPart,
};

/// Minimum height for showing the line about a fresh install.
const MIN_HEIGHT_FOR_FRESH: u16 = 9;

/// Draws the lines; returns the number of rows used.
pub(in crate::tui) fn draw_summary(
    view: &View<'_>,
    package_state: &PackageState,
    table: &UpgradeTable,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> u16 {
    let mut used = 0;
    let mut line = |canvas: &mut Canvas<'_>, pieces: &[Piece], right: &[Piece]| {
        canvas.draw_heading(Rect { y: area.y + used, height: 1, ..area }, pieces, right);
        used += 1;
    };
    let (left, right) = summary_counts(view, package_state, table);
    line(canvas, &left, &right);
    if let Some(update) = view.state.cluster_update() {
        let words = update.format_summary(table);
        let ink = if update.count_blockers(table).block > 0 { Ink::Warning } else { Ink::Good };
        line(canvas, &[text_piece(" "), piece(words, ink)], &[]);
    }
    let roomy = area.height >= MIN_HEIGHT_FOR_FRESH || view.session.upgrade_query.starting.is_some();
    if let Some(fresh) = view.state.fresh().filter(|_| roomy) {
        let package = package_state.package();
        let long = fresh_install_pieces(view, package, fresh, canvas.ascii);
        line(canvas, &long, &[]);
    }
    used
}

/// Returns the most important counts, and notes about omitted rows.
fn summary_counts(view: &View<'_>, package_state: &PackageState, table: &UpgradeTable) -> (Line, Line) {
    let mut left = vec![text_piece(" ")];
    let summary = table.summarize_channel();
    let channel = package_state.graph.channel(table.channel.as_str());
    let stuck = view.session.catalogs.stuck_of(package_state).zip(channel);
    let (classic, v1) =
        stuck.and_then(|(stuck, channel)| stuck.count_in_channel(&channel.graph)).unwrap_or_default();
    if classic + v1 > 0 {
        let words = format!("{} of {} stuck", format_counts(classic, v1), summary.total);
        left.push(piece(words, Ink::Warning));
        left.extend(expectations::expectation_counts(view));
    }
    let safety = view.session.catalogs.safety();
    let refused = safety.and_then(|safety| RefusedSteps::find_in_table(safety, table).count_refused());
    if let Some((engine, versions)) = refused {
        let who = engine.map_or("OLM", Engine::label);
        let separator = if left.len() > 1 { ", " } else { "" };
        let words = format!("{separator}{who} refuses an upgrade of {}", format_count(versions, "version"));
        left.push(piece(words, Ink::Error));
    }
    for (what, words) in summary.format_parts(&[Engine::Classic, Engine::V1]) {
        // Agreement is not good news if no upgrade exists, and a dead end is a reason for being
        // stuck.
        let is_said = match what {
            SummaryPart::Agree => classic.max(v1) > 0 && summary.agree == summary.total,
            SummaryPart::DeadEnds => classic > 0,
            _ => false,
        };
        if is_said {
            continue;
        }
        let ink = match what {
            SummaryPart::Agree => Ink::Title,
            SummaryPart::Errors | SummaryPart::DeadEnds => Ink::Error,
            SummaryPart::Escapes | SummaryPart::Refused => Ink::Warning,
            SummaryPart::Later => Ink::Note,
            SummaryPart::Deprecated => Ink::Deprecated,
        };
        if left.len() > 1 {
            left.push(piece(", ", Ink::Dim));
        }
        left.push(piece(words, ink));
        // The expectations come before text that is cut in narrow terminals.
        if what == SummaryPart::Agree && classic + v1 == 0 {
            left.extend(expectations::expectation_counts(view));
        }
    }
    let outside = table.rows.iter().filter(|row| !row.in_channel).count();
    if outside > 0 && !view.state.view.only_differences {
        left.push(piece(format!(", {outside} not in {}", table.channel), Ink::Dim));
    }
    let filter = view.session.lists.filter(ListId::Upgrades);
    if view.state.view.only_differences {
        let total = table.rows.iter().filter(|row| row.in_channel).count();
        let shown = view.state.visible_rows().len();
        left.push(piece(format!("  differences only: {shown} of {total}"), Ink::Match));
    }
    if !filter.is_empty() {
        left.push(piece(format!("  /{filter}"), Ink::Match));
    }
    let mut right = what_if::change_counts(view);
    if view.session.derived.cluster_resolution().is_some() {
        let count = view.session.catalogs.members().len();
        right.push(piece(format!("v1: {count} catalogs of one cluster"), Ink::V1));
        // The reasons have the whole sentence.
        right.extend(
            table.query_error.as_ref().map(|error| piece(format!(", {}", error.brief()), Ink::Error)),
        );
        right.push(text_piece(" "));
    } else if let Some(error) = &table.query_error {
        right.push(piece(format!("{error} "), Ink::Error));
    }
    (left, right)
}

fn fresh_install_pieces(view: &View<'_>, package: &Package, fresh: &FreshInstalls, ascii: bool) -> Line {
    let mut pieces = vec![text_piece(" "), piece("fresh install  ", Ink::Title)];
    pieces.push(piece("Classic ", Ink::Classic));
    let place = if view.session.upgrade_query.starting.is_some() { "startingCSV" } else { "the head" };
    push_start(&mut pieces, package, &fresh.classic, place, ascii);
    if fresh.dead_end {
        pieces.push(piece(" (never upgraded in this channel)", Ink::Error));
    }
    pieces.push(piece("   v1 ", Ink::V1));
    push_start(&mut pieces, package, &fresh.v1, "", ascii);
    if let Some(why) = fresh.v1_blocker {
        pieces.push(piece(format!(" REFUSED ({})", why.brief()), Ink::Warning));
    }
    pieces.extend(expectations::unmet_fresh_expectations(view));
    // Errors can be long, so they follow both answers.
    for error in [&fresh.classic, &fresh.v1].into_iter().filter_map(|start| start.as_ref().err()) {
        pieces.push(piece(format!("   {error}"), Ink::Error));
    }
    pieces
}

fn push_start(
    pieces: &mut Line,
    package: &Package,
    start: &Result<FirstInstall, ResolveError>,
    place: &str,
    ascii: bool,
) {
    match start {
        Err(_) => pieces.push(piece("error", Ink::Error)),
        Ok(start) => {
            pieces.push(text_piece(bundle_short_name(package, &start.bundle)));
            if !place.is_empty() {
                pieces.push(piece(format!(" ({place})"), Ink::Dim));
            }
            match start.end.hops {
                0 => {}
                _ if start.end.circular => pieces.push(piece(", has a cycle", Ink::Warning)),
                hops => {
                    let arrow = if ascii { " -> " } else { " → " };
                    let s = if hops == 1 { "" } else { "s" };
                    pieces.push(piece(arrow, Ink::Dim));
                    pieces.push(text_piece(format!(
                        "{} in {hops} hop{s}",
                        bundle_short_name(package, &start.end.name)
                    )));
                }
            }
        }
    }
}
