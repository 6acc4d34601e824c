//! `olmap extract`: a valid subset of a catalog.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
    fs,
    iter::once,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    failure::{self, Failure},
    format::TextOrJson,
    image,
    out::Out,
    outcome::Outcome,
    output::{self, Output},
    source,
};
use crate::{
    catalog::{
        Catalog, ChannelName, Node, Origin, PackageName, load,
        problem::Problems,
        text::canonical::{self, RenderFormat},
    },
    edit::save::{self, Lock, Overwrite},
    export::{Ink, extract as export, json, left_out, plain, range},
    plan::extract::{self, Extract, Fault, Options, Wish},
    runtime::outside,
};

/// Maximum number of reasons that are shown.
const SHOWN: usize = 10;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to take: a package, a channel of it, or the versions of a channel in a range, quoted ('lamp:stable:>=1.2').
    /// `PACKAGE::RANGE` takes the range of every channel. The last word is the catalog: a directory, a file, an image, or -
    /// for standard input; a single word is a package of the catalog one stands in.
    #[arg(value_name = "PACKAGE[:CHANNEL[:RANGE]]", required = true)]
    words: Vec<PathBuf>,
    /// The directory to write, a folder for each package; - for standard output, as one YAML stream.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["dry_run", "output"])]
    to: Option<PathBuf>,
    /// Write to a directory that is not empty: files of the same name are replaced. What else is there is an error.
    #[arg(long)]
    force: bool,
    /// Write nothing, only show what would be taken.
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Set another default channel, one that is taken: [PACKAGE:]CHANNEL. Without it, the default channel comes along. May be
    /// given several times.
    #[arg(long = "default-channel", value_name = "[PACKAGE:]CHANNEL")]
    default_channels: Vec<String>,
    /// Also take packages that bundles require and nothing taken provides.
    #[arg(long)]
    with_dependencies: bool,
    /// Output format of the summary [default: text].
    #[arg(long, short = 'o', value_name = "FORMAT", value_parser = output::parser::<TextOrJson>())]
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

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    output::check(args.output.as_ref(), args.to.is_some(), out)?;
    let to = output::place(args.output.as_ref(), args.to.as_deref()).filter(|_| !args.dry_run);
    if to.is_none() && !args.dry_run {
        return Err(Failure::new("no place to write the catalog to")
            .hint("--to DIR names it; --dry-run only shows what would be taken")
            .into());
    }
    if let Some(directory) = to.filter(|path| !is_stdout(path)) {
        check_free(directory, args.force)?;
    }
    if args.format() == TextOrJson::Json && to.is_some_and(is_stdout) {
        return Err(Failure::new("the catalog and the JSON cannot both go to standard output")
            .hint("--dry-run -o json prints what would be taken")
            .into());
    }
    let (wishes, catalog) = match args.words.as_slice() {
        [wishes @ .., catalog] if !wishes.is_empty() => (wishes, Some(catalog.as_path())),
        wishes => (wishes, None),
    };
    let catalog = source::one(catalog, &args.images)?;
    let wishes: Vec<Wish> = wishes
        .iter()
        .map(|word| word.to_string_lossy())
        .map(|text| Wish::parse(&text, |name| catalog.package(name).map(|package| &**package)))
        .collect::<Result<_, Fault>>()
        .map_err(|fault| refusal(&fault, &catalog, out))?;
    let options = Options {
        default_channels: default_channels(args, &wishes)?,
        with_dependencies: args.with_dependencies,
    };
    let part =
        extract::extract(&catalog, &wishes, &options).map_err(|fault| refusal(&fault, &catalog, out))?;
    let names: HashSet<&PackageName> = part.packages.iter().map(|taken| &taken.package).collect();
    check_read(&catalog, &names)?;
    let files = extract::files(&part.catalog);
    check_accepted(&catalog, &files)?;
    let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    if to.is_some_and(is_stdout) {
        // Standard output contains the catalog, so the summary goes to standard error.
        let told = export::text(&part, out.error_style());
        out.error(&told);
        out.print_exact(&rendered(&part.catalog))?;
        return Ok(Outcome::Fine);
    }
    if let Some(directory) = to {
        outside(&catalog.origin, directory)
            .map_err(|refusal| Failure::new(refusal.message).maybe_hint(refusal.hint))?;
        write(directory, &files, args.force)?;
    }
    tell(&part, &paths, to, args, out)?;
    Ok(Outcome::Fine)
}

/// Returns true if a path means standard output.
fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == source::STDIN
}

fn tell(
    part: &Extract,
    paths: &[String],
    to: Option<&Path>,
    args: &Args,
    out: &mut Out,
) -> anyhow::Result<()> {
    match args.format() {
        TextOrJson::Json => out.print(&json::pretty(&export::Row::of(part, paths))),
        TextOrJson::Text => {
            out.print(&export::text(part, &out.style))?;
            let s = if paths.len() == 1 { "" } else { "s" };
            match to {
                Some(directory) => {
                    let directory = directory.display().to_string();
                    out.print(&format!("wrote {} file{s} in {}\n", paths.len(), plain::line(&directory)))
                }
                None => out.print(&format!("nothing written: {} file{s}\n", paths.len())),
            }
        }
    }
}

/// Returns the channels of `--default-channel` by package.
fn default_channels(args: &Args, wishes: &[Wish]) -> Result<BTreeMap<PackageName, ChannelName>, Failure> {
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
                        .hint(format!("PACKAGE:{text}")));
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
fn refusal(fault: &Fault, catalog: &Catalog, out: &Out) -> Failure {
    match fault {
        Fault::NoPackage { package, meant: None } => source::no_package(catalog, package.as_str()),
        Fault::NoPackage { package, .. } => {
            Failure::new(format!("no package {package} in {}", catalog.origin.label()))
                .maybe_hint(fault.hint())
        }
        Fault::Range { range, error, .. } => {
            let reading = range::Reading::new(range::Dialect::Masterminds, range);
            let pointed = range::pointed(&reading, error.column, Ink::Error, out.error_style());
            Failure::new(fault.to_string()).maybe_hint(fault.hint()).detail(pointed)
        }
        _ => Failure::new(fault.to_string()).maybe_hint(fault.hint()),
    }
}

/// Refuses a directory that is not empty, unless `force` is set.
fn check_free(directory: &Path, force: bool) -> Result<(), Failure> {
    let label = directory.display().to_string();
    match fs::read_dir(directory) {
        Ok(mut inside) => match inside.next() {
            Some(_) if !force => Err(Failure::new(format!("{label} is not empty"))
                .hint("name a directory that is new, or --force to replace files in it")),
            _ => Ok(()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::new(format!("cannot write to {label}: {error}"))),
    }
}

/// Refuses a catalog with unreadable content that may belong to the extracted part.
fn check_read(catalog: &Catalog, taken: &HashSet<&PackageName>) -> Result<(), Failure> {
    let packages = catalog.packages().filter(|package| taken.contains(&package.name));
    let problems = once(catalog.problems()).chain(packages.map(|package| &package.problems));
    let unread: Vec<String> = problems
        .flat_map(Problems::told)
        .filter(|problem| problem.kind.stops_opm())
        .map(|problem| left_out::line(catalog, problem))
        .collect();
    let why = "nothing is written: opm cannot read what may be a part of it";
    if unread.is_empty() {
        return Ok(());
    }
    Err(Failure::new(why).detail(lines(&unread)).hint("olmap validate shows all that is wrong"))
}

/// Lists the first reasons, one per line, without control characters.
fn lines(reasons: &[String]) -> String {
    let mut text = String::new();
    for reason in reasons.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}", plain::line(reason));
    }
    if let Some(more) = reasons.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} more");
    }
    text
}

/// Refuses a part that opm rejects although it accepts the whole. Checks the written files as opm would read
/// them.
fn check_accepted(whole: &Catalog, files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    let written = load::from_texts(Origin::Stdin, files.iter().cloned());
    let new = extract::fresh_rejections(whole, &written);
    if new.is_empty() {
        return Ok(());
    }
    let words = "nothing is written: opm would reject what is taken";
    Err(Failure::new(words)
        .detail(lines(&new))
        .hint("olmap validate shows what is wrong with the whole catalog"))
}

fn rendered(catalog: &Catalog) -> String {
    let ids: Vec<_> = catalog.documents().collect();
    let documents: Vec<Node<'_>> = ids.into_par_iter().filter_map(|doc| catalog.tree(doc)?.ok()).collect();
    canonical::render(&documents, RenderFormat::Yaml)
}

/// Writes the files, all or none.
fn write(directory: &Path, files: &[(PathBuf, Vec<u8>)], force: bool) -> Result<(), Failure> {
    if force {
        let others = others(directory, files)?;
        if !others.is_empty() {
            let words =
                format!("{} has more than what is taken: {}", directory.display(), failure::some_of(&others));
            return Err(
                Failure::new(words).hint("opm would read it as a part of the catalog: remove it first")
            );
        }
    }
    let files: Vec<(&Path, &[u8])> =
        files.iter().map(|(path, text)| (path.as_path(), text.as_slice())).collect();
    let overwrite = if force { Overwrite::Allowed } else { Overwrite::Never };
    let saved = save::save_tree(directory, &files, overwrite, &mut Lock::usual());
    saved.map_err(|error| Failure::new(error.to_string()).hint(error.hint()))?;
    Ok(())
}

/// Lists the files below a directory that are not in `files`.
fn others(directory: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<Vec<String>, Failure> {
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
