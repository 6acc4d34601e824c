//! Icon: declared and actual media type.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    OutlineLocation, Row,
    contents::{OutlineInput, Piece},
};

/// First icon of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Icon {
    /// Declared media type.
    pub media_type: String,
    /// Number of decoded bytes; `None` if the data is not base64.
    pub bytes: Option<usize>,
    /// Detected format.
    pub format: ImageFormat,
    /// Width and height in pixels, if the file header has them.
    pub pixels: Option<(u32, u32)>,
    /// Number of icons of the bundle; only one is shown.
    pub count: usize,
    location: Option<OutlineLocation>,
}

/// Image format, detected by the first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// SVG.
    Svg,
    /// Unknown format.
    Unknown,
}

impl ImageFormat {
    /// Returns its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Svg => "image/svg+xml",
            Self::Unknown => "no known picture",
        }
    }

    /// Detects the format of an image.
    pub fn detect(bytes: &[u8]) -> Self {
        // An SVG may begin with a declaration, comments and a document type.
        const MAX_SVG_PREFIX: usize = 4096;
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'G', b'I', b'F', b'8', ..] => Self::Gif,
            _ => {
                let head = bytes.get(..MAX_SVG_PREFIX).unwrap_or(bytes);
                let is_svg = memchr::memmem::find(head, b"<svg").is_some();
                if is_svg { Self::Svg } else { Self::Unknown }
            }
        }
    }

    /// Returns width and height, if the header has them.
    pub(super) fn pixel_size(self, bytes: &[u8]) -> Option<(u32, u32)> {
        let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let little = |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
        match self {
            Self::Png => Some((big(16)?, big(20)?)),
            Self::Gif => Some((little(6)?, little(8)?)),
            Self::Jpeg => jpeg_size(bytes),
            Self::Svg | Self::Unknown => None,
        }
    }
}

/// Returns the size in a JPEG's frame header, after other segments.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(usize::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        let (0xff, marker) = (*bytes.get(at)?, *bytes.get(at + 1)?) else { return None };
        match marker {
            // Fill byte.
            0xff => at += 1,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some((big(at + 7)? as u32, big(at + 5)? as u32));
            }
            _ => at += 2 + big(at + 2)?.max(2),
        }
    }
}

impl Icon {
    pub(super) fn from_contents(bundle: &OutlineInput) -> Option<Self> {
        let icons = bundle.csv_items(&["spec", "icon"]);
        let first = icons.first()?;
        let data = first.child_text(&["base64data"]);
        let compact: String = data.chars().filter(|c| !c.is_whitespace()).collect();
        let bytes = STANDARD.decode(compact).ok();
        let picture = bytes.as_deref().map_or(ImageFormat::Unknown, ImageFormat::detect);
        Some(Self {
            media_type: first.child_text(&["mediatype"]).into_owned(),
            pixels: bytes.as_deref().and_then(|bytes| picture.pixel_size(bytes)),
            bytes: bytes.map(|bytes| bytes.len()),
            format: picture,
            count: icons.len(),
            location: Piece::location(*first),
        })
    }

    /// Returns true if the format matches the media type.
    pub fn matches_media_type(&self) -> bool {
        self.format != ImageFormat::Unknown && self.media_type == self.format.media_type()
    }

    pub(super) fn icon_row(&self) -> Row {
        let note = match (self.bytes, self.matches_media_type()) {
            (None, _) => "its data is not base64".to_owned(),
            (Some(_), true) => String::new(),
            (Some(_), false) => format!("its bytes are {}", self.format.media_type()),
        };
        Row::new_fact("icon", self.to_string()).with_note(note).with_location(self.location.clone())
    }
}

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.media_type.is_empty() { "no media type" } else { &self.media_type })?;
        if let Some(bytes) = self.bytes {
            write!(f, ", {bytes} bytes")?;
        }
        if let Some((width, height)) = self.pixels {
            write!(f, ", {width}x{height} pixels")?;
        }
        if self.count > 1 {
            write!(f, ", the first of {}", self.count)?;
        }
        Ok(())
    }
}
