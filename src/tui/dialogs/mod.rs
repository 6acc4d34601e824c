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

use crate::tui::{keys::spec::ActionSpec, session::context::ViewContext, work::DialogRequest};
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

/// Open dialog. The topmost one receives the keys.
#[derive(Debug)]
pub enum OpenDialog {
    /// Filters a list.
    Filter(ListFilter),
    /// Lists the open catalogs.
    Catalogs(Box<CatalogList>),
    /// Finds items by name.
    Finder(Box<Finder>),
    /// Lists providers and users of APIs and packages.
    Apis(Box<ApiList>),
    /// Lists earlier notices.
    Log(NoticeLog),
    /// Shows the differences between two bundles.
    BundleDifference(BundleDifference),
    /// Lists all actions: palette and help.
    Commands(CommandPalette),
    /// Edits the edges of an entry.
    Entry(Box<EntryForm>),
    /// Adds a bundle to other channels.
    Promotion(Box<Promotion>),
    /// Adds a new bundle to channels of open catalogs.
    AddBundle(Box<NewBundleForm>),
    /// Chooses from a list.
    ListPicker(ListPicker),
    /// Asks for a line of text.
    Prompt(Prompt),
    /// Explains the symbols of the graph.
    Legend(Legend),
    /// Asks for a line of text that an edit needs, with a preview.
    EditQuestion(Box<EditQuestion>),
    /// Chooses one of a few edits.
    EditChoice(Box<EditChoice>),
    /// Chooses the base of a comparison.
    ComparisonChoice(ComparisonChoice),
    /// Asks before a save that opm refuses.
    SaveRefusal(SaveRefusal),
    /// Tests version ranges.
    Range(Box<RangeTester>),
    /// Offers to reload a file that another program changed.
    ChangedOnDisk(ChangedOnDisk),
    /// Offers to restore edits from before a crash.
    EditRecovery(EditRecovery),
    /// Lists edits that could not be restored.
    EditConflicts(EditConflicts),
    /// Fetches bundle images.
    Fetch(ImageFetch),
    /// Lists the commits of a package.
    History(HistoryList),
    /// Repeats the last edit in other catalogs.
    OtherCatalogs(OtherCatalogs),
    /// Asks before unsaved edits are lost.
    QuitConfirmation(QuitConfirmation),
    /// Lists the problems in the configuration.
    Configuration(ConfigurationProblems),
}

impl OpenDialog {
    /// Returns the state of the dialog.
    pub fn state(&self) -> &dyn DialogState {
        match self {
            Self::Filter(filter) => filter,
            Self::Catalogs(catalogs) => &**catalogs,
            Self::Finder(finder) => &**finder,
            Self::Apis(apis) => &**apis,
            Self::Log(log) => log,
            Self::BundleDifference(difference) => difference,
            Self::Commands(commands) => commands,
            Self::Entry(form) => &**form,
            Self::Promotion(promote) => &**promote,
            Self::AddBundle(add) => &**add,
            Self::ListPicker(pick) => pick,
            Self::Prompt(prompt) => prompt,
            Self::Legend(legend) => legend,
            Self::EditQuestion(question) => &**question,
            Self::EditChoice(choice) => &**choice,
            Self::ComparisonChoice(choice) => choice,
            Self::SaveRefusal(refused) => refused,
            Self::Range(tester) => &**tester,
            Self::ChangedOnDisk(question) => question,
            Self::EditRecovery(question) => question,
            Self::EditConflicts(conflicts) => conflicts,
            Self::Fetch(fetch) => fetch,
            Self::History(list) => list,
            Self::OtherCatalogs(others) => others,
            Self::QuitConfirmation(question) => question,
            Self::Configuration(problems) => problems,
        }
    }

    /// Returns the mutable state of the dialog.
    pub fn state_mut(&mut self) -> &mut dyn DialogState {
        match self {
            Self::Filter(filter) => filter,
            Self::Catalogs(catalogs) => &mut **catalogs,
            Self::Finder(finder) => &mut **finder,
            Self::Apis(apis) => &mut **apis,
            Self::Log(log) => log,
            Self::BundleDifference(difference) => difference,
            Self::Commands(commands) => commands,
            Self::Entry(form) => &mut **form,
            Self::Promotion(promote) => &mut **promote,
            Self::AddBundle(add) => &mut **add,
            Self::ListPicker(pick) => pick,
            Self::Prompt(prompt) => prompt,
            Self::Legend(legend) => legend,
            Self::EditQuestion(question) => &mut **question,
            Self::EditChoice(choice) => &mut **choice,
            Self::ComparisonChoice(choice) => choice,
            Self::SaveRefusal(refused) => refused,
            Self::Range(tester) => &mut **tester,
            Self::ChangedOnDisk(question) => question,
            Self::EditRecovery(question) => question,
            Self::EditConflicts(conflicts) => conflicts,
            Self::Fetch(fetch) => fetch,
            Self::History(list) => list,
            Self::OtherCatalogs(others) => others,
            Self::QuitConfirmation(question) => question,
            Self::Configuration(problems) => problems,
        }
    }
}

/// Creates the requested dialog; `None` if it would be empty. `allowed` reports whether an action
/// is currently available.
pub(in crate::tui) fn open_dialog(
    opening: DialogRequest,
    view_cx: &ViewContext<'_>,
    allowed: &dyn Fn(&ActionSpec) -> bool,
) -> Option<OpenDialog> {
    let session = view_cx.session;
    Some(match opening {
        DialogRequest::Filter(list) => OpenDialog::Filter(ListFilter::new(list, view_cx)),
        DialogRequest::Catalogs => OpenDialog::Catalogs(Box::new(CatalogList::new(view_cx))),
        DialogRequest::Finder => OpenDialog::Finder(Box::new(Finder::new(session))),
        DialogRequest::Apis { focus: of } => OpenDialog::Apis(Box::new(ApiList::new(of, view_cx))),
        DialogRequest::Log => OpenDialog::Log(NoticeLog::new(view_cx)),
        DialogRequest::BundleDifference { comparison, bundles: sought } => {
            OpenDialog::BundleDifference(BundleDifference::new(&comparison, sought))
        }
        DialogRequest::Commands(scope) => OpenDialog::Commands(CommandPalette::new(scope, view_cx, allowed)),
        DialogRequest::Entry { package, channel, entry, spec, is_new } => {
            OpenDialog::Entry(Box::new(EntryForm::new(package, channel, entry, spec, is_new, session)))
        }
        DialogRequest::Promote { package, bundle } => {
            OpenDialog::Promotion(Box::new(Promotion::new(package, bundle, session)))
        }
        DialogRequest::AddBundle { path } => OpenDialog::AddBundle(Box::new(NewBundleForm::new(path))),
        DialogRequest::Pick { title, purpose, is_multiple: several, has_filter: typed, items } => {
            let pick = ListPicker::new(title, purpose, several, items);
            OpenDialog::ListPicker(if typed { pick.with_filter() } else { pick })
        }
        DialogRequest::Prompt { title, purpose, text } => {
            OpenDialog::Prompt(Prompt::new(title, purpose, text, view_cx))
        }
        DialogRequest::Legend => OpenDialog::Legend(Legend),
        DialogRequest::Ask { purpose, package, question: asked, initial_answer: proposed } => {
            OpenDialog::EditQuestion(Box::new(EditQuestion::new(purpose, package, asked, proposed, session)))
        }
        DialogRequest::ConfirmEdit { title, outcome } => {
            OpenDialog::EditChoice(Box::new(EditChoice::from_outcome(title, outcome)))
        }
        DialogRequest::Remedies(search) => OpenDialog::EditChoice(Box::new(EditChoice::from_search(search))),
        DialogRequest::Choose { purpose, title, choices: ways } => {
            OpenDialog::EditChoice(Box::new(EditChoice::new(purpose, title, ways, session)))
        }
        DialogRequest::ComparisonBase => OpenDialog::ComparisonChoice(ComparisonChoice::new(session)),
        DialogRequest::SaveRefusal { blocker: because, target: writing } => {
            OpenDialog::SaveRefusal(SaveRefusal { objection: because, writing })
        }
        DialogRequest::RangeTester(range) => OpenDialog::Range(Box::new(RangeTester::new(range, session))),
        DialogRequest::ChangedOnDisk(message) => OpenDialog::ChangedOnDisk(ChangedOnDisk { message }),
        DialogRequest::EditRecovery { recoverable_edits: left_overs } => {
            OpenDialog::EditRecovery(EditRecovery { recoverable_edits: left_overs })
        }
        DialogRequest::EditConflicts { applied: made, refused } => {
            OpenDialog::EditConflicts(EditConflicts { restored: made, rejected: refused, cursor: 0 })
        }
        DialogRequest::Fetch { package, choices, cursor } => {
            OpenDialog::Fetch(ImageFetch::new(package, choices, cursor))
        }
        DialogRequest::History { package } => OpenDialog::History(HistoryList::new(package)),
        DialogRequest::OtherCatalogs => OpenDialog::OtherCatalogs(OtherCatalogs::from_last_edit(view_cx)?),
        DialogRequest::QuitConfirmation => OpenDialog::QuitConfirmation(QuitConfirmation),
        DialogRequest::Configuration => {
            OpenDialog::Configuration(ConfigurationProblems::new(view_cx.settings))
        }
    })
}
