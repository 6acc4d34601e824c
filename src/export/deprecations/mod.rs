//! Deprecations and their consequences, worded the same in the explorer, on the command line and in
//! pull requests.

mod effects;
mod json;
mod markdown;
mod text;

pub use effects::{EffectsRow, effects};
pub use json::Report;
pub use markdown::comment;
pub use text::{ink, text};

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    catalog::{
        BundleName, ChannelName, PackageName, blob::DeprecationTarget, lifecycle::Date,
        load::git::since::Since, package::Package,
    },
    export::left_out::LeftOut,
    review::{
        Judged, Snapshot,
        deprecations::{
            ConditionKind, Deprecated, Status, Suggestion, Way, conditions, counted, deprecated, suggestions,
        },
    },
    upgrade::{Engine, Installed, table::v1_next, v1::Query},
    validate::Diagnostic,
};

/// Maximum number of names in a sentence.
const MOST: usize = 20;

/// Release check: deprecations of a catalog, those that block, and suggestions.
#[derive(Debug)]
pub struct Check<'a> {
    /// Checked catalog.
    pub snapshot: &'a Snapshot,
    /// Date of the check.
    pub today: Date,
    /// Deprecations, grouped by package.
    pub deprecated: Vec<Deprecated>,
    /// Suggested deprecations.
    pub suggested: Vec<Suggestion>,
    /// Dates of the deprecations, if git was queried.
    pub since: Option<History>,
    /// Parts of the catalog that could not be read.
    pub left_out: Option<LeftOut>,
    /// Revision that the catalog is compared with, if only changes since then are listed.
    pub base: Option<String>,
    /// Deprecations that do not count as blocking, by package and reference: accepted ones, and
    /// those that already blocked before the change.
    uncounted: HashSet<(PackageName, String)>,
    /// Number of deprecations that block and are accepted.
    pub accepted: usize,
}

/// Start of each deprecation.
pub type History = HashMap<(PackageName, DeprecationTarget), Since>;

impl<'a> Check<'a> {
    /// Checks a catalog, or one package of it.
    pub fn new(snapshot: &'a Snapshot, package: Option<&str>, today: Date) -> Self {
        let is_meant = |name: &PackageName| package.is_none_or(|wanted| *name == *wanted);
        let meant = || snapshot.packages().filter(|(name, _)| is_meant(name)).map(|(_, judged)| judged);
        Self {
            snapshot,
            today,
            deprecated: meant().flat_map(|judged| deprecated(judged)).collect(),
            suggested: meant()
                .flat_map(|judged| suggestions(&snapshot.catalog, judged, Some(today)))
                .collect(),
            since: None,
            left_out: LeftOut::of(&snapshot.catalog, is_meant),
            base: None,
            uncounted: HashSet::new(),
            accepted: 0,
        }
    }

    /// Keeps only the deprecations that a change adds or affects. A deprecation blocks only if the
    /// change takes something away from users.
    #[must_use]
    pub fn changed_since(mut self, base: &str, old: &Snapshot) -> Self {
        self.base = Some(base.to_owned());
        self.suggested.clear();
        let all = std::mem::take(&mut self.deprecated);
        for one in all {
            let change = counted::change(&one, old, self.snapshot);
            if !change.is_concerned {
                continue;
            }
            if !change.blocks {
                self.uncounted.insert((one.package.clone(), one.reference.clone()));
            }
            self.deprecated.push(one);
        }
        self
    }

    /// Stops counting deprecations as blocking if accepted findings account for them.
    #[must_use]
    pub fn accepting(mut self, accepted: &[&Diagnostic]) -> Self {
        let known: Vec<(PackageName, String)> = self
            .blocking()
            .filter(|one| counted::is_accepted(one, accepted))
            .map(|one| (one.package.clone(), one.reference.clone()))
            .collect();
        self.accepted = known.len();
        self.uncounted.extend(known);
        self
    }

    /// Returns true if a deprecation counts as blocking.
    pub fn blocks(&self, one: &Deprecated) -> bool {
        one.blocks() && !self.uncounted.contains(&(one.package.clone(), one.reference.clone()))
    }

    /// Returns the deprecations that block: they leave an installation without an upgrade path, or
    /// stop v1.
    pub fn blocking(&self) -> impl Iterator<Item = &Deprecated> {
        self.deprecated.iter().filter(|one| self.blocks(one))
    }

    fn judged(&self, package: &PackageName) -> Option<&'a Judged> {
        self.snapshot.package(package.as_str()).map(AsRef::as_ref)
    }

    fn label(&self, package: &PackageName, bundle: &BundleName) -> String {
        self.judged(package).map_or_else(|| bundle.to_string(), |judged| judged.package().short_name(bundle))
    }

    fn since(&self, one: &Deprecated) -> Option<&Since> {
        self.since.as_ref()?.get(&(one.package.clone(), one.target.clone()?))
    }
}

/// Returns the display name of a deprecated object, without its package.
pub fn called(package: &Package, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => "the package".to_owned(),
        DeprecationTarget::Channel(name) => format!("channel {name}"),
        DeprecationTarget::Bundle(name) => package.short_name(name),
    }
}

/// Severity of a sentence for the affected installations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fate {
    /// The installation does not have an upgrade path.
    Blocked,
    /// An administrator must act.
    ByHand,
    /// The outcome is unknown.
    Unknown,
    /// The installation is upgraded automatically.
    Fine,
}

/// Outcome for a group of affected installations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// Severity of the outcome.
    pub fate: Fate,
    /// OLM that the sentence is about.
    pub engine: Engine,
    /// Affected installations and their outcome.
    pub words: String,
}

/// Maximum number of sentences that differ only in the final version of the upgrade path.
const MOST_ALIKE: usize = 4;

/// Key of a group of installations that share a sentence: severity, OLM, channel and kind of
/// upgrade path.
type Alike<'a> = (Fate, Engine, Option<&'a ChannelName>, String);

/// Returns one sentence per outcome and OLM, worst first. `label` returns the display name of a
/// bundle.
pub fn sentences(one: &Deprecated, label: impl Fn(&BundleName) -> String) -> Vec<Sentence> {
    let mut groups: BTreeMap<Alike<'_>, BTreeMap<String, Vec<&BundleName>>> = BTreeMap::new();
    for user in &one.users {
        let classic = user.classic.iter().map(|(channel, way)| (Engine::Classic, Some(channel), way));
        for (engine, channel, way) in classic.chain([(Engine::V1, None, &user.v1)]) {
            let Words { fate, exact, roughly } = Words::of(engine, way, &user.installed, &label);
            let group = groups.entry((fate, engine, channel, roughly)).or_default();
            group.entry(exact).or_default().push(&user.installed);
        }
    }
    let mut sentences: Vec<Sentence> = Vec::new();
    if !one.stopped.is_empty() {
        let stay = if one.stopped.len() == 1 { "stays" } else { "stay" };
        let words = format!("{} {stay}: the next upgrade is deprecated", named(&one.stopped, &label));
        sentences.push(Sentence { fate: Fate::Blocked, engine: Engine::V1, words });
    }
    for ((fate, engine, channel, roughly), exactly) in groups {
        let channel = channel.map(|name| format!("{name}: ")).unwrap_or_default();
        let mut sentence = |installed: Vec<&BundleName>, words: &str| {
            let words = format!("{channel}{} {words}", named(installed, &label));
            sentences.push(Sentence { fate, engine, words });
        };
        if exactly.len() > MOST_ALIKE {
            // Restores the original order, highest version first.
            let all: HashSet<&BundleName> = exactly.into_values().flatten().collect();
            let users = one.users.iter().map(|user| &user.installed);
            sentence(users.filter(|name| all.contains(name)).collect(), &roughly);
        } else {
            for (exact, installed) in exactly {
                sentence(installed, &exact);
            }
        }
    }
    sentences.sort_by_key(|sentence| sentence.fate);
    sentences
}

/// Lists the first names and the total.
fn named<'a>(
    names: impl IntoIterator<Item = &'a BundleName>,
    label: impl Fn(&BundleName) -> String,
) -> String {
    let names: Vec<&BundleName> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(MOST).map(|name| label(name)).collect();
    let shown = shown.join(" ");
    match names.len() {
        0 | 1 => shown,
        all if all > MOST => format!("{shown} ... ({all})"),
        all => format!("{shown} ({all})"),
    }
}

/// Upgrade path in words, with and without its final version.
struct Words {
    fate: Fate,
    exact: String,
    roughly: String,
}

impl Words {
    fn of(engine: Engine, way: &Way, installed: &BundleName, label: impl Fn(&BundleName) -> String) -> Self {
        const NEXT: &str = "a supported bundle";
        let all = |fate, words: &str| Self { fate, exact: words.to_owned(), roughly: words.to_owned() };
        let to = |fate, words: &str, name: &BundleName, roughly: &str| Self {
            fate,
            exact: format!("{words}{}", label(name)),
            roughly: format!("{words}{roughly}"),
        };
        match way {
            Way::Here => all(Fate::Fine, "not affected: also in a supported channel"),
            Way::Upgrades { to: name, .. } => to(Fate::Fine, "=> ", name, NEXT),
            Way::Switch { channels, to: name, hops } => {
                let names: Vec<&str> = channels.iter().map(ChannelName::as_str).collect();
                let what = match engine {
                    Engine::Classic => format!("manually: switch to channel {}", names.join(" ")),
                    Engine::V1 => format!("manually: switch to channels [{}]", names.join(" ")),
                };
                match hops {
                    0 => all(Fate::ByHand, &format!("{what}, which has this bundle")),
                    _ => to(Fate::ByHand, &format!("{what}, then => "), name, NEXT),
                }
            }
            Way::Closed { at } if at == installed => all(Fate::Blocked, "no upgrade path"),
            Way::Closed { at } => to(
                Fate::Blocked,
                "no upgrade path to a supported bundle: ends at ",
                at,
                "a deprecated \
                 bundle",
            ),
            Way::Unknown(error) => all(Fate::Unknown, &format!("error: {error}")),
        }
    }
}

/// Returns the conditions that a `ClusterExtension` with these channels reports, before and after
/// its upgrade. The first affected bundle represents all.
pub fn shown_by_v1(judged: &Judged, query: &Query, one: &Deprecated) -> Option<String> {
    let installed = one.concerned.first()?;
    let package = judged.package();
    let raised = |name: &BundleName| {
        let all = conditions(package, &query.channels, Some(name));
        let raised = all.iter().filter(|c| c.status == Status::True && c.kind != ConditionKind::Deprecated);
        raised.map(|c| c.kind.as_str()).collect::<Vec<_>>()
    };
    let now = raised(installed);
    let listed = |kinds: &[&str]| {
        if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") }
    };
    let resolver = judged.graph.resolver(query);
    let next = v1_next(&resolver, &Installed::of(package, installed));
    let after = next.target().map(|to| (to, raised(to)));
    let name = package.short_name(installed);
    Some(match after {
        Some((to, then)) if then != now => {
            format!(
                "on {name}: {}; after the upgrade to {}: {}",
                listed(&now),
                package.short_name(to),
                listed(&then)
            )
        }
        Some((to, _)) => {
            format!("on {name}, and after the upgrade to {}: {}", package.short_name(to), listed(&now))
        }
        None => format!("on {name}: {}", listed(&now)),
    })
}

/// Describes the start of a deprecation.
pub fn since_words(since: &Since) -> String {
    match since {
        Since::Commit { short, date } => format!("since {date} ({short})"),
        Since::Before { short, date } => format!("since {date} ({short}) or earlier"),
        Since::Uncommitted => "not committed yet".to_owned(),
        Since::Unknown => "date unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::load, edit, review::deprecations::User};

    fn user(installed: &str, way: Way) -> User {
        User { installed: installed.into(), classic: vec![("c".into(), way.clone())], v1: way }
    }

    fn told(users: Vec<User>) -> Vec<String> {
        let catalog = load::from_bytes(b"---\nschema: olm.package\nname: p\n".to_vec());
        let target = DeprecationTarget::Package;
        let edit = edit::Edit::Deprecate { package: "p".into(), target, message: "m".into() };
        let snapshot = Snapshot::new(edit::apply(&catalog, &edit).unwrap());
        let mut one = deprecated(snapshot.package("p").unwrap()).remove(0);
        one.users = users;
        let sentences = sentences(&one, ToString::to_string);
        sentences.into_iter().map(|s| format!("{} {}", s.engine.as_str(), s.words)).collect()
    }

    #[test]
    fn equal_outcomes_share_a_sentence_and_the_worst_is_first() {
        let up = |to: &str| Way::Upgrades { to: to.into(), hops: 1 };
        let users = vec![user("d", up("z")), user("c", up("z")), user("b", Way::Closed { at: "b".into() })];
        let expected = [
            "classic c: b no upgrade path",
            "v1 b no upgrade path",
            "classic c: d c (2) => z",
            "v1 d c (2) => z",
        ];
        assert_eq!(told(users), expected);
    }

    #[test]
    fn many_different_final_versions_are_summarized() {
        let some = |n: u8| {
            let name = |at: u8| char::from(b'a' + at).to_string();
            let way = |at| Way::Upgrades { to: name(at + 10).as_str().into(), hops: 1 };
            (0..n).map(|at| user(&name(at), way(at))).collect::<Vec<_>>()
        };
        assert_eq!(told(some(4)).len(), 8);
        assert_eq!(
            told(some(5)),
            ["classic c: a b c d e (5) => a supported bundle", "v1 a b c d e (5) => a supported bundle"]
        );
    }
}
