//! Comparison of templates with the catalogs that are made from them, as rows of output.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::faults::TemplateInput;
use crate::cli::{discovered_repository::DiscoveredRepository, failure::Failure, image, source};
use olm_bundle::template::{Options, TemplateDocument, TemplateErrorKind};
use olm_catalog::{
    Catalog,
    load::{self, Progress, quotable, regular_file},
};
use olm_check::review::template::{Agreement, compare_own_packages};
use olm_source::{
    compare_last_changes,
    discovery::{FoundTemplate, TemplateFormat},
};
use olmap_report::template::{Row, TemplateFinding};

/// Maximum size of a template in bytes.
const MAX_TEMPLATE: u64 = 256 << 20;

/// Schema of templates that list other templates.
const COMPOSITE: &str = "olm.composite";

/// Compares the selected templates of a repository with their catalogs.
pub fn compare_discovered_templates(
    discovered: &DiscoveredRepository,
    is_meant: impl Fn(&FoundTemplate) -> bool,
) -> Vec<Row> {
    let templates: Vec<&FoundTemplate> =
        discovered.contents.templates.iter().filter(|template| is_meant(template)).collect();
    let covered_catalogs: BTreeSet<&str> = discovered
        .contents
        .templates
        .iter()
        .filter(|template| template.format != TemplateFormat::Composite)
        .flat_map(|template| template.catalogs.iter().map(String::as_str))
        .collect();
    let rows = templates.into_par_iter().flat_map_iter(|template| {
        let shown = discovered.relative_path(&template.path);
        if template.format == TemplateFormat::Composite {
            let is_covered = template.catalogs.iter().all(|path| covered_catalogs.contains(path.as_str()));
            return vec![build_row(&shown, None, TemplateFinding::Composite { is_covered })];
        }
        if template.catalogs.is_empty() {
            return vec![build_row(&shown, None, TemplateFinding::NoCatalog)];
        }
        let catalogs = template.catalogs.iter().map(|path| discovered.relative_path(path));
        catalogs.map(|catalog| check_on_disk(&shown, &catalog)).collect()
    });
    rows.collect()
}

/// Compares a template with the given catalogs.
///
/// # Errors
///
/// Fails if one of them cannot be opened.
pub fn compare_given_template(
    template: &Path,
    catalogs: &[PathBuf],
    images: &image::Args,
) -> anyhow::Result<Vec<Row>> {
    let paths: Vec<PathBuf> = [template.to_owned()].into_iter().chain(catalogs.iter().cloned()).collect();
    source::check_stdin(&paths)?;
    let input = TemplateInput::load(template)?;
    let mut rows = Vec::new();
    for path in catalogs {
        let catalog = source::open_catalog(Some(path), images)?;
        if catalog.template().is_some() {
            let words = format!("{} is a template, not a catalog", path.display());
            return Err(Failure::new(words).with_hint("--catalog takes what the template makes").into());
        }
        rows.push(compare_row(template, path, &input.bytes, catalog));
    }
    Ok(rows)
}

fn build_row(template: &Path, catalog: Option<&Path>, finding: TemplateFinding) -> Row {
    Row {
        operator: None,
        template: template.display().to_string(),
        catalog: catalog.map(|catalog| catalog.display().to_string()),
        finding,
        newer: None,
    }
}

/// Compares a discovered template with a catalog. Failure to read one of them is a row too.
fn check_on_disk(template: &Path, catalog: &Path) -> Row {
    let unread = |reason: String| build_row(template, Some(catalog), TemplateFinding::Unreadable(reason));
    // The user did not name the file, and messages would quote its content.
    if let Err(why) = quotable::check_quotable(template) {
        return unread(why.to_string());
    }
    let text = match regular_file::read_regular(template, MAX_TEMPLATE) {
        Ok(text) => text,
        Err(error) => return unread(error.to_string()),
    };
    match load::open_catalog(catalog, &Progress::default()) {
        Ok(published) => compare_row(template, catalog, &text, published),
        Err(error) => unread(error.to_string()),
    }
}

fn compare_row(template: &Path, path: &Path, text: &[u8], published: Catalog) -> Row {
    if let Some(first) = source::first_unread(&published) {
        let reason = format!("opm cannot read the catalog: {first}");
        return build_row(template, Some(path), TemplateFinding::Unreadable(reason));
    }
    let files: Vec<PathBuf> = published.files().iter().filter_map(|file| file.disk.clone()).collect();
    let agreement = match TemplateDocument::parse(text, None) {
        Ok(document) => compare_own_packages(&document, published, Options::default()),
        Err(faults) => {
            let is_composite = faults
                .0
                .iter()
                .any(|fault| matches!(&*fault.kind, TemplateErrorKind::UnknownSchema(schema) if schema == COMPOSITE));
            if is_composite {
                return build_row(template, Some(path), TemplateFinding::Composite { is_covered: false });
            }
            Agreement::Refused(faults)
        }
    };
    let newer = match &agreement {
        Agreement::Same => None,
        _ => compare_last_changes(template, &files),
    };
    Row { newer, ..build_row(template, Some(path), TemplateFinding::Compared(agreement)) }
}
