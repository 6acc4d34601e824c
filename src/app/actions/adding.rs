//! New entries and channels, and other names and words for what is there.

use super::ask;
use crate::app::keys::spec::Enabled;
use crate::{
    app::{
        dialogs::{choose_state::Choose, state::Overlay},
        parts::text::one_line,
        shell::model::Model,
        work::{
            Effect,
            opening::{Asked, Leads, Purpose, Way},
        },
    },
    catalog::{ChannelName, PackageName, package::Package},
    edit::Edit,
};

fn package(model: &Model) -> Result<&Package, String> {
    model
        .session
        .package()
        .map(|judged| &**judged.package())
        .ok_or_else(|| "no package is selected".to_owned())
}

fn channel(model: &Model) -> Result<&ChannelName, String> {
    model.session.selection().channel.as_ref().ok_or_else(|| "no channel is selected".to_owned())
}

pub fn can_add_entry(model: &Model) -> Enabled {
    let (_, channel) = (package(model)?, channel(model)?);
    if !model.session.answers.has_other_bundles() {
        return Err(format!("every bundle of the package is an entry of {channel} already"));
    }
    Ok(())
}

pub fn add_entry(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    match (selection.package, selection.channel) {
        (Some(package), Some(channel)) => {
            ask(model, Purpose::Edit, package, Asked::NewEntry(channel), String::new())
        }
        _ => Vec::new(),
    }
}

/// Why the package cannot say anything else of itself, where it has no object to say it in.
pub fn has_definition(model: &Model) -> Enabled {
    let package = package(model)?;
    match package.definition() {
        Some(_) => Ok(()),
        None => Err(format!("{} has no olm.package object", package.name)),
    }
}

pub fn add_channel(model: &mut Model) -> Vec<Effect> {
    match model.session.selection().package.clone() {
        Some(package) => ask(model, Purpose::Edit, package, Asked::NewChannel, String::new()),
        None => Vec::new(),
    }
}

/// What can be in a new channel.
pub(in crate::app) fn new_channel_ways(model: &Model, name: PackageName, channel: &ChannelName) -> Overlay {
    let empty = Edit::AddChannel { package: name.clone(), channel: channel.clone(), entries: Vec::new() };
    let mut ways = Vec::new();
    let judged = model.session.snapshot().and_then(|s| s.package(name.as_str()));
    let from = model.session.selection().channel.clone();
    if let Some((package, from)) = judged.map(|judged| judged.package()).zip(from)
        && let Some(copy) = Edit::copy_channel(package, from.as_str(), channel.clone(), None)
    {
        let entries = package.channel(from.as_str()).map_or(0, |channel| channel.entries.len());
        let note = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
        ways.push(Way { label: format!("copy of {from}"), note, then: Leads::Edit(copy) });
        let top =
            model.session.selection().bundle.as_ref().and_then(|bundle| package.version_of(bundle.as_str()));
        let top = top.map(|version| version.version.to_string()).unwrap_or_default();
        ways.push(Way {
            label: format!("copy of {from} up to ..."),
            note: "asks for a version".to_owned(),
            then: Leads::Ask(Asked::UpTo { channel: channel.clone(), from }, top),
        });
    }
    let note = "entries are added with a".to_owned();
    ways.push(Way { label: "empty".to_owned(), note, then: Leads::Edit(empty) });
    let title = format!("New channel {channel}");
    Overlay::Choose(Box::new(Choose::new(model, Purpose::Edit, name, title, ways)))
}

pub fn has_channel(model: &Model) -> Enabled {
    package(model)?;
    channel(model).map(drop)
}

pub fn rename_channel(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    match (selection.package, selection.channel) {
        (Some(package), Some(channel)) => {
            let name = channel.to_string();
            ask(model, Purpose::Edit, package, Asked::Rename(channel), name)
        }
        _ => Vec::new(),
    }
}

pub fn describe(model: &mut Model) -> Vec<Effect> {
    let Ok(package) = package(model) else { return Vec::new() };
    let text = package.definition().and_then(|definition| definition.description.as_ref());
    let text = text.map(|text| one_line(&text.value)).unwrap_or_default();
    let name = package.name.clone();
    ask(model, Purpose::Edit, name, Asked::Description, text)
}
