//! Comparison of a published catalog with its template.

use std::collections::BTreeSet;

use super::{
    Difference, Snapshot,
    diff::{ChangeKind, ChannelDiff, PackageDiff},
};
use crate::{Finding, rules};
use olm_bundle::template::{
    self, CatalogBundles, Options, Rendered, TemplateDocument, TemplateErrorKind, TemplateErrors,
};
use olm_catalog::{
    Catalog, Node, Origin, TemplateSource, load,
    package::Package,
    text::canonical::{self, RenderFormat},
};

/// Result of the comparison of a catalog with its template.
#[derive(Debug)]
pub enum Agreement {
    /// The catalog has the same meaning as the rendered template.
    Same,
    /// Equal except for the description and icon of the package, which were not compared: opm takes them from
    /// the manifests of this bundle, which are not available.
    SameExceptDescription(String),
    /// The catalog differs from the rendered template.
    Differs(Box<Difference>),
    /// The catalog does not have the bundles of these images: the template changed after it was rendered.
    UnknownImages(Vec<String>),
    /// The template cannot be rendered.
    Refused(TemplateErrors),
}

/// Function that returns the ClusterServiceVersion of a bundle, if its manifests are available.
pub type ManifestSource<'m> = &'m dyn Fn(&str) -> Option<Node<'static>>;

/// Renders a template with the bundles of a published catalog and compares the results. `manifests` provides the
/// description and icon of a package that opm reads from manifests. Without them, both are not compared.
pub fn compare_catalog(
    template: &TemplateDocument,
    published: Catalog,
    options: Options,
    manifests: ManifestSource<'_>,
) -> Agreement {
    match render_template(template, &published, options, manifests) {
        Ok(rendered) => compare_rendered(&rendered, published, None),
        Err(faults) => agreement_from_faults(faults),
    }
}

/// Compares like [`compare_catalog`], but ignores packages of the catalog that the template does not generate.
pub fn compare_own_packages(
    template: &TemplateDocument,
    published: Catalog,
    options: Options,
    manifests: ManifestSource<'_>,
) -> Agreement {
    let rendered = match render_template(template, &published, options, manifests) {
        Ok(rendered) => rendered,
        Err(faults) => return agreement_from_faults(faults),
    };
    let made: BTreeSet<&str> = rendered.rendered.docs.iter().filter_map(package_of_object).collect();
    if published.packages().all(|package| made.contains(package.name.as_str())) {
        return compare_rendered(&rendered, published, None);
    }
    let own: Vec<Node> = published
        .documents()
        .filter_map(|doc| published.parse_document(doc)?.ok())
        .filter(|doc| package_of_object(doc).is_some_and(|package| made.contains(package)))
        .collect();
    let text = canonical::render_documents(&own, RenderFormat::Yaml).into_bytes();
    let own = load::from_texts(Origin::Stdin, [("published.yaml".into(), text.clone())]);
    compare_rendered(&rendered, own, Some(&text))
}

/// Returns the package of a catalog object.
fn package_of_object<'n>(doc: &'n Node) -> Option<&'n str> {
    let text = |key: &str| doc.get(key).and_then(Node::as_str);
    if text("schema") == Some("olm.package") { text("name") } else { text("package") }
}

/// A rendered template, completed for the comparison with a catalog.
struct CompletedRender {
    rendered: Rendered,
    /// Bundle whose manifests are not available, so that the description is that of the catalog.
    unread_description: Option<String>,
}

impl CompletedRender {
    fn same(&self) -> Agreement {
        self.unread_description.clone().map_or(Agreement::Same, Agreement::SameExceptDescription)
    }
}

fn render_template(
    template: &TemplateDocument,
    published: &Catalog,
    options: Options,
    manifests: ManifestSource<'_>,
) -> Result<CompletedRender, TemplateErrors> {
    let bundles = CatalogBundles::new([published]);
    let mut rendered = template::render_template(template, &bundles, options, &crate::rejection_messages)?;
    if let Some(csv) = rendered.description_source().and_then(manifests) {
        rendered.read_description(&csv);
    }
    let unread_description = rendered.description_source().map(str::to_owned);
    rendered.copy_description(published);
    Ok(CompletedRender { rendered, unread_description })
}

/// Compares a rendered template with a catalog. `published_text` is the catalog in the form of opm, if the caller
/// has it.
fn compare_rendered(
    completed: &CompletedRender,
    published: Catalog,
    published_text: Option<&[u8]>,
) -> Agreement {
    let text = completed.rendered.to_text(RenderFormat::Yaml);
    let is_same = published_text == Some(text.as_bytes()) || {
        let docs: Vec<Node> =
            published.documents().filter_map(|doc| published.parse_document(doc)?.ok()).collect();
        canonical::render_documents(&docs, RenderFormat::Yaml) == text
    };
    if is_same {
        return completed.same();
    }
    let made = load::from_texts(Origin::Stdin, [("rendered.yaml".into(), text.into_bytes())]);
    let (published, rendered) = (Snapshot::new(published), Snapshot::new(made));
    let difference = Difference::compare_catalogs(&published, &rendered);
    // The order of entries and objects does not matter.
    if difference.packages.iter().all(PackageDiff::has_same_meaning) && difference.others.is_empty() {
        return completed.same();
    }
    Agreement::Differs(Box::new(difference))
}

/// Difference between a package and the template in its repository.
#[derive(Debug)]
pub struct Contradiction {
    finding: Finding,
    words: String,
}

impl Contradiction {
    /// Converts it to a finding; `newer` says which of the two changed last.
    pub fn into_finding(self, newer: Option<&str>) -> Finding {
        let Self { finding, words } = self;
        let newer = newer.map(|newer| format!("; {newer}")).unwrap_or_default();
        Finding { message: format!("{words}{newer}"), ..finding }
    }
}

/// Compares a package with the text of its template. `None` if they agree or if a part of the package cannot be read.
pub fn find_contradiction(
    catalog: &Catalog,
    package: &Package,
    made_from: &TemplateSource,
    text: &[u8],
) -> Option<Contradiction> {
    let shown = made_from.display_path.display();
    let template = made_from.display_path.file_name().unwrap_or_default().to_string_lossy();
    let docs = package.documents().map(|doc| catalog.parse_document(doc)?.ok());
    let docs: Vec<Node> = docs.collect::<Option<_>>()?;
    let published = canonical::render_documents(&docs, RenderFormat::Yaml).into_bytes();
    let options = Options { migrate: made_from.migrates };
    let compare = |document: &TemplateDocument| {
        let catalog = load::from_texts(Origin::Stdin, [("published.yaml".into(), published.clone())]);
        match render_template(document, &catalog, options, &|_| None) {
            Ok(rendered) => compare_rendered(&rendered, catalog, Some(&published)),
            Err(faults) => agreement_from_faults(faults),
        }
    };
    let agreement = match TemplateDocument::parse(text, made_from.kind) {
        Ok(document) => compare(&document),
        Err(faults) => Agreement::Refused(faults),
    };
    let mut finding = new_finding(package, "");
    let words = match agreement {
        Agreement::Same | Agreement::SameExceptDescription(_) => return None,
        Agreement::Refused(faults) => {
            let reason = faults.0.first().map(|fault| fault.kind.to_string()).unwrap_or_default();
            format!("opm rejects {shown}, which makes it: {reason}")
        }
        Agreement::UnknownImages(images) => match images.as_slice() {
            [only] => format!("template {template} lists an image that is not in the catalog: {only}"),
            images => format!(
                "template {template} lists {} images that are not in the catalog, the first: {}",
                images.len(),
                images.first().map(String::as_str).unwrap_or_default()
            ),
        },
        Agreement::Differs(difference) => {
            let differs: Vec<&PackageDiff> = difference.packages.iter().collect();
            for channel in differs.iter().flat_map(|package| &package.channels).take(MAX_RELATED) {
                if let Some(own) = package.channel(channel.name.as_str()) {
                    finding = finding.with_related(describe_channel(channel), own.doc, own.name.span);
                }
            }
            format!("{} differs from what {shown} makes: {}", package.name, summarize_parts(&differs))
        }
    };
    Some(Contradiction { finding, words })
}

fn new_finding(package: &Package, message: &str) -> Finding {
    let finding = Finding::new(&rules::TEMPLATE_DIFFERS, message).with_package(&package.name);
    match package.definition() {
        Some(definition) => finding.at_span(definition.doc, definition.name.span),
        None => finding,
    }
}

/// Maximum number of related positions in a finding.
const MAX_RELATED: usize = 3;

/// Summarizes the differences.
fn summarize_parts(packages: &[&PackageDiff]) -> String {
    let mut parts = Vec::new();
    let mut add = |count: usize, one: &str| match count {
        0 => {}
        1 => parts.push(format!("1 {one}")),
        count => parts.push(format!("{count} {one}s")),
    };
    let count = |of: fn(&PackageDiff) -> usize| packages.iter().map(|package| of(package)).sum::<usize>();
    add(count(|package| usize::from(package.change_kind != ChangeKind::Changed)), "package");
    add(count(|package| usize::from(package.default_channel.is_some())), "default channel");
    add(count(|package| package.channels.len()), "channel");
    add(count(|package| package.bundles.len()), "bundle");
    add(count(|package| package.deprecations.len()), "deprecation");
    add(count(|package| package.description.len() + package.others.len()), "other part");
    if parts.is_empty() { "objects without a package".to_owned() } else { parts.join(", ") }
}

/// Describes the difference in a channel.
fn describe_channel(channel: &ChannelDiff) -> String {
    let name = &channel.name;
    if channel.change_kind == ChangeKind::Removed {
        return format!("the template makes no channel {name}");
    }
    let count = |fate: ChangeKind| channel.entries.iter().filter(|entry| entry.change_kind() == fate).count();
    let told = [
        (ChangeKind::Removed, "only here"),
        (ChangeKind::Added, "only in the template"),
        (ChangeKind::Changed, "with other edges"),
    ];
    let told: Vec<String> = told
        .into_iter()
        .map(|(fate, words)| (count(fate), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {} {words}", if count == 1 { "entry" } else { "entries" }))
        .collect();
    format!("channel {name}: {}", told.join(", "))
}

/// Returns the missing images if there are no other faults.
fn agreement_from_faults(faults: TemplateErrors) -> Agreement {
    let image = |fault: &template::TemplateError| match &*fault.kind {
        TemplateErrorKind::UnknownImage(image) => Some(image.clone()),
        _ => None,
    };
    match faults.0.iter().map(image).collect::<Option<Vec<_>>>() {
        Some(images) if !images.is_empty() => Agreement::UnknownImages(images),
        _ => Agreement::Refused(faults),
    }
}
