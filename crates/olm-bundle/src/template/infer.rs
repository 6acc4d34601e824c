//! Derivation of the semver template that produces a catalog. The template is rendered, and the
//! result is compared with the catalog.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use thiserror::Error;

use super::semver;
use olm_catalog::{
    BundleName,
    blob::{BundleBlob, Entry},
    package::Package,
    template::semver::{ChannelKind, GenerateError, Generated, Item, List, Lists, Settings, generate},
    text::emit,
};
use olm_version::Version;

/// The nearest semver template of a package, with the remaining differences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inferred {
    /// Text of the template.
    pub template: String,
    /// Differences of the rendered catalog; empty if its graph equals that of the package.
    pub differences: Vec<Difference>,
}

/// A difference between the package and the rendered catalog.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Error)]
#[non_exhaustive]
pub enum Difference {
    /// Another default channel.
    #[error("default channel {}: {} in the catalog", name_or_none(makes), name_or_none(has))]
    Default {
        /// Default channel of the package.
        has: String,
        /// Default channel of the rendered catalog.
        makes: String,
    },
    /// A channel that the template does not produce.
    #[error("channel {0} is not made")]
    ChannelGone(String),
    /// A channel that only the template produces.
    #[error("channel {0} is made; the catalog does not have it")]
    ChannelNew(String),
    /// An entry that the template does not produce.
    #[error("{channel}: no entry {entry}")]
    EntryGone {
        /// Name of the channel.
        channel: String,
        /// Name of the bundle.
        entry: String,
    },
    /// An entry that only the template produces.
    #[error("{channel}: new entry {entry}")]
    EntryNew {
        /// Name of the channel.
        channel: String,
        /// Name of the bundle.
        entry: String,
    },
    /// An edge that the template does not produce.
    #[error("{channel}: no edge {kind} {from} -> {to}")]
    EdgeGone {
        /// Name of the channel.
        channel: String,
        /// Source bundle, or the range for `skipRange`.
        from: String,
        /// Target bundle.
        to: String,
        /// Field of the edge.
        kind: &'static str,
    },
    /// An edge that only the template produces.
    #[error("{channel}: new edge {kind} {from} -> {to}")]
    EdgeNew {
        /// Name of the channel.
        channel: String,
        /// Source bundle.
        from: String,
        /// Target bundle.
        to: String,
        /// Field of the edge.
        kind: &'static str,
    },
    /// A bundle outside of all produced channels.
    #[error("bundle {0} is not listed: it is in no candidate, fast or stable channel")]
    BundleGone(String),
    /// Objects that a semver template cannot contain.
    #[error("{0} is lost: a semver template cannot carry it")]
    ObjectGone(String),
}

fn name_or_none(name: &str) -> &str {
    if name.is_empty() { "none" } else { name }
}

/// Reason why a package does not have a semver template.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum InferError {
    /// No channel has a name that a semver template would produce.
    #[error("package {0} has no channel such as stable-v1 or candidate-v1.2")]
    NoChannels(String),
    /// A bundle does not have an image.
    #[error("bundle {0} has no image")]
    NoImage(String),
    /// A bundle does not have a version.
    #[error("bundle {0} has no version")]
    NoVersion(String),
    /// opm cannot make channels from the lists.
    #[error("{0}")]
    Lists(GenerateError),
}

/// Derives the template of a package.
///
/// # Errors
///
/// If there is not even a similar one.
pub fn infer_template(package: &Package) -> Result<Inferred, InferError> {
    let members = infer_lists(package)?;
    let bundles = listed_items(package, &members)?;
    let mut lists = Lists::default();
    for (list, names) in &members.lists {
        let items = names.iter().filter_map(|name| bundles.get(name)).copied();
        let mut items: Vec<Item> = items.collect();
        items.sort_by(|a, b| a.version.cmp_precedence(b.version));
        *lists.get_mut(*list) = items;
    }
    let has = package.default_channel().map_or("", |name| name.as_str());
    let generated = |preference: &str| {
        let settings = Settings::new(members.major, members.minor, preference);
        let Ok(settings) = settings else { return Ok(None) };
        match generate(&lists, settings) {
            Ok(generated) => Ok(Some((generated, preference.to_owned()))),
            Err(faults) => Err(faults.into_iter().next().unwrap_or(GenerateError::Empty)),
        }
    };
    let mut best = None;
    // Only the default channel shows which kind was preferred.
    for preference in ["", "major"] {
        if let Some(made) = generated(preference).map_err(InferError::Lists)? {
            let fits = made.0.default_name() == has;
            if best.is_none() || fits {
                best = Some(made);
            }
            if fits {
                break;
            }
        }
    }
    let Some((made, preference)) = best else { return Err(InferError::Lists(GenerateError::Empty)) };
    let mut differences = compare_channels(package, &made);
    let listed: BTreeSet<&BundleName> = members.lists.values().flatten().copied().collect();
    for bundle in package.bundles.iter().filter(|bundle| !listed.contains(&bundle.name.value)) {
        differences.push(Difference::BundleGone(bundle.name.value.to_string()));
    }
    if !package.deprecations.is_empty() {
        differences.push(Difference::ObjectGone("olm.deprecations".to_owned()));
    }
    differences.extend(package.others.iter().map(|other| Difference::ObjectGone(other.schema.to_string())));
    Ok(Inferred { template: write_template(&members, &lists, &preference), differences })
}

/// Lists of a semver template with their bundles, derived from the channels of a package by name.
/// `major` and `minor` are true if the package has channels of that kind.
#[derive(Default)]
struct InferredLists<'p> {
    major: bool,
    minor: bool,
    lists: BTreeMap<List, BTreeSet<&'p BundleName>>,
}

fn infer_lists(package: &Package) -> Result<InferredLists<'_>, InferError> {
    let mut members = InferredLists::default();
    for channel in &package.channels {
        let Some((list, kind)) = parse_channel_name(channel.name.value.as_str()) else { continue };
        match kind {
            ChannelKind::Major => members.major = true,
            ChannelKind::Minor => members.minor = true,
        }
        let known = channel.entries.iter().map(|entry| &entry.name.value);
        let known = known.filter(|name| package.bundle(name.as_str()).is_some());
        members.lists.entry(list).or_default().extend(known);
    }
    if members.lists.values().all(BTreeSet::is_empty) {
        return Err(InferError::NoChannels(package.name.to_string()));
    }
    Ok(members)
}

/// Parses the list and the kind from a channel name in opm's format.
fn parse_channel_name(name: &str) -> Option<(List, ChannelKind)> {
    let (list, version) = name.split_once("-v")?;
    let list = List::ALL.into_iter().find(|known| known.name() == list)?;
    let mut numbers = version.split('.');
    let is_number = |text: &str| text.parse::<u64>().is_ok_and(|number| number.to_string() == text);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(major), None, _) if is_number(major) => Some((list, ChannelKind::Major)),
        (Some(major), Some(minor), None) if is_number(major) && is_number(minor) => {
            Some((list, ChannelKind::Minor))
        }
        _ => None,
    }
}

fn listed_items<'p>(
    package: &'p Package,
    members: &InferredLists<'p>,
) -> Result<BTreeMap<&'p BundleName, Item<'p>>, InferError> {
    let mut used = BTreeMap::new();
    for name in members.lists.values().flatten() {
        let Some(bundle) = package.bundle(name.as_str()) else { continue };
        let image = bundle.image.as_ref().ok_or_else(|| InferError::NoImage(name.to_string()))?;
        let version = bundle_version(bundle).ok_or_else(|| InferError::NoVersion(name.to_string()))?;
        let (name, of) = (&bundle.name.value, package.name.as_str());
        used.insert(name, Item { image: &image.value, package: of, name: name.as_str(), version });
    }
    Ok(used)
}

fn bundle_version(bundle: &BundleBlob) -> Option<&Version> {
    bundle.version.as_ref().map(|version| &version.version)
}

/// Compares a package with the generated channels.
fn compare_channels(package: &Package, made: &Generated) -> Vec<Difference> {
    let mut found = Vec::new();
    let has = package.default_channel().map_or("", |name| name.as_str());
    if has != made.default_name() {
        found.push(Difference::Default { has: has.to_owned(), makes: made.default_name().to_owned() });
    }
    for channel in &package.channels {
        let name = channel.name.value.as_str();
        if !made.channels.iter().any(|made| made.name == name) {
            found.push(Difference::ChannelGone(name.to_owned()));
        }
    }
    for channel in &made.channels {
        let Some(has) = package.channel(&channel.name) else {
            found.push(Difference::ChannelNew(channel.name.clone()));
            continue;
        };
        let entries: BTreeMap<&str, &Entry> =
            has.entries.iter().map(|entry| (entry.name.value.as_str(), entry)).collect();
        let makes: BTreeSet<&str> = channel.entries.iter().map(|entry| entry.name).collect();
        let in_channel = || channel.name.clone();
        for name in entries.keys().filter(|name| !makes.contains(*name)) {
            found.push(Difference::EntryGone { channel: in_channel(), entry: (*name).to_owned() });
        }
        for entry in &channel.entries {
            let to = || entry.name.to_owned();
            let Some(has) = entries.get(entry.name) else {
                found.push(Difference::EntryNew { channel: in_channel(), entry: to() });
                continue;
            };
            let (was, is) = (entry_edges(has), generated_edges(entry.replaces, &entry.skips));
            for (kind, from) in was.difference(&is) {
                let from = (*from).to_owned();
                found.push(Difference::EdgeGone { channel: in_channel(), from, to: to(), kind });
            }
            for (kind, from) in is.difference(&was) {
                let from = (*from).to_owned();
                found.push(Difference::EdgeNew { channel: in_channel(), from, to: to(), kind });
            }
        }
    }
    found
}

/// Returns the edges of an entry: the field and the source.
fn entry_edges(entry: &Entry) -> BTreeSet<(&'static str, &str)> {
    let mut edges: BTreeSet<_> = entry.skips.iter().map(|name| ("skips", name.value.as_str())).collect();
    edges.extend(entry.replaces.iter().map(|name| ("replaces", name.value.as_str())));
    edges.extend(entry.skip_range.iter().map(|range| ("skipRange", range.text.value.as_str())));
    edges
}

fn generated_edges<'a>(replaces: Option<&'a str>, skips: &[&'a str]) -> BTreeSet<(&'static str, &'a str)> {
    skips.iter().map(|name| ("skips", *name)).chain(replaces.map(|name| ("replaces", name))).collect()
}

/// Formats an image as opm does if that is a single line, otherwise in quotes.
fn format_image(image: &str) -> String {
    let canonical = emit::write_yaml(&semver::text_node(image));
    match canonical.trim_end_matches('\n') {
        line if !line.contains('\n') => line.to_owned(),
        _ => emit::write_inline_scalar(image),
    }
}

fn write_template(members: &InferredLists, lists: &Lists, preference: &str) -> String {
    let mut out = format!(
        "---\nschema: olm.semver\ngenerateMajorChannels: {}\ngenerateMinorChannels: {}\n",
        members.major, members.minor
    );
    // Writing to a string cannot fail.
    if !preference.is_empty() && members.major && members.minor {
        let _ = writeln!(out, "defaultChannelTypePreference: {preference}");
    }
    for list in List::ALL {
        if lists.get(list).is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}:\n  bundles:", list.name());
        for item in lists.get(list) {
            let _ = writeln!(out, "  - image: {}", format_image(item.image));
        }
    }
    out
}
