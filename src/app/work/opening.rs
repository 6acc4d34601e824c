//! Which dialog is wanted, and for what.

use std::{path::PathBuf, sync::Arc};

use crate::{
    app::{
        keys::Scope,
        parts::{list::ListId, memo::Same},
        work::{effect::SoughtBundle, outcome::LeftOver, preview::Outcome, remedy::RemedySearch},
    },
    bundle,
    catalog::{
        BundleName, ChannelName, PackageName,
        blob::{DeprecationTarget, EntrySpec, Thing},
        template::semver::List,
    },
    edit::Edit,
    export::graph::Format,
    layout::Layout,
    upgrade::apis::Side,
};

/// A dialog that is wanted, with all that it begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opening {
    /// The filter of a list.
    Filter(ListId),
    /// The open catalogs.
    Catalogs,
    /// The finder.
    Finder,
    /// Who provides and who requires APIs and packages.
    Apis {
        /// The one that is meant, and whom one looks for; all of them where none is.
        of: Option<(Thing, Side)>,
    },
    /// What was told until now.
    Log,
    /// What keys do somewhere; every action where no place is named.
    Commands(Option<Scope>),
    /// The form of an entry.
    Entry {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it asks for; what is proposed, where it is to be added.
        spec: EntrySpec,
        /// Whether it is to be added.
        is_new: bool,
    },
    /// A new bundle, which is put into channels.
    AddBundle {
        /// Its directory, where that is known.
        path: Option<PathBuf>,
    },
    /// The channels that a bundle is put into.
    Promote {
        /// The package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
    },
    /// A choice from a few things.
    Pick {
        /// What is asked.
        title: &'static str,
        /// What it is for.
        purpose: PickPurpose,
        /// Whether several may be chosen.
        several: bool,
        /// Whether typing narrows the choices down.
        typed: bool,
        /// The choices, each with whether it is chosen.
        items: Vec<(String, bool)>,
    },
    /// A question that is answered with a line of text.
    Prompt {
        /// What is asked.
        title: &'static str,
        /// What it is for.
        purpose: PromptPurpose,
        /// The text it begins with.
        text: String,
    },
    /// What the marks of the graph mean.
    Legend,
    /// What differs between two bundles.
    BundleDifference {
        /// As far as the catalog knows.
        comparison: Arc<bundle::compare::Comparison>,
        /// The bundles, where both may have a directory: those are read.
        sought: Option<Box<[SoughtBundle; 2]>>,
    },
    /// A question that an edit or a supposition needs.
    Ask {
        /// What the answer is for.
        purpose: Purpose,
        /// The package.
        package: PackageName,
        /// What is asked.
        asked: Asked,
        /// The answer it begins with.
        proposed: String,
    },
    /// One way, worked out already.
    Offered {
        /// What is asked.
        title: String,
        /// What it leads to.
        outcome: Arc<Outcome>,
    },
    /// Edits that free stuck versions, which are being searched.
    Remedies(Arc<RemedySearch>),
    /// A choice of ways.
    Choose {
        /// What it is for.
        purpose: Purpose,
        /// What is asked.
        title: String,
        /// The ways.
        ways: Vec<Way>,
    },
    /// What to compare with.
    Against,
    /// What speaks against writing a catalog.
    Refused {
        /// What does.
        because: Because,
        /// What was asked for.
        writing: Writing,
    },
    /// The range tester, with a range to begin with.
    Range(String),
    /// A file is no longer what was loaded, so nothing was written: which file, in words.
    ChangedOnDisk(String),
    /// Edits from before a crash.
    Restore {
        /// The edits, with the catalogs they are of.
        left_overs: Vec<(usize, LeftOver)>,
    },
    /// Edits that could not be made again.
    Conflicts {
        /// How many could.
        made: usize,
        /// The others, each with why.
        refused: Vec<(String, String)>,
    },
    /// The images of bundles that can be fetched.
    Fetch {
        /// The package.
        package: PackageName,
        /// What can be chosen.
        choices: Vec<ToFetch>,
        /// The choice that the cursor is on.
        cursor: usize,
    },
    /// The history of a package.
    History {
        /// The package.
        package: PackageName,
    },
    /// The other catalogs, for the last edit.
    OtherCatalogs,
    /// Leaving with unsaved edits.
    Leave,
    /// What is wrong in the configuration.
    Configuration,
}

/// Images of bundles that can be fetched together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToFetch {
    /// What they are called.
    pub label: String,
    /// The bundles and their images, each image once.
    pub images: Vec<(BundleName, String)>,
    /// The registries that they are in.
    pub hosts: Vec<String>,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The lowest version that stays.
    Below,
    /// What stays of the catalog: packages, channels, ranges.
    Extract,
    /// The skipRange of an entry.
    SkipRange {
        /// Its channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it asks for now.
        spec: EntrySpec,
    },
    /// What an entry skips too.
    AlsoSkips {
        /// Its channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it asks for now.
        spec: EntrySpec,
    },
    /// What users are told of something deprecated.
    Deprecated(DeprecationTarget),
    /// What users are told of all that is suggested together.
    DeprecatedToo(Vec<DeprecationTarget>),
    /// The bundle that is to become an entry of a channel.
    NewEntry(ChannelName),
    /// The name of a new channel. What is in it is asked next.
    NewChannel,
    /// The name of a new channel that a bundle is promoted to.
    PromoteTo {
        /// The bundle.
        bundle: BundleName,
        /// New channels that are in the dialog already.
        taken: Vec<ChannelName>,
    },
    /// The highest version that a copy of a channel has.
    UpTo {
        /// The new channel.
        channel: ChannelName,
        /// The one that is copied.
        from: ChannelName,
    },
    /// The bundle image that a list of a semver template gets.
    ImageInto(List),
    /// The new name of a channel.
    Rename(ChannelName),
    /// What the package says of itself.
    Description,
}

/// What an answer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It is supposed, and made nowhere.
    Suppose,
    /// It becomes an edit.
    Edit,
}

/// A way one can go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// What it is called.
    pub label: String,
    /// What else is to be said of it.
    pub note: String,
    /// What it leads to.
    pub then: Leads,
}

impl Opening {
    /// An edit with what it leads to, before it is made.
    pub fn preview(title: String, edit: Edit) -> Self {
        Self::Choose { purpose: Purpose::Edit, title, ways: vec![Way::of(edit)] }
    }
}

impl Way {
    /// An edit, called by its title.
    pub(in crate::app) fn of(edit: Edit) -> Self {
        Self { label: edit.title(), note: String::new(), then: Leads::Edit(edit) }
    }
}

/// What a [`Way`] leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Leads {
    /// An edit.
    Edit(Edit),
    /// A question.
    Ask {
        /// The package it is about.
        package: PackageName,
        /// What is asked.
        asked: Asked,
        /// What is proposed for an answer.
        proposed: String,
    },
}

/// What a choice is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PickPurpose {
    /// The channel Classic is subscribed to.
    Subscribed,
    /// The channels v1 may choose from.
    V1Channels,
    /// The entry a fresh installation begins at; the first choice is none.
    Starting,
}

/// What a line of text is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PromptPurpose {
    /// The version constraint of v1.
    Version,
    /// The lowest version the graph shows, of this picture.
    Floor(Same<Layout>),
    /// The cluster's version of OpenShift.
    OpenShift,
    /// The revision to compare with.
    Revision,
    /// The catalog that is opened beside the others.
    Source,
    /// The path of the catalog to compare with.
    BasePath,
    /// Where to write the catalog.
    SaveAs,
    /// Where to write the graph.
    Export {
        /// As what.
        format: Format,
        /// Whether it is that of all channels side by side.
        side_by_side: bool,
    },
    /// Where to write the comparison.
    Comparison,
    /// The file of upgrade expectations that gets one more.
    Expectations,
    /// The image set configuration that the catalog is supposed to be mirrored by.
    Mirror,
}

/// What speaks against writing a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Because {
    /// So many errors the edits bring.
    Errors(usize),
    /// What its files would lose besides their content, a sentence each.
    Costs(Vec<String>),
}

/// Where a catalog is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writing {
    /// To its own files.
    InPlace,
    /// Somewhere else.
    Elsewhere,
}

/// Several things that can be deprecated, in words.
pub fn all_called(package: &PackageName, targets: &[DeprecationTarget]) -> String {
    match targets {
        [one] => called(package, one),
        all => format!("{} bundles of {package}", all.len()),
    }
}

/// Something that can be deprecated, in words.
pub fn called(package: &PackageName, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => format!("package {package}"),
        DeprecationTarget::Channel(channel) => format!("channel {channel}"),
        DeprecationTarget::Bundle(bundle) => bundle.to_string(),
    }
}
