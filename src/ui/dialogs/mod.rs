//! Dialogs over a screen. Each module has the name of the module of its state.

mod api_list;
mod bundle_difference;
mod catalog_list;
mod changed_on_disk;
mod comparison_choice;
mod configuration;
mod edit_choice;
mod edit_conflicts;
mod edit_question;
mod edit_recovery;
mod entry_form;
mod finder;
mod history;
mod image_fetch;
mod legend;
mod list_picker;
mod new_bundle;
mod notice_log;
mod other_catalogs;
mod palette;
mod pending_keys;
mod promotion;
mod prompt;
mod quit_confirmation;
mod range_tester;
mod save_refusal;

use ratatui::layout::Rect;

use crate::{
    tui::{Model, dialogs::OpenDialog, parts::hit::Hit},
    ui::canvas::Canvas,
};

/// Draws all dialogs; the last is on top.
pub fn draw_dialogs(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    for (below, dialog) in model.dialogs.iter().enumerate() {
        canvas.dialogs_below = below;
        canvas.add_hit(Rect::default(), Hit::DrawnDialog(dialog.state().id()));
        match dialog {
            // The hint bar draws the filter.
            OpenDialog::Filter(_) => {}
            OpenDialog::Catalogs(list) => catalog_list::draw_catalog_list(model, list, canvas, area),
            OpenDialog::Finder(finder) => finder::draw_finder(model, finder, canvas, area),
            OpenDialog::Apis(list) => api_list::draw_api_list(model, list, canvas, area),
            OpenDialog::BundleDifference(difference) => {
                bundle_difference::draw_bundle_difference(model, difference, canvas, area);
            }
            OpenDialog::Log(log) => notice_log::draw_notice_log(model, log, canvas, area),
            OpenDialog::Commands(commands) => palette::draw_palette(model, commands, canvas, area),
            OpenDialog::Entry(form) => entry_form::draw_entry_form(model, form, canvas, area),
            OpenDialog::AddBundle(add) => new_bundle::draw_new_bundle_form(model, add, canvas, area),
            OpenDialog::Fetch(fetch) => image_fetch::draw_image_fetch(model, fetch, canvas, area),
            OpenDialog::History(list) => history::draw_history(model, list, canvas, area),
            OpenDialog::Promotion(promote) => promotion::draw_promotion(model, promote, canvas, area),
            OpenDialog::ListPicker(pick) => list_picker::draw_list_picker(model, pick, canvas, area),
            OpenDialog::Prompt(prompt) => prompt::draw_prompt(model, prompt, canvas, area),
            OpenDialog::Legend(_) => legend::draw_legend(model, canvas, area),
            OpenDialog::EditQuestion(question) => {
                edit_question::draw_edit_question(model, question, canvas, area);
            }
            OpenDialog::EditChoice(choice) => edit_choice::draw_edit_choice(model, choice, canvas, area),
            OpenDialog::ComparisonChoice(choice) => {
                comparison_choice::draw_comparison_choice(model, choice, canvas, area);
            }
            OpenDialog::SaveRefusal(refused) => save_refusal::draw_save_refusal(model, refused, canvas, area),
            OpenDialog::Range(tester) => range_tester::draw_range_tester(model, tester, canvas, area),
            OpenDialog::ChangedOnDisk(question) => {
                changed_on_disk::draw_changed_on_disk(model, question, canvas, area);
            }
            OpenDialog::EditRecovery(question) => {
                edit_recovery::draw_edit_recovery(model, question, canvas, area);
            }
            OpenDialog::EditConflicts(conflicts) => {
                edit_conflicts::draw_edit_conflicts(model, conflicts, canvas, area);
            }
            OpenDialog::OtherCatalogs(others) => {
                other_catalogs::draw_other_catalogs(model, others, canvas, area);
            }
            OpenDialog::QuitConfirmation(_) => quit_confirmation::draw_quit_confirmation(model, canvas, area),
            OpenDialog::Configuration(problems) => {
                configuration::draw_configuration_problems(model, problems.cursor, canvas, area);
            }
        }
    }
    if let Some(pending) = &model.keys.pending {
        pending_keys::draw_pending_keys(model, pending, canvas, area);
    }
}
