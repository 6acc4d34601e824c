//! A registry for tests, with a few threads on a free loopback port.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use crate::images::sample::{MANIFEST, Sample};

/// A received request.
#[derive(Clone, Debug, Default)]
pub struct ReceivedRequest {
    pub method: String,
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
    /// Number of earlier requests with this path.
    pub before: usize,
    /// Address of the server.
    pub host: String,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// A response.
#[derive(Clone, Debug, Default)]
pub struct TestResponse {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Number of body bytes to send before closing the connection.
    pub cut: Option<usize>,
    /// True if the connection then stays open without another byte.
    pub stays_open: bool,
    /// True if the body is endless and without a length.
    pub is_endless: bool,
}

impl TestResponse {
    pub fn new(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }
}

type Behavior = dyn Fn(&ReceivedRequest) -> Option<TestResponse> + Send + Sync;

/// A registry that runs until it is dropped.
pub struct Server {
    pub host: String,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Starts a registry with an image under `ns/cat:v1`; `behaviour` takes precedence.
    pub fn new(
        sample: Sample,
        behaviour: impl Fn(&ReceivedRequest) -> Option<TestResponse> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let server = Self { host, received: Arc::default(), is_over: Arc::default() };
        let (asked, is_over, host) = (server.received.clone(), server.is_over.clone(), server.host.clone());
        let behaviour: Arc<Behavior> = Arc::new(behaviour);
        let sample = Arc::new(sample);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (asked, host) = (asked.clone(), host.clone());
                let (behaviour, sample) = (behaviour.clone(), sample.clone());
                thread::spawn(move || {
                    let _ = serve(stream, &host, &asked, &*behaviour, &sample);
                });
            }
        });
        server
    }

    /// Returns the requested paths.
    pub fn paths(&self) -> Vec<String> {
        self.received.lock().unwrap().iter().map(|asked| asked.path.clone()).collect()
    }

    /// Returns all requests.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }

    /// Returns the last received value of a header.
    pub fn last_header(&self, header: &str) -> Option<String> {
        self.received.lock().unwrap().iter().rev().find_map(|asked| asked.headers.get(header).cloned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.host);
    }
}

fn serve(
    stream: TcpStream,
    host: &str,
    all: &Mutex<Vec<ReceivedRequest>>,
    behaviour: &Behavior,
    sample: &Sample,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut asked = ReceivedRequest { method, path, host: host.to_owned(), ..ReceivedRequest::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        asked.headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length: usize = asked.header("content-length").parse().unwrap_or(0);
    asked.body = vec![0; length];
    reader.read_exact(&mut asked.body)?;
    {
        let mut all = all.lock().unwrap();
        asked.before = all.iter().filter(|one| one.path == asked.path).count();
        all.push(asked.clone());
    }
    let answer = behaviour(&asked).unwrap_or_else(|| default_answer(&asked, sample));
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {} X\r\nConnection: close\r\n", answer.status)?;
    if !answer.is_endless {
        write!(stream, "Content-Length: {}\r\n", answer.body.len())?;
    }
    for (name, value) in &answer.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    stream.write_all(b"\r\n")?;
    if asked.method == "HEAD" {
        return Ok(());
    }
    let sent = answer.cut.unwrap_or(answer.body.len()).min(answer.body.len());
    stream.write_all(&answer.body[..sent])?;
    if answer.is_endless {
        // Fails after the client has closed the connection.
        loop {
            stream.write_all(&[b' '; 4096])?;
        }
    }
    if answer.stays_open {
        // Returns after the client has closed the connection.
        reader.read_to_end(&mut Vec::new())?;
    }
    Ok(())
}

fn default_answer(asked: &ReceivedRequest, sample: &Sample) -> TestResponse {
    let path = asked.path.as_str();
    if path == "/v2/" {
        return TestResponse::new(200).body("{}");
    }
    let blob = |digest: &str| sample.blobs.get(digest).cloned();
    let found = match path.strip_prefix("/v2/ns/cat/manifests/") {
        Some("v1") => blob(&sample.manifest),
        Some(digest) => blob(digest),
        None => path.strip_prefix("/v2/ns/cat/blobs/").and_then(blob),
    };
    match found {
        Some(bytes) => {
            let is_index = String::from_utf8_lossy(&bytes).contains("\"manifests\":");
            let kind = match (path.contains("/manifests/"), is_index) {
                (true, true) => "application/vnd.oci.image.index.v1+json",
                (true, false) => MANIFEST,
                (false, _) => "application/octet-stream",
            };
            TestResponse::new(200).with("Content-Type", kind).body(bytes)
        }
        None => TestResponse::new(404),
    }
}
