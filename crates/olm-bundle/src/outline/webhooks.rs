//! Webhooks: their triggers, and the behavior if they are unavailable.

use super::{
    Row,
    contents::{OutlineInput, Piece},
    format::shorten_word,
    keys::RowKeys,
    unseen,
};

/// Fields that the rows of a webhook show.
const SHOWN_FIELDS: [&str; 9] = [
    "type",
    "generateName",
    "deploymentName",
    "webhookPath",
    "failurePolicy",
    "sideEffects",
    "containerPort",
    "conversionCRDs",
    "rules",
];

pub(super) fn webhook_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut keys = RowKeys::default();
    let mut rows = Vec::new();
    for webhook in bundle.csv_items(&["spec", "webhookdefinitions"]) {
        let kind = webhook.child_text(&["type"]);
        let name = webhook.child_text(&["generateName"]);
        let head = Row::new(
            format!("{} {}", shorten_word(&kind), shorten_word(&name)),
            name.as_ref(),
            kind.as_ref(),
        )
        .with_hidden_hash(unseen::hash_without(webhook.node, &SHOWN_FIELDS))
        .with_location(webhook.location());
        let head = keys.make_unique(head);
        let key = head.key.clone();
        let of = |label: &str| format!("{key} {label}");
        rows.push(head);
        let mut fact = |label: &str, path: &[&str], default: &'static str| {
            let piece = webhook.child(path);
            let text = piece.map(|piece| piece.child_text(&[])).unwrap_or_default();
            let value = if text.is_empty() { default.into() } else { text };
            if !value.is_empty() {
                rows.push(
                    Row::new(of(label), label, value)
                        .with_level(1)
                        .with_location(piece.and_then(Piece::location)),
                );
            }
        };
        fact("deployment", &["deploymentName"], "");
        fact("path", &["webhookPath"], "");
        if kind != "ConversionWebhook" {
            fact("failure policy", &["failurePolicy"], "Fail (default)");
        }
        fact("side effects", &["sideEffects"], "");
        fact("container port", &["containerPort"], "443 (default)");
        let crds = webhook.child_texts(&["conversionCRDs"]);
        if !crds.is_empty() {
            let spot = webhook.child(&["conversionCRDs"]).and_then(Piece::location);
            rows.push(
                Row::new(of("converts"), "converts", crds.join(", ")).with_level(1).with_location(spot),
            );
        }
        for rule in webhook.child_items(&["rules"]) {
            let words = |key: &str| {
                let all = rule.child_texts(&[key]);
                all.iter()
                    .map(|text| if text.is_empty() { "core" } else { text })
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let what = format!("{} ({} {})", words("resources"), words("apiGroups"), words("apiVersions"));
            let row = Row::new(of(&what), "called for", format!("{} of {what}", words("operations")));
            rows.push(row.with_level(1).with_location(rule.location()));
        }
    }
    rows
}
