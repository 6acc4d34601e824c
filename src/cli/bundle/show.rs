//! `olmap bundle show`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::{
    bundle::{
        Tree,
        inside::{Inside, Part},
        registry::Contents,
    },
    catalog::{Catalog, blob::BundleBlob, near, package::Package},
    cli::{
        failure::{self, Failure},
        format::ReportFormat,
        image,
        out::Out,
        outcome::Outcome,
        revision, source,
    },
    export::bundle::{
        inside::{self, Wanted},
        inside_markdown, show,
    },
    source::{bundles, read_bundle_directory, unread_part_of},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle: a directory with manifests/ and metadata/, git:REV:DIR or an image. With --bundle: a catalog.
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// A bundle of the catalog: its name, or its version where only one bundle has it.
    #[arg(long, value_name = "NAME")]
    bundle: Option<String>,
    /// The package of the bundle; optional if only one has it.
    #[arg(long, short = 'p', value_name = "NAME", requires = "bundle")]
    package: Option<String>,
    /// Print only this section, with its longer texts (repeatable).
    #[arg(long = "section", value_name = "NAME")]
    sections: Vec<SectionName>,
    /// How to print.
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

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let wanted = Wanted(args.sections.iter().map(|section| section.0).collect());
    let text = match &args.bundle {
        None => match image::open_bundle(&args.path, &args.images.access())? {
            Some(bundle) => of_tree(&args.path, &bundle.tree, None, args.format, &wanted, out)?,
            None => of_directory(&args.path, None, args.format, &wanted, out)?,
        },
        Some(name) => {
            let catalog = source::one(Some(&args.path), &args.images)?;
            let (package, blob) = find(&catalog, args.package.as_deref(), name)?;
            // The bundle directory is used if it is known, because a catalog omits part of a bundle.
            let with = package.channels_with(&blob.name.value);
            let channels: Vec<&str> = with.map(|channel| channel.name.value.as_str()).collect();
            if let Some(directory) = bundles::directory_of(&catalog, &package.name, blob) {
                out.print(&of_directory(&directory, Some(&channels), args.format, &wanted, out)?)?;
                return Ok(Outcome::Fine);
            }
            let unread = || Failure::new(format!("{name} cannot be read in {}", catalog.origin.label()));
            let inside = Inside::of_catalog(&catalog, blob).ok_or_else(unread)?;
            print(&inside, &wanted, args.format, out, || show::of_catalog(&channels, &inside, &wanted))
        }
    };
    out.print(&text)?;
    Ok(Outcome::Fine)
}

/// Renders a bundle directory. `published` are the channels of the catalog that contains the bundle.
fn of_directory(
    path: &Path,
    published: Option<&[&str]>,
    format: ReportFormat,
    wanted: &Wanted,
    out: &Out,
) -> anyhow::Result<String> {
    let tree = match revision::parse(path) {
        Some(revision) => revision::read_bundle(&revision, None)?,
        None => read_bundle_directory(path)?,
    };
    of_tree(path, &tree, published, format, wanted, out)
}

fn of_tree(
    path: &Path,
    tree: &Tree,
    published: Option<&[&str]>,
    format: ReportFormat,
    wanted: &Wanted,
    out: &Out,
) -> anyhow::Result<String> {
    let contents = Contents::read(tree);
    if contents.any_csv().is_none() && !tree.is_bundle() {
        return Err(no_bundle(path).into());
    }
    if let Some(part) = unread_part_of(path, tree) {
        source::warn(&part, None, out);
    }
    let inside = Inside::of_directory(&contents, tree);
    Ok(print(&inside, wanted, format, out, || show::of_directory(&contents, published, &inside, wanted)))
}

fn no_bundle(path: &Path) -> Failure {
    Failure::new(format!("{} is not a bundle directory", path.display()))
        .hint("name the directory with manifests/ and metadata/, or a catalog and --bundle NAME")
}

fn print(
    inside: &Inside,
    wanted: &Wanted,
    format: ReportFormat,
    out: &Out,
    json: impl Fn() -> String,
) -> String {
    match format {
        ReportFormat::Json => json(),
        ReportFormat::Text => inside::text(inside, wanted, &out.style),
        ReportFormat::Markdown => inside_markdown::comment(inside, wanted),
    }
}

/// Returns the bundle with a name, or with a version that only one bundle has.
pub(in crate::cli) fn find<'c>(
    catalog: &'c Catalog,
    package: Option<&str>,
    name: &str,
) -> Result<(&'c Package, &'c BundleBlob), Failure> {
    let packages: Vec<&Package> = match package {
        Some(package) => vec![source::package(catalog, Some(package))?],
        None => source::packages(catalog).map(AsRef::as_ref).collect(),
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
            Err(match near::meant(name, bundles().map(|(_, bundle)| bundle.name.value.as_str())) {
                Some(meant) => failure.hint(format!("is it {meant}?")),
                None => failure.hint("olmap list bundles lists them"),
            })
        }
        many => {
            let names = failure::some_of(many.iter().map(|(_, bundle)| bundle.name.value.as_str()));
            let hint = format!("choose one: {names}; --package NAME where they are of several packages");
            Err(Failure::new(format!("{} bundles are called {name}", many.len())).hint(hint))
        }
    }
}
