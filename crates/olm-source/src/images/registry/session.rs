//! Session with one repository: ping, challenge, token, then manifests and blobs.

use std::{
    cell::RefCell,
    io::{self, Read},
    path::PathBuf,
    time::Duration,
};

use serde_json::Value;
use ureq::{
    Body,
    http::{Response, StatusCode, header},
};

use super::{
    auth::{self, Challenge, WebOrigin},
    client::{Client, ReceivedResponse, Request, RequestError, TimeLimits, is_tls_error},
    configuration::MachinePaths,
    credentials::{self, Credentials, Secret},
    transfer::{Deadline, ResumingReader, content_length, is_timeout},
};
use crate::{
    Access,
    images::{
        declared_size::{self, ExactReader},
        error::{FoundSize, ImageError},
        image::{ACCEPTED_TYPES, Descriptor, MAX_MANIFEST_BYTES, verify_digest},
        name::{ImageName, ImageVersion},
    },
};
use olm_catalog::load::Progress;

/// Size limit of a token response, in bytes.
const MAX_TOKEN_BYTES: u64 = 1 << 20;
/// Delay before the first retry of a broken connection; doubles with each retry.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Requested access to a repository.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// Read access.
    Pull,
    /// Read and write access.
    Push,
}

/// A session with a repository.
pub struct Session<'p> {
    pub(super) client: Client<'p>,
    intent: Intent,
    name: ImageName,
    /// Base address, such as `https://HOST`.
    base: String,
    repository: String,
    credentials: Option<Credentials>,
    /// Errors of the search for credentials, for the message if the registry refuses access.
    credential_errors: Vec<String>,
    /// Credentials files that were searched.
    searched_files: Vec<PathBuf>,
    /// Value of the `Authorization` header; `None` unless the registry requires one.
    authorization: RefCell<Option<String>>,
}

impl<'p> Session<'p> {
    /// Opens a session. With `verifies`, only TLS with a valid certificate is accepted; without it,
    /// also plain HTTP.
    ///
    /// # Errors
    ///
    /// If the registry is unreachable, is not a registry, or requires missing credentials.
    pub fn connect(
        machine: &MachinePaths,
        name: &ImageName,
        verifies: bool,
        access: &Access,
        intent: Intent,
        deadline: Deadline,
        progress: &'p Progress,
    ) -> Result<Self, ImageError> {
        let authfile = access.authfile.as_deref();
        let name = &name.canonical();
        let real = if name.host == "docker.io" { "registry-1.docker.io" } else { &name.host };
        let (credentials, troubles) = credentials::find_credentials(machine, authfile, name)?;
        let patience = TimeLimits { idle: access.patience, deadline };
        let mut session = Self {
            client: Client::new(machine, &name.host, verifies, patience, progress)?,
            base: format!("https://{real}"),
            credentials,
            credential_errors: troubles,
            intent,
            searched_files: credentials::credential_files(machine, authfile),
            name: name.clone(),
            repository: name.repository.clone(),
            authorization: RefCell::default(),
        };
        let response = match session.ping() {
            Err(RequestError::Unreachable(_)) if !verifies => {
                session.base = format!("http://{real}");
                session.ping()
            }
            other => other,
        };
        let received = response.map_err(|failed| session.request_error(failed))?;
        match received.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED => {
                if let Some(host) = &received.other_host {
                    return Err(session.foreign_challenge_error(host));
                }
                if let Some(challenge) = received.challenge() {
                    session.answer_challenge(&challenge)?;
                }
            }
            status => return Err(session.status_error(status, "is it a registry?")),
        }
        Ok(session)
    }

    /// Returns the address of a path in the repository, such as `manifests/latest`.
    pub(super) fn address_of(&self, path: &str) -> String {
        format!("{}/v2/{}/{path}", self.base, self.repository)
    }

    /// Returns the host for messages.
    pub(super) fn host(&self) -> &str {
        &self.name.host
    }

    /// Returns the value of the `Authorization` header for requests to the registry itself.
    pub(super) fn authorization(&self) -> Option<String> {
        self.authorization.borrow().clone()
    }

    /// Returns the host of an address; `None` if it is the registry itself.
    pub(super) fn other_host(&self, url: &str) -> Option<String> {
        let origin = WebOrigin::parse(url);
        if origin.is_some() && origin == WebOrigin::parse(&self.base) {
            return None;
        }
        Some(origin.map_or_else(String::new, |origin| origin.authority()))
    }

    fn ping(&self) -> Result<ReceivedResponse, RequestError> {
        let url = format!("{}/v2/", self.base);
        self.client.get_with_retries(Request {
            url: &url,
            accept: None,
            authorization: None,
            from: 0,
            more: &[],
        })
    }

    /// Returns the manifest or index of the name, with its media type.
    ///
    /// # Errors
    ///
    /// If it is missing or has a wrong digest.
    pub fn fetch_manifest(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        let version = self.name.version.to_string();
        let response = self.get_successful(&format!("manifests/{version}"), 0)?;
        let declared = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let declared = declared.map(str::to_owned);
        let bytes = self.read_limited(response, MAX_MANIFEST_BYTES)?;
        if let ImageVersion::Digest(digest) = &self.name.version {
            verify_digest(digest, &bytes)?;
        }
        Ok((bytes, declared))
    }

    /// Returns the manifest that an entry of an index refers to.
    ///
    /// # Errors
    ///
    /// If it is missing or has a wrong size.
    pub fn fetch_manifest_of(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        let open = || {
            let response = self.get_successful(&format!("manifests/{}", at.digest), 0)?;
            check_length(&response, at, "manifest")?;
            Ok(self.client.limit_body(response.into_body().into_reader()))
        };
        declared_size::read_declared(at, "manifest", MAX_MANIFEST_BYTES, open, |error| {
            self.body_error(&error)
        })
    }

    /// Returns a blob that fits in memory: the config of an image.
    ///
    /// # Errors
    ///
    /// If it is missing, exceeds the limit in bytes, or has a wrong size.
    pub fn fetch_small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        declared_size::read_declared(
            at,
            "config",
            most,
            || self.open_blob(at, "config"),
            |error| self.body_error(&error),
        )
    }

    /// Opens a blob, limited to its declared size.
    ///
    /// # Errors
    ///
    /// If it is missing or has a wrong size.
    pub fn open_blob(&self, at: &Descriptor, what: &'static str) -> Result<Box<dyn Read + '_>, ImageError> {
        let path = format!("blobs/{}", at.digest);
        let response = self.get_successful(&path, 0)?;
        check_length(&response, at, what)?;
        let ask = move |from, attempt: u32| {
            self.client.wait(FIRST_WAIT * ((1 << attempt.min(8)) - 1))?;
            Ok(self.get_authorized(&path, from)?.response)
        };
        let inner = ResumingReader::new(response, Box::new(ask));
        Ok(Box::new(ExactReader::new(SessionReader { inner, session: self }, at, what)?))
    }

    /// Requests a path from an offset. Any status other than OK becomes an error.
    fn get_successful(&self, path: &str, from: u64) -> Result<Response<Body>, ImageError> {
        let received = self.get_authorized(path, from).map_err(|failed| self.request_error(failed))?;
        match (received.status(), &received.other_host) {
            (StatusCode::OK, _) => Ok(received.response),
            (StatusCode::UNAUTHORIZED, Some(host)) => Err(self.foreign_challenge_error(host)),
            (StatusCode::FORBIDDEN, Some(host)) => {
                let why = format!("{} sends us to {host}, which refuses", self.name.host);
                Err(ImageError::Registry(why, None))
            }
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, None) => Err(self.access_error()),
            (StatusCode::NOT_FOUND, _) => Err(ImageError::Missing {
                place: format!("{}/{}", self.name.host, self.name.repository),
                what: path.replacen("manifests/", "the image ", 1).replacen("blobs/", "the blob ", 1),
            }),
            (status, _) => Err(self.status_error(status, "try again later")),
        }
    }

    /// Sends a request. After a challenge, requests a new token and sends it again, because the
    /// token may have expired since the ping.
    fn get_authorized(&self, path: &str, from: u64) -> Result<ReceivedResponse, RequestError> {
        let received = self.get_once(path, from)?;
        match received.challenge() {
            Some(challenge) => {
                self.answer_challenge(&challenge).map_err(RequestError::Other)?;
                self.get_once(path, from)
            }
            None => Ok(received),
        }
    }

    fn get_once(&self, path: &str, from: u64) -> Result<ReceivedResponse, RequestError> {
        let url = self.address_of(path);
        let accept = ACCEPTED_TYPES.join(", ");
        let accept = path.starts_with("manifests/").then_some(accept.as_str());
        let authorization = self.authorization.borrow().clone();
        self.client.get_with_retries(Request {
            url: &url,
            accept,
            authorization: authorization.as_deref(),
            from,
            more: &[],
        })
    }

    /// Answers a challenge, with credentials if there are any.
    ///
    /// # Errors
    ///
    /// If the credentials are missing or refused.
    pub(super) fn answer_challenge(&self, challenge: &Challenge) -> Result<(), ImageError> {
        let secret = self.credentials.as_ref().map(|credentials| &credentials.secret);
        let header = match challenge {
            Challenge::Basic => secret.and_then(auth::authorization_header),
            Challenge::Bearer { realm, service, scope } => {
                let actions = if self.intent == Intent::Push { "pull,push" } else { "pull" };
                let own = format!("repository:{}:{actions}", self.repository);
                let more = scope.iter().filter(|scope| **scope != own);
                let scopes: Vec<&str> = [own.as_str()].into_iter().chain(more.map(String::as_str)).collect();
                let token = self.request_token(realm, service.as_deref(), &scopes, secret)?;
                Some(format!("Bearer {token}"))
            }
        };
        *self.authorization.borrow_mut() = header;
        Ok(())
    }

    fn request_token(
        &self,
        realm: &str,
        service: Option<&str>,
        scopes: &[&str],
        secret: Option<&Secret>,
    ) -> Result<String, ImageError> {
        let Some(origin) = WebOrigin::parse(realm) else {
            let why = format!("{} does not say where it gives tokens", self.name.host);
            return Err(ImageError::Registry(why, None));
        };
        if WebOrigin::parse(&self.base).is_none_or(|registry| !origin.is_as_safe_as(&registry)) {
            let why = format!("{} wants credentials to be sent without TLS", self.name.host);
            return Err(ImageError::Registry(why, None));
        }
        let response = if let Some(Secret::Identity(token)) = secret {
            let scope = scopes.join(" ");
            let mut form =
                vec![("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "olmap")];
            form.extend(service.map(|service| ("service", service)));
            form.push(("scope", &scope));
            self.client.post_form(realm, &form)
        } else {
            let service = service.map(|service| format!("service={}", auth::percent_encode(service)));
            let scopes = scopes.iter().map(|scope| format!("scope={}", auth::percent_encode(scope)));
            let query: Vec<String> = service.into_iter().chain(scopes).collect();
            let sign = if realm.contains('?') { '&' } else { '?' };
            let url = format!("{realm}{sign}{}", query.join("&"));
            let authorization = secret.and_then(auth::authorization_header);
            let request = Request {
                url: &url,
                accept: None,
                authorization: authorization.as_deref(),
                from: 0,
                more: &[],
            };
            self.client.get_with_retries(request).map(|received| received.response)
        };
        let response = response.map_err(|failed| self.request_error(failed))?;
        if response.status() != StatusCode::OK {
            return Err(match response.status() {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => self.access_error(),
                status => self.status_error(status, "it gave no token"),
            });
        }
        let bytes = self.read_limited(response, MAX_TOKEN_BYTES)?;
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let token = ["token", "access_token"].iter().find_map(|key| answer.get(key)?.as_str());
        let is_plain = |token: &&str| token.bytes().all(|byte| byte.is_ascii_graphic());
        token
            .filter(|token| !token.is_empty())
            .filter(is_plain)
            .map(str::to_owned)
            .ok_or_else(|| ImageError::Registry(format!("{} gave no token", self.name.host), None))
    }

    /// Reads a body, up to a limit in bytes.
    fn read_limited(&self, response: Response<Body>, most: u64) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::new();
        let body = self.client.limit_body(response.into_body().into_reader());
        let read = body.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.body_error(&error))?;
        if bytes.len() as u64 > most { Err(self.too_large(most)) } else { Ok(bytes) }
    }

    /// Returns the error for a body that ended early.
    fn body_error(&self, error: &io::Error) -> ImageError {
        if let Err(failed) = self.client.check_continue() {
            return self.request_error(failed);
        }
        let why =
            if is_timeout(error) { "nothing came from it any more".to_owned() } else { error.to_string() };
        ImageError::Registry(format!("the registry {}: {why}", self.name.host), None)
    }

    fn too_large(&self, most: u64) -> ImageError {
        let why = format!("{} answers with more than {} MiB", self.name.host, most >> 20);
        ImageError::Registry(why, None)
    }

    /// Returns the error for a missing response.
    pub(super) fn request_error(&self, failed: RequestError) -> ImageError {
        match failed {
            RequestError::Other(error) => error,
            RequestError::Unreachable(why) => {
                if is_tls_error(&why) {
                    // The cache must not hide a certificate problem.
                    let hint = "--skip-tls-verify accepts any certificate, and a registry without TLS; --use-http \
                                means the same";
                    let why = format!("cannot reach {}: {why}", self.name.host);
                    return ImageError::Registry(why, Some(hint.to_owned()));
                }
                ImageError::Unreachable { host: self.name.host.clone(), why }
            }
        }
    }

    fn status_error(&self, status: StatusCode, hint: &str) -> ImageError {
        let why = format!("the registry {} answers with status {}", self.name.host, status.as_u16());
        ImageError::Registry(why, Some(hint.to_owned()))
    }

    /// Returns the error for a challenge from another host, after a redirect or for an upload.
    pub(super) fn foreign_challenge_error(&self, host: &str) -> ImageError {
        let own = &self.name.host;
        let why = format!(
            "{own} sends us to {host}, which asks for credentials; those for {own} are not sent there"
        );
        ImageError::Registry(why, None)
    }

    /// Returns the error for refused access. It names the credentials files, never their content.
    pub(super) fn access_error(&self) -> ImageError {
        let place = format!("{}/{}", self.name.host, self.name.repository);
        if let Some(credentials) = &self.credentials {
            return ImageError::Registry(
                format!("{place} refuses the credentials of {}", credentials.from.display()),
                Some(format!("podman login {} writes new ones", self.name.host)),
            );
        }
        let asked: Vec<String> = self.searched_files.iter().map(|path| path.display().to_string()).collect();
        ImageError::Registry(
            format!("{place} wants credentials, and there are none for it"),
            Some(format!(
                "podman login {}; asked were {}",
                self.name.host,
                asked
                    .into_iter()
                    .chain(self.credential_errors.iter().cloned())
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        )
    }
}

/// Refuses a response whose length differs from the declared size, before reading it.
fn check_length(response: &Response<Body>, at: &Descriptor, what: &'static str) -> Result<(), ImageError> {
    let declared = at.declared(what)?;
    match content_length(response) {
        Some(length) if length != declared => {
            let (digest, found) = (at.digest.clone(), FoundSize::Exactly(length));
            Err(ImageError::WrongSize { what, digest, declared, found })
        }
        _ => Ok(()),
    }
}

/// Reader that converts errors to those of the session.
struct SessionReader<'s> {
    inner: ResumingReader<'s>,
    session: &'s Session<'s>,
}

impl Read for SessionReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            let told = error.downcast::<ImageError>().unwrap_or_else(|error| self.session.body_error(&error));
            io::Error::other(told)
        })
    }
}
