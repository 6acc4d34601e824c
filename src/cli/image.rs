//! Catalogs and bundles in container images and at URLs, on the command line.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{failure::Failure, progress, source};
use olm_bundle::Tree;
use olm_source::{
    Access, Platform, Trust, UnreachableHosts,
    cache::Cache,
    images::{self, Contents, ImageError, ImageReference, OpenedImage},
};

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
        progress::with_progress(|progress| images::open_reference(reference, access, progress)),
    );
    if let Ok(opened) = &opened {
        source::print_image_notes(&opened.reference, &opened.notes);
    }
    Some(opened)
}

/// Bundle in an image.
pub struct OpenedBundle {
    pub tree: Tree,
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
    /// Reference without secrets.
    pub label: String,
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

/// Converts an image error to an error of a command.
pub fn map_image_error<T>(reference: &str, result: Result<T, ImageError>) -> Result<T, Failure> {
    result.map_err(|error| Failure::new(error.message_for(reference)).with_optional_hint(error.hint()))
}
