//! Web addresses of catalogs: catalogd's `/catalogs/NAME/api/v1/all`, and any other stream of JSON or YAML.
//!
//! What came is kept in the cache with the date that the server gave it, so that the next time only news are asked for.

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
    registry::{Client, Deadline, Failed, Machine, Patience, Request, host, is_about_tls, is_timeout},
    unpack::Limits,
};
use crate::{
    catalog::{ImageNote, load::Progress, redact::redact},
    source::{
        Access, Trust,
        cache::{Cache, LastSeen},
    },
};

/// How many bytes are unpacked before it is looked how many there are.
const PORTION: u64 = 1 << 20;
/// What catalogd calls all of a catalog, below the address that a `ClusterCatalog` tells.
const ALL: &str = "/api/v1/all";

/// An address, `https://` or `http://`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address(String);

/// What an address gave.
pub struct Fetched {
    /// The bytes of the stream, unpacked.
    pub bytes: Vec<u8>,
    /// What they are.
    pub digest: Digest,
    /// What whoever opens it should know.
    pub notes: Vec<ImageNote>,
}

impl Address {
    /// Whether something begins as an address does.
    pub fn begins(text: &str) -> bool {
        text.starts_with("https://") || text.starts_with("http://")
    }

    /// Reads an address. That of a catalog of catalogd, as its `ClusterCatalog` tells it, becomes that of all its objects.
    ///
    /// # Errors
    ///
    /// When it has no host, or has credentials: nobody sees to it that they stay secret.
    pub fn parse(text: &str) -> Result<Self, ImageError> {
        let wrong = |why, hint: Option<&str>| ImageError::Reference {
            // Without what may be a password.
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
        if host(plain).is_none_or(|host| host.is_empty()) {
            return Err(wrong("it has no host", None));
        }
        let path = plain.trim_end_matches('/');
        let is_of_catalogd = path
            .rsplit_once('/')
            .is_some_and(|(before, name)| before.ends_with("/catalogs") && !name.contains(['?', '&']));
        Ok(Self(if is_of_catalogd { format!("{path}{ALL}") } else { plain.to_owned() }))
    }

    /// The host, with its port.
    pub fn host(&self) -> String {
        host(&self.0).unwrap_or_default()
    }

    /// A name for the file that it is: the last part of its path.
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

    /// Fetches what is there.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached and the cache does not have it, or when what comes is no stream of objects.
    pub fn fetch(&self, access: &Access, progress: &Progress) -> Result<Fetched, ImageError> {
        self.fetch_within(Limits::default(), access, progress)
    }

    /// Opens an address with other limits.
    pub(super) fn fetch_within(
        &self,
        limits: Limits,
        access: &Access,
        progress: &Progress,
    ) -> Result<Fetched, ImageError> {
        let known = Known::of(&self.0, access.cache.as_ref());
        if access.offline {
            let why = "no connection is opened (--offline)".to_owned();
            return known
                .map(|known| known.into_old(why))
                .ok_or_else(|| ImageError::Offline(redact(&self.0).into_owned()));
        }
        match self.ask(limits, access, known.as_ref(), progress) {
            Ok(Some(fetched)) => Ok(fetched),
            Ok(None) => known
                .map(Known::into_new)
                .ok_or_else(|| self.told("it says that nothing changed since never")),
            Err(error) if error.is_unreachable() => {
                known.map(|known| known.into_old(error.to_string())).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// None where it is what the cache has.
    fn ask(
        &self,
        limits: Limits,
        access: &Access,
        known: Option<&Known>,
        progress: &Progress,
    ) -> Result<Option<Fetched>, ImageError> {
        let host = host(&self.0).unwrap_or_default();
        let verifies = access.trust == Trust::Verified;
        let patience = Patience { idle: access.patience, deadline: Deadline::start(access.total) };
        let client = Client::new(&Machine::here(), &host, verifies, patience, progress)?;
        let mut more = vec![("Accept-Encoding", "gzip")];
        more.extend(
            known.and_then(|known| known.note.modified.as_deref()).map(|date| ("If-Modified-Since", date)),
        );
        let accept = Some("application/jsonl, application/json, application/yaml, text/plain, */*;q=0.1");
        let request = Request { url: &self.0, accept, authorization: None, from: 0, more: &more };
        let response = client.get(request).map_err(|failed| match failed {
            Failed::Other(error) => error,
            Failed::Unreachable(why) if is_about_tls(&why) => ImageError::Registry(
                format!("cannot reach {host}: {why}"),
                Some(
                    "--skip-tls-verify accepts any certificate; without TLS the address begins with http://"
                        .to_owned(),
                ),
            ),
            Failed::Unreachable(why) => ImageError::Unreachable { host: host.clone(), why },
        })?;
        let response = response.response;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_MODIFIED => {
                if let (Some(cache), Some(known)) = (&access.cache, known) {
                    let modified = known.note.modified.clone();
                    cache.remember(&LastSeen::now(&self.0, &known.digest).with_modified(modified));
                }
                return Ok(None);
            }
            status => return Err(self.said(status)),
        }
        let header =
            |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = header(header::CONTENT_TYPE).to_owned();
        if kind.starts_with("text/html") {
            return Err(self.told("a web page is there, and no catalog"));
        }
        let modified = Some(header(header::LAST_MODIFIED).to_owned()).filter(|date| !date.is_empty());
        let bytes = self.read(response, limits, patience.deadline, progress)?;
        let digest = Digest::of(&bytes);
        if let Some(cache) = &access.cache {
            cache.keep(&digest, &bytes);
            cache.remember(&LastSeen::now(&self.0, &digest).with_modified(modified));
        }
        Ok(Some(Fetched { bytes, digest, notes: Vec::new() }))
    }

    fn read(
        &self,
        response: Response<Body>,
        limits: Limits,
        deadline: Deadline,
        progress: &Progress,
    ) -> Result<Vec<u8>, ImageError> {
        let is_packed = response.headers().get(header::CONTENT_ENCODING).is_some_and(|value| value == "gzip");
        let came = Cell::new(0);
        let body = Counted { inner: response.into_body().into_reader(), progress, came: &came };
        let mut stream: Box<dyn Read> =
            if is_packed { Box::new(MultiGzDecoder::new(body)) } else { Box::new(body) };
        let mut bytes = Vec::new();
        loop {
            deadline.remaining()?;
            let count = match (&mut stream).take(PORTION).read_to_end(&mut bytes) {
                Ok(count) => count,
                Err(error) => {
                    progress.check()?;
                    deadline.remaining()?;
                    return Err(self.told(&if is_timeout(&error) {
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

    fn told(&self, why: &str) -> ImageError {
        ImageError::Registry(format!("{}: {why}", host(&self.0).unwrap_or_default()), None)
    }

    fn said(&self, status: StatusCode) -> ImageError {
        let hint = match status {
            StatusCode::NOT_FOUND if self.0.contains("/catalogs/") => {
                "is the name of the catalog right? catalogd answers 404 too while it has not read it yet"
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "olmap sends no credentials to web addresses",
            _ => "does the address open in a browser?",
        };
        let why = format!("{} answers with status {}", host(&self.0).unwrap_or_default(), status.as_u16());
        ImageError::Registry(why, Some(hint.to_owned()))
    }
}

/// What the cache has of an address.
struct Known {
    note: LastSeen,
    bytes: Vec<u8>,
    digest: Digest,
}

impl Known {
    fn of(name: &str, cache: Option<&Cache>) -> Option<Self> {
        let note = cache?.last_seen(name)?;
        let digest = note.digest()?;
        let bytes = cache?.small_blob(&digest, Limits::default().kept)?;
        Some(Self { note, bytes, digest })
    }

    fn into_new(self) -> Fetched {
        Fetched { bytes: self.bytes, digest: self.digest, notes: Vec::new() }
    }

    fn into_old(self, why: String) -> Fetched {
        let note = ImageNote::FromCache { why, age: self.note.age() };
        Fetched { notes: vec![note], ..self.into_new() }
    }
}

/// Bytes that are counted, until somebody asks to stop.
struct Counted<'p, R> {
    inner: R,
    progress: &'p Progress,
    came: &'p Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check().map_err(io::Error::other)?;
        let count = self.inner.read(buffer)?;
        self.came.set(self.came.get() + count as u64);
        self.progress.bytes.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_people_copy_it() {
        let of =
            |text: &str| Address::parse(text).map(|address| address.0).map_err(|error| error.to_string());
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
    fn it_has_the_name_of_a_file() {
        let of = |text: &str, bytes: &[u8]| Address::parse(text).unwrap().file_name(bytes);
        assert_eq!(of("https://a/catalogs/x/api/v1/all", b" {"), "all.json");
        assert_eq!(of("https://a/x.yaml?b=/../c", b""), "x.yaml");
        assert_eq!(of("https://a", b"schema: x"), "catalog.yaml");
        assert_eq!(of("https://a/..", b""), "catalog.yaml");
        assert_eq!(of("https://a/%2e%2e", b"{"), "catalog.json");
    }
}
