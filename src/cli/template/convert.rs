//! `olmap template convert`: derives a template from a catalog.

use std::{fmt::Write as _, path::PathBuf};

use clap::ValueEnum;

use super::faults::Input;
use crate::{
    catalog::text::canonical::RenderFormat,
    cli::{failure::Failure, image, out::Out, outcome::Outcome, source},
    export::plain,
    template::{self, ConvertTo, Inferred},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to make: basic and substitutes as opm does; semver where the channels are those that such a template
    /// makes.
    #[arg(value_name = "TYPE")]
    to: To,
    /// The catalog: a file, or - for standard input. For semver a directory too.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Only for semver: the package, where the catalog has several.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Only for semver: print the nearest template even if it makes other channels, and say which edges differ.
    #[arg(long)]
    nearest: bool,
    /// Output format; semver is always YAML.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum To {
    /// The objects, of each bundle the image only.
    Basic,
    /// Lists of images.
    Semver,
    /// The objects, with no substitution yet.
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
const SHOWN: usize = 30;

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let to = match args.to {
        To::Basic => ConvertTo::Basic,
        To::Substitutes => ConvertTo::Substitutes,
        To::Semver => return semver(args, out),
    };
    if args.nearest || args.package.is_some() {
        return Err(Failure::new("--nearest and --package are only for semver").into());
    }
    let format = match args.format {
        Format::Yaml => RenderFormat::Yaml,
        Format::Json => RenderFormat::Json,
    };
    let input = Input::read(&args.path)?;
    let text = template::convert(&input.bytes, to, format)
        .map_err(|faults| input.refusal("nothing converted", &faults))?;
    out.print_exact(&text)?;
    Ok(Outcome::Fine)
}

fn semver(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.format == Format::Json {
        return Err(Failure::new("a semver template is written as YAML only").into());
    }
    let catalog = source::one(Some(&args.path), &args.images)?;
    source::check_whole(&catalog, |name| args.package.as_ref().is_none_or(|asked| name == asked.as_str()))?;
    let package = source::package(&catalog, args.package.as_deref())?;
    let inferred = template::infer(package)
        .map_err(|error| Failure::new(format!("no semver template makes this: {error}")))?;
    let lines = differences(&inferred);
    if !inferred.differences.is_empty() && !args.nearest {
        let reason = format!("no semver template makes package {} as it is", package.name);
        return Err(Failure::new(reason)
            .detail(lines)
            .hint("--nearest prints the nearest template all the same")
            .into());
    }
    if !inferred.differences.is_empty() {
        source::warn("a catalog made of this template differs:", None, out);
        out.error(&lines);
    }
    out.print_exact(&inferred.template)?;
    Ok(Outcome::Fine)
}

/// Lists the differences, one per line.
fn differences(inferred: &Inferred) -> String {
    let mut lines = String::new();
    for difference in inferred.differences.iter().take(SHOWN) {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "  {}", plain::line(&difference.to_string()));
    }
    if let Some(more) = inferred.differences.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(lines, "  and {more} more");
    }
    lines
}
