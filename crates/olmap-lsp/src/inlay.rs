//! Inlay hints: the next upgrade of each channel entry, as `olmap successors` and the explorer show it.

use std::collections::HashSet;

use gen_lsp_types::{InlayHint, Range};

use super::{DraftCatalog, Encoding, TextDocument, location, names};
use olm_catalog::{
    BundleName, Catalog, FileId,
    blob::{ChannelBlob, Entry},
    escape,
    package::Package,
};
use olm_upgrade::{
    Installed, PackageGraph,
    install_blockers::v1_pick_blockers,
    package::ChannelUpgrades,
    stuck::{StuckEnds, StuckGroup},
    table::{NextUpgrade, classic_next, v1_next},
    v1::Query,
};
use olmap_report::stuck_sentences;

/// Returns the hints of the entries in a range of a file: `→ 1.3.0` if both OLMs agree, `stuck`, or
/// `Classic → 1.3.0, v1 → 1.4.0`. Entries without a bundle have no hint, because they cannot be installed.
pub fn inlay_hints(
    draft: &DraftCatalog,
    (file, document): (FileId, &TextDocument),
    range: Range,
    encoding: Encoding,
) -> Vec<InlayHint> {
    let shown = document.byte_at(encoding, range.start)..=document.byte_at(encoding, range.end);
    let Some(source) = draft.current().file(file) else { return Vec::new() };
    let catalog = draft.last_valid();
    let mut hints = Vec::new();
    for package in catalog.packages() {
        let channels = package.channels.iter().filter(|channel| channel.doc.file == file);
        let mut known: Option<PackageHints<'_>> = None;
        for channel in channels {
            let Some(start) = source.chunk_offset(channel.doc.serial) else { continue };
            for entry in &channel.entries {
                let end = draft.to_current_span(channel.doc, entry.name.span).end as usize;
                if !shown.contains(&(start + end)) || !is_entry_in_source(catalog, channel, entry) {
                    continue;
                }
                let known = known.get_or_insert_with(|| {
                    let graph = draft.package_graph(package);
                    PackageHints::for_package(package, graph, catalog)
                });
                let Some((label, tooltip)) = known.describe_entry(channel, &entry.name.value) else {
                    continue;
                };
                let Some(position) = location::to_position(draft.current(), encoding, channel.doc, end)
                else {
                    continue;
                };
                let mut hint = InlayHint::new(position, label.into(), None, None, None, None, None, None);
                hint.tooltip = Some(tooltip.into());
                hint.padding_left = Some(true);
                hints.push(hint);
            }
        }
    }
    hints
}

/// Returns true if the name of an entry is in the text. A template generates other entries.
fn is_entry_in_source(catalog: &Catalog, channel: &ChannelBlob, entry: &Entry) -> bool {
    names::is_value_in_source(catalog, channel.doc, entry.name.span, entry.name.value.as_str())
}

/// Returns true if a file of the package has text that cannot be read, which may be a channel or a bundle.
fn has_unread_objects(package: &Package, catalog: &Catalog) -> bool {
    let files: HashSet<FileId> = package.documents().map(|doc| doc.file).collect();
    let mut problems = package.problems.in_documents().chain(catalog.problems().in_documents());
    problems.any(|(kind, doc, _)| kind.is_error() && files.contains(&doc.file))
}

/// Upgrade graph of a package with the hints of its entries.
struct PackageHints<'p> {
    package: &'p Package,
    /// Graph whose v1 answers are those of a cluster.
    graph: PackageGraph,
    /// Graph of the readable part, with the stuck versions. `None` if edges may be missing, so that versions would
    /// only seem to be stuck.
    complete: Option<PackageGraph>,
}

/// Next upgrade in one OLM.
struct EngineHint<'a> {
    next: NextUpgrade,
    /// Reason why v1 refuses the next upgrade.
    refusal: Option<String>,
    stuck: Option<&'a StuckGroup>,
}

impl<'p> PackageHints<'p> {
    fn for_package(package: &'p Package, graph: PackageGraph, catalog: &Catalog) -> Self {
        let mut names = HashSet::new();
        let mut channels = graph.channels().iter();
        let is_complete = channels.all(|channel| channel.chain.is_ok() && names.insert(channel.graph.name()))
            && package.bundles.iter().all(|bundle| bundle.version.is_some())
            && !has_unread_objects(package, catalog);
        let complete = is_complete.then(|| graph.clone());
        Self { package, graph: graph.with_served_parts(catalog), complete }
    }

    /// Returns the label and the tooltip of an entry. `None` if the catalog does not have its bundle.
    fn describe_entry(&self, channel: &ChannelBlob, name: &BundleName) -> Option<(String, String)> {
        self.package.bundle(name.as_str())?;
        let upgrades = self.graph.channel(channel.name.value.as_str())?;
        // The first of several channels with the same name is checked.
        if upgrades.graph.channel.doc != channel.doc {
            return None;
        }
        let installed = Installed::from_package(self.package, name);
        let state = self.complete.as_ref().map(|graph| graph.stuck().state_of(name)).unwrap_or_default();
        let query = Query::default();
        let v1 = v1_next(&self.graph.v1_resolver(&query), &installed);
        let refusal = v1
            .target()
            .and_then(|pick| v1_pick_blockers(self.package, pick, Some(&installed), &query.channels).pop())
            .map(|blocker| blocker.text);
        let classic =
            EngineHint { next: classic_next(upgrades, &installed), refusal: None, stuck: state.classic };
        let v1 = EngineHint { next: v1, refusal, stuck: state.v1 };
        let place = EntryPlace { package: self.package, upgrades, name };
        let parts = [&classic, &v1].map(|hint| place.describe_next(hint));
        let label = match &parts {
            [both, other] if both == other => both.clone(),
            [classic, v1] => format!("Classic {classic}, v1 {v1}"),
        };
        let mut lines = vec![
            format!("Classic, channel {}: {}", channel.name.value, place.describe_fully(&classic)),
            format!("v1, all channels: {}", place.describe_fully(&v1)),
        ];
        lines.extend(v1.refusal.iter().map(|why| format!("v1 refuses it: {why}")));
        match &self.complete {
            Some(graph) => lines.extend(StuckEnds::new(graph).and_then(|ends| {
                stuck_sentences::describe_stuck_version(&ends, name, |end| self.package.short_name(end))
            })),
            None => lines.push("not known whether it is stuck: the package has errors".to_owned()),
        }
        if state.needs_channel_change {
            lines.push("Classic reaches the current version only if the channel changes".to_owned());
        }
        let lines: Vec<_> = lines.iter().map(|line| escape::escape_line(line)).collect();
        Some((escape::escape_line(&label).into_owned(), lines.join("\n")))
    }
}

/// Entry of a channel.
struct EntryPlace<'a> {
    package: &'a Package,
    upgrades: &'a ChannelUpgrades,
    name: &'a BundleName,
}

impl EntryPlace<'_> {
    /// Describes the next upgrade in short form: `→ 1.3.0`, `stuck`, `head` or `?`.
    fn describe_next(&self, hint: &EngineHint<'_>) -> String {
        let is_head = || self.upgrades.graph.head().is_some_and(|head| head.name == *self.name);
        match (&hint.next, hint.stuck) {
            (NextUpgrade::Error(_), _) => "?".to_owned(),
            (NextUpgrade::To(to), _) if hint.refusal.is_some() => {
                format!("refuses {}", self.package.short_name(to))
            }
            (NextUpgrade::To(to), None) => format!("→ {}", self.package.short_name(to)),
            (NextUpgrade::To(to), Some(group)) => {
                let end = self.package.short_name(&group.end);
                format!("→ {} (stuck at {end})", self.package.short_name(to))
            }
            (NextUpgrade::Stays, Some(_)) => "stuck".to_owned(),
            (NextUpgrade::Stays, None) if is_head() => "head".to_owned(),
            (NextUpgrade::Stays, None) => "stays".to_owned(),
        }
    }

    fn describe_fully(&self, hint: &EngineHint<'_>) -> String {
        match &hint.next {
            NextUpgrade::Stays => format!("stays on {}", self.name),
            NextUpgrade::To(to) => format!("upgrades to {to}"),
            NextUpgrade::Error(error) => format!("not known: {error}"),
        }
    }
}
