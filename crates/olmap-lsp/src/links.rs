//! Links of images to the pages of their repositories, in catalogs and templates.

use gen_lsp_types::{DocumentLink, Uri};

use super::{
    DraftCatalog, Encoding,
    location::{self, DocumentSpan},
    names,
};
use olm_catalog::{
    Catalog, DocId, FileId, Node, Span, image_ref::parse_image_ref, node::Value, template::Template,
    text::split,
};

/// Maximum number of links of a file. Large catalogs have tens of thousands of images.
const MAX_LINKS: usize = 2_000;

/// Returns the links of the images in a file. A registry decides whether it has a page at the address of a repository.
pub fn document_links(draft: &DraftCatalog, file: FileId, encoding: Encoding) -> Vec<DocumentLink> {
    let catalog = draft.last_valid();
    let mut links = Vec::new();
    if let Some(template) = catalog.template().filter(|template| template.doc.file == file) {
        let images = template_images(catalog, template).into_iter().take(MAX_LINKS);
        let to_link =
            |(image, span): (String, Span)| image_link(draft, template.doc, (&image, span), encoding);
        return images.filter_map(to_link).collect();
    }
    for package in catalog.packages() {
        for bundle in package.bundles.iter().filter(|bundle| bundle.doc.file == file) {
            let images =
                bundle.image.iter().chain(bundle.related_images.iter().map(|related| &related.image));
            let images = images.map(|image| (image.value.as_str(), image.span));
            links.extend(images.filter_map(|image| image_link(draft, bundle.doc, image, encoding)));
            if links.len() >= MAX_LINKS {
                links.truncate(MAX_LINKS);
                return links;
            }
        }
    }
    links
}

/// Returns the images of bundles in a template, whose bundles may be unknown. The key is `image`, and `Image` in an
/// `olm.semver`; opm ignores its case.
fn template_images(catalog: &Catalog, template: &Template) -> Vec<(String, Span)> {
    let (Some(text), Some(format)) = (catalog.document_text(template.doc), catalog.format(template.doc))
    else {
        return Vec::new();
    };
    let Ok(root) = split::parse_chunk(format, text) else { return Vec::new() };
    let mut images = Vec::new();
    let mut pending: Vec<&Node<'_>> = vec![&root];
    while let Some(node) = pending.pop() {
        for member in node.members() {
            match &member.value.value {
                Value::String(image) if member.key.eq_ignore_ascii_case("image") => {
                    images.push((image.clone().into_owned(), member.value.span));
                }
                _ => pending.push(&member.value),
            }
        }
        pending.extend(node.items());
    }
    images.sort_by_key(|(_, span)| span.start);
    images
}

fn image_link(
    draft: &DraftCatalog,
    doc: DocId,
    (image, span): (&str, Span),
    encoding: Encoding,
) -> Option<DocumentLink> {
    if !names::is_value_in_source(draft.last_valid(), doc, span, image) {
        return None;
    }
    let target = repository_page(image)?;
    let range = location::to_current_range(draft, encoding, DocumentSpan { doc, span })?;
    Some(DocumentLink::new(range, Some(target), Some("Open the page of the repository".to_owned()), None))
}

/// Returns the address of the repository of an image. `None` for a registry with a port, which has no pages, and for an
/// image without a registry.
fn repository_page(image: &str) -> Option<Uri> {
    parse_image_ref(image).ok()?;
    let name = image.split('@').next()?;
    let (host, path) = name.split_once('/')?;
    let is_host =
        host.contains('.') && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let path = path.rsplit_once(':').map_or(path, |(path, _)| path);
    is_host.then(|| Uri(format!("https://{host}/{path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_the_repository_without_tag_and_digest() {
        let page = |image: &str| repository_page(image).map(|uri| uri.0);
        let digest = "0".repeat(64);
        assert_eq!(page("example.com/a/b:v1").as_deref(), Some("https://example.com/a/b"));
        let image = format!("example.com/a/b:v1@sha256:{digest}");
        assert_eq!(page(&image).as_deref(), Some("https://example.com/a/b"));
        for none in ["localhost:5000/a", "registry.example.com:5000/a", "busybox", "a/b", "", "https://x"] {
            assert_eq!(page(none), None, "{none}");
        }
    }
}
