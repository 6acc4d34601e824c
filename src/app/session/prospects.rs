//! Previews of edits that are not applied yet. Quick ones are computed at once, others in the
//! background, so that typing never waits.

use std::sync::Arc;

use crate::{
    app::{
        parts::memo::Same,
        session::{Session, cx::Cx},
        work::{Effect, preview::Preview, prospect::Prospect},
    },
    catalog::package::Package,
    edit::Edit,
    resolve::{Standings, Touched},
    review::Snapshot,
};

/// Maximum number of entries of a package for which a frame waits for the preview; sixteen skips
/// count as one entry. Measured with `benches/report/templates.rs`: 7 µs each, and a frame has 8
/// ms.
const QUICK: usize = 800;
/// Cost, in entries, of a package with unmet dependencies that is resolved again. Measured over a
/// vendor index: six packages took 25 ms.
const LACKING: usize = 430;
/// Cost, in entries, of a channel without unmet dependencies that is resolved again: about 0.5 ms,
/// estimated from 2 ms in a debug build.
const RESOLVED: usize = 70;
/// Number of bundles of the catalog that cost as much as one entry, because an edit checks all
/// bundles. `benches/report/scale.rs` measures 284 ms for 100,000 bundles, that is 3 µs each;
/// smaller catalogs take less, so a third of a microsecond is assumed.
const BUNDLES: usize = 20;

/// State of preview requests.
#[derive(Debug, Default)]
pub(in crate::app) struct Prospects {
    /// True while a preview request is in flight; at most one at a time.
    waits: bool,
    arrived: Option<(Same<Snapshot>, Preview, Edit)>,
}

impl Session {
    /// Returns the preview of an edit of the current catalog, or a pending state.
    pub(in crate::app) fn prospect(&self, edit: Edit) -> Prospect {
        let Some(snapshot) = self.snapshot() else { return Prospect::Nothing };
        if is_quick(snapshot, &edit) {
            Prospect::Known(self.preview(edit))
        } else {
            self.answer(&edit).unwrap_or(Prospect::Awaited(edit))
        }
    }

    /// Returns the stored preview, if it belongs to this edit of the current state.
    fn answer(&self, edit: &Edit) -> Option<Prospect> {
        let (of, preview, answered) = self.prospects.arrived.as_ref()?;
        let is_it = *of == Same::of(self.snapshot()) && answered == edit;
        is_it.then(|| Prospect::Known(preview.clone()))
    }

    /// Returns the preview of a dialog. Computes a pending preview at once.
    pub(in crate::app) fn now<'p>(&self, prospect: &'p mut Prospect) -> Option<&'p Preview> {
        if let Some(edit) = prospect.awaited() {
            *prospect = Prospect::Known(self.preview(edit.clone()));
        }
        prospect.known()
    }
}

/// Fills in the preview of the top dialog, or requests it.
pub(in crate::app) fn want(cx: &mut Cx<'_>, prospect: &mut Prospect) {
    let Some(edit) = prospect.awaited().cloned() else { return };
    if let Some(known) = cx.session.answer(&edit) {
        *prospect = known;
        return;
    }
    if cx.session.prospects.waits {
        return;
    }
    let Some(snapshot) = cx.session.snapshot().cloned() else { return };
    cx.session.prospects.waits = true;
    let beside = cx.session.others_around();
    cx.ask(Effect::Preview { snapshot, beside, edit });
}

/// Stores a preview.
pub(in crate::app) fn found(session: &mut Session, of: &Arc<Snapshot>, edit: Edit, preview: Preview) {
    session.prospects.waits = false;
    session.prospects.arrived = Some((Same::of(Some(of)), preview, edit));
}

/// Returns true if the preview of an edit takes less than a frame.
fn is_quick(snapshot: &Snapshot, edit: &Edit) -> bool {
    let is_touched = |package: &&Arc<Package>| edit.package().is_none_or(|named| *named == package.name);
    let packages: Vec<&Arc<Package>> = snapshot.catalog.packages().filter(is_touched).collect();
    let touched = Touched::within(packages.iter().map(AsRef::as_ref));
    let standings = snapshot.packages().map(|(_, judged)| judged.standings());
    let resolved = standings.filter(|standings| standings.may_change(&touched));
    let weight = |standings: &Standings| {
        if standings.is_met() { standings.channels.len() * RESOLVED } else { LACKING }
    };
    let bundles: usize = snapshot.catalog.packages().map(|package| package.bundles.len()).sum();
    let around = resolved.map(weight).sum::<usize>() + bundles / BUNDLES;
    let Some(mut left) = QUICK.checked_sub(around) else { return false };
    for entry in packages.iter().flat_map(|package| &package.channels).flat_map(|channel| &channel.entries) {
        let Some(rest) = left.checked_sub(1 + entry.skips.len() / 16) else { return false };
        left = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::load;

    /// Creates packages with one bundle each, with additional properties.
    fn packages(count: usize, more: &str) -> Snapshot {
        let package = |number: usize| {
            format!(
                "---\nschema: olm.package\nname: p{number}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p{number}\n\
                 name: a\nentries:\n- name: p{number}.v1.0.0\n---\nschema: olm.bundle\npackage: p{number}\nname: p{number}.v1.0.0\n\
                 image: example.com/p{number}\nproperties:\n- type: olm.package\n  value: {{packageName: p{number}, version: 1.0.0}}\n\
                 {more}"
            )
        };
        Snapshot::new(load::from_bytes((0..count).map(package).collect::<String>().into_bytes()))
    }

    fn edit_of(package: &str) -> Edit {
        Edit::SetDefaultChannel { package: package.into(), channel: "a".into() }
    }

    #[test]
    fn several_resolved_packages_are_not_quick() {
        let needs = "- type: olm.package.required\n  value: {packageName: p0, versionRange: '>=2.0.0'}\n";
        for (count, quick) in [(0, true), (1, true), (2, false), (3, false)] {
            let snapshot = packages(count, needs);
            let not_met = snapshot.packages().filter(|(_, judged)| !judged.standings().is_met()).count();
            assert_eq!((not_met, is_quick(&snapshot, &edit_of("p0"))), (count, quick));
            assert!(is_quick(&snapshot, &edit_of("p1")), "nobody needs it but itself");
        }
    }

    #[test]
    fn edit_in_catalog_of_thousands_of_packages_is_not_quick() {
        for (count, quick) in [(300, true), (BUNDLES * QUICK, false)] {
            assert_eq!(is_quick(&packages(count, ""), &edit_of("p0")), quick, "{count}");
        }
    }
}
