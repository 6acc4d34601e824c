//! `olmap template render`: renders a template as opm does.

use std::path::PathBuf;

use clap::ValueEnum;

use super::faults::Input;
use crate::{
    catalog::{Catalog, TemplateKind, text::canonical::RenderFormat},
    cli::{failure::Failure, image, out::Out, outcome::Outcome, source},
    export::graph::opm_mermaid,
    template::{self, CatalogBundles, Options, TemplateDocument},
    validate,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The template: a file, or - for standard input. Before it, the type may be given: basic, semver or substitutes;
    /// without it the schema says which.
    #[arg(value_name = "[TYPE] FILE", num_args = 1..=2, required = true)]
    words: Vec<PathBuf>,
    /// Catalogs that have the bundles, by image; of several the first that has one. May be given several times.
    #[arg(long, value_name = "CATALOG")]
    bundles: Vec<PathBuf>,
    /// Keep the description and the icon that the package has in the catalogs, where opm would take them from manifests
    /// that are not at hand.
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
    /// The upgrade graph as opm alpha render-graph draws it.
    Mermaid,
}

/// Migration level of bundles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MigrateLevel {
    /// Nothing.
    None,
    /// The objects of a bundle that has an image become one `olm.csv.metadata`.
    BundleObjectToCsvMetadata,
    /// Everything there is.
    All,
}

impl MigrateLevel {
    pub fn options(self) -> Options {
        Options { migrate: self != Self::None }
    }
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let (kind, path) = asked(&args.words)?;
    let mut paths = args.bundles.clone();
    paths.push(path.clone());
    source::check_stdin(&paths)?;
    let input = Input::read(&path)?;
    let refused = |faults| input.refusal("nothing rendered", &faults);
    let document = TemplateDocument::read(&input.bytes, kind).map_err(refused)?;
    let catalogs = known(&args.bundles, &args.images)?;
    for catalog in &catalogs {
        source::warn_of_problems(catalog, out);
    }
    let bundles = CatalogBundles::of(&catalogs);
    let mut rendered =
        template::render(&document, &bundles, args.migrate_level.options(), &validate::rejections)
            .map_err(refused)?;
    if args.keep_description {
        // The first catalog that contains the package provides the description.
        let _ = catalogs.iter().any(|catalog| rendered.keep_description(catalog));
    }
    let text = match args.format {
        Format::Yaml => rendered.text(RenderFormat::Yaml),
        Format::Json => rendered.text(RenderFormat::Json),
        Format::Mermaid => opm_mermaid(&rendered.docs).map_err(|fault| Failure::new(fault.to_string()))?,
    };
    for note in &rendered.notes {
        source::warn(&note.to_string(), note.hint(), out);
    }
    out.print_exact(&text)?;
    Ok(Outcome::Fine)
}

/// Returns the template type and the file. A single word that names a type reads standard input.
fn asked(words: &[PathBuf]) -> Result<(Option<TemplateKind>, PathBuf), Failure> {
    match words {
        [only] => match only.to_str().and_then(kind) {
            Some(kind) => Ok((Some(kind), PathBuf::from(source::STDIN))),
            None => Ok((None, only.clone())),
        },
        [named, path, ..] => {
            let kind = named.to_str().and_then(kind).ok_or_else(|| {
                let reason = format!("{} is no type of a template", named.display());
                Failure::new(reason).hint("the types are basic, semver and substitutes")
            })?;
            Ok((Some(kind), path.clone()))
        }
        [] => Err(Failure::new("no template given")),
    }
}

/// Returns the template type with a name.
pub fn kind(word: &str) -> Option<TemplateKind> {
    match word {
        "basic" => Some(TemplateKind::Basic),
        "semver" => Some(TemplateKind::Semver),
        "substitutes" => Some(TemplateKind::Substitutes),
        _ => None,
    }
}

/// Opens the catalogs that provide bundles.
fn known(paths: &[PathBuf], images: &image::Args) -> anyhow::Result<Vec<Catalog>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let catalogs = source::all(paths, images)?;
    let mut known = paths.iter().zip(&catalogs);
    if let Some((path, _)) = known.find(|(_, catalog)| catalog.template().is_some()) {
        let reason = format!("{} is a template: it has no bundles, only images", path.display());
        return Err(Failure::new(reason).hint("--bundles takes catalogs").into());
    }
    Ok(catalogs)
}
