//! Catalogs of a cluster by name.

use std::path::{Path, PathBuf};

use super::super::{failure::Failure, image, out::Out, source};
use olm_catalog::Catalog;
use olm_check::review::Snapshot;
use olm_upgrade::resolve::Source;

/// Catalog with its name on the cluster.
#[derive(Debug)]
pub struct NamedCatalog {
    /// Catalog in the global namespace.
    pub source: Source,
}

impl NamedCatalog {
    pub fn name(&self) -> &str {
        &self.source.key.name
    }
}

/// Opens catalogs. `stdin_taken` is set if standard input is used otherwise.
pub fn open_named_catalogs(
    words: &[String],
    images: &image::Args,
    stdin_taken: bool,
    out: &Out,
) -> anyhow::Result<Vec<NamedCatalog>> {
    let named: Vec<(Option<&str>, PathBuf)> = words.iter().map(|word| split_name(word)).collect();
    let paths: Vec<PathBuf> = named.iter().map(|(_, path)| path.clone()).collect();
    if stdin_taken && paths.iter().any(|path| path.as_os_str() == source::STDIN) {
        return Err(Failure::new("standard input can be read only once").into());
    }
    let catalogs = source::open_catalogs(&paths, images)?;
    let mut all: Vec<NamedCatalog> = Vec::with_capacity(catalogs.len());
    for (at, catalog) in catalogs.into_iter().enumerate() {
        source::warn_of_problems(&catalog, out);
        let name = match named.get(at) {
            Some((Some(name), _)) => (*name).to_owned(),
            Some((None, path)) => derive_name(path),
            None => "catalog".to_owned(),
        };
        if all.iter().any(|other| other.name() == name) {
            return Err(Failure::new(format!("two catalogs are called {name}"))
                .with_hint(format!("give one of them a name: NAME={}", catalog.origin.label()))
                .into());
        }
        all.push(name_catalog(&name, catalog));
    }
    Ok(all)
}

/// Creates a source, with the reason if opm rejects the catalog.
fn name_catalog(name: &str, catalog: Catalog) -> NamedCatalog {
    NamedCatalog { source: Snapshot::new(catalog).to_source(name) }
}

/// Splits `NAME=PATH`. A word that is an existing path is not split.
fn split_name(word: &str) -> (Option<&str>, PathBuf) {
    match word.split_once('=') {
        Some((name, path)) if !name.is_empty() && !name.contains('/') && !Path::new(word).exists() => {
            (Some(name), path.into())
        }
        _ => (None, word.into()),
    }
}

/// Derives the catalog name from a path: `operators` from `catalogs/operators.yaml`. For the usual file of a
/// catalog, returns the folder.
fn derive_name(path: &Path) -> String {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = stem(path).filter(|name| name != source::STDIN);
    let name = match name.as_deref() {
        Some("catalog" | "index") if path.extension().is_some() => path.parent().and_then(stem).or(name),
        _ => name,
    };
    name.unwrap_or_else(|| "catalog".to_owned())
}
