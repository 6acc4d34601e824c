//! `olmap graph`: the upgrade graph of channels.

use std::{ops::ControlFlow, path::PathBuf};

use clap::ValueEnum;

use super::{Failure, Out, Outcome, image, join_names, output, source};
use olm_catalog::Catalog;
use olm_upgrade::PackageGraph;
use olmap_report::graph;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap graph -p tide catalog                   a drawing of each channel
  olmap graph -p tide -c stable -o svg catalog
  olmap graph -p tide --side-by-side catalog
  olmap graph -p tide -o mermaid --expand catalog  a node for each version

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalog directory, file or image, or - for standard input.
    path: Option<PathBuf>,
    /// Package. Default: all for text and jsonl; other formats need a catalog with one package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Channel. Default: all.
    #[arg(long, short = 'c', value_name = "NAME")]
    channel: Option<String>,
    /// Draw all channels of a package side by side, with the same bundle on the same row. For text
    /// and svg.
    #[arg(long, conflicts_with = "channel")]
    side_by_side: bool,
    /// Draw each version in mermaid, markdown and dot, instead of one node for versions that look
    /// the same.
    #[arg(long)]
    expand: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Text, 80 columns wide.
    Text,
    /// Single Mermaid flowchart, with a subgraph for each channel.
    Mermaid,
    /// Markdown with a Mermaid flowchart for each channel, within the size limits of GitHub.
    Markdown,
    /// DOT for Graphviz.
    Dot,
    /// SVG image for documents.
    Svg,
    /// JSON: an object with every node and its upgrade.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// JSON Lines: an edge per line, with skipRange expanded.
    Jsonl,
}

impl From<Format> for graph::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Mermaid => Self::Mermaid,
            Format::Markdown => Self::Markdown,
            Format::Dot => Self::Dot,
            Format::Svg => Self::Svg,
            Format::Json | Format::Yaml => Self::Json,
            Format::Jsonl => Self::Jsonl,
        }
    }
}

pub fn run_graph(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.side_by_side && !matches!(args.format, Format::Text | Format::Svg) {
        let hint = "omit -o or --side-by-side: the other formats include all channels anyway";
        return Err(Failure::new("--side-by-side supports only text and svg").with_hint(hint).into());
    }
    if args.expand && !matches!(args.format, Format::Mermaid | Format::Markdown | Format::Dot) {
        let hint = "omit --expand: the other formats have every version";
        return Err(Failure::new("--expand supports only mermaid, markdown and dot").with_hint(hint).into());
    }
    let catalog = source::open_for_package(args.path.as_deref(), args.package.as_deref(), &args.images)?;
    source::warn_of_problems(&catalog, out);
    let packages = match (args.format, &args.package) {
        (Format::Text | Format::Jsonl, None) => source::named_packages(&catalog).collect(),
        (_, name) => vec![source::select_package(&catalog, name.as_deref())?],
    };
    let graphs: Vec<PackageGraph> = packages.into_iter().map(PackageGraph::new).collect();
    check_channel(&catalog, args, &graphs)?;
    let mut is_first = true;
    for package in &graphs {
        // If several packages are drawn, those without the channel are skipped.
        if args.channel.as_ref().is_some_and(|name| package.channel(name).is_none()) && args.package.is_none()
        {
            continue;
        }
        if args.format == Format::Jsonl {
            print_edge_lines(package, args.channel.as_deref(), out)?;
            if out.is_closed() {
                break;
            }
            continue;
        }
        let format = match (args.side_by_side, args.format) {
            (true, Format::Svg) => graph::Format::SideBySideSvg,
            (true, _) => graph::Format::SideBySide,
            (false, format) => format.into(),
        };
        let render = if args.expand { graph::render_expanded_graph } else { graph::render_graph };
        let rendered = render(package, args.channel.as_deref(), format, out.style.ascii);
        if rendered.is_too_large_for_github() {
            out.print_note("GitHub does not draw a flowchart of this size; -o markdown splits it");
        }
        let text = output::encode_json(args.format, rendered.text);
        // A blank line separates drawings.
        let gap = if is_first || args.format != Format::Text { "" } else { "\n" };
        let text = format!("{gap}{text}");
        out.print(&text)?;
        if out.is_closed() {
            break;
        }
        is_first = false;
    }
    Ok(Outcome::Fine)
}

/// Prints the edges in parts, because ranges can make more edges than fit into memory.
fn print_edge_lines(package: &PackageGraph, channel: Option<&str>, out: &mut Out) -> anyhow::Result<()> {
    let mut result = Ok(());
    let _ = graph::write_edge_lines(package, &graph::select_channels(package, channel), |part| {
        result = out.print(part);
        if result.is_err() || out.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    result
}

/// Refuses an unknown channel instead of drawing nothing.
fn check_channel(catalog: &Catalog, args: &Args, graphs: &[PackageGraph]) -> Result<(), Failure> {
    let Some(name) = &args.channel else { return Ok(()) };
    if graphs.iter().any(|g| g.channel(name).is_some()) {
        return Ok(());
    }
    let place = args.package.clone().unwrap_or_else(|| catalog.origin.label());
    let mut names: Vec<&str> =
        graphs.iter().flat_map(PackageGraph::channels).map(|c| c.graph.name().as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let hint = format!("channels: {}", join_names(names));
    Err(Failure::new(format!("no channel {name} in {place}")).with_hint(hint))
}
