//! Images of directories as blobs and a manifest, and pushing them to a registry.

use std::{fs, path::Path};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::server::http_request;

/// Media type of a manifest.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Image with its blobs by digest and its manifest.
pub struct Image {
    pub blobs: Vec<(String, Vec<u8>)>,
    pub manifest: Vec<u8>,
}

/// Returns the digest as `sha256:HEX`.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold("sha256:".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
}

impl Image {
    /// Creates a catalog image of a directory.
    pub fn from_catalog(directory: &Path) -> Self {
        let labels = json!({ "operators.operatorframework.io.index.configs.v1": "/configs" });
        Self::from_directory(directory, "configs", &labels)
    }

    /// Creates a bundle image of a directory.
    pub fn from_bundle(directory: &Path, package: &str) -> Self {
        let labels = json!({
            "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
            "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
            "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
            "operators.operatorframework.io.bundle.package.v1": package,
            "operators.operatorframework.io.bundle.channels.v1": "stable",
        });
        Self::from_directory(directory, ".", &labels)
    }

    /// Writes an OCI layout with the image.
    pub fn write_layout(&self, folder: &Path) {
        let blobs = folder.join("blobs/sha256");
        fs::create_dir_all(&blobs).unwrap();
        for (name, bytes) in &self.blobs {
            fs::write(blobs.join(name.trim_start_matches("sha256:")), bytes).unwrap();
        }
        let name = digest(&self.manifest);
        fs::write(blobs.join(name.trim_start_matches("sha256:")), &self.manifest).unwrap();
        let at = json!({ "mediaType": MANIFEST, "digest": name, "size": self.manifest.len() });
        let index = json!({ "schemaVersion": 2, "manifests": [at] });
        fs::write(folder.join("index.json"), index.to_string()).unwrap();
        fs::write(folder.join("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}").unwrap();
    }

    /// Creates an image of a directory with labels.
    pub fn from_directory(directory: &Path, folder: &str, labels: &serde_json::Value) -> Self {
        let mut builder = tar::Builder::new(Vec::new());
        builder.append_dir_all(folder, directory).unwrap();
        let layer = builder.into_inner().unwrap();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, &layer).unwrap();
        let packed = packed.finish().unwrap();
        let config = json!({
            "architecture": "amd64", "os": "linux", "config": { "Labels": labels },
            "rootfs": { "type": "layers", "diff_ids": [digest(&layer)] },
        });
        let config = config.to_string().into_bytes();
        let at = |bytes: &[u8], kind: &str| {
            let kind = format!("application/vnd.oci.image.{kind}");
            json!({ "mediaType": kind, "digest": digest(bytes), "size": bytes.len() })
        };
        let manifest = json!({
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": at(&config, "config.v1+json"), "layers": [at(&packed, "layer.v1.tar+gzip")],
        });
        let blobs = [config, packed].map(|bytes| (digest(&bytes), bytes)).into();
        Self { blobs, manifest: manifest.to_string().into_bytes() }
    }

    /// Returns the digest of the manifest.
    pub fn digest(&self) -> String {
        digest(&self.manifest)
    }

    /// Pushes the image to a registry without authentication.
    pub fn push_to_registry(&self, host: &str, repository: &str, tag: &str) {
        for (digest, bytes) in &self.blobs {
            let begun = http_request(host, "POST", &format!("/v2/{repository}/blobs/uploads/"), &[], b"");
            assert_eq!(begun.status, 202);
            let location = &begun.headers["location"];
            let path = location.trim_start_matches("http://").trim_start_matches(host);
            let sign = if path.contains('?') { '&' } else { '?' };
            let done = http_request(host, "PUT", &format!("{path}{sign}digest={digest}"), &[], bytes);
            assert_eq!(done.status, 201);
        }
        let path = format!("/v2/{repository}/manifests/{tag}");
        let done = http_request(host, "PUT", &path, &[("Content-Type", MANIFEST)], &self.manifest);
        assert_eq!(done.status, 201);
    }
}

/// Returns the path of a blob in the storage of Debian's registry.
pub fn blob_path(storage: &Path, digest: &str) -> std::path::PathBuf {
    let hex = digest.trim_start_matches("sha256:");
    let path = storage.join("data/docker/registry/v2/blobs/sha256").join(&hex[..2]).join(hex).join("data");
    assert!(fs::exists(&path).unwrap(), "{}", path.display());
    path
}
