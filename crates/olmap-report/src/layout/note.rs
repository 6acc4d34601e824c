//! Remarks beside a row; empty if there is nothing to report.

use std::{cell::OnceCell, sync::Arc};

use petgraph::graph::NodeIndex;

use super::{channel::Marks, facts::Facts};
use olm_catalog::{ChannelName, package::version_in_name};
use olm_upgrade::{
    EdgeKind, Installed, ResolveError,
    table::{self, NextUpgrade},
    v1::{Query, Resolver},
};

impl Facts<'_> {
    /// Returns a short label of a bundle: its version, or the part of its name after `.v`.
    pub(super) fn version_label(&self, at: NodeIndex) -> String {
        let Some(node) = self.graph().node(at) else { return String::new() };
        if let Some(version) = &node.version {
            return version.to_string();
        }
        let name = node.name.as_str();
        version_in_name(name).unwrap_or(name).to_owned()
    }

    /// Returns the first replaced or skipped node that has a higher version.
    fn find_higher_target(&self, at: NodeIndex) -> Option<(EdgeKind, NodeIndex)> {
        let own = self.graph().node(at)?.version.as_ref()?;
        let kinds = [EdgeKind::Replaces, EdgeKind::Skips];
        kinds
            .into_iter()
            .flat_map(|kind| self.graph().targets(at, kind).into_iter().map(move |t| (kind, t)))
            .find(|&(_, target)| {
                let version = self.graph().node(target).and_then(|n| n.version.as_ref());
                version.is_some_and(|v| v.cmp_precedence(own).is_gt())
            })
    }
}

/// Returns the properties of a bundle.
pub(super) fn node_marks(facts: &Facts<'_>, at: NodeIndex) -> Marks {
    let graph = facts.graph();
    let dangling = graph.entry(at).is_none();
    let name = |at: NodeIndex| graph.node(at).map(|n| n.name.clone());
    Marks {
        head: facts.heads.contains(&at),
        tail: facts.tail == Some(at),
        skipped_by: facts.skipped_by[at.index()].and_then(name).filter(|_| !dangling),
        deprecated: facts.deprecated[at.index()],
        dead_end: facts.dead_end[at.index()],
        stuck: facts.stuck.get(at.index()).cloned().flatten(),
        dangling,
        downgrade: facts.find_higher_target(at).is_some(),
        on_cycle: facts.on_cycle[at.index()],
        missing_bundle: !dangling
            && name(at).is_some_and(|n| facts.package.package.bundle(n.as_str()).is_none()),
    }
}

/// Writer for the notes of a channel. Notes must be requested from the top row to the bottom row.
pub(super) struct NoteWriter<'f> {
    facts: &'f Facts<'f>,
    query: &'f Query,
    resolver: OnceCell<Result<Arc<Resolver>, ResolveError>>,
    /// Entries with a range that are not on Classic's chain, so Classic ignores the range.
    off_chain_ranges: Vec<NodeIndex>,
    /// True after the first note that explains the effect of a skip.
    skip_explained: bool,
}

impl<'f> NoteWriter<'f> {
    pub(super) fn new(facts: &'f Facts<'f>, query: &'f Query) -> Self {
        let graph = facts.graph();
        let off_chain = graph.entry_nodes().filter(|&at| !facts.is_on_chain(at));
        let off_chain_ranges =
            off_chain.filter(|&at| graph.entry(at).is_some_and(|e| e.skip_range.is_some()));
        Self {
            facts,
            query,
            resolver: OnceCell::new(),
            off_chain_ranges: off_chain_ranges.collect(),
            skip_explained: false,
        }
    }

    /// Returns v1's resolver; creates it on first use.
    fn resolver(&self) -> &Result<Arc<Resolver>, ResolveError> {
        self.resolver.get_or_init(|| self.facts.package.v1_resolver(self.query))
    }

    pub(super) fn write_note(&mut self, at: NodeIndex, marks: &Marks) -> String {
        let facts = self.facts;
        let mut parts = Vec::new();
        if marks.head {
            parts.push(match facts.heads.as_slice() {
                [_] => "HEAD".to_owned(),
                heads => format!("HEAD, one of {}: Classic needs exactly one", heads.len()),
            });
        }
        if marks.dangling {
            parts.push(self.dangling_note(at));
        }
        let state = marks.stuck.as_ref().map(|words| words.replacen("stuck", "STUCK", 1));
        if marks.dead_end {
            parts.push(match &state {
                // The dead end is the reason for the state; its text is more specific.
                Some(state) if !state.contains("ends at") => {
                    let engine = state.split(':').next().unwrap_or_default();
                    format!("{engine}: {}", self.dead_end_note(at))
                }
                Some(state) => format!("{state}; Classic: {}", self.dead_end_note(at)),
                None => format!("Classic stays: {}", self.dead_end_note(at)),
            });
        } else {
            parts.extend(state);
        }
        if let (Some(_), Some(by), false) = (&marks.skipped_by, facts.skipped_by[at.index()], marks.dead_end)
        {
            let by = facts.version_label(by);
            parts.push(if std::mem::replace(&mut self.skip_explained, true) {
                format!("SKIPPED by {by}")
            } else {
                format!("SKIPPED by {by}: Classic no longer installs it")
            });
        }
        if marks.on_cycle {
            parts.push("CYCLE of replaces".to_owned());
        }
        if let Some((kind, target)) = facts.find_higher_target(at) {
            parts.push(format!("DOWNGRADE: {} the higher {}", kind.as_str(), facts.version_label(target)));
        }
        for kind in [EdgeKind::Replaces, EdgeKind::Skips] {
            if facts.graph().successors(at, kind).any(|to| to == at) {
                parts.push(format!("{} itself", kind.as_str()));
            }
        }
        if marks.missing_bundle {
            parts.push("no such bundle in the package".to_owned());
        }
        if marks.deprecated {
            parts.push("deprecated".to_owned());
        }
        if facts.graph().entry(at).and_then(|e| e.skip_range.as_ref()).is_some_and(|r| r.range.is_err()) {
            parts.push("its skipRange is invalid".to_owned());
        }
        parts.join("; ")
    }

    fn dangling_note(&self, at: NodeIndex) -> String {
        let facts = self.facts;
        let said = |kind: EdgeKind| {
            let mut by: Vec<NodeIndex> = facts.graph().successors(at, kind).collect();
            by.sort_unstable_by_key(|by| facts.node_rows[by.index()]);
            by.dedup();
            match by.as_slice() {
                [] => None,
                [one] => Some(format!("{} {} it", facts.version_label(*one), kind.as_str())),
                [first, more @ ..] => {
                    let verb = if kind == EdgeKind::Replaces { "replace" } else { "skip" };
                    Some(format!("{} and {} more {verb} it", facts.version_label(*first), more.len()))
                }
            }
        };
        let said: Vec<String> = [EdgeKind::Replaces, EdgeKind::Skips].into_iter().filter_map(said).collect();
        format!("not in this channel; {}", said.join(", "))
    }

    fn dead_end_note(&self, at: NodeIndex) -> String {
        let facts = self.facts;
        let graph = facts.graph();
        let mut ways: Vec<NodeIndex> = graph.graph().neighbors(at).filter(|&to| to != at).collect();
        if let Some(version) = graph.node(at).and_then(|n| n.version.as_ref()) {
            let holds = |to: NodeIndex| graph.entry(to).is_some_and(|e| e.range_matches(&version.version));
            ways.extend(self.off_chain_ranges.iter().copied().filter(|&to| to != at && holds(to)));
        }
        ways.sort_unstable_by_key(|to| facts.node_rows[to.index()]);
        ways.dedup();
        let all_skipped = ways.iter().all(|&to| facts.is_skipped(to));
        let why = match (ways.as_slice(), all_skipped) {
            ([], _) => "no edge upgrades it".to_owned(),
            ([one], true) => format!("{} would upgrade it, but is skipped", facts.version_label(*one)),
            ([one], false) => {
                format!("{} would upgrade it, but is not on the replaces chain", facts.version_label(*one))
            }
            (all, true) => {
                format!(
                    "{} entries would upgrade it ({}), but all are skipped",
                    all.len(),
                    self.first_few_labels(all)
                )
            }
            (all, false) => {
                format!(
                    "{} entries would upgrade it ({}), but are not on the replaces chain",
                    all.len(),
                    self.first_few_labels(all)
                )
            }
        };
        format!("{why}; {}", self.v1_note(at))
    }

    /// Joins the labels of at most three bundles.
    fn first_few_labels(&self, all: &[NodeIndex]) -> String {
        let mut shown: Vec<String> = all.iter().take(3).map(|&at| self.facts.version_label(at)).collect();
        if all.len() > shown.len() {
            shown.push("...".to_owned());
        }
        shown.join(", ")
    }

    fn v1_note(&self, at: NodeIndex) -> String {
        let facts = self.facts;
        let Some(node) = facts.graph().node(at) else { return String::new() };
        let installed = Installed::from_package(&facts.package.package, &node.name);
        match table::v1_next(self.resolver(), &installed) {
            NextUpgrade::Stays => "v1 also stays".to_owned(),
            NextUpgrade::Error(error) => format!("v1: {error}"),
            NextUpgrade::To(name) => {
                match facts.graph().find_node(name.as_str()).filter(|&to| facts.graph().entry(to).is_some()) {
                    Some(to) => format!("v1: {}", facts.version_label(to)),
                    None => format!("v1: {name}{}", self.other_channel(&name)),
                }
            }
        }
    }

    /// Returns the first other channel with a bundle, as text.
    fn other_channel(&self, name: &olm_catalog::BundleName) -> String {
        let package = &self.facts.package.package;
        let channel: Option<&ChannelName> = package.channels_with(name).next().map(|c| &c.name.value);
        channel.map(|c| format!(" in {c}")).unwrap_or_default()
    }
}
