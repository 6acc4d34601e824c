//! `olmap compose`: merges catalogs into one, with a folder for each.

pub(super) mod file;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{failure::Failure, image, out::Out, outcome::Outcome, revision, source};
use file::{Composition, Reference};
use olm_catalog::{
    Catalog, Node, Origin,
    load::{self, git::Revision},
    text::canonical::{self, RenderFormat},
};
use olm_edit::save::{self, DirectoryLock, Overwrite};
use olm_source::is_image_reference;
use olmap_report::escape;

/// File name for each reference, as `opm render IMAGE > NAME/REFERENCE/index.yaml` makes it.
const INDEX_FILE: &str = "index.yaml";
/// Maximum number of conflicts that are shown.
const MAX_SHOWN: usize = 10;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Composition: YAML with a name and references, each with a name and an image, path or
    /// git:REV:PATH. For git:REV:FILE, paths are in the same revision.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Directory of the catalog. Default: the name of the composition, in the current directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing, print what would change, and exit with 1 if anything would change.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    images: image::Args,
}

/// Change of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    New,
    Changed,
    Same,
}

pub fn run_compose(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let composition = Composition::load(&args.file)?;
    let directory = args.out.clone().unwrap_or_else(|| PathBuf::from(&composition.name));
    let mut texts: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    let mut homes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for reference in &composition.references {
        if reference.has_tag() {
            let words = format!("{}: {} has a tag, which may move", reference.name, reference.image);
            source::print_warning(&words, Some("a digest makes the same catalog tomorrow"), out);
        }
        let catalog = open_reference(reference, args)?;
        for package in source::named_packages(&catalog) {
            homes.entry(package.name.to_string()).or_default().push(&reference.name);
        }
        texts.insert(Path::new(&reference.name).join(INDEX_FILE), render_yaml(&catalog).into_bytes());
    }
    check_conflicts(&homes)?;
    check_merged(&texts)?;
    let mut changes = Vec::new();
    for (path, text) in &texts {
        let fate = match fs::read(directory.join(path)) {
            Ok(before) if before == *text => ChangeKind::Same,
            Ok(_) => ChangeKind::Changed,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ChangeKind::New,
            Err(error) => {
                return Err(
                    Failure::new(format!("cannot read {}: {error}", directory.join(path).display())).into()
                );
            }
        };
        changes.push((path, fate));
    }
    let others = foreign_entries(&directory, &composition)?;
    if !others.is_empty() {
        let words = format!("{} has more than the composition: {}", directory.display(), others.join(", "));
        return Err(Failure::new(words)
            .with_hint("opm would read it as a part of the catalog: remove it, or name it")
            .into());
    }
    let differs = changes.iter().any(|(_, fate)| *fate != ChangeKind::Same);
    if differs && !args.check {
        let files: Vec<(&Path, &[u8])> =
            texts.iter().map(|(path, text)| (path.as_path(), text.as_slice())).collect();
        let saved =
            save::save_tree(&directory, &files, Overwrite::Allowed, &mut DirectoryLock::with_default_state());
        saved.map_err(|error| Failure::new(error.to_string()).with_hint(error.hint()))?;
    }
    for (path, fate) in changes {
        let word = match fate {
            ChangeKind::New => "new",
            ChangeKind::Changed => "changed",
            ChangeKind::Same => "same",
        };
        out.print(&format!(
            "{word:7}  {}\n",
            escape::escape_line(&directory.join(path).display().to_string())
        ))?;
    }
    Ok(if args.check { Outcome::from(differs) } else { Outcome::Fine })
}

/// Returns the location of the catalog of a reference: a path relative to the composition's folder, on disk
/// or in its revision, or an image.
fn locate_catalog(reference: &Reference, file: &Path) -> PathBuf {
    let given = PathBuf::from(&reference.image);
    if let Some(composition) = revision::parse_revision(file) {
        if is_image_reference(&given) || revision::parse_revision(&given).is_some() || given.is_absolute() {
            return given;
        }
        let folder = composition.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let path = Some(folder.join(given));
        return PathBuf::from(Revision { revision: composition.revision, path }.label());
    }
    let beside = file.parent().unwrap_or(Path::new("")).join(&given);
    if beside.exists() { beside } else { given }
}

fn open_reference(reference: &Reference, args: &Args) -> anyhow::Result<Catalog> {
    let path = locate_catalog(reference, &args.file);
    let catalog = source::open_catalog(Some(&path), &args.images).map_err(|error| {
        match error.downcast::<Failure>() {
            Ok(failure) => failure.with_label(&reference.name).into(),
            Err(error) => error,
        }
    })?;
    source::check_published(&catalog).map_err(|failure| failure.with_label(&reference.name))?;
    if catalog.template().is_some() {
        return Err(Failure::new(format!(
            "{}: opm cannot read {} as a catalog",
            reference.name, reference.image
        ))
        .with_hint("olmap validate shows what is wrong with it")
        .into());
    }
    Ok(catalog)
}

fn render_yaml(catalog: &Catalog) -> String {
    let ids: Vec<_> = catalog.documents().collect();
    let documents: Vec<Node<'_>> =
        ids.into_par_iter().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect();
    canonical::render_documents(&documents, RenderFormat::Yaml)
}

/// Refuses a package that two references contain.
fn check_conflicts(homes: &BTreeMap<String, Vec<&str>>) -> Result<(), Failure> {
    let twice = |(package, homes): (&String, &Vec<&str>)| {
        (homes.len() > 1).then(|| format!("package {package} is in {}", homes.join(" and ")))
    };
    refuse_if_any(
        "nothing is written: packages are there twice",
        &homes.iter().filter_map(twice).collect::<Vec<_>>(),
    )
}

/// Refuses a result that opm rejects.
fn check_merged(texts: &BTreeMap<PathBuf, Vec<u8>>) -> Result<(), Failure> {
    let texts = texts.iter().map(|(path, text)| (path.clone(), text.clone()));
    let whole = load::from_texts(Origin::Stdin, texts);
    refuse_if_any("nothing is written: opm rejects the whole", &olm_check::rejection_messages(&whole))
}

fn refuse_if_any(why: &str, reasons: &[String]) -> Result<(), Failure> {
    if reasons.is_empty() {
        return Ok(());
    }
    let mut lines: Vec<String> =
        reasons.iter().take(MAX_SHOWN).map(|reason| format!("  {}\n", escape::escape_line(reason))).collect();
    if let Some(more) = reasons.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more\n"));
    }
    Err(Failure::new(why).with_detail(lines.concat()))
}

/// Returns the entries of the directory that do not belong to the composition.
fn foreign_entries(directory: &Path, composition: &Composition) -> Result<Vec<String>, Failure> {
    let listed = match fs::read_dir(directory) {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::new(format!("cannot read {}: {error}", directory.display()))),
    };
    let mut others = Vec::new();
    for entry in listed.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if composition.references.iter().any(|reference| reference.name == name) {
            let inside = fs::read_dir(entry.path()).into_iter().flatten().flatten();
            let more = inside.map(|entry| entry.file_name().to_string_lossy().into_owned());
            others.extend(more.filter(|file| file != INDEX_FILE).map(|file| format!("{name}/{file}")));
        } else if name != ".indexignore" {
            others.push(name);
        }
    }
    others.sort();
    Ok(others)
}
