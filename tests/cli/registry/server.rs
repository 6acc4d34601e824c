//! Debian's `docker-registry` on a free port of the loopback address, and plain HTTP requests.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::authority::Certified;

/// User of the password file.
pub const USER: &str = "lamplighter";
/// Password, which no message may contain.
pub const PASSWORD: &str = "lantern-9";
/// Password file with the bcrypt hash, from `htpasswd -Bn`.
const HTPASSWD: &str = "lamplighter:$2y$05$abcdefghijklmnopqrstuufVBNp5asrtouXDPvaD26QtDSzAnFswu\n";

/// Access rules of a registry.
pub enum Door<'c> {
    /// Everyone, without TLS.
    Open,
    /// Clients with the password, without TLS.
    Password,
    /// Everyone, over TLS with this certificate.
    Tls(&'c Certified),
}

/// Registry process that runs until it is dropped.
pub struct Registry {
    /// Address: `127.0.0.1:PORT`.
    pub host: String,
    child: Child,
}

impl Registry {
    /// Starts a registry on a folder, which may be shared; `None` if the package is not installed.
    pub fn start(storage: &Path, door: &Door<'_>) -> Option<Self> {
        let mut config = format!(
            "version: 0.1\nlog: {{level: info}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\n",
            storage.join("data").display()
        );
        let tls = match door {
            Door::Tls(certified) => {
                let [certificate, key] = ["server.crt", "server.key"].map(|name| storage.join(name));
                fs::write(&certificate, &certified.certificate).unwrap();
                fs::write(&key, &certified.key).unwrap();
                format!(", tls: {{certificate: {}, key: {}}}", certificate.display(), key.display())
            }
            _ => String::new(),
        };
        config.push_str(&format!("http: {{addr: \"127.0.0.1:0\", secret: x{tls}}}\n"));
        if let Door::Password = door {
            let file = storage.join("htpasswd");
            fs::write(&file, HTPASSWD).unwrap();
            config.push_str(&format!("auth: {{htpasswd: {{realm: quay, path: {}}}}}\n", file.display()));
        }
        let file = storage.join("registry.yml");
        fs::write(&file, config).unwrap();
        let started = Command::new("docker-registry")
            .arg("serve")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = started else {
            eprintln!("skipped: docker-registry is not installed (apt-get install docker-registry)");
            return None;
        };
        let log = child.stderr.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        // Reads the log to its end, so that the registry is never blocked.
        thread::spawn(move || {
            for line in BufReader::new(log).lines().map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("listening on ") {
                    let end = rest.find(['"', ',']).unwrap_or(rest.len());
                    let _ = sender.send(rest[..end].to_owned());
                }
            }
        });
        let host = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
        Some(Self { host, child })
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// HTTP response.
pub struct HttpResponse {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

/// Sends a request to a server without TLS.
pub fn http_request(
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> HttpResponse {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"\r\n").unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned())).collect();
    HttpResponse { status, headers, body: answer[end + 4..].to_vec() }
}
