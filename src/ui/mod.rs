//! Draws the state of the explorer. This module makes no decisions.
//!
//! [`view`] is pure: the same model produces the same cells. It returns the positions of items for
//! the mouse and for scrolling.

mod canvas;
#[cfg(test)]
mod canvas_tests;
pub mod capture;
mod dialogs;
mod parts;
mod screens;
mod shell;
mod text;
#[cfg(test)]
mod text_tests;
mod theme;

pub use theme::{Role, Theme};

use ratatui::{Frame, layout::Rect};

use crate::tui::{Model, Screen, Stage, parts::hit::HitMap, session::open_catalog::BlockingWork};
use canvas::Canvas;
use screens::{
    about, bundle, catalog, changes, deprecations, graph, overview, plan, problems, resolve, template,
    upgrades,
};
use shell::{frame, notices, tour};

/// Smallest terminal in which more than a message is drawn.
pub const MIN_SIZE: (u16, u16) = (40, 10);

/// Draws the model and returns the positions of clickable items.
pub fn view(model: &Model, theme: &Theme, frame: &mut Frame<'_>) -> HitMap {
    let area = frame.area();
    let mut canvas = Canvas::new(frame.buffer_mut(), theme, model.settings.ascii);
    draw_model(model, &mut canvas, area);
    canvas.hits
}

fn draw_model(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        let size = format!("{}x{}", MIN_SIZE.0, MIN_SIZE.1);
        let words = [format!("olmap needs {size}"), format!("needs {size}"), size];
        let fits = |words: &&String| canvas::display_width(words) <= usize::from(area.width);
        if let Some(words) = words.iter().find(fits).or(words.last()) {
            canvas.draw_text(area.x, area.y, area.width, words, Role::Warning);
        }
        return;
    }
    let rows = |y, height| Rect { x: area.x, y: area.y + y, width: area.width, height };
    let hints = area.height - 1;
    let bottom = hints - model.frame.tour_rows.min(hints - 2);
    frame::draw_header(model, canvas, rows(0, 1));
    match &model.session.stage {
        Stage::Ready => {
            frame::draw_tabs(model, canvas, rows(1, 1));
            let body = rows(2, bottom - 2);
            match model.session.screen {
                Screen::Catalog => catalog::draw_catalog_screen(model, canvas, body),
                Screen::Graph => graph::draw_graph_screen(model, canvas, body),
                Screen::Upgrades => upgrades::draw_upgrades_screen(model, canvas, body),
                Screen::Problems => problems::draw_problems_screen(model, canvas, body),
                Screen::Deprecations => deprecations::draw_deprecations_screen(model, canvas, body),
                Screen::Changes => changes::draw_changes_screen(model, canvas, body),
                Screen::Bundle => bundle::draw_bundle_screen(model, canvas, body),
                Screen::Template => template::draw_template_screen(model, canvas, body),
                Screen::Resolve => resolve::draw_resolve_screen(model, canvas, body),
                Screen::Overview => overview::draw_overview_screen(model, canvas, body),
                Screen::Plan => plan::draw_plan_screen(model, canvas, body),
                Screen::About => about::draw_about_screen(model, canvas, body),
            }
            // Stale content stays readable during a reload, but is dimmed.
            if model.session.busy == Some(BlockingWork::Reading) && model.session.wait_status().is_some() {
                canvas.tint(body, Role::Stale);
            }
        }
        Stage::Loading(progress) => frame::draw_loading(model, progress, canvas, rows(2, bottom - 2)),
        Stage::Failed(failed) => frame::draw_failures(failed, canvas, rows(2, bottom - 2)),
    }
    if let Some(tour) = model.tour {
        tour::draw_tour(model, tour, canvas, rows(bottom, hints - bottom));
    }
    frame::draw_hints(model, canvas, rows(hints, 1));
    dialogs::draw_dialogs(model, canvas, area);
    notices::draw_notices(model, canvas, area);
}
