//! What lies over a screen and gets the keys while it does: each dialog in a file of its own.
//!
//! None knows another one, and none knows a screen: what a dialog wants is data, which the shell carries out.

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

/// An open dialog; the top one gets the keys.
#[derive(Debug)]
pub enum OpenDialog {
    /// Filters a list while one types.
    Filter(Filter),
    /// The open catalogs.
    Catalogs(Box<Catalogs>),
    /// Finds anything by name.
    Finder(Box<Finder>),
    /// Who provides and who requires APIs and packages.
    Apis(Box<Apis>),
    /// What was told, newest first.
    Log(Log),
    /// What differs between two bundles.
    BundleDifference(BundleDifference),
    /// Every action: palette and help.
    Commands(Commands),
    /// Edits an entry's edges.
    Entry(Box<EntryForm>),
    /// Puts a bundle into other channels.
    Promote(Box<Promote>),
    /// Puts a new bundle into channels of open catalogs.
    AddBundle(Box<AddBundle>),
    /// Chooses from a few things.
    Pick(Pick),
    /// Asks for a line of text.
    Prompt(Prompt),
    /// What the marks of the graph mean.
    Legend(Legend),
    /// Asks for a line of text that an edit or a supposition needs.
    Ask(Box<Ask>),
    /// Chooses one of a few ways.
    Choose(Box<Choose>),
    /// Chooses what to compare with.
    Against(Against),
    /// Asks before a catalog is written that opm refuses.
    Refused(Refused),
    /// Tries out ranges.
    Range(Box<RangeTester>),
    /// Asks whether a file is to be read again that somebody else changed.
    ChangedOnDisk(ChangedOnDisk),
    /// Asks whether edits from before a crash shall be made again.
    Restore(Restore),
    /// Edits that could not be made again.
    Conflicts(Conflicts),
    /// Fetches the images of bundles.
    Fetch(Fetch),
    /// The history of a package.
    History(HistoryList),
    /// Makes the last edit in other catalogs.
    OtherCatalogs(OtherCatalogs),
    /// Asks before unsaved edits are lost.
    Leave(Leave),
    /// What is wrong in the configuration.
    Configuration(ConfigurationProblems),
}

impl OpenDialog {
    /// What every dialog can be asked.
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

    /// The same, to be changed.
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

/// The dialog that is wanted; `None` where there is nothing it could be about. `allowed` says whether an action can be
/// done now.
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
