//! Effects of an edit on installations of deprecated content.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{EffectSeverity, deprecation_target_name, json::TargetRow, list_names_with_total};
use olm_catalog::{BundleName, ChannelName, blob::DeprecationTarget, package::Package};
use olm_check::review::deprecations::{DeprecationEffects, StrandedInstall};
use olm_upgrade::Engine;

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
