//! Templates of a repository, and the catalogs that are made from them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    FoundCatalog, FoundTemplate, TemplateEvidence,
    catalogs::{CompositeLists, defined_packages, read_composites},
    content::{FileFacts, TemplateFormat},
    index::{
        FileIndex, file_name, folders_above, is_data, is_test_or_foreign, is_within, join_path, parent_folder,
    },
};
use olm_catalog::{
    openshift::{OpenShift, file_stem},
    template::{Mapping, parse_mappings},
    text::yaml,
};

/// File that maps an operator's templates to catalogs.
const MAPPING: &str = "ci.yaml";
/// Usual name of the catalog folder.
const CATALOG: &str = "catalog";

/// Finds templates.
pub fn find_templates(index: &FileIndex, catalogs: &[FoundCatalog]) -> Vec<FoundTemplate> {
    let is_candidate = |path: &&str| {
        // Files of large catalogs are not read to search for templates.
        let is_in_catalog = catalogs.iter().any(|catalog| is_within(path, &catalog.path));
        is_data(path) && !is_test_or_foreign(path) && (!is_in_catalog || path.contains("template"))
    };
    find_templates_in(index.file_paths().filter(is_candidate), index, catalogs)
}

/// Finds the templates among some files.
pub fn find_templates_in<'p>(
    paths: impl Iterator<Item = &'p str>,
    index: &FileIndex,
    catalogs: &[FoundCatalog],
) -> Vec<FoundTemplate> {
    let mut maker = TemplateMatcher {
        index,
        catalogs,
        composite: read_composites(index),
        packages: BTreeMap::new(),
        images: BTreeMap::new(),
        mappings: BTreeMap::new(),
    };
    let mut found = Vec::new();
    for path in paths.filter(|path| index.is_file(path)) {
        let facts = index.head_facts(path);
        let Some(format) = facts.template else { continue };
        let (makes, evidence) = maker.catalogs_of(path, format, &facts);
        let evidence = if makes.is_empty() { TemplateEvidence::Nothing } else { evidence };
        found.push(FoundTemplate { path: path.to_owned(), format, catalogs: makes, evidence });
    }
    found
}

struct TemplateMatcher<'i> {
    index: &'i FileIndex,
    catalogs: &'i [FoundCatalog],
    composite: CompositeLists,
    packages: BTreeMap<&'i str, BTreeSet<String>>,
    images: BTreeMap<&'i str, BTreeSet<String>>,
    mappings: BTreeMap<String, Vec<Mapping>>,
}

impl TemplateMatcher<'_> {
    fn catalogs_of(
        &mut self,
        path: &str,
        format: TemplateFormat,
        facts: &FileFacts,
    ) -> (Vec<String>, TemplateEvidence) {
        if let Some(made) = self.by_mapping(path) {
            return made;
        }
        if format == TemplateFormat::Composite {
            let names = facts.components.iter().map(|component| component.name.as_str());
            let folders: Vec<String> =
                names.filter_map(|name| self.composite.names.get(name)).cloned().collect();
            let folders =
                if folders.is_empty() { self.composite.names.values().cloned().collect() } else { folders };
            return (self.existing_catalogs(&folders), TemplateEvidence::Composite(path.to_owned()));
        }
        if let Some(folder) = self.composite.inputs.get(path).and_then(|name| self.composite.names.get(name))
        {
            let file = self.composite.folders.get(folder).cloned().unwrap_or_default();
            return (self.existing_catalogs(std::slice::from_ref(folder)), TemplateEvidence::Composite(file));
        }
        self.by_location(path)
            .or_else(|| self.by_name(path))
            .unwrap_or_else(|| (self.by_content(format, facts), TemplateEvidence::Content))
    }

    /// Returns the discovered catalogs at or below the given paths.
    fn existing_catalogs(&self, paths: &[String]) -> Vec<String> {
        let is_at = |catalog: &&FoundCatalog| paths.iter().any(|path| is_within(&catalog.path, path));
        self.catalogs.iter().filter(is_at).map(|catalog| catalog.path.clone()).collect()
    }

    /// Returns the catalogs that a `ci.yaml` maps the template to.
    fn by_mapping(&mut self, path: &str) -> Option<(Vec<String>, TemplateEvidence)> {
        let operator = parent_folder(parent_folder(path));
        let file = join_path(operator, MAPPING);
        if !self.index.is_file(&file) || parent_folder(path).is_empty() {
            return None;
        }
        if !self.mappings.contains_key(&file) {
            let text = self.index.read_text(&file).unwrap_or_default();
            let read =
                yaml::parse_yaml(text.as_bytes()).map(|node| parse_mappings(&node)).unwrap_or_default();
            self.mappings.insert(file.clone(), read);
        }
        let root = parent_folder(parent_folder(operator));
        let mapped: Vec<String> = self
            .mappings
            .get(&file)?
            .iter()
            .filter(|mapping| mapping.template == file_name(path))
            .flat_map(|mapping| &mapping.catalogs)
            .map(|name| join_path(&join_path(root, "catalogs"), name))
            .collect();
        (!mapped.is_empty()).then(|| (self.existing_catalogs(&mapped), TemplateEvidence::Mapping(file)))
    }

    /// Returns the catalogs in the folder of the same version, or next to the template.
    fn by_location(&self, path: &str) -> Option<(Vec<String>, TemplateEvidence)> {
        let in_folder = |folder: &str| self.existing_catalogs(&[folder.to_owned()]);
        let is_version = |folder: &&str| OpenShift::from_name(file_name(folder)).is_some();
        if let Some(folder) = folders_above(path).find(is_version) {
            let near = in_folder(parent_folder(path));
            let made = if near.is_empty() { in_folder(folder) } else { near };
            return Some((made, TemplateEvidence::VersionFolder(folder.to_owned())));
        }
        let catalog = in_folder(&join_path(parent_folder(path), CATALOG));
        if let [_] = catalog.as_slice() {
            return Some((catalog, TemplateEvidence::NextTo));
        }
        let is_file_beside = |catalog: &&FoundCatalog| {
            self.index.is_file(&catalog.path) && parent_folder(&catalog.path) == parent_folder(path)
        };
        let mut files = self.catalogs.iter().filter(is_file_beside);
        match (files.next(), files.next()) {
            (Some(only), None) => Some((vec![only.path.clone()], TemplateEvidence::NextTo)),
            _ => None,
        }
    }

    /// Returns the catalogs with the name of the template, or with the version in that name.
    fn by_name(&self, path: &str) -> Option<(Vec<String>, TemplateEvidence)> {
        let name = file_stem(file_name(path));
        let endings = ["-template", "_template", ".template"];
        let bare = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        let is_alike = |catalog: &&FoundCatalog| {
            let own = file_stem(file_name(&catalog.path));
            let has_folder = || {
                let inside = join_path(&catalog.path, bare);
                self.index.is_folder(&inside) || self.index.is_file(&format!("{inside}.yaml"))
            };
            !own.is_empty() && (own == name || own == bare) || has_folder()
        };
        let alike: Vec<String> =
            self.catalogs.iter().filter(is_alike).map(|catalog| catalog.path.clone()).collect();
        if !alike.is_empty() {
            return Some((alike, TemplateEvidence::Name));
        }
        let version = OpenShift::from_name(bare)?;
        let is_for = |catalog: &&FoundCatalog| catalog.openshift.contains(&version);
        let made = self.catalogs.iter().filter(is_for).map(|catalog| catalog.path.clone()).collect();
        Some((made, TemplateEvidence::Name))
    }

    /// Returns the catalogs that share a package or an image with the template.
    fn by_content(&mut self, format: TemplateFormat, facts: &FileFacts) -> Vec<String> {
        let mut made = Vec::new();
        let (index, catalogs) = (self.index, self.catalogs);
        for catalog in catalogs {
            let path = catalog.path.as_str();
            let is_made = if format == TemplateFormat::Semver {
                let images = self.images.entry(path).or_insert_with(|| bundle_images(index, path));
                facts.images.iter().any(|image| images.contains(image))
            } else {
                let packages = self.packages.entry(path).or_insert_with(|| defined_packages(index, path));
                facts.packages.iter().any(|package| packages.contains(package))
            };
            if is_made {
                made.push(catalog.path.clone());
            }
        }
        made
    }
}

/// Returns the images of the bundles at a path.
fn bundle_images(index: &FileIndex, path: &str) -> BTreeSet<String> {
    let files = index.files_at(path).into_iter().filter(|file| is_data(file));
    let facts = files.map(|file| index.whole_facts(file)).filter(|facts| facts.template.is_none());
    facts.flat_map(|facts| facts.images.clone()).collect()
}
