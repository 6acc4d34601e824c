//! Images in registries: the protocol of distribution, and the shared configuration of podman and
//! docker.
//!
//! - `conf`: mirrors; `policy`: refused images; `credentials`, `helper`:
//!   secrets.
//! - `client`: requests; `origin`: hosts that may get a secret; `deadline`: time limit of a transfer; `tls`:
//!   certificates; `auth`: challenges; `body`: resumed downloads.
//! - `session`: one repository; `push`: uploads. This module reads an image from the first mirror that has it.

mod client;
mod conf;
mod credentials;
#[cfg(fuzzing)]
pub mod fuzzing;
mod helper;
mod push;
mod session;
#[cfg(test)]
mod tests;

use std::{
    cell::OnceCell,
    env,
    io::{self, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::Value;
use ureq::{
    BodyReader,
    http::{Response, StatusCode, header},
};

use super::{
    error::ImageError,
    image::{self, Image, ImageSource, Layer, Manifests},
    manifest::Descriptor,
    name::ImageName,
    platform::Platform,
};
use crate::{Access, Trust, images::name::ImageVersion};
use olm_catalog::load::{Progress, regular_file};
use session::{Intent, Session};

pub use client::{Client, Request, RequestError, TimeLimits, host_with_port, is_tls_error};

pub use push::Uploader;

/// Returns the hosts for an image: its configured mirrors, then its registry.
pub fn hosts_for_image(name: &ImageName) -> Vec<String> {
    hosts_on(&MachinePaths::from_environment(), name)
}

fn hosts_on(machine: &MachinePaths, name: &ImageName) -> Vec<String> {
    match conf::endpoints(machine, &name.canonical()) {
        Ok(endpoints) => endpoints.into_iter().map(|endpoint| endpoint.name.host).collect(),
        Err(_) => vec![name.host.clone()],
    }
}

/// An image in a registry.
pub struct RegistryImage<'p> {
    machine: MachinePaths,
    access: Access,
    progress: &'p Progress,
    endpoints: Vec<conf::Endpoint>,
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
        check_policy(&machine, &name)?;
        let endpoints = conf::endpoints(&machine, &name)?;
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

/// Default limit of a whole transfer.
const DEFAULT_LIMIT: Duration = Duration::from_secs(30 * 60);

/// End of a transfer with all its requests, retries and resumed bodies.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    limit: Duration,
}

impl Deadline {
    /// Starts a transfer with a time limit; `None` for the default.
    pub fn starting_now(limit: Option<Duration>) -> Self {
        Self { start: Instant::now(), limit: limit.unwrap_or(DEFAULT_LIMIT) }
    }

    /// Returns the remaining time.
    ///
    /// # Errors
    ///
    /// If the limit is exceeded.
    pub fn remaining(&self) -> Result<Duration, ImageError> {
        let left = self.limit.saturating_sub(self.start.elapsed());
        if left.is_zero() { Err(self.exceeded_error()) } else { Ok(left) }
    }

    /// Returns the error for a transfer that exceeded its limit.
    pub fn exceeded_error(&self) -> ImageError {
        ImageError::TooSlow(self.limit)
    }
}

/// Folders and files that podman, skopeo and docker read, and opm with them.
#[derive(Clone, Debug, Default)]
pub struct MachinePaths {
    /// Home directory of the user.
    pub home: Option<PathBuf>,
    /// `$XDG_RUNTIME_DIR/containers`, or its replacement.
    pub runtime: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME/containers`.
    pub config: Option<PathBuf>,
    /// `$DOCKER_CONFIG`, or `~/.docker`.
    pub docker: Option<PathBuf>,
    /// `$REGISTRY_AUTH_FILE`.
    pub authfile: Option<PathBuf>,
    /// `$CONTAINERS_REGISTRIES_CONF`.
    pub registries: Option<PathBuf>,
    /// `/etc/containers` and `/usr/share/containers`, in order of priority.
    pub system: Vec<PathBuf>,
    /// Folders with certificates for each registry.
    pub certificates: Vec<PathBuf>,
}

impl MachinePaths {
    /// Returns the locations of this machine.
    pub fn from_environment() -> Self {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let config = config.map(|folder| folder.join("containers"));
        let runtime = variable("XDG_RUNTIME_DIR").map(|folder| folder.join("containers"));
        let system = vec![PathBuf::from("/etc/containers"), PathBuf::from("/usr/share/containers")];
        let certificates = config.iter().map(|folder| folder.join("certs.d"));
        let certificates =
            certificates.chain(["/etc/containers/certs.d".into(), "/etc/docker/certs.d".into()]).collect();
        Self {
            runtime: runtime.or_else(user_runtime_dir),
            docker: variable("DOCKER_CONFIG").or_else(|| Some(home.as_ref()?.join(".docker"))),
            authfile: variable("REGISTRY_AUTH_FILE"),
            registries: variable("CONTAINERS_REGISTRIES_CONF"),
            home,
            config,
            system,
            certificates,
        }
    }
}

/// Returns podman's folder for temporary data if `$XDG_RUNTIME_DIR` is not set.
fn user_runtime_dir() -> Option<PathBuf> {
    #[cfg(unix)]
    let folder = Some(PathBuf::from(format!("/run/containers/{}", nix::unistd::getuid())));
    #[cfg(not(unix))]
    let folder = None;
    folder
}

const MAX_FILE_BYTES: u64 = 4 << 20;

/// # Errors
///
/// If the policy of this machine refuses an image or cannot be read. Without a policy, everything
/// is accepted.
fn check_policy(machine: &MachinePaths, name: &ImageName) -> Result<(), ImageError> {
    let folders = machine.config.iter().chain(machine.system.iter().take(1));
    let mut files = folders.map(|folder| folder.join("policy.json"));
    let Some(path) = files.find(|path| path.exists()) else { return Ok(()) };
    let text = regular_file::read_regular(&path, MAX_FILE_BYTES)
        .map_err(|source| ImageError::File { path: path.clone(), source })?;
    of_text(&text, &path, name)
}

/// Checks an image against the text of a policy.
fn of_text(text: &[u8], path: &Path, name: &ImageName) -> Result<(), ImageError> {
    let wrong = |why: String| ImageError::Configuration { path: path.to_owned(), why };
    let policy: Value = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
    let default = policy.get("default").ok_or_else(|| wrong("it has no default".to_owned()))?;
    let scopes = policy.get("transports").and_then(|transports| transports.get("docker"));
    let scopes = scopes.and_then(Value::as_object);
    let requirements = scopes_of(name).iter().find_map(|scope| scopes?.get(scope)).unwrap_or(default);
    check_requirements(requirements, name, path)
}

/// Returns the scopes of an image, most specific first.
fn scopes_of(name: &ImageName) -> Vec<String> {
    let mut scope = format!("{}/{}", name.host, name.repository);
    let mut scopes = vec![match &name.version {
        ImageVersion::Tag(tag) => format!("{scope}:{tag}"),
        ImageVersion::Digest(digest) => format!("{scope}@{digest}"),
    }];
    scopes.push(scope.clone());
    while let Some(slash) = scope.rfind('/') {
        scope.truncate(slash);
        scopes.push(scope.clone());
    }
    let mut host = name.host.as_str();
    while let Some((_, above)) = host.split_once('.') {
        scopes.push(format!("*.{above}"));
        host = above;
    }
    scopes.push(String::new());
    scopes
}

fn check_requirements(requirements: &Value, name: &ImageName, path: &Path) -> Result<(), ImageError> {
    let wrong = |why: String| ImageError::Configuration { path: path.to_owned(), why };
    let list = requirements.as_array().filter(|list| !list.is_empty());
    for requirement in
        list.ok_or_else(|| wrong("it has a list of requirements that is empty or none".to_owned()))?
    {
        match requirement.get("type").and_then(Value::as_str) {
            Some("insecureAcceptAnything") => {}
            Some("reject") => return Err(wrong(format!("this policy rejects {name}"))),
            Some(other) => {
                return Err(wrong(format!(
                    "this policy asks for a signature of {name} ({other}), and olmap verifies none"
                )));
            }
            None => return Err(wrong("a requirement has no type".to_owned())),
        }
    }
    Ok(())
}

/// Maximum number of attempts to resume without progress.
const MAX_ATTEMPTS: u32 = 5;

/// Number of bytes that count as progress.
const PROGRESS_BYTES: u64 = 1 << 20;

/// Function that requests the bytes of a blob from a position, with the number of the attempt from 0.
type RequestRange<'a> = dyn Fn(u64, u32) -> Result<Response<ureq::Body>, RequestError> + 'a;

/// Reader of a blob that resumes after a broken connection.
struct ResumingReader<'a> {
    request: Box<RequestRange<'a>>,
    body: Option<BodyReader<'static>>,
    /// Number of bytes read.
    position: u64,
    /// Total number of bytes, if known.
    length: Option<u64>,
    attempts: u32,
    /// Position at which the attempts were last reset.
    since: u64,
}

impl<'a> ResumingReader<'a> {
    /// Creates a reader from a first response.
    pub fn new(response: Response<ureq::Body>, ask: Box<RequestRange<'a>>) -> Self {
        let length = content_length(&response);
        let body = Some(response.into_body().into_reader());
        Self { request: ask, body, position: 0, length, attempts: 0, since: 0 }
    }

    fn is_complete(&self) -> bool {
        self.length.is_none_or(|length| self.position >= length)
    }

    fn resume(&mut self, why: io::Error) -> io::Result<()> {
        if self.position >= self.since + PROGRESS_BYTES {
            self.attempts = 0;
            self.since = self.position;
        }
        self.attempts += 1;
        if self.attempts > MAX_ATTEMPTS {
            return Err(why);
        }
        let response = match (self.request)(self.position, self.attempts - 1) {
            Ok(response) => response,
            Err(RequestError::Unreachable(why)) => return self.resume(io::Error::other(why)),
            Err(RequestError::Other(error)) => return Err(io::Error::other(error)),
        };
        match response.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&response, self.position) => {
                self.body = Some(response.into_body().into_reader());
            }
            StatusCode::OK => {
                // The server sends everything again, so the known bytes are skipped.
                let mut body = response.into_body().into_reader();
                let skipped = io::copy(&mut (&mut body).take(self.position), &mut io::sink());
                self.body = (skipped.ok() == Some(self.position)).then_some(body);
            }
            _ => return Err(why),
        }
        Ok(())
    }
}

/// Returns true if an error is a timeout.
pub fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(ureq::Error::Timeout(_)))
}

/// Returns the length in the header of a response.
fn content_length(response: &Response<ureq::Body>) -> Option<u64> {
    response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

fn begins_at(response: &Response<ureq::Body>, position: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    let begin = range.and_then(|range| range.trim().strip_prefix("bytes ")?.split_once('-'));
    begin.is_some_and(|(begin, _)| begin.trim().parse() == Ok(position))
}

impl Read for ResumingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was cut");
            let Some(body) = &mut self.body else {
                self.resume(cut())?;
                continue;
            };
            match body.read(buffer) {
                Ok(0) if self.is_complete() => return Ok(0),
                Ok(0) => {
                    self.body = None;
                    self.resume(cut())?;
                }
                Ok(count) => {
                    self.position += count as u64;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // After one timeout, there is no second wait.
                Err(error) if is_timeout(&error) => return Err(error),
                Err(error) => {
                    self.body = None;
                    self.resume(error)?;
                }
            }
        }
    }
}
