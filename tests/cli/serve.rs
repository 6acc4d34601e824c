//! `olmap serve`, queried directly and read by olmap; and other web addresses.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
};

use super::registry::{server::http_request, user::User};

/// `olmap serve` process that runs until it is dropped.
struct ServeProcess {
    child: Child,
    host: String,
}

impl ServeProcess {
    fn start(user: &User, path: &str) -> Self {
        let mut child = user
            .command()
            .args(["serve", path, "--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let host = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        Self { child, host }
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        self.stop();
    }
}

#[test]
fn served_catalog_renders_as_its_directory() {
    let user = User::new();
    let mut serving = ServeProcess::start(&user, "demo/catalog");
    let expected = user.run_olmap(&["render", "demo/catalog"]).exits(0).out;
    let all = format!("http://{}/api/v1/all", serving.host);
    let of_catalogd = format!("http://{}/catalogs/demo", serving.host);
    for address in [&all, &of_catalogd, &all] {
        let run = user.run_olmap(&["render", address]).exits(0);
        assert!(run.out == expected && run.err.is_empty(), "{address}: {}", run.err);
    }
    let one = format!("http://{}/api/v1/metas?schema=olm.package", serving.host);
    let packages = user.run_olmap(&["list", "packages", &one]).exits(0).out;
    assert!(packages.contains("granary"), "{packages}");
    let run = user.run_olmap(&["render", &format!("http://{}/nothing", serving.host)]).exits(2);
    assert!(run.err.contains("404"), "{}", run.err);
    let answer = http_request(&serving.host, "GET", "/api/v1/metas?schema=olm.package", &[], b"");
    let text = String::from_utf8(answer.body).unwrap();
    assert_eq!(answer.status, 200);
    assert!(
        text.lines().count() > 2 && text.lines().all(|line| line.starts_with("{\"schema\":\"olm.package\"")),
        "{text}"
    );
    let again = http_request(
        &serving.host,
        "GET",
        "/api/v1/all",
        &[("If-Modified-Since", &answer.headers["last-modified"])],
        b"",
    );
    assert_eq!((again.status, again.body.len()), (304, 0));

    serving.stop();
    let run = user.run_olmap(&["render", &all]).exits(0);
    assert!(run.out == expected, "from the cache");
    assert!(run.err.contains("cannot reach") && run.err.contains("in the cache"), "{}", run.err);
    let run = user.run_olmap(&["render", "--offline", &one]).exits(0);
    assert!(run.err.contains("--offline"), "{}", run.err);
    User::new().run_olmap(&["render", &all]).exits(2);
}

#[test]
fn request_is_answered_at_once_and_only_by_a_name_of_this_machine() {
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream,
    };
    let serving = ServeProcess::start(&User::new(), "demo/catalog");
    let status = |head: &str| {
        let mut client = TcpStream::connect(&serving.host).unwrap();
        client.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    for (head, expected) in [
        ("GET /api/v1/metas HTTP/1.1\nHost: LOCALHOST:1\n\n", "200"),
        ("HEAD /api/v1/metas HTTP/1.1\r\nHost: [::1]\r\n\r\n", "200"),
        ("GET /api/v1/all HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "400"),
        ("GET /api/v1/all HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n", "400"),
        ("GET /api/v1/all HTTP/1.1\r\nHost: localhost:evil.example\r\n\r\n", "403"),
        ("GET /api/v1/all HTTP/1.1\n\n", "400"),
        ("nothing\n\n", "400"),
    ] {
        assert_eq!(status(head), expected, "{head}");
    }
}

#[test]
fn unreadable_catalog_is_not_served() {
    let user = User::new();
    let broken = user.write_file("broken.yaml", "schema: olm.package\nname: [\n");
    let run = user.run_olmap(&["serve", broken.to_str().unwrap(), "--port", "0"]).exits(2);
    assert!(run.err.contains("opm cannot read"), "{}", run.err);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = user.run_olmap(&["serve", "demo/catalog", "--port", &port]).exits(2);
    assert!(run.err.contains("--port 0"), "{}", run.err);
}

#[test]
fn refuses_web_address_without_a_catalog() {
    use std::io::{Read as _, Write as _};
    let user = User::new();
    let bomb = {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let zeros = vec![b'\n'; 1 << 20];
        for _ in 0..200 {
            packed.write_all(&zeros).unwrap();
        }
        packed.finish().unwrap()
    };
    for (head, body, why) in [
        ("200 OK\r\nContent-Type: text/html; charset=utf-8", b"<html>".to_vec(), "a web page"),
        ("401 Unauthorized", Vec::new(), "no credentials"),
        ("200 OK\r\nContent-Encoding: gzip", b"not gzip".to_vec(), "127.0.0.1"),
        ("200 OK\r\nContent-Encoding: gzip", bomb, "200 times as large"),
        ("302 Found\r\nLocation: file:///etc/passwd", Vec::new(), "no web address"),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/catalog.yaml", listener.local_addr().unwrap());
        let answer = [
            format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len())
                .into_bytes(),
            body,
        ]
        .concat();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 4096];
            let _ = stream.read(&mut asked);
            let _ = stream.write_all(&answer);
        });
        let run = user.run_olmap(&["render", &address]).exits(2);
        assert!(run.err.contains(why) && run.out.is_empty(), "{why}: {}", run.err);
        server.join().unwrap();
    }
    assert!(!fs::exists(user.home_path("cache/olmap/names")).unwrap(), "none of that is kept");
    let run = user.run_olmap(&["render", "https://user:s3cret@example.com/x"]).exits(2);
    assert!(run.err.contains("credentials") && !run.err.contains("s3cret"), "{}", run.err);
}
