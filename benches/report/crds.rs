//! Benchmarks of a comparison of two CRDs: 30,000 lines against the next release.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use olm_bundle::{
    crd::{Crd, SourceText, compare_crds, group_findings},
    document,
};

use super::{
    BenchContext as Shared,
    measure::{format_ms, goal_verdict, measure_runs},
    table::Table,
};

const RUNS: usize = 15;
/// Time limit for a CRD of 30,000 lines.
const TIME_LIMIT: Duration = Duration::from_millis(50);
/// Number of fields in about 30,000 lines.
const FIELDS: usize = 7_400;

pub fn crds_section(_: &Shared) -> String {
    let (old, same, next) =
        (generate_crd("string", 0), generate_crd("string", 0) + "# a comment\n", generate_crd("string", 1));
    let removed = generate_crd("string", FIELDS / 2);
    let mut table = Table::new(&["what", "findings", "ms", "goal 50"]);
    let mut row = |what: &str, findings: Option<usize>, run: &dyn Fn()| {
        let time = measure_runs(RUNS, |_| run()).median();
        let findings = findings.map(|count| count.to_string()).unwrap_or_default();
        table.add_row([what.to_owned(), findings, format_ms(time), goal_verdict(time, TIME_LIMIT)]);
    };
    row("both read", None, &|| drop((parse_crd(&old), parse_crd(&next))));
    for (what, new) in
        [("the same", &same), ("tightened here and there", &next), ("half of it gone", &removed)]
    {
        let (before, after) = (parse_crd(&old), parse_crd(new));
        let findings = compare_crds(&before, &after).unwrap().findings.len();
        row(&format!("compared: {what}"), Some(findings), &|| drop(compare_crds(&before, &after)));
    }
    row("both read, compared and folded: half of it gone", None, &|| {
        let (before, after) = (parse_crd(&old), parse_crd(&removed));
        assert!(!group_findings(&compare_crds(&before, &after).unwrap().findings).is_empty());
    });
    let (lines, size) = (old.lines().count(), old.len() as f64 / 1e6);
    format!("Each of the two has {lines} lines and {size:.1} MB of YAML.\n\n{}", table.into_markdown())
}

fn parse_crd(text: &str) -> Crd<'_> {
    let document = document::parse_first(text.as_bytes()).unwrap();
    let ground = SourceText::from_file("made.yaml", text.as_bytes());
    Crd::from_node(document.node, Arc::new(ground), document.start).unwrap()
}

/// Generates groups of fields like those of a pod template, in lists and maps. If `changed` is 1, some fields
/// are tightened. A larger value omits that many fields.
fn generate_crd(kind: &str, changed: usize) -> String {
    let mut text = String::from(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ships.example.com\nspec:\n  scope: \
         Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: \
         object\n        properties:\n",
    );
    let left_out = if changed > 1 { changed } else { 0 };
    for field in 0..FIELDS - left_out {
        if field % 20 == 0 {
            let map = if field % 100 == 0 { "additionalProperties" } else { "items" };
            let of = if map == "items" { "array" } else { "object" };
            let _ = write!(
                text,
                "          group{field}:\n            type: {of}\n            {map}:\n              type: object\n              properties:\n"
            );
        }
        let limit = if changed == 1 && field % 50 == 0 { 20 } else { 63 };
        let _ = write!(
            text,
            "                field{field}:\n                  description: What field {field} says, and when to leave it out.\n                  \
             maxLength: {limit}\n                  type: {kind}\n"
        );
    }
    text
}
