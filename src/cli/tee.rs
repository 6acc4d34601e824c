//! `--also FORMAT=FILE`: writes the same result in another format without a second run.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{failure::Failure, out::Out};
use crate::{runtime, tui::UserError};
use olm_catalog::Origin;
use olm_edit::save::{self, DirectoryLock, Overwrite};
use olmap_report::log;

/// Additional format and its output file.
#[derive(Clone, Debug)]
pub struct ExtraOutput<F> {
    pub format: F,
    file: PathBuf,
}

/// Parses `FORMAT=FILE`.
pub fn parse_extra_output<F: ValueEnum>(text: &str) -> Result<ExtraOutput<F>, String> {
    let (format, file) =
        text.split_once('=').filter(|(_, file)| !file.is_empty()).ok_or("not FORMAT=FILE")?;
    let formats = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = formats.map(|format| format.get_name().to_owned()).collect();
    let format =
        F::from_str(format, false).map_err(|_| format!("no format {format}: {}", names.join(", ")))?;
    Ok(ExtraOutput { format, file: file.into() })
}

impl<F> ExtraOutput<F> {
    /// Refuses a file that opm would read as part of a catalog.
    pub fn check_target(&self, origin: &Origin) -> Result<(), Failure> {
        let outside = runtime::check_outside_catalog(origin, &self.file);
        outside.map_err(|UserError { message, hint }| Failure::new(message).with_optional_hint(hint))
    }

    /// Writes text for people, or a document. Runner commands in it are escaped.
    pub fn write_text(&self, text: &str) -> Result<(), Failure> {
        overwrite_file(&self.file, &log::escape_log_text(text, false))
    }

    /// Writes commands for a runner.
    pub fn write_commands(&self, commands: &olmap_report::github::Commands) -> Result<(), Failure> {
        overwrite_file(&self.file, commands.as_str())
    }
}

fn overwrite_file(file: &Path, text: &str) -> Result<(), Failure> {
    save::save_as(file, text.as_bytes(), Overwrite::Allowed, &mut DirectoryLock::with_default_state())
        .map_err(|error| Failure::new(error.to_string()).with_hint(error.hint()))?
        .ignore_warning();
    Ok(())
}

/// Prints part of a report on standard error if its format cannot contain it.
pub fn print_remark(text: Option<&str>, out: &Out) {
    if let Some(text) = text {
        out.print_stderr(text);
    }
}
