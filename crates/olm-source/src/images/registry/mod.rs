//! Images in registries: the protocol of distribution, and the shared configuration of podman and
//! docker.
//!
//! - `configuration`: mirrors and refused images; `credentials`: secrets.
//! - `client`: requests; `auth`: challenges, and hosts that may get a secret; `transfer`: resumed downloads, time limit.
//! - `session`: one repository; `push`: uploads. This module reads an image from the first mirror that has it.

mod auth;
mod client;
mod configuration;
mod credentials;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod push;
mod session;
#[cfg(test)]
mod tests;
mod transfer;

use std::{cell::OnceCell, io::Read};

use super::{
    error::ImageError,
    image::{self, Descriptor, Image, ImageSource, Layer, Manifests},
    name::ImageName,
};
use crate::{Access, Platform, Trust};
use olm_catalog::load::Progress;
use session::{Intent, Session};

pub use client::{Client, Request, RequestError, TimeLimits, host_with_port, is_tls_error};
pub use configuration::MachinePaths;
pub use push::push_image;
pub use transfer::{Deadline, is_timeout};

/// Returns the hosts for an image: its configured mirrors, then its registry.
pub fn hosts_for_image(name: &ImageName) -> Vec<String> {
    hosts_on(&MachinePaths::from_environment(), name)
}

fn hosts_on(machine: &MachinePaths, name: &ImageName) -> Vec<String> {
    match configuration::endpoints(machine, &name.canonical()) {
        Ok(endpoints) => endpoints.into_iter().map(|endpoint| endpoint.name.host).collect(),
        Err(_) => vec![name.host.clone()],
    }
}

/// An image in a registry.
pub struct RegistryImage<'p> {
    machine: MachinePaths,
    access: Access,
    progress: &'p Progress,
    endpoints: Vec<configuration::Endpoint>,
    /// Time limit for the whole image, over all endpoints.
    deadline: Deadline,
    /// Session with the endpoint that has the image.
    session: OnceCell<Session<'p>>,
}

impl<'p> RegistryImage<'p> {
    /// Creates a reader for an image with this machine's configuration.
    ///
    /// # Errors
    ///
    /// If the configuration forbids the image or cannot be read.
    pub fn new(name: &ImageName, access: &Access, progress: &'p Progress) -> Result<Self, ImageError> {
        Self::with_machine(MachinePaths::from_environment(), name, access, progress)
    }

    fn with_machine(
        machine: MachinePaths,
        name: &ImageName,
        access: &Access,
        progress: &'p Progress,
    ) -> Result<Self, ImageError> {
        let name = name.canonical();
        configuration::check_policy(&machine, &name)?;
        let endpoints = configuration::endpoints(&machine, &name)?;
        let deadline = Deadline::starting_now(access.total);
        Ok(Self { machine, access: access.clone(), progress, endpoints, deadline, session: OnceCell::new() })
    }

    fn session(&self) -> Result<&Session<'p>, ImageError> {
        if self.session.get().is_none() {
            // The manifest came from the cache. Requesting it shows which endpoint has the image.
            self.top_document()?;
        }
        self.session.get().ok_or_else(|| ImageError::Registry("no registry to ask".to_owned(), None))
    }
}

impl Manifests for RegistryImage<'_> {
    fn top_document(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        let mut failed: Vec<(String, ImageError)> = Vec::new();
        for endpoint in &self.endpoints {
            let verifies = self.access.trust == Trust::Verified && !endpoint.insecure;
            let opened = Session::connect(
                &self.machine,
                &endpoint.name,
                verifies,
                &self.access,
                Intent::Pull,
                self.deadline,
                self.progress,
            );
            match opened.and_then(|session| Ok((session.fetch_manifest()?, session))) {
                Ok((manifest, session)) => {
                    let _ = self.session.set(session);
                    return Ok(manifest);
                }
                Err(error @ (ImageError::Load(_) | ImageError::TooSlow(_))) => return Err(error),
                Err(error) => failed.push((endpoint.name.host.clone(), error)),
            }
        }
        // The registry itself comes last, and its error comes first in the message.
        let Some((_, last)) = failed.pop() else {
            return Err(ImageError::Registry("no registry to ask".to_owned(), None));
        };
        if failed.is_empty() {
            return Err(last);
        }
        let mirrors = failed.into_iter().map(|(host, error)| format!("mirror {host}: {error}")).collect();
        Err(ImageError::Mirrored { last: Box::new(last), mirrors })
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        self.session()?.fetch_manifest_of(at)
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        self.session()?.fetch_small_blob(at, most)
    }
}

impl ImageSource for RegistryImage<'_> {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::select_image(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        let session = self.session()?;
        match &layer.at {
            Some(at) => session.open_blob(at, "layer"),
            None => {
                Err(ImageError::Malformed { what: "manifest", why: "a layer has no descriptor".to_owned() })
            }
        }
    }
}
