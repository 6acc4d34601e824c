//! Selection ranges: the values around a position, for the commands of editors that expand a selection.

use gen_lsp_types::{Position, Range, SelectionRange};

use super::{Encoding, TextDocument};
use olm_catalog::{
    Node,
    text::split::{self, ChunkKind},
};

/// Maximum size in bytes of a document that is parsed for each request.
const MAX_PARSED_BYTES: usize = 4 << 20;

/// Returns the ranges around each position of a text, innermost first: scalar, member, map or list, document, text.
pub fn selection_ranges(
    document: &TextDocument,
    positions: &[Position],
    encoding: Encoding,
) -> Vec<SelectionRange> {
    let text = document.to_bytes();
    let chunks: Vec<_> = split::split_chunks(&text)
        .into_iter()
        .filter_map(|chunk| match chunk.kind {
            ChunkKind::Document(format) => Some((chunk.range, format)),
            _ => None,
        })
        .collect();
    let ranges_at = |position: &Position| {
        let byte = document.byte_at(encoding, *position);
        let mut spans = vec![(0, text.len())];
        if let Some((range, format)) =
            chunks.iter().find(|(range, _)| range.start <= byte && byte <= range.end)
        {
            spans.push((range.start, range.end));
            let chunk = text.get(range.clone()).unwrap_or_default();
            if chunk.len() <= MAX_PARSED_BYTES
                && let Ok(tree) = split::parse_chunk(*format, chunk)
            {
                let inner = spans_around(&tree, byte - range.start);
                spans.extend(inner.into_iter().map(|(start, end)| (range.start + start, range.start + end)));
            }
        }
        spans.dedup();
        let to_range = |(start, end): (usize, usize)| Range {
            start: document.position(encoding, start),
            end: document.position(encoding, end),
        };
        let nest = |parent: Option<Box<SelectionRange>>, span| {
            Some(Box::new(SelectionRange::new(to_range(span), parent)))
        };
        let nested = spans.into_iter().fold(None, nest);
        nested
            .map_or_else(|| SelectionRange::new(Range { start: *position, end: *position }, None), |all| *all)
    };
    positions.iter().map(ranges_at).collect()
}

/// Returns the spans of the values around an offset, outermost first. Each is inside of its predecessor.
fn spans_around(tree: &Node<'_>, offset: usize) -> Vec<(usize, usize)> {
    let contains = |start: u32, end: u32| start as usize <= offset && offset <= end as usize;
    let mut spans = vec![(tree.span.start as usize, tree.span.end as usize)];
    let mut node = tree;
    loop {
        let mut members = node.members().iter();
        let member = members
            .find(|member| contains(member.key_span.start, member.value.span.end.max(member.key_span.end)));
        if let Some(member) = member {
            let (key, value) = (member.key_span, member.value.span);
            spans.push((key.start as usize, value.end.max(key.end) as usize));
            if contains(key.start, key.end) {
                spans.push((key.start as usize, key.end as usize));
                break;
            }
            node = &member.value;
        } else if let Some(item) = node.items().iter().find(|item| contains(item.span.start, item.span.end)) {
            node = item;
        } else {
            break;
        }
        if !contains(node.span.start, node.span.end) {
            break;
        }
        spans.push((node.span.start as usize, node.span.end as usize));
    }
    // Spans of values with anchors or at the end of blocks may reach further than those around them.
    let mut bounds = (0, usize::MAX);
    spans.retain(|span| {
        let is_inside = bounds.0 <= span.0 && span.1 <= bounds.1 && bounds != *span;
        if is_inside {
            bounds = *span;
        }
        is_inside
    });
    spans
}
