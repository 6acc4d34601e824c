//! Comparison with recorded answers of the real resolver (`dependencies/` in `docs/conformance.md`).

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use rayon::prelude::*;
use serde_json::Value as Json;

use super::{
    Answer, CatalogIndex, InstalledCsv, Limits, NewSubscription, Pick, Question, Source, SourceKey,
    Subscription, checker, question::GLOBAL_NAMESPACE, resolve,
};
use olm_catalog::load;
use olm_version::Version;

/// Catalogs by path.
type Catalogs = HashMap<String, Arc<CatalogIndex>>;

fn optional_text(row: &Json, key: &str) -> Option<String> {
    row[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn required_text(row: &Json, key: &str) -> String {
    optional_text(row, key).unwrap_or_default()
}

fn row_list<'j>(row: &'j Json, key: &str) -> &'j [Json] {
    row[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A later module checks whether a catalog can be served, so the reference's answer decides here.
fn build_source(row: &Json, catalogs: &Catalogs, error: &str) -> Source {
    let index = &catalogs[row["path"].as_str().unwrap()];
    let namespace = optional_text(row, "namespace").unwrap_or_else(|| GLOBAL_NAMESPACE.to_owned());
    let named = format!("error using catalogsource {namespace}/{}: ", required_text(row, "name"));
    Source {
        key: SourceKey { name: required_text(row, "name"), namespace },
        priority: row["priority"].as_i64().unwrap_or_default(),
        index: Arc::clone(index),
        fault: error.contains(&named).then(|| "as the reference says".to_owned()),
    }
}

fn build_installed(row: &Json, question: &Question, wanted: &[Json]) -> InstalledCsv {
    let name = required_text(row, "name");
    let version = optional_text(row, "version").map(|version| Version::parse_tolerant(&version).unwrap());
    let mut csv = if row["properties"].is_array() {
        let properties =
            row_list(row, "properties").iter().map(|p| (required_text(p, "type"), p["value"].to_string()));
        InstalledCsv::with_properties(name.as_str().into(), version, &properties.collect::<Vec<_>>())
    } else {
        let catalog = optional_text(row, "catalog");
        let is_meant = |source: &&Source| catalog.as_ref().is_none_or(|catalog| *catalog == source.key.name);
        let found =
            question.sources.iter().filter(is_meant).find_map(|source| {
                InstalledCsv::from_bundle(&source.index, source.index.find_bundle(&name)?)
            });
        let package = wanted.iter().find(|wanted| wanted["installed"] == name.as_str());
        let mut found = found.unwrap_or_else(|| match package {
            Some(wanted) => InstalledCsv::from_package(
                name.as_str().into(),
                None,
                &required_text(wanted, "package").into(),
            ),
            None => InstalledCsv::with_properties(name.as_str().into(), None, &[]),
        });
        if version.is_some() {
            Arc::get_mut(&mut found.facts).unwrap().version = version;
        }
        found
    };
    csv.phase = required_text(row, "phase");
    csv.replaces = optional_text(row, "replaces").map(Into::into);
    csv
}

fn build_question(row: &Json, catalogs: &Catalogs) -> Question {
    let error = required_text(row, "error");
    let sources = row_list(row, "catalogs").iter().map(|of| build_source(of, catalogs, &error)).collect();
    let mut question = Question::new(sources);
    question.excludes_global = row["excludeGlobal"] == true;
    question.fails_forward = row["upgradeStrategy"] == "TechPreviewUnsafeFailForward";
    let wanted = row_list(row, "subscriptions");
    question.installed =
        row_list(row, "installed").iter().map(|csv| build_installed(csv, &question, wanted)).collect();
    let subscription = |wanted: &Json| {
        let catalog = required_text(wanted, "catalog");
        let own = question.sources.iter().find(|source| source.key.name == catalog);
        let namespace =
            optional_text(wanted, "catalogNamespace").or_else(|| Some(own?.key.namespace.clone()));
        Subscription {
            name: required_text(wanted, "name"),
            package: required_text(wanted, "package").into(),
            channel: optional_text(wanted, "channel").map(Into::into),
            catalog: SourceKey {
                name: catalog,
                namespace: namespace.unwrap_or_else(|| GLOBAL_NAMESPACE.to_owned()),
            },
            starting_csv: optional_text(wanted, "startingCSV").map(Into::into),
            installed: optional_text(wanted, "installed").map(Into::into),
        }
    };
    question.subscriptions = wanted.iter().map(subscription).collect();
    question
}

/// Returns the expected installations and subscriptions as sorted lines.
fn expected_lines(row: &Json) -> [Vec<String>; 2] {
    let of = |key: &str, fields: &[&str]| {
        let words =
            |one: &Json| fields.iter().map(|field| required_text(one, field)).collect::<Vec<_>>().join(" ");
        let mut all: Vec<String> = row_list(row, key).iter().map(words).collect();
        all.sort();
        all
    };
    [
        of("result", &["package", "channel", "bundle", "catalog", "replaces"]),
        of("new_subscriptions", &["name", "package", "channel", "catalog", "startingCSV"]),
    ]
}

fn actual_lines(answer: &Answer) -> [Vec<String>; 2] {
    let pick = |pick: &Pick| {
        let replaces = pick.replaces.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{} {} {} {} {replaces}", pick.package, pick.channel, pick.bundle, pick.catalog)
    };
    let new = |new: &NewSubscription| {
        format!("{} {} {} {} {}", new.name, new.package, new.channel, new.catalog, new.starting_csv)
    };
    let mut all = [
        answer.picks().iter().map(pick).collect::<Vec<_>>(),
        answer.subscriptions.iter().map(new).collect::<Vec<_>>(),
    ];
    for words in &mut all {
        words.sort();
    }
    all
}

/// Returns the difference to the expected answer of a row, if there is one.
fn difference(row: &Json, catalogs: &Catalogs) -> Option<String> {
    let question = build_question(row, catalogs);
    let answer = resolve(&question, Limits { stability: 0, ..Limits::default() });
    let fault = match &answer.outcome {
        Err(_) if row["error"].is_string() => {
            answer.why.iter().all(|line| line.trim().is_empty()).then(|| "an error without a why".to_owned())
        }
        Err(_) => Some(format!("{:?}", answer.why)),
        Ok(_) if row["error"].is_string() => Some(format!("{:?} and no error", actual_lines(&answer))),
        Ok(picks) => {
            let broken = checker::violations(&question, picks);
            let is_good = actual_lines(&answer) == expected_lines(row) && broken.is_empty();
            (!is_good)
                .then(|| format!("{:?}, not {:?}; {broken:?}", actual_lines(&answer), expected_lines(row)))
        }
    };
    fault.map(|fault| format!("{} {}: {fault}", row["case"], row["subscriptions"]))
}

fn load_catalogs(rows: &[Json], base: &Path) -> Catalogs {
    let paths =
        rows.iter().flat_map(|row| row_list(row, "catalogs")).map(|catalog| required_text(catalog, "path"));
    let paths: BTreeSet<String> = paths.collect();
    let read = |path: String| {
        let at = base.join(&path);
        let catalog = if at.is_dir() {
            load::open_catalog(&at).unwrap()
        } else {
            load::from_bytes(std::fs::read(at).unwrap())
        };
        (path, Arc::new(CatalogIndex::new(&catalog)))
    };
    paths.into_par_iter().map(read).collect()
}

#[test]
fn namespaces_agree_with_the_reference() {
    let Some(rows) = olmap_testing::load_json_lines("dependencies/resolve.jsonl") else { return };
    let Some(data) = olmap_testing::find_data("dependencies") else { return };
    let catalogs = load_catalogs(&rows, &data);
    let wrong: Vec<String> = rows.par_iter().filter_map(|row| difference(row, &catalogs)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn channels_of_published_catalogs_agree_with_the_reference() {
    let Some(data) = olmap_testing::data_dir() else { return };
    for name in olmap_testing::list_names_with_suffix("dependencies/real", ".jsonl") {
        let rows = olmap_testing::load_json_lines(&format!("dependencies/real/{name}.jsonl")).unwrap();
        let catalogs = load_catalogs(&rows, &data);
        let wrong: Vec<String> = rows.par_iter().filter_map(|row| difference(row, &catalogs)).collect();
        assert!(wrong.is_empty(), "{name}: {} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    }
}
