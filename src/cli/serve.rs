//! `olmap serve`: serves a catalog on this machine with the API of catalogd.

use std::path::PathBuf;

use super::{failure::Failure, image, out::Out, outcome::Outcome, source};
use crate::runtime;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalog: a directory, a file, an image, or - for standard input.
    path: Option<PathBuf>,
    /// The port of 127.0.0.1; 0 for any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    source::check_published(&catalog)?;
    let failed = |error: std::io::Error| {
        Failure::new(format!("cannot serve on port {} of 127.0.0.1: {error}", args.port))
            .hint("--port 0 takes one that is free")
    };
    let served = runtime::Served::new(&catalog).map_err(failed)?;
    let (listener, address) = runtime::listen(args.port).map_err(failed)?;
    let label = catalog.origin.label();
    drop(catalog);
    out.print(&format!("serving {label} on http://{address}/api/v1/all until this is ended (Ctrl-C)\n"))?;
    runtime::serve(&listener, served, runtime::Limits::default());
    Ok(Outcome::Fine)
}
