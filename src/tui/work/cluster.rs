//! Query to OLM Classic's resolver about an assumed cluster, and its result.

use std::{collections::BTreeMap, sync::Arc};

use super::Source;
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::{PackageState, Snapshot};
use olm_upgrade::{
    DependencyResult, UpgradeRow, UpgradeTable,
    resolve::{
        self, Answer, InstalledCsv, Limits, Question, SinglePackageAnswer, SourceKey, Subscription,
        index::BundlePosition,
        needs::{self, BundleNeeds},
    },
    table::NextUpgrade,
};

/// Assumed subscription to a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssumedSubscription {
    /// The catalog.
    pub source: Source,
    /// The package.
    pub package: PackageName,
    /// The channel. `None` if any channel may be used, with the default channel first.
    pub channel: Option<ChannelName>,
    /// False if the user excluded the subscription from the query.
    pub is_included: bool,
}

/// Bundle that is assumed to be installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssumedBundle {
    /// The catalog that has the bundle.
    pub source: Source,
    /// The package.
    pub package: PackageName,
    /// The bundle.
    pub bundle: BundleName,
    /// False if the user excluded the bundle from the query.
    pub is_included: bool,
}

/// Assumed content of a namespace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AssumedNamespace {
    /// Assumed subscriptions, in the order in which the user added them.
    pub subscriptions: Vec<AssumedSubscription>,
    /// Bundles that are assumed to be installed.
    pub installed: Vec<AssumedBundle>,
    /// Explicit choices of the user whether the cluster has a catalog.
    pub catalog_choices: Vec<(Source, bool)>,
}

impl AssumedNamespace {
    /// Returns true if there are no subscriptions and no installed bundles.
    pub fn is_empty(&self) -> bool {
        self.subscriptions.is_empty() && self.installed.is_empty()
    }

    /// Returns the catalogs of the subscriptions and of the installed bundles.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let subscribed = self.subscriptions.iter().map(|one| &one.source);
        subscribed.chain(self.installed.iter().map(|one| &one.source))
    }
}

/// Assumed namespace with the catalogs of the cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct ResolverQuery {
    /// The assumed namespace.
    pub assumed: AssumedNamespace,
    /// Catalogs of the cluster, each with its display name.
    pub catalogs: Vec<(Source, String, Arc<Snapshot>)>,
    /// Open catalogs that are not on the cluster. Installed bundles may come from them.
    pub excluded_catalogs: Vec<(Source, Arc<Snapshot>)>,
}

/// Result of OLM Classic's resolver for a [`ResolverQuery`].
#[derive(Debug)]
pub struct ResolverResult {
    /// The answer.
    pub answer: Answer,
    /// Dependencies between the resolved bundles.
    pub needs: Vec<BundleNeeds>,
}

impl ResolverQuery {
    /// Resolves the query. This may take seconds.
    pub fn resolve(&self) -> ResolverResult {
        let question = self.build_question();
        let answer = resolve::resolve(&question, Limits::default());
        let needs = needs::for_answer(&question, &answer);
        ResolverResult { answer, needs }
    }

    fn build_question(&self) -> Question {
        let sources = self.catalogs.iter().map(|(_, name, snapshot)| snapshot.to_source(name));
        let mut question = Question::new(sources.collect());
        for one in self.assumed.installed.iter().filter(|one| one.is_included) {
            question.installed.push(self.installed_csv(one));
        }
        for one in self.assumed.subscriptions.iter().filter(|one| one.is_included) {
            let own = self.assumed.installed.iter().find(|csv| csv.is_included && csv.package == one.package);
            question.subscriptions.push(Subscription {
                name: one.package.to_string(),
                package: one.package.clone(),
                channel: one.channel.clone(),
                catalog: self.source_key(&one.source),
                starting_csv: None,
                installed: own.map(|csv| csv.bundle.clone()),
            });
        }
        question
    }

    /// Returns an installed bundle with the properties from its catalog. If no open catalog has the
    /// bundle, only its package is known.
    fn installed_csv(&self, one: &AssumedBundle) -> InstalledCsv {
        let in_sight = self.catalogs.iter().map(|(source, _, snapshot)| (source, snapshot));
        let all = in_sight.chain(self.excluded_catalogs.iter().map(|(source, snapshot)| (source, snapshot)));
        let known = all.into_iter().find(|(source, _)| **source == one.source).and_then(|(_, snapshot)| {
            let index = snapshot.index();
            let package = index.package_position(one.package.as_str())?;
            let bundle = index.packages().get(package)?.bundle_position(one.bundle.as_str())?;
            InstalledCsv::from_bundle(index, BundlePosition { package, bundle })
        });
        known.unwrap_or_else(|| InstalledCsv::from_package(one.bundle.clone(), None, &one.package))
    }

    /// Returns the resolver key of a catalog. A catalog that is not on the cluster has no entries
    /// under its key.
    fn source_key(&self, source: &Source) -> SourceKey {
        let known = self.catalogs.iter().find(|(own, ..)| own == source);
        SourceKey::global(&known.map_or_else(|| source.label(), |(_, name, _)| name.clone()))
    }
}

/// Query for the upgrades of all installed versions of a package, with dependencies. The package's
/// own catalog comes first.
#[derive(Clone, Debug)]
pub struct DependencyQuery {
    /// Upgrades that Classic picks without dependencies.
    pub table: Arc<UpgradeTable>,
    /// The package.
    pub package: Arc<PackageState>,
    /// Catalogs of the cluster, each with its display name.
    pub catalogs: Vec<(String, Arc<Snapshot>)>,
}

/// Two queries are equal if they share the upgrade table and have equal catalogs.
impl PartialEq for DependencyQuery {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.catalogs == other.catalogs
    }
}

/// Step budget for one installed version; a package may have hundreds of versions.
const LIMITS_PER_VERSION: Limits = Limits { search: 1_000_000, explanation: 100_000, stability: 0 };

impl DependencyQuery {
    /// Returns the installed versions whose upgrade changes with dependencies, each with its new
    /// result.
    pub fn resolve_upgrades(&self) -> BTreeMap<BundleName, SinglePackageAnswer> {
        let named = self.catalogs.iter();
        let sources: Vec<resolve::Source> =
            named.map(|(name, snapshot)| resolve::Source::new(name, snapshot.index())).collect();
        let package = &self.package.package().name;
        let solve = |row: &UpgradeRow| {
            let bare = match &row.classic {
                NextUpgrade::To(name) => DependencyResult::Bundle(name.clone()),
                NextUpgrade::Stays => DependencyResult::Stays,
                NextUpgrade::Error(_) => return None,
            };
            let alone = resolve::resolve_single_package(
                &sources,
                package,
                &self.table.channel,
                Some(&row.installed),
                LIMITS_PER_VERSION,
            )?;
            (alone.solved.as_ref() != Some(&bare)).then(|| (row.installed.name.clone(), alone))
        };
        self.table.rows.iter().filter(|row| row.in_channel).filter_map(solve).collect()
    }
}
