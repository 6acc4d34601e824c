//! Gates: checks of a difference that a release pipeline can enable.

use std::fmt;

use super::{ChangeKind, Difference, Impact};
use crate::{
    Finding, RuleProperty, Severity,
    review::{
        ChangedUpgrade, FreshInstall, FreshInstallChange,
        stuck_changes::{NewlyStuck, Publication},
    },
};
use olm_catalog::{BundleName, PackageName, paths::glob::Glob};
use olm_upgrade::{Engine, stuck::StuckEnd, table::NextUpgrade};

/// Channels for pre-releases.
const EXEMPT_CHANNELS: [&str; 4] = ["*candidate*", "dev-preview*", "pre-ga*", "*nightly*"];

/// Returns patterns of the channels whose entries may be removed by default: those for
/// pre-releases.
pub fn exempt_channels() -> Vec<Glob> {
    EXEMPT_CHANNELS.iter().filter_map(|pattern| Glob::parse(pattern)).collect()
}

/// Check that a release must pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gate {
    /// No entry is removed from a channel, except for exempt channels.
    RemovedEntries,
    /// No version is newly stuck on either engine. No resolver reports a new error for an installed
    /// version, and fresh installs continue to work.
    NewStuck,
    /// No rule reports a new error.
    NewErrors,
    /// No user newly gets an older version than the installed one, and no fresh install gets an
    /// older version than before.
    Downgrades,
    /// OLM Classic still finds all dependencies. Every channel can still be installed with its
    /// head, and no bundle has a newly unmet dependency.
    BrokenDependencies,
    /// No deprecation leaves users without an upgrade path. No deprecated version loses its path to
    /// a supported bundle, and OLM v1 does not stop on a version because the next version is
    /// deprecated.
    NewDeprecationBlocks,
    /// The default channel of each package stays the same.
    DefaultChannel,
    /// Published bundles do not change.
    ChangedBundles,
}

impl Gate {
    /// All gates, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::NewErrors,
        Self::NewStuck,
        Self::Downgrades,
        Self::BrokenDependencies,
        Self::NewDeprecationBlocks,
        Self::RemovedEntries,
        Self::ChangedBundles,
        Self::DefaultChannel,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::RemovedEntries => "removed-entries",
            Self::NewStuck => "new-stuck",
            Self::NewErrors => "new-errors",
            Self::Downgrades => "downgrades",
            Self::BrokenDependencies => "broken-dependencies",
            Self::NewDeprecationBlocks => "new-deprecation-blocks",
            Self::DefaultChannel => "default-channel",
            Self::ChangedBundles => "changed-bundles",
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Violation of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Violated gate.
    pub gate: Gate,
    /// Name of the package; `None` if the violation is not about a package.
    pub package: Option<PackageName>,
    /// Description of the violation.
    pub text: String,
    /// Parts of the description, if other violations may have the same reason.
    pub parts: Option<ViolationParts>,
}

/// Parts of the description of a violation that other violations may share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationParts {
    /// Affected bundle.
    pub subject: BundleName,
    /// Reason, as the predicate of a sentence about several subjects.
    pub reason: String,
}

/// Description of a violation.
struct ViolationText {
    text: String,
    parts: Option<ViolationParts>,
}

impl From<String> for ViolationText {
    fn from(text: String) -> Self {
        Self { text, parts: None }
    }
}

impl ViolationText {
    /// Returns a description with a reason that others may share.
    fn with_reason(text: String, subject: &BundleName, reason: String) -> Self {
        Self { text, parts: Some(ViolationParts { subject: subject.clone(), reason }) }
    }
}

/// Formats the violation as `GATE: DESCRIPTION`. Names of the catalogs are not escaped.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.gate.name(), self.text)
    }
}

/// Returns all violations of some gates, in the order of the gates. [`Gate::RemovedEntries`]
/// ignores channels that match one of the globs.
pub fn find_violations(difference: &Difference, gates: &[Gate], except: &[Glob]) -> Vec<Violation> {
    let mut found = Vec::new();
    for gate in Gate::ALL.into_iter().filter(|gate| gates.contains(gate)) {
        let mut add = |package: Option<&PackageName>, ViolationText { text, parts }: ViolationText| {
            found.push(Violation { gate, package: package.cloned(), text, parts });
        };
        match gate {
            Gate::RemovedEntries => add_removed_entries(difference, except, &mut add),
            Gate::NewStuck => {
                add_newly_stuck(difference, &mut add);
                add_impacts(difference, Impact::Failing, &mut add);
            }
            Gate::Downgrades => add_impacts(difference, Impact::Downgraded, &mut add),
            Gate::NewErrors => {
                let new = &difference.consequences.new_findings;
                let is_error = |f: &&Finding| f.severity() == Severity::Error && !f.is_not_checked();
                for finding in new.iter().filter(is_error) {
                    add(finding.package.as_ref(), format!("{}: {}", finding.rule.id, finding.message).into());
                }
            }
            Gate::BrokenDependencies => {
                let new = difference.consequences.new_findings.iter();
                for finding in new.filter(|finding| finding.rule.has(RuleProperty::BrokenDependency)) {
                    add(finding.package.as_ref(), finding.message.clone().into());
                }
                let left = &difference.consequences.unmet;
                for left in &left.all {
                    add(Some(&left.package), left.to_sentence().into());
                }
                if let Some(stopped) = left.stopped {
                    add(
                        None,
                        format!("whether all bundles keep what they need is not known: {stopped}").into(),
                    );
                }
            }
            Gate::NewDeprecationBlocks => add_deprecation_blocks(difference, &mut add),
            Gate::DefaultChannel => {
                let kept =
                    difference.packages.iter().filter(|package| package.change_kind == ChangeKind::Changed);
                for package in kept {
                    if let Some(change) = &package.default_channel {
                        let name =
                            |name: &Option<_>| name.as_ref().map_or("none".to_owned(), ToString::to_string);
                        add(
                            Some(&package.name),
                            format!("{} => {}", name(&change.before), name(&change.after)).into(),
                        );
                    }
                }
            }
            Gate::ChangedBundles => {
                for package in &difference.packages {
                    for bundle in
                        package.bundles.iter().filter(|bundle| bundle.change_kind == ChangeKind::Changed)
                    {
                        add(Some(&package.name), bundle.name.to_string().into());
                    }
                }
            }
        }
    }
    found
}

/// Adds each version that loses its path to a supported bundle, and each version on which v1 stops.
fn add_deprecation_blocks(difference: &Difference, add: &mut dyn FnMut(Option<&PackageName>, ViolationText)) {
    for effects in &difference.consequences.deprecations {
        for lost in &effects.lost {
            let channel =
                lost.channel.as_ref().map(|channel| format!(" in channel {channel}")).unwrap_or_default();
            let (engine, installed) = (lost.engine.as_str(), &lost.installed);
            let reason = format!("under {engine}{channel}: no upgrade path to a supported bundle");
            let text = format!("{installed} {reason}");
            add(Some(&effects.package), ViolationText::with_reason(text, installed, reason));
        }
        for stopped in &effects.stopped {
            let engine = Engine::V1.as_str();
            let reason = format!("under {engine}: the next upgrade is deprecated");
            add(
                Some(&effects.package),
                ViolationText::with_reason(format!("{stopped} {reason}"), stopped, reason),
            );
        }
    }
}

/// Adds each entry that is removed from a channel, unless the channel matches one of the globs.
fn add_removed_entries(
    difference: &Difference,
    except: &[Glob],
    add: &mut dyn FnMut(Option<&PackageName>, ViolationText),
) {
    for package in &difference.packages {
        for channel in &package.channels {
            if except.iter().any(|glob| glob.matches(channel.name.as_str())) {
                continue;
            }
            for entry in channel.entries.iter().filter(|entry| entry.change_kind() == ChangeKind::Removed) {
                let reason = format!("from channel {}", channel.name);
                let text = format!("{} {reason}", entry.name);
                add(Some(&package.name), ViolationText::with_reason(text, &entry.name, reason));
            }
        }
    }
}

/// Adds each version that is newly stuck, and each package whose stuck versions are newly unknown.
fn add_newly_stuck(difference: &Difference, add: &mut dyn FnMut(Option<&PackageName>, ViolationText)) {
    for change in &difference.consequences.stuck {
        for NewlyStuck { engine, version, end, publication } in &change.newly_stuck {
            let removed = match publication {
                Publication::Removed => ", no longer published,",
                Publication::Added => ", a new version,",
                Publication::Kept => "",
            };
            let StuckEnd { end, reason } = end;
            let place = if end == version { "there".to_owned() } else { format!("at {end}") };
            let engine = engine.as_str();
            let text = format!("{version}{removed} is stuck under {engine}: upgrades end {place}: {reason}");
            let shared = format!("are stuck under {engine}: upgrades end at {end}: {reason}");
            add(Some(change.package_name()), ViolationText::with_reason(text, version, shared));
        }
        if change.becomes_unknown() {
            let words = "which versions are stuck is not known any more: the default channel has no single head with a bundle";
            add(Some(change.package_name()), words.to_owned().into());
        }
    }
}

/// Adds the installed bundles and fresh installs on which the change has a given impact.
fn add_impacts(
    difference: &Difference,
    impact: Impact,
    add: &mut dyn FnMut(Option<&PackageName>, ViolationText),
) {
    let consequences = &difference.consequences;
    let of = |moved: &&ChangedUpgrade| difference.impact_of_upgrade(moved) == impact;
    for moved in consequences.changed_steps.iter().filter(of) {
        let channel =
            moved.channel.as_ref().map(|channel| format!(" in channel {channel}")).unwrap_or_default();
        let next = |next: &NextUpgrade| match next {
            NextUpgrade::Stays => "stays".to_owned(),
            NextUpgrade::To(to) => to.to_string(),
            NextUpgrade::Error(error) => error.to_string(),
        };
        let (engine, installed) = (moved.engine.as_str(), &moved.installed);
        let (before, after) = (next(&moved.before.next), next(&moved.after.next));
        let text = format!("{installed} under {engine}{channel}: {before} => {after}");
        let reason = format!("under {engine}{channel}: their upgrades => {after}");
        add(Some(&moved.package), ViolationText::with_reason(text, installed, reason));
    }
    let of = |change: &&FreshInstallChange| difference.impact_of_fresh_install(change) == impact;
    for change in difference.consequences.fresh.iter().filter(of) {
        let channel = match (&change.channel, change.engine) {
            (Some(channel), _) => format!(" in channel {channel}"),
            (None, Engine::Classic) => " without a channel".to_owned(),
            (None, Engine::V1) => String::new(),
        };
        let gets = |install: &FreshInstall| match (&install.pick, install.refused) {
            (Ok(bundle), None) => bundle.to_string(),
            (Ok(bundle), Some(why)) => format!("{bundle}, refused ({})", why.brief()),
            (Err(error), _) => error.to_string(),
        };
        let (engine, before, after) = (change.engine.as_str(), gets(&change.before), gets(&change.after));
        let text = format!("fresh install under {engine}{channel}: {before} => {after}");
        add(Some(&change.package), text.into());
    }
}
