//! Tests of declared sizes and of the time limit for a whole transfer.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::{
    cache::Cache,
    images::{
        address::WebAddress, cached_registry::CachedRegistry, digest::Digest, image::ImageSource as _,
        open_reference, unpack::Limits,
    },
};

/// Descriptor with a wrong size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WrongSize {
    Config,
    Layer,
    Entry,
}

/// Returns the sample with a wrong size.
fn sample_with_size(wrong: WrongSize, size: impl Fn(u64) -> Value) -> sample::Sample {
    let mut sample = sample::sample_catalog();
    let change = |at: &mut Value| {
        let new = size(at["size"].as_u64().unwrap());
        at["size"] = new;
    };
    let mut top: Value = serde_json::from_slice(&sample.blobs[&sample.manifest]).unwrap();
    match wrong {
        WrongSize::Config => change(&mut top["config"]),
        WrongSize::Layer => change(&mut top["layers"][0]),
        WrongSize::Entry => {
            let size = sample.blobs[&sample.manifest].len();
            let mut entry = json!({ "mediaType": sample::MANIFEST, "digest": sample.manifest, "size": size });
            change(&mut entry);
            top = json!({
                "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry],
            });
        }
    }
    let bytes = top.to_string().into_bytes();
    sample.manifest = Digest::sha256(&bytes).to_string();
    sample.blobs.insert(sample.manifest.clone(), bytes);
    sample
}

/// Returns functions that change a size: one less, one more, zero, negative, missing.
fn wrong_sizes() -> [fn(u64) -> Value; 5] {
    [|size| json!(size - 1), |size| json!(size + 1), |_| json!(0), |_| json!(-1), |_| Value::Null]
}

#[test]
fn refuses_content_of_wrong_size_in_any_source() {
    for wrong in [WrongSize::Config, WrongSize::Layer, WrongSize::Entry] {
        for size in wrong_sizes() {
            let sample = sample_with_size(wrong, size);
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            sample.write_layout(&at("layout"), "v1");
            sample.write_archive(&at("a.tar"), "v1");
            sample.write_folder(&at("dir"));
            if wrong == WrongSize::Entry {
                let digest = sample::sample_catalog().manifest.replace("sha256:", "");
                fs::copy(at("dir").join(&digest), at("dir").join(format!("{digest}.manifest.json"))).unwrap();
            }
            let server = Server::new(sample, |_| None);
            let mut errors =
                vec![pull(test_machine(folder.path()), &format!("{}/ns/cat:v1", server.host)).unwrap_err()];
            for reference in ["oci:layout:v1", "oci-archive:a.tar:v1", "dir:dir"] {
                let (kind, path) = reference.split_once(':').unwrap();
                let reference = format!("{kind}:{}", at(path).display());
                errors.push(
                    open_reference(&reference, &Access::default(), &Progress::default())
                        .unwrap_err()
                        .to_string(),
                );
            }
            for error in errors {
                let is_told =
                    error.contains("bytes are declared") || error.contains("is not a number of bytes");
                assert!(is_told, "{wrong:?}: {error}");
            }
        }
    }
}

#[test]
fn reads_content_without_length_up_to_the_declared_size() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path().join("cache"));
    let sample = sample::sample_catalog();
    let layer = sample.layers[0].clone();
    let endless = layer.clone();
    let server = Server::new(sample.clone(), move |asked| {
        let bytes = sample.blobs.get(&endless).filter(|_| asked.path.ends_with(&endless))?.clone();
        Some(TestResponse { is_endless: true, ..TestResponse::new(200).body(bytes) })
    });
    let access = Access { trust: Trust::Unverified, cache: Some(cache.clone()), ..Access::default() };
    let name = ImageName::parse(&format!("{}/ns/cat:v1", server.host)).unwrap();
    let progress = Progress::default();
    let cached = CachedRegistry::new(&name, &access, &progress).unwrap();
    let image = cached.image(&Platform::for_this_machine()).unwrap();
    let error = contents::read_contents(&cached, &image, &progress).unwrap_err().to_string();
    assert!(error.contains("has more, and"), "{error}");
    assert!(!cache.has_blob(&layer.parse().unwrap()));
    let left: Vec<_> = fs::read_dir(folder.path().join("cache/blobs/sha256")).unwrap().collect();
    assert_eq!(left.len(), 2, "manifest and config, and nothing of the layer: {left:?}");
}

/// Returns an endless answer for requests whose path contains `kind`.
fn stalling_response(asked: &ReceivedRequest, kind: &str, begin: bool) -> Option<TestResponse> {
    asked.path.contains(kind).then(|| TestResponse {
        cut: Some(if begin { 10 } else { 0 }),
        stays_open: true,
        ..TestResponse::new(200).with("Content-Type", sample::MANIFEST).body(vec![b' '; 100])
    })
}

#[test]
fn slow_transfer_is_cancelled() {
    let home = tempfile::tempdir().unwrap();
    let access =
        Access { trust: Trust::Unverified, total: Some(Duration::from_millis(500)), ..Access::default() };
    let layer = sample::sample_catalog().layers[0].clone();
    let config = {
        let manifest: Value =
            serde_json::from_slice(&sample::sample_catalog().blobs[&sample::sample_catalog().manifest])
                .unwrap();
        manifest["config"]["digest"].as_str().unwrap().to_owned()
    };
    let sizes = sample::sample_catalog();
    for kind in ["/manifests/", layer.as_str(), config.as_str()] {
        let whole = sizes.blobs.get(kind).cloned().unwrap_or(vec![b' '; 100]);
        let kind = kind.to_owned();
        let server = Server::new(sample::sample_catalog(), move |asked| {
            let answer = stalling_response(asked, &kind, true)?;
            Some(TestResponse { body: whole.clone(), ..answer })
        });
        let error =
            pull_with(test_machine(home.path()), &format!("{}/ns/cat:v1", server.host), &access).unwrap_err();
        assert!(
            error.contains("it was given up after 0 seconds") && error.contains("--total-timeout"),
            "{error}"
        );
    }
    // A host may request pauses longer than the whole time limit.
    let busy = Server::new(sample::sample_catalog(), |asked| {
        asked.path.contains("/manifests/").then(|| TestResponse::new(429).with("Retry-After", "60"))
    });
    let error =
        pull_with(test_machine(home.path()), &format!("{}/ns/cat:v1", busy.host), &access).unwrap_err();
    assert!(error.contains("given up"), "{error}");
    // The server interrupts every connection without new bytes.
    let cutting = Server::new(sample::sample_catalog(), move |asked| {
        let bytes =
            sample::sample_catalog().blobs.get(&layer).filter(|_| asked.path.ends_with(&layer))?.clone();
        Some(TestResponse { cut: Some(0), ..TestResponse::new(200).body(bytes) })
    });
    let access = Access { total: Some(Duration::from_millis(150)), ..access };
    let error =
        pull_with(test_machine(home.path()), &format!("{}/ns/cat:v1", cutting.host), &access).unwrap_err();
    assert!(error.contains("given up"), "{error}");
}

#[test]
fn slow_web_address_is_cancelled() {
    let access = Access { total: Some(Duration::from_millis(500)), ..Access::default() };
    let server = Server::new(sample::sample_catalog(), |asked| stalling_response(asked, "/", true));
    let address = WebAddress::parse(&format!("http://{}/catalog.json", server.host)).unwrap();
    let error = address.fetch(&access, &Progress::default()).map(drop).unwrap_err();
    assert!(matches!(error, ImageError::TooSlow(_)), "{error}");
}

#[test]
fn endless_web_address_is_cancelled() {
    let server = Server::new(sample::sample_catalog(), |_| {
        Some(TestResponse { is_endless: true, ..TestResponse::new(200).body("{") })
    });
    let address = WebAddress::parse(&format!("http://{}/catalog.json", server.host)).unwrap();
    let limits = Limits { kept: 3 << 20, ..Limits::default() };
    let error = address.fetch_within(limits, &Access::default(), &Progress::default()).map(drop).unwrap_err();
    assert!(error.to_string().contains("more than 3 MiB"), "{error}");
}

#[test]
fn query_of_web_address_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path().join("cache"));
    let server = Server::new(sample::sample_catalog(), |asked| {
        Some(if asked.path.ends_with("?sig=s3cr3t") {
            TestResponse::new(200).body(sample::CATALOG)
        } else {
            TestResponse::new(403)
        })
    });
    let reference = format!("http://{}/catalog.yaml?sig=s3cr3t", server.host);
    let access = Access { cache: Some(cache.clone()), ..Access::default() };
    let opened = open_reference(&reference, &access, &Progress::default()).unwrap();
    assert_eq!(opened.reference, format!("http://{}/catalog.yaml?***", server.host));
    let names = fs::read_dir(folder.path().join("cache/names")).unwrap();
    let text: Vec<String> = names.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert_eq!(text.len(), 1);
    assert!(text[0].contains("catalog.yaml?***") && !text[0].contains("s3cr3t"), "{text:?}");
    assert!(cache.all_names().is_empty(), "an address without its query opens nothing");
    let offline = Access { offline: true, ..access };
    let again = open_reference(&reference, &offline, &Progress::default()).unwrap();
    assert!(!format!("{again:?}").contains("s3cr3t"));
    let other = format!("http://{}/catalog.yaml?sig=other", server.host);
    let error = open_reference(&other, &offline, &Progress::default()).unwrap_err().to_string();
    assert!(error.contains("does not have") && !error.contains("other"), "another address: {error}");
}
