//! Generates the channels that opm 1.73 makes of the lists of a semver template.
//!
//! Every list has its own channels: `<list>-v<major>` and `<list>-v<major>.<minor>`. Edges connect the minor
//! versions of a major one: only the last bundle of each minor version has edges. It replaces the last one of
//! the previous minor version, and skips every other bundle before it. (opm up to 1.46 skipped fewer.)

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

use super::{ChannelKind, List, Settings};
use olm_version::Version;

/// A bundle of a list, with the data that determines the channels.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Image as in the template.
    pub image: &'a str,
    /// Package of its `olm.package` property.
    pub package: &'a str,
    /// Name of the bundle.
    pub name: &'a str,
    /// Version of its `olm.package` property. The release does not matter here.
    pub version: &'a Version,
}

/// Bundles of each list, in any order.
#[derive(Clone, Debug, Default)]
pub struct Lists<'a> {
    /// `candidate`
    pub candidate: Vec<Item<'a>>,
    /// `fast`
    pub fast: Vec<Item<'a>>,
    /// `stable`
    pub stable: Vec<Item<'a>>,
}

impl<'a> Lists<'a> {
    /// Returns the bundles of a list.
    pub fn get(&self, list: List) -> &[Item<'a>] {
        match list {
            List::Candidate => &self.candidate,
            List::Fast => &self.fast,
            List::Stable => &self.stable,
        }
    }

    /// Returns the bundles of a list for modification.
    pub fn get_mut(&mut self, list: List) -> &mut Vec<Item<'a>> {
        match list {
            List::Candidate => &mut self.candidate,
            List::Fast => &mut self.fast,
            List::Stable => &mut self.stable,
        }
    }

    /// Returns every bundle of every list with its position, list by list.
    pub fn iter_items(&self) -> impl Iterator<Item = (ListPosition, &Item<'a>)> {
        List::ALL.into_iter().flat_map(|list| {
            self.get(list).iter().enumerate().map(move |(index, item)| (ListPosition { list, index }, item))
        })
    }
}

/// Position of a bundle: its list and the index in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListPosition {
    /// List of the bundle.
    pub list: List,
    /// Index in the list.
    pub index: usize,
}

/// Reason why opm does not generate channels, with the items that cause it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The lists are empty.
    #[error("the template lists no bundle")]
    Empty,
    /// A list has a bundle twice.
    #[error("bundle {name} is in the list `{}` twice", again.list.name())]
    SameName {
        /// Name of the bundle.
        name: String,
        /// First occurrence.
        first: ListPosition,
        /// Second occurrence.
        again: ListPosition,
    },
    /// A bundle belongs to another package than the first one.
    #[error(
        "bundle {name} is of package `{package}`, the first one of `{expected}`: a template makes one package"
    )]
    OtherPackage {
        /// Name of the bundle.
        name: String,
        /// Package of the bundle.
        package: String,
        /// Package of the first bundle.
        expected: String,
        /// Position of the first bundle.
        first: ListPosition,
        /// Position of the bundle with another package.
        at: ListPosition,
    },
    /// Two bundles of a list have versions of equal precedence: equal, or different in build metadata only.
    #[error("{lower} and {upper} in the list `{}` are the same version to OLM: build metadata has no order", upper_at.list.name())]
    SameVersion {
        /// Version of the first bundle.
        lower: String,
        /// Version of the second bundle.
        upper: String,
        /// Position of the first bundle.
        lower_at: ListPosition,
        /// Position of the second bundle.
        upper_at: ListPosition,
    },
    /// The channels would have more than [`MAX_SKIPS`] skips.
    #[error("the list `{}` would make more than {MAX_SKIPS} skips", list.name())]
    TooManySkips {
        /// List with too many skips.
        list: List,
    },
    /// Two images are bundles of the same name. opm's result differs from run to run.
    #[error("two images are the bundle {name}: what opm makes of that is different each time")]
    TwoImages {
        /// Name of the bundle.
        name: String,
        /// Position of the first image.
        first: ListPosition,
        /// Position of the second image.
        again: ListPosition,
    },
}

impl GenerateError {
    /// Returns the items that cause it; the first one is the primary location.
    pub fn positions(&self) -> Vec<ListPosition> {
        match self {
            Self::Empty => Vec::new(),
            Self::TooManySkips { list } => vec![ListPosition { list: *list, index: 0 }],
            Self::SameName { first, again, .. } | Self::TwoImages { first, again, .. } => {
                vec![*again, *first]
            }
            Self::OtherPackage { first, at, .. } => vec![*at, *first],
            Self::SameVersion { lower_at, upper_at, .. } => vec![*upper_at, *lower_at],
        }
    }
}

/// Maximum number of skips of all channels of one kind. With one bundle per minor version the number is
/// quadratic: 1,400 minor versions of one major version reach this limit.
pub const MAX_SKIPS: usize = 1_000_000;

/// Result of the generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated<'a> {
    /// Name of the package.
    pub package: &'a str,
    /// Channels, list by list and by version. The major channel precedes the minor channels of its version.
    pub channels: Vec<Channel<'a>>,
    /// Index of the default channel; `None` if opm leaves it empty, because everything is a pre-release of
    /// 0.0.0 in `candidate`.
    pub default: Option<usize>,
}

impl Generated<'_> {
    /// Returns the name of the default channel, empty if there is none.
    pub fn default_name(&self) -> &str {
        self.default_channel().map_or("", |channel| channel.name.as_str())
    }

    /// Returns the default channel.
    pub fn default_channel(&self) -> Option<&Channel<'_>> {
        self.channels.get(self.default?)
    }
}

/// A generated channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel<'a> {
    /// Name of the channel.
    pub name: String,
    /// Source list of the channel.
    pub list: List,
    /// Kind of the channel.
    pub kind: ChannelKind,
    /// Entries from the lowest version on; never empty.
    pub entries: Vec<Entry<'a>>,
}

/// An entry of a generated channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry<'a> {
    /// Name of the bundle.
    pub name: &'a str,
    /// Index of the bundle in the list of the channel.
    pub item: usize,
    /// Replaced bundle. In a minor channel it is usually not in the channel.
    pub replaces: Option<&'a str>,
    /// Skipped bundles, sorted by bytes.
    pub skips: Arc<[&'a str]>,
}

/// Generates the channels. The order of the items in a list affects only [`Entry::item`] and the positions of
/// errors.
///
/// The cost is that of a sort plus the output, which is quadratic in the number of minor versions.
///
/// # Errors
///
/// All reasons for which opm does not generate channels.
pub fn generate<'a>(lists: &Lists<'a>, settings: Settings) -> Result<Generated<'a>, Vec<GenerateError>> {
    let Some((first, leader)) = lists.iter_items().next() else { return Err(vec![GenerateError::Empty]) };
    let package = leader.package;
    let mut faults = check_names_and_packages(lists, first, package);
    let mut channels = Vec::new();
    let mut best: Option<(&Version, usize)> = None;
    let mut skips = 0;
    for list in List::ALL {
        let items = lists.get(list);
        let mut sorted: Vec<usize> = (0..items.len()).collect();
        // The sort is stable: equal versions stay in the order of the file. This affects only
        // errors.
        sorted.sort_by(|a, b| compare_items(items, *a, *b));
        faults.extend(sorted.windows(2).filter_map(|pair| check_versions_differ(list, items, pair)));
        if !faults.is_empty() {
            continue;
        }
        let majors = group_by_number(items, &sorted, Version::major);
        skips += majors.iter().map(|major| count_skips(items, major)).sum::<usize>();
        if skips > MAX_SKIPS {
            faults.push(GenerateError::TooManySkips { list });
            continue;
        }
        for major in majors {
            for channel in channels_of_major(list, items, major, settings) {
                let lowest = channel.entries.first().and_then(|entry| items.get(entry.item));
                let Some(lowest) = lowest.map(|item| item.version) else { continue };
                let is_better = match best.and_then(|(version, at)| Some((version, channels.get(at)?))) {
                    // A `candidate` channel is not the default if it begins with a pre-release of 0.0.0, as in opm.
                    None => list > List::Candidate || lowest.cmp_precedence(&Version::new(0, 0, 0)).is_ge(),
                    Some((version, best)) => is_better(&channel, lowest, best, version, settings),
                };
                if is_better {
                    best = Some((lowest, channels.len()));
                }
                channels.push(channel);
            }
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Generated { package, channels, default: best.map(|(_, at)| at) })
}

/// Returns true if a channel is a better default than the best one so far. Compares the lists, then
/// the versions of the first entries, then the kinds.
fn is_better(
    channel: &Channel,
    lowest: &Version,
    best: &Channel,
    best_lowest: &Version,
    settings: Settings,
) -> bool {
    let rank = |kind: ChannelKind| (kind == settings.preference, kind == ChannelKind::Minor);
    let by_list = channel.list.cmp(&best.list);
    let by_version = by_list.then_with(|| lowest.cmp_precedence(best_lowest));
    by_version.then_with(|| rank(channel.kind).cmp(&rank(best.kind))).is_gt()
}

fn compare_items(items: &[Item], a: usize, b: usize) -> Ordering {
    match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => a.version.cmp_precedence(b.version),
        _ => Ordering::Equal,
    }
}

fn check_names_and_packages(lists: &Lists, first: ListPosition, package: &str) -> Vec<GenerateError> {
    let mut faults = Vec::new();
    let mut in_list: HashMap<(List, &str), ListPosition> = HashMap::new();
    let mut images: HashMap<&str, (ListPosition, &str)> = HashMap::new();
    for (at, item) in lists.iter_items() {
        let name = || item.name.to_owned();
        if item.package != package {
            let (package, expected) = (item.package.to_owned(), package.to_owned());
            faults.push(GenerateError::OtherPackage { name: name(), package, expected, first, at });
        }
        let (other, image) = *images.entry(item.name).or_insert((at, item.image));
        if let Some(first) = in_list.get(&(at.list, item.name)) {
            faults.push(GenerateError::SameName { name: name(), first: *first, again: at });
            continue;
        }
        in_list.insert((at.list, item.name), at);
        if image != item.image {
            faults.push(GenerateError::TwoImages { name: name(), first: other, again: at });
        }
    }
    faults
}

fn check_versions_differ(list: List, items: &[Item], pair: &[usize]) -> Option<GenerateError> {
    let [lower, upper] = *pair else { return None };
    let (a, b) = (items.get(lower)?, items.get(upper)?);
    // A duplicate bundle is already reported.
    let is_same = a.version.cmp_precedence(b.version).is_eq() && a.name != b.name;
    is_same.then(|| GenerateError::SameVersion {
        lower: a.version.to_string(),
        upper: b.version.to_string(),
        lower_at: ListPosition { list, index: lower },
        upper_at: ListPosition { list, index: upper },
    })
}

/// Groups neighbors with the same number in their versions.
fn group_by_number<'s>(
    items: &[Item],
    sorted: &'s [usize],
    number: impl Fn(&Version) -> u64,
) -> Vec<&'s [usize]> {
    let number = |at: usize| items.get(at).map(|item| number(item.version));
    sorted.chunk_by(|a, b| number(*a) == number(*b)).collect()
}

/// Returns the number of skips and replaces in one major version: the last bundle of each minor
/// version skips or replaces all bundles before it.
fn count_skips(items: &[Item], sorted: &[usize]) -> usize {
    let mut before = 0;
    let skips = group_by_number(items, sorted, Version::minor).into_iter().map(|minor| {
        before += minor.len();
        before - 1
    });
    skips.sum()
}

/// Generates the channels of one major version.
fn channels_of_major<'a>(
    list: List,
    items: &[Item<'a>],
    sorted: &[usize],
    settings: Settings,
) -> Vec<Channel<'a>> {
    let minors = group_by_number(items, sorted, Version::minor);
    let mut entries: Vec<Entry> = Vec::with_capacity(sorted.len());
    // Sorted names of all previous bundles.
    let mut before: Vec<&str> = Vec::with_capacity(sorted.len());
    let mut last: Option<&str> = None;
    for minor in &minors {
        for (position, at) in minor.iter().enumerate() {
            let Some(item) = items.get(*at) else { continue };
            let is_last = position + 1 == minor.len();
            let skips = before.iter().copied().filter(|name| is_last && Some(*name) != last).collect();
            let replaces = if is_last { last.replace(item.name) } else { None };
            entries.push(Entry { name: item.name, item: *at, replaces, skips });
            before.insert(before.partition_point(|name| *name < item.name), item.name);
        }
    }
    let version = entries.first().and_then(|entry| items.get(entry.item)).map(|item| item.version);
    let Some(major) = version.map(Version::major) else { return Vec::new() };
    let mut channels = Vec::new();
    if settings.major {
        channels.push(Channel {
            name: format!("{}-v{major}", list.name()),
            list,
            kind: ChannelKind::Major,
            entries: entries.clone(),
        });
    }
    if settings.minor {
        let mut rest = entries;
        for minor in minors {
            let after = rest.split_off(minor.len().min(rest.len()));
            let entries = std::mem::replace(&mut rest, after);
            let lowest = entries.first().and_then(|entry| items.get(entry.item));
            let Some(number) = lowest.map(|item| item.version.minor()) else { continue };
            let name = format!("{}-v{major}.{number}", list.name());
            channels.push(Channel { name, list, kind: ChannelKind::Minor, entries });
        }
    }
    channels
}
