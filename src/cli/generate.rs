//! Files that opm generates. `olmap generate`: metadata and Dockerfiles; `olmap init`: the `olm.package` of a
//! new catalog.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use std::{collections::BTreeMap, env};

use anyhow::Context as _;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::ValueEnum;
use serde_json::json;

use super::{Failure, Out, Outcome, escape_path, output, source};
use olm_bundle::document::{self, DocumentError};
use olm_bundle::generate::{Metadata, media_type};
use olm_bundle::{Tree, TreeFile};
use olm_catalog::icon;
use olm_catalog::load::{self, regular_file};
use olm_catalog::text::canonical::{self, RenderFormat};
use olm_edit::save::{self, Overwrite};
use olmap_report::dockerfile::{Dockerfile, split_comma_separated};
use olmap_report::escape;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap generate dockerfile catalog             catalog.Dockerfile beside the directory
  olmap generate dockerfile catalog -i scratch  only the files
  olmap generate dockerfile catalog -l quay.expires-after=1w
  olmap generate bundle -d tide/manifests -p tide -c stable,fast -e stable
  olmap generate bundle -d manifests -p tide -c stable -u out

Exit code: 0 ok, 2 failed.";

/// End of the help of `olmap init`: examples and exit codes.
pub const INIT_HELP: &str = "\
Examples:
  olmap init tide                               the olm.package of tide
  olmap init tide -c stable -d README.md -i icon.png -o json

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write the metadata of a bundle and the Dockerfile of its image, as opm alpha bundle generate
    /// does.
    Bundle(BundleArgs),
    /// Write DIR.Dockerfile beside the directory of a catalog, as opm does. olmap never overwrites
    /// a file.
    Dockerfile(DockerfileArgs),
}

/// Path of the annotations, relative to the parent of the manifests.
const ANNOTATIONS: &str = "metadata/annotations.yaml";

/// Name of the Dockerfile in the current directory.
const DOCKERFILE: &str = "bundle.Dockerfile";

/// Maximum size of a manifest in bytes.
const MAX_SIZE: u64 = 64 << 20;

/// Maximum depth of copied folders.
const MAX_DEPTH: usize = 16;

#[derive(Debug, clap::Args)]
struct BundleArgs {
    /// Directory with the manifests.
    #[arg(long, short, value_name = "DIR")]
    directory: PathBuf,
    /// Package.
    #[arg(long, short, value_name = "NAME")]
    package: Option<String>,
    /// Channels, separated by commas.
    #[arg(long, short, value_name = "CHANNELS")]
    channels: Option<String>,
    /// Default channel.
    #[arg(long, short = 'e', value_name = "CHANNEL")]
    default: Option<String>,
    /// Copy the manifests to this directory, and write the metadata beside them. Default: write the
    /// metadata beside the directory of the manifests.
    #[arg(long, short = 'u', value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Base image in the Dockerfile.
    #[arg(long, value_name = "IMAGE", default_value = "scratch")]
    base_image: String,
}

/// Default of opm for both images.
const DEFAULT_IMAGE: &str = "quay.io/operator-framework/opm:latest";

#[derive(Debug, clap::Args)]
struct DockerfileArgs {
    /// Directory of the catalog.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Image that serves the catalog; scratch: only the files.
    #[arg(long, short = 'i', value_name = "IMAGE", default_value = DEFAULT_IMAGE)]
    base_image: String,
    /// Image that builds the cache.
    #[arg(long, short = 'b', value_name = "IMAGE", default_value = DEFAULT_IMAGE)]
    builder_image: String,
    /// Additional labels, separated by commas; the last value of a label wins.
    #[arg(long, short = 'l', value_name = "NAME=VALUE")]
    extra_labels: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub struct InitArgs {
    /// Name of the package.
    #[arg(value_name = "NAME")]
    name: String,
    /// Default channel.
    #[arg(long, short = 'c', value_name = "CHANNEL", default_value = "")]
    default_channel: String,
    /// File with the description, usually README.md.
    #[arg(long, short = 'd', value_name = "FILE")]
    description: Option<PathBuf>,
    /// File with the icon, such as PNG, JPEG or GIF; opm does not accept SVG here.
    #[arg(long, short = 'i', value_name = "FILE")]
    icon: Option<PathBuf>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// YAML, `---` before the object.
    Yaml,
    /// JSON.
    Json,
}

pub fn run_generate(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Bundle(args) => run_generate_bundle(args, out),
        Command::Dockerfile(args) => run_generate_dockerfile(args, out),
    }
}

fn run_generate_bundle(args: &BundleArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let here = env::current_dir().context("cannot tell the current directory")?;
    let directory = clean_path(&here.join(&args.directory));
    if !directory.is_dir() {
        return Err(Failure::new(format!("no such directory: {}", args.directory.display()))
            .with_hint("-d names the directory of the manifests")
            .into());
    }
    let non_empty = |text: &&String| !text.is_empty();
    let (Some(package), Some(channels)) =
        (args.package.as_ref().filter(non_empty), args.channels.as_ref().filter(non_empty))
    else {
        return Err(Failure::new("the package and its channels must be given")
            .with_hint("-p PACKAGE -c CHANNEL[,CHANNEL...]")
            .into());
    };
    let tree = read_manifests(&directory)?;
    for file in &tree.files {
        let reason = match (&file.content, document::parse_first(file.content_or_empty())) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), Err(DocumentError::Unreadable(error))) => error.to_string(),
            (Ok(_), _) => continue,
        };
        let path = directory.join(&file.path);
        let words =
            format!("{} cannot be read, so the media type was decided without it: {reason}", path.display());
        out.print_warning(&words, None);
    }
    let metadata = Metadata {
        media_type: media_type(&tree, ""),
        package: package.to_owned(),
        channels: channels.to_owned(),
        default_channel: args.default.clone().unwrap_or_default(),
    };
    let output = args.output_dir.as_ref().filter(|path| !path.as_os_str().is_empty());
    let output = output.map(|output| clean_path(&here.join(output)));
    let (manifests, root) = match &output {
        Some(output) => (output.join("manifests"), output.clone()),
        None => (directory.clone(), directory.parent().unwrap_or(&directory).to_owned()),
    };
    let [shown, beside] = [&manifests, &root.join("metadata")].map(|path| relative_to(&here, path));
    let dockerfile = metadata
        .dockerfile(&args.base_image, &shown, &beside)
        .map_err(|error| Failure::new(error.to_string()))?;
    if let Some(output) = &output {
        copy_folder(&directory, &manifests, output, 0)?;
    }
    for (folder, name, text) in
        [(&root, ANNOTATIONS, metadata.annotations_yaml()), (&here, DOCKERFILE, dockerfile)]
    {
        output::write_tree(folder, &[(Path::new(name), text.as_bytes())], Overwrite::Allowed)?;
        out.print(&format!("wrote {}\n", escape::escape_line(&relative_to(&here, &folder.join(name)))))?;
    }
    Ok(Outcome::Fine)
}

/// Reads the files directly in a folder, which determine the kind of bundle.
fn read_manifests(folder: &Path) -> anyhow::Result<Tree> {
    let mut files = Vec::new();
    let listed = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in listed {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let content = regular_file::read_regular(&entry.path(), MAX_SIZE)
                .map(Into::into)
                .map_err(|error| error.to_string());
            files.push(TreeFile { path: entry.file_name().to_string_lossy().into_owned(), content });
        }
    }
    Ok(Tree::new(files, Vec::new()))
}

/// Copies a folder as opm does: the content of a subfolder is copied into a folder with the name of its
/// parent. Writes nothing outside of `output`.
fn copy_folder(from: &Path, to: &Path, output: &Path, depth: usize) -> anyhow::Result<()> {
    // Listed before anything is created, because the output may be inside the source.
    let listed = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    let mut entries =
        listed.collect::<Result<Vec<_>, _>>().with_context(|| format!("cannot read {}", from.display()))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    check_links(output, to)?;
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let is_output = to.starts_with(&path);
            if !is_output {
                if depth >= MAX_DEPTH {
                    anyhow::bail!(
                        "cannot copy {}: more than {MAX_DEPTH} folders lie inside each other",
                        path.display()
                    );
                }
                copy_folder(&path, &to.join(from.file_name().unwrap_or_default()), output, depth + 1)?;
            }
        } else {
            let target = to.join(entry.file_name());
            if target != path {
                check_links(output, &target)?;
                // Does not block on a file that is not regular, such as a pipe.
                let copied = regular_file::open_regular(&path).and_then(|mut from| {
                    let mut to = fs::File::create(&target)?;
                    std::io::copy(&mut from, &mut to)?;
                    to.set_permissions(from.metadata()?.permissions())
                });
                copied.with_context(|| format!("cannot copy {}", path.display()))?;
            }
        }
    }
    Ok(())
}

/// Refuses a path that leaves the output directory through a link.
fn check_links(output: &Path, path: &Path) -> Result<(), Failure> {
    let inside = path.strip_prefix(output).unwrap_or(path);
    Ok(save::check_links(output, inside)?)
}

/// Removes `.` and `..` from a path.
fn clean_path(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// Returns a path relative to a directory. Both must not contain `.` or `..`.
fn relative_to(here: &Path, path: &Path) -> String {
    let common = here.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = here.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(path.components().skip(common)).collect();
    if path.as_os_str().is_empty() { ".".to_owned() } else { path.display().to_string() }
}

fn run_generate_dockerfile(args: &DockerfileArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let directory = clean_go_path(&args.directory);
    if !directory.is_dir() {
        return Err(Failure::new(format!("{} is not a directory", directory.display()))
            .with_hint("give the directory of a catalog")
            .into());
    }
    // opm accepts an empty builder image, and then writes an invalid Dockerfile.
    if args.base_image.is_empty() {
        return Err(Failure::new("--base-image is empty").into());
    }
    if args.builder_image == "scratch" {
        return Err(Failure::new("the builder image is scratch, which has no opm to make the cache").into());
    }
    let labels = parse_labels(&args.extra_labels)?;
    let name = directory.file_name().map_or_else(|| directory.clone().into_os_string(), Into::into);
    let file = Dockerfile {
        builder: &args.builder_image,
        base: &args.base_image,
        dir: &name.to_string_lossy(),
        labels: &labels,
    };
    let mut path = directory.into_os_string();
    path.push(".Dockerfile");
    let text = file.render_dockerfile().map_err(|error| Failure::new(error.to_string()))?;
    write_new_file(Path::new(&path), &text)?;
    out.print(&format!("wrote {}\n", escape_path(Path::new(&path))))?;
    Ok(Outcome::Fine)
}

/// Returns the shortest equivalent path, as Go's `filepath.Clean` does; `.` if nothing is left.
fn clean_go_path(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match (part, clean.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                clean.pop();
            }
            _ => clean.push(part),
        }
    }
    if clean.as_os_str().is_empty() { PathBuf::from(".") } else { clean }
}

fn write_new_file(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let failure = Failure::new(format!("cannot write {}: {error}", path.display()));
        let is_there = error.kind() == ErrorKind::AlreadyExists;
        if is_there { failure.with_hint("nothing is written over it: move it away first") } else { failure }
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

/// Parses comma-separated `NAME=VALUE` pairs. The last value of a name wins.
pub fn parse_labels(given: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut labels = BTreeMap::new();
    for line in given {
        let fields = split_comma_separated(line)
            .map_err(|why| Failure::new(format!("--extra-labels {line:?}: {why}")))?;
        for field in fields {
            let Some((name, value)) = field.split_once('=') else {
                return Err(Failure::new(format!("--extra-labels: {field:?} is not NAME=VALUE")));
            };
            labels.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(labels)
}

pub fn run_init(args: &InitArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let mut package = json!({
        "schema": "olm.package",
        "name": args.name,
        "defaultChannel": args.default_channel,
    });
    if let Some(path) = &args.description {
        let text = read_input_file(path)?;
        package["description"] = String::from_utf8_lossy(&text).into();
    }
    if let Some(path) = &args.icon {
        let bytes = read_input_file(path)?;
        let kind = icon::media_type(&bytes).ok_or_else(|| {
            let name = escape_path(path);
            Failure::new(format!("{name} is not an image that opm init knows")).with_hint(
                "PNG, JPEG, GIF, WebP, BMP, ICO, TIFF or PSD; an SVG is written into the package by hand",
            )
        })?;
        package["icon"] = json!({ "base64data": STANDARD.encode(&bytes), "mediatype": kind });
    }
    let catalog = load::from_bytes(serde_json::to_vec(&package)?);
    let format = match args.format {
        Format::Yaml => RenderFormat::Yaml,
        Format::Json => RenderFormat::Json,
    };
    out.print_exact(&canonical::render_documents(&source::parse_documents(&catalog), format))?;
    Ok(Outcome::Fine)
}

fn read_input_file(path: &Path) -> Result<Vec<u8>, Failure> {
    regular_file::read_regular(path, MAX_SIZE)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_current_directory() {
        let cases = [("/a/b", "/a/b/c", "c"), ("/a/b", "/a/b", "."), ("/a/b", "/a/c/d", "../c/d")];
        for (here, path, expected) in cases {
            assert_eq!(relative_to(Path::new(here), &clean_path(Path::new(path))), expected);
        }
        assert_eq!(clean_path(Path::new("/a/./b/../c/")), PathBuf::from("/a/c"));
    }

    #[test]
    fn paths_are_cleaned_as_go_cleans_them() {
        for (path, expected) in [
            ("a/", "a"),
            ("./a//b/.", "a/b"),
            ("a/../b", "b"),
            ("a/..", "."),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/../a", "/a"),
            (".", "."),
        ] {
            assert_eq!(clean_go_path(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
