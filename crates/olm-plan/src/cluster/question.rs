//! Conversion of a cluster's namespace to a question for OLM Classic's resolver.

use super::{Cluster, InstalledBundle, Operator};
use olm_catalog::PackageName;
use olm_upgrade::{
    Engine,
    resolve::{InstalledCsv, Question, Source, SourceKey, Subscription, question::GLOBAL_NAMESPACE},
};

/// Reason why a namespace cannot be resolved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// The namespace does not have Subscriptions.
    #[error("no Subscription is in the namespace {0}")]
    Empty(String),
    /// Several namespaces have Subscriptions, and none is selected.
    #[error("there are Subscriptions in several namespaces")]
    Several(Vec<String>),
    /// No namespace has Subscriptions.
    #[error("the cluster has no Subscription")]
    None,
    /// A catalog is missing.
    #[error("no catalog is called {source_name}, which {object} asks for")]
    NoCatalog {
        /// Name of the catalog on the cluster.
        source_name: String,
        /// Object that refers to it.
        object: String,
    },
}

impl QuestionError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Several(names) => Some(format!("choose one with --namespace: {}", names.join(", "))),
            Self::NoCatalog { source_name, .. } => {
                Some(format!("say which one it is: {source_name}=CATALOG"))
            }
            Self::Empty(_) | Self::None => None,
        }
    }
}

/// Returns the question of a namespace, or of the only one with Subscriptions. Catalogs are matched
/// by name; a single catalog matches any name.
///
/// # Errors
///
/// Fails if the namespace is ambiguous, or if a catalog is missing.
pub fn build_question(
    cluster: &Cluster,
    namespace: Option<&str>,
    sources: &[Source],
) -> Result<Question, QuestionError> {
    let classic = || cluster.operators.iter().filter(|operator| operator.engine() == Engine::Classic);
    let mut subscribed: Vec<String> =
        classic().filter(|one| one.subscription().is_some()).map(|one| one.namespace.clone()).collect();
    subscribed.sort();
    subscribed.dedup();
    let namespace = match (namespace, subscribed.as_slice()) {
        (Some(namespace), all) if all.iter().any(|known| known == namespace) => namespace.to_owned(),
        (Some(namespace), _) => return Err(QuestionError::Empty(namespace.to_owned())),
        (None, []) => return Err(QuestionError::None),
        (None, [only]) => only.clone(),
        (None, _) => return Err(QuestionError::Several(subscribed)),
    };
    let mut question = Question::new(Vec::new());
    question.namespace.clone_from(&namespace);
    let here = || classic().filter(|operator| operator.namespace == namespace);
    // The administrator chooses the name of the global namespace on the cluster; here it has a fixed name.
    let place = |key: &SourceKey| {
        let namespace = if key.namespace == namespace { &key.namespace } else { GLOBAL_NAMESPACE };
        SourceKey { name: key.name.clone(), namespace: namespace.to_owned() }
    };
    for source in sources {
        let known = |name: &str| cluster.catalogs.iter().find(|catalog| catalog.key.name == name);
        // A single catalog with an unknown name gets the only name that is requested.
        let mut names = here().filter_map(Operator::subscription).map(|asks| &asks.source);
        let only = names.next().filter(|first| sources.len() == 1 && names.all(|name| name == *first));
        let key = match (known(&source.key.name), only) {
            (Some(catalog), _) => place(&catalog.key),
            (None, Some(key)) => place(key),
            (None, None) => source.key.clone(),
        };
        let priority = known(&key.name).map_or(source.priority, |catalog| catalog.priority);
        question.sources.push(Source { key, priority, ..source.clone() });
    }
    for operator in here() {
        if let Some(installed) = &operator.installed {
            question.installed.push(installed_csv(installed, operator.package.as_ref(), sources));
        }
        let (Some(asks), Some(package)) = (operator.subscription(), &operator.package) else { continue };
        let catalog = place(&asks.source);
        if !question.sources.iter().any(|source| source.key == catalog) {
            let (source_name, object) = (catalog.name, operator.request_label());
            return Err(QuestionError::NoCatalog { source_name, object });
        }
        question.subscriptions.push(Subscription {
            name: operator.name.clone(),
            package: package.clone(),
            channel: asks.channel.clone(),
            catalog,
            starting_csv: asks.starting_csv.clone(),
            installed: operator.installed.as_ref().map(|installed| installed.name.clone()),
        });
    }
    let group = cluster.operator_group(&namespace);
    question.excludes_global = group.is_some_and(|group| group.excludes_global);
    question.fails_forward = group.is_some_and(|group| group.fails_forward);
    Ok(question)
}

/// Returns the installed bundle with its own properties, or with those in a catalog if it has none.
fn installed_csv(
    installed: &InstalledBundle,
    package: Option<&PackageName>,
    sources: &[Source],
) -> InstalledCsv {
    let version = installed.version.as_ref().map(|version| version.version.clone());
    let name = || installed.name.clone();
    let known = || {
        let of = |source: &Source| {
            InstalledCsv::from_bundle(&source.index, source.index.find_bundle(installed.name.as_str())?)
        };
        sources.iter().find_map(of)
    };
    let made = match package {
        _ if !installed.properties.is_empty() => {
            InstalledCsv::with_properties(name(), version, &installed.properties)
        }
        Some(package) => known().unwrap_or_else(|| InstalledCsv::from_package(name(), version, package)),
        None => InstalledCsv::with_properties(name(), version, &[]),
    };
    InstalledCsv { phase: installed.phase.clone(), replaces: installed.replaces.clone(), ..made }
}
