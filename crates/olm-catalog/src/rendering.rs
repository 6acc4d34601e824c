//! Output of `opm render` in parts, so that neither all trees nor the whole text are in memory.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::{
    DocId, Node,
    model::Catalog,
    text::{
        canonical::{self, DocumentOrder, RenderFormat},
        emit,
    },
};

/// Bytes of the documents that are rendered at a time.
const PART_BYTES: usize = 4 << 20;

/// Catalog to render.
#[derive(Clone, Copy, Debug)]
pub struct RenderSource<'c> {
    /// The catalog.
    pub catalog: &'c Catalog,
    /// True if its documents are already [normalized](canonical::normalize).
    pub is_normalized: bool,
}

/// Renders the documents of several catalogs as `opm render` does, and passes the text to `write` in parts of whole
/// documents. Ends early if `write` returns [`ControlFlow::Break`]. Omits documents that cannot be parsed.
///
/// Each document is parsed twice: for its place in the output, and to write it.
pub fn render_in_parts<'c>(
    sources: &[RenderSource<'c>],
    format: RenderFormat,
    mut write: impl FnMut(&str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let documents = sources.iter().flat_map(|source| source.catalog.documents().map(|doc| (*source, doc)));
    let documents: Vec<(RenderSource<'c>, DocId)> = documents.collect();
    let mut ordered: Vec<OrderedDocument<'c>> = documents
        .into_par_iter()
        .filter_map(|(source, doc)| OrderedDocument::parse_order(source, doc))
        .collect();
    ordered.sort_by(|a, b| a.order.cmp(&b.order));
    let mut rest = ordered.as_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let count = rest.iter().take_while(|document| {
            let fits = bytes < PART_BYTES;
            bytes += document.source.catalog.document_text(document.doc).map_or(0, <[u8]>::len);
            fits
        });
        let (part, others) = rest.split_at(count.count());
        rest = others;
        let texts: Vec<String> = part.par_iter().filter_map(|document| document.render(format)).collect();
        write(&texts.concat())?;
    }
    ControlFlow::Continue(())
}

/// Document with its place in the output.
struct OrderedDocument<'c> {
    order: DocumentOrder,
    source: RenderSource<'c>,
    doc: DocId,
}

impl<'c> OrderedDocument<'c> {
    /// Parses the document for its place; `None` if it is omitted.
    fn parse_order(source: RenderSource<'c>, doc: DocId) -> Option<Self> {
        let order = DocumentOrder::from_document(&source.catalog.parse_document(doc)?.ok()?)?;
        Some(Self { order, source, doc })
    }

    fn render(&self, format: RenderFormat) -> Option<String> {
        let tree = self.source.catalog.parse_document(self.doc)?.ok()?;
        let emit = |node: &Node<'_>| match format {
            RenderFormat::Yaml => format!("---\n{}", emit::write_yaml(node)),
            RenderFormat::Json => emit::write_json(node),
        };
        Some(if self.source.is_normalized { emit(&tree) } else { emit(&canonical::normalize(&tree)) })
    }
}
