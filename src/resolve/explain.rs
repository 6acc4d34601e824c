//! Why it is so, in people's words: from a minimal core, the demands of which each one could be left out and there would be an
//! answer. OLM's own message is neither minimal nor the same each time, so the words are ours.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    answer::{Answer, By, Failure, Pick},
    constraint::Predicate,
    limit::Stopped,
    nearest,
    problem::{At, Group, Problem, VarId, Wish},
    question::{Question, Subscription},
    search::{Demand, Demands, Found, search, spend},
};
use crate::catalog::BundleName;

/// How lines begin that say what is asked for.
const ASKED: &str = "subscription ";
/// What is said of a dependency that no entry satisfies.
const NOTHING: &str = "nothing in sight provides it";

/// The most names that a line lists.
const MOST: usize = 5;
/// The most lines of a sort. A minimal core has a few; one that could not be made minimal may have thousands.
const MOST_LINES: usize = 20;
/// Of how many demands it is told what stands against them.
const MOST_DEMANDS: usize = 200;

/// A core of demands that have no answer together. It is minimal unless `steps` are used up on the way.
pub fn core(problem: &Problem<'_>, seen: &BTreeSet<Demand>, steps: &mut u64) -> BTreeSet<Demand> {
    let mut core = seen.clone();
    // Dependencies first: who wants something is what people look for.
    for demand in seen.iter().rev() {
        if !core.contains(demand) {
            continue;
        }
        spend(steps, core.len() / 4);
        let mut fewer = core.clone();
        fewer.remove(demand);
        match search(problem, &Demands::only(problem, &fewer), steps).found {
            Found::Nothing(seen) => core = seen,
            Found::Chosen(_) => {}
            Found::OutOfSteps => break,
        }
    }
    core
}

/// Why there is no answer. `steps` is what is left of those that are `allowed`.
pub(super) fn why_not(
    problem: &Problem<'_>,
    seen: &BTreeSet<Demand>,
    allowed: u64,
    steps: &mut u64,
) -> Vec<String> {
    let core = core(problem, seen, steps);
    let mut lines = Vec::new();
    for demand in &core {
        match *demand {
            Demand::Wish(at) => lines.extend(problem.wishes.get(at).map(|wish| wish_words(problem, wish))),
            Demand::Stays(at) => lines.extend(problem.mandatory.get(at).map(|&var| {
                format!("{} is installed and has no subscription, so it must stay", problem.name(var))
            })),
            Demand::Need(..) => {}
        }
    }
    lines.extend(needs(problem, &core));
    lines.extend(obstacles(problem, &core));
    if *steps == 0 {
        lines.push(format!("not all of this may be to blame: {}", Stopped { steps: allowed }));
    }
    lines
}

fn wish_words(problem: &Problem<'_>, wish: &Wish) -> String {
    let Some(subscription) = problem.question.subscriptions.get(wish.subscription) else {
        return String::new();
    };
    let wants = asked(subscription);
    let current = wish.candidates.iter().rev().find(|var| is_installed(problem, **var));
    match (current, wish.candidates.as_slice()) {
        (Some(current), [_]) => {
            format!("{wants}; {} is installed and nothing upgrades it", problem.name(*current))
        }
        (Some(current), candidates) => {
            let names = candidates.iter().filter(|var| *var != current).map(|var| problem.name(*var));
            format!(
                "{wants}; {} is installed, and can be upgraded to {}",
                problem.name(*current),
                list(names, "or")
            )
        }
        (None, [only]) => format!("{wants}; that is {}", problem.name(*only)),
        (None, candidates) => {
            format!("{wants}; that is {}", list(candidates.iter().map(|var| problem.name(*var)), "or"))
        }
    }
}

fn asked(subscription: &Subscription) -> String {
    let Subscription { name, package, catalog, .. } = subscription;
    let channel = match &subscription.channel {
        Some(channel) => format!("channel {channel}"),
        None => "any channel".to_owned(),
    };
    format!("{ASKED}{name} wants {package} from {channel} of {catalog}")
}

fn is_installed(problem: &Problem<'_>, var: VarId) -> bool {
    problem.variables.get(var).is_some_and(|variable| matches!(variable.at, At::Csv(_)))
}

/// Names in a sentence, cut where it gets long.
fn list<T: ToString>(names: impl IntoIterator<Item = T>, and: &str) -> String {
    let mut known: HashSet<String> = HashSet::new();
    let names = names.into_iter().map(|name| name.to_string());
    let mut unique: Vec<String> = names.filter(|name| known.insert(name.clone())).collect();
    let more = unique.len().saturating_sub(MOST);
    if more > 1 {
        unique.truncate(MOST);
        return format!("{} {and} {more} more", unique.join(", "));
    }
    match unique.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {and} {last}", rest.join(", ")),
        _ => unique.concat(),
    }
}

/// The dependencies of a core; those that ask for the same in one line.
fn needs(problem: &Problem<'_>, core: &BTreeSet<Demand>) -> Vec<String> {
    let mut lines: Vec<(Vec<VarId>, &Predicate, &[VarId])> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for demand in core {
        let Demand::Need(var, nth) = *demand else { continue };
        let Some(need) = problem.variables.get(var).and_then(|variable| variable.needs.get(nth)) else {
            continue;
        };
        let Some(predicate) = problem.predicate(var, need) else { continue };
        let at = *places.entry(predicate.key()).or_insert(lines.len());
        match lines.get_mut(at) {
            Some((askers, ..)) => askers.push(var),
            None => lines.push((vec![var], predicate, &need.candidates)),
        }
    }
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    let words = lines.into_iter().map(|(askers, predicate, candidates)| {
        let names: BTreeSet<BundleName> = askers.iter().map(|var| problem.name(*var)).collect();
        let need = if names.len() == 1 { "needs" } else { "need" };
        let askers = list(askers.into_iter().map(|var| problem.name(var)), "and");
        let ways = if candidates.is_empty() {
            let nearest = nearest::miss(problem.question, predicate);
            format!("{NOTHING}{}", nearest.map(|near| format!("; {near}")).unwrap_or_default())
        } else {
            format!("only {}", list(candidates.iter().map(|var| described(problem, *var)), "and"))
        };
        format!("{askers} {need} {predicate}: {ways}")
    });
    words.chain((more > 0).then(|| format!("and {more} more needs"))).collect()
}

/// `a.v1.0.0`, or that it is installed.
fn described(problem: &Problem<'_>, var: VarId) -> String {
    let name = problem.name(var);
    if is_installed(problem, var) { format!("{name} (installed)") } else { name.to_string() }
}

/// What stands against the candidates of a core: what is deprecated, what can never be installed, and what only one may have.
fn obstacles(problem: &Problem<'_>, core: &BTreeSet<Demand>) -> Vec<String> {
    let mut lines = Vec::new();
    let few = core.iter().take(MOST_DEMANDS);
    let candidates: Vec<&[VarId]> = few.map(|demand| candidates_of(problem, *demand)).collect();
    let all: BTreeSet<VarId> = candidates.iter().flat_map(|of| of.iter().copied()).collect();
    let deprecated = all.iter().filter(|var| problem.variables.get(**var).is_some_and(|v| v.is_deprecated));
    let deprecated = list(deprecated.map(|var| problem.name(*var)), "and");
    if !deprecated.is_empty() {
        lines.push(format!("never chosen, because of the property olm.deprecated: {deprecated}"));
    }
    let mut twice: BTreeMap<usize, Vec<VarId>> = BTreeMap::new();
    for &var in &all {
        if let Some(id) = problem.variables.get(var).and_then(|variable| variable.twice) {
            twice.entry(id).or_default().push(var);
        }
    }
    for (id, vars) in twice.into_iter().take(MOST_LINES) {
        let Some(group) = problem.groups.get(id) else { continue };
        let names = list(vars.iter().map(|var| problem.name(*var)), "and");
        lines.push(format!("{names} can never be installed: {} is listed twice", words_of(group)));
    }
    // The candidates of each demand that are in a group: its sides.
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
    // Packages first: what is the same package mostly provides the same APIs.
    let mut groups: Vec<(usize, &Group, BTreeSet<Vec<VarId>>)> =
        by_group.into_iter().filter_map(|(id, sides)| Some((id, problem.groups.get(id)?, sides))).collect();
    groups.sort_by_key(|(id, group, _)| (matches!(group, Group::Gvk(_)), *id));
    for (_, group, sides) in groups {
        if said.len() == MOST_LINES {
            break;
        }
        let members: BTreeSet<VarId> = sides.iter().flatten().copied().collect();
        if sides.len() < 2 || members.len() < 2 || said.iter().any(|known| members.is_subset(known)) {
            continue;
        }
        let names = list(members.iter().map(|var| described(problem, *var)), "and");
        let only = "and only one fits in a namespace";
        lines.push(match group {
            Group::Package(name) => format!("{names} are of package {name}, {only}"),
            Group::Gvk(gvk) => format!("{names} provide {gvk}, {only}"),
        });
        said.push(members);
    }
    lines
}

fn words_of(group: &Group) -> String {
    match group {
        Group::Package(name) => format!("package {name}"),
        Group::Gvk(gvk) => format!("API {gvk}"),
    }
}

fn candidates_of<'p>(problem: &'p Problem<'_>, demand: Demand) -> &'p [VarId] {
    match demand {
        Demand::Wish(at) => problem.wishes.get(at).map(|wish| wish.candidates.as_slice()),
        Demand::Stays(at) => problem.mandatory.get(at..=at),
        Demand::Need(var, nth) => {
            problem.variables.get(var).and_then(|v| v.needs.get(nth)).map(|need| need.candidates.as_slice())
        }
    }
    .unwrap_or_default()
}

/// Who asked for what no subscription asked for.
pub(super) fn along(question: &Question, picks: &[Pick]) -> Vec<String> {
    let line = |pick: &Pick| {
        let is_asked_for = pick.by.iter().any(|by| match by {
            By::Subscription(name) => question.subscriptions.iter().any(|s| s.name == *name),
            By::Bundle { .. } => false,
        });
        let needs = pick.by.iter().filter_map(|by| match by {
            By::Bundle { bundle, what } => Some(format!("{bundle} needs {what}")),
            By::Subscription(_) => None,
        });
        let needs: Vec<String> = needs.collect();
        (!is_asked_for && !needs.is_empty())
            .then(|| format!("{} is installed along: {}", pick.bundle, list(needs, "and")))
    };
    picks.iter().filter_map(line).collect()
}

/// Why a subscription does not get what it would like best.
pub(super) fn fallbacks(
    problem: &Problem<'_>,
    chosen: &[VarId],
    allowed: u64,
    steps: &mut u64,
) -> Vec<String> {
    let mut lines = Vec::new();
    if allowed == 0 {
        return lines;
    }
    for (at, wish) in problem.wishes.iter().enumerate() {
        let Some(&best) = wish.candidates.first() else { continue };
        spend(steps, wish.candidates.len().min(chosen.len()));
        if chosen.contains(&best) {
            continue;
        }
        let got = wish.candidates.iter().find(|var| chosen.contains(var)).map(|var| problem.name(*var));
        let got = got.unwrap_or_default();
        let name = problem.name(best);
        spend(steps, problem.variables.len());
        if *steps == 0 {
            lines.push(format!(
                "why some subscriptions do not get the newest is not known: {}",
                Stopped { steps: allowed }
            ));
            break;
        }
        let mut only = problem.clone();
        if let Some(wish) = only.wishes.get_mut(at) {
            wish.candidates.truncate(1);
        }
        let end = if wish.candidates.iter().any(|var| chosen.contains(var) && is_installed(problem, *var)) {
            format!("{got} stays, and {name} is not installed")
        } else {
            format!("{got} is installed and not {name}")
        };
        match search(&only, &Demands::all(&only), steps).found {
            Found::Nothing(seen) => {
                lines.push(format!("{end}:"));
                let why = why_not(&only, &seen, allowed, steps);
                lines.extend(why.into_iter().map(|line| format!("  {line}")));
            }
            Found::Chosen(_) => lines.push(format!("{end}: what other subscriptions want comes first")),
            Found::OutOfSteps => {
                lines.push(format!("{end}; why is not known: {}", Stopped { steps: allowed }));
            }
        }
    }
    lines
}

/// What stands against something, of all the lines that say why: not what was asked for, nor what comes of it.
pub(super) fn reasons(answer: &Answer) -> Vec<String> {
    let is_outcome = |line: &str| answer.outcome.is_ok() && !line.starts_with(' ');
    let lines = answer.why.iter().filter(|line| !is_outcome(line)).map(|line| line.trim_start());
    lines.filter(|line| !line.starts_with(ASKED)).map(str::to_owned).collect()
}

/// Whether a line says that something is not there at all.
pub(super) fn is_missing(reason: &str) -> bool {
    reason.contains(NOTHING)
}

/// A failure with its place.
pub(super) fn failure(question: &Question, failure: &Failure) -> String {
    match failure {
        Failure::Requirement { at: At::Bundle { source, place }, span, .. } => {
            let index = question.sources.get(*source).map(|source| &source.index);
            let place = index.and_then(|index| index.catalog.place(index.bundle(place.at)?.doc, *span));
            match place {
                Some(place) => format!("{failure} ({place})"),
                None => failure.to_string(),
            }
        }
        Failure::Nothing { asked: at, missing, .. } => {
            let subscription = question.subscriptions.get(*at);
            let wants = subscription.map(asked).unwrap_or_default();
            let near =
                subscription.and_then(|subscription| nearest::subscription(question, subscription, failure));
            format!(
                "{wants}, and there is {}{}",
                missing.words(),
                near.map(|near| format!("; {near}")).unwrap_or_default()
            )
        }
        other => other.to_string(),
    }
}
