//! Links of images to the pages of their repositories.

use gen_lsp_types::{DocumentLink, Uri};

use super::{
    DraftCatalog, Encoding,
    location::{self, DocumentSpan},
};
use olm_catalog::{DocId, FileId, Spanned, image_ref::parse_image_ref};

/// Maximum number of links of a file. Large catalogs have tens of thousands of images.
const MAX_LINKS: usize = 2_000;

/// Returns the links of the images in a file. A registry decides whether it has a page at the address of a repository.
pub fn document_links(draft: &DraftCatalog, file: FileId, encoding: Encoding) -> Vec<DocumentLink> {
    let catalog = draft.last_valid();
    let mut links = Vec::new();
    for package in catalog.packages() {
        for bundle in package.bundles.iter().filter(|bundle| bundle.doc.file == file) {
            let images =
                bundle.image.iter().chain(bundle.related_images.iter().map(|related| &related.image));
            links.extend(images.filter_map(|image| image_link(draft, bundle.doc, image, encoding)));
            if links.len() >= MAX_LINKS {
                links.truncate(MAX_LINKS);
                return links;
            }
        }
    }
    links
}

fn image_link(
    draft: &DraftCatalog,
    doc: DocId,
    image: &Spanned<String>,
    encoding: Encoding,
) -> Option<DocumentLink> {
    let written = draft.last_valid().document_text(doc)?.get(image.span.range())?;
    memchr::memmem::find(written, image.value.as_bytes()).filter(|_| !image.value.is_empty())?;
    let target = repository_page(&image.value)?;
    let range = location::to_current_range(draft, encoding, DocumentSpan { doc, span: image.span })?;
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
