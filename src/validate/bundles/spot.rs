//! A place in a file of a bundle directory.

use std::{cell::RefCell, collections::HashMap, ops::Range, path::PathBuf, rc::Rc};

use super::{Directory, lines::Lines};
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
    fn new(path: PathBuf, lines: &Lines<'_>, span: Span) -> Self {
        let text = lines.text();
        let (start, end) = (text.len().min(span.start as usize), text.len().min(span.end as usize));
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let (before, rest) = text.split_at(start);
        // Nobody looks further than is kept: a line may be as long as its file.
        let before = before.get(before.len().saturating_sub(WINDOW)..).unwrap_or_default();
        let before = before.rsplit(is_break).next().unwrap_or_default();
        let rest = rest.get(..WINDOW).unwrap_or(rest);
        let rest = rest.split(is_break).next().unwrap_or_default();
        Self {
            path,
            span,
            start: lines.line_and_column(start),
            end: lines.line_and_column(end.max(start)),
            source: [before, rest].concat(),
            at: before.len(),
        }
    }

    /// The same as a place of a file.
    pub fn place(&self) -> Place {
        let (line, column) = self.start;
        Place { path: self.path.clone(), line, column, bytes: self.span.range(), is_whole: false }
    }

    /// What is meant of [`Self::source`].
    pub fn marked(&self) -> Range<usize> {
        self.at..self.at + self.span.range().len()
    }
}

impl Directory<'_> {
    /// A file of the directory as it is shown.
    pub(in crate::validate) fn shown(&self, file: &str) -> PathBuf {
        match file.strip_prefix("../") {
            Some(beside) if self.shown.file_name().is_some() => self.shown.with_file_name(beside),
            // `.` and `..` have no name to put another in place of.
            Some(_) if self.shown.as_os_str() == "." => PathBuf::from(file),
            Some(_) => self.shown.join(file),
            None if self.shown.as_os_str() == "." => PathBuf::from(file),
            None => self.shown.join(file),
        }
    }
}

/// Places of a directory, each file's lines found once.
#[derive(Debug)]
pub(in crate::validate) struct Places<'a> {
    directory: &'a Directory<'a>,
    lines: RefCell<HashMap<&'a str, Rc<Lines<'a>>>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(directory: &'a Directory<'a>) -> Self {
        Self { directory, lines: RefCell::default() }
    }

    /// Where a place is. No bytes at the very beginning of a file mean all of it.
    pub(super) fn location(&self, place: &BundlePlace) -> Location {
        let path = self.directory.shown(&place.file);
        match self.lines(&place.file).filter(|_| place.span != Span::default()) {
            Some(lines) => Location::InBundle(Box::new(BundleSpot::new(path, &lines, place.span))),
            None => Location::File(path),
        }
    }

    fn lines(&self, path: &str) -> Option<Rc<Lines<'a>>> {
        if let Some(known) = self.lines.borrow().get(path) {
            return Some(Rc::clone(known));
        }
        let tree = self.directory.tree;
        let in_tree = || tree.files.get(tree.position(path)?);
        let beside = || self.directory.dockerfile.filter(|file| file.path == path);
        let file = in_tree().or_else(beside)?;
        let lines = Rc::new(Lines::of(file.bytes()));
        self.lines.borrow_mut().insert(&file.path, Rc::clone(&lines));
        Some(lines)
    }
}
