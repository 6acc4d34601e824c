//! Hover text for the name at the cursor, with the same wording as `olmap successors` and the
//! explorer.

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};

use super::{
    DraftCatalog, Encoding, TextDocument, complete,
    location::{self, DocumentSpan},
    names::{self, NamedObject, Occurrence},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, FileId, Span,
    blob::{ChannelBlob, DeprecationTarget, Entry},
    escape,
    package::Package,
    text::split::Format,
};
use olm_upgrade::{
    EdgeKind, Engine, Installed, PackageGraph, UpgradeTable, stuck::StuckEnds, table::SummaryPart, v1::Query,
};
use olmap_report::{
    Style,
    answer::{self, ResolverQuery},
    stuck_sentences,
};

/// Maximum number of names per kind.
const MAX_NAMES: usize = 8;

/// Content of a hover text without markup.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HoverText {
    title: String,
    lines: Vec<String>,
}

/// Returns the hover text for a position of a file. `markdown` is true if the client renders
/// Markdown.
pub fn hover_at(
    draft: &DraftCatalog,
    (file, document): (FileId, &TextDocument),
    position: Position,
    (encoding, markdown): (Encoding, bool),
) -> Option<Hover> {
    let byte = document.byte_at(encoding, position);
    let (doc, offset) = document_at(draft, file, byte)?;
    if let Some((field, range)) = field_at(draft, file, byte) {
        let span = Span::new(range.start, range.end);
        let at = location::to_range(draft.current(), encoding, DocumentSpan { doc, span });
        let described = names::name_of_key_at(draft.last_valid(), doc, offset)
            .map(|(package, occurrence)| describe_name(draft, package, &occurrence));
        let mut content = field.to_markup(markdown);
        if let Some(described) = described {
            let separator = if markdown { "\n\n---\n\n" } else { "\n\n" };
            content.value.push_str(separator);
            content.value.push_str(&described.to_markup(markdown).value);
        }
        return Some(Hover { contents: Contents::MarkupContent(content), range: at });
    }
    let (told, span) = describe_at(draft, doc, offset)?;
    let contents = Contents::MarkupContent(told.to_markup(markdown));
    Some(Hover { contents, range: location::to_current_range(draft, encoding, DocumentSpan { doc, span }) })
}

/// Returns the description of the field or schema at a byte offset of a file, with the range in its document.
fn field_at(draft: &DraftCatalog, file: FileId, byte: usize) -> Option<(HoverText, std::ops::Range<usize>)> {
    let (segment, offset) = draft.current().file(file)?.segment_at(byte)?;
    let text = std::str::from_utf8(segment.text.as_bytes()).ok()?;
    let is_json = segment.format() == Some(Format::Json) || text.trim_start().starts_with('{');
    let (description, range) = complete::describe_field(text, offset, is_json)?;
    let title = format_code(text.get(range.clone())?);
    let mut letters = description.chars();
    let description: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).chain(['.']).collect();
    Some((HoverText { title, lines: vec![description] }, range))
}

/// Returns the document at a byte offset of a file, and the offset in its last valid text.
pub fn document_at(draft: &DraftCatalog, file: FileId, byte: usize) -> Option<(DocId, usize)> {
    let (segment, offset) = draft.current().file(file)?.segment_at(byte)?;
    let doc = DocId { file, serial: segment.serial };
    Some((doc, draft.to_last_valid_offset(doc, offset)))
}

/// Returns the hover text for an offset of a document, with the span of the described text.
fn describe_at(draft: &DraftCatalog, doc: DocId, offset: usize) -> Option<(HoverText, Span)> {
    let catalog = draft.last_valid();
    if let Some((package, occurrence)) = names::name_at(catalog, doc, offset) {
        return Some((describe_name(draft, package, &occurrence), occurrence.at.span));
    }
    let (package, channel, entry) = entry_at(catalog, doc, offset)?;
    let range = entry.skip_range.as_ref().filter(|range| range.text.span.range().contains(&offset));
    let told = match range {
        Some(_) => describe_skip_range(package, channel, entry),
        None => describe_bundle(draft, package, &entry.name.value, Some(&channel.name.value)),
    };
    Some((told, range.map_or(entry.span, |range| range.text.span)))
}

/// Returns the entry at an offset of a document.
pub(crate) fn entry_at(
    catalog: &Catalog,
    doc: DocId,
    offset: usize,
) -> Option<(&Package, &ChannelBlob, &Entry)> {
    names::packages_in(catalog, doc).find_map(|package| {
        let channels = package.channels.iter().filter(|channel| channel.doc == doc);
        let mut entries =
            channels.flat_map(|channel| channel.entries.iter().map(move |entry| (channel, entry)));
        let (channel, entry) = entries.find(|(_, entry)| entry.span.contains(offset))?;
        Some((package, channel.as_ref(), entry))
    })
}

fn describe_name(draft: &DraftCatalog, package: &Package, occurrence: &Occurrence) -> HoverText {
    match &occurrence.named {
        NamedObject::Package => describe_package(draft, package),
        NamedObject::Channel(name) => describe_channel(draft, package, name),
        NamedObject::Bundle(name) => describe_bundle(draft, package, name, occurrence.channel.as_ref()),
    }
}

/// Describes a package: its channels, their heads, and the number of stuck versions.
fn describe_package(draft: &DraftCatalog, package: &Package) -> HoverText {
    let mut told = HoverText::new(
        &package.name,
        "package",
        package.deprecation(&DeprecationTarget::Package).map(|d| &*d.message.value),
    );
    told.push_line(&format!(
        "{}, {}",
        count_with_noun(package.channels.len(), "channel"),
        count_with_noun(package.bundles.len(), "bundle")
    ));
    if let Some(graph) = build_graph(draft, package) {
        told.push_line(&stuck_sentences::summarize_package_stuck(graph.stuck()));
    }
    for channel in package.channels.iter().take(MAX_NAMES) {
        let heads: Vec<String> = channel.heads().iter().take(MAX_NAMES).map(ToString::to_string).collect();
        let default = if package.default_channel() == Some(&channel.name.value) { " (default)" } else { "" };
        let heads = if heads.is_empty() { "no head".to_owned() } else { heads.join(", ") };
        told.push_line(&format!("{}{default}: {heads}", channel.name.value));
    }
    told.push_remaining_count(package.channels.len(), "channel");
    told
}

/// Describes a channel: its head, and the upgrades of its entries.
fn describe_channel(draft: &DraftCatalog, package: &Package, name: &ChannelName) -> HoverText {
    let mut told =
        HoverText::new(name, "channel", package.channel_deprecation(name).map(|d| &*d.message.value));
    let Some(channel) = package.channel(name.as_str()) else {
        told.push_line(&format!("not a channel of {}", package.name));
        return told;
    };
    let heads: Vec<String> = channel.heads().iter().take(MAX_NAMES).map(ToString::to_string).collect();
    let default = if package.default_channel() == Some(name) { ", default channel" } else { "" };
    told.push_line(&format!("{}{default}", count_with_noun(channel.entries.len(), "entry")));
    match heads.as_slice() {
        [] => told.push_line("no head"),
        [head] => told.push_line(&format!("head: {head}")),
        several => told.push_line(&format!("{} heads: {}", several.len(), several.join(", "))),
    }
    if let Some(graph) = build_graph(draft, package) {
        let table = UpgradeTable::new(&graph, name, &Query::default());
        let summary = table.summarize_channel();
        told.push_line(&format!(
            "Classic and v1 agree on the next upgrade of {} of {}",
            summary.agree,
            count_with_noun(summary.total, "entry")
        ));
        for (part, words) in summary.format_parts(&[Engine::Classic, Engine::V1]) {
            match part {
                SummaryPart::Agree => {}
                SummaryPart::Later => told.push_line(&format!("{} later upgrades differ", summary.later)),
                _ => told.push_line(&words),
            }
        }
        if let Some(words) = stuck_sentences::summarize_channel_stuck(&graph, name) {
            told.push_line(&words);
        }
    }
    told
}

/// Describes a bundle: its edges in a channel, and the answers of both OLMs. Uses `channel` if
/// given, else the default channel if it has the bundle, else the first channel that has it.
fn describe_bundle(
    draft: &DraftCatalog,
    package: &Package,
    name: &BundleName,
    channel: Option<&ChannelName>,
) -> HoverText {
    let mut told =
        HoverText::new(name, "bundle", package.bundle_deprecation(name).map(|d| &*d.message.value));
    match package.bundle(name.as_str()).map(|bundle| &bundle.version) {
        Some(Some(version)) => told.push_line(&format!("version {version}")),
        Some(None) => told.push_line("no version is known"),
        None => told.push_line(&format!("not a bundle of {}: only named in entries", package.name)),
    }
    let containing_channels: Vec<&ChannelName> =
        package.channels_with(name).map(|channel| &channel.name.value).collect();
    let Some(graph) = build_graph(draft, package) else { return told };
    let ends = StuckEnds::new(&graph);
    let words = ends
        .as_ref()
        .and_then(|ends| stuck_sentences::describe_stuck_version(ends, name, ToString::to_string));
    if let Some(words) = words {
        told.push_line(&words);
    }
    let default = package.default_channel().filter(|default| containing_channels.contains(default));
    let asked = channel.or(default).or_else(|| containing_channels.first().copied());
    if let Some(asked) = asked {
        told.push_edges(package, &graph, asked, name);
        let installed = Installed::from_package(package, name);
        let classic = ResolverQuery::Classic { package: package.name.clone(), channel: asked.clone() };
        let v1 = ResolverQuery::V1 { package: package.name.clone(), query: Query::default() };
        let answers = [
            (classic, graph.resolve_classic(asked.as_str(), Some(&installed))),
            (v1, graph.resolve_v1(&Query::default(), Some(&installed))),
        ];
        for (asked, answer) in &answers {
            told.lines.extend(
                answer::render_answer(asked, answer, None, false, &UNWRAPPED).lines().map(str::to_owned),
            );
        }
        let table = UpgradeTable::new(&graph, asked, &Query::default());
        if let Some(row) = table.find_row(name) {
            told.lines.extend(
                table
                    .row_notes(package, row)
                    .into_iter()
                    .map(|remark| escape::escape_line(&remark.text).into_owned()),
            );
        }
    }
    let others: Vec<String> =
        containing_channels.iter().filter(|home| Some(**home) != asked).map(ToString::to_string).collect();
    match (containing_channels.is_empty(), others.as_slice()) {
        (true, _) => told.push_line("in no channel"),
        (false, []) => {}
        (false, others) => {
            let shown = others.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
            let more = others.len().saturating_sub(MAX_NAMES);
            told.push_line(&if more == 0 {
                format!("also in {shown}")
            } else {
                format!("also in {shown} and {more} more")
            });
        }
    }
    told
}

/// Describes a `skipRange`: the matching bundles of the channel.
fn describe_skip_range(package: &Package, channel: &ChannelBlob, entry: &Entry) -> HoverText {
    let mut told = HoverText { title: "`skipRange`".to_owned(), lines: Vec::new() };
    let Some(range) = &entry.skip_range else { return told };
    told.push_line(&range.text.value);
    if let Err(error) = &range.range {
        told.push_line(&error.to_string());
        return told;
    }
    let own = &entry.name.value;
    let names = channel.entries.iter().map(|entry| &entry.name.value).filter(|name| *name != own);
    let matched: Vec<String> = names
        .filter(|name| {
            package.bundle_version(name.as_str()).is_some_and(|version| entry.range_matches(&version.version))
        })
        .map(|name| package.short_name(name))
        .collect();
    told.push_line(&match join_few_names(&matched) {
        Some(few) => format!("matches {few} in {}", channel.name.value),
        None => format!("matches no other entry of {}", channel.name.value),
    });
    told
}

/// Style without line breaks; the client wraps lines.
const UNWRAPPED: Style = Style { width: 10_000, ..Style::PLAIN };

fn build_graph(draft: &DraftCatalog, package: &Package) -> Option<PackageGraph> {
    draft.last_valid().package(package.name.as_str()).map(|package| draft.package_graph(package))
}

/// Joins names: all of up to [`MAX_NAMES`], else their number with the first and the last. `None`
/// if there are none.
fn join_few_names(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [first, .., last] if names.len() > MAX_NAMES => {
            Some(format!("{} versions, {first} to {last}", names.len()))
        }
        few => Some(few.join(", ")),
    }
}

fn count_with_noun(n: usize, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (_, "entry") => format!("{n} entries"),
        _ => format!("{n} {what}s"),
    }
}

impl HoverText {
    fn new<T: std::fmt::Display>(name: &T, what: &str, deprecated: Option<&str>) -> Self {
        let mut told =
            Self { title: format!("{what} {}", format_code(&name.to_string())), lines: Vec::new() };
        if let Some(message) = deprecated {
            told.push_line(&format!("DEPRECATED: {message}"));
        }
        told
    }

    fn push_line(&mut self, line: &str) {
        self.lines.push(escape::escape_line(line).into_owned());
    }

    /// Adds the number of objects beyond [`MAX_NAMES`], if any.
    fn push_remaining_count(&mut self, all: usize, what: &str) {
        if let Some(more @ 1..) = all.checked_sub(MAX_NAMES) {
            self.push_line(&format!("and {}", count_with_noun(more, &format!("more {what}"))));
        }
    }

    /// Adds the edges to and from a bundle in a channel, with the wording of the Graph screen.
    fn push_edges(
        &mut self,
        package: &Package,
        graph: &PackageGraph,
        channel: &ChannelName,
        name: &BundleName,
    ) {
        let Some(upgrades) = graph.channel(channel.as_str()) else { return };
        let Some(at) = upgrades.graph.find_node(name.as_str()) else {
            self.push_line(&format!("no entry of {channel}"));
            return;
        };
        let channel_graph = &upgrades.graph;
        let short = |names: Vec<&BundleName>| {
            names.into_iter().map(|name| package.short_name(name)).collect::<Vec<_>>()
        };
        let named = |all: &mut dyn Iterator<Item = _>| {
            short(all.filter_map(|at| channel_graph.node(at)).map(|node| &node.name).collect())
        };
        let version = package.bundle_version(name.as_str());
        let ranged_from = || {
            let entry = channel_graph.entry(at)?;
            entry.skip_range.as_ref()?;
            let mut nodes = channel_graph.entry_nodes().filter(|other| {
                let version = channel_graph.node(*other).and_then(|node| node.version.as_ref());
                *other != at && version.is_some_and(|version| entry.range_matches(&version.version))
            });
            Some(named(&mut nodes))
        };
        let ranged_to = || {
            version.map(|version| {
                named(&mut channel_graph.range_successors(version).filter(|other| *other != at))
            })
        };
        let from = [
            (EdgeKind::Replaces, named(&mut channel_graph.targets(at, EdgeKind::Replaces).into_iter())),
            (EdgeKind::Skips, named(&mut channel_graph.targets(at, EdgeKind::Skips).into_iter())),
            (EdgeKind::SkipRange, ranged_from().unwrap_or_default()),
        ];
        let to = [
            (EdgeKind::Replaces, named(&mut channel_graph.successors(at, EdgeKind::Replaces))),
            (EdgeKind::Skips, named(&mut channel_graph.successors(at, EdgeKind::Skips))),
            (EdgeKind::SkipRange, ranged_to().unwrap_or_default()),
        ];
        for (label, edges) in [("Upgrades from", from), ("Upgrades to", to)] {
            let parts: Vec<String> = edges
                .iter()
                .filter_map(|(kind, names)| Some(format!("{} by {}", join_few_names(names)?, kind.as_str())))
                .collect();
            if !parts.is_empty() {
                self.push_line(&format!("{label} {}", parts.join("; ")));
            }
        }
    }

    /// Returns the text as markup. Text of the catalog is never interpreted: names are code, and punctuation with a
    /// meaning is escaped. Indented lines belong to the line above.
    fn to_markup(&self, markdown: bool) -> MarkupContent {
        if !markdown {
            let title = self.title.replace('`', "");
            let body = self.lines.join("\n");
            return MarkupContent { kind: MarkupKind::PlainText, value: format!("{title}\n{body}") };
        }
        let mut value = match self.title.split_once(' ') {
            Some((kind, name)) if !kind.starts_with('`') => format!("**{kind}** {name}\n"),
            _ => format!("{}\n", self.title),
        };
        for line in &self.lines {
            let text = escape_markdown(line.trim_start());
            let mark = if line.starts_with("    ") { "    - " } else { "- " };
            value.push_str(&format!("\n{mark}{text}"));
        }
        MarkupContent { kind: MarkupKind::Markdown, value }
    }
}

/// Escapes text so that Markdown shows it as it is, without links and emphasis.
fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        let is_mark =
            matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '~' | '|' | '&' | '!' | '@' | '$');
        // Addresses become links without any mark around them.
        let is_address = c == ':' && rest.starts_with("://")
            || c == '.' && text.get(..at).is_some_and(|before| before.to_ascii_lowercase().ends_with("www"));
        let begins_block = at == 0 && matches!(c, '#' | '-' | '+' | '=');
        let is_number = matches!(c, '.' | ')') && at > 0 && text.get(..at).is_some_and(is_digits);
        if is_mark || is_address || begins_block || is_number {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Formats a name as inline code, even if it contains backquotes.
fn format_code(name: &str) -> String {
    let name = escape::escape_line(name);
    let fence = "`".repeat(longest_backquote_run(&name) + 1);
    if fence.len() > 1 { format!("{fence} {name} {fence}") } else { format!("{fence}{name}{fence}") }
}

fn longest_backquote_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
