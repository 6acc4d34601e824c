//! Tests of declared sizes and of the time limit for a whole transfer.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::source::{
    cache::Cache,
    images::{
        address::Address, cached::Cached, digest::Digest, image::ImageSource as _, open, unpack::Limits,
    },
};

/// Descriptor with a wrong size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wrong {
    Config,
    Layer,
    Entry,
}

/// Returns the sample with a wrong size.
fn resized(wrong: Wrong, size: impl Fn(u64) -> Value) -> sample::Sample {
    let mut sample = sample::catalog();
    let change = |at: &mut Value| {
        let new = size(at["size"].as_u64().unwrap());
        at["size"] = new;
    };
    let mut top: Value = serde_json::from_slice(&sample.blobs[&sample.manifest]).unwrap();
    match wrong {
        Wrong::Config => change(&mut top["config"]),
        Wrong::Layer => change(&mut top["layers"][0]),
        Wrong::Entry => {
            let size = sample.blobs[&sample.manifest].len();
            let mut entry = json!({ "mediaType": sample::MANIFEST, "digest": sample.manifest, "size": size });
            change(&mut entry);
            top = json!({
                "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry],
            });
        }
    }
    let bytes = top.to_string().into_bytes();
    sample.manifest = Digest::of(&bytes).to_string();
    sample.blobs.insert(sample.manifest.clone(), bytes);
    sample
}

/// Returns functions that change a size: one less, one more, zero, negative, missing.
fn sizes() -> [fn(u64) -> Value; 5] {
    [|size| json!(size - 1), |size| json!(size + 1), |_| json!(0), |_| json!(-1), |_| Value::Null]
}

#[test]
fn refuses_content_of_wrong_size_in_any_source() {
    for wrong in [Wrong::Config, Wrong::Layer, Wrong::Entry] {
        for size in sizes() {
            let sample = resized(wrong, size);
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            sample.layout(&at("layout"), "v1");
            sample.archive(&at("a.tar"), "v1");
            sample.folder(&at("dir"));
            if wrong == Wrong::Entry {
                let digest = sample::catalog().manifest.replace("sha256:", "");
                fs::copy(at("dir").join(&digest), at("dir").join(format!("{digest}.manifest.json"))).unwrap();
            }
            let server = Server::new(sample, |_| None);
            let mut errors =
                vec![pull(machine(folder.path()), &format!("{}/ns/cat:v1", server.host)).unwrap_err()];
            for reference in ["oci:layout:v1", "oci-archive:a.tar:v1", "dir:dir"] {
                let (kind, path) = reference.split_once(':').unwrap();
                let reference = format!("{kind}:{}", at(path).display());
                errors.push(
                    open(&reference, &Access::default(), &Progress::default()).unwrap_err().to_string(),
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
    let cache = Cache::at(folder.path().join("cache"));
    let sample = sample::catalog();
    let layer = sample.layers[0].clone();
    let endless = layer.clone();
    let server = Server::new(sample.clone(), move |asked| {
        let bytes = sample.blobs.get(&endless).filter(|_| asked.path.ends_with(&endless))?.clone();
        Some(Answer { is_endless: true, ..Answer::new(200).body(bytes) })
    });
    let access = Access { trust: Trust::Anything, cache: Some(cache.clone()), ..Access::default() };
    let name = Name::parse(&format!("{}/ns/cat:v1", server.host)).unwrap();
    let progress = Progress::default();
    let cached = Cached::new(&name, &access, &progress).unwrap();
    let image = cached.image(&Platform::here()).unwrap();
    let error = contents::read_contents(&cached, &image, &progress).unwrap_err().to_string();
    assert!(error.contains("has more, and"), "{error}");
    assert!(!cache.has(&layer.parse().unwrap()));
    let left: Vec<_> = fs::read_dir(folder.path().join("cache/blobs/sha256")).unwrap().collect();
    assert_eq!(left.len(), 2, "manifest and config, and nothing of the layer: {left:?}");
}

/// Returns an endless answer for requests whose path contains `kind`.
fn stalled(asked: &ReceivedRequest, kind: &str, begin: bool) -> Option<Answer> {
    asked.path.contains(kind).then(|| Answer {
        cut: Some(if begin { 10 } else { 0 }),
        stalls: true,
        ..Answer::new(200).with("Content-Type", sample::MANIFEST).body(vec![b' '; 100])
    })
}

#[test]
fn slow_transfer_is_cancelled() {
    let home = tempfile::tempdir().unwrap();
    let access =
        Access { trust: Trust::Anything, total: Some(Duration::from_millis(500)), ..Access::default() };
    let layer = sample::catalog().layers[0].clone();
    let config = {
        let manifest: Value =
            serde_json::from_slice(&sample::catalog().blobs[&sample::catalog().manifest]).unwrap();
        manifest["config"]["digest"].as_str().unwrap().to_owned()
    };
    let sizes = sample::catalog();
    for kind in ["/manifests/", layer.as_str(), config.as_str()] {
        let whole = sizes.blobs.get(kind).cloned().unwrap_or(vec![b' '; 100]);
        let kind = kind.to_owned();
        let server = Server::new(sample::catalog(), move |asked| {
            let answer = stalled(asked, &kind, true)?;
            Some(Answer { body: whole.clone(), ..answer })
        });
        let error =
            pull_with(machine(home.path()), &format!("{}/ns/cat:v1", server.host), &access).unwrap_err();
        assert!(
            error.contains("it was given up after 0 seconds") && error.contains("--total-timeout"),
            "{error}"
        );
    }
    // A host may request pauses longer than the whole time limit.
    let busy = Server::new(sample::catalog(), |asked| {
        asked.path.contains("/manifests/").then(|| Answer::new(429).with("Retry-After", "60"))
    });
    let error = pull_with(machine(home.path()), &format!("{}/ns/cat:v1", busy.host), &access).unwrap_err();
    assert!(error.contains("given up"), "{error}");
    // The server interrupts every connection without new bytes.
    let cutting = Server::new(sample::catalog(), move |asked| {
        let bytes = sample::catalog().blobs.get(&layer).filter(|_| asked.path.ends_with(&layer))?.clone();
        Some(Answer { cut: Some(0), ..Answer::new(200).body(bytes) })
    });
    let access = Access { total: Some(Duration::from_millis(150)), ..access };
    let error = pull_with(machine(home.path()), &format!("{}/ns/cat:v1", cutting.host), &access).unwrap_err();
    assert!(error.contains("given up"), "{error}");
}

#[test]
fn slow_web_address_is_cancelled() {
    let access = Access { total: Some(Duration::from_millis(500)), ..Access::default() };
    let server = Server::new(sample::catalog(), |asked| stalled(asked, "/", true));
    let address = Address::parse(&format!("http://{}/catalog.json", server.host)).unwrap();
    let error = address.fetch(&access, &Progress::default()).map(drop).unwrap_err();
    assert!(matches!(error, ImageError::TooSlow(_)), "{error}");
}

#[test]
fn endless_web_address_is_cancelled() {
    let server =
        Server::new(sample::catalog(), |_| Some(Answer { is_endless: true, ..Answer::new(200).body("{") }));
    let address = Address::parse(&format!("http://{}/catalog.json", server.host)).unwrap();
    let limits = Limits { kept: 3 << 20, ..Limits::default() };
    let error = address.fetch_within(limits, &Access::default(), &Progress::default()).map(drop).unwrap_err();
    assert!(error.to_string().contains("more than 3 MiB"), "{error}");
}

#[test]
fn query_of_web_address_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().join("cache"));
    let server = Server::new(sample::catalog(), |asked| {
        Some(if asked.path.ends_with("?sig=s3cr3t") {
            Answer::new(200).body(sample::CATALOG)
        } else {
            Answer::new(403)
        })
    });
    let reference = format!("http://{}/catalog.yaml?sig=s3cr3t", server.host);
    let access = Access { cache: Some(cache.clone()), ..Access::default() };
    let opened = open(&reference, &access, &Progress::default()).unwrap();
    assert_eq!(opened.reference, format!("http://{}/catalog.yaml?***", server.host));
    let names = fs::read_dir(folder.path().join("cache/names")).unwrap();
    let text: Vec<String> = names.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert_eq!(text.len(), 1);
    assert!(text[0].contains("catalog.yaml?***") && !text[0].contains("s3cr3t"), "{text:?}");
    assert!(cache.all_names().is_empty(), "an address without its query opens nothing");
    let offline = Access { offline: true, ..access };
    let again = open(&reference, &offline, &Progress::default()).unwrap();
    assert!(!format!("{again:?}").contains("s3cr3t"));
    let other = format!("http://{}/catalog.yaml?sig=other", server.host);
    let error = open(&other, &offline, &Progress::default()).unwrap_err().to_string();
    assert!(error.contains("does not have") && !error.contains("other"), "another address: {error}");
}
