//! Image references: no text panics, and an accepted reference has the parts it claims.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_catalog::image_ref;

fuzz_target!(|text: &str| {
    let Ok(image) = image_ref::parse_image_ref(text) else { return };
    let path = image.repository().strip_prefix(image.host()).and_then(|rest| rest.strip_prefix('/'));
    let path = path.expect("host, slash, path");
    assert!(!image.host().is_empty() && path.split('/').all(|part| !part.is_empty()), "{image:?}");
    assert!(image.repository().len() <= 255);
    assert_eq!(image.is_pinned(), image.digest().is_some());
    if let Some(tag) = image.tag() {
        assert!(!tag.is_empty() && tag.len() <= 128);
    }
    if let Some(digest) = image.digest() {
        assert!(digest.contains(':'));
    }
    // The parts together are the text, except for the implied host.
    let mut again = image.repository().to_owned();
    for (mark, part) in [(':', image.tag()), ('@', image.digest())] {
        if let Some(part) = part {
            again.push(mark);
            again.push_str(part);
        }
    }
    let bare = |text: &str| -> String {
        let text = text.strip_prefix("index.docker.io/").or(text.strip_prefix("docker.io/")).unwrap_or(text);
        text.strip_prefix("library/").unwrap_or(text).to_owned()
    };
    assert_eq!(bare(&again), bare(text));
    assert_eq!(image_ref::parse_image_ref(&again), Ok(image));
});
