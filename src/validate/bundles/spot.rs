//! A place in a file of a bundle directory.

use std::{ops::Range, path::PathBuf};

use super::Directory;
use crate::{
    bundle::registry::BundlePlace,
    catalog::{Place, Span},
    validate::Location,
};

/// Bytes of a line that are kept on either side of where a place begins: no screen is wider.
const WINDOW: usize = 400;

/// Bytes of a file in a bundle directory, with their lines and the text of the first: no catalog has the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BundleSpot {
    /// The file as it is shown.
    pub path: PathBuf,
    /// The bytes in it.
    pub span: Span,
    /// Line and column (in characters) of the first character, from 1.
    pub start: (usize, usize),
    /// Line and column behind the last character.
    pub end: (usize, usize),
    /// The line in which it begins, or the part of it around there.
    pub source: Vec<u8>,
    /// Where it begins in that.
    at: usize,
}

impl BundleSpot {
    fn new(path: PathBuf, text: &[u8], span: Span) -> Self {
        let (start, end) = (text.len().min(span.start as usize), text.len().min(span.end as usize));
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let (before, rest) = text.split_at(start);
        let before = before.rsplit(is_break).next().unwrap_or_default();
        let before = before.get(before.len().saturating_sub(WINDOW)..).unwrap_or_default();
        let rest = rest.split(is_break).next().unwrap_or_default();
        let rest = rest.get(..WINDOW).unwrap_or(rest);
        Self {
            path,
            span,
            start: line_and_column(text, start),
            end: line_and_column(text, end.max(start)),
            source: [before, rest].concat(),
            at: before.len(),
        }
    }

    /// The same as a place of a file.
    pub fn place(&self) -> Place {
        let (line, column) = self.start;
        Place { path: self.path.clone(), line, column, bytes: self.span.range() }
    }

    /// What is meant of [`Self::source`].
    pub fn marked(&self) -> Range<usize> {
        self.at..self.at + self.span.range().len()
    }
}

fn line_and_column(text: &[u8], at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let first = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    // What begins a character is counted.
    let column = before.iter().skip(first).filter(|byte| **byte & 0xC0 != 0x80).count() + 1;
    (line, column)
}

impl Directory<'_> {
    /// A file of the directory as it is shown.
    pub(in crate::validate) fn shown(&self, file: &str) -> PathBuf {
        match file.strip_prefix("../") {
            Some(beside) => self.shown.with_file_name(beside),
            None if self.shown.as_os_str() == "." => PathBuf::from(file),
            None => self.shown.join(file),
        }
    }

    /// Where a place is. No bytes at the very beginning of a file mean all of it.
    pub(in crate::validate) fn location(&self, place: &BundlePlace) -> Location {
        let path = self.shown(&place.file);
        let in_tree = || self.tree.files.get(self.tree.position(&place.file)?);
        let beside = || self.dockerfile.filter(|file| file.path == place.file);
        match in_tree().or_else(beside) {
            Some(file) if place.span != Span::default() => {
                Location::InBundle(Box::new(BundleSpot::new(path, file.bytes(), place.span)))
            }
            _ => Location::File(path),
        }
    }
}
