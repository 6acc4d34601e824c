//! Text of a file while the user types.

use std::{collections::HashSet, sync::Arc};

use super::{Catalog, Origin, document_collection::ModifiedPackages};
use crate::{
    file::{DocId, FileId, Segment},
    text::{
        Text,
        split::{self, Chunk},
    },
};

impl Catalog {
    /// Returns the catalog with another text for one of its files, and the changed documents. Only those are
    /// read again. A document keeps its [`DocId`] if its text is unchanged or if it replaces another. A
    /// template is read again as a whole.
    #[must_use]
    pub fn with_text(&self, file: FileId, bytes: &[u8]) -> (Self, Vec<DocId>) {
        let Some(source) = self.file(file) else { return (self.clone(), Vec::new()) };
        let chunks = split::split_chunks(bytes);
        let old = source.segments();
        let text_of = |chunk: &Chunk| bytes.get(chunk.range.clone()).unwrap_or_default();
        let same = |(segment, chunk): &(&_, &Chunk)| is_same(segment, chunk, text_of(chunk));
        let above = old.iter().zip(&chunks).take_while(same).count();
        let rest = old.len().min(chunks.len()) - above;
        let below = old.iter().rev().zip(chunks.iter().rev()).take(rest).take_while(same).count();
        let gone: Vec<u32> = old.iter().skip(above).rev().skip(below).rev().map(|s| s.serial).collect();
        // Copies, because a slice would keep the whole text alive.
        let new: Vec<(Text, _)> = chunks
            .iter()
            .skip(above)
            .rev()
            .skip(below)
            .rev()
            .map(|chunk| (Text::from(text_of(chunk).to_vec()), chunk.kind))
            .collect();
        if gone.is_empty() && new.is_empty() {
            return (self.clone(), Vec::new());
        }
        let mut next = self.clone();
        next.revision += 1;
        let mut touched = ModifiedPackages::default();
        next.remove_documents(
            &gone.iter().map(|serial| DocId { file, serial: *serial }).collect(),
            &mut touched,
        );
        let last_above = above.checked_sub(1).and_then(|at| old.get(at)).map(|segment| segment.serial);
        let Some(source) = next.file_mut(file) else { return (self.clone(), Vec::new()) };
        let serials = source.replace_chunks(last_above, &gone, new);
        let changed: Vec<DocId> = serials.into_iter().map(|serial| DocId { file, serial }).collect();
        if self.template.is_some() || next.may_be_template() {
            return (next.read_again(next.files.clone(), Arc::clone(&next.known_bundles)), changed);
        }
        next.decode_and_collect(&changed, &mut touched);
        next.store_packages(touched);
        (next, changed)
    }

    /// Returns true if its only file may be a template, which is never read document by document.
    fn may_be_template(&self) -> bool {
        let (Origin::File(_) | Origin::Stdin, [file]) = (&self.origin, self.files.as_slice()) else {
            return false;
        };
        file.template_document().is_some()
    }

    /// Removes the objects of some documents.
    fn remove_documents(&mut self, gone: &HashSet<DocId>, touched: &mut ModifiedPackages) {
        let is_gone = |doc: DocId| gone.contains(&doc);
        for (name, package) in &self.packages {
            if package.documents().any(is_gone)
                || package.problems.in_documents().any(|(_, doc, _)| is_gone(doc))
            {
                self.package_mut(name, touched).remove_documents(is_gone);
            }
        }
        self.others.retain(|blob| !is_gone(blob.doc));
        self.problems.remove_documents(is_gone);
    }
}

/// Returns true if a chunk equals a segment.
fn is_same(segment: &Segment, chunk: &Chunk, text: &[u8]) -> bool {
    segment.kind == chunk.kind && segment.text.as_bytes() == text
}
