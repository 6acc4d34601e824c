//! Dialogs over a screen. Each module has the name of the module of its state.

mod add_bundle;
mod against;
mod apis;
mod ask;
mod bundle_difference;
mod catalogs;
mod changed_on_disk;
mod choose;
mod configuration;
mod conflicts;
mod entry;
mod fetch;
mod finder;
mod history;
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
    app::{Model, dialogs::OpenDialog, parts::hit::Hit},
    ui::canvas::Canvas,
};

/// Draws all dialogs; the last is on top.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    for (below, dialog) in model.dialogs.iter().enumerate() {
        canvas.below = below;
        canvas.hit(Rect::default(), Hit::Asked(dialog.state().id()));
        match dialog {
            // The hint bar draws the filter.
            OpenDialog::Filter(_) => {}
            OpenDialog::Catalogs(list) => catalogs::draw(model, list, canvas, area),
            OpenDialog::Finder(finder) => finder::draw(model, finder, canvas, area),
            OpenDialog::Apis(list) => apis::draw(model, list, canvas, area),
            OpenDialog::BundleDifference(difference) => {
                bundle_difference::draw(model, difference, canvas, area);
            }
            OpenDialog::Log(log) => log::draw(model, log, canvas, area),
            OpenDialog::Commands(commands) => palette::draw(model, commands, canvas, area),
            OpenDialog::Entry(form) => entry::draw(model, form, canvas, area),
            OpenDialog::AddBundle(add) => add_bundle::draw(model, add, canvas, area),
            OpenDialog::Fetch(fetch) => fetch::draw(model, fetch, canvas, area),
            OpenDialog::History(list) => history::draw(model, list, canvas, area),
            OpenDialog::Promote(promote) => promote::draw(model, promote, canvas, area),
            OpenDialog::Pick(pick) => pick::draw(model, pick, canvas, area),
            OpenDialog::Prompt(prompt) => prompt::draw(model, prompt, canvas, area),
            OpenDialog::Legend(_) => legend::draw(model, canvas, area),
            OpenDialog::Ask(question) => ask::draw(model, question, canvas, area),
            OpenDialog::Choose(choice) => choose::draw(model, choice, canvas, area),
            OpenDialog::Against(choice) => against::draw(model, choice, canvas, area),
            OpenDialog::Refused(refused) => refused::draw(model, refused, canvas, area),
            OpenDialog::Range(tester) => range::draw(model, tester, canvas, area),
            OpenDialog::ChangedOnDisk(question) => changed_on_disk::draw(model, question, canvas, area),
            OpenDialog::Restore(question) => restore::draw(model, question, canvas, area),
            OpenDialog::Conflicts(conflicts) => conflicts::draw(model, conflicts, canvas, area),
            OpenDialog::OtherCatalogs(others) => other_catalogs::draw(model, others, canvas, area),
            OpenDialog::Leave(_) => leave::draw(model, canvas, area),
            OpenDialog::Configuration(problems) => configuration::draw(model, problems.cursor, canvas, area),
        }
    }
    if let Some(pending) = &model.keys.pending {
        which::draw(model, pending, canvas, area);
    }
}
