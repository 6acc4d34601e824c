//! Short names of catalogs: the last path component, with the nearest folder that differs if
//! several catalogs share it.

use std::{ffi::OsStr, path::Path};

use super::{Session, open_catalog::OpenCatalog};
use crate::tui::work::{Base, Source};

impl Session {
    /// Returns the short name of a source.
    pub fn short_source_name(&self, source: &Source) -> String {
        self.short_base_name(&Base::Open(source.clone()))
    }

    /// Returns the short name of a base.
    pub fn short_base_name(&self, base: &Base) -> String {
        match base_path(base) {
            Some(path) => {
                distinguishing_name(path, &self.visible_paths()).unwrap_or_else(|| base.short_label())
            }
            None => base.short_label(),
        }
    }

    /// Returns the paths of all catalogs and bases on the screen.
    fn visible_paths(&self) -> Vec<&Path> {
        let bases = self
            .open_catalogs
            .iter()
            .flat_map(|open| [open.base_comparison.base(), open.base_comparison.pending_base()]);
        self.open_catalogs
            .iter()
            .filter_map(OpenCatalog::catalog_path)
            .chain(bases.flatten().filter_map(base_path))
            .collect()
    }
}

fn base_path(base: &Base) -> Option<&Path> {
    match base {
        Base::Path(path) | Base::Open(Source::Path(path)) => Some(path),
        Base::Open(Source::Demo | Source::Stdin(_) | Source::Revision(_))
        | Base::Loaded
        | Base::Revision(_) => None,
    }
}

/// Returns the last component of a path, after the nearest folder that differs from other paths
/// with the same last component.
fn distinguishing_name(path: &Path, others: &[&Path]) -> Option<String> {
    let name = path.file_name()?;
    let upwards = |path: &Path| -> Vec<_> {
        path.components().rev().skip(1).map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>()
    };
    let own = upwards(path);
    let alike = others.iter().filter(|other| **other != path && other.file_name() == Some(name));
    let differs = |other: &&Path| {
        let theirs = upwards(other);
        own.iter().enumerate().find(|(at, part)| theirs.get(*at) != Some(*part)).map(|(at, _)| at)
    };
    let text = |part: &OsStr| part.to_string_lossy().into_owned();
    let folder = alike.filter_map(differs).max().and_then(|at| Some((at, own.get(at)?)));
    Some(match folder {
        None => text(name),
        Some((0, folder)) => format!("{}/{}", text(folder), text(name)),
        Some((_, folder)) => format!("{}/.../{}", text(folder), text(name)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogs_of_same_name_show_nearest_folder_that_differs() {
        let cases: [(&[&str], &[&str]); 6] = [
            (&["/a/v4.18", "/a/v4.20"], &["v4.18", "v4.20"]),
            (&["/old/v4.22", "/new/v4.22"], &["old/v4.22", "new/v4.22"]),
            (&["/old/catalogs/v4.22", "/new/catalogs/v4.22"], &["old/.../v4.22", "new/.../v4.22"]),
            (&["v4.22", "../old/v4.22"], &["v4.22", "old/v4.22"]),
            (&["/a/v4.22", "/a/v4.22"], &["v4.22", "v4.22"]),
            (&["a/x/c", "b/x/c", "a/y/c"], &["a/.../c", "b/.../c", "y/c"]),
        ];
        for (paths, expected) in cases {
            let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
            let told: Vec<_> = paths.iter().filter_map(|path| distinguishing_name(path, &paths)).collect();
            assert_eq!(told, expected, "{paths:?}");
        }
    }
}
