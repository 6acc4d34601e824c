//! Decides if text of a file may be quoted in a message.
//!
//! Messages appear in the log of a CI job. Files of a pull request may be links to files of the machine that
//! runs the job. Text is quoted only from a regular file at its real path.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

/// Directories in which Linux provides virtual regular files. Their length is 0, and some are endless.
const KERNEL_DIRS: [&str; 2] = ["/proc", "/sys"];

/// Returns true if a path without links is in a directory of virtual kernel files.
pub(super) fn is_in_kernel_dir(real: &Path) -> bool {
    KERNEL_DIRS.iter().any(|dir| real.starts_with(dir))
}

/// Reason why text of a file is not quoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unquotable {
    /// A link of the path leads out of the directory it is in.
    #[error("it is a link to a file outside its directory")]
    LeadsOut,
    /// A directory of git holds credentials of the checkout.
    #[error("it is in a .git directory")]
    InGit,
    /// A pipe, a device or a virtual kernel file.
    #[error("it is not a regular file")]
    Special,
}

/// Checks that text of a file may be quoted. Below the current directory, links matter in the whole path.
/// Elsewhere they matter only in its last component, because the user chose the directories above.
///
/// # Errors
///
/// The reason why it may not.
pub fn check_quotable(path: &Path) -> Result<(), Unquotable> {
    // A missing file has no text to quote.
    let Ok(real) = fs::canonicalize(path) else { return Ok(()) };
    let is_regular = fs::metadata(&real).is_ok_and(|metadata| metadata.is_file() || metadata.is_dir());
    if !is_regular || is_in_kernel_dir(&real) {
        return Err(Unquotable::Special);
    }
    if real.components().any(|part| part == Component::Normal(".git".as_ref())) {
        return Err(Unquotable::InGit);
    }
    let leads_out = relevant_links(path).iter().any(|link| {
        let dir = link.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let inside = fs::canonicalize(link).ok().zip(fs::canonicalize(dir).ok());
        !inside.is_some_and(|(target, dir)| target.starts_with(dir))
    });
    if leads_out { Err(Unquotable::LeadsOut) } else { Ok(()) }
}

/// Returns the prefixes of a path that are links and matter.
fn relevant_links(path: &Path) -> Vec<PathBuf> {
    let is_link = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let below = match env::current_dir() {
        Ok(here) if path.is_absolute() => path.strip_prefix(&here).ok().map(|rest| (here, rest)),
        Ok(_) => Some((PathBuf::new(), path)),
        Err(_) => None,
    };
    let Some((mut part, rest)) = below else {
        return Some(path.to_owned()).filter(is_link).into_iter().collect();
    };
    let mut links = Vec::new();
    for component in rest.components() {
        part.push(component);
        if is_link(&part) {
            links.push(part.clone());
        }
    }
    links
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn quotes_only_regular_files_at_their_real_path() {
        let (outside, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "a").unwrap();
        let at = |name: &str| root.path().join(name);
        for dir in ["sub", ".git"] {
            fs::create_dir(at(dir)).unwrap();
            fs::write(at(dir).join("config"), "a").unwrap();
        }
        fs::write(at("own"), "a").unwrap();
        for (link, target) in [
            ("inside", at("sub/config")),
            ("relative", "sub/../own".into()),
            ("out", outside.path().join("secret")),
            ("twice", at("out")),
            ("sub/up", "../own".into()),
            ("git", at(".git/config")),
            ("zero", "/dev/zero".into()),
            ("environ", "/proc/self/environ".into()),
            ("dangling", "nowhere".into()),
        ] {
            symlink(target, at(link)).unwrap();
        }
        for (name, expected) in [
            ("own", Ok(())),
            ("sub", Ok(())),
            ("sub/config", Ok(())),
            ("inside", Ok(())),
            ("relative", Ok(())),
            ("dangling", Ok(())),
            ("not-there", Ok(())),
            ("out", Err(Unquotable::LeadsOut)),
            ("twice", Err(Unquotable::LeadsOut)),
            ("sub/up", Err(Unquotable::LeadsOut)),
            ("git", Err(Unquotable::InGit)),
            (".git/config", Err(Unquotable::InGit)),
            ("zero", Err(Unquotable::Special)),
            ("environ", Err(Unquotable::Special)),
            ("/dev/null", Err(Unquotable::Special)),
            ("/proc/self/status", Err(Unquotable::Special)),
        ] {
            assert_eq!(check_quotable(&at(name)), expected, "{name}");
        }
    }
}
