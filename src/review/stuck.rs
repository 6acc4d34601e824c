//! Remedies of stuck versions, tried on a copy of the catalog.

use super::{Judged, Snapshot, findings};
use crate::{
    edit::{self, Edit},
    upgrade::stuck::{Remedy, StuckGroup},
    validate::Severity,
};

/// Returns, of the edits that are tried, the one that frees most versions of a group and brings no new error or warning. `None` if
/// none of them does.
pub fn remedy(snapshot: &Snapshot, judged: &Judged, group: &StuckGroup) -> Option<Remedy> {
    let remedies = judged.graph.stuck().remedies(&judged.graph, group);
    remedies.into_iter().find(|remedy| is_clean(snapshot, judged, remedy))
}

/// Returns the edit of a remedy.
pub fn edit_of(judged: &Judged, remedy: &Remedy) -> Edit {
    Edit::SetEntry {
        package: judged.package().name.clone(),
        channel: remedy.channel.clone(),
        entry: remedy.entry.clone(),
        spec: remedy.spec.clone(),
    }
}

/// Reports whether the edit can be made and brings no new error or warning.
fn is_clean(snapshot: &Snapshot, judged: &Judged, remedy: &Remedy) -> bool {
    let Ok(catalog) = edit::apply(&snapshot.catalog, &edit_of(judged, remedy)) else { return false };
    let after = snapshot.after(catalog);
    let Some(after) = after.package(judged.package().name.as_str()) else { return false };
    let (new, _) = findings::compare(&judged.findings, &after.findings);
    new.iter().all(|finding| finding.severity() == Severity::Note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{demo, load};

    /// A channel with an old one beside it, from whose head nothing leads on.
    const TWO_CHANNELS: &str = "schema: olm.package\nname: ship\ndefaultChannel: new\n---\nschema: olm.channel\npackage: ship\n\
        name: new\nentries:\n- name: ship.v2.0.0\n---\nschema: olm.channel\npackage: ship\nname: old\nentries:\n\
        - name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n";

    fn with_bundles(text: &str) -> String {
        let bundle = |version: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship@sha256:{version}\n\
                 properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
            )
        };
        format!("{text}{}{}{}", bundle("1.0.0"), bundle("1.1.0"), bundle("2.0.0"))
    }

    #[test]
    fn remedy_applied_to_the_catalog_frees_what_it_says() {
        let two_channels = load::from_bytes(with_bundles(TWO_CHANNELS).into_bytes());
        let mut tried = 0;
        for catalog in [demo::demo(), two_channels] {
            let snapshot = Snapshot::new(catalog);
            for (name, judged) in snapshot.packages() {
                for group in judged.graph.stuck().answer.iter().flat_map(|answer| &answer.groups) {
                    let Some(remedy) = remedy(&snapshot, judged, group) else { continue };
                    let edited = edit::apply(&snapshot.catalog, &edit_of(judged, &remedy)).unwrap();
                    let after = Snapshot::new(edited);
                    let after = after.package(name.as_str()).unwrap().graph.stuck();
                    let is_stuck = |version: &&_| after.group_of(group.engine, version).is_some();
                    let remaining = group.versions.iter().filter(is_stuck).count();
                    assert_eq!(remaining, remedy.remaining, "{remedy:?}");
                    assert_eq!(group.versions.len() - remaining, remedy.frees, "{remedy:?}");
                    tried += 1;
                }
            }
        }
        assert!(tried >= 2, "{tried} remedies");
    }
}
