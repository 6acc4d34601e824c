//! Comparison with recorded answers of the real resolver (`v1-catalogs/` in `docs/conformance.md`).

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::{
    CatalogProperties, ClusterAnswer, ClusterCandidate, ClusterCatalogs, ClusterMember, ClusterQuery,
    ClusterResolver, InstalledMetadata, LabelSelector, MemberContent,
};
use crate::v1::{Policy, Query};
use olm_catalog::load;

/// Contents of catalogs by path.
type Contents = HashMap<String, MemberContent>;

fn text(row: &Json, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

fn row_list<'j>(row: &'j Json, key: &str) -> &'j [Json] {
    row[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn load_contents(rows: &[Json], base: &Path) -> Contents {
    let catalogs = rows.iter().flat_map(|row| row_list(row, "catalogs"));
    let mut paths: Vec<String> = catalogs.map(|catalog| text(catalog, "path")).collect();
    paths.sort();
    paths.dedup();
    let load = |path: String| {
        let catalog = load::open_catalog(base.join(&path)).unwrap();
        (path, MemberContent::from_catalog(catalog))
    };
    paths.into_par_iter().map(load).collect()
}

fn build_catalogs(row: &Json, contents: &Contents) -> ClusterCatalogs {
    let members = row_list(row, "catalogs").iter().map(|catalog| {
        let labels: BTreeMap<String, String> = match &catalog["labels"] {
            Json::Null => BTreeMap::new(),
            labels => serde_json::from_value(labels.clone()).unwrap(),
        };
        let is_available = catalog["unavailable"] != true;
        let priority = i32::try_from(catalog["priority"].as_i64().unwrap_or_default()).unwrap();
        let properties = CatalogProperties { name: text(catalog, "name"), priority, labels, is_available };
        let content = is_available.then(|| contents[&text(catalog, "path")].clone());
        ClusterMember { properties: Arc::new(properties), content }
    });
    ClusterCatalogs::from_members(members.collect()).unwrap()
}

fn build_query(row: &Json) -> ClusterQuery {
    let query = Query {
        channels: row_list(row, "channels").iter().map(|name| name.as_str().unwrap().into()).collect(),
        version: text(row, "version"),
        policy: match row["policy"].as_str() {
            Some("SelfCertified") => Policy::SelfCertified,
            _ => Policy::CatalogProvided,
        },
    };
    let selector = match &row["selector"] {
        Json::Null => LabelSelector::default(),
        selector => serde_json::from_value(selector.clone()).unwrap(),
    };
    ClusterQuery { query, selector }
}

fn answer_json(answer: &ClusterAnswer) -> Json {
    let pick = answer.pick.as_ref();
    let error = answer.error.as_ref().map(|error| match error.catalogs() {
        Some(names) => json!({ "kind": error.kind(), "catalogs": names }),
        None => json!({ "kind": error.kind() }),
    });
    json!({
        "pick": pick.map(|pick| pick.bundle_name().as_str()),
        "version": pick.and_then(ClusterCandidate::version_text),
        "catalog": pick.map(|pick| &pick.catalog.name),
        "error": error,
    })
}

/// Returns the recorded answer with sorted catalogs, and only for errors that name them.
fn expected_json(row: &Json) -> Json {
    let mut answer = row["answer"].clone();
    if let Some(error) = answer["error"].as_object_mut() {
        if matches!(error["kind"].as_str(), Some("ambiguous" | "unreadable-catalog")) {
            let mut names: Vec<String> = serde_json::from_value(error["catalogs"].clone()).unwrap();
            names.sort();
            error["catalogs"] = json!(names);
        } else {
            error.remove("catalogs");
        }
    }
    answer
}

/// Returns the difference to the recorded answer of a row, if there is one.
fn difference(row: &Json, contents: &Contents) -> Option<String> {
    let package = build_catalogs(row, contents).find_package(&text(row, "package").as_str().into());
    let installed = row["installed"].is_object().then(|| InstalledMetadata {
        name: text(&row["installed"], "name").as_str().into(),
        version: text(&row["installed"], "version"),
    });
    let answer = ClusterResolver::from_query(&package, &build_query(row)).resolve(installed.as_ref());
    let (actual, expected) = (answer_json(&answer), expected_json(row));
    let stays = row["stays"].as_bool().filter(|_| answer.error.is_some());
    let is_same = actual == expected && stays.is_none_or(|stays| stays == answer.stays);
    (!is_same).then(|| format!("{}: {actual} stays {}, not {expected}: {row}", row["case"], answer.stays))
}

#[test]
fn catalogs_of_a_cluster_agree_with_the_reference() {
    let Some(rows) = olmap_testing::load_json_lines("v1-catalogs/rows.jsonl") else { return };
    let Some(data) = olmap_testing::data_dir() else { return };
    let contents = load_contents(&rows, &data);
    let wrong: Vec<String> = rows.par_iter().filter_map(|row| difference(row, &contents)).collect();
    let shown = wrong.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {}:\n{shown}", wrong.len(), rows.len());
}
