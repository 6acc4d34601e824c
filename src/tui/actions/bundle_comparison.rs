//! Action that compares two bundles, by their contents in the catalog and by their directories.

use std::sync::Arc;

use super::{has_bundle, selected_bundle, selected_package};
use crate::tui::{
    keys::spec::{Enabled, Reason},
    session::{
        context::{Context, ViewContext},
        target::Target,
    },
    work::{DialogRequest, Effect},
};
use olm_bundle::{compare::Comparison, outline::Outline};
use olm_catalog::{BundleName, blob::BundleBlob};

/// Returns the older and the newer bundle. The older one is the marked bundle; without a mark, it
/// is the bundle that the selected one replaces.
fn select_bundle_pair<'a>(target: &Target, view_cx: &ViewContext<'a>) -> Result<[&'a BundleBlob; 2], Reason> {
    has_bundle(target, view_cx)?;
    let name = selected_bundle(target)?;
    let package_state = selected_package(target, view_cx)?;
    let package = package_state.package();
    let there = |name: &BundleName| package.bundle(name.as_str()).map(AsRef::as_ref);
    let new = there(name).ok_or_else(|| format!("{name} has no bundle in this catalog"))?;
    let marked =
        view_cx.session.marked_bundle.as_ref().filter(|(of, mark)| *of == package.name && mark != name);
    if let Some((_, mark)) = marked {
        let old = there(mark).ok_or_else(|| format!("{mark} has no bundle in this catalog"))?;
        return Ok([old, new]);
    }
    // Prefer the edges of the selected channel.
    let own = target.channel.as_ref().and_then(|channel| package.channel(channel.as_str()));
    let channels = own.into_iter().chain(&package.channels);
    let entries = channels.flat_map(|channel| &channel.entries).filter(|entry| entry.name.value == *name);
    let mut replaced = entries.filter_map(|entry| there(&entry.replaces.as_ref()?.value));
    let old = replaced.next().ok_or_else(|| {
        format!("{name} replaces no bundle of this catalog: mark another one in Graph to compare with")
    })?;
    Ok([old, new])
}

pub(super) fn can_compare_bundles(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    select_bundle_pair(target, view_cx).map(drop)
}

pub(super) fn compare_bundles(target: &mut Target, cx: &mut Context<'_>) {
    let view_cx = cx.view();
    let opened = select_bundle_pair(target, &view_cx).and_then(|[old, new]| {
        let catalog = &view_cx.session.snapshot().ok_or("no catalog is open")?.catalog;
        let inside = |blob: &BundleBlob| {
            let unread = || format!("{} cannot be read", blob.name.value);
            Outline::from_catalog(catalog, blob).ok_or_else(unread)
        };
        let comparison = Arc::new(Comparison::compare_outlines(&inside(old)?, &inside(new)?));
        let names = [&old.name.value, &new.name.value];
        Ok(DialogRequest::BundleDifference {
            comparison,
            bundles: view_cx.session.bundle_locators(&new.package.value, names).map(Box::new),
        })
    });
    match opened {
        Ok(opening) => {
            if let DialogRequest::BundleDifference { bundles: Some(sought), .. } = &opening {
                cx.request(Effect::CompareBundles { bundles: sought.clone() });
            }
            cx.open_dialog(opening);
        }
        Err(reason) => cx.notices.report_refusal(reason),
    }
}
