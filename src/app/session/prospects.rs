//! Where edits lead that are only thought of: worked out at once where that is quick, else in the background, so that no
//! letter waits for it.

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

/// How many entries a package may have for a frame to wait for what an edit of it leads to; of skips, sixteen count as one.
/// Measured (`benches/report/templates.rs`): 7 µs each, and a frame has 8 ms.
const QUICK: usize = 800;
/// As how many entries a package counts that lacks something and is resolved again to tell what. Measured over a vendor index: six of
/// them took 25 ms.
const LACKING: usize = 430;
/// As how many entries a channel counts that is resolved again and does not lack anything: about 0.5 ms, reckoned from 2 ms each in a
/// debug build there.
const RESOLVED: usize = 70;
/// How many bundles of the catalog count as an entry: all are gone over for what the edit means to them. 284 ms for 100,000 by
/// `benches/report/scale.rs`, which is 3 µs each and more than for few; a third of a microsecond is reckoned here.
const BUNDLES: usize = 20;

/// What is asked for, and what came back.
#[derive(Debug, Default)]
pub(in crate::app) struct Prospects {
    /// Whether an answer is still to come: one at a time, however fast somebody types.
    waits: bool,
    arrived: Option<(Same<Snapshot>, Preview, Edit)>,
}

impl Session {
    /// Where an edit of the catalog that is looked at would lead.
    pub(in crate::app) fn prospect(&self, edit: Edit) -> Prospect {
        let Some(snapshot) = self.snapshot() else { return Prospect::Nothing };
        if is_quick(snapshot, &edit) {
            Prospect::Known(self.preview(edit))
        } else {
            self.answer(&edit).unwrap_or(Prospect::Awaited(edit))
        }
    }

    /// The answer that came back, if it is that to an edit of the present state.
    fn answer(&self, edit: &Edit) -> Option<Prospect> {
        let (of, preview, answered) = self.prospects.arrived.as_ref()?;
        let is_it = *of == Same::of(self.snapshot()) && answered == edit;
        is_it.then(|| Prospect::Known(preview.clone()))
    }

    /// What a dialog knows; what it still waits for is worked out now.
    pub(in crate::app) fn now<'p>(&self, prospect: &'p mut Prospect) -> Option<&'p Preview> {
        if let Some(edit) = prospect.awaited() {
            *prospect = Prospect::Known(self.preview(edit.clone()));
        }
        prospect.known()
    }
}

/// Gives the top dialog what came back, or has it worked out.
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

/// What an edit leads to was worked out.
pub(in crate::app) fn found(session: &mut Session, of: &Arc<Snapshot>, edit: Edit, preview: Preview) {
    session.prospects.waits = false;
    session.prospects.arrived = Some((Same::of(Some(of)), preview, edit));
}

/// Whether what an edit leads to is there before anybody notices.
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

    /// Packages of one bundle, which has more properties.
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
    fn no_frame_waits_for_several_packages_that_are_resolved_again() {
        let needs = "- type: olm.package.required\n  value: {packageName: p0, versionRange: '>=2.0.0'}\n";
        for (count, quick) in [(0, true), (1, true), (2, false), (3, false)] {
            let snapshot = packages(count, needs);
            let not_met = snapshot.packages().filter(|(_, judged)| !judged.standings().is_met()).count();
            assert_eq!((not_met, is_quick(&snapshot, &edit_of("p0"))), (count, quick));
            assert!(is_quick(&snapshot, &edit_of("p1")), "nobody needs it but itself");
        }
    }

    #[test]
    fn no_frame_waits_where_there_are_thousands_of_packages() {
        for (count, quick) in [(300, true), (BUNDLES * QUICK, false)] {
            assert_eq!(is_quick(&packages(count, ""), &edit_of("p0")), quick, "{count}");
        }
    }
}
