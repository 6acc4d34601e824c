//! Templates of an operator repository: `operators/<name>/catalog-templates/`, and the `ci.yaml` next to it
//! that maps templates to catalogs.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use olm_catalog::{
    load::{TemplateLocation, quotable, regular_file},
    template::{Mapping, parse_mappings},
    text::yaml,
};

/// Folder of an operator's templates.
const TEMPLATES: &str = "catalog-templates";

/// An operator with its templates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorTemplates {
    /// Name of its folder.
    pub operator: String,
    /// Mappings in `ci.yaml`.
    pub mappings: Vec<Mapping>,
    /// Names of its templates, sorted.
    pub templates: Vec<String>,
    /// Reason why an existing `ci.yaml` cannot be read.
    pub unread: Option<String>,
}

impl OperatorTemplates {
    /// Returns the path of a template relative to the repository. `None` if the name leads elsewhere.
    pub fn template_path(&self, template: &str) -> Option<PathBuf> {
        let mut parts = Path::new(template).components();
        let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
        Some(Path::new("operators").join(&self.operator).join(TEMPLATES).join(name))
    }

    /// Returns the path of the operator's catalog relative to the repository. `None` if the name leads
    /// elsewhere.
    pub fn catalog_path(&self, catalog: &str) -> Option<PathBuf> {
        let mut parts = Path::new(catalog).components();
        let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
        Some(Path::new("catalogs").join(name).join(&self.operator))
    }

    /// Returns the templates without a mapping.
    pub fn unmapped(&self) -> impl Iterator<Item = &str> {
        let is_mapped = |name: &&String| !self.mappings.iter().any(|mapping| &mapping.template == *name);
        self.templates.iter().filter(is_mapped).map(String::as_str)
    }
}

/// Returns the operators of a repository that have templates or mappings, sorted by name.
///
/// # Errors
///
/// If there is no folder `operators`.
pub fn operator_templates(repository: &Path) -> io::Result<Vec<OperatorTemplates>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(repository.join("operators"))? {
        let entry = entry?;
        if !entry.path().is_dir() {
            continue;
        }
        let Ok(operator) = entry.file_name().into_string() else { continue };
        let (mappings, unread) = read_mappings(&entry.path().join("ci.yaml"));
        let templates = template_names(&entry.path().join(TEMPLATES));
        if !mappings.is_empty() || !templates.is_empty() || unread.is_some() {
            found.push(OperatorTemplates { operator, mappings, templates, unread });
        }
    }
    found.sort_by(|a, b| a.operator.cmp(&b.operator));
    Ok(found)
}

/// Returns the catalogs that a repository makes from a template or from other templates of its operator. The
/// template's own catalogs come first. They contain the bundles of the template's images.
pub(super) fn published_catalogs(template: &Path) -> Vec<PathBuf> {
    let Some(place) = TemplateLocation::from_path(template) else { return Vec::new() };
    let Some(name) = place.template.to_str() else { return Vec::new() };
    let (mappings, _) = read_mappings(&place.operator_folder().join("ci.yaml"));
    let own = mappings.iter().filter(|mapping| mapping.template == name);
    let own: Vec<&str> = own.flat_map(|mapping| &mapping.catalogs).map(String::as_str).collect();
    let is_own = |path: &PathBuf| {
        let version = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        version.is_some_and(|version| own.contains(&version))
    };
    let versions = fs::read_dir(place.root.join("catalogs")).into_iter().flatten().flatten();
    let mut published: Vec<PathBuf> =
        versions.map(|version| version.path().join(&place.operator)).filter(|path| path.is_dir()).collect();
    published.sort_by_cached_key(|path| (!is_own(path), path.clone()));
    published
}

fn read_mappings(ci: &Path) -> (Vec<Mapping>, Option<String>) {
    if !ci.exists() {
        return (Vec::new(), None);
    }
    if let Err(why) = quotable::check_quotable(ci) {
        return (Vec::new(), Some(why.to_string()));
    }
    let text = match regular_file::read_regular(ci, regular_file::MAX_HANDWRITTEN_SIZE) {
        Ok(text) => text,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    match yaml::parse_yaml(&text) {
        Ok(tree) => (parse_mappings(&tree), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    }
}

fn template_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["yaml", "yml", "json"].contains(&extension))
    });
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_operators_with_templates_and_rejects_names_with_paths() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let ci = "fbc:\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.semver, catalog_names: [v4.20]}\n";
        write("operators/ship/ci.yaml", ci);
        write("operators/ship/catalog-templates/a.yaml", "");
        write("operators/ship/catalog-templates/b.json", "");
        write("operators/ship/catalog-templates/README.md", "");
        write("operators/broken/ci.yaml", "a: [");
        write("operators/plain/1.0.0/manifests/a.yaml", "");
        let found = operator_templates(root.path()).unwrap();
        let names: Vec<&str> = found.iter().map(|operator| operator.operator.as_str()).collect();
        assert_eq!(names, ["broken", "ship"]);
        assert!(found[0].unread.is_some());
        assert_eq!(found[1].unmapped().collect::<Vec<_>>(), ["b.json"]);
        for (name, is_there) in
            [("a.yaml", true), ("../ci.yaml", false), ("/etc/passwd", false), ("..", false)]
        {
            assert_eq!(found[1].template_path(name).is_some(), is_there, "{name}");
            assert_eq!(found[1].catalog_path(name).is_some(), is_there, "{name}");
        }
        assert!(operator_templates(&root.path().join("operators/ship")).is_err());
    }
}
