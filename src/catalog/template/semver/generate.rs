//! The channels that opm 1.73 makes of the lists of a semver template.
//!
//! Every list makes channels of its own: `<list>-v<major>` and `<list>-v<major>.<minor>`. Edges go across the minor
//! versions of a major one: only the last bundle of each minor version has any. It replaces the last one of the minor
//! version before, and skips every other bundle before it. (opm up to 1.46 skipped less.)

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

use super::{ChannelKind, List, Settings};
use crate::version::Version;

/// A bundle of a list: what the channels follow from.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its image, as the template has it.
    pub image: &'a str,
    /// The package of its `olm.package` property.
    pub package: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The version of its `olm.package` property. A release beside it does not count here.
    pub version: &'a Version,
}

/// The bundles of each list, in any order.
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
    /// The bundles of a list.
    pub fn of(&self, list: List) -> &[Item<'a>] {
        match list {
            List::Candidate => &self.candidate,
            List::Fast => &self.fast,
            List::Stable => &self.stable,
        }
    }

    /// The bundles of a list, to be changed.
    pub fn of_mut(&mut self, list: List) -> &mut Vec<Item<'a>> {
        match list {
            List::Candidate => &mut self.candidate,
            List::Fast => &mut self.fast,
            List::Stable => &mut self.stable,
        }
    }

    /// Every bundle of every list with where it stands, list by list.
    pub fn all(&self) -> impl Iterator<Item = (Spot, &Item<'a>)> {
        List::ALL.into_iter().flat_map(|list| {
            self.of(list).iter().enumerate().map(move |(index, item)| (Spot { list, index }, item))
        })
    }
}

/// Where a bundle stands: its list, and its position in that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot {
    /// The list.
    pub list: List,
    /// The position, from 0.
    pub index: usize,
}

/// Why opm makes no channels of the lists, and the items that cause it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The lists name no bundle.
    #[error("the template lists no bundle")]
    Empty,
    /// A list has a bundle twice.
    #[error("bundle {name} is in the list `{}` twice", again.list.name())]
    SameName {
        /// Its name.
        name: String,
        /// Where it stands first.
        first: Spot,
        /// Where it stands again.
        again: Spot,
    },
    /// A bundle is of another package than the first.
    #[error(
        "bundle {name} is of package `{package}`, the first one of `{expected}`: a template makes one package"
    )]
    OtherPackage {
        /// Its name.
        name: String,
        /// Its package.
        package: String,
        /// The package of the first bundle.
        expected: String,
        /// The first bundle.
        first: Spot,
        /// The one of another package.
        at: Spot,
    },
    /// Two bundles of a list have versions without an order: equal, or different in build metadata only.
    #[error("{lower} and {upper} in the list `{}` are the same version to OLM: build metadata has no order", upper_at.list.name())]
    SameVersion {
        /// The version of one.
        lower: String,
        /// The version of the other.
        upper: String,
        /// Where the one stands.
        lower_at: Spot,
        /// Where the other stands.
        upper_at: Spot,
    },
    /// The channels would name more than [`MOST_SKIPS`] skipped bundles.
    #[error("the list `{}` would make more than {MOST_SKIPS} skips", list.name())]
    TooManySkips {
        /// The list.
        list: List,
    },
    /// Two images have bundles of the same name. What opm makes of that differs from run to run.
    #[error("two images are the bundle {name}: what opm makes of that is different each time")]
    TwoImages {
        /// The name.
        name: String,
        /// The one image.
        first: Spot,
        /// The other.
        again: Spot,
    },
}

impl Fault {
    /// The items that cause it, the one to point at first.
    pub fn spots(&self) -> Vec<Spot> {
        match self {
            Self::Empty => Vec::new(),
            Self::TooManySkips { list } => vec![Spot { list: *list, index: 0 }],
            Self::SameName { first, again, .. } | Self::TwoImages { first, again, .. } => {
                vec![*again, *first]
            }
            Self::OtherPackage { first, at, .. } => vec![*at, *first],
            Self::SameVersion { lower_at, upper_at, .. } => vec![*upper_at, *lower_at],
        }
    }
}

/// How many skipped bundles the channels of one kind may name in all. With a bundle for every minor version that is a square:
/// 1,400 minor versions of one major version, which nobody has, make so many.
pub const MOST_SKIPS: usize = 1_000_000;

/// What the lists make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated<'a> {
    /// The package.
    pub package: &'a str,
    /// The channels, list by list, by version, of one major version the major channel first.
    pub channels: Vec<Channel<'a>>,
    /// The position of the default channel; `None` where opm leaves it empty, for everything is a pre-release of 0.0.0
    /// in `candidate`.
    pub default: Option<usize>,
}

impl Generated<'_> {
    /// The name of the default channel, empty where there is none.
    pub fn default_name(&self) -> &str {
        self.default_channel().map_or("", |channel| channel.name.as_str())
    }

    /// The default channel.
    pub fn default_channel(&self) -> Option<&Channel<'_>> {
        self.channels.get(self.default?)
    }
}

/// A channel that is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel<'a> {
    /// Its name.
    pub name: String,
    /// The list it is made of.
    pub list: List,
    /// What it holds.
    pub kind: ChannelKind,
    /// Its entries, the lowest version first; never none.
    pub entries: Vec<Entry<'a>>,
}

/// An entry of a channel that is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry<'a> {
    /// The bundle.
    pub name: &'a str,
    /// The position of the bundle in the list of the channel.
    pub item: usize,
    /// What it replaces. In a minor channel that is mostly not in the channel.
    pub replaces: Option<&'a str>,
    /// What it skips, sorted by bytes.
    pub skips: Arc<[&'a str]>,
}

/// Makes the channels. The order of the items in a list makes no difference but for [`Entry::item`] and what faults
/// point at.
///
/// Costs a sort, and what is written: with a bundle for every minor version the skips are a square.
///
/// # Errors
///
/// Everything for which opm makes none.
pub fn generate<'a>(lists: &Lists<'a>, settings: Settings) -> Result<Generated<'a>, Vec<Fault>> {
    let Some((first, leader)) = lists.all().next() else { return Err(vec![Fault::Empty]) };
    let package = leader.package;
    let mut faults = names_and_packages(lists, first, package);
    let mut channels = Vec::new();
    let mut best: Option<(&Version, usize)> = None;
    let mut skips = 0;
    for list in List::ALL {
        let items = lists.of(list);
        let mut sorted: Vec<usize> = (0..items.len()).collect();
        // Of equal versions the first in the file comes first: only a fault can tell.
        sorted.sort_by(|a, b| order(items, *a, *b));
        faults.extend(sorted.windows(2).filter_map(|pair| same_version(list, items, pair)));
        if !faults.is_empty() {
            continue;
        }
        let majors = groups(items, &sorted, Version::major);
        skips += majors.iter().map(|major| skips_of(items, major)).sum::<usize>();
        if skips > MOST_SKIPS {
            faults.push(Fault::TooManySkips { list });
            continue;
        }
        for major in majors {
            for channel in of_major(list, items, major, settings) {
                let lowest = channel.entries.first().and_then(|entry| items.get(entry.item));
                let Some(lowest) = lowest.map(|item| item.version) else { continue };
                let is_better = match best.and_then(|(version, at)| Some((version, channels.get(at)?))) {
                    // Nothing is the default unless it is above nothing: `candidate` at 0.0.0.
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

/// Whether a channel is rather the default than the best before: by list, the version of its first entry, the kind.
fn is_better(
    channel: &Channel,
    lowest: &Version,
    best: &Channel,
    before: &Version,
    settings: Settings,
) -> bool {
    let rank = |kind: ChannelKind| (kind == settings.preference, kind == ChannelKind::Minor);
    let by_list = channel.list.cmp(&best.list);
    let by_version = by_list.then_with(|| lowest.cmp_precedence(before));
    by_version.then_with(|| rank(channel.kind).cmp(&rank(best.kind))).is_gt()
}

fn order(items: &[Item], a: usize, b: usize) -> Ordering {
    match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => a.version.cmp_precedence(b.version),
        _ => Ordering::Equal,
    }
}

fn names_and_packages(lists: &Lists, first: Spot, package: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut in_list: HashMap<(List, &str), Spot> = HashMap::new();
    let mut images: HashMap<&str, (Spot, &str)> = HashMap::new();
    for (at, item) in lists.all() {
        let name = || item.name.to_owned();
        if item.package != package {
            let (package, expected) = (item.package.to_owned(), package.to_owned());
            faults.push(Fault::OtherPackage { name: name(), package, expected, first, at });
        }
        let (other, image) = *images.entry(item.name).or_insert((at, item.image));
        if let Some(first) = in_list.get(&(at.list, item.name)) {
            faults.push(Fault::SameName { name: name(), first: *first, again: at });
            continue;
        }
        in_list.insert((at.list, item.name), at);
        if image != item.image {
            faults.push(Fault::TwoImages { name: name(), first: other, again: at });
        }
    }
    faults
}

fn same_version(list: List, items: &[Item], pair: &[usize]) -> Option<Fault> {
    let [lower, upper] = *pair else { return None };
    let (a, b) = (items.get(lower)?, items.get(upper)?);
    // A bundle that is there twice has been said already.
    let is_same = a.version.cmp_precedence(b.version).is_eq() && a.name != b.name;
    is_same.then(|| Fault::SameVersion {
        lower: a.version.to_string(),
        upper: b.version.to_string(),
        lower_at: Spot { list, index: lower },
        upper_at: Spot { list, index: upper },
    })
}

/// Neighbours with the same number of their versions.
fn groups<'s>(items: &[Item], sorted: &'s [usize], number: impl Fn(&Version) -> u64) -> Vec<&'s [usize]> {
    let number = |at: usize| items.get(at).map(|item| number(item.version));
    sorted.chunk_by(|a, b| number(*a) == number(*b)).collect()
}

/// How many bundles the last ones of the minor versions skip, those they replace among them.
fn skips_of(items: &[Item], sorted: &[usize]) -> usize {
    let mut before = 0;
    let skips = groups(items, sorted, Version::minor).into_iter().map(|minor| {
        before += minor.len();
        before - 1
    });
    skips.sum()
}

/// The channels of one major version.
fn of_major<'a>(list: List, items: &[Item<'a>], sorted: &[usize], settings: Settings) -> Vec<Channel<'a>> {
    let minors = groups(items, sorted, Version::minor);
    let mut entries: Vec<Entry> = Vec::with_capacity(sorted.len());
    // The names of all bundles before, sorted.
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
