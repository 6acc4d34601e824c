//! `olmap render`: catalogs in the canonical form of `opm render`.

use std::{ops::ControlFlow, path::PathBuf};

use clap::ValueEnum;

use super::{Failure, Out, Outcome, image, revision, source};
use olm_bundle::render::{ImageTemplate, Options, render_olm_bundle};
use olm_bundle::{Tree, registry::Bundle};
use olm_catalog::problem::{ProblemKind, Problems};
use olm_catalog::rendering::{self, RenderSource};
use olm_catalog::text::canonical::RenderFormat;
use olm_catalog::{Catalog, Origin, load};
use olm_source::{bundles, read_bundle_directory};
use olmap_report::{escape, omissions};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap render catalog                          same output as opm render
  olmap render -o json catalogs/v4.20 catalogs/v4.21
  olmap render git:main:operators/tide/1.3.0    a bundle directory at a revision
  olmap render --image-ref-template 'quay.io/org/{{.Package}}:v{{.Version}}' operators/tide/1.3.0

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs to merge: directories, files, images, git:REV:PATH, or - for standard input; also
    /// bundle directories.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
    /// Bundle directories: image of each, from {{.Package}}, {{.Name}} and {{.Version}}.
    #[arg(long, visible_alias = "alpha-image-ref-template", value_name = "TEMPLATE")]
    image_ref_template: Option<ImageTemplate>,
    /// Bundle directories: migrate as opm does.
    #[arg(long, value_name = "LEVEL")]
    migrate_level: Option<MigrateLevel>,
    /// Alias of --migrate-level bundle-object-to-csv-metadata.
    #[arg(long, conflicts_with = "migrate_level")]
    migrate: bool,
    #[command(flatten)]
    images: image::Args,
}

impl Args {
    fn migrates(&self) -> bool {
        self.migrate || self.migrate_level == Some(MigrateLevel::BundleObjectToCsvMetadata)
    }
}

/// Migration level of `opm render`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum MigrateLevel {
    /// No migration.
    None,
    /// Replace the objects of a bundle that has an image by one `olm.csv.metadata`.
    BundleObjectToCsvMetadata,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// YAML, `---` before every object.
    Yaml,
    /// JSON, one object after another.
    Json,
}

/// Maximum number of reasons that are shown.
const MAX_SHOWN: usize = 10;

pub fn run_render(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let format = match args.format {
        Format::Yaml => RenderFormat::Yaml,
        Format::Json => RenderFormat::Json,
    };
    let access = args.images.access();
    let (mut bundles, mut paths, mut catalogs) = (Vec::new(), Vec::new(), Vec::new());
    for path in &args.paths {
        if let Some(opened) = image::open_image(path, &access) {
            let opened = opened?;
            let reference = path.to_string_lossy();
            match opened.render_bundle(args.image_ref_template.as_ref(), args.migrates()) {
                Some(rendered) => {
                    if let Some(pinned) =
                        opened.pull_spec_by_digest().filter(|_| args.image_ref_template.is_none())
                    {
                        let words =
                            format!("{reference}: the bundle gets a tag as its image, and a tag may move");
                        out.print_warning(&words, Some(&format!("name it by its digest: {pinned}")));
                    }
                    bundles
                        .push((path.clone(), image::map_image_error(&reference, rendered)?.to_text(format)));
                }
                None => catalogs.push(image::map_image_error(&reference, opened.into_catalog())?),
            }
            continue;
        }
        if let Some(revision) = revision::parse_revision(path) {
            let directories = revision::bundle_directories(&revision)?;
            for directory in &directories {
                let tree = revision::read_bundle(directory, None)?;
                let label = directory.label();
                bundles.push((PathBuf::from(&label), render_bundle_directory(&tree, &label, args, format)?));
            }
            if directories.is_empty() {
                paths.push(path.clone());
            }
            continue;
        }
        match bundles::find_bundle_folder(path) {
            Some(folder) => {
                for path in folder.paths() {
                    let tree = read_bundle_directory(&path)?;
                    let text = render_bundle_directory(&tree, &path.display().to_string(), args, format)?;
                    bundles.push((path, text));
                }
            }
            None => paths.push(path.clone()),
        }
    }
    if let ([(_, text)], [], []) = (bundles.as_slice(), paths.as_slice(), catalogs.as_slice()) {
        out.print_exact(text)?;
        return Ok(Outcome::Fine);
    }
    if !paths.is_empty() || (bundles.is_empty() && catalogs.is_empty()) {
        catalogs.extend(source::open_catalogs(&paths, &args.images)?);
    }
    let texts = bundles.into_iter().map(|(path, text)| (path, text.into_bytes()));
    let bundles = load::from_texts(Origin::Stdin, texts);
    if let Some(template) = catalogs.iter().find_map(Catalog::template) {
        return Err(Failure::new(format!("nothing rendered: {} is a template", template.kind.schema()))
            .with_hint("olmap template render FILE --bundles CATALOG: with the bundles of a catalog in place of images")
            .into());
    }
    let all = || catalogs.iter().chain([&bundles]);
    let problems = || all().flat_map(Catalog::all_problems);
    let unreadable: usize = problems().map(|problems| problems.count_kinds(ProblemKind::stops_opm)).sum();
    if unreadable > 0 {
        let shown = all().flat_map(describe_problems).take(MAX_SHOWN);
        let mut lines: Vec<String> = shown.map(|line| format!("  {line}\n")).collect();
        if unreadable > lines.len() {
            lines.push(format!("  and {} more\n", unreadable - lines.len()));
        }
        return Err(Failure::new("nothing rendered: opm cannot read this")
            .with_detail(lines.concat())
            .with_hint("olmap validate shows all of them")
            .into());
    }
    if problems().any(|problems| problems.count_kinds(|kind| *kind == ProblemKind::LostDocuments) > 0) {
        let words = ProblemKind::LostDocuments.to_string();
        out.print_warning(&words, Some("save the file as UTF-8; olmap validate shows the place"));
    }
    // opm builds a model of an index, and refuses an index that cannot be modelled.
    for index in catalogs.iter().filter(|catalog| catalog.origin.is_converted_index()) {
        if let Some(why) = olm_check::index_rejection_messages(index).first() {
            return Err(Failure::new(format!("nothing rendered: {}: {why}", index.origin.label())).into());
        }
    }
    let read = catalogs.iter().map(|catalog| RenderSource { catalog, is_normalized: false });
    // Rendered bundles are in the format of opm already. Parsing them again would sort nested keys.
    let rendered = RenderSource { catalog: &bundles, is_normalized: true };
    let sources: Vec<RenderSource<'_>> = read.chain([rendered]).collect();
    let mut result = Ok(());
    let _ = rendering::render_in_parts(&sources, format, |part| {
        result = out.print_exact(part);
        if result.is_err() || out.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    result.map(|()| Outcome::Fine)
}

/// Renders a bundle directory as opm does.
fn render_bundle_directory(
    tree: &Tree,
    label: &str,
    args: &Args,
    format: RenderFormat,
) -> anyhow::Result<String> {
    let options = Options { image: args.image_ref_template.clone(), migrate: args.migrates() };
    let rendered = Bundle::from_tree(tree).and_then(|bundle| render_olm_bundle(&bundle, &options));
    let rendered = rendered.map_err(|fault| {
        Failure::new(format!("nothing is rendered: opm rejects the bundle in {label}"))
            .with_detail(format!("  {fault}\n"))
    })?;
    Ok(rendered.to_text(format))
}

/// Returns the problems, with locations, for which opm cannot parse the catalog. Content that opm parses and
/// then rejects is rendered.
fn describe_problems(catalog: &Catalog) -> impl Iterator<Item = String> {
    let told = catalog.all_problems().flat_map(Problems::complete_problems).filter(|p| p.kind.stops_opm());
    told.map(|problem| escape::escape_line(&omissions::format_problem_line(catalog, problem)).into_owned())
}
