//! The `olm.bundle` that `opm render` makes of a bundle directory, to the byte.
//!
//! Source: operator-registry `alpha/action/render.go`, `pkg/registry/registry_to_model.go`,
//! `alpha/action/migrations`.

mod properties;
mod sort;

use std::{
    collections::{BTreeSet, HashSet},
    fmt::Write as _,
    str::FromStr,
};

use crate::{
    registry::{Bundle, BundleError, Csv},
    typed::find_field,
};
use olm_catalog::{
    Member, Node, Number, Value,
    text::{canonical::RenderFormat, emit, json as json_text},
};

pub use properties::{metadata_property, order_metadata};
pub use sort::sort_as_go;

/// Options of rendering.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Bundle image, or a template for it; `None` for an empty image.
    pub image: Option<ImageTemplate>,
    /// True to convert the objects to one `olm.csv.metadata`, if there is an image.
    pub migrate: bool,
}

/// An `olm.bundle` with values as raw JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenderedBundle {
    /// Name of the CSV.
    pub name: String,
    /// Package of the annotations.
    pub package: String,
    /// Bundle image.
    pub image: String,
    /// Properties in opm's order.
    pub properties: Vec<RawProperty>,
    /// Pairs of name and image.
    pub related_images: Vec<(String, String)>,
}

/// A property with its value as compact JSON.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RawProperty {
    /// Type of the property.
    pub kind: String,
    /// Value as compact JSON.
    pub value: String,
}

impl RawProperty {
    pub(super) fn new(kind: impl Into<String>, value: impl Into<String>) -> Self {
        Self { kind: kind.into(), value: value.into() }
    }
}

/// Renders a bundle.
///
/// # Errors
///
/// If opm rejects it.
pub fn render_olm_bundle(bundle: &Bundle, options: &Options) -> Result<RenderedBundle, BundleError> {
    let properties = properties::sorted_properties(bundle, true)?;
    let mut rendered = render_properties(bundle, options, properties)?;
    if options.migrate && !rendered.image.is_empty() {
        rendered.migrate_to_csv_metadata(bundle)?;
    }
    Ok(rendered)
}

/// Renders a bundle with one `olm.csv.metadata` instead of its objects, with or without an image. If opm cannot migrate
/// it, it keeps its objects.
///
/// # Errors
///
/// If opm rejects it.
pub fn render_with_metadata(
    bundle: &Bundle,
    image: Option<ImageTemplate>,
) -> Result<RenderedBundle, BundleError> {
    let options = Options { image, migrate: false };
    // A property that opm would keep replaces the objects only if it is migrated, so it is rendered as before.
    let properties = properties::sorted_properties(bundle, false)?;
    if !properties.iter().any(properties::is_csv_metadata) {
        let mut rendered = render_properties(bundle, &options, properties)?;
        if rendered.migrate_to_csv_metadata(bundle).is_ok() {
            return Ok(rendered);
        }
    }
    let mut rendered = render_olm_bundle(bundle, &options)?;
    let _ = rendered.migrate_to_csv_metadata(bundle);
    Ok(rendered)
}

fn render_properties(
    bundle: &Bundle,
    options: &Options,
    properties: Vec<RawProperty>,
) -> Result<RenderedBundle, BundleError> {
    let name = bundle.csv().name().to_owned();
    let image = match &options.image {
        Some(template) => {
            let version = properties::version_for_template(bundle)?;
            template.image_for(bundle.package(), &name, &version)
        }
        None => String::new(),
    };
    let related_images = related_images(bundle.csv(), &image)?;
    Ok(RenderedBundle { name, package: bundle.package().to_owned(), image, properties, related_images })
}

impl RenderedBundle {
    /// Creates the known part of a bundle that opm rejects.
    pub fn minimal(name: &str, package: &str, version: &str) -> Self {
        let value =
            format!("{{\"packageName\":{},\"version\":{}}}", quote_string(package), quote_string(version));
        let known =
            if version.is_empty() { Vec::new() } else { vec![RawProperty::new("olm.package", value)] };
        Self {
            name: name.to_owned(),
            package: package.to_owned(),
            image: String::new(),
            properties: known,
            related_images: Vec::new(),
        }
    }

    /// Replaces its objects by one `olm.csv.metadata`, with or without an image. If that fails, nothing
    /// changes.
    ///
    /// # Errors
    ///
    /// If opm cannot migrate it.
    pub fn migrate_to_csv_metadata(&mut self, bundle: &Bundle) -> Result<(), BundleError> {
        properties::migrate_objects(bundle, &mut self.properties)
    }

    /// Formats the blob like opm; empty without a package.
    pub fn to_text(&self, format: RenderFormat) -> String {
        if self.package.is_empty() {
            return String::new();
        }
        let json = self.to_compact_json();
        match (format, json_text::parse_json(json.as_bytes())) {
            (RenderFormat::Yaml, Ok(node)) => format!("---\n{}", emit::write_yaml(&node)),
            _ => indent_json(&json, "    "),
        }
    }

    /// Formats the blob as one line of JSON.
    pub fn to_compact_json(&self) -> String {
        let mut out = String::from("{\"schema\":\"olm.bundle\"");
        let mut field = |key: &str, value: &str, always: bool| {
            if always || !value.is_empty() {
                // Writing to a string cannot fail.
                let _ = write!(out, ",\"{key}\":{}", quote_string(value));
            }
        };
        field("name", &self.name, false);
        field("package", &self.package, false);
        field("image", &self.image, true);
        let list = |out: &mut String, key: &str, items: Vec<String>| {
            if !items.is_empty() {
                let _ = write!(out, ",\"{key}\":[{}]", items.join(","));
            }
        };
        let properties = self.properties.iter();
        let properties = properties.map(|property| {
            format!("{{\"type\":{},\"value\":{}}}", quote_string(&property.kind), property.value)
        });
        list(&mut out, "properties", properties.collect());
        let images = self.related_images.iter();
        let images = images.map(|(name, image)| {
            format!("{{\"name\":{},\"image\":{}}}", quote_string(name), quote_string(image))
        });
        list(&mut out, "relatedImages", images.collect());
        out.push('}');
        out
    }
}

/// Indents compact JSON like Go's `json.Indent`, which does not change strings.
pub(crate) fn indent_json(json: &str, indent: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    let mut bytes = json.char_indices().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(indent, depth));
    };
    while let Some((_, c)) = bytes.next() {
        if in_text {
            out.push(c);
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                let close = if c == '{' { '}' } else { ']' };
                if bytes.next_if(|(_, next)| *next == close).is_some() {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => {
                in_text = c == '"';
                out.push(c);
            }
        }
    }
    out.push('\n');
    out
}

/// Returns the images of `spec.relatedImages`, the bundle image, and further images of the deployments, sorted
/// by image.
pub(crate) fn related_images(csv: Csv, image: &str) -> Result<Vec<(String, String)>, BundleError> {
    let text = |node: &Node, key| find_field(node, key).and_then(Node::as_str).unwrap_or_default().to_owned();
    let mut images: Vec<(String, String)> = Vec::new();
    if let Some(spec) = csv.spec() {
        csv.check_type(spec, "RelatedImages")?;
        csv.check_type(spec, "Install")?;
        let listed = find_field(spec, "relatedImages").map(Node::items).unwrap_or_default();
        images.extend(listed.iter().map(|image| (text(image, "name"), text(image, "image"))));
    }
    let mut known: HashSet<String> = images.iter().map(|(_, image)| image.clone()).collect();
    if !image.is_empty() && known.insert(image.to_owned()) {
        images.push((String::new(), image.to_owned()));
    }
    let used = container_images(csv);
    images
        .extend(used.into_iter().filter(|image| !known.contains(image)).map(|image| (String::new(), image)));
    sort_as_go(&mut images, |a, b| a.1 < b.1);
    Ok(images)
}

/// Returns the images of the deployments' containers; a container without one gives an empty string.
fn container_images(csv: Csv) -> BTreeSet<String> {
    let install = csv.spec_field("install");
    let is_deployment =
        install.and_then(|i| find_field(i, "strategy")).and_then(Node::as_str) == Some("deployment");
    let strategy = install.filter(|_| is_deployment).and_then(|install| find_field(install, "spec"));
    let deployments =
        strategy.and_then(|s| find_field(s, "deployments")).map(Node::items).unwrap_or_default();
    let pods = deployments.iter().filter_map(|deployment| {
        ["spec", "template", "spec"].into_iter().try_fold(deployment, |node, key| find_field(node, key))
    });
    let containers = pods.flat_map(|pod| {
        let lists = ["containers", "initContainers"].into_iter().filter_map(|key| find_field(pod, key));
        lists.flat_map(Node::items)
    });
    containers.map(|c| find_field(c, "image").and_then(Node::as_str).unwrap_or_default().to_owned()).collect()
}

/// A template such as `registry.example.com/{{.Package}}:v{{.Version}}`, in the subset of Go's `text/template`
/// with fields only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageTemplate(Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Package,
    Name,
    Version,
}

/// Error of an invalid template.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// `{{` without `}}`.
    #[error("the template has `{{{{` without `}}}}`")]
    Open,
    /// Anything other than a known field.
    #[error("`{{{{{0}}}}}`: the template knows {{{{.Package}}}}, {{{{.Name}}}} and {{{{.Version}}}}")]
    Unknown(String),
}

impl ImageTemplate {
    /// Creates a template that returns the same image for every bundle.
    pub fn literal(image: &str) -> Self {
        Self(vec![Part::Text(image.to_owned())])
    }

    /// Returns the image of a bundle.
    pub fn image_for(&self, package: &str, name: &str, version: &str) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Text(text) => text,
            Part::Package => package,
            Part::Name => name,
            Part::Version => version,
        });
        parts.collect()
    }
}

impl FromStr for ImageTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (inside, after) = after.split_once("}}").ok_or(TemplateError::Open)?;
            let before = if inside.starts_with("- ") { before.trim_end() } else { before };
            parts.push(Part::Text(before.to_owned()));
            let field = inside.strip_prefix("- ").unwrap_or(inside);
            let field = field.strip_suffix(" -").unwrap_or(field);
            parts.push(match field.trim() {
                ".Package" => Part::Package,
                ".Name" => Part::Name,
                ".Version" => Part::Version,
                _ => return Err(TemplateError::Unknown(inside.to_owned())),
            });
            rest = if inside.ends_with(" -") { after.trim_start() } else { after };
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }
}

/// Treatment of keys and characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonStyle {
    /// Like `json.Marshal` of a map: sorted keys, the last of duplicates; `<`, `>`, `&` escaped.
    Marshalled,
    /// Like YAML converted to JSON: as above, but numbers keep all digits.
    Kept,
    /// Like a marshalled struct: keys in order; `<`, `>`, `&` escaped.
    Escaped,
    /// Like `json.Compact` of a raw value: keys and characters unchanged.
    Raw,
}

/// Formats a tree on one line.
pub fn compact_json(node: &Node, style: JsonStyle) -> String {
    let mut out = String::new();
    let mut work = vec![Work::Node(node)];
    // An explicit stack, because nesting may be 10,000 levels deep.
    while let Some(next) = work.pop() {
        match next {
            Work::Text(text) => out.push_str(text),
            Work::Key(key) => {
                write_string(&mut out, key, style);
                out.push(':');
            }
            Work::Node(node) => match &node.value {
                Value::Null => out.push_str("null"),
                Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
                Value::Number(Number(text)) if style == JsonStyle::Marshalled => {
                    out.push_str(&format_number(text));
                }
                Value::Number(Number(text)) => out.push_str(text),
                Value::String(text) => write_string(&mut out, text, style),
                Value::List(items) => {
                    out.push('[');
                    work.push(Work::Text("]"));
                    for (at, item) in items.iter().enumerate().rev() {
                        work.push(Work::Node(item));
                        if at > 0 {
                            work.push(Work::Text(","));
                        }
                    }
                }
                Value::Map(members) => {
                    out.push('{');
                    work.push(Work::Text("}"));
                    for (at, member) in ordered_members(members, style).into_iter().enumerate().rev() {
                        work.push(Work::Node(&member.value));
                        work.push(Work::Key(&member.key));
                        if at > 0 {
                            work.push(Work::Text(","));
                        }
                    }
                }
            },
        }
    }
    out
}

enum Work<'n> {
    Text(&'static str),
    Key(&'n str),
    Node(&'n Node<'n>),
}

fn ordered_members<'n, 'a>(members: &'n [Member<'a>], style: JsonStyle) -> Vec<&'n Member<'a>> {
    let mut kept: Vec<&Member> = members.iter().collect();
    if !matches!(style, JsonStyle::Raw | JsonStyle::Escaped) {
        kept.sort_by(|a, b| a.key.cmp(&b.key));
        kept.dedup_by(|next, kept| {
            let same = next.key == kept.key;
            if same {
                *kept = *next;
            }
            same
        });
    }
    kept
}

/// Formats a number that passes through an `interface{}`: 64-bit integers unchanged, others as floats.
fn format_number(text: &str) -> String {
    if let Ok(whole) = text.parse::<i64>() {
        return whole.to_string();
    }
    let float = text.parse::<f64>().ok().and_then(Number::from_f64);
    float.map_or_else(|| text.to_owned(), |number| number.0.into_owned())
}

fn write_string(out: &mut String, text: &str, style: JsonStyle) {
    use std::fmt::Write as _;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' if style != JsonStyle::Raw => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c if c < ' ' || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Quotes a string without escaping `<>&`.
fn quote_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text, JsonStyle::Raw);
    out
}

/// Removes the blanks between the tokens of JSON text; other bytes are unchanged.
fn strip_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut escaped) = (false, false);
    for c in text.chars() {
        if in_text {
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        } else {
            in_text = c == '"';
        }
        out.push(c);
    }
    out
}
