//! Media type of images by their first bytes, as `opm init` detects it for icons.
//!
//! The signatures come from the Go module h2non/filetype, which opm uses. It does not support SVG.

/// Returns the media type of an image; `None` if the bytes are not an image.
pub fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let at = |from: usize, wanted: &[u8]| bytes.get(from..from + wanted.len()) == Some(wanted);
    let is_tiff = at(0, b"II*\0") || at(0, b"MM\0*");
    let is_of_brand = |brand: &[u8]| at(4, b"ftyp") && at(8, brand);
    let is_in_brands = |brand: &[u8]| {
        bytes.get(16..64.min(bytes.len())).is_some_and(|more| more.chunks(4).any(|b| b == brand))
    };
    Some(match () {
        () if at(0, b"\x89PNG") => "image/png",
        () if at(0, b"\xff\xd8\xff") => "image/jpeg",
        () if at(0, b"GIF") => "image/gif",
        () if at(8, b"WEBP") => "image/webp",
        () if at(0, b"\0\0\0\x0cjP  \r\n\x87\n\0") => "image/jp2",
        () if is_tiff && at(8, b"CR") => "image/x-canon-cr2",
        () if is_tiff && bytes.len() > 10 => "image/tiff",
        () if at(0, b"BM") => "image/bmp",
        () if at(0, b"II\xbc") => "image/vnd.ms-photo",
        () if at(0, b"8BPS") => "image/vnd.adobe.photoshop",
        () if at(0, b"\0\0\x01\0") => "image/vnd.microsoft.icon",
        () if at(0, b"AC10") => "image/vnd.dwg",
        () if at(0, b"v/1\x01") => "image/x-exr",
        () if is_of_brand(b"heic") => "image/heif",
        () if (is_of_brand(b"mif1") || is_of_brand(b"msf1")) && is_in_brands(b"heic") => "image/heif",
        () if is_of_brand(b"avif") || is_of_brand(b"avis") => "image/avif",
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn detects_media_type_by_first_bytes() {
        assert_eq!(media_type(b"\x89PNG\r\n"), Some("image/png"));
        assert_eq!(media_type(b"RIFF\x1a\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(media_type(b"MM\0*\0\0\0\0\0\0\0\0"), Some("image/tiff"));
        assert_eq!(media_type(b"BM"), Some("image/bmp"));
        for none in [b"".as_slice(), b"\x89P", b"<svg/>", b"PK\x03\x04", b"hello", b"II*\0"] {
            assert_eq!(media_type(none), None, "{none:?}");
        }
    }
}
