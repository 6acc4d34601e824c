//! Checks of an operator's files against each other: mappings, templates, releases, bundle directories, catalogs.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};

use olm_bundle::{document, field_access, registry::DirectoryContents};
use olm_catalog::{
    Catalog, Location, Span,
    load::{quotable, regular_file},
    openshift::{OpenShift, OpenShiftRange},
};
use olm_version::Version;

use super::{
    CI_FILE, CatalogMapping, CiConfig, ConfigSeverity, ConfigText, OperatorFinding, OperatorFindingKind,
    RELEASE_FILE, ReleaseConfig, TEMPLATE_SCHEMAS, read_config, release::CheckedRelease, suggest,
    template_content::TemplateContent,
};
use crate::{
    OperatorTemplates, is_bundle_directory, read_bundle_directory, templates::list_operators, unread_part_of,
};

/// Annotation with the OpenShift versions of a bundle.
const OPENSHIFT_VERSIONS: &str = "com.redhat.openshift.versions";
/// Maximum size of a template in bytes.
const MAX_TEMPLATE: u64 = 256 << 20;

/// Catalogs of an operator by their names, such as `v4.18`; the error is in words.
pub type OperatorCatalogs = BTreeMap<String, Result<Catalog, String>>;

/// Result of checking the files of an operator.
#[derive(Debug, Default)]
pub struct OperatorReport {
    /// Findings in the order of the files: `ci.yaml`, releases, bundle directories.
    pub findings: Vec<OperatorFinding>,
    /// Files that cannot be read, relative to the repository, with the reasons.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Returns the operators of a repository that have a `ci.yaml` or templates, sorted by name.
pub fn configured_operators(repository: &Path) -> Vec<OperatorTemplates> {
    let mut operators = list_operators(repository).unwrap_or_default();
    let has_config = |operator: &OperatorTemplates| {
        !operator.templates.is_empty()
            || repository.join("operators").join(&operator.operator).join(CI_FILE).exists()
    };
    operators.retain(has_config);
    operators
}

/// Returns the names of the catalogs that have a folder of an operator, such as `v4.18`, sorted.
pub fn catalog_folders(repository: &Path, operator: &OperatorTemplates) -> Vec<String> {
    let entries = fs::read_dir(repository.join("catalogs")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| operator.catalog_path(name).is_some_and(|path| repository.join(path).is_dir()));
    names.sort();
    names
}

/// Checks the files of an operator. `catalogs` are those of [`catalog_folders`].
pub fn check_operator(
    repository: &Path,
    operator: &OperatorTemplates,
    catalogs: &OperatorCatalogs,
) -> OperatorReport {
    let mut check = OperatorCheck { repository, operator, catalogs, report: OperatorReport::default() };
    check.check_files();
    check.report
}

/// Contents of an operator that its releases refer to.
pub(super) struct OperatorState<'s> {
    pub config: &'s CiConfig,
    /// Mapping of each template.
    pub mappings: HashMap<&'s str, &'s CatalogMapping>,
    pub templates: BTreeMap<String, TemplateContent>,
    /// Bundle directories by the name of the bundle.
    pub directories: BTreeMap<String, String>,
    published: PublishedBundles,
}

impl<'s> OperatorState<'s> {
    /// Returns the state without templates, bundle directories and catalogs.
    pub fn from_config(config: &'s CiConfig) -> Self {
        Self {
            mappings: config.mappings_by_template(),
            templates: BTreeMap::new(),
            directories: BTreeMap::new(),
            published: PublishedBundles::default(),
            config,
        }
    }

    /// Returns the images of a published bundle.
    pub fn images_of(&self, bundle: &str) -> Option<&BTreeSet<String>> {
        self.published.images.get(bundle)
    }

    fn is_released(&self, bundle: &str) -> bool {
        let images = self.images_of(bundle);
        images.is_some() || self.templates.values().any(|content| content.has_bundle(bundle, None))
    }
}

/// Bundles of all catalogs of an operator.
#[derive(Debug, Default)]
struct PublishedBundles {
    /// Images of each bundle.
    images: BTreeMap<String, BTreeSet<String>>,
    /// Name of the bundle with each version.
    by_version: BTreeMap<String, String>,
    lowest: Option<Version>,
    highest: Option<Version>,
}

impl PublishedBundles {
    fn collect_bundles<'c>(catalogs: impl Iterator<Item = &'c Catalog>) -> Self {
        let mut published = Self::default();
        for bundle in catalogs.flat_map(Catalog::packages).flat_map(|package| &package.bundles) {
            let name = bundle.name.value.as_str();
            let images = published.images.entry(name.to_owned()).or_default();
            images.extend(bundle.image.as_ref().map(|image| image.value.clone()));
            let Some(version) = bundle.version.as_ref().map(|version| &version.version) else { continue };
            published.by_version.entry(version.to_string()).or_insert_with(|| name.to_owned());
            if published.lowest.as_ref().is_none_or(|lowest| version.cmp_precedence(lowest).is_lt()) {
                published.lowest = Some(version.clone());
            }
            if published.highest.as_ref().is_none_or(|highest| version.cmp_precedence(highest).is_gt()) {
                published.highest = Some(version.clone());
            }
        }
        published
    }

    /// Returns true for a version below all published ones, and for a pre-release below the highest.
    fn is_superseded(&self, version: &str) -> bool {
        let Ok(version) = Version::parse(version) else { return false };
        let is_below =
            |limit: Option<&Version>| limit.is_some_and(|limit| version.cmp_precedence(limit).is_lt());
        is_below(self.lowest.as_ref()) || version.is_prerelease() && is_below(self.highest.as_ref())
    }
}

struct OperatorCheck<'o> {
    repository: &'o Path,
    operator: &'o OperatorTemplates,
    catalogs: &'o OperatorCatalogs,
    report: OperatorReport,
}

impl OperatorCheck<'_> {
    /// Returns the operator's folder, relative to the repository.
    fn operator_folder(&self) -> PathBuf {
        Path::new("operators").join(&self.operator.operator)
    }

    /// Returns a path in the operator's folder, relative to the repository.
    fn operator_path(&self, inside: &str) -> PathBuf {
        self.operator_folder().join(inside)
    }

    fn report_finding(&mut self, at: Location, severity: ConfigSeverity, kind: OperatorFindingKind) {
        self.report.findings.push(OperatorFinding { at, severity, kind });
    }

    fn report_unreadable(&mut self, path: PathBuf, reason: String) {
        self.report.unreadable.push((path, reason));
    }

    fn check_files(&mut self) {
        let path = self.operator_path(CI_FILE);
        let on_disk = self.repository.join(&path);
        let text = match on_disk.exists().then(|| read_config(&on_disk)).transpose() {
            Ok(text) => text.unwrap_or_default(),
            Err(reason) => return self.report_unreadable(path, reason),
        };
        let config = match CiConfig::parse_ci(&path, &text) {
            Ok((config, findings)) => {
                self.report.findings.extend(findings);
                config
            }
            Err(error) => return self.report_unreadable(path, error.to_string()),
        };
        let (templates, unread_template) = self.read_templates();
        let ci_text = ConfigText::index_text(&path, &text);
        self.check_mappings(&config, &ci_text, &templates);
        let published = self.catalogs.values().filter_map(|catalog| catalog.as_ref().ok());
        let mut state = OperatorState {
            templates,
            published: PublishedBundles::collect_bundles(published),
            ..OperatorState::from_config(&config)
        };
        let directories = self.bundle_directories();
        self.check_excluded_catalogs(&config, &ci_text, &directories);
        for directory in directories {
            if let Some(name) = self.bundle_name(&directory, &state.published) {
                state.directories.insert(name, directory);
            }
        }
        let releases = self.check_releases(&state);
        let uses_catalogs = !config.mappings.is_empty() || !state.templates.is_empty();
        if config.enabled.as_ref().map_or(uses_catalogs, |enabled| enabled.value) {
            self.check_bundles(&state, &releases, unread_template);
        }
    }

    /// Reads the templates. Also returns the path of a template that cannot be read.
    fn read_templates(&self) -> (BTreeMap<String, TemplateContent>, Option<PathBuf>) {
        let (mut templates, mut unread) = (BTreeMap::new(), None);
        for name in &self.operator.templates {
            let Some(path) = self.operator.template_path(name) else { continue };
            let on_disk = self.repository.join(&path);
            let text = quotable::check_quotable(&on_disk).ok();
            let text = text.and_then(|()| regular_file::read_regular(&on_disk, MAX_TEMPLATE).ok());
            match text.and_then(|text| TemplateContent::parse_template(&text)) {
                Some(content) => {
                    templates.insert(name.clone(), content);
                }
                None => unread = Some(path),
            }
        }
        (templates, unread)
    }

    /// Checks the templates of mappings.
    fn check_mappings(
        &mut self,
        config: &CiConfig,
        ci_text: &ConfigText<'_>,
        templates: &BTreeMap<String, TemplateContent>,
    ) {
        for mapping in &config.mappings {
            let name = mapping.template.value.as_str();
            if !self.operator.templates.iter().any(|template| template == name) {
                let suggestion = suggest(name, self.operator.templates.iter().map(String::as_str));
                let kind = OperatorFindingKind::MissingTemplate { template: name.to_owned(), suggestion };
                self.report_finding(ci_text.locate_span(mapping.template.span), ConfigSeverity::Error, kind);
            }
            if let (Some(content), Some(schema)) = (templates.get(name), &mapping.schema)
                && TEMPLATE_SCHEMAS.contains(&schema.value.as_str())
                && !content.schema.is_empty()
                && content.schema != schema.value
            {
                let kind = OperatorFindingKind::OtherType {
                    template: name.to_owned(),
                    named: schema.value.clone(),
                    schema: content.schema.clone(),
                };
                self.report_finding(ci_text.locate_span(schema.span), ConfigSeverity::Error, kind);
            }
        }
    }

    /// Returns the names of the bundle directories, sorted.
    fn bundle_directories(&self) -> Vec<String> {
        let folder = self.repository.join(self.operator_folder());
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let directories = entries.filter(|entry| is_bundle_directory(&entry.path()));
        let mut names: Vec<String> =
            directories.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Returns the name of the bundle in a directory. The directory is not read if a published bundle has its
    /// name as version. Without a ClusterServiceVersion, the name is that of the directory.
    fn bundle_name(&mut self, directory: &str, published: &PublishedBundles) -> Option<String> {
        if let Some(name) = published.by_version.get(bare_version(directory)) {
            return Some(name.clone());
        }
        let path = self.operator_path(directory);
        let on_disk = self.repository.join(&path);
        let tree = match quotable::check_quotable(&on_disk).map_err(|why| why.to_string()) {
            Ok(()) => read_bundle_directory(&on_disk).map_err(|error| error.to_string()),
            Err(reason) => Err(reason),
        };
        let reason = match tree {
            Ok(tree) => {
                let contents = DirectoryContents::from_tree(&tree);
                if let Some(csv) = contents.csv().filter(|csv| !csv.name().is_empty()) {
                    return Some(csv.name().to_owned());
                }
                unread_part_of(&path, &tree)
            }
            Err(reason) => Some(reason),
        };
        let Some(reason) = reason else { return Some(directory.to_owned()) };
        self.report_unreadable(path, reason);
        None
    }

    /// Reports mapped catalogs that do not exist, if no bundle supports them.
    fn check_excluded_catalogs(
        &mut self,
        config: &CiConfig,
        ci_text: &ConfigText<'_>,
        directories: &[String],
    ) {
        let catalogs = config.mappings.iter().flat_map(|mapping| &mapping.catalogs);
        let missing: Vec<_> =
            catalogs.filter(|catalog| !self.catalogs.contains_key(&catalog.value)).collect();
        if missing.is_empty() || directories.is_empty() {
            return;
        }
        let ranges = directories.iter().map(|directory| self.openshift_range(directory));
        let Some(ranges) = ranges.collect::<Option<Vec<_>>>() else { return };
        for catalog in missing {
            let Ok(version) = OpenShift::parse(&catalog.value) else { continue };
            if ranges.iter().any(|range| range.versions.contains(version)) {
                continue;
            }
            let texts: BTreeSet<&str> = ranges.iter().map(|range| range.text.as_str()).collect();
            let kind = OperatorFindingKind::CatalogWithoutBundles {
                catalog: catalog.value.clone(),
                ranges: texts.into_iter().take(MAX_RANGES).collect::<Vec<_>>().join(", "),
            };
            self.report_finding(ci_text.locate_span(catalog.span), ConfigSeverity::Note, kind);
        }
    }

    /// Returns the OpenShift versions in the annotations of a bundle directory.
    fn openshift_range(&self, directory: &str) -> Option<AnnotatedRange> {
        ["annotations.yaml", "annotations.yml"].iter().find_map(|file| {
            let path = self.operator_path(directory).join("metadata").join(file);
            let bytes = read_config(&self.repository.join(&path)).ok()?;
            let document = document::parse_first(&bytes).ok()?;
            let value = field_access::node_at(&document.node, &["annotations", OPENSHIFT_VERSIONS])?;
            let text = value.as_str()?.to_owned();
            let start = document.start + value.span.range().start;
            let span = Span::new(start, start + value.span.range().len());
            let at = ConfigText::index_text(&path, &bytes).locate_span(span);
            Some(AnnotatedRange { versions: OpenShiftRange::parse_label(&text)?, text, at })
        })
    }

    /// Checks the releases of all bundle directories, and returns the templates of each valid release by the name
    /// of its bundle.
    fn check_releases(&mut self, state: &OperatorState<'_>) -> BTreeMap<String, Vec<String>> {
        let (mut releases, mut applied) = (BTreeMap::new(), Vec::new());
        for (bundle, directory) in &state.directories {
            let path = self.operator_path(directory).join(RELEASE_FILE);
            let on_disk = self.repository.join(&path);
            if fs::symlink_metadata(&on_disk).is_err() {
                continue;
            }
            let checked = read_config(&on_disk).and_then(|text| {
                ReleaseConfig::check_release(&path, &text, bundle, state).map_err(|error| error.to_string())
            });
            let CheckedRelease { findings, templates, is_applied } = match checked {
                Ok(checked) => checked,
                Err(reason) => {
                    self.report_unreadable(path, reason);
                    continue;
                }
            };
            let is_valid = findings.iter().all(|finding| finding.severity != ConfigSeverity::Error);
            if is_valid && !templates.is_empty() {
                releases.insert(bundle.clone(), templates.into_iter().collect());
            }
            if state.is_released(bundle) {
                self.report.findings.extend(findings_after_release(findings));
            } else {
                self.report.findings.extend(findings);
            }
            if is_applied {
                applied.push(bundle.clone());
            }
        }
        if !applied.is_empty() {
            let at = Location::whole_file(self.operator_folder());
            self.report_finding(at, ConfigSeverity::Note, OperatorFindingKind::AlreadyReleased(applied));
        }
        releases
    }

    /// Reports bundle directories whose bundle is in no template and no catalog.
    fn check_bundles(
        &mut self,
        state: &OperatorState<'_>,
        releases: &BTreeMap<String, Vec<String>>,
        unread_template: Option<PathBuf>,
    ) {
        let catalog = self.catalogs.iter().find(|(_, catalog)| catalog.is_err());
        let catalog = catalog.and_then(|(name, _)| self.operator.catalog_path(name));
        if let Some(unread) = unread_template.or(catalog) {
            let kind = OperatorFindingKind::BundlesNotChecked(unread.display().to_string());
            let at = Location::whole_file(self.operator_folder());
            return self.report_finding(at, ConfigSeverity::Note, kind);
        }
        let images: BTreeSet<&str> = state.published.images.values().flatten().map(String::as_str).collect();
        let template_images = state.templates.values().flat_map(|content| &content.images);
        let unknown: BTreeSet<&str> =
            template_images.map(String::as_str).filter(|image| !images.contains(image)).collect();
        let names = self.catalogs.keys().map(String::as_str);
        let mapped = state.config.mappings.iter().flat_map(|mapping| &mapping.catalogs);
        let catalogs: BTreeSet<&str> = names.chain(mapped.map(|catalog| catalog.value.as_str())).collect();
        let mut older = Vec::new();
        for (bundle, directory) in &state.directories {
            let version = bare_version(directory);
            let is_listed = unknown.iter().any(|image| has_version_tag(image, version));
            if state.is_released(bundle) || is_listed {
                continue;
            }
            if state.published.is_superseded(version) {
                older.push(bundle.clone());
                continue;
            }
            let range = self.openshift_range(directory);
            let excluded = range.as_ref().map(|range| {
                let is_excluded = |name: &&&str| {
                    OpenShift::parse(name).is_ok_and(|version| !range.versions.contains(version))
                };
                let excluded = catalogs.iter().filter(is_excluded).map(|name| (*name).to_owned());
                excluded.collect::<Vec<_>>()
            });
            let excluded = excluded.filter(|names| !names.is_empty());
            let is_excluded = excluded.as_ref().is_some_and(|names| names.len() == catalogs.len());
            let at = match &range {
                Some(range) if is_excluded => range.at.clone(),
                _ => Location::whole_file(self.operator_path(directory)),
            };
            let release = releases.get(bundle).cloned();
            let is_note = is_excluded || release.is_some() || !unknown.is_empty();
            let severity = if is_note { ConfigSeverity::Note } else { ConfigSeverity::Warning };
            let kind = OperatorFindingKind::BundleInNoCatalog {
                bundle: bundle.clone(),
                release,
                excluded: range.map(|range| range.text).zip(excluded),
                unknown_images: unknown.len(),
            };
            self.report_finding(at, severity, kind);
        }
        if !older.is_empty() {
            let at = Location::whole_file(self.operator_folder());
            self.report_finding(at, ConfigSeverity::Note, OperatorFindingKind::OlderBundles(older));
        }
    }
}

/// Maximum number of ranges in a message.
const MAX_RANGES: usize = 3;

/// Value of [`OPENSHIFT_VERSIONS`].
struct AnnotatedRange {
    versions: OpenShiftRange,
    text: String,
    at: Location,
}

/// Returns a version without a leading `v`.
fn bare_version(directory: &str) -> &str {
    directory.strip_prefix('v').unwrap_or(directory)
}

/// Returns true if the tag of an image is a version.
fn has_version_tag(image: &str, version: &str) -> bool {
    let name = image.rsplit_once('/').map_or(image, |(_, name)| name);
    let tag = name.split_once('@').map_or(name, |(name, _)| name).split_once(':');
    tag.is_some_and(|(_, tag)| bare_version(tag) == version)
}

/// Returns the findings about the release of a published bundle. They are notes, because the pipelines read the file
/// only once. Templates without a mapping are one note.
fn findings_after_release(findings: Vec<OperatorFinding>) -> Vec<OperatorFinding> {
    let (mut notes, mut former): (Vec<OperatorFinding>, Option<(Location, Vec<String>)>) = (Vec::new(), None);
    for finding in findings {
        if let OperatorFindingKind::NoMapping { template, .. } = finding.kind {
            former.get_or_insert_with(|| (finding.at, Vec::new())).1.push(template);
        } else {
            notes.push(OperatorFinding { severity: ConfigSeverity::Note, ..finding });
        }
    }
    let former = former.map(|(at, templates)| OperatorFinding {
        at,
        severity: ConfigSeverity::Note,
        kind: OperatorFindingKind::FormerTemplates(templates),
    });
    notes.into_iter().chain(former).collect()
}
