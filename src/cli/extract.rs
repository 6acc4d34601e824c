//! `olmap extract`: a valid subset of a catalog.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, iter::once};

use super::output::{self, Output};
use super::{Failure, Out, Outcome, TextOrJson, escape_path, image, join_names, list_reasons, source};
use crate::runtime::check_outside_catalog;
use olm_catalog::{Catalog, ChannelName, Origin, PackageName, load, problem::Problems};
use olm_edit::save::Overwrite;
use olm_plan::extract::{self, Extract, ExtractError, ExtractOptions, ExtractRequest};
use olmap_report::{Ink, extraction as export, json, omissions, range};

/// Maximum number of reasons that are shown.
const MAX_SHOWN: usize = 10;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
olmap also extracts what the result needs, and lists it: the default channel, and entries without which a channel
does not have a single head. RANGE has the syntax of OLM v1 ('>=1.2 <2', '~1.4'); quote it.

Examples:
  olmap extract lamp tide catalog --to mine     two packages
  olmap extract lamp:stable catalog --to mine   one channel, and the default channel
  olmap extract 'lamp:stable:>=1.2' catalog -n
  olmap extract lamp:fast catalog --default-channel fast --to mine
  olmap extract lamp catalog --with-dependencies --to mine

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Packages, channels, or version ranges of channels, quoted ('lamp:stable:>=1.2').
    /// `PACKAGE::RANGE` selects the range in every channel. The last argument is the catalog:
    /// directory, file, image, or - for standard input. A single argument is a package of the
    /// current catalog.
    #[arg(value_name = "PACKAGE[:CHANNEL[:RANGE]]", required = true)]
    words: Vec<PathBuf>,
    /// Directory to write, with a folder for each package; - for standard output, as one YAML
    /// stream.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["dry_run", "output"])]
    to: Option<PathBuf>,
    /// Write to a directory that is not empty, and replace files of the same name. Other files in
    /// it are an error.
    #[arg(long)]
    force: bool,
    /// Write nothing, only show what would be extracted.
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Set another default channel, which must be extracted: [PACKAGE:]CHANNEL. Without it, the
    /// default channel is extracted too. Can be repeated.
    #[arg(long = "default-channel", value_name = "[PACKAGE:]CHANNEL")]
    default_channels: Vec<String>,
    /// Also extract packages that bundles require and no other extracted package provides.
    #[arg(long)]
    with_dependencies: bool,
    /// Output format of the summary [default: text].
    #[arg(long, short = 'o', value_name = "FORMAT", value_parser = output::output_parser::<TextOrJson>())]
    output: Option<Output<TextOrJson>>,
    #[arg(long, value_name = "FORMAT", hide = true)]
    format: Option<TextOrJson>,
    #[command(flatten)]
    images: image::Args,
}

impl Args {
    fn format(&self) -> TextOrJson {
        output::format(self.output.as_ref(), self.format, TextOrJson::Text)
    }
}

pub fn run_extract(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    output::check_output_path(args.output.as_ref(), args.to.is_some(), out)?;
    let to = output::target_path(args.output.as_ref(), args.to.as_deref()).filter(|_| !args.dry_run);
    if to.is_none() && !args.dry_run {
        return Err(Failure::new("no place to write the catalog to")
            .with_hint("--to DIR names it; --dry-run only shows what would be taken")
            .into());
    }
    if let Some(directory) = to.filter(|path| !source::is_stdin(path)) {
        check_empty(directory, args.force)?;
    }
    if args.format() != TextOrJson::Text && to.is_some_and(source::is_stdin) {
        return Err(Failure::new("the catalog and the JSON cannot both go to standard output")
            .with_hint("--dry-run -o json prints what would be taken")
            .into());
    }
    let (wishes, catalog) = match args.words.as_slice() {
        [wishes @ .., catalog] if !wishes.is_empty() => (wishes, Some(catalog.as_path())),
        wishes => (wishes, None),
    };
    let catalog = source::open_catalog(catalog, &args.images)?;
    let wishes: Vec<ExtractRequest> = wishes
        .iter()
        .map(|word| word.to_string_lossy())
        .map(|text| ExtractRequest::parse(&text, |name| catalog.package(name).map(|package| &**package)))
        .collect::<Result<_, ExtractError>>()
        .map_err(|fault| extract_failure(&fault, &catalog, out))?;
    let options = ExtractOptions {
        default_channels: parse_default_channels(args, &wishes)?,
        with_dependencies: args.with_dependencies,
    };
    let part = extract::extract(&catalog, &wishes, &options)
        .map_err(|fault| extract_failure(&fault, &catalog, out))?;
    let names: HashSet<&PackageName> = part.packages.iter().map(|taken| &taken.package).collect();
    check_readable(&catalog, &names)?;
    let files = extract::catalog_files(&part.catalog);
    check_accepted(&catalog, &files)?;
    let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    if to.is_some_and(source::is_stdin) {
        // Standard output contains the catalog, so the summary goes to standard error.
        let told = export::render_extraction(&part, out.error_style());
        out.print_stderr(&told);
        out.print_exact(&source::render_yaml(&part.catalog))?;
        return Ok(Outcome::Fine);
    }
    if let Some(directory) = to {
        check_outside_catalog(&catalog.origin, directory).map_err(Failure::from)?;
        write_extract(directory, &files, args.force)?;
    }
    print_extract(&part, &paths, to, args, out)?;
    Ok(Outcome::Fine)
}

fn print_extract(
    part: &Extract,
    paths: &[String],
    to: Option<&Path>,
    args: &Args,
    out: &mut Out,
) -> anyhow::Result<()> {
    match args.format() {
        TextOrJson::Json | TextOrJson::Yaml => out.print(&output::encode_json(
            args.format(),
            json::to_pretty_json(&export::Row::from_extract(part, paths)),
        )),
        TextOrJson::Text => {
            out.print(&export::render_extraction(part, &out.style))?;
            let s = if paths.len() == 1 { "" } else { "s" };
            match to {
                Some(directory) => {
                    out.print(&format!("wrote {} file{s} in {}\n", paths.len(), escape_path(directory)))
                }
                None => out.print(&format!("nothing written: {} file{s}\n", paths.len())),
            }
        }
    }
}

/// Returns the channels of `--default-channel` by package.
fn parse_default_channels(
    args: &Args,
    wishes: &[ExtractRequest],
) -> Result<BTreeMap<PackageName, ChannelName>, Failure> {
    let mut found = BTreeMap::new();
    for text in &args.default_channels {
        let (package, channel) = match text.split_once(':') {
            Some((package, channel)) => (package.into(), channel),
            None => match wishes {
                [first, rest @ ..] if rest.iter().all(|wish| wish.package == first.package) => {
                    (first.package.clone(), text.as_str())
                }
                _ => {
                    return Err(Failure::new(format!("--default-channel {text}: of which package?"))
                        .with_hint(format!("PACKAGE:{text}")));
                }
            },
        };
        if found
            .insert(package.clone(), channel.into())
            .is_some_and(|other: ChannelName| other.as_str() != channel)
        {
            return Err(Failure::new(format!("two default channels are named for {package}")));
        }
    }
    Ok(found)
}

/// Returns the error for a failed extraction, with a suggestion if there is one.
fn extract_failure(fault: &ExtractError, catalog: &Catalog, out: &Out) -> Failure {
    match fault {
        ExtractError::NoPackage { package, suggestion: None } => {
            source::no_package_failure(catalog, package.as_str())
        }
        ExtractError::NoPackage { package, .. } => {
            Failure::new(format!("no package {package} in {}", catalog.origin.label()))
                .with_optional_hint(fault.hint())
        }
        ExtractError::Range { range, error, .. } => {
            let reading = range::ParsedRange::new(range::Dialect::Masterminds, range);
            let pointed = range::mark_column(&reading, error.column, Ink::Error, out.error_style());
            Failure::new(fault.to_string()).with_optional_hint(fault.hint()).with_detail(pointed)
        }
        _ => Failure::new(fault.to_string()).with_optional_hint(fault.hint()),
    }
}

/// Refuses a directory that is not empty, unless `force` is set.
fn check_empty(directory: &Path, force: bool) -> Result<(), Failure> {
    let label = directory.display().to_string();
    match fs::read_dir(directory) {
        Ok(mut inside) => match inside.next() {
            Some(_) if !force => Err(Failure::new(format!("{label} is not empty"))
                .with_hint("name a directory that is new, or --force to replace files in it")),
            _ => Ok(()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::new(format!("cannot write to {label}: {error}"))),
    }
}

/// Refuses a catalog with unreadable content that may belong to the extracted part.
fn check_readable(catalog: &Catalog, taken: &HashSet<&PackageName>) -> Result<(), Failure> {
    let packages = catalog.packages().filter(|package| taken.contains(&package.name));
    let problems = once(catalog.problems()).chain(packages.map(|package| &package.problems));
    let unread: Vec<String> = problems
        .flat_map(Problems::complete_problems)
        .filter(|problem| problem.kind.stops_opm())
        .map(|problem| omissions::format_problem_line(catalog, problem))
        .collect();
    let why = "nothing is written: opm cannot read what may be a part of it";
    if unread.is_empty() {
        return Ok(());
    }
    Err(Failure::new(why)
        .with_detail(list_reasons(&unread, MAX_SHOWN))
        .with_hint("olmap validate shows all that is wrong"))
}

/// Refuses a part that opm rejects although it accepts the whole. Checks the written files as opm would read
/// them.
fn check_accepted(whole: &Catalog, files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    let written = load::from_texts(Origin::Stdin, files.iter().cloned());
    let new = extract::new_rejections(whole, &written);
    if new.is_empty() {
        return Ok(());
    }
    let words = "nothing is written: opm would reject what is taken";
    Err(Failure::new(words)
        .with_detail(list_reasons(&new, MAX_SHOWN))
        .with_hint("olmap validate shows what is wrong with the whole catalog"))
}

/// Writes the files, all or none.
fn write_extract(directory: &Path, files: &[(PathBuf, Vec<u8>)], force: bool) -> Result<(), Failure> {
    if force {
        let others = foreign_files(directory, files)?;
        if !others.is_empty() {
            let words =
                format!("{} has more than what is taken: {}", directory.display(), join_names(&others));
            return Err(
                Failure::new(words).with_hint("opm would read it as a part of the catalog: remove it first")
            );
        }
    }
    let files: Vec<(&Path, &[u8])> =
        files.iter().map(|(path, text)| (path.as_path(), text.as_slice())).collect();
    let overwrite = if force { Overwrite::Allowed } else { Overwrite::Never };
    output::write_tree(directory, &files, overwrite)
}

/// Lists the files below a directory that are not in `files`.
fn foreign_files(directory: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<Vec<String>, Failure> {
    let ours: HashSet<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
    let mut others = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let listed = match fs::read_dir(directory.join(&folder)) {
            Ok(listed) => listed,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let label = directory.join(&folder).display().to_string();
                return Err(Failure::new(format!("cannot read {label}: {error}")));
            }
        };
        for entry in listed.flatten() {
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && ours.iter().any(|ours| ours.starts_with(&path)) {
                open.push(path);
            } else if !ours.contains(path.as_path()) && entry.file_name() != ".indexignore" {
                others.push(path.display().to_string());
            }
        }
    }
    others.sort();
    Ok(others)
}
