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

use crate::app::{Model, Screen, Stage, parts::hit::HitMap, session::open::Busy};
use canvas::Canvas;
use screens::{
    about, bundle, catalog, changes, deprecations, graph, overview, plan, problems, resolve, template,
    upgrades,
};
use shell::{frame, notices, tour};

/// Smallest terminal in which more than a message is drawn.
pub const SMALLEST: (u16, u16) = (40, 10);

/// Draws the model and returns the positions of clickable items.
pub fn view(model: &Model, theme: &Theme, frame: &mut Frame<'_>) -> HitMap {
    let area = frame.area();
    let mut canvas = Canvas::new(frame.buffer_mut(), theme, model.settings.ascii);
    draw(model, &mut canvas, area);
    canvas.hits
}

fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let size = format!("{}x{}", SMALLEST.0, SMALLEST.1);
        let words = [format!("olmap needs {size}"), format!("needs {size}"), size];
        let fits = |words: &&String| canvas::width(words) <= usize::from(area.width);
        if let Some(words) = words.iter().find(fits).or(words.last()) {
            canvas.put(area.x, area.y, area.width, words, Role::Warning);
        }
        return;
    }
    let rows = |y, height| Rect { x: area.x, y: area.y + y, width: area.width, height };
    let hints = area.height - 1;
    let bottom = hints - model.frame.tour_rows.min(hints - 2);
    frame::header(model, canvas, rows(0, 1));
    match &model.session.stage {
        Stage::Ready => {
            frame::tabs(model, canvas, rows(1, 1));
            let body = rows(2, bottom - 2);
            match model.session.screen {
                Screen::Catalog => catalog::draw(model, canvas, body),
                Screen::Graph => graph::draw(model, canvas, body),
                Screen::Upgrades => upgrades::draw(model, canvas, body),
                Screen::Problems => problems::draw(model, canvas, body),
                Screen::Deprecations => deprecations::draw(model, canvas, body),
                Screen::Changes => changes::draw(model, canvas, body),
                Screen::Bundle => bundle::draw(model, canvas, body),
                Screen::Template => template::draw(model, canvas, body),
                Screen::Resolve => resolve::draw(model, canvas, body),
                Screen::Overview => overview::draw(model, canvas, body),
                Screen::Plan => plan::draw(model, canvas, body),
                Screen::About => about::draw(model, canvas, body),
            }
            // Stale content stays readable during a reload, but is dimmed.
            if model.session.busy == Some(Busy::Reading) && model.session.waits_for().is_some() {
                canvas.tint(body, Role::Stale);
            }
        }
        Stage::Loading(progress) => frame::loading(model, progress, canvas, rows(2, bottom - 2)),
        Stage::Failed(failed) => frame::failed(failed, canvas, rows(2, bottom - 2)),
    }
    if let Some(tour) = model.tour {
        tour::draw(model, tour, canvas, rows(bottom, hints - bottom));
    }
    frame::hints(model, canvas, rows(hints, 1));
    dialogs::draw(model, canvas, area);
    notices::draw(model, canvas, area);
}
