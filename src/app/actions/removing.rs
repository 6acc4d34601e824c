//! Action that removes entries, bundles and channels.

use super::package;
use crate::{
    app::{
        keys::spec::{Enabled, Reason},
        parts::text::plural,
        session::{
            cx::{Cx, See},
            target::{Level, Target},
        },
        work::{
            Opening,
            opening::{Leads, Purpose, Way},
        },
    },
    catalog::{BundleName, ChannelName, package::Package},
    edit::Edit,
};

/// Selection that can be removed. The options for a bundle are computed when the dialog opens: the
/// check for removable content runs for each frame, also in channels with thousands of entries.
enum Removal<'a> {
    Channel(Opening),
    Bundle { package: &'a Package, entry_of: Option<&'a ChannelName>, bundle: &'a BundleName },
}

fn removal<'a>(target: &'a Target, see: &See<'a>) -> Result<Removal<'a>, Reason> {
    let judged = package(target, see)?;
    let package = judged.package();
    match target.level {
        Level::Package => Err(format!("{} is a package: delete its files to remove it", package.name)),
        Level::Channel => of_channel(package, super::channel(target)?, Purpose::Edit).map(Removal::Channel),
        Level::Bundle | Level::All => {
            let bundle = super::bundle(target)?;
            let has_it = |channel: &&ChannelName| {
                let channel = judged.graph.channel(channel.as_str());
                channel.is_some_and(|channel| channel.graph.entry_named(bundle.as_str()).is_some())
            };
            let entry_of = target.channel.as_ref().filter(has_it);
            super::is_here(target, see)?;
            if entry_of.is_none() && package.bundle(bundle.as_str()).is_none() {
                return Err(format!("{bundle} is only referenced here: it is neither an entry nor a bundle"));
            }
            Ok(Removal::Bundle { package, entry_of, bundle })
        }
    }
}

pub(super) fn can_remove(target: &Target, see: &See<'_>) -> Enabled {
    removal(target, see).map(drop)
}

pub(super) fn remove(target: &mut Target, cx: &mut Cx<'_>) {
    let opening = match removal(target, &cx.see()) {
        Ok(Removal::Channel(opening)) => opening,
        Ok(Removal::Bundle { package, entry_of, bundle }) => of_bundle(package, entry_of, bundle),
        Err(_) => return,
    };
    cx.open(opening);
}

/// Builds the dialog that removes a channel. For the default channel, the options name the new
/// default channel.
pub(super) fn of_channel(
    package: &Package,
    channel: &ChannelName,
    purpose: Purpose,
) -> Result<Opening, Reason> {
    let mut others: Vec<&ChannelName> = package.channels.iter().map(|c| &c.name.value).collect();
    others.retain(|name| *name != channel);
    others.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    others.dedup();
    if others.is_empty() {
        return Err("it is the only channel of the package".to_owned());
    }
    let removed =
        |default| Edit::RemoveChannel { package: package.name.clone(), channel: channel.clone(), default };
    let way = |label: String, note: String, edit: Edit| Way { label, note, then: Leads::Edit(edit) };
    let own = own_bundles(package, channel);
    let (title, ways) = if package.default_channel() == Some(channel) {
        let ways = others.into_iter().flat_map(|other| {
            let entries = package.channel(other.as_str()).map_or(0, |channel| channel.entries.len());
            let removed = removed(Some(other.clone()));
            let along = (!own.is_empty()).then(|| {
                let note = format!("with {} that are in no other channel", plural(own.len(), "bundle"));
                way(other.to_string(), note, along(package, channel, removed.clone(), &own))
            });
            let note = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
            let note = if own.is_empty() { note } else { "its bundles stay in the catalog".to_owned() };
            along.into_iter().chain([way(other.to_string(), note, removed)])
        });
        (format!("Remove {channel}; new default channel"), ways.collect())
    } else {
        let along = (!own.is_empty()).then(|| {
            let label = format!("the channel and {}", plural(own.len(), "bundle"));
            way(label, "in no other channel".to_owned(), along(package, channel, removed(None), &own))
        });
        let note = match own.len() {
            0 => "its bundles are also in other channels".to_owned(),
            // opm refuses bundles outside of channels.
            _ => "its bundles stay in the catalog".to_owned(),
        };
        let alone = way("the channel".to_owned(), note, removed(None));
        (format!("Remove channel {channel}"), along.into_iter().chain([alone]).collect())
    };
    Ok(Opening::Choose { purpose, title, ways })
}

/// Returns the bundles that are only in this channel. opm refuses a catalog with bundles that are
/// not in any channel.
fn own_bundles<'a>(package: &'a Package, channel: &ChannelName) -> Vec<&'a BundleName> {
    let names = package.bundles.iter().map(|bundle| &bundle.name.value);
    let is_own = |name: &&BundleName| {
        let mut homes = package.channels_with(name).peekable();
        homes.peek().is_some() && homes.all(|home| home.name.value == *channel)
    };
    names.filter(is_own).collect()
}

/// Returns the edit that removes a channel together with the bundles that are only in it.
fn along(package: &Package, channel: &ChannelName, removed: Edit, own: &[&BundleName]) -> Edit {
    let bundles = own
        .iter()
        .map(|bundle| Edit::RemoveBundle { package: package.name.clone(), bundle: (*bundle).clone() });
    Edit::Several {
        title: format!("{channel} removed with {}", plural(own.len(), "bundle")),
        edits: std::iter::once(removed).chain(bundles).collect(),
    }
}

fn of_bundle(package: &Package, entry_of: Option<&ChannelName>, bundle: &BundleName) -> Opening {
    let way = |label, note, edit| Way { label, note, then: Leads::Edit(edit) };
    let mut ways = Vec::new();
    let channels = package.channels_with(bundle).count();
    if let Some(channel) = entry_of {
        let repaired = Edit::take_out(package, channel.as_str(), bundle);
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
    }
    Opening::Choose { purpose: Purpose::Edit, title: format!("Remove {bundle}"), ways }
}
