//! Image archives of docker and OCI with arbitrary parts: they open or are refused, and no path leaves the
//! archive.
//!
//! The input is parts separated by zero bytes. A part becomes a file of the archive: a blob named by its
//! digest, or a name selected by its first byte. In later parts, `$0` to `$9` are replaced by the digests of
//! earlier parts, so that manifests can reference them.
#![no_main]

use std::{fs, io::Write as _, path::Path};

use libfuzzer_sys::fuzz_target;
use olm_catalog::load::Progress;
use olm_source::{Access, Digest, images::open_reference};

const NAMES: &[&str] =
    &["oci-layout", "index.json", "manifest.json", "config.json", "layer.tar", "a/layer.tar"];

fn add(archive: &mut Vec<u8>, name: &str, content: &[u8]) {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(124, format!("{:011o}\0", content.len()).as_bytes());
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    archive.extend_from_slice(&header);
    archive.extend_from_slice(content);
    archive.resize(archive.len().next_multiple_of(512), 0);
}

/// Returns a layer with the catalog `configs/c.yaml`, for manifests that reference it.
fn layer() -> Vec<u8> {
    let mut tar = Vec::new();
    add(&mut tar, "configs/c.yaml", b"schema: olm.package\nname: p\n");
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn archive(bytes: &[u8]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut digests: Vec<String> = Vec::new();
    let blob = |archive: &mut Vec<u8>, content: &[u8], digests: &mut Vec<String>| {
        let digest = Digest::sha256(content).to_string();
        add(archive, &format!("blobs/{}", digest.replace(':', "/")), content);
        digests.push(digest);
    };
    let layer = layer();
    blob(&mut archive, &layer, &mut digests);
    add(&mut archive, "good.tar", &layer);
    for part in bytes.split(|byte| *byte == 0).take(9) {
        let Some((name, content)) = part.split_first() else { continue };
        let mut content = content.to_vec();
        for (number, digest) in digests.iter().enumerate() {
            let sign = format!("${number}");
            if let Ok(text) = std::str::from_utf8(&content) {
                content = text.replace(&sign, digest).into_bytes();
            }
        }
        let name = usize::from(name.wrapping_sub(b'a')) % (NAMES.len() * 2);
        match NAMES.get(name) {
            Some(name) => add(&mut archive, name, &content),
            None => blob(&mut archive, &content, &mut digests),
        }
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

fuzz_target!(|bytes: &[u8]| {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let folder = folder.expect("a folder");
    let path = folder.path().join("a.tar");
    let mut file = fs::File::create(&path).expect("a file");
    file.write_all(&archive(bytes)).expect("it can be written");
    for kind in ["oci-archive", "docker-archive"] {
        for tag in ["", ":v1", ":example.com/a:v1"] {
            let reference = format!("{kind}:{}{tag}", path.display());
            let Ok(opened) = open_reference(&reference, &Access::default(), &Progress::default()) else {
                continue;
            };
            let _ = opened.render_bundle(None, true);
            let _ = opened.pull_spec_by_digest();
            let _ = opened.into_catalog();
        }
    }
});
