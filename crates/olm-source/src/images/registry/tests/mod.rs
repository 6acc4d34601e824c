//! Tests with local registries that misbehave in many ways.

mod other_hosts;
mod server;
mod transfers;

use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use server::{ReceivedRequest, Server, TestResponse};

use super::*;
use crate::images::{contents, sample};

/// Password that no message may contain.
const PASSWORD: &str = "s3cr3t-pa55";

/// Returns a machine configuration below a folder.
fn test_machine(home: &Path) -> MachinePaths {
    MachinePaths {
        home: Some(home.to_owned()),
        docker: Some(home.join(".docker")),
        runtime: Some(home.join("run")),
        config: Some(home.join("config")),
        ..MachinePaths::default()
    }
}

fn write_home_file(home: &Path, path: &str, text: &str) {
    fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
    fs::write(home.join(path), text).unwrap();
}

fn write_credentials(home: &Path, host: &str) {
    let auth = STANDARD.encode(format!("user:{PASSWORD}"));
    write_home_file(
        home,
        ".docker/config.json",
        &format!("{{\"auths\":{{\"{host}\":{{\"auth\":\"{auth}\"}}}}}}"),
    );
}

/// Pulls `ns/cat:v1`; returns the error message with its hint.
fn pull(machine: MachinePaths, name: &str) -> Result<contents::Contents, String> {
    pull_with(machine, name, &Access { trust: Trust::Unverified, ..Access::default() })
}

fn pull_with(machine: MachinePaths, name: &str, access: &Access) -> Result<contents::Contents, String> {
    let told = |error: ImageError| format!("{error} / {}", error.hint().unwrap_or_default());
    let progress = Progress::default();
    let name = ImageName::parse(name).map_err(told)?;
    let registry = RegistryImage::with_machine(machine, &name, access, &progress).map_err(told)?;
    let image = registry.image(&Platform::for_this_machine()).map_err(told)?;
    contents::read_contents(&registry, &image, &progress).map_err(told)
}

fn pull_outcome(
    behaviour: impl Fn(&ReceivedRequest) -> Option<TestResponse> + Send + Sync + 'static,
) -> (Server, Result<(), String>) {
    let home = tempfile::tempdir().unwrap();
    let server = Server::new(sample::sample_catalog(), behaviour);
    write_credentials(home.path(), &server.host);
    let result = pull(test_machine(home.path()), &format!("{}/ns/cat:v1", server.host)).map(|_| ());
    if let Err(error) = &result {
        let both = STANDARD.encode(format!("user:{PASSWORD}"));
        assert!(!error.contains(PASSWORD) && !error.contains(&both) && !error.contains("t0k3n"), "{error}");
    }
    (server, result)
}

fn is_blob(asked: &ReceivedRequest) -> bool {
    asked.path.contains("/blobs/")
}

fn bearer_answer(asked: &ReceivedRequest) -> Option<TestResponse> {
    if asked.path.starts_with("/token") {
        let is_known =
            asked.header("authorization") == format!("Basic {}", STANDARD.encode(format!("user:{PASSWORD}")));
        return Some(if is_known {
            TestResponse::new(200).body("{\"token\":\"t0k3n\"}")
        } else {
            TestResponse::new(401)
        });
    }
    if asked.header("authorization") == "Bearer t0k3n" {
        return None;
    }
    let challenge = format!("Bearer realm=\"http://{}/token\",service=\"svc\"", asked.host);
    Some(TestResponse::new(401).with("WWW-Authenticate", challenge))
}

#[test]
fn pulls_image_by_tag_and_by_digest() {
    let home = tempfile::tempdir().unwrap();
    let sample = sample::sample_catalog();
    let server = Server::new(sample.clone(), |_| None);
    for version in [":v1", &format!("@{}", sample.manifest)] {
        let contents = pull(test_machine(home.path()), &format!("{}/ns/cat{version}", server.host)).unwrap();
        assert!(matches!(contents, contents::Contents::Catalog(files) if files.len() == 1));
    }
    let error = pull(test_machine(home.path()), &format!("{}/ns/cat:v2", server.host)).unwrap_err();
    assert!(error.contains("the image v2 is missing"), "{error}");
    let error = pull(test_machine(home.path()), &format!("{}/ns/dog:v1", server.host)).unwrap_err();
    assert!(error.contains("ns/dog"), "{error}");
}

#[test]
fn refuses_bytes_with_wrong_digest() {
    let home = tempfile::tempdir().unwrap();
    let sample = sample::sample_catalog();
    let server = Server::new(sample.clone(), |asked| {
        is_blob(asked).then(|| TestResponse::new(200).body("something else"))
    });
    for version in [":v1", &format!("@{}", sample.manifest)] {
        let error = pull(test_machine(home.path()), &format!("{}/ns/cat{version}", server.host)).unwrap_err();
        assert!(error.contains("bytes are declared"), "{error}");
    }
    let server = Server::new(sample.clone(), |asked| {
        let digest = asked.path.rsplit('/').next().unwrap_or_default();
        let bytes = sample::sample_catalog().blobs.get(digest).filter(|_| is_blob(asked))?.clone();
        Some(TestResponse::new(200).body(vec![b'x'; bytes.len()]))
    });
    let error = pull(test_machine(home.path()), &format!("{}/ns/cat:v1", server.host)).unwrap_err();
    assert!(error.contains("wrong digest"), "{error}");
}

#[test]
fn requests_token_with_credentials_of_the_host() {
    let (server, result) = pull_outcome(bearer_answer);
    assert_eq!(result, Ok(()));
    assert!(server.paths().contains(&"/token?service=svc&scope=repository%3Ans%2Fcat%3Apull".to_owned()));
    let refuse = |asked: &ReceivedRequest| {
        if asked.path.starts_with("/token") {
            Some(TestResponse::new(401).body(format!("no {PASSWORD}")))
        } else {
            bearer_answer(asked)
        }
    };
    let error = pull_outcome(refuse).1.unwrap_err();
    assert!(error.contains("refuses the credentials of") && error.contains("config.json"), "{error}");
    let empty = |asked: &ReceivedRequest| {
        if asked.path.starts_with("/token") {
            Some(TestResponse::new(200).body("{\"token\":\"\"}"))
        } else {
            bearer_answer(asked)
        }
    };
    assert!(pull_outcome(empty).1.unwrap_err().contains("gave no token"));
}

#[test]
fn error_without_credentials_names_the_searched_files() {
    let home = tempfile::tempdir().unwrap();
    let basic = |asked: &ReceivedRequest| {
        (asked.header("authorization").is_empty())
            .then(|| TestResponse::new(401).with("WWW-Authenticate", "Basic realm=\"x\""))
    };
    let server = Server::new(sample::sample_catalog(), basic);
    let name = format!("{}/ns/cat:v1", server.host);
    let error = pull(test_machine(home.path()), &name).unwrap_err();
    assert!(error.contains("wants credentials") && error.contains("auth.json"), "{error}");
    write_credentials(home.path(), &server.host);
    assert!(pull(test_machine(home.path()), &name).is_ok());
    assert!(server.last_header("authorization").unwrap().starts_with("Basic "));
    for broken in ["{", "[]", "{\"auths\":{\"127.0.0.1\":{\"auth\":\"dTpw\"}}}"] {
        write_home_file(home.path(), ".docker/config.json", broken);
        assert!(
            pull(test_machine(home.path()), &name).unwrap_err().contains("wants credentials"),
            "{broken}"
        );
    }
    write_home_file(
        home.path(),
        ".docker/config.json",
        &format!("{{\"auths\":{{\"{}\":{{\"auth\":\"!{PASSWORD}\"}}}}}}", server.host),
    );
    let error = pull(test_machine(home.path()), &name).unwrap_err();
    assert!(error.contains("not base64") && !error.contains(PASSWORD), "{error}");
}

#[test]
fn credentials_never_go_to_another_host() {
    let sample = sample::sample_catalog();
    let store = Server::new(sample, |asked| {
        let path = asked.path.replace("/store/", "/v2/ns/cat/blobs/");
        let digest = path.rsplit('/').next().and_then(|last| last.split('?').next()).unwrap_or_default();
        let answer = sample::sample_catalog()
            .blobs
            .get(digest)
            .map(|bytes| TestResponse::new(200).body(bytes.clone()));
        Some(answer.unwrap_or(TestResponse::new(404)))
    });
    let to = store.host.clone();
    let redirect = move |asked: &ReceivedRequest| match bearer_answer(asked) {
        None if is_blob(asked) => {
            let digest = asked.path.rsplit('/').next().unwrap_or_default();
            Some(TestResponse::new(307).with("Location", format!("http://{to}/store/{digest}?sign=t0k3n")))
        }
        answer => answer,
    };
    let (server, result) = pull_outcome(redirect);
    assert_eq!(result, Ok(()));
    assert_eq!(store.last_header("authorization"), None);
    assert!(server.last_header("authorization").is_some());
}

#[test]
fn endless_redirects_are_refused() {
    let round = |asked: &ReceivedRequest| {
        is_blob(asked).then(|| TestResponse::new(302).with("Location", asked.path.clone()))
    };
    assert!(pull_outcome(round).1.unwrap_err().contains("without end"));
    let nowhere = |asked: &ReceivedRequest| is_blob(asked).then(|| TestResponse::new(302));
    assert!(pull_outcome(nowhere).1.unwrap_err().contains("does not say where"));
    let file = |asked: &ReceivedRequest| {
        is_blob(asked).then(|| TestResponse::new(302).with("Location", "file:///etc/passwd"))
    };
    assert!(pull_outcome(file).1.unwrap_err().contains("no web address"));
}

#[test]
fn retries_after_too_many_requests() {
    let busy = |asked: &ReceivedRequest| {
        (asked.before == 0).then(|| TestResponse::new(429).with("Retry-After", "0"))
    };
    assert_eq!(pull_outcome(busy).1, Ok(()));
    let always =
        |asked: &ReceivedRequest| is_blob(asked).then(|| TestResponse::new(429).with("Retry-After", "0"));
    let (server, result) = pull_outcome(always);
    assert!(result.unwrap_err().contains("429"));
    assert_eq!(server.paths().iter().filter(|path| path.contains("/blobs/")).count(), 6);
    let broken = |asked: &ReceivedRequest| {
        (asked.before == 0).then(|| TestResponse::new(503).with("Retry-After", "0"))
    };
    assert_eq!(pull_outcome(broken).1, Ok(()));
}

#[test]
fn resumes_interrupted_body() {
    let resume = |asked: &ReceivedRequest| {
        let digest = asked.path.rsplit('/').next().unwrap_or_default();
        let bytes = sample::sample_catalog().blobs.get(digest).filter(|_| is_blob(asked))?.clone();
        let from =
            asked.header("range").trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap_or(0);
        if from == 0 {
            return Some(TestResponse { cut: Some(40), ..TestResponse::new(200).body(bytes) });
        }
        let range = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
        Some(TestResponse::new(206).with("Content-Range", range).body(&bytes[from..]))
    };
    assert_eq!(pull_outcome(resume).1, Ok(()));
    let whole = |asked: &ReceivedRequest| {
        let digest = asked.path.rsplit('/').next().unwrap_or_default();
        let bytes = sample::sample_catalog().blobs.get(digest).filter(|_| is_blob(asked))?.clone();
        let cut = (asked.before == 0).then_some(40);
        Some(TestResponse { cut, ..TestResponse::new(200).body(bytes) })
    };
    assert_eq!(pull_outcome(whole).1, Ok(()), "the host knows no ranges");
    let never = |asked: &ReceivedRequest| {
        is_blob(asked).then(|| TestResponse { cut: Some(10), ..TestResponse::new(200).body(vec![b'x'; 100]) })
    };
    assert!(pull_outcome(never).1.is_err());
}

#[test]
fn host_that_is_not_a_registry_is_reported() {
    for status in [404, 403, 418] {
        let none = move |asked: &ReceivedRequest| (asked.path == "/v2/").then(|| TestResponse::new(status));
        assert!(pull_outcome(none).1.unwrap_err().contains(&status.to_string()));
    }
    let endless = |asked: &ReceivedRequest| {
        asked.path.contains("/manifests/").then(|| TestResponse::new(200).body(vec![b' '; 5 << 20]))
    };
    assert!(pull_outcome(endless).1.unwrap_err().contains("more than 4 MiB"));
    let home = tempfile::tempdir().unwrap();
    let error = pull(test_machine(home.path()), "127.0.0.1:1/ns/cat:v1").unwrap_err();
    assert!(error.contains("cannot reach 127.0.0.1:1"), "{error}");
}

#[test]
fn prefers_mirrors_and_obeys_policies() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::new(sample::sample_catalog(), |_| None);
    let of = |text: &str| {
        write_home_file(home.path(), "config/registries.conf", &text.replace("{HOST}", &server.host));
        pull(test_machine(home.path()), "registry.example/ns/cat:v1").map(|_| ())
    };
    let mirror =
        "[[registry]]\nlocation = \"registry.example\"\n[[registry.mirror]]\nlocation = \"{HOST}\"\n";
    assert_eq!(of(mirror), Ok(()));
    assert_eq!(of("[[registry]]\nprefix = \"*.example\"\nlocation = \"{HOST}\"\n"), Ok(()));
    assert!(
        of("[[registry]]\nlocation = \"registry.example\"\nblocked = true\n")
            .unwrap_err()
            .contains("blocked")
    );
    assert!(of("[[registry]\n").unwrap_err().contains("registries.conf"));
    assert!(of("[registries.search]\nregistries = []\n").unwrap_err().contains("version 1"));
    let policy = |text: &str| {
        write_home_file(home.path(), "config/policy.json", text);
        of(mirror)
    };
    assert!(policy("{\"default\":[{\"type\":\"reject\"}]}").unwrap_err().contains("rejects"));
    assert!(policy("{\"default\":[{\"type\":\"signedBy\"}]}").unwrap_err().contains("verifies none"));
    assert!(policy("{}").unwrap_err().contains("no default"));
    let accept = "{\"default\":[{\"type\":\"reject\"}],\"transports\":{\"docker\":{\"registry.example/ns\":[{\"type\":\"insecureAcceptAnything\"}]}}}";
    assert_eq!(policy(accept), Ok(()));
}

#[cfg(unix)]
#[test]
fn missing_helper_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::new(sample::sample_catalog(), |_| None);
    let name = format!("{}/ns/cat:v1", server.host);
    for (helper, why) in [("olmap-test-gone", "cannot be started"), ("../../x", "not the name of a program")]
    {
        let text = format!("{{\"credHelpers\":{{\"{}\":\"{helper}\"}}}}", server.host);
        write_home_file(home.path(), ".docker/config.json", &text);
        let error = pull(test_machine(home.path()), &name).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn debug_output_hides_secrets() {
    let secret = credentials::Secret::Basic("user".to_owned(), PASSWORD.to_owned());
    assert!(!format!("{secret:?}").contains(PASSWORD));
}

#[test]
fn error_of_registry_comes_before_errors_of_mirrors() {
    let home = tempfile::tempdir().unwrap();
    let mirror = Server::new(sample::sample_catalog(), |_| Some(TestResponse::new(418)));
    let own = Server::new(sample::sample_catalog(), |asked| {
        asked.path.contains("/manifests/").then(|| TestResponse::new(404))
    });
    let text = format!(
        "[[registry]]\nprefix = \"registry.example\"\nlocation = \"{}\"\n[[registry.mirror]]\nlocation = \"{}\"\n",
        own.host, mirror.host
    );
    write_home_file(home.path(), "config/registries.conf", &text);
    let error = pull(test_machine(home.path()), "registry.example/ns/cat:v1").unwrap_err();
    let (first, second) = error.split_once(" (mirror ").unwrap();
    assert!(first.contains("the image v1 is missing"), "{error}");
    assert!(second.starts_with(&mirror.host) && second.contains("418"), "{error}");
}

#[test]
fn malformed_block_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::new(sample::sample_catalog(), |_| None);
    for (text, why) in [
        ("[[registry]]\nlocation = \"{HOST}\"\nblocked = \"true\"\n", "blocked of a [[registry]]"),
        ("[registry]\nlocation = \"{HOST}\"\nblocked = true\n", "[[registry]]"),
        ("[[registry]]\nlocation = 7\n", "location of a [[registry]]"),
    ] {
        write_home_file(home.path(), "config/registries.conf", &text.replace("{HOST}", &server.host));
        let error = pull(test_machine(home.path()), &format!("{}/ns/cat:v1", server.host)).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let text = "[[registry]]\nlocation = \"docker.io\"\nblocked = true\n";
    write_home_file(home.path(), "config/registries.conf", text);
    for name in ["docker.io/cat:v1", "index.docker.io/ns/cat:v1"] {
        let error = pull(test_machine(home.path()), name).unwrap_err();
        assert!(error.contains("docker.io is blocked"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn failing_credential_store_is_reported_only_if_access_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::new(sample::sample_catalog(), |_| None);
    write_home_file(home.path(), ".docker/config.json", "{\"credsStore\":\"olmap-test-gone\"}");
    let name = format!("{}/ns/cat:v1", server.host);
    assert!(pull(test_machine(home.path()), &name).is_ok());
    let basic = |asked: &ReceivedRequest| {
        (asked.header("authorization").is_empty())
            .then(|| TestResponse::new(401).with("WWW-Authenticate", "Basic realm=\"x\""))
    };
    let server = Server::new(sample::sample_catalog(), basic);
    let error = pull(test_machine(home.path()), &format!("{}/ns/cat:v1", server.host)).unwrap_err();
    assert!(error.contains("wants credentials") && error.contains("olmap-test-gone"), "{error}");
}

#[test]
fn renews_expired_token() {
    let expiring = |asked: &ReceivedRequest| {
        if asked.path.starts_with("/token") {
            return Some(TestResponse::new(200).body(format!("{{\"token\":\"t0k3n{}\"}}", asked.before)));
        }
        let challenge = format!("Bearer realm=\"http://{}/token\",service=\"svc\"", asked.host);
        let unknown = TestResponse::new(401).with("WWW-Authenticate", challenge);
        let token = asked.header("authorization").to_owned();
        if !token.starts_with("Bearer t0k3n") {
            return Some(unknown);
        }
        let digest = asked.path.rsplit('/').next().unwrap_or_default();
        let bytes = sample::sample_catalog().blobs.get(digest).filter(|_| is_blob(asked))?.clone();
        let from: usize =
            asked.header("range").trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap_or(0);
        match (from, token.as_str()) {
            (0, _) => Some(TestResponse { cut: Some(40), ..TestResponse::new(200).body(bytes) }),
            // The first token is as old as the download.
            (_, "Bearer t0k3n0") => Some(unknown),
            _ => {
                let range = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
                Some(TestResponse::new(206).with("Content-Range", range).body(&bytes[from..]))
            }
        }
    };
    let (server, result) = pull_outcome(expiring);
    assert_eq!(result, Ok(()));
    assert!(server.paths().iter().filter(|path| path.starts_with("/token")).count() >= 2);
}

#[test]
fn hosts_are_mirrors_then_registry() {
    let home = tempfile::tempdir().unwrap();
    let name = ImageName::parse("registry.example/ns/cat:v1").unwrap();
    let of = |text: &str| {
        write_home_file(home.path(), "config/registries.conf", text);
        hosts_on(&test_machine(home.path()), &name)
    };
    assert_eq!(of(""), ["registry.example"]);
    let mirror = "[[registry]]\nlocation = \"registry.example\"\n[[registry.mirror]]\nlocation = \"mirror.example:5000\"\n";
    assert_eq!(of(mirror), ["mirror.example:5000", "registry.example"]);
    assert_eq!(
        of("[[registry]]\nprefix = \"registry.example\"\nlocation = \"other.example\"\n"),
        ["other.example"]
    );
}
