//! `olmap template`: renders templates as opm does, derives templates from catalogs, and compares both.

mod check;
mod fetched_bundles;
mod map;
mod release;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;

use super::{Failure, Out, Outcome, hidden_content_message, image, list_reasons, revision, source};
use fetched_bundles::TemplateBundles;
use olm_bundle::template::{
    self, CatalogBundles, ConvertTo, Options, TemplateDocument, TemplateError, TemplateErrorKind,
    TemplateErrors,
};
use olm_catalog::{Catalog, Span, TemplateKind, load::regular_file, text::canonical::RenderFormat};
use olmap_report::{escape, graph::render_opm_mermaid};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap template render semver.yaml --bundles catalog
  olmap template render basic.yaml --bundles catalog -o mermaid
  olmap template render basic.yaml --fetch-bundles
  olmap template convert basic catalog.yaml     a basic template of a catalog
  olmap template convert semver catalog         a semver template, if possible
  olmap template check                          the repository you are in, for CI
  olmap template check --template t.yaml --catalog v4.20/catalog git:main:v4.22/catalog
  olmap template release operators/ship/1.2.0 --template basic.yaml=stable --replaces ship.v1.1.0
  olmap template map operators/ship/catalog-templates/basic.yaml v4.22

Exit code: 0 ok, 1 check found a difference, 2 failed, or a file could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that opm generates from a template, with bundles of other catalogs or of
    /// fetched images.
    Render(RenderArgs),
    /// Print the template that generates a catalog.
    Convert(ConvertArgs),
    /// Check that catalogs match their templates, and that every bundle is in a catalog.
    Check(check::Args),
    /// Write the release-config.yaml of a new bundle, which says how it enters the templates.
    Release(release::Args),
    /// Add catalogs to the mapping of a template in the ci.yaml of its operator.
    Map(map::Args),
}

/// Maximum size of a template in bytes.
const MAX_TEMPLATE: u64 = 256 << 20;

/// Content of a file or standard input, with its name in messages.
pub(super) struct TemplateInput {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Message that replaces those with content of the file.
    unquoted: Option<String>,
}

impl TemplateInput {
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        if source::is_stdin(path) {
            let (name, bytes) = ("<stdin>".to_owned(), source::read_stdin()?);
            return Ok(Self { name, bytes, unquoted: None });
        }
        let name = path.display().to_string();
        if let Some(revision) = revision::parse_revision(path) {
            return Ok(Self { name, bytes: revision::read_file(&revision)?, unquoted: None });
        }
        let bytes =
            regular_file::read_regular(path, MAX_TEMPLATE).with_context(|| format!("cannot read {name}"))?;
        Ok(Self { name, bytes, unquoted: hidden_content_message(path) })
    }

    /// Creates an input from text that is already read. `file` is its origin.
    pub fn new(name: String, bytes: Vec<u8>, file: Option<&Path>) -> Self {
        Self { name, bytes, unquoted: file.and_then(hidden_content_message) }
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

#[derive(Debug, clap::Args)]
struct RenderArgs {
    /// Template file, or - for standard input, after an optional type: basic, semver or
    /// substitutes. Default: the type of the schema.
    #[arg(value_name = "[TYPE] FILE", num_args = 1..=2, required = true)]
    words: Vec<PathBuf>,
    /// Catalogs with the bundles, found by image; the first that has an image is used. Can be
    /// repeated.
    #[arg(long, value_name = "CATALOG")]
    bundles: Vec<PathBuf>,
    /// Fetch the bundle images that no given catalog has. The cache keeps them.
    #[arg(long)]
    #[cfg_attr(feature = "images", arg(conflicts_with = "offline"))]
    fetch_bundles: bool,
    /// Keep the description and icon of the package in the catalogs if opm would take them from
    /// manifests that are not available.
    #[arg(long, requires = "bundles")]
    keep_description: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: OutputFormat,
    /// Migrate bundles as opm does.
    #[arg(long, value_name = "LEVEL", default_value = "none")]
    migrate_level: MigrateLevel,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum OutputFormat {
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

#[derive(Debug, clap::Args)]
struct ConvertArgs {
    /// Type of template: basic and substitutes as in opm, or semver if such a template can generate
    /// the channels.
    #[arg(value_name = "TYPE")]
    to: TargetFormat,
    /// Catalog file, or - for standard input. For semver also a directory.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Only for semver: package, if the catalog has several.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Only for semver: print the nearest template even if it generates other channels, and list
    /// the edges that differ.
    #[arg(long)]
    nearest: bool,
    /// Output format; semver is always YAML.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: ConvertFormat,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum TargetFormat {
    /// Objects; bundles have only their image.
    Basic,
    /// Lists of bundle images.
    Semver,
    /// Objects, without substitutions.
    Substitutes,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ConvertFormat {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

/// Maximum number of differences that are shown.
const MAX_SHOWN: usize = 30;

pub fn run_template(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Render(args) => run_template_render(args, out),
        Command::Convert(args) => run_template_convert(args, out),
        Command::Check(args) => check::run_template_check(args, out),
        Command::Release(args) => release::run_template_release(args, out),
        Command::Map(args) => map::run_template_map(args, out),
    }
}

fn run_template_render(args: &RenderArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let (kind, path) = parse_kind_and_path(&args.words)?;
    source::check_stdin(args.bundles.iter().chain([&path]))?;
    let input = TemplateInput::load(&path)?;
    let refused = |faults| input.refusal("nothing rendered", &faults);
    let document = TemplateDocument::parse(&input.bytes, kind).map_err(refused)?;
    let catalogs = open_bundle_catalogs(&args.bundles, &args.images)?;
    for catalog in &catalogs {
        source::warn_of_problems(catalog, out);
    }
    let mut bundles = TemplateBundles::from_catalogs(CatalogBundles::new(&catalogs));
    let mut rendered = loop {
        let options = args.migrate_level.options();
        let result = template::render_template(&document, &bundles, options, &olm_check::rejection_messages);
        // Only a render knows which images it needs.
        if args.fetch_bundles && bundles.fetch_missing(&args.images.access())? {
            continue;
        }
        let is_unknown = |fault: &TemplateError| matches!(*fault.kind, TemplateErrorKind::UnknownImage(_));
        match result {
            Ok(rendered) => break rendered,
            Err(faults) if !args.fetch_bundles && faults.0.iter().any(is_unknown) => {
                return Err(refused(faults).add_hint("--fetch-bundles fetches the images").into());
            }
            Err(faults) => return Err(refused(faults).into()),
        }
    };
    if args.keep_description {
        // The first catalog that contains the package provides the description.
        let _ = catalogs.iter().any(|catalog| rendered.copy_description(catalog));
    }
    let text = match args.format {
        OutputFormat::Yaml => rendered.to_text(RenderFormat::Yaml),
        OutputFormat::Json => rendered.to_text(RenderFormat::Json),
        OutputFormat::Mermaid => {
            render_opm_mermaid(&rendered.docs).map_err(|fault| Failure::new(fault.to_string()))?
        }
    };
    for note in &rendered.notes {
        out.print_warning(&note.to_string(), note.hint());
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
fn parse_kind(word: &str) -> Option<TemplateKind> {
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

fn run_template_convert(args: &ConvertArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let to = match args.to {
        TargetFormat::Basic => ConvertTo::Basic,
        TargetFormat::Substitutes => ConvertTo::Substitutes,
        TargetFormat::Semver => return convert_to_semver(args, out),
    };
    if args.nearest || args.package.is_some() {
        return Err(Failure::new("--nearest and --package are only for semver").into());
    }
    let format = match args.format {
        ConvertFormat::Yaml => RenderFormat::Yaml,
        ConvertFormat::Json => RenderFormat::Json,
    };
    let input = TemplateInput::load(&args.path)?;
    let text = template::convert_catalog(&input.bytes, to, format)
        .map_err(|faults| input.refusal("nothing converted", &faults))?;
    out.print_exact(&text)?;
    Ok(Outcome::Fine)
}

fn convert_to_semver(args: &ConvertArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.format == ConvertFormat::Json {
        return Err(Failure::new("a semver template is written as YAML only").into());
    }
    let catalog = source::open_catalog(Some(&args.path), &args.images)?;
    source::check_complete(&catalog, |name| {
        args.package.as_ref().is_none_or(|asked| name == asked.as_str())
    })?;
    let package = source::select_package(&catalog, args.package.as_deref())?;
    let inferred = template::infer_template(package)
        .map_err(|error| Failure::new(format!("no semver template makes this: {error}")))?;
    let differences: Vec<String> = inferred.differences.iter().map(ToString::to_string).collect();
    let lines = list_reasons(&differences, MAX_SHOWN);
    if !inferred.differences.is_empty() && !args.nearest {
        let reason = format!("no semver template makes package {} as it is", package.name);
        return Err(Failure::new(reason)
            .with_detail(lines)
            .with_hint("--nearest prints the nearest template anyway")
            .into());
    }
    if !inferred.differences.is_empty() {
        out.print_warning("a catalog made of this template differs:", None);
        out.print_stderr(&lines);
    }
    out.print_exact(&inferred.template)?;
    Ok(Outcome::Fine)
}
