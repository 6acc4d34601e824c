//! Where an edit is to be made, and how it is told of: what every operation of `olmap edit` understands.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::{
    cli::{failure::Failure, image, source},
    edit::save,
};

/// Where an edit is to be made, and how it is told of.
#[derive(Debug, clap::Args)]
pub struct Where {
    /// Catalogs: directories, files, or - for standard input. All of them are edited, or none.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The package; optional if the catalog has only one, or only one has the bundle.
    #[arg(long, value_name = "NAME")]
    pub package: Option<String>,
    /// Skip catalogs where the edit does not apply; at least one must remain.
    #[arg(long = "where-possible")]
    pub if_possible: bool,
    /// Write nothing, only show what would change.
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Write nothing if the edit brings new errors, and exit with 1.
    #[arg(long)]
    pub deny: bool,
    /// Write the edited catalog to another file or directory, which must not exist yet.
    #[arg(long, short, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    #[command(flatten)]
    pub images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// What changes for findings and users.
    Text,
    /// The changed lines, as git apply and patch -p1 take them.
    Diff,
    /// For programs; the format is in docs/cli.md.
    Json,
}

impl Where {
    /// Whether a catalog comes through standard input.
    pub fn has_stdin(&self) -> bool {
        self.paths.iter().any(|path| path.as_os_str() == source::STDIN)
    }

    /// Whether the edited catalog goes where it came from: through.
    pub fn is_stdin(&self) -> bool {
        self.output.is_none() && self.has_stdin()
    }

    /// Whether something is written, unless it is denied.
    pub fn writes(&self) -> bool {
        !self.dry_run && !self.is_stdin()
    }

    /// Refuses the name of a format as a place to write to: with other commands `-o` is a format.
    pub fn check_output(&self) -> Result<(), Failure> {
        let output = self.output.as_deref().and_then(|path| path.to_str());
        match output.filter(|name| ["text", "diff", "json", "yaml"].contains(name)) {
            None => Ok(()),
            Some(name) => Err(Failure::new(format!("-o {name}: with edit, -o is the output path"))
                .hint(format!("for the format use --format {name}, for a file of that name -o ./{name}"))),
        }
    }

    /// The catalogs to edit: those that are named, or the one that one stands in.
    pub fn catalogs(&self) -> Result<Vec<PathBuf>, Failure> {
        if self.paths.is_empty() { Ok(vec![source::here()?]) } else { Ok(self.paths.clone()) }
    }

    /// The directories of the catalogs that are edited.
    pub fn roots(&self) -> Result<Vec<PathBuf>, Failure> {
        if self.output.is_some() {
            return Ok(Vec::new());
        }
        Ok(save::roots(&self.catalogs()?))
    }
}
