//! Interpretation of an answer: an edit with a note, or an error.

use crate::tui::{
    dialogs::edit_question::{EditQuestion, QuestionKind, describe_deprecation_targets},
    parts::{completions::describe_range_matches, field::InputError, text::unescape_single_line},
    work::EditPurpose,
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{DeprecationTarget, EntrySpec},
    package::Package,
};
use olm_check::review::PackageState;
use olm_edit::{ChannelPlacement, Edit};
use olm_upgrade::placement::{ChannelPlacements, ChosenPlacement, PlacementChoice};
use olm_version::Version;

type Interpretation = Result<(Option<Edit>, String), InputError>;

pub(in crate::tui) fn interpret_answer(ask: &EditQuestion, package_state: &PackageState) -> Interpretation {
    let (typed, shown) = (ask.trimmed_input(), package_state.package());
    let package = shown.name.clone();
    let set = |channel: &ChannelName, entry: &BundleName, before: &EntrySpec, spec: EntrySpec| {
        let (package, channel, entry) = (package.clone(), channel.clone(), entry.clone());
        (*before != spec).then_some(Edit::SetEntry { package, channel, entry, spec })
    };
    match &ask.question {
        QuestionKind::LowestVersion => {
            let version = parse_version_answer(typed)?;
            let versions = shown.bundles.iter().filter_map(|b| b.version.as_ref());
            let below = versions.filter(|v| v.version.cmp_precedence(&version).is_lt()).count();
            let remark = format!("removes {below} of {} bundles", shown.bundles.len());
            Ok((Some(Edit::LeaveOutBelow { package, version }), remark))
        }
        QuestionKind::SkipRange { channel, entry, spec } => {
            let range = (!typed.is_empty()).then(|| typed.to_owned());
            let remark = match &range {
                None => "no skipRange".to_owned(),
                Some(range) => describe_range_matches(shown, range)?,
            };
            let wanted = EntrySpec { skip_range: range, ..spec.clone() };
            Ok((set(channel, entry, spec, wanted), remark))
        }
        QuestionKind::AdditionalSkip { channel, entry, spec } => {
            let Some(name) = parse_bundle_answer(ask, shown)? else {
                return Ok((None, bundle_answer_note(ask)));
            };
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
        QuestionKind::DeprecationMessage(target) => interpret_deprecation(ask, shown, target),
        QuestionKind::DeprecationMessageForAll(targets) => Ok(interpret_deprecations(ask, shown, targets)),
        QuestionKind::NewEntry(channel) => {
            let entry =
                parse_bundle_answer(ask, shown).map_err(|mistake| mistake.with_hint(NEW_BUNDLE_HINT))?;
            let Some(entry) = entry else { return Ok((None, bundle_answer_note(ask))) };
            if shown
                .channel(channel.as_str())
                .is_some_and(|c| c.entries.iter().any(|e| e.name.value == entry))
            {
                return Err(format!("{entry} is already in {channel}").into());
            }
            let (placement, remark) = propose_entry(package_state, channel, &entry);
            Ok((Some(Edit::promote(shown, &entry, &[placement])), format!("{entry}, {remark}")))
        }
        QuestionKind::NewChannel => {
            check_new_channel_name(shown, typed)?;
            Ok((None, "next: empty, or a copy of another channel".to_owned()))
        }
        QuestionKind::HighestVersion { channel, from } => {
            let version = parse_version_answer(typed)?;
            let edit = Edit::copy_channel(shown, from.as_str(), channel.clone(), Some(&version));
            let kept = match &edit {
                Some(Edit::AddChannel { entries, .. }) => entries.len(),
                _ => 0,
            };
            let all = shown.channel(from.as_str()).map_or(0, |channel| channel.entries.len());
            Ok((edit, format!("copies {kept} of {all} entries of {from}")))
        }
        // Questions that are not about a package.
        QuestionKind::ImageInto(_) | QuestionKind::Extract => Ok((None, String::new())),
        QuestionKind::Rename(channel) => {
            if *channel == *typed {
                return Ok((None, "also renamed as default channel and in deprecations".to_owned()));
            }
            check_new_channel_name(shown, typed)?;
            let edit = Edit::RenameChannel { package, channel: channel.clone(), to: typed.into() };
            Ok((Some(edit), "subscriptions to the old name will find no channel".to_owned()))
        }
        QuestionKind::Description => {
            let before = shown.definition().and_then(|d| d.description.as_ref()).map(|d| d.value.as_str());
            let after = unescape_single_line(ask.input.value());
            if after == before.unwrap_or_default() {
                return Ok((None, LINE_BREAKS.to_owned()));
            }
            let after = Some(unescape_single_line(typed)).filter(|text| !text.trim().is_empty());
            let remark = if after.is_none() { "no description" } else { LINE_BREAKS };
            Ok((Some(Edit::SetDescription { package, description: after }), remark.to_owned()))
        }
    }
}

/// The question does not add bundles.
const NEW_BUNDLE_HINT: &str = "olmap edit add-bundle adds a new bundle";

const LINE_BREAKS: &str = r"\n is a line break";

fn parse_version_answer(typed: &str) -> Result<Version, InputError> {
    Version::parse(typed).map_err(|error| match error.suggestion {
        Some(meant) => InputError::from(error.kind.to_string()).with_hint(format!("did you mean {meant}?")),
        None => error.kind.to_string().into(),
    })
}

/// Returns the typed bundle; `None` if the text is incomplete.
fn parse_bundle_answer(ask: &EditQuestion, package: &Package) -> Result<Option<BundleName>, InputError> {
    match find_bundle(package, ask.trimmed_input()) {
        Some(name) => Ok(Some(name)),
        None if ask.trimmed_input().is_empty() || !ask.proposals.is_empty() => Ok(None),
        None => Err("the package has no bundle of this name or version".into()),
    }
}

fn bundle_answer_note(ask: &EditQuestion) -> String {
    let words = match ask.trimmed_input() {
        "" => "a bundle of the package, by name or version",
        _ => "not a complete name or version",
    };
    words.to_owned()
}

/// Finds a bundle by its exact name, or by a version that only one bundle has.
fn find_bundle(package: &Package, typed: &str) -> Option<BundleName> {
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
fn check_new_channel_name(package: &Package, name: &str) -> Result<(), InputError> {
    if name.is_empty() {
        return Err("a channel needs a name".into());
    }
    match package.channel(name) {
        Some(_) => Err(format!("channel {name} already exists").into()),
        None => Ok(()),
    }
}

fn interpret_deprecation(ask: &EditQuestion, shown: &Package, target: &DeprecationTarget) -> Interpretation {
    let (package, target) = (shown.name.clone(), target.clone());
    let before = shown.deprecation(&target).map(|said| said.message.value.as_str());
    let message = unescape_single_line(ask.trimmed_input());
    match (ask.purpose, before) {
        (EditPurpose::Edit, Some(_)) if message.trim().is_empty() => {
            let remark = "empty: the deprecation is removed".to_owned();
            return Ok((Some(Edit::Undeprecate { package, target }), remark));
        }
        (EditPurpose::Edit, Some(before)) if unescape_single_line(ask.input.value()) == before => {
            return Ok((
                None,
                "already deprecated: change the message, or clear it to undeprecate".to_owned(),
            ));
        }
        (EditPurpose::Edit, None) if message.trim().is_empty() => {
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
fn interpret_deprecations(
    ask: &EditQuestion,
    shown: &Package,
    targets: &[DeprecationTarget],
) -> (Option<Edit>, String) {
    let message = unescape_single_line(ask.trimmed_input());
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
            title: format!("deprecate {}", describe_deprecation_targets(package, all)),
            edits: all.iter().map(edit).collect(),
        },
    };
    (Some(edit), "shown to users".to_owned())
}

/// Returns the proposed place of a new entry, and a remark about it. The entry has no edges if there is no place.
fn propose_entry(
    package_state: &PackageState,
    channel: &ChannelName,
    bundle: &BundleName,
) -> (ChannelPlacement, String) {
    let none = || ChannelPlacement::with_spec(channel.clone(), EntrySpec::default());
    let found = ChannelPlacements::find_placements(&package_state.graph, channel, bundle, None);
    let chosen = found.and_then(|found| found.choose_placement(PlacementChoice::default()));
    match chosen {
        // The bundle may be missing, so that its version is unknown.
        Err(reason) => (none(), format!("no edges proposed: {reason}")),
        Ok(ChosenPlacement { place, above, .. }) => {
            let edges = match &place.spec.replaces {
                Some(replaced) => format!("proposed: replaces {replaced}"),
                None => "no edges proposed".to_owned(),
            };
            let skipped = place.changes.iter().any(|(_, spec)| spec.skips.contains(bundle));
            let above =
                above.filter(|_| skipped).map(|above| format!("; {above} skips it")).unwrap_or_default();
            (place, format!("{edges}{above}"))
        }
    }
}
