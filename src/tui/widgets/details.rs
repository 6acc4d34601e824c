//! Details of the selected package, channel or bundle.

use crate::tui::{
    keys::ActionId,
    session::context::ViewContext,
    widgets::{
        canvas::{Line, line_width, piece, text_piece, wrap_text, wrapped_lines},
        installed_operators, stuck_versions,
        text::format_count,
        theme::Ink,
        what_if,
    },
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{BundleBlob, Dependency, DeprecationTarget},
    file::DocId,
    span::Span,
};
use olm_check::{
    Finding,
    review::{PackageState, Snapshot},
};
use olmap_report::finding::severity_ink;

/// Returns the notes about a template.
pub fn template_lines(view_cx: &ViewContext<'_>, snapshot: &Snapshot, columns: usize) -> Vec<Line> {
    if snapshot.catalog.template().is_none() {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if snapshot.catalog.template().is_some_and(|template| template.semver().is_some()) {
        let key = view_cx.key_label(ActionId::ShowTemplate);
        push_paragraph(&mut lines, &format!("{key} shows the lists of the template"), Ink::Key, columns);
    }
    lines.extend(finding_summary_lines(snapshot.outside_findings().iter(), columns));
    for related in snapshot.outside_findings().iter().flat_map(|finding| &finding.related) {
        push_paragraph(&mut lines, &format!("  {}", related.message), Ink::Dim, columns);
    }
    lines
}

fn format_location(snapshot: &Snapshot, doc: DocId, span: Span) -> String {
    let place = snapshot.catalog.location(doc, span);
    place.map(|place| place.path_and_line()).unwrap_or_default()
}

/// Maximum number of findings shown outside of the Problems screen.
pub const MAX_FINDINGS: usize = 100;

/// Formats findings up to the maximum number, and the number of remaining ones.
pub fn finding_summary_lines<'a>(
    mut findings: impl Iterator<Item = &'a Finding>,
    columns: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for finding in findings.by_ref().take(MAX_FINDINGS) {
        let ink = severity_ink(finding.severity());
        let head = format!("{} {}: ", finding.severity().as_str(), finding.rule.id);
        let wrapped = wrap_text(&format!("{head}{}", finding.message), columns);
        for (index, line) in wrapped.into_iter().enumerate() {
            let rest = if index == 0 { line.strip_prefix(head.as_str()).map(str::to_owned) } else { None };
            lines.push(match rest {
                Some(rest) => vec![piece(head.clone(), ink), text_piece(rest)],
                None => vec![text_piece(line)],
            });
        }
    }
    match findings.count() {
        0 => {}
        more => lines.push(vec![piece(format!("and {more} more: Problems lists them"), Ink::Dim)]),
    }
    lines
}

/// Appends text in one ink, wrapped to lines.
pub fn push_paragraph(lines: &mut Vec<Line>, words: &str, ink: Ink, columns: usize) {
    lines.extend(wrapped_lines(words, columns, ink));
}

/// Appends facts, as many per line as fit.
pub fn push_facts(lines: &mut Vec<Line>, facts: Vec<Line>, columns: usize) {
    let mut line: Line = Vec::new();
    for fact in facts {
        if !line.is_empty() && line_width(&line) + 3 + line_width(&fact) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(text_piece("   "));
        }
        line.extend(fact);
    }
    if !line.is_empty() {
        lines.push(line);
    }
}

/// Builds a fact from its name and value.
pub fn fact_pieces(name: &str, value: impl Into<String>) -> Line {
    vec![piece(format!("{name} "), Ink::Dim), text_piece(value)]
}

/// Describes a package: its facts, states and deprecation.
///
/// * `max_groups` - maximum number of groups of stuck versions that are listed.
pub fn package_lines(
    view_cx: &ViewContext<'_>,
    snapshot: &Snapshot,
    package_state: &PackageState,
    columns: usize,
    max_groups: usize,
) -> Vec<Line> {
    let package = package_state.package();
    let mut lines = Vec::new();
    let mut facts = vec![vec![piece(package.name.to_string(), Ink::Title)]];
    match package.default_channel() {
        Some(name) => facts.push(fact_pieces("default channel", name.as_str())),
        None => facts.push(vec![piece("no default channel", Ink::Warning)]),
    }
    facts.push(vec![text_piece(format_count(package.channels.len(), "channel"))]);
    facts.push(vec![text_piece(format_count(package.bundles.len(), "bundle"))]);
    if let Some(definition) = package.definition() {
        // In a template the definition is only part of the document.
        let in_template = snapshot.catalog.template().is_some();
        let span = if in_template { definition.name.span } else { Span::default() };
        facts.push(vec![piece(format_location(snapshot, definition.doc, span), Ink::Dim)]);
        if let Some(icon) = &definition.icon {
            facts.push(fact_pieces("icon", icon.media_type.as_str()));
        }
    }
    push_facts(&mut lines, facts, columns);
    lines.extend(stuck_versions::package_lines(view_cx, package_state, columns, max_groups));
    lines.extend(template_lines(view_cx, snapshot, columns));
    lines.extend(installed_operators::operator_lines(view_cx, &package.name, columns));
    push_deprecation(&mut lines, package_state, &DeprecationTarget::Package, columns);
    lines
}

/// Describes a channel: its facts, deprecation and findings.
pub fn channel_lines(
    snapshot: &Snapshot,
    package_state: &PackageState,
    name: &ChannelName,
    columns: usize,
) -> Vec<Line> {
    let package = package_state.package();
    let mut lines = Vec::new();
    let Some(upgrades) = package_state.graph.channel(name.as_str()) else { return lines };
    let graph = &upgrades.graph;
    let mut facts = vec![vec![piece(name.to_string(), Ink::Title)]];
    if package.default_channel() == Some(name) {
        facts.push(vec![piece("default channel", Ink::Good)]);
    }
    if let Some(head) = graph.head() {
        facts.push(fact_pieces("head", head.name.as_str()));
    }
    facts.push(vec![text_piece(match graph.entry_nodes().count() {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    })]);
    let skipped = graph.entry_nodes().filter(|&at| graph.is_skipped(at)).count();
    if skipped > 0 {
        facts.push(vec![text_piece(format!("{skipped} skipped"))]);
    }
    facts.push(vec![piece(format_location(snapshot, graph.channel.doc, graph.channel.name.span), Ink::Dim)]);
    push_facts(&mut lines, facts, columns);
    if let Err(error) = &upgrades.chain {
        push_paragraph(&mut lines, &format!("Classic cannot use this channel: {error}"), Ink::Error, columns);
    }
    push_deprecation(&mut lines, package_state, &DeprecationTarget::Channel(name.clone()), columns);
    lines.extend(finding_summary_lines(
        package_state.findings.iter().filter(|f| f.channel.as_ref() == Some(name)),
        columns,
    ));
    lines
}

/// Describes a bundle: its facts, deprecation, findings and requirements.
///
/// * `answers` - lines inserted after the facts, such as the answers of both OLMs.
pub fn bundle_lines(
    snapshot: &Snapshot,
    package_state: &PackageState,
    name: &BundleName,
    answers: Vec<Line>,
    columns: usize,
) -> Vec<Line> {
    let package = package_state.package();
    let mut lines = Vec::new();
    let Some(blob) = package.bundle(name.as_str()) else {
        let users: Vec<String> = package.channels_with(name).map(|c| c.name.value.to_string()).collect();
        push_paragraph(&mut lines, name.as_str(), Ink::Title, columns);
        let words = if users.is_empty() {
            "Only referenced: no entry or bundle has this name.".to_owned()
        } else {
            format!("An entry of {} without a bundle in this catalog.", users.join(", "))
        };
        push_paragraph(&mut lines, &words, Ink::Warning, columns);
        return lines;
    };
    push_facts(&mut lines, bundle_facts(snapshot, package_state, blob), columns);
    lines.extend(answers);
    push_deprecation(&mut lines, package_state, &DeprecationTarget::Bundle(name.clone()), columns);
    lines.extend(finding_summary_lines(
        package_state.findings.iter().filter(|f| f.bundle.as_ref() == Some(name)),
        columns,
    ));
    push_facts(&mut lines, requirement_facts(blob), columns);
    if let Some(image) = &blob.image {
        lines.push(fact_pieces("image", image.value.as_str()));
    }
    lines
}

fn push_deprecation(
    lines: &mut Vec<Line>,
    package_state: &PackageState,
    target: &DeprecationTarget,
    columns: usize,
) {
    if let Some(deprecation) = package_state.package().deprecation(target) {
        push_paragraph(
            lines,
            &format!("DEPRECATED: {}", deprecation.message.value),
            Ink::Deprecated,
            columns,
        );
    }
}

/// Appends a list of APIs, if there are any.
pub fn push_apis<'a>(
    lines: &mut Vec<Line>,
    label: &str,
    kinds_and_versions: impl Iterator<Item = (&'a str, &'a str)>,
    columns: usize,
) {
    let names: Vec<String> = kinds_and_versions.map(|(kind, version)| format!("{kind}/{version}")).collect();
    if !names.is_empty() {
        push_paragraph(lines, &format!("{label} {}", names.join(", ")), Ink::Text, columns);
    }
}

fn bundle_facts(snapshot: &Snapshot, package_state: &PackageState, blob: &BundleBlob) -> Vec<Line> {
    let package = package_state.package();
    let name = &blob.name.value;
    let mut facts = vec![vec![piece(name.to_string(), Ink::Title)]];
    match &blob.version {
        Some(version) => facts.push(fact_pieces("version", version.to_string())),
        None => facts.push(vec![piece("no valid version", Ink::Error)]),
    }
    let mut channels: Vec<&str> = package.channels_with(name).map(|c| c.name.value.as_str()).collect();
    channels.sort_unstable();
    facts.push(match channels.as_slice() {
        [] => vec![piece("in no channel", Ink::Warning)],
        some => fact_pieces("in", some.join(", ")),
    });
    facts.push(vec![piece(format_location(snapshot, blob.doc, blob.name.span), Ink::Dim)]);
    facts
}

/// Returns the requirements of a bundle.
fn requirement_facts(blob: &BundleBlob) -> Vec<Line> {
    let mut facts = Vec::new();
    for dependency in &blob.requires {
        facts.push(match dependency {
            Dependency::Package { package, range, .. } => fact_pieces("needs", format!("{package} {range}")),
            Dependency::Gvk { gvk, .. } => {
                fact_pieces("needs", format!("{} {}/{}", gvk.kind, gvk.group, gvk.version))
            }
            Dependency::Constraint { message, .. } => fact_pieces("needs", message.as_str()),
        });
    }
    if let Some(csv) = &blob.csv {
        if !csv.install_modes.is_empty() {
            facts.push(vec![text_piece(csv.install_modes.join(", "))]);
        }
        if let Some(version) = &csv.min_kube_version {
            facts.push(fact_pieces("Kubernetes from", version.as_str()));
        }
    }
    if let Some(version) = &blob.max_openshift {
        facts.push(fact_pieces("OpenShift up to", version.value.as_str()));
    }
    facts
}

/// Describes the selected bundle if it was removed. The lines after it apply to clusters that have
/// it installed.
pub fn removed_bundle_lines(view_cx: &ViewContext<'_>, columns: usize) -> Vec<Line> {
    let gone = view_cx
        .session
        .selection()
        .bundle
        .as_ref()
        .and_then(|name| view_cx.session.derived.removed_entry(name));
    let Some(gone) = gone else { return Vec::new() };
    let had = if gone.previous.is_empty() { String::new() } else { format!("; it {}", gone.previous) };
    let head = what_if::removed_label(view_cx);
    let mut lines = Vec::new();
    push_paragraph(&mut lines, &format!("{} is {head}{had}", gone.name), Ink::Removed, columns);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_check::rules;

    #[test]
    fn findings_above_the_limit_are_only_counted() {
        let some = |n: usize| vec![Finding::new(&rules::NO_HEAD, "it has none"); n];
        let told = |n: usize| finding_summary_lines(some(n).iter(), 80).len();
        assert_eq!([0, 1, 100, 101, 5000].map(told), [0, 1, 100, 101, 101]);
        let last = finding_summary_lines(some(5000).iter(), 80).pop().unwrap();
        assert_eq!(last, [piece("and 4900 more: Problems lists them", Ink::Dim)]);
    }
}
