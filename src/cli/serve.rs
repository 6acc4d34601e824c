//! `olmap serve`: serves a catalog on this machine with the API of catalogd.

use std::path::PathBuf;

use super::{failure::Failure, image, out::Out, outcome::Outcome, source};
use crate::runtime;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
The HTTP server answers /api/v1/all and /api/v1/metas, also below /catalogs/NAME. opm serve uses gRPC instead.

Examples:
  olmap serve catalog                           http://127.0.0.1:8080/api/v1/all
  olmap serve catalog --port 0                  any free port

Exit code: 0 ok, 2 failed. The server runs until you stop it.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalog directory, file or image, or - for standard input.
    path: Option<PathBuf>,
    /// Port of 127.0.0.1; 0 for any free port.
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_serve(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::open_catalog(args.path.as_deref(), &args.images)?;
    source::check_published(&catalog)?;
    let failed = |error: std::io::Error| {
        Failure::new(format!("cannot serve on port {} of 127.0.0.1: {error}", args.port))
            .with_hint("--port 0 takes one that is free")
    };
    let served = runtime::ServedCatalog::new(&catalog).map_err(failed)?;
    let (listener, address) = runtime::bind_loopback(args.port).map_err(failed)?;
    let label = catalog.origin.label();
    drop(catalog);
    out.print(&format!("serving {label} on http://{address}/api/v1/all until this is ended (Ctrl-C)\n"))?;
    runtime::serve_catalog(&listener, served, runtime::Limits::default());
    Ok(Outcome::Fine)
}
