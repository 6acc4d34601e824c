//! Queries as JSON lines, with the full detail of a cluster.

use std::{cell::Cell, collections::BTreeMap, path::Path, sync::Arc};

use serde::{Deserialize, de::IgnoredAny};

use super::{
    super::{batch, failure, not_checked, out::Out, outcome::Outcome},
    NamedCatalog,
};
use olm_upgrade::resolve::{
    InstalledCsv, Limits, Question, Source, SourceKey, Subscription, question::GLOBAL_NAMESPACE, resolve,
};
use olm_version::Version;
use olmap_report::{json, resolution::Row};

/// Line of `--queries`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Query {
    #[serde(default)]
    subscriptions: Vec<WantedSubscription>,
    #[serde(default)]
    installed: Vec<Installed>,
    /// Visible catalogs; all open ones if omitted.
    catalogs: Option<Vec<VisibleCatalog>>,
    #[serde(default)]
    exclude_global: bool,
    upgrade_strategy: Option<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

/// Additional fields that are ignored: labels, and answers of other programs.
const IGNORED_FIELDS: [&str; 9] = [
    "answers",
    "case",
    "core",
    "error",
    "error_texts",
    "new_subscriptions",
    "nondeterministic",
    "result",
    "settled_without_rewinding",
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WantedSubscription {
    name: Option<String>,
    package: String,
    channel: Option<String>,
    catalog: String,
    catalog_namespace: Option<String>,
    #[serde(rename = "startingCSV")]
    starting_csv: Option<String>,
    installed: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Installed {
    name: String,
    catalog: Option<String>,
    version: Option<String>,
    properties: Option<Vec<Property>>,
    phase: Option<String>,
    replaces: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Property {
    #[serde(rename = "type")]
    kind: String,
    value: serde_json::Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VisibleCatalog {
    name: String,
    namespace: Option<String>,
    #[serde(default)]
    priority: i64,
    /// Ignored, because the command line names the file.
    #[serde(default, rename = "path")]
    _path: IgnoredAny,
}

/// Answers queries from a file.
pub fn run_resolve_queries(file: &Path, catalogs: &[NamedCatalog], out: &mut Out) -> anyhow::Result<Outcome> {
    let undecided = Cell::new(0);
    let outcome = batch::run_batch(file, out, |query: Query| match convert_query(query, catalogs) {
        Ok(question) => {
            let answer = resolve(&question, Limits::default());
            undecided.set(undecided.get() + usize::from(answer.undecided_part().is_some()));
            json::to_json_line(&Row::from_resolution(&answer))
        }
        Err(error) => json::to_json_line(&Row::from_error(error)),
    });
    not_checked::report_count(undecided.get(), out);
    outcome
}

/// Converts a query. Refuses unknown fields and catalogs, because ignoring them would change the query.
fn convert_query(query: Query, catalogs: &[NamedCatalog]) -> Result<Question, String> {
    if let Some(unknown) = query.rest.keys().find(|key| !IGNORED_FIELDS.contains(&key.as_str())) {
        return Err(format!("unknown field {unknown:?}"));
    }
    for placed in query.catalogs.iter().flatten() {
        if !catalogs.iter().any(|catalog| catalog.name() == placed.name) {
            let names = failure::join_names(catalogs.iter().map(NamedCatalog::name));
            return Err(format!("no catalog is called {}; catalogs: {names}", placed.name));
        }
    }
    for csv in &query.installed {
        if let Some(name) = csv.catalog.as_ref().filter(|name| !catalogs.iter().any(|c| c.name() == *name)) {
            let names = failure::join_names(catalogs.iter().map(NamedCatalog::name));
            return Err(format!(
                "no catalog is called {name}, from which {} is installed; catalogs: {names}",
                csv.name
            ));
        }
        let version = csv.version.as_deref().filter(|version| !version.is_empty());
        if let Some(version) = version.filter(|version| Version::parse_tolerant(version).is_err()) {
            return Err(format!("the version {version} of the installed {} cannot be read", csv.name));
        }
    }
    let open = |name: &str| catalogs.iter().find(|catalog| catalog.name() == name);
    let sources = match query.catalogs {
        None => catalogs.iter().map(|catalog| catalog.source.clone()).collect(),
        Some(placed) => placed
            .into_iter()
            .filter_map(|placed| {
                let open = open(&placed.name)?;
                Some(Source {
                    key: SourceKey {
                        name: placed.name,
                        namespace: placed.namespace.unwrap_or_else(|| GLOBAL_NAMESPACE.to_owned()),
                    },
                    priority: placed.priority,
                    ..open.source.clone()
                })
            })
            .collect(),
    };
    let mut question = Question::new(sources);
    question.excludes_global = query.exclude_global;
    question.fails_forward = query.upgrade_strategy.as_deref() == Some("TechPreviewUnsafeFailForward");
    let package = |name: &str| {
        let naming = query.subscriptions.iter().find(|wanted| wanted.installed.as_deref() == Some(name));
        naming.map(|wanted| wanted.package.clone())
    };
    let installed = query
        .installed
        .into_iter()
        .map(|csv| convert_installed(package(&csv.name).as_deref(), csv, &question.sources));
    question.installed = installed.collect();
    let subscriptions =
        query.subscriptions.into_iter().map(|wanted| wanted.into_subscription(&question.sources));
    question.subscriptions = subscriptions.collect();
    Ok(question)
}

impl WantedSubscription {
    fn into_subscription(self, sources: &[Source]) -> Subscription {
        let namespace = self.catalog_namespace.or_else(|| {
            let source = sources.iter().find(|source| source.key.name == self.catalog)?;
            Some(source.key.namespace.clone())
        });
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        Subscription {
            name: self.name.unwrap_or_else(|| self.package.clone()),
            package: self.package.into(),
            channel: filled(self.channel).map(Into::into),
            catalog: SourceKey {
                name: self.catalog,
                namespace: namespace.unwrap_or_else(|| GLOBAL_NAMESPACE.to_owned()),
            },
            starting_csv: filled(self.starting_csv).map(Into::into),
            installed: filled(self.installed).map(Into::into),
        }
    }
}

/// Converts an installed bundle. Uses its own properties, or those of the first bundle with its name. For a
/// bundle that left the catalogs, uses the package of its subscription.
fn convert_installed(package: Option<&str>, csv: Installed, sources: &[Source]) -> InstalledCsv {
    let version = csv.version.as_deref().and_then(|version| Version::parse_tolerant(version).ok());
    let mut made = if let Some(properties) = csv.properties {
        let properties: Vec<(String, String)> =
            properties.into_iter().map(|p| (p.kind, p.value.to_string())).collect();
        InstalledCsv::with_properties(csv.name.into(), version, &properties)
    } else {
        let is_meant = |source: &&Source| csv.catalog.as_ref().is_none_or(|name| *name == source.key.name);
        let found = sources.iter().filter(is_meant).find_map(|source| {
            InstalledCsv::from_bundle(&source.index, source.index.find_bundle(&csv.name)?)
        });
        let name = csv.name.as_str();
        let mut found = found.unwrap_or_else(|| match package {
            Some(package) => InstalledCsv::from_package(name.into(), None, &package.into()),
            None => InstalledCsv::with_properties(name.into(), None, &[]),
        });
        if let (Some(version), Some(facts)) = (version, Arc::get_mut(&mut found.facts)) {
            facts.version = Some(version);
        }
        found
    };
    made.phase = csv.phase.unwrap_or_default();
    made.replaces = csv.replaces.map(Into::into);
    made
}
