//! `-o, --output FORMAT` of commands that write files, whose target is `--to PATH`. Earlier versions used `-o
//! PATH` for the target; such a value is still accepted, with a warning.

use std::{
    ffi::OsStr,
    marker::PhantomData,
    path::{Path, PathBuf},
};

use clap::{
    Arg, ValueEnum,
    builder::{EnumValueParser, PossibleValue, TypedValueParser},
};

use super::{failure::Failure, out::Out, source};

/// Format names that are never interpreted as a path.
const FORMAT_NAMES: [&str; 7] = ["text", "json", "jsonl", "yaml", "markdown", "html", "diff"];

/// Value of `-o, --output`: a format, or a path as in earlier versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output<F> {
    Format(F),
    Path(PathBuf),
}

impl<F: Copy> Output<F> {
    fn format(&self) -> Option<F> {
        match self {
            Self::Format(format) => Some(*format),
            Self::Path(_) => None,
        }
    }
}

impl<F> Output<F> {
    /// Returns the path, if the value is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Format(_) => None,
            Self::Path(path) => Some(path),
        }
    }
}

/// Returns the format of `-o`, or of its old name `--format`.
pub fn format<F: Copy>(output: Option<&Output<F>>, format: Option<F>, default: F) -> F {
    output.and_then(Output::format).or(format).unwrap_or(default)
}

/// Returns the target of `--to`, or of its old name `-o`.
pub fn target_path<'a, F>(output: Option<&'a Output<F>>, to: Option<&'a Path>) -> Option<&'a Path> {
    to.or_else(|| output.and_then(Output::path))
}

/// Warns if `-o` has a path. Refuses a path together with `--to`.
pub fn check_output_path<F>(output: Option<&Output<F>>, has_to: bool, out: &Out) -> Result<(), Failure> {
    let Some(path) = output.and_then(Output::path) else { return Ok(()) };
    let path = path.display();
    if has_to {
        return Err(Failure::new(format!("-o {path} is not a format, and --to names the place already")));
    }
    let words = format!("-o {path} is not a format, so it is taken as the path to write");
    source::print_warning(&words, Some(&format!("use --to {path}; -o is the output format")), out);
    Ok(())
}

/// Returns the parser of `-o, --output`.
pub fn output_parser<F: ValueEnum + Send + Sync + 'static>() -> OutputParser<F> {
    OutputParser(PhantomData)
}

/// Parser of `-o, --output` that lists the formats in help.
pub struct OutputParser<F>(PhantomData<fn() -> F>);

impl<F> Clone for OutputParser<F> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<F: ValueEnum + Send + Sync + 'static> TypedValueParser for OutputParser<F> {
    type Value = Output<F>;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let name = value.to_str().unwrap_or_default();
        let is_format = value.is_empty()
            || FORMAT_NAMES.contains(&name)
            || F::value_variants().iter().filter_map(F::to_possible_value).any(|of| of.matches(name, false));
        if is_format {
            let format = EnumValueParser::<F>::new().parse_ref(command, argument, value);
            return format.map(Output::Format);
        }
        Ok(Output::Path(PathBuf::from(value)))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(F::value_variants().iter().filter_map(F::to_possible_value)))
    }
}
