//! Paths on disk as candidates.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::candidates::Candidate;

/// Maximum number of entries of a directory that are read.
const MAX_ENTRIES: usize = 10_000;

/// Returns the files and directories that a text begins, directories with a slash. `~/` is the home directory.
pub fn path_candidates(text: &str, only_directories: bool) -> Vec<Candidate> {
    let (folder, prefix) = match text.rfind('/') {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    let place = if folder.is_empty() { PathBuf::from(".") } else { expand_home(Path::new(folder)) };
    let mut paths: Vec<Candidate> = Vec::new();
    for entry in fs::read_dir(place).into_iter().flatten().flatten().take(MAX_ENTRIES) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_hidden = name.starts_with('.') && !prefix.starts_with('.');
        if is_hidden || !name.starts_with(prefix) {
            continue;
        }
        let is_directory = fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_dir());
        if is_directory {
            paths.push((format!("{folder}{name}/"), String::new()));
        } else if !only_directories {
            paths.push((format!("{folder}{name}"), String::new()));
        }
    }
    paths.sort();
    paths
}

/// Replaces `~/` at the beginning of a path.
pub fn expand_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_end_with_a_slash_and_hidden_entries_need_a_dot() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["a.yaml", ".hidden"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let text = format!("{}/", folder.path().display());
        let names = |text: &str, only_directories| {
            let found = path_candidates(text, only_directories);
            found
                .into_iter()
                .map(|(path, _)| path.rsplit_once(folder.path().to_str().unwrap()).unwrap().1.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&text, false), ["/a.yaml", "/sub/"]);
        assert_eq!(names(&text, true), ["/sub/"]);
        assert_eq!(names(&format!("{text}."), false), ["/.hidden"]);
    }
}
