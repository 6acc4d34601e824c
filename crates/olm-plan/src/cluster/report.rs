//! Report on a cluster: problems of each operator, and differences to olmap's answers.

use super::{Cluster, ComparedStatements, Operator, compare_operator, operator_problems};
use crate::series::Release;
use olm_catalog::{Catalog, PackageName};
use olm_upgrade::PackageGraph;

/// Report on a cluster.
#[derive(Debug)]
pub struct Report<'c> {
    /// The cluster.
    pub cluster: &'c Cluster,
    /// Reports on its operators, in its order.
    pub operators: Vec<OperatorReport<'c>>,
    /// True if no given catalog is for the cluster's OpenShift version.
    pub is_other_version: bool,
}

/// Report on an operator.
#[derive(Debug)]
pub struct OperatorReport<'c> {
    /// The operator.
    pub operator: &'c Operator,
    /// Problems that the cluster itself reports.
    pub problems: Vec<String>,
    /// Catalog that the operator was compared with.
    pub catalog: Option<String>,
    /// Compared statements.
    pub points: Vec<ComparedStatements>,
}

impl OperatorReport<'_> {
    /// Iterates over the statements that differ.
    pub fn differences(&self) -> impl Iterator<Item = &ComparedStatements> {
        self.points.iter().filter(|point| point.differs())
    }

    /// Returns true if the operator has a problem or a difference.
    pub fn has_findings(&self) -> bool {
        !self.problems.is_empty() || self.differences().next().is_some()
    }
}

impl Report<'_> {
    /// Returns true if there is any problem, difference or note.
    pub fn has_findings(&self) -> bool {
        !self.cluster.notes.is_empty() || self.operators.iter().any(OperatorReport::has_findings)
    }
}

/// Reports on all operators. An operator is compared with the first catalog that has its package, among those
/// for the cluster's version. If there is none for that version, all catalogs count.
pub fn report_cluster<'c>(cluster: &'c Cluster, catalogs: &[Release<Catalog>]) -> Report<'c> {
    let own = |release: &&Release<Catalog>| {
        cluster.openshift().zip(release.openshift).is_none_or(|(cluster, catalog)| cluster == catalog)
    };
    let mut meant: Vec<&Release<Catalog>> = catalogs.iter().filter(own).collect();
    let of_another_version = meant.is_empty() && !catalogs.is_empty();
    if of_another_version {
        meant = catalogs.iter().collect();
    }
    let look = |operator: &'c Operator| {
        let name = operator.package.as_ref();
        let home = name.and_then(|name| find_catalog(&meant, name)).or_else(|| meant.first().copied());
        let graph = home.zip(name).and_then(|(home, name)| home.catalog.package(name.as_str()));
        let graph = graph.map(PackageGraph::new);
        let points = match (home, name) {
            (Some(_), Some(_)) => compare_operator(cluster, operator, graph.as_ref()),
            _ => Vec::new(),
        };
        OperatorReport {
            operator,
            problems: operator_problems(operator),
            catalog: home.map(|h| h.label.clone()),
            points,
        }
    };
    Report {
        cluster,
        operators: cluster.operators.iter().map(look).collect(),
        is_other_version: of_another_version,
    }
}

/// Returns the first catalog that has a package.
fn find_catalog<'r>(
    catalogs: &[&'r Release<Catalog>],
    package: &PackageName,
) -> Option<&'r Release<Catalog>> {
    catalogs.iter().copied().find(|release| release.catalog.package(package.as_str()).is_some())
}
