//! HTTP client for one host: TLS, redirects, timeouts and retries. The secret of a request goes only to that
//! host, and only that host can ask for it.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use ureq::{
    Agent, Body, RequestBuilder, SendBody, Timeout,
    http::{Response, StatusCode, Uri, header},
    tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem},
};

use super::{
    auth::{Challenge, WebOrigin},
    configuration::MachinePaths,
    transfer::Deadline,
};
use crate::images::error::ImageError;
use olm_catalog::load::{Progress, regular_file};

/// Timeout for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout without receiving a byte.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Time limit for a small response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Maximum number of redirects.
const MAX_REDIRECTS: usize = 10;
/// Maximum number of retries after "too many requests".
const MAX_BUSY_RETRIES: usize = 5;
/// Maximum number of retries after a server error.
const MAX_FAILURE_RETRIES: usize = 2;
/// Maximum pause that a host may request.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Interval between checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Error of a request.
#[derive(Debug)]
pub enum RequestError {
    /// The host was unreachable; the message does not contain addresses.
    Unreachable(String),
    /// Any other error.
    Other(ImageError),
}

/// A GET request.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// Web address.
    pub url: &'r str,
    /// Accepted media types.
    pub accept: Option<&'r str>,
    /// Secret, only for this host.
    pub authorization: Option<&'r str>,
    /// Position of the first requested byte.
    pub from: u64,
    /// Additional headers, sent to any host.
    pub more: &'r [(&'r str, &'r str)],
}

/// A response with its sender.
pub struct ReceivedResponse {
    /// The response.
    pub response: Response<Body>,
    /// Host that sent the response, if it is not the requested host.
    pub other_host: Option<String>,
}

impl ReceivedResponse {
    /// Returns the challenge of the requested host. Another host has no right to its secret, so a response
    /// after a redirect never has a challenge.
    pub fn challenge(&self) -> Option<Challenge> {
        if self.other_host.is_some() || self.response.status() != StatusCode::UNAUTHORIZED {
            return None;
        }
        let headers = self.response.headers().get_all(header::WWW_AUTHENTICATE);
        Challenge::parse(headers.iter().filter_map(|value| value.to_str().ok()))
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }
}

/// A request with or without a body.
#[derive(Clone, Copy)]
pub struct OutgoingRequest<'s> {
    /// `HEAD`, `POST` or `PUT`.
    pub method: &'static str,
    /// Web address.
    pub url: &'s str,
    /// Secret, only for this host.
    pub authorization: Option<&'s str>,
    /// Media type of the body.
    pub kind: Option<&'s str>,
    /// Size of the body in bytes, if known.
    pub size: Option<u64>,
    /// Host of the address, if it is not the registry's.
    pub other_host: Option<&'s str>,
}

/// Time limits of a client.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// Longest wait without receiving a byte; `None` for the default.
    pub idle: Option<Duration>,
    /// End of the whole transfer.
    pub deadline: Deadline,
}

/// HTTP client of a registry.
pub struct Client<'p> {
    agent: Agent,
    /// Agent for other hosts, which does not present the client certificate.
    other: Agent,
    deadline: Deadline,
    progress: &'p Progress,
    /// True if a redirect may lead to a plain HTTP address.
    may_be_plain: bool,
}

impl<'p> Client<'p> {
    /// Creates a client for a host, with or without certificate verification.
    ///
    /// # Errors
    ///
    /// If the certificates for the host are unreadable.
    pub fn new(
        machine: &MachinePaths,
        host: &str,
        verifies: bool,
        patience: TimeLimits,
        progress: &'p Progress,
    ) -> Result<Self, ImageError> {
        let idle = patience.idle.unwrap_or(IDLE_TIMEOUT);
        let agent = |tls| {
            let config = Agent::config_builder()
                .tls_config(tls)
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .timeout_connect(Some(CONNECT_TIMEOUT.min(idle)))
                .timeout_recv_response(Some(idle))
                .timeout_per_read(Some(idle))
                .timeout_per_write(Some(idle))
                .user_agent(concat!("olmap/", env!("CARGO_PKG_VERSION")))
                .build();
            Agent::new_with_config(config)
        };
        let own = tls_config(machine, host, verifies, OwnCertificate::Presented)?;
        let other = match own.client_cert() {
            Some(_) => Some(agent(tls_config(machine, host, verifies, OwnCertificate::Withheld)?)),
            None => None,
        };
        let agent = agent(own);
        let other = other.unwrap_or_else(|| agent.clone());
        Ok(Self { agent, other, deadline: patience.deadline, progress, may_be_plain: !verifies })
    }

    /// Limits a request to the remaining time of the whole transfer.
    fn with_time_limit<B>(&self, builder: RequestBuilder<B>) -> Result<RequestBuilder<B>, RequestError> {
        let left = self.deadline.remaining().map_err(RequestError::Other)?;
        Ok(builder.config().timeout_global(Some(left)).build())
    }

    /// Sends a request, follows redirects, and retries after pauses that the host requests.
    ///
    /// # Errors
    ///
    /// If there is no response. An error status is not an error here.
    pub fn get_with_retries(&self, request: Request<'_>) -> Result<ReceivedResponse, RequestError> {
        let (mut many, mut failures) = (0, 0);
        loop {
            let received = self.follow_redirects(request)?;
            let wait = match received.status() {
                StatusCode::TOO_MANY_REQUESTS if many < MAX_BUSY_RETRIES => {
                    many += 1;
                    requested_pause(&received.response).unwrap_or(Duration::from_secs(1 << many))
                }
                StatusCode::INTERNAL_SERVER_ERROR
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT
                    if failures < MAX_FAILURE_RETRIES =>
                {
                    failures += 1;
                    requested_pause(&received.response).unwrap_or(Duration::from_millis(500))
                }
                _ => return Ok(received),
            };
            drop(received);
            self.wait(wait.min(MAX_PAUSE))?;
        }
    }

    /// Sends a form, without following redirects.
    ///
    /// # Errors
    ///
    /// If there is no response.
    pub fn post_form(&self, url: &str, form: &[(&str, &str)]) -> Result<Response<Body>, RequestError> {
        self.check_continue()?;
        let request = self.with_time_limit(self.agent.post(url))?;
        request.send_form(form.iter().copied()).map_err(|error| self.unreachable(&error))
    }

    /// Sends a request with a body, without following redirects.
    ///
    /// # Errors
    ///
    /// If there is no response.
    pub fn send_with_body(
        &self,
        sent: &OutgoingRequest<'_>,
        body: Option<&mut dyn Read>,
    ) -> Result<ReceivedResponse, RequestError> {
        self.check_continue()?;
        let agent = if sent.other_host.is_some() { &self.other } else { &self.agent };
        let outcome = if sent.method == "HEAD" {
            let mut builder = self.with_time_limit(agent.head(sent.url))?;
            if let Some(secret) = sent.authorization {
                builder = builder.header(header::AUTHORIZATION, secret);
            }
            builder.call()
        } else {
            let post = sent.method == "POST";
            let mut builder =
                self.with_time_limit(if post { agent.post(sent.url) } else { agent.put(sent.url) })?;
            if let Some(secret) = sent.authorization {
                builder = builder.header(header::AUTHORIZATION, secret);
            }
            if let Some(kind) = sent.kind {
                builder = builder.header(header::CONTENT_TYPE, kind);
            }
            if let Some(size) = sent.size {
                builder = builder.header(header::CONTENT_LENGTH, size);
            }
            match body {
                Some(body) => builder.send(SendBody::from_reader(body)),
                None => builder.send_empty(),
            }
        };
        self.check_continue()?;
        let response = outcome.map_err(|error| self.unreachable(&error))?;
        if sent.other_host.is_none() {
            log::debug!("{} {}: {}", sent.method, without_query(sent.url), response.status().as_u16());
        }
        Ok(ReceivedResponse { response, other_host: sent.other_host.map(str::to_owned) })
    }

    /// Waits as long as a response requests.
    ///
    /// # Errors
    ///
    /// On cancellation.
    pub fn pause(&self, response: &Response<Body>) -> Result<(), RequestError> {
        self.wait(requested_pause(response).unwrap_or(Duration::from_secs(2)).min(MAX_PAUSE))
    }

    fn follow_redirects(&self, request: Request<'_>) -> Result<ReceivedResponse, RequestError> {
        let asked = WebOrigin::parse(request.url);
        let mut url = request.url.to_owned();
        let mut authorization = request.authorization;
        let mut other_host = None;
        let mut agent = &self.agent;
        for _ in 0..=MAX_REDIRECTS {
            self.check_continue()?;
            let mut builder = self.with_time_limit(agent.get(&url))?;
            if let Some(accept) = request.accept {
                builder = builder.header(header::ACCEPT, accept);
            }
            if let Some(secret) = authorization {
                builder = builder.header(header::AUTHORIZATION, secret);
            }
            if request.from > 0 {
                builder = builder.header(header::RANGE, format!("bytes={}-", request.from));
            }
            for (name, value) in request.more {
                builder = builder.header(*name, *value);
            }
            let response = builder.call().map_err(|error| self.unreachable(&error))?;
            // A redirect may contain a secret, so only its host is logged.
            match &other_host {
                None => log::debug!("GET {}: {}", without_query(&url), response.status().as_u16()),
                Some(host) => log::debug!("GET from {host}: {}", response.status().as_u16()),
            }
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(ReceivedResponse { response, other_host });
            }
            url = self.redirect_target(&url, &response)?;
            let origin = WebOrigin::parse(&url);
            // Another host gets no secret, and no later redirect restores it.
            if origin.is_none() || origin != asked {
                authorization = None;
                agent = &self.other;
            }
            other_host = Some(origin.map_or_else(String::new, |origin| origin.authority()));
        }
        Err(refusal_error("it sends us from address to address without end"))
    }

    /// Returns the target of a redirect. It may contain a secret, so no message includes it.
    fn redirect_target(&self, from: &str, response: &Response<Body>) -> Result<String, RequestError> {
        let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        let location =
            location.ok_or_else(|| refusal_error("it sends us elsewhere, and does not say where"))?;
        let scheme = from.split_once("://").map_or("https", |(scheme, _)| scheme);
        let next = if location.starts_with("http://") || location.starts_with("https://") {
            location.to_owned()
        } else if let Some(rest) = location.strip_prefix("//") {
            format!("{scheme}://{rest}")
        } else if location.starts_with('/') {
            format!("{scheme}://{}{location}", host_with_port(from).unwrap_or_default())
        } else {
            return Err(refusal_error("it sends us to something that is no web address"));
        };
        if scheme == "https" && next.starts_with("http://") && !self.may_be_plain {
            return Err(refusal_error("it sends us from TLS to plain HTTP"));
        }
        Ok(next)
    }

    /// Wraps the body of a small response, with a time limit and cancellation.
    pub fn limit_body<R: Read>(&self, inner: R) -> LimitedBody<'p, R> {
        LimitedBody { inner, progress: self.progress, started_at: Instant::now() }
    }

    /// Waits for the given time.
    ///
    /// # Errors
    ///
    /// On cancellation.
    pub fn wait(&self, time: Duration) -> Result<(), RequestError> {
        let mut left = time;
        while !left.is_zero() {
            self.check_continue()?;
            let beat = left.min(POLL_INTERVAL);
            thread::sleep(beat);
            left -= beat;
        }
        Ok(())
    }

    /// Checks whether the transfer may continue.
    ///
    /// # Errors
    ///
    /// If the user cancelled, or if the transfer exceeded its time limit.
    pub fn check_continue(&self) -> Result<(), RequestError> {
        self.progress.check_stopped().map_err(|error| RequestError::Other(error.into()))?;
        self.deadline.remaining().map(|_| ()).map_err(RequestError::Other)
    }

    /// Returns the error for a request without a response.
    fn unreachable(&self, error: &ureq::Error) -> RequestError {
        match error {
            ureq::Error::Timeout(Timeout::Global) => RequestError::Other(self.deadline.exceeded_error()),
            error => unreachable(error),
        }
    }
}

/// Reader of a small response.
pub struct LimitedBody<'p, R> {
    inner: R,
    progress: &'p Progress,
    started_at: Instant,
}

impl<R: Read> Read for LimitedBody<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check_stopped().map_err(io::Error::other)?;
        if self.started_at.elapsed() > RESPONSE_TIMEOUT {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.inner.read(buffer)
    }
}

/// Returns true if an error is about certificates or missing TLS.
pub fn is_tls_error(why: &str) -> bool {
    ["TLS", "InvalidContentType", "certificate"].iter().any(|word| why.contains(word))
}

fn refusal_error(why: &str) -> RequestError {
    RequestError::Other(ImageError::Registry(format!("where it sends us cannot be followed: {why}"), None))
}

/// Returns a URL without its query, which may contain a secret.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn requested_pause(response: &Response<Body>) -> Option<Duration> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

/// Returns the host and port of an address.
pub fn host_with_port(url: &str) -> Option<String> {
    Some(url.parse::<Uri>().ok()?.authority()?.to_string())
}

/// Returns the reason without the address, which may contain a secret.
fn unreachable(error: &ureq::Error) -> RequestError {
    let why = match error {
        ureq::Error::Io(error) => error.to_string(),
        ureq::Error::Timeout(_) => "no answer in time".to_owned(),
        ureq::Error::HostNotFound => "there is no such host".to_owned(),
        ureq::Error::ConnectionFailed => "no connection".to_owned(),
        ureq::Error::Tls(why) => format!("TLS: {why}"),
        // The proxy's message may repeat what was sent to it.
        ureq::Error::ConnectProxyFailed(_) => {
            "the proxy does not let us through (ALL_PROXY, HTTPS_PROXY)".to_owned()
        }
        ureq::Error::Rustls(error) => format!("TLS: {error}"),
        ureq::Error::BadUri(_) => "the address is not one".to_owned(),
        _ => "it does not speak HTTP as it should".to_owned(),
    };
    RequestError::Unreachable(why)
}

/// Size limit of a certificate file, in bytes.
const MAX_CERTIFICATE_BYTES: u64 = 4 << 20;

/// Use of the user's client certificate for a host, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnCertificate {
    /// Present it to the host.
    Presented,
    /// Withhold it from any other host.
    Withheld,
}

/// Returns the TLS configuration of a host. It trusts the authorities of the system (or of
/// `SSL_CERT_FILE`) and of `certs.d/HOST`.
///
/// # Errors
///
/// If a certificate in that folder is unreadable.
fn tls_config(
    machine: &MachinePaths,
    host: &str,
    verifies: bool,
    own: OwnCertificate,
) -> Result<TlsConfig, ImageError> {
    let mut builder = TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .disable_verification(!verifies);
    let folder = machine.certificates.iter().map(|folder| folder.join(host)).find(|folder| folder.is_dir());
    let files = folder.map(sorted_files).unwrap_or_default();
    if verifies {
        let system = rustls_native_certs::load_native_certs().certs;
        let mut roots: Vec<_> = system.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
        for path in files.iter().filter(|path| has_extension(path, "crt")) {
            roots.extend(parse_certificates(path)?);
        }
        builder = builder.root_certs(RootCerts::new_with_certs(&roots));
    }
    let own = files.iter().find(|path| has_extension(path, "cert") && own == OwnCertificate::Presented);
    if let Some(path) = own {
        let key = path.with_extension("key");
        let text = read_certificate_file(&key)?;
        let key =
            PrivateKey::from_pem(&text).map_err(|_| certificate_error(&key, "it holds no private key"))?;
        builder = builder.client_cert(Some(ClientCert::new_with_certs(&parse_certificates(path)?, key)));
    }
    Ok(builder.build())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

fn sorted_files(folder: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn parse_certificates(path: &Path) -> Result<Vec<Certificate<'static>>, ImageError> {
    let text = read_certificate_file(path)?;
    let mut found = Vec::new();
    for item in parse_pem(&text) {
        if let PemItem::Certificate(one) =
            item.map_err(|_| certificate_error(path, "it is not a certificate"))?
        {
            found.push(one);
        }
    }
    if found.is_empty() { Err(certificate_error(path, "it holds no certificate")) } else { Ok(found) }
}

fn read_certificate_file(path: &Path) -> Result<Vec<u8>, ImageError> {
    regular_file::read_regular(path, MAX_CERTIFICATE_BYTES)
        .map_err(|source| ImageError::File { path: path.to_owned(), source })
}

fn certificate_error(path: &Path, why: &str) -> ImageError {
    ImageError::Configuration { path: path.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_of_the_user_is_withheld_from_other_hosts() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("registry.example");
        fs::create_dir(&at).unwrap();
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new(Vec::new()).unwrap().self_signed(&key).unwrap();
        fs::write(at.join("client.cert"), certificate.pem()).unwrap();
        fs::write(at.join("client.key"), key.serialize_pem()).unwrap();
        fs::write(at.join("authority.crt"), certificate.pem()).unwrap();
        let machine =
            MachinePaths { certificates: vec![folder.path().to_owned()], ..MachinePaths::default() };
        let shows = |host: &str, own| tls_config(&machine, host, true, own).unwrap().client_cert().is_some();
        assert!(shows("registry.example", OwnCertificate::Presented));
        assert!(!shows("registry.example", OwnCertificate::Withheld));
        assert!(!shows("other.example", OwnCertificate::Presented));
    }
}
