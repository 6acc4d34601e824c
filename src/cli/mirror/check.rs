//! `olmap mirror check`: installations that a mirror strands.

use std::path::PathBuf;

use super::mirror_failure;
use crate::cli::{
    failure::Failure, format::TextOrJson, image, out::Out, outcome::Outcome, query::Engines, source,
};
use olm_catalog::{BundleName, ChannelName};
use olm_plan::mirror::{self, CheckQuestion, Section};
use olmap_report::{
    json,
    mirror_check::{self as export, CheckedCatalog},
};

#[derive(Debug, clap::Args)]
pub struct Args {
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

pub fn run_mirror_check(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let (bytes, sections) = super::load_sections(&args.file)?;
    let pairs = assign_sections(&args.catalogs, &sections)?;
    for left in
        sections.iter().filter(|section| !pairs.iter().any(|(used, _)| used.catalog == section.catalog))
    {
        let words = format!("{} is not checked: no catalog was given for it", left.catalog);
        source::print_warning(&words, Some("give one for each: REF=CATALOG"), out);
    }
    let paths: Vec<PathBuf> = pairs.iter().map(|(_, path)| path.clone()).chain([args.file.clone()]).collect();
    source::check_stdin(&paths)?;
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
    for (section, path) in pairs {
        let catalog = source::open_catalog(Some(&path), &args.images)?;
        let check = mirror::check_upgrades(&catalog, &section, &question)
            .map_err(|fault| mirror_failure(&catalog, &fault))?;
        checked.push(CheckedCatalog { catalog: catalog.origin.label(), check });
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
    let line = |span: olm_catalog::Span| {
        let before = bytes.get(..span.start as usize).unwrap_or_default();
        1 + memchr::memchr_iter(b'\n', before).count()
    };
    out.print(&match args.format {
        TextOrJson::Text => {
            export::render_mirror_check(&checked, &super::file_label(&args.file), &line, &out.style)
        }
        TextOrJson::Json => json::to_pretty_json(&export::mirror_check_rows(&checked, &line)),
    })?;
    let fails = checked.iter().any(|checked| checked.check.failures().next().is_some());
    Ok(if fails { Outcome::Findings } else { Outcome::Fine })
}
