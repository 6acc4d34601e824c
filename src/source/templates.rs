//! The templates of a repository of operators: `operators/<name>/catalog-templates/`, and `ci.yaml` beside it, which says
//! which catalogs are made from which.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::catalog::{
    load::regular,
    template::{Mapping, mappings},
    text::yaml,
};

/// The folder of an operator's templates.
const TEMPLATES: &str = "catalog-templates";

/// An operator and what its catalogs are made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplatesOf {
    /// The name of its folder.
    pub operator: String,
    /// What `ci.yaml` maps.
    pub mappings: Vec<Mapping>,
    /// Its templates, by name, sorted.
    pub templates: Vec<String>,
    /// Why `ci.yaml` could not be read, where it is there.
    pub unread: Option<String>,
}

impl TemplatesOf {
    /// Where a template of the operator is, from the root of the repository on; `None` where its name leads elsewhere.
    pub fn path(&self, template: &str) -> Option<PathBuf> {
        let mut parts = Path::new(template).components();
        let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
        Some(Path::new("operators").join(&self.operator).join(TEMPLATES).join(name))
    }

    /// Where the catalog of the operator is, from the root of the repository on; `None` where a name leads elsewhere.
    pub fn published(&self, catalog: &str) -> Option<PathBuf> {
        let mut parts = Path::new(catalog).components();
        let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
        Some(Path::new("catalogs").join(name).join(&self.operator))
    }

    /// The templates that no mapping names.
    pub fn unmapped(&self) -> impl Iterator<Item = &str> {
        let is_mapped = |name: &&String| !self.mappings.iter().any(|mapping| &mapping.template == *name);
        self.templates.iter().filter(is_mapped).map(String::as_str)
    }
}

/// The operators of a repository that have templates, or map some, by name.
///
/// # Errors
///
/// When there is no folder `operators`.
pub fn templates_of(repository: &Path) -> io::Result<Vec<TemplatesOf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(repository.join("operators"))? {
        let entry = entry?;
        if !entry.path().is_dir() {
            continue;
        }
        let Ok(operator) = entry.file_name().into_string() else { continue };
        let (mappings, unread) = mapped(&entry.path().join("ci.yaml"));
        let templates = names(&entry.path().join(TEMPLATES));
        if !mappings.is_empty() || !templates.is_empty() || unread.is_some() {
            found.push(TemplatesOf { operator, mappings, templates, unread });
        }
    }
    found.sort_by(|a, b| a.operator.cmp(&b.operator));
    Ok(found)
}

fn mapped(ci: &Path) -> (Vec<Mapping>, Option<String>) {
    if !ci.exists() {
        return (Vec::new(), None);
    }
    let text = match regular::read(ci, regular::MOST_BY_HAND) {
        Ok(text) => text,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    match yaml::parse(&text) {
        Ok(tree) => (mappings(&tree), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    }
}

fn names(folder: &Path) -> Vec<String> {
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
