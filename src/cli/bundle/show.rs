//! `olmap bundle show`.

use std::path::PathBuf;

use crate::{
    bundle::registry::Contents,
    cli::{failure::Failure, format::TextOrJson, out::Out, outcome::Outcome},
    export::bundle::show,
    source::read_bundle_directory,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle: a directory with manifests/ and metadata/.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// How to print.
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let tree = read_bundle_directory(&args.directory)?;
    let contents = Contents::read(&tree);
    if contents.any_csv().is_none() && !tree.is_bundle() {
        return Err(Failure::new(format!("{} is not a bundle directory", args.directory.display()))
            .hint("name the directory with manifests/ and metadata/")
            .into());
    }
    match args.format {
        TextOrJson::Json => out.print(&show::json(&contents))?,
        TextOrJson::Text => out.print(&show::text(&contents))?,
    }
    Ok(Outcome::Fine)
}
