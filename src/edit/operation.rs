//! Edits as data: what one wants to change, by names, so that it can be shown, replayed and applied to other
//! catalogs.

use serde::{Deserialize, Serialize};

use crate::{
    catalog::{
        BundleName, ChannelName, PackageName,
        blob::{DeprecationTarget, EntrySpec},
    },
    version::Version,
};

/// A change of a catalog. It can be written down as JSON (`docs/cli.md`), which is how a journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "kebab-case")]
pub enum Edit {
    /// Gives an entry other edges.
    SetEntry {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it shall ask for.
        #[serde(flatten)]
        spec: EntrySpec,
    },
    /// Puts a bundle into a channel, after its last entry.
    AddEntry {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The bundle.
        entry: BundleName,
        /// What it shall ask for.
        #[serde(flatten)]
        spec: EntrySpec,
    },
    /// Takes an entry out of a channel. Others that name it are left as they are.
    RemoveEntry {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
    },
    /// Gives a key of an entry another name: what was a slip of the pen becomes what was meant.
    RenameKey {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// The key as it is.
        from: String,
        /// The key as it shall be.
        to: String,
    },
    /// Makes a channel the one that a subscription without one gets.
    SetDefaultChannel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
    },
    /// Takes a channel out, with its deprecation. Its bundles stay.
    RemoveChannel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The default channel from then on; needed where the channel was it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<ChannelName>,
    },
    /// Takes a bundle out of the catalog, with its entries and its deprecation. Who replaced it now replaces what it
    /// replaced, and skips what it skipped. A channel that is left empty goes too.
    RemoveBundle {
        /// The package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
    },
    /// Takes every bundle below a version out of the catalog. Nothing left names them, but for what an entry replaces
    /// where nothing older is left to replace: those who have that one installed still get away from it.
    LeaveOutBelow {
        /// The package.
        package: PackageName,
        /// The lowest version that stays.
        version: Version,
    },
    /// Deprecates something of a package, or tells its users something else.
    Deprecate {
        /// The package.
        package: PackageName,
        /// What of it.
        target: DeprecationTarget,
        /// What users are told.
        message: String,
    },
    /// Takes a deprecation back.
    Undeprecate {
        /// The package.
        package: PackageName,
        /// What of it.
        target: DeprecationTarget,
    },
    /// Several edits that belong together: done and undone as one.
    Several {
        /// What they are for.
        title: String,
        /// The edits, in order.
        edits: Vec<Edit>,
    },
}

impl Edit {
    /// The edit in a few words.
    pub fn title(&self) -> String {
        match self {
            Self::SetEntry { channel, entry, spec, .. } => {
                format!("{entry} in {channel}: {}", describe(spec))
            }
            Self::AddEntry { channel, entry, spec, .. } => {
                format!("add {entry} to {channel}: {}", describe(spec))
            }
            Self::RemoveEntry { channel, entry, .. } => format!("remove {entry} from {channel}"),
            Self::RenameKey { channel, entry, from, to, .. } => {
                format!("{entry} in {channel}: key {from} becomes {to}")
            }
            Self::SetDefaultChannel { package, channel } => {
                format!("default channel of {package}: {channel}")
            }
            Self::RemoveChannel { package, channel, default: None } => {
                format!("remove channel {channel} of {package}")
            }
            Self::RemoveChannel { package, channel, default: Some(default) } => {
                format!("remove channel {channel} of {package}, default channel: {default}")
            }
            Self::RemoveBundle { bundle, .. } => format!("remove {bundle} from the catalog"),
            Self::LeaveOutBelow { package, version } => {
                format!("leave out versions of {package} below {version}")
            }
            Self::Deprecate { package, target, .. } => format!("deprecate {}", called(package, target)),
            Self::Undeprecate { package, target } => {
                format!("take back the deprecation of {}", called(package, target))
            }
            Self::Several { title, .. } => title.clone(),
        }
    }

    /// A promotion: the bundle becomes an entry of each channel, replacing what is named there.
    pub fn promote(
        package: &PackageName,
        bundle: &BundleName,
        targets: impl IntoIterator<Item = (ChannelName, Option<BundleName>)>,
    ) -> Self {
        let mut edits: Vec<Self> = targets
            .into_iter()
            .map(|(channel, replaces)| Self::AddEntry {
                package: package.clone(),
                channel,
                entry: bundle.clone(),
                spec: EntrySpec { replaces, ..EntrySpec::default() },
            })
            .collect();
        match edits.len() {
            1 => edits.remove(0),
            count => Self::Several { title: format!("promote {bundle} to {count} channels"), edits },
        }
    }
}

fn called(package: &PackageName, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => format!("package {package}"),
        DeprecationTarget::Channel(channel) => format!("channel {channel} of {package}"),
        DeprecationTarget::Bundle(bundle) => bundle.to_string(),
    }
}

fn describe(spec: &EntrySpec) -> String {
    let mut parts = Vec::new();
    if let Some(replaces) = &spec.replaces {
        parts.push(format!("replaces {replaces}"));
    }
    match spec.skips.as_slice() {
        [] => {}
        [one] => parts.push(format!("skips {one}")),
        many => parts.push(format!("skips {}", many.len())),
    }
    if let Some(range) = &spec.skip_range {
        parts.push(format!("skipRange {range}"));
    }
    if parts.is_empty() { "no edges".to_owned() } else { parts.join(", ") }
}
