//! Tour of the demo in five steps. A step says what to press and ends by itself when that is done.
//! The tour does not handle keys.

use crate::app::{
    keys::{ActionId, Screen, spec::Enabled},
    shell::model::Model,
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
    words: fn(&Model) -> String,
    /// Short instruction, for small terminals.
    short: fn(&Model) -> String,
    /// Returns true once the step is done.
    is_done: fn(&Model) -> bool,
}

/// Package of the demo with a dead end.
const PACKAGE: &str = "granary-operator";

/// Approximate length of the longest instruction in columns.
const LONGEST: u16 = 185;

const STEPS: [Step; 5] = [
    Step {
        title: "find anything",
        words: |model| {
            format!(
                "Press {} and type gran, then enter. A few letters find packages, channels, bundles, \
                 images, APIs and findings.",
                model.key(ActionId::Find)
            )
        },
        short: |model| format!("{}, gran, enter", model.key(ActionId::Find)),
        is_done: |model| {
            let package = model.session.selection().package.as_ref();
            model.dialogs.is_empty() && package.is_some_and(|name| name.as_str() == PACKAGE)
        },
    },
    Step {
        title: "see who is stuck",
        words: |model| {
            format!(
                "Press {} for the upgrade graph of the channel, and go with {} to the row that says DEAD \
                 END: users of that version get no upgrade from OLM Classic.",
                model.key(ActionId::ShowGraph),
                model.key(ActionId::Down)
            )
        },
        short: |model| {
            format!("{}, then {} to DEAD END", model.key(ActionId::ShowGraph), model.key(ActionId::Down))
        },
        is_done: |model| model.session.screen == Screen::Graph && is_dead_end(model),
    },
    Step {
        title: "ask why",
        words: |model| {
            format!(
                "Press {} for what Classic and v1 do with every installed version, and {} for the \
                 reasons: each candidate, and why it was picked or not.",
                model.key(ActionId::ShowUpgrades),
                model.key(ActionId::In)
            )
        },
        short: |model| format!("{}, then {}", model.key(ActionId::ShowUpgrades), model.key(ActionId::In)),
        is_done: |model| {
            model.session.screen == Screen::Upgrades && model.screens.upgrades.is_reading_reasons()
        },
    },
    Step {
        title: "fix it",
        words: |model| {
            format!(
                "Press {} for the findings; on stuck, {} shows the edit that adds an upgrade path.",
                model.key(ActionId::ShowProblems),
                model.key(ActionId::ApplyFix)
            )
        },
        short: |model| {
            format!("{}, then {} on stuck", model.key(ActionId::ShowProblems), model.key(ActionId::ApplyFix))
        },
        is_done: |model| model.session.unsaved() > 0,
    },
    Step {
        title: "see what it does",
        words: |model| {
            format!(
                "Press {} for the changed lines and the changed upgrades: nothing is saved before you \
                 confirm it there.",
                model.key(ActionId::ShowChanges)
            )
        },
        short: |model| format!("{} shows the edit", model.key(ActionId::ShowChanges)),
        is_done: |model| model.session.unsaved() > 0 && model.session.screen == Screen::Changes,
    },
];

impl Tour {
    /// Returns the title of the current step, or that the tour is done.
    pub fn title(self) -> String {
        match STEPS.get(self.done) {
            Some(step) => format!("Tour {} of {}: {}", self.done + 1, STEPS.len(), step.title),
            None => "Tour: done".to_owned(),
        }
    }

    /// Returns the number of rows for the tour. 0 if the terminal is too small.
    pub(in crate::app) fn rows((columns, rows): (u16, u16)) -> u16 {
        match rows {
            0..15 => 0,
            15..20 => 2,
            _ => 1 + LONGEST.div_ceil(columns.saturating_sub(8).max(1)).min(4),
        }
    }

    /// Returns the short instruction of the current step.
    pub fn short(self, model: &Model) -> String {
        STEPS.get(self.done).map_or_else(|| self.words(model), |step| (step.short)(model))
    }

    /// Returns the instruction of the current step.
    pub fn words(self, model: &Model) -> String {
        match STEPS.get(self.done) {
            Some(step) => (step.words)(model),
            None => format!(
                "{} undoes the edit, {} shows the keys, {} lists all actions. Your own catalog: olmap PATH.",
                model.key(ActionId::Undo),
                model.key(ActionId::Help),
                model.key(ActionId::Palette)
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
    let row =
        model.session.selection().bundle.as_ref().and_then(|name| model.session.answers.table()?.row(name));
    row.is_some_and(|row| row.dead_end)
}

/// Continues with the next step once the current one is done.
pub(in crate::app) fn follow(model: &mut Model) {
    let Some(mut tour) = model.tour else { return };
    while STEPS.get(tour.done).is_some_and(|step| (step.is_done)(model)) {
        tour.done += 1;
    }
    model.tour = Some(tour);
}

/// Returns an error if the tour is not available.
pub(in crate::app) fn is_possible(model: &Model) -> Enabled {
    let is_demo = model.session.catalog().is_some_and(|open| open.source == Source::Demo);
    if is_demo || model.tour.is_some() {
        return Ok(());
    }
    Err("the tour needs the demo: start olmap without a path, outside of a catalog".to_owned())
}
