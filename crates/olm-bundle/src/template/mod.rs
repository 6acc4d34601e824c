//! Rendering of templates to the catalog that opm 1.73 makes, and conversion of catalogs to templates.
//!
//! opm pulls the image of each bundle; here the caller provides bundles by image with [`BundleProvider`]. All unknown
//! images are reported. Everything is pure. The caller also provides a function that checks a
//! catalog, because this crate does not depend on `olm-check`.
//!
//! - `bundles`: bundles by image.
//! - `semver`, `substitutes`: two of the three kinds; the basic kind is in this file.
//! - `infer`: the semver template that produces a catalog.

mod bundles;
mod error;
mod infer;
mod semver;
mod substitutes;

pub use bundles::{BundleProvider, CatalogBundles};
pub use error::{TemplateError, TemplateErrorKind, TemplateErrors};
pub use infer::{Difference, InferError, Inferred, infer_template};

use std::collections::HashSet;

use crate::render::{JsonStyle, compact_json, indent_json};
use bundles::{NO_DOC, prepare_bundle};
use olm_catalog::{
    Catalog, ChunkKind, Format, Member, Node, Span, TemplateKind, Value,
    blob::{Blob, BundleBlob},
    decode::{self, key_matches_field},
    meta::{self, MetaErrorKind},
    problem::{ProblemKind, ProblemLocation},
    text::{
        canonical::{self, RenderFormat},
        emit, split, yaml,
    },
};

/// Function that returns the reasons why opm would reject a catalog; empty if it accepts it.
pub type CatalogCheck<'j> = &'j dyn Fn(&Catalog) -> Vec<String>;

/// Options for rendering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Replaces the `olm.bundle.object`s of a bundle by one `olm.csv.metadata`, like
    /// `--migrate-level bundle-object-to-csv-metadata`.
    pub migrate: bool,
}

/// Result of rendering a template.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// Objects as opm represents them.
    pub docs: Vec<Node<'static>>,
    /// Surprising properties of the result.
    pub notes: Vec<Note>,
}

/// A surprising result that opm does not report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// The default channel is empty, because no version is above 0.0.0.
    #[error("the default channel is empty: all bundles are pre-releases of 0.0.0 in `candidate`")]
    NoDefaultChannel,
    /// The package gets no description and icon, because the known bundle lacks them.
    #[error(
        "the package gets no description and no icon: opm takes them from the manifests of {0}, and what is known of the bundle is \
         olm.csv.metadata without them"
    )]
    DescriptionUnavailable(String),
}

impl Note {
    /// Returns a suggestion, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoDefaultChannel => None,
            Self::DescriptionUnavailable(_) => {
                Some("--keep-description keeps those that the package has in the catalog")
            }
        }
    }
}

impl Rendered {
    /// Formats the result as opm does.
    pub fn to_text(&self, format: RenderFormat) -> String {
        canonical::write_documents(&self.docs, format)
    }

    /// Returns the bundle from whose manifests opm takes the description and the icon of the package, if they are
    /// absent only because its manifests are not available.
    pub fn description_source(&self) -> Option<&str> {
        self.notes.iter().find_map(|note| match note {
            Note::DescriptionUnavailable(bundle) => Some(bundle.as_str()),
            Note::NoDefaultChannel => None,
        })
    }

    /// Copies the description and icon of the package from another catalog, if only missing manifests are the
    /// reason for their absence. Returns true if it did.
    pub fn copy_description(&mut self, catalog: &Catalog) -> bool {
        let definition = self.package_without_description().and_then(|package| {
            let name = package.get("name").and_then(Node::as_str).unwrap_or_default();
            catalog.package(name).and_then(|package| Some(package.definition()?.doc))
        });
        let Some(Ok(definition)) = definition.and_then(|doc| catalog.parse_document(doc)) else {
            return false;
        };
        let kept = canonical::normalize(&definition).detached();
        let is_description = |member: &&Member| ["icon", "description"].contains(&member.key.as_ref());
        self.add_description(kept.members().iter().filter(is_description).cloned().collect())
    }

    /// Takes the description and icon of the package from the ClusterServiceVersion of the
    /// [`description_source`](Self::description_source). Returns true if it did.
    pub fn read_description(&mut self, csv: &Node) -> bool {
        self.add_description(semver::map_node(semver::description_members(csv)).members().to_vec())
    }

    fn package_without_description(&mut self) -> Option<&mut Node<'static>> {
        self.description_source()?;
        self.docs.iter_mut().find(|doc| doc.get("schema").and_then(Node::as_str) == Some("olm.package"))
    }

    fn add_description(&mut self, fresh: Vec<Member<'static>>) -> bool {
        let Some(package) = self.package_without_description() else { return false };
        let mut members = package.members().to_vec();
        members.extend(fresh.into_iter().filter(|member| package.get(&member.key).is_none()));
        *package = canonical::normalize(&Node::new(Value::Map(members), package.span)).detached();
        self.notes.retain(|note| !matches!(note, Note::DescriptionUnavailable(_)));
        true
    }
}

/// Renders a template.
///
/// # Errors
///
/// If opm refuses the template, or if images are unknown.
pub fn render_template(
    template: &TemplateDocument,
    bundles: &dyn BundleProvider,
    options: Options,
    judge: CatalogCheck,
) -> Result<Rendered, TemplateErrors> {
    match template.kind {
        TemplateKind::Basic => render_basic(template, bundles, options),
        TemplateKind::Semver => semver::render_semver(template, bundles, options),
        TemplateKind::Substitutes => substitutes::render_substitutes(template, bundles, options, judge),
    }
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;

/// Kind of template to convert to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConvertTo {
    /// `olm.template.basic`
    Basic,
    /// `olm.template.substitutes`
    Substitutes,
}

/// Converts one file of a catalog to a template, with its objects in the order of the file.
///
/// # Errors
///
/// If opm refuses to read the file.
pub fn convert_catalog(text: &[u8], to: ConvertTo, format: RenderFormat) -> Result<String, TemplateErrors> {
    let mut entries = Vec::new();
    for chunk in split::split_chunks(text) {
        let bytes = text.get(chunk.range.clone()).unwrap_or_default();
        let start = chunk.range.start;
        let at = |span: Span| Span::new(start + span.start as usize, start + span.end as usize);
        let notation = match chunk.kind {
            ChunkKind::Document(format) => format,
            ChunkKind::NoObject => continue,
            ChunkKind::Unreadable(bad) => {
                let error = bad.to_error(bytes);
                return Err(TemplateErrorKind::Text(error.kind).at_span(at(error.span)).into());
            }
        };
        let node = split::parse_chunk(notation, bytes)
            .map_err(|error| TemplateErrorKind::Text(error.kind).at_span(at(error.span)))?;
        entries.push(convert_entry(&node, to).map_err(|fault| TemplateError { at: at(fault.at), ..fault })?);
    }
    Ok(write_template(entries, to, format))
}

/// Converts an object to an item of `entries`.
fn convert_entry(node: &Node, to: ConvertTo) -> Result<Node<'static>, TemplateError> {
    let schema = match meta::read_common_fields(node) {
        Ok(head) => head.schema.value,
        // opm does not check for a schema here.
        Err(error) if error.kind == MetaErrorKind::MissingSchema => String::new(),
        Err(error) => return Err(TemplateErrorKind::Meta(error.kind).at_span(error.span)),
    };
    if to == ConvertTo::Substitutes || schema != "olm.bundle" {
        return Ok(canonical::sort_keys(node).detached());
    }
    let decoded = decode::decode_document(NO_DOC, node);
    let problem = decoded.problems.complete_problems().iter().find(|problem| problem.kind.stops_opm());
    if let Some(problem) = problem {
        let kind: ProblemKind = problem.kind.clone();
        return Err(TemplateErrorKind::Entry(kind).at_span(node.span));
    }
    let image = match decoded.blob {
        Some(Blob::Bundle(bundle)) => bundle.image.map(|image| image.value).unwrap_or_default(),
        _ => String::new(),
    };
    Ok(semver::map_node(vec![
        ("schema", semver::text_node("olm.bundle")),
        ("image", semver::text_node(&image)),
    ]))
}

fn write_template(entries: Vec<Node<'static>>, to: ConvertTo, format: RenderFormat) -> String {
    let schema = match to {
        ConvertTo::Basic => "olm.template.basic",
        ConvertTo::Substitutes => "olm.template.substitutes",
    };
    let entries = if entries.is_empty() {
        semver::build_node(olm_catalog::Value::Null)
    } else {
        semver::list_node(entries)
    };
    let mut members = vec![("schema", semver::text_node(schema)), ("entries", entries)];
    if to == ConvertTo::Substitutes {
        members.push(("substitutions", semver::list_node(Vec::new())));
    }
    let template = semver::map_node(members);
    match format {
        RenderFormat::Yaml => format!("---\n{}\n", emit::write_yaml(&template)),
        RenderFormat::Json => indent_json(&compact_json(&template, JsonStyle::Escaped), "    "),
    }
}

/// Maximum total size in bytes of bundles that are listed more than once. Without it, a short
/// template could list a large bundle many times and produce a huge catalog.
const MAX_REPEATED_BYTES: usize = 64 << 20;

/// Renders a template: replaces each bundle by the one with its image, and keeps everything else. Does not
/// validate.
fn render_basic(
    template: &TemplateDocument,
    bundles: &dyn BundleProvider,
    options: Options,
) -> Result<Rendered, TemplateErrors> {
    let (mut docs, mut faults) = (Vec::new(), Vec::new());
    let (mut seen, mut repeated) = (HashSet::new(), 0);
    for entry in template.list_field("entries")? {
        let blob = match parse_entry(template, entry) {
            Ok(blob) => blob,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let Blob::Bundle(bundle) = blob else {
            docs.push(canonical::normalize(entry).detached());
            continue;
        };
        let fault = match bundle_image(&bundle) {
            Ok((_, span)) if repeated > MAX_REPEATED_BYTES => {
                return Err(TemplateErrorKind::TooLarge.at_span(template.to_file_span(span)).into());
            }
            Ok((image, span)) => match find_bundle(bundles, image, &mut seen, &mut repeated)
                .map(|blob| prepare_bundle(&blob, options.migrate))
            {
                Some(Ok(prepared)) => {
                    docs.push(prepared.node);
                    continue;
                }
                Some(Err(reason)) => TemplateErrorKind::Bundle { image: image.to_owned(), reason }
                    .at_span(template.to_file_span(span)),
                None => {
                    TemplateErrorKind::UnknownImage(image.to_owned()).at_span(template.to_file_span(span))
                }
            },
            Err(found) => TemplateErrorKind::BundleFields(found).at_span(template.to_file_span(entry.span)),
        };
        faults.push(fault);
    }
    if faults.is_empty() { Ok(Rendered { docs, notes: Vec::new() }) } else { Err(TemplateErrors(faults)) }
}

/// Returns the bundle with an image. If `seen` already has the image, adds the size of the bundle
/// to `repeated`.
fn find_bundle<'b>(
    bundles: &'b dyn BundleProvider,
    image: &str,
    seen: &mut HashSet<String>,
    repeated: &mut usize,
) -> Option<Node<'b>> {
    let blob = bundles.find_by_image(image)?;
    if !seen.insert(image.to_owned()) {
        *repeated += blob.span.range().len();
    }
    Some(blob)
}

/// Returns the image of a bundle that has no other fields. The error names an extra or missing
/// field.
fn bundle_image(bundle: &BundleBlob) -> Result<(&str, olm_catalog::Span), &'static str> {
    if !bundle.package.value.as_str().is_empty() {
        return Err("a `package`");
    }
    if !bundle.properties.is_empty() {
        return Err("`properties`");
    }
    if !bundle.related_images.is_empty() {
        return Err("`relatedImages`");
    }
    bundle.image.as_ref().map(|image| (image.value.as_str(), image.span)).ok_or("no `image`")
}

/// Reads an item of `entries` as opm reads an object of a catalog.
fn parse_entry(template: &TemplateDocument, entry: &Node) -> Result<Blob, TemplateError> {
    let decoded = decode::decode_document(NO_DOC, entry);
    if let Some(problem) =
        decoded.problems.complete_problems().iter().find(|problem| problem.kind.stops_opm())
    {
        let span = match &problem.at {
            ProblemLocation::Document(_, span) => *span,
            ProblemLocation::File(_) => entry.span,
        };
        let kind = match problem.kind.clone() {
            ProblemKind::Meta(error) => TemplateErrorKind::Meta(error.kind),
            kind => TemplateErrorKind::Entry(kind),
        };
        return Err(kind.at_span(template.to_file_span(span)));
    }
    let nothing = || TemplateErrorKind::Empty.at_span(template.to_file_span(entry.span));
    decoded.blob.ok_or_else(nothing)
}

/// The first document of a template.
#[derive(Clone, Debug)]
pub struct TemplateDocument<'t> {
    /// Kind of the template.
    pub kind: TemplateKind,
    /// The document.
    node: Node<'t>,
    /// Offset of the document in the file.
    start: usize,
    format: Format,
}

impl<'t> TemplateDocument<'t> {
    /// Parses a template. Its schema decides the kind, which must be `kind` if given.
    ///
    /// # Errors
    ///
    /// If the text cannot be parsed, or is not a template of that kind.
    pub fn parse(text: &'t [u8], kind: Option<TemplateKind>) -> Result<Self, TemplateErrors> {
        if kind == Some(TemplateKind::Semver) {
            // opm does not detect the kind in this case, so comments or directives may precede the
            // first `---`.
            return Self::from_unsplit(text).and_then(|document| document.check_schema(TemplateKind::Semver));
        }
        let document = Self::from_first_document(text)?;
        let schema = document.read_schema()?;
        let at = document.to_file_span(document.node.span);
        let found = match (TemplateKind::from_schema(&schema), schema.as_str()) {
            (Some(found), _) => found,
            (None, "") => return Err(TemplateErrorKind::NoSchema.at_span(at).into()),
            (None, _) => return Err(TemplateErrorKind::UnknownSchema(schema).at_span(at).into()),
        };
        if let Some(expected) = kind.filter(|kind| *kind != found) {
            return Err(TemplateErrorKind::OtherKind { found: schema, expected }.at_span(at).into());
        }
        if found == TemplateKind::Semver {
            return Self::from_unsplit(text).and_then(|document| document.check_schema(TemplateKind::Semver));
        }
        Ok(Self { kind: found, ..document })
    }

    /// Returns the first document, split as opm splits catalogs. Its kind is not known yet.
    fn from_first_document(text: &'t [u8]) -> Result<Self, TemplateErrors> {
        let chunks = split::split_chunks(text);
        let chunk = chunks.iter().find(|chunk| chunk.kind != ChunkKind::NoObject);
        let Some(chunk) = chunk else { return Err(TemplateErrorKind::Empty.at_span(Span::new(0, 0)).into()) };
        let start = chunk.range.start;
        let bytes = text.get(chunk.range.clone()).unwrap_or_default();
        let moved = |span: Span| Span::new(start + span.start as usize, start + span.end as usize);
        let format = match chunk.kind {
            ChunkKind::Document(format) => format,
            ChunkKind::Unreadable(bad) => {
                let error = bad.to_error(bytes);
                return Err(TemplateErrorKind::Text(error.kind).at_span(moved(error.span)).into());
            }
            ChunkKind::NoObject => Format::Yaml,
        };
        let node = split::parse_chunk(format, bytes)
            .map_err(|error| TemplateErrorKind::Text(error.kind).at_span(moved(error.span)))?;
        if node.is_null() {
            return Err(TemplateErrorKind::Empty.at_span(Span::new(start, chunk.range.end)).into());
        }
        let document = Self { kind: TemplateKind::Basic, node, start, format };
        if !matches!(document.node.value, Value::Map(_)) {
            return Err(document.wrong_type_error(document.node.span, "the template", "a map").into());
        }
        Ok(document)
    }

    /// Parses the first document of a YAML stream, without opm's own splitting of catalogs. opm
    /// reads a semver template this way once its kind is known.
    fn from_unsplit(text: &'t [u8]) -> Result<Self, TemplateErrors> {
        let node = yaml::parse_stream(text)
            .map_err(|error| TemplateErrorKind::Text(error.kind).at_span(error.span))?;
        Ok(Self { kind: TemplateKind::Semver, node, start: 0, format: Format::Yaml })
    }

    fn check_schema(self, expected: TemplateKind) -> Result<Self, TemplateErrors> {
        if self.node.is_null() {
            // An empty document; opm ignores the following ones.
            return Err(TemplateErrorKind::UnknownSchema(String::new())
                .at_span(self.to_file_span(self.node.span))
                .into());
        }
        let found = self.node.members().iter().any(|member| key_matches_field("schema", &member.key));
        if !found {
            return Err(TemplateErrorKind::NoSchema.at_span(self.to_file_span(self.node.span)).into());
        }
        Ok(Self { kind: expected, ..self })
    }

    /// Converts a span in the document to a span in the file.
    pub fn to_file_span(&self, span: Span) -> Span {
        Span::new(self.start + span.start as usize, self.start + span.end as usize)
    }

    /// Returns all members whose keys match a field in Go, which ignores case. The last one wins.
    /// Members of a YAML template are sorted by key, because opm converts it to JSON with sorted
    /// keys.
    fn field_members<'s>(&'s self, node: &'s Node<'t>, name: &str) -> Vec<&'s Member<'t>> {
        let mut members: Vec<_> =
            node.members().iter().filter(|member| key_matches_field(name, &member.key)).collect();
        if self.format == Format::Yaml {
            members.sort_by(|a, b| a.key.cmp(&b.key));
        }
        members
    }

    /// Returns a string field; empty if it is null.
    fn string_field(&self, node: &Node<'t>, name: &str) -> Result<(String, Span), TemplateError> {
        let mut read = (String::new(), node.span);
        for member in self.field_members(node, name) {
            match &member.value.value {
                Value::String(text) => read = (text.clone().into_owned(), member.value.span),
                Value::Null => {}
                _ => return Err(self.wrong_type_error(member.value.span, name, "a string")),
            }
        }
        Ok(read)
    }

    /// Returns a list field; empty if it is null.
    fn list_field(&self, name: &str) -> Result<&[Node<'t>], TemplateError> {
        let mut read: &[Node] = &[];
        for member in self.field_members(&self.node, name) {
            match &member.value.value {
                Value::List(items) => read = items,
                Value::Null => read = &[],
                _ => return Err(self.wrong_type_error(member.value.span, name, "a list")),
            }
        }
        Ok(read)
    }

    fn read_schema(&self) -> Result<String, TemplateError> {
        Ok(self.string_field(&self.node, "schema")?.0)
    }

    fn wrong_type_error(&self, span: Span, field: &str, expected: &'static str) -> TemplateError {
        TemplateErrorKind::WrongType { field: field.to_owned(), expected }.at_span(self.to_file_span(span))
    }
}
