//! `olmap image push`.

use crate::{
    cli::{image, out::Out, outcome::Outcome, progress},
    source::images::{self, Recipe},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The image: oci-archive:FILE[:TAG] or oci:DIR[:TAG].
    #[arg(value_name = "IMAGE")]
    from: String,
    /// Where it goes: `docker://HOST/NAME:TAG`.
    #[arg(value_name = "NAME")]
    to: String,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let name = image::told(&args.to, Recipe::name(&args.to))?;
    let access = args.images.access();
    let pushed = progress::watched(|progress| images::push(&args.from, &name, &access, progress));
    let digest = image::told(&args.to, pushed)?;
    out.print(&format!("pushed {name}\ndigest {digest}\n"))?;
    Ok(Outcome::Fine)
}
