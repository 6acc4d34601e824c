//! Plan for the kept part of a package.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use super::{
    ChannelCut, ExtractError, ExtractRequest, InclusionReason, KeptEntries,
    extraction::{DefaultChannel, ExtractReason, ExtractedChannel, ExtractedPackage},
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{ChannelBlob, Entry},
    package::Package,
};
use olm_edit::kept_parts::{KeptChannel, KeptPackage};
use olm_version::{Version, masterminds::Constraint};

/// Planned part of a package.
pub(super) struct PackagePlan<'c> {
    pub package: &'c Arc<Package>,
    why: ExtractReason,
    is_whole: bool,
    channels: BTreeMap<usize, ChannelPart<'c>>,
    default: DefaultChannel,
    set: Option<ChannelName>,
}

/// Planned part of a channel, which is the first with its name.
#[derive(Default)]
struct ChannelPart<'c> {
    /// Entries in the requested ranges; `None` for all entries.
    wanted: Option<HashSet<&'c BundleName>>,
    kept: Option<KeptEntries<'c>>,
    along: Vec<(BundleName, InclusionReason)>,
}

impl<'c> PackagePlan<'c> {
    pub fn new(package: &'c Arc<Package>, why: ExtractReason) -> Self {
        let default = match package.default_channel() {
            Some(default) if package.channel(default.as_str()).is_some() => DefaultChannel::Asked,
            _ => DefaultChannel::Missing,
        };
        Self { package, why, is_whole: false, channels: BTreeMap::new(), default, set: None }
    }

    /// Plans a whole package that another package requires.
    pub fn from_dependency(package: &'c Arc<Package>, why: ExtractReason) -> Self {
        Self { is_whole: true, ..Self::new(package, why) }
    }

    /// Adds a request.
    pub fn add_request(&mut self, wish: &ExtractRequest) -> Result<(), ExtractError> {
        let constraint = wish.constraint()?;
        let places: Vec<usize> = match &wish.channel {
            Some(channel) => vec![self.channel_index(channel)?],
            None if constraint.is_none() => {
                self.is_whole = true;
                return Ok(());
            }
            None => (0..self.package.channels.len()).collect(),
        };
        let mut is_empty = true;
        for at in places {
            let Some(channel) = self.package.channels.get(at) else { continue };
            let wanted = match &constraint {
                None => None,
                Some(constraint) => Some(self.entries_in_range(wish, channel, constraint)?),
            };
            if wanted.as_ref().is_some_and(HashSet::is_empty) {
                continue;
            }
            is_empty = false;
            let known = self.channels.get(&at).map(|part| part.wanted.as_ref());
            // The union of a whole channel and a range is the whole channel.
            let wanted = match (known, wanted) {
                (None, wanted) => wanted,
                (Some(Some(known)), Some(wanted)) => Some(known | &wanted),
                (Some(_), _) => None,
            };
            self.channels.insert(at, ChannelPart { wanted, ..ChannelPart::default() });
        }
        match constraint {
            Some(constraint) if is_empty => Err(self.none_in_range(wish, &constraint)),
            _ => Ok(()),
        }
    }

    fn entries_in_range(
        &self,
        wish: &ExtractRequest,
        channel: &'c ChannelBlob,
        constraint: &Constraint,
    ) -> Result<HashSet<&'c BundleName>, ExtractError> {
        let cut = ChannelCut::new(self.package, channel).map_err(|why| ExtractError::BadChannel {
            wish: wish.to_string(),
            channel: channel.name.value.clone(),
            why,
        })?;
        Ok(cut.matching_entries(|version| constraint.matches(&version.version)))
    }

    fn none_in_range(&self, wish: &ExtractRequest, constraint: &Constraint) -> ExtractError {
        let is_meant = |channel: &&Arc<ChannelBlob>| {
            wish.channel.as_ref().is_none_or(|wanted| channel.name.value == *wanted)
        };
        let entries = self.package.channels.iter().filter(is_meant).flat_map(|channel| &channel.entries);
        let mut versions: Vec<_> =
            entries.filter_map(|entry| self.package.bundle_version(entry.name.value.as_str())).collect();
        versions.sort_by(|a, b| a.cmp_precedence(b));
        let ends = versions.first().zip(versions.last());
        let is_held_back = |version: &Version| {
            let release = Version::new(version.major(), version.minor(), version.patch());
            version.is_prerelease() && constraint.matches(&release)
        };
        ExtractError::NoneInRange {
            wish: wish.to_string(),
            versions: ends.map(|(low, high)| (low.to_string(), high.to_string())),
            prereleases: versions.iter().any(|version| is_held_back(&version.version)),
        }
    }

    fn channel_index(&self, channel: &ChannelName) -> Result<usize, ExtractError> {
        self.package.channel_position(channel.as_str()).ok_or_else(|| ExtractError::NoChannel {
            package: self.package.name.clone(),
            channel: channel.clone(),
            channels: self.package.channels.iter().map(|channel| channel.name.value.clone()).collect(),
        })
    }

    /// Computes the additional entries, after all requests are known.
    pub fn resolve_defaults(&mut self, default: Option<&ChannelName>) -> Result<(), ExtractError> {
        let before = self.package.default_channel();
        if let Some(default) = default {
            let at = self.channel_index(default)?;
            if !self.is_whole && !self.channels.contains_key(&at) {
                let (package, channel) = (self.package.name.clone(), default.clone());
                return Err(ExtractError::DefaultNotExtracted { package, channel });
            }
            if before != Some(default) {
                self.default = DefaultChannel::Set { before: before.cloned() };
                self.set = Some(default.clone());
            }
        }
        if self.is_whole {
            return Ok(());
        }
        let needed = before.filter(|_| self.set.is_none());
        if let Some(at) = needed.and_then(|default| self.package.channel_position(default.as_str()))
            && !self.channels.contains_key(&at)
        {
            self.default = DefaultChannel::Added;
            self.channels.insert(at, ChannelPart::default());
        }
        for (at, part) in &mut self.channels {
            let (Some(channel), Some(wanted)) = (self.package.channels.get(*at), &part.wanted) else {
                continue;
            };
            // The channel was checked before.
            let Ok(cut) = ChannelCut::new(self.package, channel) else { continue };
            if let Some(kept) = cut.keep_entries(wanted) {
                part.along = kept.added.iter().map(|(name, why)| ((*name).clone(), why.clone())).collect();
                part.kept = Some(kept).filter(|kept| kept.entries.len() < channel.entries.len());
            }
        }
        Ok(())
    }

    /// Returns the plan in the form of an edit.
    pub fn to_kept_package(&self) -> KeptPackage {
        let channel = |(at, part): (&usize, &ChannelPart<'c>)| {
            let entries =
                part.kept.as_ref().map(|kept| kept.entries.iter().map(|name| (*name).clone()).collect());
            Some(KeptChannel { channel: self.package.channels.get(*at)?.name.value.clone(), entries })
        };
        KeptPackage {
            package: self.package.name.clone(),
            default_channel: self.set.clone(),
            channels: (!self.is_whole).then(|| self.channels.iter().filter_map(channel).collect()),
        }
    }

    /// Returns the description of the plan.
    pub fn describe_part(&self) -> ExtractedPackage {
        let of = |at: usize| {
            let whole = self.package.channels.get(at)?;
            let part = self.channels.get(&at).filter(|_| !self.is_whole);
            let kept = part.and_then(|part| part.kept.as_ref());
            Some(ExtractedChannel {
                name: whole.name.value.clone(),
                head: kept.map_or_else(|| super::single_head(whole), |kept| Some(kept.head.clone())),
                entries: kept.map_or(whole.entries.len(), |kept| kept.entries.len()),
                total_entries: whole.entries.len(),
                added: part.map(|part| part.along.clone()).unwrap_or_default(),
                outside: kept.map(|kept| find_outside_targets(whole, kept)).unwrap_or_default(),
                cut: 0,
            })
        };
        let channels: Vec<ExtractedChannel> = if self.is_whole {
            (0..self.package.channels.len()).filter_map(of).collect()
        } else {
            self.channels.keys().copied().filter_map(of).collect()
        };
        ExtractedPackage {
            package: self.package.name.clone(),
            reason: self.why.clone(),
            default_channel: self.set.as_ref().or(self.package.default_channel()).cloned(),
            default: self.default.clone(),
            channels,
            total_channels: self.package.channels.len(),
            bundles: self.count_bundles(),
            total_bundles: self.package.bundles.len(),
            lost_objects: 0,
            changed: Vec::new(),
            cut_v1: 0,
        }
    }

    /// Returns the number of kept bundles.
    fn count_bundles(&self) -> usize {
        if self.is_whole {
            return self.package.bundles.len();
        }
        let mut names: HashSet<&BundleName> = HashSet::new();
        for (at, part) in &self.channels {
            match (&part.kept, self.package.channels.get(*at)) {
                (Some(kept), _) => names.extend(kept.entries.iter().copied()),
                (None, Some(whole)) => names.extend(whole.entries.iter().map(|entry| &entry.name.value)),
                (None, None) => {}
            }
        }
        self.package.bundles.iter().filter(|bundle| names.contains(&bundle.name.value)).count()
    }
}

/// Returns the entries of a part that replace an entry outside of the part.
fn find_outside_targets(whole: &ChannelBlob, kept: &KeptEntries<'_>) -> Vec<(BundleName, BundleName)> {
    let all: HashSet<&BundleName> = whole.entries.iter().map(|entry| &entry.name.value).collect();
    let stay: HashSet<&BundleName> = kept.entries.iter().copied().collect();
    let leads_out = |entry: &Entry| {
        let (name, replaces) = (&entry.name.value, &entry.replaces.as_ref()?.value);
        let is_out = stay.contains(name) && all.contains(replaces) && !stay.contains(replaces);
        is_out.then(|| (name.clone(), replaces.clone()))
    };
    whole.entries.iter().filter_map(leads_out).collect()
}
