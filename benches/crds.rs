//! Two CRDs compared: one of 30,000 lines against the next release of itself, read from YAML each time, and without reading.
//!
//! `cargo bench --bench crds`. Each figure is the median of a few runs; reading both is the measure beside it.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::{
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use olmap::bundle::{
    crd::{Crd, Ground, compare, groups},
    document,
};

const RUNS: usize = 15;
/// How many fields make about 30,000 lines.
const FIELDS: usize = 7_400;

fn main() {
    let (old, same, next) = (made("string", 0), made("string", 0) + "# a comment\n", made("string", 1));
    let removed = made("string", FIELDS / 2);
    println!("{} lines, {:.1} MB", old.lines().count(), old.len() as f64 / 1e6);
    row("both read", median(|| drop((read(&old), read(&next)))));
    for (what, new) in
        [("the same", &same), ("tightened here and there", &next), ("half of it gone", &removed)]
    {
        let (before, after) = (read(&old), read(new));
        let findings = compare(&before, &after).unwrap().findings.len();
        row(&format!("compared: {what}, {findings} findings"), median(|| drop(compare(&before, &after))));
    }
    row(
        "read, compared and folded",
        median(|| {
            let (before, after) = (read(&old), read(&removed));
            assert!(!groups(&compare(&before, &after).unwrap().findings).is_empty());
        }),
    );
}

fn row(what: &str, time: Duration) {
    println!("{what:<60} {:>8.1} ms", time.as_secs_f64() * 1e3);
}

fn read(text: &str) -> Crd<'_> {
    let document = document::first(text.as_bytes()).unwrap();
    let ground = Ground::file("made.yaml", text.as_bytes());
    Crd::read(document.node, Arc::new(ground), document.start).unwrap()
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

/// Groups of fields as a pod template has them, in lists and maps. `changed` 1 tightens some; more leaves out so many.
fn made(kind: &str, changed: usize) -> String {
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
