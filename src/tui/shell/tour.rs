//! Tour of the demo in five steps. A step says what to press and ends by itself when that is done.
//! The tour does not handle keys.

use ratatui::layout::Rect;

use crate::tui::{
    keys::{ActionId, Screen, spec::Enabled},
    shell::model::Model,
    widgets::{
        canvas::{Canvas, display_width, piece, wrap_text},
        theme::Ink,
    },
    work::Source,
};

/// Progress of the tour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tour {
    /// Number of finished steps.
    pub done: usize,
}

/// Step of the tour.
struct Step {
    title: &'static str,
    /// Instruction and expected result.
    instruction: fn(&Model) -> String,
    /// Short instruction, for small terminals.
    short_instruction: fn(&Model) -> String,
    /// Returns true once the step is done.
    is_done: fn(&Model) -> bool,
}

/// Package of the demo with a dead end.
const PACKAGE: &str = "granary-operator";

/// Approximate length of the longest instruction in columns.
const MAX_INSTRUCTION_WIDTH: u16 = 185;

const STEPS: [Step; 5] = [
    Step {
        title: "find anything",
        instruction: |model| {
            format!(
                "Press {} and type gran, then enter. A few letters find packages, channels, bundles, \
                 images, APIs and findings.",
                model.key_label(ActionId::Find)
            )
        },
        short_instruction: |model| format!("{}, gran, enter", model.key_label(ActionId::Find)),
        is_done: |model| {
            let package = model.session.selection().package.as_ref();
            model.dialogs.is_empty() && package.is_some_and(|name| name.as_str() == PACKAGE)
        },
    },
    Step {
        title: "see who is stuck",
        instruction: |model| {
            format!(
                "Press {} for the upgrade graph of the channel, and go with {} to the row that says DEAD \
                 END: users of that version get no upgrade from OLM Classic.",
                model.key_label(ActionId::ShowGraph),
                model.key_label(ActionId::Down)
            )
        },
        short_instruction: |model| {
            format!(
                "{}, then {} to DEAD END",
                model.key_label(ActionId::ShowGraph),
                model.key_label(ActionId::Down)
            )
        },
        is_done: |model| model.session.navigation.screen == Screen::Graph && is_dead_end(model),
    },
    Step {
        title: "ask why",
        instruction: |model| {
            format!(
                "Press {} for what Classic and v1 do with every installed version, and {} for the \
                 reasons: each candidate, and why it was picked or not.",
                model.key_label(ActionId::ShowUpgrades),
                model.key_label(ActionId::In)
            )
        },
        short_instruction: |model| {
            format!("{}, then {}", model.key_label(ActionId::ShowUpgrades), model.key_label(ActionId::In))
        },
        is_done: |model| {
            model.session.navigation.screen == Screen::Upgrades && model.screens.upgrades.is_reading_reasons()
        },
    },
    Step {
        title: "fix it",
        instruction: |model| {
            format!(
                "Press {} for the findings; on stuck, {} shows the edit that adds an upgrade path.",
                model.key_label(ActionId::ShowProblems),
                model.key_label(ActionId::ApplyFix)
            )
        },
        short_instruction: |model| {
            format!(
                "{}, then {} on stuck",
                model.key_label(ActionId::ShowProblems),
                model.key_label(ActionId::ApplyFix)
            )
        },
        is_done: |model| model.session.catalogs.unsaved_count() > 0,
    },
    Step {
        title: "see what it does",
        instruction: |model| {
            format!(
                "Press {} for the changed lines and the changed upgrades: nothing is saved before you \
                 confirm it there.",
                model.key_label(ActionId::ShowChanges)
            )
        },
        short_instruction: |model| format!("{} shows the edit", model.key_label(ActionId::ShowChanges)),
        is_done: |model| {
            model.session.catalogs.unsaved_count() > 0 && model.session.navigation.screen == Screen::Changes
        },
    },
];

impl Tour {
    /// Returns the title of the current step, or that the tour is done.
    pub fn step_title(self) -> String {
        match STEPS.get(self.done) {
            Some(step) => format!("Tour {} of {}: {}", self.done + 1, STEPS.len(), step.title),
            None => "Tour: done".to_owned(),
        }
    }

    /// Returns the number of rows for the tour. 0 if the terminal is too small.
    pub(in crate::tui) fn tour_rows((columns, rows): (u16, u16)) -> u16 {
        match rows {
            0..15 => 0,
            15..20 => 2,
            _ => 1 + MAX_INSTRUCTION_WIDTH.div_ceil(columns.saturating_sub(8).max(1)).min(4),
        }
    }

    /// Returns the short instruction of the current step.
    pub fn short_instruction(self, model: &Model) -> String {
        STEPS.get(self.done).map_or_else(|| self.instruction(model), |step| (step.short_instruction)(model))
    }

    /// Returns the instruction of the current step.
    pub fn instruction(self, model: &Model) -> String {
        match STEPS.get(self.done) {
            Some(step) => (step.instruction)(model),
            None => format!(
                "{} undoes the edit, {} shows the keys, {} lists all actions. Your own catalog: olmap PATH.",
                model.key_label(ActionId::Undo),
                model.key_label(ActionId::Help),
                model.key_label(ActionId::Palette)
            ),
        }
    }
}

impl Model {
    /// Returns true if the initial tour was finished or ended.
    pub fn tour_is_over(&self) -> bool {
        self.settings.tour && self.tour.is_none_or(|tour| tour.done >= STEPS.len())
    }
}

/// Returns true if the selected bundle is a dead end under Classic.
fn is_dead_end(model: &Model) -> bool {
    let row = model
        .session
        .selection()
        .bundle
        .as_ref()
        .and_then(|name| model.session.derived.upgrade_table()?.find_row(name));
    row.is_some_and(|row| row.dead_end)
}

/// Continues with the next step once the current one is done.
pub(in crate::tui) fn advance_tour(model: &mut Model) {
    let Some(mut tour) = model.tour else { return };
    while STEPS.get(tour.done).is_some_and(|step| (step.is_done)(model)) {
        tour.done += 1;
    }
    model.tour = Some(tour);
}

/// Returns an error if the tour is not available.
pub(in crate::tui) fn check_available(model: &Model) -> Enabled {
    let is_demo = model.session.current_catalog().is_some_and(|open| open.source == Source::Demo);
    if is_demo || model.tour.is_some() {
        return Ok(());
    }
    Err("the tour needs the demo: start olmap without a path, outside of a catalog".to_owned())
}

/// Draws the title of the step and as much of its instructions as fits.
pub fn draw_tour(model: &Model, tour: Tour, canvas: &mut Canvas<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let title = format!(" {} ", tour.step_title());
    let end = format!("{} ends the tour ", model.key_label(ActionId::Tour));
    let row = Rect { height: 1, ..area };
    if area.height > 1 {
        canvas.draw_rule(row);
    }
    canvas.draw_line(Rect { x: area.x + 1, ..row }, &[piece(&title, Ink::Active)]);
    if display_width(&title) + display_width(&end) + 4 <= usize::from(area.width) {
        canvas.draw_line_right(row, &[piece(format!(" {end}"), Ink::Dim)]);
    }
    let room = usize::from(area.width).saturating_sub(3);
    let words = if area.height > 2 { tour.instruction(model) } else { tour.short_instruction(model) };
    let lines = wrap_text(&words, room);
    for (y, line) in (area.y + 1..area.bottom()).zip(&lines) {
        canvas.draw_text(area.x + 2, y, area.width.saturating_sub(2), line, Ink::Text);
    }
}
