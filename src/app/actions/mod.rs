//! Actions on the selection that several screens share. Each function is referenced by exactly one
//! table.

mod adding;
mod assuming;
mod away;
mod bundles;
pub(in crate::app) mod comparing;
mod copy;
mod deprecating;
mod editing;
mod fetching;
mod history;
mod looking;
mod other_catalogs;
mod removing;
mod resources;
pub(in crate::app) mod tables;
mod what_if;

use std::sync::Arc;

use crate::{
    app::{
        keys::spec::{Enabled, Reason},
        session::{cx::See, target::Target},
    },
    catalog::{BundleName, ChannelName, blob::Entry},
    review::Judged,
};

fn has_catalog(_: &Target, see: &See<'_>) -> Enabled {
    see.session.catalog().map(|_| ()).ok_or_else(|| "no catalog is open".to_owned())
}

fn package<'a>(target: &Target, see: &See<'a>) -> Result<&'a Arc<Judged>, Reason> {
    let name = target.package.as_ref().ok_or_else(|| target.without("package"))?;
    let judged = see.session.snapshot().and_then(|now| now.package(name.as_str()));
    judged.ok_or_else(|| target.without("package"))
}

fn channel(target: &Target) -> Result<&ChannelName, Reason> {
    target.channel.as_ref().ok_or_else(|| target.without("channel"))
}

fn bundle(target: &Target) -> Result<&BundleName, Reason> {
    target.bundle.as_ref().ok_or_else(|| target.without("bundle"))
}

/// Refuses unless a bundle is selected that is still in the catalog.
fn has_bundle(target: &Target, see: &See<'_>) -> Enabled {
    bundle(target)?;
    is_here(target, see)
}

/// Refuses if the selected bundle is only in the base of the comparison.
fn is_here(target: &Target, see: &See<'_>) -> Enabled {
    match (&target.package, &target.bundle) {
        (Some(package), Some(bundle)) if see.session.is_gone(package, bundle) => {
            Err(format!("{bundle} was removed: it is not in this catalog"))
        }
        _ => Ok(()),
    }
}

/// Returns the selected entry.
fn entry<'a>(target: &Target, see: &See<'a>) -> Result<&'a Entry, Reason> {
    let found = || {
        let (channel, bundle) = (target.channel.as_ref()?, target.bundle.as_ref()?);
        let channel = package(target, see).ok()?.package().channel(channel.as_str())?;
        channel.entries.iter().find(|entry| entry.name.value == *bundle)
    };
    if let Some(entry) = found() {
        return Ok(entry);
    }
    is_here(target, see)?;
    Err(match (&target.channel, &target.bundle) {
        (Some(channel), Some(bundle)) if see.session.answers.marks().gone(bundle).is_some() => {
            format!("{bundle} was removed: it is not an entry of {channel}")
        }
        _ => target.without("entry"),
    })
}

fn has_entry(target: &Target, see: &See<'_>) -> Enabled {
    entry(target, see).map(drop)
}
