//! Images for tests: a catalog or a bundle, as blobs and manifests of a registry or a layout.

use std::{collections::BTreeMap, fs, io::Write as _, path::Path};

use serde_json::{Value, json};

use super::digest::Digest;

/// An image with its blobs.
#[derive(Clone, Default)]
pub struct Sample {
    /// Blobs by digest, including the manifest.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// Digest of the manifest.
    pub manifest: String,
    /// Digests of the compressed layers.
    pub layers: Vec<String>,
    config: String,
    tars: Vec<Vec<u8>>,
}

/// Media type of a manifest.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Makes a tar of files.
pub fn tar_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, path, content.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

/// Makes an image with labels and compressed layers.
pub fn sample_image(labels: &[(&str, &str)], layers: &[Vec<u8>]) -> Sample {
    let mut sample = Sample::default();
    let mut add = |bytes: Vec<u8>, kind: &str| {
        let digest = Digest::sha256(&bytes).to_string();
        let at = json!({ "mediaType": kind, "digest": digest, "size": bytes.len() });
        sample.blobs.insert(digest, bytes);
        at
    };
    let pack = |tar: &Vec<u8>| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(tar).unwrap();
        writer.finish().unwrap()
    };
    let packed: Vec<Value> =
        layers.iter().map(|tar| add(pack(tar), "application/vnd.oci.image.layer.v1.tar+gzip")).collect();
    let labels: BTreeMap<_, _> = labels.iter().copied().collect();
    let ids: Vec<String> = layers.iter().map(|tar| Digest::sha256(tar).to_string()).collect();
    let config = json!({ "config": { "Labels": labels }, "rootfs": { "type": "layers", "diff_ids": ids } });
    let config = add(config.to_string().into_bytes(), "application/vnd.oci.image.config.v1+json");
    let manifest = json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": packed });
    let at = add(manifest.to_string().into_bytes(), MANIFEST);
    let digest = |at: &Value| at["digest"].as_str().unwrap().to_owned();
    sample.manifest = digest(&at);
    sample.config = digest(&config);
    sample.layers = packed.iter().map(digest).collect();
    sample.tars = layers.to_vec();
    sample
}

/// Text of a catalog with one package.
pub const CATALOG: &str = "schema: olm.package\nname: tide\ndefaultChannel: stable\n";

/// Makes an image with a catalog.
pub fn sample_catalog() -> Sample {
    sample_image(
        &[(super::contents::CONFIGS, "/configs")],
        &[tar_of(&[("configs/tide/catalog.yaml", CATALOG)])],
    )
}

impl Sample {
    /// Writes a layout with the image under a tag.
    pub fn write_layout(&self, folder: &Path, tag: &str) {
        let blobs = folder.join("blobs/sha256");
        fs::create_dir_all(&blobs).unwrap();
        for (digest, bytes) in &self.blobs {
            fs::write(blobs.join(digest.trim_start_matches("sha256:")), bytes).unwrap();
        }
        let top = &self.blobs[&self.manifest];
        let is_index = String::from_utf8_lossy(top).contains("\"manifests\":");
        let kind = if is_index { "application/vnd.oci.image.index.v1+json" } else { MANIFEST };
        let entry = json!({
            "mediaType": kind, "digest": self.manifest, "size": top.len(),
            "annotations": { "org.opencontainers.image.ref.name": tag },
        });
        fs::write(folder.join("index.json"), json!({ "schemaVersion": 2, "manifests": [entry] }).to_string())
            .unwrap();
        fs::write(folder.join("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}").unwrap();
    }

    /// Writes a layout in a tar.
    pub fn write_archive(&self, file: &Path, tag: &str) {
        let folder = tempfile::tempdir().unwrap();
        self.write_layout(folder.path(), tag);
        let mut builder = tar::Builder::new(fs::File::create(file).unwrap());
        builder.append_dir_all(".", folder.path()).unwrap();
        builder.finish().unwrap();
    }

    /// Writes a folder for `dir:`.
    pub fn write_folder(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        for (digest, bytes) in &self.blobs {
            fs::write(folder.join(digest.trim_start_matches("sha256:")), bytes).unwrap();
        }
        fs::write(folder.join("manifest.json"), &self.blobs[&self.manifest]).unwrap();
    }

    /// Writes an archive in the format of `write_docker_archive save`.
    pub fn write_docker_archive(&self, file: &Path, name: &str) {
        let mut builder = tar::Builder::new(fs::File::create(file).unwrap());
        let mut add = |path: &str, bytes: &[u8]| {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, bytes).unwrap();
        };
        add("config.json", &self.blobs[&self.config]);
        let mut layers = Vec::new();
        for (number, tar) in self.tars.iter().enumerate() {
            layers.push(format!("{number}/layer.tar"));
            add(&layers[number], tar);
        }
        let saved = json!([{ "Config": "config.json", "RepoTags": [name], "Layers": layers }]);
        add("manifest.json", saved.to_string().as_bytes());
        builder.finish().unwrap();
    }
}
