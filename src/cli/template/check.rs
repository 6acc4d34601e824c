//! `olmap template check`: comparison of the catalogs of a repository with their templates.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{MAX_TEMPLATE, TemplateInput};
use crate::cli::repository::DiscoveredRepository;
use crate::cli::{Failure, Out, Outcome, ReportFormat, image, out, output, source};
use olm_bundle::registry::DirectoryContents;
use olm_bundle::template::{Options, TemplateDocument, TemplateErrorKind};
use olm_catalog::load::{self, quotable, regular_file};
use olm_catalog::template::{Mapping, is_migrated_catalog};
use olm_catalog::{BundleSource, Catalog, Node};
use olm_check::review::template::{Agreement, compare_catalog, compare_own_packages};
use olm_source::discovery::{FoundTemplate, TemplateFormat};
use olm_source::operator_config::{OperatorCatalogs, catalog_folders, check_operator, configured_operators};
use olm_source::{LastChanges, OperatorTemplates, bundles, compare_last_changes, read_bundle_directory};
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

impl Args {
    /// Checks the templates of a repository and the files of its operators, or one template.
    fn check_repository(&self, template: Option<&Path>) -> Result<TemplateCheck, Failure> {
        let current = Path::new(".");
        let root = self.repository.as_deref().unwrap_or(current);
        if let Err(error) = std::fs::read_dir(root) {
            return Err(Failure::new(format!("cannot read {}: {error}", root.display())));
        }
        let operators = configured_operators(root);
        let is_operator =
            |name: &&String| operators.iter().any(|known| known.operator == **name && known.has_templates());
        if let Some(name) = self.operators.iter().find(|name| !is_operator(name)) {
            return Err(Failure::new(format!("no operator {name} with templates")));
        }
        let is_meant = |operator: &&OperatorTemplates| {
            template.is_none() && (self.operators.is_empty() || self.operators.contains(&operator.operator))
        };
        let meant: Vec<&OperatorTemplates> = operators.iter().filter(is_meant).collect();
        let mut checked = TemplateCheck::default();
        let checks: Vec<TemplateCheck> =
            meant.into_par_iter().map(|operator| check_files_of_operator(root, operator)).collect();
        for TemplateCheck { rows, findings } in checks {
            checked.rows.extend(rows);
            checked.findings.extend(findings);
        }
        if !self.operators.is_empty() {
            return Ok(checked);
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
        checked.rows.extend(compare_discovered_templates(&discovered, |found| {
            let path = real(&discovered.relative_path(&found.path));
            named.as_ref().map_or_else(|| !mapped.contains(&path), |named| *named == path)
        }));
        match (template, checked.rows.is_empty() && checked.findings.is_empty()) {
            (Some(template), true) => {
                Err(Failure::new(format!("{} is not a template of this repository", template.display()))
                    .with_hint("give the catalogs that it makes with --catalog"))
            }
            (None, true) => Err(Failure::new(format!("no template in {}", root.display()))
                .with_hint("name a template and its catalogs with --template and --catalog")),
            _ => Ok(checked),
        }
    }
}

/// Schema of templates that list other templates.
const COMPOSITE: &str = "olm.composite";

pub fn run_template_check(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let checked = match &args.template {
        Some(template) if !args.catalogs.is_empty() => {
            let rows = compare_given_template(template, &args.catalogs, &args.images)?;
            TemplateCheck { rows, findings: Vec::new() }
        }
        template => args.check_repository(template.as_deref())?,
    };
    match args.format {
        ReportFormat::Text => out.print(&checked.render_template_check(&out.style))?,
        ReportFormat::Json | ReportFormat::Yaml => {
            out.print(&output::encode_json(args.format, checked.render_template_json()))?;
        }
        ReportFormat::Markdown => out.print(&checked.render_template_comment())?,
    }
    out::report_files(checked.unreadable_files(), out);
    Ok(checked.fails().into())
}

/// Checks one operator: each mapping with its catalogs, templates without a mapping, then its other files.
fn check_files_of_operator(repository: &Path, operator: &OperatorTemplates) -> TemplateCheck {
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
    let catalogs = open_operator_catalogs(repository, operator);
    let mut rows = Vec::new();
    if let Some(reason) = &operator.unread {
        let ci = format!("operators/{}/ci.yaml", operator.operator);
        rows.push(row(ci, None, TemplateFinding::Unreadable(reason.clone())));
    }
    for mapping in &operator.mappings {
        for catalog in &mapping.catalogs {
            let finding = compare_mapping(repository, operator, mapping, catalog, &catalogs);
            let newer = committed_last(repository, operator, mapping, catalog, &finding);
            rows.push(Row { newer, ..row(shown(&mapping.template), Some(catalog), finding) });
        }
    }
    rows.extend(operator.unmapped().map(|name| row(shown(name), None, TemplateFinding::NotMapped)));
    let report = check_operator(repository, operator, &catalogs);
    for (path, reason) in report.unreadable {
        let path = path.display().to_string();
        if !rows.iter().any(|row| row.template == path) {
            rows.push(row(path, None, TemplateFinding::Unreadable(reason)));
        }
    }
    TemplateCheck { rows, findings: report.findings }
}

/// Opens the catalogs of an operator. One that opm cannot read completely is an error.
fn open_operator_catalogs(repository: &Path, operator: &OperatorTemplates) -> OperatorCatalogs {
    let open = |name: String| {
        let path = repository.join(operator.catalog_path(&name)?);
        let catalog = load::open_catalog(path).map_err(|error| error.to_string());
        let catalog = catalog.and_then(|catalog| match source::first_unread(&catalog) {
            Some(first) => Err(format!("opm cannot read the catalog: {first}")),
            None => Ok(catalog),
        });
        Some((name, catalog))
    };
    catalog_folders(repository, operator).into_iter().filter_map(open).collect::<BTreeMap<_, _>>()
}

/// Returns which side was committed last, if both differ. File times are meaningless in CI.
fn committed_last(
    repository: &Path,
    operator: &OperatorTemplates,
    mapping: &Mapping,
    catalog: &str,
    finding: &TemplateFinding,
) -> Option<LastChanges> {
    if !matches!(
        finding,
        TemplateFinding::Compared(
            Agreement::Differs(_) | Agreement::UnknownImages(_) | Agreement::Refused(_)
        )
    ) {
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
    catalogs: &OperatorCatalogs,
) -> TemplateFinding {
    let template = operator.template_path(&mapping.template).map(|path| repository.join(path));
    let Some(template) = template.filter(|path| path.is_file()) else { return TemplateFinding::NoTemplate };
    let Some(published) = catalogs.get(catalog) else { return TemplateFinding::NoCatalog };
    let text = match read_template(&template) {
        Ok(text) => text,
        Err(reason) => return TemplateFinding::Unreadable(reason),
    };
    let published = match published {
        Ok(published) => published.clone(),
        Err(reason) => return TemplateFinding::Unreadable(reason.clone()),
    };
    let agreement = match TemplateDocument::parse(&text, mapping.kind) {
        Ok(document) => {
            let options = Options { migrate: is_migrated_catalog(catalog) };
            let folder = repository.join("operators").join(&operator.operator);
            compare_catalog(&document, published, options, &|bundle| read_csv(&folder, bundle))
        }
        Err(faults) => Agreement::Refused(faults),
    };
    TemplateFinding::Compared(agreement)
}

/// Reads the ClusterServiceVersion of a bundle in an operator's folder.
fn read_csv(folder: &Path, bundle: &str) -> Option<Node<'static>> {
    let version = bundle.split_once(".v").map_or("", |(_, version)| version);
    let directory = bundles::find_directory(&BundleSource::Operator(folder.to_owned()), bundle, version)?;
    quotable::check_quotable(&directory).ok()?;
    let tree = read_bundle_directory(&directory).ok()?;
    let contents = DirectoryContents::from_tree(&tree);
    contents.csv().map(|csv| csv.node().detached())
}

/// Compares the selected templates of a repository with their catalogs.
fn compare_discovered_templates(
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
fn compare_given_template(
    template: &Path,
    catalogs: &[PathBuf],
    images: &image::Args,
) -> anyhow::Result<Vec<Row>> {
    source::check_stdin(catalogs.iter().map(PathBuf::as_path).chain([template]))?;
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
    match read_both(template, catalog) {
        Ok((text, published)) => compare_row(template, catalog, &text, published),
        Err(reason) => build_row(template, Some(catalog), TemplateFinding::Unreadable(reason)),
    }
}

/// Reads a template that the user did not name, and a catalog.
fn read_both(template: &Path, catalog: &Path) -> Result<(Vec<u8>, Catalog), String> {
    let text = read_template(template)?;
    let catalog = load::open_catalog(catalog).map_err(|error| error.to_string())?;
    Ok((text, catalog))
}

/// Reads a template that the user did not name. Messages would quote its content.
fn read_template(template: &Path) -> Result<Vec<u8>, String> {
    quotable::check_quotable(template).map_err(|why| why.to_string())?;
    regular_file::read_regular(template, MAX_TEMPLATE).map_err(|error| error.to_string())
}

fn compare_row(template: &Path, path: &Path, text: &[u8], published: Catalog) -> Row {
    if let Some(first) = source::first_unread(&published) {
        let reason = format!("opm cannot read the catalog: {first}");
        return build_row(template, Some(path), TemplateFinding::Unreadable(reason));
    }
    let files: Vec<PathBuf> = published.files().iter().filter_map(|file| file.disk.clone()).collect();
    let agreement = match TemplateDocument::parse(text, None) {
        Ok(document) => compare_own_packages(&document, published, Options::default(), &|_| None),
        Err(faults) => {
            let is_composite = |kind: &TemplateErrorKind| matches!(kind, TemplateErrorKind::UnknownSchema(schema) if schema == COMPOSITE);
            if faults.0.iter().any(|fault| is_composite(&fault.kind)) {
                return build_row(template, Some(path), TemplateFinding::Composite { is_covered: false });
            }
            Agreement::Refused(faults)
        }
    };
    let newer = match &agreement {
        Agreement::Same | Agreement::SameExceptDescription(_) => None,
        _ => compare_last_changes(template, &files),
    };
    Row { newer, ..build_row(template, Some(path), TemplateFinding::Compared(agreement)) }
}
