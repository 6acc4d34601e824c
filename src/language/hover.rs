//! Hover text for the name at the cursor, with the same wording as `olmap successors` and the
//! explorer.

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};

use super::{
    Draft, Encoding, Paper,
    names::{self, Named, Occurrence},
    spot::{self, Spot},
};
use crate::{
    catalog::{
        BundleName, Catalog, ChannelName, DocId, FileId,
        blob::{ChannelBlob, DeprecationTarget, Entry},
        package::Package,
        plain,
    },
    export::{
        Style,
        answer::{self, Asked},
        stuck_words,
    },
    upgrade::{EdgeKind, Engine, Installed, PackageGraph, UpgradeTable, stuck::StuckEnds, v1::Query},
};

/// Maximum number of names per kind.
const MOST: usize = 8;

/// Content of a hover text without markup.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    title: String,
    lines: Vec<String>,
}

/// Returns the hover text for a position of a file.
pub fn hover(
    draft: &Draft,
    (file, paper): (FileId, &Paper),
    position: Position,
    (encoding, markdown): (Encoding, bool),
) -> Option<Hover> {
    let (doc, offset) = under(draft, file, paper.byte_at(encoding, position))?;
    let (told, span) = tell(draft.known(), doc, offset)?;
    let contents = Contents::MarkupContent(told.markup(markdown));
    Some(Hover { contents, range: spot::range_in(draft, encoding, Spot { doc, span }) })
}

/// Returns the document at a byte of a file, and the offset in its last valid text.
pub fn under(draft: &Draft, file: FileId, byte: usize) -> Option<(DocId, usize)> {
    let (segment, offset) = draft.now().file(file)?.segment_at(byte)?;
    let doc = DocId { file, serial: segment.serial };
    Some((doc, draft.to_known(doc, offset)))
}

fn tell(catalog: &Catalog, doc: DocId, offset: usize) -> Option<(Told, crate::catalog::Span)> {
    if let Some((package, occurrence)) = names::at(catalog, doc, offset) {
        return Some((of_name(catalog, package, &occurrence), occurrence.at.span));
    }
    let (package, channel, entry) = entry_at(catalog, doc, offset)?;
    let range = entry.skip_range.as_ref().filter(|range| range.text.span.range().contains(&offset));
    let told = match range {
        Some(_) => of_range(package, channel, entry),
        None => of_bundle(catalog, package, &entry.name.value, Some(&channel.name.value)),
    };
    Some((told, range.map_or(entry.span, |range| range.text.span)))
}

/// Returns the entry at an offset of a document.
fn entry_at(catalog: &Catalog, doc: DocId, offset: usize) -> Option<(&Package, &ChannelBlob, &Entry)> {
    names::packages_in(catalog, doc).find_map(|package| {
        let channels = package.channels.iter().filter(|channel| channel.doc == doc);
        let mut entries =
            channels.flat_map(|channel| channel.entries.iter().map(move |entry| (channel, entry)));
        let (channel, entry) = entries.find(|(_, entry)| entry.span.contains(offset))?;
        Some((package, channel.as_ref(), entry))
    })
}

fn of_name(catalog: &Catalog, package: &Package, occurrence: &Occurrence) -> Told {
    match &occurrence.named {
        Named::Package => of_package(catalog, package),
        Named::Channel(name) => of_channel(catalog, package, name),
        Named::Bundle(name) => of_bundle(catalog, package, name, occurrence.channel.as_ref()),
    }
}

/// Describes a package: its channels, their heads, and the number of stuck versions.
fn of_package(catalog: &Catalog, package: &Package) -> Told {
    let mut told = Told::new(
        &package.name,
        "package",
        package.deprecation(&DeprecationTarget::Package).map(|d| &*d.message.value),
    );
    told.say(&format!(
        "{}, {}",
        count(package.channels.len(), "channel"),
        count(package.bundles.len(), "bundle")
    ));
    if let Some(graph) = graph_of(catalog, package) {
        told.say(&stuck_words::package_words(graph.stuck()));
    }
    for channel in package.channels.iter().take(MOST) {
        let heads: Vec<String> = channel.heads().iter().take(MOST).map(ToString::to_string).collect();
        let default = if package.default_channel() == Some(&channel.name.value) { " (default)" } else { "" };
        let heads = if heads.is_empty() { "no head".to_owned() } else { heads.join(", ") };
        told.say(&format!("{}{default}: {heads}", channel.name.value));
    }
    told.more(package.channels.len(), "channel");
    told
}

/// Describes a channel: its head, and the upgrades of its entries.
fn of_channel(catalog: &Catalog, package: &Package, name: &ChannelName) -> Told {
    let mut told = Told::new(name, "channel", package.channel_deprecation(name).map(|d| &*d.message.value));
    let Some(channel) = package.channel(name.as_str()) else {
        told.say(&format!("not a channel of {}", package.name));
        return told;
    };
    let heads: Vec<String> = channel.heads().iter().take(MOST).map(ToString::to_string).collect();
    let default = if package.default_channel() == Some(name) { ", default channel" } else { "" };
    told.say(&format!("{}{default}", count(channel.entries.len(), "entry")));
    match heads.as_slice() {
        [] => told.say("no head"),
        [head] => told.say(&format!("head: {head}")),
        several => told.say(&format!("{} heads: {}", several.len(), several.join(", "))),
    }
    if let Some(graph) = graph_of(catalog, package) {
        let table = UpgradeTable::new(&graph, name, &Query::default());
        told.say(answer::summary(&table, &[Engine::Classic, Engine::V1]).trim_end());
        if let Some(words) = stuck_words::channel_words(&graph, name) {
            told.say(&words);
        }
    }
    told
}

/// Describes a bundle: its edges, and the answers of both OLMs. Uses the given channel, or the
/// default or first channel with the bundle.
fn of_bundle(catalog: &Catalog, package: &Package, name: &BundleName, channel: Option<&ChannelName>) -> Told {
    let mut told = Told::new(name, "bundle", package.bundle_deprecation(name).map(|d| &*d.message.value));
    match package.bundle(name.as_str()).map(|bundle| &bundle.version) {
        Some(Some(version)) => told.say(&format!("version {version}")),
        Some(None) => told.say("no version is known"),
        None => told.say(&format!("not a bundle of {}: only named in entries", package.name)),
    }
    let homes: Vec<&ChannelName> = package.channels_with(name).map(|channel| &channel.name.value).collect();
    let Some(graph) = graph_of(catalog, package) else { return told };
    let ends = StuckEnds::new(&graph);
    let words = ends.as_ref().and_then(|ends| stuck_words::version_words(ends, name, ToString::to_string));
    if let Some(words) = words {
        told.say(&words);
    }
    let default = package.default_channel().filter(|default| homes.contains(default));
    let asked = channel.or(default).or_else(|| homes.first().copied());
    if let Some(asked) = asked {
        told.edges(package, &graph, asked, name);
        let installed = Installed::of(package, name);
        let classic = Asked::Classic { package: package.name.clone(), channel: asked.clone() };
        let v1 = Asked::V1 { package: package.name.clone(), query: Query::default() };
        let answers = [
            (classic, graph.classic(asked.as_str(), Some(&installed))),
            (v1, graph.v1(&Query::default(), Some(&installed))),
        ];
        for (asked, answer) in &answers {
            told.lines.extend(answer::text(asked, answer, None, false, &WIDE).lines().map(str::to_owned));
        }
        let table = UpgradeTable::new(&graph, asked, &Query::default());
        if let Some(row) = table.row(name) {
            told.lines.extend(
                table.remarks(package, row).into_iter().map(|remark| plain::line(&remark.text).into_owned()),
            );
        }
    }
    let others: Vec<String> =
        homes.iter().filter(|home| Some(**home) != asked).map(ToString::to_string).collect();
    match (homes.is_empty(), others.as_slice()) {
        (true, _) => told.say("in no channel"),
        (false, []) => {}
        (false, others) => {
            let shown = others.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
            let more = others.len().saturating_sub(MOST);
            told.say(&if more == 0 {
                format!("also in {shown}")
            } else {
                format!("also in {shown} and {more} more")
            });
        }
    }
    told
}

/// Describes a `skipRange`: the matching bundles of the channel.
fn of_range(package: &Package, channel: &ChannelBlob, entry: &Entry) -> Told {
    let mut told = Told { title: "`skipRange`".to_owned(), lines: Vec::new() };
    let Some(range) = &entry.skip_range else { return told };
    told.say(&range.text.value);
    if let Err(error) = &range.range {
        told.say(&error.to_string());
        return told;
    }
    let own = &entry.name.value;
    let names = channel.entries.iter().map(|entry| &entry.name.value).filter(|name| *name != own);
    let matched: Vec<String> = names
        .filter(|name| {
            package.version_of(name.as_str()).is_some_and(|version| entry.range_matches(&version.version))
        })
        .map(|name| package.short_name(name))
        .collect();
    told.say(&match few(&matched) {
        Some(few) => format!("matches {few} in {}", channel.name.value),
        None => format!("matches no other entry of {}", channel.name.value),
    });
    told
}

/// Style without line breaks; the client wraps lines.
const WIDE: Style = Style { width: 10_000, ..Style::PLAIN };

fn graph_of(catalog: &Catalog, package: &Package) -> Option<PackageGraph> {
    catalog.package(package.name.as_str()).map(PackageGraph::new)
}

/// Formats names in one line; `None` if there are none.
fn few(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [first, .., last] if names.len() > MOST => {
            Some(format!("{} versions, {first} to {last}", names.len()))
        }
        few => Some(few.join(", ")),
    }
}

fn count(n: usize, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (_, "entry") => format!("{n} entries"),
        _ => format!("{n} {what}s"),
    }
}

impl Told {
    fn new<T: std::fmt::Display>(name: &T, what: &str, deprecated: Option<&str>) -> Self {
        let mut told = Self { title: format!("{what} {}", code(&name.to_string())), lines: Vec::new() };
        if let Some(message) = deprecated {
            told.say(&format!("DEPRECATED: {message}"));
        }
        told
    }

    fn say(&mut self, line: &str) {
        self.lines.push(plain::line(line).into_owned());
    }

    fn more(&mut self, all: usize, what: &str) {
        if let Some(more @ 1..) = all.checked_sub(MOST) {
            self.say(&format!("and {}", count(more, &format!("more {what}"))));
        }
    }

    /// Adds the edges to and from a bundle in a channel, with the wording of the Graph screen.
    fn edges(&mut self, package: &Package, graph: &PackageGraph, channel: &ChannelName, name: &BundleName) {
        let Some(upgrades) = graph.channel(channel.as_str()) else { return };
        let Some(at) = upgrades.graph.find(name.as_str()) else {
            self.say(&format!("no entry of {channel}"));
            return;
        };
        let of = &upgrades.graph;
        let short = |names: Vec<&BundleName>| {
            names.into_iter().map(|name| package.short_name(name)).collect::<Vec<_>>()
        };
        let named = |all: &mut dyn Iterator<Item = _>| {
            short(all.filter_map(|at| of.node(at)).map(|node| &node.name).collect())
        };
        let version = package.version_of(name.as_str());
        let ranged_from = || {
            let entry = of.entry(at)?;
            entry.skip_range.as_ref()?;
            let mut nodes = of.entries().filter(|other| {
                let version = of.node(*other).and_then(|node| node.version.as_ref());
                *other != at && version.is_some_and(|version| entry.range_matches(&version.version))
            });
            Some(named(&mut nodes))
        };
        let ranged_to =
            || version.map(|version| named(&mut of.range_successors(version).filter(|other| *other != at)));
        let from = [
            (EdgeKind::Replaces, named(&mut of.targets(at, EdgeKind::Replaces).into_iter())),
            (EdgeKind::Skips, named(&mut of.targets(at, EdgeKind::Skips).into_iter())),
            (EdgeKind::SkipRange, ranged_from().unwrap_or_default()),
        ];
        let to = [
            (EdgeKind::Replaces, named(&mut of.successors(at, EdgeKind::Replaces))),
            (EdgeKind::Skips, named(&mut of.successors(at, EdgeKind::Skips))),
            (EdgeKind::SkipRange, ranged_to().unwrap_or_default()),
        ];
        for (label, edges) in [("Upgrades from", from), ("Upgrades to", to)] {
            let parts: Vec<String> = edges
                .iter()
                .filter_map(|(kind, names)| Some(format!("{} by {}", few(names)?, kind.as_str())))
                .collect();
            if !parts.is_empty() {
                self.say(&format!("{label} {}", parts.join("; ")));
            }
        }
    }

    /// Returns the text as markup. Text of the catalog is never interpreted: names are code, and
    /// sentences are in a code block.
    fn markup(&self, markdown: bool) -> MarkupContent {
        let body = self.lines.join("\n");
        if !markdown {
            let title = self.title.replace('`', "");
            return MarkupContent { kind: MarkupKind::PlainText, value: format!("{title}\n{body}") };
        }
        let fence = "`".repeat(3.max(longest_run(&body) + 1));
        let value = format!("{}\n\n{fence}text\n{body}\n{fence}", self.title);
        MarkupContent { kind: MarkupKind::Markdown, value }
    }
}

/// Formats a name as code, with backquotes inside of it.
fn code(name: &str) -> String {
    let name = plain::line(name);
    let fence = "`".repeat(longest_run(&name) + 1);
    if fence.len() > 1 { format!("{fence} {name} {fence}") } else { format!("{fence}{name}{fence}") }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
