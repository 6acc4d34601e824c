//! Tests with Debian's `docker-registry`. They are skipped if the package is not installed.

mod authority;
mod bundles;
mod cache;
mod faulty_proxy;
pub mod image;
mod push;
pub mod server;
pub mod user;

use std::{
    fs,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use authority::issue_certificate;
use faulty_proxy::{Fault, FaultyProxy};
use image::{Image, blob_path, digest};
use server::{Door, PASSWORD, Registry, USER};
use user::User;

use crate::run::{Run, root};

/// Catalog that is pushed.
const CATALOG: &str = "demo/catalog";

/// Registry with the demo as `harbour/catalog:v1`.
struct DemoRegistry {
    storage: tempfile::TempDir,
    registry: Registry,
    image: Image,
}

impl DemoRegistry {
    /// Starts a registry and pushes the demo; `None` if the registry is not installed.
    fn new() -> Option<Self> {
        let storage = tempfile::tempdir().unwrap();
        let registry = Registry::start(storage.path(), &Door::Open)?;
        let image = Image::from_catalog(&root().join(CATALOG));
        image.push_to_registry(&registry.host, "harbour/catalog", "v1");
        Some(Self { storage, registry, image })
    }

    /// Starts another registry on the same storage, with other access rules.
    fn start_with_door(&self, door: &Door<'_>) -> Registry {
        Registry::start(self.storage.path(), door).unwrap()
    }

    fn image_reference(&self) -> String {
        image_reference_at(&self.registry.host)
    }
}

fn image_reference_at(host: &str) -> String {
    format!("docker://{host}/harbour/catalog:v1")
}

/// Returns the output of `olmap render` for the directory.
fn render_catalog(user: &User) -> String {
    user.run_olmap(&["render", CATALOG]).exits(0).out
}

/// Fails if the output contains the password.
#[track_caller]
fn check_no_secrets(run: Run) -> Run {
    let both = STANDARD.encode(format!("{USER}:{PASSWORD}"));
    let told = format!("{}{}", run.out, run.err);
    assert!(!told.contains(PASSWORD) && !told.contains(&both), "{told}");
    run
}

fn credentials_json(host: &str, password: &str) -> String {
    let auth = STANDARD.encode(format!("{USER}:{password}"));
    format!("{{\"auths\":{{\"{host}\":{{\"auth\":\"{auth}\"}}}}}}")
}

#[test]
fn image_renders_as_its_directory() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    let expected = render_catalog(&user);
    let by_digest = format!("docker://{}/harbour/catalog@{}", setting.registry.host, setting.image.digest());
    let plain = setting.image_reference().replace("docker://", "");
    for reference in [setting.image_reference(), plain, by_digest] {
        let run = user.run_olmap(&["render", "--use-http", &reference]).exits(0);
        assert!(run.out == expected, "{reference}");
        assert_eq!(run.err, "", "{reference}");
    }
    let run = user.run_olmap(&["validate", "--skip-tls-verify", &setting.image_reference()]);
    let of_directory = user.run_olmap(&["validate", CATALOG]);
    assert_eq!(run.code, of_directory.code);
    assert_eq!(run.out.lines().count(), of_directory.out.lines().count());
    let run = user.run_olmap(&["list", "packages", &setting.image_reference()]).exits(2);
    assert!(run.err.contains("--use-http"), "{}", run.err);
    for missing in ["harbour/catalog:v2", "harbour/none:v1"] {
        let reference = format!("docker://{}/{missing}", setting.registry.host);
        let run = user.run_olmap(&["render", "--use-http", &reference]).exits(2);
        assert!(run.err.contains("is missing") && run.out.is_empty(), "{}", run.err);
    }
}

#[test]
fn refused_credentials_are_reported_with_their_file() {
    let Some(setting) = DemoRegistry::new() else { return };
    let registry = setting.start_with_door(&Door::Password);
    let reference = image_reference_at(&registry.host);
    let user = User::new();
    let render = |more: &[&str]| {
        check_no_secrets(user.run_olmap(&[&["render", "--use-http", &reference], more].concat()))
    };
    let run = render(&[]).exits(2);
    assert!(run.err.contains("wants credentials, and there are none for it"), "{}", run.err);
    assert!(run.err.contains(".docker/config.json") && run.err.contains("auth.json"), "{}", run.err);

    let wrong = user.write_file("config/containers/auth.json", &credentials_json(&registry.host, "not it"));
    let run = render(&[]).exits(2);
    assert!(run.err.contains(&format!("refuses the credentials of {}", wrong.display())), "{}", run.err);
    assert!(!run.err.contains("not it"), "{}", run.err);

    user.write_file("config/containers/auth.json", &credentials_json(&registry.host, PASSWORD));
    assert!(render(&[]).exits(0).out == render_catalog(&user));

    let authfile = user.write_file("mine.json", &credentials_json("elsewhere.example", PASSWORD));
    let run = render(&["--authfile", authfile.to_str().unwrap()]).exits(2);
    assert!(run.err.contains("mine.json") && !run.err.contains("auth.json"), "{}", run.err);
    let authfile =
        user.write_file("mine.json", &credentials_json(&format!("{}/harbour", registry.host), PASSWORD));
    render(&["--authfile", authfile.to_str().unwrap()]).exits(0);
}

#[test]
fn certificate_is_accepted_from_trusted_authorities() {
    let Some(setting) = DemoRegistry::new() else { return };
    let certified = issue_certificate();
    let registry = setting.start_with_door(&Door::Tls(&certified));
    let reference = image_reference_at(&registry.host);
    let expected = render_catalog(&User::new());
    let user = User::new();
    let run = user.run_olmap(&["render", &reference]).exits(2);
    assert!(run.err.contains("TLS") || run.err.contains("certificate"), "{}", run.err);
    assert!(run.err.contains("--skip-tls-verify"), "{}", run.err);
    for flag in ["--skip-tls-verify", "--use-http"] {
        assert!(User::new().run_olmap(&["render", flag, &reference]).exits(0).out == expected, "{flag}");
    }
    let folder = format!("config/containers/certs.d/{}", registry.host);
    let trusting = User::new();
    trusting.write_file(&format!("{folder}/ca.crt"), &certified.authority);
    assert!(trusting.run_olmap(&["render", &reference]).exits(0).out == expected);
    let other = User::new();
    let file = other.write_file("authority.pem", &certified.authority);
    let run = crate::run::run_with_input(
        other.command().env("SSL_CERT_FILE", &file).args(["render", &reference]),
        b"",
    );
    assert!(run.exits(0).out == expected);
    trusting.write_file(&format!("{folder}/ca.crt"), "no certificate");
    let run = trusting.run_olmap(&["render", &reference]).exits(2);
    assert!(run.err.contains("ca.crt: it holds no certificate"), "{}", run.err);
}

#[test]
fn pulled_blob_with_wrong_digest_is_refused() {
    let Some(setting) = DemoRegistry::new() else { return };
    for (of, bytes) in &setting.image.blobs {
        let path = blob_path(setting.storage.path(), of);
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(&path, &damaged).unwrap();
        let user = User::new();
        let run = user.run_olmap(&["render", "--use-http", &setting.image_reference()]).exits(2);
        assert!(run.err.contains("wrong digest") && run.err.contains(of.as_str()), "{}", run.err);
        assert!(run.out.is_empty());
        fs::write(&path, bytes).unwrap();
        user.run_olmap(&["render", "--use-http", &setting.image_reference()]).exits(0);
    }
    let path = blob_path(setting.storage.path(), &setting.image.digest());
    let mut manifest = setting.image.manifest.clone();
    manifest.push(b' ');
    fs::write(path, &manifest).unwrap();
    let by_digest = format!("docker://{}/harbour/catalog@{}", setting.registry.host, setting.image.digest());
    // The registry may detect this; the wrong manifest must not be accepted for the digest.
    let run = User::new().run_olmap(&["render", "--use-http", &by_digest]).exits(2);
    assert!(run.out.is_empty() && !run.err.is_empty());
    let unknown = format!("docker://{}/harbour/catalog@{}", setting.registry.host, digest(b"nothing"));
    let run = User::new().run_olmap(&["render", "--use-http", &unknown]).exits(2);
    assert!(run.err.contains("is missing"), "{}", run.err);
}

#[test]
fn interrupted_download_is_resumed() {
    let Some(setting) = DemoRegistry::new() else { return };
    let layer = setting.image.blobs.last().unwrap().1.len();
    let expected = render_catalog(&User::new());
    // Cuts in the middle of the layer, which is the largest blob.
    let between = FaultyProxy::new(&setting.registry.host, Fault::Cut { times: 3, after: layer / 2 });
    let run = User::new().run_olmap(&["render", "--use-http", &image_reference_at(&between.host)]).exits(0);
    assert!(run.out == expected);
    let between =
        FaultyProxy::new(&setting.registry.host, Fault::Cut { times: usize::MAX, after: layer / 2 });
    let user = User::new();
    let run = user.run_olmap(&["render", "--use-http", &image_reference_at(&between.host)]);
    // Each attempt receives more, so this ends too. A partial layer is never accepted.
    assert!(run.code == 2 && run.out.is_empty() || run.out == expected, "{}", run.err);
}

#[test]
fn silent_host_times_out() {
    let Some(setting) = DemoRegistry::new() else { return };
    let layer = setting.image.blobs.last().unwrap().1.len();
    for after in [0, layer / 2] {
        let between = FaultyProxy::new(&setting.registry.host, Fault::Stall { after });
        let begin = Instant::now();
        let user = User::new();
        let run = user
            .run_olmap(&["render", "--use-http", "--timeout", "1", &image_reference_at(&between.host)])
            .exits(2);
        assert!(run.out.is_empty() && run.err.contains("127.0.0.1"), "{}", run.err);
        assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    }
}
