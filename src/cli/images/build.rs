//! `olmap image build`.

use std::path::PathBuf;

use serde::Serialize;

use crate::{
    catalog::Origin,
    cli::{
        failure::Failure,
        format::TextOrJson,
        image, labels,
        out::Out,
        outcome::Outcome,
        output::{self, Output},
        progress, source,
    },
    export::{finding, json},
    review::Snapshot,
    source::{
        Platform,
        images::{self, Recipe, Target},
    },
};

/// Maximum number of findings that are shown.
const SHOWN: usize = 10;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory of the catalog.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The name of the image: HOST/NAME:TAG.
    #[arg(long, short = 't', value_name = "NAME")]
    tag: String,
    /// Where it goes: oci-archive:FILE or oci:DIR, which must not exist yet.
    #[arg(long, value_name = "TARGET", required_unless_present = "output")]
    to: Option<Target>,
    /// Output format [default: text].
    #[arg(long, short = 'o', value_name = "FORMAT", value_parser = output::parser::<TextOrJson>())]
    output: Option<Output<TextOrJson>>,
    /// The image below, with /bin/opm: oci:DIR[:TAG] or oci-archive:FILE[:TAG]. Default: only the files, which is enough for
    /// OLM v1.
    #[arg(long, value_name = "LAYOUT")]
    from_layout: Option<String>,
    /// More labels, with commas between.
    #[arg(long, short = 'l', value_name = "NAME=VALUE")]
    extra_labels: Vec<String>,
    /// For which platform. Default: that of the image below, or linux/amd64.
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<Platform>,
}

impl Args {
    /// Returns the target; `None` if the command line does not contain one.
    fn target(&self) -> Result<Option<Target>, Failure> {
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

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    output::check(args.output.as_ref(), args.to.is_some(), out)?;
    let recipe = Recipe {
        name: image::told(&args.tag, Recipe::name(&args.tag))?,
        base: args.from_layout.clone(),
        platform: args.platform.clone(),
        labels: labels::read(&args.extra_labels)?,
    };
    let Some(to) = args.target()? else {
        return Err(Failure::new("no place to write the image to")
            .hint("--to oci-archive:FILE or --to oci:DIR names it")
            .into());
    };
    let path = to.path().display().to_string();
    image::told(&path, to.check_free())?;
    check(args, out)?;
    let built = progress::watched(|progress| images::build(&args.directory, &recipe, &to, progress));
    let digest = image::told(&args.directory.display().to_string(), built)?.to_string();
    let kind = if matches!(to, Target::Archive(_)) { "oci-archive" } else { "oci" };
    let image = recipe.name.to_string();
    out.print(&match output::format(args.output.as_ref(), None, TextOrJson::Text) {
        TextOrJson::Text => format!("wrote {kind}:{path}: {image}\ndigest {digest}\n"),
        TextOrJson::Json => json::pretty(&Built { image, kind, path: &path, digest }),
    })?;
    Ok(Outcome::Fine)
}

/// Refuses a catalog that opm rejects, with the reasons.
fn check(args: &Args, out: &Out) -> anyhow::Result<()> {
    let catalog = source::one(Some(&args.directory), &image::Args::default())?;
    if !matches!(catalog.origin, Origin::Directory(_)) {
        return Err(Failure::new(format!("{} is not the directory of a catalog", args.directory.display()))
            .hint("olmap render PATH > DIR/catalog.yaml makes one")
            .into());
    }
    let snapshot = Snapshot::new(catalog);
    let rejected: Vec<_> = snapshot.findings().filter(|finding| finding.rule.parity).collect();
    if rejected.is_empty() {
        return Ok(());
    }
    let style = out.error_style();
    let shown = rejected.iter().take(SHOWN);
    let mut lines: Vec<String> =
        shown.map(|finding| format!("{}\n", finding::text(&snapshot.catalog, finding, style))).collect();
    if let Some(more) = rejected.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        lines.push(format!("and {more} more\n"));
    }
    Err(Failure::new(format!("no image is built: opm rejects {}", args.directory.display()))
        .detail(lines.concat())
        .hint("olmap validate --parity shows what opm rejects")
        .into())
}
