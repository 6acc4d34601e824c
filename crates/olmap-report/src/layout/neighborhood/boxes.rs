//! Boxes: one per bundle or per group of equally connected bundles, with their text.

use std::collections::HashMap;

use petgraph::{Direction, graph::NodeIndex, visit::EdgeRef};

use super::{Area, CENTER, Hops, RangeIndex};
use crate::layout::{
    channel::Marks,
    facts::Facts,
    note,
    paths::{SelectedPaths, UpgradePath},
};
use olm_catalog::BundleName;
use olm_upgrade::EdgeKind;

/// Content of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxKind {
    /// Bundle at the center of the picture.
    Center,
    /// Single bundle.
    Version,
    /// Equally connected bundles with the same remarks.
    Group,
    /// All bundles for which there is not enough space.
    More,
}

/// Box of the picture.
#[derive(Clone, Debug)]
pub struct VersionBox {
    /// Content of the box.
    pub kind: BoxKind,
    /// Hops from the center: negative for older bundles, positive for newer ones.
    pub hop: isize,
    /// Bundles of the box, in the order of the channel's picture.
    pub members: Vec<NodeIndex>,
    /// Position and size, including the frame.
    pub area: Area,
    /// Position and size of the text inside the frame.
    pub room: Area,
    /// First line: a version or a number of versions. May be wider than the box. Contains catalog
    /// text as written.
    pub title: String,
    /// Lines below the title that fit. Contain catalog text as written.
    pub notes: Vec<String>,
    /// Properties shared by its bundles; empty for [`BoxKind::More`].
    pub marks: Marks,
    /// Relation to the center: the center itself or an upgrade target of it.
    pub picked: CenterRelation,
}

/// Relation of a bundle to the center.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CenterRelation {
    /// True for the center itself.
    pub center: bool,
    /// True if Classic upgrades the center to it.
    pub classic: bool,
    /// True if v1 upgrades the center to it.
    pub v1: bool,
}

/// Connections of a bundle to boxes that are one hop closer to the center: index of the box and
/// kind.
type BoxLinks = Vec<(usize, EdgeKind)>;

/// Box without a position.
#[derive(Clone, Debug)]
pub(super) struct BoxDraft {
    pub(super) kind: BoxKind,
    pub(super) members: Vec<NodeIndex>,
    ties: BoxLinks,
    pub(super) title: String,
    /// Complete note, not yet wrapped.
    pub(super) note: String,
    pub(super) marks: Marks,
    pub(super) picked: CenterRelation,
}

/// Input for drafts.
pub(super) struct BoxBuilder<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) ranges: &'a RangeIndex,
    pub(super) hops: &'a Hops,
    pub(super) center: NodeIndex,
    pub(super) ways: &'a SelectedPaths,
    /// Mark before the title of a bundle.
    pub(super) title_marks: &'a HashMap<BundleName, char>,
}

/// Key that bundles of one box have in common.
#[derive(PartialEq, Eq, Hash)]
struct BoxKey {
    ties: BoxLinks,
    marks: [bool; 9],
    picked: [bool; 2],
    title_mark: Option<char>,
}

impl BoxBuilder<'_> {
    /// Returns the drafts of a column, most important first. `nearer` has the drafts one hop closer
    /// to the center. At least `together` bundles with equal keys share a box.
    pub(super) fn draft_column(&self, column: usize, nearer: &[BoxDraft], together: usize) -> Vec<BoxDraft> {
        if column == CENTER {
            return self.hops[CENTER]
                .iter()
                .map(|&at| self.draft_box(BoxKind::Center, vec![at], Vec::new()))
                .collect();
        }
        let mut classes: Vec<(BoxLinks, Vec<NodeIndex>)> = Vec::new();
        let mut known: HashMap<BoxKey, usize> = HashMap::new();
        let ties = self.link_column(column, nearer);
        for (&at, ties) in self.hops[column].iter().zip(ties) {
            let likeness = self.box_key(at, ties.clone());
            let class = *known.entry(likeness).or_insert_with(|| {
                classes.push((ties, Vec::new()));
                classes.len() - 1
            });
            classes[class].1.push(at);
        }
        let mut drafts = Vec::new();
        for (ties, members) in classes {
            if members.len() >= together {
                drafts.push(self.draft_box(BoxKind::Group, members, ties));
            } else {
                drafts.extend(
                    members.into_iter().map(|at| self.draft_box(BoxKind::Version, vec![at], ties.clone())),
                );
            }
        }
        drafts.sort_by_key(|draft| {
            let unpicked = (!draft.picked.classic, !draft.picked.v1);
            let nearest = draft.ties.iter().map(|tie| tie.0).min();
            let kind = draft.ties.iter().map(|tie| tie.1).min();
            (unpicked, nearest, kind, draft.members.first().map(|at| self.facts.node_rows[at.index()]))
        });
        drafts
    }

    /// Returns the most important neighbor of the center in a column.
    pub(super) fn first_neighbor(&self, column: usize) -> Option<NodeIndex> {
        let centre = self.draft_column(CENTER, &[], usize::MAX);
        self.draft_column(column, &centre, usize::MAX).first()?.members.first().copied()
    }

    /// Returns a draft that counts the bundles without space.
    pub(super) fn draft_rest(&self, drafts: &[BoxDraft]) -> BoxDraft {
        let mut members: Vec<NodeIndex> = drafts.iter().flat_map(|d| d.members.iter().copied()).collect();
        members.sort_unstable_by_key(|at| self.facts.node_rows[at.index()]);
        BoxDraft {
            kind: BoxKind::More,
            title: format!("+{} more", members.len()),
            note: String::new(),
            ties: Vec::new(),
            marks: Marks::default(),
            picked: CenterRelation::default(),
            members,
        }
    }

    /// Returns the connections of each bundle of a column to the boxes of the nearer column.
    fn link_column(&self, column: usize, nearer: &[BoxDraft]) -> Vec<BoxLinks> {
        let graph = self.facts.graph().graph();
        let members = &self.hops[column];
        let mut place = vec![None; graph.node_count()];
        let mut slot = vec![None; graph.node_count()];
        for (index, draft) in nearer.iter().enumerate() {
            draft.members.iter().for_each(|at| place[at.index()] = Some(index));
        }
        members.iter().enumerate().for_each(|(index, at)| slot[at.index()] = Some(index));
        let mut ties = vec![BoxLinks::new(); members.len()];
        for (index, draft) in nearer.iter().enumerate() {
            let held: Vec<bool> = if column < CENTER {
                let held = self.ranges.included_by_any(&draft.members);
                members.iter().map(|at| held[at.index()]).collect()
            } else {
                let tally = self.ranges.tally_members(|at| place[at.index()] == Some(index));
                members.iter().map(|&at| self.ranges.count_in_range(at, &tally) > 0).collect()
            };
            for (ties, _) in ties.iter_mut().zip(held).filter(|(_, held)| *held) {
                ties.push((index, EdgeKind::SkipRange));
            }
        }
        for (ties, &at) in ties.iter_mut().zip(members) {
            let direction = if column < CENTER { Direction::Outgoing } else { Direction::Incoming };
            for edge in graph.edges_directed(at, direction) {
                let other = if column < CENTER { edge.target() } else { edge.source() };
                ties.extend(place[other.index()].map(|index| (index, *edge.weight())));
            }
            ties.sort_unstable();
            ties.dedup();
        }
        ties
    }

    fn box_key(&self, at: NodeIndex, ties: BoxLinks) -> BoxKey {
        let marks = note::node_marks(self.facts, at);
        let picked = self.center_relation(at);
        let skipped = marks.skipped_by.is_some();
        let Marks {
            head,
            deprecated,
            dead_end,
            dangling,
            downgrade: below,
            on_cycle: circle,
            missing_bundle: no_bundle,
            stuck,
            ..
        } = marks;
        BoxKey {
            ties,
            marks: [head, deprecated, dead_end, dangling, below, circle, no_bundle, skipped, stuck.is_some()],
            picked: [picked.classic, picked.v1],
            title_mark: self.find_title_mark(at),
        }
    }

    fn find_title_mark(&self, at: NodeIndex) -> Option<char> {
        self.title_marks.get(&self.facts.graph().node(at)?.name).copied()
    }

    fn center_relation(&self, at: NodeIndex) -> CenterRelation {
        let name = self.facts.graph().node(at).map(|node| &node.name);
        let first = |way: &UpgradePath| name.is_some() && way.hops.first() == name;
        CenterRelation {
            center: at == self.center,
            classic: first(&self.ways.classic),
            v1: first(&self.ways.v1),
        }
    }

    fn draft_box(&self, kind: BoxKind, members: Vec<NodeIndex>, ties: BoxLinks) -> BoxDraft {
        let facts = self.facts;
        let Some(&at) = members.first() else { return self.draft_rest(&[]) };
        let marks = note::node_marks(facts, at);
        let picked = self.center_relation(at);
        let lowest = members.last().copied().unwrap_or(at);
        let title = match kind {
            BoxKind::Group => format!("{} versions", members.len()),
            _ => facts.version_label(at),
        };
        let title = self.find_title_mark(at).map_or_else(|| title.clone(), |mark| format!("{mark} {title}"));
        let mut parts = Vec::new();
        if kind == BoxKind::Group {
            parts.push(format!("{} .. {}", facts.version_label(lowest), facts.version_label(at)));
            let mut kinds: Vec<EdgeKind> = ties.iter().map(|tie| tie.1).collect();
            kinds.sort_unstable();
            kinds.dedup();
            // The text below reports skipped bundles together with the skipping entry.
            kinds.retain(|&kind| kind != EdgeKind::Skips || marks.skipped_by.is_none());
            if !kinds.is_empty() {
                parts.push(kinds.into_iter().map(kind_label).collect::<Vec<_>>().join(" + "));
            }
        }
        parts.extend(self.describe_members(&members, &marks, picked));
        BoxDraft { kind, members, ties, title, note: parts.join(", "), marks, picked }
    }

    /// Returns remarks on the bundles of a box, most important first.
    fn describe_members(&self, members: &[NodeIndex], marks: &Marks, picked: CenterRelation) -> Vec<String> {
        let facts = self.facts;
        let mut words: Vec<String> = Vec::new();
        let mut say = |when: bool, word: &str| {
            if when {
                words.push(word.to_owned());
            }
        };
        match (picked.classic, picked.v1) {
            (true, true) => say(true, "Classic + v1 pick"),
            (true, false) => say(true, "Classic pick"),
            (false, true) => say(true, "v1 pick"),
            (false, false) => {}
        }
        match facts.heads.as_slice() {
            [_] => say(marks.head, "HEAD"),
            heads => say(marks.head, &format!("HEAD, one of {}", heads.len())),
        }
        say(marks.stuck.is_some(), "STUCK");
        say(marks.dead_end && marks.stuck.is_none(), "Classic stays");
        if marks.skipped_by.is_some() {
            let by = |at: &NodeIndex| facts.skipped_by.get(at.index()).copied().flatten();
            let first = members.first().and_then(by);
            match first.filter(|_| members.iter().all(|at| by(at) == first)) {
                Some(by) => say(true, &format!("SKIPPED by {}", facts.version_label(by))),
                None => say(true, "SKIPPED"),
            }
        }
        say(marks.dangling, "not in this channel");
        say(marks.missing_bundle, "no such bundle");
        say(marks.downgrade, "goes DOWN");
        say(marks.on_cycle, "CYCLE of replaces");
        say(marks.deprecated, "deprecated");
        let leaves =
            self.ways.v1.hops.first().is_some_and(|to| facts.graph().find_node(to.as_str()).is_none());
        say(picked.center && leaves, "v1 leaves this channel");
        words
    }
}

fn kind_label(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::SkipRange => "range",
        kind => kind.as_str(),
    }
}
