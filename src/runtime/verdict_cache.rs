//! Cache on disk for the safety of upgrade steps, so that the next start need not check them again.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use etcetera::BaseStrategy as _;

use olm_catalog::load::regular_file;
use olm_source::cache::folder_entries;
use olm_upgrade::safety::{Fingerprint, Safety, VerdictCache};

/// Maximum number of cached packages.
const MAX_PACKAGES: usize = 2000;

/// Maximum size of the verdicts on one package in bytes.
const MAX_PACKAGE_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of the cache in bytes.
const MAX_TOTAL_BYTES: u64 = 256 * 1024 * 1024;

/// Cache of verdicts, with one file per package.
#[derive(Clone, Debug)]
pub struct VerdictStore {
    folder: PathBuf,
}

impl VerdictStore {
    /// Opens `$XDG_CACHE_HOME/olmap/steps/<build>`, or the equivalent of the system; `None` if
    /// there is no home directory. Builds may differ in their verdicts, so each build has its own
    /// folder, and removes the folders of other builds.
    pub fn open_default() -> Option<Self> {
        let all = verdicts_root()?;
        let own = build_id()?;
        for other in folder_entries(&all) {
            if other.file_name() != *own {
                let _ = fs::remove_dir_all(other.path());
            }
        }
        let folder = all.join(own);
        remove_oldest(&folder, MAX_PACKAGES, MAX_TOTAL_BYTES);
        Some(Self { folder })
    }

    /// Returns the number of cached packages of all builds, and their size in bytes.
    pub fn cached_amount() -> (usize, u64) {
        let builds = verdicts_root().into_iter().flat_map(|all| folder_entries(&all).collect::<Vec<_>>());
        let files = builds.flat_map(|build| folder_entries(&build.path()).collect::<Vec<_>>());
        let sizes: Vec<u64> = files.filter_map(|file| Some(file.metadata().ok()?.len())).collect();
        (sizes.len(), sizes.iter().sum())
    }

    /// Removes all verdicts.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be removed.
    pub fn clear() -> io::Result<()> {
        match verdicts_root().map(fs::remove_dir_all) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn verdict_path(&self, of: &Fingerprint) -> PathBuf {
        self.folder.join(format!("{of}.json"))
    }

    fn write_verdicts(&self, of: &Fingerprint, verdicts: &[Safety]) -> io::Result<()> {
        let text = serde_json::to_vec(verdicts)?;
        if text.len() as u64 > MAX_PACKAGE_BYTES {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        // The file is replaced atomically, even if two processes write at once.
        let mut beside = tempfile::NamedTempFile::new_in(&self.folder)?;
        io::Write::write_all(&mut beside, &text)?;
        beside.persist(self.verdict_path(of)).map_err(|error| error.error)?;
        Ok(())
    }
}

impl VerdictCache for VerdictStore {
    fn load_verdicts(&self, of: &Fingerprint) -> Option<Vec<Safety>> {
        let text = regular_file::read_regular(&self.verdict_path(of), MAX_PACKAGE_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    fn store_verdicts(&self, of: &Fingerprint, verdicts: &[Safety]) {
        // Without a cached verdict, the next start checks again.
        let _ = self.write_verdicts(of, verdicts);
    }
}

/// Returns the folder of the verdicts of all builds.
fn verdicts_root() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("olmap").join("steps"))
}

/// Returns an identifier of this build.
fn build_id() -> Option<String> {
    let about = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let since = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{}-{:x}-{:x}", env!("CARGO_PKG_VERSION"), about.len(), since.as_nanos()))
}

/// Keeps only the newest files, within a maximum count and a maximum total size.
fn remove_oldest(folder: &Path, max_files: usize, max_bytes: u64) {
    let about = |file: fs::DirEntry| {
        let about = file.metadata().ok()?;
        Some((about.modified().ok()?, file.path(), about.len()))
    };
    let mut files: Vec<(SystemTime, PathBuf, u64)> = folder_entries(folder).filter_map(about).collect();
    files.sort();
    let mut bytes = 0;
    for (at, (_, file, own)) in files.iter().rev().enumerate() {
        bytes += own;
        if at >= max_files || bytes > max_bytes {
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_upgrade::safety::{Findings, NotChecked};

    #[test]
    fn verdicts_survive_a_round_trip() {
        let root = tempfile::tempdir().unwrap();
        let kept = VerdictStore { folder: root.path().join("steps/this") };
        let of = Fingerprint::default();
        assert_eq!(kept.load_verdicts(&of), None);
        let verdicts = [
            Safety::Unknown(NotChecked {
                bundle: "p.v1.0.0".into(),
                reason: "nowhere".to_owned(),
                is_failure: false,
            }),
            Safety::Known(Findings::default()),
        ];
        kept.store_verdicts(&of, &verdicts);
        assert_eq!(kept.load_verdicts(&of).unwrap(), verdicts);
        assert_eq!(fs::read_dir(&kept.folder).unwrap().count(), 1, "nothing is left beside it");
        for broken in ["", "[", "{}", "[{\"Known\":1}]", "\u{0}"] {
            fs::write(kept.verdict_path(&of), broken).unwrap();
            assert_eq!(kept.load_verdicts(&of), None, "{broken}");
        }
        kept.store_verdicts(&of, &verdicts);
        assert_eq!(kept.load_verdicts(&of).unwrap(), verdicts, "what is broken is written again");
    }

    #[test]
    fn number_and_size_of_files_are_limited() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..9 {
            fs::write(root.path().join(format!("{number}.json")), "12345").unwrap();
        }
        let left = || fs::read_dir(root.path()).unwrap().count();
        remove_oldest(root.path(), 6, 1000);
        assert_eq!(left(), 6, "so many files");
        remove_oldest(root.path(), 6, 14);
        assert_eq!(left(), 2, "so many bytes");
    }
}
