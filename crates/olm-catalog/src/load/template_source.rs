//! Catalogs generated from templates in an operator repository: `operators/<name>/ci.yaml` names the templates
//! of `catalogs/<version>/<name>/` (the layout of community-operators).

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
};

use super::regular_file;
use crate::{
    BundleSources, Catalog, PackageName, TemplateSource,
    package::Package,
    template::{Mapping, is_migrated_catalog, parse_mappings},
    text::yaml,
};

/// Folder of an operator's templates.
const TEMPLATE_FOLDER: &str = "catalog-templates";

/// A catalog of an operator repository.
#[derive(Debug)]
pub(crate) struct OperatorRepository {
    root: PathBuf,
    /// Name of the catalog in `ci.yaml`, such as `v4.20`.
    catalog: String,
    /// Folder name of the operator, if the path is in one.
    operator: Option<OsString>,
}

impl OperatorRepository {
    /// Returns the repository of a path, if the path is in its `catalogs/<version>`.
    pub fn from_path(path: &Path) -> Option<Self> {
        let real = fs::canonicalize(path).ok()?;
        let root = real
            .ancestors()
            .find(|root| root.join("operators").is_dir() && root.join("catalogs").is_dir())?;
        let inside = real.strip_prefix(root).ok()?;
        let mut parts = inside.components();
        match (parts.next()?, parts.next()?) {
            (Component::Normal(catalogs), Component::Normal(version)) if catalogs == "catalogs" => {
                let root = root_as_given(path, inside).unwrap_or_else(|| root.to_owned());
                let operator = parts.next().map(|part| part.as_os_str().to_owned());
                Some(Self { root, catalog: version.to_str()?.to_owned(), operator })
            }
            _ => None,
        }
    }

    /// Returns the sources of the packages in the catalog. The name of an operator may differ from its package.
    pub fn template_sources(&self, catalog: &Catalog) -> BTreeMap<PackageName, TemplateSource> {
        let of = |package: &Package| {
            let file = catalog.file(package.documents().next()?.file)?;
            let folder = file.display_path().components().next().map(Component::as_os_str);
            self.source_of_operator(self.operator.as_deref().or(folder)?)
        };
        catalog.packages().filter_map(|package| Some((package.name.clone(), of(package)?))).collect()
    }

    /// Returns the existing operator folders of the packages in the catalog.
    pub fn bundle_sources(&self, catalog: &Catalog) -> BundleSources {
        let mut homes = BundleSources::default();
        for package in catalog.packages() {
            let file = package.documents().next().and_then(|doc| catalog.file(doc.file));
            let folder =
                file.and_then(|file| file.display_path().components().next()).map(Component::as_os_str);
            let Some(operator) = self.operator.as_deref().or(folder) else { continue };
            let folder = self.root.join("operators").join(operator);
            if folder.is_dir() {
                homes.add_operator(package.name.clone(), folder);
            }
        }
        homes
    }

    /// Returns the source of an operator, if its `ci.yaml` names an existing template.
    fn source_of_operator(&self, operator: &OsStr) -> Option<TemplateSource> {
        let operator = Path::new("operators").join(operator);
        let file = self.root.join(&operator).join("ci.yaml");
        let text = regular_file::read_regular(&file, regular_file::MAX_HANDWRITTEN_SIZE).ok()?;
        let tree = yaml::parse_yaml(&text).ok()?;
        let is_ours = |mapping: &Mapping| mapping.catalogs.contains(&self.catalog);
        let Mapping { template, kind, .. } = parse_mappings(&tree).into_iter().find(is_ours)?;
        let mut parts = Path::new(&template).components();
        let (Some(Component::Normal(template)), None) = (parts.next(), parts.next()) else { return None };
        let shown = operator.join(TEMPLATE_FOLDER).join(template);
        let path = self.root.join(&shown);
        path.is_file().then_some(TemplateSource {
            display_path: shown,
            path,
            kind,
            migrates: is_migrated_catalog(&self.catalog),
        })
    }
}

/// Location of an operator's template in a repository: `operators/<name>/catalog-templates/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateLocation {
    /// Root of the repository.
    pub root: PathBuf,
    /// Name of the operator's folder.
    pub operator: OsString,
    /// Name of the template.
    pub template: OsString,
}

impl TemplateLocation {
    /// Returns the location of a file, if it is in such a folder.
    pub fn from_path(file: &Path) -> Option<Self> {
        let real = fs::canonicalize(file).ok()?;
        let template = real.file_name()?.to_owned();
        let folder = real.parent()?;
        let operator = folder.parent()?;
        let operators = operator.parent()?;
        let is_called = |path: &Path, name: &str| path.file_name().is_some_and(|called| called == name);
        if !is_called(folder, TEMPLATE_FOLDER) || !is_called(operators, "operators") {
            return None;
        }
        Some(Self {
            root: operators.parent()?.to_owned(),
            operator: operator.file_name()?.to_owned(),
            template,
        })
    }

    /// Returns the operator's folder, which contains its bundles.
    pub fn operator_folder(&self) -> PathBuf {
        self.root.join("operators").join(&self.operator)
    }
}

/// Returns the part of a given path before the components `inside`: the root of the repository as the user
/// wrote it. `None` if the path does not end with them.
fn root_as_given(path: &Path, inside: &Path) -> Option<PathBuf> {
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
    use crate::{TemplateKind, load};

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

    /// Creates a repository with one operator, in a temporary folder.
    fn create_repository(ci: &str) -> tempfile::TempDir {
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

    fn find_template_source(root: &Path, path: &str) -> Option<TemplateSource> {
        let catalog = load::open_catalog(root.join(path)).unwrap();
        catalog.template_source(&"a-ship".into()).cloned()
    }

    #[test]
    fn catalog_in_repository_knows_its_template() {
        let root = create_repository(CI);
        for path in ["catalogs/v4.18", "catalogs/v4.20/ship", "catalogs/v4.20/ship/catalog.yaml"] {
            let made = find_template_source(root.path(), path).unwrap();
            assert_eq!(made.display_path, Path::new("operators/ship/catalog-templates/basic.yaml"), "{path}");
            assert_eq!(made.kind, Some(TemplateKind::Basic));
            assert!(made.path.is_file());
        }
        assert_eq!(find_template_source(root.path(), "catalogs/v4.22"), None, "nothing is said of it");
        assert_eq!(find_template_source(root.path(), "operators/ship/catalog-templates/basic.yaml"), None);
    }

    #[test]
    fn root_has_form_of_given_path() {
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
            assert_eq!(root_as_given(Path::new(path), inside).as_deref(), expected.map(Path::new), "{path}");
        }
    }

    #[test]
    fn ci_yaml_must_name_template_of_operator() {
        for name in ["../ci.yaml", "/etc/passwd", "absent.yaml", "''"] {
            let root = create_repository(&CI.replace("basic.yaml", name));
            assert_eq!(find_template_source(root.path(), "catalogs/v4.18"), None, "{name}");
        }
        for ci in ["", "fbc: 5\n", "fbc: {catalog_mapping: [5, {catalog_names: v4.18}]}\n", "a: [\n"] {
            assert_eq!(find_template_source(create_repository(ci).path(), "catalogs/v4.18"), None, "{ci}");
        }
    }
}
