//! Explanations of an answer from a minimal core: demands that contradict each other, and of which none can be
//! left out. The messages are ours, because OLM's are neither minimal nor stable.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    answer::{Answer, Failure, Pick, Requester},
    constraint::Predicate,
    limit::StepLimitExceeded,
    problem::{Group, Problem, SubscriptionTarget, VarId, VariableBundle},
    question::{Question, Subscription},
    search::{Demand, Demands, SearchResult, search, spend_steps},
    suggestion,
};
use olm_catalog::BundleName;

/// Prefix of lines about a request.
const REQUEST_PREFIX: &str = "subscription ";
/// Text for a dependency without any candidates.
const NO_PROVIDER: &str = "no open catalog provides it";

/// Maximum number of names in a line.
const MAX_NAMES: usize = 5;
/// Maximum number of lines of a kind. A minimal core has a few lines, but an incomplete core can have
/// thousands.
const MAX_LINES: usize = 20;
/// Maximum number of demands for which obstacles are listed.
const MAX_DEMANDS: usize = 200;

/// Returns a core of contradicting demands. It is minimal unless `steps` are used up.
pub fn find_core(problem: &Problem<'_>, seen: &BTreeSet<Demand>, steps: &mut u64) -> BTreeSet<Demand> {
    let mut core = seen.clone();
    // Dependencies are dropped first, because users look for the requester.
    for demand in seen.iter().rev() {
        if !core.contains(demand) {
            continue;
        }
        spend_steps(steps, core.len() / 4);
        let mut fewer = core.clone();
        fewer.remove(demand);
        match search(problem, &Demands::for_demands(problem, &fewer), steps).result {
            SearchResult::Nothing(seen) => core = seen,
            SearchResult::Chosen(_) => {}
            SearchResult::OutOfSteps => break,
        }
    }
    core
}

/// Explains why there is no answer. `steps` is the rest of the `allowed` steps.
pub(super) fn explain_failure(
    problem: &Problem<'_>,
    seen: &BTreeSet<Demand>,
    allowed: u64,
    steps: &mut u64,
) -> Vec<String> {
    let core = find_core(problem, seen, steps);
    let mut lines = Vec::new();
    for demand in &core {
        match *demand {
            Demand::Target(at) => {
                lines.extend(problem.targets.get(at).map(|wish| describe_target(problem, wish)));
            }
            Demand::Stays(at) => lines.extend(problem.mandatory.get(at).map(|&var| {
                format!(
                    "{} is installed and has no subscription, so it must stay: delete the CSV if it is left over",
                    problem.bundle_name(var)
                )
            })),
            Demand::Need(..) => {}
        }
    }
    lines.extend(describe_needs(problem, &core));
    lines.extend(describe_obstacles(problem, &core));
    if *steps == 0 {
        lines.push(format!("not all of this may be to blame: {}", StepLimitExceeded { steps: allowed }));
    }
    lines
}

fn describe_target(problem: &Problem<'_>, wish: &SubscriptionTarget) -> String {
    let Some(subscription) = problem.question.subscriptions.get(wish.subscription) else {
        return String::new();
    };
    let wants = describe_request(subscription);
    let current = wish.candidates.iter().rev().find(|var| is_installed(problem, **var));
    match (current, wish.candidates.as_slice()) {
        (Some(current), [_]) => {
            format!("{wants}; {} is installed and nothing upgrades it", problem.bundle_name(*current))
        }
        (Some(current), candidates) => {
            let names = candidates.iter().filter(|var| *var != current).map(|var| problem.bundle_name(*var));
            format!(
                "{wants}; {} is installed, and can be upgraded to {}",
                problem.bundle_name(*current),
                join_names(names, "or")
            )
        }
        (None, [only]) => format!("{wants}; that is {}", problem.bundle_name(*only)),
        (None, candidates) => {
            format!(
                "{wants}; that is {}",
                join_names(candidates.iter().map(|var| problem.bundle_name(*var)), "or")
            )
        }
    }
}

fn describe_request(subscription: &Subscription) -> String {
    let Subscription { name, package, catalog, .. } = subscription;
    let channel = match &subscription.channel {
        Some(channel) => format!("channel {channel}"),
        None => "any channel".to_owned(),
    };
    format!("{REQUEST_PREFIX}{name} wants {package} from {channel} of {catalog}")
}

fn is_installed(problem: &Problem<'_>, var: VarId) -> bool {
    problem.variables.get(var).is_some_and(|variable| matches!(variable.at, VariableBundle::Csv(_)))
}

/// Joins names in a sentence, and truncates a long list.
fn join_names<T: ToString>(names: impl IntoIterator<Item = T>, and: &str) -> String {
    let mut known: HashSet<String> = HashSet::new();
    let names = names.into_iter().map(|name| name.to_string());
    let mut unique: Vec<String> = names.filter(|name| known.insert(name.clone())).collect();
    let more = unique.len().saturating_sub(MAX_NAMES);
    if more > 1 {
        unique.truncate(MAX_NAMES);
        return format!("{} {and} {more} more", unique.join(", "));
    }
    match unique.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {and} {last}", rest.join(", ")),
        _ => unique.concat(),
    }
}

/// Describes the dependencies of a core, with equal requirements in one line.
fn describe_needs(problem: &Problem<'_>, core: &BTreeSet<Demand>) -> Vec<String> {
    let mut lines: Vec<(Vec<VarId>, &Predicate, &[VarId])> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for demand in core {
        let Demand::Need(var, nth) = *demand else { continue };
        let Some(need) = problem.variables.get(var).and_then(|variable| variable.needs.get(nth)) else {
            continue;
        };
        let Some(predicate) = problem.predicate(var, need) else { continue };
        let at = *places.entry(predicate.cache_key()).or_insert(lines.len());
        match lines.get_mut(at) {
            Some((askers, ..)) => askers.push(var),
            None => lines.push((vec![var], predicate, &need.candidates)),
        }
    }
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    let words = lines.into_iter().map(|(askers, predicate, candidates)| {
        let names: BTreeSet<BundleName> = askers.iter().map(|var| problem.bundle_name(*var)).collect();
        let need = if names.len() == 1 { "needs" } else { "need" };
        let askers = join_names(askers.into_iter().map(|var| problem.bundle_name(var)), "and");
        let ways = if candidates.is_empty() {
            let nearest = suggestion::nearest_match(problem.question, predicate);
            format!("{NO_PROVIDER}{}", nearest.map(|near| format!("; {near}")).unwrap_or_default())
        } else {
            format!("only {}", join_names(candidates.iter().map(|var| describe_bundle(problem, *var)), "and"))
        };
        format!("{askers} {need} {predicate}: {ways}")
    });
    words.chain((more > 0).then(|| format!("and {more} more needs"))).collect()
}

/// Returns the name of a bundle, such as `a.v1.0.0`, with a mark if it is installed.
fn describe_bundle(problem: &Problem<'_>, var: VarId) -> String {
    let name = problem.bundle_name(var);
    if is_installed(problem, var) { format!("{name} (installed)") } else { name.to_string() }
}

/// Lists obstacles for the candidates of a core: deprecation, impossible bundles, and conflicts in a group.
fn describe_obstacles(problem: &Problem<'_>, core: &BTreeSet<Demand>) -> Vec<String> {
    let mut lines = Vec::new();
    let few = core.iter().take(MAX_DEMANDS);
    let candidates: Vec<&[VarId]> = few.map(|demand| candidates_of(problem, *demand)).collect();
    let all: BTreeSet<VarId> = candidates.iter().flat_map(|of| of.iter().copied()).collect();
    let deprecated = all.iter().filter(|var| problem.variables.get(**var).is_some_and(|v| v.is_deprecated));
    let deprecated = join_names(deprecated.map(|var| problem.bundle_name(*var)), "and");
    if !deprecated.is_empty() {
        lines.push(format!("never chosen, because of the property olm.deprecated: {deprecated}"));
    }
    let mut twice: BTreeMap<usize, Vec<VarId>> = BTreeMap::new();
    for &var in &all {
        if let Some(id) = problem.variables.get(var).and_then(|variable| variable.duplicate_group) {
            twice.entry(id).or_default().push(var);
        }
    }
    for (id, vars) in twice.into_iter().take(MAX_LINES) {
        let Some(group) = problem.groups.get(id) else { continue };
        let names = join_names(vars.iter().map(|var| problem.bundle_name(*var)), "and");
        lines.push(format!("{names} can never be installed: {} is listed twice", describe_group(group)));
    }
    // The candidates of each demand in a group are its sides.
    let mut by_group: BTreeMap<usize, BTreeSet<Vec<VarId>>> = BTreeMap::new();
    for of in &candidates {
        let mut own: BTreeMap<usize, Vec<VarId>> = BTreeMap::new();
        for &var in *of {
            for &id in problem.variables.get(var).map(|v| v.groups.as_slice()).unwrap_or_default() {
                own.entry(id).or_default().push(var);
            }
        }
        for (id, side) in own {
            by_group.entry(id).or_default().insert(side);
        }
    }
    let mut said: Vec<BTreeSet<VarId>> = Vec::new();
    // Packages come first, because versions of one package usually provide the same APIs.
    let mut groups: Vec<(usize, &Group, BTreeSet<Vec<VarId>>)> =
        by_group.into_iter().filter_map(|(id, sides)| Some((id, problem.groups.get(id)?, sides))).collect();
    groups.sort_by_key(|(id, group, _)| (matches!(group, Group::Gvk(_)), *id));
    for (_, group, sides) in groups {
        if said.len() == MAX_LINES {
            break;
        }
        let members: BTreeSet<VarId> = sides.iter().flatten().copied().collect();
        if sides.len() < 2 || members.len() < 2 || said.iter().any(|known| members.is_subset(known)) {
            continue;
        }
        let names = join_names(members.iter().map(|var| describe_bundle(problem, *var)), "and");
        let only = "and only one fits in a namespace";
        lines.push(match group {
            Group::Package(name) => format!("{names} are of package {name}, {only}"),
            Group::Gvk(gvk) => format!("{names} provide {gvk}, {only}"),
        });
        said.push(members);
    }
    lines
}

fn describe_group(group: &Group) -> String {
    match group {
        Group::Package(name) => format!("package {name}"),
        Group::Gvk(gvk) => format!("API {gvk}"),
    }
}

fn candidates_of<'p>(problem: &'p Problem<'_>, demand: Demand) -> &'p [VarId] {
    match demand {
        Demand::Target(at) => problem.targets.get(at).map(|wish| wish.candidates.as_slice()),
        Demand::Stays(at) => problem.mandatory.get(at..=at),
        Demand::Need(var, nth) => {
            problem.variables.get(var).and_then(|v| v.needs.get(nth)).map(|need| need.candidates.as_slice())
        }
    }
    .unwrap_or_default()
}

/// Lists the requesters of each dependency without a subscription.
pub(super) fn explain_dependencies(question: &Question, picks: &[Pick]) -> Vec<String> {
    let line = |pick: &Pick| {
        let is_asked_for = pick.requesters.iter().any(|by| match by {
            Requester::Subscription(name) => question.subscriptions.iter().any(|s| s.name == *name),
            Requester::Bundle { .. } => false,
        });
        let needs = pick.requesters.iter().filter_map(|by| match by {
            Requester::Bundle { bundle, requirement: what } => Some(format!("{bundle} needs {what}")),
            Requester::Subscription(_) => None,
        });
        let needs: Vec<String> = needs.collect();
        (!is_asked_for && !needs.is_empty())
            .then(|| format!("{} is installed along: {}", pick.bundle, join_names(needs, "and")))
    };
    picks.iter().filter_map(line).collect()
}

/// Explains why a subscription does not get its first choice.
pub(super) fn explain_fallbacks(
    problem: &Problem<'_>,
    chosen: &[VarId],
    allowed: u64,
    steps: &mut u64,
) -> Vec<String> {
    let mut lines = Vec::new();
    if allowed == 0 {
        return lines;
    }
    for (at, wish) in problem.targets.iter().enumerate() {
        let Some(&best) = wish.candidates.first() else { continue };
        spend_steps(steps, wish.candidates.len().min(chosen.len()));
        if chosen.contains(&best) {
            continue;
        }
        let got =
            wish.candidates.iter().find(|var| chosen.contains(var)).map(|var| problem.bundle_name(*var));
        let got = got.unwrap_or_default();
        let name = problem.bundle_name(best);
        spend_steps(steps, problem.variables.len());
        if *steps == 0 {
            lines.push(format!(
                "why some subscriptions do not get the newest is not known: {}",
                StepLimitExceeded { steps: allowed }
            ));
            break;
        }
        let mut only = problem.clone();
        if let Some(wish) = only.targets.get_mut(at) {
            wish.candidates.truncate(1);
        }
        let end = if wish.candidates.iter().any(|var| chosen.contains(var) && is_installed(problem, *var)) {
            format!("{got} stays, and {name} is not installed")
        } else {
            format!("{got} is installed and not {name}")
        };
        match search(&only, &Demands::for_problem(&only), steps).result {
            SearchResult::Nothing(seen) => {
                lines.push(format!("{end}:"));
                let why = explain_failure(&only, &seen, allowed, steps);
                lines.extend(why.into_iter().map(|line| format!("  {line}")));
            }
            SearchResult::Chosen(_) => {
                lines.push(format!("{end}: what other subscriptions want comes first"));
            }
            SearchResult::OutOfSteps => {
                lines.push(format!("{end}; why is not known: {}", StepLimitExceeded { steps: allowed }));
            }
        }
    }
    lines
}

/// Returns the reasons in an answer, without requests and outcomes.
pub(super) fn answer_reasons(answer: &Answer) -> Vec<String> {
    let is_outcome = |line: &str| answer.outcome.is_ok() && !line.starts_with(' ');
    let lines = answer.why.iter().filter(|line| !is_outcome(line)).map(|line| line.trim_start());
    lines.filter(|line| !line.starts_with(REQUEST_PREFIX)).map(str::to_owned).collect()
}

/// Returns true if a line is about a missing dependency.
pub(super) fn is_missing_dependency(reason: &str) -> bool {
    reason.contains(NO_PROVIDER)
}

/// Describes a failure with its location.
pub(super) fn describe_failure(question: &Question, failure: &Failure) -> String {
    match failure {
        Failure::Requirement { at: VariableBundle::Bundle { source, place }, span, .. } => {
            let index = question.sources.get(*source).map(|source| &source.index);
            let place = index.and_then(|index| index.catalog.location(index.bundle(place.at)?.doc, *span));
            match place {
                Some(place) => format!("{failure} ({place})"),
                None => failure.to_string(),
            }
        }
        Failure::NoTarget { asked: at, missing, .. } => {
            let subscription = question.subscriptions.get(*at);
            let wants = subscription.map(describe_request).unwrap_or_default();
            let near = subscription.and_then(|subscription| {
                suggestion::suggest_for_subscription(question, subscription, failure)
            });
            format!(
                "{wants}, and there is {}{}",
                missing.description(),
                near.map(|near| format!("; {near}")).unwrap_or_default()
            )
        }
        other => other.to_string(),
    }
}
