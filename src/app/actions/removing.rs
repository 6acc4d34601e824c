//! Removing entries, bundles and channels.

use super::package;
use crate::{
    app::{
        keys::spec::{Enabled, Reason},
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

/// What there is to remove. The ways to remove a bundle are worked out when somebody asks for them: whether there is anything
/// to remove is asked for each frame, of channels with thousands of entries.
enum Removal<'a> {
    Channel(Opening),
    Bundle { package: &'a Package, entry_of: Option<&'a ChannelName>, bundle: &'a BundleName },
}

fn removal<'a>(target: &'a Target, see: &See<'a>) -> Result<Removal<'a>, Reason> {
    let judged = package(target, see)?;
    let package = judged.package();
    match target.level {
        Level::Package => Err(format!("{} is a package: leave its files out of the catalog", package.name)),
        Level::Channel => of_channel(package, super::channel(target)?, Purpose::Edit).map(Removal::Channel),
        Level::Bundle | Level::All => {
            let bundle = super::bundle(target)?;
            let has_it = |channel: &&ChannelName| {
                let channel = judged.graph.channel(channel.as_str());
                channel.is_some_and(|channel| channel.graph.entry_named(bundle.as_str()).is_some())
            };
            let entry_of = target.channel.as_ref().filter(has_it);
            if entry_of.is_none() && package.bundle(bundle.as_str()).is_none() {
                return Err(format!("{bundle} is only named here: it is no entry and no bundle"));
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

/// Of the default channel it is asked which one shall be the default instead.
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
    let way = |label: String, note: String, default: Option<ChannelName>| {
        let edit = Edit::RemoveChannel { package: package.name.clone(), channel: channel.clone(), default };
        Way { label, note, then: Leads::Edit(edit) }
    };
    let (title, ways) = if package.default_channel() == Some(channel) {
        let ways = others.into_iter().map(|other| {
            let entries = package.channel(other.as_str()).map_or(0, |channel| channel.entries.len());
            let note = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
            way(other.to_string(), note, Some(other.clone()))
        });
        (format!("Remove {channel}; the default channel is then"), ways.collect())
    } else {
        let note = "its bundles stay in the catalog".to_owned();
        (format!("Remove channel {channel}"), vec![way("the channel".to_owned(), note, None)])
    };
    Ok(Opening::Choose { purpose, title, ways })
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
                let (also, just) = ("edges repaired", "edges left");
                ways.push(way(label.clone(), also.to_owned(), repaired));
                ways.push(way(format!("{label}, no more"), just.to_owned(), left));
            }
            None => ways.push(way(label, "no edge needs repair".to_owned(), left)),
        }
    }
    if package.bundle(bundle.as_str()).is_some() {
        let edit = Edit::RemoveBundle { package: package.name.clone(), bundle: bundle.clone() };
        let note = match channels {
            0 => "no channel has it".to_owned(),
            1 => "edges repaired".to_owned(),
            n => format!("edges repaired, {n} channels"),
        };
        ways.push(way("from the catalog".to_owned(), note, edit));
    }
    Opening::Choose { purpose: Purpose::Edit, title: format!("Remove {bundle}"), ways }
}
