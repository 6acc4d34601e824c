//! `olmap template convert`: derives a template from a catalog.

use std::{fmt::Write as _, path::PathBuf};

use clap::ValueEnum;

use super::TemplateInput;
use crate::cli::{failure::Failure, image, out::Out, outcome::Outcome, source};
use olm_bundle::template::{self, ConvertTo, Inferred};
use olm_catalog::text::canonical::RenderFormat;
use olmap_report::escape;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Type of template: basic and substitutes as in opm, or semver if such a template can generate
    /// the channels.
    #[arg(value_name = "TYPE")]
    to: TargetFormat,
    /// Catalog file, or - for standard input. For semver also a directory.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Only for semver: package, if the catalog has several.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Only for semver: print the nearest template even if it generates other channels, and list
    /// the edges that differ.
    #[arg(long)]
    nearest: bool,
    /// Output format; semver is always YAML.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum TargetFormat {
    /// Objects; bundles have only their image.
    Basic,
    /// Lists of bundle images.
    Semver,
    /// Objects, without substitutions.
    Substitutes,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

/// Maximum number of differences that are shown.
const MAX_SHOWN: usize = 30;

pub fn run_template_convert(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let to = match args.to {
        TargetFormat::Basic => ConvertTo::Basic,
        TargetFormat::Substitutes => ConvertTo::Substitutes,
        TargetFormat::Semver => return convert_to_semver(args, out),
    };
    if args.nearest || args.package.is_some() {
        return Err(Failure::new("--nearest and --package are only for semver").into());
    }
    let format = match args.format {
        Format::Yaml => RenderFormat::Yaml,
        Format::Json => RenderFormat::Json,
    };
    let input = TemplateInput::load(&args.path)?;
    let text = template::convert_catalog(&input.bytes, to, format)
        .map_err(|faults| input.refusal("nothing converted", &faults))?;
    out.print_exact(&text)?;
    Ok(Outcome::Fine)
}

fn convert_to_semver(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.format == Format::Json {
        return Err(Failure::new("a semver template is written as YAML only").into());
    }
    let catalog = source::open_catalog(Some(&args.path), &args.images)?;
    source::check_complete(&catalog, |name| {
        args.package.as_ref().is_none_or(|asked| name == asked.as_str())
    })?;
    let package = source::select_package(&catalog, args.package.as_deref())?;
    let inferred = template::infer_template(package)
        .map_err(|error| Failure::new(format!("no semver template makes this: {error}")))?;
    let lines = format_differences(&inferred);
    if !inferred.differences.is_empty() && !args.nearest {
        let reason = format!("no semver template makes package {} as it is", package.name);
        return Err(Failure::new(reason)
            .with_detail(lines)
            .with_hint("--nearest prints the nearest template anyway")
            .into());
    }
    if !inferred.differences.is_empty() {
        source::print_warning("a catalog made of this template differs:", None, out);
        out.print_stderr(&lines);
    }
    out.print_exact(&inferred.template)?;
    Ok(Outcome::Fine)
}

/// Lists the differences, one per line.
fn format_differences(inferred: &Inferred) -> String {
    let mut lines = String::new();
    for difference in inferred.differences.iter().take(MAX_SHOWN) {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "  {}", escape::escape_line(&difference.to_string()));
    }
    if let Some(more) = inferred.differences.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(lines, "  and {more} more");
    }
    lines
}
