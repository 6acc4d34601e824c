//! Actions on the selection that several screens share. Each function is referenced by exactly one
//! table.

mod additions;
pub(in crate::tui) mod assumptions;
pub(in crate::tui) mod bundle_view;
mod clipboard;
pub(in crate::tui) mod comparison;
mod deprecation;
pub(in crate::tui) mod edits;
pub(in crate::tui) mod external_programs;
mod image_fetch;
mod removal;
mod resources;
pub(in crate::tui) mod what_if;

use std::sync::Arc;

use crate::tui::{
    keys::spec::{Enabled, Reason},
    session::{action::Target, context::ViewContext},
};
use olm_catalog::{BundleName, ChannelName, blob::Entry};
use olm_check::review::PackageState;

fn has_catalog(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    view_cx.session.current_catalog().map(|_| ()).ok_or_else(|| "no catalog is open".to_owned())
}

fn selected_package<'a>(target: &Target, view_cx: &ViewContext<'a>) -> Result<&'a Arc<PackageState>, Reason> {
    let name = target.package.as_ref().ok_or_else(|| target.missing_reason("package"))?;
    let package_state = view_cx.session.snapshot().and_then(|now| now.package(name.as_str()));
    package_state.ok_or_else(|| target.missing_reason("package"))
}

fn selected_channel(target: &Target) -> Result<&ChannelName, Reason> {
    target.channel.as_ref().ok_or_else(|| target.missing_reason("channel"))
}

fn selected_bundle(target: &Target) -> Result<&BundleName, Reason> {
    target.bundle.as_ref().ok_or_else(|| target.missing_reason("bundle"))
}

/// Refuses unless a bundle is selected that is still in the catalog.
fn has_bundle(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_bundle(target)?;
    is_in_catalog(target, view_cx)
}

/// Refuses if the selected bundle is only in the base of the comparison.
fn is_in_catalog(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    match (&target.package, &target.bundle) {
        (Some(package), Some(bundle)) if view_cx.session.catalogs.is_removed(package, bundle) => {
            Err(format!("{bundle} was removed: it is not in this catalog"))
        }
        _ => Ok(()),
    }
}

/// Returns the selected entry.
fn selected_entry<'a>(target: &Target, view_cx: &ViewContext<'a>) -> Result<&'a Entry, Reason> {
    let found = || {
        let (channel, bundle) = (target.channel.as_ref()?, target.bundle.as_ref()?);
        let channel = selected_package(target, view_cx).ok()?.package().channel(channel.as_str())?;
        channel.entries.iter().find(|entry| entry.name.value == *bundle)
    };
    if let Some(entry) = found() {
        return Ok(entry);
    }
    is_in_catalog(target, view_cx)?;
    Err(match (&target.channel, &target.bundle) {
        (Some(channel), Some(bundle)) if view_cx.session.derived.marks().removed_entry(bundle).is_some() => {
            format!("{bundle} was removed: it is not an entry of {channel}")
        }
        _ => target.missing_reason("entry"),
    })
}

fn has_entry(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    selected_entry(target, view_cx).map(drop)
}
