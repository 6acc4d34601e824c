//! Webhooks: their triggers, and the behavior if they are unavailable.

use super::{
    Row,
    contents::{BundleContents, Piece},
    format::short,
    keys::Keys,
    unseen,
};

/// Fields that the rows of a webhook show.
const SHOWN: [&str; 9] = [
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

pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let mut keys = Keys::default();
    let mut rows = Vec::new();
    for webhook in bundle.items(&["spec", "webhookdefinitions"]) {
        let kind = webhook.text(&["type"]);
        let name = webhook.text(&["generateName"]);
        let head = Row::new(format!("{} {}", short(&kind), short(&name)), name.as_ref(), kind.as_ref())
            .unseen(unseen::hash_without(webhook.node, &SHOWN))
            .at(webhook.spot());
        let head = keys.make_unique(head);
        let key = head.key.clone();
        let of = |label: &str| format!("{key} {label}");
        rows.push(head);
        let mut fact = |label: &str, path: &[&str], default: &'static str| {
            let piece = webhook.at(path);
            let text = piece.map(|piece| piece.text(&[])).unwrap_or_default();
            let value = if text.is_empty() { default.into() } else { text };
            if !value.is_empty() {
                rows.push(Row::new(of(label), label, value).level(1).at(piece.and_then(Piece::spot)));
            }
        };
        fact("deployment", &["deploymentName"], "");
        fact("path", &["webhookPath"], "");
        if kind != "ConversionWebhook" {
            fact("failure policy", &["failurePolicy"], "Fail (default)");
        }
        fact("side effects", &["sideEffects"], "");
        fact("container port", &["containerPort"], "443 (default)");
        let crds = webhook.texts(&["conversionCRDs"]);
        if !crds.is_empty() {
            let spot = webhook.at(&["conversionCRDs"]).and_then(Piece::spot);
            rows.push(Row::new(of("converts"), "converts", crds.join(", ")).level(1).at(spot));
        }
        for rule in webhook.list(&["rules"]) {
            let words = |key: &str| {
                let all = rule.texts(&[key]);
                all.iter()
                    .map(|text| if text.is_empty() { "core" } else { text })
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let what = format!("{} ({} {})", words("resources"), words("apiGroups"), words("apiVersions"));
            let row = Row::new(of(&what), "called for", format!("{} of {what}", words("operations")));
            rows.push(row.level(1).at(rule.spot()));
        }
    }
    rows
}
