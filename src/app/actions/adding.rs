//! New entries and channels, and other names and words for what is there.

use super::ask;
use crate::app::keys::spec::Enabled;
use crate::{
    app::{
        parts::text::one_line,
        shell::model::Model,
        work::{
            Effect,
            opening::{Asked, Purpose},
        },
    },
    catalog::{ChannelName, package::Package},
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
