//! Fixes of findings with several right answers. Each is an edit that was applied to see that it helps.

use crate::{Finding, Rule, rules};
use olm_catalog::{BundleName, Catalog, ChannelName, blob::DeprecationTarget, package::Package};
use olm_edit::{Edit, apply_edit};
use olm_upgrade::{ChannelGraph, ResolveError, classic};

/// Maximum number of fixes of a finding.
const MAX_FIXES: usize = 8;

/// Finds the possible fixes of a finding of one rule, each with a title.
type FixFinder = fn(&Catalog, &Package, &Finding) -> Vec<(String, Edit)>;

/// Returns what finds the possible fixes of a rule without a single right answer. `None` for other rules.
fn fix_finder(rule: &Rule) -> Option<FixFinder> {
    let finders: [(&Rule, FixFinder); 6] = [
        (&rules::MULTIPLE_HEADS, head_fixes),
        (&rules::MISSING_DEFAULT_CHANNEL, default_channel_fixes),
        (&rules::UNKNOWN_DEFAULT_CHANNEL, default_channel_fixes),
        (&rules::DEPRECATED_DEFAULT_CHANNEL, default_channel_fixes),
        (&rules::ENTRY_WITHOUT_BUNDLE, entry_fix),
        (&rules::EMPTY_CHANNEL, channel_fix),
    ];
    finders.into_iter().find(|(own, _)| *own == rule).map(|(_, finder)| finder)
}

/// Returns true if [`alternative_fixes`] may find fixes. Does not apply edits.
pub fn may_have_alternatives(finding: &Finding) -> bool {
    finding.package.is_some() && fix_finder(finding.rule).is_some()
}

/// Returns the possible fixes of a finding without a single right answer, each with a title.
pub fn alternative_fixes(catalog: &Catalog, finding: &Finding) -> Vec<(String, Edit)> {
    let finder = fix_finder(finding.rule).zip(finding_package(catalog, finding));
    let mut fixes = finder.map(|(find, package)| find(catalog, package, finding)).unwrap_or_default();
    fixes.truncate(MAX_FIXES);
    fixes
}

/// Returns the package of a finding.
fn finding_package<'c>(catalog: &'c Catalog, finding: &Finding) -> Option<&'c Package> {
    catalog.package(finding.package.as_ref()?.as_str()).map(AsRef::as_ref)
}

/// Returns edits that make the next newer entry skip or replace each lower head.
fn head_fixes(catalog: &Catalog, package: &Package, finding: &Finding) -> Vec<(String, Edit)> {
    let Some(channel) = finding.channel.as_ref().and_then(|name| package.channel(name.as_str())) else {
        return Vec::new();
    };
    let channel_name = &channel.name.value;
    let before = count_heads(package, channel_name);
    let mut entries: Vec<_> = channel
        .entries
        .iter()
        .filter_map(|entry| Some((package.bundle_version(entry.name.value.as_str())?, entry)))
        .collect();
    entries.sort_by(|a, b| a.0.cmp_precedence(b.0));
    let mut fixes = Vec::new();
    let mut skips = Vec::new();
    let names = finding.names.iter().take(MAX_FIXES);
    for head in names.map(|name| BundleName::from(name.as_str())) {
        let next = entries.iter().position(|(_, entry)| entry.name.value == head);
        let Some((_, next)) = next.and_then(|at| entries.get(at + 1)) else { continue };
        let set = |spec| Edit::SetEntry {
            package: package.name.clone(),
            channel: channel_name.clone(),
            entry: next.name.value.clone(),
            spec,
        };
        let mut skipping = next.to_spec();
        skipping.skips.push(head.clone());
        let skip = set(skipping);
        skips.push(skip.clone());
        fixes.push((format!("make {} skip {head}", next.name.value), skip));
        if next.replaces.is_none() {
            let mut replacing = next.to_spec();
            replacing.replaces = Some(head.clone());
            fixes.push((format!("make {} replace {head}", next.name.value), set(replacing)));
        }
    }
    if skips.len() > 1 && finding.names.len() <= MAX_FIXES {
        let title = "make the next newer entry skip each of them".to_owned();
        fixes.insert(0, (title.clone(), Edit::Several { title, edits: skips }));
    }
    let helps = |edit: &Edit| {
        let after = apply_edit(catalog, edit).ok()?;
        let after = after.package(package.name.as_str())?;
        Some(count_heads(after, channel_name) < before && count_heads(after, channel_name) > 0)
    };
    fixes.retain(|(_, edit)| helps(edit).unwrap_or_default());
    fixes
}

/// Returns the number of heads of a channel; 0 if there is none, or if the channel is invalid in another way.
fn count_heads(package: &Package, channel: &ChannelName) -> usize {
    let Some(blob) = package.channels.iter().find(|blob| blob.name.value == *channel) else { return 0 };
    match classic::build_chain(&ChannelGraph::new(package, blob)) {
        Ok(_) | Err(ResolveError::SeveralHeads { .. }) => blob.heads().len(),
        Err(_) => 0,
    }
}

/// Returns edits that set each channel that is not deprecated as the default channel.
fn default_channel_fixes(_: &Catalog, package: &Package, _: &Finding) -> Vec<(String, Edit)> {
    let channels = package.channels.iter().map(|channel| &channel.name.value);
    let current = package.default_channel();
    let is_usable = |name: &&ChannelName| {
        Some(*name) != current
            && !name.as_str().is_empty()
            && package.deprecation(&DeprecationTarget::Channel((*name).clone())).is_none()
    };
    let mut usable: Vec<_> = channels.filter(is_usable).collect();
    usable.dedup();
    let set = |channel: &ChannelName| {
        let edit = Edit::SetDefaultChannel { package: package.name.clone(), channel: channel.clone() };
        (format!("make {channel} the default channel"), edit)
    };
    usable.into_iter().map(set).collect()
}

/// Returns the edit that removes an entry without a bundle.
fn entry_fix(_: &Catalog, package: &Package, finding: &Finding) -> Vec<(String, Edit)> {
    let entry = finding.channel.as_ref().zip(finding.bundle.as_ref());
    let removal = entry.and_then(|(channel, entry)| remove_entry(package, channel, entry));
    removal.map(|EntryRemoval { edit, .. }| (edit.title(), edit)).into_iter().collect()
}

/// Removal of an entry.
pub struct EntryRemoval {
    /// The edit.
    pub edit: Edit,
    /// True if the edit also changes edges of other entries, so that users of lower versions still get upgrades.
    pub repairs_edges: bool,
}

/// Returns the edit that removes an entry. `None` for the only entry of a channel, because opm rejects empty channels.
pub fn remove_entry(package: &Package, channel: &ChannelName, entry: &BundleName) -> Option<EntryRemoval> {
    if package.channel(channel.as_str())?.entries.len() < 2 {
        return None;
    }
    let repaired = Edit::remove_and_repair_entry(package, channel.as_str(), entry);
    let repairs_edges = repaired.is_some();
    let edit = repaired.unwrap_or_else(|| Edit::RemoveEntry {
        package: package.name.clone(),
        channel: channel.clone(),
        entry: entry.clone(),
    });
    Some(EntryRemoval { edit, repairs_edges })
}

/// Returns the edit that removes an empty channel. The default channel stays.
fn channel_fix(_: &Catalog, package: &Package, finding: &Finding) -> Vec<(String, Edit)> {
    let channel = finding.channel.iter().filter(|channel| package.default_channel() != Some(*channel));
    let edits = channel.map(|channel| Edit::RemoveChannel {
        package: package.name.clone(),
        channel: channel.clone(),
        default: None,
    });
    edits.map(|edit| (edit.title(), edit)).collect()
}
