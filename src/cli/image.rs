//! Catalogs and bundles in container images, on the command line.

use std::path::{Path, PathBuf};

use super::{failure::Failure, progress};
use crate::source::images::{self, Access, ImageError, Opened, Platform, Reference, Trust};

/// How images are found and registries are spoken to; the first two are named as in opm.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Images: accept plain HTTP, and TLS with any certificate.
    #[arg(long)]
    use_http: bool,
    /// Images: accept any TLS certificate.
    #[arg(long)]
    skip_tls_verify: bool,
    /// Images: the file with credentials, instead of those of podman and docker.
    #[arg(long, value_name = "FILE")]
    authfile: Option<PathBuf>,
    /// Images for several platforms: which one. Default: linux and the architecture of this machine.
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<Platform>,
}

impl Args {
    /// The same, checked.
    pub fn access(&self) -> Result<Access, Failure> {
        let trust = match (self.use_http, self.skip_tls_verify) {
            (true, true) => {
                return Err(Failure::new("--use-http and --skip-tls-verify exclude each other")
                    .hint("--use-http accepts any certificate too"));
            }
            (true, false) => Trust::Plain,
            (false, true) => Trust::AnyCertificate,
            (false, false) => Trust::Verified,
        };
        Ok(Access { platform: self.platform.clone(), authfile: self.authfile.clone(), trust })
    }
}

/// Opens the image that a path names; none where it names none.
pub fn open(path: &Path, access: &Access) -> Option<Result<Opened, Failure>> {
    let reference = path.to_str()?;
    Reference::is_one(reference)
        .then(|| told(progress::watched(|progress| images::open(reference, access, progress))))
}

/// The same with an error that people read.
pub fn told<T>(result: Result<T, ImageError>) -> Result<T, Failure> {
    result.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))
}
