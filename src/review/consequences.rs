//! What an edit does to those who have something installed.

use std::collections::HashSet;

use super::snapshot::{Judged, Snapshot};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    upgrade::{
        Engine, Installed,
        table::{self, Next},
        v1::Query,
    },
    validate::{Diagnostic, diagnostic::Identity},
};

/// An installed bundle whose successor changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The package.
    pub package: PackageName,
    /// Which OLM.
    pub engine: Engine,
    /// Classic: the subscribed channel. v1 is asked without channels.
    pub channel: Option<ChannelName>,
    /// What is installed.
    pub installed: BundleName,
    /// What came next before.
    pub before: Next,
    /// What comes next now; `None` where the bundle is gone.
    pub after: Option<Next>,
}

/// Everything that differs in meaning between two states of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Consequences {
    /// Findings that were not there before.
    pub new_findings: Vec<Diagnostic>,
    /// Findings that are gone.
    pub fixed_findings: Vec<Diagnostic>,
    /// Installed bundles whose successor changes, Classic by channel and v1 over all channels.
    pub moved: Vec<Moved>,
}

impl Consequences {
    /// Compares two states. Only packages that differ are looked at.
    pub fn between(before: &Snapshot, after: &Snapshot) -> Self {
        let mut all = Self::default();
        for name in after.touched(before) {
            let (old, new) = (before.package(name.as_str()), after.package(name.as_str()));
            let findings = |judged: Option<&std::sync::Arc<Judged>>| -> Vec<Diagnostic> {
                judged.map(|j| j.findings.clone()).unwrap_or_default()
            };
            let (old_findings, new_findings) = (findings(old), findings(new));
            all.new_findings.extend(missing_from(&new_findings, &old_findings));
            all.fixed_findings.extend(missing_from(&old_findings, &new_findings));
            if let Some(old) = old {
                all.moved.extend(moved(name, old, new.map(AsRef::as_ref)));
            }
        }
        let outside = |s: &Snapshot| -> Vec<Diagnostic> { s.outside().to_vec() };
        all.new_findings.extend(missing_from(&outside(after), &outside(before)));
        all.fixed_findings.extend(missing_from(&outside(before), &outside(after)));
        all
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.new_findings.is_empty() && self.fixed_findings.is_empty() && self.moved.is_empty()
    }
}

/// The findings that are in the one list and not in the other.
fn missing_from(found: &[Diagnostic], known: &[Diagnostic]) -> Vec<Diagnostic> {
    let identities: HashSet<Identity<'_>> = known.iter().map(Diagnostic::identity).collect();
    found.iter().filter(|finding| !identities.contains(&finding.identity())).cloned().collect()
}

fn moved(package: &PackageName, old: &Judged, new: Option<&Judged>) -> Vec<Moved> {
    let mut installed: Vec<Installed> =
        old.package().bundles.iter().map(|b| Installed::of(old.package(), &b.name.value)).collect();
    // As people count: lowest first, what has no version before all others.
    installed.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => a.cmp_precedence(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    let still_there = |name: &BundleName| new.is_some_and(|n| n.package().bundle(name.as_str()).is_some());
    let mut moved = Vec::new();
    let mut compare =
        |engine, channel: Option<&ChannelName>, installed: &Installed, before: Next, after: Option<Next>| {
            if after.as_ref() != Some(&before) {
                let (package, channel, installed) =
                    (package.clone(), channel.cloned(), installed.name.clone());
                moved.push(Moved { package, engine, channel, installed, before, after });
            }
        };
    for upgrades in old.graph.channels() {
        let channel = upgrades.graph.name();
        let now = new.and_then(|new| new.graph.channel(channel.as_str()));
        // Where the channel is as broken as before, all its entries are answered as before.
        let is_as_broken = now.is_some_and(|now| match (&upgrades.chain, &now.chain) {
            (Err(before), Err(after)) => before == after,
            _ => false,
        });
        for installed in &installed {
            if is_as_broken && still_there(&installed.name) {
                continue;
            }
            if upgrades.graph.entry_named(installed.name.as_str()).is_some() {
                let after = now
                    .filter(|_| still_there(&installed.name))
                    .map(|now| table::classic_next(now, installed));
                let before = table::classic_next(upgrades, installed);
                compare(Engine::Classic, Some(channel), installed, before, after);
            }
        }
    }
    let query = Query::default();
    let before = old.graph.resolver(&query);
    let after = new.map(|new| new.graph.resolver(&query));
    for installed in &installed {
        let now = after.as_ref().filter(|_| still_there(&installed.name));
        compare(
            Engine::V1,
            None,
            installed,
            table::v1_next(&before, installed),
            now.map(|r| table::v1_next(r, installed)),
        );
    }
    moved
}
