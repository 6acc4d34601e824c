//! Action that removes entries, bundles and channels.

use super::selected_package;
use crate::tui::{
    dialogs::edit_choice::{ChoiceAction, EditChoice, EditOption},
    keys::spec::{Enabled, Reason},
    parts::text::format_count,
    session::{
        action::{Target, TargetKind},
        context::{Context, ViewContext},
    },
    work::EditPurpose,
};
use olm_catalog::{BundleName, ChannelName, package::Package};
use olm_edit::Edit;

/// Title of a dialog, and its options.
type Choices = (String, Vec<EditOption>);

/// Selection that can be removed. The options for a bundle are built only when the dialog opens, because
/// [`can_remove`] runs for each frame, also in channels with thousands of entries.
enum Removal<'a> {
    Channel(Choices),
    Bundle { package: &'a Package, entry_channel: Option<&'a ChannelName>, bundle: &'a BundleName },
}

fn find_removal<'a>(target: &'a Target, view_cx: &ViewContext<'a>) -> Result<Removal<'a>, Reason> {
    let package_state = selected_package(target, view_cx)?;
    let package = package_state.package();
    match target.kind {
        TargetKind::Package => Err(format!("{} is a package: delete its files to remove it", package.name)),
        TargetKind::Channel => {
            channel_removal_choices(package, super::selected_channel(target)?).map(Removal::Channel)
        }
        TargetKind::Bundle | TargetKind::All => {
            let bundle = super::selected_bundle(target)?;
            let has_it = |channel: &&ChannelName| {
                let channel = package_state.graph.channel(channel.as_str());
                channel.is_some_and(|channel| channel.graph.entry_named(bundle.as_str()).is_some())
            };
            let entry_of = target.channel.as_ref().filter(has_it);
            super::is_in_catalog(target, view_cx)?;
            if entry_of.is_none() && package.bundle(bundle.as_str()).is_none() {
                return Err(format!("{bundle} is only referenced here: it is neither an entry nor a bundle"));
            }
            Ok(Removal::Bundle { package, entry_channel: entry_of, bundle })
        }
    }
}

pub(super) fn can_remove(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    find_removal(target, view_cx).map(drop)
}

pub(super) fn remove_selection(target: &mut Target, cx: &mut Context<'_>) {
    let (title, options) = match find_removal(target, &cx.view()) {
        Ok(Removal::Channel(choices)) => choices,
        Ok(Removal::Bundle { package, entry_channel: entry_of, bundle }) => {
            bundle_removal_choices(package, entry_of, bundle)
        }
        Err(_) => return,
    };
    cx.open_dialog(EditChoice::new(EditPurpose::Edit, title, options, cx.session));
}

/// Returns the choices that remove a channel. For the default channel, the options name the new
/// default channel.
pub(super) fn channel_removal_choices(package: &Package, channel: &ChannelName) -> Result<Choices, Reason> {
    let mut others: Vec<&ChannelName> = package.channels.iter().map(|c| &c.name.value).collect();
    others.retain(|name| *name != channel);
    others.sort_unstable();
    others.dedup();
    // A new default channel is likely the one with the highest version.
    let highest = |name: &ChannelName| {
        let entries = package.channel(name.as_str()).into_iter().flat_map(|channel| &channel.entries);
        let versions = entries.filter_map(|entry| package.bundle_version(entry.name.value.as_str()));
        versions.max_by(|a, b| a.cmp_precedence(b))
    };
    others.sort_by(|a, b| match (highest(a), highest(b)) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    if others.is_empty() {
        return Err("it is the only channel of the package".to_owned());
    }
    let removed =
        |default| Edit::RemoveChannel { package: package.name.clone(), channel: channel.clone(), default };
    let way = |label: String, note: String, edit: Edit| EditOption {
        label,
        note,
        action: ChoiceAction::Edit(edit),
    };
    let own_bundles = bundles_only_in(package, channel);
    let (title, ways) = if package.default_channel() == Some(channel) {
        let ways = others.into_iter().flat_map(|other| {
            let entries = package.channel(other.as_str()).map_or(0, |channel| channel.entries.len());
            let removed = removed(Some(other.clone()));
            let along = (!own_bundles.is_empty()).then(|| {
                let note = format!(
                    "with {} that are in no other channel",
                    format_count(own_bundles.len(), "bundle")
                );
                way(
                    other.to_string(),
                    note,
                    remove_channel_with_bundles(package, channel, removed.clone(), &own_bundles),
                )
            });
            let note = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
            let note =
                if own_bundles.is_empty() { note } else { "its bundles stay in the catalog".to_owned() };
            along.into_iter().chain([way(other.to_string(), note, removed)])
        });
        (format!("Remove {channel}; new default channel"), ways.collect())
    } else {
        let along = (!own_bundles.is_empty()).then(|| {
            let label = format!("the channel and {}", format_count(own_bundles.len(), "bundle"));
            way(
                label,
                "in no other channel".to_owned(),
                remove_channel_with_bundles(package, channel, removed(None), &own_bundles),
            )
        });
        let note = match own_bundles.len() {
            0 => "its bundles are also in other channels".to_owned(),
            // opm refuses bundles outside of channels.
            _ => "its bundles stay in the catalog".to_owned(),
        };
        let alone = way("the channel".to_owned(), note, removed(None));
        (format!("Remove channel {channel}"), along.into_iter().chain([alone]).collect())
    };
    Ok((title, ways))
}

/// Returns the bundles that are only in this channel. opm refuses a catalog with bundles that are
/// not in any channel.
fn bundles_only_in<'a>(package: &'a Package, channel: &ChannelName) -> Vec<&'a BundleName> {
    let names = package.bundles.iter().map(|bundle| &bundle.name.value);
    let is_own = |name: &&BundleName| {
        let mut homes = package.channels_with(name).peekable();
        homes.peek().is_some() && homes.all(|home| home.name.value == *channel)
    };
    names.filter(is_own).collect()
}

/// Returns the edit that removes a channel together with the bundles that are only in it.
fn remove_channel_with_bundles(
    package: &Package,
    channel: &ChannelName,
    removed: Edit,
    own: &[&BundleName],
) -> Edit {
    let bundles = own
        .iter()
        .map(|bundle| Edit::RemoveBundle { package: package.name.clone(), bundle: (*bundle).clone() });
    Edit::Several {
        title: format!("{channel} removed with {}", format_count(own.len(), "bundle")),
        edits: std::iter::once(removed).chain(bundles).collect(),
    }
}

fn bundle_removal_choices(package: &Package, entry_of: Option<&ChannelName>, bundle: &BundleName) -> Choices {
    let way = |label, note, edit| EditOption { label, note, action: ChoiceAction::Edit(edit) };
    let mut ways = Vec::new();
    let channels = package.channels_with(bundle).count();
    if let Some(channel) = entry_of {
        let repaired = Edit::remove_and_repair_entry(package, channel.as_str(), bundle);
        let (name, entry) = (package.name.clone(), bundle.clone());
        let left = Edit::RemoveEntry { package: name, channel: channel.clone(), entry };
        let label = format!("from {channel}");
        match repaired {
            Some(repaired) => {
                let (also, just) = ("edges repaired", "edges kept");
                ways.push(way(label.clone(), also.to_owned(), repaired));
                ways.push(way(format!("{label}, only"), just.to_owned(), left));
            }
            None => ways.push(way(label, "no edge needs repair".to_owned(), left)),
        }
    }
    if package.bundle(bundle.as_str()).is_some() {
        let edit = Edit::RemoveBundle { package: package.name.clone(), bundle: bundle.clone() };
        let note = match channels {
            0 => "it is in no channel".to_owned(),
            1 => "edges repaired".to_owned(),
            n => format!("edges repaired, {n} channels"),
        };
        ways.push(way("from the catalog".to_owned(), note, edit));
        // opm refuses a bundle that is in no channel, so its last entry goes together with it.
        if channels == 1 {
            ways.rotate_right(1);
        }
    }
    (format!("Remove {bundle}"), ways)
}
