//! What the finder's row is about, before one goes there.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        overlay::{Finder, Found},
    },
    catalog::{BundleName, ChannelName, blob::DeprecationTarget},
    review::{Judged, Snapshot},
    ui::{
        canvas::{Canvas, Pieces, piece, text},
        catalog::short,
        details::{answer_lines, fact, facts, findings, needs, paragraph, severity_role},
        frame::plural,
        theme::Role,
    },
    validate::Diagnostic,
};

/// Draws it; what does not fit is for the screen one goes to.
pub fn draw(model: &Model, finder: &Finder, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(found) = finder.found.get(finder.cursor) else { return };
    let lines = lines(model, finder, found, usize::from(area.width), canvas.ascii).unwrap_or_default();
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.line(Rect { y, height: 1, ..area }, line);
    }
}

fn lines(model: &Model, finder: &Finder, found: &Found, columns: usize, ascii: bool) -> Option<Vec<Pieces>> {
    let open = model.open.get(found.place.catalog)?;
    let snapshot = open.now();
    let mut lines = Vec::new();
    if model.open.len() > 1 {
        paragraph(&mut lines, &open.source.label(), Role::Dim, columns);
    }
    let selection = &found.place.selection;
    let judged = selection.package.as_ref().and_then(|name| snapshot.package(name.as_str()));
    if let Some(nth) = found.finding {
        let all = judged.map_or_else(|| snapshot.outside(), |judged| &judged.findings);
        finding(&mut lines, snapshot, all.get(nth)?, columns);
        return Some(lines);
    }
    let judged = judged?;
    match (&selection.channel, &selection.bundle) {
        (_, Some(name)) => {
            bundle(&mut lines, snapshot, judged, name, columns);
            let answers = finder.answers();
            for answer in [&answers.classic, &answers.v1].into_iter().flatten() {
                lines.extend(answer_lines(judged, answer, columns, ascii));
            }
            of_bundle(&mut lines, judged, name, columns);
        }
        (Some(name), None) => channel(&mut lines, judged, name, columns),
        (None, None) => package(&mut lines, snapshot, judged, columns),
    }
    Some(lines)
}

fn finding(lines: &mut Vec<Pieces>, snapshot: &Snapshot, finding: &Diagnostic, columns: usize) {
    let severity = severity_role(finding.severity());
    lines.push(vec![
        piece(format!("{} ", finding.severity().as_str()), severity),
        piece(finding.rule.id, Role::Title),
    ]);
    paragraph(lines, &finding.message, Role::Text, columns);
    if let Some(place) = finding.at.as_ref().and_then(|at| at.place(&snapshot.catalog)) {
        paragraph(lines, &format!("at {}:{}", place.path.display(), place.line), Role::Dim, columns);
    }
    paragraph(lines, &format!("help: {}", finding.advice()), Role::Good, columns);
}

fn package(lines: &mut Vec<Pieces>, snapshot: &Snapshot, judged: &Judged, columns: usize) {
    let package = judged.package();
    let mut known = vec![vec![piece(package.name.to_string(), Role::Title)]];
    known.push(vec![text(plural(package.channels.len(), "channel"))]);
    known.push(vec![text(plural(package.bundles.len(), "bundle"))]);
    facts(lines, known, columns);
    deprecated(lines, judged, &DeprecationTarget::Package, columns);
    let definition = package.definition();
    if let Some(place) = definition.and_then(|it| snapshot.catalog.place(it.doc, it.name.span)) {
        paragraph(lines, &format!("{}:{}", place.path.display(), place.line), Role::Dim, columns);
    }
    for channel in judged.graph.channels() {
        let name = channel.graph.name();
        let head = channel.graph.head().and_then(|at| channel.graph.node(at));
        let mark = if package.default_channel() == Some(name) { "* " } else { "  " };
        let mut line = vec![piece(mark, Role::Good), text(name.to_string())];
        line.extend(head.map(|head| piece(format!("  {}", short(package, &head.name)), Role::Dim)));
        lines.push(line);
    }
    lines.extend(findings(judged.findings.iter(), columns));
}

fn channel(lines: &mut Vec<Pieces>, judged: &Judged, name: &ChannelName, columns: usize) {
    let package = judged.package();
    let mut known = vec![vec![piece(format!("{} {name}", package.name), Role::Title)]];
    let Some(upgrades) = judged.graph.channel(name.as_str()) else { return facts(lines, known, columns) };
    if package.default_channel() == Some(name) {
        known.push(vec![piece("default channel", Role::Good)]);
    }
    let entries = upgrades.graph.entries().count();
    known.push(vec![text(if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") })]);
    if let Some(head) = upgrades.graph.head().and_then(|at| upgrades.graph.node(at)) {
        known.push(fact("head", short(package, &head.name)));
    }
    facts(lines, known, columns);
    if let Err(error) = &upgrades.chain {
        paragraph(lines, &format!("Classic cannot use this channel: {error}"), Role::Error, columns);
    }
    deprecated(lines, judged, &DeprecationTarget::Channel(name.clone()), columns);
    lines.extend(findings(judged.findings.iter().filter(|f| f.channel.as_ref() == Some(name)), columns));
}

/// What a bundle is, and where it stands.
fn bundle(lines: &mut Vec<Pieces>, snapshot: &Snapshot, judged: &Judged, name: &BundleName, columns: usize) {
    let package = judged.package();
    let mut known = vec![vec![piece(name.to_string(), Role::Title)]];
    let mut channels: Vec<&str> = package.channels_with(name).map(|c| c.name.value.as_str()).collect();
    channels.sort_unstable();
    known.push(match channels.as_slice() {
        [] => vec![piece("in no channel", Role::Warning)],
        some => fact("in", some.join(", ")),
    });
    let blob = package.bundle(name.as_str());
    if let Some(version) = blob.and_then(|blob| blob.version.as_ref()) {
        known.push(fact("version", version.to_string()));
    }
    if let Some(place) = blob.and_then(|blob| snapshot.catalog.place(blob.doc, blob.name.span)) {
        known.push(vec![piece(format!("{}:{}", place.path.display(), place.line), Role::Dim)]);
    }
    facts(lines, known, columns);
}

/// What is said of it, and what it needs.
fn of_bundle(lines: &mut Vec<Pieces>, judged: &Judged, name: &BundleName, columns: usize) {
    deprecated(lines, judged, &DeprecationTarget::Bundle(name.clone()), columns);
    lines.extend(findings(judged.findings.iter().filter(|f| f.bundle.as_ref() == Some(name)), columns));
    let Some(blob) = judged.package().bundle(name.as_str()) else { return };
    facts(lines, needs(blob), columns);
    if !blob.provides.is_empty() {
        let apis: Vec<String> =
            blob.provides.iter().map(|api| format!("{}/{}", api.kind, api.version)).collect();
        paragraph(lines, &format!("Provides {}", apis.join(", ")), Role::Text, columns);
    }
    if let Some(image) = &blob.image {
        paragraph(lines, &format!("image {}", image.value), Role::Dim, columns);
    }
}

fn deprecated(lines: &mut Vec<Pieces>, judged: &Judged, target: &DeprecationTarget, columns: usize) {
    if let Some(deprecation) = judged.package().deprecation(target) {
        paragraph(lines, &format!("DEPRECATED: {}", deprecation.message.value), Role::Deprecated, columns);
    }
}
