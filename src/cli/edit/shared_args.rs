//! Arguments of all edits: catalogs, target and output.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::output::{self, Output};
use crate::cli::{Failure, Out, image, revision, source};
use olm_edit::save;

/// Target catalogs and output of an edit.
#[derive(Debug, clap::Args)]
pub struct Where {
    #[command(flatten)]
    catalogs: Catalogs,
    /// Package; optional if the catalog has only one package, or only one package has the bundle.
    #[arg(long, short = 'p', value_name = "NAME")]
    pub package: Option<String>,
    /// Skip catalogs that the edit does not apply to; at least one must remain.
    #[arg(long = "where-possible")]
    pub if_possible: bool,
    /// Write nothing, only show what would change.
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Write nothing and exit with 1 if the edit brings new errors or leaves users worse off, for
    /// example by a downgrade.
    #[arg(long)]
    pub deny: bool,
    /// Write the edited catalog to another file or directory, which must not exist.
    #[arg(long = "to", value_name = "PATH")]
    target: Option<PathBuf>,
    /// Output format [default: text].
    #[arg(long, short = 'o', value_name = "FORMAT", value_parser = output::output_parser::<Format>())]
    output: Option<Output<Format>>,
    #[arg(long, value_name = "FORMAT", hide = true)]
    format: Option<Format>,
    #[command(flatten)]
    pub images: image::Args,
}

/// Catalogs to edit.
#[derive(Debug, clap::Args)]
struct Catalogs {
    /// Catalogs: directories, files, or - for standard input. olmap edits all of them, or none.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Edit all catalogs found here; for edit template, all semver templates.
    #[arg(long, conflicts_with = "paths")]
    all: bool,
}

/// Kind of files that an operation edits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditKind {
    Catalogs,
    SemverTemplates,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Human-readable text: changes of findings and users.
    Text,
    /// Diff for git apply and patch -p1.
    Diff,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
}

impl Where {
    /// Returns true if a catalog comes from standard input.
    pub fn has_stdin(&self) -> bool {
        self.catalogs.paths.iter().any(source::is_stdin)
    }

    /// Returns true if the edited catalog goes to standard output.
    pub fn is_stdin(&self) -> bool {
        self.target_path().is_none() && self.has_stdin()
    }

    /// Returns true if files are written.
    pub fn writes(&self) -> bool {
        !self.dry_run && !self.is_stdin()
    }

    /// Returns the file or directory to write to instead of the catalog itself.
    pub fn target_path(&self) -> Option<&Path> {
        output::target_path(self.output.as_ref(), self.target.as_deref())
    }

    pub fn format(&self) -> Format {
        output::format(self.output.as_ref(), self.format, Format::Text)
    }

    /// Warns if `-o` has a path, as in earlier versions. Refuses it together with `--to`.
    pub fn check_output(&self, out: &Out) -> Result<(), Failure> {
        output::check_output_path(self.output.as_ref(), self.target.is_some(), out)
    }

    /// Returns the catalogs to edit: the given ones, all discovered ones, or the one of the current
    /// directory.
    pub fn catalog_paths(&self, kind: EditKind) -> Result<Vec<PathBuf>, Failure> {
        if self.catalogs.all {
            return match kind {
                EditKind::Catalogs => source::all_catalogs(),
                EditKind::SemverTemplates => source::all_semver_templates(),
            };
        }
        for path in &self.catalogs.paths {
            revision::refuse_revision(path, "edit cannot change it")?;
        }
        if self.catalogs.paths.is_empty() {
            Ok(vec![source::current_catalog()?])
        } else {
            Ok(self.catalogs.paths.clone())
        }
    }

    /// Returns the directories of the edited catalogs.
    pub fn roots(&self, kind: EditKind) -> Result<Vec<PathBuf>, Failure> {
        if self.target_path().is_some() {
            return Ok(Vec::new());
        }
        Ok(save::catalog_roots(&self.catalog_paths(kind)?))
    }
}
