//! Opening of catalogs from command line arguments.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;

use super::{
    discovered::Discovered,
    failure::{self, Failure},
    image,
    out::{self, Out},
    progress, repository, revision, workspace,
};
use crate::{
    catalog::{
        Catalog, ImageNote, Known, Origin, PackageName,
        load::{self, regular},
        package::Package,
        problem::Problems,
    },
    export::{
        Ink,
        left_out::{self, LeftOut},
        plain,
    },
    source::{
        How,
        discovery::{Opening, Selection, TemplateFormat},
    },
};

/// Argument for standard input.
pub const STDIN: &str = "-";

/// Opens every path as a separate catalog. Without a path, opens the catalog around, above or below the
/// current directory.
pub fn all(paths: &[PathBuf], images: &image::Args) -> anyhow::Result<Vec<Catalog>> {
    if paths.is_empty() {
        return Ok(vec![open(&here_or_near()?, images)?]);
    }
    check_stdin(paths)?;
    let catalogs: Vec<Catalog> =
        paths.iter().map(|path| open(path, images)).collect::<anyhow::Result<_>>()?;
    if catalogs.iter().all(|catalog| catalog.template().is_none()) {
        return Ok(catalogs);
    }
    let known = Arc::new(Known::of(&catalogs));
    Ok(catalogs.into_iter().map(|catalog| catalog.with_known(Arc::clone(&known))).collect())
}

/// Refuses a catalog that opm could not read: broken files, and bundles, whose channels are only proposed.
pub fn check_published(catalog: &Catalog) -> Result<(), Failure> {
    let label = catalog.origin.label();
    if catalog.is_proposed() {
        return Err(Failure::new(format!("{label} is no catalog, but bundles"))
            .hint("olmap render prints what opm makes of them"));
    }
    if let Some(first) = first_unread(catalog) {
        return Err(Failure::new(format!("opm cannot read {label} as a catalog: {first}"))
            .hint("olmap validate shows what is wrong with it"));
    }
    Ok(())
}

/// Returns the first problem for which opm cannot read a catalog, with its location; `None` if opm can read
/// it.
pub fn first_unread(catalog: &Catalog) -> Option<String> {
    let problems = catalog.all_problems().flat_map(Problems::told);
    problems
        .into_iter()
        .find(|problem| problem.kind.stops_opm())
        .map(|problem| left_out::line(catalog, problem))
}

/// Opens a path. Without a path, opens the catalog around, above or below the current directory.
pub fn one(path: Option<&Path>, images: &image::Args) -> anyhow::Result<Catalog> {
    match path {
        Some(path) => open(path, images),
        None => open(&here_or_near()?, images),
    }
}

/// Returns the path of a catalog on disk, which may have been deleted. Without a path, returns the catalog
/// around, above or below the current directory.
pub fn on_disk(path: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(path) = path else { return here_or_near() };
    revision::refuse(path, "this command reads all revisions of a catalog on disk")?;
    if path.as_os_str() == STDIN || crate::source::is_image(path) {
        return Err(Failure::new(format!("{} is not in a git repository", path.display()))
            .hint("give the directory of the catalog in its repository"));
    }
    repository::look(path).map_or_else(|| Ok(path.to_owned()), |repository| Err(repository.refusal(path)))
}

/// Returns the discovered catalog. Prints its path unless it is the current directory.
fn here_or_near() -> Result<PathBuf, Failure> {
    let selection = selected()?;
    let path = only(&selection)?;
    say_selected(&selection);
    Ok(path)
}

/// Returns the catalog for a revision without a path: the one around the current directory, or the only one
/// below.
pub fn near() -> Result<PathBuf, Failure> {
    here_or_near()
}

/// Returns all discovered catalogs. Prints them unless it is only the current directory.
pub fn all_here() -> Result<Vec<PathBuf>, Failure> {
    let selection = selected()?;
    say_selected(&selection);
    Ok(selection.paths)
}

/// Returns the discovered bundles. Prints them unless it is only the current directory.
pub fn bundles_here() -> Result<Vec<PathBuf>, Failure> {
    let nothing = || {
        Failure::new("no bundle here, and no DIR given")
            .hint("give a directory with manifests/ and metadata/")
    };
    let selection = workspace::selection()?.filter(|selection| selection.kind == Opening::Bundle);
    let selection = selection.ok_or_else(nothing)?;
    say_selected(&selection);
    Ok(selection.paths)
}

fn selected() -> Result<Selection, Failure> {
    workspace::selection()?.ok_or_else(|| none("no catalog here, above or below, and no PATH given"))
}

/// Prints the selection on standard error, unless it is the current directory.
fn say_selected(selection: &Selection) {
    if !selection.is_current() {
        out::print_error(&format!("note: {}\n", plain::line(&selection.sentence())), false);
    }
}

/// Returns the catalog around the current directory, for commands that write. A catalog below or next to it
/// must be given.
pub fn here() -> Result<PathBuf, Failure> {
    let nothing = || none("no catalog here, and no PATH given");
    let selection = workspace::selection()?.ok_or_else(nothing)?;
    let path = only(&selection).map_err(|failure| failure.also("or edit all of them with --all"))?;
    if selection.contains_current() {
        return Ok(path);
    }
    Err(Failure::new("outside of a catalog, an edit needs a PATH")
        .hint(format!("the nearest is {}", path.display())))
}

/// Returns all discovered catalogs, for a command that writes all of them.
pub fn all_catalogs() -> Result<Vec<PathBuf>, Failure> {
    let selection = workspace::selection()?.ok_or_else(|| none("no catalog here, and no PATH given"))?;
    Ok(selection.paths)
}

/// Returns all semver templates of the repository, for a command that writes all of them.
pub fn all_semver_templates() -> Result<Vec<PathBuf>, Failure> {
    let here = Discovered::here()?;
    let templates = here.found.templates.iter();
    let semver = templates.filter(|template| template.format == TemplateFormat::Semver);
    let paths: Vec<PathBuf> = semver.map(|template| here.path(&template.path)).collect();
    if paths.is_empty() { Err(none("no semver template here, and no PATH given")) } else { Ok(paths) }
}

pub fn none(reason: &str) -> Failure {
    Failure::new(reason).hint("give a directory, a file, or - for standard input")
}

/// Returns the path of a selection with only one path.
fn only(selection: &Selection) -> Result<PathBuf, Failure> {
    if let [only] = selection.paths.as_slice() {
        return Ok(only.clone());
    }
    let reason =
        format!("there are {} {} here, and no PATH given", selection.paths.len(), selection.kind.plural());
    let failure = Failure::new(reason).hint("choose one:");
    Err(selection.paths.iter().fold(failure, |failure, path| failure.also(path.display().to_string())))
}

/// Reads standard input to its end.
pub fn standard_input() -> anyhow::Result<Vec<u8>> {
    let input = io::stdin().lock();
    regular::at_most(input, max_input()).context("cannot read standard input")
}

/// Returns the maximum number of bytes to read from standard input.
fn max_input() -> u64 {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        let metadata =
            io::stdin().as_fd().try_clone_to_owned().map(fs::File::from).and_then(|file| file.metadata());
        metadata.map_or(u64::MAX, |metadata| regular::max_input(&metadata))
    }
    #[cfg(not(unix))]
    u64::MAX
}

/// Refuses several uses of standard input, because it can be read only once.
pub fn check_stdin(paths: &[PathBuf]) -> Result<(), Failure> {
    match paths.iter().filter(|path| path.as_os_str() == STDIN).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::new("standard input can be read only once")),
    }
}

fn open(path: &Path, images: &image::Args) -> anyhow::Result<Catalog> {
    if path.as_os_str() == STDIN {
        return Ok(load::from_bytes(standard_input()?));
    }
    if let Some(revision) = revision::parse(path) {
        let like = if revision.path.is_none() { here_or_near()? } else { PathBuf::from(".") };
        return Ok(revision::open_catalog(&revision, &like)?);
    }
    if let Some(repository) = repository::look(path) {
        return Err(repository.refusal(path).into());
    }
    let how = How { image: None, access: images.access() };
    let catalog = progress::watched(|progress| crate::source::open(path, &how, progress));
    let catalog = catalog.map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?;
    if let Origin::Image(at) = &catalog.origin {
        tell(&at.label, &at.notes);
    }
    Ok(catalog)
}

/// Prints the notes about an opened image on standard error.
pub fn tell(label: &str, notes: &[ImageNote]) {
    for note in notes {
        let mut text = format!("note: {}\n", plain::line(&format!("{label}: {}", note.words())));
        if let Some(hint) = note.hint() {
            let _ = writeln!(text, "hint: {}", plain::line(&hint));
        }
        out::print_error(&text, false);
    }
}

/// Warns on standard error if a catalog was not read completely, so that silence is not mistaken for success.
pub fn warn_of_problems(catalog: &Catalog, out: &Out) {
    if let Some(left_out) = LeftOut::of_all(catalog) {
        warn(&left_out.sentence(), None, out);
    }
}

/// Prints a warning on standard error, with an optional hint.
pub fn warn(words: &str, hint: Option<&str>, out: &Out) {
    let style = out.error_style();
    let mut text = format!("{}: {}\n", style.paint(Ink::Warning, "warning"), plain::line(words));
    if let Some(hint) = hint {
        let _ = writeln!(text, "{}: {}", style.paint(Ink::Note, "hint"), plain::line(hint));
    }
    out.error(&text);
}

/// Prints a note on standard error.
pub fn note(words: &str, out: &Out) {
    let style = out.error_style();
    out.error(&format!("{}: {}\n", style.paint(Ink::Note, "note"), plain::line(words)));
}

/// Returns the error of a command that writes nothing because part of a catalog could not be read.
fn half_read(left_out: &LeftOut) -> Failure {
    let words = format!("not everything could be checked: {}", left_out.sentence());
    Failure::new(words).hint(left_out.hint())
}

/// Fails if part of a catalog could not be read and may matter. `matters` returns true for requested
/// packages.
pub fn check_whole(catalog: &Catalog, matters: impl Fn(&PackageName) -> bool) -> Result<(), Failure> {
    LeftOut::of(catalog, matters).map_or(Ok(()), |left_out| Err(half_read(&left_out)))
}

/// Returns the error for an unknown package.
pub fn no_package(catalog: &Catalog, name: &str) -> Failure {
    let names = package_names(catalog);
    let failure = Failure::new(format!("no package {name} in {}", catalog.origin.label()));
    if names.is_empty() { failure } else { failure.hint(format!("packages: {names}")) }
}

fn package_names(catalog: &Catalog) -> String {
    failure::some_of(packages(catalog).map(|p| p.name.as_str()))
}

/// Returns the packages with a name. `validate` reports blobs without a package name.
pub fn packages(catalog: &Catalog) -> impl Iterator<Item = &Arc<Package>> {
    catalog.packages().filter(|p| !p.name.as_str().is_empty())
}

/// Returns the package with a name, or the only one.
pub fn package<'a>(catalog: &'a Catalog, name: Option<&str>) -> Result<&'a Arc<Package>, Failure> {
    if let Some(name) = name {
        return catalog.package(name).ok_or_else(|| no_package(catalog, name));
    }
    let mut named = packages(catalog);
    match (named.next(), named.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::new(format!("no packages in {}", catalog.origin.label()))),
        (Some(_), Some(_)) => {
            let hint = format!("choose one with --package: {}", package_names(catalog));
            Err(Failure::new("which package?").hint(hint))
        }
    }
}
