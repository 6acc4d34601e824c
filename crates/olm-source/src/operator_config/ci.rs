//! `operators/NAME/ci.yaml`: its fields, and mistakes that are visible in the file alone.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use olm_catalog::{Node, ReadError, Spanned};

use super::{
    CI_FILE, ConfigReader, ConfigSeverity, OperatorFinding, OperatorFindingKind, TEMPLATE_SCHEMAS,
    first_line, read_config,
};

/// Keys of the file. Others are allowed.
const KEYS: [&str; 5] = ["updateGraph", "reviewers", "merge", "cert_project_id", "fbc"];
/// Keys of `fbc`. Others are rejected.
const FBC_KEYS: [&str; 3] = ["enabled", "version_promotion_strategy", "catalog_mapping"];
/// Key of vendors' documentation for `catalog_names`.
const OTHER_CATALOG_KEY: &str = "catalogs_names";
/// Keys of a mapping. Others are ignored. The last has its own finding.
const MAPPING_KEYS: [&str; 4] = ["template_name", "catalog_names", "type", OTHER_CATALOG_KEY];

/// Fields of a `ci.yaml`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CiConfig {
    /// `fbc.enabled`: true if the operator uses file-based catalogs.
    pub enabled: Option<Spanned<bool>>,
    /// `fbc.version_promotion_strategy`: `review-needed`, `always` or `never`.
    pub promotion: Option<Spanned<String>>,
    /// `fbc.catalog_mapping`
    pub mappings: Vec<CatalogMapping>,
    /// `updateGraph`: `replaces-mode` or `semver-mode`; only without file-based catalogs.
    pub update_graph: Option<Spanned<String>>,
    /// `reviewers`: names of GitHub users.
    pub reviewers: Vec<Spanned<String>>,
}

/// Mapping of a template to the catalogs that it generates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogMapping {
    /// `template_name`: file in `catalog-templates`.
    pub template: Spanned<String>,
    /// `type`: schema of the template.
    pub schema: Option<Spanned<String>>,
    /// `catalog_names` and `catalogs_names`, without repeated ones.
    pub catalogs: Vec<Spanned<String>>,
}

impl CiConfig {
    /// Reads a file. `path` is its path in the repository. The findings are those of the file alone.
    ///
    /// # Errors
    ///
    /// If the text is not valid YAML.
    pub fn parse_ci(path: &Path, text: &[u8]) -> Result<(Self, Vec<OperatorFinding>), ReadError> {
        let mut reader = ConfigReader::with_text(path, text);
        let root = reader.file.parse_document()?;
        let mut config = Self::default();
        if reader.check_map(&root, "ci.yaml") {
            config.read_fields(&root, &mut reader);
        }
        Ok((config, reader.findings))
    }

    /// Reads the `ci.yaml` of an operator's folder.
    ///
    /// # Errors
    ///
    /// The reason in words, if it cannot be read.
    pub fn load_ci(operator_folder: &Path) -> Result<Self, String> {
        let path = operator_folder.join(CI_FILE);
        let parsed = read_config(&path)
            .and_then(|text| Self::parse_ci(&path, &text).map_err(|error| error.to_string()));
        parsed.map(|(config, _)| config).map_err(|reason| format!("{}: {reason}", path.display()))
    }

    fn read_fields<'t>(&mut self, root: &Node<'t>, reader: &mut ConfigReader<'t>) {
        reader.check_keys(root, &KEYS, None);
        self.update_graph = reader.read_text(root, "updateGraph");
        if let Some(graph) = &self.update_graph {
            reader.check_value(graph, "updateGraph", &["replaces-mode", "semver-mode"]);
        }
        self.reviewers = reader.read_texts(root, "reviewers");
        reader.read_flag(root, "merge");
        reader.read_text(root, "cert_project_id");
        let Some(fbc) = root.get("fbc") else { return };
        if !reader.check_map(fbc, "fbc") {
            return;
        }
        reader.check_keys(fbc, &FBC_KEYS, Some(ConfigSeverity::Error));
        self.enabled = reader.read_flag(fbc, "enabled");
        self.promotion = reader.read_text(fbc, "version_promotion_strategy");
        if let Some(promotion) = &self.promotion {
            let allowed = &["review-needed", "always", "never"];
            reader.check_value(promotion, "version_promotion_strategy", allowed);
        }
        for item in reader.read_items(fbc, "catalog_mapping") {
            self.mappings.extend(read_mapping(item, reader));
        }
        self.check_catalogs(reader);
        if !self.mappings.is_empty() && !self.is_enabled() {
            let at = self.enabled.as_ref().map_or(first_line(fbc), |enabled| enabled.span);
            reader.report(at, ConfigSeverity::Note, OperatorFindingKind::NotEnabled);
        }
    }

    /// Reports catalogs with two templates, and catalogs that are not versions of OpenShift.
    fn check_catalogs(&self, reader: &mut ConfigReader<'_>) {
        let mut first_template: HashMap<&str, &str> = HashMap::new();
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (number, mapping) in self.mappings.iter().enumerate() {
            let template = mapping.template.value.as_str();
            if *seen.entry(template).or_insert(number) != number {
                let kind = OperatorFindingKind::TwoMappings(template.to_owned());
                reader.report_error(mapping.template.span, kind);
            }
            for catalog in &mapping.catalogs {
                let name = catalog.value.as_str();
                check_catalog_name(catalog, reader);
                let first = *first_template.entry(name).or_insert(template);
                if first != template {
                    let (first, second) = (first.to_owned(), template.to_owned());
                    let kind = OperatorFindingKind::TwoTemplates { catalog: name.to_owned(), first, second };
                    reader.report_error(catalog.span, kind);
                }
            }
        }
    }

    /// Returns true if the operator uses file-based catalogs.
    pub fn is_enabled(&self) -> bool {
        self.enabled.as_ref().is_some_and(|enabled| enabled.value)
    }

    /// Returns the mapping of each template. The pipelines use the first.
    pub fn mappings_by_template(&self) -> HashMap<&str, &CatalogMapping> {
        let pairs = self.mappings.iter().rev().map(|mapping| (mapping.template.value.as_str(), mapping));
        pairs.collect()
    }
}

/// Reads a mapping. `None` if it does not name a template.
fn read_mapping<'t>(item: &Node<'t>, reader: &mut ConfigReader<'t>) -> Option<CatalogMapping> {
    if !reader.check_map(item, "catalog_mapping") {
        return None;
    }
    reader.check_keys(item, &MAPPING_KEYS, Some(ConfigSeverity::Warning));
    let other = item.members().iter().find(|member| member.key == OTHER_CATALOG_KEY);
    if let Some(other) = other {
        reader.report_error(other.key_span, OperatorFindingKind::OtherSpelling);
    } else if item.get("catalog_names").is_none_or(Node::is_null) {
        let kind = OperatorFindingKind::MissingField("catalog_names");
        reader.report_error(first_line(item), kind);
    }
    let template = reader.read_required_text(item, "template_name");
    let schema = reader.read_required_text(item, "type");
    if let Some(schema) = &schema {
        reader.check_value(schema, "type", &TEMPLATE_SCHEMAS);
    }
    let mut catalogs = reader.read_texts(item, "catalog_names");
    if other.is_some() {
        let known: HashSet<String> = catalogs.iter().map(|catalog| catalog.value.clone()).collect();
        let more = reader.read_texts(item, OTHER_CATALOG_KEY).into_iter();
        catalogs.extend(more.filter(|catalog| !known.contains(&catalog.value)));
    }
    Some(CatalogMapping { template: template?, schema, catalogs })
}

/// Reports a catalog that is not called `v4.NN`. The pipelines make a folder of any name, which no version of
/// OpenShift reads.
fn check_catalog_name(catalog: &Spanned<String>, reader: &mut ConfigReader<'_>) {
    let name = catalog.value.as_str();
    if is_version(name.strip_prefix('v').unwrap_or_default()) {
        return;
    }
    let bare = name.trim().trim_start_matches(['v', 'V']);
    let suggestion = is_version(bare).then(|| format!("v{bare}"));
    let severity = if suggestion.is_some() { ConfigSeverity::Error } else { ConfigSeverity::Warning };
    let kind = OperatorFindingKind::CatalogName { name: name.to_owned(), suggestion };
    reader.report(catalog.span, severity, kind);
}

/// Returns true for two numbers with a dot, such as `4.18`.
pub(super) fn is_version(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}
