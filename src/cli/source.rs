//! Opening of catalogs from command line arguments.

use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs, io, sync::Arc};

use anyhow::Context as _;
use rayon::prelude::*;

use super::repository::{self, DiscoveredRepository};
use super::{Failure, Out, image, join_names, out, revision, with_progress};
use olm_catalog::load::{self, regular_file};
use olm_catalog::text::canonical::{self, RenderFormat};
use olm_catalog::{
    Catalog, ImageNote, KnownBundles, Node, Origin, PackageName, package::Package, problem::Problems,
};
use olm_source::OpenOptions;
use olm_source::discovery::{OpenKind, Selection, TemplateFormat};
use olmap_report::escape;
use olmap_report::omissions::{self, OmittedPart};

/// Argument for standard input.
pub const STDIN: &str = "-";

/// Returns true if a path means standard input, or standard output.
pub fn is_stdin(path: impl AsRef<Path>) -> bool {
    path.as_ref().as_os_str() == STDIN
}

/// Returns the name of an input file in messages.
pub fn input_label(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a handwritten file, or standard input.
pub fn read_input(path: &Path) -> anyhow::Result<Vec<u8>> {
    if is_stdin(path) {
        return read_stdin();
    }
    regular_file::read_regular(path, regular_file::MAX_HANDWRITTEN_SIZE)
        .with_context(|| format!("cannot read {}", path.display()))
}

/// Opens every path as a separate catalog. Without a path, opens the catalog around, above or below the
/// current directory.
pub fn open_catalogs(paths: &[PathBuf], images: &image::Args) -> anyhow::Result<Vec<Catalog>> {
    open_catalogs_with(paths, &OpenOptions::default(), images)
}

/// Opens every path like [`open_catalogs`], for a question that needs little of the texts. After the answer,
/// [`check_texts`] must confirm that no file changed.
pub fn open_for_findings(paths: &[PathBuf], images: &image::Args) -> anyhow::Result<Vec<Catalog>> {
    // Several catalogs are compared, which needs all of their texts.
    let how = OpenOptions { leaves_texts_on_disk: paths.len() <= 1, ..OpenOptions::default() };
    open_catalogs_with(paths, &how, images)
}

fn open_catalogs_with(
    paths: &[PathBuf],
    how: &OpenOptions,
    images: &image::Args,
) -> anyhow::Result<Vec<Catalog>> {
    if paths.is_empty() {
        return Ok(vec![open_path_with(&discover_catalog()?, how.clone(), images)?]);
    }
    check_stdin(paths)?;
    let mut catalogs: Vec<Catalog> = Vec::new();
    for path in paths {
        let how = OpenOptions { similar_to: catalogs.last().cloned().map(Arc::new), ..how.clone() };
        catalogs.push(open_path_with(path, how, images)?);
    }
    if catalogs.iter().all(|catalog| catalog.template().is_none()) {
        return Ok(catalogs);
    }
    let known = Arc::new(KnownBundles::from_catalogs(&catalogs));
    Ok(catalogs.into_iter().map(|catalog| catalog.with_known_bundles(Arc::clone(&known))).collect())
}

/// Fails if the text of a file was needed, but the file had changed since it was read.
pub fn check_texts(catalog: &Catalog) -> Result<(), Failure> {
    let Some(file) = catalog.lost_file() else { return Ok(()) };
    let reason = format!("{} changed while it was checked", file.display_path().display());
    Err(Failure::new(reason).with_hint("run the command again"))
}

/// Refuses bundles, whose channels are only proposed.
pub fn refuse_bundles(catalog: &Catalog) -> Result<(), Failure> {
    if !catalog.is_rendered_from_bundles() {
        return Ok(());
    }
    Err(Failure::new(format!("{} is no catalog, but bundles", catalog.origin.label()))
        .with_hint("olmap render prints what opm makes of them"))
}

/// Refuses a catalog that opm could not read: broken files, and bundles, whose channels are only proposed.
pub fn check_published(catalog: &Catalog) -> Result<(), Failure> {
    let label = catalog.origin.label();
    refuse_bundles(catalog)?;
    if let Some(first) = first_unread(catalog) {
        return Err(Failure::new(format!("opm cannot read {label} as a catalog: {first}"))
            .with_hint("olmap validate shows what is wrong with it"));
    }
    Ok(())
}

/// Returns the first problem for which opm cannot read a catalog, with its location; `None` if opm can read
/// it.
pub fn first_unread(catalog: &Catalog) -> Option<String> {
    let problems = catalog.all_problems().flat_map(Problems::complete_problems);
    problems
        .into_iter()
        .find(|problem| problem.kind.stops_opm())
        .map(|problem| omissions::format_problem_line(catalog, problem))
}

/// Opens a path. Without a path, opens the catalog around, above or below the current directory.
pub fn open_catalog(path: Option<&Path>, images: &image::Args) -> anyhow::Result<Catalog> {
    match path {
        Some(path) => open_path(path, images),
        None => open_path(&discover_catalog()?, images),
    }
}

/// Returns the path of a catalog on disk, which may have been deleted. Without a path, returns the catalog
/// around, above or below the current directory.
pub fn catalog_path_on_disk(path: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(path) = path else { return discover_catalog() };
    revision::refuse_revision(path, "this command reads all revisions of a catalog on disk")?;
    if is_stdin(path) || olm_source::is_image_reference(path) {
        return Err(Failure::new(format!("{} is not in a git repository", path.display()))
            .with_hint("give the directory of the catalog in its repository"));
    }
    match repository::find_catalogs(path) {
        Some(catalogs) => Err(repository::not_a_catalog_failure(path, &catalogs)),
        None => Ok(path.to_owned()),
    }
}

/// Returns the discovered catalog: the one around the current directory, or the only one below. Prints its
/// path unless it is the current directory.
pub fn discover_catalog() -> Result<PathBuf, Failure> {
    let selection = discover_selection()?;
    let path = single_path(&selection)?;
    print_selection(&selection);
    Ok(path)
}

/// Returns all discovered catalogs. Prints them unless it is only the current directory.
pub fn discover_catalogs() -> Result<Vec<PathBuf>, Failure> {
    let selection = discover_selection()?;
    print_selection(&selection);
    Ok(selection.paths)
}

/// Returns the discovered bundles. Prints them unless it is only the current directory.
pub fn discover_bundles() -> Result<Vec<PathBuf>, Failure> {
    let nothing = || {
        Failure::new("no bundle here, and no DIR given")
            .with_hint("give a directory with manifests/ and metadata/")
    };
    let selection = repository::selection()?.filter(|selection| selection.kind == OpenKind::Bundle);
    let selection = selection.ok_or_else(nothing)?;
    print_selection(&selection);
    Ok(selection.paths)
}

fn discover_selection() -> Result<Selection, Failure> {
    repository::selection()?
        .ok_or_else(|| no_path_failure("no catalog here, above or below, and no PATH given"))
}

/// Prints the selection on standard error, unless it is the current directory.
fn print_selection(selection: &Selection) {
    if !selection.is_current() {
        out::print_error(&format!("note: {}\n", escape::escape_line(&selection.to_sentence())), false);
    }
}

/// Returns the catalog around the current directory, for commands that write. A catalog below or next to it
/// must be given.
pub fn current_catalog() -> Result<PathBuf, Failure> {
    let nothing = || no_path_failure("no catalog here, and no PATH given");
    let selection = repository::selection()?.ok_or_else(nothing)?;
    let path =
        single_path(&selection).map_err(|failure| failure.add_hint("or edit all of them with --all"))?;
    if selection.contains_current() {
        return Ok(path);
    }
    Err(Failure::new("outside of a catalog, an edit needs a PATH")
        .with_hint(format!("the nearest is {}", path.display())))
}

/// Returns all discovered catalogs, for a command that writes all of them.
pub fn all_catalogs() -> Result<Vec<PathBuf>, Failure> {
    let selection =
        repository::selection()?.ok_or_else(|| no_path_failure("no catalog here, and no PATH given"))?;
    Ok(selection.paths)
}

/// Returns all semver templates of the repository, for a command that writes all of them.
pub fn all_semver_templates() -> Result<Vec<PathBuf>, Failure> {
    let here = DiscoveredRepository::from_current_dir()?;
    let templates = here.contents.templates.iter();
    let semver = templates.filter(|template| template.format == TemplateFormat::Semver);
    let paths: Vec<PathBuf> = semver.map(|template| here.relative_path(&template.path)).collect();
    if paths.is_empty() {
        Err(no_path_failure("no semver template here, and no PATH given"))
    } else {
        Ok(paths)
    }
}

pub fn no_path_failure(reason: &str) -> Failure {
    Failure::new(reason).with_hint("give a directory, a file, or - for standard input")
}

/// Returns the path of a selection with only one path.
fn single_path(selection: &Selection) -> Result<PathBuf, Failure> {
    if let [only] = selection.paths.as_slice() {
        return Ok(only.clone());
    }
    let reason =
        format!("there are {} {} here, and no PATH given", selection.paths.len(), selection.kind.plural());
    let failure = Failure::new(reason).with_hint("choose one:");
    Err(selection.paths.iter().fold(failure, |failure, path| failure.add_hint(path.display().to_string())))
}

/// Reads standard input to its end.
pub fn read_stdin() -> anyhow::Result<Vec<u8>> {
    let input = io::stdin().lock();
    regular_file::read_limited(input, max_input()).context("cannot read standard input")
}

/// Returns the maximum number of bytes to read from standard input.
fn max_input() -> u64 {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        let metadata =
            io::stdin().as_fd().try_clone_to_owned().map(fs::File::from).and_then(|file| file.metadata());
        metadata.map_or(u64::MAX, |metadata| regular_file::max_input(&metadata))
    }
    #[cfg(not(unix))]
    u64::MAX
}

/// Refuses several uses of standard input, because it can be read only once.
pub fn check_stdin(paths: impl IntoIterator<Item: AsRef<Path>>) -> Result<(), Failure> {
    match paths.into_iter().filter(|path| path.as_ref().as_os_str() == STDIN).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::new("standard input can be read only once")),
    }
}

/// Opens a path like [`open_catalog`], for a question about one package: others may be absent or incomplete. Opens
/// the whole catalog without a package, and if the package is not there, so that a message can list the others.
pub fn open_for_package(
    path: Option<&Path>,
    package: Option<&str>,
    images: &image::Args,
) -> anyhow::Result<Catalog> {
    let path = match path {
        Some(path) => path.to_owned(),
        None => discover_catalog()?,
    };
    if let Some(name) = package.filter(|name| !name.is_empty()) {
        let how = OpenOptions { only_package: Some(name.into()), ..OpenOptions::default() };
        let catalog = open_path_with(&path, how, images)?;
        // Some sources are read completely in any case.
        if catalog.missing_part().is_none() || catalog.package(name).is_some() {
            return Ok(catalog);
        }
    }
    open_path(&path, images)
}

/// Opens a path like [`open_catalog`]. Files that equal those of a known catalog share their memory.
pub fn open_similar(path: &Path, known: Option<&Catalog>, images: &image::Args) -> anyhow::Result<Catalog> {
    let how = OpenOptions { similar_to: known.cloned().map(Arc::new), ..OpenOptions::default() };
    open_path_with(path, how, images)
}

fn open_path(path: &Path, images: &image::Args) -> anyhow::Result<Catalog> {
    open_path_with(path, OpenOptions::default(), images)
}

fn open_path_with(path: &Path, how: OpenOptions, images: &image::Args) -> anyhow::Result<Catalog> {
    if is_stdin(path) {
        return Ok(load::from_bytes(read_stdin()?));
    }
    if let Some(revision) = revision::parse_revision(path) {
        let like = if revision.path.is_none() { discover_catalog()? } else { PathBuf::from(".") };
        return Ok(revision::open_catalog(&revision, &like)?);
    }
    if let Some(catalogs) = repository::find_catalogs(path) {
        return Err(repository::not_a_catalog_failure(path, &catalogs).into());
    }
    let how = OpenOptions { access: images.access(), ..how };
    let catalog = with_progress(|progress| olm_source::open_path(path, &how, progress));
    let catalog = catalog.map_err(Failure::from)?;
    // The process ends after the command, which frees the memory faster than dropping each object.
    std::mem::forget(catalog.clone());
    if let Origin::Image(at) = &catalog.origin {
        print_image_notes(&at.label, &at.notes);
    }
    Ok(catalog)
}

/// Prints the notes about an opened image on standard error.
pub fn print_image_notes(label: &str, notes: &[ImageNote]) {
    for note in notes {
        let mut text = format!("note: {}\n", escape::escape_line(&format!("{label}: {}", note.message())));
        if let Some(hint) = note.hint() {
            let _ = writeln!(text, "hint: {}", escape::escape_line(&hint));
        }
        out::print_error(&text, false);
    }
}

/// Warns on standard error if a catalog was not read completely, so that silence is not mistaken for success.
pub fn warn_of_problems(catalog: &Catalog, out: &Out) {
    if let Some(left_out) = OmittedPart::unread_in_catalog(catalog) {
        out.print_warning(&left_out.describe_omission(), None);
    }
}

/// Fails if part of a catalog could not be read and may matter. `matters` returns true for requested
/// packages.
pub fn check_complete(catalog: &Catalog, matters: impl Fn(&PackageName) -> bool) -> Result<(), Failure> {
    let Some(left_out) = OmittedPart::unread_in_packages(catalog, matters) else { return Ok(()) };
    let words = format!("not everything could be checked: {}", left_out.describe_omission());
    Err(Failure::new(words).with_hint(left_out.user_hint()))
}

/// Returns the error for an unknown package.
pub fn no_package_failure(catalog: &Catalog, name: &str) -> Failure {
    let names = package_names(catalog);
    let failure = Failure::new(format!("no package {name} in {}", catalog.origin.label()));
    if names.is_empty() { failure } else { failure.with_hint(format!("packages: {names}")) }
}

fn package_names(catalog: &Catalog) -> String {
    join_names(named_packages(catalog).map(|p| p.name.as_str()))
}

/// Returns the error for an unknown channel of a package.
pub fn no_channel_failure(package: &Package, name: &str) -> Failure {
    Failure::new(format!("no channel {name} in {}", package.name))
        .with_hint(format!("channels: {}", channel_names(package)))
}

/// Lists the names of the channels of a package.
pub fn channel_names(package: &Package) -> String {
    join_names(package.channels.iter().map(|channel| channel.name.value.as_str()))
}

/// Returns true if a package is requested. Without requested packages, all are.
pub fn is_requested(packages: &[String], name: &PackageName) -> bool {
    packages.is_empty() || packages.iter().any(|requested| name == requested.as_str())
}

/// Parses the documents of a catalog. Omits those that cannot be parsed.
pub fn parse_documents(catalog: &Catalog) -> Vec<Node<'_>> {
    let ids: Vec<_> = catalog.documents().collect();
    ids.into_par_iter().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect()
}

/// Renders a catalog in the format of opm render.
pub fn render_yaml(catalog: &Catalog) -> String {
    canonical::render_documents(&parse_documents(catalog), RenderFormat::Yaml)
}

/// Returns the packages with a name. `validate` reports blobs without a package name.
pub fn named_packages(catalog: &Catalog) -> impl Iterator<Item = &Arc<Package>> {
    catalog.packages().filter(|p| !p.name.as_str().is_empty())
}

/// Returns the package with a name, or the only one.
pub fn select_package<'a>(catalog: &'a Catalog, name: Option<&str>) -> Result<&'a Arc<Package>, Failure> {
    if let Some(name) = name {
        return catalog.package(name).ok_or_else(|| no_package_failure(catalog, name));
    }
    let mut named = named_packages(catalog);
    match (named.next(), named.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::new(format!("no packages in {}", catalog.origin.label()))),
        (Some(_), Some(_)) => {
            let hint = format!("choose one with --package: {}", package_names(catalog));
            Err(Failure::new("which package?").with_hint(hint))
        }
    }
}
