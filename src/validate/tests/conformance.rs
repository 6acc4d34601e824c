//! The verdicts of the real opm, and real catalogs.

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use rayon::prelude::*;
use serde_json::Value;

use super::{findings, line, open};
use crate::{
    catalog::load,
    upgrade::PackageGraph,
    validate::{self, Severity, rules},
};

#[test]
fn verdicts_are_those_of_opm() {
    let Some(data) = crate::conformance::data() else { return };
    let expected = std::fs::read_to_string(data.join("validate/expected.jsonl")).unwrap();
    let rows: Vec<Value> = expected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let differences: Vec<String> = rows
        .par_iter()
        .filter_map(|row| {
            let case = row["case"].as_str().unwrap();
            let path = data.join("validate/cases").join(case);
            let (accepted, found) = match load::open(&path, &load::Progress::default()) {
                Ok(catalog) => {
                    let found = findings(&catalog);
                    (validate::accepted(&found), found.iter().map(|f| line(&catalog, f)).collect())
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
    let Some(data) = crate::conformance::data() else { return };
    let cases: Vec<PathBuf> =
        std::fs::read_dir(data.join("random/cases")).unwrap().map(|case| case.unwrap().path()).collect();
    let refused = cases.par_iter().filter_map(|case| {
        let catalog = open(case);
        let found = findings(&catalog);
        let errors: Vec<_> = found.iter().filter(|f| f.rule.parity).map(|f| line(&catalog, f)).collect();
        (!errors.is_empty()).then(|| format!("{}: {}", case.display(), errors.join("; ")))
    });
    assert_eq!(refused.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Published catalogs pass opm, and what else is said of them must be worth their maintainers' time: run with
/// `--nocapture` to read it.
#[test]
fn published_catalogs_pass() {
    let Some(data) = crate::conformance::data() else { return };
    let mut counts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, release) in ["v4.18", "v4.20", "v4.22"].into_iter().enumerate() {
        let catalog = open(&data.join("repo/catalogs").join(release));
        let found = findings(&catalog);
        let errors: Vec<_> = found.iter().filter(|f| f.rule.parity).map(|f| line(&catalog, f)).collect();
        assert!(errors.is_empty(), "{release}: {errors:#?}");
        for finding in &found {
            counts.entry(finding.rule.id).or_insert_with(|| vec![0; 3])[index] += 1;
            println!("{release} {:?} {}", finding.severity(), line(&catalog, finding));
            finding.related.iter().for_each(|related| println!("        {}", related.message));
            println!("        help: {}", finding.advice());
        }
        let slowest = catalog
            .packages()
            .map(|package| {
                let graph = PackageGraph::new(package);
                let start = Instant::now();
                let around = validate::Surroundings::of(&catalog);
                validate::package(&around, &graph, &around.standings(&package.name));
                (start.elapsed(), package.name.as_str(), package.bundles.len())
            })
            .max();
        println!("{release}: slowest {slowest:?}");
    }
    for rule in rules::ALL.iter().filter(|rule| rule.severity != Severity::Error) {
        println!("{:28} {:?}", rule.id, counts.get(rule.id));
    }
}
