//! Repositories of open documents, and the home of a document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Home;
use olm_source::discovery::{DocumentKind, StatedError, Workspace, document_kind, root_of};
use olm_source::is_bundle_directory;

/// Maximum number of directories between a file and its bundle directory.
const MAX_BUNDLE_DEPTH: usize = 4;

/// Repositories by root. A repository is discovered again if a new file appears in it.
#[derive(Default)]
pub struct Workspaces(BTreeMap<PathBuf, Workspace>);

impl Workspaces {
    /// Discards all repositories; they are discovered again on demand.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the home of a file: its bundle directory, the file if it is a template, its catalog, or the
    /// file if its text is a catalog. `open` are the directories that the client has open.
    ///
    /// # Errors
    ///
    /// Fails if the repository has a `.olmap.toml` with a mistake.
    pub fn home_of(
        &mut self,
        file: &Path,
        text: &str,
        open: &[PathBuf],
    ) -> Result<Option<Home>, StatedError> {
        let Some(parent) = file.parent() else { return Ok(None) };
        if let Some(bundle) = bundle_of(file) {
            return Ok(Some(Home::Bundle(bundle.to_owned())));
        }
        let opened = open.iter().map(PathBuf::as_path).find(|directory| file.starts_with(directory));
        let root = root_of(parent).or(opened).unwrap_or(parent);
        let is_stale = |workspace: &Workspace| file.is_file() && !workspace.knows_file(file);
        if self.0.get(root).is_none_or(is_stale) {
            self.0.insert(root.to_owned(), Workspace::discover(root, std::env::home_dir().as_deref())?);
        }
        let kind = || document_kind(text.as_bytes());
        let Some(workspace) = self.0.get(root) else { return Ok(None) };
        let is_template =
            workspace.has_template(file) || !workspace.knows_file(file) && kind() == DocumentKind::Template;
        if is_template {
            return Ok(Some(Home::File(file.to_owned())));
        }
        Ok(match workspace.catalog_of(file) {
            Some(catalog) if catalog == file => Some(Home::File(catalog)),
            Some(catalog) => Some(Home::Catalog(catalog)),
            None => match kind() {
                DocumentKind::Catalog | DocumentKind::Template => Some(Home::File(file.to_owned())),
                DocumentKind::Other => None,
            },
        })
    }
}

/// Returns the bundle directory that contains a manifest, annotation or test.
fn bundle_of(file: &Path) -> Option<&Path> {
    let is_of_bundle = |directory: &&Path| {
        let inside = file.strip_prefix(directory).ok().and_then(|inside| inside.components().next());
        inside.is_some_and(|part| {
            ["manifests", "metadata", "tests"].iter().any(|name| part.as_os_str() == *name)
        }) && is_bundle_directory(directory)
    };
    file.ancestors().skip(1).take(MAX_BUNDLE_DEPTH).find(is_of_bundle)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PACKAGE: &str = "schema: olm.package\nname: ship\n";

    const WHOLE: &str = "schema: olm.package\nname: ship\n---\nschema: olm.channel\npackage: ship\nname: stable\nentries:\n- name: ship.v1\n---\nschema: olm.bundle\npackage: ship\nname: ship.v1\nimage: example.com/ship\n";

    const TEMPLATE: &str = "schema: olm.semver\n";

    fn write_files(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn home_of_file(root: &Path, path: &str, text: &str, open: &[PathBuf]) -> Option<Home> {
        Workspaces::default().home_of(&root.join(path), text, open).unwrap()
    }

    #[test]
    fn file_belongs_to_the_catalog_it_is_in() {
        let root = write_files(&[
            (".git/HEAD", ""),
            ("v4.18/Dockerfile", "FROM scratch\nADD catalog /configs\n"),
            ("v4.18/catalog/ship/catalog.yaml", WHOLE),
            ("parts/ship/catalog.yaml", PACKAGE),
            ("parts/ship/more.yaml", ""),
        ]);
        let at = |path: &str| root.path().join(path);
        let home = |path: &str| home_of_file(root.path(), path, "", &[]);
        assert_eq!(home("v4.18/catalog/ship/catalog.yaml"), Some(Home::Catalog(at("v4.18/catalog"))));
        assert_eq!(home("parts/ship/more.yaml"), Some(Home::Catalog(at("parts/ship"))));
        assert_eq!(home("parts/ship/new.yaml"), Some(Home::Catalog(at("parts/ship"))), "not saved yet");
        assert_eq!(home("v4.18/other.yaml"), None);
    }

    #[test]
    fn file_outside_of_repositories_belongs_to_the_highest_catalog() {
        let root = write_files(&[
            ("cat/ship/catalog.yaml", PACKAGE),
            ("cat/boat/catalog.yaml", PACKAGE),
            ("a/b/c", ""),
        ]);
        let at = |path: &str| root.path().join(path);
        let home = |path: &str, open: &[PathBuf]| home_of_file(root.path(), path, "", open);
        assert_eq!(home("cat/ship/catalog.yaml", &[]), Some(Home::Catalog(at("cat"))));
        assert_eq!(home("cat/ship/catalog.yaml", &[at("cat")]), Some(Home::Catalog(at("cat"))));
    }

    #[test]
    fn templates_bundles_and_other_files_belong_to_no_catalog() {
        let root = write_files(&[
            ("cat/catalog.yaml", WHOLE),
            ("templates/a.yaml", TEMPLATE),
            ("templates/b.yaml", "kind: Deployment\n"),
            ("b/manifests/csv.yaml", ""),
            ("b/metadata/annotations.yaml", ""),
        ]);
        let at = |path: &str| root.path().join(path);
        let open = [root.path().to_owned()];
        let home = |path: &str, text: &str| home_of_file(root.path(), path, text, &open);
        assert_eq!(home("templates/b.yaml", "kind: Deployment\n"), None);
        assert_eq!(home("templates/new.yaml", PACKAGE), Some(Home::File(at("templates/new.yaml"))));
        assert_eq!(home("templates/a.yaml", TEMPLATE), Some(Home::File(at("templates/a.yaml"))));
        assert_eq!(home("cat/new.yaml", TEMPLATE), Some(Home::File(at("cat/new.yaml"))));
        assert_eq!(home("b/manifests/csv.yaml", ""), Some(Home::Bundle(at("b"))));
        assert_eq!(home("b/other.yaml", ""), None);
    }

    #[test]
    fn new_file_is_discovered() {
        let root = write_files(&[(".git/HEAD", ""), ("docs/a.md", "")]);
        let mut workspaces = Workspaces::default();
        let file = root.path().join("catalog/catalog.yaml");
        assert_eq!(workspaces.home_of(&file, "", &[]).unwrap(), None);
        fs::create_dir(root.path().join("catalog")).unwrap();
        fs::write(&file, WHOLE).unwrap();
        let home = workspaces.home_of(&file, WHOLE, &[]).unwrap();
        assert_eq!(home, Some(Home::Catalog(root.path().join("catalog"))));
    }
}
