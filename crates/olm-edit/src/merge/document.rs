//! Documents of a merge, and their text.

use std::collections::HashSet;

use super::{
    Versions,
    lines::{merge_lines, split_lines},
    tree::{self, MergedValue, member_text},
};
use crate::rewrite::{ValueTree, rewrite_text};
use olm_catalog::text::{
    split::{ChunkKind, Format, parse_chunk, split_chunks},
    yaml,
};

/// Document of a version.
#[derive(Clone, Debug)]
pub(super) struct Document<'t> {
    /// Schema, package and name, which identify it.
    pub key: String,
    pub schema: String,
    pub package: String,
    pub name: String,
    /// Text with its `---` line.
    pub text: &'t [u8],
    pub format: Format,
    pub tree: ValueTree,
}

impl Document<'_> {
    /// Returns the schema with the name, such as `olm.channel stable of kiln`.
    pub fn label(&self) -> String {
        match (self.name.as_str(), self.package.as_str()) {
            ("", "") => self.schema.clone(),
            ("", package) => format!("{} of {package}", self.schema),
            (name, "") => format!("{} {name}", self.schema),
            (name, package) => format!("{} {name} of {package}", self.schema),
        }
    }

    pub fn is_olm(&self) -> bool {
        self.schema.starts_with("olm.")
    }

    pub fn is_channel(&self) -> bool {
        self.schema == "olm.channel"
    }

    /// Returns the text rewritten to another content; `None` if that is not possible in place.
    fn rewrite(&self, tree: &ValueTree) -> Option<Vec<u8>> {
        rewrite(self.format, self.text, tree)
    }
}

fn rewrite(format: Format, text: &[u8], tree: &ValueTree) -> Option<Vec<u8>> {
    let old = parse_chunk(format, text).ok()?;
    rewrite_text(format, text, &old, tree).ok().map(|rewritten| rewritten.text)
}

/// Splits and parses a version. `None` if it cannot be merged by meaning: a document cannot be read, has no schema, is there
/// twice, or no document is one of OLM. An ancestor (`may_be_empty`) may be empty.
pub(super) fn parse_documents(text: &[u8], may_be_empty: bool) -> Option<Vec<Document<'_>>> {
    if yaml::is_utf16(text) {
        return None;
    }
    let mut documents: Vec<Document<'_>> = Vec::new();
    let mut keys = HashSet::new();
    for chunk in split_chunks(text) {
        let own = text.get(chunk.range.clone())?;
        let format = match chunk.kind {
            ChunkKind::Document(format) => format,
            ChunkKind::NoObject if own.trim_ascii().is_empty() => continue,
            ChunkKind::NoObject | ChunkKind::Unreadable(_) => return None,
        };
        let tree = ValueTree::from(&parse_chunk(format, own).ok()?);
        let field = |key: &str| member_text(&tree, key).unwrap_or_default().to_owned();
        let (schema, package, name) = (field("schema"), field("package"), field("name"));
        // Two documents in two formats are not joined.
        let is_other_format = documents.first().is_some_and(|first: &Document<'_>| first.format != format);
        let key = format!("{schema}\0{package}\0{name}");
        if schema.is_empty() || is_other_format || !keys.insert(key.clone()) {
            return None;
        }
        documents.push(Document { key, schema, package, name, text: own, format, tree });
    }
    let is_usable = may_be_empty && documents.is_empty() || documents.iter().any(Document::is_olm);
    is_usable.then_some(documents)
}

/// Returns the entries of a channel that no other entry replaces or skips.
pub(super) fn read_heads(channel: &ValueTree) -> Vec<String> {
    let entries = channel.get("entries").map(ValueTree::items).unwrap_or_default();
    let mut below: HashSet<&str> = HashSet::new();
    for entry in entries {
        below.extend(member_text(entry, "replaces"));
        below.extend(
            entry.get("skips").map(ValueTree::items).unwrap_or_default().iter().filter_map(ValueTree::as_str),
        );
    }
    let names = entries.iter().filter_map(|entry| member_text(entry, "name"));
    names.filter(|name| !below.contains(name)).map(str::to_owned).collect()
}

/// Appends the text of a document to a file. `like` is a file with the line breaks of the result.
pub(super) fn push_document(file: &mut Vec<u8>, text: &[u8], like: &[u8]) {
    if text.is_empty() {
        return;
    }
    let line_break: &[u8] = if like.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    if !file.is_empty() {
        if !file.ends_with(b"\n") {
            file.extend_from_slice(line_break);
        }
        let is_separated =
            text.starts_with(b"---") || text.starts_with(b"<<<") || text.trim_ascii_start().starts_with(b"{");
        if !is_separated {
            file.extend_from_slice(b"---");
            file.extend_from_slice(line_break);
        }
    }
    file.extend_from_slice(text);
}

/// Text of a document that both sides may have.
pub(super) struct DocumentText<'d, 't> {
    pub ours: Option<&'d Document<'t>>,
    pub theirs: Option<&'d Document<'t>>,
    pub versions: Versions<'d>,
}

impl DocumentText<'_, '_> {
    /// Returns a text with the merged content that has all comments of both sides; `None` if there is none.
    pub fn merge_to(&self, tree: &ValueTree) -> Option<Vec<u8>> {
        let Versions { base, ours, theirs } = self.versions;
        let (Some(our_doc), Some(their_doc)) = (self.ours, self.theirs) else {
            // Only one side has the document, and the other did not remove it from the ancestor.
            return Some([ours, theirs].concat());
        };
        if ours == theirs || base == theirs {
            return Some(ours.to_vec());
        }
        if base == ours {
            return Some(theirs.to_vec());
        }
        if let Some(text) = merge_lines(self.versions).resolve() {
            let read = parse_chunk(our_doc.format, &text).ok().map(|node| ValueTree::from(&node));
            if read.is_some_and(|read| tree::is_same_meaning(&read, tree)) {
                return Some(text);
            }
        }
        // A side that only adds a comment to what the other removes loses it.
        let is_complete = |text: &Vec<u8>| [ours, theirs].iter().all(|side| !loses_comment(base, side, text));
        [our_doc, their_doc].into_iter().find_map(|own| own.rewrite(tree).filter(is_complete))
    }

    /// Returns the texts of a document that both sides change: merged, with the values of each side. `None` if a comment
    /// would be lost, or the text cannot be rewritten.
    pub fn rewrite_to_sides(&self, merged: &MergedValue) -> Option<(Vec<u8>, Vec<u8>)> {
        let (our_doc, _) = self.ours.zip(self.theirs)?;
        let (our_tree, their_tree) = merged.ours.as_ref().zip(merged.theirs.as_ref())?;
        let ours = our_doc.rewrite(our_tree)?;
        let theirs = rewrite(our_doc.format, &ours, their_tree)?;
        let Versions { base, ours: our_text, theirs: their_text } = self.versions;
        let is_complete = !loses_comment(base, our_text, &ours) && !loses_comment(base, their_text, &theirs);
        is_complete.then_some((ours, theirs))
    }
}

/// Returns true if `side` adds a line with a comment to `base`, and `text` does not have it.
fn loses_comment(base: &[u8], side: &[u8], text: &[u8]) -> bool {
    let known: HashSet<&[u8]> =
        [base, text].into_iter().flat_map(split_lines).map(<[u8]>::trim_ascii).collect();
    let is_comment =
        |line: &&[u8]| line.starts_with(b"#") || line.windows(2).any(|pair| pair == b" #" || pair == b"\t#");
    split_lines(side).into_iter().map(<[u8]>::trim_ascii).filter(is_comment).any(|line| !known.contains(line))
}
