//! `olmap serve`: serves a catalog on this machine with the API of catalogd; `olmap lsp`: language server for
//! catalogs.

use std::path::PathBuf;

use super::{Failure, Out, Outcome, image, source};
use crate::runtime;

/// End of the help of `olmap lsp`: examples and exit codes.
pub const LSP_HELP: &str = "\
Editors start this command. It implements the language server protocol on standard input and output:
findings, hovers, completions and renames as you type. docs/editors.md shows how to configure an editor.

Examples:
  olmap lsp                                     in the configuration of an editor

Exit code: 0 ok, 1 the editor ended it without a shutdown request, 2 failed.";

/// End of the help of `olmap serve`: examples and exit codes.
pub const SERVE_HELP: &str = "\
The HTTP server answers /api/v1/all and /api/v1/metas, also below /catalogs/NAME. opm serve uses gRPC instead.

Examples:
  olmap serve catalog                           http://127.0.0.1:8080/api/v1/all
  olmap serve catalog --port 0                  any free port

Exit code: 0 ok, 2 failed. The server runs until you stop it.";

#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    /// Catalog directory, file or image, or - for standard input.
    path: Option<PathBuf>,
    /// Port of 127.0.0.1; 0 for any free port.
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Debug, clap::Args)]
pub struct LspArgs {
    /// Use standard input and output. This is the default; some editors pass the option.
    #[arg(long, hide = true)]
    stdio: bool,
}

pub fn run_serve(args: &ServeArgs, out: &mut Out) -> anyhow::Result<Outcome> {
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

#[allow(clippy::unnecessary_wraps, reason = "as all commands are called")]
pub fn run_lsp(args: &LspArgs, _: &mut Out) -> anyhow::Result<Outcome> {
    let LspArgs { stdio: _ } = args;
    let is_in_order = runtime::serve_lsp()
        .map_err(|error| Failure::new(format!("the language server cannot run: {error}")))?;
    // The protocol requires exit code 1 if the client exits without a shutdown request.
    Ok(if is_in_order { Outcome::Fine } else { Outcome::Findings })
}
