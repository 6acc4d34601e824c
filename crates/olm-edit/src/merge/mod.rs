//! Three-way merge of catalogs and templates by meaning, for git.
//!
//! Documents are matched by schema, package and name, entries by their name, properties by their type, and so on. A
//! conflict is only what both sides change differently. The text of the result is taken, in this order, from
//!
//! 1. a merge of lines, in which lines that both sides insert at one place follow each other, if it has the merged meaning;
//! 2. the same for each document;
//! 3. the text of one side, rewritten to the merged content, if no comment of the other side is lost;
//! 4. the lines of both sides between conflict markers.
//!
//! A comment that a side adds is in the result, or the lines of both sides are between markers. The same comment that both
//! sides add counts once.

mod document;
mod lines;
#[cfg(test)]
mod tests;
mod tree;

use std::fmt;

use crate::rewrite::ValueTree;

use self::{
    document::{Document, DocumentText, has_loose_text, keeps_comments, parse_documents, read_heads},
    lines::{MergedLines, merge_lines},
    tree::{MergedValue, merge_trees},
};

/// Three versions of a file.
#[derive(Clone, Copy, Debug)]
pub struct Versions<'a> {
    /// The common ancestor.
    pub base: &'a [u8],
    /// The version of the current branch.
    pub ours: &'a [u8],
    /// The version of the merged branch.
    pub theirs: &'a [u8],
}

impl Versions<'_> {
    /// Exchanges the two sides.
    fn swap_sides(self) -> Self {
        Self { base: self.base, ours: self.theirs, theirs: self.ours }
    }
}

/// Form of conflict markers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Markers {
    /// Length of each marker.
    pub size: usize,
}

impl Default for Markers {
    fn default() -> Self {
        Self { size: 7 }
    }
}

/// Result of a merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// Merged text; with conflict markers for every conflict except [`Conflict::Heads`].
    pub text: Vec<u8>,
    /// Conflicts; empty if the merge is complete.
    pub conflicts: Vec<Conflict>,
    /// True if only lines were merged, because the versions cannot be merged by meaning.
    pub is_textual: bool,
}

/// Conflict between the two sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// Both sides change the same value.
    Value {
        /// Document, such as `olm.channel stable of kiln`.
        document: String,
        /// Path of the value in the document; empty for the whole document.
        path: String,
    },
    /// The meaning merges, but the text cannot be merged without loss.
    Text {
        /// Document.
        document: String,
    },
    /// Lines of a file that is not merged by meaning.
    Lines,
    /// The text is merged, and a channel has several heads although it had one on each side.
    Heads {
        /// Package of the channel.
        package: String,
        /// Name of the channel.
        channel: String,
        /// Names of the heads.
        heads: Vec<String>,
    },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { document, path } if path.is_empty() => write!(f, "both sides change {document}"),
            Self::Value { document, path } => write!(f, "both sides change {path} of {document}"),
            Self::Text { document } => {
                write!(f, "the comments or the layout of {document} cannot be merged without loss")
            }
            Self::Lines => f.write_str("both sides change the same lines"),
            Self::Heads { package, channel, heads } => {
                write!(f, "channel {channel} of {package} has several heads now: {}", heads.join(", "))
            }
        }
    }
}

/// Merges three versions of a file.
pub fn merge_versions(versions: Versions<'_>, markers: Markers) -> Merged {
    let Versions { base, ours, theirs } = versions;
    let read = (parse_documents(base, true), parse_documents(ours, false), parse_documents(theirs, false));
    let (Some(base_docs), Some(our_docs), Some(their_docs)) = read else {
        return merge_text_only(versions, markers);
    };
    let plan = MergePlan::from_documents(&base_docs, &our_docs, &their_docs);
    let mut merged = match plan.merge_whole_text(versions) {
        Some(merged) => merged,
        // Documents do not have the text between them.
        None if [base, ours, theirs].into_iter().any(has_loose_text) => {
            return merge_text_only(versions, markers);
        }
        None => plan.assemble(versions, markers),
    };
    if merged.conflicts.is_empty() {
        if !plan.has_meaning(&merged.text) {
            // An unusual layout. The lines of both sides are complete.
            let text = render_both(versions, markers);
            return Merged { text, conflicts: vec![Conflict::Lines], is_textual: false };
        }
        merged.conflicts = plan.find_new_heads();
    }
    merged
}

/// Merges lines without their meaning.
fn merge_text_only(versions: Versions<'_>, markers: Markers) -> Merged {
    let merged = merge_lines(versions);
    let conflicts = if merged.has_conflicts() { vec![Conflict::Lines] } else { Vec::new() };
    Merged { text: merged.render(markers), conflicts, is_textual: true }
}

/// Document of the result with its three versions.
struct PlannedDocument<'a, 't> {
    base: Option<&'a Document<'t>>,
    ours: Option<&'a Document<'t>>,
    theirs: Option<&'a Document<'t>>,
    merged: MergedValue,
    /// Paths of values that both sides change.
    conflicts: Vec<String>,
}

impl PlannedDocument<'_, '_> {
    fn label(&self) -> String {
        self.ours.or(self.theirs).or(self.base).map(Document::label).unwrap_or_default()
    }

    fn is_channel(&self) -> bool {
        self.ours.or(self.theirs).is_some_and(Document::is_channel)
    }

    /// Returns the merged content with the items in the order of the other side.
    fn merge_in_their_order(&self) -> ValueTree {
        let trees = [self.base, self.theirs, self.ours].map(|doc| doc.map(|doc| &doc.tree));
        let is_known = self.ours.or(self.theirs).is_some_and(Document::is_olm);
        merge_trees(trees, is_known).0.ours.unwrap_or_default()
    }

    /// Returns the text of the document, and its conflicts.
    fn merge_text(&self, markers: Markers) -> (Vec<u8>, Vec<Conflict>) {
        let document = self.label();
        let versions = Versions {
            base: self.base.map(|doc| doc.text).unwrap_or_default(),
            ours: self.ours.map(|doc| doc.text).unwrap_or_default(),
            theirs: self.theirs.map(|doc| doc.text).unwrap_or_default(),
        };
        if self.conflicts.is_empty() {
            let text = DocumentText { ours: self.ours, theirs: self.theirs, versions };
            let merged = match &self.merged.ours {
                Some(tree) => text.merge_to(tree, &self.merge_in_their_order()),
                None => Some(Vec::new()).filter(|text| keeps_comments(versions, text)),
            };
            return match merged {
                Some(text) => (text, Vec::new()),
                None => (render_both(versions, markers), vec![Conflict::Text { document }]),
            };
        }
        let conflicts = self
            .conflicts
            .iter()
            .map(|path| Conflict::Value { document: document.clone(), path: path.clone() });
        let conflicts = conflicts.collect();
        let text = DocumentText { ours: self.ours, theirs: self.theirs, versions };
        let sides = text.rewrite_to_sides(&self.merged);
        let text = sides.map_or_else(
            || render_both(versions, markers),
            |(ours, theirs)| MergedLines::between(&ours, &theirs).render(markers),
        );
        (text, conflicts)
    }
}

/// Renders the lines of both sides, with markers around what differs.
fn render_both(versions: Versions<'_>, markers: Markers) -> Vec<u8> {
    let merged = merge_lines(versions);
    // A clean merge of lines has another meaning than the merge, or it would have been taken.
    let merged =
        if merged.has_conflicts() { merged } else { MergedLines::between(versions.ours, versions.theirs) };
    merged.render(markers)
}

/// Merged documents in the order of the result.
struct MergePlan<'a, 't> {
    documents: Vec<PlannedDocument<'a, 't>>,
}

impl<'a, 't> MergePlan<'a, 't> {
    fn from_documents(
        base: &'a [Document<'t>],
        ours: &'a [Document<'t>],
        theirs: &'a [Document<'t>],
    ) -> Self {
        let find = |documents: &'a [Document<'t>], key: &str| documents.iter().find(|doc| doc.key == key);
        let order = tree::merge_order(
            &ours.iter().map(|doc| doc.key.as_str()).collect::<Vec<_>>(),
            &theirs.iter().map(|doc| doc.key.as_str()).collect::<Vec<_>>(),
        );
        let documents = order.into_iter().map(|key| {
            let (base, ours, theirs) = (find(base, key), find(ours, key), find(theirs, key));
            let trees = [base, ours, theirs].map(|doc| doc.map(|doc| &doc.tree));
            let is_known = ours.or(theirs).is_some_and(Document::is_olm);
            let (merged, conflicts) = merge_trees(trees, is_known);
            PlannedDocument { base, ours, theirs, merged, conflicts }
        });
        Self { documents: documents.collect() }
    }

    fn has_conflicts(&self) -> bool {
        self.documents.iter().any(|doc| !doc.conflicts.is_empty())
    }

    /// Merges the lines of the whole file, if the result has the merged meaning.
    fn merge_whole_text(&self, versions: Versions<'_>) -> Option<Merged> {
        if self.has_conflicts() {
            return None;
        }
        // Lines that both sides insert may fit in one order only.
        let texts =
            [versions, versions.swap_sides()].into_iter().filter_map(|sides| merge_lines(sides).resolve());
        let text = texts.into_iter().find(|text| self.has_meaning(text))?;
        Some(Merged { text, conflicts: Vec::new(), is_textual: false })
    }

    /// Returns true if a text has exactly the merged documents.
    fn has_meaning(&self, text: &[u8]) -> bool {
        let Some(found) = parse_documents(text, true) else { return false };
        let expected = self.documents.iter().filter(|doc| doc.merged.ours.is_some());
        found.len() == expected.clone().count()
            && expected.into_iter().all(|planned| {
                let key = planned.ours.or(planned.theirs).map(|doc| doc.key.as_str());
                let own = found.iter().find(|doc| Some(doc.key.as_str()) == key);
                own.zip(planned.merged.ours.as_ref())
                    .is_some_and(|(own, tree)| tree::is_same_meaning(&own.tree, tree))
            })
    }

    /// Merges document by document.
    fn assemble(&self, versions: Versions<'_>, markers: Markers) -> Merged {
        let mut merged = Merged { text: Vec::new(), conflicts: Vec::new(), is_textual: false };
        for document in &self.documents {
            let (text, conflicts) = document.merge_text(markers);
            document::push_document(&mut merged.text, &text, versions.ours);
            merged.conflicts.extend(conflicts);
        }
        merged
    }

    /// Returns the channels that have several heads, and had at most one on each side.
    fn find_new_heads(&self) -> Vec<Conflict> {
        let channels = self.documents.iter().filter(|doc| doc.is_channel());
        let conflicts = channels.filter_map(|planned| {
            let heads = read_heads(planned.merged.ours.as_ref()?);
            let had_one = [planned.ours, planned.theirs]
                .into_iter()
                .flatten()
                .all(|doc| read_heads(&doc.tree).len() < 2);
            let doc = planned.ours.or(planned.theirs)?;
            (heads.len() > 1 && had_one).then(|| Conflict::Heads {
                package: doc.package.clone(),
                channel: doc.name.clone(),
                heads,
            })
        });
        conflicts.collect()
    }
}
