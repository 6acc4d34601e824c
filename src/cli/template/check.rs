//! `olmap template check`: comparison of the catalogs of a repository with their templates.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{compare_discovered_templates, compare_given_template};

use crate::cli::{
    discovered_repository::DiscoveredRepository, failure::Failure, format::ReportFormat, image, not_checked,
    out::Out, outcome::Outcome, source,
};
use olm_bundle::template::{Options, TemplateDocument};
use olm_catalog::{
    load::{self, quotable, regular_file},
    template::{Mapping, is_migrated_catalog},
};
use olm_check::review::template::{Agreement, compare_catalog};
use olm_source::{LastChanges, OperatorTemplates, compare_last_changes, operator_templates};
use olmap_report::template::{Row, TemplateCheck, TemplateFinding};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Repository. Its ci.yaml files map templates to catalogs; without them, discovery does, as in
    /// list repository. Default: the repository around the current directory.
    #[arg(value_name = "REPO")]
    repository: Option<PathBuf>,
    /// Only this template: file, git:REV:FILE, or - for standard input.
    #[arg(long, value_name = "TEMPLATE", conflicts_with = "operators")]
    template: Option<PathBuf>,
    /// Catalogs that the template generates: directories, files, images or git:REV:PATH. Default:
    /// those that discovery finds.
    #[arg(long = "catalog", value_name = "CATALOG", num_args = 1.., requires = "template", conflicts_with = "repository")]
    catalogs: Vec<PathBuf>,
    /// Only these operators, by their folders. Can be repeated.
    #[arg(long = "operator", value_name = "NAME")]
    operators: Vec<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

/// Maximum size of a template in bytes.
const MAX_SIZE: u64 = 256 << 20;

pub fn run_template_check(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let rows = match &args.template {
        Some(template) if !args.catalogs.is_empty() => {
            compare_given_template(template, &args.catalogs, &args.images)?
        }
        template => args.repository_rows(template.as_deref())?,
    };
    let checked = TemplateCheck { rows };
    match args.format {
        ReportFormat::Text => out.print(&checked.render_template_check(&out.style))?,
        ReportFormat::Json => out.print(&checked.render_template_json())?,
        ReportFormat::Markdown => out.print(&checked.render_template_comment())?,
    }
    not_checked::report_files(checked.unreadable_files(), out);
    Ok(if checked.fails() { Outcome::Findings } else { Outcome::Fine })
}

impl Args {
    /// Checks the templates of a repository, or one of them.
    fn repository_rows(&self, template: Option<&Path>) -> Result<Vec<Row>, Failure> {
        let current = Path::new(".");
        let root = self.repository.as_deref().unwrap_or(current);
        if let Err(error) = std::fs::read_dir(root) {
            return Err(Failure::new(format!("cannot read {}: {error}", root.display())));
        }
        // In other repositories, a folder with that name has another meaning.
        let operators = operator_templates(root).unwrap_or_default();
        if let Some(name) =
            self.operators.iter().find(|name| !operators.iter().any(|known| &known.operator == *name))
        {
            return Err(Failure::new(format!("no operator {name} with templates")));
        }
        let is_meant = |operator: &&OperatorTemplates| {
            template.is_none() && (self.operators.is_empty() || self.operators.contains(&operator.operator))
        };
        let meant: Vec<&OperatorTemplates> = operators.iter().filter(is_meant).collect();
        let mut rows: Vec<Row> =
            meant.into_par_iter().flat_map_iter(|operator| operator_rows(root, operator)).collect();
        if !self.operators.is_empty() {
            return Ok(rows);
        }
        let discovered = match &self.repository {
            None => DiscoveredRepository::from_current_dir()?,
            Some(root) => DiscoveredRepository::from_folder(root)?,
        };
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let named = template.map(real);
        let mapped: HashSet<PathBuf> = operators
            .iter()
            .flat_map(|operator| operator.templates.iter().filter_map(|name| operator.template_path(name)))
            .map(|path| real(&root.join(path)))
            .collect();
        rows.extend(compare_discovered_templates(&discovered, |found| {
            let path = real(&discovered.relative_path(&found.path));
            named.as_ref().map_or_else(|| !mapped.contains(&path), |named| *named == path)
        }));
        match (template, rows.is_empty()) {
            (Some(template), true) => {
                Err(Failure::new(format!("{} is not a template of this repository", template.display()))
                    .with_hint("give the catalogs that it makes with --catalog"))
            }
            (None, true) => Err(Failure::new(format!("no template in {}", root.display()))
                .with_hint("name a template and its catalogs with --template and --catalog")),
            _ => Ok(rows),
        }
    }
}

/// Returns the rows of one operator: each mapping with its catalogs, then templates without a mapping.
fn operator_rows(repository: &Path, operator: &OperatorTemplates) -> Vec<Row> {
    let row = |template: String, catalog: Option<&String>, finding| Row {
        operator: Some(operator.operator.clone()),
        template,
        catalog: catalog.cloned(),
        finding,
        newer: None,
    };
    let shown = |name: &str| {
        let path = operator.template_path(name);
        path.map_or_else(|| name.to_owned(), |path| path.display().to_string())
    };
    let mut rows = Vec::new();
    if let Some(reason) = &operator.unread {
        let ci = format!("operators/{}/ci.yaml", operator.operator);
        rows.push(row(ci, None, TemplateFinding::Unreadable(reason.clone())));
    }
    for mapping in &operator.mappings {
        for catalog in &mapping.catalogs {
            let finding = compare_mapping(repository, operator, mapping, catalog);
            let newer = committed_last(repository, operator, mapping, catalog, &finding);
            rows.push(Row { newer, ..row(shown(&mapping.template), Some(catalog), finding) });
        }
    }
    rows.extend(operator.unmapped().map(|name| row(shown(name), None, TemplateFinding::NotMapped)));
    rows
}

/// Returns which side was committed last, if both differ. File times are meaningless in CI.
fn committed_last(
    repository: &Path,
    operator: &OperatorTemplates,
    mapping: &Mapping,
    catalog: &str,
    finding: &TemplateFinding,
) -> Option<LastChanges> {
    if !matches!(finding, TemplateFinding::Compared(agreement) if !matches!(agreement, Agreement::Same)) {
        return None;
    }
    let template = repository.join(operator.template_path(&mapping.template)?);
    let published = repository.join(operator.catalog_path(catalog)?);
    let files = std::fs::read_dir(&published).ok()?.flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    compare_last_changes(&template, &files)
}

fn compare_mapping(
    repository: &Path,
    operator: &OperatorTemplates,
    mapping: &Mapping,
    catalog: &str,
) -> TemplateFinding {
    let template = operator.template_path(&mapping.template).map(|path| repository.join(path));
    let Some(template) = template.filter(|path| path.is_file()) else { return TemplateFinding::NoTemplate };
    let published = operator.catalog_path(catalog).map(|path| repository.join(path));
    let Some(published) = published.filter(|path| path.is_dir()) else { return TemplateFinding::NoCatalog };
    // The user did not name the file, and messages would quote its content.
    if let Err(why) = quotable::check_quotable(&template) {
        return TemplateFinding::Unreadable(why.to_string());
    }
    let text = match regular_file::read_regular(&template, MAX_SIZE) {
        Ok(text) => text,
        Err(error) => return TemplateFinding::Unreadable(error.to_string()),
    };
    let published = match load::open_catalog(published) {
        Ok(published) => published,
        Err(error) => return TemplateFinding::Unreadable(error.to_string()),
    };
    if let Some(first) = source::first_unread(&published) {
        return TemplateFinding::Unreadable(format!("opm cannot read the catalog: {first}"));
    }
    let agreement = match TemplateDocument::parse(&text, mapping.kind) {
        Ok(document) => {
            compare_catalog(&document, published, Options { migrate: is_migrated_catalog(catalog) })
        }
        Err(faults) => Agreement::Refused(faults),
    };
    TemplateFinding::Compared(agreement)
}
