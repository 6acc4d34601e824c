//! Responses to HTTP requests.

use std::{borrow::Cow, fmt, ops::Range};

use super::{ObjectFields, ServedCatalog};

/// Content type of catalogd.
const CONTENT_TYPE: &str = "application/jsonl";

/// Parsed request head.
pub struct RequestHead<'r> {
    pub method: &'r str,
    /// Path and query.
    pub target: &'r str,
    pub headers: &'r [httparse::Header<'r>],
}

impl<'r> RequestHead<'r> {
    /// Returns the first header with a name; `None` if its value is not text.
    fn header(&self, name: &str) -> Option<&'r str> {
        self.header_values(name).next().and_then(|value| std::str::from_utf8(value).ok())
    }

    /// Returns the host; `None` unless there is exactly one and it is text.
    fn host(&self) -> Option<&'r str> {
        let mut hosts = self.header_values("Host");
        let only = hosts.next().filter(|_| hosts.next().is_none())?;
        std::str::from_utf8(only).ok().filter(|host| !host.is_empty())
    }

    fn header_values<'n>(&self, name: &'n str) -> impl Iterator<Item = &'r [u8]> + use<'n, 'r> {
        let named = self.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
        named.map(|header| header.value)
    }
}

/// Response to a request.
#[derive(Debug)]
pub struct Response<'s> {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Body<'s>,
}

/// Body of a response. It borrows from the catalog, so that a client needs little memory.
pub enum Body<'s> {
    /// Raw bytes.
    Bytes(Cow<'s, [u8]>),
    /// Objects of a catalog that match a filter.
    Metas(&'s ServedCatalog, Filter),
}

/// Filter for objects; an empty text matches every object.
#[derive(Default, Debug)]
pub struct Filter {
    schema: String,
    package: String,
    name: String,
}

impl Filter {
    fn matches(&self, meta: &ObjectFields) -> bool {
        let is_it = |wanted: &str, own: &str| wanted.is_empty() || wanted == own;
        is_it(&self.schema, &meta.schema)
            && is_it(&self.package, &meta.package)
            && is_it(&self.name, &meta.name)
    }
}

impl Body<'_> {
    /// Returns the bytes in parts, without copying them.
    pub fn byte_parts(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match self {
            Self::Bytes(bytes) => Box::new(std::iter::once(&**bytes)),
            Self::Metas(served, filter) => {
                let metas = served.objects.iter().filter(|meta| filter.matches(meta));
                Box::new(metas.map(|meta| served.all.get(meta.at.clone()).unwrap_or_default()))
            }
        }
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.byte_parts().map(<[u8]>::len).sum()
    }
}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("len", &self.len()).finish()
    }
}

impl Response<'_> {
    /// Creates a response whose body is the reason phrase of its status.
    pub fn with_status(status: u16) -> Self {
        let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
        let mut answer = Self { status, headers, body: Body::Bytes(Cow::Borrowed(b"")) };
        answer.body = Body::Bytes(Cow::Owned(format!("{}\n", answer.reason()).into_bytes()));
        answer
    }

    /// Returns the reason phrase of the status.
    pub fn reason(&self) -> &'static str {
        match self.status {
            200 => "OK",
            206 => "Partial Content",
            304 => "Not Modified",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            416 => "Range Not Satisfiable",
            _ => "Service Unavailable",
        }
    }
}

/// Returns the response to a request.
pub fn respond<'s>(request: &RequestHead<'_>, served: &'s ServedCatalog) -> Response<'s> {
    if !matches!(request.method, "GET" | "HEAD") {
        let mut answer = Response::with_status(405);
        answer.headers.push(("Allow", "GET, HEAD".to_owned()));
        return answer;
    }
    // Protects against web pages that reach this machine under another name.
    match request.host() {
        Some(host) if is_loopback(host) => {}
        Some(_) => return Response::with_status(403),
        None => return Response::with_status(400),
    }
    let (path, query) = request.target.split_once('?').unwrap_or((request.target, ""));
    match strip_catalog_prefix(path) {
        "/api/v1/all" => respond_with_all(request, served),
        "/api/v1/metas" => respond_with_objects(request, query, served),
        _ => Response::with_status(404),
    }
}

/// Returns true if a host is a loopback name, with or without a port.
fn is_loopback(host: &str) -> bool {
    let end = if host.starts_with('[') { host.find(']').map(|at| at + 1) } else { host.find(':') };
    let (name, rest) = host.split_at_checked(end.unwrap_or(host.len())).unwrap_or_default();
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
        && ["localhost", "127.0.0.1", "[::1]"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// Removes `/catalogs/NAME` from a path, with any name.
fn strip_catalog_prefix(path: &str) -> &str {
    let rest = path.strip_prefix("/catalogs/").and_then(|rest| rest.split_once('/'));
    rest.and_then(|(name, _)| path.get("/catalogs/".len() + name.len()..)).unwrap_or(path)
}

fn is_not_modified(asked: &RequestHead<'_>, served: &ServedCatalog) -> bool {
    let since = asked.header("If-Modified-Since").and_then(|date| httpdate::parse_http_date(date).ok());
    let modified = httpdate::parse_http_date(&served.modified).ok();
    since.zip(modified).is_some_and(|(since, modified)| since >= modified)
}

/// Creates a response with the headers of a catalog.
fn response_with<'s>(status: u16, body: Cow<'s, [u8]>, served: &ServedCatalog) -> Response<'s> {
    let headers = vec![("Content-Type", CONTENT_TYPE.to_owned()), ("Last-Modified", served.modified.clone())];
    Response { status, headers, body: Body::Bytes(body) }
}

/// Responds with the whole catalog, a range of it, or its compressed form.
fn respond_with_all<'s>(request: &RequestHead<'_>, served: &'s ServedCatalog) -> Response<'s> {
    if is_not_modified(request, served) {
        return response_with(304, Cow::Borrowed(b""), served);
    }
    let length = served.all.len();
    if let Some(range) = request.header("Range").and_then(|text| text.strip_prefix("bytes=")) {
        let Some(range) = parse_range(range, length) else {
            let mut answer = Response::with_status(416);
            answer.headers.push(("Content-Range", format!("bytes */{length}")));
            return answer;
        };
        let told = format!("bytes {}-{}/{length}", range.start, range.end.saturating_sub(1));
        let mut answer = response_with(206, Cow::Borrowed(served.all.get(range).unwrap_or_default()), served);
        answer.headers.push(("Content-Range", told));
        return answer;
    }
    let takes_gzip = request.header("Accept-Encoding").is_some_and(|text| {
        text.split(',').any(|one| one.split(';').next().is_some_and(|name| name.trim() == "gzip"))
    });
    let mut answer = if takes_gzip {
        let mut answer = response_with(200, Cow::Borrowed(served.gzipped.as_slice()), served);
        answer.headers.push(("Content-Encoding", "gzip".to_owned()));
        answer
    } else {
        response_with(200, Cow::Borrowed(served.all.as_slice()), served)
    };
    answer.headers.extend([("Vary", "Accept-Encoding".to_owned()), ("Accept-Ranges", "bytes".to_owned())]);
    answer
}

/// Parses a single byte range: `5-`, `5-9`, `-5` for the last five. `None` if it is invalid or
/// empty.
fn parse_range(text: &str, length: usize) -> Option<Range<usize>> {
    let (begin, end) = text.trim().split_once('-')?;
    let range = match (begin.trim(), end.trim()) {
        ("", last) => length.saturating_sub(last.parse().ok()?)..length,
        (begin, "") => begin.parse().ok()?..length,
        (begin, end) => begin.parse().ok()?..end.parse::<usize>().ok()?.saturating_add(1).min(length),
    };
    (range.start < range.end).then_some(range)
}

/// Responds with the objects that match the query.
fn respond_with_objects<'s>(asked: &RequestHead<'_>, query: &str, served: &'s ServedCatalog) -> Response<'s> {
    let mut filter = Filter::default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let field = match key {
            "schema" => &mut filter.schema,
            "package" => &mut filter.package,
            "name" => &mut filter.name,
            _ => return Response::with_status(400),
        };
        let Some(value) = decode_query(value) else { return Response::with_status(400) };
        *field = value;
    }
    if is_not_modified(asked, served) {
        return response_with(304, Cow::Borrowed(b""), served);
    }
    Response { body: Body::Metas(served, filter), ..response_with(200, Cow::Borrowed(b""), served) }
}

/// Decodes `%XX` and `+` in a query value; `None` if it is malformed or not UTF-8.
fn decode_query(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;

    fn sample_catalog() -> ServedCatalog {
        let text = "schema: olm.package\nname: tide\n---\nschema: olm.channel\npackage: tide\nname: stable\nentries: []\n";
        ServedCatalog::new(&load::from_bytes(text.as_bytes().to_vec())).unwrap()
    }

    fn request_answer(method: &str, target: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let served = sample_catalog();
        let has_host = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let usual = (!has_host).then_some(("Host", "localhost:8080"));
        let headers = headers.iter().copied().chain(usual);
        let headers: Vec<_> =
            headers.map(|(name, value)| httparse::Header { name, value: value.as_bytes() }).collect();
        let answer = respond(&RequestHead { method, target, headers: &headers }, &served);
        let body = answer.body.byte_parts().collect::<Vec<_>>().concat();
        assert_eq!(body.len(), answer.body.len());
        (answer.status, String::from_utf8_lossy(&body).into_owned())
    }

    #[test]
    fn objects_are_selected_as_catalogd_selects_them() {
        let count = |target: &str| {
            let (status, body) = request_answer("GET", target, &[]);
            assert_eq!(status, 200, "{target}");
            body.lines().count()
        };
        assert_eq!(count("/api/v1/all"), 2);
        assert_eq!(count("/catalogs/any-name/api/v1/all"), 2);
        assert_eq!(count("/api/v1/metas"), 2);
        assert_eq!(count("/api/v1/metas?schema=olm.package"), 1);
        assert_eq!(count("/api/v1/metas?package=tide"), 1, "an olm.package has no package");
        assert_eq!(count("/api/v1/metas?package=tide&name=stable&schema=olm%2echannel"), 1);
        assert_eq!(count("/api/v1/metas?name=Stable"), 0);
        for (target, status) in [
            ("/api/v1/metas?channel=x", 400),
            ("/api/v1/metas?name=%zz", 400),
            ("/api/v1/metas?name=%ff", 400),
            ("/", 404),
            ("/api/v1/all/", 404),
            ("/catalogs/", 404),
            ("/catalogs/a/b/api/v1/all", 404),
            ("/../../etc/passwd", 404),
        ] {
            assert_eq!(request_answer("GET", target, &[]).0, status, "{target}");
        }
        assert_eq!(request_answer("POST", "/api/v1/all", &[]).0, 405);
    }

    #[test]
    fn only_this_machine_is_answered_by_its_own_names() {
        for (host, status) in [
            ("127.0.0.1", 200),
            ("[::1]:80", 200),
            ("[::1]", 200),
            ("LOCALHOST", 200),
            ("LocalHost:8080", 200),
            ("evil.example", 403),
            ("localhost.evil.example", 403),
            ("localhost:evil.example", 403),
            ("localhost:80:80", 403),
            ("localhost:", 403),
            ("localhost:+80", 403),
            ("localhost.", 403),
            ("user@localhost", 403),
            ("[::1]evil.example", 403),
            ("[::1]:x]", 403),
            ("[::1", 403),
            ("::1", 403),
            (":80", 403),
            ("", 400),
        ] {
            assert_eq!(request_answer("GET", "/api/v1/all", &[("Host", host)]).0, status, "{host}");
        }
    }

    #[test]
    fn request_without_exactly_one_host_is_refused() {
        let ask = |hosts: &[&str]| {
            let headers: Vec<_> = hosts.iter().map(|host| ("hOST", *host)).collect();
            request_answer("GET", "/api/v1/all", &headers).0
        };
        assert_eq!(ask(&["localhost"]), 200);
        assert_eq!(ask(&["localhost", "evil.example"]), 400);
        assert_eq!(ask(&["evil.example", "localhost"]), 400);
        assert_eq!(ask(&["localhost", "localhost"]), 400);
        assert_eq!(ask(&["localhost", ""]), 400);
    }

    #[test]
    fn objects_are_borrowed_from_the_served_catalog() {
        let served = sample_catalog();
        let headers = [httparse::Header { name: "Host", value: b"localhost" }];
        for target in ["/api/v1/all", "/api/v1/metas", "/api/v1/metas?schema=olm.channel"] {
            let answer = respond(&RequestHead { method: "GET", target, headers: &headers }, &served);
            let whole = served.all.as_ptr_range();
            let are_borrowed = answer.body.byte_parts().all(|part| whole.contains(&part.as_ptr()));
            assert!(are_borrowed && answer.body.len() > 0, "{target}");
        }
    }

    #[test]
    fn ranges_dates_and_gzip_are_understood() {
        let whole = request_answer("GET", "/api/v1/all", &[]).1;
        let part = |range: &str| request_answer("GET", "/api/v1/all", &[("Range", range)]);
        assert_eq!(part("bytes=0-4"), (206, whole[..5].to_owned()));
        assert_eq!(part("bytes=5-"), (206, whole[5..].to_owned()));
        assert_eq!(part("bytes=-3"), (206, whole[whole.len() - 3..].to_owned()));
        for wrong in ["bytes=9-1", "bytes=99999-", "bytes=x-", "bytes=-0"] {
            assert_eq!(part(wrong).0, 416, "{wrong}");
        }
        let since = |date: &str| request_answer("GET", "/api/v1/all", &[("If-Modified-Since", date)]).0;
        assert_eq!(since("Fri, 01 Jan 2100 00:00:00 GMT"), 304);
        assert_eq!(since("Thu, 01 Jan 1970 00:00:00 GMT"), 200);
        assert_eq!(since("yesterday"), 200);
        let (status, packed) = request_answer("GET", "/api/v1/all", &[("Accept-Encoding", "br, gzip;q=0.5")]);
        assert!(status == 200 && packed != whole);
    }
}
