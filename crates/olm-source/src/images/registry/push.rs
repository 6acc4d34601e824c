//! Upload of blobs and manifests to a repository, and of images from a layout or an archive.
//!
//! Source: the OCI distribution specification. An upload begins with POST and ends with one PUT.

use std::io::{self, Read};

use ureq::{
    Body,
    http::{Response, StatusCode, header},
};

use super::{
    client::{OutgoingRequest, ReceivedResponse, host_with_port},
    configuration::{self, MachinePaths},
    session::{Intent, Session},
    transfer::Deadline,
};
use crate::{
    Access, Trust,
    digest::Digest,
    images::{
        build, declared_size,
        error::ImageError,
        image::{CopySource, MAX_MANIFEST_BYTES, Manifest, ManifestDocument, layer_for, verify_digest},
        name::ImageName,
    },
};
use olm_catalog::load::{Phase, Progress};

/// Maximum number of attempts for an upload.
const MAX_ATTEMPTS: usize = 3;
/// Number of bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Function that opens a blob from the beginning.
pub type OpenBlob<'o> = dyn Fn() -> Result<Box<dyn Read + 'o>, ImageError> + 'o;

/// Uploads to a single repository.
pub struct Uploader<'p> {
    session: Session<'p>,
    progress: &'p Progress,
}

impl<'p> Uploader<'p> {
    /// Connects to the repository of a name with this machine's configuration. Uploads never go to mirrors.
    ///
    /// # Errors
    ///
    /// If the registry is unreachable or refuses access.
    pub fn new(name: &ImageName, access: &Access, progress: &'p Progress) -> Result<Self, ImageError> {
        Self::with_machine(&MachinePaths::from_environment(), name, access, progress)
    }

    pub(super) fn with_machine(
        machine: &MachinePaths,
        name: &ImageName,
        access: &Access,
        progress: &'p Progress,
    ) -> Result<Self, ImageError> {
        if access.offline {
            let why = "nothing can be pushed without a connection (--offline)".to_owned();
            return Err(ImageError::Registry(why, None));
        }
        let name = name.canonical();
        let endpoint = configuration::endpoints(machine, &name)?.pop();
        let (name, insecure) = endpoint.map_or((name, false), |endpoint| (endpoint.name, endpoint.insecure));
        let verifies = access.trust == Trust::Verified && !insecure;
        let deadline = Deadline::starting_now(access.total);
        let session = Session::connect(machine, &name, verifies, access, Intent::Push, deadline, progress)?;
        Ok(Self { session, progress })
    }

    /// Uploads a blob unless the registry has it.
    ///
    /// # Errors
    ///
    /// If the registry refuses it, or if it cannot be read.
    pub fn upload_blob(
        &self,
        digest: &Digest,
        size: Option<u64>,
        open: &OpenBlob<'_>,
    ) -> Result<(), ImageError> {
        if self.has_blob(digest)? {
            return Ok(());
        }
        self.verify_blob(digest, size, open)?;
        let mut last = None;
        for _ in 0..MAX_ATTEMPTS {
            self.progress.check_stopped()?;
            let begun = self.send("POST", &self.session.address_of("blobs/uploads/"), None, None)?;
            if begun.status() != StatusCode::ACCEPTED {
                return Err(self.refused_error(begun.status()));
            }
            let upload_location = self.upload_location(&begun)?;
            let sign = if upload_location.contains('?') { '&' } else { '?' };
            let url = format!("{upload_location}{sign}digest={}%3A{}", digest.algorithm(), digest.hex());
            match self.send("PUT", &url, Some("application/octet-stream"), Some(&Upload { size, open })) {
                Ok(done) if done.status().is_success() => return Ok(()),
                Ok(done) if done.status().is_server_error() => last = Some(self.refused_error(done.status())),
                Ok(done) => return Err(self.refused_error(done.status())),
                Err(error @ ImageError::Unreachable { .. }) => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(last.unwrap_or_else(|| self.refused_error(StatusCode::INTERNAL_SERVER_ERROR)))
    }

    /// Reads a whole blob before the upload, because the registry would wait for missing bytes.
    ///
    /// # Errors
    ///
    /// If the blob has a wrong digest or size, or cannot be read.
    fn verify_blob(&self, digest: &Digest, size: Option<u64>, open: &OpenBlob<'_>) -> Result<(), ImageError> {
        let unread = |why: String| ImageError::Malformed { what: "blob", why: format!("{digest}: {why}") };
        let (mut bytes, mut digester) = (open()?, digest.digester());
        let (mut chunk, mut length) = (vec![0; CHUNK], 0);
        loop {
            self.progress.check_stopped()?;
            let count = match bytes.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unread(error.to_string())),
            };
            length += count as u64;
            digester.update(chunk.get(..count).unwrap_or_default());
        }
        if let Some(size) = size.filter(|size| *size != length) {
            return Err(unread(format!("it has {length} bytes, and the manifest says {size}")));
        }
        let found = digester.finish();
        if found == *digest {
            Ok(())
        } else {
            Err(ImageError::WrongDigest { expected: digest.clone(), found })
        }
    }

    /// Uploads a manifest under a tag or a digest.
    ///
    /// # Errors
    ///
    /// If the registry refuses it.
    pub fn upload_manifest(&self, version: &str, kind: &str, bytes: &[u8]) -> Result<(), ImageError> {
        let url = self.session.address_of(&format!("manifests/{version}"));
        let upload = Upload { size: Some(bytes.len() as u64), open: &|| Ok(Box::new(bytes)) };
        let done = self.send("PUT", &url, Some(kind), Some(&upload))?;
        if done.status().is_success() { Ok(()) } else { Err(self.refused_error(done.status())) }
    }

    fn has_blob(&self, digest: &Digest) -> Result<bool, ImageError> {
        let answer = self.send("HEAD", &self.session.address_of(&format!("blobs/{digest}")), None, None)?;
        // A redirect means that another host has the blob.
        Ok(answer.status().is_success() || answer.status().is_redirection())
    }

    /// Sends a request. Repeats it after a challenge, or after a pause that the host requests.
    fn send(
        &self,
        method: &'static str,
        url: &str,
        kind: Option<&str>,
        upload: Option<&Upload<'_, '_>>,
    ) -> Result<Response<Body>, ImageError> {
        let mut tries = MAX_ATTEMPTS;
        loop {
            tries -= 1;
            let other_host = self.session.other_host(url);
            let authorization = self.session.authorization().filter(|_| other_host.is_none());
            let sent = OutgoingRequest {
                method,
                url,
                authorization: authorization.as_deref(),
                kind,
                size: upload.and_then(|upload| upload.size),
                other_host: other_host.as_deref(),
            };
            let mut body = match upload {
                Some(upload) => {
                    let (inner, left) = ((upload.open)()?, upload.size);
                    Some(CountingReader { inner, left, progress: self.progress })
                }
                None => None,
            };
            let body = body.as_mut().map(|body| body as &mut dyn Read);
            let failed = |failed| self.session.request_error(failed);
            let received = self.session.client.send_with_body(&sent, body).map_err(failed)?;
            let ReceivedResponse { response, other_host } = &received;
            match (response.status(), received.challenge(), other_host) {
                (StatusCode::UNAUTHORIZED, _, Some(host)) => {
                    return Err(self.session.foreign_challenge_error(host));
                }
                (StatusCode::UNAUTHORIZED, Some(challenge), _) if tries > 0 => {
                    self.session.answer_challenge(&challenge)?;
                }
                (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _, _) => {
                    return Err(self.session.access_error());
                }
                (StatusCode::TOO_MANY_REQUESTS, _, _) if tries > 0 => {
                    self.session.client.pause(response).map_err(failed)?;
                }
                _ => return Ok(received.response),
            }
        }
    }

    /// Returns the address where an upload continues. It may contain a secret, so no message includes it.
    fn upload_location(&self, begun: &Response<Body>) -> Result<String, ImageError> {
        let location = begun.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        let base = self.session.address_of("");
        let place = match location {
            Some(whole) if whole.starts_with("http://") || whole.starts_with("https://") => whole.to_owned(),
            Some(path) if path.starts_with('/') && !path.starts_with("//") => {
                let scheme = base.split("://").next().unwrap_or("https");
                format!("{scheme}://{}{path}", host_with_port(&base).unwrap_or_default())
            }
            _ => return Err(self.registry_error("does not say where an upload goes")),
        };
        if base.starts_with("https://") && place.starts_with("http://") {
            return Err(self.registry_error("wants uploads to be sent without TLS"));
        }
        Ok(place)
    }

    fn registry_error(&self, why: &str) -> ImageError {
        ImageError::Registry(format!("the registry {} {why}", self.session.host()), None)
    }

    fn refused_error(&self, status: StatusCode) -> ImageError {
        let hint = match status {
            StatusCode::NOT_FOUND => "does the repository exist, and may it be written to?",
            StatusCode::METHOD_NOT_ALLOWED => "is the registry read-only?",
            StatusCode::PAYLOAD_TOO_LARGE => "a proxy or the registry limits how large an upload may be",
            _ => "try again later",
        };
        let why =
            format!("the registry {} does not take it: status {}", self.session.host(), status.as_u16());
        ImageError::Registry(why, Some(hint.to_owned()))
    }
}

/// Body of a request, which may be sent again.
struct Upload<'u, 'o> {
    size: Option<u64>,
    open: &'u OpenBlob<'o>,
}

/// Reader that counts bytes and stops on cancellation.
struct CountingReader<'c> {
    inner: Box<dyn Read + 'c>,
    /// Number of remaining bytes, if known.
    left: Option<u64>,
    progress: &'c Progress,
}

impl Read for CountingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check_stopped().map_err(io::Error::other)?;
        let count = self.inner.read(buffer)?;
        // The HTTP client would wait endlessly for missing bytes.
        if count == 0 && !buffer.is_empty() && self.left.is_some_and(|left| left > 0) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left = self.left.map(|left| left.saturating_sub(count as u64));
        self.progress.bytes.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
        Ok(count)
    }
}

/// Default media type of a manifest and an index without one.
const IMAGE_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";

const INDEX_TYPE: &str = "application/vnd.oci.image.index.v1+json";

/// Pushes the image of a local reference under a name. Returns the digest of the pushed manifest or index.
///
/// # Errors
///
/// If the image is incomplete, or if the registry refuses it.
pub fn push_image(
    reference: &str,
    name: &ImageName,
    access: &Access,
    progress: &Progress,
) -> Result<Digest, ImageError> {
    let place = build::open_layout(reference)?;
    let (bytes, declared) = place.top_document()?;
    let digest = Digest::sha256(&bytes);
    let document = ManifestDocument::parse(&bytes, declared.as_deref())?;
    let to = Uploader::new(name, access, progress)?;
    match document {
        ManifestDocument::Image(manifest) => push_blobs(&*place, &manifest, &to, progress)?,
        ManifestDocument::Index(entries) => {
            for entry in entries {
                let bytes = place.manifest(&entry.at)?;
                declared_size::check_declared_size(&entry.at, "manifest", &bytes)?;
                verify_digest(&entry.at.digest, &bytes)?;
                let kind = Some(entry.at.media_type.as_str()).filter(|kind| !kind.is_empty());
                let ManifestDocument::Image(manifest) = ManifestDocument::parse(&bytes, kind)? else {
                    let why = "an index lies in it, and only images are pushed with one".to_owned();
                    return Err(ImageError::Malformed { what: "index", why });
                };
                push_blobs(&*place, &manifest, &to, progress)?;
                to.upload_manifest(&entry.at.digest.to_string(), kind.unwrap_or(IMAGE_TYPE), &bytes)?;
            }
        }
    }
    let own = || {
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let usual = if value.get("manifests").is_some() { INDEX_TYPE } else { IMAGE_TYPE };
        value.get("mediaType").and_then(|kind| kind.as_str()).unwrap_or(usual).to_owned()
    };
    to.upload_manifest(&name.version.to_string(), &declared.unwrap_or_else(own), &bytes)?;
    Ok(digest)
}

fn push_blobs(
    place: &dyn CopySource,
    manifest: &Manifest,
    to: &Uploader<'_>,
    progress: &Progress,
) -> Result<(), ImageError> {
    let config = place.small_blob(&manifest.config, MAX_MANIFEST_BYTES)?;
    declared_size::check_declared_size(&manifest.config, "config", &config)?;
    verify_digest(&manifest.config.digest, &config)?;
    progress.begin_phase(Phase::Sending);
    progress.expect_bytes(manifest.layers.iter().filter_map(|at| at.size).sum());
    for at in &manifest.layers {
        progress.check_stopped()?;
        to.upload_blob(&at.digest, Some(at.declared("layer")?), &|| place.layer(&layer_for(at)))?;
    }
    let config = config.as_slice();
    to.upload_blob(&manifest.config.digest, Some(config.len() as u64), &|| Ok(Box::new(config)))
}
