use super::super::steps;
use crate::upgrade::safety::{CrdRefusal, Findings, Look, LookKind};

fn refusal(words: &str, is_storage: bool) -> CrdRefusal {
    CrdRefusal {
        crd: "lamps.example.com".to_owned(),
        words: words.to_owned(),
        is_storage,
        more: 0,
        place: None,
        breaks: "".into(),
        advice: "".into(),
    }
}

#[test]
fn only_stored_versions_are_lost_data() {
    let with = |classic| Findings { classic, ..Findings::default() };
    let example = refusal("the old example is no longer valid", false);
    assert_eq!(steps::stored_version_removed(&with(vec![example.clone()])), []);
    let removed = refusal("stored version v1 is removed", true);
    let causes = steps::stored_version_removed(&with(vec![example, removed]));
    assert_eq!(words(&causes), ["lamps.example.com: stored version v1 is removed: risk of data loss"]);
}

fn words(causes: &[steps::Cause]) -> Vec<String> {
    causes.iter().map(ToString::to_string).collect()
}

#[test]
fn every_crd_and_every_gained_permission_is_a_cause() {
    let v1 = vec![
        refusal("scope changed", false),
        CrdRefusal { more: 2, ..refusal("spec.size is removed", false) },
    ];
    let causes = steps::unsafe_v1(&Findings { v1, ..Findings::default() });
    let expected = ["lamps.example.com: scope changed", "lamps.example.com: spec.size is removed and 2 more"];
    assert_eq!(words(&causes), expected);
    assert_eq!(steps::unsafe_v1(&Findings::default()), []);
    let look = |kind, words: &str| Look { kind, words: words.to_owned(), more: 0, place: None };
    let looks =
        vec![look(LookKind::WebhookAppears, "a webhook"), look(LookKind::PermissionsGrow, "more pods")];
    let causes = steps::permissions_grow(&Findings { looks, ..Findings::default() });
    assert_eq!(words(&causes), ["more pods"]);
}
