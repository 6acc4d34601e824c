//! Rules about the entries of channels.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use super::{
    diagnostic::Diagnostic,
    findings::Findings,
    rule::Rule,
    rules,
    subject::Subject,
    words::{bare, list, named},
};
use crate::{
    catalog::{
        BundleName, Spanned,
        blob::{ChannelBlob, Entry, EntrySpec, SkipRange},
        near::{Candidates, meant},
    },
    edit::Edit,
    version::RangeError,
};

pub(super) fn duplicate_entry(s: &Subject<'_>, found: &mut Findings) {
    for channel in &s.package.channels {
        let mut first: HashMap<&BundleName, &Entry> = HashMap::with_capacity(channel.entries.len());
        for entry in channel.entries.iter().filter(|e| !e.name.value.as_str().is_empty()) {
            let name = &entry.name.value;
            if let Some(known) = first.get(name) {
                let message = format!("{} has two entries for {name}", named("channel", &channel.name.value));
                let finding = about(&rules::DUPLICATE_ENTRY, message, channel, entry);
                let finding = finding.at(channel.doc, entry.name.span);
                found.push(finding.related("first one", channel.doc, known.name.span));
            } else {
                first.insert(name, entry);
            }
        }
    }
}

pub(super) fn entry_without_bundle(s: &Subject<'_>, found: &mut Findings) {
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
            places.iter().map(|(channel, _)| bare("channel", &channel.name.value)).collect();
        channels.sort_unstable();
        channels.dedup();
        let message = format!("{name} is an entry of {}, but there is no such bundle", list(channels));
        let mut finding = about(&rules::ENTRY_WITHOUT_BUNDLE, message, channel, entry);
        finding = finding.at(channel.doc, entry.name.span);
        for (channel, entry) in more {
            let text = format!("also an entry of {}", bare("channel", &channel.name.value));
            finding = finding.related(text, channel.doc, entry.name.span);
        }
        if let Some(meant) = bundles.meant(name.as_str()) {
            finding = finding.help(format!("did you mean {meant}?"));
        }
        found.push(finding);
    }
}

pub(super) fn empty_skip(s: &Subject<'_>, found: &mut Findings) {
    for (channel, entry) in s.entries() {
        for skip in entry.skips.iter().filter(|skip| skip.value.as_str().is_empty()) {
            let message = format!("{} skips an empty name", bare("entry", &entry.name.value));
            let mut spec = entry.spec();
            spec.skips.retain(|name| !name.as_str().is_empty());
            let finding = about(&rules::EMPTY_SKIP, message, channel, entry).at(channel.doc, skip.span);
            found.push(finding.fix(set_entry(channel, entry, spec)));
        }
    }
}

pub(super) fn bad_skip_range(s: &Subject<'_>, found: &mut Findings) {
    bad_ranges(s, found, &rules::BAD_SKIP_RANGE, |error| error.suggestion.is_none());
}

pub(super) fn range_dialect(s: &Subject<'_>, found: &mut Findings) {
    bad_ranges(s, found, &rules::RANGE_DIALECT, |error| error.suggestion.is_some());
}

fn bad_ranges(
    s: &Subject<'_>,
    found: &mut Findings,
    rule: &'static Rule,
    is_mine: impl Fn(&RangeError) -> bool,
) {
    for (channel, entry) in s.entries() {
        let Some(SkipRange { text, range: Err(error) }) = entry.skip_range.as_deref() else { continue };
        if !is_mine(error) {
            continue;
        }
        let message = format!("skipRange `{}` of {}: {error}", text.value, bare("entry", &entry.name.value));
        let mut finding = about(rule, message, channel, entry).at(channel.doc, text.span);
        if let Some(hint) = &error.hint {
            finding = finding.help(hint.clone());
        }
        if let Some(suggestion) = &error.suggestion {
            let spec = EntrySpec { skip_range: Some(suggestion.clone()), ..entry.spec() };
            finding = finding.fix(set_entry(channel, entry, spec));
        }
        found.push(finding);
    }
}

pub(super) fn unknown_key(s: &Subject<'_>, found: &mut Findings) {
    for (channel, entry) in s.entries() {
        for key in &entry.unknown {
            let message = format!("unknown key `{}` in {}", key.value, named("entry", &entry.name.value));
            let mut finding = about(&rules::UNKNOWN_KEY, message, channel, entry).at(channel.doc, key.span);
            if let Some(meant) = meant(&key.value, Entry::KEYS.into_iter()) {
                finding = finding.help(format!("did you mean `{meant}`? OLM silently ignores unknown keys"));
                if !entry.has_key(meant) {
                    finding = finding.fix(Edit::RenameKey {
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
pub(super) fn replaces_nothing(s: &Subject<'_>, found: &mut Findings) {
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
                let mut meant = *known.entry(&target.value).or_insert_with(|| candidates.meant(name));
                if meant == Some(own) {
                    meant = candidates.meant_but(name, own);
                }
                if let Some(meant) = meant {
                    found.push(nothing(channel, entry, verb, target, meant));
                }
            }
        }
    }
}

fn nothing(
    channel: &ChannelBlob,
    entry: &Entry,
    verb: &str,
    target: &Spanned<BundleName>,
    meant: &str,
) -> Diagnostic {
    let message = format!(
        "{} {verb} {}, which is not an entry of {}, but {meant} is",
        bare("entry", &entry.name.value),
        target.value,
        named("channel", &channel.name.value)
    );
    let finding = about(&rules::REPLACES_NOTHING, message, channel, entry);
    let mut spec = entry.spec();
    for name in spec.replaces.iter_mut().chain(&mut spec.skips).filter(|name| **name == target.value) {
        *name = BundleName::from(meant);
    }
    let fix = set_entry(channel, entry, spec);
    finding.at(channel.doc, target.span).help(format!("did you mean {meant}?")).fix(fix)
}

/// Returns the edit that replaces the edges of an entry.
pub(super) fn set_entry(channel: &ChannelBlob, entry: &Entry, spec: EntrySpec) -> Edit {
    Edit::SetEntry {
        package: channel.package.value.clone(),
        channel: channel.name.value.clone(),
        entry: entry.name.value.clone(),
        spec,
    }
}

fn about(rule: &'static Rule, message: String, channel: &ChannelBlob, entry: &Entry) -> Diagnostic {
    Diagnostic::new(rule, message).channel(&channel.name.value).bundle(&entry.name.value)
}
