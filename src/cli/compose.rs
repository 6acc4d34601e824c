//! `olmap compose`: merges catalogs into one, with a folder for each.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs};

use serde::Deserialize;

use super::{Failure, Out, Outcome, escape_path, image, list_reasons, output, revision, source};
use olm_catalog::load::{self, regular_file};
use olm_catalog::{Catalog, Node, Origin, load::git::Revision, similar_names, text::yaml};
use olm_edit::save::Overwrite;
use olm_source::is_image_reference;

/// File name for each reference, as `opm render IMAGE > NAME/REFERENCE/index.yaml` makes it.
const INDEX_FILE: &str = "index.yaml";

/// Maximum number of conflicts that are shown.
const MAX_SHOWN: usize = 10;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
olmap writes nothing unless it can read all references and opm accepts the result.

Examples:
  olmap compose catalog.yaml                    writes NAME/REFERENCE/index.yaml
  olmap compose catalog.yaml --check            what would change
  olmap compose catalog.yaml --out catalogs/community
  olmap compose git:v1.0:catalog.yaml --check   the composition at a revision

Exit code: 0 ok, 1 with --check: something would change, 2 failed.";

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
    for key in &composition.unknown_keys {
        let words = format!("{}:{}: olmap does not read the key {}", args.file.display(), key.line, key.name);
        let hint = key.suggestion.map(|meant| format!("did you mean {meant}?"));
        out.print_warning(&words, hint.as_deref());
    }
    let directory = args.out.clone().unwrap_or_else(|| PathBuf::from(&composition.name));
    let mut texts: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    let mut homes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for reference in &composition.references {
        if reference.has_tag() {
            let words = format!("{}: {} has a tag, which may move", reference.name, reference.image);
            out.print_warning(&words, Some("a digest makes the same catalog tomorrow"));
        }
        let catalog = open_reference(reference, args)?;
        for package in source::named_packages(&catalog) {
            homes.entry(package.name.to_string()).or_default().push(&reference.name);
        }
        texts.insert(Path::new(&reference.name).join(INDEX_FILE), source::render_yaml(&catalog).into_bytes());
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
        output::write_tree(&directory, &files, Overwrite::Allowed)?;
    }
    for (path, fate) in changes {
        let word = match fate {
            ChangeKind::New => "new",
            ChangeKind::Changed => "changed",
            ChangeKind::Same => "same",
        };
        out.print(&format!("{word:7}  {}\n", escape_path(&directory.join(path))))?;
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
    Err(Failure::new(why).with_detail(list_reasons(reasons, MAX_SHOWN)))
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

/// Maximum size of the file in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// Catalogs that are merged into one.
#[derive(Debug, Deserialize)]
pub(super) struct Composition {
    /// Name of the composition and of its directory.
    pub name: String,
    /// Catalogs to merge.
    pub references: Vec<Reference>,
    /// Keys that are not read, in file order.
    #[serde(skip)]
    pub unknown_keys: Vec<UnknownKey>,
}

/// Key of a composition that is not read.
#[derive(Debug)]
pub(super) struct UnknownKey {
    name: String,
    line: usize,
    /// Similar known key.
    suggestion: Option<&'static str>,
}

/// Keys of a composition. Programs that publish the catalog read `repo` and `tag`.
const COMPOSITION_KEYS: [&str; 4] = ["name", "repo", "tag", "references"];
/// Keys of a reference.
const REFERENCE_KEYS: [&str; 2] = ["name", "image"];

/// Catalog of a composition.
#[derive(Debug, Deserialize)]
pub(super) struct Reference {
    /// Folder for the catalog.
    pub name: String,
    /// Location of the catalog: an image, layout, directory or file.
    pub image: String,
}

impl Composition {
    /// Reads a composition.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let label = path.display().to_string();
        let failed = |why: String| Failure::new(format!("cannot read {label}: {why}"));
        let bytes = match revision::parse_revision(path) {
            Some(revision) => revision::read_file(&revision)?,
            None => regular_file::read_regular(path, MAX_SIZE).map_err(|error| failed(error.to_string()))?,
        };
        Self::parse(&bytes, &label).map_err(|(place, failure)| {
            Failure::in_file(path, place.map(|(line, column)| (line, Some(column))), failure)
        })
    }

    /// Parses a composition. `label` names it in messages. An error includes its line and column if they are
    /// known.
    pub fn parse(bytes: &[u8], label: &str) -> Result<Self, (Option<(usize, usize)>, Failure)> {
        let mut read: Self = serde_yaml::from_slice(bytes).map_err(|error| {
            let failure = Failure::new(format!("cannot read {label}: {error}"))
                .with_hint("a composition has name and references: [{name: ..., image: ...}]");
            (error.location().map(|at| (at.line(), at.column())), failure)
        })?;
        let wrong = |what: &str| (None, Failure::new(format!("{label}: {what}")));
        if read.references.is_empty() {
            return Err(wrong("it has no references"));
        }
        let names = read.references.iter().map(|reference| reference.name.as_str());
        if let Some(name) = names.clone().chain([read.name.as_str()]).find(|name| !is_folder_name(name)) {
            return Err(wrong(&format!("{name:?} cannot be the name of a folder")));
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(name) = names.into_iter().find(|name| !seen.insert(name.to_lowercase())) {
            return Err(wrong(&format!("two references are called {name}")));
        }
        read.unknown_keys = find_unknown_keys(bytes);
        Ok(read)
    }
}

/// Returns the keys of a composition and of its references that are not read.
fn find_unknown_keys(bytes: &[u8]) -> Vec<UnknownKey> {
    let Ok(root) = yaml::parse_yaml(bytes) else { return Vec::new() };
    let mut unknown = Vec::new();
    let mut collect = |node: &Node<'_>, known: &[&'static str]| {
        for member in node.members().iter().filter(|member| !known.contains(&member.key.as_ref())) {
            let before = bytes.get(..member.key_span.range().start).unwrap_or(bytes);
            unknown.push((
                member.key_span.range().start,
                UnknownKey {
                    name: member.key.to_string(),
                    line: 1 + memchr::memchr_iter(b'\n', before).count(),
                    suggestion: similar_names::suggest_closest(&member.key, known.iter().copied()),
                },
            ));
        }
    };
    collect(&root, &COMPOSITION_KEYS);
    for reference in root.get("references").map(Node::items).unwrap_or_default() {
        collect(reference, &REFERENCE_KEYS);
    }
    unknown.sort_by_key(|(start, _)| *start);
    unknown.into_iter().map(|(_, key)| key).collect()
}

/// Returns true if a name is valid for a folder on all systems.
fn is_folder_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.chars().all(is_plain)
}

impl Reference {
    /// Returns true if the image is referenced by a tag, which may move.
    pub fn has_tag(&self) -> bool {
        let image = self.image.strip_prefix("docker://").unwrap_or(&self.image);
        let is_local = ["oci:", "oci-archive:", "docker-archive:", "dir:", "git:"]
            .iter()
            .any(|kind| image.starts_with(kind));
        let last = image.rsplit('/').next().unwrap_or_default();
        !is_local
            && !image.contains("://")
            && image.contains('/')
            && !image.contains('@')
            && last.contains(':')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_cannot_leave_the_folder() {
        for name in ["etcd-operator", "a.b_c", "4.20"] {
            assert!(is_folder_name(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "a\\b", "/etc", ".hidden", "a b", "a\n"] {
            assert!(!is_folder_name(name), "{name:?}");
        }
    }

    #[test]
    fn tag_may_move_and_digest_may_not() {
        let has_tag = |image: &str| Reference { name: String::new(), image: image.to_owned() }.has_tag();
        for image in ["quay.io/a/b:v1", "docker://127.0.0.1:5000/a:v1"] {
            assert!(has_tag(image), "{image}");
        }
        for image in [
            "quay.io/a/b@sha256:0",
            "../catalog",
            "git:release/4.18:catalog",
            "oci:dir:v1",
            "oci-archive:a/b.tar:v1",
            "https://a/b",
        ] {
            assert!(!has_tag(image), "{image}");
        }
    }
}
