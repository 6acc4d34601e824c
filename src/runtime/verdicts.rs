//! Verdicts on upgrade steps, kept in the user's cache so that the next start has them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use etcetera::BaseStrategy as _;

use crate::{
    catalog::load::regular,
    source::cache::entries,
    upgrade::safety::{Fingerprint, Memory, Safety},
};

/// The most packages of which verdicts are kept.
const MOST: usize = 2000;

/// The most bytes of verdicts on one package that are read or written.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The most bytes that are kept from one start to the next.
const MOST_KEPT: u64 = 256 * 1024 * 1024;

/// A folder of verdicts, a file for each package.
#[derive(Clone, Debug)]
pub struct Verdicts {
    folder: PathBuf,
}

impl Verdicts {
    /// `$XDG_CACHE_HOME/olmap/steps/<build>`, or what the system has instead; `None` where there is no home. Another build may
    /// judge otherwise: it has a folder of its own, and removes those of others.
    pub fn usual() -> Option<Self> {
        let all = all()?;
        let own = build()?;
        for other in entries(&all) {
            if other.file_name() != *own {
                let _ = fs::remove_dir_all(other.path());
            }
        }
        let folder = all.join(own);
        forget_oldest(&folder, MOST, MOST_KEPT);
        Some(Self { folder })
    }

    /// How many packages there are verdicts on, of all builds, and how many bytes that is.
    pub fn amount() -> (usize, u64) {
        let builds = all().into_iter().flat_map(|all| entries(&all).collect::<Vec<_>>());
        let files = builds.flat_map(|build| entries(&build.path()).collect::<Vec<_>>());
        let sizes: Vec<u64> = files.filter_map(|file| Some(file.metadata().ok()?.len())).collect();
        (sizes.len(), sizes.iter().sum())
    }

    /// Removes all verdicts.
    ///
    /// # Errors
    ///
    /// When something of them cannot be removed.
    pub fn clear() -> io::Result<()> {
        match all().map(fs::remove_dir_all) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn file(&self, of: &Fingerprint) -> PathBuf {
        self.folder.join(format!("{of}.json"))
    }

    fn write(&self, of: &Fingerprint, verdicts: &[Safety]) -> io::Result<()> {
        let text = serde_json::to_vec(verdicts)?;
        if text.len() as u64 > MOST_BYTES {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        // Whole or not at all, also where two olmaps judge at once.
        let mut beside = tempfile::NamedTempFile::new_in(&self.folder)?;
        io::Write::write_all(&mut beside, &text)?;
        beside.persist(self.file(of)).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Memory for Verdicts {
    fn recall(&self, of: &Fingerprint) -> Option<Vec<Safety>> {
        let text = regular::read(&self.file(of), MOST_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    fn keep(&self, of: &Fingerprint, verdicts: &[Safety]) {
        // Without them the next start judges again.
        let _ = self.write(of, verdicts);
    }
}

/// The folder of the verdicts of all builds.
fn all() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("olmap").join("steps"))
}

/// What tells this program from another build of it.
fn build() -> Option<String> {
    let about = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let since = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{}-{:x}-{:x}", env!("CARGO_PKG_VERSION"), about.len(), since.as_nanos()))
}

/// Leaves only the newest: so many files, of so many bytes in all.
fn forget_oldest(folder: &Path, most: usize, most_bytes: u64) {
    let about = |file: fs::DirEntry| {
        let about = file.metadata().ok()?;
        Some((about.modified().ok()?, file.path(), about.len()))
    };
    let mut files: Vec<(SystemTime, PathBuf, u64)> = entries(folder).filter_map(about).collect();
    files.sort();
    let mut bytes = 0;
    for (at, (_, file, own)) in files.iter().rev().enumerate() {
        bytes += own;
        if at >= most || bytes > most_bytes {
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::safety::{Findings, NotChecked};

    #[test]
    fn verdicts_come_back_as_they_were() {
        let root = tempfile::tempdir().unwrap();
        let kept = Verdicts { folder: root.path().join("steps/this") };
        let of = Fingerprint::default();
        assert_eq!(kept.recall(&of), None);
        let verdicts = [
            Safety::Unknown(NotChecked {
                bundle: "p.v1.0.0".into(),
                reason: "nowhere".to_owned(),
                is_failure: false,
            }),
            Safety::Known(Findings::default()),
        ];
        kept.keep(&of, &verdicts);
        assert_eq!(kept.recall(&of).unwrap(), verdicts);
        assert_eq!(fs::read_dir(&kept.folder).unwrap().count(), 1, "nothing is left beside it");
        for broken in ["", "[", "{}", "[{\"Known\":1}]", "\u{0}"] {
            fs::write(kept.file(&of), broken).unwrap();
            assert_eq!(kept.recall(&of), None, "{broken}");
        }
        kept.keep(&of, &verdicts);
        assert_eq!(kept.recall(&of).unwrap(), verdicts, "what is broken is written again");
    }

    #[test]
    fn only_so_many_are_kept() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..9 {
            fs::write(root.path().join(format!("{number}.json")), "12345").unwrap();
        }
        let left = || fs::read_dir(root.path()).unwrap().count();
        forget_oldest(root.path(), 6, 1000);
        assert_eq!(left(), 6, "so many files");
        forget_oldest(root.path(), 6, 14);
        assert_eq!(left(), 2, "so many bytes");
    }
}
