//! Documents of a merge, and their text.

use std::collections::{HashMap, HashSet};

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
            ChunkKind::Document(_) | ChunkKind::NoObject if has_only_comments(own) => continue,
            ChunkKind::Document(format) => format,
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

fn has_only_comments(chunk: &[u8]) -> bool {
    split_lines(chunk)
        .into_iter()
        .map(<[u8]>::trim_ascii)
        .all(|line| matches!(line, b"" | b"---" | [b'#', ..]))
}

/// Returns true if a version has comments that belong to no document, such as a licence before the first one.
pub(super) fn has_loose_text(text: &[u8]) -> bool {
    let chunks = split_chunks(text).into_iter().filter_map(|chunk| text.get(chunk.range));
    chunks.filter(|chunk| has_only_comments(chunk)).any(|chunk| chunk.contains(&b'#'))
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
    /// Returns a text with the merged content that has all comments of both sides; `None` if there is none. The content is
    /// given in the order of each side.
    pub fn merge_to(&self, tree: &ValueTree, in_their_order: &ValueTree) -> Option<Vec<u8>> {
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
        let has_meaning = |text: &Vec<u8>| {
            let read = parse_chunk(our_doc.format, text).ok().map(|node| ValueTree::from(&node));
            read.is_some_and(|read| tree::is_same_meaning(&read, tree))
        };
        let sides = [self.versions, self.versions.swap_sides()];
        if let Some(text) =
            sides.into_iter().filter_map(|sides| merge_lines(sides).resolve()).find(has_meaning)
        {
            return Some(text);
        }
        // Each side is rewritten in its own order, because items that move lose their comments.
        [(our_doc, tree), (their_doc, in_their_order)]
            .into_iter()
            .find_map(|(own, tree)| own.rewrite(tree).filter(|text| keeps_comments(self.versions, text)))
    }

    /// Returns the texts of a document that both sides change: merged, with the values of each side. `None` if a comment
    /// would be lost, or the text cannot be rewritten.
    pub fn rewrite_to_sides(&self, merged: &MergedValue) -> Option<(Vec<u8>, Vec<u8>)> {
        let (our_doc, _) = self.ours.zip(self.theirs)?;
        let (our_tree, their_tree) = merged.ours.as_ref().zip(merged.theirs.as_ref())?;
        let ours = our_doc.rewrite(our_tree)?;
        let theirs = rewrite(our_doc.format, &ours, their_tree)?;
        let Versions { base, ours: our_text, theirs: their_text } = self.versions;
        let keeps_ours = keeps_comments(Versions { base, ours: our_text, theirs: base }, &ours);
        let keeps_theirs = keeps_comments(Versions { base, ours: base, theirs: their_text }, &theirs);
        (keeps_ours && keeps_theirs).then_some((ours, theirs))
    }
}

/// Lines of a text with a comment, each with the lines that follow it if it is only a comment.
type CommentLines<'t> = HashMap<&'t [u8], Vec<&'t [u8]>>;

fn comment_lines(text: &[u8]) -> CommentLines<'_> {
    let lines: Vec<&[u8]> = split_lines(text).into_iter().map(<[u8]>::trim_ascii).collect();
    let has_comment =
        |line: &[u8]| line.starts_with(b"#") || line.windows(2).any(|pair| pair == b" #" || pair == b"\t#");
    let mut found = CommentLines::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| has_comment(line)) {
        let next = lines.get(at + 1).copied().filter(|_| line.starts_with(b"#")).unwrap_or_default();
        found.entry(*line).or_default().push(next);
    }
    found
}

/// Returns true if a text has every comment that a side adds to the base. A comment that both sides add at the same place
/// counts once.
pub(super) fn keeps_comments(versions: Versions<'_>, text: &[u8]) -> bool {
    fn places<'t>(lines: &CommentLines<'t>, line: &[u8]) -> Vec<&'t [u8]> {
        let mut places = lines.get(line).cloned().unwrap_or_default();
        places.sort_unstable();
        places
    }
    let [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(comment_lines);
    let text = comment_lines(text);
    ours.keys().chain(theirs.keys()).all(|line| {
        let [in_base, in_ours, in_theirs] = [&base, &ours, &theirs].map(|lines| places(lines, line));
        let added = [&in_ours, &in_theirs].map(|side| side.len().saturating_sub(in_base.len()));
        let needed = match added {
            [0, 0] => return true,
            [ours, theirs] if in_ours == in_theirs => ours.max(theirs),
            [ours, theirs] => ours + theirs,
        };
        text.get(*line).map_or(0, Vec::len) >= in_base.len() + needed
    })
}
