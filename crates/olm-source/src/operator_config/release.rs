//! `operators/NAME/VERSION/release-config.yaml`: how a new bundle enters the templates.

use std::{collections::BTreeSet, path::Path};

use olm_catalog::{Node, ReadError, Span, Spanned, Value};
use olm_version::blang;

use super::{
    CatalogMapping, ConfigReader, ConfigSeverity, OperatorFinding, OperatorFindingKind,
    operator::OperatorState, suggest, template_content::TemplateContent,
};

/// Keys of the file. Others are rejected.
const KEYS: [&str; 2] = ["catalog_templates", "merge"];
/// Keys of an item of `catalog_templates`. Others are ignored.
const TEMPLATE_KEYS: [&str; 6] =
    ["template_name", "channels", "defaultChannel", "replaces", "skips", "skipRange"];
/// Lists of a semver template, in the spelling that the pipelines require.
const LISTS: [&str; 3] = ["Candidate", "Fast", "Stable"];

/// Fields of a `release-config.yaml`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReleaseConfig {
    /// `catalog_templates`
    pub templates: Vec<ReleaseTemplate>,
}

/// Item of `catalog_templates`: the bundle's place in one template.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReleaseTemplate {
    /// `template_name`
    pub template: Spanned<String>,
    /// `channels`: channels of a basic template, or lists of a semver template.
    pub channels: Vec<Spanned<String>>,
    /// `defaultChannel` of a new template.
    pub default_channel: Option<Spanned<String>>,
    /// `replaces`
    pub replaces: Option<Spanned<String>>,
    /// `skips`
    pub skips: Vec<Spanned<String>>,
    /// `skipRange`
    pub skip_range: Option<Spanned<String>>,
}

impl ReleaseConfig {
    /// Reads a file. `path` is its path in the repository. The findings are those of the file alone.
    ///
    /// # Errors
    ///
    /// If the text is not valid YAML.
    pub fn parse_release(path: &Path, text: &[u8]) -> Result<(Self, Vec<OperatorFinding>), ReadError> {
        let mut reader = ConfigReader::with_text(path, text);
        let release = Self::read_release(&mut reader)?;
        Ok((release, reader.findings))
    }

    fn read_release(reader: &mut ConfigReader<'_>) -> Result<Self, ReadError> {
        let root = reader.file.parse_document()?;
        let mut release = Self::default();
        if root.is_null() {
            // The pipelines take an empty file for an absent one.
            return Ok(release);
        }
        if !reader.check_map(&root, "release-config.yaml") {
            return Ok(release);
        }
        reader.check_keys(&root, &KEYS, Some(ConfigSeverity::Error));
        reader.read_flag(&root, "merge");
        let items = reader.read_items(&root, "catalog_templates");
        match root.get("catalog_templates").filter(|value| !value.is_null()) {
            None => {
                let kind = OperatorFindingKind::MissingField("catalog_templates");
                reader.report_error(super::first_line(&root), kind);
            }
            Some(value) if matches!(&value.value, Value::List(items) if items.is_empty()) => {
                reader.report_error(value.span, OperatorFindingKind::EmptyList("catalog_templates"));
            }
            Some(_) => {}
        }
        for item in items {
            release.templates.extend(read_template(item, reader));
        }
        Ok(release)
    }

    /// Reads the file of a bundle and checks it against the state of its operator.
    ///
    /// # Errors
    ///
    /// If the text is not valid YAML.
    pub(super) fn check_release(
        path: &Path,
        text: &[u8],
        bundle: &str,
        state: &OperatorState<'_>,
    ) -> Result<CheckedRelease, ReadError> {
        let mut reader = ConfigReader::with_text(path, text);
        let release = Self::read_release(&mut reader)?;
        let mut checked = CheckedRelease::default();
        if let Some(first) = release.templates.first()
            && !state.config.is_enabled()
        {
            reader.report_error(first.template.span, OperatorFindingKind::ReleaseNotEnabled);
        }
        for template in &release.templates {
            let name = template.template.value.as_str();
            let Some(mapping) = state.mappings.get(name) else {
                let suggestion = suggest(name, state.mappings.keys().copied());
                let kind = OperatorFindingKind::NoMapping { template: name.to_owned(), suggestion };
                reader.report_error(template.template.span, kind);
                continue;
            };
            let content = state.templates.get(name);
            checked.templates.insert(name.to_owned());
            let is_semver = is_semver_template(mapping, content);
            if is_semver {
                check_semver_fields(template, &mut reader);
            }
            if content.is_some_and(|content| content.has_bundle(bundle, state.images_of(bundle))) {
                checked.is_applied = true;
                continue;
            }
            let Some(content) = content else { continue };
            if is_semver {
                check_lists(template, content, &mut reader);
            } else {
                check_channels(template, content, bundle, state, &mut reader);
            }
        }
        checked.findings = reader.findings;
        Ok(checked)
    }
}

/// Result of checking a `release-config.yaml`.
#[derive(Debug, Default)]
pub(super) struct CheckedRelease {
    pub findings: Vec<OperatorFinding>,
    /// Mapped templates that the file names.
    pub templates: BTreeSet<String>,
    /// True if one of them already has the bundle.
    pub is_applied: bool,
}

/// Reads an item. `None` if it does not name a template.
fn read_template<'t>(item: &Node<'t>, reader: &mut ConfigReader<'t>) -> Option<ReleaseTemplate> {
    if !reader.check_map(item, "catalog_templates") {
        return None;
    }
    reader.check_keys(item, &TEMPLATE_KEYS, Some(ConfigSeverity::Warning));
    let template = reader.read_required_text(item, "template_name");
    if item.get("channels").is_none_or(Node::is_null) {
        let kind = OperatorFindingKind::MissingField("channels");
        reader.report_error(super::first_line(item), kind);
    }
    let channels = reader.read_texts(item, "channels");
    let default_channel = reader.read_text(item, "defaultChannel");
    if let Some(default) = &default_channel
        && !channels.iter().any(|channel| channel.value == default.value)
    {
        reader.report_error(default.span, OperatorFindingKind::DefaultChannel(default.value.clone()));
    }
    let skip_range = reader.read_text(item, "skipRange");
    if let Some(range) = &skip_range
        && let Err(error) = blang::Range::parse(&range.value)
    {
        reader.report_error(range.span, OperatorFindingKind::BadRange(error.to_string()));
    }
    Some(ReleaseTemplate {
        template: template?,
        channels,
        default_channel,
        replaces: reader.read_text(item, "replaces"),
        skips: reader.read_texts(item, "skips"),
        skip_range,
    })
}

/// Returns true if the pipelines add the bundle to lists. They go by the mapping.
pub(super) fn is_semver_template(mapping: &CatalogMapping, content: Option<&TemplateContent>) -> bool {
    match &mapping.schema {
        Some(schema) => schema.value == "olm.semver",
        None => content.is_some_and(|content| content.schema == "olm.semver"),
    }
}

/// Reports fields that do not fit a semver template.
fn check_semver_fields(template: &ReleaseTemplate, reader: &mut ConfigReader<'_>) {
    for channel in &template.channels {
        reader.check_value(channel, "channels", &LISTS);
    }
    let edges: [(&'static str, Option<Span>); 3] = [
        ("replaces", template.replaces.as_ref().map(|replaces| replaces.span)),
        ("skips", template.skips.first().map(|skip| skip.span)),
        ("skipRange", template.skip_range.as_ref().map(|range| range.span)),
    ];
    for (field, span) in edges {
        if let Some(span) = span {
            let kind = OperatorFindingKind::IgnoredEdge { field, template: template.template.value.clone() };
            reader.report(span, ConfigSeverity::Warning, kind);
        }
    }
}

/// Reports lists that the template does not have in the spelling of the pipelines.
fn check_lists(release: &ReleaseTemplate, content: &TemplateContent, reader: &mut ConfigReader<'_>) {
    let template = || release.template.value.clone();
    for channel in release.channels.iter().filter(|channel| LISTS.contains(&channel.value.as_str())) {
        let list = channel.value.clone();
        let named = content.lists.iter().find(|written| written.name == list);
        let other = content.lists.iter().find(|written| written.name.eq_ignore_ascii_case(&list));
        let (severity, kind) = match (named, other) {
            (None, None) => {
                (ConfigSeverity::Note, OperatorFindingKind::NewList { list, template: template() })
            }
            (None, Some(other)) => {
                let (written, template) = (other.name.clone(), template());
                (ConfigSeverity::Error, OperatorFindingKind::ListSpelling { list, written, template })
            }
            (Some(named), _) => match &named.bundles_key {
                Some(key) if key != "Bundles" => {
                    let (written, template) = (key.clone(), template());
                    (ConfigSeverity::Error, OperatorFindingKind::BundlesSpelling { list, written, template })
                }
                _ => continue,
            },
        };
        reader.report(channel.span, severity, kind);
    }
}

/// Reports channels that a basic template does not have, and edges to unknown bundles.
fn check_channels(
    release: &ReleaseTemplate,
    content: &TemplateContent,
    bundle: &str,
    state: &OperatorState<'_>,
    reader: &mut ConfigReader<'_>,
) {
    let template = release.template.value.as_str();
    for channel in release.channels.iter().filter(|channel| !content.channels.contains_key(&channel.value)) {
        let suggestion = suggest(&channel.value, content.channels.keys().map(String::as_str));
        let (name, template) = (channel.value.clone(), template.to_owned());
        let kind = OperatorFindingKind::NewChannel { channel: name, template, suggestion };
        reader.report(channel.span, ConfigSeverity::Note, kind);
    }
    let replaces = release.replaces.iter().map(|replaces| ("replaces", replaces));
    for (field, edge) in replaces.chain(release.skips.iter().map(|skip| ("skips", skip))) {
        let name = edge.value.as_str();
        let is_known = name != bundle
            && (content.has_bundle(name, state.images_of(name)) || state.directories.contains_key(name));
        if !is_known {
            let directories = state.directories.keys().map(String::as_str);
            let known = content.bundle_names().chain(directories).filter(|known| *known != bundle);
            let (bundle, template) = (name.to_owned(), template.to_owned());
            let suggestion = suggest(name, known);
            let kind = OperatorFindingKind::UnknownBundle { field, bundle, template, suggestion };
            reader.report(edge.span, ConfigSeverity::Warning, kind);
        }
    }
}
