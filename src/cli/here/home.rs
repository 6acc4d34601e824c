//! Which catalog a file belongs to.

use std::path::{Path, PathBuf};

use super::{
    folder::{self, Kind, Looker},
    root,
};
use crate::{runtime::Home, source::is_bundle_directory};

/// How many folders above a file may be the bundle directory it is in.
const BUNDLE: usize = 4;

/// Where a file belongs: a bundle directory; by itself, where it is a template; the directory with the nearest `.indexignore`; the
/// folder that is open, where that is a catalog; its own folder, where that is one; by itself, where it is a catalog.
pub fn home_of(file: &Path, text: &str, open: &[PathBuf]) -> Option<Home> {
    let parent = file.parent()?;
    let is_of_bundle = |folder: &&Path| {
        let inside = file.strip_prefix(folder).ok().and_then(|inside| inside.components().next());
        inside.is_some_and(|part| {
            ["manifests", "metadata", "tests"].iter().any(|name| part.as_os_str() == *name)
        }) && is_bundle_directory(folder)
    };
    if let Some(bundle) = file.ancestors().skip(1).take(BUNDLE).find(is_of_bundle) {
        return Some(Home::Bundle(bundle.to_owned()));
    }
    if folder::says_template(text) {
        return Some(Home::File(file.to_owned()));
    }
    let open: Vec<&PathBuf> = open.iter().filter(|folder| file.starts_with(folder)).collect();
    // Above the repository, and above what is open, everything is somebody else's.
    let top = root(parent).or_else(|| open.first().map(|folder| folder.as_path())).unwrap_or(parent);
    let within = || file.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
    if let Some(catalog) = within().find(|folder| folder.join(".indexignore").is_file()) {
        return Some(Home::Catalog(catalog.to_owned()));
    }
    let mut looker = Looker::new();
    let mut is_catalog = |folder: &Path| matches!(looker.kind(folder), Some(Kind::Holds(_) | Kind::Packages));
    if let Some(catalog) = open.into_iter().find(|folder| is_catalog(folder)) {
        return Some(Home::Catalog(catalog.clone()));
    }
    let is_own = matches!(looker.kind(parent), Some(Kind::Holds(_)));
    if is_own {
        return Some(Home::Catalog(parent.to_owned()));
    }
    folder::says_catalog(text).then(|| Home::File(file.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PACKAGE: &str = "schema: olm.package\nname: ship\n";

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, if file.ends_with("ignore") { "" } else { PACKAGE }).unwrap();
        }
        root
    }

    #[test]
    fn a_file_belongs_to_the_catalog_it_is_in() {
        let root = tree(&[
            "cat/.indexignore",
            "cat/ship/catalog.yaml",
            "bare/ship/catalog.yaml",
            "bare/ship/more.yaml",
        ]);
        let at = |path: &str| root.path().join(path);
        let of = |path: &str, text: &str, open: &[PathBuf]| home_of(&at(path), text, open);
        let open = [root.path().to_owned()];
        assert_eq!(of("cat/ship/catalog.yaml", PACKAGE, &open), Some(Home::Catalog(at("cat"))));
        assert_eq!(
            of("bare/ship/more.yaml", "", &open),
            Some(Home::Catalog(at("bare/ship"))),
            "a package folder"
        );
        assert_eq!(
            of("bare/ship/new.yaml", "", &open),
            Some(Home::Catalog(at("bare/ship"))),
            "not saved yet"
        );
        assert_eq!(
            of("bare/ship/more.yaml", "", &[at("bare")]),
            Some(Home::Catalog(at("bare"))),
            "it is open"
        );
    }

    #[test]
    fn what_is_none_of_ours_belongs_nowhere() {
        let root = tree(&[
            "cat/catalog.yaml",
            "templates/a.txt",
            "b/manifests/csv.yaml",
            "b/metadata/annotations.yaml",
        ]);
        let at = |path: &str| root.path().join(path);
        let of = |path: &str, text: &str| home_of(&at(path), text, &[]);
        assert_eq!(of("templates/new.yaml", "kind: Deployment\n"), None);
        assert_eq!(of("templates/new.yaml", PACKAGE), Some(Home::File(at("templates/new.yaml"))));
        let template = "schema: olm.semver\n";
        assert_eq!(of("cat/template.yaml", template), Some(Home::File(at("cat/template.yaml"))));
        assert_eq!(of("b/manifests/csv.yaml", ""), Some(Home::Bundle(at("b"))));
        assert_eq!(of("b/other.yaml", ""), None);
    }
}
