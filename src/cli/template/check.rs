//! `olmap template check`: whether the catalogs of a repository are what their templates make.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::{
    catalog::{
        load::{self, Progress, quotable, regular},
        template::{Mapping, migrates},
    },
    cli::{failure::Failure, format::ReportFormat, not_checked, out::Out, outcome::Outcome, source},
    export::template::{Checked, Finding, Row},
    review::template::{Agreement, compare},
    source::{Newer, TemplatesOf, newer, templates_of},
    template::{Options, TemplateDocument},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The repository: a folder with operators/NAME/ci.yaml and catalogs/VERSION/NAME.
    #[arg(value_name = "REPO", default_value = ".")]
    repository: PathBuf,
    /// Only these operators, by their folders. May be given several times.
    #[arg(long = "operator", value_name = "NAME")]
    operators: Vec<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
}

/// A size in bytes that no template has.
const MOST: u64 = 256 << 20;

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let operators = templates_of(&args.repository).map_err(|error| {
        Failure::new(format!("{} is not a repository of operators: {error}", args.repository.display()))
            .hint("it needs operators/NAME/ci.yaml and catalogs/VERSION/NAME")
    })?;
    let is_meant =
        |operator: &&TemplatesOf| args.operators.is_empty() || args.operators.contains(&operator.operator);
    let meant: Vec<&TemplatesOf> = operators.iter().filter(is_meant).collect();
    if let Some(name) =
        args.operators.iter().find(|name| !operators.iter().any(|known| &known.operator == *name))
    {
        return Err(Failure::new(format!("no operator {name} with templates")).into());
    }
    let rows = meant.into_par_iter().flat_map_iter(|operator| rows(&args.repository, operator));
    let checked = Checked { rows: rows.collect() };
    match args.format {
        ReportFormat::Text => out.print(&checked.text(&out.style))?,
        ReportFormat::Json => out.print(&checked.json())?,
        ReportFormat::Markdown => out.print(&checked.markdown())?,
    }
    not_checked::report_files(checked.unread(), out);
    Ok(if checked.fails() { Outcome::Findings } else { Outcome::Fine })
}

/// What is found of one operator: mapping by mapping, catalog by catalog, then what is not mapped.
fn rows(repository: &Path, operator: &TemplatesOf) -> Vec<Row> {
    let row = |template: String, catalog: Option<&String>, finding| Row {
        operator: operator.operator.clone(),
        template,
        catalog: catalog.cloned(),
        finding,
        newer: None,
    };
    let shown = |name: &str| {
        let path = operator.path(name);
        path.map_or_else(|| name.to_owned(), |path| path.display().to_string())
    };
    let mut rows = Vec::new();
    if let Some(reason) = &operator.unread {
        let ci = format!("operators/{}/ci.yaml", operator.operator);
        rows.push(row(ci, None, Finding::Unread(reason.clone())));
    }
    for mapping in &operator.mappings {
        for catalog in &mapping.catalogs {
            let finding = found(repository, operator, mapping, catalog);
            let newer = committed_last(repository, operator, mapping, catalog, &finding);
            rows.push(Row { newer, ..row(shown(&mapping.template), Some(catalog), finding) });
        }
    }
    rows.extend(operator.unmapped().map(|name| row(shown(name), None, Finding::NotMapped)));
    rows
}

/// Which of the two was committed last, where they disagree: the times of files say nothing in CI.
fn committed_last(
    repository: &Path,
    operator: &TemplatesOf,
    mapping: &Mapping,
    catalog: &str,
    finding: &Finding,
) -> Option<Newer> {
    if !matches!(finding, Finding::Compared(agreement) if !matches!(agreement, Agreement::Same)) {
        return None;
    }
    let template = repository.join(operator.path(&mapping.template)?);
    let published = repository.join(operator.published(catalog)?);
    let files = std::fs::read_dir(&published).ok()?.flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    newer(&template, &files)
}

fn found(repository: &Path, operator: &TemplatesOf, mapping: &Mapping, catalog: &str) -> Finding {
    let template = operator.path(&mapping.template).map(|path| repository.join(path));
    let Some(template) = template.filter(|path| path.is_file()) else { return Finding::NoTemplate };
    let published = operator.published(catalog).map(|path| repository.join(path));
    let Some(published) = published.filter(|path| path.is_dir()) else { return Finding::NoCatalog };
    // The user did not name it, and its text would be quoted.
    if let Err(why) = quotable::check(&template) {
        return Finding::Unread(why.to_string());
    }
    let text = match regular::read(&template, MOST) {
        Ok(text) => text,
        Err(error) => return Finding::Unread(error.to_string()),
    };
    let published = match load::open(&published, &Progress::default()) {
        Ok(published) => published,
        Err(error) => return Finding::Unread(error.to_string()),
    };
    if let Some(first) = source::first_unread(&published) {
        return Finding::Unread(format!("opm cannot read the catalog: {first}"));
    }
    let agreement = match TemplateDocument::read(&text, mapping.kind) {
        Ok(document) => compare(&document, published, Options { migrate: migrates(catalog) }),
        Err(faults) => Agreement::Refused(faults),
    };
    Finding::Compared(agreement)
}
