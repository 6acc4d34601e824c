//! Files of a folder that git does not ignore.

use std::{ffi::OsStr, path::Path};

use super::git;

/// Lists the files of a folder, tracked or not, that git does not ignore, relative to the folder. `None`
/// without git or a repository. Names that are not UTF-8 are omitted.
pub fn list_unignored_files(folder: &Path) -> Option<Vec<String>> {
    let all = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"].map(OsStr::new);
    // Prevents running programs that the configuration of a repository names.
    let safe = ["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"];
    let listed = git(folder).args(safe).args(all).output().ok().filter(|listed| listed.status.success())?;
    let names = listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Some(names.filter_map(|name| String::from_utf8(name.to_vec()).ok()).collect())
}
