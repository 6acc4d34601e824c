//! `olmap bundle show`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::{
    failure::{self, Failure},
    format::ReportFormat,
    image,
    out::Out,
    outcome::Outcome,
    revision, source,
};
use olm_bundle::{
    Tree,
    outline::{Outline, Part},
    registry::DirectoryContents,
};
use olm_catalog::{Catalog, blob::BundleBlob, package::Package, similar_names};
use olm_source::{bundles, read_bundle_directory, unread_part_of};
use olmap_report::bundle::{
    contents,
    outline::{self, SectionFilter},
    outline_markdown,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle: directory with manifests/ and metadata/, git:REV:DIR or image. With --bundle: a
    /// catalog.
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Bundle of the catalog: its name, or its version if only one bundle has it.
    #[arg(long, value_name = "NAME")]
    bundle: Option<String>,
    /// Package of the bundle; optional if only one package has it.
    #[arg(long, short = 'p', value_name = "NAME", requires = "bundle")]
    package: Option<String>,
    /// Print only this section, with its long texts. Can be repeated.
    #[arg(long = "section", value_name = "NAME")]
    sections: Vec<SectionName>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

/// Section by its name on the command line.
#[derive(Clone, Copy, Debug)]
struct SectionName(Part);

impl ValueEnum for SectionName {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [SectionName; Part::ALL.len()] = {
            let mut all = [SectionName(Part::Identity); Part::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = SectionName(Part::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.id()))
    }
}

pub fn run_bundle_show(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let wanted = SectionFilter(args.sections.iter().map(|section| section.0).collect());
    let text = match &args.bundle {
        None => match image::open_bundle(&args.path, &args.images.access())? {
            Some(bundle) => show_tree(&args.path, &bundle.tree, None, args.format, &wanted, out)?,
            None => show_directory(&args.path, None, args.format, &wanted, out)?,
        },
        Some(name) => {
            let catalog = source::open_catalog(Some(&args.path), &args.images)?;
            let (package, blob) = find_bundle(&catalog, args.package.as_deref(), name)?;
            // The bundle directory is used if it is known, because a catalog omits part of a bundle.
            let with = package.channels_with(&blob.name.value);
            let channels: Vec<&str> = with.map(|channel| channel.name.value.as_str()).collect();
            if let Some(directory) = bundles::directory_of(&catalog, &package.name, blob) {
                out.print(&show_directory(&directory, Some(&channels), args.format, &wanted, out)?)?;
                return Ok(Outcome::Fine);
            }
            let unread = || Failure::new(format!("{name} cannot be read in {}", catalog.origin.label()));
            let inside = Outline::from_catalog(&catalog, blob).ok_or_else(unread)?;
            print_bundle(&inside, &wanted, args.format, out, || {
                contents::render_catalog_bundle(&channels, &inside, &wanted)
            })
        }
    };
    out.print(&text)?;
    Ok(Outcome::Fine)
}

/// Renders a bundle directory. `published` are the channels of the catalog that contains the bundle.
fn show_directory(
    path: &Path,
    published: Option<&[&str]>,
    format: ReportFormat,
    wanted: &SectionFilter,
    out: &Out,
) -> anyhow::Result<String> {
    let tree = match revision::parse_revision(path) {
        Some(revision) => revision::read_bundle(&revision, None)?,
        None => read_bundle_directory(path)?,
    };
    show_tree(path, &tree, published, format, wanted, out)
}

fn show_tree(
    path: &Path,
    tree: &Tree,
    published: Option<&[&str]>,
    format: ReportFormat,
    wanted: &SectionFilter,
    out: &Out,
) -> anyhow::Result<String> {
    let contents = DirectoryContents::from_tree(tree);
    if contents.any_csv().is_none() && !tree.is_bundle() {
        return Err(no_bundle(path).into());
    }
    if let Some(part) = unread_part_of(path, tree) {
        source::print_warning(&part, None, out);
    }
    let inside = Outline::from_directory(&contents, tree);
    Ok(print_bundle(&inside, wanted, format, out, || {
        contents::render_directory_bundle(&contents, published, &inside, wanted)
    }))
}

fn no_bundle(path: &Path) -> Failure {
    Failure::new(format!("{} is not a bundle directory", path.display()))
        .with_hint("name the directory with manifests/ and metadata/, or a catalog and --bundle NAME")
}

fn print_bundle(
    inside: &Outline,
    wanted: &SectionFilter,
    format: ReportFormat,
    out: &Out,
    json: impl Fn() -> String,
) -> String {
    match format {
        ReportFormat::Json => json(),
        ReportFormat::Text => outline::render_outline(inside, wanted, &out.style),
        ReportFormat::Markdown => outline_markdown::render_outline_comment(inside, wanted),
    }
}

/// Returns the bundle with a name, or with a version that only one bundle has.
pub(in crate::cli) fn find_bundle<'c>(
    catalog: &'c Catalog,
    package: Option<&str>,
    name: &str,
) -> Result<(&'c Package, &'c BundleBlob), Failure> {
    let packages: Vec<&Package> = match package {
        Some(package) => vec![source::select_package(catalog, Some(package))?],
        None => source::named_packages(catalog).map(AsRef::as_ref).collect(),
    };
    let bundles = || {
        packages
            .iter()
            .flat_map(|package| package.bundles.iter().map(move |bundle| (*package, bundle.as_ref())))
    };
    let is_version =
        |bundle: &BundleBlob| bundle.version.as_ref().is_some_and(|version| version.to_string() == name);
    let mut found: Vec<_> = bundles().filter(|(_, bundle)| bundle.name.value.as_str() == name).collect();
    if found.is_empty() {
        found = bundles().filter(|(_, bundle)| is_version(bundle)).collect();
    }
    match found.as_slice() {
        [only] => Ok(*only),
        [] => {
            let failure = Failure::new(format!("no bundle {name} in {}", catalog.origin.label()));
            Err(
                match similar_names::suggest_closest(
                    name,
                    bundles().map(|(_, bundle)| bundle.name.value.as_str()),
                ) {
                    Some(meant) => failure.with_hint(format!("is it {meant}?")),
                    None => failure.with_hint("olmap list bundles lists them"),
                },
            )
        }
        many => {
            let names = failure::join_names(many.iter().map(|(_, bundle)| bundle.name.value.as_str()));
            let hint = format!("choose one: {names}; --package NAME where they are of several packages");
            Err(Failure::new(format!("{} bundles are called {name}", many.len())).with_hint(hint))
        }
    }
}
