//! Edits as data: changes by name, which can be displayed, replayed and applied to other catalogs.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{BundleChange, kept_parts::KeptPackage, repair};
use olm_catalog::{
    BundleName, ChannelName, PackageName,
    blob::{DeprecationTarget, EntrySpec},
    package::Package,
    template::semver::{ChannelKind, List},
};
use olm_version::Version;

/// A change of a catalog. It can be written as JSON (`docs/cli.md`), for example in a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "kebab-case")]
pub enum Edit {
    /// Changes the edges of an entry.
    SetEntry {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
        /// Name of the entry.
        entry: BundleName,
        /// New edges.
        #[serde(flatten)]
        spec: EntrySpec,
    },
    /// Appends an entry to a channel.
    AddEntry {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
        /// Name of the bundle.
        entry: BundleName,
        /// Edges of the entry.
        #[serde(flatten)]
        spec: EntrySpec,
    },
    /// Removes an entry from a channel. Other entries that refer to it stay unchanged.
    RemoveEntry {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
        /// Name of the entry.
        entry: BundleName,
    },
    /// Renames a misspelled key of an entry.
    RenameKey {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
        /// Name of the entry.
        entry: BundleName,
        /// Current key.
        from: String,
        /// New key.
        to: String,
    },
    /// Sets the default channel, which a subscription without a channel gets.
    SetDefaultChannel {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
    },
    /// Adds a channel.
    AddChannel {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
        /// Entries of the channel.
        entries: Vec<NewEntry>,
    },
    /// Renames a channel, also as default channel and in deprecations.
    RenameChannel {
        /// Name of the package.
        package: PackageName,
        /// Current name.
        channel: ChannelName,
        /// New name.
        to: ChannelName,
    },
    /// Changes the description of a package.
    SetDescription {
        /// Name of the package.
        package: PackageName,
        /// New description; `None` to remove it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// Changes the icon of a package.
    SetIcon {
        /// Name of the package.
        package: PackageName,
        /// New icon; `None` to remove it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icon: Option<NewIcon>,
    },
    /// Adds a package without channels and bundles.
    AddPackage {
        /// Name of the package.
        package: PackageName,
        /// Default channel.
        default_channel: ChannelName,
        /// Description.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Icon.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icon: Option<NewIcon>,
        /// Name of its folder in a catalog with one folder per package; `None` for the name of the package.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
    /// Adds a bundle to the catalog, without entries.
    AddBundle {
        /// Name of the package.
        package: PackageName,
        /// Rendered `olm.bundle`: one document in YAML or JSON.
        blob: String,
    },
    /// Changes properties or related images of bundles.
    Bundles {
        /// Name of the package.
        package: PackageName,
        /// Names of the bundles.
        bundles: Vec<BundleName>,
        /// Change of each bundle.
        #[serde(flatten)]
        change: BundleChange,
    },
    /// Removes a channel with its deprecation. Its bundles stay.
    RemoveChannel {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
        /// New default channel; required if the channel was the default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<ChannelName>,
    },
    /// Removes a bundle with its entries and its deprecation. Entries that replaced it inherit its `replaces`
    /// and `skips`. A channel that becomes empty is removed.
    RemoveBundle {
        /// Name of the package.
        package: PackageName,
        /// Name of the bundle.
        bundle: BundleName,
    },
    /// Removes all bundles below a version. Remaining entries still name removed bundles if this
    /// lets users of these bundles upgrade: in `skips`, and in `replaces` if no older bundle is
    /// left.
    LeaveOutBelow {
        /// Name of the package.
        package: PackageName,
        /// Lowest version to keep.
        version: Version,
    },
    /// Removes everything except named parts. Edges to removed bundles stay unchanged.
    KeepOnly {
        /// Parts to keep, by package.
        packages: Vec<KeptPackage>,
    },
    /// Deprecates a part of a package, or changes the message.
    Deprecate {
        /// Name of the package.
        package: PackageName,
        /// Deprecated part.
        target: DeprecationTarget,
        /// Message for users.
        message: String,
    },
    /// Removes a deprecation.
    Undeprecate {
        /// Name of the package.
        package: PackageName,
        /// Deprecated part.
        target: DeprecationTarget,
    },
    /// Changes a semver template.
    Template {
        /// Change of the template.
        #[serde(flatten)]
        change: TemplateChange,
    },
    /// A group of edits that are applied and undone together.
    Several {
        /// Purpose of the edits.
        title: String,
        /// Edits in order.
        edits: Vec<Edit>,
    },
}

/// A change of a semver template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum TemplateChange {
    /// Adds a bundle image to a list: sorted by version if the list is sorted and the version is known, else at
    /// the end.
    AddImage {
        /// The list.
        list: List,
        /// The image.
        image: String,
    },
    /// Removes a bundle image from a list, and the list if it becomes empty.
    RemoveImage {
        /// The list.
        list: List,
        /// The image.
        image: String,
    },
    /// Moves a bundle image to another list.
    MoveImage {
        /// Current list.
        from: List,
        /// New list.
        to: List,
        /// The image.
        image: String,
    },
    /// Enables or disables the generation of channels of a kind.
    Generate {
        /// Kind of channel.
        kind: ChannelKind,
        /// True to generate them.
        generate: bool,
    },
    /// Sets the kind of channel that the template prefers as default channel.
    Prefer {
        /// Kind of channel; `None` for no preference.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<ChannelKind>,
    },
}

impl TemplateChange {
    /// Returns a short description of the change.
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
    /// Name of the bundle.
    pub name: BundleName,
    /// Edges of the entry.
    #[serde(flatten)]
    pub spec: EntrySpec,
}

/// An icon in an `olm.package`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewIcon {
    /// Image data in base64.
    pub base64data: String,
    /// Media type, such as `image/svg+xml`.
    pub mediatype: String,
}

impl Edit {
    /// Returns the only package that the edit changes; `None` if there may be several.
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
            | Self::Bundles { package, .. }
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

    /// Returns a short description of the edit.
    pub fn title(&self) -> String {
        match self {
            Self::SetEntry { channel, entry, spec, .. } => {
                format!("{entry} in {channel}: {}", describe_spec(spec))
            }
            Self::AddEntry { channel, entry, spec, .. } => {
                format!("add {entry} to {channel}: {}", describe_spec(spec))
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
            Self::Bundles { package, bundles, change } => match bundles.as_slice() {
                [only] => change.title(only.as_str()),
                several => change.title(&format!("{} bundles of {package}", several.len())),
            },
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
            Self::Deprecate { package, target, .. } => {
                format!("deprecate {}", describe_target(package, target))
            }
            Self::Undeprecate { package, target } => {
                format!("undeprecate {}", describe_target(package, target))
            }
            Self::Template { change } => change.title(),
            Self::Several { title, .. } => title.clone(),
        }
    }

    /// Creates the edit that copies a channel, optionally up to a version. Skips of bundles above
    /// that version are dropped. `None` if the channel does not exist.
    pub fn copy_channel(
        package: &Package,
        from: &str,
        to: ChannelName,
        up_to: Option<&Version>,
    ) -> Option<Self> {
        let stays = |name: &BundleName| {
            let version = package.bundle_version(name.as_str());
            !version.zip(up_to).is_some_and(|(version, top)| version.version.cmp_precedence(top).is_gt())
        };
        let entries = package.channel(from)?.entries.iter().filter(|entry| stays(&entry.name.value));
        let entries = entries.map(|entry| {
            let mut spec = entry.to_spec();
            spec.skips.retain(|name| stays(name));
            NewEntry { name: entry.name.value.clone(), spec }
        });
        Some(Self::AddChannel { package: package.name.clone(), channel: to, entries: entries.collect() })
    }

    /// Creates the edit that removes an entry from a channel and repairs the edges. Entries that
    /// replaced it inherit its `replaces` and `skips`. `None` if the channel does not exist, or if
    /// there is nothing to repair.
    pub fn remove_and_repair_entry(package: &Package, channel: &str, entry: &BundleName) -> Option<Self> {
        let blob = package.channel(channel)?;
        let (name, channel) = (&package.name, &blob.name.value);
        let repairs = repair::inherited_edges(blob, entry).into_iter();
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
}

/// Writes [`Edit::title`].
impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title())
    }
}

fn describe_target(package: &PackageName, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => format!("package {package}"),
        DeprecationTarget::Channel(channel) => format!("channel {channel} of {package}"),
        DeprecationTarget::Bundle(bundle) => bundle.to_string(),
    }
}

fn describe_spec(spec: &EntrySpec) -> String {
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
