//! Actions of what-if changes, and the range tester.

use std::sync::Arc;

use super::{entry, has_catalog, package, removing};
use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        session::{
            cx::{Cx, See},
            target::{Level, Target},
            what_if,
        },
        work::{
            Opening,
            opening::{Asked, PromptPurpose, Purpose, called},
        },
    },
    catalog::blob::{DeprecationTarget, Entry},
    edit::Edit,
    plan::extract::Wish,
};

/// Opens a question for a what-if change of the selected package.
fn ask(target: &Target, cx: &mut Cx<'_>, asked: Asked, proposed: String) {
    if let Some(package) = target.package.clone() {
        cx.open(Opening::Ask { purpose: Purpose::Suppose, package, asked, proposed });
    }
}

pub(super) fn below(target: &mut Target, cx: &mut Cx<'_>) {
    let judged = package(target, &cx.see()).ok().zip(target.bundle.as_ref());
    let version = judged.and_then(|(judged, bundle)| judged.package().version_of(bundle.as_str()));
    let version = version.map(|version| version.version.to_string()).unwrap_or_default();
    ask(target, cx, Asked::Below, version);
}

pub(super) fn without(target: &mut Target, cx: &mut Cx<'_>) {
    if let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) {
        what_if::suppose_at_once(cx, Edit::RemoveBundle { package, bundle });
    }
}

pub(super) fn range(target: &mut Target, cx: &mut Cx<'_>) {
    let spec = entry(target, &cx.see()).map(Entry::spec);
    if let (Ok(spec), Some(channel), Some(entry)) = (spec, target.channel.clone(), target.bundle.clone()) {
        let range = spec.skip_range.clone().unwrap_or_default();
        ask(target, cx, Asked::SkipRange { channel, entry, spec }, range);
    }
}

pub(super) fn skip(target: &mut Target, cx: &mut Cx<'_>) {
    let spec = entry(target, &cx.see()).map(Entry::spec);
    if let (Ok(spec), Some(channel), Some(entry)) = (spec, target.channel.clone(), target.bundle.clone()) {
        ask(target, cx, Asked::AlsoSkips { channel, entry, spec }, String::new());
    }
}

/// Supposes that the target is deprecated, or not deprecated if it already is.
fn deprecate(target: &Target, cx: &mut Cx<'_>, what: Option<DeprecationTarget>) {
    let Some((what, package)) = what.zip(target.package.clone()) else { return };
    let name = called(&package, &what);
    let judged = super::package(target, &cx.see());
    if judged.is_ok_and(|judged| judged.package().deprecation(&what).is_some()) {
        return what_if::suppose_at_once(cx, Edit::Undeprecate { package, target: what });
    }
    ask(target, cx, Asked::Deprecated(what), format!("{name} is deprecated"));
}

pub(super) fn deprecate_bundle(target: &mut Target, cx: &mut Cx<'_>) {
    deprecate(target, cx, target.bundle.clone().map(DeprecationTarget::Bundle));
}

pub(super) fn deprecate_channel(target: &mut Target, cx: &mut Cx<'_>) {
    deprecate(target, cx, target.channel.clone().map(DeprecationTarget::Channel));
}

pub(super) fn deprecate_package(target: &mut Target, cx: &mut Cx<'_>) {
    deprecate(target, cx, Some(DeprecationTarget::Package));
}

pub(super) fn can_suppose_of_channel(target: &Target, _: &See<'_>) -> Enabled {
    super::channel(target).map(drop)
}

pub(super) fn can_remove_channel(target: &Target, see: &See<'_>) -> Enabled {
    can_suppose_of_channel(target, see)?;
    match package(target, see)?.package().channels.len() {
        0 | 1 => Err("it is the only channel of the package".to_owned()),
        _ => Ok(()),
    }
}

/// Supposes that the selected channel is removed. Asks for a new default channel if necessary.
pub(super) fn remove_channel(target: &mut Target, cx: &mut Cx<'_>) {
    let Some((judged, channel)) = package(target, &cx.see()).ok().cloned().zip(target.channel.clone()) else {
        return;
    };
    let package = judged.package();
    if package.default_channel() == Some(&channel) {
        if let Ok(opening) = removing::of_channel(package, &channel, Purpose::Suppose) {
            cx.open(opening);
        }
        return;
    }
    let edit = Edit::RemoveChannel { package: package.name.clone(), channel, default: None };
    what_if::suppose_at_once(cx, edit);
}

pub(super) fn can_extract(target: &Target, see: &See<'_>) -> Enabled {
    has_catalog(target, see)?;
    if see.session.unread().is_some() {
        let reload = see.key(ActionId::Reload);
        return Err(format!("only part of this catalog was read: {reload} reads all"));
    }
    match see.session.snapshot().and_then(|now| now.catalog.template()) {
        Some(_) => Err("this is a template: open the catalog that it makes".to_owned()),
        None => Ok(()),
    }
}

/// Asks which part of the catalog to extract, with the selection as proposal.
pub(super) fn extract(target: &mut Target, cx: &mut Cx<'_>) {
    let name = target.package.as_ref().filter(|name| !name.as_str().is_empty());
    let wish = name.map(|name| Wish {
        package: name.clone(),
        channel: target.channel.clone().filter(|_| target.level != Level::Package),
        range: None,
    });
    let proposed = wish.map(|wish| wish.to_string()).unwrap_or_default();
    let package = target.package.clone().unwrap_or_default();
    cx.open(Opening::Ask { purpose: Purpose::Suppose, package, asked: Asked::Extract, proposed });
}

pub(super) fn can_mirror(target: &Target, see: &See<'_>) -> Enabled {
    can_extract(target, see)?;
    see.session.what_if().map_or(Ok(()), |_| Err(what_if::in_the_way(see)))
}

/// Asks for the path of the image set configuration.
pub(super) fn mirror(_: &mut Target, cx: &mut Cx<'_>) {
    let title = "What if it were mirrored by this image set configuration";
    cx.open(Opening::Prompt { title, purpose: PromptPurpose::Mirror, text: String::new() });
}

pub(super) fn is_on(_: &Target, see: &See<'_>) -> Enabled {
    see.session.what_if().map(|_| ()).ok_or_else(|| "no what-if is active".to_owned())?;
    // A copy of the what-if state may be written to disk at this moment.
    see.session.busy.map_or(Ok(()), |busy| Err(busy.reason().to_owned()))
}

pub(super) fn undo(_: &mut Target, cx: &mut Cx<'_>) {
    what_if::take_back(cx);
}

pub(super) fn keep(_: &mut Target, cx: &mut Cx<'_>) {
    if let Some(outcome) = what_if::ended(cx.session) {
        cx.keep(Purpose::Edit, Arc::new(outcome));
    }
}

pub(super) fn drop_all(_: &mut Target, cx: &mut Cx<'_>) {
    what_if::forget(cx);
}

pub(super) fn test_range(target: &mut Target, cx: &mut Cx<'_>) {
    let range = entry(target, &cx.see()).ok().and_then(|entry| entry.spec().skip_range);
    cx.open(Opening::Range(range.unwrap_or_default()));
}
