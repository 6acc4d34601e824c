//! Action that compares two bundles, by their contents in the catalog and by their directories.

use std::sync::Arc;

use super::{bundle, has_bundle, package};
use crate::{
    app::{
        keys::spec::{Enabled, Reason},
        session::{
            cx::{Cx, See},
            target::Target,
        },
        work::{Effect, Opening},
    },
    bundle::{compare::Comparison, inside::Inside},
    catalog::{BundleName, blob::BundleBlob},
};

/// Returns the older and the newer bundle. The older one is the marked bundle; without a mark, it
/// is the bundle that the selected one replaces.
fn both<'a>(target: &Target, see: &See<'a>) -> Result<[&'a BundleBlob; 2], Reason> {
    has_bundle(target, see)?;
    let name = bundle(target)?;
    let judged = package(target, see)?;
    let package = judged.package();
    let there = |name: &BundleName| package.bundle(name.as_str()).map(AsRef::as_ref);
    let new = there(name).ok_or_else(|| format!("{name} has no bundle in this catalog"))?;
    let marked = see.session.mark.as_ref().filter(|(of, mark)| *of == package.name && mark != name);
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

pub(super) fn can_compare(target: &Target, see: &See<'_>) -> Enabled {
    both(target, see).map(drop)
}

pub(super) fn compare(target: &mut Target, cx: &mut Cx<'_>) {
    let see = cx.see();
    let opened = both(target, &see).and_then(|[old, new]| {
        let catalog = &see.session.snapshot().ok_or("no catalog is open")?.catalog;
        let inside = |blob: &BundleBlob| {
            let unread = || format!("{} cannot be read", blob.name.value);
            Inside::of_catalog(catalog, blob).ok_or_else(unread)
        };
        let comparison = Arc::new(Comparison::between(&inside(old)?, &inside(new)?));
        let names = [&old.name.value, &new.name.value];
        Ok(Opening::BundleDifference {
            comparison,
            sought: see.session.both_sought(&new.package.value, names).map(Box::new),
        })
    });
    match opened {
        Ok(opening) => {
            if let Opening::BundleDifference { sought: Some(sought), .. } = &opening {
                cx.ask(Effect::CompareBundles { sought: sought.clone() });
            }
            cx.open(opening);
        }
        Err(reason) => cx.notices.refused(reason),
    }
}
