//! Location in a file of a bundle directory.

use std::{cell::RefCell, collections::HashMap, ops::Range, path::PathBuf, rc::Rc};

use super::{Directory, lines::Lines};
use crate::{
    bundle::registry::BundlePlace,
    catalog::{Place, Span},
    validate::Location,
};

/// Maximum number of bytes of a line to store before and after the start of a location. No screen
/// is wider.
const WINDOW: usize = 400;

/// Span of bytes in a file of a bundle directory, with line, column and text. The file is not
/// part of a catalog.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BundleSpot {
    /// Path for display.
    pub path: PathBuf,
    /// Bytes of the file.
    pub span: Span,
    /// Line and column (in characters) of the first character, from 1.
    pub start: (usize, usize),
    /// Line and column after the last character.
    pub end: (usize, usize),
    /// Text of the first line, or the part of it around the location.
    pub source: Vec<u8>,
    /// Offset of the location in `source`.
    at: usize,
}

impl BundleSpot {
    fn new(path: PathBuf, lines: &Lines<'_>, span: Span) -> Self {
        let text = lines.text();
        let (start, end) = (text.len().min(span.start as usize), text.len().min(span.end as usize));
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let (before, rest) = text.split_at(start);
        // Limits the search for the start of the line, since a line may be as long as its file.
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

    /// Returns the location in the form for files.
    pub fn place(&self) -> Place {
        let (line, column) = self.start;
        Place { path: self.path.clone(), line, column, bytes: self.span.range(), is_whole: false }
    }

    /// Returns the range of the location in [`Self::source`].
    pub fn marked(&self) -> Range<usize> {
        self.at..self.at + self.span.range().len()
    }
}

impl Directory<'_> {
    /// Returns the path of a file of the directory for display.
    pub(in crate::validate) fn shown(&self, file: &str) -> PathBuf {
        match file.strip_prefix("../") {
            Some(beside) if self.shown.file_name().is_some() => self.shown.with_file_name(beside),
            // `.` and `..` do not have a name that could be replaced.
            Some(_) if self.shown.as_os_str() == "." => PathBuf::from(file),
            Some(_) => self.shown.join(file),
            None if self.shown.as_os_str() == "." => PathBuf::from(file),
            None => self.shown.join(file),
        }
    }
}

/// Locations in a directory; computes the lines of each file once.
#[derive(Debug)]
pub(in crate::validate) struct Places<'a> {
    directory: &'a Directory<'a>,
    lines: RefCell<HashMap<&'a str, Rc<Lines<'a>>>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(directory: &'a Directory<'a>) -> Self {
        Self { directory, lines: RefCell::default() }
    }

    /// Returns the location of a place. An empty span at the start of a file means the whole
    /// file.
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
