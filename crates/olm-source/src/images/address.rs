//! Web addresses of catalogs: `/catalogs/NAME/api/v1/all` of catalogd, and other streams of JSON or YAML.
//!
//! Responses are cached with the modification date from the server, for conditional requests.

use std::{
    cell::Cell,
    io::{self, Read},
};

use flate2::read::MultiGzDecoder;
use ureq::{
    Body,
    http::{Response, StatusCode, header},
};

use super::{
    digest::Digest,
    error::ImageError,
    registry::{
        Client, Deadline, MachinePaths, Request, RequestError, TimeLimits, host_with_port, is_timeout,
        is_tls_error,
    },
    unpack::Limits,
};
use crate::{
    Access, Trust,
    cache::{Cache, LastDigest},
};
use olm_catalog::{ImageNote, load::Progress, redact::redact};

/// Number of bytes unpacked between two checks of the limits.
const CHUNK_BYTES: u64 = 1 << 20;
/// Path of a complete catalog in catalogd, below the address in a `ClusterCatalog`.
const ALL_OBJECTS_PATH: &str = "/api/v1/all";

/// An address that begins with `https://` or `http://`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebAddress(String);

/// Content of an address.
pub struct Fetched {
    /// The bytes of the stream, unpacked.
    pub bytes: Vec<u8>,
    /// Digest of the bytes.
    pub digest: Digest,
    /// Notes for the user.
    pub notes: Vec<ImageNote>,
}

impl WebAddress {
    /// Returns true if a text begins like an address.
    pub fn is_address(text: &str) -> bool {
        text.starts_with("https://") || text.starts_with("http://")
    }

    /// Parses an address. The address of a catalogd catalog, as in its `ClusterCatalog`, becomes
    /// the address of all its objects.
    ///
    /// # Errors
    ///
    /// If it has no host, or if it contains credentials, because nothing keeps them secret.
    pub fn parse(text: &str) -> Result<Self, ImageError> {
        let wrong = |why, hint: Option<&str>| ImageError::Reference {
            // The rest may contain a password.
            reference: text.split_once("://").map_or("", |(scheme, _)| scheme).to_owned() + "://...",
            why,
            hint: hint.map(str::to_owned),
        };
        let plain = text.split('#').next().unwrap_or_default();
        let authority =
            plain.split("://").nth(1).and_then(|rest| rest.split(['/', '?']).next()).unwrap_or_default();
        if authority.contains('@') {
            let hint = "leave out what stands before the @: olmap sends no credentials to web addresses";
            return Err(wrong("it has credentials", Some(hint)));
        }
        if host_with_port(plain).is_none_or(|host| host.is_empty()) {
            return Err(wrong("it has no host", None));
        }
        let path = plain.trim_end_matches('/');
        let is_of_catalogd = path
            .rsplit_once('/')
            .is_some_and(|(before, name)| before.ends_with("/catalogs") && !name.contains(['?', '&']));
        Ok(Self(if is_of_catalogd { format!("{path}{ALL_OBJECTS_PATH}") } else { plain.to_owned() }))
    }

    /// Returns the host with its port.
    pub fn host(&self) -> String {
        host_with_port(&self.0).unwrap_or_default()
    }

    /// Returns a file name for the content: the last part of the path.
    pub fn file_name(&self, bytes: &[u8]) -> String {
        let path = self.0.split('?').next().unwrap_or_default();
        let last =
            path.split("://").nth(1).and_then(|rest| rest.split('/').skip(1).last()).unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name = if last.is_empty() || last.starts_with('.') || !last.chars().all(is_plain) {
            "catalog"
        } else {
            last
        };
        if name.contains('.') {
            return name.to_owned();
        }
        let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        format!("{name}.{}", if is_json { "json" } else { "yaml" })
    }

    /// Fetches the content.
    ///
    /// # Errors
    ///
    /// If the server is unreachable and the cache does not have the content, or if the content is
    /// not a stream of objects.
    pub fn fetch(&self, access: &Access, progress: &Progress) -> Result<Fetched, ImageError> {
        self.fetch_within(Limits::default(), access, progress)
    }

    /// Fetches the content with other limits.
    pub(super) fn fetch_within(
        &self,
        limits: Limits,
        access: &Access,
        progress: &Progress,
    ) -> Result<Fetched, ImageError> {
        let known = CachedContent::find_cached(&self.0, access.cache.as_ref());
        if access.offline {
            let why = "no connection is opened (--offline)".to_owned();
            return known
                .map(|known| known.into_stale(why))
                .ok_or_else(|| ImageError::Offline(redact(&self.0).into_owned()));
        }
        match self.request(limits, access, known.as_ref(), progress) {
            Ok(Some(fetched)) => Ok(fetched),
            Ok(None) => known
                .map(CachedContent::into_fetched)
                .ok_or_else(|| self.server_error("it says that nothing changed since never")),
            Err(error) if error.is_unreachable() => {
                known.map(|known| known.into_stale(error.to_string())).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Requests the content from the server. `None` if the cached content is current.
    fn request(
        &self,
        limits: Limits,
        access: &Access,
        known: Option<&CachedContent>,
        progress: &Progress,
    ) -> Result<Option<Fetched>, ImageError> {
        let host = host_with_port(&self.0).unwrap_or_default();
        let verifies = access.trust == Trust::Verified;
        let patience = TimeLimits { idle: access.patience, deadline: Deadline::starting_now(access.total) };
        let client = Client::new(&MachinePaths::from_environment(), &host, verifies, patience, progress)?;
        let mut more = vec![("Accept-Encoding", "gzip")];
        more.extend(
            known.and_then(|known| known.note.modified.as_deref()).map(|date| ("If-Modified-Since", date)),
        );
        let accept = Some("application/jsonl, application/json, application/yaml, text/plain, */*;q=0.1");
        let request = Request { url: &self.0, accept, authorization: None, from: 0, more: &more };
        let response = client.get_with_retries(request).map_err(|failed| match failed {
            RequestError::Other(error) => error,
            RequestError::Unreachable(why) if is_tls_error(&why) => ImageError::Registry(
                format!("cannot reach {host}: {why}"),
                Some(
                    "--skip-tls-verify accepts any certificate; without TLS the address begins with http://"
                        .to_owned(),
                ),
            ),
            RequestError::Unreachable(why) => ImageError::Unreachable { host: host.clone(), why },
        })?;
        let response = response.response;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_MODIFIED => {
                if let (Some(cache), Some(known)) = (&access.cache, known) {
                    let modified = known.note.modified.clone();
                    cache.store_name(&LastDigest::seen_now(&self.0, &known.digest).with_modified(modified));
                }
                return Ok(None);
            }
            status => return Err(self.status_error(status)),
        }
        let header =
            |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = header(header::CONTENT_TYPE).to_owned();
        if kind.starts_with("text/html") {
            return Err(self.server_error("a web page is there, and no catalog"));
        }
        let modified = Some(header(header::LAST_MODIFIED).to_owned()).filter(|date| !date.is_empty());
        let bytes = self.read_body(response, limits, patience.deadline, progress)?;
        let digest = Digest::sha256(&bytes);
        if let Some(cache) = &access.cache {
            cache.store_blob(&digest, &bytes);
            cache.store_name(&LastDigest::seen_now(&self.0, &digest).with_modified(modified));
        }
        Ok(Some(Fetched { bytes, digest, notes: Vec::new() }))
    }

    fn read_body(
        &self,
        response: Response<Body>,
        limits: Limits,
        deadline: Deadline,
        progress: &Progress,
    ) -> Result<Vec<u8>, ImageError> {
        let is_packed = response.headers().get(header::CONTENT_ENCODING).is_some_and(|value| value == "gzip");
        let came = Cell::new(0);
        let body = CountingReader { inner: response.into_body().into_reader(), progress, received: &came };
        let mut stream: Box<dyn Read> =
            if is_packed { Box::new(MultiGzDecoder::new(body)) } else { Box::new(body) };
        let mut bytes = Vec::new();
        loop {
            deadline.remaining()?;
            let count = match (&mut stream).take(CHUNK_BYTES).read_to_end(&mut bytes) {
                Ok(count) => count,
                Err(error) => {
                    progress.check_stopped()?;
                    deadline.remaining()?;
                    return Err(self.server_error(&if is_timeout(&error) {
                        "nothing came from it any more".to_owned()
                    } else {
                        error.to_string()
                    }));
                }
            };
            if count == 0 {
                return Ok(bytes);
            }
            if bytes.len() as u64 > limits.kept {
                return Err(ImageError::TooMuch(format!("it has more than {} MiB", limits.kept >> 20)));
            }
            if bytes.len() as u64 > came.get().saturating_mul(limits.ratio).max(Limits::FREE) {
                return Err(ImageError::TooMuch(
                    "it is more than 200 times as large as it is packed".to_owned(),
                ));
            }
        }
    }

    fn server_error(&self, why: &str) -> ImageError {
        ImageError::Registry(format!("{}: {why}", host_with_port(&self.0).unwrap_or_default()), None)
    }

    fn status_error(&self, status: StatusCode) -> ImageError {
        let hint = match status {
            StatusCode::NOT_FOUND if self.0.contains("/catalogs/") => {
                "is the name of the catalog right? catalogd answers 404 too while it has not read it yet"
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "olmap sends no credentials to web addresses",
            _ => "does the address open in a browser?",
        };
        let why = format!(
            "{} answers with status {}",
            host_with_port(&self.0).unwrap_or_default(),
            status.as_u16()
        );
        ImageError::Registry(why, Some(hint.to_owned()))
    }
}

/// Cached content of an address.
struct CachedContent {
    note: LastDigest,
    bytes: Vec<u8>,
    digest: Digest,
}

impl CachedContent {
    fn find_cached(name: &str, cache: Option<&Cache>) -> Option<Self> {
        let note = cache?.last_seen(name)?;
        let digest = note.digest()?;
        let bytes = cache?.small_blob(&digest, Limits::default().kept)?;
        Some(Self { note, bytes, digest })
    }

    fn into_fetched(self) -> Fetched {
        Fetched { bytes: self.bytes, digest: self.digest, notes: Vec::new() }
    }

    fn into_stale(self, why: String) -> Fetched {
        let note = ImageNote::FromCache { why, age: self.note.age() };
        Fetched { notes: vec![note], ..self.into_fetched() }
    }
}

/// Reader that counts bytes and stops on cancellation.
struct CountingReader<'p, R> {
    inner: R,
    progress: &'p Progress,
    received: &'p Cell<u64>,
}

impl<R: Read> Read for CountingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check_stopped().map_err(io::Error::other)?;
        let count = self.inner.read(buffer)?;
        self.received.set(self.received.get() + count as u64);
        self.progress.bytes.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_addresses_of_catalogd_and_files() {
        let of =
            |text: &str| WebAddress::parse(text).map(|address| address.0).map_err(|error| error.to_string());
        let all = "https://catalogd.example:8443/catalogs/operatorhubio/api/v1/all";
        for text in [
            all,
            "https://catalogd.example:8443/catalogs/operatorhubio",
            "https://catalogd.example:8443/catalogs/operatorhubio/",
        ] {
            assert_eq!(of(text).as_deref(), Ok(all));
        }
        assert_eq!(of("http://a/b.yaml?x=1#top").as_deref(), Ok("http://a/b.yaml?x=1"));
        let error = of("https://user:s3cret@a/b").unwrap_err();
        assert!(error.contains("credentials") && !error.contains("s3cret"), "{error}");
        assert!(of("https:///b").is_err());
        assert!(of("https://").is_err());
    }

    #[test]
    fn file_name_comes_from_the_path() {
        let of = |text: &str, bytes: &[u8]| WebAddress::parse(text).unwrap().file_name(bytes);
        assert_eq!(of("https://a/catalogs/x/api/v1/all", b" {"), "all.json");
        assert_eq!(of("https://a/x.yaml?b=/../c", b""), "x.yaml");
        assert_eq!(of("https://a", b"schema: x"), "catalog.yaml");
        assert_eq!(of("https://a/..", b""), "catalog.yaml");
        assert_eq!(of("https://a/%2e%2e", b"{"), "catalog.json");
    }
}
