//! Removing entries, bundles, channels and deprecations.

use super::deprecating;
use crate::app::keys::spec::Enabled;
use crate::app::work::Opening;
use crate::{
    app::{
        keys::Screen,
        session::place::Pane,
        shell::model::Model,
        work::{
            Effect,
            opening::{Leads, Purpose, Way, called},
        },
    },
    catalog::{BundleName, ChannelName, PackageName, package::Package},
    edit::Edit,
};

/// What is removed: the question, and the ways to do it.
struct Removal {
    package: PackageName,
    title: String,
    ways: Vec<Way>,
}

/// What there is to remove. The ways to remove a bundle are worked out when somebody asks for them: whether there is anything
/// to remove is asked for each frame, of channels with thousands of entries.
enum What<'a> {
    Other(Removal),
    Bundle { package: &'a Package, entry_of: Option<&'a ChannelName>, bundle: &'a BundleName },
}

impl What<'_> {
    fn removal(self) -> Removal {
        match self {
            Self::Other(removal) => removal,
            Self::Bundle { package, entry_of, bundle } => of_bundle(package, entry_of, bundle),
        }
    }
}

fn what(model: &Model) -> Result<What<'_>, String> {
    if model.session.screen == Screen::Deprecations {
        let row = deprecating::row(model)?;
        if row.deprecated().is_none() {
            return Err("it is not deprecated, only suggested".to_owned());
        }
        let target = deprecating::target(row)?;
        let (package, name) = (row.package.clone(), called(&row.package, &target));
        let edit = Edit::Undeprecate { package: package.clone(), target };
        let way = Way {
            label: "take the deprecation back".to_owned(),
            note: String::new(),
            then: Leads::Edit(edit),
        };
        let title = format!("{name} is no longer deprecated");
        return Ok(What::Other(Removal { package, title, ways: vec![way] }));
    }
    let judged = model.session.package().ok_or_else(|| "no package is selected".to_owned())?;
    let package = judged.package();
    let selection = model.session.selection();
    match (model.session.screen, model.session.pane) {
        (Screen::Catalog, Pane::Packages) => {
            Err(format!("{} is a package: leave its files out of the catalog", package.name))
        }
        (Screen::Catalog, Pane::Channels) => {
            let channel = selection.channel.as_ref().ok_or_else(|| "no channel is selected".to_owned())?;
            of_channel(package, channel).map(What::Other)
        }
        _ => {
            let bundle = selection.bundle.as_ref().ok_or_else(|| "no bundle is selected".to_owned())?;
            let has_it = |channel: &&ChannelName| {
                let channel = judged.graph.channel(channel.as_str());
                channel.is_some_and(|channel| channel.graph.entry_named(bundle.as_str()).is_some())
            };
            let entry_of = selection.channel.as_ref().filter(has_it);
            if entry_of.is_none() && package.bundle(bundle.as_str()).is_none() {
                return Err(format!("{bundle} is only named here: it is no entry and no bundle"));
            }
            Ok(What::Bundle { package, entry_of, bundle })
        }
    }
}

/// Of the default channel it is asked which one shall be the default instead.
fn of_channel(package: &Package, channel: &ChannelName) -> Result<Removal, String> {
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
    Ok(Removal { package: package.name.clone(), title, ways })
}

fn of_bundle(package: &Package, entry_of: Option<&ChannelName>, bundle: &BundleName) -> Removal {
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
    Removal { package: package.name.clone(), title: format!("Remove {bundle}"), ways }
}

pub fn can_remove(model: &Model) -> Enabled {
    what(model).map(drop)
}

pub fn remove(model: &mut Model) -> Vec<Effect> {
    open(model, Purpose::Edit, what(model).map(What::removal))
}

fn open(model: &mut Model, purpose: Purpose, removal: Result<Removal, String>) -> Vec<Effect> {
    if let Ok(Removal { package, title, ways }) = removal {
        model.open(Opening::Choose { purpose, package, title, ways });
    }
    Vec::new()
}

/// Supposes that the selected channel is removed. Only of the default one something is asked.
pub fn what_if_remove_channel(model: &mut Model) -> Vec<Effect> {
    let channel = model.session.selection().channel.clone();
    let Some((judged, channel)) = model.session.package().zip(channel) else { return Vec::new() };
    let package = judged.package();
    if package.default_channel() == Some(&channel) {
        let removal = of_channel(package, &channel);
        return open(model, Purpose::Suppose, removal);
    }
    let edit = Edit::RemoveChannel { package: package.name.clone(), channel, default: None };
    model.with(|cx| crate::app::session::what_if::suppose_at_once(cx, edit))
}
