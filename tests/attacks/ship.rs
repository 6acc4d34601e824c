//! Small catalogs to attack, and the state that olmap keeps during an attack.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::run;

const CATALOG: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.0.0
- name: ship.v1.1.0
  replaces: ship.v1.0.0
---
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: registry.example.com/ship@sha256:0000000000000000000000000000000000000000000000000000000000000001
properties:
- {type: olm.package, value: {packageName: ship, version: 1.0.0}}
---
schema: olm.bundle
package: ship
name: ship.v1.1.0
image: registry.example.com/ship@sha256:0000000000000000000000000000000000000000000000000000000000000002
properties:
- {type: olm.package, value: {packageName: ship, version: 1.1.0}}
";

/// Two catalogs of one package each, and a state directory on the same file system or none.
pub struct CatalogPair {
    folder: TempDir,
    /// True if a directory outside of the catalog can hold new content.
    pub has_state: bool,
}

impl CatalogPair {
    pub fn new(has_state: bool) -> Self {
        let harbour = Self { folder: tempfile::tempdir().unwrap(), has_state };
        for file in harbour.catalog_files() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, CATALOG).unwrap();
        }
        harbour
    }

    /// Returns the folder with the catalogs and the state of olmap.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder with both catalogs and nothing else.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("catalogs")
    }

    pub fn catalog_files(&self) -> [PathBuf; 2] {
        ["v4.18", "v4.20"].map(|catalog| self.root().join(catalog).join("ship/catalog.yaml"))
    }

    pub fn catalog_texts(&self) -> [String; 2] {
        self.catalog_files().map(|file| fs::read_to_string(file).unwrap())
    }

    /// Returns the command of an edit, not started.
    pub fn edit_command(&self, arguments: &[&str]) -> Command {
        let mut command = run::command();
        command.current_dir(self.root()).arg("edit").args(arguments);
        // A file in place of the directory prevents keeping state.
        let state = if self.has_state { self.state_path() } else { self.catalog_files()[0].clone() };
        command.env("XDG_STATE_HOME", &state);
        command.env("XDG_CACHE_HOME", state);
        command
    }

    /// Returns the files that opm reads: all files except `.indexignore` and folders that it
    /// excludes
    /// completely.
    pub fn files_read_by_opm(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![self.root()];
        while let Some(folder) = open.pop() {
            if fs::read(folder.join(".indexignore")).is_ok_and(|ignored| ignored == b"*\n") {
                continue;
            }
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.file_name().is_some_and(|name| name != ".indexignore") {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    fn state_path(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Returns unexpected files in the catalogs, and leftovers in the state directory.
    pub fn leftover_files(&self) -> Vec<PathBuf> {
        let files = self.catalog_files();
        let mut found = Vec::new();
        let mut open = vec![self.root(), self.state_path().join("olmap/staging")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let is_ours = files.iter().any(|file| file.starts_with(&path) || is_deprecations(&path));
                if path.is_dir() && is_ours {
                    open.push(path);
                } else if !is_ours {
                    found.push(path);
                }
            }
        }
        found
    }
}

/// Returns true if a path is a file that an edit of the tests may create.
fn is_deprecations(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "deprecations.yaml")
}
