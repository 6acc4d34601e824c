//! Container images on the command line: options of commands that open images, and `olmap image`, which
//! builds and pushes images of catalogs and bundles without a container engine.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;

use super::output::{self, Output};
use super::{Failure, Out, Outcome, TextOrJson, generate, source, with_progress};
use olm_bundle::Tree;
use olm_catalog::{Catalog, Origin, load};
use olm_check::bundles::{self, BundleChecks, LoadedBundle};
use olm_check::{Finding, Severity, review::Snapshot};
use olm_source::images::{
    self, Contents, ImageError, ImageRecipe, ImageReference, OpenedImage, PackedContent, Target,
};
use olm_source::{Access, Platform, Trust, UnreachableHosts, cache::Cache};
use olm_source::{
    dockerfile_beside, folder_name, is_bundle_directory, read_bundle_directory, unread_part_of,
};
use olmap_report::{finding, json};

/// Heading of the options in help.
const HEADING: &str = "Images and registries";

/// Options for images and registries, of every command that takes a catalog. The first two have the
/// names of opm.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Accept any TLS certificate, and plain HTTP if TLS fails; as in opm, the same as
    /// --skip-tls-verify.
    #[arg(long, help_heading = HEADING, conflicts_with = "skip_tls_verify")]
    use_http: bool,
    /// Accept any TLS certificate, and plain HTTP if TLS fails; as in opm, the same as --use-http.
    #[arg(long, help_heading = HEADING)]
    skip_tls_verify: bool,
    /// File with credentials, instead of those of podman and docker.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    authfile: Option<PathBuf>,
    /// Platform to select from images for several platforms. Default: linux and the architecture of
    /// this machine.
    #[arg(long, value_name = "OS/ARCH", help_heading = HEADING)]
    platform: Option<Platform>,
    /// Open no connection; use only the cache.
    #[arg(long, help_heading = HEADING)]
    offline: bool,
    /// Give up after this many seconds without a byte. Default: 60.
    #[arg(long, value_name = "SECONDS", help_heading = HEADING, value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: Option<u32>,
    /// Give up an image or a web address after this many seconds in total, with all retries.
    /// Default: 1800.
    #[arg(long, value_name = "SECONDS", help_heading = HEADING, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    total_timeout: Option<u32>,
}

impl Args {
    /// Returns the access settings.
    pub fn access(&self) -> Access {
        Access {
            platform: self.platform.clone(),
            authfile: self.authfile.clone(),
            trust: if self.use_http || self.skip_tls_verify { Trust::Unverified } else { Trust::Verified },
            offline: self.offline,
            patience: self.timeout.map(|seconds| Duration::from_secs(seconds.into())),
            total: self.total_timeout.map(|seconds| Duration::from_secs(seconds.into())),
            unreachable_hosts: UnreachableHosts::default(),
            cache: Cache::default_location(),
        }
    }
}

/// Bundle in an image.
pub struct OpenedBundle {
    pub tree: Tree,
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
    /// Reference without secrets.
    pub label: String,
}

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap image build catalog -t quay.io/ns/catalog:v1 --to oci-archive:catalog.tar
  olmap image build catalog -t quay.io/ns/catalog:v1 --to oci:layout --from-layout oci:opm:latest
  olmap image build operators/tide/1.3.0 -t quay.io/ns/tide-bundle:1.3.0 --to oci-archive:bundle.tar
  olmap image push oci-archive:catalog.tar docker://quay.io/ns/catalog:v1

Exit code: 0 ok, 2 failed, for example because opm rejects the catalog or the bundle.";

#[derive(Debug, clap::Args)]
pub struct CommandArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Build the image of a catalog or bundle directory as an OCI archive or layout. The same
    /// directory gives the same digest.
    Build(BuildArgs),
    /// Push an OCI archive or layout to a registry.
    Push(PushArgs),
}

/// Maximum number of findings that are shown.
const MAX_SHOWN: usize = 10;

#[derive(Debug, clap::Args)]
struct BuildArgs {
    /// Directory of the catalog or of the bundle. The annotations of a bundle become labels.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Name of the image: HOST/NAME:TAG.
    #[arg(long, short = 't', value_name = "NAME")]
    tag: String,
    /// Target: oci-archive:FILE or oci:DIR, which must not exist.
    #[arg(long, value_name = "TARGET", required_unless_present = "output")]
    to: Option<Target>,
    /// Output format [default: text].
    #[arg(long, short = 'o', value_name = "FORMAT", value_parser = output::output_parser::<TextOrJson>())]
    output: Option<Output<TextOrJson>>,
    /// Base image with /bin/opm: oci:DIR[:TAG] or oci-archive:FILE[:TAG]. Default: no base image,
    /// which is enough for OLM v1. For catalogs only.
    #[arg(long, value_name = "LAYOUT")]
    from_layout: Option<String>,
    /// Additional labels, separated by commas.
    #[arg(long, short = 'l', value_name = "NAME=VALUE")]
    extra_labels: Vec<String>,
    /// Platform. Default: that of the base image, or linux/amd64.
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<Platform>,
}

impl BuildArgs {
    /// Returns the target; `None` if the command line does not contain one.
    fn parse_target(&self) -> Result<Option<Target>, Failure> {
        let Some(path) = self.output.as_ref().and_then(Output::path) else { return Ok(self.to.clone()) };
        let target = path.to_string_lossy().parse::<Target>();
        target.map(Some).map_err(|error| Failure::new(format!("-o {}: {error}", path.display())))
    }
}

/// Built image in JSON.
#[derive(Serialize)]
struct Built<'a> {
    image: String,
    kind: &'static str,
    path: &'a str,
    digest: String,
}

#[derive(Debug, clap::Args)]
struct PushArgs {
    /// Image: oci-archive:FILE[:TAG] or oci:DIR[:TAG].
    #[arg(value_name = "IMAGE")]
    from: String,
    /// Target: `docker://HOST/NAME:TAG`.
    #[arg(value_name = "NAME")]
    to: String,
    #[command(flatten)]
    images: Args,
}

/// Refuses an invalid reference before it is displayed, because it may contain a password.
pub fn check_reference(path: &Path) -> Result<(), Failure> {
    match path.to_str().and_then(ImageReference::parse) {
        Some(Err(error)) => Err(Failure::new(error.to_string()).with_optional_hint(error.hint())),
        Some(Ok(_)) | None => Ok(()),
    }
}

/// Opens the image of a path; `None` if it is not an image reference.
pub fn open_image(path: &Path, access: &Access) -> Option<Result<OpenedImage, Failure>> {
    let reference = path.to_str()?;
    if !ImageReference::is_reference(reference) {
        return None;
    }
    let opened = map_image_error(
        reference,
        with_progress(|progress| images::open_reference(reference, access, progress)),
    );
    if let Ok(opened) = &opened {
        source::print_image_notes(&opened.reference, &opened.notes);
    }
    Some(opened)
}

/// Opens the bundle image of a path; `None` if it is not an image reference.
///
/// # Errors
///
/// Fails if the image cannot be opened, or contains a catalog.
pub fn open_bundle(path: &Path, access: &Access) -> Result<Option<OpenedBundle>, Failure> {
    let Some(opened) = open_image(path, access) else { return Ok(None) };
    let OpenedImage { reference, labels, contents, .. } = opened?;
    match contents {
        Contents::Bundle(tree) => Ok(Some(OpenedBundle { tree, labels, label: reference })),
        Contents::Catalog(_) | Contents::Stream { .. } | Contents::Database { .. } => {
            Err(Failure::new(format!("{reference} is a catalog, not a bundle"))
                .with_hint("olmap validate checks catalogs"))
        }
    }
}

/// Fetches the bundle in an image of a registry.
///
/// # Errors
///
/// Fails if the image cannot be fetched, or is not a bundle.
pub fn load_bundle_tree(reference: &str, access: &Access) -> Result<Tree, Failure> {
    let tree = with_progress(|progress| images::load_bundle_tree(reference, access, progress));
    map_image_error(reference, tree)
}

/// Converts an image error to an error of a command.
pub fn map_image_error<T>(reference: &str, result: Result<T, ImageError>) -> Result<T, Failure> {
    result.map_err(|error| Failure::new(error.message_for(reference)).with_optional_hint(error.hint()))
}

pub fn run_image(args: &CommandArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Build(args) => run_image_build(args, out),
        Command::Push(args) => run_image_push(args, out),
    }
}

fn run_image_build(args: &BuildArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    output::check_output_path(args.output.as_ref(), args.to.is_some(), out)?;
    let is_bundle = is_bundle_directory(&args.directory);
    let mut recipe = ImageRecipe {
        content: if is_bundle { PackedContent::Bundle } else { PackedContent::Catalog },
        name: map_image_error(&args.tag, ImageRecipe::parse_name(&args.tag))?,
        base: args.from_layout.clone(),
        platform: args.platform.clone(),
        labels: generate::parse_labels(&args.extra_labels)?,
    };
    let Some(to) = args.parse_target()? else {
        return Err(Failure::new("no place to write the image to")
            .with_hint("--to oci-archive:FILE or --to oci:DIR names it")
            .into());
    };
    let path = to.path().display().to_string();
    map_image_error(&path, to.check_free())?;
    if is_bundle {
        recipe.labels = check_bundle_to_build(args, &recipe.labels, out)?;
    } else {
        refuse_rejected_catalog(args, out)?;
    }
    let built = with_progress(|progress| images::build_image(&args.directory, &recipe, &to, progress));
    let digest = map_image_error(&args.directory.display().to_string(), built)?.to_string();
    let kind = if matches!(to, Target::Archive(_)) { "oci-archive" } else { "oci" };
    let image = recipe.name.to_string();
    let format = output::format(args.output.as_ref(), None, TextOrJson::Text);
    out.print(&match format {
        TextOrJson::Text => format!("wrote {kind}:{path}: {image}\ndigest {digest}\n"),
        TextOrJson::Json | TextOrJson::Yaml => {
            output::encode_json(format, json::to_pretty_json(&Built { image, kind, path: &path, digest }))
        }
    })?;
    Ok(Outcome::Fine)
}

/// Refuses a catalog that opm rejects, with the reasons.
fn refuse_rejected_catalog(args: &BuildArgs, out: &Out) -> anyhow::Result<()> {
    let catalog = source::open_catalog(Some(&args.directory), &Args::default())?;
    if !matches!(catalog.origin, Origin::Directory(_)) {
        return Err(Failure::new(format!(
            "{} is not the directory of a catalog or bundle",
            args.directory.display()
        ))
        .with_hint("olmap render PATH > DIR/catalog.yaml makes the directory of a catalog")
        .into());
    }
    let snapshot = Snapshot::new(catalog);
    let rejected: Vec<_> = snapshot.findings().filter(|finding| finding.rule.parity).collect();
    if rejected.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("no image is built: opm rejects {}", args.directory.display()))
        .with_detail(render_rejections(&snapshot.catalog, &rejected, out))
        .with_hint("olmap validate --parity shows what opm rejects")
        .into())
}

/// Returns the labels of the image of a bundle: its annotations and additional labels. Refuses a bundle that opm or
/// OLM Classic rejects.
fn check_bundle_to_build(
    args: &BuildArgs,
    extra: &BTreeMap<String, String>,
    out: &Out,
) -> anyhow::Result<BTreeMap<String, String>> {
    if args.from_layout.is_some() {
        return Err(Failure::new("the image of a bundle has no base image")
            .with_hint("omit --from-layout")
            .into());
    }
    let path = &args.directory;
    let tree = read_bundle_directory(path)?;
    let (name, dockerfile) = (folder_name(path), dockerfile_beside(path));
    let bundle = LoadedBundle {
        tree: &tree,
        display_path: path,
        name: name.as_deref(),
        dockerfile: dockerfile.as_ref(),
        labels: None,
    };
    let findings = bundles::check_bundle(&bundle, &BundleChecks::parity());
    let rejected: Vec<&Finding> =
        findings.iter().filter(|finding| finding.severity() == Severity::Error).collect();
    if let Some(part) = unread_part_of(path, &tree) {
        return Err(Failure::new(format!("no image is built: {part}")).into());
    }
    if !rejected.is_empty() {
        let catalog = load::from_texts(Origin::Directory(path.clone()), []);
        return Err(Failure::new(format!("no image is built: {} is not a valid bundle", path.display()))
            .with_detail(render_rejections(&catalog, &rejected, out))
            .with_hint("olmap bundle validate --parity shows what is rejected")
            .into());
    }
    let mut labels = olm_bundle::generate::image_labels(&tree);
    for (key, value) in extra {
        if labels.insert(key.clone(), value.clone()).is_some_and(|annotation| annotation != *value) {
            let reason = format!("the label {key} differs from the annotation in metadata/");
            return Err(Failure::new(reason).with_hint("clusters read the annotation: change it").into());
        }
    }
    Ok(labels)
}

/// Renders the first findings that stop the build of an image.
fn render_rejections(catalog: &Catalog, rejected: &[&Finding], out: &Out) -> String {
    let style = out.error_style();
    let shown = rejected.iter().take(MAX_SHOWN);
    let mut lines: Vec<String> =
        shown.map(|finding| format!("{}\n", finding::render_finding(catalog, finding, style))).collect();
    if let Some(more) = rejected.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("and {more} more\n"));
    }
    lines.concat()
}

fn run_image_push(args: &PushArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let name = map_image_error(&args.to, ImageRecipe::parse_name(&args.to))?;
    let access = args.images.access();
    let pushed = with_progress(|progress| images::push_image(&args.from, &name, &access, progress));
    let digest = map_image_error(&args.to, pushed)?;
    out.print(&format!("pushed {name}\ndigest {digest}\n"))?;
    Ok(Outcome::Fine)
}
