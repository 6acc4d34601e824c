//! Installed operators of a cluster, from files of the command line. They never change.

use crate::tui::{
    session::Session,
    work::{
        Source,
        cluster::{AssumedBundle, AssumedNamespace, AssumedSubscription},
    },
};
use olm_catalog::{BundleName, PackageName};
use olm_plan::cluster::{Cluster, Operator};
use olm_upgrade::Engine;

impl Session {
    /// Returns the installed operators of a package.
    pub fn installed_operators_of<'s>(
        &'s self,
        package: &'s PackageName,
    ) -> impl Iterator<Item = &'s Operator> {
        self.installed_operators.iter().flat_map(move |cluster| cluster.operators_of(package))
    }

    /// Describes where a bundle of the selected package is installed. `None` if it is not
    /// installed.
    pub fn describe_installation(&self, bundle: &BundleName) -> Option<String> {
        self.describe_installation_of(self.selection().package.as_ref()?, bundle)
    }

    /// Describes where a bundle of any package is installed. `None` if it is not installed.
    pub fn describe_installation_of(&self, package: &PackageName, bundle: &BundleName) -> Option<String> {
        let cluster = self.installed_operators.as_ref()?;
        let all = cluster.operators_with_bundle(package, bundle);
        let words: Vec<String> = all.map(describe_operator_location).collect();
        (!words.is_empty()).then(|| format!("INSTALLED {}", words.join(" and ")))
    }

    /// Returns the namespace of a package, otherwise the first namespace with a package of an open
    /// catalog.
    pub(in crate::tui) fn target_namespace(&self, package: Option<&PackageName>) -> Option<&str> {
        let cluster = self.installed_operators.as_ref()?;
        let known = |operator: &&Operator| {
            let name = operator.package.as_ref();
            operator.subscription().is_some() && name.is_some_and(|name| self.catalog_of(name).is_some())
        };
        let mut all = cluster.operators.iter().filter(known);
        let own = all.clone().find(|operator| package.is_some() && operator.package.as_ref() == package);
        own.or_else(|| all.next()).map(|operator| operator.namespace.as_str())
    }

    /// Replaces the assumed cluster by the content of a namespace under OLM Classic. Returns the
    /// number of operators, and the packages that no open catalog has.
    pub(in crate::tui) fn assume_namespace(&mut self, namespace: &str) -> (usize, Vec<String>) {
        let Some(cluster) = self.installed_operators.clone() else { return (0, Vec::new()) };
        let here = cluster
            .operators
            .iter()
            .filter(|operator| operator.engine() == Engine::Classic && operator.namespace == namespace);
        let (mut assumed, mut left) = (AssumedNamespace::default(), Vec::new());
        let mut taken = 0;
        for operator in here {
            let home = operator.package.as_ref().and_then(|name| Some((name, self.catalog_of(name)?)));
            let Some((package, source)) = home else {
                left.push(
                    operator.package.as_ref().map_or_else(|| operator.name.clone(), ToString::to_string),
                );
                continue;
            };
            taken += 1;
            if let Some(asks) = operator.subscription() {
                let (source, package) = (source.clone(), package.clone());
                let channel = asks.channel.clone();
                assumed.subscriptions.push(AssumedSubscription {
                    source,
                    package,
                    channel,
                    is_included: true,
                });
            }
            if let Some(installed) = &operator.installed {
                let (package, bundle) = (package.clone(), installed.name.clone());
                assumed.installed.push(AssumedBundle { source, package, bundle, is_included: true });
            }
        }
        self.jobs.assumed_cluster.assumed = assumed;
        (taken, left)
    }

    /// Returns the catalog of a package: the current one if it has the package, otherwise the
    /// first.
    fn catalog_of(&self, package: &PackageName) -> Option<Source> {
        let has = |open: &&super::open_catalog::OpenCatalog| {
            open.visible_state().package(package.as_str()).is_some()
        };
        let open = self.current_catalog().filter(has).or_else(|| self.open_catalogs.iter().find(has))?;
        Some(open.source.clone())
    }
}

/// Returns the initial notice about a cluster.
pub(in crate::tui) fn cluster_notice(cluster: &Cluster, assume: &str) -> String {
    let count = cluster.operators.len();
    let operators = if count == 1 { "1 operator".to_owned() } else { format!("{count} operators") };
    let version = cluster.openshift().map(|version| format!(" with OpenShift {version}")).unwrap_or_default();
    let notes = match cluster.notes.len() {
        0 => "",
        _ => " (not everything could be read: olmap cluster says what)",
    };
    format!("a cluster{version}, {operators}{notes}: i marks them, {assume} assumes its namespace to resolve")
}

/// Describes the namespace of an operator and the OLM version that upgrades it.
fn describe_operator_location(operator: &Operator) -> String {
    match (operator.engine(), operator.namespace.as_str()) {
        (Engine::Classic, namespace) => format!("in {namespace}"),
        (Engine::V1, "") => "by v1".to_owned(),
        (Engine::V1, namespace) => format!("in {namespace} by v1"),
    }
}
