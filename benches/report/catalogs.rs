//! Measured catalogs that are not generated: those named by the user, or the published ones of the
//! conformance data.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Catalog with its label in the report.
pub struct Published {
    pub label: String,
    pub path: PathBuf,
}

/// Returns the catalogs in `OLMAP_BENCH_CATALOGS`, separated by `:`. Otherwise returns those of the
/// conformance data, and unpacks the large one into a folder.
pub fn published(folder: &Path) -> Vec<Published> {
    let label = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(paths) = env::var_os("OLMAP_BENCH_CATALOGS") {
        return env::split_paths(&paths).map(|path| Published { label: label(&path), path }).collect();
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance");
    let data = env::var_os("OLMAP_CONFORMANCE").map_or(beside, PathBuf::from);
    let repository = data.join("repo/catalogs");
    let versions = ["v4.18", "v4.20", "v4.22"].map(|version| repository.join(version)).into_iter();
    let mut found: Vec<Published> =
        versions.filter(|path| path.is_dir()).map(|path| Published { label: label(&path), path }).collect();
    let archive = data.join("scale.tar.xz");
    if archive.is_file() {
        let status = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(folder).status().unwrap();
        assert!(status.success());
        found.push(Published { label: "vendor index".to_owned(), path: folder.join("full") });
    }
    if found.is_empty() {
        println!("no published catalogs: name some in OLMAP_BENCH_CATALOGS");
    }
    found
}
