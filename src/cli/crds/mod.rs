//! `olmap crds`: compatibility of CRD upgrades.

mod diff;
mod graph;

use std::path::Path;

use super::{out::Out, outcome::Outcome};
use crate::cli::{bundle, failure::Failure, revision, source};
use olm_bundle::{
    Tree,
    crd::{CrdSet, UnreadFile},
};
use olm_catalog::{
    Catalog,
    load::{git::RevisionContent, regular_file},
};
use olm_source::{bundle_of_files, bundles, read_bundle_directory};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap crds diff old/widgets.yaml new/widgets.yaml
  olmap crds diff operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds diff --catalog catalogs/v4.22 tide.v1.2.0 tide.v1.3.0
  olmap crds diff -o json operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds graph operators/tide               all steps of its channels
  olmap crds graph catalogs/v4.22 --bundles operators --refused

Exit code: 0 OLM refuses nothing, 1 OLM refuses something, 2 failed, or CRDs could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show what OLM refuses when new CRDs replace old ones, what breaks, and what to do instead.
    Diff(diff::Args),
    /// Show for each step of the upgrade graph whether OLM refuses it, and what to check before it.
    Graph(graph::Args),
}

pub fn run_crds(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Diff(args) => diff::run_crds_diff(args, out),
        Command::Graph(args) => graph::run_crds_graph(args, out),
    }
}

/// Maximum size of a file in bytes.
const MAX_SIZE: u64 = 64 << 20;

/// Accepted sources of a side.
const ACCEPTED_SOURCES: &str =
    "name a file with a CustomResourceDefinition, a bundle directory, or two bundles with --catalog PATH";

/// Source of CRDs.
enum CrdSource {
    File { shown: String, bytes: Vec<u8> },
    Directory { shown: String, tree: Tree },
    Catalog(CrdSet<'static>),
}

impl CrdSource {
    /// Reads a file, standard input, a bundle directory, or one of these in a revision. A revision without a path has the
    /// path of `other`.
    pub fn open_path(path: &Path, other: Option<&Path>) -> anyhow::Result<Self> {
        let shown = path.to_string_lossy().into_owned();
        if let Some(revision) = revision::parse_revision(path) {
            let files = match revision::read_stored(&revision, other)? {
                RevisionContent::File(bytes) => return Ok(Self::File { shown, bytes }),
                RevisionContent::Directory(files) => files,
            };
            let tree = bundle_of_files(files);
            if !tree.has_folder("manifests") {
                return Err(Failure::new(format!("{shown} is not a bundle directory"))
                    .with_hint(ACCEPTED_SOURCES)
                    .into());
            }
            return Ok(Self::Directory { shown, tree });
        }
        if path.as_os_str() == source::STDIN {
            return Ok(Self::File { shown, bytes: source::read_stdin()? });
        }
        if path.is_dir() {
            let tree = read_bundle_directory(path)?;
            if !tree.has_folder("manifests") {
                return Err(Failure::new(format!("{shown} is not a bundle directory"))
                    .with_hint(ACCEPTED_SOURCES)
                    .into());
            }
            return Ok(Self::Directory { shown: shown.trim_end_matches('/').to_owned(), tree });
        }
        let bytes = regular_file::read_regular(path, MAX_SIZE).map_err(|error| {
            Failure::new(format!("cannot read {shown}: {error}")).with_hint(ACCEPTED_SOURCES)
        })?;
        Ok(Self::File { shown, bytes })
    }

    /// Opens a bundle of a catalog: its directory if that is known, otherwise the objects in the catalog.
    pub fn from_catalog(catalog: &Catalog, package: Option<&str>, name: &str) -> anyhow::Result<Self> {
        let (package, blob) = bundle::find_bundle(catalog, package, name)?;
        if let Some(path) = bundles::directory_of(catalog, &package.name, blob) {
            return Self::open_path(&path, None);
        }
        let set = CrdSet::from_catalog(catalog, blob).map_err(|error| {
            Failure::new(format!("{error}; whether the upgrade is safe is not known"))
                .with_hint("compare the bundle directories: olmap crds diff OLD_DIR NEW_DIR")
        })?;
        Ok(Self::Catalog(set))
    }

    /// Returns all CRDs.
    pub fn read_crds(&self) -> Result<Crds<'_>, Failure> {
        let read;
        let set = match self {
            Self::Catalog(set) => {
                check_readable(&set.unread)?;
                return Ok(Crds::Kept(set));
            }
            Self::File { shown, bytes } => {
                read = CrdSet::from_file(shown, bytes);
                if read.crds.is_empty() && read.unread.is_empty() {
                    let reason = format!("{shown} holds no CustomResourceDefinition of apiextensions.k8s.io");
                    return Err(Failure::new(reason).with_hint(ACCEPTED_SOURCES));
                }
                read
            }
            Self::Directory { shown, tree } => CrdSet::from_tree(shown, tree),
        };
        check_readable(&set.unread)?;
        Ok(Crds::Read(set))
    }

    /// Returns true if the source is a file.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }
}

/// CRDs of a side.
enum Crds<'s> {
    Read(CrdSet<'s>),
    Kept(&'s CrdSet<'static>),
}

/// Refuses a source with a part that cannot be read, because it may contain a CRD.
fn check_readable(unread: &[UnreadFile]) -> Result<(), Failure> {
    let Some(first) = unread.first() else { return Ok(()) };
    let at = match &first.place {
        Some(place) => format!("{}:{}:{}", place.file, place.line, place.column),
        None => first.file.clone(),
    };
    let failure = Failure::new(format!("{at}: {}", first.reason)).with_optional_hint(first.hint);
    let place = first.place.as_ref().map(|place| (place.line, Some(place.column)));
    Err(Failure::in_file(Path::new(&first.file), place, failure))
}
