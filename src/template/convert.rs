//! Conversion of a catalog to a template, like `opm alpha convert-template`. Nothing is validated beyond
//! parsing.

use super::{
    bundles::NO_DOC,
    fault::{Fault, FaultKind, Faults},
    tree_builder,
};
use crate::{
    bundle::render::{Style, compact, indented},
    catalog::{
        ChunkKind, Node, Span,
        blob::Blob,
        decode,
        meta::{self, MetaErrorKind},
        problem::ProblemKind,
        text::{
            canonical::{self, RenderFormat},
            emit, split,
        },
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
pub fn convert(text: &[u8], to: ConvertTo, format: RenderFormat) -> Result<String, Faults> {
    let mut entries = Vec::new();
    for chunk in split::split(text) {
        let bytes = text.get(chunk.range.clone()).unwrap_or_default();
        let start = chunk.range.start;
        let at = |span: Span| Span::new(start + span.start as usize, start + span.end as usize);
        let notation = match chunk.kind {
            ChunkKind::Document(format) => format,
            ChunkKind::NoObject => continue,
            ChunkKind::Unreadable(bad) => {
                let error = bad.error(bytes);
                return Err(FaultKind::Text(error.kind).at(at(error.span)).into());
            }
        };
        let node =
            split::parse(notation, bytes).map_err(|error| FaultKind::Text(error.kind).at(at(error.span)))?;
        entries.push(entry(&node, to).map_err(|fault| Fault { at: at(fault.at), ..fault })?);
    }
    Ok(write_template(entries, to, format))
}

/// Converts an object to an item of `entries`.
fn entry(node: &Node, to: ConvertTo) -> Result<Node<'static>, Fault> {
    let schema = match meta::head(node) {
        Ok(head) => head.schema.value,
        // opm does not check for a schema here.
        Err(error) if error.kind == MetaErrorKind::MissingSchema => String::new(),
        Err(error) => return Err(FaultKind::Meta(error.kind).at(error.span)),
    };
    if to == ConvertTo::Substitutes || schema != "olm.bundle" {
        return Ok(canonical::sorted(node).detached());
    }
    let decoded = decode::decode(NO_DOC, node);
    let problem = decoded.problems.told().iter().find(|problem| problem.kind.stops_opm());
    if let Some(problem) = problem {
        let kind: ProblemKind = problem.kind.clone();
        return Err(FaultKind::Entry(kind).at(node.span));
    }
    let image = match decoded.blob {
        Some(Blob::Bundle(bundle)) => bundle.image.map(|image| image.value).unwrap_or_default(),
        _ => String::new(),
    };
    Ok(tree_builder::map(vec![
        ("schema", tree_builder::text("olm.bundle")),
        ("image", tree_builder::text(&image)),
    ]))
}

fn write_template(entries: Vec<Node<'static>>, to: ConvertTo, format: RenderFormat) -> String {
    let schema = match to {
        ConvertTo::Basic => "olm.template.basic",
        ConvertTo::Substitutes => "olm.template.substitutes",
    };
    let entries = if entries.is_empty() {
        tree_builder::node(crate::catalog::Value::Null)
    } else {
        tree_builder::list(entries)
    };
    let mut members = vec![("schema", tree_builder::text(schema)), ("entries", entries)];
    if to == ConvertTo::Substitutes {
        members.push(("substitutions", tree_builder::list(Vec::new())));
    }
    let template = tree_builder::map(members);
    match format {
        RenderFormat::Yaml => format!("---\n{}\n", emit::yaml(&template)),
        RenderFormat::Json => indented(&compact(&template, Style::Escaped), "    "),
    }
}
