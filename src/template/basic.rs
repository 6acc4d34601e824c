//! `olm.template.basic`: a catalog with only images for bundles.

use std::collections::HashSet;

use super::{
    Options, Rendered,
    bundles::{Bundles, NO_DOC, prepare},
    document::TemplateDocument,
    fault::{Fault, FaultKind, Faults},
};
use crate::catalog::{
    Node,
    blob::{Blob, BundleBlob},
    decode,
    problem::{ProblemKind, ProblemPlace},
    text::canonical,
};

/// Size limit of repeated bundles, in bytes. A template with a line for each must not become a thousand times
/// as large.
const MAX_REPEATED_BYTES: usize = 64 << 20;

/// Renders a template: replaces each bundle by the one with its image, and keeps everything else. Does not
/// validate.
pub(super) fn render(
    template: &TemplateDocument,
    bundles: &dyn Bundles,
    options: Options,
) -> Result<Rendered, Faults> {
    let (mut docs, mut faults) = (Vec::new(), Vec::new());
    let (mut seen, mut repeated) = (HashSet::new(), 0);
    for entry in template.list("entries")? {
        let blob = match read_entry(template, entry) {
            Ok(blob) => blob,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let Blob::Bundle(bundle) = blob else {
            docs.push(canonical::normalise(entry).detached());
            continue;
        };
        let fault = match image(&bundle) {
            Ok((_, span)) if repeated > MAX_REPEATED_BYTES => {
                return Err(FaultKind::TooLarge.at(template.at(span)).into());
            }
            Ok((image, span)) => match find_bundle(bundles, image, &mut seen, &mut repeated)
                .map(|blob| prepare(&blob, options.migrate))
            {
                Some(Ok(pulled)) => {
                    docs.push(pulled.node);
                    continue;
                }
                Some(Err(reason)) => {
                    FaultKind::Bundle { image: image.to_owned(), reason }.at(template.at(span))
                }
                None => FaultKind::UnknownImage(image.to_owned()).at(template.at(span)),
            },
            Err(found) => FaultKind::BundleFields(found).at(template.at(entry.span)),
        };
        faults.push(fault);
    }
    if faults.is_empty() { Ok(Rendered { docs, notes: Vec::new() }) } else { Err(Faults(faults)) }
}

/// Returns the blob with an image, and counts the bytes of repeated blobs.
fn find_bundle<'b>(
    bundles: &'b dyn Bundles,
    image: &str,
    seen: &mut HashSet<String>,
    repeated: &mut usize,
) -> Option<Node<'b>> {
    let blob = bundles.blob(image)?;
    if !seen.insert(image.to_owned()) {
        *repeated += blob.span.range().len();
    }
    Some(blob)
}

/// Returns the image of a bundle that has no other fields.
fn image(bundle: &BundleBlob) -> Result<(&str, crate::catalog::Span), &'static str> {
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
pub(super) fn read_entry(template: &TemplateDocument, entry: &Node) -> Result<Blob, Fault> {
    let decoded = decode::decode(NO_DOC, entry);
    if let Some(problem) = decoded.problems.told().iter().find(|problem| problem.kind.stops_opm()) {
        let span = match &problem.at {
            ProblemPlace::Document(_, span) => *span,
            ProblemPlace::File(_) => entry.span,
        };
        let kind = match problem.kind.clone() {
            ProblemKind::Meta(error) => FaultKind::Meta(error.kind),
            kind => FaultKind::Entry(kind),
        };
        return Err(kind.at(template.at(span)));
    }
    let nothing = || FaultKind::Empty.at(template.at(entry.span));
    decoded.blob.ok_or_else(nothing)
}
