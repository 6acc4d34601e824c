//! Two files of CRDs, separated by a zero byte. Comparing them in both directions never panics. Each finding
//! has a location inside its file, and replacing a CRD by itself is safe.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_bundle::crd::{CrdFinding, CrdLocation, CrdSet, compare_sets, group_findings, parse_pair};

fuzz_target!(|bytes: &[u8]| {
    let _ = parse_pair(bytes);
    let mut files = bytes.splitn(2, |byte| *byte == 0);
    let (old, new) = (files.next().unwrap_or_default(), files.next().unwrap_or_default());
    let [old_set, new_set] =
        [("old.yaml", old), ("new.yaml", new)].map(|(name, text)| CrdSet::from_file(name, text));
    let is_inside = |place: &CrdLocation| {
        let text = if &*place.file == "old.yaml" { old } else { new };
        place.line <= 1 + text.iter().filter(|byte| **byte == b'\n').count()
    };
    for (one, other) in [(&old_set, &new_set), (&new_set, &old_set), (&new_set, &new_set)] {
        for compared in compare_sets(one, other).crds {
            let Ok(comparison) = &compared.v1 else { continue };
            let places = |finding: &CrdFinding| [finding.old.clone(), finding.new.clone()];
            let mut places = comparison.findings.iter().flat_map(places).flatten();
            assert!(places.all(|place| is_inside(&place)), "{comparison:?}");
            let _ = (group_findings(&comparison.findings), compared.classic.refuses());
        }
    }
});
