//! Rules about the entries of channels.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, format_name, format_with_kind},
    rule::Rule,
    rules,
    subject::PackageSubject,
};
use olm_catalog::{
    BundleName, Spanned,
    blob::{ChannelBlob, Entry, EntrySpec, SkipRange},
    similar_names::{Candidates, suggest_closest},
};
use olm_edit::Edit;
use olm_version::RangeError;

pub(super) fn duplicate_entry(s: &PackageSubject<'_>, found: &mut Findings) {
    for channel in &s.package.channels {
        let mut first: HashMap<&BundleName, &Entry> = HashMap::with_capacity(channel.entries.len());
        for entry in channel.entries.iter().filter(|e| !e.name.value.as_str().is_empty()) {
            let name = &entry.name.value;
            if let Some(known) = first.get(name) {
                let message = format!(
                    "{} has two entries for {name}",
                    format_with_kind("channel", &channel.name.value)
                );
                let finding = entry_finding(&rules::DUPLICATE_ENTRY, message, channel, entry);
                let finding = finding.at_span(channel.doc, entry.name.span);
                found.push(finding.with_related("first one", channel.doc, known.name.span));
            } else {
                first.insert(name, entry);
            }
        }
    }
}

pub(super) fn entry_without_bundle(s: &PackageSubject<'_>, found: &mut Findings) {
    // A bundle without a name may belong to any entry.
    if !s.is_defined() || s.package.bundle("").is_some() {
        return;
    }
    let mut entries: Vec<(&BundleName, Vec<(&ChannelBlob, &Entry)>)> = Vec::new();
    let mut positions: HashMap<&BundleName, usize> = HashMap::new();
    for (channel, entry) in s.entries_without_bundle() {
        let name = &entry.name.value;
        let position = *positions.entry(name).or_insert_with(|| {
            entries.push((name, Vec::new()));
            entries.len() - 1
        });
        if let Some((_, places)) = entries.get_mut(position) {
            places.push((channel, entry));
        }
    }
    if entries.is_empty() {
        return;
    }
    let bundles = Candidates::new(s.package.bundles.iter().map(|bundle| bundle.name.value.as_str()));
    for (name, places) in entries {
        let [(channel, entry), more @ ..] = places.as_slice() else { continue };
        if s.may_be_unread(name.as_str()) {
            continue;
        }
        let mut channels: Vec<String> =
            places.iter().map(|(channel, _)| format_name("channel", &channel.name.value)).collect();
        channels.sort_unstable();
        channels.dedup();
        let message = format!("{name} is an entry of {}, but there is no such bundle", format_list(channels));
        let mut finding = entry_finding(&rules::ENTRY_WITHOUT_BUNDLE, message, channel, entry);
        finding = finding.at_span(channel.doc, entry.name.span);
        for (channel, entry) in more {
            let text = format!("also an entry of {}", format_name("channel", &channel.name.value));
            finding = finding.with_related(text, channel.doc, entry.name.span);
        }
        if let Some(meant) = bundles.suggest(name.as_str()) {
            finding = finding.with_help(format!("did you mean {meant}?"));
        }
        found.push(finding);
    }
}

pub(super) fn empty_skip(s: &PackageSubject<'_>, found: &mut Findings) {
    for (channel, entry) in s.all_entries() {
        for skip in entry.skips.iter().filter(|skip| skip.value.as_str().is_empty()) {
            let message = format!("{} skips an empty name", format_name("entry", &entry.name.value));
            let mut spec = entry.to_spec();
            spec.skips.retain(|name| !name.as_str().is_empty());
            let finding =
                entry_finding(&rules::EMPTY_SKIP, message, channel, entry).at_span(channel.doc, skip.span);
            found.push(finding.with_fix(set_entry_edit(channel, entry, spec)));
        }
    }
}

pub(super) fn bad_skip_range(s: &PackageSubject<'_>, found: &mut Findings) {
    report_bad_ranges(s, found, &rules::BAD_SKIP_RANGE, |error| error.suggestion.is_none());
}

pub(super) fn range_dialect(s: &PackageSubject<'_>, found: &mut Findings) {
    report_bad_ranges(s, found, &rules::RANGE_DIALECT, |error| error.suggestion.is_some());
}

fn report_bad_ranges(
    s: &PackageSubject<'_>,
    found: &mut Findings,
    rule: &'static Rule,
    is_mine: impl Fn(&RangeError) -> bool,
) {
    for (channel, entry) in s.all_entries() {
        let Some(SkipRange { text, range: Err(error) }) = entry.skip_range.as_deref() else { continue };
        if !is_mine(error) {
            continue;
        }
        let message =
            format!("skipRange `{}` of {}: {error}", text.value, format_name("entry", &entry.name.value));
        let mut finding = entry_finding(rule, message, channel, entry).at_span(channel.doc, text.span);
        if let Some(hint) = &error.hint {
            finding = finding.with_help(hint.clone());
        }
        if let Some(suggestion) = &error.suggestion {
            let spec = EntrySpec { skip_range: Some(suggestion.clone()), ..entry.to_spec() };
            finding = finding.with_fix(set_entry_edit(channel, entry, spec));
        }
        found.push(finding);
    }
}

pub(super) fn unknown_key(s: &PackageSubject<'_>, found: &mut Findings) {
    for (channel, entry) in s.all_entries() {
        for key in &entry.unknown {
            let message =
                format!("unknown key `{}` in {}", key.value, format_with_kind("entry", &entry.name.value));
            let mut finding =
                entry_finding(&rules::UNKNOWN_KEY, message, channel, entry).at_span(channel.doc, key.span);
            if let Some(meant) = suggest_closest(&key.value, Entry::KEYS.into_iter()) {
                finding =
                    finding.with_help(format!("did you mean `{meant}`? OLM silently ignores unknown keys"));
                if !entry.has_key(meant) {
                    finding = finding.with_fix(Edit::RenameKey {
                        package: channel.package.value.clone(),
                        channel: channel.name.value.clone(),
                        entry: entry.name.value.clone(),
                        from: key.value.clone(),
                        to: meant.to_owned(),
                    });
                }
            }
            found.push(finding);
        }
    }
}

/// Reports edges to a name that is probably a misspelled entry. Other edges to missing entries
/// are valid, since old bundles leave a catalog. Skips generated edges.
pub(super) fn replaces_nothing(s: &PackageSubject<'_>, found: &mut Findings) {
    if s.catalog.template().is_some_and(|template| template.semver().is_some()) {
        return;
    }
    for channel in &s.package.channels {
        let entries: HashSet<&BundleName> = channel.entries.iter().map(|e| &e.name.value).collect();
        let candidates = OnceCell::new();
        // Long lists of skips repeat the same names.
        let mut known: HashMap<&BundleName, Option<&str>> = HashMap::new();
        for entry in &channel.entries {
            let replaces = entry.replaces.iter().map(|r| ("replaces", r));
            for (verb, target) in replaces.chain(entry.skips.iter().map(|skip| ("skips", skip))) {
                if entries.contains(&target.value) || target.value.as_str().is_empty() {
                    continue;
                }
                let own = entry.name.value.as_str();
                let candidates =
                    candidates.get_or_init(|| Candidates::new(entries.iter().map(|name| name.as_str())));
                let name = target.value.as_str();
                let mut meant = *known.entry(&target.value).or_insert_with(|| candidates.suggest(name));
                if meant == Some(own) {
                    meant = candidates.suggest_except(name, own);
                }
                if let Some(meant) = meant {
                    found.push(missing_target_finding(channel, entry, verb, target, meant));
                }
            }
        }
    }
}

fn missing_target_finding(
    channel: &ChannelBlob,
    entry: &Entry,
    verb: &str,
    target: &Spanned<BundleName>,
    meant: &str,
) -> Finding {
    let message = format!(
        "{} {verb} {}, which is not an entry of {}, but {meant} is",
        format_name("entry", &entry.name.value),
        target.value,
        format_with_kind("channel", &channel.name.value)
    );
    let finding = entry_finding(&rules::REPLACES_NOTHING, message, channel, entry);
    let mut spec = entry.to_spec();
    for name in spec.replaces.iter_mut().chain(&mut spec.skips).filter(|name| **name == target.value) {
        *name = BundleName::from(meant);
    }
    let fix = set_entry_edit(channel, entry, spec);
    finding.at_span(channel.doc, target.span).with_help(format!("did you mean {meant}?")).with_fix(fix)
}

/// Returns the edit that replaces the edges of an entry.
pub(super) fn set_entry_edit(channel: &ChannelBlob, entry: &Entry, spec: EntrySpec) -> Edit {
    Edit::SetEntry {
        package: channel.package.value.clone(),
        channel: channel.name.value.clone(),
        entry: entry.name.value.clone(),
        spec,
    }
}

fn entry_finding(rule: &'static Rule, message: String, channel: &ChannelBlob, entry: &Entry) -> Finding {
    Finding::new(rule, message).with_channel(&channel.name.value).with_bundle(&entry.name.value)
}
