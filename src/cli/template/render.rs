//! `olmap template render`: renders a template as opm does.

use std::path::PathBuf;

use clap::ValueEnum;

use super::TemplateInput;
use crate::cli::{failure::Failure, image, out::Out, outcome::Outcome, source};
use olm_bundle::template::{self, CatalogBundles, Options, TemplateDocument};
use olm_catalog::{Catalog, TemplateKind, text::canonical::RenderFormat};
use olmap_report::graph::render_opm_mermaid;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Template file, or - for standard input, after an optional type: basic, semver or
    /// substitutes. Default: the type of the schema.
    #[arg(value_name = "[TYPE] FILE", num_args = 1..=2, required = true)]
    words: Vec<PathBuf>,
    /// Catalogs with the bundles, found by image; the first that has an image is used. Can be
    /// repeated.
    #[arg(long, value_name = "CATALOG")]
    bundles: Vec<PathBuf>,
    /// Keep the description and icon of the package in the catalogs if opm would take them from
    /// manifests that are not available.
    #[arg(long, requires = "bundles")]
    keep_description: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
    /// Migrate bundles as opm does.
    #[arg(long, value_name = "LEVEL", default_value = "none")]
    migrate_level: MigrateLevel,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// YAML, `---` before every object.
    Yaml,
    /// JSON, one object after another.
    Json,
    /// Upgrade graph as drawn by opm alpha render-graph.
    Mermaid,
}

/// Migration level of bundles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MigrateLevel {
    /// No migration.
    None,
    /// Replace the objects of a bundle that has an image by one `olm.csv.metadata`.
    BundleObjectToCsvMetadata,
    /// All migrations.
    All,
}

impl MigrateLevel {
    pub fn options(self) -> Options {
        Options { migrate: self != Self::None }
    }
}

pub fn run_template_render(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let (kind, path) = parse_kind_and_path(&args.words)?;
    let mut paths = args.bundles.clone();
    paths.push(path.clone());
    source::check_stdin(&paths)?;
    let input = TemplateInput::load(&path)?;
    let refused = |faults| input.refusal("nothing rendered", &faults);
    let document = TemplateDocument::parse(&input.bytes, kind).map_err(refused)?;
    let catalogs = open_bundle_catalogs(&args.bundles, &args.images)?;
    for catalog in &catalogs {
        source::warn_of_problems(catalog, out);
    }
    let bundles = CatalogBundles::new(&catalogs);
    let mut rendered = template::render_template(
        &document,
        &bundles,
        args.migrate_level.options(),
        &olm_check::rejection_messages,
    )
    .map_err(refused)?;
    if args.keep_description {
        // The first catalog that contains the package provides the description.
        let _ = catalogs.iter().any(|catalog| rendered.copy_description(catalog));
    }
    let text = match args.format {
        Format::Yaml => rendered.to_text(RenderFormat::Yaml),
        Format::Json => rendered.to_text(RenderFormat::Json),
        Format::Mermaid => {
            render_opm_mermaid(&rendered.docs).map_err(|fault| Failure::new(fault.to_string()))?
        }
    };
    for note in &rendered.notes {
        source::print_warning(&note.to_string(), note.hint(), out);
    }
    out.print_exact(&text)?;
    Ok(Outcome::Fine)
}

/// Returns the template type and the file. A single word that names a type reads standard input.
fn parse_kind_and_path(words: &[PathBuf]) -> Result<(Option<TemplateKind>, PathBuf), Failure> {
    match words {
        [only] => match only.to_str().and_then(parse_kind) {
            Some(kind) => Ok((Some(kind), PathBuf::from(source::STDIN))),
            None => Ok((None, only.clone())),
        },
        [named, path, ..] => {
            let kind = named.to_str().and_then(parse_kind).ok_or_else(|| {
                let reason = format!("{} is no type of a template", named.display());
                Failure::new(reason).with_hint("the types are basic, semver and substitutes")
            })?;
            Ok((Some(kind), path.clone()))
        }
        [] => Err(Failure::new("no template given")),
    }
}

/// Returns the template type with a name.
pub fn parse_kind(word: &str) -> Option<TemplateKind> {
    match word {
        "basic" => Some(TemplateKind::Basic),
        "semver" => Some(TemplateKind::Semver),
        "substitutes" => Some(TemplateKind::Substitutes),
        _ => None,
    }
}

/// Opens the catalogs that provide bundles.
fn open_bundle_catalogs(paths: &[PathBuf], images: &image::Args) -> anyhow::Result<Vec<Catalog>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let catalogs = source::open_catalogs(paths, images)?;
    let mut known = paths.iter().zip(&catalogs);
    if let Some((path, _)) = known.find(|(_, catalog)| catalog.template().is_some()) {
        let reason = format!("{} is a template: it has no bundles, only images", path.display());
        return Err(Failure::new(reason).with_hint("--bundles takes catalogs").into());
    }
    Ok(catalogs)
}
