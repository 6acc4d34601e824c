//! `olmap image push`.

use crate::cli::{image, out::Out, outcome::Outcome, progress};
use olm_source::images::{self, ImageRecipe};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Image: oci-archive:FILE[:TAG] or oci:DIR[:TAG].
    #[arg(value_name = "IMAGE")]
    from: String,
    /// Target: `docker://HOST/NAME:TAG`.
    #[arg(value_name = "NAME")]
    to: String,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_image_push(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let name = image::map_image_error(&args.to, ImageRecipe::parse_name(&args.to))?;
    let access = args.images.access();
    let pushed = progress::with_progress(|progress| images::push_image(&args.from, &name, &access, progress));
    let digest = image::map_image_error(&args.to, pushed)?;
    out.print(&format!("pushed {name}\ndigest {digest}\n"))?;
    Ok(Outcome::Fine)
}
