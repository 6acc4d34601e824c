//! The constraint problem for the search: bundles that may be chosen, and what each of them
//! requires and excludes.
//!
//! Source: operator-lifecycle-manager `resolver/resolver.go`.

use std::collections::{HashMap, HashSet};

use super::{
    answer::{Failure, MissingTarget},
    constraint::Predicate,
    entry::{EntryView, Facts},
    index::{BundlePosition, ChannelBundle, PackageIndex},
    installed_bundles,
    limit::StepLimitExceeded,
    question::{Question, Source, Subscription},
    search::spend_steps,
};
use crate::{Installed, classic};
use olm_catalog::{BundleName, blob::Gvk};

/// Index of a variable in [`Problem::variables`].
pub type VarId = usize;

/// Bundle of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VariableBundle {
    /// An installed bundle, by its index in the question.
    Csv(usize),
    /// A bundle in a channel of a catalog.
    Bundle {
        /// Index of the catalog in the question.
        source: usize,
        /// The bundle in its channel.
        place: ChannelBundle,
    },
}

/// A bundle that may be chosen.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The bundle.
    pub at: VariableBundle,
    /// Dependencies in the order of the properties.
    pub needs: Vec<Need>,
    /// True if there is a property `olm.deprecated`.
    pub is_deprecated: bool,
    /// Groups of the bundle, its packages and APIs. Only one member of a group may be chosen.
    pub groups: Vec<usize>,
    /// A package or API that the bundle has twice, so that it can never be chosen.
    pub duplicate_group: Option<usize>,
    /// Bundles that it replaces, which cannot be chosen together with it.
    pub rivals: Vec<VarId>,
    /// Name of the installed bundle that it replaces.
    pub replaces: Option<BundleName>,
}

/// A dependency of a variable.
#[derive(Clone, Debug)]
pub struct Need {
    /// Index in [`Facts::requirements`] of the bundle.
    pub requirement: usize,
    /// Variables that satisfy it, in order.
    pub candidates: Vec<VarId>,
}

/// A subscription with the bundles that satisfy it, one of which must be chosen.
#[derive(Clone, Debug)]
pub struct SubscriptionTarget {
    /// Index of the subscription in the question.
    pub subscription: usize,
    /// Variables that satisfy it, in order; the installed bundle comes last.
    pub candidates: Vec<VarId>,
}

/// A package or an API; only one chosen bundle may have it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// A package.
    Package(String),
    /// An API.
    Gvk(Gvk),
}

/// A question with all possible choices.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The question.
    pub question: &'a Question,
    /// All variables.
    pub variables: Vec<Variable>,
    /// Targets of the subscriptions, in the order of the subscriptions.
    pub targets: Vec<SubscriptionTarget>,
    /// Installed bundles without a subscription, which must stay.
    pub mandatory: Vec<VarId>,
    /// See [`Variable::groups`].
    pub groups: Vec<Group>,
}

impl<'a> Problem<'a> {
    /// Collects all bundles reachable from the subscriptions and the installed bundles. Takes from
    /// `steps`.
    ///
    /// # Errors
    ///
    /// If the resolution fails before any choice; returns all failures found.
    pub fn new(question: &'a Question, steps: &mut u64) -> Result<Self, Vec<Failure>> {
        let allowed = *steps;
        let sources = question.sources.iter().filter(|source| question.sees(source));
        let mut failures: Vec<Failure> = sources.filter_map(source_failure).collect();
        let installed = match installed_bundles::find_relevant(question) {
            Ok(installed) => installed,
            Err(failure) => {
                failures.push(failure);
                Vec::new()
            }
        };
        if !failures.is_empty() {
            return Err(failures);
        }
        let problem = Self {
            question,
            variables: Vec::new(),
            targets: Vec::new(),
            mandatory: Vec::new(),
            groups: Vec::new(),
        };
        let mut builder = ProblemBuilder {
            problem,
            known: HashMap::new(),
            groups: HashMap::new(),
            installed,
            steps,
            failures,
        };
        for at in builder.installed.clone() {
            let var = builder.add_variable(VariableBundle::Csv(at));
            let is_named = question.installed.get(at).is_some_and(|csv| {
                question.subscriptions.iter().any(|s| s.installed.as_ref() == Some(&csv.name))
            });
            if !is_named {
                builder.problem.mandatory.push(var);
            }
        }
        for at in 0..question.subscriptions.len() {
            builder.add_subscription(at);
        }
        builder.follow_dependencies();
        if *builder.steps == 0 {
            // Further failures may be missing after the budget ran out.
            builder.failures.push(Failure::StepLimitExceeded(StepLimitExceeded { steps: allowed }));
        }
        if builder.failures.is_empty() { Ok(builder.problem) } else { Err(builder.failures) }
    }

    /// Returns the facts and the blob of a bundle.
    pub fn entry_view(&self, at: VariableBundle) -> Option<EntryView<'a>> {
        view_entry(self.question, at)
    }

    /// Returns the facts of a variable.
    pub fn facts(&self, var: VarId) -> Option<&'a Facts> {
        self.entry_view(self.variables.get(var)?.at).map(|seen| seen.facts)
    }

    /// Returns the name of a variable's bundle.
    pub fn bundle_name(&self, var: VarId) -> BundleName {
        let name = self.variables.get(var).and_then(|variable| match variable.at {
            VariableBundle::Csv(at) => self.question.installed.get(at).map(|csv| csv.name.clone()),
            VariableBundle::Bundle { source, place } => {
                let index = &self.question.sources.get(source)?.index;
                index.bundle(place.at).map(|bundle| bundle.name.value.clone())
            }
        });
        name.unwrap_or_default()
    }

    /// Returns the predicate of a need.
    pub fn predicate(&self, var: VarId, need: &Need) -> Option<&'a Predicate> {
        self.facts(var)?.requirements.get(need.requirement)?.predicate.as_ref().ok()
    }
}

fn source_failure(source: &Source) -> Option<Failure> {
    let reason = source.fault.clone()?;
    Some(Failure::Source { catalog: source.key.clone(), reason })
}

fn view_entry(question: &Question, at: VariableBundle) -> Option<EntryView<'_>> {
    match at {
        VariableBundle::Csv(at) => {
            question.installed.get(at).map(|csv| EntryView { facts: &csv.facts, catalog_bundle: None })
        }
        VariableBundle::Bundle { source, place } => question.sources.get(source)?.index.entry_view(place.at),
    }
}

struct ProblemBuilder<'a, 's> {
    problem: Problem<'a>,
    known: HashMap<VariableBundle, VarId>,
    groups: HashMap<Group, usize>,
    /// Indexes of the installed bundles that take part in the resolution.
    installed: Vec<usize>,
    steps: &'s mut u64,
    failures: Vec<Failure>,
}

impl ProblemBuilder<'_, '_> {
    /// Returns the variable of a bundle, and adds it if it is new. Its dependencies are followed
    /// later.
    fn add_variable(&mut self, at: VariableBundle) -> VarId {
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        *self.steps = self.steps.saturating_sub(1);
        let var = self.problem.variables.len();
        self.known.insert(at, var);
        let facts = view_entry(self.problem.question, at).map(|seen| seen.facts);
        let mut variable = Variable {
            at,
            needs: Vec::new(),
            is_deprecated: facts.is_some_and(|facts| facts.is_deprecated),
            groups: Vec::new(),
            duplicate_group: None,
            rivals: Vec::new(),
            replaces: None,
        };
        let packages = facts.map(|facts| facts.packages.as_slice()).unwrap_or_default();
        let packages = packages.iter().map(|(name, _)| Group::Package(name.clone()));
        let apis = facts.map(|facts| facts.provides.as_slice()).unwrap_or_default();
        for group in packages.chain(apis.iter().cloned().map(Group::Gvk)) {
            let next = self.problem.groups.len();
            let id = *self.groups.entry(group).or_insert_with_key(|group| {
                self.problem.groups.push(group.clone());
                next
            });
            if variable.groups.contains(&id) {
                variable.duplicate_group.get_or_insert(id);
            } else {
                variable.groups.push(id);
            }
        }
        self.problem.variables.push(variable);
        var
    }

    /// Follows dependencies until there are no new variables.
    fn follow_dependencies(&mut self) {
        let mut var = 0;
        while var < self.problem.variables.len() && *self.steps > 0 {
            let needs = self.collect_needs(var);
            if let Some(variable) = self.problem.variables.get_mut(var) {
                variable.needs = needs;
            }
            var += 1;
        }
    }

    /// Returns the dependencies of a variable, and adds their candidates as variables.
    fn collect_needs(&mut self, var: VarId) -> Vec<Need> {
        let Some(at) = self.problem.variables.get(var).map(|variable| variable.at) else { return Vec::new() };
        let Some(facts) = view_entry(self.problem.question, at).map(|seen| seen.facts) else {
            return Vec::new();
        };
        let mut needs = Vec::with_capacity(facts.requirements.len());
        // Equal requirements are satisfied by the same candidate.
        let mut asked_for: HashSet<String> = HashSet::new();
        for (requirement, asked) in facts.requirements.iter().enumerate() {
            spend_steps(self.steps, 1);
            match &asked.predicate {
                Err(fault) => {
                    let entry = self.problem.bundle_name(var);
                    self.failures.push(Failure::Requirement {
                        entry,
                        at,
                        span: asked.span,
                        fault: fault.clone(),
                    });
                }
                Ok(predicate) if !asked_for.insert(predicate.cache_key()) => {}
                Ok(predicate) => match self.candidates(at, predicate) {
                    Ok(candidates) => {
                        let candidates = candidates.into_iter().map(|at| self.add_variable(at)).collect();
                        needs.push(Need { requirement, candidates });
                    }
                    Err(failure) => self.failures.push(failure),
                },
            }
        }
        needs
    }

    /// Returns the candidates for a dependency of `of` in order: installed bundles, then its own catalog, then
    /// the others.
    fn candidates(
        &mut self,
        of: VariableBundle,
        predicate: &Predicate,
    ) -> Result<Vec<VariableBundle>, Failure> {
        let question = self.problem.question;
        let mut matching: Vec<(&str, usize)> = Vec::new();
        for &at in &self.installed {
            let Some(csv) = question.installed.get(at) else { continue };
            if predicate.holds(EntryView { facts: &csv.facts, catalog_bundle: None }, self.steps) {
                matching.push((csv.facts.package(), at));
            }
        }
        matching.sort_unstable();
        if let Some((package, a, b)) = matching.windows(2).find_map(find_same_package) {
            let name = |at: usize| question.installed.get(at).map(|csv| csv.name.clone()).unwrap_or_default();
            return Err(Failure::TwoInstalled { package: package.to_owned(), csvs: [name(a), name(b)] });
        }
        let mut found: Vec<VariableBundle> =
            matching.into_iter().map(|(_, at)| VariableBundle::Csv(at)).collect();
        let own = match of {
            VariableBundle::Bundle { source, .. } => Some(source),
            VariableBundle::Csv(_) => None,
        };
        for source in question.visible_in_order(own) {
            let Some(of) = question.sources.get(source) else { continue };
            match of.index.candidates(predicate, self.steps).as_ref() {
                // Each requester stores its own copy of the candidates, so each copy counts.
                Ok(places) => {
                    *self.steps = self.steps.saturating_sub(places.len() as u64);
                    if *self.steps == 0 {
                        return Ok(Vec::new());
                    }
                    found.extend(places.iter().map(|&place| VariableBundle::Bundle { source, place }));
                }
                Err((package, error)) => return Err(chain_failure(of, *package, error)),
            }
        }
        Ok(found)
    }

    fn add_subscription(&mut self, at: usize) {
        let Some(subscription) = self.problem.question.subscriptions.get(at) else { return };
        match self.build_target(at, subscription) {
            Ok(wish) => self.problem.targets.push(wish),
            Err(failure) => self.failures.push(failure),
        }
    }

    /// Returns the bundles that satisfy the subscription with index `at`.
    fn build_target(
        &mut self,
        at: usize,
        subscription: &Subscription,
    ) -> Result<SubscriptionTarget, Failure> {
        let question = self.problem.question;
        let nothing =
            |missing| Failure::NoTarget { subscription: subscription.name.clone(), missing, asked: at };
        let sources = question.sources.iter().enumerate().filter(|(_, source)| question.sees(source));
        let found = sources.into_iter().find(|(_, source)| source.key == subscription.catalog);
        let (source, of) =
            found.filter(|(_, of)| has_entries(of)).ok_or_else(|| nothing(MissingTarget::Catalog))?;
        let package = of
            .index
            .package_position(subscription.package.as_str())
            .ok_or_else(|| nothing(MissingTarget::Package))?;
        let index = of.index.packages().get(package).ok_or_else(|| nothing(MissingTarget::Package))?;
        if index.package.channels.iter().all(|channel| channel.entries.is_empty()) {
            return Err(nothing(MissingTarget::Package));
        }
        let is_asked = |channel: &usize| {
            subscription.channel.as_ref().is_none_or(|name| *name == *index.channel_name(*channel))
        };
        let channels: Vec<usize> = index.channels_in_order().into_iter().filter(is_asked).collect();
        if channels.is_empty() {
            return Err(nothing(MissingTarget::Channel));
        }
        let current = self.current_bundle(subscription);
        let places = match (current, &subscription.starting_csv) {
            (None, Some(name)) => {
                let found = starting_positions(index, &channels, name);
                if found.is_empty() {
                    return Err(nothing(MissingTarget::StartingCsv));
                }
                found
            }
            _ => channel_chains(of, package, index, &channels)?,
        };
        let mut candidates = Vec::new();
        for (channel, bundle) in places {
            if let Some((csv, _)) = current
                && !self.upgrades_from(index, channel, bundle, csv)
            {
                continue;
            }
            let place = ChannelBundle { at: BundlePosition { package, bundle }, channel };
            let var = self.add_variable(VariableBundle::Bundle { source, place });
            if let (Some((csv, current)), Some(variable)) = (current, self.problem.variables.get_mut(var)) {
                variable.replaces = question.installed.get(csv).map(|csv| csv.name.clone());
                variable.rivals.push(current);
            }
            candidates.push(var);
        }
        candidates.extend(current.map(|(_, var)| var));
        Ok(SubscriptionTarget { subscription: at, candidates })
    }

    /// Returns the installed bundle of a subscription, if it takes part in the resolution.
    fn current_bundle(&mut self, subscription: &Subscription) -> Option<(usize, VarId)> {
        let name = subscription.installed.as_ref()?;
        let is_it =
            |at: &usize| self.problem.question.installed.get(*at).is_some_and(|csv| csv.name == *name);
        let at = self.installed.iter().copied().find(is_it)?;
        Some((at, self.add_variable(VariableBundle::Csv(at))))
    }

    /// Returns true if an entry replaces or skips the installed bundle.
    fn upgrades_from(&self, index: &PackageIndex, channel: usize, bundle: usize, csv: usize) -> bool {
        let Some(csv) = self.problem.question.installed.get(csv) else { return false };
        let version = csv.facts.version().cloned().map(Into::into);
        let installed = Installed { name: csv.name.clone(), version };
        index
            .channel_entry(channel, bundle)
            .is_some_and(|entry| classic::edge_kind(entry, &installed).is_some())
    }
}

/// Returns the chains of channels, one after another, as pairs of channel and bundle.
fn channel_chains(
    of: &Source,
    package: usize,
    index: &PackageIndex,
    channels: &[usize],
) -> Result<Vec<(usize, usize)>, Failure> {
    let mut places = Vec::new();
    for &channel in channels {
        let chain = index.chain(channel).map_err(|error| chain_failure(of, package, &error))?;
        places.extend(chain.iter().map(|&bundle| (channel, bundle)));
    }
    Ok(places)
}

/// Returns the package and both indexes if two matching installed bundles are of the same package.
fn find_same_package<'n>(pair: &[(&'n str, usize)]) -> Option<(&'n str, usize, usize)> {
    match pair {
        [(package, a), (other, b)] if package == other => Some((package, *a, *b)),
        _ => None,
    }
}

fn has_entries(source: &Source) -> bool {
    let mut packages = source.index.packages().iter();
    packages.any(|index| index.package.channels.iter().any(|channel| !channel.entries.is_empty()))
}

/// Returns pairs of channel and bundle for the entries with the name of `startingCSV`.
fn starting_positions(index: &PackageIndex, channels: &[usize], name: &BundleName) -> Vec<(usize, usize)> {
    let Some(bundle) = index.bundle_position(name.as_str()) else { return Vec::new() };
    let has_it = |channel: &&usize| index.channel_entry(**channel, bundle).is_some();
    channels.iter().filter(has_it).map(|&channel| (channel, bundle)).collect()
}

fn chain_failure(source: &Source, package: usize, error: &crate::ResolveError) -> Failure {
    let package = source.index.packages().get(package).map(|index| index.package.name.clone());
    Failure::Chain { catalog: source.key.clone(), package: package.unwrap_or_default(), error: error.clone() }
}
