//! `olmap render`: catalogs in the canonical form of `opm render`.

use std::path::PathBuf;

use clap::ValueEnum;
use rayon::prelude::*;

use super::{failure::Failure, image, out::Out, outcome::Outcome, revision, source};
use crate::{
    bundle::{
        Tree,
        registry::Bundle,
        render::{ImageTemplate, Options, render},
    },
    catalog::{
        Catalog, Node, Origin, load,
        problem::{ProblemKind, Problems},
        text::canonical::{self, RenderFormat},
    },
    export::{left_out, plain},
    source::{bundles, read_bundle_directory},
    validate,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs to merge: directories, files, images, git:REV:PATH, or - for standard input. Bundle directories, too.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
    /// Bundle directories: the image of each, from {{.Package}}, {{.Name}} and {{.Version}}.
    #[arg(long, visible_alias = "alpha-image-ref-template", value_name = "TEMPLATE")]
    image_ref_template: Option<ImageTemplate>,
    /// Bundle directories: migrate as opm does.
    #[arg(long, value_name = "LEVEL")]
    migrate_level: Option<MigrateLevel>,
    /// The same as --migrate-level bundle-object-to-csv-metadata.
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
    /// Nothing.
    None,
    /// The objects of a bundle that has an image become one `olm.csv.metadata`.
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
const SHOWN: usize = 10;

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let format = match args.format {
        Format::Yaml => RenderFormat::Yaml,
        Format::Json => RenderFormat::Json,
    };
    let access = args.images.access();
    let (mut bundles, mut paths, mut catalogs) = (Vec::new(), Vec::new(), Vec::new());
    for path in &args.paths {
        if let Some(opened) = image::open(path, &access) {
            let opened = opened?;
            let reference = path.to_string_lossy();
            match opened.bundle(args.image_ref_template.as_ref(), args.migrates()) {
                Some(rendered) => {
                    if let Some(pinned) = opened.by_digest().filter(|_| args.image_ref_template.is_none()) {
                        let words =
                            format!("{reference}: the bundle gets a tag as its image, and a tag may move");
                        source::warn(&words, Some(&format!("name it by its digest: {pinned}")), out);
                    }
                    bundles.push((path.clone(), image::told(&reference, rendered)?.text(format)));
                }
                None => catalogs.push(image::told(&reference, opened.catalog())?),
            }
            continue;
        }
        if let Some(revision) = revision::parse(path) {
            let directories = revision::bundle_directories(&revision)?;
            for directory in &directories {
                let tree = revision::read_bundle(directory, None)?;
                let label = directory.label();
                bundles.push((PathBuf::from(&label), bundle(&tree, &label, args, format)?));
            }
            if directories.is_empty() {
                paths.push(path.clone());
            }
            continue;
        }
        match bundles::find(path) {
            Some(folder) => {
                for path in folder.paths() {
                    let tree = read_bundle_directory(&path)?;
                    let text = bundle(&tree, &path.display().to_string(), args, format)?;
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
        catalogs.extend(source::all(&paths, &args.images)?);
    }
    let texts = bundles.into_iter().map(|(path, text)| (path, text.into_bytes()));
    let bundles = load::from_texts(Origin::Stdin, texts);
    if let Some(template) = catalogs.iter().find_map(Catalog::template) {
        return Err(Failure::new(format!("nothing rendered: {} is a template", template.kind.schema()))
            .hint("olmap template render FILE --bundles CATALOG: with the bundles of a catalog in place of images")
            .into());
    }
    let all = || catalogs.iter().chain([&bundles]);
    let problems = || all().flat_map(Catalog::all_problems);
    let unreadable: usize = problems().map(|problems| problems.count(ProblemKind::stops_opm)).sum();
    if unreadable > 0 {
        let shown = all().flat_map(places).take(SHOWN);
        let mut lines: Vec<String> = shown.map(|line| format!("  {line}\n")).collect();
        if unreadable > lines.len() {
            lines.push(format!("  and {} more\n", unreadable - lines.len()));
        }
        return Err(Failure::new("nothing rendered: opm cannot read this")
            .detail(lines.concat())
            .hint("olmap validate shows all of them")
            .into());
    }
    if problems().any(|problems| problems.count(|kind| *kind == ProblemKind::LostDocuments) > 0) {
        let words = ProblemKind::LostDocuments.to_string();
        source::warn(&words, Some("save the file as UTF-8; olmap validate shows the place"), out);
    }
    // opm builds a model of an index, and refuses an index that cannot be modelled.
    for index in catalogs.iter().filter(|catalog| catalog.origin.is_of_index()) {
        if let Some(why) = validate::rejections_of_index(index).first() {
            return Err(Failure::new(format!("nothing rendered: {}: {why}", index.origin.label())).into());
        }
    }
    let (read, rendered): (Vec<Node>, Vec<Node>) =
        (catalogs.iter().flat_map(documents).collect(), documents(&bundles));
    let mut objects: Vec<Node> = read.par_iter().map(canonical::normalise).collect();
    // Rendered bundles are in the format of opm already. Parsing them again would sort nested keys.
    objects.extend(rendered);
    out.print_exact(&canonical::write(&objects, format))?;
    Ok(Outcome::Fine)
}

/// Renders a bundle directory as opm does.
fn bundle(tree: &Tree, label: &str, args: &Args, format: RenderFormat) -> anyhow::Result<String> {
    let options = Options { image: args.image_ref_template.clone(), migrate: args.migrates() };
    let rendered = Bundle::read(tree).and_then(|bundle| render(&bundle, &options));
    let rendered = rendered.map_err(|fault| {
        Failure::new(format!("nothing is rendered: opm rejects the bundle in {label}"))
            .detail(format!("  {fault}\n"))
    })?;
    Ok(rendered.text(format))
}

fn documents(catalog: &Catalog) -> Vec<Node<'_>> {
    let ids: Vec<_> = catalog.documents().collect();
    ids.into_par_iter().filter_map(|doc| catalog.tree(doc)?.ok()).collect()
}

/// Returns the problems, with locations, for which opm cannot parse the catalog. Content that opm parses and
/// then rejects is rendered.
fn places(catalog: &Catalog) -> impl Iterator<Item = String> {
    let told = catalog.all_problems().flat_map(Problems::told).filter(|p| p.kind.stops_opm());
    told.map(|problem| plain::line(&left_out::line(catalog, problem)).into_owned())
}
