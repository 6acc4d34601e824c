//! Code actions: fixes of findings, and releases of a bundle to channels.

use std::path::Path;

use gen_lsp_types::{CodeAction, CodeActionKind, Diagnostic as Shown, Range, TextEdit};

use super::{
    DraftCatalog, Encoding, TextDocument, address,
    changes::{self, Client},
    findings::{self, FindingSubject},
    hover, names,
};
use olm_bundle::Tree;
use olm_catalog::{BundleName, Catalog, DocId, FileId, package::Package};
use olm_check::{Finding, bundles::BundleFix};
use olm_edit::{Edit, apply_edit};
use olm_upgrade::{
    PackageGraph,
    placement::{ChannelPlacements, ChosenPlacement, Placement, PlacementChoice},
};

/// Maximum number of channels to which a release is offered.
const MAX_RELEASES: usize = 8;

/// Returns the fixes of findings in a range of a file. Skips fixes that cannot be applied.
pub fn code_actions<'f>(
    about: FindingSubject<'_>,
    findings: impl Iterator<Item = &'f Finding>,
    (path, asked): (&Path, Range),
    encoding: Encoding,
    client: &Client,
) -> Vec<CodeAction> {
    let mut actions: Vec<CodeAction> = Vec::new();
    for finding in findings.filter(|finding| finding.fix.is_some() || finding.bundle_fix.is_some()) {
        let Some((file, range)) =
            finding.at.as_ref().and_then(|at| findings::location_range(about, at, encoding))
        else {
            continue;
        };
        if file != path || !ranges_touch(range, asked) {
            continue;
        }
        let made = match (about, &finding.fix, finding.bundle_fix.as_deref()) {
            (FindingSubject::Catalog(catalog), Some(edit), _) => apply_edit(catalog, edit)
                .ok()
                .and_then(|after| changes::diff_catalogs(catalog, &after, encoding, client).ok())
                .map(|change| (edit.title(), change)),
            (FindingSubject::Bundle(tree, root), _, Some(fix)) => {
                bundle_text_edits(tree, root, fix, encoding).map(|file| {
                    (finding.rule.help.to_owned(), changes::build_workspace_edit(vec![file], client))
                })
            }
            _ => None,
        };
        let Some((title, edit)) = made else { continue };
        let title = format!("Fix {}: {title}", finding.rule.id);
        let diagnostic = published_diagnostic(about, finding, encoding, path);
        actions.push(CodeAction {
            title: olm_catalog::escape::escape_line(&title).into_owned(),
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: diagnostic.map(|diagnostic| vec![diagnostic]),
            is_preferred: Some(true),
            edit: Some(edit),
            ..CodeAction::default()
        });
    }
    actions
}

/// Returns the releases of the bundle at a position to channels that do not have it. The position is in its `olm.bundle`
/// or in an entry. Each action has the proposed place, so that all upgrades are kept. Channels for which the bundle is
/// too old or a pre-release are left out.
pub fn release_actions(
    draft: &DraftCatalog,
    (file, document): (FileId, &TextDocument),
    asked: Range,
    encoding: Encoding,
    client: &Client,
) -> Vec<CodeAction> {
    let byte = document.byte_at(encoding, asked.start);
    let Some((doc, offset)) = hover::document_at(draft, file, byte) else { return Vec::new() };
    let catalog = draft.current();
    let Some((package, bundle)) = bundle_at(catalog, doc, offset) else { return Vec::new() };
    if package.documents().any(|doc| draft.is_broken(doc)) {
        return Vec::new();
    }
    let Some(package) = catalog.package(package.name.as_str()) else { return Vec::new() };
    let graph = PackageGraph::new(package);
    let release = |channel| {
        let places = ChannelPlacements::find_placements(&graph, channel, bundle, None).ok()?;
        let chosen = places.choose_placement(PlacementChoice::default()).ok()?;
        if chosen.reservation.is_some() {
            return None;
        }
        let title = release_title(package, bundle, &chosen);
        let edit = Edit::promote(package, bundle, &[chosen.place]);
        let after = apply_edit(catalog, &edit).ok()?;
        Some(CodeAction {
            title,
            kind: Some(CodeActionKind::Refactor),
            edit: Some(changes::diff_catalogs(catalog, &after, encoding, client).ok()?),
            ..CodeAction::default()
        })
    };
    let channels = package.channels.iter().map(|channel| &channel.name.value);
    channels.filter_map(release).take(MAX_RELEASES).collect()
}

/// Returns the bundle whose `olm.bundle` or entry is at an offset of a document, with its package.
fn bundle_at(catalog: &Catalog, doc: DocId, offset: usize) -> Option<(&Package, &BundleName)> {
    let own = names::packages_in(catalog, doc).find_map(|package| {
        let bundle = package.bundles.iter().find(|bundle| bundle.doc == doc)?;
        Some((package, &bundle.name.value))
    });
    let of_entry =
        || hover::entry_at(catalog, doc, offset).map(|(package, _, entry)| (package, &entry.name.value));
    own.or_else(of_entry).filter(|(package, bundle)| package.bundle(bundle.as_str()).is_some())
}

/// Returns `Release ship.v1.2.4 to stable (below 1.3.0, skipped)`.
fn release_title(package: &Package, bundle: &BundleName, chosen: &ChosenPlacement) -> String {
    let above = chosen.above.as_ref().map(|above| package.short_name(above));
    let place = match (chosen.placement, above) {
        (Placement::First, _) => "first entry".to_owned(),
        (Placement::Skipped, Some(above)) => format!("below {above}, skipped"),
        (Placement::Step, Some(above)) => format!("below {above}, replaced"),
        (Placement::EntryOnly, Some(above)) => format!("below {above}"),
        _ => "head".to_owned(),
    };
    let title = format!("Release {bundle} to {} ({place})", chosen.place.channel);
    olm_catalog::escape::escape_line(&title).into_owned()
}

/// Returns a finding as it was published.
fn published_diagnostic(
    about: FindingSubject<'_>,
    finding: &Finding,
    encoding: Encoding,
    path: &Path,
) -> Option<Shown> {
    findings::diagnostics_by_file(about, std::iter::once(finding), encoding, path)
        .into_values()
        .flatten()
        .next()
}

/// Returns the text edits of a fix in a bundle directory.
fn bundle_text_edits(
    tree: &Tree,
    root: &Path,
    fix: &BundleFix,
    encoding: Encoding,
) -> Option<(std::path::PathBuf, Vec<TextEdit>)> {
    let text = tree.files.get(tree.file_index(&fix.file)?)?.content_or_empty();
    let at = |byte: u32| encoding.position(text, byte as usize);
    let edits = fix.splices.iter().map(|(span, new)| {
        let range = Range { start: at(span.start), end: at(span.end) };
        TextEdit { range, new_text: new.clone() }
    });
    Some((address::normalize_dots(&root.join(&fix.file)), edits.collect()))
}

/// Returns true if two ranges overlap or are adjacent.
fn ranges_touch(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
