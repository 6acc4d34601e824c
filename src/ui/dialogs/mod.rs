//! What lies over a screen: each dialog in a file that is called as its state.

mod against;
mod ask;
mod changed_on_disk;
mod choose;
mod configuration;
mod conflicts;
mod entry;
mod finder;
mod leave;
mod legend;
mod log;
mod other_catalogs;
mod palette;
mod pick;
mod promote;
mod prompt;
mod range;
mod refused;
mod restore;
mod which;

use ratatui::layout::Rect;

use crate::{
    app::{Model, dialogs::Overlay},
    ui::canvas::Canvas,
};

/// Draws all dialogs, the last on top.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    for overlay in &model.dialogs {
        match overlay {
            // It stands where the hints do.
            Overlay::Filter(_) => {}
            Overlay::Finder(finder) => finder::draw(model, finder, canvas, area),
            Overlay::Log(log) => log::draw(model, log, canvas, area),
            Overlay::Commands(commands) => palette::draw(model, commands, canvas, area),
            Overlay::Entry(form) => entry::draw(model, form, canvas, area),
            Overlay::Promote(promote) => promote::draw(model, promote, canvas, area),
            Overlay::Pick(pick) => pick::draw(model, pick, canvas, area),
            Overlay::Prompt(prompt) => prompt::draw(prompt, canvas, area),
            Overlay::Legend(_) => legend::draw(model, canvas, area),
            Overlay::Ask(question) => ask::draw(model, question, canvas, area),
            Overlay::Choose(choice) => choose::draw(model, choice, canvas, area),
            Overlay::Against(choice) => against::draw(model, choice, canvas, area),
            Overlay::Refused(refused) => refused::draw(model, refused, canvas, area),
            Overlay::Range(tester) => range::draw(model, tester, canvas, area),
            Overlay::ChangedOnDisk(question) => changed_on_disk::draw(model, question, canvas, area),
            Overlay::Restore(question) => restore::draw(model, question, canvas, area),
            Overlay::Conflicts(conflicts) => conflicts::draw(model, conflicts, canvas, area),
            Overlay::Elsewhere(elsewhere) => other_catalogs::draw(model, elsewhere, canvas, area),
            Overlay::Leave(_) => leave::draw(model, canvas, area),
            Overlay::Configuration(problems) => configuration::draw(model, problems.cursor, canvas, area),
        }
    }
    if let Some(pending) = &model.keys.pending {
        which::draw(model, pending, canvas, area);
    }
}
