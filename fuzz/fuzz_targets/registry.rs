//! Responses of registries and git, and configuration files of podman and docker: none panics, and requests
//! are sent only to configured hosts.
//!
//! The first byte selects the kind of input.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use olm_catalog::load::git;
use olm_source::images::{ImageName, ImageReference, fuzzing};

static NAMES: LazyLock<[ImageName; 3]> = LazyLock::new(|| {
    let digest = "0123456789abcdef".repeat(4);
    [
        "registry.example.com:5000/ns/sub/catalog:v1".to_owned(),
        format!("docker.io/library/catalog@sha256:{digest}"),
        "localhost/catalog:v1".to_owned(),
    ]
    .map(|name| ImageName::parse(&name).expect("a name"))
});

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let text = || String::from_utf8_lossy(bytes);
    match kind.wrapping_sub(b'a') % 9 {
        0 => {
            for name in &*NAMES {
                let hosts = fuzzing::registries(&text(), name);
                // There is a host, and all hosts are queried for the same version.
                assert!(hosts.as_ref().is_none_or(|hosts| !hosts.is_empty()));
                assert!(hosts.iter().flatten().all(|host| host.version == name.version));
            }
        }
        1 => {
            for name in &*NAMES {
                let _ = fuzzing::policy(bytes, name);
            }
        }
        2 => {
            for name in &*NAMES {
                let _ = fuzzing::credentials(bytes, name);
            }
        }
        3 => {
            let text = text();
            let lines: Vec<&str> = text.lines().collect();
            let encoded = fuzzing::challenge(&lines);
            assert!(encoded.is_none_or(|text| text.is_ascii() && !text.contains(['&', '=', '#', ' '])));
        }
        4 => assert!(!fuzzing::manifest(bytes, None) || bytes.contains(&b'{')),
        5 => {
            let Some((declared, bytes)) = bytes.split_first() else { return };
            let _ = fuzzing::manifest(bytes, Some(usize::from(*declared)));
        }
        6 => {
            let _ = fuzzing::config(bytes);
        }
        7 => {
            let text = text();
            if let Some(file) = fuzzing::address(&text) {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
                assert!(!file.starts_with('.') && file.chars().all(is_plain), "{file:?}");
            }
            if let Ok(name) = ImageName::parse(&text) {
                assert_eq!(ImageName::parse(&name.to_string()).ok().as_ref(), Some(&name));
                assert_eq!(name.canonical(), name.canonical().canonical());
            }
            let _ = ImageReference::parse(&text);
        }
        _ => {
            let [content, files, _] = git::fuzzing::answers(bytes);
            assert!(content <= bytes.len() && files <= bytes.len());
        }
    }
});
