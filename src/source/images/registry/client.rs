//! Requests to one host: redirects, patience and limits. The secret of a request goes to that host only, and only that host can
//! ask for one.

use std::{
    io::{self, Read},
    thread,
    time::{Duration, Instant},
};

use ureq::{
    Agent, Body, RequestBuilder, SendBody, Timeout,
    http::{Response, StatusCode, Uri, header},
};

use super::{
    auth::Challenge,
    deadline::Deadline,
    machine::Machine,
    origin::WebOrigin,
    tls::{self, OwnCertificate},
};
use crate::{catalog::load::Progress, source::images::error::ImageError};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(30);
/// How long is waited without a byte.
pub const IDLE: Duration = Duration::from_secs(60);
/// How long all of a small answer may take.
const WHOLE: Duration = Duration::from_secs(5 * 60);
/// How many redirects are followed.
const REDIRECTS: usize = 10;
/// How often a host may say that it is asked too much.
const TOO_MANY: usize = 5;
/// How often a host may fail.
const FAILURES: usize = 2;
/// The longest that a host may ask us to wait.
const LONGEST: Duration = Duration::from_secs(60);
/// How often it is looked whether somebody wants to stop.
const BEAT: Duration = Duration::from_millis(100);

/// Why there is no answer.
#[derive(Debug)]
pub enum Failed {
    /// The host could not be spoken to; in words without addresses.
    Unreachable(String),
    /// Something else.
    Other(ImageError),
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// The address.
    pub url: &'r str,
    /// What may come back.
    pub accept: Option<&'r str>,
    /// The secret, for this host alone.
    pub authorization: Option<&'r str>,
    /// The first byte that is wanted.
    pub from: u64,
    /// Further headers, for any host.
    pub more: &'r [(&'r str, &'r str)],
}

/// An answer, and who gave it.
pub struct Received {
    /// The answer.
    pub response: Response<Body>,
    /// Host that gave it instead of the host that was asked; `None` if the asked host itself answered.
    pub other_host: Option<String>,
}

impl Received {
    /// Returns the challenge of the host that was asked. Any other host has no right to its secret, so an answer after a
    /// redirect never has one.
    pub fn challenge(&self) -> Option<Challenge> {
        if self.other_host.is_some() || self.response.status() != StatusCode::UNAUTHORIZED {
            return None;
        }
        let headers = self.response.headers().get_all(header::WWW_AUTHENTICATE);
        Challenge::of(headers.iter().filter_map(|value| value.to_str().ok()))
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }
}

/// What is sent, with a body or without.
#[derive(Clone, Copy)]
pub struct Sent<'s> {
    /// `HEAD`, `POST` or `PUT`.
    pub method: &'static str,
    /// The address.
    pub url: &'s str,
    /// The secret, for this host alone.
    pub authorization: Option<&'s str>,
    /// What the body is.
    pub kind: Option<&'s str>,
    /// Number of bytes, if known.
    pub size: Option<u64>,
    /// Host of the address if it is not that of the registry.
    pub other_host: Option<&'s str>,
}

/// Limits in time of a client.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Longest wait without a byte; `None` for the default.
    pub idle: Option<Duration>,
    /// End of the whole transfer.
    pub deadline: Deadline,
}

/// Speaks with a registry.
pub struct Client<'p> {
    agent: Agent,
    /// Agent for any other host, which does not show the client certificate of this one.
    other: Agent,
    deadline: Deadline,
    progress: &'p Progress,
    /// Whether an answer may send us to a plain address.
    may_be_plain: bool,
}

impl<'p> Client<'p> {
    /// Creates a client for a host, which verifies the certificate of the host or does not.
    ///
    /// # Errors
    ///
    /// If the certificates for the host cannot be read.
    pub fn new(
        machine: &Machine,
        host: &str,
        verifies: bool,
        patience: Patience,
        progress: &'p Progress,
    ) -> Result<Self, ImageError> {
        let idle = patience.idle.unwrap_or(IDLE);
        let agent = |tls| {
            let config = Agent::config_builder()
                .tls_config(tls)
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .timeout_connect(Some(CONNECT.min(idle)))
                .timeout_recv_response(Some(idle))
                .timeout_per_read(Some(idle))
                .timeout_per_write(Some(idle))
                .user_agent(concat!("olmap/", env!("CARGO_PKG_VERSION")))
                .build();
            Agent::new_with_config(config)
        };
        let own = tls::config(machine, host, verifies, OwnCertificate::Shown)?;
        let other = match own.client_cert() {
            Some(_) => Some(agent(tls::config(machine, host, verifies, OwnCertificate::Withheld)?)),
            None => None,
        };
        let agent = agent(own);
        let other = other.unwrap_or_else(|| agent.clone());
        Ok(Self { agent, other, deadline: patience.deadline, progress, may_be_plain: !verifies })
    }

    /// Gives a request as much time as is left of the whole transfer.
    fn limited<B>(&self, builder: RequestBuilder<B>) -> Result<RequestBuilder<B>, Failed> {
        let left = self.deadline.remaining().map_err(Failed::Other)?;
        Ok(builder.config().timeout_global(Some(left)).build())
    }

    /// Asks, follows redirects, and asks again where the host wants us to wait.
    ///
    /// # Errors
    ///
    /// When no answer comes. An answer that says no is one.
    pub fn get(&self, request: Request<'_>) -> Result<Received, Failed> {
        let (mut many, mut failures) = (0, 0);
        loop {
            let received = self.follow(request)?;
            let wait = match received.status() {
                StatusCode::TOO_MANY_REQUESTS if many < TOO_MANY => {
                    many += 1;
                    asked_to_wait(&received.response).unwrap_or(Duration::from_secs(1 << many))
                }
                StatusCode::INTERNAL_SERVER_ERROR
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT
                    if failures < FAILURES =>
                {
                    failures += 1;
                    asked_to_wait(&received.response).unwrap_or(Duration::from_millis(500))
                }
                _ => return Ok(received),
            };
            drop(received);
            self.wait(wait.min(LONGEST))?;
        }
    }

    /// Sends a form, which is never redirected.
    ///
    /// # Errors
    ///
    /// When no answer comes.
    pub fn post(&self, url: &str, form: &[(&str, &str)]) -> Result<Response<Body>, Failed> {
        self.check()?;
        let request = self.limited(self.agent.post(url))?;
        request.send_form(form.iter().copied()).map_err(|error| self.unreachable(&error))
    }

    /// Sends something, which is never redirected.
    ///
    /// # Errors
    ///
    /// When no answer comes.
    pub fn send(&self, sent: &Sent<'_>, body: Option<&mut dyn Read>) -> Result<Received, Failed> {
        self.check()?;
        let agent = if sent.other_host.is_some() { &self.other } else { &self.agent };
        let outcome = if sent.method == "HEAD" {
            let mut builder = self.limited(agent.head(sent.url))?;
            if let Some(secret) = sent.authorization {
                builder = builder.header(header::AUTHORIZATION, secret);
            }
            builder.call()
        } else {
            let post = sent.method == "POST";
            let mut builder = self.limited(if post { agent.post(sent.url) } else { agent.put(sent.url) })?;
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
        self.check()?;
        let response = outcome.map_err(|error| self.unreachable(&error))?;
        Ok(Received { response, other_host: sent.other_host.map(str::to_owned) })
    }

    /// Waits as long as an answer asks us to.
    ///
    /// # Errors
    ///
    /// When somebody asks to stop.
    pub fn pause(&self, response: &Response<Body>) -> Result<(), Failed> {
        self.wait(asked_to_wait(response).unwrap_or(Duration::from_secs(2)).min(LONGEST))
    }

    fn follow(&self, request: Request<'_>) -> Result<Received, Failed> {
        let asked = WebOrigin::parse(request.url);
        let mut url = request.url.to_owned();
        let mut authorization = request.authorization;
        let mut other_host = None;
        let mut agent = &self.agent;
        for _ in 0..=REDIRECTS {
            self.check()?;
            let mut builder = self.limited(agent.get(&url))?;
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
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(Received { response, other_host });
            }
            url = self.next(&url, &response)?;
            let origin = WebOrigin::parse(&url);
            // Another host gets no secret, and no later redirect brings it back.
            if origin.is_none() || origin != asked {
                authorization = None;
                agent = &self.other;
            }
            other_host = Some(origin.map_or_else(String::new, |origin| origin.authority()));
        }
        Err(refused("it sends us from address to address without end"))
    }

    /// Where an answer sends us. The address may hold a secret, so no message has it.
    fn next(&self, from: &str, response: &Response<Body>) -> Result<String, Failed> {
        let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        let location = location.ok_or_else(|| refused("it sends us elsewhere, and does not say where"))?;
        let scheme = from.split_once("://").map_or("https", |(scheme, _)| scheme);
        let next = if location.starts_with("http://") || location.starts_with("https://") {
            location.to_owned()
        } else if let Some(rest) = location.strip_prefix("//") {
            format!("{scheme}://{rest}")
        } else if location.starts_with('/') {
            format!("{scheme}://{}{location}", host(from).unwrap_or_default())
        } else {
            return Err(refused("it sends us to something that is no web address"));
        };
        if scheme == "https" && next.starts_with("http://") && !self.may_be_plain {
            return Err(refused("it sends us from TLS to plain HTTP"));
        }
        Ok(next)
    }

    /// Bytes of a small answer, until somebody asks to stop or it takes too long as a whole.
    pub fn watched<R: Read>(&self, inner: R) -> Watched<'p, R> {
        Watched { inner, progress: self.progress, begun: Instant::now() }
    }

    /// Waits.
    ///
    /// # Errors
    ///
    /// When somebody asks to stop.
    pub fn wait(&self, time: Duration) -> Result<(), Failed> {
        let mut left = time;
        while !left.is_zero() {
            self.check()?;
            let beat = left.min(BEAT);
            thread::sleep(beat);
            left -= beat;
        }
        Ok(())
    }

    /// Checks that the transfer may go on.
    ///
    /// # Errors
    ///
    /// If the user asks to stop, or the transfer has taken too long as a whole.
    pub fn check(&self) -> Result<(), Failed> {
        self.progress.check().map_err(|error| Failed::Other(error.into()))?;
        self.deadline.remaining().map(|_| ()).map_err(Failed::Other)
    }

    /// Returns why a request has no answer.
    fn unreachable(&self, error: &ureq::Error) -> Failed {
        match error {
            ureq::Error::Timeout(Timeout::Global) => Failed::Other(self.deadline.passed()),
            error => unreachable(error),
        }
    }
}

/// Bytes of a small answer.
pub struct Watched<'p, R> {
    inner: R,
    progress: &'p Progress,
    begun: Instant,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check().map_err(io::Error::other)?;
        if self.begun.elapsed() > WHOLE {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.inner.read(buffer)
    }
}

/// Whether a host could not be spoken to because of its certificate, or because it speaks no TLS at all.
pub fn is_about_tls(why: &str) -> bool {
    ["TLS", "InvalidContentType", "certificate"].iter().any(|word| why.contains(word))
}

fn refused(why: &str) -> Failed {
    Failed::Other(ImageError::Registry(format!("where it sends us cannot be followed: {why}"), None))
}

fn asked_to_wait(response: &Response<Body>) -> Option<Duration> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

/// Host and port of an address.
pub fn host(url: &str) -> Option<String> {
    Some(url.parse::<Uri>().ok()?.authority()?.to_string())
}

/// What went wrong, without the address: it may hold a secret.
fn unreachable(error: &ureq::Error) -> Failed {
    let why = match error {
        ureq::Error::Io(error) => of_io(error),
        ureq::Error::Timeout(_) => "no answer in time".to_owned(),
        ureq::Error::HostNotFound => "there is no such host".to_owned(),
        ureq::Error::ConnectionFailed => "no connection".to_owned(),
        ureq::Error::Tls(why) => format!("TLS: {why}"),
        // What the proxy says may repeat what was sent to it.
        ureq::Error::ConnectProxyFailed(_) => {
            "the proxy does not let us through (ALL_PROXY, HTTPS_PROXY)".to_owned()
        }
        ureq::Error::Rustls(error) => format!("TLS: {error}"),
        ureq::Error::BadUri(_) => "the address is not one".to_owned(),
        _ => "it does not speak HTTP as it should".to_owned(),
    };
    Failed::Unreachable(why)
}

fn of_io(error: &io::Error) -> String {
    error.to_string()
}
