//! Resolution of a question.

use std::collections::{BTreeSet, HashMap};

use super::{
    answer::{Answer, Failure, NewSubscription, Pick, Requester},
    explain,
    limit::{Limits, StepLimitExceeded},
    problem::{Problem, VarId, VariableBundle},
    question::Question,
    reference_solver::{ReferenceOutcome, reference_outcome},
    search::{Demand, Demands, Outcome, SearchResult, search, spend_steps},
};

/// Returns what OLM Classic would do in a namespace.
pub fn resolve(question: &Question, limits: Limits) -> Answer {
    resolve_with(question, limits, |_| ())
}

/// Like [`resolve`], and passes the problem to `note`.
pub(super) fn resolve_with(question: &Question, limits: Limits, note: impl FnOnce(&Problem<'_>)) -> Answer {
    let mut steps = limits.search;
    let problem = match Problem::new(question, &mut steps) {
        Ok(problem) => problem,
        Err(failures) => {
            let mut why: Vec<String> = Vec::new();
            for line in failures.iter().map(|failure| explain::describe_failure(question, failure)) {
                if !why.contains(&line) {
                    why.push(line);
                }
            }
            return Answer::from_failures(failures, why);
        }
    };
    note(&problem);
    let demands = Demands::for_problem(&problem);
    let outcome = search(&problem, &demands, &mut steps);
    let mut why_steps = limits.explanation;
    match &outcome.result {
        SearchResult::OutOfSteps => {
            let stopped = Failure::StepLimitExceeded(StepLimitExceeded { steps: limits.search });
            Answer::from_failures(vec![stopped.clone()], vec![stopped.to_string()])
        }
        SearchResult::Nothing(seen) => {
            let why = explain::explain_failure(&problem, seen, limits.explanation, &mut why_steps);
            Answer::from_failures(vec![Failure::Unsatisfiable], why)
        }
        SearchResult::Chosen(chosen) => {
            let picks = new_picks(&problem, chosen);
            let subscriptions = new_subscriptions(question, &picks);
            let along = explain::explain_dependencies(question, &picks);
            let mut why = explain::explain_fallbacks(&problem, chosen, limits.explanation, &mut why_steps);
            let mut steps = limits.stability;
            let unstable =
                if steps > 0 { is_unstable(&problem, chosen, &outcome, &mut steps) } else { Some(false) };
            let stability_limit = unstable.is_none().then_some(StepLimitExceeded { steps: limits.stability });
            if let Some(stopped) = stability_limit {
                why.push(format!("whether OLM may answer otherwise another time is not known: {stopped}"));
            }
            let is_unstable = unstable.unwrap_or_default();
            Answer {
                outcome: Ok(picks),
                subscriptions,
                dependency_reasons: along,
                why,
                is_unstable,
                stability_limit,
            }
        }
    }
}

impl Answer {
    fn from_failures(failures: Vec<Failure>, why: Vec<String>) -> Self {
        Self {
            outcome: Err(failures),
            subscriptions: Vec::new(),
            dependency_reasons: Vec::new(),
            why,
            is_unstable: false,
            stability_limit: None,
        }
    }

    /// Returns the bundles to install; empty if the resolution failed.
    pub fn picks(&self) -> &[Pick] {
        self.outcome.as_deref().unwrap_or_default()
    }

    /// Returns the subscription that OLM creates for a dependency.
    pub fn new_subscription(&self, pick: &Pick) -> Option<&NewSubscription> {
        self.subscriptions.iter().find(|new| {
            (&new.package, &new.channel, &new.catalog) == (&pick.package, &pick.channel, &pick.catalog)
        })
    }

    /// Returns true unless a limit of olmap left the answer unknown.
    pub fn is_known(&self) -> bool {
        self.outcome.as_ref().err().is_none_or(|failures| !failures.iter().all(Failure::is_own_limit))
    }

    /// Returns what a limit of olmap left undecided, with the limit. `None` if everything was decided.
    pub fn undecided_part(&self) -> Option<String> {
        if !self.is_known() {
            return Some(format!(
                "what OLM Classic installs is not known: {}",
                self.error_message().unwrap_or_default()
            ));
        }
        let stopped = self.stability_limit?;
        Some(format!("whether OLM Classic may install something else another time is not known: {stopped}"))
    }

    /// Returns the reasons for a failure in one line, or why the answer is unknown.
    pub fn error_message(&self) -> Option<String> {
        let failures = self.outcome.as_ref().err()?;
        let mut lines: Vec<String> = Vec::new();
        let is_known = self.is_known();
        for failure in failures.iter().filter(|failure| !(is_known && failure.is_own_limit())) {
            let line = failure.to_string();
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        Some(lines.join("; "))
    }
}

/// Returns the chosen bundles that are not installed yet, in the order they were chosen.
fn new_picks(problem: &Problem<'_>, chosen: &[VarId]) -> Vec<Pick> {
    let mut requesters = collect_requesters(problem, chosen);
    chosen
        .iter()
        .filter_map(|&var| build_pick(problem, var, requesters.remove(&var).unwrap_or_default()))
        .collect()
}

fn build_pick(problem: &Problem<'_>, var: VarId, by: BTreeSet<Requester>) -> Option<Pick> {
    let variable = problem.variables.get(var)?;
    let VariableBundle::Bundle { source, place } = variable.at else { return None };
    let source = problem.question.sources.get(source)?;
    let index = source.index.packages().get(place.at.package)?;
    let bundle = source.index.bundle(place.at)?;
    let entry = index.channel_entry(place.channel, place.at.bundle);
    let replaces = variable.replaces.clone().or_else(|| entry?.replaces.as_ref().map(|r| r.value.clone()));
    Some(Pick {
        package: index.package.name.clone(),
        channel: index.channel_name(place.channel).into(),
        bundle: bundle.name.value.clone(),
        version: bundle.version.as_ref().map(|version| version.version.clone()),
        catalog: source.key.clone(),
        replaces,
        is_upgrade: variable.replaces.is_some(),
        requesters: by.into_iter().collect(),
    })
}

/// Maximum number of requesters listed for a bundle.
const MAX_REQUESTERS: usize = 1000;

/// Returns the requesters of each chosen bundle.
fn collect_requesters(problem: &Problem<'_>, chosen: &[VarId]) -> HashMap<VarId, BTreeSet<Requester>> {
    let mut by: HashMap<VarId, BTreeSet<Requester>> =
        chosen.iter().map(|var| (*var, BTreeSet::new())).collect();
    for wish in &problem.targets {
        let Some(subscription) = problem.question.subscriptions.get(wish.subscription) else { continue };
        for var in &wish.candidates {
            if let Some(by) = by.get_mut(var) {
                by.insert(Requester::Subscription(subscription.name.clone()));
            }
        }
    }
    for &asker in chosen {
        let needs = problem.variables.get(asker).map(|v| v.needs.as_slice()).unwrap_or_default();
        for need in needs {
            let mut what = None;
            for var in need.candidates.iter().filter(|var| **var != asker) {
                let Some(by) = by.get_mut(var).filter(|by| by.len() < MAX_REQUESTERS) else { continue };
                let words = || problem.predicate(asker, need).map(ToString::to_string).unwrap_or_default();
                let what = what.get_or_insert_with(words).clone();
                by.insert(Requester::Bundle { bundle: problem.bundle_name(asker), requirement: what });
            }
        }
    }
    by
}

/// Returns the subscriptions that OLM creates for bundles without one.
fn new_subscriptions(question: &Question, picks: &[Pick]) -> Vec<NewSubscription> {
    let covers = |pick: &Pick| {
        question.subscriptions.iter().any(|subscription| {
            subscription.package == pick.package
                && subscription.channel.as_ref().is_none_or(|channel| *channel == pick.channel)
                && subscription.catalog == pick.catalog
        })
    };
    let new = |pick: &Pick| NewSubscription {
        name: format!("{}-{}-{}-{}", pick.package, pick.channel, pick.catalog.name, pick.catalog.namespace),
        package: pick.package.clone(),
        channel: pick.channel.clone(),
        catalog: pick.catalog.clone(),
        starting_csv: pick.bundle.clone(),
    };
    picks.iter().filter(|pick| !covers(pick)).map(new).collect()
}

/// Returns true if OLM may choose other bundles. Causes are another order of subscriptions, its incomplete
/// backtracking, and equal copies of a bundle in several channels. `None` if the steps are used up.
fn is_unstable(problem: &Problem<'_>, chosen: &[VarId], outcome: &Outcome, steps: &mut u64) -> Option<bool> {
    let base: BTreeSet<VarId> = chosen.iter().copied().collect();
    let demands = Demands::for_problem(problem);
    if takes_any_copy(problem, &base) {
        return Some(true);
    }
    for first in demand_orders(&demands.first) {
        spend_steps(steps, first.len());
        let again = search(problem, &Demands { first: first.clone(), needs: None }, steps);
        match again.result {
            SearchResult::Chosen(other) if other.iter().copied().collect::<BTreeSet<_>>() != base => {
                return Some(true);
            }
            SearchResult::OutOfSteps => return None,
            _ => {}
        }
        if outcome.went_back || again.went_back {
            let outcome_of_reference = reference_outcome(problem, &first, steps);
            if *steps == 0 {
                return None;
            }
            if outcome_of_reference != ReferenceOutcome::Chosen(base.clone()) {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Returns true if a bundle in several channels was chosen for a subscription without a channel. OLM then takes
/// any copy.
fn takes_any_copy(problem: &Problem<'_>, chosen: &BTreeSet<VarId>) -> bool {
    problem.targets.iter().any(|wish| {
        let subscription = problem.question.subscriptions.get(wish.subscription);
        if subscription.is_none_or(|subscription| subscription.channel.is_some()) {
            return false;
        }
        let own = wish.candidates.iter().find(|var| chosen.contains(var));
        let Some(VariableBundle::Bundle { source, place }) =
            own.and_then(|var| Some(problem.variables.get(*var)?.at))
        else {
            return false;
        };
        let index = problem.question.sources.get(source).map(|source| &source.index);
        let bundle =
            index.and_then(|index| Some((index.packages().get(place.at.package)?, index.bundle(place.at)?)));
        bundle
            .is_some_and(|(index, bundle)| index.package.channel_positions_with(&bundle.name.value).len() > 1)
    })
}

/// Iterates lazily over orders of the first demands: all orders of a few, some orders of many.
fn demand_orders(first: &[Demand]) -> Box<dyn Iterator<Item = Vec<Demand>> + '_> {
    const FEW: usize = 4;
    if first.len() > FEW {
        let rotated = (0..first.len()).map(|by| {
            let mut order = first.to_vec();
            order.rotate_left(by);
            order
        });
        let reversed = std::iter::once_with(|| first.iter().rev().copied().collect());
        return Box::new(rotated.chain(reversed));
    }
    let mut orders = vec![Vec::new()];
    for &demand in first {
        let longer = orders.iter().flat_map(|order: &Vec<Demand>| {
            (0..=order.len()).rev().map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, demand);
                longer
            })
        });
        orders = longer.collect();
    }
    Box::new(orders.into_iter())
}
