//! `olm.template.basic`: a catalog with only images for bundles.

use std::collections::HashSet;

use super::{
    Options, Rendered,
    bundles::{BundleProvider, NO_DOC, prepare_bundle},
    document::TemplateDocument,
    error::{TemplateError, TemplateErrorKind, TemplateErrors},
};
use olm_catalog::{
    Node,
    blob::{Blob, BundleBlob},
    decode,
    problem::{ProblemKind, ProblemLocation},
    text::canonical,
};

/// Maximum total size in bytes of bundles that are listed more than once. Without it, a short
/// template could list a large bundle many times and produce a huge catalog.
const MAX_REPEATED_BYTES: usize = 64 << 20;

/// Renders a template: replaces each bundle by the one with its image, and keeps everything else. Does not
/// validate.
pub(super) fn render_basic(
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
pub(super) fn parse_entry(template: &TemplateDocument, entry: &Node) -> Result<Blob, TemplateError> {
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
