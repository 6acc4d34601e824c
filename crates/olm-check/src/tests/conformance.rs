//! Comparison with verdicts of opm, and checks of published catalogs.

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use rayon::prelude::*;

use super::{all_findings, assert_distinct_keys, format_finding, open_test_catalog};
use crate::{Severity, rules};
use olm_catalog::load;
use olm_upgrade::PackageGraph;

#[test]
fn verdicts_are_those_of_opm() {
    let Some(rows) = olmap_testing::load_json_lines("validate/expected.jsonl") else { return };
    let Some(cases) = olmap_testing::find_data("validate/cases") else { return };
    let differences: Vec<String> = rows
        .par_iter()
        .filter_map(|row| {
            let case = row["case"].as_str().unwrap();
            let path = cases.join(case);
            let (accepted, found) = match load::open_catalog(path) {
                Ok(catalog) => {
                    let found = all_findings(&catalog);
                    assert_distinct_keys(&catalog, &found);
                    (crate::is_accepted(&found), found.iter().map(|f| format_finding(&catalog, f)).collect())
                }
                Err(error) => (false, vec![error.to_string()]),
            };
            (accepted != row["valid"].as_bool().unwrap())
                .then(|| format!("{case}: opm says {}; we {}", row["opm"], found.join("; ")))
        })
        .collect();
    assert!(differences.is_empty(), "{} of {}:\n{}", differences.len(), rows.len(), differences.join("\n"));
}

#[test]
fn generated_catalogs_pass() {
    let Some(folder) = olmap_testing::find_data("random/cases") else { return };
    let cases: Vec<PathBuf> = olmap_testing::list_names_with_suffix("random/cases", "")
        .iter()
        .map(|case| folder.join(case))
        .collect();
    let refused = cases.par_iter().filter_map(|case| {
        let catalog = open_test_catalog(case);
        let found = all_findings(&catalog);
        let errors: Vec<_> =
            found.iter().filter(|f| f.rule.parity).map(|f| format_finding(&catalog, f)).collect();
        (!errors.is_empty()).then(|| format!("{}: {}", case.display(), errors.join("; ")))
    });
    assert_eq!(refused.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Published catalogs pass opm, and other findings must be useful to their maintainers. Run with
/// `--nocapture` to read them.
#[test]
fn published_catalogs_pass() {
    let catalogs = olmap_testing::published_catalogs();
    let mut counts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, (release, path)) in catalogs.iter().enumerate() {
        let catalog = open_test_catalog(path);
        let found = all_findings(&catalog);
        assert_distinct_keys(&catalog, &found);
        let errors: Vec<_> =
            found.iter().filter(|f| f.rule.parity).map(|f| format_finding(&catalog, f)).collect();
        assert!(errors.is_empty(), "{release}: {errors:#?}");
        for finding in &found {
            counts.entry(finding.rule.id).or_insert_with(|| vec![0; catalogs.len()])[index] += 1;
            println!("{release} {:?} {}", finding.severity(), format_finding(&catalog, finding));
            finding.related.iter().for_each(|related| println!("        {}", related.message));
            println!("        help: {}", finding.advice());
        }
        let slowest = catalog
            .packages()
            .map(|package| {
                let graph = PackageGraph::new(package);
                let start = Instant::now();
                let around = crate::CatalogContext::from_catalog(&catalog);
                crate::check_package(&around, &graph, &around.resolve_package(&package.name));
                (start.elapsed(), package.name.as_str(), package.bundles.len())
            })
            .max();
        println!("{release}: slowest {slowest:?}");
    }
    for rule in rules::ALL.iter().filter(|rule| rule.severity != Severity::Error) {
        println!("{:28} {:?}", rule.id, counts.get(rule.id));
    }
}
