//! Dialogs, which lie above a screen and receive the keys.
//!
//! Dialogs do not depend on each other or on screens: they request actions as data, which the shell
//! executes.

pub mod add_bundle;
pub mod against;
pub mod apis;
pub mod ask;
pub mod bundle_difference;
pub mod catalogs;
pub mod changed_on_disk;
pub mod choose;
pub mod configuration;
pub mod conflicts;
pub mod dialog;
pub mod entry;
pub mod fetch;
pub mod filter;
pub mod finder;
pub mod history;
pub mod leave;
pub mod legend;
pub mod log;
pub mod other_catalogs;
pub mod palette;
pub mod pick;
pub mod promote;
pub mod prompt;
pub mod range;
pub mod refused;
pub mod restore;
pub mod table;

use crate::app::{keys::spec::ActionSpec, session::cx::See, work::Opening};
use add_bundle::AddBundle;
use against::Against;
use apis::Apis;
use ask::Ask;
use bundle_difference::BundleDifference;
use catalogs::Catalogs;
use changed_on_disk::ChangedOnDisk;
use choose::Choose;
use configuration::ConfigurationProblems;
use conflicts::Conflicts;
use dialog::DialogState;
use entry::EntryForm;
use fetch::Fetch;
use filter::Filter;
use finder::Finder;
use history::HistoryList;
use leave::Leave;
use legend::Legend;
use log::Log;
use other_catalogs::OtherCatalogs;
use palette::Commands;
use pick::Pick;
use promote::Promote;
use prompt::Prompt;
use range::RangeTester;
use refused::Refused;
use restore::Restore;

/// Open dialog. The topmost one receives the keys.
#[derive(Debug)]
pub enum OpenDialog {
    /// Filters a list.
    Filter(Filter),
    /// Lists the open catalogs.
    Catalogs(Box<Catalogs>),
    /// Finds items by name.
    Finder(Box<Finder>),
    /// Lists providers and users of APIs and packages.
    Apis(Box<Apis>),
    /// Lists earlier notices.
    Log(Log),
    /// Shows the differences between two bundles.
    BundleDifference(BundleDifference),
    /// Lists all actions: palette and help.
    Commands(Commands),
    /// Edits the edges of an entry.
    Entry(Box<EntryForm>),
    /// Adds a bundle to other channels.
    Promote(Box<Promote>),
    /// Adds a new bundle to channels of open catalogs.
    AddBundle(Box<AddBundle>),
    /// Chooses from a list.
    Pick(Pick),
    /// Asks for a line of text.
    Prompt(Prompt),
    /// Explains the symbols of the graph.
    Legend(Legend),
    /// Asks for a line of text that an edit needs, with a preview.
    Ask(Box<Ask>),
    /// Chooses one of a few edits.
    Choose(Box<Choose>),
    /// Chooses the base of a comparison.
    Against(Against),
    /// Asks before a save that opm refuses.
    Refused(Refused),
    /// Tests version ranges.
    Range(Box<RangeTester>),
    /// Offers to reload a file that another program changed.
    ChangedOnDisk(ChangedOnDisk),
    /// Offers to restore edits from before a crash.
    Restore(Restore),
    /// Lists edits that could not be restored.
    Conflicts(Conflicts),
    /// Fetches bundle images.
    Fetch(Fetch),
    /// Lists the commits of a package.
    History(HistoryList),
    /// Repeats the last edit in other catalogs.
    OtherCatalogs(OtherCatalogs),
    /// Asks before unsaved edits are lost.
    Leave(Leave),
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
            Self::Promote(promote) => &**promote,
            Self::AddBundle(add) => &**add,
            Self::Pick(pick) => pick,
            Self::Prompt(prompt) => prompt,
            Self::Legend(legend) => legend,
            Self::Ask(question) => &**question,
            Self::Choose(choice) => &**choice,
            Self::Against(choice) => choice,
            Self::Refused(refused) => refused,
            Self::Range(tester) => &**tester,
            Self::ChangedOnDisk(question) => question,
            Self::Restore(question) => question,
            Self::Conflicts(conflicts) => conflicts,
            Self::Fetch(fetch) => fetch,
            Self::History(list) => list,
            Self::OtherCatalogs(others) => others,
            Self::Leave(question) => question,
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
            Self::Promote(promote) => &mut **promote,
            Self::AddBundle(add) => &mut **add,
            Self::Pick(pick) => pick,
            Self::Prompt(prompt) => prompt,
            Self::Legend(legend) => legend,
            Self::Ask(question) => &mut **question,
            Self::Choose(choice) => &mut **choice,
            Self::Against(choice) => choice,
            Self::Refused(refused) => refused,
            Self::Range(tester) => &mut **tester,
            Self::ChangedOnDisk(question) => question,
            Self::Restore(question) => question,
            Self::Conflicts(conflicts) => conflicts,
            Self::Fetch(fetch) => fetch,
            Self::History(list) => list,
            Self::OtherCatalogs(others) => others,
            Self::Leave(question) => question,
            Self::Configuration(problems) => problems,
        }
    }
}

/// Creates the requested dialog; `None` if it would be empty. `allowed` reports whether an action
/// is currently available.
pub(in crate::app) fn opened(
    opening: Opening,
    see: &See<'_>,
    allowed: &dyn Fn(&ActionSpec) -> bool,
) -> Option<OpenDialog> {
    let session = see.session;
    Some(match opening {
        Opening::Filter(list) => OpenDialog::Filter(Filter::new(list, see)),
        Opening::Catalogs => OpenDialog::Catalogs(Box::new(Catalogs::new(see))),
        Opening::Finder => OpenDialog::Finder(Box::new(Finder::new(session))),
        Opening::Apis { of } => OpenDialog::Apis(Box::new(Apis::new(of, see))),
        Opening::Log => OpenDialog::Log(Log::new(see)),
        Opening::BundleDifference { comparison, sought } => {
            OpenDialog::BundleDifference(BundleDifference::new(&comparison, sought))
        }
        Opening::Commands(scope) => OpenDialog::Commands(Commands::new(scope, see, allowed)),
        Opening::Entry { package, channel, entry, spec, is_new } => {
            OpenDialog::Entry(Box::new(EntryForm::new(package, channel, entry, spec, is_new, session)))
        }
        Opening::Promote { package, bundle } => {
            OpenDialog::Promote(Box::new(Promote::new(package, bundle, session)))
        }
        Opening::AddBundle { path } => OpenDialog::AddBundle(Box::new(AddBundle::new(path))),
        Opening::Pick { title, purpose, several, typed, items } => {
            let pick = Pick::new(title, purpose, several, items);
            OpenDialog::Pick(if typed { pick.typed() } else { pick })
        }
        Opening::Prompt { title, purpose, text } => {
            OpenDialog::Prompt(Prompt::new(title, purpose, text, see))
        }
        Opening::Legend => OpenDialog::Legend(Legend),
        Opening::Ask { purpose, package, asked, proposed } => {
            OpenDialog::Ask(Box::new(Ask::new(purpose, package, asked, proposed, session)))
        }
        Opening::Offered { title, outcome } => OpenDialog::Choose(Box::new(Choose::offered(title, outcome))),
        Opening::Remedies(search) => OpenDialog::Choose(Box::new(Choose::searching(search))),
        Opening::Choose { purpose, title, ways } => {
            OpenDialog::Choose(Box::new(Choose::new(purpose, title, ways, session)))
        }
        Opening::Against => OpenDialog::Against(Against::new(session)),
        Opening::Refused { because, writing } => OpenDialog::Refused(Refused { because, writing }),
        Opening::Range(range) => OpenDialog::Range(Box::new(RangeTester::new(range, session))),
        Opening::ChangedOnDisk(message) => OpenDialog::ChangedOnDisk(ChangedOnDisk { message }),
        Opening::Restore { left_overs } => OpenDialog::Restore(Restore { left_overs }),
        Opening::Conflicts { made, refused } => OpenDialog::Conflicts(Conflicts { made, refused, cursor: 0 }),
        Opening::Fetch { package, choices, cursor } => {
            OpenDialog::Fetch(Fetch::new(package, choices, cursor))
        }
        Opening::History { package } => OpenDialog::History(HistoryList::new(package)),
        Opening::OtherCatalogs => OpenDialog::OtherCatalogs(OtherCatalogs::of(see)?),
        Opening::Leave => OpenDialog::Leave(Leave),
        Opening::Configuration => OpenDialog::Configuration(ConfigurationProblems::new(see.settings)),
    })
}
