//! `olmap mirror`: effect of oc-mirror v2 on a catalog: what it keeps, and which installations it strands.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{Failure, Out, Outcome, TextOrJson, image, join_names, output, query::Engines, source};
use olm_catalog::{BundleName, Catalog, ChannelName, Span};
use olm_plan::mirror::{self, CatalogNames, CheckQuestion, MirrorError, Section};
use olmap_report::mirror_check::{self, CheckedCatalog};
use olmap_report::{json, mirror as export};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap mirror filter catalog -f imageset.yaml              the remaining entries of each channel
  olmap mirror filter catalog -f imageset.yaml -o yaml

  olmap mirror check imageset.yaml catalog                  stranded versions, and the line to change
  olmap mirror check imageset.yaml catalog --installed tide.v1.2.0@stable

Exit code: 0 ok, 1 check: users lose upgrades or a name is unknown, 2 failed, or oc-mirror rejects the configuration.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that oc-mirror v2 would publish.
    Filter(FilterArgs),
    /// Check which installed versions lose upgrades on the mirror, and which line to change.
    Check(CheckArgs),
}

#[derive(Debug, clap::Args)]
struct FilterArgs {
    /// Catalog directory, file or image, or - for standard input.
    #[arg(value_name = "CATALOG")]
    catalog: Option<PathBuf>,
    /// Image set configuration, or a single item of its mirror.operators (- for standard input).
    #[arg(long = "file", short = 'f', alias = "config", value_name = "FILE")]
    config: PathBuf,
    /// Item of mirror.operators if there are several: its number, from 1, or its catalog.
    #[arg(long, value_name = "N|CATALOG")]
    operator: Option<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: FilterFormat,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FilterFormat {
    /// Human-readable text: the remaining entries of each channel.
    Text,
    /// JSON: packages with their channels, entries and bundles; docs/cli.md describes the fields.
    Json,
    /// Catalog in the format of opm render.
    Yaml,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Image set configuration, or a single item of its mirror.operators (- for standard input).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Mirrored catalogs in the order of the configuration: directories, files, images, or -. REF=
    /// before a path sets the catalog's reference in the configuration.
    #[arg(value_name = "[REF=]CATALOG", required = true)]
    catalogs: Vec<String>,
    /// Installed bundle with its channel. Default: all versions of the mirrored packages. Can be
    /// repeated.
    #[arg(long, value_name = "NAME[@CHANNEL]")]
    installed: Vec<String>,
    /// OLM generation to check.
    #[arg(long, value_name = "ENGINE", default_value = "both")]
    engine: Engines,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
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
        Command::Filter(args) => run_mirror_filter(args, out),
        Command::Check(args) => run_mirror_check(args, out),
    }
}

/// Reads the sections of a configuration from a file or standard input.
fn load_sections(file: &Path) -> anyhow::Result<(Vec<u8>, Vec<Section>)> {
    let bytes = source::read_input(file)?;
    let sections = mirror::parse_configuration(&bytes).map_err(|broken| {
        let failure = Failure::new(format!("{}, {broken}", source::input_label(file)))
            .with_optional_hint(broken.kind.hint());
        Failure::in_file(file, Some((broken.line, None)), failure)
    })?;
    Ok((bytes, sections))
}

/// Returns the line number of a span, from 1.
fn line_of(bytes: &[u8], span: Span) -> usize {
    let before = bytes.get(..span.start as usize).unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}

/// Returns the section with a number (from 1), with a catalog, or the only one.
fn select_section(sections: Vec<Section>, operator: Option<&str>) -> Result<Section, Failure> {
    let choice = |sections: &[Section]| {
        format!("choose one with --operator: {}", join_names(sections.iter().map(|s| &*s.catalog)))
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

fn run_mirror_filter(args: &FilterArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(args.catalog.iter().chain([&args.config]))?;
    let (bytes, sections) = load_sections(&args.config)?;
    let section = select_section(sections, args.operator.as_deref())?;
    let catalog = source::open_catalog(args.catalog.as_deref(), &args.images)?;
    for unknown in mirror::find_unknown_names(&section, &CatalogNames::from_catalog(&catalog), &[]) {
        let (file, line) = (source::input_label(&args.config), line_of(&bytes, unknown.span));
        let words = format!("{file}:{line}: {}", mirror_check::describe_unknown_name(&unknown));
        out.print_warning(&words, mirror_check::unknown_name_hint(&unknown).as_deref());
    }
    let filtered =
        mirror::filter_catalog(&catalog, &section).map_err(|fault| mirror_failure(&catalog, &fault))?;
    match args.format {
        FilterFormat::Text => {
            out.print(&export::render_mirrored_channels(&catalog, &filtered, &out.style))?;
        }
        FilterFormat::Json => out.print(&json::to_pretty_json(&export::reduce_catalog(&filtered)))?,
        FilterFormat::Yaml => {
            out.print_exact(&source::render_yaml(&filtered))?;
        }
    }
    Ok(Outcome::Fine)
}

/// Assigns a section to each catalog. Catalogs without a reference get the remaining sections in order.
fn assign_sections(catalogs: &[String], sections: &[Section]) -> Result<Vec<(Section, PathBuf)>, Failure> {
    let named = |text: &str| {
        sections.iter().find_map(|section| {
            let path = text.strip_prefix(&section.catalog)?.strip_prefix('=')?;
            (!section.catalog.is_empty()).then(|| (section.clone(), PathBuf::from(path)))
        })
    };
    let taken: Vec<String> =
        catalogs.iter().filter_map(|text| named(text)).map(|(section, _)| section.catalog).collect();
    let mut left = sections.iter().filter(|section| !taken.contains(&section.catalog));
    let pair = |text: &String| {
        let pair = named(text).or_else(|| Some((left.next()?.clone(), PathBuf::from(text))));
        pair.ok_or_else(|| {
            Failure::new(format!("the configuration mirrors no catalog that {text} could be"))
                .with_hint("REF=CATALOG says which one it is")
        })
    };
    catalogs.iter().map(pair).collect()
}

fn run_mirror_check(args: &CheckArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let (bytes, sections) = load_sections(&args.file)?;
    let pairs = assign_sections(&args.catalogs, &sections)?;
    for left in
        sections.iter().filter(|section| !pairs.iter().any(|(used, _)| used.catalog == section.catalog))
    {
        let words = format!("{} is not checked: no catalog was given for it", left.catalog);
        out.print_warning(&words, Some("give one for each: REF=CATALOG"));
    }
    source::check_stdin(pairs.iter().map(|(_, path)| path).chain([&args.file]))?;
    let installed: Vec<(BundleName, Option<ChannelName>)> = args
        .installed
        .iter()
        .map(|text| match text.split_once('@') {
            Some((name, channel)) => (name.into(), Some(channel.into())),
            None => (text.as_str().into(), None),
        })
        .collect();
    let question = CheckQuestion { engines: args.engine.engines().to_vec(), installed };
    let mut checked = Vec::new();
    let mut named = Vec::new();
    for (section, path) in pairs {
        let catalog = source::open_catalog(Some(&path), &args.images)?;
        let check = mirror::check_upgrades(&catalog, &section, &question)
            .map_err(|fault| mirror_failure(&catalog, &fault))?;
        checked.push(CheckedCatalog { catalog: catalog.origin.label(), check, unknown: Vec::new() });
        named.push((section, CatalogNames::from_catalog(&catalog)));
    }
    for (at, (checked, (section, names))) in checked.iter_mut().zip(&named).enumerate() {
        let others = named.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<&CatalogNames> = others.map(|(_, (_, names))| names).collect();
        checked.unknown = mirror::find_unknown_names(section, names, &others);
    }
    for (name, channel) in &question.installed {
        let is_it = |p: &mirror::InstalledPosition| {
            p.installed == *name && channel.as_ref().is_none_or(|c| *c == p.channel)
        };
        if !checked.iter().flat_map(|checked| &checked.check.positions).any(is_it) {
            let of = channel.as_ref().map_or_else(String::new, |channel| format!(" in channel {channel}"));
            return Err(Failure::new(format!("no catalog has {name}{of}"))
                .with_hint("--installed takes the name of a bundle: tide.v1.2.0")
                .into());
        }
    }
    let line = |span: Span| line_of(&bytes, span);
    out.print(&match args.format {
        TextOrJson::Text => {
            mirror_check::render_mirror_check(&checked, &source::input_label(&args.file), &line, &out.style)
        }
        TextOrJson::Json | TextOrJson::Yaml => output::encode_json(
            args.format,
            json::to_pretty_json(&mirror_check::mirror_check_rows(&checked, &line)),
        ),
    })?;
    let fails = checked
        .iter()
        .any(|checked| checked.check.failures().next().is_some() || !checked.unknown.is_empty());
    Ok(fails.into())
}
