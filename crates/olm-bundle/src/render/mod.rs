//! The `olm.bundle` that `opm render` makes of a bundle directory, to the byte.
//!
//! Source: operator-registry `alpha/action/render.go`, `pkg/registry/registry_to_model.go`,
//! `alpha/action/migrations`.

pub(super) mod images;
mod json;
mod migrate;
mod properties;
mod sort;
mod template;

use std::fmt::Write as _;

pub use json::{JsonStyle, compact_json};
pub use migrate::{metadata_property, order_metadata};
pub use sort::sort_as_go;
pub use template::{ImageTemplate, TemplateError};

use super::registry::{Bundle, BundleError};
use olm_catalog::text::{canonical::RenderFormat, emit, json as json_text};

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
    let mut properties = properties::sorted_properties(bundle)?;
    let name = bundle.csv().name().to_owned();
    let image = match &options.image {
        Some(template) => {
            let version = properties::version_for_template(bundle)?;
            template.image_for(bundle.package(), &name, &version)
        }
        None => String::new(),
    };
    let related_images = images::related_images(bundle.csv(), &image)?;
    if options.migrate && !image.is_empty() {
        migrate::migrate_objects(bundle, &mut properties)?;
    }
    Ok(RenderedBundle { name, package: bundle.package().to_owned(), image, properties, related_images })
}

impl RenderedBundle {
    /// Creates the known part of a bundle that opm rejects.
    pub fn minimal(name: &str, package: &str, version: &str) -> Self {
        let value = format!(
            "{{\"packageName\":{},\"version\":{}}}",
            json::quote_string(package),
            json::quote_string(version)
        );
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
        migrate::migrate_objects(bundle, &mut self.properties)
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
                let _ = write!(out, ",\"{key}\":{}", json::quote_string(value));
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
            format!("{{\"type\":{},\"value\":{}}}", json::quote_string(&property.kind), property.value)
        });
        list(&mut out, "properties", properties.collect());
        let images = self.related_images.iter();
        let images = images.map(|(name, image)| {
            format!("{{\"name\":{},\"image\":{}}}", json::quote_string(name), json::quote_string(image))
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
