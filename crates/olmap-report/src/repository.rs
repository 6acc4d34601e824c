//! Contents of a repository, as JSON and as text.

use std::fmt::Write as _;

use serde::Serialize;

use super::escape;
use olm_catalog::openshift::OpenShift;
use olm_source::discovery::{Discovery, FoundCatalog, FoundTemplate};

#[derive(Serialize)]
struct RepositoryRow<'d> {
    catalogs: Vec<CatalogRow<'d>>,
    templates: Vec<TemplateRow<'d>>,
    bundles: Vec<&'d str>,
    open: &'static str,
}

#[derive(Serialize)]
struct CatalogRow<'d> {
    path: &'d str,
    openshift: Option<String>,
    openshift_versions: Vec<String>,
    evidence: String,
}

#[derive(Serialize)]
struct TemplateRow<'d> {
    path: &'d str,
    kind: &'static str,
    makes: &'d [String],
    evidence: String,
}

/// Returns a repository as a value for JSON.
pub fn repository_json(found: &Discovery) -> impl Serialize + use<'_> {
    let catalog = |catalog: &'_ FoundCatalog| {
        let versions: Vec<String> = catalog.openshift.iter().map(OpenShift::to_string).collect();
        (versions.first().cloned(), versions)
    };
    RepositoryRow {
        catalogs: found
            .catalogs
            .iter()
            .map(|found| {
                let (openshift, openshift_versions) = catalog(found);
                CatalogRow {
                    path: &found.path,
                    openshift,
                    openshift_versions,
                    evidence: found.evidence.to_string(),
                }
            })
            .collect(),
        templates: found
            .templates
            .iter()
            .map(|found| TemplateRow {
                path: &found.path,
                kind: found.format.name(),
                makes: &found.catalogs,
                evidence: found.evidence.to_string(),
            })
            .collect(),
        bundles: found.bundles.iter().map(|bundle| bundle.path.as_str()).collect(),
        open: found.open_kind().name(),
    }
}

/// Returns a repository as text: what was found, and why.
pub fn render_repository(found: &Discovery) -> String {
    let mut text = String::new();
    let mut section = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(text, "{title}");
        for line in lines {
            let _ = writeln!(text, "  {}", escape::escape_line(&line));
        }
    };
    section("Catalogs", found.catalogs.iter().map(catalog_line).collect());
    section("Templates", found.templates.iter().map(template_line).collect());
    let bundle_lines = found.bundles.iter().map(|bundle| format!("{}: {}", bundle.path, bundle.evidence));
    section("Bundles", bundle_lines.collect());
    if text.is_empty() {
        text.push_str("no catalog, template or bundle found\n");
    }
    text
}

fn catalog_line(catalog: &FoundCatalog) -> String {
    let versions: Vec<String> = catalog.openshift.iter().map(OpenShift::to_string).collect();
    let versions = match (&catalog.version_evidence, versions.as_slice()) {
        (Some(evidence), [_, ..]) => format!("; for OpenShift {} {evidence}", versions.join(", ")),
        _ => String::new(),
    };
    format!("{}: {}{versions}", catalog.path, catalog.evidence)
}

fn template_line(template: &FoundTemplate) -> String {
    let kind = template.format.name();
    if template.catalogs.is_empty() {
        return format!("{}: {kind}; {}", template.path, template.evidence);
    }
    format!("{}: {kind}; makes {} ({})", template.path, template.catalogs.join(", "), template.evidence)
}
