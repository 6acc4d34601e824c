//! Tests of requests for secrets by hosts other than the registry.

use super::*;
use crate::images::{digest::Digest, registry::push::Uploader};

/// Refresh token of an account.
const REFRESH: &str = "r3fr3sh-t0k3n";

/// Kind of the user's secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SecretKind {
    Basic,
    Identity,
}

/// Request that the registry redirects, or whose upload it sends elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RedirectedRequest {
    Ping,
    ManifestByTag,
    ManifestByDigest,
    ManifestOfIndex,
    Config,
    Layer,
    ResumedLayer,
    Token,
    UploadBegin,
    UploadEnd,
    BlobCheck,
    PushedManifest,
}

/// Starts a host that answers every request with a challenge, and would issue tokens.
fn challenging_host(challenge: &'static str) -> Server {
    Server::new(sample::Sample::default(), move |asked| {
        if asked.path.starts_with("/tok") {
            return Some(TestResponse::new(200).body("{\"token\":\"x\",\"access_token\":\"x\"}"));
        }
        let realm = format!("http://{}/tok", asked.host);
        Some(TestResponse::new(401).with("WWW-Authenticate", challenge.replace("REALM", &realm)))
    })
}

/// Makes an image with an index under `v1`, as blobs of a registry.
fn indexed_sample() -> (sample::Sample, Digest) {
    let mut sample = sample::sample_catalog();
    let manifest = sample.manifest.clone();
    let index = serde_json::json!({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{ "mediaType": sample::MANIFEST, "digest": manifest, "size": sample.blobs[&manifest].len() }],
    });
    let index = index.to_string().into_bytes();
    let digest = Digest::sha256(&index);
    sample.manifest = digest.to_string();
    sample.blobs.insert(digest.to_string(), index);
    (sample, digest)
}

/// Answers requests without the right secret, and those to the token service.
fn refuse_or_redirect(
    kind: SecretKind,
    asked: &ReceivedRequest,
    redirected: RedirectedRequest,
    to: &str,
) -> Option<TestResponse> {
    let authorization = asked.header("authorization");
    if asked.path.starts_with("/token") {
        if redirected == RedirectedRequest::Token {
            return Some(TestResponse::new(307).with("Location", format!("http://{to}/tok")));
        }
        let is_known = String::from_utf8_lossy(&asked.body).contains(REFRESH);
        return Some(if is_known {
            TestResponse::new(200).body("{\"access_token\":\"t0k3n\"}")
        } else {
            TestResponse::new(401)
        });
    }
    let basic = format!("Basic {}", STANDARD.encode(format!("user:{PASSWORD}")));
    let is_bearer = kind == SecretKind::Identity || redirected == RedirectedRequest::Token;
    let wanted = if is_bearer { "Bearer t0k3n".to_owned() } else { basic };
    if authorization == wanted {
        return None;
    }
    let challenge = if is_bearer {
        format!("Bearer realm=\"http://{}/token\",service=\"svc\"", asked.host)
    } else {
        "Basic realm=\"x\"".to_owned()
    };
    Some(TestResponse::new(401).with("WWW-Authenticate", challenge))
}

/// Starts a registry that requires the secret and then redirects one kind of request.
fn redirecting_registry(kind: SecretKind, redirected: RedirectedRequest, to: &str) -> Server {
    let to = to.to_owned();
    let (sample, index) = indexed_sample();
    let index = index.to_string();
    let plain = sample::sample_catalog();
    let (layer, manifest) = (plain.layers[0].clone(), plain.manifest.clone());
    let bytes = plain.blobs[&layer].clone();
    Server::new(sample, move |asked| {
        let away = || Some(TestResponse::new(307).with("Location", format!("http://{to}/stolen?sig=x")));
        let path = asked.path.as_str();
        if redirected == RedirectedRequest::Ping && path == "/v2/" {
            return away();
        }
        if let Some(refusal) = refuse_or_redirect(kind, asked, redirected, &to) {
            return Some(refusal);
        }
        let (is_layer, is_blob) = (path.ends_with(&layer), path.contains("/blobs/"));
        match (asked.method.as_str(), redirected) {
            ("GET", RedirectedRequest::ManifestByTag) if path.ends_with("/manifests/v1") => away(),
            ("GET", RedirectedRequest::ManifestByDigest) if path.ends_with(&index) => away(),
            ("GET", RedirectedRequest::ManifestOfIndex) if path.ends_with(&manifest) => away(),
            ("GET", RedirectedRequest::Config) if is_blob && !is_layer => away(),
            ("GET", RedirectedRequest::Layer) if is_layer => away(),
            ("GET", RedirectedRequest::ResumedLayer) if is_layer => match asked.header("range") {
                "" => Some(TestResponse { cut: Some(40), ..TestResponse::new(200).body(bytes.clone()) }),
                _ => away(),
            },
            ("HEAD", RedirectedRequest::BlobCheck) => away(),
            ("HEAD", _) => Some(TestResponse::new(404)),
            ("POST", RedirectedRequest::UploadBegin) => away(),
            ("POST", RedirectedRequest::UploadEnd) => {
                Some(TestResponse::new(202).with("Location", format!("http://{to}/stolen?sig=x")))
            }
            ("POST", _) => Some(TestResponse::new(202).with("Location", "/v2/ns/cat/blobs/uploads/1")),
            ("PUT", RedirectedRequest::PushedManifest) if path.contains("/manifests/") => away(),
            ("PUT", _) => Some(TestResponse::new(201)),
            _ => None,
        }
    })
}

fn write_secret(home: &Path, host: &str, kind: SecretKind) {
    match kind {
        SecretKind::Basic => write_credentials(home, host),
        SecretKind::Identity => {
            let text = format!("{{\"auths\":{{\"{host}\":{{\"identitytoken\":\"{REFRESH}\"}}}}}}");
            write_home_file(home, ".docker/config.json", &text);
        }
    }
}

/// Fails if the other host received a secret.
#[track_caller]
fn assert_no_secret(other: &Server, what: &str) {
    for asked in other.requests() {
        let text = format!("{} {:?} {}", asked.path, asked.headers, String::from_utf8_lossy(&asked.body));
        let both = STANDARD.encode(format!("user:{PASSWORD}"));
        assert!(!asked.headers.contains_key("authorization"), "{what}: {text}");
        for secret in [PASSWORD, &both, REFRESH, "t0k3n\""] {
            assert!(!text.contains(secret), "{what}: {text}");
        }
    }
}

fn push_sample(machine: &MachinePaths, host: &str) -> Result<(), String> {
    let told = |error: ImageError| error.to_string();
    let access = Access { trust: Trust::Unverified, ..Access::default() };
    let progress = Progress::default();
    let name = ImageName::parse(&format!("{host}/ns/cat:v1")).map_err(told)?;
    let to = Uploader::with_machine(machine, &name, &access, &progress).map_err(told)?;
    let bytes = b"tide".as_slice();
    to.upload_blob(&Digest::sha256(bytes), Some(4), &|| Ok(Box::new(bytes))).map_err(told)?;
    to.upload_manifest("v1", sample::MANIFEST, b"{}").map_err(told)
}

const CHALLENGES: [&str; 2] = ["Bearer realm=\"REALM\",service=\"x\"", "Basic realm=\"x\""];

#[test]
fn challenge_after_redirect_is_not_answered() {
    use RedirectedRequest::*;
    for kind in [SecretKind::Basic, SecretKind::Identity] {
        for challenge in CHALLENGES {
            for redirected in
                [Ping, ManifestByTag, ManifestByDigest, ManifestOfIndex, Config, Layer, ResumedLayer, Token]
            {
                let what = format!("{kind:?} {redirected:?} {challenge}");
                let home = tempfile::tempdir().unwrap();
                let other = challenging_host(challenge);
                let server = redirecting_registry(kind, redirected, &other.host);
                write_secret(home.path(), &server.host, kind);
                let version = match redirected {
                    ManifestByDigest => format!("@{}", indexed_sample().1),
                    _ => ":v1".to_owned(),
                };
                let error =
                    pull(test_machine(home.path()), &format!("{}/ns/cat{version}", server.host)).unwrap_err();
                assert_no_secret(&other, &what);
                assert!(!error.contains("stolen") && !error.contains("sig="), "{what}: {error}");
                if !matches!(redirected, ResumedLayer | Token) {
                    assert!(
                        error.contains("are not sent there") && error.contains(&other.host),
                        "{what}: {error}"
                    );
                }
                // A refresh token is sent in a form, and forms are never redirected.
                let is_followed = !(redirected == Token && kind == SecretKind::Identity);
                assert_eq!(!other.requests().is_empty(), is_followed, "{what}");
                if redirected != Ping {
                    let got = |asked: &ReceivedRequest| {
                        !asked.header("authorization").is_empty() || !asked.body.is_empty()
                    };
                    assert!(server.requests().iter().any(got), "{what}: the registry itself gets it");
                }
            }
        }
    }
}

#[test]
fn challenge_of_upload_host_is_not_answered() {
    use RedirectedRequest::*;
    for kind in [SecretKind::Basic, SecretKind::Identity] {
        for challenge in CHALLENGES {
            for redirected in [Ping, UploadBegin, UploadEnd, BlobCheck, PushedManifest, Token] {
                let what = format!("{kind:?} {redirected:?} {challenge}");
                let home = tempfile::tempdir().unwrap();
                let other = challenging_host(challenge);
                let server = redirecting_registry(kind, redirected, &other.host);
                write_secret(home.path(), &server.host, kind);
                let outcome = push_sample(&test_machine(home.path()), &server.host);
                assert_no_secret(&other, &what);
                assert_eq!(outcome.is_ok(), redirected == BlobCheck, "{what}: {outcome:?}");
                if redirected == UploadEnd {
                    let error = outcome.unwrap_err();
                    assert!(error.contains("are not sent there"), "{what}: {error}");
                    assert!(!other.requests().is_empty(), "{what}: the upload goes there without a secret");
                }
            }
        }
    }
}

#[test]
fn challenge_after_redirect_of_mirror_is_not_answered() {
    for redirected in [RedirectedRequest::Ping, RedirectedRequest::ManifestByTag, RedirectedRequest::Layer] {
        let home = tempfile::tempdir().unwrap();
        let other = challenging_host(CHALLENGES[0]);
        let mirror = redirecting_registry(SecretKind::Basic, redirected, &other.host);
        write_credentials(home.path(), &mirror.host);
        let text = format!(
            "[[registry]]\nlocation = \"127.0.0.1:1\"\n[[registry.mirror]]\nlocation = \"{}\"\n",
            mirror.host
        );
        write_home_file(home.path(), "config/registries.conf", &text);
        let error = pull(test_machine(home.path()), "127.0.0.1:1/ns/cat:v1").unwrap_err();
        assert_no_secret(&other, &format!("{redirected:?}"));
        assert!(error.contains("are not sent there"), "{error}");
        assert!(!other.requests().is_empty());
    }
}

#[test]
fn realm_of_registry_gets_secret_on_any_host() {
    let home = tempfile::tempdir().unwrap();
    let realm = Server::new(sample::sample_catalog(), |asked| {
        let is_known = asked.header("authorization").starts_with("Basic ");
        Some(if is_known {
            TestResponse::new(200).body("{\"token\":\"t0k3n\"}")
        } else {
            TestResponse::new(401)
        })
    });
    let at = realm.host.clone();
    let server = Server::new(sample::sample_catalog(), move |asked| {
        let challenge = format!("Bearer realm=\"http://{at}/token\"");
        (asked.header("authorization") != "Bearer t0k3n")
            .then(|| TestResponse::new(401).with("WWW-Authenticate", challenge))
    });
    write_credentials(home.path(), &server.host);
    assert!(pull(test_machine(home.path()), &format!("{}/ns/cat:v1", server.host)).is_ok());
    assert!(realm.last_header("authorization").is_some());
}

#[test]
fn messages_omit_location_with_password() {
    let home = tempfile::tempdir().unwrap();
    for text in [
        format!("[[registry]]\nprefix = \"registry.example\"\nlocation = \"user:{PASSWORD}@127.0.0.1:1\"\n"),
        format!(
            "[[registry]]\nprefix = \"registry.example\"\nlocation = \"docker://user:{PASSWORD}@127.0.0.1:1/x\"\n"
        ),
        format!(
            "[[registry]]\nlocation = \"registry.example\"\n[[registry.mirror]]\nlocation = \"user:{PASSWORD}@127.0.0.1:1/x\"\n"
        ),
    ] {
        write_home_file(home.path(), "config/registries.conf", &text);
        let error = pull(test_machine(home.path()), "registry.example/ns/cat:v1").unwrap_err();
        assert!(error.contains("registries.conf") && !error.contains(PASSWORD), "{error}");
    }
    for typed in ["docker://user:PW@127.0.0.1:1/ns/cat:v1", "user:PW@127.0.0.1:1/ns/cat:v1"] {
        let typed = typed.replace("PW", PASSWORD);
        let error = ImageName::parse(typed.trim_start_matches("docker://")).unwrap_err();
        let told = format!("{error} {:?}", error.hint());
        assert!(told.contains("it has credentials") && !told.contains(PASSWORD), "{told}");
    }
}
