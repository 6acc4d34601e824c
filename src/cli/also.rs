//! `--also FORMAT=FILE`: writes the same result in another format without a second run.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{failure::Failure, out::Out};
use crate::{
    app::Refusal,
    catalog::Origin,
    edit::save::{self, Lock, Overwrite},
    export::log,
    runtime,
};

/// Additional format and its output file.
#[derive(Clone, Debug)]
pub struct Also<F> {
    pub format: F,
    file: PathBuf,
}

/// Parses `FORMAT=FILE`.
pub fn parse<F: ValueEnum>(text: &str) -> Result<Also<F>, String> {
    let (format, file) =
        text.split_once('=').filter(|(_, file)| !file.is_empty()).ok_or("not FORMAT=FILE")?;
    let formats = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = formats.map(|format| format.get_name().to_owned()).collect();
    let format =
        F::from_str(format, false).map_err(|_| format!("no format {format}: {}", names.join(", ")))?;
    Ok(Also { format, file: file.into() })
}

impl<F> Also<F> {
    /// Refuses a file that opm would read as part of a catalog.
    pub fn check(&self, origin: &Origin) -> Result<(), Failure> {
        let outside = runtime::outside(origin, &self.file);
        outside.map_err(|Refusal { message, hint }| Failure::new(message).maybe_hint(hint))
    }

    /// Writes text for people, or a document. Runner commands in it are escaped.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        write(&self.file, &log::safe(text, false))
    }

    /// Writes commands for a runner.
    pub fn write_commands(&self, commands: &crate::export::github::Commands) -> Result<(), Failure> {
        write(&self.file, commands.as_str())
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    save::save_as(file, text.as_bytes(), Overwrite::Allowed, &mut Lock::usual())
        .map_err(|error| Failure::new(error.to_string()).hint(error.hint()))?;
    Ok(())
}

/// Prints part of a report on standard error if its format cannot contain it.
pub fn remark(text: Option<&str>, out: &Out) {
    if let Some(text) = text {
        out.error(text);
    }
}
