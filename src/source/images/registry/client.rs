//! Requests to one host: redirects, patience and limits. What a request carries as a secret goes to that host alone.

use std::{
    io::{self, Read},
    thread,
    time::{Duration, Instant},
};

use ureq::{
    Agent, Body, SendBody,
    http::{Response, StatusCode, Uri, header},
};

use super::{machine::Machine, tls};
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
    /// How many bytes it has, where that is known.
    pub size: Option<u64>,
}

/// Speaks with a registry.
pub struct Client<'p> {
    agent: Agent,
    progress: &'p Progress,
    /// Whether an answer may send us to a plain address.
    may_be_plain: bool,
}

impl<'p> Client<'p> {
    /// For a host, with or without looking at its certificate. `patience`: how long is waited without a byte.
    ///
    /// # Errors
    ///
    /// When the certificates for it cannot be read.
    pub fn new(
        machine: &Machine,
        host: &str,
        verifies: bool,
        patience: Option<Duration>,
        progress: &'p Progress,
    ) -> Result<Self, ImageError> {
        let idle = patience.unwrap_or(IDLE);
        let config = Agent::config_builder()
            .tls_config(tls::config(machine, host, verifies)?)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT.min(idle)))
            .timeout_recv_response(Some(idle))
            .timeout_per_read(Some(idle))
            .timeout_per_write(Some(idle))
            .user_agent(concat!("olmap/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self { agent: Agent::new_with_config(config), progress, may_be_plain: !verifies })
    }

    /// Asks, follows redirects, and asks again where the host wants us to wait.
    ///
    /// # Errors
    ///
    /// When no answer comes. An answer that says no is one.
    pub fn get(&self, request: Request<'_>) -> Result<Response<Body>, Failed> {
        let (mut many, mut failures) = (0, 0);
        loop {
            let response = self.follow(request)?;
            let wait = match response.status() {
                StatusCode::TOO_MANY_REQUESTS if many < TOO_MANY => {
                    many += 1;
                    asked_to_wait(&response).unwrap_or(Duration::from_secs(1 << many))
                }
                StatusCode::INTERNAL_SERVER_ERROR
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT
                    if failures < FAILURES =>
                {
                    failures += 1;
                    asked_to_wait(&response).unwrap_or(Duration::from_millis(500))
                }
                _ => return Ok(response),
            };
            drop(response);
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
        self.agent.post(url).send_form(form.iter().copied()).map_err(|error| unreachable(&error))
    }

    /// Sends something, which is never redirected.
    ///
    /// # Errors
    ///
    /// When no answer comes.
    pub fn send(&self, sent: &Sent<'_>, body: Option<&mut dyn Read>) -> Result<Response<Body>, Failed> {
        self.check()?;
        let outcome = if sent.method == "HEAD" {
            let mut builder = self.agent.head(sent.url);
            if let Some(secret) = sent.authorization {
                builder = builder.header(header::AUTHORIZATION, secret);
            }
            builder.call()
        } else {
            let post = sent.method == "POST";
            let mut builder = if post { self.agent.post(sent.url) } else { self.agent.put(sent.url) };
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
        outcome.map_err(|error| unreachable(&error))
    }

    /// Waits as long as an answer asks us to.
    ///
    /// # Errors
    ///
    /// When somebody asks to stop.
    pub fn pause(&self, response: &Response<Body>) -> Result<(), Failed> {
        self.wait(asked_to_wait(response).unwrap_or(Duration::from_secs(2)).min(LONGEST))
    }

    fn follow(&self, request: Request<'_>) -> Result<Response<Body>, Failed> {
        let mut url = request.url.to_owned();
        let mut authorization = request.authorization;
        for _ in 0..=REDIRECTS {
            self.check()?;
            let mut builder = self.agent.get(&url);
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
            let response = builder.call().map_err(|error| unreachable(&error))?;
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            let next = self.next(&url, &response)?;
            if host(&next) != host(&url) {
                authorization = None;
            }
            url = next;
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

    /// # Errors
    ///
    /// When somebody asks to stop.
    pub fn check(&self) -> Result<(), Failed> {
        self.progress.check().map_err(|error| Failed::Other(error.into()))
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
