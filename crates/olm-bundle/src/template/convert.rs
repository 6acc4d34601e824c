//! Conversion of a catalog to a template, like `opm alpha convert_catalog-template`. Nothing is validated beyond
//! parsing.

use super::{
    bundles::NO_DOC,
    error::{TemplateError, TemplateErrorKind, TemplateErrors},
    tree_builder,
};
use crate::render::{JsonStyle, compact_json, indent_json};
use olm_catalog::{
    ChunkKind, Node, Span,
    blob::Blob,
    decode,
    meta::{self, MetaErrorKind},
    problem::ProblemKind,
    text::{
        canonical::{self, RenderFormat},
        emit, split,
    },
};

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
    Ok(tree_builder::map_node(vec![
        ("schema", tree_builder::text_node("olm.bundle")),
        ("image", tree_builder::text_node(&image)),
    ]))
}

fn write_template(entries: Vec<Node<'static>>, to: ConvertTo, format: RenderFormat) -> String {
    let schema = match to {
        ConvertTo::Basic => "olm.template.basic",
        ConvertTo::Substitutes => "olm.template.substitutes",
    };
    let entries = if entries.is_empty() {
        tree_builder::build_node(olm_catalog::Value::Null)
    } else {
        tree_builder::list_node(entries)
    };
    let mut members = vec![("schema", tree_builder::text_node(schema)), ("entries", entries)];
    if to == ConvertTo::Substitutes {
        members.push(("substitutions", tree_builder::list_node(Vec::new())));
    }
    let template = tree_builder::map_node(members);
    match format {
        RenderFormat::Yaml => format!("---\n{}\n", emit::write_yaml(&template)),
        RenderFormat::Json => indent_json(&compact_json(&template, JsonStyle::Escaped), "    "),
    }
}
