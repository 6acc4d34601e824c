//! Contents of a repository: its catalogs, templates and bundles, and the OpenShift version of each catalog.
//!
//! The decisions are pure: they read a [`FileIndex`]. [`discover`] makes one of a folder on disk. A Dockerfile that copies
//! something to `/configs` is the best evidence of a catalog; what is in the files is the next. Names alone prove nothing.

mod bundles;
mod catalogs;
mod content;
mod disk;
mod dockerfile;
mod evidence;
mod index;
mod stated;
mod templates;
#[cfg(test)]
mod tests;
mod workspace;

use std::path::Path;

use crate::catalog::openshift::OpenShift;

pub use content::{DocumentKind, TemplateFormat, document_kind};
pub use evidence::{
    BundleEvidence, CatalogEvidence, FoundBundle, FoundCatalog, FoundTemplate, TemplateEvidence,
    VersionEvidence,
};
pub use index::{FileIndex, ReadFile};
pub use stated::{FILE_NAME as STATED_FILE, Stated, StatedError};
pub use workspace::{Selection, Workspace, root_of, templates_of, versions_on_disk};

/// Contents of a repository. Paths are relative to its root, with `/` between their parts; `.` is the root.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Discovery {
    /// Catalogs, in the order of their paths, numbers by value.
    pub catalogs: Vec<FoundCatalog>,
    /// Templates, in the order of their paths.
    pub templates: Vec<FoundTemplate>,
    /// Bundle directories, folders of them, and package manifests, in the order of their paths.
    pub bundles: Vec<FoundBundle>,
}

/// Kind of content that a repository is opened as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// Its catalogs.
    Catalogs,
    /// Its first bundle.
    Bundle,
    /// Its first template.
    Template,
    /// Nothing of it.
    Nothing,
}

impl Opening {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Catalogs => "catalogs",
            Self::Bundle => "bundle",
            Self::Template => "template",
            Self::Nothing => "nothing",
        }
    }

    /// Its name for several.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Catalogs | Self::Nothing => "catalogs",
            Self::Bundle => "bundles",
            Self::Template => "templates",
        }
    }
}

impl Discovery {
    /// Kind of content that is opened.
    pub fn opening(&self) -> Opening {
        match self {
            Self { catalogs, .. } if !catalogs.is_empty() => Opening::Catalogs,
            Self { bundles, .. } if !bundles.is_empty() => Opening::Bundle,
            Self { templates, .. } if !templates.is_empty() => Opening::Template,
            _ => Opening::Nothing,
        }
    }
}

/// Finds what is in a folder on disk.
///
/// # Errors
///
/// If the folder has a `.olmap.toml` with a mistake.
pub fn discover(root: &Path) -> Result<Discovery, StatedError> {
    discover_in(&mut disk::index(root))
}

/// Finds what is in an index.
///
/// # Errors
///
/// If it has a `.olmap.toml` with a mistake.
pub fn discover_in(index: &mut FileIndex) -> Result<Discovery, StatedError> {
    let stated = stated_in(index)?;
    index.ignore(&stated.ignore);
    let index = &*index;
    let is_there = |path: &str| !index.at(path).is_empty();
    let catalogs = match stated.catalogs {
        Some(catalogs) => catalogs
            .into_iter()
            .filter(|(path, _)| is_there(path))
            .map(|(path, versions)| catalogs::stated(path, versions))
            .collect(),
        None => catalogs::find(index),
    };
    let mut templates = templates::find(index, &catalogs);
    if let Some(stated) = stated.templates {
        templates.retain(|template| stated.iter().any(|(path, _)| *path == template.path));
        for template in &mut templates {
            let makes =
                stated.iter().find(|(path, _)| *path == template.path).and_then(|(_, makes)| makes.clone());
            if let Some(makes) = makes {
                template.makes = makes;
                template.evidence = TemplateEvidence::Stated;
            }
        }
    }
    let bundles = match stated.bundles {
        Some(bundles) => bundles
            .into_iter()
            .filter(|path| is_there(path))
            .map(|path| FoundBundle { path, evidence: BundleEvidence::Stated })
            .collect(),
        None => bundles::find(index),
    };
    let mut found = Discovery { catalogs, templates, bundles };
    if found.opening() == Opening::Nothing && !index.is_file(STATED_FILE) {
        found.catalogs = catalogs::single_files(index);
    }
    found.sort();
    Ok(found)
}

/// Returns the OpenShift versions of the catalog that a path is, or is in: as the repository states them, by the path, or by the
/// names of the Dockerfiles and pipelines that copy it. A mistake in `.olmap.toml` is not reported here.
pub fn openshift_of(index: &FileIndex, path: &str) -> Vec<OpenShift> {
    let stated = stated_in(index).unwrap_or_default().catalogs.unwrap_or_default();
    let stated = stated.into_iter().find(|(catalog, _)| index::is_within(path, catalog));
    match stated {
        Some((_, versions)) if !versions.is_empty() => versions,
        _ => catalogs::versions_of(index, path),
    }
}

/// Reads the `.olmap.toml` of a repository, if it has one.
fn stated_in(index: &FileIndex) -> Result<Stated, StatedError> {
    let text = index.text(STATED_FILE).filter(|_| index.is_file(STATED_FILE));
    Ok(text.map(|text| Stated::parse(&text)).transpose()?.unwrap_or_default())
}

impl Discovery {
    fn sort(&mut self) {
        for path in self
            .catalogs
            .iter_mut()
            .map(|catalog| &mut catalog.path)
            .chain(self.bundles.iter_mut().map(|bundle| &mut bundle.path))
        {
            if path.is_empty() {
                ".".clone_into(path);
            }
        }
        for template in &mut self.templates {
            template.makes.iter_mut().filter(|path| path.is_empty()).for_each(|path| ".".clone_into(path));
            template.makes.sort_by(|a, b| natural(a).cmp(&natural(b)));
        }
        self.catalogs.sort_by(|a, b| natural(&a.path).cmp(&natural(&b.path)));
        self.templates.sort_by(|a, b| natural(&a.path).cmp(&natural(&b.path)));
        self.bundles.sort_by(|a, b| natural(&a.path).cmp(&natural(&b.path)));
    }
}

/// Key that sorts names, numbers in them by value.
fn natural(path: &str) -> Vec<(u64, &str)> {
    let mut key = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = rest.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        key.push((part.parse().unwrap_or_default(), if is_number { "" } else { part }));
        rest = after;
    }
    key
}
