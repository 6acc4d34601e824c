//! Changes of an operator's files, as text: a new `release-config.yaml`, and one more catalog in `ci.yaml`.

use std::path::Path;

use olm_catalog::{Node, ReadError, Span, text::emit::write_inline_scalar};

use super::{
    CI_FILE, CiConfig, ConfigReader, ConfigSeverity, OperatorFinding, RELEASE_FILE, ReleaseConfig,
    ci::is_version, operator::OperatorState, release::is_semver_template,
};

/// Place of a new bundle in one template.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReleaseEntry {
    /// File name of the template.
    pub template: String,
    /// Channels of a basic template; `Candidate`, `Fast` or `Stable` of a semver template.
    pub channels: Vec<String>,
    /// Bundle that the new one replaces; only in basic templates.
    pub replaces: Option<String>,
    /// Bundles that the new one skips; only in basic templates.
    pub skips: Vec<String>,
    /// Versions that the new bundle skips; only in basic templates.
    pub skip_range: Option<String>,
}

/// Writes a `release-config.yaml`. Templates that generate their edges get none.
///
/// # Errors
///
/// The findings that make the pipelines reject the file.
pub fn write_release(config: &CiConfig, entries: &[ReleaseEntry]) -> Result<String, Vec<OperatorFinding>> {
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| write_inline_scalar(text)).collect();
        format!("[{}]", texts.join(", "))
    };
    let state = OperatorState::from_config(config);
    let mut text = "---\ncatalog_templates:\n".to_owned();
    for entry in entries {
        text += &format!("  - template_name: {}\n", write_inline_scalar(&entry.template));
        text += &format!("    channels: {}\n", list(&entry.channels));
        let mapping = state.mappings.get(entry.template.as_str());
        if mapping.is_some_and(|mapping| is_semver_template(mapping, None)) {
            continue;
        }
        if let Some(replaces) = &entry.replaces {
            text += &format!("    replaces: {}\n", write_inline_scalar(replaces));
        }
        if !entry.skips.is_empty() {
            text += &format!("    skips: {}\n", list(&entry.skips));
        }
        if let Some(range) = &entry.skip_range {
            text += &format!("    skipRange: {}\n", write_inline_scalar(range));
        }
    }
    let checked = ReleaseConfig::check_release(Path::new(RELEASE_FILE), text.as_bytes(), "", &state);
    // The text is valid YAML.
    let mut findings = checked.unwrap_or_default().findings;
    findings.retain(|finding| finding.severity == ConfigSeverity::Error);
    if findings.is_empty() { Ok(text) } else { Err(findings) }
}

/// Reason why a catalog cannot be added to a mapping.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddCatalogError {
    /// The file is not valid YAML.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// The catalog is not called like a version of OpenShift.
    #[error("`{0}` is not a catalog such as v4.18")]
    Name(String),
    /// No mapping names the template.
    #[error("no mapping of ci.yaml names template {0}")]
    NoMapping(String),
    /// The catalog has a template.
    #[error("catalog {catalog} is already mapped to template {template}")]
    Mapped {
        /// Name of the catalog.
        catalog: String,
        /// Name of its template.
        template: String,
    },
    /// The list cannot be extended without changing other parts, such as a list behind an alias.
    #[error("the catalogs of template {0} are written in a way that only a person can extend")]
    Unsupported(String),
}

/// Adds a catalog to the mapping of a template in the text of a `ci.yaml`. All other bytes stay.
///
/// # Errors
///
/// If the mapping does not exist, or if its list cannot be extended.
pub fn add_catalog(text: &[u8], template: &str, catalog: &str) -> Result<Vec<u8>, AddCatalogError> {
    if !catalog.strip_prefix('v').is_some_and(is_version) {
        return Err(AddCatalogError::Name(catalog.to_owned()));
    }
    let path = Path::new(CI_FILE);
    let (config, _) = CiConfig::parse_ci(path, text)?;
    let is_mapped = |name: &str| {
        config.mappings.iter().find(|mapping| mapping.catalogs.iter().any(|known| known.value == name))
    };
    if let Some(mapping) = is_mapped(catalog) {
        let template = mapping.template.value.clone();
        return Err(AddCatalogError::Mapped { catalog: catalog.to_owned(), template });
    }
    let reader = ConfigReader::with_text(path, text);
    let root = reader.file.parse_document()?;
    let items = root.get("fbc").and_then(|fbc| fbc.get("catalog_mapping")).map(Node::items);
    let is_named =
        |item: &&Node| item.get("template_name").and_then(Node::as_str).is_some_and(|name| name == template);
    let mapping = items.unwrap_or_default().iter().find(is_named);
    let mapping = mapping.ok_or_else(|| AddCatalogError::NoMapping(template.to_owned()))?;
    let unsupported = || AddCatalogError::Unsupported(template.to_owned());
    let list =
        mapping.get("catalog_names").or_else(|| mapping.get("catalogs_names")).ok_or_else(unsupported)?;
    let added = insert_item(text, list, catalog).ok_or_else(unsupported)?;
    let (changed, _) = CiConfig::parse_ci(path, &added)?;
    if mapped_catalogs(&changed, None) == mapped_catalogs(&config, Some((template, catalog))) {
        Ok(added)
    } else {
        Err(unsupported())
    }
}

/// Returns the templates with their catalogs. `more` is a catalog for the first mapping of a template.
fn mapped_catalogs<'c>(config: &'c CiConfig, more: Option<(&str, &'c str)>) -> Vec<(&'c str, Vec<&'c str>)> {
    let mut more = more;
    let mappings = config.mappings.iter().map(|mapping| {
        let mut catalogs: Vec<&str> = mapping.catalogs.iter().map(|catalog| catalog.value.as_str()).collect();
        if let Some((_, catalog)) = more.take_if(|(template, _)| *template == mapping.template.value) {
            catalogs.push(catalog);
        }
        (mapping.template.value.as_str(), catalogs)
    });
    mappings.collect()
}

/// Returns the text with one more item at the end of a list, in the form of the last item.
fn insert_item(text: &[u8], list: &Node, item: &str) -> Option<Vec<u8>> {
    let is_flow = text.get(list.span.range())?.first() == Some(&b'[');
    let insert = |at: usize, new: &str| {
        let (before, after) = text.split_at_checked(at)?;
        Some([before, new.as_bytes(), after].concat())
    };
    let Some(last) = list.items().last().map(|last| last.span) else {
        return if is_flow { insert(list.span.range().start + 1, item) } else { None };
    };
    let quoted = match text.get(last.range())?.first()? {
        quote @ (b'"' | b'\'') => format!("{0}{item}{0}", char::from(*quote)),
        _ => item.to_owned(),
    };
    if is_flow {
        return insert(last.range().end, &format!(", {quoted}"));
    }
    let indent = block_indent(text, last)?;
    let rest = text.get(last.range().end..)?;
    let line_end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let is_crlf = rest.get(..line_end)?.ends_with(b"\r");
    let at = last.range().end + line_end - usize::from(is_crlf);
    insert(at, &format!("{}{indent}{quoted}", if is_crlf { "\r\n" } else { "\n" }))
}

/// Returns the text before an item of a block list, from the beginning of its line. `None` if it is more than the
/// hyphen.
fn block_indent(text: &[u8], item: Span) -> Option<&str> {
    let before = text.get(..item.range().start)?;
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let indent = std::str::from_utf8(before.get(start..)?).ok()?;
    let is_hyphen = indent.trim_matches(' ') == "-" && indent.ends_with(' ');
    is_hyphen.then_some(indent)
}
