//! Successor that OLM Classic picks (semantics 4; operator-lifecycle-manager `controller/registry/resolver`).

use std::collections::HashSet;

use petgraph::graph::NodeIndex;

use super::{
    answer::{Admission, Answer, Candidate, Engine, Refusal, ResolveError, Verdict},
    graph::{ChannelGraph, EdgeKind},
    installed::Installed,
    range_index::RangedCandidates,
};
use olm_catalog::{BundleName, blob::Entry};

/// Classic's view of one channel: the replaces chain from the head.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Entries that Classic may pick, head first: those on the replaces chain that are not skipped.
    pub order: Vec<NodeIndex>,
    /// Index in `order` of each node of the graph; `None` if the node is not in it.
    positions: Vec<Option<usize>>,
    /// Entries with a skipRange, by their index in `order`.
    ranged: RangedCandidates,
}

impl Chain {
    fn new(graph: &ChannelGraph, order: Vec<NodeIndex>) -> Self {
        let mut place = vec![None; graph.graph().node_count()];
        let mut ranged = RangedCandidates::default();
        for (at, node) in order.iter().enumerate() {
            place[node.index()] = Some(at);
            if graph.entry(*node).is_some_and(|entry| entry.skip_range.is_some()) {
                ranged.push_rank(at);
            }
        }
        Self { order, positions: place, ranged }
    }

    /// Returns the index of a node in [`Chain::order`].
    pub fn rank(&self, at: NodeIndex) -> Option<usize> {
        self.positions.get(at.index()).copied().flatten()
    }
}

/// Follows `replaces` from the head. The chain leads through skipped entries, but the result does
/// not contain them.
///
/// # Errors
///
/// Fails if there is no head, if there are several, or if the chain has a cycle. If there are
/// several heads, a cycle below any of them takes precedence, as in OLM.
pub fn build_chain(graph: &ChannelGraph) -> Result<Chain, ResolveError> {
    let name = |at: NodeIndex| graph.node(at).map(|n| n.name.clone()).unwrap_or_default();
    let heads = graph.head_nodes();
    let Some(&head) = heads.first() else { return Err(ResolveError::NoHead(graph.name().clone())) };
    let mut order = Vec::new();
    for &start in heads {
        let mut seen = HashSet::new();
        let mut current = Some(start);
        while let Some(at) = current {
            if !seen.insert(at) {
                return Err(ResolveError::Cycle {
                    channel: graph.name().clone(),
                    head: name(start),
                    at: name(at),
                });
            }
            if start == head && !graph.is_skipped(at) {
                order.push(at);
            }
            current = graph.replaced_entry(at);
        }
    }
    if heads.len() > 1 {
        let heads = heads.iter().map(|&at| name(at)).collect::<Vec<_>>().into();
        return Err(ResolveError::SeveralHeads { channel: graph.name().clone(), heads });
    }
    Ok(Chain::new(graph, order))
}

/// Returns the edge from an installed bundle to an entry. Checks the edges in OLM's order.
pub(super) fn find_edge(graph: &ChannelGraph, entry: &Entry, installed: &Installed) -> Option<Admission> {
    edge_kind(entry, installed).map(|kind| admission_by_kind(graph, entry, installed, kind))
}

/// Returns the kind of the edge from an installed bundle to an entry.
pub fn edge_kind(entry: &Entry, installed: &Installed) -> Option<EdgeKind> {
    if entry.replaces(&installed.name) {
        return Some(EdgeKind::Replaces);
    }
    if entry.skips(&installed.name) {
        return Some(EdgeKind::Skips);
    }
    let version = installed.version.as_ref()?;
    entry.range_matches(&version.version).then_some(EdgeKind::SkipRange)
}

/// Returns the admission for an edge of this kind.
fn admission_by_kind(
    graph: &ChannelGraph,
    entry: &Entry,
    installed: &Installed,
    kind: EdgeKind,
) -> Admission {
    let channel = graph.name().clone();
    let name = installed.name.clone();
    match kind {
        EdgeKind::Replaces => Admission::Replaces { channel, installed: name },
        EdgeKind::Skips => Admission::Skips { channel, installed: name },
        EdgeKind::SkipRange => Admission::Range {
            channel,
            range: entry.skip_range.as_ref().map(|r| r.text.value.clone()).unwrap_or_default(),
            version: installed.version.as_ref().map(|v| v.version.to_string()).unwrap_or_default(),
        },
    }
}

/// Returns only the pick, without explanations: the first entry of the chain with an edge from the
/// installed bundle.
pub fn pick_successor(graph: &ChannelGraph, chain: &Chain, installed: &Installed) -> Option<NodeIndex> {
    // `replaces` and `skips` are edges of the graph, so only the ranges of entries closer to the head remain.
    let edges =
        graph.find_node(installed.name.as_str()).into_iter().flat_map(|from| graph.graph().neighbors(from));
    let named = edges.filter_map(|to| chain.rank(to)).min();
    let entries = |at: usize| chain.order.get(at).and_then(|&node| graph.entry(node)).into_iter();
    let version = installed.version.as_ref();
    let nearer = version.and_then(|v| chain.ranged.first_including(&v.version, named, entries));
    chain.order.get(nearer.or(named)?).copied()
}

/// Returns the complete answer for an installed bundle.
pub fn answer_upgrade(
    graph: &ChannelGraph,
    chain: &Result<Chain, ResolveError>,
    installed: &Installed,
) -> Answer {
    let mut answer = Answer::new(Engine::Classic, Some(installed));
    let chain = match chain {
        Ok(chain) => chain,
        Err(error) => return Answer::failed(Engine::Classic, Some(installed), error.clone()),
    };
    answer.chain = node_names(graph, &chain.order);
    let on_chain: HashSet<NodeIndex> = chain.order.iter().copied().collect();
    for &at in &chain.order {
        let Some(entry) = graph.entry(at) else { continue };
        let verdict = match find_edge(graph, entry, installed) {
            Some(admission) => Verdict::Admitted(admission),
            None => Verdict::Refused(Refusal::NoEdge {
                ranges: entry.skip_range.iter().map(|r| r.text.value.clone()).collect(),
            }),
        };
        answer.candidates.push(candidate_for_node(graph, at, verdict));
    }
    // Entries with an edge that Classic ignores.
    for at in graph.entry_nodes().filter(|at| !on_chain.contains(at)) {
        let Some(edge) = graph.entry(at).and_then(|entry| find_edge(graph, entry, installed)) else {
            continue;
        };
        let edge = Box::new(edge);
        let refusal = match graph.successors(at, EdgeKind::Skips).next().and_then(|by| graph.node(by)) {
            Some(by) => Refusal::Skipped { by: by.name.clone(), edge },
            None => Refusal::OffChain { edge },
        };
        answer.candidates.push(candidate_for_node(graph, at, Verdict::Refused(refusal)));
    }
    answer.pick =
        answer.candidates.iter().find(|c| matches!(c.verdict, Verdict::Admitted(_))).map(|c| c.name.clone());
    answer
}

/// Returns [`Answer::reason`] of [`answer_upgrade`]. Explains no other candidates, unless OLM ignores some of them.
pub(super) fn upgrade_reason(
    graph: &ChannelGraph,
    chain: &Result<Chain, ResolveError>,
    installed: &Installed,
) -> String {
    let picked = chain.as_ref().ok().and_then(|chain| pick_successor(graph, chain, installed));
    let admission = picked.and_then(|at| find_edge(graph, graph.entry(at)?, installed));
    match admission {
        Some(admission) => admission.to_string(),
        None => answer_upgrade(graph, chain, installed).reason(),
    }
}

/// Returns the answer for a new installation: the head, or the entry in `startingCSV`.
pub fn answer_fresh_install(
    graph: &ChannelGraph,
    chain: &Result<Chain, ResolveError>,
    starting_csv: Option<&BundleName>,
) -> Answer {
    let mut answer = Answer::new(Engine::Classic, None);
    let chain = match chain {
        Ok(chain) => chain,
        Err(error) => return Answer::failed(Engine::Classic, None, error.clone()),
    };
    answer.chain = node_names(graph, &chain.order);
    let (at, admission) = match starting_csv {
        None => (chain.order.first().copied(), Admission::Head),
        Some(name) => {
            let found = graph.find_node(name.as_str()).filter(|&at| graph.entry(at).is_some());
            if found.is_none() {
                answer.error = Some(ResolveError::NoStartingCsv(name.clone()));
            }
            (found, Admission::StartingCsv)
        }
    };
    if let Some(at) = at {
        let candidate = candidate_for_node(graph, at, Verdict::Admitted(admission));
        answer.pick = Some(candidate.name.clone());
        answer.candidates.push(candidate);
    }
    answer
}

fn node_names(graph: &ChannelGraph, order: &[NodeIndex]) -> Vec<BundleName> {
    order.iter().filter_map(|&at| graph.node(at)).map(|n| n.name.clone()).collect()
}

fn candidate_for_node(graph: &ChannelGraph, at: NodeIndex, verdict: Verdict) -> Candidate {
    let node = graph.node(at);
    Candidate {
        name: node.map(|n| n.name.clone()).unwrap_or_default(),
        version: node.and_then(|n| n.version.clone()),
        verdict,
    }
}
