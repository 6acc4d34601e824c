//! From what stands on the command line to catalogs.

use std::{
    env,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;

use super::{
    failure::{self, Failure},
    out::Out,
    progress, repository,
};
use crate::{
    catalog::{Catalog, Known, load, package::Package, problem::ProblemKind},
    export::Ink,
};

/// Files whose presence makes a folder a catalog that one can stand in.
const CATALOG_FILES: [&str; 3] = ["catalog.yaml", "catalog.json", "index.yaml"];

/// The name of standard input.
pub const STDIN: &str = "-";

/// Opens every path as a catalog of its own. No path: the catalog one stands in.
pub fn all(paths: &[PathBuf]) -> anyhow::Result<Vec<Catalog>> {
    if paths.is_empty() {
        return Ok(vec![open(&here()?)?]);
    }
    check_stdin(paths)?;
    let catalogs: Vec<Catalog> = paths.iter().map(|path| open(path)).collect::<anyhow::Result<_>>()?;
    if catalogs.iter().all(|catalog| catalog.template().is_none()) {
        return Ok(catalogs);
    }
    let known = Arc::new(Known::of(&catalogs));
    Ok(catalogs.into_iter().map(|catalog| catalog.with_known(Arc::clone(&known))).collect())
}

/// Opens one path. No path: the catalog one stands in.
pub fn one(path: Option<&Path>) -> anyhow::Result<Catalog> {
    match path {
        Some(path) => open(path),
        None => open(&here()?),
    }
}

/// The catalog one stands in.
fn here() -> Result<PathBuf, Failure> {
    standing_in().ok_or_else(|| {
        Failure::new("no catalog here, and none was named")
            .hint("name a directory, a file, or - for standard input")
    })
}

/// The current folder, if it is a catalog.
pub fn standing_in() -> Option<PathBuf> {
    let folder = env::current_dir().ok()?;
    CATALOG_FILES.iter().any(|name| folder.join(name).is_file()).then(|| PathBuf::from("."))
}

/// Everything on standard input.
pub fn standard_input() -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}

/// Refuses paths that name standard input twice: the second would find nothing.
pub fn check_stdin(paths: &[PathBuf]) -> Result<(), Failure> {
    match paths.iter().filter(|path| path.as_os_str() == STDIN).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::new("standard input can be read only once")),
    }
}

fn open(path: &Path) -> anyhow::Result<Catalog> {
    if path.as_os_str() == STDIN {
        return Ok(load::from_bytes(standard_input()?));
    }
    if let Some(repository) = repository::look(path) {
        return Err(repository.refusal(path).into());
    }
    let catalog = progress::watched(|progress| load::open(path, progress));
    Ok(catalog.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?)
}

/// Says on standard error that a catalog was not read whole, so that nobody takes silence for health.
pub fn warn_of_problems(catalog: &Catalog, out: &Out) {
    let count: usize = catalog.all_problems().map(|problems| problems.count(ProblemKind::is_error)).sum();
    if count > 0 {
        let label = out.error_style().paint(Ink::Warning, "warning");
        let (things, verb) = if count == 1 { ("thing", "is") } else { ("things", "are") };
        Out::error(&format!(
            "{label}: {count} {things} in this catalog cannot be read and {verb} left out; olmap validate says what\n"
        ));
    }
}

/// A package that is not there.
pub fn no_package(catalog: &Catalog, name: &str) -> Failure {
    let names = package_names(catalog);
    let failure = Failure::new(format!("no package {name} in {}", catalog.origin.label()));
    if names.is_empty() { failure } else { failure.hint(format!("packages: {names}")) }
}

fn package_names(catalog: &Catalog) -> String {
    failure::some_of(packages(catalog).map(|p| p.name.as_str()))
}

/// The packages that have a name. Blobs that forgot to say theirs are `validate`'s business.
pub fn packages(catalog: &Catalog) -> impl Iterator<Item = &Arc<Package>> {
    catalog.packages().filter(|p| !p.name.as_str().is_empty())
}

/// The package that is meant: the one that is named, or the only one.
pub fn package<'a>(catalog: &'a Catalog, name: Option<&str>) -> Result<&'a Arc<Package>, Failure> {
    if let Some(name) = name {
        return catalog.package(name).ok_or_else(|| no_package(catalog, name));
    }
    let mut named = packages(catalog);
    match (named.next(), named.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::new(format!("no packages in {}", catalog.origin.label()))),
        (Some(_), Some(_)) => {
            let hint = format!("name one with --package: {}", package_names(catalog));
            Err(Failure::new("which package?").hint(hint))
        }
    }
}
