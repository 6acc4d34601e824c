//! Journals: the unsaved edits of each open catalog, stored to survive a crash or a lost terminal.
//!
//! A journal is a file in the state directory. It belongs to a running olmap process, which holds a lock on
//! it. Its first line has the path of the catalog. Each further line has the number of earlier edits that
//! still count, and the edits added after them. An incomplete line is ignored. A journal without unsaved
//! edits is removed.

use std::fs::{self, File};
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::{collections::HashMap, process, sync::Arc, time::SystemTime};

use serde::{Deserialize, Serialize};

use super::state::{self, canonical_path};
use crate::tui::work::outcome::UnsavedEdits;
use olm_catalog::load::regular_file;
use olm_edit::{RecordedEdit, save::StateDirectory};

/// Folder in the state directory.
const FOLDER: &str = "journals";

const SUFFIX: &str = "jsonl";

#[derive(Serialize, Deserialize)]
struct JournalHeader {
    catalog: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct JournalLine {
    /// Number of earlier edits that still count.
    keep: usize,
    /// Edits that follow these.
    add: Vec<Arc<RecordedEdit>>,
}

/// Journals of this process.
#[derive(Default)]
pub struct Journals {
    files: HashMap<PathBuf, JournalFile>,
}

struct JournalFile {
    path: PathBuf,
    file: File,
    /// Effective edits of the file.
    edits: Vec<Arc<RecordedEdit>>,
}

impl Journals {
    /// Makes the journal of a catalog contain these edits. Removes the journal if there are none.
    ///
    /// # Errors
    ///
    /// Fails if there is no state directory, or it is not writable.
    pub fn store_edits(&mut self, catalog: &Path, edits: Vec<Arc<RecordedEdit>>) -> io::Result<()> {
        if edits.is_empty() {
            return match self.files.remove(catalog) {
                Some(own) => fs::remove_file(own.path),
                None => Ok(()),
            };
        }
        let own = match self.files.remove(catalog) {
            Some(own) => own,
            None => JournalFile::create(
                &StateDirectory::default_location().create_subdirectory(FOLDER)?,
                catalog,
            )?,
        };
        self.files.entry(catalog.to_owned()).or_insert(own).update_edits(edits)
    }

    /// Removes all journals, because the user left and discarded the edits.
    pub fn remove_all(&mut self) {
        for (_, own) in self.files.drain() {
            // A journal that cannot be removed is offered again at the next start.
            let _ = fs::remove_file(own.path);
        }
    }
}

impl JournalFile {
    fn create(directory: &Path, catalog: &Path) -> io::Result<Self> {
        let (file, path) = (0..)
            .map(|number| directory.join(format!("{}-{number}.{SUFFIX}", process::id())))
            .find_map(|path| match create_private_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                made => Some(made.map(|file| (file, path))),
            })
            .unwrap_or_else(|| Err(io::ErrorKind::AlreadyExists.into()))?;
        file.lock()?;
        let mut own = Self { path, file, edits: Vec::new() };
        own.write_line(&JournalHeader { catalog: canonical_path(catalog) })?;
        Ok(own)
    }

    /// Appends a line that turns the edits of the file into the given ones.
    fn update_edits(&mut self, edits: Vec<Arc<RecordedEdit>>) -> io::Result<()> {
        let keep = self.edits.iter().zip(&edits).take_while(|(old, new)| old == new).count();
        let add = edits.get(keep..).unwrap_or_default().to_vec();
        self.write_line(&JournalLine { keep, add })?;
        self.edits = edits;
        Ok(())
    }

    /// Writes one line in a single call, so that a crash can only truncate it.
    fn write_line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}

/// Returns the newest journal of a catalog that is not locked by a running olmap.
pub fn find_left_over(catalog: &Path) -> Option<UnsavedEdits> {
    let catalog = canonical_path(catalog);
    let paths = fs::read_dir(journal_directory().ok()?).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let journals = paths.filter(|path| path.extension().is_some_and(|suffix| suffix == SUFFIX));
    journals.filter_map(|journal| load_journal(&journal, &catalog)).min_by_key(|left_over| left_over.age)
}

/// Loads a journal; `None` if it is locked, invalid, empty, or of another catalog.
fn load_journal(journal: &Path, catalog: &Path) -> Option<UnsavedEdits> {
    let file = regular_file::open_regular(journal).ok()?;
    file.try_lock().ok()?;
    let written = file.metadata().and_then(|metadata| metadata.modified()).ok()?;
    let edits = parse_edits(BufReader::new(&file), catalog)?;
    let age = SystemTime::now().duration_since(written).unwrap_or_default();
    (!edits.is_empty()).then(|| UnsavedEdits { journal: journal.to_owned(), age, edits })
}

/// Parses the effective edits of a journal, up to the first invalid line; `None` if it belongs to another
/// catalog.
pub(super) fn parse_edits(journal: impl io::BufRead, catalog: &Path) -> Option<Vec<Arc<RecordedEdit>>> {
    let mut lines = journal.lines();
    let header: JournalHeader = serde_json::from_str(&lines.next()?.ok()?).ok()?;
    if header.catalog != catalog {
        return None;
    }
    let mut edits = Vec::new();
    for line in lines {
        let Some(line) = line.ok().and_then(|line| serde_json::from_str::<JournalLine>(&line).ok()) else {
            break;
        };
        edits.truncate(line.keep);
        edits.extend(line.add);
    }
    Some(edits)
}

/// Removes a journal of an earlier process.
pub fn remove_journal(journal: &Path) {
    // The journal is not locked. If it cannot be removed, it is offered again.
    let _ = fs::remove_file(journal);
}

/// Returns the directory of the journals.
fn journal_directory() -> io::Result<PathBuf> {
    Ok(state::state_directory()?.join(FOLDER))
}

/// Creates a file that only its owner can read, because edits may be confidential.
fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_edit::{Batch, Edit};

    fn sample_edit(channel: &str) -> Arc<RecordedEdit> {
        let edit = Edit::SetDefaultChannel { package: "ship".into(), channel: channel.into() };
        Arc::new(RecordedEdit { edit, over: vec![Some("stable".to_owned())], batch: None })
    }

    #[test]
    fn truncated_journal_yields_edits_of_its_complete_lines() {
        let catalog = PathBuf::from("catalog.yaml");
        let (fast, slow) = (sample_edit("fast"), sample_edit("slow"));
        // Two edits; then the second is undone and replaced.
        let lines = [
            (0, vec![fast.clone()], vec![fast.clone()]),
            (1, vec![fast.clone()], vec![fast.clone(), fast.clone()]),
            (1, vec![slow.clone()], vec![fast, slow]),
        ];
        let mut text = serde_json::to_vec(&JournalHeader { catalog: catalog.clone() }).unwrap();
        text.push(b'\n');
        // Expected edits by length of the journal.
        let mut says = vec![(text.len(), Vec::new())];
        for (keep, add, holds) in lines {
            serde_json::to_writer(&mut text, &JournalLine { keep, add }).unwrap();
            // A line counts once it is complete, even without its line break.
            says.push((text.len(), holds));
            text.push(b'\n');
        }
        for length in 0..=text.len() {
            let expected = says.iter().rev().find(|(at, _)| *at <= length).map(|(_, holds)| holds.clone());
            let read = parse_edits(&text[..length], &catalog);
            assert_eq!(read.unwrap_or_default(), expected.unwrap_or_default(), "cut off at {length}");
            // A power failure may leave a file with its length but without its content.
            let mut zeros = text[..length].to_vec();
            zeros.resize(text.len(), 0);
            let read = parse_edits(zeros.as_slice(), &catalog).unwrap_or_default();
            assert!(says.iter().any(|(_, holds)| *holds == read), "zeros from {length} on: {read:?}");
        }
        assert_eq!(parse_edits(text.as_slice(), Path::new("another.yaml")), None);
    }

    #[test]
    fn journal_keeps_batch_of_edit_and_loads_lines_without_one() {
        let catalog = PathBuf::from("catalog.yaml");
        let alone = sample_edit("fast");
        let together = Arc::new(RecordedEdit { batch: Some(Batch::unique()), ..RecordedEdit::clone(&alone) });
        let mut text = serde_json::to_vec(&JournalHeader { catalog: catalog.clone() }).unwrap();
        text.push(b'\n');
        let add = vec![alone.clone(), together.clone()];
        serde_json::to_writer(&mut text, &JournalLine { keep: 0, add }).unwrap();
        assert_eq!(parse_edits(text.as_slice(), &catalog), Some(vec![alone.clone(), together]));
        // Line in the format of earlier versions.
        let old = r#"{"keep":0,"add":[{"edit":{"operation":"set-default-channel","package":"ship","channel":"fast"},"over":["stable"]}]}"#;
        let header = serde_json::to_string(&JournalHeader { catalog: catalog.clone() }).unwrap();
        let old = parse_edits(format!("{header}\n{old}\n").as_bytes(), &catalog);
        assert_eq!(old, Some(vec![alone]));
    }
}
