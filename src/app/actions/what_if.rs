//! Suppositions, and trying out ranges.

use super::ask;
use crate::app::keys::spec::Enabled;
use crate::app::work::Opening;
use crate::{
    app::{
        session::what_if,
        shell::model::Model,
        work::{
            Effect,
            opening::{Asked, Purpose, called},
        },
    },
    catalog::blob::{DeprecationTarget, Entry, EntrySpec},
    edit::Edit,
};

fn suppose(model: &mut Model, asked: Asked, proposed: String) -> Vec<Effect> {
    match model.session.selection().package.clone() {
        Some(package) => ask(model, Purpose::Suppose, package, asked, proposed),
        None => Vec::new(),
    }
}

pub fn what_if_below(model: &mut Model) -> Vec<Effect> {
    let selected = model.session.selection().bundle.clone();
    let version = model.session.package().zip(selected).and_then(|(judged, bundle)| {
        judged.package().version_of(bundle.as_str()).map(|version| version.version.to_string())
    });
    suppose(model, Asked::Below, version.unwrap_or_default())
}

pub fn what_if_without(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    if let (Some(package), Some(bundle)) = (selection.package, selection.bundle) {
        return model.with(|cx| what_if::suppose_at_once(cx, Edit::RemoveBundle { package, bundle }));
    }
    Vec::new()
}

/// What the selected entry asks for.
fn spec(model: &Model) -> Option<EntrySpec> {
    let selection = model.session.selection();
    let channel = model.session.package()?.package().channel(selection.channel.as_ref()?.as_str())?;
    let bundle = selection.bundle.as_ref()?;
    channel.entries.iter().find(|entry| &entry.name.value == bundle).map(Entry::spec)
}

pub fn what_if_range(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    if let (Some(spec), Some(channel), Some(entry)) = (spec(model), selection.channel, selection.bundle) {
        let range = spec.skip_range.clone().unwrap_or_default();
        suppose(model, Asked::SkipRange { channel, entry, spec }, range);
    }
    Vec::new()
}

pub fn what_if_skip(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    if let (Some(spec), Some(channel), Some(entry)) = (spec(model), selection.channel, selection.bundle) {
        suppose(model, Asked::AlsoSkips { channel, entry, spec }, String::new());
    }
    Vec::new()
}

/// Supposes that something is deprecated; where it is, that it is not.
fn deprecate(model: &mut Model, target: Option<DeprecationTarget>) -> Vec<Effect> {
    let Some((target, package)) = target.zip(model.session.selection().package.clone()) else {
        return Vec::new();
    };
    let name = called(&package, &target);
    if model.session.package().is_some_and(|judged| judged.package().deprecation(&target).is_some()) {
        return model.with(|cx| what_if::suppose_at_once(cx, Edit::Undeprecate { package, target }));
    }
    suppose(model, Asked::Deprecated(target), format!("{name} is deprecated"))
}

pub fn what_if_deprecate_bundle(model: &mut Model) -> Vec<Effect> {
    let bundle = model.session.selection().bundle.clone();
    deprecate(model, bundle.map(DeprecationTarget::Bundle))
}

pub fn what_if_deprecate_channel(model: &mut Model) -> Vec<Effect> {
    let channel = model.session.selection().channel.clone();
    deprecate(model, channel.map(DeprecationTarget::Channel))
}

pub fn what_if_deprecate_package(model: &mut Model) -> Vec<Effect> {
    deprecate(model, Some(DeprecationTarget::Package))
}

pub fn can_suppose_of_channel(model: &Model) -> Enabled {
    model.session.selection().channel.as_ref().map(|_| ()).ok_or_else(|| "no channel is selected".to_owned())
}

pub fn can_remove_channel(model: &Model) -> Enabled {
    can_suppose_of_channel(model)?;
    match model.session.package().map(|judged| judged.package().channels.len()) {
        Some(0 | 1) | None => Err("it is the only channel of the package".to_owned()),
        Some(_) => Ok(()),
    }
}

pub fn has_what_if(model: &Model) -> Enabled {
    model.session.what_if().map(|_| ()).ok_or_else(|| "nothing is supposed yet".to_owned())
}

pub fn what_if_undo(model: &mut Model) -> Vec<Effect> {
    model.with(what_if::take_back)
}

pub fn what_if_keep(model: &mut Model) -> Vec<Effect> {
    if let Some(outcome) = what_if::ended(&mut model.session) {
        crate::app::shell::keeping::accept(model, &outcome);
    }
    Vec::new()
}

pub fn what_if_drop(model: &mut Model) -> Vec<Effect> {
    model.with(what_if::forget)
}

pub fn test_range(model: &mut Model) -> Vec<Effect> {
    let range = spec(model).and_then(|spec| spec.skip_range).unwrap_or_default();
    model.open(Opening::Range(range));
    Vec::new()
}
