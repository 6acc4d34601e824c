//! Tour in five steps, of the demo or of the user's catalog. A step says what to press and ends by
//! itself when that is done. The tour does not handle keys.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::edit_choice,
    keys::{ActionId, Screen, spec::Enabled},
    parts::list::stuck_sort_key,
    shell::model::Model,
    widgets::{
        canvas::{Canvas, display_width, piece, wrap_text},
        theme::Ink,
    },
    work::{ProgramChoice, Source},
};
use olmap_report::escape;

/// Progress of the tour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tour {
    /// Number of finished steps.
    pub done: usize,
    /// Number of steps that were done when the tour started; `None` before. They are not counted.
    skipped: Option<usize>,
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
const DEMO_PACKAGE: &str = "granary-operator";

/// Returns true if the demo is the current catalog.
fn is_demo(model: &Model) -> bool {
    model.session.current_catalog().is_some_and(|open| open.source == Source::Demo)
}

/// Returns the package that the tour is about: in the demo a fixed one, otherwise the one with most
/// stuck versions.
fn toured_package(model: &Model) -> &str {
    if is_demo(model) {
        return DEMO_PACKAGE;
    }
    let packages = model.session.snapshot().into_iter().flat_map(|now| now.packages());
    let most_stuck = packages.min_by_key(|(_, state)| stuck_sort_key(state.stuck()));
    most_stuck.map(|(name, _)| name.as_str()).unwrap_or_default()
}

/// Returns true if versions of the selected package are stuck.
fn has_stuck_versions(model: &Model) -> bool {
    let stuck = model.session.selected_package().and_then(|state| model.session.catalogs.stuck_of(state));
    stuck.is_some_and(|stuck| stuck.count_any() > 0)
}

/// Returns true if the selected version is stuck.
fn is_stuck(model: &Model) -> bool {
    let stuck = model.session.selected_package().and_then(|state| model.session.catalogs.stuck_of(state));
    let bundle = model.session.selection().bundle.as_ref();
    stuck.zip(bundle).is_some_and(|(stuck, bundle)| stuck.state_of(bundle).is_stuck())
}

/// Returns true if an entry of the selected channel is stuck.
fn has_stuck_entries(model: &Model) -> bool {
    let state = model.session.selected_package();
    let stuck = state.and_then(|state| model.session.catalogs.stuck_of(state));
    let channel = model.session.selection().channel.as_ref().zip(state);
    let channel = channel.and_then(|(channel, state)| state.graph.channel(channel.as_str()));
    let count = stuck.zip(channel).and_then(|(stuck, channel)| stuck.count_in_channel(&channel.graph));
    count.is_some_and(|count| count != (0, 0))
}

/// Approximate length of the longest instruction in columns.
const MAX_INSTRUCTION_WIDTH: u16 = 185;

const STEPS: [Step; 5] = [
    Step {
        title: "find anything",
        instruction: |model| {
            format!(
                "Press {} and type {}, then enter. A few letters find packages, channels, bundles, \
                 images, APIs and findings.",
                model.key_label(ActionId::Find),
                typed_name(model)
            )
        },
        short_instruction: |model| {
            format!("{}, {}, enter", model.key_label(ActionId::Find), typed_name(model))
        },
        is_done: |model| {
            let package = model.session.selection().package.as_ref();
            model.dialogs.is_empty() && package.is_some_and(|name| name.as_str() == toured_package(model))
        },
    },
    Step {
        title: "see who is stuck",
        instruction: |model| {
            let (graph, down) = (model.key_label(ActionId::ShowGraph), model.key_label(ActionId::Down));
            if has_stuck_versions(model) && !has_stuck_entries(model) {
                return format!(
                    "Press {} for the channels, go with {down} to a number below stuck, and press {graph} \
                     for its upgrade graph. Then go to a row that says STUCK.",
                    model.key_label(ActionId::In)
                );
            }
            if is_demo(model) || has_stuck_versions(model) {
                return format!(
                    "Press {graph} for the upgrade graph of the channel, and go with {down} to a row that says \
                     STUCK: users of that version never get the newest one."
                );
            }
            format!(
                "Press {graph} for the upgrade graph of the channel. No version of this package is stuck."
            )
        },
        short_instruction: |model| {
            let (graph, down) = (model.key_label(ActionId::ShowGraph), model.key_label(ActionId::Down));
            if has_stuck_versions(model) && !has_stuck_entries(model) {
                return format!("a channel with stuck versions, {graph}, {down} to STUCK");
            }
            if is_demo(model) || has_stuck_versions(model) {
                return format!("{graph}, then {down} to STUCK");
            }
            format!("{graph} shows the upgrade graph")
        },
        is_done: |model| {
            let is_expected = is_stuck(model) || (!is_demo(model) && !has_stuck_versions(model));
            model.session.navigation.screen == Screen::Graph && is_expected
        },
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
            let (problems, fix) =
                (model.key_label(ActionId::ShowProblems), model.key_label(ActionId::ApplyFix));
            if is_demo(model) {
                return format!(
                    "Press {problems} for the findings; on stuck, {fix} shows the edit that adds an upgrade path."
                );
            }
            format!(
                "Press {problems} for the findings. {fix} previews the edit that fixes one, or says why there is none; \
                 {} cancels it.",
                model.key_label(ActionId::Back)
            )
        },
        short_instruction: |model| {
            format!(
                "{}, then {} on stuck",
                model.key_label(ActionId::ShowProblems),
                model.key_label(ActionId::ApplyFix)
            )
        },
        is_done: |model| {
            let is_previewed = model.dialogs.last().is_some_and(|dialog| dialog.id() == edit_choice::DIALOG);
            let has_looked = is_previewed || model.session.navigation.screen == Screen::Problems;
            model.session.catalogs.unsaved_count() > 0 || (!is_demo(model) && has_looked)
        },
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
            let is_edited = model.session.catalogs.unsaved_count() > 0 || !is_demo(model);
            is_edited && model.session.navigation.screen == Screen::Changes
        },
    },
];

/// Returns what the first step asks to type.
fn typed_name(model: &Model) -> String {
    const LETTERS: usize = 12;
    if is_demo(model) {
        return "gran".to_owned();
    }
    let name = toured_package(model).chars().take(LETTERS).collect::<String>();
    escape::escape_line(&name).into_owned()
}

impl Tour {
    /// Returns the title of the current step, or that the tour is done.
    pub fn step_title(self) -> String {
        match STEPS.get(self.done) {
            Some(step) => {
                let skipped = self.skipped.unwrap_or_default();
                let (place, all) = (self.done + 1 - skipped, STEPS.len() - skipped);
                format!("Tour {place} of {all}: {}", step.title)
            }
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

/// Continues with the next step once the current one is done.
pub(in crate::tui) fn advance_tour(model: &mut Model) {
    let Some(mut tour) = model.tour else { return };
    while STEPS.get(tour.done).is_some_and(|step| (step.is_done)(model)) {
        tour.done += 1;
    }
    tour.skipped.get_or_insert(tour.done.min(STEPS.len() - 1));
    model.tour = Some(tour);
}

/// Returns an error if the tour is not available.
pub(in crate::tui) fn check_available(model: &Model) -> Enabled {
    if model.session.selected_package().is_some() || model.tour.is_some() {
        return Ok(());
    }
    Err("the tour needs a catalog with a package".to_owned())
}

/// Draws the title of the step and as much of its instructions as fits.
pub fn draw_tour(model: &Model, tour: Tour, canvas: &mut Canvas<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let title = format!(" {} ", tour.step_title());
    let end = format!("{} ends the tour ", model.program_keys(ProgramChoice::Tour));
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
