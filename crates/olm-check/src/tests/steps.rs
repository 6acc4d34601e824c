use super::super::steps;
use olm_bundle::step::{Judgement, OlmJudgement, Reason, ReasonKind};
use olm_upgrade::{
    Engine,
    safety::{Advisory, AdvisoryKind, Findings},
};

fn refusal_reason(kind: ReasonKind, words: &str) -> Reason {
    Reason::refusal(kind, "CustomResourceDefinition/lamps.example.com", words)
}

fn findings_with_reasons(classic: Vec<Reason>, v1: Vec<Reason>) -> Findings {
    let olm = |reasons| OlmJudgement { reasons, not_checked: Vec::new() };
    Findings {
        step: Judgement { classic: olm(classic), v1: olm(v1), is_v1_moot: false },
        ..Findings::default()
    }
}

#[test]
fn reports_data_loss_only_for_stored_versions() {
    let with = |classic| findings_with_reasons(classic, Vec::new());
    let example = refusal_reason(ReasonKind::CrdUnsafe, "the old example is no longer valid");
    assert_eq!(steps::stored_version_removed(&with(vec![example.clone()])), []);
    let removed = refusal_reason(ReasonKind::StoredVersionRemoved, "stored version v1 is removed");
    let causes = steps::stored_version_removed(&with(vec![example, removed]));
    assert_eq!(cause_texts(&causes), ["lamps.example.com: stored version v1 is removed: risk of data loss"]);
}

fn cause_texts(causes: &[steps::StepCause]) -> Vec<String> {
    causes.iter().map(ToString::to_string).collect()
}

#[test]
fn every_crd_and_every_gained_permission_is_a_cause() {
    let v1 = vec![
        refusal_reason(ReasonKind::CrdUnsafe, "scope changed"),
        Reason { more: 2, ..refusal_reason(ReasonKind::CrdUnsafe, "spec.size is removed") },
    ];
    let causes = steps::crd_changes_refused_by_v1(&findings_with_reasons(Vec::new(), v1));
    let expected = ["lamps.example.com: scope changed", "lamps.example.com: spec.size is removed and 2 more"];
    assert_eq!(cause_texts(&causes), expected);
    assert_eq!(steps::crd_changes_refused_by_v1(&Findings::default()), []);
    let look = |kind, words: &str| Advisory { kind, words: words.to_owned(), more: 0, place: None };
    let looks = vec![
        look(AdvisoryKind::WebhookAppears, "a webhook"),
        look(AdvisoryKind::PermissionsGrow, "more pods"),
    ];
    let causes = steps::permissions_grow(&Findings { looks, ..Findings::default() });
    assert_eq!(cause_texts(&causes), ["more pods"]);
}

#[test]
fn refusal_by_both_olms_is_one_cause() {
    let selector = Reason::refusal(ReasonKind::ImmutableField, "Deployment/lamp", "selector changes");
    let monitor = Reason::refusal(ReasonKind::UnsupportedObject, "PodMonitor/lamp", "not installed");
    let never = Reason::refusal(ReasonKind::InstallModeMissing, "ClusterServiceVersion/lamp", "no mode");
    let classic = vec![selector.clone(), monitor];
    let causes = steps::refusal_causes(&findings_with_reasons(
        classic,
        vec![selector, refusal_reason(ReasonKind::CrdUnsafe, "x"), never],
    ));
    let expected = [
        "OLM Classic and OLM v1 refuse Deployment lamp, selector changes",
        "OLM Classic refuses PodMonitor lamp, not installed",
    ];
    assert_eq!(cause_texts(&causes), expected);
    assert_eq!([causes[0].engine, causes[1].engine], [None, Some(Engine::Classic)]);
}

#[test]
fn conversion_without_a_webhook_is_one_cause() {
    let look =
        Reason::look_reason(ReasonKind::ConversionWithoutWebhook, "CustomResourceDefinition/a.b", "asks");
    let causes = steps::conversion_without_webhook(&findings_with_reasons(vec![look.clone()], vec![look]));
    assert_eq!(cause_texts(&causes), ["a.b: asks"]);
    assert_eq!(steps::conversion_without_webhook(&Findings::default()), []);
}

#[test]
fn removed_served_version_is_a_cause_unless_objects_were_stored_in_it() {
    let look = |kind, words: &str| Advisory { kind, words: words.to_owned(), more: 0, place: None };
    let looks = vec![
        look(AdvisoryKind::ServedVersionGoes, "version v1beta1 of Lamp is removed; it was served"),
        look(AdvisoryKind::ApiGoes, "version v1alpha1 of Lamp is no longer served"),
    ];
    let causes = steps::served_version_removed(&Findings { looks, ..Findings::default() });
    assert_eq!(cause_texts(&causes), ["version v1beta1 of Lamp is removed; it was served"]);
}
