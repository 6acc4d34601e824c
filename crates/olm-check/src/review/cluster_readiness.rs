//! Readiness of packages for OLM v1 over the catalogs of a cluster.

use std::collections::BTreeSet;

use super::readiness::{Blocker, BlockerKind, Readiness};
use olm_catalog::PackageName;
use olm_upgrade::cluster::{
    CatalogOutcome, ClusterAnswer, ClusterCatalogs, ClusterError, ClusterQuery, ClusterResolver,
    LabelSelector,
};

/// Package with the choice of OLM v1 between catalogs.
#[derive(Clone, Debug)]
pub struct ChosenPackage {
    /// Name of the package.
    pub package: PackageName,
    /// Answer for a new installation without channel or version.
    pub answer: ClusterAnswer,
}

/// Resolves all packages of the catalogs by name, or only one if it is given.
pub fn choose_catalogs(
    catalogs: &ClusterCatalogs,
    selector: &LabelSelector,
    package: Option<&str>,
) -> Vec<ChosenPackage> {
    let query = ClusterQuery { selector: selector.clone(), ..ClusterQuery::default() };
    let names: BTreeSet<PackageName> = match package {
        Some(name) => [name.into()].into(),
        None => catalogs.package_names().into_iter().cloned().collect(),
    };
    let choose = |package: PackageName| {
        let answer = ClusterResolver::from_query(&catalogs.find_package(&package), &query).resolve(None);
        ChosenPackage { package, answer }
    };
    names.into_iter().map(choose).collect()
}

impl ChosenPackage {
    /// Returns the catalog of the pick. A pick with dependencies counts, although v1 refuses it.
    pub fn catalog(&self) -> Option<&str> {
        self.answer.pick.as_ref().map(|pick| pick.catalog.name.as_str())
    }

    /// Returns the readiness of a package without a pick.
    pub fn readiness_without_pick(&self, catalogs: &ClusterCatalogs) -> Readiness {
        let mut ready = Readiness::without_bundle(&self.package);
        let Some(error) = &self.answer.error else { return ready };
        let (kind, fix) = match error {
            ClusterError::Ambiguous(_) => (
                BlockerKind::Ambiguous,
                "let the ClusterExtension select one catalog (spec.source.catalog.selector), or give one a higher \
                 priority",
            ),
            ClusterError::UnreadableCatalog(_) => {
                (BlockerKind::NotResolved, "correct the catalog; olmap validate shows what is wrong with it")
            }
            _ => (
                BlockerKind::NotResolved,
                "olmap successors --explain with the same catalogs shows the outcome of each",
            ),
        };
        ready.blockers.push(Blocker {
            kind,
            text: format!("OLM v1 finds nothing to install: {error}{}", self.describe_problems(catalogs)),
            fix: fix.to_owned(),
            place: None,
        });
        ready
    }

    /// Describes the problems for which catalogs are not served: `; own: cat/catalog.yaml:3:9: ...`.
    fn describe_problems(&self, catalogs: &ClusterCatalogs) -> String {
        let problems = self.answer.considered.iter().filter_map(|considered| match &considered.outcome {
            CatalogOutcome::NotServed(failure) => {
                let name = &considered.catalog.name;
                let content = catalogs.find_member(name)?.content.as_ref()?;
                Some(format!("; {name}: {}", failure.describe_problem(&content.catalog)))
            }
            _ => None,
        });
        problems.collect()
    }
}
