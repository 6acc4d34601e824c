//! Operations of `olmap edit`: conversion from command line arguments to an edit of one package.

use std::path::{Path, PathBuf};

use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};
use clap::{Args, Subcommand};

use super::{
    add_bundle::AddBundle,
    bundle_parts::{RemoveProperty, RemoveRelatedImage, SetProperty, SetRelatedImage},
    promote::Promote,
    shared_args::{EditKind, Where},
    template::TemplateOperation,
    withdraw::Withdraw,
};
use crate::cli::{Failure, query, source};
use olm_catalog::blob::{DeprecationTarget, EntrySpec};
use olm_catalog::{BundleName, ChannelName, load::regular_file};
use olm_edit::{Edit, operation::NewIcon};
use olm_upgrade::{Installed, PackageGraph};
use olm_version::Version;

/// Operation of `olmap edit`.
#[derive(Debug, Subcommand)]
pub enum Operation {
    /// Add a bundle of the catalog to more channels, at the place of its version.
    Promote(Promote),
    /// Add an entry with the given edges to a channel.
    AddEntry {
        /// Bundle.
        bundle: String,
        /// Channel.
        #[arg(long, short = 'c', value_name = "NAME")]
        channel: String,
        #[command(flatten)]
        edges: Edges,
        #[command(flatten)]
        where_: Where,
    },
    /// Change the edges of an entry. Other edges stay.
    SetEntry {
        /// Entry.
        bundle: String,
        /// Channel.
        #[arg(long, short = 'c', value_name = "NAME")]
        channel: String,
        #[command(flatten)]
        edges: Edges,
        /// Remove replaces.
        #[arg(long, conflicts_with = "replaces")]
        no_replaces: bool,
        /// Remove all skips, except those given with --skip.
        #[arg(long)]
        no_skips: bool,
        /// Remove this name from skips. Can be repeated.
        #[arg(long = "unskip", value_name = "NAME")]
        unskips: Vec<String>,
        /// Remove skipRange.
        #[arg(long, conflicts_with = "skip_range")]
        no_skip_range: bool,
        #[command(flatten)]
        where_: Where,
    },
    /// Remove an entry from a channel. Without --repair, entries that replace or skip it do not change.
    RemoveEntry {
        /// Entry.
        bundle: String,
        /// Channel.
        #[arg(long, short = 'c', value_name = "NAME")]
        channel: String,
        /// Let entries that replaced it replace what it replaced, and skip what it skipped.
        #[arg(long)]
        repair: bool,
        #[command(flatten)]
        where_: Where,
    },
    /// Set the default channel.
    DefaultChannel {
        /// Channel.
        channel: String,
        #[command(flatten)]
        where_: Where,
    },
    /// Add a channel: empty, or with the entries of another one.
    AddChannel {
        /// Name of the channel.
        channel: String,
        /// Channel to copy entries from.
        #[arg(long, value_name = "NAME")]
        from: Option<String>,
        /// Highest version to copy.
        #[arg(long, value_name = "VERSION", requires = "from")]
        up_to: Option<String>,
        #[command(flatten)]
        where_: Where,
    },
    /// Rename a channel, also as the default channel and in deprecations.
    RenameChannel {
        /// Channel.
        channel: String,
        /// New name.
        to: String,
        #[command(flatten)]
        where_: Where,
    },
    /// Remove a channel with its deprecation. Its bundles stay.
    RemoveChannel {
        /// Channel.
        channel: String,
        /// New default channel.
        #[arg(long, value_name = "NAME")]
        default: Option<String>,
        #[command(flatten)]
        where_: Where,
    },
    /// Set the description of the package.
    Describe {
        /// Description in Markdown; empty removes it.
        text: String,
        #[command(flatten)]
        where_: Where,
    },
    /// Set the icon of the package.
    SetIcon {
        /// Image file: svg, png, jpeg or gif.
        file: PathBuf,
        #[command(flatten)]
        where_: Where,
    },
    /// Add a bundle to catalogs, and to channels of each catalog.
    AddBundle(AddBundle),
    /// Remove a bundle and its entries. Entries that replaced it then replace what it replaced, and
    /// skip what it skipped.
    RemoveBundle {
        /// Bundle.
        bundle: String,
        #[command(flatten)]
        where_: Where,
    },
    /// Withdraw a release from channels. All other versions keep their upgrades.
    Withdraw(Withdraw),
    /// Remove all bundles older than a version.
    LeaveOutBelow {
        /// Lowest version to keep.
        version: String,
        #[command(flatten)]
        where_: Where,
    },
    /// Deprecate a bundle, a channel or the package.
    Deprecate {
        #[command(flatten)]
        target: Target,
        /// Message for users.
        #[arg(long, value_name = "TEXT")]
        message: String,
        #[command(flatten)]
        where_: Where,
    },
    /// Remove a deprecation.
    Undeprecate {
        #[command(flatten)]
        target: Target,
        #[command(flatten)]
        where_: Where,
    },
    /// Set a property of all bundles that match a criterion, or add it.
    SetProperty(SetProperty),
    /// Remove properties from all bundles that match a criterion.
    RemoveProperty(RemoveProperty),
    /// Set a related image of all bundles that match a criterion, or add it.
    SetRelatedImage(SetRelatedImage),
    /// Remove a related image from all bundles that match a criterion.
    RemoveRelatedImage(RemoveRelatedImage),
    /// Change the lists and settings of a semver template.
    #[command(subcommand)]
    Template(TemplateOperation),
    /// Fix all findings that can be fixed automatically.
    Fix {
        /// Only findings of this rule. Can be repeated.
        #[arg(long = "rule", value_name = "RULE")]
        rules: Vec<String>,
        #[command(flatten)]
        where_: Where,
    },
    /// Apply edits in JSON: one edit or a list, as printed by -o json.
    Apply {
        /// File (- for standard input).
        file: PathBuf,
        #[command(flatten)]
        where_: Where,
    },
}

/// Edges of an entry.
#[derive(Debug, Args)]
pub struct Edges {
    /// Bundle that it replaces.
    #[arg(long, value_name = "NAME")]
    pub replaces: Option<String>,
    /// Bundle that it skips. Can be repeated.
    #[arg(long = "skip", value_name = "NAME")]
    skips: Vec<String>,
    /// Versions that can upgrade to it.
    #[arg(long, value_name = "RANGE")]
    skip_range: Option<String>,
}

/// Target of a deprecation: the package if nothing is given.
#[derive(Debug, Args)]
pub struct Target {
    /// Bundle.
    #[arg(long, value_name = "NAME", conflicts_with = "channel")]
    bundle: Option<String>,
    /// Channel.
    #[arg(long, short = 'c', value_name = "NAME")]
    channel: Option<String>,
}

impl Operation {
    /// Returns the arguments about catalogs and output.
    pub fn shared_args(&self) -> &Where {
        match self {
            Self::AddEntry { where_, .. }
            | Self::SetEntry { where_, .. }
            | Self::RemoveEntry { where_, .. }
            | Self::DefaultChannel { where_, .. }
            | Self::AddChannel { where_, .. }
            | Self::RenameChannel { where_, .. }
            | Self::RemoveChannel { where_, .. }
            | Self::Describe { where_, .. }
            | Self::SetIcon { where_, .. }
            | Self::RemoveBundle { where_, .. }
            | Self::LeaveOutBelow { where_, .. }
            | Self::Deprecate { where_, .. }
            | Self::Undeprecate { where_, .. }
            | Self::Fix { where_, .. }
            | Self::Apply { where_, .. } => where_,
            Self::Promote(promote) => &promote.where_,
            Self::AddBundle(add) => &add.where_,
            Self::Withdraw(withdraw) => &withdraw.where_,
            Self::SetProperty(set) => &set.where_,
            Self::RemoveProperty(remove) => &remove.where_,
            Self::SetRelatedImage(set) => &set.where_,
            Self::RemoveRelatedImage(remove) => &remove.where_,
            Self::Template(operation) => operation.shared_args(),
        }
    }

    /// Returns the kind of files that the operation edits.
    pub fn kind(&self) -> EditKind {
        match self {
            Self::Template(_) => EditKind::SemverTemplates,
            _ => EditKind::Catalogs,
        }
    }

    /// Returns the bundle of the operation, which determines the package if a catalog has several.
    pub fn bundle_text(&self) -> Option<&str> {
        match self {
            Self::Promote(promote) => Some(&promote.bundle),
            Self::AddEntry { bundle, .. }
            | Self::SetEntry { bundle, .. }
            | Self::RemoveEntry { bundle, .. }
            | Self::RemoveBundle { bundle, .. } => Some(bundle),
            Self::Withdraw(withdraw) => Some(&withdraw.bundle),
            Self::Deprecate { target, .. } | Self::Undeprecate { target, .. } => target.bundle.as_deref(),
            Self::DefaultChannel { .. }
            | Self::AddChannel { .. }
            | Self::RenameChannel { .. }
            | Self::RemoveChannel { .. }
            | Self::Describe { .. }
            | Self::SetIcon { .. }
            | Self::AddBundle(_)
            | Self::SetProperty(_)
            | Self::RemoveProperty(_)
            | Self::SetRelatedImage(_)
            | Self::RemoveRelatedImage(_)
            | Self::LeaveOutBelow { .. }
            | Self::Template(_)
            | Self::Fix { .. }
            | Self::Apply { .. } => None,
        }
    }

    /// Returns the edit of a package; `None` for operations whose edits name their own package: JSON edits,
    /// fixes, and bundles for channels.
    pub fn build_edit(&self, graph: &PackageGraph) -> Result<Option<Edit>, Failure> {
        let package = graph.package.name.clone();
        Ok(Some(match self {
            Self::Apply { .. }
            | Self::Fix { .. }
            | Self::Promote(_)
            | Self::AddBundle(_)
            | Self::Withdraw(_)
            | Self::SetProperty(_)
            | Self::RemoveProperty(_)
            | Self::SetRelatedImage(_)
            | Self::RemoveRelatedImage(_)
            | Self::Template(_) => {
                return Ok(None);
            }
            Self::AddEntry { bundle, channel, edges, .. } => {
                let spec = edges.apply_to_entry(graph, EntrySpec::default());
                Edit::AddEntry {
                    package,
                    channel: channel.as_str().into(),
                    entry: resolve_bundle(graph, bundle)?,
                    spec,
                }
            }
            Self::SetEntry {
                bundle, channel, edges, no_replaces, no_skips, unskips, no_skip_range, ..
            } => {
                let entry = resolve_name(graph, bundle);
                let upgrades = graph
                    .channel(channel)
                    .ok_or_else(|| source::no_channel_failure(&graph.package, channel))?;
                let Some(now) = upgrades.graph.entry_named(entry.as_str()) else {
                    return Err(no_entry_failure(graph, channel, bundle));
                };
                let mut spec = now.to_spec();
                if *no_replaces {
                    spec.replaces = None;
                }
                if *no_skips {
                    spec.skips.clear();
                }
                if *no_skip_range {
                    spec.skip_range = None;
                }
                for unskip in unskips {
                    let name = resolve_name(graph, unskip);
                    if !spec.skips.contains(&name) {
                        return Err(Failure::new(format!("{entry} does not skip {name}")));
                    }
                    spec.skips.retain(|skip| *skip != name);
                }
                let spec = edges.apply_to_entry(graph, spec);
                Edit::SetEntry { package, channel: channel.as_str().into(), entry, spec }
            }
            Self::RemoveEntry { bundle, channel, repair, .. } => {
                let entry = resolve_name(graph, bundle);
                let repaired =
                    repair.then(|| Edit::remove_and_repair_entry(&graph.package, channel, &entry)).flatten();
                let channel = channel.as_str().into();
                repaired.unwrap_or(Edit::RemoveEntry { package, channel, entry })
            }
            Self::DefaultChannel { channel, .. } => {
                Edit::SetDefaultChannel { package, channel: channel.as_str().into() }
            }
            Self::AddChannel { channel, from, up_to, .. } => {
                let up_to = up_to.as_deref().map(parse_version).transpose()?;
                let channel = ChannelName::from(channel.as_str());
                match from {
                    None => Edit::AddChannel { package, channel, entries: Vec::new() },
                    Some(from) => Edit::copy_channel(&graph.package, from, channel, up_to.as_ref())
                        .ok_or_else(|| source::no_channel_failure(&graph.package, from))?,
                }
            }
            Self::RenameChannel { channel, to, .. } => {
                Edit::RenameChannel { package, channel: channel.as_str().into(), to: to.as_str().into() }
            }
            Self::Describe { text, .. } => Edit::SetDescription {
                package,
                description: Some(text.clone()).filter(|text| !text.is_empty()),
            },
            Self::SetIcon { file, .. } => Edit::SetIcon { package, icon: Some(load_icon(file)?) },
            Self::RemoveChannel { channel, default, .. } => {
                let default = default.as_deref().map(Into::into);
                Edit::RemoveChannel { package, channel: channel.as_str().into(), default }
            }
            Self::RemoveBundle { bundle, .. } => {
                Edit::RemoveBundle { package, bundle: resolve_bundle(graph, bundle)? }
            }
            Self::LeaveOutBelow { version: below, .. } => {
                Edit::LeaveOutBelow { package, version: parse_version(below)? }
            }
            Self::Deprecate { target, message, .. } => {
                Edit::Deprecate { package, target: target.resolve_target(graph)?, message: message.clone() }
            }
            Self::Undeprecate { target, .. } => {
                Edit::Undeprecate { package, target: target.resolve_target(graph)? }
            }
        }))
    }
}

impl Edges {
    /// Returns true if any edge is given.
    pub fn are_given(&self) -> bool {
        self.replaces.is_some() || self.skip_range.is_some() || !self.skips.is_empty()
    }

    /// Returns the given names of bundles that upgrade to the entry.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.replaces.iter().chain(&self.skips).map(String::as_str)
    }

    /// Returns an entry with the given edges: replaces its `replaces` and `skipRange`, and adds
    /// skips.
    pub fn apply_to_entry(&self, graph: &PackageGraph, mut spec: EntrySpec) -> EntrySpec {
        if let Some(replaces) = &self.replaces {
            spec.replaces = Some(resolve_name(graph, replaces));
        }
        for skip in &self.skips {
            let name = resolve_name(graph, skip);
            if !spec.skips.contains(&name) {
                spec.skips.push(name);
            }
        }
        if let Some(range) = &self.skip_range {
            spec.skip_range = Some(range.clone());
        }
        spec
    }
}

impl Target {
    fn resolve_target(&self, graph: &PackageGraph) -> Result<DeprecationTarget, Failure> {
        Ok(match (&self.bundle, &self.channel) {
            (Some(bundle), _) => DeprecationTarget::Bundle(resolve_bundle(graph, bundle)?),
            (None, Some(channel)) => DeprecationTarget::Channel(channel.as_str().into()),
            (None, None) => DeprecationTarget::Package,
        })
    }
}

fn parse_version(text: &str) -> Result<Version, Failure> {
    Version::parse(text).map_err(|error| Failure::new(format!("{text} is not a version: {error}")))
}

/// Returns a bundle of the package by its name or its version.
pub fn resolve_bundle(graph: &PackageGraph, text: &str) -> Result<BundleName, Failure> {
    let known = Installed::parse(&graph.package, text).map_err(|unknown| {
        let meant = unknown.suggest_bundles(&graph.package);
        let meant = meant.iter().map(BundleName::as_str).collect::<Vec<_>>().join(" or ");
        let hint = (!meant.is_empty()).then(|| format!("did you mean {meant}?"));
        Failure::new(unknown.to_string()).with_optional_hint(hint)
    })?;
    match graph.package.bundle(known.name.as_str()) {
        Some(_) => Ok(known.name),
        None => Err(Failure::new(format!("no bundle {} in {}", known.name, graph.package.name))),
    }
}

/// Returns the bundle name for a name or a version; the text itself if the bundle is unknown. An
/// entry may name a bundle that does not exist.
pub fn resolve_name(graph: &PackageGraph, text: &str) -> BundleName {
    Installed::parse(&graph.package, text).map_or_else(|_| text.into(), |known| known.name)
}

fn no_entry_failure(graph: &PackageGraph, channel: &str, text: &str) -> Failure {
    match Installed::parse(&graph.package, text) {
        Err(unknown) => query::unknown_bundle_failure(&unknown, &graph.package, ""),
        Ok(known) => Failure::new(format!("{} is not an entry of {channel}", known.name)),
    }
}

/// Maximum size of an icon, in bytes.
const MAX_ICON: u64 = 16 << 20;

/// Reads an image for `olm.package`. The file extension determines its type.
fn load_icon(file: &Path) -> Result<NewIcon, Failure> {
    let suffix = file.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    let mediatype = match suffix.to_ascii_lowercase().as_str() {
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        _ => {
            return Err(Failure::new(format!("{} is not an image type that consoles show", file.display()))
                .with_hint("its name must end in svg, png, jpg, jpeg or gif"));
        }
    };
    let bytes = regular_file::read_regular(file, MAX_ICON)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?;
    Ok(NewIcon { base64data: STANDARD.encode(bytes), mediatype: mediatype.to_owned() })
}
