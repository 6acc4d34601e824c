//! Catalogs that belong to the same cluster: OLM v1 chooses between them. Catalogs that only may be on a cluster
//! together, by their OpenShift versions, are `Catalogs::cluster_catalogs`.

use std::sync::Arc;

use crate::tui::{
    parts::memo::SharedRef,
    session::{catalogs::Catalogs, open_catalog::OpenCatalog},
    work::Source,
};
use olm_catalog::{PackageName, package::Package};
use olm_check::review::{PackageState, Snapshot};
use olm_upgrade::{
    Answer, Installed,
    cluster::{
        CatalogOffer, CatalogProperties, ClusterAnswer, ClusterPackage, ClusterQuery, ClusterResolver,
        InstalledMetadata, LabelSelector, OfferContent,
    },
    v1::Query,
};

/// Catalog of the cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterMember {
    /// Source of its content. `None` if only the cluster's file names it.
    pub source: Option<Source>,
    /// Properties of the `ClusterCatalog`.
    pub properties: Arc<CatalogProperties>,
}

/// Minimum number of catalogs between which v1 chooses.
const MIN_MEMBERS: usize = 2;

/// Content of the members, which determines all answers.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::tui) struct MemberStates(Vec<(Arc<CatalogProperties>, SharedRef<Snapshot>)>);

/// The members.
impl Catalogs {
    /// Returns the catalogs of the cluster.
    pub fn members(&self) -> &[ClusterMember] {
        &self.members
    }

    /// Sets the catalogs of the cluster.
    pub(in crate::tui) fn set_members(&mut self, members: Vec<ClusterMember>) {
        self.members = members;
    }

    /// Returns the member with a source.
    pub fn member_of(&self, source: &Source) -> Option<&ClusterMember> {
        self.members.iter().find(|member| member.source.as_ref() == Some(source))
    }

    /// Returns the reason why a catalog cannot be on a cluster.
    ///
    /// # Errors
    ///
    /// The reason.
    pub fn check_member(&self, source: &Source) -> Result<(), &'static str> {
        match self.find(source).map(OpenCatalog::visible_state) {
            Some(state) if state.catalog.template().is_some() => Err("a template is not a catalog"),
            Some(state) if state.catalog.is_rendered_from_bundles() => {
                Err("bundle directories are not a catalog")
            }
            _ => Ok(()),
        }
    }

    /// Adds a catalog to the cluster with priority 0, or removes it. Returns true if it belongs to the cluster now.
    pub(in crate::tui) fn toggle_member(&mut self, source: &Source) -> bool {
        if self.member_of(source).is_some() {
            self.members.retain(|member| member.source.as_ref() != Some(source));
            return false;
        }
        self.set_priority(source, 0);
        true
    }

    /// Sets the priority of a catalog, which then belongs to the cluster.
    pub(in crate::tui) fn set_priority(&mut self, source: &Source, priority: i32) {
        let known = self.members.iter_mut().find(|member| member.source.as_ref() == Some(source));
        if let Some(known) = known {
            Arc::make_mut(&mut known.properties).priority = priority;
            return;
        }
        let mut name = self.short_source_name(source);
        let is_taken = |name: &str| self.members.iter().any(|member| member.properties.name == name);
        if is_taken(&name) {
            name = source.label();
        }
        while is_taken(&name) {
            name.push('+');
        }
        let properties = Arc::new(CatalogProperties { priority, ..CatalogProperties::from_name(&name) });
        self.members.push(ClusterMember { source: Some(source.clone()), properties });
    }

    /// Returns the properties of a catalog on the cluster, if v1 chooses between its catalogs.
    pub fn properties_on_cluster(&self, source: &Source) -> Option<&Arc<CatalogProperties>> {
        let member = self.member_of(source)?;
        (self.members.len() >= MIN_MEMBERS).then_some(&member.properties)
    }

    /// Describes which answers of v1 hold.
    pub fn describe_cluster(&self) -> String {
        match self.members.as_slice() {
            [] => "v1 answers for each catalog alone".to_owned(),
            [only] => {
                format!("only {} is on the cluster: v1 answers for each catalog alone", only.properties.name)
            }
            all => {
                let absent = all.iter().filter(|member| self.member_state(member).is_none());
                let absent: Vec<&str> = absent
                    .filter(|member| member.properties.is_available)
                    .map(|member| member.properties.name.as_str())
                    .collect();
                let words = format!("v1 answers for {} catalogs of one cluster", all.len());
                if absent.is_empty() {
                    return words;
                }
                format!("{words}; not known while {} is not read", absent.join(" and "))
            }
        }
    }
}

/// Answers.
impl Catalogs {
    /// Returns the content of a member. `None` if it is not read completely.
    fn member_state(&self, member: &ClusterMember) -> Option<&Arc<Snapshot>> {
        let state = self.find(member.source.as_ref()?)?.visible_state();
        state.catalog.missing_part().is_none().then_some(state)
    }

    /// Returns the content of the members. `None` if v1 answers for this catalog alone.
    pub(in crate::tui) fn member_states(&self, source: &Source) -> Option<MemberStates> {
        self.properties_on_cluster(source)?;
        let states = self.members.iter().map(|member| {
            (Arc::clone(&member.properties), SharedRef::from_shared(self.member_state(member)))
        });
        Some(MemberStates(states.collect()))
    }

    /// Returns the content of the members of the current catalog's cluster.
    pub(in crate::tui) fn current_member_states(&self) -> Option<MemberStates> {
        // The usual case needs no search.
        if self.members.len() < MIN_MEMBERS {
            return None;
        }
        self.member_states(&self.current()?.source)
    }
}

impl MemberStates {
    /// Prepares v1's answers about a package. `own` replaces the package in the member with this name.
    pub(in crate::tui) fn resolve_package(
        &self,
        package: &PackageName,
        query: &Query,
        own: Option<(&str, &PackageState)>,
    ) -> ClusterResolution {
        let offers = self.0.iter().map(|(properties, state)| {
            let own = own.filter(|(name, _)| *name == properties.name).map(|(_, state)| state);
            let content = match (state.get(), own) {
                (None, _) => OfferContent::NotGiven,
                (Some(state), own) => offer_content(state, package, own),
            };
            CatalogOffer { catalog: Arc::clone(properties), content }
        });
        let mut offers: Vec<CatalogOffer> = offers.collect();
        offers.sort_by(|a, b| a.catalog.name.cmp(&b.catalog.name));
        let package = ClusterPackage { package: package.clone(), offers: offers.into() };
        let query = ClusterQuery { query: query.clone(), selector: LabelSelector::default() };
        let resolver = ClusterResolver::from_query(&package, &query);
        ClusterResolution { package, resolver }
    }
}

fn offer_content(state: &Snapshot, package: &PackageName, own: Option<&PackageState>) -> OfferContent {
    if let Some(failure) = state.serving().failure(package.as_str()) {
        return OfferContent::NotServed(Box::new(failure.clone()));
    }
    let known = state.package(package.as_str()).map(AsRef::as_ref);
    own.or(known).map_or(OfferContent::Absent, |known| {
        // The graph is shared, and so is its resolver for the default query.
        OfferContent::Package(olm_upgrade::PackageGraph::clone(&known.graph))
    })
}

/// Answers of v1 over the catalogs of the cluster, for one package and one query.
#[derive(Debug)]
pub struct ClusterResolution {
    /// The package in each catalog.
    pub package: ClusterPackage,
    /// The resolver.
    pub resolver: ClusterResolver,
}

/// Upgrade of an installed bundle.
#[derive(Clone, Debug)]
pub struct ClusterUpgrade {
    /// The answer.
    pub answer: ClusterAnswer,
    /// Answer of the catalog of the pick alone, with all its candidates.
    pub picked_catalog: Option<Answer>,
}

impl ClusterResolution {
    /// Returns the upgrade of an installed bundle of a package.
    pub(in crate::tui) fn resolve_upgrade(&self, package: &Package, installed: &Installed) -> ClusterUpgrade {
        let mut metadata = InstalledMetadata::from_package(package, &installed.name);
        if let Some(version) = installed.version.as_ref().filter(|_| metadata.version.is_empty()) {
            metadata.version = version.version.to_string();
        }
        let answer = self.resolver.resolve(Some(&metadata));
        let graph = answer.pick.as_ref().and_then(|pick| self.package.graph(&pick.catalog.name));
        let query = &self.resolver.query().query;
        let picked_catalog = graph.map(|graph| graph.resolve_v1(query, Some(&metadata.to_installed())));
        ClusterUpgrade { answer, picked_catalog }
    }
}
