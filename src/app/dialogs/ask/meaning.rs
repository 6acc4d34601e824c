//! Interpretation of an answer: an edit with a note, or an error.

use crate::app::{
    dialogs::ask::Ask,
    parts::{mistake::Mistake, proposing::range_matches, text::several_lines},
    work::opening::{Asked, Purpose, all_called},
};
use crate::{
    catalog::{
        BundleName, ChannelName,
        blob::{DeprecationTarget, EntrySpec},
        package::Package,
    },
    edit::{Edit, operation::NewEntry},
    review::Judged,
    upgrade::promote::{Wish, offer},
    version::Version,
};

type Meaning = Result<(Option<Edit>, String), Mistake>;

pub(in crate::app) fn of(ask: &Ask, judged: &Judged) -> Meaning {
    let (typed, shown) = (ask.typed(), judged.package());
    let package = shown.name.clone();
    let set = |channel: &ChannelName, entry: &BundleName, before: &EntrySpec, spec: EntrySpec| {
        let (package, channel, entry) = (package.clone(), channel.clone(), entry.clone());
        (*before != spec).then_some(Edit::SetEntry { package, channel, entry, spec })
    };
    match &ask.asked {
        Asked::Below => {
            let version = read_version(typed)?;
            let versions = shown.bundles.iter().filter_map(|b| b.version.as_ref());
            let below = versions.filter(|v| v.version.cmp_precedence(&version).is_lt()).count();
            let remark = format!("removes {below} of {} bundles", shown.bundles.len());
            Ok((Some(Edit::LeaveOutBelow { package, version }), remark))
        }
        Asked::SkipRange { channel, entry, spec } => {
            let range = (!typed.is_empty()).then(|| typed.to_owned());
            let remark = match &range {
                None => "no skipRange".to_owned(),
                Some(range) => range_matches(shown, range)?,
            };
            let wanted = EntrySpec { skip_range: range, ..spec.clone() };
            Ok((set(channel, entry, spec, wanted), remark))
        }
        Asked::AlsoSkips { channel, entry, spec } => {
            let Some(name) = bundle(ask, shown)? else { return Ok((None, which(ask))) };
            if name == *entry {
                return Err("an entry cannot skip itself".into());
            }
            if spec.skips.contains(&name) {
                return Err(format!("{entry} already skips {name}").into());
            }
            let mut wanted = spec.clone();
            wanted.skips.push(name.clone());
            Ok((set(channel, entry, spec, wanted), format!("skips {name}")))
        }
        Asked::Deprecated(target) => deprecation(ask, shown, target),
        Asked::DeprecatedToo(targets) => Ok(deprecations(ask, shown, targets)),
        Asked::NewEntry(channel) => {
            let entry = bundle(ask, shown).map_err(|mistake| mistake.with_hint(NEW_BUNDLE))?;
            let Some(entry) = entry else { return Ok((None, which(ask))) };
            if shown
                .channel(channel.as_str())
                .is_some_and(|c| c.entries.iter().any(|e| e.name.value == entry))
            {
                return Err(format!("{entry} is already in {channel}").into());
            }
            let spec = offered(judged, channel, &entry);
            let remark = match &spec.replaces {
                Some(head) => format!("{entry}, proposed: replaces {head}"),
                None => format!("{entry}, no edges proposed"),
            };
            Ok((Some(Edit::AddEntry { package, channel: channel.clone(), entry, spec }), remark))
        }
        Asked::NewChannel => {
            free(shown, typed)?;
            Ok((None, "next: empty, or a copy of another channel".to_owned()))
        }
        Asked::PromoteTo { bundle, taken } => {
            free(shown, typed)?;
            if taken.iter().any(|name| *name == *typed) {
                return Err(format!("channel {typed} is already in the list").into());
            }
            let entries = vec![NewEntry { name: bundle.clone(), spec: EntrySpec::default() }];
            let edit = Edit::AddChannel { package, channel: typed.into(), entries };
            Ok((Some(edit), "becomes its first entry".to_owned()))
        }
        Asked::UpTo { channel, from } => {
            let version = read_version(typed)?;
            let edit = Edit::copy_channel(shown, from.as_str(), channel.clone(), Some(&version));
            let kept = match &edit {
                Some(Edit::AddChannel { entries, .. }) => entries.len(),
                _ => 0,
            };
            let all = shown.channel(from.as_str()).map_or(0, |channel| channel.entries.len());
            Ok((edit, format!("copies {kept} of {all} entries of {from}")))
        }
        // Questions that are not about a package.
        Asked::ImageInto(_) | Asked::Extract => Ok((None, String::new())),
        Asked::Rename(channel) => {
            if *channel == *typed {
                return Ok((None, "also renamed as default channel and in deprecations".to_owned()));
            }
            free(shown, typed)?;
            let edit = Edit::RenameChannel { package, channel: channel.clone(), to: typed.into() };
            Ok((Some(edit), "subscriptions to the old name will find no channel".to_owned()))
        }
        Asked::Description => {
            let before = shown.definition().and_then(|d| d.description.as_ref()).map(|d| d.value.as_str());
            let after = several_lines(ask.input.value());
            if after == before.unwrap_or_default() {
                return Ok((None, LINE_BREAKS.to_owned()));
            }
            let after = Some(several_lines(typed)).filter(|text| !text.trim().is_empty());
            let remark = if after.is_none() { "no description" } else { LINE_BREAKS };
            Ok((Some(Edit::SetDescription { package, description: after }), remark.to_owned()))
        }
    }
}

/// The question does not add bundles.
const NEW_BUNDLE: &str = "olmap edit add-bundle adds a new bundle";

const LINE_BREAKS: &str = r"\n is a line break";

fn read_version(typed: &str) -> Result<Version, Mistake> {
    Version::parse(typed).map_err(|error| match error.suggestion {
        Some(meant) => Mistake::from(error.kind.to_string()).with_hint(format!("did you mean {meant}?")),
        None => error.kind.to_string().into(),
    })
}

/// Returns the typed bundle; `None` if the text is incomplete.
fn bundle(ask: &Ask, package: &Package) -> Result<Option<BundleName>, Mistake> {
    match bundle_meant(package, ask.typed()) {
        Some(name) => Ok(Some(name)),
        None if ask.typed().is_empty() || !ask.proposals.is_empty() => Ok(None),
        None => Err("the package has no bundle of this name or version".into()),
    }
}

fn which(ask: &Ask) -> String {
    let words = match ask.typed() {
        "" => "a bundle of the package, by name or version",
        _ => "not a complete name or version",
    };
    words.to_owned()
}

/// Finds a bundle by its exact name, or by a version that only one bundle has.
fn bundle_meant(package: &Package, typed: &str) -> Option<BundleName> {
    let entries = package.channels.iter().flat_map(|c| &c.entries).map(|e| &e.name.value);
    let names = package.bundles.iter().map(|b| &b.name.value).chain(entries);
    if let Some(name) = names.into_iter().find(|name| **name == *typed) {
        return Some(name.clone());
    }
    let mut same =
        package.bundles.iter().filter(|b| b.version.as_ref().is_some_and(|v| v.to_string() == typed));
    let only = same.next()?;
    same.next().is_none().then(|| only.name.value.clone())
}

/// Returns an error if the name is empty or already taken.
fn free(package: &Package, name: &str) -> Result<(), Mistake> {
    if name.is_empty() {
        return Err("a channel needs a name".into());
    }
    match package.channel(name) {
        Some(_) => Err(format!("channel {name} already exists").into()),
        None => Ok(()),
    }
}

fn deprecation(ask: &Ask, shown: &Package, target: &DeprecationTarget) -> Meaning {
    let (package, target) = (shown.name.clone(), target.clone());
    let before = shown.deprecation(&target).map(|said| said.message.value.as_str());
    let message = several_lines(ask.typed());
    match (ask.purpose, before) {
        (Purpose::Edit, Some(_)) if message.trim().is_empty() => {
            let remark = "empty: the deprecation is removed".to_owned();
            return Ok((Some(Edit::Undeprecate { package, target }), remark));
        }
        (Purpose::Edit, Some(before)) if several_lines(ask.input.value()) == before => {
            return Ok((
                None,
                "already deprecated: change the message, or clear it to undeprecate".to_owned(),
            ));
        }
        (Purpose::Edit, None) if message.trim().is_empty() => {
            return Ok((None, "users see only this message".to_owned()));
        }
        _ if message.trim().is_empty() => {
            return Err("a deprecation needs a message: users see nothing else".into());
        }
        _ => {}
    }
    let mut remark = match &target {
        DeprecationTarget::Bundle(_) => "shown to users; v1 prefers supported bundles",
        _ => "shown to users; no upgrade changes",
    }
    .to_owned();
    if message.contains('\n') {
        remark = format!("{LINE_BREAKS}; {remark}");
    }
    Ok((Some(Edit::Deprecate { package, target, message }), remark))
}

/// Returns the edit that deprecates all suggested targets with the same message.
fn deprecations(ask: &Ask, shown: &Package, targets: &[DeprecationTarget]) -> (Option<Edit>, String) {
    let message = several_lines(ask.typed());
    if message.trim().is_empty() {
        return (None, "users see only this message".to_owned());
    }
    let package = &shown.name;
    let edit = |target: &DeprecationTarget| Edit::Deprecate {
        package: package.clone(),
        target: target.clone(),
        message: message.clone(),
    };
    let edit = match targets {
        [only] => edit(only),
        all => Edit::Several {
            title: format!("deprecate {}", all_called(package, all)),
            edits: all.iter().map(edit).collect(),
        },
    };
    (Some(edit), "shown to users".to_owned())
}

/// Returns the proposed edges of a new entry: it replaces the head if it is newer, otherwise it
/// does not have edges.
fn offered(judged: &Judged, channel: &ChannelName, bundle: &BundleName) -> EntrySpec {
    let package = judged.package();
    let version = |name: &BundleName| package.version_of(name.as_str());
    let upgrades = judged.graph.channel(channel.as_str());
    let offer = upgrades.and_then(|upgrades| offer(package, &upgrades.graph, bundle).ok());
    let is_newer = |head: &BundleName| match (version(bundle), version(head)) {
        (Some(bundle), Some(head)) => bundle.cmp_precedence(head).is_gt(),
        _ => false,
    };
    let newer = offer.filter(|offer| offer.head.as_ref().is_some_and(is_newer));
    newer.map(|offer| offer.spec(Wish::default())).unwrap_or_default()
}
