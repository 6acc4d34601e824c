//! Review of changes: a catalog with everything derived from it, and the consequences of an edit.

pub mod accepted;
pub mod cluster_readiness;
pub mod consequences;
pub mod deprecations;
pub mod diff;
pub mod expect;
mod file_errors;
pub mod files;
mod findings;
pub mod fixes;
pub mod fresh;
pub mod harm;
pub mod history;
pub mod readiness;
pub mod snapshot;
pub mod stuck;
pub mod stuck_changes;
pub mod template;
pub mod touched;
pub mod unmet_dependencies;

use crate::{Finding, RuleProperty, rule::RuleSubject, rules};
use olm_catalog::{BundleName, ChannelName, blob::DeprecationTarget, package::Package};
use olm_upgrade::v1::Query;

pub use consequences::{ChangedUpgrade, Consequences, UpgradeOutcome};
pub use diff::Difference;
pub use findings::SeverityChange;

pub use files::{ChangeReport, FileDiff};
pub use fresh::{FreshInstall, FreshInstallChange};
pub use harm::Harm;
pub use snapshot::{DeferredChecks, PackageState, Snapshot};
pub use stuck_changes::StuckChange;
pub use touched::Touched;
pub use unmet_dependencies::{UnmetDependencies, UnmetDependency};

#[cfg(test)]
mod evaluation_tests;
#[cfg(test)]
mod resolution_tests;
#[cfg(test)]
mod stuck_changes_tests;
#[cfg(test)]
mod tests;

// Rules that could not be evaluated in the new state of a package. A finding of such a rule
// disappears without being fixed.
//
// Only this module decides what "fixed" means: the rule was evaluated on the new state and did not
// report the finding.

/// Finding that disappeared because its rule could not be evaluated any more.
#[derive(Clone, PartialEq, Debug)]
pub struct UncheckedFinding {
    /// Old finding.
    pub finding: Finding,
    /// Reason why the rule could not be evaluated.
    pub reason: String,
}

impl UncheckedFinding {
    /// Returns `SEVERITY RULE: MESSAGE (not checked any more: REASON)`.
    pub fn format_line(&self) -> String {
        let Self { finding, reason } = self;
        format!("{finding} (not checked any more: {reason})")
    }
}

/// Both states of a package, with the rules that could be evaluated.
struct Evaluation<'a> {
    old: Option<&'a PackageState>,
    new: Option<&'a PackageState>,
    /// New findings of the package, or outside packages.
    found: &'a [Finding],
    /// New finding about unreadable input, which may hide the input of other rules.
    hiding_finding: Option<&'a Finding>,
    /// Channels that are invalid in the new state. Old findings did not depend on channels that
    /// were invalid before.
    invalid_channels: Vec<ChannelName>,
}

impl<'a> Evaluation<'a> {
    /// Compares which rules could be evaluated in two states. `outside` has the new findings
    /// without a package.
    fn new(
        old: Option<&'a PackageState>,
        new: Option<&'a PackageState>,
        found: &'a [Finding],
        outside: &'a [Finding],
    ) -> Self {
        let mut all = found.iter().chain(outside);
        let hidden = all.find(|finding| finding.rule.hides_content());
        let invalid = new.map(|new| crate::invalid_channels(new.package())).unwrap_or_default();
        Self {
            old,
            new,
            found,
            hiding_finding: hidden,
            invalid_channels: invalid.into_iter().cloned().collect(),
        }
    }

    /// Splits disappeared findings into fixed ones and those whose rules could not be evaluated.
    fn split_disappeared(&self, gone: Vec<Finding>) -> (Vec<Finding>, Vec<UncheckedFinding>) {
        let (mut fixed, mut unchecked) = (Vec::new(), Vec::new());
        for finding in gone {
            match self.find_obstacle(&finding) {
                Some(reason) => unchecked.push(UncheckedFinding { finding, reason }),
                None => fixed.push(finding),
            }
        }
        (fixed, unchecked)
    }

    /// Returns the reason why the rule of a finding could not be evaluated on the new state; `None`
    /// if it was.
    fn find_obstacle(&self, finding: &Finding) -> Option<String> {
        if let Some(hidden) = self.hiding_finding {
            return Some(format!("{}: {}", hidden.rule.id, hidden.message));
        }
        let new = match (self.old, self.new) {
            // The finding does not have a package.
            (None, None) => return None,
            (_, Some(new)) => new,
            (Some(old), None) => return Some(format!("package {} is gone", old.package().name)),
        };
        if let Some(other) = self.find_replacement(finding) {
            return Some(format!("{} is reported instead", other.rule.id));
        }
        if finding.rule.subject() == RuleSubject::Step {
            return self.step_obstacle(new);
        }
        if *finding.rule == rules::TEMPLATE_DIFFERS {
            return template_obstacle(new);
        }
        self.channel_obstacle(finding, new).or_else(|| package_obstacle(finding, new))
    }

    /// Returns the new finding that replaces a disappeared one. Either it includes the disappeared
    /// finding, or the rule is not evaluated because of it.
    fn find_replacement(&self, finding: &Finding) -> Option<&'a Finding> {
        self.found.iter().find(|new| {
            let is_part = || new.rule != finding.rule && new.reporting_rules().contains(&finding.rule);
            let is_without_chain = *finding.rule == rules::STRANDED_ENTRY
                && new.rule.has(RuleProperty::BreaksChain)
                && new.channel == finding.channel;
            is_without_chain || !new.merged.is_empty() && is_part()
        })
    }

    /// Returns the reason why rules about upgrade steps could not be evaluated.
    fn step_obstacle(&self, new: &PackageState) -> Option<String> {
        if new.safety().is_none() {
            return Some("upgrade steps are not compared yet".to_owned());
        }
        let unjudged = |judged: &PackageState| judged.unjudged_steps().0;
        let not_checked = self.found.iter().find(|finding| finding.is_not_checked());
        if let Some(finding) = not_checked {
            return Some(finding.message.clone());
        }
        let (before, after) = (self.old.map_or(0, unjudged), unjudged(new));
        (after > before).then(|| format!("manifests of {after} upgrade steps are not here"))
    }

    /// Returns the reason why a rule about channels could not be evaluated.
    fn channel_obstacle(&self, finding: &Finding, new: &PackageState) -> Option<String> {
        let is = |property| finding.rule.has(property);
        let invalid = |name: &ChannelName| format!("channel {name} is invalid");
        if is(RuleProperty::NeedsOwnChannel) {
            let own = finding.channel.as_ref()?;
            let Some(channel) = new.graph.channel(own.as_str()) else {
                return Some(format!("channel {own} is gone"));
            };
            // Users of a removed entry stay on it.
            let entry = finding.bundle.as_ref().filter(|_| *finding.rule == rules::DEAD_END);
            if let Some(entry) = entry.filter(|name| channel.graph.entry_named(name.as_str()).is_none()) {
                return Some(format!("{entry} is not in channel {own} any more"));
            }
            return self.invalid_channels.contains(own).then(|| invalid(own));
        }
        if is(RuleProperty::NeedsAllChannels) {
            return self.invalid_channels.first().map(invalid);
        }
        if is(RuleProperty::NeedsHeads) || is(RuleProperty::NeedsResolution) {
            let was_invalid = self.old.map(|old| crate::invalid_channels(old.package())).unwrap_or_default();
            let broken = self.invalid_channels.iter().find(|name| !was_invalid.contains(name));
            if let Some(name) = broken {
                return Some(invalid(name));
            }
        }
        if is(RuleProperty::NeedsResolution) {
            let standings = new.resolution();
            let undecided = standings.channels.iter().find(|standing| standing.undecided.is_some());
            if let Some(standing) = undecided {
                return Some(format!("what channel {} installs was not decided", standing.channel));
            }
            if standings.skipped > 0 {
                return Some(format!("what {} channels install was not decided", standings.skipped));
            }
        }
        None
    }
}

/// Returns the reason why the package could not be compared with its template.
fn template_obstacle(new: &PackageState) -> Option<String> {
    let Some(learned) = new.deferred_checks() else {
        return Some("the template is not compared yet".to_owned());
    };
    let unread = learned.template.as_ref().filter(|finding| finding.is_not_checked());
    unread.map(|finding| finding.message.clone())
}

/// Returns the reason in the content of the package why a rule could not be evaluated.
fn package_obstacle(finding: &Finding, new: &PackageState) -> Option<String> {
    let package = new.package();
    let is = |property| finding.rule.has(property);
    if is(RuleProperty::NeedsSupportedPackage) && package.deprecation(&DeprecationTarget::Package).is_some() {
        return Some("the package is deprecated".to_owned());
    }
    if *finding.rule == rules::NO_UNDEPRECATED_WAY_OUT && !package.deprecations.is_empty() {
        let mut bundles = package.bundles.iter().map(|bundle| &bundle.name.value);
        if !bundles.any(|bundle| is_supported(package, bundle)) {
            return Some("no bundle of the package is supported".to_owned());
        }
    }
    let default = package.default_channel();
    let channel = default.and_then(|name| new.graph.channel(name.as_str()));
    if is(RuleProperty::NeedsDefaultChannel) && channel.is_none() {
        return Some(match default {
            Some(name) => format!("the default channel {name} does not exist"),
            None => "there is no default channel".to_owned(),
        });
    }
    if *finding.rule == rules::STUCK {
        if new.graph.stuck().answer.is_none() {
            return Some("the default channel has no single head with a bundle".to_owned());
        }
        if let Some(bundle) = package.bundles.iter().find(|bundle| bundle.version.is_none()) {
            return Some(format!("the version of {} cannot be read", bundle.name.value));
        }
        if let Some(name) = finding.names.iter().find(|name| package.bundle(name).is_none()) {
            return Some(format!("{name} is not in the catalog any more"));
        }
    }
    if is(RuleProperty::NeedsV1Resolver) && new.graph.v1_resolver(&Query::default()).is_err() {
        return Some("OLM v1 resolves nothing of the package".to_owned());
    }
    if *finding.rule == rules::V1_ESCAPE {
        // The rule checks only entries of the default channel.
        let in_default =
            |name: &str| channel.is_some_and(|channel| channel.graph.entry_named(name).is_some());
        let is_elsewhere = |name: &&String| {
            !in_default(name) && !package.channel_positions_with(&BundleName::from(name.as_str())).is_empty()
        };
        if let (Some(name), Some(default)) = (finding.names.iter().find(is_elsewhere), default) {
            return Some(format!("{name} is not in the default channel {default}"));
        }
    }
    None
}

/// Returns true if a bundle is in a channel and neither it nor all of its channels are deprecated.
fn is_supported(package: &Package, bundle: &BundleName) -> bool {
    let channels = package.channel_positions_with(bundle).iter().filter_map(|at| package.channels.get(*at));
    let mut supported = channels.filter(|channel| package.channel_deprecation(&channel.name.value).is_none());
    package.bundle_deprecation(bundle).is_none() && supported.next().is_some()
}
