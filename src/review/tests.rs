//! What an edit changes for those who have something installed.

use super::{Consequences, Snapshot};
use crate::{
    catalog::{blob::EntrySpec, load},
    edit::{self, Edit},
    upgrade::{Engine, table::Next},
};

pub(super) fn snapshot() -> Snapshot {
    let mut text = String::from("schema: olm.package\nname: p\ndefaultChannel: c\n");
    text += "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- {name: p.v3.0.0, replaces: p.v2.0.0}\n- {name: p.v2.0.0, replaces: p.v1.0.0}\n- {name: p.v1.0.0}\n";
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: example.com/p:{version}\nproperties:\n- {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n"
        );
    }
    text += "---\nschema: olm.package\nname: other\ndefaultChannel: none\n";
    Snapshot::new(load::from_bytes(text.into_bytes()))
}

fn set(spec: EntrySpec) -> Edit {
    Edit::SetEntry { package: "p".into(), channel: "c".into(), entry: "p.v3.0.0".into(), spec }
}

fn after(before: &Snapshot, edit: &Edit) -> Snapshot {
    before.after(edit::apply(&before.catalog, edit).unwrap())
}

#[test]
fn nothing_differs_from_itself() {
    let state = snapshot();
    assert!(Consequences::between(&state, &state).is_empty());
}

#[test]
fn who_gets_another_successor_is_told_with_both() {
    let before = snapshot();
    let spec = EntrySpec {
        replaces: Some("p.v2.0.0".into()),
        skips: vec!["p.v1.0.0".into()],
        ..EntrySpec::default()
    };
    let moved = Consequences::between(&before, &after(&before, &set(spec))).moved;
    let one = |engine| moved.iter().find(|m| m.engine == engine).unwrap();
    assert_eq!(moved.len(), 2, "{moved:?}");
    for engine in [Engine::Classic, Engine::V1] {
        assert_eq!(one(engine).installed, "p.v1.0.0");
        assert_eq!(one(engine).before.next, Next::To("p.v2.0.0".into()));
        assert_eq!(one(engine).after.next, Next::To("p.v3.0.0".into()));
    }
    assert_eq!(one(Engine::Classic).channel.as_ref().unwrap(), "c");
}

#[test]
fn findings_come_and_go_with_the_edit() {
    let before = snapshot();
    let broken = after(&before, &set(EntrySpec::default()));
    let consequences = Consequences::between(&before, &broken);
    assert!(consequences.new_findings.iter().any(|f| f.rule.id == "multiple-heads"));
    assert!(consequences.fixed_findings.is_empty());
    let back = Consequences::between(&broken, &before);
    assert!(back.fixed_findings.iter().any(|f| f.rule.id == "multiple-heads"));
}

#[test]
fn only_the_edited_package_is_judged_again() {
    let before = snapshot();
    let after = after(&before, &set(EntrySpec::default()));
    assert_eq!(after.touched(&before), [&crate::catalog::PackageName::from("p")]);
    let judged = [before.package("other").unwrap(), after.package("other").unwrap()];
    assert!(std::sync::Arc::ptr_eq(judged[0], judged[1]));
}

#[test]
fn an_entry_taken_out_of_its_channel_changes_what_others_reach() {
    let before = snapshot();
    let edit = Edit::RemoveEntry { package: "p".into(), channel: "c".into(), entry: "p.v3.0.0".into() };
    let moved = Consequences::between(&before, &after(&before, &edit)).moved;
    let stays = |m: &&super::Moved| m.installed == "p.v2.0.0" && m.after.next == Next::Stays;
    assert_eq!(moved.iter().filter(stays).count(), 2, "{moved:?}");
}
