//! Comparison with the recorded answers of OLM v1's preflight for 718 pairs of CRDs (`crd-upgrade/` in
//! `docs/conformance.md`).

use serde_json::json;

use olm_bundle::crd::{CrdFinding, Validation, compare_crds, parse_pair};

/// Returns a finding in the form of the recorded answers. The texts of two validations are our own.
fn recorded_form(finding: &CrdFinding) -> String {
    let is_ours = matches!(finding.validation, Validation::Unhandled | Validation::OneOf);
    join_fields(
        finding.check.name(),
        finding.reported_version(),
        finding.reported_property(),
        finding.validation.name(),
        if is_ours { "" } else { &finding.message },
    )
}

fn join_fields(
    check: &str,
    version: Option<&str>,
    property: Option<&str>,
    validation: &str,
    message: &str,
) -> String {
    let message = if ["unhandled", "oneOf"].contains(&validation) { "" } else { message };
    let (version, property) = (version.unwrap_or_default(), property.unwrap_or_default());
    format!("{check} | {version} | {property} | {validation} | {message}")
}

fn find_mismatches(file: &str) -> Vec<String> {
    let Some(rows) = olmap_testing::load_json_lines(&format!("crd-upgrade/{file}")) else {
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for expected in rows {
        let pair = json!({"old": expected["old"], "new": expected["new"]}).to_string();
        let [old, new] = parse_pair(pair.as_bytes()).unwrap();
        let comparison = compare_crds(&old, &new).unwrap();
        let theirs = expected["findings"].as_array().unwrap().iter().map(|finding| {
            let field = |key: &str| finding[key].as_str();
            let message = field("message").unwrap_or_default();
            join_fields(
                field("check").unwrap(),
                field("version"),
                field("property"),
                field("validation").unwrap(),
                message,
            )
        });
        let mut theirs: Vec<String> = theirs.collect();
        let mut ours: Vec<String> = comparison.findings.iter().map(recorded_form).collect();
        theirs.sort();
        ours.sort();
        if theirs != ours || expected["ok"] != comparison.is_safe() {
            let missing = theirs.iter().filter(|finding| !ours.contains(finding)).take(3);
            let more = ours.iter().filter(|finding| !theirs.contains(finding)).take(3);
            let told: Vec<_> = missing
                .map(|finding| format!("- {finding}"))
                .chain(more.map(|finding| format!("+ {finding}")))
                .collect();
            wrong.push(format!("{}: {told:#?}", expected["case"]));
        }
    }
    wrong
}

#[test]
fn made_pairs_agree_with_the_preflight() {
    let wrong = find_mismatches("pairs.jsonl");
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

#[test]
fn published_pairs_agree_with_the_preflight() {
    let wrong = find_mismatches("real.jsonl");
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}
