//! Installed operators of a cluster, from files of the command line. They never change.

use std::sync::Arc;

use crate::tui::{
    session::catalogs::Catalogs,
    work::cluster::{AssumedBundle, AssumedNamespace, AssumedSubscription},
};
use olm_catalog::{BundleName, PackageName};
use olm_plan::cluster::{Cluster, Operator};
use olm_upgrade::Engine;

/// Installed operators of a cluster, if the user passed its files.
#[derive(Clone, Debug, Default)]
pub struct InstalledOperators {
    /// The cluster.
    pub cluster: Option<Arc<Cluster>>,
}

impl InstalledOperators {
    /// Returns the installed operators of a package.
    pub fn operators_of<'s>(&'s self, package: &'s PackageName) -> impl Iterator<Item = &'s Operator> {
        self.cluster.iter().flat_map(move |cluster| cluster.operators_of(package))
    }

    /// Describes where a bundle is installed. `None` if it is not installed.
    pub fn describe_installation(&self, package: &PackageName, bundle: &BundleName) -> Option<String> {
        let all = self.cluster.as_ref()?.operators_with_bundle(package, bundle);
        let words: Vec<String> = all.map(describe_operator_location).collect();
        (!words.is_empty()).then(|| format!("INSTALLED {}", words.join(" and ")))
    }

    /// Returns the namespace of a package, otherwise the first namespace with a package of an open
    /// catalog.
    pub(in crate::tui) fn target_namespace(
        &self,
        package: Option<&PackageName>,
        catalogs: &Catalogs,
    ) -> Option<&str> {
        let known = |operator: &&Operator| {
            let name = operator.package.as_ref();
            operator.subscription().is_some()
                && name.is_some_and(|name| catalogs.find_with_package(name).is_some())
        };
        let mut all = self.cluster.as_ref()?.operators.iter().filter(known);
        let own = all.clone().find(|operator| package.is_some() && operator.package.as_ref() == package);
        own.or_else(|| all.next()).map(|operator| operator.namespace.as_str())
    }

    /// Returns the content of a namespace under OLM Classic as assumptions, the number of its
    /// operators, and the packages that no open catalog has.
    pub(in crate::tui) fn assume_namespace(
        &self,
        namespace: &str,
        catalogs: &Catalogs,
    ) -> (AssumedNamespace, usize, Vec<String>) {
        let operators = self.cluster.iter().flat_map(|cluster| &cluster.operators);
        let here = operators
            .filter(|operator| operator.engine() == Engine::Classic && operator.namespace == namespace);
        let (mut assumed, mut left) = (AssumedNamespace::default(), Vec::new());
        let mut taken = 0;
        for operator in here {
            let home = operator.package.as_ref().and_then(|name| {
                let open = catalogs.find_with_package(name)?;
                Some((name.clone(), open.source.clone()))
            });
            let Some((package, source)) = home else {
                left.push(
                    operator.package.as_ref().map_or_else(|| operator.name.clone(), ToString::to_string),
                );
                continue;
            };
            taken += 1;
            if let Some(asks) = operator.subscription() {
                assumed.subscriptions.push(AssumedSubscription {
                    source: source.clone(),
                    package: package.clone(),
                    channel: asks.channel.clone(),
                    is_included: true,
                });
            }
            if let Some(installed) = &operator.installed {
                let bundle = installed.name.clone();
                assumed.installed.push(AssumedBundle { source, package, bundle, is_included: true });
            }
        }
        (assumed, taken, left)
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
