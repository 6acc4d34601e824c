//! Options about output: formats, `-o, --output FORMAT`, `--to PATH` and `--also FORMAT=FILE`.
//!
//! Commands that write files have their target in `--to`. Earlier versions used `-o PATH` for it; such a
//! value is still accepted, with a warning.

use std::path::{Path, PathBuf};
use std::{collections::HashSet, ffi::OsStr, marker::PhantomData};

use clap::builder::{EnumValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ValueEnum};
use serde::Serialize;

use super::{Failure, Out};
use crate::runtime;
use olm_catalog::Origin;
use olm_edit::save::{self, DirectoryLock, Overwrite, SaveError, Saved};
use olmap_report::{Style, escape, json, log, table::Table};

/// Formats of commands that print text or JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TextOrJson {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
}

/// Formats of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TableFormat {
    /// Human-readable table.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// Names only, each once on a line.
    Name,
}

/// Options of commands that print a table.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct TableArgs {
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    pub format: TableFormat,
    /// Print the table without its header.
    #[arg(long)]
    pub no_headers: bool,
}

impl TableArgs {
    /// Renders rows in the requested format. `name` returns the name of a row.
    pub fn render_rows<R: Serialize>(
        self,
        rows: &[R],
        table: impl FnOnce(&[R]) -> Table,
        name: impl Fn(&R) -> &str,
        style: &Style,
    ) -> String {
        match self.format {
            TableFormat::Json => json::to_pretty_json(&rows),
            TableFormat::Yaml => to_yaml(&rows),
            TableFormat::Name => render_names(rows.iter().map(name)),
            TableFormat::Text => match table(rows) {
                table if table.is_empty() => String::new(),
                table if self.no_headers => table.without_header().render(style),
                table => table.render(style),
            },
        }
    }
}

/// Returns a value as YAML, with the fields of its JSON.
pub fn to_yaml<T: Serialize>(value: &T) -> String {
    // Structs of strings and numbers always serialize.
    serde_yaml::to_string(value).unwrap_or_else(|error| format!("error: {:?}\n", error.to_string()))
}

/// Returns names, each once on a line, in their order.
pub fn render_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut seen = HashSet::new();
    let names = names.into_iter().filter(|name| seen.insert(*name));
    names.map(|name| format!("{}\n", escape::escape_line(name))).collect::<Vec<_>>().concat()
}

/// Formats of commands whose report may become a comment on a pull request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReportFormat {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// Markdown for a comment on a pull request.
    Markdown,
}

/// Formats of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FindingsFormat {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Markdown for a comment on a pull request.
    Markdown,
    /// GitHub Actions workflow commands.
    Github,
    /// Code Quality report, for GitLab merge requests.
    Gitlab,
    /// A line per finding: path:line:column: severity rule: text.
    Concise,
    /// `JUnit` XML, for Prow, Jenkins and GitLab.
    Junit,
    /// Reviewdog Diagnostic Format.
    Rdjson,
}

/// Returns JSON unchanged, or as YAML with the same fields if that is the format.
pub fn encode_json<F: ValueEnum + Copy>(format: F, json: String) -> String {
    if format.to_possible_value().is_none_or(|value| value.get_name() != "yaml") {
        return json;
    }
    // The JSON is our own, so it can be parsed.
    match serde_json::from_str::<serde_yaml::Value>(&json) {
        Ok(value) => to_yaml(&value),
        Err(error) => format!("error: {:?}\n", error.to_string()),
    }
}

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

/// Additional format and its output file.
#[derive(Clone, Debug)]
pub struct ExtraOutput<F> {
    pub format: F,
    file: PathBuf,
}

impl<F> ExtraOutput<F> {
    /// Refuses a file that opm would read as part of a catalog.
    pub fn check_target(&self, origin: &Origin) -> Result<(), Failure> {
        Ok(runtime::check_outside_catalog(origin, &self.file)?)
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
    out.print_warning(&words, Some(&format!("use --to {path}; -o is the output format")));
    Ok(())
}

/// Returns a parser of values by their names.
pub fn named_parser<T: Copy + Send + Sync + 'static>(
    values: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(values.iter().map(|value| name(*value)));
    names.try_map(move |given| {
        values.iter().copied().find(|value| name(*value) == given).ok_or("not one of the values")
    })
}

/// Returns the parser of `-o, --output`.
pub fn output_parser<F: ValueEnum + Send + Sync + 'static>() -> OutputParser<F> {
    OutputParser(PhantomData)
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

/// Writes a file, and replaces an existing one.
pub fn overwrite_file(path: &Path, text: &str) -> Result<(), Failure> {
    save::save_as(path, text.as_bytes(), Overwrite::Allowed, &mut DirectoryLock::with_default_state())?
        .ignore_warning();
    Ok(())
}

/// Writes files below a directory, all or none.
pub fn write_tree(directory: &Path, files: &[(&Path, &[u8])], overwrite: Overwrite) -> Result<(), Failure> {
    save::save_tree(directory, files, overwrite, &mut DirectoryLock::with_default_state())?.ignore_warning();
    Ok(())
}

/// Prints part of a report on standard error if its format cannot contain it.
pub fn print_remark(text: Option<&str>, out: &Out) {
    if let Some(text) = text {
        out.print_stderr(text);
    }
}

/// Converts an error of saving. The hint says if nothing was written.
pub fn save_failure(error: &SaveError) -> Failure {
    let nothing = if error.has_written() { "" } else { " Nothing was written." };
    let hint = match error {
        SaveError::NotOnDisk { .. } => "--to PATH writes the edited catalog elsewhere.",
        error => error.hint(),
    };
    Failure::new(error.to_string()).with_hint(format!("{hint}{nothing}"))
}

/// Warns if a save may be lost in a power failure.
pub fn warn_if_not_durable(saved: &Saved, out: &Out) {
    if saved.warning().is_some() {
        out.print_warning(&saved.to_string(), None);
    }
}
