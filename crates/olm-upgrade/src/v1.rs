//! Pick of OLM v1 (semantics 5; operator-controller `resolve/catalog.go`).

mod successors;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, OnceLock},
};

use super::{
    answer::{Admission, Answer, Candidate, Engine, Refusal, ResolveError, Verdict},
    graph::EdgeKind,
    installed::Installed,
    range_index::RangedCandidates,
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{BundleBlob, ChannelBlob, DeprecationTarget, Entry},
    package::{Package, last_of_each_name},
};
use olm_version::{Version, VersionRelease, blang::Range, masterminds::Constraint, with_release_from_build};
use successors::NamedEdge;

/// Policy for edges: `spec.source.catalog.upgradeConstraintPolicy`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Policy {
    /// Upgrades must follow the catalog's edges.
    #[default]
    CatalogProvided,
    /// Any bundle is allowed, including downgrades.
    SelfCertified,
}

impl Policy {
    /// Returns the name in a `ClusterExtension`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CatalogProvided => "CatalogProvided",
            Self::SelfCertified => "SelfCertified",
        }
    }
}

/// Selection in a `ClusterExtension`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Query {
    /// Selected channels; all if empty.
    pub channels: Vec<ChannelName>,
    /// Version constraint in the Masterminds dialect; any version if empty.
    pub version: String,
    /// Policy for edges.
    pub policy: Policy,
}

/// Writes the parameters: `channel stable, version >=1.2, SelfCertified`.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.channels.as_slice() {
            [] => f.write_str("all channels")?,
            [one] => write!(f, "channel {one}")?,
            [first, others @ ..] => {
                write!(f, "channels {first}")?;
                others.iter().try_for_each(|other| write!(f, ", {other}"))?;
            }
        }
        if !self.version.is_empty() {
            write!(f, ", version {}", self.version)?;
        }
        if self.policy == Policy::CatalogProvided { Ok(()) } else { write!(f, ", {}", self.policy) }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Resolver for one query, with the candidates sorted once. It shares the bundles of the package.
#[derive(Debug)]
pub struct Resolver {
    query: Query,
    /// Candidates in order of preference, each with its entries in the selected channels.
    ranked: Vec<Ranked>,
    /// Bundles that the query excludes, with the reason.
    excluded: Vec<(Arc<BundleBlob>, Refusal)>,
    /// True if a skipRange of a candidate crashes OLM for some versions.
    may_crash: bool,
    /// For each replaced or skipped name, the edges from it, best bundle first.
    named_edges: HashMap<BundleName, Vec<NamedEdge>>,
    /// Bundles with ranges, by their index in `ranked`.
    ranged: RangedCandidates,
    /// Index in `ranked` of the first deprecated bundle. Versions decrease before it and after it; bundles
    /// without a readable version are last in each part.
    first_deprecated: usize,
    /// Index in `ranked` of each bundle, computed on first use.
    positions: OnceLock<HashMap<BundleName, usize>>,
}

/// Bundle that the query does not exclude.
#[derive(Debug)]
struct Ranked {
    bundle: Arc<BundleBlob>,
    /// Version as v1 compares it; `None` if it cannot be read.
    version: Option<VersionRelease>,
    entries: Vec<ChannelEntry>,
}

/// Entry, by its channel and index.
#[derive(Clone, Debug)]
struct ChannelEntry(Arc<ChannelBlob>, usize);

/// Bundle that wins in one catalog, before v1 looks at its dependencies.
#[derive(Clone, Copy, Debug)]
pub struct FirstCandidate<'a> {
    /// The bundle. v1 reports an error if its version cannot be read.
    pub bundle: &'a Arc<BundleBlob>,
    /// True if v1 can read its version.
    pub has_version: bool,
    /// True if the catalog deprecates the bundle.
    pub is_deprecated: bool,
}

impl Ranked {
    /// Returns the entries in the selected channels.
    fn selected_entries(&self) -> impl Iterator<Item = (&ChannelName, &Entry)> {
        self.entries
            .iter()
            .filter_map(|ChannelEntry(channel, at)| Some((&channel.name.value, channel.entries.get(*at)?)))
    }

    /// Returns true if it has a version with the same precedence.
    fn has_version(&self, version: &VersionRelease) -> bool {
        self.version.as_ref().is_some_and(|own| own.cmp_precedence(version).is_eq())
    }
}

impl Resolver {
    /// Prepares a query for a package.
    ///
    /// # Errors
    ///
    /// Fails if the version constraint is invalid.
    pub fn new(package: &Package, query: &Query) -> Result<Self, ResolveError> {
        let constraint = match query.version.as_str() {
            "" => None,
            text => Some(Constraint::parse(text).map_err(|e| ResolveError::Constraint(e.to_string()))?),
        };
        let listed = |name: &ChannelName| query.channels.is_empty() || query.channels.contains(name);
        let mut entries: HashMap<&BundleName, Vec<ChannelEntry>> = HashMap::new();
        for channel in last_of_each_name(&package.channels, |channel| channel.name.value.as_str())
            .filter(|channel| listed(&channel.name.value))
        {
            for (at, entry) in channel.entries.iter().enumerate() {
                entries.entry(&entry.name.value).or_default().push(ChannelEntry(Arc::clone(channel), at));
            }
        }
        let mut resolver = Self {
            query: query.clone(),
            ranked: Vec::new(),
            excluded: Vec::new(),
            may_crash: false,
            named_edges: HashMap::new(),
            ranged: RangedCandidates::default(),
            first_deprecated: 0,
            positions: OnceLock::new(),
        };
        for bundle in last_of_each_name(&package.bundles, |bundle| bundle.name.value.as_str()) {
            let entries = entries.get(&bundle.name.value).cloned().unwrap_or_default();
            let version = comparable_version(bundle);
            let refusal = match (&constraint, &version) {
                _ if !query.channels.is_empty() && entries.is_empty() => Some(Refusal::NotInChannels),
                (Some(_), None) => Some(Refusal::NoVersion),
                (Some(constraint), Some(version)) if !constraint.matches(&version.version) => {
                    Some(Refusal::Constraint { constraint: query.version.clone() })
                }
                _ => None,
            };
            let bundle = Arc::clone(bundle);
            match refusal {
                None => resolver.ranked.push(Ranked { bundle, version, entries }),
                Some(why) => resolver.excluded.push((bundle, why)),
            }
        }
        // Sort by reason, then by version, so that explanations can merge consecutive bundles.
        resolver.excluded.sort_by(|(a, why_a), (b, why_b)| {
            let by_version = match (&a.version, &b.version) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            exclusion_rank(why_a).cmp(&exclusion_rank(why_b)).then(by_version)
        });
        let crashes = |entry: &Entry| {
            entry.skip_range.as_ref().and_then(|r| r.range.as_ref().ok()).is_some_and(Range::may_crash)
        };
        resolver.may_crash =
            resolver.ranked.iter().flat_map(Ranked::selected_entries).any(|(_, entry)| crashes(entry));
        let deprecations = last_of_each_name(&package.deprecations, |blob| blob.name.as_str());
        let deprecations = deprecations.flat_map(|blob| &blob.entries);
        let deprecated: HashSet<&BundleName> = deprecations
            .filter_map(|d| match &d.target {
                Some(DeprecationTarget::Bundle(name)) => Some(name),
                _ => None,
            })
            .collect();
        let deprecated = |b: &BundleBlob| deprecated.contains(&b.name.value);
        resolver.ranked.sort_by(|a, b| {
            deprecated(&a.bundle).cmp(&deprecated(&b.bundle)).then_with(|| match (&a.version, &b.version) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            })
        });
        resolver.first_deprecated = resolver.ranked.partition_point(|ranked| !deprecated(&ranked.bundle));
        resolver.build_index();
        Ok(resolver)
    }

    /// Builds the indices of edges, so that a pick does not check every bundle.
    fn build_index(&mut self) {
        for (place, ranked) in self.ranked.iter().enumerate() {
            for (at, (_, entry)) in ranked.selected_entries().enumerate() {
                let replaces = entry.replaces.iter().map(|name| (name, EdgeKind::Replaces));
                let skips = entry.skips.iter().map(|name| (name, EdgeKind::Skips));
                for (name, kind) in replaces.chain(skips) {
                    let edge = NamedEdge { place, entry: at, kind };
                    match self.named_edges.get_mut(&name.value) {
                        Some(edges) if edges.last().is_some_and(|last| last.place == place) => {}
                        Some(edges) => edges.push(edge),
                        None => drop(self.named_edges.insert(name.value.clone(), vec![edge])),
                    }
                }
            }
            if ranked.selected_entries().any(|(_, entry)| entry.skip_range.is_some()) {
                self.ranged.push_rank(place);
            }
        }
    }

    /// Returns only the pick, without explanations.
    ///
    /// # Errors
    ///
    /// Fails if no bundle matches, if the installed version is unknown, or if a range crashes OLM.
    pub fn pick(&self, installed: Option<&Installed>) -> Result<&BundleName, ResolveError> {
        let first = self.find_candidate(installed)?.ok_or_else(|| self.no_match_error())?;
        let name = &first.bundle.name.value;
        if first.has_version { Ok(name) } else { Err(ResolveError::NoBundleVersion(name.clone())) }
    }

    /// Returns the first bundle that v1 admits; `None` if it admits none. Unlike [`Resolver::pick`], its
    /// version may be unreadable: v1 reports that only if it chooses this bundle.
    ///
    /// # Errors
    ///
    /// Fails if the installed version is unknown, or if a range crashes OLM.
    pub fn find_candidate(
        &self,
        installed: Option<&Installed>,
    ) -> Result<Option<FirstCandidate<'_>>, ResolveError> {
        let place = self.find_first(installed)?;
        Ok(place.and_then(|place| {
            let first = self.ranked.get(place)?;
            Some(FirstCandidate {
                bundle: &first.bundle,
                has_version: first.version.is_some(),
                is_deprecated: place >= self.first_deprecated,
            })
        }))
    }

    /// Returns the index of the first bundle that v1 admits.
    fn find_first(&self, installed: Option<&Installed>) -> Result<Option<usize>, ResolveError> {
        let wanted = self.edge_version(installed)?;
        // Skip the rules, since they need allocations for their texts.
        if let (Some(installed), Some(wanted), false) = (installed, &wanted, self.may_crash) {
            return Ok(self.first_admitted(installed, wanted));
        }
        let mut first = None;
        for (place, ranked) in self.ranked.iter().enumerate() {
            let is_admitted = find_admission(ranked, installed, wanted.as_ref())?.is_some();
            first = first.or(is_admitted.then_some(place));
            // OLM checks all bundles before it ranks them, so a range of a lower rank can still crash it.
            if first.is_some() && !self.may_crash {
                break;
            }
        }
        Ok(first)
    }

    /// Returns the pick and the rule that admits it.
    ///
    /// # Errors
    ///
    /// See [`Resolver::pick`].
    pub fn pick_with_rule(
        &self,
        installed: Option<&Installed>,
    ) -> Result<(&BundleName, Admission), ResolveError> {
        let place = self.find_first(installed)?;
        let first = place.and_then(|place| self.ranked.get(place)).ok_or_else(|| self.no_match_error())?;
        let name = &first.bundle.name.value;
        if first.version.is_none() {
            return Err(ResolveError::NoBundleVersion(name.clone()));
        }
        let wanted = self.edge_version(installed)?;
        let admission = find_admission(first, installed, wanted.as_ref())?;
        admission.map(|admission| (name, admission)).ok_or_else(|| self.no_match_error())
    }

    /// Returns the index of the first bundle that an edge admits, or that has the version of the
    /// installed bundle. Requires that no range crashes OLM.
    fn first_admitted(&self, installed: &Installed, installed_version: &VersionRelease) -> Option<usize> {
        let named = self.edges_from(&installed.name).first().map(|edge| edge.place);
        let same = self.places_with_version(installed_version).into_iter().flatten().next();
        let before = named.into_iter().chain(same).min();
        let entries = |place: usize| {
            self.ranked.get(place).into_iter().flat_map(Ranked::selected_entries).map(|(_, entry)| entry)
        };
        let version = installed.version.as_ref();
        let better = version.and_then(|v| self.ranged.first_including(&v.version, before, entries));
        better.or(before)
    }

    /// Returns the candidates in order of preference.
    pub fn preferred_names(&self) -> impl Iterator<Item = &BundleName> {
        self.ranked.iter().map(|ranked| &ranked.bundle.name.value)
    }

    /// Returns the index of a bundle in the order of preference.
    pub fn rank(&self, name: &BundleName) -> Option<usize> {
        let places = self.positions.get_or_init(|| self.preferred_names().cloned().zip(0..).collect());
        places.get(name).copied()
    }

    /// Returns the reason why the query excludes a bundle; `None` if it does not.
    pub fn exclusion_reason(&self, name: &BundleName) -> Option<&Refusal> {
        self.excluded.iter().find(|(bundle, _)| bundle.name.value == *name).map(|(_, refusal)| refusal)
    }

    /// Returns the complete answer.
    pub fn complete_answer(&self, installed: Option<&Installed>) -> Answer {
        let mut answer = Answer::new(Engine::V1, installed);
        match self.list_candidates(installed) {
            Err(error) => answer.error = Some(error),
            Ok(candidates) => {
                let winner = candidates.iter().find(|c| matches!(c.verdict, Verdict::Admitted(_)));
                match winner.map(|winner| &winner.name) {
                    None => answer.error = Some(self.no_match_error()),
                    Some(name) if self.has_readable_version(name) => answer.pick = Some(name.clone()),
                    Some(name) => answer.error = Some(ResolveError::NoBundleVersion(name.clone())),
                }
                answer.candidates = candidates;
            }
        }
        answer
    }

    fn has_readable_version(&self, name: &BundleName) -> bool {
        let ranked = self.rank(name).and_then(|place| self.ranked.get(place));
        ranked.is_some_and(|ranked| ranked.version.is_some())
    }

    fn list_candidates(&self, installed: Option<&Installed>) -> Result<Vec<Candidate>, ResolveError> {
        let wanted = self.edge_version(installed)?;
        let mut candidates = Vec::with_capacity(self.ranked.len() + self.excluded.len());
        for ranked in &self.ranked {
            let verdict = match find_admission(ranked, installed, wanted.as_ref())? {
                Some(admission) => Verdict::Admitted(admission),
                None => Verdict::Refused(Refusal::NoEdge { ranges: collect_ranges(ranked) }),
            };
            candidates.push(candidate_from_bundle(&ranked.bundle, verdict));
        }
        let left_out = self
            .excluded
            .iter()
            .map(|(bundle, why)| candidate_from_bundle(bundle, Verdict::Refused(why.clone())));
        candidates.extend(left_out);
        Ok(candidates)
    }

    /// Returns the version of the installed bundle, as v1 compares it. `None` if nothing is
    /// installed or if the policy ignores edges.
    fn edge_version(&self, installed: Option<&Installed>) -> Result<Option<VersionRelease>, ResolveError> {
        match installed {
            Some(installed) if self.query.policy == Policy::CatalogProvided => match &installed.version {
                Some(version) => Ok(Some(effective_version(version))),
                None => Err(ResolveError::NoInstalledVersion(installed.name.clone())),
            },
            _ => Ok(None),
        }
    }

    fn no_match_error(&self) -> ResolveError {
        let mut what = String::new();
        if !self.query.version.is_empty() {
            what.push_str(" version ");
            what.push_str(&self.query.version);
        }
        if !self.query.channels.is_empty() {
            let names: Vec<&str> = self.query.channels.iter().map(ChannelName::as_str).collect();
            what.push_str(" in ");
            what.push_str(&names.join(", "));
        }
        match self.ranked.first() {
            Some(first) => ResolveError::NoEdge { what, bundle: first.bundle.name.value.clone() },
            None => ResolveError::NoMatch(what),
        }
    }
}

/// Returns the rank of a reason in the order in which v1 checks: channels before the constraint.
fn exclusion_rank(why: &Refusal) -> u8 {
    match why {
        Refusal::NotInChannels => 0,
        Refusal::Constraint { .. } => 1,
        _ => 2,
    }
}

/// Returns the edge or rule that admits a candidate; `None` if there is none. The version is from
/// [`Resolver::edge_version`].
fn find_admission(
    ranked: &Ranked,
    installed: Option<&Installed>,
    installed_version: Option<&VersionRelease>,
) -> Result<Option<Admission>, ResolveError> {
    let Some(installed) = installed else { return Ok(Some(Admission::FreshInstall)) };
    let Some(wanted) = installed_version else { return Ok(Some(Admission::SelfCertified)) };
    for (channel, entry) in ranked.selected_entries() {
        if let Some(admission) = edge_admission(channel, entry, installed)? {
            return Ok(Some(admission));
        }
    }
    Ok(ranked.has_version(wanted).then_some(Admission::Installed))
}

/// Returns the version of the first `olm.package` property as v1 compares it; `None` if it cannot be read.
fn comparable_version(bundle: &BundleBlob) -> Option<VersionRelease> {
    if bundle.properties.is_empty() {
        // A template knows only the version of the bundle of an image.
        return bundle.version.as_ref().map(effective_version);
    }
    let property = bundle.first_package_property()?;
    match &property.parsed {
        Ok(version) => Some(effective_version(version)),
        // v1 does not read `release`, so it may be invalid.
        Err(_) => Version::parse(&property.version.value).ok().map(|v| with_release_from_build(&v)),
    }
}

/// Returns the version as v1 compares it: build metadata in the form of a release counts as one.
pub(super) fn effective_version(version: &VersionRelease) -> VersionRelease {
    match version.release {
        Some(_) => version.clone(),
        None => with_release_from_build(&version.version),
    }
}

/// Returns the edge from an installed bundle to an entry. Checks `replaces` and `skips` before the
/// range, as v1 does.
fn edge_admission(
    channel: &ChannelName,
    entry: &Entry,
    installed: &Installed,
) -> Result<Option<Admission>, ResolveError> {
    let channel = || channel.clone();
    if entry.replaces(&installed.name) {
        return Ok(Some(Admission::Replaces { channel: channel(), installed: installed.name.clone() }));
    }
    if entry.skips(&installed.name) {
        return Ok(Some(Admission::Skips { channel: channel(), installed: installed.name.clone() }));
    }
    let (Some(skip_range), Some(version)) = (&entry.skip_range, &installed.version) else { return Ok(None) };
    let Ok(range) = &skip_range.range else { return Ok(None) };
    if range.crashes_on(&version.version) {
        let range = skip_range.text.value.clone();
        return Err(ResolveError::RangeCrashes { entry: entry.name.value.clone(), range });
    }
    Ok(range.matches(&version.version).then(|| Admission::Range {
        channel: channel(),
        range: skip_range.text.value.clone(),
        version: version.version.to_string(),
    }))
}

fn collect_ranges(ranked: &Ranked) -> Vec<String> {
    let mut ranges: Vec<String> = Vec::new();
    for (_, entry) in ranked.selected_entries() {
        if let Some(range) = &entry.skip_range
            && !ranges.contains(&range.text.value)
        {
            ranges.push(range.text.value.clone());
        }
    }
    ranges
}

fn candidate_from_bundle(bundle: &BundleBlob, verdict: Verdict) -> Candidate {
    Candidate { name: bundle.name.value.clone(), version: bundle.version.clone(), verdict }
}
