//! Deprecations and their consequences, worded the same in the explorer, on the command line and in
//! pull requests.

mod json;
mod markdown;
mod text;

pub use json::Report;
pub use markdown::render_deprecation_comment;
pub use text::{effect_severity_ink, render_deprecation_check};

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use crate::omissions::OmittedPart;
use json::TargetRow;
use olm_catalog::{
    BundleName, ChannelName, PackageName, blob::DeprecationTarget, lifecycle::Date,
    load::git::deprecation_start::DeprecationStart, package::Package,
};
use olm_check::{
    Finding,
    review::{
        PackageState, Snapshot,
        deprecations::{
            ConditionKind, DeprecationEffects, DeprecationReport, ExitPath, Status, StrandedInstall,
            Suggestion, extension_conditions, list_deprecations, release_check, suggest_deprecations,
        },
    },
};
use olm_upgrade::{Engine, Installed, table::v1_next, v1::Query};

/// Maximum number of names in a sentence.
const MAX_NAMES: usize = 20;

/// Release check: deprecations of a catalog, those that block, and suggestions.
#[derive(Debug)]
pub struct ReleaseCheck<'a> {
    /// Checked catalog.
    pub snapshot: &'a Snapshot,
    /// Date of the check.
    pub today: Date,
    /// Deprecations, grouped by package.
    pub deprecated: Vec<DeprecationReport>,
    /// Suggested deprecations.
    pub suggested: Vec<Suggestion>,
    /// Dates of the deprecations, if git was queried.
    pub since: Option<History>,
    /// Parts of the catalog that could not be read.
    pub left_out: Option<OmittedPart>,
    /// Revision that the catalog is compared with, if only changes since then are listed.
    pub base: Option<String>,
    /// Deprecations that do not count as blocking, by package and reference: accepted ones, and
    /// those that already blocked before the change.
    uncounted: HashSet<(PackageName, String)>,
    /// Number of deprecations that block and are accepted.
    pub accepted: usize,
}

/// Start of each deprecation.
pub type History = HashMap<(PackageName, DeprecationTarget), DeprecationStart>;

impl<'a> ReleaseCheck<'a> {
    /// Checks a catalog, or one package of it.
    pub fn new(snapshot: &'a Snapshot, package: Option<&str>, today: Date) -> Self {
        let is_meant = |name: &PackageName| package.is_none_or(|wanted| *name == *wanted);
        let meant = || snapshot.packages().filter(|(name, _)| is_meant(name)).map(|(_, judged)| judged);
        Self {
            snapshot,
            today,
            deprecated: meant().flat_map(|judged| list_deprecations(judged)).collect(),
            suggested: meant()
                .flat_map(|judged| suggest_deprecations(&snapshot.catalog, judged, Some(today)))
                .collect(),
            since: None,
            left_out: OmittedPart::unread_in_packages(&snapshot.catalog, is_meant),
            base: None,
            uncounted: HashSet::new(),
            accepted: 0,
        }
    }

    /// Keeps only the deprecations that a change adds or affects. A deprecation blocks only if the
    /// change takes something away from users.
    #[must_use]
    pub fn restrict_to_changes(mut self, base: &str, old: &Snapshot) -> Self {
        self.base = Some(base.to_owned());
        self.suggested.clear();
        let all = std::mem::take(&mut self.deprecated);
        for one in all {
            let change = release_check::compare_deprecation(&one, old, self.snapshot);
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
    pub fn with_accepted(mut self, accepted: &[&Finding]) -> Self {
        let known: Vec<(PackageName, String)> = self
            .blocking()
            .filter(|one| release_check::is_accepted(one, accepted))
            .map(|one| (one.package.clone(), one.reference.clone()))
            .collect();
        self.accepted = known.len();
        self.uncounted.extend(known);
        self
    }

    /// Returns true if a deprecation counts as blocking.
    pub fn blocks(&self, one: &DeprecationReport) -> bool {
        one.blocks() && !self.uncounted.contains(&(one.package.clone(), one.reference.clone()))
    }

    /// Returns the deprecations that block: they leave an installation without an upgrade path, or
    /// stop v1.
    pub fn blocking(&self) -> impl Iterator<Item = &DeprecationReport> {
        self.deprecated.iter().filter(|one| self.blocks(one))
    }

    fn package_state(&self, package: &PackageName) -> Option<&'a PackageState> {
        self.snapshot.package(package.as_str()).map(AsRef::as_ref)
    }

    fn bundle_label(&self, package: &PackageName, bundle: &BundleName) -> String {
        self.package_state(package)
            .map_or_else(|| bundle.to_string(), |judged| judged.package().short_name(bundle))
    }

    fn since(&self, one: &DeprecationReport) -> Option<&DeprecationStart> {
        self.since.as_ref()?.get(&(one.package.clone(), one.target.clone()?))
    }
}

/// Returns the display name of a deprecated object, without its package.
pub fn deprecation_target_name(package: &Package, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => "the package".to_owned(),
        DeprecationTarget::Channel(name) => format!("channel {name}"),
        DeprecationTarget::Bundle(name) => package.short_name(name),
    }
}

/// Severity of a sentence for the affected installations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EffectSeverity {
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
pub struct DeprecationSentence {
    /// Severity of the outcome.
    pub fate: EffectSeverity,
    /// OLM that the sentence is about.
    pub engine: Engine,
    /// Affected installations and their outcome.
    pub words: String,
}

/// Maximum number of sentences that differ only in the final version of the upgrade path.
const MAX_SIMILAR_SENTENCES: usize = 4;

/// Key of a group of installations that share a sentence: severity, OLM, channel and kind of
/// upgrade path.
type SentenceKey<'a> = (EffectSeverity, Engine, Option<&'a ChannelName>, String);

/// Returns one sentence per outcome and OLM, worst first. `label` returns the display name of a
/// bundle.
pub fn describe_deprecation(
    one: &DeprecationReport,
    label: impl Fn(&BundleName) -> String,
) -> Vec<DeprecationSentence> {
    let mut groups: BTreeMap<SentenceKey<'_>, BTreeMap<String, Vec<&BundleName>>> = BTreeMap::new();
    for user in &one.affected {
        let classic = user.classic.iter().map(|(channel, way)| (Engine::Classic, Some(channel), way));
        for (engine, channel, way) in classic.chain([(Engine::V1, None, &user.v1)]) {
            let PathDescription { fate, exact, roughly } =
                PathDescription::from_way(engine, way, &user.installed, &label);
            let group = groups.entry((fate, engine, channel, roughly)).or_default();
            group.entry(exact).or_default().push(&user.installed);
        }
    }
    let mut sentences: Vec<DeprecationSentence> = Vec::new();
    if !one.stopped.is_empty() {
        let stay = if one.stopped.len() == 1 { "stays" } else { "stay" };
        let words =
            format!("{} {stay}: the next upgrade is deprecated", list_names_with_total(&one.stopped, &label));
        sentences.push(DeprecationSentence { fate: EffectSeverity::Blocked, engine: Engine::V1, words });
    }
    for ((fate, engine, channel, roughly), exactly) in groups {
        let channel = channel.map(|name| format!("{name}: ")).unwrap_or_default();
        let mut sentence = |installed: Vec<&BundleName>, words: &str| {
            let words = format!("{channel}{} {words}", list_names_with_total(installed, &label));
            sentences.push(DeprecationSentence { fate, engine, words });
        };
        if exactly.len() > MAX_SIMILAR_SENTENCES {
            // Restores the original order, highest version first.
            let all: HashSet<&BundleName> = exactly.into_values().flatten().collect();
            let users = one.affected.iter().map(|user| &user.installed);
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
fn list_names_with_total<'a>(
    names: impl IntoIterator<Item = &'a BundleName>,
    label: impl Fn(&BundleName) -> String,
) -> String {
    let names: Vec<&BundleName> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| label(name)).collect();
    let shown = shown.join(" ");
    match names.len() {
        0 | 1 => shown,
        all if all > MAX_NAMES => format!("{shown} ... ({all})"),
        all => format!("{shown} ({all})"),
    }
}

/// Upgrade path in words, with and without its final version.
struct PathDescription {
    fate: EffectSeverity,
    exact: String,
    roughly: String,
}

impl PathDescription {
    fn from_way(
        engine: Engine,
        way: &ExitPath,
        installed: &BundleName,
        label: impl Fn(&BundleName) -> String,
    ) -> Self {
        const NEXT: &str = "a supported bundle";
        let all = |fate, words: &str| Self { fate, exact: words.to_owned(), roughly: words.to_owned() };
        let to = |fate, words: &str, name: &BundleName, roughly: &str| Self {
            fate,
            exact: format!("{words}{}", label(name)),
            roughly: format!("{words}{roughly}"),
        };
        match way {
            ExitPath::NotNeeded => all(EffectSeverity::Fine, "not affected: also in a supported channel"),
            ExitPath::Upgrades { to: name, .. } => to(EffectSeverity::Fine, "=> ", name, NEXT),
            ExitPath::ChannelSwitch { channels, to: name, hops } => {
                let names: Vec<&str> = channels.iter().map(ChannelName::as_str).collect();
                let what = match engine {
                    Engine::Classic => format!("manually: switch to channel {}", names.join(" ")),
                    Engine::V1 => format!("manually: switch to channels [{}]", names.join(" ")),
                };
                match hops {
                    0 => all(EffectSeverity::ByHand, &format!("{what}, which has this bundle")),
                    _ => to(EffectSeverity::ByHand, &format!("{what}, then => "), name, NEXT),
                }
            }
            ExitPath::Closed { at } if at == installed => all(EffectSeverity::Blocked, "no upgrade path"),
            ExitPath::Closed { at } => to(
                EffectSeverity::Blocked,
                "no upgrade path to a supported bundle: ends at ",
                at,
                "a deprecated \
                 bundle",
            ),
            ExitPath::Unknown(error) => all(EffectSeverity::Unknown, &format!("error: {error}")),
        }
    }
}

/// Returns the conditions that a `ClusterExtension` with these channels reports, before and after
/// its upgrade. The first affected bundle represents all.
pub fn describe_v1_conditions(
    judged: &PackageState,
    query: &Query,
    one: &DeprecationReport,
) -> Option<String> {
    let installed = one.concerned.first()?;
    let package = judged.package();
    let raised = |name: &BundleName| {
        let all = extension_conditions(package, &query.channels, Some(name));
        let raised = all.iter().filter(|c| c.status == Status::True && c.kind != ConditionKind::Deprecated);
        raised.map(|c| c.kind.as_str()).collect::<Vec<_>>()
    };
    let now = raised(installed);
    let listed = |kinds: &[&str]| {
        if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") }
    };
    let resolver = judged.graph.v1_resolver(query);
    let next = v1_next(&resolver, &Installed::from_package(package, installed));
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

/// Returns the condition that OLM Classic sets in Subscriptions for a deprecation.
pub fn subscription_condition(target: &DeprecationTarget) -> ConditionKind {
    match target {
        DeprecationTarget::Package => ConditionKind::Package,
        DeprecationTarget::Channel(_) => ConditionKind::Channel,
        DeprecationTarget::Bundle(_) => ConditionKind::Bundle,
    }
}

/// Returns true if a console offers the deprecated object first: the package, its default channel,
/// and the head of that channel.
pub fn is_preselected(judged: &PackageState, target: &DeprecationTarget) -> bool {
    let default = judged.package().default_channel();
    match target {
        DeprecationTarget::Package => true,
        DeprecationTarget::Channel(name) => default == Some(name),
        DeprecationTarget::Bundle(name) => {
            let channel = default.and_then(|default| judged.graph.channel(default.as_str()));
            channel.and_then(|channel| channel.graph.head()).is_some_and(|head| head.name == *name)
        }
    }
}

/// Describes which Subscriptions report a deprecation, and when a console warns of it before an
/// installation. `None` if no bundle is affected.
pub fn describe_classic_output(judged: &PackageState, one: &DeprecationReport) -> Option<String> {
    let target = one.target.as_ref().filter(|_| !one.concerned.is_empty())?;
    let condition = subscription_condition(target).as_str();
    let is_first = is_preselected(judged, target);
    let (subscriptions, selection) = match target {
        DeprecationTarget::Package => ("of the package".to_owned(), ""),
        DeprecationTarget::Channel(name) if is_first => {
            (format!("of channel {name}"), ", because the channel is preselected")
        }
        DeprecationTarget::Channel(name) => (format!("of channel {name}"), " from the channel"),
        DeprecationTarget::Bundle(name) => {
            let selection = if is_first { ", because the version is preselected" } else { " of the version" };
            (format!("with {} installed", judged.package().short_name(name)), selection)
        }
    };
    Some(format!(
        "{condition} on Subscriptions {subscriptions}; consoles warn before an installation{selection}"
    ))
}

/// Describes the start of a deprecation.
pub fn describe_deprecation_start(since: &DeprecationStart) -> String {
    match since {
        DeprecationStart::Commit { short, date } => format!("since {date} ({short})"),
        DeprecationStart::Before { short, date } => format!("since {date} ({short}) or earlier"),
        DeprecationStart::Uncommitted => "not committed yet".to_owned(),
        DeprecationStart::Unknown => "date unknown".to_owned(),
    }
}

/// Maximum number of names before the outcome in a sentence.
const MAX_NAMES_BEFORE_OUTCOME: usize = 6;

/// Describes the effects of an edit on installations of deprecated content, worst first.
pub fn describe_effects(
    effects: &DeprecationEffects,
    package: Option<&Package>,
) -> Vec<(EffectSeverity, String)> {
    let label = |name: &BundleName| package.map_or_else(|| name.to_string(), |it| it.short_name(name));
    let target = |target: &DeprecationTarget| match package {
        Some(package) => deprecation_target_name(package, target),
        None => format!("part of {}", effects.package),
    };
    let mut all: Vec<(EffectSeverity, String)> = Vec::new();
    for (added, concerned) in &effects.added {
        let who = match concerned {
            0 => "no bundle is affected".to_owned(),
            1 => "1 version is affected".to_owned(),
            n => format!("{n} versions are affected"),
        };
        let ends =
            if *added == DeprecationTarget::Package { ", and no supported bundle is left" } else { "" };
        all.push((EffectSeverity::ByHand, format!("{} is deprecated: {who}{ends}", target(added))));
    }
    all.extend(
        effects
            .removed
            .iter()
            .map(|it| (EffectSeverity::Fine, format!("{} is no longer deprecated", target(it)))),
    );
    let lose =
        ["loses its upgrade path to a supported bundle", "lose their upgrade path to a supported bundle"];
    all.extend(describe_stranded(&effects.lost, EffectSeverity::Blocked, lose, label));
    let have = [
        "has an upgrade path to a supported bundle again",
        "have an upgrade path to a supported bundle again",
    ];
    all.extend(describe_stranded(&effects.found, EffectSeverity::Fine, have, label));
    if !effects.stopped.is_empty() {
        let words = format!(
            "v1 stops on {}: the next upgrade is deprecated",
            list_names_with_total(&effects.stopped, label)
        );
        all.push((EffectSeverity::Blocked, words));
    }
    if !effects.freed.is_empty() {
        all.push((
            EffectSeverity::Fine,
            format!("v1 upgrades {} again", list_names_with_total(&effects.freed, label)),
        ));
    }
    let is_news = effects.lost.is_empty() && effects.stopped.is_empty();
    if is_news && effects.added.iter().any(|(target, n)| *n > 0 && *target != DeprecationTarget::Package) {
        all.push((
            EffectSeverity::Fine,
            "all keep an upgrade path to a supported bundle, and v1 does not \
         stop"
                .to_owned(),
        ));
    }
    all
}

/// Returns one sentence for each OLM and channel.
fn describe_stranded(
    all: &[StrandedInstall],
    fate: EffectSeverity,
    [one, many]: [&str; 2],
    label: impl Fn(&BundleName) -> String,
) -> Vec<(EffectSeverity, String)> {
    let mut groups: BTreeMap<(Engine, Option<&ChannelName>), Vec<&BundleName>> = BTreeMap::new();
    for one in all {
        groups.entry((one.engine, one.channel.as_ref())).or_default().push(&one.installed);
    }
    let sentence = |((engine, channel), installed): ((Engine, Option<&ChannelName>), Vec<&BundleName>)| {
        let who = match (engine, channel) {
            (Engine::Classic, Some(channel)) => format!("Classic in {channel}"),
            (Engine::Classic, None) => "Classic".to_owned(),
            (Engine::V1, _) => "v1".to_owned(),
        };
        // The outcome comes first if the list is long, so that it is not overlooked.
        let what = if installed.len() == 1 { one } else { many };
        let words = match installed.len() {
            n if n > MAX_NAMES_BEFORE_OUTCOME => {
                format!("{who}: {n} versions {what}: {}", list_names_with_total(installed, &label))
            }
            _ => format!("{who}: {} {what}", list_names_with_total(installed, &label)),
        };
        (fate, words)
    };
    groups.into_iter().map(sentence).collect()
}

/// Effects of an edit as JSON prints them (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct EffectsRow<'a> {
    package: &'a str,
    added: Vec<AddedRow>,
    removed: Vec<TargetRow>,
    lost: Vec<StrandedRow<'a>>,
    found: Vec<StrandedRow<'a>>,
    stopped: &'a [BundleName],
    freed: &'a [BundleName],
}

#[derive(Debug, Serialize)]
struct AddedRow {
    #[serde(flatten)]
    target: TargetRow,
    concerned: usize,
}

#[derive(Debug, Serialize)]
struct StrandedRow<'a> {
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<&'a str>,
    installed: &'a str,
}

impl<'a> EffectsRow<'a> {
    /// Returns the row of a package.
    pub fn from_effects(effects: &'a DeprecationEffects) -> Self {
        let stranded = |all: &'a [StrandedInstall]| {
            let row = |one: &'a StrandedInstall| StrandedRow {
                engine: one.engine.as_str(),
                channel: one.channel.as_ref().map(ChannelName::as_str),
                installed: one.installed.as_str(),
            };
            all.iter().map(row).collect()
        };
        let added = effects.added.iter();
        Self {
            package: effects.package.as_str(),
            added: added
                .map(|(target, concerned)| AddedRow {
                    target: TargetRow::from_target(target),
                    concerned: *concerned,
                })
                .collect(),
            removed: effects.removed.iter().map(TargetRow::from_target).collect(),
            lost: stranded(&effects.lost),
            found: stranded(&effects.found),
            stopped: &effects.stopped,
            freed: &effects.freed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;
    use olm_check::review::deprecations::AffectedBundle;

    fn sample_user(installed: &str, way: ExitPath) -> AffectedBundle {
        AffectedBundle { installed: installed.into(), classic: vec![("c".into(), way.clone())], v1: way }
    }

    fn sentences_for_users(users: Vec<AffectedBundle>) -> Vec<String> {
        let catalog = load::from_bytes(b"---\nschema: olm.package\nname: p\n".to_vec());
        let target = DeprecationTarget::Package;
        let edit = olm_edit::Edit::Deprecate { package: "p".into(), target, message: "m".into() };
        let snapshot = Snapshot::new(olm_edit::apply_edit(&catalog, &edit).unwrap());
        let mut one = list_deprecations(snapshot.package("p").unwrap()).remove(0);
        one.affected = users;
        let sentences = describe_deprecation(&one, ToString::to_string);
        sentences.into_iter().map(|s| format!("{} {}", s.engine.as_str(), s.words)).collect()
    }

    #[test]
    fn equal_outcomes_share_a_sentence_and_the_worst_is_first() {
        let up = |to: &str| ExitPath::Upgrades { to: to.into(), hops: 1 };
        let users = vec![
            sample_user("d", up("z")),
            sample_user("c", up("z")),
            sample_user("b", ExitPath::Closed { at: "b".into() }),
        ];
        let expected = [
            "classic c: b no upgrade path",
            "v1 b no upgrade path",
            "classic c: d c (2) => z",
            "v1 d c (2) => z",
        ];
        assert_eq!(sentences_for_users(users), expected);
    }

    #[test]
    fn many_different_final_versions_are_summarized() {
        let some = |n: u8| {
            let name = |at: u8| char::from(b'a' + at).to_string();
            let way = |at| ExitPath::Upgrades { to: name(at + 10).as_str().into(), hops: 1 };
            (0..n).map(|at| sample_user(&name(at), way(at))).collect::<Vec<_>>()
        };
        assert_eq!(sentences_for_users(some(4)).len(), 8);
        assert_eq!(
            sentences_for_users(some(5)),
            ["classic c: a b c d e (5) => a supported bundle", "v1 a b c d e (5) => a supported bundle"]
        );
    }
}
