//! Edits as data: what one wants to change, by names, so that it can be shown, replayed and applied to other
//! catalogs.

use serde::{Deserialize, Serialize};

use super::{keep::KeptPackage, repair};
use crate::{
    catalog::{
        BundleName, ChannelName, PackageName,
        blob::{DeprecationTarget, EntrySpec},
        package::Package,
        template::semver::{ChannelKind, List},
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
    /// Makes a channel.
    AddChannel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// Its entries.
        entries: Vec<NewEntry>,
    },
    /// Gives a channel another name: as the default channel and in deprecations too.
    RenameChannel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// Its new name.
        to: ChannelName,
    },
    /// Says something else of the package.
    SetDescription {
        /// The package.
        package: PackageName,
        /// What it is; `None` to say nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// Gives the package another icon.
    SetIcon {
        /// The package.
        package: PackageName,
        /// The icon; `None` for no icon.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icon: Option<NewIcon>,
    },
    /// Makes a package. It has neither channel nor bundle yet.
    AddPackage {
        /// The package.
        package: PackageName,
        /// The channel of whoever names none.
        default_channel: ChannelName,
        /// What it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Its icon.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icon: Option<NewIcon>,
    },
    /// Adds a bundle to the catalog. It is an entry of no channel yet.
    AddBundle {
        /// The package.
        package: PackageName,
        /// Its rendered `olm.bundle`: one document in YAML or JSON.
        blob: String,
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
    /// Takes every bundle below a version out of the catalog. What is left names them where that carries those over who have
    /// one installed: in `skips`, and in `replaces` where nothing older is left to replace.
    LeaveOutBelow {
        /// The package.
        package: PackageName,
        /// The lowest version that stays.
        version: Version,
    },
    /// Takes everything out of the catalog but what is named. Edges to what is gone stay as they are written.
    KeepOnly {
        /// What stays, by package.
        packages: Vec<KeptPackage>,
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
    /// Changes a semver template.
    Template {
        /// What of it.
        #[serde(flatten)]
        change: TemplateChange,
    },
    /// Several edits that belong together: done and undone as one.
    Several {
        /// What they are for.
        title: String,
        /// The edits, in order.
        edits: Vec<Edit>,
    },
}

/// A change of a semver template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum TemplateChange {
    /// Puts a bundle image into a list: by its version, where that is known and the list is in that order, else at the end.
    AddImage {
        /// The list.
        list: List,
        /// The image.
        image: String,
    },
    /// Takes a bundle image out of a list. A list that is left empty goes.
    RemoveImage {
        /// The list.
        list: List,
        /// The image.
        image: String,
    },
    /// Takes a bundle image out of a list and puts it into another.
    MoveImage {
        /// The list that has it.
        from: List,
        /// The list that gets it.
        to: List,
        /// The image.
        image: String,
    },
    /// Says whether channels of a kind are generated.
    Generate {
        /// The kind.
        kind: ChannelKind,
        /// Whether they are.
        generate: bool,
    },
    /// Says which kind of channel is rather the default.
    Prefer {
        /// The kind; `None` to say nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<ChannelKind>,
    },
}

impl TemplateChange {
    /// The change in a few words.
    pub fn title(&self) -> String {
        match self {
            Self::AddImage { list, image } => format!("add {image} to {}", list.name()),
            Self::RemoveImage { list, image } => format!("remove {image} from {}", list.name()),
            Self::MoveImage { from, to, image } => {
                format!("move {image} from {} to {}", from.name(), to.name())
            }
            Self::Generate { kind, generate: true } => format!("generate {} channels", kind.name()),
            Self::Generate { kind, generate: false } => format!("generate no {} channels", kind.name()),
            Self::Prefer { kind: Some(kind) } => format!("prefer {} channels as default", kind.name()),
            Self::Prefer { kind: None } => "no preference for the default channel".to_owned(),
        }
    }
}

/// An entry of a new channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEntry {
    /// The bundle.
    pub name: BundleName,
    /// What it shall ask for.
    #[serde(flatten)]
    pub spec: EntrySpec,
}

/// An icon as `olm.package` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewIcon {
    /// The picture, in base64.
    pub base64data: String,
    /// Such as `image/svg+xml`.
    pub mediatype: String,
}

impl Edit {
    /// The package that it changes; `None` where it may change several, or says none.
    pub fn package(&self) -> Option<&PackageName> {
        match self {
            Self::SetEntry { package, .. }
            | Self::AddEntry { package, .. }
            | Self::RemoveEntry { package, .. }
            | Self::RenameKey { package, .. }
            | Self::SetDefaultChannel { package, .. }
            | Self::AddChannel { package, .. }
            | Self::RenameChannel { package, .. }
            | Self::SetDescription { package, .. }
            | Self::SetIcon { package, .. }
            | Self::AddPackage { package, .. }
            | Self::AddBundle { package, .. }
            | Self::RemoveChannel { package, .. }
            | Self::RemoveBundle { package, .. }
            | Self::LeaveOutBelow { package, .. }
            | Self::Deprecate { package, .. }
            | Self::Undeprecate { package, .. } => Some(package),
            Self::Template { .. } | Self::KeepOnly { .. } => None,
            Self::Several { edits, .. } => {
                let mut packages = edits.iter().map(Self::package);
                let first = packages.next()??;
                packages.all(|package| package == Some(first)).then_some(first)
            }
        }
    }

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
                format!("{entry} in {channel}: rename key {from} to {to}")
            }
            Self::SetDefaultChannel { package, channel } => {
                format!("default channel of {package}: {channel}")
            }
            Self::AddChannel { package, channel, entries } => {
                format!("new channel {channel} of {package} with {} entries", entries.len())
            }
            Self::RenameChannel { package, channel, to } => {
                format!("rename channel {channel} of {package} to {to}")
            }
            Self::SetDescription { package, description: Some(_) } => format!(
                "edit description of \
             {package}"
            ),
            Self::SetDescription { package, description: None } => format!("remove description of {package}"),
            Self::SetIcon { package, icon: Some(icon) } => {
                format!("set icon of {package}: {}", icon.mediatype)
            }
            Self::SetIcon { package, icon: None } => format!("remove icon of {package}"),
            Self::AddPackage { package, .. } => format!("new package {package}"),
            Self::AddBundle { package, .. } => format!("add a bundle to {package}"),
            Self::RemoveChannel { package, channel, default: None } => {
                format!("remove channel {channel} of {package}")
            }
            Self::RemoveChannel { package, channel, default: Some(default) } => {
                format!("remove channel {channel} of {package}, default channel: {default}")
            }
            Self::RemoveBundle { bundle, .. } => format!("remove {bundle} from the catalog"),
            Self::LeaveOutBelow { package, version } => {
                format!("remove bundles of {package} older than {version}")
            }
            Self::KeepOnly { packages } => match packages.as_slice() {
                [only] => format!("only {}", only.package),
                [first, second] => format!("only {} and {}", first.package, second.package),
                [first, rest @ ..] => format!("only {} and {} more packages", first.package, rest.len()),
                [] => "only an empty catalog".to_owned(),
            },
            Self::Deprecate { package, target, .. } => format!("deprecate {}", called(package, target)),
            Self::Undeprecate { package, target } => {
                format!("undeprecate {}", called(package, target))
            }
            Self::Template { change } => change.title(),
            Self::Several { title, .. } => title.clone(),
        }
    }

    /// A channel with the entries of another one, up to a version where one is given. What is left out is skipped by
    /// nobody in it. `None` where there is no such channel.
    pub fn copy_channel(
        package: &Package,
        from: &str,
        to: ChannelName,
        up_to: Option<&Version>,
    ) -> Option<Self> {
        let stays = |name: &BundleName| {
            let version = package.version_of(name.as_str());
            !version.zip(up_to).is_some_and(|(version, top)| version.version.cmp_precedence(top).is_gt())
        };
        let entries = package.channel(from)?.entries.iter().filter(|entry| stays(&entry.name.value));
        let entries = entries.map(|entry| {
            let mut spec = entry.spec();
            spec.skips.retain(|name| stays(name));
            NewEntry { name: entry.name.value.clone(), spec }
        });
        Some(Self::AddChannel { package: package.name.clone(), channel: to, entries: entries.collect() })
    }

    /// Takes an entry out of a channel so that what is left hangs together: who replaced it replaces what it replaced, and
    /// skips what it skipped. `None` where there is no such channel, or nobody to do so.
    pub fn take_out(package: &Package, channel: &str, entry: &BundleName) -> Option<Self> {
        let blob = package.channel(channel)?;
        let (name, channel) = (&package.name, &blob.name.value);
        let repairs = repair::handed_on(blob, entry).into_iter();
        let repairs = repairs.map(|(other, spec)| Self::SetEntry {
            package: name.clone(),
            channel: channel.clone(),
            entry: other,
            spec,
        });
        let mut edits: Vec<Self> = repairs.collect();
        if edits.is_empty() {
            return None;
        }
        let (package, entry) = (name.clone(), entry.clone());
        let title = format!("remove {entry} from {channel} and repair edges");
        edits.push(Self::RemoveEntry { package, channel: channel.clone(), entry });
        Some(Self::Several { title, edits })
    }

    /// A promotion: the bundle becomes an entry of each channel, with the edges named there, and the only one of channels
    /// that are made for it.
    pub fn promote(
        package: &PackageName,
        bundle: &BundleName,
        targets: impl IntoIterator<Item = (ChannelName, EntrySpec)>,
        new: impl IntoIterator<Item = ChannelName>,
    ) -> Self {
        let mut edits: Vec<Self> = targets
            .into_iter()
            .map(|(channel, spec)| Self::AddEntry {
                package: package.clone(),
                channel,
                entry: bundle.clone(),
                spec,
            })
            .collect();
        edits.extend(new.into_iter().map(|channel| Self::AddChannel {
            package: package.clone(),
            channel,
            entries: vec![NewEntry { name: bundle.clone(), spec: EntrySpec::default() }],
        }));
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
