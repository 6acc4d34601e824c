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
    assert_eq!(steps::stored_version_removed(&with(vec![example.clone()])), None);
    let told =
        steps::stored_version_removed(&with(vec![example, refusal("stored version v1 is removed", true)]));
    assert_eq!(told.as_deref(), Some("lamps.example.com: stored version v1 is removed: risk of data loss"));
}

#[test]
fn of_several_the_worst_is_named_and_the_rest_counted() {
    let v1 = vec![refusal("scope changed", false), refusal("spec.size is removed", false)];
    let told = steps::unsafe_v1(&Findings { v1, ..Findings::default() });
    assert_eq!(told.as_deref(), Some("OLM v1 refuses it: lamps.example.com: scope changed; and 1 more"));
    assert_eq!(steps::unsafe_v1(&Findings::default()), None);
    let look = |kind, words: &str| Look { kind, words: words.to_owned(), place: None };
    let looks =
        vec![look(LookKind::WebhookAppears, "a webhook"), look(LookKind::PermissionsGrow, "more pods")];
    let told = steps::permissions_grow(&Findings { looks, ..Findings::default() });
    assert_eq!(told.as_deref(), Some("more pods"));
}
