//! `olm.semver`: lists of images from which opm makes a package and channels.

use std::collections::{HashMap, HashSet};

use super::{
    Note, Options, Rendered, TemplateDocument,
    bundles::{BundleProvider, PreparedBundle, prepare_bundle},
    error::{TemplateError, TemplateErrorKind, TemplateErrors},
};
use crate::typed::find_field;
use olm_catalog::{
    Member, Node, Span, Value, decode,
    template::semver::{
        self, Channel, Document, Generated, Image, Item, List, ListPosition, Lists, generate,
        package_and_version,
    },
    text::canonical,
};
use olm_version::Version;

/// Bundle of an image in the lists, with its package and version.
struct KnownBundle {
    prepared: PreparedBundle,
    package: String,
    version: Version,
}

/// Renders a template.
pub(super) fn render_semver(
    template: &TemplateDocument,
    bundles: &dyn BundleProvider,
    options: Options,
) -> Result<Rendered, TemplateErrors> {
    let unread = |fault: semver::DocumentError| {
        TemplateErrorKind::Semver(fault.kind).at_span(template.to_file_span(fault.span))
    };
    let document = semver::parse_semver_template(&template.node).map_err(unread)?;
    if document.schema.value != template.kind.schema() {
        let (found, expected) = (document.schema.value.clone(), template.kind);
        let at = template.to_file_span(document.schema.span);
        return Err(TemplateErrorKind::OtherKind { found, expected }.at_span(at).into());
    }
    let settings = document.settings().map_err(unread)?;
    let known = bundles_of_lists(template, &document, bundles, options)?;
    let lists = build_lists(&document, &known);
    let generated = generate(&lists, settings).map_err(|faults| {
        TemplateErrors(faults.into_iter().map(|fault| with_locations(template, &document, fault)).collect())
    })?;
    let head = last_default_entry(&generated, &known);
    let mut notes = Vec::new();
    if generated.default.is_none() {
        notes.push(Note::NoDefaultChannel);
    }
    if let Some((name, head)) = head
        && head.prepared.csv.is_none()
        && head.prepared.has_metadata
    {
        notes.push(Note::DescriptionUnavailable(name.to_owned()));
    }
    let mut docs = vec![build_package(&generated, head.and_then(|(_, head)| head.prepared.csv.as_ref()))];
    docs.extend(generated.channels.iter().map(|channel| channel_node(channel, generated.package)));
    let mut known: Vec<(String, KnownBundle)> = known.into_iter().map(|(i, k)| (i.to_owned(), k)).collect();
    known.sort_by(|a, b| a.0.cmp(&b.0));
    docs.extend(known.into_iter().map(|(_, known)| known.prepared.node));
    Ok(Rendered { docs, notes })
}

/// Returns the bundles of all images in the lists.
fn bundles_of_lists<'d>(
    template: &TemplateDocument,
    document: &'d Document,
    bundles: &dyn BundleProvider,
    options: Options,
) -> Result<HashMap<&'d str, KnownBundle>, TemplateErrors> {
    let (mut known, mut faults) = (HashMap::new(), Vec::new());
    let mut seen: HashSet<&str> = HashSet::new();
    for Image { image, .. } in List::ALL.into_iter().flat_map(|list| document.images(list)) {
        if !seen.insert(&image.value) {
            continue;
        }
        let name = image.value.as_str();
        let unusable = |reason| TemplateErrorKind::Bundle { image: name.to_owned(), reason };
        let used = match bundles.find_by_image(name) {
            None => Err(TemplateErrorKind::UnknownImage(name.to_owned())),
            Some(blob) => prepare_bundle(&blob, options.migrate).and_then(to_known_bundle).map_err(unusable),
        };
        match used {
            Ok(used) => {
                known.insert(name, used);
            }
            Err(kind) => faults.push(kind.at_span(template.to_file_span(image.span))),
        }
    }
    if faults.is_empty() { Ok(known) } else { Err(TemplateErrors(faults)) }
}

/// Extracts package and version of a bundle; the error is in words.
fn to_known_bundle(prepared: PreparedBundle) -> Result<KnownBundle, String> {
    if let Some(problem) = prepared.mistyped_values.first() {
        return Err(problem.to_string());
    }
    let (package, version) = package_and_version(&prepared.blob)?;
    let (package, version) = (package.to_owned(), version.into_owned());
    Ok(KnownBundle { prepared, package, version })
}

fn build_lists<'k>(document: &'k Document, known: &'k HashMap<&str, KnownBundle>) -> Lists<'k> {
    let mut lists = Lists::default();
    for list in List::ALL {
        let items = document.images(list).iter().filter_map(|image| {
            let known = known.get(image.image.value.as_str())?;
            Some(Item {
                image: &image.image.value,
                package: &known.package,
                name: known.prepared.blob.name.value.as_str(),
                version: &known.version,
            })
        });
        *lists.get_mut(list) = items.collect();
    }
    lists
}

/// Converts an error of the generation to an error with locations in the template.
fn with_locations(
    template: &TemplateDocument,
    document: &Document,
    fault: semver::GenerateError,
) -> TemplateError {
    let span = |spot: ListPosition| {
        Some(template.to_file_span(document.images(spot.list).get(spot.index)?.image.span))
    };
    let mut spans = fault.positions().into_iter().filter_map(span);
    let at = spans.next().unwrap_or_else(|| template.to_file_span(template.node.span));
    TemplateError { related: spans.collect(), ..TemplateErrorKind::Generate(fault).at_span(at) }
}

/// Returns the name and bundle of the last entry in the default channel.
fn last_default_entry<'k>(
    generated: &Generated<'k>,
    known: &'k HashMap<&str, KnownBundle>,
) -> Option<(&'k str, &'k KnownBundle)> {
    let name = generated.default_channel()?.entries.last()?.name;
    let known = known.values().find(|known| known.prepared.blob.name.value == name)?;
    Some((known.prepared.blob.name.value.as_str(), known))
}

/// Returns the `olm.package`, with description and icon if there is a ClusterServiceVersion.
fn build_package(generated: &Generated, csv: Option<&Node>) -> Node<'static> {
    let mut members = vec![
        ("schema", text_node("olm.package")),
        ("name", text_node(generated.package)),
        ("defaultChannel", text_node(generated.default_name())),
    ];
    members.extend(csv.map(description_members).unwrap_or_default());
    let package = map_node(members);
    canonical::normalize(&package).detached()
}

/// Returns the icon and the description that a package gets from a ClusterServiceVersion.
pub(super) fn description_members(csv: &Node) -> Vec<(&'static str, Node<'static>)> {
    let spec = csv.get("spec");
    let icon = spec.and_then(|spec| first_icon(spec.get("icon")?));
    let description = spec.and_then(|spec| spec.get("description")?.as_str());
    let description = description.filter(|text| !text.is_empty()).map(text_node);
    let members = [("icon", icon), ("description", description)];
    members.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

/// Returns the first icon; `None` if any icon is malformed.
fn first_icon(icons: &Node) -> Option<Node<'static>> {
    let Value::List(icons) = &icons.value else { return None };
    let text = |icon: &Node, key: &str| match find_field(icon, key).map(|node| &node.value) {
        None => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone().into_owned()),
        Some(_) => None,
    };
    let mut read = icons.iter().map(|icon| {
        let is_read = matches!(icon.value, Value::Map(_) | Value::Null);
        is_read.then_some(())?;
        Some((text(icon, "base64data")?, text(icon, "mediatype")?))
    });
    let first = read.next()??;
    if !read.all(|icon| icon.is_some()) {
        return None;
    }
    decode::decode_base64(&first.0)?;
    let (data, media_type) = (text_node(&first.0), text_node(&first.1));
    Some(map_node(vec![("base64data", data), ("mediatype", media_type)]))
}

/// Returns a channel as opm represents it.
fn channel_node(channel: &Channel, package: &str) -> Node<'static> {
    let entries = channel.entries.iter().map(|entry| {
        let mut members = vec![("name", text_node(entry.name))];
        if let Some(replaces) = entry.replaces.filter(|name| !name.is_empty()) {
            members.push(("replaces", text_node(replaces)));
        }
        if !entry.skips.is_empty() {
            members.push(("skips", list_node(entry.skips.iter().map(|name| text_node(name)).collect())));
        }
        map_node(members)
    });
    map_node(vec![
        ("schema", text_node("olm.channel")),
        ("name", text_node(&channel.name)),
        ("package", text_node(package)),
        ("entries", list_node(entries.collect())),
    ])
}

/// Returns a node without a location.
pub(super) fn build_node(value: Value<'static>) -> Node<'static> {
    Node::new(value, Span::default())
}

pub(super) fn text_node(text: &str) -> Node<'static> {
    build_node(Value::String(text.to_owned().into()))
}

pub(super) fn list_node(items: Vec<Node<'static>>) -> Node<'static> {
    build_node(Value::List(items))
}

pub(super) fn map_node(members: Vec<(&'static str, Node<'static>)>) -> Node<'static> {
    let member = |(key, value): (&'static str, Node<'static>)| Member {
        key: key.into(),
        key_span: Span::default(),
        value,
    };
    build_node(Value::Map(members.into_iter().map(member).collect()))
}
