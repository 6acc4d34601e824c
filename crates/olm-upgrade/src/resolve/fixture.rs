//! Clusters for tests, written as lines.

#![allow(clippy::format_push_string)] // plain enough for tests

use std::{collections::BTreeMap, sync::Arc};

use super::{Answer, CatalogIndex, InstalledCsv, Limits, Question, Source, SourceKey, Subscription, resolve};
use olm_catalog::{Catalog, load};

/// Returns the documents of a catalog from lines of
/// `PACKAGE[:CHANNEL] VERSION [replaces=V] [skips=V] [needs=PACKAGE:RANGE] [gives=KIND] [asks=KIND] [cel=RULE] [deprecated]`.
/// The default for a channel is `stable`, and the first channel of a package is its default channel. `_` in a
/// range or rule is a blank. The first line of a bundle defines its properties.
pub fn build_documents(lines: &str) -> Vec<String> {
    let mut packages: BTreeMap<&str, &str> = BTreeMap::new();
    let mut channels: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let mut bundles: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let package = words.next().unwrap();
        let (package, channel) = package.split_once(':').unwrap_or((package, "stable"));
        let version = words.next().unwrap();
        packages.entry(package).or_insert(channel);
        let entries = channels.entry((package, channel)).or_default();
        *entries += &format!("- name: {package}.v{version}\n");
        let mut properties = String::new();
        let mut property =
            |kind: &str, value: String| properties += &format!("- type: {kind}\n  value: {value}\n");
        let api = |kind: &str| format!("{{group: ex.io, version: v1, kind: {kind}}}");
        for word in words {
            match word.split_once('=').unwrap_or((word, "")) {
                ("replaces", of) => *entries += &format!("  replaces: {package}.v{of}\n"),
                ("skips", of) => *entries += &format!("  skips: [{package}.v{of}]\n"),
                ("needs", of) => {
                    let (name, range) = of.split_once(':').unwrap();
                    let range = range.replace('_', " ");
                    property(
                        "olm.package.required",
                        format!("{{packageName: {name}, versionRange: '{range}'}}"),
                    );
                }
                ("gives", kind) => property("olm.gvk", api(kind)),
                ("asks", kind) => property("olm.gvk.required", api(kind)),
                ("cel", rule) => {
                    property("olm.constraint", format!("{{cel: {{rule: \"{}\"}}}}", rule.replace('_', " ")));
                }
                ("label", label) => property("olm.label", format!("{{label: {label}}}")),
                ("deprecated", _) => property("olm.deprecated", "{}".to_owned()),
                _ => panic!("{word}"),
            }
        }
        bundles.entry((package, version)).or_insert(properties);
    }
    let mut documents = Vec::new();
    for (package, channel) in packages {
        documents.push(format!("---\nschema: olm.package\nname: {package}\ndefaultChannel: {channel}\n"));
    }
    for ((package, channel), entries) in channels {
        documents.push(format!(
            "---\nschema: olm.channel\npackage: {package}\nname: {channel}\nentries:\n{entries}"
        ));
    }
    for ((package, version), properties) in bundles {
        documents.push(format!(
            "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: ex.io/{package}:v{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: {package}, version: {version}}}\n{properties}"
        ));
    }
    documents
}

/// Loads a catalog from documents.
pub fn load_catalog(documents: &[String]) -> Catalog {
    let catalog = load::from_bytes(documents.concat().into_bytes());
    assert!(!catalog.has_unread_parts(), "{:?}", catalog.problems());
    catalog
}

/// Makes a cluster with the catalog `c`.
pub fn build_cluster(lines: &str) -> Question {
    Question::new(vec![build_source("c", lines)])
}

/// Makes a catalog of a cluster.
pub fn build_source(name: &str, lines: &str) -> Source {
    Source::new(name, &Arc::new(CatalogIndex::new(&load_catalog(&build_documents(lines)))))
}

/// Adds a subscription, `PACKAGE[:CHANNEL]`, with its installed version.
pub fn with_subscription(mut question: Question, to: &str, installed: Option<&str>) -> Question {
    let (package, channel) = to.split_once(':').unwrap_or((to, "stable"));
    let name = installed.map(|version| format!("{package}.v{version}"));
    if let Some(name) = &name {
        question = with_installed(question, name);
    }
    question.subscriptions.push(Subscription {
        name: package.to_owned(),
        package: package.into(),
        channel: Some(channel.into()).filter(|_| channel != "*"),
        catalog: SourceKey::global("c"),
        starting_csv: None,
        installed: name.map(Into::into),
    });
    question
}

/// Adds an installed bundle.
pub fn with_installed(mut question: Question, name: &str) -> Question {
    let index = &question.sources.first().unwrap().index;
    let csv = InstalledCsv::from_bundle(index, index.find_bundle(name).unwrap()).unwrap();
    question.installed.push(csv);
    question
}

/// Returns the installed bundles and new subscriptions, or the reasons for a failure.
pub fn resolve_names(question: &Question) -> Result<(Vec<String>, Vec<String>), Vec<String>> {
    let Answer { outcome, subscriptions, why, .. } = resolve(question, Limits::default());
    let picks = outcome.map_err(|_| why)?;
    let name = |pick: &super::Pick| match &pick.replaces {
        Some(from) if pick.is_upgrade => format!("{from} to {}", pick.bundle),
        _ => pick.bundle.to_string(),
    };
    Ok((picks.iter().map(name).collect(), subscriptions.into_iter().map(|new| new.name).collect()))
}
