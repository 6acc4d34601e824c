//! `olmap generate bundle`: `annotations.yaml` and `bundle.Dockerfile`.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

use anyhow::Context as _;

use crate::cli::{failure::Failure, out::Out, outcome::Outcome, source};
use olm_bundle::{
    Tree, TreeFile,
    document::{self, DocumentError},
    generate::{Metadata, media_type},
};
use olm_catalog::load::regular_file;
use olm_edit::save::{self, DirectoryLock, Overwrite};
use olmap_report::escape;

/// Path of the annotations, relative to the parent of the manifests.
const ANNOTATIONS: &str = "metadata/annotations.yaml";
/// Name of the Dockerfile in the current directory.
const DOCKERFILE: &str = "bundle.Dockerfile";
/// Maximum size of a manifest in bytes.
const MAX_SIZE: u64 = 64 << 20;
/// Maximum depth of copied folders.
const MAX_DEPTH: usize = 16;

#[derive(Debug, clap::Args)]
pub struct Args {
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

pub fn run_generate_bundle(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let here = env::current_dir().context("cannot tell the current directory")?;
    let directory = clean_path(&here.join(&args.directory));
    if !directory.is_dir() {
        return Err(Failure::new(format!("no such directory: {}", args.directory.display()))
            .with_hint("-d names the directory of the manifests")
            .into());
    }
    let (Some(package), Some(channels)) =
        (non_empty(args.package.as_deref()), non_empty(args.channels.as_deref()))
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
        source::print_warning(&words, None, out);
    }
    let metadata = Metadata {
        media_type: media_type(&tree, ""),
        package: package.to_owned(),
        channels: channels.to_owned(),
        default_channel: args.default.clone().unwrap_or_default(),
    };
    let output = non_empty_path(args.output_dir.as_deref()).map(|output| clean_path(&here.join(output)));
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
        save::save_tree(
            folder,
            &[(Path::new(name), text.as_bytes())],
            Overwrite::Allowed,
            &mut DirectoryLock::with_default_state(),
        )
        .map_err(|error| Failure::new(error.to_string()).with_hint(error.hint()))?
        .ignore_warning();
        out.print(&format!("wrote {}\n", escape::escape_line(&relative_to(&here, &folder.join(name)))))?;
    }
    Ok(Outcome::Fine)
}

fn non_empty(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn non_empty_path(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !path.as_os_str().is_empty())
}

/// Reads the files directly in a folder, which determine the kind of bundle.
fn read_manifests(folder: &Path) -> anyhow::Result<Tree> {
    let mut files = Vec::new();
    let listed = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in listed {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let content =
                regular_file::read_regular(&entry.path(), MAX_SIZE).map_err(|error| error.to_string());
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
    save::check_links(output, inside).map_err(|error| Failure::new(error.to_string()).with_hint(error.hint()))
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
}
