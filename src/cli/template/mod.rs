//! `olmap template`: renders templates as opm does, derives templates from catalogs, and compares both.

mod check;
mod convert;
mod render;
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use rayon::prelude::*;

use super::{out::Out, outcome::Outcome};
use crate::cli::{
    discovered_repository::DiscoveredRepository,
    failure::{self, Failure},
    image, revision, source,
};
use olm_bundle::template::{Options, TemplateDocument, TemplateErrorKind, TemplateErrors};
use olm_catalog::{
    Catalog, Span,
    load::{self, quotable, regular_file},
};
use olm_check::review::template::{Agreement, compare_own_packages};
use olm_source::{
    compare_last_changes,
    discovery::{FoundTemplate, TemplateFormat},
};
use olmap_report::{
    escape,
    template::{Row, TemplateFinding},
};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap template render semver.yaml --bundles catalog
  olmap template render basic.yaml --bundles catalog -o mermaid
  olmap template convert basic catalog.yaml     a basic template of a catalog
  olmap template convert semver catalog         a semver template, if possible
  olmap template check                          the repository you are in, for CI
  olmap template check --template t.yaml --catalog v4.20/catalog git:main:v4.22/catalog

Exit code: 0 ok, 1 check found a difference, 2 failed, or a file could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that opm generates from a template, with bundles of other catalogs instead
    /// of pulled images.
    Render(render::Args),
    /// Print the template that generates a catalog.
    Convert(convert::Args),
    /// Check that catalogs match their templates.
    Check(check::Args),
}

pub fn run_template(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Render(args) => render::run_template_render(args, out),
        Command::Convert(args) => convert::run_template_convert(args, out),
        Command::Check(args) => check::run_template_check(args, out),
    }
}

/// Maximum size of a template in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// Content of a file or standard input, with its name in messages.
pub(in crate::cli) struct TemplateInput {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Message that replaces those with content of the file.
    unquoted: Option<String>,
}

impl TemplateInput {
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        if path.as_os_str() == source::STDIN {
            let (name, bytes) = ("<stdin>".to_owned(), source::read_stdin()?);
            return Ok(Self { name, bytes, unquoted: None });
        }
        let name = path.display().to_string();
        if let Some(revision) = revision::parse_revision(path) {
            return Ok(Self { name, bytes: revision::read_file(&revision)?, unquoted: None });
        }
        let bytes =
            regular_file::read_regular(path, MAX_SIZE).with_context(|| format!("cannot read {name}"))?;
        Ok(Self { name, bytes, unquoted: failure::hidden_content_message(path) })
    }

    /// Creates an input from text that is already read. `file` is its origin.
    pub fn new(name: String, bytes: Vec<u8>, file: Option<&Path>) -> Self {
        Self { name, bytes, unquoted: file.and_then(failure::hidden_content_message) }
    }

    /// Returns an error with every fault, its location, and hints.
    pub fn refusal(&self, reason: &str, faults: &TemplateErrors) -> Failure {
        let mut lines = String::new();
        let mut hints: Vec<&str> = Vec::new();
        for fault in &faults.0 {
            let (line, column) = self.line_and_column(fault.at);
            let also =
                fault.related.iter().map(|span| format!(" (see line {})", self.line_and_column(*span).0));
            let told = match &self.unquoted {
                None => format!("{}:{line}:{column}: {fault}{}", self.name, also.collect::<String>()),
                Some(words) => format!("{}:{line}:{column}: {words}", self.name),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "  {}", escape::escape_line(&told));
            if self.unquoted.is_none()
                && let Some(hint) = fault.kind.hint()
                && !hints.contains(&hint)
            {
                hints.push(hint);
            }
        }
        let failure = Failure::new(format!("{reason}: {}", self.name)).with_detail(lines);
        hints.into_iter().fold(failure, Failure::add_hint)
    }

    /// Returns line and column, both from 1.
    fn line_and_column(&self, span: Span) -> (usize, usize) {
        let before = self.bytes.get(..span.range().start).unwrap_or(&self.bytes);
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = memchr::memchr_iter(b'\n', before).count();
        (line + 1, String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1)
    }
}

/// Maximum size of a template in bytes.
const MAX_TEMPLATE: u64 = 256 << 20;

/// Schema of templates that list other templates.
const COMPOSITE: &str = "olm.composite";

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
    match load::open_catalog(catalog) {
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
