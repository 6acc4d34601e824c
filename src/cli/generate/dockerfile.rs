//! `olmap generate dockerfile`.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write as _},
    path::{Component, Path, PathBuf},
};

use super::super::{failure::Failure, labels, out::Out, outcome::Outcome};
use olmap_report::{dockerfile::Dockerfile, escape};

/// Default of opm for both images.
const DEFAULT_IMAGE: &str = "quay.io/operator-framework/opm:latest";

#[derive(Debug, clap::Args)]
pub struct Args {
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

pub fn run_generate_dockerfile(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let directory = clean_path(&args.directory);
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
    let labels = labels::parse_labels(&args.extra_labels)?;
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
    out.print(&format!("wrote {}\n", escape::escape_line(&Path::new(&path).display().to_string())))?;
    Ok(Outcome::Fine)
}

/// Returns the shortest equivalent path, as Go's `filepath.Clean` does; `.` if nothing is left.
fn clean_path(path: &Path) -> PathBuf {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(clean_path(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
