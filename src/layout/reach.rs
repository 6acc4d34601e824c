//! How each row stands to the selected bundle: who can upgrade to it, and where it goes.

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use super::{channel::Options, facts::Facts, note::Words};
use crate::{
    catalog::BundleName,
    upgrade::{
        EdgeKind, Installed,
        table::{self, Next},
    },
};

/// How a row stands to the selected bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent facts, not states
pub struct Reach {
    /// It is the selected bundle.
    pub selected: bool,
    /// It can be upgraded to the selected bundle, and by what; of several the first that OLM asks.
    pub by: Option<EdgeKind>,
    /// Classic ignores that, because the selected bundle is skipped.
    pub dead: bool,
    /// Classic moves the selected bundle here.
    pub classic: bool,
    /// v1 moves the selected bundle here.
    pub v1: bool,
}

impl Reach {
    /// Two columns: `>` where the selected bundle goes (`>c` Classic alone, `>v` v1 alone), `r`, `s` or `~` for what can
    /// be upgraded to it (with `X` where Classic ignores it), `*` for itself.
    pub fn mark(self) -> &'static str {
        match (self.classic, self.v1, self.by, self.dead) {
            _ if self.selected => "* ",
            (true, true, ..) => "> ",
            (true, false, ..) => ">c",
            (false, true, ..) => ">v",
            (_, _, Some(EdgeKind::Replaces), false) => "r ",
            (_, _, Some(EdgeKind::Skips), false) => "s ",
            (_, _, Some(EdgeKind::SkipRange), false) => "~ ",
            (_, _, Some(EdgeKind::Replaces), true) => "rX",
            (_, _, Some(EdgeKind::Skips), true) => "sX",
            (_, _, Some(EdgeKind::SkipRange), true) => "~X",
            (_, _, None, _) => "  ",
        }
    }
}

/// Where the selected bundle goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picks {
    /// In Classic, subscribed to this channel.
    pub classic: Next,
    /// In v1; it may be in another channel.
    pub v1: Next,
}

/// One [`Reach`] a row, and the picks, where something is selected.
pub(super) fn about(facts: &Facts<'_>, options: &Options, words: &Words<'_>) -> (Vec<Reach>, Option<Picks>) {
    let mut rows = vec![Reach::default(); facts.order.len()];
    let selected = options.selected.and_then(|at| Some((at, facts.graph().node(at)?)));
    let Some((selected, node)) = selected else { return (rows, None) };
    let graph = facts.graph();
    let dead = facts.is_skipped(selected);
    let mut from = |at: NodeIndex, kind: EdgeKind| {
        let reach = &mut rows[facts.row[at.index()]];
        reach.by = Some(reach.by.map_or(kind, |before| before.min(kind)));
        reach.dead = dead;
    };
    for edge in graph.graph().edges_directed(selected, petgraph::Direction::Incoming) {
        from(edge.source(), *edge.weight());
    }
    if let Some(Ok(range)) = graph.entry(selected).and_then(|e| e.skip_range.as_ref()).map(|r| &r.range) {
        facts.coverage.covered(range).into_iter().for_each(|at| from(at, EdgeKind::SkipRange));
    }
    let name = |at: NodeIndex| graph.node(at).map(|n| n.name.clone()).unwrap_or_default();
    let classic = match (&facts.channel.chain, facts.classic[selected.index()]) {
        (Err(error), _) => Next::Error(error.clone()),
        (Ok(_), None) => Next::Stays,
        (Ok(_), Some(at)) => Next::To(name(at)),
    };
    let v1 = table::v1_next(words.resolver(), &Installed::of(&facts.package.package, &node.name));
    let row_of = |next: &Next| {
        next.target().and_then(|n: &BundleName| graph.find(n.as_str())).map(|at| facts.row[at.index()])
    };
    if let Some(row) = row_of(&classic) {
        rows[row].classic = true;
    }
    if let Some(row) = row_of(&v1) {
        rows[row].v1 = true;
    }
    rows[facts.row[selected.index()]].selected = true;
    (rows, Some(Picks { classic, v1 }))
}
