//! The explorer.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
};

use super::{Outcome, args::Global, failure::Failure, repository, source};

/// A catalog that the explorer is to open.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    Path(PathBuf),
    Stdin,
    Demo,
}

/// Opens the explorer on every path, on the catalog one stands in, or on the demo.
pub fn run(paths: &[PathBuf], global: Global) -> anyhow::Result<Outcome> {
    let sources = sources(paths)?;
    if !io::stdout().is_terminal() {
        return Err(Failure::new("the explorer needs a terminal")
            .hint("for files and pipes: olmap list, validate, successors, render (see olmap --help)")
            .into());
    }
    explore(&sources, global)
}

/// The one call into the explorer.
fn explore(sources: &[Source], _global: Global) -> anyhow::Result<Outcome> {
    let _ = sources;
    Err(Failure::new("the explorer is not built yet")
        .hint("olmap list, validate, successors, range and render work (see olmap --help)")
        .into())
}

fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    if paths.is_empty() {
        return Ok(match source::standing_in() {
            Some(path) => vec![Source::Path(path)],
            None => vec![Source::Demo],
        });
    }
    let mut sources = Vec::new();
    for path in paths {
        sources.extend(one(path)?);
    }
    Ok(sources)
}

fn one(path: &Path) -> anyhow::Result<Vec<Source>> {
    if path.as_os_str() == "-" {
        return Ok(vec![Source::Stdin]);
    }
    match repository::look(path) {
        // Every catalog of a repository side by side: that is what the explorer is for.
        Some(repository) if !repository.catalogs.is_empty() => {
            Ok(repository.catalogs.into_iter().map(Source::Path).collect())
        }
        Some(repository) => Err(repository.refusal(path).into()),
        None => Ok(vec![Source::Path(path.to_owned())]),
    }
}
