//! Edit that withdraws a release: takes a bundle out of channels, and keeps the upgrades of all other versions.

use std::collections::{BTreeSet, HashSet};

use super::{Edit, EditError, TemplateChange, transfer::list_for_channel};
use olm_catalog::{
    BundleName, ChannelName, Semver,
    blob::{ChannelBlob, Entry, EntrySpec, SkipRange},
    package::{Package, version_in_name},
    template::semver::List,
};
use olm_version::{
    Version, VersionRelease,
    blang::{Alternative, Coverage, Operator, Range},
    with_release_from_build,
};

/// Withdrawal of a release.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Withdrawal {
    /// The edit.
    pub edit: Edit,
    /// Channels where installations of the bundle have no upgrade afterwards, because the bundle was the head.
    pub stays_in: Vec<ChannelName>,
}

impl Withdrawal {
    /// Plans the withdrawal of a bundle from channels, or from all channels if none is given.
    ///
    /// Entries that replaced the bundle replace what it replaced, take over its skips and its range, and skip the bundle. If
    /// it was the head, the next lower entry becomes the head. The bundle and its deprecation are removed if it is in
    /// no other channel.
    ///
    /// # Errors
    ///
    /// Fails if the package does not have the bundle, if it is not in one of the channels, or if a channel would become
    /// empty.
    pub fn plan(package: &Package, bundle: &BundleName, channels: &[ChannelName]) -> Result<Self, EditError> {
        let having: Vec<&ChannelBlob> = package.channels_with(bundle).map(AsRef::as_ref).collect();
        if having.is_empty() && package.bundle(bundle.as_str()).is_none() {
            return Err(EditError::NoBundle(bundle.clone()));
        }
        for channel in channels {
            let blob = package.channel(channel.as_str());
            let blob = blob.ok_or_else(|| EditError::NoChannel(channel.clone()))?;
            if !blob.entries.iter().any(|entry| entry.name.value == *bundle) {
                return Err(EditError::NoEntry { channel: channel.clone(), entry: bundle.clone() });
            }
        }
        let is_chosen = |name: &ChannelName| channels.is_empty() || channels.contains(name);
        let chosen: Vec<&ChannelBlob> =
            having.iter().copied().filter(|blob| is_chosen(&blob.name.value)).collect();
        let (mut edits, mut stays_in) = (Vec::new(), Vec::new());
        for blob in &chosen {
            let channel = &blob.name.value;
            let plan = ChannelWithdrawal::from_channel(package, blob, bundle)?;
            if !plan.rest.iter().any(|entry| plan.is_upgrade_from(entry, bundle)) {
                stays_in.push(channel.clone());
            }
            edits.extend(plan.changed_entries().map(|(entry, spec)| Edit::SetEntry {
                package: package.name.clone(),
                channel: channel.clone(),
                entry,
                spec,
            }));
            let (package, channel, entry) = (package.name.clone(), channel.clone(), bundle.clone());
            edits.push(Edit::RemoveEntry { package, channel, entry });
        }
        if chosen.len() == having.len() && package.bundle(bundle.as_str()).is_some() {
            edits.push(Edit::RemoveBundle { package: package.name.clone(), bundle: bundle.clone() });
        }
        let title = match chosen.as_slice() {
            _ if chosen.len() == having.len() => format!("withdraw {bundle}"),
            [one] => format!("withdraw {bundle} from {}", one.name.value),
            several => format!("withdraw {bundle} from {} channels", several.len()),
        };
        Ok(Self { edit: Edit::Several { title, edits }, stays_in })
    }

    /// Plans the withdrawal of a bundle from a semver template: from the lists of channels, or from all lists if no channel
    /// is given. A list generates several channels. The template does not generate an upgrade from an image that it
    /// does not list.
    ///
    /// # Errors
    ///
    /// Fails if no list has the image of the bundle, or if a channel has no list.
    pub fn plan_for_template(
        template: &Semver,
        package: &Package,
        bundle: &BundleName,
        channels: &[ChannelName],
    ) -> Result<Self, EditError> {
        let named = channels.iter().map(|channel| {
            let blob = package.channel(channel.as_str());
            let list = blob.and_then(|_| list_for_channel(channel));
            list.ok_or_else(|| EditError::NoChannel(channel.clone()))
        });
        let named: Vec<List> = named.collect::<Result<_, _>>()?;
        let missing = named
            .iter()
            .zip(channels)
            .find(|(list, _)| template.find_image(**list, bundle.as_str()).is_none());
        if let Some((_, channel)) = missing {
            return Err(EditError::NoEntry { channel: channel.clone(), entry: bundle.clone() });
        }
        Self::plan_for_lists(template, package, bundle, if named.is_empty() { &List::ALL } else { &named })
    }

    /// Plans the withdrawal of a bundle from lists of a semver template. Ignores lists without it.
    ///
    /// # Errors
    ///
    /// Fails if none of the lists has the image of the bundle.
    pub fn plan_for_lists(
        template: &Semver,
        package: &Package,
        bundle: &BundleName,
        lists: &[List],
    ) -> Result<Self, EditError> {
        let listed = List::ALL.into_iter().filter(|list| lists.contains(list));
        let listed = listed.filter_map(|list| Some((list, template.find_image(list, bundle.as_str())?)));
        let listed: Vec<(List, &str)> = listed.collect();
        if listed.is_empty() {
            return Err(EditError::NoBundle(bundle.clone()));
        }
        let remove = |(list, image): &(List, &str)| Edit::Template {
            change: TemplateChange::RemoveImage { list: *list, image: (*image).to_owned() },
        };
        let edits = listed.iter().map(remove).collect();
        let is_listed = |list: List| listed.iter().any(|(known, _)| *known == list);
        let having = package.channels_with(bundle).map(|blob| blob.name.value.clone());
        let stays_in = having.filter(|channel| list_for_channel(channel).is_some_and(is_listed)).collect();
        let names: Vec<&str> = listed.iter().map(|(list, _)| list.name()).collect();
        let title = format!("withdraw {bundle} from {}", names.join(", "));
        Ok(Self { edit: Edit::Several { title, edits }, stays_in })
    }
}

/// Withdrawal of a bundle from one channel.
struct ChannelWithdrawal<'a> {
    package: &'a Package,
    old: &'a [Entry],
    gone: &'a Entry,
    /// Other entries with their new edges.
    rest: Vec<Entry>,
}

impl<'a> ChannelWithdrawal<'a> {
    fn from_channel(
        package: &'a Package,
        blob: &'a ChannelBlob,
        bundle: &'a BundleName,
    ) -> Result<Self, EditError> {
        let channel = &blob.name.value;
        let gone = blob.entries.iter().find(|entry| entry.name.value == *bundle);
        let gone =
            gone.ok_or_else(|| EditError::NoEntry { channel: channel.clone(), entry: bundle.clone() })?;
        let rest = blob.entries.iter().filter(|entry| entry.name.value != *bundle).cloned().collect();
        let mut plan = Self { package, old: &blob.entries, gone, rest };
        if plan.rest.is_empty() {
            return Err(EditError::EmptyChannel(channel.clone()));
        }
        plan.rewire();
        Ok(plan)
    }

    /// Gives the edges of the withdrawn entry to other entries.
    fn rewire(&mut self) {
        let positions = |is_heir: &dyn Fn(&Entry) -> bool| -> Vec<usize> {
            self.rest.iter().enumerate().filter(|(_, entry)| is_heir(entry)).map(|(at, _)| at).collect()
        };
        let name = &self.gone.name.value;
        let replacing = positions(&|entry| entry.replaces(name));
        let heirs = if replacing.is_empty() { positions(&|entry| entry.skips(name)) } else { replacing };
        let heir = if heirs.is_empty() {
            self.lower_head()
        } else {
            for at in &heirs {
                self.inherit(*at);
            }
            let chain = picked_chain(&self.rest);
            heirs.iter().copied().find(|at| chain.contains(at)).or_else(|| heirs.first().copied())
        };
        if let Some(heir) = heir {
            self.skip_second_heads(heir);
            self.inherit_range(heir);
            self.skip_bundles_without_upgrade(heir);
        }
        self.skip_lost_bundles();
    }

    /// Gives an entry that replaced or skipped the withdrawn one its edges.
    fn inherit(&mut self, at: usize) {
        let (name, replaced) = (&self.gone.name.value, self.gone.replaces.as_ref().map(|name| &name.value));
        let Some(entry) = self.rest.get(at) else { return };
        let mut spec = entry.to_spec();
        if entry.replaces(name) {
            spec.replaces = replaced.filter(|replaced| **replaced != entry.name.value).cloned();
            let is_covered = self.version(name).is_some_and(|version| entry.range_matches(&version.version));
            if !is_covered && !spec.skips.contains(name) {
                spec.skips.push(name.clone());
            }
        }
        for skip in self.gone.skips.iter().map(|skip| &skip.value) {
            if *skip != entry.name.value && skip != name && !spec.skips.contains(skip) {
                spec.skips.push(skip.clone());
            }
        }
        self.set_spec(at, &spec);
    }

    /// Makes the highest entry below the withdrawn head the new head, with the edges to lower versions, and returns it.
    fn lower_head(&mut self) -> Option<usize> {
        let candidates = self.new_heads();
        let replaced = self.gone.replaces.as_ref().map(|name| &name.value);
        let version = |at: &usize| self.rest.get(*at).and_then(|entry| self.version(&entry.name.value));
        let by_version = candidates.iter().copied().filter(|at| version(at).is_some()).max_by(|a, b| {
            version(a).zip(version(b)).map_or(std::cmp::Ordering::Equal, |(a, b)| a.cmp_precedence(&b))
        });
        let at = by_version.or_else(|| candidates.first().copied())?;
        let head = self.rest.get(at)?;
        let mut spec = head.to_spec();
        let is_chained = |from: &BundleName, name: &BundleName| {
            let from = self.rest.iter().position(|entry| entry.name.value == *from);
            let chain = from.map(|from| replaces_chain(&self.rest, from)).unwrap_or_default();
            chain.iter().any(|at| self.rest.get(*at).is_some_and(|entry| entry.name.value == *name))
        };
        // Entries below the replaced one stay on the chain.
        if let Some(replaced) = replaced
            && !is_chained(&head.name.value, replaced)
            && (spec.replaces.is_none() || is_chained(replaced, replaced))
            && self.is_lower(replaced, &head.name.value)
        {
            let own = spec.replaces.replace(replaced.clone());
            spec.skips.extend(own.filter(|own| own != replaced));
        }
        for name in replaced.into_iter().chain(self.gone.skips.iter().map(|skip| &skip.value)) {
            let is_chained = spec.replaces.as_ref().is_some_and(|from| is_chained(from, name));
            let is_known = spec.replaces.as_ref() == Some(name) || spec.skips.contains(name);
            if !is_known && !is_chained && self.is_lower(name, &head.name.value) {
                spec.skips.push(name.clone());
            }
        }
        self.set_spec(at, &spec);
        Some(at)
    }

    /// Extends the range of an entry by the part of the withdrawn one's range that no other range covers.
    fn inherit_range(&mut self, at: usize) {
        let Some(SkipRange { range: Ok(range), .. }) = self.gone.skip_range.as_deref() else { return };
        // OLM Classic never picks a skipped entry.
        let is_picked = !self.old.iter().any(|entry| entry.skips(&self.gone.name.value));
        let Some(entry) = self.rest.get(at).filter(|_| is_picked) else { return };
        let Some(top) = self.version(&entry.name.value) else { return };
        let others = picked_chain(&self.rest).into_iter();
        let ranges =
            others.filter_map(|other| self.rest.get(other)?.skip_range.as_ref()?.range.as_ref().ok());
        let covered = Coverage::from_ranges(ranges);
        let Some(uncovered) = uncovered_range(range, &top.version, &covered) else { return };
        let mut spec = entry.to_spec();
        spec.skip_range = Some(match spec.skip_range {
            None => uncovered,
            Some(own) => format!("{own} || {uncovered}"),
        });
        self.set_spec(at, &spec);
    }

    /// Lets an entry skip all entries that no other entry names any more.
    fn skip_second_heads(&mut self, at: usize) {
        let names = self.new_heads().into_iter().filter(|second| *second != at);
        let names: Vec<BundleName> =
            names.filter_map(|second| Some(self.rest.get(second)?.name.value.clone())).collect();
        self.add_skips(at, names);
    }

    /// Lets an entry skip the bundles that could only upgrade to the withdrawn one.
    fn skip_bundles_without_upgrade(&mut self, at: usize) {
        let bundles = self.package.bundles.iter().map(|bundle| &bundle.name.value);
        let lost = bundles.filter(|name| {
            self.is_lower_than_entry(name, at)
                && self.is_upgrade_from(self.gone, name)
                && !self.rest.iter().any(|entry| self.is_upgrade_from(entry, name))
        });
        self.add_skips(at, lost.cloned().collect());
    }

    /// Lets the head skip the bundles that reached the old head with OLM Classic, but do not reach the new one.
    fn skip_lost_bundles(&mut self) {
        let Some(head) = self.head() else { return };
        let before = reaching_bundles(self.package, self.old);
        // Each round adds at least one skip.
        for _ in 0..=before.len() {
            let after = reaching_bundles(self.package, &self.rest);
            let lost = before.difference(&after).filter(|name| self.is_lower_than_entry(name, head));
            let lost: Vec<BundleName> = lost.cloned().collect();
            if !self.add_skips(head, lost) {
                return;
            }
        }
    }

    /// Adds bundles to the skips of an entry. Returns true if a skip is new.
    fn add_skips(&mut self, at: usize, names: Vec<BundleName>) -> bool {
        let Some(entry) = self.rest.get(at) else { return false };
        let mut spec = entry.to_spec();
        let count = spec.skips.len();
        for name in names {
            let is_known = spec.skips.contains(&name) || spec.replaces.as_ref() == Some(&name);
            if !is_known && name != self.gone.name.value {
                spec.skips.push(name);
            }
        }
        let is_changed = spec.skips.len() > count;
        self.set_spec(at, &spec);
        is_changed
    }

    /// Returns true if a bundle may upgrade to an entry with this name: the bundle is another one, and not higher.
    fn is_lower(&self, bundle: &BundleName, entry: &BundleName) -> bool {
        let versions = self.version(bundle).zip(self.version(entry));
        bundle != entry && versions.is_none_or(|(bundle, entry)| bundle.cmp_precedence(&entry).is_lt())
    }

    fn is_lower_than_entry(&self, bundle: &BundleName, at: usize) -> bool {
        self.rest.get(at).is_some_and(|entry| self.is_lower(bundle, &entry.name.value))
    }

    /// Returns the version of a bundle, or the one in its name if the bundle is missing.
    fn version(&self, bundle: &BundleName) -> Option<VersionRelease> {
        let known = self.package.bundle_version(bundle.as_str()).cloned();
        let version = known.or_else(|| VersionRelease::parse(version_in_name(bundle.as_str())?, "").ok())?;
        Some(match version.release {
            Some(_) => version,
            None => with_release_from_build(&version.version),
        })
    }

    fn is_upgrade_from(&self, entry: &Entry, bundle: &BundleName) -> bool {
        is_upgrade(entry, bundle, self.package.bundle_version(bundle.as_str()).map(|found| &found.version))
    }

    /// Returns the entries that only the withdrawn entry named.
    fn new_heads(&self) -> Vec<usize> {
        let heads = head_positions(&self.rest).into_iter();
        let is_new = |at: &usize| {
            self.rest
                .get(*at)
                .is_some_and(|e| self.gone.replaces(&e.name.value) || self.gone.skips(&e.name.value))
        };
        heads.filter(is_new).collect()
    }

    /// Returns the head; `None` unless there is exactly one.
    fn head(&self) -> Option<usize> {
        match head_positions(&self.rest).as_slice() {
            [head] => Some(*head),
            _ => None,
        }
    }

    fn set_spec(&mut self, at: usize, spec: &EntrySpec) {
        if let Some(entry) = self.rest.get_mut(at) {
            *entry = entry.with_spec(spec);
        }
    }

    /// Returns the entries with other edges than before.
    fn changed_entries(&self) -> impl Iterator<Item = (BundleName, EntrySpec)> {
        let kept = self.old.iter().filter(|old| old.name.value != self.gone.name.value);
        let changed = kept.zip(&self.rest).map(|(old, new)| (new, old.to_spec(), new.to_spec()));
        changed.filter(|(_, old, new)| old != new).map(|(entry, _, spec)| (entry.name.value.clone(), spec))
    }
}

/// Returns the part of a range below a version that other ranges do not cover, from its lowest version on. `None` if they
/// cover it.
fn uncovered_range(range: &Range, top: &Version, covered: &Coverage) -> Option<String> {
    let parts = range.alternatives().iter().filter_map(|alternative| {
        let part = limit_alternative(alternative, top)?;
        let limited = part.alternatives().first()?;
        let mut interval = limited.interval()?;
        interval.low = limited.lowest()?;
        let start = covered.first_gap(&interval).filter(|start| part.matches(start))?;
        if start == interval.low {
            return Some(part.to_string());
        }
        let rest = limited.comparators().iter();
        let rest = rest.filter(|end| !matches!(end.operator, Operator::Greater | Operator::GreaterOrEqual));
        Some(
            [format!(">={start}")]
                .into_iter()
                .chain(rest.map(ToString::to_string))
                .collect::<Vec<_>>()
                .join(" "),
        )
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(" || "))
}

/// Returns the part of an alternative below a version; `None` if it is empty.
fn limit_alternative(alternative: &Alternative, top: &Version) -> Option<Range> {
    let is_limited = alternative.comparators().iter().any(|end| match end.operator {
        Operator::Less => end.version.cmp_precedence(top).is_le(),
        Operator::LessOrEqual | Operator::Equal => end.version.cmp_precedence(top).is_lt(),
        _ => false,
    });
    let is_upper = |operator| matches!(operator, Operator::Less | Operator::LessOrEqual);
    let kept = alternative.comparators().iter().filter(|end| is_limited || !is_upper(end.operator));
    let limit = (!is_limited).then(|| format!("<{top}"));
    let text = kept.map(ToString::to_string).chain(limit).collect::<Vec<_>>().join(" ");
    Range::parse(&text).ok().filter(|range| !range.is_empty())
}

/// Returns the positions of entries that no other entry replaces or skips.
fn head_positions(entries: &[Entry]) -> Vec<usize> {
    let edges = entries.iter().flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
    let named: HashSet<&BundleName> = edges.map(|name| &name.value).collect();
    let all = entries.iter().enumerate();
    all.filter(|(_, entry)| !named.contains(&entry.name.value)).map(|(at, _)| at).collect()
}

/// Returns an entry and the entries below it, by `replaces`.
fn replaces_chain(entries: &[Entry], from: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut at = Some(from);
    while let Some(entry) = at.filter(|at| !chain.contains(at)).and_then(|at| entries.get(at)) {
        chain.extend(at);
        let below = entry.replaces.as_ref().map(|name| &name.value);
        at = below.and_then(|below| entries.iter().position(|other| other.name.value == *below));
    }
    chain
}

/// Returns the entries that OLM Classic may pick, from the head on. Empty unless there is exactly one head.
fn picked_chain(entries: &[Entry]) -> Vec<usize> {
    let [head] = head_positions(entries)[..] else { return Vec::new() };
    let skips = entries.iter().flat_map(|entry| &entry.skips).map(|name| &name.value);
    let skipped: HashSet<&BundleName> = skips.collect();
    let is_skipped = |at: &usize| entries.get(*at).is_some_and(|entry| skipped.contains(&entry.name.value));
    replaces_chain(entries, head).into_iter().filter(|at| !is_skipped(at)).collect()
}

fn is_upgrade(entry: &Entry, bundle: &BundleName, version: Option<&Version>) -> bool {
    let is_other = entry.name.value != *bundle;
    let is_in_range = || version.is_some_and(|version| entry.range_matches(version));
    is_other && (entry.replaces(bundle) || entry.skips(bundle) || is_in_range())
}

/// Returns the bundles of the package that reach the only head of a channel on OLM Classic. Empty if there are several
/// heads.
fn reaching_bundles(package: &Package, entries: &[Entry]) -> BTreeSet<BundleName> {
    let [head] = head_positions(entries)[..] else { return BTreeSet::new() };
    let chain: Vec<&Entry> = picked_chain(entries).into_iter().filter_map(|at| entries.get(at)).collect();
    let Some(top) = entries.get(head).map(|entry| &entry.name.value) else { return BTreeSet::new() };
    let mut reaching = BTreeSet::from([top.clone()]);
    let mut open: Vec<(&BundleName, &BundleName)> = package
        .bundles
        .iter()
        .filter_map(|bundle| {
            let version = bundle.version.as_ref().map(|version| &version.version);
            let next = chain.iter().find(|entry| is_upgrade(entry, &bundle.name.value, version))?;
            Some((&bundle.name.value, &next.name.value))
        })
        .collect();
    loop {
        let count = open.len();
        open.retain(|(bundle, next)| {
            let reaches = reaching.contains(*next);
            if reaches {
                reaching.insert((*bundle).clone());
            }
            !reaches
        });
        if open.len() == count {
            return reaching;
        }
    }
}
