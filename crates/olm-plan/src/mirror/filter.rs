//! The catalog filter of oc-mirror.

use std::collections::{HashMap, HashSet};

use super::{
    BadChannel, MirrorError, images,
    section::{PackageRule, Range, Section},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, Member, Node, Value,
    blob::{ChannelBlob, DeprecationTarget, Entry},
    model::DocChange,
    package::Package,
    problem::ProblemKind,
    text::{canonical, emit, split::Format},
};
use olm_version::{Version, masterminds::Constraint};

/// Filters a catalog as oc-mirror does for one operator section.
///
/// As in oc-mirror, the result is not validated: opm can reject it.
///
/// # Errors
///
/// Returns an error if oc-mirror does not mirror the catalog.
pub fn filter_catalog(catalog: &Catalog, section: &Section) -> Result<Catalog, MirrorError> {
    if catalog.template().is_some() {
        return Err(MirrorError::Template);
    }
    let unreadable: usize =
        catalog.all_problems().map(|problems| problems.count_kinds(ProblemKind::stops_opm)).sum();
    if unreadable > 0 {
        return Err(MirrorError::Unreadable);
    }
    let mut kept_bundles = 0;
    let mut changes = Vec::new();
    for package in catalog.packages() {
        if !section.selects(&package.name) {
            changes.extend(package.documents().map(|doc| DocChange::Remove { doc }));
            continue;
        }
        let is_untouched = section.full && section.packages.is_empty();
        let kept =
            if is_untouched { KeptParts::whole_package(package) } else { KeptParts::new(package, section)? };
        kept_bundles += kept.check_images(package)?;
        if !is_untouched {
            changes.extend(kept.document_changes(catalog, package, section.rule_for(&package.name)));
        }
    }
    if kept_bundles == 0 {
        return Err(MirrorError::NothingLeft);
    }
    Ok(catalog.with_changes(changes).0)
}

/// The kept parts of a package.
struct KeptParts<'p> {
    /// The kept channels by index, with their kept entries.
    channels: Vec<(usize, HashSet<&'p BundleName>)>,
    /// The kept bundles.
    bundles: HashSet<BundleName>,
    /// The selected channels, including channels without a kept entry.
    selected: HashSet<&'p ChannelName>,
}

impl<'p> KeptParts<'p> {
    fn whole_package(package: &'p Package) -> Self {
        let entries =
            |channel: &'p ChannelBlob| channel.entries.iter().map(|entry| &entry.name.value).collect();
        Self {
            channels: package.channels.iter().enumerate().map(|(at, c)| (at, entries(c))).collect(),
            bundles: package.bundles.iter().map(|bundle| bundle.name.value.clone()).collect(),
            selected: package.channels.iter().map(|channel| &channel.name.value).collect(),
        }
    }

    fn new(package: &'p Package, section: &Section) -> Result<Self, MirrorError> {
        let heads = PackageRule::heads_only(package.name.clone());
        let named = section.rule_for(&package.name);
        let rule = named.unwrap_or(&heads);
        let versions = parse_versions(package)?;
        let wanted: Vec<(usize, &'p ChannelBlob, &Range)> = package
            .channels
            .iter()
            .enumerate()
            .filter_map(|(at, channel)| Some((at, &**channel, rule.range_of(&channel.name.value)?)))
            .collect();
        let selected: HashSet<&'p ChannelName> =
            wanted.iter().map(|(_, channel, _)| &channel.name.value).collect();
        if let Some(rule) = named {
            check_default(package, rule, &selected)?;
        }
        if section.full && wanted.iter().any(|(_, _, range)| !range.is_empty()) {
            return Err(MirrorError::FullWithRange { package: package.name.clone() });
        }
        let mut kept = Self { channels: Vec::new(), bundles: HashSet::new(), selected };
        for (at, channel, range) in wanted {
            let entries = if section.full {
                let all: HashSet<&BundleName> = channel.entries.iter().map(|e| &e.name.value).collect();
                kept.bundles.extend(all.iter().map(|name| (*name).clone()));
                Some(all)
            } else {
                kept.keep_channel(package, channel, range, &versions)?
            };
            kept.channels.extend(entries.map(|entries| (at, entries)));
        }
        Ok(kept)
    }

    /// Adds the kept bundles of a channel and returns its kept entries. Returns `None` if the
    /// channel is removed.
    fn keep_channel(
        &mut self,
        package: &'p Package,
        channel: &'p ChannelBlob,
        range: &Range,
        versions: &Versions,
    ) -> Result<Option<HashSet<&'p BundleName>>, MirrorError> {
        let there = |names: &HashSet<&BundleName>| -> HashSet<&'p BundleName> {
            channel.entries.iter().map(|entry| &entry.name.value).filter(|n| names.contains(n)).collect()
        };
        if let Some(only) = range.only_version() {
            let is_it = |name: &BundleName| {
                versions.get(name).is_some_and(|version| version.cmp_precedence(&only.version).is_eq())
            };
            let found: HashSet<&BundleName> =
                package.bundles.iter().map(|bundle| &bundle.name.value).filter(|n| is_it(n)).collect();
            if found.is_empty() {
                let version = only.text.clone();
                return Err(MirrorError::NoSuchVersion { package: package.name.clone(), version });
            }
            self.bundles.extend(found.iter().map(|name| (*name).clone()));
            return Ok(Some(there(&found)));
        }
        let name = &channel.name.value;
        let line = SingleHeadChannel::new(channel).map_err(|why| MirrorError::Channel {
            package: package.name.clone(),
            channel: name.clone(),
            why,
        })?;
        let kept = match range.constraint() {
            None if range.is_empty() => HashSet::from([line.head()]),
            None => HashSet::new(),
            Some(constraint) => line.kept_entries(&constraint, versions),
        };
        if !kept.is_empty() {
            self.bundles.extend(kept.iter().map(|name| (*name).clone()));
            return Ok(Some(there(&kept)));
        }
        if package.default_channel() == Some(name) {
            let (package, channel) = (package.name.clone(), name.clone());
            return Err(MirrorError::DefaultEmptied { package, channel, range: range.to_string() });
        }
        Ok(None)
    }

    /// Counts the kept bundles.
    ///
    /// Returns an error if oc-mirror cannot parse a related image of a kept bundle.
    fn check_images(&self, package: &Package) -> Result<usize, MirrorError> {
        let mut count = 0;
        for bundle in package.bundles.iter().filter(|bundle| self.bundles.contains(&bundle.name.value)) {
            count += 1;
            for related in &bundle.related_images {
                images::check_image_reference(&related.image.value).map_err(|why| MirrorError::Image {
                    package: package.name.clone(),
                    bundle: bundle.name.value.clone(),
                    image: related.image.value.clone(),
                    why,
                })?;
            }
        }
        Ok(count)
    }

    /// Returns the changes that remove everything that is not kept, and that set the default
    /// channel of the rule.
    fn document_changes(
        &self,
        catalog: &Catalog,
        package: &Package,
        rule: Option<&PackageRule>,
    ) -> Vec<DocChange> {
        let mut changes = Vec::new();
        let default = rule.and_then(|rule| rule.default_channel.as_ref());
        for definition in &package.definitions {
            let Some(default) = default else { continue };
            if definition.default_channel.as_ref().map(|channel| &channel.value) != Some(default) {
                changes.extend(edit_document(catalog, definition.doc, |node| set_default(node, default)));
            }
        }
        for (at, channel) in package.channels.iter().enumerate() {
            match self.channels.iter().find(|(kept, _)| *kept == at) {
                None => changes.push(DocChange::Remove { doc: channel.doc }),
                Some((_, entries)) => {
                    if channel.entries.iter().any(|entry| !entries.contains(&entry.name.value)) {
                        changes.extend(edit_document(catalog, channel.doc, |node| {
                            retain_entries(node, |item| {
                                item.get("name")
                                    .and_then(Node::as_str)
                                    .is_some_and(|n| entries.contains(&BundleName::from(n)))
                            });
                        }));
                    }
                }
            }
        }
        let gone = package.bundles.iter().filter(|bundle| !self.bundles.contains(&bundle.name.value));
        changes.extend(gone.map(|bundle| DocChange::Remove { doc: bundle.doc }));
        for blob in &package.deprecations {
            let stays = |target: Option<&DeprecationTarget>| match target {
                Some(DeprecationTarget::Bundle(name)) => self.bundles.contains(name),
                Some(DeprecationTarget::Channel(name)) => self.selected.contains(name),
                Some(DeprecationTarget::Package) | None => true,
            };
            let going: HashSet<usize> =
                blob.entries.iter().filter(|e| !stays(e.target.as_ref())).map(|e| e.position).collect();
            if going.is_empty() {
                continue;
            }
            if going.len() == blob.entries.len() {
                changes.push(DocChange::Remove { doc: blob.doc });
                continue;
            }
            changes.extend(edit_document(catalog, blob.doc, |node| {
                let mut at = 0;
                retain_entries(node, |_| {
                    at += 1;
                    !going.contains(&(at - 1))
                });
            }));
        }
        changes
    }
}

/// Returns the versions of all bundles, including bundles without a channel. Returns an error for
/// an invalid version.
fn parse_versions(package: &Package) -> Result<Versions, MirrorError> {
    let mut versions = Versions::new();
    for bundle in &package.bundles {
        let (name, package) = (&bundle.name.value, || package.name.clone());
        let Some(property) = bundle.package_properties.first() else {
            return Err(MirrorError::NoVersion { package: package(), bundle: name.clone() });
        };
        let version = Version::parse(&property.version.value).map_err(|_| MirrorError::BadVersion {
            package: package(),
            bundle: name.clone(),
            version: property.version.value.clone(),
        })?;
        versions.insert(name.clone(), version);
    }
    Ok(versions)
}

/// Checks that the default channel is selected. oc-mirror checks this only for packages that the
/// section names.
fn check_default(
    package: &Package,
    rule: &PackageRule,
    selected: &HashSet<&ChannelName>,
) -> Result<(), MirrorError> {
    // A package without `olm.package` document does not have a default channel to check.
    if package.definitions.is_empty() {
        return Ok(());
    }
    let name = || package.name.clone();
    match (&rule.default_channel, package.default_channel()) {
        (Some(channel), _) if !selected.contains(channel) => {
            Err(MirrorError::NoSuchDefault { package: name(), channel: channel.clone() })
        }
        (None, Some(channel)) if !selected.contains(channel) => {
            Err(MirrorError::DefaultLeftOut { package: name(), channel: channel.clone() })
        }
        _ => Ok(()),
    }
}

/// Edits a document and formats it in the format of its file.
fn edit_document(catalog: &Catalog, doc: DocId, edit: impl FnOnce(&mut Node<'_>)) -> Option<DocChange> {
    let tree = catalog.parse_document(doc)?.ok()?;
    let mut node = canonical::normalize(&tree);
    edit(&mut node);
    let text = match catalog.format(doc)? {
        Format::Yaml => format!("---\n{}", emit::write_yaml(&node)),
        Format::Json => emit::write_json(&node),
    };
    Some(DocChange::Replace { doc, text: text.into_bytes() })
}

fn set_default(node: &mut Node<'_>, channel: &ChannelName) {
    let Value::Map(members) = &mut node.value else { return };
    let value = || Node::new(Value::String(channel.as_str().to_owned().into()), olm_catalog::Span::default());
    match members.iter_mut().find(|member| member.key == "defaultChannel") {
        Some(member) => member.value = value(),
        None => members.push(Member {
            key: "defaultChannel".into(),
            key_span: olm_catalog::Span::default(),
            value: value(),
        }),
    }
}

/// Removes the `entries` of a document for which `keep` returns false.
fn retain_entries(node: &mut Node<'_>, keep: impl FnMut(&Node<'_>) -> bool) {
    let Value::Map(members) = &mut node.value else { return };
    let entries = members.iter_mut().find(|member| member.key == "entries");
    if let Some(Member { value: Node { value: Value::List(items), .. }, .. }) = entries {
        let mut keep = keep;
        items.retain(|item| keep(item));
    }
}

/// The versions of a package's bundles, by bundle name. oc-mirror parses them as strict semantic versions.
pub(super) type Versions = HashMap<BundleName, Version>;

/// A channel with exactly one head.
pub(super) struct SingleHeadChannel<'c> {
    entries: HashMap<&'c BundleName, &'c Entry>,
    head: &'c BundleName,
}

impl<'c> SingleHeadChannel<'c> {
    /// Finds the head of a channel.
    ///
    /// # Errors
    ///
    /// Returns an error if the channel does not have exactly one head, or if its upgrade graph is invalid.
    pub(super) fn new(channel: &'c ChannelBlob) -> Result<Self, BadChannel> {
        let mut entries = HashMap::new();
        for entry in &channel.entries {
            let name = &entry.name.value;
            if entries.insert(name, entry).is_some() {
                return Err(BadChannel::Twice(name.clone()));
            }
            if entry.replaces(name) || entry.skips(name) {
                return Err(BadChannel::Itself(name.clone()));
            }
        }
        if has_cycle(&entries) {
            return Err(BadChannel::Cycle);
        }
        match channel.heads().as_slice() {
            [] if channel.entries.is_empty() => Err(BadChannel::Empty),
            [] => Err(BadChannel::NoHead),
            [head] => Ok(Self { entries, head }),
            several => {
                let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
                Err(BadChannel::Heads(names.join(", ")))
            }
        }
    }

    pub(super) fn head(&self) -> &'c BundleName {
        self.head
    }

    /// Returns the replaces chain: the head, the bundle it replaces, and so on.
    ///
    /// A name without an entry is the end of the chain and belongs to it.
    fn replaces_chain(&self) -> Vec<&'c BundleName> {
        let mut chain = vec![self.head];
        let mut here = self.head;
        while let Some(next) = self.entries.get(here).and_then(|entry| entry.replaces.as_ref()) {
            here = &next.value;
            chain.push(here);
            // `new` rejects cycles, so this limit is only a safeguard.
            if chain.len() > self.entries.len() + 1 {
                break;
            }
        }
        chain
    }

    /// Returns the entries that oc-mirror keeps for a version range.
    ///
    /// They are a part of the replaces chain, and the skipped bundles that match the range. The part starts at
    /// the lowest entry that reaches all matching versions. It ends at the last entry that reaches a
    /// matching version.
    fn kept_entries(&self, range: &Constraint, versions: &Versions) -> HashSet<&'c BundleName> {
        let matches = |name: &BundleName| versions.get(name).is_some_and(|version| range.matches(version));
        let skips = |name: &BundleName| {
            let entry = self.entries.get(name).copied();
            entry.into_iter().flat_map(|entry| &entry.skips).map(|skip| &skip.value)
        };
        let chain = self.replaces_chain();
        // From the tail up: count the matching names in each chain entry and everything below it.
        let mut known: HashSet<&BundleName> = HashSet::new();
        let mut counts: Vec<usize> = Vec::with_capacity(chain.len());
        for name in chain.iter().rev() {
            known.extend(std::iter::once(*name).chain(skips(name)).filter(|name| matches(name)));
            counts.push(known.len());
        }
        counts.reverse();
        let most = counts.first().copied().unwrap_or(0);
        if most == 0 {
            return HashSet::new();
        }
        let nodes = chain.iter().zip(&counts);
        let first = counts.iter().rposition(|count| *count == most).unwrap_or(0);
        let mut kept = HashSet::new();
        for (name, _) in nodes.skip(first).take_while(|(_, count)| **count > 0) {
            kept.insert(*name);
            kept.extend(skips(name).filter(|name| matches(name)));
        }
        kept
    }
}

/// Returns true if the `replaces` edges of the entries contain a cycle.
fn has_cycle(entries: &HashMap<&BundleName, &Entry>) -> bool {
    // Kahn's algorithm: remove entries without incoming edge. The entries that remain are in a cycle or below a
    // cycle.
    let mut above: HashMap<&BundleName, usize> = entries.keys().map(|name| (*name, 0)).collect();
    let targets = |entry: &'_ Entry| -> Vec<BundleName> {
        entry.replaces.iter().map(|name| name.value.clone()).collect()
    };
    for entry in entries.values() {
        for target in targets(entry) {
            if let Some(count) = above.get_mut(&target) {
                *count += 1;
            }
        }
    }
    let mut free: Vec<&BundleName> =
        above.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
    let mut gone = 0;
    while let Some(name) = free.pop() {
        gone += 1;
        let Some(entry) = entries.get(name) else { continue };
        for target in targets(entry) {
            if let Some((known, _)) = entries.get_key_value(&target)
                && let Some(count) = above.get_mut(known)
            {
                *count -= 1;
                if *count == 0 {
                    free.push(known);
                }
            }
        }
    }
    gone < entries.len()
}
