//! Catalogs that a repository of operators makes from templates: `operators/<name>/ci.yaml` says which, beside
//! `catalogs/<version>/<name>/` (the layout of community-operators).

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
};

use super::regular;
use crate::catalog::{
    BundleHomes, Catalog, MadeFrom, PackageName,
    package::Package,
    template::{Mapping, mappings, migrates},
    text::yaml,
};

/// The folder of an operator's templates.
const TEMPLATES: &str = "catalog-templates";

/// A catalog of a repository.
#[derive(Debug)]
pub(in crate::catalog) struct Repository {
    root: PathBuf,
    /// The name of the catalog in `ci.yaml`, such as `v4.20`.
    catalog: String,
    /// The folder of the operator, where the path is in one.
    operator: Option<OsString>,
}

impl Repository {
    /// The repository a path is in, if the path is in its `catalogs/<version>`.
    pub fn around(path: &Path) -> Option<Self> {
        let real = fs::canonicalize(path).ok()?;
        let root = real
            .ancestors()
            .find(|root| root.join("operators").is_dir() && root.join("catalogs").is_dir())?;
        let inside = real.strip_prefix(root).ok()?;
        let mut parts = inside.components();
        match (parts.next()?, parts.next()?) {
            (Component::Normal(catalogs), Component::Normal(version)) if catalogs == "catalogs" => {
                let root = as_given(path, inside).unwrap_or_else(|| root.to_owned());
                let operator = parts.next().map(|part| part.as_os_str().to_owned());
                Some(Self { root, catalog: version.to_str()?.to_owned(), operator })
            }
            _ => None,
        }
    }

    /// What the packages of the catalog are made from. An operator need not be called what its package is.
    pub fn made_from(&self, catalog: &Catalog) -> BTreeMap<PackageName, MadeFrom> {
        let of = |package: &Package| {
            let file = catalog.file(package.documents().next()?.file)?;
            let folder = file.shown().components().next().map(Component::as_os_str);
            self.template(self.operator.as_deref().or(folder)?)
        };
        catalog.packages().filter_map(|package| Some((package.name.clone(), of(package)?))).collect()
    }

    /// The folders of the operators that the packages of the catalog are of, where those are there.
    pub fn homes(&self, catalog: &Catalog) -> BundleHomes {
        let mut homes = BundleHomes::default();
        for package in catalog.packages() {
            let file = package.documents().next().and_then(|doc| catalog.file(doc.file));
            let folder = file.and_then(|file| file.shown().components().next()).map(Component::as_os_str);
            let Some(operator) = self.operator.as_deref().or(folder) else { continue };
            let folder = self.root.join("operators").join(operator);
            if folder.is_dir() {
                homes.add_operator(package.name.clone(), folder);
            }
        }
        homes
    }

    /// What an operator is made from, if its `ci.yaml` says so and the template is there.
    fn template(&self, operator: &OsStr) -> Option<MadeFrom> {
        let operator = Path::new("operators").join(operator);
        let file = self.root.join(&operator).join("ci.yaml");
        let text = regular::read(&file, regular::MOST_BY_HAND).ok()?;
        let tree = yaml::parse(&text).ok()?;
        let is_ours = |mapping: &Mapping| mapping.catalogs.contains(&self.catalog);
        let Mapping { template, kind, .. } = mappings(&tree).into_iter().find(is_ours)?;
        let mut parts = Path::new(&template).components();
        let (Some(Component::Normal(template)), None) = (parts.next(), parts.next()) else { return None };
        let shown = operator.join(TEMPLATES).join(template);
        let path = self.root.join(&shown);
        path.is_file().then_some(MadeFrom { shown, path, kind, migrates: migrates(&self.catalog) })
    }
}

/// Where the templates of an operator of a repository are: `operators/<name>/catalog-templates/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplatePlace {
    /// The root of the repository.
    pub root: PathBuf,
    /// The name of the operator's folder.
    pub operator: OsString,
    /// The name of the template.
    pub template: OsString,
}

impl TemplatePlace {
    /// The place of a file, if it is in such a folder.
    pub fn of(file: &Path) -> Option<Self> {
        let real = fs::canonicalize(file).ok()?;
        let template = real.file_name()?.to_owned();
        let folder = real.parent()?;
        let operator = folder.parent()?;
        let operators = operator.parent()?;
        let is_called = |path: &Path, name: &str| path.file_name().is_some_and(|called| called == name);
        if !is_called(folder, TEMPLATES) || !is_called(operators, "operators") {
            return None;
        }
        Some(Self {
            root: operators.parent()?.to_owned(),
            operator: operator.file_name()?.to_owned(),
            template,
        })
    }

    /// The operator's folder, in which its bundles are.
    pub fn operator_folder(&self) -> PathBuf {
        self.root.join("operators").join(&self.operator)
    }
}

/// The root of a repository in the words in which a path in it was given, where those name the folders on the way.
fn as_given(path: &Path, inside: &Path) -> Option<PathBuf> {
    let mut given = path.components();
    for part in inside.components().rev() {
        if given.next_back() != Some(part) {
            return None;
        }
    }
    Some(given.as_path().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{TemplateKind, load};

    const CI: &str = "\
fbc:
  enabled: true
  catalog_mapping:
  - template_name: old.yaml
    catalog_names: [\"v4.12\"]
    type: olm.semver
  - template_name: basic.yaml
    catalog_names: [v4.18, \"v4.20\"]
    type: olm.template.basic
";

    /// A repository with one operator, in a folder that goes when the test ends.
    fn repository(ci: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("operators/ship/ci.yaml", ci);
        write("operators/ship/catalog-templates/basic.yaml", "schema: olm.template.basic\n");
        for version in ["v4.18", "v4.20", "v4.22"] {
            write(&format!("catalogs/{version}/ship/catalog.yaml"), "schema: olm.package\nname: a-ship\n");
        }
        root
    }

    fn made_from(root: &Path, path: &str) -> Option<MadeFrom> {
        let catalog = load::open(&root.join(path), &load::Progress::default()).unwrap();
        catalog.made_from(&"a-ship".into()).cloned()
    }

    #[test]
    fn a_catalog_of_a_repository_knows_the_template_it_is_made_from() {
        let root = repository(CI);
        for path in ["catalogs/v4.18", "catalogs/v4.20/ship", "catalogs/v4.20/ship/catalog.yaml"] {
            let made = made_from(root.path(), path).unwrap();
            assert_eq!(made.shown, Path::new("operators/ship/catalog-templates/basic.yaml"), "{path}");
            assert_eq!(made.kind, Some(TemplateKind::Basic));
            assert!(made.path.is_file());
        }
        assert_eq!(made_from(root.path(), "catalogs/v4.22"), None, "nothing is said of it");
        assert_eq!(made_from(root.path(), "operators/ship/catalog-templates/basic.yaml"), None);
    }

    #[test]
    fn the_root_is_called_as_the_path_was() {
        let inside = Path::new("catalogs/v4.18");
        let cases = [
            ("catalogs/v4.18", Some("")),
            ("./catalogs/v4.18/", Some(".")),
            ("/r/catalogs/v4.18", Some("/r")),
            ("../catalogs/v4.18", Some("..")),
            ("v4.18", None),
            ("link", None),
        ];
        for (path, expected) in cases {
            assert_eq!(as_given(Path::new(path), inside).as_deref(), expected.map(Path::new), "{path}");
        }
    }

    #[test]
    fn what_ci_yaml_names_must_be_a_template_of_the_operator() {
        for name in ["../ci.yaml", "/etc/passwd", "absent.yaml", "''"] {
            let root = repository(&CI.replace("basic.yaml", name));
            assert_eq!(made_from(root.path(), "catalogs/v4.18"), None, "{name}");
        }
        for ci in ["", "fbc: 5\n", "fbc: {catalog_mapping: [5, {catalog_names: v4.18}]}\n", "a: [\n"] {
            assert_eq!(made_from(repository(ci).path(), "catalogs/v4.18"), None, "{ci}");
        }
    }
}
