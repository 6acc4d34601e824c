//! Dialogs, which lie above a screen and receive the keys.
//!
//! Dialogs do not depend on each other or on screens: they request actions as data, which the shell
//! executes.

pub mod api_list;
pub mod bundle_difference;
pub mod catalog_list;
pub mod changed_on_disk;
pub mod comparison_choice;
pub mod configuration;
pub mod dialog;
pub mod edit_choice;
pub mod edit_conflicts;
pub mod edit_question;
pub mod edit_recovery;
pub mod entry_form;
pub mod filter;
pub mod finder;
pub mod history;
pub mod image_fetch;
pub mod legend;
pub mod list_picker;
pub mod new_bundle;
pub mod notice_log;
pub mod other_catalogs;
pub mod palette;
pub mod promotion;
pub mod prompt;
pub mod quit_confirmation;
pub mod range_tester;
pub mod save_refusal;
pub mod table;

use api_list::ApiList;
use bundle_difference::BundleDifference;
use catalog_list::CatalogList;
use changed_on_disk::ChangedOnDisk;
use comparison_choice::ComparisonChoice;
use configuration::ConfigurationProblems;
use dialog::DialogState;
use edit_choice::EditChoice;
use edit_conflicts::EditConflicts;
use edit_question::EditQuestion;
use edit_recovery::EditRecovery;
use entry_form::EntryForm;
use filter::ListFilter;
use finder::Finder;
use history::HistoryList;
use image_fetch::ImageFetch;
use legend::Legend;
use list_picker::ListPicker;
use new_bundle::NewBundleForm;
use notice_log::NoticeLog;
use other_catalogs::OtherCatalogs;
use palette::CommandPalette;
use promotion::Promotion;
use prompt::Prompt;
use quit_confirmation::QuitConfirmation;
use range_tester::RangeTester;
use save_refusal::SaveRefusal;

use crate::tui::{keys::spec::ActionSpec, session::context::ViewContext, work::DialogRequest};

/// Creates the requested dialog; `None` if it would be empty. `allowed` reports whether an action
/// is currently available.
pub(in crate::tui) fn open_dialog(
    opening: DialogRequest,
    view_cx: &ViewContext<'_>,
    allowed: &dyn Fn(&ActionSpec) -> bool,
) -> Option<Box<dyn DialogState>> {
    let session = view_cx.session;
    Some(match opening {
        DialogRequest::Filter(list) => Box::new(ListFilter::new(list, view_cx)),
        DialogRequest::Catalogs => Box::new(CatalogList::new(view_cx)),
        DialogRequest::Finder => Box::new(Finder::new(session)),
        DialogRequest::Apis { focus: of } => Box::new(ApiList::new(of, view_cx)),
        DialogRequest::Log => Box::new(NoticeLog::new(view_cx)),
        DialogRequest::BundleDifference { comparison, bundles: sought } => {
            Box::new(BundleDifference::new(&comparison, sought))
        }
        DialogRequest::Commands(scope) => Box::new(CommandPalette::new(scope, view_cx, allowed)),
        DialogRequest::Entry { package, channel, entry, spec, is_new } => {
            Box::new(EntryForm::new(package, channel, entry, spec, is_new, session))
        }
        DialogRequest::Promote { package, bundle } => Box::new(Promotion::new(package, bundle, session)),
        DialogRequest::AddBundle { path } => Box::new(NewBundleForm::new(path)),
        DialogRequest::Pick { title, purpose, is_multiple: several, has_filter: typed, items } => {
            let pick = ListPicker::new(title, purpose, several, items);
            Box::new(if typed { pick.with_filter() } else { pick })
        }
        DialogRequest::Prompt { title, purpose, text } => {
            Box::new(Prompt::new(title, purpose, text, view_cx))
        }
        DialogRequest::Legend { is_side_by_side } => Box::new(Legend { is_side_by_side }),
        DialogRequest::Ask { purpose, package, question: asked, initial_answer: proposed } => {
            Box::new(EditQuestion::new(purpose, package, asked, proposed, session))
        }
        DialogRequest::ConfirmEdit { title, outcome } => Box::new(EditChoice::from_outcome(title, outcome)),
        DialogRequest::Remedies(search) => Box::new(EditChoice::from_search(search)),
        DialogRequest::Choose { purpose, title, choices: ways } => {
            Box::new(EditChoice::new(purpose, title, ways, session))
        }
        DialogRequest::ComparisonBase => Box::new(ComparisonChoice::new(session)),
        DialogRequest::SaveRefusal { blocker: because, target: writing } => {
            Box::new(SaveRefusal { objection: because, writing })
        }
        DialogRequest::RangeTester(range) => Box::new(RangeTester::new(range, session)),
        DialogRequest::ChangedOnDisk(message) => Box::new(ChangedOnDisk { message }),
        DialogRequest::EditRecovery { recoverable_edits: left_overs } => {
            Box::new(EditRecovery { recoverable_edits: left_overs })
        }
        DialogRequest::EditConflicts { applied: made, refused } => {
            Box::new(EditConflicts { restored: made, rejected: refused, cursor: 0 })
        }
        DialogRequest::Fetch { package, choices, cursor } => {
            Box::new(ImageFetch::new(package, choices, cursor))
        }
        DialogRequest::History { package } => Box::new(HistoryList::new(package)),
        DialogRequest::OtherCatalogs => Box::new(OtherCatalogs::from_last_edit(view_cx)?),
        DialogRequest::QuitConfirmation => Box::new(QuitConfirmation),
        DialogRequest::Configuration => Box::new(ConfigurationProblems::new(view_cx.settings)),
    })
}
