//! Location in a file of a bundle directory.

use std::{cell::RefCell, collections::HashMap, ops::Range, path::PathBuf, rc::Rc};

use super::{LineIndex, LoadedBundle};
use crate::FindingLocation;
use olm_bundle::registry::BundleLocation;
use olm_catalog::{Location, Span};

/// Maximum number of bytes of a line to store before and after the start of a location. No screen
/// is wider.
const MAX_CONTEXT_BYTES: usize = 400;

/// Span of bytes in a file of a bundle directory, with line, column and text. The file is not
/// part of a catalog.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BundleFileLocation {
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
    start_in_source: usize,
}

impl BundleFileLocation {
    fn new(path: PathBuf, lines: &LineIndex<'_>, span: Span) -> Self {
        let text = lines.text();
        let (start, end) = (text.len().min(span.start as usize), text.len().min(span.end as usize));
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let (before, rest) = text.split_at(start);
        // Limits the search for the start of the line, since a line may be as long as its file.
        let before = before.get(before.len().saturating_sub(MAX_CONTEXT_BYTES)..).unwrap_or_default();
        let before = before.rsplit(is_break).next().unwrap_or_default();
        let rest = rest.get(..MAX_CONTEXT_BYTES).unwrap_or(rest);
        let rest = rest.split(is_break).next().unwrap_or_default();
        Self {
            path,
            span,
            start: lines.line_and_column(start),
            end: lines.line_and_column(end.max(start)),
            source: [before, rest].concat(),
            start_in_source: before.len(),
        }
    }

    /// Returns the location in the form for files.
    pub fn to_file_location(&self) -> Location {
        let (line, column) = self.start;
        Location { path: self.path.clone(), line, column, bytes: self.span.range(), is_whole_file: false }
    }

    /// Returns the range of the location in [`Self::source`].
    pub fn marked_range(&self) -> Range<usize> {
        self.start_in_source..self.start_in_source + self.span.range().len()
    }
}

impl LoadedBundle<'_> {
    /// Returns the path of a file of the directory for display.
    pub(crate) fn display_path_of(&self, file: &str) -> PathBuf {
        match file.strip_prefix("../") {
            Some(beside) if self.display_path.file_name().is_some() => {
                self.display_path.with_file_name(beside)
            }
            // `.` and `..` do not have a name that could be replaced.
            Some(_) if self.display_path.as_os_str() == "." => PathBuf::from(file),
            Some(_) => self.display_path.join(file),
            None if self.display_path.as_os_str() == "." => PathBuf::from(file),
            None => self.display_path.join(file),
        }
    }
}

/// Locations in a directory; computes the lines of each file once.
#[derive(Debug)]
pub(crate) struct BundleLocations<'a> {
    directory: &'a LoadedBundle<'a>,
    lines: RefCell<HashMap<&'a str, Rc<LineIndex<'a>>>>,
}

impl<'a> BundleLocations<'a> {
    pub(super) fn new(directory: &'a LoadedBundle<'a>) -> Self {
        Self { directory, lines: RefCell::default() }
    }

    /// Returns the location of a place. An empty span at the start of a file means the whole
    /// file.
    pub(super) fn location(&self, place: &BundleLocation) -> FindingLocation {
        let path = self.directory.display_path_of(&place.file);
        match self.line_index(&place.file).filter(|_| place.span != Span::default()) {
            Some(lines) => {
                FindingLocation::InBundle(Box::new(BundleFileLocation::new(path, &lines, place.span)))
            }
            None => FindingLocation::File(path),
        }
    }

    fn line_index(&self, path: &str) -> Option<Rc<LineIndex<'a>>> {
        if let Some(known) = self.lines.borrow().get(path) {
            return Some(Rc::clone(known));
        }
        let tree = self.directory.tree;
        let in_tree = || tree.files.get(tree.file_index(path)?);
        let beside = || self.directory.dockerfile.filter(|file| file.path == path);
        let file = in_tree().or_else(beside)?;
        let lines = Rc::new(LineIndex::new(file.content_or_empty()));
        self.lines.borrow_mut().insert(&file.path, Rc::clone(&lines));
        Some(lines)
    }
}
