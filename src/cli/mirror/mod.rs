//! `olmap mirror`: effect of oc-mirror v2 on a catalog.

mod check;
mod filter;

use std::path::Path;

use anyhow::Context as _;

use super::{failure::Failure, out::Out, outcome::Outcome, source};
use crate::cli::failure;
use olm_catalog::{Catalog, load::regular_file};
use olm_plan::mirror::{self, MirrorError, Section};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap mirror filter catalog -f imageset.yaml              the remaining entries of each channel
  olmap mirror filter catalog -f imageset.yaml -o yaml

  olmap mirror check imageset.yaml catalog                  stranded versions, and the line to change
  olmap mirror check imageset.yaml catalog --installed tide.v1.2.0@stable

Exit code: 0 ok, 1 check: users lose upgrades, 2 failed, or oc-mirror rejects the configuration.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that oc-mirror v2 would publish.
    Filter(filter::Args),
    /// Check which installed versions lose upgrades on the mirror, and which line to change.
    Check(check::Args),
}

/// Returns the error for a catalog that oc-mirror refuses, with the first unreadable part of the catalog.
fn mirror_failure(catalog: &Catalog, fault: &MirrorError) -> Failure {
    let label = catalog.origin.label();
    let reason = match source::first_unread(catalog) {
        Some(first) if *fault == MirrorError::Unreadable => format!("{fault}: {first}"),
        _ => fault.to_string(),
    };
    Failure::new(format!("oc-mirror refuses {label}: {reason}")).with_optional_hint(fault.hint())
}

pub fn run_mirror(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Filter(args) => filter::run_mirror_filter(args, out),
        Command::Check(args) => check::run_mirror_check(args, out),
    }
}

/// Reads the sections of a configuration from a file or standard input.
fn load_sections(file: &Path) -> anyhow::Result<(Vec<u8>, Vec<Section>)> {
    let bytes = if file.as_os_str() == source::STDIN {
        source::read_stdin()?
    } else {
        regular_file::read_regular(file, regular_file::MAX_HANDWRITTEN_SIZE)
            .with_context(|| format!("cannot read {}", file.display()))?
    };
    let sections = mirror::parse_configuration(&bytes).map_err(|broken| {
        let failure =
            Failure::new(format!("{}, {broken}", file_label(file))).with_optional_hint(broken.kind.hint());
        Failure::in_file(file, Some((broken.line, None)), failure)
    })?;
    Ok((bytes, sections))
}

/// Returns the display name of a file.
fn file_label(file: &Path) -> String {
    if file.as_os_str() == source::STDIN { "standard input".to_owned() } else { file.display().to_string() }
}

/// Returns the section with a number (from 1), with a catalog, or the only one.
fn select_section(sections: Vec<Section>, operator: Option<&str>) -> Result<Section, Failure> {
    let choice = |sections: &[Section]| {
        format!("choose one with --operator: {}", failure::join_names(sections.iter().map(|s| &*s.catalog)))
    };
    let Some(wanted) = operator else {
        return match <[Section; 1]>::try_from(sections) {
            Ok([only]) => Ok(only),
            Err(none) if none.is_empty() => Err(Failure::new("the configuration mirrors no catalog")),
            Err(several) => {
                Err(Failure::new("the configuration mirrors several catalogs").with_hint(choice(&several)))
            }
        };
    };
    let at = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let found = sections.iter().position(|section| section.catalog == wanted).or(at);
    match found.and_then(|at| sections.get(at)) {
        Some(section) => Ok(section.clone()),
        None => {
            Err(Failure::new(format!("the configuration has no catalog {wanted}"))
                .with_hint(choice(&sections)))
        }
    }
}
