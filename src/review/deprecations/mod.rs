//! What is deprecated in a package, who can still be on it, how they get away from it, and what is missing.

mod conditions;
mod effects;
mod suggest;
#[cfg(test)]
mod tests;
mod ways;

pub use conditions::{Condition, ConditionKind, Status, conditions};
pub use effects::{Effects, Stranded};
pub use suggest::{Suggestion, Why, suggestions};
pub use ways::Way;

use std::collections::HashSet;

use super::snapshot::Judged;
use crate::{
    catalog::{
        BundleName, ChannelName, DocId, PackageName, Span,
        blob::{Deprecation, DeprecationTarget},
    },
    upgrade::{
        Engine, Installed, Verdict,
        table::{Next, v1_next},
        v1::{Query, Resolver},
    },
};
use ways::Ways;

/// A deprecation and what it does to those who have something of the package installed.
#[derive(Clone, Debug)]
pub struct Deprecated {
    /// The package.
    pub package: PackageName,
    /// What is deprecated; `None` where the catalog speaks of nothing that OLM knows.
    pub target: Option<DeprecationTarget>,
    /// How the catalog calls it: schema, and name where there is one.
    pub reference: String,
    /// What users are told.
    pub message: String,
    /// The document that says so.
    pub doc: DocId,
    /// Where.
    pub span: Span,
    /// Who can be on it: the installed bundles concerned, highest version first.
    pub concerned: Vec<BundleName>,
    /// How each of them gets away from it, in the same order; none where the whole package is deprecated, for then there is
    /// nothing in it to get to.
    pub users: Vec<User>,
    /// Installed bundles, not deprecated themselves, on which v1 stays because of this one: without it v1 would go on.
    pub stopped: Vec<BundleName>,
}

/// Somebody who has a bundle installed.
#[derive(Clone, Debug)]
pub struct User {
    /// The bundle.
    pub installed: BundleName,
    /// The way out of a subscriber to each channel concerned.
    pub classic: Vec<(ChannelName, Way)>,
    /// The way out where v1 is asked for no channel.
    pub v1: Way,
}

impl User {
    /// Under which OLM, and in which channel, there is no way out.
    pub fn closed(&self) -> impl Iterator<Item = (Engine, Option<&ChannelName>)> {
        let classic = self.classic.iter().filter(|(_, way)| way.is_closed());
        let v1 = self.v1.is_closed().then_some((Engine::V1, None));
        classic.map(|(channel, _)| (Engine::Classic, Some(channel))).chain(v1)
    }
}

impl Deprecated {
    /// Those who have no way out, under one OLM or the other.
    pub fn stranded(&self) -> impl Iterator<Item = &User> {
        self.users.iter().filter(|user| user.closed().next().is_some())
    }

    /// Whether it leaves somebody without a way out, or stops v1.
    pub fn blocks(&self) -> bool {
        !self.stopped.is_empty() || self.stranded().next().is_some()
    }

    /// Whether it is that of the whole package.
    pub fn is_package(&self) -> bool {
        self.target == Some(DeprecationTarget::Package)
    }
}

/// Everything that is deprecated in a package: the package, then channels, then bundles; what means nothing first.
pub fn deprecated(judged: &Judged) -> Vec<Deprecated> {
    let package = judged.package();
    if package.deprecations.is_empty() {
        return Vec::new();
    }
    let mut ways = Ways::new(&judged.graph);
    let stops = stops(judged);
    let mut all = Vec::new();
    for blob in &package.deprecations {
        for entry in &blob.entries {
            let target = entry.target.as_ref();
            let concerned = concerned(judged, target);
            let users = match target {
                Some(DeprecationTarget::Package) | None => Vec::new(),
                Some(target) => users(judged, &mut ways, target, &concerned),
            };
            let is_because = |(_, because): &&(BundleName, Vec<BundleName>)| match target {
                Some(DeprecationTarget::Bundle(name)) => because.contains(name),
                _ => false,
            };
            all.push(Deprecated {
                package: package.name.clone(),
                target: entry.target.clone(),
                reference: reference(entry),
                message: entry.message.value.clone(),
                doc: blob.doc,
                span: entry.span,
                stopped: stops.iter().filter(is_because).map(|(name, _)| name.clone()).collect(),
                concerned,
                users,
            });
        }
    }
    let newest_first = |name: &BundleName| package.version_of(name.as_str()).cloned();
    all.sort_by(|a, b| {
        let versions = match (&a.target, &b.target) {
            (Some(DeprecationTarget::Bundle(a)), Some(DeprecationTarget::Bundle(b))) => {
                match (newest_first(a), newest_first(b)) {
                    (Some(a), Some(b)) => b.cmp_precedence(&a),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                }
            }
            _ => std::cmp::Ordering::Equal,
        };
        let rank = |d: &Deprecated| match &d.target {
            None => 0,
            Some(DeprecationTarget::Package) => 1,
            Some(DeprecationTarget::Channel(_)) => 2,
            Some(DeprecationTarget::Bundle(_)) => 3,
        };
        rank(a).cmp(&rank(b)).then(versions).then_with(|| a.reference.cmp(&b.reference))
    });
    all
}

fn reference(entry: &Deprecation) -> String {
    match &entry.name {
        Some(name) => format!("{} {}", entry.schema.value, name.value),
        None => entry.schema.value.clone(),
    }
}

/// The bundles a deprecation speaks of: somebody may have them installed. Entries without a bundle are nobody's.
fn concerned(judged: &Judged, target: Option<&DeprecationTarget>) -> Vec<BundleName> {
    let package = judged.package();
    let is_bundle = |name: &&BundleName| package.bundle(name.as_str()).is_some();
    let mut names: Vec<BundleName> = match target {
        Some(DeprecationTarget::Package) => package.bundles.iter().map(|b| b.name.value.clone()).collect(),
        Some(DeprecationTarget::Channel(channel)) => {
            let entries = package.channel(channel.as_str()).into_iter().flat_map(|c| &c.entries);
            entries.map(|entry| &entry.name.value).filter(is_bundle).cloned().collect()
        }
        Some(DeprecationTarget::Bundle(name)) => Some(name).filter(is_bundle).cloned().into_iter().collect(),
        None => Vec::new(),
    };
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.sort_by(|a, b| match (package.version_of(a.as_str()), package.version_of(b.as_str())) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    names
}

/// How those concerned get away. Of a deprecated channel its subscribers are concerned, and no others under Classic.
fn users(
    judged: &Judged,
    ways: &mut Ways<'_>,
    target: &DeprecationTarget,
    concerned: &[BundleName],
) -> Vec<User> {
    let channels = judged.graph.channels();
    let user = |installed: &BundleName| {
        let counts = |(_, name): &(usize, &ChannelName)| match target {
            DeprecationTarget::Channel(channel) => *name == channel,
            _ => true,
        };
        let names = channels.iter().map(|channel| channel.graph.name()).enumerate().filter(counts);
        let classic = names.filter_map(|(at, name)| {
            channels.get(at)?.graph.entry_named(installed.as_str())?;
            Some((name.clone(), ways.classic(at, installed)))
        });
        let classic = classic.collect();
        User { installed: installed.clone(), classic, v1: ways.v1(installed) }
    };
    concerned.iter().map(user).collect()
}

/// The installed bundles that v1 would move if no bundle were deprecated, and does not, with the deprecated bundles it
/// would rather have: v1 sorts those last, and what is installed is a candidate itself.
fn stops(judged: &Judged) -> Vec<(BundleName, Vec<BundleName>)> {
    let package = judged.package();
    let targets = package.deprecations.iter().flat_map(|blob| &blob.entries).map(|entry| &entry.target);
    let is_bundle = |target: &Option<DeprecationTarget>| matches!(target, Some(DeprecationTarget::Bundle(_)));
    if !targets.clone().any(is_bundle) {
        return Vec::new();
    }
    let mut without = (**package).clone();
    without.deprecations.clear();
    let query = Query::default();
    let (Ok(now), Ok(otherwise)) = (judged.graph.resolver(&query), Resolver::new(&without, &query)) else {
        return Vec::new();
    };
    let (now, otherwise) = (Ok(now), Ok(std::sync::Arc::new(otherwise)));
    let mut stops = Vec::new();
    for name in concerned(judged, Some(&DeprecationTarget::Package)) {
        let installed = Installed::of(package, &name);
        let stays = v1_next(&now, &installed) == Next::Stays;
        if !stays || package.bundle_deprecation(&name).is_some() {
            continue;
        }
        if let (Next::To(_), Ok(now), Ok(otherwise)) = (v1_next(&otherwise, &installed), &now, &otherwise) {
            let here = otherwise.rank(&name);
            let candidates = now.answer(Some(&installed)).candidates.into_iter();
            let better = candidates.filter(|candidate| {
                matches!(candidate.verdict, Verdict::Admitted(_))
                    && candidate.name != name
                    && otherwise.rank(&candidate.name) < here
            });
            let better = better.map(|candidate| candidate.name).collect();
            stops.push((name, better));
        }
    }
    stops
}
