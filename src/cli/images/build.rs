//! `olmap image build`.

use std::path::PathBuf;

use serde::Serialize;

use crate::cli::{
    failure::Failure,
    format::TextOrJson,
    image, labels,
    out::Out,
    outcome::Outcome,
    output::{self, Output},
    progress, source,
};
use olm_catalog::Origin;
use olm_check::review::Snapshot;
use olm_source::{
    Platform,
    images::{self, ImageRecipe, Target},
};
use olmap_report::{finding, json};

/// Maximum number of findings that are shown.
const MAX_SHOWN: usize = 10;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory of the catalog.
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
    /// which is enough for OLM v1.
    #[arg(long, value_name = "LAYOUT")]
    from_layout: Option<String>,
    /// Additional labels, separated by commas.
    #[arg(long, short = 'l', value_name = "NAME=VALUE")]
    extra_labels: Vec<String>,
    /// Platform. Default: that of the base image, or linux/amd64.
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<Platform>,
}

impl Args {
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

pub fn run_image_build(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    output::check_output_path(args.output.as_ref(), args.to.is_some(), out)?;
    let recipe = ImageRecipe {
        name: image::map_image_error(&args.tag, ImageRecipe::parse_name(&args.tag))?,
        base: args.from_layout.clone(),
        platform: args.platform.clone(),
        labels: labels::parse_labels(&args.extra_labels)?,
    };
    let Some(to) = args.parse_target()? else {
        return Err(Failure::new("no place to write the image to")
            .with_hint("--to oci-archive:FILE or --to oci:DIR names it")
            .into());
    };
    let path = to.path().display().to_string();
    image::map_image_error(&path, to.check_free())?;
    refuse_rejected_catalog(args, out)?;
    let built =
        progress::with_progress(|progress| images::build_image(&args.directory, &recipe, &to, progress));
    let digest = image::map_image_error(&args.directory.display().to_string(), built)?.to_string();
    let kind = if matches!(to, Target::Archive(_)) { "oci-archive" } else { "oci" };
    let image = recipe.name.to_string();
    out.print(&match output::format(args.output.as_ref(), None, TextOrJson::Text) {
        TextOrJson::Text => format!("wrote {kind}:{path}: {image}\ndigest {digest}\n"),
        TextOrJson::Json => json::to_pretty_json(&Built { image, kind, path: &path, digest }),
    })?;
    Ok(Outcome::Fine)
}

/// Refuses a catalog that opm rejects, with the reasons.
fn refuse_rejected_catalog(args: &Args, out: &Out) -> anyhow::Result<()> {
    let catalog = source::open_catalog(Some(&args.directory), &image::Args::default())?;
    if !matches!(catalog.origin, Origin::Directory(_)) {
        return Err(Failure::new(format!("{} is not the directory of a catalog", args.directory.display()))
            .with_hint("olmap render PATH > DIR/catalog.yaml makes one")
            .into());
    }
    let snapshot = Snapshot::new(catalog);
    let rejected: Vec<_> = snapshot.findings().filter(|finding| finding.rule.parity).collect();
    if rejected.is_empty() {
        return Ok(());
    }
    let style = out.error_style();
    let shown = rejected.iter().take(MAX_SHOWN);
    let mut lines: Vec<String> = shown
        .map(|finding| format!("{}\n", finding::render_finding(&snapshot.catalog, finding, style)))
        .collect();
    if let Some(more) = rejected.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("and {more} more\n"));
    }
    Err(Failure::new(format!("no image is built: opm rejects {}", args.directory.display()))
        .with_detail(lines.concat())
        .with_hint("olmap validate --parity shows what opm rejects")
        .into())
}
